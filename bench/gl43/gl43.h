/* Code that the workloads share: the six that need OpenGL 4.3, and those of bench/waits. Each draws
 * the same frame again and again into a target of WIDTH x HEIGHT; nothing depends on time, so two
 * drivers can be compared. The programs of a workload are in the file NAME.glsl beside its source.
 * A file without a vertex program has the one of draw_whole() triangles; fragments get `at`, their
 * place in the target, -1 to 1.
 */
#ifndef BENCH_GL43_H
#define BENCH_GL43_H

#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>
#include <stddef.h>
#include <stdint.h>

enum { WIDTH = 1280, HEIGHT = 720 };
#define PI 3.14159265f

struct workload {
    const char *name;
    void (*build)(void); /* once, before the first frame */
    void (*draw)(void);  /* a frame; the target is bound and cleared, depth test off */
};

extern const struct workload blur, clusters, culling, histogram, particles, terrain;

/* The workloads of a program, and the version of OpenGL (and of GLSL) that they need. */
extern const struct program_set {
    int major, minor;
    const struct workload *workload[10]; /* the last is NULL */
} program_set;

/* ---- support.c ---- */

_Noreturn void fail(const char *what, const char *why);

/* Vertex, fragment and, if the file has them, control and evaluation programs, linked. Sections of
 * the file begin with lines `//! NAME`; the section `common` stands before each other. */
GLuint draw_program(const char *file);
GLuint compute_program(const char *file, const char *section);
GLint uniform(GLuint program, const char *name);

GLuint buffer(GLenum target, const void *data, GLsizeiptr size);
void storage(GLuint index, GLuint buffer);
/* An array object; its attributes follow. */
GLuint vertex_array(void);
void attribute(GLuint index, GLint floats, GLsizei stride, uintptr_t offset);

/* A texture of one level, nearest texels, clamped. */
GLuint texture(GLenum format, GLsizei width, GLsizei height);
void bind_texture(GLuint unit, GLuint texture);
/* 512 x 512 texels of noise, repeated, with mipmaps; red: height, the rest: a colour of stone. */
GLuint noise_texture(void);
/* A picture of WIDTH x HEIGHT with large areas and fine lines. */
GLuint picture_texture(void);

/* 0 <= random number < 1, from a seed of one's own. */
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
/* A sphere of radius 1 with `rings` rings of 2 * rings quads. */
struct mesh make_sphere(int rings);

/* A triangle over the whole target, with the program in use. */
void draw_whole(void);

#endif
