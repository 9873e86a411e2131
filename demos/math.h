/* Vectors and 4x4 matrices for the demo scenes: right-handed, y up, matrices in column order as the
 * programs read them from c0[] (column i at byte 16 * i). Sine and cosine are implemented here,
 * because those of libm differ in the last bit between machines and would change pictures. */
#pragma once

#include <math.h>
#include <stdint.h>

#define DEMO_PI 3.14159265358979323846

struct vec3 {
    float x, y, z;
};
struct vec4 {
    float x, y, z, w;
};
struct mat4 {
    float m[16];
};

/* Sine by a Taylor series in double after folding to [-pi/2, pi/2]; exact to float precision. */
static inline double demo_sin(double x) {
    double turns = x / (2 * DEMO_PI);
    turns -= floor(turns + 0.5);
    double a = turns * 2 * DEMO_PI;
    if (a > DEMO_PI / 2)
        a = DEMO_PI - a;
    else if (a < -DEMO_PI / 2)
        a = -DEMO_PI - a;
    double a2 = a * a, term = a, sum = a;
    for (int i = 1; i < 10; i++) {
        term *= -a2 / ((2 * i) * (2 * i + 1));
        sum += term;
    }
    return sum;
}

static inline double demo_cos(double x) {
    return demo_sin(x + DEMO_PI / 2);
}

/* Returns e to the power x, for -700 < x < 700. */
static inline double demo_exp(double x) {
    double n = floor(x / 0.69314718055994531 + 0.5), r = x - n * 0.69314718055994531;
    double term = 1, sum = 1;
    for (int i = 1; i < 14; i++) {
        term *= r / i;
        sum += term;
    }
    return ldexp(sum, (int)n);
}

static inline float demo_clamp(float x, float low, float high) {
    return x < low ? low : x > high ? high : x;
}

/* Returns a number from 0 to 1 as a byte. */
static inline uint8_t demo_byte(float x) {
    return (uint8_t)(255 * demo_clamp(x, 0, 1) + 0.5f);
}

/* Returns the fractional part, for offsets in textures that repeat: small offsets are precise. */
static inline float demo_fraction(double x) {
    return (float)(x - floor(x));
}

static inline float demo_mix(float a, float b, float t) {
    return a + (b - a) * t;
}

static inline float demo_smoothstep(float low, float high, float x) {
    float t = demo_clamp((x - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}

/* Returns a number in [0, 1) for each integer, well mixed (Wang's hash). */
static inline float demo_random(uint32_t n) {
    n = (n ^ 61) ^ (n >> 16);
    n *= 9;
    n ^= n >> 4;
    n *= 0x27d4eb2d;
    n ^= n >> 15;
    return (float)(n >> 8) * (1.0f / 16777216);
}

static inline struct vec3 v3(float x, float y, float z) {
    return (struct vec3){x, y, z};
}

static inline struct vec3 v3_add(struct vec3 a, struct vec3 b) {
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline struct vec3 v3_sub(struct vec3 a, struct vec3 b) {
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline struct vec3 v3_scale(struct vec3 a, float s) {
    return v3(a.x * s, a.y * s, a.z * s);
}

static inline float v3_dot(struct vec3 a, struct vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vec3 v3_cross(struct vec3 a, struct vec3 b) {
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* Normalizes a vector; the zero vector stays zero. */
static inline struct vec3 v3_normalize(struct vec3 a) {
    float length = sqrtf(v3_dot(a, a));
    return length > 0 ? v3_scale(a, 1 / length) : a;
}

static inline struct mat4 mat4_identity(void) {
    return (struct mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

/* Returns a * b, which applies b first. */
static inline struct mat4 mat4_mul(struct mat4 a, struct mat4 b) {
    struct mat4 r;
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < 4; i++)
            r.m[4 * c + i] = a.m[i] * b.m[4 * c] + a.m[4 + i] * b.m[4 * c + 1] +
                             a.m[8 + i] * b.m[4 * c + 2] + a.m[12 + i] * b.m[4 * c + 3];
    return r;
}

static inline struct mat4 mat4_translate(struct vec3 t) {
    struct mat4 r = mat4_identity();
    r.m[12] = t.x;
    r.m[13] = t.y;
    r.m[14] = t.z;
    return r;
}

static inline struct mat4 mat4_scale(struct vec3 s) {
    return (struct mat4){{s.x, 0, 0, 0, 0, s.y, 0, 0, 0, 0, s.z, 0, 0, 0, 0, 1}};
}

static inline struct mat4 mat4_rotate_x(double angle) {
    float s = (float)demo_sin(angle), c = (float)demo_cos(angle);
    return (struct mat4){{1, 0, 0, 0, 0, c, s, 0, 0, -s, c, 0, 0, 0, 0, 1}};
}

static inline struct mat4 mat4_rotate_y(double angle) {
    float s = (float)demo_sin(angle), c = (float)demo_cos(angle);
    return (struct mat4){{c, 0, -s, 0, 0, 1, 0, 0, s, 0, c, 0, 0, 0, 0, 1}};
}

static inline struct mat4 mat4_rotate_z(double angle) {
    float s = (float)demo_sin(angle), c = (float)demo_cos(angle);
    return (struct mat4){{c, s, 0, 0, -s, c, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

/* fov: vertical field of view in radians; depth -1..1 in ndc, as the viewport helper expects. */
static inline struct mat4 mat4_perspective(double fov, float aspect, float near, float far) {
    float f = (float)(demo_cos(fov / 2) / demo_sin(fov / 2));
    struct mat4 r = {{0}};
    r.m[0] = f / aspect;
    r.m[5] = f;
    r.m[10] = (far + near) / (near - far);
    r.m[11] = -1;
    r.m[14] = 2 * far * near / (near - far);
    return r;
}

static inline struct mat4 mat4_look_at(struct vec3 eye, struct vec3 at, struct vec3 up) {
    struct vec3 z = v3_normalize(v3_sub(eye, at));
    struct vec3 x = v3_normalize(v3_cross(up, z));
    struct vec3 y = v3_cross(z, x);
    return (struct mat4){{x.x, y.x, z.x, 0, x.y, y.y, z.y, 0, x.z, y.z, z.z, 0, -v3_dot(x, eye),
                          -v3_dot(y, eye), -v3_dot(z, eye), 1}};
}
