/* Loads, stores and atomics of words of s[], g[] and c[] in Fermi programs. Both engines must leave
 * the same state, at every SIMD level, for addresses that are equal, dense, scattered, unaligned,
 * outside, or in two allocations. A loop that waits for locks counts as the instructions of all its
 * rounds. Rules: fermi-isa.md §4.4, §6.1, §6.3. */
#include "base/memory.h"
#include "tests/random.h"
#include "tests/shader/made.h"
#include "tests/shader/two_engines.h"

enum { REGS = 40, SHARED = 1024, CONSTANTS = 1000, BUFFER = 4096, LOCKS = SHARED / 4 };

struct memories {
    struct gpu_memory *g;
    uint64_t buffer[2];
    uint8_t s[SHARED] __attribute__((aligned(64)));
    int16_t lock[LOCKS];
    uint8_t c[CONSTANTS];
};

struct run {
    struct memories m;
    struct cta_shared cta;
    struct warp_env env;
    struct warp *w;
};

static void memories_open(struct memories *m) {
    m->g = memory_create(1 << 20, -1);
    assert_non_null(m->g);
    for (int i = 0; i < 2; i++) {
        m->buffer[i] = memory_alloc(m->g, BUFFER, 256);
        uint8_t *p = memory_at(m->g, m->buffer[i], BUFFER);
        for (uint32_t k = 0; k < BUFFER; k++)
            p[k] = (uint8_t)(k * 37 + (k >> 8) + 1);
    }
    for (uint32_t k = 0; k < SHARED; k++)
        m->s[k] = (uint8_t)(k * 53 + 7);
    for (uint32_t k = 0; k < CONSTANTS; k++)
        m->c[k] = (uint8_t)(k * 29 + 3);
    memset(m->lock, 0xff, sizeof m->lock);
}

static void run_open(struct run *r, struct program *p, enum simd_level level, bool native,
                     lane_mask launched) {
    memset(r, 0, sizeof *r);
    memories_open(&r->m);
    r->cta = (struct cta_shared){
        .s = r->m.s, .s_size = SHARED, .warp_count = 1, .lock_owner = r->m.lock};
    r->env = (struct warp_env){.program = p,
                               .simd = level,
                               .memory = r->m.g,
                               .call_limit = UINT32_MAX,
                               .budget = 20000,
                               .native = native ? test_native_get(level) : NULL};
    r->env.c[2] = (struct const_view){r->m.c, CONSTANTS};
    r->w = case_rows(sizeof *r->w);
    r->w->cta = &r->cta;
    warp_start(r->w, &r->env, launched, 0);
}

static void run_close(struct run *r) {
    warp_free(r->w);
    free(r->w);
    memory_destroy(r->m.g);
}

static const char *memory_difference(const struct run *a, const struct run *b) {
    for (int i = 0; i < 2; i++)
        if (memcmp(memory_at(a->m.g, a->m.buffer[i], BUFFER),
                   memory_at(b->m.g, b->m.buffer[i], BUFFER), BUFFER))
            return "g[]";
    if (memcmp(a->m.s, b->m.s, SHARED))
        return "s[]";
    return memcmp(a->m.lock, b->m.lock, sizeof a->m.lock) ? "locks" : NULL;
}

/* ---- random addresses: $r0 of s[], $r2 and $r3 of g[], $r4 of c[] ---- */

enum pattern { EQUAL, DENSE, SCATTERED, PATTERNS };

struct start {
    u32x32 shared, low, high, constant, data[8];
    lane_mask launched, guard;
};

static u32x32 offsets(enum pattern pattern, uint32_t limit) {
    const uint32_t stride = 4u << random_below(4), first = 4 * random_below(limit / 16);
    u32x32 v;
    for (uint32_t i = 0; i < LANES; i++)
        v[i] = pattern == EQUAL   ? first
               : pattern == DENSE ? first % 256 + stride * i
                                  : 4 * random_below(limit / 4);
    return v;
}

/* Moves one lane's addresses off the pattern: the next word, unaligned, or outside. Sometimes moves
 * every third lane to the other buffer. */
static void disturb(struct start *s, const struct memories *m) {
    const uint32_t lane = random_below(LANES);
    const uint32_t plus =
        (uint32_t[]){0, 0, 0, 4, 2, 0x1000, 0xfffff000, 0x80000000}[random_below(8)];
    s->shared[lane] += plus;
    s->low[lane] += plus;
    s->constant[lane] += plus;
    if (random_below(8) == 0)
        s->high[lane] += 1;
    for (uint32_t i = 0; random_below(8) == 0 && i < LANES; i += 3)
        s->low[i] += (uint32_t)(m->buffer[1] - m->buffer[0]);
}

static void start_make(struct start *s, const struct memories *m) {
    const enum pattern pattern = (enum pattern)random_below(PATTERNS);
    s->shared = offsets(pattern, SHARED);
    s->constant = offsets(pattern, SHARED) + (random_below(4) ? 0 : 0x50000);
    s->low = offsets(pattern, BUFFER) + (uint32_t)m->buffer[random_below(2)];
    s->high = lanes_splat(0);
    for (size_t k = 0; k < LENGTH(s->data); k++)
        for (int i = 0; i < LANES; i++)
            s->data[k][i] = random_below(4) ? random_word() : 0x7f800001; /* a signaling NaN */
    if (random_below(2))
        disturb(s, m);
    s->launched = random_below(2) ? LANES_ALL : random_word() | 1;
    s->guard = random_below(2) ? random_word() : random_below(2) ? LANES_ALL : 0;
}

static void start_put(const struct start *s, struct warp *w) {
    w->r[0] = s->shared;
    w->r[2] = s->low;
    w->r[3] = s->high;
    w->r[4] = s->constant;
    memcpy(&w->r[8], s->data, sizeof s->data);
    w->fermi.p[0] = s->guard;
}

/* ---- random accesses ---- */

/* One access of 1, 2 or 4 words, or a group of up to four words, whose last load may replace the
 * base. */
static int put_access(char *to, size_t size, int at) {
    static const char *const suffix[] = {"", "", "d", "", "q"};
    static const char *const bits[] = {"", "b32", "b64", "", "b128"};
    static const char *const guards[] = {"", "$p0 ", "(not $p0) "};
    const bool shared = random_below(2), load = random_below(2);
    const char *const guard = guards[random_below(3)];
    const uint32_t words = 1u << random_below(3), count = words > 1 ? 1 : 1 + random_below(4);
    const uint32_t base = shared ? 0 : 2, data = 8 + 4 * random_below(6);
    const bool replaces = load && words == 1 && random_below(8) == 0;
    const int first = (int)(4 * words * random_below(4)) - (random_below(4) ? 0 : 16);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t reg = replaces && k + 1 == count ? base : data + k;
        const int plus = first + (int)(4 * k);
        char place[32], reg_text[8];
        snprintf(reg_text, sizeof reg_text, "$r%u%s", reg, suffix[words]);
        snprintf(place, sizeof place, "%s%s[$r%u%s%s0x%x]",
                 shared ? ""
                 : load ? "ca "
                        : "wb ",
                 shared ? "s" : "g", base, shared ? "" : "d", plus < 0 ? "+-" : "+",
                 (unsigned)abs(plus));
        at += snprintf(to + at, size - (size_t)at, "%s%s %s %s %s\n", guard, load ? "ld" : "st",
                       bits[words], load ? reg_text : place, load ? place : reg_text);
    }
    return at;
}

static int put_constants(char *to, size_t size, int at) {
    static const char *const forms[] = {"b32 $r%u", "b64 $r%ud", "b128 $r%uq"};
    static const char *const guards[] = {"", "$p0 ", "(not $p0) "};
    char data[32];
    snprintf(data, sizeof data, forms[random_below(3)], 8 + 4 * random_below(6));
    return at + snprintf(to + at, size - (size_t)at, "%sld %s c2[$r4+0x%x]\n",
                         guards[random_below(3)], data, 16 * random_below(4));
}

static int put_other(char *to, size_t size, int at) {
    static const char *const texts[] = {"add rn f32 $r%u $r%u $r%u\n",
                                        "mul rn f32 $r%u $r%u $r%u\n", "add b32 $r%u $r%u $r%u\n",
                                        "xor b32 $r%u $r%u $r%u\n", "$p0 add b32 $r%u $r%u $r%u\n"};
    return at + snprintf(to + at, size - (size_t)at, texts[random_below(LENGTH(texts))],
                         8 + random_below(24), 8 + random_below(24), 8 + random_below(24));
}

/* Changes words under their locks. Lanes that change the same word wait for each other; sometimes a
 * test of $c ends their waiting. $r50 is beyond the allocation: it reads 0. */
static int put_locks(char *to, size_t size, int at, uint32_t number) {
    static const char *const inside[] = {"$p1 add b32 $r20 $r20 $r9\n",
                                         "$p1 xor b32 $r20 $r20 $r9\n",
                                         "$p1 add b32 $r21 $r20 $r9\n$p1 min s32 $r20 $r21 $r10\n",
                                         "$p1 mov b32 $r20 $r11\n",
                                         "$p1 and b32 $r20 $r9 $r20\n",
                                         "$p1 add b32 $r20 $r20 c2[0x8]\n",
                                         "$p1 min s32 $r20 $r20 c2[0x10]\n",
                                         "$p1 or b32 $r20 $r20 c2[0x10]\n",
                                         "$p1 ld lock b32 $p2 $r21 s[$r0+0x4]\n",
                                         "$p1 add b32 $r50 $r20 $r9\n",
                                         "$p1 ld b32 $r21 s[0x8] ldu b32 $r0 g[$r2d]\n",
                                         "$p1 mov $flags $r9 mask 0x2\n"};
    const char *const between = inside[random_below(LENGTH(inside))];
    const char *const word = random_below(4) ? "s[$r0+0x4]" : "s[0x24]";
    const char *const test = random_below(8) ? "" : random_below(2) ? "e $c " : "lg $c ";
    return at + snprintf(to + at, size - (size_t)at,
                         "joinat #end%u\nagain%u:\nld lock b32 $p1 $r20 %s\n%s"
                         "$p1 st unlock b32 %s $r%u\n(not $p1) %sbra #again%u\n"
                         "join nop\nend%u:\njoin nop\n",
                         number, number, word, between, word, strstr(between, "$r50") ? 50 : 20,
                         test, number, number);
}

static void make_text(char *text, size_t size) {
    int at = 0;
    for (uint32_t i = 0, n = 2 + random_below(6); i < n; i++) {
        const uint32_t kind = random_below(9);
        at = kind == 0   ? put_locks(text, size, at, i)
             : kind == 8 ? put_constants(text, size, at)
             : kind <= 2 ? put_other(text, size, at)
                         : put_access(text, size, at);
    }
    snprintf(text + at, size - (size_t)at, "exit\n");
}

static void compare(const char *text, const struct start *s, enum simd_level level) {
    struct program *const p = made_of_code(PROGRAM_CP, ISA_GF100, REGS, text);
    struct run run[2];
    enum warp_status status[2];
    for (int native = 0; native < 2; native++) {
        struct run *const r = &run[native];
        run_open(r, p, level, native, s->launched);
        for (int round = 0; round < 2; round++) { /* the second with cached allocations */
            warp_start(r->w, &r->env, s->launched, 0);
            start_put(s, r->w);
            status[native] = warp_run(r->w, &r->env);
        }
    }
    const char *what = status[0] != status[1] ? "status" : difference(run[0].w, run[1].w);
    if (!what)
        what = memory_difference(&run[0], &run[1]);
    if (what)
        fail_msg("level %d, lanes %08x, guard %08x: %s differs in\n%s", (int)level, s->launched,
                 s->guard, what, text);
    for (int native = 0; native < 2; native++)
        run_close(&run[native]);
    program_unref(p);
}

TEST(test_engines_access_the_same_words) {
    enum { TIMES = 4000 };
    struct memories m;
    memories_open(&m);
    for (uint32_t i = 0; i < TIMES; i++) {
        char text[4096];
        struct start s;
        start_make(&s, &m);
        make_text(text, sizeof text);
        for (enum simd_level level = 0; level <= simd_best(); level++)
            compare(text, &s, level);
    }
    memory_destroy(m.g);
}

/* All lanes add 1 to one word. Each waits for the lanes before it, and its waiting counts as
 * instructions. */
TEST(test_lanes_wait_in_turn) {
    struct program *const p = made_of_code(
        PROGRAM_CP, ISA_GF100, REGS,
        "mov b32 $r0 0x40\njoinat #end\nagain:\nld lock b32 $p0 $r1 s[$r0]\n$p0 add b32 $r1 $r1 0x1\n"
        "$p0 st unlock b32 s[$r0] $r1\n(not $p0) bra #again\njoin nop\nend:\nexit\n");
    for (enum simd_level level = 0; level <= simd_best(); level++)
        for (int native = 0; native < 2; native++) {
            struct run r;
            uint32_t before, after;
            run_open(&r, p, level, native, LANES_ALL);
            memcpy(&before, r.m.s + 0x40, 4);
            assert_int_equal(warp_run(r.w, &r.env), WARP_DONE);
            memcpy(&after, r.m.s + 0x40, 4);
            assert_int_equal(after, before + LANES);
            for (uint32_t i = 0; i < LANES; i++)
                assert_int_equal(r.w->r[1][i], before + i + 1);
            /* mov, joinat, exit; 32 rounds of four instructions and a join */
            assert_int_equal(r.w->stats.instructions, 3 + LANES * 5);
            assert_int_equal(r.w->stats.lane_instructions,
                             3 * LANES + 4 * (LANES * (LANES + 1) / 2) + LANES);
            run_close(&r);
        }
    program_unref(p);
}

/* Another warp holds the lock of lane 20's word: the other lanes add, lane 20 waits until the
 * budget ends, and the lock stays held. */
TEST(test_held_locks) {
    enum { WAITS = 20, OTHER = 7 };
    struct program *const p =
        made_of_code(PROGRAM_CP, ISA_GF100, REGS,
                     "joinat #end\nagain:\nld lock b32 $p0 $r1 s[$r0]\n$p0 add b32 $r1 $r1 0x1\n"
                     "$p0 st unlock b32 s[$r0] $r1\n(not $p0) bra #again\njoin nop\nend:\nexit\n");
    for (enum simd_level level = 0; level <= simd_best(); level++)
        for (int native = 0; native < 2; native++) {
            struct run r;
            uint32_t before[LANES], after[LANES];
            run_open(&r, p, level, native, LANES_ALL);
            r.env.budget = 2000;
            r.m.lock[WAITS] = OTHER;
            r.w->r[0] = lanes_iota() * 4;
            memcpy(before, r.m.s, sizeof before);
            assert_int_equal(warp_run(r.w, &r.env), WARP_ERROR);
            assert_int_equal(r.w->error.code, MP_TIMEOUT);
            memcpy(after, r.m.s, sizeof after);
            for (uint32_t i = 0; i < LANES; i++) {
                assert_int_equal(after[i], before[i] + (i != WAITS));
                assert_int_equal(r.m.lock[i], i == WAITS ? OTHER : -1);
            }
            run_close(&r);
        }
    program_unref(p);
}

/* A warp that has cached an allocation notices that it was freed: the address is outside then. */
TEST(test_freed_memory_is_outside) {
    struct program *const p =
        made_of_code(PROGRAM_CP, ISA_GF100, REGS, "ld b32 $r8 ca g[$r2d]\nexit\n");
    for (enum simd_level level = 0; level <= simd_best(); level++)
        for (int native = 0; native < 2; native++) {
            struct run r;
            run_open(&r, p, level, native, LANES_ALL);
            for (int freed = 0; freed < 2; freed++) {
                if (freed)
                    memory_free(r.m.g, r.m.buffer[1]);
                warp_start(r.w, &r.env, LANES_ALL, 0);
                r.w->stats = (struct warp_stats){0};
                r.w->r[2] = lanes_splat((uint32_t)r.m.buffer[1]);
                r.w->r[3] = lanes_splat(0);
                assert_int_equal(warp_run(r.w, &r.env), WARP_DONE);
                assert_int_equal(r.w->stats.bad_reads, freed ? LANES : 0);
                assert_int_equal(r.w->r[8][5] != 0, !freed);
            }
            run_close(&r);
        }
    program_unref(p);
}
