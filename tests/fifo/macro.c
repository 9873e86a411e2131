/* The macro processor: each operation, uses of results, branches, exits, parameters over several
 * calls, uploads, and faulty macros. The macros are written with the small assembler below. Rules:
 * fermi-3d.md §2.1. */
#include "fifo/macro.h"

#include "tests/fifo/driver_macros.h"
#include "tests/test.h"

/* ---- an assembler: an instruction is the sum of its fields ---- */

enum { TAKE, MOVE, ADDRESS, SEND_TAKE, SEND, ADDRESS_TAKE, ADDRESS_SEND, ADDRESS_SEND_6 };
enum { EXIT = 1 << 7, IF_NOT_ZERO = 1 << 4, ANNUL = 1 << 5 };
enum { R0, R1, R2, R3, R4, R5, R6, R7 };

static uint32_t fields(int op, int use, int d, int a) {
    return (uint32_t)(op | use << 4 | d << 8 | a << 11);
}
static uint32_t low(int value) {
    return (uint32_t)value << 14;
}
static uint32_t alu(int sub, int use, int d, int a, int b) {
    return fields(0, use, d, a) | low(b) | (uint32_t)sub << 17;
}
static uint32_t add(int use, int d, int a, int imm) {
    return fields(1, use, d, a) | low(imm);
}
static uint32_t field(int op, int use, int d, int a, int b, int from, int size, int to) {
    return fields(op, use, d, a) | low(b) | (uint32_t)from << 17 | (uint32_t)size << 22 |
           (uint32_t)to << 27;
}
static uint32_t reg(int use, int d, int a, int imm) {
    return fields(5, use, d, a) | low(imm);
}
static uint32_t branch(int a, int offset, uint32_t flags) {
    return fields(7, 0, 0, a) | low(offset) | flags;
}
static uint32_t nop(void) {
    return add(MOVE, R0, R0, 0);
}
/* The instruction that sets the address of sends: the first send goes to `method`, each later one
 * `step` methods further. */
static uint32_t to(int method, int step) {
    return add(ADDRESS, R0, R0, method / 4 | step << 12);
}

/* ---- an engine that records all words ---- */

enum { SPACE = 0x4000, LOG = 4096 };
static struct engine {
    struct macro m;
    uint32_t reg[SPACE / 4];
    struct {
        uint32_t method, word;
    } sent[LOG];
    uint32_t count, checked;
    uint32_t uploaded;   /* words of code */
    uint64_t work, cost; /* units of work so far, and units that each send to 0x100 costs */
    bool nested;         /* sends go to the macro processor first */
    enum macro_result nested_result;
} e;

static const struct macro_port port;

static void send_word(void *self, uint32_t method, uint32_t word) {
    struct engine *to_engine = self;
    assert_true(method < SPACE && method % 4 == 0);
    if (to_engine->nested &&
        macro_method(&to_engine->m, &port, method, word, &to_engine->nested_result))
        return;
    to_engine->reg[method / 4] = word;
    to_engine->work += method == 0x100 ? to_engine->cost : 0;
    if (to_engine->count < LOG) {
        to_engine->sent[to_engine->count].method = method;
        to_engine->sent[to_engine->count].word = word;
    }
    to_engine->count++;
}
static uint32_t read_register(void *self, uint32_t method) {
    assert_true(method < SPACE && method % 4 == 0);
    return ((struct engine *)self)->reg[method / 4];
}
static uint64_t work_so_far(void *self) {
    return ((const struct engine *)self)->work;
}
static const struct macro_port port = {&e, send_word, read_register, work_so_far};

static enum macro_result method(uint32_t address, uint32_t word) {
    enum macro_result result = MACRO_RESULTS;
    assert_true(macro_method(&e.m, &port, address, word, &result));
    return result;
}

/* Uploads words as macro n, in the way of a driver. */
static void upload(uint32_t n, const uint32_t *words, size_t count) {
    method(MACRO_UPLOAD_POSITION, e.uploaded);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(method(MACRO_UPLOAD_WORD, words[i]), MACRO_DONE);
    method(MACRO_NUMBER, n);
    method(MACRO_ENTRY, e.uploaded);
    e.uploaded += (uint32_t)count;
}
#define UPLOAD(n, ...)                                                                             \
    upload(n, (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)

static void reset(void) {
    memset(&e, 0, sizeof e);
}
static enum macro_result start(uint32_t n, uint32_t word) {
    return method(MACRO_START + 8 * n, word);
}
static enum macro_result give(uint32_t n, uint32_t word) {
    return method(MACRO_START + 8 * n + 4, word);
}
static void expect_send(uint32_t address, uint32_t word) {
    assert_true(e.checked < e.count);
    assert_int_equal(e.sent[e.checked].method, address);
    assert_int_equal(e.sent[e.checked].word, word);
    e.checked++;
}
static void expect_no_more(void) {
    assert_int_equal(e.count, e.checked);
}

/* Runs `before`, then one instruction with r2 and r3 set; returns the value of r4. */
static uint32_t value_of(uint32_t before, uint32_t instruction, uint32_t a, uint32_t b) {
    reset();
    UPLOAD(0, add(TAKE, R2, R0, 0), add(TAKE, R3, R0, 0), before, instruction, to(0x3400, 0) | EXIT,
           add(SEND, R0, R4, 0));
    assert_int_equal(start(0, 7), MACRO_WAITS);
    assert_int_equal(give(0, a), MACRO_WAITS);
    assert_int_equal(give(0, b), MACRO_DONE);
    assert_int_equal(e.count, 1);
    return e.sent[0].word;
}
static uint32_t of(uint32_t instruction, uint32_t a, uint32_t b) {
    return value_of(nop(), instruction, a, b);
}

/* ---- operations ---- */

TEST(test_sums_and_logic) {
    const uint32_t x = 0xf0f0a5c3, y = 0x3c5a00ff;
    assert_int_equal(of(alu(0, MOVE, R4, R2, R3), x, y), (uint32_t)(x + y));
    assert_int_equal(of(alu(2, MOVE, R4, R2, R3), x, y), x - y);
    assert_int_equal(of(alu(2, MOVE, R4, R2, R3), y, x), (uint32_t)(y - x));
    assert_int_equal(of(alu(8, MOVE, R4, R2, R3), x, y), x ^ y);
    assert_int_equal(of(alu(9, MOVE, R4, R2, R3), x, y), x | y);
    assert_int_equal(of(alu(10, MOVE, R4, R2, R3), x, y), x & y);
    assert_int_equal(of(alu(11, MOVE, R4, R2, R3), x, y), x & ~y);
    assert_int_equal(of(alu(12, MOVE, R4, R2, R3), x, y), (uint32_t)~(x & y));
}

TEST(test_immediate) {
    static const int imm[] = {0, 1, -1, 0x1ffff, -0x20000, 0x155};
    for (size_t i = 0; i < LENGTH(imm); i++)
        assert_int_equal(of(add(MOVE, R4, R2, imm[i]), 0x80000000, 0),
                         (uint32_t)(0x80000000 + (uint32_t)imm[i]));
}

/* Bit 3 of an instruction has no meaning. */
TEST(test_bit_3) {
    const uint32_t words[] = {alu(2, MOVE, R4, R2, R3),
                              add(MOVE, R4, R2, 5),
                              field(2, MOVE, R4, R2, R3, 4, 8, 12),
                              field(3, MOVE, R4, R2, R3, 0, 8, 12),
                              field(4, MOVE, R4, R2, R3, 4, 8, 0),
                              reg(MOVE, R4, R0, 0x40)};
    for (size_t i = 0; i < LENGTH(words); i++)
        assert_int_equal(of(words[i] | 8, 7, 0x1234567), of(words[i], 7, 0x1234567));
}

/* A sum sets the carry on overflow; a difference sets it if there is no borrow. */
TEST(test_carry) {
    static const struct {
        int first;
        uint32_t a, b;
        bool carry;
    } t[] = {{0, 0xffffffff, 1, true}, {0, 0xfffffffe, 1, false}, {0, 0x80000000, 0x80000000, true},
             {2, 5, 5, true},          {2, 5, 6, false},          {2, 0, 0, true},
             {2, 0, 0xffffffff, false}};
    for (size_t i = 0; i < LENGTH(t); i++) {
        const uint32_t before = alu(t[i].first, MOVE, R5, R2, R3), c = t[i].carry;
        assert_int_equal(value_of(before, alu(1, MOVE, R4, R0, R0), t[i].a, t[i].b), c);
        assert_int_equal(value_of(before, alu(3, MOVE, R4, R0, R0), t[i].a, t[i].b), c - 1);
    }
    /* other operations do not change the carry */
    reset();
    UPLOAD(0, add(MOVE, R2, R0, -1), alu(0, MOVE, R5, R2, R1), alu(8, MOVE, R5, R2, R2),
           add(MOVE, R5, R2, 1), field(2, MOVE, R5, R2, R2, 0, 8, 0), alu(1, MOVE, R4, R0, R0),
           to(0x100, 0) | EXIT, add(SEND, R0, R4, 0));
    assert_int_equal(start(0, 1), MACRO_DONE);
    expect_send(0x100, 1);
    /* a macro starts without a carry and sends to method 0, whatever the previous macro left */
    UPLOAD(1, to(0x100, 1), add(MOVE, R2, R0, -1) | EXIT, alu(0, MOVE, R5, R2, R1));
    UPLOAD(2, alu(1, SEND, R4, R0, R0), alu(1, SEND, R4, R0, R1) | EXIT, nop());
    assert_int_equal(start(1, 1), MACRO_DONE);
    assert_int_equal(start(2, 5), MACRO_DONE);
    expect_send(0, 0);
    expect_send(0, 5);
}

/* Operations 1 and 3 add the carry and set it: a sum over 96 bits. */
TEST(test_long_sums) {
    for (int k = 0; k < 2; k++) {
        reset();
        UPLOAD(0, add(TAKE, R2, R0, 0), add(TAKE, R3, R0, 0), add(TAKE, R4, R0, 0),
               add(TAKE, R5, R0, 0), add(TAKE, R6, R0, 0), to(0x200, 1),
               alu(2 * k, SEND, R7, R1, R4), alu(2 * k + 1, SEND, R7, R2, R5) | EXIT,
               alu(2 * k + 1, SEND, R7, R3, R6));
        static const uint32_t in[2][6] = {{0xffffffff, 0xffffffff, 1, 1, 0, 2},
                                          {0, 0, 5, 1, 0xffffffff, 1}};
        start(0, in[k][0]);
        for (int i = 1; i < 6; i++)
            give(0, in[k][i]);
        static const uint32_t out[2][3] = {{0, 0, 4}, {0xffffffff, 0, 3}};
        for (uint32_t i = 0; i < 3; i++)
            expect_send(0x200 + 4 * i, out[k][i]);
    }
}

static uint32_t ones(int size) {
    return size > 31 ? 0xffffffff : (1u << size) - 1;
}
/* Moves bits of v from place `from` to `at`, one by one. */
static uint32_t moved(uint32_t v, int from, int size, int at) {
    uint32_t r = 0;
    for (int i = 0; i < size; i++)
        if (from + i < 32 && at + i < 32)
            r |= (v >> (from + i) & 1) << (at + i);
    return r;
}

TEST(test_fields) {
    static const int position[] = {0, 1, 7, 15, 16, 30, 31}, width[] = {0, 1, 2, 16, 30, 31};
    const uint32_t v = 0x9e3779b9, under = 0x5a5ac3c3;
    for (size_t f = 0; f < LENGTH(position); f++)
        for (size_t s = 0; s < LENGTH(width); s++)
            for (size_t t = 0; t < LENGTH(position); t++) {
                const int from = position[f], size = width[s], at = position[t];
                const uint32_t want = moved(v, from, size, at);
                assert_int_equal(of(field(2, MOVE, R4, R2, R3, from, size, at), under, v),
                                 (under & ~moved(0xffffffff, 0, size, at)) | want);
                assert_int_equal(of(field(3, MOVE, R4, R2, R3, 0, size, at), (uint32_t)from, v),
                                 want);
                assert_int_equal(of(field(4, MOVE, R4, R2, R3, from, size, 0), (uint32_t)at, v),
                                 want);
            }
    /* a field has at most 31 bits, not a whole word */
    assert_int_equal(of(field(3, MOVE, R4, R0, R3, 0, 31, 0), 0, 0xffffffff), ones(31));
    /* places of 32 and more have no bits */
    static const uint32_t far[] = {32, 33, 64, 0x80000000, 0xffffffff};
    for (size_t i = 0; i < LENGTH(far); i++) {
        assert_int_equal(of(field(3, MOVE, R4, R2, R3, 0, 31, 0), far[i], 0xffffffff), 0);
        assert_int_equal(of(field(4, MOVE, R4, R2, R3, 0, 31, 0), far[i], 0xffffffff), 0);
    }
}

TEST(test_read) {
    reset();
    e.reg[0x1438 / 4] = 77;
    e.reg[0x3ffc / 4] = 88;
    e.reg[0] = 99;
    UPLOAD(0, to(0x3400, 1), reg(SEND, R2, R0, 0x1438 / 4), reg(SEND, R2, R1, -2),
           reg(SEND, R2, R1, 0) | EXIT, reg(SEND, R2, R0, 0x3400 / 4));
    assert_int_equal(start(0, 0x1001), MACRO_DONE); /* only 12 bits of a register's number count */
    expect_send(0x3400, 77);
    expect_send(0x3404, 88);
    expect_send(0x3408, 0);
    expect_send(0x340c, 77); /* words that the macro sent can be read back */
}

/* r0 is always 0. A start clears all registers except r1. */
TEST(test_registers) {
    reset();
    UPLOAD(0, to(0x100, 0), add(MOVE, R0, R1, 5), add(SEND, R0, R0, 0), add(MOVE, R7, R1, 3) | EXIT,
           alu(0, SEND, R0, R0, R0));
    UPLOAD(1, to(0x100, 0), add(SEND, R0, R7, 0) | EXIT, add(SEND, R0, R1, 0));
    assert_int_equal(start(0, 1), MACRO_DONE);
    expect_send(0x100, 0);
    expect_send(0x100, 0);
    assert_int_equal(start(1, 41), MACRO_DONE);
    expect_send(0x100, 0);
    expect_send(0x100, 41);
}

/* ---- uses of the result ---- */

TEST(test_uses) {
    reset();
    enum { AT = 0x200 / 4 | 2 << 12 };
    static const struct {
        bool takes;
        uint32_t sent[2]; /* method and word; 0: none */
        uint32_t d, next; /* the value of D; the method of a later send */
    } want[] = {
        [TAKE] = {true, {0, 0}, 55, 0x1000},
        [MOVE] = {false, {0, 0}, AT, 0x1000},
        [ADDRESS] = {false, {0, 0}, AT, 0x200},
        [SEND_TAKE] = {true, {0x1000, AT}, 55, 0x100c},
        [SEND] = {false, {0x1000, AT}, AT, 0x100c},
        [ADDRESS_TAKE] = {true, {0, 0}, 55, 0x200},
        [ADDRESS_SEND] = {true, {0x200, 55}, AT, 0x208},
        [ADDRESS_SEND_6] = {false, {0x200, 2}, AT, 0x208},
    };
    for (int use = TAKE; use <= ADDRESS_SEND_6; use++) {
        reset();
        UPLOAD(3, to(0x1000, 3), add(use, R4, R1, -1) | EXIT, add(SEND, R0, R4, 0));
        const enum macro_result r = start(3, AT + 1);
        assert_int_equal(r, want[use].takes ? MACRO_WAITS : MACRO_DONE);
        if (want[use].takes)
            assert_int_equal(give(3, 55), MACRO_DONE);
        if (want[use].sent[0])
            expect_send(want[use].sent[0], want[use].sent[1]);
        expect_send(want[use].next, want[use].d);
        expect_no_more();
    }
}

/* An address has 12 bits, an increment 6. Sums wrap around; upper bits are ignored. */
TEST(test_addresses) {
    reset();
    UPLOAD(0, add(ADDRESS, R0, R1, 0), add(SEND, R0, R0, 1), add(SEND, R0, R0, 2) | EXIT,
           add(SEND, R0, R0, 3));
    start(0, 0xfffc0000 | 63u << 12 | 0xfff);
    expect_send(0x3ffc, 1);
    expect_send(62 * 4, 2);
    expect_send(125 * 4, 3);
    start(0, 0x40); /* without an increment */
    for (uint32_t i = 1; i <= 3; i++)
        expect_send(0x100, i);
    expect_no_more();
}

/* ---- branches and exits ---- */

/* A macro sends numbers; their order shows which instructions ran. */
TEST(test_branches) {
    for (int not_zero = 0; not_zero < 2; not_zero++)
        for (int annul = 0; annul < 2; annul++)
            for (uint32_t a = 0; a < 2; a++) {
                reset();
                UPLOAD(0, to(0x100, 0),
                       branch(R1, 3, (not_zero ? IF_NOT_ZERO : 0) | (annul ? ANNUL : 0)),
                       add(SEND, R0, R0, 1), add(SEND, R0, R0, 2), add(SEND, R0, R0, 3) | EXIT,
                       nop());
                assert_int_equal(start(0, a), MACRO_DONE);
                const bool taken = a == (uint32_t)not_zero;
                if (!taken || !annul)
                    expect_send(0x100, 1);
                if (!taken)
                    expect_send(0x100, 2);
                expect_send(0x100, 3);
                expect_no_more();
            }
}

TEST(test_loop) {
    reset();
    UPLOAD(0, to(0x100, 1), add(MOVE, R1, R1, -1), branch(R1, -1, IF_NOT_ZERO),
           add(SEND, R0, R1, 0), nop() | EXIT, nop());
    assert_int_equal(start(0, 5), MACRO_DONE);
    for (uint32_t i = 0; i < 5; i++)
        expect_send(0x100 + 4 * i, 4 - i);
    expect_no_more();
}

TEST(test_exits) {
    /* the instruction behind an exit is the last; an exit or branch in that instruction has no
     * effect */
    reset();
    UPLOAD(0, to(0x100, 0) | EXIT, add(SEND, R0, R0, 1) | EXIT, add(SEND, R0, R0, 2));
    assert_int_equal(start(0, 0), MACRO_DONE);
    expect_send(0x100, 1);
    expect_no_more();
    reset();
    UPLOAD(0, to(0x100, 0) | EXIT, branch(R0, 1, ANNUL), add(SEND, R0, R0, 2), nop() | EXIT, nop());
    assert_int_equal(start(0, 0), MACRO_DONE);
    expect_no_more();
    /* an exit on a branch takes effect only if the branch is not taken, and includes the next
     * instruction */
    for (uint32_t a = 0; a < 2; a++)
        for (int annul = 0; annul < 2; annul++) {
            reset();
            UPLOAD(0, to(0x100, 0), branch(R1, 3, EXIT | (annul ? ANNUL : 0)), add(SEND, R0, R0, 1),
                   add(SEND, R0, R0, 2), add(SEND, R0, R0, 3), add(SEND, R0, R0, 4) | EXIT, nop());
            assert_int_equal(start(0, a), MACRO_DONE);
            if (a || !annul)
                expect_send(0x100, 1);
            if (!a) {
                expect_send(0x100, 3);
                expect_send(0x100, 4);
            }
            expect_no_more();
        }
    /* behind a taken branch, the exit's last instruction is the branch's target */
    reset();
    UPLOAD(0, to(0x100, 0), branch(R0, 3, 0), add(SEND, R0, R0, 1) | EXIT, add(SEND, R0, R0, 2),
           add(SEND, R0, R0, 3), add(SEND, R0, R0, 4));
    assert_int_equal(start(0, 0), MACRO_DONE);
    expect_send(0x100, 1);
    expect_send(0x100, 3);
    expect_no_more();
}

/* ---- parameters ---- */

/* A macro can wait anywhere: in a loop, behind a branch, and at its last instruction. */
TEST(test_waiting) {
    reset();
    UPLOAD(2, add(TAKE, R2, R0, 0), to(0x100, 1), add(MOVE, R1, R1, -1),
           branch(R1, -1, IF_NOT_ZERO), add(SEND_TAKE, R2, R2, 0), nop() | EXIT,
           add(SEND_TAKE, R3, R2, 0));
    assert_int_equal(start(2, 3), MACRO_WAITS);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(e.m.state, MACRO_WAITING);
        assert_int_equal(e.count, i ? i - 1 : 0);
        assert_int_equal(give(i == 3 ? 5 : 2, 10 + i), i < 4 ? MACRO_WAITS : MACRO_DONE);
    }
    for (uint32_t i = 0; i < 4; i++)
        expect_send(0x100 + 4 * i, 10 + i);
    expect_no_more();
    assert_int_not_equal(e.m.state, MACRO_WAITING);
    assert_int_equal(give(2, 1), MACRO_SURPLUS);
    assert_int_equal(give(2, 1), MACRO_SURPLUS);
    expect_no_more();
}

/* Sends before a missing parameter happen at once. */
TEST(test_sends_before_waiting) {
    reset();
    UPLOAD(0, to(0x100, 0), add(SEND, R0, R1, 0), add(TAKE, R2, R0, 0) | EXIT,
           add(SEND, R0, R2, 0));
    assert_int_equal(start(0, 9), MACRO_WAITS);
    expect_send(0x100, 9);
    assert_int_equal(give(0, 8), MACRO_DONE);
    expect_send(0x100, 8);
}

/* The state is plain data: a copy continues independently. */
TEST(test_copy) {
    reset();
    UPLOAD(0, add(TAKE, R2, R0, 0), alu(0, MOVE, R1, R1, R2), add(TAKE, R2, R0, 0),
           alu(0, MOVE, R1, R1, R2), to(0x100, 0) | EXIT, add(SEND, R0, R1, 0));
    start(0, 1);
    give(0, 10);
    static struct macro copy;
    copy = e.m;
    assert_int_equal(give(0, 100), MACRO_DONE);
    expect_send(0x100, 111);
    assert_int_equal(macro_parameter(&copy, &port, 500), MACRO_DONE);
    expect_send(0x100, 511);
    assert_int_not_equal(e.m.state, MACRO_WAITING);
}

/* A new start ends a macro that waits. */
TEST(test_restart) {
    reset();
    UPLOAD(0, add(TAKE, R2, R0, 0), to(0x100, 0) | EXIT, add(SEND, R0, R2, 0));
    assert_int_equal(start(0, 1), MACRO_WAITS);
    assert_int_equal(start(0, 2), MACRO_WAITS);
    assert_int_equal(give(0, 3), MACRO_DONE);
    expect_send(0x100, 3);
    expect_no_more();
}

/* ---- uploads and methods ---- */

TEST(test_uploads) {
    reset();
    /* positions and macro numbers advance with each word */
    method(MACRO_UPLOAD_POSITION, MACRO_CODE - 2);
    assert_int_equal(method(MACRO_UPLOAD_WORD, to(0x100, 0) | EXIT), MACRO_DONE);
    assert_int_equal(method(MACRO_UPLOAD_WORD, add(SEND, R0, R1, 0)), MACRO_DONE);
    assert_int_equal(method(MACRO_UPLOAD_WORD, 1), MACRO_BEYOND_STORE);
    method(MACRO_UPLOAD_POSITION, 0xffffffff);
    assert_int_equal(method(MACRO_UPLOAD_WORD, 1), MACRO_BEYOND_STORE);
    assert_int_equal(method(MACRO_UPLOAD_WORD, 1), MACRO_BEYOND_STORE);
    method(MACRO_NUMBER, MACRO_COUNT - 2);
    assert_int_equal(method(MACRO_ENTRY, 5), MACRO_DONE);
    assert_int_equal(method(MACRO_ENTRY, MACRO_CODE - 2), MACRO_DONE);
    assert_int_equal(method(MACRO_ENTRY, 0), MACRO_NO_SUCH);
    assert_int_equal(e.m.entry[MACRO_COUNT - 2], 5);
    assert_int_equal(start(MACRO_COUNT - 1, 6), MACRO_DONE); /* the last words of the store */
    expect_send(0x100, 6);
    /* other methods go to the engine */
    enum macro_result r;
    static const uint32_t others[] = {0, 0x100, 0x110, 0x124, 0x1614, 0x3400, 0x37fc};
    for (size_t i = 0; i < LENGTH(others); i++)
        assert_false(macro_method(&e.m, &port, others[i], 0, &r));
    expect_no_more();
}

/* ---- faults ---- */

/* After a fault no macro runs, its parameters are dropped silently, and the next start works. */
static void expect_failure(uint32_t n, enum macro_result want, uint32_t fault) {
    assert_int_equal(start(n, 1), want);
    assert_true(macro_is_error(want));
    assert_int_equal(e.m.fault, fault);
    const uint32_t sent = e.count;
    assert_int_equal(give(n, 1), MACRO_DONE);
    assert_int_equal(give(n, 1), MACRO_DONE);
    assert_int_equal(e.count, sent);
    e.count = e.checked = 0;
    UPLOAD(9, to(0x100, 0) | EXIT, add(SEND, R0, R1, 0));
    assert_int_equal(start(9, 4), MACRO_DONE);
    expect_send(0x100, 4);
    assert_int_equal(give(9, 4), MACRO_SURPLUS);
}

TEST(test_bad_places) {
    static const uint32_t entry[] = {MACRO_CODE, 0x1000, 0x7fffffff, 0xffffffff};
    for (size_t i = 0; i < LENGTH(entry); i++) {
        reset();
        method(MACRO_NUMBER, 4);
        method(MACRO_ENTRY, entry[i]);
        expect_failure(4, MACRO_OUTSIDE, entry[i]);
    }
    static const int far[] = {-1, -0x20000, 0x1ffff, 0x800};
    for (size_t i = 0; i < LENGTH(far); i++)
        for (int annul = 0; annul < 2; annul++) {
            reset();
            UPLOAD(4, branch(R0, far[i], annul ? ANNUL : 0), nop());
            expect_failure(4, MACRO_OUTSIDE, (uint32_t)far[i]);
        }
    /* beyond the end of the store */
    reset();
    method(MACRO_UPLOAD_POSITION, MACRO_CODE - 1);
    method(MACRO_UPLOAD_WORD, nop() | EXIT);
    method(MACRO_NUMBER, 4);
    method(MACRO_ENTRY, MACRO_CODE - 1);
    expect_failure(4, MACRO_OUTSIDE, MACRO_CODE);
    reset();
    assert_int_equal(start(MACRO_COUNT, 0), MACRO_NO_SUCH);
    assert_int_equal(give(MACRO_COUNT, 0), MACRO_DONE);
    assert_int_equal(method(0x7ff8, 0), MACRO_NO_SUCH);
}

TEST(test_illegal) {
    for (int sub = 0; sub < 32; sub++) {
        const bool legal = sub < 4 || (sub >= 8 && sub <= 12);
        reset();
        UPLOAD(4, nop(), alu(sub, MOVE, R2, R1, R1) | EXIT, nop());
        if (legal)
            assert_int_equal(start(4, 1), MACRO_DONE);
        else
            expect_failure(4, MACRO_ILLEGAL, 1);
    }
    reset();
    UPLOAD(4, fields(6, MOVE, R2, R1) | EXIT, nop());
    expect_failure(4, MACRO_ILLEGAL, 0);
}

TEST(test_endless) {
    reset();
    UPLOAD(4, branch(R0, 0, ANNUL));
    expect_failure(4, MACRO_ENDLESS, 0);
    reset(); /* an endless loop that sends */
    UPLOAD(4, to(0x100, 0), branch(R0, 0, 0), add(SEND, R0, R1, 0));
    expect_failure(4, MACRO_ENDLESS, 2);
    /* a parameter allows as many instructions again */
    reset();
    UPLOAD(4, add(MOVE, R2, R1, 0), add(MOVE, R2, R2, -1), branch(R2, -1, IF_NOT_ZERO), nop(),
           branch(R0, -4, 0), add(TAKE, R1, R0, 0));
    const uint32_t turns = MACRO_LIMIT / 3 - 10;
    assert_int_equal(start(4, turns), MACRO_WAITS);
    assert_int_equal(give(4, turns), MACRO_WAITS);
    assert_int_equal(give(4, turns), MACRO_WAITS);
    assert_int_equal(give(4, turns + 20), MACRO_ENDLESS);
}

/* A macro whose methods ask for more than MACRO_WORK units of work ends, however few its
 * instructions are. A parameter allows as much again. Work before the macro does not count. */
TEST(test_too_much) {
    const uint32_t most = 100;
    reset();
    e.work = UINT64_C(1) << 40;
    e.cost = MACRO_WORK / most;
    UPLOAD(4, to(0x100, 0), branch(R0, 0, 0), add(SEND, R0, R1, 0));
    expect_failure(4, MACRO_TOO_MUCH, 2);
    assert_int_equal((e.work - (UINT64_C(1) << 40)) / e.cost,
                     most + 2); /* the last one: the send of the macro that ran afterwards */
    reset();
    e.cost = MACRO_WORK / most;
    UPLOAD(4, to(0x100, 0), add(MOVE, R2, R1, 0), add(SEND, R0, R1, 0), add(MOVE, R2, R2, -1),
           branch(R2, -2, IF_NOT_ZERO), nop(), branch(R0, -5, 0), add(TAKE, R1, R0, 0));
    assert_int_equal(start(4, most), MACRO_WAITS);
    assert_int_equal(give(4, most), MACRO_WAITS);
    assert_int_equal(give(4, most), MACRO_WAITS);
    assert_int_equal(give(4, most + 1), MACRO_TOO_MUCH);
    assert_int_equal(e.count, 4 * most + 1);
    e.cost = 0;
}

/* Sends of a macro to the macro processor have no effect there. */
TEST(test_nested) {
    static const uint32_t target[] = {0x3800, 0x3804, 0x3ffc, 0x114, 0x118, 0x11c, 0x120};
    for (size_t i = 0; i < LENGTH(target); i++) {
        reset();
        UPLOAD(0, to((int)target[i], 0), add(SEND, R0, R1, 0), to(0x100, 0) | EXIT,
               add(SEND, R0, R1, 0));
        e.nested = true;
        assert_int_equal(start(0, 3), MACRO_DONE);
        assert_int_equal(e.nested_result, MACRO_NESTED);
        assert_int_equal(e.m.upload, 4);
        assert_int_equal(e.m.number, 1);
        expect_send(0x100, 3);
        expect_no_more();
    }
}

TEST(test_texts) {
    for (int i = 0; i < MACRO_RESULTS; i++)
        assert_true(strlen(macro_text(i)) > 8);
    assert_string_equal(macro_text(MACRO_RESULTS), "unknown");
}

/* Random code and parameters: every call ends with a known result. */
TEST(test_random_code) {
    for (int round = 0; round < 300; round++) {
        reset();
        e.nested = random_below(2);
        for (int i = 0; i < 64; i++)
            method(MACRO_UPLOAD_WORD, (random_below(1u << 16) << 16 | random_below(1u << 16)) &
                                          (random_below(2) ? 0xffffffff : 0x0007fff9));
        for (uint32_t i = 0; i < 60; i++) {
            const enum macro_result r =
                random_below(4) ? give(i, random_below(100)) : start(0, random_below(100));
            assert_true(r < MACRO_RESULTS && e.m.state != MACRO_RUNNING);
            assert_true((r == MACRO_WAITS) == (e.m.state == MACRO_WAITING));
            if (r == MACRO_ENDLESS)
                break;
        }
    }
}

/* ---- the driver's macros ---- */

static void upload_driver(void) {
    read_driver_macros();
    reset();
    upload(0, driver_code, LENGTH(driver_code));
    for (uint32_t n = 0; n < 16; n++) {
        method(MACRO_NUMBER, n);
        method(MACRO_ENTRY, driver_entry[n]);
    }
}

/* Starts macro n with the first word and passes the other words. The macro must end with the last
 * word. */
static void call(uint32_t n, const uint32_t *words, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(i ? give(n, words[i]) : start(n, words[i]),
                         i == count - 1 ? MACRO_DONE : MACRO_WAITS);
}
#define CALL(n, ...) call(n, (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)

static uint32_t any_word(void) {
    return random_below(1u << 16) << 16 | random_below(1u << 16);
}

TEST(test_driver_state) {
    upload_driver();
    for (uint32_t n = 1; n <= 32; n++) { /* per-instance flags */
        const uint32_t bits = any_word();
        CALL(0, n, bits);
        for (uint32_t i = 0; i < n; i++)
            expect_send(0x1880 + 4 * i, bits >> i & 1);
        expect_no_more();
        e.count = e.checked = 0;
    }
    for (uint32_t i = 0; i < 16; i++) { /* a vertex array: limit, start */
        CALL(1, i, 11, 12, 13, 14);
        expect_send(0x1c04 + 16 * i, 13);
        expect_send(0x1c08 + 16 * i, 14);
        expect_send(0x1f00 + 8 * i, 11);
        expect_send(0x1f04 + 8 * i, 12);
        expect_no_more();
    }
    for (uint32_t bits = 0; bits < 256; bits += 5) { /* blend enables */
        CALL(2, bits);
        for (uint32_t i = 0; i < 8; i++)
            expect_send(0x1360 + 4 * i, bits >> i & 1);
        expect_no_more();
    }
    /* polygon modes and programs; each sends to a register that has no effect here */
    static const uint32_t at[] = {0xdac, 0xdb0, 0x2100, 0x20c0};
    for (uint32_t k = 0; k < 100; k++) {
        const uint32_t n = k & 3,
                       word = n < 2 ? 0x1b00 + random_below(3) : 0x20 + random_below(0x30);
        CALL(3 + n, word);
        expect_send(at[n], word);
        assert_int_equal(e.sent[e.checked].method, 0x2ec);
        expect_send(0x2ec, e.sent[e.checked].word);
        expect_no_more();
    }
}

enum { CALLS = 5 };

/* Draws from memory. elements: with indices. limited: the number of draws comes from memory. */
static void draw_indirect(bool elements, bool limited, uint32_t limit) {
    upload_driver();
    const uint32_t old_base = any_word(), old_instance = any_word();
    e.reg[0x1434 / 4] = old_base;
    e.reg[0x1438 / 4] = old_instance;
    const uint32_t primitive = random_below(14), first_id = random_below(9), n = CALLS;
    uint32_t in[4 + 5 * CALLS] = {primitive, first_id, n, limit}, count = limited ? 4 : 3;
    const uint32_t each = elements ? 5 : 4;
    for (uint32_t i = 0; i < each * n; i++) {
        in[count + i] = any_word();
        if (i % each == 1)
            in[count + i] = random_below(4); /* instances */
    }
    call(7 + elements + 2 * limited, in, count + each * n);
    uint32_t id = first_id;
    for (uint32_t d = 0; d < n && (!limited || id < limit); d++, id++) {
        const uint32_t *w = in + count + each * d, base = elements ? w[3] : 0;
        const uint32_t instance = w[each - 1];
        while (e.sent[e.checked].method >= 0x3400) /* the macro's own memory */
            e.checked++;
        expect_send(elements ? 0x17dc : 0xd74, w[2]);
        if (!elements && w[1] == 0) /* without instances there is no draw */
            continue;
        expect_send(0x238c, 0x1a0);
        expect_send(0x2390, base);
        if (w[1] == 0)
            continue;
        expect_send(0x2394, instance);
        expect_send(0x2398, id);
        if (elements)
            expect_send(0x1434, base);
        expect_send(0x1438, instance);
        if (elements)
            expect_send(0x1118, base);
        for (uint32_t i = 0; i < w[1]; i++) {
            expect_send(0x1618, primitive | (i ? 1u << 26 : 0));
            expect_send(elements ? 0x17e0 : 0xd78, w[0]);
            expect_send(0x1614, 0);
        }
    }
    while (e.checked < e.count && e.sent[e.checked].method >= 0x3400)
        e.checked++;
    if (elements)
        expect_send(0x1434, old_base);
    expect_send(0x1438, old_instance);
    if (elements)
        expect_send(0x1118, old_base);
    expect_no_more();
}

TEST(test_driver_draws) {
    for (int round = 0; round < 20; round++) {
        draw_indirect(false, false, 0);
        draw_indirect(true, false, 0);
        for (uint32_t limit = 0; limit < 16; limit++) {
            draw_indirect(false, true, limit);
            draw_indirect(true, true, limit);
        }
    }
}

/* A query's result goes to a buffer: the difference of two counters, clamped or in 64 bits. */
TEST(test_driver_queries) {
    for (int round = 0; round < 400; round++) {
        upload_driver();
        const bool wide = random_below(2);
        const uint32_t clamp = wide ? 0 : random_below(2) ? 1 : 0xffffffff;
        const uint64_t from = (uint64_t)random_below(5) << 32 | any_word();
        const uint64_t size = (uint64_t)(random_below(3) ? 0 : random_below(3)) << 32 |
                              (random_below(2) ? random_below(3) : any_word());
        const uint64_t until = from + size;
        const uint32_t wanted = 5, actual = 4 + random_below(3), hi = any_word(), lo = 64;
        CALL(0xb, clamp, (uint32_t)until, (uint32_t)(until >> 32), (uint32_t)from,
             (uint32_t)(from >> 32), wanted, actual, hi, lo);
        const uint64_t value = !wide && size > clamp ? clamp : size;
        for (uint32_t k = 0; actual >= wanted && k <= wide; k++) {
            expect_send(0x1b00, hi);
            expect_send(0x1b04, lo + 4 * k);
            expect_send(0x1b08, (uint32_t)(value >> 32 * k));
            expect_send(0x1b0c, 0x10000000);
        }
        if (actual >= wanted)
            expect_send(0x110, 0);
        expect_no_more();
    }
}

TEST(test_driver_compute) {
    upload_driver();
    for (uint32_t k = 0; k < 27; k++) { /* a dispatch, except if a side is 0 */
        const uint32_t x = k % 3 * 7, y = k / 3 % 3 * 0x1fff, z = k / 9 * 0x7fff;
        CALL(0xc, x, y, z);
        if (x && y && z) {
            expect_send(0x238, y << 16 | x);
            expect_send(0x23c, z);
            expect_send(0x29c, 0);
            expect_send(0xa08, 0);
            expect_send(0x368, 0x1000);
            expect_send(0xa04, 0);
            expect_send(0x360, 1);
        }
        expect_no_more();
    }
    e.count = e.checked = 0;
    uint64_t sum = 0; /* number of invocations */
    for (uint32_t n = 1; n < 7; n++) {
        uint32_t in[8] = {n};
        uint64_t product = 1;
        for (uint32_t i = 1; i <= n; i++)
            product *= in[i] = 1 + random_below(700);
        call(0xe, in, n + 1);
        sum += product;
        assert_int_equal(e.reg[0x3410 / 4], (uint32_t)sum);
        assert_int_equal(e.reg[0x3414 / 4], (uint32_t)(sum >> 32));
    }
    e.checked = e.count;
    const uint64_t more = UINT64_C(0x1fffffff0), all = sum + more;
    CALL(0xf, (uint32_t)more, (uint32_t)(more >> 32), 9, 0x80);
    for (uint32_t k = 0; k < 2; k++) {
        expect_send(0x1b00, 9);
        expect_send(0x1b04, 0x80 + 4 * k);
        expect_send(0x1b08, (uint32_t)(all >> 32 * k));
        expect_send(0x1b0c, 0x10000000);
    }
    expect_no_more();
}

/* Parameters that no driver sends cause a bounded amount of work. */
TEST(test_driver_hostile) {
    upload_driver();
    assert_int_equal(start(7, 4), MACRO_WAITS);
    give(7, 0), give(7, 1), give(7, 3), give(7, 0xffffffff), give(7, 0);
    assert_int_equal(give(7, 0), MACRO_ENDLESS); /* 2^32 - 1 instances */
    assert_true(e.count > 1 << 20 && e.count < MACRO_LIMIT);
    upload_driver();
    assert_int_equal(start(0, 0xffffffff), MACRO_WAITS);
    assert_int_equal(give(0, 1), MACRO_ENDLESS);
}
