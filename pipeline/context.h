/* A device and its contexts, as the command processor and the C API see them: the state to write,
 * and the functions that act on it. Draws are validated and snapshot when they are issued, and run
 * later (scene.h); everything that looks at memory from outside goes through the functions below,
 * which know when that later has come. A context belongs to one thread at a time.
 */
#ifndef PIPELINE_CONTEXT_H
#define PIPELINE_CONTEXT_H

#include "base/log.h"
#include "base/memory.h"
#include "base/simd.h"
#include "include/teslapipe.h"
#include "pipeline/state/state.h"

struct tp_device {
    int refs; /* atomic: the owner, and each API object that was made of it */
    struct gpu_memory *memory;
    struct log log;
    enum simd_level simd;
    enum isa_variant variant;
    int threads;
    struct native *native; /* NULL: programs are interpreted */
    bool profile;          /* contexts log where the time goes */
    /* Watchdog: the most primitives, blocks of threads, lines or pixels one command may ask for.
     * More than any program needs, so that a damaged command ends in an error, not in hours. */
    uint64_t work_limit;
    uint64_t warp_budget; /* instructions a warp may execute; 0 = the stage's own limit */
    void (*log_line)(void *self, int level, const char *line); /* the owner's, or NULL */
    void *log_self;
};

/* As tp_device_create, with GPU memory backed by a file (memory_fd >= 0, see base/memory.h). */
enum tp_result device_create(const struct tp_device_info *info, int memory_fd, tp_device **device);
void device_ref(tp_device *device);
/* Gives one reference back; the last one ends the device. NULL is fine. */
void device_destroy(tp_device *device);
/* The engine that runs programs, by name. */
const char *device_engine(const tp_device *device);

/* Numbers a query can ask for; all count from the last reset of that counter. */
enum counter {
    COUNTER_SAMPLES_PASSED,
    COUNTER_PRIMITIVES_GENERATED, /* by vertex or geometry stage, before clipping */
    COUNTER_PRIMITIVES_WRITTEN,   /* to stream buffers */
    COUNTER_VERTICES,             /* fetched: input assembly */
    COUNTER_PRIMITIVES_IN,        /* assembled */
    COUNTER_VP_LAUNCHES,
    COUNTER_GP_LAUNCHES,
    COUNTER_GP_PRIMITIVES,
    COUNTER_CLIP_IN,
    COUNTER_CLIP_OUT,
    COUNTER_FP_LAUNCHES,
    COUNTERS,
};

/* Told of every draw, for debuggers: before: state and vertices are complete, the state may be changed;
 * after: it is queued. */
struct draw_hooks {
    void *self;
    void (*before)(void *self, tp_context *c);
    void (*after)(void *self, tp_context *c);
};

struct tp_context {
    struct state state; /* write it at any time between calls */
    tp_device *device;
    struct context_private *p;
    int cancelled;        /* atomic: context_cancel was called while a grid ran */
    uint64_t draw_number; /* counts draw_end; whoever numbers draws otherwise may set it before */
    const struct warp_observer *observer[PROGRAM_TYPES]; /* context_observe */
    const struct draw_hooks *hooks;                      /* NULL: none */
    /* Who writes reports: what passed goes to address (context_report_samples). */
    struct {
        void *self;
        void (*write)(void *self, uint64_t address, uint32_t sequence, uint64_t samples);
    } reports;
    /* Who holds what the state names: told whenever no queued work refers to it any more. */
    struct {
        void *self;
        void (*work_done)(void *self); /* or NULL */
    } owner;
};

/* A context without owner; TP_ERROR_MEMORY with the message set. */
enum tp_result context_create(tp_device *device, tp_context **context);
/* Finishes queued work, which tells the owner once more. NULL is fine. */
void context_destroy(tp_context *c);

/* ---- errors: sets the message of this thread and returns code ---- */

enum tp_result device_fail(const tp_device *device, enum tp_result code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The last failure's text in this thread, "" if it was not this device's (NULL: no device's). */
const char *device_message(const tp_device *device);
#define context_fail(context, ...) device_fail((context)->device, __VA_ARGS__)

/* ---- drawing: between begin and end any of the four ways to give vertices, in order ---- */

enum draw_instance { DRAW_INSTANCE_FIRST, DRAW_INSTANCE_NEXT, DRAW_INSTANCE_SAME };

/* VERTEX_BEGIN_GL: primitive in GL numbering 0..13. Instance id: FIRST = 0, NEXT = one more than
 * the last draw's, SAME = the last draw's. State may change until draw_end, which takes the
 * snapshot. Fails (and the matching draw_end too) on an unknown primitive or a draw that is still
 * open. */
enum tp_result draw_begin(tp_context *c, uint32_t primitive, enum draw_instance instance);
/* PRIMITIVE_ID_CONT: the draw's primitive ids go on where the last draw's ended. */
void draw_continue_primitive_ids(tp_context *c);
/* VERTEX_BUFFER_FIRST/COUNT. */
enum tp_result draw_arrays(tp_context *c, uint32_t first, uint32_t count);
/* Indices of index_size 1, 2 or 4 bytes in host memory; copied. Calls within one draw continue it,
 * and element_base is added at draw_end. */
enum tp_result draw_indices(tp_context *c, const void *indices, uint32_t count,
                            uint32_t index_size);
/* The same for indices in GPU memory that stay what they are until the draw is pixels, but for what this
 * context writes: they need not be copied. */
enum tp_result draw_indices_pushed(tp_context *c, const void *indices, uint32_t count,
                                   uint32_t index_size);
/* Indices in GPU memory; beyond the end of the allocation they read 0. */
enum tp_result draw_indices_memory(tp_context *c, uint64_t address, uint32_t count,
                                   uint32_t index_size);
/* A vertex made of state.current (attribute 0 was written between BEGIN and END). */
enum tp_result draw_vertex(tp_context *c);
/* VERTEX_DATA: words of whole vertices, the non-constant attributes in order, each padded to 4
 * bytes. */
enum tp_result draw_vertex_data(tp_context *c, const uint32_t *words, uint32_t count);
/* Between inline vertices: those that follow have the ids id, id + 1 ... (VERTEX_ID_BASE); */
enum tp_result draw_vertex_id(tp_context *c, uint32_t id);
/* the strip, loop or fan ends here and another begins (a restart index). */
enum tp_result draw_vertex_cut(tp_context *c);
/* those that follow have this edge flag (EDGEFLAG); before the first such call, state.edge_flag. */
enum tp_result draw_edge_flag(tp_context *c, bool flag);
/* VERTEX_END_GL: validates, snapshots and queues the draw; TP_ERROR_INVALID with a message (nothing
 * is drawn) if the state makes no sense. */
enum tp_result draw_end(tp_context *c);
/* Several instances at once: like draw_begin FIRST ... draw_end repeated with NEXT. Only before
 * draw_end. */
void draw_set_instances(tp_context *c, uint32_t instances);

/* CLEAR_BUFFERS: bits of what: 1 depth, 2 stencil, 4 8 16 32 = R G B A of colour output rt, with
 * the state's clear values, in `rect` (pixels; limited to the target), layers first .. first +
 * count - 1 (limited to the target). */
enum { CLEAR_DEPTH = 1, CLEAR_STENCIL = 2, CLEAR_RED = 4, CLEAR_COLOR_BITS = 0x3c };
enum tp_result context_clear(tp_context *c, uint32_t what, uint32_t rt, uint32_t first_layer,
                             uint32_t layer_count, const struct raster_rect *rect);

/* ---- when work runs ---- */

/* Runs everything queued; results are in memory afterwards. Program failures are kept for
 * context_finish. */
void context_flush(tp_context *c);
/* context_flush, then TP_ERROR_TRAP with a message if a program failed since the last call. */
enum tp_result context_finish(tp_context *c);
/* Call before reading memory that queued work may write (targets, stream buffers), */
void context_before_read(tp_context *c, uint64_t address, uint64_t size);
/* and before writing memory that queued work may read or write: runs it if it does. Also tells the
 * next draw that descriptors and constants in memory may have changed. */
void context_before_write(tp_context *c, uint64_t address, uint64_t size);
/* The second half of that alone, for memory that nothing queued refers to. */
void context_memory_changed(tp_context *c);
/* True when nothing is queued. */
bool context_idle(const tp_context *c);

/* From the next draw on, warps of this stage are shown to the observer (NULL: to nobody) before they
 * run, by whichever thread runs them. Flushes. Primitives that hide others and programs whose
 * results are the same everywhere are then drawn like all others. */
void context_observe(tp_context *c, enum program_type stage, const struct warp_observer *observer);

/* Watches pixels of whatever is drawn into (debug/watch.h); NULL: none. Flushes. The watch stays the
 * caller's. */
struct pixel_watch;
void context_watch(tp_context *c, const struct pixel_watch *watch);

/* ---- queries ---- */

/* Waits for what counts it: pixels for samples and fragment programs, for others the front end. */
uint64_t context_counter(tp_context *c, enum counter counter);
/* Waits too, but not for samples. */
void context_counter_reset(tp_context *c, enum counter counter);
/* c->reports.write is called with the samples passed by what is queued so far when that is pixels: with the next
 * flush, and before anything that goes through the functions above reads or writes the `size` bytes there. False
 * when out of memory. */
bool context_report_samples(tp_context *c, uint64_t address, uint32_t size, uint32_t sequence);
/* Flushes; what was counted since the last reset, and what memory is in use. */
void context_statistics(tp_context *c, struct tp_statistics *statistics);
void context_reset_statistics(tp_context *c);
/* Flushes; where the time went since the last call, which began the measurement. */
void context_take_profile(tp_context *c, struct tp_profile *profile);
/* The same as a line of the log, if it is so long since the last one that one more is worth it. */
void context_log_profile(tp_context *c);
/* The calling thread goes into a stage, of enum stage; the one before, to leave to. */
int context_enter(tp_context *c, int stage);
void context_leave(tp_context *c, int was);
/* Calls fn for index 0 .. count - 1, in any order, on all of the context's threads as they have time
 * beside queued work; worker: 0 (the caller) to threads - 1. Their time is the stage's. Returns when all
 * are done. */
void context_share(tp_context *c, int stage, uint32_t count,
                   void (*fn)(void *self, uint32_t index, int worker), void *self);
/* Evaluates state.condition_*; draws and clears do so themselves. */
bool context_condition(tp_context *c);

/* ---- compute ---- */

/* From any thread: the grid that runs now ends soon, with TP_ERROR_CANCELLED. */
void context_cancel(tp_context *c);
/* Runs the bound CP program over a grid of blocks; flushes before. The params words land at s[0x10]. */
enum tp_result context_dispatch(tp_context *c, const uint32_t grid[3], const uint32_t block[3],
                                const uint32_t *params, uint32_t param_count);

#endif
