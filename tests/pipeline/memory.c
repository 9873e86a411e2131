/* Every allocation fails in turn, once or from then on, while a device is made, draws with all
 * stages, dispatches and is read. Each call returns TP_ERROR_MEMORY or does its work. Afterwards,
 * with enough memory, the same device draws the right picture. */
#include "include/teslapipe_debug.h"

#include "pipeline/context_private.h"
#include "pipeline/debug/history.h"
#include "pipeline/tessellate/tessellate.h"
#include "tests/failing_allocator.h"
#include "tests/test.h"

enum { SIZE = 128, TRIANGLES = 3000, NUMBERS = 64, TEXEL = 0x40, ENOUGH = 100000 };

static void no_log(void *self, int level, const char *line) {
    (void)self, (void)level, (void)line;
}

/* ---- the work that needs memory ---- */

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

/* Draws TRIANGLES triangles of two pixels each way, then a triangle in front that covers
 * everything. */
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

/* ---- the same with patches, on a Fermi ---- */

static bool with_patches;
/* Attribute 0 is the patch's row, in x. Patches cover the target row by row. */
static const char patch_vp[] = "ld b32 $r0 a[0x80] 0x0\nst b32 a[0x80] $r0 0x0\nexit\n";
static const char patch_tcp[] = ".vertices 3\nmov b32 $r8 $invoc\nld $r8 p[$r8+0x0]\n"
                                "ld b32 $r0 a[0x80] $r8\nst b32 a[0x80] $r0 0x0\n"
                                "mov b32 $r9 0x40e00000\n"
                                "st patch b32 a[0x0] $r9 0x0\nst patch b32 a[0x4] $r9 0x0\n"
                                "st patch b32 a[0x8] $r9 0x0\nst patch b32 a[0xc] $r9 0x0\n"
                                "st patch b32 a[0x10] $r9 0x0\nst patch b32 a[0x14] $r9 0x0\n"
                                "exit\n";
static const char patch_tep[] = "ld $r8 p[0x0]\nmov b32 $r12 $laneid\nld b32 $r1 a[0x80] $r8\n"
                                "ld b32 $r4 out a[0x2f0] $r12\nld b32 $r5 out a[0x2f4] $r12\n"
                                "mov b32 $r6 0xbf800000\nmov b32 $r7 0x40000000\n"
                                "fma rn f32 $r0 $r4 $r7 $r6\n"
                                "add rn f32 $r1 $r1 $r5\nmov b32 $r9 0x3d800000\n"
                                "fma rn f32 $r1 $r1 $r9 $r6\n"
                                "mov b32 $r2 0x0\nmov b32 $r3 0x3f800000\n"
                                "st b128 a[0x70] $r0:$r1:$r2:$r3 0x0\nexit\n";
static const char patch_fp[] = "mov b32 $r0 0x3e808081\nmov b32 $r1 $r0\nmov b32 $r2 $r0\n"
                               "mov b32 $r3 $r0\nexit\n";

static enum tp_result patch_programs(struct things *t) {
    TRY(tp_program_from_text(t->device, TP_VERTEX, patch_vp, "vp", &t->vp));
    TRY(tp_program_from_text(t->device, TP_TESS_CONTROL, patch_tcp, "tcp", &t->cp));
    TRY(tp_program_from_text(t->device, TP_TESS_EVALUATION, patch_tep, "tep", &t->gp));
    TRY(tp_program_from_text(t->device, TP_FRAGMENT, patch_fp, "fp", &t->fp));
    TRY(tp_bind_program(t->context, TP_VERTEX, t->vp));
    TRY(tp_bind_program(t->context, TP_TESS_CONTROL, t->cp));
    TRY(tp_bind_program(t->context, TP_TESS_EVALUATION, t->gp));
    return tp_bind_program(t->context, TP_FRAGMENT, t->fp);
}

static enum tp_result patches(struct things *t) {
    enum { ROWS = 32 };
    static float v[3 * ROWS][1];
    const struct tp_tessellation_state state = {.vertices = 3, .domain = TP_DOMAIN_QUAD};
    const struct tp_texture_info info = {
        .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = SIZE, .height = SIZE};
    for (int i = 0; i < 3 * ROWS; i++)
        v[i][0] = (float)(i / 3);
    for (uint32_t i = 0; i < NUMBERS; i++)
        t->number[i] = i;
    TRY(tp_texture_create(t->device, &info, &t->color));
    TRY(patch_programs(t));
    TRY(tp_buffer_create(t->device, sizeof v, v, &t->vertices));
    TRY(tp_bind_vertices(t->context, 0, t->vertices, 0, sizeof *v, 0));
    TRY(tp_set_attribute(t->context, 0, 0, 0, 1, TP_FLOAT32));
    TRY(tp_set_target(t->context, t->color, NULL));
    TRY(tp_set_tessellation(t->context, &state));
    TRY(tp_clear(t->context, TP_CLEAR_COLOR, NULL, 1, 0));
    TRY(tp_draw_arrays(t->context, TP_PATCHES, 0, 3 * ROWS));
    TRY(tp_finish(t->context));
    return tp_texture_read_rgba8(t->context, t->color, t->pixel);
}

static enum tp_result everything(struct things *t) {
    const struct tp_device_info info = {.chip = with_patches ? TP_CHIP_GF100 : TP_CHIP_GT215,
                                        .threads = 2,
                                        .engine = "interp",
                                        .memory = 64 << 20,
                                        .log = no_log};
    if (!t->device)
        TRY(tp_device_create(&info, &t->device));
    if (!t->context)
        TRY(tp_context_create(t->device, &t->context));
    if (with_patches)
        return patches(t);
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

static void close_things(struct things *t) {
    destroy_objects(t);
    tp_context_destroy(t->context);
    tp_device_destroy(t->device);
}

static bool is_right(const struct things *t) {
    uint32_t wrong = 0;
    for (int i = 0; i < SIZE * SIZE; i++)
        wrong += t->pixel[i] != TEXEL * 0x01010101u;
    for (uint32_t i = 0; i < NUMBERS; i++)
        wrong += t->number[i] != i;
    return !wrong;
}

/* ---- the tests ---- */

/* Lets allocation n of the work fail, then does the work again on the same device. Returns true if
 * allocation n was reached. */
static bool fails_at(long n, enum tp_result (*work)(struct things *),
                     bool (*right)(const struct things *)) {
    static struct things t;
    t = (struct things){0};
    atomic_store(&left, n);
    enum tp_result result = work(&t);
    const bool reached = atomic_load(&left) < 0 || (for_good && atomic_load(&left) == 0);
    atomic_store(&left, -1);
    for (int again = 0; again < 2; again++) {
        if (again) {
            if (t.context)
                tp_finish(t.context); /* reports pending failures */
            destroy_objects(&t);
            result = work(&t);
        }
        if (result != TP_OK && (again || result != TP_ERROR_MEMORY))
            fail_msg("%s allocation %ld: result %d, \"%s\"", again ? "after" : "at", n, result,
                     tp_message(t.device));
        if (result == TP_OK && !right(&t))
            fail_msg("%s allocation %ld: wrong pixels, numbers or samples, and nothing said so",
                     again ? "after" : "at", n);
    }
    close_things(&t);
    return reached;
}

/* Lets every allocation of the work fail in turn, once or for good. */
static void fail_all(bool good, enum tp_result (*work)(struct things *),
                     bool (*right)(const struct things *), long least) {
    if (!OWN_ALLOCATOR)
        skip();
    long n = 0;
    for_good = good;
    while (n < ENOUGH && fails_at(n, work, right))
        n++;
    for_good = false;
    print_message("%ld allocations\n", n);
    assert_in_range(n, least, ENOUGH - 1);
}

TEST(test_one) {
    fail_all(false, everything, is_right, 100);
}

TEST(test_patches) {
    with_patches = true;
    fail_all(false, everything, is_right, 50);
    fail_all(true, everything, is_right, 50);
    with_patches = false;
}

TEST(test_all_from_there_on) {
    fail_all(true, everything, is_right, 50);
}

/* Draws whose indices, vertices and marks are collected before their ends. */
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

/* ---- draws of many kinds ---- */

static const char ways_vp[] =
    ".attr 0 xyzw\n.builtin vertex_id\n.output position o[0x0]\n.output varying o[0x10] 1\n"
    "mov b32 $r0 a[0x0]\nadd f32 $r0 $r0 c0[0x0]\nmov b32 o[0x0] $r0\n"
    "mov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
    "mov b32 $r1 a[0x10]\ncvt rn f32 $r1 u32 $r1\nmov b32 $r2 0x3ba3d70a\n"
    "mul f32 $r1 $r1 $r2\nadd f32 $r0 $r0 $r1\nexit mov b32 o[0x10] $r0\n";
static const char ways_fp[] =
    ".interpolants position=w smooth=1\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
    "interp $r0 v[0x4] $r4\nld $r1 b32 c0[0x0]\nld $r2 b32 c0[0x4]\n"
    "exit ld $r3 b32 c0[0x4]\n";
enum { CORNERS = 6 };
/* Two triangles; the second triangle is partly behind the eye. */
static const float corners[CORNERS][4] = {{-0.9f, -0.8f, 0, 1},   {0.7f, -0.6f, 0.2f, 1},
                                          {-0.3f, 0.2f, 0, 1},    {0.9f, 0.9f, 0, 1},
                                          {0.2f, 0.9f, -0.4f, 1}, {0.5f, -2, 0, -0.2f}};

/* A failure within a draw is reported by its end, so the results of the calls before are
 * ignored. */
static void give_arrays(tp_context *c) {
    draw_arrays(c, 0, CORNERS);
}

static void give_runs(tp_context *c) {
    for (uint32_t i = 0; i < 400; i++)
        draw_arrays(c, i & 1 ? 3 : 0, 3);
}

static void give_indices(tp_context *c) {
    static const uint8_t first[5] = {0, 1, 2, 5, 4};
    static const uint32_t last = 3;
    for (int i = 0; i < 60; i++) {
        draw_indices(c, first, 5, 1);
        draw_indices(c, &last, 1, 4);
    }
}

static void give_restarts(tp_context *c) {
    uint16_t index[5000];
    for (uint32_t i = 0; i < 5000; i++)
        index[i] = i % 4 == 3 ? 9 : (uint16_t)(i % CORNERS);
    draw_indices(c, index, 5000, 2);
}

static void give_vertices(tp_context *c) {
    for (uint32_t i = 0; i < 100; i++) {
        if (i % 3 == 0)
            draw_vertex_id(c, 7 * i);
        draw_edge_flag(c, i & 1);
        draw_vertex_data(c, (const uint32_t *)corners[i % CORNERS], 4);
        if (i % 3 == 2)
            draw_vertex_cut(c);
    }
}

static void give_immediate(tp_context *c) {
    for (uint32_t i = 0; i < 12; i++) {
        memcpy(c->state.current[0], corners[i % CORNERS], sizeof *corners);
        draw_vertex(c);
    }
}

static const struct {
    enum tp_primitive type;
    void (*give)(tp_context *c);
    uint16_t polygons;
    bool restart, stipple, stream;
} kinds[] = {
    {TP_TRIANGLES, give_arrays, POLYGON_FILL, false, false, false},
    {TP_TRIANGLES, give_runs, POLYGON_FILL, false, false, false},
    {TP_TRIANGLES, give_indices, POLYGON_FILL, false, false, false},
    {TP_POINTS, give_runs, POLYGON_FILL, true, false, false},
    {TP_TRIANGLE_STRIP, give_restarts, POLYGON_FILL, true, false, false},
    {TP_LINE_STRIP, give_arrays, POLYGON_FILL, true, false, false},
    {TP_TRIANGLES, give_vertices, POLYGON_LINE, false, false, false},
    {TP_TRIANGLES, give_immediate, POLYGON_POINT, false, false, false},
    {TP_LINE_STRIP, give_runs, POLYGON_FILL, false, false, false},
    {TP_LINE_LOOP, give_arrays, POLYGON_FILL, false, true, false},
    {TP_POINTS, give_indices, POLYGON_FILL, false, false, false},
    {TP_TRIANGLES, give_arrays, POLYGON_FILL, false, false, true},
};

static enum tp_result draw_one_way(struct things *t, size_t i) {
    tp_context *const c = t->context;
    struct state *const s = &c->state;
    const float moved[2] = {(float)i / 64, (float)(i & 3) / 4 + 0.1f};
    TRY(tp_set_constants(c, TP_VERTEX, 0, moved, sizeof moved));
    TRY(tp_set_constants(c, TP_FRAGMENT, 0, moved, sizeof moved));
    s->polygon_mode[0] = s->polygon_mode[1] = kinds[i].polygons;
    s->line_stipple = kinds[i].stipple;
    s->line_stipple_pattern = 0x3c5a;
    s->restart_enable = s->restart_with_arrays = kinds[i].restart;
    s->restart_index = kinds[i].give == give_restarts ? 9 : 1;
    s->stream = (struct stream_state){
        .enable = kinds[i].stream,
        .buffer[0] = {.address = tp_buffer_address(t->numbers), .limit = 4 * NUMBERS}};
    state_map_streams(&s->stream, (uint8_t[STREAM_WORDS]){0x80}, true, 4, 1,
                      (uint32_t[STATE_STREAMS]){0});
    for (int g = 0; g < STATE_GROUPS; g++)
        state_touch(s, (enum state_group)g);
    enum tp_result begun = draw_begin(c, kinds[i].type, DRAW_INSTANCE_FIRST);
    kinds[i].give(c);
    const enum tp_result ended = draw_end(c);
    s->stream.enable = false;
    state_touch(s, GROUP_STREAM);
    return begun != TP_OK ? begun : ended;
}

static uint64_t reported;

static void note_samples(void *self, uint64_t address, uint32_t sequence, uint64_t samples) {
    (void)self, (void)address;
    reported += samples * sequence;
}

static enum tp_result every_way(struct things *t) {
    const struct tp_device_info info = {
        .chip = TP_CHIP_GT215, .threads = 1, .engine = "interp", .memory = 64 << 20, .log = no_log};
    if (!t->device)
        TRY(tp_device_create(&info, &t->device));
    if (!t->context)
        TRY(tp_context_create(t->device, &t->context));
    tp_context *const c = t->context;
    reported = 0;
    c->reports.write = note_samples;
    TRY(make_textures(t));
    TRY(tp_program_from_text(t->device, TP_VERTEX, ways_vp, "vp", &t->vp));
    TRY(tp_program_from_text(t->device, TP_FRAGMENT, ways_fp, "fp", &t->fp));
    TRY(tp_bind_program(c, TP_VERTEX, t->vp));
    TRY(tp_bind_program(c, TP_FRAGMENT, t->fp));
    TRY(tp_buffer_create(t->device, sizeof corners, corners, &t->vertices));
    TRY(tp_buffer_create(t->device, sizeof t->number, NULL, &t->numbers));
    TRY(tp_bind_vertices(c, 0, t->vertices, 0, sizeof *corners, 0));
    TRY(tp_set_attribute(c, 0, 0, 0, 4, TP_FLOAT32));
    TRY(tp_set_target(c, t->color, t->zeta));
    TRY(tp_count_samples(c, true));
    TRY(tp_set_scissor(c, 0, 20, 40, 60, 30)); /* few pixels of many triangles */
    TRY(tp_clear(c, TP_CLEAR_COLOR | TP_CLEAR_DEPTH, NULL, 1, 0));
    context_counter_reset(c, COUNTER_SAMPLES_PASSED);
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        TRY(draw_one_way(t, i));
        if (!context_report_samples(c, 0x1000 + 64 * i, 16, (uint32_t)i + 1))
            return TP_ERROR_MEMORY;
    }
    TRY(tp_finish(c));
    TRY(tp_texture_read_rgba8(c, t->color, t->pixel));
    return tp_buffer_read(c, t->numbers, 0, t->number, sizeof t->number);
}

static uint32_t ways_pixels[SIZE * SIZE], ways_numbers[NUMBERS];
static uint64_t ways_samples;

static bool is_same_way(const struct things *t) {
    return !memcmp(ways_pixels, t->pixel, sizeof ways_pixels) &&
           !memcmp(ways_numbers, t->number, sizeof ways_numbers) && reported == ways_samples;
}

/* The same work in other ways, with several failing allocations: picture, vertices and samples are
 * right, or the call reports the failure. */
TEST(test_every_way) {
    static struct things t;
    if (!OWN_ALLOCATOR)
        skip();
    t = (struct things){0};
    assert_int_equal(every_way(&t), TP_OK);
    memcpy(ways_pixels, t.pixel, sizeof ways_pixels);
    memcpy(ways_numbers, t.number, sizeof ways_numbers);
    ways_samples = reported;
    assert_true(ways_samples > SIZE && ways_numbers[5]);
    close_things(&t);
    fail_all(false, every_way, is_same_way, 100);
    fail_all(true, every_way, is_same_way, 100);
}

/* Makes up to n allocations in the scene's memory; returns how many succeeded. */
static uint32_t take_allocations(tp_context *c, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!scene_alloc(c->p->scene, 64))
            return i;
    return n;
}

/* The scene's memory ends within a draw, anywhere from its first allocation to its last. Then
 * nothing of the draw is drawn, and the draw's end reports the failure. */
TEST(test_ends_within_draws) {
    static struct things t;
    static uint32_t pixels[SIZE * SIZE];
    if (!OWN_ALLOCATOR)
        skip();
    t = (struct things){0};
    assert_int_equal(every_way(&t), TP_OK);
    tp_context *const c = t.context;
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        bool reached = true;
        uint32_t failed = 0;
        for (uint32_t room = 0; reached; room += 1 + room / 16) {
            assert_int_equal(tp_clear(c, TP_CLEAR_COLOR | TP_CLEAR_DEPTH, NULL, 1, 0), TP_OK);
            assert_int_equal(draw_one_way(&t, i),
                             TP_OK); /* objects made once from the state exist now */
            assert_int_equal(tp_finish(c), TP_OK);
            if (!room)
                assert_int_equal(tp_texture_read_rgba8(c, t.color, pixels), TP_OK);
            assert_int_equal(tp_clear(c, TP_CLEAR_COLOR | TP_CLEAR_DEPTH, NULL, 1, 0), TP_OK);
            assert_int_equal(tp_finish(c), TP_OK);
            atomic_store(&left, 0);
            for_good = true;
            const uint32_t all = take_allocations(c, ENOUGH);
            assert_in_range(all, 1, ENOUGH - 1);
            for_good = false;
            atomic_store(&left, -1);
            assert_int_equal(tp_finish(c), TP_OK);
            assert_int_equal(take_allocations(c, all - room), all - room);
            atomic_store(&left, 0);
            const enum tp_result result = draw_one_way(&t, i);
            reached = atomic_load(&left) < 0;
            atomic_store(&left, -1);
            const enum tp_result finished = tp_finish(c);
            assert_int_equal(tp_texture_read_rgba8(c, t.color, t.pixel), TP_OK);
            const bool whole = !memcmp(t.pixel, pixels, sizeof pixels);
            uint32_t drawn = 0, all_of_it = 0;
            for (int k = 0; k < SIZE * SIZE; k++) {
                drawn += t.pixel[k] != 0;
                all_of_it += pixels[k] != 0;
            }
            if (!all_of_it)
                fail_msg("kind %zu draws nothing", i);
            if (result != TP_OK && result != TP_ERROR_MEMORY)
                fail_msg("kind %zu, %u allocations: result %d, \"%s\"", i, room, result,
                         tp_message(t.device));
            if (result == TP_OK && finished == TP_OK && !whole)
                fail_msg("kind %zu, %u allocations: another picture, and nothing said so", i, room);
            if (result != TP_OK && drawn)
                fail_msg("kind %zu, %u allocations: refused, but %u pixels are drawn", i, room,
                         drawn);
            if (!reached && !whole)
                fail_msg("kind %zu, %u allocations: another picture", i, room);
            failed += result != TP_OK;
        }
        assert_true(failed);
    }
    close_things(&t);
}

/* All memory is given back: after devices, contexts, draws of all stages and a history, as much is
 * held as before. */
TEST(test_nothing_stays) {
    enum { ROUNDS = 6, PLACES = 2 };
    const struct tp_debug_pixel pixel[PLACES] = {{.x = 5, .y = 7}, {.x = 3, .y = 9}};
    long before = 0;
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
        close_things(&t);
        if (i >= 2 && atomic_load(&held) != before) /* allocations made once exist by then */
            fail_msg("round %d leaves %ld allocations", i, atomic_load(&held) - before);
        before = atomic_load(&held);
    }
}

/* A history that runs out of memory says that it is incomplete; otherwise it is complete. */
TEST(test_histories) {
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
            e = history_select(h, 0, t.context->state.color[0].address, &targets.color[0], 0,
                               &count);
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
    close_things(&t);
}

/* The captured state of a dispatch is freed with the dispatch, also if an allocation fails. */
TEST(test_failed_dispatches) {
    static struct things t;
    const struct tp_device_info info = {
        .chip = TP_CHIP_GF100, .threads = 1, .engine = "interp", .memory = 1 << 20, .log = no_log};
    const uint32_t one[3] = {1, 1, 1}, word = 0;
    long n = 0, failed = 0;
    if (!OWN_ALLOCATOR)
        skip();
    t = (struct things){0};
    assert_int_equal(tp_device_create(&info, &t.device), TP_OK);
    assert_int_equal(tp_context_create(t.device, &t.context), TP_OK);
    assert_int_equal(tp_program_from_text(t.device, TP_COMPUTE,
                                          "mov b32 $r0 c0[0x0]\nld lock b32 $p0 $r1 g[$r0]\n"
                                          "$p0 st unlock b32 g[$r0] $r1\nexit\n",
                                          "cp", &t.cp),
                     TP_OK);
    assert_int_equal(tp_bind_program(t.context, TP_COMPUTE, t.cp), TP_OK);
    assert_int_equal(tp_set_constants(t.context, TP_COMPUTE, 0, &word, sizeof word), TP_OK);
    assert_int_equal(tp_dispatch(t.context, one, one, NULL, 0), TP_OK); /* makes lasting things */
    for (bool reached = true; reached && n < ENOUGH; n++) {
        atomic_store(&left, n);
        const enum tp_result result = tp_dispatch(t.context, one, one, NULL, 0);
        reached = atomic_load(&left) < 0;
        atomic_store(&left, -1);
        failed += result == TP_ERROR_MEMORY;
        assert_true(result == TP_OK || (reached && result == TP_ERROR_MEMORY));
        const struct context_private *const p = t.context->p;
        assert_true(p->captured.copied_epoch < scene_epoch(p->scene));
    }
    assert_in_range(n, 4, ENOUGH - 1);
    assert_in_range(failed, 3, n);
    close_things(&t);
}

/* Too little GPU address space for a target, then for its zeta buffer. */
TEST(test_address_space) {
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
        close_things(&t);
    }
}

/* If its arrays cannot grow, the tessellator's result is empty. The next result is right. */
TEST(test_tessellator) {
    if (!OWN_ALLOCATOR)
        skip();
    static const struct tess_levels levels = {{3, 3, 3, 3}, {3, 3}};
    for (int n = 0; n < 2; n++) {
        struct tess_output out = {0};
        const struct tess_mode mode = {TESS_QUADS, TESS_EQUAL, TESS_TRIANGLE_LIST, false};
        atomic_store(&left, n);
        assert_false(tessellate(mode, &levels, &out));
        atomic_store(&left, -1);
        assert_int_equal(out.points + out.indices, 0);
        assert_true(tessellate(mode, &levels, &out));
        assert_int_equal(out.points, 16);
        tess_output_free(&out);
    }
}
