/* The texture port: a warp's request, answered by the texture unit. In: slots and coordinates. Out:
 * texels. The only place where shader/ and tex/ meet. Must not know formats or coordinates.
 */
#include "pipeline/draw.h"

_Static_assert((int)TEX_AUTO == (int)TEX_OP_AUTO && (int)TEX_GATHER == (int)TEX_OP_GATHER,
               "the port's kinds are numbered as the unit's");

static const struct tex_view no_view;
static const struct tex_sampler no_sampler = {.mip = 1, .max_lod = 15, .max_anisotropy = 1};

void tex_unit_sample(void *self, const struct tex_request *r) {
    static void (*const sample[])(const struct tex_view *, const struct tex_sampler *,
                                  const struct tex_args *) = SIMD_TABLE(tex_sample);
    const struct tex_unit *unit = self;
    const unsigned s = unit->linked ? r->tic : r->tsc;
    const struct tex_view *view = r->tic < STATE_TEXTURES ? unit->view[r->tic] : NULL;
    const struct tex_sampler *sampler = s < STATE_TEXTURES ? unit->sampler[s] : NULL;
    const struct tex_args args = {
        .op = r->kind,
        .source_count = r->source_count,
        .result_mask = r->result_mask,
        .cube = r->cube,
        .deriv = r->deriv,
        .fake_infinite = r->fake_infinite,
        .seamless = unit->seamless,
        .offset = {r->offset[0], r->offset[1], r->offset[2]},
        .lanes = r->lanes,
        .src = r->src,
        .result = r->result,
    };
    sample[unit->simd](view ? view : &no_view, sampler ? sampler : &no_sampler, &args);
}
