/* The front end of a chunk: the list of its stages, and primitives that wait for set-up. Points,
 * lines or triangles wait in order, up to WAITING of one kind, and are set up sixteen at a time.
 * Stippled lines are divided into dashes here. The vertices lie in rows: the rows of the last
 * program, or, where clipping or flat shading made new vertices, the front end's own loose rows.
 * In: a chunk of calls' primitives. Out: raster primitives in the arena, sorted by tile. Must not
 * know scenes or threads.
 */
#include "pipeline/front/front_private.h"
#include "shader/local.h"

#include <stdlib.h>

/* ---- primitives that wait for set-up ---- */

enum { LOOSE_VERTICES = 128 };

struct raster_vertices front_vertex_rows(const struct draw *d, const struct vertex_rows *rows) {
    const struct semantic_state *m = &d->vertex->semantic;
    struct raster_vertices v = {.word = (const uint32_t *)rows->data,
                                .stride = rows->layout.stride,
                                .window = rows->layout.window,
                                .layer_row = RASTER_NO_ROW,
                                .viewport_row = RASTER_NO_ROW,
                                .layer = d->primitives->layer,
                                .flat_colors = d->primitives->flat_color};
    memcpy(v.row, rows->layout.row, sizeof v.row);
    if (m->layer != 0xff)
        v.layer_row = rows->layout.row[m->layer];
    if (d->vertex->viewport_from_slot)
        v.viewport_row = rows->layout.row[m->viewport];
    return v;
}

/* ---- loose vertices ---- */

/* Loose vertices: a row for each slot, the window position, and the layer and viewport of the
 * primitive. The layer and viewport are kept because clipping may have removed the provoking
 * vertex. */
enum { LOOSE_LAYER = PROJECTED_ROWS, LOOSE_VIEWPORT, LOOSE_ROWS };

static bool reserve_loose(struct front *f, const struct draw *d) {
    const uint8_t slots = d->primitives->slots;
    struct row_layout layout = {.stride = (uint32_t)slots + LOOSE_ROWS, .window = slots};
    for (uint32_t i = 0; i < SLOTS; i++)
        layout.row[i] = (uint8_t)(i < slots ? i : 0);
    return rows_reserve(&f->loose, &layout, LOOSE_VERTICES);
}

/* Returns the number of the new loose vertex. */
static uint32_t add_loose(struct front *f, const struct draw *d, const struct out_vertex *v,
                          const struct face_info *info) {
    const uint32_t n = f->loose_count++;
    uint32_t *at =
        (uint32_t *)(f->loose.data + (size_t)(n / LANES) * f->loose.layout.stride) + n % LANES;
    uint32_t *window = at + (size_t)f->loose.layout.window * LANES;
    int32_t snapped[2] = {0, 0};
    const bool drawn = raster_snap(d->raster, &v->v, snapped);
    for (uint32_t i = 0; i < d->primitives->slots; i++)
        at[i * LANES] = v->v.slot[i];
    window[WINDOW_X * LANES] = (uint32_t)snapped[0];
    window[WINDOW_Y * LANES] = (uint32_t)snapped[1];
    memcpy(&window[WINDOW_Z * LANES], &v->v.z, sizeof v->v.z);
    memcpy(&window[WINDOW_RHW * LANES], &v->v.rhw, sizeof v->v.rhw);
    window[WINDOW_CODE * LANES] = drawn ? 0 : OUT_LOST;
    window[LOOSE_LAYER * LANES] = info->layer;
    window[LOOSE_VIEWPORT * LANES] = info->viewport;
    return n;
}

/* ---- set-up ---- */

/* The primitives of a list in the form that set-up takes. */
struct setup_list {
    uint8_t vertices;
    /* for each primitive, the number of the draw's primitive that it comes from */
    const uint32_t *number;
    struct raster_points points;
    struct raster_lines lines;
    struct raster_triangles triangles;
};

static uint32_t cull(struct front *f, const struct draw *d, const struct raster_vertices *v,
                     const struct setup_list *l, uint32_t *kept) {
    switch (l->vertices) {
    case 1:
        return raster_cull_points[d->simd](d->raster, v, &l->points, kept);
    case 2:
        return raster_cull_lines[d->simd](d->raster, v, &l->lines, kept);
    default:
        return raster_cull[d->simd](d->raster, v, &l->triangles, kept, &f->counters.primitives);
    }
}

static bool make_prims(struct front *f, const struct draw *d, const struct raster_vertices *v,
                       const struct setup_list *l, const uint32_t *kept, uint32_t n,
                       struct raster_prim **prim) {
    switch (l->vertices) {
    case 1:
        return raster_setup_points(d->simd, d->raster, f->arena, v, &l->points, kept, n, prim);
    case 2:
        return raster_setup_lines(d->simd, d->raster, f->arena, v, &l->lines, kept, n, prim);
    default:
        return raster_setup_triangles(d->simd, d->raster, f->arena, v, &l->triangles, kept, n,
                                      prim);
    }
}

/* Sets up at most WAITING primitives, sixteen at a time. */
static void set_up(struct front *f, const struct draw *d, const struct raster_vertices *v,
                   const struct setup_list *l) {
    uint32_t kept[WAITING];
    const uint32_t count = cull(f, d, v, l, kept);
    for (uint32_t i = 0, n; i < count && front_reserve(f, RASTER_SETUP_MOST); i += n) {
        struct raster_prim **prim = f->prims.prim + f->prims.count;
        n = count - i < RASTER_SETUP_MOST ? count - i : RASTER_SETUP_MOST;
        if (!make_prims(f, d, v, l, kept + i, n, prim)) {
            f->oom = true;
            continue;
        }
        for (uint32_t k = 0; k < n && d->raster->numbered; k++)
            raster_prim_set_number(d->raster, prim[k], l->number[kept[i + k]]);
        f->prims.count += n;
    }
}

/* ---- dashes ---- */

/* Dashes that wait for set-up together. */
struct dashes {
    uint32_t count;
    uint32_t vertex[2 * WAITING], provoking[WAITING], number[WAITING];
    uint8_t front[WAITING];
    struct raster_dash dash[WAITING];
};

static void set_up_dashes(struct front *f, const struct draw *d, const struct raster_vertices *v,
                          struct dashes *s) {
    set_up(f, d, v,
           &(struct setup_list){
               .vertices = 2,
               .number = s->number,
               .lines = {s->vertex, s->provoking, s->front, s->dash, s->count, OUT_LOST}});
    s->count = 0;
}

static void add_dash(struct front *f, const struct draw *d, const struct raster_vertices *v,
                     struct dashes *s, uint32_t line, struct raster_dash dash) {
    const struct waiting *w = &f->waiting;
    if (s->count == WAITING)
        set_up_dashes(f, d, v, s);
    const uint32_t i = s->count++;
    memcpy(&s->vertex[2 * i], &w->vertex[2 * line], 2 * sizeof *s->vertex);
    s->provoking[i] = w->provoking[line];
    s->number[i] = w->number[line];
    s->front[i] = w->front[line];
    s->dash[i] = dash;
}

/* Adds the dashes of a stippled line: the visible steps for which the pattern has a 1. */
static void add_dashes(struct front *f, const struct draw *d, const struct raster_vertices *v,
                       struct dashes *s, uint32_t line, struct raster_dash visible) {
    const uint32_t pattern = d->primitives->line_stipple_pattern, end = visible.to;
    const uint32_t bit = (uint32_t)d->primitives->line_stipple_factor << 8, period = 16 * bit;
    struct raster_dash dash = visible;
    for (uint32_t at = visible.from; at < end; at = dash.to) {
        const uint32_t counter = (f->stipple + at) % period, left = bit - counter % bit;
        const bool on = pattern >> counter / bit & 1;
        dash.to = end - at < left ? end : at + left;
        if (!on)
            dash.from = dash.to;
        const uint32_t next = (f->stipple + dash.to) % period / bit;
        if (!on || (dash.to < end && pattern >> next & 1))
            continue; /* this is a gap, or the dash continues in the next bit */
        add_dash(f, d, v, s, line, dash);
        dash.from = dash.to;
    }
}

static void stipple_lines(struct front *f, const struct draw *d, const struct raster_vertices *v,
                          const struct raster_lines *lines) {
    const struct waiting *w = &f->waiting;
    const uint32_t period = 16 * ((uint32_t)d->primitives->line_stipple_factor << 8);
    uint32_t steps[WAITING];
    struct raster_dash visible[WAITING];
    struct dashes dashes;
    dashes.count = 0;
    raster_line_steps[d->simd](d->raster, v, lines, steps, visible);
    for (uint32_t i = 0; i < w->count; i++) {
        f->stipple = w->begins[i] ? 0 : f->stipple;
        add_dashes(f, d, v, &dashes, i, visible[i]);
        f->stipple = (f->stipple + steps[i]) % period;
    }
    set_up_dashes(f, d, v, &dashes);
}

static void set_up_waiting(struct front *f, const struct draw *d, const struct raster_vertices *v) {
    const struct waiting *w = &f->waiting;
    const struct setup_list l = {
        .vertices = w->vertices,
        .number = w->number,
        .points = {w->vertex, w->provoking, w->size, w->front, w->count, OUT_LOST},
        .lines = {w->vertex, w->provoking, w->front, NULL, w->count, OUT_LOST},
        .triangles = {
            .corner = w->vertex, .provoking = w->corner, .count = w->count, .lost = OUT_LOST}};
    if (w->vertices < 3) /* raster_cull() counts triangles */
        f->counters.primitives += w->count;
    if (w->vertices == 2 && d->primitives->line_stipple)
        stipple_lines(f, d, v, &l.lines);
    else
        set_up(f, d, v, &l);
}

void front_settle(struct front *f, const struct draw *d) {
    struct waiting *w = &f->waiting;
    if (w->count) {
        struct raster_vertices v = front_vertex_rows(d, w->rows);
        const bool loose = w->rows == &f->loose;
        v.flat_colors &= !loose; /* loose vertices have the provoking vertex's colours already */
        if (loose && v.layer_row != RASTER_NO_ROW)
            v.layer_row = (uint8_t)(v.window + LOOSE_LAYER);
        if (loose && v.viewport_row != RASTER_NO_ROW)
            v.viewport_row = (uint8_t)(v.window + LOOSE_VIEWPORT);
        set_up_waiting(f, d, &v);
    }
    w->count = f->loose_count = 0;
}

/* ---- waiting ---- */

/* Makes room for n more waiting primitives with `vertices` vertices each, all in these rows.
 * Returns the place of the first primitive. */
static uint32_t begin_waiting(struct front *f, const struct draw *d, const struct vertex_rows *rows,
                              uint8_t vertices, uint32_t n) {
    struct waiting *w = &f->waiting;
    if (w->count && (w->rows != rows || w->vertices != vertices || w->count + n > WAITING))
        front_settle(f, d);
    w->rows = rows;
    w->vertices = vertices;
    return w->count;
}

float front_point_size(const struct draw *d, const struct vertex_rows *rows, uint32_t n) {
    const uint32_t *at =
        (const uint32_t *)(rows->data + (size_t)(n / LANES) * rows->layout.stride) + n % LANES;
    float size = d->primitives->point_size;
    if (d->primitives->point_size_from_slot)
        memcpy(&size, &at[rows->layout.row[d->vertex->semantic.point_size] * LANES], sizeof size);
    return size;
}

void front_wait_point(struct front *f, const struct draw *d, const struct vertex_rows *rows,
                      const struct waiting_point *point) {
    struct waiting *w = &f->waiting;
    const uint32_t i = begin_waiting(f, d, rows, 1, 1);
    w->vertex[i] = point->vertex;
    w->provoking[i] = point->provoking;
    w->front[i] = point->front;
    w->size[i] = front_point_size(d, rows, point->vertex);
    w->number[i] = point->number;
    w->count++;
}

void front_wait_line(struct front *f, const struct draw *d, const struct vertex_rows *rows,
                     const struct waiting_line *line) {
    struct waiting *w = &f->waiting;
    const uint32_t i = begin_waiting(f, d, rows, 2, 1);
    w->vertex[2 * i] = line->vertex[0];
    w->vertex[2 * i + 1] = line->vertex[1];
    w->provoking[i] = line->provoking;
    w->front[i] = line->front;
    w->begins[i] = f->stipple_begins;
    f->stipple_begins &= !d->primitives->line_stipple;
    w->number[i] = line->number;
    w->count++;
}

void front_wait_triangle(struct front *f, const struct draw *d, const struct vertex_rows *rows,
                         const uint32_t vertex[3], uint8_t provoking, uint32_t number) {
    struct waiting *w = &f->waiting;
    const uint32_t i = begin_waiting(f, d, rows, 3, 1);
    memcpy(&w->vertex[3 * i], vertex, 3 * sizeof *vertex);
    w->corner[i] = provoking;
    w->number[i] = number;
    w->count++;
}

/* Makes room for n loose vertices. False when out of memory. */
static bool begin_loose(struct front *f, const struct draw *d, uint8_t vertices, uint32_t n) {
    begin_waiting(f, d, &f->loose, vertices, n);
    if (f->loose_count + n > LOOSE_VERTICES)
        front_settle(f, d);
    if (f->loose_count || reserve_loose(f, d))
        return true;
    f->oom = true;
    return false;
}

void front_wait_loose_point(struct front *f, const struct draw *d, const struct out_vertex *v,
                            const struct face_info *info) {
    if (!begin_loose(f, d, 1, 1))
        return;
    const uint32_t n = add_loose(f, d, v, info);
    const struct waiting_point point = {n, n, info->front, f->origin};
    front_wait_point(f, d, &f->loose, &point);
}

void front_wait_loose_line(struct front *f, const struct draw *d,
                           const struct out_vertex *const v[2], const struct face_info *info) {
    if (!begin_loose(f, d, 2, 2))
        return;
    struct waiting_line line = {.front = info->front, .number = f->origin};
    for (unsigned k = 0; k < 2; k++)
        line.vertex[k] = add_loose(f, d, v[k], info);
    line.provoking = line.vertex[info->provoking];
    front_wait_line(f, d, &f->loose, &line);
}

void front_wait_loose_fan(struct front *f, const struct draw *d, const struct out_vertex *const *v,
                          uint32_t count, const struct face_info *info) {
    if (!begin_loose(f, d, 3, count))
        return;
    const uint32_t first = f->loose_count;
    for (uint32_t i = 0; i < count; i++)
        add_loose(f, d, v[i], info);
    for (uint32_t i = 2; i < count; i++) {
        const uint32_t vertex[3] = {first, first + i - 1, first + i};
        front_wait_triangle(f, d, &f->loose, vertex, info->provoking, f->origin);
    }
}

/* ---- the stages ---- */

struct front *front_create(void) {
    struct front *f = aligned_alloc(_Alignof(struct front), sizeof *f);
    if (!f)
        return NULL;
    memset(f, 0, sizeof *f);
    f->warp = aligned_alloc(_Alignof(struct warp), sizeof *f->warp);
    if (f->warp)
        memset(f->warp, 0, sizeof *f->warp);
    f->prim_vertex = malloc(CHUNK_VERTICES * sizeof *f->prim_vertex);
    f->prim_id = malloc(CHUNK_PRIMITIVES * sizeof *f->prim_id);
    f->prim_provoking = malloc(CHUNK_PRIMITIVES);
    f->prim_info = malloc(CHUNK_PRIMITIVES * sizeof *f->prim_info);
    f->index = malloc((CHUNK_VERTICES + VERTEX_SLACK) * sizeof *f->index);
    f->instance = malloc(CHUNK_VERTICES * sizeof *f->instance);
    f->cache = calloc(CACHE_ENTRIES, sizeof *f->cache);
    if (!f->warp || !f->prim_vertex || !f->prim_id || !f->prim_provoking || !f->prim_info ||
        !f->index || !f->instance || !f->cache) {
        front_free(f);
        return NULL;
    }
    return f;
}

void front_free(struct front *f) {
    if (!f)
        return;
    if (f->warp)
        warp_free(f->warp);
    geometry_free(f->geometry);
    patches_free(f->patches);
    local_free(f->local, f->local_rows);
    void *const owned[] = {f->warp,      f->prim_vertex, f->prim_id,    f->prim_provoking,
                           f->prim_info, f->index,       f->instance,   f->cache,
                           f->rows.data, f->entry,       f->prims.prim, f->tile_slot,
                           f->slot,      f->loose.data};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    free(f);
}

/* Makes room for bins of `tiles` tiles in all. False when out of memory. */
static bool reserve_tiles(struct front *f, size_t tiles) {
    if (tiles <= f->tile_capacity)
        return true;
    free(f->tile_slot);
    f->tile_slot = calloc(tiles, sizeof *f->tile_slot);
    f->tile_capacity = f->tile_slot ? tiles : 0;
    return f->tile_slot;
}

bool front_begin(struct front *f, const struct raster_targets *targets, struct arena *arena,
                 const struct pixel_watch *watch, struct profile *profile) {
    f->tiles_x = (targets->width + TILE_SIZE - 1) / TILE_SIZE;
    f->tiles_y = (targets->height + TILE_SIZE - 1) / TILE_SIZE;
    f->arena = arena;
    f->watch = watch;
    f->profile = profile;
    return reserve_tiles(f, (size_t)f->tiles_x * f->tiles_y * targets->layers);
}

void front_set_stream(struct front *f, const struct stream_state *stream) {
    for (int i = 0; i < STATE_STREAMS; i++)
        f->stream_offset[i] = stream->buffer[i].offset;
    f->stream_primitives = stream->primitives;
}

void front_get_stream(const struct front *f, struct stream_state *stream) {
    for (int i = 0; i < STATE_STREAMS; i++)
        stream->buffer[i].offset = f->stream_offset[i];
    stream->primitives = f->stream_primitives;
}

const struct front_counters *front_count(struct front *f) {
    f->counters.warp = f->warp->stats;
    return &f->counters;
}

struct trap *front_trap(struct front *f) {
    return &f->trap;
}

bool front_take_oom(struct front *f) {
    const bool oom = f->oom;
    f->oom = false;
    return oom;
}

/* Estimated bytes that a raster primitive takes in the arena. */
static size_t prim_bytes(const struct draw *d) {
    const size_t line = 64;
    return (line + d->raster->word_count * sizeof(struct attribute_plane) + line - 1) & -line;
}

/* True if a vertex number means the same inputs in both calls, apart from the arrays. */
static bool same_inputs(const struct draw_call *a, const struct draw_call *b) {
    const struct fetch_plan *plan = &a->draw->vertex->fetch;
    return a->instance_base == b->instance_base &&
           (a->id_origin == b->id_origin || plan->vertex_id_row < 0);
}

/* True if both draws have the same parts; only the memory of the calls may differ. */
static bool same_draw(const struct draw *a, const struct draw *b) {
    return a == b ||
           (a->stages == b->stages && a->view == b->view && a->vertex == b->vertex &&
            a->geometry == b->geometry && a->tessellation == b->tessellation &&
            a->primitives == b->primitives && a->plan == b->plan && a->stream == b->stream);
}

/* True if primitives of both calls may share set-up, bins and fragment warps. */
static bool may_share_bins(const struct draw_call *a, const struct draw_call *b) {
    return same_draw(a->draw, b->draw) && a->env.program[PROGRAM_FP] == b->env.program[PROGRAM_FP];
}

static bool makes_primitives(const struct draw *d) {
    return d->geometry || d->tessellation;
}

static bool same_makers(const struct call_env *a, const struct call_env *b) {
    return a->program[PROGRAM_GP] == b->program[PROGRAM_GP] &&
           a->program[PROGRAM_TCP] == b->program[PROGRAM_TCP] &&
           a->program[PROGRAM_TEP] == b->program[PROGRAM_TEP];
}

/* True if both calls may share vertex warps. With geometry or tessellation programs, calls share
 * only if they may share bins, too, and these programs have the same environments. */
static bool same_vertices(const struct draw_call *a, const struct draw_call *b) {
    if (makes_primitives(a->draw) || makes_primitives(b->draw))
        return may_share_bins(a, b) && same_makers(&a->env, &b->env);
    return same_draw(a->draw, b->draw) ||
           (a->draw->vertex == b->draw->vertex &&
            a->env.program[PROGRAM_VP]->tex == b->env.program[PROGRAM_VP]->tex);
}

bool chunk_may_join(const struct chunk *chunk, const struct draw_call *call) {
    const struct draw_call *first = chunk->call;
    return call->type == first->type && same_vertices(first, call) && same_inputs(first, call) &&
           first->draw->infallible && call->draw->infallible;
}

/* ---- the stages of a chunk ---- */

/* Outputs primitives [at, at + n) without their neighbours of adjacency. Only for draws without a
 * geometry program. */
static void output_assembled(struct front *f, const struct piece *piece, uint32_t at, uint32_t n) {
    const struct draw_call *c = piece->call;
    const unsigned vertices = assemble_class(c->type) + 1, stride = assemble_vertices(c->type);
    const bool adjacency = assemble_adjacency(c->type);
    const struct output o = {.rows = &f->rows,
                             .number = f->prim_vertex + (size_t)at * stride,
                             .provoking = f->prim_provoking + at,
                             .info = f->prim_info + at,
                             .id = f->prim_id + at,
                             .n = n,
                             .vertices = (uint8_t)vertices,
                             .stride = (uint8_t)stride,
                             .first = adjacency && vertices == 2,
                             .step = adjacency && vertices == 3 ? 2 : 1,
                             .vertex_name = f->index,
                             .origin = (uint32_t)piece->first};
    front_output(f, c->draw, c->draw->simd, &o);
}

/* Hands all of a chunk's primitives, with their neighbours, to the geometry stage. */
static void geometry_of_chunk(struct front *f, const struct chunk *chunk) {
    const struct output in = {.rows = &f->rows,
                              .number = f->prim_vertex,
                              .id = f->prim_id,
                              .n = f->prim_count,
                              .stride = chunk->call->draw->geometry->vertices,
                              .origin = (uint32_t)chunk->piece->first};
    front_geometry(f, chunk->call, &in);
}

static void finish_bin_set(struct front *f, struct chunk *chunk, struct bin_set ***end) {
    const enum stage was = profile_enter(f->profile, STAGE_BIN);
    chunk->bytes += f->prims.count * prim_bytes(f->call->draw);
    struct bin_set *set = front_bin(f, &chunk->bytes);
    f->prims.count = 0;
    if (set) {
        **end = set;
        *end = &set->next;
    }
    profile_leave(f->profile, was);
}

/* Outputs all pieces of each bin set together, from vertices to bins. */
static void output_bin_sets(struct front *f, struct chunk *chunk) {
    struct bin_set **end = &chunk->bin_sets;
    const struct piece *piece = chunk->piece, *last = piece + chunk->piece_count;
    const struct draw *d = chunk->call->draw;
    profile_enter(f->profile, makes_primitives(d) ? STAGE_GEOMETRY : STAGE_SETUP);
    if (makes_primitives(d)) {
        if (d->tessellation)
            front_patches(f, chunk);
        else
            geometry_of_chunk(f, chunk);
        finish_bin_set(f, chunk, &end);
        return;
    }
    bool projected = false;
    for (uint32_t at = 0, n; piece < last; at += n) {
        const struct piece *first = piece;
        const struct draw *own = first->call->draw;
        if (!projected && (own->primitives->rasterize || own->stream)) {
            front_project(d, d->simd, &f->rows, f->vertex_count);
            projected = true;
        }
        n = 0;
        do
            n += piece->count;
        while (++piece < last && may_share_bins(first->call, piece->call));
        f->call = first->call;
        output_assembled(f, first, at, n);
        finish_bin_set(f, chunk, &end);
    }
}

void front_run(struct front *f, struct chunk *chunk, uint64_t order) {
    chunk->bin_sets = NULL;
    chunk->bytes = 0;
    f->order = order;
    f->call = chunk->call;
    f->prims.count = 0;
    if (front_failed(chunk->call, order))
        return;
    const enum stage was = profile_enter(f->profile, STAGE_FETCH);
    front_assemble(f, chunk);
    f->counters.primitives_in += f->prim_count;
    if (front_vertices(f, chunk))
        output_bin_sets(f, chunk);
    profile_leave(f->profile, was);
}
