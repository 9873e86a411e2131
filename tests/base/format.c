/* Pixel formats: hardware codes against tesla-3d.md §4.1, known texels, and round trips of every
 * value of the small formats. */
#include "base/bits.h"
#include "base/convert.h"
#include "base/format.h"
#include "base/srgb.h"
#include "tests/test.h"

#include <math.h>

/* ---- the reference: one component of one texel at a time, except for RGB9E5 ---- */

/* Converts the magnitude bits of an f32 to a float of 5 exponent bits and `mantissa` bits, rounded
 * to nearest even. Overflow carries into the pattern of infinity. The code uses integers, so that
 * MXCSR has no effect. */
static uint32_t narrow_float(uint32_t magnitude, int mantissa) {
    const int drop = 23 - mantissa;
    const int exponent = (int)(magnitude >> 23) - 127;
    if (exponent > 15)
        return 31u << mantissa;
    uint32_t m = magnitude & 0x7fffff;
    int shift = drop;
    uint32_t base;
    if (exponent >= -14) {
        base = (uint32_t)(exponent + 15) << mantissa;
    } else {
        if (exponent < -26)
            return 0;
        m |= 0x800000;
        shift += -14 - exponent;
        base = 0;
    }
    const uint32_t half = 1u << (shift - 1), rest = m & ((1u << shift) - 1);
    const uint32_t kept = base + (m >> shift);
    return kept + (rest > half || (rest == half && (kept & 1)));
}

static uint16_t f32_to_f16(float f) {
    const uint32_t u = float_bits(f), magnitude = u & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return 0x7fff;
    return (uint16_t)(u >> 16 & 0x8000) | (uint16_t)narrow_float(magnitude, 10);
}

static float f16_to_f32(uint16_t h) {
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, m = h & 0x3ff;
    if (exponent == 31)
        return bits_float(sign | 0x7f800000 | m << 13);
    if (exponent)
        return bits_float(sign | (exponent + 112) << 23 | m << 13);
    /* a denormal is exact, and a normal f32 */
    return bits_float(sign | float_bits((float)m * 0x1p-24f));
}

/* f32 to an unsigned float of 11 or 10 bits (EXT_packed_float): negative values become 0, and
 * finite values that are too large become the greatest finite value. */
static uint32_t f32_to_unsigned_small(float f, int mantissa) {
    const uint32_t u = float_bits(f);
    if ((u & 0x7fffffff) > 0x7f800000)
        return (32u << mantissa) - 1;
    if (u >> 31)
        return 0;
    if (u == 0x7f800000)
        return 31u << mantissa;
    const uint32_t v = narrow_float(u, mantissa);
    return v < 31u << mantissa ? v : (31u << mantissa) - 1;
}

static int component_type(const struct format_info *info, int component) {
    return info->zeta && component == 1 ? COMPONENT_UINT : info->type;
}

static uint64_t texel_field(const uint8_t *texel, int shift, int bits) {
    uint64_t v = 0;
    for (int i = 0; i < (shift % 8 + bits + 7) / 8; i++)
        v |= (uint64_t)texel[shift / 8 + i] << (8 * i);
    return v >> (shift % 8) & ((1ull << bits) - 1);
}

static uint32_t unpack_float(uint32_t v, int bits) {
    return bits == 32   ? v
           : bits == 16 ? float_bits(f16_to_f32((uint16_t)v))
                        : float_bits(f16_to_f32((uint16_t)(v << (15 - bits))));
}

/* Returns v / max. For components of up to 16 bits the rule is a product with the rounded
 * reciprocal, which gives exactly 1 for max; for wider components it is a division. */
static float normalize(double v, double max) {
    return max > 65535.0 ? (float)v / (float)max : (float)v * (1.0f / (float)max);
}

/* The 32-bit word of a component that a program reads. */
static uint32_t unpack_component(uint32_t v, int bits, int type) {
    const int32_t s = (int32_t)(v << (32 - bits)) >> (32 - bits);
    switch (type) {
    case COMPONENT_UNORM:
        return float_bits(normalize(v, (double)((1ull << bits) - 1)));
    case COMPONENT_SNORM: {
        const float f = normalize(s, (double)((1ull << (bits - 1)) - 1));
        return float_bits(f < -1.0f ? -1.0f : f);
    }
    case COMPONENT_SINT:
        return (uint32_t)s;
    case COMPONENT_FLOAT:
        return unpack_float(v, bits);
    default:
        return v;
    }
}

static void reference_unpack(enum pixel_format f, const void *texel, uint32_t rgba[4]) {
    const struct format_info *info = format_info(f);
    rgba[0] = rgba[1] = rgba[2] = 0;
    rgba[3] = format_is_integer(f) ? 1 : float_bits(1.0f);
    for (int i = 0; i < 4; i++) {
        if (!info->bits[i])
            continue;
        const uint32_t v = (uint32_t)texel_field(texel, info->shift[i], info->bits[i]);
        rgba[i] = info->srgb && i < 3 ? srgb8_linear[v]
                                      : unpack_component(v, info->bits[i], component_type(info, i));
    }
}

static float clamp(float v, float low, float high) {
    return v > low ? (v < high ? v : high) : low; /* NaN gives low */
}

/* For components of up to 16 bits the scaled value is one f32 product, for wider ones a double
 * product; both are rounded to nearest even. */
static uint32_t pack_normalized(float v, int bits, float low) {
    const double max = (double)((1ull << (bits - (low < 0.0f))) - 1);
    if (!(v == v))
        v = 0.0f;
    v = clamp(v, low, 1.0f);
    const long n = bits <= 16 ? lrintf(v * (float)max) : lrint(v * max);
    return (uint32_t)n;
}

static uint32_t pack_component(uint32_t v, int bits, int type) {
    const uint32_t mask = (uint32_t)((1ull << bits) - 1);
    switch (type) {
    case COMPONENT_UNORM:
        return pack_normalized(bits_float(v), bits, 0.0f) & mask;
    case COMPONENT_SNORM:
        return pack_normalized(bits_float(v), bits, -1.0f) & mask;
    case COMPONENT_SINT: {
        const int32_t high = (int32_t)(mask >> 1), low = -high - 1, s = (int32_t)v;
        return (uint32_t)(s < low ? low : s > high ? high : s) & mask;
    }
    case COMPONENT_FLOAT:
        return bits == 32   ? v
               : bits == 16 ? f32_to_f16(bits_float(v))
                            : f32_to_unsigned_small(bits_float(v), bits - 5);
    default:
        return v < mask ? v : mask;
    }
}

static void reference_pack(enum pixel_format f, const uint32_t rgba[4], void *texel) {
    const struct format_info *info = format_info(f);
    uint8_t *out = memset(texel, 0, info->bytes);
    for (int i = 0; i < 4; i++) {
        const int bits = info->bits[i], shift = info->shift[i];
        if (!bits)
            continue;
        const uint32_t word =
            info->srgb && i < 3 ? float_bits(linear_to_srgb(bits_float(rgba[i]))) : rgba[i];
        const uint64_t v = (uint64_t)pack_component(word, bits, component_type(info, i))
                           << (shift % 8);
        for (int b = 0; b < (shift % 8 + bits + 7) / 8; b++)
            out[shift / 8 + b] |= (uint8_t)(v >> (8 * b));
    }
}

/* ---- tests ---- */

TEST(test_codes) {
    static const struct {
        enum pixel_format f;
        uint32_t color, zeta;
    } known[] = {
        {FORMAT_RGBA32_FLOAT, 0xc0, 0}, {FORMAT_RGBA16_FLOAT, 0xca, 0},
        {FORMAT_BGRA8_UNORM, 0xcf, 0},  {FORMAT_RGBA8_UNORM, 0xd5, 0},
        {FORMAT_R32_FLOAT, 0xe5, 0},    {FORMAT_R8_UNORM, 0xf3, 0},
        {FORMAT_Z32_FLOAT, 0, 0x0a},    {FORMAT_Z16_UNORM, 0, 0x13},
        {FORMAT_S8Z24, 0, 0x14},        {FORMAT_Z24S8, 0, 0x16},
        {FORMAT_Z32_FLOAT_S8, 0, 0x19}, {FORMAT_DXT1, 0, 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(format_color_code(known[i].f), known[i].color);
        assert_int_equal(format_from_zeta_code(known[i].zeta),
                         known[i].zeta ? known[i].f : FORMAT_NONE);
    }
    for (int f = FORMAT_NONE + 1; f < FORMATS; f++) {
        assert_true(format_info(f)->bytes > 0 && format_name(f)[0]);
        if (format_color_code(f))
            assert_int_equal(format_from_color_code(format_color_code(f)), f);
    }
    assert_int_equal(format_from_color_code(0), FORMAT_NONE);
    assert_int_equal(format_from_color_code(0xffffffff), FORMAT_NONE);
    assert_int_equal(format_from_zeta_code(0), FORMAT_NONE);
    assert_int_equal(format_info(FORMATS)->bytes, 0);
}

/* Components stay inside the texel and do not overlap. */
TEST(test_layouts) {
    for (int f = FORMAT_NONE + 1; f < FORMATS; f++) {
        const struct format_info *i = format_info(f);
        uint8_t taken[128] = {0};
        for (int c = 0; c < 4; c++)
            for (int b = 0; b < i->bits[c]; b++) {
                assert_true(i->shift[c] + b < 8 * i->bytes);
                assert_int_equal(taken[i->shift[c] + b]++, 0);
            }
    }
}

TEST(test_known_texels) {
    static const struct {
        enum pixel_format f;
        uint8_t texel[8];
        float rgba[4];
    } known[] = {
        {FORMAT_RGBA8_UNORM, {255, 0, 51, 102}, {1, 0, 0.2f, 0.4f}},
        {FORMAT_BGRA8_UNORM, {255, 0, 51, 0}, {0.2f, 0, 1, 0}},
        {FORMAT_BGRX8_UNORM, {0, 255, 0, 7}, {0, 1, 0, 1}},
        {FORMAT_B5G6R5_UNORM, {0x1f, 0x00}, {0, 0, 1, 1}},
        {FORMAT_BGR5A1_UNORM, {0x00, 0xfc}, {1, 0, 0, 1}},
        {FORMAT_A8_UNORM, {255}, {0, 0, 0, 1}},
        {FORMAT_RG8_SNORM, {0x80, 127}, {-1, 1, 0, 1}},
        {FORMAT_RG16_FLOAT, {0x00, 0x3c, 0x00, 0xc0}, {1, -2, 0, 1}},
        {FORMAT_R11G11B10_FLOAT, {0xc0, 0x03, 0x1e, 0x78}, {1, 1, 1, 1}},
        {FORMAT_RGB9E5_FLOAT, {0x00, 0x01, 0x02, 0x84}, {1, 1, 1, 1}},
        {FORMAT_RGBA8_SRGB, {255, 0, 0, 102}, {1, 0, 0, 0.4f}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint32_t rgba[4];
        format_decode(known[i].f, known[i].texel, rgba);
        for (int c = 0; c < 4; c++)
            if (fabsf(bits_float(rgba[c]) - known[i].rgba[c]) > 1e-7f)
                fail_msg("%s component %d: %g, want %g", format_name(known[i].f), c,
                         (double)bits_float(rgba[c]), (double)known[i].rgba[c]);
    }
    uint32_t z[4];
    format_decode(FORMAT_Z24S8, "\xff\xff\xff\x12", z);
    assert_true(bits_float(z[0]) == 1.0f && z[1] == 0x12);
    format_decode(FORMAT_S8Z24, "\x12\xff\xff\xff", z);
    assert_true(bits_float(z[0]) == 1.0f && z[1] == 0x12);
    format_decode(FORMAT_RGBA32_UINT, (uint32_t[]){1, 2, 3, 0xffffffff}, z);
    assert_int_equal(z[3], 0xffffffff);
    format_decode(FORMAT_R16_SINT, "\xfe\xff", z);
    assert_true(z[0] == 0xfffffffe && z[3] == 1);
}

/* Every value of each format of up to 16 bits survives unpacking and packing. */
TEST(test_round_trips) {
    for (int f = FORMAT_NONE + 1; f < FORMATS; f++) {
        const struct format_info *i = format_info(f);
        if (i->compressed || i->bytes > 2)
            continue;
        uint32_t used = 0;
        for (int c = 0; c < 4; c++)
            used |= i->bits[c] ? ((1u << i->bits[c]) - 1) << i->shift[c] : 0;
        for (uint32_t v = 0; v < 1u << (8 * i->bytes); v++) {
            uint8_t in[4] = {(uint8_t)v, (uint8_t)(v >> 8)}, out[4] = {0};
            uint32_t rgba[4];
            format_decode(f, in, rgba);
            if (bits_float(rgba[0]) != bits_float(rgba[0]) && i->type == COMPONENT_FLOAT)
                continue; /* NaN has one canonical code */
            format_encode(f, rgba, out);
            const uint32_t back = out[0] | (uint32_t)out[1] << 8;
            uint32_t again[4]; /* -1 has two SNORM codes, so values are compared */
            format_decode(f, out, again);
            if (i->type == COMPONENT_SNORM ? memcmp(rgba, again, 16) != 0 : back != (v & used))
                fail_msg("%s: %x became %x", i->name, v, back);
        }
    }
    for (uint32_t v = 0; v < 256; v++) { /* sRGB codes */
        uint8_t in[4] = {(uint8_t)v, (uint8_t)(255 - v), 7, 9}, out[4];
        uint32_t rgba[4];
        format_decode(FORMAT_RGBA8_SRGB, in, rgba);
        format_encode(FORMAT_RGBA8_SRGB, rgba, out);
        assert_memory_equal(in, out, 4);
    }
}

#define ROW_FUNCTION(name)                                                                         \
    static const __typeof__(&name##_base) name[SIMD_LEVELS] = SIMD_TABLE(name)
ROW_FUNCTION(format_decode_row);
ROW_FUNCTION(format_encode_row);

/* Packing and unpacking of rows gives the bits of the reference, for texels and numbers of all
 * kinds. */
static void check_rows(enum simd_level simd, enum pixel_format f, uint32_t seed) {
    const uint32_t bytes = format_info(f)->bytes, n = 1 + seed % FORMAT_ROW;
    static const float some[] = {0, -0.0f, 1, -1, 0.5f, 1e-9f, 300.5f, -7, 1e30f, INFINITY, NAN};
    uint8_t texels[FORMAT_ROW * 16], packed[FORMAT_ROW * 16 + 1], want[16];
    uint32_t rgba[4][FORMAT_ROW], one[4];
    random_start(seed);
    for (uint32_t i = 0; i < sizeof texels; i++)
        texels[i] = (uint8_t)random_word();
    format_decode_row[simd](f, texels, n, rgba);
    for (uint32_t i = 0; i < n; i++) {
        if (f == FORMAT_RGB9E5_FLOAT)
            format_decode(f, texels + i * bytes, one);
        else
            reference_unpack(f, texels + i * bytes, one);
        for (int c = 0; c < 4; c++)
            if (rgba[c][i] != one[c])
                fail_msg("%s %u.%d: %x, not %x", format_name(f), i, c, rgba[c][i], one[c]);
    }
    for (uint32_t i = 0; i < 4 * n; i++)
        if (i % 3)
            rgba[i % 4][i / 4] = i % 3 > 1
                                     ? random_word()
                                     : float_bits(some[random_below(11)] * (i % 5 ? 1 : 0.37f));
        else
            packed[n * bytes] = 0xa5;
    format_encode_row[simd](f, rgba, n, packed);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t word[4] = {rgba[0][i], rgba[1][i], rgba[2][i], rgba[3][i]};
        if (f == FORMAT_RGB9E5_FLOAT)
            format_encode(f, word, want);
        else
            reference_pack(f, word, want);
        if (memcmp(want, packed + i * bytes, bytes) != 0)
            fail_msg("%s, texel %u of %u: packed differently", format_name(f), i, n);
    }
    assert_int_equal(packed[n * bytes], 0xa5);
}

TEST(test_rows) {
    for (enum simd_level simd = SIMD_BASE; simd <= simd_best(); simd++)
        for (int f = FORMAT_NONE + 1; f < FORMATS; f++)
            for (uint32_t seed = 0; seed < 200 && !format_info(f)->compressed; seed++)
                check_rows(simd, f, seed * 2654435761u);
}

TEST(test_rounding) {
    static const struct {
        float v;
        uint8_t unorm, snorm;
    } known[] = {
        {0.5f, 128, 64}, {1.0f, 255, 127}, {2.0f, 255, 127}, {-1.0f, 0, 0x81},     {-9.0f, 0, 0x81},
        {NAN, 0, 0},     {0.002f, 1, 0},   {0.00196f, 0, 0}, {INFINITY, 255, 127},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const uint32_t rgba[4] = {float_bits(known[i].v)};
        uint8_t u, s;
        format_encode(FORMAT_R8_UNORM, rgba, &u);
        format_encode(FORMAT_R8_SNORM, rgba, &s);
        assert_int_equal(u, known[i].unorm);
        assert_int_equal(s, known[i].snorm);
    }
    const uint32_t big[4] = {300, (uint32_t)-300, 5, 0x80000000u};
    uint8_t t[4];
    format_encode(FORMAT_RGBA8_UINT, big, t);
    assert_memory_equal(t, "\xff\xff\x05\xff", 4);
    format_encode(FORMAT_RGBA8_SINT, big, t);
    assert_memory_equal(t, "\x7f\x80\x05\x80", 4);
}

TEST(test_half) {
    static const struct {
        float f;
        uint16_t h;
    } known[] = {
        {1.0f, 0x3c00},           {-2.0f, 0xc000},
        {65504.0f, 0x7bff},       {65520.0f, 0x7c00},
        {65519.0f, 0x7bff},       {0x1p-14f, 0x0400},
        {0x1p-24f, 0x0001},       {0x1p-25f, 0x0000},
        {0x1.8p-25f, 0x0001},     {0x1.8p-24f, 0x0002},
        {-0.0f, 0x8000},          {INFINITY, 0x7c00},
        {1.00048828125f, 0x3c00}, {1.00146484375f, 0x3c02},
        {0x1.ffcp-15f, 0x0400},   {NAN, 0x7fff},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (f32_to_f16(known[i].f) != known[i].h)
            fail_msg("%a became %04x, want %04x", (double)known[i].f, f32_to_f16(known[i].f),
                     known[i].h);
    for (uint32_t h = 0; h < 0x10000; h++) {
        const float f = f16_to_f32((uint16_t)h);
        if (f == f)
            assert_int_equal(f32_to_f16(f), h);
    }
}

/* Every half becomes an f32 and a half again, a warp at a time. A NaN becomes the half 0x7fff. */
TEST(test_half_lanes) {
    for (uint32_t first = 0; first < 0x10000; first += LANES) {
        u32x32 h;
        for (int i = 0; i < LANES; i++)
            h[i] = first + (uint32_t)i;
        const u32x32 f = lanes_from_half(h, false), back = lanes_to_half(f);
        for (int i = 0; i < LANES; i++) {
            const float want = f16_to_f32((uint16_t)h[i]);
            if (want == want)
                assert_true(f[i] == float_bits(want) && back[i] == h[i]);
            else
                assert_true(bits_float(f[i]) != bits_float(f[i]) && back[i] == 0x7fff);
        }
    }
}

TEST(test_srgb) {
    for (int i = 0; i <= 1000; i++) {
        const double l = i / 1000.0;
        const double s = l <= 0.0031308 ? 12.92 * l : 1.055 * pow(l, 1 / 2.4) - 0.055;
        assert_true(fabs(linear_to_srgb((float)l) - s) < 2e-7);
    }
    for (int i = 0; i < 256; i++) {
        const double s = i / 255.0;
        const double l = s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
        assert_true(bits_float(srgb8_linear[i]) == (float)l);
        assert_true(srgb8_linear[i] ==
                    ((uint32_t)srgb8_linear_halves[1][i] << 16 | srgb8_linear_halves[0][i]));
    }
    assert_true(linear_to_srgb(-1.0f) == 0.0f && linear_to_srgb(7.0f) == 1.0f);
}
