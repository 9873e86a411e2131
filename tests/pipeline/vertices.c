/* Inline vertices: their ids, across cuts, and their layouts. Statistics of programs: instructions,
 * lanes and reads outside buffers add up over the stages. */
#include "tests/pipeline/fixture.h"

#include "pipeline/context.h"

enum { SIZE = 64 };

/* ---- ids ---- */

static const char id_vp[] =
    ".attr 0 xyzw\n.attr 1 xyzw\n.builtin vertex_id\n.output position o[0x0]\n"
    ".output varying o[0x10] 4\n"
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\n"
    "mov b32 o[0xc] a[0xc]\nmov b32 $r0 a[0x20]\ncvt rn f32 $r0 u32 $r0\n"
    "mul f32 $r0 $r0 0x3b808081\nmov b32 o[0x10] $r0\n"
    "mov b32 o[0x14] $r0\nmov b32 o[0x18] $r0\nexit mov b32 o[0x1c] $r0\n";

/* The calls before a vertex (an id, a cut, or both), and the resulting id. */
struct step {
    int given; /* -1: no id */
    bool cut;
    uint32_t id;
};

static void check_ids(const struct step *step, uint32_t count, enum tp_primitive type) {
    float v[16][8];
    FIXTURE(f, 1, NULL, SIZE);
    fixture_bind(&f, TP_VERTEX, id_vp);
    for (uint32_t i = 0; i < count; i++) {
        const float all[8] = {(float)(4 * i + 1) / SIZE - 1, 0.01f, 0, 1, 1, 1, 1, 1};
        memcpy(v[i], all, sizeof all);
    }
    fixture_vertices(&f, (const float(*)[8])v, count); /* sets the format of the attributes */
    OK(&f, draw_begin(f.context, type, DRAW_INSTANCE_FIRST));
    for (uint32_t i = 0; i < count; i++) {
        if (step[i].cut)
            OK(&f, draw_vertex_cut(f.context));
        if (step[i].given >= 0)
            OK(&f, draw_vertex_id(f.context, (uint32_t)step[i].given));
        OK(&f, draw_vertex_data(f.context, (const uint32_t *)v[i], 8));
    }
    OK(&f, draw_end(f.context));
    fixture_read(&f);
    struct tp_statistics s;
    OK(&f, tp_get_statistics(f.context, &s));
    if (type == TP_POINTS)
        assert_int_equal(s.primitives, count); /* each vertex is one point */
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t red = fixture_pixel(&f, 2 * i, SIZE / 2 - 1) & 0xff;
        if (red != step[i].id)
            fail_msg("vertex %u: id %u, expected %u", i, red, step[i].id);
    }
}

TEST(test_inline_ids) {
    static const struct step none[] = {{-1, 0, 0}, {-1, 0, 1}, {-1, 0, 2}, {-1, 0, 3}};
    static const struct step given[] = {{-1, 0, 0},   {-1, 0, 1}, {100, 0, 100}, {-1, 0, 101},
                                        {-1, 1, 102}, {7, 0, 7},  {-1, 0, 8},    {200, 1, 200}};
    static const struct step first[] = {{50, 0, 50}, {-1, 0, 51}, {50, 0, 50}, {3, 0, 3}};
    check_ids(none, 4, TP_POINTS);
    check_ids(given, 8, TP_POINTS);
    check_ids(first, 4, TP_POINTS);
}

/* ---- layouts ---- */

/* Each attribute of an inline vertex begins at a word, however short the attribute before it is. */
TEST(test_inline_layouts) {
    static const struct {
        uint8_t format, bytes; /* 8-bit and 16-bit components; all are UNORM */
    } rows[] = {{0x1d, 1}, {0x18, 2}, {0x13, 3}, {0x0a, 4}, {0x1b, 2},
                {0x0f, 4}, {0x05, 6}, {0x03, 8}, {0x30, 4}};
    static const char vp_text[] =
        ".attr 0 xyzw\n.attr 1 x\n.attr 2 x\n.output position o[0x0]\n"
        ".output varying o[0x10] 4\n"
        "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\n"
        "mov b32 o[0xc] a[0xc]\nmov b32 o[0x10] a[0x10]\nmov b32 $r0 1.0\n"
        "mov b32 o[0x14] a[0x14]\nmov b32 o[0x18] $r0\nexit mov b32 o[0x1c] $r0\n";
    enum { VERTICES = 3 };
    for (size_t r = 0; r < LENGTH(rows); r++) {
        static const float place[VERTICES][8] = {
            {-0.7f, 0.01f, 0, 1}, {0.01f, 0.01f, 0, 1}, {0.7f, 0.01f, 0, 1}};
        const uint32_t stride = (16 + rows[r].bytes + 3) / 4 + 1;
        uint32_t words[VERTICES * 8] = {0};
        FIXTURE(f, 1, NULL, SIZE);
        fixture_bind(&f, TP_VERTEX, vp_text);
        fixture_vertices(&f, place, VERTICES);
        struct vertex_attribute *a = f.context->state.attribute;
        a[1] = (struct vertex_attribute){.format = rows[r].format, .type = 0x12};
        a[2] = (struct vertex_attribute){.format = 0x0a, .type = 0x12};
        a[3] = (struct vertex_attribute){
            .format = 0x7f,
            .type = 0x12}; /* an attribute without a format or type takes no space in a vertex */
        a[4] = (struct vertex_attribute){.format = 0x0a, .type = 0x11};
        a[5] = (struct vertex_attribute){.format = 0x0a, .type = 0x12, .constant = true};
        state_touch(&f.context->state, GROUP_FETCH);
        for (uint32_t i = 0; i < VERTICES; i++) {
            uint32_t *v = &words[i * stride];
            memcpy(v, place[i], 16);
            memset(&v[4], 0xff, rows[r].bytes);
            v[stride - 1] = 0xffffff00 | (0x40 + 0x20 * i);
        }
        OK(&f, draw_begin(f.context, TP_POINTS, DRAW_INSTANCE_FIRST));
        OK(&f, draw_vertex_data(f.context, words, VERTICES * stride));
        OK(&f, draw_end(f.context));
        fixture_read(&f);
        assert_int_equal(fixture_count(&f), VERTICES);
        for (uint32_t i = 0; i < VERTICES; i++) {
            const uint32_t x = (uint32_t)((place[i][0] + 1) * SIZE / 2);
            const uint32_t got = fixture_pixel(&f, x, SIZE / 2 - 1);
            if (got != (0xffff00ff | (0x40 + 0x20 * i) << 8))
                fail_msg("format %02x, vertex %u: %08x", rows[r].format, i, got);
        }
    }
}

/* ---- statistics ---- */

static struct tp_statistics draw(const char *vp_text, const char *fp_text, bool discard) {
    static const float v[3][8] = {WHOLE(0, 1, 1, 1, 1)};
    struct tp_statistics s;
    FIXTURE(f, 1, NULL, SIZE);
    tp_program *fp = fixture_program(&f, TP_FRAGMENT, fp_text);
    fixture_bind(&f, TP_VERTEX, vp_text);
    OK(&f, tp_bind_program(f.context, TP_FRAGMENT, fp));
    OK(&f, tp_set_raster(f.context, &(struct tp_raster_state){.discard = discard}));
    fixture_draw(&f, TP_TRIANGLES, v, 3);
    OK(&f, tp_get_statistics(f.context, &s));
    return s;
}

static const char bad_vp[] =
    ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
    "ld $r0 b32 c5[0x10]\nmov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
    "mov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
    "mov b32 o[0x10] $r0\nmov b32 o[0x14] $r0\nmov b32 o[0x18] $r0\n"
    "exit mov b32 o[0x1c] $r0\n";
static const char four_fp[] =
    "mov b32 $r0 1.0\nmov b32 $r1 1.0\nmov b32 $r2 1.0\nmov b32 $r3 1.0\nexit nop\n";
static const char varying_fp[] = ".interpolants position=w smooth=4\ninterp $r0 v[0x4]\n"
                                 "interp $r1 v[0x8]\nmov b32 $r2 1.0\nmov b32 $r3 1.0\nexit nop\n";
static const char bad_fp[] =
    "ld $r0 b32 c5[0x10]\nmov b32 $r1 1.0\nmov b32 $r2 1.0\nmov b32 $r3 1.0\nexit nop\n";

TEST(test_statistics) {
    enum { VP = 8, FP = 5, PIXELS = SIZE * SIZE };
    const struct tp_statistics alone = draw(pass_vp, four_fp, true);
    assert_int_equal(alone.instructions, VP);
    assert_int_equal(alone.lane_instructions, 3 * VP);
    assert_int_equal(alone.bad_reads, 0);
    static const char *const fps[] = {four_fp, varying_fp};
    for (int i = 0; i < 2; i++) {
        const struct tp_statistics s = draw(pass_vp, fps[i], false);
        assert_int_equal(s.fragments, PIXELS);
        assert_int_equal(s.instructions, VP + PIXELS / 32 * FP);
        assert_int_equal(s.lane_instructions, 3 * VP + PIXELS * FP);
        assert_int_equal(s.bad_reads, 0);
    }
    const struct tp_statistics vertices = draw(bad_vp, four_fp, false),
                               fragments = draw(pass_vp, bad_fp, false);
    const struct tp_statistics both = draw(bad_vp, bad_fp, false);
    assert_in_range(vertices.bad_reads, 1, 3);
    assert_in_range(fragments.bad_reads, PIXELS / 32, PIXELS);
    assert_int_equal(both.bad_reads, vertices.bad_reads + fragments.bad_reads);
    assert_int_equal(both.bad_writes, 0);
}
