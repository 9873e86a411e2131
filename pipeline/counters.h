/* The counters of a context: the values of queries, the reports of samples that are not written
 * yet, and statistics that the scene does not count. query.c reads and resets them; calls.c counts
 * draws, compute.c warps.
 */
#pragma once

#include "pipeline/front/front.h"

/* The point from which samples count: a mark of the scene, or a number of samples. */
struct sample_base {
    bool marked; /* value is a mark; else a number of samples */
    uint64_t value;
};

/* A report of the samples that passed between `base` and `mark`, written when all work before
 * `mark` is drawn. */
struct sample_report {
    uint64_t address;
    uint32_t size, sequence;
    uint64_t mark;
    struct sample_base base;
};

struct counters {
    uint64_t draws, compute_warps;
    struct warp_stats compute;
    uint64_t base[COUNTERS][STATE_STREAMS]; /* the count at the last reset */
    struct sample_base sample_base;
    struct sample_report *report; /* [report_count] reports not written yet, in order */
    size_t report_count, report_capacity;
    uint64_t reports_low, reports_high; /* the reports lie between these addresses */
    struct tp_statistics statistics_base;
    struct trap compute_trap;
    uint64_t profile_logged; /* nanoseconds, when the profile was logged last */
};
