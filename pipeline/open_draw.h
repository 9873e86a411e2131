/* The open draw: the arguments of the calls since draw_begin, until draw_end. In: calls.c writes
 * it. Out: draw_end reads it and begins the next one. Must not know the state.
 */
#ifndef PIPELINE_OPEN_DRAW_H
#define PIPELINE_OPEN_DRAW_H

#include "pipeline/context.h"

struct open_draw {
    bool open;
    enum tp_result failed; /* the result of draw_end() if it is not TP_OK */
    uint32_t primitive;
    uint32_t instances;
    enum draw_instance instance;
    bool continue_ids; /* primitive ids follow those of the last draw */
    uint8_t index_size;
    struct element_range *range; /* of vertices, or of indices in `index` */
    size_t range_count, range_capacity;
    uint8_t *index; /* copies of indices in host memory */
    size_t index_bytes, index_capacity;
    uint64_t index_address; /* of index_count indices in GPU memory */
    uint32_t index_count;
    const uint8_t *pushed; /* indices that were pushed in one piece and are read there; or NULL */
    uint32_t pushed_count;
    uint32_t *data;      /* inline vertices */
    struct inline_mark { /* a mark between inline vertices */
        size_t word;     /* its place in data */
        enum inline_mark_kind { MARK_ID, MARK_CUT, MARK_EDGE } kind;
        uint32_t value; /* id of the vertex there; edge flag of those that follow */
    } *mark;
    size_t mark_count, mark_capacity;
    bool has_ids, has_edges; /* some mark gives an id, an edge flag */
    bool edge_flag;          /* before the first mark */
    size_t data_words, data_capacity;
    bool immediate; /* data comes from draw_vertex() */
};

#endif
