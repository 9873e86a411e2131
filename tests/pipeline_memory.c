/* Memory runs out at every allocation in turn, once or for good, while a device is made, draws with
 * all stages, dispatches and is read. Each call says TP_ERROR_MEMORY or does its work; nothing
 * crashes; and when there is memory again, the same device draws the right picture.
 */
#include "include/teslapipe.h"

#include "pipeline/context_private.h"
#include "pipeline/debug/history.h"
#include "tests/failing_allocator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 128, TRIANGLES = 3000, NUMBERS = 64, TEXEL = 0x40, ENOUGH = 100000 };

static void no_log(void *self, int level, const char *line) {
    (void)self, (void)level, (void)line;
}

/* ---- what is done with less and less of it ---- */

struct things {
    tp_device *device;
    tp_context *context;
    tp_texture *color, *zeta, *texture;
    tp_program *vp, *gp, *fp, *cp;
    tp_buffer *vertices, *numbers;
    uint32_t pixel[SIZE * SIZE], number[NUMBERS];
};

static const char vertex_text[] =
    ".attr 0 xyzw\n.output position o[0x0]\n.output varying o[0x10] 2\n"
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\n"
    "mov b32 o[0xc] a[0xc]\nmov b32 o[0x10] a[0x0]\nexit mov b32 o[0x14] a[0x4]\n";
#define COPY(at) "mov b32 $r0 p[$a1+" at "]\nmov b32 o[" at "] $r0\n"
#define VERTEX(at)                                                                                 \
    "shl $a1 a[" at "] 0\n" COPY("0x0") COPY("0x4") COPY("0x8") COPY("0xc") COPY("0x10")           \
        COPY("0x14") "emit\n"
static const char geometry_text[] =
    ".primitive triangle_strip\n.vertices 3\n"
    ".output position o[0x0]\n.output varying o[0x10] 2\n" VERTEX("0x0") VERTEX("0x4")
        VERTEX("0x8") "restart\nexit nop\n";
static const char fragment_text[] =
    ".interpolants position=w smooth=2\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
    "interp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\n"
    "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n";
static const char compute_text[] =
    "cvt u32 $r1 u16 $r0l\nshl b32 $r2 $r1 2\nst b32 g0[$r2] $r1\nexit nop\n";

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const enum tp_result result_ = (call);                                                     \
        if (result_ != TP_OK)                                                                      \
            return result_;                                                                        \
    } while (0)

static enum tp_result make_textures(struct things *t) {
    static uint8_t texels[32 * 32 * 4];
    memset(texels, TEXEL, sizeof texels);
    struct tp_texture_info info = {
        .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = SIZE, .height = SIZE};
    TRY(tp_texture_create(t->device, &info, &t->color));
    info.format = TP_FORMAT_Z24S8;
    TRY(tp_texture_create(t->device, &info, &t->zeta));
    info = (struct tp_texture_info){
        .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = 32, .height = 32};
    TRY(tp_texture_create(t->device, &info, &t->texture));
    return tp_texture_write(t->context, t->texture, 0, 0, texels, 32 * 4);
}

static enum tp_result make_programs(struct things *t) {
    TRY(tp_program_from_text(t->device, TP_VERTEX, vertex_text, "vp", &t->vp));
    TRY(tp_program_from_text(t->device, TP_GEOMETRY, geometry_text, "gp", &t->gp));
    TRY(tp_program_from_text(t->device, TP_FRAGMENT, fragment_text, "fp", &t->fp));
    TRY(tp_program_from_text(t->device, TP_COMPUTE, compute_text, "cp", &t->cp));
    TRY(tp_bind_program(t->context, TP_VERTEX, t->vp));
    TRY(tp_bind_program(t->context, TP_GEOMETRY, t->gp));
    TRY(tp_bind_program(t->context, TP_FRAGMENT, t->fp));
    return tp_bind_program(t->context, TP_COMPUTE, t->cp);
}

/* TRIANGLES triangles of two pixels each way, then one over everything in front of them. */
static enum tp_result draw(struct things *t) {
    static float v[TRIANGLES * 3 + 3][4];
    for (int i = 0; i < TRIANGLES * 3; i++) {
        const float x = (float)(i / 3 % 64) / 32 - 1, y = (float)(i / 192 % 64) / 32 - 1;
        const float corner[4] = {x + (i % 3 == 1 ? 0.03f : 0), y + (i % 3 == 2 ? 0.03f : 0), 0.5f,
                                 1};
        memcpy(v[i], corner, sizeof corner);
    }
    const float front[3][4] = {{-1, 1, -0.5f, 1}, {3, 1, -0.5f, 1}, {-1, -3, -0.5f, 1}};
    memcpy(v[TRIANGLES * 3], front, sizeof front);
    TRY(tp_buffer_create(t->device, sizeof v, v, &t->vertices));
    TRY(tp_bind_vertices(t->context, 0, t->vertices, 0, sizeof *v, 0));
    TRY(tp_set_attribute(t->context, 0, 0, 0, 4, TP_FLOAT32));
    TRY(tp_set_target(t->context, t->color, t->zeta));
    TRY(tp_set_depth(t->context,
                     &(struct tp_depth_state){.test = true, .write = true, .func = TP_LESS}));
    TRY(tp_bind_texture(t->context, TP_FRAGMENT, 0, t->texture, NULL));
    TRY(tp_clear(t->context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH, NULL, 1, 0));
    TRY(tp_draw_arrays(t->context, TP_TRIANGLES, 0, TRIANGLES * 3 + 3));
    return tp_finish(t->context);
}

static enum tp_result dispatch(struct things *t) {
    const uint32_t grid[2] = {1, 1}, block[3] = {NUMBERS, 1, 1};
    TRY(tp_buffer_create(t->device, sizeof t->number, NULL, &t->numbers));
    TRY(tp_bind_global(t->context, 0, t->numbers, 0, sizeof t->number));
    TRY(tp_dispatch(t->context, grid, block, NULL, 0));
    TRY(tp_finish(t->context));
    return tp_buffer_read(t->context, t->numbers, 0, t->number, sizeof t->number);
}

static enum tp_result everything(struct things *t) {
    const struct tp_device_info info = {
        .chip = TP_CHIP_GT215, .threads = 2, .engine = "interp", .memory = 64 << 20, .log = no_log};
    if (!t->device)
        TRY(tp_device_create(&info, &t->device));
    if (!t->context)
        TRY(tp_context_create(t->device, &t->context));
    TRY(make_textures(t));
    TRY(make_programs(t));
    TRY(draw(t));
    TRY(tp_texture_read_rgba8(t->context, t->color, t->pixel));
    return dispatch(t);
}

static void destroy_objects(struct things *t) {
    tp_buffer_destroy(t->vertices);
    tp_buffer_destroy(t->numbers);
    tp_program_destroy(t->vp);
    tp_program_destroy(t->gp);
    tp_program_destroy(t->fp);
    tp_program_destroy(t->cp);
    tp_texture_destroy(t->color);
    tp_texture_destroy(t->zeta);
    tp_texture_destroy(t->texture);
    *t = (struct things){.device = t->device, .context = t->context};
}

static void assert_right(const struct things *t, const char *when, long n) {
    uint32_t wrong = 0;
    for (int i = 0; i < SIZE * SIZE; i++)
        wrong += t->pixel[i] != TEXEL * 0x01010101u;
    for (uint32_t i = 0; i < NUMBERS; i++)
        wrong += t->number[i] != i;
    if (wrong)
        fail_msg("%s allocation %ld failed: %u pixels or numbers are wrong, and nothing said so",
                 when, n, wrong);
}

/* ---- the tests ---- */

/* Returns whether allocation n was reached. */
static bool fails_at(long n) {
    static struct things t;
    t = (struct things){0};
    atomic_store(&left, n);
    const enum tp_result result = everything(&t);
    const bool reached = atomic_load(&left) < 0 || (for_good && atomic_load(&left) == 0);
    atomic_store(&left, -1);
    if (result == TP_OK)
        assert_right(&t, "when", n);
    else if (result != TP_ERROR_MEMORY)
        fail_msg("allocation %ld: result %d, \"%s\"", n, result, tp_message(t.device));
    if (t.context)
        tp_finish(t.context); /* tells what is left to tell */
    destroy_objects(&t);
    if (everything(&t) != TP_OK)
        fail_msg("after allocation %ld: \"%s\"", n, tp_message(t.device));
    assert_right(&t, "after", n);
    destroy_objects(&t);
    tp_context_destroy(t.context);
    tp_device_destroy(t.device);
    return reached;
}

static void test_one(void **state) {
    (void)state;
    if (!OWN_ALLOCATOR)
        skip();
    long n = 0;
    for_good = false;
    while (n < ENOUGH && fails_at(n))
        n++;
    print_message("%ld allocations\n", n);
    assert_in_range(n, 100, ENOUGH - 1);
}

static void test_all_from_there_on(void **state) {
    (void)state;
    if (!OWN_ALLOCATOR)
        skip();
    for_good = true;
    for (long n = 0; n < ENOUGH && fails_at(n); n++) {
    }
    for_good = false;
}

/* Indices, vertices, runs and marks that are collected before a draw's end. */
static enum tp_result draw_in_pieces(tp_context *c) {
    static const uint32_t index[3] = {0, 1, 2};
    static const float vertex[3][4];
    TRY(draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
    TRY(draw_indices(c, index, 3, 4));
    TRY(draw_end(c));
    TRY(draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
    TRY(draw_vertex_data(c, (const uint32_t *)vertex, 12));
    TRY(draw_vertex_cut(c));
    TRY(draw_end(c));
    return tp_finish(c);
}

/* What is made is given back: after devices, contexts, draws of all stages and a history, as much is held as before. */
static void test_nothing_stays(void **state) {
    enum { ROUNDS = 6, PLACES = 2 };
    const struct tp_debug_pixel pixel[PLACES] = {{.x = 5, .y = 7}, {.x = 3, .y = 9}};
    long before = 0;
    (void)state;
    if (!OWN_ALLOCATOR)
        skip();
    for (int i = 0; i < ROUNDS; i++) {
        static struct things t;
        tp_debug_history *h;
        size_t entries;
        t = (struct things){0};
        assert_int_equal(everything(&t), TP_OK);
        assert_int_equal(tp_debug_history_begin(t.context, pixel, PLACES, &h), TP_OK);
        assert_int_equal(tp_draw_arrays(t.context, TP_TRIANGLES, 0, TRIANGLES * 3 + 3), TP_OK);
        assert_int_equal(tp_debug_history_end(t.context), TP_OK);
        assert_int_equal(tp_debug_history_count(h, 0, t.color, &entries), TP_OK);
        assert_int_equal(draw_in_pieces(t.context), TP_OK);
        tp_debug_history_destroy(h);
        destroy_objects(&t);
        tp_context_destroy(t.context);
        tp_device_destroy(t.device);
        if (i >= 2 && atomic_load(&held) != before) /* what is made once for all is there by then */
            fail_msg("round %d leaves %ld allocations", i, atomic_load(&held) - before);
        before = atomic_load(&held);
    }
}

/* A history that runs out of memory says that it is incomplete, or has everything. */
static void test_histories(void **state) {
    (void)state;
    static struct things t;
    const struct raster_probe_pixel pixel = {.x = 5, .y = 7};
    const struct history_options options = {.all = true, .trace = true};
    long n = 0;
    if (!OWN_ALLOCATOR)
        skip();
    t = (struct things){0};
    assert_int_equal(everything(&t), TP_OK);
    assert_int_equal(tp_set_depth(t.context, &(struct tp_depth_state){0}), TP_OK);
    for (bool reached = true; reached && n < ENOUGH; n++) {
        size_t count = 0;
        const struct history_entry *const *e = NULL;
        atomic_store(&left, n);
        struct history *h = history_create(t.device, &pixel, 1, &options);
        const bool watched = h && history_watch(h, t.context);
        bool drawn = tp_draw_arrays(t.context, TP_TRIANGLES, TRIANGLES * 3, 3) == TP_OK;
        drawn &= tp_finish(t.context) == TP_OK;
        if (watched) {
            const struct raster_targets targets = *scene_targets(t.context->p->scene);
            history_end(h);
            e = history_select(h, 0, t.context->state.color[0].address, &targets.color[0], 0, &count);
        }
        reached = atomic_load(&left) < 0;
        atomic_store(&left, -1);
        if (watched && drawn && !history_incomplete(h)) {
            assert_int_equal(count, 1);
            assert_true(e[0]->inputs == 3 && e[0]->input && e[0]->trace);
        }
        history_free(h);
        tp_finish(t.context);
    }
    assert_in_range(n, 5, ENOUGH - 1);
    destroy_objects(&t);
    tp_context_destroy(t.context);
    tp_device_destroy(t.device);
}

/* GPU address space: too little for a target, then for its zeta buffer. */
static void test_address_space(void **state) {
    (void)state;
    for (uint64_t kib = 64; kib <= 4096; kib *= 2) {
        static struct things t;
        t = (struct things){0};
        const struct tp_device_info info = {.chip = TP_CHIP_GT215,
                                            .threads = 1,
                                            .engine = "interp",
                                            .memory = kib << 10,
                                            .log = no_log};
        assert_int_equal(tp_device_create(&info, &t.device), TP_OK);
        const enum tp_result result = everything(&t);
        assert_int_equal(result, kib < 512 ? TP_ERROR_MEMORY : TP_OK);
        destroy_objects(&t);
        tp_context_destroy(t.context);
        tp_device_destroy(t.device);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one),
                                       cmocka_unit_test(test_all_from_there_on),
                                       cmocka_unit_test(test_nothing_stays),
                                       cmocka_unit_test(test_histories),
                                       cmocka_unit_test(test_address_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
