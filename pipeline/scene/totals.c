/* What the workers have counted, and what went wrong. In: their counters and first failures. Out:
 * sums, the first failure in the order of the draws. Only while nothing is queued.
 */
#include "pipeline/scene/queue.h"

static void add_warp(struct warp_stats *to, const struct warp_stats *from) {
    to->instructions += from->instructions;
    to->lane_instructions += from->lane_instructions;
    to->bad_reads += from->bad_reads;
    to->bad_writes += from->bad_writes;
}

static void add_front(struct front_counters *to, const struct front_counters *from) {
    to->vertices += from->vertices;
    to->vertex_warps += from->vertex_warps;
    to->geometry_warps += from->geometry_warps;
    to->gp_primitives += from->gp_primitives;
    to->primitives_in += from->primitives_in;
    to->primitives_generated += from->primitives_generated;
    to->primitives_written += from->primitives_written;
    to->clip_in += from->clip_in;
    to->primitives += from->primitives;
}

void scene_get_totals(const struct scene *s, struct scene_totals *totals) {
    *totals = (struct scene_totals){0};
    for (int i = 0; i < s->threads; i++) {
        const struct scene_worker *w = &s->worker[i];
        if (w->front) {
            add_front(&totals->front, &w->front->counters);
            add_warp(&totals->front.warp, &w->front->warp->stats);
        }
        totals->raster.samples_passed += w->counters.samples_passed;
        totals->raster.fragments += w->counters.fragments;
        totals->raster.warps += w->counters.warps;
        totals->raster.early_rejected += w->counters.early_rejected;
        add_warp(&totals->raster.warp, &w->counters.warp);
    }
}

static void take_trap(struct scene *s, struct trap *t) {
    if (t->set)
        trap_record(&s->trap, t->order, t->stage, t->program, &t->error);
    t->set = false;
}

void scene_take_errors(struct scene *s) {
    for (int i = 0; i < s->threads; i++) {
        struct scene_worker *w = &s->worker[i];
        take_trap(s, &w->trap);
        if (w->front) {
            take_trap(s, &w->front->trap);
            s->oom |= w->front->oom;
            w->front->oom = false;
        }
        if (w->tile)
            s->oom |= raster_tile_take_oom(w->tile);
    }
}

bool scene_take_trap(struct scene *s, struct trap *trap) {
    const bool set = s->trap.set;
    *trap = s->trap;
    s->trap.set = false;
    return set;
}

bool scene_take_oom(struct scene *s) {
    const bool oom = s->oom;
    s->oom = false;
    return oom;
}
