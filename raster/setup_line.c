/* Line setup: two window-space vertices in, a primitive with four edges out. Aliased lines are a
 * parallelogram along the major axis, so that each pixel column (or row) in the half-open range
 * from first to second vertex gets `width` pixels (OpenGL 3.3, 3.5.2); multisampled ones a
 * rectangle. Values vary along the line only. Rules: docs/raster.md "Lines".
 */
#include "raster/prim.h"

#include <math.h>

enum { MAX_LINE_WIDTH = 1024 };

static double width_of(const struct raster_state *s) {
    return s->line_width >= 1 ? fmin(s->line_width, MAX_LINE_WIDTH) : 1;
}

static struct fixed_vertex moved(struct fixed_vertex v, int32_t x, int32_t y) {
    return (struct fixed_vertex){v.x + x, v.y + y};
}

/* corner[0..3] in order around the line, inside[i]: points on the edge from corner i to the next
 * are inside. Corners 0 and 1 are at the first vertex. */
static void aliased(const struct raster_state *s, const struct fixed_vertex f[2],
                    struct fixed_vertex corner[4], bool inside[4]) {
    const int32_t dx = f[1].x - f[0].x, dy = f[1].y - f[0].y;
    const int32_t half = (int32_t)lrint(width_of(s)) * SUBPIXEL_HALF;
    const bool x_major = labs(dx) >= labs(dy);
    /* the side with the smaller minor coordinate, first in the order around */
    const bool swap = x_major ? dx > 0 : dy < 0;
    const int32_t side = swap ? half : -half;
    const int32_t ox = x_major ? 0 : side, oy = x_major ? side : 0;
    corner[0] = moved(f[0], ox, oy);
    corner[1] = moved(f[0], -ox, -oy);
    corner[2] = moved(f[1], -ox, -oy);
    corner[3] = moved(f[1], ox, oy);
    inside[0] = true;                     /* starts at the first vertex ... */
    inside[2] = false;                    /* ... and stops before the second */
    inside[1] = -(x_major ? oy : ox) < 0; /* the side of smaller coordinates is inside */
    inside[3] = (x_major ? oy : ox) < 0;
}

static void rectangle(const struct raster_state *s, const struct fixed_vertex f[2], double length,
                      struct fixed_vertex corner[4], bool inside[4]) {
    const double scale = width_of(s) * SUBPIXEL_HALF / length;
    const int32_t nx = (int32_t)lrint((f[0].y - f[1].y) * scale);
    const int32_t ny = (int32_t)lrint((f[1].x - f[0].x) * scale);
    corner[0] = moved(f[0], nx, ny);
    corner[1] = moved(f[0], -nx, -ny);
    corner[2] = moved(f[1], -nx, -ny);
    corner[3] = moved(f[1], nx, ny);
    for (int i = 0; i < 4; i++)
        inside[i] = setup_top_left(corner[i], corner[(i + 1) % 4]);
}

static void corner_range(const struct fixed_vertex c[4], struct fixed_vertex *low,
                         struct fixed_vertex *high) {
    *low = *high = c[0];
    for (int i = 1; i < 4; i++) {
        low->x = c[i].x < low->x ? c[i].x : low->x;
        low->y = c[i].y < low->y ? c[i].y : low->y;
        high->x = c[i].x > high->x ? c[i].x : high->x;
        high->y = c[i].y > high->y ? c[i].y : high->y;
    }
}

struct raster_prim *raster_setup_line(const struct raster_state *s, struct arena *arena,
                                      const struct raster_vertex *const v[2],
                                      struct raster_face_info info, bool *oom) {
    struct fixed_vertex f[2], corner[4], low, high;
    bool inside[4];
    if (!setup_snap(s, v[0], &f[0]) || !setup_snap(s, v[1], &f[1]))
        return NULL;
    const double dx = f[1].x - f[0].x, dy = f[1].y - f[0].y, length2 = dx * dx + dy * dy;
    if (length2 == 0)
        return NULL;
    const bool multisample = s->multisample && s->targets->samples > 1;
    if (multisample)
        rectangle(s, f, sqrt(length2), corner, inside);
    else
        aliased(s, f, corner, inside);
    corner_range(corner, &low, &high);
    struct raster_rect bounds;
    /* The aliased rule includes points on sides a triangle's does not: one pixel more. */
    if (!setup_bounds(s, info, multisample, low.x, low.y, high.x + !multisample,
                      high.y + !multisample, &bounds))
        return NULL;
    struct prim *p = setup_alloc(s, arena, info, &bounds, oom);
    if (!p)
        return NULL;
    p->edge_count = 4;
    for (int i = 0; i < 4; i++)
        setup_edge(&p->edge[i], corner[i], corner[(i + 1) % 4], inside[i]);
    const int32_t x0 = (f[0].x & -SUBPIXEL) + SUBPIXEL_HALF,
                  y0 = (f[0].y & -SUBPIXEL) + SUBPIXEL_HALF;
    p->set.x0 = (float)x0 / SUBPIXEL;
    p->set.y0 = (float)y0 / SUBPIXEL;
    const struct setup_gradient g = {.x1 = dx * SUBPIXEL / length2,
                                     .y1 = dy * SUBPIXEL / length2,
                                     .ox = (double)(x0 - f[0].x) / SUBPIXEL,
                                     .oy = (double)(y0 - f[0].y) / SUBPIXEL};
    const struct raster_vertex *const three[3] = {v[0], v[1], v[1]};
    setup_planes(s, p, three, v[info.provoking % 2], &g, 1);
    return &p->base;
}
