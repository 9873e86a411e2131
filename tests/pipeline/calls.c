/* The calls of a draw with several sources of vertices: indices from the host, pushed indices and
 * indices in memory in one draw; inline vertices with indices, edge flags and restarts; immediate
 * vertices. For grids: the position of each block, and the blocks after a failed one. */
#include "tests/pipeline/fixture.h"

#include "pipeline/context_private.h"
#include "pipeline/state/state.h"

enum { SIZE = 64, POINTS = 16 };

/* Vertex i lies at pixel (4 i + 1, 31). */
static void place_vertices(float v[POINTS][8]) {
    for (int i = 0; i < POINTS; i++) {
        const float all[8] = {(float)(8 * i + 3) / SIZE - 1, 0.01f, 0, 1, 1, 1, 1, 1};
        memcpy(v[i], all, sizeof all);
    }
}

/* A bit mask of the vertices that were drawn as points. */
static uint32_t drawn(struct fixture *f) {
    uint32_t bits = 0;
    fixture_read(f);
    for (uint32_t i = 0; i < POINTS; i++)
        bits |= (uint32_t)(fixture_pixel(f, 4 * i + 1, SIZE / 2 - 1) != 0) << i;
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
    return bits;
}

enum source { NONE, HOST, PUSHED, MEMORY };

/* Several lists of indices in one draw: lists from the host and pushed lists are appended. A list
 * in memory replaces pushed lists and lists in memory that came before it. */
DRAW_TEST(test_sources_of_indices, 1, SIZE) {
    static const struct {
        enum source source[3]; /* of vertices 1 and 2; 5 and 6; 9 and 10 */
        uint32_t drawn;
    } rows[] = {
        {{HOST, NONE, NONE}, 0x006},       {{PUSHED, NONE, NONE}, 0x006},
        {{MEMORY, NONE, NONE}, 0x006},     {{HOST, HOST, NONE}, 0x066},
        {{HOST, PUSHED, NONE}, 0x066},     {{PUSHED, HOST, NONE}, 0x066},
        {{PUSHED, PUSHED, NONE}, 0x066},   {{PUSHED, MEMORY, NONE}, 0x060},
        {{MEMORY, MEMORY, NONE}, 0x060},   {{PUSHED, PUSHED, HOST}, 0x666},
        {{HOST, PUSHED, PUSHED}, 0x666},   {{HOST, HOST, PUSHED}, 0x666},
        {{PUSHED, MEMORY, MEMORY}, 0x600},
    };
    static const uint8_t all[6] = {1, 2, 5, 6, 9, 10};
    float v[POINTS][8];
    place_vertices(v);
    fixture_vertices(f, (const float(*)[8])v, POINTS);
    tp_buffer *b = fixture_buffer(f, sizeof all, all);
    const uint64_t address = tp_buffer_address(b);
    for (size_t r = 0; r < LENGTH(rows); r++) {
        OK(f, draw_begin(f->context, TP_POINTS, DRAW_INSTANCE_FIRST));
        for (uint32_t i = 0; i < 3; i++)
            switch (rows[r].source[i]) {
            case HOST:
                OK(f, draw_indices(f->context, all + 2 * i, 2, 1));
                break;
            case PUSHED:
                OK(f, draw_indices_pushed(f->context,
                                          memory_at(f->device->memory, address + 2 * i, 2), 2, 1));
                break;
            case MEMORY:
                OK(f, draw_indices_memory(f->context, address + 2 * i, 2, 1));
                break;
            default:
                break;
            }
        OK(f, draw_end(f->context));
        const uint32_t bits = drawn(f);
        if (bits != rows[r].drawn)
            fail_msg("row %zu: %03x, not %03x", r, bits, rows[r].drawn);
    }
}

/* Restart by vertex number applies to arrays; inline vertices have no restart. */
DRAW_TEST(test_restarts_of_inline_vertices, 1, SIZE) {
    float v[POINTS][8];
    place_vertices(v);
    fixture_vertices(f, (const float(*)[8])v, POINTS);
    struct state *const s = &f->context->state;
    s->restart_enable = s->restart_with_arrays = true;
    s->restart_index = 2;
    for (int arrays = 0; arrays < 2; arrays++) {
        OK(f, draw_begin(f->context, TP_POINTS, DRAW_INSTANCE_FIRST));
        OK(f, arrays ? draw_arrays(f->context, 0, 5)
                     : draw_vertex_data(f->context, (const uint32_t *)v, 5 * 8));
        OK(f, draw_end(f->context));
        assert_int_equal(drawn(f), arrays ? 0x1b : 0x1f);
    }
}

/* An immediate vertex takes the current values of the attributes, even if arrays are set. */
TEST(test_immediate_vertices) {
    static const struct vertex_attribute rows[] = {
        {.format = 1, .type = 0x3f},
        {.format = 1, .type = 0x3f, .bgra = true},
        {.format = 0x0a, .type = 0x12, .bgra = true},
        {.format = 0x0a, .type = 0x12},
        {.format = 1, .type = 0x3f, .constant = true},
        {.format = 0x1d, .type = 0x12, .array = 5, .offset = 9}};
    for (size_t r = 0; r < LENGTH(rows); r++) {
        static const float color[4] = {1, 0.4f, 0.2f, 1};
        float v[POINTS][8];
        FIXTURE(f, 1, NULL, SIZE);
        place_vertices(v);
        struct state *const s = &f.context->state;
        s->attribute[0] = (struct vertex_attribute){.format = 1, .type = 0x3f};
        s->attribute[1] = rows[r];
        state_touch(s, GROUP_FETCH);
        OK(&f, draw_begin(f.context, TP_POINTS, DRAW_INSTANCE_FIRST));
        for (int i = 0; i < 3; i++) {
            memcpy(s->current[0], v[i], 16);
            memcpy(s->current[1], color, 16);
            OK(&f, draw_vertex(f.context));
        }
        OK(&f, draw_end(f.context));
        fixture_read(&f);
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(fixture_pixel(&f, 4 * i + 1, SIZE / 2 - 1), 0xff3366ff);
    }
}

/* A draw with indices has one edge flag for all vertices, that of the state; draw_edge_flag() does
 * not change it. */
TEST(test_edges_of_indices) {
    static const float square[4][8] = {{-0.5f, -0.5f, 0, 1, 1, 1, 1, 1},
                                       {0.5f, -0.5f, 0, 1, 1, 1, 1, 1},
                                       {0.5f, 0.5f, 0, 1, 1, 1, 1, 1},
                                       {-0.5f, 0.5f, 0, 1, 1, 1, 1, 1}};
    static const uint8_t indices[4] = {0, 1, 2, 3};
    uint32_t pixels[2][2];
    for (int marked = 0; marked < 2; marked++)
        for (int flag = 0; flag < 2; flag++) {
            FIXTURE(f, 1, NULL, SIZE);
            fixture_vertices(&f, square, 4);
            struct state *const s = &f.context->state;
            s->polygon_mode[0] = s->polygon_mode[1] = POLYGON_LINE;
            s->edge_flag = flag;
            state_touch(s, GROUP_RASTER);
            OK(&f, draw_begin(f.context, TP_QUADS, DRAW_INSTANCE_FIRST));
            if (marked)
                OK(&f, draw_edge_flag(f.context, !flag));
            OK(&f, draw_indices(f.context, indices, 4, 1));
            OK(&f, draw_end(f.context));
            fixture_read(&f);
            pixels[marked][flag] = fixture_count(&f);
        }
    assert_int_equal(pixels[0][0], 0);
    assert_true(pixels[0][1] > 100);
    assert_memory_equal(pixels[0], pixels[1], sizeof pixels[0]);
}

/* ---- grids ---- */

/* Each block of a grid runs once, at its own position: x counts first, then y, then z. */
TEST(test_places_of_blocks) {
    static const char text[] =
        "mov b32 $r0 $ctaidx\nmov b32 $r1 $ctaidy\nmov b32 $r2 $ctaidz\n"
        "mul $r3 u32 $r2 u32 0x5\nadd b32 $r3 $r3 $r1\nmul $r3 u32 $r3 u32 0x3\nadd b32 $r3 $r3 $r0\n"
        "shl b32 $r3 $r3 clamp 0x2\nadd b32 $r3 $r3 0x8000000\nmov b32 $r4 0x1\n"
        "ld add u32 $r5 g[$r3] $r4\nexit\n";
    static const uint32_t grid[3] = {3, 5, 4}, block[3] = {1, 1, 1};
    for (int threads = 1; threads < 4; threads += 2) {
        uint32_t counts[64] = {0};
        FIXTURE_DEVICE(f, (struct tp_device_info){.chip = TP_CHIP_GF100, .threads = threads});
        tp_buffer *b = fixture_buffer(&f, sizeof counts, counts);
        fixture_bind(&f, TP_COMPUTE, text);
        OK(&f, tp_bind_global(f.context, 0, b, 0, sizeof counts));
        OK(&f, context_dispatch(f.context, grid, block, NULL, 0));
        OK(&f, tp_buffer_read(f.context, b, 0, counts, sizeof counts));
        for (uint32_t i = 0; i < 64; i++)
            if (counts[i] != (i < 60))
                fail_msg("block %u ran %u times", i, counts[i]);
    }
}

/* On one thread, blocks run in order, and the blocks behind a failed one do not run. */
TEST(test_blocks_after_a_failure) {
    enum { BLOCKS = 40, FAILS = 13 };
    static const char text[] =
        "mov b32 $r1 u16 s[0xc]\nshl b32 $r2 $r1 0x2\nmov b32 $r3 0x1\nst b32 g0[$r2] $r3\n"
        "mov b32 $r4 13\nset $c0 # e u32 $r1 $r4\n(lg $c0) bra #T\nexit nop\nT: trap\nlong nop\n";
    static const uint32_t grid[3] = {BLOCKS, 1, 1}, block[3] = {1, 1, 1};
    uint32_t ran[BLOCKS] = {0};
    FIXTURE_DEVICE(f, (struct tp_device_info){.chip = TP_CHIP_GT215, .threads = 1});
    tp_buffer *b = fixture_buffer(&f, sizeof ran, ran);
    fixture_bind(&f, TP_COMPUTE, text);
    OK(&f, tp_bind_global(f.context, 0, b, 0, sizeof ran));
    OK(&f, context_dispatch(f.context, grid, block, NULL, 0));
    assert_int_equal(tp_finish(f.context), TP_ERROR_TRAP);
    OK(&f, tp_buffer_read(f.context, b, 0, ran, sizeof ran));
    for (uint32_t i = 0; i < BLOCKS; i++)
        assert_int_equal(ran[i], i <= FAILS);
}

/* Indices in memory among inline vertices with ids name no vertex: they only cut the sequence of
 * vertices. */
DRAW_TEST(test_indices_in_memory_cut, 1, SIZE) {
    static const uint32_t far[3] = {100000000, 3, UINT32_MAX};
    float v[POINTS][8];
    place_vertices(v);
    fixture_vertices(f, (const float(*)[8])v, POINTS);
    fixture_bind(
        f, TP_VERTEX,
        ".attr 0 xyzw\n.attr 1 xyzw\n.builtin vertex_id\n.output position o[0x0]\n"
        ".output varying o[0x10] 4\nmov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
        "mov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\nmov b32 o[0x10] a[0x10]\n"
        "mov b32 o[0x14] a[0x20]\nmov b32 o[0x18] a[0x18]\nexit mov b32 o[0x1c] a[0x1c]\n");
    tp_buffer *b = fixture_buffer(f, sizeof far, far);
    OK(f, draw_begin(f->context, TP_POINTS, DRAW_INSTANCE_FIRST));
    OK(f, draw_vertex_id(f->context, 7));
    OK(f, draw_vertex_data(f->context, (const uint32_t *)v, 2 * 8));
    OK(f, draw_indices_memory(f->context, tp_buffer_address(b), 3, 4));
    OK(f, draw_vertex_data(f->context, (const uint32_t *)v[2], 3 * 8));
    OK(f, draw_end(f->context));
    assert_int_equal(drawn(f), 0x1f);
}
