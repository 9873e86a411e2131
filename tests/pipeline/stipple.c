/* State that continues over primitives: line stipple along strips (over chunks, on any number of
 * threads), edge flags of inline vertices, primitive ids that continue from draw to draw. */
#include "tests/pipeline/fixture.h"

#include "pipeline/context.h"

enum { SIZE = 256, SEGMENTS = SIZE * SIZE };

static void set_vertex(float v[8], float x, float y) {
    const float w[8] = {(x + 0.5f) * 2 / SIZE - 1, 1 - (y + 0.5f) * 2 / SIZE, 0, 1, 1, 1, 1, 1};
    memcpy(v, w, sizeof w);
}

/* The k-th pixel of a path through all pixels: every second row runs backwards. */
static void way(uint32_t k, uint32_t at[2]) {
    at[1] = k / SIZE;
    at[0] = at[1] & 1 ? SIZE - 1 - k % SIZE : k % SIZE;
}

static void stipple(struct fixture *f, uint16_t pattern, uint16_t factor) {
    struct state *s = &f->context->state;
    s->line_stipple = true;
    s->line_stipple_pattern = pattern;
    s->line_stipple_factor = factor;
}

/* A strip along the path, in segments of one to five pixels, is stippled as if it were one line. */
TEST(test_strip) {
    static float v[SEGMENTS][8];
    static const uint16_t patterns[3] = {0x5555, 0x3e57, 0x0001}, factors[3] = {1, 3, 256};
    for (int round = 0; round < 6; round++) {
        uint32_t n = 0, k = 0, at[2];
        const uint16_t pattern = patterns[round % 3], factor = factors[round % 3];
        FIXTURE(f, round < 3 ? 1 : 4, NULL, SIZE);
        for (; k < SIZE * SIZE; k += 1 + k * 7 % 5) {
            way(k, at);
            /* stops in the corner */
            if (n && v[n - 1][1] != 1 - ((float)at[1] + 0.5f) * 2 / SIZE) {
                k = at[1] * SIZE;
                way(k - 1, at);
                set_vertex(v[n++], (float)at[0], (float)at[1]);
                way(k, at);
            }
            set_vertex(v[n++], (float)at[0], (float)at[1]);
        }
        assert_true(n > 16384); /* several chunks */
        stipple(&f, pattern, factor);
        fixture_draw(&f, TP_LINE_STRIP, (const float(*)[8])v, n);
        fixture_read(&f);
        for (k = 0; k < SIZE * SIZE - 8; k++) {
            way(k, at);
            const bool lit = fixture_pixel(&f, at[0], at[1]) != 0;
            assert_int_equal(lit, pattern >> (k / factor % 16) & 1);
        }
    }
}

/* The stipple of a strip does not depend on other primitives that the same thread clips between two
 * chunks of the strip. Strips are drawn until the queue is full and the calling thread helps. */
DRAW_TEST(test_strip_among_others, 1, SIZE) {
    enum { LINES = 20000, STRIPS = 12, OTHERS = 65300 /* nearly a full queue */ };
    static float v[LINES + 1][8], others[3 * OTHERS][8];
    uint32_t at[2];
    for (uint32_t i = 0; i <= LINES; i++) {
        way(i, at);
        set_vertex(v[i], (float)at[0], (float)at[1]);
    }
    for (uint32_t i = 0; i < 3 * OTHERS; i++) {
        set_vertex(others[i], (float)(i % 3 * 9), (float)(i % 2 * 9));
        others[i][2] = i % 3 ? 0 : -2; /* the near clip plane cuts each triangle */
    }
    tp_set_color_mask(f->context, TP_ALL_TARGETS, 0);
    fixture_draw(f, TP_TRIANGLES, (const float(*)[8])others, 3 * OTHERS);
    tp_set_color_mask(f->context, TP_ALL_TARGETS, 15);
    stipple(f, 0x3e57, 3);
    state_touch(&f->context->state, GROUP_RASTER);
    fixture_vertices(f, (const float(*)[8])v, LINES + 1);
    for (int i = 0; i < STRIPS; i++)
        OK(f, tp_draw_arrays(f->context, TP_LINE_STRIP, 0, LINES + 1));
    fixture_read(f);
    for (uint32_t k = 0; k < LINES; k++) {
        way(k, at);
        assert_int_equal(fixture_pixel(f, at[0], at[1]) != 0, 0x3e57 >> (k / 3 % 16) & 1);
    }
}

/* The stipple begins anew at each separate line and at each polygon's outline. */
DRAW_TEST(test_begins_anew, 1, SIZE) {
    float v[16][8];
    stipple(f, 0x000f, 1);
    for (int i = 0; i < 8; i++)
        set_vertex(v[i], i & 1 ? 27 : 20, (float)(10 + i / 2 * 10));
    fixture_draw(f, TP_LINES, (const float(*)[8])v, 8);
    fixture_read(f);
    assert_int_equal(fixture_count(f), 4 * 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(fixture_pixel(f, 20, 10 + i * 10), 0xffffffff);

    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
    f->context->state.polygon_mode[0] = f->context->state.polygon_mode[1] = POLYGON_LINE;
    for (int q = 0; q < 3; q++) { /* boxes with sides of 10 pixels; the period is 16 */
        const float x = (float)(20 + q * 30);
        for (int i = 0; i < 4; i++)
            set_vertex(v[4 * q + i], i == 1 || i == 2 ? x + 10 : x, i < 2 ? 50 : 60);
    }
    f->context->state.provoking_last = false;
    state_touch(&f->context->state, GROUP_RASTER);
    fixture_draw(f, TP_QUADS, (const float(*)[8])v, 12);
    fixture_read(f);
    for (uint32_t q = 0; q < 3; q++) {
        for (uint32_t k = 0; k < 40; k++) {
            const uint32_t side = k / 10, i = k % 10;
            const uint32_t x = side == 0 ? i : side == 1 ? 10 : side == 2 ? 10 - i : 0;
            const uint32_t y = side == 0 ? 0 : side == 1 ? i : side == 2 ? 10 : 10 - i;
            assert_int_equal(fixture_pixel(f, 20 + q * 30 + x, 50 + y) != 0, k % 16 < 4);
        }
    }
}

/* Inline vertices with edge flags: an edge is drawn if the vertex where it begins has the flag. */
TEST(test_edge_flags) {
    static const float corner[4][2] = {{40, 40}, {90, 40}, {90, 90}, {40, 90}};
    static const uint32_t middle[4][2] = {{65, 40}, {90, 65}, {65, 90}, {40, 65}};
    static const enum tp_primitive types[3] = {TP_QUADS, TP_POLYGON, TP_TRIANGLE_FAN};
    for (uint32_t round = 0; round < 3 * 16 * 4; round++) {
        const uint32_t flags = round / 4;
        const bool numbered = round & 1,
                   /* ids between vertices; flags that are changed back at once */
            again = round & 2;
        float v[4][8];
        FIXTURE(f, 1, NULL, SIZE);
        for (int i = 0; i < 4; i++)
            set_vertex(v[i], corner[i][0], corner[i][1]);
        fixture_vertices(&f, (const float(*)[8])v, 4); /* sets the format of the attributes */
        tp_context *c = f.context;
        c->state.polygon_mode[0] = c->state.polygon_mode[1] = POLYGON_LINE;
        c->state.edge_flag = flags & 1;
        const enum tp_primitive type = types[flags / 16];
        OK(&f, draw_begin(c, type, DRAW_INSTANCE_FIRST));
        for (uint32_t i = 0; i < 4; i++) {
            if (numbered)
                OK(&f, draw_vertex_id(c, i));
            if (again)
                OK(&f, draw_edge_flag(c, !(flags >> i & 1)));
            if (i || again)
                OK(&f, draw_edge_flag(c, flags >> i & 1));
            if (numbered)
                OK(&f, draw_vertex_id(c, i));
            OK(&f, draw_vertex_data(c, (const uint32_t *)v[i], 8));
        }
        OK(&f, draw_end(c));
        fixture_read(&f);
        for (uint32_t i = 0; i < 4; i++) {
            const bool there = type == TP_TRIANGLE_FAN || (flags >> i & 1);
            assert_int_equal(fixture_pixel(&f, middle[i][0], middle[i][1]) != 0, there);
        }
    }
}

/* A pattern that leaves out no pixel changes nothing: outlines and lines of all types, with the
 * first or the last vertex provoking, have the same pixels as without a pattern. */
DRAW_TEST(test_whole_stipple, 1, SIZE) {
    enum { VERTICES = 12 };
    float v[VERTICES][8];
    for (int i = 0; i < VERTICES; i++)
        set_vertex(v[i], (float)(i * 37 % 83) + 8.25f, (float)(i * 53 % 79) + 9.75f);
    fixture_vertices(f, (const float(*)[8])v, VERTICES);
    struct state *s = &f->context->state;
    s->polygon_mode[0] = s->polygon_mode[1] = POLYGON_LINE;
    s->line_stipple_pattern = 0xffff;
    for (uint32_t i = 0; i < 2 * 14; i++) {
        static uint8_t pixels[2][SIZE * SIZE * 4];
        for (int stipple = 0; stipple < 2; stipple++) {
            s->line_stipple = stipple;
            s->provoking_last = i & 1;
            state_touch(s, GROUP_RASTER);
            OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
            OK(f, draw_begin(f->context, i / 2, DRAW_INSTANCE_FIRST));
            OK(f, draw_arrays(f->context, 0, VERTICES));
            OK(f, draw_end(f->context));
            fixture_read(f);
            assert_true(fixture_count(f) > 0);
            memcpy(pixels[stipple], f->pixels, sizeof pixels[stipple]);
        }
        if (memcmp(pixels[0], pixels[1], sizeof pixels[0]) != 0)
            fail_msg("type %u, provoking vertex %s: another picture", i / 2,
                     i & 1 ? "last" : "first");
    }
}

/* A pixel's bit is in row y & 31 of the pattern, byte x >> 3 & 3, high bit first. */
DRAW_TEST(test_polygon_pattern, 1, SIZE) {
    struct tp_pattern_state p = {.polygon_stipple = true};
    float v[3][8];
    set_vertex(v[0], -1, -1);
    set_vertex(v[1], 2 * SIZE, -1);
    set_vertex(v[2], -1, 2 * SIZE);
    for (uint32_t y = 0; y < 32; y++)
        p.polygon_pattern[y] = (y + 1) * 2654435761u;
    for (int on = 0; on < 2; on++) {
        p.polygon_stipple = on;
        OK(f, tp_set_patterns(f->context, &p));
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        fixture_draw(f, TP_TRIANGLES, (const float(*)[8])v, 3);
        fixture_read(f);
        for (uint32_t i = 0; i < SIZE * SIZE; i++) {
            const uint32_t x = i % SIZE, y = i / SIZE,
                           byte = p.polygon_pattern[y & 31] >> 8 * (x >> 3 & 3);
            assert_int_equal(fixture_pixel(f, x, y) != 0, !on || (byte >> (7 - (x & 7)) & 1));
        }
    }
}

DRAW_TEST(test_flag_of_arrays, 1, SIZE) {
    float v[3][8];
    set_vertex(v[0], 10, 10);
    set_vertex(v[1], 90, 10);
    set_vertex(v[2], 10, 90);
    f->context->state.polygon_mode[0] = f->context->state.polygon_mode[1] = POLYGON_LINE;
    for (int flag = 0; flag < 2; flag++) {
        f->context->state.edge_flag = flag;
        fixture_draw(f, TP_TRIANGLES, (const float(*)[8])v, 3);
        fixture_read(f);
        assert_int_equal(fixture_count(f) > 0, flag);
    }
}

/* Primitive ids begin at 0 in each draw, or go on from the draw before. */
DRAW_TEST(test_primitive_ids, 1, SIZE) {
    static const char vp[] = ".attr 0 xyzw\n.output position o[0x0]\n.output primitive_id o[0x10]\n"
                             "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
                             "mov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
                             "exit mov b32 o[0x10] a[0x0]\n";
    static const char fp[] = ".interpolants position=w flat=1\ninterp $r0 flat v[0x4]\n"
                             "cvt rn f32 $r0 u32 $r0\nmul f32 $r0 $r0 0x3b808081\n"
                             "mov b32 $r1 $r0\nmov b32 $r2 $r0\nexit mov b32 $r3 $r0\n";
    float v[8][8];
    fixture_bind(f, TP_VERTEX, vp);
    fixture_bind(f, TP_FRAGMENT, fp);
    for (int i = 0; i < 8; i++)
        set_vertex(v[i], (float)(10 + 4 * i), 10);
    fixture_vertices(f, (const float(*)[8])v, 8);
    static const struct {
        uint32_t first, count;
        bool goes_on;
        uint32_t id;
    } draws[] = {{0, 3, false, 0}, {3, 2, true, 3}, {5, 2, true, 5}, {7, 1, false, 0}};
    for (int i = 0; i < 4; i++) {
        OK(f, draw_begin(f->context, TP_POINTS, DRAW_INSTANCE_FIRST));
        if (draws[i].goes_on)
            draw_continue_primitive_ids(f->context);
        OK(f, draw_arrays(f->context, draws[i].first, draws[i].count));
        OK(f, draw_end(f->context));
    }
    fixture_read(f);
    for (int i = 0; i < 4; i++)
        for (uint32_t k = 0; k < draws[i].count; k++)
            assert_int_equal(fixture_pixel(f, 10 + 4 * (draws[i].first + k), 10) & 0xff,
                             draws[i].id + k);
}
