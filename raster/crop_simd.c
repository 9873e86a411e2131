/* The colour ROP: one block of 32 fragment colours into the texel words of one target: clamp,
 * blend, convert, logic operation, write mask. In: a key (chosen once per draw), colour rows, texel
 * rows and the lanes that survive. Out: updated texel rows. Knows no geometry and no memory layout.
 *
 * A kernel is crop() with constant arguments: the class of the format and the kind of blending.
 */
#include "base/half.h"
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
/* Sums whose factors are constants of their kernels: source and destination, colour and alpha;
 * whether components in 0..1 give no more than 1. X(name, src, dst, src alpha, dst alpha, bounded) */
#define BLEND_KINDS(X)                                                                             \
    X(alpha, SRC_ALPHA, ONE_MINUS_SRC_ALPHA, SRC_ALPHA, ONE_MINUS_SRC_ALPHA, true)                 \
    X(over, SRC_ALPHA, ONE_MINUS_SRC_ALPHA, ONE, ONE_MINUS_SRC_ALPHA, true)                        \
    X(premultiplied, ONE, ONE_MINUS_SRC_ALPHA, ONE, ONE_MINUS_SRC_ALPHA, false)                    \
    X(add, ONE, ONE, ONE, ONE, false)                                                              \
    X(glow, SRC_ALPHA, ONE, SRC_ALPHA, ONE, false)                                                 \
    X(modulate, DST_COLOR, ZERO, DST_COLOR, ZERO, true)
enum blend_kind {
    KIND_OPAQUE,
    KIND_FULL,
#define X(name, src, dst, src_a, dst_a, bounded) KIND_##name,
    BLEND_KINDS(X)
#undef X
    KINDS
};
static const struct {
    struct blend_target eq;
    bool bounded;
} kinds[KINDS] = {
#define X(name, src, dst, src_a, dst_a, bounded)                                                   \
    [KIND_##name] = {{true, EQUATION_ADD, BLEND_##src, BLEND_##dst, EQUATION_ADD, BLEND_##src_a,   \
                      BLEND_##dst_a},                                                              \
                     bounded},
    BLEND_KINDS(X)
#undef X
};

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

/* Colours that lie in 0..1, or less than half a code above; the rest of 2^23's bits leaves the word
 * but for the lowest component. */
LANES_INLINE void pack_bounded_rgba8(const f32x32 *c, u32x32 *words, bool bgra) {
    u32x32 v[4];
    for (int i = 0; i < 4; i++)
        v[i] = (u32x32)(c[i] * 255.0f + lanes_splat_f(0x1p23f));
    words[0] = (v[bgra ? 2 : 0] - 0x4b000000) | v[1] << 8 | v[bgra ? 0 : 2] << 16 | v[3] << 24;
}

LANES_INLINE void pack_rgba8(const f32x32 *c, u32x32 *words, bool bgra, bool bounded) {
    f32x32 v[4];
    for (int i = 0; i < 4; i++)
        v[i] = bounded ? c[i]
                       : lanes_min_f(lanes_max_f(c[i], lanes_splat_f(0.0f)), lanes_splat_f(1.0f));
    pack_bounded_rgba8(v, words, bgra);
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
            c[i] = (f32x32)half_lanes_to_float(
                words[k->shift[i] / 32] >> (k->shift[i] % 32) & 0xffff, false);
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

LANES_INLINE void pack(const struct crop_key *k, enum pixel_class class, bool bounded,
                       const f32x32 *c, u32x32 *words, lane_mask m) {
    switch (class) {
    case CLASS_RGBA8:
    case CLASS_BGRA8:
        pack_rgba8(c, words, class == CLASS_BGRA8, bounded);
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
    const struct blend_target *e = kind == KIND_FULL ? &k->eq : &kinds[kind].eq;
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
        pack(k, class, false, (const f32x32 *)src, packed, m);
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
        pack(k, class, kinds[kind].bounded, out, packed, m);
    }
    write_words(k, words, packed, dst, m);
}

#define CROP_KERNEL(name, class, kind)                                                             \
    static void name(const struct crop_key *k, const u32x32 *src, u32x32 *dst, lane_mask m) {      \
        crop(k, class, kind, src, dst, m);                                                         \
    }
#define CROP_CLASS(name, class)                                                                    \
    CROP_KERNEL(name##_opaque, class, KIND_OPAQUE)                                                 \
    CROP_KERNEL(name##_full, class, KIND_FULL)
CROP_CLASS(rgba8, CLASS_RGBA8)
CROP_CLASS(bgra8, CLASS_BGRA8)
CROP_CLASS(unorm, CLASS_UNORM)
CROP_CLASS(half, CLASS_HALF)
CROP_CLASS(raw32, CLASS_RAW32)
CROP_CLASS(srgb, CLASS_SRGB)
CROP_CLASS(any, CLASS_ANY)
#define X(name, src, dst, src_a, dst_a, bounded)                                                   \
    CROP_KERNEL(rgba8_##name, CLASS_RGBA8, KIND_##name)                                            \
    CROP_KERNEL(bgra8_##name, CLASS_BGRA8, KIND_##name)                                            \
    CROP_KERNEL(half_##name, CLASS_HALF, KIND_##name)
BLEND_KINDS(X)
#undef X

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
    for (enum blend_kind i = KIND_FULL + 1; i < KINDS; i++) {
        const struct blend_target *c = &kinds[i].eq;
        if (e->equation_rgb == c->equation_rgb && e->equation_a == c->equation_a &&
            e->src_rgb == c->src_rgb && e->dst_rgb == c->dst_rgb && e->src_a == c->src_a &&
            e->dst_a == c->dst_a)
            return i;
    }
    return KIND_FULL;
}

crop_fn *SIMD_FN(crop_select)(const struct crop_key *k) {
    static crop_fn *const kernel[7][KINDS] = {
#define X(name, src, dst, src_a, dst_a, bounded)                                                   \
    [CLASS_RGBA8][KIND_##name] = rgba8_##name, [CLASS_BGRA8][KIND_##name] = bgra8_##name,          \
    [CLASS_HALF][KIND_##name] = half_##name,
        BLEND_KINDS(X)
#undef X
#define X(class, name)                                                                             \
    [CLASS_##class][KIND_OPAQUE] = name##_opaque, [CLASS_##class][KIND_FULL] = name##_full,
        X(RGBA8, rgba8) X(BGRA8, bgra8) X(UNORM, unorm) X(HALF, half)
        X(RAW32, raw32) X(SRGB, srgb) X(ANY, any)
#undef X
    };
    const enum pixel_class class = class_of(k->format);
    crop_fn *const fn = kernel[class][kind_of(k)];
    return fn ? fn : kernel[class][KIND_FULL];
}
