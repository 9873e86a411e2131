/* Primitive assembly: the element numbers of the points, lines and triangles that a sequence makes,
 * their order, provoking vertex and real edges, as OpenGL defines them (GL 3.2 compatibility
 * profile, tables 2.12 and 2.15: "provoking vertex", "triangle strip adjacency order"). Must not
 * know the origin of elements.
 */
#include "pipeline/front/primitive_assembly.h"

enum { ALL_EDGES = 7 };

/* A pattern lists the elements of one primitive relative to its first; FIXED ones count from the
 * start of the sequence instead. */
enum { FIXED = 0x80 };

struct pattern {
    uint8_t element[ASSEMBLE_VERTICES];
    uint8_t provoking; /* index into element[] */
    uint8_t edges;
    uint8_t start; /* the first edge of a walk around the source primitive */
};

/* Source primitive k of a type begins at element k * step and needs `need` elements in all; it
 * makes `split` primitives. Strips alternate between two patterns; quads have a pattern for each
 * half. */
struct topology {
    uint8_t class, vertices, step, need, split;
    bool alternate;
    struct pattern pattern[2][2]; /* [half, or odd][provoking last] */
};

/* Patterns whose vertices have the same order by both conventions. */
#define SAME(first, last, edges, ...)                                                              \
    {{{__VA_ARGS__}, first, edges, 0}, {{__VA_ARGS__}, last, edges, 0}}

/* Triangles without neighbours are turned so that the provoking vertex comes first or last, because
 * stream buffers show the order. Quads are cut so that both halves have the provoking vertex. */
/* clang-format off: a table */
static const struct topology topologies[PRIMITIVE_TYPES] = {
    [0] = {CLASS_POINT, 1, 1, 1, 1, false, {SAME(0, 0, 0, 0)}},
    [1] = {CLASS_LINE, 2, 2, 2, 1, false, {SAME(0, 1, 0, 0, 1)}},
    [2] = {CLASS_LINE, 2, 1, 2, 1, false, {SAME(0, 1, 0, 0, 1)}},
    [3] = {CLASS_LINE, 2, 1, 2, 1, false, {SAME(0, 1, 0, 0, 1)}},
    [4] = {CLASS_TRIANGLE, 3, 3, 3, 1, false, {SAME(0, 2, ALL_EDGES, 0, 1, 2)}},
    [5] = {CLASS_TRIANGLE,
           3,
           1,
           3,
           1,
           true,
           {SAME(0, 2, ALL_EDGES, 0, 1, 2),
            {{{0, 2, 1}, 0, ALL_EDGES, 2}, {{1, 0, 2}, 2, ALL_EDGES, 0}}}},
    [6] = {CLASS_TRIANGLE,
           3,
           1,
           3,
           1,
           false,
           {{{{1, 2, FIXED}, 0, ALL_EDGES, 2}, {{FIXED, 1, 2}, 2, ALL_EDGES, 0}}}},
    [7] = {CLASS_TRIANGLE,
           3,
           4,
           4,
           2,
           false,
           {{{{0, 1, 2}, 0, 3, 0}, {{0, 1, 3}, 2, 5, 2}},
            {{{0, 2, 3}, 0, 6, 0}, {{1, 2, 3}, 2, 3, 0}}}},
    [8] = {CLASS_TRIANGLE,
           3,
           2,
           4,
           2,
           false,
           {SAME(0, 2, 3, 0, 1, 3), {{{0, 3, 2}, 0, 6, 0}, {{2, 0, 3}, 2, 5, 2}}}},
    [9] =
        {CLASS_TRIANGLE, 3, 1, 3, 1, false, {{{{FIXED, 1, 2}, 0, 2, 0}, {{1, 2, FIXED}, 2, 1, 2}}}},
    [10] = {CLASS_LINE, 4, 4, 4, 1, false, {SAME(1, 2, 0, 0, 1, 2, 3)}},
    [11] = {CLASS_LINE, 4, 1, 4, 1, false, {SAME(1, 2, 0, 0, 1, 2, 3)}},
    [12] = {CLASS_TRIANGLE, 6, 6, 6, 1, false, {SAME(0, 4, ALL_EDGES, 0, 1, 2, 3, 4, 5)}},
    [13] = {CLASS_TRIANGLE,
            6,
            2,
            6,
            1,
            true,
            {SAME(0, 4, ALL_EDGES, 0, 0, 2, 0, 4, 0), SAME(2, 4, ALL_EDGES, 2, 0, 0, 0, 4, 0)}},
};
/* clang-format on */

enum { LINE_LOOP = 2, FAN = 6, POLYGON = 9, STRIP_ADJACENCY = 13 };

enum primitive_class assemble_class(uint32_t type) {
    return topologies[type].class;
}

unsigned assemble_vertices(uint32_t type) {
    return topologies[type].vertices;
}

bool assemble_adjacency(uint32_t type) {
    return type > POLYGON;
}

uint32_t assemble_count(uint32_t type, uint32_t n) {
    const struct topology *t = &topologies[type];
    if (n < t->need)
        return 0;
    const uint32_t count = ((n - t->need) / t->step + 1) * t->split;
    return type == LINE_LOOP ? count + 1 : count;
}

/* The outer neighbours of a triangle in a strip with adjacency: 1/2, 2/3, 3/1 of GL's table. */
static void strip_neighbours(uint32_t n, uint32_t index, struct assembled *out) {
    const uint32_t base = 2 * index;
    const uint32_t before = index ? base - 2 : 1;
    const uint32_t after = index + 1 == assemble_count(STRIP_ADJACENCY, n) ? base + 5 : base + 6;
    const uint32_t inner = base + 3;
    out->element[1] = before;
    out->element[3] = index & 1 ? inner : after;
    out->element[5] = index & 1 ? after : inner;
}

/* True if the stipple starts anew: connected lines and the parts of a polygon or quad continue
 * it. */
static bool begins_primitive(uint32_t type, uint32_t index) {
    const struct topology *t = &topologies[type];
    const bool connected = t->class == CLASS_LINE ? t->step < t->need : type == POLYGON;
    return connected ? index == 0 : index % t->split == 0;
}

uint32_t assemble_source(uint32_t type, uint32_t index) {
    return index / topologies[type].split;
}

void assemble_primitive(uint32_t type, bool provoking_last, uint32_t n, uint32_t index,
                        struct assembled *out) {
    const struct topology *t = &topologies[type];
    const uint32_t source = assemble_source(type, index);
    const uint32_t variant = t->alternate ? index & 1 : index % t->split;
    const struct pattern *p = &t->pattern[variant][provoking_last];
    const uint32_t base = source * t->step;
    for (unsigned i = 0; i < t->vertices; i++)
        out->element[i] = p->element[i] & FIXED ? p->element[i] & ~FIXED : base + p->element[i];
    out->id = source;
    out->provoking = p->provoking;
    out->edges = p->edges;
    out->start = p->start;
    out->begins = begins_primitive(type, index);
    if (type == LINE_LOOP && out->element[1] == n)
        out->element[1] = 0;
    if (type == POLYGON) { /* outer edges: from the first vertex, between the others, back to it */
        out->edges |= (uint8_t)(index == 0 ? 1u << p->start : 0);
        out->edges |= (uint8_t)(index + 3 == n ? 1u << (p->start + 2) % 3 : 0);
    }
    if (type == STRIP_ADJACENCY)
        strip_neighbours(n, index, out);
}

bool assemble_repeats(uint32_t type, bool provoking_last, struct assemble_pattern *out) {
    const struct topology *t = &topologies[type];
    const bool connected_lines = t->class == CLASS_LINE && t->step < t->need;
    if (connected_lines || type == FAN || type == POLYGON || type == STRIP_ADJACENCY)
        return false;
    out->period = t->alternate ? 2 : t->split;
    out->step = t->alternate ? 2u * t->step : t->step;
    out->split = t->split;
    for (uint32_t i = 0; i < out->period; i++) {
        const uint32_t *element = out->primitive[i].element;
        assemble_primitive(type, provoking_last, 0, i, &out->primitive[i]);
        out->reach[i] = 0;
        for (uint32_t k = 0; k < t->vertices; k++)
            out->reach[i] = element[k] >= out->reach[i] ? element[k] + 1 : out->reach[i];
    }
    return true;
}
