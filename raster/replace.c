/* Which draws hide what was drawn before them, and which may be hidden. In: a draw's state. Out:
 * both answers, no when in doubt. Knows no primitives and no tiles' contents.
 */
#include "raster/gl_enums.h"
#include "raster/plan.h"

static bool writes_zeta(const struct raster_state *s) {
    const struct zeta_state *z = &s->zeta;
    return s->targets->zeta.format != FORMAT_NONE &&
           ((z->depth_test && z->depth_write) || z->stencil_test);
}

static bool tests_zeta(const struct raster_state *s) {
    const struct zeta_state *z = &s->zeta;
    return s->targets->zeta.format != FORMAT_NONE &&
           ((z->depth_test && z->depth_func != FUNC_ALWAYS) || z->stencil_test || z->bounds_test);
}

/* Fragments the primitive covers may be left out. */
static bool leaves_out(const struct raster_state *s) {
    const struct color_state *c = &s->color;
    const uint32_t samples = (1u << s->targets->samples) - 1;
    return s->uses_kill || s->exports_sample_mask || s->rect_mode || s->polygon_stipple ||
           s->line_smooth || s->point_smooth || s->polygon_smooth ||
           (c->alpha_test && c->alpha_func != FUNC_ALWAYS) || c->alpha_to_coverage ||
           (s->targets->samples > 1 && (s->sample_mask & samples) != samples);
}

static bool replaces_texels(const struct raster_state *s, uint32_t target) {
    struct crop_key k;
    crop_key_init(&k, s->targets->color[target].format, &s->color, target);
    return !k.reads_target && !(s->color.logic_op_enable && s->color.logic_op == LOGIC_NOOP);
}

uint32_t replace_bits(const struct raster_state *s) {
    if (!s->fp.program || s->fp.observer || s->count_samples || !s->fp.program->facts.harmless)
        return 0;
    const uint32_t replaceable = writes_zeta(s) ? 0 : RASTER_REPLACEABLE;
    if (tests_zeta(s) || leaves_out(s))
        return replaceable;
    for (uint32_t i = 0; i < s->targets->color_count; i++)
        if (s->targets->color[i].format != FORMAT_NONE && !replaces_texels(s, i))
            return replaceable;
    return replaceable | RASTER_REPLACES;
}
