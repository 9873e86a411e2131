/* Pairs a view with a sampler: which kernel answers which operation is decided here, once. In: what
 * descriptor.c decoded. Out: bindings that programs call. Knows no warps.
 */
#include "tex/unit.h"

static const struct tex_view no_view;
static const struct tex_sampler no_sampler = {.mip = 1, .max_lod = 15, .max_anisotropy = 1};

bool tex_bound_is(const struct tex_bound *bound, const struct tex_view *view,
                  const struct tex_sampler *sampler, uint32_t flags) {
    return bound->view == (view ? view : &no_view) &&
           bound->sampler == (sampler ? sampler : &no_sampler) && bound->flags == flags;
}

void tex_bind(struct tex_bound *bound, const struct tex_view *view,
              const struct tex_sampler *sampler, uint32_t flags, enum simd_level simd) {
    static tex_kernel *const any[SIMD_LEVELS] = SIMD_TABLE(tex_any);
    *bound = (struct tex_bound){.view = view ? view : &no_view,
                                .sampler = sampler ? sampler : &no_sampler,
                                .flags = flags};
    for (int op = 0; op < TEX_OPS; op++)
        bound->binding.kernel[op] = any[simd];
}
