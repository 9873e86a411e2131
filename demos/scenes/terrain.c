/* terrain: mountains around a lake, on Fermi. Shows tessellation: the control program divides
 * square patches by their distance, so that neighbours agree on their common edge, and drops
 * patches outside the view; the evaluation program lifts the points by two height maps. Press w in
 * the viewer to see the triangles. */
#include "demos/demo.h"

enum { PATCHES = 32 /* on a side */, MAP_SIZE = 512, FINE_SIZE = 128, FINE_WAVES = 4 };
enum { SHADOW_STEPS = 90 };
static const float land = 64; /* side of the land */

struct constants { /* c0[] of all stages */
    struct mat4 view_projection;
    struct vec4 eye;      /* 0x40; w: level at distance 1 */
    struct vec4 sun;      /* 0x50: direction; w: 1 / distance of full haze */
    struct vec4 haze;     /* 0x60: colour; w: height of the fine structure */
    struct vec4 plane[4]; /* 0x70: left, right, below, above the view */
    struct vec4 zenith;   /* 0xb0: colour; w: 1 / side of the land */
    struct vec4 patch;    /* 0xc0; w: radius of a patch */
    struct vec4 ripple;   /* 0xd0: offsets of the lake's textures */
};

struct terrain {
    struct demo_pass land, water;
    struct demo_cover sky;
    tp_buffer *corners, *lake;
    tp_texture *map, *fine;
};

/* ---- Height maps ---- */

/* Smooth noise, 0 to 1, on a lattice of numbers that repeats after `period`. */
static float noise(float x, float y, uint32_t period, uint32_t seed) {
    const float fx = floorf(x), fy = floorf(y);
    const uint32_t x0 = (uint32_t)((int)fx + 1024) % period, x1 = (x0 + 1) % period;
    const uint32_t y0 = (uint32_t)((int)fy + 1024) % period, y1 = (y0 + 1) % period;
    const float u = x - fx, v = y - fy;
    const float a = u * u * u * (u * (u * 6 - 15) + 10), b = v * v * v * (v * (v * 6 - 15) + 10);
    seed *= 7919;
    return demo_mix(
        demo_mix(demo_random(seed + y0 * 613 + x0), demo_random(seed + y0 * 613 + x1), a),
        demo_mix(demo_random(seed + y1 * 613 + x0), demo_random(seed + y1 * 613 + x1), a), b);
}

/* The height of mountains with sharp ridges: 0 to about 1. Octaves have more weight where the
 * octaves before are high. */
static float ridges(float x, float z) {
    float sum = 0, weight = 1, gain = 0.52f, frequency = 0.085f;
    for (uint32_t i = 0; i < 7; i++) {
        const float n = noise(x * frequency + 7.3f, z * frequency + 3.1f, 512, i + 1);
        const float ridge = 1 - fabsf(2 * n - 1);
        const float r = ridge * ridge * weight;
        sum += gain * r;
        weight = demo_clamp(1.6f * r, 0, 1);
        gain *= 0.5f;
        frequency *= 2.03f;
    }
    return sum;
}

static float height(float x, float z) {
    const float wide = noise(x * 0.11f + 20, z * 0.11f + 20, 512, 31);
    const float bays = noise(x * 0.27f + 20, z * 0.27f + 20, 512, 37);
    const float r = sqrtf(x * x + z * z) + 7 * (wide - 0.5f) + 2 * (bays - 0.5f);
    const float shore = demo_smoothstep(4, 12.5f, r);
    const float mountains = demo_smoothstep(7, 19, r);
    return -0.8f + 1.25f * shore + 0.5f * (bays - 0.5f) * shore + 7.2f * mountains * ridges(x, z);
}

/* Returns the share of sunlight that reaches texel (x, y): less where the land towards the sun is
 * higher. */
static float sunlight(float (*texels)[4], int x, int y, struct vec3 sun) {
    const float step = 0.5f * land / MAP_SIZE; /* of the world */
    const float flat = sqrtf(sun.x * sun.x + sun.z * sun.z), rise = sun.y / flat;
    float light = 1;
    for (int i = 2; i < SHADOW_STEPS && light > 0; i++) {
        const float d = 2 * step * (float)i;
        const int tx = x + (int)floorf(sun.x / flat * d * MAP_SIZE / land + 0.5f);
        const int ty = y + (int)floorf(sun.z / flat * d * MAP_SIZE / land + 0.5f);
        if (tx < 0 || ty < 0 || tx >= MAP_SIZE || ty >= MAP_SIZE)
            break;
        const float above = texels[ty * MAP_SIZE + tx][0] - texels[y * MAP_SIZE + x][0] - rise * d;
        light = fminf(light, 0.5f - 6 * above / d);
    }
    return demo_smoothstep(0, 1, light);
}

/* Texels: height, d/dx, d/dz, share of sunlight. */
static void make_map(float (*texels)[4], struct vec3 sun) {
    const float texel = land / MAP_SIZE;
    for (int y = 0; y < MAP_SIZE; y++)
        for (int x = 0; x < MAP_SIZE; x++)
            texels[y * MAP_SIZE + x][0] =
                height(texel * ((float)x + 0.5f) - land / 2, texel * ((float)y + 0.5f) - land / 2);
    for (int y = 0; y < MAP_SIZE; y++)
        for (int x = 0; x < MAP_SIZE; x++) {
            const int left = x ? x - 1 : x, right = x + 1 < MAP_SIZE ? x + 1 : x;
            const int up = y ? y - 1 : y, down = y + 1 < MAP_SIZE ? y + 1 : y;
            float *t = texels[y * MAP_SIZE + x];
            t[1] = (texels[y * MAP_SIZE + right][0] - texels[y * MAP_SIZE + left][0]) / (2 * texel);
            t[2] = (texels[down * MAP_SIZE + x][0] - texels[up * MAP_SIZE + x][0]) / (2 * texel);
            t[3] = sunlight(texels, x, y, sun);
        }
}

static int8_t snorm8(float x) {
    return (int8_t)floorf(demo_clamp(x, -1, 1) * 127 + 0.5f);
}

/* Makes the fine structure, which repeats: height * 2, d/dx / 4, d/dz / 4. */
static void make_fine(float *heights, int8_t (*texels)[4]) {
    for (int i = 0; i < FINE_SIZE * FINE_SIZE; i++) {
        float gain = 0.5f;
        for (uint32_t k = 0, period = FINE_WAVES; k < 5; k++, period *= 2, gain *= 0.5f) {
            const float scale = (float)period / FINE_SIZE;
            const float x = (float)(i % FINE_SIZE) * scale, y = (float)(i / FINE_SIZE) * scale;
            heights[i] += gain * (noise(x, y, period, 50 + k) - 0.5f);
        }
    }
    for (int i = 0; i < FINE_SIZE * FINE_SIZE; i++) {
        const float slope = FINE_SIZE * 0.3f / 4;
        const int row = i / FINE_SIZE, column = i % FINE_SIZE;
        const int right = row * FINE_SIZE + (column + 1) % FINE_SIZE;
        const int down = (row + 1) % FINE_SIZE * FINE_SIZE + column;
        texels[i][0] = snorm8(heights[i] * 2);
        texels[i][1] = snorm8((heights[right] - heights[i]) * slope);
        texels[i][2] = snorm8((heights[down] - heights[i]) * slope);
    }
}

/* ---- The scene ---- */

static struct vec3 sun_direction(void) {
    return v3_normalize(v3(-0.72f, 0.42f, -0.55f));
}

static bool make_textures(struct demo *demo) {
    struct terrain *t = demo->state;
    float(*map)[4] = demo_memory(demo, MAP_SIZE * MAP_SIZE * sizeof *map);
    float *heights = demo_memory(demo, FINE_SIZE * FINE_SIZE * sizeof *heights);
    int8_t(*fine)[4] = demo_memory(demo, FINE_SIZE * FINE_SIZE * sizeof *fine);
    if (!map || !heights || !fine)
        return false;
    make_map(map, sun_direction());
    make_fine(heights, fine);
    return (t->map = demo_texture(demo, TP_FORMAT_RGBA32F, MAP_SIZE, MAP_SIZE, true, map)) &&
           (t->fine = demo_texture(demo, TP_FORMAT_RGBA8_SNORM, FINE_SIZE, FINE_SIZE, true, fine));
}

static bool make_patches(struct demo *demo) {
    static const float lake[6][2] = {{-32, -32}, {-32, 32}, {32, -32},
                                     {32, -32},  {-32, 32}, {32, 32}};
    struct terrain *t = demo->state;
    const size_t size = PATCHES * PATCHES * 4 * sizeof(float[2]);
    float(*corners)[2] = demo_memory(demo, size);
    if (!corners)
        return false;
    for (int i = 0; i < PATCHES * PATCHES * 4; i++) {
        const int x = i / 4 % PATCHES + i % 2, z = i / 4 / PATCHES + i / 2 % 2;
        corners[i][0] = land * ((float)x / PATCHES - 0.5f);
        corners[i][1] = land * ((float)z / PATCHES - 0.5f);
    }
    return (t->corners = demo_buffer(demo, corners, size)) &&
           (t->lake = demo_buffer(demo, lake, sizeof lake));
}

static bool init(struct demo *demo) {
    struct terrain *t = demo->state;
    return make_textures(demo) && make_patches(demo) &&
           demo_load_pass(demo, &t->land, "terrain.vp", NULL, "terrain.fp") &&
           (t->land.tcp = demo_program(demo, "terrain.tcp")) &&
           (t->land.tep = demo_program(demo, "terrain.tep")) &&
           demo_load_pass(demo, &t->water, "plane.vp", NULL, "water.fp") &&
           demo_load_cover(demo, &t->sky, "sky.vp", "sky.fp");
}

/* Computes the planes of the view's four sides; distances are positive inside. */
static void view_planes(const struct mat4 *m, struct vec4 plane[4]) {
    for (int i = 0; i < 4; i++) {
        const int row = i / 2;
        const float sign = i % 2 ? -1.0f : 1.0f;
        float p[4];
        for (int c = 0; c < 4; c++)
            p[c] = m->m[4 * c + 3] + sign * m->m[4 * c + row];
        const float length = sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        plane[i] = (struct vec4){p[0] / length, p[1] / length, p[2] / length, p[3] / length};
    }
}

static bool bind_maps(struct demo *demo) {
    struct terrain *t = demo->state;
    static const struct tp_sampler_info map = {
        .wrap = {TP_WRAP_CLAMP_TO_EDGE, TP_WRAP_CLAMP_TO_EDGE, TP_WRAP_CLAMP_TO_EDGE},
        .mag = TP_FILTER_LINEAR,
        .min = TP_FILTER_LINEAR,
        .mip = TP_MIP_LINEAR};
    static const enum tp_stage stages[] = {TP_TESS_EVALUATION, TP_FRAGMENT};
    for (int i = 0; i < 2; i++) {
        TRY(demo, tp_bind_texture(demo->context, stages[i], 0, t->map, &map));
        TRY(demo, tp_bind_texture(demo->context, stages[i], 1, t->fine, &demo_trilinear));
    }
    return true;
}

static bool draw_land(struct demo *demo, const struct constants *c) {
    struct terrain *t = demo->state;
    static const struct tp_tessellation_state tessellation = {
        .vertices = 4, .domain = TP_DOMAIN_QUAD, .spacing = TP_SPACING_ODD, .clockwise = true};
    TRY(demo, tp_set_tessellation(demo->context, &tessellation));
    return demo_use_pass(demo, &t->land, c, sizeof *c) &&
           demo_draw_vertices(demo, t->corners, (const unsigned[]){2}, 1, TP_PATCHES,
                              PATCHES * PATCHES * 4);
}

static bool draw_water(struct demo *demo, const struct constants *c) {
    struct terrain *t = demo->state;
    static const struct tp_blend_target blend = {
        .enable = true, .src_rgb = TP_SRC_ALPHA, .dst_rgb = TP_ONE_MINUS_SRC_ALPHA};
    TRY(demo, tp_set_blend(demo->context, TP_ALL_TARGETS, &blend));
    return demo_use_pass(demo, &t->water, c, sizeof *c) &&
           demo_draw_vertices(demo, t->lake, (const unsigned[]){2}, 1, TP_TRIANGLES, 6);
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct terrain *t = demo->state;
    const struct demo_camera camera =
        demo_orbit_camera(f, v3(0, 1.95f, 0), 7.5f, 3.3 + 0.05 * f->time, -0.075, 0.74, 0.1f, 80);
    const struct vec3 sun = sun_direction();
    const double time = f->time;
    struct constants c = {
        .view_projection = camera.view_projection,
        .eye = {camera.eye.x, camera.eye.y, camera.eye.z, 130},
        .sun = {sun.x, sun.y, sun.z, 1 / 54.0f},
        .haze = {0.56f, 0.66f, 0.80f, 0.225f},
        .zenith = {0.07f, 0.21f, 0.56f, 1 / land},
        .patch = {0, 0, 0, 4.0f},
        .ripple = {demo_fraction(0.021 * time), demo_fraction(0.034 * time),
                   demo_fraction(0.5 - 0.043 * time), demo_fraction(0.3 + 0.027 * time)},
    };
    view_planes(&camera.view_projection, c.plane);
    struct demo_rays rays = demo_rays(&camera, c.sun, c.haze, c.zenith);
    return demo_before_sky(demo, f) && demo_opaque(demo) && bind_maps(demo) &&
           demo_raster(demo, f, (struct tp_raster_state){.cull_back = true}) &&
           draw_land(demo, &c) && demo_raster(demo, f, (struct tp_raster_state){0}) &&
           draw_water(demo, &c) && demo_draw_sky_behind(demo, f, &t->sky, &rays);
}

DEMO_SCENE(terrain, TP_CHIP_GF100, "mountains from patches, divided by distance (Fermi)");
