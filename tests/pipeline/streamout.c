/* Transform feedback set through the internal state: the order of vertices by type and provoking
 * convention, across chunks; interleaved and separate buffers with their limits; continuing where a
 * draw ended; counters; geometry programs. */
#include "tests/pipeline/fixture.h"

#include "pipeline/context.h"

enum { SIZE = 32, WORDS = 16384 };

struct stream_fixture {
    struct fixture f;
    tp_buffer *out;
    struct stream_state *s;
    float got[WORDS];
};

typedef const uint8_t stream_map[STREAM_WORDS];
typedef const uint32_t stream_words[STATE_STREAMS];

/* Vertex i lies at x = i, so that one word identifies it. */
static void begin(struct stream_fixture *t) {
    fixture_open(&t->f, 2, NULL, SIZE);
    t->out = fixture_buffer(&t->f, sizeof t->got, NULL);
    t->s = &t->f.context->state.stream;
    *t->s = (struct stream_state){
        .enable = true,
        .buffer[0] = {.address = tp_buffer_address(t->out), .limit = sizeof t->got}};
    state_map_streams(t->s, (stream_map){0x80}, true, 4, 1, (stream_words){0});
    OK(&t->f, tp_set_raster(t->f.context, &(struct tp_raster_state){.discard = true}));
}

static void end(struct stream_fixture *t) {
    fixture_close(&t->f);
}

#define BEGIN(t)                                                                                   \
    struct stream_fixture t __attribute__((cleanup(end)));                                         \
    begin(&t)

static void numbered(struct stream_fixture *t, uint32_t n) {
    static float v[4096][8];
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < 8; k++)
            v[i][k] = (float)(i + 10000 * (uint32_t)k);
    fixture_vertices(&t->f, (const float(*)[8])v, n);
}

static void draw(struct stream_fixture *t, enum tp_primitive type, uint32_t n) {
    numbered(t, n);
    OK(&t->f, tp_draw_arrays(t->f.context, type, 0, n));
}

static void read_back(struct stream_fixture *t) {
    OK(&t->f, tp_buffer_read(t->f.context, t->out, 0, t->got, sizeof t->got));
}

static uint64_t counted(struct stream_fixture *t, enum counter counter) {
    return context_counter(t->f.context, counter);
}

/* ---- order ---- */

#define END 255
static const struct order {
    enum tp_primitive type;
    uint32_t vertices;
    bool first; /* convention of the first vertex */
    uint8_t order[20];
} orders[] = {
    {TP_POINTS, 3, false, {0, 1, 2, END}},
    {TP_LINES, 5, false, {0, 1, 2, 3, END}},
    {TP_LINE_STRIP, 4, false, {0, 1, 1, 2, 2, 3, END}},
    {TP_LINE_LOOP, 3, false, {0, 1, 1, 2, 2, 0, END}},
    {TP_TRIANGLES, 7, false, {0, 1, 2, 3, 4, 5, END}},
    {TP_TRIANGLES, 7, true, {0, 1, 2, 3, 4, 5, END}},
    {TP_TRIANGLE_STRIP, 5, false, {0, 1, 2, 2, 1, 3, 2, 3, 4, END}},
    {TP_TRIANGLE_STRIP, 5, true, {0, 1, 2, 1, 3, 2, 2, 3, 4, END}},
    {TP_TRIANGLE_FAN, 5, false, {0, 1, 2, 0, 2, 3, 0, 3, 4, END}},
    {TP_TRIANGLE_FAN, 5, true, {1, 2, 0, 2, 3, 0, 3, 4, 0, END}},
};

TEST(test_order) {
    for (size_t i = 0; i < LENGTH(orders); i++) {
        const struct order *o = &orders[i];
        uint32_t n = 0;
        BEGIN(t);
        OK(&t.f, tp_set_raster(t.f.context, &(struct tp_raster_state){
                                                .discard = true, .provoking_first = o->first}));
        draw(&t, o->type, o->vertices);
        read_back(&t);
        for (; o->order[n] != END; n++)
            if (t.got[n] != o->order[n])
                fail_msg("type %d, provoking %s: vertex %u is %g, not %u", o->type,
                         o->first ? "first" : "last", n, t.got[n], o->order[n]);
        assert_int_equal(t.s->buffer[0].offset, 4 * n);
    }
}

/* Several chunks on two threads are still written in order. */
TEST(test_chunks) {
    enum { N = 4096 };
    BEGIN(t);
    draw(&t, TP_TRIANGLE_STRIP, N);
    read_back(&t);
    for (uint32_t i = 0; i < N - 2; i++) {
        assert_true(t.got[3 * i] == (float)(i + (i & 1)));
        assert_true(t.got[3 * i + 1] == (float)(i + !(i & 1)));
        assert_true(t.got[3 * i + 2] == (float)(i + 2));
    }
    assert_int_equal(counted(&t, COUNTER_PRIMITIVES_WRITTEN), N - 2);
}

/* ---- buffers ---- */

/* Two buffers, for x and for y z. A primitive that does not fit into one of the buffers is written
 * to neither buffer. */
TEST(test_separate) {
    for (uint32_t room = 0; room < 4; room++) {
        BEGIN(t);
        *t.s = (struct stream_state){
            .enable = true,
            .buffer = {{.address = tp_buffer_address(t.out), .limit = 4000},
                       {.address = tp_buffer_address(t.out) + 4096, .limit = room * 2 * 8 + 15}}};
        state_map_streams(t.s, (stream_map){0x80, 0x84, 0x85}, false, 0, 2, (stream_words){1, 2});
        draw(&t, TP_LINES, 6);
        read_back(&t);
        const uint32_t lines = room < 3 ? room : 3;
        for (uint32_t i = 0; i < 6; i++) {
            const bool fits = i < 2 * lines;
            assert_true(t.got[i] == (fits ? (float)i : 0));
            assert_true(t.got[1024 + 2 * i] == (fits ? (float)(10000 + i) : 0));
            assert_true(t.got[1024 + 2 * i + 1] == (fits ? (float)(20000 + i) : 0));
        }
        assert_int_equal(t.s->buffer[0].offset, lines * 2 * 4);
        assert_int_equal(t.s->buffer[1].offset, lines * 2 * 8);
        assert_int_equal(counted(&t, COUNTER_PRIMITIVES_WRITTEN), lines);
        assert_int_equal(counted(&t, COUNTER_PRIMITIVES_NEEDED), 3);
        assert_int_equal(counted(&t, COUNTER_PRIMITIVES_GENERATED), 3);
    }
}

/* Interleaved: a vertex takes `stride` bytes. Words that begin within the stride are written, other
 * words are dropped. Separate buffers ignore the stride. */
TEST(test_stride) {
    enum { VERTICES = 5, ROOM = 64 };
    for (uint32_t stride = 4; stride <= 24; stride += 4)
        for (int interleaved = 0; interleaved < 2; interleaved++)
            for (uint32_t limit = 0; limit <= VERTICES; limit++) {
                const uint32_t words = interleaved ? stride / 4 : 3,
                               vertices = limit < VERTICES ? limit : VERTICES;
                BEGIN(t);
                state_map_streams(t.s, (stream_map){0x80, 0x81, 0x82, 0x83, 0x84}, interleaved,
                                  stride, 1, (stream_words){3});
                /* the last vertex does not fit */
                t.s->buffer[0].limit = limit * words * 4 + (limit < VERTICES ? 3 : 0);
                draw(&t, TP_POINTS, VERTICES);
                read_back(&t);
                for (uint32_t i = 0; i < ROOM; i++) {
                    const uint32_t vertex = i / words, word = i % words;
                    const float expected =
                        vertex < vertices && word < 5 ? (float)(vertex + 10000 * word) : 0;
                    if (t.got[i] != expected)
                        fail_msg("stride %u, interleaved %d, room for %u: word %u is %g, not %g",
                                 stride, interleaved, limit, i, t.got[i], expected);
                }
                assert_int_equal(t.s->buffer[0].offset, vertices * words * 4);
            }
}

/* The older classes limit primitives instead of bytes, over several draws. */
TEST(test_primitive_limit) {
    BEGIN(t);
    t.s->limit_by_primitives = true;
    t.s->primitive_limit = 5;
    for (int i = 0; i < 3; i++)
        draw(&t, TP_LINES, 4);
    read_back(&t);
    for (uint32_t i = 0; i < 12; i++)
        assert_true(t.got[i] == (i < 10 ? (float)(i % 4) : 0));
    assert_int_equal(t.s->primitives, 5);
    assert_int_equal(counted(&t, COUNTER_PRIMITIVES_WRITTEN), 5);
    assert_int_equal(counted(&t, COUNTER_PRIMITIVES_GENERATED), 6);
}

/* Written bytes and primitives are part of the state: after a change of either, the next draw
 * continues from there. */
TEST(test_set_back) {
    static const uint32_t rows[][3] = {
        /* primitives and bytes before a draw of two lines; how many lines are written */
        {0, 0, 2}, {2, 8, 2}, {0, 4, 2}, {4, 0, 1}, {5, 0, 0}, {0, 20, 2}, {3, 12, 2}};
    BEGIN(t);
    t.s->limit_by_primitives = true;
    t.s->primitive_limit = 5;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const float nothing[64] = {0};
        OK(&t.f, tp_buffer_write(t.f.context, t.out, 0, nothing, sizeof nothing));
        t.s->primitives = rows[i][0];
        t.s->buffer[0].offset = rows[i][1];
        draw(&t, TP_LINES, 4);
        read_back(&t);
        for (uint32_t k = 0; k < 32; k++) {
            const uint32_t at = k - rows[i][1] / 4;
            assert_true(t.got[k] == (at < 2 * rows[i][2] ? (float)at : 0));
        }
        assert_int_equal(t.s->primitives, rows[i][0] + rows[i][2]);
        assert_int_equal(t.s->buffer[0].offset, rows[i][1] + 8 * rows[i][2]);
    }
}

/* Feedback is switched off, to another buffer, and back: each buffer continues at its own offset.
 * Primitives drawn meanwhile are counted as generated, not as written. */
TEST(test_pause) {
    BEGIN(t);
    draw(&t, TP_POINTS, 3);
    t.s->enable = false;
    draw(&t, TP_POINTS, 4);
    t.s->enable = true;
    const struct stream_buffer first = t.s->buffer[0];
    t.s->buffer[0].address += 400;
    t.s->buffer[0].limit = 400;
    t.s->buffer[0].offset = 8;
    draw(&t, TP_POINTS, 2);
    OK(&t.f, tp_finish(t.f.context));
    assert_int_equal(t.s->buffer[0].offset, 16);
    t.s->buffer[0] = first;
    draw(&t, TP_LINES, 2);
    read_back(&t);
    static const float expected[] = {0, 1, 2, 0, 1, 0};
    assert_memory_equal(t.got, expected, sizeof expected);
    static const float other[] = {0, 0, 0, 1, 0};
    assert_memory_equal(t.got + 100, other, sizeof other);
    assert_int_equal(counted(&t, COUNTER_PRIMITIVES_WRITTEN), 3 + 2 + 1);
    assert_int_equal(counted(&t, COUNTER_PRIMITIVES_GENERATED), 3 + 4 + 2 + 1);
    context_counter_reset(t.f.context, COUNTER_PRIMITIVES_WRITTEN);
    draw(&t, TP_LINES, 4);
    assert_int_equal(counted(&t, COUNTER_PRIMITIVES_WRITTEN), 2);
    assert_int_equal(counted(&t, COUNTER_PRIMITIVES_GENERATED), 3 + 4 + 2 + 1 + 2);
}

/* A buffer whose memory ends before its limit: words beyond the end are dropped, and other memory
 * is unchanged. */
TEST(test_short_memory) {
    float after[64];
    BEGIN(t);
    tp_buffer *behind = fixture_buffer(&t.f, sizeof after, NULL);
    t.s->buffer[0].limit = UINT32_MAX;
    t.s->buffer[0].offset = sizeof t.got - 8;
    draw(&t, TP_POINTS, 100);
    read_back(&t);
    assert_true(t.got[WORDS - 1] == 1);
    OK(&t.f, tp_buffer_read(t.f.context, behind, 0, after, sizeof after));
    for (int i = 0; i < 64; i++)
        assert_true(after[i] == 0);
}

/* ---- after a geometry program ---- */

/* Each point becomes a strip of four vertices: two triangles, the second with the order of
 * strips. */
TEST(test_geometry) {
    static const char text[] = ".primitive triangle_strip\n.vertices 4\n.output position o[0x0]\n"
                               "shl $a1 a[0x0] 0\nmov b32 $r0 p[$a1]\nmov b32 $r1 0.25\n"
                               "mov b32 o[0x0] $r0\nemit\n"
                               "add f32 $r0 $r0 $r1\nmov b32 o[0x0] $r0\nemit\n"
                               "add f32 $r0 $r0 $r1\nmov b32 o[0x0] $r0\nemit\n"
                               "add f32 $r0 $r0 $r1\nmov b32 o[0x0] $r0\nemit\nrestart\nexit nop\n";
    enum { N = 50 };
    BEGIN(t);
    fixture_bind(&t.f, TP_GEOMETRY, text);
    draw(&t, TP_POINTS, N);
    read_back(&t);
    for (uint32_t i = 0; i < N; i++) {
        static const float corner[6] = {0, 0.25f, 0.5f, 0.5f, 0.25f, 0.75f};
        for (int k = 0; k < 6; k++)
            assert_true(t.got[6 * i + (uint32_t)k] == (float)i + corner[k]);
    }
    assert_int_equal(counted(&t, COUNTER_PRIMITIVES_WRITTEN), 2 * N);
    assert_int_equal(counted(&t, COUNTER_PRIMITIVES_GENERATED), 2 * N);
    assert_int_equal(counted(&t, COUNTER_GP_PRIMITIVES), 2 * N);
    assert_int_equal(t.s->buffer[0].offset, 2 * N * 3 * 4);
}

/* Setting and ending streams leaves queued draws queued. */
DRAW_TEST(test_queue_stays, 1, SIZE) {
    static const float v[3][8] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {0, 1, 0, 1}};
    const struct tp_stream_info info = {
        .count = 1, .stream = {{.buffer = fixture_buffer(f, 64, NULL), .words = 1}}, .map = {0x80}};
    fixture_draw(f, TP_TRIANGLES, v, 3);
    OK(f, tp_set_streams(f->context, &info));
    assert_false(context_idle(f->context));
    OK(f, tp_set_streams(f->context, NULL));
    assert_false(context_idle(f->context));
}

/* Captured vertices are the next draw's constants, in several stages: the first draw is finished
 * before the second's state is read. */
TEST(test_constants) {
    static const float square[4][8] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {1, 1, 0, 1}, {-1, 1, 0, 1}};
    static const char colored_vp[] =
        ".attr 0 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\nmov b32 $r0 1.0\n"
        "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
        "mul f32 $r1 $r0 c0[0x0]\nmov b32 o[0x10] $r1\nmul f32 $r1 $r0 c0[0x4]\nmov b32 o[0x14] $r1\n"
        "mov b32 o[0x18] $r0\nexit mov b32 o[0x1c] $r0\n";
    static const char colored_fp[] =
        ".interpolants position=w smooth=4\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
        "interp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\nmov b32 $r3 1.0\n"
        "mul f32 $r2 $r3 c0[0x8]\nexit nop\n";
    struct stream_fixture t;
    struct fixture *f = &t.f;
    begin(&t);
    tp_program *vp = fixture_program(f, TP_VERTEX, colored_vp),
               *fp = fixture_program(f, TP_FRAGMENT, colored_fp);
    for (uint32_t i = 0; i < 8; i++) {
        const float point[1][8] = {
            {0, 0, 0, 1, (float)i / 255, (float)(2 * i) / 255, (float)(3 * i) / 255, 1}};
        *t.s = (struct stream_state){
            .enable = true,
            .buffer[0] = {.address = tp_buffer_address(t.out) + 256 * i, .limit = 256}};
        state_map_streams(t.s, (stream_map){[4] = 0x80, 0x81, 0x82, 0x83}, true, 16, 1,
                          (stream_words){0});
        state_touch(&f->context->state, GROUP_STREAM);
        OK(f, tp_bind_program(f->context, TP_VERTEX, f->vp));
        OK(f, tp_set_raster(f->context, &(struct tp_raster_state){.discard = true}));
        fixture_draw(f, TP_POINTS, point, 1);
        t.s->enable = false;
        state_touch(&f->context->state, GROUP_STREAM);
        OK(f, tp_set_raster(f->context, &(struct tp_raster_state){.discard = false}));
        OK(f, tp_bind_program(f->context, TP_VERTEX, vp));
        OK(f, tp_bind_program(f->context, TP_FRAGMENT, fp));
        for (int stage = 0; stage < 2; stage++)
            OK(f, tp_bind_constants(f->context, stage ? TP_FRAGMENT : TP_VERTEX, 0, t.out, 256 * i,
                                    256));
        OK(f, tp_set_scissor(f->context, 0, (int)(4 * i), 0, 4, SIZE));
        fixture_draw(f, TP_QUADS, square, 4);
    }
    fixture_read(f);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(fixture_pixel(f, 4 * i + 1, 7), 0xff000000 | i * 0x030201);
    end(&t);
}

/* A draw may write to memory that it and earlier draws read as vertices or as a texture. Vertices
 * are written back unchanged, to the place they were read from. */
TEST(test_read_and_written) {
    enum { N = 30 };
    for (int way = 0; way < 4; way++) {
        BEGIN(t);
        OK(&t.f, tp_set_raster(t.f.context, &(struct tp_raster_state){.discard = !(way & 2)}));
        numbered(&t, N);
        if (way & 1) { /* writes all eight words of the vertices themselves */
            state_map_streams(t.s, (stream_map){0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87},
                              true, 32, 1, (stream_words){0});
            t.s->buffer[0].address = tp_buffer_address(t.f.vertices);
            t.s->buffer[0].limit = N * 32;
        }
        fixture_bind(&t.f, TP_FRAGMENT,
                     ".interpolants position=w smooth=4\ninterp $r0 v[0x0]\n"
                     "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0 0x0 0x0 0x0\nexit nop\n");
        if (way & 2)
            OK(&t.f, tp_bind_buffer_texture(t.f.context, TP_FRAGMENT, 0,
                                            way & 1 ? t.f.vertices : t.out, 0, TP_FORMAT_R32F, N));
        for (int again = 0; again < 3; again++) {
            t.s->buffer[0].offset = 0;
            OK(&t.f, tp_draw_arrays(t.f.context, TP_POINTS, 0, N));
        }
        OK(&t.f, tp_buffer_read(t.f.context, way & 1 ? t.f.vertices : t.out, 0, t.got, N * 4));
        for (uint32_t i = 0; i < N; i++)
            assert_true(t.got[i] == (way & 1 ? (float)(i / 8 + 10000 * (i % 8)) : (float)i));
        assert_int_equal(counted(&t, COUNTER_PRIMITIVES_WRITTEN), 3 * N);
    }
}

enum { SIDE = 64 };

/* Words of disabled buffers are dropped, whatever else is set for these buffers. */
DRAW_TEST(test_words_beyond_buffers, 1, SIDE) {
    enum { TAKEN = 64 };
    static const float v[2][8] = {{1, 2, 3, 4, 5, 6, 7, 8}, {11, 12, 13, 14, 15, 16, 17, 18}};
    float got[TAKEN], before[TAKEN];
    for (int i = 0; i < TAKEN; i++)
        before[i] = -1;
    tp_buffer *out = fixture_buffer(f, sizeof before, before);
    struct stream_state *s = &f->context->state.stream;
    *s = (struct stream_state){.enable = true};
    for (unsigned i = 0; i < 4; i++)
        s->buffer[i] =
            (struct stream_buffer){.address = tp_buffer_address(out) + 64 * i, .limit = 64};
    /* words 0 and 1 go to the first buffer, 4 to the second, 5 nowhere, 8 and 9 to a third */
    state_map_streams(s, (stream_map){0x80, 0x81, 0x84, 0x85, 0x88, 0x89, 0x8c, 0x90}, false, 0, 2,
                      (stream_words){2, 1, 2, 2});
    state_touch(&f->context->state, GROUP_STREAM);
    OK(f, tp_set_raster(f->context, &(struct tp_raster_state){.discard = true}));
    fixture_draw(f, TP_POINTS, v, 2);
    OK(f, tp_buffer_read(f->context, out, 0, got, sizeof got));
    for (int i = 0; i < TAKEN; i++) {
        const float expected = i < 4 ? v[i / 2][i % 2] : i == 16 ? v[0][2] : i == 17 ? v[1][2] : -1;
        if (got[i] != expected)
            fail_msg("word %d: %g, expected %g", i, got[i], expected);
    }
}
