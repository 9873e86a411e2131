/* Texture methods of the 3D class: bindings reach every entry of the tables, and TEX_MISC makes
 * cubes seamless on classes that have it. */
#include "pipeline/context.h"
#include "tests/fifo/fixture.h"

enum { BIND_TSC_FP = 0x1454, BIND_TIC_FP = 0x1458, TEX_MISC = 0x1664 };

static const struct state *state_of(struct fixture *f) {
    run(f);
    return &channel_context(f->channel)->state;
}

static void open_class(struct fixture *f, enum tp_chip chip, uint32_t chipset, uint32_t class_id) {
    fixture_open(f, chip, chipset, 1, 64 << 20);
    fixture_object(f, THREE_D, 0xbeef5097, class_id);
    run(f);
}

/* A driver's tables have 2048 entries. */
TEST(test_bindings) {
    struct fixture f;
    open_class(&f, TP_CHIP_GT215, 0xa3, 0x8597);
    for (uint32_t index = 0; index < 2048; index += 89) {
        one(&f, THREE_D, BIND_TSC_FP, index << 12 | 5 << 4 | 1);
        one(&f, THREE_D, BIND_TIC_FP, index << 9 | 7 << 1 | 1);
        const struct state *s = state_of(&f);
        assert_true(s->tsc[PROGRAM_FP][5].valid && s->tic[PROGRAM_FP][7].valid);
        assert_int_equal(s->tsc[PROGRAM_FP][5].index, index);
        assert_int_equal(s->tic[PROGRAM_FP][7].index, index);
    }
    fixture_close(&f);
}

/* A draw takes over the state that methods have set. */
static bool seamless_after(struct fixture *f, uint32_t tex_misc) {
    one(f, THREE_D, TEX_MISC, tex_misc);
    one(f, THREE_D, 0x15dc, 4); /* VERTEX_BEGIN_GL */
    one(f, THREE_D, 0xd78, 3);
    one(f, THREE_D, 0x15e0, 0);
    return state_of(f)->seamless_cube;
}

/* Classes from 8397 on have the bit. */
TEST(test_seamless) {
    static const struct {
        enum tp_chip chip;
        uint32_t chipset, class;
        bool has;
    } rows[] = {{TP_CHIP_G80, 0x50, 0x5097, false},
                {TP_CHIP_G84, 0x84, 0x8297, false},
                {TP_CHIP_G200, 0xa0, 0x8397, true},
                {TP_CHIP_GT215, 0xa3, 0x8597, true},
                {TP_CHIP_MCP77, 0xaf, 0x8697, true}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct fixture f;
        open_class(&f, rows[i].chip, rows[i].chipset, rows[i].class);
        assert_false(seamless_after(&f, 0));
        assert_int_equal(seamless_after(&f, 4), rows[i].has);
        assert_false(seamless_after(&f, 3));
        fixture_close(&f);
    }
}
