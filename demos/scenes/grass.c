/* grass: a meadow of thousands of instanced billboards in the wind. Shows per-instance attributes,
 * sway by presin and sin in the vertex program, and both orders of the zeta test: a first pass
 * writes only the depth of the blades, with a short program that fetches its texture with `live`
 * and discards (late zeta); a second pass shades fragments of equal depth (early zeta), so each
 * pixel is shaded once. */
#include "demos/shapes.h"

enum { TUFT_ROWS = 50, TUFTS = TUFT_ROWS * TUFT_ROWS, BLADES = 24 /* of a tuft */ };
enum { TEXTURE_SIZE = 128, GROUND_STEPS = 48 };
static const float field = 9; /* half the side of the meadow */

struct tuft { /* per instance */
    float x, y, z, height;
    float along[2]; /* the billboard's direction in the ground plane, times its half width */
    float phase;    /* of the sway, radians */
    float shade;    /* 0 yellowish .. 1 deep green */
};

struct constants { /* c0[] of the ground and of both passes over the grass */
    struct mat4 view_projection;
    struct vec4 eye; /* 0x40; w: time in seconds */
    struct vec4 sun; /* 0x50: direction; w: how far the wind bends a blade */
    struct vec4 fog; /* 0x60: colour; w: 1 / distance at which the fog is full */
};

struct grass {
    struct demo_pass ground, depth, tufts;
    struct demo_cover sky;
    struct demo_mesh land;
    tp_buffer *corners, *instances;
    tp_texture *texture;
};

/* Height of the ground: two gentle waves. */
static float hill(float x, float z) {
    return 0.35f * (float)(demo_sin(0.45 * (double)x + 1) * demo_cos(0.38 * (double)z)) +
           0.12f * (float)demo_sin(0.9 * (double)z + 0.7 * (double)x);
}

static struct vec3 hill_normal(float x, float z) {
    const double a = 0.45 * (double)x + 1, b = 0.38 * (double)z;
    const double c = demo_cos(0.9 * (double)z + 0.7 * (double)x);
    const double dx = 0.35 * 0.45 * demo_cos(a) * demo_cos(b) + 0.12 * 0.7 * c;
    const double dz = -0.35 * 0.38 * demo_sin(a) * demo_sin(b) + 0.12 * 0.9 * c;
    return v3_normalize(v3((float)-dx, 1, (float)-dz));
}

/* A tuft of curved blades: green in gamma space, alpha 1 on a blade. Transparent texels have the
 * colour of blades too, so that filtering does not darken the edges. */
static void paint_tuft(uint8_t (*texels)[4]) {
    for (int i = 0; i < TEXTURE_SIZE * TEXTURE_SIZE; i++) {
        float v = (float)(i / TEXTURE_SIZE) / TEXTURE_SIZE; /* 0 at the tips */
        uint8_t color[4] = {(uint8_t)(175 - 80 * v), (uint8_t)(215 - 75 * v),
                            (uint8_t)(95 - 45 * v), 0};
        for (int c = 0; c < 4; c++)
            texels[i][c] = color[c];
    }
    for (uint32_t b = 0; b < BLADES; b++) {
        float root = demo_mix(0.28f, 0.72f, ((float)b + demo_random(5 * b)) / BLADES);
        float lean = demo_mix(-0.24f, 0.24f, demo_random(5 * b + 1));
        float height = demo_mix(0.5f, 0.98f, demo_random(5 * b + 2));
        float width = demo_mix(0.018f, 0.032f, demo_random(5 * b + 3));
        float light = demo_mix(0.68f, 1.15f, demo_random(5 * b + 4));
        for (int y = 0; y < TEXTURE_SIZE; y++) {
            float up = (1 - ((float)y + 0.5f) / TEXTURE_SIZE) / height;
            if (up > 1)
                continue;
            float center = root + lean * up * up, half = width * (1 - up * up) + 0.004f;
            for (int x = 0; x < TEXTURE_SIZE; x++) {
                float side = (((float)x + 0.5f) / TEXTURE_SIZE - center) / half;
                if (side < -1 || side > 1)
                    continue;
                uint8_t *t = texels[y * TEXTURE_SIZE + x];
                float ridge = light * (side < 0 ? 1.0f : 0.84f);
                float v = (float)y / TEXTURE_SIZE;
                t[0] = (uint8_t)demo_clamp(ridge * (175 - 80 * v), 0, 255);
                t[1] = (uint8_t)demo_clamp(ridge * (215 - 75 * v), 0, 255);
                t[2] = (uint8_t)demo_clamp(ridge * (95 - 45 * v), 0, 255);
                t[3] = 255;
            }
        }
    }
}

/* One tuft at a random place in each cell of a grid, so that no large area is bare. */
static void plant(struct tuft *tufts) {
    const float cell = 2 * field / TUFT_ROWS;
    for (uint32_t i = 0; i < TUFTS; i++) {
        struct tuft *t = &tufts[i];
        t->x = cell * ((float)(i % TUFT_ROWS) + demo_random(7 * i)) - field;
        t->z = cell * ((float)(i / TUFT_ROWS) + demo_random(7 * i + 1)) - field;
        t->y = hill(t->x, t->z) - 0.02f;
        t->height = demo_mix(0.45f, 0.85f, demo_random(7 * i + 2));
        double angle = DEMO_PI * (double)demo_random(7 * i + 3);
        float half = 0.4f * t->height;
        t->along[0] = half * (float)demo_cos(angle);
        t->along[1] = half * (float)demo_sin(angle);
        t->phase = 0.35f * t->x + 0.2f * t->z + demo_random(7 * i + 4);
        float patch = 0.5f + 0.5f * (float)demo_sin((double)(0.6f * t->x - 0.45f * t->z));
        t->shade = 0.55f * patch + 0.45f * demo_random(7 * i + 5);
    }
}

static bool make_ground(struct demo *demo) {
    struct grass *g = demo->state;
    enum { SIDE = GROUND_STEPS + 1 };
    struct vec3(*vertices)[2] = demo_memory(demo, SIDE * SIDE * sizeof *vertices);
    if (!vertices)
        return false;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            float x = field * 1.6f * (2.0f * (float)j / GROUND_STEPS - 1);
            float z = field * 1.6f * (2.0f * (float)i / GROUND_STEPS - 1);
            vertices[i * SIDE + j][0] = v3(x, hill(x, z), z);
            vertices[i * SIDE + j][1] = hill_normal(x, z);
        }
    return demo_make_grid(demo, &g->land, vertices, sizeof *vertices, GROUND_STEPS, GROUND_STEPS);
}

static bool init(struct demo *demo) {
    struct grass *g = demo->state;
    uint8_t(*texels)[4] = demo_memory(demo, TEXTURE_SIZE * TEXTURE_SIZE * sizeof *texels);
    struct tuft *tufts = demo_memory(demo, TUFTS * sizeof *tufts);
    if (!texels || !tufts)
        return false;
    paint_tuft(texels);
    plant(tufts);
    /* Corners (side, up), with some spare texels around the blades. */
    static const float corners[4][2] = {{-0.5f, 0}, {0.54f, 0}, {-0.82f, 1}, {0.78f, 1}};
    return make_ground(demo) && (g->corners = demo_buffer(demo, corners, sizeof corners)) &&
           (g->instances = demo_buffer(demo, tufts, TUFTS * sizeof *tufts)) &&
           (g->texture =
                demo_texture(demo, TP_FORMAT_RGBA8, TEXTURE_SIZE, TEXTURE_SIZE, true, texels)) &&
           demo_load_pass(demo, &g->ground, "ground.vp", NULL, "ground.fp") &&
           demo_load_pass(demo, &g->depth, "grass.vp", NULL, "grass_depth.fp") &&
           demo_load_pass(demo, &g->tufts, "grass.vp", NULL, "grass.fp") &&
           demo_load_cover(demo, &g->sky, "sky.vp", "sky.fp");
}

static bool draw_ground(struct demo *demo, const struct constants *c) {
    struct grass *g = demo->state;
    return demo_use_pass(demo, &g->ground, c, sizeof *c) &&
           demo_draw_floats(demo, &g->land, (const unsigned[]){3, 3}, 2);
}

static bool draw_tufts(struct demo *demo, const struct constants *c) {
    struct grass *g = demo->state;
    struct tp_sampler_info sampler = {
        .wrap = {TP_WRAP_CLAMP_TO_EDGE, TP_WRAP_CLAMP_TO_EDGE, TP_WRAP_CLAMP_TO_EDGE},
        .mag = TP_FILTER_LINEAR,
        .min = TP_FILTER_LINEAR,
        .mip = TP_MIP_NEAREST,
        .lod_bias = -0.5f,
    };
    static const struct tp_draw_info draw = {
        .primitive = TP_TRIANGLE_STRIP, .count = 4, .instances = TUFTS};
    TRY(demo, tp_bind_texture(demo->context, TP_FRAGMENT, 0, g->texture, &sampler));
    TRY(demo, tp_bind_vertices(demo->context, 0, g->corners, 0, 8, 0));
    TRY(demo, tp_bind_vertices(demo->context, 1, g->instances, 0, sizeof(struct tuft), 1));
    TRY(demo, tp_set_attribute(demo->context, 0, 0, 0, 2, TP_FLOAT32));
    TRY(demo, tp_set_attribute(demo->context, 1, 1, 0, 4, TP_FLOAT32));
    TRY(demo, tp_set_attribute(demo->context, 2, 1, 16, 4, TP_FLOAT32));
    if (!demo_use_pass(demo, &g->depth, c, sizeof *c))
        return false;
    TRY(demo, tp_set_color_mask(demo->context, TP_ALL_TARGETS, 0));
    TRY(demo, tp_draw(demo->context, &draw));
    TRY(demo, tp_set_color_mask(demo->context, TP_ALL_TARGETS, 0xf));
    TRY(demo,
        tp_set_depth(demo->context, &(struct tp_depth_state){.test = true, .func = TP_EQUAL}));
    sampler.mip = TP_MIP_LINEAR;
    TRY(demo, tp_bind_texture(demo->context, TP_FRAGMENT, 0, g->texture, &sampler));
    if (!demo_use_pass(demo, &g->tufts, c, sizeof *c))
        return false;
    TRY(demo, tp_draw(demo->context, &draw));
    return true;
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct grass *g = demo->state;
    struct demo_camera camera =
        demo_orbit_camera(f, v3(0, 0.6f, 0), 7.0f, 0.3 + 0.08 * f->time, 0.2, 0.85, 0.1f, 60);
    struct vec3 sun = v3_normalize(v3(0.5f, 0.75f, -0.45f));
    struct constants c = {
        .view_projection = camera.view_projection,
        .eye = {camera.eye.x, camera.eye.y, camera.eye.z, (float)f->time},
        .sun = {sun.x, sun.y, sun.z, 0.16f},
        .fog = {0.42f, 0.62f, 0.82f, 1 / 26.0f},
    };
    struct demo_rays rays = demo_rays(&camera, c.sun, c.fog, (struct vec4){0.06f, 0.20f, 0.55f, 0});
    return demo_before_sky(demo, f) && demo_opaque(demo) &&
           demo_raster(demo, f, (struct tp_raster_state){0}) && draw_ground(demo, &c) &&
           draw_tufts(demo, &c) && demo_draw_sky_behind(demo, f, &g->sky, &rays);
}

DEMO_SCENE(grass, TP_CHIP_GT215, "thousands of billboards: instances, discard, live textures");
