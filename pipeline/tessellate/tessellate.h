/* The fixed-function tessellator of a Fermi: divides a domain by a patch's levels into points and
 * primitives. front/patches.c calls it between control and evaluation programs. In: mode and
 * levels. Out: points of the domain and indices. Must not know programs, patches, or where the
 * levels come from. Facts: fermi-3d.md §7; the points, the division of the space between rings and
 * all orders are those of Direct3D 11's reference, which llvmpipe has.
 *
 * A domain's points lie on rings: the outer edges, and rings inside of each other up to a centre.
 * Points of an outer edge depend on that edge's level alone and are mirrored exactly (t and 1 - t),
 * so two patches that share an edge and its level have the same points there, bit for bit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tess_domain { TESS_ISOLINES, TESS_TRIANGLES, TESS_QUADS }; /* as in TESS_MODE, bits 0:1 */
enum tess_spacing { TESS_EQUAL, TESS_ODD, TESS_EVEN };          /* as in TESS_MODE, bits 4:5 */
enum tess_primitives { TESS_POINTS, TESS_LINES, TESS_TRIANGLE_LIST };

struct tess_mode {
    enum tess_domain domain;
    enum tess_spacing spacing;
    /* The primitives that the indices make. Isolines may make lines, other domains triangles; any
     * other combination makes points. */
    enum tess_primitives primitives;
    bool clockwise; /* triangles, in the (u, v) plane with v up; else counter-clockwise */
};

/* The levels of a patch; any float is allowed. Triangles use outer[0..2] (the edges u = 0, v = 0, w
 * = 0) and inner[0]. Quads use all (u = 0, v = 0, u = 1, v = 1; inner: along u, along v). Isolines
 * use outer[0], the number of lines, and outer[1], the segments of each line. */
struct tess_levels {
    float outer[4], inner[2];
};

enum {
    TESS_MAX_LEVEL = 64,
    TESS_MAX_POINTS = 65 * 65,
    TESS_MAX_INDICES = 64 * 64 * 2 * 3,
};

struct tess_point {
    float u, v; /* 0 to 1, multiples of 2^-16; of triangles w = 1 - u - v is the third */
};

/* The result, in arrays that grow and are kept for the next patch. A zeroed struct is empty. The
 * owner must not change the contents, because the next patch of equal mode and levels uses them
 * unchanged. */
struct tess_output {
    struct tess_point *point;
    uint16_t *index; /* points: 0, 1, 2 ..; lines: 2 each; triangles: 3 each */
    size_t point_capacity, index_capacity;
    uint32_t points, indices;
    bool filled; /* the arrays hold the result of `mode` and `levels` */
    struct tess_mode mode;
    struct tess_levels levels;
};

/* Divides one patch and overwrites `out`. The result is empty if the patch is dropped: an outer
 * level that the domain uses is <= 0 or NaN, or the domain is unknown. An unknown spacing counts as
 * TESS_EQUAL. Every point belongs to a primitive. False when out of memory, with an empty
 * result. */
bool tessellate(struct tess_mode mode, const struct tess_levels *levels, struct tess_output *out);
void tess_output_free(struct tess_output *out);
