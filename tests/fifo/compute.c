/* The compute engine (classes 50c0 and 85c0), driven by method words as a driver sends them: a
 * program in a code segment, linear and block-linear g[] spaces, constants, parameters, s[],
 * textures, and refused launches. */
#include "fifo/engine.h"
#include "fifo/record.h"
#include "shader/isa/isa.h"
#include "tex/tex.h"
#include "tests/assembled.h"
#include "tests/fifo/fixture.h"
#include "tests/shapes.h"

#include <unistd.h>

enum { COMPUTE = 6, HANDLE = 0xbeef50c0 };
/* Offsets in the fixture's data. */
enum {
    CODE_AT = 0,
    CONST_AT = 0x10000,
    LINEAR_AT = 0x20000,
    TILED_AT = 0x30000,
    FENCE_AT = 0x50000,
    TIC_AT = 0x60000,
    TSC_AT = 0x61000,
    TEXELS_AT = 0x70000,
};
enum { THREADS = 64, BLOCKS = 3, START = 0x100, PITCH = 256, TILED_ROWS = 20 };

static void address_of(struct fixture *f, uint32_t high, uint32_t offset) {
    const uint64_t a = f->data + offset;
    METHOD(f, COMPUTE, high, HIGH_LOW(a));
}

static void launch(struct fixture *f) {
    one(f, COMPUTE, 0x368, 0);
    finish(f);
}

static int setup_class(void **state, enum tp_chip chip, uint32_t chipset, uint32_t class_id) {
    static struct fixture f;
    fixture_open(&f, chip, chipset, 2, 64 << 20);
    fixture_object(&f, COMPUTE, HANDLE, class_id);
    *state = &f;
    return 0;
}

static int setup_50c0(void **state) {
    return setup_class(state, TP_CHIP_G200, 0xa0, 0x50c0);
}

static int setup_85c0(void **state) {
    return setup_class(state, TP_CHIP_GT215, 0xa3, 0x85c0);
}

/* Assembles text to byte START of the code segment. */
static void upload(struct fixture *f, const char *text) {
    put_assembled(f->bytes + CODE_AT + START, ISA_G200, PROGRAM_CP, text);
}

/* Sets the state that a driver sets once, for a launch of BLOCKS x 1 blocks of THREADS threads. */
static void describe(struct fixture *f) {
    const uint32_t linear[] = {LINEAR_AT, 0, BLOCKS * THREADS * 16 - 1, 1};
    const uint32_t tiled[] = {TILED_AT, 8 * PITCH, (TILED_ROWS - 1) << 16 | (PITCH - 1), 0x100};
    const struct {
        uint32_t at;
        const uint32_t *word;
    } spaces[] = {{0x400 + 2 * 0x20, linear}, {0x400 + 15 * 0x20, tiled}};
    for (int i = 0; i < 2; i++) {
        address_of(f, spaces[i].at, spaces[i].word[0]);
        method(f, COMPUTE, spaces[i].at + 8, 3, spaces[i].word + 1);
    }
    address_of(f, 0x210, CODE_AT);
    one(f, COMPUTE, 0x2c0, 16);    /* CP_REG_ALLOC_TEMP */
    one(f, COMPUTE, 0x384, 0x100); /* without this method only block 0, 0 runs */
    one(f, COMPUTE, 0x3b4, START); /* CP_START_ID */
    one(f, COMPUTE, 0x3a8, 0x240); /* SHARED_SIZE */
    METHOD(f, COMPUTE, 0x3ac, 1 << 16 | THREADS, 1);
    one(f, COMPUTE, 0x2b4, 1 << 16 | THREADS); /* BLOCK_ALLOC */
    one(f, COMPUTE, 0x2f8, 1);                 /* BLOCKDIM_LATCH */
    one(f, COMPUTE, 0x3a4, 1 << 16 | BLOCKS);  /* GRIDDIM */
    one(f, COMPUTE, 0x388, 0x77);              /* GRIDID */
    one(f, COMPUTE, 0x374, 2 << 8);            /* USER_PARAM_COUNT */
    METHOD(f, COMPUTE, 0x600, 1000, 0x12345678);
}

/* Writes one constant to buffer 5, which is bound to c3[]. */
static void constants(struct fixture *f, uint32_t value) {
    address_of(f, 0x2a4, CONST_AT);
    one(f, COMPUTE, 0x2ac, 5 << 16 | 0x100);      /* CB_DEF_SET */
    one(f, COMPUTE, 0x3c8, 5 << 12 | 3 << 8 | 1); /* SET_PROGRAM_CB */
    one(f, COMPUTE, 0x238, 2 << 8 | 5);           /* CB_ADDR: word 2 */
    one(f, COMPUTE, 0x23c, value);
}

/* A thread stores to g2[16 * id]: id + parameter 0, the word of s[] that the opposite thread wrote,
 * c3[8], and the grid's id. It also stores to g15 at y = 8 * block, x = 4 * thread. */
static const char program[] =
    "cvt u32 $r1 u16 $r0l\nmov b32 $r2 u16 s[0xc]\nshl b32 $r3 $r2 6\nadd b32 $r3 $r3 $r1\n"
    "shl $a1 $r1 2\nst b32 s[$a1+0x40] $r3\nbar inc wait 0x0 all\n"
    "mov b32 $r4 63\nsub b32 $r4 $r4 $r1\nshl $a2 $r4 2\nld $r9 b32 s[$a2+0x40]\n"
    "mov b32 $r8 b32 s[0x10]\nadd b32 $r8 $r8 $r3\nld $r10 b32 c3[0x8]\nmov b32 $r11 u16 s[0x0]\n"
    "shl b32 $r5 $r3 4\nst b128 g2[$r5] $r8q\n"
    "shl b32 $r6 $r2 19\nshl b32 $r7 $r1 2\nadd b32 $r6 $r6 $r7\nst b32 g15[$r6] $r8\nexit nop\n";

/* A word of the tiled g[] space: a tile has 8 rows of 64 bytes (tile mode 1). */
static uint32_t tiled_word(const struct fixture *f, uint32_t x, uint32_t y) {
    uint32_t word;
    memcpy(&word, f->bytes + TILED_AT + (y / 8 * (PITCH / 64) + x / 64) * 512 + y % 8 * 64 + x % 64,
           4);
    return word;
}

TEST_WITH(test_launch, setup_50c0, teardown) {
    upload(f, program);
    describe(f);
    constants(f, 0xcafe0001);
    launch(f);
    const uint32_t *out = (const uint32_t *)(f->bytes + LINEAR_AT);
    for (uint32_t i = 0; i < BLOCKS * THREADS; i++) {
        const uint32_t thread = i % THREADS, block = i / THREADS;
        assert_int_equal(out[4 * i], 1000 + i);
        assert_int_equal(out[4 * i + 1], block * THREADS + THREADS - 1 - thread);
        assert_int_equal(out[4 * i + 2], 0xcafe0001);
        assert_int_equal(out[4 * i + 3], 0x77);
        assert_int_equal(tiled_word(f, 4 * thread, 8 * block), 1000 + i);
    }
    assert_int_equal(out[4 * BLOCKS * THREADS], 0);
    if (f->lines)
        print_message("%s\n", f->last);
    assert_int_equal(f->lines, 0);
}
TEST_ENTER(test_launch, test_launch_85c0, setup_85c0, teardown);

/* Bits 8 to 15 of USER_PARAM_COUNT: the number of parameter words in s[] from 0x10 on, at most 64.
 * Words behind them are 0. */
TEST_WITH(test_parameters, setup_50c0, teardown) {
    static const uint32_t counts[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 255};
    uint32_t params[64];
    for (uint32_t i = 0; i < 64; i++)
        params[i] = 0x1000 + i;
    upload(f, "cvt u32 $r1 u16 $r0l\nshl $a1 $r1 2\nshl b32 $r2 $r1 2\nld $r3 b32 s[$a1+0x10]\n"
              "st b32 g2[$r2] $r3\nexit nop\n");
    for (size_t k = 0; k < LENGTH(counts); k++) {
        const uint32_t count = counts[k] < 64 ? counts[k] : 64;
        describe(f);
        one(f, COMPUTE, 0x374, counts[k] << 8 | 0x5a);
        method(f, COMPUTE, 0x600, 64, params);
        one(f, COMPUTE, 0x3a4, 1 << 16 | 1);
        launch(f);
        const uint32_t *out = (const uint32_t *)(f->bytes + LINEAR_AT);
        for (uint32_t i = 0; i < 64; i++)
            if (out[i] != (i < count ? params[i] : 0))
                fail_msg("%u parameters: number %u is %x", counts[k], i, out[i]);
    }
    assert_int_equal(f->lines, 0);
}

/* Vertex and compute programs share one table of constant bindings: binding through one class binds
 * for both. */
TEST_WITH(test_shared_bindings, setup_50c0, teardown) {
    const struct state *s = &channel_context(f->channel)->state;
    fixture_object(f, THREE_D, 0xbeef5097, 0x8397);
    for (uint32_t slot = 0; slot < 16; slot++) {
        one(f, THREE_D, 0x1694, (100 + slot) << 12 | slot << 8 | 1);
        one(f, THREE_D, 0x1694, 1 << 12 | slot << 8 | 2 << 4 | 1);
        one(f, THREE_D, 0x1694, 2 << 12 | slot << 8 | 3 << 4 | 1);
        finish(f);
        assert_int_equal(s->const_binding[PROGRAM_CP][slot], 100 + slot);
        one(f, COMPUTE, 0x3c8, (50 + slot) << 12 | slot << 8 | 1);
        finish(f);
        assert_int_equal(s->const_binding[PROGRAM_VP][slot], 50 + slot);
        assert_int_equal(s->const_binding[PROGRAM_GP][slot], 1);
        assert_int_equal(s->const_binding[PROGRAM_FP][slot], 2);
        one(f, THREE_D, 0x1694, slot << 8);
        finish(f);
        assert_int_equal(s->const_binding[PROGRAM_CP][slot], -1);
    }
    assert_int_equal(f->lines, 0);
}

/* In a tiled g[], rows beyond the first row of tiles have places. Bytes beyond the last tile of a
 * row are dropped. */
TEST_WITH(test_tiled_rows, setup_50c0, teardown) {
    upload(f, "cvt u32 $r1 u16 $r0l\n" /* y = thread / 4, x = 64 * (thread % 4) + 4 */
              "shr u32 $r2 $r1 2\nshl b32 $r2 $r2 16\n"
              "mov b32 $r4 3\nand b32 $r3 $r1 $r4\nshl b32 $r3 $r3 6\n"
              "add b32 $r2 $r2 $r3\nmov b32 $r4 4\nadd b32 $r2 $r2 $r4\n"
              "mov b32 $r4 7000\nadd b32 $r1 $r1 $r4\n"
              "st b32 g15[$r2] $r1\n"
              "exit nop\n");
    describe(f);
    one(f, COMPUTE, 0x408 + 15 * 0x20, 8 * 192); /* three tiles a row */
    one(f, COMPUTE, 0x40c + 15 * 0x20, 15 << 16 | 191);
    one(f, COMPUTE, 0x3a4, 1 << 16 | 1);
    launch(f);
    for (uint32_t i = 0; i < THREADS; i++) {
        const uint32_t y = i / 4, tile = i % 4;
        uint32_t word;
        if (tile == 3)
            continue;
        memcpy(&word, f->bytes + TILED_AT + (y / 8 * 3 + tile) * 512 + y % 8 * 64 + 4, 4);
        assert_int_equal(word, 7000 + i);
    }
    const uint32_t *words = (const uint32_t *)(f->bytes + TILED_AT);
    for (uint32_t i = 0; i < 2 * 8 * 192 / 4; i++)
        assert_false(words[i] >= 7000 && (words[i] - 7000) % 4 == 3);
}

/* SET_PROGRAM_CB: bit 0 binds, bits 8 to 11 are the slot, bits 12 to 18 the buffer. No other
 * binding changes. */
TEST_WITH(test_constant_bindings, setup_50c0, teardown) {
    int16_t want[16];
    const int16_t *const has = channel_context(f->channel)->state.const_binding[PROGRAM_CP];
    memcpy(want, has, sizeof want);
    for (uint32_t i = 0; i < 16 * 128 * 2; i++) {
        const uint32_t slot = i * 7 % 16, id = i / 16 % 128, bound = i / 5 & 1;
        one(f, COMPUTE, 0x3c8, bound | slot << 8 | id << 12);
        finish(f);
        want[slot] = bound ? (int16_t)id : -1;
        assert_memory_equal(has, want, sizeof want);
    }
    assert_int_equal(f->lines, 0);
}

/* The last thread's 16 bytes of g2, and the second row of tiles of g15, lie beyond the limits, so
 * stores to them are dropped. */
TEST_WITH(test_limit, setup_50c0, teardown) {
    upload(f, program);
    describe(f);
    one(f, COMPUTE, 0x40c + 2 * 0x20, BLOCKS * THREADS * 16 - 2);
    one(f, COMPUTE, 0x40c + 15 * 0x20, (PITCH - 1)); /* one row of tiles */
    launch(f);
    const uint32_t *out = (const uint32_t *)(f->bytes + LINEAR_AT);
    assert_int_equal(out[4 * (BLOCKS * THREADS - 2)], 1000 + BLOCKS * THREADS - 2);
    assert_int_equal(out[4 * (BLOCKS * THREADS - 1)], 0);
    assert_int_equal(tiled_word(f, 4, 0), 1001);
    assert_int_equal(tiled_word(f, 4, 8), 0);
}

TEST_WITH(test_refused, setup_50c0, teardown) {
    static const struct {
        uint32_t method, value;
        const char *text;
    } cases[] = {
        {0x3b0, 0, "block"},
        {0x3ac, 600, "block"},
        {0x3a4, 0xffffffff, "blocks"},
        {0x3a4, 3, "grid"},
        {0x3a8, 0x8000, "16 KiB"},
        {0x3b4, 0x300004, "no program"},
        {0x2b4, 1 << 16 | 65, "65 threads"},
    };
    upload(f, program);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        describe(f);
        finish(f);
        f->lines = 0;
        one(f, COMPUTE, cases[i].method, cases[i].value);
        if (cases[i].method == 0x3ac)
            one(f, COMPUTE, 0x2b4, 600);
        launch(f);
        if (!f->lines || !strstr(f->last, cases[i].text))
            fail_msg("method %x = %x: \"%s\"", cases[i].method, cases[i].value,
                     f->lines ? f->last : "");
    }
}

/* Describes a row of texels as texture 6 and a filtering sampler as sampler 9. */
static void describe_texture(struct fixture *f) {
    const struct tex_image image = IMAGE(FORMAT_RGBA8_UNORM, TEX_2D_NOMIP, THREADS, BLOCKS, 1, 1,
                                         .address = f->data + TEXELS_AT, .linear = true,
                                         .pitch = THREADS * 4, .normalized = true);
    const struct tex_sampler sampler = {
        .wrap = {0, 2, 2}, .mag_linear = true, .min_linear = true, .mip = 1};
    tex_image_tic(&image, 0, 0, (uint32_t *)(f->bytes + TIC_AT) + 6 * 8);
    tex_sampler_tsc(&sampler, (uint32_t *)(f->bytes + TSC_AT) + 9 * 8);
    for (uint32_t i = 0; i < THREADS * BLOCKS * 4; i++)
        f->bytes[TEXELS_AT + i] = (uint8_t)(i & 3 ? i / 4 : 2 * (i / 4));
    address_of(f, 0x2c4, TIC_AT);
    one(f, COMPUTE, 0x2cc, 6); /* TIC_LIMIT: the last entry */
    address_of(f, 0x22c, TSC_AT);
    one(f, COMPUTE, 0x234, 9);
    one(f, COMPUTE, 0x3c4, 6 << 9 | 3 << 1 | 1);  /* BIND_TIC */
    one(f, COMPUTE, 0x3c0, 9 << 12 | 2 << 4 | 1); /* BIND_TSC */
}

/* Red is sampled between texels t and t + 1 of row `block`, with wrapping; green is texel t itself.
 * The 3D class's tables do not change. */
static const char sampling[] = "cvt u32 $r1 u16 $r0l\n"
                               "mov b32 $r2 u16 s[0xc]\n"
                               "cvt rn f32 $r8 u32 $r1\nadd f32 $r8 $r8 1.0\n"
                               "mov b32 $r5 0x3c800000\nmul f32 $r8 $r8 $r5\n" /* 1 / 64 */
                               "cvt rn f32 $r9 u32 $r2\nadd f32 $r9 $r9 0.5\n"
                               "mov b32 $r5 0x3eaaaaab\nmul f32 $r9 $r9 $r5\n" /* 1 / 3 */
                               "mov b32 $r10 0\n"
                               "texlod all $r8:#:#:# $t3 $s2 $r8:$r9:$r10 0x0 0x0 0x0\n"
                               "mov b32 $r12 $r1\nmov b32 $r13 $r2\nmov b32 $r14 0\n"
                               "texfetch all #:$r12:#:# $t3 $s2 $r12:$r13:$r14 0x0 0x0 0x0\n"
                               "mov b32 $r5 510.0\nmul f32 $r8 $r8 $r5\n"
                               "mov b32 $r5 255.0\nmul f32 $r9 $r12 $r5\n"
                               "cvt rni u32 $r8 f32 $r8\ncvt rni u32 $r9 f32 $r9\n"
                               "shl b32 $r3 $r2 6\nadd b32 $r3 $r3 $r1\nshl b32 $r3 $r3 4\n"
                               "st b64 g2[$r3] $r8d\n"
                               "exit nop\n";

TEST_WITH(test_texture, setup_50c0, teardown) {
    const struct state *s = &channel_context(f->channel)->state;
    upload(f, sampling);
    describe(f);
    describe_texture(f);
    launch(f);
    const uint32_t *out = (const uint32_t *)(f->bytes + LINEAR_AT);
    for (uint32_t i = 0; i < BLOCKS * THREADS; i++) {
        const uint32_t next = i % THREADS == THREADS - 1 ? i - (THREADS - 1) : i + 1;
        assert_int_equal(out[4 * i], (uint8_t)(2 * i) + (uint8_t)(2 * next));
        assert_int_equal(out[4 * i + 1], i);
    }
    assert_int_equal(s->tic_table.address, 0);
    assert_int_equal(s->tsc_table.limit, 0);
    /* With LINKED_TSC the sampler has the texture's number, whichever sampler is bound. This
     * sampler takes the nearest texel. */
    tex_sampler_tsc(&(struct tex_sampler){.wrap = {0, 2, 2}, .mip = 1},
                    (uint32_t *)(f->bytes + TSC_AT) + 6 * 8);
    for (uint32_t linked = 3; linked-- > 0;) {
        one(f, COMPUTE, 0x378, linked & 1);
        launch(f);
        const uint32_t both = (uint8_t)(2 * 5) + (uint8_t)(2 * 6), nearest = 2 * (uint8_t)(2 * 6);
        assert_int_equal(out[4 * 5], linked & 1 ? nearest : both);
    }
    one(f, COMPUTE, 0x2cc, 5); /* the texture is beyond the table now */
    launch(f);
    assert_int_equal(out[4 * 5], 0);
    assert_int_equal(out[4 * 5 + 1], 0);
}
TEST_ENTER(test_texture, test_texture_85c0, setup_85c0, teardown);

/* TEX_MISC bit 2: beyond the edge of a cube's face, the neighbouring face is sampled. The older
 * class ignores the bit. */
static void check_seamless(struct fixture *f, bool has_bit) {
    const struct tex_image image = IMAGE(FORMAT_R32_FLOAT, TEX_CUBE, 1, 1, 6, 1,
                                         .address = f->data + TEXELS_AT, .normalized = true);
    struct tex_level levels[TEX_MAX_LEVELS];
    uint64_t layer;
    tex_image_layout(&image, levels, &layer);
    upload(f, "mov b32 $r8 1.0\nmov b32 $r9 0.9\nmov b32 $r10 0.0\nmov b32 $r11 0.0\n"
              "texlod cube all $r8:#:#:# $t3 $s2 $r8:$r9:$r10:$r11\n"
              "mov b32 $r3 0x0\nst b32 g2[$r3] $r8\nexit nop\n");
    describe(f);
    describe_texture(f);
    tex_image_tic(&image, 0, 0, (uint32_t *)(f->bytes + TIC_AT) + 6 * 8);
    for (uint32_t face = 0; face < 6; face++)
        memcpy(f->bytes + TEXELS_AT + face * layer, &(float){face ? 2.0f : 1.0f}, 4);
    for (uint32_t misc = 0; misc < 16; misc++) {
        one(f, COMPUTE, 0x3e8, misc);
        launch(f);
        const uint32_t got = *(const uint32_t *)(f->bytes + LINEAR_AT);
        assert_int_equal(got != 0x3f800000, has_bit && misc & 4);
        assert_in_range(got, 0x3f800000, 0x40000000);
    }
    assert_int_equal(f->lines, 0);
}

TEST_WITH(test_seamless, setup_85c0, teardown) {
    check_seamless(f, true);
}

TEST_WITH(test_no_seamless, setup_50c0, teardown) {
    check_seamless(f, false);
}

/* Fragment and compute programs share the address of their code segment; either class sets it. */
TEST_WITH(test_shared_segment, setup_50c0, teardown) {
    const uint64_t code = f->data + CODE_AT;
    fixture_object(f, THREE_D, 0xbeef5097, 0x8397);
    upload(f, program);
    describe(f);
    address_of(f, 0x210, CONST_AT);
    METHOD(f, THREE_D, 0xfa4, HIGH_LOW(code));
    launch(f);
    assert_int_equal(((const uint32_t *)(f->bytes + LINEAR_AT))[0], 1000);
    assert_int_equal(f->lines, 0);
}

/* g15 at address 0 without a limit is all of memory. $physid has the number of the block's MP. */
TEST_WITH(test_whole_memory, setup_50c0, teardown) {
    static const char code[] = "ld $r1 b32 s[0x10]\n"
                               "mov b32 $r2 u16 s[0xc]\nshl b32 $r2 $r2 2\nadd b32 $r1 $r1 $r2\n"
                               "mov $r3 $physid\n"
                               "st b32 g15[$r1] $r3\n"
                               "exit nop\n";
    const uint32_t at = (uint32_t)f->data + LINEAR_AT;
    const uint32_t mps = f->device->variant == ISA_GT215 || f->device->variant == ISA_G200 ? 3 : 2;
    assert_int_equal(f->data >> 32, 0);
    upload(f, code);
    describe(f);
    METHOD(f, COMPUTE, 0x400 + 15 * 0x20, 0, 0, 0, 0xffffffff, 1);
    one(f, COMPUTE, 0x3ac, 1 << 16 | 1);
    one(f, COMPUTE, 0x2b4, 1 << 16 | 1);
    one(f, COMPUTE, 0x374, 1 << 8);
    one(f, COMPUTE, 0x600, at);
    launch(f);
    const uint32_t *out = (const uint32_t *)(f->bytes + LINEAR_AT);
    for (uint32_t i = 0; i < BLOCKS; i++)
        assert_int_equal(out[i], i % mps << 16 | i / mps << 20);
    assert_int_equal(out[BLOCKS], 0);
    one(f, COMPUTE, 0x600, 0xfffffff0); /* outside memory: dropped */
    launch(f);
    assert_int_equal(f->lines, 0);
}
TEST_ENTER(test_whole_memory, test_whole_memory_85c0, setup_85c0, teardown);

/* After a launch, the 3D engine has its own state back. */
TEST_WITH(test_state_stays, setup_50c0, teardown) {
    struct state *s = &channel_context(f->channel)->state;
    upload(f, "exit nop\n");
    describe(f);
    for (uint32_t i = 0; i < 2; i++) {
        const struct descriptor_table tic = {0x1000 + i, 5}, tsc = {0x2000 + i, 6};
        s->mode = i ? 1 << 20 : 0;
        s->linked_tsc = s->seamless_cube = i;
        s->tic_table = tic;
        s->tsc_table = tsc;
        address_of(f, 0x2c4, TIC_AT);
        one(f, COMPUTE, 0x2cc, 9);
        address_of(f, 0x22c, TSC_AT);
        one(f, COMPUTE, 0x234, 9);
        one(f, COMPUTE, 0x37c, i ? 0 : 1 << 16 | 1); /* ISA_FLAGS */
        one(f, COMPUTE, 0x378, !i);                  /* LINKED_TSC */
        one(f, COMPUTE, 0x3e8, i ? 0 : 4);           /* TEX_MISC: seamless */
        launch(f);
        assert_int_equal(s->mode, i ? 1 << 20 : 0);
        assert_int_equal(s->linked_tsc, i);
        assert_int_equal(s->seamless_cube, i);
        assert_memory_equal(&s->tic_table, &tic, sizeof tic);
        assert_memory_equal(&s->tsc_table, &tsc, sizeof tsc);
    }
    assert_int_equal(f->lines, 0);
}

/* Code written to the code segment's memory runs in the next launch. */
TEST_WITH(test_code_changes, setup_50c0, teardown) {
    static const char store[] = "mov b32 $r1 %u\nmov b32 $r2 0x0\nst b32 g2[$r2] $r1\nexit nop\n";
    const uint32_t *out = (const uint32_t *)(f->bytes + LINEAR_AT);
    char text[128];
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(text, sizeof text, store, 100 + i % 2);
        upload(f, text);
        describe(f);
        launch(f);
        assert_int_equal(*out, 100 + i % 2);
    }
    assert_int_equal(f->lines, 0);
}

/* A query needs its one word or four words of memory, and no more. */
TEST_WITH(test_queries_at_the_end, setup_50c0, teardown) {
    const uint64_t end = f->data + memory_extent(f->memory, f->data);
    for (uint32_t back = 4; back <= 20; back += 4)
        for (uint32_t is_short = 0; is_short < 2; is_short++) {
            const uint64_t at = end - back;
            uint32_t *word = memory_at(f->memory, at, 4);
            *word = 0;
            METHOD(f, COMPUTE, 0x310, HIGH_LOW(at));
            one(f, COMPUTE, 0x318, 0x1234 + back);
            one(f, COMPUTE, 0x31c, is_short << 15);
            finish(f);
            assert_int_equal(*word, is_short || back >= 16 ? 0x1234 + back : 0);
        }
}

/* The 3D engine's fragment program is in the segment that the launch set last, although the 3D
 * engine's other state did not change. */
TEST_WITH(test_segment_of_fragments, setup_50c0, teardown) {
    enum { SECOND = 0x8000 };
    static const char *const texts[] = {"mov b32 $r0 1.0\nexit nop\n",
                                        "mov b32 $r0 2.0\nexit nop\n"};
    uint32_t first[2];
    fixture_object(f, THREE_D, 0xbeef5097, 0x8397);
    for (int i = 0; i < 2; i++) {
        uint8_t *const words = f->bytes + i * SECOND + START;
        put_assembled(words, ISA_G200, PROGRAM_FP, texts[i]);
        memcpy(&first[i], words + 4, 4);
    }
    assert_int_not_equal(first[0], first[1]);
    one(f, THREE_D, 0x1414, START);
    for (int i = 0; i < 4; i++) {
        address_of(f, 0x210, i % 2 * SECOND);
        one(f, THREE_D, 0x15dc, 4);
        one(f, THREE_D, 0x15e0, 0);
        finish(f);
        const struct program *p = channel_context(f->channel)->state.program[PROGRAM_FP];
        assert_non_null(p);
        assert_int_equal(p->words[1], first[i % 2]);
    }
}

/* The registers of each g[]: address, pitch, limit, mode. A block-linear space consists of whole
 * tiles, 64 bytes wide. The mode gives the number of rows of a tile, the limit gives the last
 * row. */
TEST_WITH(test_spaces, setup_50c0, teardown) {
    const struct state *s = &channel_context(f->channel)->state;
    static const struct {
        uint32_t pitch, limit, mode;
        uint64_t bytes;
        uint8_t height;
        bool tiled;
    } rows[] = {
        {0, 0, 1, 1, 0, false},
        {0, 0xff, 1, 0x100, 0, false},
        {64, UINT32_MAX, 0x301, UINT64_C(0x100000000), 3, false},
        {4 * 64, 0, 0, 4 * 64, 0, true},
        {4 * 64, 63, 0, 4 * 64, 0, true},
        {4 * 64, 3 << 16, 0, 4 * 64, 0, true},
        {4 * 64, 4 << 16, 0, 2 * 4 * 64, 0, true},
        {4 * 128, 4 << 16, 0, 2 * 4 * 128, 0, true},
        {8 * 128, 7 << 16, 0x100, 8 * 128, 1, true},
        {8 * 192, 8 << 16, 0x100, 2 * 8 * 192, 1, true},
        {16 * 64 * 63, 15 << 16, 0x200, 16 * 64 * 63, 2, true},
        {16 * 64 * 64, 16 << 16, 0x2fe, 2 * 16 * 64 * 64, 2, true},
        {32 * 64 * 65, 100 << 16, 0x300, 4 * 32 * 64 * 65, 3, true},
        {64 * 64 * 130, 63 << 16 | 77, 0x400, 64 * 64 * 130, 4, true},
        {128 * 64 * 1000, 128u << 16, 0x500, 2 * 128 * 64 * 1000, 5, true},
        {0x10000000, 0xffff0000, 0x500, UINT64_C(512) * 0x10000000, 5, true},
        {512 * 64, 0, 0x700, 512 * 64, 7, true},
        {4 * 64, 0, 0x800, 4 * 64, 8, true},
        {4 * 64, 0, 0xf000, 4 * 64, 0, true},
    };
    upload(f, "exit nop\n");
    describe(f);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        for (uint32_t k = 0; k < 16; k++) { /* each space has its own number */
            const uint32_t r = (uint32_t)(i + k) % (LENGTH(rows));
            METHOD(f, COMPUTE, 0x400 + 0x20 * k, 0xffffff00 | (0xa0 + k), 0x1000 * k, rows[r].pitch,
                   rows[r].limit, rows[r].mode);
        }
        launch(f);
        for (uint32_t k = 0; k < 16; k++) {
            const uint32_t r = (uint32_t)(i + k) % (LENGTH(rows));
            const struct global_state *g = &s->global[k];
            if (g->limit != rows[r].bytes || g->tiled != rows[r].tiled ||
                g->block_height != rows[r].height || g->pitch != rows[r].pitch ||
                g->address != ((uint64_t)(0xa0 + k) << 32 | 0x1000 * k))
                fail_msg("g%u, row %u: %llx bytes at %llx, pitch %x, height %u", k, r,
                         (unsigned long long)g->limit, (unsigned long long)g->address, g->pitch,
                         g->block_height);
        }
    }
    assert_int_equal(f->lines, 0);
}

/* Blocks and grids of any shape: the sizes that a block reads in s[], and how many of its threads
 * run. */
TEST_WITH(test_shapes, setup_50c0, teardown) {
    static const uint16_t rows[][5] = {{1, 1, 1, 1, 1},   {5, 3, 2, 1, 1},   {2, 7, 4, 3, 2},
                                       {64, 1, 1, 2, 5},  {1, 64, 1, 4, 1},  {1, 1, 64, 1, 3},
                                       {16, 16, 2, 2, 2}, {512, 1, 1, 1, 1}, {3, 5, 1, 7, 9}};
    upload(
        f,
        "mov b32 $r5 u16 s[0xc]\nmov b32 $r6 u16 s[0xe]\nmov b32 $r7 u16 s[0x8]\n"
        "mul $r6 u16 $r6l u16 $r7l\nadd b32 $r5 $r5 $r6\nshl b32 $r5 $r5 5\n"
        "mov b32 $r1 b32 s[0x0]\nmov b32 $r2 b32 s[0x4]\nmov b32 $r3 b32 s[0x8]\nmov b32 $r4 b32 s[0xc]\n"
        "st b32 g2[$r5] $r1\nadd b32 $r5 $r5 0x4\nst b32 g2[$r5] $r2\nadd b32 $r5 $r5 0x4\n"
        "st b32 g2[$r5] $r3\nadd b32 $r5 $r5 0x4\nst b32 g2[$r5] $r4\nadd b32 $r5 $r5 0x4\n"
        "mov b32 $r7 1\nred add u32 g2[$r5] $r7\nexit nop\n");
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const uint32_t x = rows[i][0], y = rows[i][1], z = rows[i][2], gx = rows[i][3],
                       gy = rows[i][4];
        const uint32_t block[] = {y << 16 | x, z};
        describe(f);
        memset(f->bytes + LINEAR_AT, 0, 0x4000);
        one(f, COMPUTE, 0x40c + 2 * 0x20, 0x3fff);
        method(f, COMPUTE, 0x3ac, 2, block);
        one(f, COMPUTE, 0x2b4, 0xffff0000 | x * y * z);
        one(f, COMPUTE, 0x3a4, gy << 16 | gx);
        one(f, COMPUTE, 0x388, 0xfff00 + (uint32_t)i);
        launch(f);
        const uint32_t *out = (const uint32_t *)(f->bytes + LINEAR_AT);
        for (uint32_t b = 0; b < gx * gy; b++, out += 8) {
            const uint32_t want[] = {x << 16 | (0xff00 + (uint32_t)i), z << 16 | y, gy << 16 | gx,
                                     b / gx << 16 | b % gx, x * y * z};
            for (uint32_t k = 0; k < 5; k++)
                if (out[k] != want[k])
                    fail_msg("row %zu, block %u: word %u is %x, not %x", i, b, k, out[k], want[k]);
        }
        assert_int_equal(*out, 0);
    }
    assert_int_equal(f->lines, 0);
    const uint32_t block[] = {3 << 16 | 5, 2};
    static const uint32_t said[] = {29, 31, 0xffff, 0};
    method(f, COMPUTE, 0x3ac, 2, block);
    for (size_t i = 0; i < LENGTH(said); i++) {
        char text[64];
        one(f, COMPUTE, 0x2b4, said[i]);
        launch(f);
        snprintf(text, sizeof text, "BLOCK_ALLOC (02b4): %u threads in a block of 5x3x2", said[i]);
        if (!strstr(f->last, text))
            fail_msg("'%s', not '%s'", f->last, text);
    }
}

/* A launch whose condition is false does nothing. The compute engine has its own condition,
 * initially "always". */
TEST_WITH(test_condition, setup_50c0, teardown) {
    static const struct {
        uint32_t mode, first, second;
        bool runs;
    } rows[] = {{0, 1, 1, false}, {1, 0, 0, true},  {2, 0, 1, false}, {2, 1, 0, true},
                {3, 5, 5, true},  {3, 5, 6, false}, {4, 5, 5, false}, {4, 5, 6, true}};
    uint32_t *const out = (uint32_t *)(f->bytes + LINEAR_AT), *const report =
                                                                  (uint32_t *)(f->bytes + FENCE_AT);
    upload(f, "mov b32 $r1 0x77\nmov b32 $r2 0x0\nst b32 g2[$r2] $r1\nexit nop\n");
    describe(f);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        *out = 0;
        report[1] = rows[i].first, report[5] = rows[i].second;
        address_of(f, 0x320, FENCE_AT);
        one(f, COMPUTE, 0x328, rows[i].mode);
        launch(f);
        if (*out != (rows[i].runs ? 0x77 : 0))
            fail_msg("row %zu: %x", i, *out);
    }
    assert_int_equal(f->lines, 0);
}

/* Each bit of ISA_FLAGS: bit 0 allows derivatives outside fragment programs, bit 16 makes 0 times
 * anything 0. With any flags, saturation turns a NaN into 0. */
TEST_WITH(test_each_flag, setup_50c0, teardown) {
    const uint32_t *out = (const uint32_t *)(f->bytes + LINEAR_AT);
    upload(
        f,
        "mov b32 $r1 0x0\nmov b32 $r2 0x7f800000\nmul f32 $r3 $r1 $r2\nmov b32 $r4 0x0\nst b32 g2[$r4] $r3\n"
        "quadop f32 sub subr sub subr $r5 dx $r1 $r1\nmov b32 $r4 0x4\nst b32 g2[$r4] $r5\n"
        "mov b32 $r5 0x7fffffff\nadd sat f32 $r5 $r5 $r1\nmov b32 $r4 0x8\nst b32 g2[$r4] $r5\nexit nop\n");
    describe(f);
    for (uint32_t bit = 0; bit <= 32; bit++) {
        one(f, COMPUTE, 0x37c, bit < 32 ? 1u << bit : 0);
        launch(f);
        if (out[0] != (bit == 16 ? 0 : 0x7fffffff) || out[1] != (bit == 0 ? 0x7f800000 : 0))
            fail_msg("bit %u: %08x, %08x", bit, out[0], out[1]);
        assert_int_equal(out[2], 0);
    }
    assert_int_equal(f->lines, 0);
}

/* CALL_LIMIT_LOG: with 0 no limited call is made, with n up to 2^(n - 1) nested calls, with 15 any
 * number. */
TEST_WITH(test_call_limit, setup_50c0, teardown) {
    const uint32_t *out = (const uint32_t *)(f->bytes + LINEAR_AT);
    static const struct {
        uint32_t word, calls;
    } rows[] = {{0, 0},  {1, 1},  {2, 2},          {3, 4},         {4, 5},
                {15, 5}, {14, 5}, {0xfffffff1, 1}, {0xfffffff0, 0}};
    upload(
        f,
        "mov b32 $r1 0x0\nmov b32 $r3 1\ncall lim #A\nmov b32 $r4 0x0\nst b32 g2[$r4] $r1\nexit nop\n"
        "A: long add b32 $r1 $r1 $r3\ncall lim #B\nret\nB: long add b32 $r1 $r1 $r3\ncall lim #C\nret\n"
        "C: long add b32 $r1 $r1 $r3\ncall lim #D\nret\nD: long add b32 $r1 $r1 $r3\ncall lim #E\nret\n"
        "E: long add b32 $r1 $r1 $r3\nret\n");
    describe(f);
    address_of(f, 0x210, CODE_AT + START); /* the base of the program's labels */
    one(f, COMPUTE, 0x3b4, 0);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        one(f, COMPUTE, 0x224, rows[i].word);
        launch(f);
        if (*out != rows[i].calls)
            fail_msg("%x: %u calls", rows[i].word, *out);
    }
    assert_int_equal(f->lines, 0);
}

/* Binds each slot alone, and unbinds it. There are 16 texture slots. Binding another slot is
 * reported, unbinding it is not. */
TEST_WITH(test_slots, setup_50c0, teardown) {
    const struct state *s = &channel_context(f->channel)->state;
    for (uint32_t slot = 0; slot < 256; slot++)
        for (uint32_t bound = 2; bound-- > 0;) {
            static struct state want;
            char text[32];
            want = *s;
            f->lines = 0;
            if (slot < 16)
                want.tic[PROGRAM_CP][slot] =
                    (struct descriptor_binding){.valid = bound, .index = 0x200000 + slot};
            want.tsc[PROGRAM_CP][slot % 16] =
                (struct descriptor_binding){.valid = bound, .index = 0x80000 + slot};
            one(f, COMPUTE, 0x3c4, (0x200000 + slot) << 9 | slot << 1 | bound);
            one(f, COMPUTE, 0x3c0, (0x80000 + slot) << 12 | slot % 16 << 4 | bound);
            finish(f);
            assert_memory_equal(s->tic, want.tic, sizeof want.tic);
            assert_memory_equal(s->tsc, want.tsc, sizeof want.tsc);
            assert_int_equal(f->lines, slot >= 16 && bound);
            snprintf(text, sizeof text, "BIND_TIC (03c4): slot %u", slot);
            assert_true(!f->lines || strstr(f->last, text));
        }
}

/* Launches of one program, which has l[], with different sizes of s[]: each launch is judged anew.
 * A refusal is reported once. */
TEST_WITH(test_program_again, setup_50c0, teardown) {
    const uint32_t *out = (const uint32_t *)(f->bytes + LINEAR_AT);
    upload(
        f,
        "mov b32 $r1 0x1234\nmov b32 $r2 0x0\nst b32 l[0x40] $r1\nmov b32 $r3 0x0\nld b32 $r3 l[0x40]\n"
        "st b32 g2[$r2] $r3\nexit nop\n");
    for (uint32_t shared = 0x4000; shared <= 0x4040; shared += 0x40)
        for (int again = 0; again < 2; again++) {
            describe(f);
            memset(f->bytes + LINEAR_AT, 0, 4);
            f->lines = 0;
            one(f, COMPUTE, 0x3a8, shared);
            launch(f);
            assert_int_equal(*out, shared > 0x4000 ? 0 : 0x1234);
            assert_int_equal(f->lines != 0, shared > 0x4000 && !again);
            assert_int_equal(
                channel_context(f->channel)->state.program[PROGRAM_CP]->header.reg_count, 16);
        }
}

/* A long and a short query. The address ignores the lowest two bits and bits from 40 on. */
TEST_WITH(test_query_addresses, setup_50c0, teardown) {
    for (uint32_t low = 0; low < 8; low++)
        for (uint32_t is_short = 0; is_short < 2; is_short++) {
            const uint64_t at = f->data + FENCE_AT + low;
            uint32_t *const fence = (uint32_t *)(f->bytes + FENCE_AT);
            memset(fence, 0xee, 32);
            METHOD(f, COMPUTE, 0x310, 0xffffff00 | HIGH_LOW(at));
            one(f, COMPUTE, 0x318, 0x100 + low);
            one(f, COMPUTE, 0x31c, is_short << 15);
            finish(f);
            for (uint32_t k = 0; k < 8; k++)
                if (k == low / 4)
                    assert_int_equal(fence[k], 0x100 + low);
                else
                    assert_int_equal(fence[k] != 0xeeeeeeee, !is_short && k - low / 4 < 4);
            const uint32_t *const time = fence + low / 4 + 2;
            const uint64_t ago = channel_time(f->channel) - (time[0] | (uint64_t)time[1] << 32);
            assert_true(is_short || ago < UINT64_C(100000000000)); /* nanoseconds */
        }
    for (uint32_t bit = 0; bit < 32; bit++) { /* only bit 15 selects the short form */
        uint32_t *const fence = (uint32_t *)(f->bytes + FENCE_AT);
        memset(fence, 0xee, 32);
        address_of(f, 0x310, FENCE_AT);
        one(f, COMPUTE, 0x31c, 1u << bit);
        finish(f);
        assert_int_equal(fence[1], bit == 15 ? 0xeeeeeeee : 0);
    }
    assert_int_equal(f->lines, 0);
}

/* Each trap is an error. The channel reports it once. */
TEST_WITH(test_trap, setup_50c0, teardown) {
    upload(f, "trap\n");
    describe(f);
    for (int i = 0; i < 3; i++) {
        f->lines = 0;
        launch(f);
        assert_int_equal(f->lines, i ? 1 : 2);
        assert_non_null(strstr(f->last, "compute program"));
        channel_finish(f->channel);
        assert_int_equal(f->lines, i ? 1 : 2);
    }
}

/* A recording of a launch gives the same memory on another device. TESLAPIPE_KEEP names a copy of
 * the recording. */
TEST_WITH(test_recorded, setup_50c0, teardown) {
    const char *keep = getenv("TESLAPIPE_KEEP");
    char path[] = "/tmp/teslapipe-compute-XXXXXX", why[512];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    upload(f, program);
    describe(f);
    constants(f, 0xcafe0002);
    one(f, COMPUTE, 0x368, 0);
    struct record *r = record_create(keep ? keep : path, 0xa0);
    assert_non_null(r);
    uint8_t *before = calloc(1, DATA_BYTES);
    record_channel(r, f->channel);
    record_object(r, f->channel, HANDLE, 0x50c0);
    record_alloc(r, f->push, PUSH_WORDS * 4);
    record_alloc(r, f->data, DATA_BYTES);
    record_changes(r, f->push, (const uint8_t *)f->word, before, PUSH_WORDS * 4);
    memset(before, 0, DATA_BYTES);
    record_changes(r, f->data, f->bytes, before, DATA_BYTES);
    record_push(r, f->channel, f->push, f->count * 4);
    record_finish(r, f->channel);
    assert_int_equal(record_close(r), 0);
    finish(f);
    const struct tp_device_info info = {
        .chip = TP_CHIP_G200, .threads = 1, .memory = 64 << 20, .log = count_lines, .log_self = f};
    struct replay_result result;
    tp_device *device;
    assert_int_equal(tp_device_create(&info, &device), TP_OK);
    device->log.level = LOG_WARNING;
    assert_int_equal(record_replay(keep ? keep : path, device, 0, NULL, &result, why, sizeof why),
                     0);
    assert_memory_equal(memory_at(device->memory, f->data, DATA_BYTES), f->bytes, DATA_BYTES);
    assert_int_equal(((const uint32_t *)(f->bytes + LINEAR_AT))[2], 0xcafe0002);
    assert_int_equal(f->lines, 0);
    replay_free(&result);
    tp_device_destroy(device);
    free(before);
    unlink(path);
}
