/* Compute programs of Fermi and generic64: the example kernels against plain C, control flow on the
 * stack, barriers with reductions, memory windows, arithmetic against C. Inputs are
 * demos/programs/compute and program texts. Most tests run at every SIMD level. */
#include "shader/isa/table.h"
#include "tests/shader/job.h"
#include "tests/shader/warp_case.h"

static const struct {
    enum isa_variant variant;
    const char *folder;
} sets[] = {{ISA_GF100, "fermi"}, {ISA_G64, "g64"}};

static struct program *kernel(int set, const char *name) {
    char path[256];
    struct program_error error;
    snprintf(path, sizeof path, "demos/programs/compute/%s/%s", sets[set].folder, name);
    struct program *p = program_from_file(path, sets[set].variant, &error);
    if (!p)
        fail_msg("%s", error.text);
    return p;
}

#define FOR_EACH_SET(set, level)                                                                   \
    for (int set = 0; set < 2; set++)                                                              \
    FOR_EACH_LEVEL(level)

TEST(test_vector_add) {
    enum { N = 1000 };
    static float a[N], b[N], c[1024];
    FOR_EACH_SET(set, level) {
        for (int i = 0; i < N; i++) {
            a[i] = (float)i * 0.25f;
            b[i] = 100.f - (float)i;
        }
        memset(c, 0, sizeof c);
        JOB(j, kernel(set, "vector_add.cp"), level, (uint16_t[]){4, 1, 1}, (uint16_t[]){256, 1, 1});
        bind(&j, 0, a, sizeof a);
        bind(&j, 1, b, sizeof b);
        bind(&j, 2, c, sizeof c);
        j.params[j.launch.param_count++] = N;
        job_succeeds(&j);
        for (int i = 0; i < 1024; i++)
            assert_true(c[i] == (i < N ? a[i] + b[i] : 0));
        assert_int_equal(j.stats.bad_reads + j.stats.bad_writes, 0);
    }
}

TEST(test_matrix_multiply) {
    enum { N = 48 };
    static float a[N * N], b[N * N], c[N * N];
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 37) * 0.37f - 5;
        b[i] = (float)(i % 41) * 0.11f - 2;
    }
    FOR_EACH_SET(set, level) {
        memset(c, 0, sizeof c);
        JOB(j, kernel(set, "matrix_multiply.cp"), level, (uint16_t[]){N / 16, N / 16, 1},
            (uint16_t[]){16, 16, 1});
        bind(&j, 0, a, sizeof a);
        bind(&j, 1, b, sizeof b);
        bind(&j, 2, c, sizeof c);
        j.params[j.launch.param_count++] = N;
        job_succeeds(&j);
        for (int y = 0; y < N; y++) {
            for (int x = 0; x < N; x++) {
                float sum = 0;
                for (int k = 0; k < N; k++)
                    sum = fmaf(a[y * N + k], b[k * N + x], sum);
                assert_memory_equal(&c[y * N + x], &sum, 4);
            }
        }
    }
}

TEST(test_histogram) {
    enum { N = 10000 };
    static uint8_t data[N];
    for (uint32_t i = 0; i < N; i++)
        data[i] = (uint8_t)(i * i >> 3);
    FOR_EACH_SET(set, level) {
        uint32_t counts[256] = {0}, expected[256] = {0};
        JOB(j, kernel(set, "histogram.cp"), level, (uint16_t[]){3, 1, 1}, (uint16_t[]){100, 1, 1});
        bind(&j, 0, data, N);
        bind(&j, 1, counts, sizeof counts);
        j.params[j.launch.param_count++] = N;
        job_succeeds(&j);
        for (int i = 0; i < N; i++)
            expected[data[i]]++;
        assert_memory_equal(counts, expected, sizeof counts);
    }
}

TEST(test_prefix_sum) {
    enum { N = 3000 };
    static uint32_t in[N], out[N];
    for (uint32_t i = 0; i < N; i++)
        in[i] = i * 2654435761u;
    FOR_EACH_SET(set, level) {
        memset(out, 0, sizeof out);
        JOB(j, kernel(set, "prefix_sum.cp"), level, (uint16_t[]){1, 1, 1},
            (uint16_t[]){1024, 1, 1});
        bind(&j, 0, in, sizeof in);
        bind(&j, 1, out, sizeof out);
        j.params[j.launch.param_count++] = N;
        job_succeeds(&j);
        uint32_t sum = 0;
        for (int i = 0; i < N; i++)
            assert_int_equal(out[i], sum += in[i]);
    }
}

struct node {
    uint32_t value, left, right, unused;
};

static uint32_t sum_tree(const struct node *nodes, uint32_t n) {
    return n ? nodes[n].value + sum_tree(nodes, nodes[n].left) + sum_tree(nodes, nodes[n].right)
             : 0;
}

/* A recursive sum over a tree: call, 64-bit addresses, ballot. */
TEST(test_tree_sum) {
    enum { NODES = 400, THREADS = 100 };
    static struct node nodes[NODES];
    uint32_t roots[THREADS], sums[2 * 128];
    for (uint32_t i = 1; i < NODES; i++)
        nodes[i] = (struct node){i * 77u % 1000, i * 2 < NODES && i % 5 ? i * 2 : 0,
                                 i * 2 + 1 < NODES && i % 7 ? i * 2 + 1 : 0, 0};
    for (uint32_t i = 0; i < THREADS; i++)
        roots[i] = i * 13 % 50;
    FOR_EACH_LEVEL(level) {
        memset(sums, 0, sizeof sums);
        JOB(j, kernel(0, "tree_sum.cp"), level, (uint16_t[]){2, 1, 1}, (uint16_t[]){64, 1, 1});
        bind(&j, 0, roots, sizeof roots);
        bind(&j, 1, nodes, sizeof nodes);
        bind(&j, 2, sums, sizeof sums);
        j.params[j.launch.param_count++] = THREADS;
        job_succeeds(&j);
        for (uint32_t w = 0; w < 128; w += 32) {
            uint32_t odd = 0;
            for (uint32_t i = w; i < w + 32 && i < THREADS; i++)
                odd |= (sum_tree(nodes, roots[i]) & 1) << (i - w);
            for (uint32_t i = w; i < w + 32 && i < THREADS; i++) {
                assert_int_equal(sums[2 * i], sum_tree(nodes, roots[i]));
                assert_int_equal(sums[2 * i + 1], odd);
            }
        }
    }
}

/* ---- text ---- */

/* Opens the case and runs its warp to the end. */
static void run_warp(struct warp_case *c, enum simd_level level, enum isa_variant variant,
                     const char *text) {
    case_open_at(c, level, PROGRAM_CP, variant, LANES_ALL, text);
    case_run(c);
}

/* A divergent loop with break and continue: each lane sums the numbers below its own that are no
 * multiples of 3. */
TEST(test_loops) {
    static const char *const texts[] = {
        "mov b32 $r1 0x0\nmov b32 $r2 0x0\nmov b32 $r5 0x55555556\nprebrk #out\n"
        "loop: precont #again\nset $p0 0x1 ge u32 $r1 $r0\n$p0 brk\n"
        "mul high $r3 u32 $r1 u32 $r5\nmul $r3 u32 $r3 u32 0x3\nset $p1 0x1 eq u32 $r3 $r1\n"
        "$p1 cont\nadd b32 $r2 $r2 $r1\ncont\nagain: add b32 $r1 $r1 0x1\nbra #loop\nout: exit\n",
        "MOVI R1, 0\nMOVI R2, 0\nPBK out\nloop: PCNT again\nSETGE.U P0, R1, R0\n@P0 BRK\n"
        "REM.U R3, R1, 3\nSETEQ P1, R3, 0\n@P1 CONT\nADD R2, R2, R1\nCONT\n"
        "again: ADD R1, R1, 1\nBRA loop\nout: EXIT\n"};
    FOR_EACH_SET(set, level) {
        struct warp_case c;
        run_warp(&c, level, sets[set].variant, texts[set]);
        for (uint32_t i = 0; i < LANES; i++) {
            uint32_t sum = 0;
            for (uint32_t k = 0; k < i; k++)
                sum += k % 3 ? k : 0;
            assert_int_equal(c.w->r[2][i], sum);
        }
        case_close(&c);
    }
}

/* A long jump pops every stack entry pushed after its prelongjmp. A long jump that no lane takes
 * changes nothing. */
TEST(test_long_jumps) {
    static const struct {
        const char *text;
        uint32_t result;
    } rows[] = {
        {"mov b32 $r1 0x0\nprelongjmp #out\nlongjmp\nmov b32 $r1 0x5\nexit\nout: add b32 $r1 $r1 0x1\nexit\n",
         1},
        {"mov b32 $r1 0x0\nprelongjmp #out\nprebrk #not\njoinat #not\nlongjmp\nnot: mov b32 $r1 0x5\nexit\n"
         "out: add b32 $r1 $r1 0x1\nexit\n",
         1},
        {"mov b32 $r1 0x0\nset $p0 0x1 lt u32 $r0 0x0\nprelongjmp #out\n$p0 longjmp\nmov b32 $r1 0x5\nexit\n"
         "out: add b32 $r1 $r1 0x1\nexit\n",
         5},
        {"mov b32 $r1 0x0\nprelongjmp #out\ncall #f\nmov b32 $r1 0x5\nexit\nf: longjmp\nret\n"
         "out: add b32 $r1 $r1 0x1\nexit\n",
         1},
        /* lanes that wait elsewhere take part in the jump */
        {"mov b32 $r1 0x0\nset $p0 0x1 lt u32 $r0 0x10\nprelongjmp #out\n$p0 bra #half\nmov b32 $r1 0x5\nexit\n"
         "half: longjmp\nout: add b32 $r1 $r1 0x1\nexit\n",
         1},
        {"mov b32 $r1 0x0\nset $p0 0x1 lt u32 $r0 0x10\nprelongjmp #out\nprebrk #not\nprecont #not\n$p0 brk\n"
         "longjmp\nnot: mov b32 $r1 0x5\nexit\nout: add b32 $r1 $r1 0x1\nexit\n",
         1},
        {"mov b32 $r1 0x0\nset $p0 0x1 lt u32 $r0 0x10\nprelongjmp #out\nprebrk #not\nprecont #not\n$p0 cont\n"
         "longjmp\nnot: mov b32 $r1 0x5\nexit\nout: add b32 $r1 $r1 0x1\nexit\n",
         1},
        {"mov b32 $r1 0x0\nset $p0 0x1 lt u32 $r0 0x10\nprelongjmp #out\ncall #f\nnot: mov b32 $r1 0x5\nexit\n"
         "f: $p0 ret\nlongjmp\nout: add b32 $r1 $r1 0x1\nexit\n",
         1},
    };
    FOR_EACH_LEVEL(level) {
        for (size_t i = 0; i < LENGTH(rows); i++) {
            struct warp_case c;
            run_warp(&c, level, ISA_GF100, rows[i].text);
            for (uint32_t k = 0; k < LANES; k++)
                if (c.w->r[1][k] != rows[i].result)
                    fail_msg("row %zu: %u", i, c.w->r[1][k]);
            case_close(&c);
        }
    }
}

/* Branches to an address in a register. The lanes that branch must agree on the address; otherwise
 * the program fails. */
TEST(test_indirect_branches) {
    static const struct {
        enum isa_variant variant;
        const char *text;
        enum warp_status status;
        uint32_t result; /* in the lanes from 16 on */
    } rows[] = {
        {ISA_GF100,
         "mov b32 $r1 0x1\nmov b32 $r3 0x0\nbra $r3 #out\nmov b32 $r1 0x2\nexit\nout: add b32 $r1 $r1 0x10\nexit\n",
         WARP_DONE, 0x11},
        {ISA_GF100,
         "mov b32 $r1 0x1\nbra $r0 #out\nmov b32 $r1 0x2\nexit\nout: add b32 $r1 $r1 0x10\nexit\n",
         WARP_ERROR, 1},
        {ISA_GF100,
         "mov b32 $r1 0x1\nset $p0 0x1 lt u32 $r0 0x10\nmov b32 $r3 0x0\n$p0 mov b32 $r3 0x8\n(not $p0) bra $r3 #out\n"
         "mov b32 $r1 0x2\nexit\nout: add b32 $r1 $r1 0x10\nexit\n",
         WARP_DONE, 0x11},
        {ISA_G64, "MOVI R1, 1\nMOVI R3, 0x28\nJMPR R3, 0\nMOVI R1, 2\nEXIT\nADD R1, R1, 16\nEXIT\n",
         WARP_DONE, 0x11},
        {ISA_G64, "MOVI R1, 1\nMOVI R3, 0x20\nJMPR R3, 1\nMOVI R1, 2\nEXIT\nADD R1, R1, 16\nEXIT\n",
         WARP_DONE, 0x11},
        {ISA_G64, "MOVI R1, 1\nJMPR R0, 5\nMOVI R1, 2\nEXIT\nNOP\nADD R1, R1, 16\nEXIT\n",
         WARP_ERROR, 1},
    };
    FOR_EACH_LEVEL(level)
    for (size_t i = 0; i < LENGTH(rows); i++) {
        CASE_AT(c, level, PROGRAM_CP, rows[i].variant, LANES_ALL, rows[i].text);
        assert_int_equal(warp_run(c.w, &c.env), rows[i].status);
        for (uint32_t k = 16; k < LANES; k++)
            if (c.w->r[1][k] != rows[i].result)
                fail_msg("row %zu: %x in lane %u", i, c.w->r[1][k], k);
        if (rows[i].status != WARP_DONE)
            assert_int_equal(c.w->error.code, MP_STACK_MISMATCH);
    }
}

/* Branch targets in c[]: absolute or relative to the next instruction, at a fixed place or at one
 * that a register selects. Lanes that do not branch may have any target. An instruction that
 * prepares a target is followed by the instruction that goes there. */
TEST(test_places_in_constants) {
    static const struct {
        const char *text, *then;
        bool absolute;
    } rows[] = {
        {"bra c0[0x10]", "", true},
        {"bra pcrel c0[0x10]", "", false},
        {"bra c0[$r3+0x10]", "", true},
        {"bra pcrel c0[$r3+0x10]", "", false},
        {"$p0 bra c0[$r3+0x10]", "", true},
        {"$p0 bra pcrel c0[$r3+0x10]", "", false},
        {"call c0[0x10]", "", true},
        {"call pcrel c0[0x10]", "", false},
        {"prelongjmp pcrel c0[0x10]", "longjmp\n", false},
        {"prebrk pcrel c0[0x10]", "brk\n", false},
        {"precont pcrel c0[0x10]", "cont\n", false},
        {"preret pcrel c0[0x10]", "ret\n", false},
        {"joinat pcrel c0[0x10]", "join nop\n", false},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        FOR_EACH_LEVEL(level) {
            const bool some = rows[i].text[0] == '$';
            uint32_t table[4 + LANES], target = 0, next = 0;
            char text[256];
            snprintf(
                text, sizeof text,
                "mov b32 $r1 0x1\nshl b32 $r3 $r0 clamp 0x2\nset $p0 0x1 lt u32 $r0 0x10\n%s\n%smov b32 $r1 0x2\n"
                "exit\nadd b32 $r1 $r1 0x10\nexit\n",
                rows[i].text, rows[i].then);
            CASE_AT(c, level, PROGRAM_CP, ISA_GF100, LANES_ALL, text);
            for (uint32_t w = 0; w < c.program->word_count; w += c.program->ops[w].words) {
                const unsigned code = c.program->ops[w].code;
                if (code == OP_IADD)
                    target = 4 * w;
                if (code == OP_BRA_INDIRECT || code == OP_CALL_INDIRECT || code == OP_PUSH_INDIRECT)
                    next = 4 * (w + c.program->ops[w].words);
            }
            assert_true(target && next);
            for (uint32_t k = 0; k < 4 + LANES; k++)
                table[k] = k < 4 || (some && k >= 4 + 16) ? 0x1000 + k
                                                          : target - (rows[i].absolute ? 0 : next);
            c.env.c[0] = (struct const_view){(const uint8_t *)table, sizeof table};
            case_run(&c);
            for (uint32_t k = 0; k < LANES; k++)
                if (c.w->r[1][k] != (some && k >= 16 ? 2 : 0x11))
                    fail_msg("%s: %x in lane %u", rows[i].text, c.w->r[1][k], k);
        }
}

/* ssy and a divergent branch: both sides join before the next instruction runs. */
TEST(test_join) {
    static const char *const texts[] = {
        "set $p0 0x1 lt u32 $r0 0xa\njoinat #after\n$p0 bra #small\nmov b32 $r1 0x2\njoin nop\n"
        "small: mov b32 $r1 0x1\njoin nop\nafter: vote any $r2 0x1 0x1\nexit\n",
        "SETLT.U P0, R0, 10\nSSY after\n@P0 BRA small\nMOVI R1, 2\nSYNC\nsmall: MOVI R1, 1\nSYNC\n"
        "after: PMOV P1, P0\nPOR P1, P1, !P0\nBALLOT R2, P1\nEXIT\n"};
    FOR_EACH_SET(set, level) {
        struct warp_case c;
        run_warp(&c, level, sets[set].variant, texts[set]);
        for (uint32_t i = 0; i < LANES; i++) {
            assert_int_equal(c.w->r[1][i], i < 10 ? 1 : 2);
            assert_int_equal(c.w->r[2][i], LANES_ALL);
        }
        case_close(&c);
    }
}

/* The guard of a joining instruction belongs to the join (fermi-isa.md §8): lanes in which it holds
 * wait at the reconvergence point, the others go on. Both engines are tested. */
static const struct {
    enum isa_variant variant;
    const char *text;  /* between joinat and the reconvergence point; $p0: lane < 10 */
    uint32_t value[3]; /* $r1 in lanes from 0, from 5 and from 10 on; initially 1 */
} guarded_joins[] = {
    {ISA_GF100, "join (not $p0) nop\nmov b32 $r1 0x2\njoin nop\n", {2, 2, 1}},
    {ISA_GF100, "join $p0 nop\nmov b32 $r1 0x2\njoin nop\n", {1, 1, 2}},
    {ISA_G64, "@!P0 SYNC\nMOVI R1, 2\nSYNC\n", {2, 2, 1}},
    /* the guard holds in all lanes, in none, and never */
    {ISA_GF100,
     "set $p1 0x1 lt u32 $r0 0x20\njoin $p1 nop\nmov b32 $r1 0x2\njoin nop\n",
     {1, 1, 1}},
    {ISA_GF100, "set $p1 0x1 lt u32 $r0 0x0\njoin $p1 nop\nmov b32 $r1 0x2\njoin nop\n", {2, 2, 2}},
    {ISA_GF100, "join never nop\nmov b32 $r1 0x2\njoin nop\n", {2, 2, 2}},
    /* the condition on $c, false here, does not affect the join */
    {ISA_GF100, "join $p0 o $c nop\nmov b32 $r1 0x2\njoin nop\n", {1, 1, 2}},
    /* an instruction with a result, which may be its own guard */
    {ISA_GF100, "join $p0 mov b32 $r1 0x3\nmov b32 $r1 0x2\njoin nop\n", {3, 3, 2}},
    {ISA_GF100, "join $p0 set $p0 0x1 ge u32 $r0 0x5\nmov b32 $r1 0x2\njoin nop\n", {1, 1, 2}},
    {ISA_GF100,
     "join (not $p0) set $p0 0x1 ge u32 $r0 0x0\nmov b32 $r1 0x2\njoin nop\n",
     {2, 2, 1}},
    /* one side of a branch, which then runs on with fewer lanes */
    {ISA_GF100,
     "set $p1 0x1 lt u32 $r0 0x5\n$p0 bra #small\nmov b32 $r1 0x3\njoin nop\n"
     "small: join $p1 nop\nmov b32 $r1 0x2\njoin nop\n",
     {1, 2, 3}},
    {ISA_GF100,
     "set $p1 0x1 lt u32 $r0 0x5\njoin (not $p0) nop\njoin $p1 mov b32 $r1 0x4\nmov b32 $r1 0x2\n"
     "join nop\n",
     {4, 2, 1}},
};

static void check_guarded_join(size_t i, enum simd_level level, struct native *native) {
    const bool g64 = guarded_joins[i].variant == ISA_G64;
    char text[512];
    snprintf(text, sizeof text,
             g64 ? "MOVI R1, 1\nSETLT.U P0, R0, 10\nSSY after\n%safter: POR P1, P0, !P0\n"
                   "BALLOT R2, P1\nEXIT\n"
                 : "mov b32 $r1 0x1\nset $p0 0x1 lt u32 $r0 0xa\njoinat #after\n%s"
                   "after: vote any $r2 0x1 0x1\nexit\n",
             guarded_joins[i].text);
    CASE_AT(c, level, PROGRAM_CP, guarded_joins[i].variant, LANES_ALL, text);
    c.env.native = native;
    case_run(&c);
    for (uint32_t k = 0; k < LANES; k++) {
        const uint32_t value = guarded_joins[i].value[k < 5 ? 0 : k < 10 ? 1 : 2];
        if (c.w->r[1][k] != value || c.w->r[2][k] != LANES_ALL)
            fail_msg("%s, lane %u: %u, not %u, and %08x went on together\n%s",
                     native ? "native" : "interp", k, c.w->r[1][k], value, c.w->r[2][k], text);
    }
}

TEST(test_guarded_joins) {
    for (size_t i = 0; i < LENGTH(guarded_joins); i++)
        FOR_EACH_LEVEL(level) {
            check_guarded_join(i, level, NULL);
            if (native_usable())
                check_guarded_join(i, level, test_native_get(level));
        }
}

/* Arithmetic of single instructions, the same in all lanes: $r1, $r2 and $r3 are given, $r4 is the
 * result. */
static const struct {
    enum isa_variant variant;
    const char *text;
    uint32_t a, b, d, result;
} cases[] = {
    {ISA_GF100, "fma rn f32 $r4 $r1 $r2 $r3", 0x3f800001, 0x3f800001, 0xbf800002, 0x28800000},
    {ISA_GF100, "add rn f32 $r4 $r1 $r2", 1, 1, 0, 2}, /* denormals are kept */
    {ISA_GF100, "add ftz rn f32 $r4 $r1 $r2", 1, 1, 0, 0},
    {ISA_GF100, "add rp f32 $r4 $r1 $r2", 0x3f800000, 0x2f800000, 0, 0x3f800001},
    {ISA_GF100, "add sat rn f32 $r4 $r1 $r2", 0x7fc00000, 0, 0, 0},
    {ISA_GF100, "mul fmz rn f32 $r4 $r1 $r2", 0x7f800000, 0, 0, 0},
    {ISA_GF100, "mul div4 rn f32 $r4 $r1 $r2", 0x40000000, 0x40400000, 0, 0x3fc00000},
    {ISA_GF100, "max f32 $r4 $r1 $r2", 0x7fffffff, 0xbf800000, 0, 0xbf800000},
    {ISA_GF100, "add sat b32 $r4 $r1 $r2", 0x7ffffff0, 0x100, 0, 0x7fffffff},
    {ISA_GF100, "sub b32 $r4 $r1 $r2", 5, 7, 0, 0xfffffffe},
    {ISA_GF100, "mul high $r4 s32 $r1 s32 $r2", 0xffffffff, 5, 0, 0xffffffff},
    {ISA_GF100, "mul high $r4 u32 $r1 u32 $r2", 0xffffffff, 5, 0, 4},
    {ISA_GF100, "add $r4 (mul high u32 $r1 u32 $r2) $r3", 0x80000000, 6, 10, 13},
    {ISA_GF100, "sub b32 $r4 (shl $r1 0x4) $r2", 3, 8, 0, 40},
    {ISA_GF100, "shl b32 $r4 $r1 clamp $r2", 1, 40, 0, 0},
    {ISA_GF100, "shl b32 $r4 $r1 wrap $r2", 1, 40, 0, 0x100},
    {ISA_GF100, "shl b32 $r4 $r1 wrap 0x21", 1, 0, 0, 2},
    {ISA_GF100, "shl b32 $r4 $r1 clamp 0x21", 1, 0, 0, 0},
    {ISA_GF100, "shr u32 $r4 $r1 wrap 0x1f", 0x80000000, 0, 0, 1},
    {ISA_GF100, "shr s32 $r4 $r1 clamp $r2", 0x80000000, 99, 0, 0xffffffff},
    {ISA_GF100, "ext s32 $r4 $r1 $r2", 0x00000f80, 0x0507, 0, 0xffffffff},
    {ISA_GF100, "ext u32 $r4 $r1 $r2", 0x00000f80, 0x0507, 0, 0x1f},
    {ISA_GF100, "ext rev u32 $r4 $r1 $r2", 1, 0x2000, 0, 0x80000000},
    {ISA_GF100, "ins b32 $r4 $r1 $r2 $r3", 0xff, 0x0408, 0, 0xf00},
    {ISA_GF100, "bfind u32 $r4 $r1", 0x00010000, 0, 0, 16},
    {ISA_GF100, "bfind s32 $r4 $r1", 0xffffff00, 0, 0, 7},
    {ISA_GF100, "bfind u32 $r4 $r1", 0, 0, 0, 0xffffffff},
    {ISA_GF100, "popc $r4 $r1 $r2", 0xff00ff, 0xf0f0f0, 0, 8},
    {ISA_GF100, "prmt b32 $r4 $r1 $r2 $r3", 0x03020100, 0x7654, 0x87060504, 0x87060504},
    {ISA_GF100, "prmt b32 $r4 $r1 $r2 $r3", 0x03020180, 0x0008, 0, 0x808080ff},
    {ISA_GF100, "sad u32 $r4 $r1 $r2 $r3", 3, 10, 100, 107},
    {ISA_GF100, "slct b32 $r4 $r1 $r2 ge s32 $r3", 1, 2, 0xffffffff, 2},
    {ISA_GF100, "slct b32 $r4 $r1 $r2 ge s32 $r3", 1, 2, 0x80000000, 2},
    {ISA_GF100, "slct b32 $r4 $r1 $r2 ge f32 $r3", 1, 2, 0x80000000, 1},
    {ISA_GF100, "cvt rzi s32 $r4 f32 $r1", 0xc0200000, 0, 0, 0xfffffffe},
    {ISA_GF100, "cvt rni u32 $r4 f32 $r1", 0x4f900000, 0, 0, 0xffffffff},
    {ISA_GF100, "cvt rni s32 $r4 f32 $r1", 0x7fc00000, 0, 0, 0},
    {ISA_GF100, "cvt rn f32 $r4 u32 $r1", 0xffffffff, 0, 0, 0x4f800000},
    {ISA_GF100, "cvt rz f32 $r4 u32 $r1", 0xffffffff, 0, 0, 0x4f7fffff},
    {ISA_GF100, "cvt rn f16 $r4 f32 $r1", 0x3fc00000, 0, 0, 0x3e00},
    {ISA_GF100, "cvt f32 $r4 f16 $r1 0x0", 0x3e00, 0, 0, 0x3fc00000},
    {ISA_GF100, "cvt sat s8 $r4 s32 $r1", 300, 0, 0, 127},
    {ISA_GF100, "vadd sat s32 $r4 b1 u32 $r1 h1 s32 $r2 $r3", 0x1200, 0xffff0000, 0, 0x11},
    {ISA_GF100, "and b32 $r4 $r1 not $r2", 0xff, 0x0f, 0, 0xf0},
    {ISA_GK104, "mad b32 $r4 s16l $r1 s16l $r2 s32 $r3", 0xffff, 0x10003, 10, 7},
    {ISA_GK104, "mad b32 $r4 u32 $r1 u24 $r2 u32 $r3", 2, 0xff000005, 1, 11},
    {ISA_GF100, "cvt ftz rn f16 $r4 f32 $r1", 0x00000001, 0, 0, 0},
    {ISA_GF100, "cvt ftz f32 $r4 f32 $r1", 0x80000001, 0, 0, 0x80000000},
    {ISA_GF100, "cvt ftz f32 $r4 f32 $r1", 0x3f800000, 0, 0, 0x3f800000},
    {ISA_GF100, "cvt f32 $r4 f32 $r1", 0x80000001, 0, 0, 0x80000001},
    {ISA_G64, "FFMA R4, R1, R2, R3", 0x3f800001, 0x3f800001, 0xbf800002, 0x28800000},
    {ISA_G64, "DIV R4, R1, R2", 0xfffffff9, 2, 0, 0xfffffffd},
    {ISA_G64, "REM R4, R1, R2", 0xfffffff9, 2, 0, 0xffffffff},
    {ISA_G64, "DIV R4, R1, R2", 7, 0, 0, 0},
    {ISA_G64, "REM R4, R1, R2", 7, 0, 0, 7},
    {ISA_G64, "DIV R4, R1, R2", 0x80000000, 0xffffffff, 0, 0x80000000},
    {ISA_G64, "ADD.U.SAT R4, R1, R2", 0xfffffff0, 0x20, 0, 0xffffffff},
    {ISA_G64, "SUB.U.SAT R4, R1, R2", 5, 7, 0, 0},
    {ISA_G64, "MUL.SAT R4, R1, R2", 0x10000, 0x10000, 0, 0x7fffffff},
    {ISA_G64, "MULH.U R4, R1, R2", 0x80000000, 6, 0, 3},
    {ISA_G64, "CLZ R4, R1", 0x10000, 0, 0, 15},
    {ISA_G64, "CLZ R4, R1", 0, 0, 0, 32},
    {ISA_G64, "ROTL R4, R1, R2", 0x80000001, 4, 0, 0x18},
    {ISA_G64, "ROTL R4, R1, R2", 0x80000001, 33, 0, 3},
    {ISA_G64, "BREV R4, R1", 1, 0, 0, 0x80000000},
    {ISA_G64, "NOT R4, R1", 0xf, 0, 0, 0xfffffff0},
    {ISA_G64, "FDIV R4, R1, R2", 0x3f800000, 0x40400000, 0, 0x3eaaaaab},
    {ISA_G64, "FFLOOR R4, R1", 0xbfc00000, 0, 0, 0xc0000000},
    {ISA_G64, "FRND R4, R1", 0x40200000, 0, 0, 0x40000000},
    {ISA_G64, "FNEG R4, R1", 0x3f800000, 0, 0, 0xbf800000},
    {ISA_G64, "FSEL R4, R1, R2, R3", 1, 2, 0x80000000, 1},
    {ISA_G64, "FSEL R4, R1, R2, R3", 0xbf800000, 0xc0000000, 0x3f800000, 0xbf800000},
    {ISA_G64, "FSEL R4, R1, R2, R3", 0x3f800000, 0x40000000, 0xbf800000, 0x40000000},
    {ISA_G64, "FSEL R4, R1, R2, R3", 0x3f800000, 0x40000000, 0x7fc00000, 0x40000000},
    {ISA_G64, "F2I R4, R1", 0xc0200000, 0, 0, 0xfffffffe},
    {ISA_G64, "SQRT R4, R1", 0x40800000, 0, 0, 0x40000000},
    {ISA_G64, "MOVHI R4, 0x3ff", 0, 0, 0, 0xffc00000},
};

TEST(test_arithmetic) {
    for (size_t i = 0; i < LENGTH(cases); i++) {
        FOR_EACH_LEVEL(level) {
            char text[128];
            snprintf(text, sizeof text, "%s\n%s\n", cases[i].text,
                     cases[i].variant == ISA_G64 ? "EXIT" : "exit");
            CASE_AT(c, level, PROGRAM_CP, cases[i].variant, LANES_ALL, text);
            c.w->r[1] = lanes_splat(cases[i].a);
            c.w->r[2] = lanes_splat(cases[i].b);
            c.w->r[3] = lanes_splat(cases[i].d);
            case_run(&c);
            for (int k = 0; k < LANES; k++)
                if (c.w->r[4][k] != cases[i].result)
                    fail_msg("%s: %08x, not %08x (level %d)", cases[i].text, c.w->r[4][k],
                             cases[i].result, level);
        }
    }
}

/* Double precision: operands $r8d, $r10d, $r12d, result $r4d. Products, sums and roundings;
 * modifiers for each operand. */
TEST(test_doubles) {
    static const struct {
        const char *text;
        double a, b, d, result;
    } rows[] = {
        {"add rn f64 $r4d $r8d $r10d", 1, 2, 9, 3},
        {"add rn f64 $r4d $r8d neg $r10d", 1, 2, 9, -1},
        {"mul rn f64 $r4d $r8d $r10d", 3, 5, 9, 15},
        {"fma rn f64 $r4d $r8d $r10d $r12d", 3, 5, 9, 24},
        {"fma rn f64 $r4d neg $r8d $r10d $r12d", 3, 5, 9, -6},
        {"fma rn f64 $r4d $r8d $r10d neg $r12d", 3, 5, 9, 6},
        {"fma rp f64 $r4d $r8d $r10d $r12d", 1, 1, 0x1p-60, 1 + 0x1p-52},
        {"fma rm f64 $r4d $r8d $r10d $r12d", 1, 1, 0x1p-60, 1},
        {"fma rz f64 $r4d $r8d $r10d $r12d", 1, -1, 0x1p-60, -1 + 0x1p-53},
        {"fma rn f64 $r4d $r8d $r10d $r12d", 1 + 0x1p-30, 1 + 0x1p-30, -1 - 0x1p-29, 0x1p-60},
        {"add rp f64 $r4d $r8d $r10d", 1, 0x1p-60, 9, 1 + 0x1p-52},
        {"mul rm f64 $r4d $r8d $r10d", -1 - 0x1p-52, 1 + 0x1p-52, 9, -1 - 0x1.8p-51},
        {"min f64 $r4d $r8d $r10d", 3, 5, 9, 3},
        {"max f64 $r4d $r8d $r10d", 3, 5, 9, 5},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        FOR_EACH_LEVEL(level) {
            const double in[] = {rows[i].a, rows[i].b, rows[i].d};
            char text[128];
            snprintf(text, sizeof text, "%s\nexit\n", rows[i].text);
            CASE_AT(c, level, PROGRAM_CP, ISA_GF100, LANES_ALL, text);
            for (int k = 0; k < 3; k++) {
                uint32_t word[2];
                memcpy(word, &in[k], 8);
                c.w->r[8 + 2 * k] = lanes_splat(word[0]);
                c.w->r[9 + 2 * k] = lanes_splat(word[1]);
            }
            case_run(&c);
            for (int k = 0; k < LANES; k++) {
                const uint32_t word[2] = {c.w->r[4][k], c.w->r[5][k]};
                double got;
                memcpy(&got, word, 8);
                if (got != rows[i].result)
                    fail_msg("%s: %a, not %a (level %d)", rows[i].text, got, rows[i].result, level);
            }
        }
    }
}

/* gk104's mad: each factor and the addend is a whole register or a part of it, signed or
 * unsigned. */
TEST(test_parts) {
    static const struct {
        const char *name;
        unsigned shift, bits;
        bool sign;
    } parts[] = {{"u32", 0, 32, false},   {"u24", 0, 24, false}, {"u16l", 0, 16, false},
                 {"u16h", 16, 16, false}, {"s32", 0, 32, true},  {"s24", 0, 24, true},
                 {"s16l", 0, 16, true},   {"s16h", 16, 16, true}};
    static const uint32_t values[] = {0xfedcba98, 0x8001ffff};
    uint32_t known = 0;
    for (unsigned i = 0; i < 8 * 8 * 8; i++) {
        const unsigned at[3] = {i % 8, i / 8 % 8, i / 64};
        char text[128], message[256];
        uint32_t part[3];
        struct op op;
        snprintf(text, sizeof text, "mad b32 $r4 %s $r1 %s $r2 %s $r3", parts[at[0]].name,
                 parts[at[1]].name, parts[at[2]].name);
        if (!isa_assemble_line((struct isa_target){ISA_GK104, PROGRAM_CP, SYNTAX_ENVYAS}, text,
                               strlen(text), 0, &op, message, sizeof message))
            continue;
        known |= 1u << at[0] | 1u << (8 + at[1]) | 1u << (16 + at[2]);
        for (int k = 0; k < 3; k++) {
            const unsigned shift = parts[at[k]].shift, rest = 32 - parts[at[k]].bits;
            const uint32_t v = values[k & 1] >> shift << rest;
            part[k] = parts[at[k]].sign ? (uint32_t)((int32_t)v >> rest) : v >> rest;
        }
        strcat(text, "\nexit\n");
        CASE_AT(c, simd_best(), PROGRAM_CP, ISA_GK104, LANES_ALL, text);
        for (int k = 0; k < 3; k++)
            c.w->r[1 + k] = lanes_splat(values[k & 1]);
        case_run(&c);
        if (c.w->r[4][7] != part[0] * part[1] + part[2])
            fail_msg("%s: %08x, not %08x", text, c.w->r[4][7], part[0] * part[1] + part[2]);
    }
    assert_int_equal(known, 0x7766ff); /* each part occurs where the encoding allows it */
}

/* A 64-bit sum in two words with the carry. */
TEST(test_carry) {
    CASE_AT(c, simd_best(), PROGRAM_CP, ISA_GF100, LANES_ALL,
            "add b32 $r4 $c $r0 -0x1\nadd b32 $r5 0x0 0x0 $c\nexit\n");
    case_run(&c);
    for (uint32_t i = 0; i < LANES; i++) { /* lane - 1 carries in all lanes but lane 0 */
        assert_int_equal(c.w->r[4][i], i - 1);
        assert_int_equal(c.w->r[5][i], i > 0);
    }
}

/* bar popc, and, or over a block of three warps. Every thread gets the number of threads in which
 * the condition holds, and whether it holds in all or in any. */
static void check_barriers(const char *condition, uint32_t limit, uint32_t holding) {
    uint32_t out[3 * 96] = {0};
    char text[512];
    snprintf(text, sizeof text,
             "mov b32 $r0 $tidx\nset $p0 0x1 %s u32 $r0 0x%x\n"
             "bar popc 0x1 $r1 0x0 0x0 $p0\nbar and $p1 0x0 0x1 0x0 $p0\n"
             "bar or $p2 0x0 0x2 0x0 $p0\nselp b32 $r2 0x0 0x1 not $p1\n"
             "selp b32 $r3 0x0 0x1 not $p2\nmul $r4 u32 $r0 u32 0xc\n"
             "st b32 wb g[$r4+0x8000000] $r1\nst b32 wb g[$r4+0x8000004] $r2\n"
             "st b32 wb g[$r4+0x8000008] $r3\nexit\n",
             condition, limit);
    JOB(j, case_program(PROGRAM_CP, ISA_GF100, text), simd_best(), (uint16_t[]){1, 1, 1},
        (uint16_t[]){96, 1, 1});
    bind(&j, 0, out, sizeof out);
    job_succeeds(&j);
    for (int i = 0; i < 96; i++) {
        assert_int_equal(out[3 * i], holding);
        assert_int_equal(out[3 * i + 1], holding == 96);
        assert_int_equal(out[3 * i + 2], holding > 0);
    }
}

/* The number of a barrier and the number of threads that it waits for come from registers: two
 * warps of three wait. */
static void check_numbered_barriers(void) {
    uint32_t out[2 * 96] = {0};
    JOB(j,
        case_program(PROGRAM_CP, ISA_GF100,
                     "mov b32 $r0 $tidx\nmov b32 $r5 0x2\nmov b32 $r6 0x40\nmov b32 $r1 0x0\n"
                     "set $p0 0x1 ne u32 $r0 0x5\nset $p1 0x1 lt u32 $r0 0x40\n"
                     "$p1 bar popc 0x1 $r1 $r5 $r6 $p0\nbar popc 0x1 $r2 0x0 0x0 $p0\n"
                     "mul $r4 u32 $r0 u32 0x8\nst b32 wb g[$r4+0x8000000] $r1\n"
                     "st b32 wb g[$r4+0x8000004] $r2\nexit\n"),
        simd_best(), (uint16_t[]){1, 1, 1}, (uint16_t[]){96, 1, 1});
    bind(&j, 0, out, sizeof out);
    job_succeeds(&j);
    for (int i = 0; i < 96; i++) {
        assert_int_equal(out[2 * i], i < 64 ? 63 : 0);
        assert_int_equal(out[2 * i + 1], 95);
    }
}

/* Warps wait at a barrier that also joins; the join's guard is the value from before the
 * barrier. */
static void check_joining_barrier(void) {
    uint32_t out[96] = {0};
    JOB(j,
        case_program(PROGRAM_CP, ISA_GF100,
                     "mov b32 $r0 $tidx\nmov b32 $r1 0x1\nmov b32 $r3 $laneid\n"
                     "set $p0 0x1 lt u32 $r3 0xa\njoinat #after\n"
                     "join $p0 bar or $p0 0x0 0x1 0x0 not $p0\nmov b32 $r1 0x2\njoin nop\n"
                     "after: mul $r4 u32 $r0 u32 0x4\nst b32 wb g[$r4+0x8000000] $r1\nexit\n"),
        simd_best(), (uint16_t[]){1, 1, 1}, (uint16_t[]){96, 1, 1});
    bind(&j, 0, out, sizeof out);
    job_succeeds(&j);
    for (int i = 0; i < 96; i++)
        assert_int_equal(out[i], i % 32 < 10 ? 1 : 2);
}

/* A barrier for more threads than a CTA has never opens, whether the other warp waits or ends. */
static void check_absurd_barrier(const char *threads, const char *waiting) {
    char text[256];
    snprintf(text, sizeof text,
             "mov b32 $r0 $tidx\nmov b32 $r6 %s\nset $p1 0x1 lt u32 $r0 %s\n"
             "$p1 bar popc 0x1 $r1 0x2 $r6 0x1\nexit\n",
             threads, waiting);
    JOB(j, case_program(PROGRAM_CP, ISA_GF100, text), simd_best(), (uint16_t[]){1, 1, 1},
        (uint16_t[]){64, 1, 1});
    if (!job_run(&j) || !j.error.deadlock)
        fail_msg("a barrier for %s threads opened", threads);
}

TEST(test_absurd_barriers) {
    static const char *const threads[] = {"0xffffffff", "0xffffffe1", "0x200000",
                                          "0x200001",   "0x80000000", "0x60"};
    for (size_t i = 0; i < LENGTH(threads); i++) {
        check_absurd_barrier(threads[i], "0x20");
        check_absurd_barrier(threads[i], "0x40");
    }
}

TEST(test_barriers) {
    check_numbered_barriers();
    check_joining_barrier();
    check_barriers("lt", 40, 40);
    check_barriers("ge", 40, 56);
    check_barriers("ne", 40, 95);
    check_barriers("lt", 64, 64);
    check_barriers("ge", 32, 64);
    check_barriers("lt", 96, 96);
    check_barriers("ge", 96, 0);
}

/* Shuffles follow PTX's rules: segments of eight lanes; the predicate tells whether the source lane
 * lies inside. */
TEST(test_shuffle) {
    FOR_EACH_LEVEL(level) {
        struct warp_case c;
        run_warp(&c, level, ISA_GK104,
                 "mul $r1 u32 $r0 u32 0xa\nshfl down $p0 $r2 $r1 0x3 0x1807\n"
                 "shfl bfly $p1 $r3 $r1 0x1 0x1f\nshfl idx $p2 $r4 $r1 0x2 0x1807\n"
                 "shfl up $p3 $r5 $r1 0x1 0x0\nexit\n");
        for (uint32_t i = 0; i < LANES; i++) {
            const bool in = i % 8 + 3 <= 7;
            assert_int_equal(c.w->r[2][i], 10 * (in ? i + 3 : i));
            assert_int_equal(c.w->fermi.p[0] >> i & 1, in);
            assert_int_equal(c.w->r[3][i], 10 * (i ^ 1));
            assert_int_equal(c.w->r[4][i], 10 * (i / 8 * 8 + 2));
            assert_int_equal(c.w->r[5][i], 10 * (i ? i - 1 : 0));
            assert_int_equal(c.w->fermi.p[3] >> i & 1, i > 0);
        }
        case_close(&c);
    }
}

/* Reads, writes and interpolates attributes: words in, words out, a factor and a plane. */
TEST(test_attributes) {
    static const struct attribute_plane planes[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    static const struct attribute_planes set = {~0u, 2, planes};
    static const char *const texts[] = {
        "ld b64 $r4:$r5 a[0x8] 0x0\nst b32 a[0x4] $r5 0x0\nmov b32 $r1 0x40000000\n"
        "interp mul f32 $r6 a[0x4] $r1 0x0\nexit\n",
        "MOVI R1, 0\nMOVHI R1, 0x100\nMOVI R2, 0\nLDA.64 R4, [R2+8]\nSTA [R2+4], R5\n"
        "IPA R6, R1, 4\nEXIT\n"};
    FOR_EACH_SET(set_, level) {
        CASE_AT(c, level, PROGRAM_CP, sets[set_].variant, LANES_ALL, texts[set_]);
        c.attr[2] = lanes_iota();
        c.attr[3] = lanes_iota() * 3;
        c.w->x = __builtin_convertvector(lanes_iota(), f32x32);
        for (int q = 0; q < 8; q++)
            c.w->planes[q] = &set;
        case_run(&c);
        for (uint32_t i = 0; i < LANES; i++) {
            const float v = 2 * (5 + 6 * (float)i);
            assert_int_equal(c.w->r[4][i], i);
            assert_int_equal(c.out[1][i], 3 * i);
            assert_memory_equal((uint32_t *)&c.w->r[6] + i, &v, 4);
        }
    }
}

/* Each error has its name. */
TEST(test_errors) {
    static const struct {
        const char *text;
        enum mp_error code;
        enum decode_error decode;
        uint32_t address;
    } wrong[] = {
        {"mov b32 $r0 $r1\nbrk\n", MP_STACK_UNDERFLOW, DECODE_OK, 8},
        {"quadpop\n", MP_STACK_UNDERFLOW, DECODE_OK, 0},
        {"bpt trap 0x1\n", MP_BREAKPOINT, DECODE_OK, 0},
        {"long mov b32 $r0 $r1\n", MP_DECODE_ERROR, DECODE_ILLEGAL_INSTR_ENCODING, 8},
        {".b32 0x00000000 0x40000000\n", MP_DECODE_ERROR, DECODE_ILLEGAL_INSTR_ENCODING, 0},
        {".b32 0x00005cc5 80000000\n", MP_DECODE_ERROR, DECODE_MISALIGNED_REG, 0},
        {"suq dims $r0 img[0x0]\n", MP_DECODE_ERROR, DECODE_ILLEGAL_INSTR_ENCODING, 0},
        {"suq rgba $r0 img[$r1]\n", MP_DECODE_ERROR, DECODE_ILLEGAL_INSTR_ENCODING, 0},
        {"loop: bra #loop\n", MP_TIMEOUT, DECODE_OK, 0},
        {"loop: call #loop\n", MP_STACK_OVERFLOW, DECODE_OK, 0},
    };
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        char text[128];
        snprintf(text, sizeof text, i == 0 ? "long %s" : "%s", wrong[i].text);
        if (i == 5)
            snprintf(text, sizeof text, ".b32 0x00005cc5 0x80000000\n");
        CASE_AT(c, simd_best(), PROGRAM_CP, ISA_GF100, LANES_ALL, text);
        case_fails(&c, wrong[i].code, wrong[i].decode, wrong[i].address, LANES_ALL);
    }
}

enum { RANDOM_BUDGET = 500 };

/* At the end of a warp of 32 lanes all lanes have exited; lanes at a barrier, or with an error, have
 * not. An error has a code; only a wrong encoding has a decode error. A warp without time has used
 * all of its budget. */
static void check_end(const struct warp *w, enum warp_status status) {
    const struct warp_error *e = &w->error;
    assert_in_range(status, WARP_DONE, WARP_ERROR);
    assert_int_equal(w->active == 0, status == WARP_DONE);
    assert_int_equal(w->exited == LANES_ALL, status == WARP_DONE);
    assert_in_range(w->executed, 0, RANDOM_BUDGET);
    if (status != WARP_ERROR)
        return;
    assert_in_range(e->code, MP_NONE + 1, MP_STACK_OVERFLOW);
    assert_int_equal(e->decode != DECODE_OK, e->code == MP_DECODE_ERROR);
    assert_int_equal(e->lanes, w->active);
    if (e->code == MP_TIMEOUT)
        assert_int_equal(w->executed, RANDOM_BUDGET);
}

/* Random words as programs end in a result or a named error, and in nothing else. */
TEST(test_random_programs) {
    uint64_t seed = 7;
    uint32_t ends[WARP_RUNNING] = {0};
    for (int n = 0; n < 3000; n++) {
        enum { WORDS = 24 };
        static const enum isa_variant variants[] = {ISA_GF100, ISA_GK104, ISA_G64};
        uint32_t w[WORDS];
        struct program_header header = {.reg_count = 63, .local_size = CASE_LOCAL};
        struct program_error error;
        const enum isa_variant variant = variants[n % 3];
        for (int i = 0; i < WORDS; i++) {
            w[i] = (uint32_t)random_next(&seed);
        }
        for (int i = 0; i < WORDS; i += 2) {
            if (variant == ISA_G64) { /* makes most words legal */
                w[i] &= 0xffffdc00;
                w[i + 1] &= 0x00ffffff;
            } else {
                w[i] = (w[i] & ~0x3c08u) | 0x1c00;
            }
        }
        CASE_AT(c, simd_best(), PROGRAM_CP, variant, LANES_ALL,
                variant == ISA_G64 ? "EXIT" : "exit");
        program_unref(c.program);
        c.program = program_from_words(PROGRAM_CP, variant, &header, w, WORDS, 0, 0, "r", &error);
        assert_non_null(c.program);
        c.env.program = c.program;
        c.env.budget = RANDOM_BUDGET;
        warp_start(c.w, &c.env, LANES_ALL, 0);
        const enum warp_status status = warp_run(c.w, &c.env);
        check_end(c.w, status);
        ends[status]++;
    }
    assert_true(ends[WARP_DONE] > 100 && ends[WARP_WAITING] && ends[WARP_ERROR] > 100);
}

/* What each test of $c holds for (fermi-isa.md §5). Tests 0 to 15 are bit masks of less, equal,
 * greater, unordered; 16 to 23 test flags; from 24 on tests are false. In flags, bit 0 is Z, then
 * S, C, O. */
static bool test_holds(unsigned test, unsigned flags) {
    const bool z = flags & 1, s = flags & 2, c = flags & 4, o = flags & 8;
    const bool holds[8] = {!o, !c, !s, !(c && !z), c && !z, s, c, o};
    const unsigned bit = z && s ? 8 : s ? 1 : z ? 2 : 4;
    return test < 16 ? test & bit : test < 24 && holds[test - 16];
}

TEST(test_flags) {
    FOR_EACH_LEVEL(level)
    for (unsigned test = 0; test < 32; test++) {
        char text[128];
        struct warp_case c;
        snprintf(text, sizeof text, "%s%s bra #A\nlong mov b32 $r1 0x2\nA: exit\n",
                 isa_fermi_tests[test], test == 15 ? "" : " $c");
        case_open_at(&c, level, PROGRAM_CP, ISA_GF100, LANES_ALL, text);
        c.w->r[1] = lanes_splat(7);
        for (unsigned lane = 0; lane < LANES; lane++) {
            c.w->c[0].z |= (lane & 1) << lane;
            c.w->c[0].s |= (lane >> 1 & 1) << lane;
            c.w->c[0].c |= (lane >> 2 & 1) << lane;
            c.w->c[0].o |= (lane >> 3 & 1) << lane;
        }
        case_run(&c);
        for (unsigned lane = 0; lane < LANES;
             lane++) { /* with O, signed tests are corrected (not checked) */
            const bool goes = c.w->r[1][lane] == 7;
            if (goes != test_holds(test, lane & 15) && !(lane & 8 && test > 0 && test < 15))
                fail_msg("%s, flags %x: %s", isa_fermi_tests[test], lane & 15,
                         goes ? "goes" : "stays");
        }
        case_close(&c);
    }
}
