/* The memory checker on a context (memory_check.h). Passes the facts of each draw to the checker of
 * warps: outputs that later stages read, results that the rasterizer reads, the number of vertices
 * in the arrays, textures that nothing has written. Checks index buffers and stream buffers itself.
 * In: the hooks of a context. Out: findings. Written memory is known texel by texel; the texture
 * unit finds the texels that a sample reads (texel_shadow.h).
 */
#include "pipeline/debug/memory_check.h"
#include "pipeline/debug/history.h"

#include "pipeline/debug/texel_shadow.h"

#include "pipeline/state/build.h"
#include "shader/check/checker.h"

#include <stdlib.h>

enum { TEXTURES_SEEN = 16 /* texture slots of a stage that are checked */ };

struct memory_check {
    struct checker *checker;
    struct draw_hooks hooks;
    struct pixel_watch watch;
    pthread_mutex_t lock;
    struct range_set written;
    uint64_t changes; /* number of changes of `written` so far */
    bool all_written, incomplete;
    struct texel_shadows *shadows;
    struct gpu_memory *memory; /* memory of the device that draws */
    /* the textures of the draw */
    struct tex_view view[PROGRAM_FP + 1][TEXTURES_SEEN];
    uint64_t address[PROGRAM_FP + 1][TEXTURES_SEEN];
    uint64_t generated; /* primitives generated before the draw */
    uint64_t kept;      /* primitives written before the draw */
};

/* ---- memory that has been written ---- */

/* True if all bytes are known as written. The caller holds the lock. */
static bool lies_in_range(struct memory_check *m, uint64_t address, uint64_t size) {
    const struct range r = ranges_after(&m->written, address);
    return m->all_written ||
           (r.size && r.address <= address && size <= r.address + r.size - address);
}

void memory_check_written(struct memory_check *m, uint64_t address, uint64_t size) {
    uint64_t end = address + size;
    struct range r;
    if (!size)
        return;
    pthread_mutex_lock(&m->lock);
    if (lies_in_range(m, address, size)) {
        pthread_mutex_unlock(&m->lock);
        return;
    }
    m->changes++;
    if (!ranges_reserve(&m->written, 1)) {
        m->all_written = m->incomplete = true;
    } else {
        while ((r = ranges_after(&m->written, address)).size && r.address < end) {
            address = r.address < address ? r.address : address;
            end = r.address + r.size > end ? r.address + r.size : end;
            ranges_remove(&m->written, r.address);
        }
        ranges_merge(&m->written, (struct range){address, end - address});
    }
    pthread_mutex_unlock(&m->lock);
}

/* True if a byte of the range is known as written. */
static bool any_written(struct memory_check *m, uint64_t address, uint64_t size) {
    pthread_mutex_lock(&m->lock);
    const struct range r = ranges_after(&m->written, address);
    const bool written = m->all_written || (r.size && r.address < address + size);
    pthread_mutex_unlock(&m->lock);
    return written;
}

static bool some_written(void *self, uint64_t address, uint64_t size) {
    return any_written(self, address, size);
}

static bool all_written(void *self, uint64_t address, uint64_t size) {
    struct memory_check *m = self;
    pthread_mutex_lock(&m->lock);
    const bool all = lies_in_range(m, address, size);
    pthread_mutex_unlock(&m->lock);
    return all;
}

static uint64_t written_changes(void *self) {
    return ((const struct memory_check *)self)->changes;
}

static void note_copy(void *self, uint64_t address, uint64_t size, uint64_t) {
    memory_check_written(self, address, size);
}

static void note_target(struct memory_check *m, tp_context *c, const struct target_state *t,
                        uint32_t layers) {
    const uint64_t extent = memory_extent(c->device->memory, t->address);
    const struct surface s = target_layout(t);
    if (!t->address || t->format == FORMAT_NONE)
        return;
    uint64_t bytes = surface_layer_bytes(&s);
    uint32_t own = t->layers && t->layers < layers ? t->layers : layers;
    if (own && t->layer_stride <= bytes) { /* the layers lie in one range, or overlap */
        bytes += (own - 1) * (uint64_t)t->layer_stride;
        own = 1;
    }
    for (uint64_t i = 0, at = 0; i < own && at < extent; i++, at += t->layer_stride)
        memory_check_written(m, t->address + at, bytes < extent - at ? bytes : extent - at);
}

static void note_targets_written(struct memory_check *m, tp_context *c) {
    const struct state *s = &c->state;
    for (uint32_t i = 0; i < s->color_count && i < RASTER_TARGETS; i++)
        note_target(m, c, &s->color[s->color_map[i] % RASTER_TARGETS], s->layers);
    if (s->zeta_enable)
        note_target(m, c, &s->zeta, s->layers);
}

static void note_streams(struct memory_check *m, const struct stream_state *s) {
    for (uint32_t i = 0; s->enable && i < s->buffer_count; i++)
        memory_check_written(m, s->buffer[i].address, s->buffer[i].limit);
}

/* ---- facts of a draw ---- */

static void set_bit(uint32_t *bits, uint32_t n) {
    bits[n / 32] |= 1u << n % 32;
}

static bool has_bit(const uint32_t *bits, uint32_t n) {
    return bits[n / 32] >> n % 32 & 1;
}

/* Notes that the o[] row of a result slot is read after the program. */
static void need_slot(const struct result_map *map, uint32_t slot, uint32_t needed[8]) {
    if (slot < map->size && map->source[slot] < RESULT_ROWS)
        set_bit(needed, map->source[slot]);
}

/* True if no stage makes the word of this slot. Slots beyond the map read 0. On a Tesla, drivers
 * put constants into the map on purpose. On a Fermi, state/linkage.c makes the map of the words
 * that programs write, so MAP_ZERO stands for a missing word, unless the rasterizer makes the word.
 * Fourth components read 1.0, which drivers rely on. */
static bool is_unmade(const struct state *s, const struct result_map *map, uint32_t slot) {
    const bool fermi = s->program[PROGRAM_FP]->rows != NULL;
    return slot >= map->size ||
           (fermi && map->source[slot] == MAP_ZERO && slot != s->semantic.primitive_id);
}

/* Marks the slots of the v[] words that the fragment program reads, except those that point sprites
 * replace. */
static void need_varyings(const struct state *s, const struct result_map *map, uint32_t needed[8],
                          uint32_t unmade[8]) {
    const struct program *fp = s->program[PROGRAM_FP];
    const uint32_t ctrl = s->header[PROGRAM_FP].interpolant_ctrl;
    const uint32_t first = ctrl >> 8 & 0xff, count = ctrl & 0xff;
    uint32_t word = (uint32_t)__builtin_popcount(ctrl >> 24 & 15);
    for (uint32_t i = 0; fp && i < count && word < VARYING_WORDS; i++, word++) {
        const uint32_t slot = first + i;
        const bool coord =
            slot < RESULT_MAP_SLOTS && s->point_coord_map[slot / 8] >> 4 * (slot % 8) & 15;
        if ((has_bit(fp->facts.varying, word) || has_bit(fp->facts.varying_flat, word)) &&
            !(s->setup.point_sprite && coord)) {
            need_slot(map, slot, needed);
            if (is_unmade(s, map, slot))
                set_bit(unmade, word);
        }
    }
}

static void need_meanings(const struct state *s, const struct result_map *map, uint32_t needed[8]) {
    const struct semantic_state m = drawn_semantic(s);
    const struct clip_state clip = drawn_clip(s);
    for (uint32_t i = 0; i < 4; i++)
        need_slot(map, i, needed);
    if (m.layer != 0xff)
        need_slot(map, m.layer, needed);
    if (s->viewport_from_gp && m.viewport != 0xff)
        need_slot(map, m.viewport, needed);
    for (uint32_t i = 0; i < STATE_CLIP_PLANES; i++)
        if ((clip.clip | clip.cull) >> i & 1)
            need_slot(map, clip.slot + i, needed);
}

/* Finds the o[] rows of the last program before the rasterizer that the rasterizer, the fragment
 * program or stream out reads. */
static void find_needed(tp_context *c, struct check_draw *d) {
    const struct state *s = &c->state;
    const enum program_type last = s->program[PROGRAM_GP]    ? PROGRAM_GP
                                   : s->program[PROGRAM_TEP] ? PROGRAM_TEP
                                                             : PROGRAM_VP;
    const bool points = drawn_class(s, c->p->draw.primitive) == CLASS_POINT;
    struct result_map map = {0};
    build_map(&map, &s->header[last]);
    if (s->rasterize) {
        need_meanings(s, &map, d->needed[last]);
        need_varyings(s, &map, d->needed[last], d->unmade);
        if (points && s->point_size_from_slot && s->semantic.point_size != 0xff)
            need_slot(&map, s->semantic.point_size, d->needed[last]);
    }
    for (uint32_t i = 0; s->stream.enable && i < s->stream.buffer_count; i++)
        for (uint32_t k = 0; k < s->stream.buffer[i].words && k < STREAM_WORDS; k++)
            if (s->stream.buffer[i].slot[k] != STREAM_SKIP)
                need_slot(&map, s->stream.buffer[i].slot[k], d->needed[last]);
}

/* Finds the registers that the rasterizer reads: components that are in the target's format and in
 * the colour mask; the register of an exported depth. */
static void find_results(const struct state *s, struct check_draw *d) {
    const struct program_header *h = &s->header[PROGRAM_FP];
    uint32_t result = 0;
    for (uint32_t i = 0; i < s->color_count && i < RASTER_TARGETS; i++) {
        const struct target_state *t = &s->color[s->color_map[i] % RASTER_TARGETS];
        const struct program *p = s->program[PROGRAM_FP];
        const bool multiple = h->fp_control & FP_MULTIPLE_RESULTS;
        if (multiple && p && p->rows && !(h->fp_targets >> 4 * i & 15))
            continue;
        for (uint32_t k = 0; t->address && k < 4; k++)
            if (s->color_op.mask[i] >> k & 1 && format_info(t->format)->bits[k])
                d->results[0] |= UINT64_C(1) << (4 * result + k);
        result += multiple;
    }
    if (s->zeta_enable && h->fp_control & FP_EXPORTS_Z && h->fp_results && h->fp_results <= 128)
        d->results[(h->fp_results - 1) / 64] |= UINT64_C(1) << (h->fp_results - 1) % 64;
}

/* Returns the number of elements whose attribute lies inside of the array. end: the offset of the
 * attribute's end from the element's first byte. */
static uint64_t elements_inside(struct gpu_memory *memory, const struct vertex_array *a,
                                uint64_t end) {
    uint64_t extent = memory_extent(memory, a->start);
    if (!a->enable || a->limit < a->start)
        return 0;
    if (a->limit - a->start + 1 < extent)
        extent = a->limit - a->start + 1;
    if (extent < end)
        return 0;
    return a->stride ? (extent - end) / a->stride + 1 : UINT64_MAX;
}

static void find_fetches(tp_context *c, struct check_draw *d) {
    const struct state *s = &c->state;
    const struct program_header *h = &s->header[PROGRAM_VP];
    uint32_t row = 0;
    for (uint32_t i = 0; i < STATE_ATTRIBUTES && !c->p->draw.data_words; i++) {
        const struct vertex_attribute *a = &s->attribute[i];
        const struct vertex_array *array = &s->array[a->array & (STATE_ARRAYS - 1)];
        const struct fetch_format *format = fetch_format_find(a->format);
        const uint32_t rows =
            (uint32_t)__builtin_popcount(h->attr_enable[i / 8] >> 4 * (i % 8) & 15);
        if (rows && !a->constant && a->format && format)
            d->fetch[d->fetches++] = (struct check_fetch){
                .attribute = (uint8_t)i,
                .row = (uint8_t)row,
                .rows = (uint8_t)rows,
                .divisor = array->per_instance ? array->divisor ? array->divisor : 1 : 0,
                .instance_base = s->instance_base,
                .inside =
                    elements_inside(c->device->memory, array, (uint64_t)a->offset + format->bytes)};
        row += rows;
    }
}

/* True if nothing has written the first level of a texture. False for linear textures: the CPU may
 * write these without the checker's notice. */
static bool is_fresh(struct memory_check *m, const struct tex_view *v, uint64_t address) {
    if (!v || !v->valid || !v->size || v->linear)
        return false;
    const struct tex_level *l = &v->level[v->first_level];
    const uint64_t size = (uint64_t)l->width * v->bytes * l->height * (l->depth ? l->depth : 1);
    const uint64_t layers = v->layer_stride * v->layers;
    return !any_written(m, address + l->offset, size > layers ? size : layers);
}

static void find_fresh(struct memory_check *m, tp_context *c, struct check_draw *d) {
    for (int stage = PROGRAM_VP; stage <= PROGRAM_FP; stage++) {
        const struct program *p = c->state.program[stage];
        struct stage_textures textures = {0};
        for (int slot = 0; slot < TEXTURES_SEEN; slot++)
            m->view[stage][slot].valid = false;
        for (uint32_t rest = p ? p->facts.textures & ((1u << TEXTURES_SEEN) - 1) : 0; rest;
             rest &= rest - 1) {
            const uint32_t slot = (uint32_t)__builtin_ctz(rest);
            if (!capture_view(c, (enum program_type)stage, slot, &textures))
                m->incomplete = true;
            else if (is_fresh(m, textures.view[slot], textures.address[slot]))
                d->fresh[stage] |= 1u << slot;
            if (textures.view[slot])
                m->view[stage][slot] = *textures.view[slot];
            m->address[stage][slot] = textures.address[slot];
        }
    }
}

/* The function check_texels.written. Also true if the checker cannot know: for slices (they share
 * tiles), for several samples, and for linear textures (the CPU may have written them). */
static bool texel_is_written(void *self, enum program_type stage, uint32_t slot, uint32_t level,
                             const uint32_t at[3]) {
    struct memory_check *m = self;
    const struct tex_view *v =
        stage <= PROGRAM_FP && slot < TEXTURES_SEEN ? &m->view[stage][slot] : NULL;
    if (!v || !v->valid || !v->size || v->linear || v->samples > 1 || v->dim == TEX_3D ||
        level > (uint32_t)(v->last_level - v->first_level))
        return true;
    const struct tex_level *l = &v->level[v->first_level + level];
    const bool lines = v->dim == TEX_1D_ARRAY;
    const uint64_t layer = v->layers <= 1 ? 0 : lines ? at[1] : at[2];
    return any_written(m,
                       m->address[stage][slot] + l->offset + layer * v->layer_stride +
                           texel_place(v, l, at[0], lines ? 0 : at[1]),
                       v->bytes);
}

/* The function check_texels.shadow. */
static const struct tex_binding *shadow_of(void *self, const struct tex_binding *binding,
                                           uint32_t slot) {
    const struct memory_check *m = self;
    return texel_shadow(m->shadows, m->memory, binding, slot);
}

/* ---- the draw ---- */

static void check_indices(struct memory_check *m, tp_context *c) {
    const struct open_draw *o = &c->p->draw;
    const uint64_t extent = memory_extent(c->device->memory, o->index_address);
    char text[160];
    if (!o->index_size || o->pushed || o->index_bytes ||
        (uint64_t)o->index_count * o->index_size <= extent)
        return;
    snprintf(text, sizeof text, "a draw of %u indices; the index buffer has %llu", o->index_count,
             (unsigned long long)(extent / o->index_size));
    checker_report(m->checker, FINDING_INDEX, text);
}

static void before_draw(void *self, tp_context *c) {
    struct memory_check *m = self;
    struct check_draw d = {.number = c->draw_number + 1,
                           .texels = {m, texel_is_written, shadow_of}};
    m->memory = c->device->memory;
    context_flush(c);
    if (c->state.program[PROGRAM_VP]) {
        find_needed(c, &d);
        find_results(&c->state, &d);
        find_fetches(c, &d);
        find_fresh(m, c, &d);
    }
    checker_draw(m->checker, &d);
    check_indices(m, c);
    m->generated = context_counter(c, COUNTER_PRIMITIVES_GENERATED);
    m->kept = context_counter(c, COUNTER_PRIMITIVES_WRITTEN);
}

static void after_draw(void *self, tp_context *c) {
    struct memory_check *m = self;
    char text[160];
    context_flush(c);
    note_targets_written(m, c);
    note_streams(m, &c->state.stream);
    for (int stage = 0; stage < PROGRAM_TYPES; stage++) /* g[] and images of a Fermi */
        m->all_written |=
            stage != PROGRAM_CP && c->state.program[stage] && c->state.header[stage].writes_memory;
    const uint64_t made = context_counter(c, COUNTER_PRIMITIVES_GENERATED) - m->generated;
    const uint64_t kept = context_counter(c, COUNTER_PRIMITIVES_WRITTEN) - m->kept;
    if (!c->state.stream.enable || made <= kept)
        return;
    snprintf(text, sizeof text, "feedback of %llu primitives; the buffers take %llu",
             (unsigned long long)made, (unsigned long long)kept);
    checker_report(m->checker, FINDING_FEEDBACK, text);
}

static void before_clear(void *self, tp_context *c) {
    note_targets_written(self, c);
}

/* A grid may write any memory. */
static void before_launch(void *self, tp_context *) {
    struct memory_check *m = self;
    m->all_written = true;
}

/* ---- begin and end ---- */

struct memory_check *memory_check_create(struct findings *findings, bool not_finite) {
    struct memory_check *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->checker = checker_create(findings, not_finite);
    m->hooks = (struct draw_hooks){m, before_draw, after_draw, before_clear, before_launch};
    m->watch = (struct pixel_watch){.self = m, .copy = note_copy};
    pthread_mutex_init(&m->lock, NULL);
    m->shadows = texel_shadows_create(
        &(struct written_memory){m, some_written, all_written, written_changes});
    if (m->checker && m->shadows)
        return m;
    memory_check_free(m);
    return NULL;
}

void memory_check_free(struct memory_check *m) {
    if (!m)
        return;
    checker_free(m->checker);
    texel_shadows_free(m->shadows);
    ranges_free(&m->written);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

void memory_check_watch(struct memory_check *m, tp_context *c) {
    for (int stage = 0; stage < PROGRAM_TYPES; stage++)
        context_observe(c, (enum program_type)stage, checker_observer(m->checker));
    context_watch(c, &m->watch);
    c->hooks = &m->hooks;
}

void memory_check_leave(tp_context *c) {
    for (int stage = 0; stage < PROGRAM_TYPES; stage++)
        context_observe(c, (enum program_type)stage, NULL);
    context_watch(c, NULL);
    c->hooks = NULL;
}

bool memory_check_incomplete(const struct memory_check *m) {
    return m->incomplete || texel_shadows_incomplete(m->shadows) || checker_incomplete(m->checker);
}
