/* Draws of a Fermi through the C API, with programs as text, whose headers are made from the code:
 * vertex and fragment programs give GT215's picture bit for bit; geometry programs; tessellation
 * with and without a control program; memory that fragments write. All tests but one run with both
 * engines, with one thread and with four. */
#include "tests/pipeline/fixture.h"
#include "tests/shapes.h"

#include "pipeline/context.h"
#include "pipeline/debug/history.h"

#include <math.h>
#include <pthread.h>

enum { SIZE = 64 };

/* Attributes: position, colour. */
static const char vertex[] = "ld b128 $r0:$r1:$r2:$r3 a[0x80] 0x0\n"
                             "ld b128 $r4:$r5:$r6:$r7 a[0x90] 0x0\n"
                             "st b128 a[0x70] $r0:$r1:$r2:$r3 0x0\n"
                             "st b128 a[0x80] $r4:$r5:$r6:$r7 0x0\nexit\n";
static const char smooth[] = "interp pass f32 $r4 a[0x7c] 0x0 0x0\nrcp f32 $r4 $r4\n"
                             "interp mul f32 $r0 a[0x80] $r4 0x0\n"
                             "interp mul f32 $r1 a[0x84] $r4 0x0\n"
                             "interp mul f32 $r2 a[0x88] $r4 0x0\n"
                             "interp mul f32 $r3 a[0x8c] $r4 0x0\nexit\n";

static const struct run {
    int threads;
    const char *engine;
} runs[] = {{1, "interp"}, {4, "interp"}, {1, "native"}, {4, "native"}};

/* Opens a GF100 for a run, with both programs above. Returns NULL if the build lacks the engine. */
static struct fixture *open_run(struct fixture *f, const struct run *run) {
    if (!fixture_open_chip(f, TP_CHIP_GF100, run->threads, run->engine, SIZE))
        return NULL;
    fixture_bind(f, TP_VERTEX, vertex);
    fixture_bind(f, TP_FRAGMENT, smooth);
    return f;
}

static struct fixture *close_run(struct fixture *f) {
    fixture_close(f);
    return NULL;
}

/* A fixture *f for each run. */
#define FOR_EACH_RUN(f)                                                                            \
    for (size_t run = 0; run < LENGTH(runs); run++)                                                \
        for (struct fixture room, *f = open_run(&room, &runs[run]); f; f = close_run(f))

/* ---- vertices and fragments ---- */

static void random_triangles(float (*v)[8], uint32_t n) {
    random_start(9);
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < 8; k++)
            v[i][k] = k == 3  ? 1 + (float)random_below(1000) / 500
                      : k < 3 ? (float)random_below(2000) / 500 - 2
                              : (float)random_below(256) / 255;
}

static uint8_t *picture_of(enum tp_chip chip, const struct run *run, const char *vp, const char *fp,
                           const float (*v)[8], uint32_t n) {
    struct fixture f;
    uint8_t *pixels = NULL;
    if (!fixture_open_chip(&f, chip, run->threads, run->engine, SIZE))
        return NULL;
    fixture_bind(&f, TP_VERTEX, vp);
    fixture_bind(&f, TP_FRAGMENT, fp);
    fixture_draw(&f, TP_TRIANGLES, v, n);
    fixture_read(&f);
    pixels = f.pixels;
    f.pixels = NULL;
    fixture_close(&f);
    return pixels;
}

TEST(test_same_as_tesla) {
    enum { VERTICES = 90 };
    static float v[VERTICES][8];
    random_triangles(v, VERTICES);
    uint8_t *want = picture_of(TP_CHIP_GT215, &runs[0], pass_vp, smooth_fp, v, VERTICES);
    for (size_t i = 0; i < LENGTH(runs); i++) {
        uint8_t *got = picture_of(TP_CHIP_GF100, &runs[i], vertex, smooth, v, VERTICES);
        if (got)
            assert_memory_equal(got, want, SIZE * SIZE * 4);
        free(got);
    }
    free(want);
}

/* ---- constants of small draws ---- */

/* Scales by c0[0x0] and moves by c0[0x4] and c0[0x10]. The colour is c0[0x20], c0[0x24], c0[0x14]
 * and c0[0x28]. Constants are loaded as one, two and four words, and used as operands. */
static const char constant_vp[] = "ld b128 $r4q c0[0x0]\nld b64 $r8d c0[0x20]\n"
                                  "ld b128 $r0:$r1:$r2:$r3 a[0x80] 0x0\n"
                                  "mul f32 $r0 $r0 $r4\nmul f32 $r1 $r1 c0[0x0]\n"
                                  "add f32 $r0 $r0 $r5\nadd f32 $r1 $r1 c0[0x10]\n"
                                  "ld b32 $r10 c0[0x14]\nmov b32 $r11 c0[0x28]\n"
                                  "st b128 a[0x70] $r0:$r1:$r2:$r3 0x0\n"
                                  "st b128 a[0x80] $r8:$r9:$r10:$r11 0x0\nexit\n";
enum { SMALL_DRAWS = 40 };

/* The picture of small draws with constants of their own. apart: each draw is finished before the
 * next, so that it has its own warps. */
static uint8_t *small_draws(const struct run *run, bool apart, uint64_t *warps) {
    static const float corner[4][8] = {
        {0, 0, 0, 1}, {.2f, 0, 0, 1}, {0, .2f, 0, 1}, {.2f, .2f, 0, 1}};
    struct fixture f;
    struct tp_statistics statistics;
    if (!fixture_open_chip(&f, TP_CHIP_GF100, run->threads, run->engine, SIZE))
        return NULL;
    fixture_bind(&f, TP_VERTEX, constant_vp);
    fixture_bind(&f, TP_FRAGMENT, smooth);
    fixture_vertices(&f, corner, 4);
    for (int i = 0; i < SMALL_DRAWS; i++) {
        const float part = (float)i / SMALL_DRAWS,
                    c[12] = {.5f + part, 2 * part - 1, 0, 0, (float)(i % 7) / 4 - 1, part, 0, 0,
                             1 - part,   .5f,          1, 0};
        OK(&f, tp_set_constants(f.context, TP_VERTEX, 0, c, sizeof c));
        OK(&f, tp_draw_arrays(f.context, TP_TRIANGLE_STRIP, 0, 4));
        if (apart)
            OK(&f, tp_finish(f.context));
    }
    fixture_read(&f);
    assert_true(fixture_count(&f) > SIZE * SIZE / 8);
    OK(&f, tp_get_statistics(f.context, &statistics));
    *warps = statistics.vertex_warps;
    uint8_t *pixels = f.pixels;
    f.pixels = NULL;
    fixture_close(&f);
    return pixels;
}

/* Vertices of draws with different constants share warps. Each vertex gets its own draw's
 * constants. */
TEST(test_constants_of_small_draws) {
    for (size_t i = 0; i < LENGTH(runs); i++) {
        uint64_t warps[2] = {0};
        uint8_t *want = small_draws(&runs[i], true, &warps[0]);
        uint8_t *got = small_draws(&runs[i], false, &warps[1]);
        if (want) {
            assert_memory_equal(got, want, SIZE * SIZE * 4);
            assert_int_equal(warps[0], SMALL_DRAWS);
            assert_int_equal(warps[1], SMALL_DRAWS * 4 / 32);
        }
        free(got);
        free(want);
    }
}

/* ---- geometry ---- */

/* Each point becomes a quad that extends right and up from it. */
static const char grow[] = ".primitive triangle_strip\n.vertices 4\nld $r8 p[0x0]\n"
                           "ld b128 $r0:$r1:$r2:$r3 a[0x70] $r8\n"
                           "ld b128 $r4:$r5:$r6:$r7 a[0x80] $r8\nmov b32 $r9 0x3f800000\n"
                           "add f32 $r10 $r0 $r9\nadd f32 $r11 $r1 $r9\nmov b32 $r12 $r1\n"
                           "mov b32 $r14 0x0\nst b128 a[0x70] $r0:$r1:$r2:$r3 0x0\n"
                           "st b128 a[0x80] $r4:$r5:$r6:$r7 0x0\nout emit $r14 $r14 0x0\n"
                           "st b32 a[0x70] $r10 0x0\nout emit $r14 $r14 0x0\n"
                           "st b32 a[0x70] $r0 0x0\nst b32 a[0x74] $r11 0x0\n"
                           "out emit $r14 $r14 0x0\n"
                           "st b32 a[0x70] $r10 0x0\nout emit $r14 $r14 0x0\nexit\n";

TEST(test_geometry) {
    static const float point[1][8] = {{0, 0, 0, 1, 1, 0, 0, 1}};
    FOR_EACH_RUN(f) {
        fixture_bind(f, TP_GEOMETRY, grow);
        fixture_draw(f, TP_POINTS, point, 1);
        fixture_read(f);
        assert_int_equal(fixture_count(f), SIZE * SIZE / 4);
        assert_int_equal(fixture_pixel(f, SIZE - 1, 0) & 0xffffff, 0xff);
    }
}

/* ---- tessellation ---- */

/* Each thread passes its vertex on. All levels are one constant. */
static const char control[] = ".vertices 4\nmov b32 $r8 $invoc\nld $r8 p[$r8+0x0]\n"
                              "ld b128 $r0:$r1:$r2:$r3 a[0x70] $r8\n"
                              "ld b128 $r4:$r5:$r6:$r7 a[0x80] $r8\n"
                              "st b128 a[0x70] $r0:$r1:$r2:$r3 0x0\n"
                              "st b128 a[0x80] $r4:$r5:$r6:$r7 0x0\nmov b32 $r9 0x40a00000\n"
                              "st patch b32 a[0x0] $r9 0x0\nst patch b32 a[0x4] $r9 0x0\n"
                              "st patch b32 a[0x8] $r9 0x0\nst patch b32 a[0xc] $r9 0x0\n"
                              "st patch b32 a[0x10] $r9 0x0\nst patch b32 a[0x14] $r9 0x0\nexit\n";
/* Maps the patch to the rectangle between its first and last vertex: position = first + (u, v) *
 * (last - first). The colour is u, v, 0, 1. */
#define EVALUATE                                                                                   \
    "ld $r8 p[0x0]\nld $r9 p[0x3]\nmov b32 $r12 $laneid\n"                                         \
    "ld b64 $r0:$r1 a[0x70] $r8\nld b64 $r2:$r3 a[0x70] $r9\n"                                     \
    "ld b32 $r4 out a[0x2f0] $r12\nld b32 $r5 out a[0x2f4] $r12\n"                                 \
    "add rn f32 $r2 $r2 neg $r0\nadd rn f32 $r3 $r3 neg $r1\n"                                     \
    "fma f32 $r0 $r2 $r4 $r0\nfma f32 $r1 $r3 $r5 $r1\nmov b32 $r2 0x0\nmov b32 $r3 0x3f800000\n"
static const char evaluate[] = EVALUATE "st b128 a[0x70] $r0:$r1:$r2:$r3 0x0\n"
                                        "mov b32 $r6 $r2\nmov b32 $r7 $r3\n"
                                        "st b128 a[0x80] $r4:$r5:$r6:$r7 0x0\nexit\n";

/* Submits four patches of a quarter of the target each. `second` is the second outer level. */
static void submit_patches(struct fixture *f, float second) {
    static float v[16][8];
    const struct tp_tessellation_state t = {.vertices = 4,
                                            .domain = TP_DOMAIN_QUAD,
                                            .spacing = TP_SPACING_ODD,
                                            .outer = {3, second, 3, 3},
                                            .inner = {3, 3}};
    for (int i = 0; i < 16; i++) {
        v[i][0] = (float)(i / 4 % 2) - 1 + (float)(i % 2);
        v[i][1] = (float)(i / 8) - 1 + (float)(i / 2 % 2);
        v[i][3] = 1;
    }
    OK(f, tp_set_tessellation(f->context, &t));
    fixture_draw(f, TP_PATCHES, v, 16);
}

/* All of the target must be covered by patches, with u along x and v along y. */
static void draw_patches(struct fixture *f) {
    submit_patches(f, 3);
    fixture_read(f);
    assert_int_equal(fixture_count(f), SIZE * SIZE);
    for (uint32_t y = 0; y < SIZE; y++)
        for (uint32_t x = 0; x < SIZE; x++) {
            const uint32_t p = fixture_pixel(f, x, y), quarter = SIZE / 2;
            const double u = (x % quarter + 0.5) / quarter, w = 1 - (y % quarter + 0.5) / quarter;
            assert_true(abs((int)(p & 0xff) - (int)(u * 255 + 0.5)) <= 1);
            assert_true(abs((int)(p >> 8 & 0xff) - (int)(w * 255 + 0.5)) <= 1);
        }
}

/* A patch word reads 0 in a vertex program, also after patches were drawn. */
static void no_patch_words(struct fixture *f) {
    static const float v[3][8] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
    fixture_bind(f, TP_VERTEX,
                 "ld b128 $r0:$r1:$r2:$r3 a[0x80] 0x0\nst b128 a[0x70] $r0:$r1:$r2:$r3 0x0\n"
                 "ld patch b32 $r4 a[0x0] 0x0\nmov b32 $r5 $r4\nmov b32 $r6 $r4\n"
                 "mov b32 $r7 0x3f800000\nst b128 a[0x80] $r4:$r5:$r6:$r7 0x0\nexit\n");
    fixture_draw(f, TP_TRIANGLES, v, 3);
    fixture_read(f);
    assert_int_equal(fixture_pixel(f, SIZE / 2, SIZE / 2), 0xff000000);
}

TEST(test_tessellation) {
    FOR_EACH_RUN(f) {
        fixture_bind(f, TP_TESS_EVALUATION, evaluate);
        draw_patches(f);
        fixture_bind(f, TP_TESS_CONTROL, control);
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        draw_patches(f);
        assert_int_not_equal(tp_draw_arrays(f->context, TP_TRIANGLES, 0, 3), TP_OK);
        assert_non_null(strstr(tp_message(f->device), "patches only"));
        OK(f, tp_bind_program(f->context, TP_TESS_CONTROL, NULL));
        OK(f, tp_bind_program(f->context, TP_TESS_EVALUATION, NULL));
        assert_int_not_equal(tp_draw_arrays(f->context, TP_PATCHES, 0, 4), TP_OK);
        assert_non_null(strstr(tp_message(f->device), "no tessellation evaluation program"));
        OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 0, 3));
        no_patch_words(f);
    }
}

/* As `evaluate`, with w = 1 + u: positions stay the same, and u and v are interpolated with
 * perspective. */
static const char evaluate_deep[] =
    EVALUATE "mov b32 $r7 $r3\n"
             "add rn f32 $r3 $r3 $r4\nfma f32 $r0 $r0 $r3 $r2\nfma f32 $r1 $r1 $r3 $r2\n"
             "st b128 a[0x70] $r0:$r1:$r2:$r3 0x0\nmov b32 $r6 $r2\n"
             "st b128 a[0x80] $r4:$r5:$r6:$r7 0x0\nexit\n";

/* The number of the patch that covers a pixel. Patches are in order from left to right, bottom to
 * top. */
static uint32_t patch_at(int32_t x, int32_t y) {
    return (uint32_t)(x >= SIZE / 2) + 2u * (y < SIZE / 2);
}

/* The history names the pixel's patch and its levels. The history's (u, v) at the pixel are the
 * values that the fragment program gets. */
static void check_patch(const struct history *h, const struct history_entry *e, float level) {
    const struct traced_primitive *p = history_primitive(h, e);
    const struct raster_probe_pixel at = {(int32_t)e->pixel % 8 * 8 + 3, (int32_t)e->pixel, 0, 0};
    float domain[2], color[2];
    assert_true(p && p->patched && p->maker == PROGRAM_TEP && p->domain == TESS_QUADS);
    assert_int_equal(p->number, patch_at(at.x, at.y));
    for (int i = 0; i < 4; i++)
        assert_float_equal(p->levels.outer[i], level, 0);
    assert_float_equal(p->levels.inner[1], level, 0);
    assert_true(history_domain(h, e, domain));
    memcpy(color, e->source, sizeof color);
    assert_float_equal(domain[0], color[0], 1e-4);
    assert_float_equal(domain[1], color[1], 1e-4);
    assert_true(fabsf(color[0] - ((float)(at.x % 32) + 0.5f) / 32) < 0.2f);
    for (int k = 0; k < 3; k++)
        assert_float_equal(p->vertex[k].clip[3], 1 + p->vertex[k].domain[0], 1e-5);
}

static struct surface target_shape(const struct fixture *f) {
    const struct target_state *t = &f->context->state.color[0];
    return SURFACE(t->format, t->width, t->height, 0, .linear = t->linear, .pitch = t->pitch,
                   .tile_h = t->tile_h);
}

TEST(test_patch_history) {
    struct raster_probe_pixel at[SIZE];
    for (int i = 0; i < SIZE; i++)
        at[i] = (struct raster_probe_pixel){i % 8 * 8 + 3, i, 0, 0};
    FOR_EACH_RUN(f) {
        size_t count;
        fixture_bind(f, TP_TESS_CONTROL, control);
        fixture_bind(f, TP_TESS_EVALUATION, evaluate_deep);
        OK(f, tp_finish(f->context));
        struct history *h = history_create(f->device, at, SIZE, NULL);
        assert_true(h && history_watch(h, f->context));
        submit_patches(f, NAN);
        history_end(h);
        const struct surface shape = target_shape(f);
        for (uint32_t k = 0; k < SIZE; k++) {
            const struct history_entry *const *e =
                history_select(h, k, f->context->state.color[0].address, &shape, 0, &count);
            assert_int_equal(count, 1);
            check_patch(h, e[0], 5);
        }
        history_free(h);
    }
}

/* The history of a pixel that a line covers has the (u, v) of the line at the pixel. */
TEST(test_line_history) {
    static const struct tp_tessellation_state t = {
        .vertices = 4, .domain = TP_ISOLINES, .spacing = TP_SPACING_ODD, .outer = {4, 3}};
    static const float v[4][8] = {{-1, -1, 0, 1}, {0}, {0}, {1, 1, 0, 1}};
    struct raster_probe_pixel at[SIZE];
    for (int i = 0; i < SIZE; i++)
        at[i] = (struct raster_probe_pixel){19, i, 0, 0};
    struct fixture f;
    assert_true(fixture_open_chip(&f, TP_CHIP_GF100, 1, NULL, SIZE));
    fixture_bind(&f, TP_VERTEX, vertex);
    fixture_bind(&f, TP_FRAGMENT, smooth);
    fixture_bind(&f, TP_TESS_EVALUATION, evaluate_deep);
    OK(&f, tp_set_tessellation(f.context, &t));
    OK(&f, tp_finish(f.context));
    struct history *h = history_create(f.device, at, SIZE, NULL);
    assert_true(h && history_watch(h, f.context));
    fixture_draw(&f, TP_PATCHES, v, 4);
    history_end(h);
    const struct surface shape = target_shape(&f);
    uint32_t lines = 0;
    for (uint32_t k = 0; k < SIZE; k++) {
        size_t count;
        const struct history_entry *const *e =
            history_select(h, k, f.context->state.color[0].address, &shape, 0, &count);
        float domain[2], color[2];
        for (size_t i = 0; i < count; i++) {
            assert_true(history_primitive(h, e[i])->vertices == 2);
            assert_true(history_domain(h, e[i], domain));
            memcpy(color, e[i]->source, sizeof color);
            assert_float_equal(domain[0], color[0], 1e-2);
            assert_float_equal(domain[1], color[1], 1e-4);
        }
        lines += count != 0;
    }
    assert_true(lines >= 3); /* the first line is on the edge of the target */
    history_free(h);
    fixture_close(&f);
}

/* Names of primitives, and the name that each pixel's fragment has. */
struct named {
    pthread_mutex_t lock;
    uint32_t count, patch[1024];
    uint32_t pixel[SIZE * SIZE];
};

static uint32_t name_patch(void *self, const struct traced_primitive *p) {
    struct named *n = self;
    pthread_mutex_lock(&n->lock);
    assert_true(n->count < LENGTH(n->patch));
    n->patch[n->count] = p->patched ? p->number : UINT32_MAX;
    const uint32_t name = n->count++;
    pthread_mutex_unlock(&n->lock);
    return name;
}

static void note_pixels(void *self, const struct warp *w, const struct warp_env *env) {
    struct named *n = self;
    (void)env;
    for (lane_mask m = w->launched & ~w->dead; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        const int x = w->origin[0] + (int)floorf(w->x[lane]);
        const int y = w->origin[1] + (int)floorf(w->y[lane]);
        n->pixel[y * SIZE + x] = raster_warp_prim_number(w, lane / 4);
    }
}

/* With `every` set, fragment warps know the name of each quad's primitive. */
TEST(test_every_name) {
    FOR_EACH_RUN(f) {
        struct named n = {.lock = PTHREAD_MUTEX_INITIALIZER};
        const struct warp_observer observer = {.self = &n, .start = note_pixels};
        const struct pixel_watch watch = {.self = &n, .every = true, .primitive = name_patch};
        fixture_bind(f, TP_TESS_CONTROL, control);
        fixture_bind(f, TP_TESS_EVALUATION, evaluate_deep);
        context_watch(f->context, &watch);
        context_observe(f->context, PROGRAM_FP, &observer);
        submit_patches(f, NAN);
        context_observe(f->context, PROGRAM_FP, NULL);
        context_watch(f->context, NULL);
        for (int32_t y = 0; y < SIZE; y++)
            for (int32_t x = 0; x < SIZE; x++) {
                assert_true(n.pixel[y * SIZE + x] < n.count);
                assert_int_equal(n.patch[n.pixel[y * SIZE + x]], patch_at(x, y));
            }
    }
}

/* ---- the size of points ---- */

TEST(test_point_size) {
    static const float v[1][8] = {{0, 0, 0, 1, 1, 1, 1, 1}};
    char text[600];
    snprintf(text, sizeof text, "mov b32 $r8 0x41000000\nst b32 a[0x6c] $r8 0x0\n%s", vertex);
    FOR_EACH_RUN(f) {
        fixture_bind(f, TP_VERTEX, text);
        fixture_draw(f, TP_POINTS, v, 1);
        fixture_read(f);
        assert_int_equal(fixture_count(f), 8 * 8);
        /* a compute program leaves the linkage of the others as it is */
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        fixture_bind(f, TP_COMPUTE, "exit\n");
        fixture_draw(f, TP_POINTS, v, 1);
        fixture_read(f);
        assert_int_equal(fixture_count(f), 8 * 8);
    }
}

/* ---- memory ---- */

/* Adds 1 for each fragment to the word whose address is in c0[0x0]. */
static const char count[] = "ld b64 $r0d c0[0x0]\nmov b32 $r2 0x1\nred add u32 g[$r0d] $r2\n"
                            "mov b32 $r0 0x0\nmov b32 $r1 0x0\nmov b32 $r2 0x0\n"
                            "mov b32 $r3 0x0\nexit\n";

TEST(test_memory) {
    static const float v[3][8] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
    FOR_EACH_RUN(f) {
        uint32_t word = 0;
        f->fp = fixture_bind(f, TP_FRAGMENT, count);
        tp_buffer *b = fixture_buffer(f, sizeof word, &word);
        const uint64_t address = tp_buffer_address(b);
        OK(f, tp_set_constants(f->context, TP_FRAGMENT, 0, &address, sizeof address));
        fixture_draw(f, TP_TRIANGLES, v, 3);
        OK(f, tp_buffer_read(f->context, b, 0, &word, sizeof word));
        assert_int_equal(word, SIZE * SIZE);
        /* a program that writes memory also runs if the targets keep their colours */
        OK(f, tp_set_color_mask(f->context, TP_ALL_TARGETS, 0));
        fixture_draw(f, TP_TRIANGLES, v, 3);
        OK(f, tp_buffer_read(f->context, b, 0, &word, sizeof word));
        assert_int_equal(word, 2 * SIZE * SIZE);
    }
}

/* Without early tests, a program that writes memory runs before the depth test, so a hidden
 * triangle counts its fragments. With early tests the hidden triangle counts none. The depths of
 * discarded fragments are then already written, so the same triangle fails afterwards. A query
 * counts the samples that pass early tests even if the program discards them. */
static void check_early(struct fixture *f, tp_buffer *b, const char *discard, bool early) {
    static const float behind[3][8] = {{-1, -1, 0.5f, 1}, {3, -1, 0.5f, 1}, {-1, 3, 0.5f, 1}};
    static const float front[3][8] = {{-1, -1, -0.5f, 1}, {3, -1, -0.5f, 1}, {-1, 3, -0.5f, 1}};
    uint32_t word = 0;
    uint64_t passed;
    OK(f, tp_buffer_write(f->context, b, 0, &word, sizeof word));
    fixture_depth(f, TP_LESS);
    OK(f, tp_set_raster(f->context, &(struct tp_raster_state){.early_tests = early}));
    OK(f, tp_clear(f->context, TP_CLEAR_DEPTH, NULL, 0.5f, 0)); /* `behind` has depth 0.75 */
    OK(f, tp_bind_program(f->context, TP_FRAGMENT, f->fp));
    fixture_draw(f, TP_TRIANGLES, behind, 3);
    OK(f, tp_buffer_read(f->context, b, 0, &word, sizeof word));
    assert_int_equal(word, early ? 0 : SIZE * SIZE);
    fixture_bind(f, TP_FRAGMENT, discard);
    OK(f, tp_query_begin(f->context));
    fixture_draw(f, TP_TRIANGLES, front, 3);
    OK(f, tp_query_end(f->context, &passed));
    assert_int_equal(passed, early ? SIZE * SIZE : 0);
    OK(f, tp_bind_program(f->context, TP_FRAGMENT, f->fp));
    OK(f, tp_query_begin(f->context));
    fixture_draw(f, TP_TRIANGLES, front, 3);
    OK(f, tp_query_end(f->context, &passed));
    assert_int_equal(passed, early ? 0 : SIZE * SIZE);
}

TEST(test_early_tests) {
    static const uint32_t zero;
    FOR_EACH_RUN(f) {
        f->zeta = fixture_picture(f, TP_FORMAT_Z24S8, SIZE, SIZE);
        OK(f, tp_set_target(f->context, f->color, f->zeta));
        f->fp = fixture_bind(f, TP_FRAGMENT, count);
        tp_buffer *b = fixture_buffer(f, sizeof zero, &zero);
        const uint64_t address = tp_buffer_address(b);
        OK(f, tp_set_constants(f->context, TP_FRAGMENT, 0, &address, sizeof address));
        for (int k = 0; k < 3; k++) /* off, on, off */
            check_early(f, b, "discard\nexit\n", k == 1);
    }
}
