/* Scenes and state objects: random draws with changes of state in every group, into targets that
 * are sampled later, give the same pictures for any number of threads, and the same as with every
 * object made anew for each draw. */
#include "tests/pipeline/fixture.h"
#include "tests/shapes.h"

#include "pipeline/context_private.h"
#include "pipeline/scene/queue.h"

enum { SIZE = 200, VERTICES = 900, TARGETS = 3, STEPS = 160 };

static const char texture_fp[] =
    ".interpolants position=w smooth=4\n"
    "interp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
    "interp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\n"
    "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n";
static const char const_fp[] = ".interpolants position=w smooth=4\nmov b32 $r4 1.0\n"
                               "mul f32 $r0 $r4 c0[0x0]\nmul f32 $r1 $r4 c0[0x4]\n"
                               "mul f32 $r2 $r4 c0[0x8]\nmul f32 $r3 $r4 c0[0xc]\nexit nop\n";

struct world {
    struct fixture f;
    tp_program *fp[3];
    tp_texture *target[TARGETS];
    uint64_t seed;
};

/* A generator of its own: with the sequence of tests/random.h, a draw samples its own target, with
 * undefined results. */
static uint32_t next(struct world *w, uint32_t n) {
    w->seed = (uint32_t)w->seed * 1664525u + 1013904223u;
    return ((uint32_t)w->seed >> 12) % n;
}

static float v[VERTICES][8];

static void make_vertices(void) {
    uint64_t seed = 5;
    for (int i = 0; i < VERTICES; i++) {
        for (int k = 0; k < 8; k++) {
            v[i][k] = random_float(&seed, k < 2 ? -1 : 0, 1);
        }
        v[i][3] = 1;
    }
}

static void open_world(struct world *w, int threads) {
    random_start(1); /* the same textures in every world */
    fixture_open(&w->f, threads, NULL, SIZE);
    fixture_vertices(&w->f, v, VERTICES);
    w->fp[0] = w->f.fp;
    w->fp[1] = fixture_program(&w->f, TP_FRAGMENT, texture_fp);
    w->fp[2] = fixture_program(&w->f, TP_FRAGMENT, const_fp);
    for (int i = 0; i < TARGETS; i++)
        w->target[i] = fixture_picture(&w->f, TP_FORMAT_RGBA8, SIZE, SIZE);
    w->seed = 77;
}

static void close_world(struct world *w) {
    fixture_close(&w->f);
}

static void change_fragments(struct world *w) {
    tp_context *c = w->f.context;
    const float color[4] = {(float)next(w, 9) / 8, (float)next(w, 9) / 8, .5f, .5f};
    switch (next(w, 4)) {
    case 0:
        OK(&w->f, tp_bind_program(c, TP_FRAGMENT, w->fp[next(w, 3)]));
        break;
    case 1:
        OK(&w->f, tp_set_constants(c, TP_FRAGMENT, 0, color, sizeof color));
        break;
    case 2:
        OK(&w->f, tp_bind_texture(c, TP_FRAGMENT, 0, w->target[next(w, TARGETS)], NULL));
        break;
    default:
        OK(&w->f, tp_set_target(c, w->target[next(w, TARGETS)], w->f.zeta));
        OK(&w->f, tp_clear(c, next(w, 2) ? TP_CLEAR_DEPTH : 0, NULL, 1, 0));
    }
}

static void change_output(struct world *w) {
    tp_context *c = w->f.context;
    const bool on = next(w, 2);
    const struct tp_blend_target blend = {
        .enable = on, .src_rgb = TP_SRC_ALPHA, .dst_rgb = TP_FACTOR_ONE, .src_alpha = 1};
    const struct tp_depth_state depth = {.test = on, .write = next(w, 2), .func = TP_LEQUAL};
    const struct tp_raster_state raster = {.cull_back = on, .front_clockwise = next(w, 2)};
    switch (next(w, 5)) {
    case 0:
        OK(&w->f, tp_set_blend(c, 0, &blend));
        break;
    case 1:
        OK(&w->f, tp_set_color_mask(c, TP_ALL_TARGETS, 15 - next(w, 4)));
        break;
    case 2:
        OK(&w->f, tp_set_depth(c, &depth));
        break;
    case 3:
        OK(&w->f, tp_set_raster(c, &raster));
        break;
    default:
        OK(&w->f, tp_set_scissor(c, 0, next(w, SIZE / 2), next(w, SIZE / 2), SIZE, SIZE));
    }
}

static void change_vertices(struct world *w) {
    tp_context *c = w->f.context;
    const float green[4] = {0, 1, 0, 1};
    switch (next(w, 3)) {
    case 0:
        OK(&w->f, tp_set_attribute(c, 1, 0, 4 * next(w, 5), 4, TP_FLOAT32));
        break;
    case 1:
        OK(&w->f, tp_set_attribute_constant(c, 1, green));
        break;
    default:
        OK(&w->f, tp_bind_vertices(c, 0, w->f.vertices, 32 * next(w, 20), 32, 0));
    }
}

static uint32_t hash_of(uint32_t h, const uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 16777619u;
    return h;
}

/* The pictures in all targets after STEPS draws. forget: all objects are made anew for every
 * draw. */
static uint32_t draw_world(int threads, bool forget) {
    struct world w;
    open_world(&w, threads);
    for (int i = 0; i < STEPS; i++) {
        static void (*const change[])(struct world *) = {change_fragments, change_output,
                                                         change_vertices};
        change[next(&w, 3)](&w);
        if (forget) {
            context_memory_changed(w.f.context);
            w.f.context->state.touched = UINT32_MAX >> (32 - STATE_GROUPS);
            context_flush(w.f.context);
        }
        const uint32_t first = 3 * next(&w, 60), count = 3 * (1 + next(&w, i % 8 ? 4 : 200));
        OK(&w.f, tp_draw_arrays(w.f.context, TP_TRIANGLES, first, count));
    }
    uint32_t hash = 2166136261u;
    for (int i = 0; i < TARGETS; i++) {
        OK(&w.f, tp_texture_read_rgba8(w.f.context, w.target[i], w.f.pixels));
        hash = hash_of(hash, w.f.pixels, (size_t)SIZE * SIZE * 4);
    }
    close_world(&w);
    return hash;
}

TEST(test_same_for_all_threads) {
    static const int threads[] = {2, 5, 16};
    const uint32_t alone = draw_world(1, false);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 5; k++)
            assert_int_equal(draw_world(threads[i], false), alone);
}

TEST(test_same_as_made_anew) {
    assert_int_equal(draw_world(1, false), draw_world(1, true));
    assert_int_equal(draw_world(2, false), draw_world(2, true));
}

/* A texture may be bound while the current program does not use it. The next program that uses the
 * texture gets it. */
TEST(test_bound_behind) {
    enum { TEXTURES = 4 };
    struct world w;
    tp_texture *texture[TEXTURES];
    static const float quad[4][8] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}};
    open_world(&w, 1);
    fixture_vertices(&w.f, quad, 4);
    for (int i = 0; i < TEXTURES; i++) {
        uint32_t texels[16];
        for (int k = 0; k < 16; k++)
            texels[k] = 0xff000000 | (uint32_t)(i + 1) * 0x102030;
        texture[i] = fixture_picture(&w.f, TP_FORMAT_RGBA8, 4, 4);
        OK(&w.f, tp_texture_write(w.f.context, texture[i], 0, 0, texels, 16));
    }
    for (uint32_t i = 0; i < TEXTURES; i++) {
        OK(&w.f, tp_bind_program(w.f.context, TP_FRAGMENT, w.fp[0]));
        OK(&w.f, tp_bind_texture(w.f.context, TP_FRAGMENT, 0, texture[i], NULL));
        OK(&w.f, tp_draw_arrays(w.f.context, TP_TRIANGLE_STRIP, 0, 4));
        OK(&w.f, tp_bind_program(w.f.context, TP_FRAGMENT, w.fp[1]));
        OK(&w.f, tp_draw_arrays(w.f.context, TP_TRIANGLE_STRIP, 0, 4));
    }
    fixture_read(&w.f);
    assert_int_equal(fixture_pixel(&w.f, 9, 9), 0xff000000 | TEXTURES * 0x102030);
    close_world(&w);
}

static void draw_quad(struct world *w, uint32_t instances) {
    const struct tp_draw_info info = {
        .primitive = TP_TRIANGLE_STRIP, .count = 4, .instances = instances};
    OK(&w->f, tp_draw(w->f.context, &info));
}

static uint32_t pixel_of(struct world *w) {
    fixture_read(&w->f);
    return fixture_pixel(&w->f, 9, 9);
}

/* Between two draws, one field of vertex fetch changes. */
TEST(test_fetch_changes) {
    static const char id_vp[] = ".attr 0 xyzw\n.builtin vertex_id\n"
                                ".output position o[0x0]\n.output varying o[0x10] 4\n"
                                "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
                                "mov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
                                "mov b32 $r0 a[0x10]\ncvt rn f32 $r0 u32 $r0\nmov b32 $r1 0.01\n"
                                "mul f32 $r0 $r0 $r1\nmov b32 o[0x10] $r0\nmov b32 $r1 1.0\n"
                                "exit mov b32 o[0x1c] $r1\n";
    static const float quad[4][8] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}};
    static const float colors[2][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}};
    struct world w;
    open_world(&w, 1);
    tp_context *c = w.f.context;
    fixture_vertices(&w.f, quad, 4);
    tp_buffer *buffer = fixture_buffer(&w.f, sizeof colors, colors);
    for (int i = 0; i < 2; i++) {
        OK(&w.f, tp_set_attribute_constant(c, 1, colors[i]));
        draw_quad(&w, 1);
    }
    assert_int_equal(pixel_of(&w), 0xff00ff00);
    OK(&w.f, tp_set_attribute(c, 1, 1, 0, 4, TP_FLOAT32));
    for (uint32_t i = 0; i < 2; i++) {
        OK(&w.f, tp_bind_vertices(c, 1, buffer, 0, 16, 1 + i));
        draw_quad(&w, 2);
    }
    assert_int_equal(pixel_of(&w), 0xff0000ff);
    fixture_bind(&w.f, TP_VERTEX, id_vp);
    for (uint32_t i = 0; i < 2; i++) {
        c->state.vertex_id_base = i * 1000;
        state_touch(&c->state, GROUP_FETCH);
        draw_quad(&w, 1);
    }
    assert_int_equal(pixel_of(&w) & 0xff, 0xff);
    close_world(&w);
}

/* The stages' times add up to all threads' time, and the work is counted. */
TEST(test_profile) {
    struct world w;
    struct tp_profile p;
    struct tp_statistics statistics;
    uint64_t sum = 0, vertex = 0, shade = 0, texture = 0;
    open_world(&w, 2);
    OK(&w.f, tp_get_profile(w.f.context, &p));
    assert_int_equal(p.nanoseconds, 0);
    for (int i = 0; i < 10; i++) {
        OK(&w.f, tp_draw_arrays(w.f.context, TP_TRIANGLES, 0, 300));
        OK(&w.f, tp_finish(w.f.context)); /* so that draws share no warps */
    }
    OK(&w.f, tp_get_profile(w.f.context, &p));
    for (uint32_t i = 0; i < p.stage_count; i++) {
        sum += p.stage[i].nanoseconds;
        vertex += strcmp(p.stage[i].name, "vertex") ? 0 : p.stage[i].count;
        shade += strcmp(p.stage[i].name, "shade") ? 0 : p.stage[i].count;
        texture += strcmp(p.stage[i].name, "texture") ? 0 : p.stage[i].count;
    }
    assert_in_range(sum, p.nanoseconds * 2 - 1000, p.nanoseconds * 2 + p.nanoseconds / 10);
    assert_int_equal(vertex, 10 * ((300 + 31) / 32));
    OK(&w.f, tp_get_statistics(w.f.context, &statistics));
    assert_int_equal(shade, statistics.fragment_warps);
    assert_true(shade);
    assert_int_equal(texture, 0);
    OK(&w.f, tp_bind_program(w.f.context, TP_FRAGMENT, w.fp[1]));
    OK(&w.f, tp_bind_texture(w.f.context, TP_FRAGMENT, 0, w.target[0], NULL));
    OK(&w.f, tp_draw_arrays(w.f.context, TP_TRIANGLES, 0, 300));
    OK(&w.f, tp_get_profile(w.f.context, &p));
    for (uint32_t i = 0; i < p.stage_count; i++)
        texture += strcmp(p.stage[i].name, "texture") ? 0 : p.stage[i].count;
    OK(&w.f, tp_get_statistics(w.f.context, &statistics));
    assert_int_equal(texture, statistics.fragment_warps - shade);
    assert_true(texture);
    close_world(&w);
}

/* Further instances may only be added to a call that has not gone to the threads, because a call is
 * freed when its work is done. */
DRAW_TEST(test_instances_of_a_call_that_went, 2, SIZE) {
    const struct scene *s = f->context->p->scene;
    fixture_vertices(f, v, VERTICES);
    for (uint32_t n = 3; n <= VERTICES; n *= 2) {
        OK(f, tp_finish(f->context));
        assert_null(s->last_call);
        assert_int_equal(s->bytes, 0); /* finished work holds no memory */
        OK(f, tp_draw_arrays(f->context, TP_POINTS, 0, n));
        assert_true((s->filling != NULL) == (s->last_call != NULL));
        assert_true((s->filling != NULL) == (n < 512)); /* 512 primitives start a task */
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        assert_true(s->filling && (s->last_call != NULL) == (n < 512));
        OK(f, tp_draw_arrays(f->context, TP_POINTS, 0, n));
    }
}

/* The bytes of queued work are counted and bounded: each clear and draw takes space in the tile
 * lists. */
DRAW_TEST(test_bytes_of_a_pass, 1, SIZE) {
    enum { CLEARS = 100 };
    struct scene *s = f->context->p->scene;
    fixture_vertices(f, v, VERTICES);
    for (uint32_t n = 1; n <= CLEARS; n *= 3) {
        const struct tp_rect small = {1, 1, 4, 4};
        OK(f, tp_finish(f->context));
        for (uint32_t i = 0; i < n; i++)
            OK(f, tp_clear_part(f->context,
                                &(struct tp_clear_info){.what = TP_CLEAR_COLOR, .rect = &small}));
        scene_finish_front(s);
        assert_true(s->collecting->used);
        assert_in_range(s->collecting->bytes, n * sizeof(struct segment),
                        (n + SEGMENT_ROOM) * sizeof(struct segment));
        const size_t before = s->collecting->bytes;
        OK(f, tp_draw_arrays(f->context, TP_POINTS, 0, 300));
        scene_finish_front(s);
        assert_in_range(s->collecting->bytes - before, 100 * 64,
                        300 << 10); /* binned points and their places */
    }
    OK(f, tp_finish(f->context));
    assert_false(s->collecting->used);
}

/* Draws with much vertex data, into one target or two in turn: the memory that the scene holds has
 * a bound, and everything is drawn. A vertex has four attributes more than the program reads, so
 * that few primitives bring much data. */
static void check_bounded(int threads, bool in_turn) {
    enum { DRAWS = 60, POINTS = 12000, WORDS = 24, BYTES = POINTS * WORDS * 4, CORNERS = 6 };
    static float many[POINTS][WORDS];
    static const float corner[3][2] = {
        {-0.8f, -0.8f}, {1.2f, -0.8f}, {-0.8f, 1.2f}}; /* in half pixels, from the pixel's middle */
    size_t most = 0;
    FIXTURE(f, threads, NULL, SIZE);
    const struct scene *s = f.context->p->scene;
    tp_texture *other = fixture_picture(&f, TP_FORMAT_RGBA8, SIZE, SIZE);
    OK(&f, tp_set_target(f.context, other, NULL));
    OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 1, 0));
    fixture_vertices(&f, v, VERTICES); /* sets the format of the attributes */
    for (int i = 2; i < 6; i++)
        f.context->state.attribute[i] = (struct vertex_attribute){.format = 1, .type = 0x3f};
    state_touch(&f.context->state, GROUP_FETCH);
    for (int i = 0; i < POINTS; i++)
        many[i][0] = 5, many[i][3] = 1; /* outside the view */
    for (uint32_t i = 0; i < DRAWS; i++) {
        float(*const at)[WORDS] = many + CORNERS * i;
        for (int k = 0; k < 3;
             k++) { /* the draw's only visible primitive covers pixel i of row 0 */
            const float one[8] = {((float)(2 * i + 1) + corner[k][0]) / SIZE - 1,
                                  1 - (1 + corner[k][1]) / SIZE,
                                  0,
                                  1,
                                  1,
                                  1,
                                  1,
                                  1};
            memcpy(at[2 * k], one, sizeof one);
        }
        OK(&f, tp_set_target(f.context, in_turn && i & 1 ? other : f.color, NULL));
        OK(&f, draw_begin(f.context, TP_TRIANGLES_ADJACENCY, DRAW_INSTANCE_FIRST));
        OK(&f, draw_vertex_data(f.context, (const uint32_t *)many, POINTS * WORDS));
        OK(&f, draw_end(f.context));
        for (int k = 0; k < CORNERS; k++)
            at[k][0] = 5;
        most = s->bytes > most ? s->bytes : most;
        size_t sum = 0;
        for (const struct batch *b = s->oldest; b; b = b->next)
            sum += b->bytes;
        assert_int_equal(sum, s->bytes);
        assert_true(s->batch->bytes <= BATCH_BYTES + 2 * BYTES);
    }
    assert_in_range(most, BYTES, CAPTURED_BYTES + BATCH_BYTES + 2 * BYTES);
    OK(&f, tp_finish(f.context));
    assert_int_equal(s->bytes, 0);
    for (int k = 0; k < 2; k++) {
        OK(&f, tp_texture_read_rgba8(f.context, k ? other : f.color, f.pixels));
        for (uint32_t i = 0; i < DRAWS; i++)
            assert_int_equal(fixture_pixel(&f, i, 0) != 0, (in_turn && i & 1) == k);
    }
}

TEST(test_bounded) {
    for (int threads = 1; threads <= 3; threads += 2)
        for (int in_turn = 0; in_turn < 2; in_turn++)
            check_bounded(threads, in_turn);
}

/* One draw writes pixels; the next draw, into the same target, reads these pixels as constants of
 * two stages and as vertices. The target is finished while the second draw is being captured; the
 * parts of the draw that were captured before must not change. */
static void check_pixels_as_input(unsigned target) {
    enum { SMALL = 32, ROUNDS = 8 };
    static const char vp_text[] =
        ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
        "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] "
        "a[0xc]\n"
        "mov b32 $r1 1.0\nmul f32 $r1 $r1 c0[0x0]\nmov b32 o[0x10] $r1\nmov b32 o[0x14] a[0x10]\n"
        "mov b32 $r1 0x0\nmov b32 o[0x18] $r1\nexit mov b32 o[0x1c] $r1\n";
    static const char fp_text[] =
        ".interpolants position=w smooth=4\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
        "interp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\nmov b32 $r3 1.0\nmul f32 $r2 $r3 "
        "c0[0x0]\nexit nop\n";
    FIXTURE(f, 2, NULL, SMALL);
    tp_program *vp = fixture_program(&f, TP_VERTEX, vp_text),
               *fp = fixture_program(&f, TP_FRAGMENT, fp_text);
    struct state *s = &f.context->state;
    tp_texture *other = fixture_picture(&f, TP_FORMAT_RGBA8, SMALL, SMALL);
    if (target) { /* output 0 goes to this target */
        const struct target_state color = s->color[0];
        OK(&f, tp_set_target(f.context, other, NULL));
        s->color[target] = color;
        s->color_map[0] = (uint8_t)target;
        state_touch(s, GROUP_TARGET);
    }
    tp_buffer *dummy = fixture_buffer(&f, 256, NULL);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        /* as a float: 1, 1/2, 1/4 ... */
        const uint8_t word[4] = {0, 0, i & 1 ? 0 : 0x80, (uint8_t)(0x3f - i / 2)};
        const float c[4] = {word[0] / 255.f, word[1] / 255.f, word[2] / 255.f, word[3] / 255.f};
        const float square[4][8] = {{-1, -1, 0, 1, c[0], c[1], c[2], c[3]},
                                    {1, -1, 0, 1, c[0], c[1], c[2], c[3]},
                                    {1, 1, 0, 1, c[0], c[1], c[2], c[3]},
                                    {-1, 1, 0, 1, c[0], c[1], c[2], c[3]}};
        uint32_t bits;
        float value;
        memcpy(&bits, word, 4);
        memcpy(&value, &bits, 4);
        OK(&f, tp_bind_program(f.context, TP_VERTEX, f.vp));
        OK(&f, tp_bind_program(f.context, TP_FRAGMENT, f.fp));
        OK(&f, tp_set_scissor(f.context, 0, 0, 0, SMALL, 8));
        fixture_draw(&f, TP_QUADS, square, 4);
        OK(&f, tp_bind_program(f.context, TP_VERTEX, vp));
        OK(&f, tp_bind_program(f.context, TP_FRAGMENT, fp));
        for (int stage = 0; stage < 2; stage++) {
            OK(&f, tp_bind_constants(f.context, stage ? TP_FRAGMENT : TP_VERTEX, 0, dummy, 0, 256));
            s->const_buffer[s->const_binding[stage ? PROGRAM_FP : PROGRAM_VP][0]].address =
                s->color[target].address;
        }
        state_touch(s, GROUP_CONSTANT);
        OK(&f, tp_bind_vertices(f.context, 1, dummy, 0, 0, 0));
        OK(&f, tp_set_attribute(f.context, 1, 1, 0, 4, TP_FLOAT32));
        s->array[1].start = s->color[target].address;
        s->array[1].limit = s->color[target].address + 255;
        state_touch(s, GROUP_FETCH);
        OK(&f, tp_set_scissor(f.context, 0, (int)(4 * i), 16, 4, 8));
        OK(&f, tp_draw_arrays(f.context, TP_QUADS, 0, 4));
        fixture_read(&f);
        const uint32_t b = (uint32_t)lrintf(value * 255);
        for (uint32_t x = 4 * i; x < 4 * i + 4; x++)
            assert_int_equal(fixture_pixel(&f, x, 20), 0xff000000 | b * 0x010101);
    }
}

TEST(test_pixels_as_input) {
    check_pixels_as_input(0);
    check_pixels_as_input(2);
    check_pixels_as_input(7);
}

/* One draw writes pixels; the next draw reads them in memory as indices. */
TEST(test_pixels_as_indices) {
    enum { SMALL = 16, POINTS = 4, ROW = 5 };
    FIXTURE(f, 2, NULL, SMALL);
    for (unsigned round = 0; round < 12; round++) {
        /* a point in each column of a row; then the indices as colours */
        float p[SMALL + POINTS][8];
        for (unsigned i = 0; i < SMALL + POINTS; i++) {
            const unsigned x = i % SMALL, y = i < SMALL ? ROW : 0,
                           index = (round * 5 + x * 3) % SMALL;
            const float one[8] = {(float)(2 * x + 1) / SMALL - 1,
                                  1 - (float)(2 * y + 1) / SMALL,
                                  0,
                                  1,
                                  y ? 1 : (float)index / 255,
                                  (float)(y / ROW),
                                  0,
                                  0};
            memcpy(p[i], one, sizeof one);
        }
        OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 1, 0));
        fixture_vertices(&f, (const float(*)[8])p, SMALL + POINTS);
        OK(&f, tp_draw_arrays(f.context, TP_POINTS, SMALL, POINTS));
        assert_int_equal(draw_begin(f.context, 0, DRAW_INSTANCE_FIRST), TP_OK);
        assert_int_equal(
            draw_indices_memory(f.context, f.context->state.color[0].address, POINTS, 4), TP_OK);
        assert_int_equal(draw_end(f.context), TP_OK);
        fixture_read(&f);
        for (uint32_t x = 0; x < SMALL; x++) {
            bool drawn = false;
            for (unsigned i = 0; i < POINTS; i++)
                drawn |= x == (round * 5 + i * 3) % SMALL;
            assert_int_equal(fixture_pixel(&f, x, ROW), drawn ? 0xffff : 0);
        }
    }
}

/* Vertices and indices are written anew while draws that use them are queued. Each draw uses its
 * own contents, and no write waits for pixels. */
static void stream(int threads) {
    enum { COLUMNS = 48, WIDTH = 4 };
    FIXTURE(f, threads, NULL, SIZE);
    fixture_vertices(&f, v, 8);
    tp_buffer *indices = fixture_buffer(&f, 8, NULL);
    for (unsigned i = 0; i < COLUMNS; i++) {
        const unsigned slot = i % 2 * 4;
        uint16_t index[4];
        float quad[4][8];
        for (unsigned k = 0; k < 4; k++) {
            const float x = (float)(WIDTH * (i + k % 2)) * 2 / SIZE - 1, y = k < 2 ? -1 : 1;
            const float corner[8] = {x, y, 0, 1, (float)i / 255, 1 - (float)i / 255, 0, 1};
            memcpy(quad[k], corner, sizeof corner);
            index[k] = (uint16_t)(slot + k);
        }
        OK(&f, tp_buffer_write(f.context, f.vertices, slot * sizeof quad[0], quad, sizeof quad));
        OK(&f, tp_buffer_write(f.context, indices, 0, index, sizeof index));
        assert_true(!i || !scene_empty(f.context->p->scene));
        const struct tp_draw_info info =
            DRAW_INFO(TP_TRIANGLE_STRIP, 4, .index_buffer = indices, .index_type = TP_INDEX_U16);
        OK(&f, tp_draw(f.context, &info));
    }
    fixture_read(&f);
    for (unsigned x = 0; x < COLUMNS * WIDTH; x++)
        assert_int_equal(fixture_pixel(&f, x, 50), 0xff000000 | (255 - x / WIDTH) << 8 | x / WIDTH);
}

TEST(test_vertices_written_anew) {
    stream(1);
    stream(2);
    stream(5);
}

/* A vertex or fragment program samples pixels of the draw before, which is not finished. */
TEST(test_sampled_by_each_stage) {
    enum { ROUNDS = 4, TEXTURE = 1024, QUADS = 40 }; /* enough work to take a while */
    static const char sampling_vp[] =
        ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
        "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
        "mov b32 $r0 0x200\nmov b32 $r1 0x200\nmov b32 $r2 0\n"
        "texfetch live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0\n"
        "mov b32 o[0x10] $r0\nmov b32 o[0x14] $r1\nmov b32 o[0x18] $r2\nexit mov b32 o[0x1c] $r3\n";
    for (int stage = 0; stage < 2; stage++) {
        FIXTURE(f, 2, NULL, TEXTURE);
        tp_texture *drawn = fixture_picture(&f, TP_FORMAT_RGBA8, TEXTURE, TEXTURE);
        tp_program *vp = fixture_program(&f, TP_VERTEX, sampling_vp),
                   *fp = fixture_program(&f, TP_FRAGMENT, texture_fp);
        for (int round = 0; round < ROUNDS; round++) {
            const float red = (float)(round + 1) / 16;
            static float quad[6 * QUADS][8];
            for (int n = 0; n < 6 * QUADS; n++) { /* quads add up; the last quad has the colour */
                const int i = n % 6;
                const float x = (float)(i == 1 || i > 3 ? 1 : -1),
                            y = (float)(i == 2 || i == 3 || i == 5 ? 1 : -1);
                const float last = n / 6 == QUADS - 1 ? 1 : 0;
                memcpy(quad[n],
                       (const float[8]){x, y, 0, 1, last * red, last * 0.5f, last * 0.25f, last},
                       sizeof quad[n]);
            }
            OK(&f, tp_bind_texture(f.context, TP_VERTEX, 0, NULL, NULL));
            OK(&f, tp_bind_texture(f.context, TP_FRAGMENT, 0, NULL, NULL));
            OK(&f, tp_bind_program(f.context, TP_VERTEX, f.vp));
            OK(&f, tp_bind_program(f.context, TP_FRAGMENT, f.fp));
            OK(&f, tp_set_target(f.context, drawn, NULL));
            OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 0, 0));
            OK(&f, tp_set_blend(f.context, 0, &fixture_add));
            fixture_draw(&f, TP_TRIANGLES, (const float(*)[8])quad, 6 * QUADS);
            OK(&f, tp_set_target(f.context, f.color, NULL));
            OK(&f, tp_set_blend(f.context, 0, &(struct tp_blend_target){.enable = false}));
            OK(&f, tp_bind_texture(f.context, stage ? TP_FRAGMENT : TP_VERTEX, 0, drawn, NULL));
            OK(&f, tp_bind_program(f.context, stage ? TP_FRAGMENT : TP_VERTEX, stage ? fp : vp));
            OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 6 * (QUADS - 1), 6));
            fixture_read(&f);
            const uint32_t seen = fixture_pixel(&f, 2, 2); /* fragments sample at (red, green) */
            if (abs((int)(seen & 255) - (int)(red * 255 + 0.5f)) > 1)
                fail_msg("%s, round %d: %08x", stage ? "fragments" : "vertices", round, seen);
        }
    }
}

BEFORE_TESTS {
    make_vertices();
    return 0;
}

/* A batch is full, the next batch gets no draw, and then there are other targets: the queued draws
 * and the next ones go into their own targets. */
TEST(test_batch_without_draws) {
    enum { OTHER = 256, VERTICES_OF_A_BATCH = BATCH_BYTES / 32 + 1 };
    static const float whole[3][8] = {WHOLE(0, 1, 1, 1, 1)};
    static float points[VERTICES_OF_A_BATCH][8];
    for (int threads = 1; threads <= 3; threads += 2) {
        FIXTURE(f, threads, NULL, SIZE);
        tp_texture *const small = f.color,
                          *large = fixture_picture(&f, TP_FORMAT_RGBA8, OTHER, OTHER);
        fixture_vertices(&f, whole, 3);
        OK(&f, tp_draw_inline(f.context, TP_POINTS, points, 8, VERTICES_OF_A_BATCH, NULL));
        OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 0, 0));
        free(f.pixels);
        f.pixels = calloc(OTHER * OTHER, 4);
        for (int i = 0; i < 2; i++) {
            OK(&f, tp_set_target(f.context, i ? small : large, NULL));
            OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 1, 0));
            OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 0, 3));
        }
        for (int i = 0; i < 2; i++) {
            f.color = i ? small : large;
            f.size = i ? SIZE : OTHER;
            fixture_read(&f);
            assert_int_equal(fixture_count(&f), f.size * f.size);
        }
    }
}

static bool nothing_runnable(const struct scene *s) {
    return !s->runnable && !s->drawing;
}

/* Captures end a tile pass at the same draws, whether the batches before are drawn already or not:
 * fragments are hidden only within a pass, so counts of fragments would tell. */
TEST(test_captures_end_a_pass) {
    enum { DRAWS = 12, CHARGE = BATCH_BYTES + 1, EACH = SEQUENCE_BYTES / CHARGE + 1 };
    static const float whole[3][8] = {WHOLE(0, 1, 1, 1, 1)};
    for (int i = 0; i < 4; i++) {
        FIXTURE(f, i & 1 ? 3 : 1, NULL, SIZE);
        struct scene *const s = f.context->p->scene;
        fixture_vertices(&f, whole, 3);
        OK(&f, tp_set_target(f.context, f.color, NULL));
        OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 0, 3));
        OK(&f, tp_finish(f.context));
        const uint64_t first = s->sequence;
        for (int k = 0; k < DRAWS; k++) {
            OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 0, 3));
            assert_int_equal(s->batch->sequence - first, k / EACH);
            assert_true(s->bytes <= CAPTURED_BYTES);
            if (i & 2) /* the queued draws are drawn meanwhile */
                scene_help(s, nothing_runnable);
            scene_charge(s, CHARGE);
        }
    }
}
