/* Rules of draws that pictures seldom show: vertex ids of arrays by where they begin, all sixteen
 * arrays, constants of every buffer in small draws, streams beyond their buffers, queries among
 * draws that hide each other, depths behind a program that failed.
 */
#include "tests/pipeline/fixture.h"

#include "pipeline/context.h"

enum { SIZE = 64 };

#define PASS_POSITION                                                                              \
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
/* $r0 as the colour. */
#define GREY                                                                                       \
    "mov b32 o[0x10] $r0\nmov b32 o[0x14] $r0\nmov b32 o[0x18] $r0\nexit mov b32 o[0x1c] $r0\n"

static const float square[4][8] = {{-1, -1, 0, 1, 1, 1, 1, 1},
                                   {1, -1, 0, 1, 1, 1, 1, 1},
                                   {1, 1, 0, 1, 1, 1, 1, 1},
                                   {-1, 1, 0, 1, 1, 1, 1, 1}};

static uint32_t red_at(const struct fixture *f, uint32_t x, uint32_t y) {
    return fixture_pixel(f, x, y) & 0xff;
}

/* A row of points, one every other pixel. */
static void make_row(float v[][8], uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const float all[8] = {(float)(4 * i + 1) / SIZE - 1, 0.01f, 0, 1, 1, 1, 1, 1};
        memcpy(v[i], all, sizeof all);
    }
}

/* ---- ids ---- */

#define ID_VP(kind)                                                                                \
    ".attr 0 xyzw\n.builtin " kind                                                                 \
    "\n.output position o[0x0]\n.output varying o[0x10] 4\n" PASS_POSITION                         \
    "mov b32 $r0 a[0x10]\ncvt rn f32 $r0 u32 $r0\nmul f32 $r0 $r0 0x3b808081\n" GREY

TEST(test_ids_of_arrays) {
    static const struct {
        const char *vp;
        uint32_t first, base, id; /* of the first vertex */
    } rows[] = {
        {ID_VP("vertex_id"), 0, 0, 0},
        {ID_VP("vertex_id"), 5, 0, 0},
        {ID_VP("vertex_id"), 5, 40, 40},
        {ID_VP("vertex_id_from_first"), 0, 7, 7},
        {ID_VP("vertex_id_from_first"), 5, 0, 5},
        {ID_VP("vertex_id_from_first"), 5, 40, 45},
    };
    for (size_t r = 0; r < LENGTH(rows); r++) {
        struct fixture f;
        float v[16][8];
        fixture_open(&f, 1, NULL, SIZE);
        tp_program *vp = fixture_program(&f, TP_VERTEX, rows[r].vp);
        OK(&f, tp_bind_program(f.context, TP_VERTEX, vp));
        make_row(v, 16);
        fixture_vertices(&f, (const float(*)[8])v, 16);
        f.context->state.vertex_id_base = rows[r].base;
        state_touch(&f.context->state, GROUP_FETCH);
        OK(&f, tp_draw_arrays(f.context, TP_POINTS, rows[r].first, 4));
        fixture_read(&f);
        for (uint32_t i = 0; i < 4; i++)
            if (red_at(&f, 2 * (rows[r].first + i), SIZE / 2 - 1) != rows[r].id + i)
                fail_msg("row %zu, vertex %u: id %u, expected %u", r, i,
                         red_at(&f, 2 * (rows[r].first + i), SIZE / 2 - 1), rows[r].id + i);
        tp_program_destroy(vp);
        fixture_close(&f);
    }
}

/* Programs that read nothing but ids, in draws one right after the other: each draw's ids are its own, whatever vertices
 * and instances it begins with. */
TEST(test_nothing_but_ids) {
    static const char *const kinds[] = {"vertex_id", "vertex_id_from_first", "instance_id",
                                        "vertex_id instance_id"};
    static const uint32_t draws[][3] = {
        {0, 3, 1}, {5, 4, 1}, {9, 1, 2}, {5, 2, 3}}; /* first, count, instances */
    for (size_t kind = 0; kind < LENGTH(kinds); kind++)
        for (uint32_t order = 0; order < 16; order++) {
            bool want[SIZE / 2] = {false};
            char text[600];
            struct fixture f;
            fixture_open(&f, 1, NULL, SIZE);
            snprintf(
                text, sizeof text,
                ".builtin %s\n.output position o[0x0]\n.output varying o[0x10] 4\nmov b32 $r0 a[0x%x]\n"
                "cvt rn f32 $r0 u32 $r0\nmov b32 $r1 0x3d800000\nmul f32 $r0 $r0 $r1\nmov b32 $r1 0xbf7c0000\n"
                "add f32 $r0 $r0 $r1\nmov b32 o[0x0] $r0\nmov b32 $r0 0x3c23d70a\nmov b32 o[0x4] $r0\n"
                "mov b32 o[0x8] $r0\nmov b32 $r0 1.0\nmov b32 o[0xc] $r0\n" GREY,
                kinds[kind], kind == 3 ? 4 : 0);
            tp_program *vp = fixture_program(&f, TP_VERTEX, text);
            OK(&f, tp_bind_program(f.context, TP_VERTEX, vp));
            for (uint32_t i = 0; i < 2; i++) {
                const uint32_t *d = draws[order >> 2 * i & 3];
                OK(&f, draw_begin(f.context, TP_POINTS, DRAW_INSTANCE_FIRST));
                draw_set_instances(f.context, d[2]);
                OK(&f, draw_arrays(f.context, d[0], d[1]));
                OK(&f, draw_end(f.context));
                for (uint32_t k = 0; k < (kind < 2 ? d[1] : d[2]); k++)
                    want[k + (kind == 1 ? d[0] : 0)] = true;
            }
            fixture_read(&f);
            for (uint32_t i = 0; i < SIZE / 2; i++)
                if ((fixture_pixel(&f, 2 * i, SIZE / 2 - 1) != 0) != want[i])
                    fail_msg("%s, order %x: id %u %s", kinds[kind], order, i,
                             want[i] ? "is missing" : "there is none");
            tp_program_destroy(vp);
            fixture_close(&f);
        }
}

/* Indices are ids, from the base on, wherever a strip begins: a restart in front does not count. */
TEST(test_ids_of_indices) {
    enum { RESTART = 0xff };
    static const uint8_t index[] = {RESTART, 5, RESTART, RESTART, 2, 9, RESTART, 0};
    static const char *const vp_texts[] = {ID_VP("vertex_id"), ID_VP("vertex_id_from_first")};
    for (size_t r = 0; r < 4; r++)
        for (uint32_t from = 0; from < 2; from++) {
            struct fixture f;
            float v[16][8];
            fixture_open(&f, 1, NULL, SIZE);
            tp_program *vp = fixture_program(&f, TP_VERTEX, vp_texts[r % 2]);
            OK(&f, tp_bind_program(f.context, TP_VERTEX, vp));
            make_row(v, 16);
            fixture_vertices(&f, (const float(*)[8])v, 16);
            struct state *s = &f.context->state;
            s->vertex_id_base = r < 2 ? 0 : 40;
            s->restart_enable = true;
            s->restart_index = RESTART;
            state_touch(s, GROUP_FETCH);
            OK(&f, draw_begin(f.context, TP_POINTS, DRAW_INSTANCE_FIRST));
            OK(&f, draw_indices(f.context, index + from, sizeof index - from, 1));
            OK(&f, draw_end(f.context));
            fixture_read(&f);
            for (uint32_t i = 0; i < 16; i++) {
                const bool drawn = i == 5 || i == 2 || i == 9 || i == 0;
                const uint32_t id = red_at(&f, 2 * i, SIZE / 2 - 1);
                if (id != (drawn ? s->vertex_id_base + i : 0))
                    fail_msg("row %zu from %u, vertex %u: id %u", r, from, i, id);
            }
            tp_program_destroy(vp);
            fixture_close(&f);
        }
}

/* ---- arrays ---- */

/* An attribute comes from the array that it names, whatever lies in the others. */
TEST(test_each_array) {
    enum { ARRAYS = 16 };
    static const char vp_text[] = ".attr 0 xyzw\n.attr 1 x\n.output position o[0x0]\n.output "
                                  "varying o[0x10] 4\n" PASS_POSITION "mov b32 $r0 a[0x10]\n" GREY;
    tp_buffer *value[ARRAYS];
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_program *vp = fixture_program(&f, TP_VERTEX, vp_text);
    OK(&f, tp_bind_program(f.context, TP_VERTEX, vp));
    fixture_vertices(&f, square, 4);
    for (unsigned i = 1; i < ARRAYS; i++) {
        const float grey = (float)(10 * i) / 255, data[4] = {grey, grey, grey, grey};
        OK(&f, tp_buffer_create(f.device, sizeof data, data, &value[i]));
        OK(&f, tp_bind_vertices(f.context, i, value[i], 0, 4, 0));
    }
    for (unsigned i = 1; i < ARRAYS; i++) {
        OK(&f, tp_set_attribute(f.context, 1, i, 0, 1, TP_FLOAT32));
        OK(&f, tp_set_scissor(f.context, 0, (int)(4 * i), 0, 4, SIZE));
        OK(&f, tp_draw_arrays(f.context, TP_QUADS, 0, 4));
    }
    fixture_read(&f);
    for (unsigned i = 1; i < ARRAYS; i++)
        assert_int_equal(red_at(&f, 4 * i + 1, 9), 10 * i);
    for (unsigned i = 1; i < ARRAYS; i++)
        tp_buffer_destroy(value[i]);
    tp_program_destroy(vp);
    fixture_close(&f);
}

/* ---- constants ---- */

/* Small draws that share warps: each has its own constants, out of whichever buffers the program
 * reads. */
TEST(test_constants_of_small_draws) {
#define TWO                                                                                        \
    "mov b32 $r0 1.0\nmul rn f32 $r0 $r0 c2[0x4]\nmov b32 $r1 1.0\nmul rn f32 $r1 $r1 c1[0x0]\n"   \
    "add f32 $r0 $r0 $r1\n"
    static const char *const reads[] = {"mov b32 $r0 1.0\nmul f32 $r0 $r0 c0[0x0]\n",
                                        "mov b32 $r0 1.0\nmul rn f32 $r0 $r0 c1[0x0]\n", TWO,
                                        "mov b32 $r0 1.0\nmul rn f32 $r0 $r0 c15[0x8]\n"};
    for (size_t r = 0; r < LENGTH(reads); r++) {
        enum { CELLS = 16 };
        char text[1024];
        struct fixture f;
        fixture_open(&f, 2, NULL, SIZE);
        snprintf(text, sizeof text,
                 ".attr 0 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n" PASS_POSITION
                 "%s" GREY,
                 reads[r]);
        tp_program *vp = fixture_program(&f, TP_VERTEX, text);
        OK(&f, tp_bind_program(f.context, TP_VERTEX, vp));
        for (int i = 0; i < CELLS; i++) {
            const float x = (float)(8 * i) / SIZE - 1;
            float cell[4][8];
            memcpy(cell, square, sizeof cell);
            for (int k = 0; k < 4; k++)
                cell[k][0] = square[k][0] < 0 ? x : x + 8.f / SIZE;
            const float words[3] = {(float)i / 255, (float)(3 * i) / 255, (float)(7 * i) / 255};
            for (unsigned slot = 0; slot < 16; slot++)
                if (slot < 3 || slot == 15)
                    OK(&f, tp_set_constants(f.context, TP_VERTEX, slot, words, sizeof words));
            fixture_draw(&f, TP_QUADS, (const float(*)[8])cell, 4);
        }
        fixture_read(&f);
        for (uint32_t i = 0; i < CELLS; i++) {
            const uint32_t expected[] = {i, i, 4 * i, 7 * i};
            assert_int_equal(red_at(&f, 4 * i + 1, 9), expected[r]);
        }
        tp_program_destroy(vp);
        fixture_close(&f);
    }
}

/* ---- streams ---- */

/* Words that no enabled buffer takes go nowhere, whatever is set for those that are not. */
TEST(test_words_beyond_buffers) {
    enum { WORDS = 64 };
    static const float v[2][8] = {{1, 2, 3, 4, 5, 6, 7, 8}, {11, 12, 13, 14, 15, 16, 17, 18}};
    float got[WORDS], before[WORDS];
    struct fixture f;
    tp_buffer *out;
    fixture_open(&f, 1, NULL, SIZE);
    for (int i = 0; i < WORDS; i++)
        before[i] = -1;
    OK(&f, tp_buffer_create(f.device, sizeof before, before, &out));
    struct stream_state *s = &f.context->state.stream;
    *s = (struct stream_state){.enable = true, .buffer_count = 2};
    for (unsigned i = 0; i < 4; i++)
        s->buffer[i] = (struct stream_buffer){
            .address = tp_buffer_address(out) + 64 * i, .limit = 64, .attributes = i == 1 ? 1 : 2};
    /* word numbers: 0 and 1 in the first, 4 in the second, 5 in no place of it, 8 and 9 in a third
     */
    s->map[0] = 0x80, s->map[1] = 0x81, s->map[2] = 0x84, s->map[3] = 0x85;
    s->map[4] = 0x88, s->map[5] = 0x89, s->map[6] = 0x8c, s->map[7] = 0x90;
    state_touch(&f.context->state, GROUP_STREAM);
    OK(&f, tp_set_raster(f.context, &(struct tp_raster_state){.discard = true}));
    fixture_draw(&f, TP_POINTS, v, 2);
    OK(&f, tp_buffer_read(f.context, out, 0, got, sizeof got));
    for (int i = 0; i < WORDS; i++) {
        const float expected = i < 4 ? v[i / 2][i % 2] : i == 16 ? v[0][2] : i == 17 ? v[1][2] : -1;
        if (got[i] != expected)
            fail_msg("word %d: %g, expected %g", i, got[i], expected);
    }
    tp_buffer_destroy(out);
    fixture_close(&f);
}

/* ---- queries ---- */

/* What is counted is drawn although a clear follows, with draws that nobody counts between. */
TEST(test_counted_below_a_clear) {
    enum { MANY = 3000 };
    static float v[3 * MANY][8];
    struct fixture f;
    uint64_t samples = 0;
    fixture_open(&f, 2, NULL, SIZE);
    OK(&f, tp_query_begin(f.context));
    fixture_draw(&f, TP_QUADS, square, 4);
    f.context->state.count_samples = false;
    state_touch(&f.context->state, GROUP_SAMPLE);
    for (uint32_t i = 0; i < 3 * MANY; i++)
        memcpy(v[i], square[i % 3], sizeof v[i]);
    fixture_draw(&f, TP_TRIANGLES, (const float(*)[8])v, 3 * MANY);
    OK(&f, tp_clear(f.context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, NULL, 1, 0));
    f.context->state.count_samples = true;
    state_touch(&f.context->state, GROUP_SAMPLE);
    OK(&f, tp_query_end(f.context, &samples));
    assert_int_equal(samples, SIZE * SIZE);
    fixture_close(&f);
}

/* ---- clears ---- */

/* What is cleared stays cleared below a draw that replaces all colours and looks at no depth. */
TEST(test_clears_below_what_replaces) {
    static const struct {
        uint32_t what;
        float depth;
        uint8_t stencil;
    } rows[] = {{TP_CLEAR_DEPTH, 0.25f, 0},
                {TP_CLEAR_STENCIL, 1, 9},
                {TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, 0.25f, 9}};
    for (size_t r = 0; r < LENGTH(rows); r++) {
        static uint32_t words[SIZE * SIZE];
        struct fixture f;
        fixture_open(&f, 1, NULL, SIZE);
        OK(&f, tp_finish(f.context));
        OK(&f, tp_clear(f.context, rows[r].what, NULL, rows[r].depth, rows[r].stencil));
        fixture_draw(&f, TP_QUADS, square, 4);
        OK(&f, tp_texture_read(f.context, f.zeta, 0, 0, words, SIZE * 4));
        const uint32_t depth = rows[r].depth < 1 ? 0x400000 : 0xffffff;
        for (uint32_t i = 0; i < SIZE * SIZE; i++)
            assert_int_equal(words[i], depth | (uint32_t)rows[r].stencil << 24);
        fixture_close(&f);
    }
}

/* A clear of layers or outputs that are not there leaves alone what lies where they would. */
TEST(test_clears_beyond) {
    enum { LAYERS = 4 };
    const struct tp_texture_info info = {.kind = TP_TEXTURE_2D_ARRAY,
                                         .format = TP_FORMAT_RGBA8,
                                         .width = SIZE,
                                         .height = SIZE,
                                         .layers = LAYERS};
    const struct raster_rect all = {0, 0, SIZE, SIZE};
    for (uint32_t first = 0; first < LAYERS + 1; first++)
        for (uint32_t count = 1; count < LAYERS + 2; count++) {
            struct fixture f;
            tp_texture *array;
            fixture_open(&f, 1, NULL, SIZE);
            OK(&f, tp_texture_create(f.device, &info, &array));
            OK(&f, tp_set_targets(f.context, 1, &(struct tp_target){array, 0, 0, true}, NULL));
            struct state *const s = &f.context->state;
            s->layers = 2; /* of these */
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
                    OK(&f, tp_texture_read(f.context, array, 0, layer, f.pixels, SIZE * 4));
                    const bool cleared = layer < 2 && layer >= first && layer < first + count;
                    assert_int_equal(fixture_pixel(&f, 5, 9), cleared ? 0xff : 0);
                }
            }
            tp_texture_destroy(array);
            fixture_close(&f);
        }
}

/* ---- failures ---- */

/* Triangles of one draw that a program fails on leave depths up to the first of them, none of what
 * comes behind, also where many are prepared at once. */
TEST(test_depths_behind_a_failure) {
    enum { CELLS = 16, FAILS = 5 };
    static const char fp_text[] =
        ".interpolants position=w smooth=4\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
        "interp $r0 v[0x4] $r4\nmov b32 $r1 $r0\nmov b32 $r2 $r0\nmov b32 $r3 $r0\n"
        "mov b32 $r5 0.75\nset $c0 # g f32 $r0 $r5\n(lg $c0) bra #fail\nexit nop\nfail: trap\n";
    const struct tp_depth_state less = {.test = true, .write = true, .func = TP_LESS};
    float v[3 * CELLS][8];
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_program *fp = fixture_program(&f, TP_FRAGMENT, fp_text);
    OK(&f, tp_set_depth(f.context, &less));
    OK(&f, tp_bind_program(f.context, TP_FRAGMENT, fp));
    for (int i = 0; i < 3 * CELLS; i++) {
        const int cell = i / 3;
        const float x = (float)(8 * cell) / SIZE - 1, c = cell == FAILS ? 1 : 0.5f;
        const float all[8] = {
            i % 3 == 1 ? x + 8.f / SIZE : x, i % 3 == 2 ? -0.5f : -1, -0.5f, 1, c, c, c, 1};
        memcpy(v[i], all, sizeof all);
    }
    fixture_draw(&f, TP_TRIANGLES, (const float(*)[8])v, 3 * CELLS);
    assert_int_equal(tp_finish(f.context), TP_ERROR_TRAP);
    OK(&f, tp_bind_program(f.context, TP_FRAGMENT, f.fp));
    float behind[4][8];
    memcpy(behind, square, sizeof behind);
    fixture_draw(&f, TP_QUADS, (const float(*)[8])behind, 4); /* white, behind what is there */
    fixture_read(&f);
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        const uint32_t red = red_at(&f, 4 * cell + 1, SIZE - 2);
        if ((cell < FAILS - 1 && red != 128) || (cell > FAILS && red != 255))
            fail_msg("triangle %u: %u", cell, red);
    }
    tp_program_destroy(fp);
    fixture_close(&f);
}

/* Of small draws with one program one fails: the others are whole. */
TEST(test_failure_of_a_small_draw) {
    enum { CELLS = 16, FAILS = 5 };
    static const char vp_text[] =
        ".attr 0 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
        "mov b32 $r0 1.0\nmul f32 $r0 $r0 c0[0x0]\nmov b32 $r1 0.75\n"
        "set $c0 # g f32 $r0 $r1\n(lg $c0) bra #fail\n" PASS_POSITION GREY "fail: trap\n";
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_program *vp = fixture_program(&f, TP_VERTEX, vp_text);
    OK(&f, tp_bind_program(f.context, TP_VERTEX, vp));
    for (int i = 0; i < CELLS; i++) {
        const float x = (float)(8 * i) / SIZE - 1, grey = i == FAILS ? 1 : 0.5f;
        float cell[4][8];
        memcpy(cell, square, sizeof cell);
        for (int k = 0; k < 4; k++)
            cell[k][0] = square[k][0] < 0 ? x : x + 8.f / SIZE;
        OK(&f, tp_set_constants(f.context, TP_VERTEX, 0, &grey, sizeof grey));
        fixture_draw(&f, TP_QUADS, (const float(*)[8])cell, 4);
    }
    assert_int_equal(tp_finish(f.context), TP_ERROR_TRAP);
    fixture_read(&f);
    for (uint32_t i = 0; i < CELLS; i++)
        assert_int_equal(red_at(&f, 4 * i + 1, 9), i == FAILS ? 0 : 128);
    tp_program_destroy(vp);
    fixture_close(&f);
}

/* ---- outputs ---- */

enum { OUTPUTS = 3 };

/* Three float targets of 0.75, 1.5, 2.25 in all components but the first, which are -0.25, -0.5,
 * -0.75. */
static void draw_outputs(struct fixture *f, uint8_t clamp, bool smooth,
                         float got[OUTPUTS][SIZE * SIZE][4]) {
    static const char fp_text[] =
        ".targets 3\n.results 12\nmov b32 $r0 -0.25\nmov b32 $r1 0.75\nmov b32 $r2 0.75\nmov b32 "
        "$r3 0.75\n"
        "mov b32 $r4 -0.5\nmov b32 $r5 1.5\nmov b32 $r6 1.5\nmov b32 $r7 1.5\n"
        "mov b32 $r8 -0.75\nmov b32 $r9 2.25\nmov b32 $r10 2.25\nmov b32 $r11 2.25\nexit nop\n";
    static const float triangle[3][8] = {
        {-0.9f, -0.8f, 0, 1}, {0.9f, -0.5f, 0, 1}, {-0.3f, 0.9f, 0, 1}};
    struct tp_target targets[OUTPUTS] = {{0}};
    tp_texture *texture[OUTPUTS];
    const struct tp_texture_info info = {
        .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA32F, .width = SIZE, .height = SIZE};
    fixture_open(f, 1, NULL, SIZE);
    for (int i = 0; i < OUTPUTS; i++) {
        OK(f, tp_texture_create(f->device, &info, &texture[i]));
        targets[i].texture = texture[i];
    }
    tp_program *fp = fixture_program(f, TP_FRAGMENT, fp_text);
    OK(f, tp_bind_program(f->context, TP_FRAGMENT, fp));
    OK(f, tp_set_targets(f->context, OUTPUTS, targets, NULL));
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, (const float[4]){0}, 1, 0));
    OK(f, tp_set_patterns(f->context, &(struct tp_pattern_state){.smooth_polygons = smooth}));
    f->context->state.color_op.clamp = clamp;
    state_touch(&f->context->state, GROUP_COLOR);
    fixture_draw(f, TP_TRIANGLES, triangle, 3);
    for (int i = 0; i < OUTPUTS; i++) {
        OK(f, tp_texture_read(f->context, texture[i], 0, 0, got[i], SIZE * 16));
        tp_texture_destroy(texture[i]);
    }
    tp_program_destroy(fp);
    fixture_close(f);
}

TEST(test_outputs_are_clamped_apart) {
    static float got[OUTPUTS][SIZE * SIZE][4];
    for (unsigned clamp = 0; clamp < 1 << OUTPUTS; clamp++) {
        struct fixture f;
        draw_outputs(&f, (uint8_t)clamp, false, got);
        for (int i = 0; i < OUTPUTS; i++)
            for (int c = 0; c < 4; c++) {
                const float whole = (c ? 0.75f : -0.25f) * (float)(i + 1);
                const float limited = whole < 0 ? 0 : whole > 1 ? 1 : whole;
                const float expected = clamp >> i & 1 ? limited : whole;
                const float at = got[i][SIZE / 2 * SIZE + SIZE / 2][c];
                if (at != expected)
                    fail_msg("clamped 0x%x: output %d, component %d: %g, expected %g", clamp, i, c,
                             at, expected);
            }
    }
}

/* What a smooth edge covers is in the alpha of each output. */
TEST(test_smooth_outputs) {
    static float got[OUTPUTS][SIZE * SIZE][4];
    uint32_t partly = 0;
    struct fixture f;
    draw_outputs(&f, 0, true, got);
    for (int at = 0; at < SIZE * SIZE; at++) {
        const float covered = got[0][at][3] / 0.75f;
        partly += covered > 0 && covered < 1;
        for (int i = 0; i < OUTPUTS; i++) {
            assert_float_equal(got[i][at][3], covered * 0.75f * (float)(i + 1), 1e-5f);
            assert_float_equal(got[i][at][1], covered > 0 ? 0.75f * (float)(i + 1) : 0, 1e-5f);
        }
    }
    assert_true(partly > SIZE);
}

/* ---- what is read where something is still to be drawn ---- */

enum {
    T_AT = 1024,
    T_BYTES = 4 * SIZE * SIZE,
    T_ROOM = T_BYTES + 2 * T_AT,
    OLD = 9,
    NEW = 5,
    SHOWN = 100
};

/* Readers of which one element lies in the target, the others before or behind it. */
enum reader {
    INDEX_1,
    INDEX_2,
    INDEX_4,
    ARRAY,
    VERTEX_CONSTANT,
    FRAGMENT_CONSTANT,
    INLINE_CONSTANTS,
    CONDITION_FIRST,
    CONDITION_SECOND,
    BYTES,
    READERS
};

struct drawn_words {
    struct fixture f;
    tp_buffer *words;
    tp_program *constant_vp, *constant_fp;
    uint32_t word[T_ROOM / 4];
};

#define NUMBERED "cvt rn f32 $r0 u32 $r0\nmul f32 $r0 $r0 0x3b808081\n"

static void open_words(struct drawn_words *w, int threads) {
    static const char vp_text[] =
        ".attr 0 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n" PASS_POSITION
        "ld $r0 b32 c0[0x100]\n" NUMBERED GREY;
    static const char fp_text[] =
        ".interpolants position=w smooth=4\nld $r0 b32 c0[0x100]\n" NUMBERED
        "mov b32 $r1 $r0\nmov b32 $r2 $r0\nmov b32 $r3 1.0\nexit nop\n";
    fixture_open(&w->f, threads, NULL, SIZE);
    OK(&w->f, tp_buffer_create(w->f.device, T_ROOM, NULL, &w->words));
    w->constant_vp = fixture_program(&w->f, TP_VERTEX, vp_text);
    w->constant_fp = fixture_program(&w->f, TP_FRAGMENT, fp_text);
}

static void close_words(struct drawn_words *w) {
    tp_program_destroy(w->constant_vp);
    tp_program_destroy(w->constant_fp);
    tp_buffer_destroy(w->words);
    fixture_close(&w->f);
}

/* The buffer has OLD in every word; those of the target are to become NEW, which has not been drawn yet. What reads
 * them is drawn into the same target, to pixels of its middle. */
static void draw_words(struct drawn_words *w) {
    static const float fill[3][8] = {{-1, -1, 0, 1, NEW / 255.f, 0, 0, 0},
                                     {3, -1, 0, 1, NEW / 255.f, 0, 0, 0},
                                     {-1, 3, 0, 1, NEW / 255.f, 0, 0, 0}};
    struct fixture *f = &w->f;
    struct state *s = &f->context->state;
    float v[3 + 16][8];
    for (int i = 0; i < T_ROOM / 4; i++)
        w->word[i] = OLD;
    OK(f, tp_bind_program(f->context, TP_VERTEX, f->vp));
    OK(f, tp_bind_program(f->context, TP_FRAGMENT, f->fp));
    OK(f, tp_buffer_write(f->context, w->words, 0, w->word, sizeof w->word));
    make_row(v + 3, 16);
    memcpy(v, fill, sizeof fill);
    for (int i = 0; i < 16; i++)
        v[3 + i][4] = (float)(SHOWN + i) / 255;
    fixture_vertices(f, (const float(*)[8])v, 3 + 16);
    OK(f, tp_finish(f->context));
    s->color[0] = (struct target_state){.address = tp_buffer_address(w->words) + T_AT,
                                        .format = FORMAT_RGBA8_UNORM,
                                        .width = SIZE,
                                        .height = SIZE,
                                        .pitch = 4 * SIZE,
                                        .linear = true};
    s->zeta_enable = false;
    state_touch(s, GROUP_TARGET);
    OK(f, draw_begin(f->context, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
    OK(f, draw_arrays(f->context, 0, 3));
    OK(f, draw_end(f->context));
    s->array[0].start += sizeof fill; /* the points are what is drawn from here on */
    state_touch(s, GROUP_FETCH);
    assert_false(context_idle(f->context));
}

/* The red of the pixel of point i. */
static uint32_t shown(struct drawn_words *w, uint32_t i) {
    OK(&w->f, tp_buffer_read(w->f.context, w->words, 0, w->word, sizeof w->word));
    return w->word[T_AT / 4 + (SIZE / 2 - 1) * SIZE + 2 * i] & 0xff;
}

static void draw_point(struct fixture *f, uint32_t first) {
    OK(f, draw_begin(f->context, TP_POINTS, DRAW_INSTANCE_FIRST));
    OK(f, draw_arrays(f->context, first, 1));
    OK(f, draw_end(f->context));
}

/* The element at this byte of the buffer, read with others before it, or behind it. What was found: its number. */
static uint32_t read_word(struct drawn_words *w, enum reader reader, uint32_t at, bool behind) {
    enum { MORE = 3 };
    struct fixture *f = &w->f;
    tp_context *const c = f->context;
    struct state *s = &c->state;
    const uint64_t address = tp_buffer_address(w->words) + at;
    float v[16][8];
    uint8_t byte;
    bool equal;
    switch (reader) {
    case ARRAY:
        s->array[1] = (struct vertex_array){.enable = true,
                                            .start = address - (behind ? 0 : 4 * MORE),
                                            .limit = address + 3 + (behind ? 4 * MORE : 0),
                                            .stride = 4};
        s->attribute[1] = (struct vertex_attribute){.array = 1, .format = 0x0a, .type = 0x12};
        state_touch(s, GROUP_FETCH);
        draw_point(f, behind ? 0 : MORE);
        return shown(w, behind ? 0 : MORE);
    case VERTEX_CONSTANT:
    case FRAGMENT_CONSTANT:
        OK(f, tp_bind_program(c, reader == VERTEX_CONSTANT ? TP_VERTEX : TP_FRAGMENT,
                              reader == VERTEX_CONSTANT ? w->constant_vp : w->constant_fp));
        s->const_buffer[3].address = address - 0x100;
        s->const_buffer[3].size = 0x104 + (behind ? 64 : 0);
        s->const_binding[reader == VERTEX_CONSTANT ? PROGRAM_VP : PROGRAM_FP][0] = 3;
        state_touch(s, GROUP_CONSTANT);
        draw_point(f, 1);
        return shown(w, 1);
    case INLINE_CONSTANTS: /* the vertices are not lost when what is captured with them has to be drawn first */
        s->const_buffer[3].address = address - 0x100;
        s->const_buffer[3].size = 0x104 + (behind ? 64 : 0);
        for (int stage = 0; stage < 2; stage++) {
            OK(f, tp_bind_program(c, stage ? TP_FRAGMENT : TP_VERTEX,
                                  stage ? w->constant_fp : w->constant_vp));
            s->const_binding[stage ? PROGRAM_FP : PROGRAM_VP][0] = 3;
        }
        state_touch(s, GROUP_CONSTANT);
        make_row(v, 16);
        OK(f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
        OK(f, draw_vertex_data(c, (const uint32_t *)v, 16 * 8));
        OK(f, draw_end(c));
        for (uint32_t i = 0; i < 15; i++)
            if (shown(w, i) != shown(w, 15))
                return 1000 + i;
        return shown(w, 15);
    case CONDITION_FIRST: /* the words are equal but for the one in the target */
    case CONDITION_SECOND:
        s->condition_mode = 3;
        s->condition_address = address - (reader == CONDITION_FIRST ? 4 : 20);
        equal = context_condition(c);
        s->condition_mode = 1;
        return equal ? OLD : NEW;
    case BYTES:
        OK(f, tp_buffer_read(c, w->words, at, &byte, 1));
        return byte;
    default: {
        const uint32_t size = 1u << reader;
        OK(f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
        OK(f, draw_indices_memory(c, address - (behind ? 0 : MORE * size), MORE + 1, size));
        OK(f, draw_end(c));
        return shown(w, NEW) == SHOWN + NEW ? NEW : OLD;
    }
    }
}

/* Whatever reads memory that is being drawn to finds what is drawn there, be it in the first or the last bytes of the
 * target alone, at either end of what it reads; and what was there just before and behind. */
TEST(test_read_at_ends) {
    static const uint32_t places[][2] = {
        {T_AT, NEW}, {T_AT + T_BYTES - 4, NEW}, {T_AT - 4, OLD}, {T_AT + T_BYTES, OLD}};
    static struct drawn_words w;
    open_words(&w, 1);
    for (uint32_t i = 0; i < 2 * 4 * READERS; i++) {
        const uint32_t *place = places[i / 2 % 4];
        const enum reader reader = (enum reader)(i / 8);
        if ((reader <= INDEX_4 && place[1] == OLD) || /* the others are new */
            (reader == CONDITION_FIRST && place[0] != T_AT + T_BYTES - 4) ||
            (reader == CONDITION_SECOND && place[0] != T_AT))
            continue;
        draw_words(&w);
        const uint32_t got = read_word(&w, reader, place[0], i & 1);
        if (got != place[1])
            fail_msg("reader %u, byte %d of the target, %s the others: %u, not %u", reader,
                     (int)place[0] - T_AT, i & 1 ? "before" : "behind", got, place[1]);
    }
    close_words(&w);
}

/* What a queued draw reads, to its first and its last byte, is not written before it was read: indices of each size where
 * they are, pushed ones, and arrays. */
TEST(test_written_at_ends) {
    enum { FIRST = 512, COUNT = 4, PUSHED = INDEX_4 + 1, BYTE_ARRAY, WAYS };
    static struct drawn_words w;
    open_words(&w, 1);
    struct fixture *f = &w.f;
    tp_context *const c = f->context;
    struct state *s = &c->state;
    float v[16][8];
    make_row(v, 16);
    for (int i = 0; i < 16; i++)
        v[i][4] = (float)(SHOWN + i) / 255;
    fixture_vertices(f, (const float(*)[8])v, 16);
    const uint64_t address = tp_buffer_address(w.words) + FIRST;
    uint8_t *const memory = memory_at(f->device->memory, address, 64);
    for (uint32_t i = 0; i < 4 * WAYS; i++) {
        const uint32_t way = i / 4, size = way <= INDEX_4 ? 1u << way : way == PUSHED ? 2 : 1;
        const bool last = i & 1, again = i & 2; /* of a draw that is known */
        const uint32_t at = last ? COUNT * size - 1 : 0;
        s->attribute[1] = (struct vertex_attribute){.offset = 16, .format = 1, .type = 0x3f};
        if (way == BYTE_ARRAY) {
            s->array[1] = (struct vertex_array){
                .enable = true, .start = address, .limit = address + COUNT - 1, .stride = 1};
            s->attribute[1] = (struct vertex_attribute){.array = 1, .format = 0x1d, .type = 0x12};
        }
        state_touch(s, GROUP_FETCH);
        for (int turn = 0; turn <= again; turn++) {
            OK(f, tp_clear(c, TP_CLEAR_COLOR, NULL, 1, 0));
            OK(f, tp_finish(c));
            for (uint32_t k = 0; k < COUNT; k++)
                memcpy(memory + k * size, &(uint32_t){OLD}, size);
            OK(f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
            OK(f, way == BYTE_ARRAY ? draw_arrays(c, 0, COUNT)
                  : way == PUSHED   ? draw_indices_pushed(c, memory, COUNT, size)
                                    : draw_indices_memory(c, address, COUNT, size));
            OK(f, draw_end(c));
            assert_false(context_idle(c));
            context_before_write(c, address + at, 1);
            memcpy(memory + at / size * size, &(uint32_t){NEW},
                   size); /* all of the element: nothing waits for it then */
        }
        fixture_read(f);
        for (uint32_t k = 0; k < 16; k++) {
            const uint32_t want = way == BYTE_ARRAY ? (k < COUNT ? OLD : 0)
                                  : k == OLD        ? SHOWN + OLD
                                                    : 0;
            if (red_at(f, 2 * k, SIZE / 2 - 1) != want)
                fail_msg("way %u, %s byte, %s: point %u is %u", way, last ? "last" : "first",
                         again ? "again" : "once", k, red_at(f, 2 * k, SIZE / 2 - 1));
        }
    }
    close_words(&w);
}

/* How much of a buffer is bound counts for each draw anew, be it the same buffer: constants beyond read as zero. */
TEST(test_bound_sizes) {
    enum { DRAWS = 16 };
    static struct drawn_words w;
    open_words(&w, 1);
    struct fixture *f = &w.f;
    struct state *s = &f->context->state;
    float v[16][8];
    make_row(v, 16);
    fixture_vertices(f, (const float(*)[8])v, 16);
    for (int i = 0; i < T_ROOM / 4; i++)
        w.word[i] = OLD;
    OK(f, tp_buffer_write(f->context, w.words, 0, w.word, sizeof w.word));
    for (int stage = 0; stage < 2; stage++) {
        OK(f, tp_bind_program(f->context, TP_VERTEX, stage ? f->vp : w.constant_vp));
        OK(f, tp_bind_program(f->context, TP_FRAGMENT, stage ? w.constant_fp : f->fp));
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        for (uint32_t i = 0; i < DRAWS; i++) {
            s->const_buffer[3].address = tp_buffer_address(w.words);
            s->const_buffer[3].size = i % 3 == 1 ? 0x100 : i % 3 ? 0x108 : 0x104;
            s->const_binding[stage ? PROGRAM_FP : PROGRAM_VP][0] = 3;
            state_touch(s, GROUP_CONSTANT);
            draw_point(f, i);
        }
        fixture_read(f);
        for (uint32_t i = 0; i < DRAWS; i++)
            if (red_at(f, 2 * i, SIZE / 2 - 1) != (i % 3 == 1 ? 0 : OLD))
                fail_msg("stage %d, draw %u: %u", stage, i, red_at(f, 2 * i, SIZE / 2 - 1));
    }
    OK(f, tp_bind_program(f->context, TP_VERTEX, f->vp));
    OK(f, tp_bind_program(f->context, TP_FRAGMENT, f->fp));
    close_words(&w);
}
