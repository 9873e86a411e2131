/* Clip planes, shared by viewport.c (outcodes) and clip.c: numbered as the outcode's bits, in the
 * order of clipping. The guard band comes before w > 0: what it leaves has w > 0 already (save the
 * eye itself), so that no new vertex lies at infinity, where values that are linear on the screen
 * have none. */
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

#define CLIP_MIN_W 0x1p-40f      /* w at least: positive, and 1/w stays finite */
#define CLIP_GUARD_BAND 32768.0f /* window coordinates stay within; setup takes twice that */

/* Signed distance (times something positive) of a vertex from a plane; inside is >= 0. */
float clip_distance(const struct draw *d, unsigned plane, const uint32_t *slot);

#endif
