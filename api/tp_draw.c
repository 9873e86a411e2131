/* Draws, clears, queries and dispatches of the C API. Each function looks for missing or
 * contradictory state, then calls the functions of the pipeline that the command processor calls
 * (pipeline/calls.c, compute.c). In: tp_draw_info and other arguments. Out: queued calls. Must not
 * know snapshots.
 */
#include "api/api.h"
#include "pipeline/front/primitive_assembly.h"
#include "pipeline/front/vfetch.h"

static bool has_color(const struct state *s) {
    for (unsigned i = 0; i < s->color_count; i++)
        if (s->color[i].format != FORMAT_NONE)
            return true;
    return false;
}

static enum tp_result check_targets(tp_context *c) {
    const struct state *s = &c->state;
    const struct zeta_state *z = &s->zeta_test;
    if (!s->rasterize)
        return TP_OK;
    const bool zeta = s->zeta.format != FORMAT_NONE, color = has_color(s);
    if (!zeta && !color)
        return context_fail(c, TP_ERROR_INVALID,
                            "draw without a target: tp_set_target comes first (or raster discard)");
    if (!zeta && (z->depth_test || z->depth_write || z->bounds_test))
        return context_fail(c, TP_ERROR_INVALID,
                            "draw with a depth test or write, but no zeta target is set");
    if (z->stencil_test && (!zeta || !format_info(s->zeta.format)->bits[1]))
        return context_fail(c, TP_ERROR_INVALID,
                            "draw with a stencil test, but no target with stencil is set");
    if (color && !s->program[PROGRAM_FP])
        return context_fail(c, TP_ERROR_INVALID,
                            "draw into colour targets, but no fragment program is bound");
    return TP_OK;
}

static enum tp_result check_indices(tp_context *c, const struct tp_draw_info *info, uint32_t size) {
    const uint64_t have = info->index_buffer->resource.size;
    const uint64_t need = info->index_offset + ((uint64_t)info->first + info->count) * size;
    if (info->index_offset > have || need > have)
        return context_fail(
            c, TP_ERROR_INVALID,
            "draw: indices %u to %u at offset %llu need %llu bytes, the index buffer has "
            "%llu",
            info->first, info->first + info->count, (unsigned long long)info->index_offset,
            (unsigned long long)need, (unsigned long long)have);
    return TP_OK;
}

static enum tp_result check_draw(tp_context *c, const struct tp_draw_info *info) {
    if ((unsigned)info->primitive >= PRIMITIVE_TYPES)
        return context_fail(c, TP_ERROR_INVALID, "draw: unknown primitive %d (0 to 14)",
                            (int)info->primitive);
    if (!c->state.program[PROGRAM_VP])
        return context_fail(c, TP_ERROR_INVALID, "draw: no vertex program is bound");
    if ((unsigned)info->index_type > TP_INDEX_U32)
        return context_fail(c, TP_ERROR_INVALID, "draw: unknown index type %d",
                            (int)info->index_type);
    if (!info->index_buffer && (uint64_t)info->first + info->count > UINT32_MAX)
        return context_fail(c, TP_ERROR_INVALID, "draw: vertices %u + %u: beyond 32 bits",
                            info->first, info->count);
    if (info->index_buffer)
        API_TRY(check_indices(c, info, 1u << info->index_type));
    return check_targets(c);
}

TP_API enum tp_result tp_draw(tp_context *c, const struct tp_draw_info *info) {
    API_CONTEXT(c);
    API_GIVEN(c->device, info);
    API_OWN(c, info->index_buffer, "index buffer");
    API_TRY(check_draw(c, info));
    struct state *s = &c->state;
    s->element_base = info->base_vertex;
    s->restart_enable = info->restart;
    s->restart_index = info->restart_index;
    s->instance_base = info->first_instance;
    enum tp_result result = draw_begin(c, (uint32_t)info->primitive, DRAW_INSTANCE_FIRST);
    draw_set_instances(c, info->instances ? info->instances : 1);
    if (result == TP_OK && info->index_buffer) {
        const uint32_t size = 1u << info->index_type;
        const uint64_t address = info->index_buffer->resource.address + info->index_offset;
        draw_indices_memory(c, address + (uint64_t)info->first * size, info->count, size);
    } else if (result == TP_OK) {
        draw_arrays(c, info->first, info->count);
    }
    result = draw_end(c);
    if (result == TP_OK && info->index_buffer)
        api_keep(c, &info->index_buffer->resource);
    return result;
}

TP_API enum tp_result tp_draw_indirect(tp_context *c, const struct tp_draw_info *info,
                                       tp_buffer *buffer, uint64_t offset) {
    API_CONTEXT(c);
    API_GIVEN(c->device, info);
    API_GIVEN(c->device, buffer);
    uint32_t word[5] = {0};
    const bool indexed = info->index_buffer;
    API_TRY(tp_buffer_read(c, buffer, offset, word, indexed ? 20 : 16));
    if (!word[0] || !word[1])
        return TP_OK;
    struct tp_draw_info direct = *info;
    direct.count = word[0];
    direct.instances = word[1];
    direct.first = word[2];
    direct.base_vertex = indexed ? (int32_t)word[3] : 0;
    direct.first_instance = word[indexed ? 4 : 3];
    return tp_draw(c, &direct);
}

static uint32_t inline_words(const struct state *s) {
    uint32_t words = 0;
    for (unsigned i = 0; i < STATE_ATTRIBUTES; i++) {
        const struct fetch_format *format = fetch_format_find(s->attribute[i].format);
        if (!s->attribute[i].constant && format && fetch_type_known(s->attribute[i].type))
            words += (format->bytes + 3u) / 4;
    }
    return words;
}

TP_API enum tp_result tp_draw_inline(tp_context *c, enum tp_primitive primitive,
                                     const void *vertices, uint32_t words, uint32_t count,
                                     const bool *edge_flags) {
    API_CONTEXT(c);
    API_GIVEN(c->device, vertices);
    const struct tp_draw_info info = {.primitive = primitive, .count = count};
    API_TRY(check_draw(c, &info));
    if (words != inline_words(&c->state) || !words)
        return context_fail(
            c, TP_ERROR_INVALID,
            "draw: vertices of %u words, the attributes that are not constant take %u", words,
            inline_words(&c->state));
    struct state *s = &c->state;
    s->restart_enable = false;
    s->instance_base = 0;
    enum tp_result result = draw_begin(c, (uint32_t)primitive, DRAW_INSTANCE_FIRST);
    for (uint32_t i = 0; i < count && result == TP_OK; i++) {
        if (edge_flags)
            result = draw_edge_flag(c, edge_flags[i]);
        if (result == TP_OK)
            result = draw_vertex_data(c, (const uint32_t *)vertices + (size_t)i * words, words);
    }
    return draw_end(c);
}

TP_API enum tp_result tp_draw_arrays(tp_context *c, enum tp_primitive primitive, uint32_t first,
                                     uint32_t count) {
    API_CONTEXT_ONLY(c);
    const struct tp_draw_info info = {.primitive = primitive, .first = first, .count = count};
    return tp_draw(c, &info);
}

/* Converts a colour to the words of the state's clear colour: integers for integer targets. */
static void clear_words(enum pixel_format format, const float color[4], uint32_t word[4]) {
    const uint8_t type = format_info(format)->type;
    for (int i = 0; i < 4; i++) {
        const float v = color[i];
        if (type == COMPONENT_UINT)
            word[i] = v >= 1 ? v < 0x1p32f ? (uint32_t)v : UINT32_MAX : 0;
        else if (type == COMPONENT_SINT)
            word[i] = v >= -0x1p31f && v < 0x1p31f ? (uint32_t)(int32_t)v : v > 0 ? INT32_MAX : 0;
        else
            memcpy(&word[i], &v, 4);
    }
}

static enum tp_result clear_colors(tp_context *c, const float color[4],
                                   const struct raster_rect *rect) {
    struct state *s = &c->state;
    enum tp_result result = TP_OK;
    for (unsigned i = 0; i < s->color_count && result == TP_OK; i++) {
        if (s->color[i].format == FORMAT_NONE)
            continue;
        clear_words(s->color[i].format, color, s->clear_color);
        result = context_clear(c, CLEAR_COLOR_BITS, i, 0, s->layers, rect);
    }
    return result;
}

TP_API enum tp_result tp_clear(tp_context *c, unsigned what, const float color[4], float depth,
                               uint8_t stencil) {
    API_CONTEXT(c);
    static const float black[4];
    const struct raster_rect whole = {0, 0, INT32_MAX, INT32_MAX};
    struct state *s = &c->state;
    enum tp_result result = TP_OK;
    if (what & ~(unsigned)(TP_CLEAR_COLOR | TP_CLEAR_DEPTH | TP_CLEAR_STENCIL))
        return context_fail(c, TP_ERROR_INVALID, "clear: unknown bits 0x%x", what);
    if ((what & (TP_CLEAR_DEPTH | TP_CLEAR_STENCIL)) && s->zeta.format == FORMAT_NONE)
        return context_fail(c, TP_ERROR_INVALID,
                            "clear of depth or stencil, but no zeta target is set");
    if ((what & TP_CLEAR_COLOR) && !has_color(s))
        return context_fail(c, TP_ERROR_INVALID, "clear of colour, but no colour target is set");
    s->clear_depth = depth;
    s->clear_stencil = stencil;
    if (what & TP_CLEAR_COLOR)
        result = clear_colors(c, color ? color : black, &whole);
    const uint32_t zeta =
        (what & TP_CLEAR_DEPTH ? CLEAR_DEPTH : 0) | (what & TP_CLEAR_STENCIL ? CLEAR_STENCIL : 0);
    if (result == TP_OK && zeta)
        result = context_clear(c, zeta, 0, 0, s->layers, &whole);
    return result;
}

/* ---- queries ---- */

TP_API enum tp_result tp_query_begin(tp_context *c) {
    API_CONTEXT(c);
    if (c->state.sample.count)
        return context_fail(c, TP_ERROR_INVALID, "a query has already begun");
    context_counter_reset(c, COUNTER_SAMPLES_PASSED);
    state_touch(&c->state, GROUP_SAMPLE);
    c->state.sample.count = true;
    return TP_OK;
}

TP_API enum tp_result tp_query_end(tp_context *c, uint64_t *samples) {
    API_CONTEXT(c);
    API_GIVEN(c->device, samples);
    if (!c->state.sample.count)
        return context_fail(c, TP_ERROR_INVALID, "no query has begun");
    state_touch(&c->state, GROUP_SAMPLE);
    c->state.sample.count = false;
    *samples = context_counter(c, COUNTER_SAMPLES_PASSED);
    return TP_OK;
}

/* ---- compute ---- */

TP_API enum tp_result tp_dispatch(tp_context *c, const uint32_t grid[2], const uint32_t block[3],
                                  const uint32_t *params, unsigned param_count) {
    API_CONTEXT_ONLY(c);
    API_GIVEN(c->device, grid);
    API_GIVEN(c->device, block);
    if (param_count)
        API_GIVEN(c->device, params);
    return tp_dispatch_3d(c, (const uint32_t[3]){grid[0], grid[1], 1}, block, params, param_count);
}

TP_API enum tp_result tp_dispatch_3d(tp_context *c, const uint32_t grid[3], const uint32_t block[3],
                                     const uint32_t *params, unsigned param_count) {
    API_CONTEXT(c);
    API_GIVEN(c->device, grid);
    API_GIVEN(c->device, block);
    if (param_count)
        API_GIVEN(c->device, params);
    return context_dispatch(c, grid, block, params, param_count);
}

TP_API void tp_cancel(tp_context *c) {
    if (c)
        context_cancel(c);
}
