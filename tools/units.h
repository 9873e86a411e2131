/* Rows of `teslapipe bench units`: what one part of the pipeline does in a second. A row prepares a
 * context and then draws over and over; a group is a table of rows. To add rows, write a group and list
 * it in tools/bench_units.c.
 */
#ifndef TOOLS_UNITS_H
#define TOOLS_UNITS_H

#include "teslapipe.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    UNIT_BUFFERS = 4,
    UNIT_PROGRAMS = 3,
    UNIT_TEXTURES = 8,
    UNIT_SIZE = 1024 /* of the target, both ways */
};

/* What a row may use; made before it is opened, and taken down with all it holds after it. */
struct unit {
    tp_device *device;
    tp_context *context;
    tp_texture *color, *zeta; /* RGBA8 and Z24S8, bound and cleared */
    tp_buffer *buffer[UNIT_BUFFERS];
    tp_program *program[UNIT_PROGRAMS]; /* by enum tp_stage */
    tp_program *other[2];               /* to take turns with */
    tp_texture *texture[UNIT_TEXTURES];
    int number; /* the row's own */
};

struct unit_row {
    const char *name;
    /* False with tp_message() set: state and buffers for number. */
    bool (*open)(struct unit *u, int number);
    /* Queues one round of work, and says how many millionths of the group's unit it is. */
    bool (*draw)(struct unit *u, double *count);
    int number;
};

struct unit_group {
    const char *name, *unit; /* "vertices", "M vertices/s" */
    const struct unit_row *rows;
    int count;
};

extern const struct unit_group unit_vertices, unit_triangles, unit_pixels, unit_draws;

/* A program from text, bound, owned by u. */
bool unit_program(struct unit *u, enum tp_stage stage, const char *text);
/* Programs that pass position, a[0..3], and colour, a[4..7], on. */
bool unit_passes_color(struct unit *u);
/* A buffer of these bytes, owned by u. */
bool unit_buffer(struct unit *u, int which, const void *data, uint64_t size);

#endif
