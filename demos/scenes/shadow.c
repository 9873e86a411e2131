/* shadow: a round temple in the evening sun. Shows a depth texture: a first pass draws the scene's
 * depth as seen from the sun, without a colour target and moved back by polygon offset; the second
 * pass binds that zeta surface as a texture and samples it with comparison and texel offsets.
 * Places outside of the texture get its border colour, which counts as lit. */
#include "demos/shapes.h"

enum { MAP_SIZE = 2048, GRAIN_SIZE = 256, COLUMNS = 12, TREES = 24, NEAR_TREES = 7, STONES = 26 };

struct constants { /* c0[] of the picture */
    struct mat4 view_projection;
    struct vec4 map[3];  /* 0x40: rows: map u, v, depth of a place */
    struct vec4 eye;     /* 0x70; w: 1 / distance at which the haze is full */
    struct vec4 horizon; /* 0x80: colour */
    struct vec4 sun;     /* 0x90: direction */
};

struct shadow {
    struct demo_pass depth, picture;
    struct demo_cover sky;
    struct demo_things things; /* the knot is the first thing */
    tp_texture *map, *grain;
};

static const struct vec4 stone = {0.50f, 0.44f, 0.36f, 0}, sand = {0.46f, 0.34f, 0.21f, 0};
static const struct vec4 pale = {0.58f, 0.52f, 0.43f, 0}, leaf = {0.035f, 0.075f, 0.022f, 0};
static const struct vec4 gold = {0.95f, 0.60f, 0.17f, 1};

/* ---- The temple ---- */

static struct vec3 shaft_point(const void *, double u, double v) {
    const double angle = 2 * DEMO_PI * u, flute = demo_sin(8 * angle);
    const double radius = 0.30 - 0.055 * v * v - 0.03 * (1 - flute * flute);
    return v3((float)(radius * demo_cos(angle)), (float)(0.6 + 3.0 * v),
              (float)(radius * demo_sin(angle)));
}

static bool add_lathe(struct demo *demo, const struct demo_corner *profile, int corners,
                      int columns, struct vec4 color) {
    struct shadow *s = demo->state;
    struct demo_mesh *mesh = demo_add_mesh(&s->things);
    demo_add(&s->things, mat4_identity(), color);
    return demo_make_lathe(demo, mesh, profile, corners, columns);
}

static struct mat4 on_ring(int i, int count, float radius, double turned) {
    return mat4_mul(mat4_rotate_y(2 * DEMO_PI * i / count + turned),
                    mat4_translate(v3(radius, 0, 0)));
}

static bool add_columns(struct demo *demo) {
    static const struct demo_corner foot[] = {{0.46f, 0.45f, true}, {0.46f, 0.52f, true},
                                              {0.40f, 0.52f, true}, {0.46f, 0.57f, false},
                                              {0.40f, 0.62f, true}, {0.30f, 0.63f, true}};
    static const struct demo_corner head[] = {
        {0.235f, 3.56f, true}, {0.27f, 3.60f, true}, {0.25f, 3.63f, false}, {0.40f, 3.74f, false},
        {0.42f, 3.80f, true},  {0.50f, 3.80f, true}, {0.50f, 3.92f, true}};
    const struct vec4 colors[3] = {stone, pale, pale};
    struct shadow *s = demo->state;
    struct demo_mesh *mesh[3]; /* shafts, feet, heads */
    for (int part = 0; part < 3; part++) {
        mesh[part] = demo_add_mesh(&s->things);
        for (int i = 0; i < COLUMNS; i++)
            demo_add(&s->things, on_ring(i, COLUMNS, 3.6f, 0.1), colors[part]);
    }
    return demo_make_surface(demo, mesh[0], 64, 5, shaft_point, NULL) &&
           demo_make_lathe(demo, mesh[1], foot, 6, 24) &&
           demo_make_lathe(demo, mesh[2], head, 7, 24);
}

static bool add_temple(struct demo *demo) {
    static const struct demo_corner steps[] = {
        {5.3f, -0.1f, true}, {5.3f, 0.15f, true}, {4.9f, 0.15f, true}, {4.9f, 0.30f, true},
        {4.5f, 0.30f, true}, {4.5f, 0.45f, true}, {0.0f, 0.45f, true}};
    static const struct demo_corner ring[] = {
        {3.1f, 3.92f, true}, {4.1f, 3.92f, true},  {4.1f, 4.25f, true},   {4.16f, 4.25f, true},
        {4.16f, 4.5f, true}, {4.3f, 4.54f, false}, {4.42f, 4.66f, false}, {4.44f, 4.74f, true},
        {3.0f, 4.74f, true}, {3.0f, 4.62f, true},  {3.1f, 4.5f, true},    {3.1f, 3.92f, true}};
    static const struct demo_corner pedestal[] = {
        {0.95f, 0.45f, true},  {0.95f, 0.62f, true},  {0.80f, 0.70f, false},
        {0.62f, 0.80f, false}, {0.58f, 1.10f, false}, {0.60f, 1.35f, true},
        {0.80f, 1.42f, true},  {0.80f, 1.55f, true},  {0.0f, 1.55f, true}};
    return add_lathe(demo, steps, 7, 96, pale) && add_lathe(demo, ring, 12, 96, stone) &&
           add_lathe(demo, pedestal, 9, 48, stone) && add_columns(demo);
}

/* ---- Around the temple ---- */

static bool add_trees(struct demo *demo) {
    static const struct demo_corner cypress[] = {
        {0.10f, -0.1f, true}, {0.10f, 0.35f, true}, {0.42f, 0.38f, false}, {0.62f, 0.9f, false},
        {0.55f, 2.2f, false}, {0.30f, 3.6f, false}, {0.0f, 4.4f, true}};
    struct shadow *s = demo->state;
    struct demo_mesh *mesh = demo_add_mesh(&s->things);
    for (uint32_t i = 0; i < TREES; i++) {
        const bool near = i < NEAR_TREES; /* low ones inside the camera's circle */
        const float size = demo_mix(0.8f, 1.25f, demo_random(4 * i)) * (near ? 0.5f : 1);
        const float away = near ? 7.5f : demo_mix(16.0f, 19.0f, demo_random(4 * i + 1));
        const struct mat4 place = on_ring((int)i, near ? NEAR_TREES : TREES - NEAR_TREES, away,
                                          (double)(0.3f * demo_random(4 * i + 2)));
        demo_add(&s->things, mat4_mul(place, mat4_scale(v3(size, size, size))), leaf);
    }
    return demo_make_lathe(demo, mesh, cypress, 7, 18);
}

/* Broken blocks in the sand. */
static bool add_stones(struct demo *demo) {
    struct shadow *s = demo->state;
    struct demo_mesh *mesh = demo_add_mesh(&s->things);
    for (uint32_t i = 0; i < STONES; i++) {
        const float size = demo_mix(0.10f, 0.36f, demo_random(9 * i + 500));
        const float away = demo_mix(5.9f, 12.0f, demo_random(9 * i + 501));
        const struct mat4 turn = mat4_mul(mat4_rotate_y(6.0 * (double)demo_random(9 * i + 502)),
                                          mat4_rotate_x(0.5 * (double)demo_random(9 * i + 503)));
        const struct mat4 shape = mat4_mul(
            turn, mat4_scale(v3(size * demo_mix(0.8f, 2.2f, demo_random(9 * i + 504)), size,
                                size * demo_mix(0.8f, 1.3f, demo_random(9 * i + 505)))));
        const struct mat4 ring = on_ring(0, 1, away, 6.2831853 * (double)demo_random(9 * i + 506));
        demo_add(&s->things, mat4_mul(ring, mat4_mul(mat4_translate(v3(0, 0.6f * size, 0)), shape)),
                 stone);
    }
    return demo_make_box(demo, mesh);
}

static bool add_ground(struct demo *demo) {
    struct shadow *s = demo->state;
    struct demo_mesh *mesh = demo_add_mesh(&s->things);
    demo_add(&s->things, mat4_mul(mat4_translate(v3(0, -1, 0)), mat4_scale(v3(120, 1, 120))), sand);
    return demo_make_box(demo, mesh);
}

static bool add_knot(struct demo *demo) {
    struct shadow *s = demo->state;
    struct demo_mesh *mesh = demo_add_mesh(&s->things);
    demo_add(&s->things, mat4_identity(), gold);
    return demo_make_knot(demo, mesh, 128, 16);
}

/* Grain of stone and sand: noise of several sizes, which repeats. */
static float lattice(uint32_t x, uint32_t y, uint32_t size, uint32_t seed) {
    return demo_random((y % size) * size + x % size + seed);
}

static float noise(uint32_t x, uint32_t y, uint32_t cell, uint32_t seed) {
    const uint32_t size = GRAIN_SIZE / cell, i = x / cell, j = y / cell;
    const float u = demo_smoothstep(0, 1, (float)(x % cell) / (float)cell);
    const float v = demo_smoothstep(0, 1, (float)(y % cell) / (float)cell);
    return demo_mix(demo_mix(lattice(i, j, size, seed), lattice(i + 1, j, size, seed), u),
                    demo_mix(lattice(i, j + 1, size, seed), lattice(i + 1, j + 1, size, seed), u),
                    v);
}

static bool make_grain(struct demo *demo) {
    struct shadow *s = demo->state;
    uint8_t(*texels)[4] = demo_memory(demo, GRAIN_SIZE * GRAIN_SIZE * 4);
    if (!texels)
        return false;
    for (uint32_t i = 0; i < GRAIN_SIZE * GRAIN_SIZE; i++) {
        const uint32_t x = i % GRAIN_SIZE, y = i / GRAIN_SIZE;
        float sum = 0;
        for (uint32_t octave = 0; octave < 5; octave++)
            sum += noise(x, y, 32u >> octave, 70000u * octave) * (octave < 3 ? 0.22f : 0.17f);
        texels[i][0] = (uint8_t)demo_clamp(255 * sum, 0, 255);
    }
    return (s->grain = demo_texture(demo, TP_FORMAT_RGBA8, GRAIN_SIZE, GRAIN_SIZE, true, texels));
}

static bool init(struct demo *demo) {
    struct shadow *s = demo->state;
    if (!add_knot(demo) || !add_temple(demo) || !add_trees(demo) || !add_stones(demo) ||
        !add_ground(demo) || !make_grain(demo))
        return false;
    s->map = demo_target(demo, TP_FORMAT_Z24S8, MAP_SIZE, MAP_SIZE);
    return s->map && demo_write_things(demo, &s->things) &&
           demo_load_pass(demo, &s->depth, "mesh_depth.vp", NULL, "depth.fp") &&
           demo_load_pass(demo, &s->picture, "shadow.vp", NULL, "shadow.fp") &&
           demo_load_cover(demo, &s->sky, "sky.vp", "sky.fp");
}

/* ---- A frame ---- */

static bool draw_things(struct demo *demo) {
    const struct shadow *s = demo->state;
    return demo_draw_meshes(demo, &s->things, 0, s->things.meshes);
}

/* Returns the sun's view of a ball around the temple, with depths from -1 to 1. */
static struct mat4 sun_view(struct vec3 sun) {
    const float radius = 20;
    const struct mat4 view = mat4_look_at(v3_scale(sun, 32), v3(0, 0, 0), v3(0, 1, 0));
    struct mat4 flat = mat4_scale(v3(1 / radius, 1 / radius, -1 / 32.0f));
    flat.m[14] = -1;
    return mat4_mul(flat, view);
}

static bool draw_map(struct demo *demo, const struct mat4 *view) {
    struct shadow *s = demo->state;
    /* The offset grows with a surface's slope towards the sun; without it, surfaces would shade
     * themselves in stripes. */
    static const struct tp_raster_state raster = {
        .offset_fill = true, .offset_factor = 2.0f, .offset_units = 4.0f};
    TRY(demo, tp_set_targets(demo->context, 0, NULL, &(struct tp_target){.texture = s->map}));
    TRY(demo, tp_clear(demo->context, TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, NULL, 1, 0));
    TRY(demo, tp_set_raster(demo->context, &raster));
    return demo_opaque(demo) && demo_use_pass(demo, &s->depth, view, sizeof *view) &&
           draw_things(demo);
}

static bool draw_picture(struct demo *demo, const struct demo_frame *f, const struct constants *c) {
    struct shadow *s = demo->state;
    static const struct tp_sampler_info compare = {
        .wrap = {TP_WRAP_CLAMP_TO_BORDER, TP_WRAP_CLAMP_TO_BORDER, TP_WRAP_CLAMP_TO_BORDER},
        .mag = TP_FILTER_LINEAR,
        .min = TP_FILTER_LINEAR,
        .compare = true,
        .compare_func = TP_LEQUAL,
        .border = {1, 1, 1, 1}};
    TRY(demo, tp_bind_texture(demo->context, TP_FRAGMENT, 0, s->map, &compare));
    TRY(demo, tp_bind_texture(demo->context, TP_FRAGMENT, 1, s->grain, &demo_trilinear));
    return demo_raster(demo, f, (struct tp_raster_state){0}) && demo_opaque(demo) &&
           demo_use_pass(demo, &s->picture, c, sizeof *c) && draw_things(demo);
}

static void turn_knot(struct shadow *s, double time) {
    const struct mat4 turn = mat4_mul(mat4_rotate_y(0.5 * time), mat4_rotate_x(0.35));
    const struct mat4 place = mat4_translate(v3(0, 2.55f, 0));
    s->things.instance[0] =
        demo_place(mat4_mul(mat4_mul(place, turn), mat4_scale(v3(0.62f, 0.62f, 0.62f))), gold);
}

/* Returns a row of `view`, scaled from -1..1 to 0..1; v grows downward as rows of texels do. */
static struct vec4 map_row(const struct mat4 *view, int row, float scale) {
    const float *m = view->m + row;
    return (struct vec4){scale * m[0], scale * m[4], scale * m[8], scale * m[12] + 0.5f};
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct shadow *s = demo->state;
    const struct demo_camera camera =
        demo_orbit_camera(f, v3(0, 2.0f, 0), 13.2f, 0.35 + 0.06 * f->time, 0.20, 0.66, 0.2f, 160);
    const double hour = -0.85 + 0.11 * f->time;
    const struct vec3 sun = v3_normalize(v3((float)demo_sin(hour), 0.60f, (float)demo_cos(hour)));
    const struct mat4 view = sun_view(sun);
    const struct constants c = {
        .view_projection = camera.view_projection,
        .map = {map_row(&view, 0, 0.5f), map_row(&view, 1, -0.5f), map_row(&view, 2, 0.5f)},
        .eye = {camera.eye.x, camera.eye.y, camera.eye.z, 1 / 70.0f},
        .horizon = {0.64f, 0.60f, 0.56f, 0},
        .sun = {sun.x, sun.y, sun.z, 0}};
    struct demo_rays rays =
        demo_rays(&camera, c.sun, c.horizon, (struct vec4){0.06f, 0.22f, 0.58f, 0});
    turn_knot(s, f->time);
    if (!demo_write_things(demo, &s->things) || !draw_map(demo, &view))
        return false;
    TRY(demo, tp_set_target(demo->context, f->color, f->zeta));
    return demo_before_sky(demo, f) && draw_picture(demo, f, &c) &&
           demo_draw_sky_behind(demo, f, &s->sky, &rays);
}

DEMO_SCENE(shadow, TP_CHIP_GT215, "a temple in the sun: depth texture, comparison, polygon offset");
