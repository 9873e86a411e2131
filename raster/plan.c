/* Makes a draw's plan: the decisions that hold in every tile. They are the place of the zeta test,
 * the colour targets that are written, their kernels, and whether the draw hides earlier draws. In:
 * the draw's raster_state. Out: its draw_plan, made once and immutable. Only this file chooses
 * between early and late zeta test. Must not know tiles' contents.
 */
#include "raster/plan.h"

#include "base/host_nan.h"
#include "raster/blend.h"
#include "raster/functions.h"
#include "raster/tile.h" /* the kernels' selectors */

#include <math.h>
#include <string.h>

enum pixel_format renderable_format(const struct surface *s, bool zeta) {
    const struct format_info *f = format_info(s->format);
    const bool fits = s->data && !f->compressed && s->format != FORMAT_RGB9E5_FLOAT &&
                      f->zeta == zeta && !(f->bytes & (f->bytes - 1)) && f->bytes <= 16 &&
                      s->tile_h <= 5 && s->tile_d <= 5;
    return fits ? s->format : FORMAT_NONE;
}

uint8_t targets_samples(const struct raster_targets *t) {
    return t->samples == 2 || t->samples == 4 || t->samples == 8 ? t->samples : 1;
}

void crop_write_bits(enum pixel_format f, uint32_t mask, uint32_t bits[MAX_WORDS]) {
    const struct format_info *info = format_info(f);
    memset(bits, 0, MAX_WORDS * sizeof(bits[0]));
    for (int i = 0; i < 4; i++) {
        if (mask >> i & 1 && info->bits[i])
            bits[info->shift[i] / 32] |= (uint32_t)((UINT64_C(1) << info->bits[i]) - 1)
                                         << (info->shift[i] % 32);
    }
}

void crop_key_init(struct crop_key *k, enum pixel_format f, const struct color_state *c,
                   uint32_t target) {
    const struct format_info *info = format_info(f);
    const bool integer = info->type == COMPONENT_SINT || info->type == COMPONENT_UINT;
    uint32_t all[MAX_WORDS];
    memset(k, 0, sizeof(*k));
    k->format = f;
    k->words = (uint8_t)((info->bytes + 3) / 4);
    k->eq = c->blend[target];
    /* A logic operation replaces blending; it does not apply to floats and sRGB (OpenGL 4.1.10). */
    k->logic_op = c->logic_op_enable && c->logic_op != LOGIC_OP_COPY && !info->srgb &&
                  info->type != COMPONENT_FLOAT;
    k->op = c->logic_op;
    k->blend = k->eq.enable && !c->logic_op_enable && !integer;
    k->dual_source = k->blend && target == 0 && blend_second_source(&k->eq);
    crop_write_bits(f, c->mask[target], k->write_bits);
    crop_write_bits(f, 15, all);
    k->write_all = memcmp(all, k->write_bits, sizeof(all)) == 0;
    k->reads_target = k->blend || k->logic_op || !k->write_all;
    k->clamps = info->type == COMPONENT_UNORM || info->type == COMPONENT_SNORM;
    k->clamp_low = info->type == COMPONENT_SNORM ? -1.0f : 0.0f;
    k->clamp_high = 1.0f;
    k->gathers_slowly = simd_gathers_slowly();
    for (int i = 0; i < 4; i++) {
        const float v = c->blend_color[i];
        const float low = v > k->clamp_low ? v : k->clamp_low;
        k->constant[i] = !k->clamps ? v : low < k->clamp_high ? low : k->clamp_high;
        k->bits[i] = info->bits[i];
        k->shift[i] = info->shift[i];
        const bool sign = info->type == COMPONENT_SNORM && info->bits[i];
        k->scale[i] = (float)((UINT64_C(1) << (info->bits[i] - sign)) - 1);
        k->inverse[i] = info->bits[i] ? 1.0f / k->scale[i] : 0;
    }
}

/* Sets the range of depths in each viewport. The range is 0 to 1, or, if depths are clamped instead
 * of clipped, the part of the viewport's range within 0 to 1. */
static void plan_depth_ranges(struct draw_plan *p, const struct raster_state *s) {
    for (uint32_t i = 0; i < 16; i++) {
        const double n = s->view[i].depth.near, f = s->view[i].depth.far;
        const double low = s->limits.depth_clamp ? fmin(fmax(fmin(n, f), 0), 1) : 0;
        const double high = s->limits.depth_clamp ? fmin(fmax(fmax(n, f), 0), 1) : 1;
        p->z_range[i].low = low * p->z_scale + p->z_half;
        p->z_range[i].high = high * p->z_scale + p->z_half;
    }
}

/* The depth word of z, clamped to 0 to 1 (NaN: 0). */
static uint32_t depth_word(const struct draw_plan *p, float z) {
    const float number = number_or(z, 0), low = number > 0 ? number : 0;
    const float clamped = low < 1 ? low : 1;
    uint32_t word;
    memcpy(&word, &clamped, 4);
    return p->zkey.is_float ? word : (uint32_t)(clamped * p->z_scale + p->z_half);
}

static bool writes_stencil(const struct zeta_state *z) {
    bool writes = false;
    for (int i = 0; i < (z->two_sided ? 2 : 1); i++) {
        const struct stencil_face *f = &z->face[i];
        writes |= f->write_mask &&
                  (f->fail != STENCIL_KEEP || f->zfail != STENCIL_KEEP || f->zpass != STENCIL_KEEP);
    }
    return writes;
}

static void plan_zeta(struct draw_plan *p, const struct zeta_state *z, enum pixel_format f) {
    const struct format_info *info = format_info(f);
    p->zkey = (struct zrop_key){
        .state = *z, .is_float = info->type == COMPONENT_FLOAT, .has_stencil = info->bits[1] != 0};
    p->z_scale = p->zkey.is_float ? 1 : (double)((UINT64_C(1) << info->bits[0]) - 1);
    p->z_half = p->zkey.is_float ? 0 : 0.5;
    for (int i = 0; i < 2; i++)
        p->zkey.bounds_word[i] = depth_word(p, z->bounds[i]);
    const bool stencil = z->stencil_test && p->zkey.has_stencil;
    p->zeta_active = f != FORMAT_NONE && (z->depth_test || stencil || z->bounds_test);
    p->depth_writes = p->zeta_active && z->depth_test && z->depth_write;
    p->zeta_writes = p->depth_writes || (p->zeta_active && stencil && writes_stencil(z));
}

/* True if a fragment that the depth test would reject does not change the stencil value, whether it
 * passes or fails the stencil test.
 */
static bool is_stencil_kept(const struct zeta_state *z) {
    bool kept = true;
    for (int i = 0; i < (z->two_sided ? 2 : 1); i++) {
        const struct stencil_face *f = &z->face[i];
        kept &= !f->write_mask || (f->fail == STENCIL_KEEP && f->zfail == STENCIL_KEEP);
    }
    return kept;
}

/* Returns the HIDES_ flags of the depth test. A fragment that a flag describes fails now and later:
 * other fragments move stored depths away from its depth, or do not change them. */
static uint8_t hidden_by(const struct zeta_state *z, bool stencil) {
    if (!z->depth_test || (stencil && !is_stencil_kept(z)))
        return HIDES_NEVER;
    return z->depth_func == FUNC_LESS      ? HIDES_FAR | HIDES_SAME
           : z->depth_func == FUNC_LEQUAL  ? HIDES_FAR
           : z->depth_func == FUNC_GREATER ? HIDES_NEAR | HIDES_SAME
           : z->depth_func == FUNC_GEQUAL  ? HIDES_NEAR
           : z->depth_func == FUNC_EQUAL   ? HIDES_FAR | HIDES_NEAR
                                           : HIDES_NEVER;
}

SIMD_CHOICE(select_crop, crop_select);
SIMD_CHOICE(select_zrop, zrop_select);

/* Sets the result registers of the targets. With multiple results each target that the program
 * writes has the next four registers; otherwise all targets have the first four. */
static void plan_registers(struct draw_plan *p, const struct raster_state *s) {
    for (uint32_t i = 0; i < RASTER_TARGETS; i++)
        p->result[i] = s->multiple_results
                           ? (uint8_t)__builtin_popcount(~(uint32_t)s->unwritten & ((1u << i) - 1))
                           : 0;
}

/* Counts the registers that hold results. Registers beyond the program's allocation read 0. */
static void plan_results(struct draw_plan *p, const struct raster_state *s) {
    const bool dual = p->crop[0] && p->crop_key[0].dual_source;
    uint32_t color = 4;
    for (uint32_t i = 0; i < p->color_count; i++)
        color = color < 4u * p->result[i] + 4 ? 4u * p->result[i] + 4 : color;
    p->result_regs = dual && color < 8 ? 8 : color;
    if (s->result_regs > p->result_regs)
        p->result_regs = s->result_regs < WARP_REGS ? s->result_regs : WARP_REGS;
    p->allocated_regs = p->has_program ? s->program->header.reg_count : 0;
}

static void plan_color(struct draw_plan *p, const struct raster_state *s, enum simd_level simd) {
    for (uint32_t i = 0; i < s->targets->color_count && i < RASTER_TARGETS; i++) {
        const enum pixel_format format = renderable_format(&s->targets->color[i], false);
        if (!p->has_program || !(s->color.mask[i] & 15) || format == FORMAT_NONE ||
            (s->multiple_results && s->unwritten >> i & 1))
            continue;
        crop_key_init(&p->crop_key[i], format, &s->color, i);
        if (p->crop_key[i].logic_op && p->crop_key[i].op == LOGIC_OP_NOOP)
            continue;
        p->crop[i] = select_crop[simd](&p->crop_key[i]);
        p->color_count = i + 1;
    }
}

/* Turns the stipple's 32x32 pixels into masks of blocks. */
static void plan_stipple(struct draw_plan *p, const struct raster_state *s) {
    static const uint8_t lane_x[LANES] = LANES_X, lane_y[LANES] = LANES_Y;
    for (uint32_t block = 0; block < STIPPLE_BLOCKS; block++) {
        const uint32_t column = block % 4, row = block / 4 * BLOCK_H;
        lane_mask m = 0;
        for (uint32_t i = 0; i < LANES; i++)
            m |= (s->setup.stipple_pattern[row + lane_y[i]] >> (8 * column + 7 - lane_x[i]) & 1)
                 << i;
        p->stipple[block] = m;
    }
}

/* True if the steps before and after the program give the same bits whether or not the host flushes
 * denormals. Depths in double precision and normalized colours have no denormals, or lose them in
 * rounding. A float colour that is stored without arithmetic keeps its bits, or is converted to a
 * smaller float format, in which any denormal of 32 bits becomes 0. */
static bool are_denormals_alike(const struct draw_plan *p) {
    bool alike =
        p->has_program && !p->smooth && !p->alpha_test && !(p->zeta_active && p->zkey.is_float);
    for (uint32_t i = 0; i < p->color_count; i++) {
        const struct crop_key *k = &p->crop_key[i];
        const bool computes = k->blend || p->clamp >> p->result[i] & 1;
        alike &= !p->crop[i] || !computes || format_info(k->format)->type != COMPONENT_FLOAT;
    }
    return alike;
}

/* Plans the steps after the program: the outputs that must be clamped, and the instance of the
 * output code. Unsigned normalized targets clamp by themselves. */
static void plan_outputs(struct draw_plan *p, const struct raster_state *s) {
    const bool alpha = p->alpha_test || p->alpha_to_coverage;
    p->clamp = s->color.clamp & (alpha ? 1 : 0);
    for (uint32_t i = 0; i < p->color_count; i++) {
        const uint32_t from = s->multiple_results ? i : 0;
        if (p->crop[i] && format_info(p->crop_key[i].format)->type != COMPONENT_UNORM)
            p->clamp |= (uint8_t)((s->color.clamp >> from & 1) << p->result[i]);
    }
    const bool plain = p->samples == 1 && !p->alpha_to_coverage && !p->smooth && !p->alpha_to_one &&
                       !s->exports_z && !s->exports_sample_mask;
    const bool bare = !p->clamp && !p->alpha_test && !p->late && p->counts != COUNT_AFTER;
    p->output = !plain ? OUTPUT_ANY : bare ? OUTPUT_STRAIGHT : OUTPUT_PLAIN;
    p->centroid = p->has_program && (s->observed || s->program->facts.centroid);
    p->tells_samples = p->has_program && (s->observed || s->program->facts.samples);
    p->denormals_alike = are_denormals_alike(p);
}

/* Sets the positions of the samples relative to the pixel's centre, in 1/4096 pixel. */
static void plan_samples(struct draw_plan *p) {
    for (uint32_t i = 0; i < p->samples && p->multisample; i++) {
        const uint8_t *at = sample_position[p->sample_shift][i];
        p->sample_offset[i] = ((uint32_t)(at[0] - 8) * 256 & 0xffff) | (uint32_t)(at[1] - 8) * 256
                                                                           << 16;
    }
}

/* Finds work that can be saved. A uniform program runs once a tile. Flat planes are not rebased.
 * Primitives that fill the tile need no coverage. */
static void plan_uniform(struct draw_plan *p, const struct raster_state *s) {
    const uint32_t samples = (1u << p->samples) - 1;
    p->uniform = p->has_program && !s->observed && !p->smooth && !p->alpha_to_one &&
                 !s->exports_sample_mask && s->program->facts.uniform;
    p->flat = !s->observed;
    for (uint32_t i = 0; p->has_program && i < VARYING_WORDS / 32; i++)
        p->flat &= !s->program->facts.varying[i];
    p->whole_tile = p->uniform && p->shades && !p->zeta_active && !p->per_sample &&
                    !s->limits.rect_mode && !s->setup.polygon_stipple && !p->alpha_test &&
                    !p->alpha_to_coverage && (p->sample_mask & samples) == samples;
}

/* True if a step after the program reads stored values. Then a warp must not hold two quads that
 * cover the same sample. Otherwise a warp may hold them, and writes them in their order. */
static bool is_ordered(const struct draw_plan *p) {
    bool ordered = p->late;
    for (uint32_t i = 0; i < p->color_count; i++)
        ordered |= p->crop[i] && p->crop_key[i].reads_target;
    return ordered;
}

/* True if the draw only leaves the nearest (or the farthest) depth at each sample, so that its
 * primitives may be drawn in any order. Only with late zeta: if the nearest primitives are drawn
 * first, fewer warps run. */
static bool is_any_order(const struct draw_plan *p, const struct raster_state *s) {
    const struct zeta_state *z = &s->zeta;
    const bool one_side = p->hides & (HIDES_FAR | HIDES_NEAR) && z->depth_func != FUNC_EQUAL;
    const bool stencil = z->stencil_test && p->zkey.has_stencil;
    return p->late && p->depth_writes && one_side && !stencil && !z->bounds_test &&
           !p->color_count && !s->sample.count && p->infallible;
}

/* Chooses early or late zeta. Zeta is late in two cases. First, if the program replaces the depth
 * or writes memory (fragments that fail the test write memory, too). Second, if fragments may be
 * removed while the test writes depth or stencil. A program that asks for early tests always gets
 * them. */
static void plan_order(struct draw_plan *p, const struct raster_state *s, enum simd_level simd) {
    const bool removes = p->has_program && (s->uses_kill || p->alpha_test || p->alpha_to_coverage ||
                                            s->exports_sample_mask);
    const bool moves = p->has_program && s->exports_z;
    const bool stores = p->has_program && s->program->header.writes_memory;
    const bool waits = moves || stores || (removes && p->zeta_writes);
    const bool stencil = s->zeta.stencil_test && p->zkey.has_stencil;
    p->early = p->zeta_active && (s->early_tests || !waits);
    p->late = p->zeta_active && !p->early;
    p->keeps_depth = p->late && !moves;
    p->shades = p->has_program && (p->color_count || removes || moves || stores);
    p->ordered = is_ordered(p);
    p->counts = !s->sample.count               ? COUNT_NOTHING
                : s->early_tests || !p->shades ? COUNT_BEFORE
                                               : COUNT_AFTER;
    if (!p->zeta_active)
        return;
    p->zrop = select_zrop[simd](&p->zkey);
    p->two_sided = stencil && s->zeta.two_sided && p->late;
    p->hides = p->late && (moves || stores) ? HIDES_NEVER : hidden_by(&s->zeta, stencil);
    p->any_order = is_any_order(p, s);
    p->rejects = p->late && p->hides != HIDES_NEVER;
}

static void plan_cover(struct draw_plan *p, const struct raster_state *s) {
    const struct zeta_state *z = &s->zeta;
    const bool centre_only = p->samples > 1 && !p->multisample;
    p->cover = p->smooth || s->limits.rect_mode || s->setup.polygon_stipple || centre_only
                   ? COVER_GENERAL
               : !p->zeta_active ? COVER_BARE
                                 : COVER_ZETA;
    p->depth_alone = z->depth_test && !z->bounds_test && !(z->stencil_test && p->zkey.has_stencil);
    p->before = (p->early && p->depth_alone) || p->rejects ? EARLY_DEPTH + z->depth_func
                : p->early                                 ? EARLY_ALL
                                                           : EARLY_NOTHING;
}

/* True if fragments that a primitive covers may be left out. */
static bool leaves_out(const struct draw_plan *p, const struct raster_state *s) {
    const struct zeta_state *z = &s->zeta;
    const uint32_t samples = (1u << p->samples) - 1;
    const bool tests =
        (z->depth_test && z->depth_func != FUNC_ALWAYS) || z->stencil_test || z->bounds_test;
    return (p->zeta_active && tests) || s->uses_kill || s->exports_sample_mask ||
           s->limits.rect_mode || s->setup.polygon_stipple || p->smooth || p->alpha_test ||
           s->color.alpha_to_coverage || (p->sample_mask & samples) != samples;
}

/* Returns the RASTER_REPLACES and RASTER_REPLACEABLE flags of the draw; a flag is set only if it
 * certainly holds. */
static uint8_t find_replaces(const struct draw_plan *p, const struct raster_state *s) {
    if (!p->has_program || s->observed || s->sample.count || !s->program->facts.harmless)
        return 0;
    const uint8_t replaceable = p->zeta_writes ? 0 : RASTER_REPLACEABLE;
    if (leaves_out(p, s))
        return replaceable;
    for (uint32_t i = 0; i < s->targets->color_count; i++)
        if (s->targets->color[i].format != FORMAT_NONE &&
            (!p->crop[i] || p->crop_key[i].reads_target))
            return replaceable;
    return replaceable | RASTER_REPLACES;
}

static bool is_smooth(const struct draw_plan *p, const struct setup_state *s) {
    const bool points = s->point_smooth && !s->point_sprite;
    return !p->multisample && (points || s->line_smooth || s->polygon_smooth);
}

void plan_init(struct draw_plan *p, const struct raster_state *s, enum simd_level simd) {
    memset(p, 0, sizeof(*p));
    p->state = s;
    p->samples = targets_samples(s->targets);
    p->sample_shift = (uint8_t)__builtin_ctz(p->samples);
    p->has_program = s->program != NULL;
    p->infallible = !p->has_program || (s->program->facts.infallible && !s->observed);
    p->multisample = s->sample.multisample && p->samples > 1;
    p->sample_mask = p->multisample ? s->sample.mask : UINT32_MAX;
    p->per_sample = p->multisample && s->sample.shading;
    p->alpha_test = s->color.alpha_test && s->color.alpha_func != FUNC_ALWAYS;
    p->alpha_to_coverage = p->multisample && s->color.alpha_to_coverage;
    p->alpha_to_one = p->multisample && s->color.alpha_to_one;
    plan_samples(p);
    p->smooth = is_smooth(p, &s->setup);
    if (s->setup.polygon_stipple)
        plan_stipple(p, s);
    plan_zeta(p, &s->zeta, renderable_format(&s->targets->zeta, true));
    plan_registers(p, s);
    plan_color(p, s, simd);
    plan_results(p, s);
    plan_order(p, s, simd);
    plan_outputs(p, s);
    plan_uniform(p, s);
    plan_depth_ranges(p, s);
    plan_cover(p, s);
    p->replaces = find_replaces(p, s);
}

uint32_t raster_replaces(const struct draw_plan *plan) {
    return plan->replaces;
}
