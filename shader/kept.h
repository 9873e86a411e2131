/* Special functions of operands that are equal in all lanes. Such operands repeat from warp to
 * warp: 1/w of surfaces that face the viewer, quotients of constants, the length of the null
 * vector. So the warp keeps some operands with their results, each at a place that follows from the
 * operand. In: operands. Out: the results of alu/sfu.h, and the warp's `results`.
 */
#pragma once

#include "shader/alu/sfu.h"
#include "shader/warp.h"

/* The first lane of v. It is read from a copy: the register of a stencil's argument can be renamed
 * (native/emit.h) only in EVEX instructions. */
LANES_INLINE uint32_t kept_first_lane(u32x32 v) {
#if defined(__AVX512F__)
    const union lanes_halves x = {.v = v};
    __m512i other;
    __asm__("vmovdqa64 %1, %0" : "=v"(other) : "v"(x.h[0]));
    return (uint32_t)_mm512_cvtsi512_si32(other);
#else
    return v[0];
#endif
}

/* True if the first lanes of v differ from the lanes behind these: 16, 8 or 4 lanes, by the SIMD
 * level. Nearly always true if the lanes are not all equal. */
LANES_INLINE bool kept_some_differ(u32x32 v) {
#if defined(__AVX512F__)
    const union lanes_halves x = {.v = v};
    return _mm512_cmpneq_epi32_mask(x.h[0], x.h[1]) != 0;
#elif defined(__AVX2__)
    const union lanes_quarters x = {.v = v};
    const __m256i other = _mm256_xor_si256(x.q[0], x.q[1]);
    return !_mm256_testz_si256(other, other);
#else
    uint64_t word[4]; /* words 0 and 1 hold lanes 0 to 3, words 2 and 3 hold lanes 4 to 7 */
    memcpy(word, &v, sizeof word);
    return word[0] != word[2] || word[1] != word[3];
#endif
}

LANES_INLINE struct kept_result *kept_at(struct kept_result *kept, uint32_t operand) {
    return &kept[operand * 2654435761u >> 30];
}

/* from, to: an operand and its result. Entries hold operand ^ from and result ^ to, so an entry of
 * zeros stands for this pair. */
#define KEPT(name, from, to, function)                                                             \
    LANES_INLINE u32x32 kept_##name(struct warp *w, u32x32 v) {                                    \
        const bool varies = kept_some_differ(v);                                                   \
        struct kept_result *const kept =                                                           \
            varies ? w->results.name : kept_at(w->results.name, kept_first_lane(v));               \
        u32x32 r;                                                                                  \
        if (!varies && !lanes_any((u32x32)(v != lanes_splat(kept->operand ^ (from)))))             \
            return lanes_splat(kept->result ^ (to));                                               \
        r = function;                                                                              \
        if (!varies)                                                                               \
            *kept = (struct kept_result){kept_first_lane(v) ^ (from), kept_first_lane(r) ^ (to)};  \
        return r;                                                                                  \
    }
KEPT(rcp, F32_INF, 0, sfu_rcp(v))
KEPT(rsqrt, F32_INF, 0, sfu_rsqrt(v))
KEPT(rsqrt_rcp, F32_INF, F32_INF, sfu_rsqrt_rcp(v))
KEPT(lg2, F32_ONE, 0, sfu_lg2(v))
KEPT(preex2_ex2, 0, F32_ONE, sfu_preex2_ex2(v))
KEPT(presin_sin, 0, 0, sfu_presin_sin(v, false))
KEPT(presin_cos, 0, F32_ONE, sfu_presin_sin(v, true))
#undef KEPT
