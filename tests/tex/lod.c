/* Levels of detail: selected levels and filters, rounding of LODs, results of TEXQUERYLOD and
 * TEXSIZE. */
#include "tests/tex/calls.h"
#include "tests/tex/levels.h"
#include "tests/shapes.h"
#include "tex/wrap.h"

TEST(test_sizes) {
    static const struct {
        enum tex_dim dim;
        uint32_t width, height, depth, layers, expected[2][4]; /* of levels 0 and 1 */
    } rows[] = {
        {TEX_1D, 16, 1, 1, 1, {{16, 1, 1, 2}, {8, 1, 1, 2}}},
        {TEX_2D, 16, 12, 1, 1, {{16, 12, 1, 2}, {8, 6, 1, 2}}},
        {TEX_3D, 16, 12, 6, 1, {{16, 12, 6, 2}, {8, 6, 3, 2}}},
        {TEX_CUBE, 16, 16, 1, 6, {{16, 16, 6, 2}, {8, 8, 6, 2}}},
        {TEX_1D_ARRAY, 16, 1, 1, 5, {{16, 5, 5, 2}, {8, 5, 5, 2}}},
        {TEX_2D_ARRAY, 16, 12, 1, 5, {{16, 12, 5, 2}, {8, 6, 5, 2}}},
        {TEX_CUBE_ARRAY, 16, 16, 1, 18, {{16, 16, 3, 2}, {8, 8, 3, 2}}},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct tex_image im = image(FORMAT_R32_FLOAT, rows[i].dim, rows[i].width, rows[i].height);
        const struct tex_sampler s = {.mip = 1};
        im.depth = rows[i].depth, im.layers = rows[i].layers, im.levels = 2;
        TEXTURE(t, im);
        struct call c = {.args = {.op = TEX_OP_SIZE, .source_count = 1}};
        for (uint32_t lane = 0; lane < LANES; lane++)
            c.reg[0][lane] = lane & 1;
        run(&t.view, &s, &c);
        for (int lane = 0; lane < 2; lane++)
            for (int k = 0; k < 4; k++)
                if (c.reg[k][lane] != rows[i].expected[lane][k])
                    fail_msg("kind %d, level %d: word %d is %u, not %u", rows[i].dim, lane, k,
                             c.reg[k][lane], rows[i].expected[lane][k]);
    }
}

/* TEXQUERYLOD returns the level that would be sampled, by mip filter (1: none, 2: nearest, 3:
 * linear), and the LOD before the clamp. If the call has a component, the order is reversed. */
TEST(test_level_shown) {
    static const struct {
        float step;             /* texels */
        uint32_t shown[4], lod; /* by mip: 1, 2, 3 */
    } rows[] = {
        {1, {0, 0, 0, 0}, 0},
        {1.3f, {0, 0, 0, 97}, 97},
        {1.41f, {0, 0, 0, 127}, 127},
        {1.4142f, {0, 0, 256, 128}, 128},
        {1.425f, {0, 0, 256, 131}, 131},
        {2, {0, 0, 256, 256}, 256},
        {2.8f, {0, 0, 256, 380}, 380},
        {2.9f, {0, 0, 512, 393}, 393},
        {64, {0, 0, 768, 768}, 1536},
        {0.5f, {0, 0, 0, 0}, (uint32_t)-256},
    };
    struct tex_image i = image(FORMAT_R32_FLOAT, TEX_2D, 64, 64);
    i.levels = 4;
    TEXTURE(t, i);
    for (size_t r = 0; r < LENGTH(rows); r++)
        for (uint8_t mip = 1; mip < 4; mip++) {
            const struct tex_sampler s = {
                .wrap = {2, 2, 2}, .mip = mip, .max_lod = 15, .min_linear = true};
            struct call c = {.args = {.op = TEX_OP_QUERYLOD, .source_count = 2, .deriv = true}};
            for (int lane = 0; lane < LANES; lane++)
                set(&c, 0, lane, (float)(lane & 1) * rows[r].step / 64);
            struct call turned = c;
            turned.args.component = 1;
            run(&t.view, &s, &c);
            run(&t.view, &s, &turned);
            assert_memory_equal(&turned.reg[0], &c.reg[1], sizeof c.reg[0]);
            assert_memory_equal(&turned.reg[1], &c.reg[0], sizeof c.reg[0]);
            if (abs((int)(c.reg[0][5] - rows[r].shown[mip])) > (mip == 3) ||
                abs((int)(c.reg[1][5] - rows[r].lod)) > 1)
                fail_msg("step %g, mip %d: level %u, not %u; LOD %d, not %d", rows[r].step, mip,
                         c.reg[0][5], rows[r].shown[mip], (int)c.reg[1][5], (int)rows[r].lod);
        }
}

/* A view of one level shows this level, although the LOD is higher, for each mip filter. */
TEST(test_only_level_shown) {
    TEXTURE(t, image(FORMAT_R32_FLOAT, TEX_2D, 64, 64));
    for (uint8_t mip = 1; mip < 4; mip++) {
        const struct tex_sampler s = {
            .wrap = {2, 2, 2}, .mip = mip, .min_lod = 1.5f, .max_lod = 15};
        struct call c = {.args = {.op = TEX_OP_QUERYLOD, .source_count = 2, .deriv = true}};
        for (int lane = 0; lane < LANES; lane++)
            set(&c, 0, lane, (float)(lane & 1) * 4 / 64);
        run(&t.view, &s, &c);
        assert_int_equal(c.reg[0][5], 0);
        assert_int_equal(c.reg[1][5], 512);
    }
}

/* A level of weight 0 has no influence, for any content of the level and its neighbours. */
TEST(test_levels_without_weight) {
    static const float values[] = {INFINITY, NAN, 3};
    for (int smooth = 0; smooth < 2; smooth++)
        for (int i = 0; i < 3; i++) {
            struct tex_image im = image(FORMAT_R32_FLOAT, TEX_2D, 4, 4);
            im.levels = 3;
            TEXTURE(t, im);
            FILL(&t, l == 1 ? 5 : values[i]);
            const struct tex_sampler s = SAMPLER(smooth, 3, .wrap = {2, 2, 2}, .max_lod = 15);
            struct call c = {.args = {.op = TEX_OP_LOD, .source_count = 3}};
            for (int lane = 0; lane < LANES; lane++) {
                set(&c, 0, lane, 0.4f);
                set(&c, 2, lane,
                    lane % 4 == 0   ? 1
                    : lane % 4 == 1 ? 1.5f
                    : lane % 4 == 2 ? 0.25f
                                    : 2);
            }
            run(&t.view, &s, &c);
            for (int lane = 0; lane < LANES; lane++) {
                const float got = value(&c, 0, lane),
                            other = lane % 4 == 3 ? values[i] : values[i] * 0.5f;
                if (lane % 4 == 0)
                    assert_true(got == 5);
                else
                    assert_true(isnan(other)   ? isnan(got)
                                : isinf(other) ? isinf(got)
                                               : got > 2.9f && got < 5);
            }
        }
}

/* Magnified lanes mix no levels, so their nearest filter gives the bits of the texel, NaN and -0
 * included, whether or not other lanes are minified. */
TEST(test_magnified_bits) {
    static const uint32_t values[] = {0x7fc01234, 0xffc00001, 0x80000000, 0x00000001, 0x7f800000};
    for (size_t i = 0; i < LENGTH(values); i++) {
        struct tex_image im = image(FORMAT_R32_FLOAT, TEX_2D, 4, 4);
        im.levels = 3;
        TEXTURE(t, im);
        FILL(&t, bits_float(values[i]));
        const struct tex_sampler s = {
            .wrap = {2, 2, 2}, .mip = 3, .max_lod = 15, .min_linear = true};
        for (uint32_t minified = 0; minified <= LANES; minified += 4) {
            struct call c = {.args = {.op = TEX_OP_LOD, .source_count = 3}};
            for (uint32_t lane = 0; lane < LANES; lane++)
                set(&c, 2, (int)lane, lane < minified ? 0.5f : -1);
            run(&t.view, &s, &c);
            for (uint32_t lane = minified; lane < LANES; lane++)
                assert_int_equal(c.reg[0][lane], values[i]);
        }
    }
}

/* An anisotropic sample that takes one probe takes it at the coordinates, even in a quad whose
 * steps are NaN. */
TEST(test_probes_without_number) {
    TEXTURE(t, image(FORMAT_R32_FLOAT, TEX_2D, 16, 16));
    FILL(&t, (float)x);
    const struct tex_sampler s =
        SAMPLER(true, 1, .wrap = {2, 2, 2}, .max_lod = 15, .max_anisotropy = 4);
    struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2, .deriv = true}};
    for (int lane = 0; lane < LANES;
         /* lane 2 makes the steps of the first quad NaN; the other quads take four probes */
         lane++) {
        set(&c, 0, lane, lane < 4 ? 6.5f / 16 : (6.5f + 4 * (float)(lane & 1)) / 16);
        set(&c, 1, lane, lane == 2 ? NAN : 0.5f);
    }
    run(&t.view, &s, &c);
    assert_true(value(&c, 0, 0) == 6 && value(&c, 0, 1) == 6 && value(&c, 0, 3) == 6);
    assert_true(value(&c, 0, 4) != value(&c, 0, 5));
}

/* A texture of 64 x 64 whose texels of level l are all 256 l, so that a result is the LOD in
 * 1/256. */
static void pyramid(struct texture *t) {
    make(t, layered(image(FORMAT_R32_FLOAT, TEX_2D, 64, 64), 1, 7));
    FILL(t, 256.0f * (float)l);
}

/* Steps that are about a texel long, in the last quad only. LODs are in 1/256. */
TEST(test_lod_near) {
    static const float table[][3] = {/* step, bias, LOD */
                                     {0.5f, 0, 0},  {1, 0, 0},     {1.001f, 0, 0}, {1.02f, 0, 7},
                                     {2, 0, 256},   {0.6f, 1, 67}, {0.5f, 1, 0},   {0.51f, 1, 7},
                                     {1.5f, -1, 0}, {2.04f, -1, 7}};
    struct texture t;
    pyramid(&t);
    for (size_t i = 0; i < LENGTH(table); i++) {
        const struct tex_sampler s = SAMPLER(true, 3, .max_lod = 15, .lod_bias = table[i][1]);
        struct call c = {.args = {.op = TEX_OP_AUTO, .deriv = true, .source_count = 2}};
        for (int lane = 0; lane < LANES; lane++)
            set(&c, 0, lane, (float)(lane & 1) * (lane >= 28 ? table[i][0] : 0.1f) / 64);
        run(&t.view, &s, &c);
        assert_true(value(&c, 0, 29) == table[i][2] && value(&c, 0, 3) == 0);
    }
    memory_destroy(t.memory);
}

/* Magnified lanes take one filter, minified lanes the other. */
TEST(test_two_filters) {
    TEXTURE(t, image(FORMAT_R32_FLOAT, TEX_2D, 2, 1));
    put_float(&t, 0, 1, 0, 0, 100);
    for (int smooth = 0; smooth < 2; smooth++)
        for (int far = 0; far < 2; far++) {
            const struct tex_sampler s = {.wrap = {2, 2, 2},
                                          .mip = 1,
                                          .max_lod = 15,
                                          .mag_linear = smooth,
                                          .min_linear = !smooth};
            struct call c = {.args = {.op = TEX_OP_AUTO, .deriv = true, .source_count = 2}};
            for (int lane = 0; lane < LANES; lane++)
                set(&c, 0, lane, lane & 1 ? far ? 5.0f : 0.46875f : 0.4375f);
            run(&t.view, &s, &c);
            assert_true(value(&c, 0, 6) == (smooth != far ? 37.5f : 0));
        }
}

struct lod_kind {
    enum tex_dim dim;
    uint32_t width, height, depth, layers;
    int axes, coordinates;
};

static const struct lod_kind lod_kinds[] = {
    {TEX_1D, 64, 1, 1, 1, 1, 1},       {TEX_2D, 64, 32, 1, 1, 2, 2},
    {TEX_2D, 32, 64, 1, 1, 2, 2},      {TEX_3D, 32, 16, 64, 1, 3, 3},
    {TEX_1D_ARRAY, 64, 1, 1, 3, 1, 2}, {TEX_2D_ARRAY, 32, 32, 1, 3, 2, 3},
    {TEX_CUBE, 32, 32, 1, 6, 2, 3},    {TEX_CUBE_ARRAY, 32, 32, 1, 12, 2, 4},
};

/* The step of a quad's coordinates: `power` (a power of two) texels of the first level along an
 * axis, to the lane beside or below. */
struct lod_way {
    int power, axis, below;
};

static void set_coordinates(struct call *c, const struct lod_kind *k, int first,
                            const struct lod_way *w) {
    const bool cube = k->dim == TEX_CUBE || k->dim == TEX_CUBE_ARRAY;
    const uint32_t size[3] = {k->width >> first, k->height >> first, k->depth >> first};
    const float step = ldexpf(1, w->power) / (float)size[w->axis] * (cube ? 2 : 1);
    for (int lane = 0; lane < LANES; lane++) {
        const bool there = lane >> w->below & 1;
        float at[4] = {0.25f, 0.25f, 0.25f, 0.25f};
        if (cube)
            at[2] = 1; /* face 4: s is x, t is -y */
        at[w->axis] = (cube ? 0 : 0.25f) + (there ? step : 0);
        for (int i = 0; i < k->axes + cube; i++)
            set(c, i, lane, at[i]);
        if (k->dim == TEX_1D_ARRAY || k->dim == TEX_2D_ARRAY || k->dim == TEX_CUBE_ARRAY)
            c->reg[k->axes + cube][lane] = 1; /* the layer */
    }
}

static void check_lod(const struct texture *t, const struct lod_kind *k,
                      const struct tex_sampler *s, int first, int last, const struct lod_way *w,
                      uint8_t op, float operand) {
    const bool cube = k->dim == TEX_CUBE || k->dim == TEX_CUBE_ARRAY;
    const int n = k->coordinates;
    if ((op != TEX_OP_AUTO && n == 4) || (cube && w->power > 1))
        return; /* no register for another operand; coordinates beyond the face */
    struct call c = {.args = {.op = op,
                              .deriv = true,
                              .cube = cube,
                              .source_count = (uint8_t)(n + (op != TEX_OP_AUTO))}};
    set_coordinates(&c, k, first, w);
    for (int lane = 0; lane < LANES && op != TEX_OP_AUTO; lane++)
        set(&c, n, lane, operand);
    run(&t->view, s, &c);
    const double lod =
        (op == TEX_OP_LOD ? operand : w->power + (op == TEX_OP_BIAS ? operand : 0)) + s->lod_bias;
    const float layer = k->dim == TEX_CUBE         ? 4
                        : k->dim == TEX_CUBE_ARRAY ? 10
                        : k->layers > 1            ? 1
                                                   : 0;
    const float want = level_model(lod, s, first, last) + 8192 * layer;
    for (int lane = 0; lane < LANES; lane++)
        if (value(&c, 0, lane) != want)
            fail_msg(
                "kind %d, levels %d to %d, mip %d, bias %g, %g to %g, 2^%d texels along %d %s, op %d %g: %g, not %g",
                k->dim, first, last, s->mip, s->lod_bias, s->min_lod, s->max_lod, w->power, w->axis,
                w->below ? "below" : "beside", op, operand, value(&c, 0, lane), want);
}

TEST(test_levels) {
    static const float biases[] = {0, 0.75f, -1.5f};
    static const float clamps[][2] = {{0, 15}, {0.5f, 15}, {0, 2.25f}, {1, 1}, {0, 0}, {3, 15}};
    static const struct {
        uint8_t op;
        float operand;
    } ops[] = {{TEX_OP_AUTO, 0},
               {TEX_OP_BIAS, -0.25f},
               {TEX_OP_BIAS, 1.5f},
               {TEX_OP_LOD, 1.25f},
               {TEX_OP_LOD, 0.5f}};
    static const int powers[] = {-3, -1, 0, 1, 2, 5, 20},
                     views[][2] = {{0, LEVELS - 1}, {1, 3}, {2, 2}};
    for (size_t n = 0; n < LENGTH(lod_kinds); n++) {
        const struct lod_kind *k = &lod_kinds[n];
        TEXTURE_BY(t, make_levels, k->dim, k->width, k->height, k->depth, k->layers);
        for (int i = 0; i < 3 * 3 * 6 * 3; i++) {
            const int first = views[i % 3][0], last = views[i % 3][1];
            const struct tex_sampler s = SAMPLER(
                i & 1, (uint8_t)(1 + i / 3 % 3), .wrap = {2, 2, 2}, .min_lod = clamps[i / 9 % 6][0],
                .max_lod = clamps[i / 9 % 6][1], .lod_bias = biases[i / 54]);
            uint32_t tic[8];
            tex_image_tic(&t.image, (uint32_t)first, (uint32_t)last, tic);
            char why[200];
            if (tex_view_decode(tic, t.memory, &t.view, why, sizeof why) != 0)
                fail_msg("kind %d, levels %d to %d: %s", k->dim, first, last, why);
            for (int m = 0; m < 7 * 2 * 5; m++)
                for (int axis = 0; axis < k->axes; axis++) {
                    const struct lod_way w = {powers[m % 7], axis, m / 7 % 2};
                    check_lod(&t, k, &s, first, last, &w, ops[m / 14].op, ops[m / 14].operand);
                }
        }
    }
}

/* A LOD is rounded to the nearest multiple of 1/256, half-way up, in samples and in the result of
 * TEXQUERYLOD. */
TEST(test_rounding) {
    TEXTURE_BY(t, make_levels, TEX_2D, 64, 64, 1, 1);
    for (int n = -1024; n < 4096; n += LANES) {
        const struct tex_sampler s = {
            .wrap = {2, 2, 2}, .mip = 3, .max_lod = 15, .mag_linear = true, .min_linear = true};
        struct call c = {.args = {.op = TEX_OP_LOD, .source_count = 3}};
        for (int lane = 0; lane < LANES; lane++)
            set(&c, 2, lane, (float)(n + lane) / 1024);
        run(&t.view, &s, &c);
        for (int lane = 0; lane < LANES; lane++) {
            const int want = (int)floor((n + lane) / 4.0 + 0.5);
            if (value(&c, 0, lane) != (float)(want < 0 ? 0 : want))
                fail_msg("LOD %d / 1024: %g, not %d", n + lane, value(&c, 0, lane), want);
        }
        struct tex_sampler biased = s;
        biased.lod_bias = (float)n / 1024 + 1.0f / 1024 * (float)(n / LANES & 3);
        struct call q = {.args = {.op = TEX_OP_QUERYLOD, .source_count = 2, .deriv = true}};
        for (int lane = 0; lane < LANES; lane++)
            set(&q, 0, lane, (float)(lane & 1) * 2 / 64);
        run(&t.view, &biased, &q);
        assert_int_equal((int32_t)q.reg[1][9],
                         (int)floor((1 + (double)biased.lod_bias) * 256 + 0.5));
        /* Fermi returns the two results in the other order */
        struct call fermi = {
            .args = {.op = TEX_OP_QUERYLOD, .source_count = 2, .deriv = true, .component = 1}};
        for (int lane = 0; lane < LANES; lane++)
            set(&fermi, 0, lane, (float)(lane & 1) * 2 / 64);
        run(&t.view, &biased, &fermi);
        assert_int_equal(fermi.reg[0][9], q.reg[1][9]);
        assert_int_equal(fermi.reg[1][9], q.reg[0][9]);
    }
}

/* A mip filter of the nearest level shows the coarser one if the LOD is half-way between two. */
TEST(test_nearest_level) {
    TEXTURE_BY(t, make_levels, TEX_2D, 64, 64, 1, 1);
    const struct tex_sampler s = {
        .wrap = {2, 2, 2}, .mip = 2, .max_lod = 15, .mag_linear = true, .min_linear = true};
    for (int n = 0; n < 1408; n += LANES) {
        struct call c = {.args = {.op = TEX_OP_LOD, .source_count = 3}};
        for (int lane = 0; lane < LANES; lane++)
            set(&c, 2, lane, (float)(n + lane) / 256);
        run(&t.view, &s, &c);
        for (int lane = 0; lane < LANES; lane++)
            if (value(&c, 0, lane) != (float)((n + lane + 128) / 256 * 256))
                fail_msg("LOD %d / 256: level %g", n + lane, value(&c, 0, lane) / 256);
    }
}

/* Each quad has its own LOD, rounded to the nearest 1/256, whatever its neighbours have: all quads
 * alike, at and beside the start of a level; one quad elsewhere; every quad in a level of its own.
 * LODs are in 1/1024, none half-way. */
TEST(test_levels_of_quads) {
    enum { APART = 8, ALONE = 12 };
    static const int begins[] = {-2048, -512, 0, 1024, 2048, 3072, 4096, 5120, 9000};
    static const int beside[] = {-700, -3, -1, 0, 1, 3, 512};
    static const int elsewhere[ALONE] = {-1024, 1024,  -300, 300, 2048, -2048,
                                         5000,  -5000, -4,   4,   40,   -40};
    static const struct {
        int bias; /* in 1/1024 */
        float low, high;
    } samplers[] = {{0, 0, 15},       {300, 0, 15}, {-1536, 0, 15}, {2048, 0, 15},
                    {0, 1.5f, 3.25f}, {0, 2, 2},    {512, 0, 1}};
    TEXTURE_BY(t, make_levels, TEX_2D, 64, 64, 1, 1);
    for (size_t i = 0; i < 7 * LENGTH(begins); i++)
        for (size_t n = 0; n < 2 * LENGTH(samplers); n++)
            for (int way = 0; way < APART + ALONE + 1; way++) {
                const int wrap = n & 1 ? WRAP_EDGE : WRAP_REPEAT;
                const struct tex_sampler s =
                    SAMPLER(true, 3, .wrap = {(uint8_t)wrap, (uint8_t)wrap, 2},
                            .min_lod = samplers[n / 2].low, .max_lod = samplers[n / 2].high,
                            .lod_bias = (float)samplers[n / 2].bias / 1024);
                struct call c = {.args = {.op = TEX_OP_AUTO, .deriv = true, .source_count = 2}};
                int lod[LANES / 4];
                for (int q = 0; q < LANES / 4; q++) {
                    lod[q] = begins[i / 7] + beside[i % 7];
                    if (way >= APART + ALONE)
                        lod[q] += 700 * q;
                    else if (way >= APART ? q == 5 : q == way)
                        lod[q] += way >= APART ? elsewhere[way - APART] : 4;
                    const float step =
                        (float)exp2(lod[q] / 1024.0 - samplers[n / 2].bias / 1024.0) / 64;
                    for (int lane = 4 * q; lane < 4 * q + 4; lane++) {
                        set(&c, 0, lane, 0.25f + (q & 1 ? lane & 1 : lane >> 1 & 1) * step);
                        set(&c, 1, lane, 0.25f);
                    }
                }
                run(&t.view, &s, &c);
                for (int lane = 0; lane < LANES; lane++) {
                    const float want =
                        (float)floor(level_model(lod[lane / 4] / 1024.0, &s, 0, LEVELS - 1) + 0.5);
                    if (value(&c, 0, lane) != want)
                        fail_msg(
                            "LOD %d / 1024 of quad %d, %d beside it, bias %d, %g to %g: %g, not %g",
                            lod[lane / 4], lane / 4, lod[(lane / 4 + 1) % 8], samplers[n / 2].bias,
                            s.min_lod, s.max_lod, value(&c, 0, lane), want);
                }
            }
}
