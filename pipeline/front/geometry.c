/* The geometry stage: runs geometry programs on 32 input primitives a warp, between the vertex or
 * tessellation stage and output.c. In: primitives and their vertices' rows, from which p[] is
 * filled (tesla-isa.md §2.4: component k of the vertex at pointer p lies k * 0x20 words further).
 * Out: the emitted vertices in rows again (the n-th vertices of all lanes are one vertex set), and
 * the primitives of the strips, lane by lane, so in the order of the input. A Fermi's program may
 * emit to four vertex streams, each with rows of its own. Must not know indices or pixels.
 */
#include "pipeline/front/geometry.h"

#include <stdlib.h>

enum {
    ATTR_PRIMITIVE_ID = 6 /* a[0x18] */,
    ATTR_ROWS = 7,
    PRIM_ROWS = 6 * SLOTS /* rows of p[] for six vertices */
};

/* The vertices that the running warp has emitted to one stream. Vertex n of a lane lies in vertex
 * set n. */
struct emitted {
    struct vertex_rows rows;
    lane_mask *begins; /* [sets] lanes whose vertex starts a strip */
    size_t begins_capacity;
    uint32_t sets; /* sets in use */
    u32x32 count;  /* vertices of each lane */
    lane_mask restarted;
};

struct geometry {
    u32x32 attr[ATTR_ROWS];
    u32x32 invocation;       /* Fermi: number of each lane's run */
    uint32_t source[LANES];  /* number of each lane's input primitive */
    uint32_t prim_id[LANES]; /* primitive id of each lane's input primitive */
    uint32_t origin[LANES];  /* of each lane: the number of the draw's primitive */
    u32x32 prim[PRIM_ROWS];
    u32x32 out[RESULT_ROWS];
    const struct draw *draw;
    struct emitted stream[STATE_STREAMS];
    uint32_t begun; /* bit per stream that has room for the running warp's vertices */
    bool oom;
    /* the primitives of the strips */
    uint32_t *number;
    uint8_t *provoking;
    struct prim_info *info;
    size_t number_capacity, provoking_capacity, info_capacity;
    uint32_t primitives;
};

void geometry_free(struct geometry *g) {
    if (!g)
        return;
    for (int i = 0; i < STATE_STREAMS; i++) {
        free(g->stream[i].rows.data);
        free(g->stream[i].begins);
    }
    free(g->number);
    free(g->provoking);
    free(g->info);
    free(g);
}

/* Makes room for the vertices that a warp may emit to a stream; false when out of memory. */
static bool begin_stream(struct geometry *g, uint32_t stream) {
    struct emitted *e = &g->stream[stream];
    const uint32_t most = g->draw->geometry->max_vertices;
    e->sets = 0;
    e->restarted = LANES_ALL;
    memset(&e->count, 0, sizeof e->count);
    if (!ARRAY_ROOM(e->begins, e->begins_capacity, most) ||
        !rows_reserve(&e->rows, &g->draw->geometry->stage.layout, LANES * most)) {
        g->oom = true;
        return false;
    }
    g->begun |= 1u << stream;
    return true;
}

static struct geometry *prepare_geometry(struct front *f, const struct draw *d) {
    if (!f->geometry) {
        f->geometry = aligned_alloc(_Alignof(struct geometry), sizeof *f->geometry);
        if (f->geometry)
            memset(f->geometry, 0, sizeof *f->geometry);
    }
    struct geometry *g = f->geometry;
    const size_t primitives =
        (size_t)LANES * d->geometry->max_vertices; /* the most that a warp can emit */
    if (!g || !ARRAY_ROOM(g->number, g->number_capacity, 3 * primitives) ||
        !ARRAY_ROOM(g->provoking, g->provoking_capacity, primitives) ||
        !ARRAY_ROOM(g->info, g->info_capacity, primitives)) {
        f->oom = true;
        return NULL;
    }
    g->draw = d;
    return g;
}

/* Adds the next vertex of lanes that have emitted equally many vertices so far. The first call for
 * a vertex set stores all lanes; later calls overwrite only their own lanes. */
static void emit_group(struct emitted *e, uint32_t rows, const u32x32 *out, lane_mask m,
                       uint32_t number) {
    u32x32 *set = e->rows.data + (size_t)number * e->rows.layout.stride;
    if (number == e->sets) {
        rows_constants(&e->rows, number);
        memcpy(set, out, rows * sizeof *set);
        e->begins[number] = 0;
        e->sets++;
    } else {
        for (uint32_t k = 0; k < rows; k++)
            lanes_store(&set[k], out[k], m);
    }
    e->begins[number] |= e->restarted & m;
    e->restarted &= ~m;
}

/* Returns the stream's vertices, after making room for them; NULL when out of memory. */
static struct emitted *stream_of(struct geometry *g, uint32_t stream) {
    stream %= STATE_STREAMS;
    return g->begun >> stream & 1 || begin_stream(g, stream) ? &g->stream[stream] : NULL;
}

/* The function `emit` of the emit port: adds a vertex of each lane in m. Vertices of a stream
 * beyond the limit in the program's header are dropped. */
static void emit_vertices(void *self, const u32x32 *out, lane_mask m, uint32_t stream) {
    struct geometry *g = self;
    struct emitted *e = stream_of(g, stream);
    while (e && m) {
        const uint32_t number = e->count[__builtin_ctz(m)];
        const lane_mask same = m & lanes_to_mask((u32x32)(e->count == number));
        m &= ~same;
        if (number == g->draw->geometry->max_vertices)
            continue;
        emit_group(e, g->draw->geometry->stage.rows, out, same, number);
        lanes_store(&e->count, e->count + 1, same);
    }
}

static void restart_strips(void *self, lane_mask m, uint32_t stream) {
    struct emitted *e = stream_of(self, stream);
    if (e)
        e->restarted |= m;
}

SIMD_CHOICE(gather_corners, gather_corners);

/* Sets the input primitive of each lane, from run `at` on. A Fermi's program may run several times
 * for each primitive; the runs of a primitive are neighbours. */
static void take_sources(struct geometry *g, const struct output *in, uint32_t at, uint32_t lanes) {
    const uint32_t each = g->draw->geometry->invocations;
    memset(&g->invocation, 0, sizeof g->invocation);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        g->source[lane] = (at + lane) / each;
        g->prim_id[lane] = in->id[g->source[lane]];
        g->origin[lane] = output_origin(in, g->source[lane]);
        g->invocation[lane] = (at + lane) % each;
    }
}

/* Fills p[]: row j * rows + k holds component k of vertex j, for all lanes. */
static void fill_prim(struct geometry *g, const struct draw *d, const struct output *in,
                      uint32_t lanes) {
    const uint32_t rows = d->geometry->input_slots, vertices = d->geometry->vertices;
    memset(g->attr, 0, sizeof g->attr);
    for (uint32_t j = 0; j < vertices; j++) {
        uint32_t from[LANES] = {0};
        g->attr[j] = j * rows * LANES + lanes_iota();
        for (uint32_t lane = 0; lane < lanes; lane++) {
            const uint32_t n = in->number[g->source[lane] * vertices + j];
            from[lane] = n / LANES * in->rows->layout.stride * LANES + n % LANES;
        }
        gather_corners[d->simd](in->rows, from, rows, first_lanes(lanes), g->prim + j * rows);
    }
    if (d->geometry->primitive_id)
        memcpy(&g->attr[ATTR_PRIMITIVE_ID], g->prim_id, lanes * sizeof *g->prim_id);
}

static bool run_warp(struct front *f, struct geometry *g, const struct draw_call *call, uint32_t at,
                     uint32_t lanes) {
    const struct draw *d = call->draw;
    const struct warp_env *env = call->env.program[PROGRAM_GP];
    struct warp *w = f->warp;
    const struct emit_port port = {g, emit_vertices, restart_strips};
    memset(g->out, 0, d->geometry->stage.rows * sizeof *g->out);
    w->attr = g->attr;
    w->attr_count = ATTR_ROWS;
    w->out = g->out;
    w->out_count = d->geometry->stage.rows;
    w->prim = (const uint32_t *)g->prim;
    w->prim_count = d->geometry->vertices * d->geometry->input_slots * LANES;
    w->emit = &port;
    w->number = g->prim_id;
    w->instance = NULL;
    w->invocation = &g->invocation;
    g->begun = 0;
    g->oom = false;
    if (!begin_stream(g, 0) || !front_local(f, w, d->geometry->stage.local_size)) {
        f->oom = true;
        return false;
    }
    if (!at) /* the first warp of a call of front_geometry() */
        warp_keep(w, env, false);
    f->counters.geometry_warps++;
    const bool done = warp_launch(w, env, first_lanes(lanes), 0) == WARP_DONE;
    w->emit = NULL;
    w->invocation = NULL;
    f->oom |= g->oom;
    if (!done)
        front_fail(f, call, PROGRAM_GP);
    return done;
}

/* enum tp_primitive for each output primitive in a program's header */
static const uint8_t strip_types[] = {0, 0, 3, 5};

/* Adds the primitives of one lane's strip of n vertices from `first` on. */
static void add_strip(struct geometry *g, uint32_t type, uint32_t lane, uint32_t first,
                      uint32_t n) {
    const uint32_t count = assemble_count(type, n), vertices = assemble_vertices(type);
    for (uint32_t i = 0; i < count; i++) {
        struct assembled a;
        assemble_primitive(type, g->draw->vertex->provoking_last, n, i, &a);
        uint32_t *number = g->number + (size_t)g->primitives * vertices;
        for (uint32_t k = 0; k < vertices; k++)
            number[k] = (first + a.element[k]) * LANES + lane;
        g->provoking[g->primitives] = a.provoking;
        g->info[g->primitives++] = (struct prim_info){a.edges, a.start, a.begins};
    }
}

static void add_lane(struct geometry *g, const struct emitted *e, uint32_t type, uint32_t lane) {
    const uint32_t n = e->count[lane];
    for (uint32_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && !(e->begins[end] >> lane & 1); end++)
            ;
        add_strip(g, type, lane, first, end - first);
    }
}

/* Repeats the last n primitives for each of the next `lanes` lanes. */
static void repeat_lane(struct geometry *g, uint32_t vertices, uint32_t n, uint32_t lanes) {
    const uint32_t at = g->primitives;
    if (!n) /* g->number may be NULL then */
        return;
    uint32_t *to = g->number + (size_t)at * vertices;
    const uint32_t *from = to - (size_t)n * vertices;
    for (uint32_t i = 0; i < lanes * n * vertices; i++)
        to[i] = from[i] + 1;
    for (uint32_t i = at; i < at + lanes * n; i++) {
        g->provoking[i] = g->provoking[i - n];
        g->info[i] = g->info[i - n];
    }
    g->primitives += lanes * n;
}

/* Returns a bit for lane 0 and for each lane whose strips differ from those of the lane before. */
static lane_mask find_changes(const struct emitted *e) {
    lane_mask changes = 1;
    for (uint32_t i = 0; i < e->sets; i++)
        changes |= e->begins[i] ^ e->begins[i] << 1;
    for (uint32_t lane = 1; lane < LANES; lane++)
        changes |= (lane_mask)(e->count[lane] != e->count[lane - 1]) << lane;
    return changes;
}

/* Outputs the vertices that the lanes emitted to a stream, lane by lane. */
static void output_stream(struct front *f, struct geometry *g, uint32_t stream, uint32_t lanes) {
    const struct draw *d = g->draw;
    struct emitted *e = &g->stream[stream];
    const uint32_t type = strip_types[d->geometry->primitive & 3];
    const uint8_t vertices = (uint8_t)assemble_vertices(type);
    const lane_mask changes = find_changes(e);
    g->primitives = 0;
    for (uint32_t lane = 0, next; lane < lanes; lane = next) {
        const uint32_t at = g->primitives;
        for (next = lane + 1; next < lanes && !(changes >> next & 1); next++)
            ;
        add_lane(g, e, type, lane);
        repeat_lane(g, vertices, g->primitives - at, next - lane - 1);
    }
    const struct output o = {.rows = &e->rows,
                             .number = g->number,
                             .provoking = g->provoking,
                             .info = g->info,
                             .n = g->primitives,
                             .vertices = vertices,
                             .stride = vertices,
                             .step = 1,
                             .maker = PROGRAM_GP,
                             .lane_source = g->origin,
                             .stream = (uint8_t)stream};
    f->counters.gp_primitives += g->primitives;
    front_project(d, d->simd, &e->rows, e->sets * LANES);
    front_output(f, d, d->simd, &o);
}

void front_geometry(struct front *f, const struct draw_call *call, const struct output *in) {
    const struct draw *d = call->draw;
    struct geometry *g = prepare_geometry(f, d);
    const uint32_t runs = in->n * d->geometry->invocations;
    f->counters.gp_launches += in->n;
    for (uint32_t at = 0; g && at < runs; at += LANES) {
        const uint32_t lanes = runs - at < LANES ? runs - at : LANES;
        take_sources(g, in, at, lanes);
        fill_prim(g, d, in, lanes);
        if (!run_warp(f, g, call, at, lanes))
            return;
        profile_enter(f->profile, STAGE_SETUP);
        for (uint32_t i = 0; i < STATE_STREAMS; i++)
            if (g->begun >> i & 1)
                output_stream(f, g, i, lanes);
        profile_enter(f->profile, STAGE_GEOMETRY);
    }
}
