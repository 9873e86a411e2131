/* Counters, queries and conditional rendering. In: the scene's totals, and the samples before its
 * marks. Out: numbers since the last reset, at once or when they are known. Of the layout of
 * reports in memory, this file knows only the place of the value.
 */
#include "pipeline/context_private.h"

#include "base/timeline.h"
#include "shader/native/native.h"

#include <stdio.h>

/* The value of a counter that the front end counts. Each stream has its own counts of
 * primitives. */
static uint64_t front_counter(const struct front_counters *f, enum counter counter,
                              uint32_t stream) {
    const uint64_t value[COUNTERS] = {
        [COUNTER_PRIMITIVES_GENERATED] = f->generated[stream],
        [COUNTER_PRIMITIVES_WRITTEN] = f->written[stream],
        [COUNTER_PRIMITIVES_NEEDED] = f->needed[stream],
        [COUNTER_VERTICES] = f->elements,
        [COUNTER_PRIMITIVES_IN] = f->primitives_in,
        [COUNTER_VP_LAUNCHES] = f->vertices,
        [COUNTER_GP_LAUNCHES] = f->gp_launches,
        [COUNTER_PATCHES] = f->patches,
        [COUNTER_EVALUATIONS] = f->evaluations,
        [COUNTER_GP_PRIMITIVES] = f->gp_primitives,
        [COUNTER_CLIP_IN] = f->clip_in,
        [COUNTER_CLIP_OUT] = f->primitives,
    };
    return value[counter];
}

/* Returns a counter. Waits for all pixels if the counter counts samples or fragment programs, else
 * for the front end only. */
static uint64_t current_counter(tp_context *c, enum counter counter, uint32_t stream) {
    struct scene_totals t;
    if (counter != COUNTER_SAMPLES_PASSED && counter != COUNTER_FP_LAUNCHES) {
        scene_finish_front(c->p->scene);
        scene_get_front(c->p->scene, &t.front);
        return front_counter(&t.front, counter, stream);
    }
    timeline_because("a count of samples");
    context_flush(c);
    scene_get_totals(c->p->scene, &t);
    return counter == COUNTER_FP_LAUNCHES ? t.raster.fragments : t.raster.samples_passed;
}

uint64_t context_stream_counter(tp_context *c, enum counter counter, uint32_t stream) {
    if ((unsigned)counter >= COUNTERS || stream >= STATE_STREAMS)
        return 0;
    work_counts(c, TOUCH_READ, counter, 1);
    const uint64_t now = current_counter(c, counter, stream); /* first: a flush may set base[] */
    return now - c->p->counters.base[counter][stream];
}

uint64_t context_counter(tp_context *c, enum counter counter) {
    return context_stream_counter(c, counter, 0);
}

void context_counter_reset(tp_context *c, enum counter counter) {
    if ((unsigned)counter < COUNTERS)
        work_counts(c, TOUCH_REPLACE, counter, 1);
    if (counter == COUNTER_SAMPLES_PASSED)
        c->p->counters.sample_base = (struct sample_base){true, scene_mark(c->p->scene)};
    else if ((unsigned)counter < COUNTERS)
        for (uint32_t i = 0; i < STATE_STREAMS; i++)
            c->p->counters.base[counter][i] = current_counter(c, counter, i);
}

/* ---- reports ---- */

bool context_report_samples(tp_context *c, uint64_t address, uint32_t size, uint32_t sequence) {
    enum { MOST_REPORTS = 4096 }; /* each access to memory is compared with all reports that wait */
    struct counters *p = &c->p->counters;
    if (p->report_count == MOST_REPORTS)
        context_flush(c);
    if (!ARRAY_ROOM(p->report, p->report_capacity, p->report_count + 1))
        return false;
    context_before_write(c, address, size); /* flushes draws that read the old bytes */
    work_counts(c, TOUCH_READ, COUNTER_SAMPLES_PASSED, 1);
    work_touch(c, TOUCH_REPLACE, USE_MEMORY, address, size);
    struct sample_base base = p->sample_base;
    if (!base.marked)
        base.value = p->base[COUNTER_SAMPLES_PASSED][0];
    if (!p->report_count || address < p->reports_low)
        p->reports_low = address;
    if (!p->report_count || address + size > p->reports_high)
        p->reports_high = address + size;
    p->report[p->report_count++] =
        (struct sample_report){address, size, sequence, scene_mark(c->p->scene), base};
    note_event(c, EVENT_ARRAYS);
    return true;
}

bool context_awaits_report(const tp_context *c, uint64_t address, uint64_t size) {
    const struct counters *p = &c->p->counters;
    if (!p->report_count || address >= p->reports_high || address + size <= p->reports_low)
        return false;
    for (size_t i = 0; i < p->report_count; i++)
        if (p->report[i].address < address + size &&
            address < p->report[i].address + p->report[i].size)
            return true;
    return false;
}

static uint64_t base_value(const struct scene *s, const struct sample_base *base) {
    return base->marked ? scene_samples(s, base->value) : base->value;
}

void context_write_reports(tp_context *c) {
    struct counters *p = &c->p->counters;
    for (size_t i = 0; i < p->report_count; i++) {
        const struct sample_report *r = &p->report[i];
        const uint64_t samples =
            scene_samples(c->p->scene, r->mark) - base_value(c->p->scene, &r->base);
        c->reports.write(c->reports.self, r->address, r->sequence, samples);
    }
    p->report_count = 0;
    if (p->sample_base.marked)
        p->base[COUNTER_SAMPLES_PASSED][0] = base_value(c->p->scene, &p->sample_base);
    p->sample_base.marked = false;
    scene_forget_marks(c->p->scene);
}

enum { REPORT_BYTES = 16 };

/* The value (word 1) of a report; 0 if the report lies outside of memory. */
static uint32_t report_value(tp_context *c, uint64_t address) {
    uint32_t report[REPORT_BYTES / 4] = {0};
    const void *at = memory_at(c->device->memory, address, sizeof report);
    if (at)
        memcpy(report, at, sizeof report);
    return report[1];
}

/* True if draws and clears are to be drawn: COND_MODE tests the value of a report, or compares the
 * value with that of the next report (tesla-3d.md §7). */
bool context_condition(tp_context *c) {
    enum { NEVER, ALWAYS, NON_ZERO, EQUAL, NOT_EQUAL };
    const uint8_t mode = c->state.condition_mode;
    if (mode == NEVER || mode == ALWAYS)
        return mode == ALWAYS;
    const uint64_t address = c->state.condition_address;
    context_before_read(c, address, 2 * REPORT_BYTES);
    if (work_is_dry(c)) /* the reports' values are unknown, so every draw counts */
        return true;
    const uint32_t value = report_value(c, address);
    switch (mode) {
    case NON_ZERO:
        return value != 0;
    case EQUAL:
        return value == report_value(c, address + REPORT_BYTES);
    case NOT_EQUAL:
        return value != report_value(c, address + REPORT_BYTES);
    default:
        return true;
    }
}

static void collect_statistics(tp_context *c, struct tp_statistics *s) {
    struct scene_totals t;
    const struct counters *p = &c->p->counters;
    scene_get_totals(c->p->scene, &t);
    *s = (struct tp_statistics){
        .draws = p->draws,
        .vertices = t.front.vertices,
        .primitives = t.front.primitives,
        .vertex_warps = t.front.vertex_warps,
        .geometry_warps = t.front.geometry_warps,
        .fragment_warps = t.raster.warps,
        .compute_warps = p->compute_warps,
        .fragments = t.raster.fragments,
        .samples_passed = t.raster.samples_passed,
        .instructions =
            t.front.warp.instructions + t.raster.warp.instructions + p->compute.instructions,
        .lane_instructions = t.front.warp.lane_instructions + t.raster.warp.lane_instructions +
                             p->compute.lane_instructions,
        .bad_reads = t.front.warp.bad_reads + t.raster.warp.bad_reads + p->compute.bad_reads,
        .bad_writes = t.front.warp.bad_writes + t.raster.warp.bad_writes + p->compute.bad_writes,
    };
}

void context_statistics(tp_context *c, struct tp_statistics *statistics) {
    context_flush(c);
    collect_statistics(c, statistics);
    uint64_t *const now = (uint64_t *)statistics;
    const uint64_t *const base = (const uint64_t *)&c->p->counters.statistics_base;
    for (size_t i = 0; i < offsetof(struct tp_statistics, memory_now) / sizeof *now; i++)
        now[i] -= base[i];
    memory_usage(c->device->memory, &statistics->memory_now, &statistics->memory_peak);
    if (c->device->native) {
        struct native_statistics native;
        native_get_statistics(c->device->native, &native);
        statistics->programs_compiled = native.programs;
        statistics->compile_nanoseconds = native.nanoseconds;
    }
}

void context_reset_statistics(tp_context *c) {
    context_flush(c);
    collect_statistics(c, &c->p->counters.statistics_base);
}

/* ---- profile ---- */

_Static_assert((int)STAGES <= (int)TP_PROFILE_STAGES, "all stages can be told");

void context_take_profile(tp_context *c, struct tp_profile *profile) {
    struct scene_profile p;
    context_flush(c);
    scene_take_profile(c->p->scene, &p);
    *profile = (struct tp_profile){
        .nanoseconds = p.elapsed, .threads = (uint32_t)c->device->threads, .stage_count = STAGES};
    for (int i = 0; i < STAGES; i++)
        profile->stage[i] = (struct tp_profile_stage){stage_label(i), p.time[i], p.count[i]};
}

void context_log_profile(tp_context *c) {
    enum { APART = 10 * 1000 * 1000 }; /* nanoseconds */
    struct tp_profile p;
    char line[1024];
    const uint64_t now = clock_ns(CLOCK_MONOTONIC);
    if (now - c->p->counters.profile_logged < APART)
        return;
    c->p->counters.profile_logged = now;
    context_take_profile(c, &p);
    int n = snprintf(line, sizeof line, "profile: %.2f ms x %u threads;",
                     1e-6 * (double)p.nanoseconds, p.threads);
    for (uint32_t i = 0; i < p.stage_count && n < (int)sizeof line; i++)
        if (p.stage[i].nanoseconds)
            n += snprintf(line + n, sizeof line - (size_t)n, " %s %.2f (%llu)", p.stage[i].name,
                          1e-6 * (double)p.stage[i].nanoseconds,
                          (unsigned long long)p.stage[i].count);
    log_message(&c->device->log, LOG_INFO, "%s", line);
}

int context_enter(tp_context *c, int stage) {
    return (int)profile_enter(scene_profile(c->p->scene), (enum stage)stage);
}

void context_leave(tp_context *c, int was) {
    profile_leave(scene_profile(c->p->scene), (enum stage)was);
}

void context_share(tp_context *c, uint32_t count,
                   void (*fn)(void *self, uint32_t index, int worker), void *self) {
    scene_share(c->p->scene, STAGE_COPY, count, fn, self);
}
