/* The debugger of teslapipe: the history of pixels, copies of warps that step forwards and
 * backwards, the time line of all threads, and the cost of native code. A program that draws needs
 * teslapipe.h only. The conventions of errors, ownership and threads are those of teslapipe.h.
 * docs/debugging.md shows the tools that are built in this way.
 */
#ifndef TESLAPIPE_DEBUG_H
#define TESLAPIPE_DEBUG_H

#include "teslapipe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- History of pixels -------------------------------------------------------------------- */

/* A history tells why a pixel has its colour: it lists all primitives, clears and copies at chosen
 * pixels, in order and with their results (docs/debugging.md). Pictures do not change; drawing is
 * slower meanwhile. A verdict is the fate of a primitive at a pixel. */
enum tp_verdict {
    TP_DEGENERATE,
    TP_CLIPPED,
    TP_CULLED,
    TP_SCISSORED,
    TP_NOT_COVERED,
    TP_WINDOWED /* window rectangles */,
    TP_STIPPLED,
    TP_SAMPLE_MASKED,
    TP_BOUNDS_FAILED,
    TP_STENCIL_FAILED,
    TP_ZETA_FAILED,
    TP_DISCARDED,
    TP_TRAPPED,
    TP_ALPHA_FAILED,
    TP_REMOVED /* exported sample mask, alpha to coverage */,
    TP_NO_COLOR /* passed, but the target is masked */,
    TP_WRITTEN,
};
TP_API const char *tp_debug_verdict_name(enum tp_verdict verdict);

struct tp_debug_pixel {
    uint32_t x, y, layer, sample;
};
enum tp_debug_kind {
    TP_DEBUG_PRIMITIVE,
    TP_DEBUG_CLEAR,
    TP_DEBUG_COPY /* or a write by the CPU */
};
struct tp_debug_entry {
    enum tp_debug_kind kind;
    /* Number of the draw in the context, from 1. Of clears and copies: the last draw before. */
    uint64_t draw;
    bool overwritten;             /* written, and written again by a later entry */
    uint32_t before[4], after[4]; /* RGBA as float bits or integers; a clear has only `after` */
    /* The following fields are for primitives only. */
    enum tp_verdict verdict;
    bool front;
    uint32_t primitive, instance, vertex_count;
    struct tp_debug_vertex {
        uint32_t number;          /* vertex index; of geometry programs: number of the emit */
        float clip[4], window[4]; /* clip: x, y, z, w; window: x, y, z, 1/w */
    } vertex[3];
    const char *program;   /* valid until the history is destroyed */
    uint32_t discarded_by; /* address of the discarding instruction, or 0xffffffff */
    bool zeta_tested, zeta_passed, zeta_late; /* late: after the program */
    float depth, stored_depth;                /* the compared values, if zeta_tested */
    uint8_t stencil_before, stencil_after;
    uint32_t source[4]; /* the program's colour, if it was written */
};
typedef struct tp_debug_history tp_debug_history;
/* Starts a history of the context's later draws, clears and copies at the pixels. A context has one
 * history at a time. */
TP_API enum tp_result tp_debug_history_begin(tp_context *context,
                                             const struct tp_debug_pixel *pixel, uint32_t pixels,
                                             tp_debug_history **history);
/* Finishes queued draws and ends the history. */
TP_API enum tp_result tp_debug_history_end(tp_context *context);
/* The number of entries of a pixel in level 0 of a target that was bound from layer 0 on, and entry
 * `index` of them. pixel: its index in the list given to tp_debug_history_begin. Call both
 * functions after tp_debug_history_end. */
TP_API enum tp_result tp_debug_history_count(tp_debug_history *history, uint32_t pixel,
                                             tp_texture *target, size_t *count);
TP_API enum tp_result tp_debug_history_get(tp_debug_history *history, uint32_t pixel,
                                           tp_texture *target, size_t index,
                                           struct tp_debug_entry *entry);
/* Call it after tp_debug_history_end, or after tp_context_destroy. */
TP_API void tp_debug_history_destroy(tp_debug_history *history);

/* A copy of a warp that is about to run. The copy can be stepped forwards and backwards. Changes of
 * the copy have no effect on pictures. */
typedef struct tp_debug_warp tp_debug_warp;
struct tp_debug_place {
    enum tp_stage stage;
    uint32_t x, y;                /* fragments: the pixel */
    uint32_t number;              /* vertex number; of geometry programs: the primitive's */
    uint32_t block[3], thread[3]; /* compute */
};
/* The thread that is about to run a warp with the place calls the function. warp is valid until
 * the function returns. Until then the thread holds up the context, and functions that take the
 * context fail with TP_ERROR_INVALID. */
typedef void tp_debug_fn(void *self, tp_debug_warp *warp, uint32_t lane);
/* Calls the function for this place from now on, and no longer for an earlier place. place NULL:
 * for no place. Tessellation programs have no places. */
TP_API enum tp_result tp_debug_break(tp_context *context, const struct tp_debug_place *place,
                                     tp_debug_fn *call, void *self);
/* Executes one instruction. False at the end of the program. */
TP_API bool tp_debug_step(tp_debug_warp *warp);
/* Goes forwards or backwards to the state after `count` instructions. tp_debug_count: the number of
 * instructions executed so far. */
TP_API void tp_debug_goto(tp_debug_warp *warp, uint64_t count);
TP_API uint64_t tp_debug_count(const tp_debug_warp *warp);
/* The next instruction: its address; its text, with the result of snprintf; a bit for each lane
 * that takes part. */
TP_API uint32_t tp_debug_address(const tp_debug_warp *warp);
TP_API size_t tp_debug_instruction(const tp_debug_warp *warp, char *text, size_t size);
TP_API uint32_t tp_debug_active(const tp_debug_warp *warp);
/* Reads or writes $r<reg> of a lane; false if the program has no such register. */
TP_API bool tp_debug_read(const tp_debug_warp *warp, unsigned reg, unsigned lane, uint32_t *value);
TP_API bool tp_debug_write(tp_debug_warp *warp, unsigned reg, unsigned lane, uint32_t value);

/* ---- Time --------------------------------------------------------------------------------- */

/* Records the work and the waits of each thread of the process (docs/timeline.md).
 * tp_debug_timeline_end ends the record and writes it to a file. A process has at most one record.
 * thread: the calling thread's name in the record; NULL: "program". */
TP_API void tp_debug_timeline_begin(const char *thread);
TP_API enum tp_result tp_debug_timeline_end(const char *path);

/* The native code that a device has made. All 0 if its engine is the interpreter. */
struct tp_debug_native {
    uint64_t programs; /* a program counts once for each setting of its mode bits */
    uint64_t instructions;
    uint64_t nanoseconds; /* processor time of making all native code */
    uint64_t worst_instructions,
        worst_nanoseconds; /* of the program with the slowest instructions */
    uint64_t calls;        /* number of `instructions` that call the interpreter's handlers */
};
TP_API void tp_debug_get_native(const tp_device *device, struct tp_debug_native *native);
/* The name of operation number `operation`, from 0 on, and in *calls its part of
 * tp_debug_native.calls. NULL behind the last operation. */
TP_API const char *tp_debug_get_calls(const tp_device *device, uint32_t operation, uint32_t *calls);

#ifdef __cplusplus
}
#endif

#endif
