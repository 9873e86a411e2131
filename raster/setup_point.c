/* Point setup: one window-space vertex in, a square out. Aliased points without sprites follow the
 * integer rule of OpenGL 3.3, 3.4.1; sprites and multisampled points are exact squares. Values are
 * constant, except point coordinates. Rules: docs/raster.md "Points".
 */
#include "raster/prim.h"

#include <math.h>
#include <string.h>

enum { MAX_POINT_SIZE = 8192 };

/* The square in 24.8, corners (x0, y0) and (x1, y1), edges of the upper left sides inside. */
struct square {
    int32_t x0, y0, x1, y1;
};

static struct square exact_square(struct fixed_vertex f, double size) {
    const int32_t s = (int32_t)lrint(size * SUBPIXEL);
    return (struct square){f.x - s / 2, f.y - s / 2, f.x - s / 2 + s, f.y - s / 2 + s};
}

/* Odd sizes are centred on a pixel centre, even ones on a pixel corner. */
static struct square aliased_square(struct fixed_vertex f, double size) {
    const int32_t n = (int32_t)lrint(size), odd = n & 1;
    const int32_t shift = odd ? 0 : SUBPIXEL_HALF;
    const int32_t x = ((f.x + shift) & -SUBPIXEL) - n / 2 * SUBPIXEL;
    const int32_t y = ((f.y + shift) & -SUBPIXEL) - n / 2 * SUBPIXEL;
    return (struct square){x, y, x + n * SUBPIXEL, y + n * SUBPIXEL};
}

/* Edges only where samples differ from the pixel centre; otherwise the bounds say it all. */
static void square_edges(struct prim *p, const struct square *q) {
    p->edge_count = EDGES_PARALLELOGRAM;
    p->corner[0] = (struct fixed_vertex){q->x0, q->y0};
    p->corner[1] = (struct fixed_vertex){q->x1, q->y0};
    p->corner[2] = (struct fixed_vertex){q->x1, q->y1};
}

/* s runs along x, t along y (from the other end with a lower-left origin), 0..1 over the square,
 * times 1/w as every perspective word. */
static void point_coordinates(const struct raster_state *s, struct prim *p, const struct square *q,
                              float rhw) {
    const double scale = (double)rhw * SUBPIXEL / (q->x1 - q->x0);
    const double u = ((double)prim_x0(p) - (double)q->x0 / SUBPIXEL) * scale;
    const double v = ((double)prim_y0(p) - (double)q->y0 / SUBPIXEL) * scale;
    for (uint32_t i = 0; i < s->word_count; i++) {
        if (s->word[i].kind == WORD_POINT_COORD_S)
            p->plane[i] = (struct plane){(float)u, (float)scale, 0, 0};
        else if (s->word[i].kind == WORD_POINT_COORD_T)
            p->plane[i] = s->point_origin_lower_left
                              ? (struct plane){(float)(rhw - v), 0, -(float)scale, 0}
                              : (struct plane){(float)v, 0, (float)scale, 0};
    }
}

/* How points of a state cover pixels. */
struct point_rule {
    bool multisample, smooth, exact;
};

static struct point_rule rule_of(const struct raster_state *s) {
    struct point_rule r = {.multisample = s->multisample && s->targets->samples > 1};
    r.smooth = s->point_smooth && !s->point_sprite && !r.multisample;
    r.exact = r.multisample || r.smooth || s->point_sprite;
    return r;
}

static double size_of(float size) {
    return size >= 1 ? fmin(size, MAX_POINT_SIZE) : 1;
}

static bool place_square(const struct raster_state *s, struct point_rule rule,
                         struct fixed_vertex f, double size, struct raster_face_info info,
                         struct square *q, struct raster_rect *bounds) {
    *q = rule.exact ? exact_square(f, size) : aliased_square(f, size);
    return setup_bounds(s, info, rule.multisample || rule.smooth, q->x0, q->y0, q->x1, q->y1,
                        bounds);
}

/* What is left when the planes are there. */
static void finish_point(const struct raster_state *s, struct point_rule rule, struct prim *p,
                         struct fixed_vertex f, const struct square *q, double size, float rhw) {
    if (rule.multisample)
        square_edges(p, q);
    if (rule.smooth) {
        const double radius = size * SUBPIXEL_HALF;
        p->smooth = SMOOTH_CIRCLE;
        p->circle = (struct prim_circle){f.x, f.y, radius * radius};
    }
    if (s->point_sprite)
        point_coordinates(s, p, q, rhw);
}

struct raster_prim *raster_setup_point(const struct raster_state *s, struct arena *arena,
                                       const struct raster_vertex *v, struct raster_face_info info,
                                       bool *oom) {
    const struct point_rule rule = rule_of(s);
    const double size = size_of(v->point_size);
    struct fixed_vertex f;
    struct square q;
    struct raster_rect bounds;
    if (!setup_snap(s, v, &f) || !place_square(s, rule, f, size, info, &q, &bounds))
        return NULL;
    struct prim *p = setup_alloc(s, arena, info, &bounds, oom);
    if (!p)
        return NULL;
    prim_set_origin(p, f);
    const struct setup_gradient g = {0};
    const struct raster_vertex *const three[3] = {v, v, v};
    setup_planes(s, p, three, v, &g, 0);
    finish_point(s, rule, p, f, &q, size, v->rhw);
    return &p->base;
}

/* ---- many at a time ---- */

static void(*const setup_points[]) POINTS_ARGUMENTS = SIMD_TABLE(setup_points);

/* The points that are to be drawn. */
struct point_batch {
    uint32_t count;
    uint32_t index[RASTER_BATCH], vertex[RASTER_BATCH]; /* among those given; of the vertices */
    struct fixed_vertex f[RASTER_BATCH];
    struct square q[RASTER_BATCH];
    struct raster_rect bounds[RASTER_BATCH];
};

static uint32_t window_word(const struct raster_vertices *v, uint32_t n, uint32_t row) {
    return v->word[((size_t)(n / LANES) * v->stride + v->window + row) * LANES + n % LANES];
}

static struct point_batch place_points(const struct raster_state *s,
                                       const struct raster_vertices *v, const uint32_t *vertex,
                                       const float *size, struct raster_face_info info,
                                       uint32_t n) {
    const struct point_rule rule = rule_of(s);
    struct point_batch b;
    b.count = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t k = b.count;
        b.f[k] = (struct fixed_vertex){(int32_t)window_word(v, vertex[i], WINDOW_X),
                                       (int32_t)window_word(v, vertex[i], WINDOW_Y)};
        b.index[k] = i;
        b.vertex[k] = vertex[i];
        b.count += place_square(s, rule, b.f[k], size_of(size[i]), info, &b.q[k], &b.bounds[k]);
    }
    return b;
}

bool raster_setup_points(enum simd_level simd, const struct raster_state *s, struct arena *arena,
                         const struct raster_vertices *v, const uint32_t *vertex, const float *size,
                         uint32_t n, struct raster_prim **out) {
    const struct raster_face_info info = {.front = true, .layer = v->layer};
    const struct point_rule rule = rule_of(s);
    const struct point_batch b = place_points(s, v, vertex, size, info, n);
    struct prim common, *prim[RASTER_BATCH];
    for (uint32_t i = 0; i < n; i++)
        out[i] = NULL;
    if (!b.count)
        return true;
    if (!setup_records(s, arena, v, b.count, &common, prim))
        return false;
    setup_points[simd](s, v, b.vertex, b.count, &common, prim);
    for (uint32_t i = 0; i < b.count; i++) {
        const struct raster_rect *r = &b.bounds[i];
        const uint32_t from = b.index[i], word = window_word(v, b.vertex[i], WINDOW_RHW);
        float rhw;
        memcpy(&rhw, &word, sizeof rhw);
        prim[i]->base.bounds =
            (struct raster_box){(uint16_t)r->x0, (uint16_t)r->y0, (uint16_t)r->x1, (uint16_t)r->y1};
        finish_point(s, rule, prim[i], b.f[i], &b.q[i], size_of(size[from]), rhw);
        out[from] = &prim[i]->base;
    }
    return true;
}
