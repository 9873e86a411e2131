/* Overlays: a number for every pixel of a picture, gathered while the picture is drawn. */
#ifndef TOOLS_HEAT_H
#define TOOLS_HEAT_H

#include "pipeline/context.h"
#include "pipeline/debug/watch.h"

enum heat_kind {
    HEAT_NONE,
    HEAT_OVERDRAW,
    HEAT_OCCUPANCY,
    HEAT_DIVERGENCE,
    HEAT_MIP,
    HEAT_ZETA,
    HEAT_TILES,
    HEAT_KINDS
};

struct heat {
    enum heat_kind kind;
    uint32_t width, height;
    float *value; /* [width * height]; below 0: nothing there */
    float most;   /* the scale's end: the greatest value, or what is the most there can be */
    struct warp_observer observer;
    struct pixel_watch watch;
};

/* A map of this size; false when out of memory. */
bool heat_begin(struct heat *h, enum heat_kind kind, uint32_t width, uint32_t height);
/* What this context draws is counted, until heat_detach, which draws what is queued. */
void heat_attach(struct heat *h, tp_context *c);
void heat_detach(struct heat *h, tp_context *c);
/* Tints rows of RGBA8 of the same size, grey where there is nothing, from blue to red. */
void heat_paint(struct heat *h, uint8_t *rgba);
/* "overdraw: fragments a pixel, 0 to 7" */
void heat_legend(const struct heat *h, char *text, size_t size);
void heat_free(struct heat *h);

#endif
