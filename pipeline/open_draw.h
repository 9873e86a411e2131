/* The open draw: the arguments of the functions from draw_begin() to draw_end(). calls.c writes the
 * open draw; draw_end() makes a struct draw_call of it, and draw_begin() empties it for the next
 * draw. Must not know the state.
 */
#pragma once

#include "pipeline/context.h"

struct open_draw {
    bool open;
    enum tp_result failed; /* the result of draw_end() if it is not TP_OK */
    uint32_t primitive;
    uint32_t instances;
    enum draw_instance instance;
    bool continue_ids; /* primitive ids follow those of the last draw */
    uint8_t index_size;
    struct element_range *range; /* ranges of vertex numbers; with indices: made by draw_end() */
    size_t range_count, range_capacity;
    uint8_t *index; /* copied indices */
    size_t index_bytes, index_capacity;
    uint64_t index_address; /* of index_count indices in GPU memory, unless copied or pushed */
    uint32_t index_count;
    const uint8_t *pushed; /* indices in GPU memory that are read in place; NULL: none */
    uint32_t pushed_count;
    uint32_t *data;      /* inline vertices */
    struct inline_mark { /* an event between inline vertices */
        size_t word;     /* the event's place in data */
        enum inline_mark_kind { MARK_ID, MARK_CUT, MARK_EDGE } kind;
        uint32_t value; /* MARK_ID: id of the next vertex; MARK_EDGE: flag of the next vertices */
    } *mark;
    size_t mark_count, mark_capacity;
    bool has_ids, has_edges; /* there is a MARK_ID; there is a MARK_EDGE */
    bool edge_flag;          /* of vertices from arrays; of inline vertices before a MARK_EDGE */
    size_t data_words, data_capacity;
    bool immediate; /* data comes from draw_vertex() */
};
