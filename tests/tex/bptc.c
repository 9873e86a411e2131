/* BPTC blocks (BC7, BC6H): blocks whose fields are written bit by bit, and the texels that follow
 * from them; blocks of reserved modes; textures of both formats. Rules:
 * ARB_texture_compression_bptc. */
#include "tex/bptc.h"

#include "tests/tex/calls.h"
#include "tests/shapes.h"

struct writer {
    uint32_t word[4], at;
};

static void write_bits(struct writer *w, uint32_t value, uint32_t count) {
    for (uint32_t i = 0; i < count; i++, w->at++)
        w->word[w->at / 32] |= (value >> i & 1) << w->at % 32;
}

static const uint8_t weights[5][16] = {
    [2] = {0, 21, 43, 64},
    [3] = {0, 9, 18, 27, 37, 46, 55, 64},
    [4] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}};

static uint32_t mixed(uint32_t a, uint32_t b, uint32_t weight) {
    return (a * (64 - weight) + b * weight + 32) >> 6;
}

static uint32_t component(uint32_t texel, int c) {
    return texel >> 8 * c & 0xff;
}

/* Mode 6: one subset, 7 bits and a lowest bit of each end point, indices of 4 bits. */
TEST(test_one_subset) {
    static const uint8_t end[2][4] = {{3, 100, 127, 0}, {90, 20, 1, 127}}, low[2] = {1, 0};
    struct writer w = {.at = 0};
    uint32_t texel[16];
    write_bits(&w, 1 << 6, 7);
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < 2; i++)
            write_bits(&w, end[i][c], 7);
    for (int i = 0; i < 2; i++)
        write_bits(&w, low[i], 1);
    for (uint32_t i = 0; i < 16; i++)
        write_bits(&w, i ? i : 0, i ? 4 : 3);
    assert_int_equal(w.at, 128);
    bptc_unorm(w.word, 0, 16, texel);
    for (int i = 0; i < 16; i++)
        for (int c = 0; c < 4; c++)
            assert_int_equal(component(texel[i], c), mixed(end[0][c] * 2u + low[0],
                                                           end[1][c] * 2u + low[1], weights[4][i]));
    uint32_t one;
    bptc_unorm(w.word, 11, 1, &one);
    assert_int_equal(one, texel[11]);
}

/* Mode 1: two subsets; partition 13 divides the block into the upper and the lower half. Both end
 * points of a subset share one lowest bit. The anchor of the lower half is its last texel. */
TEST(test_two_subsets) {
    static const uint8_t end[4][3] = {{1, 2, 3}, {63, 62, 61}, {40, 30, 20}, {5, 6, 7}};
    struct writer w = {.at = 0};
    uint32_t texel[16];
    write_bits(&w, 2, 2);
    write_bits(&w, 13, 6);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 4; i++)
            write_bits(&w, end[i][c], 6);
    write_bits(&w, 1, 1);
    write_bits(&w, 0, 1);
    for (uint32_t i = 0; i < 16; i++)
        write_bits(&w, i == 0 || i == 15 ? i % 4 : i % 8, i == 0 || i == 15 ? 2 : 3);
    assert_int_equal(w.at, 128);
    bptc_unorm(w.word, 0, 16, texel);
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t first = i / 8 * 2, index = i == 0 || i == 15 ? i % 4 : i % 8;
        for (int c = 0; c < 3; c++) {
            const uint32_t a = end[first][c] * 2u + (i < 8), b = end[first + 1][c] * 2u + (i < 8);
            assert_int_equal(component(texel[i], c),
                             mixed(a << 1 | a >> 6, b << 1 | b >> 6, weights[3][index]));
        }
        assert_int_equal(component(texel[i], 3), 255);
    }
}

/* Mode 4: a second index of 3 bits is for alpha or for the colour; the rotation may swap alpha and
 * a colour component. */
TEST(test_second_index) {
    for (uint32_t rotation = 0; rotation < 4; rotation++)
        for (uint32_t selection = 0; selection < 2; selection++) {
            struct writer w = {.at = 0};
            uint32_t texel[16];
            write_bits(&w, 16, 5);
            write_bits(&w, rotation, 2);
            write_bits(&w, selection, 1);
            for (int c = 0; c < 3; c++) {
                write_bits(&w, 0, 5);
                write_bits(&w, 31, 5);
            }
            write_bits(&w, 63, 6);
            write_bits(&w, 0, 6);
            for (uint32_t i = 0; i < 16; i++)
                write_bits(&w, i % 4 & (i ? 3 : 1), i ? 2 : 1);
            for (uint32_t i = 0; i < 16; i++)
                write_bits(&w, i / 2, i ? 3 : 2);
            assert_int_equal(w.at, 128);
            bptc_unorm(w.word, 0, 16, texel);
            for (uint32_t i = 0; i < 16; i++) {
                const uint32_t short_one = weights[2][i % 4], long_one = weights[3][i / 2];
                const uint32_t color = mixed(0, 255, selection ? long_one : short_one);
                const uint32_t alpha = mixed(255, 0, selection ? short_one : long_one);
                for (uint32_t c = 0; c < 4; c++) {
                    const bool is_alpha = rotation ? c == rotation - 1 : c == 3;
                    assert_int_equal(component(texel[i], (int)c), is_alpha ? alpha : color);
                }
            }
        }
}

/* BC6H, mode 3: one subset, end points of 10 bits that are not relative. */
TEST(test_halves) {
    static const uint16_t end[2][3] = {{0, 0x3ff, 100}, {0x3ff, 0, 700}};
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        struct writer w = {.at = 0};
        uint64_t texel[16];
        write_bits(&w, 3, 5);
        for (int i = 0; i < 2; i++)
            for (int c = 0; c < 3; c++)
                write_bits(&w, end[i][c], 10);
        for (uint32_t i = 0; i < 16; i++)
            write_bits(&w, i, i ? 4 : 3);
        assert_int_equal(w.at, 128);
        bptc_float(w.word, is_signed, 0, 16, texel);
        for (int i = 0; i < 16; i++)
            for (int c = 0; c < 3; c++) {
                int32_t full[2];
                for (int k = 0; k < 2; k++) {
                    const int32_t v = end[k][c];
                    /* the signed value of 10 bits: 700 is -324, 0x3ff is -1 */
                    const int32_t s = v >= 512 ? v - 1024 : v;
                    full[k] = is_signed ? (s < 0 ? -1 : s > 0) *
                                              (((s < 0 ? -s : s) * 0x8000 + 0x4000) >> 9)
                              : v == 0x3ff ? 0xffff
                              : v          ? ((v << 15) + 0x4000) >> 9
                                           : 0;
                }
                const int32_t weight = weights[4][i];
                const int32_t m = (full[0] * (64 - weight) + full[1] * weight + 32) >> 6;
                const uint32_t want = !is_signed ? (uint32_t)m * 31 >> 6
                                      : m < 0    ? 0x8000 | (uint32_t)-m * 31 >> 5
                                                 : (uint32_t)m * 31 >> 5;
                assert_int_equal(texel[i] >> 16 * c & 0xffff, want);
            }
    }
}

/* BC6H, mode 0: two subsets; the second to fourth end point are differences of 5 bits, with sign,
 * from the first, which has 10 bits. All fields but the partition and those of red are 0. Red is 8,
 * with the differences -1, 2 and 3. */
TEST(test_differences) {
    struct writer w = {.at = 5};
    uint64_t texel[16];
    write_bits(&w, 8, 10); /* r of end point 0 */
    w.at = 35;
    write_bits(&w, 31, 5); /* -1 */
    w.at = 65;
    write_bits(&w, 2, 5);
    w.at = 71;
    write_bits(&w, 3, 5);
    w.at = 77;
    write_bits(&w, 13, 5); /* partition 13: the upper and the lower half */
    bptc_float(w.word, false, 0, 16, texel);
    /* by subset: all indices are 0, so each texel has the first end point of its subset */
    static const uint32_t first[2] = {8, 10};
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(texel[i], (uint64_t)((first[i / 8] * 0x8000 + 0x4000) >> 9) * 31 >> 6);
}

TEST(test_reserved) {
    static const uint8_t reserved[4] = {0x13, 0x17, 0x1b, 0x1f};
    uint32_t word[4] = {0, ~0u, ~0u, ~0u}, texel[16];
    uint64_t halves[16];
    bptc_unorm(word, 0, 16, texel);
    for (int i = 0; i < 16; i++)
        assert_int_equal(texel[i], 0);
    for (int mode = 0; mode < 4; mode++) {
        word[0] = 0xffffff00u | 0xe0 | reserved[mode];
        bptc_float(word, mode & 1, 0, 16, halves);
        for (int i = 0; i < 16; i++)
            assert_int_equal(halves[i], 0);
    }
}

/* A texture has the texels of its blocks, for lanes that lie near each other and far apart. */
TEST(test_textures) {
    enum { SIZE = 256, BLOCKS = SIZE / 4 };
    static const uint8_t codes[] = {0x17, 0x11, 0x10};
    const struct tex_sampler s = {.mip = 1};
    uint64_t seed = 5;
    for (int n = 0; n < 3; n++) {
        uint32_t tic[8];
        TEXTURE(t, image(FORMAT_DXT5, TEX_2D, SIZE, SIZE)); /* blocks of the same size */
        static uint32_t block[BLOCKS * BLOCKS][4];
        for (uint32_t i = 0; i < BLOCKS * BLOCKS; i++) {
            for (int k = 0; k < 4; k++)
                block[i][k] = (uint32_t)random_next(&seed);
            if (n == 0)
                block[i][0] = (block[i][0] & ~0xffu) | 1u << i % 8;
            const struct surface surface =
                SURFACE(FORMAT_RGBA32_UINT, BLOCKS, BLOCKS, 1, .tile_h = t.level[0].tile_h);
            const uint64_t at = surface_offset(&surface, i % BLOCKS * 16, i / BLOCKS, 0);
            memcpy(memory_at(t.memory, t.image.address + at, 16), block[i], 16);
        }
        tex_image_tic(&t.image, 0, 0, tic);
        const uint32_t type = n ? COMPONENT_FLOAT : COMPONENT_UNORM;
        tic[0] = codes[n] | type << 6 | type << 9 | type << 12 | type << 15 | 2u << 18 | 3u << 21 |
                 4u << 24 | (n ? 7u : 5u) << 27;
        assert_int_equal(tex_view_decode(tic, t.memory, &t.view, NULL, 0), 0);
        for (int far = 0; far < 2; far++) {
            struct call c = {.args = {.op = TEX_OP_FETCH, .source_count = 2}};
            uint32_t x[LANES], y[LANES];
            for (uint32_t lane = 0; lane < LANES; lane++) {
                x[lane] = far ? (uint32_t)random_next(&seed) % SIZE : 8 + lane % 8;
                y[lane] = far ? (uint32_t)random_next(&seed) % SIZE : 8 + lane / 8;
                c.reg[0][lane] = x[lane];
                c.reg[1][lane] = y[lane];
            }
            run(&t.view, &s, &c);
            for (int lane = 0; lane < LANES; lane++) {
                const uint32_t *b = block[y[lane] / 4 * BLOCKS + x[lane] / 4];
                const uint32_t in = y[lane] % 4 * 4 + x[lane] % 4;
                uint32_t bytes = 0;
                uint64_t halves = 0;
                if (n == 0)
                    bptc_unorm(b, in, 1, &bytes);
                else
                    bptc_float(b, n == 2, in, 1, &halves);
                for (int k = 0; k < 3; k++) {
                    const uint16_t h = (uint16_t)(halves >> 16 * k);
                    _Float16 half;
                    memcpy(&half, &h, 2);
                    const float want =
                        n ? (float)half : (float)component(bytes, k) * (1.0f / 255.0f);
                    assert_true(value(&c, k, lane) == want);
                }
                assert_true(value(&c, 3, lane) ==
                            (n ? 1.0f : (float)component(bytes, 3) * (1.0f / 255.0f)));
            }
        }
    }
}
