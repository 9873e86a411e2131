/* The code that the set-up of sixteen triangles, lines or points shares: the rows of their
 * vertices, limits of the window, planes of depth and of the v[] words, and the stores into
 * records. In: the places of the vertices' words, and gradients. Out: records. Inlined into
 * setup_simd.c, setup_line_simd.c and setup_point_simd.c, once per SIMD level.
 */
#pragma once

#include "base/lanes.h"
#include "raster/prim.h"

#include <math.h>
#include <stddef.h>

LANES_INLINE f64x16 splat_d(double v) {
    return v - (f64x16){0};
}

LANES_INLINE u32x16 row_of(const struct raster_vertices *v, u32x16 at, uint32_t row) {
    return gather16(v->word + row * LANES, at);
}

/* The index of the first word of a vertex in raster_vertices.word. */
LANES_INLINE u32x16 vertex_at(const struct raster_vertices *v, u32x16 number) {
    return (number >> 5) * (v->stride * LANES) + (number & 31);
}

/* ---- layers and viewports ---- */

/* Returns the viewport of each primitive: the one of its provoking vertex, or viewport 0. */
LANES_INLINE i32x16 viewports_of(const struct raster_vertices *v, u32x16 provoking) {
    if (v->viewport_row == RASTER_NO_ROW)
        return (i32x16)splat16(0);
    return (i32x16)row_of(v, provoking, v->viewport_row) & (RASTER_VIEWPORTS - 1);
}

LANES_INLINE bool has_layer(const struct raster_state *s, const struct raster_vertices *v) {
    return v->layer_row != RASTER_NO_ROW || v->layer < s->targets->layers;
}

LANES_INLINE u32x16 layers_of(const struct raster_state *s, const struct raster_vertices *v,
                              u32x16 provoking) {
    if (v->layer_row == RASTER_NO_ROW)
        return splat16(v->layer);
    const u32x16 layer = row_of(v, provoking, v->layer_row);
    /* a layer that the targets do not have counts as layer 0 */
    return layer & (u32x16)(layer < s->targets->layers);
}

/* Rectangles of pixels, x1 and y1 exclusive. */
struct bounds {
    i32x16 x0, y0, x1, y1;
};

LANES_INLINE struct bounds find_scissor(const struct raster_state *s,
                                        const struct raster_vertices *v, u32x16 provoking) {
    const i32x16 zero = {0};
    const struct raster_rect *scissor = &s->view[0].scissor;
    struct bounds r = {scissor->x0 - zero, scissor->y0 - zero, scissor->x1 - zero,
                       scissor->y1 - zero};
    if (v->viewport_row != RASTER_NO_ROW) {
        const u32x16 at = (u32x16)viewports_of(v, provoking) * (sizeof s->view[0] / 4);
        const uint32_t *words = (const uint32_t *)(const void *)scissor;
        r.x0 = (i32x16)gather16(words, at);
        r.y0 = (i32x16)gather16(words + 1, at);
        r.x1 = (i32x16)gather16(words + 2, at);
        r.y1 = (i32x16)gather16(words + 3, at);
    }
    return r;
}

/* Returns the part of the target inside the scissor of each primitive. */
LANES_INLINE struct bounds find_limits(const struct raster_state *s,
                                       const struct raster_vertices *v, u32x16 provoking) {
    const i32x16 zero = {0};
    struct bounds r = find_scissor(s, v, provoking);
    r.x0 = max16(r.x0, zero);
    r.y0 = max16(r.y0, zero);
    r.x1 = min16(r.x1, (int32_t)s->targets->width - zero);
    r.y1 = min16(r.y1, (int32_t)s->targets->height - zero);
    return r;
}

/* Returns the pixels that a region of 24.8 coordinates may touch. A pixel is touched if its centre,
 * or with `multisample` any point of it, lies in [x0, x1) x [y0, y1). */
LANES_INLINE struct bounds find_bounds(const struct bounds *limit, bool multisample, i32x16 x0,
                                       i32x16 y0, i32x16 x1, i32x16 y1) {
    const int lo = multisample ? 0 : SUBPIXEL_HALF - 1;
    const int hi = multisample ? SUBPIXEL - 1 : SUBPIXEL_HALF - 1;
    struct bounds r;
    r.x0 = max16((x0 + lo) >> SUBPIXEL_BITS, limit->x0);
    r.y0 = max16((y0 + lo) >> SUBPIXEL_BITS, limit->y0);
    r.x1 = min16((x1 + hi) >> SUBPIXEL_BITS, limit->x1);
    r.y1 = min16((y1 + hi) >> SUBPIXEL_BITS, limit->y1);
    return r;
}

/* Returns bits of the lanes that hold primitives, if lane 0 is primitive `first` of `count`. */
LANES_INLINE uint32_t existing_lanes(uint32_t first, uint32_t count) {
    return count - first < LANES16 ? (1u << (count - first)) - 1 : (1u << LANES16) - 1;
}

/* The numbers of the primitives from `first` on. Lanes after the last primitive repeat it. */
LANES_INLINE u32x16 numbers_from(uint32_t first, uint32_t count) {
    return (u32x16)min16((i32x16)(first + iota16()), (i32x16)splat16(count - 1));
}

/* Returns the first n of kept[]. Further lanes repeat the first. */
LANES_INLINE u32x16 load_numbers(const uint32_t *kept, uint32_t n) {
    u32x16 r;
    for (uint32_t i = 0; i < LANES16; i++)
        r[i] = kept[i < n ? i : 0];
    return r;
}

/* Rounds to the nearest integer, ties to even. |v| must be below 2^31. */
LANES_INLINE i32x16 round_to_even(f64x16 v) {
    const f64x16 whole = v + 0x1.8p52 - 0x1.8p52;
    return __builtin_convertvector(whole, i32x16);
}

/* Returns bits of the primitives whose bounds contain a pixel. */
LANES_INLINE uint32_t prims_with_pixels(const struct bounds *r) {
    return to_mask16((u32x16)((r->x0 < r->x1) & (r->y0 < r->y1)));
}

/* Four words of sixteen primitives, a row each. In a record the four words lie side by side. */
union four_rows {
    u32x16 row[4];
    u32x4 part[4][4];
};

/* Stores four words of each primitive at `offset` bytes into its record. */
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

/* ---- planes ---- */

/* The data of a primitive from which the plane of any value follows (slope_of()). The value grows
 * by x1 * d1 + x2 * d2 per pixel in x and by y1 * d1 + y2 * d2 per pixel in y, where d1 and d2 are
 * its values at vertices 1 and 2 minus its value at vertex 0. */
struct gradients {
    /* ox, oy: from vertex 0 to the centre of its pixel, in pixels */
    f64x16 x1, x2, y1, y2, ox, oy;
    i32x16 x0, y0; /* pixel of vertex 0; the base of a plane is the value at its centre */
};

/* Sets the pixel of the first vertex (x, y), at whose centre planes have their base. */
LANES_INLINE void base_planes(struct gradients *g, i32x16 x, i32x16 y) {
    g->x0 = x >> SUBPIXEL_BITS;
    g->y0 = y >> SUBPIXEL_BITS;
    g->ox = widen16(SUBPIXEL_HALF - (x & (SUBPIXEL - 1))) / splat_d(SUBPIXEL);
    g->oy = widen16(SUBPIXEL_HALF - (y & (SUBPIXEL - 1))) / splat_d(SUBPIXEL);
}

/* A plane: its value at the centre of pixel (x0, y0), and its gradient. */
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

LANES_INLINE u32x16 to_float_bits(f64x16 v) {
    return (u32x16) __builtin_convertvector(v, f32x16);
}

LANES_INLINE void set_slope(union four_rows *out, struct slope p) {
    out->row[0] = to_float_bits(p.base);
    out->row[1] = to_float_bits(p.dx);
    out->row[2] = to_float_bits(p.dy);
}

/* The data of sixteen primitives from which attribute planes are computed. */
struct planes {
    const struct raster_vertices *v;
    bool one_vertex;  /* all corners are one vertex */
    u32x16 at[3];     /* index of each corner's first word */
    u32x16 provoking; /* index of the provoking vertex' first word */
    i32x16 front;     /* -1: shows its front; 0: its back */
    struct gradients g;
    f64x16 w[3];    /* 1/w of each corner */
    struct slope z; /* depth */
};

/* Returns a word of corner k. found: the words of the previous corners. */
LANES_INLINE f64x16 corner_row(const struct planes *p, unsigned k, uint32_t row,
                               const f64x16 *found) {
    return k && p->one_vertex ? found[0] : float_row(p->v, p->at[k], row);
}

/* Finds 1/w of the corners. */
LANES_INLINE void find_weights(struct planes *p) {
    for (unsigned k = 0; k < 3; k++)
        p->w[k] = corner_row(p, k, p->v->window + WINDOW_RHW, p->w);
}

LANES_INLINE void position_plane(const struct planes *p, uint32_t component, union four_rows *out) {
    const u32x16 zero = splat16(0), one = splat16(0x3f800000);
    const f32x16 half = 0.5f - (f32x16){0};
    switch (component & 3) {
    case 0:
        out->row[0] = (u32x16)(__builtin_convertvector(p->g.x0, f32x16) + half);
        out->row[1] = one;
        out->row[2] = zero;
        break;
    case 1:
        out->row[0] = (u32x16)(__builtin_convertvector(p->g.y0, f32x16) + half);
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

/* Returns the index of a word of the vertex at `at`. Triangles that show their back take the word
 * of back_slot. */
LANES_INLINE u32x16 word_at(const struct planes *p, const struct raster_word *word, u32x16 at) {
    const uint8_t *row = p->v->row;
    const u32x16 front = splat16(row[word->slot] * LANES),
                 back = splat16(row[word->back_slot] * LANES);
    return at + (word->slot == word->back_slot ? front : blend16((u32x16)p->front, front, back));
}

static void word_plane(const struct planes *p, const struct raster_word *word,
                       union four_rows *out) {
    const u32x16 zero = splat16(0);
    const uint32_t *base = p->v->word;
    f64x16 a[3];
    out->row[3] =
        word->flags & WORD_NO_FLAT ? zero : gather16(base, word_at(p, word, p->provoking));
    if (word->flags & WORD_NO_VALUE) {
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
    case WORD_CONST1: /* 1/w: the program multiplies by w, which makes 1 */
        set_slope(out, slope_of(&p->g, p->w[0], p->w[1], p->w[2]));
        out->row[3] = splat16(0x3f800000);
        return;
    default:
        for (unsigned k = 0; k < (p->one_vertex ? 1 : 3); k++) {
            const bool provoked = word->flags & WORD_FLAT_COLOR && p->v->flat_colors;
            const u32x16 at = provoked ? p->provoking : p->at[k];
            const u32x16 value = gather16(base, word_at(p, word, at));
            a[k] = __builtin_convertvector((f32x16)value, f64x16);
            if (word->kind != WORD_LINEAR)
                a[k] *= p->w[k];
        }
        if (p->one_vertex)
            a[1] = a[2] = a[0];
        set_slope(out, slope_of(&p->g, a[0], a[1], a[2]));
    }
}

/* ---- records ---- */

/* Makes the depth planes. offset_unit: 0 points, 1 lines, 2 fill. Polygon offset needs the greatest
 * depth of each primitive, so the offset is computed primitive by primitive. */
static void depth_planes(const struct raster_state *s, struct planes *p, int offset_unit) {
    f64x16 z[3];
    for (unsigned k = 0; k < 3; k++)
        z[k] = corner_row(p, k, p->v->window + WINDOW_Z, z);
    p->z = slope_of(&p->g, z[0], z[1], z[2]);
    for (unsigned i = 0; s->setup.offset_enable[offset_unit] && i < LANES16; i++)
        p->z.base[i] += setup_offset(s, p->z.dx[i], p->z.dy[i],
                                     fmax(fabs(z[0][i]), fmax(fabs(z[1][i]), fabs(z[2][i]))));
}

/* Splits doubles into halves, a row each. */
LANES_INLINE void set_doubles(union four_rows *out, unsigned row, f64x16 v) {
    const union {
        f64x16 v;
        u32x16 half[2];
    } bits = {v};
    out->row[row] = __builtin_shufflevector(bits.half[0], bits.half[1], 0, 2, 4, 6, 8, 10, 12, 14,
                                            16, 18, 20, 22, 24, 26, 28, 30);
    out->row[row + 1] = __builtin_shufflevector(bits.half[0], bits.half[1], 1, 3, 5, 7, 9, 11, 13,
                                                15, 17, 19, 21, 23, 25, 27, 29, 31);
}

/* Writes the records, except for attribute planes. *common has the fields that all primitives of a
 * state share. corners: x, y of each corner. */
static void store_prims(const struct raster_state *s, const struct prim *common,
                        const struct planes *q, const struct bounds *r, const i32x16 corners[6],
                        struct prim *const prim[]) {
    const uint32_t origin_x = prim_word((struct prim){.origin_x = 1}, PRIM_FACTS);
    const uint32_t origin_y = prim_word((struct prim){.base.origin_y = 1}, PRIM_PLACE);
    const uint32_t viewport = prim_word((struct prim){.viewport = 1}, PRIM_FACTS);
    const uint32_t front = prim_word((struct prim){.front = 1}, PRIM_FACTS);
    const u32x16 facts = splat16(prim_word(*common, PRIM_FACTS)) | ((u32x16)q->front & front) |
                         (u32x16)viewports_of(q->v, q->provoking) * viewport;
    union four_rows out[4];
    out[0].row[0] = (u32x16)(r->x0 | r->y0 << 16);
    out[0].row[1] = (u32x16)(r->x1 | r->y1 << 16);
    out[0].row[2] = layers_of(s, q->v, q->provoking) | (u32x16)q->g.y0 * origin_y;
    out[0].row[3] = facts | (u32x16)q->g.x0 * origin_x;
    for (unsigned i = 0; i < 4; i++)
        out[1].row[i] = (u32x16)corners[i];
    out[2].row[0] = (u32x16)corners[4];
    out[2].row[1] = (u32x16)corners[5];
    set_doubles(&out[2], 2, q->z.base);
    set_doubles(&out[3], 0, q->z.dx);
    set_doubles(&out[3], 2, q->z.dy);
    for (unsigned i = 0; i < 4; i++)
        store_rows(&out[i], prim, i * 16);
}

static void store_planes(const struct raster_state *s, const struct planes *p,
                         struct prim *const prim[]) {
    for (uint32_t i = 0; i < s->word_count; i++) {
        union four_rows out;
        word_plane(p, &s->word[i], &out);
        store_rows(&out, prim, offsetof(struct prim, plane) + i * sizeof(struct attribute_plane));
    }
}

/* Prefetches third `part` (0 to 2) of the memory after these records, where the next records are
 * likely to be. A core can have only a few prefetches in progress, so callers spread the thirds
 * over their work. */
LANES_INLINE void fetch_ahead(uint32_t n, struct prim *const prim[], unsigned part) {
    const size_t line = 64, bytes = (size_t)((const char *)prim[n > 1] - (const char *)prim[0]) * n;
    const size_t lines = bytes / line;
    const char *next = (const char *)prim[0] + bytes;
    for (size_t i = lines * part / 3; i < lines * (part + 1) / 3; i++)
        __builtin_prefetch(next + i * line, 1);
}
