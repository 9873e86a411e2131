/* Registers of a Fermi's 3D class that a Tesla's has not, each with the field of the state that
 * must have the value at the next draw; current attributes of all forms, against a model. */
#include "pipeline/context_private.h"
#include "shader/sph.h"
#include "tests/assembled.h"
#include "tests/fifo/fermi.h"
#include "tests/random.h"

#include <math.h>

static const struct state *state_of(const struct fixture *f) {
    return &channel_context(f->channel)->state;
}

struct row {
    uint16_t method;
    uint32_t data;
    size_t offset, size; /* of the field in struct state */
    uint64_t expected;
};
#define ROW(method, data, field, expected)                                                         \
    {method, data, offsetof(struct state, field), sizeof(((struct state *)0)->field), expected}

/* The number of a stage's constant buffer. */
#define CONSTANTS(stage, slot) ((stage) * STATE_CONST_SLOTS + (slot))

/* The rows are tested in this order: a row may rely on the rows before it. */
static const struct row rows[] = {
    ROW(0x100, 0, viewport[0].rect.x0, 0), /* of a fresh object: the largest viewport */
    ROW(0x100, 0, viewport[0].rect.x1, 0xffff),
    ROW(0x100, 0, viewport[0].rect.y1, 0xffff),
    ROW(0x320, 0x202, tess_mode.domain, TESS_QUADS),
    ROW(0x320, 0x202, tess_mode.primitives, TESS_TRIANGLE_LIST),
    ROW(0x320, 0x002, tess_mode.primitives, TESS_POINTS),
    ROW(0x320, 0x201, tess_mode.primitives, TESS_TRIANGLE_LIST),
    ROW(0x320, 0x100, tess_mode.primitives, TESS_LINES),
    ROW(0x320, 0x200, tess_mode.primitives, TESS_POINTS),
    ROW(0x320, 0x012, tess_mode.spacing, 1),
    ROW(0x320, 0x102, tess_mode.clockwise, true),
    ROW(0x744, 1, stream.enable, true),
    ROW(0x744, 1, stream.buffer_count, 4),
    ROW(0x3a4, 0x12, stream.buffer[1].address, 0), /* the buffer is off */
    ROW(0x3a8, 0x345678, stream.buffer[1].address, 0),
    ROW(0x3ac, 0x1000, stream.buffer[1].limit, 0),
    ROW(0x3b0, 0x40, stream.buffer[1].offset, 0x40),
    ROW(0x714, 5, stream.buffer[1].words, 0),
    ROW(0x718, 20, stream.buffer[1].stride, 0),
    ROW(0x710, 2, stream.buffer[1].stream, STREAM_SKIP),
    ROW(0x3a0, 1, stream.buffer[1].address, UINT64_C(0x1200345678)),
    ROW(0x3a0, 1, stream.buffer[1].limit, 0x1000),
    ROW(0x3a0, 1, stream.buffer[1].words, 5),
    ROW(0x3a0, 1, stream.buffer[1].stride, 20),
    ROW(0x3a0, 1, stream.buffer[1].stream, 2),
    ROW(0x3a0, 1, stream.buffer[0].address, 0),
    ROW(0x3a0, 0, stream.buffer[1].words, 0), /* off again */
    ROW(0x3a0, 0, stream.buffer[1].stride, 0),
    ROW(0x3a0, 1, stream.buffer[1].words, 5),
    ROW(0x744, 0, stream.enable, false),
    ROW(0x744, 0, stream.buffer[1].words, 0),
    ROW(0x744, 0, stream.buffer[1].stride, 0),
    ROW(0x714, 128, stream.buffer[1].words, 0),
    ROW(0x744, 1, stream.buffer[1].words, 128),
    ROW(0x714, 129, stream.buffer[1].words, 128), /* at most 128 words */
    ROW(0x744, 0, stream.enable, false),
    ROW(0x320, 0x002, tess_mode.clockwise, false),
    ROW(0x320, 0x001, tess_mode.primitives, TESS_POINTS),
    ROW(0x324, 0x12345678, tess_levels.outer[0], 0x12345678),
    ROW(0x330, 0x23456789, tess_levels.outer[3], 0x23456789),
    ROW(0x334, 0x3456789a, tess_levels.inner[0], 0x3456789a),
    ROW(0x338, 0x456789ab, tess_levels.inner[1], 0x456789ab),
    ROW(0xdcc, 255, patch_vertices, 255),
    ROW(0xdcc, 256, patch_vertices, 255),
    ROW(0xdcc, 3, patch_vertices, 3),
    ROW(0x1c00, 0x1000, array[0].enable, true),
    ROW(0x1c00, ~0x1000u, array[0].enable, false),
    ROW(0x1cf0, 0x1000, array[15].enable, true),
    ROW(0x1160, 0x1f, attribute[0].array, 31),
    ROW(0x1160, ~0x1fu, attribute[0].array, 0),
    ROW(0x1160, 1 << 6, attribute[0].constant, true),
    ROW(0x1160, ~(1u << 6), attribute[0].constant, false),
    ROW(0x1160, 0x3fffu << 7, attribute[0].offset, 0x3fff),
    ROW(0x1160, ~(0x3fffu << 7), attribute[0].offset, 0),
    ROW(0x1160, 0x3fu << 21, attribute[0].format, 0x3f),
    ROW(0x1160, ~(0x3fu << 21), attribute[0].format, 0),
    ROW(0x1160, 7u << 27, attribute[0].type, 63), /* a type is a Tesla's, divided by 9 */
    ROW(0x1160, ~(7u << 27), attribute[0].type, 0),
    ROW(0x1160, 1u << 31, attribute[0].bgra, true),
    ROW(0x1160, ~(1u << 31), attribute[0].bgra, false),
    ROW(0x119c, 5, attribute[15].array, 5),
    ROW(0x13b4, 0x40000000, setup.line_width, 0x40000000),
    ROW(0x13b0, 0x40800000, setup.line_width, 0x40000000),
    ROW(0x1570, 1, setup.line_width, 0x40800000), /* smooth lines have a width of their own */
    ROW(0x1570, 0, setup.line_width, 0x40000000),
    ROW(0x1534, 1, setup.line_width, 0x40800000), /* multisampled lines, too */
    ROW(0x1534, 0, setup.line_width, 0x40000000),
    ROW(0x1604, 4, setup.point_origin_lower_left, false),
    ROW(0x1604, 3, setup.point_origin_lower_left, true),
    ROW(0x1910, 1, point_size_from_slot, true),
    ROW(0x1910, 2, point_size_from_slot, false),
    ROW(0x2600, 1, semantic.color_clamp, true),
    ROW(0x2600, 2, semantic.color_clamp, false),
    ROW(0x15cc, 0x1234, layer, 0x1234),
    ROW(0x15cc, 0x1234, semantic.layer, 0xff),
    ROW(0x164c, 0x1000, header[PROGRAM_VP].builtin_enable, 0x1000),
    ROW(0x164c, ~0x1000u, header[PROGRAM_VP].builtin_enable, 0),
    /* the id of a vertex: enabled, word of a[] */
    ROW(0x161c, 0x381, vertex_id_word, 1 + 4 * 6),
    ROW(0x161c, 0x380, vertex_id_word, 0),
    ROW(0x161c, 0x5f1, vertex_id_word, 1 + 4 * 15 + 3),
    ROW(0x161c, 0x601, vertex_id_word, 0), /* no attribute is there */
    ROW(0x161c, 0x1f1, vertex_id_word, 0),
    ROW(0x210, 1, header[PROGRAM_FP].fp_control, FP_EARLY_TESTS),
    ROW(0x210, 2, header[PROGRAM_FP].fp_control, 0),
    /* constants: CB_SIZE, CB_ADDRESS, then CB_BIND of a stage with valid, slot << 4 */
    ROW(0x2384, 0x12, const_binding[PROGRAM_VP][1], 0xffff),
    ROW(0x2388, 0x345600, const_binding[PROGRAM_VP][1], 0xffff),
    ROW(0x2380, 0x100, const_binding[PROGRAM_VP][1], 0xffff),
    ROW(0x2410, 0x11, const_binding[PROGRAM_VP][1], CONSTANTS(PROGRAM_VP, 1)),
    ROW(0x2410, 0x11, const_buffer[CONSTANTS(PROGRAM_VP, 1)].address, UINT64_C(0x1200345600)),
    ROW(0x2410, 0x11, const_buffer[CONSTANTS(PROGRAM_VP, 1)].size, 0x100),
    ROW(0x2430, 0x21, const_binding[PROGRAM_TCP][2], CONSTANTS(PROGRAM_TCP, 2)),
    ROW(0x2450, 0x01, const_binding[PROGRAM_TEP][0], CONSTANTS(PROGRAM_TEP, 0)),
    ROW(0x2470, 0xd1, const_binding[PROGRAM_GP][13], CONSTANTS(PROGRAM_GP, 13)),
    ROW(0x2490, 0xf1, const_binding[PROGRAM_FP][15], CONSTANTS(PROGRAM_FP, 15)),
    ROW(0x2410, 0x10, const_binding[PROGRAM_VP][1], 0xffff),
    /* textures and samplers: valid, slot, index */
    ROW(0x2404, 0x2468acf, tic[PROGRAM_VP][0x67].index, 0), /* no such slot */
    ROW(0x2404, 0x1234u << 9 | 5 << 1 | 1, tic[PROGRAM_VP][5].index, 0x1234),
    ROW(0x2484, 0x1234u << 9 | 5 << 1 | 1, tic[PROGRAM_FP][5].valid, true),
    ROW(0x2484, 5 << 1, tic[PROGRAM_FP][5].valid, false),
    ROW(0x2460, 0x321u << 12 | 15 << 4 | 1, tsc[PROGRAM_GP][15].index, 0x321),
    ROW(0x2460, 15 << 4, tsc[PROGRAM_GP][15].valid, false),
    /* images */
    ROW(0x2700, 0x12, image[0].address, UINT64_C(0x1200000000)),
    ROW(0x2704, 0x345600, image[0].address, UINT64_C(0x1200345600)),
    ROW(0x2708, 77, image[0].width, 77),
    ROW(0x270c, 0x1234, image[0].height, 0x1234),
    ROW(0x270c, 0x1234, image[0].linear, false),
    ROW(0x270c, 0x101234, image[0].height, 0x1234),
    ROW(0x270c, 0x101234, image[0].linear, true),
    ROW(0x2710, 0xd5 << 4, image[0].format, FORMAT_RGBA8_UNORM),
    ROW(0x2714, 0x20, image[0].tile_h, 3),
    ROW(0x27e8, 5, image[7].width, 5),
    /* targets */
    ROW(0x804, 0x1000, color[0].address, 0), /* no format */
    ROW(0x808, 64, color[0].width, 64),
    ROW(0x80c, 64, color[0].height, 64),
    ROW(0x810, 0xd5, color[0].address, 0x1000),
    ROW(0x814, 0x10100, color[0].tile_d, 1), /* 3D, tiles of 8 rows and 2 slices */
    ROW(0x820, 1, color[0].address, 0x1000 + 8 * 64),
    ROW(0x820, 2, color[0].address, 0x1000 + 64 * 64 * 4 * 2),
    ROW(0x820, 3, color[0].address, 0x1000 + 64 * 64 * 4 * 2 + 8 * 64),
    ROW(0x81c, 0x400, color[0].layer_stride, 0x1000),
    ROW(0x814, 0x00100, color[0].address, 0x4000), /* layers */
    ROW(0x814, 0x01000, color[0].address, 0x1000), /* linear: no layers */
    ROW(0x814, 0x01000, color[0].pitch, 64),
    ROW(0x814, 0x01000, color[0].width, 16),
    /* layers: of the deepest colour target, or of zeta if no colour target is bound */
    ROW(0x814, 0, layers, 1),
    ROW(0x1230, 0x10007, layers, 7),
    ROW(0x121c, 1, layers, 1),
    ROW(0x818, 0x10003, layers, 1), /* the base layer is 3 */
    ROW(0x818, 0x10005, layers, 2),
    ROW(0x818, 0x10005, color[0].layers, 2),
    ROW(0x1230, 0x10007, zeta.layers, 7),
    ROW(0x818, 0x10005, layers_3d, false),
    ROW(0x814, 0x10000, layers_3d, true),
    ROW(0x121c, 0, layers, 7),
    ROW(0x121c, 0, layers_3d, false),
    ROW(0x179c, 3, layers, 4),
    ROW(0x179c, 7, layers, 1),
    ROW(0xfe8, 0x16, zeta.address, 0),
    ROW(0xff0, 0x400, zeta.address, 0), /* no address: no layer */
    ROW(0xfe4, 0x2000, zeta.address, 0x2000 + 7 * 0x1000),
};

TEST_WITH(test_fields, setup_fermi, teardown) {
    for (size_t i = 0; i < LENGTH(rows); i++) {
        uint64_t value = 0;
        send(f, F3D, rows[i].method, rows[i].data);
        send(f, F3D, 0x1618, 4);
        send(f, F3D, 0x1614, 0);
        run(f);
        memcpy(&value, (const uint8_t *)state_of(f) + rows[i].offset, rows[i].size);
        if (value != rows[i].expected)
            fail_msg("row %zu: method %04x, data %08x: %llx", i, rows[i].method, rows[i].data,
                     (unsigned long long)value);
    }
}

/* Each word of a stream's vertices names an a[] word, which has one slot, or is skipped. */
TEST_WITH(test_stream_words, setup_fermi, teardown) {
    enum { WORDS = 6 };
    static const uint8_t words[8] = {0x70 / 4, 0x84 / 4, STREAM_SKIP, 0x70 / 4, 0x80 / 4, 0x84 / 4};
    const struct isa_target target = {ISA_GF100, PROGRAM_VP, SYNTAX_ENVYAS};
    struct asm_result code =
        assembled(ISA_GF100, PROGRAM_VP,
                  "st b128 a[0x70] $r0:$r1:$r2:$r3 0x0\nst b64 a[0x80] $r0:$r1 0x0\nexit\n");
    uint32_t header[SPH_WORDS];
    sph_make(target, &(struct program_header){0}, code.words, code.count, code.base, header);
    memcpy(f->bytes, header, sizeof header);
    memcpy(f->bytes + sizeof header, code.words, code.count * 4);
    asm_result_free(&code);
    send(f, F3D, 0x1608, (uint32_t)(f->data >> 32));
    send(f, F3D, 0x160c, (uint32_t)f->data);
    send(f, F3D, 0x2040, 1);
    send(f, F3D, 0x204c, 8);
    send(f, F3D, 0x744, 1);
    send(f, F3D, 0x3a0, 1); /* buffer 1 */
    send(f, F3D, 0x714, WORDS);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t word;
        memcpy(&word, words + 4 * i, 4);
        send(f, F3D, 0x2880 + 4 * i, word);
    }
    send(f, F3D, 0x1618, 0);
    send(f, F3D, 0x1614, 0);
    run(f);
    const uint8_t *slot = state_of(f)->stream.buffer[1].slot;
    assert_int_equal(state_of(f)->stream.buffer[1].words, WORDS);
    for (uint32_t i = 0; i < WORDS; i++)
        for (uint32_t k = 0; k < WORDS; k++)
            assert_int_equal(slot[i] == slot[k], words[i] == words[k]);
    assert_int_equal(slot[2], STREAM_SKIP);
}

/* Indices beyond the end of their array are dropped. */
TEST_WITH(test_end_of_indices, setup_fermi, teardown) {
    enum { INDICES = 20, FIRST = 5 };
    for (uint32_t format = 0; format < 3; format++)
        for (uint32_t count = 13; count < 18; count++) {
            const uint64_t limit = f->data + (INDICES << format) - 1;
            const uint32_t array[] = {HIGH_LOW(f->data), HIGH_LOW(limit), format, FIRST};
            head(f, INCREASE, F3D, 0x17c8, LENGTH(array));
            for (uint32_t i = 0; i < LENGTH(array); i++)
                put(f, array[i]);
            send(f, F3D, 0x1618, 0);
            send(f, F3D, 0x17e0, count);
            run(f);
            assert_int_equal(channel_context(f->channel)->p->draw.index_count,
                             count < INDICES - FIRST ? count : INDICES - FIRST);
            send(f, F3D, 0x1614, 0);
            run(f);
        }
}

/* ---- current attributes ---- */

enum { SNORM = 1, UNORM, SINT, UINT, USCALED, SSCALED, FLOAT };

static uint32_t bits_of(double v) {
    const float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static uint32_t expected_of(uint32_t raw, unsigned bits, unsigned type) {
    const double most = ldexp(1, (int)bits) - 1, half = ldexp(1, (int)bits - 1);
    const double s = raw >= half ? raw - most - 1 : raw;
    switch (type) {
    case SNORM:
        return bits_of(fmax(s / (half - 1), -1));
    case UNORM:
        return bits_of(raw / most);
    case USCALED:
        return bits_of(raw);
    case SSCALED:
        return bits_of(s);
    case SINT:
        return (uint32_t)(int32_t)s;
    case FLOAT: /* halves with one bit in the mantissa */
        return bits == 16 ? bits_of((raw >> 15 ? -1.5 : 1.5) * ldexp(1, (int)(raw >> 10 & 31) - 15))
                          : raw;
    default:
        return raw;
    }
}

/* Missing components are 0, 0, 0, 1. */
TEST_WITH(test_attributes, setup_fermi, teardown) {
    random_start(1);
    for (int round = 0; round < 2000; round++) {
        const uint32_t size = random_below(3), bits = 8u << size, count = 1 + random_below(4);
        const unsigned type = size ? 1 + random_below(7) : 1 + random_below(6);
        const uint32_t i = random_below(16), words = (count * bits + 31) / 32;
        uint32_t word[4] = {0}, raw[4];
        for (uint32_t k = 0; k < count; k++) {
            raw[k] = random_below(8)   ? random_below(256) * 0x01010101u
                     : random_below(2) ? UINT32_MAX
                                       : 1u << (bits - 1); /* the least signed number */
            if (type == FLOAT && bits == 16)
                raw[k] = (1 + random_below(30)) << 10 | random_below(2) << 15 | 0x200;
            raw[k] &= UINT32_MAX >> (32 - bits);
            word[k * bits / 32] |= raw[k] << k * bits % 32;
        }
        head(f, INCREASE, F3D, 0x114c, 1 + words);
        put(f, i | count << 8 | (1u << size) << 12 | type << 16);
        for (uint32_t k = 0; k < words; k++)
            put(f, word[k]);
        run(f);
        const uint32_t one = type == SINT || type == UINT ? 1 : bits_of(1);
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t want = k < count ? expected_of(raw[k], bits, type) : k < 3 ? 0 : one;
            if (state_of(f)->current[i][k] != want)
                fail_msg("type %u, %u bits, component %u of %u: %08x, not %08x", type, bits, k,
                         count, state_of(f)->current[i][k], want);
        }
    }
}
