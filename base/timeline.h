/* The record behind `--timeline`: each thread has a list of events with a beginning and an end. In:
 * calls around work and waits. Out: a file for trace viewers (Chrome's JSON). Without a record each
 * call costs one test. A process has at most one record.
 */
#pragma once

#include "base/profile.h"

#include <stdbool.h>

/* X(enumerator, name, first argument, second argument): "" for none. */
#define TIMELINE_LIST(X)                                                                           \
    X(FRAME, "frame", "number", "")                                                                \
    X(SUBMISSION, "submissions", "words", "count")                                                 \
    X(DRAWS, "draws", "first", "count")                                                            \
    X(FLUSH, "flush", "", "")                                                                      \
    X(WAIT, "wait", "for", "")                                                                     \
    X(SLEEP, "no work", "", "")                                                                    \
    X(TASK, "front end", "chunks", "")                                                             \
    X(CHUNK, "chunk", "draw", "primitives")                                                        \
    X(MERGE, "merge", "chunks", "")                                                                \
    X(PASS, "tile pass", "tiles", "")                                                              \
    X(TILE, "tile", "x", "y")                                                                      \
    X(WORK, "work", "", "")                                                                        \
    X(SHARE, "share", "of", "")                                                                    \
    X(GRID, "grid", "blocks", "")                                                                  \
    X(COMPILE, "native code", "instructions", "bytes")                                             \
    X(COMPLETE, "results", "submission", "")                                                       \
    X(DATA, "recorded memory", "bytes", "")
enum timeline_kind {
#define X(e, ...) TIMELINE_##e,
    TIMELINE_LIST(X)
#undef X
        TIMELINE_KINDS
};

extern bool timeline_on; /* set before threads begin to record */

/* Begins the record of this process. thread: the name of the calling thread. */
void timeline_start(const char *thread);
/* As timeline_start(), with the calling thread's processor time, for records of one thread: time in
 * which other programs had the processor is left out. */
void timeline_start_processor_time(const char *thread);
/* The time of the record's clock, in ticks. */
uint64_t timeline_now(void);
/* Names the calling thread. number: appended to the name if it is not negative. */
void timeline_thread(const char *name, int number);
/* Ends the record and writes it to the file. False with the reason in why. Threads may still
 * record; these events are lost. */
bool timeline_write(const char *path, char *why, size_t size);

/* An event as visitors see it; times in nanoseconds since the start of the record. */
struct timeline_view {
    enum timeline_kind kind;
    double begin, end;
    uint64_t first, second;
};
/* Ends the record and visits the calling thread's events in the order in which they were added.
 * False: events were lost, because there were too many or memory ran out. */
bool timeline_visit(void (*visit)(void *self, const struct timeline_view *event), void *self);

/* Adds an event of the calling thread from `begin`, in ticks, until now. text: a cause or a name,
 * which is copied, or NULL. */
void timeline_add(enum timeline_kind kind, uint64_t begin, uint64_t first, uint64_t second,
                  const char *text);
/* Records a draw or a submission. Extends the thread's last event of this kind if that event ended
 * just before and only draws and submissions have come since; else adds an event. first: the draw's
 * number, or how many words the submission has. */
void timeline_add_run(enum timeline_kind kind, uint64_t begin, uint64_t first);
/* Sets the cause of the thread's next flush, a string constant: only the pointer is kept. */
void timeline_set_cause(const char *cause);
/* Returns the cause that was set, and forgets it; returns `otherwise` if none was set. */
const char *timeline_take_cause(const char *otherwise);

/* The time, or 0 without a record. */
static inline uint64_t timeline_begin(void) {
    return __builtin_expect(timeline_on, false) ? timeline_now() : 0;
}

static inline void timeline_end(enum timeline_kind kind, uint64_t begin, uint64_t first,
                                uint64_t second, const char *text) {
    if (__builtin_expect(begin != 0, false))
        timeline_add(kind, begin, first, second, text);
}

/* Ends a wait. A wait shorter than SHORT is not recorded. */
static inline void timeline_end_wait(uint64_t begin, const char *wait) {
    enum { SHORT = 4000 /* ticks, a microsecond or two */ };
    if (__builtin_expect(begin != 0, false) && timeline_now() - begin > SHORT)
        timeline_add(TIMELINE_WAIT, begin, 0, 0, wait);
}

static inline void timeline_end_run(enum timeline_kind kind, uint64_t begin, uint64_t first) {
    if (__builtin_expect(begin != 0, false))
        timeline_add_run(kind, begin, first);
}

static inline void timeline_because(const char *cause) {
    if (__builtin_expect(timeline_on, false))
        timeline_set_cause(cause);
}
