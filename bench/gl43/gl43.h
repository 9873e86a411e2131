/* Code that the workloads of bench/gl43, bench/waits and bench/pixels share. Each workload draws
 * the same frame again and again into a target of WIDTH x HEIGHT; nothing depends on time, so two
 * drivers can be compared. The programs of a workload are in the file NAME.glsl beside its source.
 * A file without a vertex program uses the one for draw_whole(); its fragments get `at`, their
 * place in the target from -1 to 1. */
#pragma once

#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>
#include <stddef.h>
#include <stdint.h>

enum { WIDTH = 1280, HEIGHT = 720 };
#define PI 3.14159265f

struct workload {
    const char *name;
    void (*build)(void); /* called once, before the first frame */
    void (*draw)(void);  /* draws a frame; the target is bound and cleared, the depth test is off */
};

extern const struct workload blur, clusters, culling, histogram, particles, terrain;

/* The workloads of one executable, and the version of OpenGL (and of GLSL) that they need. */
extern const struct program_set {
    int major, minor;
    const struct workload *workload[10]; /* NULL after the last */
} program_set;

/* ---- support.c ---- */

_Noreturn void fail(const char *what, const char *why);

/* Links the vertex, fragment and, if the file has them, control and evaluation programs, and uses
 * the result. A section of the file begins with a line `//! NAME`; the section `common` is put
 * before every other one. */
GLuint draw_program(const char *file);
GLuint compute_program(const char *file, const char *section);
GLint uniform(GLuint program, const char *name);

GLuint buffer(GLenum target, const void *data, GLsizeiptr size);
void storage(GLuint index, GLuint buffer);
/* Makes and binds a vertex array object; the caller sets its attributes. */
GLuint vertex_array(void);
void attribute(GLuint index, GLint floats, GLsizei stride, uintptr_t offset);

/* Makes a texture of one level, with nearest texels and clamped coordinates. */
GLuint texture(GLenum format, GLsizei width, GLsizei height);
void bind_texture(GLuint unit, GLuint texture);
/* Makes 512 x 512 texels of noise that repeats, with mipmaps. Red is a height, the other components
 * a colour of stone. */
GLuint noise_texture(void);
/* Makes a picture of WIDTH x HEIGHT with large areas and fine lines. */
GLuint picture_texture(void);

/* Returns a number from 0 to below 1 and advances the caller's seed. */
float random_number(uint32_t *seed);

struct matrix {
    float m[16]; /* columns */
};
struct matrix product(const struct matrix *a, const struct matrix *b);
struct matrix perspective(float degrees, float near, float far);
struct matrix look_at(const float eye[3], const float center[3]);
void set_matrix(GLuint program, const char *name, const struct matrix *m);

struct mesh {
    GLsizei indices;
    GLuint vertices, elements; /* buffers: position and normal, 6 floats; 32-bit indices */
};
/* Makes a sphere of radius 1 with `rings` rings of 2 * rings quads. */
struct mesh make_sphere(int rings);

/* Draws a triangle over the whole target with the program in use. */
void draw_whole(void);
