/* The plan of a draw (raster/plan.c), rule by rule: when zeta is tested, which draws hide others,
 * how colours are written, which work is not done pixel by pixel, which draws replace others. Each
 * rule changes a plain state and checks the plan. Also: units of polygon offset, layers, the
 * largest points and lines, scissors across tiles. */
#include "tests/raster/fixture.h"

#include "raster/prim.h"

enum { SIZE = 256 };

/* begin() makes f a plain draw: RGBA8 and Z24S8, a program without discard and memory access. */
static struct fixture f;
static struct draw_plan plan;
#define S f.state
#define Z f.state.zeta
#define C f.state.color
static uint8_t memory;

static struct surface surface(enum pixel_format format) {
    return (struct surface){.data = &memory, .format = format};
}

static void begin(uint32_t samples) {
    fixture_init(&f, SIZE, SIZE, samples);
    f.targets.color_count = 1;
    f.targets.color[0] = surface(FORMAT_RGBA8_UNORM);
    f.targets.zeta = surface(FORMAT_Z24S8);
    f.program.facts.uniform = f.program.facts.harmless = f.program.facts.infallible = true;
    for (int i = 0; i < 2; i++)
        Z.face[i] = (struct stencil_face){FUNC_ALWAYS, STENCIL_KEEP, STENCIL_KEEP, STENCIL_KEEP,
                                          0,           0xff,         0xff};
}

static void colors(enum pixel_format format) {
    f.targets.color[0] = surface(format);
}

static void depth(uint16_t func, bool write) {
    Z.depth_test = true;
    Z.depth_write = write;
    Z.depth_func = func;
}

/* Sets a stencil test in which one face writes where the depth test fails. */
static void stencil(int face, bool two_sided) {
    Z.stencil_test = true;
    Z.two_sided = two_sided;
    Z.face[face].zfail = STENCIL_REPLACE;
}

static void logic(uint16_t op) {
    C.logic_op_enable = true;
    C.logic_op = op;
}

static void blend(uint16_t src, uint16_t dst) {
    for (int i = 0; i < RASTER_TARGETS; i++)
        C.blend[i] = (struct blend_target){true, EQUATION_ADD, src, dst, EQUATION_ADD, src, dst};
}

#define RULE(samples, change, holds)                                                               \
    do {                                                                                           \
        begin(samples);                                                                            \
        change;                                                                                    \
        plan_init(&plan, &f.state, simd_best());                                                   \
        if (!(holds))                                                                              \
            fail_msg("%d samples, %s: not %s", samples, #change, #holds);                          \
    } while (0)

/* Zeta is tested after the program if the program may change depths, or if it may discard fragments
 * and the test leaves a trace. */
TEST(test_order) {
    RULE(1, (void)0, !plan.zeta_active && !plan.early && !plan.late && !plan.depth_alone);
    RULE(1, (stencil(0, false), Z.depth_func = FUNC_LESS),
         plan.early && !plan.depth_alone && plan.before == EARLY_ALL);
    RULE(1, (Z.bounds_test = true, Z.depth_func = FUNC_LESS),
         plan.early && !plan.depth_alone && plan.before == EARLY_ALL);
    RULE(1, (depth(FUNC_LESS, true), Z.bounds_test = true),
         plan.early && !plan.depth_alone && plan.before == EARLY_ALL);
    RULE(1,
         (depth(FUNC_LESS, true), Z.stencil_test = true, f.targets.zeta.format = FORMAT_Z16_UNORM),
         plan.depth_alone && plan.before == EARLY_DEPTH + (FUNC_LESS & 7));
    RULE(1, depth(FUNC_LESS, true), plan.early && !plan.late && plan.depth_writes);
    RULE(1, (depth(FUNC_LESS, true), S.uses_kill = true), plan.late && !plan.early);
    RULE(1, (depth(FUNC_LESS, false), S.uses_kill = true), plan.early);
    RULE(1, (depth(FUNC_LESS, true), C.alpha_test = true, C.alpha_func = FUNC_LESS), plan.late);
    RULE(1, (depth(FUNC_LESS, true), C.alpha_test = true, C.alpha_func = FUNC_ALWAYS), plan.early);
    RULE(1, (depth(FUNC_LESS, true), C.alpha_to_coverage = true),
         plan.early && !plan.alpha_to_coverage);
    RULE(4, (depth(FUNC_LESS, true), C.alpha_to_coverage = true),
         plan.late && plan.alpha_to_coverage);
    RULE(4, (depth(FUNC_LESS, true), C.alpha_to_coverage = true, S.sample.multisample = false),
         plan.early);
    RULE(1, (depth(FUNC_LESS, true), S.exports_sample_mask = true), plan.late);
    RULE(1, (depth(FUNC_LESS, false), S.exports_sample_mask = true), plan.early);
    RULE(1, (depth(FUNC_LESS, false), S.exports_z = true), plan.late && !plan.rejects);
    RULE(1, (depth(FUNC_LESS, true), S.exports_z = S.uses_kill = true, S.program = NULL),
         plan.early);
    RULE(1, (Z.bounds_test = true, S.uses_kill = true), plan.early && !plan.depth_alone);
    RULE(1, (stencil(0, false), S.uses_kill = true),
         plan.late && plan.zeta_writes && !plan.depth_writes);
    RULE(1, (stencil(1, false), S.uses_kill = true), plan.early);
    RULE(1, (stencil(1, true), S.uses_kill = true), plan.late && plan.two_sided);
    RULE(1, (stencil(1, true), S.uses_kill = true, Z.face[1].write_mask = 0), plan.early);
    RULE(1, (stencil(0, false), S.uses_kill = true, f.targets.zeta.format = FORMAT_Z32_FLOAT),
         !plan.zeta_active);
    RULE(1, (depth(FUNC_LESS, true), f.targets.zeta.format = FORMAT_NONE), !plan.zeta_active);
    RULE(1, (Z.depth_write = true, Z.depth_func = FUNC_LESS),
         !plan.zeta_active && !plan.depth_writes);
    RULE(1, (depth(FUNC_LESS, true), Z.stencil_test = true),
         plan.depth_writes && !plan.depth_alone);
}

/* A program that writes memory runs for fragments that fail the test, unless the state forces early
 * tests. */
TEST(test_stores) {
#define STORES f.program.header.writes_memory = true
    RULE(1, (STORES, depth(FUNC_LESS, true)),
         plan.late && !plan.early && !plan.rejects && plan.hides == HIDES_NEVER);
    RULE(1, (STORES, depth(FUNC_LESS, false)), plan.late && !plan.rejects);
    RULE(1, (STORES, depth(FUNC_LESS, true), S.early_tests = true), plan.early && plan.hides);
    RULE(1, (STORES, depth(FUNC_LESS, true), S.early_tests = S.uses_kill = S.exports_z = true),
         plan.early && !plan.late);
    RULE(1, (STORES, f.targets.color_count = 0), plan.shades && !plan.color_count);
    RULE(1, (depth(FUNC_LESS, true), S.early_tests = true), plan.early);
    RULE(1, f.targets.color_count = 0, !plan.shades);
    RULE(1, (STORES, depth(FUNC_LESS, true)), plan.counts == COUNT_NOTHING);
    RULE(1, (STORES, S.sample.count = true), plan.counts == COUNT_AFTER);
    RULE(1, (STORES, S.sample.count = S.early_tests = true), plan.counts == COUNT_BEFORE);
    RULE(1, (S.sample.count = true, f.targets.color_count = 0), plan.counts == COUNT_BEFORE);
#undef STORES
}

/* A stored depth can hide later fragments that would fail, if failing has no effect. */
TEST(test_hides) {
    static const uint8_t hides[8] = {HIDES_NEVER,
                                     HIDES_FAR | HIDES_SAME,
                                     HIDES_FAR | HIDES_NEAR,
                                     HIDES_FAR,
                                     HIDES_NEAR | HIDES_SAME,
                                     HIDES_NEVER,
                                     HIDES_NEAR,
                                     HIDES_NEVER};
    for (uint16_t func = FUNC_NEVER; func <= FUNC_ALWAYS; func++) {
        RULE(1, depth(func, true),
             plan.hides == hides[func & 7] && plan.before == EARLY_DEPTH + (func & 7));
        RULE(1, (depth(func, true), S.exports_z = true), plan.hides == HIDES_NEVER);
        RULE(1, (depth(func, true), S.uses_kill = true), !plan.rejects == !hides[func & 7]);
        RULE(1, (depth(func, true), stencil(0, false)), plan.hides == HIDES_NEVER);
        RULE(1, (depth(func, true), stencil(1, false)), plan.hides == hides[func & 7]);
        RULE(1, (depth(func, true), stencil(1, true)), plan.hides == HIDES_NEVER);
        RULE(1, (depth(func, true), stencil(1, true), Z.face[1].write_mask = 0),
             plan.hides == hides[func & 7]);
        RULE(1, (depth(func, true), Z.stencil_test = true, Z.face[0].zpass = STENCIL_INVERT),
             plan.hides == hides[func & 7]);
        RULE(1, (depth(func, true), Z.stencil_test = true, Z.face[0].fail = STENCIL_INVERT),
             plan.hides == HIDES_NEVER);
    }
}

/* Depths are clamped to 0 to 1, or to the viewport's range as far as it lies within 0 to 1. */
TEST(test_depth_ranges) {
    static const struct {
        float near, far;
        double low, high;
    } row[] = {{0, 1, 0, 1},
               {0.25f, 0.75f, 0.25, 0.75},
               {0.75f, 0.25f, 0.25, 0.75},
               {-1, 2, 0, 1},
               {2, -1, 0, 1},
               {2, 3, 1, 1},
               {-3, -2, 0, 0},
               {0.5f, 7, 0.5, 1},
               {-7, 0.5f, 0, 0.5}};
    static const struct {
        enum pixel_format format;
        double scale, half;
    } format[] = {{FORMAT_Z16_UNORM, 0xffff, 0.5},
                  {FORMAT_Z24S8, 0xffffff, 0.5},
                  {FORMAT_X8Z24, 0xffffff, 0.5},
                  {FORMAT_Z32_FLOAT, 1, 0}};
    for (size_t i = 0; i < LENGTH(row) * 4; i++) {
        const size_t r = i / 4;
        for (int clamp = 0; clamp < 2; clamp++) {
            begin(1);
            f.targets.zeta = surface(format[i % 4].format);
            S.limits.depth_clamp = clamp;
            S.view[5].depth.near = row[r].near;
            S.view[5].depth.far = row[r].far;
            plan_init(&plan, &f.state, simd_best());
            const double low = clamp ? row[r].low : 0, high = clamp ? row[r].high : 1;
            if (plan.z_range[5].low != low * format[i % 4].scale + format[i % 4].half ||
                plan.z_range[5].high != high * format[i % 4].scale + format[i % 4].half)
                fail_msg("row %zu: %g to %g", i, plan.z_range[5].low, plan.z_range[5].high);
        }
    }
}

/* Logic operations apply to fixed-point colours, except sRGB, and to integer colours. Blending
 * applies to all but integers, and not with a logic operation. A second source belongs to target
 * 0. */
TEST(test_colors) {
    static const struct {
        enum pixel_format format;
        bool logic, blends, clamps;
        float low;
    } row[] = {
        {FORMAT_RGBA8_UNORM, true, true, true, 0},
        {FORMAT_RGBA8_SNORM, true, true, true, -1},
        {FORMAT_RGBA8_SRGB, false, true, true, 0},
        {FORMAT_RGBA8_UINT, true, false, false, 0},
        {FORMAT_RGBA8_SINT, true, false, false, 0},
        {FORMAT_RGBA16_FLOAT, false, true, false, 0},
        {FORMAT_RGBA32_FLOAT, false, true, false, 0},
        {FORMAT_RG16_SNORM, true, true, true, -1},
        {FORMAT_R11G11B10_FLOAT, false, true, false, 0},
        {FORMAT_R32_UINT, true, false, false, 0},
        {FORMAT_B5G6R5_UNORM, true, true, true, 0},
        {FORMAT_RGB10A2_UINT, true, false, false, 0},
    };
    for (size_t i = 0; i < LENGTH(row); i++) {
        const struct crop_key *k = plan.crop_key;
        RULE(1, (colors(row[i].format), logic(LOGIC_OP_XOR)),
             k->logic_op == row[i].logic && !k->blend);
        RULE(1, (colors(row[i].format), logic(LOGIC_OP_COPY)), !k->logic_op && !k->reads_target);
        RULE(1, (colors(row[i].format), logic(LOGIC_OP_NOOP)),
             !plan.crop[0] == row[i].logic && !plan.color_count == row[i].logic);
        RULE(1, (colors(row[i].format), logic(LOGIC_OP_NOOP), C.logic_op_enable = false),
             plan.crop[0] && !k->logic_op);
        RULE(1, (colors(row[i].format), blend(BLEND_ONE, BLEND_ONE)), k->blend == row[i].blends);
        RULE(1, (colors(row[i].format), blend(BLEND_ONE, BLEND_ONE), logic(LOGIC_OP_COPY)),
             !k->blend);
        RULE(1, (colors(row[i].format), C.blend_color[1] = -3, C.blend_color[2] = 7),
             k->clamps == row[i].clamps && (!k->clamps || k->clamp_low == row[i].low) &&
                 k->constant[1] == (k->clamps ? row[i].low : -3) &&
                 k->constant[2] == (k->clamps ? 1 : 7));
        RULE(1, (colors(row[i].format), C.mask[0] = 0), !plan.crop[0]);
        RULE(1, (colors(row[i].format), C.mask[0] = 1),
             k->write_all == !format_info(row[i].format)->bits[1]);
        RULE(1, (colors(row[i].format), S.program = NULL), !plan.crop[0]);
    }
    static const uint16_t second[] = {BLEND_SRC1_COLOR, BLEND_ONE_MINUS_SRC1_COLOR,
                                      BLEND_SRC1_ALPHA, BLEND_ONE_MINUS_SRC1_ALPHA};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            begin(1);
            f.targets.color_count = 2;
            f.targets.color[1] = surface(FORMAT_RGBA8_UNORM);
            blend(BLEND_ONE, BLEND_ZERO);
            for (int t = 0; t < 2; t++)
                *(k == 0   ? &C.blend[t].src_rgb
                  : k == 1 ? &C.blend[t].dst_rgb
                  : k == 2 ? &C.blend[t].src_a
                           : &C.blend[t].dst_a) = second[i];
            plan_init(&plan, &f.state, simd_best());
            assert_true(plan.crop_key[0].dual_source && !plan.crop_key[1].dual_source);
        }
}

/* Registers that count as results: those that the state names; else four for each target, or eight
 * with a second source. */
TEST(test_results) {
    RULE(1, S.result_regs = 0, plan.result_regs == 4);
    RULE(1, S.result_regs = 6, plan.result_regs == 6);
    RULE(1, (S.result_regs = 0, blend(BLEND_SRC1_COLOR, BLEND_ZERO)), plan.result_regs == 8);
    RULE(1, (S.result_regs = 9, blend(BLEND_SRC1_COLOR, BLEND_ZERO)), plan.result_regs == 9);
    RULE(1,
         (S.result_regs = 0, S.multiple_results = true, f.targets.color_count = 3,
          f.targets.color[2] = surface(FORMAT_RGBA8_UNORM)),
         plan.result_regs == 12 && plan.color_count == 3);
    RULE(1, (S.result_regs = 0, S.multiple_results = true, f.targets.color_count = 3),
         plan.result_regs == 4);
    RULE(1,
         (S.result_regs = 0, S.multiple_results = true, f.targets.color_count = 3,
          blend(BLEND_SRC1_COLOR, 0), f.targets.color[2] = surface(FORMAT_RGBA8_UNORM)),
         plan.result_regs == 12);
    RULE(1, (S.result_regs = 0, S.program = NULL), plan.result_regs == 4 && !plan.allocated_regs);
    RULE(1, S.result_regs = 200, plan.result_regs == WARP_REGS && plan.allocated_regs == 32);
}

/* The plan clamps only if the target itself does not, or if the alpha test or alpha to coverage
 * needs clamped values. */
TEST(test_clamps) {
    RULE(1, C.clamp = 1, !plan.clamp && plan.output == OUTPUT_STRAIGHT);
    RULE(1, (C.clamp = 1, colors(FORMAT_RGBA32_FLOAT)),
         plan.clamp == 1 && plan.output == OUTPUT_PLAIN);
    RULE(1, (C.clamp = 1, colors(FORMAT_RGBA8_SNORM)), plan.clamp == 1);
    RULE(1, (C.clamp = 2, colors(FORMAT_RGBA32_FLOAT)), !plan.clamp);
    RULE(1, (C.clamp = 1, C.alpha_test = true, C.alpha_func = FUNC_LESS), plan.clamp == 1);
    RULE(4, (C.clamp = 1, C.alpha_to_coverage = true), plan.clamp == 1);
    RULE(1, (C.clamp = 1, C.alpha_to_coverage = true), !plan.clamp);
    RULE(1, S.sample.count = true, plan.output == OUTPUT_PLAIN);
    RULE(1, S.exports_sample_mask = true, plan.output == OUTPUT_ANY);
    RULE(4, (void)0, plan.output == OUTPUT_ANY);
}

/* The state of multisampling counts only if the target has samples and multisampling is on. */
TEST(test_samples) {
    RULE(1, S.sample.mask = 2, plan.sample_mask == UINT32_MAX && plan.whole_tile);
    RULE(4, S.sample.mask = 2, plan.sample_mask == 2 && !plan.whole_tile);
    RULE(4, S.sample.mask = 0xf, plan.whole_tile);
    RULE(4, S.sample.mask = 0xfffffff7, !plan.whole_tile);
    RULE(4, (S.sample.mask = 2, S.sample.multisample = false), plan.sample_mask == UINT32_MAX);
    RULE(1, S.sample.shading = true, !plan.per_sample);
    RULE(4, S.sample.shading = true, plan.per_sample && !plan.whole_tile);
    RULE(4, (S.sample.shading = true, S.sample.multisample = false), !plan.per_sample);
    RULE(1, C.alpha_to_one = true, !plan.alpha_to_one);
    RULE(4, C.alpha_to_one = true, plan.alpha_to_one && !plan.uniform);
}

/* Sets the only word that the program reads; RASTER_WORDS: none. */
static void read_word(uint32_t word) {
    memset(f.program.facts.varying, 0, sizeof f.program.facts.varying);
    if (word < RASTER_WORDS)
        f.program.facts.varying[word / 32] = 1u << word % 32;
}

TEST(test_flat) {
    RULE(1, read_word(RASTER_WORDS), plan.flat);
    RULE(1, (read_word(RASTER_WORDS), S.observed = true), !plan.flat);
    RULE(1, read_word(0), !plan.flat);
    RULE(1, read_word(40), !plan.flat);
    RULE(1, read_word(95), !plan.flat);
    RULE(1, read_word(RASTER_WORDS - 1), !plan.flat);
}

TEST(test_uniform) {
    RULE(1, (void)0, plan.uniform && plan.whole_tile);
    RULE(1, f.program.facts.uniform = false, !plan.uniform && !plan.whole_tile);
    RULE(1, S.observed = true, !plan.uniform && !plan.infallible);
    RULE(1, S.exports_sample_mask = true, !plan.uniform);
    RULE(1, S.setup.line_smooth = true, !plan.uniform && plan.cover == COVER_GENERAL);
    RULE(1, S.limits.rect_mode = 1,
         plan.uniform && !plan.whole_tile && plan.cover == COVER_GENERAL);
    RULE(1, S.setup.polygon_stipple = true, plan.uniform && !plan.whole_tile);
    RULE(1, depth(FUNC_ALWAYS, true), plan.uniform && !plan.whole_tile && plan.cover == COVER_ZETA);
    RULE(1, (C.alpha_test = true, C.alpha_func = FUNC_LESS), plan.uniform && !plan.whole_tile);
    RULE(4, C.alpha_to_coverage = true, !plan.whole_tile);
    RULE(1, C.mask[0] = 0, !plan.shades && !plan.whole_tile);
    RULE(1, (C.mask[0] = 0, S.uses_kill = true), plan.shades);
}

/* A draw replaces what lies below if it covers everything and reads nothing. It can be replaced if
 * it leaves no trace except colour. */
TEST(test_replaces) {
    enum { BOTH = RASTER_REPLACES | RASTER_REPLACEABLE };
    RULE(1, (void)0, plan.replaces == BOTH);
    RULE(1, S.program = NULL, !plan.replaces);
    RULE(1, S.observed = true, !plan.replaces);
    RULE(1, S.sample.count = true, !plan.replaces);
    RULE(1, f.program.facts.harmless = false, !plan.replaces);
    RULE(1, depth(FUNC_ALWAYS, true), plan.replaces == RASTER_REPLACES);
    RULE(1, depth(FUNC_ALWAYS, false), plan.replaces == BOTH);
    RULE(1, depth(FUNC_LESS, true), !plan.replaces);
    RULE(1, depth(FUNC_LESS, false), plan.replaces == RASTER_REPLACEABLE);
    RULE(1, Z.bounds_test = true, plan.replaces == RASTER_REPLACEABLE);
    RULE(1, (Z.stencil_test = true, Z.face[0].func = FUNC_LESS),
         plan.replaces == RASTER_REPLACEABLE);
    RULE(1, stencil(0, false), !plan.replaces);
    RULE(1, (Z.stencil_test = true, Z.face[0].zpass = STENCIL_INVERT), !plan.replaces);
    RULE(1, S.uses_kill = true, plan.replaces == RASTER_REPLACEABLE);
    RULE(1, S.exports_sample_mask = true, plan.replaces == RASTER_REPLACEABLE);
    RULE(1, S.limits.rect_mode = 1, plan.replaces == RASTER_REPLACEABLE);
    RULE(1, S.limits.rect_mode = 2, plan.replaces == RASTER_REPLACEABLE);
    RULE(1, S.setup.polygon_stipple = true, plan.replaces == RASTER_REPLACEABLE);
    RULE(1, S.setup.line_smooth = true, plan.replaces == RASTER_REPLACEABLE);
    RULE(1, S.setup.point_smooth = true, plan.replaces == RASTER_REPLACEABLE);
    RULE(1, (C.alpha_test = true, C.alpha_func = FUNC_LESS), plan.replaces == RASTER_REPLACEABLE);
    RULE(1, C.alpha_to_coverage = true, plan.replaces == RASTER_REPLACEABLE);
    RULE(4, C.alpha_to_coverage = true, plan.replaces == RASTER_REPLACEABLE);
    RULE(4, S.sample.mask = 7, plan.replaces == RASTER_REPLACEABLE);
    RULE(1, S.sample.mask = 7, plan.replaces == BOTH);
    RULE(1, C.mask[0] = 7, plan.replaces == RASTER_REPLACEABLE);
    RULE(1, C.mask[0] = 0, plan.replaces == RASTER_REPLACEABLE);
    RULE(1, blend(BLEND_ONE, BLEND_ONE), plan.replaces == RASTER_REPLACEABLE);
    RULE(1, logic(LOGIC_OP_XOR), plan.replaces == RASTER_REPLACEABLE);
    RULE(1, (f.targets.color_count = 2, f.targets.color[1] = surface(FORMAT_RGBA8_UNORM)),
         plan.replaces == BOTH);
    RULE(1,
         (f.targets.color_count = 2, f.targets.color[1] = surface(FORMAT_RGBA8_UNORM),
          C.mask[1] = 0),
         plan.replaces == RASTER_REPLACEABLE);
    RULE(1,
         (f.targets.color_count = 2, f.targets.color[1] = surface(FORMAT_RGBA8_UNORM),
          C.blend[1] = (struct blend_target){true, EQUATION_ADD, BLEND_ONE, BLEND_ONE, EQUATION_ADD,
                                             BLEND_ONE, BLEND_ONE}),
         plan.replaces == RASTER_REPLACEABLE);
    /* the target does not exist */
    RULE(1, (f.targets.color_count = 2, C.mask[1] = 0), plan.replaces == BOTH);
}

/* ---- setup ---- */

/* The unit of polygon offset is one step of the depth format: 2^-16, 2^-24, or the last place of a
 * float at the depth of the triangle that lies farthest from 0. */
TEST(test_offset_units) {
    static const struct {
        enum pixel_format format;
        float z[3];
        double unit;
    } row[] = {{FORMAT_Z16_UNORM, {0.5f, 0.5f, 0.5f}, 0x1p-16},
               {FORMAT_Z24S8, {0.5f, 0.5f, 0.5f}, 0x1p-24},
               {FORMAT_X8Z24, {0.1f, 0.1f, 0.1f}, 0x1p-24},
               {FORMAT_Z32_FLOAT, {0.5f, 0.5f, 0.5f}, 0x1p-24},
               {FORMAT_Z32_FLOAT, {0.25f, 0.25f, 0.25f}, 0x1p-25},
               {FORMAT_Z32_FLOAT_S8, {0.99f, 0, 0}, 0x1p-24},
               {FORMAT_Z32_FLOAT, {0, 0.99f, 0}, 0x1p-24},
               {FORMAT_Z32_FLOAT, {0, 0, 0.99f}, 0x1p-24},
               {FORMAT_Z32_FLOAT, {0, 0, -4}, 0x1p-21},
               {FORMAT_Z32_FLOAT, {0.1f, 0.2f, 0.24f}, 0x1p-26}};
    for (size_t i = 0; i < LENGTH(row); i++) {
        begin(1);
        f.targets.zeta = surface(row[i].format);
        const struct raster_vertex v[3] = {vertex_at(0, 0, row[i].z[0]),
                                           vertex_at(SIZE, 0, row[i].z[1]),
                                           vertex_at(0, SIZE, row[i].z[2])};
        const double flat = ((const struct prim *)triangle(&f, v))->z;
        S.setup.offset_enable[2] = true;
        S.setup.offset_units = 3;
        const double offset = ((const struct prim *)triangle(&f, v))->z - flat;
        if (fabs(offset - 3 * row[i].unit) > 1e-3 * row[i].unit)
            fail_msg("row %zu: %g instead of %g", i, offset, 3 * row[i].unit);
        arena_free(&f.arena);
    }
}

/* A primitive is dropped if its layer does not exist, or if its viewport's scissor is empty. */
TEST(test_layers_and_viewports) {
    static const struct raster_vertex at = {.x = 9, .y = 9, .rhw = 1, .slot = no_slots};
    const struct raster_vertex v[3] = {vertex_at(0, 0, 0), vertex_at(SIZE, 0, 0),
                                       vertex_at(0, SIZE, 0)};
    const struct raster_vertex *const p[3] = {&v[0], &v[1], &v[2]};
    for (uint16_t layers = 1; layers < 4; layers++)
        for (uint16_t i = 0; i < 5 * 16; i++) {
            const struct face face = {.front = true, .layer = i / 16, .viewport = i % 16};
            begin(1);
            f.targets.layers = layers;
            S.view[3].scissor.x1 = S.view[11].scissor.x1 = 0;
            const bool drawn = face.layer < layers && face.viewport % 8 != 3;
            assert_int_equal(fixture_triangle(&f, p, face) != NULL, drawn);
            assert_int_equal(fixture_line(&f, p, face, NULL) != NULL, drawn);
            assert_int_equal(fixture_point(&f, &at, 4, face) != NULL, drawn);
            arena_free(&f.arena);
        }
}

static struct raster_rect point_bounds(float x, float y, float size) {
    const struct raster_vertex v = vertex_at(x, y, 0);
    const struct raster_prim *p = fixture_point(&f, &v, size, (struct face){.front = true});
    return p ? raster_prim_rect(p) : (struct raster_rect){0, 0, 0, 0};
}

/* Points are at most 8192 pixels large, lines 1024 wide. Sizes below 1 and NaN count as 1. Sprites
 * are exact squares, with sizes in 1/256 pixel. */
TEST(test_sizes) {
    static const float sizes[] = {1, 0, -1, 0.5f, NAN, 3, 8192, 9000, 1e9f, INFINITY};
    static const int32_t pixels[] = {1, 1, 1, 1, 1, 3, 8192, 8192, 8192, 8192};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        begin(1);
        f.targets.width = f.targets.height = 30000;
        S.view[0].scissor = (struct raster_rect){0, 0, 30000, 30000};
        const struct raster_rect r = point_bounds(15000.5f, 15000.5f, sizes[i]);
        assert_int_equal(r.x1 - r.x0, pixels[i]);
        assert_int_equal(r.y1 - r.y0, pixels[i]);
        S.setup.line_width = sizes[i];
        const struct raster_vertex v[2] = {vertex_at(15000.5f, 100.5f, 0),
                                           vertex_at(15000.5f, 29000.5f, 0)};
        const struct raster_vertex *const p[2] = {&v[0], &v[1]};
        const struct prim *l =
            (const struct prim *)fixture_line(&f, p, (struct face){.front = true}, NULL);
        assert_int_equal(abs(l->corner[0].x - l->corner[2].x),
                         SUBPIXEL * (pixels[i] < 1024 ? pixels[i] : 1024));
        arena_free(&f.arena);
    }
    for (int sprite = 0; sprite < 2; sprite++)
        for (int32_t size = 256; size < 256 + 300; size++)
            for (int32_t at = 0; at < 256; at += 3) {
                begin(1);
                S.setup.point_sprite = sprite;
                S.setup.point_smooth = sprite; /* must not affect sprites */
                const struct raster_rect r =
                    point_bounds(10 + (float)at / 256, 20 + (float)at / 256, (float)size / 256);
                const int32_t low =
                    10 * 256 + at - size / 2; /* pixel centres from low to low + size */
                const int32_t first = (low + 127) >> 8, end = (low + size + 127) >> 8;
                if (sprite &&
                    (r.x0 != first || r.x1 != end || r.y0 != first + 10 || r.y1 != end + 10))
                    fail_msg("size %d at %d: %d to %d, %d to %d", size, at, r.x0, r.x1, r.y0, r.y1);
                arena_free(&f.arena);
            }
}

/* With pixel_center_integer, window coordinates move by half a pixel. */
TEST(test_whole_centres) {
    for (int32_t i = 0; i < 512; i++) {
        const struct raster_vertex v = vertex_at(3 + (float)i / 256, 7 + (float)i / 128, 0);
        int32_t at[2], moved[2];
        begin(1);
        assert_true(raster_snap(&S, &v, at));
        S.setup.pixel_center_integer = true;
        assert_true(raster_snap(&S, &v, moved));
        assert_int_equal(at[0], 3 * 256 + i);
        assert_int_equal(at[1], 7 * 256 + 2 * i);
        assert_int_equal(moved[0], at[0] + 128);
        assert_int_equal(moved[1], at[1] + 128);
    }
}

/* raster_prim_row() must report for a row of tiles what raster_prim_tile() reports for each tile. A
 * tile reported as wholly covered has all its pixels inside. Scissors cut tiles, and edges pass
 * tile corners. */
TEST(test_rows_of_tiles) {
    uint64_t seed = 5;
    for (int i = 0; i < 4000; i++) {
        const uint32_t samples =
            i < 3000 ? 1 : 4; /* with 4, some samples of edge pixels lie outside */
        if (i % 3000 == 0) {
            if (i)
                arena_free(&f.arena);
            begin(samples);
        }
        const int32_t x0 = (int32_t)(random_next(&seed) % 200),
                      y0 = (int32_t)(random_next(&seed) % 200);
        S.view[0].scissor = (struct raster_rect){i & 1 ? x0 : 0, i & 2 ? y0 : 0,
                                                 i & 4 ? x0 + 40 : SIZE, i & 8 ? y0 + 40 : SIZE};
        struct raster_vertex v[3];
        for (int k = 0; k < 3; k++)
            v[k] = vertex_at(
                64 * (float)(random_next(&seed) % 16) - 400 + random_float(&seed, -1, 1),
                64 * (float)(random_next(&seed) % 16) - 400 + random_float(&seed, -1, 1), 0);
        /* an edge along a tile's first or last row or column, or just beside it */
        const float line = 64 * (float)(i / 30 % 4) + (i / 15 & 1 ? 63.5f : 0.5f),
                    off = (float)(i / 3 % 5 - 2) / 256;
        if (i % 3 == 0)
            v[1].y = (v[0].y = line) + off;
        if (i % 3 == 1)
            v[1].x = (v[0].x = line) + off;
        const struct raster_prim *p = triangle(&f, v);
        for (int32_t row = 0; p && row < SIZE / TILE_SIZE; row++) {
            const struct raster_tile_span s = raster_prim_row(&f.targets, p, row);
            for (int32_t column = 0; column < SIZE / TILE_SIZE; column++) {
                const int touches =
                    raster_prim_tile(&f.targets, p, column * TILE_SIZE, row * TILE_SIZE);
                const bool in = column >= s.from && column < s.to,
                           whole = column >= s.whole_from && column < s.whole_to;
                const bool visited =
                    p->bounds.y0 < (row + 1) * TILE_SIZE && p->bounds.y1 > row * TILE_SIZE;
                if (visited && (in != (touches != 0) || whole != (touches == 2)))
                    fail_msg("triangle %d, tile %d, %d: %d, in %d, whole %d", i, column, row,
                             touches, in, whole);
                for (uint32_t n = 0; n < TILE_SIZE * TILE_SIZE && touches != 1;
                     n += n < 63 || n > 4030 ? 1 : 63) { /* all of the first and last row */
                    const struct raster_probe_pixel at = {
                        .x = column * TILE_SIZE + (int32_t)(n % TILE_SIZE),
                        .y = row * TILE_SIZE + (int32_t)(n / TILE_SIZE),
                        .sample = n % samples};
                    assert_int_equal(raster_prim_covers(p, &at, samples), touches == 2);
                }
            }
        }
    }
    arena_free(&f.arena);
}

/* Depth bounds are stored as words of the format, floats or rounded integers, clamped to 0 to 1.
 * NaN becomes 0. */
TEST(test_depth_bounds) {
    static const float values[] = {
        -1,          -0.0f, 0,    0x1p-149f, 0.1f,      0.3f, 0.5f,
        0.99999994f, 1,     1.5f, INFINITY,  -INFINITY, NAN,  __builtin_nansf("")};
    static const enum pixel_format formats[] = {FORMAT_Z24S8, FORMAT_Z16_UNORM, FORMAT_Z32_FLOAT,
                                                FORMAT_Z32_FLOAT_S8};
    for (size_t i = 0; i < 4 * LENGTH(values); i++) {
        const float v = values[i / 4], within = v > 0 ? v < 1 ? v : 1 : 0;
        begin(1);
        f.targets.zeta = surface(formats[i % 4]);
        Z.bounds_test = true;
        Z.bounds[0] = v;
        Z.bounds[1] = 1;
        plan_init(&plan, &S, f.simd);
        uint32_t word, last = i % 4 == 0 ? 0xffffff : i % 4 == 1 ? 0xffff : 0x3f800000;
        memcpy(&word, &within, 4);
        if (i % 4 < 2)
            word = (uint32_t)((double)within * last + 0.5);
        assert_int_equal(plan.zkey.bounds_word[0], word);
        assert_int_equal(plan.zkey.bounds_word[1], last);
        arena_free(&f.arena);
    }
}
