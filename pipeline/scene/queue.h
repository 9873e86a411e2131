/* The parts of a scene, for the files of this folder only. Draws and clears go through three
 * structs: a batch holds what was captured for them, a group is what one thread takes through the
 * front end, a pass holds the tiles' lists until they are pixels.
 *
 * Who may touch what: batches belong to the calling thread; a group to the thread that runs it, then
 * to the one that merges; the collecting pass to the one that merges; the rest of the shared part is
 * under the lock.
 */
#ifndef PIPELINE_QUEUE_H
#define PIPELINE_QUEUE_H

#include "pipeline/scene/ranges.h"
#include "pipeline/scene/scene.h"

#include <pthread.h>

enum {
    TASK_ITEMS = 32,
    TASK_WEIGHT = 512,             /* primitives, GP output counted, that make a group complete */
    WAKE_WEIGHT = 2 * TASK_WEIGHT, /* of groups that nobody runs: a thread is woken for them */
    QUEUE_WEIGHT = 64 << 10,       /* of groups that wait: the calling thread then helps */
    PASS_BYTES = 32 << 20,         /* of binned primitives: more begin another pass */
    STORE_BYTES = 1 << 20,         /* of primitives in one of a worker's arenas, about */
    BATCH_BYTES = 4 << 20,         /* of captures before another batch begins */
    CAPTURED_BYTES = 16 << 20,     /* of all batches: more have to wait */
    SEGMENT_ROOM = 8,              /* segments of a tile that lie side by side */
};

/* A chunk of calls' primitives, or a clear. */
struct work_item {
    const struct raster_clear *clear; /* NULL: a chunk */
    uint64_t interval;                /* between which marks it was queued */
    struct chunk chunk;
};

/* Draws and clears into one set of targets, and everything captured for them. */
struct batch {
    struct batch *next; /* newer */
    uint64_t epoch;     /* no two batches have the same */
    uint64_t sequence;  /* batches of one sequence may share a tile pass */
    uint64_t last;      /* number of its last group; 0: it has none yet */
    struct raster_targets targets;
    struct arena arena; /* snapshots, calls, captures */
    size_t bytes;       /* of arena */
    struct program **kept;
    size_t kept_count, kept_capacity;
    struct range_set reads, writes;
    struct range_set fetches; /* what its front end read, and nobody after them */
};

struct task {
    struct task *next;
    const struct batch *batch;
    uint64_t number; /* in order of submission, from 1 on */
    uint64_t order;  /* of item 0, for trap_record */
    uint64_t weight;
    uint32_t count, piece_count;
    bool taken, done; /* under the lock: somebody runs it; it may be merged */
    struct work_item item[TASK_ITEMS];
    struct piece piece[CHUNK_PIECES]; /* of the chunks, in order */
};

/* A stretch of a tile's list. */
struct segment {
    struct segment *next;
    const struct draw_call *call; /* the first of theirs; NULL: a clear */
    const struct raster_prim *const *prims;
    uint32_t count;
    uint64_t order, interval;
    const struct raster_clear *clear;
};

/* marks.c */
struct marks {
    uint64_t interval; /* of what is queued now */
    bool used;         /* something is in it */
    uint64_t first;    /* the interval that began when nothing was queued last, */
    uint64_t total;    /* and the samples that had passed before it */
    uint64_t oldest;   /* mark that may be asked for */
    uint64_t *before;  /* [count] samples passed before it, before the next one ... */
    size_t count, capacity;
};

struct tile_bin {
    struct segment *first, *last;
    struct segment *free;   /* room for more of them, */
    uint32_t room;          /* so many */
    struct segment *kept;   /* what follows it leaves no trace but in colour; NULL: that is all */
    struct segment *clears; /* the clears at the end of the list begin here */
    uint32_t cleared;       /* by them, wholly: bit per colour target, then depth, stencil */
    uint32_t cost;          /* about what the tile takes, in primitives */
    bool touched;           /* in the pass's list */
};

struct tile_pass {
    bool used;               /* something was merged into it */
    uint64_t sequence, last; /* of its tasks; number of the last task */
    struct raster_targets targets;
    uint32_t tiles_x, tiles_y;
    uint32_t required;   /* `cleared` bits that make what came before invisible */
    bool counts_samples; /* a query is on: nothing drawn may be left out */
    struct tile_bin *bins;
    size_t bin_capacity;
    uint64_t *touched; /* tiles with a list; from when it is drawn on, most costly first */
    size_t touched_count, touched_capacity;
    struct arena segments;
    size_t bytes;      /* of primitives and segments */
    size_t next, left; /* under the lock: tiles not begun, not ended */
};

/* Primitives of consecutive groups that one worker ran. */
struct store {
    struct store *next; /* newer */
    struct arena arena;
    size_t bytes;
    uint64_t last; /* number of the last group in it */
};

struct scene_worker {
    struct front *front;
    struct raster_tile *tile;
    struct store *store; /* the newest: being filled */
    struct store *oldest;
    struct raster_counters counters;
    uint64_t *passed; /* [passed_capacity] samples, of these: by interval from marks.first on */
    size_t passed_capacity;
    struct trap trap;
    struct raster_probe probe; /* the scene's, with the number of the draw under way */
    struct profile profile;    /* used if the scene is measured */
};

struct scene {
    tp_device *device;
    int threads;
    struct scene_worker *worker;
    const struct pixel_watch *watch; /* NULL: nobody watches; set while nothing is queued */
    /* the calling thread's */
    struct workers *workers; /* made when first needed */
    struct batch *oldest, *batch;
    struct batch *spare;
    size_t bytes; /* of all batches */
    bool open;    /* batch has targets */
    uint64_t epochs, orders;
    struct marks marks;
    struct task *filling;        /* NULL: none */
    struct draw_call *last_call; /* of the last piece of filling; NULL: that is not a whole one */
    bool measured;               /* changes only while nothing is queued */
    uint64_t measured_ns, measured_ticks; /* since when */
    struct trap trap;
    /* shared: under the lock */
    pthread_mutex_t lock;
    pthread_cond_t progress; /* for the calling thread, when it waits */
    bool waiting;
    struct task *first, *last; /* not merged yet, in order */
    struct task *runnable;     /* of these, the first that nobody runs */
    struct task *unused;
    uint64_t runnable_weight; /* of groups that nobody runs */
    uint64_t tasks, sequence; /* tasks numbered so far; sequence of the newest batch */
    uint64_t weight;          /* of groups not merged */
    bool merging, draw_all;
    struct tile_pass pass[2], *collecting, *drawing; /* drawing: NULL or the other one */
    uint64_t drawn; /* atomic: groups up to this number are pixels */
    bool oom;       /* atomic */
};

/* schedule.c */
/* Does one piece of work; false if there is none. Called and returns with the lock held. */
bool scene_work(struct scene *s, int worker);
/* Merges what can be merged and begins to draw what is to be drawn. Lock held. */
void scene_advance(struct scene *s, int worker);
/* Works until enough() holds, or waits for others to make it hold. */
void scene_help(struct scene *s, bool (*enough)(const struct scene *s));
/* Works on groups until none is left that has its front end before it, or waits for others to do so. */
void scene_help_front(struct scene *s);
bool scene_front_done(const struct scene *s);
/* Takes a group through the front end. */
void task_run(struct scene *s, struct task *g, int worker);
/* bins.c */
/* Makes an unused pass ready for groups of this batch; false when out of memory. */
bool tile_pass_begin(struct tile_pass *p, const struct batch *b);
void tile_pass_merge(struct scene *s, struct tile_pass *p, const struct task *g);
/* Orders the tiles by cost. */
void tile_pass_order(struct tile_pass *p);
/* Empty again. */
void tile_pass_end(struct tile_pass *p);
/* tiles.c: draws tile `index` of the pass */
void tile_draw(struct scene *s, struct tile_pass *p, size_t index, int worker);
/* marks.c */
/* The worker counted samples in what was queued in this interval. */
void marks_count(struct scene *s, int worker, uint64_t interval, uint64_t samples);
/* Adds up what all workers counted; nothing is queued. */
void marks_settle(struct scene *s);
/* totals.c: what went wrong in the workers' hands; nothing is queued */
void scene_take_errors(struct scene *s);
/* batch.c */
/* A new batch at the end; false when out of memory. */
bool batch_add(struct scene *s);
/* The newest batch begins another epoch. */
void batch_renew(struct scene *s);
/* Gives back the batches that are pixels, but for the newest. */
void batches_retire(struct scene *s);
/* Gives back what all batches hold; nothing is queued. */
void batches_drop(struct scene *s);
void batches_free(struct scene *s);

/* For trap_record: a draw's failures in the order of its chunks, then of tiles (1, 2 ...). */
static inline uint64_t trap_order(uint64_t item, uint32_t tile) {
    return item << 24 | (tile & 0xffffff);
}

/* Where a worker's time is counted; NULL: nowhere. */
static inline struct profile *worker_profile(struct scene *s, int worker) {
    return s->measured ? &s->worker[worker].profile : NULL;
}

static inline void scene_note_oom(struct scene *s) {
    __atomic_store_n(&s->oom, true, __ATOMIC_RELAXED);
}

#endif
