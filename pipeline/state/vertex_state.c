/* The parts of a draw for its vertices: how they are fetched, the meaning of a program's results,
 * and the transform from clip space to the window. In: GROUP_PROGRAM, GROUP_FETCH, GROUP_VIEW and
 * GROUP_RASTER. Out: struct view_state, struct vertex_state. Must not know primitives.
 */
#include "pipeline/state/build.h"

#include <stddef.h>
#include <string.h>

void build_map(struct result_map *map, const struct program_header *h, bool geometry) {
    const uint8_t zero = geometry ? RESULT_CONST0_GP : RESULT_CONST0_VP;
    map->size = h->map_size < SLOTS ? h->map_size : SLOTS;
    for (unsigned i = 0; i < map->size; i++) {
        const uint8_t word = h->result_map[i];
        map->source[i] = word < zero ? word : word == zero + 1 ? MAP_ONE : MAP_ZERO;
    }
}

uint8_t output_rows(const struct program_header *h) {
    return (uint8_t)(h->result_count < RESULT_ROWS ? h->result_count : RESULT_ROWS);
}

struct semantic_state drawn_semantic(const struct state *s) {
    struct semantic_state m = s->semantic;
    uint8_t *const slots[] = {&m.point_size, &m.layer, &m.viewport, &m.primitive_id};
    for (unsigned i = 0; i < sizeof slots / sizeof *slots; i++)
        if (*slots[i] >= SLOTS)
            *slots[i] = 0xff;
    return m;
}

struct clip_state drawn_clip(const struct state *s) {
    const struct semantic_state *m = &s->semantic;
    struct clip_state clip = {.depth = !s->depth_clip_off, .z_zero = s->clip_z_zero};
    if (m->clip == 0xff)
        return clip;
    clip.slot = m->clip;
    for (unsigned i = 0; i < STATE_CLIP_PLANES && i < m->clip_count && m->clip + i < SLOTS; i++) {
        if (!(s->clip_enable >> i & 1))
            continue;
        if (s->clip_mode >> 4 * i & 1)
            clip.cull |= (uint8_t)(1u << i);
        else
            clip.clip |= (uint8_t)(1u << i);
    }
    return clip;
}

void *make_view(struct draw_maker *m) {
    const struct state *s = &m->c->state;
    struct view_state *v = part_alloc(m, sizeof *v);
    if (!v)
        return NULL;
    v->transform = s->viewport_transform;
    v->half_pixel = s->pixel_center_integer;
    for (unsigned i = 0; i < state_viewports(s); i++) {
        memcpy(v->scale[i], s->viewport[i].scale, sizeof v->scale[i]);
        memcpy(v->translate[i], s->viewport[i].translate, sizeof v->translate[i]);
    }
    v->clip = drawn_clip(s);
    return v;
}

void *make_vertex(struct draw_maker *m) {
    const struct state *s = &m->c->state;
    const struct program_header *h = &s->header[PROGRAM_VP];
    const struct warp_env *vp = &m->c->p->captured.draw.stages->program[PROGRAM_VP];
    struct vertex_state *v = part_alloc(m, sizeof *v);
    if (!v)
        return NULL;
    if (!build_fetch(m->c, &v->fetch, m->inlined)) {
        m->result = TP_ERROR_INVALID;
        return NULL;
    }
    v->program = vp->program;
    v->mode = vp->mode;
    v->call_limit = vp->call_limit;
    build_map(&v->map, h, false);
    v->rows = output_rows(h);
    v->local_size = h->local_size;
    v->provoking_last = s->provoking_last;
    v->semantic = drawn_semantic(s);
    v->viewport_from_slot = state_viewports(s) > 1;
    rows_layout(&v->layout, &v->map, v->rows, &v->semantic);
    return v;
}
