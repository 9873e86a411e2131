/* Stream out, between the last program before the rasterizer and clipping: writes the result slots
 * of the primitives' vertices to stream buffers, interleaved or separate. In: primitives. Out:
 * memory, advanced offsets. A primitive that does not fit into all buffers of its stream is not
 * written. Draws with stream out run one chunk after the other. Must not know clipping.
 */
#include "pipeline/front/front_private.h"

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

/* The words of a vertex that go to one buffer. to: their offsets from the vertex' start in the
 * buffer, in bytes. from: their offsets from the vertex' first word in its rows, in words. */
struct columns {
    uint32_t count;
    uint16_t to[STREAM_WORDS];
    uint32_t from[STREAM_WORDS];
};

static struct columns columns_of(const struct draw *d, const struct vertex_rows *rows,
                                 unsigned buffer, uint32_t stream) {
    const struct stream_buffer *b = &d->stream->state.buffer[buffer];
    struct columns c;
    c.count = 0;
    if (b->stream != stream || !d->stream->data[buffer])
        return c;
    for (uint32_t k = 0; k < b->words && 4 * (k + 1) <= b->stride; k++)
        if (b->slot[k] < d->primitives->slots) {
            c.to[c.count] = (uint16_t)(4 * k);
            c.from[c.count++] = rows->layout.row[b->slot[k]] * (uint32_t)LANES;
        }
    return c;
}

static void write_words(uint8_t *to, const uint32_t *vertex, const struct columns *c) {
    for (uint32_t k = 0; k < c->count; k++)
        memcpy(to + c->to[k], vertex + c->from[k], 4);
}

void front_stream_out(struct front *f, const struct draw *d, const struct output *o) {
    const struct stream_state *s = &d->stream->state;
    const struct vertex_rows *rows = o->rows;
    struct columns columns[STATE_STREAMS];
    uint32_t written = 0;
    for (unsigned b = 0; b < s->buffer_count; b++)
        columns[b] = columns_of(d, rows, b, o->stream);
    for (uint32_t i = 0; i < o->n && fits_buffers(f, s, o->vertices, o->stream); i++) {
        const uint32_t *number = o->number + (size_t)i * o->stride + o->first;
        for (uint32_t k = 0; k < o->vertices; k++, number += o->step) {
            const uint32_t *vertex =
                (const uint32_t *)(rows->data + (size_t)(*number / LANES) * rows->layout.stride) +
                *number % LANES;
            for (unsigned b = 0; b < s->buffer_count; b++) {
                if (s->buffer[b].stream != o->stream)
                    continue;
                if (columns[b].count)
                    write_words(d->stream->data[b] + f->stream_offset[b], vertex, &columns[b]);
                f->stream_offset[b] += s->buffer[b].stride;
            }
        }
        written++;
        f->stream_primitives++;
    }
    f->counters.needed[o->stream % STATE_STREAMS] += o->n;
    f->counters.written[o->stream % STATE_STREAMS] += written;
}
