/* The texel that `why` is asked for: a pixel of a target, of an image of the last draw or launch, or
 * of a texture of the last draw. In: contexts, after each draw and before each launch. Out: an
 * address in the GPU's memory, and its layout.
 */
#ifndef TOOLS_ASKED_TEXEL_H
#define TOOLS_ASKED_TEXEL_H

#include "pipeline/context.h"

struct asked_texel {
    enum asked_kind { ASKED_TARGET, ASKED_ZETA, ASKED_IMAGE, ASKED_TEXTURE, ASKED_KINDS } kind;
    unsigned slot;
    /* results of the last draw or launch that had one */
    uint64_t address; /* 0: there was none */
    struct surface surface;
    uint32_t samples, width, height; /* in pixels */
};

/* "target", "image" ... */
const char *asked_name(const struct asked_texel *a);
/* A draw is done, or a grid is about to run. */
void asked_note(struct asked_texel *a, tp_context *c, bool launch);

#endif
