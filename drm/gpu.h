/* The GPU of this process: its chip, its memory, its log, and the thread that executes submissions.
 * The first open of the render node makes it; it lives until the process ends. A child made by fork
 * has no GPU: the inherited nodes are dead, and a new open makes a new GPU.
 */
#ifndef DRM_GPU_H
#define DRM_GPU_H

#include "base/log.h"
#include "drm/chip.h"
#include "fifo/fifo.h"

#include <pthread.h>
#include <sys/types.h>

/* The chip named by TESLAPIPE_CHIP (name or hexadecimal number; default gt215). */
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
    int memory_fd; /* the memfd behind it */
    struct log log;
    struct record *record; /* TESLAPIPE_RECORD; NULL: not recording */
    struct channel_check
        *check;          /* TESLAPIPE_CHECK_MEMORY; NULL: programs are not checked (check.h) */
    bool quirks;         /* TESLAPIPE_QUIRKS=1: programs are mended (fifo/quirks.h) */
    unsigned generation; /* number of GPUs that this process and its ancestors had before */
    uint32_t process;    /* whose GPU it is, as drm/turns.h numbers processes */
    bool dead;           /* this process is a forked child of the GPU's process */
    pthread_mutex_t
        lock; /* protects the fields below, the tables of all clients and all buffer objects */
    struct gem_bo *exported;
    uint32_t shares; /* number of times a buffer became shared with other processes */
    struct kms *kms; /* its display; NULL: none, or the card was never opened */
    uint64_t vram_used, gart_used;
    /* queue.c */
    pthread_t thread;
    bool synchronous; /* TESLAPIPE_SYNC=1: every submission waits for its results */
    pthread_cond_t work, done;
    struct submission *queue_first, *queue_last; /* not yet executed */
    struct submission *executed;                 /* executed, results not complete */
    struct submission *shared_last;              /* the newest executed one for a shared buffer */
    struct submission *spare;                    /* free for reuse */
    uint32_t spares;
    uint64_t submitted, completed,
        wanted; /* sequence numbers; wanted: the highest that a thread waits for */
    uint32_t queued;
    bool lingers; /* the thread looks at the queue in a moment by itself and need not be woken */
    clockid_t submitter; /* processor time of the thread that submitted last */
    bool recording;      /* a recorded submission is under way */
    /* Of a recording: the shared buffer drawn last (size 0: none); a display shows frames, so that
     * it says where they end. */
    uint64_t drawn_address, drawn_size;
    uint32_t drawn_handed; /* turns.handed then */
    bool shows_frames;
};

enum { GPU_VRAM = 1 << 30, GPU_GART = 1 << 30 }; /* bytes of each that a process may allocate */

/* The GPU of the process; makes it at the first call. NULL (with a message in the log) on
 * failure. */
struct gpu *gpu_get(void);
/* The GPU of the process, if it is there. */
struct gpu *gpu_find(void);
/* True if the range overlaps the GPU's memory. */
bool gpu_maps(const void *address, size_t length);

/* A list of method ranges that execute in order. It holds references to bo[] until the results are
 * complete. A later submission with the same references is added to one that still waits. */
struct submission {
    struct submission *next;
    size_t room; /* bytes */
    struct channel *channel;
    uint64_t sequence; /* of the last submission in it */
    uint32_t count;    /* number of submissions in it */
    uint32_t push_count, push_room, bo_count;
    struct push *push;
    struct gem_bo **bo;
    struct turn { /* for the buffer object of this index, if others share it (drm/turns.h) */
        uint32_t ticket, before, handed;
        bool taken;
    } *turn;
    bool takes_turns; /* false: no buffer is shared and turn[] is not set */
    uint32_t shares;  /* gpu.shares at the time of submission */
    /* The last submission of another channel that names one of its buffers, 0: none. Results are
     * complete before this submission executes, because a channel knows its own work only. */
    uint64_t follows;
};
/* Call both functions with the lock held. submission_free drops the references of a submission that
 * was not submitted. */
struct submission *submission_new(struct gpu *g, struct channel *channel, uint32_t push_count,
                                  uint32_t bo_count);
void submission_free(struct gpu *g, struct submission *s);
/* Starts the executing thread; 0 or -1. */
int queue_start(struct gpu *g);
/* The functions below are called with gpu->lock held. queue_submit takes the submission over.
 * Call queue_await_turn before it and keep the lock: a recording has the order of the sequence
 * numbers. */
void queue_await_turn(struct gpu *g);
void queue_submit(struct gpu *g, struct submission *s);
/* Notes in a recording that the display shows this buffer. */
void queue_record_frame(struct gpu *g, uint64_t address, uint64_t size);
/* Adds a range with the same references to the last submission in the queue, if that is
 * submission `sequence` of this channel. Returns the new sequence, or 0 if this is impossible.
 * Does not wait. */
uint64_t queue_extend(struct gpu *g, const struct channel *channel, uint64_t sequence,
                      struct push range);
/* Waits while the queue is too long; releases the lock meanwhile. */
void queue_await_room(struct gpu *g);
/* Waits until submission `sequence` is complete; releases the lock meanwhile. */
void queue_wait(struct gpu *g, uint64_t sequence);
/* Asks the thread to complete all submissions soon. Does not wait. */
void queue_hurry(struct gpu *g);
/* Waits until all submissions are complete, at most a millisecond; false if they were complete
 * already. */
bool queue_yield(struct gpu *g);

#endif
