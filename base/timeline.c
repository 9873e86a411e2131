/* The record behind `--timeline`: see timeline.h. Each thread has a list of events that only this
 * thread writes, so an event costs a few stores. The list of lists is under a lock. In: events.
 * Out: Chrome's trace JSON, in microseconds since the start of the record; each thread has a track,
 * and tile passes have one. Must not know the meaning of the work.
 */
#include "base/timeline.h"
#include "base/c_locale.h"
#include "base/new_file.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 1 << 13,      /* events of a block */
    MOST_BLOCKS = 1 << 9, /* of a thread */
    TEXT = 40,            /* bytes of an event's text, with the 0 */
    RUN_GAP = 10 * 1000,  /* most nanoseconds between draws or submissions that become one event */
    TRACK_PASSES = 1000   /* the number of the passes' track */
};

struct event {
    uint64_t begin, end; /* ticks */
    uint64_t first;
    uint32_t second;
    uint8_t kind;
    char text[TEXT];
};

struct block {
    struct block *next;
    uint32_t count;
    struct event event[BLOCK];
};

struct track {
    struct track *next;
    char name[32];
    int number;
    struct block *first, *last;
    uint32_t blocks;
    const char *cause;
    /* the last event of submissions and of draws; NULL if no later event may extend it */
    struct event *run[2];
};

bool timeline_on;

static struct {
    pthread_mutex_t lock;
    struct track *tracks;
    int count;
    uint64_t ticks, nanoseconds; /* at the start */
    uint64_t gap;                /* RUN_GAP in ticks */
    bool incomplete, processor;  /* events were lost; ticks are ns of the thread's processor time */
} line = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct track *own;

static const struct {
    const char *name, *argument[2];
} kinds[TIMELINE_KINDS] = {
#define X(e, name, first, second) {name, {first, second}},
    TIMELINE_LIST(X)
#undef X
};

uint64_t timeline_now(void) {
    return line.processor ? clock_ns(CLOCK_THREAD_CPUTIME_ID) : profile_ticks();
}

static struct track *own_track(void) {
    if (own)
        return own;
    struct track *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    pthread_mutex_lock(&line.lock);
    t->number = line.count++;
    t->next = line.tracks;
    line.tracks = t;
    snprintf(t->name, sizeof t->name, "thread %d", t->number);
    pthread_mutex_unlock(&line.lock);
    return own = t;
}

void timeline_thread(const char *name, int number) {
    struct track *t = timeline_on ? own_track() : NULL;
    if (!t)
        return;
    if (number < 0)
        snprintf(t->name, sizeof t->name, "%s", name);
    else
        snprintf(t->name, sizeof t->name, "%s %d", name, number);
}

/* The ticks in a number of nanoseconds; measures the clock for a millisecond. */
static uint64_t ticks_of(uint64_t nanoseconds) {
    const uint64_t ticks = profile_ticks(), start = clock_ns(CLOCK_MONOTONIC);
    uint64_t passed;
    while ((passed = clock_ns(CLOCK_MONOTONIC) - start) < 1000000) {
    }
    return (uint64_t)((double)nanoseconds * (double)(profile_ticks() - ticks) / (double)passed);
}

void timeline_start(const char *thread) {
    line.gap = ticks_of(RUN_GAP);
    line.ticks = profile_ticks();
    line.nanoseconds = clock_ns(CLOCK_MONOTONIC);
    timeline_on = true;
    timeline_thread(thread, -1);
}

void timeline_start_processor_time(const char *thread) {
    line.processor = true;
    line.gap = RUN_GAP;
    line.ticks = timeline_now();
    timeline_on = true;
    timeline_thread(thread, -1);
}

static struct block *open_block(struct track *t) {
    if (t->last && t->last->count < BLOCK)
        return t->last;
    struct block *b = t->blocks < MOST_BLOCKS ? malloc(sizeof *b) : NULL;
    if (!b) {
        line.incomplete = true;
        return NULL;
    }
    b->next = NULL;
    b->count = 0;
    *(t->last ? &t->last->next : &t->first) = b;
    t->last = b;
    t->blocks++;
    return b;
}

static struct event *add(struct track *t, enum timeline_kind kind, uint64_t begin, uint64_t first,
                         uint64_t second) {
    struct block *b = t && timeline_on ? open_block(t) : NULL;
    if (!b)
        return NULL;
    struct event *e = &b->event[b->count];
    e->begin = begin;
    e->end = timeline_now();
    e->first = first;
    e->second = (uint32_t)second;
    e->kind = (uint8_t)kind;
    e->text[0] = 0;
    __atomic_store_n(&b->count, b->count + 1, __ATOMIC_RELEASE);
    return e;
}

void timeline_add(enum timeline_kind kind, uint64_t begin, uint64_t first, uint64_t second,
                  const char *text) {
    struct track *t = own_track();
    struct event *e = add(t, kind, begin, first, second);
    if (e && text)
        snprintf(e->text, sizeof e->text, "%s", text);
    if (t)
        t->run[0] = t->run[1] = NULL;
}

void timeline_add_run(enum timeline_kind kind, uint64_t begin, uint64_t first) {
    struct track *t = own_track();
    struct event **run = t ? &t->run[kind == TIMELINE_DRAWS] : NULL, *e = run ? *run : NULL;
    if (!e || begin - e->end > line.gap) {
        e = add(t, kind, begin, first, 1);
        if (run)
            *run = e;
        return;
    }
    e->end = timeline_now();
    e->second++;
    if (kind == TIMELINE_SUBMISSION)
        e->first += first;
}

void timeline_set_cause(const char *cause) {
    struct track *t = own_track();
    if (t)
        t->cause = cause;
}

const char *timeline_take_cause(const char *otherwise) {
    struct track *t = own_track();
    const char *cause = t && t->cause ? t->cause : otherwise;
    if (t)
        t->cause = NULL;
    return cause;
}

/* ---- the file ---- */

struct scale {
    double per_tick; /* microseconds */
};

/* The time of a tick, measured from the start of the record until now. */
static struct scale scale_now(void) {
    const uint64_t ticks = profile_ticks() - line.ticks;
    const double passed = (double)(clock_ns(CLOCK_MONOTONIC) - line.nanoseconds);
    return (struct scale){line.processor ? 1e-3 : ticks ? passed / 1000 / (double)ticks : 0};
}

static double microseconds(const struct scale *s, uint64_t ticks) {
    return (double)(int64_t)(ticks - line.ticks) * s->per_tick;
}

static void write_arguments(FILE *f, const struct event *e) {
    const char *comma = "";
    const uint64_t value[2] = {e->first, e->second};
    fprintf(f, "\"args\":{");
    for (int i = 0; i < 2; i++)
        if (kinds[e->kind].argument[i][0] && e->kind != TIMELINE_WAIT) {
            fprintf(f, "%s\"%s\":%" PRIu64, comma, kinds[e->kind].argument[i], value[i]);
            comma = ",";
        }
    if (e->text[0])
        fprintf(f, "%s\"%s\":\"%s\"", comma,
                e->kind == TIMELINE_WAIT      ? "for"
                : e->kind == TIMELINE_COMPILE ? "program"
                                              : "cause",
                e->text);
    fprintf(f, "}}");
}

/* Passes overlap, so they are asynchronous events. A frame is a mark over all tracks. */
static void write_event(FILE *f, const struct scale *s, const struct track *t,
                        const struct event *e, const char **comma) {
    const double begin = microseconds(s, e->begin), end = microseconds(s, e->end);
    const char *name = kinds[e->kind].name;
    if (e->kind == TIMELINE_PASS) {
        fprintf(f,
                "%s\n{\"name\":\"%s\",\"cat\":\"pass\",\"ph\":\"b\",\"id\":%" PRIu64
                ",\"pid\":1,\"tid\":%d,\"ts\":%.3f,",
                *comma, name, e->begin, TRACK_PASSES, begin);
        write_arguments(f, e);
        fprintf(f,
                ",\n{\"name\":\"%s\",\"cat\":\"pass\",\"ph\":\"e\",\"id\":%" PRIu64
                ",\"pid\":1,\"tid\":%d,\"ts\":%.3f}",
                name, e->begin, TRACK_PASSES, end);
    } else if (e->kind == TIMELINE_FRAME) {
        fprintf(f,
                "%s\n{\"name\":\"%s\",\"ph\":\"i\",\"s\":\"g\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,",
                *comma, name, t->number, end);
        write_arguments(f, e);
    } else {
        fprintf(f,
                "%s\n{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,"
                "\"dur\":%.3f,",
                *comma, name,
                e->kind == TIMELINE_WAIT || e->kind == TIMELINE_SLEEP ? "wait" : "work", t->number,
                begin, end - begin);
        write_arguments(f, e);
    }
    *comma = ",";
}

static void write_track(FILE *f, const struct scale *s, const struct track *t, const char **comma) {
    fprintf(
        f,
        "%s\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"args\":{\"name\":\"%s\"}}",
        *comma, t->number, t->name);
    *comma = ",";
    for (const struct block *b = t->first; b; b = b->next) {
        const uint32_t count = __atomic_load_n(&b->count, __ATOMIC_ACQUIRE);
        for (uint32_t i = 0; i < count; i++)
            write_event(f, s, t, &b->event[i], comma);
    }
}

bool timeline_write(const char *path, char *why, size_t size) {
    C_LOCALE_BLOCK;
    const struct scale scale = scale_now();
    const char *comma = "";
    struct new_file made;
    timeline_on = false;
    const bool open = new_file_open(&made, path);
    if (open) {
        FILE *const f = made.file;
        fprintf(f, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"complete\":%s},\"traceEvents\":[",
                line.incomplete ? "false" : "true");
        fputs(
            "\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"teslapipe\"}}",
            f);
        comma = ",";
        pthread_mutex_lock(&line.lock);
        for (const struct track *t = line.tracks; t; t = t->next)
            write_track(f, &scale, t, &comma);
        pthread_mutex_unlock(&line.lock);
        fprintf(f, "\n]}\n");
    }
    if (open && new_file_close(&made, path, !ferror(made.file)))
        return true;
    snprintf(why, size, "%s: %s", path, strerror(errno));
    return false;
}

/* ---- visitors ---- */

bool timeline_visit(void (*visit)(void *self, const struct timeline_view *event), void *self) {
    const struct scale scale = scale_now();
    timeline_on = false;
    for (const struct block *b = own ? own->first : NULL; b; b = b->next) {
        for (uint32_t i = 0; i < b->count; i++) {
            const struct event *e = &b->event[i];
            const struct timeline_view view = {
                (enum timeline_kind)e->kind, 1000 * microseconds(&scale, e->begin),
                1000 * microseconds(&scale, e->end), e->first, e->second};
            visit(self, &view);
        }
    }
    return !line.incomplete;
}
