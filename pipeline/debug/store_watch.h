/* Watches the GPU's memory for stores of programs: to images, to g[], and by atomic operations, in
 * draws and in launches. In: contexts that are about to draw or to launch, and ranges of addresses.
 * Out: a call for each store to a range, with its thread, its instruction and the bytes before and
 * after. Also lists the memory that one thread reads before one of its stores. Must not know
 * textures, targets or files.
 */
#pragma once

#include "pipeline/debug/thread_reads.h"
#include "pipeline/debug/warp_find.h"

enum { STORED_BYTES = 16, STORE_TEXT = 128 };

/* One thread's store to one range. If several lanes of a warp store to the range in one
 * instruction, only the last lane's store is reported, because its bytes remain. */
struct stored {
    uint64_t draw;   /* number of the draw; for a launch, number of the last draw before it */
    uint64_t launch; /* number of the launch, from 1; 0: the store is from a draw */
    /* The thread: its place, and a count from 1. In a draw, the count says how many warps had
     * started at this place, this warp included. In compute, the count says how many launches had
     * this CTA and thread. */
    struct warp_place place;
    uint32_t hit;
    /* The warp's number among all warps that the watch has seen, the number of instructions that
     * the warp had executed, and the lane. They are the same in every run on one thread. */
    uint64_t warp, executed;
    unsigned lane;
    bool image, atomic; /* true if the store is to an image; if the operation also reads */
    uint64_t address;   /* address of the bytes */
    uint32_t size;      /* in bytes, at most STORED_BYTES */
    uint32_t at;        /* address of the instruction */
    char text[STORE_TEXT], program[STORE_TEXT];
    uint8_t before[STORED_BYTES], after[STORED_BYTES];
};

/* True if the work that made store a comes before that of store b. */
bool stored_before(const struct stored *a, const struct stored *b);

struct store_watch;

/* Creates a watch. The thread that runs the program calls stored() with the store and the number of
 * its range, one call at a time. NULL when out of memory. */
struct store_watch *store_watch_create(tp_device *device, void *self,
                                       void (*stored)(void *self, uint32_t range,
                                                      const struct stored *s));
void store_watch_free(struct store_watch *w); /* NULL is allowed; to be called last */
/* Watches the context from its next draw or launch on. The hooks that the context has are still
 * called. observe: true if programs are to be interpreted and stores found; false if draws and
 * launches are only counted. */
void store_watch_begin(struct store_watch *w, tp_context *c, bool observe);
/* Ends the watch of this context; finishes queued work if stores are found (observe). */
void store_watch_leave(struct store_watch *w, tp_context *c);
/* Watches a range from now on: its first STORED_BYTES bytes at most. Several ranges may have the
 * same number. */
void store_watch_range(struct store_watch *w, uint64_t address, uint64_t size, uint32_t number);
/* The number of draws so far whose programs write memory, plus the number of launches. */
uint64_t store_watch_writers(const struct store_watch *w);
uint64_t store_watch_launches(const struct store_watch *w); /* number of launches so far */
/* Collects the memory that the thread of store s reads before this store. */
void store_watch_follow(struct store_watch *w, const struct stored *s, struct thread_reads *reads);
/* Returns the memory that stores have written so far, by pages. */
const struct written_pages *store_watch_pages(const struct store_watch *w);
/* True if a store or a read was lost because memory ran out. */
bool store_watch_incomplete(const struct store_watch *w);
