/* The footprint of work: the memory that each piece of work reads and writes. An observer is told
 * the footprint when the work is queued, and answers how much of the work is to be drawn. In: calls
 * of the functions that prepare work. Out: calls of the observer. Must not know recordings.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tp_context;

/* Draws and clears may be left out. Copies and reports are always done. If a draw or clear that
 * makes the source of a copy was left out, the copy is wrong; the observer allows for that. */
enum work_kind { WORK_DRAW, WORK_CLEAR, WORK_COPY, WORK_OTHER };

enum work_extent {
    WORK_LEFT_OUT,
    WORK_SHARED, /* only the rows of tiles of one share are drawn */
    WORK_WHOLE,
};

enum touch_kind {
    TOUCH_READ,
    TOUCH_WRITE,   /* writes some bytes, or some bits of bytes: the old contents count, too */
    TOUCH_REPLACE, /* writes all bytes of the range; all texels of a surface */
    TOUCH_DECIDE,  /* a read of a value on which it depends which other memory is touched */
    TOUCH_DRAW,    /* no access: the work must be done even if nothing reads its targets */
};
enum { PLANE_DEPTH = 1, PLANE_STENCIL = 2, PLANES = 3 };

/* What the work uses the memory for; messages name the use. */
enum touch_use {
    USE_MEMORY, /* vertices, constants, copies, commands */
    USE_TARGET,
    USE_TEXTURE,
    USE_COUNTER,
    USE_PROGRAM, /* any memory */
};

struct touch {
    enum touch_kind kind;
    enum touch_use use;
    uint32_t planes; /* of a zeta surface: PLANE_* bits; of other memory: PLANES */
    uint64_t address, size;
    /* Of a surface: its layout as a number (footprint_shape()); 0: not a surface. Surfaces of equal
     * shape place equal pixels at equal addresses. A read with a shape reads only those pixels that
     * the same work writes. */
    uint64_t shape;
};

/* Addresses from here on stand for counters. Memory has lower addresses. */
#define FOOTPRINT_COUNTERS (UINT64_C(1) << 62)

struct work_observer {
    void *self;
    /* True: nothing is drawn and no program runs; only touches are reported. */
    bool dry;
    uint32_t share, shares; /* WORK_SHARED draws the rows of tiles y with y % shares == share */
    /* Called when work of this kind begins. The answer is used for draws and clears alone. */
    enum work_extent (*begin)(void *self, enum work_kind kind);
    void (*touch)(void *self, const struct touch *touch); /* NULL: touches are not wanted */
};

/* Touches until work_end() belong to this work; touches outside of such a pair of calls belong to
 * WORK_OTHER. */
enum work_extent work_begin(struct tp_context *c, enum work_kind kind);
void work_end(struct tp_context *c);
/* True if the observer is dry: nothing is to be drawn and no program is to run. */
bool work_is_dry(const struct tp_context *c);

/* Reports a read or write of a range. */
void work_touch(struct tp_context *c, enum touch_kind kind, enum touch_use use, uint64_t address,
                uint64_t size);
/* The number of a surface's layout (touch.shape). */
struct surface;
uint64_t footprint_shape(const struct surface *s, uint8_t samples);
/* Reports a read or write of a surface of `size` bytes. */
void work_surface(struct tp_context *c, enum touch_kind kind, const struct surface *s,
                  uint64_t address, uint64_t size);
/* Reports a read or write of `count` counters from `first` on (enum counter). */
void work_counts(struct tp_context *c, enum touch_kind kind, uint32_t first, uint32_t count);
/* Reports that programs may read any memory and, if `writes`, write any memory. */
void work_touches_all(struct tp_context *c, bool writes);
/* Reports the touches of a prepared draw: its targets and counters. */
void work_draws(struct tp_context *c);
/* Reports the touches of a clear of layer_count layers. The targets are prepared. */
struct raster_clear;
void work_clears(struct tp_context *c, const struct raster_clear *clear, uint32_t first_layer,
                 uint32_t layer_count);
