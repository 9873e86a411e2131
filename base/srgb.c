/* The sRGB curve: tables of the linear values of 8-bit codes, correctly rounded; and the function
 * from linear values of 0..1 to encoded ones, in plain double arithmetic without libm, so that the
 * bits are the same on every machine. Knows no formats.
 */
#include "base/srgb.h"

#include "base/format.h"

/* Bits of the 256 values. */
#define LINEAR(X)                                                                                                   \
    X(0x00000000) X(0x399f22b4) X(0x3a1f22b4) X(0x3a6eb40e) X(0x3a9f22b4) X(0x3ac6eb61) X(0x3aeeb40e) X(0x3b0b3e5d) \
    X(0x3b1f22b4) X(0x3b33070a) X(0x3b46eb61) X(0x3b5b518e) X(0x3b70f18f) X(0x3b83e1c6) X(0x3b8fe616) X(0x3b9c87fd) \
    X(0x3ba9c9b6) X(0x3bb7ad6f) X(0x3bc6354a) X(0x3bd56360) X(0x3be539c1) X(0x3bf5ba71) X(0x3c0373b6) X(0x3c0c6153) \
    X(0x3c15a705) X(0x3c1f45be) X(0x3c293e6b) X(0x3c3391f7) X(0x3c3e4149) X(0x3c494d44) X(0x3c54b6c9) X(0x3c607eb4) \
    X(0x3c6ca5df) X(0x3c792d22) X(0x3c830aa9) X(0x3c89af9f) X(0x3c9085dc) X(0x3c978dc6) X(0x3c9ec7c2) X(0x3ca63433) \
    X(0x3cadd37d) X(0x3cb5a602) X(0x3cbdac21) X(0x3cc5e63a) X(0x3cce54ac) X(0x3cd6f7d5) X(0x3cdfd010) X(0x3ce8ddba) \
    X(0x3cf2212d) X(0x3cfb9ac3) X(0x3d02a56a) X(0x3d0798dd) X(0x3d0ca7e6) X(0x3d11d2af) X(0x3d171964) X(0x3d1c7c30) \
    X(0x3d21fb3c) X(0x3d2796b2) X(0x3d2d4ebb) X(0x3d332381) X(0x3d39152b) X(0x3d3f23e4) X(0x3d454fd2) X(0x3d4b991d) \
    X(0x3d51ffec) X(0x3d588468) X(0x3d5f26b6) X(0x3d65e6fd) X(0x3d6cc563) X(0x3d73c20e) X(0x3d7add24) X(0x3d810b65) \
    X(0x3d84b793) X(0x3d88732e) X(0x3d8c3e48) X(0x3d9018f4) X(0x3d940344) X(0x3d97fd49) X(0x3d9c0715) X(0x3da020ba) \
    X(0x3da44a4a) X(0x3da883d6) X(0x3daccd6f) X(0x3db12727) X(0x3db5910f) X(0x3dba0b38) X(0x3dbe95b3) X(0x3dc33090) \
    X(0x3dc7dbe0) X(0x3dcc97b4) X(0x3dd1641d) X(0x3dd6412b) X(0x3ddb2eee) X(0x3de02d76) X(0x3de53cd4) X(0x3dea5d18) \
    X(0x3def8e51) X(0x3df4d090) X(0x3dfa23e5) X(0x3dff885e) X(0x3e027f06) X(0x3e05427f) X(0x3e080ea2) X(0x3e0ae377) \
    X(0x3e0dc104) X(0x3e10a753) X(0x3e13966a) X(0x3e168e51) X(0x3e198f0f) X(0x3e1c98ac) X(0x3e1fab30) X(0x3e22c6a1) \
    X(0x3e25eb07) X(0x3e29186a) X(0x3e2c4ed0) X(0x3e2f8e42) X(0x3e32d6c5) X(0x3e362862) X(0x3e39831f) X(0x3e3ce703) \
    X(0x3e405417) X(0x3e43ca60) X(0x3e4749e6) X(0x3e4ad2af) X(0x3e4e64c3) X(0x3e520029) X(0x3e55a4e7) X(0x3e595305) \
    X(0x3e5d0a89) X(0x3e60cb7a) X(0x3e6495df) X(0x3e6869be) X(0x3e6c471f) X(0x3e702e07) X(0x3e741e7e) X(0x3e78188b) \
    X(0x3e7c1c33) X(0x3e8014bf) X(0x3e822039) X(0x3e84308b) X(0x3e8645b8) X(0x3e885fc3) X(0x3e8a7eb0) X(0x3e8ca281) \
    X(0x3e8ecb3b) X(0x3e90f8df) X(0x3e932b72) X(0x3e9562f6) X(0x3e979f6f) X(0x3e99e0e0) X(0x3e9c274c) X(0x3e9e72b6) \
    X(0x3ea0c321) X(0x3ea31890) X(0x3ea57307) X(0x3ea7d288) X(0x3eaa3716) X(0x3eaca0b6) X(0x3eaf0f68) X(0x3eb18332) \
    X(0x3eb3fc15) X(0x3eb67a14) X(0x3eb8fd34) X(0x3ebb8576) X(0x3ebe12de) X(0x3ec0a56e) X(0x3ec33d2a) X(0x3ec5da14) \
    X(0x3ec87c30) X(0x3ecb2380) X(0x3ecdd008) X(0x3ed081ca) X(0x3ed338c9) X(0x3ed5f508) X(0x3ed8b68a) X(0x3edb7d52) \
    X(0x3ede4963) X(0x3ee11abf) X(0x3ee3f169) X(0x3ee6cd65) X(0x3ee9aeb5) X(0x3eec955b) X(0x3eef815c) X(0x3ef272b8) \
    X(0x3ef56974) X(0x3ef86593) X(0x3efb6716) X(0x3efe6e00) X(0x3f00bd2b) X(0x3f02460c) X(0x3f03d1a5) X(0x3f055ff7) \
    X(0x3f06f104) X(0x3f0884cd) X(0x3f0a1b54) X(0x3f0bb499) X(0x3f0d509f) X(0x3f0eef65) X(0x3f1090ef) X(0x3f12353d) \
    X(0x3f13dc50) X(0x3f15862a) X(0x3f1732cc) X(0x3f18e237) X(0x3f1a946e) X(0x3f1c4970) X(0x3f1e0140) X(0x3f1fbbde) \
    X(0x3f21794d) X(0x3f23398c) X(0x3f24fc9f) X(0x3f26c285) X(0x3f288b41) X(0x3f2a56d2) X(0x3f2c253c) X(0x3f2df67f) \
    X(0x3f2fca9c) X(0x3f31a194) X(0x3f337b6a) X(0x3f35581d) X(0x3f3737b0) X(0x3f391a24) X(0x3f3aff7a) X(0x3f3ce7b2) \
    X(0x3f3ed2cf) X(0x3f40c0d2) X(0x3f42b1bc) X(0x3f44a58e) X(0x3f469c49) X(0x3f4895ef) X(0x3f4a9280) X(0x3f4c91ff) \
    X(0x3f4e946c) X(0x3f5099c9) X(0x3f52a216) X(0x3f54ad56) X(0x3f56bb88) X(0x3f58ccaf) X(0x3f5ae0cc) X(0x3f5cf7df) \
    X(0x3f5f11ea) X(0x3f612eef) X(0x3f634eee) X(0x3f6571e9) X(0x3f6797e0) X(0x3f69c0d5) X(0x3f6becca) X(0x3f6e1bbf) \
    X(0x3f704db5) X(0x3f7282ae) X(0x3f74baab) X(0x3f76f5ae) X(0x3f7933b6) X(0x3f7b74c6) X(0x3f7db8de) X(0x3f800000)

#define WORD(bits) bits,
#define BYTE_0(bits) (uint8_t)(bits),
#define BYTE_1(bits) (uint8_t)((bits) >> 8),
#define BYTE_2(bits) (uint8_t)((bits) >> 16),
#define BYTE_3(bits) (uint8_t)((bits) >> 24),
#define LOW_HALF(bits) (uint16_t)(bits),
#define HIGH_HALF(bits) (uint16_t)((bits) >> 16),
const uint32_t srgb8_linear[256] = {LINEAR(WORD)};
const uint16_t srgb8_linear_halves[2][256] = {{LINEAR(LOW_HALF)}, {LINEAR(HIGH_HALF)}};
const uint8_t srgb8_linear_bytes[4][256] = {{LINEAR(BYTE_0)}, {LINEAR(BYTE_1)}, {LINEAR(BYTE_2)}, {LINEAR(BYTE_3)}};

/* log2 of a positive normal double: exponent plus the atanh series of the mantissa. */
static double log2_exact(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
    double m;
    memcpy(&m, &bits, 8);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        exponent++;
    }
    const double t = (m - 1.0) / (m + 1.0), t2 = t * t;
    double sum = 0.0;
    for (int k = 21; k >= 1; k -= 2)
        sum = sum * t2 + 1.0 / k;
    return exponent + 2.8853900817779268 * t * sum; /* 2 / ln 2 */
}

/* 2^x for -1000 < x <= 0: Taylor series of the fraction, exponent from the whole part. */
static double exp2_exact(double x) {
    const int whole = (int)x;
    const double f = (x - whole) * 0.69314718055994531;
    double sum = 1.0;
    for (int k = 16; k >= 1; k--)
        sum = 1.0 + sum * f / k;
    const uint64_t bits = (uint64_t)(1023 + whole) << 52;
    double scale;
    memcpy(&scale, &bits, 8);
    return sum * scale;
}

float linear_to_srgb(float l) {
    if (!(l > 0.0f))
        return 0.0f;
    if (l >= 1.0f)
        return 1.0f;
    if (l <= 0.0031308f)
        return (float)(l * 12.92);
    return (float)(1.055 * exp2_exact(log2_exact(l) / 2.4) - 0.055);
}
