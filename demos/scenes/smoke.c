/* smoke: fires in a stone circle at night. Shows transform feedback, in which a vertex program
 * moves the particles of flame and smoke from one buffer to another, and conditional rendering: a
 * fire whose box is hidden behind a stone draws no fragment. */
#include "demos/shapes.h"

#include <string.h>

enum {
    FIRES = 7,
    LIFE = 100,         /* steps of a particle from birth to birth */
    FLAME = 37,         /* steps for which the particle is a flame; then it may become smoke */
    EACH = 500,         /* particles of a fire */
    BORN = EACH / LIFE, /* particles that are born in a step */
    PARTICLES = FIRES * EACH,
    PARTS = 2 * FIRES, /* smoke and flames of each fire */
    NOISE = 32,
    STARS = 2500
};
static const double STEPS_A_SECOND = 30;

struct particle { /* as transform feedback writes it */
    float place[3], age;
    float velocity[3], unused;
};
struct seed { /* constant values of a particle */
    float home[3], phase;
    float random[4];
};

struct constants { /* c0[] of all stages of stones, boxes and sprites */
    struct mat4 view_projection;
    struct vec4 eye;         /* 0x40 */
    struct vec4 fog;         /* 0x50: colour; w: density for a distance of 1 */
    struct vec4 moon;        /* 0x60: direction; w: strength */
    struct vec4 fire[FIRES]; /* 0x70 to 0xd0: place; w: strength */
    struct vec4 sprite;      /* 0xe0: extent in x and y, steps since the last frame, 1 / life */
};
struct motion {                            /* c0[] of smoke_move.vp */
    float step, life, generation, seconds; /* step: number in a life; seconds: length of a step */
    float noise_scale, turbulence, buoyancy, drag;
    float scroll, wind, half_width, top; /* bounds of smoke */
    float flame, flame_half_width, flame_top;
};

enum { FLOOR, STANDING, BOWLS, BOXES }; /* meshes */

struct smoke {
    struct demo_pass stone, box, sprite, move;
    struct demo_cover sky;
    struct demo_stars stars;
    struct demo_things things;
    tp_buffer *particles[2], *seeds, *reports;
    tp_texture *noise;
    int now;      /* number of the buffer with the particles of `step` */
    int64_t step; /* -1: none */
};

static struct vec3 home(int fire) {
    const double angle = 2 * DEMO_PI * fire / FIRES + 0.35;
    return v3(4.1f * (float)demo_sin(angle), 0.62f, 4.1f * (float)demo_cos(angle));
}

/* Bounds of smoke and flames around their fire, with room for the size of sprites and for the
 * distance that a particle moves in a step. */
static const struct {
    struct vec3 middle, half;
} bounds[2] = {{{0, 3.6f, 0}, {2.7f, 4.2f, 2.7f}}, {{0, 0.95f, 0}, {1.15f, 1.5f, 1.15f}}};

/* ---- Noise -------------------------------------------------------------------------------- */

static float lattice(int x, int y, int z, int cells, uint32_t seed) {
    const int n = ((z & (cells - 1)) * cells + (y & (cells - 1))) * cells + (x & (cells - 1));
    return demo_random((uint32_t)n * 4 + seed);
}

/* Smooth noise that repeats, 0..1, of a grid of `cells` cells, a power of 2. */
static float noise(float x, float y, float z, int cells, uint32_t seed) {
    const float c = (float)cells;
    const int i = (int)(x * c), j = (int)(y * c), k = (int)(z * c);
    const float u = demo_smoothstep(0, 1, x * c - (float)i),
                v = demo_smoothstep(0, 1, y * c - (float)j),
                w = demo_smoothstep(0, 1, z * c - (float)k);
    float row[4];
    for (int n = 0; n < 4; n++)
        row[n] = demo_mix(lattice(i, j + (n & 1), k + (n >> 1), cells, seed),
                          lattice(i + 1, j + (n & 1), k + (n >> 1), cells, seed), u);
    return demo_mix(demo_mix(row[0], row[1], v), demo_mix(row[2], row[3], v), w);
}

static size_t voxel(int x, int y, int z) {
    enum { MASK = NOISE - 1 };
    const int at = ((z & MASK) * NOISE + (y & MASK)) * NOISE + (x & MASK);
    return (size_t)at;
}

/* Makes the noise texture. r: noise of three sizes; g, b, a: a flow without sources, the curl of
 * three noises. */
static bool make_noise(struct demo *demo, uint8_t (*texels)[4]) {
    float(*field)[3] = demo_memory(demo, NOISE * NOISE * NOISE * sizeof *field);
    if (!field)
        return false;
    for (int i = 0; i < NOISE * NOISE * NOISE; i++) {
        const float x = (float)(i % NOISE) / NOISE, y = (float)(i / NOISE % NOISE) / NOISE,
                    z = (float)(i / NOISE / NOISE) / NOISE;
        for (uint32_t c = 0; c < 3; c++)
            field[i][c] = noise(x, y, z, 4, 7000 * c) + 0.4f * noise(x, y, z, 8, 7000 * c + 1);
        texels[i][0] =
            demo_byte(1.25f * (0.55f * noise(x, y, z, 4, 3) + 0.3f * noise(x, y, z, 8, 2) +
                               0.15f * noise(x, y, z, 16, 1)) -
                      0.12f);
    }
    for (int i = 0; i < NOISE * NOISE * NOISE; i++) {
        const int x = i % NOISE, y = i / NOISE % NOISE, z = i / NOISE / NOISE;
        const float *x0 = field[voxel(x - 1, y, z)], *x1 = field[voxel(x + 1, y, z)];
        const float *y0 = field[voxel(x, y - 1, z)], *y1 = field[voxel(x, y + 1, z)];
        const float *z0 = field[voxel(x, y, z - 1)], *z1 = field[voxel(x, y, z + 1)];
        texels[i][1] = demo_byte(0.5f + 1.2f * ((y1[2] - y0[2]) - (z1[1] - z0[1])));
        texels[i][2] = demo_byte(0.5f + 1.2f * ((z1[0] - z0[0]) - (x1[2] - x0[2])));
        texels[i][3] = demo_byte(0.5f + 1.2f * ((x1[1] - x0[1]) - (y1[0] - y0[0])));
    }
    return true;
}

static bool load_noise(struct demo *demo) {
    struct smoke *s = demo->state;
    uint8_t(*texels)[4] = demo_memory(demo, NOISE * NOISE * NOISE * sizeof *texels);
    if (!texels || !make_noise(demo, texels))
        return false;
    s->noise = demo_texture_3d(demo, TP_FORMAT_RGBA8, NOISE, NOISE, NOISE, true, texels);
    return s->noise != NULL;
}

/* ---- The place ---------------------------------------------------------------------------- */

static struct mat4 block(double yaw, struct vec3 at, struct vec3 size, float lean) {
    return mat4_mul(mat4_mul(mat4_rotate_y(yaw), mat4_translate(at)),
                    mat4_mul(mat4_rotate_z((double)lean), mat4_scale(size)));
}

/* A ring of standing stones with stones across, and a tall one in the middle. */
static void add_stones(struct demo_things *t) {
    enum { RING = 14 };
    const struct vec4 grey = {0.34f, 0.32f, 0.29f, 0.6f};
    for (uint32_t i = 0; i < RING; i++) {
        const double yaw = 2 * DEMO_PI * i / RING;
        const float wide = 0.62f + 0.14f * demo_random(5 * i + 1),
                    high = 1.75f + 0.07f * demo_random(5 * i + 2);
        if (i % 5 == 3) { /* a broken stone */
            demo_add(t, block(yaw, v3(0, 0.5f, 6.6f), v3(wide, 0.7f, 0.42f), 0.2f), grey);
            continue;
        }
        demo_add(t,
                 block(yaw, v3(0, high - 0.15f, 6.6f), v3(wide, high, 0.40f),
                       0.05f * (demo_random(5 * i + 3) - 0.5f)),
                 grey);
        if (i % 5 < 2)
            demo_add(
                t, block(yaw + DEMO_PI / RING, v3(0, 3.72f, 6.45f), v3(2.05f, 0.27f, 0.46f), 0.01f),
                grey);
    }
    demo_add(t, block(0.4, v3(0, 2.2f, 0), v3(0.95f, 2.4f, 0.7f), 0.03f), grey);
    demo_add(t, block(1.3, v3(0.5f, 0.3f, 1.3f), v3(0.8f, 0.34f, 0.5f), -0.05f), grey);
}

static bool add_things(struct demo *demo) {
    static const struct demo_corner bowl[] = {
        {0.20f, 0.0f, true},   {0.16f, 0.08f, false}, {0.09f, 0.25f, false},
        {0.12f, 0.36f, false}, {0.40f, 0.48f, false}, {0.50f, 0.66f, true},
        {0.43f, 0.66f, true},  {0.30f, 0.54f, false}, {0.0f, 0.52f, true}};
    struct smoke *s = demo->state;
    struct demo_things *t = &s->things;
    struct demo_mesh *const floor = demo_add_mesh(t);
    demo_add(t, block(0, v3(0, -1, 0), v3(60, 1, 60), 0), (struct vec4){0.16f, 0.17f, 0.11f, 0.5f});
    struct demo_mesh *const stones = demo_add_mesh(t);
    add_stones(t);
    struct demo_mesh *const bowls = demo_add_mesh(t);
    for (int i = 0; i < FIRES; i++)
        demo_add(t, mat4_translate(v3(home(i).x, 0, home(i).z)),
                 (struct vec4){0.20f, 0.14f, 0.09f, 0});
    struct demo_mesh *const boxes = demo_add_mesh(t);
    for (int i = 0; i < PARTS; i++)
        demo_add(t,
                 mat4_mul(mat4_translate(v3_add(home(i / 2), bounds[i % 2].middle)),
                          mat4_scale(bounds[i % 2].half)),
                 (struct vec4){0, 0, 0, 0});
    return demo_write_things(demo, t) && demo_make_box(demo, floor) &&
           demo_make_box(demo, stones) && demo_make_box(demo, boxes) &&
           demo_make_lathe(demo, bowls, bowl, sizeof bowl / sizeof *bowl, 32);
}

static bool make_seeds(struct demo *demo) {
    struct smoke *s = demo->state;
    struct seed *seeds = demo_memory(demo, PARTICLES * sizeof *seeds);
    if (!seeds)
        return false;
    for (uint32_t i = 0; i < PARTICLES; i++) {
        const struct vec3 at = home((int)(i / EACH));
        seeds[i] = (struct seed){{at.x, at.y, at.z},
                                 (float)(LIFE - 1 - i % EACH / BORN), /* the oldest first */
                                 {demo_random(4 * i), demo_random(4 * i + 1),
                                  demo_random(4 * i + 2), demo_random(4 * i + 3)}};
    }
    return (s->seeds = demo_buffer(demo, seeds, PARTICLES * sizeof *seeds)) != NULL;
}

static bool init(struct demo *demo) {
    struct smoke *s = demo->state;
    s->step = -1;
    for (int i = 0; i < 2; i++)
        if (!(s->particles[i] = demo_buffer(demo, NULL, PARTICLES * sizeof(struct particle))))
            return false;
    return make_seeds(demo) && load_noise(demo) && add_things(demo) &&
           (s->reports = demo_buffer(demo, NULL, PARTS * 32)) &&
           demo_load_pass(demo, &s->move, "smoke_move.vp", NULL, "smoke_box.fp") &&
           demo_load_pass(demo, &s->box, "mesh_depth.vp", NULL, "smoke_box.fp") &&
           demo_load_pass(demo, &s->stone, "mesh.vp", NULL, "smoke_stone.fp") &&
           demo_load_pass(demo, &s->sprite, "smoke.vp", "smoke.gp", "smoke.fp") &&
           demo_load_cover(demo, &s->sky, "sky.vp", "sky.fp") &&
           demo_load_stars(demo, &s->stars, STARS);
}

/* ---- The particles ------------------------------------------------------------------------ */

/* Makes one step: each vertex is a particle, and the feedback writes its next state. */
static bool move(struct demo *demo, int64_t step) {
    struct smoke *s = demo->state;
    const struct motion m = {
        .step = (float)(step % LIFE),
        .life = LIFE,
        .generation = (float)(step / LIFE % 4096),
        .seconds = (float)(1 / STEPS_A_SECOND),
        .noise_scale = 0.23f,
        .turbulence = 7.0f,
        .buoyancy = 4.0f,
        .drag = 1.7f,
        .scroll = (float)(step % 4096) * 0.0105f,
        .wind = 0.35f,
        .half_width = 1.6f,
        .top = 7.4f,
        .flame = (FLAME - 0.5f) / LIFE,
        .flame_half_width = 0.55f,
        .flame_top = 2.45f,
    };
    struct tp_stream_info streams = {.interleaved = true,
                                     .stride = sizeof(struct particle),
                                     .count = 1,
                                     .stream = {{.buffer = s->particles[!s->now]}}};
    for (uint8_t i = 0; i < 8; i++)
        streams.map[i] = 0x80 | i;
    if (!demo_bind_pair(demo, s->particles[s->now], s->seeds) ||
        !demo_constants(demo, &s->move, &m, sizeof m))
        return false;
    TRY(demo, tp_set_streams(demo->context, &streams));
    TRY(demo, tp_draw_arrays(demo->context, TP_POINTS, 0, PARTICLES));
    TRY(demo, tp_set_streams(demo->context, NULL));
    s->now = !s->now;
    s->step = step;
    return true;
}

/* Moves the particles to a step. A particle is born anew every LIFE steps, so after LIFE steps
 * nothing of the earlier state is left: the particles of a step are always the same, and a frame
 * soon after the last one only needs the steps between. */
static bool move_to(struct demo *demo, int64_t step) {
    struct smoke *s = demo->state;
    const bool anew = s->step < 0 || step < s->step || step - s->step > LIFE;
    TRY(demo, tp_set_raster(demo->context, &(struct tp_raster_state){.discard = true}));
    TRY(demo, tp_set_depth(demo->context, &(struct tp_depth_state){0}));
    TRY(demo, tp_bind_texture(demo->context, TP_VERTEX, 0, s->noise, &demo_trilinear));
    if (!demo_use_pass(demo, &s->move, NULL, 0))
        return false;
    for (int64_t k = anew ? step - LIFE + 1 : s->step + 1; k <= step; k++)
        if (!move(demo, k))
            return false;
    return true;
}

/* ---- The picture -------------------------------------------------------------------------- */

static bool draw_things(struct demo *demo, uint32_t mesh) {
    const struct smoke *s = demo->state;
    return demo_draw_meshes(demo, &s->things, mesh, 1);
}

/* Counts the visible samples of each box, by reports before and after the box. */
static bool count_boxes(struct demo *demo, const struct constants *c) {
    struct smoke *s = demo->state;
    const struct demo_copies *const boxes = &s->things.mesh[BOXES];
    TRY(demo, tp_set_depth(demo->context, &(struct tp_depth_state){.test = true, .func = TP_LESS}));
    TRY(demo, tp_set_color_mask(demo->context, TP_ALL_TARGETS, 0));
    TRY(demo, tp_set_raster(demo->context, &(struct tp_raster_state){.cull_back = true}));
    TRY(demo, tp_count_samples(demo->context, true));
    if (!demo_use_pass(demo, &s->box, c, sizeof *c))
        return false;
    for (uint32_t i = 0; i < PARTS; i++) {
        TRY(demo, tp_write_counter(demo->context, TP_COUNT_SAMPLES, s->reports, 32 * i));
        if (!demo_draw_mesh(demo, &boxes->mesh, s->things.buffer, boxes->first + i, 1))
            return false;
        TRY(demo, tp_write_counter(demo->context, TP_COUNT_SAMPLES, s->reports, 32 * i + 16));
    }
    TRY(demo, tp_count_samples(demo->context, false));
    TRY(demo, tp_set_color_mask(demo->context, TP_ALL_TARGETS, 15));
    return true;
}

/* Returns true if the eye is in the box, with some room for the near clip plane. */
static bool in_box(struct vec3 eye, int part) {
    const struct vec3 from = v3_sub(v3_sub(eye, home(part / 2)), bounds[part % 2].middle),
                      half = bounds[part % 2].half;
    return fabsf(from.x) < half.x + 0.3f && fabsf(from.y) < half.y + 0.3f &&
           fabsf(from.z) < half.z + 0.3f;
}

/* Draws the smoke or the flames of a fire if their box was visible or the eye is in it. The
 * particles lie in a ring, in the order of their birth; the oldest are drawn first. */
static bool draw_part(struct demo *demo, int part, struct vec3 eye) {
    struct smoke *s = demo->state;
    const enum tp_condition seen = in_box(eye, part) ? TP_IF_ALWAYS : TP_IF_DIFFERENT;
    const bool flames = part % 2 != 0;
    const uint32_t oldest = (uint32_t)(s->step % LIFE) * BORN;
    const uint32_t begin = (oldest + (flames ? EACH - FLAME * BORN : 0)) % EACH;
    const uint32_t count = (flames ? FLAME : LIFE - FLAME) * BORN;
    const uint32_t straight = begin + count > EACH ? EACH - begin : count;
    const uint32_t first = (uint32_t)(part / 2) * EACH;
    TRY(demo, tp_set_condition(demo->context, seen, s->reports, 32 * (uint64_t)part));
    TRY(demo, tp_draw_arrays(demo->context, TP_POINTS, first + begin, straight));
    if (straight < count)
        TRY(demo, tp_draw_arrays(demo->context, TP_POINTS, first, count - straight));
    return true;
}

/* Sorts the fires from far to near. */
static void sort(int *order, struct vec3 eye) {
    float away[FIRES];
    for (int i = 0; i < FIRES; i++) {
        const struct vec3 to = v3_sub(home(i), eye);
        const float d = v3_dot(to, to);
        int at = i;
        for (; at > 0 && away[at - 1] < d; at--) {
            away[at] = away[at - 1];
            order[at] = order[at - 1];
        }
        away[at] = d;
        order[at] = i;
    }
}

static bool draw_fires(struct demo *demo, const struct demo_frame *f, const struct constants *c) {
    struct smoke *s = demo->state;
    const struct vec3 eye = v3(c->eye.x, c->eye.y, c->eye.z);
    int order[FIRES];
    sort(order, eye);
    TRY(demo, tp_set_blend(demo->context, TP_ALL_TARGETS, &demo_blend_over));
    TRY(demo, tp_bind_texture(demo->context, TP_FRAGMENT, 0, s->noise, &demo_trilinear));
    if (!demo_raster(demo, f, (struct tp_raster_state){0}) ||
        !demo_use_pass(demo, &s->sprite, c, sizeof *c) ||
        !demo_bind_pair(demo, s->particles[s->now], s->seeds))
        return false;
    for (int i = 0; i < PARTS; i++)
        if (!draw_part(demo, 2 * order[i / 2] + i % 2, eye))
            return false;
    TRY(demo, tp_set_condition(demo->context, TP_IF_ALWAYS, NULL, 0));
    return true;
}

static float flicker(double t, int fire) {
    return 1 + 0.10f * (float)demo_sin(9.1 * t + 2.1 * fire) +
           0.07f * (float)demo_sin(16.7 * t + 4.7 * fire);
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct smoke *s = demo->state;
    const double steps = (f->time > 0 ? f->time : 0) * STEPS_A_SECOND + 2 * LIFE;
    const int64_t step = (int64_t)floor(steps + 1e-6);
    const struct demo_camera camera =
        demo_orbit_camera(f, v3(0, 1.9f, 0), 14.0f, 3.6 + 0.05 * f->time, 0.17, 0.70, 0.1f, 120);
    const struct vec3 moon = v3_normalize(v3(-0.8f, 0.65f, 0.55f));
    struct constants c = {
        .view_projection = camera.view_projection,
        .eye = {camera.eye.x, camera.eye.y, camera.eye.z, 0},
        .fog = {0.012f, 0.018f, 0.034f, 0.035f},
        .moon = {moon.x, moon.y, moon.z, 0.16f},
        .sprite = {camera.projection.m[0], camera.projection.m[5],
                   (float)demo_clamp((float)(steps - (double)step), 0, 1), 1.0f / LIFE},
    };
    for (int i = 0; i < FIRES; i++)
        c.fire[i] = (struct vec4){home(i).x, home(i).y + 0.55f, home(i).z, flicker(f->time, i)};
    struct demo_rays rays =
        demo_rays(&camera, (struct vec4){0, 0, 0, 0}, (struct vec4){0.020f, 0.026f, 0.046f, 0},
                  (struct vec4){0.002f, 0.004f, 0.014f, 0});
    if (!move_to(demo, step) || !demo_before_sky(demo, f) || !demo_opaque(demo) ||
        !demo_raster(demo, f, (struct tp_raster_state){.cull_back = true}) ||
        !demo_use_pass(demo, &s->stone, &c, sizeof c))
        return false;
    TRY(demo, tp_bind_texture(demo->context, TP_FRAGMENT, 0, s->noise, &demo_trilinear));
    if (!draw_things(demo, STANDING) || !draw_things(demo, BOWLS) || !draw_things(demo, FLOOR) ||
        !demo_draw_sky_behind(demo, f, &s->sky, &rays) ||
        !demo_draw_stars(demo, &s->stars, &camera))
        return false;
    return count_boxes(demo, &c) && draw_fires(demo, f, &c);
}

DEMO_SCENE(smoke, TP_CHIP_GT215, "flames and smoke by transform feedback, hidden ones left out");
