/* What the files of `teslapipe gl` share.
 */
#ifndef TOOLS_GL_H
#define TOOLS_GL_H

/* The self-test: a line for each part; the environment is that of programs already. */
int gl_check(const char *library);
/* The part of it that runs with the preload library; this option starts it. */
int gl_check_inside(void);
#define GL_CHECK_INSIDE "--check-inside"

#endif
