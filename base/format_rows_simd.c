/* Rows of texels to and from RGBA words, compiled per SIMD level: the bits of format_unpack() and
 * format_pack() (base/format.c), a component of all texels at a time. In: texels side by side. Out: a
 * row for each component, or texels. Knows no surfaces.
 */
#include "base/bits.h"
#include "base/format.h"

#include <math.h>
#include <string.h>

/* Texels as little-endian words, word w of texel i in word[w][i]; no field crosses a word. */
struct words {
    uint32_t word[4][FORMAT_ROW];
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

/* ---- to words ---- */

static float largest_float(uint32_t bits) {
    return (float)((1ull << bits) - 1);
}

static uint32_t half_bits(uint32_t h) {
    const uint32_t magnitude = (h & 0x7fff) << 13, exponent = h & 0x7c00;
    const uint32_t denormal = float_bits((float)(int32_t)(h & 0x3ff) * 0x1p-24f);
    const uint32_t number = exponent == 0x7c00 ? magnitude | 0x7f800000u : magnitude + (112u << 23);
    return (exponent ? number : denormal) | (h & 0x8000) << 16;
}

static void to_unorm(uint32_t *v, uint32_t n, uint32_t bits) {
    const float max = largest_float(bits), scale = 1.0f / max;
    if (bits <= 16)
        EACH(i)
    v[i] = float_bits((float)(int32_t)v[i] * scale);
    else EACH(i) v[i] = float_bits((float)v[i] / max);
}

static void to_snorm(uint32_t *v, uint32_t n, uint32_t bits) {
    const float scale = 1.0f / largest_float(bits - 1); /* of 16 bits at most */
    EACH(i) {
        const float f = (float)((int32_t)(v[i] << (32 - bits)) >> (32 - bits)) * scale;
        v[i] = float_bits(f < -1.0f ? -1.0f : f);
    }
}

static void to_float(uint32_t *v, uint32_t n, uint32_t bits) {
    if (bits < 32)
        EACH(i)
    v[i] = half_bits(bits == 16 ? v[i] : v[i] << (15 - bits));
}

/* Fields in place to what they stand for. */
static void unpack_fields(uint32_t *v, uint32_t n, uint32_t bits, int type) {
    switch (type) {
    case COMPONENT_UNORM:
        to_unorm(v, n, bits);
        break;
    case COMPONENT_SNORM:
        to_snorm(v, n, bits);
        break;
    case COMPONENT_SINT:
        EACH(i)
        v[i] = (uint32_t)((int32_t)(v[i] << (32 - bits)) >> (32 - bits));
        break;
    case COMPONENT_FLOAT:
        to_float(v, n, bits);
        break;
    }
}

static void unpack_component(const struct format_info *info, int c, const struct words *w,
                             uint32_t n, uint32_t *out) {
    const uint32_t bits = info->bits[c], shift = info->shift[c] % 32;
    const uint32_t mask = (uint32_t)((1ull << bits) - 1);
    const uint32_t *word = w->word[info->shift[c] / 32];
    EACH(i)
    out[i] = word[i] >> shift & mask;
    if (info->srgb && c < 3)
        EACH(i)
    out[i] = srgb8_linear[out[i]];
    else unpack_fields(out, n, bits, component_type(info, c));
}

void SIMD_FN(format_unpack_row)(enum pixel_format f, const uint8_t *texels, uint32_t n,
                                uint32_t rgba[4][FORMAT_ROW]) {
    const struct format_info *info = format_info(f);
    struct words w;
    if (f == FORMAT_RGB9E5_FLOAT || info->compressed) {
        EACH(i) {
            uint32_t texel[4];
            format_unpack(f, texels + i * info->bytes, texel);
            for (int c = 0; c < 4; c++)
                rgba[c][i] = texel[c];
        }
        return;
    }
    load_words(texels, info->bytes, n, &w);
    for (int c = 0; c < 4; c++) {
        const uint32_t absent = c < 3 ? 0 : format_is_integer(f) ? 1 : float_bits(1.0f);
        if (info->bits[c])
            unpack_component(info, c, &w, n, rgba[c]);
        else
            EACH(i)
        rgba[c][i] = absent;
    }
}

/* ---- from words ---- */

/* Nearest, even: the sum has no bits behind the point. Of less than 2^22 either way. */
static uint32_t round_nearest(float v) {
    return float_bits(v + 0x1.8p23f) - float_bits(0x1.8p23f);
}

static float limit_float(float v, float low) {
    const float number = v == v ? v : 0.0f;
    const float above = number > low ? number : low;
    return above < 1.0f ? above : 1.0f;
}

static uint32_t half_of(uint32_t u) {
    const uint32_t magnitude = u & 0x7fffffff, t = magnitude - (112u << 23);
    const uint32_t number = (t + 0xfff + (t >> 13 & 1)) >> 13;
    const uint32_t denormal =
        float_bits(bits_float(magnitude) * 0x1p24f + 0x1p23f) - float_bits(0x1p23f);
    uint32_t h = magnitude >= 113u << 23 ? number : denormal;
    h = magnitude >= 143u << 23 ? 0x7c00 : h;
    return magnitude > 0x7f800000 ? 0x7fff : h | (u >> 16 & 0x8000);
}

/* What format_pack() does one at a time. */
static void pack_singly(enum pixel_format f, uint32_t rgba[4][FORMAT_ROW], uint32_t n,
                        uint8_t *texels) {
    EACH(i)
    format_pack(f, (uint32_t[]){rgba[0][i], rgba[1][i], rgba[2][i], rgba[3][i]},
                texels + i * format_info(f)->bytes);
}

static bool is_packed_singly(enum pixel_format f) {
    const struct format_info *info = format_info(f);
    return f == FORMAT_RGB9E5_FLOAT || f == FORMAT_R11G11B10_FLOAT || info->srgb ||
           (info->type == COMPONENT_UNORM && info->bits[0] > 16);
}

/* Words to fields of so many bits. */
static void pack_fields(const uint32_t *v, uint32_t n, uint32_t bits, int type, uint32_t *out) {
    const uint32_t mask = (uint32_t)((1ull << bits) - 1);
    const float max = largest_float(type == COMPONENT_SNORM ? bits - 1 : bits);
    const int32_t high = (int32_t)(mask >> 1), low = -high - 1;
    switch (type) {
    case COMPONENT_UNORM:
        EACH(i)
        out[i] = round_nearest(limit_float(bits_float(v[i]), 0.0f) * max);
        break;
    case COMPONENT_SNORM:
        EACH(i)
        out[i] = round_nearest(limit_float(bits_float(v[i]), -1.0f) * max) & mask;
        break;
    case COMPONENT_SINT:
        EACH(i) {
            const int32_t s = (int32_t)v[i], above = s < low ? low : s;
            out[i] = (uint32_t)(above > high ? high : above) & mask;
        }
        break;
    case COMPONENT_FLOAT:
        EACH(i)
        out[i] = bits == 32 ? v[i] : half_of(v[i]);
        break;
    default:
        EACH(i)
        out[i] = v[i] < mask ? v[i] : mask;
    }
}

void SIMD_FN(format_pack_row)(enum pixel_format f, uint32_t rgba[4][FORMAT_ROW], uint32_t n,
                              uint8_t *texels) {
    const struct format_info *info = format_info(f);
    struct words w;
    if (info->compressed)
        return;
    if (is_packed_singly(f)) {
        pack_singly(f, rgba, n, texels);
        return;
    }
    for (uint32_t k = 0; k < (info->bytes + 3u) / 4; k++)
        EACH(i)
    w.word[k][i] = 0;
    for (int c = 0; c < 4; c++) {
        uint32_t field[FORMAT_ROW], *word = w.word[info->shift[c] / 32];
        const uint32_t shift = info->shift[c] % 32;
        if (!info->bits[c])
            continue;
        pack_fields(rgba[c], n, info->bits[c], component_type(info, c), field);
        EACH(i)
        word[i] |= field[i] << shift;
    }
    store_words(&w, info->bytes, n, texels);
}
