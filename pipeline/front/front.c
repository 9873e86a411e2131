/* The front half of a draw, as the list of its stages. In: a chunk of calls' primitives. Out:
 * raster primitives in the arena, sorted by tile. Must not know scenes or which thread it is on.
 */
#include "pipeline/front/front.h"

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
    f->index = malloc(CHUNK_VERTICES * sizeof *f->index);
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
    void *const owned[] = {f->warp,           f->local,     f->prim_vertex, f->prim_id,
                           f->prim_provoking, f->prim_info, f->index,       f->instance,
                           f->cache,          f->rows.data, f->entry,       f->prims.prim,
                           f->tile_count,     f->touched};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    free(f);
}

bool front_reserve_tiles(struct front *f, uint32_t tiles_x, uint32_t tiles_y, size_t tiles) {
    f->tiles_x = tiles_x;
    f->tiles_y = tiles_y;
    if (tiles <= f->tile_capacity)
        return true;
    free(f->tile_count);
    f->tile_count = calloc(tiles, sizeof *f->tile_count);
    f->tile_capacity = f->tile_count ? tiles : 0;
    return f->tile_count;
}

/* Without a geometry program: neighbours are dropped. */
static void output_assembled(struct front *f, const struct chunk *chunk, enum simd_level simd) {
    const struct call *c = chunk->call;
    const unsigned vertices = assemble_class(c->type) + 1;
    const bool adjacency = assemble_adjacency(c->type);
    const struct output o = {.rows = &f->rows,
                             .number = f->prim_vertex,
                             .provoking = f->prim_provoking,
                             .info = f->prim_info,
                             .id = f->prim_id,
                             .n = f->prim_count,
                             .vertices = (uint8_t)vertices,
                             .stride = (uint8_t)assemble_vertices(c->type),
                             .first = adjacency && vertices == 2,
                             .step = adjacency && vertices == 3 ? 2 : 1,
                             .origin = (uint32_t)chunk->piece->first};
    if (c->draw->rasterize || c->draw->stream.enable)
        front_project(c->draw, simd, &f->rows, f->vertex_count);
    front_output(f, c->draw, simd, &o);
}

/* About what a raster primitive takes in the arena. */
static size_t prim_bytes(const struct draw *d) {
    return 128 + d->raster.word_count * sizeof(struct plane);
}

/* What the vertices' inputs are made of, beside their numbers. */
static bool same_inputs(const struct call *a, const struct call *b) {
    const struct fetch_plan *plan = &a->draw->fetch;
    return a->instance_base == b->instance_base &&
           (a->first_vertex == b->first_vertex || plan->vertex_id_row < 0 || plan->id_adds_start);
}

bool chunk_may_join(const struct chunk *chunk, const struct call *call) {
    const struct call *first = chunk->call;
    return call->draw == first->draw && call->type == first->type && same_inputs(first, call) &&
           call->env->program[PROGRAM_GP] == first->env->program[PROGRAM_GP] &&
           call->env->program[PROGRAM_FP] == first->env->program[PROGRAM_FP] &&
           first->draw->infallible;
}

void front_run(struct front *f, struct chunk *chunk, uint64_t order) {
    const struct draw *d = chunk->call->draw;
    chunk->bins = NULL;
    chunk->bin_count = 0;
    chunk->bytes = 0;
    f->order = order;
    f->call = chunk->call;
    f->prims.count = 0;
    if (front_failed(chunk->call, order))
        return;
    const enum stage was = profile_enter(f->profile, STAGE_FETCH);
    front_assemble(f, chunk);
    f->counters.primitives_in += f->prim_count;
    if (front_vertices(f, chunk)) {
        profile_enter(f->profile, d->gp.program ? STAGE_GEOMETRY : STAGE_SETUP);
        if (d->gp.program)
            front_geometry(f, chunk);
        else
            output_assembled(f, chunk, d->vp.simd);
        profile_enter(f->profile, STAGE_BIN);
        chunk->bytes = f->prims.count * prim_bytes(d);
        front_bin(f, chunk);
    }
    profile_leave(f->profile, was);
}
