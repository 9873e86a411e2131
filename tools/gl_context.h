/* OpenGL for the commands that run under `teslapipe gl`: a context without a window, and OpenGL's
 * functions. EGL is opened at run time, because the commands must start without EGL, too. */
#pragma once

#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>

enum gl_made { GL_NO_LIBRARY /* dlerror() says why */, GL_NO_DISPLAY, GL_NO_CONTEXT, GL_MADE };
/* Makes a context of OpenGL 3.3, and makes it current. version[] receives EGL's version if there is
 * a display. */
enum gl_made gl_make_context(int version[2]);
void *gl_function(const char *name);
#define GL(name) ((__typeof__(&gl##name))gl_function("gl" #name))
