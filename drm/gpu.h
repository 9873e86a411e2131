/* The GPU of this process: its chip, its memory, its log, and the thread that executes submissions.
 * The first open of a node makes the GPU; the GPU lives until the process ends. A child made by
 * fork has no GPU: the inherited nodes are dead, and a new open makes a new GPU.
 */
#pragma once

#include "drm/chip.h"
#include "fifo/fifo.h"

#include <pthread.h>
#include <sys/types.h>

/* The chip that TESLAPIPE_CHIP names (by name or hexadecimal number), or else a gt215. */
const struct chip *chip_configured(void);

struct channel_check;
struct gem_bo;
struct kms;
struct record;
struct submission;

struct gpu {
    const struct chip *chip;
    tp_device *device;
    struct gpu_memory *memory;
    int memory_fd; /* the memfd that holds `memory` */
    struct log log;
    struct record *record;       /* TESLAPIPE_RECORD; NULL: not recording */
    struct channel_check *check; /* TESLAPIPE_CHECK_MEMORY; NULL: no check (check.h) */
    bool quirks;                 /* TESLAPIPE_QUIRKS=1: mend faults of drivers (fifo/quirks.h) */
    unsigned generation;         /* number of GPUs that this process and its ancestors had before */
    uint32_t process;            /* number of this process, as drm/turns.h uses it */
    bool dead;                   /* this process is a forked child of the GPU's process */
    /* protects the fields below, the tables of all clients and all buffer objects */
    pthread_mutex_t lock;
    struct gem_bo *exported;
    uint32_t shares; /* counts buffers that became shared with other processes */
    struct kms *kms; /* the display; NULL: none, or the card node was never opened */
    uint64_t vram_used, gart_used;
    /* queue.c */
    pthread_t thread;
    bool synchronous; /* TESLAPIPE_SYNC=1: every submission waits for its results */
    pthread_cond_t work, done;
    struct submission *queue_first, *queue_last; /* not yet executed */
    struct submission *executed;                 /* executed, results not complete; newest first */
    struct submission *shared_last; /* the newest in `executed` that uses shared buffers */
    struct submission *spare;       /* kept for reuse */
    uint32_t spares;
    /* sequence numbers; wanted: the highest that a thread waits for */
    uint64_t submitted, completed, wanted;
    uint32_t queued;
    bool lingers; /* true: the thread soon looks at the queue by itself and need not be woken */
    clockid_t submitter; /* clock of the processor time of the last submitting thread */
    bool held; /* no thread may submit: a recorded submission is under way, or a thread drains */
    /* For a recording: the shared buffer drawn last (drawn_size 0: none) and its turns.handed at
     * that time. shows_frames: a display tells where frames end. */
    uint64_t drawn_address, drawn_size;
    uint32_t drawn_handed;
    bool shows_frames;
};

/* Bytes of each domain that a process may allocate. */
enum { GPU_VRAM = 1 << 30, GPU_GART = 1 << 30 };

/* The GPU of the process, which the first call makes. NULL, with a message in the log, on
 * failure. */
struct gpu *gpu_get(void);
/* The GPU of the process; NULL: not made yet. */
struct gpu *gpu_find(void);
/* True if the range overlaps the GPU's memory. */
bool gpu_maps(const void *address, size_t length);

/* A submission: method ranges that execute in order. It holds references to bo[] until the results
 * are complete. A later submission of the same channel with the same buffers may be added to one
 * that still waits. */
struct submission {
    struct submission *next;
    size_t room; /* bytes allocated */
    struct channel *channel;
    uint64_t sequence; /* number of the last added submission, or its own */
    uint32_t count;    /* number of added submissions, plus one */
    uint32_t push_count, push_room, bo_count;
    struct push *push;
    struct gem_bo **bo;
    struct turn { /* for bo[] of the same index (drm/turns.h) */
        uint32_t ticket, before, handed;
        bool taken;
    } *turn;
    bool takes_turns; /* false: no buffer is shared, and turn[] is not set */
    uint32_t shares;  /* gpu.shares at the submission */
    /* Number of the last submission of another channel that uses a buffer of this submission; 0:
     * none is outstanding. The results of that submission are completed before this one executes,
     * because a channel only knows the hazards of its own work. */
    uint64_t follows;
};
/* Both functions are called with gpu->lock held. submission_free drops the references to bo[]. */
struct submission *submission_new(struct gpu *g, struct channel *channel, uint32_t push_count,
                                  uint32_t bo_count);
void submission_free(struct gpu *g, struct submission *s);
/* Starts the executing thread. Returns 0 or -1. */
int queue_start(struct gpu *g);
/* The functions below are called with gpu->lock held. queue_await_turn waits until the queue is not
 * held. queue_submit takes the submission over. Its caller first calls queue_await_turn and keeps
 * the lock, so that a recording has submissions in the order of their numbers. */
void queue_await_turn(struct gpu *g);
void queue_submit(struct gpu *g, struct submission *s);
/* Notes in a recording that the display shows this buffer, which ends a frame. */
void queue_record_frame(struct gpu *g, uint64_t address, uint64_t size);
/* Adds a range to the last submission in the queue, if that is submission `sequence` of this
 * channel; the range must use the same buffers. Returns the range's own sequence number, or 0 if
 * the range could not be added. Does not wait. */
uint64_t queue_extend(struct gpu *g, const struct channel *channel, uint64_t sequence,
                      struct push range);
/* Waits while the queue is too long. Releases the lock meanwhile. */
void queue_await_room(struct gpu *g);
/* Waits until submission `sequence` is complete. Releases the lock meanwhile. */
void queue_wait(struct gpu *g, uint64_t sequence);
/* Waits until all submissions are complete, and lets no thread submit meanwhile. So nothing is
 * queued or executes until the caller releases the lock. */
void queue_drain(struct gpu *g);
/* Asks the executing thread to complete all submissions so far. Does not wait. */
void queue_hurry(struct gpu *g);
/* Waits until all submissions are complete, but at most a millisecond. False if they were complete
 * already. */
bool queue_yield(struct gpu *g);
