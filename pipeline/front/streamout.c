/* Stream out: the result slots of each vertex of a primitive go to stream buffers, interleaved or
 * separate. In: a primitive. Out: memory, advanced offsets. A primitive that does not fit into
 * every buffer is not written at all. Draws that stream out run one chunk after the other. Must not
 * know clipping.
 */
#include "pipeline/front/front.h"

#include <string.h>

enum { MAP_USED = 0x80 };

static bool fits_buffers(const struct front *f, const struct stream_state *s, uint32_t count) {
    if (s->limit_by_primitives && f->stream_primitives >= s->primitive_limit)
        return false;
    const unsigned buffers = s->interleaved ? 1 : s->buffer_count;
    for (unsigned i = 0; i < buffers; i++) {
        const uint64_t vertex = s->interleaved ? s->stride : 4 * s->buffer[i].attributes;
        if (f->stream_offset[i] + vertex * count > s->buffer[i].limit)
            return false;
    }
    return true;
}

/* The word numbers of a separate buffer begin at a multiple of 4, after those of the buffer before
 * it. */
static uint32_t word_numbers(const struct stream_buffer *b) {
    return (b->attributes + 3) & ~3u;
}

static void write_word(const struct front *f, const struct draw *d, uint32_t word, uint32_t value) {
    const struct stream_state *s = &d->stream->state;
    unsigned buffer = 0;
    if (!s->interleaved) {
        while (buffer < s->buffer_count && word >= word_numbers(&s->buffer[buffer]))
            word -= word_numbers(&s->buffer[buffer++]);
        if (buffer == s->buffer_count || word >= s->buffer[buffer].attributes)
            return;
    } else if (4 * (word + 1) > s->stride) {
        return;
    }
    uint8_t *data = d->stream->data[buffer];
    if (data)
        memcpy(data + f->stream_offset[buffer] + 4 * word, &value, 4);
}

void front_stream_out(struct front *f, const struct draw *d, const struct primitive *p) {
    const struct stream_state *s = &d->stream->state;
    if (!fits_buffers(f, s, p->count))
        return;
    for (unsigned i = 0; i < p->count; i++) {
        for (uint32_t slot = 0; slot < d->primitives->slots; slot++)
            if (s->map[slot] & MAP_USED)
                write_word(f, d, s->map[slot] & ~MAP_USED, p->v[i]->v.slot[slot]);
        if (s->interleaved)
            f->stream_offset[0] += s->stride;
        for (unsigned b = 0; !s->interleaved && b < s->buffer_count; b++)
            f->stream_offset[b] += 4 * s->buffer[b].attributes;
    }
    f->counters.primitives_written++;
    f->stream_primitives++;
}
