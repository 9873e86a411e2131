/* The history of a pixel: everything that was drawn at one sample, in order, each with what became of
 * it in each target. In: a context that is about to draw. Out: a list of entries when the drawing is
 * done. Built on raster/'s probe; knows no files and prints nothing.
 */
#ifndef PIPELINE_DEBUG_HISTORY_H
#define PIPELINE_DEBUG_HISTORY_H

#include "pipeline/context.h"

struct history_where {
    int32_t x, y; /* pixel */
    uint32_t layer, sample;
};

enum { HISTORY_INPUTS = RASTER_WORDS, HISTORY_NO_ADDRESS = 0xffffffff };

struct history_entry {
    enum history_kind { HISTORY_PRIMITIVE, HISTORY_CLEAR } kind;
    uint64_t draw;      /* of clears: the last one before it, 0: none */
    uint64_t target;    /* GPU address of the colour target or zeta buffer that this is about */
    /* primitives */
    enum raster_verdict verdict;
    uint32_t primitive; /* its number in the draw, through the instances */
    bool front;
    bool overwritten;   /* written, but not the last to write there; set by history_select */
    uint32_t discarded_by; /* address of the instruction; HISTORY_NO_ADDRESS: none */
    struct warp_error trap;
    char program[128];
    uint32_t inputs;    /* v[] words and their values, perspective not undone */
    float input[HISTORY_INPUTS];
    bool zeta_tested, zeta_passed, zeta_written;
    enum pixel_format zeta_format;
    uint32_t depth, zeta_before[2], zeta_after[2]; /* as struct raster_probe_event has them */
    struct zeta_state zeta;
    int color_target; /* which one; -1: it is the zeta buffer; the following is then zero */
    enum pixel_format color_format;
    bool ran;           /* the program; source is then valid if colour was written */
    uint32_t source[4], before[4], after[4]; /* float bits or integers */
    uint8_t color_mask;
    struct blend_target blend;
    float blend_color[4];
    bool logic_op_enable;
    uint16_t logic_op;
    /* clears */
    struct raster_clear clear;
};

struct history;

enum { HISTORY_CONTEXTS = 64 };

/* NULL when out of memory. */
struct history *history_create(tp_device *device, const struct history_where *where);
/* Watches what this context draws from now on; it must live until history_end. One history a context at
 * a time, HISTORY_CONTEXTS contexts a history: false when there are more. */
bool history_watch(struct history *h, tp_context *c);
/* Draws what is queued and stops watching; the entries stay valid until history_free. Each event has an
 * entry for every target that was bound. */
void history_end(struct history *h);
/* Keeps the entries of this target only, up to this draw (0: all). */
void history_select(struct history *h, uint64_t target, uint64_t last_draw);
const struct history_entry *history_entries(const struct history *h, size_t *count);
/* True if some entry was lost for want of memory. */
bool history_incomplete(const struct history *h);
void history_free(struct history *h);

/* "not covered", "discarded" ... */
const char *history_verdict_name(enum raster_verdict v);

#endif
