/* The part of a draw for its geometry stage. In: the geometry program and its header, the class of
 * input primitives. Out: struct geometry_state. Must not know the stages after it.
 */
#include "pipeline/state/build.h"

enum { MAX_VERTICES = 1024 };

enum primitive_class drawn_class(const struct state *s, uint32_t primitive) {
    static const uint8_t classes[] = {0, CLASS_POINT, CLASS_LINE, CLASS_TRIANGLE};
    return s->program[PROGRAM_GP] ? classes[s->header[PROGRAM_GP].gp_out_primitive & 3]
                                  : assemble_class(primitive);
}

void *make_geometry(struct draw_maker *m) {
    const struct state *s = &m->c->state;
    const struct program_header *h = &s->header[PROGRAM_GP];
    const struct semantic_state semantic = drawn_semantic(s);
    struct geometry_state *g = part_alloc(m, sizeof *g);
    if (!g)
        return NULL;
    build_map(&g->map, h, true);
    g->rows = output_rows(h);
    g->vertices = (uint8_t)assemble_vertices(m->primitive);
    g->primitive = h->gp_out_primitive;
    g->max_vertices = h->gp_max_vertices <= MAX_VERTICES ? h->gp_max_vertices : MAX_VERTICES;
    g->primitive_id = (h->builtin_enable | s->header[PROGRAM_VP].builtin_enable) & 0x100;
    g->local_size = h->local_size;
    rows_layout(&g->layout, &g->map, g->rows, &semantic);
    return g;
}
