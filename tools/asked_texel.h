/* The texel that `why` explains: a pixel of a target, of an image of the last draw or launch, or of
 * a texture of the last draw. In: contexts, after each draw and before each launch. Out: the
 * texel's address in GPU memory and its layout. */
#pragma once

#include "pipeline/context.h"

struct asked_texel {
    enum asked_kind { ASKED_TARGET, ASKED_ZETA, ASKED_IMAGE, ASKED_TEXTURE, ASKED_KINDS } kind;
    unsigned slot;
    /* results: of the last draw or launch that had the target, image or texture */
    uint64_t address; /* 0: no such draw or launch */
    struct surface surface;
    uint32_t samples, width, height; /* in pixels */
};

/* "target", "image" ... */
const char *asked_name(const struct asked_texel *a);
/* Looks for the texel in the context's state, after a draw or before a launch. */
void asked_note(struct asked_texel *a, tp_context *c, bool launch);
