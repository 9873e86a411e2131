/* Conversions, special functions and double precision against references in plain scalar integers,
 * at every SIMD level. */
#include "shader/alu/sfu_figures.h"
#include "tests/shader/alu_fixture.h"

/* ---- conversions ---- */

enum {
    CVT = 0xa,
    CVT_SOURCE_32 = 1 << 14,
    CVT_SOURCE_SIGNED = 1 << 16,
    CVT_DEST_32 = 1 << 26,
    CVT_DEST_SIGNED = 1 << 27,
    CVT_ABS = 1 << 20,
    CVT_NEG = 1 << 29
};
#define CVT_I2F (1u << 30)
#define CVT_F2I (2u << 30)
enum { RN, RM, RP, RZ };

static uint32_t cvt_word(uint32_t bits, int round) {
    return 0x7c0 | bits | (uint32_t)round << 17;
}

/* True if kept + rest / (2 * half) is rounded up in magnitude. */
static bool goes_up(uint64_t kept, uint64_t rest, uint64_t half, int round, bool negative) {
    switch (round) {
    case RN:
        return rest > half || (rest == half && (kept & 1));
    case RM:
        return negative && rest;
    case RP:
        return !negative && rest;
    default:
        return false;
    }
}

/* flags: CVT_ABS, CVT_NEG; a zero can become negative. */
static uint32_t reference_int_to_f32(uint32_t v, bool is_signed, uint32_t flags, int round) {
    const bool below = is_signed && v >> 31;
    const bool negative = (below && !(flags & CVT_ABS)) != !!(flags & CVT_NEG);
    const uint64_t m = below ? -v : v;
    if (!m)
        return negative ? 0x80000000u : 0;
    int drop = top_bit(m) - 23;
    uint64_t kept = drop > 0 ? m >> drop : m << -drop;
    if (drop > 0)
        kept += goes_up(kept, m & ((1ull << drop) - 1), 1ull << (drop - 1), round, negative);
    return (negative ? 0x80000000u : 0) + ((uint32_t)(drop + 150) << 23) +
           (uint32_t)(kept - 0x800000);
}

static uint32_t reference_f32_to_int(uint32_t v, bool is_signed, int round) {
    const bool negative = v >> 31;
    const int e = (int)(v >> 23 & 0xff) - 150;
    if (is_nan(v) || is_zero(v))
        return 0;
    uint64_t m = (v & 0x7fffff) | 0x800000;
    if (e >= 9)
        m = 1ull << 40;
    else if (e >= 0)
        m <<= e;
    else if (e < -40)
        m = goes_up(0, 1, 2, round, negative);
    else
        m = (m >> -e) + goes_up(m >> -e, m & ((1ull << -e) - 1), 1ull << (-e - 1), round, negative);
    const uint64_t limit = is_signed  ? 0x7fffffffu + (uint64_t)negative
                           : negative ? 0
                                      : 0xffffffffu;
    m = m < limit ? m : limit;
    return (uint32_t)(negative ? -m : m);
}

TEST(test_cvt_int) {
    struct inputs in;
    uint32_t want[LANES];
    random_inputs(&in);
    for (int n = 0; n < ROUNDS; n++) {
        const int round = n & 3;
        const bool is_signed = n & 4;
        const uint32_t flags = (n & 8 ? CVT_ABS : 0) | (n & 16 ? CVT_NEG : 0);
        for (int i = 0; i < LANES; i++) {
            in.s[0][i] = random_integer();
            want[i] = reference_int_to_f32(in.s[0][i], is_signed, flags, round);
        }
        expect(LONG_W0(CVT),
               cvt_word(CVT_I2F | CVT_SOURCE_32 | CVT_DEST_32 | flags |
                            (is_signed ? CVT_SOURCE_SIGNED : 0),
                        round),
               ISA_G80, 0, &in, want);
        for (int i = 0; i < LANES; i++) {
            in.s[0][i] = i & 1 ? want[i] ^ (random_word() & 0x80000003u) : random_f32();
            want[i] = reference_f32_to_int(in.s[0][i], is_signed, round);
        }
        expect(LONG_W0(CVT),
               cvt_word(CVT_F2I | CVT_SOURCE_32 | CVT_DEST_32 | (is_signed ? CVT_DEST_SIGNED : 0),
                        round),
               ISA_G80, 0, &in, want);
    }
}

/* An f16 that is widened and narrowed again is the same f16, in every rounding mode; all NaNs
 * become one NaN. */
TEST(test_cvt_f16) {
    struct inputs in = {0};
    uint32_t want[LANES];
    for (uint32_t h = 0; h < 0x10000; h += LANES) {
        for (uint32_t i = 0; i < LANES; i++) {
            const uint32_t v = h + i;
            in.s[0][i] = v;
            want[i] = (v & 0x7fff) > 0x7c00 ? 0x7fff : v;
        }
        /* $r7l = $r4l; the conversion f16 -> f16 goes through f32 */
        expect((uint32_t)CVT << 28 | 8 << 9 | 14 << 2 | 1, cvt_word(3u << 30, (int)(h / LANES & 3)),
               ISA_G80, 0, &in, want);
    }
}

/* ---- special functions ---- */

static uint64_t reference_square(uint64_t x) {
    uint64_t q = 0;
    for (int i = 0; i <= 16; i++)
        if (x >> i & 1)
            q += x >> (18 - i);
    return q >> 1;
}

struct rom_row {
    int64_t c0, c1, c2;
};

#define ROW(s, i, c0, c1, c2) {c0, c1, c2},
static const struct rom_row rom_rcp[] = {ROM_RCP(ROW, )}, rom_rsqrt[] = {ROM_RSQRT(ROW, )},
                            rom_lg2[] = {ROM_LG2(ROW, )}, rom_sin[] = {ROM_SIN(ROW, )},
                            rom_ex2[] = {ROM_EX2(ROW, )};

static uint32_t reference_rcp(uint32_t v) {
    const uint32_t sign = v & 0x80000000u, f = v & 0x7fffff, r = f & 0xffff;
    if (is_nan(v))
        return NAN_BITS;
    if (is_inf(v) || is_zero(v))
        return sign | (is_inf(v) ? 0 : INF_BITS);
    const struct rom_row c = rom_rcp[f >> 16];
    int64_t m = ((c.c0 << 13) + c.c1 * r + c.c2 * (int64_t)reference_square(2 * r) + 0x47e7) >> 15;
    int exponent = 253 - (int)(v >> 23 & 0xff);
    if (m == 1 << 24) {
        m >>= 1;
        exponent++;
    }
    return exponent <= 0 ? sign : sign | (uint32_t)exponent << 23 | ((uint32_t)m & 0x7fffff);
}

static uint32_t reference_rsqrt(uint32_t v) {
    if (is_zero(v))
        return (v & 0x80000000u) | INF_BITS;
    if (is_nan(v) || v >> 31)
        return NAN_BITS;
    if (is_inf(v))
        return 0;
    int e = (int)(v >> 23 & 0xff) - 127;
    const uint32_t g = (v & 0x7fffff) | (uint32_t)(e & 1) << 23, r = g & 0x1ffff;
    e >>= 1;
    if (!g)
        return (uint32_t)(127 - e) << 23;
    const struct rom_row c = rom_rsqrt[g >> 17];
    int64_t m =
        ((c.c0 << 14) + c.c1 * r + ((c.c2 * (int64_t)reference_square(r)) << 2) + 0x7fff) >> 16;
    return ((uint32_t)(126 - e) << 23) + (uint32_t)m - 0x800000;
}

/* t * 2^scale cut to 24 bits, t >= 0. */
static uint32_t cut(int64_t t, int scale, bool negative) {
    return exact_round((struct exact){negative, (unsigned __int128)t, scale}, true, false);
}

static uint32_t reference_lg2(uint32_t v) {
    if (is_zero(v))
        return 0x80000000u | INF_BITS;
    if (is_nan(v) || v >> 31)
        return NAN_BITS;
    if (is_inf(v))
        return v;
    const uint32_t f = v & 0x7fffff, r = f & 0x1ffff;
    const struct rom_row c = rom_lg2[f >> 17];
    int64_t t =
        ((c.c0 << 12) + c.c1 * r + ((c.c2 * (int64_t)reference_square(r)) * 2) + 0x3345) >> 2;
    if (v == 0x3f800000)
        t = 0;
    t += ((int64_t)(v >> 23) - 127) * (1ll << 36);
    return cut(t < 0 ? ~t : t, -36, t < 0);
}

static uint32_t reference_sin(uint32_t w) {
    uint32_t q = w >> 23 & 0xff, f = w & 0x7fffff;
    bool negative = w >> 31;
    if (w >> 30 & 1)
        return NAN_BITS;
    if (q & 1)
        f = ~f & 0x7fffff;
    negative ^= q >> 1 & 1;
    const struct rom_row c = rom_sin[f >> 17];
    const uint32_t r = f & 0x1ffff;
    return cut((c.c0 << 11) + c.c1 * r + c.c2 * (int64_t)reference_square(r), -37, negative);
}

static uint32_t reference_ex2(uint32_t w) {
    const bool negative = w >> 31;
    int n = (int)(w >> 23 & 0xff);
    uint32_t f = w & 0x7fffff;
    if (w >> 30 & 1)
        return w >> 23 & 1 ? negative ? 0 : INF_BITS : NAN_BITS;
    if (negative && f) {
        n = -n - 1;
        f = ~f & 0x7fffff;
    } else if (negative) {
        n = -n;
    }
    const struct rom_row c = rom_ex2[f >> 17];
    const uint32_t r = f & 0x1ffff;
    int64_t m = ((c.c0 << 13) + c.c1 * r + c.c2 * (int64_t)reference_square(r) + 0x77e2) >> 15;
    int exponent = n + 127 + (m == 1 << 24);
    if (exponent <= 0)
        return 0;
    return exponent >= 255 ? INF_BITS : (uint32_t)exponent << 23 | ((uint32_t)m & 0x7fffff);
}

static const struct {
    unsigned secondary;
    uint32_t (*reference)(uint32_t v);
} functions[] = {{0, reference_rcp},
                 {2, reference_rsqrt},
                 {3, reference_lg2},
                 {4, reference_sin},
                 {6, reference_ex2}};

/* Operands in strides through all fractions, with exponents of every kind. */
TEST(test_sfu) {
    struct inputs in = {0};
    uint32_t want[LANES];
    for (size_t k = 0; k < LENGTH(functions); k++) {
        for (uint32_t f = 0; f < 0x800000; f += 229) {
            for (uint32_t i = 0; i < LANES; i++) {
                const uint32_t v = i < 4 ? random_word() : (f + i) & 0x7fffff;
                in.s[0][i] = i < 4 ? v : v | (random_word() & 0xbf800000u);
                if (i >= 16)
                    in.s[0][i] = v | (i & 1 ? 0x3f000000u : 0x3f800000u);
                want[i] = functions[k].reference(in.s[0][i]);
            }
            /* no $c and no modifiers: the handler for plain registers runs if the conversion has
             * one */
            expect(LONG_W0(9), (uint32_t)functions[k].secondary << 29 | 0x780, ISA_G80, 0, &in,
                   want);
        }
    }
}

/* ---- double precision ---- */

/* D = $r10d, S1 = $r4d, S2 = $r6d, S3 = $r8d; $c0 written. */
#define DOUBLE_W0 (0xeu << 28 | 6 << 16 | 4 << 9 | 10 << 2 | 1)
#define DOUBLE_W1(secondary, round)                                                                \
    ((uint32_t)(secondary) << 29 | (uint32_t)(round) << 22 | 8 << 14 | 0x7c0)
/* cvt with the 64-bit selector: kind, D 64-bit, S 64-bit, more bits. */
#define CVT64_W0 (0xau << 28 | 4 << 9 | 10 << 2 | 1)
#define CVT64_W1(kind, d, s, more)                                                                 \
    ((uint32_t)(kind) << 30 | 1u << 22 | (d) << 26 | (s) << 14 | (more) | 0x7c0)

struct double_case {
    uint32_t w[2];
    uint64_t s[3], want;
    unsigned flags;
};

static void fill_doubles(struct warp *w, const void *data) {
    const struct double_case *c = data;
    for (int k = 0; k < 3; k++) {
        w->r[4 + 2 * k] = lanes_splat((uint32_t)c->s[k]);
        w->r[5 + 2 * k] = lanes_splat((uint32_t)(c->s[k] >> 32));
    }
}

TEST(test_double) {
    enum { DFMA = 2, SIGNED_S = 1 << 16, SIGNED_D = 1 << 27, UP = RP << 17 };
    const uint64_t one = 0x3ff0000000000000, tiny = 1, inf = 0x7ff0000000000000,
                   minus = 0x8000000000000000, half_ulp = 0x3ca0000000000000,
                   default_nan = 0xfff8000000000000;
    const struct double_case cases[] = {
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RN)}, {one, one, half_ulp}, one, 0},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RP)}, {one, one, half_ulp}, one + 1, 0},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RM)}, {one, one, half_ulp | minus}, one - 1, 0},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RN)}, {one, one, one | minus}, 0, 1},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RM)}, {one, one, one | minus}, minus, 1},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RN)}, {tiny, one, tiny}, 2, 0},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RN)}, {inf, 0, one}, default_nan, 3},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RN)}, {inf | 1, inf | 2, inf | 3}, inf | 2 | 1ull << 51, 3},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RN)}, {inf | 1, one, inf | 3}, inf | 3 | 1ull << 51, 3},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RN)}, {inf | 1, one, one}, inf | 1 | 1ull << 51, 3},
        /* f64 -> u32, s32, u64; flag O on NaN and where clamping changed the value */
        {{CVT64_W0, CVT64_W1(2, 0, 1, 0)}, {default_nan}, 0x80000000, 8 | 2},
        {{CVT64_W0, CVT64_W1(2, 0, 1, 0)}, {one | minus}, 0, 8 | 1},
        {{CVT64_W0, CVT64_W1(2, 0, 1, 0)}, {0x41f0000000000000}, 0xffffffff, 8 | 2},
        {{CVT64_W0, CVT64_W1(2, 0, 1, 0)}, {0x41efffffffe00000}, 0xffffffff, 2},
        {{CVT64_W0, CVT64_W1(2, 0, 1, SIGNED_D)}, {0xc1e0000000000000}, 0x80000000, 2},
        {{CVT64_W0, CVT64_W1(2, 1, 1, 0)}, {0x43f0000000000000}, ~0ull, 2},
        {{CVT64_W0, CVT64_W1(2, 1, 1, UP)}, {tiny}, 1, 0},
        /* integers and floats -> f64, f32; denormals stay */
        {{CVT64_W0, CVT64_W1(1, 1, 1, SIGNED_S)}, {minus}, 0xc3e0000000000000, 2},
        {{CVT64_W0, CVT64_W1(1, 1, 1, 0)}, {~0ull}, 0x43f0000000000000, 0},
        {{CVT64_W0, CVT64_W1(3, 1, 0, 0)}, {0x00000001}, 0x36a0000000000000, 0},
        {{CVT64_W0, CVT64_W1(3, 0, 1, 0)}, {0x3698000000000000}, 0x00000001, 0},
        {{CVT64_W0, CVT64_W1(3, 0, 1, UP)}, {tiny}, 0x00000001, 0},
        {{CVT64_W0, CVT64_W1(3, 0, 1, 0)}, {0x47effffff0000000}, 0x7f800000, 0},
        {{CVT64_W0, CVT64_W1(3, 0, 1, 0)}, {inf | minus | 1}, 0xffc00000, 3},
    };
    for (size_t n = 0; n < LENGTH(cases); n++) {
        const struct double_case *c = &cases[n];
        struct program *p = program_of(c->w[0], c->w[1], ISA_G200);
        assert_non_null(p);
        for (int simd = 0; simd <= (int)simd_best(); simd++) {
            run(p, (enum simd_level)simd, 0, LANES_ALL, fill_doubles, c);
            const uint64_t got = warp->r[10][9] | (uint64_t)warp->r[11][9] << 32;
            const unsigned flags = (warp->c[0].z & 1) | (warp->c[0].s & 1) << 1 |
                                   (warp->c[0].c & 1) << 2 | (warp->c[0].o & 1) << 3;
            if (got != c->want || flags != c->flags)
                fail_msg("case %zu, %s: %llx %x, not %llx %x", n, simd_name((enum simd_level)simd),
                         (unsigned long long)got, flags, (unsigned long long)c->want, c->flags);
        }
        program_unref(p);
    }
}
