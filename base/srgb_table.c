/* The sRGB curve from linear values to codes, with the same bits as format_encode(). The least float
 * of each code was found by bisection of format_encode().
 */
#include "base/srgb.h"

/* The curve from linear values to codes, for look-ups in registers. Each run of 2^21 floats has a
 * line near its codes. The line begins at start / 2^7 and rises by slope / 2^16 for each 2^13
 * floats. A float's code is the line's code, unless the float is below the least float of that code
 * (srgb8_least_halves). Then its code is the line's code minus 1. */
const struct srgb8_lines srgb8_lines = {
    .slope = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 408, 412, 0, 368, 660, 588, 528, 488, 880, 796,
        716, 656, 1172, 1056, 964, 884, 1584, 1408, 1276, 1172, 2104, 1876, 1704, 1568, 2824, 2508,
        2264, 2080, 3760, 3344, 3028, 2788, 5040, 4456, 4040, 3616,
    },
    .start = {
        191, 255, 255, 255, 255, 255, 255, 319, 383, 383, 447, 511, 575, 703, 831, 895, 953, 1158, 1471,
        1566, 1755, 2086, 2383, 2650, 2902, 3341, 3736, 4094, 4431, 5019, 5543, 6022, 6467, 7258, 7960,
        8597, 9195, 10246, 11182, 12034, 12826, 14234, 15487, 16623, 17682, 19560, 21232, 22746, 24157,
        26668, 28900, 30935,
    },
};

#define LEAST(X) \
    X(0x0) X(0x1f22b5) X(0xeeb40e) X(0x146eb62) X(0x18b3e5e) X(0x1b3070c) X(0x1dacfb7) \
    X(0x2014c33) X(0x2153089) X(0x22914e1) X(0x23cf936) X(0x250f2d2) X(0x265fb9a) X(0x27c3404) \
    X(0x289d05f) X(0x2962334) X(0x2a314bd) X(0x2b0a732) X(0x2bedcb7) X(0x2cdb76f) X(0x2dd3967) \
    X(0x2ed64b1) X(0x2fe3b46) X(0x307df92) X(0x310f91a) X(0x31a6b33) X(0x32436c7) X(0x32e5cc8) \
    X(0x338de19) X(0x343bba5) X(0x34ef647) X(0x35a8ee5) X(0x3668653) X(0x372dd74) X(0x37f950f) \
    X(0x3865704) X(0x38d148f) X(0x3940397) X(0x39b247c) X(0x3a277a8) X(0x3a9fd77) X(0x3b1b654) \
    X(0x3b9a298) X(0x3c1c2aa) X(0x3ca16e2) X(0x3d29fa6) X(0x3db5d4a) X(0x3e45034) X(0x3ed78b4) \
    X(0x3f6d730) X(0x40035fb) X(0x4051bb5) X(0x40a1cec) X(0x40f39d1) X(0x414728a) X(0x419c746) \
    X(0x41f382b) X(0x424c568) X(0x42a6f21) X(0x4303585) X(0x43618b7) X(0x43c18e5) X(0x4423631) \
    X(0x44870ca) X(0x44ec8d1) X(0x4553e76) X(0x45bd1d3) X(0x462831c) X(0x469526a) X(0x4703ff2) \
    X(0x4774bca) X(0x47e7627) X(0x482df90) X(0x4869374) X(0x48a56cb) X(0x48e29ad) X(0x4920c27) \
    X(0x495fe51) X(0x49a0035) X(0x49e11ee) X(0x4a23384) X(0x4a66512) X(0x4aaa6a0) X(0x4aef849) \
    X(0x4b35a15) X(0x4b7cc1d) X(0x4bc4e6a) X(0x4c0e116) X(0x4c58428) X(0x4ca37bb) X(0x4cefbd5) \
    X(0x4d3d091) X(0x4d8b5f5) X(0x4ddac1b) X(0x4e2b309) X(0x4e7cadb) X(0x4ecf395) X(0x4f22d52) \
    X(0x4f77817) X(0x4fcd3fe) X(0x5012087) X(0x503dfaf) X(0x506a77b) X(0x50977f7) X(0x50c5126) \
    X(0x50f3315) X(0x5121dc5) X(0x5151144) X(0x5180d95) X(0x51b12c3) X(0x51e20d1) X(0x52137cc) \
    X(0x52457b5) X(0x527809a) X(0x52ab27c) X(0x52ded69) X(0x5313160) X(0x5347e71) X(0x537d49b) \
    X(0x53b33ed) X(0x53e9c66) X(0x5420e15) X(0x54588fa) X(0x5490d23) X(0x54c9a8f) X(0x550314d) \
    X(0x553d15c) X(0x5577acb) X(0x55b2d99) X(0x55ee9d6) X(0x562af7c) X(0x5667ea1) X(0x56a573c) \
    X(0x56e3964) X(0x572250f) X(0x5761a54) X(0x57a192a) X(0x57e21a6) X(0x58119e1) X(0x58327c8) \
    X(0x5853a85) X(0x5875223) X(0x5896e9c) X(0x58b8ffd) X(0x58db640) X(0x58fe171) X(0x592118a) \
    X(0x5944697) X(0x5968093) X(0x598bf8a) X(0x59b0376) X(0x59d4c62) X(0x59f9a4a) X(0x5a1ed39) \
    X(0x5a44529) X(0x5a6a227) X(0x5a9042c) X(0x5ab6b45) X(0x5add76b) X(0x5b048ab) X(0x5b2beff) \
    X(0x5b53a72) X(0x5b7baff) X(0x5ba40b2) X(0x5bccb84) X(0x5bf5b82) X(0x5c1f0a5) X(0x5c48afa) \
    X(0x5c72a7b) X(0x5c9cf33) X(0x5cc791c) X(0x5cf2843) X(0x5d1dca0) X(0x5d49642) X(0x5d7551f) \
    X(0x5da1947) X(0x5dce2b0) X(0x5dfb168) X(0x5e28569) X(0x5e55ebe) X(0x5e83d61) X(0x5eb215e) \
    X(0x5ee0aae) X(0x5f0f960) X(0x5f3ed69) X(0x5f6e6d8) X(0x5f9e5a6) X(0x5fce9df) X(0x5fff37c) \
    X(0x6018145) X(0x6030b81) X(0x6049878) X(0x6062826) X(0x607ba92) X(0x6094fb8) X(0x60ae79f) \
    X(0x60c8243) X(0x60e1fab) X(0x60fbfd1) X(0x61162be) X(0x613086d) X(0x614b0e5) X(0x6165c21) \
    X(0x6180a29) X(0x619baf8) X(0x61b6e96) X(0x61d24fd) X(0x61ede36) X(0x6209a3b) X(0x6225913) \
    X(0x6241aba) X(0x625df38) X(0x627a687) X(0x62970af) X(0x62b3dab) X(0x62d0d83) X(0x62ee031) \
    X(0x630b5bd) X(0x6328e22) X(0x6346969) X(0x636478a) X(0x638288f) X(0x63a0c71) X(0x63bf33a) \
    X(0x63ddce3) X(0x63fc975) X(0x641b8e9) X(0x643ab48) X(0x645a08d) X(0x64798bf) X(0x64993d9) \
    X(0x64b91e3) X(0x64d92d7) X(0x64f96bd) X(0x6519d90) X(0x653a758) X(0x655b40f) X(0x657c3be) \
    X(0x659d65d) X(0x65bebf7) X(0x65e0484) X(0x660200e) X(0x6623e8e) X(0x664600c) X(0x6668483) \
    X(0x668abfb) X(0x66ad66e) X(0x66d03e5) X(0x66f3458) X(0x67167d2) X(0x6739e4b) X(0x675d7cc) \
    X(0x678144f) X(0x67a53dd) X(0x67c966f) X(0x67edc10)

#define LOW_HALF(bits) (uint16_t)(bits),
#define HIGH_HALF(bits) (uint16_t)((bits) >> 16),
const uint16_t srgb8_least_halves[2][256] = {{LEAST(LOW_HALF)}, {LEAST(HIGH_HALF)}};

/* A step for each 2^16 floats from SRGB8_LOWEST to 1. The upper half of a step is the code of its
 * first float. In a step the code changes at most once, from one code to the next. The code of a
 * float is the upper half of a sum: its step plus the float's low 16 bits. The lower half of a step
 * is chosen so that the sum carries for all floats with the next code.
 */
uint32_t srgb8_step[SRGB8_STEPS];

__attribute__((constructor)) static void make_steps(void) {
#define WHOLE(bits) bits,
    static const uint32_t least[] = {LEAST(WHOLE) UINT32_MAX};
    for (uint32_t i = 0, code = 0; i < SRGB8_STEPS; i++) {
        while (least[code + 1] <= i << 16)
            code++;
        srgb8_step[i] = code << 16 | (least[code + 1] >> 16 == i ? -least[code + 1] & 0xffff : 0);
    }
}
