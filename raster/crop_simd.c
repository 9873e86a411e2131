/* The colour ROP, the last step of a draw: writes one block of 32 fragment colours into the texel
 * words of one target. The steps are clamp, blend, convert (texels.inc), logic operation, write
 * mask. In: a key (chosen once per draw), colour rows, texel rows and the lanes that survive. Out:
 * updated texel rows. Must not know geometry or memory layout. A kernel is crop_block() with
 * constant arguments: the class of the format and the kind of blending.
 */
#include "raster/blend.h"
#include "raster/texels.inc"

/* Kinds of blending that have kernels with constant equation and factors. X(name, equation, source
 * factor, destination factor, source factor of alpha, destination factor of alpha, bounded).
 * bounded: the result lies in 0..1 if all inputs do. */
#define BLEND_KINDS(X)                                                                             \
    X(alpha, ADD, SRC_ALPHA, ONE_MINUS_SRC_ALPHA, SRC_ALPHA, ONE_MINUS_SRC_ALPHA, true)            \
    X(over, ADD, SRC_ALPHA, ONE_MINUS_SRC_ALPHA, ONE, ONE_MINUS_SRC_ALPHA, true)                   \
    X(premultiplied, ADD, ONE, ONE_MINUS_SRC_ALPHA, ONE, ONE_MINUS_SRC_ALPHA, false)               \
    X(add, ADD, ONE, ONE, ONE, ONE, false)                                                         \
    X(glow, ADD, SRC_ALPHA, ONE, SRC_ALPHA, ONE, false)                                            \
    X(shine, ADD, SRC_ALPHA, ONE, ONE, ONE, false)                                                 \
    X(modulate, ADD, DST_COLOR, ZERO, DST_ALPHA, ZERO, true)                                       \
    X(modulate2, ADD, DST_COLOR, SRC_COLOR, DST_ALPHA, SRC_ALPHA, false)                           \
    X(screen, ADD, ONE, ONE_MINUS_SRC_COLOR, ONE, ONE_MINUS_SRC_ALPHA, true)                       \
    X(erase, ADD, ZERO, ONE_MINUS_SRC_COLOR, ZERO, ONE_MINUS_SRC_ALPHA, true)                      \
    X(fade, ADD, ZERO, ONE_MINUS_SRC_ALPHA, ZERO, ONE_MINUS_SRC_ALPHA, true)                       \
    X(under, ADD, ONE_MINUS_DST_ALPHA, DST_ALPHA, ONE_MINUS_DST_ALPHA, DST_ALPHA, true)            \
    X(behind, ADD, ONE_MINUS_DST_ALPHA, ONE, ONE_MINUS_DST_ALPHA, ONE, false)                      \
    X(constant, ADD, CONSTANT_ALPHA, ONE_MINUS_CONSTANT_ALPHA, CONSTANT_ALPHA,                     \
      ONE_MINUS_CONSTANT_ALPHA, true)                                                              \
    X(filter, ADD, ONE, SRC1_COLOR, ONE, SRC1_ALPHA, false)                                        \
    X(absorb, ADD, ONE, ONE_MINUS_SRC1_COLOR, ONE, ONE_MINUS_SRC1_ALPHA, false)                    \
    X(glyphs, ADD, SRC1_COLOR, ONE_MINUS_SRC1_COLOR, SRC1_ALPHA, ONE_MINUS_SRC1_ALPHA, true)       \
    X(subtract, REVERSE_SUBTRACT, ONE, ONE, ONE, ONE, false)                                       \
    X(dim, REVERSE_SUBTRACT, SRC_ALPHA, ONE, SRC_ALPHA, ONE, false)                                \
    X(least, MIN, ONE, ONE, ONE, ONE, true)                                                        \
    X(most, MAX, ONE, ONE, ONE, ONE, true)
enum blend_kind {
    KIND_OPAQUE,
    KIND_FULL,
#define X(name, equation, src, dst, src_a, dst_a, bounded) KIND_##name,
    BLEND_KINDS(X)
#undef X
        KINDS
};
static const struct {
    struct blend_target eq;
    bool bounded;
} kinds[KINDS] = {
#define X(name, equation, src, dst, src_a, dst_a, bounded)                                         \
    [KIND_##name] = {{true, EQUATION_##equation, BLEND_##src, BLEND_##dst, EQUATION_##equation,    \
                      BLEND_##src_a, BLEND_##dst_a},                                               \
                     bounded},
    BLEND_KINDS(X)
#undef X
};

LANES_INLINE void blend_lanes(const struct blend_target *e, struct blend_colors *c, f32x32 *out) {
    for (int i = 0; i < 3; i++)
        out[i] = blend_component(e->equation_rgb, e->src_rgb, e->dst_rgb, i, c);
    out[3] = blend_component(e->equation_a, e->src_a, e->dst_a, 3, c);
}

/* Blends the components that the format has, with any equation and factors. */
static __attribute__((noinline)) void blend_any(const struct crop_key *k,
                                                const struct blend_colors *c, f32x32 *out) {
    const struct blend_target *e = &k->eq;
    for (int i = 0; i < 3; i++)
        if (k->bits[i])
            out[i] = blend_component(e->equation_rgb, e->src_rgb, e->dst_rgb, i, c);
    if (k->bits[3])
        out[3] = blend_component(e->equation_a, e->src_a, e->dst_a, 3, c);
}

/* Returns the result of a logic operation (OpenGL 4.1.10; op counts from LOGIC_OP_CLEAR) on source
 * bits s and stored bits d. */
static u32x32 logic_op(uint16_t op, u32x32 s, u32x32 d) {
    const u32x32 none = lanes_splat(0), all = ~none;
    const u32x32 table[16] = {none,     s & d,    s & ~d, s,      ~s & d, d,      s ^ d,    s | d,
                              ~(s | d), ~(s ^ d), ~d,     s | ~d, ~s,     ~s | d, ~(s & d), all};
    return table[op];
}

/* Writes packed words over the stored ones, under the write mask, in the lanes of m. */
LANES_INLINE void write_words(const struct crop_key *k, int words, u32x32 *encoded, u32x32 *dst,
                              lane_mask m) {
    for (int i = 0; i < words; i++) {
        u32x32 v = encoded[i];
        if (k->logic_op)
            v = logic_op(k->op, v, dst[i]);
        if (!k->write_all)
            v = (v & k->write_bits[i]) | (dst[i] & ~k->write_bits[i]);
        lanes_store(&dst[i], v, m);
    }
}

LANES_INLINE f32x32 clamp_source(enum texel_class class, f32x32 v) {
    const enum texel_clamp to = class_clamp(class);
    return to == CLAMP_NEVER ? v : lanes_clamp_to_one(v, to == CLAMP_SIGNED ? -1 : 0);
}

/* True if blending has no effect: the stored colours are multiplied by 1 - alpha, and alpha is 1 in
 * all lanes of m. Always false for float formats, because a stored colour may be infinite. */
LANES_INLINE bool source_hides(enum texel_class class, enum blend_kind kind, const u32x32 *src,
                               lane_mask m) {
    const struct blend_target *e = &kinds[kind].eq;
    const f32x32 alpha = (f32x32)src[3];
    return class_clamp(class) == CLAMP_UNIT && e->equation_rgb == EQUATION_ADD &&
           e->dst_rgb == BLEND_ONE_MINUS_SRC_ALPHA && e->dst_a == BLEND_ONE_MINUS_SRC_ALPHA &&
           (e->src_rgb == BLEND_ONE || e->src_rgb == BLEND_SRC_ALPHA) &&
           (e->src_a == BLEND_ONE || e->src_a == BLEND_SRC_ALPHA) && alpha[0] >= 1.0f &&
           !(m & ~lanes_to_mask((u32x32)(alpha >= 1.0f)));
}

LANES_INLINE void crop_block(const struct crop_key *k, enum texel_class class, enum blend_kind kind,
                             const u32x32 *src, u32x32 *dst, lane_mask m) {
    u32x32 encoded[MAX_WORDS];
    if (kind == KIND_OPAQUE || source_hides(class, kind, src, m)) {
        texels_encode(k, class, false, (const f32x32 *)src, encoded);
    } else {
        struct blend_colors c;
        f32x32 out[4];
        c.constant = k->constant;
        for (int i = 0; i < 4; i++)
            if (kind != KIND_FULL || class_has(k, class, i) || i == 3)
                c.src[i] = clamp_source(class, (f32x32)src[i]);
        for (int i = 0; i < 4 && (kind != KIND_FULL || blend_second_source(&k->eq)); i++)
            c.src1[i] = kind == KIND_FULL && !k->dual_source
                            ? lanes_splat_f(0)
                            : clamp_source(class, (f32x32)src[4 + i]);
        texels_decode(k, class, dst, c.dst);
        if (kind == KIND_FULL)
            blend_any(k, &c, out);
        else
            blend_lanes(&kinds[kind].eq, &c, out);
        texels_encode(k, class, kinds[kind].bounded, out, encoded);
    }
    write_words(k, class_words(k, class), encoded, dst, m);
}

#define CROP_KERNEL(name, class, kind)                                                             \
    static void name(const struct crop_key *k, const u32x32 *src, u32x32 *dst, lane_mask m) {      \
        crop_block(k, class, kind, src, dst, m);                                                   \
    }
#define X(class, name, words, clamp)                                                               \
    CROP_KERNEL(name##_opaque, CLASS_##class, KIND_OPAQUE)                                         \
    CROP_KERNEL(name##_full, CLASS_##class, KIND_FULL)
TEXEL_CLASSES(X)
#undef X
/* Kernels of the four classes of formats that are blended most. The base level of x86-64 has
 * kernels of only two of them: its code is long, and few processors run it. */
#if VEC_LANES == 4 && defined __x86_64__
#define MORE_CLASSES(X, name)
#else
#define MORE_CLASSES(X, name) X(srgb8, SRGB8, name) X(rgba16f, RGBA16F, name)
#endif
#define BLENDED_CLASSES(X, name) X(rgba8, RGBA8, name) X(bgra8, BGRA8, name) MORE_CLASSES(X, name)
#define KERNEL(class, CLASS, name) CROP_KERNEL(class##_##name, CLASS_##CLASS, KIND_##name)
#define X(name, equation, src, dst, src_a, dst_a, bounded) BLENDED_CLASSES(KERNEL, name)
BLEND_KINDS(X)
#undef X
#undef KERNEL

/* Replaces factors by equal ones that BLEND_KINDS uses, for the comparison. MIN and MAX have no
 * factors. The product of both colours can be written with either colour as the factor. For alpha,
 * a colour factor equals the alpha factor. */
static void spell_factors(uint16_t equation, uint16_t *src, uint16_t *dst, bool alpha) {
    static const uint16_t plain[][2] = {
        {BLEND_SRC_COLOR, BLEND_SRC_ALPHA},
        {BLEND_ONE_MINUS_SRC_COLOR, BLEND_ONE_MINUS_SRC_ALPHA},
        {BLEND_DST_COLOR, BLEND_DST_ALPHA},
        {BLEND_ONE_MINUS_DST_COLOR, BLEND_ONE_MINUS_DST_ALPHA},
        {BLEND_CONSTANT_COLOR, BLEND_CONSTANT_ALPHA},
        {BLEND_ONE_MINUS_CONSTANT_COLOR, BLEND_ONE_MINUS_CONSTANT_ALPHA},
        {BLEND_SRC1_COLOR, BLEND_SRC1_ALPHA},
        {BLEND_ONE_MINUS_SRC1_COLOR, BLEND_ONE_MINUS_SRC1_ALPHA},
        {BLEND_SRC_ALPHA_SATURATE, BLEND_ONE},
    };
    if (equation == EQUATION_MIN || equation == EQUATION_MAX)
        *src = *dst = BLEND_ONE;
    for (size_t i = 0; i < sizeof plain / sizeof *plain && alpha; i++) {
        *src = *src == plain[i][0] ? plain[i][1] : *src;
        *dst = *dst == plain[i][0] ? plain[i][1] : *dst;
    }
    if (equation == EQUATION_ADD && *src == BLEND_ZERO &&
        *dst == (alpha ? BLEND_SRC_ALPHA : BLEND_SRC_COLOR)) {
        *src = alpha ? BLEND_DST_ALPHA : BLEND_DST_COLOR;
        *dst = BLEND_ZERO;
    }
}

static bool writes_alpha(const struct crop_key *k) {
    return k->bits[3] && k->write_bits[k->shift[3] / 32] >> (k->shift[3] % 32) & 1;
}

static enum blend_kind kind_of(const struct crop_key *k) {
    struct blend_target e = k->eq;
    if (!k->blend)
        return KIND_OPAQUE;
    if (!k->dual_source && blend_second_source(&e)) /* the missing colour reads 0 */
        return KIND_FULL;
    spell_factors(e.equation_rgb, &e.src_rgb, &e.dst_rgb, false);
    spell_factors(e.equation_a, &e.src_a, &e.dst_a, true);
    for (enum blend_kind i = KIND_FULL + 1; i < KINDS; i++) {
        const struct blend_target *c = &kinds[i].eq;
        const bool rgb =
            e.equation_rgb == c->equation_rgb && e.src_rgb == c->src_rgb && e.dst_rgb == c->dst_rgb;
        const bool a = e.equation_a == c->equation_a && e.src_a == c->src_a && e.dst_a == c->dst_a;
        if (rgb && (a || !writes_alpha(k)))
            return i;
    }
    return KIND_FULL;
}

crop_fn *SIMD_FN(crop_select)(const struct crop_key *k) {
    static crop_fn *const kernel[CLASSES][KINDS] = {
#define KERNEL(class, CLASS, name) [CLASS_##CLASS][KIND_##name] = class##_##name,
#define X(name, equation, src, dst, src_a, dst_a, bounded) BLENDED_CLASSES(KERNEL, name)
        BLEND_KINDS(X)
#undef X
#undef KERNEL
#define X(class, name, words, clamp)                                                               \
    [CLASS_##class][KIND_OPAQUE] = name##_opaque, [CLASS_##class][KIND_FULL] = name##_full,
            TEXEL_CLASSES(X)
#undef X
    };
    const enum texel_class class = texels_class(k->format);
    crop_fn *const fn = kernel[class][kind_of(k)];
    return fn ? fn : kernel[class][KIND_FULL];
}
