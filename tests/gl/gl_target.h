/* Framebuffers of one renderbuffer. The including file has included OpenGL's header. */
#ifndef TESTS_GL_TARGET_H
#define TESTS_GL_TARGET_H

/* Makes and binds a framebuffer, with the viewport on all of it. Returns its name. */
static inline GLuint new_target(GLenum format, GLsizei samples, GLsizei width, GLsizei height) {
    GLuint framebuffer, renderbuffer;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glGenRenderbuffers(1, &renderbuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
    glViewport(0, 0, width, height);
    return framebuffer;
}

#endif
