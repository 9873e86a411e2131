/* Texture coordinates: wrap modes, ties, layers, directions of cubes, coordinates in texels and
 * their steps, gathers. */
#include "tests/tex/calls.h"
#include "tests/shapes.h"
#include "tex/wrap.h"

static void set_all(struct call *c, float a, float b, float d, float e) {
    for (int lane = 0; lane < LANES; lane++) {
        set(c, 0, lane, a);
        set(c, 1, lane, b);
        set(c, 2, lane, d);
        set(c, 3, lane, e);
    }
}

/* The texels are 10, 20, 30 and 40, the border is 100. A coordinate beyond 2^23 has no fraction, so
 * it always lies on a period's edge. NaN counts as the least number. */
TEST(test_far_coordinates) {
    static const struct {
        float u;
        float value[8]; /* by wrap mode */
    } rows[] = {
        {8388609.0f, {10, 10, 40, 100, 40, 40, 100, 40}},
        {-8388609.0f, {10, 10, 10, 100, 10, 40, 100, 40}},
        {8388607.0f, {10, 40, 40, 100, 40, 40, 100, 40}},
        {1e30f, {10, 10, 40, 100, 40, 40, 100, 40}},
        {INFINITY, {10, 10, 40, 100, 40, 40, 100, 40}},
        {NAN, {10, 10, 10, 100, 10, 10, 10, 10}},
    };
    TEXTURE(t, image(FORMAT_R32_FLOAT, TEX_1D, 4, 1));
    FILL(&t, 10.0f * (float)(x + 1));
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (uint8_t wrap = 0; wrap < 8; wrap++) {
            const struct tex_sampler s = {.wrap = {wrap}, .mip = 1, .border = {100, 0, 0, 0}};
            struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 1}};
            set_all(&c, rows[i].u, 0, 0, 0);
            run(&t.view, &s, &c);
            if (value(&c, 0, 3) != rows[i].value[wrap])
                fail_msg("wrap %d at %g: %g, not %g", wrap, rows[i].u, value(&c, 0, 3),
                         rows[i].value[wrap]);
        }
}

/* Coordinates in texels give the same results as normalized coordinates, in each wrap mode and with
 * each filter. */
TEST(test_texel_coordinates) {
    TEXTURE(t, image(FORMAT_R32_FLOAT, TEX_2D, 8, 4));
    FILL(&t, (float)(x * x + 10 * y));
    struct tex_view texels = t.view;
    texels.normalized = false;
    for (int i = 0; i < 16; i++) {
        const uint8_t wrap = (uint8_t)(i / 2);
        const struct tex_sampler s = SAMPLER(i & 1, 1, .wrap = {wrap, (uint8_t)((wrap + 3) % 8), 0},
                                             .border = {100, 0, 0, 0});
        struct call a = {.args = {.op = TEX_OP_AUTO, .source_count = 2}}, b = a;
        for (int lane = 0; lane < LANES; lane++) {
            const float x = (float)lane * 0.75f - 9.375f, y = 3.125f - (float)lane * 0.25f;
            set(&a, 0, lane, x), set(&a, 1, lane, y);
            set(&b, 0, lane, x / 8), set(&b, 1, lane, y / 4);
        }
        run(&texels, &s, &a);
        run(&t.view, &s, &b);
        assert_memory_equal(&a.reg[0], &b.reg[0], sizeof a.reg[0]);
    }
}

/* A direction of length 0 selects the middle of a face. Coordinates of a cube are directions, even
 * if the texture's coordinates are not normalized. */
TEST(test_directions) {
    static const float rows[][4] = {
        {0, 0, 0, 42}, {0x1p-40f, 0, 0, 2}, {0x1p-10f, 0, 0, 2}, {0, 0, 1, 42}, {0, 0, -9, 52}};
    TEXTURE(t, layered(image(FORMAT_R32_FLOAT, TEX_CUBE, 4, 4), 6, 1));
    FILL(&t, x == y ? (float)(10 * z + x) : -1);
    for (size_t r = 0; r < LENGTH(rows); r++)
        for (int texels = 0; texels < 2; texels++) {
            const struct tex_sampler s = {.mip = 1};
            struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 3, .cube = true}};
            t.view.normalized = !texels;
            set_all(&c, rows[r][0], rows[r][1], rows[r][2], 0);
            run(&t.view, &s, &c);
            if (value(&c, 0, 9) != rows[r][3])
                fail_msg("direction %zu: %g, not %g", r, value(&c, 0, 9), rows[r][3]);
        }
}

/* Makes a texture with one texel per layer. The texel's value is the number of its layer. */
static void numbered(struct texture *t, enum tex_dim dim, uint32_t layers) {
    make(t, layered(image(FORMAT_R32_FLOAT, dim, 1, 1), layers, 1));
    for (uint32_t l = 0; l < layers; l++)
        put_float(t, 0, 0, 0, l, (float)l);
}

TEST(test_ties) {
    static const struct {
        float x, y, z, face;
    } table[] = {{1, 1, 1, 4},     {1, 1, -1, 5},    {-1, -1, 1, 4}, {1, 1, 0, 2},
                 {1, -1, 0.5f, 3}, {1, 0, 1, 4},     {0, 1, 1, 4},   {-1, 1, -0.5f, 2},
                 {1, 0.5f, 0, 0},  {-1, 0, 0.5f, 1}, {0, 0, 0, 4},   {0, 1, -1, 5}};
    const struct tex_sampler s = {.mip = 1};
    TEXTURE_BY(t, numbered, TEX_CUBE, 6);
    for (size_t i = 0; i < LENGTH(table); i++) {
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 3, .cube = true}};
        assert_true(one(&t, &s, &c, table[i].x, table[i].y, table[i].z, 0) == table[i].face);
    }
}

TEST(test_layers) {
    const struct tex_sampler s = {.mip = 1};
    struct texture t;
    numbered(&t, TEX_CUBE_ARRAY, 12);
    static const float cube[4][2] = {
        {0, 0}, {1, 6}, {2, 6}, {9, 6}}; /* an index beyond the last cube selects the last cube */
    for (int i = 0; i < 4; i++) {
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 4, .cube = true}};
        float layer;
        const uint32_t index = (uint32_t)cube[i][0];
        memcpy(&layer, &index, 4);
        assert_true(one(&t, &s, &c, 1, 0, 0, layer) == cube[i][1]);
    }
    memory_destroy(t.memory);
    numbered(&t, TEX_2D_ARRAY, 3);
    for (uint32_t layer = 0; layer < 5; layer++)
        for (int32_t level = -1; level < 2; level++) {
            struct call c = {.args = {.op = TEX_OP_FETCH, .source_count = 4}};
            for (int lane = 0; lane < LANES; lane++) {
                c.reg[2][lane] = layer;
                c.reg[3][lane] = (uint32_t)level;
            }
            run(&t.view, &s, &c);
            const bool there = layer < 3 && level == 0;
            assert_true(value(&c, 0, 3) == (there ? (float)layer : 0));
            assert_true(value(&c, 3, 3) == (there ? 1.0f : 0)); /* alpha is a constant */
        }
    memory_destroy(t.memory);
}

/* The steps of unnormalized coordinates are measured in texels, along each axis. The selected
 * filter shows the measured step: magnification takes the nearest texel, minification an
 * average. */
TEST(test_unnormalized_steps) {
    struct tex_image i = image(FORMAT_R32_FLOAT, TEX_2D, 64, 64);
    i.normalized = false;
    TEXTURE(t, i);
    FILL(&t, (float)((x + y) & 1));
    const struct tex_sampler s = {
        .wrap = {2, 2, 2}, .mag_linear = false, .min_linear = true, .mip = 1, .max_lod = 15};
    for (int axis = 0; axis < 2; axis++)
        for (int step = 0; step < 2;
             step++) { /* step 0: an eighth of a texel, magnified; 1: four texels, minified */
            struct call c = {.args = {.op = TEX_OP_AUTO, .deriv = true, .source_count = 2}};
            for (int lane = 0; lane < LANES; lane++) {
                const float moved =
                    (step ? 4.0f : 0.125f) * (float)(axis ? lane >> 1 & 1 : lane & 1);
                set(&c, axis, lane, 8 + (float)(lane >> 2) + moved);
                set(&c, !axis, lane, 16);
            }
            run(&t.view, &s, &c);
            for (int lane = 0; lane < LANES; lane++) {
                const float v = value(&c, 0, lane);
                if (step ? v != 0.5f : v != 0 && v != 1)
                    fail_msg("axis %d, step %d, lane %d: %g", axis, step, lane, (double)v);
            }
        }
}

TEST(test_gather_edges) {
    struct texture t;
    make(&t, image(FORMAT_R32_FLOAT, TEX_2D, 2, 2));
    for (uint32_t i = 0; i < 4; i++)
        put_float(&t, 0, i & 1, i >> 1, 0, 1 + (float)i);
    const struct tex_sampler s = {.wrap = {3, 3, 3}, .mip = 1, .border = {9, 9, 9, 9}};
    static const float above[4] = {1, 2, 9, 9}, left[4] = {9, 3, 1, 9};
    struct call c = {.args = {.op = TEX_OP_GATHER, .source_count = 2}};
    one(&t, &s, &c, 0.5f, 0, 0, 0);
    for (int k = 0; k < 4; k++)
        assert_true(value(&c, k, 7) == above[k]);
    one(&t, &s, &c, 0, 0.5f, 0, 0);
    for (int k = 0; k < 4; k++)
        assert_true(value(&c, k, 7) == left[k]);
    memory_destroy(t.memory);
    struct tex_image i =
        image(FORMAT_R32_FLOAT, TEX_CUBE, 2, 2); /* each texel has the number of its face */
    i.layers = 6;
    make(&t, i);
    for (uint32_t n = 0; n < 24; n++)
        put_float(&t, 0, n & 1, n >> 1 & 1, n >> 2, (float)(n >> 2));
    static const struct {
        float x, y, z, face[4];
    } table[] = {{1, 0, -0.99f, {0, 5, 5, 0}}, {1, 0, 0.99f, {4, 0, 0, 4}},
                 {1, 0.99f, 0, {0, 0, 2, 2}},  {0, -0.99f, 1, {3, 3, 4, 4}},
                 {0.99f, 0, -1, {0, 5, 5, 0}}, {0, 1, 0.99f, {4, 4, 2, 2}}};
    for (size_t n = 0; n < LENGTH(table); n++) {
        struct call g = {
            .args = {.op = TEX_OP_GATHER, .source_count = 3, .cube = true, .seamless = true}};
        one(&t, &s, &g, table[n].x, table[n].y, table[n].z, 0);
        for (int k = 0; k < 4; k++)
            assert_true(value(&g, k, 7) == table[n].face[k]);
    }
    memory_destroy(t.memory);
}

enum { BORDER = 255, STEPS = 512 /* positions in a texel */ }; /* no texel has the value 255 */

/* The texel that index i selects of n texels; -1: the border. */
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

/* Finds the two texels of a footprint. Writes their values (texel i has the value 4 i + 1) and
 * returns the weight of the second in 1/256. at: the position in steps. gather: the texels keep
 * their order left of 0, where modes that mirror once mirror the position of a sample. */
static int wrap_taps(int at, int n, int wrap, int offset, bool linear, bool gather, int number[2]) {
    at += offset * STEPS;
    if (wrap >= WRAP_MIRROR_EDGE && !gather)
        at = abs(at);
    if (wrap == WRAP_CLAMP || wrap == WRAP_MIRROR_CLAMP) {
        const int least = wrap == WRAP_CLAMP ? 0 : -n * STEPS;
        at = at < least ? least : at > n * STEPS ? n * STEPS : at;
    }
    const int fixed = linear ? floor_div(at + 1, 2) - 128 : floor_div(at, STEPS) * 256;
    for (int k = 0; k < 2; k++) {
        const int i = wrapped(floor_div(fixed, 256) + k, n, wrap, linear);
        number[k] = i < 0 ? BORDER : 4 * i + 1;
    }
    return fixed - 256 * floor_div(fixed, 256);
}

/* The expected sample, times 256. */
static int wrap_model(int at, int n, int wrap, int offset, bool linear) {
    int number[2];
    const int weight = wrap_taps(at, n, wrap, offset, linear, false, number);
    return number[0] * (256 - weight) + number[1] * weight;
}

/* Positions in steps: at and beside the edges and middles of texels, from before the first period
 * to behind the third. */
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

/* A gather returns the four texels of the linear footprint; the upper left texel is the last. */
static void check_gather(const struct wrap_case *w, const struct call *c, int lane, int at) {
    int number[2];
    wrap_taps(at, w->n, w->wrap, w->offset, true, true, number);
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
    const struct tex_sampler s =
        SAMPLER(w->linear, 1,
                .wrap = {w->axis == 0 ? (uint8_t)w->wrap : 2, w->axis == 1 ? (uint8_t)w->wrap : 2,
                         w->axis == 2 ? (uint8_t)w->wrap : 2},
                .border = {w->bytes ? BORDER / 255.0f : BORDER, 0, 0, 0});
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
                                         (at & 255) > 253); /* may be rounded to the next texel */
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
