/* The history of pixels: all draws at a sample, in order, each with its result in each target, and
 * the stores of programs to the sample's texel. In: a context that is about to draw. Out: lists of
 * entries when the drawing is done. Built on watch.h and store_watch.h. Must not know files or
 * print.
 */
#pragma once

#include "pipeline/debug/draw_trace.h"
#include "pipeline/debug/store_watch.h"
#include "pipeline/debug/watch.h"

enum { HISTORY_INPUTS = RASTER_WORDS, HISTORY_NO_ADDRESS = 0xffffffff };

struct history_options {
    bool all;   /* also primitives that came near the sample and did not cover it */
    bool trace; /* traces of fragments */
    /* Also stores of programs. The device must then have one thread, and programs are
     * interpreted. */
    bool stores;
    uint64_t reads_of; /* the draw whose fragments' reads are collected; 0: none */
};

/* One v[] word at the pixel. */
struct history_input {
    uint8_t kind, slot; /* as in struct raster_word */
    bool read;          /* the program reads the word; else value and flat may be undefined */
    float value;        /* the interpolated value, not yet multiplied by w */
    uint32_t flat;      /* the word of the provoking vertex */
};

struct history_entry {
    enum history_kind { HISTORY_PRIMITIVE, HISTORY_CLEAR, HISTORY_COPY, HISTORY_STORE } kind;
    uint32_t pixel; /* index of the pixel in the list given to history_create() */
    /* Number of the draw. For clears, copies and stores of launches: the last draw before them; 0:
     * there was none. */
    uint64_t draw;
    uint32_t target;              /* number of the target among those that the history has seen */
    uint64_t order;               /* number in the order of arrival */
    int color_target;             /* index of the target; -1: the zeta buffer */
    enum pixel_format format;     /* of the target */
    bool overwritten;             /* written, and later overwritten; set by history_select() */
    uint32_t before[4], after[4]; /* colour: RGBA as float bits or integers; zeta: depth, stencil */
    /* The fragment reads memory that other fragments of the primitive wrote. The fragment was run
     * again alone: `source`, the reads and the trace are from that run, `after` is from the
     * target. */
    bool depends;
    /* primitives */
    enum raster_verdict verdict;
    uint32_t primitive; /* number of the primitive, for history_primitive() */
    /* The number of this piece, from 1, among the pieces of a clipped or unfilled primitive near
     * the pixel; and the number of these pieces. Set by history_select(). */
    uint32_t piece, pieces;
    bool front;
    uint32_t discarded_by; /* address of the instruction; HISTORY_NO_ADDRESS: none */
    struct warp_error trap;
    char program[128];
    uint32_t base;   /* address of the program */
    uint32_t inputs; /* number of v[] words */
    struct history_input *input;
    struct lane_trace *trace; /* NULL: none */
    bool zeta_tested, zeta_passed, zeta_late, zeta_written;
    enum pixel_format zeta_format;
    uint32_t depth, zeta_before[2], zeta_after[2]; /* as struct raster_probe_event has them */
    struct zeta_state zeta;
    bool ran; /* the program ran; `source` is valid if colour was also written */
    uint32_t source[4];
    uint8_t color_mask;
    struct blend_target blend;
    float blend_color[4];
    bool logic_op_enable;
    uint16_t logic_op;
    bool alpha_test;
    uint16_t alpha_func;
    float alpha_ref;
    /* clears */
    struct raster_clear clear;
    /* stores */
    struct stored *store;
    /* for the draw reads_of: the reads of a primitive's fragment */
    struct thread_reads *reads;
};

struct history;

/* At most STORED_BYTES bytes of memory, and the last store to these bytes. */
struct history_range {
    uint64_t address;
    uint32_t size;
    /* results */
    bool stored, copied; /* a program stored to the range; a copy came after the last store */
    struct stored last;  /* the last store */
};

enum { HISTORY_CONTEXTS = 64 };

/* Makes a history of the pixels; NULL when out of memory. Entries name a pixel by its index in
 * `pixel`. */
struct history *history_create(tp_device *device, const struct raster_probe_pixel *pixel,
                               uint32_t pixels, const struct history_options *options);
/* Watches the draws of this context from now on; the context must live until history_end(). A
 * context has at most one history, a history at most HISTORY_CONTEXTS contexts. False if the
 * history has no room for this context. */
bool history_watch(struct history *h, tp_context *c);
/* Watches this target from the start, before anything is drawn into it. color_target: the target's
 * index; -1: zeta. */
void history_watch_target(struct history *h, uint64_t address, const struct surface *surface,
                          int color_target, uint32_t samples);
/* Watches the ranges: fills in their results, for stores and copies before the work of `until`. */
void history_watch_ranges(struct history *h, struct history_range *range, uint32_t count,
                          const struct stored *until);
/* Collects the reads of the thread that made store s, up to that store. To be called in another run
 * of the same draws, with the options of the first run except for reads_of. */
void history_follow(struct history *h, const struct stored *s, struct thread_reads *reads);
/* Returns the number of draws so far whose programs write memory, plus the number of launches. */
uint64_t history_writers(const struct history *h);
/* To be called before code outside of the contexts writes or frees memory, after this draw. */
void history_memory(struct history *h, uint64_t address, uint64_t size, uint64_t draw);
/* Draws queued work and stops watching; the entries stay valid until history_free(). Each event has
 * an entry for every target that was bound. */
void history_end(struct history *h);
/* Returns the layout of the first layer of a target, without its memory. */
struct surface target_layout(const struct target_state *t);
/* Returns the entries of one pixel and target up to draw last_draw (0: all draws), in the order of
 * drawing; valid until the next call. address, surface: the target's address in GPU memory, and its
 * surface. */
const struct history_entry *const *history_select(struct history *h, uint32_t pixel,
                                                  uint64_t address, const struct surface *surface,
                                                  uint64_t last_draw, size_t *count);
/* Returns the primitive of an entry; NULL for entries of other kinds. */
const struct traced_primitive *history_primitive(const struct history *h,
                                                 const struct history_entry *e);
/* Computes the place (u, v) of the pixel's centre in the patch of the entry's primitive,
 * interpolated between the evaluated points with perspective. False if the primitive was not made
 * by an evaluation program, or has points behind the eye. */
bool history_domain(const struct history *h, const struct history_entry *e, float domain[2]);
/* True if an entry was lost because memory ran out. */
bool history_incomplete(const struct history *h);
void history_free(struct history *h);

/* Returns the name of a verdict: "not covered", "discarded" ... */
const char *history_verdict_name(enum raster_verdict v);
