/* Memory of native code: no page is both writable and executable, freed space is used again, a
 * forked process leaves its parent's code alone. Also tests when native code may be used, its
 * counters, and reports to tools: perf's map and gdb's list name every byte. */
#define _GNU_SOURCE
#include "tests/gl/locks.h"
#include "tests/shader/warp_case.h"

#include "shader/native/code_arena.h"
#include "shader/native/machine_code.h"

#include <elf.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

/* A program of more than a page of code, which stores the lane's number plus a constant to o[0]. */
static void open_sum(struct warp_case *c, struct native *native, uint32_t number) {
    char text[4096];
    int at = 0;
    for (int i = 0; i < 40; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "add b32 $r0 $r0 0x%x\n", number + 1);
    snprintf(text + at, sizeof text - (size_t)at, "mov b32 o[0x0] $r0\nexit nop\n");
    case_open(c, PROGRAM_VP, text);
    c->env.native = native;
}

static void run_sum(struct warp_case *c, uint32_t number) {
    warp_start(c->w, &c->env, LANES_ALL, 0);
    c->w->r[0] = lanes_iota();
    case_run(c);
    for (uint32_t lane = 0; lane < LANES; lane++)
        assert_int_equal(c->out[0][lane], lane + 40 * (number + 1));
}

static uint64_t programs_of(struct native *native) {
    struct native_statistics s;
    native_get_statistics(native, &s);
    return s.programs;
}

static struct native *service(void) {
    if (!native_usable())
        skip();
    struct native *native = native_create(simd_best());
    assert_non_null(native);
    return native;
}

/* Counts the executable mappings that belong to no file on disk. Fails if one of them is writable,
 * too. */
static int executable_mappings(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    char line[512], access[8], path[256];
    int count = 0;
    while (fgets(line, sizeof line, maps)) {
        path[0] = 0;
        assert_true(sscanf(line, "%*s %7s %*s %*s %*s %255s", access, path) >= 1);
        const bool executable = strchr(access, 'x') != NULL;
        assert_false(executable && strchr(access, 'w'));
        count += executable && (!path[0] || strstr(path, "/dev/zero"));
    }
    fclose(maps);
    return count;
}

/* The one mapping with a program's code is executable and not writable. It is unmapped when the
 * service is freed. */
TEST(test_never_both) {
    const int before = executable_mappings();
    struct native *native = service();
    struct warp_case c;
    open_sum(&c, native, 1);
    run_sum(&c, 1);
    assert_int_equal(programs_of(native), 1);
    assert_int_equal(executable_mappings(), before + 1);
    case_close(&c);
    native_destroy(native);
    assert_int_equal(executable_mappings(), before);
}

/* More code than the first reservation holds. A third of the programs is freed and replaced, twice;
 * all programs stay right. */
TEST(test_places) {
    enum { COUNT = 150 };
    static struct warp_case c[COUNT];
    struct native *native = service();
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            if (round && i % 3 != round)
                continue;
            if (round)
                case_close(&c[i]);
            open_sum(&c[i], native, round * COUNT + i);
            run_sum(&c[i], round * COUNT + i);
        }
        for (uint32_t i = 0; i < COUNT; i++)
            run_sum(&c[i], (i % 3 && i % 3 <= round ? i % 3 : 0) * COUNT + i);
    }
    assert_int_equal(programs_of(native), COUNT + 2 * COUNT / 3);
    for (uint32_t i = 0; i < COUNT; i++)
        case_close(&c[i]);
    native_destroy(native);
}

/* Ranges of random size are taken and given back at random. No two share a byte, freed space is
 * taken again, and in the end all free space is accounted for. */
TEST(test_arena) {
    enum { MOST = 60, ROUNDS = 6000, PAGE_BYTES = 4096 };
    static const char constants[PAGE_BYTES + 1] = "constants";
    struct {
        uint8_t *at;
        size_t size;
    } taken[MOST] = {{0}};
    struct code_arena a;
    uint32_t most = 0, pages = 0;
    size_t bytes = 0;
    assert_true(code_arena_open(&a, constants, sizeof constants));
    assert_int_equal(a.used, 2);
    assert_memory_equal(a.base, constants, sizeof constants);
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t random = random_word();
        const int i = (int)(random >> 16) % MOST;
        const size_t size = 1 + (random >> 8) % (5 * PAGE_BYTES),
                     whole = (size + PAGE_BYTES - 1) / PAGE_BYTES;
        if (taken[i].at) {
            assert_int_equal(*taken[i].at, i);
            assert_int_equal(taken[i].at[taken[i].size - 1], i);
            code_arena_give(&a, taken[i].at, taken[i].size);
            pages -= (uint32_t)((taken[i].size + PAGE_BYTES - 1) / PAGE_BYTES);
            taken[i].at = NULL;
        } else {
            taken[i].at = code_arena_take(&a, size);
            taken[i].size = size;
            assert_true(taken[i].at >= a.base + 2 * PAGE_BYTES &&
                        taken[i].at + size <= a.base + (size_t)a.used * PAGE_BYTES);
            for (int k = 0; k < MOST; k++)
                assert_true(k == i || !taken[k].at ||
                            taken[i].at + whole * PAGE_BYTES <= taken[k].at ||
                            taken[k].at + taken[k].size <= taken[i].at);
            uint8_t *const to = code_arena_writable(&a, taken[i].at);
            to[0] = to[size - 1] = (uint8_t)i;
            pages += (uint32_t)whole;
        }
        bytes = (size_t)pages * PAGE_BYTES;
        assert_int_equal(a.bytes, bytes);
        most = pages > most ? pages : most;
    }
    assert_true(a.used < 3 * most); /* free space is taken before new space */
    for (int i = 0; i < MOST; i++)
        if (taken[i].at)
            code_arena_give(&a, taken[i].at, taken[i].size);
    assert_int_equal(a.bytes, 0);
    uint32_t sum = 2;
    for (uint32_t i = 0; i < a.free_count; i++)
        sum += a.free[i].count;
    assert_int_equal(sum, a.used);
    print_message("%u pages of %u, %u free ranges\n", a.used, most, a.free_count);
    code_arena_close(&a);
    assert_null(a.base);
}

/* Free ranges that touch are merged into one. */
TEST(test_neighbours) {
    static const uint8_t orders[][3] = {{0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}};
    for (size_t n = 0; n < LENGTH(orders); n++) {
        struct code_arena a;
        uint8_t *at[4];
        assert_true(code_arena_open(&a, "", 1));
        for (int i = 0; i < 4; i++)
            at[i] = code_arena_take(&a, 4096);
        for (int i = 0; i < 3; i++)
            code_arena_give(&a, at[orders[n][i]], 4096);
        assert_int_equal(a.free_count, 1);
        assert_ptr_equal(code_arena_take(&a, 3 * 4096), at[0]);
        assert_int_equal(a.free_count, 0);
        assert_int_equal(a.used, 5);
        assert_ptr_equal(code_arena_take(&a, 4097), at[3] + 4096);
        assert_int_equal(a.used, 7);
        code_arena_close(&a);
    }
}

static void in_child(struct warp_case *old, struct native *native) {
    struct warp_case other;
    run_sum(old, 1);
    open_sum(&other, native, 7);
    run_sum(&other, 7);
    assert_int_equal(programs_of(native), 1);
    case_close(old);
    case_close(&other);
    native_destroy(native);
}

TEST(test_forked) {
    struct native *native = service();
    struct warp_case c, more;
    open_sum(&c, native, 1);
    run_sum(&c, 1);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        in_child(&c, native); /* a failed assertion ends the child with another status */
        _exit(42);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    run_sum(&c, 1);
    open_sum(&more, native, 2);
    run_sum(&more, 2);
    assert_int_equal(programs_of(native), 2);
    case_close(&c);
    case_close(&more);
    native_destroy(native);
}

/* ---- when native code is used ---- */

/* True if the case's program has native code for its environment. */
static bool is_found(struct warp_case *c) {
    return native_find(c->w, &c->env) != NULL;
}

/* Native code is used only if views, rows of inputs and outputs, and s[] are large enough for all
 * fixed offsets. */
TEST(test_needs) {
    static const struct {
        enum program_type type;
        const char *text;
        /* sizes: c1[], c15[] and s[] in bytes, a[] and o[] in rows */
        uint32_t constant[2], shared, attr, out;
    } rows[] = {
        {PROGRAM_FP, "add b32 $r0 $r1 c1[0x1c]\n", {0x20, 0}, 0, 0, 0},
        {PROGRAM_FP, "add b32 $r0 $r1 c1[0x1c]\nadd b32 $r0 $r1 c1[0x8]\n", {0x20, 0}, 0, 0, 0},
        {PROGRAM_FP, "add b32 $r0 $r1 c15[0x8]\nadd b32 $r0 $r1 c1[0x10]\n", {0x14, 0xc}, 0, 0, 0},
        {PROGRAM_FP, "add b16 $r0l $r1l c1[0x1c]\n", {0x20, 0}, 0, 0, 0},
        {PROGRAM_FP, "add b16 $r0l $r1l c1[0x1e]\n", {0x20, 0}, 0, 0, 0},
        {PROGRAM_VP, "mov b32 $r0 a[0x8]\n", {0, 0}, 0, 3, 0},
        {PROGRAM_VP, "mov b32 $r0 a[0x8]\nmov b32 $r0 a[0x4]\n", {0, 0}, 0, 3, 0},
        {PROGRAM_VP, "mov b32 o[0x10] $r0\n", {0, 0}, 0, 0, 5},
        {PROGRAM_VP, "add b32 o[0x10] a[0x0] c1[0x0]\nmov b32 o[0x4] $r0\n", {4, 0}, 0, 1, 5},
        {PROGRAM_CP, "mov b32 $r0 b32 s[0x14]\n", {0, 0}, 0x18, 0, 0},
        {PROGRAM_CP, "add b32 $r0 u16 s[0x16] $r1\nadd b32 $r0 $r1 c1[0x0]\n", {4, 0}, 0x18, 0, 0},
    };
    struct native *native = service();
    for (size_t i = 0; i < LENGTH(rows); i++) {
        static uint8_t data[64];
        char text[256];
        snprintf(text, sizeof text, "%sexit nop\n", rows[i].text);
        CASE(c, rows[i].type, text);
        c.env.native = native;
        c.env.c[1] = (struct const_view){data, rows[i].constant[0]};
        c.env.c[15] = (struct const_view){data, rows[i].constant[1]};
        c.w->attr_count = rows[i].attr;
        c.w->out_count = rows[i].out;
        c.block.s_size = rows[i].shared;
        if (!is_found(&c))
            fail_msg("not found: %s", text);
        uint32_t *const limits[] = {&c.env.c[1].size, &c.env.c[15].size, &c.w->attr_count,
                                    &c.w->out_count, &c.block.s_size};
        for (size_t k = 0; k < LENGTH(limits); k++) {
            if (!*limits[k])
                continue;
            --*limits[k];
            if (is_found(&c))
                fail_msg("limit %zu less: %s", k, text);
            ++*limits[k];
        }
        if (rows[i].shared) {
            c.w->cta = NULL;
            assert_false(is_found(&c));
        }
    }
    native_destroy(native);
}

/* Each lane loads a word of s[] at its own address. An address has 16 bits and is aligned down. A
 * word beyond the end reads 0, and the access is counted. */
TEST(test_words_of_shared) {
    FOR_EACH_LEVEL(level)
    for (int engine = 0; engine < 2; engine++) {
        CASE_AT(c, level, PROGRAM_CP, ISA_G200, LANES_ALL,
                "add b32 $r1 b32 s[$a1+0x4] $r2\nld $r3 b32 s[$a1+0x8]\nexit nop\n");
        c.env.native = engine ? test_native_get(level) : NULL;
        for (int i = 0; i < 64; i++)
            ((uint32_t *)(void *)c.shared)[i] = (uint32_t)i * 100;
        for (int lane = 0; lane < LANES; lane++)
            c.w->a[1][lane] = lane == 3 ? 0xfffc : lane == 9 ? 0xf9 : (uint32_t)lane * 5;
        c.w->r[2] = lanes_splat(7);
        case_run(&c);
        for (int lane = 0; lane < LANES; lane++)
            for (uint32_t k = 0; k < 2; k++) {
                const uint32_t at = (c.w->a[1][lane] + 4 + 4 * k) & 0xfffc;
                const uint32_t word = at < 256 ? at / 4 * 100 : 0;
                assert_int_equal(c.w->r[k ? 3 : 1][lane], k ? word : word + 7);
            }
        assert_int_equal(c.w->stats.bad_reads, 1); /* lane 9's second word */
    }
}

/* v[] words are evaluated before a run, each word once. A vertex program has no v[] words and needs
 * no planes. */
TEST(test_prepare) {
    static const struct attribute_plane planes[] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
    const struct attribute_planes all = {~0u, 3, planes};
    struct native *native = service();
    struct warp_case c;
    case_open(&c, PROGRAM_FP,
              "interp $r1 v[0x8]\ninterp $r2 flat v[0x4]\ninterp $r3 v[0x8]\nexit nop\n");
    c.env.native = native;
    c.env.simd = simd_best();
    for (int q = 0; q < 8; q++)
        c.w->planes[q] = &all;
    for (uint32_t lane = 0; lane < LANES; lane++)
        c.w->x[lane] = (float)(lane % 8), c.w->y[lane] = (float)(lane / 8);
    const struct native_code *code = native_find(c.w, &c.env);
    assert_non_null(code);
    assert_int_equal(code->need.varyings, 2);
    assert_true(native_prepare(code, c.w, &c.env));
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const float value = 9 + 10 * c.w->x[lane] + 11 * c.w->y[lane];
        assert_int_equal(c.w->native.varying[1][lane], 8);
        assert_memory_equal((char *)&c.w->native.varying[0] + 4 * lane, &value, 4);
    }
    case_run(&c);
    assert_memory_equal(&c.w->r[1], &c.w->native.varying[0], sizeof c.w->r[1]);
    assert_memory_equal(&c.w->r[3], &c.w->native.varying[0], sizeof c.w->r[1]);
    memset(c.w->planes, 0, sizeof c.w->planes);
    case_close(&c);
    open_sum(&c, native, 1);
    assert_true(native_prepare(native_find(c.w, &c.env), c.w, &c.env));
    case_close(&c);
    native_destroy(native);
}

/* Counters of a service: programs, instructions, calls of handlers by operation, and compile time
 * in total and of the slowest program. */
TEST(test_statistics) {
    static const char *const texts[] = {
        "ld b32 $r1 l[0x0]\nadd b32 $r1 $r1 $r2\n(e $c0) bra #L\nst b32 l[0x4] $r1\n"
        "ld b32 $r1 l[0x8]\nL: exit nop\n",
        "mov b32 $r0 $r1\nexit nop\n"};
    struct native *native = service();
    struct native_statistics s, before;
    struct warp_case c[2];
    native_get_statistics(native, &s);
    assert_true(!s.programs && !s.instructions && !s.called && !s.bytes && !s.nanoseconds &&
                !s.worst_nanoseconds);
    case_open(&c[0], PROGRAM_FP, texts[0]);
    c[0].env.native = native;
    assert_true(is_found(&c[0]) && is_found(&c[0]));
    native_get_statistics(native, &s);
    assert_int_equal(s.programs, 1);
    assert_int_equal(s.instructions, 6);
    assert_int_equal(s.called, 3);
    assert_int_equal(s.calls[OP_LD], 2);
    assert_int_equal(s.calls[OP_ST], 1);
    assert_int_equal(s.calls[OP_IADD], 0);
    assert_int_equal(s.bytes, native_find(c[0].w, &c[0].env)->size);
    assert_true(s.nanoseconds < UINT64_C(5000000000)); /* of processor time */
    assert_true(s.nanoseconds > 0 && s.worst_nanoseconds == s.nanoseconds &&
                s.worst_instructions == 6);
    before = s;
    case_open(&c[1], PROGRAM_FP, texts[1]);
    c[1].env.native = native;
    assert_true(is_found(&c[1]));
    native_get_statistics(native, &s);
    assert_int_equal(s.programs, 2);
    assert_int_equal(s.instructions, 8);
    assert_int_equal(s.called, 3);
    assert_int_equal(s.bytes - before.bytes, native_find(c[1].w, &c[1].env)->size);
    const uint64_t time = s.nanoseconds - before.nanoseconds;
    const bool slower = time * 6 > before.nanoseconds * 2;
    assert_int_equal(s.worst_nanoseconds, slower ? time : before.nanoseconds);
    assert_int_equal(s.worst_instructions, slower ? 2 : 6);
    c[1].env.mode = MODE_MUL_ZERO_WINS; /* a program needs other code in another mode */
    assert_true(is_found(&c[1]));
    assert_int_equal(programs_of(native), 3);
    c[1].env.mode = 0;
    assert_true(is_found(&c[1]));
    assert_int_equal(programs_of(native), 3);
    case_close(&c[0]);
    case_close(&c[1]);
    native_destroy(native);
}

/* Operations on registers, numbers and constants are code of their own: none of them calls the
 * interpreter. */
TEST(test_no_calls) {
    static const uint8_t constants[256];
    static const struct {
        enum isa_variant variant;
        const char *text;
    } rows[] = {
        {ISA_GT215, "add b32 $r1 $r2 0x12345"},
        {ISA_GT215, "add b32 $r1 $r2 c1[0x10]"},
        {ISA_GT215, "slct b32 $r1 $r2 $r3 f32 $r4"},
        {ISA_GF100, "add b32 $r1 $r2 0x12345"},
        {ISA_GF100, "add b32 $r1 $r2 c1[0x10]"},
        {ISA_GF100, "ld b64 $r4d c0[0x10]"},
        {ISA_GF100, "ld b128 $r4q c0[0x20]"},
        {ISA_GF100, "slct b32 $r4 $r1 $r2 ge s32 $r3"},
        {ISA_GF100, "add rn f32 $r4 $r1 $r2\nadd b32 $r5 $r1 $r2"},
        {ISA_GF100, "add ftz rn f32 $r4 $r1 $r2\nadd b32 $r5 $r1 $r2"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct native *native = service();
        struct native_statistics s;
        char text[128];
        snprintf(text, sizeof text, "%s\n%s", rows[i].text,
                 rows[i].variant == ISA_GT215 ? "exit nop\n" : "exit\n");
        CASE_AT(c, simd_best(), PROGRAM_CP, rows[i].variant, LANES_ALL, text);
        c.env.native = native;
        c.env.c[0] = c.env.c[1] = (struct const_view){constants, sizeof constants};
        assert_true(is_found(&c));
        native_get_statistics(native, &s);
        if (s.called)
            fail_msg("%s: %d calls", rows[i].text, (int)s.called);
        native_destroy(native);
    }
}

/* ---- memory ---- */

/* When programs are freed, all memory that their native code needed is freed, too. */
TEST(test_memory) {
    static const char text[] =
        "joinat #J\n(lg $c0) bra #J\nmov b32 $r1 $r2\nJ: join nop\nL: add rn f32 $r3 $r1 $r2\nld $r4 b32 c1[0x8]\n"
        "rcp f32 $r4 $r4\nadd b32 $r5 $r5 $r6\nset $c0 # l u32 $r5 $r7\n(lg $c0) bra #L\nexit nop\n";
    struct native *native = service();
    size_t before = 0;
    for (int round = 0; round < 20; round++) {
        CASE(c, PROGRAM_FP, text);
        c.env.native = native;
        c.env.c[1] = (struct const_view){(const uint8_t *)text, sizeof text};
        assert_non_null(native_find(c.w, &c.env));
        if (round == 9)
            before = mallinfo2().uordblks;
    }
    assert_int_equal(mallinfo2().uordblks, before);
    native_destroy(native);
}

/* Checks the place that each address leads to: the code of its block for all lanes or for some, or
 * the code behind the block's join. Other addresses lead back to the interpreter. */
static void check_arrivals(const struct native_code *code, struct warp *w) {
    const uint32_t base = code->program->base;
    for (uint32_t at = 0; at <= 4 * code->words + 8; at++)
        for (int entry = 0; entry < CODE_ENTRIES; entry++) {
            const bool known =
                at % 4 == 0 && at / 4 < code->words && code->entry[at / 4][entry] != NOWHERE;
            w->active = entry % CODE_VERSIONS == CODE_FULL ? w->launched : 1;
            w->pc = 0x12345;
            assert_ptr_equal(native_arrive(code, w, base + at, entry >= CODE_VERSIONS),
                             code->memory +
                                 (known ? code->entry[at / 4][entry] : code->leave[WARP_RUNNING]));
            assert_int_equal(w->pc, known ? 0x12345 : base + at);
        }
}

/* Programs whose first instruction is not at address 0: branches, calls, loops, divergence. */
TEST(test_base) {
    enum { PADDING = 0x100 / 8 };
    static const char code_text[] =
        "call #F\nadd b32 $r1 $r1 $r0\nmov b32 $r9 0x5\nset $c0 # l u32 $r0 $r9\n(lg $c0) bra #S\nadd b32 $r2 $r2 $r0\n"
        "S: joinat #J\n(lg $c0) bra #J\nst b32 l[0x0] $r0\nadd b32 $r3 $r3 $r0\nJ: join nop\n"
        "breakaddr #E\nL: add b32 $r4 $r4 0x3\nset $c1 # g u32 $r4 $r0\n(lg $c1) break\nbra #L\nE: mov b32 $r5 $r4\n"
        "quadon\nmov b32 $r6 $r5\nquadpop\n(lg $c0) ret\nexit nop\nF: (lg $c0) ret\nadd b32 $r7 $r7 $r0\nret\n";
    const struct program_header header = {.reg_count = CASE_REGS, .local_size = CASE_LOCAL};
    struct native *native = service();
    char text[4096] = "";
    struct asm_result code;
    for (int i = 0; i < PADDING; i++)
        strcat(text, "long nop\n");
    strcat(text, code_text);
    assert_int_equal(isa_assemble((struct isa_target){ISA_GT215, PROGRAM_FP, SYNTAX_ENVYAS}, text,
                                  strlen(text), "base", NULL, &code, text, sizeof text),
                     0);
    struct warp_case c[2];
    enum warp_status status[2];
    for (int i = 0; i < 2; i++) {
        struct program_error error;
        case_open(&c[i], PROGRAM_FP, "exit nop\n");
        program_unref(c[i].program);
        c[i].program =
            program_from_words(PROGRAM_FP, ISA_GT215, &header, code.words + 2 * PADDING,
                               code.count - 2 * PADDING, 8 * PADDING, 8 * PADDING, "base", &error);
        assert_non_null(c[i].program);
        c[i].env.program = c[i].program;
        c[i].env.native = i ? native : NULL;
        warp_start(c[i].w, &c[i].env, LANES_ALL, 0);
        memset(c[i].w->r, 0, sizeof c[i].w->r);
        c[i].w->r[0] = lanes_iota();
        status[i] = warp_run(c[i].w, &c[i].env);
    }
    assert_int_equal(status[0], status[1]);
    assert_int_equal(status[0], WARP_DONE);
    assert_memory_equal(c[0].w->r, c[1].w->r, CASE_REGS * sizeof c[0].w->r[0]);
    assert_int_equal(c[0].w->executed, c[1].w->executed);
    assert_int_equal(c[0].w->stats.lane_instructions, c[1].w->stats.lane_instructions);
    const struct native_code *made = native_find(c[1].w, &c[1].env);
    check_arrivals(made, c[1].w);
    asm_result_free(&code);
    case_close(&c[0]);
    case_close(&c[1]);
    native_destroy(native);
}

/* ---- what tools are told ---- */

/* gdb's structures, with the members that gdb's manual states. */
struct jit_entry {
    struct jit_entry *next, *prev;
    const char *file;
    uint64_t size;
};
extern struct {
    uint32_t version, action;
    struct jit_entry *relevant, *first;
} __jit_debug_descriptor;

enum { SYMBOLS = 200 };

struct map_line {
    uint64_t at, size;
    char name[64];
};

static struct map_line map[SYMBOLS];

static unsigned read_map(const char *path) {
    unsigned count = 0;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (count < SYMBOLS &&
           fscanf(f, "%lx %lx %63s\n", &map[count].at, &map[count].size, map[count].name) == 3)
        count++;
    assert_true(feof(f));
    fclose(f);
    return count;
}

/* The ELF file that gdb reads for a program: a section at the code's address, and the same symbols
 * as in perf's map. */
static void check_file(const struct jit_entry *e, const struct native_code *code,
                       const struct map_line *line, unsigned lines) {
    const Elf64_Ehdr *h = (const void *)e->file;
    const Elf64_Shdr *s = (const void *)(e->file + h->e_shoff);
    static const uint8_t ident[EI_NIDENT] = {0x7f,       'E',         'L',       'F',
                                             ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    assert_memory_equal(h->e_ident, ident, sizeof ident);
    assert_true(h->e_type == ET_EXEC && h->e_machine == EM_X86_64 && h->e_version == EV_CURRENT);
    assert_true(h->e_ehsize == sizeof *h && h->e_shentsize == sizeof *s && h->e_shnum == 4 &&
                h->e_shstrndx == 3);
    const char *const names = e->file + s[3].sh_offset;
    assert_string_equal(names + s[1].sh_name, ".text");
    assert_string_equal(names + s[2].sh_name, ".symtab");
    assert_string_equal(names + s[3].sh_name, ".strtab");
    assert_true(s[1].sh_type == SHT_NOBITS && s[1].sh_flags == (SHF_ALLOC | SHF_EXECINSTR) &&
                s[1].sh_addralign == 1);
    assert_true(s[1].sh_addr == (uintptr_t)code->memory && s[1].sh_size == code->size);
    assert_true(s[2].sh_type == SHT_SYMTAB && s[2].sh_link == 3 && s[2].sh_info == 1 &&
                s[2].sh_addralign == 8);
    assert_true(s[2].sh_entsize == sizeof(Elf64_Sym) &&
                s[2].sh_size == (lines + 1) * sizeof(Elf64_Sym));
    assert_true(s[3].sh_type == SHT_STRTAB && s[3].sh_addralign == 1 &&
                s[3].sh_offset + s[3].sh_size == e->size);
    const Elf64_Sym *symbol = (const void *)(e->file + s[2].sh_offset), none = {0};
    assert_memory_equal(&s[0], &(Elf64_Shdr){0}, sizeof *s);
    assert_memory_equal(symbol, &none, sizeof none);
    uint64_t end = s[3].sh_offset + sizeof "\0.text\0.symtab\0.strtab";
    for (unsigned i = 0; i < lines; i++) {
        const Elf64_Sym *y = &symbol[i + 1];
        assert_true(y->st_info == ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) && y->st_shndx == 1);
        assert_true(y->st_value == line[i].at && y->st_size == line[i].size);
        assert_string_equal(names + y->st_name, line[i].name);
        assert_true(names + y->st_name == e->file + end);
        end += strlen(line[i].name) + 1;
    }
    assert_true(end == e->size);
}

static bool has_name(const char *name, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(map[i].name, name))
            return true;
    return false;
}

static void check_dump(const char *folder, const struct native_code *code) {
    char path[128], bytes[8192];
    for (int number = 1;; number++) {
        snprintf(path, sizeof path, "%s/%d-%lx.bin", folder, number,
                 (unsigned long)(uintptr_t)code->memory);
        FILE *f = fopen(path, "rb");
        assert_true(f || number < 4);
        if (!f)
            continue;
        assert_int_equal(fread(bytes, 1, sizeof bytes, f), code->size);
        assert_memory_equal(bytes, code->memory, code->size);
        fclose(f);
        unlink(path);
        return;
    }
}

TEST(test_tools) {
    static const char *const names[] = {"test+0x0_iadd",
                                        "test+0x8_rcp",
                                        "test+0x10_bra",
                                        "test+0x10_bra.divergent",
                                        "test+0x18_iadd.divergent",
                                        "test_rcp.routine",
                                        "test_split.routine",
                                        "test_exit_.routine",
                                        "test"};
    char path[64], folder[] = "/tmp/teslapipe-dump-XXXXXX";
    struct native *native = service();
    struct warp_case c[3];
    const struct native_code *code[3];
    unsigned count = 0;
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    unlink(path);
    assert_non_null(mkdtemp(folder));
    setenv("TESLAPIPE_PERF_MAP", "1", 1);
    setenv("TESLAPIPE_GDB", "1", 1);
    setenv("TESLAPIPE_NATIVE_DUMP", folder, 1);
    assert_int_equal(__jit_debug_descriptor.version, 1);
    assert_null(__jit_debug_descriptor.first);
    for (int i = 0; i < 3; i++) {
        case_open(&c[i], PROGRAM_CP,
                  "long add b32 $r0 $r0 $r1\nlong rcp f32 $r1 $r0\n(e $c0) bra #L\n"
                  "long add b32 $r0 $r0 $r1\nL: exit nop\n");
        c[i].env.native = native;
        code[i] = native_find(c[i].w, &c[i].env);
        assert_non_null(code[i]);
        check_dump(folder, code[i]);
        const unsigned before = count;
        count = read_map(path);
        uint64_t end = (uintptr_t)code[i]->memory;
        for (unsigned k = before; k < count; end += map[k++].size)
            assert_true(map[k].at == end && map[k].size);
        assert_true(end == (uintptr_t)code[i]->memory + code[i]->size);
        check_file(__jit_debug_descriptor.first, code[i], map + before, count - before);
        assert_true(!__jit_debug_descriptor.action && !__jit_debug_descriptor.relevant);
    }
    for (size_t i = 0; i < LENGTH(names); i++)
        if (!has_name(names[i], count) && !(strstr(names[i], "_rcp.") && simd_best() < SIMD_AVX512))
            fail_msg("%s is missing", names[i]);
    assert_int_equal(rmdir(folder), 0);
    unlink(path);
    unsetenv("TESLAPIPE_PERF_MAP");
    unsetenv("TESLAPIPE_GDB");
    unsetenv("TESLAPIPE_NATIVE_DUMP");
    struct jit_entry *e[3]; /* newest first */
    e[2] = __jit_debug_descriptor.first;
    e[1] = e[2]->next;
    e[0] = e[1]->next;
    assert_true(!e[0]->next && e[0]->prev == e[1] && e[1]->prev == e[2] && !e[2]->prev);
    case_close(&c[1]);
    assert_true(__jit_debug_descriptor.first == e[2] && e[2]->next == e[0] && e[0]->prev == e[2]);
    case_close(&c[2]);
    assert_true(__jit_debug_descriptor.first == e[0] && !e[0]->prev && !e[0]->next);
    case_close(&c[0]);
    assert_null(__jit_debug_descriptor.first);
    native_destroy(native);
}

/* The tests above released every lock that they took, and released no other lock. */
TEST(test_locks) {
    assert_int_equal(lock_faults, 0);
    assert_int_equal(held.count, 0);
}
