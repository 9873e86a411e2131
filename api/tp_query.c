/* Counters, reports in memory and conditional rendering of the C API; transform feedback and the
 * number of bytes written. In: arguments, checked here. Out: numbers, fields of the hardware state.
 * Must not know draws.
 */
#include "api/api.h"

/* ---- counters ---- */

/* The counter of the pipeline that stands behind each counter of the API. */
static const uint8_t counters[] = {
    [TP_COUNT_SAMPLES] = COUNTER_SAMPLES_PASSED,
    [TP_COUNT_PRIMITIVES_GENERATED] = COUNTER_PRIMITIVES_GENERATED,
    [TP_COUNT_PRIMITIVES_STREAMED] = COUNTER_PRIMITIVES_WRITTEN,
    [TP_COUNT_VERTICES] = COUNTER_VERTICES,
    [TP_COUNT_PRIMITIVES] = COUNTER_PRIMITIVES_IN,
    [TP_COUNT_VERTEX_RUNS] = COUNTER_VP_LAUNCHES,
    [TP_COUNT_GEOMETRY_RUNS] = COUNTER_GP_LAUNCHES,
    [TP_COUNT_GEOMETRY_PRIMITIVES] = COUNTER_GP_PRIMITIVES,
    [TP_COUNT_CLIP_IN] = COUNTER_CLIP_IN,
    [TP_COUNT_CLIP_OUT] = COUNTER_CLIP_OUT,
    [TP_COUNT_FRAGMENTS] = COUNTER_FP_LAUNCHES,
};

TP_API enum tp_result tp_count_samples(tp_context *c, bool on) {
    API_CONTEXT(c);
    state_touch(&c->state, GROUP_SAMPLE);
    c->state.sample.count = on;
    return TP_OK;
}

TP_API enum tp_result tp_get_counter(tp_context *c, enum tp_counter counter, uint64_t *value) {
    API_CONTEXT(c);
    API_GIVEN(c->device, value);
    if ((unsigned)counter >= sizeof counters)
        return context_fail(c, TP_ERROR_INVALID, "unknown counter %d", (int)counter);
    *value = context_counter(c, counters[counter]);
    return TP_OK;
}

static enum tp_result check_report(tp_context *c, const tp_buffer *buffer, uint64_t offset,
                                   uint64_t size) {
    if (offset % 16 || offset > buffer->resource.size || size > buffer->resource.size - offset)
        return context_fail(
            c, TP_ERROR_INVALID,
            "report of %llu bytes at offset %llu of a buffer of %llu: inside it, from "
            "a multiple of 16",
            (unsigned long long)size, (unsigned long long)offset,
            (unsigned long long)buffer->resource.size);
    return TP_OK;
}

TP_API enum tp_result tp_write_counter(tp_context *c, enum tp_counter counter, tp_buffer *buffer,
                                       uint64_t offset) {
    API_CONTEXT(c);
    API_OBJECT(c, buffer, "buffer");
    uint64_t value;
    API_TRY(check_report(c, buffer, offset, 16));
    API_TRY(tp_get_counter(c, counter, &value));
    const uint64_t now = clock_ns(CLOCK_MONOTONIC);
    const uint32_t words[4] = {0, (uint32_t)value, (uint32_t)now, (uint32_t)(now >> 32)};
    return tp_buffer_write(c, buffer, offset, words, sizeof words);
}

TP_API enum tp_result tp_set_condition(tp_context *c, enum tp_condition condition,
                                       tp_buffer *buffer, uint64_t offset) {
    static const uint8_t modes[] = {[TP_IF_ALWAYS] = 1,
                                    [TP_IF_NOT_ZERO] = 2,
                                    [TP_IF_EQUAL] = 3,
                                    [TP_IF_DIFFERENT] = 4,
                                    [TP_IF_NEVER] = 0};
    API_CONTEXT(c);
    if ((unsigned)condition >= sizeof modes)
        return context_fail(c, TP_ERROR_INVALID, "unknown condition %d", (int)condition);
    const bool reads = condition != TP_IF_ALWAYS && condition != TP_IF_NEVER;
    if (reads) {
        API_OBJECT(c, buffer, "buffer");
        API_TRY(check_report(c, buffer, offset, 32));
    }
    API_REBIND(c, &api_bound(c)->condition, reads ? buffer : NULL);
    c->state.condition_mode = modes[condition];
    c->state.condition_address = reads ? buffer->resource.address + offset : 0;
    return TP_OK;
}

/* ---- transform feedback ---- */

static enum tp_result check_streams(tp_context *c, const struct tp_stream_info *i) {
    if (i->count < 1 || i->count > STATE_STREAMS || (i->interleaved && i->count != 1))
        return context_fail(c, TP_ERROR_INVALID, "%u streams: 1, or separate up to %d", i->count,
                            STATE_STREAMS);
    if (i->interleaved && (!i->stride || i->stride % 4 || i->stride > 4092))
        return context_fail(c, TP_ERROR_INVALID, "streams: a stride of %u bytes: 4 to 4092, by 4",
                            i->stride);
    for (unsigned k = 0; k < i->count; k++) {
        const tp_buffer *b = i->stream[k].buffer;
        if (!b || b->resource.device != c->device)
            return context_fail(c, TP_ERROR_INVALID, "stream %u: the buffer is %s", k,
                                b ? "another device's" : "NULL");
        if (i->stream[k].offset % 4 || i->stream[k].offset > b->resource.size ||
            i->stream[k].size > b->resource.size - i->stream[k].offset)
            return context_fail(
                c, TP_ERROR_INVALID,
                "stream %u: %u bytes at offset %llu of a buffer of %llu bytes: inside the buffer, from a multiple of 4",
                k, i->stream[k].size, (unsigned long long)i->stream[k].offset,
                (unsigned long long)b->resource.size);
        if (!i->interleaved && !i->stream[k].words)
            return context_fail(c, TP_ERROR_INVALID, "stream %u: vertices of no words", k);
    }
    return TP_OK;
}

TP_API enum tp_result tp_set_streams(tp_context *c, const struct tp_stream_info *info) {
    API_CONTEXT(c);
    if (info)
        API_TRY(check_streams(c, info));
    struct stream_state *s = &c->state.stream;
    if (!info) {
        s->enable = false;
        return TP_OK;
    }
    memset(s, 0, sizeof *s);
    s->enable = true;
    uint32_t words[STATE_STREAMS] = {0};
    for (unsigned i = 0; i < info->count; i++)
        words[i] = info->stream[i].words;
    uint8_t map[STREAM_WORDS] = {0};
    memcpy(map, info->map, sizeof info->map);
    state_map_streams(s, map, info->interleaved, info->stride, info->count, words);
    for (unsigned i = 0; i < STATE_STREAMS; i++) {
        tp_buffer *b = i < info->count ? info->stream[i].buffer : NULL;
        API_REBIND(c, &api_bound(c)->stream[i], b);
        if (!b)
            continue;
        const uint64_t rest = b->resource.size - info->stream[i].offset;
        s->buffer[i].address = b->resource.address + info->stream[i].offset;
        s->buffer[i].limit = info->stream[i].size ? info->stream[i].size
                             : rest < UINT32_MAX  ? (uint32_t)rest
                                                  : UINT32_MAX;
    }
    return TP_OK;
}

TP_API enum tp_result tp_pause_streams(tp_context *c, bool paused) {
    API_CONTEXT(c);
    if (!api_bound(c)->stream[0])
        return context_fail(c, TP_ERROR_INVALID, "streams: none was set");
    c->state.stream.enable = !paused;
    return TP_OK;
}

TP_API enum tp_result tp_get_stream_bytes(tp_context *c, unsigned stream, uint32_t *bytes) {
    API_CONTEXT(c);
    API_GIVEN(c->device, bytes);
    if (stream >= STATE_STREAMS || !api_bound(c)->stream[stream])
        return context_fail(c, TP_ERROR_INVALID, "there is no stream %u", stream);
    *bytes = c->state.stream.buffer[stream].offset;
    return TP_OK;
}

TP_API enum tp_result tp_draw_stream(tp_context *c, enum tp_primitive primitive, unsigned stream,
                                     uint32_t stride) {
    uint32_t bytes;
    API_TRY(tp_get_stream_bytes(c, stream, &bytes));
    if (!stride)
        return context_fail(c, TP_ERROR_INVALID, "draw of a stream: vertices of 0 bytes");
    return tp_draw_arrays(c, primitive, 0, bytes / stride);
}
