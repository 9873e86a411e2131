/* The surface with the texel that `why` explains: a target of the last draw, or the last draw's or
 * launch's image or texture. In: contexts, after each draw and before each launch. Out: the
 * surface's address in GPU memory and its layout. */
#pragma once

#include "pipeline/context.h"

struct asked_texel {
    enum asked_kind { ASKED_TARGET, ASKED_ZETA, ASKED_IMAGE, ASKED_TEXTURE, ASKED_KINDS } kind;
    unsigned slot;
    /* results; for an image or texture, those of the last draw or launch with one in the slot */
    uint64_t address; /* 0: no such surface was found */
    struct surface surface;
    uint32_t samples, width, height; /* samples of a pixel; size in pixels */
};

/* Returns "target", "image" ... */
const char *asked_name(const struct asked_texel *a);
/* Looks for the surface in the context's state, after a draw or before a launch. */
void asked_note(struct asked_texel *a, tp_context *c, bool launch);
