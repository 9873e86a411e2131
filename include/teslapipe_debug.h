/* The debugger of teslapipe: the history of pixels, and warps stepped forwards and backwards while
 * they run. A program that draws needs teslapipe.h only; conventions of errors, ownership and
 * threads are the same. docs/debugging.md shows the tools that are built in this way.
 */
#ifndef TESLAPIPE_DEBUG_H
#define TESLAPIPE_DEBUG_H

#include "teslapipe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- History of pixels -------------------------------------------------------------------- */

/* Why has this pixel this colour? Everything that is drawn at some pixels, in order, with what
 * became of it; docs/debugging.md. Pictures do not change, drawing is slower while a history is
 * under way. */
enum tp_verdict {
    TP_DEGENERATE,
    TP_CLIPPED,
    TP_CULLED,
    TP_SCISSORED,
    TP_NOT_COVERED,
    TP_WINDOWED /* rectangles */,
    TP_STIPPLED,
    TP_SAMPLE_MASKED,
    TP_BOUNDS_FAILED,
    TP_STENCIL_FAILED,
    TP_ZETA_FAILED,
    TP_DISCARDED,
    TP_TRAPPED,
    TP_ALPHA_FAILED,
    TP_REMOVED /* exported sample mask, alpha to coverage */,
    TP_NO_COLOR /* passed, but masked */,
    TP_WRITTEN,
};
TP_API const char *tp_debug_verdict_name(enum tp_verdict verdict);

struct tp_debug_pixel {
    uint32_t x, y, layer, sample;
};
enum tp_debug_kind {
    TP_DEBUG_PRIMITIVE,
    TP_DEBUG_CLEAR,
    TP_DEBUG_COPY /* or written by the CPU */
};
struct tp_debug_entry {
    enum tp_debug_kind kind;
    uint64_t draw;                /* of the context, from 1; clears and copies: the one before */
    bool overwritten;             /* written, but not the last to write there */
    uint32_t before[4], after[4]; /* RGBA as float bits or integers; a clear has only after */
    /* primitives */
    enum tp_verdict verdict;
    bool front;
    uint32_t primitive, instance, vertex_count;
    struct tp_debug_vertex {
        uint32_t number;          /* or what a geometry program emitted */
        float clip[4], window[4]; /* x, y, z, w; x, y, z, 1/w */
    } vertex[3];
    const char *program;                      /* valid until the history is destroyed */
    uint32_t discarded_by;                    /* address of the instruction, or 0xffffffff */
    bool zeta_tested, zeta_passed, zeta_late; /* late: after the program */
    float depth, stored_depth;                /* compared with each other, if tested */
    uint8_t stencil_before, stencil_after;
    uint32_t source[4]; /* what the program gave, if written */
};
typedef struct tp_debug_history tp_debug_history;
/* Watches what the context draws from now on. One history a context at a time. */
TP_API enum tp_result tp_debug_history_begin(tp_context *context,
                                             const struct tp_debug_pixel *pixel, uint32_t pixels,
                                             tp_debug_history **history);
/* Draws what is queued and stops watching. */
TP_API enum tp_result tp_debug_history_end(tp_context *context);
/* What happened at pixel number `pixel`, as far as level 0, layer 0 of a target goes: how many
 * entries there are, and each of them. After tp_debug_history_end only. */
TP_API enum tp_result tp_debug_history_count(tp_debug_history *history, uint32_t pixel,
                                             tp_texture *target, size_t *count);
TP_API enum tp_result tp_debug_history_get(tp_debug_history *history, uint32_t pixel,
                                           tp_texture *target, size_t index,
                                           struct tp_debug_entry *entry);
/* After its end, or its context's. */
TP_API void tp_debug_history_destroy(tp_debug_history *history);

/* A warp that is about to run, to be stepped forwards and backwards. It is a copy: what is done
 * with it changes no picture. */
typedef struct tp_debug_warp tp_debug_warp;
struct tp_debug_place {
    enum tp_stage stage;
    uint32_t x, y;                /* fragments: pixel */
    uint32_t number;              /* vertex, or a geometry program's primitive */
    uint32_t block[3], thread[3]; /* compute */
};
/* Called by whichever thread is about to run a warp with such a lane; warp is valid until it
 * returns. */
typedef void tp_debug_fn(void *self, tp_debug_warp *warp, uint32_t lane);
/* Calls it from now on; NULL place: no longer. */
TP_API enum tp_result tp_debug_break(tp_context *context, const struct tp_debug_place *place,
                                     tp_debug_fn *call, void *self);
/* One instruction; false at the end. */
TP_API bool tp_debug_step(tp_debug_warp *warp);
/* To where so many instructions had been executed, forwards or backwards. */
TP_API void tp_debug_goto(tp_debug_warp *warp, uint64_t count);
TP_API uint64_t tp_debug_count(const tp_debug_warp *warp);
/* The instruction that comes next: its address, its text (as snprintf), and a bit for each lane
 * that takes part. */
TP_API uint32_t tp_debug_address(const tp_debug_warp *warp);
TP_API size_t tp_debug_instruction(const tp_debug_warp *warp, char *text, size_t size);
TP_API uint32_t tp_debug_active(const tp_debug_warp *warp);
/* $r<reg> of a lane; false if the program has none. */
TP_API bool tp_debug_read(const tp_debug_warp *warp, unsigned reg, unsigned lane, uint32_t *value);
TP_API bool tp_debug_write(tp_debug_warp *warp, unsigned reg, unsigned lane, uint32_t value);

#ifdef __cplusplus
}
#endif

#endif
