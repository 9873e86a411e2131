/* The meaning of every register of the 3D class. A row of a table has a method, its word, a field
 * of the state, and the value that the field must have at the next draw. A field of several bits
 * has rows with two values. Also the values in a fresh channel, and registers that share a
 * switch. */
#include "pipeline/context_private.h"
#include "raster/functions.h"
#include "shader/isa/isa.h"
#include "tests/assembled.h"
#include "tests/fifo/fixture.h"

static uint32_t touched; /* groups of the state that the last draw was told to examine */

static void note_touched(void *self, struct channel *c) {
    (void)self;
    touched = channel_context(c)->state.touched;
}

static void look_away(void *self, struct channel *c) {
    (void)self, (void)c;
}

static const struct draw_observer observer = {NULL, note_touched, look_away};

/* A draw takes over the state that methods have set. */
static const struct state *drawn(struct fixture *f) {
    one(f, THREE_D, 0x15dc, 4);
    run_one(f, THREE_D, 0x15e0, 0);
    return &channel_context(f->channel)->state;
}

/* Sets a register and draws. */
static const struct state *set(struct fixture *f, uint32_t address, uint32_t data) {
    one(f, THREE_D, address, data);
    return drawn(f);
}

static void open_class(struct fixture *f, enum tp_chip chip, uint32_t chipset, uint32_t class_id) {
    fixture_open(f, chip, chipset, 1, 64 << 20);
    fixture_object(f, THREE_D, 0xbeef5097, class_id);
    channel_observe_draws(f->channel, &observer);
    drawn(f);
}

static int setup_observed(void **state) {
    static struct fixture f;
    open_class(&f, TP_CHIP_GT215, 0xa3, 0x8597);
    *state = &f;
    return 0;
}

struct row {
    uint16_t method;
    uint32_t data;
    uint32_t offset; /* offset of the field in struct state */
    uint8_t size;    /* size of the field */
    uint64_t expected;
};
#define ROW(method, data, field, expected)                                                         \
    {method, data, offsetof(struct state, field), sizeof(((struct state *)0)->field), expected}
/* The field has the register's value. */
#define SAME(method, a, b, field) ROW(method, a, field, a), ROW(method, b, field, b)
/* Any set bit of the register switches the field on. */
#define FLAG(method, field)                                                                        \
    ROW(method, 1, field, 1), ROW(method, 0, field, 0), ROW(method, 0x100, field, 1),              \
        ROW(method, 0, field, 0)
#define BIT(method, bit, field)                                                                    \
    ROW(method, 1u << (bit), field, 1), ROW(method, ~(1u << (bit)), field, 0)
/* A 40-bit address, the high word first; its upper bits are ignored. */
#define ADDRESS(method, field)                                                                     \
    ROW(method, 0xa5, field, UINT64_C(0xa500000000)),                                              \
        ROW((method) + 4, 0x12345670, field, UINT64_C(0xa512345670))

static uint64_t field_of(const struct state *s, const struct row *r) {
    uint64_t value = 0;
    memcpy(&value, (const uint8_t *)s + r->offset, r->size);
    return value;
}

/* A bit mask of the groups that differ. */
static uint32_t changed_groups(const struct state *a, const struct state *b) {
    uint32_t changed = 0;
    for (uint32_t g = 0; g < STATE_GROUPS; g++) {
        const struct state_extent *e = &state_extent[g];
        const void *of_a = (const uint8_t *)a + e->offset, *of_b = (const uint8_t *)b + e->offset;
        changed |= (uint32_t)(memcmp(of_a, of_b, e->size) != 0) << g;
    }
    return changed;
}

/* The bit of a field's group, or 0. */
static uint32_t group_of(uint32_t offset) {
    for (uint32_t g = 0; g < STATE_GROUPS; g++)
        if (offset - state_extent[g].offset < state_extent[g].size)
            return 1u << g;
    return 0;
}

/* The next draw must notice the change: an object of the group gets another number. There are two
 * exceptions: groups of which an object has only the parts that programs or targets name, and
 * groups that each draw reads. A register changes only the group of its field. */
static void check_groups(const struct row *row, const struct state *before,
                         const struct captured *p, const uint64_t *numbers,
                         const struct state *now) {
    const uint32_t by_name =
        1u << GROUP_FETCH | 1u << GROUP_TEXTURE | 1u << GROUP_VIEW | 1u << GROUP_TARGET;
    const uint32_t own = group_of(row->offset);
    const uint32_t each = 1u << GROUP_CONSTANT | 1u << GROUP_STREAM;
    uint32_t changed = changed_groups(before, now);
    if (state_viewports(now) > state_viewports(before)) /* then all viewports are read */
        changed &= ~(1u << GROUP_VIEW);
    if (changed & ~by_name & ~each && !memcmp(p->object, numbers, sizeof p->object))
        fail_msg("method %04x, data %08x: groups %x changed, no draw knows", row->method, row->data,
                 changed);
    if (changed & ~touched & ~each)
        fail_msg("method %04x, data %08x: groups %x changed, of which %x are looked at",
                 row->method, row->data, changed, touched);
    if (row->offset < offsetof(struct state, clear_color) &&
        memcmp(before->clear_color, now->clear_color,
               sizeof *now - offsetof(struct state, clear_color)) != 0)
        fail_msg("method %04x, data %08x: more than groups changed", row->method, row->data);
    if (changed & ~own)
        fail_msg("method %04x, data %08x: groups %x changed, not only %x", row->method, row->data,
                 changed, own);
}

/* Sets the register of the row, and compares the field and the changed groups. */
static void check_row(struct fixture *f, const struct row *row, size_t number) {
    static struct state before;
    static uint64_t numbers[OBJECTS];
    const tp_context *c = channel_context(f->channel);
    before = c->state;
    memcpy(numbers, c->p->captured.object, sizeof numbers);
    one(f, THREE_D, row->method, row->data);
    const uint64_t value = field_of(drawn(f), row);
    if (row->method != 0x100)
        check_groups(row, &before, &c->p->captured, numbers, &c->state);
    if (value != row->expected)
        fail_msg("row %zu: method %04x, data %08x: %llx instead of %llx", number, row->method,
                 row->data, (unsigned long long)value, (unsigned long long)row->expected);
}

static void check_rows(struct fixture *f, const struct row *row, size_t count) {
    for (size_t i = 0; i < count; i++)
        check_row(f, &row[i], i);
}
#define CHECK(f, rows) check_rows(f, rows, LENGTH(rows))

TEST_WITH(test_fetch, setup_observed, teardown) {
    static const struct row rows[] = {
        SAME(0x9f0, 2048, 2047, array[15].stride),
        ADDRESS(0x904, array[0].start),
        ADDRESS(0x9f4, array[15].start),
        SAME(0x90c, 3, UINT32_MAX, array[0].divisor),
        SAME(0x9fc, 7, 0, array[15].divisor),
        FLAG(0x1000, array[0].per_instance),
        FLAG(0x103c, array[15].per_instance),
        ADDRESS(0x1080, array[0].limit),
        ADDRESS(0x10f8, array[15].limit),
        ROW(0x1ac0, 0xf, attribute[0].array, 15),
        ROW(0x1ac0, 0xfffffff0, attribute[0].array, 0),
        BIT(0x1ac0, 4, attribute[0].constant),
        ROW(0x1ac0, 0x7ffe0, attribute[0].offset, 0x3fff),
        ROW(0x1ac0, 0xfff8001f, attribute[0].offset, 0),
        ROW(0x1ac0, 0x01f80000, attribute[0].format, 0x3f),
        ROW(0x1ac0, 0xfe07ffff, attribute[0].format, 0),
        ROW(0x1ac0, 0x7e000000, attribute[0].type, 0x3f),
        ROW(0x1ac0, 0x81ffffff, attribute[0].type, 0),
        BIT(0x1ac0, 31, attribute[0].bgra),
        ROW(0x1afc, 5, attribute[15].array, 5),
        ROW(0x1434, 3, id_before_base, 1),
        SAME(0x1438, 0x80000000, 9, instance_base),
        SAME(0x1118, 0x80000000, 9, vertex_id_base),
        FLAG(0x1644, restart_enable),
        FLAG(0xde8, restart_with_arrays),
    };
    CHECK((struct fixture *)f, rows);
}

TEST_WITH(test_linkage, setup_observed, teardown) {
    /* fields of the next group in struct state, which `rows` must not change */
    static const struct row first[] = {
        ROW(0x1284, 0x12345000, const_buffer[0].address, 0), /* CB_DEF_SET (0x1288) takes it over */
        ROW(0x1288, 0x100, const_buffer[0].address, 0x12345000),
    };
    CHECK((struct fixture *)f, first);
    static const struct row rows[] = {
        ROW(0x16ac, 2, header[PROGRAM_VP].map_size, 2),
        ROW(0x17ac, 3, header[PROGRAM_GP].map_size, 3),
        ROW(0x16bc, 0x44332211, header[PROGRAM_VP].result_map[1], 0x22),
        /* beyond the size of the map */
        ROW(0x16bc, 0x44332211, header[PROGRAM_VP].result_map[2], 0),
        ROW(0x17fc, 0x44332211, header[PROGRAM_GP].result_map[2], 0x33),
        ROW(0x17fc, 0x44332211, header[PROGRAM_GP].result_map[3], 0),
        ROW(0x16ac, 255, header[PROGRAM_VP].map_size, 72),
        ROW(0x164c, 0x1111, header[PROGRAM_GP].builtin_enable, 0x1111),
        SAME(0x16b8, 127, 3, header[PROGRAM_VP].result_count),
        SAME(0x17a8, 127, 3, header[PROGRAM_GP].result_count),
        SAME(0x16b0, 127, 4, header[PROGRAM_VP].reg_count),
        SAME(0x17a0, 127, 4, header[PROGRAM_GP].reg_count),
        SAME(0x198c, 127, 4, header[PROGRAM_FP].reg_count),
        SAME(0x17b0, 3, 1, header[PROGRAM_GP].gp_out_primitive),
        SAME(0x1420, 1024, 1, header[PROGRAM_GP].gp_max_vertices),
        SAME(0x16ac, 9, 66, header[PROGRAM_VP].map_size),
        ROW(0x16bc, 0x44332211, header[PROGRAM_VP].result_map[0], 0x11),
        ROW(0x16bc, 0x44332211, header[PROGRAM_VP].result_map[3], RESULT_ZERO),
        ROW(0x16bc, 0x41332211, header[PROGRAM_VP].result_map[3], RESULT_ONE),
        ROW(0x16bc, 0x40332211, header[PROGRAM_VP].result_map[3], RESULT_ZERO),
        ROW(0x16bc, 0x3f332211, header[PROGRAM_VP].result_map[3], 0x3f),
        ROW(0x16fc, 0x88772655, header[PROGRAM_VP].result_map[65], 0x26), /* the 17th register */
        SAME(0x17ac, 9, 66, header[PROGRAM_GP].map_size),
        ROW(0x17fc, 0x44332211, header[PROGRAM_GP].result_map[2], 0x33),
        ROW(0x183c, 0x88776655, header[PROGRAM_GP].result_map[65], 0x66),
        SAME(0x1298, 9, 4, header[PROGRAM_FP].fp_results),
        SAME(0x1540, 0x80000001, 2, header[PROGRAM_FP].noperspective[0]),
        SAME(0x154c, 0x80000001, 2, header[PROGRAM_FP].noperspective[3]),
        SAME(0x13c0, 0x43214321, 1, point_coord_map[0]),
        /* slots with a meaning; 0, the position's slot, stands for none */
        ROW(0x1910, 0x121, semantic.point_size, 0x12),
        ROW(0x1910, 0x120, semantic.point_size, 0xff),
        ROW(0x1910, 0x001, semantic.point_size, 0xff),
        ROW(0x1910, 0x001, point_size_from_slot, 1),
        ROW(0x1910, 0x120, point_size_from_slot, 0),
        ROW(0x190c, 7, semantic.layer, 0xff),
        ROW(0x15cc, 0x10003, semantic.layer, 7),
        ROW(0x15cc, 0xfffe01ff, semantic.layer, 0xff),
        ROW(0x0fd4, 9, semantic.viewport, 0xff),
        ROW(0x1900, 1, semantic.viewport, 9),
        ROW(0x1900, 1, viewport_from_gp, 1),
        ROW(0x1900, 0, viewport_from_gp, 0),
        ROW(0x1914, 11, semantic.primitive_id, 11),
        ROW(0x1798, 1, semantic.primitive_id, 0xff), /* with a geometry program: none */
        ROW(0x1798, 0, semantic.primitive_id, 11),
        ROW(0x1690, 0xffffffff, mode, MODE_SAT_NAN | MODE_NONFP_DERIV | MODE_MUL_ZERO_WINS),
        ROW(0x1690, 0xfffeffff, mode, MODE_SAT_NAN | MODE_NONFP_DERIV),
        ROW(0x1690, 0x00010000, mode, MODE_SAT_NAN | MODE_MUL_ZERO_WINS),
        ROW(0x1690, 0xfffefffe, mode, MODE_SAT_NAN),
        /* the number of limited calls, a nibble for each stage: log2 of the number, plus one; 0: no
         * call, 15: any number */
        ROW(0x1290, 0xf10, call_limit[PROGRAM_VP], 0),
        ROW(0x1290, 0xf10, call_limit[PROGRAM_GP], 1),
        ROW(0x1290, 0xf10, call_limit[PROGRAM_FP], UINT32_MAX),
        ROW(0x1290, 0x00e, call_limit[PROGRAM_VP], 1 << 13),
        ROW(0x1290, 0x342, call_limit[PROGRAM_VP], 2),
        ROW(0x1290, 0x342, call_limit[PROGRAM_GP], 8),
        ROW(0x1290, 0x342, call_limit[PROGRAM_FP], 4),
        ROW(0x1290, 0xffff9001, call_limit[PROGRAM_FP], 0),
        ROW(0x1290, 0xffff9001, call_limit[PROGRAM_VP], 1),
    };
    CHECK((struct fixture *)f, rows);
}

TEST_WITH(test_targets, setup_observed, teardown) {
    static const struct row rows[] = {
        ROW(0x208, 0xd5, color[0].format, FORMAT_RGBA8_UNORM),
        ROW(0x208, 0xcf, color[0].format, FORMAT_BGRA8_UNORM),
        ADDRESS(0x200, color[0].address),
        ROW(0x208, 0, color[0].address, 0), /* format 0: no target */
        ROW(0x2e8, 0xc0, color[7].format, FORMAT_RGBA32_FLOAT),
        ADDRESS(0x2e0, color[7].address),
        ROW(0x210, 0x40000001, color[0].layer_stride, UINT64_C(0x100000004)), /* in words */
        SAME(0x1278, 77, 1, color[7].width),
        SAME(0x127c, 77, 1, color[7].height),
        ROW(0x208, 0xd5, color[0].linear, 0),
        ROW(0x1240, 0x80000100, color[0].pitch, 256),
        ROW(0x1240, 0x80000100, color[0].width, 64),
        ROW(0x208, 0, color[0].width, 256), /* an unknown format counts as one byte */
        ROW(0x208, 0xc0, color[0].width, 16),
        ROW(0x121c, 8, color_count, 8),
        ROW(0x121c, 15, color_count, 8),
        ROW(0xfe8, 0x0a, zeta.format, FORMAT_Z32_FLOAT),
        ROW(0xfe8, 0x13, zeta.format, FORMAT_Z16_UNORM),
        ADDRESS(0xfe0, zeta.address),
        ROW(0xff0, 0x40000001, zeta.layer_stride, UINT64_C(0x100000004)),
        FLAG(0x1538, zeta_enable),
        /* layers of the colour target, or of zeta without a colour target */
        ROW(0x121c, 0, color_count, 0),
        ROW(0x1230, 6, layers, 6),
        ROW(0x208, 0xd5, color[0].address, UINT64_C(0xa512345670)),
        ROW(0x1224, 3, layers, 6),
        ROW(0x121c, 1, layers, 3),
        ROW(0x1224, 0x10009, layers, 9),
        ROW(0x1224, 0, layers, 1),
        ROW(0x15d0, 1, samples, 2),
        ROW(0x15d0, 2, samples, 4),
        ROW(0x15d0, 3, samples, 8),
        ROW(0x15d0, 4, samples, 8),
        ROW(0x15d0, 5, samples, 2),
        ROW(0x15d0, 6, samples, 1),
        ROW(0x15d0, 8, samples, 4),
        ROW(0x15d0, 9, samples, 4),
        ROW(0x15d0, 10, samples, 8),
        ROW(0x15d0, 11, samples, 8),
        ROW(0x15d0, 15, samples, 1),
        ROW(0x15d0, 0x13, samples, 8),
        ROW(0x15d0, 0, samples, 1),
    };
    CHECK((struct fixture *)f, rows);
}

TEST_WITH(test_viewports, setup_observed, teardown) {
    static const struct row rows[] = {
        SAME(0xa00, 0x3f800000, 0x40000000, viewport[0].scale[0]),
        SAME(0xa04, 0x3f800000, 0x40000000, viewport[0].scale[1]),
        SAME(0xa08, 0x3f800000, 0x40000000, viewport[0].scale[2]),
        SAME(0xa0c, 0x3f800000, 0x40000000, viewport[0].translate[0]),
        SAME(0xa10, 0x3f800000, 0x40000000, viewport[0].translate[1]),
        SAME(0xa14, 0x3f800000, 0x40000000, viewport[0].translate[2]),
        SAME(0xbe0, 0x3f800000, 0x40000000, viewport[15].scale[0]),
        SAME(0xbf4, 0x3f800000, 0x40000000, viewport[15].translate[2]),
        SAME(0xc08, 0x3f000000, 0, viewport[0].depth.near),
        SAME(0xc0c, 0x3f000000, 0, viewport[0].depth.far),
        SAME(0xcf8, 0x3f000000, 0, viewport[15].depth.near),
        SAME(0xcfc, 0x3f000000, 0, viewport[15].depth.far),
        ROW(0xc00, 8 << 16 | 4, viewport[0].rect.x1, 12),
        ROW(0xc04, 9 << 16 | 5, viewport[0].rect.y1, 14),
        ROW(0xcf0, 8 << 16 | 4, viewport[15].rect.x1, 12),
        FLAG(0xe00, viewport[0].scissor_enable),
        FLAG(0xef0, viewport[15].scissor_enable),
        ROW(0xef4, 8 << 16 | 4, viewport[15].scissor.x1, 8),
        ROW(0xff4, 8 << 16 | 4, screen_scissor.x0, 4),
        ROW(0xff4, 8 << 16 | 4, screen_scissor.x1, 12),
        ROW(0xff8, 9 << 16 | 5, screen_scissor.y0, 5),
        ROW(0xff8, 9 << 16 | 5, screen_scissor.y1, 14),
        ROW(0xff8, 9 << 16 | 5, screen_scissor_enable, 1),
        ROW(0xd00, 8 << 16 | 4, limits.rect[0].x0, 4),
        ROW(0xd00, 8 << 16 | 4, limits.rect[0].x1, 8),
        ROW(0xd3c, 9 << 16 | 5, limits.rect[7].y0, 5),
        ROW(0xd3c, 9 << 16 | 5, limits.rect[7].y1, 9),
        ROW(0x194c, 1, limits.rect_mode, 1), /* inside any */
        ROW(0x1950, 1, limits.rect_mode, 2), /* outside all */
        ROW(0x194c, 0, limits.rect_mode, 0),
        FLAG(0x192c, viewport_transform),
        ROW(0x193c, 8, limits.depth_clamp, 1),
        ROW(0x193c, 0xffffffe7, limits.depth_clamp, 0),
        ROW(0x193c, 0x10, limits.depth_clamp, 1),
        ROW(0x193c, 0x10, depth_clip_off, 1),
        ROW(0x193c, 0, depth_clip_off, 0),
        FLAG(0xd7c, clip_z_zero),
    };
    /* viewport 15 is read later, when primitives can choose it */
    set(f, 0xbe0, 0x40400000);
    for (int i = 0; i < 3; i++)
        one(f, THREE_D, 0x1224, 16); /* marks its group */
    drawn(f);
    for (int i = 0; i < 3; i++)
        one(f, THREE_D, 0x1224, 16);
    one(f, THREE_D, 0x0fd4, 9);
    one(f, THREE_D, 0x1900, 1);
    assert_true(drawn(f)->viewport[15].scale[0] == 3);
    CHECK((struct fixture *)f, rows);
}

TEST_WITH(test_raster, setup_observed, teardown) {
    static const struct row rows[] = {
        ROW(0x12cc, 1, zeta_test.depth_test, 1), /* another field of the group */
        ROW(0xdac, 0x1b00, polygon_mode[0], POLYGON_POINT),
        ROW(0xdac, 0x1b01, polygon_mode[0], POLYGON_LINE),
        ROW(0xdb0, 0x1b00, polygon_mode[1], POLYGON_POINT),
        ROW(0xdb0, 0x1b01, polygon_mode[1], POLYGON_LINE),
        ROW(0x191c, 0x901, setup.front_ccw, 1),
        ROW(0x191c, 0x900, setup.front_ccw, 0),
        ROW(0x1918, 1, setup.cull, CULL_BACK),
        ROW(0x1920, 0x404, setup.cull, CULL_FRONT),
        ROW(0x1920, 0x408, setup.cull, CULL_FRONT | CULL_BACK),
        ROW(0x1920, 0x405, setup.cull, CULL_BACK),
        ROW(0x1918, 0, setup.cull, 0),
        ROW(0x12d4, 0x1d00, flat_shade, 1),
        ROW(0x12d4, 0x1d01, flat_shade, 0),
        FLAG(0x1684, provoking_last),
        FLAG(0x1688, two_sided_color),
        FLAG(0x17b4, rasterize),
        SAME(0x13b0, 0x40000000, 0x3f800000, setup.line_width),
        SAME(0x1518, 0x40000000, 0x3f800000, point_size),
        FLAG(0x1520, setup.point_sprite),
        ROW(0x1660, 0x10, setup.point_origin_lower_left, 0),
        ROW(0x1660, 0xffffffef, setup.point_origin_lower_left, 1),
        FLAG(0xdc0, setup.offset_enable[0]),
        FLAG(0xdc4, setup.offset_enable[1]),
        FLAG(0xdc8, setup.offset_enable[2]),
        SAME(0x156c, 0x40000000, 0x3f800000, setup.offset_factor),
        SAME(0x15bc, 0x40000000, 0x3f800000, setup.offset_units),
        SAME(0x187c, 0x40000000, 0x3f800000, setup.offset_clamp),
        FLAG(0x1924, setup.pixel_center_integer),
        FLAG(0x1570, setup.line_smooth),
        FLAG(0x1658, setup.point_smooth),
        FLAG(0xdb4, setup.polygon_smooth),
        FLAG(0x166c, line_stipple),
        ROW(0x1680, 0xabcdff, line_stipple_factor, 256),
        ROW(0x1680, 0xabcd00, line_stipple_factor, 1),
        FLAG(0x168c, setup.polygon_stipple),
        SAME(0x1700, 0x80000001, 2, setup.stipple_pattern[0]),
    };
    CHECK((struct fixture *)f, rows);
}

TEST_WITH(test_zeta, setup_observed, teardown) {
    static const struct row rows[] = {
        FLAG(0x12cc, zeta_test.depth_test),
        FLAG(0x12e8, zeta_test.depth_write),
        ROW(0x130c, 0x201, zeta_test.depth_func, FUNC_LESS),
        ROW(0x130c, 0x206, zeta_test.depth_func, FUNC_GEQUAL),
        FLAG(0x19bc, zeta_test.bounds_test),
        SAME(0xf9c, 0x3e800000, 0, zeta_test.bounds[0]),
        SAME(0xfa0, 0x3e800000, 0, zeta_test.bounds[1]),
        FLAG(0x1380, zeta_test.stencil_test),
        FLAG(0x1594, zeta_test.two_sided),
        ROW(0x1384, 0x1e01, zeta_test.face[0].fail, STENCIL_REPLACE),
        ROW(0x1384, 0x150a, zeta_test.face[0].fail, STENCIL_INVERT),
        ROW(0x1388, 0x1e01, zeta_test.face[0].zfail, STENCIL_REPLACE),
        ROW(0x1388, 0x150a, zeta_test.face[0].zfail, STENCIL_INVERT),
        ROW(0x138c, 0x1e01, zeta_test.face[0].zpass, STENCIL_REPLACE),
        ROW(0x138c, 0x150a, zeta_test.face[0].zpass, STENCIL_INVERT),
        ROW(0x1390, 0x201, zeta_test.face[0].func, FUNC_LESS),
        ROW(0x1390, 0x206, zeta_test.face[0].func, FUNC_GEQUAL),
        ROW(0x1598, 0x1e01, zeta_test.face[1].fail, STENCIL_REPLACE),
        ROW(0x1598, 0x150a, zeta_test.face[1].fail, STENCIL_INVERT),
        ROW(0x159c, 0x1e01, zeta_test.face[1].zfail, STENCIL_REPLACE),
        ROW(0x159c, 0x150a, zeta_test.face[1].zfail, STENCIL_INVERT),
        ROW(0x15a0, 0x1e01, zeta_test.face[1].zpass, STENCIL_REPLACE),
        ROW(0x15a0, 0x150a, zeta_test.face[1].zpass, STENCIL_INVERT),
        ROW(0x15a4, 0x201, zeta_test.face[1].func, FUNC_LESS),
        ROW(0x15a4, 0x206, zeta_test.face[1].func, FUNC_GEQUAL),
    };
    CHECK((struct fixture *)f, rows);
}

TEST_WITH(test_blend, setup_observed, teardown) {
    static const struct row rows[] = {
        /* for all targets, unless BLEND_INDEPENDENT; OpenGL's factors with bit 14 */
        ROW(0x1340, 0x8007, color_op.blend[7].equation_rgb, EQUATION_MIN),
        ROW(0x1344, 0x4302, color_op.blend[0].src_rgb, BLEND_SRC_ALPHA),
        ROW(0x1348, 0x4303, color_op.blend[7].dst_rgb, BLEND_ONE_MINUS_SRC_ALPHA),
        ROW(0x134c, 0x8008, color_op.blend[0].equation_a, EQUATION_MAX),
        ROW(0x1350, 0xc001, color_op.blend[0].src_a, BLEND_CONSTANT_COLOR),
        ROW(0x1358, 0x4001, color_op.blend[0].dst_a, BLEND_ONE),
        ROW(0x1344, 0xc900, color_op.blend[0].src_rgb, BLEND_SRC1_COLOR), /* second source */
        ROW(0x1344, 0xc901, color_op.blend[0].src_rgb, BLEND_ONE_MINUS_SRC1_COLOR),
        ROW(0x1344, 0xc902, color_op.blend[0].src_rgb, BLEND_SRC1_ALPHA),
        ROW(0x1344, 0xc903, color_op.blend[0].src_rgb, BLEND_ONE_MINUS_SRC1_ALPHA),
        ROW(0x1344, 0xc904, color_op.blend[0].src_rgb, BLEND_ONE), /* treated as ONE */
        ROW(0x1344, 0xc8ff, color_op.blend[0].src_rgb, BLEND_ONE),
        ROW(0x1e04, 0x800a, color_op.blend[0].equation_rgb, EQUATION_MIN),
        ROW(0x12e4, 1, color_op.blend[0].equation_rgb, EQUATION_SUBTRACT),
        ROW(0x1ee4, 0x800b, color_op.blend[7].equation_rgb, EQUATION_REVERSE_SUBTRACT),
        ROW(0x1ee8, 0x4300, color_op.blend[7].src_rgb, BLEND_SRC_COLOR),
        ROW(0x1eec, 0x4301, color_op.blend[7].dst_rgb, BLEND_ONE_MINUS_SRC_COLOR),
        ROW(0x1ef0, 0x8007, color_op.blend[7].equation_a, EQUATION_MIN),
        ROW(0x1ef4, 0x4304, color_op.blend[7].src_a, BLEND_DST_ALPHA),
        ROW(0x1ef8, 0x4305, color_op.blend[7].dst_a, BLEND_ONE_MINUS_DST_ALPHA),
        ROW(0x12e4, 0, color_op.blend[7].equation_rgb, EQUATION_MIN),
        FLAG(0x1360, color_op.blend[0].enable),
        FLAG(0x137c, color_op.blend[7].enable),
        ROW(0x1360, 1, color_op.blend[1].enable, 0),
        ROW(0x135c, 1, color_op.blend[1].enable, 1), /* all follow the first */
        ROW(0x135c, 0, color_op.blend[1].enable, 0),
        ROW(0x1a00, 0x0001, color_op.mask[0], 1),
        ROW(0x1a00, 0x0020, color_op.mask[0], 2),
        ROW(0x1a00, 0x0400, color_op.mask[0], 4),
        ROW(0x1a00, 0x8000, color_op.mask[0], 8),
        ROW(0x1a00, 0x1111, color_op.mask[0], 15),
        ROW(0x1a1c, 0x1010, color_op.mask[7], 10),
        ROW(0x0f90, 1, color_op.mask[7], 15),
        ROW(0x0f90, 0, color_op.mask[7], 10),
        SAME(0x131c, 0x3e800000, 0, color_op.blend_color[0]),
        SAME(0x1328, 0x3e800000, 0, color_op.blend_color[3]),
        ROW(0x13a8, 0x10000001, color_op.clamp, 0x81),
        ROW(0x13a8, 0x00000010, color_op.clamp, 2),
        ROW(0x13a8, 0xeeeeeeee, color_op.clamp, 0),
        FLAG(0x19c4, color_op.logic_op_enable),
        ROW(0x19c8, 0x1506, color_op.logic_op, LOGIC_OP_XOR),
        ROW(0x19c8, 0x150f, color_op.logic_op, LOGIC_OP_SET),
        FLAG(0x12ec, color_op.alpha_test),
        ROW(0x1314, 0x201, color_op.alpha_func, FUNC_LESS),
        ROW(0x1314, 0x206, color_op.alpha_func, FUNC_GEQUAL),
        SAME(0x1310, 0x3e800000, 0, color_op.alpha_ref),
    };
    CHECK((struct fixture *)f, rows);
}

TEST_WITH(test_samples_and_streams, setup_observed, teardown) {
    static const struct row rows[] = {
        FLAG(0x1534, sample.multisample),
        FLAG(0x1514, sample.count),
        ROW(0x1558, 4, condition_mode, 4),
        ROW(0x1558, 1, condition_mode, 1),
        ADDRESS(0x1550, condition_address),
        FLAG(0x17b8, stream.enable),
        ROW(0x17b8, 0, stream.enable, 0),
        ROW(0x1294, 1, stream.limit_by_primitives, 1),
        ROW(0x1294, 2, stream.limit_by_primitives, 0),
        ROW(0x1a8c, 0x1000, stream.buffer[0].limit, 0x1000),
        ROW(0x1abc, 0x2000, stream.buffer[3].limit, 0x2000),
        ROW(0x1294, 0, stream.limit_by_primitives, 1),
        ROW(0x1294, 0, stream.buffer[0].limit, UINT32_MAX),
        ROW(0x1294, 0x40, stream.buffer_count, 4),
        ROW(0x1294, 0xfff01, stream.buffer_count, 1),
        ROW(0x1294, 0x4001, stream.buffer[0].words, 0x10),
        ROW(0x1480, 0x8483, stream.buffer[0].slot[3], 0), /* slot 0 goes to word 3 */
        ROW(0x1480, 0x8483, stream.buffer[0].slot[4], 1),
        ROW(0x1480, 0x8483, stream.buffer[0].slot[2], STREAM_SKIP),
        ROW(0x14fc, 0x8f0000, stream.buffer[0].slot[15], 126),
        ROW(0x14fc, 0x830000, stream.buffer[0].slot[3], 0), /* of two slots, the first counts */
        ROW(0x14fc, 0x900000, stream.buffer[0].slot[15], STREAM_SKIP), /* beyond the stride */
        ADDRESS(0x1a80, stream.buffer[0].address),
        ADDRESS(0x1ab0, stream.buffer[3].address),
        ROW(0x1294, 0x40, stream.buffer_count, 4),
        ROW(0x1a88, 12, stream.buffer[0].stride, 48),
        ROW(0x1ab8, 12, stream.buffer[3].words, 12),
        SAME(0x1780, 64, 0, stream.buffer[0].offset),
        SAME(0x178c, 64, 0, stream.buffer[3].offset),
    };
    CHECK((struct fixture *)f, rows);
}

TEST_WITH(test_tables_and_bindings, setup_observed, teardown) {
    static const struct row rows[] = {
        ADDRESS(0x1574, tic_table.address),
        ADDRESS(0x155c, tsc_table.address),
        FLAG(0x1234, linked_tsc),
        ROW(0x1448, 15 << 1 | 5 << 9 | 1, tic[PROGRAM_VP][15].index, 5),
        ROW(0x1450, 15 << 1 | 6 << 9 | 1, tic[PROGRAM_GP][15].index, 6),
        ROW(0x1458, 7 << 9 | 1, tic[PROGRAM_FP][0].index, 7),
        ROW(0x1458, 7 << 9 | 1, tic[PROGRAM_FP][0].valid, 1),
        ROW(0x1458, 7 << 9, tic[PROGRAM_FP][0].valid, 0),
        ROW(0x1458, 0xfffffe01, tic[PROGRAM_FP][0].index, 0x3fffff & 0x7fffff),
        ROW(0x1444, 15 << 4 | 5 << 12 | 1, tsc[PROGRAM_VP][15].index, 5),
        ROW(0x144c, 15 << 4 | 6 << 12 | 1, tsc[PROGRAM_GP][15].index, 6),
        ROW(0x1454, 7 << 12 | 1, tsc[PROGRAM_FP][0].index, 7),
        ROW(0x1454, 7 << 12, tsc[PROGRAM_FP][0].valid, 0),
        ROW(0x1280, 0xa5, const_buffer[127].size, 0),
        ROW(0x1284, 0x1000, const_buffer[127].size, 0),
        ROW(0x1288, 0x7f0100, const_buffer[127].size, 0x100),
        ROW(0x1288, 0x7f0100, const_buffer[127].address, UINT64_C(0xa500001000)),
        ROW(0x1288, 0x7f0000, const_buffer[127].size, 0x10000), /* 0: 64 KiB */
        ROW(0x1694, 0x7f << 12 | 15 << 8 | 0 << 4 | 1, const_binding[PROGRAM_VP][15], 127),
        ROW(0x1694, 0x05 << 12 | 15 << 8 | 2 << 4 | 1, const_binding[PROGRAM_GP][15], 5),
        ROW(0x1694, 0x06 << 12 | 0 << 8 | 3 << 4 | 1, const_binding[PROGRAM_FP][0], 6),
        ROW(0x1694, 0x06 << 12 | 0 << 8 | 3 << 4, const_binding[PROGRAM_FP][0], 0xffff),
        SAME(0x300, 0x40000000, 5, current[0][0]),
        SAME(0x33c, 0x40000000, 5, current[15][0]),
        ROW(0x384, 0x40400000, current[0][1], 0x40400000),
        ROW(0x3fc, 7, current[15][1], 7),
        ROW(0x3fc, 7, current[15][2], 0),
        ROW(0x3fc, 7, current[15][3], 0x3f800000), /* missing components: 0, 0, 0, 1 */
        ROW(0x4f8, 8, current[15][2], 8),
        ROW(0x5fc, 9, current[15][3], 9),
        ROW(0x4f8, 8, current[15][3], 0x3f800000),
    };
    CHECK((struct fixture *)f, rows);
}

/* Fields of registers: the bits that are the field, and bits that must be set beside them. */
#define BITS(method, base, field, first, count)                                                    \
    {method, base, offsetof(struct state, field), sizeof(((struct state *)0)->field), first,       \
     count,  0}
#define BITS_BUT(method, base, field, first, count, but)                                           \
    {method, base, offsetof(struct state, field), sizeof(((struct state *)0)->field), first,       \
     count,  but}
static const struct {
    uint16_t method;
    uint32_t base, offset;
    uint8_t size, first, count;
    uint32_t but; /* bits with another effect on the field */
} bit_fields[] = {
    BITS(0x900, 0, array[0].stride, 0, 12),
    BITS(0x900, 0, array[0].enable, 29, 1),
    BITS(0x1ac4, 0, attribute[1].array, 0, 4),
    BITS(0x1ac4, 0, attribute[1].constant, 4, 1),
    BITS(0x1ac4, 0, attribute[1].offset, 5, 14),
    BITS(0x1ac4, 0, attribute[1].format, 19, 6),
    BITS(0x1ac4, 0, attribute[1].type, 25, 6),
    BITS(0x1ac4, 0, attribute[1].bgra, 31, 1),
    BITS(0x1648, 0, restart_index, 0, 32),
    BITS(0x1434, 0, element_base, 0, 32),
    BITS(0x1650, 0, header[PROGRAM_VP].attr_enable[0], 0, 32),
    BITS(0x1654, 0, header[PROGRAM_VP].attr_enable[1], 0, 32),
    BITS(0x1548, 0, header[PROGRAM_FP].noperspective[2], 0, 32),
    BITS(0x13c4, 0, point_coord_map[1], 0, 32),
    BITS(0x13dc, 0, point_coord_map[7], 0, 32),
    BITS(0x1910, 0x11, semantic.point_size, 4, 8),
    BITS(0x190c, 1, semantic.layer, 0, 8),
    BITS(0x15cc, 0, layer, 0, 16),
    BITS(0x1914, 1, semantic.primitive_id, 0, 8),
    BITS(0x1908, 0, semantic.clip, 0, 8),
    BITS(0x1908, 0, semantic.clip_count, 8, 4),
    BITS(0x1904, 0, semantic.color_front, 0, 8),
    BITS(0x1904, 0, semantic.color_back, 8, 8),
    BITS(0x1904, 0, semantic.color_count, 16, 8),
    BITS(0x1904, 0, semantic.color_clamp, 24, 1),
    BITS(0x20c, 0, color[0].tile_h, 4, 4),
    BITS(0x20c, 0, color[0].tile_d, 8, 4),
    BITS(0x2ec, 0, color[7].tile_h, 4, 4),
    BITS(0x2ec, 0, color[7].tile_d, 8, 4),
    BITS_BUT(0x1240, 0, color[0].width, 0, 28, 1u << 31),
    BITS(0x1240, 0, color[0].linear, 31, 1),
    BITS(0x1244, 0, color[0].height, 0, 32),
    BITS(0xfec, 0, zeta.tile_h, 4, 4),
    BITS(0xfec, 0, zeta.tile_d, 8, 4),
    BITS(0x1228, 0, zeta.width, 0, 28),
    BITS(0x122c, 0, zeta.height, 0, 32),
    BITS(0x121c, 1, color_map[0], 4, 3),
    BITS(0x121c, 1, color_map[1], 7, 3),
    BITS(0x121c, 1, color_map[2], 10, 3),
    BITS(0x121c, 1, color_map[3], 13, 3),
    BITS(0x121c, 1, color_map[4], 16, 3),
    BITS(0x121c, 1, color_map[5], 19, 3),
    BITS(0x121c, 1, color_map[6], 22, 3),
    BITS(0x121c, 1, color_map[7], 25, 3),
    BITS_BUT(0x121c, 0, color_count, 0, 4, 8),
    BITS(0x1230, 1, layers, 0, 16),
    BITS(0x1224, 1, layers_3d, 16, 1),
    BITS(0xc00, 0, viewport[0].rect.x0, 0, 16),
    BITS(0xc04, 0, viewport[0].rect.y0, 0, 16),
    BITS(0xe04, 0, viewport[0].scissor.x0, 0, 16),
    BITS(0xe04, 0, viewport[0].scissor.x1, 16, 16),
    BITS(0xe08, 0, viewport[0].scissor.y0, 0, 16),
    BITS(0xe08, 0, viewport[0].scissor.y1, 16, 16),
    BITS(0xd08, 0, limits.rect[1].x0, 0, 16),
    BITS(0xd08, 0, limits.rect[1].x1, 16, 16),
    BITS(0xd0c, 0, limits.rect[1].y0, 0, 16),
    BITS(0xd0c, 0, limits.rect[1].y1, 16, 16),
    BITS(0x1510, 0, clip_enable, 0, 8),
    BITS(0x1940, 0, clip_mode, 0, 32),
    BITS(0x1680, 0, line_stipple_pattern, 8, 16),
    BITS(0x177c, 0, setup.stipple_pattern[31], 0, 32),
    BITS(0x15e4, 0, edge_flag, 0, 1),
    BITS(0x1394, 0, zeta_test.face[0].ref, 0, 8),
    BITS(0x1398, 0, zeta_test.face[0].write_mask, 0, 8),
    BITS(0x139c, 0, zeta_test.face[0].func_mask, 0, 8),
    BITS(0xf54, 0, zeta_test.face[1].ref, 0, 8),
    BITS(0xf58, 0, zeta_test.face[1].write_mask, 0, 8),
    BITS(0xf5c, 0, zeta_test.face[1].func_mask, 0, 8),
    BITS(0x153c, 0, color_op.alpha_to_coverage, 0, 1),
    BITS(0x153c, 0, color_op.alpha_to_one, 4, 1),
    BITS(0xfbc, 0, sample.mask, 0, 16),
    BITS(0x1928, 0, fp_sample_mask, 0, 1),
    BITS(0x1928, 0, sample.shading, 1, 1),
    BITS(0x169c, 0, sample.shading, 4, 1),
    BITS(0x1294, 1, stream.buffer[0].stride, 8, 12),
    BITS(0xda8, 0, stream.primitive_limit, 0, 32),
    BITS(0x1664, 0, seamless_cube, 2, 1),
    BITS(0x157c, 0, tic_table.limit, 0, 32),
    BITS(0x1564, 0, tsc_table.limit, 0, 32),
    BITS_BUT(0x1448, 0, tic[PROGRAM_VP][0].valid, 0, 1, 0x1fe),
    BITS_BUT(0x1448, 1, tic[PROGRAM_VP][0].index, 9, 22, 0x1fe),
    BITS_BUT(0x1444, 0, tsc[PROGRAM_VP][0].valid, 0, 1, 0xf0),
    BITS_BUT(0x1444, 1, tsc[PROGRAM_VP][0].index, 12, 20, 0xf0),
    BITS_BUT(0x1288, 0x80, const_buffer[0].size, 0, 16, 0x7f0000),
    BITS_BUT(0x1694, 1, const_binding[PROGRAM_VP][0], 12, 7, 0xff1),
    BITS(0x164c, 0, header[PROGRAM_VP].builtin_enable, 0, 32),
    BITS(0x1988, 0, header[PROGRAM_FP].interpolant_ctrl, 0, 32),
    BITS(0x19a8, 0, header[PROGRAM_FP].fp_control, 0, 32),
};

/* Sets each bit of a register alone, and all bits but one; the bits of `base` are always set. A bit
 * belongs to the field if it lies between `first` and the field's end; otherwise the bit must not
 * change the field. */
TEST_WITH(test_every_bit, setup_observed, teardown) {
    one(f, THREE_D, 0x15cc, 1 << 16); /* programs choose layers */
    one(f, THREE_D, 0x16ac, 66);      /* the full result map */
    set(f, 0x17ac, 66);
    for (size_t i = 0; i < LENGTH(bit_fields); i++) {
        for (uint32_t k = 0; k < 64; k++) {
            const uint32_t bit = 1u << k % 32,
                           word = bit_fields[i].base | ((k < 32 ? bit : ~bit) & ~bit_fields[i].but);
            const uint64_t mask = (UINT64_C(1) << bit_fields[i].count) - 1;
            const struct row row = {bit_fields[i].method, word, bit_fields[i].offset,
                                    bit_fields[i].size, word >> bit_fields[i].first & mask};
            check_row(f, &row, i);
        }
        set(f, bit_fields[i].method, bit_fields[i].base);
    }
}

/* Each slot of each stage is bound alone: textures, samplers, constants. The method, or bits of its
 * word, select the stage. */
TEST_WITH(test_slots, setup_observed, teardown) {
    static const int stages[] = {PROGRAM_VP, PROGRAM_GP, PROGRAM_FP};
    static const uint32_t codes[] = {0, 2, 3};
    for (uint32_t stage = 0; stage < 3; stage++)
        for (uint32_t slot = 0; slot < 16; slot++)
            for (uint32_t bound = 2; bound-- > 0;) {
                static struct state want;
                const uint32_t index = 100 * stage + slot + 1;
                want = channel_context(f->channel)->state;
                want.tic[stages[stage]][slot].valid = want.tsc[stages[stage]][slot].valid = bound;
                want.tic[stages[stage]][slot].index = want.tsc[stages[stage]][slot].index = index;
                want.const_binding[stages[stage]][slot] = bound ? (int16_t)(index & 127) : -1;
                if (stages[stage] == PROGRAM_VP) /* compute programs share the table */
                    want.const_binding[PROGRAM_CP][slot] = bound ? (int16_t)(index & 127) : -1;
                one(f, THREE_D, 0x1448 + 8 * stage, index << 9 | slot << 1 | bound);
                one(f, THREE_D, 0x1444 + 8 * stage, index << 12 | slot << 4 | bound);
                one(f, THREE_D, 0x1694,
                    (index & 127) << 12 | slot << 8 | codes[stage] << 4 | bound);
                const struct state *is = drawn(f);
                assert_memory_equal(is->tic, want.tic, sizeof want.tic);
                assert_memory_equal(is->tsc, want.tsc, sizeof want.tsc);
                assert_memory_equal(is->const_binding, want.const_binding,
                                    sizeof want.const_binding);
            }
    f->said[0] = 0;
    for (uint32_t slot = 16; slot < 256; slot++) { /* no such slots; only a binding is reported */
        const struct state before = channel_context(f->channel)->state;
        char text[32];
        f->said[0] = 0;
        set(f, 0x1448, 7 << 9 | slot << 1);
        assert_string_equal(f->said, "");
        set(f, 0x1450, 7 << 9 | slot << 1 | 1);
        snprintf(text, sizeof text, "BIND_TIC (1450): slot %u\n", slot);
        assert_non_null(strstr(f->said, text));
        assert_memory_equal(channel_context(f->channel)->state.tic, before.tic, sizeof before.tic);
    }
    for (uint32_t program = 0; program < 16; program++) {
        char text[64];
        f->said[0] = 0;
        set(f, 0x1694, program << 4);
        snprintf(text, sizeof text, "SET_PROGRAM_CB (1694): program %u\n", program);
        if (program == 0 || program == 2 || program == 3)
            assert_string_equal(f->said, "");
        else
            assert_non_null(strstr(f->said, text));
    }
}

/* A method that binds constants, textures or samplers, or sets an attribute, marks its group, and
 * only this group, for the next draw. */
TEST_WITH(test_told, setup_observed, teardown) {
    static const struct {
        uint16_t method;
        uint32_t group;
    } rows[] = {{0x1694, GROUP_CONSTANT}, {0x1288, GROUP_CONSTANT}, {0x1448, GROUP_TEXTURE},
                {0x1444, GROUP_TEXTURE},  {0x304, GROUP_FETCH},     {0x51c, GROUP_FETCH},
                {0x17b8, GROUP_STREAM}};
    drawn(f);
    drawn(f);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        drawn(f);
        assert_int_equal(touched, 0);
        set(f, rows[i].method, 1);
        if (touched != 1u << rows[i].group)
            fail_msg("method %04x: %x", rows[i].method, touched);
    }
}

/* The report of an invalid format names the method of the target. Formats are checked only for
 * colour targets with an address, and for zeta if it is enabled. */
TEST_WITH(test_formats, setup_observed, teardown) {
    char text[80];
    for (uint32_t i = 0; i < 3; i++) /* attributes, whose registers follow the last target's */
        one(f, THREE_D, 0x300 + 4 * i, 0x17);
    set(f, 0x121c, 8);
    assert_null(strstr(f->said, "format"));
    for (uint32_t i = 0; i < 8; i++) {
        f->said[0] = 0;
        set(f, 0x208 + 32 * i, 0x17 + i);
        assert_string_equal(f->said, ""); /* the target is at address 0 */
        set(f, 0x204 + 32 * i, 0x1000);
        snprintf(text, sizeof text, "RT_FORMAT (%04x): format %x\n", 0x208 + 32 * i, 0x17 + i);
        if (!strstr(f->said, text))
            fail_msg("target %u: '%s'", i, f->said);
        set(f, 0x208 + 32 * i, 0);
        f->said[0] = 0;
    }
    set(f, 0xfe8, 5);
    assert_string_equal(f->said, "");
    set(f, 0x1538, 1);
    assert_non_null(strstr(f->said, "ZETA_FORMAT (0fe8): format 5\n"));
    f->said[0] = 0;
    set(f, 0xfe8, 0xa);
    assert_string_equal(f->said, "");
    set(f, 0xdf8, 7); /* a window offset has no effect but this report */
    assert_non_null(strstr(f->said, "WINDOW_OFFSET_X (0df8): window offset 7, 0\n"));
    one(f, THREE_D, 0xdf8, 0);
    set(f, 0xdfc, UINT32_MAX);
    assert_non_null(strstr(f->said, "window offset 0, -1\n"));
    one(f, THREE_D, 0xdfc, 0);
    f->said[0] = 0;
    drawn(f);
    assert_string_equal(f->said, "");
}

/* The values in a context in which no register was written. */
TEST_WITH(test_defaults, setup_observed, teardown) {
    static const struct row rows[] = {
        ROW(0x100, 0, condition_mode, 1),
        ROW(0x100, 0, edge_flag, 1),
        ROW(0x100, 0, rasterize, 1),
        ROW(0x100, 0, viewport_transform, 1),
        ROW(0x100, 0, polygon_mode[0], POLYGON_FILL),
        ROW(0x100, 0, polygon_mode[1], POLYGON_FILL),
        ROW(0x100, 0, setup.line_width, 0x3f800000),
        ROW(0x100, 0, point_size, 0x3f800000),
        ROW(0x100, 0, sample.mask, 0xffff),
        ROW(0x100, 0, setup.front_ccw, 0),
        ROW(0x100, 0, zeta_test.depth_func, FUNC_ALWAYS),
        ROW(0x100, 0, color_op.alpha_func, FUNC_ALWAYS),
        ROW(0x100, 0, color_op.logic_op, LOGIC_OP_COPY),
        ROW(0x100, 0, color_op.mask[0], 15),
        ROW(0x100, 0, color_op.mask[1], 0),
        ROW(0x100, 0, setup.point_origin_lower_left, 0),
        ROW(0x100, 0, flat_shade, 0),
        ROW(0x100, 0, zeta_test.face[0].func, FUNC_ALWAYS),
        ROW(0x100, 0, zeta_test.face[1].func, FUNC_ALWAYS),
        ROW(0x100, 0, zeta_test.bounds[1], 0x3f800000),
        ROW(0x1918, 1, setup.cull, CULL_BACK),
    };
    CHECK(f, rows);
    if (f->lines != 2) /* both about the missing vertex program */
        fail_msg("%s", f->said);
}

/* The oldest class has no seamless cubes, its vertex ids include the base that is added to indices,
 * and a new address of a stream buffer resets the offset. */
TEST_WITH(test_old_class, setup_observed, teardown) {
    fixture_close(f);
    open_class(f, TP_CHIP_G80, 0x50, 0x5097);
    static const struct row rows[] = {
        ROW(0x1664, 4, seamless_cube, 0),
        ROW(0x1434, 3, id_before_base, 0),
        ROW(0x1294, 0, stream.limit_by_primitives, 1),
        ROW(0x1780, 64, stream.buffer[0].offset, 64),
        ROW(0x1a84, 0x1000, stream.buffer[0].offset, 0), /* a new address resets the offset */
    };
    CHECK(f, rows);
}

/* A program begins at a multiple of 8 inside its code segment, and may end where the segment ends.
 * l[] is as large as the program's accesses reach, whatever the registers say. If an access uses an
 * address register, l[] has its largest size. */
TEST_WITH(test_where_programs_are, setup_observed, teardown) {
    static const struct {
        const char *text;
        uint32_t local;
    } programs[] = {{"exit nop\n", 0},
                    {"ld b32 $r0 l[0x40]\nexit nop\n", 0x50},
                    {"ld b32 $r0 l[0x40]\nld b32 $r0 l[0x10]\nexit nop\n", 0x50},
                    {"st b32 l[0x100] $r0\nexit nop\n", 0x110},
                    {"ld b32 $r0 l[$a1+0x40]\nexit nop\n", 0x10000}};
    struct gpu_memory *m = f->device->memory;
    for (size_t i = 0; i < LENGTH(programs); i++) {
        const uint64_t segment = memory_alloc(m, 4096, 4096), size = memory_extent(m, segment);
        struct asm_result code =
            assembled(isa_variant_from_chipset(0xa3), PROGRAM_VP, programs[i].text);
        const uint32_t bytes = code.count * 4, start = (uint32_t)(size - bytes) & ~7u;
        memcpy(memory_at(m, segment + start, bytes), code.words, bytes);
        asm_result_free(&code);
        const uint32_t starts[] = {
            start,      start + 4, (uint32_t)size, (uint32_t)size + 8, (uint32_t)size * 5 / 4 - 8,
            0x80000000u};
        static const struct {
            int type;
            uint16_t address, start;
        } stages[] = {
            {PROGRAM_VP, 0xf7c, 0x140c}, {PROGRAM_GP, 0xf70, 0x1410}, {PROGRAM_FP, 0xfa4, 0x1414}};
        for (size_t n = 0; n < 3 * LENGTH(starts); n++) {
            const size_t k = n / 3, stage = n % 3;
            one(f, THREE_D, 0x1798, stages[stage].type == PROGRAM_GP);
            one(f, THREE_D, stages[stage].address, (uint32_t)(segment >> 32));
            one(f, THREE_D, stages[stage].address + 4, (uint32_t)segment);
            one(f, THREE_D, stages[stage].start, starts[k]);
            const struct state *s = drawn(f);
            assert_int_equal(s->program[stages[stage].type] != NULL, k == 0);
            assert_int_equal(s->header[stages[stage].type].local_size, k ? 0 : programs[i].local);
            if (stages[stage].type != PROGRAM_GP)
                continue;
            one(f, THREE_D, 0x1798, 0); /* off: no geometry program */
            assert_null(drawn(f)->program[PROGRAM_GP]);
            assert_int_equal(drawn(f)->header[PROGRAM_GP].local_size, 0);
        }
        memory_free(m, segment);
    }
}

/* Invalid slots, programs and values, and commands outside of BEGIN and END, are reported. */
TEST_WITH(test_complaints, setup_observed, teardown) {
    static const struct {
        uint16_t method;
        uint32_t data;
        const char *says;
    } rows[] = {
        {0x1448, 16 << 1 | 1, "slot 16"},   {0x1694, 1 << 4 | 1, "program 1"},
        {0x1694, 4 << 4 | 1, "program 4"},  {0xdf8, 1, "window offset 1, 0"},
        {0x13ac, 1, "y control 1"},         {0x1530, 0x14, "counter 14"},
        {0x123c, 3, "outside of BEGIN"},    {0xd78, 3, "outside of BEGIN"},
        {0x15e8, 3, "outside of BEGIN"},    {0x1640, 3, "outside of BEGIN"},
        {0x15e0, 0, "END without BEGIN"},   {0x15f0, 3, "outside of BEGIN"},
        {0x1304, 3, "outside of BEGIN"},    {0x1b0c, 0x0e000000, "query 14"},
        {0x1b0c, 0x0a800000, "counter 10"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        f->said[0] = 0;
        one(f, THREE_D, rows[i].method, rows[i].data);
        channel_execute(f->channel, f->push, f->count * 4);
        f->count = 0;
        drawn(f);
        if (!strstr(f->said, rows[i].says))
            fail_msg("%04x: '%s' instead of '%s'", rows[i].method, f->said, rows[i].says);
        one(f, THREE_D, 0xdf8, 0);
    }
}
