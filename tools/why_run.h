/* Runs of a recording or scene that collect the history of a pixel. The first run finds the texel.
 * If programs write memory, further runs find the programs' stores to the texel, then the stores to
 * the texels and words that the cause of the texel's value has read, and so on. In: a playback and
 * a pixel. Out: a history, and the chain of causes. */
#pragma once

#include "pipeline/debug/history.h"
#include "tools/asked_texel.h"
#include "tools/playback.h"

enum { WHY_LEVELS = 6 /* longest chain of causes */ };

/* Memory that a cause has read, and the store that left the value there. */
struct why_cause {
    /* 1: read by the cause of the pixel's value; 2: read by the store that level 1 found; ... */
    uint32_t level;
    struct thread_read read;
    struct stored by;
};

struct why_run {
    struct playback playback;
    struct raster_probe_pixel where;
    struct asked_texel asked;
    uint64_t draw; /* the last draw of the run; 0: all */
    struct history_options options;
    struct playback_hooks hooks; /* `after` is called in the first runs; sources gets the GLSL */
    /* results, until why_run_end() */
    struct history *history;
    struct played played;
    uint64_t launches;
    bool failed;             /* some contexts are not watched */
    struct why_cause *cause; /* the next level has the reads of a level's last store */
    size_t causes, capacity;
    bool cut; /* true if some reads are not known */
    /* private: what the current run looks for besides the pixel's history: reads of one thread, or
     * stores */
    const struct stored *followed;
    struct thread_reads *reads;
    struct history_range *range;
    uint32_t ranges;
    const struct stored *until;
};

/* Collects the history. Returns EXIT_FINE, or another exit code after a message. */
int why_run(struct why_run *r);
/* Collects the chain of an entry of the history. The history stays valid. */
int why_chain(struct why_run *r, const struct history_entry *entry);
void why_run_end(struct why_run *r);
