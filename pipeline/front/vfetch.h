/* Vertex fetch, the first step of the vertex stage: loads attributes of up to 32 vertices from
 * memory into a[] rows. The plan belongs to the draw and the arrays to the call, so calls with
 * other arrays share the draw. Every access is checked against the limit of its array.
 */
#pragma once

#include "base/lanes.h"
#include "base/simd.h"

enum {
    FETCH_ATTRIBUTES = 16,
    FETCH_ROWS = 4 * FETCH_ATTRIBUTES + 2 /* the attributes, the ids of vertex and instance */
};

/* How the bits of a component are converted, by the hardware's codes. */
enum fetch_type {
    FETCH_SNORM = 0x09,
    FETCH_UNORM = 0x12,
    FETCH_SINT = 0x1b,
    FETCH_UINT = 0x24,
    FETCH_USCALED = 0x2d,
    FETCH_SSCALED = 0x36,
    FETCH_FLOAT = 0x3f
};

/* The place of the components of a format in memory. */
struct fetch_format {
    uint8_t code; /* the hardware's code */
    uint8_t components;
    uint8_t bytes; /* of the whole vector */
    uint8_t bits[4];
    uint8_t first[4]; /* lowest bit of each component, from the first byte's lowest bit */
};

struct fetch_source {
    const uint8_t *data; /* of vertex 0; NULL: the attribute reads 0 */
    uint64_t limit;      /* bytes that may be read from data */
    uint32_t stride;
    uint32_t divisor; /* instances per step; 0: advances with each vertex */
};

struct fetch_attribute {
    const struct fetch_format *format; /* NULL: the attribute is constant */
    uint8_t type;                      /* enum fetch_type */
    bool bgra;
    uint8_t mask; /* bit per component that the program reads */
    uint8_t row;  /* a[] row of the attribute's first component */
    uint8_t source;
    uint32_t offset;
    uint32_t constant[4];
};

struct fetch_plan {
    uint8_t attribute_count, rows;
    int16_t vertex_id_row, instance_id_row; /* -1: not read */
    uint32_t id_base;                       /* added to vertex ids */
    /* ids of inline vertices, by vertex number; NULL: a vertex has the id number - id_origin +
     * id_base */
    const uint32_t *vertex_id;
    /* If an attribute gives the vertex ids, it is the last one here, and vertex_id_row is -1. */
    struct fetch_attribute attribute[FETCH_ATTRIBUTES + 1];
};

/* Inline vertices: all of their attributes in one array. */
struct fetch_inline {
    struct fetch_plan plan;
    struct fetch_source source;
};

/* The arrays that a range of lanes reads. The range goes from the end of the previous span to
 * `end`. */
struct fetch_span {
    uint32_t end;
    const struct fetch_source *source; /* indexed by fetch_attribute.source */
};

/* The format with this code; NULL if there is none. */
const struct fetch_format *fetch_format_find(uint8_t code);
bool fetch_type_known(uint8_t type);

struct fetch_vertices {
    const uint32_t *index;         /* [count] vertex numbers, with the base added */
    const uint32_t *instance;      /* [count] instance ids */
    uint32_t count;                /* 1..32 */
    uint32_t instance_base;        /* added to the element number in per-instance arrays */
    uint32_t id_origin;            /* the vertex number whose id is id_base */
    const struct fetch_span *span; /* the last span reaches `count` */
};

/* Writes plan->rows rows; lanes beyond count are 0. The same bits at every SIMD level. */
void fetch_vertices(enum simd_level simd, const struct fetch_plan *plan,
                    const struct fetch_vertices *v, u32x32 *rows);
SIMD_DECLARE(void, fetch_rows,
             (const struct fetch_plan *plan, const struct fetch_vertices *v, u32x32 *rows));
