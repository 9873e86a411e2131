/* The plan of vertex fetch: the attributes that the vertex program reads and how they are decoded;
 * and the arrays that hold them, as host pointers with limits. In: GROUP_FETCH and the program's
 * header, or the layout of inline vertices. Out: struct fetch_plan, which draws share;
 * captured.array. Must not know the contents of vertices.
 */
#include "pipeline/state/build.h"

#include <string.h>

enum { FETCH_WORDS = 2 + STATE_ATTRIBUTES * 6 };

static uint8_t attribute_mask(const struct program_header *h, unsigned i) {
    return h->attr_enable[i / 8] >> 4 * (i % 8) & 15;
}

/* Locates the array and flushes queued work that writes it. */
static void settle_array(tp_context *c, unsigned i, struct fetch_source *source) {
    const struct vertex_array *a = &c->state.array[i];
    *source = (struct fetch_source){.stride = a->stride,
                                    .divisor = a->per_instance ? a->divisor ? a->divisor : 1 : 0};
    if (!a->enable || a->limit < a->start)
        return;
    uint64_t extent;
    const uint8_t *data = memory_view(c->device->memory, a->start, &extent);
    const uint64_t size = a->limit - a->start + 1;
    source->limit = size < extent ? size : extent;
    if (!source->limit)
        return;
    source->data = data;
    context_before_read(c, a->start, source->limit);
}

void settle_arrays(tp_context *c) {
    struct captured *p = &c->p->captured;
    const struct state *s = &c->state;
    uint32_t rest = 0;
    if (p->array_epoch >= p->event[EVENT_ARRAYS] && p->array_epoch >= scene_epoch(c->p->scene))
        return;
    for (unsigned i = 0; i < STATE_ATTRIBUTES; i++)
        if (attribute_mask(&s->header[PROGRAM_VP], i) && !s->attribute[i].constant &&
            s->attribute[i].format)
            rest |= 1u << (s->attribute[i].array & (STATE_ARRAYS - 1));
    p->array_mask = rest;
    memset(p->array, 0, arrays_size(p));
    for (; rest; rest &= rest - 1)
        settle_array(c, (unsigned)__builtin_ctz(rest), &p->array[__builtin_ctz(rest)]);
    p->array_epoch = scene_now(c->p->scene);
}

void note_arrays(tp_context *c) {
    const struct captured *p = &c->p->captured;
    for (uint32_t rest = p->array_mask; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        if (p->array[i].data)
            scene_fetches(c->p->scene, c->state.array[i].start, p->array[i].limit);
    }
}

static bool plan_attribute(tp_context *c, unsigned i, struct fetch_attribute *out) {
    const struct vertex_attribute *a = &c->state.attribute[i];
    memcpy(out->constant, c->state.current[i], sizeof out->constant);
    if (a->constant || !a->format)
        return true;
    out->format = fetch_format_find(a->format);
    out->type = a->type;
    out->bgra = a->bgra;
    out->source = a->array & (STATE_ARRAYS - 1);
    out->offset = a->offset;
    if (!out->format || !fetch_type_known(a->type)) {
        context_fail(c, TP_ERROR_INVALID, "vertex attribute %u has unknown format 0x%x type 0x%x",
                     i, a->format, a->type);
        return false;
    }
    return true;
}

unsigned char *put_fetch(const struct state *s, unsigned char *at) {
    uint32_t words[FETCH_WORDS], n = 0, attributes = 0;
    for (unsigned i = 0; i < STATE_ATTRIBUTES; i++)
        attributes |= (uint32_t)(attribute_mask(&s->header[PROGRAM_VP], i) != 0) << i;
    words[n++] = attributes | (uint32_t)s->provoking_last << 16;
    words[n++] = s->vertex_id_base;
    for (uint32_t rest = attributes; rest; rest &= rest - 1) {
        const struct vertex_attribute *a = &s->attribute[__builtin_ctz(rest)];
        const bool constant = a->constant || !a->format;
        words[n++] = constant | a->bgra << 1 | (uint32_t)a->array << 2 | (uint32_t)a->format << 10 |
                     (uint32_t)a->type << 18;
        words[n++] = a->offset;
        if (constant) {
            memcpy(words + n, s->current[__builtin_ctz(rest)], 4 * sizeof *words);
            n += 4;
        }
    }
    memcpy(at, words, n * sizeof *words);
    return at + n * sizeof *words;
}

bool build_fetch(tp_context *c, struct fetch_plan *plan, const struct fetch_inline *inlined) {
    const struct program_header *h = &c->state.header[PROGRAM_VP];
    for (unsigned i = 0; i < STATE_ATTRIBUTES; i++) {
        const uint8_t mask = attribute_mask(h, i);
        if (!mask)
            continue;
        struct fetch_attribute *a = &plan->attribute[plan->attribute_count++];
        if (inlined)
            *a = inlined->plan.attribute[i];
        else if (!plan_attribute(c, i, a))
            return false;
        a->mask = mask;
        a->row = plan->rows;
        plan->rows += (uint8_t)__builtin_popcount(mask);
    }
    plan->vertex_id_row = h->builtin_enable & 1 ? plan->rows++ : -1;
    plan->instance_id_row = h->builtin_enable & 0x10 ? plan->rows++ : -1;
    plan->id_base = c->state.vertex_id_base;
    plan->vertex_id = inlined ? inlined->plan.vertex_id : NULL;
    return true;
}
