/* Random instructions of Fermi and generic64, interpreted and as native code, must leave the same
 * state. A seed makes sequences of words that decode, from encoding rows; they run on the worlds of
 * tests/shader/two_engines.h. TESLAPIPE_SOAK=1 goes on without end, TESLAPIPE_SEED=n starts at
 * n. */
#include "shader/fermi.h"
#include "tests/shader/random_words.h"
#include "tests/shader/two_engines.h"

#include <time.h>

enum { PROGRAMS = 6000, MAX_INSTRUCTIONS = 200, MAX_INPUT = SETUP + 8 * (MAX_INSTRUCTIONS + 64) };

/* ---- words ---- */

static const uint32_t short_nop = 0x1c08; /* Fermi's: keeps programs in pairs of words */

/* Mostly replaces the guard, so that all lanes execute the instruction. */
static uint64_t without_guard(uint64_t w, bool g64) {
    if (random_below(4) == 0)
        return w;
    return g64 ? with_bits(with_bits(w, 56, 8, 0), 13, 1, 0) : with_bits(w, 10, 4, 7);
}

/* A branch to one of `count` instructions of 8 bytes. */
static uint64_t aimed(uint64_t w, bool g64, uint32_t at, uint32_t count) {
    const int32_t distance = (int32_t)random_below(count) - (int32_t)at - 1;
    return g64 ? with_bits(w, 14, 22, (uint32_t)distance)
               : with_bits(w, 26, 24, (uint32_t)distance * 8);
}

/* A random instruction at index `at`. straight: no control flow. flushed: mostly instructions that
 * may run where denormals are flushed. plain: mostly arithmetic that sets no $c, which native code
 * does in strips. */
static uint64_t random_instruction(struct isa_target target, uint32_t at, uint32_t count,
                                   bool straight, bool flushed, bool plain) {
    const struct isa *isa = isa_of(target.variant);
    const bool g64 = target.variant == ISA_G64;
    for (;;) {
        const struct encoding_row *row = &isa->rows[random_below(isa->row_count)];
        uint32_t words[2];
        struct op op;
        instance(isa, row, words); /* often with small offsets */
        uint64_t w = without_guard((uint64_t)words[1] << 32 | words[0], g64);
        if (!g64 && random_below(8)) /* join */
            w &= ~UINT64_C(0x10);
        words[0] = (uint32_t)w;
        words[1] = (uint32_t)(w >> 32);
        isa_decode(target, words, 2, 8 * at, &op);
        if (op.code == OP_ILLEGAL ? random_below(300) : straight && is_control(&op))
            continue;
        if (flushed && fermi_denormals(&op) == DENORMALS_KEPT && random_below(20))
            continue;
        if (plain && (!op_is_arithmetic(&op) || op.cdst != NO_FLAGS_DST) && random_below(40))
            continue;
        if (op.code == OP_EXIT && random_below(8))
            continue;
        if (op.words == 1)
            return (w & 0xffffffff) | (uint64_t)short_nop << 32;
        if (is_control(&op) && op.code != OP_NOP && op.code != OP_EXIT)
            w = aimed(w, g64, at, count);
        return w;
    }
}

/* ---- structures of control flow, written over instructions ---- */

struct code {
    struct isa_target target;
    uint8_t *at;
};

/* Writes the instruction number i: a text for Fermi, or one for generic64, with up to two
 * numbers. */
static void put_line(struct code c, uint32_t i, const char *fermi, const char *g64, uint32_t a,
                     uint32_t b) {
    char text[64], message[256];
    struct op op;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length = snprintf(text, sizeof text, c.target.variant == ISA_G64 ? g64 : fermi, a, b);
#pragma GCC diagnostic pop
    if (!isa_assemble_line(c.target, text, (size_t)length, 8 * i, &op, message, sizeof message))
        fail_msg("%s: %s", text, message);
    op.w[1] = op.words == 1 ? short_nop : op.w[1];
    memcpy(c.at + 8 * i, op.w, 8);
}

static void put_branch(struct code c, uint32_t i, uint32_t to) {
    put_line(c, i, random_below(2) ? "$p%u bra 0x%x" : "(not $p%u) bra 0x%x",
             random_below(2) ? "@P%u BRA 0x%x" : "@!P%u BRA 0x%x", random_below(7), 8 * to);
}

/* Makes a fork of instructions first to last: joinat, a branch or a join of some lanes, and one or
 * two ways. Each way ends in a join. Long ways may hold a fork. */
static void random_fork(struct code c, uint32_t first, uint32_t last, int depth) {
    const uint32_t taken = first + 4 + random_below(last - first - 3);
    if (taken - first > 12 && depth < 3 && random_below(2))
        random_fork(c, first + 3, taken - 2, depth + 1);
    if (last - taken > 10 && depth < 3 && random_below(2))
        random_fork(c, taken, last - 1, depth + 1);
    put_line(c, first, "joinat 0x%x", "SSY 0x%x", 8 * (last + 1), 0);
    if (random_below(4)) {
        put_branch(c, first + 2, taken);
        put_line(c, taken - 1, "join nop", "SYNC", 0, 0);
    } else {
        put_line(c, first + 2, "join $p%u nop", "@P%u SYNC", random_below(7), 0);
    }
    put_line(c, last, "join nop", "SYNC", 0, 0);
}

/* Makes a loop of instructions first to last, which lanes leave by breaks. */
static void random_loop(struct code c, uint32_t first, uint32_t last) {
    put_line(c, first, "prebrk 0x%x", "PBK 0x%x", 8 * (last + 1), 0);
    for (uint32_t i = first + 1 + random_below(6); i < last; i += 2 + random_below(10))
        put_line(c, i, random_below(2) ? "$p%u brk" : "(not $p%u) brk",
                 random_below(2) ? "@P%u BRK" : "@!P%u BRK", random_below(7), 0);
    if (random_below(2))
        put_branch(c, last, first + 1);
    else
        put_line(c, last, "bra 0x%x", "BRA 0x%x", 8 * (first + 1), 0);
}

static void random_structures(struct code c, uint32_t first, uint32_t end) {
    for (uint32_t i = first + random_below(20); i + 40 < end; i += 40 + random_below(20)) {
        const uint32_t last = i + 6 + random_below(33);
        if (random_below(2))
            random_fork(c, i, last, 0);
        else
            random_loop(c, i, last);
    }
}

/* ---- programs ---- */

/* Registers start with numbers of all kinds, some of which differ from lane to lane. */
static const char fermi_start[] =
    "mov b32 $r0 $laneid\nmov b32 $r1 0x3f8ccccd\nmov b32 $r2 0x7fc12345\nmov b32 $r3 0x00345678\n"
    "mov b32 $r4 0x10000000\nmov b32 $r5 0xff800000\nmov b32 $r6 0x80000000\nmov b32 $r7 0x9\n"
    "mul $r8 u32 $r0 u32 0x12345\nmul $r9 u32 $r8 u32 $r8\ncvt rn f32 $r10 s32 $r9\n"
    "mul rn f32 $r11 $r10 $r1\nxor b32 $r12 $r9 $r8\nshl b32 $r13 $r0 clamp 0x2\n"
    "set $p0 0x1 gt s32 $r9 $r12\nset $p1 $p2 lt u32 $r0 0xb\nmul $r20 u32 $r12 u32 $r9\n";
static const char g64_start[] =
    "S2R R0, LANE\nMOVI R1, 838861\nMOVHI R1, 0xfe\nMOVI R2, 123456\nMOVHI R2, 0x1ff\n"
    "MOVI R3, 1000000\nMOVI R4, 0\nMOVHI R4, 0x40\nMOVI R5, 0\nMOVHI R5, 0x3fe\nMOVI R7, 9\n"
    "MUL R8, R0, 74565\nMUL R9, R8, R8\nI2F R10, R9\nFMUL R11, R10, R1\nXOR R12, R9, R8\n"
    "SHL R13, R0, 2\nSETGT P0, R9, R12\nSETLT.U P1, R0, 11\nMUL R20, R12, R9\n";

/* begins: the program begins with the text above. */
static size_t random_program(uint8_t *input, struct isa_target target, bool straight, bool begins) {
    const bool g64 = target.variant == ISA_G64;
    const char *text = !begins ? "" : g64 ? g64_start : fermi_start;
    const uint32_t more = 1 + random_below(MAX_INSTRUCTIONS);
    struct asm_result start;
    char message[256];
    if (isa_assemble(target, text, strlen(text), "start", NULL, &start, message, sizeof message))
        fail_msg("%s", message);
    const uint32_t first = ((uint32_t)start.count + 1) / 2, count = first + more;
    uint8_t *const code = input + SETUP;
    memcpy(code, start.words, start.count * 4);
    if (start.count % 2)
        memcpy(code + 4 * start.count, &short_nop, 4);
    asm_result_free(&start);
    const bool flushed = random_below(2), plain = !random_below(3);
    for (uint32_t i = first; i < count; i++) {
        const uint64_t w = random_instruction(target, i, count + 1, straight, flushed, plain);
        memcpy(code + 8 * i, &w, 8);
    }
    if (straight && random_below(2))
        random_structures((struct code){target, code}, first, count);
    const uint64_t exit = g64 ? UINT64_C(0x46) << 48 : UINT64_C(0x8000000000001de7);
    memcpy(code + 8 * count, &exit, 8);
    return SETUP + 8 * (count + 1);
}

/* ---- the test ---- */

static uint64_t run_seed(uint64_t seed) {
    static const enum isa_variant variants[] = {ISA_GF100, ISA_G64, ISA_GK104};
    static struct start_rows start;
    uint8_t input[MAX_INPUT];
    random_start(seed);
    struct setup s = {.variant = variants[seed % 3],
                      .type = random_below(2) ? PROGRAM_CP : (uint8_t)random_below(PROGRAM_TYPES),
                      .level = (uint8_t)random_below(3),
                      .mode = (uint8_t)random_below(2 * MODE_MEMORY),
                      .launched = random_below(2) ? LANES_ALL : random_word() | 1,
                      .regs = random_below(4) ? 63 : (uint8_t)random_below(64),
                      .sizes = (uint8_t)(random_word() | 64)};
    const bool straight = random_below(2), started = random_below(2);
    const bool g64 = s.variant == ISA_G64;
    const struct isa_target target = {s.variant, g64 ? PROGRAM_CP : s.type, SYNTAX_ENVYAS};
    s.helpers = s.type == PROGRAM_FP ? random_word() & random_word() : 0;
    const size_t size = random_program(input, target, straight, !started);
    if (straight || uses_quads(input + SETUP, size - SETUP, target))
        s.launched = quads_of_lanes(s.launched);
    memcpy(input, &s, sizeof s);
    if (started)
        fill_start(&start);
    return compare_started(input, size, started ? &start : NULL, seed);
}

TEST(test_random_instructions) {
    const char *first = getenv("TESLAPIPE_SEED"), *soak = getenv("TESLAPIPE_SOAK");
    const bool soaks = soak && *soak == '1';
    const uint64_t from = first ? strtoull(first, NULL, 0) : soaks ? (uint64_t)time(NULL) << 20 : 0;
    uint64_t instructions = 0, seed = from;
    if (!native_usable())
        skip();
    for (; seed < from + PROGRAMS || soaks; seed++)
        instructions += run_seed(seed);
    print_message("%llu instructions, seeds up to %llu\n", (unsigned long long)instructions,
                  (unsigned long long)seed);
    assert_true(instructions > PROGRAMS * 20);
}
