/* Runs of a recording or scene that collect the history of one pixel. The first run finds the texel.
 * If programs write memory, further runs look for their stores to the texel, and for those to the
 * texels and words that the cause of its value has read, and so on. In: a playback and a pixel. Out:
 * a history, and the chain of causes.
 */
#ifndef TOOLS_WHY_RUN_H
#define TOOLS_WHY_RUN_H

#include "pipeline/debug/history.h"
#include "tools/asked_texel.h"
#include "tools/playback.h"

enum { WHY_LEVELS = 6 /* of a chain of causes */ };

/* Memory that a cause has read, and the store that left its value. */
struct why_cause {
    uint32_t level; /* from 1: read by the cause of the pixel's value; 2: by that store ... */
    struct thread_read read;
    struct stored by;
};

struct why_run {
    struct playback playback;
    struct raster_probe_pixel where;
    struct asked_texel asked;
    uint64_t draw; /* the last draw to look at, 0: all */
    struct history_options options;
    struct playback_hooks hooks; /* device, context, after, launch and memory are used here, but
                                  * called, too */
    /* results, until why_run_end() */
    struct history *history;
    struct played played;
    uint64_t launches;
    bool failed;             /* not all contexts are watched */
    struct why_cause *cause; /* the last ones of one level are followed further */
    size_t causes, capacity;
    bool cut; /* some reads are not known */
    /* private: the store that this run asks for beside the pixel */
    const struct stored *followed;
    struct thread_reads *reads;
    struct history_range *range;
    uint32_t ranges;
    const struct stored *until;
};

/* Collects the history. Returns EXIT_FINE, or another exit code after a message. */
int why_run(struct why_run *r);
/* Collects the chain of an entry that why_run() gave; the history stays. Copies the parts of the
 * entry that it needs. */
int why_chain(struct why_run *r, const struct history_entry *entry);
void why_run_end(struct why_run *r);

#endif
