/* mandelbrot: the set, zooming in and out of the seahorse valley. Shows a divergent loop: every
 * lane leaves it by break when its own point escapes, and the warp continues until the last lane
 * has left. The colour comes from a smooth palette made by lg2 and cos.
 */
#include "demos/demo.h"

struct constants { /* c0[] */
    float center[2];
    float extent[2]; /* 0x08: half width and height of the view in the plane */
    float palette;   /* 0x10: phase of the colours */
    float limit;     /* 0x14: iterations after which a point counts as inside */
};

struct mandelbrot {
    struct demo_cover cover;
};

static bool init(struct demo *demo) {
    struct mandelbrot *m = demo->state;
    return demo_load_cover(demo, &m->cover, "mandelbrot.vp", "mandelbrot.fp");
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct mandelbrot *m = demo->state;
    /* In and out in 40 s, to a depth at which the steps of f32 are not yet visible. */
    double depth = 0.5 - 0.5 * demo_cos(2 * DEMO_PI * f->time / 40);
    float zoom = f->orbit.zoom > 0 ? f->orbit.zoom : 1;
    float half = 1.35f * (float)demo_exp(-6.2 * depth) * zoom;
    float aspect = (float)f->width / (float)f->height;
    struct constants c = {
        .center = {demo_mix(-0.65f, -0.743644f, demo_smoothstep(0, 0.35f, (float)depth)) -
                       f->orbit.yaw * half * aspect,
                   demo_mix(0, 0.131826f, demo_smoothstep(0, 0.35f, (float)depth)) +
                       f->orbit.pitch * half},
        .extent = {half * aspect, half},
        .palette = (float)(0.02 * f->time),
        .limit = (float)floor(100 + 250 * depth),
    };
    TRY(demo, tp_set_depth(demo->context, &(struct tp_depth_state){0}));
    return demo_raster(demo, f, (struct tp_raster_state){0}) &&
           (!f->wireframe || demo_clear(demo, v3(0, 0, 0))) &&
           demo_draw_cover(demo, &m->cover, &c, sizeof c);
}

DEMO_SCENE(mandelbrot, TP_CHIP_GT215, "the Mandelbrot set: a divergent loop with break");
