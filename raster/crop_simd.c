/* The colour ROP: one block of 32 fragment colours into the texel words of one target: clamp,
 * blend, convert, logic operation, write mask. In: a key (chosen once per draw), colour rows, texel
 * rows and the lanes that survive. Out: updated texel rows. Knows no geometry and no memory layout.
 *
 * A kernel is crop() with constant arguments: the class of the format and the kind of blending.
 */
#include "raster/blend.h"
#include "raster/tile.h"

#include <string.h>

enum pixel_class {
    CLASS_RGBA8,
    CLASS_BGRA8,
    CLASS_UNORM,
    CLASS_HALF,
    CLASS_RAW32,
    CLASS_SRGB,
    CLASS_ANY
};
enum blend_kind { KIND_OPAQUE, KIND_ALPHA, KIND_ADD, KIND_FULL };

/* Clamped to 0..1 (NaN to 0), times scale, to the nearest integer (ties to even): adding 2^23
 * leaves the integer in the low bits. */
LANES_INLINE u32x32 to_unorm(f32x32 v, float scale) {
    v = lanes_min_f(lanes_max_f(v, lanes_splat_f(0.0f)), lanes_splat_f(1.0f));
    return (u32x32)(v * scale + lanes_splat_f(0x1p23f)) - 0x4b000000;
}

LANES_INLINE f32x32 from_unorm(u32x32 v, float inverse) {
    return __builtin_convertvector((i32x32)v, f32x32) * inverse;
}

#if defined(__F16C__)
union half_lanes {
    u32x32 v;
    __m256 f[4];
    __m256i i[4];
};
#endif

/* The same bits as f32_to_f16(): nearest even, denormals kept, NaN 0x7fff. */
LANES_INLINE u32x32 to_half(u32x32 v) {
#if defined(__F16C__)
    union half_lanes u = {.v = v};
    for (int i = 0; i < 4; i++)
        u.i[i] = _mm256_cvtepu16_epi32(_mm256_cvtps_ph(u.f[i], _MM_FROUND_TO_NEAREST_INT));
    return lanes_blend((u32x32)((f32x32)v != (f32x32)v), lanes_splat(0x7fff), u.v);
#else
    const u32x32 magnitude = v & 0x7fffffff, sign = v >> 16 & 0x8000;
    const u32x32 normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    const u32x32 small = (u32x32)((f32x32)magnitude + lanes_splat_f(0.5f)) - 0x3f000000;
    u32x32 r = lanes_blend((u32x32)((i32x32)magnitude < 0x38800000), small, normal);
    r = lanes_blend((u32x32)((i32x32)magnitude >= 0x47800000), lanes_splat(0x7c00), r) | sign;
    return lanes_blend((u32x32)((i32x32)magnitude > 0x7f800000), lanes_splat(0x7fff), r);
#endif
}

LANES_INLINE u32x32 from_half(u32x32 h) {
#if defined(__F16C__)
    union half_lanes u = {.v = h};
    for (int i = 0; i < 4; i++) {
        const __m128i low = _mm256_castsi256_si128(u.i[i]),
                      high = _mm256_extracti128_si256(u.i[i], 1);
        u.f[i] = _mm256_cvtph_ps(_mm_packus_epi32(low, high));
    }
    return u.v;
#else
    const u32x32 magnitude = h & 0x7fff, sign = (h & 0x8000) << 16;
    const u32x32 normal = (magnitude << 13) + 0x38000000;
    const u32x32 small =
        (u32x32)((f32x32)((magnitude << 13) + 0x38800000) - lanes_splat_f(0x1p-14f));
    u32x32 r = lanes_blend((u32x32)((i32x32)magnitude < 0x400), small, normal);
    r += lanes_splat(0x38000000) & (u32x32)((i32x32)magnitude >= 0x7c00);
    return r | sign;
#endif
}

LANES_INLINE void pack_rgba8(const f32x32 *c, u32x32 *words, bool bgra) {
    const u32x32 r = to_unorm(c[0], 255), g = to_unorm(c[1], 255), b = to_unorm(c[2], 255);
    const u32x32 a = to_unorm(c[3], 255);
    words[0] = (bgra ? b : r) | g << 8 | (bgra ? r : b) << 16 | a << 24;
}

LANES_INLINE void unpack_rgba8(const u32x32 *words, f32x32 *c, bool bgra) {
    const float inverse = 1.0f / 255.0f;
    c[bgra ? 2 : 0] = from_unorm(words[0] & 0xff, inverse);
    c[1] = from_unorm(words[0] >> 8 & 0xff, inverse);
    c[bgra ? 0 : 2] = from_unorm(words[0] >> 16 & 0xff, inverse);
    c[3] = from_unorm(words[0] >> 24, inverse);
}

static void pack_unorm(const struct crop_key *k, const f32x32 *c, u32x32 *words) {
    for (int i = 0; i < 4; i++) {
        if (k->bits[i])
            words[k->shift[i] / 32] |= to_unorm(c[i], k->scale[i]) << (k->shift[i] % 32);
    }
}

static void unpack_unorm(const struct crop_key *k, const u32x32 *words, f32x32 *c) {
    for (int i = 0; i < 4; i++) {
        if (k->bits[i])
            c[i] =
                from_unorm(words[k->shift[i] / 32] >> (k->shift[i] % 32) & ((1u << k->bits[i]) - 1),
                           k->inverse[i]);
    }
}

/* The code of a linear value: binary search, all lanes in step. NaN and negative values give 0. */
static u32x32 to_srgb(f32x32 v) {
    uint32_t code[LANES] = {0};
    float x[LANES];
    memcpy(x, &v, sizeof(x));
    for (uint32_t step = 128; step; step >>= 1) {
        for (int i = 0; i < LANES; i++)
            code[i] += x[i] >= srgb8_threshold[code[i] + step] ? step : 0;
    }
    u32x32 r;
    memcpy(&r, code, sizeof(r));
    return r;
}

static f32x32 from_srgb(u32x32 code) {
    uint32_t index[LANES];
    float x[LANES];
    memcpy(index, &code, sizeof(index));
    for (int i = 0; i < LANES; i++)
        x[i] = srgb8_linear[index[i]];
    f32x32 r;
    memcpy(&r, x, sizeof(r));
    return r;
}

/* Red, green and blue in the curve, alpha linear. */
static void pack_srgb(const struct crop_key *k, const f32x32 *c, u32x32 *words) {
    for (int i = 0; i < 3; i++)
        words[0] |= to_srgb(c[i]) << k->shift[i];
    if (k->bits[3])
        words[0] |= to_unorm(c[3], 255) << k->shift[3];
}

static void unpack_srgb(const struct crop_key *k, const u32x32 *words, f32x32 *c) {
    for (int i = 0; i < 3; i++)
        c[i] = from_srgb(words[0] >> k->shift[i] & 0xff);
    if (k->bits[3])
        c[3] = from_unorm(words[0] >> k->shift[3], k->inverse[3]);
}

static void pack_half(const struct crop_key *k, const f32x32 *c, u32x32 *words) {
    for (int i = 0; i < 4; i++) {
        if (k->bits[i])
            words[k->shift[i] / 32] |= to_half((u32x32)c[i]) << (k->shift[i] % 32);
    }
}

static void unpack_half(const struct crop_key *k, const u32x32 *words, f32x32 *c) {
    for (int i = 0; i < 4; i++) {
        if (k->bits[i])
            c[i] = (f32x32)from_half(words[k->shift[i] / 32] >> (k->shift[i] % 32) & 0xffff);
    }
}

/* Formats without a vector path, lane by lane through the reference conversion. */
static void pack_any(const struct crop_key *k, const f32x32 *c, u32x32 *words, lane_mask m) {
    for (; m; m &= m - 1) {
        const int i = __builtin_ctz(m);
        uint32_t rgba[4], texel[MAX_WORDS] = {0};
        for (int j = 0; j < 4; j++)
            rgba[j] = ((u32x32)c[j])[i];
        format_pack(k->format, rgba, texel);
        for (int j = 0; j < k->words; j++)
            words[j][i] = texel[j];
    }
}

static void unpack_any(const struct crop_key *k, const u32x32 *words, f32x32 *c, lane_mask m) {
    for (; m; m &= m - 1) {
        const int i = __builtin_ctz(m);
        uint32_t rgba[4], texel[MAX_WORDS];
        for (int j = 0; j < k->words; j++)
            texel[j] = words[j][i];
        format_unpack(k->format, texel, rgba);
        for (int j = 0; j < 4; j++)
            memcpy((char *)&c[j] + 4 * i, &rgba[j], 4);
    }
}

LANES_INLINE void pack(const struct crop_key *k, enum pixel_class class, const f32x32 *c,
                       u32x32 *words, lane_mask m) {
    switch (class) {
    case CLASS_RGBA8:
    case CLASS_BGRA8:
        pack_rgba8(c, words, class == CLASS_BGRA8);
        return;
    case CLASS_UNORM:
        pack_unorm(k, c, words);
        return;
    case CLASS_HALF:
        pack_half(k, c, words);
        return;
    case CLASS_RAW32:
        for (int i = 0; i < k->words; i++)
            words[i] = k->bits[i] ? (u32x32)c[i] : lanes_splat(0);
        return;
    case CLASS_SRGB:
        pack_srgb(k, c, words);
        return;
    case CLASS_ANY:
        pack_any(k, c, words, m);
    }
}

/* Components the format lacks read 0, alpha 1. */
LANES_INLINE void unpack(const struct crop_key *k, enum pixel_class class, const u32x32 *words,
                         f32x32 *c, lane_mask m) {
    for (int i = 0; i < 4; i++)
        c[i] = lanes_splat_f(i == 3);
    switch (class) {
    case CLASS_RGBA8:
    case CLASS_BGRA8:
        unpack_rgba8(words, c, class == CLASS_BGRA8);
        return;
    case CLASS_UNORM:
        unpack_unorm(k, words, c);
        return;
    case CLASS_HALF:
        unpack_half(k, words, c);
        return;
    case CLASS_RAW32:
        for (int i = 0; i < 4; i++) {
            if (k->bits[i])
                c[i] = (f32x32)words[i];
        }
        return;
    case CLASS_SRGB:
        unpack_srgb(k, words, c);
        return;
    case CLASS_ANY:
        unpack_any(k, words, c, m);
    }
}

LANES_INLINE f32x32 clamp_source(const struct crop_key *k, f32x32 v) {
    return lanes_min_f(lanes_max_f(v, lanes_splat_f(k->clamp_low)), lanes_splat_f(k->clamp_high));
}

LANES_INLINE void blend(const struct crop_key *k, enum blend_kind kind, struct blend_colors *c,
                        f32x32 *out) {
    const struct blend_target common = {true,
                                        EQUATION_ADD,
                                        kind == KIND_ADD ? BLEND_ONE : BLEND_SRC_ALPHA,
                                        kind == KIND_ADD ? BLEND_ONE : BLEND_ONE_MINUS_SRC_ALPHA,
                                        EQUATION_ADD,
                                        kind == KIND_ADD ? BLEND_ONE : BLEND_SRC_ALPHA,
                                        kind == KIND_ADD ? BLEND_ONE : BLEND_ONE_MINUS_SRC_ALPHA};
    const struct blend_target *e = kind == KIND_FULL ? &k->eq : &common;
    for (int i = 0; i < 3; i++)
        out[i] = blend_component(e->equation_rgb, e->src_rgb, e->dst_rgb, i, c);
    out[3] = blend_component(e->equation_a, e->src_a, e->dst_a, 3, c);
}

/* Bit b of the operation's truth table (OpenGL 4.1.10): result for source bit s, stored bit d. */
static u32x32 logic_op(uint16_t op, u32x32 s, u32x32 d) {
    /* code of OPs counted from CLEAR: bit 3 - (2 * !s + !d) ... spelled out per term */
    const u32x32 none = lanes_splat(0), all = ~none;
    const u32x32 table[16] = {none,     s & d,    s & ~d, s,      ~s & d, d,      s ^ d,    s | d,
                              ~(s | d), ~(s ^ d), ~d,     s | ~d, ~s,     ~s | d, ~(s & d), all};
    return table[op & 15];
}

/* Packed words over the stored ones, under the write mask, in the lanes of m. */
LANES_INLINE void write_words(const struct crop_key *k, int words, u32x32 *packed, u32x32 *dst,
                              lane_mask m) {
    for (int i = 0; i < words; i++) {
        u32x32 v = packed[i];
        if (k->logic_op)
            v = logic_op(k->op, v, dst[i]);
        if (!k->write_all)
            v = (v & k->write_bits[i]) | (dst[i] & ~k->write_bits[i]);
        lanes_store(&dst[i], v, m);
    }
}

LANES_INLINE void crop(const struct crop_key *k, enum pixel_class class, enum blend_kind kind,
                       const u32x32 *src, u32x32 *dst, lane_mask m) {
    u32x32 packed[MAX_WORDS] = {{0}};
    const int words = class <= CLASS_BGRA8 ? 1 : k->words;
    if (kind == KIND_OPAQUE) {
        pack(k, class, (const f32x32 *)src, packed, m);
    } else {
        struct blend_colors c;
        f32x32 out[4];
        c.constant = k->constant;
        const bool clamps = class <= CLASS_UNORM || k->clamps;
        for (int i = 0; i < 4; i++) {
            c.src[i] = clamps ? clamp_source(k, (f32x32)src[i]) : (f32x32)src[i];
            if (kind == KIND_FULL && k->dual_source)
                c.src1[i] = clamps ? clamp_source(k, (f32x32)src[4 + i]) : (f32x32)src[4 + i];
            else
                c.src1[i] = lanes_splat_f(0);
        }
        unpack(k, class, dst, c.dst, m);
        blend(k, kind, &c, out);
        pack(k, class, out, packed, m);
    }
    write_words(k, words, packed, dst, m);
}

#define CROP_KERNEL(name, class, kind)                                                             \
    static void name(const struct crop_key *k, const u32x32 *src, u32x32 *dst, lane_mask m) {      \
        crop(k, class, kind, src, dst, m);                                                         \
    }
CROP_KERNEL(rgba8_opaque, CLASS_RGBA8, KIND_OPAQUE)
CROP_KERNEL(rgba8_alpha, CLASS_RGBA8, KIND_ALPHA)
CROP_KERNEL(rgba8_add, CLASS_RGBA8, KIND_ADD)
CROP_KERNEL(rgba8_full, CLASS_RGBA8, KIND_FULL)
CROP_KERNEL(bgra8_opaque, CLASS_BGRA8, KIND_OPAQUE)
CROP_KERNEL(bgra8_alpha, CLASS_BGRA8, KIND_ALPHA)
CROP_KERNEL(bgra8_add, CLASS_BGRA8, KIND_ADD)
CROP_KERNEL(bgra8_full, CLASS_BGRA8, KIND_FULL)
CROP_KERNEL(unorm_opaque, CLASS_UNORM, KIND_OPAQUE)
CROP_KERNEL(unorm_full, CLASS_UNORM, KIND_FULL)
CROP_KERNEL(half_opaque, CLASS_HALF, KIND_OPAQUE)
CROP_KERNEL(half_full, CLASS_HALF, KIND_FULL)
CROP_KERNEL(raw32_opaque, CLASS_RAW32, KIND_OPAQUE)
CROP_KERNEL(raw32_full, CLASS_RAW32, KIND_FULL)
CROP_KERNEL(srgb_opaque, CLASS_SRGB, KIND_OPAQUE)
CROP_KERNEL(srgb_full, CLASS_SRGB, KIND_FULL)
CROP_KERNEL(any_opaque, CLASS_ANY, KIND_OPAQUE)
CROP_KERNEL(any_full, CLASS_ANY, KIND_FULL)

static enum pixel_class class_of(enum pixel_format f) {
    const struct format_info *info = format_info(f);
    if (f == FORMAT_RGBA8_UNORM)
        return CLASS_RGBA8;
    if (f == FORMAT_BGRA8_UNORM)
        return CLASS_BGRA8;
    if (info->type == COMPONENT_UNORM)
        return info->srgb ? CLASS_SRGB : CLASS_UNORM;
    if (info->bits[0] == 32)
        return CLASS_RAW32;
    if (info->type == COMPONENT_FLOAT && info->bits[0] == 16)
        return CLASS_HALF;
    return CLASS_ANY;
}

static enum blend_kind kind_of(const struct crop_key *k) {
    const struct blend_target *e = &k->eq;
    if (!k->blend)
        return KIND_OPAQUE;
    if (e->equation_rgb != EQUATION_ADD || e->equation_a != EQUATION_ADD ||
        e->src_rgb != e->src_a || e->dst_rgb != e->dst_a)
        return KIND_FULL;
    if (e->src_rgb == BLEND_SRC_ALPHA && e->dst_rgb == BLEND_ONE_MINUS_SRC_ALPHA)
        return KIND_ALPHA;
    return e->src_rgb == BLEND_ONE && e->dst_rgb == BLEND_ONE ? KIND_ADD : KIND_FULL;
}

crop_fn *SIMD_FN(crop_select)(const struct crop_key *k) {
    static crop_fn *const kernel[7][4] = {
        [CLASS_RGBA8] = {rgba8_opaque, rgba8_alpha, rgba8_add, rgba8_full},
        [CLASS_BGRA8] = {bgra8_opaque, bgra8_alpha, bgra8_add, bgra8_full},
        [CLASS_UNORM] = {unorm_opaque, unorm_full, unorm_full, unorm_full},
        [CLASS_HALF] = {half_opaque, half_full, half_full, half_full},
        [CLASS_RAW32] = {raw32_opaque, raw32_full, raw32_full, raw32_full},
        [CLASS_SRGB] = {srgb_opaque, srgb_full, srgb_full, srgb_full},
        [CLASS_ANY] = {any_opaque, any_full, any_full, any_full},
    };
    return kernel[class_of(k->format)][kind_of(k)];
}
