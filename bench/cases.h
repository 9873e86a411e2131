/* Cases of `teslapipe bench units`: the speed of one part of the pipeline. A case prepares a
 * context and then draws again and again. The cases of one part form a table; a new table is listed
 * in bench/bench_cases.c.
 */
#pragma once

#include "teslapipe.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    BENCH_BUFFERS = 4,
    BENCH_PROGRAMS = TP_TESS_EVALUATION + 1,
    BENCH_TEXTURES = 8,
    BENCH_SIZE = 1024 /* width and height of the target */
};

/* The objects of one case, destroyed after the last draw(). Device, context and targets exist when
 * open() is called. */
struct bench {
    tp_device *device;
    tp_context *context;
    tp_texture *color, *zeta; /* RGBA8 and Z24S8, bound and cleared */
    tp_buffer *buffer[BENCH_BUFFERS];
    tp_program *program[BENCH_PROGRAMS]; /* by enum tp_stage */
    tp_program *other[2];                /* programs to alternate between */
    tp_texture *texture[BENCH_TEXTURES];
    const struct bench_case *self;
};

struct bench_case {
    const char *name;
    /* Sets state and buffers. Returns false with tp_message() set. */
    bool (*open)(struct bench *b);
    /* Queues a round of work. *count gets the number of its vertices, triangles ... */
    bool (*draw)(struct bench *b, double *count);
    const void *of; /* a parameter of open() and draw(); cases with equal functions differ in it */
};

struct bench_table {
    const char *name, *rate; /* "vertices", "M vertices/s" */
    const struct bench_case *cases;
    int count;
    enum tp_chip chip;
};

#define BENCH_TABLE(name, rate, cases, chip)                                                       \
    const struct bench_table bench_##name = {#name, rate, cases, sizeof cases / sizeof *cases, chip}
extern const struct bench_table bench_vertices, bench_triangles, bench_pixels, bench_draws,
    bench_patches, bench_accesses, bench_fermi;

bool bench_program(struct bench *b, enum tp_stage stage, const char *text);
/* Binds programs that pass on a position in a[0..3] and a colour in a[4..7]. */
bool bench_passes_color(struct bench *b);
/* Makes a buffer of b with `data`, or with zeros if data is NULL. */
bool bench_buffer(struct bench *b, int which, const void *data, uint64_t size);
/* Makes and binds buffer 0, whose vertices are `attributes` attributes of four floats. */
bool bench_floats(struct bench *b, const void *data, uint64_t size, unsigned attributes);
