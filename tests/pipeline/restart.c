/* Primitive restart and cuts between vertices, in all patterns. */
#include "pipeline/context.h"
#include "pipeline/context_private.h"
#include "shader/cta.h"
#include "tests/pipeline/colours.h"

/* PRIM_RESTART_WITH_DRAW_ARRAYS: a vertex whose number is the restart index ends the strip, also in
 * a draw without indices. */
DRAW_TEST(test_restart_with_arrays, 1, SIDE) {
    static const struct {
        uint32_t index;
        bool enable, with_arrays;
        uint32_t triangles; /* of strips of ten vertices */
    } row[] = {{4, false, true, 8}, {4, true, false, 8}, {4, true, true, 2 + 3},
               {0, true, true, 7},  {9, true, true, 7},  {10, true, true, 8},
               {1, true, true, 6},  {8, true, true, 6}};
    float v[10][8];
    static const float white[3] = {1, 1, 1};
    for (int i = 0; i < 10; i++)
        set_vertex(v[i], (float)(i / 2) * SIDE / 8, i & 1 ? SIDE : 0, 0, white);
    fixture_vertices(f, v, 10);
    for (size_t i = 0; i < LENGTH(row); i++) {
        struct state *s = &f->context->state;
        tp_reset_statistics(f->context);
        s->restart_enable = row[i].enable;
        s->restart_index = row[i].index;
        s->restart_with_arrays = row[i].with_arrays;
        assert_int_equal(draw_begin(f->context, TP_TRIANGLE_STRIP, DRAW_INSTANCE_FIRST), TP_OK);
        assert_int_equal(draw_arrays(f->context, 0, 10), TP_OK);
        OK(f, draw_end(f->context));
        struct tp_statistics statistics;
        OK(f, tp_get_statistics(f->context, &statistics));
        if (statistics.primitives != row[i].triangles)
            fail_msg("row %zu: %u triangles", i, (unsigned)statistics.primitives);
    }
    static const struct {
        uint32_t index, triangles; /* of strips of vertices 0 to 3, 4 to 6 and 5 to 9 */
    } ranges[] = {{0, 1 + 1 + 3}, {1, 0 + 1 + 3}, {3, 1 + 1 + 3}, {4, 2 + 0 + 3},
                  {6, 2 + 0 + 1}, {7, 2 + 1 + 0}, {9, 2 + 1 + 2}, {10, 2 + 1 + 3}};
    for (size_t i = 0; i < LENGTH(ranges); i++) {
        f->context->state.restart_index = ranges[i].index;
        f->context->state.restart_enable = f->context->state.restart_with_arrays = true;
        tp_reset_statistics(f->context);
        OK(f, draw_begin(f->context, TP_TRIANGLE_STRIP, DRAW_INSTANCE_FIRST));
        OK(f, draw_arrays(f->context, 0, 4));
        OK(f, draw_arrays(f->context, 4, 3));
        OK(f, draw_arrays(f->context, 5, 5));
        OK(f, draw_end(f->context));
        struct tp_statistics statistics;
        OK(f, tp_get_statistics(f->context, &statistics));
        if (statistics.primitives != ranges[i].triangles)
            fail_msg("ranges, %u: %u triangles", ranges[i].index, (unsigned)statistics.primitives);
    }
}

enum { WIDTH = 16 };

static const float v[40][8];

static uint64_t primitives_of(struct fixture *f) {
    struct tp_statistics s;
    OK(f, tp_get_statistics(f->context, &s));
    tp_reset_statistics(f->context);
    return s.primitives;
}

/* All patterns of six indices: each index is the restart index or not, and indices between restarts
 * form a strip. Indices come from the host or from memory. Then draws without indices, in which one
 * vertex number is the restart index. */
DRAW_TEST(test_restart_patterns, 1, WIDTH) {
    tp_context *const c = f->context;
    float across[8][8];
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++)
            across[i][k] = k == 0 ? (float)i / 8 - 0.5f : k == 1 ? (float)(i & 1) : 1;
    fixture_vertices(f, (const float(*)[8])across, 8);
    tp_buffer *b = fixture_buffer(f, 64, NULL);
    for (uint32_t pattern = 0; pattern < 64; pattern++) {
        uint8_t index[6];
        uint32_t lines = 0, length = 0;
        for (uint32_t i = 0; i < 6; i++) {
            index[i] = pattern >> i & 1 ? 200 : (uint8_t)i;
            length = pattern >> i & 1 ? 0 : length + 1;
            lines += length > 1;
        }
        OK(f, tp_buffer_write(c, b, 0, index, 6));
        for (int how = 0; how < 3; how++) {
            c->state.restart_enable = how != 2;
            c->state.restart_index = 200;
            OK(f, draw_begin(c, TP_LINE_STRIP, DRAW_INSTANCE_FIRST));
            OK(f, how == 1 ? draw_indices_memory(c, tp_buffer_address(b), 6, 1)
                           : draw_indices(c, index, 6, 1));
            OK(f, draw_end(c));
            if (how < 2)
                assert_int_equal(primitives_of(f), lines);
        }
        primitives_of(f);
    }
    c->state.restart_enable = c->state.restart_with_arrays = true;
    for (uint32_t at = 0; at < 9; at++) {
        c->state.restart_index = at;
        OK(f, draw_begin(c, TP_LINE_STRIP, DRAW_INSTANCE_FIRST));
        OK(f, draw_arrays(c, 1, 6));
        OK(f, draw_end(c));
        assert_int_equal(primitives_of(f), at < 1 || at > 6 ? 5 : at == 1 || at == 6 ? 4 : 3);
        const uint8_t sevens[6] = {
            at == 7 ? 0 : 7, at == 7 ? 0 : 7, 6, 0, 7, 0}; /* the index matters, not its place */
        c->state.restart_index = at < 6 ? at + 100 : at;
        OK(f, draw_begin(c, TP_LINE_STRIP, DRAW_INSTANCE_FIRST));
        OK(f, draw_indices(c, sevens, at == 6 ? 2 : 6, 1));
        OK(f, draw_end(c));
        assert_int_equal(primitives_of(f), at == 6 ? 1 : at == 7 ? 3 : 5);
    }
}

/* Cuts between inline vertices in all patterns of eight vertices. Vertices between cuts form a
 * strip; ids and edge flags cut nothing. Vertices come as data, whole or word by word, or from the
 * current attributes. */
DRAW_TEST(test_cut_patterns, 1, WIDTH) {
    enum { N = 8 };
    static const struct {
        uint8_t type, least;
        bool strip; /* each further vertex adds a primitive */
    } types[] = {{TP_POINTS, 1, true},
                 {TP_LINE_STRIP, 2, true},
                 {TP_TRIANGLE_STRIP, 3, true},
                 {TP_TRIANGLES, 3, false}};
    float across[N][8];
    tp_context *const c = f->context;
    const uint32_t restart = UINT32_MAX;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 8; k++)
            across[i][k] = k == 0 ? (float)i / 8 - 0.5f : k == 1 ? (float)(i & 1) : k == 2 ? 0 : 1;
    fixture_vertices(f, (const float(*)[8])across, N);
    for (uint32_t i = 0; i < 4 * 3 * (2 << N); i++) {
        const uint32_t pattern = i / 12, type = i % 4, how = i / 4 % 3;
        uint32_t length = 0, want = 0;
        OK(f, draw_begin(c, types[type].type, DRAW_INSTANCE_FIRST));
        for (uint32_t k = 0; k <= N; k++) {
            if (pattern >> k & 1 || k == N) {
                if (length >= types[type].least)
                    want += types[type].strip ? length - types[type].least + 1
                                              : length / types[type].least;
                length = 0;
            }
            if (k % 3 == 1)
                OK(f, draw_vertex_id(c, 77));
            if (pattern >> k & 1 && (pattern >> 1 ^ k) & 1)
                OK(f, draw_vertex_cut(c));
            else if (pattern >> k & 1) /* an index is a cut, even before the first vertex */
                OK(f, draw_indices(c, &restart, 1, 1u << k % 3));
            if (k % 4 == 3)
                OK(f, draw_edge_flag(c, k & 4));
            if (k == N)
                break;
            for (int w = 0; w < 8 && how == 1; w++)
                OK(f, draw_vertex_data(c, (const uint32_t *)&across[k][w], 1));
            if (how == 0)
                OK(f, draw_vertex_data(c, (const uint32_t *)across[k], 8));
            memcpy(c->state.current[0], across[k], 16);
            if (how == 2)
                OK(f, draw_vertex(c));
            length++;
        }
        OK(f, draw_end(c));
        const uint64_t got = primitives_of(f);
        if (got != want)
            fail_msg("type %u, cuts %03x, %u: %u primitives, not %u", types[type].type, pattern,
                     how, (uint32_t)got, want);
    }
}

/* Indices beyond the end of memory are 0: a restart index of 0 cuts at each of them, other restart
 * indices do not. */
DRAW_TEST(test_restart_beyond_memory, 1, WIDTH) {
    tp_context *const c = f->context;
    fixture_vertices(f, v, 40);
    tp_buffer *b = fixture_buffer(f, 4096, NULL);
    const uint64_t end =
        tp_buffer_address(b) + memory_extent(f->device->memory, tp_buffer_address(b));
    c->state.restart_enable = true;
    for (uint32_t size = 1; size <= 4; size *= 2)
        for (uint32_t there = 0; there < 12; there++)
            for (uint32_t index = 0; index < 3; index++) {
                const uint32_t one = 1;
                for (uint32_t i = 1; i <= there; i++)
                    memcpy(memory_at(f->device->memory, end - size * i, size), &one, size);
                c->state.restart_index = index;
                context_counter_reset(c, COUNTER_PRIMITIVES_IN);
                OK(f, draw_begin(c, TP_LINE_STRIP, DRAW_INSTANCE_FIRST));
                OK(f, draw_indices_memory(c, end - there * size, 12, size));
                OK(f, draw_end(c));
                const uint32_t first = index == 1 ? 0 : there, second = index == 0 ? 0 : 12 - there;
                const uint32_t lines =
                    index == 2 ? 11 : (first ? first - 1 : 0) + (second ? second - 1 : 0);
                if (context_counter(c, COUNTER_PRIMITIVES_IN) != lines)
                    fail_msg("%u indices of %u bytes, restart at %u: %u lines, not %u", there, size,
                             index, (uint32_t)context_counter(c, COUNTER_PRIMITIVES_IN), lines);
            }
}
