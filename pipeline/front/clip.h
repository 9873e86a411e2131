/* Clip planes, for viewport.c (outcodes) and clip.c: numbered as the bits of the outcode, in the
 * order of clipping. The guard band comes before w > 0: primitives inside it have w > 0 already
 * (except at the eye), so that no new vertex lies at infinity, where values that are linear on the
 * screen are undefined.
 */
#ifndef PIPELINE_CLIP_H
#define PIPELINE_CLIP_H

#include "pipeline/front/front.h"

enum clip_plane {
    CLIP_NEAR,
    CLIP_FAR,
    CLIP_GUARD /* x, x, y, y */,
    CLIP_W = 6,
    CLIP_USER = 7,
    CLIP_PLANES = CLIP_USER + STATE_CLIP_PLANES
};

#define CLIP_MIN_W 0x1p-40f      /* least w: positive, and 1/w stays finite */
#define CLIP_GUARD_BAND 32768.0f /* greatest window coordinate; setup accepts twice that */

/* Signed distance of a vertex from a clip plane, times a positive factor; inside is >= 0. */
float clip_distance(const struct draw *d, unsigned plane, const uint32_t *slot);

#endif
