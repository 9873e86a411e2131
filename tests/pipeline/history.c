/* Histories of pixels, verdict by verdict: a triangle over the whole target is drawn under a state
 * that removes it in one way, and its entry names this way. Also: values, vertices, instances,
 * copies. */
#include "tests/pipeline/fixture.h"
#include "tests/shapes.h"

#include "include/teslapipe_debug.h"
#include "pipeline/context.h"
#include "pipeline/context_private.h"
#include "raster/functions.h"
#include "pipeline/debug/history.h"
#include "pipeline/debug/watch.h"

enum { SIZE = 16, X = 8, Y = 9 };

static const float whole[3][8] = {WHOLE(0, 1, 0.5f, 0.25f, 0.5f)};
static const char discard_fp[] =
    ".interpolants position=w smooth=4\nmov b32 $r0 1.0\ndiscard\nexit nop\n";

struct history_case {
    const char *name;
    enum tp_verdict verdict;
    void (*set)(struct fixture *f);
    bool samples; /* the target has samples */
};

/* Draws vertices while the pixel of the colour target is watched. Returns the number of entries,
 * and the first of them. */
static size_t told(struct fixture *f, const struct tp_debug_pixel *pixel, enum tp_primitive type,
                   uint32_t count, struct tp_debug_entry *first) {
    tp_debug_history *h;
    size_t entries;
    OK(f, tp_finish(f->context));
    OK(f, tp_debug_history_begin(f->context, pixel, 1, &h));
    OK(f, tp_draw_arrays(f->context, type, 0, count));
    OK(f, tp_debug_history_end(f->context));
    OK(f, tp_debug_history_count(h, 0, f->color, &entries));
    *first = (struct tp_debug_entry){0};
    if (entries)
        OK(f, tp_debug_history_get(h, 0, f->color, 0, first));
    tp_debug_history_destroy(h);
    return entries;
}

/* A history that watches `pixels` from now on. */
static struct history *watch(struct fixture *f, const struct raster_probe_pixel *pixels,
                             size_t count, const struct history_options *options) {
    struct history *h = history_create(f->device, pixels, count, options);
    assert_true(h && history_watch(h, f->context));
    return h;
}

/* Ends the history; returns the entries of a watched pixel of colour target 0. */
static const struct history_entry *const *ended(struct fixture *f, struct history *h,
                                                uint32_t pixel, size_t *count) {
    const struct raster_targets targets = *scene_targets(f->context->p->scene);
    history_end(h);
    return history_select(h, pixel, f->context->state.color[0].address, &targets.color[0], 0,
                          count);
}

/* The entries of the pixel after a draw of a triangle. */
static const struct history_entry *const *draw_told(struct fixture *f, struct history *h,
                                                    size_t *count) {
    OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 0, 3));
    OK(f, tp_finish(f->context));
    return ended(f, h, 0, count);
}

/* Makes a draw of triangles of the first n vertices by the inner calls. */
static void draw_inner(struct fixture *f, uint32_t n) {
    OK(f, draw_begin(f->context, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
    OK(f, draw_arrays(f->context, 0, n));
    OK(f, draw_end(f->context));
}

/* Binds the triangle with one component, for example depth or alpha, replaced in each vertex. */
static void change_vertices(struct fixture *f, int component, const float value[3]) {
    float v[3][8];
    memcpy(v, whole, sizeof v);
    for (int i = 0; i < 3; i++)
        v[i][component] = value[i];
    fixture_vertices(f, (const float(*)[8])v, 3);
}

static void plain(struct fixture *f) {
    (void)f;
}

static void move_far(struct fixture *f) {
    change_vertices(f, 2, (const float[]){2, 2, 2});
}

/* The near clip plane cuts off the triangle's part at the pixel, and leaves another part. */
static void cross_near(struct fixture *f) {
    change_vertices(f, 2, (const float[]){-3, -3, 1});
}

static void cull(struct fixture *f) {
    OK(f,
       tp_set_raster(f->context, &(struct tp_raster_state){.cull_front = true, .cull_back = true}));
}

static void scissor(struct fixture *f) {
    OK(f, tp_set_scissor(f->context, 0, 0, 0, 4, 4));
}

static void windows(struct fixture *f) {
    OK(f,
       tp_set_window_rectangles(f->context, TP_WINDOWS_INSIDE, 1, &(struct tp_rect){0, 0, 4, 4}));
}

static void stipple(struct fixture *f) {
    OK(f, tp_set_patterns(f->context, &(struct tp_pattern_state){.polygon_stipple = true}));
}

static void mask_sample(struct fixture *f) {
    OK(f, tp_set_samples(f->context, &(struct tp_sample_state){.masked_out = 2}));
}

static void bounds(struct fixture *f) {
    OK(f,
       tp_set_depth(f->context, &(struct tp_depth_state){
                                    .bounds_test = true, .bounds_min = 0.25f, .bounds_max = 0.5f}));
}

static void stencil(struct fixture *f) {
    const struct tp_stencil_face never = {
        .func = TP_NEVER, .fail = TP_KEEP, .depth_fail = TP_KEEP, .pass = TP_KEEP};
    OK(f, tp_set_stencil(f->context, &(struct tp_stencil_state){.test = true, .front = never}));
}

static void depth(struct fixture *f) {
    OK(f, tp_set_depth(f->context, &(struct tp_depth_state){.test = true, .func = TP_GREATER}));
}

/* A stencil test that passes; the depth test then fails. */
static void stencil_passes(struct fixture *f) {
    const struct tp_stencil_face zero = {.func = TP_EQUAL,
                                         .read_mask = 0xff,
                                         .fail = TP_KEEP,
                                         .depth_fail = TP_KEEP,
                                         .pass = TP_KEEP};
    OK(f, tp_set_stencil(f->context, &(struct tp_stencil_state){.test = true, .front = zero}));
}

static void stencil_and_depth(struct fixture *f) {
    stencil_passes(f);
    depth(f);
}

static void stencil_and_bounds(struct fixture *f) {
    stencil_passes(f);
    bounds(f);
}

static void discard(struct fixture *f) {
    f->fp = fixture_program(f, TP_FRAGMENT, discard_fp);
    OK(f, tp_bind_program(f->context, TP_FRAGMENT, f->fp));
}

static void alpha(struct fixture *f) {
    OK(f, tp_set_output(f->context, &(struct tp_output_state){.alpha_test = true,
                                                              .alpha_func = TP_GREATER,
                                                              .alpha_ref = 0.75f}));
}

static void coverage(struct fixture *f) {
    change_vertices(f, 7, (const float[3]){0});
    OK(f, tp_set_samples(f->context, &(struct tp_sample_state){.alpha_to_coverage = true}));
}

static void mask_color(struct fixture *f) {
    OK(f, tp_set_color_mask(f->context, 0, 0));
}

/* A point that covers the pixel is drawn, or lies too far outside the view to be drawn. In both
 * cases the history has an entry. */
TEST(test_point_outside) {
    for (int at = 0; at < 2; at++) {
        const float v[1][8] = {{at ? 1 + 80.0f / SIZE : 0.9f, 0, 0, 1, 1, 1, 1, 1}};
        const struct tp_debug_pixel pixel = {.x = SIZE - 1, .y = SIZE / 2};
        struct tp_debug_entry e;
        FIXTURE(f, 1, NULL, SIZE);
        fixture_vertices(&f, v, 1);
        OK(&f, tp_set_raster(f.context, &(struct tp_raster_state){.point_size = 200}));
        assert_int_equal(told(&f, &pixel, TP_POINTS, 1, &e), 1);
        assert_int_equal(e.verdict, at ? TP_CLIPPED : TP_WRITTEN);
    }
}

static const struct history_case cases[] = {
    {"plain", TP_WRITTEN, plain, false},
    {"plain, of samples", TP_WRITTEN, plain, true},
    {"behind the far plane", TP_CLIPPED, move_far, false},
    {"cut by the near plane", TP_CLIPPED, cross_near, false},
    {"culling", TP_CULLED, cull, false},
    {"culling, of samples", TP_CULLED, cull, true},
    {"scissor", TP_SCISSORED, scissor, false},
    {"window rectangles", TP_WINDOWED, windows, false},
    {"polygon stipple", TP_STIPPLED, stipple, false},
    {"sample mask", TP_SAMPLE_MASKED, mask_sample, true},
    {"depth bounds", TP_BOUNDS_FAILED, bounds, false},
    {"stencil", TP_STENCIL_FAILED, stencil, false},
    {"stencil that passes", TP_WRITTEN, stencil_passes, false},
    {"stencil that passes, bounds", TP_BOUNDS_FAILED, stencil_and_bounds, false},
    {"stencil that passes, depth", TP_ZETA_FAILED, stencil_and_depth, false},
    {"depth", TP_ZETA_FAILED, depth, false},
    {"depth, of samples", TP_ZETA_FAILED, depth, true},
    {"discard", TP_DISCARDED, discard, false},
    {"alpha test", TP_ALPHA_FAILED, alpha, false},
    {"alpha to coverage", TP_REMOVED, coverage, true},
    {"colour mask", TP_NO_COLOR, mask_color, false},
};

static void use_samples(struct fixture *f) {
    fixture_samples(f, SIZE, SIZE, 4);
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, NULL, 1, 0));
}

static void check_case(const struct history_case *k, int threads) {
    const struct tp_debug_pixel pixel = {.x = X, .y = Y, .sample = k->samples ? 1 : 0};
    struct tp_debug_entry e;
    FIXTURE(f, threads, NULL, SIZE);
    if (k->samples)
        use_samples(&f);
    fixture_vertices(&f, whole, 3);
    OK(&f, tp_finish(f.context));
    k->set(&f);
    const size_t count = told(&f, &pixel, TP_TRIANGLES, 3, &e);
    if (count != 1)
        fail_msg("%s: %zu entries", k->name, count);
    if (e.verdict != k->verdict)
        fail_msg("%s: %s, not %s", k->name, tp_debug_verdict_name(e.verdict),
                 tp_debug_verdict_name(k->verdict));
    assert_int_equal(e.vertex_count, 3);
    assert_int_equal(e.vertex[1].number, 1);
    assert_true(e.vertex[1].clip[0] == 3 && e.vertex[1].clip[3] == 1);
    if (k->verdict == TP_WRITTEN)
        for (int i = 0; i < 3; i++) {
            const float *clip = e.vertex[i].clip, *window = e.vertex[i].window;
            assert_true(window[0] == (clip[0] + 1) * SIZE / 2 &&
                        window[1] == (1 - clip[1]) * SIZE / 2);
            assert_true(window[2] == (clip[2] + 1) / 2 && window[3] == 1);
        }
    if (k->verdict == TP_ZETA_FAILED)
        assert_true(e.depth > 0.4999f && e.depth < 0.5001f && e.stored_depth == 1);
}

TEST(test_verdicts) {
    for (size_t i = 0; i < LENGTH(cases); i++)
        for (int threads = 1; threads <= 2; threads++)
            check_case(&cases[i], threads);
}

/* The reach of a removed primitive: points and lines reach half their size beyond their vertices,
 * and so do polygons drawn as points or lines. A polygon with a vertex behind the eye reaches the
 * target's corner. */
TEST(test_reach_of_lost) {
    enum {
        MIDDLE = SIZE / 2,
        WIDE = 12,
        BESIDE = MIDDLE + WIDE / 2 - 1,
        BEYOND = MIDDLE + WIDE / 2 + 1
    };
    static const float point[3][8] = {{0, 0, 2, 1}, {0, 0, 2, 1}, {0, 0, 2, 1}};
    static const float upright[3][8] = {{0, -1, 2, 1}, {0, 1, 2, 1}, {-0.75f, 0, 2, 1}};
    static const float behind[3][8] = {{0, -2, 0, 1}, {0, 2, 0, 1}, {-1, 0, 0, -1}};
    static const struct {
        const char *name;
        const float (*vertices)[8];
        enum tp_primitive primitive;
        uint32_t count, x, y;
        struct tp_raster_state raster;
        enum tp_verdict verdict; /* 0: no entry */
    } rows[] = {
#define SIDES(mode) .polygon_front = TP_POLYGON_##mode, .polygon_back = TP_POLYGON_##mode
#define OUTLINE SIDES(LINE), .line_width = WIDE
#define CORNERS SIDES(POINT), .point_size = WIDE
#define NEITHER .cull_front = true, .cull_back = true
        {"point", point, TP_POINTS, 1, BESIDE, MIDDLE, {.point_size = WIDE}, TP_CLIPPED},
        {"point, beyond", point, TP_POINTS, 1, BEYOND, MIDDLE, {.point_size = WIDE}, 0},
        {"line", upright, TP_LINES, 2, BESIDE, MIDDLE, {.line_width = WIDE}, TP_CLIPPED},
        {"line, beyond", upright, TP_LINES, 2, BEYOND, MIDDLE, {.line_width = WIDE}, 0},
        {"outline", upright, TP_TRIANGLES, 3, BESIDE, MIDDLE, {OUTLINE}, TP_CLIPPED},
        {"corners", upright, TP_TRIANGLES, 3, BESIDE, 0, {CORNERS}, TP_CLIPPED},
        {"behind the eye", behind, TP_TRIANGLES, 3, 0, MIDDLE, {NEITHER}, TP_CULLED},
        {"behind the eye, row 0", behind, TP_TRIANGLES, 3, 0, 0, {NEITHER}, TP_CULLED},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct tp_debug_pixel pixel = {.x = rows[i].x, .y = rows[i].y};
        struct tp_debug_entry e;
        FIXTURE(f, 1, NULL, SIZE);
        fixture_vertices(&f, rows[i].vertices, 3);
        OK(&f, tp_set_raster(f.context, &rows[i].raster));
        const size_t count = told(&f, &pixel, rows[i].primitive, rows[i].count, &e);
        if (count != (rows[i].verdict != 0) || (count && e.verdict != rows[i].verdict))
            fail_msg("%s: %zu entries, verdict %d", rows[i].name, count, (int)e.verdict);
    }
}

/* Points get their sizes from vertices and are removed by a scissor: all pixels within the size
 * have an entry, farther pixels have none. */
TEST(test_reach_of_sizes) {
    static const char vp_text[] =
        ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
        ".output point_size o[0x20]\nmov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
        "mov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\nmov b32 o[0x10] a[0x10]\n"
        "mov b32 o[0x14] a[0x10]\nmov b32 o[0x18] a[0x10]\nmov b32 o[0x1c] a[0x10]\n"
        "exit mov b32 o[0x20] a[0x10]\n";
    static const float sizes[] = {1, 3, 5, 7, 9, 11, 15, 31};
    for (unsigned i = 0; i < LENGTH(sizes); i++)
        for (uint32_t beside = 0; beside < SIZE / 2; beside++) {
            const float size = sizes[i];
            const float middle[1][8] = {
                {1.f / SIZE, -1.f / SIZE, 0, 1, size}}; /* reaches pixel SIZE / 2 */
            const struct tp_debug_pixel pixel = {.x = SIZE / 2 + beside, .y = SIZE / 2};
            struct tp_debug_entry e;
            FIXTURE(f, 1, NULL, SIZE);
            fixture_bind(&f, TP_VERTEX, vp_text);
            fixture_vertices(&f, middle, 1);
            OK(&f, tp_set_scissor(f.context, 0, 0, 0, 1, 1));
            const size_t count = told(&f, &pixel, TP_POINTS, 1, &e);
            const bool covers = (float)beside < size / 2;
            if (count != covers || (count && e.verdict != TP_SCISSORED))
                fail_msg("size %g, %u pixels beside: %zu entries, verdict %d", (double)size, beside,
                         count, (int)e.verdict);
        }
}

/* Two instances, then an upload over both: the history names the writers, and which entries were
 * overwritten. */
DRAW_TEST(test_order, 2, SIZE) {
    const struct tp_debug_pixel pixels[2] = {{.x = X, .y = Y}, {.x = 2, .y = 3}};
    static const uint32_t green = 0xff00ff00;
    struct tp_debug_entry e[3];
    tp_debug_history *h, *second;
    size_t count;
    fixture_vertices(f, whole, 3);
    OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 0, 3)); /* drawn before the watch began */
    OK(f, tp_debug_history_begin(f->context, pixels, 2, &h));
    assert_int_equal(tp_debug_history_begin(f->context, pixels, 2, &second), TP_ERROR_INVALID);
    OK(f, tp_draw(f->context,
                  &(struct tp_draw_info){.primitive = TP_TRIANGLES, .count = 3, .instances = 2}));
    OK(f,
       tp_texture_write_rect(f->context, f->color, 0, 0, &(struct tp_rect){X, Y, 1, 1}, &green, 4));
    assert_int_equal(tp_debug_history_count(h, 0, f->color, &count), TP_ERROR_INVALID);
    OK(f, tp_debug_history_end(f->context));
    OK(f, tp_debug_history_count(h, 0, f->color, &count));
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++)
        OK(f, tp_debug_history_get(h, 0, f->color, i, &e[i]));
    assert_int_equal(e[0].instance, 0);
    assert_int_equal(e[1].instance, 1);
    assert_true(e[0].overwritten && e[1].overwritten && !e[2].overwritten);
    assert_int_equal(e[2].kind, TP_DEBUG_COPY);
    assert_int_equal(e[2].after[0], 0);
    assert_int_equal(e[2].after[1], 0x3f800000);
    OK(f, tp_debug_history_count(h, 1, f->color, &count));
    assert_int_equal(count, 2);
    assert_int_equal(tp_debug_history_count(h, 2, f->color, &count), TP_ERROR_INVALID);
    assert_int_equal(tp_debug_history_get(h, 1, f->color, 2, &e[0]), TP_ERROR_INVALID);
    tp_debug_history_destroy(h);
}

struct counts {
    unsigned tested, others, tiles;
};

static void count_tested(void *self, int32_t x, int32_t y, lane_mask m) {
    struct counts *n = self;
    for (; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        const uint32_t px = (uint32_t)x + (lane & 1) + (lane >> 2 & 3) * 2;
        const uint32_t py = (uint32_t)y + (lane >> 1 & 1) + (lane >> 4) * 2;
        n->tested += px == X && py == Y;
        n->others += px != X || py != Y;
    }
}

static void count_tile(void *self, int32_t x, int32_t y, uint32_t layer, uint64_t nanoseconds) {
    ((struct counts *)self)->tiles += x == 0 && y == 0 && layer == 0 && nanoseconds > 0;
}

/* Overlays count every fragment before the zeta test, also those that fail it. The picture is
 * unchanged. */
TEST(test_zeta_tests_are_counted) {
    for (int samples = 0; samples < 2; samples++) { /* with samples a pixel still counts once */
        struct counts n = {0};
        const struct pixel_watch watch = {
            .probe = {.self = &n, .tested = count_tested}, .self = &n, .tile = count_tile};
        FIXTURE(f, 1, NULL, SIZE);
        if (samples)
            use_samples(&f);
        depth(&f);
        fixture_vertices(&f, whole, 3);
        OK(&f, tp_finish(f.context));
        context_watch(f.context, &watch);
        for (int i = 0; i < 3; i++)
            OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 0, 3));
        context_watch(f.context, NULL);
        assert_int_equal(n.tested, 3);
        assert_int_equal(n.others, 3 * (SIZE * SIZE - 1));
        assert_true(n.tiles >= 1);
        fixture_read(&f);
        assert_int_equal(fixture_count(&f), 0); /* all fragments failed */
    }
}

/* An entry keeps the state that decided about the fragment. */
DRAW_TEST(test_state_that_decided, 1, SIZE) {
    const struct raster_probe_pixel pixel = {.x = X, .y = Y};
    const float constant[4] = {0.25f, 0.5f, 0.75f, 1};
    size_t count;
    fixture_vertices(f, whole, 3);
    alpha(f);
    OK(f, tp_set_blend_color(f->context, constant));
    OK(f, tp_set_color_mask(f->context, 0, 5));
    OK(f, tp_finish(f->context));
    struct history *h = watch(f, &pixel, 1, NULL);
    const struct history_entry *const *e = draw_told(f, h, &count);
    assert_int_equal(count, 1);
    assert_true(e[0]->alpha_test && e[0]->alpha_ref == 0.75f);
    assert_int_equal(e[0]->alpha_func, FUNC_GREATER);
    assert_int_equal(e[0]->color_mask, 5);
    assert_memory_equal(e[0]->blend_color, constant, sizeof constant);
    assert_false(e[0]->logic_op_enable);
    history_free(h);
}

/* An entry of a line with adjacency has the line's two inner vertices. */
DRAW_TEST(test_vertices_between_neighbours, 1, SIZE) {
    const struct tp_debug_pixel pixel = {.x = X, .y = Y};
    float v[12][8];
    struct tp_debug_entry e;
    tp_debug_history *h;
    size_t count;
    for (int i = 0; i < 12; i++) {
        const float x = (float)(2 * X + 1) / SIZE - 1, y = 1 - (float)(2 * Y + 1) / SIZE;
        const float one[8] = {i % 4 == 1 ? x - 0.5f : i % 4 == 2 ? x + 0.5f : -x,
                              i % 4 % 3 ? y : -y,
                              0,
                              1,
                              1,
                              1,
                              1,
                              1};
        memcpy(v[i], one, sizeof one);
    }
    fixture_vertices(f, (const float(*)[8])v, 12);
    OK(f, tp_finish(f->context));
    OK(f, tp_debug_history_begin(f->context, &pixel, 1, &h));
    OK(f, tp_draw_arrays(f->context, TP_LINES_ADJACENCY, 0, 12));
    OK(f, tp_debug_history_end(f->context));
    OK(f, tp_debug_history_count(h, 0, f->color, &count));
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++) {
        OK(f, tp_debug_history_get(h, 0, f->color, i, &e));
        assert_int_equal(e.verdict, TP_WRITTEN);
        assert_int_equal(e.vertex_count, 2);
        assert_int_equal(e.vertex[0].number, 4 * i + 1);
        assert_int_equal(e.vertex[1].number, 4 * i + 2);
    }
    tp_debug_history_destroy(h);
}

/* A CPU write to a depth buffer makes no entry; nor does a primitive that was not drawn. */
DRAW_TEST(test_depths_written, 1, SIZE) {
    const struct raster_probe_pixel pixel = {.x = X, .y = Y};
    const uint32_t texel = 0x123456, second = 0x0000ff;
    size_t count;
    fixture_vertices(f, whole, 3);
    fixture_depth(f, TP_ALWAYS);
    OK(f, tp_finish(f->context));
    struct history *h = watch(f, &pixel, 1, NULL);
    OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 0, 3));
    OK(f,
       tp_texture_write_rect(f->context, f->zeta, 0, 0, &(struct tp_rect){X, Y, 1, 1}, &texel, 4));
    OK(f,
       tp_texture_write_rect(f->context, f->color, 0, 0, &(struct tp_rect){X, Y, 1, 1}, &texel, 4));
    OK(f, tp_texture_write_rect(f->context, f->color, 0, 0, &(struct tp_rect){X, Y, 1, 1}, &second,
                                4));
    const struct raster_targets targets = *scene_targets(f->context->p->scene);
    history_end(h);
    const struct state *s = &f->context->state;
    const struct history_entry *const *e =
        history_select(h, 0, s->color[0].address, &targets.color[0], 0, &count);
    assert_int_equal(count, 3);
    assert_int_equal(e[0]->kind, HISTORY_PRIMITIVE);
    assert_int_equal(e[1]->kind, HISTORY_COPY);
    assert_int_equal(e[2]->kind, HISTORY_COPY);
    assert_memory_equal(e[1]->before, e[0]->after, sizeof e[0]->after);
    assert_memory_equal(e[1]->after, e[2]->before, sizeof e[0]->after);
    assert_int_equal(e[2]->after[0], 0x3f800000);
    assert_int_not_equal(e[1]->after[0], e[2]->after[0]);
    assert_int_equal(e[0]->zeta_before[0], 0xffffff);
    assert_in_range(e[0]->zeta_after[0], 0x7fffff, 0x800000);
    assert_int_equal(e[0]->depth, e[0]->zeta_after[0]);
    assert_int_equal(e[1]->color_target, 0);
    struct history_entry other = *e[0];
    assert_ptr_equal(history_primitive(h, e[0]), history_primitive(h, &other));
    for (other.primitive = 1; other.primitive < 4; other.primitive++)
        assert_null(history_primitive(h, &other));
    e = history_select(h, 0, s->zeta.address, &targets.zeta, 0, &count);
    assert_int_equal(count, 1);
    assert_int_equal(e[0]->kind, HISTORY_PRIMITIVE);
    assert_int_equal(e[0]->color_target, -1);
    history_free(h);
}

/* The history of a target contains only its own clears, and no draws or clears later than the
 * requested draw. */
DRAW_TEST(test_targets_and_draws, 1, SIZE) {
    const struct raster_probe_pixel pixel = {.x = X, .y = Y};
    const struct raster_rect all = {0, 0, SIZE, SIZE};
    fixture_vertices(f, whole, 3);
    tp_texture *second = fixture_texture(f, tp_texture_get_info(f->color));
    OK(f,
       tp_set_targets(f->context, 2,
                      (const struct tp_target[2]){{f->color, 0, 0, false}, {second, 0, 0, false}},
                      &(struct tp_target){f->zeta, 0, 0, false}));
    OK(f, tp_finish(f->context));
    struct history *h = watch(f, &pixel, 1, NULL);
    const uint64_t before = f->context->draw_number;
    for (int i = 0; i < 3; i++) {
        OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 0, 3));
        OK(f, context_clear(f->context, i == 1 ? CLEAR_DEPTH : CLEAR_COLOR_BITS, i ? 0 : 1, 0, 1,
                            &all));
    }
    OK(f, tp_finish(f->context));
    const struct raster_targets targets = *scene_targets(f->context->p->scene);
    history_end(h);
    /* the work: draw, clear of the second target, draw, clear of zeta, draw, clear of the first */
    static const char *const told[3][4] = {
        {"ppp!", "p", "pp", "ppp!"}, {"p!pp", "p!", "p!p", "p!pp"}, {"pp!p", "p", "pp!", "pp!p"}};
    const struct state *s = &f->context->state;
    for (uint32_t t = 0; t < 3; t++)
        for (uint64_t last = 0; last < 4; last++) {
            const struct surface *surface = t < 2 ? &targets.color[t] : &targets.zeta;
            size_t count;
            char is[8] = "";
            const struct history_entry *const *e =
                history_select(h, 0, t < 2 ? s->color[t].address : s->zeta.address, surface,
                               last ? before + last : 0, &count);
            for (size_t i = 0; i < count && i < sizeof is - 1; i++)
                is[i] = e[i]->kind == HISTORY_CLEAR ? '!' : 'p';
            if (strcmp(is, told[t][last]) != 0)
                fail_msg("target %u, up to %u: %s, not %s", t, (unsigned)last, is, told[t][last]);
        }
    history_free(h);
}

/* With `all` set, a triangle without area is reported as degenerate where it lies. A triangle that
 * is partly clipped is not reported so. */
TEST(test_degenerate) {
    for (int far = 0; far < 8; far++) {
        float v[3][8];
        const struct raster_probe_pixel pixels[2] = {
            {.x = X, .y = Y}, {.x = SIZE - 1, .y = Y}}; /* the second lies beside the triangle */
        const struct history_options all = {.all = true};
        size_t count;
        FIXTURE(f, 1, NULL, SIZE);
        for (int i = 0; i < 3; i++) {
            const float x = (float)(2 * X + 1) / SIZE - 1 + 0.3f * (float)(i - 1),
                        y = 1 - (float)(2 * Y + 1) / SIZE;
            const float all_of[8] = {x, y, far >> i & 1 ? 1.5f : 0, 1, 1, 1, 1, 1};
            memcpy(v[i], all_of, sizeof all_of);
        }
        fixture_vertices(&f, (const float(*)[8])v, 3);
        OK(&f, tp_finish(f.context));
        struct history *h = watch(&f, pixels, 2, &all);
        const struct history_entry *const *e = draw_told(&f, h, &count);
        uint32_t told = 0;
        for (size_t i = 0; i < count; i++)
            told += e[i]->verdict == RASTER_DEGENERATE;
        assert_int_equal(told, far == 0);
        e = ended(&f, h, 1, &count);
        for (size_t i = 0; i < count; i++)
            assert_int_not_equal(e[i]->verdict, RASTER_DEGENERATE);
        history_free(h);
    }
}

/* Many triangles of a draw cover the pixel: each entry has its own triangle's vertices. */
TEST(test_vertices_of_many) {
    enum { MANY = 90 };
    static float v[3 * MANY][8];
    const struct tp_debug_pixel pixel = {.x = X, .y = Y};
    for (uint32_t at = 0; at < MANY; at += 7) {
        struct tp_debug_entry e;
        for (uint32_t i = 0; i < 3 * MANY; i++) {
            memcpy(v[i], whole[i % 3], sizeof v[i]);
            for (int k = 0; k < 2 && i / 3 != at; k++)
                v[i][k] = 0.05f * whole[i % 3][k] - 0.9f; /* in a corner */
            v[i][2] = (float)i / (8 * MANY);
        }
        FIXTURE(f, 1, NULL, SIZE);
        fixture_vertices(&f, (const float(*)[8])v, 3 * MANY);
        assert_int_equal(told(&f, &pixel, TP_TRIANGLES, 3 * MANY, &e), 1);
        for (uint32_t k = 0; k < 3; k++) {
            assert_int_equal(e.vertex[k].number, 3 * at + k);
            assert_memory_equal(e.vertex[k].clip, v[3 * at + k], 4 * sizeof(float));
        }
    }
}

/* A fragment's trace is kept if it is requested and the program ran; a test before the program
 * leaves no trace. A failure is reported with its instruction. The names and values of the
 * program's inputs are always there. */
TEST(test_traces) {
    static const char trap_fp[] =
        ".interpolants position=w smooth=2 flat=1\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
        "interp $r0 v[0x4] $r4\ntrap\nexit nop\n";
    const struct raster_probe_pixel pixel = {.x = X, .y = Y};
    for (int i = 0; i < 2 * 2 * 3; i++) {
        const int how = i / 4; /* passes; is removed before the program; fails */
        const struct history_options options = {.trace = i & 1, .all = i & 2};
        size_t count;
        FIXTURE(f, 1, NULL, SIZE);
        fixture_vertices(&f, whole, 3);
        if (how == 1)
            depth(&f);
        fixture_bind(&f, TP_FRAGMENT, how == 2 ? trap_fp : smooth_fp);
        OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 1, 0));
        assert_int_equal(tp_finish(f.context), TP_OK);
        struct history *h = watch(&f, &pixel, 1, &options);
        OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 0, 3));
        assert_int_equal(tp_finish(f.context), how == 2 ? TP_ERROR_TRAP : TP_OK);
        const struct history_entry *const *e = ended(&f, h, 0, &count);
        assert_int_equal(count, 1);
        assert_int_equal(e[0]->verdict, how == 0   ? RASTER_WRITTEN
                                        : how == 1 ? RASTER_ZETA_FAILED
                                                   : RASTER_TRAPPED);
        assert_int_equal(e[0]->ran, how != 1);
        assert_int_equal(e[0]->trace != NULL, how != 1 && options.trace);
        assert_int_equal(e[0]->discarded_by, HISTORY_NO_ADDRESS);
        assert_string_equal(e[0]->program, "test");
        assert_int_equal(e[0]->inputs, how == 1 ? 0 : how == 0 ? 5 : 4);
        for (uint32_t k = 0; k < e[0]->inputs; k++) {
            assert_int_equal(e[0]->input[k].kind, k == 0               ? WORD_POSITION
                                                  : k == 3 && how == 2 ? WORD_FLAT
                                                                       : WORD_PERSPECTIVE);
            assert_int_equal(e[0]->input[k].slot, k == 0 ? 3 : 3 + k);
        }
        assert_int_equal(e[0]->trap.code != MP_NONE, how == 2);
        assert_int_equal(e[0]->trap.address != 0, how == 2);
        if (e[0]->trace) {
            const size_t steps = e[0]->trace->count;
            assert_int_equal(steps, how == 2 ? 4 : 7);
            if (how == 2)
                assert_int_equal(e[0]->trap.address, e[0]->trace->step[steps - 1].pc);
            for (size_t k = 0; k < e[0]->trace->count; k++)
                assert_true(k ? e[0]->trace->step[k].pc > e[0]->trace->step[k - 1].pc
                              : !e[0]->trace->step[k].pc);
            assert_false(e[0]->trace->discarded || e[0]->trace->cut);
        }
        assert_false(history_incomplete(h));
        history_free(h);
    }
}

/* Each verdict has its own name; other numbers have none. */
TEST(test_names) {
    static const struct {
        enum tp_verdict verdict;
        const char *name;
    } some[] = {{TP_DEGENERATE, "degenerate"}, {TP_CLIPPED, "clipped away"},
                {TP_CULLED, "culled"},         {TP_WRITTEN, "written"},
                {TP_DISCARDED, "discarded"},   {TP_SCISSORED, "outside the scissor"}};
    for (size_t i = 0; i < LENGTH(some); i++)
        assert_string_equal(tp_debug_verdict_name(some[i].verdict), some[i].name);
    for (int i = 0; i <= TP_WRITTEN; i++)
        for (int k = 0; k <= TP_WRITTEN; k++)
            assert_int_equal(!strcmp(tp_debug_verdict_name((enum tp_verdict)i),
                                     tp_debug_verdict_name((enum tp_verdict)k)),
                             i == k);
    assert_string_equal(tp_debug_verdict_name((enum tp_verdict)(TP_WRITTEN + 1)), "?");
    assert_string_equal(tp_debug_verdict_name((enum tp_verdict) - 1), "?");
}

/* A write by someone other than a draw makes an entry for each watched pixel whose bytes it
 * changes. The entry has the value before the write, even if the draw of this value is only queued.
 * A write that changes no bit of the pixel makes no entry. */
TEST(test_written_by_others) {
    enum { PIXELS = 4 };
    static const struct raster_probe_pixel pixels[PIXELS] = {{.x = 1, .y = 0},
                                                             {.x = X, .y = Y},
                                                             {.x = 0, .y = SIZE - 1},
                                                             {.x = SIZE - 1, .y = SIZE - 1}};
    for (int i = 0; i < 6 * PIXELS; i++) {
        const uint32_t at = (uint32_t)i / 6;
        /* the first byte, the last, the byte before, the byte behind, the whole target, the texel
         * unchanged */
        const int how = i % 6;
        if (at == PIXELS - 1 && how == 3)
            continue; /* the target ends there */
        FIXTURE(f, 1, NULL, SIZE);
        struct state *s = &f.context->state;
        tp_buffer *b = fixture_buffer(&f, 4 * SIZE * SIZE, NULL);
        s->color[0] =
            TARGET(tp_buffer_address(b), FORMAT_RGBA8_UNORM, SIZE, SIZE, 4 * SIZE, .linear = true);
        state_touch(s, GROUP_TARGET);
        fixture_vertices(&f, whole, 3);
        OK(&f, tp_finish(f.context));
        struct history *h = watch(&f, pixels, PIXELS, NULL);
        draw_inner(&f, 3);
        OK(&f, tp_finish(f.context));
        const struct raster_targets targets = *scene_targets(f.context->p->scene);
        draw_inner(&f, 3); /* only queued */
        const uint64_t byte = 4ull * (uint64_t)(pixels[at].y * SIZE + pixels[at].x);
        const uint64_t from = how == 1   ? byte + 3
                              : how == 2 ? byte - 1
                              : how == 3 ? byte + 4
                              : how == 4 ? 0
                                         : byte;
        const uint64_t bytes = how == 4 ? 4 * SIZE * SIZE : how == 5 ? 4 : 1;
        history_memory(h, s->color[0].address + from, bytes, 77);
        assert_true(context_idle(f.context));
        uint8_t *memory =
            memory_at(f.context->device->memory, s->color[0].address, 4 * SIZE * SIZE);
        for (uint64_t k = from; k < from + bytes; k++)
            memory[k] = how == 5 ? memory[k] : (uint8_t)~memory[k];
        history_end(h);
        for (uint32_t p = 0; p < PIXELS; p++) {
            size_t count;
            const struct history_entry *const *e =
                history_select(h, p, s->color[0].address, &targets.color[0], 0, &count);
            const bool copied = (p == at && how < 2) || how == 4;
            assert_int_equal(count, copied ? 3 : 2);
            assert_int_equal(e[1]->overwritten, copied);
            if (copied) {
                assert_int_equal(e[2]->kind, HISTORY_COPY);
                assert_int_equal(e[2]->draw, 77);
                assert_memory_equal(e[2]->before, e[1]->after, sizeof e[1]->after);
                assert_memory_not_equal(e[2]->after, e[2]->before, sizeof e[2]->after);
                assert_false(e[2]->overwritten);
            }
        }
        history_free(h);
    }
}

/* Memory that is drawn to as one target and then as another has a history for each. Targets differ
 * by format, layout, height, pitch or tiles. */
TEST(test_same_memory) {
    enum { FORMAT, LAYOUT, HEIGHT, PITCH, WIDTH_OF_TILES, TILES, KINDS };
    const struct raster_probe_pixel pixel = {.x = 1, .y = 1};
    for (int kind = 0; kind <= KINDS; kind++) {
        FIXTURE(f, 1, NULL, SIZE);
        struct state *s = &f.context->state;
        tp_buffer *b = fixture_buffer(&f, 1 << 16, NULL);
        const bool tiled = kind == WIDTH_OF_TILES || kind == TILES;
        struct target_state t[2] = {{.address = tp_buffer_address(b),
                                     .format = FORMAT_RGBA8_UNORM,
                                     .width = SIZE,
                                     .height = SIZE,
                                     .pitch = 4 * SIZE,
                                     .linear = !tiled}};
        t[1] = t[0];
        if (kind == FORMAT)
            t[1].format = FORMAT_BGRA8_UNORM;
        else if (kind == LAYOUT)
            t[1].linear = false;
        else if (kind == HEIGHT)
            t[1].height = SIZE / 2;
        else if (kind == PITCH)
            t[1].pitch *= 2;
        else if (kind == WIDTH_OF_TILES)
            t[1].width = 4 * SIZE;
        else if (kind == TILES)
            t[1].tile_h = 2;
        s->zeta_enable = false;
        fixture_vertices(&f, whole, 3);
        OK(&f, tp_finish(f.context));
        struct history *h = watch(&f, &pixel, 1, NULL);
        struct surface surface[2];
        for (int i = 0; i < 2; i++) {
            s->color[0] = t[i];
            state_touch(s, GROUP_TARGET);
            for (int k = 0; k <= i; k++)
                draw_inner(&f, 3);
            OK(&f, tp_finish(f.context));
            surface[i] = scene_targets(f.context->p->scene)->color[0];
        }
        history_end(h);
        for (int i = 0; i < 2; i++) {
            size_t count;
            history_select(h, 0, t[0].address, &surface[i], 0, &count);
            if (count != (kind == KINDS ? 3 : (size_t)i + 1)) /* KINDS: both targets are the same */
                fail_msg("kind %d, target %d: %zu entries", kind, i, count);
        }
        history_free(h);
    }
}

/* A history watches up to HISTORY_CONTEXTS contexts, and reports draws of each. */
DRAW_TEST(test_contexts, 1, SIZE) {
    const struct raster_probe_pixel pixel = {.x = X, .y = Y};
    tp_context *c[HISTORY_CONTEXTS + 1];
    struct history *h = history_create(f->device, &pixel, 1, NULL);
    assert_non_null(h);
    history_end(h); /* without a context */
    for (int i = 0; i <= HISTORY_CONTEXTS; i++) {
        OK(f, tp_context_create(f->device, &c[i]));
        assert_int_equal(history_watch(h, c[i]), i < HISTORY_CONTEXTS);
        assert_int_equal(c[i]->p->watch != NULL, i < HISTORY_CONTEXTS);
    }
    history_end(h);
    for (int i = 0; i <= HISTORY_CONTEXTS; i++) {
        assert_null(c[i]->p->watch);
        tp_context_destroy(c[i]);
    }
    history_free(h);
}

/* A context may be destroyed before its history. */
DRAW_TEST(test_end_of_context, 1, SIZE) {
    const struct tp_debug_pixel pixel = {.x = X, .y = Y};
    const struct tp_debug_pixel outside = {.x = 9000};
    tp_debug_history *h;
    size_t count;
    assert_int_equal(tp_debug_history_end(f->context), TP_ERROR_INVALID);
    assert_int_equal(tp_debug_history_begin(f->context, &outside, 1, &h), TP_ERROR_INVALID);
    assert_int_equal(tp_debug_history_begin(f->context, &pixel, 0, &h), TP_ERROR_INVALID);
    OK(f, tp_debug_history_begin(f->context, &pixel, 1, &h));
    fixture_draw(f, TP_TRIANGLES, whole, 3);
    tp_context_destroy(f->context);
    f->context = NULL;
    OK(f, tp_debug_history_count(h, 0, f->color, &count));
    assert_int_equal(count, 1);
    tp_debug_history_destroy(h);
}

/* The near clip plane cuts a triangle into two pieces near the pixel. Entries have the piece's
 * number: one piece covers the pixel, the other does not. A triangle that is not cut is one
 * piece. */
TEST(test_pieces) {
    for (int cut = 0; cut < 2; cut++) {
        FIXTURE(f, 1, NULL, SIZE);
        change_vertices(&f, 2, (const float[]){0, 0, cut ? -3 : 0});
        const struct raster_probe_pixel pixel = {.x = 5, .y = 5};
        const struct history_options all = {.all = true};
        struct history *h = watch(&f, &pixel, 1, &all);
        OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 0, 3));
        size_t count, written = 0;
        const struct history_entry *const *e = ended(&f, h, 0, &count);
        assert_int_equal(count, cut ? 2 : 1);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(e[i]->piece, i + 1);
            assert_int_equal(e[i]->pieces, count);
            written += e[i]->verdict == RASTER_WRITTEN;
        }
        assert_int_equal(written, 1);
        history_free(h);
    }
}
