/* The start state of compute programs: every special register by number; the MP that each block of
 * a grid runs on; observers. */
#include "shader/cta.h"
#include "tests/shader/warp_case.h"

enum {
    WARP_ID = 45,
    PHYS_ID = 3 << 20 | 5 << 16,
    SIZE_X = 7,
    SIZE_Y = 5,
    SIZE_Z = 50,
    SHARED = 0x80
};

/* The registers of fermi-isa.md §2; a register that is not listed reads 0. */
static uint32_t fermi_register(uint32_t n, uint32_t lane) {
    const uint32_t t = WARP_ID * LANES + lane;
    const uint32_t id[3] = {t % SIZE_X, t / SIZE_X % SIZE_Y, t / SIZE_X / SIZE_Y};
    switch (n) {
    case 0:
        return lane;
    case 2:
        return 48 << 8 | 1 << 20;
    case 3:
        return (WARP_ID & 31) << 8 | 0x35 << 20;
    case 18:
        return 0x3f800000;
    case 32:
        return id[0] | id[1] << 16 | id[2] << 26;
    case 33:
    case 34:
    case 35:
        return id[n - 33];
    case 37:
    case 38:
    case 39:
        return 10 + n - 37;
    case 40:
        return SIZE_X | SIZE_Y << 16 | (uint32_t)SIZE_Z << 26;
    case 41:
        return SIZE_X;
    case 42:
        return SIZE_Y;
    case 43:
        return SIZE_Z;
    case 44:
        return 0x4321;
    case 45:
    case 46:
    case 47:
        return 20 + n - 45;
    case 48:
        return 0xfe000000;
    case 49:
    case 53:
        return 1 << 24;
    case 50:
        return SHARED;
    case 51:
        return 32;
    case 52:
        return 0xff000000;
    case 54:
        return CASE_LOCAL;
    case 56:
        return 1u << lane;
    case 57:
        return (1u << lane) - 1;
    case 58:
        return (2u << lane) - 1;
    case 59:
        return ~((2u << lane) - 1);
    case 60:
        return ~((1u << lane) - 1);
    case 80:
        return 1;
    default:
        return 0;
    }
}

/* generic64's sixteen registers: ids, sizes, lane, warp, clock, active lanes. */
static uint32_t g64_register(uint32_t n, uint32_t lane) {
    static const uint8_t as_fermi[12] = {33, 34, 35, 37, 38, 39, 41, 42, 43, 45, 46, 47};
    return n < 12    ? fermi_register(as_fermi[n], lane)
           : n == 12 ? lane
           : n == 13 ? WARP_ID
           : n == 14 ? 1
                     : 0x0fffffff;
}

static void check_special(enum simd_level level, enum isa_variant variant, uint32_t n) {
    static const char *const names[] = {"TIDX",  "TIDY",  "TIDZ",  "CTAX",  "CTAY",  "CTAZ",
                                        "NTIDX", "NTIDY", "NTIDZ", "NCTAX", "NCTAY", "NCTAZ",
                                        "LANE",  "WARP",  "CLOCK", "MASK"};
    char text[64];
    if (variant == ISA_G64)
        snprintf(text, sizeof text, "S2R R4, %s\nEXIT\n", names[n]);
    else
        snprintf(text, sizeof text, "mov b32 $r4 $sr%u\nexit\n", n);
    CASE_AT(c, level, PROGRAM_CP, variant, 0x0fffffff, text);
    c.w->warp_id = WARP_ID;
    c.w->phys_id = PHYS_ID;
    c.block.s_size = SHARED;
    c.block.grid_id = 0x4321;
    for (uint16_t i = 0; i < 3; i++) {
        c.block.at[i] = (uint16_t)(10 + i);
        c.block.grid[i] = (uint16_t)(20 + i);
    }
    c.block.size[0] = SIZE_X, c.block.size[1] = SIZE_Y, c.block.size[2] = SIZE_Z;
    case_run(&c);
    for (uint32_t lane = 0; lane < 28; lane++) {
        const uint32_t want = variant == ISA_G64 ? g64_register(n, lane) : fermi_register(n, lane);
        if (c.w->r[4][lane] != want)
            fail_msg("level %d, register %u, lane %u: %x, not %x", (int)level, n, lane,
                     c.w->r[4][lane], want);
    }
}

TEST(test_special_registers) {
    FOR_EACH_LEVEL(level) {
        for (uint32_t n = 0; n < 96; n++)
            check_special(level, ISA_GF100, n);
        for (uint32_t n = 0; n < 16; n++)
            check_special(level, ISA_G64, n);
    }
}

/* ---- blocks ---- */

/* A grid whose blocks store to words of g0[]. */
struct grid {
    struct program *program;
    struct global_view g[16];
    struct warp_env env;
    struct cta_launch launch;
    uint32_t out[1024];
};

static void grid_open(struct grid *j, enum isa_variant variant, const char *text,
                      const uint16_t grid[3], uint16_t threads) {
    memset(j, 0, sizeof *j);
    j->program = case_program(PROGRAM_CP, variant, text);
    j->g[0] = (struct global_view){.data = (uint8_t *)j->out, .limit = sizeof j->out};
    j->env = (struct warp_env){.program = j->program,
                               .simd = simd_best(),
                               .g = j->g,
                               .call_limit = UINT32_MAX,
                               .budget = 100000,
                               .native = test_native(simd_best())};
    j->launch =
        (struct cta_launch){.threads = {threads, 1, 1}, .grid = {grid[0], grid[1], grid[2]}};
}

static void grid_run(struct grid *j) {
    const char *why;
    struct warp_stats stats = {0};
    struct cta_error error;
    struct cta *b = cta_create(&j->env, &j->launch, &why);
    if (!b)
        fail_msg("%s", why);
    for (uint16_t z = 0; z < (j->launch.grid[2] ? j->launch.grid[2] : 1); z++)
        for (uint16_t y = 0; y < j->launch.grid[1]; y++)
            for (uint16_t x = 0; x < j->launch.grid[0]; x++)
                if (cta_run(b, x, y, z, &stats, &error))
                    fail_msg("block %u %u %u", x, y, z);
    cta_destroy(b);
    program_unref(j->program);
}

/* Blocks in row order go to the MPs of the first TPC, then to the MPs of the next TPC. After the
 * last TPC the first one follows again. */
TEST(test_places) {
    static const struct {
        uint8_t mps, tpcs;
    } chips[] = {{0, 0}, {1, 1}, {2, 1}, {1, 3}, {2, 3}, {3, 2}};
    for (size_t i = 0; i < 2 * LENGTH(chips); i++) {
        const bool fermi = i & 1;
        const uint32_t mps = chips[i / 2].mps ? chips[i / 2].mps : 1,
                       tpcs = chips[i / 2].tpcs ? chips[i / 2].tpcs : 1;
        struct grid j;
        if (fermi)
            grid_open(
                &j, ISA_GF100,
                "mov b32 $r1 $physid\nmov b32 $r2 $ctaidx\nmov b32 $r3 $ctaidy\nmov b32 $r4 0x5\n"
                "mul $r3 u32 $r3 u32 $r4\nadd b32 $r2 $r2 $r3\nshl b32 $r2 $r2 clamp 0x2\n"
                "st b32 wb g[$r2+0x8000000] $r1\nexit\n",
                (uint16_t[]){5, 3, 1}, 1);
        else
            grid_open(
                &j, ISA_G200,
                "mov $r1 $physid\nmov b32 $r2 u16 s[0xc]\nmov b32 $r3 u16 s[0xe]\nmov b32 $r4 5\n"
                "mul $r3 u16 $r3l u16 $r4l\nadd b32 $r2 $r2 $r3\nshl b32 $r2 $r2 2\n"
                "st b32 g0[$r2] $r1\nexit nop\n",
                (uint16_t[]){5, 3, 0}, 1);
        j.launch.mps = chips[i / 2].mps;
        j.launch.tpcs = chips[i / 2].tpcs;
        grid_run(&j);
        for (uint32_t n = 0; n < 15; n++) {
            const uint32_t mp = n % mps, tpc = n / mps % tpcs;
            const uint32_t want = fermi ? mp << 20 | tpc << 24 : mp << 16 | tpc << 20;
            if (j.out[n] != want)
                fail_msg("%u MPs, %u TPCs, block %u: %x, not %x", mps, tpcs, n, j.out[n], want);
        }
    }
}

static int begun, ended, blocks;

static void count_start(void *self, const struct warp *w, const struct warp_env *env) {
    (void)self, (void)w, (void)env;
    begun++;
}

static void count_end(void *self, const struct warp *w, const struct warp_env *env) {
    (void)self, (void)w, (void)env;
    ended++;
}

static void count_block(void *self, const struct warp *w, uint32_t count,
                        const struct warp_env *env) {
    (void)self, (void)w, (void)env;
    blocks += (int)count;
}

/* Each function of an observer is optional. The grid has two blocks of two warps; each warp waits
 * at a barrier once. */
TEST(test_observers) {
    for (int some = 0; some < 8; some++) {
        const struct warp_observer observer = {.start = some & 1 ? count_start : NULL,
                                               .end = some & 2 ? count_end : NULL,
                                               .cta = some & 4 ? count_block : NULL};
        struct grid j;
        begun = ended = blocks = 0;
        grid_open(&j, ISA_G200, "mov b32 $r1 1\nbar inc wait 0x3 all\nexit nop\n",
                  (uint16_t[]){2, 1, 0}, 64);
        j.env.observer = &observer;
        grid_run(&j);
        assert_int_equal(begun, some & 1 ? 4 : 0);
        assert_int_equal(ended, some & 2 ? 4 : 0);
        assert_int_equal(blocks, some & 4 ? 4 : 0);
    }
}
