/* The front end of a draw, as the list of its stages. In: a chunk of calls' primitives. Out: raster
 * primitives in the arena, sorted by tile. Must not know scenes or threads.
 */
#include "pipeline/front/front.h"
#include "shader/local.h"

#include <stdlib.h>
#include <string.h>

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
    local_free(f->local, f->local_rows);
    void *const owned[] = {f->warp,      f->prim_vertex, f->prim_id,    f->prim_provoking,
                           f->prim_info, f->index,       f->instance,   f->cache,
                           f->rows.data, f->entry,       f->prims.prim, f->tile_slot,
                           f->slot,      f->loose.data};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    free(f);
}

bool front_reserve_tiles(struct front *f, uint32_t tiles_x, uint32_t tiles_y, size_t tiles) {
    f->tiles_x = tiles_x;
    f->tiles_y = tiles_y;
    if (tiles <= f->tile_capacity)
        return true;
    free(f->tile_slot);
    f->tile_slot = calloc(tiles, sizeof *f->tile_slot);
    f->tile_capacity = f->tile_slot ? tiles : 0;
    return f->tile_slot;
}

/* Estimated bytes of a raster primitive in the arena. */
static size_t prim_bytes(const struct draw *d) {
    const size_t line = 64;
    return (line + d->raster->word_count * sizeof(struct attribute_plane) + line - 1) & -line;
}

/* True if both calls make the inputs of vertices in the same way from their numbers. */
static bool same_inputs(const struct draw_call *a, const struct draw_call *b) {
    const struct fetch_plan *plan = &a->draw->vertex->fetch;
    return a->instance_base == b->instance_base &&
           (a->id_origin == b->id_origin || plan->vertex_id_row < 0);
}

/* True if both draws have the same parts; only the memory of the calls may differ. */
static bool same_draw(const struct draw *a, const struct draw *b) {
    return a == b || (a->stages == b->stages && a->view == b->view && a->vertex == b->vertex &&
                      a->geometry == b->geometry && a->primitives == b->primitives &&
                      a->plan == b->plan && a->stream == b->stream);
}

/* True if primitives of both calls may share set-up, bins and fragment warps. */
static bool may_share_bins(const struct draw_call *a, const struct draw_call *b) {
    return same_draw(a->draw, b->draw) && a->env.program[PROGRAM_FP] == b->env.program[PROGRAM_FP];
}

/* True if both calls may share vertex warps. Geometry programs work on pieces of one draw only. */
static bool same_vertices(const struct draw_call *a, const struct draw_call *b) {
    if (a->draw->geometry || b->draw->geometry)
        return may_share_bins(a, b) && a->env.program[PROGRAM_GP] == b->env.program[PROGRAM_GP];
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

/* Hands on primitives [at, at + n) without their neighbours; there is no geometry program. */
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
                             .origin = (uint32_t)piece->first};
    front_output(f, c->draw, c->draw->simd, &o);
}

static void finish_bin_set(struct front *f, struct chunk *chunk, struct bin_set ***end) {
    const enum stage was = profile_enter(f->profile, STAGE_BIN);
    chunk->bytes += f->prims.count * prim_bytes(f->call->draw);
    struct bin_set *part = front_bin(f, &chunk->bytes);
    f->prims.count = 0;
    if (part) {
        **end = part;
        *end = &part->next;
    }
    profile_leave(f->profile, was);
}

/* From vertices to bins: all pieces of a bin set together. */
static void output_bin_sets(struct front *f, struct chunk *chunk) {
    struct bin_set **end = &chunk->bin_sets;
    const struct piece *piece = chunk->piece, *last = piece + chunk->piece_count;
    const struct draw *d = chunk->call->draw;
    profile_enter(f->profile, d->geometry ? STAGE_GEOMETRY : STAGE_SETUP);
    if (d->geometry) {
        front_geometry(f, chunk);
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
