/* The record of a primitive after set-up: corners in fixed point, from which exact integer edges
 * follow; the depth plane in double precision; one attribute plane per v[] word. setup.c and
 * setup_*simd.c make records; cover_simd.c and pack_simd.c read them. Knows no contents of tiles.
 */
#pragma once

#include "raster/raster.h"

#include <stddef.h>
#include <string.h>

enum {
    PRIM_EDGES = 4,
    SUBPIXEL_BITS = 8,
    SUBPIXEL = 1 << SUBPIXEL_BITS,
    SUBPIXEL_HALF = SUBPIXEL / 2
};

/* An edge. A point (x, y), 24.8 window space, is inside if a * x + b * y + c >= 0; the tie rule is
 * folded into c. For pixel (px, py) and sub-pixel position (sx, sy) / 256, the sign is exactly that
 * of a * px + b * py + ((c + a * sx + b * sy) >> 8). */
struct prim_edge {
    int32_t a, b; /* 24.8 differences, |a|, |b| <= 2^26 */
    int64_t c;    /* 48.16 fixed point */
};

/* Smoothing of a primitive: alpha is scaled by the part of each pixel that lies inside the edges,
 * or inside a circle. */
enum prim_smooth { SMOOTH_OFF, SMOOTH_EDGES, SMOOTH_CIRCLE };

/* A vertex in 24.8 fixed point. */
struct fixed_vertex {
    int32_t x, y;
};

/* The shape of a primitive; the value is its number of edges. NONE: the bounds alone, or a circle.
 * BAND: the area between the line through the first two corners and its parallel through the third.
 * PARALLELOGRAM: three corners and the one opposite to the second. */
enum prim_edges { EDGES_NONE = 0, EDGES_BAND = 2, EDGES_TRIANGLE = 3, EDGES_PARALLELOGRAM = 4 };

/* The circle of SMOOTH_CIRCLE. */
struct prim_circle {
    int32_t x, y;   /* centre, 24.8 fixed point */
    double radius2; /* square of the radius; unit: square of 1/256 pixel */
};

/* A record: a cache line, then the planes. */
struct prim {
    struct raster_prim base;
    uint32_t edge_count : 3;  /* enum prim_edges */
    uint32_t stippled : 1;    /* the polygon stipple masks the primitive */
    uint32_t smooth : 2;      /* enum prim_smooth */
    uint32_t multisample : 1; /* coverage per sample; otherwise at the pixel centre */
    uint32_t front : 1;
    uint32_t viewport : 4;
    uint32_t : 2;
    int32_t origin_x : 18; /* the origin is the centre of pixel (origin_x, base.origin_y) */
    union {
        struct fixed_vertex corner[3]; /* the inside lies right of the way from corner to corner */
        struct prim_circle circle;
    };
    double z, zdx, zdy; /* depth at the origin and its gradient, with the polygon offset */
    struct attribute_plane
        plane[] /* of each word: value = base + dx * (x - origin) + dy * (y - origin) */
        __attribute__((aligned(16)));
    /* If the state is numbered, a uint32_t follows: the primitive's number. */
};

/* Byte offsets of words in a record. */
enum {
    PRIM_PLACE = sizeof(struct raster_box), /* layer, origin_y */
    PRIM_FACTS = PRIM_PLACE + 4,            /* edge_count to origin_x */
    ORIGIN_SHIFT = 14,                      /* bit of origin_x and origin_y in their words */
};
_Static_assert(sizeof(struct prim) == 64 && offsetof(struct prim, corner) == PRIM_FACTS + 4,
               "a cache line");
LANES_INLINE uint32_t prim_word(struct prim p, size_t offset) {
    uint32_t word;
    memcpy(&word, (const char *)&p + offset, sizeof word);
    return word;
}

/* The bytes of a record. */
LANES_INLINE size_t prim_bytes(const struct raster_state *s) {
    return sizeof(struct prim) + s->word_count * sizeof(struct attribute_plane) +
           (s->numbered ? sizeof(uint32_t) : 0);
}

/* Sample positions in 1/16 pixel (docs/raster.md). */
extern const uint8_t sample_position[4][8][2]; /* [log2 samples][sample] */
/* Points of a pixel at which smooth primitives are tested, in 1/256 pixel: one in each of 16 rows
 * and each of 16 columns. */
enum { SMOOTH_POINTS = 16 };
extern const uint8_t smooth_position[SMOOTH_POINTS][2];

/* The top-left rule: true if points on the edge from `from` to `to` are inside. The inside is where
 * the edge function is positive: right of the edge's direction, with y downward. */
LANES_INLINE bool setup_top_left(struct fixed_vertex from, struct fixed_vertex to) {
    const int32_t a = from.y - to.y, b = to.x - from.x;
    return a > 0 || (a == 0 && b > 0);
}
/* Makes an edge. on_edge: points on the edge are inside. */
LANES_INLINE struct prim_edge setup_edge(struct fixed_vertex from, struct fixed_vertex to,
                                         bool on_edge) {
    const int32_t a = from.y - to.y, b = to.x - from.x;
    return (struct prim_edge){a, b, -((int64_t)a * from.x + (int64_t)b * from.y) - !on_edge};
}
/* True if points on this edge of a band are inside: on the upper edge, or on the left edge of a
 * steep line. */
LANES_INLINE bool setup_band_side(struct fixed_vertex from, struct fixed_vertex to) {
    const int32_t a = from.y - to.y, b = to.x - from.x;
    return (b < 0 ? -b : b) >= (a < 0 ? -a : a) ? b > 0 : a > 0;
}
/* Returns edge i of the primitive. */
LANES_INLINE struct prim_edge prim_edge(const struct prim *p, uint32_t i) {
    const struct fixed_vertex *c = p->corner;
    const struct fixed_vertex fourth = {c[0].x + c[2].x - c[1].x, c[0].y + c[2].y - c[1].y};
    const struct fixed_vertex around[] = {c[0], c[1], c[2], fourth, c[0]};
    if (p->edge_count == EDGES_TRIANGLE) {
        const struct fixed_vertex from = c[i], to = c[(i + 1) % 3];
        return setup_edge(from, to, setup_top_left(from, to));
    }
    const struct fixed_vertex *from = &around[p->edge_count == EDGES_BAND ? 2 * i : i];
    return setup_edge(from[0], from[1],
                      p->edge_count == EDGES_BAND ? setup_band_side(from[0], from[1])
                                                  : setup_top_left(from[0], from[1]));
}
/* Returns the polygon offset of a primitive with this depth gradient, in depths of 0 to 1. max_z:
 * the primitive's greatest depth. */
double setup_offset(const struct raster_state *s, double zdx, double zdy, double max_z);
/* setup_simd.c */
#define TRIANGLES_ARGUMENTS                                                                        \
    (const struct raster_state *s, const struct raster_vertices *v,                                \
     const struct raster_triangles *t, const uint32_t *kept, uint32_t n,                           \
     const struct prim *common, struct prim *const prim[RASTER_SETUP_MOST])
SIMD_DECLARE(uint32_t, setup_cull, CULL_ARGUMENTS);
SIMD_DECLARE(uint32_t, setup_faces, FACES_ARGUMENTS);
SIMD_DECLARE(void, setup_triangles, TRIANGLES_ARGUMENTS);
/* setup.c: the width of lines, 1 to 1024 pixels */
double setup_line_width(const struct raster_state *s);
/* Aliased lines are bands, others parallelograms. */
LANES_INLINE enum prim_edges setup_line_edges(const struct raster_state *s) {
    return raster_multisamples(s) || s->setup.line_smooth ? EDGES_PARALLELOGRAM : EDGES_BAND;
}

/* Smooth points are circles, others squares. */
LANES_INLINE enum prim_smooth setup_point_smooth(const struct raster_state *s) {
    return s->setup.point_smooth && !s->setup.point_sprite && !raster_multisamples(s)
               ? SMOOTH_CIRCLE
               : SMOOTH_OFF;
}

/* setup_line_simd.c */
#define LINES_ARGUMENTS                                                                            \
    (const struct raster_state *s, const struct raster_vertices *v, const struct raster_lines *l,  \
     const uint32_t *kept, uint32_t n, const struct prim *common,                                  \
     struct prim *const prim[RASTER_SETUP_MOST])
SIMD_DECLARE(uint32_t, setup_cull_lines, CULL_LINES_ARGUMENTS);
SIMD_DECLARE(void, setup_lines, LINES_ARGUMENTS);
SIMD_DECLARE(void, setup_line_steps, LINE_STEPS_ARGUMENTS);

/* setup_point_simd.c */
#define POINTS_ARGUMENTS                                                                           \
    (const struct raster_state *s, const struct raster_vertices *v, const struct raster_points *p, \
     const uint32_t *kept, uint32_t n, const struct prim *common,                                  \
     struct prim *const prim[RASTER_SETUP_MOST])
SIMD_DECLARE(uint32_t, setup_cull_points, CULL_POINTS_ARGUMENTS);
SIMD_DECLARE(void, setup_points, POINTS_ARGUMENTS);

/* setup.c: compares a primitive with the tile at pixel (x, y). Returns 0 if the primitive does not
 * touch the tile, 1 if it may touch the tile, 2 if it covers the whole tile. */
int raster_prim_tile(const struct raster_targets *t, const struct raster_prim *p, int32_t x,
                     int32_t y);
