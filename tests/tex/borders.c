/* Border colours: their range by format; borders without weight; borders in comparisons. */
#include "tests/tex/calls.h"

#include <math.h>

enum { SIDE = 4 };

static const float words[][4] = {
    {1.1f, 1.3f, 2.2f, 1.3f}, {-0.2f, -0.9f, -2.4f, -0.6f}, {INFINITY, -INFINITY, 0.25f, NAN}};

static struct tex_sampler bordered(bool linear, const float border[4]) {
    struct tex_sampler s = {
        .wrap = {3, 3, 3}, .mip = 1, .mag_linear = linear, .min_linear = linear};
    memcpy(s.border, border, sizeof s.border);
    return s;
}

/* A component of the border colour is clamped to the range of the component that the result shows:
 * 0 to 1, -1 to 1, or without limits, according to the format. */
TEST(test_ranges) {
    static const struct {
        enum pixel_format format;
        float low, high;
    } rows[] = {
        {FORMAT_R8_UNORM, 0, 1},
        {FORMAT_RGBA8_UNORM, 0, 1},
        {FORMAT_RGBA8_SRGB, 0, 1},
        {FORMAT_RGB10A2_UNORM, 0, 1},
        {FORMAT_RGBA16_UNORM, 0, 1},
        {FORMAT_RG8_SNORM, -1, 1},
        {FORMAT_RG16_SNORM, -1, 1},
        {FORMAT_Z16_UNORM, 0, 1},
        {FORMAT_Z24S8, 0, 1},
        {FORMAT_RG32_FLOAT, -INFINITY, INFINITY},
        {FORMAT_RGBA16_FLOAT, -INFINITY, INFINITY},
        {FORMAT_Z32_FLOAT, -INFINITY, INFINITY},
    };
    for (size_t r = 0; r < LENGTH(rows); r++)
        for (size_t w = 0; w < 2 * LENGTH(words); w++) {
            const struct tex_sampler s = bordered(w & 1, words[w / 2]);
            struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2}};
            TEXTURE(t, image(rows[r].format, TEX_2D, SIDE, SIDE));
            one(&t, &s, &c, 2.5f, 2.5f, 0, 0);
            for (int k = 0; k < (rows[r].format == FORMAT_Z24S8 ? 1 : 4); k++) {
                const float v = words[w / 2][k];
                const float want = isinf(rows[r].high)  ? v
                                   : !(v > rows[r].low) ? rows[r].low
                                   : v < rows[r].high   ? v
                                                        : rows[r].high;
                if (value(&c, k, 9) != want && !(isnan(want) && isnan(value(&c, k, 9))))
                    fail_msg("row %zu, words %zu, result %d: %g, not %g", r, w, k, value(&c, k, 9),
                             want);
            }
        }
}

/* An infinite or NaN border has an effect only if the border has weight. */
TEST(test_without_weight) {
    static const float borders[] = {INFINITY, -INFINITY, NAN};
    TEXTURE(t, image(FORMAT_R32_FLOAT, TEX_2D, SIDE, SIDE));
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        put_float(&t, 0, i % SIDE, i / SIDE, 0, (float)i - 7);
    for (int n = 0; n < 2 * 3 * SIDE * SIDE; n++) {
        const int x = n / 6 % SIDE, y = n / 6 / SIDE;
        const float border[4] = {borders[n / 2 % 3], 0, 0, 1};
        const struct tex_sampler s = bordered(n & 1, border);
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2}};
        const float inside =
            one(&t, &s, &c, ((float)x + 0.5f) / SIDE, ((float)y + 0.5f) / SIDE, 0, 0);
        if (inside != (float)(y * SIDE + x - 7))
            fail_msg("%s, border %g: texel %d, %d is %g", n & 1 ? "linear" : "nearest", border[0],
                     x, y, inside);
        const float beside = one(&t, &s, &c, 0.25f / SIDE, ((float)y + 0.5f) / SIDE, 0, 0);
        if (n & 1 && !isnan(border[0]) ? beside != border[0] : n & 1 && !isnan(beside))
            fail_msg("border %g: %g beside the edge", border[0], beside);
    }
}

/* A comparison clamps the border to the range of the depth format. */
TEST(test_comparisons) {
    enum { EQUAL = 2 };
    static const struct {
        enum pixel_format format;
        float border, reference;
        bool passes;
    } rows[] = {
        {FORMAT_Z16_UNORM, 1.5f, 1, true},  {FORMAT_Z16_UNORM, -2, 0, true},
        {FORMAT_Z24S8, 1.5f, 1, true},      {FORMAT_Z24S8, 0.5f, 0.5f, true},
        {FORMAT_Z24S8, 0.5f, 0.25f, false}, {FORMAT_Z32_FLOAT, 1.5f, 1.5f, true},
        {FORMAT_Z32_FLOAT, 1.5f, 1, false},
    };
    for (size_t r = 0; r < 2 * LENGTH(rows); r++) {
        const float border[4] = {rows[r / 2].border, 9, 9, 9};
        struct tex_sampler s = bordered(r & 1, border);
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 3}};
        s.compare = true;
        s.compare_func = EQUAL;
        TEXTURE(t, image(rows[r / 2].format, TEX_2D, SIDE, SIDE));
        if (one(&t, &s, &c, 2.5f, 2.5f, rows[r / 2].reference, 0) != (float)rows[r / 2].passes)
            fail_msg("row %zu: %g", r, value(&c, 0, 5));
    }
}
