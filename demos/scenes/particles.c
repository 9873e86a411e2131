/* particles: a stream along a knot over a dark mirror, on Fermi. Shows a compute program and a draw
 * that use the same buffer within a frame: the compute program writes the particles for the frame's
 * time; the vertex program reads them as attributes, and a geometry program makes a square of
 * each. */
#include "demos/demo.h"

#include <string.h>

enum { BLOCK = 256, BLOCKS = 128, PARTICLES = BLOCK * BLOCKS, PARTICLE_SIZE = 32 };

struct constants { /* c0[] of the draws */
    struct mat4 view_projection;
    float scale[2];   /* 0x40: scale of a sprite in clip coordinates */
    float up;         /* 0x48: 1, or -1 for the reflection */
    float brightness; /* 0x4c */
};

struct parameters {    /* of the compute program, at c0[0x20] */
    uint64_t buffer;   /* space 0 of g[] begins at 1 << 40 (docs/instruction-sets.md) */
    float time, share; /* share: 1 / number of particles */
};

struct particles {
    struct demo_pass pass;
    struct demo_cover sky;
    tp_program *place;
    tp_buffer *buffer;
};

static bool init(struct demo *demo) {
    struct particles *p = demo->state;
    return (p->buffer = demo_buffer(demo, NULL, (size_t)PARTICLES * PARTICLE_SIZE)) &&
           (p->place = demo_program(demo, "particles.cp")) &&
           demo_load_pass(demo, &p->pass, "particles.vp", "particles.gp", "particles.fp") &&
           demo_load_cover(demo, &p->sky, "sky.vp", "sky.fp");
}

static bool place(struct demo *demo, float time) {
    struct particles *p = demo->state;
    const struct parameters parameters = {UINT64_C(1) << 40, time, 1.0f / PARTICLES};
    uint32_t words[sizeof parameters / 4];
    memcpy(words, &parameters, sizeof words);
    TRY(demo, tp_bind_global(demo->context, 0, p->buffer, 0, PARTICLES * PARTICLE_SIZE));
    TRY(demo, tp_bind_program(demo->context, TP_COMPUTE, p->place));
    TRY(demo, tp_dispatch_3d(demo->context, (const uint32_t[]){BLOCKS, 1, 1},
                             (const uint32_t[]){BLOCK, 1, 1}, words, sizeof words / 4));
    return true;
}

static bool draw(struct demo *demo, const struct constants *c) {
    struct particles *p = demo->state;
    return demo_use_pass(demo, &p->pass, c, sizeof *c) &&
           demo_draw_vertices(demo, p->buffer, (const unsigned[]){4, 4}, 2, TP_POINTS, PARTICLES);
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct particles *p = demo->state;
    static const struct tp_blend_target add = {
        .enable = true, .src_rgb = TP_FACTOR_ONE, .dst_rgb = TP_FACTOR_ONE};
    const struct demo_camera camera =
        demo_orbit_camera(f, v3(0, 0.75f, 0), 8.4f, 0.9 + 0.1 * f->time, 0.6, 0.8, 0.1f, 100);
    struct constants c = {.view_projection = camera.view_projection,
                          .scale = {camera.projection.m[0], camera.projection.m[5]},
                          .up = -1,
                          .brightness = 0.12f};
    struct demo_rays rays =
        demo_rays(&camera, (struct vec4){0, 0, 0, 0}, (struct vec4){0.003f, 0.004f, 0.009f, 0},
                  (struct vec4){0.001f, 0.002f, 0.006f, 0});
    if (!place(demo, (float)f->time) || !demo_draw_sky(demo, f, &p->sky, &rays))
        return false;
    TRY(demo, tp_set_depth(demo->context, &(struct tp_depth_state){0}));
    TRY(demo, tp_set_blend(demo->context, TP_ALL_TARGETS, &add));
    if (!demo_raster(demo, f, (struct tp_raster_state){0}) || !draw(demo, &c))
        return false;
    c.up = 1;
    c.brightness = 0.62f;
    return draw(demo, &c);
}

DEMO_SCENE(particles, TP_CHIP_GF100,
           "a compute program's particles, drawn in the same frame (Fermi)");
