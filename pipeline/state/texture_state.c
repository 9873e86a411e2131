/* The textures of a stage: descriptors from the state or from memory, decoded once in an epoch, and
 * the bindings of the pairs of texture and sampler that the program names. In: GROUP_TEXTURE,
 * descriptor tables. Out: struct tex_unit. Must not know coordinates or texels.
 */
#include "pipeline/state/build.h"

#include <string.h>

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

/* The place of these words, or a place that they may take. */
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

/* The decoded form of these words. *fresh: it is new, and the caller decodes into it. */
static void *decode_once(tp_context *c, struct descriptor_cache *cache, const uint32_t word[8],
                         size_t size, bool *fresh) {
    const uint64_t epoch = scene_epoch(c->p->scene);
    struct descriptor_copy *copy = place_of(cache, word, epoch);
    *fresh = copy->epoch != epoch || memcmp(copy->word, word, 32) != 0;
    if (*fresh) {
        copy->decoded = scene_alloc(c->p->scene, size);
        copy->epoch = copy->decoded ? epoch : 0;
        memcpy(copy->word, word, 32);
    }
    return (void *)copy->decoded;
}

bool capture_view(tp_context *c, enum program_type stage, unsigned slot, struct tex_unit *unit) {
    uint32_t word[8];
    bool fresh;
    if (!descriptor_words(c, &c->state.tic[stage][slot], &c->state.tic_table, word))
        return true;
    if (c->state.all_levels && !c->state.tic[stage][slot].raw)
        word[7] = (word[7] & ~0xffu) | word[5] >> 28 << 4;
    struct tex_view *view = decode_once(c, &c->p->captured.views, word, sizeof *view, &fresh);
    if (!view)
        return false;
    unit->view[slot] = view;
    unit->address[slot] = word[1] | (uint64_t)(word[2] & 0xff) << 32;
    if (fresh) {
        char why[200];
        if (tex_view_decode(word, c->device->memory, view, why, sizeof why) != 0)
            log_message(&c->device->log, LOG_WARNING, "%s texture %u: %s", stage_name[stage], slot,
                        why);
    }
    return true;
}

static uint32_t samplers_named(const struct state *s, const struct program_facts *f) {
    return (s->linked_tsc ? f->textures : f->samplers) & 0xffff;
}

/* Flushes if a report is still to be written over the descriptor. */
static void settle_descriptor(tp_context *c, const struct descriptor_binding *b,
                              const struct descriptor_table *table) {
    if (b->valid && !b->raw && b->index <= table->limit &&
        context_awaits_report(c, table->address + (uint64_t)b->index * 32, 32))
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

/* The binding of a view and a sampler; either may be NULL. */
static const struct tex_binding *bind_pair(tp_context *c, const struct tex_view *view,
                                           const struct tex_sampler *sampler) {
    const uint64_t epoch = scene_epoch(c->p->scene);
    struct binding_cache *cache = &c->p->captured.bindings;
    const uint32_t flags = (c->state.seamless_cube ? TEX_SEAMLESS : 0) |
                           (c->state.mode & MODE_NONFP_DERIV ? TEX_FAKE_INFINITE : 0);
    struct binding_copy *way =
        cache->copy[set_of((uintptr_t)view / 64 * 31 + (uintptr_t)sampler / 64)];
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

bool capture_textures(tp_context *c, enum program_type stage, struct tex_unit *unit) {
    const struct program *p = c->state.program[stage];
    const struct tex_sampler *sampler[STATE_TEXTURES] = {NULL};
    *unit = (struct tex_unit){0};
    if (!p->tex_slot_count)
        return true;
    for (unsigned slot = 0; slot < STATE_TEXTURES; slot++)
        if ((p->facts.textures >> slot & 1) && !capture_view(c, stage, slot, unit))
            return false;
    const struct tex_binding **binding =
        scene_alloc(c->p->scene, p->tex_slot_count * sizeof *binding);
    if (!binding || !capture_samplers(c, stage, sampler))
        return false;
    for (uint32_t i = 0; i < p->tex_slot_count; i++) {
        const unsigned tic = p->tex_slot[i].tic;
        const unsigned tsc = c->state.linked_tsc ? tic : p->tex_slot[i].tsc;
        binding[i] = bind_pair(c, tic < STATE_TEXTURES ? unit->view[tic] : NULL,
                               tsc < STATE_TEXTURES ? sampler[tsc] : NULL);
        if (!binding[i])
            return false;
    }
    unit->binding = binding;
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
    words[n++] = s->linked_tsc | s->seamless_cube << 1 | s->all_levels << 2;
    for (int i = 0; i < 2; i++) {
        words[n++] = (uint32_t)table[i]->address;
        words[n++] = (uint32_t)(table[i]->address >> 32);
        words[n++] = table[i]->limit;
    }
    for (int stage = PROGRAM_VP; stage <= PROGRAM_FP; stage++) {
        const struct program *p = s->program[stage];
        const uint32_t textures = p ? p->facts.textures & 0xffff : 0;
        const uint32_t samplers = p ? samplers_named(s, &p->facts) : 0;
        for (uint32_t rest = textures; rest; rest &= rest - 1)
            n += add_binding(&s->tic[stage][__builtin_ctz(rest)], words + n);
        for (uint32_t rest = samplers; rest; rest &= rest - 1)
            n += add_binding(&s->tsc[stage][__builtin_ctz(rest)], words + n);
    }
    memcpy(at, words, n * sizeof *words);
    return at + n * sizeof *words;
}

bool same_textures(const struct program *p, const struct tex_unit *a, const struct tex_unit *b) {
    return !p->tex_slot_count ||
           !memcmp(a->binding, b->binding, p->tex_slot_count * sizeof *a->binding);
}

void note_textures(tp_context *c, const struct stage_state *s) {
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++)
        for (unsigned k = 0; s->program[i].program && k < STATE_TEXTURES; k++)
            if (s->tex[i].view[k] && s->tex[i].view[k]->valid)
                scene_reads(c->p->scene, s->tex[i].address[k], s->tex[i].view[k]->size);
}

static bool in_table(const struct descriptor_table *t, uint64_t address, uint64_t size) {
    return address < t->address + ((uint64_t)t->limit + 1) * 32 && t->address < address + size;
}

void descriptors_written(tp_context *c, uint64_t address, uint64_t size) {
    if (in_table(&c->state.tic_table, address, size) ||
        in_table(&c->state.tsc_table, address, size))
        note_event(c, EVENT_DESCRIPTORS);
}
