/* cube: an armillary globe of etched steel mirrors the things that move around it. Shows a cube map
 * that is drawn in one pass: a geometry program sends a copy of each triangle to the layer of each
 * face that sees the triangle. Then the map gets mip levels. Polished metal samples fine levels,
 * brushed metal a coarse one, filtered across the edges of faces (seamless cubes). */
#include "demos/shapes.h"

enum { FACE_SIZE = 256, BALLS = 9, PILLARS = 14, RINGS = 3, TILE_TEXELS = 256, SHADE_TEXELS = 384 };
enum { DOME, FLOOR, FIRST_BALL, FIRST_PILLAR = FIRST_BALL + BALLS };
enum { FIRST_RING = FIRST_PILLAR + PILLARS, GLOBE = FIRST_RING + RINGS, INSTANCES };

static const struct vec3 center = {0, 1.75f, 0};
static const float radius = 1.15f, pillars_away = 8.5f;
static const float shade_side = 12; /* half the side of the shadow texture, in the world */
static const struct vec3 sun = {0.596f, 0.596f, 0.538f};

struct constants { /* c0[] of all passes; from 0x40 on as struct demo_rays */
    struct mat4 view_projection;
    struct vec4 sun;             /* 0x40: direction */
    struct vec4 eye;             /* 0x50; w: scale of the etched pattern */
    struct vec4 unused[2];       /* 0x60 */
    struct vec4 horizon, zenith; /* 0x80, 0x90: colours of the sky */
    struct vec4 center;          /* 0xa0: point from which the cube map is seen */
    float depth[4];              /* 0xb0: clip z of a face = distance * [0] + [1] */
};

struct cube {
    struct demo_pass sky_map, floor_map, object_map; /* to the faces of the map */
    struct demo_pass floor, paint, mirror;           /* to the picture */
    struct demo_cover sky;
    struct demo_mesh dome, plane, ball, pillar, ring[RINGS], globe;
    struct demo_instance instances[INSTANCES];
    tp_buffer *buffer;
    struct vec4 balls[BALLS + 1]; /* for the floor: x, y, z, 1 / radius^2 */
    tp_texture *map, *map_zeta, *tiles, *shade;
};

/* ---- Things ---- */

static struct vec4 paint(int i) {
    static const struct vec4 colors[] = {
        {0.55f, 0.025f, 0.02f, 2}, {0.65f, 0.22f, 0.02f, 2},  {0.70f, 0.50f, 0.04f, 2},
        {0.05f, 0.26f, 0.045f, 2}, {0.015f, 0.22f, 0.30f, 2}, {0.02f, 0.05f, 0.36f, 2},
        {0.20f, 0.03f, 0.26f, 2},
    };
    return colors[i % (int)(sizeof colors / sizeof *colors)];
}

static struct vec3 on_circle(double angle, float away, float y) {
    return v3(away * (float)demo_cos(angle), y, away * (float)demo_sin(angle));
}

/* The height of a pillar before its matrix stretches it. */
static const float pillar_height = 3.2f;

static float pillar_stretch(int i) {
    return 0.55f + 0.65f * demo_random((uint32_t)i + 40);
}

static void place_fixed(struct cube *c) {
    static const struct vec4 white = {1, 1, 1, 0};
    c->instances[DOME] =
        demo_place(mat4_mul(mat4_translate(center), mat4_scale(v3(90, 90, 90))), white);
    c->instances[FLOOR] = demo_place(mat4_scale(v3(80, 1, 80)), white);
    for (int i = 0; i < PILLARS; i++) {
        const struct vec3 at = on_circle(2 * DEMO_PI * i / PILLARS, pillars_away, 0);
        c->instances[FIRST_PILLAR + i] = demo_place(
            mat4_mul(mat4_translate(at), mat4_scale(v3(0.75f, pillar_stretch(i), 0.75f))),
            paint(3 * i));
    }
}

static void place_moving(struct cube *c, double time) {
    static const struct vec4 brass[RINGS] = {
        {0.95f, 0.68f, 0.28f, -100}, {0.95f, 0.68f, 0.28f, 100}, {0.90f, 0.55f, 0.38f, -100}};
    for (int i = 0; i < BALLS; i++) {
        const double angle = 2 * DEMO_PI * i / BALLS + 0.25 * time;
        const float size = i % 3 == 0 ? 0.42f : i % 3 == 1 ? 0.26f : 0.33f;
        const double hop = demo_sin(1.7 * time + 2.2 * i);
        const struct vec3 at =
            on_circle(angle, i % 2 ? 3.5f : 4.2f, size + 0.9f * (float)(hop * hop));
        c->balls[i] = (struct vec4){at.x, at.y, at.z, 1 / (size * size)};
        c->instances[FIRST_BALL + i] =
            demo_place(mat4_mul(mat4_translate(at), mat4_scale(v3(size, size, size))), paint(i));
    }
    c->balls[BALLS] = (struct vec4){center.x, center.y, center.z, 1 / (radius * radius)};
    const struct mat4 stand = mat4_translate(center);
    for (int i = 0; i < RINGS; i++) {
        const struct mat4 turn = mat4_mul(mat4_rotate_y((0.5 - 0.35 * i) * time + 1.3 * i),
                                          mat4_rotate_x(0.45 + 0.5 * i + 0.4 * time));
        c->instances[FIRST_RING + i] = demo_place(mat4_mul(stand, turn), brass[i]);
    }
    const struct mat4 size = mat4_scale(v3(radius, radius, radius));
    c->instances[GLOBE] = demo_place(mat4_mul(mat4_mul(stand, mat4_rotate_y(-0.3 * time)), size),
                                     (struct vec4){0.80f, 0.82f, 0.85f, 0});
}

/* ---- Making the meshes and textures ---- */

static bool make_meshes(struct demo *demo) {
    static const struct demo_corner pillar[] = {
        {0.75f, 0, true},      {0.75f, 0.12f, true},  {0.55f, 0.2f, true}, {0.42f, 1.2f, false},
        {0.40f, 2.2f, true},   {0.60f, 2.3f, false},  {0.60f, 2.5f, true}, {0.45f, 2.5f, true},
        {0.52f, 2.75f, false}, {0.42f, 3.15f, false}, {0, 3.2f, true}};
    static const struct demo_corner plane[] = {{1, 0, true}, {0, 0, true}};
    struct cube *c = demo->state;
    for (int i = 0; i < RINGS; i++) { /* flat bands */
        const float inner = 1.42f + 0.2f * (float)i, outer = inner + 0.09f, half = 0.075f;
        const struct demo_corner ring[] = {{inner, -half, true},
                                           {outer, -half, true},
                                           {outer, half, true},
                                           {inner, half, true},
                                           {inner, -half, true}};
        if (!demo_make_lathe(demo, &c->ring[i], ring, 5, 96))
            return false;
    }
    return demo_make_ball(demo, &c->dome, 24) && demo_make_ball(demo, &c->ball, 32) &&
           demo_make_ball(demo, &c->globe, 96) &&
           demo_make_lathe(demo, &c->pillar, pillar, 11, 28) &&
           demo_make_lathe(demo, &c->plane, plane, 2, 32);
}

/* Four by four tiles with joints, stored as square roots. */
static bool make_tiles(struct demo *demo) {
    struct cube *c = demo->state;
    uint8_t(*texels)[4] = demo_memory(demo, TILE_TEXELS * TILE_TEXELS * 4);
    if (!texels)
        return false;
    for (uint32_t i = 0; i < TILE_TEXELS * TILE_TEXELS; i++) {
        const uint32_t x = i % TILE_TEXELS, y = i / TILE_TEXELS, side = TILE_TEXELS / 4;
        const uint32_t tile = x / side + 4 * (y / side), u = x % side, v = y % side;
        const bool joint = u == 0 || v == 0, dark = (tile + tile / 4) & 1;
        const float shade = joint ? 60
                                  : (dark ? 112 : 188) + 16 * (demo_random(tile + 9) - 0.5f) +
                                        7 * (demo_random(i) - 0.5f);
        const uint8_t texel[4] = {(uint8_t)shade, (uint8_t)(0.97f * shade),
                                  (uint8_t)(dark ? 1.04f * shade : 0.91f * shade), 255};
        for (int k = 0; k < 4; k++)
            texels[i][k] = texel[k];
    }
    return (c->tiles = demo_texture(demo, TP_FORMAT_RGBA8, TILE_TEXELS, TILE_TEXELS, true, texels));
}

/* Returns the share of sunlight at a place of the floor. The shadows of the pillars are strips that
 * lead away from the sun and are softer towards their ends. */
static float sun_on_floor(float x, float z) {
    float light = 1;
    for (int i = 0; i < PILLARS; i++) {
        const struct vec3 at = on_circle(2 * DEMO_PI * i / PILLARS, pillars_away, 0);
        const float length = pillar_height * pillar_stretch(i) / sun.y;
        const float dx = -sun.x * length, dz = -sun.z * length, u = x - at.x, v = z - at.z;
        const float t = demo_clamp((u * dx + v * dz) / (dx * dx + dz * dz), 0, 1);
        const float a = u - t * dx, b = v - t * dz, off = sqrtf(a * a + b * b);
        const float soft = 0.08f + 0.18f * t;
        light *= demo_smoothstep(0.34f - soft, 0.34f + soft, off);
    }
    return light;
}

static bool make_shade(struct demo *demo) {
    struct cube *c = demo->state;
    uint8_t(*texels)[4] = demo_memory(demo, SHADE_TEXELS * SHADE_TEXELS * 4);
    if (!texels)
        return false;
    for (int i = 0; i < SHADE_TEXELS * SHADE_TEXELS; i++) {
        const float x = (float)(i % SHADE_TEXELS) + 0.5f, z = (float)(i / SHADE_TEXELS) + 0.5f;
        const float scale = 2 * shade_side / SHADE_TEXELS;
        texels[i][0] =
            (uint8_t)(255 * sun_on_floor(scale * x - shade_side, scale * z - shade_side));
    }
    return (c->shade =
                demo_texture(demo, TP_FORMAT_RGBA8, SHADE_TEXELS, SHADE_TEXELS, false, texels));
}

static bool make_map(struct demo *demo) {
    struct cube *c = demo->state;
    struct tp_texture_info info = {.kind = TP_TEXTURE_CUBE,
                                   .format = TP_FORMAT_RGBA8,
                                   .width = FACE_SIZE,
                                   .height = FACE_SIZE,
                                   .mipmaps = true};
    c->map = demo_make_texture(demo, &info);
    info.format = TP_FORMAT_Z24S8;
    info.mipmaps = false;
    return c->map && (c->map_zeta = demo_make_texture(demo, &info));
}

static bool init(struct demo *demo) {
    struct cube *c = demo->state;
    place_fixed(c);
    return make_meshes(demo) && make_tiles(demo) && make_shade(demo) && make_map(demo) &&
           (c->buffer = demo_buffer(demo, NULL, sizeof c->instances)) &&
           demo_load_pass(demo, &c->sky_map, "mesh.vp", "cube.gp", "cube_sky.fp") &&
           demo_load_pass(demo, &c->floor_map, "mesh.vp", "cube.gp", "cube_floor.fp") &&
           demo_load_pass(demo, &c->object_map, "mesh.vp", "cube.gp", "cube_object.fp") &&
           demo_load_pass(demo, &c->floor, "mesh.vp", NULL, "cube_floor.fp") &&
           demo_load_pass(demo, &c->paint, "mesh.vp", NULL, "cube_paint.fp") &&
           demo_load_pass(demo, &c->mirror, "cube_mirror.vp", NULL, "cube_mirror.fp") &&
           demo_load_cover(demo, &c->sky, "sky.vp", "sky.fp");
}

/* ---- A frame ---- */

static bool use(struct demo *demo, const struct demo_pass *pass,
                const struct constants *constants) {
    return demo_use_pass(demo, pass, constants, sizeof *constants);
}

static bool draw(struct demo *demo, const struct demo_mesh *mesh, uint32_t first, uint32_t count) {
    const struct cube *c = demo->state;
    return demo_draw_mesh(demo, mesh, c->buffer, first, count);
}

static bool draw_objects(struct demo *demo) {
    const struct cube *c = demo->state;
    return draw(demo, &c->ball, FIRST_BALL, BALLS) && draw(demo, &c->pillar, FIRST_PILLAR, PILLARS);
}

static bool draw_rings(struct demo *demo) {
    const struct cube *c = demo->state;
    for (uint32_t i = 0; i < RINGS; i++)
        if (!draw(demo, &c->ring[i], FIRST_RING + i, 1))
            return false;
    return true;
}

/* Draws all six faces at once: the objects, the floor and the sky, each with a program. */
static bool draw_map(struct demo *demo, const struct constants *constants) {
    struct cube *c = demo->state;
    const struct tp_target color = {.texture = c->map, .layered = true};
    const struct tp_target zeta = {.texture = c->map_zeta, .layered = true};
    TRY(demo, tp_set_targets(demo->context, 1, &color, &zeta));
    TRY(demo, tp_clear(demo->context, TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, NULL, 1, 0));
    TRY(demo, tp_set_raster(demo->context, &(struct tp_raster_state){0}));
    if (!demo_opaque(demo) || !use(demo, &c->object_map, constants) || !draw_objects(demo) ||
        !draw_rings(demo) || !use(demo, &c->floor_map, constants) ||
        !draw(demo, &c->plane, FLOOR, 1) || !use(demo, &c->sky_map, constants) ||
        !draw(demo, &c->dome, DOME, 1))
        return false;
    TRY(demo, tp_texture_generate_mipmaps(demo->context, c->map));
    return true;
}

static bool draw_picture(struct demo *demo, const struct demo_frame *f,
                         const struct constants *constants) {
    const struct cube *c = demo->state;
    TRY(demo, tp_set_seamless_cubes(demo->context, true));
    TRY(demo, tp_bind_texture(demo->context, TP_FRAGMENT, 0, c->map, &demo_trilinear));
    return demo_opaque(demo) && demo_raster(demo, f, (struct tp_raster_state){0}) &&
           use(demo, &c->mirror, constants) && draw(demo, &c->globe, GLOBE, 1) &&
           draw_rings(demo) && use(demo, &c->paint, constants) && draw_objects(demo) &&
           use(demo, &c->floor, constants) && draw(demo, &c->plane, FLOOR, 1);
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    const float near = 0.3f, far = 200;
    struct cube *c = demo->state;
    const struct demo_camera camera =
        demo_orbit_camera(f, v3(0, 1.5f, 0), 8.4f, 0.55 - 0.07 * f->time, 0.19, 0.62, 0.1f, 200);
    const struct constants constants = {
        .view_projection = camera.view_projection,
        .sun = {sun.x, sun.y, sun.z, 0},
        .eye = {camera.eye.x, camera.eye.y, camera.eye.z, 6.0f},
        .horizon = {0.74f, 0.56f, 0.42f, 0},
        .zenith = {0.035f, 0.13f, 0.42f, 0},
        .center = {center.x, center.y, center.z, 0},
        .depth = {(far + near) / (far - near), -2 * far * near / (far - near)}};
    struct demo_rays rays = demo_rays(&camera, constants.sun, constants.horizon, constants.zenith);
    place_moving(c, f->time);
    TRY(demo, tp_buffer_write(demo->context, c->buffer, 0, c->instances, sizeof c->instances));
    TRY(demo, tp_set_constants(demo->context, TP_FRAGMENT, 1, c->balls, sizeof c->balls));
    TRY(demo, tp_bind_texture(demo->context, TP_FRAGMENT, 1, c->tiles, &demo_sharp));
    TRY(demo, tp_bind_texture(demo->context, TP_FRAGMENT, 2, c->shade, &demo_inside));
    if (!draw_map(demo, &constants))
        return false;
    TRY(demo, tp_set_target(demo->context, f->color, f->zeta));
    return demo_before_sky(demo, f) && draw_picture(demo, f, &constants) &&
           demo_draw_sky_behind(demo, f, &c->sky, &rays);
}

DEMO_SCENE(cube, TP_CHIP_GT215, "metal that mirrors a cube map, whose faces are drawn in one pass");
