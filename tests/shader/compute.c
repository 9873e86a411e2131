/* Compute blocks: the example kernels (demos/programs/compute) against plain C, stores of parts of
 * words, limits of launches. tests/shader/programs/grids.txt has the start state, barriers, turns
 * and errors. Blocks run one after the other here; tests/pipeline/compute.c has several threads. */
#include "tests/shader/job.h"

/* A launch, closed at the end of the C block. */
#define GRID(j, program, level, grid_x, grid_y, block_x, block_y)                                  \
    JOB(j, program, level, ((const uint16_t[]){grid_x, grid_y, 1}),                                \
        ((const uint16_t[]){block_x, block_y, 1}))

enum { TESLA, FERMI, G64, SETS };

static struct program *kernel(int set, const char *name) {
    static const struct {
        enum isa_variant variant;
        const char *folder;
    } sets[SETS] = {{ISA_G200, ""}, {ISA_GF100, "fermi/"}, {ISA_G64, "g64/"}};
    char path[256];
    struct program_error error;
    snprintf(path, sizeof path, "demos/programs/compute/%s%s", sets[set].folder, name);
    struct program *p = program_from_file(path, sets[set].variant, &error);
    if (!p)
        fail_msg("%s", error.text);
    return p;
}

#define FOR_EACH_SET(set, level)                                                                   \
    for (int set = 0; set < SETS; set++)                                                           \
    FOR_EACH_LEVEL(level)

/* Runs the job with one parameter. */
static void run_kernel(struct job *j, uint32_t param) {
    j->params[j->launch.param_count++] = param;
    job_succeeds(j);
    assert_int_equal(j->stats.bad_reads + j->stats.bad_writes, 0);
}

TEST(test_vector_add) {
    enum { N = 1000 };
    static float a[N], b[N], c[1024];
    for (int i = 0; i < N; i++) {
        a[i] = (float)i * 0.25f;
        b[i] = 100.f - (float)i;
    }
    FOR_EACH_SET(set, level) {
        memset(c, 0, sizeof c);
        GRID(j, kernel(set, "vector_add.cp"), level, 4, 1, 256, 1);
        bind(&j, 0, a, sizeof a);
        bind(&j, 1, b, sizeof b);
        bind(&j, 2, c, sizeof c);
        run_kernel(&j, N);
        for (int i = 0; i < 1024; i++)
            assert_true(c[i] == (i < N ? a[i] + b[i] : 0));
    }
}

/* Tesla's sums are of small integers, which are exact in any order. */
TEST(test_matrix_multiply) {
    enum { N = 48 };
    static float a[N * N], b[N * N], c[N * N];
    FOR_EACH_SET(set, level) {
        for (int i = 0; i < N * N; i++) {
            a[i] = set == TESLA ? (float)(i * 7 % 31 - 15) : (float)(i % 37) * 0.37f - 5;
            b[i] = set == TESLA ? (float)(i * 11 % 29 - 14) : (float)(i % 41) * 0.11f - 2;
        }
        memset(c, 0, sizeof c);
        GRID(j, kernel(set, "matrix_multiply.cp"), level, N / 16, N / 16, 16, 16);
        bind(&j, 0, a, sizeof a);
        bind(&j, 1, b, sizeof b);
        bind(&j, 2, c, sizeof c);
        run_kernel(&j, N);
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++) {
                float sum = 0;
                for (int k = 0; k < N; k++)
                    sum = fmaf(a[y * N + k], b[k * N + x], sum);
                assert_true(c[y * N + x] == sum);
            }
    }
}

TEST(test_histogram) {
    enum { N = 30011 };
    static uint8_t data[N];
    uint32_t expected[256] = {0};
    for (uint32_t i = 0; i < N; i++) {
        data[i] = (uint8_t)(i * i >> 5);
        expected[data[i]]++;
    }
    FOR_EACH_SET(set, level) {
        uint32_t counts[256] = {0};
        GRID(j, kernel(set, "histogram.cp"), level, 8, 1, 100, 1);
        bind(&j, 0, data, N);
        bind(&j, 1, counts, sizeof counts);
        run_kernel(&j, N);
        assert_memory_equal(counts, expected, sizeof expected);
    }
}

TEST(test_prefix_sum) {
    enum { N = 3001 };
    static const uint16_t sizes[] = {512, 100, 32, 1, 1024};
    static uint32_t in[N], out[N];
    for (uint32_t i = 0; i < N; i++)
        in[i] = i * 2654435761u >> 20;
    for (int set = 0; set < SETS; set++)
        for (size_t k = 0; k < LENGTH(sizes) - (set == TESLA); k++) {
            memset(out, 0, sizeof out);
            GRID(j, kernel(set, "prefix_sum.cp"), (enum simd_level)(k % (simd_best() + 1)), 1, 1,
                 sizes[k], 1);
            bind(&j, 0, in, sizeof in);
            bind(&j, 1, out, sizeof out);
            run_kernel(&j, N);
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
        GRID(j, kernel(FERMI, "tree_sum.cp"), level, 2, 1, 64, 1);
        bind(&j, 0, roots, sizeof roots);
        bind(&j, 1, nodes, sizeof nodes);
        bind(&j, 2, sums, sizeof sums);
        run_kernel(&j, THREADS);
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

/* Threads that are four bytes apart store 1, 2 or 4 bytes each. Only the stored bytes change, in
 * linear and in tiled memory (tiles of 64 bytes by four rows). */
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
        GRID(j, case_program(PROGRAM_CP, ISA_G200, text), simd_best(), 1, 1, 32, 1);
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

static void refuses(struct job *j, const char *reason) {
    const char *why = NULL;
    assert_null(cta_create(&j->env, &j->launch, &why));
    assert_non_null(strstr(why, reason));
}

/* The largest launch of each generation runs; the next larger one is refused. */
TEST(test_limits_of_launches) {
    enum { ON_TESLA = 1, ON_FERMI = 2, BOTH = 3 };
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
        {{513, 1, 1}, {1, 1, 1}, 0, 0, 0, ON_FERMI, "1 to 512 threads"},
        {{32, 32, 1}, {1, 1, 1}, 0, 0, 0, ON_FERMI, "1 to 512 threads"},
        {{1025, 1, 1}, {1, 1, 1}, 0, 0, 0, 0, "threads"},
        {{1, 1, 64}, {1, 1, 1}, 0, 0, 0, BOTH, ""},
        {{1, 1, 65}, {1, 1, 1}, 0, 0, 0, 0, "z at most 64"},
        {{1, 1, 1}, {0, 1, 1}, 0, 0, 0, 0, "at least one CTA"},
        {{1, 1, 1}, {1, 0, 1}, 0, 0, 0, 0, "at least one CTA"},
        {{1, 1, 1}, {3, 2, 1}, 0, 0, 0, BOTH, ""},
        {{1, 1, 1}, {1, 1, 1}, 64, 0, 0, BOTH, ""},
        {{1, 1, 1}, {1, 1, 1}, 65, 0, 0, 0, "64 parameter words"},
        {{1, 1, 1}, {1, 1, 1}, 0, 0x4000, 0, BOTH, ""},
        {{1, 1, 1}, {1, 1, 1}, 0, 0x4001, 0, ON_FERMI, "16 KiB"},
        {{1, 1, 1}, {1, 1, 1}, 0, 0xc000, 0, ON_FERMI, "16 KiB"},
        {{1, 1, 1}, {1, 1, 1}, 0, 0xc001, 0, 0, "KiB"},
        {{1, 1, 1}, {1, 1, 1}, 0, 0, 0x10000, BOTH, ""},
        {{1, 1, 1}, {1, 1, 1}, 0, 0, 0x10001, ON_FERMI, "64 KiB"},
    };
    for (size_t i = 0; i < 2 * LENGTH(rows); i++) {
        const size_t r = i / 2;
        const bool fermi = i & 1, right = rows[r].runs >> fermi & 1;
        const char *why = "";
        GRID(
            j,
            case_program(PROGRAM_CP, fermi ? ISA_GF100 : ISA_G200, fermi ? "exit\n" : "exit nop\n"),
            simd_best(), 1, 1, 1, 1);
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

TEST(test_impossible_launches) {
    GRID(j, case_program(PROGRAM_VP, ISA_G200, "exit nop\n"), simd_best(), 1, 1, 1, 1);
    refuses(&j, "not a compute program");
}
