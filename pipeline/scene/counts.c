/* Counts of the workers: marks, sums, failures and time. A mark is a place in the queue at which
 * samples are counted. The thread that draws a tile adds passed samples to its own sum for the
 * interval between two marks. In: marks, on the calling thread; the workers' counters and first
 * failures. Out: the samples before each mark, sums, the first failure in the order of the draws.
 * Sums are complete only while nothing is queued; sums of the front end are also complete while all
 * tasks are through the front end. Must not know queries.
 */
#include "pipeline/scene/queue.h"

#include <stdlib.h>

/* ---- marks ---- */

uint64_t scene_mark(struct scene *s) {
    struct marks *m = &s->marks;
    m->interval += m->used;
    m->used = false;
    return m->interval;
}

void marks_count(struct scene *s, int worker, uint64_t interval, uint64_t samples) {
    struct scene_worker *w = &s->worker[worker];
    const size_t i = interval - s->marks.first, had = w->passed_capacity;
    if (!ARRAY_ROOM(w->passed, w->passed_capacity, i + 1)) {
        scene_note_oom(s);
        return;
    }
    memset(w->passed + had, 0, (w->passed_capacity - had) * sizeof *w->passed);
    w->passed[i] += samples;
}

void marks_settle(struct scene *s) {
    struct marks *m = &s->marks;
    const size_t n = m->interval - m->first + 1;
    const bool room = ARRAY_ROOM(m->before, m->capacity, m->count + n);
    if (!room)
        scene_note_oom(s);
    for (size_t i = 0; i < n; i++) {
        if (room)
            m->before[m->count++] = m->total;
        for (int k = 0; k < s->threads; k++) {
            struct scene_worker *w = &s->worker[k];
            if (i < w->passed_capacity) {
                m->total += w->passed[i];
                w->passed[i] = 0;
            }
        }
    }
    m->first = ++m->interval;
    m->used = false;
}

uint64_t scene_samples(const struct scene *s, uint64_t mark) {
    const struct marks *m = &s->marks;
    const uint64_t i = mark - m->oldest;
    return i < m->count ? m->before[i] : m->total;
}

void scene_forget_marks(struct scene *s) {
    s->marks.oldest = s->marks.first;
    s->marks.count = 0;
}

/* ---- sums over the workers ---- */

static void add_front(struct front_counters *to, const struct front_counters *from) {
    to->elements += from->elements;
    to->vertices += from->vertices;
    to->vertex_warps += from->vertex_warps;
    to->geometry_warps += from->geometry_warps;
    to->gp_launches += from->gp_launches;
    to->gp_primitives += from->gp_primitives;
    to->patches += from->patches;
    to->evaluations += from->evaluations;
    to->primitives_in += from->primitives_in;
    for (int i = 0; i < STATE_STREAMS; i++) {
        to->generated[i] += from->generated[i];
        to->written[i] += from->written[i];
        to->needed[i] += from->needed[i];
    }
    to->clip_in += from->clip_in;
    to->primitives += from->primitives;
    warp_stats_add(&to->warp, &from->warp);
}

void scene_get_front(const struct scene *s, struct front_counters *totals) {
    *totals = (struct front_counters){0};
    for (int i = 0; i < s->threads; i++) {
        if (s->worker[i].front)
            add_front(totals, front_count(s->worker[i].front));
    }
}

void scene_get_totals(const struct scene *s, struct scene_totals *totals) {
    *totals = (struct scene_totals){0};
    scene_get_front(s, &totals->front);
    for (int i = 0; i < s->threads; i++) {
        const struct scene_worker *w = &s->worker[i];
        totals->raster.samples_passed += w->counters.samples_passed;
        totals->raster.fragments += w->counters.fragments;
        totals->raster.warps += w->counters.warps;
        totals->raster.early_rejected += w->counters.early_rejected;
        warp_stats_add(&totals->raster.warp, &w->counters.warp);
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
            take_trap(s, front_trap(w->front));
            s->oom |= front_take_oom(w->front);
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

/* ---- where the time went ---- */

struct profile *scene_profile(struct scene *s) {
    return worker_profile(s, 0);
}

static void begin_measurement(struct scene *s) {
    s->measured = true;
    s->measured_ns = clock_ns(CLOCK_MONOTONIC);
    s->measured_ticks = profile_ticks();
    for (int i = 0; i < s->threads; i++)
        s->worker[i].profile = (struct profile){
            .stage = i ? STAGE_IDLE : s->worker[0].profile.stage, .since = s->measured_ticks};
}

/* The time of all threads that no stage has used counts as idle time. */
void scene_take_profile(struct scene *s, struct scene_profile *profile) {
    *profile = (struct scene_profile){0};
    scene_flush(s);
    if (s->measured) {
        profile_leave(&s->worker[0].profile, s->worker[0].profile.stage);
        profile->elapsed = clock_ns(CLOCK_MONOTONIC) - s->measured_ns;
        const uint64_t ticks = profile_ticks() - s->measured_ticks;
        const double scale = ticks ? (double)profile->elapsed / (double)ticks : 0;
        uint64_t busy = 0;
        for (int k = STAGE_IDLE + 1; k < STAGES; k++) {
            for (int i = 0; i < s->threads; i++) {
                profile->time[k] += (uint64_t)((double)s->worker[i].profile.ticks[k] * scale);
                profile->count[k] += s->worker[i].profile.count[k];
            }
            busy += profile->time[k];
        }
        const uint64_t all = profile->elapsed * (uint64_t)s->threads;
        profile->time[STAGE_IDLE] = all > busy ? all - busy : 0;
    }
    begin_measurement(s);
}
