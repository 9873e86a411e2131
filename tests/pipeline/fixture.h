/* Fixture of the pipeline tests: a device with a context, a small target, programs that pass
 * position and colour through, and read-back of pixels, all through the public API. The fixture
 * owns the objects that its functions make, until it is closed. */
#ifndef TESTS_PIPELINE_FIXTURE_H
#define TESTS_PIPELINE_FIXTURE_H

#include "include/teslapipe.h"
#include "tests/test.h"
#include "tests/shapes.h"

struct fixture {
    tp_device *device;
    tp_context *context;
    tp_texture *color, *zeta;
    tp_program *vp, *fp;
    tp_buffer *vertices;
    uint32_t size;
    uint8_t *pixels; /* RGBA8 */
    char log[512];   /* the last line */
    int warnings;    /* lines of level 1 */
    struct fixture_owned {
        tp_program *program;
        tp_buffer *buffer;
        tp_texture *texture;
    } *owned;
    size_t owned_count;
};

#define OK(f, call)                                                                                \
    do {                                                                                           \
        if ((call) != TP_OK)                                                                       \
            fail_msg("%s: %s", #call, tp_message((f)->device));                                    \
    } while (0)

/* Attributes: x y z w, r g b a. Slots 4 to 7 are the colour. */
static const char pass_vp[] = ".attr 0 xyzw\n.attr 1 xyzw\n"
                              ".output position o[0x0]\n.output varying o[0x10] 4\n"
                              "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
                              "mov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
                              "mov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\n"
                              "mov b32 o[0x18] a[0x18]\nexit mov b32 o[0x1c] a[0x1c]\n";
static const char smooth_fp[] = ".interpolants position=w smooth=4\n"
                                "interp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
                                "interp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\n"
                                "interp $r2 v[0xc] $r4\ninterp $r3 v[0x10] $r4\nexit nop\n";

/* Blending that adds the fragment's colour to the target's. */
static const struct tp_blend_target fixture_add = {.enable = true,
                                                   .src_rgb = TP_FACTOR_ONE,
                                                   .dst_rgb = TP_FACTOR_ONE,
                                                   .src_alpha = TP_FACTOR_ONE,
                                                   .dst_alpha = TP_FACTOR_ONE};

static inline void fixture_log(void *self, int level, const char *line) {
    struct fixture *const f = self;
    f->warnings += level == 1;
    snprintf(f->log, sizeof f->log, "%s", line);
}

static inline struct fixture_owned *fixture_own(struct fixture *f) {
    f->owned = realloc(f->owned, (f->owned_count + 1) * sizeof *f->owned);
    struct fixture_owned *const one = &f->owned[f->owned_count++];
    *one = (struct fixture_owned){0};
    return one;
}

static inline tp_program *fixture_program(struct fixture *f, enum tp_stage stage,
                                          const char *text) {
    struct fixture_owned *const one = fixture_own(f);
    OK(f, tp_program_from_text(f->device, stage, text, "test", &one->program));
    return one->program;
}

/* A buffer with this content, or zeros if data is NULL. */
static inline tp_buffer *fixture_buffer(struct fixture *f, size_t size, const void *data) {
    struct fixture_owned *const one = fixture_own(f);
    OK(f, tp_buffer_create(f->device, size, data, &one->buffer));
    return one->buffer;
}

static inline tp_texture *fixture_texture(struct fixture *f, const struct tp_texture_info *info) {
    struct fixture_owned *const one = fixture_own(f);
    OK(f, tp_texture_create(f->device, info, &one->texture));
    return one->texture;
}

static inline tp_texture *fixture_picture(struct fixture *f, enum tp_format format, uint32_t width,
                                          uint32_t height) {
    return fixture_texture(
        f, &(struct tp_texture_info){
               .kind = TP_TEXTURE_2D, .format = format, .width = width, .height = height});
}

/* An array of layers, not bound. */
static inline tp_texture *fixture_array(struct fixture *f, enum tp_format format, uint32_t width,
                                        uint32_t height, uint32_t layers) {
    return fixture_texture(
        f, &TEXTURE_INFO(TP_TEXTURE_2D_ARRAY, format, width, height, .layers = layers));
}

/* Binds all layers of a new RGBA8 array as the target. */
static inline tp_texture *fixture_layers(struct fixture *f, uint32_t width, uint32_t height,
                                         uint32_t layers) {
    tp_texture *const array = fixture_array(f, TP_FORMAT_RGBA8, width, height, layers);
    OK(f, tp_set_targets(f->context, 1, &(struct tp_target){array, 0, 0, true}, NULL));
    return array;
}

/* Binds new RGBA8 and Z24S8 targets with this number of samples. */
static inline void fixture_samples(struct fixture *f, uint32_t width, uint32_t height,
                                   uint32_t samples) {
    struct tp_texture_info info =
        TEXTURE_INFO(TP_TEXTURE_2D, TP_FORMAT_RGBA8, width, height, .samples = samples);
    f->color = fixture_texture(f, &info);
    info.format = TP_FORMAT_Z24S8;
    f->zeta = fixture_texture(f, &info);
    OK(f, tp_set_target(f->context, f->color, f->zeta));
}

static inline tp_program *fixture_bind(struct fixture *f, enum tp_stage stage, const char *text) {
    tp_program *p = fixture_program(f, stage, text);
    OK(f, tp_bind_program(f->context, stage, p));
    return p;
}

/* Opens a device and a context, without targets and programs. */
static inline void fixture_open_device(struct fixture *f, struct tp_device_info info) {
    memset(f, 0, sizeof *f);
    info.log = fixture_log;
    info.log_self = f;
    OK(f, tp_device_create(&info, &f->device));
    OK(f, tp_context_create(f->device, &f->context));
}

/* Opens a device with a cleared size x size RGBA8 target and no programs. Returns false if the
 * build lacks the engine. */
static inline bool fixture_open_chip(struct fixture *f, enum tp_chip chip, int threads,
                                     const char *engine, uint32_t size) {
    memset(f, 0, sizeof *f);
    const struct tp_device_info info = {.chip = chip,
                                        .threads = threads,
                                        .engine = engine,
                                        .warp_budget = 1 << 22, /* instructions, not time */
                                        .memory = 64 << 20,
                                        .log = fixture_log,
                                        .log_self = f};
    if (tp_device_create(&info, &f->device) != TP_OK)
        return false;
    OK(f, tp_context_create(f->device, &f->context));
    f->color = fixture_picture(f, TP_FORMAT_RGBA8, size, size);
    OK(f, tp_set_target(f->context, f->color, NULL));
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
    f->size = size;
    f->pixels = calloc(size * size, 4);
    return true;
}

/* Opens a size x size RGBA8 target with Z24S8, cleared to 0 and depth 1; pass_vp and smooth_fp are
 * bound. */
static inline void fixture_open_engine(struct fixture *f, int threads, const char *simd,
                                       const char *engine, uint32_t size) {
    fixture_open_device(f, (struct tp_device_info){.chip = TP_CHIP_GT215,
                                                   .threads = threads,
                                                   .simd = simd,
                                                   .engine = engine,
                                                   /* instructions, not time */
                                                   .warp_budget = 1 << 22});
    f->size = size;
    f->color = fixture_picture(f, TP_FORMAT_RGBA8, size, size);
    f->zeta = fixture_picture(f, TP_FORMAT_Z24S8, size, size);
    OK(f, tp_set_target(f->context, f->color, f->zeta));
    f->vp = fixture_bind(f, TP_VERTEX, pass_vp);
    f->fp = fixture_bind(f, TP_FRAGMENT, smooth_fp);
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, NULL, 1, 0));
    f->pixels = calloc(size * size, 4);
}

static inline void fixture_open(struct fixture *f, int threads, const char *simd, uint32_t size) {
    fixture_open_engine(f, threads, simd, NULL, size);
}

static inline void fixture_close(struct fixture *f) {
    for (struct fixture_owned *one = f->owned; one < f->owned + f->owned_count; one++) {
        tp_program_destroy(one->program);
        tp_buffer_destroy(one->buffer);
        tp_texture_destroy(one->texture);
    }
    free(f->owned);
    tp_buffer_destroy(f->vertices);
    tp_context_destroy(f->context);
    tp_device_destroy(f->device);
    free(f->pixels);
}

/* A fixture, closed at the end of the C block. */
#define FIXTURE_OPEN(f, open, ...)                                                                 \
    struct fixture f __attribute__((cleanup(fixture_close)));                                      \
    open(&f, __VA_ARGS__)
#define FIXTURE(f, threads, simd, size) FIXTURE_OPEN(f, fixture_open, threads, simd, size)
#define FIXTURE_ENGINE(f, ...) FIXTURE_OPEN(f, fixture_open_engine, __VA_ARGS__)
#define FIXTURE_DEVICE(f, ...) FIXTURE_OPEN(f, fixture_open_device, __VA_ARGS__)
/* Defines a test with a fixture *f that has this number of threads and this size. */
#define DRAW_TEST(name, threads, size)                                                             \
    static void name##_with(struct fixture *);                                                     \
    TEST(name) {                                                                                   \
        FIXTURE(f, threads, NULL, size);                                                           \
        name##_with(&f);                                                                           \
    }                                                                                              \
    static void name##_with(struct fixture *f)

/* Binds n vertices of x y z w, r g b a as attributes 0 and 1. */
static inline void fixture_vertices(struct fixture *f, const float (*v)[8], uint32_t n) {
    tp_buffer_destroy(f->vertices);
    OK(f, tp_buffer_create(f->device, n * sizeof *v, v, &f->vertices));
    OK(f, tp_bind_vertices(f->context, 0, f->vertices, 0, sizeof *v, 0));
    OK(f, tp_set_attribute(f->context, 0, 0, 0, 4, TP_FLOAT32));
    OK(f, tp_set_attribute(f->context, 1, 0, 16, 4, TP_FLOAT32));
}

/* Enables the depth test with this function, and writes of depth. */
static inline void fixture_depth(struct fixture *f, enum tp_func func) {
    const struct tp_depth_state depth = {.test = true, .write = true, .func = func};
    OK(f, tp_set_depth(f->context, &depth));
}

/* The corners of a triangle that covers the target, in one colour. */
#define WHOLE(z, r, g, b, a)                                                                       \
    {-1, -1, z, 1, r, g, b, a}, {3, -1, z, 1, r, g, b, a}, {                                       \
        -1, 3, z, 1, r, g, b, a                                                                    \
    }

/* Binds a white vertex in the middle of each pixel, row by row. */
static inline void fixture_points(struct fixture *f) {
    const uint32_t count = f->size * f->size;
    float(*v)[8] = malloc(count * sizeof *v);
    for (uint32_t i = 0; i < count; i++) {
        const float x = (2 * (float)(i % f->size) + 1) / (float)f->size - 1;
        const float y = 1 - (2 * (float)(i / f->size) + 1) / (float)f->size;
        memcpy(v[i], (float[8]){x, y, 0, 1, 1, 1, 1, 1}, sizeof *v);
    }
    fixture_vertices(f, (const float(*)[8])v, count);
    free(v);
}

static inline void fixture_draw(struct fixture *f, enum tp_primitive type, const float (*v)[8],
                                uint32_t n) {
    fixture_vertices(f, v, n);
    OK(f, tp_draw_arrays(f->context, type, 0, n));
}

static inline void fixture_read(struct fixture *f) {
    OK(f, tp_texture_read_rgba8(f->context, f->color, f->pixels));
}

/* The pixel as 0xAABBGGRR. */
static inline uint32_t fixture_pixel(const struct fixture *f, uint32_t x, uint32_t y) {
    uint32_t p;
    memcpy(&p, f->pixels + 4 * (y * f->size + x), 4);
    return p;
}

/* The number of pixels that are not 0. */
static inline uint32_t fixture_count(const struct fixture *f) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->size * f->size; i++)
        n += fixture_pixel(f, i % f->size, i / f->size) != 0;
    return n;
}

#endif
