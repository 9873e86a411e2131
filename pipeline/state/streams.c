/* Stream out of a draw: its stream buffers as host pointers with limits. In: GROUP_STREAM. Out:
 * struct stream_binding. Must not know the values that are written.
 */
#include "pipeline/state/build.h"

/* Returns the part of the buffer that lies in memory, *size bytes; NULL if no byte does. */
static uint8_t *stream_bytes(tp_context *c, const struct stream_buffer *b, uint32_t *size) {
    const uint64_t extent = memory_extent(c->device->memory, b->address);
    *size = b->limit > extent ? (uint32_t)extent : b->limit;
    return memory_at(c->device->memory, b->address, *size);
}

void settle_streams(tp_context *c) {
    const struct stream_state *s = &c->state.stream;
    uint32_t size;
    for (unsigned i = 0; i < STATE_STREAMS; i++)
        if (stream_bytes(c, &s->buffer[i], &size))
            context_before_write(c, s->buffer[i].address, size);
}

const struct stream_binding *make_streams(struct draw_maker *m) {
    tp_context *c = m->c;
    struct stream_binding *s = part_alloc(m, sizeof *s);
    if (!s)
        return NULL;
    s->state = c->state.stream;
    for (unsigned i = 0; i < STATE_STREAMS; i++) {
        struct stream_buffer *b = &s->state.buffer[i];
        uint32_t size;
        s->data[i] = stream_bytes(c, b, &size);
        b->limit = s->data[i] ? size : 0;
    }
    if (s->state.buffer_count > STATE_STREAMS)
        s->state.buffer_count = STATE_STREAMS;
    return s;
}
