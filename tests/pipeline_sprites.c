/* Point sprites: words that POINT_COORD_REPLACE_MAP names run from 0 to 1 over the square, for
 * points and for polygons drawn as points; other sides of polygons keep what the vertices say.
 */
#include "pipeline/context.h"
#include "tests/pipeline_fixture.h"

enum { SIZE = 32, POINT_SIZE = 8 };

/* Clockwise and the other way round; their corners lie apart from each other. Colour: all 0.5. */
static const float quads[8][8] = {
    {-0.5f, -0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1}, {0.5f, -0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1},
    {0.5f, 0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1},   {-0.5f, 0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1},
    {-0.5f, -0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1}, {-0.5f, 0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1},
    {0.5f, 0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1},   {0.5f, -0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1},
};

/* Red is s, green is t, blue is `blue` (a nibble of the map), alpha is the vertices'. */
static void draw(struct fixture *f, const struct tp_raster_state *r, enum tp_primitive type,
                 uint32_t first, uint32_t count, uint32_t blue) {
    fixture_open(f, 1, NULL, SIZE);
    f->context->state.point_coord_map[0] = 1u << 16 | 2u << 20 | blue << 24; /* slots 4, 5, 6 */
    OK(f, tp_set_raster(f->context, r));
    fixture_draw(f, type, quads + first, count);
    fixture_read(f);
}

static uint32_t byte(uint32_t pixel, int i) {
    return pixel >> 8 * i & 0xff;
}

static void check_sprite(const struct fixture *f) {
    const uint32_t x0 = SIZE / 4 - POINT_SIZE / 2;
    for (uint32_t y = 0; y < POINT_SIZE; y++) {
        for (uint32_t x = 0; x < POINT_SIZE; x++) {
            const uint32_t p = fixture_pixel(f, x0 + x, x0 + y);
            assert_in_range(byte(p, 0), (2 * x + 1) * 255 / 16 - 1, (2 * x + 1) * 255 / 16 + 1);
            assert_in_range(byte(p, 1), (2 * y + 1) * 255 / 16 - 1, (2 * y + 1) * 255 / 16 + 1);
            assert_int_equal(byte(p, 2), 255);
        }
    }
}

static void test_points(void **state) {
    (void)state;
    const struct tp_raster_state r = {.point_sprite = true, .point_size = POINT_SIZE};
    struct fixture f;
    draw(&f, &r, TP_POINTS, 0, 4, 4);
    check_sprite(&f);
    fixture_close(&f);
}

static void test_polygons_as_points(void **state) {
    (void)state;
    const struct tp_raster_state r = {.point_sprite = true,
                                      .point_size = POINT_SIZE,
                                      .polygon_front = TP_POINT,
                                      .polygon_back = TP_POINT};
    struct fixture f;
    draw(&f, &r, TP_QUADS, 0, 4, 4);
    check_sprite(&f);
    assert_int_equal(fixture_pixel(&f, SIZE / 2, SIZE / 2), 0);
    fixture_close(&f);
}

/* One side filled, the other points: whichever way a quad turns, it is drawn as its side says. */
static void test_one_side(void **state) {
    (void)state;
    int filled = 0;
    for (uint32_t first = 0; first < 8; first += 4) {
        const struct tp_raster_state r = {
            .point_sprite = true, .point_size = POINT_SIZE, .polygon_front = TP_POINT};
        struct fixture f;
        draw(&f, &r, TP_QUADS, first, 4, 4);
        const uint32_t middle = fixture_pixel(&f, SIZE / 2, SIZE / 2);
        if (middle) {
            filled++;
            for (int i = 0; i < 3; i++)
                assert_int_equal(byte(middle, i), 128);
        } else {
            const uint32_t p = fixture_pixel(&f, SIZE / 4 - POINT_SIZE / 2, SIZE / 4);
            assert_in_range(byte(p, 0), 14, 16);
            assert_in_range(byte(p, 1), 142, 144);
        }
        fixture_close(&f);
    }
    assert_int_equal(filled, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_polygons_as_points),
        cmocka_unit_test(test_one_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
