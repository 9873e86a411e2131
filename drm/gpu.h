/* The GPU of this process: its chip, its memory, its log, and the thread that executes submissions.
 * Made when the render node is first opened; lives until the process ends. A child made by fork
 * does not have it: its copies of the parent's nodes are dead, and a new open makes a new GPU.
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
    struct record *record; /* TESLAPIPE_RECORD; NULL: none */
    unsigned generation;   /* how many GPUs this process and its ancestors had before */
    bool dead;             /* this process is a forked child of the GPU's process */
    pthread_mutex_t lock;  /* protects all below, every client's tables and every buffer object */
    struct gem_bo *exported;
    uint32_t shares; /* buffers that came to be other processes', too, so far */
    struct kms *kms; /* its display; NULL: none, or nobody opened the card */
    uint64_t vram_used, gart_used;
    /* queue.c */
    pthread_t thread;
    bool synchronous; /* TESLAPIPE_SYNC=1: every submission waits for its results */
    pthread_cond_t work, done;
    struct submission *queue_first, *queue_last; /* not yet executed */
    struct submission *executed;                 /* waiting for their results to be complete */
    struct submission *shared_last;              /* the newest of them for a shared buffer */
    struct submission *spare;                    /* to be used again */
    uint32_t spares;
    uint64_t submitted, completed, wanted; /* sequence numbers; wanted: somebody waits for it */
    uint32_t queued;
    bool lingers; /* the thread looks again in a moment: waking it for each submission costs more */
    clockid_t submitter; /* of the thread that submitted last: the processor time it has had */
    bool recording;      /* a recorded submission is under way */
};

enum { GPU_VRAM = 1 << 30, GPU_GART = 1 << 30 }; /* bytes a process may allocate of each */

/* The process's GPU, made if need be; NULL (logged) if that fails. */
struct gpu *gpu_get(void);
/* Whether any of these addresses are its memory's. */
bool gpu_maps(const void *address, size_t length);

/* A list of method ranges to execute in order; bo[] are referenced until their results are
 * complete. Those that follow and refer to the same while it waits are added to it. */
struct submission {
    struct submission *next;
    size_t room; /* bytes */
    struct channel *channel;
    uint64_t sequence; /* of the last one in it */
    uint32_t count;    /* submissions in it */
    uint32_t push_count, push_room, bo_count;
    struct push {
        uint64_t address;
        uint32_t length; /* as channel_execute takes it */
    } *push;
    struct gem_bo **bo;
    struct turn { /* of the same buffer object, if other processes have it, too (drm/share.h) */
        uint32_t ticket, before;
        bool taken;
    } *turn;
    bool takes_turns; /* some are: else turn[] says nothing */
    uint32_t shares;  /* the GPU's, when it was submitted */
};
/* Both with the lock held. submission_free gives its references back; for one that was not submitted. */
struct submission *submission_new(struct gpu *g, struct channel *channel, uint32_t push_count,
                                  uint32_t bo_count);
void submission_free(struct gpu *g, struct submission *s);
/* Starts the executing thread; 0 or -1. */
int queue_start(struct gpu *g);
/* These are called with gpu->lock held. queue_submit takes the submission over; before it, with the lock kept,
 * comes queue_await_turn: a recording has one order, that of the submissions' numbers. */
void queue_await_turn(struct gpu *g);
void queue_submit(struct gpu *g, struct submission *s);
/* The last submission in the queue, if it is this one of the channel's, takes one more range, which refers to
 * the same; the new sequence, or 0 if it cannot. Does not wait. */
uint64_t queue_extend(struct gpu *g, const struct channel *channel, uint64_t sequence,
                      struct push range);
/* Who submits faster than the thread executes waits for it; gives the lock up meanwhile. */
void queue_await_room(struct gpu *g);
/* Waits until submission `sequence` is complete; gives the lock up meanwhile. */
void queue_wait(struct gpu *g, uint64_t sequence);
/* Has everything submitted so far completed soon, without waiting. */
void queue_hurry(struct gpu *g);
/* Waits until everything submitted so far is complete, a millisecond at most; false if it was. */
bool queue_yield(struct gpu *g);

#endif
