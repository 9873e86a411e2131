/* Warps whose footprints all lie inside of a level are sampled by tex/inside.inc, by rows where
 * pixels show neighbouring texels. Each lane has the result that it has when it is sampled
 * alone. */
#include "tests/tex/calls.h"
#include "tests/shapes.h"

enum { WIDTH = 40, HEIGHT = 24 };

static void fill(struct texture *t, enum pixel_format format, uint32_t layers, uint64_t *seed) {
    struct tex_image i = image(format, layers > 1 ? TEX_2D_ARRAY : TEX_2D, WIDTH, HEIGHT);
    const bool floats = format_info(format)->type == COMPONENT_FLOAT;
    i.levels = 2;
    i.layers = layers;
    make(t, i);
    for (uint32_t n = 0; n < 2 * layers * WIDTH * HEIGHT; n++) {
        const uint32_t x = n % WIDTH, y = n / WIDTH % HEIGHT, layer = n / (WIDTH * HEIGHT) / 2;
        const int level = n / (WIDTH * HEIGHT) & 1;
        const uint64_t word = random_next(seed);
        /* the mask makes all halves and floats finite; signs stay */
        const uint64_t texel = floats ? word & UINT64_C(0xb3ffb3ffb3ffb3ff) : word;
        if (x < WIDTH >> level && y < HEIGHT >> level)
            put(t, level, x, y, layer, &texel);
    }
}

/* A lane that is sampled alone has the result that it has among all lanes. */
static void check_alone(const struct texture *t, const struct tex_sampler *s, const struct call *in,
                        int lane, const char *what) {
    for (enum simd_level level = 0; level <= simd_best(); level++) {
        struct tex_args args = in->args;
        u32x32 all[4], alone[4];
        memcpy(all, in->reg, sizeof all);
        memcpy(alone, in->reg, sizeof alone);
        args.lanes = LANES_ALL;
        tex_run(level, &t->view, s, &args, all);
        args.lanes = UINT32_C(1) << lane;
        tex_run(level, &t->view, s, &args, alone);
        for (int c = 0; c < 4; c++)
            if (all[c][lane] != alone[c][lane])
                fail_msg("%s, level %d, lane %d, component %d: %08x, alone %08x", what, (int)level,
                         lane, c, all[c][lane], alone[c][lane]);
    }
}

/* Coordinates of a block of 8x4 pixels whose first pixel is at (x, y); neighbouring pixels are
 * `scale` texels apart. */
static void block(struct call *c, float x, float y, float scale) {
    for (int lane = 0; lane < LANES; lane++) {
        const int column = lane / 4 % 4 * 2 + (lane & 1), row = lane / 16 * 2 + (lane >> 1 & 1);
        set(c, 0, lane, (x + (float)column * scale) / WIDTH);
        set(c, 1, lane, (y + (float)row * scale) / HEIGHT);
    }
}

/* Positions in texels along an axis of `size` texels: at its beginning and end, and outside. */
static float corner(unsigned n, float size) {
    const float at[] = {-0.0f,        0.0f,        0.49f,       0.5f,         -0.5f,
                        -0.001f,      size - 0.5f, size - 1.5f, size - 0.49f, nextafterf(size, 0),
                        size,         size + 1,    NAN,         -INFINITY,    1e10f,
                        size - 0.502f};
    return at[n % LENGTH(at)];
}
enum { CORNERS = 16 };

static void check_sampler(const struct texture *t, const struct tex_sampler *s, bool compare,
                          uint64_t *seed) {
    const bool array = t->image.layers > 1;
    static const float steps[] = {1, 1, 1, 1, 0.5f, 0.5f, 0.875f, 0.875f};
    for (unsigned n = 0; n < 2 * CORNERS; n++) {
        struct call c = {.args = {.op = TEX_OP_AUTO,
                                  .source_count = (uint8_t)(2 + array + compare),
                                  .result_mask = compare ? 1 : 15,
                                  .deriv = true}};
        const uint64_t r = random_next(seed);
        const int moved = (int)(r % LANES), axis = n & 1;
        const float size = axis ? HEIGHT : WIDTH;
        /* the second texels have weight 0 along both axes, one axis or none; with half a texel from
         * pixel to pixel, in some lanes only */
        const float x = 0.5f + (float)(r >> 8 & 15) + (r >> 16 & 1 ? 0.25f : 0);
        const float y = 0.5f + (float)(r >> 12 & 15) + (r >> 17 & 1 ? 0.75f : 0);
        block(&c, x, y, steps[r >> 20 & 7]);
        for (int lane = 0; lane < LANES; lane++) {
            set(&c, 2 + array, lane, (float)(lane & 7) / 7);
            if (array)
                c.reg[2][lane] = (uint32_t)(r >> 24 & 3);
        }
        check_alone(t, s, &c, moved, "inside");
        if (array && n % 3 == 0)
            c.reg[2][moved]++;
        else
            set(&c, axis, moved, corner(n / 2, size) / size);
        check_alone(t, s, &c, moved, "a lane moved");
        check_alone(t, s, &c, (moved + 1) % LANES, "beside a lane moved");
    }
}

static void check_format(enum pixel_format format, uint32_t layers, bool compare) {
    uint64_t seed = 1;
    TEXTURE_BY(t, fill, format, layers, &seed);
    for (uint8_t n = 0; n < 32; n++) {
        const bool linear = n & 1;
        const struct tex_sampler s = SAMPLER(
            linear, n >> 4 ? 3 : 1, .wrap = {n >> 1 & 7, (n >> 1) + (n >> 4) & 7, 0}, .max_lod = 15,
            .compare = compare, .compare_func = 3, .border = {0.3f, 0.7f, 0.1f, 0.9f});
        check_sampler(&t, &s, compare, &seed);
    }
}

TEST(test_samples) {
    for (uint32_t layers = 1; layers <= 3; layers += 2) {
        check_format(FORMAT_RGBA8_UNORM, layers, false);
        check_format(FORMAT_RGBA16_FLOAT, layers, false);
        check_format(FORMAT_R32_FLOAT, layers, false);
        check_format(FORMAT_R8_UNORM, layers, false);
        check_format(FORMAT_R32_FLOAT, layers, true);
        check_format(FORMAT_Z24S8, layers, true);
    }
}

/* Fetches blocks of texels. One lane lies at an edge, beyond the edge, or in another level. */
static void check_fetch(const struct texture *t, bool other_level, uint64_t *seed) {
    static const int32_t edges[2][8] = {
        {-1, 0, WIDTH - 1, WIDTH, WIDTH - 2, INT32_MIN, INT32_MAX, 3},
        {-1, 0, HEIGHT - 1, HEIGHT, HEIGHT - 2, INT32_MIN, INT32_MAX, 3}};
    for (unsigned n = 0; n < 32; n++) {
        struct call c = {.args = {.op = TEX_OP_FETCH, .source_count = 3, .result_mask = 15}};
        const uint64_t r = random_next(seed);
        const int moved = (int)(r % LANES);
        c.args.offset[0] = (int8_t)((int)(r >> 8 & 3) - 1);
        block(&c, 0, 0, 1);
        for (int lane = 0; lane < LANES; lane++) {
            c.reg[0][lane] = (uint32_t)(value(&c, 0, lane) * WIDTH + 0.5f) + (r >> 16 & 31);
            c.reg[1][lane] = (uint32_t)(value(&c, 1, lane) * HEIGHT + 0.5f) + (r >> 24 & 15);
            c.reg[2][lane] = 0;
        }
        check_alone(t, NULL, &c, moved, "texels inside");
        if (other_level)
            c.reg[2][moved] = n & 1 ? 1 : n;
        else
            c.reg[n & 1][moved] =
                (uint32_t)edges[n & 1][n / 2 % 8] - (n & 1 ? 0 : (uint32_t)c.args.offset[0]);
        check_alone(t, NULL, &c, moved, "a texel moved");
        check_alone(t, NULL, &c, (moved + 1) % LANES, "beside a texel moved");
    }
}

TEST(test_fetches) {
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UNORM, FORMAT_RGBA16_FLOAT,
                                                FORMAT_R32_UINT, FORMAT_R8_UNORM};
    for (size_t i = 0; i < LENGTH(formats); i++) {
        uint64_t seed = 2;
        TEXTURE_BY(t, fill, formats[i], 1, &seed);
        check_fetch(&t, false, &seed);
        check_fetch(&t, true, &seed);
    }
}
