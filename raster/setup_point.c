/* Point setup: one window-space vertex in, a square out. Aliased points without sprites follow the
 * integer rule of OpenGL 3.3, 3.4.1; sprites and multisampled points are exact squares. Values are
 * constant, except point coordinates. Rules: docs/raster.md "Points".
 */
#include "raster/prim.h"

#include <math.h>

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
    const struct fixed_vertex c[4] = {
        {q->x0, q->y0}, {q->x1, q->y0}, {q->x1, q->y1}, {q->x0, q->y1}};
    p->edge_count = 4;
    for (int i = 0; i < 4; i++)
        prim_shape(p)->edge[i] =
            setup_edge(c[i], c[(i + 1) % 4], setup_top_left(c[i], c[(i + 1) % 4]));
}

/* s runs along x, t along y (from the other end with a lower-left origin), 0..1 over the square,
 * times 1/w as every perspective word. */
static void point_coordinates(const struct raster_state *s, struct prim *p, const struct square *q,
                              float rhw) {
    const double scale = (double)rhw * SUBPIXEL / (q->x1 - q->x0);
    const double u = ((double)p->x0 - (double)q->x0 / SUBPIXEL) * scale;
    const double v = ((double)p->y0 - (double)q->y0 / SUBPIXEL) * scale;
    for (uint32_t i = 0; i < s->word_count; i++) {
        if (s->word[i].kind == WORD_POINT_COORD_S)
            p->plane[i] = (struct plane){(float)u, (float)scale, 0, 0};
        else if (s->word[i].kind == WORD_POINT_COORD_T)
            p->plane[i] = s->point_origin_lower_left
                              ? (struct plane){(float)(rhw - v), 0, -(float)scale, 0}
                              : (struct plane){(float)v, 0, (float)scale, 0};
    }
}

struct raster_prim *raster_setup_point(const struct raster_state *s, struct arena *arena,
                                       const struct raster_vertex *v, struct raster_face_info info,
                                       bool *oom) {
    struct fixed_vertex f;
    if (!setup_snap(s, v, &f))
        return NULL;
    const double size = v->point_size >= 1 ? fmin(v->point_size, MAX_POINT_SIZE) : 1;
    const bool multisample = s->multisample && s->targets->samples > 1;
    const bool smooth = s->point_smooth && !s->point_sprite && !multisample;
    const struct square q = multisample || smooth || s->point_sprite ? exact_square(f, size)
                                                                     : aliased_square(f, size);
    struct raster_rect bounds;
    if (!setup_bounds(s, info, multisample || smooth, q.x0, q.y0, q.x1, q.y1, &bounds))
        return NULL;
    struct prim *p = setup_alloc(s, arena, info, &bounds, oom);
    if (!p)
        return NULL;
    if (multisample)
        square_edges(p, &q);
    if (smooth) {
        const double radius = size * SUBPIXEL_HALF;
        p->smooth = SMOOTH_CIRCLE;
        prim_shape(p)->circle.x = f.x;
        prim_shape(p)->circle.y = f.y;
        prim_shape(p)->circle.radius2 = radius * radius;
    }
    p->x0 = (float)((f.x & -SUBPIXEL) + SUBPIXEL_HALF) / SUBPIXEL;
    p->y0 = (float)((f.y & -SUBPIXEL) + SUBPIXEL_HALF) / SUBPIXEL;
    const struct setup_gradient g = {0};
    const struct raster_vertex *const three[3] = {v, v, v};
    setup_planes(s, p, three, v, &g, 0);
    if (s->point_sprite)
        point_coordinates(s, p, &q, v->rhw);
    return &p->base;
}
