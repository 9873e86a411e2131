/* Clip planes, for vertex_simd.c (outcodes), vertex.c (distances) and clip.c: numbered as the bits
 * of the outcode, in the order of clipping. The guard band comes before w > 0: a primitive inside
 * the guard band has w > 0 already, except at the eye. So clipping makes no new vertex at infinity,
 * where values that are linear on the screen are undefined.
 */
#pragma once

#include "pipeline/front/front_private.h"

#include <math.h>

enum clip_plane {
    CLIP_NEAR,
    CLIP_FAR,
    CLIP_GUARD, /* four planes: the band's least x, greatest x, least y, greatest y */
    CLIP_W = 6,
    CLIP_USER = 7,
    CLIP_PLANES = CLIP_USER + STATE_CLIP_PLANES
};

#define CLIP_MIN_W 0x1p-40f      /* least w, so that 1/w stays finite */
#define CLIP_POINT_SIZE 64.0f    /* pixels: greater point sizes count as this size */
#define CLIP_GUARD_BAND 32768.0f /* greatest window coordinate, pixels; set-up accepts twice that */

/* True if a point is drawn: its centre lies between the sides of the view, or its square reaches
 * the centre of a pixel of the view. Points are not cut at the sides of the view. A point larger
 * than the greatest size that drivers announce counts as one of that size
 * (docs/hardware-differences.md). */
static inline bool point_reaches_view(const struct draw *d, uint32_t viewport, float size, float x,
                                      float y, float w) {
    const float *scale = d->view->scale[viewport & (STATE_VIEWPORTS - 1)];
    const float counts = size < CLIP_POINT_SIZE ? size : CLIP_POINT_SIZE;
    const float beyond = size > 1 ? (counts - 1) / 2 : 0;
    const float from[2] = {fabsf(x), fabsf(y)};
    for (int i = 0; i < 2; i++)
        if (!(from[i] <= w || from[i] * fabsf(scale[i]) <= (fabsf(scale[i]) + beyond) * w))
            return false;
    return true;
}

/* The signed distance of a vertex from a clip plane, times a positive factor. >= 0 is inside. */
float clip_distance(const struct draw *d, unsigned plane, const uint32_t *slot);
