/* Floats and the words that hold their bits. */
#pragma once

#include <stdint.h>
#include <string.h>

static inline float bits_float(uint32_t u) {
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static inline uint32_t float_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

/* True if a word is likely to be a float: its magnitude is neither tiny nor huge. */
static inline int bits_look_float(uint32_t word) {
    const uint32_t exponent = word >> 23 & 0xff;
    return exponent > 0x50 && exponent < 0xb0;
}
