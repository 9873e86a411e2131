/* The colour ROP compared with a scalar reference in double precision: every factor, equation and
 * logic operation, random colours, several formats, write masks, partial lane masks, every SIMD
 * level. Also the conversions: every format must give the bits of format_encode() and
 * format_decode(). */
#include "tests/raster/fixture.h"

static crop_fn *select_level(enum simd_level level, const struct crop_key *k) {
    static crop_fn *(*const select[])(const struct crop_key *) = SIMD_TABLE(crop_select);
    return select[level](k);
}

struct pixel {
    double s[4], s1[4], d[4], c[4];
};

/* The factors of OpenGL 3.3, tables 4.1 and 4.2, in double precision. */
static double factor_value(uint16_t f, int i, const struct pixel *p) {
    const double sat = fmin(p->s[3], 1 - p->d[3]);
    const double base[] = {p->s[i], p->s[3], p->d[i],  p->d[3],
                           p->c[i], p->c[3], p->s1[i], p->s1[3]};
    static const uint16_t names[][2] = {{BLEND_SRC_COLOR, BLEND_ONE_MINUS_SRC_COLOR},
                                        {BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA},
                                        {BLEND_DST_COLOR, BLEND_ONE_MINUS_DST_COLOR},
                                        {BLEND_DST_ALPHA, BLEND_ONE_MINUS_DST_ALPHA},
                                        {BLEND_CONSTANT_COLOR, BLEND_ONE_MINUS_CONSTANT_COLOR},
                                        {BLEND_CONSTANT_ALPHA, BLEND_ONE_MINUS_CONSTANT_ALPHA},
                                        {BLEND_SRC1_COLOR, BLEND_ONE_MINUS_SRC1_COLOR},
                                        {BLEND_SRC1_ALPHA, BLEND_ONE_MINUS_SRC1_ALPHA}};
    for (size_t k = 0; k < LENGTH(names); k++)
        if (f == names[k][0] || f == names[k][1])
            return f == names[k][0] ? base[k] : 1 - base[k];
    return f == BLEND_ZERO ? 0 : f == BLEND_ONE || i == 3 ? 1 : sat;
}

static double blend_value(uint16_t equation, uint16_t sf, uint16_t df, int i,
                          const struct pixel *p) {
    const double s = p->s[i] * factor_value(sf, i, p), d = p->d[i] * factor_value(df, i, p);
    switch (equation) {
    case EQUATION_SUBTRACT:
        return s - d;
    case EQUATION_REVERSE_SUBTRACT:
        return d - s;
    case EQUATION_MIN:
        return fmin(p->s[i], p->d[i]);
    case EQUATION_MAX:
        return fmax(p->s[i], p->d[i]);
    default:
        return s + d;
    }
}

static double unit(double v) {
    return v > 0 ? v < 1 ? v : 1 : 0;
}

/* Blends one random block with the kernel. A result may differ from the exact value by at most
 * 0.501 of a code, so codes differ only where the exact value is near the middle between two
 * codes. */
static void check_blend(enum simd_level level, enum pixel_format format,
                        const struct blend_target *eq, uint64_t *seed) {
    struct color_state c = {.blend_color = {0.2f, 0.9f, 0.4f, 0.7f}};
    c.blend[0] = *eq;
    c.mask[0] = 15;
    struct crop_key k;
    crop_key_init(&k, format, &c, 0);
    u32x32 src[8], dst[MAX_WORDS] = {{0}}, old;
    static const float least_alpha[] = {-0.2f, -0.2f, 0.95f, 1};
    const float alpha = least_alpha[random_next(seed) % 4];
    for (int j = 0; j < 8; j++) {
        for (int i = 0; i < LANES; i++) {
            const float v = random_float(seed, j == 3 ? alpha : -0.2f, 1.2f);
            memcpy((char *)&src[j] + 4 * i, &v, 4);
        }
    }
    for (int i = 0; i < LANES; i++)
        dst[0][i] = (uint32_t)random_next(seed);
    old = dst[0];
    const lane_mask m = (lane_mask)random_next(seed) | 1;
    select_level(level, &k)(&k, src, dst, m);
    const struct format_info *info = format_info(format);
    for (int i = 0; i < LANES; i++) {
        struct pixel p;
        uint32_t rgba[4];
        const uint32_t word = old[i];
        format_decode(format, &word, rgba);
        for (int j = 0; j < 4; j++) {
            float f[3];
            memcpy(&f[0], (char *)&src[j] + 4 * i, 4);
            memcpy(&f[1], (char *)&src[4 + j] + 4 * i, 4);
            memcpy(&f[2], &rgba[j], 4);
            p.s[j] = unit(f[0]), p.s1[j] = unit(f[1]), p.d[j] = f[2], p.c[j] = c.blend_color[j];
        }
        if (!(m >> i & 1)) {
            assert_int_equal(dst[0][i], word);
            continue;
        }
        for (int j = 0; j < 4; j++) {
            const uint32_t bits = info->bits[j],
                           got = dst[0][i] >> info->shift[j] & ((1u << bits) - 1);
            const double exact = unit(blend_value(j == 3 ? eq->equation_a : eq->equation_rgb,
                                                  j == 3 ? eq->src_a : eq->src_rgb,
                                                  j == 3 ? eq->dst_a : eq->dst_rgb, j, &p)) *
                                 ((1u << bits) - 1);
            if (bits && fabs(got - exact) > 0.501)
                fail_msg("%s eq %x %x %x component %d: %u, exact %f", info->name, eq->equation_rgb,
                         eq->src_rgb, eq->dst_rgb, j, got, exact);
        }
    }
}

TEST(test_every_factor_and_equation) {
    const enum pixel_format formats[] = {FORMAT_RGBA8_UNORM,   FORMAT_BGRA8_UNORM,
                                         FORMAT_BGRX8_UNORM,   FORMAT_B5G6R5_UNORM,
                                         FORMAT_RGB10A2_UNORM, FORMAT_R8_UNORM};
    uint64_t seed = 3;
    for (int level = SIMD_BASE; level <= (int)simd_best(); level++) {
        for (size_t f = 0; f < sizeof(formats) / sizeof(*formats); f++) {
            for (int e = 0; e < BLEND_EQUATIONS; e++) {
                for (int s = 0; s < BLEND_FACTORS; s++) {
                    for (int d = 0; d < BLEND_FACTORS; d++) {
                        const int mixed = (s + 3 * d) % 4;
                        const struct blend_target eq = {
                            true,
                            (uint16_t)e,
                            (uint16_t)s,
                            (uint16_t)d,
                            (uint16_t)(mixed == 1 ? (e + 1) % BLEND_EQUATIONS : e),
                            (uint16_t)(mixed == 2 ? d : s),
                            (uint16_t)(mixed == 3 ? s : d)};
                        check_blend(level, formats[f], &eq, &seed);
                    }
                }
            }
        }
    }
}

/* The combinations of factors and equations that have kernels of their own, and similar
 * combinations that must not use these kernels. */
TEST(test_common_sums) {
    static const uint16_t sums[][4] = {
        {BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA, BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA},
        {BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA, BLEND_ONE, BLEND_ONE_MINUS_SRC_ALPHA},
        {BLEND_ONE, BLEND_ONE_MINUS_SRC_ALPHA, BLEND_ONE, BLEND_ONE_MINUS_SRC_ALPHA},
        {BLEND_ONE, BLEND_ONE, BLEND_ONE, BLEND_ONE},
        {BLEND_SRC_ALPHA, BLEND_ONE, BLEND_SRC_ALPHA, BLEND_ONE},
        {BLEND_DST_COLOR, BLEND_ZERO, BLEND_DST_COLOR, BLEND_ZERO},
        {BLEND_ONE, BLEND_ONE_MINUS_SRC_ALPHA, BLEND_ONE, BLEND_ONE},
        {BLEND_DST_COLOR, BLEND_ZERO, BLEND_ZERO, BLEND_ONE},
    };
    const enum pixel_format formats[] = {FORMAT_RGBA8_UNORM, FORMAT_BGRA8_UNORM};
    uint64_t seed = 8;
    for (int level = SIMD_BASE; level <= (int)simd_best(); level++) {
        for (size_t i = 0; i < 2 * 100 * sizeof(sums) / sizeof(*sums); i++) {
            const uint16_t *f = sums[i / 200];
            const uint16_t alpha = i % 50 == 49 ? EQUATION_SUBTRACT : EQUATION_ADD;
            const struct blend_target eq = {true, EQUATION_ADD, f[0], f[1], alpha, f[2], f[3]};
            check_blend(level, formats[i % 2], &eq, &seed);
        }
    }
}

/* Results for a float target are not clamped. */
TEST(test_float_blend_is_not_clamped) {
    const enum pixel_format formats[] = {FORMAT_RGBA32_FLOAT, FORMAT_RGBA16_FLOAT,
                                         FORMAT_RG16_FLOAT,   FORMAT_R16_FLOAT,
                                         FORMAT_RG32_FLOAT,   FORMAT_R32_FLOAT};
    for (size_t f = 0; f < LENGTH(formats); f++) {
        struct color_state c = {.mask = {15}};
        c.blend[0] = (struct blend_target){true,         EQUATION_ADD, BLEND_ONE, BLEND_ONE,
                                           EQUATION_ADD, BLEND_ONE,    BLEND_ONE};
        struct crop_key k;
        crop_key_init(&k, formats[f], &c, 0);
        u32x32 src[8] = {{0}}, dst[MAX_WORDS] = {{0}};
        for (int i = 0; i < 4; i++)
            src[i] = (u32x32)lanes_splat_f(3.5f - 2 * (float)i);
        for (int i = 0; i < 3; i++)
            select_level(simd_best(), &k)(&k, src, dst, LANES_ALL);
        uint32_t texel[4] = {dst[0][5], dst[1][5], dst[2][5], dst[3][5]}, rgba[4];
        format_decode(formats[f], texel, rgba);
        for (int i = 0; i < 4 && format_info(formats[f])->bits[i]; i++) {
            float v;
            memcpy(&v, &rgba[i], 4);
            assert_true(v == 3 * (3.5f - 2 * (float)i));
        }
    }
}

/* If an operation on numbers results in a NaN, its bits are 0xffc00000 on every host. The NaN of an
 * operand keeps its bits. */
TEST(test_nan_of_numbers) {
    static const struct {
        uint32_t src, dst, is;
        uint16_t equation, src_factor, dst_factor;
    } rows[] = {
        {0x7f800000, 0, 0xffc00000, EQUATION_ADD, BLEND_DST_COLOR, BLEND_ONE},
        {0x7f800000, 0xff800000, 0xffc00000, EQUATION_ADD, BLEND_ONE, BLEND_ONE},
        {0x7f800000, 0x7f800000, 0xffc00000, EQUATION_SUBTRACT, BLEND_ONE, BLEND_ONE},
        {0x7f800000, 0x7f800000, 0xffc00000, EQUATION_REVERSE_SUBTRACT, BLEND_ONE, BLEND_ONE},
        {0, 0xff800000, 0xffc00000, EQUATION_ADD, BLEND_ONE, BLEND_SRC_COLOR},
        {0x7fc00000, 0x3f800000, 0x7fc00000, EQUATION_ADD, BLEND_ONE, BLEND_ONE},
        {0x3f800000, 0x7fc00000, 0x7fc00000, EQUATION_ADD, BLEND_ONE, BLEND_ONE},
        {0x7fc12345, 0x3f800000, 0x7fc12345, EQUATION_ADD, BLEND_ONE, BLEND_ONE},
        {0x3f800000, 0xffffffff, 0xffffffff, EQUATION_SUBTRACT, BLEND_ONE, BLEND_ONE},
    };
    for (int level = SIMD_BASE; level <= (int)simd_best(); level++)
        for (size_t i = 0; i < LENGTH(rows); i++) {
            struct color_state c = {.mask = {15}};
            c.blend[0] = (struct blend_target){true,
                                               rows[i].equation,
                                               rows[i].src_factor,
                                               rows[i].dst_factor,
                                               rows[i].equation,
                                               rows[i].src_factor,
                                               rows[i].dst_factor};
            struct crop_key k;
            crop_key_init(&k, FORMAT_RGBA32_FLOAT, &c, 0);
            u32x32 src[8] = {{0}}, dst[MAX_WORDS] = {{0}};
            for (int j = 0; j < 4; j++) {
                src[j] = lanes_splat(rows[i].src);
                dst[j] = lanes_splat(rows[i].dst);
            }
            select_level(level, &k)(&k, src, dst, LANES_ALL);
            for (int j = 0; j < 4; j++)
                if (dst[j][7] != rows[i].is)
                    fail_msg("level %d, row %zu: %x", level, i, dst[j][7]);
        }
}

static uint32_t odd_word(uint64_t *seed) {
    static const uint32_t odd[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0xffffffff, 1,          0x3f800000,
                                   0xbf800000, 0x477fe000, 0x477ff000, 0x38800000,
                                   0x33000000, 0x33000001, 0x7f800001, 0x42ff0000};
    const uint32_t r = (uint32_t)random_next(seed);
    if (r % 4 == 0)
        return odd[r / 4 % 16];
    if (r % 4 == 1) /* near 0..1 */
        return 0x3f000000 + (uint32_t)random_next(seed) % 0x900000;
    return (uint32_t)random_next(seed) ^ (uint32_t)(random_next(seed) << 9);
}

/* Writes without blending, in all formats and with all masks, store the bits of format_encode()
 * under the mask. */
TEST(test_conversion_is_format_encode) {
    uint64_t seed = 11;
    for (int level = SIMD_BASE; level <= (int)simd_best(); level++) {
        for (int f = FORMAT_NONE + 1; f < FORMATS; f++) {
            const struct format_info *info = format_info(f);
            if (info->zeta || info->compressed || info->bytes == 12 || f == FORMAT_RGB9E5_FLOAT)
                continue;
            for (int round = 0; round < 64; round++) {
                struct color_state c = {.mask = {(uint8_t)(round < 32 ? 15 : round & 15)}};
                struct crop_key k;
                crop_key_init(&k, f, &c, 0);
                k.gathers_slowly = round & 2;
                u32x32 src[8] = {{0}}, dst[MAX_WORDS], old[MAX_WORDS];
                for (int i = 0; i < LANES; i++) {
                    for (int j = 0; j < 4; j++)
                        src[j][i] = odd_word(&seed), old[j][i] = (uint32_t)random_next(&seed);
                }
                memcpy(dst, old, sizeof(dst));
                const lane_mask m = round & 1 ? LANES_ALL : (lane_mask)random_next(&seed);
                select_level(level, &k)(&k, src, dst, m);
                for (int i = 0; i < LANES; i++) {
                    const uint32_t rgba[4] = {src[0][i], src[1][i], src[2][i], src[3][i]};
                    uint32_t texel[4] = {0};
                    format_encode(f, rgba, texel);
                    for (int w = 0; w < k.words; w++) {
                        const uint32_t bits = k.write_all ? UINT32_MAX : k.write_bits[w];
                        const uint32_t expect =
                            m >> i & 1 ? (texel[w] & bits) | (old[w][i] & ~bits) : old[w][i];
                        if (dst[w][i] != expect)
                            fail_msg("%s %s: %08x %08x %08x %08x word %d is %08x, expected %08x",
                                     simd_name(level), info->name, rgba[0], rgba[1], rgba[2],
                                     rgba[3], w, dst[w][i], expect);
                    }
                }
            }
        }
    }
}

/* The least linear value that format_encode() converts to `code` or a higher code. */
static float find_step(uint32_t code) {
    uint32_t low = 0, high = 0x3f800000; /* low is below the step */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2, rgba[4] = {middle};
        uint32_t texel;
        format_encode(FORMAT_RGBA8_SRGB, rgba, &texel);
        if ((texel & 255) >= code)
            high = middle;
        else
            low = middle;
    }
    float v;
    memcpy(&v, &high, sizeof v);
    return v;
}

/* The sRGB encoder is right on both sides of every step, with tables that are looked up
 * in memory and with tables in registers. */
TEST(test_srgb_steps) {
    struct color_state c = {.mask = {15}};
    struct crop_key k;
    crop_key_init(&k, FORMAT_BGRA8_SRGB, &c, 0);
    for (uint32_t code = 1; code < 256; code++) {
        const float at = find_step(code), below = nextafterf(at, 0);
        for (int run = 0; run < 2 * ((int)simd_best() + 1); run++) {
            u32x32 src[8] = {{0}}, dst[MAX_WORDS] = {{0}};
            src[0] = src[3] = (u32x32)lanes_splat_f(at);
            src[1] = src[2] = (u32x32)lanes_splat_f(below);
            k.gathers_slowly = run & 1;
            select_level(run / 2, &k)(&k, src, dst, LANES_ALL);
            uint32_t texel;
            const uint32_t rgba[4] = {src[0][0], src[1][0], src[2][0], src[3][0]};
            format_encode(FORMAT_BGRA8_SRGB, rgba, &texel);
            assert_int_equal(dst[0][9], texel);
            assert_int_equal(texel & 0xffffff, code << 16 | (code - 1) << 8 | (code - 1));
        }
    }
}

/* Between the steps the code does not change: all floats from 2^-14 to 1, with tables in
 * registers. */
TEST(test_srgb_floats) {
    struct color_state c = {.mask = {15}};
    struct crop_key k;
    crop_key_init(&k, FORMAT_RGBA8_SRGB, &c, 0);
    k.gathers_slowly = true;
    crop_fn *const pack = select_level((int)simd_best(), &k);
    uint32_t code = 0, next = float_bits(find_step(1));
    for (uint32_t bits = float_bits(0x1p-14f); bits < float_bits(1); bits += LANES) {
        const u32x32 src[8] = {[1] = bits + lanes_iota()};
        u32x32 dst[MAX_WORDS], is = lanes_splat(code << 8);
        while (next < bits + LANES) {
            is += (u32x32)(src[1] >= next) & 0x100;
            next = ++code < 255 ? float_bits(find_step(code + 1)) : UINT32_MAX;
        }
        pack(&k, src, dst, LANES_ALL);
        if (lanes_to_mask((u32x32)(dst[0] != is)))
            fail_msg("codes of %08x and behind: %02x ... %02x", bits, dst[0][0] >> 8,
                     dst[0][31] >> 8);
    }
    assert_int_equal(code, 255);
}

/* The operands of blending: two source colours, the stored colour, the constant colour. */
struct operands {
    float s[4], s1[4], d[4], c[4];
};

/* One factor times a component, in single precision with a rounding after each operation. */
static float factor_times(uint16_t f, int i, float x, const struct operands *o) {
    switch (f) {
    case BLEND_ZERO:
        return 0;
    case BLEND_ONE:
        return x;
    case BLEND_SRC_ALPHA:
        return x * o->s[3];
    case BLEND_ONE_MINUS_SRC_ALPHA:
        return x * (1.0f - o->s[3]);
    case BLEND_SRC_COLOR:
        return x * o->s[i];
    case BLEND_ONE_MINUS_SRC_COLOR:
        return x * (1.0f - o->s[i]);
    case BLEND_DST_COLOR:
        return x * o->d[i];
    case BLEND_ONE_MINUS_DST_COLOR:
        return x * (1.0f - o->d[i]);
    case BLEND_DST_ALPHA:
        return x * o->d[3];
    case BLEND_ONE_MINUS_DST_ALPHA:
        return x * (1.0f - o->d[3]);
    case BLEND_CONSTANT_COLOR:
        return x * o->c[i];
    case BLEND_CONSTANT_ALPHA:
        return x * o->c[3];
    case BLEND_ONE_MINUS_CONSTANT_ALPHA:
        return x * (1.0f - o->c[3]);
    case BLEND_SRC1_COLOR:
        return x * o->s1[i];
    case BLEND_ONE_MINUS_SRC1_COLOR:
        return x * (1.0f - o->s1[i]);
    case BLEND_SRC1_ALPHA:
        return x * o->s1[3];
    case BLEND_ONE_MINUS_SRC1_ALPHA:
        return x * (1.0f - o->s1[3]);
    default:
        fail_msg("no sum below has factor %x", f);
        return 0;
    }
}

static float sum(uint16_t equation, uint16_t src, uint16_t dst, int i, const struct operands *o) {
    const float s = o->s[i], d = o->d[i];
    if (equation == EQUATION_MIN)
        return s < d ? s : d;
    if (equation == EQUATION_MAX)
        return s > d ? s : d;
    const float a = factor_times(src, i, s, o), b = factor_times(dst, i, d, o);
    return equation == EQUATION_REVERSE_SUBTRACT ? b - a : a + b;
}

/* A random texel without NaNs and infinities. */
static void random_texel(enum pixel_format f, uint64_t *seed, uint32_t texel[4]) {
    uint32_t rgba[4];
    for (int j = 0; j < 4; j++) {
        const float v = random_float(seed, -1.2f, 2);
        memcpy(&rgba[j], &v, sizeof v);
    }
    memset(texel, 0, 4 * sizeof texel[0]);
    format_encode(f, rgba, texel);
}

static void check_bits(enum simd_level level, enum pixel_format f, const struct blend_target *eq,
                       uint8_t mask, uint64_t *seed) {
    const struct format_info *info = format_info(f);
    const float low = info->type == COMPONENT_SNORM ? -1 : 0;
    struct color_state c = {.mask = {mask}, .blend_color = {0.3f, -0.5f, 1.5f, 0.6f}};
    struct crop_key k;
    u32x32 src[8], dst[MAX_WORDS] = {{0}}, old[MAX_WORDS];
    c.blend[0] = *eq;
    crop_key_init(&k, f, &c, 0);
    k.gathers_slowly = random_next(seed) & 1;
    for (int i = 0; i < LANES; i++) {
        uint32_t texel[4];
        random_texel(f, seed, texel);
        for (int j = 0; j < 8; j++) {
            const float v = random_float(seed, -1.2f, 2);
            memcpy((char *)&src[j] + 4 * i, &v, sizeof v);
        }
        for (int j = 0; j < 4; j++)
            dst[j][i] = texel[j];
    }
    memcpy(old, dst, sizeof old);
    select_level(level, &k)(&k, src, dst, LANES_ALL);
    for (int i = 0; i < LANES; i++) {
        const uint32_t stored[4] = {old[0][i], old[1][i], old[2][i], old[3][i]};
        uint32_t rgba[4], texel[4] = {0};
        struct operands o;
        format_decode(f, stored, rgba);
        for (int j = 0; j < 4; j++) {
            float *clamped[] = {&o.s[j], &o.s1[j], &o.c[j]};
            o.d[j] = bits_float(rgba[j]);
            o.s[j] = bits_float(src[j][i]);
            o.s1[j] = bits_float(src[4 + j][i]);
            o.c[j] = c.blend_color[j];
            for (int n = 0; n < 3 && info->type != COMPONENT_FLOAT; n++)
                *clamped[n] = *clamped[n] < low ? low : *clamped[n] > 1 ? 1 : *clamped[n];
        }
        for (int j = 0; j < 4; j++) {
            const float v = j < 3 ? sum(eq->equation_rgb, eq->src_rgb, eq->dst_rgb, j, &o)
                                  : sum(eq->equation_a, eq->src_a, eq->dst_a, j, &o);
            memcpy(&rgba[j], &v, sizeof v);
        }
        format_encode(f, rgba, texel);
        for (int w = 0; w < k.words; w++) {
            const uint32_t bits = k.write_all ? UINT32_MAX : k.write_bits[w];
            const uint32_t expect = (texel[w] & bits) | (stored[w] & ~bits);
            if (dst[w][i] != expect)
                fail_msg("%s %s eq %x %x %x, %x %x %x: word %d is %08x, expected %08x",
                         simd_name(level), info->name, eq->equation_rgb, eq->src_rgb, eq->dst_rgb,
                         eq->equation_a, eq->src_a, eq->dst_a, w, dst[w][i], expect);
        }
    }
}

/* Blending in every format, with equations that have kernels of their own, in several spellings,
 * and with other equations. The results have the bits of format_decode(), single precision
 * arithmetic, and format_encode(). */
TEST(test_blending_bits_of_every_format) {
    static const struct blend_target sums[] = {
#define SAME(eq, src, dst)                                                                         \
    {true, EQUATION_##eq, BLEND_##src, BLEND_##dst, EQUATION_##eq, BLEND_##src, BLEND_##dst}
        SAME(ADD, SRC_ALPHA, ONE_MINUS_SRC_ALPHA),
        SAME(ADD, ONE, ONE_MINUS_SRC_ALPHA),
        SAME(ADD, ONE, ONE),
        SAME(ADD, SRC_ALPHA, ONE),
        SAME(ADD, DST_COLOR, ZERO),
        SAME(ADD, ZERO, SRC_COLOR),
        SAME(ADD, ZERO, SRC_ALPHA),
        SAME(ADD, ONE_MINUS_DST_COLOR, ONE),
        SAME(ADD, DST_COLOR, SRC_COLOR),
        SAME(ADD, ONE, ONE_MINUS_SRC_COLOR),
        SAME(ADD, ZERO, ONE_MINUS_SRC_COLOR),
        SAME(ADD, ZERO, ONE_MINUS_SRC_ALPHA),
        SAME(ADD, ONE_MINUS_DST_ALPHA, DST_ALPHA),
        SAME(ADD, ONE_MINUS_DST_ALPHA, ONE),
        SAME(ADD, CONSTANT_ALPHA, ONE_MINUS_CONSTANT_ALPHA),
        SAME(ADD, CONSTANT_COLOR, ONE),
        SAME(ADD, ONE, SRC1_COLOR),
        SAME(ADD, ONE, ONE_MINUS_SRC1_COLOR),
        SAME(ADD, SRC1_COLOR, ONE_MINUS_SRC1_COLOR),
        SAME(ADD, SRC1_ALPHA, ONE_MINUS_SRC1_ALPHA),
        SAME(REVERSE_SUBTRACT, ONE, ONE),
        SAME(REVERSE_SUBTRACT, SRC_ALPHA, ONE),
        SAME(REVERSE_SUBTRACT, ZERO, SRC_COLOR),
        SAME(MIN, SRC_ALPHA, ZERO),
        SAME(MAX, ONE, ONE),
#undef SAME
        {true, EQUATION_ADD, BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA, EQUATION_ADD, BLEND_ONE,
         BLEND_ONE_MINUS_SRC_ALPHA},
        {true, EQUATION_ADD, BLEND_SRC_ALPHA, BLEND_ONE, EQUATION_ADD, BLEND_ONE, BLEND_ONE},
        {true, EQUATION_ADD, BLEND_DST_COLOR, BLEND_ZERO, EQUATION_ADD, BLEND_ZERO,
         BLEND_SRC_ALPHA},
        {true, EQUATION_ADD, BLEND_ONE, BLEND_ONE, EQUATION_MAX, BLEND_ONE, BLEND_ONE},
        {true, EQUATION_MAX, BLEND_ONE, BLEND_ONE, EQUATION_ADD, BLEND_ZERO, BLEND_ONE},
    };
    uint64_t seed = 23;
    for (int level = SIMD_BASE; level <= (int)simd_best(); level++) {
        for (int f = FORMAT_NONE + 1; f < FORMATS; f++) {
            const struct format_info *info = format_info(f);
            if (info->zeta || info->compressed || info->bytes == 12 || f == FORMAT_RGB9E5_FLOAT ||
                format_is_integer(f))
                continue;
            for (size_t i = 0; i < 4 * LENGTH(sums); i++)
                check_bits(level, f, &sums[i / 4], i % 4 == 3 ? 7 : i % 4 == 2 ? 10 : 15, &seed);
        }
    }
}

TEST(test_logic_operations) {
    uint64_t seed = 17;
    for (uint16_t op = LOGIC_OP_CLEAR; op <= LOGIC_OP_SET; op++) {
        struct color_state c = {.mask = {15}, .logic_op_enable = true, .logic_op = op};
        struct crop_key k;
        crop_key_init(&k, FORMAT_RGBA8_UINT, &c, 0);
        u32x32 src[8] = {{0}}, dst[MAX_WORDS] = {{0}};
        const uint32_t old = (uint32_t)random_next(&seed), s = (uint32_t)random_next(&seed);
        dst[0] = lanes_splat(old);
        for (int i = 0; i < 4; i++)
            src[i] = lanes_splat(s >> (8 * i) & 255);
        select_level(simd_best(), &k)(&k, src, dst, LANES_ALL);
        /* truth table of each operation: bit 2 * s + d is the result, OpenGL table 4.3 */
        static const uint8_t truth[16] = {0x0, 0x8, 0x4, 0xc, 0x2, 0xa, 0x6, 0xe,
                                          0x1, 0x9, 0x5, 0xd, 0x3, 0xb, 0x7, 0xf};
        for (int bit = 0; bit < 32; bit++) {
            const int row = (int)(s >> bit & 1) * 2 + (int)(old >> bit & 1);
            assert_int_equal(dst[0][7] >> bit & 1, truth[op & 15] >> row & 1);
        }
    }
}
