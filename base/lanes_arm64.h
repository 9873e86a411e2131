/* What lanes.h needs on arm64 alone. A part of lanes.h.
 */
#ifndef BASE_LANES_ARM64_H
#define BASE_LANES_ARM64_H

/* The result of a comparison, its origin hidden. Clang makes fmaxnm or fminnm of a comparison and a
 * blend; these give a NaN for a signalling NaN. */
#define VEC_HIDDEN(v)                                                                              \
    ({                                                                                             \
        i32xv hidden_ = (v);                                                                       \
        __asm__("" : "+w"(hidden_));                                                               \
        hidden_;                                                                                   \
    })

#endif
