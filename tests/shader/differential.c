/* Differential tests of the engines that run warps. 10,000 random structured programs run as
 * machine code on 32 lanes, interpreted and native; each lane must match
 * tests/shader/scalar_executor.h. On random instructions, native code and the interpreter must
 * leave the same warp and memory. TESLAPIPE_SOAK=1 goes on until a comparison fails,
 * TESLAPIPE_SEED=n starts at program n, TESLAPIPE_PROGRAMS=n sets the number of structured
 * programs. */
#include "tests/shader/two_engines.h"

#include "shader/isa/isa.h"
#include "tests/shader/made.h"
#include "tests/shader/scalar_executor.h"
#include "tests/shader/test_native.h"

#include <time.h>

/* ---- random trees ---- */

/* The place of a list of statements. The statements that are valid in the list depend on it. */
struct place {
    int depth, function;
    bool in_loop; /* a break is legal */
};

static int make_list(struct tree *t, struct place p, bool fragment);

static enum tree_kind pick_kind(struct tree *t, struct place p, bool fragment) {
    for (;;) {
        const enum tree_kind k = random_below(TREE_KINDS);
        const bool nests = k == TREE_IF || k == TREE_LOOP || k == TREE_DO_WHILE || k == TREE_PRERET;
        if (nests && (p.depth >= 4 || t->count > TREE_NODES - 20))
            continue;
        if ((k == TREE_LOOP || k == TREE_DO_WHILE) && t->loops >= TREE_LOOPS)
            continue;
        if (k == TREE_BREAK && !p.in_loop)
            continue;
        if ((k == TREE_CALL || k == TREE_CALL_LIMITED) && p.function == TREE_FUNCTIONS - 1)
            continue;
        if (k == TREE_DISCARD && !fragment)
            continue;
        if ((k == TREE_EXIT || k == TREE_RET) && random_below(3))
            continue;
        return k;
    }
}

static void fill_node(struct tree *t, int i, struct place p, bool fragment) {
    struct tree_node *n = &t->node[i];
    n->kind = pick_kind(t, p, fragment);
    n->value = random_word();
    n->bit = random_below(16);
    n->invert = random_below(2);
    n->bare = random_below(2);
    p.depth++;
    switch (n->kind) {
    case TREE_IF:
        n->body = make_list(t, p, fragment);
        n->other = random_below(2) ? make_list(t, p, fragment) : -1;
        break;
    case TREE_LOOP:
    case TREE_DO_WHILE:
        p.in_loop = true;
        n->value = t->loops++;
        n->body = make_list(t, p, fragment);
        break;
    case TREE_PRERET:
        p.in_loop = false;
        n->body = make_list(t, p, fragment);
        break;
    case TREE_CALL:
    case TREE_CALL_LIMITED:
        n->value = p.function + 1 + n->value % (TREE_FUNCTIONS - 1 - p.function);
        break;
    default:
        break;
    }
}

/* Every other statement is an update, so that each path through the program leaves its own hash. */
static int make_list(struct tree *t, struct place p, bool fragment) {
    int first = -1, last = -1;
    const int length = 1 + random_below(5);
    for (int k = 0; k < length && t->count + 2 < TREE_NODES; k++) {
        for (int half = 0; half < 2 && t->count < TREE_NODES; half++) {
            const int i = t->count++;
            t->node[i] = (struct tree_node){
                .kind = TREE_UPDATE, .value = random_word(), .body = -1, .other = -1, .next = -1};
            if (half)
                fill_node(t, i, p, fragment);
            if (last >= 0)
                t->node[last].next = i;
            else
                first = i;
            last = i;
        }
    }
    return first;
}

static void make_tree(struct tree *t, bool fragment) {
    memset(t, 0, sizeof *t);
    static const uint32_t limits[] = {0, 1, 2, UINT32_MAX};
    t->call_limit = limits[random_below(4)];
    for (int f = 0; f < TREE_FUNCTIONS; f++)
        t->function[f] = make_list(t, (struct place){.function = f}, fragment);
}

/* ---- trees to machine code: every instruction is long, so its address is 8 * its index ---- */

enum {
    R_HASH = 1,
    R_MASK = 2,
    R_TEMP = 3,
    R_MINUS_1 = 4,
    R_QUAD = 5,
    R_LOOP = 8,
    P_E = 0x02,
    P_LG = 0x05,
    P_ALWAYS = 0x0f,
    CODE_MAX = 4096
};

struct code {
    uint32_t w[2 * CODE_MAX];
    uint32_t count;
    uint32_t function[TREE_FUNCTIONS];
    struct {
        uint32_t at, function;
    } calls[TREE_NODES];
    int call_count;
};

static uint32_t put(struct code *c, uint32_t w0, uint32_t w1) {
    assert_true(c->count < CODE_MAX);
    c->w[2 * c->count] = w0;
    c->w[2 * c->count + 1] = w1;
    return c->count++;
}

static uint32_t put_control(struct code *c, uint32_t opcode, unsigned predicate) {
    return put(c, opcode << 28 | 3, predicate << 7);
}

static void aim(struct code *c, uint32_t at, uint32_t target) {
    c->w[2 * at] |= (target * 2 & 0xffff) << 11;
    c->w[2 * at + 1] |= target * 2 >> 16 << 14;
}

static void put_immediate(struct code *c, uint32_t opcode, unsigned d, unsigned s, uint32_t imm) {
    put(c, opcode | 1 | d << 2 | s << 9 | (imm & 0x3f) << 16, 3 | imm >> 6 << 2);
}

static void put_mov(struct code *c, unsigned d, uint32_t imm) {
    put_immediate(c, 0x10008000, d, 0, imm);
}

static void put_update(struct code *c, uint32_t value) {
    put(c, 0x30050001 | R_TEMP << 2 | R_HASH << 9, 0xc4100780); /* shl b32 temp hash 5 */
    put(c, 0x20000001 | R_HASH << 2 | R_HASH << 9, 0x04000780 | R_TEMP << 14);
    put_immediate(c, 0x20008000, R_HASH, R_HASH, value);
}

/* Sets $c0 from the node's bit; returns the predicate that is true if the node's condition
 * holds. */
static unsigned put_condition(struct code *c, const struct tree_node *n) {
    put_mov(c, R_MASK, 1u << n->bit);
    put(c, 0xd00001fd | R_HASH << 9 | R_MASK << 16, 0x040007c8); /* and b32 $c0 # hash mask */
    return n->invert ? P_E : P_LG;
}

static unsigned opposite(unsigned predicate) {
    return predicate == P_E ? P_LG : P_E;
}

static uint32_t put_nop(struct code *c, unsigned flag) {
    return put(c, 0xf0000001, 0xe0000780 | flag);
}

enum { FLAG_EXIT = 1, FLAG_JOIN = 2 };
enum {
    C_DISCARD,
    C_BRA,
    C_CALL,
    C_RET,
    C_PREBREAK,
    C_BREAK,
    C_QUADON,
    C_QUADPOP,
    C_JOINAT = 10,
    C_PRERET = 13
};

static void put_list(struct code *c, const struct tree *t, int first);

static void put_if(struct code *c, const struct tree *t, const struct tree_node *n) {
    const unsigned p = put_condition(c, n);
    const uint32_t at = put_control(c, C_JOINAT, 0);
    const uint32_t skip = put_control(c, C_BRA, opposite(p));
    put_list(c, t, n->body);
    const uint32_t over = put_control(c, C_BRA, P_ALWAYS);
    aim(c, skip, c->count);
    put_list(c, t, n->other);
    const uint32_t join = put_nop(c, FLAG_JOIN);
    aim(c, at, join);
    aim(c, over, join);
}

static void put_loop(struct code *c, const struct tree *t, const struct tree_node *n) {
    const unsigned counter = R_LOOP + n->value;
    put_mov(c, R_MASK, 3);
    put(c, 0xd0000001 | counter << 2 | R_HASH << 9 | R_MASK << 16, 0x04000780);
    put_immediate(c, 0x20008000, counter, counter, 1);
    const uint32_t pre = put_control(c, C_PREBREAK, 0);
    const uint32_t head = c->count;
    put_list(c, t, n->body);
    put(c, 0x20000001 | counter << 2 | counter << 9, 0x040007c0 | R_MINUS_1 << 14);
    if (n->kind == TREE_LOOP) {
        put_control(c, C_BREAK, P_E);
        aim(c, put_control(c, C_BRA, P_ALWAYS), head);
    } else {
        aim(c, put_control(c, C_BRA, P_LG), head);
        put_control(c, C_BREAK, P_ALWAYS);
    }
    aim(c, pre, c->count);
}

static void put_exit(struct code *c, const struct tree_node *n) {
    const unsigned p = put_condition(c, n);
    const uint32_t at = n->bare ? 0 : put_control(c, C_JOINAT, 0);
    const uint32_t skip = put_control(c, C_BRA, opposite(p));
    put_nop(c, FLAG_EXIT);
    aim(c, skip, c->count);
    if (!n->bare)
        aim(c, at, put_nop(c, FLAG_JOIN));
}

static void put_call(struct code *c, const struct tree_node *n) {
    const uint32_t at = put_control(c, C_CALL, 0);
    c->w[2 * at + 1] |= n->kind == TREE_CALL_LIMITED ? 1 << 6 : 0;
    c->calls[c->call_count].at = at;
    c->calls[c->call_count++].function = n->value;
}

static void put_node(struct code *c, const struct tree *t, const struct tree_node *n) {
    uint32_t at;
    switch (n->kind) {
    case TREE_UPDATE:
        put_update(c, n->value);
        break;
    case TREE_IF:
        put_if(c, t, n);
        break;
    case TREE_LOOP:
    case TREE_DO_WHILE:
        put_loop(c, t, n);
        break;
    case TREE_BREAK:
        put_control(c, C_BREAK, put_condition(c, n));
        break;
    case TREE_RET:
        put_control(c, C_RET, put_condition(c, n));
        break;
    case TREE_EXIT:
        put_exit(c, n);
        break;
    case TREE_DISCARD:
        put_control(c, C_DISCARD, put_condition(c, n));
        break;
    case TREE_CALL:
    case TREE_CALL_LIMITED:
        put_call(c, n);
        break;
    case TREE_PRERET:
        at = put_control(c, C_PRERET, 0);
        put_list(c, t, n->body);
        put_control(c, C_RET, P_ALWAYS);
        aim(c, at, c->count);
        break;
    default:
        put_control(c, C_QUADON, 0);
        put_mov(c, R_QUAD, n->value);
        put_control(c, C_QUADPOP, 0);
        break;
    }
}

static void put_list(struct code *c, const struct tree *t, int first) {
    for (int i = first; i >= 0; i = t->node[i].next)
        put_node(c, t, &t->node[i]);
}

static void put_tree(struct code *c, const struct tree *t) {
    c->count = 0;
    c->call_count = 0;
    for (int f = 0; f < TREE_FUNCTIONS; f++) {
        c->function[f] = c->count;
        put_list(c, t, t->function[f]);
        if (f == 0)
            put_nop(c, FLAG_EXIT);
        else
            put_control(c, C_RET, P_ALWAYS);
    }
    for (int i = 0; i < c->call_count; i++)
        aim(c, c->calls[i].at, c->function[c->calls[i].function]);
}

/* ---- both, compared ---- */

static bool run_scalar(const struct tree *t, const uint32_t start[LANES],
                       struct scalar_thread out[LANES]) {
    for (int i = 0; i < LANES; i++) {
        out[i] = (struct scalar_thread){.hash = start[i]};
        if (!scalar_run(t, &out[i]))
            return false;
    }
    return true;
}

static void compare(const struct warp *w, const struct scalar_thread *scalar, lane_mask launched,
                    lane_mask helpers, uint64_t seed) {
    for (int i = 0; i < LANES; i++) {
        if (!((launched & ~helpers) >> i & 1))
            continue;
        const bool dead = w->dead >> i & 1;
        if (dead != scalar[i].discarded || (!dead && w->r[R_HASH][i] != scalar[i].hash))
            fail_msg("TESLAPIPE_SEED=%llu lane %d: warp %08x%s, thread %08x%s",
                     (unsigned long long)seed, i, w->r[R_HASH][i], dead ? " discarded" : "",
                     scalar[i].hash, scalar[i].discarded ? " discarded" : "");
    }
}

/* The state of a run over random programs. */
struct bench {
    struct tree *tree;
    struct code *code;
    struct warp *w, *compiled;
    bool soak;
    struct native *native;
    uint64_t first;
};

enum { NATIVE_WORDS = 10000 };

/* Fills registers with stale values. No result may depend on them, except in lanes that write no
 * register. */
static void leave_rows(struct warp *w, const struct program *p) {
    memset(w->r, 0x5a, p->header.reg_count * sizeof w->r[0]);
}

static void run_compiled(struct bench *b, struct warp_env env, const uint32_t start[LANES],
                         lane_mask launched, lane_mask helpers, uint64_t seed) {
    struct warp *w = b->compiled;
    env.native = test_native_get(env.simd);
    w->stats = (struct warp_stats){0};
    leave_rows(w, env.program);
    warp_start(w, &env, launched, helpers);
    memcpy(&w->r[R_HASH], start, sizeof w->r[0]);
    w->r[R_MINUS_1] = lanes_splat(~0u);
    warp_run(w, &env);
    check_same(b->w, w, seed);
}

/* Compares the program of this seed in all engines. Returns false if the program ran too long to
 * compare. */
static bool run_program(uint64_t seed, struct bench *b) {
    struct tree *tree = b->tree;
    struct code *code = b->code;
    struct warp *w = b->w;
    random_start(seed);
    random_word();
    const bool fragment = random_below(2);
    make_tree(tree, fragment);
    uint32_t start[LANES];
    for (int i = 0; i < LANES; i++)
        start[i] = random_word();
    const lane_mask launched = random_below(2) ? LANES_ALL : random_word() | 1;
    const lane_mask helpers = fragment ? random_word() & random_word() & launched & ~1u : 0;
    struct scalar_thread scalar[LANES];
    if (!run_scalar(tree, start, scalar))
        return false;
    put_tree(code, tree);
    struct program *p = made_of_words(fragment ? PROGRAM_FP : PROGRAM_VP, ISA_GT215,
                                      R_LOOP + TREE_LOOPS, code->w, 2 * code->count);
    struct warp_env env = {.program = p, .call_limit = tree->call_limit, .budget = 1 << 24};
    env.simd = random_below(simd_best() + 1);
    w->stats = (struct warp_stats){0};
    leave_rows(w, p);
    warp_start(w, &env, launched, helpers);
    memcpy(&w->r[R_HASH], start, sizeof start);
    w->r[R_MINUS_1] = lanes_splat(~0u);
    const enum warp_status status = warp_run(w, &env);
    if (status != WARP_DONE) {
        char text[128];
        warp_error_print(&w->error, text, sizeof text);
        fail_msg("TESLAPIPE_SEED=%llu: %s", (unsigned long long)seed, text);
    }
    compare(w, scalar, launched, helpers, seed);
    if (b->native)
        run_compiled(b, env, start, launched, helpers, seed);
    program_unref(p);
    return true;
}

static void delete_warp(struct warp *w) {
    warp_free(w);
    free(w);
}

static struct bench new_bench(void) {
    const char *first = getenv("TESLAPIPE_SEED"), *soak = getenv("TESLAPIPE_SOAK");
    const bool soaks = soak && *soak == '1';
    return (struct bench){
        .w = case_rows(sizeof(struct warp)),
        .compiled = case_rows(sizeof(struct warp)),
        .soak = soaks,
        .native = test_native_get(SIMD_BASE),
        .first = first   ? strtoull(first, NULL, 0)
                 : soaks ? (uint64_t)time(NULL) << 20
                         : 0,
    };
}

static void delete_bench(struct bench *b) {
    delete_warp(b->w);
    delete_warp(b->compiled);
}

/* ---- random instructions, interpreted and compiled ---- */

enum { MAX_INSTRUCTIONS = 400, INPUT = SETUP / 4 + 2 * (MAX_INSTRUCTIONS + 1) };

/* A long instruction that decodes, mostly without join or exit. The targets of branches stay inside
 * the program. straight: no control instructions. */
static void random_instruction(struct isa_target target, uint32_t count, bool straight,
                               uint32_t w[2]) {
    struct op op;
    do {
        const uint32_t flags = straight || random_below(4) ? 0
                               : random_below(8)           ? 3
                                                           : random_below(4);
        w[0] = (random_word() ^ random_word() << 16) | 1;
        w[1] = (random_word() ^ random_word() << 16) & 0xfffff07c;
        w[1] |= flags | (random_below(4) ? 0x780 : random_word() & 0xf80);
        isa_decode(target, w, 2, 0, &op);
        if (op.code >= OP_DISCARD && op.code != OP_ILLEGAL) {
            w[0] = (w[0] & ~(0xffffu << 11)) | 2 * random_below(count) << 11;
            w[1] &= ~(0x3fu << 14);
        }
    } while (op.words != 2 || (straight && (op.code >= OP_DISCARD || op.code == OP_ILLEGAL)) ||
             (op.code == OP_ILLEGAL && random_below(200)) ||
             (op.code == OP_TRAP && random_below(20)));
}

/* Two instructions; the second reads the result of the first and mostly overwrites that result.
 * Native code may fuse such a pair. */
static void random_pair(uint32_t w[4]) {
    static const uint32_t pairs[][3] = {{0xb0000001, 0xc0000000, 0x80000000}, /* presin, sin */
                                        {0xb0000001, 0xc0000000, 0xa0000000}, /* presin, cos */
                                        {0xb0000001, 0xc0004000, 0xc0000000}, /* preex2, ex2 */
                                        {0x90000001, 0x40000000, 0}};         /* rsqrt, rcp */
    const uint32_t *pair = pairs[random_below(4)];
    const uint32_t lanes = random_below(4) ? 0x780 : random_word() & 0xf80;
    const uint32_t from = random_below(8), between = random_below(8);
    const uint32_t to = random_below(4) ? between : random_below(8);
    w[0] = pair[0] | from << 9 | between << 2;
    w[1] = pair[1] | lanes | (random_below(4) ? 0 : 1u << 26); /* sometimes a modified source */
    w[2] = 0x90000001 | between << 9 | to << 2;
    w[3] = pair[2] | lanes;
}

/* Five instructions that mostly make up a 32-bit product of 16-bit halves: a constant, low * high,
 * += high * low, << 16, += low * low. The other factor is a register, the constant, or a word of
 * c[]. */
static void random_product(uint32_t w[10]) {
    const uint32_t a = random_below(8), b = random_below(8);
    const uint32_t k = random_below(3) ? random_word() * 5 : random_below(0x10000);
    const uint32_t between = random_below(8), to = random_below(8), kind = random_below(3);
    const uint32_t wrong = random_below(12); /* below 3: the step that takes the wrong half */
    w[0] = 0x10008001 | (k & 0x3f) << 16 | b << 2;
    w[1] = 3 | k >> 6 << 2;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t x = 2 * a + (i == 1), high = (i == 0) != (wrong == i);
        const uint32_t y = (kind == 2 ? 0x80 | 2 * between : 2 * b) + high;
        uint32_t *v = w + (i == 2 ? 8 : 2 + 2 * i);
        v[0] = (i ? 0x60000001u : 0x40000001u) | (i == 2 ? to : between) << 2;
        if (kind == 1 && i < 2) {
            const uint32_t factor = high ? k >> 16 : k & 0xffff;
            v[0] |= x << 9 | (factor & 0x3f) << 16;
            v[1] = 3 | factor >> 6 << 2;
            continue;
        }
        const bool swapped = kind != 2 && random_below(2);
        v[0] |= (swapped ? y : x) << 9 | (swapped ? x : y) << 16;
        v[1] = 0x780 | (i ? between << 14 : 0);
    }
    w[6] = 0x30100001 | between << 9 | between << 2;
    w[7] = 0xc4100780;
    if (!random_below(3)) { /* without the step low * high, which is 0 for a short constant */
        const bool other = !random_below(4); /* the constant is overwritten first */
        w[2] = other ? 0x10000001 | random_below(8) << 9 | b << 2 : 0xf0000001;
        w[3] = other ? 0x0403c780 : 0xe0000780;
        w[4] ^= 0x20000000;
        w[5] &= kind == 1 ? ~0u : ~(0x7fu << 14);
    }
    if (random_below(2)) { /* sometimes one bit differs: another register, shift or predicate */
        const uint32_t n = 2 * random_below(5);
        w[n] ^= 1u << (2 + random_below(19));
        w[n + 1] ^= random_below(2) ? 0x80u << random_below(13) : 0;
    }
}

/* A word pair of plain arithmetic on few registers. */
static void random_sum(uint32_t w[2]) {
    static const uint32_t words[][2] = {{0xb0000001, 0x780},       /* add f32 */
                                        {0xe0000001, 0x780},       /* mad f32 */
                                        {0x20000001, 0x04000780},  /* add b32 */
                                        {0x10000001, 0x0403c780}}; /* mov b32 */
    const uint32_t n = random_below(4);
    w[0] = words[n][0] | random_below(22) << 2 | random_below(22) << 9;
    w[0] |= n == 1 ? random_below(22) << 16 : 0;
    w[1] = words[n][1] | (n < 3 ? random_below(22) << 14 : 0);
}

/* A loop of `count` instructions from number `first` on, which lanes leave one by one through
 * breaks. It uses more rows than the host has registers. */
static void random_loop(uint32_t *w, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count; i++)
        random_sum(w + 2 * i);
    w[2 * first] = 0x40000003 | 2 * (first + count) << 11; /* prebreak */
    w[2 * first + 1] = 0x780;
    for (uint32_t i = first + 1; i + 3 < first + count; i += 3 + random_below(10)) {
        w[2 * i] = 0xb00001fd | random_below(22) << 9 | random_below(22) << 16;
        w[2 * i + 1] = 0x600047c8; /* set $c0 # l f32 */
        w[2 * i + 2] = 0x50000003; /* break */
        w[2 * i + 3] = (1 + random_below(6)) << 7;
    }
    w[2 * (first + count) - 2] = 0x10000003 | 2 * (first + 1) << 11; /* bra */
    w[2 * (first + count) - 1] = 0x780;
}

/* Twelve instructions: four branches to the next instruction, which some lanes take. With a small
 * stack limit the stack fills up. */
static void random_divide(uint32_t *w) {
    for (uint32_t i = 0; i < 12; i += 3) {
        const uint32_t from = random_below(4), limit = random_below(32) << from;
        w[2 * i] = 0x10008001 | (limit & 0x3f) << 16 | 8 << 2; /* mov b32 $r8 limit */
        w[2 * i + 1] = 3 | limit >> 6 << 2;
        w[2 * i + 2] = 0x300801fd | from << 9; /* set $c0 # l u32 $r(from) $r8 */
        w[2 * i + 3] = 0x640047c8;
        w[2 * i + 4] = 0x10000003 | 2 * (i + 3) << 11; /* bra */
        w[2 * i + 5] = (1 + random_below(6)) << 7;
    }
}

static void put_branch(uint32_t *w, uint32_t at, uint32_t kind, uint32_t to, uint32_t lanes) {
    w[2 * at] = kind << 28 | 3 | 2 * to << 11;
    w[2 * at + 1] = lanes << 7;
}

/* Makes a fork of instructions first to last: joinat, comparison, branch, the way of the lanes that
 * do not branch, a branch over the other way, and the other way; the last instruction has the join
 * flag. A way consists of sums or of the instructions that stood there, sometimes with forks
 * inside. Some branches get wrong targets. */
static void random_fork(uint32_t *w, uint32_t first, uint32_t last, int depth) {
    const bool other = random_below(4), spoilt = !random_below(12), sums = random_below(4);
    const uint32_t taken = other ? first + 4 + random_below(last - first - 3) : last;
    for (uint32_t i = first; sums && i < last; i++)
        random_sum(w + 2 * i);
    if (last - first > 12 && depth < 5 && random_below(2))
        random_fork(w, first + 3, taken - 2 > first + 9 ? taken - 2 : first + 9, depth + 1);
    if (last - taken > 10 && depth < 5 && random_below(2))
        random_fork(w, taken, last - 1 - random_below(2), depth + 1);
    put_branch(w, first, C_JOINAT, last + (spoilt && random_below(2)), P_ALWAYS);
    w[2 * first + 2] = 0x300001fd | random_below(8) << 9 | random_below(8) << 16;
    w[2 * first + 3] = 0x640047c8; /* set $c0 # l u32 */
    put_branch(w, first + 2, C_BRA, taken, 1 + random_below(6));
    if (other)
        put_branch(w, taken - 1, C_BRA, last - (spoilt && random_below(2)), P_ALWAYS);
    if ((w[2 * last + 1] & 3) || !(w[2 * last] & 1) || (w[2 * last] & 2) || random_below(2)) {
        w[2 * last] = 0xf0000001;
        w[2 * last + 1] = 0xe0000780;
    }
    w[2 * last + 1] |= 2;
}

static size_t random_input(uint32_t input[INPUT]) {
    const uint32_t count = 1 + random_below(MAX_INSTRUCTIONS);
    struct setup s;
    for (int i = 0; i < SETUP / 4; i++)
        input[i] = random_word() ^ random_word() << 16;
    memcpy(&s, input, SETUP);
    if (random_below(2))
        s.launched = LANES_ALL;
    s.launched |= 1;
    const bool straight = random_below(2); /* every instruction is executed */
    if (straight)
        s.launched = quads_of_lanes(s.launched);
    s.helpers &= random_word();
    s.variant %= ISA_TESLA_VARIANTS;
    s.regs |= random_below(4) ? 0x40 : 0;
    if (!random_below(4))
        s.stack_limit = (uint8_t)(1 + random_below(4));
    memcpy(input, &s, SETUP);
    const struct isa_target target = {s.variant, s.type % PROGRAM_TESLA_TYPES, SYNTAX_ENVYAS};
    const bool fragment = target.type == PROGRAM_FP;
    uint32_t *w = input + SETUP / 4;
    for (uint32_t i = 0; i < count; i++, w += 2)
        random_instruction(target, count + 1, straight, w);
    for (uint32_t i = random_below(20); i + 1 < count; i += 2 + random_below(20))
        random_pair(input + SETUP / 4 + 2 * i);
    for (uint32_t i = random_below(40); i + 5 < count; i += 5 + random_below(40))
        random_product(input + SETUP / 4 + 2 * i);
    for (uint32_t i = random_below(40); fragment && i < count; i += 1 + random_below(40)) {
        input[SETUP / 4 + 2 * i] = 0x80010001 | random_below(8) << 9 | random_below(8) << 2;
        input[SETUP / 4 + 2 * i + 1] = 0x00020780; /* interp v[0x4], with a register as factor */
    }
    if (count > 60 && random_below(2))
        random_loop(input + SETUP / 4, random_below(4), 20 + random_below(30));
    else if (count > 60 && random_below(2))
        random_divide(input + SETUP / 4);
    for (uint32_t i = random_below(60); straight && i + 40 < count; i += 40 + random_below(40))
        random_fork(input + SETUP / 4, i, i + 6 + random_below(33), 0);
    if (straight && !random_below(4)) { /* sometimes a branch from before a fork into it */
        const uint32_t from = random_below(count < 200 ? count : 200);
        put_branch(input + SETUP / 4, from, C_BRA, from + 1 + random_below(60),
                   1 + random_below(6));
    }
    if (straight && !random_below(8)) /* sometimes an endless loop, which the budget ends */
        put_branch(input + SETUP / 4, random_below(count < 250 ? count : 250), C_BRA, 0, P_ALWAYS);
    w[0] = 0xf0000001; /* exit nop */
    w[1] = 0xe0000781;
    if (uses_quads(input + SETUP / 4, 8 * count, target)) {
        s.launched = quads_of_lanes(s.launched);
        memcpy(input, &s, SETUP);
    }
    return SETUP + 8 * (count + 1);
}

/* Runs one random program. Returns how many instructions it executed. */
static uint64_t run_words(uint64_t seed) {
    random_start(seed);
    static struct start_rows start;
    uint32_t input[INPUT];
    const size_t size = random_input(input);
    const bool started = random_below(2);
    if (started)
        fill_start(&start);
    return compare_started(input, size, started ? &start : NULL, seed);
}

/* ---- the tests ---- */

TEST(test_random_programs) {
    struct bench b = new_bench();
    b.tree = malloc(sizeof *b.tree);
    b.code = calloc(1, sizeof *b.code);
    assert_true(b.tree && b.code);
    uint64_t compared = 0, seed = b.first;
    const char *few = getenv("TESLAPIPE_PROGRAMS");
    const uint64_t wanted = few ? strtoull(few, NULL, 0) : 10000;
    for (; compared < wanted || b.soak; seed++) {
        compared += run_program(seed, &b);
        if (b.soak && b.native)
            run_words(seed);
    }
    print_message("%llu programs compared, seeds up to %llu\n", (unsigned long long)compared,
                  (unsigned long long)seed);
    free(b.code);
    free(b.tree);
    delete_bench(&b);
}

TEST(test_random_instructions) {
    struct bench b = new_bench();
    uint64_t instructions = 0, seed = b.first;
    for (; b.native && (seed < b.first + NATIVE_WORDS || b.soak); seed++)
        instructions += run_words(seed);
    print_message("%llu instructions, seeds up to %llu\n", (unsigned long long)instructions,
                  (unsigned long long)seed);
    delete_bench(&b);
    if (!b.native)
        skip();
    assert_true(instructions > NATIVE_WORDS * 10);
}
