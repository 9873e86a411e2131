/* The time of a frame's work on N threads, by a simulation with measured times of the items: tasks
 * of the front end, their merges, the tiles of each pass (pipeline/scene/schedule.c has the rules).
 * In: times on one thread. Out: the time on N threads, and the causes for which idle threads
 * waited. Knows no scene. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { MODEL_THREADS = 256 };

/* The tiles of a pass, which can be drawn when `after` tasks are merged. */
struct model_pass {
    uint32_t after, first_tile, tiles;
};

/* The work between two moments at which the caller waits for everything. Times are nanoseconds. */
struct model_work {
    double caller;       /* the caller's own time: decoding and preparing draws */
    const double *ready; /* [tasks] the caller's time at which the task is submitted, ascending */
    const double *task, *merge; /* [tasks] */
    uint32_t tasks;
    const struct model_pass *pass;
    uint32_t passes;
    const double *tile; /* tiles of all passes, in the order in which threads take them */
};

/* The work that an idle thread waits for. */
enum model_cause { MODEL_DRAWS, MODEL_FRONT, MODEL_MERGE, MODEL_TILES, MODEL_CAUSES };

struct model_time {
    double span, busy; /* nanoseconds; busy: the sum over the threads */
    double idle[MODEL_CAUSES];
    double longest_task, longest_tile;
};

/* Adds the times of the work on `threads` threads to *t; the caller is one of the threads. Returns
 * false when out of memory. */
bool model_add(const struct model_work *w, int threads, struct model_time *t);

/* Returns the share of the threads' time in which they are idle. */
double model_idle_share(const struct model_time *t, int threads);
