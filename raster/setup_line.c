/* Line setup: two window-space vertices in, a primitive with edges out. Aliased lines follow the
 * diamond-exit rule: two edges along the line, and bounds of the pixel columns (or rows) whose
 * diamond it leaves; multisampled and smooth ones are a rectangle. Values vary along the line only.
 * Rules: docs/raster.md "Lines".
 */
#include "raster/prim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE_WIDTH = 1024 };

/* A line after snapping. */
struct line {
    struct fixed_vertex f[2];
    double dx, dy, length2; /* in 1/256 pixel */
    double length;          /* of rectangular ones */
    bool rectangular;       /* not aliased */
    bool x_major;
};

static bool measure_line(const struct raster_state *s, const struct raster_vertex *const v[2],
                         struct line *l) {
    if (!setup_snap(s, v[0], &l->f[0]) || !setup_snap(s, v[1], &l->f[1]))
        return false;
    l->dx = l->f[1].x - l->f[0].x;
    l->dy = l->f[1].y - l->f[0].y;
    l->length2 = l->dx * l->dx + l->dy * l->dy;
    l->x_major = fabs(l->dx) >= fabs(l->dy);
    l->rectangular = setup_line_edges(s) == EDGES_PARALLELOGRAM;
    l->length = l->rectangular ? sqrt(l->length2) : 0;
    return l->length2 != 0;
}

double setup_line_width(const struct raster_state *s) {
    return s->line_width >= 1 ? fmin(s->line_width, MAX_LINE_WIDTH) : 1;
}

static struct fixed_vertex move_vertex(struct fixed_vertex v, int32_t x, int32_t y) {
    return (struct fixed_vertex){v.x + x, v.y + y};
}

/* Ends of the long sides. A pixel is inside whose centre lies in [line - width/2, line + width/2). */
static void band_corners(const struct raster_state *s, const struct line *l,
                         struct fixed_vertex corner[3]) {
    const int32_t half = (int32_t)lrint(setup_line_width(s)) * SUBPIXEL_HALF;
    /* whether the side whose inside is right of first to second is that of smaller coordinates */
    const bool low = l->x_major ? l->dx > 0 : l->dy < 0;
    const int32_t side = low ? -half : half;
    const int32_t x = l->x_major ? 0 : side, y = l->x_major ? side : 0;
    corner[0] = move_vertex(l->f[0], x, y);
    corner[1] = move_vertex(l->f[1], x, y);
    corner[2] = move_vertex(l->f[1], -x, -y);
}

/* The point so far from the first vertex, in 1/256 pixel. */
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

/* The column (row) of the first diamond that the line has not left at that vertex, if it is walked
 * in that direction. A line passes the middle of each diamond it enters, so up to there it has not
 * left it, and beyond only within the diamond, to which its lower edges belong. Lines of even width
 * have their diamonds half a pixel off. */
static int32_t column_at(const struct raster_state *s, const struct line *l, struct fixed_vertex f,
                         int32_t direction) {
    const int32_t shift = (int32_t)(lrint(setup_line_width(s)) - 1) * SUBPIXEL_HALF;
    const int32_t along = l->x_major ? f.x : f.y, across = (l->x_major ? f.y : f.x) - shift;
    const int32_t column = (along - 1) >> SUBPIXEL_BITS;
    const int32_t u = ((along - 1) & (SUBPIXEL - 1)) + 1 - SUBPIXEL_HALF; /* from its centre */
    const int32_t v = ((across - 1) & (SUBPIXEL - 1)) + 1 - SUBPIXEL_HALF;
    const int32_t outside = abs(u) + abs(v) - SUBPIXEL_HALF;
    const bool in = outside < 0 || (outside == 0 && (l->x_major ? v : u) > 0);
    return column + (u * direction > 0 && !in ? direction : 0);
}

/* Columns (rows) of an aliased line: the first, how many, and the direction they are walked in. */
static int32_t first_column(const struct raster_state *s, const struct line *l, int32_t *count,
                            int32_t *direction) {
    *direction = (l->x_major ? l->dx : l->dy) > 0 ? 1 : -1;
    const int32_t first = column_at(s, l, l->f[0], *direction);
    *count = (column_at(s, l, l->f[1], *direction) - first) * *direction;
    return first;
}

/* Limits the bounds to the columns of an aliased line, or of its dash; false if none is left. */
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

/* Steps of an aliased line from the first to behind the last that lie in the scissor's columns. */
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

/* The same by length, where the line with its width may be in them. */
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

uint32_t raster_line_steps(const struct raster_state *s, const struct raster_vertex *const v[2],
                           struct raster_face_info info, struct raster_dash *visible) {
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

static void line_planes(const struct raster_state *s, struct prim *p, const struct line *l,
                        const struct raster_vertex *const v[2], uint8_t provoking) {
    const int32_t x0 = (l->f[0].x & -SUBPIXEL) + SUBPIXEL_HALF,
                  y0 = (l->f[0].y & -SUBPIXEL) + SUBPIXEL_HALF;
    prim_set_origin(p, l->f[0]);
    const struct setup_gradient g = {.x1 = l->dx * SUBPIXEL / l->length2,
                                     .y1 = l->dy * SUBPIXEL / l->length2,
                                     .ox = (double)(x0 - l->f[0].x) / SUBPIXEL,
                                     .oy = (double)(y0 - l->f[0].y) / SUBPIXEL};
    const struct raster_vertex *const three[3] = {v[0], v[1], v[1]};
    setup_planes(s, p, three, v[provoking % 2], &g, 1);
}

static void setup_line_common(const struct raster_state *s, struct prim *p) {
    p->smooth = s->line_smooth && !p->multisample ? SMOOTH_EDGES : SMOOTH_OFF;
    p->edge_count = setup_line_edges(s);
}

/* Corners and bounds; false if nothing can be covered. */
static bool shape_of(const struct raster_state *s, struct raster_face_info info,
                     const struct line *l, const struct raster_dash *dash,
                     struct fixed_vertex corner[4], struct raster_rect *bounds) {
    struct fixed_vertex low, high;
    int32_t around = 0;
    if (l->rectangular) {
        rectangle_corners(s, l, dash, corner);
        corner_range(corner, 4, &low, &high);
    } else {
        band_corners(s, l, corner); /* what lies before the ends, columns decide */
        corner_range(l->f, 2, &low, &high);
        around = ((int32_t)lrint(setup_line_width(s)) + 1) * SUBPIXEL_HALF + 1;
    }
    if (!setup_bounds(s, info, l->rectangular, low.x - around, low.y - around, high.x + around,
                      high.y + around, bounds) ||
        (!l->rectangular && !limit_columns(s, l, dash, bounds)))
        return false;
    return true;
}

struct raster_prim *raster_setup_line(const struct raster_state *s, struct arena *arena,
                                      const struct raster_vertex *const v[2],
                                      struct raster_face_info info, const struct raster_dash *dash,
                                      bool *oom) {
    struct line l;
    struct fixed_vertex corner[4];
    struct raster_rect bounds;
    if (!measure_line(s, v, &l) || !shape_of(s, info, &l, dash, corner, &bounds))
        return NULL;
    struct prim *p = setup_alloc(s, arena, info, &bounds, oom);
    if (!p)
        return NULL;
    setup_line_common(s, p);
    memcpy(p->corner, corner, sizeof p->corner);
    line_planes(s, p, &l, v, info.provoking);
    return &p->base;
}

/* ---- many at a time ---- */

static uint32_t(*const setup_cull_lines[]) CULL_LINES_ARGUMENTS = SIMD_TABLE(setup_cull_lines);
static void(*const setup_lines[]) LINES_ARGUMENTS = SIMD_TABLE(setup_lines);

uint32_t raster_cull_lines(enum simd_level simd, const struct raster_state *s,
                           const struct raster_vertices *v, const struct raster_lines *l,
                           uint32_t *kept) {
    return setup_cull_lines[simd](s, v, l, kept);
}

bool raster_setup_lines(enum simd_level simd, const struct raster_state *s, struct arena *arena,
                        const struct raster_vertices *v, const struct raster_lines *l,
                        const uint32_t *kept, uint32_t n, struct raster_prim **out) {
    struct prim common, *prim[RASTER_BATCH];
    if (!setup_records(s, arena, v, n, &common, prim))
        return false;
    setup_line_common(s, &common);
    setup_lines[simd](s, v, l, kept, n, &common, prim);
    for (uint32_t i = 0; i < n; i++)
        out[i] = &prim[i]->base;
    return true;
}
