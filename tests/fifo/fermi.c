/* A Fermi's channel: packet headers, binding by class number, macros in the stream, copies with
 * pushed bytes and with blocks of 8 rows, clears of layers, programs in two parts. Rules:
 * fermi-3d.md §2, §3, §4, §10. */
#include "base/surface.h"
#include "fifo/program_code.h"
#include "pipeline/context_private.h"
#include "shader/isa/isa.h"
#include "tests/assembled.h"
#include "tests/fifo/fermi.h"
#include "tests/shapes.h"

/* Makes a part of the data the current constant buffer, into which CB_DATA writes. */
static void current_buffer(struct fixture *f, uint32_t offset, uint32_t size) {
    head(f, INCREASE, F3D, CB_SIZE, 3);
    put(f, size);
    put(f, (uint32_t)((f->data + offset) >> 32));
    put(f, (uint32_t)(f->data + offset));
}

TEST_WITH(test_headers, setup_fermi, teardown) {
    static const uint32_t expected[] = {11, 12, 13, 21, 22, 7, 31, 41, 42};
    memset(f->bytes, 0, 256);
    current_buffer(f, 0, 256);
    head(f, INCREASE_ONCE, F3D, CB_POS, 4); /* the position, then three words to the next method */
    put(f, 0);
    put(f, 11);
    put(f, 12);
    put(f, 13);
    head(f, STAY, F3D, CB_DATA, 2);
    put(f, 21);
    put(f, 22);
    head(f, IMMEDIATE, F3D, CB_DATA, 7);
    head(f, INCREASE, F3D, CB_POS, 2); /* the position and one word */
    put(f, 24);
    put(f, 31);
    head(f, INCREASE, F3D, CB_DATA, 2); /* CB_DATA(0), CB_DATA(1) */
    put(f, 41);
    put(f, 42);
    assert_string_equal(complaint(f), "");
    for (uint32_t i = 0; i < LENGTH(expected); i++)
        assert_int_equal(word_at(f, 4 * i), expected[i]);
    head(f, IMMEDIATE, F3D, CB_POS, 0x1ffc); /* 13 bits of data */
    head(f, IMMEDIATE, F3D, CB_DATA, 1);
    assert_non_null(strstr(complaint(f), "beyond the end of a constant buffer"));
}

/* An unknown kind of packet ends the entry. A method's words may continue in the next entry. */
TEST_WITH(test_entries, setup_fermi, teardown) {
    for (uint32_t kind = 0; kind < 8; kind++) {
        const bool exists = kind == 1 || kind == 3 || kind == 4 || kind == 5;
        put(f, kind << 29 | 1 << 16 | F3D << 13 | 0x100 >> 2);
        if (kind != IMMEDIATE)
            put(f, 0);
        const char *said = complaint(f);
        assert_int_equal(strstr(said, "INVALID_CMD") == NULL, exists);
    }
    memset(f->bytes, 0, 64);
    current_buffer(f, 0, 64);
    head(f, INCREASE_ONCE, F3D, CB_POS, 3);
    run(f);
    put(f, 8);
    run(f);
    put(f, 5);
    put(f, 6);
    assert_string_equal(complaint(f), "");
    assert_int_equal(word_at(f, 8), 5);
    assert_int_equal(word_at(f, 12), 6);
}

/* Binding by a class that no object has is reported. Binding by the handle of an object works. */
TEST_WITH(test_binding, setup_fermi, teardown) {
    send(f, 6, 0, 0x9197);
    assert_non_null(strstr(complaint(f), "no object 00009197"));
    send(f, 6, 0, 0xbeef0002);
    send(f, 6, 0x100, 0);
    assert_string_equal(complaint(f), "");
    assert_int_equal(channel_object_create(f->channel, 0x906e, 0xfffffff9),
                     0); /* a software class that NVIF makes */
}

/* Uploads macro n, which sends r1 + parameter to a method. */
static void put_adding_macro(struct fixture *f, uint32_t n, uint32_t method) {
    enum { TAKE = 0, ADDRESS = 2, SEND = 4, EXIT = 1 << 7, R1 = 1, R2 = 2, R3 = 3 };
    const uint32_t code[] = {
        0u | TAKE << 4 | R2 << 8,                              /* r2 := parameter */
        1u | ADDRESS << 4 | R3 << 8 | (method / 4) << 14,      /* address := method */
        0u | EXIT | SEND << 4 | R3 << 8 | R1 << 11 | R2 << 14, /* send r1 + r2 */
        1u,                                                    /* the delay slot */
    };
    head(f, INCREASE_ONCE, F3D, 0x114, 1 + LENGTH(code));
    put(f, 0x40);
    for (uint32_t i = 0; i < LENGTH(code); i++)
        put(f, code[i]);
    head(f, INCREASE, F3D, 0x11c, 2);
    put(f, n);
    put(f, 0x40);
}

/* A macro that sends r1 + parameter to CB_DATA. The parameter comes in another entry than the
 * start. */
TEST_WITH(test_macros, setup_fermi, teardown) {
    memset(f->bytes, 0, 64);
    current_buffer(f, 0, 64);
    send(f, F3D, CB_POS, 0);
    put_adding_macro(f, 3, CB_DATA);
    head(f, INCREASE_ONCE, F3D, 0x3800 + 8 * 3, 2);
    put(f, 100);
    run(f);
    assert_int_equal(word_at(f, 0), 0); /* the macro waits */
    put(f, 23);
    assert_string_equal(complaint(f), "");
    assert_int_equal(word_at(f, 0), 123);
    send(f, F3D, 0x3800 + 8 * 127, 1); /* no such macro: position 0, which is empty */
    send(f, F3D, CB_DATA, 9);
    run(f);
    assert_int_equal(word_at(f, 4), 9);
}

/* A packet of increasing methods that begins below the macros starts and feeds a macro. */
TEST_WITH(test_packet_reaches_macros, setup_fermi, teardown) {
    enum { LAST_SCRATCH = 0x37fc };
    memset(f->bytes, 0, 64);
    current_buffer(f, 0, 64);
    send(f, F3D, CB_POS, 0);
    put_adding_macro(f, 0, CB_DATA);
    head(f, INCREASE, F3D, LAST_SCRATCH, 3);
    put(f, 7);
    put(f, 100); /* 3800 */
    put(f, 23);
    assert_non_null(strstr(complaint(f), "ILLEGAL_METHOD 37fc"));
    assert_int_equal(word_at(f, 0), 123);
}

/* An index that a macro sends is copied, although the macro's parameter fills an entry of its
 * own. */
TEST_WITH(test_index_from_macro, setup_fermi, teardown) {
    enum { BEGIN = 0x1618, ELEMENT_U32 = 0x15e8, TRIANGLES = 4 };
    put_adding_macro(f, 3, ELEMENT_U32);
    send(f, F3D, BEGIN, TRIANGLES);
    head(f, INCREASE_ONCE, F3D, 0x3800 + 8 * 3, 2);
    put(f, 100);
    run(f);
    put(f, 23);
    run(f);
    const struct open_draw *o = &channel_context(f->channel)->p->draw;
    assert_null(o->pushed);
    assert_int_equal(o->index_bytes, 4);
    assert_int_equal(*(const uint32_t *)(const void *)o->index, 123);
}

/* A macro that does not end is stopped, and the channel goes on. After several such macros the
 * channel is dead, so that few words cannot cost much time. */
TEST_WITH(test_endless_macros, setup_fermi, teardown) {
    enum { BRANCH_TO_ITSELF = 7 | 1 << 5 /* without a delay slot */ };
    memset(f->bytes, 0, 64);
    current_buffer(f, 0, 64);
    send(f, F3D, CB_POS, 0);
    head(f, INCREASE_ONCE, F3D, 0x114, 2);
    put(f, 0x40);
    put(f, BRANCH_TO_ITSELF);
    head(f, INCREASE, F3D, 0x11c, 2);
    put(f, 3);
    put(f, 0x40);
    send(f, F3D, 0x3800 + 8 * 3, 1);
    send(f, F3D, CB_DATA, 7);
    assert_non_null(strstr(complaint(f), "macro 3"));
    assert_int_equal(word_at(f, 0), 7);
    for (int i = 0; i < 1000; i++)
        send(f, F3D, 0x3800 + 8 * 3, 1);
    assert_non_null(strstr(complaint(f), "endless macros: the channel is dead"));
    send(f, F3D, CB_DATA, 9);
    assert_string_equal(complaint(f), "");
    assert_int_equal(word_at(f, 4), 0);
}

/* A packet may go on in another buffer. Its words are read after earlier work, here a fence, has
 * written them. */
TEST_WITH(test_spliced_fence, setup_fermi, teardown) {
    enum { FENCE = 0x100, SEQUENCE = 77 };
    memset(f->bytes, 0, 0x200);
    current_buffer(f, 0, 64);
    send(f, F3D, CB_POS, 0);
    head(f, INCREASE, F3D, 0x1b00, 4);
    put(f, (uint32_t)((f->data + FENCE) >> 32));
    put(f, (uint32_t)(f->data + FENCE));
    put(f, SEQUENCE);
    put(f, 0x1000f010);
    head(f, STAY, F3D, CB_DATA, 2);
    run(f);
    assert_int_equal(word_at(f, FENCE), 0); /* the fence is written when its value is needed */
    channel_execute(f->channel, f->data + FENCE + 4, 4);
    assert_int_equal(word_at(f, FENCE), 0);
    channel_execute(f->channel, f->data + FENCE, 4 | 1u << 23); /* the flag: not prefetched */
    assert_int_equal(word_at(f, FENCE), SEQUENCE);
    assert_int_equal(word_at(f, 4), SEQUENCE);
    head(f, INCREASE, F3D, 0x1b08, 2); /* a fence that waits for no unit */
    put(f, SEQUENCE + 1);
    put(f, 0x10000000);
    run(f);
    assert_int_equal(word_at(f, FENCE), SEQUENCE + 1);
}

/* ---- copies ---- */

enum { WIDTH = 200, HEIGHT = 70, EXEC_LINEAR_IN = 0x10, EXEC_LINEAR_OUT = 0x100 };

static void side(struct fixture *f, bool out, uint32_t offset, uint32_t mode) {
    const uint64_t at = f->data + offset;
    head(f, INCREASE, FM2MF, out ? 0x238 : 0x30c, 2);
    put(f, (uint32_t)(at >> 32));
    put(f, (uint32_t)at);
    head(f, INCREASE, FM2MF, out ? 0x220 : 0x204, 5);
    put(f, mode);
    put(f, WIDTH);
    put(f, HEIGHT);
    put(f, 1);
    put(f, 0);
}

/* A Fermi's block height n means 8 << n rows. */
TEST_WITH(test_blocks, setup_fermi, teardown) {
    enum { FROM = 0x40000, X = 5, Y = 3, LENGTH_BYTES = 150, LINES = 60 };
    for (uint32_t h = 0; h <= 4; h++) {
        const struct surface s =
            SURFACE(FORMAT_R8_UNORM, WIDTH, HEIGHT, 1, .is_3d = true, .tile_h = (uint8_t)(h + 1));
        memset(f->bytes, 0, 0x20000);
        for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
            f->bytes[FROM + i] = (uint8_t)(i * 7 + i / 251);
        side(f, false, FROM, 0);
        side(f, true, 0, h << 4);
        head(f, INCREASE, FM2MF, 0x314, 4);
        put(f, WIDTH);
        put(f, 0);
        put(f, LENGTH_BYTES);
        put(f, LINES);
        head(f, INCREASE, FM2MF, 0x34c, 2);
        put(f, X);
        put(f, Y);
        send(f, FM2MF, 0x300, EXEC_LINEAR_IN);
        assert_string_equal(complaint(f), "");
        for (uint32_t y = 0; y < LINES; y++)
            for (uint32_t x = 0; x < LENGTH_BYTES; x++)
                assert_int_equal(f->bytes[surface_offset(&s, X + x, Y + y, 0)],
                                 f->bytes[FROM + y * WIDTH + x]);
    }
    side(f, true, 0, 5 << 4);
    send(f, FM2MF, 0x300, EXEC_LINEAR_IN);
    assert_non_null(strstr(complaint(f), "tile mode 50"));
}

/* Pushed bytes end at the given length, within a word, and may go on in another packet. */
TEST_WITH(test_pushed_bytes, setup_fermi, teardown) {
    memset(f->bytes, 0xee, 256);
    side(f, true, 1, 0);
    head(f, INCREASE, FM2MF, 0x318, 3);
    put(f, 100); /* pitch, bytes of a line, lines */
    put(f, 6);
    put(f, 2);
    send(f, FM2MF, 0x300, EXEC_LINEAR_OUT | 1);
    head(f, STAY, FM2MF, 0x304, 1);
    put(f, 0x04030201);
    head(f, STAY, FM2MF, 0x304, 3);
    put(f, 0x08070605);
    put(f, 0x0c0b0a09);
    put(f, 0x100f0e0d);
    assert_string_equal(complaint(f), "");
    for (uint32_t i = 0; i < 256; i++) {
        const uint32_t line = i ? (i - 1) / 100 : 0, column = i ? (i - 1) % 100 : 99;
        const bool written = i && line < 2 && column < 6;
        assert_int_equal(f->bytes[i], written ? line * 6 + column + 1 : 0xee);
    }
    send(f, FM2MF, 0x300, EXEC_LINEAR_OUT);
    f->lines = 0;
    send(f, FM2MF, 0x304, 1);
    assert_non_null(strstr(complaint(f), "without EXEC"));
}

/* ---- clears ---- */

/* A clear of layer 1, counted from base layer 2. It is limited by the screen scissor and, if
 * CLEAR_REGION says so, by the viewport and its scissor. */
TEST_WITH(test_clears, setup_fermi, teardown) {
    enum { SIDE = 16, STRIDE = 0x2000, BASE = 2, SCISSOR = 0x100, VIEWPORT = 0x1000 };
    const struct surface s = {
        .format = FORMAT_RGBA8_UNORM, .width = SIDE, .height = SIDE, .depth = 1, .tile_h = 1};
    const uint32_t target[] = {HIGH_LOW(f->data), SIDE, SIDE, 0xd5, 0, BASE + 3, STRIDE / 4, BASE};
    head(f, INCREASE, F3D, 0x800, LENGTH(target));
    for (uint32_t i = 0; i < LENGTH(target); i++)
        put(f, target[i]);
    send(f, F3D, 0x121c, 0x076543210u << 4 | 1);
    head(f, INCREASE, F3D, 0xff4, 2);
    put(f, 8 << 16 | 2);
    put(f, 9 << 16 | 3);
    head(f, INCREASE, F3D, 0xc00, 2); /* the viewport's rectangle */
    put(f, 7 << 16 | 1);
    put(f, 8 << 16 | 1);
    head(f, INCREASE, F3D, 0xe00, 3); /* its scissor: on, right and left, lower and upper side */
    put(f, 1);
    put(f, 16 << 16 | 4);
    put(f, 16 << 16 | 6);
    head(f, INCREASE, F3D, 0xd80, 4);
    for (uint32_t i = 0; i < 4; i++)
        put(f, 0x3f800000);
    for (uint32_t row = 0; row < 4; row++) {
        const uint32_t region = (row & 1 ? SCISSOR : 0) | (row & 2 ? VIEWPORT : 0);
        const uint32_t x0 = row & 1 ? 4 : 2, y0 = row & 1 ? 6 : 3;
        const uint32_t x1 = row & 2 ? 8 : 10, y1 = row & 2 ? 9 : 12;
        memset(f->bytes, 0, 8 * STRIDE);
        send(f, F3D, 0x10f8, region);
        send(f, F3D, 0x19d0, 0x3c | 1 << 10);
        assert_string_equal(complaint(f), "");
        channel_finish(f->channel);
        for (uint32_t layer = 0; layer < 8; layer++)
            for (uint32_t y = 0; y < SIDE; y++)
                for (uint32_t x = 0; x < SIDE; x++) {
                    const bool inside = layer == BASE + 1 && x >= x0 && x < x1 && y >= y0 && y < y1;
                    const uint32_t at = layer * STRIDE + (uint32_t)surface_offset(&s, 4 * x, y, 0);
                    if (word_at(f, at) != (inside ? 0xffffffff : 0))
                        fail_msg("region %x, layer %u, pixel %u, %u", region, layer, x, y);
                }
    }
}

/* Each target has its own base layer and number of layers. */
TEST_WITH(test_layers_of_two_targets, setup_fermi, teardown) {
    enum { SIDE = 16, STRIDE = 0x2000, APART = 0x10000, MOST = 4 };
    static const uint32_t base[] = {0, 1}, count[] = {2, MOST};
    for (uint32_t i = 0; i < 2; i++) {
        const uint64_t at = f->data + i * APART;
        const uint32_t target[] = {HIGH_LOW(at),       SIDE,       SIDE,   0xd5, 0,
                                   base[i] + count[i], STRIDE / 4, base[i]};
        head(f, INCREASE, F3D, 0x800 + 0x40 * i, LENGTH(target));
        for (uint32_t k = 0; k < LENGTH(target); k++)
            put(f, target[k]);
    }
    send(f, F3D, 0x121c, 1 << 7 | 2);
    head(f, INCREASE, F3D, 0xff4, 2);
    put(f, SIDE << 16);
    put(f, SIDE << 16);
    head(f, INCREASE, F3D, 0xd80, 4);
    for (uint32_t i = 0; i < 4; i++)
        put(f, 0x3f800000);
    for (uint32_t i = 0; i < 2 * MOST; i++) {
        const uint32_t rt = i / MOST, layer = i % MOST;
        memset(f->bytes, 0, 2 * APART);
        send(f, F3D, 0x19d0, layer << 10 | rt << 6 | 0x3c);
        assert_string_equal(complaint(f), "");
        channel_finish(f->channel);
        for (uint32_t k = 0; k < 2 * MOST + 2; k++) {
            const uint32_t of = k / (MOST + 1), n = k % (MOST + 1);
            const bool cleared = of == rt && n == base[rt] + layer && layer < count[rt];
            if (word_at(f, of * APART + n * STRIDE) != (cleared ? 0xffffffff : 0))
                fail_msg("target %u, layer %u of a clear of target %u, layer %u", of, n, rt, layer);
        }
    }
}

/* A clear of zeta reaches all layers of zeta, though a colour target with one layer is bound. */
TEST_WITH(test_layers_of_zeta, setup_fermi, teardown) {
    enum { SIDE = 16, STRIDE = 0x2000, ZETA = 0x10000, COUNT = 4 };
    const uint64_t zeta = f->data + ZETA;
    const uint32_t color[] = {HIGH_LOW(f->data), SIDE, SIDE, 0xd5, 0, 1, STRIDE / 4, 0},
                   depth[] = {HIGH_LOW(zeta), 0x0a, 0, STRIDE / 4}, size[] = {SIDE, SIDE, COUNT};
    head(f, INCREASE, F3D, 0x800, LENGTH(color));
    for (uint32_t i = 0; i < LENGTH(color); i++)
        put(f, color[i]);
    head(f, INCREASE, F3D, 0xfe0, LENGTH(depth));
    for (uint32_t i = 0; i < LENGTH(depth); i++)
        put(f, depth[i]);
    head(f, INCREASE, F3D, 0x1228, LENGTH(size));
    for (uint32_t i = 0; i < LENGTH(size); i++)
        put(f, size[i]);
    send(f, F3D, 0x1538, 1);
    send(f, F3D, 0x121c, 1);
    head(f, INCREASE, F3D, 0xff4, 2);
    put(f, SIDE << 16);
    put(f, SIDE << 16);
    send(f, F3D, 0xd90, 0x3f800000);
    memset(f->bytes, 0, 2 * ZETA);
    for (uint32_t layer = 0; layer < COUNT + 1; layer++)
        send(f, F3D, 0x19d0, layer << 10 | 1);
    assert_string_equal(complaint(f), "");
    channel_finish(f->channel);
    assert_int_equal(word_at(f, 0), 0);
    for (uint32_t layer = 0; layer < COUNT + 1; layer++)
        assert_int_equal(word_at(f, ZETA + layer * STRIDE), layer < COUNT ? 0x3f800000 : 0);
}

/* ---- programs ---- */

/* Assembles text for this offset of the code segment, which is the fixture's data, and stores it
 * there. Returns the number of words. */
static uint32_t put_code(struct fixture *f, uint32_t offset, const char *text) {
    char whole[256];
    snprintf(whole, sizeof whole, ".section #C 0x%x\n%s", offset, text);
    return put_assembled(f->bytes + offset, ISA_GF100, PROGRAM_CP, whole);
}

/* A program consists of the code that its entry reaches, and of code far away that it calls. A
 * change in either part makes another program; a change elsewhere does not. */
TEST_WITH(test_library, setup_fermi, teardown) {
    static struct code_cache cache;
    enum { ENTRY = 0x100, LIBRARY = 0x40000 };
    memset(f->bytes, 0, DATA_BYTES);
    put_code(f, ENTRY, "mov b32 $r0 $r1\ncall abs 0x40000\nexit\n");
    const uint32_t words = put_code(f, LIBRARY, "mov b32 $r0 $r2\nret\n");
    struct program *p = code_find(&cache, f->channel, PROGRAM_CP, f->data, ENTRY, 8);
    assert_non_null(p);
    assert_int_equal(p->entry, ENTRY);
    assert_int_equal(p->library_base, LIBRARY);
    assert_int_equal(p->library_words, words);
    assert_true(program_word(p, LIBRARY + 4) < p->word_count);
    assert_true(program_word(p, LIBRARY - 8) >= p->word_count);
    assert_true(p->word_count < 16); /* without the code in between */
    f->bytes[LIBRARY - 8] = f->bytes[ENTRY + 0x40] = 1;
    assert_ptr_equal(code_find(&cache, f->channel, PROGRAM_CP, f->data, ENTRY, 8), p);
    put_code(f, LIBRARY, "mov b32 $r0 $r3\nret\n");
    struct program *q = code_find(&cache, f->channel, PROGRAM_CP, f->data, ENTRY, 8);
    assert_ptr_not_equal(q, p);
    put_code(f, ENTRY, "mov b32 $r1 $r1\n");
    assert_ptr_not_equal(code_find(&cache, f->channel, PROGRAM_CP, f->data, ENTRY, 8), q);
    code_cache_free(&cache);
}

/* A compute program may begin with its segment. It ends with its exit. */
TEST_WITH(test_first_word, setup_fermi, teardown) {
    static struct code_cache cache;
    const uint32_t words = put_code(f, 0, "long mov b32 $r0 $r1\nlong exit\n");
    put_code(f, 4 * words, "long mov b32 $r0 $r1\nlong exit\n"); /* another program */
    const struct program *p = code_find(&cache, f->channel, PROGRAM_CP, f->data, 0, 8);
    assert_non_null(p);
    assert_int_equal(p->base, 0);
    assert_int_equal(p->word_count, words);
    code_cache_free(&cache);
}

/* The header of a 3D program lies at its start, the code behind it. A change of the header makes
 * another program. */
TEST_WITH(test_program_header, setup_fermi, teardown) {
    static struct code_cache cache;
    enum { START = 0x100, LOCAL = START + 4 };
    memset(f->bytes, 0, 0x200);
    put_code(f, START + 4 * SPH_WORDS, "mov b32 $r0 $r1\nexit\n");
    f->bytes[LOCAL] = 0x40;
    const struct program *p = code_find(&cache, f->channel, PROGRAM_FP, f->data, START, 8);
    assert_non_null(p);
    assert_int_equal(p->entry, START + 4 * SPH_WORDS);
    assert_int_equal(p->header.local_size, 0x40);
    assert_ptr_equal(code_find(&cache, f->channel, PROGRAM_FP, f->data, START, 8), p);
    f->bytes[LOCAL] = 0x80;
    p = code_find(&cache, f->channel, PROGRAM_FP, f->data, START, 8);
    assert_int_equal(p->header.local_size, 0x80);
    code_cache_free(&cache);
}

/* A branch that only some lanes take does not end a program: the code behind the branch belongs to
 * the program, even if the target lies far away. */
TEST_WITH(test_guarded_branch, setup_fermi, teardown) {
    static struct code_cache cache;
    enum { ENTRY = 0x100, FAR = 0x1100 };
    memset(f->bytes, 0, DATA_BYTES);
    for (uint32_t at = ENTRY + 8; at < FAR; at += 8)
        put_code(f, at, "long mov b32 $r0 $r1\n");
    put_code(f, ENTRY, "long (not $p0) bra 0x1100\n");
    put_code(f, FAR, "exit\n");
    const struct program *p = code_find(&cache, f->channel, PROGRAM_CP, f->data, ENTRY, 8);
    assert_non_null(p);
    assert_int_equal(p->library_words, 0);
    for (uint32_t at = ENTRY; at <= FAR; at += 8)
        assert_true(program_word(p, at) < p->word_count);
    /* the code that an unconditional branch skips does not belong to it */
    put_code(f, ENTRY, "long bra 0x1100\n");
    p = code_find(&cache, f->channel, PROGRAM_CP, f->data, ENTRY, 8);
    assert_int_equal(p->library_base, FAR);
    code_cache_free(&cache);
}

/* If code never ends, a program has PART words behind its start, PART words before it, and PART
 * words of a library. */
TEST_WITH(test_endless_code, setup_fermi, teardown) {
    enum { PART = 1 << 17, ENTRY = 0x100, LIBRARY = 0x40000, LATE = 0xf0000 };
    static struct code_cache cache;
    for (uint32_t at = 4 * put_code(f, 0, "mov b32 $r0 $r1\n"); at < DATA_BYTES; at *= 2)
        memcpy(f->bytes + at, f->bytes, at);
    const struct program *p = code_find(&cache, f->channel, PROGRAM_CP, f->data, ENTRY, 8);
    assert_int_equal(p->base, ENTRY);
    assert_in_range(p->word_count, PART, PART + 1);
    assert_int_equal(p->library_words, 0);
    put_code(f, ENTRY, "call abs 0x40000\nexit\n");
    p = code_find(&cache, f->channel, PROGRAM_CP, f->data, ENTRY, 8);
    assert_int_equal(p->base, ENTRY);
    assert_int_equal(p->library_base, LIBRARY);
    assert_int_equal(p->library_words, PART);
    put_code(f, LATE, "long bra 0x0\n");
    p = code_find(&cache, f->channel, PROGRAM_CP, f->data, LATE, 8);
    assert_int_equal(p->base, LATE - 4 * PART);
    assert_in_range(p->word_count, PART, PART + 3);
    code_cache_free(&cache);
}
