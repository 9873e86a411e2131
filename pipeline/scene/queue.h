/* The structs of a scene, for the files of this folder only. A draw or clear goes through three of
 * them: a batch holds its captured data, a task takes it through the front end, and a tile pass
 * holds the tile lists until they are drawn.
 *
 * Access: batches belong to the calling thread. A task belongs to the thread that runs it, then to
 * the thread that merges it. The collecting pass belongs to the thread that merges. The other
 * shared fields are under the lock.
 */
#pragma once

#include "pipeline/scene/hazard_set.h"
#include "pipeline/scene/scene.h"

#include <pthread.h>

enum {
    TASK_ITEMS = 32,
    /* A task is handed to the threads when it reaches this weight. Weights are estimated primitives
     * after geometry and tessellation programs. */
    TASK_WEIGHT = 512,
    /* A thread is woken when the tasks that no thread has taken reach this weight. */
    WAKE_WEIGHT = 2 * TASK_WEIGHT,
    QUEUE_WEIGHT = 64 << 10, /* if the tasks not yet merged weigh more, the calling thread helps */
    /* bytes of binned primitives after which another tile pass begins */
    PASS_BYTES = 32 << 20,
    STORE_BYTES = 1 << 20,     /* about the bytes of primitives in one store of a worker */
    BATCH_BYTES = 4 << 20,     /* bytes of captures after which another batch begins */
    CAPTURED_BYTES = 16 << 20, /* bytes of captures in all batches; a draw that needs more waits */
    SEQUENCE_BYTES = 12 << 20, /* bytes of captures after which another sequence begins */
    SEGMENT_ROOM = 8,          /* segments of a tile that are allocated together */
};

/* A chunk or a clear. */
struct work_item {
    const struct raster_clear *clear; /* NULL: a chunk */
    uint64_t interval;                /* the mark interval in which the item was queued */
    struct chunk chunk;
};

/* Draws and clears into one set of targets, and all data captured for them. */
struct batch {
    struct batch *next; /* newer */
    uint64_t epoch;     /* the scene's epoch when the batch was begun, or last renewed */
    uint64_t sequence;  /* batches of one sequence may share a tile pass */
    uint64_t last;      /* number of the batch's last task; 0: no task yet */
    struct raster_targets targets;
    struct arena arena; /* snapshots, calls, captures */
    size_t bytes;       /* bytes of captures */
    struct program **kept;
    size_t kept_count, kept_capacity;
    struct hazard_set reads, writes;
    struct hazard_set fetches; /* memory that the front end alone reads */
};

/* Up to 32 work items that one thread takes through the front end. */
struct task {
    struct task *next;
    const struct batch *batch;
    uint64_t number; /* in order of submission, from 1 on */
    uint64_t order;  /* number of item 0 among all work items, for trap_order() */
    uint64_t weight;
    uint32_t count, piece_count;
    bool taken, done; /* under the lock. taken: by a thread; done: the thread has run the task */
    struct work_item item[TASK_ITEMS];
    struct piece piece[CHUNK_PIECES]; /* pieces of all chunks, in order */
};

/* An entry of a tile list: the primitives of one bin set in the tile, or a clear. */
struct segment {
    struct segment *next;
    const struct draw_call *call; /* call of the bin set; NULL: a clear */
    const struct raster_prim *const *prims;
    uint32_t count;
    uint64_t order, interval;
    const struct raster_clear *clear;
};

/* The mark intervals, and the number of samples that had passed before each mark (counts.c). */
struct marks {
    uint64_t interval; /* the interval of calls queued now */
    bool used;         /* a call was queued in this interval */
    uint64_t first;    /* the interval that began at the last flush */
    uint64_t total;    /* samples that passed before `first` */
    uint64_t oldest;   /* the oldest mark that scene_samples() may be asked for */
    uint64_t *before;  /* [count] samples that passed before oldest, oldest + 1 ... */
    size_t count, capacity;
};

/* The tile list of one tile. */
struct tile_bin {
    struct segment *first, *last;
    struct segment *free; /* memory for more segments */
    uint32_t room;        /* number of segments at `free` */
    /* The last segment that must be drawn even if a later segment paints over the whole tile. The
     * segments after it write colour only, and such a later segment drops them. NULL: no segment
     * must be drawn. */
    struct segment *kept;
    struct segment *clears; /* the first of the clears that end the list */
    /* The planes that the clears from `clears` on clear entirely: a bit for each colour target,
     * then a bit for depth and a bit for stencil. */
    uint32_t cleared;
    uint32_t cost; /* estimated work, in primitives */
    bool touched;  /* the tile is in tile_pass.touched */
};

/* The tile lists of one set of targets. */
struct tile_pass {
    bool used;               /* a task was merged into this pass */
    uint64_t sequence, last; /* sequence of its tasks' batches; number of its last task */
    struct raster_targets targets;
    uint32_t tiles_x, tiles_y;
    uint32_t required;   /* if tile_bin.cleared has these bits, earlier segments are hidden */
    bool counts_samples; /* samples are counted, so hidden segments must be drawn */
    struct tile_bin *bins;
    size_t bin_capacity;
    /* Numbers of the tiles with a list, in the lower 32 bits. When drawing begins, the upper 32
     * bits get the tile's cost, and the tiles are sorted: the most costly first. */
    uint64_t *touched;
    size_t touched_count, touched_capacity;
    struct arena segments;
    size_t bytes;      /* bytes of primitives and segments */
    size_t next, left; /* under the lock: index of the next tile to begin; tiles not ended */
    uint64_t began;    /* time at which drawing began, for the time line; 0: not measured */
};

/* Memory for the primitives of consecutive tasks that one worker ran. */
struct store {
    struct store *next; /* newer */
    struct arena arena;
    size_t bytes;
    uint64_t last; /* number of the last task in the store */
};

struct scene_worker {
    struct front *front;
    struct raster_tile *tile;
    struct store *store; /* the newest store, which is being filled */
    struct store *oldest;
    struct raster_counters counters;
    uint64_t *passed; /* [passed_capacity] passed samples of each interval since marks.first */
    size_t passed_capacity;
    struct trap trap;
    struct raster_probe probe; /* a copy of the watch's probe, for the draw under way */
    struct profile profile;    /* used if the scene is measured */
};

struct scene {
    tp_device *device;
    int threads;
    struct scene_worker *worker;
    const struct pixel_watch *watch; /* or NULL; changes only while nothing is queued */
    /* Only rows of tiles y with y % shares == share are drawn. Changes only while nothing is
     * queued. */
    uint32_t share, shares;
    /* fields of the calling thread */
    struct workers *workers; /* created at the first use */
    struct batch *oldest, *batch;
    struct batch *spare;
    size_t bytes; /* bytes of captures in all batches */
    /* Bytes of captures since the sequence began. A long sequence ends at SEQUENCE_BYTES, whatever
     * the progress of the threads, because its tile pass ends with it. */
    size_t sequence_bytes;
    uint64_t sequence_epoch; /* epoch in which the sequence began or was last flushed */
    bool open;               /* the newest batch has targets */
    uint64_t epochs, orders;
    struct marks marks;
    struct task *filling; /* the task that is being filled; NULL: none */
    /* the call of the last piece of `filling`, if this piece is the whole call; else NULL */
    struct draw_call *last_call;
    bool measured;                        /* changes only while nothing is queued */
    uint64_t measured_ns, measured_ticks; /* time when the measurement began */
    struct trap trap;
    /* shared: under the lock */
    pthread_mutex_t lock;
    pthread_cond_t progress; /* the calling thread waits for progress */
    bool waiting;
    struct task *first, *last; /* tasks not merged yet, in order */
    struct task *runnable;     /* the first task that no thread has taken */
    struct task *unused;
    uint64_t runnable_weight; /* weight of the tasks that no thread has taken */
    uint64_t tasks, sequence; /* number of tasks so far; sequence of the newest batch */
    uint64_t weight;          /* weight of all tasks that are not merged */
    bool merging, draw_all;
    bool alone; /* the calling thread draws all tiles, one after the other */
    struct tile_pass pass[2], *collecting, *drawing; /* drawing: NULL or the other pass */
    uint64_t drawn;                                  /* atomic: tasks up to this number are drawn */
    bool oom;                                        /* atomic */
};

/* schedule.c */
/* Does one step of the work. False if there is no work. The lock is held at the call and at the
 * return. */
bool scene_work(struct scene *s, int worker);
/* Merges the tasks that are next in order; begins to draw a tile pass that is complete. The lock is
 * held. */
void scene_advance(struct scene *s, int worker);
/* Works, or waits for other threads, until enough() holds. */
void scene_help(struct scene *s, bool (*enough)(const struct scene *s));
/* Works, or waits for other threads, until all tasks are through the front end. */
void scene_help_front(struct scene *s);
void task_run(struct scene *s, struct task *g, int worker);
/* bins.c */
/* Makes an unused pass ready for tasks of this batch; false when out of memory. */
bool tile_pass_begin(struct tile_pass *p, const struct batch *b);
void tile_pass_merge(struct scene *s, struct tile_pass *p, const struct task *g);
/* Orders the tiles by cost. */
void tile_pass_order(struct tile_pass *p);
void tile_pass_end(struct tile_pass *p);
/* bins.c: draws tile `index` of the pass. */
void tile_draw(struct scene *s, struct tile_pass *p, size_t index, int worker);
/* counts.c */
/* Adds samples that the worker counted in this interval. */
void marks_count(struct scene *s, int worker, uint64_t interval, uint64_t samples);
/* Adds up the counts of all workers. To be called when nothing is queued. */
void marks_settle(struct scene *s);
/* counts.c: collects the failures of the workers. To be called when nothing is queued. */
void scene_take_errors(struct scene *s);
/* batch.c */
/* Begins a new batch, which becomes the newest; false when out of memory. */
bool batch_add(struct scene *s);
/* Begins another epoch in the newest batch. */
void batch_renew(struct scene *s);
/* Frees the batches whose draws are drawn, except the newest batch. */
void batches_retire(struct scene *s);
/* Frees the captures of all batches. To be called when nothing is queued. */
void batches_drop(struct scene *s);
void batches_free(struct scene *s);

/* Returns a number that orders failures: by work item, then by the place in the item: 0 for its
 * front end, 1, 2 ... for its tiles. */
static inline uint64_t trap_order(uint64_t item, uint32_t tile) {
    return item << 24 | (tile & 0xffffff);
}

/* Returns the profile that counts the worker's time; NULL if the scene is not measured. */
static inline struct profile *worker_profile(struct scene *s, int worker) {
    return s->measured ? &s->worker[worker].profile : NULL;
}

static inline void scene_note_oom(struct scene *s) {
    __atomic_store_n(&s->oom, true, __ATOMIC_RELAXED);
}
