/* Overlays: a number for every pixel of a picture, gathered while the picture is drawn. */
#pragma once

#include "pipeline/context.h"
#include "pipeline/debug/watch.h"

#include <pthread.h>

enum heat_kind {
    HEAT_NONE,
    HEAT_OVERDRAW,
    HEAT_OCCUPANCY,
    HEAT_DIVERGENCE,
    HEAT_MIP,
    HEAT_ZETA,
    HEAT_TILES,
    HEAT_PATCHES,
    HEAT_KINDS
};

struct heat {
    enum heat_kind kind;
    uint32_t width, height; /* in samples; the samples of a pixel lie side by side, as in memory */
    uint32_t samples;       /* samples of a pixel, and log2 of their number in x and y */
    uint32_t shift_x, shift_y;
    float *value; /* [width * height]; below 0: no value */
    /* the end of the scale: the greatest value of the map, or the greatest possible value */
    float most;
    /* Patches: a primitive's name n means element n - 1 of `patch`; name[] has the name at each
     * sample, 0: none. */
    pthread_mutex_t lock;
    struct heat_patch {
        uint64_t draw;
        uint32_t patch;
        float level; /* the greatest level of the patch */
    } *patch;
    size_t patches, patch_capacity;
    uint32_t *name; /* [width * height] */
    struct warp_observer observer;
    const struct warp_observer
        *next; /* the context's own observer, which is called at starts and ends, too */
    struct pixel_watch watch;
};

/* Makes a map of this size in samples (samples 0: one for each pixel). Returns false when out of
 * memory. All samples of a pixel get the pixel's value, except those of patches: a patch has the
 * samples that its primitives cover. */
bool heat_begin(struct heat *h, enum heat_kind kind, uint32_t width, uint32_t height,
                uint32_t samples);
/* Counts all draws of this context until heat_detach, which first draws queued work. */
void heat_attach(struct heat *h, tp_context *c);
void heat_detach(struct heat *h, tp_context *c);
/* Tints rows of RGBA8 of the same size from blue to red; grey without a value. Patches have white
 * outlines, and the primitives in them dark ones. */
void heat_paint(struct heat *h, uint8_t *rgba);
/* Writes a legend like "overdraw: fragments shaded at a pixel, blue 0 to red 7". */
void heat_legend(const struct heat *h, char *text, size_t size);
void heat_free(struct heat *h);
