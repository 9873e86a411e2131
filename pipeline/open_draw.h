/* The open draw: what the calls between draw_begin and draw_end have given so far. In: calls.c writes it. Out:
 * draw_end reads it and begins the next one. Must not know the state.
 */
#ifndef PIPELINE_OPEN_DRAW_H
#define PIPELINE_OPEN_DRAW_H

#include "pipeline/context.h"

struct open_draw {
    bool open;
    enum tp_result failed; /* TP_OK, or why draw_end must fail */
    uint32_t primitive;
    uint32_t instances;
    enum draw_instance instance;
    bool continue_ids; /* primitive ids go on from the last draw's */
    uint8_t index_size;
    struct element_range *range; /* of vertices, or of indices in `index` */
    size_t range_count, range_capacity;
    uint8_t *index; /* host copies */
    size_t index_bytes, index_capacity;
    uint64_t index_address; /* or in GPU memory */
    uint32_t index_count;
    const uint8_t *pushed; /* or, pushed in one piece, here; NULL: they were not */
    uint32_t pushed_count;
    uint32_t *data;      /* inline vertices */
    struct inline_mark { /* what was said between them */
        size_t word;     /* of data */
        enum inline_mark_kind { MARK_ID, MARK_CUT, MARK_EDGE } kind;
        uint32_t value; /* id of the vertex there; edge flag of those that follow */
    } *mark;
    size_t mark_count, mark_capacity;
    bool has_ids, has_edges; /* a mark gives one */
    bool edge_flag;          /* before the first mark */
    size_t data_words, data_capacity;
    bool immediate; /* data comes from draw_vertex */
};

#endif
