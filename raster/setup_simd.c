/* Setup of filled triangles, sixteen at a time: culling by outcodes, facing, area, bounds and, for
 * small ones, by their samples; then edges, gradients and planes of those that are left; and of
 * points. In: vertices in rows (struct raster_vertices), primitives as vertex numbers. Out: the same
 * primitives, bit by bit, that raster_setup_triangle() and raster_setup_point() make one at a time.
 * Must not know tiles.
 */
#include "base/lanes16.h"
#include "raster/prim.h"

#include <math.h>
#include <stddef.h>

typedef uint32_t u32x4 __attribute__((vector_size(16), aligned(16)));

/* Sixteen triangles: where their vertices' words are, and what follows from their positions. */
struct batch {
    u32x16 at[3]; /* of row 0 of each corner */
    i32x16 x[3], y[3];
    f64x16 area; /* twice, signed, in 1/256 pixel squares: exact */
    i32x16 front;
    i32x16 x0, y0, x1, y1; /* bounds in pixels, x1 and y1 exclusive */
};

LANES_INLINE f64x16 wide(i32x16 v) {
    return __builtin_convertvector(v, f64x16);
}

LANES_INLINE i32x16 narrow(i64x16 v) {
    return __builtin_convertvector(v, i32x16);
}

LANES_INLINE f64x16 splat_d(double v) {
    return v - (f64x16){0};
}

LANES_INLINE u32x16 row_of(const struct raster_vertices *v, u32x16 at, uint32_t row) {
    return gather16(v->word + row * LANES, at);
}

LANES_INLINE void find_corners(const struct raster_vertices *v, const struct raster_triangles *t,
                               u32x16 triangle, struct batch *b) {
    for (unsigned k = 0; k < 3; k++) {
        const u32x16 n = gather16(t->corner + k, triangle * 3);
        b->at[k] = (n >> 5) * (v->stride * LANES) + (n & 31);
    }
}

/* Pixels that may be touched: setup_bounds() for sixteen. */
LANES_INLINE void find_bounds(const struct raster_state *s, struct batch *b) {
    const struct raster_rect *scissor = &s->view[0].scissor;
    const bool multisample = (s->multisample && s->targets->samples > 1) || s->polygon_smooth;
    const int lo = multisample ? 0 : SUBPIXEL_HALF - 1;
    const int hi = multisample ? SUBPIXEL - 1 : SUBPIXEL_HALF - 1;
    const int32_t left = scissor->x0 > 0 ? scissor->x0 : 0, top = scissor->y0 > 0 ? scissor->y0 : 0;
    const int32_t width = (int32_t)s->targets->width, height = (int32_t)s->targets->height;
    const int32_t right = scissor->x1 < width ? scissor->x1 : width;
    const int32_t bottom = scissor->y1 < height ? scissor->y1 : height;
    const i32x16 zero = {0};
    b->x0 = max16((min16(b->x[0], min16(b->x[1], b->x[2])) + lo) >> SUBPIXEL_BITS, left - zero);
    b->y0 = max16((min16(b->y[0], min16(b->y[1], b->y[2])) + lo) >> SUBPIXEL_BITS, top - zero);
    b->x1 = min16((max16(b->x[0], max16(b->x[1], b->x[2])) + hi) >> SUBPIXEL_BITS, right - zero);
    b->y1 = min16((max16(b->y[0], max16(b->y[1], b->y[2])) + hi) >> SUBPIXEL_BITS, bottom - zero);
}

LANES_INLINE void measure(const struct raster_state *s, const struct raster_vertices *v,
                          struct batch *b) {
    for (unsigned k = 0; k < 3; k++) {
        b->x[k] = (i32x16)row_of(v, b->at[k], v->window + WINDOW_X);
        b->y[k] = (i32x16)row_of(v, b->at[k], v->window + WINDOW_Y);
    }
    b->area = wide(b->x[1] - b->x[0]) * wide(b->y[2] - b->y[0]) -
              wide(b->x[2] - b->x[0]) * wide(b->y[1] - b->y[0]);
    const i32x16 negative = narrow(b->area < 0);
    b->front = s->front_ccw ? negative : ~negative;
    find_bounds(s, b);
}

/* Four words of sixteen primitives: a row each here, side by side in their records. */
union four_rows {
    u32x16 row[4];
    u32x4 part[4][4];
};

/* To `offset` bytes into each record. */
LANES_INLINE void store_rows(const union four_rows *from, struct prim *const prim[],
                             size_t offset) {
    for (unsigned i = 0; i < 4; i++) {
        const u32x4 a = from->part[0][i], b = from->part[1][i], c = from->part[2][i],
                    d = from->part[3][i];
        const u32x4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
        const u32x4 cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
        const u32x4 ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
        const u32x4 cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
        const u32x4 out[4] = {__builtin_shufflevector(ab, cd, 0, 1, 4, 5),
                              __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                              __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5),
                              __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7)};
        for (unsigned k = 0; k < 4; k++)
            memcpy((char *)prim[4 * i + k] + offset, &out[k], sizeof out[k]);
    }
}

/* ---- edges ---- */

struct edges {
    i32x16 a[3], b[3];
    i32x16 bias[3]; /* -1 where points on the edge are outside */
};

LANES_INLINE void find_edges(const struct batch *b, struct edges *e) {
    const i32x16 turned = narrow(b->area < 0);
    for (unsigned k = 0; k < 3; k++) {
        const unsigned next = (k + 1) % 3;
        e->a[k] = ((b->y[k] - b->y[next]) ^ turned) - turned;
        e->b[k] = ((b->x[next] - b->x[k]) ^ turned) - turned;
        const i32x16 top_left = (e->a[k] > 0) | ((e->a[k] == 0) & (e->b[k] > 0));
        e->bias[k] = ~top_left;
    }
}

/* The corners, the first one first, in the order that has the inside right of each edge; and what
 * follows them in the record. */
LANES_INLINE void store_corners(const struct batch *b, f32x16 x0, f32x16 y0,
                                struct prim *const prim[]) {
    const i32x16 turned = narrow(b->area < 0);
    const u32x16 x[3] = {(u32x16)b->x[0], (u32x16)b->x[1], (u32x16)b->x[2]};
    const u32x16 y[3] = {(u32x16)b->y[0], (u32x16)b->y[1], (u32x16)b->y[2]};
    const union four_rows first = {
        {x[0], y[0], blend16(turned, x[2], x[1]), blend16(turned, y[2], y[1])}};
    const union four_rows second = {
        {blend16(turned, x[1], x[2]), blend16(turned, y[1], y[2]), (u32x16)x0, (u32x16)y0}};
    _Static_assert(offsetof(struct prim, x0) == offsetof(struct prim, corner[3]), "x0, y0 follow");
    store_rows(&first, prim, offsetof(struct prim, corner));
    store_rows(&second, prim, offsetof(struct prim, corner[2]));
}

/* ---- small triangles ---- */

enum { SMALL_PIXELS = 2, SMALL_EXTENT = 4 * SUBPIXEL };

/* Lanes whose triangle has point (x, y), 24.8, inside. */
LANES_INLINE i32x16 contains(const struct batch *b, const struct edges *e, i32x16 x, i32x16 y) {
    i32x16 outside = {0};
    for (unsigned k = 0; k < 3; k++)
        outside |= e->a[k] * (x - b->x[k]) + e->b[k] * (y - b->y[k]) + e->bias[k];
    return outside >= 0;
}

static i32x16 within(i32x16 v, int32_t most) {
    return v <= most;
}

/* Triangles of at most 2x2 pixels that miss all samples. */
LANES_INLINE uint32_t misses(const struct raster_state *s, const struct batch *b, uint32_t live) {
    i32x16 extent_x =
        max16(b->x[0], max16(b->x[1], b->x[2])) - min16(b->x[0], min16(b->x[1], b->x[2]));
    i32x16 extent_y =
        max16(b->y[0], max16(b->y[1], b->y[2])) - min16(b->y[0], min16(b->y[1], b->y[2]));
    const i32x16 small = within(max16(extent_x, extent_y), SMALL_EXTENT) &
                         within(max16(b->x1 - b->x0, b->y1 - b->y0), SMALL_PIXELS);
    const uint32_t tested = mask16((u32x16)small) & live;
    if (!tested || s->polygon_smooth)
        return 0;
    const bool multisample = s->multisample && s->targets->samples > 1;
    const unsigned shift = multisample ? (unsigned)__builtin_ctz(s->targets->samples) : 0;
    struct edges e;
    find_edges(b, &e);
    i32x16 hit = {0};
    for (int pixel = 0; pixel < SMALL_PIXELS * SMALL_PIXELS; pixel++) {
        for (unsigned i = 0; i < 1u << shift; i++) {
            const uint8_t *at = sample_position[shift][i];
            const i32x16 x = (b->x0 + pixel % SMALL_PIXELS) * SUBPIXEL + at[0] * (SUBPIXEL / 16);
            const i32x16 y = (b->y0 + pixel / SMALL_PIXELS) * SUBPIXEL + at[1] * (SUBPIXEL / 16);
            hit |= contains(b, &e, x, y);
        }
    }
    return tested & ~mask16((u32x16)hit);
}

/* ---- culling ---- */

/* Of the triangles in `live`, those that may cover a sample. */
LANES_INLINE uint32_t visible(const struct raster_state *s, const struct raster_vertices *v,
                              struct batch *b, uint32_t live, uint64_t *drawn) {
    measure(s, v, b);
    live &= mask16((u32x16)narrow(b->area != 0));
    *drawn += (uint64_t)__builtin_popcount(live);
    if (s->cull_front)
        live &= ~mask16((u32x16)b->front);
    if (s->cull_back)
        live &= mask16((u32x16)b->front);
    live &= mask16((u32x16)((b->x0 < b->x1) & (b->y0 < b->y1)));
    return live ? live & ~misses(s, b, live) : 0;
}

uint32_t SIMD_FN(setup_cull)(const struct raster_state *s, const struct raster_vertices *v,
                             const struct raster_triangles *t, uint32_t *kept, uint64_t *drawn) {
    const bool layer = t->layer < s->targets->layers;
    uint32_t count = 0;
    for (uint32_t first = 0; first < t->count; first += LANES16) {
        const uint32_t left = t->count - first;
        const uint32_t all = left < LANES16 ? (1u << left) - 1 : 0xffff;
        const i32x16 last = (i32x16)splat16(t->count - 1);
        struct batch b;
        find_corners(v, t, (u32x16)min16((i32x16)(first + iota16()), last), &b);
        u32x16 every = splat16(t->outside), any = splat16(0);
        for (unsigned k = 0; k < 3; k++) {
            const u32x16 code = row_of(v, b.at[k], v->window + WINDOW_CODE);
            every &= code;
            any |= code;
        }
        const uint32_t in = all & mask16((u32x16)(every == 0));
        const uint32_t clip = in & mask16((u32x16)((any & t->clip) != 0));
        uint32_t live = in & ~clip & ~mask16((u32x16)((any & t->lost) != 0));
        if (live)
            live = visible(s, v, &b, live, drawn);
        for (uint32_t rest = layer ? live | clip : clip; rest; rest &= rest - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(rest);
            kept[count++] = (first + i) | (clip >> i & 1 ? RASTER_CLIP : 0);
        }
    }
    return count;
}

/* ---- planes ---- */

struct gradients {
    f64x16 x1, x2, y1, y2, ox, oy;
    i32x16 x0, y0; /* centre of the pixel that vertex 0 is in, 24.8 */
};

LANES_INLINE void find_gradients(const struct batch *b, struct gradients *g) {
    const f64x16 scale = splat_d(SUBPIXEL) / b->area, subpixel = splat_d(SUBPIXEL);
    g->x1 = wide(b->y[2] - b->y[0]) * scale;
    g->x2 = wide(b->y[0] - b->y[1]) * scale;
    g->y1 = wide(b->x[0] - b->x[2]) * scale;
    g->y2 = wide(b->x[1] - b->x[0]) * scale;
    g->x0 = (b->x[0] & -SUBPIXEL) + SUBPIXEL_HALF;
    g->y0 = (b->y[0] & -SUBPIXEL) + SUBPIXEL_HALF;
    g->ox = wide(g->x0 - b->x[0]) / subpixel;
    g->oy = wide(g->y0 - b->y[0]) / subpixel;
}

/* A value given at the vertices: at (x0, y0), and along x and y. */
struct slope {
    f64x16 base, dx, dy;
};

LANES_INLINE struct slope slope_of(const struct gradients *g, f64x16 a0, f64x16 a1, f64x16 a2) {
    const f64x16 d1 = a1 - a0, d2 = a2 - a0;
    struct slope r;
    r.dx = g->x1 * d1 + g->x2 * d2;
    r.dy = g->y1 * d1 + g->y2 * d2;
    r.base = a0 + r.dx * g->ox + r.dy * g->oy;
    return r;
}

LANES_INLINE f64x16 float_row(const struct raster_vertices *v, u32x16 at, uint32_t row) {
    return __builtin_convertvector((f32x16)row_of(v, at, row), f64x16);
}

LANES_INLINE u32x16 single(f64x16 v) {
    return (u32x16) __builtin_convertvector(v, f32x16);
}

LANES_INLINE void set_slope(union four_rows *out, struct slope p) {
    out->row[0] = single(p.base);
    out->row[1] = single(p.dx);
    out->row[2] = single(p.dy);
}

/* What planes are computed from. */
struct planes {
    const struct raster_vertices *v;
    struct batch b;
    struct gradients g;
    u32x16 provoking; /* where its words are */
    f64x16 w[3];
    struct slope z;
};

LANES_INLINE void position_plane(const struct planes *p, uint32_t component, union four_rows *out) {
    const u32x16 zero = splat16(0), one = splat16(0x3f800000);
    const f32x16 subpixel = SUBPIXEL - (f32x16){0};
    switch (component & 3) {
    case 0:
        out->row[0] = (u32x16)(__builtin_convertvector(p->g.x0, f32x16) / subpixel);
        out->row[1] = one;
        out->row[2] = zero;
        break;
    case 1:
        out->row[0] = (u32x16)(__builtin_convertvector(p->g.y0, f32x16) / subpixel);
        out->row[1] = zero;
        out->row[2] = one;
        break;
    case 2:
        set_slope(out, p->z);
        break;
    default:
        set_slope(out, slope_of(&p->g, p->w[0], p->w[1], p->w[2]));
    }
}

/* Offset of a word's row: that of the back where the triangle shows it. */
LANES_INLINE u32x16 word_at(const struct planes *p, const struct raster_word *word, u32x16 at) {
    const uint8_t *row = p->v->row;
    const u32x16 front = splat16(row[word->slot] * LANES),
                 back = splat16(row[word->back_slot] * LANES);
    return at + (word->slot == word->back_slot ? front : blend16(p->b.front, front, back));
}

static void word_plane(const struct planes *p, const struct raster_word *word,
                       union four_rows *out) {
    const u32x16 zero = splat16(0);
    const uint32_t *base = p->v->word;
    f64x16 a[3];
    out->row[3] =
        word->unread & WORD_NO_FLAT ? zero : gather16(base, word_at(p, word, p->provoking));
    if (word->unread & WORD_NO_VALUE) {
        out->row[0] = out->row[1] = out->row[2] = zero;
        return;
    }
    switch (word->kind) {
    case WORD_POSITION:
        position_plane(p, word->slot, out);
        return;
    case WORD_FLAT:
    case WORD_CONST0:
        out->row[3] = word->kind == WORD_FLAT ? out->row[3] : zero;
        out->row[0] = out->row[3];
        out->row[1] = out->row[2] = zero;
        return;
    case WORD_CONST1: /* 1 after the program's multiplication by w */
        set_slope(out, slope_of(&p->g, p->w[0], p->w[1], p->w[2]));
        out->row[3] = splat16(0x3f800000);
        return;
    default:
        for (unsigned k = 0; k < 3; k++) {
            const u32x16 value = gather16(base, word_at(p, word, p->b.at[k]));
            a[k] = __builtin_convertvector((f32x16)value, f64x16);
            if (word->kind != WORD_LINEAR)
                a[k] *= p->w[k];
        }
        set_slope(out, slope_of(&p->g, a[0], a[1], a[2]));
    }
}

/* ---- records ---- */

/* Depth: polygon offset (0 points, 2 fill) needs the greatest depth, each on its own. */
static void depth_planes(const struct raster_state *s, struct planes *p, int offset_unit) {
    const f64x16 z[3] = {float_row(p->v, p->b.at[0], p->v->window + WINDOW_Z),
                         float_row(p->v, p->b.at[1], p->v->window + WINDOW_Z),
                         float_row(p->v, p->b.at[2], p->v->window + WINDOW_Z)};
    p->z = slope_of(&p->g, z[0], z[1], z[2]);
    for (unsigned i = 0; s->offset[offset_unit].enable && i < LANES16; i++)
        p->z.base[i] += setup_offset(s, p->z.dx[i], p->z.dy[i],
                                     fmax(fabs(z[0][i]), fmax(fabs(z[1][i]), fabs(z[2][i]))));
}

/* What all primitives of a state share, which is in *common, face and depth. */
static void store_prims(const struct prim *common, const struct planes *q, uint32_t n,
                        struct prim *const prim[]) {
    const uint32_t front = mask16((u32x16)q->b.front);
    f64x16 z[3] = {q->z.base, q->z.dx, q->z.dy};
    const double *depth = (const double *)z;
    for (uint32_t i = 0; i < n; i++) {
        struct prim *p = prim[i];
        *p = *common;
        p->front = front >> i & 1;
        p->z = depth[i];
        p->zdx = depth[LANES16 + i];
        p->zdy = depth[2 * LANES16 + i];
    }
}

static void store_triangles(const struct planes *q, struct prim *const prim[]) {
    const struct batch *b = &q->b;
    const union four_rows bounds = {{(u32x16)b->x0, (u32x16)b->y0, (u32x16)b->x1, (u32x16)b->y1}};
    const f32x16 subpixel = SUBPIXEL - (f32x16){0};
    store_rows(&bounds, prim, offsetof(struct prim, base.bounds));
    store_corners(b, __builtin_convertvector(q->g.x0, f32x16) / subpixel,
                  __builtin_convertvector(q->g.y0, f32x16) / subpixel, prim);
}

static void store_planes(const struct raster_state *s, const struct planes *p,
                         struct prim *const prim[]) {
    for (uint32_t i = 0; i < s->word_count; i++) {
        union four_rows out;
        word_plane(p, &s->word[i], &out);
        store_rows(&out, prim, offsetof(struct prim, plane) + i * sizeof(struct plane));
    }
}

/* The memory behind these records, where the next ones are likely to be, on its way to the cache: a third
 * at a time, since more would have to wait. */
LANES_INLINE void fetch_ahead(uint32_t n, struct prim *const prim[], unsigned part) {
    const size_t line = 64, bytes = (size_t)((const char *)prim[n > 1] - (const char *)prim[0]) * n;
    const size_t lines = bytes / line;
    const char *next = (const char *)prim[0] + bytes;
    for (size_t i = lines * part / 3; i < lines * (part + 1) / 3; i++)
        __builtin_prefetch(next + i * line, 1);
}

void SIMD_FN(setup_batch)(const struct raster_state *s, const struct raster_vertices *v,
                          const struct raster_triangles *t, const uint32_t *kept, uint32_t n,
                          const struct prim *common, struct prim *const prim[RASTER_BATCH]) {
    struct planes p; /* large: not worth clearing */
    p.v = v;
    uint32_t triangle[LANES16] __attribute__((aligned(64)));
    int32_t corner[LANES16] __attribute__((aligned(64)));
    for (uint32_t i = 0; i < LANES16; i++) {
        triangle[i] = kept[i < n ? i : 0];
        corner[i] = t->provoking[triangle[i]];
    }
    const i32x16 provoking = *(const i32x16 *)corner;
    fetch_ahead(n, prim, 0);
    find_corners(v, t, *(const u32x16 *)triangle, &p.b);
    measure(s, v, &p.b);
    find_gradients(&p.b, &p.g);
    p.provoking = blend16(provoking == 0, p.b.at[0], blend16(provoking == 1, p.b.at[1], p.b.at[2]));
    for (unsigned k = 0; k < 3; k++)
        p.w[k] = float_row(v, p.b.at[k], v->window + WINDOW_RHW);
    depth_planes(s, &p, 2);
    fetch_ahead(n, prim, 1);
    store_prims(common, &p, n, prim);
    store_triangles(&p, prim);
    fetch_ahead(n, prim, 2);
    store_planes(s, &p, prim);
}

/* A point is a triangle whose corners are one vertex, and whose values do not vary. */
void SIMD_FN(setup_points) POINTS_ARGUMENTS {
    struct planes p;
    uint32_t number[LANES16] __attribute__((aligned(64)));
    for (uint32_t i = 0; i < LANES16; i++)
        number[i] = vertex[i < n ? i : 0];
    const u32x16 at = *(const u32x16 *)number;
    fetch_ahead(n, prim, 0);
    p.v = v;
    p.provoking = (at >> 5) * (v->stride * LANES) + (at & 31);
    p.b.front = (i32x16)splat16(UINT32_MAX);
    p.g = (struct gradients){0};
    p.g.x0 = ((i32x16)row_of(v, p.provoking, v->window + WINDOW_X) & -SUBPIXEL) + SUBPIXEL_HALF;
    p.g.y0 = ((i32x16)row_of(v, p.provoking, v->window + WINDOW_Y) & -SUBPIXEL) + SUBPIXEL_HALF;
    for (unsigned k = 0; k < 3; k++) {
        p.b.at[k] = p.provoking;
        p.w[k] = float_row(v, p.provoking, v->window + WINDOW_RHW);
    }
    depth_planes(s, &p, 0);
    fetch_ahead(n, prim, 1);
    store_prims(common, &p, n, prim);
    const f32x16 subpixel = SUBPIXEL - (f32x16){0};
    const f32x16 x0 = __builtin_convertvector(p.g.x0, f32x16) / subpixel;
    const f32x16 y0 = __builtin_convertvector(p.g.y0, f32x16) / subpixel;
    for (uint32_t i = 0; i < n; i++) {
        prim[i]->x0 = x0[i];
        prim[i]->y0 = y0[i];
    }
    fetch_ahead(n, prim, 2);
    store_planes(s, &p, prim);
}
