/* Executes a texture instruction on a copy of a warp, with other textures in place of the
 * program's. In: a warp before the instruction. Out: the lanes in which some result is not 0. For
 * observers; the warp does not change. Must not know the textures.
 */
#pragma once

#include "shader/warp.h"

/* texture(): the texture to use in place of a slot's; NULL: samples of that slot are 0. */
struct other_textures {
    void *self;
    const struct tex_binding *(*texture)(void *self, const struct tex_binding *binding,
                                         uint32_t slot);
};

/* Tries the instruction at w->pc. *copy: memory for a warp; if *copy is NULL, the function
 * allocates the memory, and the caller frees it. False when out of memory. */
bool sample_trial(const struct warp *w, const struct warp_env *env, const struct op *op,
                  lane_mask m, const struct other_textures *other, struct warp **copy,
                  lane_mask *not_zero);
/* True for texture instructions that filter or gather texels. */
bool op_samples_texels(const struct op *op);
