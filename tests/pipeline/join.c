/* Small draws that share chunks, warps and batches give the same result as each draw alone. Random
 * draws with different constants, ranges, instances, indices, primitive types and rasterizer state
 * are drawn together, and again with a finish after each draw. */
#include "tests/pipeline/fixture.h"

#include "pipeline/context_private.h"
#include "pipeline/scene/queue.h"

enum { SIZE = 160, VERTICES = 120, INDICES = 400, DRAWS = 400, CELLS = 16 };

/* The position is the attribute, scaled and moved by constants and by the instance's attribute. The
 * colour comes from constants and from vertex and instance ids. */
#define BODY                                                                                       \
    "mov b32 $r0 a[0x0]\nmov b32 $r1 a[0x4]\n"                                                     \
    "mul f32 $r0 $r0 c0[0x0]\nmul f32 $r1 $r1 c0[0x0]\n"                                           \
    "add f32 $r0 $r0 c0[0x4]\nadd f32 $r1 $r1 c0[0x8]\n"                                           \
    "mov b32 $r2 a[0x8]\nmov b32 $r3 a[0xc]\nadd f32 $r0 $r0 $r2\nadd f32 $r1 $r1 $r3\n"           \
    "mov b32 o[0x0] $r0\nmov b32 o[0x4] $r1\nmov b32 $r0 0.5\nmov b32 o[0x8] $r0\n"                \
    "mov b32 $r0 1.0\nmov b32 o[0xc] $r0\nmov b32 o[0x1c] $r0\n"                                   \
    "mov b32 $r2 a[0x10]\ncvt rn f32 $r2 u32 $r2\nmov b32 $r3 0.005\nmul f32 $r2 $r2 $r3\n"        \
    "mov b32 o[0x10] $r2\n"                                                                        \
    "mov b32 $r2 a[0x14]\ncvt rn f32 $r2 u32 $r2\nmov b32 $r3 0.07\nmul f32 $r2 $r2 $r3\n"         \
    "mov b32 o[0x14] $r2\nld $r2 b32 c0[0xc]\nexit mov b32 o[0x18] $r2\n"
static const char vp_text[] = ".attr 0 xy\n.attr 1 xy\n.builtin vertex_id instance_id\n"
                              ".output position o[0x0]\n.output varying o[0x10] 4\n" BODY;
/* vp_text with a branch, and with vertex ids from the draw's first vertex. A program with a branch
 * may fail, so its draws share no warps. */
static const char branch_text[] =
    ".attr 0 xy\n.attr 1 xy\n.builtin vertex_id_from_first instance_id\n"
    ".output position o[0x0]\n.output varying o[0x10] 4\nbra #L\nL: nop\n" BODY;
/* vp_text with an indexed constant. Such a program has no variant for lanes with different
 * constants. */
static const char any_text[] = ".attr 0 xy\n.attr 1 xy\n.builtin vertex_id instance_id\n"
                               ".output position o[0x0]\n.output varying o[0x10] 4\n"
                               "mov b32 $r4 0\nshl $a1 $r4 0x0\nld $r4 b32 c0[$a1+0x4]\n" BODY;

/* Reads constants, and fewer varyings than smooth_fp. */
static const char fp_text[] =
    ".interpolants position=w smooth=4\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
    "interp $r0 v[0x4] $r4\nmul f32 $r1 $r0 c0[0x0]\n"
    "ld $r2 b32 c0[0x4]\nexit ld $r3 b32 c0[0x4]\n";

/* Emits a small triangle or a point at the primitive's first vertex. */
#define MOVED(x, y)                                                                                \
    "mov b32 $r0 p[$a1]\nmov b32 $r4 " x "\nadd f32 $r0 $r0 $r4\nmov b32 o[0x0] $r0\n"             \
    "mov b32 $r0 p[$a1+0x4]\nmov b32 $r4 " y "\nadd f32 $r0 $r0 $r4\nmov b32 o[0x4] $r0\n"         \
    "mov b32 o[0x8] p[$a1+0x8]\nmov b32 o[0xc] p[$a1+0xc]\nmov b32 o[0x10] p[$a1+0x10]\n"          \
    "mov b32 o[0x14] p[$a1+0x14]\nmov b32 o[0x18] p[$a1+0x18]\nmov b32 o[0x1c] p[$a1+0x1c]\nemit\n"
#define GP(kind, vertices)                                                                         \
    ".primitive " kind "\n.vertices " vertices                                                     \
    "\n.output position o[0x0]\n.output varying o[0x10] 4\n"                                       \
    "shl $a1 a[0x0] 0\n"
static const char triangle_text[] = GP("triangle_strip", "3") MOVED("0.0", "0.1")
    MOVED("-0.1", "-0.1") MOVED("0.1", "-0.1") "exit nop\n";
static const char point_text[] = GP("points", "1") MOVED("0.0", "0.0") "exit nop\n";

struct world {
    struct fixture f;
    tp_program *vp[3], *gp[2], *fp[2];
    tp_buffer *data[2], *cells, *index; /* vertices; the second buffer is shorter */
    uint64_t seed;
};

static uint32_t next(struct world *w, uint32_t n) {
    return (uint32_t)random_next(&w->seed) % n;
}

static void open_world(struct world *w, int threads, const char *simd) {
    float data[VERTICES][2], cells[CELLS][2];
    uint16_t index[INDICES];
    fixture_open(&w->f, threads, simd, SIZE);
    w->seed = 4;
    for (int i = 0; i < 2 * VERTICES; i++)
        data[i / 2][i % 2] = (float)next(w, 2001) / 1000 - 1;
    for (int i = 0; i < 2 * CELLS; i++)
        cells[i / 2][i % 2] = (float)next(w, 1001) / 1000 - .5f;
    for (int i = 0; i < INDICES; i++)
        index[i] = (uint16_t)next(w, VERTICES + 5); /* a few indices are beyond the end */
    w->vp[0] = fixture_program(&w->f, TP_VERTEX, vp_text);
    w->vp[1] = fixture_program(&w->f, TP_VERTEX, branch_text);
    w->vp[2] = fixture_program(&w->f, TP_VERTEX, any_text);
    w->gp[0] = fixture_program(&w->f, TP_GEOMETRY, triangle_text);
    w->gp[1] = fixture_program(&w->f, TP_GEOMETRY, point_text);
    w->fp[0] = fixture_program(&w->f, TP_FRAGMENT, smooth_fp);
    w->fp[1] = fixture_program(&w->f, TP_FRAGMENT, fp_text);
    w->data[0] = fixture_buffer(&w->f, sizeof data, data);
    w->data[1] = fixture_buffer(&w->f, sizeof data / 2, data[VERTICES / 3]);
    w->cells = fixture_buffer(&w->f, sizeof cells, cells);
    w->index = fixture_buffer(&w->f, sizeof index, index);
    OK(&w->f, tp_bind_program(w->f.context, TP_VERTEX, w->vp[0]));
    OK(&w->f, tp_bind_vertices(w->f.context, 0, w->data[0], 0, 8, 0));
    OK(&w->f, tp_bind_vertices(w->f.context, 1, w->cells, 0, 8, 1));
    OK(&w->f, tp_set_attribute(w->f.context, 0, 0, 0, 2, TP_FLOAT32));
    OK(&w->f, tp_set_attribute(w->f.context, 1, 1, 0, 2, TP_FLOAT32));
}

static void close_world(struct world *w) {
    fixture_close(&w->f);
}

/* Changes state that does not affect vertices. */
static void change_something(struct world *w) {
    const struct tp_blend_target blend = {.enable = next(w, 2),
                                          .src_rgb = TP_SRC_ALPHA,
                                          .dst_rgb = next(w, 2) ? TP_FACTOR_ONE : TP_FACTOR_ZERO};
    const struct tp_depth_state depth = {
        .test = next(w, 2), .write = next(w, 2), .func = next(w, 2) ? TP_ALWAYS : TP_LEQUAL};
    const struct tp_raster_state raster = {.cull_back = next(w, 2), .discard = !next(w, 8)};
    const float constants[4] = {(float)next(w, 100) / 100, (float)next(w, 100) / 100, 0, 0};
    const uint32_t x = next(w, SIZE / 2), y = next(w, SIZE / 2);
    const struct tp_rect window = {x, y, SIZE / 2, SIZE / 3};
    switch (next(w, 7)) {
    case 0:
        OK(&w->f, tp_set_blend(w->f.context, 0, &blend));
        break;
    case 1:
        OK(&w->f, tp_set_depth(w->f.context, &depth));
        break;
    case 2:
        OK(&w->f, tp_set_raster(w->f.context, &raster));
        break;
    case 3:
        OK(&w->f, tp_set_scissor(w->f.context, 0, x, y, SIZE / 2, SIZE / 2));
        break;
    case 4:
        OK(&w->f, tp_bind_program(w->f.context, TP_FRAGMENT, w->fp[next(w, 2)]));
        break;
    case 5:
        OK(&w->f, tp_set_window_rectangles(
                      w->f.context, next(w, 2) ? TP_WINDOWS_OUTSIDE : TP_WINDOWS_OFF, 1, &window));
        break;
    default:
        OK(&w->f, tp_set_constants(w->f.context, TP_FRAGMENT, 0, constants, sizeof constants));
    }
}

static void draw_something(struct world *w) {
    static const enum tp_primitive types[] = {TP_TRIANGLES, TP_TRIANGLE_STRIP, TP_TRIANGLE_FAN,
                                              TP_LINES,     TP_POINTS,         TP_QUADS};
    const float constants[4] = {(float)next(w, 100) / 500, (float)next(w, 1001) / 500 - 1,
                                (float)next(w, 1001) / 500 - 1, (float)next(w, 256) / 255};
    if (next(w, 3))
        OK(&w->f, tp_set_constants(w->f.context, TP_VERTEX, 0, constants, sizeof constants));
    if (!next(w, 3))
        OK(&w->f, tp_bind_vertices(w->f.context, 0, w->data[next(w, 2)], 8 * next(w, 9), 8, 0));
    if (!next(w, 9))
        OK(&w->f, tp_set_viewport(w->f.context, 0, (float)next(w, 40), 0, SIZE,
                                  SIZE - (float)next(w, 40)));
    if (!next(w, 20))
        OK(&w->f, tp_bind_program(w->f.context, TP_VERTEX, w->vp[next(w, 3)]));
    if (!next(w, 12)) { /* half of the choices are NULL */
        const uint32_t which = next(w, 4);
        OK(&w->f, tp_bind_program(w->f.context, TP_GEOMETRY, which < 2 ? w->gp[which] : NULL));
    }
    if (!next(w, 3))
        change_something(w);
    struct tp_draw_info info = {.primitive = types[next(w, 4) ? 1 : next(w, 6)],
                                .count = 3 + next(w, 12)};
    info.first = next(w, 4) ? 0 : next(w, VERTICES - 20);
    if (!next(w, 4))
        info.instances = 1 + next(w, 5);
    if (!next(w, 6))
        info.first_instance = next(w, CELLS - 5);
    if (!next(w, 3)) {
        info.index_buffer = w->index;
        info.index_type = TP_INDEX_U16;
        info.first = next(w, INDICES - 100);
    }
    if (!next(w, 60))
        info.count = 100;
    OK(&w->f, tp_draw(w->f.context, &info));
}

struct outcome {
    uint32_t hash;
    struct tp_statistics s;
};

static void take_outcome(struct world *w, struct outcome *o) {
    o->hash = 2166136261u;
    fixture_read(&w->f);
    for (uint32_t i = 0; i < SIZE * SIZE * 4; i++)
        o->hash = (o->hash ^ w->f.pixels[i]) * 16777619u;
    OK(&w->f, tp_get_statistics(w->f.context, &o->s));
}

static struct outcome draw_world(int threads, const char *simd, bool apart) {
    struct world w;
    struct outcome o;
    open_world(&w, threads, simd);
    for (int i = 0; i < DRAWS; i++) {
        draw_something(&w);
        if (apart)
            OK(&w.f, tp_finish(w.f.context));
    }
    take_outcome(&w, &o);
    assert_true(fixture_count(&w.f) > SIZE * SIZE / 10);
    close_world(&w);
    return o;
}

TEST(test_same_as_apart) {
    static const struct {
        int threads;
        const char *simd;
    } how[] = {{1, "base"}, {1, NULL}, {2, NULL}, {5, NULL}};
    const struct outcome apart = draw_world(1, NULL, true);
    for (size_t i = 0; i < LENGTH(how); i++) {
        const struct outcome o = draw_world(how[i].threads, how[i].simd, false);
        assert_int_equal(o.hash, apart.hash);
        assert_int_equal(o.s.draws, apart.s.draws);
        assert_int_equal(o.s.vertices, apart.s.vertices);
        assert_int_equal(o.s.primitives, apart.s.primitives);
        assert_true(o.s.vertex_warps < apart.s.vertex_warps); /* some draws shared warps */
    }
}

/* 64 draws of 4 vertices are 8 full warps, also if constants, the place of the vertices, or state
 * that does not concern vertices changes between the draws. */
TEST(test_warps_are_full) {
    enum { NOTHING, CONSTANTS, ARRAYS, THE_REST, WAYS };
    for (int way = NOTHING; way < WAYS; way++) {
        struct world w;
        struct tp_statistics s;
        open_world(&w, 1, NULL);
        for (int i = 0; i < 64; i++) {
            const float constants[4] = {way == CONSTANTS ? .01f * (float)i : .1f, 0, 0, 1};
            if (!i || way == CONSTANTS)
                OK(&w.f, tp_set_constants(w.f.context, TP_VERTEX, 0, constants, sizeof constants));
            if (way == ARRAYS)
                OK(&w.f,
                   tp_bind_vertices(w.f.context, 0, w.data[i % 2], 8 * (uint32_t)(i % 50), 8, 0));
            if (way == THE_REST)
                change_something(&w);
            OK(&w.f, tp_draw_arrays(w.f.context, TP_TRIANGLE_STRIP, 0, 4));
        }
        OK(&w.f, tp_finish(w.f.context));
        OK(&w.f, tp_get_statistics(w.f.context, &s));
        assert_int_equal(s.vertices, 64 * 4);
        assert_int_equal(s.vertex_warps, 8);
        close_world(&w);
    }
}

/* A driver's loop over instances: each draw asks for the next instance number. Every eighth draw
 * has more vertices, some have two ranges of vertices, the constants change once, and the instance
 * numbers restart once. */
static void draw_loop(struct world *w, bool apart, struct outcome *o) {
    enum { INSTANCES = 22 };
    const float constants[2][4] = {{.15f, 0, 0, 1}, {.2f, .1f, .1f, 0}};
    open_world(w, 2, NULL);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        if (i == 0 || i == 6)
            OK(&w->f,
               tp_set_constants(w->f.context, TP_VERTEX, 0, constants[i / 6], sizeof constants[0]));
        OK(&w->f, draw_begin(w->f.context, TP_TRIANGLE_STRIP,
                             i % 12 ? DRAW_INSTANCE_NEXT : DRAW_INSTANCE_FIRST));
        OK(&w->f, draw_arrays(w->f.context, 8, i % 8 == 7 ? 9 : 5));
        if (i == 9 || i == 10 || i == 15)
            OK(&w->f, draw_arrays(w->f.context, 20, 5));
        OK(&w->f, draw_end(w->f.context));
        if (apart)
            OK(&w->f, tp_finish(w->f.context));
    }
    take_outcome(w, o);
    assert_true(fixture_count(&w->f) > 1000);
    close_world(w);
}

TEST(test_instances) {
    struct world w;
    struct outcome apart, joined;
    draw_loop(&w, true, &apart);
    draw_loop(&w, false, &joined);
    assert_int_equal(joined.hash, apart.hash);
    assert_int_equal(joined.s.draws, apart.s.draws);
    assert_int_equal(joined.s.vertices, apart.s.vertices);
    assert_int_equal(joined.s.primitives, apart.s.primitives);
    assert_int_equal(joined.s.vertex_warps, (apart.s.vertices + 31) / 32);
}

/* A draw, and a second draw that differs from it in one respect. Only if they do not differ may the
 * second draw become further instances of the first. */
enum difference {
    NO_DIFFERENCE,
    BASE,
    INDEX_PLACE,
    INDEX_SIZE,
    FIRST,
    COUNT,
    EDGES,
    CUT,
    CONSTANT,
    ARRAY,
    INSTANCE_BASE,
    INSTANCE_AGAIN,
    INSTANCE_SAME,
    INSTANCES,
    TYPE,
    DIFFERENCES
};

static void draw_second(struct world *w, enum difference what, bool second) {
    static const float more[4] = {.3f, .2f, .1f, 1};
    const enum difference d = second ? what : NO_DIFFERENCE;
    tp_context *const c = w->f.context;
    const bool arrays = what == FIRST || what == COUNT;
    const bool edges = what == EDGES;
    c->state.element_base = d == BASE ? 7 : 0;
    c->state.instance_base = d == INSTANCE_BASE ? 3 : 0;
    c->state.edge_flag = !second || !edges;
    c->state.restart_enable = what == CUT;
    c->state.restart_index = d == CUT ? 3 : 1000;
    if (edges)
        OK(&w->f, tp_set_raster(c, &(struct tp_raster_state){.polygon_front = TP_POLYGON_LINE,
                                                             .polygon_back = TP_POLYGON_LINE}));
    if (d == CONSTANT)
        OK(&w->f, tp_set_constants(c, TP_VERTEX, 0, more, sizeof more));
    if (d == ARRAY)
        OK(&w->f, tp_bind_vertices(c, 0, w->data[0], 40, 8, 0));
    OK(&w->f, draw_begin(c,
                         edges       ? TP_QUADS
                         : d == TYPE ? TP_TRIANGLES
                                     : TP_TRIANGLE_STRIP,
                         !second || d == INSTANCE_AGAIN ? DRAW_INSTANCE_FIRST
                         : d == INSTANCE_SAME           ? DRAW_INSTANCE_SAME
                                                        : DRAW_INSTANCE_NEXT));
    draw_set_instances(c, d == INSTANCES ? 3 : 2);
    if (arrays)
        OK(&w->f, draw_arrays(c, d == FIRST ? 9 : 4, d == COUNT ? 7 : 8));
    else
        OK(&w->f, draw_indices_memory(c, tp_buffer_address(w->index) + (d == INDEX_PLACE ? 16 : 0),
                                      8, d == INDEX_SIZE ? 1 : 2));
    OK(&w->f, draw_end(c));
}

static struct outcome draw_two(enum difference what, bool apart, bool *joined) {
    static const float constants[4] = {.5f, -.2f, .1f, 0};
    struct world w;
    struct outcome o;
    uint16_t index[INDICES];
    open_world(&w, 1, NULL);
    for (int i = 0; i < INDICES; i++)
        index[i] = (uint16_t)(i % 40);
    OK(&w.f, tp_buffer_write(w.f.context, w.index, 0, index, sizeof index));
    OK(&w.f, tp_set_constants(w.f.context, TP_VERTEX, 0, constants, sizeof constants));
    for (int second = 0; second < 2; second++) {
        draw_second(&w, what, second);
        const struct draw_call *last = w.f.context->p->scene->last_call;
        *joined = second && last && last->instance_count == 4;
        if (apart)
            OK(&w.f, tp_finish(w.f.context));
    }
    take_outcome(&w, &o);
    close_world(&w);
    return o;
}

TEST(test_what_is_more_instances) {
    for (enum difference what = NO_DIFFERENCE; what < DIFFERENCES; what++) {
        bool joined, alone;
        const struct outcome apart = draw_two(what, true, &alone),
                             together = draw_two(what, false, &joined);
        if (apart.hash != together.hash || apart.s.vertices != together.s.vertices ||
            apart.s.primitives != together.s.primitives || alone ||
            joined != (what == NO_DIFFERENCE))
            fail_msg("difference %d: %s, %u and %u primitives, %s picture", what,
                     joined ? "joined" : "apart", (unsigned)apart.s.primitives,
                     (unsigned)together.s.primitives,
                     apart.hash == together.hash ? "the same" : "another");
    }
}
