/* Draws that later draws paint over are left out. Only the count of fragments shows it: picture,
 * zeta, queries and failures stay the same. Also: draws that share a snapshot share warps. */
#include "tests/pipeline/colours.h"
#include "pipeline/context.h"

enum { SIZE = 160 }; /* nine tiles; the target cuts off five of them */

/* Draws one triangle over everything. */
static void cover(struct fixture *f, float z, const float color[3]) {
    float v[3][8] = {{-1, -1, z, 1}, {3, -1, z, 1}, {-1, 3, z, 1}};
    for (int i = 0; i < 3; i++) {
        memcpy(&v[i][4], color, 12);
        v[i][7] = 1;
    }
    fixture_draw(f, TP_TRIANGLES, (const float(*)[8])v, 3);
}

static uint64_t fragments(struct fixture *f) {
    struct tp_statistics s;
    OK(f, tp_get_statistics(f->context, &s));
    return s.fragments;
}

static const float red[3] = {1, 0, 0}, green[3] = {0, 1, 0}, blue[3] = {0, 0, 1};

DRAW_TEST(test_only_the_last_is_shaded, 2, SIZE) {
    cover(f, 0, red);
    cover(f, 0, blue);
    cover(f, 0, green);
    fixture_read(f);
    for (uint32_t i = 0; i < SIZE; i++)
        assert_int_equal(fixture_pixel(f, i, SIZE - 1 - i), 0xff00ff00);
    assert_int_equal(fragments(f), SIZE * SIZE);
}

/* Targets of many sizes, so that the last tiles have many sizes: every pixel is drawn once by one
 * triangle, and once by four quads. */
TEST(test_sizes) {
    static const uint32_t sizes[] = {1,  2,   31,  32,  33,  63,  64,  65,
                                     66, 127, 128, 129, 191, 192, 193, 257};
    static const float quarters[16][8] = {
        {-1, -1, 0, 1, 1, 0, 0, 1}, {0, -1, 0, 1, 1, 0, 0, 1}, {0, 0, 0, 1, 1, 0, 0, 1},
        {-1, 0, 0, 1, 1, 0, 0, 1},  {0, -1, 0, 1, 0, 1, 0, 1}, {1, -1, 0, 1, 0, 1, 0, 1},
        {1, 0, 0, 1, 0, 1, 0, 1},   {0, 0, 0, 1, 0, 1, 0, 1},  {-1, 0, 0, 1, 0, 0, 1, 1},
        {0, 0, 0, 1, 0, 0, 1, 1},   {0, 1, 0, 1, 0, 0, 1, 1},  {-1, 1, 0, 1, 0, 0, 1, 1},
        {0, 0, 0, 1, 1, 1, 1, 1},   {1, 0, 0, 1, 1, 1, 1, 1},  {1, 1, 0, 1, 1, 1, 1, 1},
        {0, 1, 0, 1, 1, 1, 1, 1},
    };
    static const uint32_t color[4] = {0xff0000ff, 0xff00ff00, 0xffff0000, 0xffffffff};
    for (size_t k = 0; k < LENGTH(sizes); k++) {
        const uint32_t n = sizes[k];
        FIXTURE(f, 2, NULL, n);
        cover(&f, 0, red);
        fixture_read(&f);
        for (uint32_t i = 0; i < n * n; i++)
            if (fixture_pixel(&f, i % n, i / n) != 0xff0000ff)
                fail_msg("%u x %u: %u, %u", n, n, i % n, i / n);
        assert_int_equal(fragments(&f), n * n);
        fixture_draw(&f, TP_QUADS, quarters, 16);
        fixture_read(&f);
        for (uint32_t i = 0; i < n * n; i++) {
            const uint32_t right = 2 * (i % n) + 1 > n, top = 2 * (i / n) + 1 < n;
            /* a pixel in the middle may belong to any quad */
            const bool between = 2 * (i % n) + 1 == n || 2 * (i / n) + 1 == n;
            if (!between && fixture_pixel(&f, i % n, i / n) != color[2 * top + right])
                fail_msg("%u x %u in four: %u, %u is %08x", n, n, i % n, i / n,
                         fixture_pixel(&f, i % n, i / n));
        }
        assert_int_equal(fragments(&f), 2 * n * n);
    }
}

/* Within one draw, primitives before the last covering triangle are left out. */
DRAW_TEST(test_within_a_draw, 2, SIZE) {
    static const float v[9][8] = {
        WHOLE(0, 1, 0, 0, 1),      WHOLE(0, 0, 1, 0, 1),      {-1, -1, 0, 1, 0, 0, 1, 1},
        {0, -1, 0, 1, 0, 0, 1, 1}, {-1, 0, 0, 1, 0, 0, 1, 1},
    };
    fixture_draw(f, TP_TRIANGLES, v, 9);
    fixture_read(f);
    assert_int_equal(fixture_pixel(f, SIZE - 4, 4), 0xff00ff00);
    assert_int_equal(fixture_pixel(f, 4, SIZE - 4), 0xffff0000);
    assert_true(fragments(f) < SIZE * SIZE * 5 / 4);
}

/* A covering triangle that adds to the colours below hides no earlier triangle. */
DRAW_TEST(test_sums_within_a_draw, 2, SIZE) {
    static const float v[9][8] = {
        WHOLE(0, 1, 0, 0, 0),
        WHOLE(0, 0, 1, 0, 0),
        WHOLE(0, 0, 0, 1, 1),
    };
    OK(f, tp_set_blend(f->context, 0, &fixture_add));
    fixture_draw(f, TP_TRIANGLES, v, 9);
    fixture_read(f);
    for (uint32_t i = 0; i < SIZE; i++)
        assert_int_equal(fixture_pixel(f, i, SIZE - 1 - i), 0xffffffff);
    assert_int_equal(fragments(f), 3 * SIZE * SIZE);
}

DRAW_TEST(test_depth_stays, 2, SIZE) {
    const struct tp_depth_state off = {.func = TP_LESS};
    fixture_depth(f, TP_LESS);
    cover(f, -0.5f, red);
    OK(f, tp_set_depth(f->context, &off));
    cover(f, 0, green);
    fixture_depth(f, TP_LESS);
    cover(f, 0.5f, blue); /* behind the red triangle */
    fixture_read(f);
    assert_int_equal(fixture_pixel(f, 80, 80), 0xff00ff00);
}

DRAW_TEST(test_blending_looks_below, 2, SIZE) {
    cover(f, 0, red);
    OK(f, tp_set_blend(f->context, TP_ALL_TARGETS, &fixture_add));
    cover(f, 0, green);
    fixture_read(f);
    assert_int_equal(fixture_pixel(f, 80, 80), 0xff00ffff);
}

DRAW_TEST(test_failures_are_told, 2, SIZE) {
    fixture_bind(f, TP_FRAGMENT, "trap\nexit nop\n");
    cover(f, 0, red);
    OK(f, tp_bind_program(f->context, TP_FRAGMENT, f->fp));
    cover(f, 0, green);
    assert_int_equal(tp_finish(f->context), TP_ERROR_TRAP);
    fixture_read(f);
    assert_int_equal(fixture_pixel(f, 80, 80), 0xff00ff00);
}

/* A clear between two draws is also left out if a later draw paints over it. Each tile is still
 * drawn once. */
DRAW_TEST(test_clears, 2, SIZE) {
    const float grey[4] = {0.2f, 0.2f, 0.2f, 1};
    for (int i = 0; i < 3; i++) {
        cover(f, 0, red);
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, grey, 1, 0));
        cover(f, 0, i ? green : blue);
    }
    fixture_read(f);
    assert_int_equal(fixture_pixel(f, 80, 80), 0xff00ff00);
    assert_int_equal(fragments(f), SIZE * SIZE);
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, grey, 1, 0));
    fixture_read(f);
    assert_int_equal(fixture_pixel(f, 80, 80), 0xff333333);
}

/* Draws that differ only in vertex constants: each has its own constants, and small draws share
 * fragment warps. */
DRAW_TEST(test_constants_of_the_vertex_program, 2, SIZE) {
    enum { DRAWS = 64 };
    static const char text[] =
        ".attr 0 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
        "mov b32 $r2 1.0\nmul f32 $r1 $r2 c0[0x4]\nmul f32 $r0 $r2 c0[0x0]\n"
        "mov b32 $r2 a[0x0]\nadd f32 $r0 $r2 $r0\nmov b32 o[0x0] $r0\nmov b32 o[0x4] a[0x4]\n"
        "mov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
        "mov b32 o[0x10] $r1\nmov b32 o[0x14] $r1\n"
        "mov b32 o[0x18] $r1\nexit mov b32 o[0x1c] $r1\n";
    static const float v[3][8] = {{-1, -1, 0, 1}, {-0.975f, -1, 0, 1}, {-1, -0.975f, 0, 1}};
    fixture_bind(f, TP_VERTEX, text);
    tp_buffer *buffer = fixture_buffer(f, 256, NULL);
    OK(f, tp_bind_constants(f->context, TP_VERTEX, 0, buffer, 0, 256));
    fixture_vertices(f, v, 3);
    for (int i = 0; i < DRAWS; i++) {
        const float constants[2] = {(float)(2 * i) / SIZE * 2, (float)i / 255};
        OK(f, tp_buffer_write(f->context, buffer, 0, constants, sizeof constants));
        OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 0, 3));
    }
    fixture_read(f);
    for (uint32_t i = 0; i < DRAWS; i++)
        assert_int_equal(fixture_pixel(f, 2 * i, SIZE - 1), i * 0x01010101u);
    struct tp_statistics s;
    OK(f, tp_get_statistics(f->context, &s));
    assert_true(s.fragment_warps <= DRAWS / 4);
}

/* Draws a green triangle over red. Its long side is x + y = sum; pixels left of it are green,
 * others red. Around 128 the side passes the last pixel of tile (0, 0), around 192 that of tile (1,
 * 0). */
DRAW_TEST(test_nearly_covered_tiles, 1, SIDE) {
    static const float red_rgb[3] = {1, 0, 0}, green_rgb[3] = {0, 1, 0};
    static const float sums[] = {126,    126.5f, 127, 127.5f, 128, 128.5f, 190.5f, 191,
                                 191.5f, 192,    254, 254.5f, 255, 255.5f, 256};
    for (size_t i = 0; i < LENGTH(sums); i++) {
        float v[6][8];
        set_vertex(v[0], 0, 0, 0, red_rgb);
        set_vertex(v[1], 2 * SIDE, 0, 0, red_rgb);
        set_vertex(v[2], 0, 2 * SIDE, 0, red_rgb);
        set_vertex(v[3], 0, 0, 0, green_rgb);
        set_vertex(v[4], sums[i], 0, 0, green_rgb);
        set_vertex(v[5], 0, sums[i], 0, green_rgb);
        fixture_vertices(f, v, 6);
        OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 0, 3));
        OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 3, 3)); /* as a second draw */
        OK(f, tp_texture_read_rgba8(f->context, f->color, f->pixels));
        for (int once = 0; once < 2; once++) {
            for (uint32_t y = 0; y < SIDE; y++)
                for (uint32_t x = 0; x < SIDE; x++)
                    if (fixture_pixel(f, x, y) != ((float)(x + y + 1) < sums[i] ? GREEN : RED))
                        fail_msg("side at %g: pixel %u, %u is %08x", (double)sums[i], x, y,
                                 fixture_pixel(f, x, y));
            OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 0, 6)); /* within one draw */
            fixture_read(f);
        }
    }
}
