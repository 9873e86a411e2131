/* Geometry programs: 32 input primitives a warp. In: a chunk's primitives and its vertices' slots,
 * which become p[] (tesla-isa.md 2.4: component k of the vertex at pointer p lies k * 0x20 words
 * further). Out: the strips each lane emitted, taken apart in lane order, so in primitive order.
 * Must not know indices or pixels.
 */
#include "pipeline/front/front.h"

#include <stdlib.h>
#include <string.h>

enum {
    PRIM_STRIDE = 0x20,
    ATTR_PRIMITIVE_ID = 6 /* a[0x18] */,
    ATTR_ROWS = 7,
    PRIM_WORDS = ASSEMBLE_VERTICES * SLOTS * LANES
};

struct geometry {
    u32x32 attr[ATTR_ROWS];
    uint32_t prim[PRIM_WORDS];
    /* what the running warp emitted: vertex n of a lane at [lane * max + n] */
    const struct draw *draw;
    uint32_t *slot;
    uint8_t *begins; /* the vertex starts a strip */
    struct out_vertex *vertex;
    size_t slot_capacity, begins_capacity, vertex_capacity;
    uint32_t count[LANES];
    bool restarted[LANES];
};

void geometry_free(struct geometry *g) {
    if (!g)
        return;
    free(g->slot);
    free(g->begins);
    free(g->vertex);
    free(g);
}

static struct geometry *prepare(struct front *f, const struct draw *d) {
    if (!f->geometry) {
        f->geometry = aligned_alloc(_Alignof(struct geometry), sizeof *f->geometry);
        if (f->geometry)
            memset(f->geometry, 0, sizeof *f->geometry);
    }
    struct geometry *g = f->geometry;
    const size_t vertices = (size_t)LANES * d->gp_max_vertices;
    if (!g ||
        !array_grow((void **)&g->slot, &g->slot_capacity, vertices * d->slots, sizeof *g->slot) ||
        !array_grow((void **)&g->begins, &g->begins_capacity, vertices, 1) ||
        !array_grow((void **)&g->vertex, &g->vertex_capacity, d->gp_max_vertices,
                    sizeof *g->vertex)) {
        f->oom = true;
        return NULL;
    }
    g->draw = d;
    return g;
}

/* Vertices beyond the limit are dropped, as GP_VERTEX_OUTPUT_COUNT says. */
static void emit(void *self, const u32x32 *out, lane_mask m) {
    struct geometry *g = self;
    const struct draw *d = g->draw;
    uint32_t *slot[LANES];
    uint8_t lane[LANES];
    uint32_t n = 0;
    for (; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        if (g->count[i] == d->gp_max_vertices)
            continue;
        const size_t at = (size_t)i * d->gp_max_vertices + g->count[i]++;
        slot[n] = g->slot + at * d->slots;
        lane[n++] = (uint8_t)i;
        g->begins[at] = g->restarted[i];
        g->restarted[i] = false;
    }
    for (uint32_t k = 0; k < d->slots; k++) {
        const uint8_t source = k < d->gp_map.size ? d->gp_map.source[k] : MAP_ZERO;
        const u32x32 constant = lanes_splat(source == MAP_ONE ? 0x3f800000 : 0);
        const uint32_t *row = (const uint32_t *)(source < d->gp_rows ? &out[source] : &constant);
        for (uint32_t i = 0; i < n; i++)
            slot[i][k] = row[lane[i]];
    }
}

static void restart(void *self, lane_mask m) {
    struct geometry *g = self;
    for (; m; m &= m - 1)
        g->restarted[__builtin_ctz(m)] = true;
}

/* p[]: block j holds vertex j of all lanes; row k of a block is component k. */
static void fill_prim(struct front *f, struct geometry *g, const struct draw *d, uint32_t at,
                      uint32_t lanes) {
    const uint32_t rows = d->vp_map.size, vertices = d->gp_vertices;
    memset(g->attr, 0, sizeof g->attr);
    for (uint32_t j = 0; j < vertices; j++) {
        uint32_t *pointer = (uint32_t *)&g->attr[j];
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const uint32_t base = j * rows * PRIM_STRIDE + lane;
            pointer[lane] = base;
            for (uint32_t k = 0; lane >= lanes && k < rows; k++)
                g->prim[base + k * PRIM_STRIDE] = 0;
            if (lane >= lanes)
                continue;
            const uint32_t *slot =
                f->slot + (size_t)f->prim_vertex[(at + lane) * vertices + j] * rows;
            for (uint32_t k = 0; k < rows; k++)
                g->prim[base + k * PRIM_STRIDE] = slot[k];
        }
    }
    if (d->gp_primitive_id)
        memcpy(&g->attr[ATTR_PRIMITIVE_ID], f->prim_id + at, lanes * sizeof *f->prim_id);
}

static bool run_warp(struct front *f, struct geometry *g, const struct call *call, uint32_t at,
                     uint32_t lanes) {
    const struct draw *d = call->draw;
    const struct warp_env *env = call->env->program[PROGRAM_GP];
    struct warp *w = f->warp;
    const struct emit_port port = {g, emit, restart};
    memset(f->out, 0, d->gp_rows * sizeof *f->out);
    memset(g->count, 0, sizeof g->count);
    for (int i = 0; i < LANES; i++)
        g->restarted[i] = true;
    w->attr = g->attr;
    w->attr_count = ATTR_ROWS;
    w->out = f->out;
    w->out_count = d->gp_rows;
    w->prim = g->prim;
    w->prim_count = d->gp_vertices * d->vp_map.size * LANES;
    w->emit = &port;
    w->number = f->prim_id + at;
    w->instance = NULL;
    if (!front_local(f, w, d->local_size[PROGRAM_GP])) {
        f->oom = true;
        return false;
    }
    warp_start(w, env, lanes == LANES ? LANES_ALL : (1u << lanes) - 1, 0);
    f->counters.geometry_warps++;
    const bool done = warp_run(w, env) == WARP_DONE;
    w->emit = NULL;
    if (!done) {
        trap_record(&f->trap, f->order, PROGRAM_GP, d->program_name[PROGRAM_GP], &w->error);
        __atomic_store_n(&call->env->trapped, 1, __ATOMIC_RELAXED);
    }
    return done;
}

static void output_strip(struct front *f, const struct draw *d, const struct out_vertex *v,
                         uint32_t n) {
    static const uint8_t types[] = {0, 0, 3, 5}; /* GP_OUTPUT_PRIMITIVE_TYPE to GL's numbers */
    const uint32_t type = types[d->gp_primitive & 3];
    const uint32_t count = assemble_count(type, n);
    for (uint32_t i = 0; i < count; i++) {
        struct assembled a;
        assemble_primitive(type, d->provoking_last, n, i, &a);
        struct primitive p = {.count = (uint8_t)assemble_vertices(type),
                              .provoking = a.provoking,
                              .edges = a.edges,
                              .start = a.start,
                              .begins = a.begins};
        for (unsigned k = 0; k < p.count; k++)
            p.v[k] = &v[a.element[k]];
        f->counters.gp_primitives++;
        front_output(f, d, &p);
    }
}

static void output_lane(struct front *f, struct geometry *g, const struct draw *d, uint32_t lane) {
    const size_t base = (size_t)lane * d->gp_max_vertices;
    const uint32_t n = g->count[lane];
    if (!n) /* nor is there room for any, perhaps */
        return;
    if (d->semantic.color_clamp)
        front_clamp_colors(d, g->slot + base * d->slots, d->slots, n);
    front_project(d, g->vertex, g->slot + base * d->slots, d->slots, n);
    for (uint32_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && !g->begins[base + end]; end++)
            ;
        output_strip(f, d, g->vertex + first, end - first);
    }
}

void front_geometry(struct front *f, const struct chunk *chunk) {
    const struct draw *d = chunk->call->draw;
    struct geometry *g = prepare(f, d);
    for (uint32_t at = 0; g && at < f->prim_count; at += LANES) {
        const uint32_t lanes = f->prim_count - at < LANES ? f->prim_count - at : LANES;
        fill_prim(f, g, d, at, lanes);
        if (!run_warp(f, g, chunk->call, at, lanes))
            return;
        for (uint32_t lane = 0; lane < lanes; lane++)
            output_lane(f, g, d, lane);
    }
}
