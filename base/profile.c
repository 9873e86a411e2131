/* Time by stage: the names of the stages, and the clock. */
#include "base/profile.h"

#include <time.h>

const char *stage_label(enum stage s) {
    static const char *const labels[STAGES] = {
#define X(e, name) name,
        STAGE_LIST(X)
#undef X
    };
    return labels[s];
}

uint64_t profile_nanoseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
