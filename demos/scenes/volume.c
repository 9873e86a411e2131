/* volume: cumulus clouds over a sea. Shows three-dimensional textures; a fragment program that
 * follows each ray through a box of density until the box ends or the cloud is opaque, and leaps
 * over empty space by a distance in the texture; and blending of boxes over each other, far to
 * near. */
#include "demos/demo.h"

#include <string.h>

enum { WIDE = 96, HIGH = 64, SHAPES = 2, DETAIL = 48, CLOUDS = 52 };
static const float ASPECT = (float)WIDE / HIGH; /* of a box: width / height and depth / height */
static const float SUN_RISE = 0.45f;            /* rise of the sunlight in a step along z */

struct instance { /* of a box: the other corner is place + extent */
    float place[3], shape;
    float extent[3], size;
};

struct constants { /* c0[] of both stages */
    struct mat4 view_projection;
    struct vec4 eye;     /* 0x40; w: haze for a distance of 1 */
    struct vec4 detail;  /* 0x50: the eye in coordinates of the detail; w: their scale */
    struct vec4 sun;     /* 0x60: direction; w: depth of the erosion */
    struct vec4 light;   /* 0x70: colour of the sun; w: extinction of a step */
    struct vec4 ambient; /* 0x80; w: length of a step in a box of height 1 */
    struct vec4 haze;    /* 0x90; w: length of 255 texels in a box of height 1 */
};

struct volume {
    struct demo_pass pass;
    struct demo_cover sky;
    tp_buffer *corners, *indices, *instances;
    tp_texture *shapes, *detail;
};

/* ---- The shapes --------------------------------------------------------------------------- */

static size_t voxel(int x, int y, int z) {
    return ((size_t)z * HIGH + (size_t)y) * WIDE + (size_t)x;
}

/* 32 well mixed bits for each cell of a grid. */
static uint32_t mixed(int x, int y, int z) {
    uint32_t n = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u;
    n = (n ^ (n >> 15)) * 0x2c1b3c6du;
    n = (n ^ (n >> 12)) * 0x297a2d39u;
    return n ^ (n >> 15);
}

/* A noise that is 1 at one random point in each cell of a grid, and falls to 0 at the distance of a
 * cell. The grid repeats after `cells` cells. */
static float cells_at(float x, float y, float z, int cells) {
    const int i = (int)x, j = (int)y, k = (int)z;
    float nearest = 1;
    for (int n = 0; n < 27; n++) {
        const int u = i + n % 3 - 1, v = j + n / 3 % 3 - 1, w = k + n / 9 - 1;
        const uint32_t point = mixed((u + cells) % cells, (v + cells) % cells, (w + cells) % cells);
        const float dx = (float)u + (float)(point & 1023) / 1024 - x,
                    dy = (float)v + (float)(point >> 10 & 1023) / 1024 - y,
                    dz = (float)w + (float)(point >> 20 & 1023) / 1024 - z;
        const float d = dx * dx + dy * dy + dz * dz;
        nearest = d < nearest ? d : nearest;
    }
    return 1 - sqrtf(nearest);
}

struct puff {
    float x, y, z, radius; /* in heights of the box */
};
enum { PUFFS = 60 };

/* Makes a heap of balls: wide below, with few at the top. */
static void heap(struct puff *puffs, uint32_t seed) {
    for (uint32_t i = 0; i < PUFFS; i++, seed += 10) {
        const float up = demo_random(seed), h = up * up * up;
        const double angle = 2 * DEMO_PI * (double)demo_random(seed + 1);
        const float out = 0.40f * ASPECT * (1 - 0.80f * sqrtf(h)) * sqrtf(demo_random(seed + 2));
        puffs[i] = (struct puff){0.5f * ASPECT + out * (float)demo_cos(angle), 0.16f + 0.58f * h,
                                 0.5f * ASPECT + out * (float)demo_sin(angle),
                                 (0.15f + 0.10f * demo_random(seed + 3)) * (1 - 0.3f * h)};
    }
}

static int clipped(float x, int size) {
    return x<1 ? 1 : x>(float)(size - 2) ? size - 2 : (int)x;
}

/* Adds to each voxel its depth in a ball: 0 outside, 1 in the middle. */
static void fill(float *depth, const struct puff *p) {
    const float r = p->radius * HIGH, x0 = p->x * HIGH, y0 = p->y * HIGH, z0 = p->z * HIGH;
    for (int z = clipped(z0 - r, WIDE); z <= clipped(z0 + r, WIDE); z++)
        for (int y = clipped(y0 - r, HIGH); y <= clipped(y0 + r, HIGH); y++)
            for (int x = clipped(x0 - r, WIDE); x <= clipped(x0 + r, WIDE); x++) {
                const float dx = (float)x + 0.5f - x0, dy = (float)y + 0.5f - y0,
                            dz = (float)z + 0.5f - z0;
                const float d = 1 - (dx * dx + dy * dy + dz * dz) / (r * r);
                if (d > 0)
                    depth[voxel(x, y, z)] += d * d;
            }
}

/* Makes a heap of balls, roughens their surface with billows of two sizes, and cuts the bottom
 * flat. */
static void make_density(float *density, uint32_t seed) {
    struct puff puffs[PUFFS];
    heap(puffs, seed);
    for (int i = 0; i < PUFFS; i++)
        fill(density, &puffs[i]);
    for (int i = 0; i < WIDE * HIGH * WIDE; i++) {
        if (density[i] <= 0.1f)
            continue;
        const float x = (float)(i % WIDE) / HIGH, y = (float)(i / WIDE % HIGH) / HIGH,
                    z = (float)(i / WIDE / HIGH) / HIGH;
        float rough = 0.5f; /* deep inside the cloud no billows are computed */
        if (density[i] < 1.6f)
            rough = 0.6f * cells_at(5 * x, 5 * y, 5 * z, 64) +
                    0.4f * cells_at(12 * x, 12 * y, 12 * z, 64);
        density[i] = demo_clamp(1.8f * (density[i] - 0.45f) + 3.4f * (rough - 0.42f), 0, 1) *
                     demo_smoothstep(0.06f, 0.13f, y - 0.03f * rough);
    }
}

static float between(const float *field, int x, float y, int z) {
    const int j = (int)y;
    if (j >= HIGH - 1)
        return field[voxel(x, HIGH - 1, z)];
    return demo_mix(field[voxel(x, j, z)], field[voxel(x, j + 1, z)], y - (float)j);
}

/* Computes the sunlight that reaches each voxel, slice by slice; the sun stands at -z. */
static void make_light(float *light, const float *density) {
    for (int z = 0; z < WIDE; z++)
        for (int y = 0; y < HIGH; y++)
            for (int x = 0; x < WIDE; x++) {
                float *at = &light[voxel(x, y, z)];
                const float from = (float)y + SUN_RISE;
                const int west = x ? x - 1 : x, east = x < WIDE - 1 ? x + 1 : x;
                *at = 1;
                if (z == 0 || from >= HIGH - 1)
                    continue;
                const float straight = between(light, x, from, z - 1);
                const float aside =
                    0.5f * (between(light, west, from, z - 1) + between(light, east, from, z - 1));
                const float through = 1 - 0.30f * between(density, x, from, z - 1);
                *at = demo_mix(straight, aside, 0.3f) * through;
            }
}

/* Computes the light of the sky, from above and from all sides. */
static void make_ambient(float *ambient, const float *density) {
    for (int y = HIGH - 1; y >= 0; y--)
        for (int z = 0; z < WIDE; z++)
            for (int x = 0; x < WIDE; x++) {
                float sum = 0;
                if (y == HIGH - 1 || x == 0 || z == 0 || x == WIDE - 1 || z == WIDE - 1) {
                    ambient[voxel(x, y, z)] = 1;
                    continue;
                }
                for (int i = -1; i <= 1; i++)
                    for (int k = -1; k <= 1; k++)
                        sum += ambient[voxel(x + i, y + 1, z + k)];
                ambient[voxel(x, y, z)] = sum * (1.0f / 9) * (1 - 0.085f * density[voxel(x, y, z)]);
            }
}

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Computes a lower bound of the distance in texels to the nearest cloud, by two sweeps. */
static void make_distance(int *distance, const float *density) {
    for (int turn = 0; turn < 2; turn++)
        for (int n = 0; n < WIDE * HIGH * WIDE; n++) {
            const int i = turn ? WIDE * HIGH * WIDE - 1 - n : n, step = turn ? 1 : -1;
            const int x = i % WIDE, y = i / WIDE % HIGH, z = i / WIDE / HIGH;
            int d = turn ? distance[i] : density[i] > 0 ? 0 : 255;
            for (int k = -1; k <= 1; k++)
                for (int j = -1; j <= 1; j++)
                    for (int l = -1; l <= 1; l++) {
                        /* the half of the neighbours that this sweep has visited */
                        const int order = (k * 3 + j) * 3 + l;
                        const int u = x + l, v = y + j, w = z + k;
                        if (order * step <= 0 || u < 0 || v < 0 || w < 0 || u >= WIDE ||
                            v >= HIGH || w >= WIDE)
                            continue;
                        d = least(d, distance[voxel(u, v, w)] + 1);
                    }
            distance[i] = d;
        }
}

/* Replaces each voxel by the mean of its neighbourhood, along each axis. */
static void soften(float *field) {
    static const int step[3] = {1, WIDE, WIDE * HIGH};
    for (int axis = 0; axis < 3; axis++) {
        const int s = step[axis];
        float before = field[0];
        for (int lane = 0; lane < s; lane++)
            for (int i = s + lane; i < WIDE * HIGH * WIDE - s; i += s) {
                if (i == s + lane)
                    before = field[lane];
                const float here = field[i];
                field[i] = 0.25f * (before + here + here + field[i + s]);
                before = here;
            }
    }
}

/* Texels: density, sunlight, distance, light of the sky. */
static bool make_shape(struct demo *demo, uint8_t *texels, uint32_t seed) {
    enum { N = WIDE * HIGH * WIDE };
    float *density = demo_memory(demo, N * sizeof *density);
    float *light = demo_memory(demo, N * sizeof *light);
    float *ambient = demo_memory(demo, N * sizeof *ambient);
    int *distance = demo_memory(demo, N * sizeof *distance);
    if (!density || !light || !ambient || !distance)
        return false;
    make_density(density, seed);
    soften(density);
    make_light(light, density);
    soften(light);
    make_ambient(ambient, density);
    make_distance(distance, density);
    for (int i = 0; i < N; i++) {
        const uint8_t texel[4] = {demo_byte(density[i]), demo_byte(light[i]), (uint8_t)distance[i],
                                  demo_byte(ambient[i])};
        memcpy(texels + 4 * i, texel, 4);
    }
    return true;
}

/* ---- Detail ------------------------------------------------------------------------------- */

static void make_detail(uint8_t *texels) {
    for (int n = 0; n < DETAIL * DETAIL * DETAIL; n++) {
        const float x = (float)(n % DETAIL) / DETAIL, y = (float)(n / DETAIL % DETAIL) / DETAIL,
                    z = (float)(n / DETAIL / DETAIL) / DETAIL;
        texels[n] = demo_byte(0.66f * cells_at(4 * x, 4 * y, 4 * z, 4) +
                              0.34f * cells_at(11 * x, 11 * y, 11 * z, 11));
    }
}

/* ---- The scene ---------------------------------------------------------------------------- */

static bool init(struct demo *demo) {
    static const float corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    static const uint8_t indices[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                        2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    struct volume *v = demo->state;
    enum { N = WIDE * HIGH * WIDE };
    uint8_t *shapes = demo_memory(demo, (size_t)SHAPES * N * 4);
    uint8_t *detail = demo_memory(demo, DETAIL * DETAIL * DETAIL);
    if (!shapes || !detail)
        return false;
    for (uint32_t i = 0; i < SHAPES; i++)
        if (!make_shape(demo, shapes + (size_t)4 * N * i, 1000 * i + 77))
            return false;
    make_detail(detail);
    return (v->corners = demo_buffer(demo, corners, sizeof corners)) &&
           (v->indices = demo_buffer(demo, indices, sizeof indices)) &&
           (v->instances = demo_buffer(demo, NULL, CLOUDS * sizeof(struct instance))) &&
           (v->shapes =
                demo_texture_3d(demo, TP_FORMAT_RGBA8, WIDE, HIGH, SHAPES * WIDE, false, shapes)) &&
           (v->detail =
                demo_texture_3d(demo, TP_FORMAT_R8, DETAIL, DETAIL, DETAIL, true, detail)) &&
           demo_load_pass(demo, &v->pass, "volume.vp", NULL, "volume.fp") &&
           demo_load_cover(demo, &v->sky, "sky.vp", "volume_sky.fp");
}

struct cloud {
    float x, y, z, size; /* middle of the bottom; height */
    int shape;
    bool mirrored;
};

enum { NEAR = 4 };

/* Returns a far cloud. Far clouds stand all around the near clouds. */
static const struct cloud *far_cloud(struct cloud *c, uint32_t n) {
    const double angle = 2.39996 * n;
    const float out = 11.0f + 0.5f * (float)(n - NEAR) + 3 * demo_random(31 * n);
    *c = (struct cloud){out * (float)demo_sin(angle),
                        0.9f + 0.3f * demo_random(31 * n + 1),
                        out * (float)demo_cos(angle),
                        1.8f + 2.7f * demo_random(31 * n + 2),
                        (int)(n & 1),
                        (n >> 1 & 1) != 0};
    return c;
}

/* Places the clouds in the wind and sorts them from far to near. */
static void place(struct instance *instances, struct vec3 eye, double time) {
    static const struct cloud near[NEAR] = {
        {0, 0.9f, 0, 4.2f, 0, false},
        {3.1f, 1.0f, 3.4f, 1.3f, 1, true},
        {-3.9f, 1.05f, 0.9f, 1.2f, 1, false},
        {-1.0f, 1.0f, 4.4f, 1.0f, 0, true},
    };
    float distance[CLOUDS];
    struct cloud far[1];
    for (int n = 0; n < CLOUDS; n++) {
        const struct cloud *c = n < NEAR ? &near[n] : far_cloud(far, (uint32_t)n);
        const float x = c->x + 0.35f * (float)demo_sin(0.05 * time + (double)n),
                    wide = c->size * ASPECT;
        const struct instance box = {
            {x + (c->mirrored ? 0.5f : -0.5f) * wide, c->y, c->z - 0.5f * wide},
            0.5f * (float)c->shape,
            {c->mirrored ? -wide : wide, c->size, wide},
            c->size};
        const struct vec3 to = v3_sub(v3(x, c->y + 0.5f * c->size, c->z), eye);
        const float d = v3_dot(to, to);
        int at = n;
        for (; at > 0 && distance[at - 1] < d; at--) {
            distance[at] = distance[at - 1];
            instances[at] = instances[at - 1];
        }
        distance[at] = d;
        instances[at] = box;
    }
}

static bool draw_clouds(struct demo *demo, const struct constants *c) {
    struct volume *v = demo->state;
    TRY(demo, tp_set_blend(demo->context, TP_ALL_TARGETS, &demo_blend_over));
    if (!demo_use_pass(demo, &v->pass, c, sizeof *c))
        return false;
    TRY(demo, tp_bind_texture(demo->context, TP_FRAGMENT, 0, v->shapes, &demo_inside));
    TRY(demo, tp_bind_texture(demo->context, TP_FRAGMENT, 1, v->detail, &demo_trilinear));
    TRY(demo, tp_set_attribute(demo->context, 0, 0, 0, 3, TP_FLOAT32));
    TRY(demo, tp_set_attribute(demo->context, 1, 1, 0, 4, TP_FLOAT32));
    TRY(demo, tp_set_attribute(demo->context, 2, 1, 16, 4, TP_FLOAT32));
    TRY(demo, tp_bind_vertices(demo->context, 0, v->corners, 0, 12, 0));
    TRY(demo, tp_bind_vertices(demo->context, 1, v->instances, 0, sizeof(struct instance), 1));
    TRY(demo, tp_draw(demo->context, &(struct tp_draw_info){.primitive = TP_TRIANGLES,
                                                            .count = 36,
                                                            .instances = CLOUDS,
                                                            .index_buffer = v->indices,
                                                            .index_type = TP_INDEX_U8}));
    return true;
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct volume *v = demo->state;
    const struct demo_camera camera =
        demo_orbit_camera(f, v3(0, 2.75f, 0), 6.9f, 1.55 + 0.03 * f->time, -0.16, 0.78, 0.05f, 100);
    const struct vec3 sun = v3_normalize(v3(0, SUN_RISE, -1));
    const double t = f->time;
    struct instance instances[CLOUDS];
    const struct constants c = {
        .view_projection = camera.view_projection,
        .eye = {camera.eye.x, camera.eye.y, camera.eye.z, 0.028f},
        .detail = {0.85f * camera.eye.x - (float)(0.012 * t),
                   0.85f * camera.eye.y - (float)(0.021 * t),
                   0.85f * camera.eye.z + (float)(0.009 * t), 0.85f},
        .sun = {sun.x, sun.y, sun.z, 0.55f},
        .light = {1.55f, 1.02f, 0.62f, -0.85f},
        .ambient = {0.13f, 0.19f, 0.33f, 0.0165f},
        .haze = {0.66f, 0.56f, 0.50f, 255.0f / HIGH},
    };
    struct demo_rays rays =
        demo_rays(&camera, c.sun, c.haze, (struct vec4){0.045f, 0.13f, 0.36f, 0});
    rays.own[1] = (struct vec4){0.6f, demo_fraction(0.05 * t), 0, 0};
    rays.own[0] = (struct vec4){0.014f, 0.085f, 0.17f, 0.011f};
    place(instances, camera.eye, t);
    TRY(demo, tp_buffer_write(demo->context, v->instances, 0, instances, sizeof instances));
    TRY(demo, tp_bind_texture(demo->context, TP_FRAGMENT, 0, v->detail, &demo_trilinear));
    if (!demo_draw_sky(demo, f, &v->sky, &rays))
        return false;
    TRY(demo, tp_set_depth(demo->context, &(struct tp_depth_state){0}));
    /* Only back faces are drawn: they are visible even if the eye is inside a box. */
    return demo_raster(demo, f, (struct tp_raster_state){.cull_front = true}) &&
           draw_clouds(demo, &c);
}

DEMO_SCENE(volume, TP_CHIP_GT215, "rays through clouds in a 3D texture");
