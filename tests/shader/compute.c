/* Compute blocks: the example kernels against plain C, the start state, barriers, turns between
 * warps, and errors. Blocks run one after the other here; tests/pipeline/compute.c runs them on
 * several threads. */
#include "tests/shader/job.h"

/* A launch, closed at the end of the C block. */
#define GRID(j, program, grid_x, grid_y, block_x, block_y)                                         \
    JOB(j, program, simd_best(), ((const uint16_t[]){grid_x, grid_y, 1}),                          \
        ((const uint16_t[]){block_x, block_y, 1}));                                                \
    j.launch.grid_id = 0x77

static struct program *kernel(const char *name) {
    char path[256];
    struct program_error error;
    snprintf(path, sizeof path, "demos/programs/compute/%s", name);
    struct program *p = program_from_file(path, ISA_G200, &error);
    if (!p)
        fail_msg("%s", error.text);
    return p;
}

static void param(struct job *j, uint32_t v) {
    j->params[j->launch.param_count++] = v;
}

static void job_fails(struct job *j, enum mp_error code, uint16_t block, uint32_t warp,
                      bool deadlock) {
    assert_true(job_run(j));
    assert_string_equal(mp_error_name(j->error.warp.code), mp_error_name(code));
    assert_int_equal(j->error.at[0], block);
    assert_int_equal(j->error.warp_id, warp);
    assert_int_equal(j->error.deadlock, deadlock);
}

static void *buffer(size_t size) {
    return case_rows(size + 128);
}

TEST(test_vector_add) {
    enum { N = 1000 };
    float *a = buffer(4 * N), *b = buffer(4 * N), *c = buffer(4096);
    for (int i = 0; i < N; i++) {
        a[i] = (float)i * 0.25f;
        b[i] = 100.f - (float)i;
    }
    GRID(j, kernel("vector_add.cp"), 4, 1, 256, 1);
    bind(&j, 0, a, 4 * N);
    bind(&j, 1, b, 4 * N);
    bind(&j, 2, c, 4096);
    param(&j, N);
    job_succeeds(&j);
    for (int i = 0; i < 1024; i++)
        assert_true(c[i] == (i < N ? a[i] + b[i] : 0));
    assert_int_equal(j.stats.bad_reads + j.stats.bad_writes, 0);
    free(a);
    free(b);
    free(c);
}

TEST(test_matrix_multiply) {
    enum { N = 48 };
    float *a = buffer(4 * N * N), *b = buffer(4 * N * N), *c = buffer(4 * N * N);
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i * 7 % 31 - 15);
        b[i] = (float)(i * 11 % 29 - 14);
    }
    FOR_EACH_LEVEL(level) {
        memset(c, 0, 4 * N * N);
        GRID(j, kernel("matrix_multiply.cp"), N / 16, N / 16, 16, 16);
        j.env.simd = level;
        bind(&j, 0, a, 4 * N * N);
        bind(&j, 1, b, 4 * N * N);
        bind(&j, 2, c, 4 * N * N);
        param(&j, N);
        job_succeeds(&j);
        for (int y = 0; y < N; y++) {
            for (int x = 0; x < N; x++) {
                float sum = 0; /* of small integers: exact in any order */
                for (int k = 0; k < N; k++)
                    sum += a[y * N + k] * b[k * N + x];
                assert_true(c[y * N + x] == sum);
            }
        }
    }
    free(a);
    free(b);
    free(c);
}

TEST(test_histogram) {
    enum { N = 30011 };
    uint8_t *data = buffer(N);
    uint32_t expected[256] = {0};
    for (uint32_t i = 0; i < N; i++) {
        data[i] = (uint8_t)(i * i >> 5);
        expected[data[i]]++;
    }
    FOR_EACH_LEVEL(level) {
        uint32_t *counts = buffer(1024);
        GRID(j, kernel("histogram.cp"), 8, 1, 100, 1);
        j.env.simd = level;
        bind(&j, 0, data, N);
        bind(&j, 1, counts, 1024);
        param(&j, N);
        job_succeeds(&j);
        assert_memory_equal(counts, expected, sizeof expected);
        free(counts);
    }
    free(data);
}

TEST(test_prefix_sum) {
    enum { N = 3001 };
    static const uint16_t sizes[] = {512, 100, 32, 1};
    uint32_t *in = buffer(4 * N), *out = buffer(4 * N);
    for (uint32_t i = 0; i < N; i++)
        in[i] = i * 2654435761u >> 20;
    for (int k = 0; k < 4; k++) {
        memset(out, 0, 4 * N);
        GRID(j, kernel("prefix_sum.cp"), 1, 1, sizes[k], 1);
        bind(&j, 0, in, 4 * N);
        bind(&j, 1, out, 4 * N);
        param(&j, N);
        job_succeeds(&j);
        uint32_t sum = 0;
        for (int i = 0; i < N; i++)
            assert_int_equal(out[i], sum += in[i]);
    }
    free(in);
    free(out);
}

/* Threads that are four bytes apart store 1, 2 or 4 bytes each. Only these bytes change, in linear
 * and in tiled memory (tiles of 64 bytes by four rows). */
TEST(test_stores_side_by_side) {
    enum { BYTES = 512 };
    static const struct {
        const char *what;
        uint32_t bytes;
    } rows[] = {{"u8", 1}, {"u16", 2}, {"b32", 4}};
    for (size_t i = 0; i < 2 * LENGTH(rows); i++) {
        const bool tiled = i & 1;
        uint8_t out[BYTES], expected[BYTES];
        char text[256];
        memset(out, 0xee, sizeof out);
        memset(expected, 0xee, sizeof expected);
        snprintf(
            text, sizeof text,
            "cvt u32 $r1 u16 $r0l\nshl b32 $r2 $r1 2\nmov b32 $r3 0x11223344\nst %s g0[$r2] $r3\nexit nop\n",
            rows[i / 2].what);
        GRID(j, case_program(PROGRAM_CP, ISA_G200, text), 1, 1, 32, 1);
        j.g[0] =
            (struct global_view){.data = out, .limit = sizeof out, .tiled = tiled, .pitch = 512};
        job_succeeds(&j);
        for (uint32_t k = 0; k < 32; k++)
            memcpy(expected + (tiled && k >= 16 ? 256 - 64 : 0) + 4 * k,
                   (const uint8_t[]){0x44, 0x33, 0x22, 0x11}, rows[i / 2].bytes);
        if (memcmp(out, expected, sizeof out))
            fail_msg("%s, %s", rows[i / 2].what, tiled ? "tiled" : "linear");
    }
}

/* Thread ids, $physid, the s[] header and parameters, as every thread finds them. */
TEST(test_start_state) {
    enum { X = 5, Y = 3, Z = 4, THREADS = X * Y * Z };
    uint32_t *out = buffer(2 * THREADS * 16);
    GRID(j,
         case_program(PROGRAM_CP, ISA_G200,
                      "mov $r1 $physid\n"
                      "mov b32 $r2 0xff\nand b32 $r3 $r1 $r2\n"
                      "shr u32 $r1 $r1 8\nand b32 $r1 $r1 $r2\n"
                      "shl b32 $r1 $r1 5\nadd b32 $r1 $r1 $r3\n" /* warp * 32 + lane */
                      "mov b32 $r2 u16 s[0xc]\nmov b32 $r3 60\n"
                      "mul $r2 u16 $r2l u16 $r3l\nadd b32 $r1 $r1 $r2\n"
                      "shl b32 $r1 $r1 4\nmov b32 $r4 $r0\n"
                      "mov b32 $r5 u16 s[0x0]\nmov b32 $r6 b32 s[0x4]\n"
                      "mov b32 $r7 b32 s[0x14]\nst b128 g3[$r1] $r4q\nexit nop\n"),
         2, 7, X, Y);
    j.launch.threads[2] = Z;
    j.launch.grid[1] = 1;
    bind(&j, 3, out, 2 * THREADS * 16);
    param(&j, 1);
    param(&j, 0xabcdef01);
    job_succeeds(&j);
    for (uint32_t b = 0; b < 2; b++) {
        for (uint32_t t = 0; t < THREADS; t++) {
            const uint32_t *v = out + 4 * (b * THREADS + t);
            assert_int_equal(v[0], t % X | t / X % Y << 16 | t / X / Y << 26);
            assert_int_equal(v[1], 0x77);
            assert_int_equal(v[2], Y | Z << 16);
            assert_int_equal(v[3], 0xabcdef01);
        }
    }
    assert_int_equal(j.stats.bad_writes, 0);
    free(out);
}

/* Runs one block of 64 threads. The macro sets $c0 from the warp's number & 1: "e" holds in warp 0,
 * "lg" in warp 1. */
#define WARP_0_OR_1 "mov b32 $r2 32\nand b32 $c0 $r3 $r0 $r2\n"

static void run_two_warps(const char *text, uint32_t word[2]) {
    uint32_t *out = buffer(256);
    GRID(j, case_program(PROGRAM_CP, ISA_G200, text), 1, 1, 64, 1);
    bind(&j, 0, out, 256);
    job_succeeds(&j);
    memcpy(word, out, 8);
    free(out);
}

/* Warp 1 writes s[0x20] before the barrier; warp 0 reads it after. */
TEST(test_barrier_forms) {
    static const char *const bars[][2] = {
        {"bar inc wait 0x3 all", "bar inc wait 0x3 all"},
        {"bar inc wait 0xf 0x2", "bar inc wait 0xf 0x2"},
        {"bar inc wait 0x0 0x2", "bar inc 0x0 0x2"},
    };
    for (int i = 0; i < 3; i++) {
        char text[512];
        uint32_t word[2];
        snprintf(text, sizeof text,
                 WARP_0_OR_1 "mov b32 $r4 0\n(lg $c0) bra #W\n"
                             "%s\nld $r5 b32 s[0x20]\nst b32 g0[$r4] $r5\nexit nop\n"
                             "W: mov b32 $r5 1234\nst b32 s[0x20] $r5\n%s\nexit nop\n",
                 bars[i][0], bars[i][1]);
        run_two_warps(text, word);
        assert_int_equal(word[0], 1234);
    }
}

/* A barrier of all warps opens although one warp has ended. */
TEST(test_barrier_after_exit) {
    uint32_t word[2];
    run_two_warps(WARP_0_OR_1 "(lg $c0) ret\nbar inc wait 0x0 all\nmov b32 $r4 0\n"
                              "mov b32 $r5 7\nst b32 g0[$r4] $r5\nexit nop\n",
                  word);
    assert_int_equal(word[0], 7);
    run_two_warps(WARP_0_OR_1 "(e $c0) ret\nbar inc wait 0x0 all\nmov b32 $r4 0\n"
                              "mov b32 $r5 8\nst b32 g0[$r4] $r5\nexit nop\n",
                  word);
    assert_int_equal(word[0], 8);
}

/* Warp 0 spins on s[] until warp 1, which runs later, has written the word. */
TEST(test_spinning_warp_lets_others_run) {
    uint32_t word[2];
    run_two_warps(WARP_0_OR_1 "mov b32 $r4 0\n(lg $c0) bra #W\n"
                              "S: ld $r5 b32 s[0x20]\nand b32 $c1 # $r5 $r5\n(e $c1) bra #S\n"
                              "st b32 g0[$r4] $r5\nexit nop\n"
                              "W: mov b32 $r5 99\nst b32 s[0x20] $r5\nexit nop\n",
                  word);
    assert_int_equal(word[0], 99);
}

TEST(test_local_memory_is_per_thread) {
    uint32_t *out = buffer(512);
    GRID(j,
         case_program(PROGRAM_CP, ISA_G200,
                      "ld b32 $r4 l[0x4]\nadd b32 $r4 $r4 $r0\nst b32 l[0x4] $r4\n"
                      "bar inc wait 0x0 all\nld b32 $r4 l[0x4]\nshl b32 $r1 $r0 2\n"
                      "st b32 g0[$r1] $r4\nexit nop\n"),
         3, 1, 128, 1);
    bind(&j, 0, out, 512);
    job_succeeds(&j);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(out[i], i); /* l[] is zero again in every block */
    free(out);
}

/* With a time limit, a block goes on after its instruction budget. Each thread stores the number of
 * its rounds. */
TEST(test_overtime) {
    uint32_t out[64] = {0}, overtime = 0;
    GRID(j,
         case_program(PROGRAM_CP, ISA_G200,
                      "cvt u32 $r5 u16 $r0l\nshl b32 $r5 $r5 2\nmov b32 $r1 0\nmov b32 $r2 1\n"
                      "mov b32 $r3 50000\nH: add b32 $r1 $r1 $r2\nsub b32 $c0 $r4 $r1 $r3\n"
                      "(l $c0) bra #H\nst b32 g0[$r5] $r1\nexit nop\n"),
         1, 1, 64, 1);
    bind(&j, 0, out, sizeof out);
    j.env.budget = 1000;
    j.env.overtime = &overtime;
    job_succeeds(&j);
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[i], 50000);
}

TEST(test_errors) {
    /* warps 0 and 1 wait at different barriers, so neither opens */
    GRID(stuck,
         case_program(PROGRAM_CP, ISA_G200,
                      WARP_0_OR_1
                      "(lg $c0) bra #W\n"
                      "bar inc wait 0x0 all\nexit nop\nW: bar inc wait 0x1 all\nexit nop\n"),
         1, 1, 64, 1);
    job_fails(&stuck, MP_TIMEOUT, 0, 1, true);
    /* blocks from 5 on trap; the error names block 5, the lowest */
    GRID(traps,
         case_program(PROGRAM_CP, ISA_G200,
                      "mov b32 $r1 u16 s[0xc]\nmov b32 $r2 5\nset $c0 # ge u32 $r1 $r2\n"
                      "(lg $c0) bra #T\nexit nop\nT: trap\nlong nop\n"),
         40, 1, 40, 1);
    job_fails(&traps, MP_DECODE_ERROR, 5, 0, false);
    assert_int_equal(traps.error.warp.decode, DECODE_TRAP_INSTRUCTION);
    /* an endless loop */
    GRID(endless, case_program(PROGRAM_CP, ISA_G200, "H: bra #H\n"), 1, 1, 1, 1);
    endless.env.budget = 1 << 18;
    job_fails(&endless, MP_TIMEOUT, 0, 0, false);
    assert_int_equal(endless.stats.instructions, 1 << 18);
}

static void refuses(struct job *j, const char *reason) {
    const char *why = NULL;
    assert_null(cta_create(&j->env, &j->launch, &why));
    assert_non_null(strstr(why, reason));
}

/* The size of s[] is rounded up to 64 bytes: a store to its last word is kept, a store behind it is
 * dropped. */
TEST(test_shared_sizes) {
    static const struct {
        uint32_t asked, bytes;
    } rows[] = {{0x40, 0x40}, {0x41, 0x80}, {0x7f, 0x80},
                {0x80, 0x80}, {0x81, 0xc0}, {0x100, 0x100}};
    for (size_t i = 0; i < 2 * LENGTH(rows); i++) {
        const uint32_t last = rows[i / 2].bytes - 4 * !(i & 1);
        uint32_t out = 99;
        char text[192];
        snprintf(text, sizeof text,
                 "mov b32 $r1 0x%x\nmov b32 $r2 0x7\nst b32 s[$r1] $r2\nld b32 $r3 s[$r1]\n"
                 "mov b32 $r4 0x8000000\nst b32 wb g[$r4] $r3\nexit\n",
                 last);
        GRID(j, case_program(PROGRAM_CP, ISA_GF100, text), 1, 1, 32, 1);
        j.program->header.shared_size = rows[i / 2].asked;
        bind(&j, 0, &out, sizeof out);
        job_succeeds(&j);
        if (out != (i & 1 ? 0 : 7))
            fail_msg("s[0x%x] of 0x%x bytes", last, rows[i / 2].asked);
    }
}

/* The largest launch of each generation runs; the next larger one is refused. */
TEST(test_limits_of_launches) {
    enum { TESLA = 1, FERMI = 2, BOTH = 3 };
    static const struct {
        uint16_t block[3], grid[3];
        uint32_t params, shared, local;
        uint32_t runs; /* generations on which the launch runs */
        const char *why;
    } rows[] = {
        {{1, 1, 1}, {1, 1, 1}, 0, 0, 0, BOTH, ""},
        {{0, 1, 1}, {1, 1, 1}, 0, 0, 0, 0, "threads"},
        {{1, 0, 1}, {1, 1, 1}, 0, 0, 0, 0, "threads"},
        {{1, 1, 0}, {1, 1, 1}, 0, 0, 0, 0, "threads"},
        {{512, 1, 1}, {1, 1, 1}, 0, 0, 0, BOTH, ""},
        {{513, 1, 1}, {1, 1, 1}, 0, 0, 0, FERMI, "1 to 512 threads"},
        {{32, 32, 1}, {1, 1, 1}, 0, 0, 0, FERMI, "1 to 512 threads"},
        {{1025, 1, 1}, {1, 1, 1}, 0, 0, 0, 0, "threads"},
        {{1, 1, 64}, {1, 1, 1}, 0, 0, 0, BOTH, ""},
        {{1, 1, 65}, {1, 1, 1}, 0, 0, 0, 0, "z at most 64"},
        {{1, 1, 1}, {0, 1, 1}, 0, 0, 0, 0, "at least one CTA"},
        {{1, 1, 1}, {1, 0, 1}, 0, 0, 0, 0, "at least one CTA"},
        {{1, 1, 1}, {3, 2, 1}, 0, 0, 0, BOTH, ""},
        {{1, 1, 1}, {1, 1, 1}, 64, 0, 0, BOTH, ""},
        {{1, 1, 1}, {1, 1, 1}, 65, 0, 0, 0, "64 parameter words"},
        {{1, 1, 1}, {1, 1, 1}, 0, 0x4000, 0, BOTH, ""},
        {{1, 1, 1}, {1, 1, 1}, 0, 0x4001, 0, FERMI, "16 KiB"},
        {{1, 1, 1}, {1, 1, 1}, 0, 0xc000, 0, FERMI, "16 KiB"},
        {{1, 1, 1}, {1, 1, 1}, 0, 0xc001, 0, 0, "KiB"},
        {{1, 1, 1}, {1, 1, 1}, 0, 0, 0x10000, BOTH, ""},
        {{1, 1, 1}, {1, 1, 1}, 0, 0, 0x10001, FERMI, "64 KiB"},
    };
    for (size_t i = 0; i < 2 * LENGTH(rows); i++) {
        const size_t r = i / 2;
        const bool fermi = i & 1, right = rows[r].runs >> fermi & 1;
        const char *why = "";
        GRID(
            j,
            case_program(PROGRAM_CP, fermi ? ISA_GF100 : ISA_G200, fermi ? "exit\n" : "exit nop\n"),
            1, 1, 1, 1);
        memcpy(j.launch.threads, rows[r].block, sizeof rows[r].block);
        memcpy(j.launch.grid, rows[r].grid, sizeof j.launch.grid);
        static const uint32_t params[64];
        j.launch.params = params;
        j.launch.param_count = rows[r].params;
        j.program->header.shared_size = rows[r].shared;
        j.program->header.local_size = rows[r].local;
        struct cta *b = cta_create(&j.env, &j.launch, &why);
        if ((b != NULL) != right || (!right && !strstr(why, rows[r].why)))
            fail_msg("row %zu, %s: %s", r, fermi ? "Fermi" : "Tesla", b ? "launched" : why);
        cta_destroy(b);
    }
}

/* Constants that Fermi's launches provide: the sizes of block and grid and the parameters in c0,
 * the end of the stack in c1. */
TEST(test_constants_of_launches) {
    static const uint32_t expected[] = {2, 3, 4, 5, 6, 7};
    for (int way = 0; way < 3; way++) { /* gf100; gk104; gk104 with parameters at both places */
        const bool kepler = way, moved = way == 2;
        char text[512] = "";
        uint32_t out[9] = {0};
        for (uint32_t i = 0; i < 9; i++) {
            const uint32_t at = i < 6    ? 8 + 4 * i
                                : i == 8 ? 0x100
                                         : (moved ? 0x140 : 0x20) + 4 * (i - 6);
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used,
                     "mov b32 $r1 c%d[0x%x]\nst b32 wb g[$r0+0x%x] $r1\n", i == 8, at,
                     0x8000000 + 4 * i);
        }
        strcat(text, "exit\n");
        GRID(j, case_program(PROGRAM_CP, kepler ? ISA_GK104 : ISA_GF100, text), 5, 6, 2, 3);
        j.launch.threads[2] = 4;
        j.launch.grid[2] = 7;
        j.launch.param_count = 2;
        j.params[0] = 0x11223344, j.params[1] = 0x55667788;
        j.g[0] = (struct global_view){.data = (uint8_t *)out, .limit = sizeof out};
        job_succeeds(&j);
        assert_memory_equal(out, expected, sizeof expected);
        assert_int_equal(out[6], 0x11223344);
        assert_int_equal(out[7], 0x55667788);
        assert_int_equal(out[8], CASE_LOCAL);
    }
}

TEST(test_impossible_launches) {
    GRID(j, case_program(PROGRAM_VP, ISA_G200, "exit nop\n"), 1, 1, 1, 1);
    refuses(&j, "not a compute program");
}
