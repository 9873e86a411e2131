/* Uploads, blits and read-backs that are large enough to be divided between threads give the same
 * bytes as one thread at the base SIMD level. */
#include "base/format.h"
#include "tests/pipeline/fixture.h"

enum { WIDTH = 517, HEIGHT = 391, TEXELS = WIDTH * HEIGHT };

struct blit {
    enum tp_format from, to;
    struct tp_rect to_rect, from_rect;
    bool linear;
};

static const struct blit blits[] = {
    {TP_FORMAT_RGBA8, TP_FORMAT_RGBA8, {3, 5, 500, 380}, {11, 7, 500, 380}, false},
    {TP_FORMAT_RGBA8, TP_FORMAT_BGRA8, {3, 5, 500, 380}, {11, 7, 500, 380}, false},
    {TP_FORMAT_RGBA8, TP_FORMAT_RGBA32F, {0, 0, WIDTH, HEIGHT}, {0, 0, WIDTH, HEIGHT}, false},
    {TP_FORMAT_RGBA32F,
     TP_FORMAT_RGBA16F,
     {0, 1, WIDTH, HEIGHT - 1},
     {0, 0, WIDTH, HEIGHT - 1},
     false},
    {TP_FORMAT_RGBA8, TP_FORMAT_RGBA8, {9, 9, 300, 200}, {0, 0, WIDTH, HEIGHT}, true},
    {TP_FORMAT_RGBA16F, TP_FORMAT_RGBA8_SRGB, {0, 0, WIDTH, HEIGHT}, {50, 60, 100, 90}, true},
    {TP_FORMAT_R8, TP_FORMAT_RG8, {1, 1, 510, 390}, {17, 31, 255, 130}, false},
};

/* Uploads noise, blits, reads back. */
static void run(const struct blit *b, int threads, const char *simd, uint8_t *result) {
    struct fixture f;
    uint8_t *noise = malloc(TEXELS * 16);
    assert_non_null(noise);
    random_start(1); /* the same noise in every run */
    for (uint32_t i = 0; i < TEXELS * 16; i++)
        noise[i] = (uint8_t)random_word();
    fixture_open_device(
        &f, (struct tp_device_info){.threads = threads, .simd = simd, .memory = 1 << 28});
    tp_context *const c = f.context;
    tp_texture *from = fixture_picture(&f, b->from, WIDTH, HEIGHT);
    tp_texture *to = fixture_picture(&f, b->to, WIDTH, HEIGHT);
    assert_int_equal(tp_texture_write(c, from, 0, 0, noise, WIDTH * 16), TP_OK);
    assert_int_equal(tp_texture_blit(c, (struct tp_texture_place){to, 0, 0}, &b->to_rect,
                                     (struct tp_texture_place){from, 0, 0}, &b->from_rect,
                                     b->linear),
                     TP_OK);
    memset(result, 0, TEXELS * 16);
    assert_int_equal(tp_texture_read(c, to, 0, 0, result, WIDTH * 16), TP_OK);
    fixture_close(&f);
    free(noise);
}

TEST(test_threads_and_levels) {
    static const struct {
        int threads;
        const char *simd;
    } with[] = {{4, "base"}, {1, NULL}, {5, NULL}};
    uint8_t *alone = malloc(TEXELS * 16), *other = malloc(TEXELS * 16);
    assert_true(alone && other);
    for (size_t i = 0; i < LENGTH(blits); i++) {
        run(&blits[i], 1, "base", alone);
        for (size_t k = 0; k < LENGTH(with); k++) {
            run(&blits[i], with[k].threads, with[k].simd, other);
            if (memcmp(alone, other, TEXELS * 16) != 0)
                fail_msg("blit %zu, %d threads, %s: other bytes", i, with[k].threads,
                         with[k].simd ? with[k].simd : "best");
        }
    }
    free(alone);
    free(other);
}

/* Unscaled: each texel is its converted source texel; texels around the rectangle are unchanged. */
TEST(test_texels) {
    static const enum pixel_format formats[][2] = {
        {FORMAT_RGBA8_UNORM, FORMAT_RGBA8_UNORM},
        {FORMAT_RGBA8_UNORM, FORMAT_BGRA8_UNORM},
        {FORMAT_RGBA8_UNORM, FORMAT_RGBA32_FLOAT},
    };
    uint8_t *result = malloc(TEXELS * 16);
    assert_non_null(result);
    for (int i = 0; i < 3; i++) {
        const struct blit *b = &blits[i];
        const uint32_t bytes = format_info(formats[i][1])->bytes;
        uint8_t *noise = malloc(TEXELS * 16);
        assert_non_null(noise);
        random_start(1);
        for (uint32_t k = 0; k < TEXELS * 16; k++)
            noise[k] = (uint8_t)random_word();
        run(b, 3, NULL, result);
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++) {
                const uint32_t u = x - b->to_rect.x, v = y - b->to_rect.y;
                uint8_t want[16] = {0};
                uint32_t rgba[4];
                if (u < b->to_rect.width && v < b->to_rect.height) {
                    format_decode(
                        formats[i][0],
                        noise + (v + b->from_rect.y) * WIDTH * 16 + (u + b->from_rect.x) * 4, rgba);
                    format_encode(formats[i][1], rgba, want);
                }
                if (memcmp(want, result + y * WIDTH * 16 + x * bytes, bytes) != 0)
                    fail_msg("blit %d: texel %u, %u", i, x, y);
            }
        free(noise);
    }
    free(result);
}
