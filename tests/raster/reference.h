/* Setup of one primitive at a time in plain C. It is the reference for the setup of sixteen at a
 * time, whose records must be the same bit by bit (tests/raster/setup_many.c). The functions return
 * NULL if there is nothing to draw. */
#ifndef TESTS_RASTER_REFERENCE_H
#define TESTS_RASTER_REFERENCE_H

#include "base/bits.h"
#include "tests/raster/fixture.h"

#include <math.h>

/* ---- records ---- */

static bool snap(const struct raster_state *s, const struct raster_vertex *v,
                 struct fixed_vertex *f) {
    int32_t window[2] = {0, 0};
    const bool drawn = raster_snap(s, v, window);
    *f = (struct fixed_vertex){window[0], window[1]};
    return drawn;
}

static int64_t min64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t max64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static bool find_bounds(const struct raster_state *s, struct face info, bool multisample,
                        int64_t x0, int64_t y0, int64_t x1, int64_t y1,
                        struct raster_rect *bounds) {
    const struct raster_rect *scissor = &s->view[info.viewport & 15].scissor;
    /* A pixel is touched if its centre (with samples: any point of it) is in [x0, x1) x [y0, y1).
     */
    const int lo = multisample ? 0 : SUBPIXEL_HALF - 1;
    const int hi = multisample ? SUBPIXEL - 1 : SUBPIXEL_HALF - 1;
    x0 = max64((x0 + lo) >> SUBPIXEL_BITS, max64(scissor->x0, 0));
    y0 = max64((y0 + lo) >> SUBPIXEL_BITS, max64(scissor->y0, 0));
    x1 = min64((x1 + hi) >> SUBPIXEL_BITS, min64(scissor->x1, s->targets->width));
    y1 = min64((y1 + hi) >> SUBPIXEL_BITS, min64(scissor->y1, s->targets->height));
    if (x0 >= x1 || y0 >= y1)
        return false;
    *bounds = (struct raster_rect){(int32_t)x0, (int32_t)y0, (int32_t)x1, (int32_t)y1};
    return info.layer < s->targets->layers;
}

static struct prim *new_prim(struct fixture *f, struct face info,
                             const struct raster_rect *bounds) {
    const struct raster_state *s = &f->state;
    struct prim *p = arena_alloc(&f->arena, prim_bytes(s));
    assert_non_null(p);
    *p = (struct prim){.base = {.bounds = {(uint16_t)bounds->x0, (uint16_t)bounds->y0,
                                           (uint16_t)bounds->x1, (uint16_t)bounds->y1},
                                .layer = info.layer},
                       .front = info.front,
                       .viewport = info.viewport % RASTER_VIEWPORTS,
                       .multisample = raster_multisamples(s)};
    return p;
}

/* The gradients of a value over the window. With d1 = v1 - v0 and d2 = v2 - v0, dx = x1 * d1 + x2 *
 * d2 and dy = y1 * d1 + y2 * d2. ox, oy: plane origin minus vertex 0. */
struct gradient {
    double x1, x2, y1, y2, ox, oy;
};

/* Planes have their origin at the centre of the pixel that contains vertex 0. */
static void base_planes(struct prim *p, struct fixed_vertex f, struct gradient *g) {
    p->origin_x = f.x >> SUBPIXEL_BITS;
    p->base.origin_y = f.y >> SUBPIXEL_BITS;
    g->ox = (double)((f.x & -SUBPIXEL) + SUBPIXEL_HALF - f.x) / SUBPIXEL;
    g->oy = (double)((f.y & -SUBPIXEL) + SUBPIXEL_HALF - f.y) / SUBPIXEL;
}

static void depth_plane(const struct raster_state *s, struct prim *p,
                        const struct raster_vertex *const v[3], const struct gradient *g,
                        int offset_unit) {
    const double d1 = (double)v[1]->z - v[0]->z, d2 = (double)v[2]->z - v[0]->z;
    p->zdx = g->x1 * d1 + g->x2 * d2;
    p->zdy = g->y1 * d1 + g->y2 * d2;
    p->z = v[0]->z + p->zdx * g->ox + p->zdy * g->oy;
    if (s->setup.offset_enable[offset_unit])
        p->z += setup_offset(s, p->zdx, p->zdy,
                             fmax(fabs(v[0]->z), fmax(fabs(v[1]->z), fabs(v[2]->z))));
}

static void set_plane(struct attribute_plane *out, const struct gradient *g, double a0, double a1,
                      double a2) {
    const double d1 = a1 - a0, d2 = a2 - a0;
    const double dx = g->x1 * d1 + g->x2 * d2;
    const double dy = g->y1 * d1 + g->y2 * d2;
    out->base = (float)(a0 + dx * g->ox + dy * g->oy);
    out->dx = (float)dx;
    out->dy = (float)dy;
}

static void position_plane(const struct prim *p, uint32_t component, struct attribute_plane *out,
                           const struct raster_vertex *const v[3], const struct gradient *g) {
    switch (component & 3) {
    case 0:
        *out = (struct attribute_plane){prim_x0(p), 1, 0, 0};
        break;
    case 1:
        *out = (struct attribute_plane){prim_y0(p), 0, 1, 0};
        break;
    case 2:
        *out = (struct attribute_plane){(float)p->z, (float)p->zdx, (float)p->zdy, 0};
        break;
    default:
        set_plane(out, g, v[0]->rhw, v[1]->rhw, v[2]->rhw);
    }
}

static void set_planes(const struct raster_state *s, struct prim *p,
                       const struct raster_vertex *const v[3],
                       const struct raster_vertex *provoking, const struct gradient *g,
                       int offset_unit) {
    depth_plane(s, p, v, g, offset_unit);
    const double w0 = v[0]->rhw, w1 = v[1]->rhw, w2 = v[2]->rhw;
    for (uint32_t i = 0; i < s->word_count; i++) {
        const struct raster_word *word = &s->word[i];
        struct attribute_plane *out = &p->plane[i];
        const uint32_t slot = p->front ? word->slot : word->back_slot;
        const uint32_t flat = word->flags & WORD_NO_FLAT ? 0 : provoking->slot[slot];
        if (word->flags & WORD_NO_VALUE) {
            *out = (struct attribute_plane){0, 0, 0, flat};
            continue;
        }
        switch (word->kind) {
        case WORD_POSITION:
            position_plane(p, slot, out, v, g);
            break;
        case WORD_LINEAR:
            set_plane(out, g, bits_float(v[0]->slot[slot]), bits_float(v[1]->slot[slot]),
                      bits_float(v[2]->slot[slot]));
            break;
        case WORD_FLAT:
            *out = (struct attribute_plane){bits_float(flat), 0, 0, flat};
            continue;
        case WORD_CONST0:
            *out = (struct attribute_plane){0, 0, 0, 0};
            continue;
        case WORD_CONST1: /* 1 when the program has multiplied by w */
            set_plane(out, g, w0, w1, w2);
            out->flat = 0x3f800000;
            continue;
        default: /* point_coordinates() replaces point coordinates later */
            set_plane(out, g, bits_float(v[0]->slot[slot]) * w0, bits_float(v[1]->slot[slot]) * w1,
                      bits_float(v[2]->slot[slot]) * w2);
        }
        out->flat = flat;
    }
}

/* ---- triangles ---- */

static const struct prim *reference_triangle(struct fixture *fixture,
                                             const struct raster_vertex *const v[3],
                                             struct face info) {
    const struct raster_state *s = &fixture->state;
    struct fixed_vertex f[3];
    if (s->setup.cull & (info.front ? CULL_FRONT : CULL_BACK))
        return NULL;
    for (int i = 0; i < 3; i++) {
        if (!snap(s, v[i], &f[i]))
            return NULL;
    }
    const int64_t area = (int64_t)(f[1].x - f[0].x) * (f[2].y - f[0].y) -
                         (int64_t)(f[2].x - f[0].x) * (f[1].y - f[0].y);
    if (area == 0)
        return NULL;
    const bool multisample = raster_multisamples(s);
    struct raster_rect bounds;
    if (!find_bounds(s, info, multisample || s->setup.polygon_smooth,
                     min64(f[0].x, min64(f[1].x, f[2].x)), min64(f[0].y, min64(f[1].y, f[2].y)),
                     max64(f[0].x, max64(f[1].x, f[2].x)), max64(f[0].y, max64(f[1].y, f[2].y)),
                     &bounds))
        return NULL;
    struct prim *p = new_prim(fixture, info, &bounds);
    p->stippled = s->setup.polygon_stipple;
    p->smooth = s->setup.polygon_smooth && !p->multisample ? SMOOTH_EDGES : SMOOTH_OFF;
    p->edge_count = EDGES_TRIANGLE;
    p->corner[0] = f[0];
    p->corner[1] = f[area > 0 ? 1 : 2];
    p->corner[2] = f[area > 0 ? 2 : 1];
    const double scale = (double)SUBPIXEL / (double)area;
    struct gradient g = {(f[2].y - f[0].y) * scale,
                         (f[0].y - f[1].y) * scale,
                         (f[0].x - f[2].x) * scale,
                         (f[1].x - f[0].x) * scale,
                         0,
                         0};
    base_planes(p, f[0], &g);
    set_planes(s, p, v, v[info.provoking], &g, 2);
    return p;
}

/* ---- lines ---- */

/* A line after snapping. */
struct line {
    struct fixed_vertex f[2];
    double dx, dy, length2; /* in 1/256 pixel */
    double length;          /* length of a rectangular line */
    bool rectangular;       /* not aliased */
    bool x_major;
};

static bool measure_line(const struct raster_state *s, const struct raster_vertex *const v[2],
                         struct line *l) {
    if (!snap(s, v[0], &l->f[0]) || !snap(s, v[1], &l->f[1]))
        return false;
    l->dx = l->f[1].x - l->f[0].x;
    l->dy = l->f[1].y - l->f[0].y;
    l->length2 = l->dx * l->dx + l->dy * l->dy;
    l->x_major = fabs(l->dx) >= fabs(l->dy);
    l->rectangular = setup_line_edges(s) == EDGES_PARALLELOGRAM;
    l->length = l->rectangular ? sqrt(l->length2) : 0;
    return l->length2 != 0;
}

static struct fixed_vertex move_vertex(struct fixed_vertex v, int32_t x, int32_t y) {
    return (struct fixed_vertex){v.x + x, v.y + y};
}

/* The corners of an aliased line's band along its major axis. A pixel is inside if its centre lies
 * in [line - width/2, line + width/2). */
static void band_corners(const struct raster_state *s, const struct line *l,
                         struct fixed_vertex corner[3]) {
    const int32_t half = (int32_t)lrint(setup_line_width(s)) * SUBPIXEL_HALF;
    /* true if the side that has the band on its right has the smaller coordinates */
    const bool low = l->x_major ? l->dx > 0 : l->dy < 0;
    const int32_t side = low ? -half : half;
    const int32_t x = l->x_major ? 0 : side, y = l->x_major ? side : 0;
    corner[0] = move_vertex(l->f[0], x, y);
    corner[1] = move_vertex(l->f[1], x, y);
    corner[2] = move_vertex(l->f[1], -x, -y);
}

/* The point at this distance from the first vertex, in 1/256 pixel. */
static struct fixed_vertex point_along(const struct line *l, double distance) {
    if (distance >= l->length)
        return l->f[1];
    return move_vertex(l->f[0], (int32_t)lrint(l->dx * distance / l->length),
                       (int32_t)lrint(l->dy * distance / l->length));
}

static void rectangle_corners(const struct raster_state *s, const struct line *l,
                              const struct raster_dash *dash, struct fixed_vertex corner[4]) {
    const double scale = setup_line_width(s) * SUBPIXEL_HALF / l->length;
    const int32_t nx = (int32_t)lrint(-l->dy * scale), ny = (int32_t)lrint(l->dx * scale);
    const struct fixed_vertex from = point_along(l, dash ? dash->from : 0);
    const struct fixed_vertex to = point_along(l, dash ? dash->to : l->length);
    /* in order around the line */
    corner[0] = move_vertex(from, nx, ny);
    corner[1] = move_vertex(from, -nx, -ny);
    corner[2] = move_vertex(to, -nx, -ny);
    corner[3] = move_vertex(to, nx, ny);
}

static void corner_range(const struct fixed_vertex *c, int n, struct fixed_vertex *low,
                         struct fixed_vertex *high) {
    *low = *high = c[0];
    for (int i = 1; i < n; i++) {
        low->x = c[i].x < low->x ? c[i].x : low->x;
        low->y = c[i].y < low->y ? c[i].y : low->y;
        high->x = c[i].x > high->x ? c[i].x : high->x;
        high->y = c[i].y > high->y ? c[i].y : high->y;
    }
}

/* The column (row) of the first diamond that the line, walked in this direction, has not left at
 * the vertex. A line passes the middle of each diamond that it enters. Up to the middle, the line
 * has not left the diamond; beyond the middle, the line is still in the diamond while the vertex
 * is. The diamond's lower edges belong to it. Lines of even width have their diamonds half a pixel
 * off. */
static int32_t column_at(const struct raster_state *s, const struct line *l, struct fixed_vertex f,
                         int32_t direction) {
    const int32_t shift = (int32_t)(lrint(setup_line_width(s)) - 1) * SUBPIXEL_HALF;
    const int32_t along = l->x_major ? f.x : f.y, across = (l->x_major ? f.y : f.x) - shift;
    const int32_t column = (along - 1) >> SUBPIXEL_BITS;
    /* the vertex's place relative to the diamond's centre */
    const int32_t u = ((along - 1) & (SUBPIXEL - 1)) + 1 - SUBPIXEL_HALF;
    const int32_t v = ((across - 1) & (SUBPIXEL - 1)) + 1 - SUBPIXEL_HALF;
    const int32_t outside = abs(u) + abs(v) - SUBPIXEL_HALF;
    const bool in = outside < 0 || (outside == 0 && (l->x_major ? v : u) > 0);
    return column + (u * direction > 0 && !in ? direction : 0);
}

/* The columns (rows) of an aliased line: returns the first; also the number of columns and the
 * direction of the walk. */
static int32_t first_column(const struct raster_state *s, const struct line *l, int32_t *count,
                            int32_t *direction) {
    *direction = (l->x_major ? l->dx : l->dy) > 0 ? 1 : -1;
    const int32_t first = column_at(s, l, l->f[0], *direction);
    *count = (column_at(s, l, l->f[1], *direction) - first) * *direction;
    return first;
}

/* Limits the bounds to the columns of an aliased line, or of its dash. Returns false if no column
 * is left. */
static bool limit_columns(const struct raster_state *s, const struct line *l,
                          const struct raster_dash *dash, struct raster_rect *r) {
    int32_t count, direction;
    const int32_t first = first_column(s, l, &count, &direction);
    const int32_t from = dash ? (int32_t)(dash->from >> SUBPIXEL_BITS) : 0;
    const int32_t to = dash ? (int32_t)(dash->to >> SUBPIXEL_BITS) : count;
    const int32_t low = direction > 0 ? first + from : first - to + 1;
    const int32_t high = low + to - from;
    int32_t *const r0 = l->x_major ? &r->x0 : &r->y0, *const r1 = l->x_major ? &r->x1 : &r->y1;
    *r0 = low > *r0 ? low : *r0;
    *r1 = high < *r1 ? high : *r1;
    return *r0 < *r1;
}

static int64_t limit_magnitude(int64_t v, int64_t most) {
    return v < 0 ? 0 : v < most ? v : most;
}

/* The steps of an aliased line; visible gets the range of steps in the scissor's columns. */
static uint32_t aliased_steps(const struct raster_state *s, const struct line *l, int64_t low,
                              int64_t high, struct raster_dash *visible) {
    int32_t count, direction;
    const int32_t first = first_column(s, l, &count, &direction);
    const int64_t from = direction > 0 ? low - first : first - high + 1;
    const int64_t to = direction > 0 ? high - first : first - low + 1;
    visible->from = (uint32_t)limit_magnitude(from, count) << SUBPIXEL_BITS;
    visible->to = (uint32_t)limit_magnitude(to, count) << SUBPIXEL_BITS;
    return (uint32_t)count << SUBPIXEL_BITS;
}

/* As aliased_steps(), for a rectangular line: steps are lengths, and visible allows for the line's
 * width. */
static uint32_t rectangle_steps(const struct raster_state *s, const struct line *l, int64_t low,
                                int64_t high, struct raster_dash *visible) {
    const double a = l->x_major ? l->f[0].x : l->f[0].y, d = l->x_major ? l->dx : l->dy;
    const double near = (setup_line_width(s) / 2 + 1) * SUBPIXEL, most = ceil(l->length);
    const double x0 = ((double)low * SUBPIXEL - near - a) / d * l->length;
    const double x1 = ((double)high * SUBPIXEL + near - a) / d * l->length;
    visible->from = (uint32_t)fmin(fmax(floor(fmin(x0, x1)), 0), most);
    visible->to = (uint32_t)fmin(fmax(ceil(fmax(x0, x1)), 0), most);
    return (uint32_t)most;
}

static uint32_t reference_steps(const struct raster_state *s,
                                const struct raster_vertex *const v[2], struct face info,
                                struct raster_dash *visible) {
    const struct raster_rect *scissor = &s->view[info.viewport & 15].scissor;
    struct line l;
    *visible = (struct raster_dash){0, 0};
    if (!measure_line(s, v, &l))
        return 0;
    const int32_t low = l.x_major ? scissor->x0 : scissor->y0;
    const int32_t high = l.x_major ? scissor->x1 : scissor->y1;
    return l.rectangular ? rectangle_steps(s, &l, low, high, visible)
                         : aliased_steps(s, &l, low, high, visible);
}

/* Computes corners and bounds. Returns false if nothing can be covered. */
static bool shape_of(const struct raster_state *s, struct face info, const struct line *l,
                     const struct raster_dash *dash, struct fixed_vertex corner[4],
                     struct raster_rect *bounds) {
    struct fixed_vertex low, high;
    int32_t around = 0;
    if (l->rectangular) {
        rectangle_corners(s, l, dash, corner);
        corner_range(corner, 4, &low, &high);
    } else {
        band_corners(s, l, corner); /* the columns cut the band at the ends */
        corner_range(l->f, 2, &low, &high);
        around = ((int32_t)lrint(setup_line_width(s)) + 1) * SUBPIXEL_HALF + 1;
    }
    if (!find_bounds(s, info, l->rectangular, low.x - around, low.y - around, high.x + around,
                     high.y + around, bounds) ||
        (!l->rectangular && !limit_columns(s, l, dash, bounds)))
        return false;
    return true;
}

static const struct prim *reference_line(struct fixture *fixture,
                                         const struct raster_vertex *const v[2], struct face info,
                                         const struct raster_dash *dash) {
    const struct raster_state *s = &fixture->state;
    const struct raster_vertex *const three[3] = {v[0], v[1], v[1]};
    struct line l;
    struct fixed_vertex corner[4];
    struct raster_rect bounds;
    if (!measure_line(s, v, &l) || !shape_of(s, info, &l, dash, corner, &bounds))
        return NULL;
    struct prim *p = new_prim(fixture, info, &bounds);
    p->smooth = s->setup.line_smooth && !p->multisample ? SMOOTH_EDGES : SMOOTH_OFF;
    p->edge_count = setup_line_edges(s);
    memcpy(p->corner, corner, sizeof p->corner);
    struct gradient g = {.x1 = l.dx * SUBPIXEL / l.length2, .y1 = l.dy * SUBPIXEL / l.length2};
    /* in a wide line, a column has one value */
    if (!l.rectangular && lrint(setup_line_width(s)) > 1) {
        g.x1 = l.x_major ? SUBPIXEL / l.dx : 0;
        g.y1 = l.x_major ? 0 : SUBPIXEL / l.dy;
    }
    base_planes(p, l.f[0], &g);
    set_planes(s, p, three, v[info.provoking], &g, 1);
    return p;
}

/* ---- points ---- */

enum { MAX_POINT_SIZE = 8192 };

/* A square from (x0, y0) to (x1, y1), in 24.8. Its left and upper edges are inside. */
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

/* Samples away from the pixel centre need edges; for centres the bounds are enough. */
static void square_edges(struct prim *p, const struct square *q) {
    p->edge_count = EDGES_PARALLELOGRAM;
    p->corner[0] = (struct fixed_vertex){q->x0, q->y0};
    p->corner[1] = (struct fixed_vertex){q->x1, q->y0};
    p->corner[2] = (struct fixed_vertex){q->x1, q->y1};
}

/* s runs along x and t along y, 0..1 over the square (t upward with a lower-left origin),
 * multiplied by 1/w as every perspective word. */
static void point_coordinates(const struct raster_state *s, struct prim *p, const struct square *q,
                              float rhw) {
    const double scale = (double)rhw * SUBPIXEL / (q->x1 - q->x0);
    const double u = ((double)prim_x0(p) - (double)q->x0 / SUBPIXEL) * scale;
    const double v = ((double)prim_y0(p) - (double)q->y0 / SUBPIXEL) * scale;
    for (uint32_t i = 0; i < s->word_count; i++) {
        if (s->word[i].kind == WORD_POINT_COORD_S)
            p->plane[i] = (struct attribute_plane){(float)u, (float)scale, 0, 0};
        else if (s->word[i].kind == WORD_POINT_COORD_T)
            p->plane[i] = s->setup.point_origin_lower_left
                              ? (struct attribute_plane){(float)(rhw - v), 0, -(float)scale, 0}
                              : (struct attribute_plane){(float)v, 0, (float)scale, 0};
    }
}

/* The rules by which the points of a state cover pixels. */
struct point_rule {
    bool multisample, smooth, exact;
};

static struct point_rule rule_of(const struct raster_state *s) {
    struct point_rule r = {.multisample = raster_multisamples(s)};
    r.smooth = s->setup.point_smooth && !s->setup.point_sprite && !r.multisample;
    r.exact = r.multisample || r.smooth || s->setup.point_sprite;
    return r;
}

static double size_of(float size) {
    return size >= 1 ? fmin(size, MAX_POINT_SIZE) : 1;
}

static bool place_square(const struct raster_state *s, struct point_rule rule,
                         struct fixed_vertex f, double size, struct face info, struct square *q,
                         struct raster_rect *bounds) {
    *q = rule.exact ? exact_square(f, size) : aliased_square(f, size);
    return find_bounds(s, info, rule.multisample || rule.smooth, q->x0, q->y0, q->x1, q->y1,
                       bounds);
}

/* Sets a point's edges, circle and point coordinates. */
static void finish_point(const struct raster_state *s, struct point_rule rule, struct prim *p,
                         struct fixed_vertex f, const struct square *q, double size, float rhw) {
    if (rule.multisample)
        square_edges(p, q);
    if (rule.smooth) {
        const double radius = size * SUBPIXEL_HALF;
        p->smooth = SMOOTH_CIRCLE;
        p->circle = (struct prim_circle){f.x, f.y, radius * radius};
    }
    if (s->setup.point_sprite)
        point_coordinates(s, p, q, rhw);
}

static const struct prim *reference_point(struct fixture *fixture, const struct raster_vertex *v,
                                          float point_size, struct face info) {
    const struct raster_state *s = &fixture->state;
    const struct point_rule rule = rule_of(s);
    const double size = size_of(point_size);
    const struct raster_vertex *const three[3] = {v, v, v};
    struct gradient g = {0};
    struct fixed_vertex f;
    struct square q;
    struct raster_rect bounds;
    if (!snap(s, v, &f) || !place_square(s, rule, f, size, info, &q, &bounds))
        return NULL;
    struct prim *p = new_prim(fixture, info, &bounds);
    base_planes(p, f, &g);
    g.ox = g.oy = 0;
    set_planes(s, p, three, v, &g, 0);
    finish_point(s, rule, p, f, &q, size, v->rhw);
    return p;
}

#endif
