/* The memory that a draw reads: constants, vertex arrays and textures. Each is captured again only
 * if an event since the last capture may have changed it. The bytes of c[] that a program can reach
 * are copied; draws that find the same bytes share the copy. The plan of vertex fetch says which
 * attributes the vertex program reads and how they are decoded; arrays become host pointers with
 * limits. Texture descriptors are decoded once in an epoch, and bound in the pairs of texture and
 * sampler that the program names. In: GROUP_CONSTANT, GROUP_FETCH, GROUP_TEXTURE, memory, or the
 * layout of inline vertices. Out: views of copies in the scene's memory, struct fetch_plan,
 * captured.array, struct stage_textures. Of programs, this file knows only which inputs they name.
 */
#include "pipeline/state/build.h"
#include "shader/isa/isa.h"

/* ---- constants ---- */

/* Finds the host address of the buffer and how many bytes may be read there. */
static void locate_buffer(tp_context *c, const struct const_buffer *b, struct const_copy *copy) {
    if (copy->located && copy->address == b->address &&
        copy->located >= c->p->captured.event[EVENT_MAPPED])
        return;
    *copy = (struct const_copy){.address = b->address, .located = scene_now(c->p->scene)};
    copy->host = memory_view(c->device->memory, b->address, &copy->extent);
}

/* Returns the number of bytes of a buffer that the program can reach. need: the bytes that its
 * instructions name. */
static uint32_t reach(tp_context *c, const struct const_buffer *b, struct const_copy *copy,
                      uint32_t need) {
    locate_buffer(c, b, copy);
    const uint32_t size = b->size < need ? b->size : need;
    return copy->extent < size ? (uint32_t)copy->extent : size;
}

/* Notes that the buffer has a copy, so that constants_written() checks this buffer. */
static void note_copy(struct captured *p, int id, uint64_t epoch) {
    if (p->copied_epoch != epoch)
        memset(p->copied, 0, sizeof p->copied);
    p->copied_epoch = epoch;
    p->copied[id / 64] |= UINT64_C(1) << id % 64;
}

static bool capture_const(tp_context *c, int id, uint32_t need, struct const_view *view) {
    struct captured *p = &c->p->captured;
    struct const_copy *copy = &p->const_copy[id];
    const uint32_t size = reach(c, &c->state.const_buffer[id], copy, need);
    *view = (struct const_view){NULL, size};
    if (!size)
        return true;
    const uint64_t epoch = scene_epoch(c->p->scene);
    if (copy->epoch != epoch || copy->size < size || memcmp(copy->data, copy->host, size) != 0) {
        uint8_t *bytes = scene_alloc(c->p->scene, size);
        if (!bytes)
            return false;
        memcpy(bytes, copy->host, size);
        if (copy->epoch != epoch)
            note_copy(p, id, epoch);
        copy->epoch = epoch;
        copy->data = bytes;
        copy->size = size;
    }
    view->data = copy->data;
    return true;
}

void settle_constants(tp_context *c, enum program_type stage) {
    const struct program_facts *f = &c->state.program[stage]->facts;
    for (uint32_t rest = f->const_slots; rest; rest &= rest - 1) {
        const unsigned slot = (unsigned)__builtin_ctz(rest);
        const int id = c->state.const_binding[stage][slot] & (STATE_CONST_BUFFERS - 1);
        const struct const_buffer *b = &c->state.const_buffer[id];
        if (c->state.const_binding[stage][slot] < 0)
            continue;
        const uint32_t size = reach(c, b, &c->p->captured.const_copy[id], f->const_extent[slot]);
        if (size)
            context_before_read(c, b->address, size);
    }
}

static bool capture_slot(tp_context *c, enum program_type stage, unsigned slot,
                         struct const_view *view) {
    const uint32_t extent = c->state.program[stage]->facts.const_extent[slot];
    const int id = c->state.const_binding[stage][slot];
    *view = (struct const_view){NULL, 0};
    return id < 0 || capture_const(c, id & (STATE_CONST_BUFFERS - 1), extent, view);
}

bool capture_constants(tp_context *c, enum program_type stage, struct warp_env *env) {
    for (uint32_t rest = c->state.program[stage]->facts.const_slots; rest; rest &= rest - 1) {
        const unsigned slot = (unsigned)__builtin_ctz(rest);
        if (!capture_slot(c, stage, slot, &env->c[slot]))
            return false;
    }
    return true;
}

bool renew_constants(tp_context *c, enum program_type stage, const struct warp_env **env) {
    struct const_view now[STATE_CONST_SLOTS];
    const uint32_t slots = c->state.program[stage]->facts.const_slots;
    bool same = true;
    for (uint32_t rest = slots; rest; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctz(rest);
        if (!capture_slot(c, stage, i, &now[i]))
            return false;
        same &= now[i].data == (*env)->c[i].data && now[i].size == (*env)->c[i].size;
    }
    if (same)
        return true;
    struct warp_env *copy = scene_alloc(c->p->scene, sizeof *copy);
    if (!copy)
        return false;
    *copy = **env;
    for (uint32_t rest = slots; rest; rest &= rest - 1)
        copy->c[__builtin_ctz(rest)] = now[__builtin_ctz(rest)];
    *env = copy;
    return true;
}

void constants_written(tp_context *c, uint64_t address, uint64_t size) {
    const struct captured *p = &c->p->captured;
    if (p->copied_epoch != scene_epoch(c->p->scene))
        return;
    for (int i = 0; i < STATE_CONST_BUFFERS / 64; i++)
        for (uint64_t rest = p->copied[i]; rest; rest &= rest - 1) {
            const struct const_copy *copy = &p->const_copy[64 * i + __builtin_ctzll(rest)];
            if (copy->address < address + size && address < copy->address + copy->size)
                note_event(c, EVENT_CONSTANTS);
        }
}

/* ---- vertex arrays ---- */

enum { FETCH_WORDS = 2 + STATE_ATTRIBUTES * 6 };

static uint8_t attribute_mask(const struct program_header *h, unsigned i) {
    return h->attr_enable[i / 8] >> 4 * (i % 8) & 15;
}

/* Returns the attributes that are read by the program or as the vertex id, a bit each. */
static uint32_t attributes_read(const struct state *s) {
    uint32_t read = s->vertex_id_word ? 1u << (s->vertex_id_word - 1) / 4 : 0;
    for (unsigned i = 0; i < STATE_ATTRIBUTES; i++)
        read |= (uint32_t)(attribute_mask(&s->header[PROGRAM_VP], i) != 0) << i;
    return read;
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
    for (uint32_t read = attributes_read(s); read; read &= read - 1) {
        const struct vertex_attribute *a = &s->attribute[__builtin_ctz(read)];
        if (!a->constant && a->format)
            rest |= 1u << (a->array & (STATE_ARRAYS - 1));
    }
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
    const uint32_t attributes = attributes_read(s);
    uint32_t words[FETCH_WORDS], n = 0;
    words[n++] = attributes | (uint32_t)s->provoking_last << 16 | (uint32_t)s->vertex_id_word << 24;
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

/* Plans the fetch of the vertex id, if an attribute contains it. */
static bool plan_vertex_id(tp_context *c, struct fetch_plan *plan) {
    const unsigned word = c->state.vertex_id_word - 1u;
    struct fetch_attribute *a = &plan->attribute[plan->attribute_count];
    if (plan->vertex_id_row < 0)
        return true;
    if (!plan_attribute(c, word / 4, a))
        return false;
    a->mask = (uint8_t)(1 << word % 4);
    a->row = (uint8_t)plan->vertex_id_row;
    plan->attribute_count++;
    plan->vertex_id_row = -1;
    return true;
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
    return inlined || !c->state.vertex_id_word || plan_vertex_id(c, plan);
}

/* ---- textures ---- */

static bool descriptor_words(tp_context *c, const struct descriptor_binding *b,
                             const struct descriptor_table *table, uint32_t word[8]) {
    if (!b->valid)
        return false;
    if (b->raw) {
        memcpy(word, b->word, 32);
        return true;
    }
    const uint64_t at = table->address + (uint64_t)b->index * 32;
    const void *entry = b->index <= table->limit ? memory_at(c->device->memory, at, 32) : NULL;
    if (entry)
        memcpy(word, entry, 32);
    return entry;
}

static uint32_t set_of(uint64_t h) {
    return (uint32_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> 32) % TEXTURE_SETS;
}

/* Returns the place of the descriptor `word` in the cache; if the cache does not have it, a place
 * for it. */
static struct descriptor_copy *place_of(struct descriptor_cache *cache, const uint32_t word[8],
                                        uint64_t epoch) {
    uint64_t h = 0;
    for (int i = 0; i < 8; i++)
        h = h * 31 + word[i];
    struct descriptor_copy *way = cache->copy[set_of(h)], *unused = NULL;
    for (int i = 0; i < TEXTURE_WAYS; i++) {
        if (way[i].epoch != epoch)
            unused = &way[i];
        else if (!memcmp(way[i].word, word, sizeof way[i].word))
            return &way[i];
    }
    return unused ? unused : &way[cache->forgotten++ % TEXTURE_WAYS];
}

/* True if the memory of a decoded view is still the same. Only allocations since the last check can
 * have changed it. */
static bool view_holds(tp_context *c, struct descriptor_copy *copy) {
    const bool checked = copy->checked >= c->p->captured.event[EVENT_MAPPED];
    copy->checked = scene_now(c->p->scene);
    return checked || tex_view_holds(copy->word, c->device->memory, copy->decoded);
}

/* Returns the decoded form of a descriptor; NULL when out of memory. *fresh: the form is new, and
 * the caller must decode the descriptor into it. */
static void *decode_once(tp_context *c, struct descriptor_cache *cache, const uint32_t word[8],
                         size_t size, bool *fresh) {
    const uint64_t epoch = scene_epoch(c->p->scene);
    const bool views = cache == &c->p->captured.views;
    struct descriptor_copy *copy = place_of(cache, word, epoch);
    *fresh = copy->epoch != epoch || memcmp(copy->word, word, 32) != 0 ||
             (views && !view_holds(c, copy));
    if (*fresh) {
        copy->decoded = scene_alloc(c->p->scene, size);
        copy->epoch = copy->decoded ? epoch : 0;
        copy->checked = scene_now(c->p->scene);
        memcpy(copy->word, word, 32);
    }
    return (void *)copy->decoded;
}

bool capture_view(tp_context *c, enum program_type stage, unsigned slot,
                  struct stage_textures *textures) {
    uint32_t word[8];
    bool fresh;
    if (!descriptor_words(c, &c->state.tic[stage][slot], &c->state.tic_table, word))
        return true;
    if (c->state.all_levels && !c->state.tic[stage][slot].raw)
        word[7] = (word[7] & ~0xffu) | word[5] >> 28 << 4;
    word[7] &= ~(uint32_t)TIC_TALL_BLOCKS;
    if (c->state.tall_blocks && !c->state.tic[stage][slot].raw)
        word[7] |= (uint32_t)TIC_TALL_BLOCKS;
    struct tex_view *view = decode_once(c, &c->p->captured.views, word, sizeof *view, &fresh);
    if (!view)
        return false;
    textures->view[slot] = view;
    textures->address[slot] = word[1] | (uint64_t)(word[2] & 0xff) << 32;
    if (fresh) {
        char why[200];
        const int code = tex_view_decode(word, c->device->memory, view, why, sizeof why);
        /* A buffer with less than one texel is legal: reads return 0. */
        const bool empty = view->dim == TEX_BUFFER && view->bytes && !view->width;
        if (code != 0 && !empty)
            log_message(&c->device->log, LOG_WARNING, "%s texture %u: %s",
                        program_stage_name(stage), slot, why);
    }
    return true;
}

static uint32_t samplers_named(const struct state *s, const struct program_facts *f) {
    return (s->linked_tsc ? f->textures : f->samplers) & 0xffff;
}

/* Flushes if a report is still to be written over the descriptor. */
static void settle_descriptor(tp_context *c, const struct descriptor_binding *b,
                              const struct descriptor_table *table) {
    const uint64_t address = table->address + (uint64_t)b->index * 32;
    if (!b->valid || b->raw || b->index > table->limit)
        return;
    work_touch(c, TOUCH_DECIDE, USE_MEMORY, address, 32);
    if (context_awaits_report(c, address, 32))
        context_flush(c);
}

void settle_descriptors(tp_context *c, enum program_type stage) {
    const struct state *s = &c->state;
    const struct program_facts *f = &s->program[stage]->facts;
    for (uint32_t rest = f->textures & 0xffff; rest; rest &= rest - 1)
        settle_descriptor(c, &s->tic[stage][__builtin_ctz(rest)], &s->tic_table);
    for (uint32_t rest = samplers_named(s, f); rest; rest &= rest - 1)
        settle_descriptor(c, &s->tsc[stage][__builtin_ctz(rest)], &s->tsc_table);
}

static bool capture_samplers(tp_context *c, enum program_type stage,
                             const struct tex_sampler *sampler[STATE_TEXTURES]) {
    const struct program_facts *f = &c->state.program[stage]->facts;
    const uint32_t samplers = samplers_named(&c->state, f);
    for (unsigned slot = 0; slot < STATE_TEXTURES; slot++) {
        uint32_t word[8];
        bool fresh;
        if (!(samplers >> slot & 1) ||
            !descriptor_words(c, &c->state.tsc[stage][slot], &c->state.tsc_table, word))
            continue;
        struct tex_sampler *s = decode_once(c, &c->p->captured.samplers, word, sizeof *s, &fresh);
        if (!s)
            return false;
        if (fresh)
            tex_sampler_decode(word, s);
        sampler[slot] = s;
    }
    return true;
}

/* Returns the binding of a view and a sampler; either may be NULL. */
static const struct tex_binding *bind_pair(tp_context *c, const struct tex_view *view,
                                           const struct tex_sampler *sampler) {
    const uint64_t epoch = scene_epoch(c->p->scene);
    struct binding_cache *cache = &c->p->captured.bindings;
    const uint32_t flags = (c->state.seamless_cube ? TEX_SEAMLESS : 0) |
                           (c->state.mode & MODE_NONFP_DERIV ? TEX_FAKE_INFINITE : 0);
    struct binding_copy *way = cache->copy[set_of((uintptr_t)view * 31 + (uintptr_t)sampler)];
    struct binding_copy *copy = NULL;
    for (int i = 0; i < TEXTURE_WAYS; i++) {
        if (way[i].epoch != epoch)
            copy = &way[i];
        else if (tex_bound_is(way[i].bound, view, sampler, flags))
            return &way[i].bound->binding;
    }
    if (!copy)
        copy = &way[cache->forgotten++ % TEXTURE_WAYS];
    struct tex_bound *made = scene_alloc(c->p->scene, sizeof *made);
    if (made)
        tex_bind(made, view, sampler, flags, c->device->simd);
    *copy = (struct binding_copy){made ? epoch : 0, made};
    return made ? &made->binding : NULL;
}

bool capture_textures(tp_context *c, enum program_type stage, struct stage_textures *textures) {
    const struct program *p = c->state.program[stage];
    const struct tex_sampler *sampler[STATE_TEXTURES] = {NULL};
    *textures = (struct stage_textures){0};
    if (!p->tex_slot_count)
        return true;
    for (unsigned slot = 0; slot < STATE_TEXTURES; slot++)
        if ((p->facts.textures >> slot & 1) && !capture_view(c, stage, slot, textures))
            return false;
    const struct tex_binding **binding =
        scene_alloc(c->p->scene, p->tex_slot_count * sizeof *binding);
    if (!binding || !capture_samplers(c, stage, sampler))
        return false;
    for (uint32_t i = 0; i < p->tex_slot_count; i++) {
        const unsigned tic = p->tex_slot[i].tic;
        const unsigned tsc = c->state.linked_tsc ? tic : p->tex_slot[i].tsc;
        binding[i] = bind_pair(c, tic < STATE_TEXTURES ? textures->view[tic] : NULL,
                               tsc < STATE_TEXTURES ? sampler[tsc] : NULL);
        if (!binding[i])
            return false;
    }
    textures->binding = binding;
    return true;
}

static uint32_t add_binding(const struct descriptor_binding *b, uint32_t *words) {
    words[0] = b->valid | b->raw << 1;
    if (b->raw)
        memcpy(words + 1, b->word, sizeof b->word);
    else
        words[1] = b->index;
    return b->raw ? 9 : 2;
}

unsigned char *put_textures(const struct state *s, unsigned char *at) {
    const struct descriptor_table *const table[] = {&s->tic_table, &s->tsc_table};
    uint32_t words[TEXTURE_WORDS], n = 0;
    words[n++] = s->linked_tsc | s->seamless_cube << 1 | s->all_levels << 2 | s->tall_blocks << 3;
    for (int i = 0; i < 2; i++) {
        words[n++] = (uint32_t)table[i]->address;
        words[n++] = (uint32_t)(table[i]->address >> 32);
        words[n++] = table[i]->limit;
    }
    for (int stage = PROGRAM_VP; stage < PROGRAM_TYPES; stage = next_draw_type(stage)) {
        const struct program *p = s->program[stage];
        const uint32_t textures = p ? p->facts.textures & 0xffff : 0;
        const uint32_t samplers = p ? samplers_named(s, &p->facts) : 0;
        for (uint32_t rest = textures; rest; rest &= rest - 1)
            n += add_binding(&s->tic[stage][__builtin_ctz(rest)], words + n);
        for (uint32_t rest = samplers; rest; rest &= rest - 1)
            n += add_binding(&s->tsc[stage][__builtin_ctz(rest)], words + n);
    }
    memcpy(at, words, n * sizeof *words);
    at += n * sizeof *words;
    const struct program *fp = s->program[PROGRAM_FP];
    if (!fp || !fp->facts.memory)
        return at;
    memcpy(at, s->image, sizeof s->image);
    return at + sizeof s->image;
}

bool same_textures(const struct program *p, const struct stage_textures *a,
                   const struct stage_textures *b) {
    return !p->tex_slot_count ||
           !memcmp(a->binding, b->binding, p->tex_slot_count * sizeof *a->binding);
}

void note_textures(tp_context *c, const struct stage_state *s) {
    for (int i = PROGRAM_VP; i < PROGRAM_TYPES; i = next_draw_type(i))
        for (unsigned k = 0; s->program[i].program && k < STATE_TEXTURES; k++)
            if (s->tex[i].view[k] && s->tex[i].view[k]->valid)
                scene_reads(c->p->scene, s->tex[i].address[k], s->tex[i].view[k]->size);
}

static bool in_table(const struct descriptor_table *t, uint64_t address, uint64_t size) {
    return address < t->address + ((uint64_t)t->limit + 1) * 32 && t->address < address + size;
}

void descriptors_written(tp_context *c, uint64_t address, uint64_t size) {
    const struct captured *p = &c->p->captured;
    if (in_table(&p->table[0], address, size) || in_table(&p->table[1], address, size))
        note_event(c, EVENT_DESCRIPTORS);
}
