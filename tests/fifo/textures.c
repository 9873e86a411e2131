/* What the 3D class says about textures beside their descriptors: bindings reach every entry of the
 * tables, and TEX_MISC makes cubes seamless where the class has it.
 */
#include "fifo/fifo.h"
#include "pipeline/context.h"
#include "tests/test.h"

enum { THREE_D = 3, WORDS = 64, BIND_TSC_FP = 0x1454, BIND_TIC_FP = 0x1458, TEX_MISC = 0x1664 };

struct fixture {
    tp_device *device;
    struct channel *channel;
    uint64_t push;
    uint32_t *word;
    uint32_t count;
};

static void no_log(void *self, int level, const char *line) {
    (void)self, (void)level, (void)line;
}

static void method(struct fixture *f, uint32_t address, uint32_t data) {
    assert_true(f->count + 2 <= WORDS);
    f->word[f->count++] = 1 << 18 | THREE_D << 13 | address;
    f->word[f->count++] = data;
}

static const struct state *run(struct fixture *f) {
    channel_execute(f->channel, f->push, f->count * 4);
    f->count = 0;
    return &channel_context(f->channel)->state;
}

static void open_class(struct fixture *f, enum tp_chip chip, uint32_t chipset, uint32_t class_id) {
    const struct tp_device_info info = {
        .chip = chip, .threads = 1, .memory = 64 << 20, .log = no_log};
    memset(f, 0, sizeof *f);
    assert_int_equal(tp_device_create(&info, &f->device), TP_OK);
    f->push = memory_alloc(f->device->memory, WORDS * 4, 4096);
    f->word = memory_at(f->device->memory, f->push, WORDS * 4);
    f->channel = channel_create(f->device, chipset);
    assert_non_null(f->channel);
    assert_int_equal(channel_object_create(f->channel, 0xbeef5097, class_id), 0);
    method(f, 0, 0xbeef5097);
    run(f);
}

static void close_class(struct fixture *f) {
    channel_destroy(f->channel);
    memory_free(f->device->memory, f->push);
    tp_device_destroy(f->device);
}

/* A driver's tables have 2048 entries. */
TEST(test_bindings) {
    struct fixture f;
    open_class(&f, TP_CHIP_GT215, 0xa3, 0x8597);
    for (uint32_t index = 0; index < 2048; index += 89) {
        method(&f, BIND_TSC_FP, index << 12 | 5 << 4 | 1);
        method(&f, BIND_TIC_FP, index << 9 | 7 << 1 | 1);
        const struct state *s = run(&f);
        assert_true(s->tsc[PROGRAM_FP][5].valid && s->tic[PROGRAM_FP][7].valid);
        assert_int_equal(s->tsc[PROGRAM_FP][5].index, index);
        assert_int_equal(s->tic[PROGRAM_FP][7].index, index);
    }
    close_class(&f);
}

/* State is taken over when something is drawn. */
static bool seamless_after(struct fixture *f, uint32_t tex_misc) {
    method(f, TEX_MISC, tex_misc);
    method(f, 0x15dc, 4); /* VERTEX_BEGIN_GL */
    method(f, 0xd78, 3);
    method(f, 0x15e0, 0);
    return run(f)->seamless_cube;
}

/* Classes from 8397 on have it. */
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
        close_class(&f);
    }
}
