/* Fields of a draw that follow from fields of the state and of program headers: all combinations,
 * or rows of tables. Also the number of layers that a target's memory holds. */
#include "tests/pipeline/fixture.h"
#include "tests/shapes.h"

#include "pipeline/state/build.h"
#include "raster/functions.h"

enum { SIZE = 64 };

static struct call_env made_env; /* the environment of made()'s last draw */

/* Makes a draw of the current state. */
static const struct draw *made(struct fixture *f, uint32_t primitive) {
    tp_context *const c = f->context;
    enum tp_result result;
    for (int g = 0; g < STATE_GROUPS; g++)
        state_touch(&c->state, (enum state_group)g);
    if (prepare_draw(c) != TP_OK)
        fail_msg("%s", tp_message(f->device));
    const struct draw *d = capture_draw(c, primitive, NULL, &made_env, &result);
    if (!d)
        fail_msg("%s", tp_message(f->device));
    return d;
}

static const uint8_t classes[] = {TP_POINTS, TP_LINES, TP_TRIANGLES};
static const uint16_t modes[] = {POLYGON_POINT, POLYGON_LINE, POLYGON_FILL};

/* Smoothing and stipples apply to what primitives become: points, lines or filled polygons.
 * Smoothing does not apply with multisampling or to sprites. */
DRAW_TEST(test_patterns, 1, SIZE) {
    struct state *const s = &f->context->state;
    s->line_stipple_pattern = 0x1234;
    s->line_stipple_factor = 7;
    for (unsigned i = 0; i < 3 * 9 * 4 * 7; i++) {
        const unsigned class = i % 3, sides = i / 3 % 9, sampling = i / 27 % 4, without = i / 108;
        bool *const flag[] = {&s->setup.point_smooth,    &s->setup.line_smooth,
                              &s->setup.polygon_smooth,  &s->line_stipple,
                              &s->setup.polygon_stipple, &s->setup.point_sprite};
        for (unsigned k = 0; k < 6; k++)
            *flag[k] = k != without && k != 5;
        s->setup.point_sprite = without == 5;
        s->polygon_mode[0] = modes[sides % 3];
        s->polygon_mode[1] = modes[sides / 3];
        s->sample.multisample = sampling & 1;
        s->samples = sampling & 2 ? 4 : 1;
        const struct draw *d = made(f, classes[class]);
        bool becomes[3] = {class == 0, class == 1, false};
        for (int k = 0; k < 2; k++)
            becomes[s->polygon_mode[k] - POLYGON_POINT] |= class == 2;
        const bool smooth[] = {becomes[0] && without != 0, becomes[1] && without != 1,
                               becomes[2] && without != 2};
        assert_int_equal(d->raster->setup.point_smooth, smooth[0]);
        assert_int_equal(d->raster->setup.line_smooth, smooth[1]);
        assert_int_equal(d->raster->setup.polygon_smooth, smooth[2]);
        assert_int_equal(d->plan->smooth,
                         sampling != 3 && ((smooth[0] && without != 5) || smooth[1] || smooth[2]));
        assert_int_equal(d->primitives->line_stipple, becomes[1] && without != 3);
        assert_int_equal(d->ordered, d->primitives->line_stipple);
        assert_int_equal(d->raster->setup.polygon_stipple, becomes[2] && without != 4);
        assert_int_equal(d->plan->multisample, sampling == 3);
        assert_int_equal(d->raster->setup.point_sprite, without == 5);
        assert_int_equal(d->primitives->unfilled, sides != 8);
        assert_int_equal(d->primitives->plain, !d->primitives->line_stipple);
        assert_int_equal(d->primitives->plain_points, class == 0);
        assert_int_equal(d->primitives->class, class == 0   ? CLASS_POINT
                                               : class == 1 ? CLASS_LINE
                                                            : CLASS_TRIANGLE);
        assert_int_equal(d->primitives->line_stipple_pattern, 0x1234);
        assert_int_equal(d->primitives->line_stipple_factor, 7);
        if (i % 100 == 99)
            OK(f, tp_finish(f->context));
    }
}

/* An invalid point size becomes 1. Each polygon mode has its own switch of the polygon offset.
 * Culling follows the state's bits. The clamp of colours applies to float and signed normalized
 * targets. */
DRAW_TEST(test_raster_fields, 1, SIZE) {
    struct state *const s = &f->context->state;
    static const float sizes[][2] = {{0, 1}, {-2, 1}, {0.25f, 0.25f}, {5, 5}};
    for (int i = 0; i < 4; i++) {
        s->point_size = sizes[i][0];
        const struct draw *d = made(f, TP_LINES);
        assert_true(d->primitives->point_size == sizes[i][1]);
    }
    for (int i = 0; i < 3 * 8; i++) {
        for (int k = 0; k < 3; k++)
            s->setup.offset_enable[k] = i / 3 >> k & 1;
        const struct draw *d = made(f, classes[i % 3]);
        for (int k = 0; k < 3; k++)
            assert_int_equal(d->raster->setup.offset_enable[k], i % 3 == 2 && (i / 3 >> k & 1));
    }
    for (int i = 0; i < 16; i++) {
        s->setup.cull = (uint8_t)(i & 3);
        s->setup.front_ccw = i & 4;
        s->provoking_last = s->setup.pixel_center_integer = s->rasterize = i & 8;
        const struct draw *d = made(f, TP_TRIANGLES);
        assert_int_equal(d->raster->setup.cull, i & 3);
        assert_int_equal(d->raster->setup.front_ccw, (i & 4) != 0);
        assert_int_equal(d->vertex->provoking_last, (i & 8) != 0);
        assert_int_equal(d->view->half_pixel, (i & 8) != 0);
        assert_int_equal(d->raster->setup.pixel_center_integer, (i & 8) != 0);
        assert_int_equal(d->primitives->rasterize, (i & 8) != 0);
    }
    for (unsigned i = 0; i < 8; i++) {
        static const uint32_t bits[] = {FP_MULTIPLE_RESULTS, FP_EXPORTS_Z, FP_USES_KILL};
        s->header[PROGRAM_FP].fp_control =
            (i & 1 ? bits[0] : 0) | (i & 2 ? bits[1] : 0) | (i & 4 ? bits[2] : 0);
        const struct draw *d = made(f, TP_TRIANGLES);
        assert_int_equal(d->raster->multiple_results, i & 1);
        assert_int_equal(d->raster->exports_z, i >> 1 & 1);
        assert_int_equal(d->raster->uses_kill, i >> 2 & 1);
    }
    static const struct {
        enum pixel_format format;
        bool kept;
    } clamps[] = {{FORMAT_RGBA8_UNORM, false},
                  {FORMAT_RGBA16_FLOAT, true},
                  {FORMAT_RGBA8_SNORM, true},
                  {FORMAT_RGBA8_UINT, false},
                  {FORMAT_R32_FLOAT, true}};
    s->color_op.clamp = 0x7f;
    for (size_t i = 0; i < LENGTH(clamps); i++) {
        s->color[0].format = clamps[i].format;
        s->color[0].width = SIZE / 4; /* fits every format */
        assert_int_equal(made(f, TP_TRIANGLES)->raster->color.clamp, clamps[i].kept ? 0x7f : 0x7e);
    }
}

/* ---- v[] words ---- */

/* FP_INTERPOLANT_CTRL: the upper bits select position words; then `count` slots from `first` on
 * follow. Slots behind the first `nonflat` of them are flat. */
static void check_words(struct fixture *f, uint32_t positions, uint32_t first, uint32_t count,
                        uint32_t nonflat) {
    struct state *const s = &f->context->state;
    const struct program_facts *facts = &s->program[PROGRAM_FP]->facts;
    s->header[PROGRAM_FP].interpolant_ctrl = positions << 24 | nonflat << 16 | first << 8 | count;
    memset(s->header[PROGRAM_FP].noperspective, 0x5a, sizeof s->header[0].noperspective);
    const struct draw *d = made(f, TP_TRIANGLES);
    uint32_t n = 0, slots = 8, flat[SLOTS / 32] = {0}, linear[SLOTS / 32] = {0};
    bool has_flat = false, has_linear = false;
    for (uint32_t i = 0; i < 4; i++)
        if (positions >> i & 1) {
            assert_int_equal(d->raster->word[n].kind, WORD_POSITION);
            assert_int_equal(d->raster->word[n++].slot, i);
        }
    for (uint32_t i = 0; i < count && n < RASTER_WORDS && first + i < SLOTS; i++, n++) {
        const uint32_t slot = first + i;
        const bool across = 0x5a5a5a5au >> slot % 32 & 1;
        const uint8_t kind = i >= nonflat ? WORD_FLAT : across ? WORD_LINEAR : WORD_PERSPECTIVE;
        uint32_t *bits = kind == WORD_FLAT ? flat : kind == WORD_LINEAR ? linear : NULL;
        assert_int_equal(d->raster->word[n].kind, kind);
        assert_int_equal(d->raster->word[n].slot, slot);
        assert_int_equal(d->raster->word[n].back_slot, slot);
        has_flat |= kind == WORD_FLAT;
        has_linear |= kind == WORD_LINEAR;
        if (bits)
            bits[slot / 32] |= 1u << slot % 32;
        if (slot >= slots)
            slots = slot + 1;
    }
    assert_int_equal(d->raster->word_count, n);
    assert_int_equal(d->primitives->slots, slots);
    assert_memory_equal(d->primitives->flat, flat, sizeof flat);
    assert_memory_equal(d->primitives->linear, linear, sizeof linear);
    assert_int_equal(d->primitives->has_flat, has_flat);
    assert_int_equal(d->primitives->has_linear, has_linear);
    for (uint32_t i = 0; i < n; i++) {
        const bool value = facts->varying[i / 32] >> i % 32 & 1,
                   word = facts->varying_flat[i / 32] >> i % 32 & 1;
        const uint32_t unread = (value ? 0 : WORD_NO_VALUE) | (word ? 0 : WORD_NO_FLAT);
        assert_int_equal(d->raster->word[i].flags,
                         d->raster->word[i].kind == WORD_FLAT ? 0 : unread);
    }
}

DRAW_TEST(test_words, 1, SIZE) {
    static const uint8_t rows[][4] = {
        {8, 4, 4, 4},    {15, 4, 4, 2},   {0, 4, 4, 0},     {5, 6, 3, 9},   {10, 4, 0, 0},
        {15, 4, 68, 68}, {15, 0, 72, 40}, {0, 0, 72, 0},    {0, 0, 90, 33}, {1, 70, 8, 1},
        {2, 71, 1, 1},   {4, 72, 4, 4},   {15, 1, 255, 60}, {9, 30, 6, 3},  {12, 62, 5, 2}};
    for (size_t i = 0; i < LENGTH(rows); i++)
        check_words(f, rows[i][0], rows[i][1], rows[i][2], rows[i][3]);
}

/* Two-sided colours: on the back side, slots from color_front on are replaced by slots from
 * color_back on. */
DRAW_TEST(test_back_slots, 1, SIZE) {
    static const struct {
        bool two_sided;
        uint8_t front, back, count;
        uint8_t expected[12]; /* the back slots of slots 4 to 15 */
        uint8_t slots;
    } rows[] = {
        {true, 4, 12, 4, {12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15}, 16},
        {true, 4, 20, 8, {20, 21, 22, 23, 24, 25, 26, 27, 12, 13, 14, 15}, 28},
        {true, 6, 20, 3, {4, 5, 20, 21, 22, 9, 10, 11, 12, 13, 14, 15}, 23},
        {true, 4, SLOTS - 2, 4, {SLOTS - 2, SLOTS - 1, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, SLOTS},
        {true, 4, 1, 4, {1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 14, 15}, 16},
        {false, 4, 12, 4, {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 16},
        {true, 0xff, 12, 4, {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 16},
        {true, 4, 0xff, 4, {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 16},
        {true, 4, 12, 0, {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 16},
    };
    struct state *const s = &f->context->state;
    s->header[PROGRAM_FP].interpolant_ctrl = 0u << 24 | 0 << 16 | 4 << 8 | 12; /* all flat */
    for (size_t i = 0; i < LENGTH(rows); i++) {
        s->two_sided_color = rows[i].two_sided;
        s->semantic.color_front = rows[i].front;
        s->semantic.color_back = rows[i].back;
        s->semantic.color_count = rows[i].count;
        const struct draw *d = made(f, TP_TRIANGLES);
        uint32_t flat[SLOTS / 32] = {0};
        for (uint32_t k = 0; k < 12; k++) {
            const uint32_t back = rows[i].expected[k];
            assert_int_equal(d->raster->word[k].slot, 4 + k);
            assert_int_equal(d->raster->word[k].back_slot, back);
            flat[0] |= 1u << (4 + k);
            flat[back / 32] |= 1u << back % 32;
        }
        assert_memory_equal(d->primitives->flat, flat, sizeof flat);
        assert_int_equal(d->primitives->slots, rows[i].slots);
    }
}

/* POINT_COORD_REPLACE_MAP: in points, the slots of the map are coordinates within the point or
 * constants. If only one side of polygons becomes points, the other side keeps the words that it
 * needs. */
DRAW_TEST(test_point_words, 1, SIZE) {
    enum {
        P = WORD_PERSPECTIVE,
        F = WORD_FLAT,
        S = WORD_POINT_COORD_S,
        T = WORD_POINT_COORD_T,
        Z = WORD_CONST0,
        O = WORD_CONST1
    };
    static const struct {
        bool sprite;
        uint8_t type;
        uint16_t front, back;
        /* kinds of slots 4 to 11; the map says: none, s, t, 0, 1, unknown; the last two are flat:
         * s, 0 */
        uint8_t expected[8];
    } rows[] = {
        {true, TP_POINTS, POLYGON_FILL, POLYGON_FILL, {P, S, T, Z, O, P, S, Z}},
        {false, TP_POINTS, POLYGON_FILL, POLYGON_FILL, {P, P, P, P, P, P, F, F}},
        {true, TP_LINES, POLYGON_POINT, POLYGON_POINT, {P, P, P, P, P, P, F, F}},
        {true, TP_TRIANGLES, POLYGON_FILL, POLYGON_FILL, {P, P, P, P, P, P, F, F}},
        {true, TP_TRIANGLES, POLYGON_POINT, POLYGON_POINT, {P, S, T, Z, O, P, S, Z}},
        {true, TP_TRIANGLES, POLYGON_POINT, POLYGON_LINE, {P, S, T, P, P, P, F, F}},
        {true, TP_TRIANGLES, POLYGON_FILL, POLYGON_POINT, {P, S, T, P, P, P, F, F}},
    };
    struct state *const s = &f->context->state;
    s->header[PROGRAM_FP].interpolant_ctrl = 0u << 24 | 6 << 16 | 4 << 8 | 8;
    s->point_coord_map[0] = 0x32100000 & ~0xf0000u; /* slot 4: 0, 5: 1, 6: 2, 7: 3 */
    s->point_coord_map[1] = 0x3154;                 /* slot 8: 4, 9: 5, 10: 1, 11: 3 */
    for (size_t i = 0; i < LENGTH(rows); i++) {
        s->setup.point_sprite = rows[i].sprite;
        s->polygon_mode[0] = rows[i].front;
        s->polygon_mode[1] = rows[i].back;
        const struct draw *d = made(f, rows[i].type);
        for (int k = 0; k < 8; k++)
            if (d->raster->word[k].kind != rows[i].expected[k])
                fail_msg("row %zu, slot %d: kind %d", i, k + 4, d->raster->word[k].kind);
    }
}

/* ---- result slots and their meanings ---- */

DRAW_TEST(test_meanings, 1, SIZE) {
    struct state *const s = &f->context->state;
    s->header[PROGRAM_FP].interpolant_ctrl = 0;
    for (int i = 0; i < 4 * 4; i++) { /* no slot, an inner slot, the last slot, a slot beyond */
        static const uint8_t at[] = {0xff, 5, SLOTS - 1, SLOTS};
        uint8_t *const set[] = {&s->semantic.point_size, &s->semantic.layer, &s->semantic.viewport,
                                &s->semantic.primitive_id};
        for (int k = 0; k < 4; k++)
            *set[k] = 0xff;
        *set[i / 4] = at[i % 4];
        s->viewport_from_gp = s->point_size_from_slot = true;
        const struct draw *d = made(f, TP_POINTS);
        const struct semantic_state *m = &d->vertex->semantic;
        const uint8_t kept[] = {m->point_size, m->layer, m->viewport, m->primitive_id};
        const bool there = i % 4 == 1 || i % 4 == 2;
        for (int k = 0; k < 4; k++)
            assert_int_equal(kept[k], k == i / 4 && there ? at[i % 4] : 0xff);
        assert_int_equal(d->primitives->slots, i % 4 == 2 ? SLOTS : 8);
        assert_int_equal(d->primitives->point_size_from_slot, there && i / 4 == 0);
        assert_int_equal(d->vertex->viewport_from_slot, there && i / 4 == 2);
        assert_int_equal(d->primitives->plain_points, !there || i / 4 == 0);
        assert_int_equal(d->primitives->plain, !there || i / 4 != 3);
        s->viewport_from_gp = s->point_size_from_slot = false;
        d = made(f, TP_POINTS);
        assert_false(d->primitives->point_size_from_slot || d->vertex->viewport_from_slot);
        *set[i / 4] = 0xff;
    }
    static const struct {
        bool flat;
        uint8_t front, count;
        bool flattens;
        uint8_t slots;
    } colors[] = {{true, 4, 4, true, 8},          {false, 4, 4, false, 8},
                  {true, 0xff, 4, false, 8},      {true, 4, 0, false, 8},
                  {true, 10, 4, true, 14},        {true, SLOTS - 4, 4, true, SLOTS},
                  {true, SLOTS - 3, 4, false, 8}, {true, 4, SLOTS - 4, true, SLOTS}};
    for (size_t i = 0; i < LENGTH(colors); i++) {
        s->flat_shade = colors[i].flat;
        s->semantic.color_front = colors[i].front;
        s->semantic.color_count = colors[i].count;
        assert_int_equal(made(f, TP_LINES)->primitives->plain, !colors[i].flattens);
        const struct draw *d = made(f, TP_TRIANGLES);
        assert_int_equal(d->primitives->flat_color, colors[i].flattens);
        assert_true(d->primitives->plain);
        assert_int_equal(d->primitives->slots, colors[i].slots);
    }
}

DRAW_TEST(test_clip_distances, 1, SIZE) {
    static const struct {
        uint8_t first, count, enable;
        uint32_t mode;
        uint8_t clip, cull, slots;
    } rows[] = {
        {8, 8, 0xff, 0, 0xff, 0, 16},
        {8, 8, 0xff, 0x11111111, 0, 0xff, 16},
        {8, 8, 0x41, 0x10000000, 0x41, 0, 15},
        {8, 8, 0x81, 0x10000000, 0x01, 0x80, 16},
        {8, 3, 0xff, 0x10, 0x05, 0x02, 11},
        {8, 9, 0xff, 0, 0xff, 0, 16},
        {SLOTS - 2, 4, 0x0f, 0, 0x03, 0, SLOTS},
        {8, 8, 0, 0, 0, 0, 8},
        {0xff, 8, 0xff, 0, 0, 0, 8},
        {2, 2, 0x03, 0, 0x03, 0, 8},
    };
    struct state *const s = &f->context->state;
    for (size_t i = 0; i < LENGTH(rows) * 4; i++) {
        const size_t r = i / 4;
        s->semantic.clip = rows[r].first;
        s->semantic.clip_count = rows[r].count;
        s->clip_enable = rows[r].enable;
        s->clip_mode = rows[r].mode;
        s->depth_clip_off = i & 1;
        s->clip_z_zero = i & 2;
        const struct draw *d = made(f, TP_TRIANGLES);
        assert_int_equal(d->view->clip.clip, rows[r].clip);
        assert_int_equal(d->view->clip.cull, rows[r].cull);
        assert_int_equal(d->view->clip.depth, !(i & 1));
        assert_int_equal(d->view->clip.z_zero, (i & 2) != 0);
        assert_int_equal(d->primitives->slots, rows[r].slots);
        if (rows[r].clip | rows[r].cull)
            assert_int_equal(d->view->clip.slot, rows[r].first);
    }
}

/* Result maps: o[] words, the constants 0 and 1; any other source is 0. */
DRAW_TEST(test_maps, 1, SIZE) {
    enum { ROWS = RESULT_ROWS };
    static const uint8_t words[] = {0,    7,        63,   0x40,        ROWS - 1,
                                    ROWS, ROWS + 1, 0xfd, RESULT_ZERO, RESULT_ONE};
    static const uint8_t vertex[] = {0,        7,        63,       0x40,     ROWS - 1,
                                     MAP_ZERO, MAP_ZERO, MAP_ZERO, MAP_ZERO, MAP_ONE};
    const uint8_t *const geometry = vertex;
    struct state *const s = &f->context->state;
    tp_program *gp = fixture_program(
        f, TP_GEOMETRY,
        ".primitive triangle_strip\n.vertices 3\n.output position o[0x0]\nemit\nexit nop\n");
    OK(f, tp_bind_program(f->context, TP_GEOMETRY, gp));
    s->header[PROGRAM_FP].interpolant_ctrl = 0;
    for (int i = 0; i < 2; i++) {
        memcpy(s->header[PROGRAM_VP].result_map, words, sizeof words);
        memcpy(s->header[PROGRAM_GP].result_map, words, sizeof words);
        s->header[PROGRAM_VP].map_size = i ? 72 : sizeof words;
        s->header[PROGRAM_GP].map_size = i ? 3 + 2 : 72;
        s->header[PROGRAM_VP].result_count = i ? 5 : ROWS;
        s->header[PROGRAM_GP].result_count = i ? ROWS + 1 : 64;
        s->header[PROGRAM_GP].gp_out_primitive = (uint8_t)(i + 1);
        s->header[PROGRAM_GP].gp_max_vertices = (uint16_t)(i ? 1025 : 1024);
        s->header[PROGRAM_GP].builtin_enable = i ? 0x100 : 0x11;
        s->header[PROGRAM_VP].builtin_enable = 0;
        const struct draw *d = made(f, TP_TRIANGLES);
        assert_int_equal(d->vertex->stage.map.size, i ? 72 : sizeof words);
        assert_memory_equal(d->vertex->stage.map.source, vertex, sizeof vertex);
        assert_memory_equal(d->geometry->stage.map.source, geometry, i ? 5 : sizeof vertex);
        assert_int_equal(d->geometry->stage.map.size, i ? 5 : 72);
        assert_int_equal(d->vertex->stage.rows, i ? 5 : ROWS);
        assert_int_equal(d->geometry->stage.rows, i ? ROWS : 64);
        assert_int_equal(d->primitives->slots, i ? 5 : 72);
        assert_int_equal(d->geometry->max_vertices, 1024);
        assert_int_equal(d->geometry->primitive_id, i);
        assert_int_equal(d->primitives->class, i ? CLASS_LINE : CLASS_POINT);
        assert_int_equal(d->geometry->vertices, 3);
        for (uint32_t k = 0; k < sizeof words; k++) { /* the row of each slot, if its word exists */
            const uint8_t row = vertex[k] < d->vertex->stage.rows ? vertex[k]
                                : vertex[k] == MAP_ONE ? (uint8_t)(d->vertex->stage.rows + 1)
                                                       : d->vertex->stage.rows;
            assert_int_equal(d->vertex->stage.layout.row[k], row);
        }
    }
    OK(f, tp_bind_program(f->context, TP_GEOMETRY, NULL));
}

/* A map has as many slots as the header says, at most SLOTS; nothing behind it is written. */
TEST(test_map_sizes) {
    for (unsigned size = 0; size < 256; size++) {
        struct {
            struct result_map map;
            uint8_t behind[4];
        } m;
        struct program_header h = {.map_size = (uint8_t)size};
        memset(&m, 0xaa, sizeof m);
        memset(h.result_map, 5, sizeof h.result_map);
        build_map(&m.map, &h);
        assert_int_equal(m.map.size, size < SLOTS ? size : SLOTS);
        for (unsigned i = 0; i < SLOTS; i++)
            assert_int_equal(m.map.source[i], i < size ? 5 : 0xaa);
        assert_int_equal(m.behind[0], 0xaa);
    }
}

/* ---- views ---- */

static bool same_rect(struct raster_rect a, struct raster_rect b) {
    return a.x0 == b.x0 && a.y0 == b.y0 && a.x1 == b.x1 && a.y1 == b.y1;
}

/* A view is the intersection of the target, the screen scissor and its own scissor. If primitives
 * cannot choose a view, only the first view is computed. */
DRAW_TEST(test_scissors, 1, SIZE) {
    static const struct raster_rect screen = {-5, 7, 50, 90},
                                    own[2] = {{10, -3, 70, 40}, {0, 0, 64, 64}};
    static const struct raster_rect expected[4][2] = {{{0, 0, 64, 64}, {0, 0, 64, 64}},
                                                      {{0, 7, 50, 64}, {0, 7, 50, 64}},
                                                      {{10, 0, 64, 40}, {0, 0, 64, 64}},
                                                      {{10, 7, 50, 40}, {0, 7, 50, 64}}};
    struct state *const s = &f->context->state;
    s->screen_scissor = screen;
    s->viewport_from_gp = true;
    for (int i = 0; i < 5; i++) {
        s->semantic.viewport = i < 4 ? 8 : 0xff;
        s->screen_scissor_enable = i & 1;
        for (int k = 0; k < STATE_VIEWPORTS; k++) {
            s->viewport[k].scissor = own[k & 1];
            s->viewport[k].scissor_enable = i & 2;
            s->viewport[k].depth.near = (float)k / 32;
            s->viewport[k].depth.far = 1 - (float)k / 64;
            for (int axis = 0; axis < 3; axis++) {
                s->viewport[k].scale[axis] = (float)(10 * k + axis);
                s->viewport[k].translate[axis] = (float)(1000 * k + axis);
            }
        }
        const struct draw *d = made(f, TP_TRIANGLES);
        for (int k = 0; k < STATE_VIEWPORTS; k++) {
            if (k && i == 4) {
                assert_true(same_rect(d->raster->view[k].scissor, (struct raster_rect){0}));
                assert_true(d->view->scale[k][0] == 0 && d->view->translate[k][0] == 0);
                continue;
            }
            assert_true(same_rect(d->raster->view[k].scissor, expected[i & 3][k & 1]));
            assert_true(d->raster->view[k].depth.near == (float)k / 32);
            assert_true(d->raster->view[k].depth.far == 1 - (float)k / 64);
            assert_memory_equal(d->view->scale[k], s->viewport[k].scale, 12);
            assert_memory_equal(d->view->translate[k], s->viewport[k].translate, 12);
        }
    }
}

/* ---- vertex fetch ---- */

/* a[] rows: for each attribute that the program reads, in order, the components that it reads; then
 * the ids. */
DRAW_TEST(test_fetch_rows, 1, SIZE) {
    static const struct {
        uint32_t attributes[2], ids;
        uint8_t count, rows, at[3], mask[3];
        int16_t vertex_id, instance_id;
    } rows[] = {
        {{0xff, 0}, 0, 2, 8, {0, 4}, {15, 15}, -1, -1},
        {{0x0f5, 0}, 1, 2, 6, {0, 2}, {5, 15}, 6, -1},
        {{0x30000002, 0x80000001}, 0x10, 4, 5, {0, 1, 3}, {2, 3, 1}, -1, 5},
        {{0, 0x10}, 0x11, 1, 1, {0}, {1}, 1, 2},
        {{0, 0}, 0x1001, 0, 0, {0}, {0}, 0, -1},
    };
    struct state *const s = &f->context->state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        memcpy(s->header[PROGRAM_VP].attr_enable, rows[i].attributes, sizeof rows[i].attributes);
        s->header[PROGRAM_VP].builtin_enable = rows[i].ids;
        s->vertex_id_base = (uint32_t)i * 100;
        const struct fetch_plan *p = &made(f, TP_TRIANGLES)->vertex->fetch;
        assert_int_equal(p->attribute_count, rows[i].count);
        assert_int_equal(p->vertex_id_row, rows[i].vertex_id);
        assert_int_equal(p->instance_id_row, rows[i].instance_id);
        assert_int_equal(p->rows,
                         rows[i].rows + (rows[i].vertex_id >= 0) + (rows[i].instance_id >= 0));
        assert_int_equal(p->id_base, i * 100);
        for (int k = 0; k < 3 && k < rows[i].count; k++) {
            assert_int_equal(p->attribute[k].row, rows[i].at[k]);
            assert_int_equal(p->attribute[k].mask, rows[i].mask[k]);
        }
    }
}

/* An array ends at its own end or at the end of memory. Its limit may lie before its start. */
DRAW_TEST(test_arrays, 1, SIZE) {
    static const float v[3][8] = {{0}};
    fixture_vertices(f, v, 3);
    struct state *const s = &f->context->state;
    const uint64_t start = s->array[0].start, extent = memory_extent(f->device->memory, start);
    const struct {
        bool enable, per_instance;
        uint64_t start, limit;
        uint32_t divisor, steps;
        uint64_t bytes; /* bytes that can be read; 0: none */
    } rows[] = {
        {true, false, start, start + 95, 3, 0, 96},
        {true, true, start, start + 95, 0, 1, 96},
        {true, true, start, start + 95, 3, 3, 96},
        {true, true, start, start, 1, 1, 1},
        {true, false, start + 1, start, 0, 0, 0},
        {false, false, start, start + 95, 0, 0, 0},
        {true, false, start, start + extent - 1, 0, 0, extent},
        {true, false, start, start + extent, 0, 0, extent},
        {true, false, start, UINT64_MAX - 1, 0, 0, extent},
        {true, false, 16, 99, 0, 0, 0},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        s->array[0] = (struct vertex_array){.enable = rows[i].enable,
                                            .per_instance = rows[i].per_instance,
                                            .stride = 40,
                                            .start = rows[i].start,
                                            .limit = rows[i].limit,
                                            .divisor = rows[i].divisor};
        made(f, TP_TRIANGLES);
        const struct fetch_source *source = &made_env.source[0];
        assert_int_equal(source->limit, rows[i].bytes);
        assert_int_equal(source->stride, 40);
        assert_int_equal(source->divisor, rows[i].steps);
        assert_ptr_equal(source->data,
                         rows[i].bytes ? memory_at(f->device->memory, rows[i].start, 1) : NULL);
    }
}

/* ---- stream buffers ---- */

DRAW_TEST(test_streams, 1, SIZE) {
    struct state *const s = &f->context->state;
    tp_buffer *b = fixture_buffer(f, 4096, NULL);
    const uint64_t address = tp_buffer_address(b),
                   extent = memory_extent(f->device->memory, address);
    const struct {
        uint64_t address;
        uint32_t limit, kept;
    } rows[] = {{address, 100, 100},
                {address + 16, 4096, (uint32_t)extent - 16},
                {64, 100, 0},
                {address, 0, 0}};
    s->stream.enable = true;
    for (int i = 0; i < 4; i++)
        s->stream.buffer[i] =
            (struct stream_buffer){.address = rows[i].address, .limit = rows[i].limit};
    for (uint8_t count = 3; count < 7; count++) {
        s->stream.buffer_count = count;
        const struct draw *d = made(f, TP_TRIANGLES);
        assert_true(d->ordered);
        assert_int_equal(d->stream->state.buffer_count, count < 4 ? count : 4);
        for (int i = 0; i < 4; i++) {
            assert_int_equal(d->stream->state.buffer[i].limit, rows[i].kept);
            if (rows[i].kept)
                assert_ptr_equal(d->stream->data[i],
                                 memory_at(f->device->memory, rows[i].address, 1));
        }
    }
    s->stream.enable = false;
    assert_false(made(f, TP_TRIANGLES)->ordered);
}

/* ---- targets ---- */

/* The end of slice or layer k of a surface; in tiles, the end of its last whole tile. */
static uint64_t slice_end(const struct surface *s, uint32_t k) {
    const uint32_t rows =
        s->linear ? s->height
                  : ((s->height - 1) >> (2 + s->tile_h) << (2 + s->tile_h)) + (4u << s->tile_h);
    const uint32_t bytes = s->linear ? s->pitch : (s->width * 4 + 63) / 64 * 64;
    return surface_offset(s, bytes - 1, rows - 1, k) + 1;
}

/* A target has only those of its layers that lie completely in memory. If not even one does, the
 * draw is an error. */
DRAW_TEST(test_layers, 1, SIZE) {
    tp_context *const c = f->context;
    const uint64_t room = 1 << 20, at = memory_alloc(f->device->memory, room, 4096);
    const uint64_t end = at + memory_extent(f->device->memory, at);
    uint32_t tried = 0;
    c->state.zeta_enable = false;
    for (unsigned i = 0; i < 3 * 3 * 4 * 3 * 3; i++) {
        static const uint32_t widths[] = {1, 20, 40}, heights[] = {1, 5, 70};
        const unsigned kind = i / 108; /* layers in tiles, linear layers, slices */
        struct surface s =
            SURFACE(FORMAT_RGBA8_UNORM, widths[i % 3], heights[i / 3 % 3], 5,
                    .tile_h = (uint8_t)(i / 36 % 3), .tile_d = (uint8_t)(kind == 2 ? i / 9 % 4 : 0),
                    .linear = kind == 1, .is_3d = kind == 2, .pitch = 192);
        s.layer_stride = kind == 2 ? 0 : surface_layer_bytes(&s) + i / 9 % 4 * 256;
        c->state.layers = 5;
        c->state.layers_3d = s.is_3d;
        for (uint32_t k = 0; k < 5; k++)
            for (int64_t less = -1; less < 2; less++) {
                const uint64_t extent = slice_end(&s, k) - (uint64_t)less;
                uint32_t whole = 0;
                while (whole < 5 && slice_end(&s, whole) <= extent)
                    whole++;
                c->state.color[0] =
                    TARGET(end - extent, s.format, s.width, s.height, s.pitch, .linear = s.linear,
                           .tile_h = s.tile_h, .tile_d = s.tile_d, .layer_stride = s.layer_stride);
                struct raster_targets t;
                const bool there = capture_targets(c, &t);
                if (there != (whole > 0) ||
                    (there && (t.layers != whole || t.color[0].size != extent)))
                    fail_msg("%u: %u of 5 layers, not %u", i, there ? t.layers : 0, whole);
                tried++;
            }
    }
    assert_int_equal(tried, 324 * 15);
    memory_free(f->device->memory, at);
}

/* A target that is too large for the hardware is refused with a message about its size. The other
 * targets of the table are refused, too, because they do not fit into memory. */
DRAW_TEST(test_target_limits, 1, SIZE) {
    static const struct {
        uint32_t width, height, layers;
        bool is_3d;
        uint8_t tile_h, tile_d;
        bool too_large;
    } rows[] = {
        {32768, 8, 1, false, 0, 0, false},   {32769, 8, 1, false, 0, 0, true},
        {8, 32768, 1, false, 5, 0, false},   {8, 32769, 1, false, 5, 0, true},
        {0, 8, 1, false, 0, 0, true},        {8, 0, 1, false, 0, 0, true},
        {512, 512, 512, false, 0, 0, false}, {512, 512, 513, false, 0, 0, true},
        {512, 512, 2048, true, 0, 5, false}, {512, 512, 2049, true, 0, 0, true},
        {512, 512, 1, false, 6, 0, true},    {512, 512, 1, false, 0, 6, true},
    };
    struct raster_targets t;
    struct state *const s = &f->context->state;
    for (size_t i = 0; i < LENGTH(rows) * 2; i++) {
        const size_t r = i / 2;
        struct target_state wrong = s->color[0];
        const bool zeta = i & 1;
        wrong.width = rows[r].width, wrong.height = rows[r].height;
        wrong.tile_h = rows[r].tile_h, wrong.tile_d = rows[r].tile_d;
        const struct state before = *s;
        *(zeta ? &s->zeta : &s->color[0]) = wrong;
        s->zeta_enable = zeta;
        s->color_count = !zeta;
        s->layers = rows[r].layers;
        s->layers_3d = rows[r].is_3d;
        const bool there = capture_targets(f->context, &t);
        const bool too_large = rows[r].too_large || (zeta && rows[r].layers > 512);
        if (there || !strstr(tp_message(f->device), too_large ? "too large" : "does not fit") ||
            !strstr(tp_message(f->device), zeta ? "zeta" : "colour"))
            fail_msg("row %zu: %s", r, there ? "accepted" : tp_message(f->device));
        *s = before;
    }
}

/* The size of the targets in pixels: a target's width and height count samples, and the smallest
 * target decides. Outputs go to the targets that the map names. */
DRAW_TEST(test_target_sizes, 1, SIZE) {
    static const struct {
        uint8_t said, samples;
        uint32_t width, height;
    } rows[] = {{0, 1, 64, 64}, {1, 1, 64, 64}, {2, 2, 32, 64}, {3, 1, 64, 64},
                {4, 4, 32, 32}, {8, 8, 16, 32}, {16, 1, 64, 64}};
    struct raster_targets t;
    struct state *const s = &f->context->state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        s->samples = rows[i].said;
        assert_true(capture_targets(f->context, &t));
        assert_int_equal(t.samples, rows[i].samples);
        assert_int_equal(t.width, rows[i].width);
        assert_int_equal(t.height, rows[i].height);
    }
    s->samples = 1;
    s->layers = 0;
    for (int i = 1; i < 8; i++)
        s->color[i] = s->color[0];
    s->color[2].width = 40;
    s->color[3].height = 30;
    s->color[5].format = FORMAT_NONE;
    s->color[6].address = 0;
    static const struct {
        uint8_t count, map[8];
        uint32_t width, height, there; /* there: bit mask of the outputs that have a target */
    } maps[] = {{1, {0}, 64, 64, 1},
                {2, {0, 2}, 40, 64, 3},
                {2, {3, 11}, 64, 30, 3},
                {3, {5, 2, 3}, 40, 30, 6},
                {8, {6, 5, 0, 0, 0, 0, 0, 2}, 40, 64, 0xfc},
                {9, {6, 5, 0, 0, 0, 0, 0, 7}, 64, 64, 0xfc},
                {0, {2}, 64, 64, 0}};
    for (size_t i = 0; i < LENGTH(maps); i++) {
        s->color_count = maps[i].count;
        memcpy(s->color_map, maps[i].map, 8);
        assert_true(capture_targets(f->context, &t));
        assert_int_equal(t.width, maps[i].width);
        assert_int_equal(t.height, maps[i].height);
        assert_int_equal(t.layers, 1);
        assert_int_equal(t.color_count, maps[i].count < 8 ? maps[i].count : 8);
        for (int k = 0; k < 8; k++)
            assert_int_equal(t.color[k].format != FORMAT_NONE, maps[i].there >> k & 1);
    }
    const struct target_state zeta = s->zeta;
    s->zeta.address = 0;
    assert_true(capture_targets(f->context, &t));
    assert_int_equal(t.zeta.format, FORMAT_NONE);
    s->zeta = zeta;
    s->zeta.format = FORMAT_NONE;
    assert_true(capture_targets(f->context, &t));
    assert_int_equal(t.zeta.format, FORMAT_NONE);
    s->zeta = zeta;
    s->zeta.width = 10; /* the smallest target decides */
    s->color_count = 1, s->color_map[0] = 0;
    assert_true(capture_targets(f->context, &t));
    assert_int_equal(t.width, 10);
    s->color_count = 0;
    s->zeta_enable = false;
    assert_true(capture_targets(f->context, &t));
    assert_int_equal(t.zeta.format, FORMAT_NONE);
    assert_int_equal(t.width, 0);
}
