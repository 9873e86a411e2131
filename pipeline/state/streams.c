/* Transform feedback of a draw: its buffers as host pointers with limits. In: GROUP_STREAM. Out: struct
 * stream_binding. Must not know what is written.
 */
#include "pipeline/state/build.h"

const struct stream_binding *make_streams(struct draw_maker *m) {
    tp_context *c = m->c;
    struct stream_binding *s = part_alloc(m, sizeof *s);
    if (!s)
        return NULL;
    s->state = c->state.stream;
    for (unsigned i = 0; i < STATE_STREAMS; i++) {
        struct stream_buffer *b = &s->state.buffer[i];
        const uint64_t extent = memory_extent(c->device->memory, b->address);
        if (b->limit > extent)
            b->limit = (uint32_t)extent;
        s->data[i] = memory_at(c->device->memory, b->address, b->limit);
        if (!s->data[i])
            b->limit = 0;
        else
            context_before_write(c, b->address, b->limit);
    }
    if (s->state.buffer_count > STATE_STREAMS)
        s->state.buffer_count = STATE_STREAMS;
    return s;
}
