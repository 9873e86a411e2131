/* Triangle setup: three window-space vertices in, a primitive with integer edges, bounds, the depth
 * plane and one plane per v[] word out. All positions come from the snapped vertices, so coverage
 * and interpolation agree. Lines and points use the shared parts. Must not know tiles.
 */
#include "base/bits.h"
#include "raster/prim.h"

#include <math.h>
#include <string.h>

enum {
    GUARD_BAND = 65536, /* pixels; the clipper keeps vertices inside */
    LAYER_MASK = (1 << 14) - 1,
};

const uint8_t sample_position[4][8][2] = {
    {{8, 8}},
    {{4, 4}, {12, 12}},
    {{6, 2}, {14, 6}, {2, 10}, {10, 14}},
    {{1, 7}, {5, 3}, {3, 13}, {7, 11}, {9, 5}, {15, 1}, {11, 15}, {13, 9}},
};

const uint8_t smooth_position[SMOOTH_POINTS][2] = {
    {8, 88},    {24, 184}, {40, 40},   {56, 232},  {72, 136}, {88, 8},    {104, 200}, {120, 104},
    {136, 168}, {152, 56}, {168, 248}, {184, 120}, {200, 24}, {216, 216}, {232, 72},  {248, 152},
};

bool setup_snap(const struct raster_state *s, const struct raster_vertex *v,
                struct fixed_vertex *f) {
    /* Comparisons that are false for NaN. */
    if (!(fabsf(v->x) <= GUARD_BAND && fabsf(v->y) <= GUARD_BAND) || !isfinite(v->z) ||
        !isfinite(v->rhw))
        return false;
    const int32_t shift = s->clip_half_pixel ? SUBPIXEL_HALF : 0;
    f->x = (int32_t)lrint((double)v->x * SUBPIXEL) + shift;
    f->y = (int32_t)lrint((double)v->y * SUBPIXEL) + shift;
    return true;
}

bool raster_snap(const struct raster_state *s, const struct raster_vertex *v, int32_t window[2]) {
    struct fixed_vertex f;
    if (!setup_snap(s, v, &f))
        return false;
    window[0] = f.x;
    window[1] = f.y;
    return true;
}

static int64_t area_of(const struct fixed_vertex f[3]) {
    return (int64_t)(f[1].x - f[0].x) * (f[2].y - f[0].y) -
           (int64_t)(f[2].x - f[0].x) * (f[1].y - f[0].y);
}

bool raster_facing(const struct raster_state *s, const struct raster_vertex *const v[3],
                   int64_t *area2) {
    struct fixed_vertex f[3];
    *area2 = 0;
    for (int i = 0; i < 3; i++) {
        if (!setup_snap(s, v[i], &f[i]))
            return false;
    }
    *area2 = area_of(f);
    return (*area2 < 0) == s->front_ccw;
}

static int64_t min64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t max64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

bool setup_bounds(const struct raster_state *s, struct raster_face_info info, bool multisample,
                  int64_t x0, int64_t y0, int64_t x1, int64_t y1, struct raster_rect *bounds) {
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

void setup_common(const struct raster_state *s, struct raster_face_info info,
                  const struct raster_rect *bounds, struct prim *p) {
    *p = (struct prim){.base = {.bounds = {(uint16_t)bounds->x0, (uint16_t)bounds->y0,
                                           (uint16_t)bounds->x1, (uint16_t)bounds->y1},
                                .layer = info.layer & LAYER_MASK},
                       .front = info.front,
                       .viewport = info.viewport & (RASTER_VIEWPORTS - 1),
                       .multisample = s->multisample && s->targets->samples > 1,
                       .smooth = SMOOTH_OFF};
}

struct prim *setup_alloc(const struct raster_state *s, struct arena *arena,
                         struct raster_face_info info, const struct raster_rect *bounds,
                         bool *oom) {
    struct prim *p = arena_alloc(arena, prim_bytes(s));
    if (p)
        setup_common(s, info, bounds, p);
    else
        *oom = true;
    return p;
}

/* The smallest depth difference polygon offset counts in (GL: r). */
static double offset_unit_size(enum pixel_format f, double max_z) {
    int exponent;
    switch (f) {
    case FORMAT_Z16_UNORM:
        return 0x1p-16;
    case FORMAT_Z32_FLOAT:
    case FORMAT_Z32_FLOAT_S8:
        frexp(max_z, &exponent);
        return ldexp(1.0, exponent - 24);
    default:
        return 0x1p-24;
    }
}

double setup_offset(const struct raster_state *s, double zdx, double zdy, double max_z) {
    const double slope = fmax(fabs(zdx), fabs(zdy));
    const double offset = s->offset_factor * slope +
                          s->offset_units * offset_unit_size(s->targets->zeta.format, max_z);
    if (s->offset_clamp > 0)
        return fmin(offset, s->offset_clamp);
    if (s->offset_clamp < 0)
        return fmax(offset, s->offset_clamp);
    return offset;
}

static void depth_plane(const struct raster_state *s, struct prim *p,
                        const struct raster_vertex *const v[3], const struct setup_gradient *g,
                        int offset_unit) {
    const double d1 = (double)v[1]->z - v[0]->z, d2 = (double)v[2]->z - v[0]->z;
    p->zdx = g->x1 * d1 + g->x2 * d2;
    p->zdy = g->y1 * d1 + g->y2 * d2;
    p->z = v[0]->z + p->zdx * g->ox + p->zdy * g->oy;
    if (s->offset[offset_unit].enable)
        p->z += setup_offset(s, p->zdx, p->zdy,
                             fmax(fabs(v[0]->z), fmax(fabs(v[1]->z), fabs(v[2]->z))));
}

static void set_plane(struct plane *out, const struct setup_gradient *g, double a0, double a1,
                      double a2) {
    const double d1 = a1 - a0, d2 = a2 - a0;
    const double dx = g->x1 * d1 + g->x2 * d2;
    const double dy = g->y1 * d1 + g->y2 * d2;
    out->base = (float)(a0 + dx * g->ox + dy * g->oy);
    out->dx = (float)dx;
    out->dy = (float)dy;
}

static void position_plane(const struct prim *p, uint32_t component, struct plane *out,
                           const struct raster_vertex *const v[3], const struct setup_gradient *g) {
    switch (component & 3) {
    case 0:
        *out = (struct plane){prim_x0(p), 1, 0, 0};
        break;
    case 1:
        *out = (struct plane){prim_y0(p), 0, 1, 0};
        break;
    case 2:
        *out = (struct plane){(float)p->z, (float)p->zdx, (float)p->zdy, 0};
        break;
    default:
        set_plane(out, g, v[0]->rhw, v[1]->rhw, v[2]->rhw);
    }
}

void setup_planes(const struct raster_state *s, struct prim *p,
                  const struct raster_vertex *const v[3], const struct raster_vertex *provoking,
                  const struct setup_gradient *g, int offset_unit) {
    depth_plane(s, p, v, g, offset_unit);
    const double w0 = v[0]->rhw, w1 = v[1]->rhw, w2 = v[2]->rhw;
    for (uint32_t i = 0; i < s->word_count; i++) {
        const struct raster_word *word = &s->word[i];
        struct plane *out = &p->plane[i];
        const uint32_t slot = p->front ? word->slot : word->back_slot;
        const uint32_t flat = word->unread & WORD_NO_FLAT ? 0 : provoking->slot[slot];
        if (word->unread & WORD_NO_VALUE) {
            *out = (struct plane){0, 0, 0, flat};
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
            *out = (struct plane){bits_float(flat), 0, 0, flat};
            continue;
        case WORD_CONST0:
            *out = (struct plane){0, 0, 0, 0};
            continue;
        case WORD_CONST1: /* 1 after the program's multiplication by w */
            set_plane(out, g, w0, w1, w2);
            out->flat = 0x3f800000;
            continue;
        default: /* point coordinates are replaced by setup_point.c where they apply */
            set_plane(out, g, bits_float(v[0]->slot[slot]) * w0, bits_float(v[1]->slot[slot]) * w1,
                      bits_float(v[2]->slot[slot]) * w2);
        }
        out->flat = flat;
    }
}

/* Planes are based on the centre of the pixel vertex 0 is in: near the primitive, so that base
 * keeps its precision, and exactly representable. */
static void triangle_gradient(struct prim *p, const struct fixed_vertex f[3], int64_t area,
                              struct setup_gradient *g) {
    const double scale = (double)SUBPIXEL / (double)area;
    g->x1 = (f[2].y - f[0].y) * scale;
    g->x2 = (f[0].y - f[1].y) * scale;
    g->y1 = (f[0].x - f[2].x) * scale;
    g->y2 = (f[1].x - f[0].x) * scale;
    const int32_t x0 = (f[0].x & -SUBPIXEL) + SUBPIXEL_HALF;
    const int32_t y0 = (f[0].y & -SUBPIXEL) + SUBPIXEL_HALF;
    prim_set_origin(p, f[0]);
    g->ox = (double)(x0 - f[0].x) / SUBPIXEL;
    g->oy = (double)(y0 - f[0].y) / SUBPIXEL;
}

static void setup_triangle_common(const struct raster_state *s, struct prim *p) {
    p->stippled = s->polygon_stipple;
    p->smooth = s->polygon_smooth && !p->multisample ? SMOOTH_EDGES : SMOOTH_OFF;
    p->edge_count = EDGES_TRIANGLE;
}

struct raster_prim *raster_setup_triangle(const struct raster_state *s, struct arena *arena,
                                          const struct raster_vertex *const v[3],
                                          struct raster_face_info info, bool *oom) {
    struct fixed_vertex f[3];
    if (info.front ? s->cull_front : s->cull_back)
        return NULL;
    for (int i = 0; i < 3; i++) {
        if (!setup_snap(s, v[i], &f[i]))
            return NULL;
    }
    const int64_t area = area_of(f);
    if (area == 0)
        return NULL;
    const bool multisample = s->multisample && s->targets->samples > 1;
    struct raster_rect bounds;
    if (!setup_bounds(s, info, multisample || s->polygon_smooth,
                      min64(f[0].x, min64(f[1].x, f[2].x)), min64(f[0].y, min64(f[1].y, f[2].y)),
                      max64(f[0].x, max64(f[1].x, f[2].x)), max64(f[0].y, max64(f[1].y, f[2].y)),
                      &bounds))
        return NULL;
    struct prim *p = setup_alloc(s, arena, info, &bounds, oom);
    if (!p)
        return NULL;
    setup_triangle_common(s, p);
    p->corner[0] = f[0];
    p->corner[1] = f[area > 0 ? 1 : 2];
    p->corner[2] = f[area > 0 ? 2 : 1];
    struct setup_gradient g;
    triangle_gradient(p, f, area, &g);
    setup_planes(s, p, v, v[info.provoking % 3], &g, 2);
    return &p->base;
}

static uint32_t(*const setup_cull[]) CULL_ARGUMENTS = SIMD_TABLE(setup_cull);
static uint32_t(*const setup_faces[]) FACES_ARGUMENTS = SIMD_TABLE(setup_faces);
static void(*const setup_batch[]) BATCH_ARGUMENTS = SIMD_TABLE(setup_batch);

bool setup_records(const struct raster_state *s, struct arena *arena,
                   const struct raster_vertices *v, uint32_t n, struct prim *common,
                   struct prim *prim[RASTER_BATCH]) {
    const size_t line = 64, bytes = (prim_bytes(s) + line - 1) & -line;
    const struct raster_face_info info = {.layer = v->layer};
    const struct raster_rect bounds = {0};
    char *at = arena_alloc(arena, n * bytes);
    if (!at)
        return false;
    setup_common(s, info, &bounds, common);
    for (uint32_t i = 0; i < RASTER_BATCH; i++)
        prim[i] = (struct prim *)(at + (i < n ? i : 0) * bytes); /* others repeat the first one */
    return true;
}

uint32_t raster_faces(enum simd_level simd, const struct raster_state *s,
                      const struct raster_vertices *v, const struct raster_triangles *t,
                      uint32_t *kept) {
    return setup_faces[simd](s, v, t, kept);
}

uint32_t raster_cull(enum simd_level simd, const struct raster_state *s,
                     const struct raster_vertices *v, const struct raster_triangles *t,
                     uint32_t *kept, uint64_t *drawn) {
    return setup_cull[simd](s, v, t, kept, drawn);
}

bool raster_setup_batch(enum simd_level simd, const struct raster_state *s, struct arena *arena,
                        const struct raster_vertices *v, const struct raster_triangles *t,
                        const uint32_t *kept, uint32_t n, struct raster_prim **out) {
    struct prim common, *prim[RASTER_BATCH];
    if (!setup_records(s, arena, v, n, &common, prim))
        return false;
    setup_triangle_common(s, &common);
    setup_batch[simd](s, v, t, kept, n, &common, prim);
    for (uint32_t i = 0; i < n; i++)
        out[i] = &prim[i]->base;
    return true;
}

/* How far from a tile's corner the last position of a sample is (15/16 of a pixel; 31/32 in smooth
 * primitives), in 1/256: an edge that excludes these points may run along the tile's far side. */
static int64_t last_position(int32_t pixels) {
    return (int64_t)pixels * SUBPIXEL - SUBPIXEL / 32;
}

/* What an edge's value changes from a tile's corner to where it is highest and lowest. */
struct edge_reach {
    int64_t high, low;
};

static struct edge_reach edge_reach(const struct prim_edge *e, int64_t w, int64_t h) {
    return (struct edge_reach){(e->a > 0 ? e->a : 0) * w + (e->b > 0 ? e->b : 0) * h,
                               (e->a < 0 ? e->a : 0) * w + (e->b < 0 ? e->b : 0) * h};
}

int raster_prim_tile(const struct raster_targets *t, const struct raster_prim *prim, int32_t x,
                     int32_t y) {
    const struct prim *p = (const struct prim *)prim;
    const struct raster_box *r = &prim->bounds;
    const int32_t width = (int32_t)t->width, height = (int32_t)t->height;
    const int32_t x1 = x + TILE_SIZE < width ? x + TILE_SIZE : width;
    const int32_t y1 = y + TILE_SIZE < height ? y + TILE_SIZE : height;
    if (r->x0 >= x1 || r->x1 <= x || r->y0 >= y1 || r->y1 <= y)
        return 0;
    int result = r->x0 <= x && r->y0 <= y && r->x1 >= x1 && r->y1 >= y1 ? 2 : 1;
    for (uint32_t i = 0; i < p->edge_count; i++) {
        const struct prim_edge e = prim_edge(p, i);
        const int64_t corner = e.c + ((int64_t)e.a * x + (int64_t)e.b * y) * SUBPIXEL;
        const struct edge_reach reach =
            edge_reach(&e, last_position(x1 - x), last_position(y1 - y));
        if (corner + reach.high < 0)
            return 0;
        if (corner + reach.low < 0)
            result = 1;
    }
    return result;
}

/* Limits columns [*from, *to) to those where at + column * step is not negative. */
static void limit_columns(int64_t at, int64_t step, int32_t *from, int32_t *to) {
    if (step > 0 && at + *from * step < 0) {
        const int64_t first = (-at + step - 1) / step;
        *from = first < *to ? (int32_t)first : *to;
    } else if (step < 0 && at + (*to - 1) * step < 0) {
        const int64_t end = at < 0 ? 0 : at / -step + 1;
        *to = end > *from ? (int32_t)end : *from;
    } else if (step == 0 && at < 0) {
        *to = *from;
    }
}

/* What raster_prim_tile() says of the column behind the others. */
static void add_column(struct raster_tile_span *s, int32_t column, int touches) {
    if (touches) {
        s->from = s->from < s->to ? s->from : column;
        s->to = column + 1;
    }
    if (touches == 2) {
        s->whole_from = s->whole_from < s->whole_to ? s->whole_from : column;
        s->whole_to = column + 1;
    }
}

struct raster_tile_span raster_prim_row(const struct raster_targets *t,
                                        const struct raster_prim *prim, int32_t row) {
    const struct prim *p = (const struct prim *)prim;
    const struct raster_box *r = &prim->bounds;
    const int32_t width = (int32_t)t->width, height = (int32_t)t->height;
    const int32_t y = row * TILE_SIZE, last = (r->x1 - 1) / TILE_SIZE, full = width / TILE_SIZE;
    const int32_t y1 = y + TILE_SIZE < height ? y + TILE_SIZE : height;
    struct raster_tile_span s = {r->x0 / TILE_SIZE, last + 1, (r->x0 + TILE_SIZE - 1) / TILE_SIZE,
                                 r->x1 / TILE_SIZE};
    const bool narrow = last >= full; /* the target ends within that column */
    s.to -= narrow;
    if (r->y0 > y || r->y1 < y1)
        s.whole_to = s.whole_from;
    for (uint32_t i = 0; i < p->edge_count; i++) {
        const struct prim_edge e = prim_edge(p, i);
        const struct edge_reach reach =
            edge_reach(&e, last_position(TILE_SIZE), last_position(y1 - y));
        const int64_t at = e.c + (int64_t)e.b * y * SUBPIXEL;
        const int64_t step = (int64_t)e.a * TILE_SIZE * SUBPIXEL;
        if (s.from < s.to)
            limit_columns(at + reach.high, step, &s.from, &s.to);
        if (s.whole_from < s.whole_to)
            limit_columns(at + reach.low, step, &s.whole_from, &s.whole_to);
    }
    if (narrow)
        add_column(&s, last, raster_prim_tile(t, prim, last * TILE_SIZE, y));
    return s;
}

/* Position (sx, sy) / 256 of a pixel. */
static bool covers_point(const struct prim *p, int32_t x, int32_t y, int32_t sx, int32_t sy) {
    if (p->smooth == SMOOTH_CIRCLE) {
        const struct prim_circle *circle = &p->circle;
        const double dx = (double)x * SUBPIXEL + sx - circle->x;
        const double dy = (double)y * SUBPIXEL + sy - circle->y;
        return dx * dx + dy * dy <= circle->radius2;
    }
    for (uint32_t i = 0; i < p->edge_count; i++) {
        const struct prim_edge e = prim_edge(p, i);
        const int64_t at = (e.c + (int64_t)e.a * sx + (int64_t)e.b * sy) >> SUBPIXEL_BITS;
        if ((int64_t)e.a * x + (int64_t)e.b * y + at < 0)
            return false;
    }
    return true;
}

bool raster_prim_covers(const struct raster_prim *prim, const struct raster_probe_pixel *at,
                        uint32_t samples) {
    const struct prim *p = (const struct prim *)prim;
    const struct raster_box *r = &prim->bounds;
    const uint32_t shift = p->multisample ? (uint32_t)__builtin_ctz(samples) : 0;
    const uint8_t *sample = sample_position[shift & 3][p->multisample ? at->sample & 7 : 0];
    if (prim->layer != at->layer || at->x < r->x0 || at->x >= r->x1 || at->y < r->y0 ||
        at->y >= r->y1)
        return false;
    if (p->smooth == SMOOTH_OFF)
        return covers_point(p, at->x, at->y, sample[0] * SUBPIXEL / 16, sample[1] * SUBPIXEL / 16);
    for (int i = 0; i < SMOOTH_POINTS; i++)
        if (covers_point(p, at->x, at->y, smooth_position[i][0], smooth_position[i][1]))
            return true;
    return false;
}

bool raster_prim_front(const struct raster_prim *p) {
    return ((const struct prim *)p)->front;
}

/* Behind the planes. */
static char *number_place(const struct raster_state *s, const struct raster_prim *p) {
    return (char *)(uintptr_t)(((const struct prim *)p)->plane + s->word_count);
}

void raster_prim_set_number(const struct raster_state *s, struct raster_prim *p, uint32_t number) {
    if (s->numbered)
        memcpy(number_place(s, p), &number, sizeof number);
}

uint32_t raster_prim_number(const struct raster_state *s, const struct raster_prim *p) {
    uint32_t number = 0;
    if (s->numbered)
        memcpy(&number, number_place(s, p), sizeof number);
    return number;
}
