/* A chunk's primitives from elements to vertices: primitive assembly, index fetch and the chunk's
 * post-transform cache. In: pieces of calls. Out: every vertex a piece needs once (index and
 * instance), and each primitive as numbers of those. Where primitives repeat, whole stretches of
 * elements are taken at once; a second instance in a piece is a copy of the first. Must not know
 * programs.
 */
#include "pipeline/front/front.h"

#include <string.h>

_Static_assert((int)CHUNK_VERTICES < (int)CACHE_ENTRIES, "the cache never fills up");

/* ---- vertices ---- */

/* The chunk's table of vertices: as small as its vertices allow. Entries count on from chunk to
 * chunk, so that what earlier chunks and instances left is told by its number, and nothing is
 * cleared. */
struct cache {
    uint32_t *entry; /* base + vertex number + 1 */
    unsigned bits;
    uint32_t mask;
    uint32_t base; /* of the chunk */
    uint32_t old;  /* entries up to this one are free */
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

/* The chunk's vertices so far. */
struct vertices {
    uint32_t *index, *instance;
    uint32_t count;
    uint32_t current; /* instance */
};

/* Number of the vertex with this index in the current instance; adds it when it is new. Neighbours
 * stay neighbours in the table; only the higher bits are scattered. */
static inline uint32_t vertex_number(struct vertices *v, const struct cache *c, uint32_t index) {
    uint32_t h = (index + (index >> c->bits) * 2654435761u) & c->mask;
    for (uint32_t entry; (entry = c->entry[h]) > c->old; h = (h + 1) & c->mask)
        if (v->index[entry - c->base - 1] == index)
            return entry - c->base - 1;
    v->index[v->count] = index;
    v->instance[v->count] = v->current;
    c->entry[h] = c->base + ++v->count;
    return v->count - 1;
}

/* ---- indices ---- */

static uint32_t fetch_index(const struct call *c, uint32_t element) {
    if (!c->index_size)
        return element;
    if (element >= c->index_limit)
        return 0;
    return load_index(c->index + (uint64_t)element * c->index_size, c->index_size);
}

static inline void load_indices(const struct call *c, uint64_t from, uint32_t n, unsigned size,
                                uint32_t *out) {
    const uint8_t *p = c->index + from * size;
    for (uint32_t i = 0; i < n; i++)
        out[i] = load_index(p + (uint64_t)i * size, size) + c->base;
}

/* Vertex indices of n elements from `from` on. */
static void fetch_indices(const struct call *c, uint32_t from, uint32_t n, uint32_t *out) {
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

/* Numbers of the vertices of n elements from `from` on. */
static void number_elements(struct front *f, const struct call *c, const struct cache *cache,
                            uint32_t from, uint32_t n, uint32_t instance, uint32_t *number) {
    if (!c->index_size) { /* all of them new: a stretch has each once */
        fetch_indices(c, from, n, f->index + f->vertex_count);
        for (uint32_t i = 0; i < n; i++) {
            f->instance[f->vertex_count + i] = instance;
            number[i] = f->vertex_count + i;
        }
        f->vertex_count += n;
        return;
    }
    uint32_t index[CHUNK_VERTICES];
    fetch_indices(c, from, n, index);
    const struct cache own = *cache; /* in registers: nothing that is written here may be in it */
    struct vertices v = {f->index, f->instance, f->vertex_count, instance};
    for (uint32_t i = 0; i < n; i++)
        number[i] = vertex_number(&v, &own, index[i]);
    f->vertex_count = v.count;
}

/* ---- primitives ---- */

/* An edge is drawn if the vertex it begins at is flagged: separate triangles, quads, polygons. */
static uint8_t edge_flags(const struct call *c, uint32_t first, const struct assembled *a) {
    uint8_t flags = 0;
    for (unsigned k = 0; k < 3 && c->edge_flag; k++)
        flags |= (uint8_t)(c->edge_flag[first + a->element[k]] << k);
    return a->edges & flags;
}

/* Primitives `primitive` to primitive + n of a run, which become the chunk's from `at` on. */
struct stretch {
    const struct run *run;
    uint32_t at, primitive, n, instance;
};

static void set_facts(struct front *f, const struct call *c, const struct run *r, uint32_t i,
                      const struct assembled *a) {
    const uint8_t edges = c->flagged ? edge_flags(c, r->first, a) : a->edges;
    f->prim_id[i] = r->first_id + a->id;
    f->prim_provoking[i] = a->provoking;
    f->prim_info[i] = (struct prim_info){edges, a->start, a->begins};
}

/* One primitive after the other: types whose primitives do not repeat. */
static void assemble_each(struct front *f, const struct call *c, const struct cache *cache,
                          const struct stretch *s) {
    const unsigned vertices = assemble_vertices(c->type);
    struct vertices v = {f->index, f->instance, f->vertex_count, s->instance};
    for (uint32_t i = 0; i < s->n; i++) {
        struct assembled a;
        assemble_primitive(c->type, c->draw->vertex.provoking_last, s->run->count, s->primitive + i, &a);
        for (unsigned k = 0; k < vertices; k++) {
            const uint32_t index = fetch_index(c, s->run->first + a.element[k]) + c->base;
            f->prim_vertex[(s->at + i) * vertices + k] = vertex_number(&v, cache, index);
        }
        set_facts(f, c, s->run, s->at + i, &a);
    }
    f->vertex_count = v.count;
}

/* Primitive i of a type that repeats. */
static struct assembled repeated(const struct assemble_pattern *p, uint32_t i) {
    struct assembled a = p->primitive[i % p->period];
    for (unsigned k = 0; k < ASSEMBLE_VERTICES; k++)
        a.element[k] += i / p->period * p->step;
    a.id = i / p->split;
    return a;
}

/* Whether each primitive's elements are the next ones, in order: what is numbered is what is drawn.
 */
static bool consecutive(const struct assemble_pattern *p, unsigned vertices) {
    bool yes = p->period == 1 && p->step == vertices;
    for (uint32_t k = 0; k < vertices; k++)
        yes &= p->primitive[0].element[k] == k;
    return yes;
}

/* The vertices of the stretch's primitives, given the numbers of its elements from `first` on. */
static inline void spread_numbers(const struct assemble_pattern *p, const struct stretch *s,
                                  const uint32_t *number, uint32_t first, unsigned vertices,
                                  uint32_t *out) {
    const unsigned shift = p->period - 1; /* 1 or 2 */
    for (uint32_t n = s->primitive; n < s->primitive + s->n; n++) {
        const uint32_t *element = p->primitive[n & shift].element;
        const uint32_t *from = number + (n >> shift) * p->step - first;
        for (unsigned k = 0; k < vertices; k++)
            *out++ = from[element[k]];
    }
}

static void repeat_facts(struct front *f, const struct call *c, const struct assemble_pattern *p,
                         const struct stretch *s) {
    const unsigned period = p->period - 1, split = p->split - 1;
    struct prim_info info[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct assembled *a = &p->primitive[i & period];
        info[i] = (struct prim_info){a->edges, a->start, a->begins};
    }
    for (uint32_t i = 0, n = s->primitive; i < s->n; i++, n++) {
        f->prim_id[s->at + i] = s->run->first_id + (n >> split);
        f->prim_provoking[s->at + i] = p->primitive[n & period].provoking;
        f->prim_info[s->at + i] = info[n & period];
    }
    for (uint32_t i = 0; c->flagged && i < s->n; i++) {
        const struct assembled a = repeated(p, s->primitive + i);
        f->prim_info[s->at + i].edges = edge_flags(c, s->run->first, &a);
    }
}

/* A stretch of primitives that repeat: its elements are numbered in one go. */
static void assemble_stretch(struct front *f, const struct call *c, const struct cache *cache,
                             const struct assemble_pattern *p, const struct stretch *s) {
    const unsigned vertices = assemble_vertices(c->type);
    const uint32_t first = s->primitive / p->period * p->step, last = s->primitive + s->n - 1;
    uint32_t *out = f->prim_vertex + (size_t)s->at * vertices;
    if (consecutive(p, vertices)) {
        number_elements(f, c, cache, s->run->first + first, s->n * vertices, s->instance, out);
    } else {
        uint32_t number[CHUNK_VERTICES];
        const uint32_t end = assemble_end(p, last);
        number_elements(f, c, cache, s->run->first + first, end - first, s->instance, number);
        if (vertices == 3) /* a constant, for most */
            spread_numbers(p, s, number, first, 3, out);
        else
            spread_numbers(p, s, number, first, vertices, out);
    }
    repeat_facts(f, c, p, s);
}

/* ---- instances ---- */

static uint32_t find_run(const struct call *c, uint32_t primitive) {
    const struct run *run = call_runs(c);
    uint32_t low = 0, high = c->run_count - 1;
    while (low < high) {
        const uint32_t mid = low + (high - low + 1) / 2;
        if (run[mid].first_primitive <= primitive)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

/* What the pieces of a chunk share. */
struct assembly {
    struct cache cache;
    struct assemble_pattern pattern; /* if the type's primitives repeat */
    bool repeats;
};

/* Primitives [primitive, end) of one instance. */
static void assemble_instance(struct front *f, const struct call *c, const struct assembly *shared,
                              uint32_t at, uint32_t primitive, uint32_t end, uint32_t instance) {
    const struct run *runs = call_runs(c);
    for (uint32_t run = find_run(c, primitive); primitive < end; run++) {
        const struct run *r = &runs[run];
        const uint32_t next = run + 1 < c->run_count ? runs[run + 1].first_primitive : end;
        const struct stretch s = {r, at, primitive - r->first_primitive,
                                  (next < end ? next : end) - primitive, instance};
        if (shared->repeats && s.n)
            assemble_stretch(f, c, &shared->cache, &shared->pattern, &s);
        else
            assemble_each(f, c, &shared->cache, &s);
        at += s.n;
        primitive += s.n;
    }
}

/* The chunk's first instance again, which began with its first primitive and vertex `from`. */
static void copy_instance(struct front *f, const struct call *c, uint32_t from_primitive,
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

/* The piece's primitives become the chunk's from `at` on. */
static void assemble_piece(struct front *f, const struct piece *piece, struct assembly *shared,
                           uint32_t at) {
    const struct call *c = piece->call;
    const uint32_t end = at + piece->count;
    uint32_t instance = c->instance + (uint32_t)(piece->first / c->primitives);
    uint32_t primitive = (uint32_t)(piece->first % c->primitives);
    uint32_t whole_at = 0, whole_vertex = 0, whole_vertices = 0; /* an instance to copy */
    for (; at < end; instance++, primitive = 0) {
        const uint32_t left = end - at, rest = c->primitives - primitive;
        const uint32_t n = rest < left ? rest : left, vertex = f->vertex_count;
        if (whole_vertices && n == c->primitives) {
            copy_instance(f, c, whole_at, whole_vertex, whole_vertices, at, instance);
        } else {
            shared->cache.old = shared->cache.base + f->vertex_count;
            assemble_instance(f, c, shared, at, primitive, primitive + n, instance);
        }
        if (n == c->primitives && !whole_vertices) {
            whole_at = at;
            whole_vertex = vertex;
            whole_vertices = f->vertex_count - vertex;
        }
        at += n;
    }
}

/* The vertex programs see the same constants: what did not change was captured once. */
static bool same_constants(const struct warp_env *a, const struct warp_env *b) {
    bool same = true;
    for (uint32_t rest = a == b ? 0 : a->program->facts.const_slots; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        same &= a->c[i].data == b->c[i].data && a->c[i].size == b->c[i].size;
    }
    return same;
}

/* The vertices added since the last span ended are this call's. */
static void add_span(struct front *f, const struct call *c) {
    struct vertex_span *last = f->span_count ? &f->span[f->span_count - 1] : NULL;
    const struct call_env *before = last ? last->call->env : c->env;
    const bool same = same_constants(before->program[PROGRAM_VP], c->env->program[PROGRAM_VP]);
    if (last && same && before->source == c->env->source)
        last->end = f->vertex_count;
    else
        f->span[f->span_count++] = (struct vertex_span){f->vertex_count, !same, c};
}

void front_assemble(struct front *f, const struct chunk *chunk) {
    const uint32_t type = chunk->call->type;
    struct assembly shared = {.cache = cache_for(f, chunk->count * assemble_vertices(type))};
    shared.repeats = assemble_repeats(type, chunk->call->draw->vertex.provoking_last, &shared.pattern);
    f->vertex_count = f->span_count = 0;
    f->prim_count = 0;
    for (uint32_t i = 0; i < chunk->piece_count; i++) {
        assemble_piece(f, &chunk->piece[i], &shared, f->prim_count);
        f->prim_count += chunk->piece[i].count;
        add_span(f, chunk->piece[i].call);
    }
    f->cache_base += f->vertex_count;
}
