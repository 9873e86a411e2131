/* Vertex, instance and primitive ids. */
#include "pipeline/context.h"
#include "pipeline/context_private.h"
#include "shader/cta.h"
#include "tests/pipeline/greys.h"

#define ID_VP(kind)                                                                                \
    ".attr 0 xyzw\n.builtin " kind                                                                 \
    "\n.output position o[0x0]\n.output varying o[0x10] 4\n" PASS_POSITION                         \
    "mov b32 $r0 a[0x10]\ncvt rn f32 $r0 u32 $r0\nmul f32 $r0 $r0 0x3b808081\n" GREY

TEST(test_ids_of_arrays) {
    static const struct {
        const char *vp;
        uint32_t first, base, id; /* number and id of the first vertex */
    } rows[] = {
        {ID_VP("vertex_id"), 0, 0, 0},
        {ID_VP("vertex_id"), 5, 0, 0},
        {ID_VP("vertex_id"), 5, 40, 40},
        {ID_VP("vertex_id_from_first"), 0, 7, 7},
        {ID_VP("vertex_id_from_first"), 5, 0, 5},
        {ID_VP("vertex_id_from_first"), 5, 40, 45},
    };
    for (size_t r = 0; r < LENGTH(rows); r++) {
        float v[16][8];
        FIXTURE(f, 1, NULL, SIZE);
        fixture_bind(&f, TP_VERTEX, rows[r].vp);
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
    }
}

/* Ids come from a word of an attribute that the program does not read, in an array of its own.
 * Consecutive draws take their ids from different words, or count them. */
TEST(test_ids_from_attribute) {
    enum { WORDS = 5, FIRST = 3, COUNT = 4, BASE = 40 }; /* word 0: no word, ids are counted */
    for (uint32_t pair = 0; pair < WORDS * WORDS; pair++) {
        const uint32_t word[2] = {pair % WORDS, pair / WORDS};
        float v[16][8];
        uint32_t id[16][4];
        tp_buffer *ids;
        FIXTURE(f, 1, NULL, SIZE);
        fixture_bind(&f, TP_VERTEX, ID_VP("vertex_id instance_id"));
        make_row(v, 16);
        for (uint32_t i = 0; i < 64; i++)
            id[i / 4][i % 4] = 250 - 3 * i;
        fixture_vertices(&f, (const float(*)[8])v, 16);
        OK(&f, tp_buffer_create(f.device, sizeof id, id, &ids));
        OK(&f, tp_bind_vertices(f.context, 1, ids, 0, sizeof *id, 0));
        OK(&f, tp_set_attribute(f.context, 1, 1, 0, 4, TP_FLOAT32));
        f.context->state.vertex_id_base = BASE; /* of counted ids */
        for (uint32_t draw = 0; draw < 2; draw++) {
            f.context->state.vertex_id_word = (uint8_t)(word[draw] ? 4 * 1 + word[draw] : 0);
            state_touch(&f.context->state, GROUP_FETCH);
            OK(&f, tp_draw_arrays(f.context, TP_POINTS, FIRST + COUNT * draw, COUNT));
        }
        fixture_read(&f);
        for (uint32_t i = 0; i < 2 * COUNT; i++)
            assert_int_equal(red_at(&f, 2 * (FIRST + i), SIZE / 2 - 1),
                             word[i / COUNT] ? id[FIRST + i][word[i / COUNT] - 1]
                                             : BASE + i % COUNT);
        tp_buffer_destroy(ids);
    }
}

/* Consecutive draws with programs that read only ids: each draw has its own ids, for any first
 * vertex and instance. */
TEST(test_nothing_but_ids) {
    static const char *const kinds[] = {"vertex_id", "vertex_id_from_first", "instance_id",
                                        "vertex_id instance_id"};
    static const uint32_t draws[][3] = {
        {0, 3, 1}, {5, 4, 1}, {9, 1, 2}, {5, 2, 3}}; /* first, count, instances */
    for (size_t kind = 0; kind < LENGTH(kinds); kind++)
        for (uint32_t order = 0; order < 16; order++) {
            bool want[SIZE / 2] = {false};
            char text[600];
            FIXTURE(f, 1, NULL, SIZE);
            snprintf(
                text, sizeof text,
                ".builtin %s\n.output position o[0x0]\n.output varying o[0x10] 4\nmov b32 $r0 a[0x%x]\n"
                "cvt rn f32 $r0 u32 $r0\nmov b32 $r1 0x3d800000\nmul f32 $r0 $r0 $r1\nmov b32 $r1 0xbf7c0000\n"
                "add f32 $r0 $r0 $r1\nmov b32 o[0x0] $r0\nmov b32 $r0 0x3c23d70a\nmov b32 o[0x4] $r0\n"
                "mov b32 o[0x8] $r0\nmov b32 $r0 1.0\nmov b32 o[0xc] $r0\n" GREY,
                kinds[kind], kind == 3 ? 4 : 0);
            fixture_bind(&f, TP_VERTEX, text);
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
                             want[i] ? "is missing" : "is not expected");
        }
}

/* With indices, ids are the indices plus the base, wherever a strip begins. A restart index has no
 * id. */
TEST(test_ids_of_indices) {
    enum { RESTART = 0xff };
    static const uint8_t index[] = {RESTART, 5, RESTART, RESTART, 2, 9, RESTART, 0};
    static const char *const vp_texts[] = {ID_VP("vertex_id"), ID_VP("vertex_id_from_first")};
    for (size_t r = 0; r < 4; r++)
        for (uint32_t from = 0; from < 2; from++) {
            float v[16][8];
            FIXTURE(f, 1, NULL, SIZE);
            fixture_bind(&f, TP_VERTEX, vp_texts[r % 2]);
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
        }
}

/* Ids of indices are reported before or after element_base is added, also in consecutive draws with
 * different bases. */
TEST(test_ids_and_bases) {
    static const uint8_t index[] = {1, 0, 2};
    static const int32_t bases[] = {0, 3, 10, 6};
    static const char *const vp_texts[] = {ID_VP("vertex_id"), ID_VP("vertex_id_from_first")};
    for (uint32_t before = 0; before < 2; before++)
        for (uint32_t kind = 0; kind < 2; kind++) {
            float v[16][8];
            FIXTURE(f, 1, NULL, SIZE);
            fixture_bind(&f, TP_VERTEX, vp_texts[kind]);
            make_row(v, 16);
            fixture_vertices(&f, (const float(*)[8])v, 16);
            struct state *s = &f.context->state;
            s->vertex_id_base = 40;
            s->id_before_base = before;
            state_touch(s, GROUP_FETCH);
            for (size_t i = 0; i < LENGTH(bases); i++) {
                s->element_base = bases[i];
                OK(&f, draw_begin(f.context, TP_POINTS, DRAW_INSTANCE_FIRST));
                OK(&f, draw_indices(f.context, index, sizeof index, 1));
                OK(&f, draw_end(f.context));
            }
            fixture_read(&f);
            for (size_t i = 0; i < LENGTH(bases); i++)
                for (uint32_t k = 0; k < 3; k++)
                    assert_int_equal(red_at(&f, 2 * ((uint32_t)bases[i] + k), SIZE / 2 - 1),
                                     40 + k + (before ? 0 : (uint32_t)bases[i]));
        }
}

enum { SIDE = 16 };

static const float v[40][8];

DRAW_TEST(test_instance_numbers, 1, SIDE) {
    static const struct {
        enum draw_instance how;
        uint32_t instances, last;
    } rows[] = {{DRAW_INSTANCE_FIRST, 1, 0}, {DRAW_INSTANCE_NEXT, 1, 1},
                {DRAW_INSTANCE_NEXT, 1, 2},  {DRAW_INSTANCE_SAME, 1, 2},
                {DRAW_INSTANCE_NEXT, 3, 5},  {DRAW_INSTANCE_NEXT, 1, 6},
                {DRAW_INSTANCE_SAME, 2, 7},  {DRAW_INSTANCE_FIRST, 4, 3},
                {DRAW_INSTANCE_NEXT, 0, 4},  {DRAW_INSTANCE_FIRST, 1, 0}};
    tp_context *const c = f->context;
    fixture_vertices(f, v, 40);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        OK(f, draw_begin(c, TP_POINTS, rows[i].how));
        draw_set_instances(c, rows[i].instances);
        OK(f, draw_arrays(c, 0, 1));
        OK(f, draw_end(c));
        assert_int_equal(c->p->instance, rows[i].last);
    }
}

/* Primitive ids go on through the calls of a draw, and with PRIMITIVE_ID_CONT through draws. A quad
 * has one id. */
DRAW_TEST(test_primitive_numbers, 1, SIDE) {
    static const struct {
        uint8_t type;
        bool go_on;
        uint32_t counts[2], next;
    } rows[] = {{TP_TRIANGLES, false, {9, 6}, 5}, {TP_TRIANGLES, true, {3}, 6},
                {TP_TRIANGLES, true, {2, 0}, 6},  {TP_TRIANGLE_STRIP, true, {5, 3}, 10},
                {TP_QUADS, false, {8, 4}, 3},     {TP_QUAD_STRIP, true, {6}, 5},
                {TP_LINE_LOOP, false, {3}, 3},    {TP_POINTS, false, {7}, 7},
                {TP_POLYGON, false, {5}, 3},      {TP_TRIANGLE_FAN, false, {5, 3}, 4}};
    tp_context *const c = f->context;
    fixture_vertices(f, v, 40);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        OK(f, draw_begin(c, rows[i].type, DRAW_INSTANCE_FIRST));
        if (rows[i].go_on)
            draw_continue_primitive_ids(c);
        for (int k = 0; k < 2; k++)
            OK(f, draw_arrays(c, 0, rows[i].counts[k]));
        OK(f, draw_end(c));
        assert_int_equal(c->p->primitive_id, rows[i].next);
    }
}
