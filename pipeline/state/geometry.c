/* Everything between the programs and setup: result maps, clip distances, the meanings of slots, the
 * geometry stage. In: GROUP_PROGRAM and GROUP_VIEW. Out: fields of struct draw. Must not know
 * primitives.
 */
#include "pipeline/state/build.h"

static void build_map(struct result_map *map, const struct program_header *h, bool geometry) {
    const uint8_t zero = geometry ? RESULT_CONST0_GP : RESULT_CONST0_VP;
    map->size = h->map_size < SLOTS ? h->map_size : SLOTS;
    for (unsigned i = 0; i < map->size; i++) {
        const uint8_t word = h->result_map[i];
        map->source[i] = word < zero ? word : word == zero + 1 ? MAP_ONE : MAP_ZERO;
    }
}

static uint8_t output_rows(const struct program_header *h) {
    return (uint8_t)(h->result_count < RESULT_ROWS ? h->result_count : RESULT_ROWS);
}

void build_maps(const struct state *s, struct draw *d) {
    build_map(&d->vertex.map, &s->header[PROGRAM_VP], false);
    d->vertex.rows = output_rows(&s->header[PROGRAM_VP]);
    d->vertex.local_size = s->header[PROGRAM_VP].local_size;
    d->slots = d->vertex.map.size < 4 ? 4 : d->vertex.map.size;
}

void build_clip(const struct state *s, struct draw *d) {
    const struct semantic_state *m = &s->semantic;
    d->vertex.clip.depth = !s->depth_clip_off;
    d->vertex.clip.z_zero = s->clip_z_zero;
    if (m->clip == 0xff)
        return;
    d->vertex.clip.slot = m->clip;
    for (unsigned i = 0; i < STATE_CLIP_PLANES && i < m->clip_count && m->clip + i < SLOTS; i++) {
        if (!(s->clip_enable >> i & 1))
            continue;
        if (s->clip_mode >> 4 * i & 1)
            d->vertex.clip.cull |= (uint8_t)(1u << i);
        else
            d->vertex.clip.clip |= (uint8_t)(1u << i);
        d->slots = d->slots > m->clip + i ? d->slots : (uint8_t)(m->clip + i + 1);
    }
}

/* Meanings that name a slot no vertex has are dropped; the others make vertices long enough. */
void build_semantic(const struct state *s, struct draw *d) {
    d->vertex.semantic = s->semantic;
    d->layer = s->layer;
    uint8_t *const slots[] = {&d->vertex.semantic.point_size, &d->vertex.semantic.layer, &d->vertex.semantic.viewport,
                              &d->vertex.semantic.primitive_id};
    for (unsigned i = 0; i < sizeof slots / sizeof *slots; i++) {
        if (*slots[i] >= SLOTS)
            *slots[i] = 0xff;
        else if (d->slots <= *slots[i])
            d->slots = (uint8_t)(*slots[i] + 1);
    }
    d->vertex.viewport_from_slot = s->viewport_from_gp && d->vertex.semantic.viewport != 0xff;
    d->point_size_from_slot = s->point_size_from_slot && d->vertex.semantic.point_size != 0xff;
    struct semantic_state *m = &d->vertex.semantic;
    rows_layout(&d->vertex.layout, &d->vertex.map, d->vertex.rows, m);
    rows_layout(&d->gp_layout, &d->gp_map, d->gp_rows, m);
    d->flat_color = s->flat_shade && m->color_front != 0xff && m->color_count &&
                    m->color_front + m->color_count <= SLOTS;
    if (d->flat_color && d->slots < m->color_front + m->color_count)
        d->slots = (uint8_t)(m->color_front + m->color_count);
}

void build_geometry_stage(const struct state *s, struct draw *d, uint32_t primitive) {
    static const uint8_t classes[] = {0, CLASS_POINT, CLASS_LINE, CLASS_TRIANGLE};
    const struct program_header *h = &s->header[PROGRAM_GP];
    d->class = assemble_class(primitive);
    d->gp_vertices = (uint8_t)assemble_vertices(primitive);
    if (!d->gp.program)
        return;
    build_map(&d->gp_map, h, true);
    d->gp_rows = output_rows(h);
    d->gp_primitive = h->gp_out_primitive;
    d->gp_max_vertices = h->gp_max_vertices <= 1024 ? h->gp_max_vertices : 1024;
    d->gp_primitive_id = (h->builtin_enable | s->header[PROGRAM_VP].builtin_enable) & 0x100;
    d->class = classes[h->gp_out_primitive & 3];
    d->gp_local_size = h->local_size;
    d->slots = d->gp_map.size < 4 ? 4 : d->gp_map.size;
}

