/* Random structured programs of Fermi and generic64, compared with an executor of one thread:
 * conditions, loops with break and continue, calls with return, early exit, arithmetic. A seed
 * makes a tree. The tree is written as assembly of each set and run as a warp of 32 lanes,
 * interpreted and native; it is also executed lane by lane without a stack. The registers must
 * agree. TESLAPIPE_SOAK=1 goes on without end. */
#include "tests/shader/warp_case.h"

#include <time.h>

enum node_kind {
    NODE_OP,
    NODE_IF,
    NODE_LOOP,
    NODE_BREAK,
    NODE_CONTINUE,
    NODE_CALL,
    NODE_RETURN,
    NODE_EXIT
};
enum status { GOES_ON, BREAKS, CONTINUES, RETURNS, EXITS };
enum { NODES = 400, REGS = 9, FUNCTIONS = 2, COUNTER = 16, TEXT = 1 << 16 };

struct node {
    uint8_t kind, op, d, a, b, cond, is_signed, depth, times;
    int first, other, next; /* bodies and the following node; -1: none */
};

struct tree {
    struct node node[NODES];
    int count, function[FUNCTIONS], main;
};

/* ---- growing a tree ---- */

static int grow_list(struct tree *t, int depth, int loops, bool function, unsigned length);

static int grow(struct tree *t, int depth, int loops, bool function) {
    if (t->count == NODES)
        return -1;
    const int n = t->count++;
    struct node *node = &t->node[n];
    *node = (struct node){.op = (uint8_t)random_below(11),
                          .d = (uint8_t)(1 + random_below(REGS - 1)),
                          .a = (uint8_t)random_below(REGS),
                          .b = (uint8_t)random_below(REGS),
                          .cond = (uint8_t)random_below(3),
                          .is_signed = (uint8_t)random_below(2),
                          .depth = (uint8_t)(loops + (function ? 8 : 0)),
                          .times = (uint8_t)(1 + random_below(5)),
                          .first = -1,
                          .other = -1,
                          .next = -1};
    const uint32_t kind = random_below(20);
    if (kind >= 15 && depth > 0) {
        const bool loop = kind >= 18;
        t->node[n].kind = loop ? NODE_LOOP : NODE_IF;
        t->node[n].first = grow_list(t, depth - 1, loops + loop, function, 3);
        if (!loop && random_below(2))
            t->node[n].other = grow_list(t, depth - 1, loops, function, 3);
    } else if (kind == 14 && loops) {
        t->node[n].kind = random_below(2) ? NODE_BREAK : NODE_CONTINUE;
    } else if (kind == 13 && !function) {
        t->node[n].kind = NODE_CALL;
        t->node[n].times = (uint8_t)random_below(FUNCTIONS);
    } else if (kind == 12 && function) {
        t->node[n].kind = NODE_RETURN;
    } else if (kind == 11 && random_below(4) == 0) {
        t->node[n].kind = NODE_EXIT;
    }
    return n;
}

static int grow_list(struct tree *t, int depth, int loops, bool function, unsigned length) {
    int first = -1, last = -1;
    for (unsigned i = 0; i < length; i++) {
        const int n = grow(t, depth, loops, function);
        if (n < 0)
            break;
        if (last < 0)
            first = n;
        else
            t->node[last].next = n;
        last = n;
    }
    return first;
}

/* ---- one thread ---- */

static uint32_t as_word(float f) {
    uint32_t v;
    memcpy(&v, &f, 4);
    return f != f ? 0x7fffffff : v;
}

static uint32_t evaluate(unsigned op, uint32_t a, uint32_t b, uint32_t d) {
    switch (op) {
    case 0:
        return a + b;
    case 1:
        return a - b;
    case 2:
        return a * b;
    case 3:
        return a & b;
    case 4:
        return a | b;
    case 5:
        return a ^ b;
    case 6:
        return b < 32 ? a << b : 0;
    case 7:
        return (uint32_t)((int32_t)a >> (b < 32 ? b : 31));
    case 8:
        return a < b ? a : b;
    case 9:
        return (int32_t)a > (int32_t)b ? a : b;
    default:
        return as_word(fmaf(bits_float(a), bits_float(b), bits_float(d)));
    }
}

static bool holds(const struct node *n, const uint32_t *r) {
    const uint32_t a = r[n->a], b = r[n->b];
    const bool less = n->is_signed ? (int32_t)a < (int32_t)b : a < b;
    return n->cond == 0 ? less : n->cond == 1 ? !less : a == b;
}

static enum status run_list(const struct tree *t, int n, uint32_t *r);

static enum status run_loop(const struct tree *t, const struct node *n, uint32_t *r) {
    for (unsigned i = 0; i < n->times; i++) {
        const enum status s = run_list(t, n->first, r);
        if (s == BREAKS)
            break;
        if (s == RETURNS || s == EXITS)
            return s;
    }
    return GOES_ON;
}

static enum status run_node(const struct tree *t, const struct node *n, uint32_t *r) {
    enum status s = GOES_ON;
    switch (n->kind) {
    case NODE_OP:
        r[n->d] = evaluate(n->op, r[n->a], r[n->b], r[n->d]);
        return GOES_ON;
    case NODE_IF:
        return run_list(t, holds(n, r) ? n->first : n->other, r);
    case NODE_LOOP:
        return run_loop(t, n, r);
    case NODE_CALL:
        s = run_list(t, t->function[n->times], r);
        return s == EXITS ? EXITS : GOES_ON;
    case NODE_BREAK:
        return holds(n, r) ? BREAKS : GOES_ON;
    case NODE_CONTINUE:
        return holds(n, r) ? CONTINUES : GOES_ON;
    case NODE_RETURN:
        return holds(n, r) ? RETURNS : GOES_ON;
    default:
        return holds(n, r) ? EXITS : GOES_ON;
    }
}

static enum status run_list(const struct tree *t, int n, uint32_t *r) {
    enum status s = GOES_ON;
    for (; n >= 0 && s == GOES_ON; n = t->node[n].next)
        s = run_node(t, &t->node[n], r);
    return s;
}

/* ---- assembly of each set ---- */

struct writer {
    char *text;
    size_t length;
    bool g64;
    unsigned label;
};

__attribute__((format(printf, 2, 3))) static void say(struct writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    w->length += (size_t)vsnprintf(w->text + w->length, TEXT - w->length, format, args);
    va_end(args);
    assert_true(w->length < TEXT);
}

static void say_op(struct writer *w, const struct node *n) {
    static const char *const fermi[] = {
        "add b32 $r%u $r%u $r%u\n",        "sub b32 $r%u $r%u $r%u\n",
        "mul $r%u u32 $r%u u32 $r%u\n",    "and b32 $r%u $r%u $r%u\n",
        "or b32 $r%u $r%u $r%u\n",         "xor b32 $r%u $r%u $r%u\n",
        "shl b32 $r%u $r%u clamp $r%u\n",  "shr s32 $r%u $r%u clamp $r%u\n",
        "min u32 $r%u $r%u $r%u\n",        "max s32 $r%u $r%u $r%u\n",
        "fma rn f32 $r%u $r%u $r%u $r%u\n"};
    static const char *const g64[] = {
        "ADD R%u, R%u, R%u\n", "SUB R%u, R%u, R%u\n",      "MUL R%u, R%u, R%u\n",
        "AND R%u, R%u, R%u\n", "OR R%u, R%u, R%u\n",       "XOR R%u, R%u, R%u\n",
        "SHL R%u, R%u, R%u\n", "SHR R%u, R%u, R%u\n",      "MIN.U R%u, R%u, R%u\n",
        "MAX R%u, R%u, R%u\n", "FFMA R%u, R%u, R%u, R%u\n"};
    char line[80];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(line, sizeof line, (w->g64 ? g64 : fermi)[n->op], n->d, n->a, n->b, n->d);
#pragma GCC diagnostic pop
    say(w, "%s", line);
}

static void say_condition(struct writer *w, const struct node *n) {
    static const char *const fermi[] = {"lt", "ge", "eq"}, *const g64[] = {"LT", "GE", "EQ"};
    if (w->g64)
        say(w, "SET%s%s P0, R%u, R%u\n", g64[n->cond], n->is_signed ? "" : ".U", n->a, n->b);
    else
        say(w, "set $p0 0x1 %s %c32 $r%u $r%u\n", fermi[n->cond], n->is_signed ? 's' : 'u', n->a,
            n->b);
}

/* Writes a jump, in Fermi's or generic64's words, to a label. */
static void say_jump(struct writer *w, const char *fermi, const char *g64, const char *name,
                     unsigned label) {
    if (w->g64)
        say(w, "%s %s%u\n", g64, name, label);
    else
        say(w, "%s #%s%u\n", fermi, name, label);
}

static void say_list(struct writer *w, const struct tree *t, int n);

/* An if without else is written as a branch over the body, or as a join whose guard holds in the
 * lanes that skip the body. */
static void say_if(struct writer *w, const struct tree *t, const struct node *n) {
    const unsigned label = w->label++;
    const char *join = w->g64 ? "SYNC" : "join nop";
    say_jump(w, "joinat", "SSY", "join", label);
    say_condition(w, n);
    if (n->other < 0 && n->times % 2) {
        say(w, "%s\n", w->g64 ? "@!P0 SYNC" : "join (not $p0) nop");
        say_list(w, t, n->first);
    } else {
        say_jump(w, "(not $p0) bra", "@!P0 BRA", "else", label);
        say_list(w, t, n->first);
        say(w, "%s\nelse%u:\n", join, label);
        say_list(w, t, n->other);
    }
    say(w, "%s\njoin%u:\n", join, label);
}

static void say_loop(struct writer *w, const struct tree *t, const struct node *n) {
    const unsigned label = w->label++, counter = COUNTER + n->depth;
    say(w, w->g64 ? "MOVI R%u, 0\n" : "mov b32 $r%u 0x0\n", counter);
    say_jump(w, "prebrk", "PBK", "out", label);
    say(w, "loop%u:\n", label);
    say_jump(w, "precont", "PCNT", "again", label);
    if (w->g64)
        say(w, "SETGE P0, R%u, %u\n@P0 BRK\n", counter, n->times);
    else
        say(w, "set $p0 0x1 ge s32 $r%u 0x%x\n$p0 brk\n", counter, n->times);
    say_list(w, t, n->first);
    say(w, "%s\nagain%u:\n", w->g64 ? "CONT" : "cont", label);
    say(w, w->g64 ? "ADD R%u, R%u, 1\n" : "add b32 $r%u $r%u 0x1\n", counter, counter);
    say_jump(w, "bra", "BRA", "loop", label);
    say(w, "out%u:\n", label);
}

static void say_node(struct writer *w, const struct tree *t, const struct node *n) {
    static const char *const words[][2] = {[NODE_BREAK] = {"$p0 brk", "@P0 BRK"},
                                           [NODE_CONTINUE] = {"$p0 cont", "@P0 CONT"},
                                           [NODE_RETURN] = {"$p0 ret", "@P0 RET"},
                                           [NODE_EXIT] = {"$p0 exit", "@P0 EXIT"}};
    switch (n->kind) {
    case NODE_OP:
        say_op(w, n);
        break;
    case NODE_IF:
        say_if(w, t, n);
        break;
    case NODE_LOOP:
        say_loop(w, t, n);
        break;
    case NODE_CALL:
        say_jump(w, "call", "CALL", "function", n->times);
        break;
    default:
        say_condition(w, n);
        say(w, "%s\n", words[n->kind][w->g64]);
    }
}

static void say_list(struct writer *w, const struct tree *t, int n) {
    for (; n >= 0; n = t->node[n].next)
        say_node(w, t, &t->node[n]);
}

static void say_tree(struct writer *w, const struct tree *t) {
    w->length = 0;
    say_list(w, t, t->main);
    say(w, "%s\n", w->g64 ? "EXIT" : "exit");
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        say(w, "function%u:\n", i);
        say_list(w, t, t->function[i]);
        say(w, "%s\n", w->g64 ? "RET" : "ret");
    }
}

/* ---- both ---- */

static uint32_t first_value(uint32_t seed, uint32_t reg, uint32_t lane) {
    uint32_t v = (seed * 31 + reg * 7 + lane) * 2654435761u;
    return reg == 0 ? lane : reg < 4 ? v >> 28 : reg < 6 ? 0x3f800000 | v >> 10 : v;
}

struct thread {
    uint32_t r[REGS];
};

/* Runs the case with one engine; expected has the registers of each lane. */
static void compare_engine(struct warp_case *c, struct native *native, uint32_t seed,
                           const struct thread *expected, const char *text) {
    warp_start(c->w, &c->env, LANES_ALL, 0);
    c->env.native = native;
    c->env.budget = 1000000;
    for (uint32_t r = 0; r < REGS; r++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            c->w->r[r][lane] = first_value(seed, r, lane);
    case_run(c);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < REGS; i++)
            if (c->w->r[i][lane] != expected[lane].r[i])
                fail_msg("seed %u, %s, %s, lane %u, register %u: %08x, one thread %08x\n%s", seed,
                         isa_variant_name(c->program->variant), native ? "native" : "interp", lane,
                         i, c->w->r[i][lane], expected[lane].r[i], text);
}

static void compare(const struct tree *t, uint32_t seed, enum isa_variant variant, char *text,
                    const struct thread *expected) {
    struct writer w = {.text = text, .g64 = variant == ISA_G64};
    const enum simd_level level = (enum simd_level)(seed % (simd_best() + 1u));
    say_tree(&w, t);
    CASE_AT(c, level, PROGRAM_CP, variant, LANES_ALL, text);
    compare_engine(&c, NULL, seed, expected, text);
    if (native_usable())
        compare_engine(&c, test_native_get(level), seed, expected, text);
}

static void check_seed(uint32_t seed, char *text) {
    struct tree *t = calloc(1, sizeof *t);
    assert_non_null(t);
    random_start(seed);
    for (int i = 0; i < FUNCTIONS; i++)
        t->function[i] = grow_list(t, 2, 0, true, 4);
    t->main = grow_list(t, 4, 0, false, 8);
    struct thread expected[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++) {
        for (uint32_t i = 0; i < REGS; i++)
            expected[lane].r[i] = first_value(seed, i, lane);
        run_list(t, t->main, expected[lane].r);
    }
    compare(t, seed, ISA_GF100, text, expected);
    compare(t, seed, ISA_G64, text, expected);
    free(t);
}

enum { PROGRAMS = 5000 }; /* of each set; Tesla has a test of its own */

TEST(test_programs) {
    char *text = malloc(TEXT);
    assert_non_null(text);
    for (uint32_t i = 0; i < PROGRAMS; i++)
        check_seed(i, text);
    for (uint32_t i = (uint32_t)time(NULL); getenv("TESLAPIPE_SOAK"); i++)
        check_seed(i, text);
    free(text);
}
