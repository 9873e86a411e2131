/* The part of lanes.h for arm64. */
#pragma once

/* The result of a comparison, hidden from the optimizer. Otherwise clang merges a comparison and a
 * blend into fmaxnm or fminnm, which return a NaN where one operand is a signalling NaN. */
#define VEC_HIDDEN(v)                                                                              \
    ({                                                                                             \
        i32xv hidden_ = (v);                                                                       \
        __asm__("" : "+w"(hidden_));                                                               \
        hidden_;                                                                                   \
    })
