/* The vertex stage. The vertices of a chunk, 32 at a time, are fetched from the arrays of their
 * calls, run through a vertex warp, and transformed from clip space to window space. Single
 * vertices that clipping makes are only transformed. If the vertices of one warp see different
 * constants, the constants are given as rows, like attributes; if the program does not allow that,
 * each span of equal constants has a warp of its own. In: index and instance of each vertex, spans
 * of equal constants and arrays. Out: the rows that the warps wrote, window rows. Must not know
 * primitives.
 */
#include "pipeline/front/clip.h"
#include "base/bits.h"
#include "pipeline/front/viewport.h"
#include "shader/local.h"

#include <stdlib.h>

/* ---- vertex formats ---- */

static const struct fetch_format formats[] = {
    {0x01, 4, 16, {32, 32, 32, 32}, {0, 32, 64, 96}},
    {0x02, 3, 12, {32, 32, 32}, {0, 32, 64}},
    {0x04, 2, 8, {32, 32}, {0, 32}},
    {0x12, 1, 4, {32}, {0}},
    {0x03, 4, 8, {16, 16, 16, 16}, {0, 16, 32, 48}},
    {0x05, 3, 6, {16, 16, 16}, {0, 16, 32}},
    {0x0f, 2, 4, {16, 16}, {0, 16}},
    {0x1b, 1, 2, {16}, {0}},
    {0x0a, 4, 4, {8, 8, 8, 8}, {0, 8, 16, 24}},
    {0x13, 3, 3, {8, 8, 8}, {0, 8, 16}},
    {0x18, 2, 2, {8, 8}, {0, 8}},
    {0x1d, 1, 1, {8}, {0}},
    {0x30, 4, 4, {10, 10, 10, 2}, {0, 10, 20, 30}},
    {0x31, 3, 4, {11, 11, 10}, {0, 11, 22}},
};

const struct fetch_format *fetch_format_find(uint8_t code) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].code == code)
            return &formats[i];
    return NULL;
}

bool fetch_type_known(uint8_t type) {
    return type == FETCH_SNORM || type == FETCH_UNORM || type == FETCH_SINT || type == FETCH_UINT ||
           type == FETCH_USCALED || type == FETCH_SSCALED || type == FETCH_FLOAT;
}

SIMD_CHOICE(fetch_rows, fetch_rows);

void fetch_vertices(enum simd_level simd, const struct fetch_plan *plan,
                    const struct fetch_vertices *v, u32x32 *rows) {
    fetch_rows[simd](plan, v, rows);
}

/* ---- clip space to window space ---- */

static uint32_t viewport_of(const struct draw *d, const uint32_t *slot) {
    return d->vertex->viewport_from_slot
               ? slot[d->vertex->semantic.viewport] & (STATE_VIEWPORTS - 1)
               : 0;
}

float clip_distance(const struct draw *d, unsigned plane, const uint32_t *slot) {
    const float w = bits_float(slot[3]);
    if (plane >= CLIP_USER)
        return bits_float(slot[d->view->clip.slot + plane - CLIP_USER]);
    const uint32_t view = viewport_of(d, slot);
    const float *scale = d->view->scale[view], *translate = d->view->translate[view];
    switch (plane) {
    case CLIP_W:
        return w - CLIP_MIN_W;
    case CLIP_NEAR:
        return bits_float(slot[2]) + (d->view->clip.z_zero ? 0 : w);
    case CLIP_FAR:
        return w - bits_float(slot[2]);
    default: {
        const unsigned axis = (plane - CLIP_GUARD) / 2;
        const float window = bits_float(slot[axis]) * scale[axis] + translate[axis] * w;
        return (plane - CLIP_GUARD) & 1 ? CLIP_GUARD_BAND * w - window
                                        : CLIP_GUARD_BAND * w + window;
    }
    }
}

void viewport_window(const struct draw *d, struct out_vertex *v) {
    const uint32_t *slot = v->v.slot;
    if (!d->view->transform) {
        v->v.x = bits_float(slot[0]);
        v->v.y = bits_float(slot[1]);
        v->v.z = bits_float(slot[2]);
        v->v.rhw = 1;
        return;
    }
    const uint32_t view = viewport_of(d, slot);
    const float *scale = d->view->scale[view], *translate = d->view->translate[view];
    const float rhw = 1 / bits_float(slot[3]);
    v->v.x = bits_float(slot[0]) * rhw * scale[0] + translate[0];
    v->v.y = bits_float(slot[1]) * rhw * scale[1] + translate[1];
    v->v.z = bits_float(slot[2]) * rhw * scale[2] + translate[2];
    v->v.rhw = rhw;
}

SIMD_CHOICE(project_set, project_set);
SIMD_CHOICE(clamp_rows, clamp_rows);

/* Makes clamped copies of the colour rows, and sets the rows of the colour slots to these
 * copies. */
static void clamp_colors(const struct draw *d, enum simd_level simd, struct vertex_rows *rows,
                         uint32_t sets) {
    const struct semantic_state *m = &d->vertex->semantic;
    uint8_t to = rows->layout.colors;
    for (uint32_t k = 0; k < 2u * m->color_count && to < rows->layout.window; k++) {
        const uint32_t slot =
            k < m->color_count ? m->color_front + k : m->color_back + k - m->color_count;
        if (slot >= SLOTS || rows->layout.row[slot] >= rows->layout.colors)
            continue;
        for (uint32_t i = 0; i < sets; i++) {
            u32x32 *set = rows->data + (size_t)i * rows->layout.stride;
            clamp_rows[simd](&set[to], &set[rows->layout.row[slot]]);
        }
        rows->layout.row[slot] = to++;
    }
}

void front_project(const struct draw *d, enum simd_level simd, struct vertex_rows *rows,
                   uint32_t n) {
    const uint32_t sets = (n + LANES - 1) / LANES;
    if (d->vertex->semantic.color_clamp)
        clamp_colors(d, simd, rows, sets);
    for (uint32_t i = 0; i < sets; i++)
        project_set[simd](d, rows, i);
}

/* ---- vertex programs ---- */

bool front_local(struct front *f, struct warp *w, uint32_t size) {
    const size_t rows = (size + 3) / 4;
    if (rows > f->local_rows) {
        local_free(f->local, f->local_rows);
        f->local = local_alloc(rows);
        memset(w->local_dirty, 0, sizeof w->local_dirty);
        f->local_rows = f->local ? rows : 0;
    }
    w->local = f->local;
    w->local_size = f->local_rows < rows ? 0 : size;
    if (w->local_size)
        local_clear(w, f->local_rows);
    return w->local_size == size;
}

void rows_layout(struct row_layout *l, const struct result_map *map, uint32_t out_rows,
                 const struct semantic_state *semantic) {
    const uint32_t named = semantic->color_clamp ? 2u * semantic->color_count : 0;
    /* Numbers of rows have 8 bits. Programs with correct maps have at most 16 colour components. */
    const uint32_t room = UINT8_MAX - (out_rows + 2), colors = named < room ? named : room;
    l->zero = (uint8_t)out_rows;
    l->colors = (uint8_t)(out_rows + 2);
    l->window = (uint8_t)(l->colors + colors);
    l->stride = l->window + (uint32_t)PROJECTED_ROWS;
    for (uint32_t k = 0; k < SLOTS; k++) {
        const uint8_t source = k < map->size ? map->source[k] : MAP_ZERO;
        l->row[k] = source < out_rows ? source : (uint8_t)(l->zero + (source == MAP_ONE));
    }
}

bool rows_reserve(struct vertex_rows *rows, const struct row_layout *layout, uint32_t n) {
    rows->layout = *layout;
    const size_t need = ((size_t)n + LANES - 1) / LANES * rows->layout.stride;
    if (need <= rows->capacity)
        return true;
    free(rows->data);
    rows->data = aligned_alloc(_Alignof(u32x32), need * sizeof(u32x32));
    rows->capacity = rows->data ? need : 0;
    return rows->data;
}

void rows_constants(const struct vertex_rows *rows, uint32_t set) {
    u32x32 *at = rows->data + (size_t)set * rows->layout.stride + rows->layout.zero;
    at[0] = lanes_splat(0);
    at[1] = lanes_splat(0x3f800000);
}

u32x32 *rows_begin(const struct vertex_rows *rows, uint32_t set) {
    u32x32 *at = rows->data + (size_t)set * rows->layout.stride;
    memset(at, 0, rows->layout.zero * sizeof *at);
    rows_constants(rows, set);
    return at;
}

void trap_record(struct trap *t, uint64_t order, enum program_type stage, const char *program,
                 const struct warp_error *error) {
    if (t->set && t->order <= order)
        return;
    t->set = true;
    t->order = order;
    t->stage = stage;
    t->error = *error;
    const size_t n = strnlen(program, sizeof t->program - 1);
    memcpy(t->program, program, n);
    t->program[n] = 0;
}

void front_fail(struct front *f, const struct draw_call *call, enum program_type stage) {
    trap_record(&f->trap, f->order, stage, call->draw->stages->name[stage], &f->warp->error);
    uint64_t first = __atomic_load_n(call->failed, __ATOMIC_RELAXED);
    while (f->order < first && !__atomic_compare_exchange_n(call->failed, &first, f->order, true,
                                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

_Static_assert((int)FETCH_ROWS <= (int)SPREAD_FIRST, "constants come behind attributes");

static lane_mask lanes_range(uint32_t from, uint32_t end) {
    const lane_mask below = end == LANES ? LANES_ALL : (1u << end) - 1;
    return below & LANES_ALL << from;
}

/* Runs a warp for vertices [from, end) of a set. call: the call of the first vertex. The inputs are
 * in f->attr. */
static bool run_warp(struct front *f, const struct draw_call *call, const struct warp_env *env,
                     uint32_t set, uint32_t from, uint32_t end, u32x32 *out) {
    const struct draw *d = call->draw;
    struct warp *w = f->warp;
    w->attr = f->attr;
    w->attr_count = env == &f->spread && !f->spread_registers ? SPREAD_FIRST + SPREAD_WORDS
                                                              : d->vertex->fetch.rows;
    w->out = out;
    w->out_count = d->vertex->stage.rows;
    if (!front_local(f, w, d->vertex->stage.local_size)) {
        f->oom = true;
        return false;
    }
    w->number = f->index + set * LANES;
    w->instance = f->instance + set * LANES;
    if (w->kept.env != env || env == &f->spread)
        warp_keep(w, env, false);
    f->counters.vertex_warps++;
    if (warp_launch(w, env, lanes_range(from, end), 0) == WARP_DONE)
        return true;
    front_fail(f, call, PROGRAM_VP);
    return false;
}

static void copy_lanes(u32x32 *to, const u32x32 *from, uint32_t first, uint32_t end) {
    uint32_t *out = (uint32_t *)to;
    const uint32_t *in = (const uint32_t *)from;
    for (uint32_t i = first; i < end; i++)
        out[i] = in[i];
}

/* True if the spans of the set's vertices, up to number `end`, see the same constants. */
static bool same_constants(const struct vertex_span *span, uint32_t end) {
    for (; span->end < end; span++)
        if (span[1].other_constants)
            return false;
    return true;
}

static const struct warp_env *span_env(const struct vertex_span *span) {
    return span->call->env.program[PROGRAM_VP];
}

static uint32_t end_in_set(const struct vertex_span *span, uint32_t set, uint32_t lanes) {
    return span->end - set * LANES < lanes ? span->end - set * LANES : lanes;
}

/* Fills lanes [from, end) of the rows of constants with words of c. */
static void spread_words(struct front *f, const struct program_spread *s,
                         const struct const_view *c, uint32_t from, uint32_t end) {
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t value, *row = (uint32_t *)(s->in_registers ? &f->warp->r[SPREAD_REGISTER + i]
                                                            : &f->attr[SPREAD_FIRST + i]);
        memcpy(&value, c[s->word[i].slot].data + s->word[i].offset, sizeof value);
        for (uint32_t k = from; k < end; k++)
            row[k] = value;
    }
}

static bool holds_words(const struct program_spread *s, const struct const_view *c) {
    for (uint32_t rest = s->slots; rest; rest &= rest - 1) {
        const int slot = __builtin_ctz(rest);
        if (c[slot].size < s->need[slot])
            return false;
    }
    return true;
}

/* Makes rows of the constants of the set's spans and sets f->spread. False if the program, an
 * observer or a constant buffer that is too small does not allow that. */
static bool spread_constants(struct front *f, const struct vertex_span *span, uint32_t set,
                             uint32_t lanes) {
    const struct warp_env *env = span_env(span);
    const struct program_spread *s = program_spread((struct program *)env->program);
    if (!s || env->observer || s->attr_rows > span->call->draw->vertex->fetch.rows)
        return false; /* with an observer, all registers begin as 0 */
    for (uint32_t from = 0, end; from < lanes; from = end, span++) {
        const struct const_view *c = span_env(span)->c;
        end = end_in_set(span, set, lanes);
        if (!holds_words(s, c))
            return false;
        spread_words(f, s, c, from, end);
    }
    f->spread = *env;
    f->spread.program = s->program;
    f->spread_registers = s->in_registers;
    return true;
}

/* Runs each span of the set in a warp of its own. A warp leaves undefined values in lanes that it
 * does not own, so the results of each warp go to f->out first. */
static bool run_spans(struct front *f, const struct vertex_span *span, uint32_t set, uint32_t lanes,
                      u32x32 *out) {
    const uint32_t rows = span->call->draw->vertex->stage.rows;
    for (uint32_t from = 0, end; from < lanes; from = end, span++) {
        end = end_in_set(span, set, lanes);
        memset(f->out, 0, rows * sizeof *f->out);
        if (!run_warp(f, span->call, span_env(span), set, from, end, f->out))
            return false;
        for (uint32_t k = 0; k < rows; k++)
            copy_lanes(&out[k], &f->out[k], from, end);
    }
    return true;
}

static void fetch_set(struct front *f, const struct vertex_span *span, uint32_t set,
                      uint32_t lanes) {
    const struct draw_call *c = span->call;
    const uint32_t at = set * LANES;
    struct fetch_span fetched[LANES];
    for (uint32_t end = 0, n = 0; end < lanes; span++) {
        const struct fetch_source *source = span->call->env.source;
        end = end_in_set(span, set, lanes);
        n -= n && fetched[n - 1].source == source;
        fetched[n++] = (struct fetch_span){end, source};
    }
    const struct fetch_vertices v = {f->index + at,    f->instance + at, lanes,
                                     c->instance_base, c->id_origin,     fetched};
    fetch_vertices(c->draw->simd, &c->draw->vertex->fetch, &v, f->attr);
}

bool front_vertices(struct front *f, const struct chunk *chunk) {
    const struct draw *d = chunk->call->draw;
    if (!rows_reserve(&f->rows, &d->vertex->stage.layout, f->vertex_count + LANES)) {
        f->oom = true;
        return false;
    }
    f->counters.vertices += f->vertex_count;
    warp_keep(f->warp, NULL, false); /* another environment may now lie at the old address */
    const struct vertex_span *span = f->span;
    for (uint32_t at = 0; at < f->vertex_count; at += LANES) {
        const uint32_t lanes = f->vertex_count - at < LANES ? f->vertex_count - at : LANES;
        u32x32 *out = rows_begin(&f->rows, at / LANES);
        while (span->end <= at)
            span++;
        profile_enter(f->profile, STAGE_FETCH);
        fetch_set(f, span, at / LANES, lanes);
        profile_enter(f->profile, STAGE_VERTEX);
        const bool alike = same_constants(span, at + lanes);
        const bool whole = alike || spread_constants(f, span, at / LANES, lanes);
        const struct warp_env *env = alike ? span_env(span) : &f->spread;
        if (whole ? !run_warp(f, span->call, env, at / LANES, 0, lanes, out)
                  : !run_spans(f, span, at / LANES, lanes, out))
            return false;
    }
    return true;
}
