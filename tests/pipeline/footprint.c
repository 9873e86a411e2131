/* The numbers of layouts: surfaces of one number have all of their texels at the same places. */
#include "pipeline/footprint.h"
#include "base/surface.h"
#include "tests/random.h"
#include "tests/test.h"
#include "tests/shapes.h"

/* A small surface; each of its fields has one of few values. */
static struct surface random_surface(void) {
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UNORM, FORMAT_R32_FLOAT,
                                                FORMAT_RGBA16_FLOAT};
    struct surface s = SURFACE(
        formats[random_below(3)], 20 * (1 + random_below(2)), 10 * (1 + random_below(2)),
        (uint16_t)(1 + random_below(2)), .is_3d = random_below(2), .linear = random_below(4) == 0,
        .tile_h = (uint8_t)random_below(2), .tile_d = (uint8_t)random_below(2));
    s.pitch = s.linear ? 512 * (1 + random_below(2)) : 0;
    return s;
}

static bool same_places(const struct surface *a, const struct surface *b) {
    const uint32_t bytes = format_info(a->format)->bytes;
    if (a->width != b->width || a->height != b->height || bytes != format_info(b->format)->bytes)
        return false;
    for (uint32_t y = 0; y < a->height; y++)
        for (uint32_t x = 0; x < a->width; x++)
            if (surface_offset(a, x * bytes, y, 0) != surface_offset(b, x * bytes, y, 0))
                return false;
    return true;
}

TEST(test_shapes) {
    uint32_t equal = 0;
    random_start(1);
    for (int i = 0; i < 20000; i++) {
        const struct surface a = random_surface(), b = random_surface();
        if (footprint_shape(&a, 1) != footprint_shape(&b, 1))
            continue;
        assert_true(same_places(&a, &b));
        equal++;
    }
    assert_true(equal > 100);
    struct surface s = random_surface();
    assert_true(footprint_shape(&s, 1) != footprint_shape(&s, 4));
}
