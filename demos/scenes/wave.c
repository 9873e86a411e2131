/* wave: a sea whose surface comes from a texture read in the vertex program. Shows vertex
 * texturing: each vertex of a flat grid fetches (texlod) height and slope twice from a periodic
 * RGBA32F height map. The two fetches are layers of waves that drift across each other. The
 * fragment program adds Fresnel reflection and the sun.
 */
#include "demos/shapes.h"

enum { STEPS = 144, SIDE = STEPS + 1, TEXTURE_SIZE = 64, WAVES = 22 };

struct constants { /* c0[] of both stages */
    struct mat4 view_projection;
    struct vec4 eye; /* 0x40; w: height scale */
    /* 0x50, 0x60: texture coordinates = the vertex' (x, z) * layer.z + layer.xy; w: weight */
    struct vec4 layer[2];
    struct vec4 sun;  /* 0x70: direction; w: 1 / distance of full haze */
    struct vec4 deep; /* 0x80: water's own colour */
    struct vec4 sky;  /* 0x90: overhead */
    struct vec4 haze; /* 0xa0: at the horizon */
};

struct wave {
    struct demo_pass pass;
    struct demo_cover sky;
    struct demo_mesh grid;
    tp_texture *heights;
};

/* Makes a sum of waves that fit the texture a whole number of times: height, d/dx, d/dz. */
static void make_heights(float (*texels)[4]) {
    static const int8_t direction[WAVES][2] = {
        {1, 0},  {1, 1},  {2, -1}, {0, 2},  {3, 1},  {2, 3}, {-1, 3}, {4, 0},
        {3, -3}, {1, 4},  {5, 2},  {-2, 4}, {5, -2}, {6, 1}, {3, 5},  {-3, 5},
        {7, 3},  {6, -5}, {2, 8},  {9, 1},  {-5, 7}, {8, 6},
    };
    for (uint32_t w = 0; w < WAVES; w++) {
        float kx = direction[w][0], kz = direction[w][1];
        float k = sqrtf(kx * kx + kz * kz), a = 0.42f / (k * sqrtf(k));
        double phase = 2 * DEMO_PI * (double)demo_random(w + 17);
        for (int i = 0; i < TEXTURE_SIZE * TEXTURE_SIZE; i++) {
            float u = (float)(i % TEXTURE_SIZE) / TEXTURE_SIZE;
            float v = (float)(i / TEXTURE_SIZE) / TEXTURE_SIZE;
            double angle = 2 * DEMO_PI * (double)(kx * u + kz * v) + phase;
            float c = a * (float)demo_cos(angle);
            texels[i][0] += a * (float)demo_sin(angle);
            texels[i][1] += 2 * (float)DEMO_PI * kx * c;
            texels[i][2] += 2 * (float)DEMO_PI * kz * c;
        }
    }
}

static bool init(struct demo *demo) {
    struct wave *w = demo->state;
    float(*texels)[4] = demo_memory(demo, TEXTURE_SIZE * TEXTURE_SIZE * sizeof *texels);
    float(*grid)[2] = demo_memory(demo, SIDE * SIDE * sizeof *grid);
    if (!texels || !grid)
        return false;
    make_heights(texels);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            /* Steps grow with the distance from the centre. */
            float x = 2.0f * (float)j / STEPS - 1, z = 2.0f * (float)i / STEPS - 1;
            grid[i * SIDE + j][0] = x * (4 + 20 * x * x);
            grid[i * SIDE + j][1] = z * (4 + 20 * z * z);
        }
    return demo_make_grid(demo, &w->grid, grid, sizeof *grid, STEPS, STEPS) &&
           (w->heights =
                demo_texture(demo, TP_FORMAT_RGBA32F, TEXTURE_SIZE, TEXTURE_SIZE, false, texels)) &&
           demo_load_pass(demo, &w->pass, "wave.vp", NULL, "wave.fp") &&
           demo_load_cover(demo, &w->sky, "sky.vp", "sky.fp");
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct wave *w = demo->state;
    struct demo_camera camera =
        demo_orbit_camera(f, v3(0, 0.3f, 0), 7.5f, 0.2 + 0.05 * f->time, 0.2, 0.85, 0.1f, 100);
    struct vec3 sun = v3_normalize(v3(-0.35f, 0.2f, -1.0f));
    double t = f->time;
    struct constants c = {
        .view_projection = camera.view_projection,
        .eye = {camera.eye.x, camera.eye.y, camera.eye.z, 0.55f},
        .layer = {{demo_fraction(0.031 * t), demo_fraction(0.043 * t), 0.115f, 0.6f},
                  {demo_fraction(-0.052 * t + 0.37), demo_fraction(0.021 * t + 0.71), 0.193f,
                   0.4f}},
        .sun = {sun.x, sun.y, sun.z, 1 / 24.0f},
        .deep = {0.004f, 0.055f, 0.085f, 0},
        .sky = {0.10f, 0.27f, 0.62f, 0},
        .haze = {0.80f, 0.60f, 0.46f, 0},
    };
    struct demo_rays rays = demo_rays(&camera, c.sun, c.haze, c.sky);
    TRY(demo, tp_bind_texture(demo->context, TP_VERTEX, 0, w->heights, &demo_linear));
    return demo_before_sky(demo, f) && demo_opaque(demo) &&
           demo_raster(demo, f, (struct tp_raster_state){0}) &&
           demo_use_pass(demo, &w->pass, &c, sizeof c) &&
           demo_draw_floats(demo, &w->grid, (const unsigned[]){2}, 1) &&
           demo_draw_sky_behind(demo, f, &w->sky, &rays);
}

DEMO_SCENE(wave, TP_CHIP_GT215, "a grid displaced by vertex texturing");
