/* Fermi memory instructions that handle all lanes at once must give what they give lane by lane:
 * the same registers, memory, l[], s[] and counts of bad accesses. Addresses are equal, dense,
 * apart, random, unaligned, and beyond the ends. The warp runs whole at every SIMD level, and as 32
 * warps of one lane. */
#include "base/memory.h"
#include "tests/random.h"
#include "tests/shader/warp_case.h"

enum {
    AT = 0x10000,
    BYTES = 0x400,
    IMAGE = 0x20000,
    IMAGE_BYTES = 0x1000,
    WORDS_OF_C1 = 48,
    SHARED = 256,
    REGISTERS = 24
};

static uint8_t start_g[BYTES], start_image[IMAGE_BYTES], start_s[SHARED];
static uint32_t c1[WORDS_OF_C1];

/* Instructions, a line each. */
static const char texts[] =
    "ld u8 $r8 ca g[$r2d+0x3]\nld s8 $r8 ca g[$r2d]\nld u16 $r8 ca g[$r2d+0x2]\n"
    "ld s16 $r8 ca g[$r2d]\nld b32 $r8 ca g[$r2d-0x4]\nld b64 $r8d ca g[$r2d]\n"
    "ld b128 $r8q ca g[$r2d+0x10]\nld b32 $r8 ca g[$r2]\nst u8 wb g[$r2d] $r4\n"
    "st u16 wb g[$r2d] $r4\nst b32 wb g[$r2d+0x4] $r4\nst b64 wb g[$r2d] $r4d\n"
    "st b128 wb g[$r2d] $r4q\nst b32 wb g[$r2] $r4\nld add u32 $r8 g[$r2d] $r4\n"
    "ld add f32 $r8 g[$r2d] $r4\nld min u32 $r8 g[$r2d] $r4\nld dec u32 $r8 g[$r2d] $r4\n"
    "ld or u32 $r8 g[$r2d] $r4\nld max s32 $r8 g[$r2d] $r4\nld inc u32 $r8 g[$r2d] $r4\n"
    "exch b32 $r8 g[$r2d] $r4\nexch b64 $r8d g[$r2d] $r4d\nred add u32 g[$r2d+0x8] $r4\n"
    "red xor u32 g[$r2d] $r4\nred max u32 g[$r2d] $r4\nred add f32 g[$r2d] $r4\n"
    "cas b32 $r8 g[$r2d] $r4 $r6\nld u8 $r8 s[$r2+0x1]\nld b32 $r8 s[$r2]\nld b64 $r8d s[$r2]\n"
    "ld b128 $r8q s[$r2]\nst u16 s[$r2] $r4\nst b32 s[$r2] $r4\nst b128 s[$r2] $r4q\n"
    "ld s8 $r8 ca l[$r2]\nld b32 $r8 ca l[$r2]\nld b64 $r8d ca l[$r2]\nld b128 $r8q ca l[$r2]\n"
    "ld b32 $r2 ca l[$r2+0x4]\nld b128 $r8q ca l[0x10]\nld b32 $r8 ca l[0x40]\n"
    "ld b64 $r8d ca l[0x3c]\nst u8 wb l[$r2] $r4\nst b32 wb l[$r2] $r4\nst b64 wb l[$r2] $r4d\n"
    "st b128 wb l[$r2] $r4q\nst b128 wb l[0x10] $r4q\nst b32 wb l[0x40] $r4\nld u16 $r8 c1[$r2]\n"
    "ld b32 $r8 c1[$r2+0x4]\nld b64 $r8d c1[$r2]\nsuldb u8 $r8 ca zero img[0x0] 2d $r12:$r13\n"
    "suldb b32 $r8 ca zero img[0x0] 2d $r12:$r13\nsuldb b64 $r8d ca zero img[0x4] 2d $r12:$r13\n"
    "suldb b128 $r8q ca zero img[0x2] 2d $r12:$r13\n"
    "suldb b32 $r8 ca clamp img[0x1] 2d $r12:$r13\nsuldb b32 $r8 ca zero img[$r14] 2d $r12:$r13\n"
    "sustb wb zero img[0x0] 2d $r12:$r13 b32 $r4\nsustb wb zero img[0x2] 2d $r12:$r13 b64 $r4d\n"
    "sustb wb zero img[0x2] 2d $r12:$r13 b128 $r4q\nsustb wb zero img[0x0] 2d $r12:$r13 u8 $r4\n"
    "sustb wb zero img[0x0] 2d $r12:$r13 u16 $r4\n"
    "sustp wb zero img[0x0] 2d $r16:$r17 $r4:$r5:$r6:$r7\n"
    "sustp wb zero img[0x2] 2d $r16:$r17 $r4:$r5:$r6:$r7\n"
    "sustp wb zero img[0x4] 2d $r16:$r17 $r4:$r5:$r6:$r7\n"
    "sustp wb zero img[0x3] 2d $r16:$r17 $r4:$r5:$r6:$r7\n"
    "sustp wb zero img[$r14] 2d $r16:$r17 $r4:$r5:$r6:$r7\n"
    "suleab $p0 $r8d b32 zero img[0x0] 2d $r12:$r13\n"
    "suleab $p0 $r8d b32 zero img[0x1] e2d $r18:$r19:$r20\n";

static const struct image_view images[WARP_IMAGES] = {
    {IMAGE, FORMAT_RGBA8_UNORM, 20, 12, false, 1}, {IMAGE, FORMAT_R32_UINT, 0x80, 7, true, 0},
    {IMAGE, FORMAT_RGBA32_UINT, 9, 8, false, 0},   {IMAGE, FORMAT_RG16_FLOAT, 9, 16, false, 2},
    {IMAGE, FORMAT_RGBA16_FLOAT, 11, 6, false, 0},
};

enum pattern { UNIFORM, DENSE, BLOCK, APART, FEW, RANDOM, LIMITS, PATTERNS };

/* Registers of a round: r2 an address; r4 to r7 data; r12, r13 and r18 to r20 coordinates in bytes;
 * r16 and r17 coordinates in texels; r14 an image. */
static void fill_registers(u32x32 r[REGISTERS], enum pattern pattern, uint32_t size, bool wide) {
    const uint32_t base = pattern == LIMITS ? size - 16 : random_below(size / 2) & ~15u;
    const uint32_t any = random_below(4) ? ~15u : ~0u; /* mostly aligned */
    /* DENSE: 4, 8 or 16 bytes from lane to lane, within the array if they fit */
    const uint32_t step = 4u << random_below(3), length = step * LANES;
    const uint32_t dense = length <= size ? random_below(size - length + 1) & ~15u : base;
    memset(r, 0, REGISTERS * sizeof *r);
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t offset[] = {[UNIFORM] = base,
                                   [DENSE] = dense + step * i,
                                   [BLOCK] = i / 8 * (size / 4) + i % 8 * step,
                                   [APART] = base + 16 * i,
                                   [FEW] = base + 4 * (random_word() & random_word() & 7),
                                   [RANDOM] = random_below(size) & any,
                                   [LIMITS] = base + i};
        r[2][i] = offset[pattern] + (wide ? AT : 0);
        r[3][i] = pattern == LIMITS && wide && random_below(8) == 0;
        for (int k = 4; k < 8; k++)
            r[k][i] = random_below(3) ? random_word() : 0x3f000000;
        r[12][i] = pattern == DENSE ? 4 * i : pattern == BLOCK ? i % 8 * step : random_below(100);
        r[13][i] = pattern == UNIFORM ? 5 : pattern == BLOCK ? i / 8 : random_below(16);
        r[14][i] = pattern == RANDOM ? random_below(5) : 3;
        for (int k = 16; k < 21; k++)
            r[k][i] = pattern == DENSE && k == 16   ? i
                      : pattern == BLOCK && k == 16 ? i % 8
                      : pattern == BLOCK && k == 17 ? i / 8
                                                    : random_below(14);
    }
}

/* The state that a run leaves. */
struct result {
    u32x32 r[12], local[CASE_LOCAL / 4];
    lane_mask p0;
    uint8_t g[BYTES], image[IMAGE_BYTES], shared[SHARED];
    uint64_t bad_reads, bad_writes;
};

static void run_lanes(const char *text, enum simd_level level, bool native, lane_mask m,
                      const u32x32 r[REGISTERS], struct gpu_memory *memory, struct result *result) {
    CASE_AT(c, level, PROGRAM_CP, ISA_GF100, m, text);
    c.env.memory = memory;
    c.env.image = images;
    c.env.native = native ? test_native_get(level) : NULL;
    c.env.c[1] = (struct const_view){(const uint8_t *)c1, sizeof c1};
    memcpy(c.w->r, r, REGISTERS * sizeof *r);
    memcpy(c.shared, result->shared, SHARED);
    memcpy(c.local, result->local, sizeof result->local);
    case_run(&c);
    for (int i = 0; i < 12; i++)
        lanes_store(&result->r[i], c.w->r[i], m);
    result->p0 = (result->p0 & ~m) | (c.w->fermi.p[0] & m);
    result->bad_reads += c.w->stats.bad_reads;
    result->bad_writes += c.w->stats.bad_writes;
    memcpy(result->shared, c.shared, SHARED);
    memcpy(result->local, c.local, sizeof result->local);
}

static void start_result(struct gpu_memory *memory, struct result *result) {
    memset(result, 0, sizeof *result);
    memcpy(memory_at(memory, AT, BYTES), start_g, BYTES);
    memcpy(memory_at(memory, IMAGE, IMAGE_BYTES), start_image, IMAGE_BYTES);
    memcpy(result->shared, start_s, SHARED);
    for (uint32_t i = 0; i < CASE_LOCAL / 4; i++)
        result->local[i] = (lanes_iota() + 1) * (0x1234567 * (i + 1));
}

static void end_result(struct gpu_memory *memory, struct result *result) {
    memcpy(result->g, memory_at(memory, AT, BYTES), BYTES);
    memcpy(result->image, memory_at(memory, IMAGE, IMAGE_BYTES), IMAGE_BYTES);
}

static void compare(const char *text, enum pattern pattern, const struct result *want,
                    const struct result *got) {
    const char *wrong = memcmp(want->r, got->r, sizeof want->r)               ? "registers"
                        : want->p0 != got->p0                                 ? "predicate"
                        : memcmp(want->local, got->local, sizeof want->local) ? "l[]"
                        : memcmp(want->g, got->g, BYTES)                      ? "g[]"
                        : memcmp(want->image, got->image, IMAGE_BYTES)        ? "image"
                        : memcmp(want->shared, got->shared, SHARED)           ? "s[]"
                        : want->bad_reads != got->bad_reads                   ? "bad reads"
                        : want->bad_writes != got->bad_writes                 ? "bad writes"
                                                                              : NULL;
    if (wrong)
        fail_msg("%s differ, addresses of kind %d: %s", wrong, pattern, text);
}

/* Runs text at every level with both engines. The reference is 32 warps of one lane if by_lane is
 * set, else the interpreter. */
static void try_text(const char *text, bool by_lane, enum pattern pattern,
                     struct gpu_memory *memory) {
    static struct result one, all;
    const bool local = strstr(text, " l["), wide = strstr(text, "g[$r2");
    const uint32_t size = local                  ? CASE_LOCAL
                          : strstr(text, " s[")  ? SHARED
                          : strstr(text, " c1[") ? sizeof c1
                                                 : BYTES;
    const lane_mask m = random_below(2) ? LANES_ALL : random_word() | 1;
    u32x32 r[REGISTERS];
    fill_registers(r, pattern, size, wide);
    start_result(memory, &one);
    for (int i = 0; by_lane && i < LANES; i++)
        if (m >> i & 1)
            run_lanes(text, SIMD_BASE, false, 1u << i, r, memory, &one);
    if (!by_lane)
        run_lanes(text, SIMD_BASE, false, m, r, memory, &one);
    end_result(memory, &one);
    FOR_EACH_LEVEL(level)
    for (int native = 0; native < 2; native++) {
        start_result(memory, &all);
        run_lanes(text, level, native, m, r, memory, &all);
        end_result(memory, &all);
        compare(text, pattern, &one, &all);
    }
}

/* Accesses to neighbouring words, which native code does in one step. In the last rows a store
 * before the load, a gap, or different guards prevent this. */
static const char *const groups[] = {
    "ld b32 $r8 s[$r2]\nld b32 $r9 s[$r2+0x4]\nld b32 $r10 s[$r2+0x8]\nld b32 $r11 s[$r2+0xc]\nexit\n",
    "ld b32 $r9 s[$r2+0x8]\nld b32 $r2 s[$r2+0xc]\nld b32 $r8 s[$r2+0x10]\nexit\n",
    "ld b32 $r9 ca g[$r2d]\nld b32 $r8 ca g[$r2d+0x4]\nld b32 $r11 ca g[$r2d+0x8]\nexit\n",
    "ld b32 $r9 ca g[$r2d]\nld b32 $r3 ca g[$r2d+0x4]\nld b32 $r11 ca g[$r2d+0x8]\nexit\n",
    "set $p1 0x1 lt u32 $r12 0x40\n$p1 ld b32 $r9 s[$r2]\n$p1 ld b32 $r8 s[$r2+0x4]\nexit\n",
    "st b32 s[$r2] $r4\nst b32 s[$r2+0x4] $r5\nst b32 s[$r2+0x8] $r6\nst b32 s[$r2+0xc] $r7\nexit\n",
    "st b32 wb g[$r2d] $r4\nst b32 wb g[$r2d+0x4] $r5\nst b32 wb g[$r2d+0x8] $r4\nexit\n",
    "st b32 wb g[$r2d] $r4\nld b32 $r8 ca g[$r2d+0x4]\nexit\n",
    "ld b32 $r8 s[$r2]\nld b32 $r9 s[$r2+0x8]\nld b64 $r10d s[$r2+0x10]\nexit\n",
    "set $p1 0x1 lt u32 $r12 0x28\n$p1 ld b32 $r9 s[$r2]\nld b32 $r8 s[$r2+0x4]\nexit\n",
};

static struct gpu_memory *open_memory(void) {
    struct gpu_memory *memory = memory_create(1 << 20, -1);
    assert_non_null(memory);
    assert_true(memory_alloc_at(memory, AT, BYTES));
    assert_true(memory_alloc_at(memory, IMAGE, IMAGE_BYTES));
    random_start(43);
    for (uint32_t i = 0; i < BYTES; i++)
        start_g[i] = (uint8_t)random_word();
    for (uint32_t i = 0; i < IMAGE_BYTES; i++)
        start_image[i] = (uint8_t)random_word();
    for (uint32_t i = 0; i < SHARED; i++)
        start_s[i] = (uint8_t)random_word();
    for (uint32_t i = 0; i < WORDS_OF_C1; i++)
        c1[i] = random_word();
    return memory;
}

enum { ROUNDS = 12 };

TEST(test_together) {
    struct gpu_memory *memory = open_memory();
    for (const char *t = texts, *end; (end = strchr(t, '\n')); t = end + 1) {
        char text[80];
        snprintf(text, sizeof text, "%.*s\nexit\n", (int)(end - t), t);
        for (enum pattern p = 0; p < PATTERNS; p++)
            for (int round = 0; round < ROUNDS; round++)
                try_text(text, true, p, memory);
    }
    memory_destroy(memory);
}

TEST(test_groups) {
    struct gpu_memory *memory = open_memory();
    for (size_t t = 0; t < LENGTH(groups); t++)
        for (enum pattern p = 0; p < PATTERNS; p++)
            for (int round = 0; round < ROUNDS; round++)
                try_text(groups[t], false, p, memory);
    memory_destroy(memory);
}

/* A bit field of `a` from `start` on. Bits beyond the word are 0, or the sign. */
static uint32_t field(uint32_t a, uint32_t start, uint32_t length, bool sign) {
    const uint32_t top = start + length > 32 ? 31 : start + length - 1;
    uint32_t v = 0;
    for (uint32_t i = 0; i < 32; i++) {
        const bool inside = i < length && start + i < 32;
        const bool filled = sign && length && a >> (i < length ? 31 : top) & 1;
        v |= (inside ? a >> (start + i) & 1 : (uint32_t)filled) << i;
    }
    return v;
}

static uint32_t inserted(uint32_t into, uint32_t a, uint32_t start, uint32_t length) {
    for (uint32_t i = 0; i < length && start + i < 32; i++)
        into = (into & ~(1u << (start + i))) | (a >> i & 1) << (start + i);
    return into;
}

TEST(test_bit_fields) {
    random_start(44);
    FOR_EACH_LEVEL(level)
    for (int round = 0; round < 300; round++) {
        CASE_AT(c, level, PROGRAM_CP, ISA_GF100, LANES_ALL,
                "ext u32 $r8 $r2 $r4\next s32 $r9 $r2 $r4\nins b32 $r10 $r2 $r4 $r6\nexit\n");
        for (uint32_t i = 0; i < LANES; i++) {
            c.w->r[2][i] = random_word();
            c.w->r[4][i] = random_below(66) | random_below(40) << 8 | random_word() << 16;
            c.w->r[6][i] = random_word();
        }
        c.w->r[4][0] |= 0xffff;
        case_run(&c);
        for (int i = 0; i < LANES; i++) {
            const uint32_t a = c.w->r[2][i], b = c.w->r[4][i], start = b & 255, n = b >> 8 & 255;
            assert_int_equal(c.w->r[8][i], field(a, start, n, false));
            assert_int_equal(c.w->r[9][i], field(a, start, n, true));
            assert_int_equal(c.w->r[10][i], inserted(c.w->r[6][i], a, start, n));
        }
    }
}

/* Thread numbers in blocks with sides that are no powers of two. */
TEST(test_thread_numbers) {
    static const uint32_t sizes[][3] = {{7, 3, 5}, {33, 2, 1}, {1, 1, 64}, {64, 4, 2}, {5, 9, 2}};
    for (size_t k = 0; k < LENGTH(sizes); k++)
        for (uint32_t warp = 0; warp < 3; warp++) {
            CASE_AT(c, simd_best(), PROGRAM_CP, ISA_GF100, LANES_ALL,
                    "mov b32 $r1 $tidx\nmov b32 $r2 $tidy\nmov b32 $r3 $tidz\nexit\n");
            memcpy(c.block.size, sizes[k], sizeof sizes[k]);
            c.w->warp_id = warp;
            case_run(&c);
            for (uint32_t i = 0; i < LANES; i++) {
                const uint32_t t = warp * LANES + i, nx = sizes[k][0], ny = sizes[k][1];
                assert_int_equal(c.w->r[1][i], t % nx);
                assert_int_equal(c.w->r[2][i], t / nx % ny);
                assert_int_equal(c.w->r[3][i], t / nx / ny);
            }
        }
}
