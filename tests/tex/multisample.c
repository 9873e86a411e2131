/* Multisampled textures of Fermi: a fetch selects a texel and a sample; sizes count texels; the
 * number of samples can be queried. Rules: fermi-3d.md §6, §12. */
#include "tests/tex/calls.h"

enum { WIDTH = 5, HEIGHT = 9, LAYERS = 3 };

static const uint8_t place[8][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {3, 0}, {2, 1}, {3, 1}};

/* Makes a texture of LAYERS layers with a multisample mode. Its surface has a texel for each
 * sample. */
static void make_samples(struct texture *t, uint32_t mode) {
    const uint32_t samples = 1u << mode;
    uint32_t shift_x, shift_y, tic[8];
    surface_sample_shift(samples, &shift_x, &shift_y);
    make(t, layered(image(FORMAT_R32_FLOAT, TEX_2D_ARRAY, WIDTH << shift_x, HEIGHT << shift_y),
                    LAYERS, 1));
    for (uint32_t z = 0; z < LAYERS; z++)
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                for (uint32_t s = 0; s < samples; s++)
                    put_float(t, 0, (x << shift_x) + place[s][0], (y << shift_y) + place[s][1], z,
                              (float)(1000 * z + 100 * y + 10 * x + s + 1));
    tex_image_tic(&t->image, 0, 0, tic);
    tic[2] -= 1u << 22; /* tiles of 8 rows */
    tic[4] = (tic[4] & 0xc0000000) | WIDTH;
    tic[5] = (tic[5] & 0xffff0000) | HEIGHT;
    tic[7] |= mode << 12 | (uint32_t)TIC_TALL_BLOCKS;
    assert_int_equal(tex_view_decode(tic, t->memory, &t->view, NULL, 0), 0);
}

/* A fetch outside of the texture returns 0, whether a coordinate, the layer or the sample is
 * outside. */
TEST(test_fetches) {
    const struct tex_sampler s = {.mip = 1};
    for (uint32_t mode = 0; mode <= 3; mode++) {
        const uint32_t samples = 1u << mode;
        TEXTURE_BY(t, make_samples, mode);
        for (uint32_t turn = 0; turn < 40; turn++) {
            struct call c = {.args = {.op = TEX_OP_FETCH_SAMPLE, .source_count = 4}};
            float want[LANES];
            for (uint32_t lane = 0; lane < LANES; lane++) {
                const uint32_t n = turn * LANES + lane;
                const uint32_t x = n % (WIDTH + 2) - 1, y = n / 7 % (HEIGHT + 2) - 1;
                const uint32_t z = n / 3 % (LAYERS + 1), sample = n % (samples + 1);
                /* some columns have the sign bit alone, which must count */
                c.reg[0][lane] = n % 31 == 30 ? 0x80000000 : x;
                c.reg[1][lane] = y;
                c.reg[2][lane] = z;
                c.reg[3][lane] = sample;
                const bool in =
                    n % 31 != 30 && x < WIDTH && y < HEIGHT && z < LAYERS && sample < samples;
                want[lane] = in ? (float)(1000 * z + 100 * y + 10 * x + sample + 1) : 0;
            }
            run(&t.view, &s, &c);
            for (int lane = 0; lane < LANES; lane++)
                assert_true(value(&c, 0, lane) == want[lane]);
        }
    }
}

TEST(test_queries) {
    const struct tex_sampler s = {.mip = 1};
    for (uint32_t mode = 0; mode <= 3; mode++) {
        TEXTURE_BY(t, make_samples, mode);
        struct call c = {.args = {.op = TEX_OP_SIZE, .source_count = 1}};
        run(&t.view, &s, &c);
        static const uint32_t size[4] = {WIDTH, HEIGHT, LAYERS, 1};
        for (int k = 0; k < 4; k++)
            assert_int_equal(c.reg[k][9], size[k]);
        c = (struct call){.args = {.op = TEX_OP_TYPE, .source_count = 1, .result_mask = 4}};
        run(&t.view, &s, &c);
        assert_int_equal(c.reg[0][9], 1 << mode);
    }
}

/* A texture counts samples as texels if Fermi's mark is missing, if its coordinates are not
 * normalized, or if its mode does not exist. */
TEST(test_plain_views) {
    TEXTURE_BY(t, make_samples, 2);
    for (uint32_t mode = 0; mode < 16; mode++)
        for (int kind = 0; kind < 3; kind++) {
            static const uint8_t samples[16] = {1, 2, 4, 8, 8, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
            uint32_t tic[8];
            tex_image_tic(&t.image, 0, 0, tic);
            tic[2] -= 1u << 22;
            tic[2] &= kind == 1 ? 0x7fffffff : 0xffffffff;
            tic[7] |= mode << 12 | (kind == 2 ? 0 : (uint32_t)TIC_TALL_BLOCKS);
            assert_int_equal(tex_view_decode(tic, t.memory, &t.view, NULL, 0), 0);
            assert_int_equal(t.view.samples, kind ? 1 : samples[mode]);
        }
}
