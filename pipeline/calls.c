/* The sequence of a draw: begin, vertices in one of four ways (arrays, indices, vertices one by
 * one, vertices as raw words), end; and clears. The first stage of the pipeline behind the C API
 * and the command processor. In: counts, indices, inline vertices. Out: calls queued in the scene,
 * prepared and captured at the end of the draw. Must not know the C API or methods.
 */
#include "pipeline/context_private.h"

#include "base/timeline.h"

static enum tp_result fail_draw(tp_context *c, enum tp_result code) {
    struct open_draw *o = &c->p->draw;
    if (o->failed == TP_OK)
        o->failed = code;
    return code;
}

static enum tp_result out_of_memory(tp_context *c) {
    return fail_draw(c, context_fail(c, TP_ERROR_MEMORY, "out of memory for a draw's vertices"));
}

enum { WORDS_PER_VERTEX = 4 * STATE_ATTRIBUTES };

/* False with the message set if the draw would collect more than the work limit allows. */
static bool may_add(tp_context *c, uint64_t have, uint64_t more, uint64_t per_unit) {
    if (have + more <= c->device->work_limit * per_unit)
        return true;
    fail_draw(c, context_fail(c, TP_ERROR_INVALID, "more than %llu indices or vertices in a draw",
                              (unsigned long long)c->device->work_limit));
    return false;
}

enum tp_result draw_begin(tp_context *c, uint32_t primitive, enum draw_instance instance) {
    struct open_draw *o = &c->p->draw;
    const bool was_open = o->open;
    o->open = true;
    if (!was_open)
        o->failed = TP_OK;
    o->primitive = primitive;
    o->instance = instance;
    o->instances = 1;
    o->continue_ids = false;
    o->index_size = 0;
    o->range_count = o->index_bytes = o->data_words = o->mark_count = 0;
    o->index_address = 0;
    o->index_count = 0;
    o->pushed = NULL;
    o->immediate = o->has_ids = o->has_edges = false;
    o->edge_flag = c->state.edge_flag;
    if (primitive >= PRIMITIVE_TYPES)
        return fail_draw(
            c, context_fail(c, TP_ERROR_INVALID, "unknown primitive type %u (0 to 14)", primitive));
    if (was_open)
        return context_fail(c, TP_ERROR_INVALID, "a draw begins inside another");
    return TP_OK;
}

void draw_continue_primitive_ids(tp_context *c) {
    c->p->draw.continue_ids = true;
}

void draw_set_instances(tp_context *c, uint32_t instances) {
    c->p->draw.instances = instances;
}

static bool add_range(struct open_draw *o, uint32_t first, uint32_t count) {
    if (!ARRAY_ROOM(o->range, o->range_capacity, o->range_count + 1))
        return false;
    o->range[o->range_count++] = (struct element_range){.first = first, .count = count};
    return true;
}

static bool set_index_size(tp_context *c, uint32_t index_size) {
    struct open_draw *o = &c->p->draw;
    if ((index_size == 1 || index_size == 2 || index_size == 4) &&
        (!o->index_size || o->index_size == 4 || o->index_size == index_size || o->pushed))
        return true;
    fail_draw(c, context_fail(c, TP_ERROR_INVALID, "indices of %u bytes in a draw with %u",
                              index_size, o->index_size));
    return false;
}

/* Copies indices as 32-bit numbers, because a draw may mix index sizes: drivers send leading
 * indices one by one with 32 bits. */
static bool copy_indices(struct open_draw *o, const uint8_t *indices, uint32_t count,
                         uint32_t size) {
    if (!ARRAY_ROOM(o->index, o->index_capacity, o->index_bytes + 4 * (size_t)count))
        return false;
    uint8_t *to = o->index + o->index_bytes;
    if (size == 4)
        memcpy(to, indices, 4 * (size_t)count);
    for (uint32_t i = 0; i < count && size != 4; i++) {
        const uint32_t index = load_index(indices + (size_t)i * size, size);
        memcpy(to + 4 * (size_t)i, &index, 4);
    }
    o->index_bytes += 4 * (size_t)count;
    o->index_size = 4;
    return true;
}

static bool copy_pushed(struct open_draw *o) {
    const uint8_t *indices = o->pushed;
    o->pushed = NULL;
    return !indices || copy_indices(o, indices, o->pushed_count, o->index_size);
}

/* Adds indices. Pushed indices (`stay`) are read in place, like vertex arrays, so that all
 * instances of a draw have the same pointer. If the draw gets further indices, all indices are
 * copied. */
static bool add_indices(struct open_draw *o, const uint8_t *indices, uint32_t count, uint32_t size,
                        bool stay) {
    if (stay && !o->pushed && !o->index_bytes) {
        o->pushed = indices;
        o->pushed_count = count;
        o->index_size = (uint8_t)size;
        return true;
    }
    return copy_pushed(o) && copy_indices(o, indices, count, size);
}

/* Appends consecutive vertex numbers to the copied indices. */
static bool add_numbers(struct open_draw *o, uint32_t first, uint32_t count) {
    if (!copy_pushed(o) ||
        !ARRAY_ROOM(o->index, o->index_capacity, o->index_bytes + 4 * (size_t)count))
        return false;
    for (uint32_t i = 0; i < count; i++, o->index_bytes += 4)
        memcpy(o->index + o->index_bytes, &(uint32_t){first + i}, 4);
    o->index_size = 4;
    return true;
}

/* Turns array vertices into indices, if the draw also has indices: both belong to one sequence. A
 * Fermi's driver sends such draws if it converts vertices. */
static bool number_ranges(struct open_draw *o) {
    for (size_t i = 0; i < o->range_count; i++)
        if (!add_numbers(o, o->range[i].first, o->range[i].count))
            return false;
    o->range_count = 0;
    return true;
}

static uint64_t index_count(const struct open_draw *o) {
    return o->pushed ? o->pushed_count : o->index_bytes / 4;
}

enum tp_result draw_arrays(tp_context *c, uint32_t first, uint32_t count) {
    struct open_draw *o = &c->p->draw;
    const uint64_t indices = index_count(o);
    if (!may_add(c, indices ? indices : o->range_count, indices ? count : 1, 1))
        return o->failed;
    const bool added = indices ? add_numbers(o, first, count) : add_range(o, first, count);
    return added ? TP_OK : out_of_memory(c);
}

static enum tp_result add_mark(tp_context *c, enum inline_mark_kind kind, uint32_t value) {
    struct open_draw *o = &c->p->draw;
    if (!may_add(c, o->mark_count, 1, 1))
        return o->failed;
    if (!ARRAY_ROOM(o->mark, o->mark_capacity, o->mark_count + 1))
        return out_of_memory(c);
    o->mark[o->mark_count++] = (struct inline_mark){o->data_words, kind, value};
    o->has_ids |= kind == MARK_ID;
    o->has_edges |= kind == MARK_EDGE;
    return TP_OK;
}

enum tp_result draw_vertex_id(tp_context *c, uint32_t id) {
    return add_mark(c, MARK_ID, id);
}

enum tp_result draw_vertex_cut(tp_context *c) {
    return add_mark(c, MARK_CUT, 0);
}

static enum tp_result give_indices(tp_context *c, const void *indices, uint32_t count,
                                   uint32_t index_size, bool stay) {
    struct open_draw *o = &c->p->draw;
    uint64_t have = index_count(o);
    if (o->data_words)
        return draw_vertex_cut(c);
    for (size_t i = 0; i < o->range_count; i++)
        have += o->range[i].count;
    if (!set_index_size(c, index_size) || !may_add(c, have, count, 1))
        return o->failed;
    return number_ranges(o) && add_indices(o, indices, count, index_size, stay) ? TP_OK
                                                                                : out_of_memory(c);
}

enum tp_result draw_indices(tp_context *c, const void *indices, uint32_t count,
                            uint32_t index_size) {
    return give_indices(c, indices, count, index_size, false);
}

enum tp_result draw_indices_pushed(tp_context *c, const void *indices, uint32_t count,
                                   uint32_t index_size) {
    return give_indices(c, indices, count, index_size, true);
}

enum tp_result draw_indices_memory(tp_context *c, uint64_t address, uint32_t count,
                                   uint32_t index_size) {
    struct open_draw *o = &c->p->draw;
    if (o->data_words)
        return draw_vertex_cut(c);
    if (!set_index_size(c, index_size) || !may_add(c, 0, count, 1))
        return o->failed;
    o->index_size = (uint8_t)index_size;
    o->index_address = address;
    o->index_count = count;
    o->pushed = NULL;
    return TP_OK;
}

/* An index among inline vertices only cuts the sequence, so no index is kept. Indices before the
 * first inline vertex cut nothing. */
static void drop_indices(struct open_draw *o) {
    o->index_size = 0;
    o->index_bytes = 0;
    o->index_address = 0;
    o->pushed = NULL;
}

static bool add_data(struct open_draw *o, const uint32_t *words, size_t count) {
    if (!o->data_words)
        drop_indices(o);
    if (!ARRAY_ROOM(o->data, o->data_capacity, o->data_words + count))
        return false;
    memcpy(o->data + o->data_words, words, count * sizeof *words);
    o->data_words += count;
    return true;
}

enum tp_result draw_vertex(tp_context *c) {
    c->p->draw.immediate = true;
    if (!may_add(c, c->p->draw.data_words, WORDS_PER_VERTEX, WORDS_PER_VERTEX))
        return c->p->draw.failed;
    return add_data(&c->p->draw, c->state.current[0], WORDS_PER_VERTEX) ? TP_OK : out_of_memory(c);
}

enum tp_result draw_vertex_data(tp_context *c, const uint32_t *words, uint32_t count) {
    if (!may_add(c, c->p->draw.data_words, count, WORDS_PER_VERTEX))
        return c->p->draw.failed;
    return add_data(&c->p->draw, words, count) ? TP_OK : out_of_memory(c);
}

enum tp_result draw_edge_flag(tp_context *c, bool flag) {
    return add_mark(c, MARK_EDGE, flag);
}

/* ---- the plan of inline vertices ---- */

/* Sets the offsets of the attributes in an inline vertex. Returns the bytes of a vertex. */
static uint32_t inline_layout(tp_context *c, struct fetch_plan *plan) {
    const bool immediate = c->p->draw.immediate;
    uint32_t offset = 0;
    for (unsigned i = 0; i < STATE_ATTRIBUTES; i++) {
        const struct vertex_attribute *a = &c->state.attribute[i];
        struct fetch_attribute *out = &plan->attribute[i];
        const struct fetch_format *format = fetch_format_find(immediate ? 1 : a->format);
        memcpy(out->constant, c->state.current[i], sizeof out->constant);
        if (!immediate && (a->constant || !format || !fetch_type_known(a->type)))
            continue;
        out->format = format;
        out->type = immediate ? 0x3f : a->type;
        out->bgra = !immediate && a->bgra;
        out->offset = offset;
        offset += (format->bytes + 3u) & ~3u;
    }
    return offset;
}

/* Makes the element ranges between cuts, and the vertex ids if draw_vertex_id() was called. */
static bool inline_ranges(tp_context *c, struct fetch_plan *plan, uint32_t stride, uint32_t count) {
    struct open_draw *o = &c->p->draw;
    uint32_t *ids = o->has_ids ? scene_alloc(c->p->scene, (count + 1) * sizeof *ids) : NULL;
    uint32_t start = 0, first_id = 0, first = 0;
    o->range_count = 0;
    if (o->has_ids && !ids)
        return false;
    for (size_t i = 0; i <= o->mark_count; i++) {
        const struct inline_mark *m = i < o->mark_count ? &o->mark[i] : NULL;
        const uint64_t at = m ? m->word * 4 / stride : count;
        const uint32_t end = at < count ? (uint32_t)at : count;
        for (uint32_t k = first; ids && k < end; k++)
            ids[k] = first_id++;
        first = end;
        if (m && m->kind == MARK_ID)
            first_id = m->value;
        if ((!m || m->kind == MARK_CUT) && end > start) {
            if (!add_range(o, start, end - start))
                return false;
            start = end;
        }
    }
    plan->vertex_id = ids;
    return true;
}

/* The edge flag of each inline vertex; NULL when out of memory. */
static const uint8_t *inline_edges(tp_context *c, const struct fetch_inline *in) {
    const struct open_draw *o = &c->p->draw;
    const struct fetch_source *source = &in->source;
    const uint32_t count = (uint32_t)(source->limit / source->stride);
    uint8_t *flags = scene_alloc(c->p->scene, count + 1);
    bool flag = o->edge_flag;
    uint32_t next = 0;
    for (size_t i = 0; flags && i <= o->mark_count; i++) {
        const struct inline_mark *m = i < o->mark_count ? &o->mark[i] : NULL;
        if (m && m->kind != MARK_EDGE)
            continue;
        const uint64_t end = m ? m->word * 4 / source->stride : count;
        for (; next < end && next < count; next++)
            flags[next] = flag;
        flag = m && m->value;
    }
    return flags;
}

/* Sets the edge flags of the call. Edge flags count only for separate triangles, quads and polygons
 * (OpenGL 2.1, 2.6.2). False when out of memory. */
static bool flag_edges(tp_context *c, struct draw_call *call, const struct fetch_inline *in) {
    const struct open_draw *o = &c->p->draw;
    const bool counts =
        call->type == TP_TRIANGLES || call->type == TP_QUADS || call->type == TP_POLYGON;
    const bool each = o->has_edges && in && !call->index_size;
    call->flagged = counts && (each || !o->edge_flag);
    if (call->flagged && each)
        call->edge_flag = inline_edges(c, in);
    return !call->flagged || !each || call->edge_flag;
}

static const struct fetch_inline *inline_plan(tp_context *c, struct fetch_inline *in) {
    struct open_draw *o = &c->p->draw;
    memset(in, 0, sizeof *in);
    const uint32_t stride = inline_layout(c, &in->plan);
    const size_t bytes = o->data_words * 4;
    uint8_t *copy = stride ? scene_alloc(c->p->scene, bytes) : NULL;
    if (!copy) {
        fail_draw(c, context_fail(c, stride ? TP_ERROR_MEMORY : TP_ERROR_INVALID,
                                  stride ? "out of memory for inline vertices"
                                         : "inline vertices, but no attribute that takes them"));
        return NULL;
    }
    memcpy(copy, o->data, bytes);
    in->source = (struct fetch_source){copy, bytes, stride, 0};
    return inline_ranges(c, &in->plan, stride, (uint32_t)(bytes / stride)) ? in : NULL;
}

/* ---- indices ---- */

static bool capture_indices(tp_context *c, struct draw_call *call) {
    struct open_draw *o = &c->p->draw;
    uint32_t count = o->index_count;
    call->index_size = o->index_size;
    if (!o->index_size)
        return true;
    if (o->pushed) {
        call->index = o->pushed;
        call->index_limit = count = o->pushed_count;
        scene_fetches(c->p->scene, memory_address(c->device->memory, o->pushed),
                      (uint64_t)count * o->index_size);
    } else if (o->index_bytes) {
        uint8_t *copy = scene_alloc(c->p->scene, o->index_bytes);
        if (!copy)
            return false;
        memcpy(copy, o->index, o->index_bytes);
        call->index = copy;
        call->index_limit = count = (uint32_t)(o->index_bytes / 4);
    } else {
        const uint64_t extent = memory_extent(c->device->memory, o->index_address);
        const uint64_t need = (uint64_t)count * o->index_size;
        const uint64_t size = need < extent ? need : extent;
        call->index = memory_at(c->device->memory, o->index_address, size);
        call->index_limit = call->index ? size / o->index_size : 0;
        scene_fetches(c->p->scene, o->index_address, size);
    }
    o->range_count = 0;
    return add_range(o, 0, count);
}

/* Returns the first element from `from` on whose index is `value`; `count` if there is none. All
 * `count` indices lie in readable memory. */
static inline uint32_t find_index(const uint8_t *index, uint32_t from, uint32_t count,
                                  unsigned size, uint32_t value) {
    enum { STEP = 8 };
    for (; count - from >= STEP; from += STEP) {
        uint32_t found = 0;
        for (uint32_t k = 0; k < STEP; k++)
            found |= load_index(index + (uint64_t)(from + k) * size, size) == value;
        if (found)
            break;
    }
    while (from < count && load_index(index + (uint64_t)from * size, size) != value)
        from++;
    return from;
}

static uint32_t find_restart(const struct draw_call *call, uint32_t from, uint32_t count,
                             uint32_t value) {
    const uint32_t inside = count < call->index_limit ? count : (uint32_t)call->index_limit;
    if (from < inside)
        from = call->index_size == 1   ? find_index(call->index, from, inside, 1, value)
               : call->index_size == 2 ? find_index(call->index, from, inside, 2, value)
                                       : find_index(call->index, from, inside, 4, value);
    return from < inside || !value ? from : count; /* beyond the limit, indices read 0 */
}

/* Cuts the one range of indices at every restart index. */
static bool split_at_restart(tp_context *c, const struct draw_call *call) {
    struct open_draw *o = &c->p->draw;
    const uint32_t count = o->range[0].count;
    o->range_count = 0;
    for (uint32_t first = 0, end; first < count; first = end + 1) {
        end = find_restart(call, first, count, c->state.restart_index);
        if (end > first && !add_range(o, first, end - first))
            return false;
    }
    return true;
}

/* Cuts each range of vertex numbers at the restart index, if the index lies in the range. */
static bool split_arrays(tp_context *c) {
    struct open_draw *o = &c->p->draw;
    const uint32_t at = c->state.restart_index;
    for (size_t i = 0, n = o->range_count; i < n; i++) {
        const struct element_range range = o->range[i];
        if (at - range.first >= range.count)
            continue;
        if (!ARRAY_ROOM(o->range, o->range_capacity, o->range_count + 1))
            return false;
        memmove(&o->range[i + 2], &o->range[i + 1], (o->range_count - i - 1) * sizeof range);
        o->range[i].count = at - range.first;
        o->range[i + 1] =
            (struct element_range){.first = at + 1, .count = range.first + range.count - at - 1};
        o->range_count++, n++, i++;
    }
    return true;
}

static enum tp_result too_much(tp_context *c, uint64_t primitives) {
    return context_fail(c, TP_ERROR_INVALID, "a draw of %llu primitives or more, %u instances",
                        (unsigned long long)primitives, c->p->draw.instances);
}

/* Keeps the ranges that have primitives, and numbers the primitives. If there are several ranges,
 * they are copied to the scene's memory. */
static enum tp_result finish_ranges(tp_context *c, struct draw_call *call) {
    struct open_draw *o = &c->p->draw;
    struct element_range *ranges = &call->only;
    uint64_t total = 0;
    uint32_t id = o->continue_ids ? c->p->primitive_id : 0;
    if (o->range_count > 1) {
        call->range = ranges = scene_alloc(c->p->scene, o->range_count * sizeof *ranges);
        if (!ranges)
            return out_of_memory(c);
    }
    for (size_t i = 0; i < o->range_count; i++) {
        const uint32_t n = assemble_count(call->type, o->range[i].count);
        if (!n)
            continue;
        if ((total += n) > c->device->work_limit)
            return too_much(c, total);
        ranges[call->range_count++] =
            (struct element_range){o->range[i].first, o->range[i].count, call->primitives, id};
        call->primitives += n;
        id += assemble_source(call->type, n - 1) + 1;
    }
    c->p->primitive_id = id;
    if (total * call->instance_count > c->device->work_limit)
        return too_much(c, total);
    c->p->work += total * call->instance_count;
    return TP_OK;
}

uint64_t context_work(const tp_context *c) {
    return c->p->work;
}

/* ---- the end ---- */

static void number_instances(tp_context *c, struct draw_call *call) {
    struct context_private *p = c->p;
    if (p->draw.instance == DRAW_INSTANCE_FIRST)
        p->instance = 0;
    else if (p->draw.instance == DRAW_INSTANCE_NEXT)
        p->instance++;
    call->instance = p->instance;
    call->instance_count = p->draw.instances;
    call->instance_base = c->state.instance_base;
    if (call->instance_count > 1)
        p->instance += call->instance_count - 1;
}

enum { BUILTIN_ID_ADDS_FIRST = 0x1000 };

/* The vertex number from which vertex ids count (tesla-3d.md §6). */
static uint32_t id_origin(const struct state *s, const struct draw_call *call,
                          const struct open_draw *o) {
    const bool adds_first = s->header[PROGRAM_VP].builtin_enable & BUILTIN_ID_ADDS_FIRST;
    if (call->index_size)
        return s->id_before_base ? call->base : 0;
    return adds_first || !o->range_count ? 0 : o->range[0].first;
}

/* Captures the open draw as a call. The draw is prepared. */
static enum tp_result capture_call(tp_context *c, struct draw_call *call) {
    struct open_draw *o = &c->p->draw;
    struct fetch_inline inlined;
    const struct fetch_inline *plan = NULL;
    enum tp_result result;
    if (o->data_words && !(plan = inline_plan(c, &inlined)))
        return o->failed != TP_OK ? o->failed : out_of_memory(c);
    call->draw = capture_draw(c, o->primitive, plan, &call->env, &result);
    if (!call->draw)
        return result;
    if (!capture_indices(c, call) || !flag_edges(c, call, plan))
        return out_of_memory(c);
    const bool restart = c->state.restart_enable && call->index_size;
    if (restart && !split_at_restart(c, call))
        return out_of_memory(c);
    if (c->state.restart_enable && c->state.restart_with_arrays && !call->index_size && !plan &&
        !split_arrays(c))
        return out_of_memory(c);
    call->base = call->index_size ? (uint32_t)c->state.element_base : 0;
    call->id_origin = id_origin(&c->state, call, o);
    return finish_ranges(c, call);
}

/* The access of a draw's programs to memory other than targets and textures. */
enum memory_use { MEMORY_UNUSED, MEMORY_READ, MEMORY_WRITTEN };

static enum memory_use memory_use(const struct state *s) {
    enum memory_use use = MEMORY_UNUSED;
    for (int i = 0; i < PROGRAM_TYPES; i++) {
        const struct program *p = i != PROGRAM_CP ? s->program[i] : NULL;
        if (p && p->header.writes_memory)
            return MEMORY_WRITTEN;
        if (p && p->facts.memory)
            use = MEMORY_READ;
    }
    return use;
}

/* Gives a draw of patches the primitive type for its number of vertices in a patch. */
static enum tp_result take_patches(tp_context *c) {
    const uint32_t vertices = c->state.patch_vertices;
    if (!vertices || vertices > PATCH_VERTICES)
        return context_fail(c, TP_ERROR_INVALID, "patches of %u vertices (1 to %u)", vertices,
                            PATCH_VERTICES);
    c->p->draw.primitive = PRIMITIVE_PATCHES + vertices - 1;
    return TP_OK;
}

static enum tp_result queue_draw(tp_context *c) {
    struct context_private *p = c->p;
    struct open_draw *o = &p->draw;
    struct draw_call local = {.number = c->draw_number};
    number_instances(c, &local);
    enum tp_result result = o->primitive == PRIMITIVE_PATCHES ? take_patches(c) : TP_OK;
    local.type = (uint8_t)o->primitive;
    if (result == TP_OK)
        result = prepare_draw(c);
    if (result == TP_OK)
        result = capture_call(c, &local);
    if (result != TP_OK)
        return result;
    p->counters.draws++;
    if (!local.primitives || !local.instance_count)
        return TP_OK;
    note_targets(c);
    if (scene_add_instances(p->scene, &local))
        return TP_OK;
    struct draw_call *call = scene_alloc(p->scene, sizeof *call + sizeof *local.failed);
    if (!call)
        return context_fail(c, TP_ERROR_MEMORY, "out of memory for a draw");
    local.failed = (uint64_t *)(call + 1);
    *local.failed = UINT64_MAX;
    *call = local;
    if (!scene_call(p->scene, call, &c->state.stream))
        return context_fail(c, TP_ERROR_MEMORY, "out of memory for a draw");
    return TP_OK;
}

/* A draw whose programs access memory runs alone: after all earlier work, before all later work. If
 * its programs write memory, its tiles are drawn in a fixed order, and its chunks take the front
 * end in the order of the draw. */
static enum tp_result draw_with_memory(tp_context *c, enum memory_use use) {
    timeline_because("a draw accesses memory");
    context_flush(c);
    scene_set_alone(c->p->scene, use == MEMORY_WRITTEN);
    const enum tp_result result = queue_draw(c);
    timeline_because("a draw has accessed memory");
    context_flush(c);
    scene_set_alone(c->p->scene, false);
    if (use == MEMORY_WRITTEN)
        context_memory_changed(c);
    return result;
}

/* Tells the work observer which memory the draw touches. */
static enum tp_result tell_draw(tp_context *c, enum memory_use use) {
    const enum tp_result result = prepare_draw(c);
    if (result == TP_OK)
        work_draws(c);
    if (use)
        work_touches_all(c, use == MEMORY_WRITTEN);
    return result;
}

/* Advances the instance id past a draw that is not drawn: its condition failed, or the work
 * observer left it out. */
static enum tp_result pass_draw(tp_context *c) {
    struct draw_call passed = {0};
    number_instances(c, &passed);
    return TP_OK;
}

static enum tp_result end_draw(tp_context *c, enum work_extent extent) {
    struct open_draw *o = &c->p->draw;
    if (!o->open)
        return context_fail(c, TP_ERROR_INVALID, "a draw ends that has not begun");
    o->open = false;
    c->draw_number++;
    c->p->work++;
    if (o->failed != TP_OK)
        return o->failed;
    if (!context_condition(c))
        return pass_draw(c);
    const enum memory_use use = memory_use(&c->state);
    if (work_is_dry(c))
        return tell_draw(c, use);
    if (extent == WORK_LEFT_OUT)
        return pass_draw(c);
    scene_share_tiles(c->p->scene, extent == WORK_SHARED ? c->work : NULL);
    return use ? draw_with_memory(c, use) : queue_draw(c);
}

enum tp_result draw_end(tp_context *c) {
    struct profile *profile = scene_profile(c->p->scene);
    const uint64_t began = timeline_begin();
    const enum stage was = profile_enter(profile, STAGE_PREPARE);
    if (c->hooks)
        c->hooks->before(c->hooks->self, c);
    const enum work_extent extent = work_begin(c, WORK_DRAW);
    const enum tp_result result = end_draw(c, extent);
    work_end(c);
    if (c->hooks)
        c->hooks->after(c->hooks->self, c);
    profile_leave(profile, was);
    timeline_end_run(TIMELINE_DRAWS, began, c->draw_number);
    return result;
}

/* ---- clears ---- */

static struct raster_rect clear_rect(const struct raster_targets *t,
                                     const struct raster_rect *rect) {
    struct raster_rect r = *rect;
    r.x0 = r.x0 > (int32_t)t->origin_x ? r.x0 : (int32_t)t->origin_x;
    r.y0 = r.y0 > (int32_t)t->origin_y ? r.y0 : (int32_t)t->origin_y;
    r.x1 = r.x1 < (int32_t)t->width ? r.x1 : (int32_t)t->width;
    r.y1 = r.y1 < (int32_t)t->height ? r.y1 : (int32_t)t->height;
    return r;
}

static enum tp_result queue_clear(tp_context *c, uint32_t what, uint32_t rt, uint32_t first_layer,
                                  uint32_t layer_count, const struct raster_rect *rect,
                                  enum work_extent extent) {
    const struct state *s = &c->state;
    if (!context_condition(c))
        return TP_OK;
    if (extent != WORK_LEFT_OUT)
        scene_share_tiles(c->p->scene, extent == WORK_SHARED ? c->work : NULL);
    const enum tp_result result = prepare_targets(c);
    if (result != TP_OK)
        return result;
    const struct raster_targets *t = scene_targets(c->p->scene);
    const bool color = rt < t->color_count && t->color[rt].format != FORMAT_NONE;
    struct raster_clear clear = {
        .rect = clear_rect(t, rect),
        .color_mask = color ? (what & CLEAR_COLOR_BITS) >> 2 : 0,
        .target = (uint8_t)rt,
        .depth = what & CLEAR_DEPTH && t->zeta.format != FORMAT_NONE,
        .stencil = what & CLEAR_STENCIL && t->zeta.format != FORMAT_NONE,
        .stencil_value = s->clear_stencil,
        .stencil_mask = s->clear_stencil_mask,
        .depth_value = s->clear_depth,
        .number = c->draw_number,
    };
    memcpy(clear.color, s->clear_color, sizeof clear.color);
    if (!clear.color_mask && !clear.depth && !clear.stencil)
        return TP_OK;
    work_clears(c, &clear, first_layer, layer_count);
    if (extent == WORK_LEFT_OUT)
        return TP_OK;
    note_targets(c);
    if (c->hooks && c->hooks->clear)
        c->hooks->clear(c->hooks->self, c);
    for (uint32_t i = 0; i < layer_count && first_layer + i < t->layers; i++) {
        clear.layer = (uint16_t)(first_layer + i);
        if (!scene_clear(c->p->scene, &clear))
            return context_fail(c, TP_ERROR_MEMORY, "out of memory for a clear");
    }
    return TP_OK;
}

enum tp_result context_clear(tp_context *c, uint32_t what, uint32_t rt, uint32_t first_layer,
                             uint32_t layer_count, const struct raster_rect *rect) {
    struct state *s = &c->state;
    const bool zeta = s->zeta_enable;
    const uint8_t colors = s->color_count;
    const uint32_t layers = s->layers;
    const enum work_extent extent = work_begin(c, WORK_CLEAR);
    clear_hide_idle(c, what, rt);
    const enum tp_result result = queue_clear(c, what, rt, first_layer, layer_count, rect, extent);
    if (s->zeta_enable != zeta || s->color_count != colors)
        s->touched |= 1u << GROUP_TARGET;
    s->zeta_enable = zeta;
    s->color_count = colors;
    s->layers = layers;
    work_end(c);
    return result;
}
