/* The arithmetic of hosts without a floating-point mode (shader/alu/f32_plain.inc, f64_plain.inc)
 * gives the bits of this host in the same mode: all roundings, denormals kept or flushed, operands
 * at every edge. */
#include "shader/alu/f32.h"
#include "shader/alu/f64.h"
#include "tests/random.h"
#include "tests/test.h"

#if defined(FP_HOST_MODE) && defined(__SSE2__)
static unsigned plain_mode;
static unsigned plain_fp_mode(void) {
    return plain_mode;
}

#define fp_mode plain_fp_mode
#define f32_flushes plain_flushes
#define f32_operand plain_operand
#define f32_step plain_step
#define f32_narrow plain_narrow
#define f32_by_doubles plain_by_doubles
#define f32_host_add plain_add
#define f32_host_sub plain_sub
#define f32_host_mul plain_mul
#define f32_host_fma plain_fma
#include "shader/alu/f32_plain.inc"
#include "shader/alu/f64_plain.inc"
#undef fp_mode
#undef f32_host_add
#undef f32_host_sub
#undef f32_host_mul
#undef f32_host_fma

static const uint32_t edges[] = {0,          1,          0x007fffff, 0x00800000, 0x00800001,
                                 0x00ffffff, 0x01000000, 0x3f7fffff, 0x3f800000, 0x3f800001,
                                 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x33800000, 0x4b7fffff};

static uint32_t operand(uint64_t *seed) {
    enum { EDGES = sizeof edges / sizeof *edges };
    const uint32_t r = (uint32_t)random_next(seed), sign = r << 31;
    switch (r >> 1 & 3) {
    case 0:
        return sign | edges[(r >> 3) % EDGES];
    case 1: /* near the least normal number, or near the square root of it */
        return sign | ((r >> 3 & 1 ? 0x1f800000 : 0) + (r >> 4 & 0x1ffffff));
    default:
        return (uint32_t)random_next(seed);
    }
}

static u32x32 row(uint64_t *seed) {
    u32x32 v;
    for (int i = 0; i < LANES; i++)
        v[i] = operand(seed);
    return v;
}

static void same(const char *what, u32x32 a, u32x32 b, u32x32 c, u32x32 got, u32x32 right,
                 unsigned mode) {
    got = f32_canonical(got);
    right = f32_canonical(right);
    for (int i = 0; i < LANES; i++)
        if (got[i] != right[i])
            fail_msg("%s, mode %x: %08x %08x %08x gives %08x, not %08x", what, mode, a[i], b[i],
                     c[i], got[i], right[i]);
}

TEST(test_singles) {
    uint64_t seed = 1;
    const unsigned before = fp_mode();
    for (int n = 0; n < 200000; n++) {
        const u32x32 a = row(&seed), b = row(&seed);
        u32x32 c = row(&seed), right[3], got[3];
        const enum round_mode mode = (enum round_mode)(n & 3);
        if (n & 8) /* sums that cancel */
            c = (u32x32)((f32x32)a * -(f32x32)b) + (lanes_iota() & 1);
        plain_mode = n & 4 ? FP_PLAIN | FP_FLUSH : FP_PLAIN;
        fp_set_mode(plain_mode);
        right[0] = f32_host_add(a, c, mode);
        right[1] = f32_host_mul(a, b, mode);
        right[2] = f32_host_fma(a, b, c, mode);
        fp_set_mode(before);
        got[0] = plain_add(a, c, mode);
        got[1] = plain_mul(a, b, mode);
        got[2] = plain_fma(a, b, c, mode);
        same("sum", a, c, c, got[0], right[0], plain_mode);
        same("product", a, b, c, got[1], right[1], plain_mode);
        same("fma", a, b, c, got[2], right[2], plain_mode);
    }
}

static uint64_t bits64(uint64_t *seed) {
    return random_next(seed) << 24 ^ random_next(seed);
}

static uint64_t wide_operand(uint64_t *seed) {
    const uint64_t r = bits64(seed), kind = r >> 20 & 7;
    if (kind == 0)
        return (r >> 3 & 1) << 63 | (uint64_t)(r >> 4 & 3) << 52;
    if (kind == 1) /* denormals and small normals */
        return bits64(seed) & 0x801fffffffffffff;
    if (kind == 2) /* near 1 */
        return (bits64(seed) & 0x800fffffffffffff) | (1020 + (r >> 3 & 7)) << 52;
    if (kind == 3) /* the largest */
        return (bits64(seed) & F64_SIGN) | (F64_INF - 1 - (r >> 8 & 1));
    return bits64(seed);
}

TEST(test_doubles) {
    uint64_t seed = 2;
    for (int n = 0; n < 40000; n++) {
        const enum round_mode mode = (enum round_mode)(n & 3);
        union f64_lanes a, b, c, x, s, p;
        for (int i = 0; i < LANES; i++) {
            a.bits[i] = wide_operand(&seed);
            b.bits[i] = wide_operand(&seed);
            c.bits[i] = wide_operand(&seed);
            if (i & 1)
                c.value[i] = -(a.value[i] * b.value[i]);
        }
        x.v = f64_fma(a.v, b.v, c.v, mode);
        s.v = f64_add(a.v, c.v, mode);
        p.v = f64_mul(a.v, b.v, mode);
        plain_mode = FP_PLAIN | fp_rounding(mode);
        for (int i = 0; i < LANES; i++) {
            const uint64_t zero = (a.bits[i] ^ b.bits[i]) & F64_SIGN, one = 1023ull << 52;
            const uint64_t fma = f64_plain_fma(a.bits[i], b.bits[i], c.bits[i]);
            const uint64_t sum = f64_plain_fma(a.bits[i], one, c.bits[i]);
            const uint64_t product = f64_plain_fma(a.bits[i], b.bits[i], zero);
            if ((fma != x.bits[i] && x.value[i] == x.value[i]) ||
                (sum != s.bits[i] && s.value[i] == s.value[i]) ||
                (product != p.bits[i] && p.value[i] == p.value[i]))
                fail_msg("mode %d: %016llx %016llx %016llx", mode, (long long)a.bits[i],
                         (long long)b.bits[i], (long long)c.bits[i]);
        }
    }
}
#else
TEST(test_of_another_host) {
    skip();
}
#endif
