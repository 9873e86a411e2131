/* The two colours of vertices, front and back (OpenGL 2.1, section 2.14): the side that a primitive
 * shows, the vertex that gives the colour with flat shading, and clamping. Tested for whole
 * triangles, clipped triangles, outlines, corners and lines, at any place in the result map. */
#include "pipeline/draw.h"
#include "tests/pipeline/fixture.h"

#include "pipeline/context.h"

enum { SIZE = 64 };

/* front_color0 is (a, 0, 0), front_color1 (., ., b), back_color0 (c, c, 0), back_color1 (., ., d).
 * A pixel shows red a or yellow c, and blue b or d. One word lies before the colours and one
 * between the sides. */
static const char colors_vp[] =
    ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n.output varying o[0x60]\n"
    ".output front_color0 o[0x10]\n.output front_color1 o[0x20]\n.output varying o[0x60]\n"
    ".output back_color0 o[0x40]\n.output back_color1 o[0x50]\n"
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
    "mov b32 $r0 0\n"
    "mov b32 o[0x10] a[0x10]\nmov b32 o[0x14] $r0\nmov b32 o[0x18] $r0\nmov b32 o[0x1c] $r0\n"
    "mov b32 o[0x20] $r0\nmov b32 o[0x24] $r0\nmov b32 o[0x28] a[0x14]\nmov b32 o[0x2c] $r0\n"
    "mov b32 o[0x40] a[0x18]\nmov b32 o[0x44] a[0x18]\nmov b32 o[0x48] $r0\nmov b32 o[0x4c] $r0\n"
    "mov b32 o[0x50] $r0\nmov b32 o[0x54] $r0\nmov b32 o[0x58] a[0x1c]\nmov b32 o[0x5c] $r0\n"
    "mov b32 $r1 0.5\nexit mov b32 o[0x60] $r1\n";
static const char colors_fp[] = ".interpolants position=w smooth=9\n"
                                "interp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
                                "interp $r0 v[0x8] $r4\ninterp $r1 v[0xc] $r4\n"
                                "interp $r2 v[0x20] $r4\ninterp $r3 v[0x4] $r4\nexit nop\n";

/* a b c d of the three vertices. Red and blue of the third are above 1. */
static const float colors[3][4] = {
    {0.1f, 0.2f, 0.3f, 0.4f}, {0.5f, 0.6f, 0.7f, 0.8f}, {1.9f, 0.05f, 1.6f, -3}};

enum shape { WHOLE, CUT, OUTLINE, CORNERS, LINES, SHAPES };

static const struct {
    const char *name;
    enum tp_primitive type;
    uint32_t count;
    enum tp_polygon_mode mode;
    float z; /* z of the last vertex; the far clip plane cuts off z = 2 */
} shapes[SHAPES] = {{"whole", TP_TRIANGLES, 3, TP_POLYGON_FILL, 0},
                    {"cut off", TP_TRIANGLES, 3, TP_POLYGON_FILL, 2},
                    {"outline", TP_TRIANGLES, 3, TP_POLYGON_LINE, 0},
                    {"corners", TP_TRIANGLES, 3, TP_POLYGON_POINT, 0},
                    {"lines", TP_LINE_STRIP, 3, TP_POLYGON_FILL, 0}};

struct row {
    enum shape shape;
    bool turned, two_sided, flat, first, clamp;
};

static float clamped(float x, bool clamp) {
    return clamp ? fminf(fmaxf(x, 0), 1) : x;
}

/* The byte that an unsigned target stores for x. */
static int byte_of(float x) {
    return (int)(clamped(x, true) * 255 + 0.5f);
}

/* True if the pixel has the flat colour of vertex k. */
static bool is_color(const struct row *r, uint32_t pixel, unsigned k) {
    const bool back = r->two_sided && r->shape != LINES && r->turned;
    const float *c = colors[k];
    const int red = byte_of(back ? c[2] : c[0]), green = back ? red : 0;
    const int blue = byte_of(back ? c[3] : c[1]);
    return abs((int)(pixel & 255) - red) < 2 && abs((int)(pixel >> 8 & 255) - green) < 2 &&
           abs((int)(pixel >> 16 & 255) - blue) < 2 && abs((int)(pixel >> 24) - 128) < 2;
}

/* True if the pixel is a mix of the three colours. Green tells the side; red must not come from
 * unclamped colours. */
static bool is_mix(const struct row *r, uint32_t pixel) {
    const bool back = r->two_sided && r->shape != LINES && r->turned;
    const int red = pixel & 255, green = pixel >> 8 & 255;
    return back ? abs(red - green) < 2 && green >= 70 : red >= 25 && !green;
}

/* Draws with w[] of the vertices, and with the colours that `color` numbers. */
static void draw_with(struct fixture *f, const struct row *r, const float w[3],
                      const uint8_t color[3]) {
    float v[3][8];
    static const float at[3][2] = {{-0.9f, -0.9f}, {0.9f, -0.9f}, {0, 0.9f}};
    for (int i = 0; i < 3; i++) {
        const float x = r->turned ? -at[i][0] : at[i][0];
        const float z = i == 2 ? shapes[r->shape].z : 0;
        const float all[8] = {x * w[i], at[i][1] * w[i], z * w[i], w[i]};
        memcpy(v[i], all, sizeof all);
        memcpy(&v[i][4], colors[color[i]], 16);
    }
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
    OK(f,
       tp_set_raster(f->context, &(struct tp_raster_state){.polygon_front = shapes[r->shape].mode,
                                                           .polygon_back = shapes[r->shape].mode,
                                                           .point_size = 5,
                                                           .flat_colors = r->flat,
                                                           .provoking_first = r->first}));
    struct state *s = &f->context->state;
    state_touch(s, GROUP_PROGRAM);
    state_touch(s, GROUP_RASTER);
    s->two_sided_color = r->two_sided;
    s->semantic.color_clamp = r->clamp;
    fixture_draw(f, shapes[r->shape].type, (const float(*)[8])v, 3);
    fixture_read(f);
}

static void draw(struct fixture *f, const struct row *r) {
    draw_with(f, r, (const float[3]){1, 1, 1}, (const uint8_t[3]){0, 1, 2});
}

static void check(struct fixture *f, const struct row *r) {
    uint32_t seen = 0;
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        const uint32_t p = fixture_pixel(f, i % SIZE, i / SIZE);
        if (!p)
            continue;
        seen++;
        bool right = r->flat ? is_color(r, p, r->first ? 0 : 2) : is_mix(r, p);
        if (r->flat && r->shape == LINES) /* a strip of two lines */
            right = is_color(r, p, r->first ? 0 : 1) || is_color(r, p, r->first ? 1 : 2);
        if (!right)
            fail_msg("%s, turned %d, two sides %d, flat %d, first %d, clamped %d: %08x at %u, %u",
                     shapes[r->shape].name, r->turned, r->two_sided, r->flat, r->first, r->clamp, p,
                     i % SIZE, i / SIZE);
    }
    assert_true(seen >= SIZE);
}

/* The pixel above the middle of the lower edge has a known mix of the colours. */
static void check_middle(struct fixture *f, const struct row *r) {
    if (r->flat || shapes[r->shape].mode != TP_POLYGON_FILL || r->shape == LINES)
        return;
    const uint32_t p = fixture_pixel(f, SIZE / 2, SIZE - 4 - 12);
    const float up =
        (SIZE / 2 - 0.5f - (SIZE / 2 - 4 - 12) + 0.9f * SIZE / 2 - SIZE / 2) / (0.9f * SIZE);
    const bool back = r->two_sided && r->turned;
    const int word = back ? 2 : 0;
    const float mix = (clamped(colors[0][word], r->clamp) + clamped(colors[1][word], r->clamp)) / 2;
    const float value = mix + up * (clamped(colors[2][word], r->clamp) - mix);
    if (abs((int)(p >> 4 * word & 255) - byte_of(value)) > 3)
        fail_msg("%s, turned %d, two sides %d, clamped %d: %08x in the middle, not %d",
                 shapes[r->shape].name, r->turned, r->two_sided, r->clamp, p, byte_of(value));
}

static void begin(struct fixture *f, uint32_t size) {
    fixture_open(f, 1, NULL, size);
    fixture_bind(f, TP_VERTEX, colors_vp);
    fixture_bind(f, TP_FRAGMENT, colors_fp);
}

TEST(test_colors) {
    FIXTURE_OPEN(f, begin, SIZE);
    for (int i = 0; i < SHAPES * 32; i++) {
        const struct row r = {.shape = (enum shape)(i / 32),
                              .turned = i & 1,
                              .two_sided = i & 2,
                              .flat = i & 4,
                              .first = i & 8,
                              .clamp = i & 16};
        draw(&f, &r);
        check(&f, &r);
        check_middle(&f, &r);
    }
}

/* Flat shading gives the same bits as vertices that all have the provoking vertex's colours. */
TEST(test_flat_bits) {
    static const float w[][3] = {{1, 1, 1}, {1, 2.3f, 0.7f}, {5.1f, 0.3f, 1.7f}};
    static uint8_t flat[SIZE * SIZE * 4];
    FIXTURE_OPEN(f, begin, SIZE);
    for (size_t i = 0; i < 3 * SHAPES * 16; i++) {
        struct row r = {.shape = (enum shape)(i / 3 / 16),
                        .turned = i / 3 & 1,
                        .two_sided = i / 3 & 2,
                        .flat = true,
                        .first = i / 3 & 4,
                        .clamp = i / 3 & 8};
        const uint8_t from = r.first ? 0 : 2;
        if (r.shape == LINES)
            continue;
        draw_with(&f, &r, w[i % 3], (const uint8_t[3]){0, 1, 2});
        memcpy(flat, f.pixels, sizeof flat);
        r.flat = false;
        draw_with(&f, &r, w[i % 3], (const uint8_t[3]){from, from, from});
        if (memcmp(flat, f.pixels, sizeof flat))
            fail_msg("%s, turned %d, two sides %d, first %d, clamped %d, w %zu",
                     shapes[r.shape].name, r.turned, r.two_sided, r.first, r.clamp, i % 3);
    }
}

/* A driver may name more colours than there are rows for their clamped copies. The rows of a vertex
 * do not overlap, and colours without such rows are not clamped. */
TEST(test_rows_of_many_colours) {
    struct result_map map = {.size = SLOTS};
    for (uint32_t i = 0; i < SLOTS; i++)
        map.source[i] = (uint8_t)i;
    for (uint32_t rows = 4; rows <= RESULT_ROWS; rows += 26)
        for (uint32_t count = 0; count < 256; count++) {
            const struct semantic_state m = {.color_count = (uint8_t)count, .color_clamp = true};
            struct row_layout l;
            rows_layout(&l, &map, rows, &m);
            assert_true(l.zero == rows && l.colors == rows + 2 && l.window >= l.colors);
            assert_int_equal(l.stride, l.window + PROJECTED_ROWS);
            if (count <= 8)
                assert_int_equal(l.window, l.colors + 2 * count);
        }
}
