/* Cases of `teslapipe bench units`: the speed of one part of the pipeline. A case prepares a
 * context and then draws again and again. The cases of one part form a table; a new table is listed
 * in bench/bench_cases.c.
 */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

#include "teslapipe.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    BENCH_BUFFERS = 4,
    BENCH_PROGRAMS = TP_TESS_EVALUATION + 1,
    BENCH_TEXTURES = 8,
    BENCH_SIZE = 1024 /* of the target, both ways */
};

/* The objects of one case. They exist before open() and are destroyed after the last draw(). */
struct bench {
    tp_device *device;
    tp_context *context;
    tp_texture *color, *zeta; /* RGBA8 and Z24S8, bound and cleared */
    tp_buffer *buffer[BENCH_BUFFERS];
    tp_program *program[BENCH_PROGRAMS]; /* by enum tp_stage */
    tp_program *other[2];                /* programs to alternate between */
    tp_texture *texture[BENCH_TEXTURES];
    int number; /* of struct bench_case */
};

struct bench_case {
    const char *name;
    /* Sets state and buffers for the case with this number. False with tp_message() set. */
    bool (*open)(struct bench *b, int number);
    /* Queues one round of work; *count gets the number of vertices, triangles ... in it. */
    bool (*draw)(struct bench *b, double *count);
    int number;
};

struct bench_table {
    const char *name, *rate; /* "vertices", "M vertices/s" */
    const struct bench_case *cases;
    int count;
    enum tp_chip chip;
};

extern const struct bench_table bench_vertices, bench_triangles, bench_pixels, bench_draws,
    bench_patches, bench_accesses, bench_fermi;

/* A program from text, bound, owned by b. */
bool bench_program(struct bench *b, enum tp_stage stage, const char *text);
/* Binds programs that pass on position, a[0..3], and colour, a[4..7]. */
bool bench_passes_color(struct bench *b);
/* A buffer of these bytes, owned by b. */
bool bench_buffer(struct bench *b, int which, const void *data, uint64_t size);

#endif
