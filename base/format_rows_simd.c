/* Rows of texels to and from RGBA words, compiled per SIMD level: a register of texels at a time,
 * by the conversions of base/convert.h. In: texels side by side. Out: a row for each component, or
 * texels. Values beyond the n that a caller asks for are undefined. Knows no surfaces.
 */
#include "base/bits.h"
#include "base/convert.h"
#include "base/format.h"
#include "base/srgb.h"

#include <math.h>

/* Texels as little-endian words, word w of texel i in word[w][i]; no field crosses a word. */
struct words {
    uint32_t word[4][FORMAT_ROW] __attribute__((aligned(sizeof(u32xv))));
};

#define EACH(i) for (uint32_t i = 0; i < n; i++)
#define LOAD_NARROW(type)                                                                          \
    EACH(i) {                                                                                      \
        type v;                                                                                    \
        memcpy(&v, texels + i * sizeof v, sizeof v);                                               \
        w->word[0][i] = v;                                                                         \
    }
#define LOAD_WIDE(count)                                                                           \
    EACH(i) {                                                                                      \
        uint32_t v[count];                                                                         \
        memcpy(v, texels + i * sizeof v, sizeof v);                                                \
        for (int k = 0; k < count; k++)                                                            \
            w->word[k][i] = v[k];                                                                  \
    }

static void load_words(const uint8_t *texels, uint32_t bytes, uint32_t n, struct words *w) {
    switch (bytes) {
    case 1:
        LOAD_NARROW(uint8_t) break;
    case 2:
        LOAD_NARROW(uint16_t) break;
    case 4:
        LOAD_NARROW(uint32_t) break;
    case 8:
        LOAD_WIDE(2) break;
    case 12:
        LOAD_WIDE(3) break;
    case 16:
        LOAD_WIDE(4) break;
    }
}

#define STORE_NARROW(type)                                                                         \
    EACH(i) {                                                                                      \
        const type v = (type)w->word[0][i];                                                        \
        memcpy(texels + i * sizeof v, &v, sizeof v);                                               \
    }
#define STORE_WIDE(count)                                                                          \
    EACH(i) {                                                                                      \
        uint32_t v[count];                                                                         \
        for (int k = 0; k < count; k++)                                                            \
            v[k] = w->word[k][i];                                                                  \
        memcpy(texels + i * sizeof v, v, sizeof v);                                                \
    }

static void store_words(const struct words *w, uint32_t bytes, uint32_t n, uint8_t *texels) {
    switch (bytes) {
    case 1:
        STORE_NARROW(uint8_t) break;
    case 2:
        STORE_NARROW(uint16_t) break;
    case 4:
        STORE_NARROW(uint32_t) break;
    case 8:
        STORE_WIDE(2) break;
    case 12:
        STORE_WIDE(3) break;
    case 16:
        STORE_WIDE(4) break;
    }
}

static int component_type(const struct format_info *info, int component) {
    return info->zeta && component == 1 ? COMPONENT_UINT : info->type;
}

static u32xv load_row(const uint32_t *row) {
    u32xv v;
    memcpy(&v, row, sizeof v);
    return v;
}

static float largest(uint32_t bits) {
    return (float)((1ull << bits) - 1);
}

/* ---- texels to words ---- */

static u32xv decode_unorm(u32xv v, uint32_t bits) {
    if (bits <= 16)
        return (u32xv)vec_from_unorm(v, 1.0f / largest(bits));
    return (u32xv)(__builtin_convertvector((i32xv)v, f32xv) / vec_splat_f(largest(bits)));
}

static u32xv decode(const struct format_info *info, int c, u32xv v) {
    const uint32_t bits = info->bits[c];
    if (info->srgb && c < 3)
        return vec_gather(srgb8_linear, v);
    switch (component_type(info, c)) {
    case COMPONENT_UNORM:
        return decode_unorm(v, bits);
    case COMPONENT_SNORM: /* 16 bits at most */
        return (u32xv)vec_from_snorm(v, bits, 1.0f / largest(bits - 1));
    case COMPONENT_SINT:
        return (u32xv)vec_extend_sign(v, bits);
    case COMPONENT_FLOAT:
        return bits == 32 ? v : vec_from_float(v, bits, true);
    default:
        return v;
    }
}

static void decode_component(const struct format_info *info, int c, const struct words *w,
                             uint32_t n, uint32_t *out) {
    const uint32_t shift = info->shift[c] % 32, mask = (uint32_t)((1ull << info->bits[c]) - 1);
    for (uint32_t i = 0; i < n; i += VEC_LANES) {
        const u32xv field = load_row(&w->word[info->shift[c] / 32][i]) >> shift & mask;
        const u32xv v = decode(info, c, field);
        memcpy(&out[i], &v, sizeof v);
    }
}

/* Three mantissas of 9 bits and one exponent for all of them (EXT_texture_shared_exponent). */
static void decode_rgb9e5(const struct words *w, uint32_t n, uint32_t rgba[4][FORMAT_ROW]) {
    EACH(i) {
        const uint32_t v = w->word[0][i];
        const float scale = bits_float(((v >> 27) + 127 - 24) << 23);
        for (int c = 0; c < 3; c++)
            rgba[c][i] = float_bits((float)(v >> (9 * c) & 0x1ff) * scale);
    }
}

void SIMD_FN(format_decode_row)(enum pixel_format f, const uint8_t *texels, uint32_t n,
                                uint32_t rgba[4][FORMAT_ROW]) {
    const struct format_info *info = format_info(f);
    const bool shared = f == FORMAT_RGB9E5_FLOAT;
    struct words w;
    if (!info->compressed)
        load_words(texels, info->bytes, n, &w);
    for (int c = 0; c < 4; c++) {
        const uint32_t absent = c < 3 ? 0 : format_is_integer(f) ? 1 : float_bits(1.0f);
        if (info->bits[c] && !shared)
            decode_component(info, c, &w, n, rgba[c]);
        else
            EACH(i)
        rgba[c][i] = absent;
    }
    if (shared)
        decode_rgb9e5(&w, n, rgba);
}

/* ---- words to texels ---- */

/* For more than 16 bits: the product is computed in double precision. */
static u32xv encode_wide_unorm(u32xv v, uint32_t bits) {
    const f64xv number = __builtin_convertvector(vec_clamp_to_one((f32xv)v, 0), f64xv);
    const f64xv sum = number * (double)((1ull << bits) - 1) + 0x1p52;
    return __builtin_convertvector((u64xv)sum, u32xv);
}

static u32xv encode_float(u32xv v, uint32_t bits) {
    return bits == 32 ? v : bits == 16 ? vec_to_half(v) : vec_to_small(v, bits - 5);
}

static u32xv encode(const struct format_info *info, int c, u32xv v) {
    const uint32_t bits = info->bits[c], mask = (uint32_t)((1ull << bits) - 1);
    if (info->srgb && c < 3)
        return vec_to_srgb((f32xv)v);
    switch (component_type(info, c)) {
    case COMPONENT_UNORM:
        return bits <= 16 ? vec_to_unorm((f32xv)v, largest(bits)) : encode_wide_unorm(v, bits);
    case COMPONENT_SNORM:
        return vec_to_snorm((f32xv)v, largest(bits - 1)) & mask;
    case COMPONENT_SINT:
        return vec_to_sint(v, mask);
    case COMPONENT_FLOAT:
        return encode_float(v, bits);
    default:
        return vec_to_uint(v, mask);
    }
}

static void encode_component(const struct format_info *info, int c, const uint32_t *v, uint32_t n,
                             struct words *w) {
    for (uint32_t i = 0; i < n; i += VEC_LANES) {
        uint32_t *word = &w->word[info->shift[c] / 32][i];
        const u32xv field = encode(info, c, load_row(&v[i])) << info->shift[c] % 32;
        const u32xv all = load_row(word) | field;
        memcpy(word, &all, sizeof all);
    }
}

static uint32_t encode_rgb9e5(const float rgb[3]) {
    float c[3], max = 0.0f;
    for (int i = 0; i < 3; i++) {
        c[i] = rgb[i] > 0.0f ? (rgb[i] < 65408.0f ? rgb[i] : 65408.0f) : 0.0f;
        max = c[i] > max ? c[i] : max;
    }
    const int top = (int)(float_bits(max) >> 23) - 127;
    int e = (top < -16 ? -16 : top) + 16;
    if (lrint(ldexp(max, 24 - e)) == 512)
        e++;
    uint32_t out = (uint32_t)e << 27;
    for (int i = 0; i < 3; i++)
        out |= (uint32_t)lrint(ldexp(c[i], 24 - e)) << (9 * i);
    return out;
}

void SIMD_FN(format_encode_row)(enum pixel_format f, uint32_t rgba[4][FORMAT_ROW], uint32_t n,
                                uint8_t *texels) {
    const struct format_info *info = format_info(f);
    struct words w;
    if (info->compressed)
        return;
    for (uint32_t k = 0; k < (info->bytes + 3u) / 4; k++)
        memset(w.word[k], 0, sizeof w.word[k]);
    if (f == FORMAT_RGB9E5_FLOAT)
        EACH(i)
    w.word[0][i] = encode_rgb9e5(
        (float[]){bits_float(rgba[0][i]), bits_float(rgba[1][i]), bits_float(rgba[2][i])});
    else for (int c = 0; c < 4; c++) if (info->bits[c]) encode_component(info, c, rgba[c], n, &w);
    store_words(&w, info->bytes, n, texels);
}
