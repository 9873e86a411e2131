/* A chunk's primitives from elements to vertices: primitive assembly, index fetch and the chunk's
 * post-transform cache. In: a call and a range of its primitives. Out: every vertex the range needs
 * once (index and instance), and each primitive as numbers of those. Must not know programs.
 */
#include "pipeline/front/front.h"

#include <string.h>

_Static_assert(CHUNK_PRIMITIVES *ASSEMBLE_VERTICES < CACHE_ENTRIES, "the cache never fills up");

/* The chunk's table: as small as its vertices allow, because it is cleared for every chunk. */
struct cache {
    uint32_t *number; /* vertex number + 1, 0 = free */
    unsigned shift;
    uint32_t mask;
    uint32_t old; /* numbers up to this one are of earlier instances: free as well */
};

static struct cache cache_for(struct front *f, uint32_t vertices) {
    unsigned bits = 5;
    while (bits < CACHE_BITS && 1u << bits < 2 * vertices)
        bits++;
    memset(f->cache, 0, sizeof *f->cache << bits);
    return (struct cache){f->cache, 32 - bits, (1u << bits) - 1, 0};
}

static uint32_t fetch_index(const struct call *c, uint32_t element) {
    if (!c->index_size)
        return element;
    if (element >= c->index_limit)
        return 0;
    return load_index(c->index + (uint64_t)element * c->index_size, c->index_size);
}

/* Number of the vertex with this index in the current instance; adds it when it is new. */
static uint32_t vertex_number(struct front *f, const struct cache *c, uint32_t index,
                              uint32_t instance) {
    uint32_t h = index * 2654435761u >> c->shift;
    while (c->number[h] > c->old) {
        if (f->index[c->number[h] - 1] == index)
            return c->number[h] - 1;
        h = (h + 1) & c->mask;
    }
    f->index[f->vertex_count] = index;
    f->instance[f->vertex_count] = instance;
    c->number[h] = ++f->vertex_count;
    return f->vertex_count - 1;
}

static uint32_t find_run(const struct call *c, uint32_t primitive) {
    uint32_t low = 0, high = c->run_count - 1;
    while (low < high) {
        const uint32_t mid = low + (high - low + 1) / 2;
        if (c->run[mid].first_primitive <= primitive)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

/* An edge is drawn if the vertex it begins at is flagged: separate triangles, quads, polygons. */
static uint8_t edge_flags(const struct call *c, uint32_t first, const struct assembled *a) {
    uint8_t flags = 0;
    for (unsigned k = 0; k < 3 && c->edge_flag; k++)
        flags |= (uint8_t)(c->edge_flag[first + a->element[k]] << k);
    return a->edges & flags;
}

void front_assemble(struct front *f, const struct chunk *chunk) {
    const struct call *c = chunk->call;
    const unsigned vertices = assemble_vertices(c->type);
    const uint32_t stride = assemble_stride(c->type);
    struct assembled a;
    assemble_primitive(c->type, c->draw->provoking_last, 0, 0, &a);
    uint32_t instance = (uint32_t)(chunk->first / c->primitives);
    uint32_t primitive = (uint32_t)(chunk->first % c->primitives);
    uint32_t run = find_run(c, primitive);
    struct cache cache = cache_for(f, chunk->count * vertices);
    f->vertex_count = 0;
    f->prim_count = chunk->count;
    for (uint32_t i = 0; i < chunk->count; i++, primitive++) {
        if (primitive == c->primitives) {
            primitive = run = 0;
            instance++;
            cache.old = f->vertex_count;
        }
        while (run + 1 < c->run_count && primitive >= c->run[run + 1].first_primitive)
            run++;
        const struct run *r = &c->run[run];
        uint32_t first = r->first;
        a.id = primitive - r->first_primitive;
        if (stride)
            first += a.id * stride;
        else
            assemble_primitive(c->type, c->draw->provoking_last, r->count, a.id, &a);
        for (unsigned k = 0; k < vertices; k++) {
            const uint32_t index = fetch_index(c, first + a.element[k]) + c->base;
            f->prim_vertex[i * vertices + k] =
                vertex_number(f, &cache, index, c->instance + instance);
        }
        f->prim_id[i] = r->first_id + a.id;
        const uint8_t edges = c->flagged ? edge_flags(c, first, &a) : a.edges;
        f->prim_provoking[i] = a.provoking;
        f->prim_info[i] = (struct prim_info){edges, a.start, a.begins};
    }
}
