/* Vertex programs: a chunk's vertices, 32 at a time, through vertex fetch and a vertex warp into
 * result slots. In: index and instance of each vertex. Out: slots, one vertex after the other. Must
 * not know primitives.
 */
#include "pipeline/front/front.h"

#include <stdlib.h>
#include <string.h>

bool front_local(struct front *f, struct warp *w, uint32_t size) {
    const size_t rows = (size + 3) / 4;
    if (rows > f->local_rows) {
        free(f->local);
        f->local = aligned_alloc(sizeof(u32x32), rows * sizeof(u32x32));
        f->local_rows = f->local ? rows : 0;
    }
    w->local = f->local;
    w->local_size = f->local_rows < rows ? 0 : size;
    if (rows && w->local_size)
        memset(f->local, 0, rows * sizeof(u32x32));
    return w->local_size == size;
}

void front_map(const struct result_map *map, const u32x32 *out, uint32_t rows, uint32_t lanes,
               uint32_t *slot, uint32_t stride) {
    for (uint32_t k = 0; k < map->size; k++) {
        const uint8_t source = map->source[k];
        uint32_t *to = slot + k;
        if (source < rows) {
            const uint32_t *from = (const uint32_t *)&out[source];
            for (uint32_t i = 0; i < lanes; i++, to += stride)
                *to = from[i];
        } else {
            const uint32_t word = source == MAP_ONE ? 0x3f800000 : 0;
            for (uint32_t i = 0; i < lanes; i++, to += stride)
                *to = word;
        }
    }
    for (uint32_t k = map->size; k < stride; k++)
        for (uint32_t i = 0; i < lanes; i++)
            slot[i * stride + k] = 0;
}

void trap_record(struct trap *t, uint64_t order, enum program_type stage, const char *program,
                 const struct warp_error *error) {
    if (t->set && t->order <= order)
        return;
    t->set = true;
    t->order = order;
    t->stage = stage;
    t->error = *error;
    const size_t n = strnlen(program, sizeof t->program - 1);
    memcpy(t->program, program, n);
    t->program[n] = 0;
}

static bool run_warp(struct front *f, const struct chunk *chunk, uint32_t at, uint32_t lanes) {
    const struct draw *d = chunk->call->draw;
    const struct warp_env *env = chunk->call->env->program[PROGRAM_VP];
    struct warp *w = f->warp;
    const struct fetch_vertices v = {f->index + at, f->instance + at, lanes,
                                     chunk->call->instance_base, chunk->call->first_vertex};
    fetch_vertices(env->simd, &d->fetch, &v, f->attr);
    memset(f->out, 0, d->vp_rows * sizeof *f->out);
    w->attr = f->attr;
    w->attr_count = d->fetch.rows;
    w->out = f->out;
    w->out_count = d->vp_rows;
    if (!front_local(f, w, d->local_size[PROGRAM_VP])) {
        f->oom = true;
        return false;
    }
    const lane_mask launched = lanes == LANES ? LANES_ALL : (1u << lanes) - 1;
    w->number = v.index;
    w->instance = v.instance;
    warp_start(w, env, launched, 0);
    f->counters.vertex_warps++;
    if (warp_run(w, env) == WARP_DONE)
        return true;
    trap_record(&f->trap, f->order, PROGRAM_VP, d->program_name[PROGRAM_VP], &w->error);
    __atomic_store_n(&chunk->call->env->trapped, 1, __ATOMIC_RELAXED);
    return false;
}

bool front_vertices(struct front *f, const struct chunk *chunk, uint32_t stride) {
    const struct draw *d = chunk->call->draw;
    /* One more than needed: a geometry program may take nothing, but the pointer is to be one. */
    if (!array_grow((void **)&f->slot, &f->slot_capacity, (size_t)f->vertex_count * stride + 1,
                    sizeof *f->slot)) {
        f->oom = true;
        return false;
    }
    f->counters.vertices += f->vertex_count;
    for (uint32_t at = 0; at < f->vertex_count; at += LANES) {
        const uint32_t lanes = f->vertex_count - at < LANES ? f->vertex_count - at : LANES;
        if (!run_warp(f, chunk, at, lanes))
            return false;
        front_map(&d->vp_map, f->out, d->vp_rows, lanes, f->slot + (size_t)at * stride, stride);
    }
    return true;
}
