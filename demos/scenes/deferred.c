/* deferred: a sea of blocks at night under drifting lights. Shows several targets at once: the
 * first pass writes colour, normal, distance and a number into four targets of four formats, two of
 * them of integers, with four samples a pixel. The second pass fetches single samples and lights
 * each pixel once, or once for each sample where the samples are of different surfaces. The strip
 * at the bottom shows the targets.
 */
#include "demos/shapes.h"

enum { SIDE = 31, LIGHTS = 32, TARGETS = 4, SAMPLES = 4 };
enum { STONE, METAL, LAMP, GLAZE, MATERIALS }; /* numbers in the fourth target */
enum { BLOCKS, KNOT, LAMPS };                  /* meshes */
static const float spacing = 0.52f;

struct light { /* c1[] of the second pass */
    struct vec3 at;
    float inverse_square; /* 1 / radius^2 */
    struct vec4 color;
};

struct material { /* c2[] */
    float dull, gloss, shininess, metal;
};

struct light_constants {  /* c0[] of the second pass, as struct demo_rays */
    struct vec4 eye;      /* 0x0 */
    struct vec4 ray[3];   /* 0x10 */
    struct vec4 moon;     /* 0x40 */
    float corner[2];      /* 0x50: corner of the targets in the picture */
    float strip_y;        /* 0x58 */
    float strip_width;    /* 0x5c: 1 / width of a target's part of the strip */
    uint32_t lights_size; /* 0x60 */
};

struct deferred {
    struct demo_pass fill;
    struct demo_cover light;
    struct demo_things things;
    struct light lights[LIGHTS];
    tp_texture *target[TARGETS], *zeta;
};

static const enum tp_format formats[TARGETS] = {TP_FORMAT_RGBA8, TP_FORMAT_RGBA16I, TP_FORMAT_R32F,
                                                TP_FORMAT_R32UI};

/* ---- Things ---- */

/* Returns red, green, blue as h goes from 0 to 1. */
static struct vec3 hue(double h) {
    float c[3];
    for (int i = 0; i < 3; i++) {
        const float wave = 0.5f + 0.5f * (float)demo_cos(2 * DEMO_PI * (h - i / 3.0));
        c[i] = wave * wave * (3 - 2 * wave);
    }
    return v3(c[0], c[1], c[2]);
}

static float block_top(int i, int j, double time) {
    const double x = i - 0.5 * SIDE, z = j - 0.5 * SIDE;
    const double swell = 0.42 * demo_sin(0.42 * x + 0.7 * time) * demo_cos(0.36 * z - 0.5 * time) +
                         0.22 * demo_sin(0.23 * (x + z) - 0.4 * time);
    return (float)swell + 0.3f * demo_random((uint32_t)(SIDE * i + j)) - 0.2f;
}

/* Places the blocks from the nearest corner to the farthest, so that most hidden pixels fail the
 * depth test at once. */
static void place_blocks(struct demo_instance *block, double time, struct vec4 eye) {
    for (int a = 0; a < SIDE; a++)
        for (int b = 0; b < SIDE; b++, block++) {
            const int i = eye.x > 0 ? SIDE - 1 - a : a, j = eye.z > 0 ? SIDE - 1 - b : b;
            const uint32_t n = (uint32_t)(SIDE * i + j);
            const float top = block_top(i, j, time), half = 0.5f * (top + 1.7f);
            const float x = spacing * ((float)i - 0.5f * (SIDE - 1));
            const float z = spacing * ((float)j - 0.5f * (SIDE - 1));
            const float shade = demo_mix(0.30f, 0.55f, demo_random(n + 5000));
            const float kind = demo_random(n + 9000);
            struct vec4 color = {shade, shade, 1.06f * shade, STONE};
            if (kind > 0.93f)
                color = (struct vec4){0.95f, 0.62f, 0.30f, METAL};
            else if (kind > 0.80f)
                color = (struct vec4){0.16f, 0.17f, 0.20f, GLAZE};
            const struct mat4 place = mat4_mul(mat4_translate(v3(x, top - half, z)),
                                               mat4_scale(v3(0.235f, half, 0.235f)));
            *block = demo_place(place, color);
        }
}

static void place_lights(struct deferred *d, double time) {
    struct demo_instance *lamp = d->things.instance + d->things.mesh[LAMPS].first;
    for (int i = 0; i < LIGHTS; i++, lamp++) {
        const double phase = 2.39996 * i, speed = 0.22 + 0.12 * (double)demo_random((uint32_t)i);
        const bool high = i < 8; /* around the knot */
        const double away = high ? 1.5 + 0.12 * i : 1.0 + 5.6 * sqrt((i + 0.5) / LIGHTS);
        const double angle = phase + (i % 2 ? speed : -speed) * time;
        const float y = 0.95f + 0.3f * (float)demo_sin(1.1 * time + 1.7 * i) +
                        (high ? 0.25f * (float)i - 0.1f : 0.0f);
        const struct vec3 at = {(float)(away * demo_cos(angle)), y,
                                (float)(away * demo_sin(angle))};
        const struct vec3 color = hue(0.618034 * i + 0.02 * time);
        const float radius = 2.6f, power = 2.3f;
        d->lights[i] = (struct light){
            at, 1 / (radius * radius), {power * color.x, power * color.y, power * color.z, 0}};
        *lamp = demo_place(mat4_mul(mat4_translate(at), mat4_scale(v3(0.075f, 0.075f, 0.075f))),
                           (struct vec4){0.08f + 0.92f * color.x, 0.08f + 0.92f * color.y,
                                         0.08f + 0.92f * color.z, LAMP});
    }
}

static void place_knot(struct deferred *d, double time) {
    const struct mat4 turn = mat4_mul(mat4_rotate_y(0.4 * time), mat4_rotate_x(0.5));
    const struct mat4 place = mat4_mul(mat4_translate(v3(0, 1.75f, 0)), turn);
    d->things.instance[d->things.mesh[KNOT].first] =
        demo_place(mat4_mul(place, mat4_scale(v3(0.95f, 0.95f, 0.95f))),
                   (struct vec4){0.9f, 0.86f, 0.8f, METAL});
}

static void place_things(struct deferred *d, double time, struct vec4 eye) {
    place_blocks(d->things.instance, time, eye);
    place_lights(d, time);
    place_knot(d, time);
}

static bool init(struct demo *demo) {
    static const uint32_t counts[] = {SIDE * SIDE, 1, LIGHTS};
    struct deferred *d = demo->state;
    struct demo_mesh *mesh[3];
    for (int kind = BLOCKS; kind <= LAMPS; kind++) {
        mesh[kind] = demo_add_mesh(&d->things);
        for (uint32_t i = 0; i < counts[kind]; i++)
            demo_add(&d->things, mat4_identity(), (struct vec4){0, 0, 0, 0});
    }
    return demo_make_box(demo, mesh[BLOCKS]) && demo_make_knot(demo, mesh[KNOT], 160, 20) &&
           demo_make_ball(demo, mesh[LAMPS], 16) &&
           demo_load_pass(demo, &d->fill, "deferred.vp", NULL, "deferred.fp") &&
           demo_load_cover(demo, &d->light, "sky.vp", "deferred_light.fp");
}

/* ---- The first pass ---- */

/* Makes targets as large as the frame's, which show the same window of the picture. */
static bool fit_targets(struct demo *demo, const struct demo_frame *f) {
    struct deferred *d = demo->state;
    const struct tp_texture_info *frame = tp_texture_get_info(f->color);
    for (int i = 0; i <= TARGETS; i++) {
        tp_texture **texture = i < TARGETS ? &d->target[i] : &d->zeta;
        const struct tp_texture_info info = {.kind = TP_TEXTURE_2D,
                                             .format = i < TARGETS ? formats[i] : TP_FORMAT_Z24S8,
                                             .width = frame->width,
                                             .height = frame->height,
                                             .samples = SAMPLES};
        if (!demo_fit_texture(demo, texture, &info))
            return false;
        TRY(demo, tp_texture_set_window(*texture, f->x, f->y, f->width, f->height));
    }
    return true;
}

/* Clears the targets. Number 0 in the fourth target: no surface is there. */
static bool clear_targets(struct demo *demo) {
    for (unsigned i = 0; i < TARGETS; i++)
        TRY(demo, tp_clear_part(demo->context, &(struct tp_clear_info){.what = TP_CLEAR_COLOR,
                                                                       .target = i,
                                                                       .color_mask = 0xf}));
    TRY(demo, tp_clear(demo->context, TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, NULL, 1, 0));
    return true;
}

static bool fill_targets(struct demo *demo, const struct demo_frame *f,
                         const struct demo_camera *camera) {
    struct deferred *d = demo->state;
    struct tp_target color[TARGETS] = {{0}};
    for (int i = 0; i < TARGETS; i++)
        color[i].texture = d->target[i];
    TRY(demo,
        tp_set_targets(demo->context, TARGETS, color, &(struct tp_target){.texture = d->zeta}));
    return clear_targets(demo) && demo_opaque(demo) &&
           demo_raster(demo, f, (struct tp_raster_state){.cull_back = true}) &&
           demo_use_pass(demo, &d->fill, &camera->view_projection, sizeof(struct mat4)) &&
           demo_draw_meshes(demo, &d->things, 0, d->things.meshes);
}

/* ---- The second pass ---- */

/* Binds the targets for fetches of single samples: the descriptors describe textures whose texels
 * are samples. */
static bool bind_targets(struct demo *demo) {
    const struct deferred *d = demo->state;
    const uint32_t tsc[8] = {0};
    for (unsigned i = 0; i < TARGETS; i++) {
        uint32_t tic[8];
        TRY(demo, tp_texture_describe(d->target[i], 0, 0, tic));
        TRY(demo, tp_bind_descriptors(demo->context, TP_FRAGMENT, i, tic, tsc));
    }
    return true;
}

static bool draw_light(struct demo *demo, const struct demo_frame *f,
                       const struct demo_camera *camera) {
    static const struct material materials[MATERIALS] = {[STONE] = {1, 0.10f, 14, 0},
                                                         [METAL] = {0.25f, 1.6f, 16, 1},
                                                         [LAMP] = {0, 0, 0, 0},
                                                         [GLAZE] = {1, 0.75f, 90, 0}};
    const struct vec4 none = {0, 0, 0, 0};
    struct deferred *d = demo->state;
    const struct demo_rays rays = demo_rays(camera, none, none, none);
    const struct vec3 moon = v3_normalize(v3(-0.4f, 0.7f, -0.6f));
    const struct light_constants c = {.eye = rays.eye,
                                      .ray = {rays.right, rays.up, rays.forward},
                                      .moon = {moon.x, moon.y, moon.z, 0},
                                      .corner = {(float)f->x, (float)f->y},
                                      .strip_y = 0.86f * (float)f->height,
                                      .strip_width = 4 / (float)f->width,
                                      .lights_size = sizeof d->lights};
    TRY(demo, tp_set_depth(demo->context, &(struct tp_depth_state){0}));
    TRY(demo, tp_set_raster(demo->context, &(struct tp_raster_state){0}));
    TRY(demo, tp_set_constants(demo->context, TP_FRAGMENT, 1, d->lights, sizeof d->lights));
    TRY(demo, tp_set_constants(demo->context, TP_FRAGMENT, 2, materials, sizeof materials));
    return bind_targets(demo) && demo_draw_cover(demo, &d->light, &c, sizeof c);
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct deferred *d = demo->state;
    const struct demo_camera camera =
        demo_orbit_camera(f, v3(0, 0.55f, 0), 8.6f, 0.5 + 0.06 * f->time, 0.42, 0.66, 0.2f, 60);
    place_things(d, f->time, (struct vec4){camera.eye.x, camera.eye.y, camera.eye.z, 1});
    if (!demo_write_things(demo, &d->things) || !fit_targets(demo, f) ||
        !fill_targets(demo, f, &camera))
        return false;
    TRY(demo, tp_set_target(demo->context, f->color, f->zeta));
    TRY(demo, tp_clear(demo->context, TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, NULL, 1, 0));
    return draw_light(demo, f, &camera);
}

DEMO_SCENE(deferred, TP_CHIP_GT215, "many lights on four targets with four samples a pixel");
