/* Time by stage: a thread is in one stage at a time, and announces when it enters another one. A
 * profile belongs to one thread. A NULL profile costs one test. Times are exact to about a
 * microsecond.
 */
#pragma once

#include "base/clock.h"

#include <stddef.h>

/* Stages, in the order of a frame. IDLE: none of the others. SHADE: fragment programs without their
 * texture instructions. */
#define STAGE_LIST(X)                                                                              \
    X(IDLE, "idle")                                                                                \
    X(DECODE, "decode")                                                                            \
    X(PREPARE, "prepare")                                                                          \
    X(FETCH, "fetch")                                                                              \
    X(VERTEX, "vertex")                                                                            \
    X(GEOMETRY, "geometry")                                                                        \
    X(SETUP, "setup")                                                                              \
    X(BIN, "bin")                                                                                  \
    X(MERGE, "merge")                                                                              \
    X(CLEAR, "clear")                                                                              \
    X(COVER, "cover")                                                                              \
    X(ZETA, "zeta")                                                                                \
    X(SHADE, "shade")                                                                              \
    X(TEXTURE, "texture") X(COLOR, "colour") X(STORE, "store") X(COMPUTE, "compute") X(COPY, "copy")

enum stage {
#define X(e, name) STAGE_##e,
    STAGE_LIST(X)
#undef X
        STAGES
};

struct profile {
    enum stage stage;
    uint64_t since; /* ticks at which the current stage was entered */
    uint64_t ticks[STAGES], count[STAGES];
};

const char *stage_label(enum stage s);

/* The processor's counter, if it has one: calling the clock would take as long as many stages
 * take. */
static inline uint64_t profile_ticks(void) {
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return clock_ns(CLOCK_MONOTONIC);
#endif
}

/* Enters a stage. Returns the stage that was left, for profile_leave(). */
static inline enum stage profile_enter(struct profile *p, enum stage s) {
    if (!p)
        return STAGE_IDLE;
    const enum stage was = p->stage;
    const uint64_t now = profile_ticks();
    p->ticks[was] += now - p->since;
    p->since = now;
    p->stage = s;
    p->count[s]++;
    return was;
}

/* Returns to the stage `was`, without counting another visit of this stage. */
static inline void profile_leave(struct profile *p, enum stage was) {
    if (!p)
        return;
    profile_enter(p, was);
    p->count[was]--;
}
