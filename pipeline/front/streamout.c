/* Stream out, between the last vertex stage and clipping: writes the result slots of each vertex of
 * a primitive to stream buffers, interleaved or separate. In: a primitive. Out: memory, advanced
 * offsets. A primitive that does not fit into all buffers of its stream is not written. Draws that
 * stream out run one chunk after the other. Must not know clipping.
 */
#include "pipeline/front/front_private.h"

#include <string.h>

static bool fits_buffers(const struct front *f, const struct stream_state *s, uint32_t count,
                         uint32_t stream) {
    if (s->limit_by_primitives && f->stream_primitives >= s->primitive_limit)
        return false;
    for (unsigned i = 0; i < s->buffer_count; i++)
        if (s->buffer[i].stream == stream &&
            f->stream_offset[i] + (uint64_t)s->buffer[i].stride * count > s->buffer[i].limit)
            return false;
    return true;
}

/* Writes a vertex to buffer i. slot: the vertex' result slots. */
static void write_vertex(const struct front *f, const struct draw *d, unsigned i,
                         const uint32_t *slot) {
    const struct stream_buffer *b = &d->stream->state.buffer[i];
    uint8_t *data = d->stream->data[i];
    if (!data)
        return;
    for (uint32_t k = 0; k < b->words; k++)
        if (b->slot[k] < d->primitives->slots && 4 * (k + 1) <= b->stride)
            memcpy(data + f->stream_offset[i] + 4 * k, &slot[b->slot[k]], 4);
}

void front_stream_out(struct front *f, const struct draw *d, const struct primitive *p,
                      uint32_t stream) {
    const struct stream_state *s = &d->stream->state;
    f->counters.needed[stream % STATE_STREAMS]++;
    if (!fits_buffers(f, s, p->count, stream))
        return;
    for (unsigned n = 0; n < p->count; n++)
        for (unsigned i = 0; i < s->buffer_count; i++) {
            if (s->buffer[i].stream != stream)
                continue;
            write_vertex(f, d, i, p->v[n]->v.slot);
            f->stream_offset[i] += s->buffer[i].stride;
        }
    f->counters.written[stream % STATE_STREAMS]++;
    f->stream_primitives++;
}
