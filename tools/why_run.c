/* Runs for `why` and the viewer. Runs that look for stores draw the same work on one thread, so
 * that a warp has the same number in each. In: a playback and a pixel. Out: the pixel's history,
 * and the chain of stores. A chain goes from a cause to the values that the cause read, and from
 * there to the last store of these values, backwards through the work. The chain ends at a value
 * that a draw or a copy has changed since the store. */
#include "tools/why_run.h"

#include "tools/history_text.h"

#include <stdlib.h>

/* ---- one run ---- */

static void new_device(void *self, tp_device *device) {
    struct why_run *r = self;
    const struct asked_texel *a = &r->asked;
    r->history = history_create(device, &r->where, 1, &r->options);
    if (!r->history)
        return;
    if (r->options.stores && a->address)
        history_watch_target(r->history, a->address, &a->surface,
                             a->kind == ASKED_ZETA     ? -1
                             : a->kind == ASKED_TARGET ? (int)a->slot
                                                       : 0,
                             a->samples);
    if (r->range)
        history_watch_ranges(r->history, r->range, r->ranges, r->until);
    if (r->followed) {
        r->reads->memory = device->memory;
        history_follow(r->history, r->followed, r->reads);
    }
}

static void new_context(void *self, tp_context *c) {
    struct why_run *r = self;
    r->failed |= !r->history || !history_watch(r->history, c);
}

static void write_memory(void *self, uint64_t address, uint64_t size, uint64_t draw) {
    const struct why_run *r = self;
    if (r->history)
        history_memory(r->history, address, size, draw);
}

static void after_draw(void *self, tp_context *c, uint64_t draw) {
    struct why_run *r = self;
    if (!r->options.stores && (!r->draw || draw <= r->draw))
        asked_note(&r->asked, c, false);
    if (r->hooks.after)
        r->hooks.after(r->hooks.self, c, draw);
}

static void before_launch(void *self, tp_context *c) {
    struct why_run *r = self;
    r->launches++;
    if (!r->options.stores)
        asked_note(&r->asked, c, true);
}

static int run_once(struct why_run *r) {
    const struct playback_hooks hooks = {.self = r,
                                         .device = new_device,
                                         .context = new_context,
                                         .after = after_draw,
                                         .launch = before_launch,
                                         .memory = write_memory,
                                         .sources = r->hooks.sources};
    r->launches = 0;
    const int code = playback_run(&r->playback, r->draw, &hooks, &r->played);
    if (r->history)
        history_end(r->history);
    return code;
}

static void end_once(struct why_run *r) {
    history_free(r->history);
    r->history = NULL;
    playback_end(&r->played);
}

int why_run(struct why_run *r) {
    int code = run_once(r);
    if (code != EXIT_FINE || r->failed || !history_writers(r->history) || !r->asked.address)
        return code;
    end_once(r);
    r->options.stores = true;
    r->playback.threads = 1;
    return run_once(r);
}

void why_run_end(struct why_run *r) {
    end_once(r);
    free(r->cause);
    r->cause = NULL;
    r->causes = r->capacity = 0;
}

/* ---- chains ---- */

/* Runs again and keeps the history and the results of the first run. */
static int run_again(const struct why_run *r, struct why_run *own) {
    struct sources none = {0};
    own->history = NULL;
    own->hooks = (struct playback_hooks){.sources = r->hooks.sources ? &none : NULL};
    const int code = run_once(own);
    sources_free(&none);
    return own->failed ? EXIT_FAILED : code;
}

static void move_reads(struct thread_reads *to, struct thread_reads *from) {
    thread_reads_free(to);
    *to = *from;
    *from = (struct thread_reads){0};
}

/* Finds the reads of the fragment of a primitive's entry. */
static int read_fragment(const struct why_run *r, const struct history_entry *entry,
                         struct thread_reads *reads) {
    struct why_run own = *r;
    size_t count;
    own.options.reads_of = entry->draw;
    const int code = run_again(r, &own);
    if (code == EXIT_FINE) {
        const struct history_entry *const *e =
            history_select(own.history, 0, r->asked.address, &r->asked.surface, r->draw, &count);
        for (size_t i = 0; i < count; i++)
            if (e[i]->order == entry->order && e[i]->reads)
                move_reads(reads, e[i]->reads);
    }
    end_once(&own);
    return code;
}

/* Finds the reads of a thread that stored a value. */
static int read_thread(const struct why_run *r, const struct stored *s,
                       struct thread_reads *reads) {
    struct why_run own = *r;
    own.followed = s;
    own.reads = reads;
    const int code = run_again(r, &own);
    end_once(&own);
    return code;
}

static bool same_thread(const struct stored *a, const struct stored *b) {
    return a->warp == b->warp && a->lane == b->lane && a->at == b->at;
}

static void add_cause(struct why_run *r, uint32_t level, const struct thread_read *read,
                      const struct stored *by) {
    for (size_t i = 0; i < r->causes; i++)
        if (r->cause[i].level == level && same_thread(&r->cause[i].by, by))
            return;
    if (!ARRAY_ROOM(r->cause, r->capacity, r->causes + 1)) {
        r->cut = true;
        return;
    }
    r->cause[r->causes++] = (struct why_cause){level, *read, *by};
}

/* Finds the stores, before the work of `until`, whose values the reads found. */
static int find_writers(struct why_run *r, uint32_t level, const struct thread_reads *reads,
                        const struct stored *until) {
    struct history_range *range = calloc(reads->count, sizeof *range);
    struct why_run own = *r;
    if (!range)
        return EXIT_FAILED;
    for (size_t i = 0; i < reads->count; i++)
        range[i] =
            (struct history_range){.address = reads->read[i].address, .size = reads->read[i].size};
    own.range = range;
    own.ranges = (uint32_t)reads->count;
    own.until = until;
    const int code = run_again(r, &own);
    end_once(&own);
    for (size_t i = 0; code == EXIT_FINE && i < reads->count; i++)
        if (range[i].stored && !range[i].copied &&
            memcmp(range[i].last.after, reads->read[i].bytes, reads->read[i].size) == 0)
            add_cause(r, level, &reads->read[i], &range[i].last);
    free(range);
    return code;
}

/* Returns the last store of a level, from which the chain continues. */
static const struct stored *last_of(const struct why_run *r, uint32_t level) {
    const struct stored *last = NULL;
    for (size_t i = 0; i < r->causes; i++)
        if (r->cause[i].level == level && (!last || stored_before(last, &r->cause[i].by)))
            last = &r->cause[i].by;
    return last;
}

int why_chain(struct why_run *r, const struct history_entry *entry) {
    struct stored by = {.draw = entry->draw};
    int code = EXIT_FINE;
    if (!r->options.stores)
        return EXIT_FINE;
    for (uint32_t level = 1; code == EXIT_FINE && level <= WHY_LEVELS; level++) {
        struct thread_reads reads = {0};
        const struct stored *next = level > 1 ? last_of(r, level - 1) : entry->store;
        if (level > 1 && !next)
            break;
        if (next)
            by = *next;
        code = next ? read_thread(r, &by, &reads) : read_fragment(r, entry, &reads);
        if (code == EXIT_FINE && reads.count)
            code = find_writers(r, level, &reads, &by);
        r->cut |= reads.cut;
        thread_reads_free(&reads);
    }
    return code;
}
