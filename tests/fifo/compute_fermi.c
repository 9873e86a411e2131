/* Fermi's compute engine (class 90c0): a grid that stores to g[], the engine's registers in the
 * state of the dispatch, the 3D engine's state afterwards, launches that are refused, constants.
 * Rules: fermi-3d.md §11. */
#include "fifo/engine.h"
#include "tests/assembled.h"
#include "tests/fifo/fermi.h"

enum { CODE_AT = 0, START = 0x100, CONST_AT = 0x1000, OUT_AT = 0x2000, LAUNCH = 0x368 };
enum { CONSTANT = 1000 };

static void set(struct fixture *f, uint32_t address, uint32_t data) {
    send(f, FCOMPUTE, address, data);
}

static void set_address(struct fixture *f, uint32_t high, uint32_t offset) {
    set(f, high, (uint32_t)((f->data + offset) >> 32));
    set(f, high + 4, (uint32_t)(f->data + offset));
}

/* Launches 3 x 2 x 2 blocks of 3 x 2 x 2 threads. The address of an array is in c3[0], c3[4]; each
 * thread stores c3[8] in a word of its own. */
static void put_launch(struct fixture *f) {
    static const char program[] =
        "mov b32 $r0 $tidx\nmov b32 $r1 $tidy\nshl b32 $r1 $r1 clamp 0x2\nadd b32 $r0 $r0 $r1\n"
        "mov b32 $r1 $tidz\nshl b32 $r1 $r1 clamp 0x3\nadd b32 $r0 $r0 $r1\n"
        "mov b32 $r1 $ctaidx\nshl b32 $r1 $r1 clamp 0x4\nadd b32 $r0 $r0 $r1\n"
        "mov b32 $r1 $ctaidy\nshl b32 $r1 $r1 clamp 0x6\nadd b32 $r0 $r0 $r1\n"
        "mov b32 $r1 $ctaidz\nshl b32 $r1 $r1 clamp 0x7\nadd b32 $r0 $r0 $r1\n"
        "shl b32 $r0 $r0 clamp 0x2\nmov b32 $r6 c3[0x0]\nadd b32 $r6 $r6 $r0\n"
        "mov b32 $r7 c3[0x4]\nmov b32 $r8 c3[0x8]\nst b32 wb g[$r6d] $r8\nexit\n";
    const uint64_t out = f->data + OUT_AT;
    const uint32_t constants[] = {(uint32_t)out, (uint32_t)(out >> 32), CONSTANT};
    put_assembled(f->bytes + CODE_AT + START, ISA_GF100, PROGRAM_CP, program);
    set_address(f, 0x1608, CODE_AT);
    set(f, 0x3b4, START);
    set(f, 0x2c0, 16);
    set(f, CB_SIZE, 12);
    set_address(f, CB_SIZE + 4, CONST_AT);
    set(f, 0x1694, 3 << 8 | 1);
    set(f, CB_POS, 0);
    head(f, INCREASE, FCOMPUTE, CB_DATA, 3);
    for (uint32_t i = 0; i < 3; i++)
        put(f, constants[i]);
    set(f, 0x3ac, 2 << 16 | 3);
    set(f, 0x3b0, 2);
    set(f, 0x238, 2 << 16 | 3);
    set(f, 0x23c, 2);
}

static void ignore(void *self, tp_context *c) {
    (void)self, (void)c;
}

static struct state launched; /* the state of the last launch */
static uint32_t launches;

static void note_launch(void *self, tp_context *c) {
    (void)self;
    launched = c->state;
    launches++;
}

static const struct draw_hooks hooks = {.before = ignore, .after = ignore, .launch = note_launch};

TEST_WITH(test_grid, setup_fermi, teardown) {
    memset(f->bytes, 0, 0x4000);
    put_launch(f);
    set(f, LAUNCH, 0x1000);
    assert_string_equal(complaint(f), "");
    channel_finish(f->channel);
    for (uint32_t i = 0; i < 0x400; i++) {
        const bool stored = i < 256 && i / 16 % 4 < 3 && i % 4 < 3;
        assert_int_equal(word_at(f, OUT_AT + 4 * i), stored ? CONSTANT : 0);
    }
}

TEST_WITH(test_state, setup_fermi, teardown) {
    struct state *const s = &channel_context(f->channel)->state;
    channel_context(f->channel)->hooks = &hooks;
    put_launch(f);
    set(f, 0x24c, 0x300);   /* bytes of s[] */
    set(f, 0xd64, 3);       /* the limit of calls */
    set(f, 0x780, 0x10077); /* GRIDID */
    set(f, 0x155c, 1);      /* samplers and textures */
    set(f, 0x1560, 0x2000);
    set(f, 0x1564, 5);
    set(f, 0x1574, 2);
    set(f, 0x1578, 0x3000);
    set(f, 0x157c, 6);
    set(f, 0x228, 0x321u << 12 | 7 << 4 | 1);
    set(f, 0x22c, 0x1234u << 9 | 6 << 1 | 1);
    set(f, 0x2700, 1);
    set(f, 0x2704, 0x4000);
    set(f, 0x27e8, 33);
    set(f, LAUNCH, 0x1000);
    /* values that the 3D engine has set */
    const struct descriptor_table tic = {11, 12}, tsc = {13, 14};
    s->tic_table = tic;
    s->tsc_table = tsc;
    s->linked_tsc = s->all_levels = true;
    assert_string_equal(complaint(f), "");
    const struct program *p = launched.program[PROGRAM_CP];
    assert_int_equal(p->header.shared_size, 0x300);
    assert_int_equal(p->header.reg_count, 16);
    assert_int_equal(launched.call_limit[PROGRAM_CP], engine_call_limit(3));
    assert_int_equal(launched.grid_id, 0x77);
    assert_int_equal(launched.tsc_table.address, UINT64_C(0x100002000));
    assert_int_equal(launched.tsc_table.limit, 5);
    assert_int_equal(launched.tic_table.address, UINT64_C(0x200003000));
    assert_int_equal(launched.tic_table.limit, 6);
    assert_int_equal(launched.tsc[PROGRAM_CP][7].index, 0x321);
    assert_true(launched.tsc[PROGRAM_CP][7].valid);
    assert_int_equal(launched.tic[PROGRAM_CP][6].index, 0x1234);
    assert_true(launched.tic[PROGRAM_CP][6].valid);
    assert_int_equal(launched.compute_image[0].address, UINT64_C(0x100004000));
    assert_int_equal(launched.compute_image[7].width, 33);
    assert_true(launched.seamless_cube && launched.tall_blocks);
    assert_false(launched.linked_tsc || launched.all_levels);
    assert_memory_equal(&s->tic_table, &tic, sizeof tic);
    assert_memory_equal(&s->tsc_table, &tsc, sizeof tsc);
    assert_true(s->linked_tsc && s->all_levels);
    assert_false(s->seamless_cube || s->tall_blocks);
}

TEST_WITH(test_refused, setup_fermi, teardown) {
    static const struct {
        uint32_t method, data, launch;
        const char *said;
    } rows[] = {{0x100, 0, 0x1001, "launch 1001"},
                {0x1558, 0, 0x1000, ""}, /* the condition: never */
                {0x3b4, START + 4, 0x1000, "no program at"},
                {0x2c0, 16, 0x1000, NULL}};
    channel_context(f->channel)->hooks = &hooks;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        launches = 0;
        put_launch(f);
        set(f, 0x1558, 1);
        set(f, rows[i].method, rows[i].data);
        set(f, LAUNCH, rows[i].launch);
        const char *said = complaint(f);
        assert_int_equal(launches, !rows[i].said);
        if (!strstr(said, rows[i].said ? rows[i].said : "") ||
            (!*said != (!rows[i].said || !*rows[i].said)))
            fail_msg("row %zu: %s", i, said);
    }
}

/* A stage has 16 constant buffers. The compute engine's CB_BIND has the slot from bit 8 on, in four
 * bits. */
TEST_WITH(test_slots, setup_fermi, teardown) {
    const struct state *const s = &channel_context(f->channel)->state;
    for (uint32_t slot = 0; slot < 32; slot++) {
        char text[32];
        send(f, F3D, 0x2410, slot << 4 | 1);
        snprintf(text, sizeof text, "c[] index %u", slot);
        assert_int_equal(strstr(complaint(f), text) != NULL, slot >= STATE_CONST_SLOTS);
        set(f, 0x1694, slot << 8 | 1);
        assert_string_equal(complaint(f), "");
        assert_int_equal(s->const_binding[PROGRAM_CP][slot % 16],
                         PROGRAM_CP * STATE_CONST_SLOTS + slot % 16);
        set(f, 0x1694, slot << 8);
        run(f);
        assert_int_equal(s->const_binding[PROGRAM_CP][slot % 16], -1);
    }
}

/* A packet with a word beyond the end of a constant buffer writes no word. */
TEST_WITH(test_end_of_constants, setup_fermi, teardown) {
    enum { SIZE = 16 };
    for (uint32_t engine = F3D; engine <= FCOMPUTE; engine++)
        for (uint32_t position = 0; position <= SIZE + 4; position += 4)
            for (uint32_t count = 1; count < 6; count++) {
                const bool fits = position + 4 * count <= SIZE;
                memset(f->bytes + CONST_AT, 0, 64);
                send(f, engine, CB_SIZE, SIZE);
                send(f, engine, CB_SIZE + 4, (uint32_t)((f->data + CONST_AT) >> 32));
                send(f, engine, CB_SIZE + 8, (uint32_t)(f->data + CONST_AT));
                send(f, engine, CB_POS, position);
                head(f, STAY, engine, CB_DATA, count);
                for (uint32_t i = 0; i < count; i++)
                    put(f, 100 + i);
                run(f);
                for (uint32_t i = 0; i < 12; i++) {
                    const uint32_t k = i - position / 4;
                    assert_int_equal(word_at(f, CONST_AT + 4 * i), fits && k < count ? 100 + k : 0);
                }
            }
    assert_non_null(strstr(f->last, "beyond the end of a constant buffer"));
}
