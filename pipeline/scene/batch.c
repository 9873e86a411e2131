/* Batches: memory and references that draws need until they are drawn; the sets of address ranges
 * that they read and write; marks; and what workers have counted. A set of ranges is in no order:
 * sets are small, and most questions are about the newest ranges. A mark is a place in the queue at
 * which samples are counted; the thread that draws a tile adds passed samples to its own sum for
 * the interval between two marks. In: captures, in order; counts and failures of workers. Out: the
 * memory of a batch, given back at once when its last draw is done; the samples before each mark,
 * sums of counters, the first failure in the order of the draws, once nothing is queued (the front
 * end's sums once no task waits for the front end). Runs on the calling thread. Must not know
 * queries or the captured data.
 */
#include "pipeline/scene/queue.h"
#include "pipeline/scene/ranges.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- ranges of addresses ---- */

/* Bytes between the two ranges; 0 if they meet. */
static uint64_t gap_between(const struct range *r, uint64_t address, uint64_t end) {
    return address > r->end ? address - r->end : r->address > end ? r->address - end : 0;
}

/* Ranges near r become part of it. */
static void swallow_neighbours(struct range_set *set, struct range *r) {
    struct range *last = &set->range[set->count - 1];
    for (struct range *o = set->range; o <= last;) {
        if (o == r || gap_between(o, r->address, r->end) >= NEIGHBOUR) {
            o++;
            continue;
        }
        r->address = o->address < r->address ? o->address : r->address;
        r->end = o->end > r->end ? o->end : r->end;
        if (r == last) { /* it moves to the place that becomes free */
            *o = *r;
            r = o;
        } else {
            *o = *last;
        }
        last--;
        o = set->range; /* it is larger now */
    }
    set->count = (uint32_t)(last - set->range) + 1;
}

static void extend_range(struct range_set *set, struct range *r, uint64_t address, uint64_t end) {
    if (address >= r->address && end <= r->end)
        return;
    r->address = address < r->address ? address : r->address;
    r->end = end > r->end ? end : r->end;
    swallow_neighbours(set, r);
}

void range_add(struct range_set *set, uint64_t address, uint64_t size) {
    const uint64_t end = address + size;
    struct range *nearest = NULL;
    uint64_t least = UINT64_MAX;
    set->low = set->count && set->low < address ? set->low : address;
    set->high = set->count && set->high > end ? set->high : end;
    for (uint32_t i = set->count; i-- > 0 && least >= NEIGHBOUR;) {
        const uint64_t gap = gap_between(&set->range[i], address, end);
        nearest = gap < least ? &set->range[i] : nearest;
        least = gap < least ? gap : least;
    }
    if (least < NEIGHBOUR || set->count == MAX_RANGES)
        extend_range(set, nearest, address, end);
    else
        set->range[set->count++] = (struct range){address, end};
}

bool range_meets_one(const struct range_set *set, uint64_t address, uint64_t size) {
    for (uint32_t i = 0; i < set->count; i++)
        if (set->range[i].address < address + size && address < set->range[i].end)
            return true;
    return false;
}

void range_clear(struct range_set *set) {
    set->count = 0;
}

/* ---- batches ---- */

bool batch_add(struct scene *s) {
    struct batch *b = s->spare ? s->spare : calloc(1, sizeof *b);
    if (!b)
        return false;
    s->spare = NULL;
    b->next = NULL;
    b->epoch = ++s->epochs;
    b->last = 0;
    *(s->batch ? &s->batch->next : &s->oldest) = b;
    s->batch = b;
    return true;
}

/* No queued draw is in the batch. */
static void forget_ranges(struct batch *b) {
    range_clear(&b->reads);
    range_clear(&b->writes);
    range_clear(&b->fetches);
    b->last = 0;
}

static void release_captures(struct scene *s, struct batch *b) {
    for (size_t i = 0; i < b->kept_count; i++)
        program_unref(b->kept[i]);
    b->kept_count = 0;
    forget_ranges(b);
    s->bytes -= b->bytes;
    b->bytes = 0;
    arena_reset(&b->arena);
}

static void discard_batch(struct batch *b) {
    arena_free(&b->arena);
    free(b->kept);
    free(b);
}

static void drop_oldest(struct scene *s) {
    struct batch *b = s->oldest;
    s->oldest = b->next;
    release_captures(s, b);
    if (s->spare)
        discard_batch(b);
    else
        s->spare = b;
}

static bool may_go(const struct scene *s, const struct batch *b) {
    return b != s->batch;
}

void batches_retire(struct scene *s) {
    if (!may_go(s, s->oldest))
        return;
    const uint64_t drawn = __atomic_load_n(&s->drawn, __ATOMIC_ACQUIRE);
    while (may_go(s, s->oldest) && s->oldest->last <= drawn)
        drop_oldest(s);
}

void batches_drop(struct scene *s) {
    while (may_go(s, s->oldest))
        drop_oldest(s);
    release_captures(s, s->batch);
    batch_renew(s);
}

void batch_renew(struct scene *s) {
    s->batch->epoch = ++s->epochs;
}

void batches_free(struct scene *s) {
    while (s->oldest) {
        struct batch *next = s->oldest->next;
        release_captures(s, s->oldest);
        discard_batch(s->oldest);
        s->oldest = next;
    }
    if (s->spare)
        discard_batch(s->spare);
}

void *scene_alloc(struct scene *s, size_t size) {
    void *p = arena_alloc(&s->batch->arena, size);
    if (p)
        scene_charge(s, size + 64);
    return p;
}

void scene_charge(struct scene *s, size_t bytes) {
    s->batch->bytes += bytes;
    s->bytes += bytes;
}

bool scene_keep(struct scene *s, struct program *p) {
    struct batch *b = s->batch;
    for (size_t i = b->kept_count, n = 0; i-- > 0 && n < PROGRAM_TYPES; n++)
        if (b->kept[i] == p)
            return true;
    if (!array_grow((void **)&b->kept, &b->kept_capacity, b->kept_count + 1, sizeof *b->kept))
        return false;
    b->kept[b->kept_count++] = program_ref(p);
    return true;
}

uint64_t scene_epoch(const struct scene *s) {
    return s->batch->epoch;
}

uint64_t scene_now(const struct scene *s) {
    return s->epochs;
}

uint64_t scene_tick(struct scene *s) {
    return ++s->epochs;
}

uint64_t scene_oldest_epoch(const struct scene *s) {
    return s->oldest->epoch;
}

/* ---- memory that queued draws read and write ---- */

void scene_reads(struct scene *s, uint64_t address, uint64_t size) {
    range_add(&s->batch->reads, address, size);
}

bool scene_is_read(struct scene *s, uint64_t address, uint64_t size) {
    batches_retire(s);
    for (const struct batch *b = s->oldest; b; b = b->next)
        if (range_meets(&b->reads, address, size))
            return true;
    return false;
}

void scene_fetches(struct scene *s, uint64_t address, uint64_t size) {
    range_add(&s->batch->fetches, address, size);
}

/* The ranges stay when the front end is done with them, since a draw that is captured again does
 * not add its ranges a second time. */
bool scene_is_fetched(struct scene *s, uint64_t address, uint64_t size) {
    bool meets = false;
    for (const struct batch *b = s->oldest; b && !meets; b = b->next)
        meets = range_meets(&b->fetches, address, size);
    if (!meets || s->filling)
        return meets;
    pthread_mutex_lock(&s->lock);
    const bool done = scene_front_done(s);
    pthread_mutex_unlock(&s->lock);
    return !done;
}

void scene_writes(struct scene *s, uint64_t address, uint64_t size) {
    range_add(&s->batch->writes, address, size);
}

bool scene_is_written(struct scene *s, uint64_t address, uint64_t size) {
    batches_retire(s);
    for (const struct batch *b = s->oldest; b; b = b->next)
        if (range_meets(&b->writes, address, size))
            return true;
    return false;
}

bool scene_sequence_writes(struct scene *s, uint64_t address, uint64_t size) {
    batches_retire(s);
    for (const struct batch *b = s->oldest; b; b = b->next)
        if (b->sequence == s->batch->sequence && range_meets(&b->writes, address, size))
            return true;
    return false;
}

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
    if (!array_grow((void **)&w->passed, &w->passed_capacity, i + 1, sizeof *w->passed)) {
        scene_note_oom(s);
        return;
    }
    memset(w->passed + had, 0, (w->passed_capacity - had) * sizeof *w->passed);
    w->passed[i] += samples;
}

void marks_settle(struct scene *s) {
    struct marks *m = &s->marks;
    const size_t n = m->interval - m->first + 1;
    const bool room =
        array_grow((void **)&m->before, &m->capacity, m->count + n, sizeof *m->before);
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

void scene_get_front(const struct scene *s, struct front_counters *totals) {
    *totals = (struct front_counters){0};
    for (int i = 0; i < s->threads; i++) {
        const struct front *f = s->worker[i].front;
        if (f) {
            add_front(totals, &f->counters);
            add_warp(&totals->warp, &f->warp->stats);
        }
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

/* ---- where the time went ---- */

struct profile *scene_profile(struct scene *s) {
    return worker_profile(s, 0);
}

static void begin_measurement(struct scene *s) {
    s->measured = true;
    s->measured_ns = profile_nanoseconds();
    s->measured_ticks = profile_ticks();
    for (int i = 0; i < s->threads; i++)
        s->worker[i].profile = (struct profile){
            .stage = i ? STAGE_IDLE : s->worker[0].profile.stage, .since = s->measured_ticks};
}

/* Idle time is the rest of the time of all threads. */
void scene_take_profile(struct scene *s, struct scene_profile *profile) {
    *profile = (struct scene_profile){0};
    scene_flush(s);
    if (s->measured) {
        profile_leave(&s->worker[0].profile, s->worker[0].profile.stage);
        profile->elapsed = profile_nanoseconds() - s->measured_ns;
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
