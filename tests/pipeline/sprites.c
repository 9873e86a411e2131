/* Point sprites: words named by POINT_COORD_REPLACE_MAP run from 0 to 1 over the square of points,
 * and of polygons drawn as points. Other polygon modes keep the values of the vertices. */
#include "pipeline/context.h"
#include "tests/pipeline/colours.h"

enum { SIZE = 32, POINT_SIZE = 8 };

/* A clockwise and a counterclockwise quad with separate corners. The colour is 0.5. */
static const float quads[8][8] = {
    {-0.5f, -0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1}, {0.5f, -0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1},
    {0.5f, 0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1},   {-0.5f, 0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1},
    {-0.5f, -0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1}, {-0.5f, 0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1},
    {0.5f, 0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1},   {0.5f, -0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 1},
};

/* Red is s, green is t, blue has the map's nibble `blue`, alpha is the vertices' value. */
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

TEST(test_points) {
    const struct tp_raster_state r = {.point_sprite = true, .point_size = POINT_SIZE};
    FIXTURE_OPEN(f, draw, &r, TP_POINTS, 0, 4, 4);
    check_sprite(&f);
}

TEST(test_polygons_as_points) {
    const struct tp_raster_state r = {.point_sprite = true,
                                      .point_size = POINT_SIZE,
                                      .polygon_front = TP_POLYGON_POINT,
                                      .polygon_back = TP_POLYGON_POINT};
    FIXTURE_OPEN(f, draw, &r, TP_QUADS, 0, 4, 4);
    check_sprite(&f);
    assert_int_equal(fixture_pixel(&f, SIZE / 2, SIZE / 2), 0);
}

/* A fragment program can itself name words of the point coordinate (.interpolants point=). These
 * words need no slots of the vertex program's map, and the next program does not inherit them. In
 * triangles they are the values of slots. */
TEST(test_words_of_the_program) {
    static const char words[] = ".interpolants position=w point=xy point=w smooth=1";
    static const char only_position[] =
        ".attr 0 xyzw\n.output position o[0x0]\nmov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
        "mov b32 o[0x8] a[0x8]\nexit mov b32 o[0xc] a[0xc]\n";
    enum { POINTS, NO_SLOTS, QUADS, OTHER_PROGRAM, WAYS };
    for (int way = 0; way < WAYS; way++) {
        const struct tp_raster_state r = {.point_sprite = true, .point_size = POINT_SIZE};
        char text[512];
        FIXTURE(f, 1, NULL, SIZE);
        snprintf(text, sizeof text, "%s%s", words, strchr(smooth_fp, '\n'));
        tp_program *const fp = fixture_program(&f, TP_FRAGMENT, text);
        OK(&f, tp_bind_program(f.context, TP_FRAGMENT, fp));
        if (way == NO_SLOTS)
            fixture_bind(&f, TP_VERTEX, only_position);
        if (way == OTHER_PROGRAM)
            OK(&f, tp_bind_program(f.context, TP_FRAGMENT, f.fp));
        OK(&f, tp_set_raster(f.context, &r));
        fixture_draw(&f, way == QUADS ? TP_QUADS : TP_POINTS, quads, 4);
        fixture_read(&f);
        if (way <= NO_SLOTS)
            check_sprite(&f);
        const uint32_t p = way == QUADS ? fixture_pixel(&f, SIZE / 2, SIZE / 2)
                                        : fixture_pixel(&f, SIZE / 4, SIZE / 4);
        for (int i = 0; way >= QUADS && i < 3; i++)
            assert_int_equal(byte(p, i), 128);
    }
}

/* One side of polygons is filled, the other side is drawn as points. Each quad is drawn as its
 * visible side says, in either winding. */
TEST(test_one_side) {
    int filled = 0;
    for (uint32_t first = 0; first < 8; first += 4) {
        const struct tp_raster_state r = {
            .point_sprite = true, .point_size = POINT_SIZE, .polygon_front = TP_POLYGON_POINT};
        FIXTURE_OPEN(f, draw, &r, TP_QUADS, first, 4, 4);
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
    }
    assert_int_equal(filled, 1);
}

/* Point sizes from a slot: each vertex has its own size, on every path of primitives. With the flag
 * off, points have the state's size. */
TEST(test_sizes_of_vertices) {
    enum { SLOT = 7, LARGE = 6 };
    enum { POINTS, NUMBERED, POLYGONS, LAYERED, WAYS };
    static const float sizes[4] = {1, 4, 2, 6};
    for (int way = 0; way < WAYS; way++)
        for (int from_slot = 0; from_slot < 2; from_slot++) {
            float v[4][8];
            uint32_t expected = 0;
            memcpy(v, quads, sizeof v);
            for (int i = 0; i < 4; i++) {
                v[i][SLOT] = sizes[i];
                expected += (uint32_t)(from_slot ? sizes[i] * sizes[i] : LARGE * LARGE);
            }
            FIXTURE(f, 1, NULL, SIZE);
            struct state *const s = &f.context->state;
            OK(&f, tp_set_raster(f.context,
                                 &(struct tp_raster_state){.point_size = LARGE,
                                                           .polygon_front = TP_POLYGON_POINT,
                                                           .polygon_back = TP_POLYGON_POINT}));
            s->semantic.point_size = SLOT;
            s->point_size_from_slot = from_slot;
            s->semantic.primitive_id = way == NUMBERED ? 9 : 0xff;
            s->semantic.layer = way == LAYERED ? 9 : 0xff; /* 9: a slot that is not written */
            state_touch(s, GROUP_PROGRAM);
            fixture_draw(&f, way == POLYGONS ? TP_QUADS : TP_POINTS, (const float(*)[8])v, 4);
            fixture_read(&f);
            if (fixture_count(&f) != expected)
                fail_msg("way %d, from a slot %d: %u pixels, not %u", way, from_slot,
                         fixture_count(&f), expected);
            for (uint32_t i = 0; i < 4; i++) {
                const uint32_t half = (uint32_t)(from_slot ? sizes[i] : LARGE) / 2;
                const uint32_t x = (uint32_t)((quads[i][0] + 1) * SIZE / 2),
                               y = (uint32_t)((1 - quads[i][1]) * SIZE / 2);
                assert_int_not_equal(
                    fixture_pixel(&f, x + half - (half > 0), y + half - (half > 0)), 0);
                assert_int_equal(fixture_pixel(&f, x + half + 1, y), 0);
            }
        }
}

/* Sizes of 0 and below count as one pixel. */
DRAW_TEST(test_points_of_no_size, 1, SIDE) {
    static const float sizes[] = {0, -3, 1, 3};
    static const uint32_t pixels[] = {1, 1, 1, 9};
    static const float white[3] = {1, 1, 1};
    float v[1][8];
    set_vertex(v[0], 20.5f, 30.5f, 0, white);
    for (int i = 0; i < 4; i++) {
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        f->context->state.point_size = sizes[i];
        state_touch(&f->context->state, GROUP_RASTER);
        fixture_draw(f, TP_POINTS, v, 1);
        fixture_read(f);
        assert_int_equal(fixture_count(f), pixels[i]);
    }
}
