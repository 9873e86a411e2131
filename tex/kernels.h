/* The functions that execute texture instructions, for the files of tex/: instances of the sampler,
 * the other operations, and the functions that make keys.
 */
#pragma once

#include "tex/tex.h"

/* kernels_simd.c: returns the kernel for a key (moved: for calls with texel offsets); executes
 * calls that differ from the key. */
SIMD_DECLARE(tex_kernel *, kernel_find, (const struct tex_key *key, bool moved));
SIMD_DECLARE(void, kernel_unusual,
             (const struct tex_binding *, const struct tex_call *, u32x32 *, lane_mask));

/* backs_simd.c: finds the back of a kernel for a key. */
SIMD_DECLARE(void, back_find, (const struct tex_key *key, struct tex_back *back));

/* ops_simd.c: return the kernels of texfetch and texgather; kernels of other texture operations. */
SIMD_DECLARE(tex_kernel *, fetch_find, (const struct tex_bound *bound));
SIMD_DECLARE(tex_kernel *, gather_find, (const struct tex_bound *bound));
#define TEX_OTHER_KERNELS(X)                                                                       \
    X(kernel_querylod)                                                                             \
    X(kernel_size) X(kernel_type) X(kernel_prep) X(kernel_fetch_sample) X(kernel_nothing)
#define X(name)                                                                                    \
    SIMD_DECLARE(void, name,                                                                       \
                 (const struct tex_binding *, const struct tex_call *, u32x32 *, lane_mask));
TEX_OTHER_KERNELS(X)
#undef X

/* bind.c: the key for a call: the key of the binding with the facts that only the call has. */
struct tex_key tex_key_of_call(const struct tex_bound *bound, const struct tex_call *call);
/* bind.c: a key for texgather: footprints are linear, texels are not summed. */
struct tex_key tex_key_gather(struct tex_key key);
/* bind.c: the key without filter and comparison. cube: coordinates are a direction. */
struct tex_key tex_key_plain(const struct tex_bound *bound, bool cube);
