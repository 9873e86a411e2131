/* Primitive assembly: the elements of each primitive in a sequence of elements, for all 14 types of
 * primitives and for patches. Patches of n vertices are a type of their own, for n from 1 to 32.
 * elements.c has the functions; draws and the geometry stage use them, too. Must not know indices,
 * vertices or state.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    PRIMITIVE_PATCHES = 14,
    PRIMITIVE_TYPES,     /* types 0 to 14, as draws name them */
    PATCH_VERTICES = 32, /* at most */
    ASSEMBLE_TYPES =
        /* type PRIMITIVE_PATCHES + n - 1: patches of n vertices */
    PRIMITIVE_PATCHES + PATCH_VERTICES,
    ASSEMBLE_VERTICES = PATCH_VERTICES
};
enum primitive_class { CLASS_POINT, CLASS_LINE, CLASS_TRIANGLE };

/* A primitive: a point, line, triangle or patch; with its neighbours if the type has adjacency. */
struct assembled {
    uint32_t element[ASSEMBLE_VERTICES]; /* with adjacency, the corners of a triangle are 0, 2, 4 */
    uint32_t id; /* number of the source primitive in the sequence (a quad's two halves share it) */
    uint8_t provoking; /* index into element[] */
    uint8_t edges;     /* triangle: bit i: the edge after corner i is an edge of the source */
    uint8_t start;     /* triangle: the first edge of a walk around the source */
    bool begins;       /* line stipple begins anew; else it continues from the previous primitive */
};

enum primitive_class assemble_class(uint32_t type);
/* The number of entries of element[] in use: 1, 2, 3, 4 (lines with adjacency), 6 (triangles with
 * adjacency), or the vertices of a patch. */
unsigned assemble_vertices(uint32_t type);
bool assemble_adjacency(uint32_t type);
/* The pattern of a type whose primitives repeat: primitive i is primitive[i % period], with `step`
 * added to its elements for each whole period before i. The id of primitive i is i / split. */
struct assemble_pattern {
    uint32_t period /* 1 or 2 */, step, split;
    struct assembled primitive[2];
    uint32_t reach[2]; /* of each of `primitive`: its last element, plus 1 */
};
/* Returns the last element that primitives 0 to i use, plus 1. */
static inline uint32_t assemble_end(const struct assemble_pattern *p, uint32_t i) {
    const uint32_t odd = p->period - 1,
                   j = i ? i - 1 : 0; /* a shift and a mask instead of a division */
    const uint32_t own = p->reach[i & odd] + (i >> odd) * p->step;
    const uint32_t other = p->reach[j & odd] + (j >> odd) * p->step;
    return own > other ? own : other;
}
/* Sets the pattern of a type; false for types whose primitives do not repeat. */
bool assemble_repeats(uint32_t type, bool provoking_last, struct assemble_pattern *out);
/* The number of primitives of n elements; quads and polygons count as their triangles. */
uint32_t assemble_count(uint32_t type, uint32_t n);
/* The number of the source primitive to which primitive `index` belongs. */
uint32_t assemble_source(uint32_t type, uint32_t index);
/* Makes primitive `index` of a sequence of n elements, index < assemble_count(type, n). */
void assemble_primitive(uint32_t type, bool provoking_last, uint32_t n, uint32_t index,
                        struct assembled *out);
