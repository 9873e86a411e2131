/* The visible part of a triangle: random triangles in clip space, with random viewports, near and
 * far clip planes and clip distances, compared with a model that clips nothing. A pixel is drawn if
 * it is a weighted sum of the corners without negative weights and its depth and distances are
 * inside. Its values are the same weighted sums. */
#include "tests/pipeline/fixture.h"

enum { SIZE = 32, DISTANCES = 8, CASES = 3000 };

static float between(float low, float high) {
    return low + (high - low) * (float)random_below(1 << 20) / (1 << 20);
}

struct corner {
    float at[4], value[4], distance[DISTANCES];
};

struct volume {
    struct corner v[3];
    float scale[3], middle[3];
    bool clamp, z_zero, provoking_first, flat, cull_front, cull_back, front_cw;
    bool outlines;          /* the back side is an outline */
    bool wild;              /* corners behind the eye and far away */
    uint32_t planes, culls; /* distances in use; distances that cull */
};

static void make_volume(struct volume *m) {
    const bool wild = m->wild = random_below(2);
    for (int i = 0; i < 3; i++) {
        struct corner *c = &m->v[i];
        const float w = wild ? between(-2, 3) : between(0.5f, 2), far = random_below(6) ? 1
                                                                        : wild          ? 2e6f
                                                                                        : 3;
        for (int k = 0; k < 3; k++)
            c->at[k] = between(-1.5f, 1.5f) * (k == 2 ? 1 : far);
        c->at[3] = w;
        for (int k = 0; k < 4; k++)
            c->value[k] = between(0, 1);
        for (int k = 0; k < DISTANCES; k++)
            c->distance[k] = between(-1, 2);
    }
    for (int k = 0; k < 3; k++) {
        m->scale[k] = between(0.3f, 0.6f) * (k == 2 ? 1 : SIZE) * (random_below(2) ? 1 : -1);
        m->middle[k] = k == 2 ? 0.5f : between(0.4f, 0.6f) * SIZE;
    }
    m->clamp = random_below(3) == 0;
    m->z_zero = random_below(3) == 0;
    m->provoking_first = random_below(2);
    m->flat = random_below(2);
    m->front_cw = random_below(2);
    m->cull_front = random_below(5) == 0;
    m->cull_back = random_below(5) == 0;
    m->outlines = random_below(4) == 0;
    m->planes = random_below(2) ? 0 : 1 + random_below(255);
    m->culls = random_below(2) ? 0 : random_below(256);
}

/* The weights of the corners at a place on the screen. Returns false if there are none. */
static bool weights_at(const struct volume *m, double x, double y, double weight[3]) {
    double a[3][3];
    for (int i = 0; i < 3; i++) {
        const float *at = m->v[i].at;
        a[i][0] = (double)at[0] * m->scale[0] + (double)at[3] * m->middle[0];
        a[i][1] = (double)at[1] * m->scale[1] + (double)at[3] * m->middle[1];
        a[i][2] = at[3];
    }
    double det = 0;
    for (int i = 0; i < 3; i++) {
        const double *p = a[(i + 1) % 3], *q = a[(i + 2) % 3];
        const double n[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2],
                             p[0] * q[1] - p[1] * q[0]};
        weight[i] = n[0] * x + n[1] * y + n[2];
        det += i == 0 ? n[0] * a[0][0] + n[1] * a[0][1] + n[2] * a[0][2] : 0;
    }
    for (int i = 0; i < 3; i++)
        weight[i] /= det;
    return fabs(det) > 1e-6;
}

static double sum(const double weight[3], double a, double b, double c) {
    return weight[0] * a + weight[1] * b + weight[2] * c;
}

#define SUM(weight, m, field) sum(weight, (m)->v[0].field, (m)->v[1].field, (m)->v[2].field)

/* True if the place is inside all limits. */
static bool is_inside(const struct volume *m, double x, double y) {
    double w[3];
    if (!weights_at(m, x, y, w) || w[0] < 0 || w[1] < 0 || w[2] < 0)
        return false;
    const double z = SUM(w, m, at[2]); /* w is 1 */
    if (!m->clamp && (z > 1 || z < (m->z_zero ? 0 : -1)))
        return false;
    for (int k = 0; k < DISTANCES; k++) {
        const bool counts = m->planes >> k & 1, culls = m->culls >> k & 1;
        if (counts && !culls && SUM(w, m, distance[k]) < 0)
            return false;
        if (counts && culls && m->v[0].distance[k] < 0 && m->v[1].distance[k] < 0 &&
            m->v[2].distance[k] < 0)
            return false;
    }
    return true;
}

/* The facing from the sign of the screen area of the part in front of the eye; returns true if that
 * side is culled. */
static bool is_culled(const struct volume *m, bool *front) {
    double a[3][3];
    for (int i = 0; i < 3; i++) {
        const float *at = m->v[i].at;
        a[i][0] = (double)at[0] * m->scale[0];
        a[i][1] = (double)at[1] * m->scale[1];
        a[i][2] = at[3];
    }
    const double det = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
                       a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                       a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
    const bool clockwise = det > 0; /* y points down */
    *front = clockwise == m->front_cw;
    return *front ? m->cull_front : m->cull_back;
}

/* True if the model is sure of a pixel: no limit lies between its centre and places around it. */
static bool is_sure(const struct volume *m, double x, double y, bool inside) {
    const double beside = m->wild ? 0.4 : 0.05; /* inexact floats of far corners */
    double w[3];
    weights_at(m, x, y, w);
    for (int k = 0; k < DISTANCES; k++)
        if (m->planes >> k & 1 && fabs(SUM(w, m, distance[k])) < 1e-3)
            return false;
    for (int i = 0; i < 9; i++)
        if (is_inside(m, x + beside * (i % 3 - 1), y + beside * (i / 3 - 1)) != inside)
            return false;
    return true;
}

static void check_values(const struct volume *m, const struct fixture *f, uint32_t depth,
                         uint32_t x, uint32_t y) {
    double w[3];
    weights_at(m, x + 0.5, y + 0.5, w);
    const double all = w[0] + w[1] + w[2];
    const uint32_t pixel = fixture_pixel(f, x, y);
    const int last = m->provoking_first ? 0 : 2;
    const double z = SUM(w, m, at[2]) * m->scale[2] + m->middle[2];
    const double want[4] = {SUM(w, m, value[0]) / all, SUM(w, m, value[1]) / all,
                            m->flat ? m->v[last].value[2] : SUM(w, m, value[2]) / all,
                            m->flat ? m->v[last].value[3] : SUM(w, m, value[3]) / all};
    for (int k = 0; k < 4; k++) /* inexact floats in a triangle a million times larger */
        if (fabs((pixel >> 8 * k & 255) - want[k] * 255) > 3)
            fail_msg("at %u %u value %d is %u, not %g", x, y, k, pixel >> 8 * k & 255,
                     want[k] * 255);
    if (m->wild && m->clamp)
        return;          /* the corners' depths are unbounded */
    double beside[2][3]; /* corners are snapped to 1/256 pixel */
    weights_at(m, x + 0.5 + 1 / 128.0, y + 0.5, beside[0]);
    weights_at(m, x + 0.5, y + 0.5 + 1 / 128.0, beside[1]);
    const double slope = fabs(SUM(beside[0], m, at[2]) - SUM(w, m, at[2])) +
                         fabs(SUM(beside[1], m, at[2]) - SUM(w, m, at[2]));
    if (fabs(depth / 16777215.0 - (z < 0 ? 0 : z > 1 ? 1 : z)) > slope + (m->wild ? 1e-2 : 1e-4))
        fail_msg("at %u %u the depth is %g, not %g", x, y, depth / 16777215.0, z);
}

static void set_state(struct fixture *f, const struct volume *m) {
    OK(f, tp_set_viewport_transform(f->context, 0, m->scale, m->middle));
    OK(f, tp_set_raster(f->context,
                        &(struct tp_raster_state){.depth_clamp = m->clamp,
                                                  .provoking_first = m->provoking_first,
                                                  .cull_front = m->cull_front,
                                                  .cull_back = m->cull_back,
                                                  .polygon_back = m->outlines ? TP_POLYGON_LINE
                                                                              : TP_POLYGON_FILL,
                                                  .front_clockwise = m->front_cw,
                                                  .near_at_zero = m->z_zero,
                                                  .clip_distances = m->planes,
                                                  .cull_distances = m->culls}));
}

static void draw(struct fixture *f, const struct volume *m) {
    tp_buffer_destroy(f->vertices);
    OK(f, tp_buffer_create(f->device, sizeof m->v, m->v, &f->vertices));
    OK(f, tp_bind_vertices(f->context, 0, f->vertices, 0, sizeof m->v[0], 0));
    for (unsigned i = 0; i < 4; i++)
        OK(f, tp_set_attribute(f->context, i, 0, 16 * i, 4, TP_FLOAT32));
    OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 0, 3));
}

static const char volume_vp[] =
    ".attr 0 xyzw\n.attr 1 xyzw\n.attr 2 xyzw\n.attr 3 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
    ".output clip o[0x20] 8\n"
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
    "mov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\nmov b32 o[0x18] a[0x18]\nmov b32 o[0x1c] a[0x1c]\n"
    "mov b32 o[0x20] a[0x20]\nmov b32 o[0x24] a[0x24]\nmov b32 o[0x28] a[0x28]\nmov b32 o[0x2c] a[0x2c]\n"
    "mov b32 o[0x30] a[0x30]\nmov b32 o[0x34] a[0x34]\nmov b32 o[0x38] a[0x38]\nexit mov b32 o[0x3c] a[0x3c]\n";
static const char flat_fp[] =
    ".interpolants position=w smooth=2 flat=2\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
    "interp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\n"
    "interp $r2 flat v[0xc]\ninterp $r3 flat v[0x10]\nexit nop\n";

DRAW_TEST(test_volumes, 1, SIZE) {
    uint32_t seen = 0, hidden = 0;
    fixture_bind(f, TP_VERTEX, volume_vp);
    tp_program *flat = fixture_program(f, TP_FRAGMENT, flat_fp);
    fixture_depth(f, TP_ALWAYS);
    const struct tp_stencil_face one = {
        .func = TP_ALWAYS, .pass = TP_REPLACE, .ref = 1, .read_mask = 255, .write_mask = 255};
    OK(f, tp_set_stencil(f->context, &(struct tp_stencil_state){.test = true, .front = one}));
    for (int n = 0; n < CASES; n++) {
        struct volume m;
        uint32_t depth[SIZE * SIZE];
        static const float nothing[4];
        make_volume(&m);
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR | TP_CLEAR_STENCIL, nothing, 1, 0));
        OK(f, tp_bind_program(f->context, TP_FRAGMENT, m.flat ? flat : f->fp));
        set_state(f, &m);
        draw(f, &m);
        fixture_read(f);
        OK(f, tp_texture_read(f->context, f->zeta, 0, 0, depth, SIZE * 4));
        bool front;
        const bool culled = is_culled(&m, &front);
        for (uint32_t i = 0; i < SIZE * SIZE && (front || culled || !m.outlines); i++) {
            const uint32_t x = i % SIZE, y = i / SIZE;
            const bool inside = is_inside(&m, x + 0.5, y + 0.5), drawn = depth[i] >> 24;
            if (!is_sure(&m, x + 0.5, y + 0.5, inside))
                continue;
            if (drawn != (inside && !culled))
                fail_msg("case %d: %u %u is %sdrawn", n, x, y, drawn ? "" : "not ");
            if (drawn)
                check_values(&m, f, depth[i] & 0xffffff, x, y);
            seen += drawn;
            hidden += !drawn;
        }
    }
    if (seen < 100000 || hidden < 100000)
        fail_msg("%u pixels drawn, %u not", seen, hidden);
}
