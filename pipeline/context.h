/* A device and its contexts, as the command processor and the C API see them: the state to write,
 * and the functions that act on it. Draws are checked and captured when they are issued, and drawn
 * later (scene/scene.h). Code outside of pipeline/ that reads or writes GPU memory first calls
 * context_before_read() or context_before_write(). They flush draws that the access depends on. A
 * context belongs to one thread at a time.
 */
#pragma once

#include "base/log.h"
#include "include/teslapipe.h"
#include "pipeline/footprint.h"
#include "pipeline/state/state.h"

struct tp_device {
    int refs; /* atomic: the owner, and each API object made from the device */
    struct gpu_memory *memory;
    struct log log;
    enum simd_level simd;
    enum isa_variant variant;
    int threads;
    struct native *native; /* NULL: programs are interpreted */
    bool profile;          /* contexts log where the time goes */
    /* The most primitives, CTAs, lines or pixels that one command may ask for. Correct programs
     * stay far below this limit; a damaged command ends in an error instead of hours of work. */
    uint64_t work_limit;
    bool fast; /* programs compute with fast arithmetic (docs/fast.md) */
    uint64_t
        warp_budget; /* instructions that a warp may execute; 0: a default, then five seconds */
    void (*log_line)(void *self, int level, const char *line); /* the owner's, or NULL */
    void *log_self;
};

/* As tp_device_create(), with GPU memory in the file memory_fd if memory_fd >= 0
 * (base/memory.h). */
enum tp_result device_create(const struct tp_device_info *info, int memory_fd, tp_device **device);
void device_ref(tp_device *device);
/* Drops one reference; the last one destroys the device. NULL is allowed. */
void device_destroy(tp_device *device);
/* The name of the engine that runs programs: "native" or "interp". */
const char *device_engine(const tp_device *device);

/* Counters of queries; each counts from its last reset (context_counter_reset()). */
enum counter {
    COUNTER_SAMPLES_PASSED,
    COUNTER_PRIMITIVES_GENERATED, /* by the last stage before clipping, in stream 0 */
    COUNTER_PRIMITIVES_WRITTEN,   /* to stream buffers */
    COUNTER_PRIMITIVES_NEEDED,    /* PRIMITIVES_WRITTEN, and those that found no room */
    COUNTER_VERTICES,             /* elements of the draws' whole primitives */
    COUNTER_PRIMITIVES_IN,        /* primitives from assembly */
    COUNTER_VP_LAUNCHES,
    COUNTER_GP_LAUNCHES,
    COUNTER_GP_PRIMITIVES,
    COUNTER_CLIP_IN,
    COUNTER_CLIP_OUT,
    COUNTER_FP_LAUNCHES,
    COUNTER_PATCHES,     /* patches that control programs took */
    COUNTER_EVALUATIONS, /* runs of evaluation programs */
    COUNTERS,
};

/* Hooks for debuggers. before: called when draw_end() begins; the state and the vertices are
 * complete, and the hook may change the state. after: called when draw_end() ends; the draw is
 * queued, left out, or has failed. clear: called before a clear is queued. launch: called before a
 * grid runs. clear and launch may be NULL. */
struct draw_hooks {
    void *self;
    void (*before)(void *self, tp_context *c);
    void (*after)(void *self, tp_context *c);
    void (*clear)(void *self, tp_context *c);
    void (*launch)(void *self, tp_context *c);
};

struct tp_context {
    struct state state; /* may be written at any time between calls */
    tp_device *device;
    struct context_private *p;
    int cancelled;        /* atomic: context_cancel() was called while a grid ran */
    uint64_t draw_number; /* number of draws so far; a caller may set a number of its own */
    const struct warp_observer *observer[PROGRAM_TYPES]; /* context_observe */
    const struct draw_hooks *hooks;                      /* NULL: none */
    const struct work_observer *work;                    /* NULL: all work is done */
    /* Writes a report of samples to `address` (context_report_samples). */
    struct {
        void *self;
        void (*write)(void *self, uint64_t address, uint32_t sequence, uint64_t samples);
    } reports;
    /* The owner of the objects that the state names. work_done is called when no queued draw refers
     * to these objects any more. */
    struct {
        void *self;
        void (*work_done)(void *self); /* or NULL */
    } owner;
};

/* Creates a context without an owner; the caller sets c->owner. TP_ERROR_MEMORY with the message
 * set if memory ran out. */
enum tp_result context_create(tp_device *device, tp_context **context);
/* Finishes queued work, then calls owner.work_done() a last time. NULL is allowed. */
void context_destroy(tp_context *c);

/* ---- errors: these functions set the message of the calling thread and return `code` ---- */

enum tp_result device_fail(const tp_device *device, enum tp_result code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The text of the last failure in the calling thread; "" if another device failed last. NULL:
 * failures without a device. */
const char *device_message(const tp_device *device);
#define context_fail(context, ...) device_fail((context)->device, __VA_ARGS__)

/* ---- drawing: draw_begin(), vertices in one of four ways, draw_end() ---- */

enum draw_instance { DRAW_INSTANCE_FIRST, DRAW_INSTANCE_NEXT, DRAW_INSTANCE_SAME };

/* Begins a draw. primitive: enum tp_primitive. Instance id: FIRST = 0, NEXT = one more than that of
 * the last draw, SAME = that of the last draw. State may change until draw_end(), which captures
 * the state. An unknown primitive fails here and at the matching draw_end(). If a draw is still
 * open, the call fails, and the new draw begins all the same: the vertices of the open draw are
 * dropped, and if the open draw has failed, draw_end() of the new draw fails, too. */
enum tp_result draw_begin(tp_context *c, uint32_t primitive, enum draw_instance instance);
/* The primitive ids of the draw follow those of the last draw. */
void draw_continue_primitive_ids(tp_context *c);
/* Adds a range of vertices of the arrays. */
enum tp_result draw_arrays(tp_context *c, uint32_t first, uint32_t count);
/* Adds indices of index_size 1, 2 or 4 bytes in host memory; the indices are copied. draw_end()
 * adds element_base to them. After inline vertices, this function adds no indices: like
 * draw_vertex_cut(), it ends the strip. */
enum tp_result draw_indices(tp_context *c, const void *indices, uint32_t count,
                            uint32_t index_size);
/* Adds indices in GPU memory that only this context may change until the draw is drawn. They are
 * copied only if the draw has other indices, too. */
enum tp_result draw_indices_pushed(tp_context *c, const void *indices, uint32_t count,
                                   uint32_t index_size);
/* Takes all indices of the draw from GPU memory. Indices beyond the end of the allocation read 0.
 * After inline vertices, this function only ends the strip. */
enum tp_result draw_indices_memory(tp_context *c, uint64_t address, uint32_t count,
                                   uint32_t index_size);
/* Adds a vertex with the attributes of state.current. */
enum tp_result draw_vertex(tp_context *c);
/* Adds inline vertices as raw words: for each vertex, the attributes that are not constant, in
 * order, each padded to a multiple of 4 bytes. The words may end inside a vertex. */
enum tp_result draw_vertex_data(tp_context *c, const uint32_t *words, uint32_t count);
/* The following inline vertices have the ids id, id + 1 ... */
enum tp_result draw_vertex_id(tp_context *c, uint32_t id);
/* Ends the strip, loop or fan of inline vertices; the next inline vertex begins another one. */
enum tp_result draw_vertex_cut(tp_context *c);
/* Sets the edge flag of the following inline vertices. Vertices before the first draw_edge_flag()
 * have state.edge_flag. */
enum tp_result draw_edge_flag(tp_context *c, bool flag);
/* Ends the draw: prepares, captures and queues it. If the state makes no sense, nothing is drawn
 * and the result is TP_ERROR_INVALID with a message. */
enum tp_result draw_end(tp_context *c);
/* Draws several instances at once, like several draws with NEXT. Call it before
 * draw_end(). */
void draw_set_instances(tp_context *c, uint32_t instances);

/* Clears with the state's clear values. Bits of what: 1 depth, 2 stencil, 4 8 16 32 R G B A of
 * colour output rt. rect: pixels; layers: first_layer .. first_layer + layer_count - 1; both are
 * limited to the target. */
enum { CLEAR_DEPTH = 1, CLEAR_STENCIL = 2, CLEAR_RED = 4, CLEAR_COLOR_BITS = 0x3c };
enum tp_result context_clear(tp_context *c, uint32_t what, uint32_t rt, uint32_t first_layer,
                             uint32_t layer_count, const struct raster_rect *rect);

/* ---- when work runs ---- */

/* Draws all queued work; results are in memory afterwards. Failures of programs are kept for
 * context_finish(). */
void context_flush(tp_context *c);
/* Flushes. TP_ERROR_TRAP with a message if a program failed since the last call; TP_ERROR_MEMORY if
 * memory ran out, so that primitives are missing. */
enum tp_result context_finish(tp_context *c);
/* To be called before a read of memory that queued draws may write (targets, stream buffers). */
void context_before_read(tp_context *c, uint64_t address, uint64_t size);
/* To be called before a write of memory that queued draws may read or write. The next draw then
 * reads descriptors and constants in this memory again. */
void context_before_write(tp_context *c, uint64_t address, uint64_t size);
/* To be called when descriptors and constants anywhere may have changed, in memory that queued
 * draws neither read nor write. */
void context_memory_changed(tp_context *c);
/* True if nothing is queued, and no report of samples waits to be written. */
bool context_idle(const tp_context *c);

/* From the next draw on, the observer (NULL: none) sees the warps of this stage before they run, on
 * the threads that run them. Flushes. With an observer, the shortcuts for hidden primitives and for
 * programs with uniform results are off. */
void context_observe(tp_context *c, enum program_type stage, const struct warp_observer *observer);

/* Sets the pixel watch (debug/watch.h); NULL: none. Flushes. The watch stays the caller's. */
struct pixel_watch;
void context_watch(tp_context *c, const struct pixel_watch *watch);

/* ---- queries ---- */

/* Waits for the front end, or for all pixels if the counter counts samples or fragment programs. */
uint64_t context_counter(tp_context *c, enum counter counter);
/* A count of one stream's primitives: COUNTER_PRIMITIVES_GENERATED, _WRITTEN or _NEEDED. For stream
 * 0, context_counter() gives the same count. */
uint64_t context_stream_counter(tp_context *c, enum counter counter, uint32_t stream);
/* Resets a counter in all streams. Waits as context_counter() does, but not for samples. */
void context_counter_reset(tp_context *c, enum counter counter);
/* Asks for a report of the samples that pass in the draws queued since the counter's last reset.
 * The next flush calls c->reports.write with their number. An access to the `size` bytes at
 * `address` through the functions above flushes first. False when out of memory. */
bool context_report_samples(tp_context *c, uint64_t address, uint32_t size, uint32_t sequence);
/* A measure of the work so far: 1 for each draw, and 1 for each primitive of each instance. */
uint64_t context_work(const tp_context *c);
/* Flushes, then returns the counts since the last reset, and the memory in use. */
void context_statistics(tp_context *c, struct tp_statistics *statistics);
void context_reset_statistics(tp_context *c);
/* Flushes, then returns the time of each stage since the last call. The first call begins the
 * measurement. */
void context_take_profile(tp_context *c, struct tp_profile *profile);
/* Writes the profile as a line of the log, if the last such line is at least 10 ms old. */
void context_log_profile(tp_context *c);
/* From now on the time of the calling thread counts for this stage (enum stage). Returns the stage
 * that the time counted for until now; context_leave() takes this stage. */
int context_enter(tp_context *c, int stage);
void context_leave(tp_context *c, int was);
/* Calls fn for index 0 .. count - 1, in any order, on the context's threads, while queued work goes
 * on. worker: 0 (the caller) to threads - 1. The time counts for the stage "copy". Returns when all
 * calls have returned. */
void context_share(tp_context *c, uint32_t count,
                   void (*fn)(void *self, uint32_t index, int worker), void *self);
/* Evaluates state.condition_*. Draws and clears call this function themselves. */
bool context_condition(tp_context *c);

/* ---- compute ---- */

/* Ends the running grid soon; context_dispatch() returns TP_ERROR_CANCELLED. May be called from any
 * thread. */
void context_cancel(tp_context *c);
/* Flushes, then runs the bound compute program over a grid of CTAs of `block` threads. The program
 * finds the words of params[] at s[0x10] (Fermi: at the chip's place in c0[], shader/cta.c). */
enum tp_result context_dispatch(tp_context *c, const uint32_t grid[3], const uint32_t block[3],
                                const uint32_t *params, uint32_t param_count);
