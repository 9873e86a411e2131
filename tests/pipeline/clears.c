/* Partial clears of targets: a rectangle, some components, some bits of stencil, or depth alone.
 * Other pixels keep their values, also if the rectangle cuts tiles, and if two clears together
 * cover everything. */
#include "tests/pipeline/fixture.h"
#include "tests/shapes.h"

#include "base/format.h"
#include "pipeline/context.h"

enum { SIZE = 160, COLOR = TP_CLEAR_COLOR, DEPTH = TP_CLEAR_DEPTH, STENCIL = TP_CLEAR_STENCIL };

/* Rectangles over a tile or over the target, with each side moved by one pixel. */
static const struct tp_rect rects[] = {
    {0, 0, SIZE, SIZE},     {1, 0, SIZE - 1, SIZE}, {0, 1, SIZE, SIZE - 1}, {0, 0, SIZE - 1, SIZE},
    {0, 0, SIZE, SIZE - 1}, {64, 64, 64, 64},       {63, 64, 65, 64},       {65, 64, 63, 64},
    {64, 63, 64, 65},       {64, 65, 64, 63},       {64, 64, 63, 64},       {64, 64, 64, 63},
    {64, 64, 65, 64},       {64, 64, 64, 65},       {128, 128, 32, 32},     {128, 128, 31, 32},
    {128, 128, 32, 31},     {159, 159, 1, 1},       {128, 128, 4000, 4000}, {0, 0, 64, 64},
    {0, 0, 0, 64},
};
enum { RECTS = LENGTH(rects) };

/* One or two clears; second.what is 0 if there is no second clear. */
struct row {
    struct tp_clear_info first, second;
};
static const struct row rows[] = {
    {{.what = COLOR}, {0}},
    {{.what = COLOR | DEPTH | STENCIL}, {0}},
    {{.what = DEPTH | STENCIL}, {0}},
    {{.what = DEPTH}, {0}},
    {{.what = STENCIL}, {0}},
    {{.what = COLOR | DEPTH}, {0}},
    {{.what = COLOR | STENCIL}, {0}},
    {{.what = COLOR | DEPTH}, {.what = STENCIL}},
    {{.what = COLOR | DEPTH}, {.what = STENCIL, .stencil_mask = 0x7f}},
    {{.what = COLOR | DEPTH}, {.what = STENCIL, .stencil_mask = 0xfe}},
    {{.what = DEPTH | STENCIL}, {.what = COLOR, .color_mask = 0xe}},
    {{.what = DEPTH | STENCIL}, {.what = COLOR, .color_mask = 0x7}},
    {{.what = DEPTH | STENCIL, .stencil_mask = 1}, {.what = COLOR}},
    {{.what = COLOR, .color_mask = 3}, {.what = COLOR | DEPTH | STENCIL, .color_mask = 0xc}},
};

static bool inside(const struct tp_rect *r, uint32_t x, uint32_t y) {
    return x >= r->x && x < r->x + r->width && y >= r->y && y < r->y + r->height;
}

/* Applies one clear to a texel: RGBA8; 8 bits of stencil above 24 of depth. */
static void apply(const struct tp_clear_info *i, uint32_t *color, uint32_t *zeta) {
    if (i->what & COLOR)
        for (int k = 0; k < 4; k++)
            if (!i->color_mask || i->color_mask >> k & 1)
                *color = (*color & ~(0xffu << 8 * k)) | 0x33u << 8 * k;
    if (i->what & DEPTH)
        *zeta |= 0xffffff;
    const uint32_t bits = (i->stencil_mask ? i->stencil_mask : 0xffu) << 24;
    if (i->what & STENCIL)
        *zeta = (*zeta & ~bits) | (0x5au << 24 & bits);
}

static void clear(struct fixture *f, const struct tp_clear_info *i, const struct tp_rect *rect) {
    struct tp_clear_info info = *i;
    info.rect = rect;
    info.depth = 1;
    info.stencil = 0x5a;
    for (int k = 0; k < 4; k++)
        info.color.f[k] = 0.2f;
    if (i->what)
        OK(f, tp_clear_part(f->context, &info));
}

/* Draws everything red with depth 0.25 and stencil 0x81, or green with 0.75 and 0x42. */
static void draw(struct fixture *f, bool green) {
    float v[3][8] = {{-1, 1}, {3, 1}, {-1, -3}};
    for (int i = 0; i < 3; i++) {
        const float rest[6] = {green ? 0.5f : -0.5f, 1, !green, green, 0, 1};
        memcpy(&v[i][2], rest, sizeof rest);
    }
    const struct tp_stencil_face face = {TP_ALWAYS,           TP_KEEP, TP_KEEP, TP_REPLACE,
                                         green ? 0x42 : 0x81, 0xff,    0xff};
    OK(f, tp_set_stencil(f->context, &(struct tp_stencil_state){.test = true, .front = face}));
    fixture_depth(f, TP_ALWAYS);
    fixture_draw(f, TP_TRIANGLES, (const float(*)[8])v, 3);
}

static void check(struct fixture *f, const struct row *r, const struct tp_rect *first,
                  const struct tp_rect *second, bool green) {
    static uint32_t zeta[SIZE * SIZE];
    fixture_read(f);
    OK(f, tp_texture_read(f->context, f->zeta, 0, 0, zeta, SIZE * 4));
    for (uint32_t y = 0; y < SIZE; y++)
        for (uint32_t x = 0; x < SIZE; x++) {
            uint32_t color = green ? 0xff00ff00 : 0xff0000ff, z = green ? 0x42bfffff : 0x81400000;
            if (inside(first, x, y))
                apply(&r->first, &color, &z);
            if (inside(second, x, y))
                apply(&r->second, &color, &z);
            const uint32_t at = y * SIZE + x, dz = zeta[at] - z + 1;
            if (fixture_pixel(f, x, y) != color || dz > 2)
                fail_msg("row %td, %u %u + %u %u: pixel %u, %u is %08x, %08x instead of %08x, %08x",
                         r - rows, first->x, first->y, first->width, first->height, x, y,
                         fixture_pixel(f, x, y), zeta[at], color, z);
        }
}

DRAW_TEST(test_parts, 1, SIZE) {
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (int k = 0; k < RECTS; k++) {
            const struct tp_rect *second = &rects[rows[i].second.what ? (k + i) % RECTS : 0];
            draw(f, false);
            clear(f, &rows[i].first, &rects[k]);
            clear(f, &rows[i].second, second);
            check(f, &rows[i], &rects[k], second, false);
            draw(f, true);
            clear(f, &rows[i].first, &rects[k]);
            clear(f, &rows[i].second, &rects[k]);
            check(f, &rows[i], &rects[k], &rects[k], true);
        }
}

/* Rectangles of clears that begin before the target, end behind it, or lie inside. */
DRAW_TEST(test_beyond_targets, 2, SIZE) {
    for (int i = 0; i < 16; i++) {
        const int x0 = i & 1 ? -70 : 3, y0 = i & 2 ? -5 : 7, x1 = i & 4 ? SIZE + 70 : 40,
                  y1 = i & 8 ? SIZE + 5 : 50;
        const struct raster_rect rect = {x0, y0, x1, y1};
        for (int k = 0; k < 4; k++)
            f->context->state.clear_color[k] = 0;
        OK(f, context_clear(f->context, 0x3c, 0, 0, 1, &(struct raster_rect){0, 0, SIZE, SIZE}));
        for (int k = 0; k < 4; k++)
            f->context->state.clear_color[k] = 0x3f800000;
        OK(f, context_clear(f->context, 0x3c, 0, 0, 1, &rect));
        fixture_read(f);
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x++)
                assert_int_equal(fixture_pixel(f, (uint32_t)x, (uint32_t)y) != 0,
                                 x >= x0 && x < x1 && y >= y0 && y < y1);
    }
}

static void draw_again(struct fixture *f) {
    OK(f, draw_begin(f->context, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
    OK(f, draw_arrays(f->context, 0, 3));
    OK(f, draw_end(f->context));
}

/* A clear changes the depth, stencil and colour that it names, as far as the targets have them.
 * Tried with zeta formats without stencil, without zeta, and without colour; the parts are cleared
 * in one call or in several. Other contents stay as drawn. */
TEST(test_what_targets_have) {
    static const struct {
        enum pixel_format format;
        uint32_t bytes, depth,
            /* depth: bits in the first word; stencil: bits in the first word or, if `wide`, in the
             * second */
            stencil;
        bool wide;
    } zetas[] = {{FORMAT_Z24S8, 4, 0xffffff, 0xff000000, false},
                 {FORMAT_S8Z24, 4, 0xffffff00, 0xff, false},
                 {FORMAT_X8Z24, 4, 0xffffff, 0, false},
                 {FORMAT_Z16_UNORM, 2, 0xffff, 0, false},
                 {FORMAT_Z32_FLOAT, 4, 0xffffffff, 0, false},
                 {FORMAT_Z32_FLOAT_S8, 8, 0xffffffff, 0xff, true},
                 {FORMAT_NONE, 4, 0, 0, false}};
    enum { PARTS = 3, BYTES = SIZE * SIZE * 8 };
    static const uint32_t part[PARTS] = {0x3c, CLEAR_DEPTH, CLEAR_STENCIL};
    static uint8_t before[BYTES], after[BYTES];
    for (size_t i = 0; i < 2 * LENGTH(zetas); i++)
        for (uint32_t what = 0; what < 1 << PARTS; what++)
            for (int apart = 0; apart < 2; apart++) {
                const size_t k = i / 2;
                const bool has_color = i & 1;
                const struct raster_rect all = {0, 0, SIZE, SIZE};
                FIXTURE(f, 1, NULL, SIZE);
                struct state *s = &f.context->state;
                draw(&f, what & 1); /* depth 0.25 or 0.75 */
                tp_buffer *texels = fixture_buffer(&f, BYTES, NULL);
                s->zeta = TARGET(tp_buffer_address(texels), zetas[k].format, SIZE, SIZE,
                                 SIZE * zetas[k].bytes, .linear = true);
                s->color_count = has_color;
                state_touch(s, GROUP_TARGET);
                if (!has_color && zetas[k].format == FORMAT_NONE)
                    continue;
                draw_again(&f);
                OK(&f, tp_buffer_read(f.context, texels, 0, before, BYTES));
                const float middle = s->viewport[0].translate[2];
                s->viewport[0].translate[2] =
                    middle + 0.1f; /* another depth, which must not come back */
                state_touch(s, GROUP_VIEW);
                draw_again(&f);
                OK(&f, tp_finish(f.context));
                s->viewport[0].translate[2] = middle;
                state_touch(s, GROUP_VIEW);
                draw_again(&f);
                s->clear_depth = 0.5f;
                s->clear_stencil = 0x5a;
                for (int c = 0; c < 4; c++)
                    s->clear_color[c] = 0x3f800000;
                uint32_t together = 0;
                for (int n = 0; n < PARTS; n++) {
                    const uint32_t one = what >> n & 1 ? part[n] : 0;
                    together |= one;
                    if (apart)
                        OK(&f, context_clear(f.context, one, 0, 0, 1, &all));
                }
                if (!apart)
                    OK(&f, context_clear(f.context, together, 0, 0, 1, &all));
                OK(&f, tp_buffer_read(f.context, texels, 0, after, BYTES));
                fixture_read(&f);
                for (uint32_t at = 0; at < SIZE * SIZE; at += 7) {
                    uint32_t a[2] = {0}, b[2] = {0};
                    memcpy(a, before + at * zetas[k].bytes, zetas[k].bytes);
                    memcpy(b, after + at * zetas[k].bytes, zetas[k].bytes);
                    const uint32_t stencil_a = a[zetas[k].wide] & zetas[k].stencil;
                    const uint32_t stencil_b = b[zetas[k].wide] & zetas[k].stencil;
                    if ((((a[0] ^ b[0]) & zetas[k].depth) != 0) != (zetas[k].depth && what & 2))
                        fail_msg("zeta format %zu, clear of %x: depth %08x was %08x", k, what, b[0],
                                 a[0]);
                    if ((stencil_a != stencil_b) != (zetas[k].stencil && what & 4))
                        fail_msg("zeta format %zu, clear of %x: stencil %08x was %08x", k, what,
                                 stencil_b, stencil_a);
                    const uint32_t drawn = what & 1 ? 0xffffffff : 0xff0000ff;
                    if (has_color && fixture_pixel(&f, at % SIZE, at / SIZE) != drawn)
                        fail_msg("zeta format %zu, clear of %x: %08x", k, what,
                                 fixture_pixel(&f, at % SIZE, at / SIZE));
                }
            }
}

enum { SIDE = 64 };

static const float square[4][8] = {{-1, -1, 0, 1, 1, 1, 1, 1},
                                   {1, -1, 0, 1, 1, 1, 1, 1},
                                   {1, 1, 0, 1, 1, 1, 1, 1},
                                   {-1, 1, 0, 1, 1, 1, 1, 1}};

/* A draw that is counted is drawn, although a clear follows, also if uncounted draws lie
 * between. */
DRAW_TEST(test_counted_below_a_clear, 2, SIDE) {
    enum { MANY = 3000 };
    static float v[3 * MANY][8];
    uint64_t samples = 0;
    OK(f, tp_query_begin(f->context));
    fixture_draw(f, TP_QUADS, square, 4);
    f->context->state.sample.count = false;
    state_touch(&f->context->state, GROUP_SAMPLE);
    for (uint32_t i = 0; i < 3 * MANY; i++)
        memcpy(v[i], square[i % 3], sizeof v[i]);
    fixture_draw(f, TP_TRIANGLES, (const float(*)[8])v, 3 * MANY);
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, NULL, 1, 0));
    f->context->state.sample.count = true;
    state_touch(&f->context->state, GROUP_SAMPLE);
    OK(f, tp_query_end(f->context, &samples));
    assert_int_equal(samples, SIDE * SIDE);
}

/* A clear of depth or stencil has its effect, although a later draw without a depth test replaces
 * all colours. */
TEST(test_clears_below_what_replaces) {
    static const struct {
        uint32_t what;
        float depth;
        uint8_t stencil;
    } parts[] = {{TP_CLEAR_DEPTH, 0.25f, 0},
                 {TP_CLEAR_STENCIL, 1, 9},
                 {TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, 0.25f, 9}};
    for (size_t r = 0; r < LENGTH(parts); r++) {
        static uint32_t words[SIDE * SIDE];
        FIXTURE(f, 1, NULL, SIDE);
        OK(&f, tp_finish(f.context));
        OK(&f, tp_clear(f.context, parts[r].what, NULL, parts[r].depth, parts[r].stencil));
        fixture_draw(&f, TP_QUADS, square, 4);
        OK(&f, tp_texture_read(f.context, f.zeta, 0, 0, words, SIDE * 4));
        const uint32_t depth = parts[r].depth < 1 ? 0x400000 : 0xffffff;
        for (uint32_t i = 0; i < SIDE * SIDE; i++)
            assert_int_equal(words[i], depth | (uint32_t)parts[r].stencil << 24);
    }
}

/* A clear of layers or outputs that do not exist changes no memory. */
TEST(test_clears_beyond) {
    enum { LAYERS = 4 };
    const struct raster_rect all = {0, 0, SIDE, SIDE};
    for (uint32_t first = 0; first < LAYERS + 1; first++)
        for (uint32_t count = 1; count < LAYERS + 2; count++) {
            FIXTURE(f, 1, NULL, SIDE);
            tp_texture *array = fixture_layers(&f, SIDE, SIDE, LAYERS);
            struct state *const s = &f.context->state;
            s->layers = 2; /* layers of the target */
            for (int i = 1; i < 8; i++)
                s->color[i] = s->color[0];
            state_touch(s, GROUP_TARGET);
            memset(s->clear_color, 0, sizeof s->clear_color);
            s->clear_color[0] = 0x3f800000;
            for (uint32_t rt = 0; rt < 16; rt++) {
                OK(&f, context_clear(f.context, CLEAR_COLOR_BITS | CLEAR_DEPTH | CLEAR_STENCIL, rt,
                                     first, count, &all));
                for (uint32_t layer = 0; layer < LAYERS && (rt == 0 || rt == 1 || rt == 15);
                     layer++) {
                    OK(&f, tp_texture_read(f.context, array, 0, layer, f.pixels, SIDE * 4));
                    const bool cleared = layer < 2 && layer >= first && layer < first + count;
                    assert_int_equal(fixture_pixel(&f, 5, 9), cleared ? 0xff : 0);
                }
            }
        }
}
