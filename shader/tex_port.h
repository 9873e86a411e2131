/* The port through which a warp reaches the texture unit. shader/ fills a request and calls the
 * function it was given; pipeline/ implements it with tex/. Neither room knows the other.
 */
#ifndef SHADER_TEX_PORT_H
#define SHADER_TEX_PORT_H

#include "base/lanes.h"

#include <stdbool.h>

enum tex_kind { TEX_AUTO, TEX_FETCH, TEX_BIAS, TEX_LOD, TEX_SIZE, TEX_PREP, TEX_QUERYLOD, TEX_CSAA,
                TEX_GATHER };

struct tex_request {
    uint8_t kind;          /* enum tex_kind */
    uint8_t tic, tsc;      /* $t and $s of the instruction */
    uint8_t source_count;  /* vectors in src that are valid */
    uint8_t result_mask;   /* components wanted */
    bool cube;
    bool deriv;            /* LOD from the quads' coordinates (always set for FP texauto/texbias) */
    bool fake_infinite;    /* deriv is false and the fake derivative is infinite instead of 0 */
    int8_t offset[3];      /* texels */
    lane_mask lanes;       /* lanes that want a result; all 32 lanes of src may be read (quads) */
    const u32x32 *src[4];  /* coordinates, array index, depth reference, bias/lod in ISA order */
    u32x32 *result[4];     /* one vector per component x y z w; written in all lanes or only in lanes */
};

struct tex_port {
    void *self;
    void (*sample)(void *self, const struct tex_request *request);
};

#endif
