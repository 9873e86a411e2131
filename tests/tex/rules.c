/* Rules of the texture unit over their whole space, exactly: wrap modes by sizes, filters, offsets and axes, at and
 * beside every edge of a texel; levels of detail by steps, axes, biases, clamps, filters and the levels shown. Against
 * models in plain integers.
 */
#include "tests/tex/calls.h"
#include "tex/wrap.h"

/* ---- wrap modes ---- */

enum { BORDER = 512, STEPS = 512 /* of a texel */ };

/* The texel for index i of n; -1: the border. */
static int wrapped(int i, int n, int wrap, bool linear) {
    if (wrap >= WRAP_MIRROR_EDGE && i < 0)
        i = -1 - i;
    if (wrap == WRAP_REPEAT)
        return ((i % n) + n) % n;
    if (wrap == WRAP_MIRROR) {
        i = ((i % (2 * n)) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    }
    if ((i < 0 || i >= n) && wrap_has_border(wrap, linear))
        return -1;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static int floor_div(int a, int b) {
    return a / b - (a % b < 0);
}

/* The two numbers of a texture that count, texel i's being 4 i + 1, and the weight of the second in 1/256. at: in
 * steps. */
static int wrap_taps(int at, int n, int wrap, int offset, bool linear, int number[2]) {
    at += offset * STEPS;
    if (wrap >= WRAP_MIRROR_EDGE)
        at = abs(at);
    if (wrap == WRAP_CLAMP || wrap == WRAP_MIRROR_CLAMP)
        at = at < 0 ? 0 : at > n * STEPS ? n * STEPS : at;
    const int fixed = linear ? floor_div(at + 1, 2) - 128 : floor_div(at, STEPS) * 256;
    for (int k = 0; k < 2; k++) {
        const int i = wrapped(floor_div(fixed, 256) + k, n, wrap, linear);
        number[k] = i < 0 ? BORDER : 4 * i + 1;
    }
    return fixed - 256 * floor_div(fixed, 256);
}

/* What is shown, times 256. */
static int wrap_model(int at, int n, int wrap, int offset, bool linear) {
    int number[2];
    const int weight = wrap_taps(at, n, wrap, offset, linear, number);
    return number[0] * (256 - weight) + number[1] * weight;
}

/* Places at and beside the edges and middles of texels, from before the first period to behind the third. */
static int place(int i, int n) {
    static const int in_texel[] = {0, 1, 255, 256, 257, 511, 100, 300};
    const int texel = i / 8 - 2 * n - 2;
    return texel * STEPS + in_texel[i % 8];
}

struct wrap_case {
    const struct tex_view *view;
    int n, axis, axes, wrap, offset;
    bool linear, bytes;
};

/* Gathering: the four texels of a linear footprint, the upper left one last. */
static void check_gather(const struct wrap_case *w, const struct call *c, int lane, int at) {
    int number[2];
    wrap_taps(at, w->n, w->wrap, w->offset, true, number);
    const int want[4] = {number[w->axis == 1], number[1], number[w->axis == 0], number[0]};
    for (int k = 0; k < 4; k++)
        if (fabsf(value(c, k, lane) * (w->bytes ? 255 : 1) - (float)want[k]) >
            (w->bytes ? 1e-3f : 0))
            fail_msg(
                "gather, wrap %d, %d texels, axis %d, offset %d: at %g: texel %d is %g, not %d",
                w->wrap, w->n, w->axis, w->offset, (double)at / STEPS, k, value(c, k, lane),
                want[k]);
}

static void set_places(const struct wrap_case *w, struct call *c, int from) {
    for (int lane = 0; lane < LANES; lane++) {
        const float x = (float)place(from + lane, w->n) / STEPS;
        for (int a = 0; a < w->axes; a++)
            set(c, a, lane, a == w->axis ? x / (w->view->normalized ? (float)w->n : 1.0f) : 0.5f);
    }
    c->args.offset[w->axis] = (int8_t)w->offset;
}

static void check_wrap(const struct wrap_case *w) {
    const struct tex_sampler s = {.wrap = {w->axis == 0 ? (uint8_t)w->wrap : 2,
                                           w->axis == 1 ? (uint8_t)w->wrap : 2,
                                           w->axis == 2 ? (uint8_t)w->wrap : 2},
                                  .mip = 1,
                                  .mag_linear = w->linear,
                                  .min_linear = w->linear,
                                  .border = {w->bytes ? BORDER / 255.0f : BORDER, 0, 0, 0}};
    const bool exact = !(w->n & (w->n - 1));
    const int places = 8 * (5 * w->n + 4);
    for (int from = 0; from < places; from += LANES) {
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = (uint8_t)w->axes}};
        struct call four = {.args = {.op = TEX_OP_GATHER, .source_count = 2}};
        set_places(w, &c, from);
        set_places(w, &four, from);
        run(w->view, &s, &c);
        if (w->axes == 2 && exact)
            run(w->view, &s, &four);
        for (int lane = 0; lane < LANES && from + lane < places; lane++) {
            const int at = place(from + lane, w->n),
                      want = wrap_model(at, w->n, w->wrap, w->offset, w->linear);
            const float got = value(&c, 0, lane) * (w->bytes ? 255.0f * 256 : 256);
            if (w->axes == 2 && exact)
                check_gather(w, &four, lane, at);
            const bool edge = !exact && (w->linear || (at & 255) < 2 ||
                                         (at & 255) > 253); /* where floats may decide */
            if (!edge && !(fabsf(got - (float)want) <= (w->bytes ? 0.26f : 0)))
                fail_msg(
                    "wrap %d, %d texels, axis %d of %d, offset %d, %s, %s, %s: at %g: %g, not %g",
                    w->wrap, w->n, w->axis, w->axes, w->offset, w->linear ? "linear" : "nearest",
                    w->bytes ? "bytes" : "floats", w->view->normalized ? "0 to 1" : "texels",
                    (double)at / STEPS, got / 256.0, want / 256.0);
        }
    }
}

static void make_numbered(struct texture *t, int n, int axis, int axes, bool bytes) {
    static const enum tex_dim dims[] = {[1] = TEX_1D, [2] = TEX_2D, [3] = TEX_3D};
    struct tex_image i = image(bytes ? FORMAT_RGBA8_UNORM : FORMAT_R32_FLOAT, dims[axes],
                               axis == 0 ? (uint32_t)n : 1, axis == 1 ? (uint32_t)n : 1);
    i.depth = axis == 2 ? (uint32_t)n : 1;
    make(t, i);
    for (uint32_t k = 0; k < (uint32_t)n; k++) {
        const float number = 4.0f * (float)k + 1;
        const uint8_t texel[4] = {(uint8_t)number};
        put(t, 0, axis == 0 ? k : 0, axis == 1 ? k : 0, axis == 2 ? k : 0,
            bytes ? (const void *)texel : &number);
    }
}

TEST(test_wraps) {
    static const int sizes[] = {1, 2, 3, 4, 5, 8}, offsets[] = {0, -1, 1, -8, 7};
    static const struct {
        int axis, axes;
        bool bytes;
    } kinds[] = {{0, 1, false}, {0, 2, false}, {1, 2, false}, {0, 3, false},
                 {2, 3, false}, {0, 2, true},  {1, 2, true}};
    for (size_t k = 0; k < LENGTH(kinds); k++)
        for (int i = 0; i < 6 * 5 * 8 * 2 * 2; i++) {
            struct texture t;
            const int n = sizes[i % 6];
            const struct wrap_case w = {&t.view,       n,
                                        kinds[k].axis, kinds[k].axes,
                                        i / 6 % 8,     offsets[i / 48 % 5],
                                        i / 240 % 2,   kinds[k].bytes};
            make_numbered(&t, n, w.axis, w.axes, w.bytes);
            t.view.normalized = i / 480;
            check_wrap(&w);
            memory_destroy(t.memory);
        }
}

/* ---- levels of detail ---- */

enum { LEVELS = 6 };

/* Every texel of level l of layer k is 256 l + 8192 k: what is shown is the level in 1/256. */
static void make_levels(struct texture *t, enum tex_dim dim, uint32_t width, uint32_t height,
                        uint32_t depth, uint32_t layers) {
    struct tex_image i = image(FORMAT_R32_FLOAT, dim, width, height);
    i.depth = depth, i.layers = layers, i.levels = LEVELS;
    make(t, i);
    for (int l = 0; l < LEVELS; l++)
        for (uint32_t z = 0; z < (dim == TEX_3D ? t->level[l].depth : layers); z++)
            for (uint32_t y = 0; y < t->level[l].height; y++)
                for (uint32_t x = 0; x < t->level[l].width; x++)
                    put_float(t, l, x, y, z,
                              256.0f * (float)l + (dim == TEX_3D ? 0 : 8192.0f * (float)z));
}

/* The level in 1/256 that a LOD shows, of those from first to last. */
static float level_model(double lod, const struct tex_sampler *s, int first, int last) {
    lod = lod < s->min_lod ? s->min_lod : lod > s->max_lod ? s->max_lod : lod;
    lod = lod < 0 ? 0 : lod > last - first ? last - first : lod;
    if (s->mip == 1)
        lod = 0;
    if (s->mip == 2)
        lod = ceil(lod - 0.5); /* OpenGL 4.6, 8.14.3: a half is the finer one */
    return 256.0f * (float)(lod + first);
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

/* How a quad's coordinates go: `power` of two texels of the first level along an axis, to the lane beside or below. */
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
        return; /* no place for another operand; beyond the face */
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
        struct texture t;
        make_levels(&t, k->dim, k->width, k->height, k->depth, k->layers);
        for (int i = 0; i < 3 * 3 * 6 * 3; i++) {
            const int first = views[i % 3][0], last = views[i % 3][1];
            const struct tex_sampler s = {.wrap = {2, 2, 2},
                                          .mip = (uint8_t)(1 + i / 3 % 3),
                                          .min_lod = clamps[i / 9 % 6][0],
                                          .max_lod = clamps[i / 9 % 6][1],
                                          .lod_bias = biases[i / 54],
                                          .mag_linear = i & 1,
                                          .min_linear = i & 1};
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
        memory_destroy(t.memory);
    }
}

/* Of a LOD that lies between two of 256 parts the nearer is taken, a half up; what TEXQUERYLOD shows, too. */
TEST(test_rounding) {
    struct texture t;
    make_levels(&t, TEX_2D, 64, 64, 1, 1);
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
    }
    memory_destroy(t.memory);
}

/* Each quad shows its own LOD, to the nearest part of 256, whichever those of its neighbours are: all alike, at and
 * beside where levels begin; one that is elsewhere; all in levels of their own. LODs are in 1/1024, none half-way. */
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
    struct texture t;
    make_levels(&t, TEX_2D, 64, 64, 1, 1);
    for (size_t i = 0; i < 7 * LENGTH(begins); i++)
        for (size_t n = 0; n < 2 * LENGTH(samplers); n++)
            for (int way = 0; way < APART + ALONE + 1; way++) {
                const int wrap = n & 1 ? WRAP_EDGE : WRAP_REPEAT;
                const struct tex_sampler s = {.wrap = {(uint8_t)wrap, (uint8_t)wrap, 2},
                                              .mip = 3,
                                              .min_lod = samplers[n / 2].low,
                                              .max_lod = samplers[n / 2].high,
                                              .lod_bias = (float)samplers[n / 2].bias / 1024,
                                              .mag_linear = true,
                                              .min_linear = true};
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
    memory_destroy(t.memory);
}

/* ---- faces of cubes ---- */

/* Inside a face the four texels count by weights in 1/256 each way, seamless or not; each face has its own numbers. */
TEST(test_faces) {
    enum { SIDE = 8, AT = 14 };
    static const float axes[6][3][3] = {
        /* to the right, down, and to the middle of a face */
        {{0, 0, -1}, {0, -1, 0}, {1, 0, 0}}, {{0, 0, 1}, {0, -1, 0}, {-1, 0, 0}},
        {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}},   {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}},
        {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}},  {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
    struct texture t;
    struct tex_image i = image(FORMAT_R32_FLOAT, TEX_CUBE, SIDE, SIDE);
    i.layers = 6;
    make(&t, i);
    for (uint32_t n = 0; n < 6 * SIDE * SIDE; n++)
        put_float(&t, 0, n % SIDE, n / SIDE % SIDE, n / SIDE / SIDE, (float)(n * n % 251));
    for (int n = 0; n < 6 * AT * AT * 2; n++) {
        const struct tex_sampler s = {.mip = 1, .mag_linear = true, .min_linear = true};
        struct call c = {
            .args = {.op = TEX_OP_AUTO, .source_count = 3, .cube = true, .seamless = n & 1}};
        const int face = n / 2 % 6, x = 128 + n / 12 % AT * 133,
                  y = 128 + n / 12 / AT * 127; /* in 1/256 texel */
        const int u = x - 128, v = y - 128, left = u / 256, top = v / 256;
        double want = 0;
        for (int k = 0; k < 4; k++) {
            const int column = left + (k & 1), row = top + (k >> 1),
                      m = (face * SIDE + row) * SIDE + column;
            const int weight =
                (k & 1 ? u % 256 : 256 - u % 256) * (k >> 1 ? v % 256 : 256 - v % 256);
            want += weight ? weight * (double)(m * m % 251) / 65536 : 0;
        }
        for (int lane = 0; lane < LANES; lane++)
            for (int a = 0; a < 3; a++)
                set(&c, a, lane,
                    axes[face][2][a] + axes[face][0][a] * ((float)x / (128 * SIDE) - 1) +
                        axes[face][1][a] * ((float)y / (128 * SIDE) - 1));
        run(&t.view, &s, &c);
        if (value(&c, 0, 9) != (float)want)
            fail_msg("face %d, %g %g%s: %g, not %g", face, x / 256.0, y / 256.0,
                     n & 1 ? ", seamless" : "", value(&c, 0, 9), want);
    }
    memory_destroy(t.memory);
}

/* Where the lanes of a quad look at several faces each sees the quad on its own: the others' directions are brought to the
 * plane of the face by their component along its axis. */
static double lod_across(const float at[4][3], int lane, int side) {
    const float *own = at[lane];
    const float size[3] = {fabsf(own[0]), fabsf(own[1]), fabsf(own[2])};
    const int axis = size[2] >= size[0] && size[2] >= size[1] ? 2 : size[1] >= size[0] ? 1 : 0;
    double on[3][2], longest = 0;
    for (int k = 0; k < 3; k++) {
        const double major = fmax(fabs((double)at[k][axis]), 0x1p-20);
        on[k][0] = at[k][axis == 0 ? 2 : 0] / major; /* signs do not count */
        on[k][1] = at[k][axis == 1 ? 2 : 1] / major;
    }
    for (int k = 1; k < 3; k++) {
        const double x = (on[k][0] - on[0][0]) * side / 2, y = (on[k][1] - on[0][1]) * side / 2;
        longest = fmax(longest, x * x + y * y);
    }
    return log2(longest) / 2;
}

TEST(test_lods_across_faces) {
    struct texture t;
    uint64_t seed = 9;
    unsigned across = 0;
    make_levels(&t, TEX_CUBE, 32, 32, 1, 6);
    for (int round = 0; round < 400; round++) {
        const struct tex_sampler s = {
            .mip = 3, .max_lod = 15, .mag_linear = true, .min_linear = true};
        struct call c = {
            .args = {.op = TEX_OP_AUTO, .source_count = 3, .cube = true, .deriv = true}};
        float at[LANES][3];
        for (int lane = 0; lane < LANES; lane++)
            for (int a = 0; a < 3; a++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                const float r =
                    (float)(seed >> 40) / (1 << 23) - 1; /* of the quad, and of the lane */
                at[lane][a] = lane & 3 ? at[lane & ~3][a] + r * (round & 1 ? 0.2f : 0.03f) : r;
                if (round & 2 && !(lane & 3)) /* near edges of faces */
                    at[lane][a] = a == round / 4 % 3 ? at[lane][a] : at[lane][a] < 0 ? -1 : 1;
                set(&c, a, lane, at[lane][a]);
            }
        run(&t.view, &s, &c);
        for (int lane = 0; lane < LANES; lane++) {
            const float(*quad)[3] = (const float(*)[3])at[lane & ~3];
            const double lod = lod_across(quad, lane & 3, 32),
                         want = level_model(lod, &s, 0, LEVELS - 1);
            const float got = value(&c, 0, lane), face = floorf(got / 8192);
            if (fabs((double)got - 8192 * (double)face - want) > 1.5)
                fail_msg("round %d, lane %d, face %g: LOD %g / 256, not %g", round, lane, face,
                         got - 8192 * face, want);
            const int major = (int)face / 2;
            for (int k = 0; k < 4; k++)
                across += fabsf(quad[k][major]) < fabsf(quad[k][(major + 1) % 3]);
        }
    }
    assert_true(across > 1000);
    memory_destroy(t.memory);
}

/* ---- components ---- */

/* Each component is decoded in its own way, whatever the others are. */
TEST(test_mixed_components) {
    static const uint8_t types[] = {COMPONENT_UNORM, COMPONENT_SNORM};
    static const uint8_t texel[4] = {200, 100, 130, 255};
    struct texture t;
    make(&t, image(FORMAT_RGBA8_UNORM, TEX_2D, 1, 1));
    put(&t, 0, 0, 0, 0, texel);
    for (int i = 0; i < 16 * 2 * 15; i++) {
        const bool smooth = i & 1;
        const uint8_t mask = (uint8_t)(i / 32 + 1);
        const struct tex_sampler s = {.mip = 1, .mag_linear = smooth, .min_linear = smooth};
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2, .result_mask = mask}};
        for (int k = 0; k < 4; k++)
            t.view.component_type[k] = types[i >> (k + 1) & 1];
        t.view.bytes4 = false; /* not all of them are bytes from 0 to 1 */
        run(&t.view, &s, &c);
        for (int k = 0, row = 0; k < 4; k++) {
            const int8_t code = (int8_t)texel[k];
            const double number = i >> (k + 1) & 1 ? fmax(code / 127.0, -1) : texel[k] / 255.0;
            if (mask >> k & 1 && fabs(value(&c, row++, 9) - number) > 1e-6)
                fail_msg("kinds %x, component %d: %g, not %g", i >> 1 & 15, k,
                         value(&c, row - 1, 9), number);
        }
    }
    memory_destroy(t.memory);
}

/* Whatever the instruction: of the results those are there that are asked for, closed up, and no register more is
 * written. */
TEST(test_masks) {
    static const struct {
        uint8_t op, sources;
        bool integers;
    } ops[] = {{TEX_OP_AUTO, 2, false},    {TEX_OP_BIAS, 3, false}, {TEX_OP_LOD, 3, false},
               {TEX_OP_FETCH, 3, true},    {TEX_OP_SIZE, 1, true},  {TEX_OP_GATHER, 2, false},
               {TEX_OP_QUERYLOD, 2, false}};
    struct texture t;
    struct tex_image i = image(FORMAT_RGBA8_UNORM, TEX_2D, 8, 4);
    i.levels = 2;
    make(&t, i);
    for (uint32_t n = 0; n < 32 + 8; n++) {
        const uint8_t texel[4] = {(uint8_t)(n * 3 + 1), (uint8_t)(n * 5 + 2), (uint8_t)(n * 7 + 3),
                                  (uint8_t)(n + 100)};
        put(&t, n >= 32, n < 32 ? n % 8 : n % 4, n < 32 ? n / 8 : (n - 32) / 4, 0, texel);
    }
    for (unsigned k = 0; k < LENGTH(ops); k++)
        for (int smooth = 0; smooth < 2; smooth++) {
            const struct tex_sampler s = {
                .mip = 3, .max_lod = 15, .mag_linear = smooth, .min_linear = smooth};
            struct call all = {
                .args = {.op = ops[k].op, .source_count = ops[k].sources, .deriv = true}};
            for (int lane = 0; lane < LANES; lane++)
                for (int r = 0; r < 4; r++) {
                    if (ops[k].integers)
                        all.reg[r][lane] =
                            r == ops[k].sources - 1 ? lane & 1 : (uint32_t)(lane % 4 >> r);
                    else
                        set(&all, r, lane, 0.03f * (float)(lane * (r + 1) % 23));
                }
            const struct call in = all;
            run(&t.view, &s, &all);
            for (uint8_t mask = 1; mask < 15; mask++) {
                struct call c = in;
                c.args.result_mask = mask;
                run(&t.view, &s, &c);
                int row = 0;
                for (int r = 0; r < 4; r++)
                    if (mask >> r & 1)
                        assert_memory_equal(&c.reg[row++], &all.reg[r], sizeof c.reg[0]);
                for (; row < 4; row++)
                    assert_memory_equal(&c.reg[row], &in.reg[row], sizeof c.reg[0]);
            }
        }
    memory_destroy(t.memory);
}
