/* Clears by CLEAR_BUFFERS: components, rectangles, layers. */
#include "pipeline/context_private.h"
#include "tests/fifo/clear_zeta.h"

/* Clears with different masks, without a finish in between. A later clear keeps the bits that its
 * mask leaves out. */
FIXTURE_TEST(test_masked_clears_in_a_row) {
    static const struct {
        uint32_t mask[3], value[3], expected;
    } row[] = {
        {{0xff, 0x0f, 0xff}, {0xa5, 0xff, 0x11}, 0x11},
        {{0xff, 0x0f, 0x00}, {0xa5, 0xff, 0xff}, 0xaf},
        {{0xff, 0xf0, 0x0f}, {0x00, 0xff, 0x05}, 0xf5},
        {{0xff, 0x80, 0x7f}, {0xff, 0x00, 0x00}, 0x00},
        {{0xff, 0xfe, 0xfe}, {0x01, 0x00, 0x02}, 0x03},
        {{0xff, 0x01, 0x80}, {0x7e, 0xff, 0xff}, 0xff},
    };
    zeta_target(f);
    for (size_t i = 0; i < LENGTH(row); i++) {
        for (int k = 0; k < 3; k++) /* writes depth, too, so that each clear covers all of zeta */
            clear_zeta(f, row[i].mask[k], row[i].value[k], 3);
        finish(f);
        if (word_at(f, 0) >> 24 != row[i].expected)
            fail_msg("row %zu: %02x instead of %02x", i, word_at(f, 0) >> 24, row[i].expected);
    }
    assert_int_equal(f->lines, 0);
}

/* Bits of CLEAR_BUFFERS select depth and stencil separately. */
FIXTURE_TEST(test_cleared_parts) {
    zeta_target(f);
    for (uint32_t what = 0; what < 4; what++) {
        one(f, THREE_D, 0xd90, 0x3f800000); /* sets all bits first */
        clear_zeta(f, 0xff, 0xff, 3);
        one(f, THREE_D, 0xd90, 0);
        clear_zeta(f, 0xff, 0, what);
        finish(f);
        assert_int_equal(word_at(f, 0), (what & 1 ? 0 : 0xffffff) | (what & 2 ? 0 : 0xff000000));
    }
}

/* A colour clear writes the components that its bits select, in the target that it selects. */
FIXTURE_TEST(test_cleared_components) {
    const uint32_t screen[] = {32 << 16, 32 << 16};
    for (uint32_t i = 0; i < 2; i++) {
        const uint64_t at = f->data + i * 0x10000;
        const uint32_t rt[] = {HIGH_LOW(at), 0xd5, 0x20, 0};
        method(f, THREE_D, 0x200 + 32 * i, 5, rt);
        METHOD(f, THREE_D, 0x1240 + 8 * i, 32, 32);
    }
    one(f, THREE_D, 0x121c, 1 << 7 | 2);
    one(f, THREE_D, 0x1224, 1);
    method(f, THREE_D, 0xff4, 2, screen);
    method(f, THREE_D, 0xc00, 2, screen);
    METHOD(f, THREE_D, 0xd80, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000);
    one(f, THREE_D, 0x143c, 0x10);
    for (uint32_t rt = 0; rt < 2; rt++)
        for (uint32_t bits = 0; bits < 16; bits++) {
            memset(f->bytes, 0, 0x20000);
            one(f, THREE_D, 0x19d0, rt << 6 | bits << 2);
            finish(f);
            const uint32_t expected = (bits & 1 ? 0xff : 0) | (bits & 2 ? 0xff00 : 0) |
                                      (bits & 4 ? 0xff0000 : 0) | (bits & 8 ? 0xff000000 : 0);
            assert_int_equal(word_at(f, rt * 0x10000), expected);
            assert_int_equal(word_at(f, (1 - rt) * 0x10000), 0);
        }
    memset(f->bytes, 0, 0x20000);
    for (uint32_t rt = 2; rt < 16; rt++) /* targets that do not exist */
        one(f, THREE_D, 0x19d0, rt << 6 | 0x3c);
    finish(f);
    assert_int_equal(word_at(f, 0) | word_at(f, 0x10000), 0);
    assert_int_equal(f->lines, 0);
}

/* A clear covers its own target, even if another enabled target is smaller or lies outside of
 * memory. (The driver leaves the zeta target of an earlier framebuffer enabled.) A following clear
 * of both targets writes both. */
FIXTURE_TEST(test_clears_beside_other_targets) {
    enum { COLOR = 0x10000 };
    static const struct {
        bool nowhere;
        uint32_t size;
    } row[] = {{false, 8}, {true, 32}, {true, 8}, {false, 32}, {false, 64}};
    const uint32_t screen[] = {32 << 16, 32 << 16};
    method(f, THREE_D, 0xc00, 2, screen);
    method(f, THREE_D, 0xff4, 2, screen);
    METHOD(f, THREE_D, 0xd80, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000);
    one(f, THREE_D, 0xd90, 0x3f800000);
    one(f, THREE_D, 0x121c, 1);
    one(f, THREE_D, 0x1224, 1);
    one(f, THREE_D, 0x1538, 1);
    for (uint32_t i = 0; i < 2 * LENGTH(row); i++) {
        const uint64_t nowhere = row[i / 2].nowhere ? UINT64_C(0xf000000000) : 0;
        const uint32_t n = row[i / 2].size;
        const bool zeta_idle = i & 1;
        const uint64_t color = zeta_idle || !nowhere ? f->data + COLOR : nowhere;
        const uint64_t zeta = !zeta_idle || !nowhere ? f->data : nowhere;
        memset(f->bytes, 0, 2 * COLOR);
        METHOD(f, THREE_D, 0x200, HIGH_LOW(color), 0xd5, 0, 0);
        METHOD(f, THREE_D, 0x1240, zeta_idle ? 32 : n, zeta_idle ? 32 : n);
        METHOD(f, THREE_D, 0xfe0, HIGH_LOW(zeta), 0x16, 0, 0);
        METHOD(f, THREE_D, 0x1228, zeta_idle ? n : 32, zeta_idle ? n : 32, 1);
        one(f, THREE_D, 0x19d0, zeta_idle ? 0x3c : 3);
        finish(f);
        const uint32_t at = zeta_idle ? COLOR : 0;
        uint32_t words = 0;
        for (uint32_t k = 0; k < 4096; k += 4)
            words += word_at(f, at + k) != 0;
        if (words != 1024)
            fail_msg("row %u: %u of 1024 pixels cleared", i, words);
        if (nowhere)
            continue;
        one(f, THREE_D, 0x19d0, 0x3f);
        memset(f->bytes, 0, 2 * COLOR);
        finish(f);
        assert_true(word_at(f, 0) && word_at(f, COLOR));
    }
    assert_int_equal(f->lines, 0);
}

/* A clear covers the screen scissor, cut by the viewport if bit 4 of CLEAR_FLAGS is set, otherwise
 * by the scissor if that is enabled. */
FIXTURE_TEST(test_rectangles_of_clears) {
    enum { WIDTH = 16, HEIGHT = 4 };
    const uint32_t scissor[] = {9 << 16 | 3, HEIGHT << 16}; /* x from 3 to 8 */
    METHOD(f, THREE_D, 0x200, HIGH_LOW(f->data), 0xd5, 0, 0);
    METHOD(f, THREE_D, 0x1240, WIDTH, HEIGHT);
    one(f, THREE_D, 0x121c, 1);
    one(f, THREE_D, 0x1224, 1);
    METHOD(f, THREE_D, 0xff4, 14 << 16 | 1, HEIGHT << 16);
    METHOD(f, THREE_D, 0xc00, 6 << 16 | 4, HEIGHT << 16);
    method(f, THREE_D, 0xe04, 2, scissor);
    METHOD(f, THREE_D, 0xd80, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000);
    for (uint32_t i = 0; i < 4; i++) {
        memset(f->bytes, 0, 4096);
        one(f, THREE_D, 0xe00, i & 1); /* scissor enabled or not */
        one(f, THREE_D, 0x143c, i & 2 ? 0x10 : 0);
        one(f, THREE_D, 0x19d0, 0x3c);
        finish(f);
        for (uint32_t x = 0; x < WIDTH; x++) {
            const bool in = i & 2 ? x >= 4 && x < 10 : i & 1 ? x >= 3 && x < 9 : x >= 1 && x < 15;
            assert_int_equal(word_at(f, 4 * x) != 0, in);
        }
    }
    assert_int_equal(f->lines, 0);
}

/* Bits 10 to 20 of CLEAR_BUFFERS select one of 2047 slices. Only this slice is cleared, also if the
 * target had fewer slices before. */
FIXTURE_TEST(test_cleared_layers) {
    enum { LAYER = 256, LAYERS = 2047 };
    static const uint32_t layers[] = {0, 1, 2, 511, 1023, 1024, 1025, 1536, 2046};
    enum { COUNT = LENGTH(layers) };
    const uint32_t screen[] = {16 << 16, 4 << 16};
    METHOD(f, THREE_D, 0x200, HIGH_LOW(f->data), 0xd5, 0, LAYER >> 2);
    METHOD(f, THREE_D, 0x1240, 16, 4);
    one(f, THREE_D, 0x121c, 1);
    one(f, THREE_D, 0x1224, 1 << 16 | LAYERS); /* more slices than the limit of layers */
    method(f, THREE_D, 0xff4, 2, screen);
    method(f, THREE_D, 0xc00, 2, screen);
    METHOD(f, THREE_D, 0xd80, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000);
    one(f, THREE_D, 0x143c, 0x10);
    for (size_t i = 0; i < 2 * COUNT; i++) {
        if (i == COUNT) { /* again with programs that choose viewports */
            one(f, THREE_D, 0xfd4, 9);
            one(f, THREE_D, 0x1900, 1);
            one(f, THREE_D, 0x15dc, 4);
            run_one(f, THREE_D, 0x15e0, 0);
            f->lines = 0;
        }
        for (uint32_t more = 0; more < 3; more++) {
            const uint32_t layer = i < COUNT ? layers[i] : layers[i - COUNT] % 14;
            memset(f->bytes, 0, LAYER * LAYERS);
            /* if more is 0, the first number of layers leaves the layer out */
            one(f, THREE_D, 0x1224, 1 << 16 | (layer + more));
            one(f, THREE_D, 0x1224, 1 << 16 | LAYERS);
            one(f, THREE_D, 0x19d0, layer << 10 | 0x3c);
            finish(f);
            for (uint32_t k = 0; k < LAYERS; k++)
                if (word_at(f, k * LAYER) != (k == layer ? 0xffffffff : 0))
                    fail_msg("layer %u of a clear of layer %u: %08x, %s", k, layer,
                             word_at(f, k * LAYER), f->last);
        }
    }
    /* layers lie RT_LAYER_STRIDE apart, slices do not; only the last setting counts */
    one(f, THREE_D, 0x210, 2 * LAYER >> 2);
    for (uint32_t was = 0; was < 2; was++)
        for (uint32_t is = 0; is < 2; is++) {
            memset(f->bytes, 0, LAYER * 8);
            one(f, THREE_D, 0x1224, was << 16 | 4);
            one(f, THREE_D, 0x1224, is << 16 | 4);
            one(f, THREE_D, 0x19d0, 1 << 10 | 0x3c);
            finish(f);
            for (uint32_t k = 0; k < 8; k++)
                assert_int_equal(word_at(f, k * LAYER) != 0, k == (is ? 1 : 2));
        }
    assert_int_equal(f->lines, 0);
}

/* Clears reach the layers that lie in the target's own memory: two of the first target, all four of
 * the second. */
FIXTURE_TEST(test_layers_of_two_targets) {
    enum { LAYER = 0x1000, LAYERS = 4, IN_MEMORY = 2 };
    const uint64_t end = f->data + memory_extent(f->memory, f->data);
    const uint64_t at[] = {end - IN_MEMORY * LAYER, f->data};
    uint8_t *const bytes[] = {memory_at(f->memory, at[0], IN_MEMORY * LAYER), f->bytes};
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t rt[] = {(uint32_t)(at[i] >> 32), (uint32_t)at[i], 0xd5, 0, LAYER >> 2};
        method(f, THREE_D, 0x200 + 32 * i, 5, rt);
        METHOD(f, THREE_D, 0x1240 + 8 * i, 16, 4);
    }
    one(f, THREE_D, 0x121c, 1 << 7 | 2);
    one(f, THREE_D, 0x1224, LAYERS);
    METHOD(f, THREE_D, 0xff4, 16 << 16, 4 << 16);
    METHOD(f, THREE_D, 0xd80, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000);
    for (uint32_t i = 0; i < 2 * LAYERS; i++) {
        const uint32_t rt = i / LAYERS, layer = i % LAYERS;
        memset(bytes[0], 0, IN_MEMORY * LAYER);
        memset(bytes[1], 0, LAYERS * LAYER);
        one(f, THREE_D, 0x19d0, layer << 10 | rt << 6 | 0x3c);
        finish(f);
        for (uint32_t k = 0; k < LAYERS + IN_MEMORY; k++) {
            const uint32_t of = k < LAYERS ? 1 : 0, n = of ? k : k - LAYERS;
            uint32_t word;
            memcpy(&word, bytes[of] + n * LAYER, sizeof word);
            if (word != (of == rt && n == layer ? 0xffffffff : 0))
                fail_msg("target %u, layer %u of a clear of target %u, layer %u: %08x", of, n, rt,
                         layer, word);
        }
    }
    assert_int_equal(f->lines, 0);
}

/* A draw after a clear has the number of layers that was set last, even if the clear used the
 * number before. */
FIXTURE_TEST(test_layers_behind_clears) {
    const struct state *s = &channel_context(f->channel)->state;
    METHOD(f, THREE_D, 0x200, HIGH_LOW(f->data), 0xd5, 0, 256 >> 2);
    METHOD(f, THREE_D, 0x1240, 16, 4);
    one(f, THREE_D, 0x121c, 1);
    for (uint32_t i = 0; i < 4 * 4 * 8; i++) {
        const uint32_t was = i % 4 + 1, is = i / 4 % 4 + 1, layer = i / 16 % 4, restored = i / 64;
        one(f, THREE_D, 0x1224, was);
        one(f, THREE_D, 0x15dc, 4);
        one(f, THREE_D, 0x15e0, 0);
        one(f, THREE_D, 0x1224, is);
        one(f, THREE_D, 0x19d0, layer << 10 | 0x3c);
        if (restored)
            one(f, THREE_D, 0x1224, was);
        one(f, THREE_D, 0x15dc, 4);
        run_one(f, THREE_D, 0x15e0, 0);
        if (s->layers != (restored ? was : is))
            fail_msg("%u layers, then %u, a clear of layer %u: %u", was, is, layer, s->layers);
    }
}
