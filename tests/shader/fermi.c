/* Compute programs of Fermi and generic64: the example kernels against plain C, places of branches,
 * barriers with reductions, doubles, random programs. tests/shader/programs/fermi.txt has small
 * programs and arithmetic. Inputs are demos/programs/compute and program texts. */
#include "shader/isa/table.h"
#include "tests/shader/job.h"
#include "tests/shader/random_words.h"
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

/* Makes a legal instruction of 8 bytes. Few of them branch, and these mostly within the program; few
 * are of the kinds that end in an error. */
static void any_instruction(struct isa_target target, uint32_t at, uint32_t bytes,
                            uint32_t pair[2]) {
    const struct isa *isa = isa_of(target.variant);
    for (;;) {
        const struct row *row = &isa->rows[random_below(isa->row_count)];
        const bool not_built =
            row->code == OP_VIDEO2 || row->code == OP_VIDEO4 || row->code == OP_SURFACE;
        struct op op;
        if (not_built && random_below(50))
            continue;
        if (random_below(8)) {
            if (straight_pair(target, row, pair))
                return;
            continue;
        }
        instance(isa, row, pair);
        isa_decode(target, pair, 2, at, &op);
        if (op.code != OP_ILLEGAL && op.words == 2 && (op.target < bytes || !random_below(50)))
            return;
    }
}

/* Random instructions as programs end in a result or a named error, and in nothing else. */
TEST(test_random_programs) {
    uint32_t ends[WARP_RUNNING] = {0};
    uint64_t executed = 0;
    random_start(7);
    for (int n = 0; n < 3000; n++) {
        enum { WORDS = 48 };
        static const enum isa_variant variants[] = {ISA_GF100, ISA_GK104, ISA_G64};
        const struct isa_target target = {variants[n % 3], PROGRAM_CP, SYNTAX_ENVYAS};
        const struct program_header header = {.reg_count = 63, .local_size = CASE_LOCAL};
        struct program_error error;
        uint32_t w[WORDS];
        CASE_AT(c, simd_best(), PROGRAM_CP, target.variant, LANES_ALL,
                target.variant == ISA_G64 ? "EXIT" : "long exit");
        memcpy(w + WORDS - 2, c.program->ops[0].w, 8);
        for (uint32_t i = 0; i < WORDS - 2; i += 2)
            any_instruction(target, 4 * i, sizeof w, w + i);
        program_unref(c.program);
        c.program =
            program_from_words(PROGRAM_CP, target.variant, &header, w, WORDS, 0, 0, "r", &error);
        assert_non_null(c.program);
        c.env.program = c.program;
        c.env.budget = RANDOM_BUDGET;
        warp_start(c.w, &c.env, LANES_ALL, 0);
        const enum warp_status status = warp_run(c.w, &c.env);
        check_end(c.w, status);
        ends[status]++;
        executed += c.w->executed;
    }
    assert_true(ends[WARP_DONE] > 2000 && ends[WARP_WAITING] && ends[WARP_ERROR] > 300);
    assert_true(executed > 3000 * 25);
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
