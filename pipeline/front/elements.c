/* The first stage of the front end: from the elements of a chunk to vertices and primitives.
 * Primitive assembly splits a sequence of elements into points, lines and triangles: their element
 * numbers, order, provoking vertex and real edges are those of OpenGL (GL 3.2 compatibility
 * profile, tables 2.12 and 2.15: "provoking vertex", "triangle strip adjacency order"). Then
 * indices are fetched, and elements with equal indices get one vertex (the chunk's post-transform
 * cache). In: pieces of calls. Out: each vertex of a piece once (index and instance), and each
 * primitive as numbers of vertices. If all primitives of a type follow one pattern, whole ranges of
 * elements are taken at once. If a piece has several whole instances, all but the first are copied
 * from the first. Of programs, this file knows only which constants a vertex program reads.
 */
#include "pipeline/front/number.h"

/* ---- primitive assembly ---- */

enum { ALL_EDGES = 7 };

/* A pattern lists the elements of one primitive as distances from the first element of its source
 * primitive. An element with FIXED counts from the start of the sequence instead. */
enum { FIXED = 0x80 };

struct pattern {
    uint8_t element[ASSEMBLE_VERTICES];
    uint8_t provoking; /* index into element[] */
    uint8_t edges;
    uint8_t start; /* the first edge of a walk around the source primitive */
};

/* Source primitive k of a type begins at element k * step and needs `need` elements; `split`
 * primitives are made of it. Strips alternate between two patterns; quads have a pattern for each
 * half. */
struct topology {
    uint8_t class, vertices, step, need, split;
    bool alternate;
    struct pattern pattern[2][2]; /* [half, or odd][provoking last] */
};

/* Two patterns, one for each provoking convention, with the same order of vertices. */
#define SAME(first, last, edges, ...)                                                              \
    {{{__VA_ARGS__}, first, edges, 0}, {{__VA_ARGS__}, last, edges, 0}}

/* The elements of triangles without neighbours are rotated so that the provoking vertex comes first
 * or last, because stream buffers show the order. Quads are divided so that both halves have the
 * provoking vertex. */
/* clang-format off: a table */
#define EIGHT(n) n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7
#define PATCH(n)                                                                                   \
    [PRIMITIVE_PATCHES + n - 1] = {                                                                \
        CLASS_POINT, n, n, n, 1, false, {SAME(0, 0, 0, EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24))}}
#define EIGHT_PATCHES(n)                                                                           \
    PATCH(n), PATCH(n + 1), PATCH(n + 2), PATCH(n + 3), PATCH(n + 4), PATCH(n + 5), PATCH(n + 6),  \
        PATCH(n + 7)
static const struct topology topologies[ASSEMBLE_TYPES] = {
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
    EIGHT_PATCHES(1),
    EIGHT_PATCHES(9),
    EIGHT_PATCHES(17),
    EIGHT_PATCHES(25),
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
    return type > POLYGON && type < PRIMITIVE_PATCHES;
}

uint32_t assemble_count(uint32_t type, uint32_t n) {
    const struct topology *t = &topologies[type];
    if (n < t->need)
        return 0;
    const uint32_t count = ((n - t->need) / t->step + 1) * t->split;
    return type == LINE_LOOP ? count + 1 : count;
}

/* Returns how many elements the first n primitives of a range of `count` elements use. */
static uint32_t elements_used(uint32_t type, uint32_t count, uint32_t n) {
    const struct topology *t = &topologies[type];
    const uint32_t used = n ? (n - 1) / t->split * t->step + t->need : 0;
    return used < count ? used : count; /* a loop's last line ends at its first element */
}

/* Sets the outer neighbours of a triangle in a strip with adjacency: 1/2, 2/3, 3/1 of GL's
 * table. */
static void strip_neighbours(uint32_t n, uint32_t index, struct assembled *out) {
    const uint32_t base = 2 * index;
    const uint32_t before = index ? base - 2 : 1;
    const uint32_t after = index + 1 == assemble_count(STRIP_ADJACENCY, n) ? base + 5 : base + 6;
    const uint32_t inner = base + 3;
    out->element[1] = before;
    out->element[3] = index & 1 ? inner : after;
    out->element[5] = index & 1 ? after : inner;
}

/* True if the line stipple begins anew with primitive `index`. The stipple continues over connected
 * lines, and over the parts of a polygon or quad. */
static bool begins_stipple(uint32_t type, uint32_t index) {
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
    out->begins = begins_stipple(type, index);
    if (type == LINE_LOOP && out->element[1] == n)
        out->element[1] = 0;
    if (type == POLYGON) { /* the first and the last edge are outer edges, too */
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

/* ---- elements to vertices ---- */

_Static_assert((int)CHUNK_VERTICES < (int)CACHE_ENTRIES, "the cache never fills up");

/* The hash table of the chunk's vertices, as small as their number allows. The numbers of entries
 * are not reset between chunks: an entry with a number up to `old` belongs to an earlier chunk or
 * instance and counts as empty, so the table need not be cleared. */
struct cache {
    uint32_t *entry; /* base + vertex number + 1 */
    unsigned bits;
    uint32_t mask;
    uint32_t base; /* number of the chunk's first entry, minus 1 */
    uint32_t old;  /* entries up to this number are empty */
};

static struct cache cache_for(struct front *f, uint32_t vertices) {
    unsigned bits = 5;
    while (bits < CACHE_BITS && 1u << bits < 2 * vertices)
        bits++;
    if (f->cache_base > UINT32_MAX - CACHE_ENTRIES) {
        memset(f->cache, 0, CACHE_ENTRIES * sizeof *f->cache);
        f->cache_base = 0;
    }
    return (struct cache){f->cache, bits, (1u << bits) - 1, f->cache_base, f->cache_base};
}

/* The vertices that the chunk has so far. */
struct vertices {
    uint32_t *index;
    uint32_t count;
};

/* Returns the number of the vertex with this index in the current instance; adds the vertex if it
 * is new. Neighbouring indices stay neighbours in the table: only their higher bits are
 * scattered. */
static inline uint32_t vertex_number(struct vertices *v, const struct cache *c, uint32_t index) {
    uint32_t h = (index + (index >> c->bits) * 2654435761u) & c->mask;
    for (uint32_t entry; (entry = c->entry[h]) > c->old; h = (h + 1) & c->mask)
        if (v->index[entry - c->base - 1] == index)
            return entry - c->base - 1;
    v->index[v->count] = index;
    c->entry[h] = c->base + ++v->count;
    return v->count - 1;
}

static void number_scattered(struct vertices *v, const struct cache *cache, const uint32_t *index,
                             uint32_t n, uint32_t *number) {
    const struct cache own = *cache; /* a copy in registers, which the stores below cannot alias */
    struct vertices to = *v;
    for (uint32_t i = 0; i < n; i++)
        number[i] = vertex_number(&to, &own, index[i]);
    v->count = to.count;
}

/* Numbers n listed elements if each of them is a vertex of its own. */
static void number_all(struct front *f, uint32_t n, uint32_t *number) {
    for (uint32_t i = 0; i < n; i++)
        number[i] = f->vertex_count + i;
    f->vertex_count += n;
}

SIMD_CHOICE(index_range, index_range);
SIMD_CHOICE(number_dense, number_dense);

/* Numbers the vertices of n indices in the instance; each vertex is added once. */
static void number_vertices(struct front *f, enum simd_level simd, const struct cache *cache,
                            const uint32_t *index, uint32_t n, uint32_t *number) {
    struct vertices v = {f->index, f->vertex_count};
    uint32_t low, high;
    if (!n)
        return;
    index_range[simd](index, n, &low, &high);
    if (high - low < 2 * n)
        v.count = number_dense[simd](index, n, low, high - low + 1, v.index, v.count, number);
    else
        number_scattered(&v, cache, index, n, number);
    f->vertex_count = v.count;
}

/* ---- indices ---- */

static uint32_t fetch_index(const struct draw_call *c, uint32_t element) {
    if (!c->index_size)
        return element;
    if (element >= c->index_limit)
        return 0;
    return load_index(c->index + (uint64_t)element * c->index_size, c->index_size);
}

static inline void load_indices(const struct draw_call *c, uint64_t from, uint32_t n, unsigned size,
                                uint32_t *out) {
    for (uint32_t i = 0; i < n; i++) /* n is 0 when out of memory */
        out[i] = load_index(c->index + (from + i) * size, size) + c->base;
}

/* Fetches the vertex indices of n elements from `from` on. */
static void fetch_indices(const struct draw_call *c, uint32_t from, uint32_t n, uint32_t *out) {
    const uint64_t left = from < c->index_limit ? c->index_limit - from : 0;
    const uint32_t inside = n < left ? n : (uint32_t)left;
    switch (c->index_size) {
    case 0:
        for (uint32_t i = 0; i < n; i++)
            out[i] = from + i + c->base;
        return;
    case 1:
        load_indices(c, from, inside, 1, out);
        break;
    case 2:
        load_indices(c, from, inside, 2, out);
        break;
    default:
        load_indices(c, from, inside, 4, out);
    }
    for (uint32_t i = inside; i < n; i++)
        out[i] = c->base;
}

/* ---- primitives ---- */

/* Returns the edges of the primitive that are drawn, a bit each: those of the source primitive
 * whose first vertex is flagged. Only separate triangles, quads and polygons have flags. */
static uint8_t edge_flags(const struct draw_call *c, uint32_t first, const struct assembled *a) {
    uint8_t flags = 0;
    for (unsigned k = 0; k < 3 && c->edge_flag; k++)
        flags |= (uint8_t)(c->edge_flag[first + a->element[k]] << k);
    return a->edges & flags;
}

/* Primitives [primitive, primitive + n) of an element range. They become the chunk's primitives
 * from `at` on. */
struct element_stretch {
    const struct element_range *range;
    uint32_t at, primitive, n, instance;
};

static void set_facts(struct front *f, const struct draw_call *c, const struct element_range *r,
                      uint32_t i, const struct assembled *a) {
    const uint8_t edges = c->flagged ? edge_flags(c, r->first, a) : a->edges;
    f->prim_id[i] = r->first_id + a->id;
    f->prim_provoking[i] = a->provoking;
    f->prim_info[i] = (struct prim_info){edges, a->start, a->begins};
}

/* Lists the vertex indices of primitives whose type does not repeat, one primitive after the other.
 * Returns the number of indices. */
static uint32_t list_each(struct front *f, const struct draw_call *c,
                          const struct element_stretch *s, uint32_t *index) {
    const unsigned vertices = assemble_vertices(c->type);
    for (uint32_t i = 0; i < s->n; i++) {
        struct assembled a;
        assemble_primitive(c->type, c->draw->vertex->provoking_last, s->range->count,
                           s->primitive + i, &a);
        for (unsigned k = 0; k < vertices; k++)
            *index++ = fetch_index(c, s->range->first + a.element[k]) + c->base;
        set_facts(f, c, s->range, s->at + i, &a);
    }
    return s->n * vertices;
}

/* Primitive i of a type that repeats; of its elements, only the first three are valid. */
static struct assembled repeat_pattern(const struct assemble_pattern *p, uint32_t i) {
    struct assembled a = p->primitive[i % p->period];
    for (unsigned k = 0; k < 3; k++)
        a.element[k] += i / p->period * p->step;
    a.id = i / p->split;
    return a;
}

/* Fills an array of n values by repeating its first two values. */
static void repeat_two(void *at, size_t size, size_t n) {
    for (size_t have = 2; have < n; have *= 2)
        memcpy((char *)at + have * size, at, (n - have < have ? n - have : have) * size);
}

static void repeat_facts(struct front *f, const struct draw_call *c,
                         const struct assemble_pattern *p, const struct element_stretch *s) {
    const unsigned period = p->period - 1, split = p->split - 1;
    const uint32_t from = s->primitive, id = s->range->first_id;
    for (uint32_t i = 0; i < s->n; i++)
        f->prim_id[s->at + i] = id + ((from + i) >> split);
    for (uint32_t i = 0; i < 2 && i < s->n; i++) {
        const struct assembled *a = &p->primitive[(from + i) & period];
        f->prim_info[s->at + i] = (struct prim_info){a->edges, a->start, a->begins};
        f->prim_provoking[s->at + i] = a->provoking;
    }
    repeat_two(f->prim_info + s->at, sizeof *f->prim_info, s->n);
    repeat_two(f->prim_provoking + s->at, sizeof *f->prim_provoking, s->n);
    for (uint32_t i = 0; c->flagged && i < s->n; i++) {
        const struct assembled a = repeat_pattern(p, from + i);
        f->prim_info[s->at + i].edges = edge_flags(c, s->range->first, &a);
    }
}

/* ---- ranges of elements ---- */

/* Data that all pieces of a chunk use. */
struct assembly {
    struct cache cache;
    struct assemble_pattern pattern; /* valid if `repeats`: the primitives of the type repeat */
    bool repeats;
    bool straight; /* primitives are made of the listed elements in order */
};

/* Returns the position in s->range of the first element that the primitives of s use. Only for
 * types whose primitives repeat. */
static uint32_t first_element(const struct assemble_pattern *p, const struct element_stretch *s) {
    return (s->primitive >> (p->period - 1)) * p->step;
}

/* Lists the vertex indices of the elements of s, all at once where primitives repeat. Returns the
 * number of indices. */
static uint32_t list_stretch(struct front *f, const struct draw_call *c,
                             const struct assembly *shared, const struct element_stretch *s,
                             uint32_t *index) {
    const struct assemble_pattern *p = &shared->pattern;
    if (!shared->repeats)
        return list_each(f, c, s, index);
    if (!s->n)
        return 0;
    const uint32_t first = first_element(p, s);
    const uint32_t n = assemble_end(p, s->primitive + s->n - 1) - first;
    fetch_indices(c, s->range->first + first, n, index);
    repeat_facts(f, c, p, s);
    return n;
}

/* Sets the vertices of the primitives of s. number: the vertex number of each listed element.
 * Returns a pointer behind the numbers of s. Only for types that repeat and are not straight; all
 * of them make triangles: strips, quads, strips of quads. */
static const uint32_t *spread_stretch(struct front *f, const struct assemble_pattern *p,
                                      const struct element_stretch *s, const uint32_t *number) {
    enum { VERTICES = 3 };
    uint32_t *out = f->prim_vertex + (size_t)s->at * VERTICES;
    if (!s->n)
        return number;
    const uint32_t first = first_element(p, s);
    const unsigned shift = p->period - 1; /* the period is 1 or 2: n / period, n % period */
    for (uint32_t n = s->primitive; n < s->primitive + s->n; n++) {
        const uint32_t *element = p->primitive[n & shift].element;
        const uint32_t *from = number + (n >> shift) * p->step - first;
        for (unsigned k = 0; k < VERTICES; k++)
            *out++ = from[element[k]];
    }
    return number + (assemble_end(p, s->primitive + s->n - 1) - first);
}

/* ---- instances ---- */

static uint32_t find_range(const struct draw_call *c, uint32_t primitive) {
    const struct element_range *range = call_ranges(c);
    uint32_t low = 0, high = c->range_count - 1;
    while (low < high) {
        const uint32_t mid = low + (high - low + 1) / 2;
        if (range[mid].first_primitive <= primitive)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

/* Primitives [primitive, end) of one instance, range by range. */
struct range_walk {
    const struct draw_call *call;
    uint32_t range, at, primitive, end, instance;
};

static bool next_stretch(struct range_walk *all, struct element_stretch *s) {
    const struct draw_call *c = all->call;
    if (all->primitive >= all->end)
        return false;
    const struct element_range *r = call_ranges(c) + all->range++;
    const uint32_t next = all->range < c->range_count ? r[1].first_primitive : all->end;
    const uint32_t n = (next < all->end ? next : all->end) - all->primitive;
    *s =
        (struct element_stretch){r, all->at, all->primitive - r->first_primitive, n, all->instance};
    all->at += n;
    all->primitive += n;
    return true;
}

/* Adds the primitives of the walk as the chunk's primitives from all.at on. Element ranges of the
 * walk share vertices. */
static void assemble_instance(struct front *f, const struct assembly *shared,
                              struct range_walk all) {
    const struct draw_call *c = all.call;
    const bool shares = c->index_size || !shared->repeats; /* elements may name a vertex twice */
    uint32_t listed[CHUNK_VERTICES], spread[CHUNK_VERTICES], n = 0;
    uint32_t *index = shares ? listed : f->index + f->vertex_count, *number = spread;
    struct range_walk again = all;
    struct element_stretch s;
    if (shared->straight)
        number = f->prim_vertex + (size_t)all.at * assemble_vertices(c->type);
    while (next_stretch(&all, &s)) {
        n += list_stretch(f, c, shared, &s, index + n);
        f->counters.elements += elements_used(c->type, s.range->count, s.primitive + s.n) -
                                elements_used(c->type, s.range->count, s.primitive);
    }
    const uint32_t before = f->vertex_count;
    if (shares)
        number_vertices(f, c->draw->simd, &shared->cache, index, n, number);
    else
        number_all(f, n, number);
    for (uint32_t i = before; i < f->vertex_count; i++)
        f->instance[i] = all.instance;
    const uint32_t *from = spread;
    while (!shared->straight && next_stretch(&again, &s))
        from = spread_stretch(f, &shared->pattern, &s, from);
}

/* Copies a whole instance. The original has the chunk's primitives from from_primitive on and its
 * vertices from from_vertex on; the copy's primitives begin at `at`. */
static void copy_instance(struct front *f, const struct draw_call *c, uint32_t from_primitive,
                          uint32_t from_vertex, uint32_t vertices, uint32_t at, uint32_t instance) {
    const unsigned width = assemble_vertices(c->type);
    const uint32_t n = c->primitives, shift = f->vertex_count - from_vertex;
    const uint32_t *from = f->prim_vertex + (size_t)from_primitive * width;
    uint32_t *to = f->prim_vertex + (size_t)at * width;
    for (uint32_t i = 0; i < n * width; i++)
        to[i] = from[i] + shift;
    memcpy(f->prim_id + at, f->prim_id + from_primitive, n * sizeof *f->prim_id);
    memcpy(f->prim_provoking + at, f->prim_provoking + from_primitive, n);
    memcpy(f->prim_info + at, f->prim_info + from_primitive, n * sizeof *f->prim_info);
    memcpy(f->index + f->vertex_count, f->index + from_vertex, vertices * sizeof *f->index);
    for (uint32_t i = 0; i < vertices; i++)
        f->instance[f->vertex_count + i] = instance;
    f->vertex_count += vertices;
}

/* Adds the primitives of the piece as the chunk's primitives from `at` on. */
static void assemble_piece(struct front *f, const struct piece *piece, struct assembly *shared,
                           uint32_t at) {
    const struct draw_call *c = piece->call;
    const uint32_t end = at + piece->count;
    /* most pieces begin in the first instance, which needs no division */
    const bool begins = piece->first < c->primitives;
    uint32_t instance = c->instance + (begins ? 0 : (uint32_t)(piece->first / c->primitives));
    uint32_t primitive = (uint32_t)(begins ? piece->first : piece->first % c->primitives);
    /* The first whole instance, which is copied for later ones: its first primitive, first vertex
     * and number of vertices. */
    uint32_t whole_at = 0, whole_vertex = 0, whole_vertices = 0;
    uint64_t whole_elements = 0;
    for (; at < end; instance++, primitive = 0) {
        const uint32_t left = end - at, rest = c->primitives - primitive;
        const uint32_t n = rest < left ? rest : left, vertex = f->vertex_count;
        const uint64_t elements = f->counters.elements;
        if (whole_vertices && n == c->primitives) {
            copy_instance(f, c, whole_at, whole_vertex, whole_vertices, at, instance);
            f->counters.elements += whole_elements;
        } else {
            shared->cache.old = shared->cache.base + f->vertex_count;
            assemble_instance(f, shared,
                              (struct range_walk){c, find_range(c, primitive), at, primitive,
                                                  primitive + n, instance});
        }
        if (n == c->primitives && !whole_vertices) {
            whole_at = at;
            whole_vertex = vertex;
            whole_vertices = f->vertex_count - vertex;
            whole_elements = f->counters.elements - elements;
        }
        at += n;
    }
}

/* True if the vertex program sees the same constants in both environments. Captured constants are
 * compared by address, because equal constants share one copy. */
static bool same_constants(const struct warp_env *a, const struct warp_env *b) {
    bool same = true;
    for (uint32_t rest = a == b ? 0 : a->program->facts.const_slots; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        same &= a->c[i].data == b->c[i].data && a->c[i].size == b->c[i].size;
    }
    return same;
}

/* Makes a span of the vertices since the end of the last span, or adds these vertices to the last
 * span if constants and arrays are the same. */
static void add_span(struct front *f, const struct draw_call *c) {
    struct vertex_span *last = f->span_count ? &f->span[f->span_count - 1] : NULL;
    const struct call_env *before = last ? &last->call->env : &c->env;
    const bool same = same_constants(before->program[PROGRAM_VP], c->env.program[PROGRAM_VP]);
    if (last && same && before->source == c->env.source)
        last->end = f->vertex_count;
    else
        f->span[f->span_count++] = (struct vertex_span){f->vertex_count, !same, c};
}

void front_assemble(struct front *f, const struct chunk *chunk) {
    const uint32_t type = chunk->call->type;
    struct assembly shared = {.cache = cache_for(f, chunk->count * assemble_vertices(type))};
    shared.repeats =
        assemble_repeats(type, chunk->call->draw->vertex->provoking_last, &shared.pattern);
    /* True where the listed elements already stand in the order of the primitives: list_each()
     * lists each primitive's own elements, and with a period of 1 each primitive takes the next
     * elements. */
    shared.straight = !shared.repeats || shared.pattern.period == 1;
    f->vertex_count = f->span_count = 0;
    f->prim_count = 0;
    for (uint32_t i = 0; i < chunk->piece_count; i++) {
        assemble_piece(f, &chunk->piece[i], &shared, f->prim_count);
        f->prim_count += chunk->piece[i].count;
        add_span(f, chunk->piece[i].call);
    }
    f->cache_base += f->vertex_count;
}
