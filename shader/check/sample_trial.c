/* Executes a texture instruction on trial. In: a warp, and other textures. Out: the lanes in which
 * a result is not 0. An instruction with a handle in a register may name any of the program's
 * textures, so all textures of the program are replaced for this instruction.
 */
#include "shader/check/sample_trial.h"

#include "shader/registers.h"
#include "shader/stack.h"

enum { TRIAL_SLOTS = 128 };

/* Finds the textures to use in place of the program's, by slot. False if there is none. */
static bool find_others(const struct warp_env *env, const struct op *op,
                        const struct other_textures *other,
                        const struct tex_binding *tex[TRIAL_SLOTS]) {
    const bool handle = op->code == OP_TEX && op->ftex.indirect;
    const uint32_t first = handle ? 0 : op->tex.slot;
    const uint32_t end = handle ? env->program->tex_slot_count : first + 1;
    bool found = false;
    for (uint32_t i = first; i < end && i < TRIAL_SLOTS; i++) {
        tex[i] = other->texture(other->self, env->tex[i], i);
        found |= tex[i] != NULL;
    }
    return found;
}

bool sample_trial(const struct warp *w, const struct warp_env *env, const struct op *op,
                  lane_mask m, const struct other_textures *other, struct warp **copy,
                  lane_mask *not_zero) {
    const struct tex_binding *tex[TRIAL_SLOTS] = {NULL};
    struct warp_env changed = *env;
    const struct linked_op *l = flow_fetch(env, w->pc);
    *not_zero = 0;
    if (!env->tex || !find_others(env, op, other, tex))
        return true;
    if (!*copy && !(*copy = aligned_alloc(_Alignof(struct warp), sizeof **copy)))
        return false;
    memcpy(*copy, w, sizeof *w);
    changed.tex = tex;
    changed.observer = NULL;
    l->fn[env->simd](*copy, &changed, l, m);
    for (int i = 0; i < __builtin_popcount(op->tex.call.result_mask & 15); i++) {
        const u32x32 v = (*copy)->r[source_row(env, op->tex.base + (uint32_t)i)];
        *not_zero |= lanes_to_mask((u32x32)(v != lanes_splat(0))) & m;
    }
    return true;
}

bool op_samples_texels(const struct op *op) {
    switch (op->code) {
    case OP_TEXAUTO:
    case OP_TEXBIAS:
    case OP_TEXLOD:
    case OP_TEXGATHER:
        return true;
    default:
        return op->code == OP_TEX &&
               (op->sub == FTEX_SAMPLE || op->sub == FTEX_GATHER || op->sub == FTEX_GRAD);
    }
}
