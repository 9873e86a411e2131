/* teapot: the Utah teapot, tessellated from its 32 bicubic Bezier patches, with Blinn-Phong light
 * per pixel; a stencil-masked planar shadow on a floor that fades into the background. Shows per-
 * pixel lighting (rsqrt, lg2, ex2), indexed triangles, culling, stencil and blending.
 */
#include "demos/demo.h"

enum {
    STEPS = 10, /* quads along each side of a patch */
    PATCHES = 32,
    PATCH_VERTICES = (STEPS + 1) * (STEPS + 1),
    PATCH_INDICES = STEPS * STEPS * 6,
    SPOUT_PATCHES = 4, /* the last patches: open at the tip, so both sides are drawn */
};

/* Newell's control points, z up. A surface of revolution needs only its profile, {radius, z},
 * from the top of the outside down; a quarter of the turn is one patch. */
static const float profiles[6][4][2] = {
    {{1.4f, 2.4f}, {1.3375f, 2.53125f}, {1.4375f, 2.53125f}, {1.5f, 2.4f}}, /* rim */
    {{1.5f, 2.4f}, {1.75f, 1.875f}, {2.0f, 1.35f}, {2.0f, 0.9f}},           /* body */
    {{2.0f, 0.9f}, {2.0f, 0.45f}, {1.5f, 0.225f}, {1.5f, 0.15f}},
    {{0.0f, 3.15f}, {0.8f, 3.15f}, {0.0f, 2.85f}, {0.2f, 2.7f}}, /* lid */
    {{0.2f, 2.7f}, {0.4f, 2.55f}, {1.3f, 2.55f}, {1.3f, 2.4f}},
    {{1.5f, 0.15f}, {1.5f, 0.075f}, {1.425f, 0.0f}, {0.0f, 0.0f}}, /* bottom */
};
/* Handle and spout: one half (y <= 0) of two patches each; the other half is its mirror image.
 * Rows of the table run along the tube; a row is {x, z at y = 0}, {x, z}, {x, z}, {x, z at y = 0}
 * around it, the inner two at y = -width. */
struct tube_row {
    float width, xz[4][2];
};
static const struct tube_row tubes[2][7] = {
    {
        /* handle */
        {0.3f, {{-1.6f, 2.025f}, {-1.6f, 2.025f}, {-1.5f, 2.25f}, {-1.5f, 2.25f}}},
        {0.3f, {{-2.3f, 2.025f}, {-2.3f, 2.025f}, {-2.5f, 2.25f}, {-2.5f, 2.25f}}},
        {0.3f, {{-2.7f, 2.025f}, {-2.7f, 2.025f}, {-3.0f, 2.25f}, {-3.0f, 2.25f}}},
        {0.3f, {{-2.7f, 1.8f}, {-2.7f, 1.8f}, {-3.0f, 1.8f}, {-3.0f, 1.8f}}},
        {0.3f, {{-2.7f, 1.575f}, {-2.7f, 1.575f}, {-3.0f, 1.35f}, {-3.0f, 1.35f}}},
        {0.3f, {{-2.5f, 1.125f}, {-2.5f, 1.125f}, {-2.65f, 0.9375f}, {-2.65f, 0.9375f}}},
        {0.3f, {{-2.0f, 0.9f}, {-2.0f, 0.9f}, {-1.9f, 0.6f}, {-1.9f, 0.6f}}},
    },
    {
        /* spout */
        {0.66f, {{1.7f, 1.425f}, {1.7f, 1.425f}, {1.7f, 0.6f}, {1.7f, 0.6f}}},
        {0.66f, {{2.6f, 1.425f}, {2.6f, 1.425f}, {3.1f, 0.825f}, {3.1f, 0.825f}}},
        {0.25f, {{2.3f, 2.1f}, {2.3f, 2.1f}, {2.4f, 2.025f}, {2.4f, 2.025f}}},
        {0.25f, {{2.7f, 2.4f}, {2.7f, 2.4f}, {3.3f, 2.4f}, {3.3f, 2.4f}}},
        {0.25f, {{2.8f, 2.475f}, {2.8f, 2.475f}, {3.525f, 2.49375f}, {3.525f, 2.49375f}}},
        {0.15f, {{2.9f, 2.475f}, {2.9f, 2.475f}, {3.45f, 2.5125f}, {3.45f, 2.5125f}}},
        {0.15f, {{2.8f, 2.4f}, {2.8f, 2.4f}, {3.2f, 2.4f}, {3.2f, 2.4f}}},
    },
};

struct vertex {
    struct vec3 position, normal;
};

struct constants { /* c0[] of every pass */
    struct mat4 view_projection;
    struct vec4 eye;        /* 0x40 */
    struct vec4 light;      /* 0x50: direction to the light; w: shininess */
    struct vec4 albedo;     /* 0x60 */
    struct vec4 sky;        /* 0x70: ambient from above; w: strength of the highlight */
    struct vec4 ground;     /* 0x80: ambient from below */
    struct vec4 background; /* 0x90; w: 1 / the radius at which the floor ends in this colour */
};

struct teapot {
    struct demo_pass pass, floor, shadow;
    tp_buffer *vertices, *indices, *floor_vertices;
};

/* Computes the cubic Bernstein polynomials and their derivatives at t. */
static void bernstein(float t, float value[4], float slope[4]) {
    float s = 1 - t;
    value[0] = s * s * s;
    value[1] = 3 * s * s * t;
    value[2] = 3 * s * t * t;
    value[3] = t * t * t;
    slope[0] = -3 * s * s;
    slope[1] = 3 * s * s - 6 * s * t;
    slope[2] = 6 * s * t - 3 * t * t;
    slope[3] = 3 * t * t;
}

static void evaluate(const struct vec3 points[4][4], float u, float v, struct vec3 *position,
                     struct vec3 *along_u, struct vec3 *along_v) {
    float bu[4], du[4], bv[4], dv[4];
    bernstein(u, bu, du);
    bernstein(v, bv, dv);
    *position = *along_u = *along_v = v3(0, 0, 0);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            *position = v3_add(*position, v3_scale(points[i][j], bu[i] * bv[j]));
            *along_u = v3_add(*along_u, v3_scale(points[i][j], du[i] * bv[j]));
            *along_v = v3_add(*along_v, v3_scale(points[i][j], bu[i] * dv[j]));
        }
}

/* Appends patch number `patch`. flip: its parameters run in the opposite direction. */
static void tessellate(const struct vec3 points[4][4], bool flip, int patch,
                       struct vertex *vertices, uint16_t *indices) {
    struct vertex *v = vertices + patch * PATCH_VERTICES;
    for (int i = 0; i <= STEPS; i++)
        for (int j = 0; j <= STEPS; j++, v++) {
            struct vec3 along_u, along_v, unused;
            float s = (float)i / STEPS, t = (float)j / STEPS;
            evaluate(points, s, t, &v->position, &along_u, &along_v);
            struct vec3 normal = v3_cross(along_v, along_u);
            if (v3_dot(normal, normal) < 1e-8f) { /* a pole: one side is a single point */
                evaluate(points, demo_mix(s, 0.5f, 0.01f), t, &unused, &along_u, &along_v);
                normal = v3_cross(along_v, along_u);
            }
            v->normal = v3_normalize(flip ? v3_scale(normal, -1) : normal);
        }
    uint16_t *out = indices + patch * PATCH_INDICES;
    uint16_t base = (uint16_t)(patch * PATCH_VERTICES);
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < STEPS; j++) {
            uint16_t a = (uint16_t)(base + i * (STEPS + 1) + j), b = (uint16_t)(a + STEPS + 1);
            uint16_t c = (uint16_t)(a + 1), d = (uint16_t)(b + 1);
            const uint16_t corner[2][6] = {{a, c, b, b, c, d}, {a, b, c, c, b, d}};
            for (int k = 0; k < 6; k++)
                *out++ = corner[flip][k];
        }
}

/* Converts from z up to y up. */
static struct vec3 upright(float x, float y, float z) {
    return v3(x, z, -y);
}

static void build(struct vertex *vertices, uint16_t *indices) {
    struct vec3 points[4][4];
    int patch = 0;
    for (int p = 0; p < 6; p++)
        for (int quarter = 0; quarter < 4; quarter++) {
            static const float around[4][2] = {{1, 0}, {1, -0.56f}, {0.56f, -1}, {0, -1}};
            static const float turn[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
            float c = turn[quarter][0], s = turn[quarter][1];
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) {
                    float r = profiles[p][i][0], x = r * around[j][0], y = r * around[j][1];
                    points[i][j] = upright(c * x - s * y, s * x + c * y, profiles[p][i][1]);
                }
            tessellate(points, false, patch++, vertices, indices);
        }
    for (int t = 0; t < 2; t++)
        for (int half = 0; half < 4; half++) {
            int first = half & 2 ? 3 : 0;
            float side = half & 1 ? 1 : -1;
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) {
                    const struct tube_row *row = &tubes[t][first + i];
                    float y = j == 1 || j == 2 ? side * row->width : 0;
                    points[i][j] = upright(row->xz[j][0], y, row->xz[j][1]);
                }
            tessellate(points, half & 1, patch++, vertices, indices);
        }
}

static bool init(struct demo *demo) {
    struct teapot *t = demo->state;
    const size_t vertex_bytes = PATCHES * PATCH_VERTICES * sizeof(struct vertex);
    const size_t index_bytes = PATCHES * PATCH_INDICES * sizeof(uint16_t);
    struct vertex *vertices = demo_memory(demo, vertex_bytes);
    uint16_t *indices = demo_memory(demo, index_bytes);
    if (!vertices || !indices)
        return false;
    build(vertices, indices);
    static const float floor_vertices[4][3] = {
        {-14, 0, 14}, {14, 0, 14}, {-14, 0, -14}, {14, 0, -14}};
    return (t->vertices = demo_buffer(demo, vertices, vertex_bytes)) &&
           (t->indices = demo_buffer(demo, indices, index_bytes)) &&
           (t->floor_vertices = demo_buffer(demo, floor_vertices, sizeof floor_vertices)) &&
           demo_load_pass(demo, &t->pass, "teapot.vp", NULL, "teapot.fp") &&
           demo_load_pass(demo, &t->floor, "floor.vp", NULL, "floor.fp") &&
           demo_load_pass(demo, &t->shadow, "teapot_shadow.vp", NULL, "teapot_shadow.fp");
}

static bool draw_patches(struct demo *demo, int first, int count) {
    struct teapot *t = demo->state;
    TRY(demo,
        tp_draw(demo->context, &(struct tp_draw_info){.primitive = TP_TRIANGLES,
                                                      .first = (uint32_t)(first * PATCH_INDICES),
                                                      .count = (uint32_t)(count * PATCH_INDICES),
                                                      .index_buffer = t->indices,
                                                      .index_type = TP_INDEX_U16}));
    return true;
}

static bool draw_teapot(struct demo *demo, const struct demo_frame *f, const struct constants *c) {
    struct teapot *t = demo->state;
    if (!demo_opaque(demo) || !demo_use_pass(demo, &t->pass, c, sizeof *c) ||
        !demo_vertices(demo, t->vertices, (const unsigned[]){3, 3}, 2) ||
        !demo_raster(demo, f, (struct tp_raster_state){.cull_back = true}) ||
        !draw_patches(demo, 0, PATCHES - SPOUT_PATCHES) ||
        !demo_raster(demo, f, (struct tp_raster_state){0}))
        return false;
    return draw_patches(demo, PATCHES - SPOUT_PATCHES, SPOUT_PATCHES);
}

static bool draw_floor(struct demo *demo, const struct demo_frame *f, const struct constants *c) {
    struct teapot *t = demo->state;
    return demo_use_pass(demo, &t->floor, c, sizeof *c) &&
           demo_raster(demo, f, (struct tp_raster_state){.cull_back = true}) &&
           demo_draw_vertices(demo, t->floor_vertices, (const unsigned[]){3}, 1, TP_TRIANGLE_STRIP,
                              4);
}

/* Draws the shadow: the teapot, flattened onto the floor along the light; each pixel is darkened
 * once. */
static bool draw_shadow(struct demo *demo, const struct demo_frame *f, const struct constants *c) {
    struct teapot *t = demo->state;
    struct constants flat = *c;
    struct mat4 flatten = mat4_identity();
    flatten.m[4] = -c->light.x / c->light.y;
    flatten.m[5] = 0;
    flatten.m[6] = -c->light.z / c->light.y;
    flatten.m[13] = 0.002f;
    flat.view_projection = mat4_mul(c->view_projection, flatten);
    const struct tp_stencil_face once = {.func = TP_EQUAL,
                                         .fail = TP_KEEP,
                                         .depth_fail = TP_KEEP,
                                         .pass = TP_INCR,
                                         .ref = 0,
                                         .read_mask = 0xff,
                                         .write_mask = 0xff};
    const struct tp_stencil_state stencil = {.test = true, .front = once, .back = once};
    TRY(demo, tp_set_stencil(demo->context, &stencil));
    TRY(demo, tp_set_depth(demo->context, &(struct tp_depth_state){.test = true, .func = TP_LESS}));
    TRY(demo, tp_set_blend(demo->context, TP_ALL_TARGETS,
                           &(struct tp_blend_target){.enable = true,
                                                     .src_rgb = TP_FACTOR_ZERO,
                                                     .dst_rgb = TP_ONE_MINUS_SRC_ALPHA,
                                                     .src_alpha = TP_FACTOR_ZERO,
                                                     .dst_alpha = TP_FACTOR_ONE}));
    return demo_use_pass(demo, &t->shadow, &flat, sizeof flat) &&
           demo_vertices(demo, t->vertices, (const unsigned[]){3, 3}, 2) &&
           demo_raster(demo, f, (struct tp_raster_state){0}) && draw_patches(demo, 0, PATCHES);
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct demo_camera camera = demo_orbit_camera(f, v3(0.1f, 1.25f, 0), 8.6f,
                                                  -0.45 + 0.35 * f->time, 0.42, 0.72, 0.5f, 60);
    struct vec3 light = v3_normalize(v3(0.55f, 1.0f, 0.35f));
    struct constants c = {
        .view_projection = camera.view_projection,
        .eye = {camera.eye.x, camera.eye.y, camera.eye.z, 1},
        .light = {light.x, light.y, light.z, 90},
        .albedo = {0.42f, 0.055f, 0.035f, 1},
        .sky = {0.30f, 0.36f, 0.46f, 1.1f},
        .ground = {0.16f, 0.11f, 0.08f, 0},
        .background = {0.055f, 0.075f, 0.105f, 1 / 12.0f},
    };
    return demo_clear(demo, v3(c.background.x, c.background.y, c.background.z)) &&
           draw_teapot(demo, f, &c) && draw_floor(demo, f, &c) &&
           (f->wireframe || draw_shadow(demo, f, &c));
}

DEMO_SCENE(teapot, TP_CHIP_GT215, "the Utah teapot from its Bezier patches, Blinn-Phong per pixel");
