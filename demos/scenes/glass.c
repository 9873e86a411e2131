/* glass: rings and balls of coloured glass that run through each other, on Fermi. Shows
 * transparency without sorted draws: atomics on g[] put the fragments into a list for each pixel,
 * and a last pass blends each list by depth. The picture does not depend on the order of the
 * fragments. */
#include "demos/shapes.h"

enum { RING_STEPS = 64, TUBE_STEPS = 28, BALL_STEPS = 28, RINGS = 3, BALLS = 7 };
/* Each pixel of the largest target has a list head, of 4 bytes; a node has 16 bytes. Pages that are
 * never touched take no memory. */
#if defined(__wasm__) /* a web page has little memory, so 1024 rows */
enum { HEADS_ROWS = 1024, NODES = 1 << 22 };
#else
enum { HEADS_ROWS = 8192, NODES = 1 << 26 };
#endif
#define HEADS_BYTES (UINT64_C(4) * 8192 * HEADS_ROWS)
#define NODES_BYTES (UINT64_C(16) * NODES)

struct constants { /* c0[] of a body */
    struct mat4 view_projection;
    struct mat4 body;      /* 0x40 */
    struct vec4 eye;       /* 0x80 */
    struct vec4 sun;       /* 0x90: direction */
    struct vec4 color;     /* 0xa0: as stored, a gamma of 2; w: opacity */
    struct vec4 unused;    /* 0xb0 */
    uint64_t heads, nodes; /* 0xc0: addresses */
    uint32_t limit;        /* 0xd0: number of nodes that fit */
};

struct floor_constants {
    struct mat4 view_projection;
    struct vec4 haze; /* 0x40 */
};

struct glass {
    struct demo_pass tiles, glass;
    struct demo_cover sky, blend;
    struct demo_mesh ring, ball;
    tp_buffer *floor, *heads, *nodes;
};

/* ---- Meshes ---- */

/* Returns the point (u, v) of a ring's surface and its normal; angles in turns. */
static void ring_point(double u, double v, struct vec3 out[2]) {
    const double a = 2 * DEMO_PI * u, b = 2 * DEMO_PI * v;
    out[1] = v3((float)(demo_cos(a) * demo_cos(b)), (float)demo_sin(b),
                (float)(demo_sin(a) * demo_cos(b)));
    out[0] = v3_add(v3((float)demo_cos(a), 0, (float)demo_sin(a)), v3_scale(out[1], 0.27f));
}

static void ball_point(double u, double v, struct vec3 out[2]) {
    const double a = 2 * DEMO_PI * u, b = DEMO_PI * (v - 0.5);
    out[1] = v3((float)(demo_cos(a) * demo_cos(b)), (float)demo_sin(b),
                (float)(demo_sin(a) * demo_cos(b)));
    out[0] = out[1];
}

static bool make_mesh(struct demo *demo, struct demo_mesh *mesh, int columns, int rows,
                      void (*point)(double u, double v, struct vec3 out[2])) {
    struct vec3(*vertices)[2] =
        demo_memory(demo, (size_t)(columns + 1) * (size_t)(rows + 1) * sizeof *vertices);
    if (!vertices)
        return false;
    for (int i = 0; i <= rows; i++)
        for (int j = 0; j <= columns; j++)
            point((double)j / columns, (double)i / rows, vertices[i * (columns + 1) + j]);
    return demo_make_grid(demo, mesh, vertices, sizeof *vertices, columns, rows);
}

static bool init(struct demo *demo) {
    static const float floor[6][2] = {{-60, -60}, {-60, 60}, {60, -60},
                                      {60, -60},  {-60, 60}, {60, 60}};
    struct glass *g = demo->state;
    return make_mesh(demo, &g->ring, RING_STEPS, TUBE_STEPS, ring_point) &&
           make_mesh(demo, &g->ball, 2 * BALL_STEPS, BALL_STEPS, ball_point) &&
           (g->floor = demo_buffer(demo, floor, sizeof floor)) &&
           (g->heads = demo_buffer(demo, NULL, HEADS_BYTES)) &&
           (g->nodes = demo_buffer(demo, NULL, NODES_BYTES)) &&
           demo_load_pass(demo, &g->tiles, "plane.vp", NULL, "tiles.fp") &&
           demo_load_pass(demo, &g->glass, "glass.vp", NULL, "glass.fp") &&
           demo_load_cover(demo, &g->blend, "glass_blend.vp", "glass_blend.fp") &&
           demo_load_cover(demo, &g->sky, "sky.vp", "sky.fp");
}

/* ---- A frame ---- */

static bool draw_floor(struct demo *demo, const struct floor_constants *c) {
    struct glass *g = demo->state;
    return demo_use_pass(demo, &g->tiles, c, sizeof *c) &&
           demo_draw_vertices(demo, g->floor, (const unsigned[]){2}, 1, TP_TRIANGLES, 6);
}

static struct mat4 ring_place(int i, double time) {
    const struct mat4 turn =
        mat4_mul(mat4_rotate_y(0.31 * time + 2.1 * i), mat4_rotate_x(0.9 + 0.23 * time + 1.05 * i));
    const struct mat4 place = mat4_translate(v3(0.62f * (float)(i - 1), 1.55f, 0.15f * (float)i));
    return mat4_mul(place, turn);
}

static struct mat4 ball_place(int i, double time) {
    const double angle = 2 * DEMO_PI * i / BALLS + 0.35 * time;
    const float size = i % 2 ? 0.30f : 0.46f;
    const struct vec3 at = {2.0f * (float)demo_cos(angle),
                            size + 0.35f + 0.3f * (float)demo_sin(1.3 * time + 2.0 * i),
                            2.0f * (float)demo_sin(angle)};
    return mat4_mul(mat4_translate(at), mat4_scale(v3(size, size, size)));
}

/* Draws all bodies into the lists; the order has no meaning. */
static bool draw_glass(struct demo *demo, struct constants *c, double time) {
    static const struct vec4 colors[] = {
        {0.95f, 0.25f, 0.18f, 0.30f}, {0.20f, 0.78f, 0.38f, 0.30f}, {0.20f, 0.45f, 0.98f, 0.30f},
        {0.98f, 0.74f, 0.15f, 0.22f}, {0.72f, 0.30f, 0.92f, 0.22f}, {0.15f, 0.80f, 0.85f, 0.22f},
    };
    const uint32_t none = 0;
    struct glass *g = demo->state;
    TRY(demo, tp_buffer_write(demo->context, g->nodes, 0, &none, sizeof none));
    TRY(demo, tp_set_depth(demo->context, &(struct tp_depth_state){.test = true, .func = TP_LESS}));
    TRY(demo, tp_set_color_mask(demo->context, TP_ALL_TARGETS, 0));
    if (!demo_use_pass(demo, &g->glass, NULL, 0))
        return false;
    for (int i = 0; i < RINGS + BALLS; i++) {
        c->body = i < RINGS ? ring_place(i, time) : ball_place(i - RINGS, time);
        c->color = colors[i % (int)(sizeof colors / sizeof *colors)];
        if (!demo_constants(demo, &g->glass, c, sizeof *c) ||
            !demo_draw_floats(demo, i < RINGS ? &g->ring : &g->ball, (const unsigned[]){3, 3}, 2))
            return false;
    }
    TRY(demo, tp_set_color_mask(demo->context, TP_ALL_TARGETS, 0xf));
    return true;
}

static bool blend_lists(struct demo *demo, const struct constants *c) {
    static const struct tp_blend_target blend = {
        .enable = true, .src_rgb = TP_FACTOR_ONE, .dst_rgb = TP_SRC_ALPHA};
    struct glass *g = demo->state;
    TRY(demo, tp_set_depth(demo->context, &(struct tp_depth_state){0}));
    TRY(demo, tp_set_raster(demo->context, &(struct tp_raster_state){0}));
    TRY(demo, tp_set_blend(demo->context, TP_ALL_TARGETS, &blend));
    return demo_draw_cover(demo, &g->blend, &c->heads, 2 * sizeof c->heads);
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct glass *g = demo->state;
    const struct demo_camera camera =
        demo_orbit_camera(f, v3(0, 1.15f, 0), 6.2f, 0.5 + 0.12 * f->time, 0.34, 0.72, 0.1f, 90);
    const struct vec3 sun = v3_normalize(v3(-0.55f, 0.6f, 0.35f));
    struct constants c = {.view_projection = camera.view_projection,
                          .eye = {camera.eye.x, camera.eye.y, camera.eye.z, 1},
                          .sun = {sun.x, sun.y, sun.z, 0},
                          .heads = tp_buffer_address(g->heads),
                          .nodes = tp_buffer_address(g->nodes),
                          .limit = NODES};
    struct demo_rays rays = demo_rays(&camera, c.sun, (struct vec4){0.62f, 0.70f, 0.80f, 0},
                                      (struct vec4){0.08f, 0.22f, 0.52f, 0});
    const struct floor_constants floor = {camera.view_projection, rays.horizon};
    return demo_before_sky(demo, f) && demo_opaque(demo) &&
           demo_raster(demo, f, (struct tp_raster_state){0}) && draw_floor(demo, &floor) &&
           demo_draw_sky_behind(demo, f, &g->sky, &rays) &&
           demo_raster(demo, f, (struct tp_raster_state){0}) && draw_glass(demo, &c, f->time) &&
           blend_lists(demo, &c);
}

DEMO_SCENE(glass, TP_CHIP_GF100, "transparency by lists of fragments for each pixel (Fermi)");
