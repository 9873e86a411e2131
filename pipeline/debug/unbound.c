/* Warnings about inputs that programs read although nothing is bound to them, and about results
 * that no instruction writes. Such words are 0, and the picture is black without an error. In: the
 * programs and state of a draw. Out: at most one warning for each draw. A context gives each
 * warning once, as long as it remembers the warning (UNBOUND_WARNINGS). The code is searched, not
 * run, so an instruction that never runs counts, too.
 */
#include "pipeline/debug/unbound.h"

#include "pipeline/context_private.h"

#include <stdio.h>

/* Returns the first instruction for which matches() is true; NULL if there is none. */
static const struct op *find_op(const struct program *p,
                                bool (*matches)(const struct op *op, uint32_t first, uint32_t last),
                                uint32_t first, uint32_t last, uint32_t *address) {
    for (uint32_t i = 0; i < p->word_count; i += p->ops[i].words) {
        *address = p->base + 4 * i;
        if (matches(&p->ops[i], first, last))
            return &p->ops[i];
    }
    return NULL;
}

static bool has_source(const struct op *op, unsigned file, unsigned index, uint32_t first,
                       uint32_t last) {
    for (unsigned i = 0; i < sizeof op->src / sizeof *op->src; i++)
        if (op->src[i].file == file && (file != FILE_CONST || op->src[i].index == index) &&
            op->src[i].value >= first && op->src[i].value <= last)
            return true;
    return false;
}

static bool reads_constants(const struct op *op, uint32_t slot, uint32_t) {
    return has_source(op, FILE_CONST, slot, 0, UINT32_MAX);
}

static bool reads_attribute(const struct op *op, uint32_t first, uint32_t last) {
    return has_source(op, FILE_ATTR, 0, first, last);
}

static bool samples(const struct op *op, uint32_t slot, uint32_t) {
    return op_infos[op->code].class == CLASS_TEXTURE && op->tex.tic == slot;
}

static uint64_t hash_of(const struct program *p, uint32_t what) {
    uint64_t hash = what * UINT64_C(0x9e3779b97f4a7c15);
    for (const char *n = p->name; n && *n; n++)
        hash = (hash ^ (uint8_t)*n) * UINT64_C(0x100000001b3);
    return hash ^ ((uint64_t)p->word_count << 32 | p->base);
}

/* True if a warning has named this input before, or if a search has found that no instruction reads
 * the input. In both cases the code is not searched again: a frame may draw with a program
 * thousands of times. */
static bool is_known(const tp_context *c, const struct program *p, uint32_t what) {
    const uint64_t hash = hash_of(p, what);
    for (unsigned i = 0; i < UNBOUND_WARNINGS; i++)
        if (c->p->unbound.seen[i] == hash || c->p->unbound.unread[i] == hash)
            return true;
    return false;
}

/* Warns about an input or a result. op: the first instruction that reads the input, or NULL. */
static bool warn(tp_context *c, const struct program *p, uint32_t what, const struct op *op,
                 uint32_t address, const char *format, uint32_t a, uint32_t b) {
    char code[160] = "", text[96];
    struct unbound_warnings *w = &c->p->unbound;
    w->seen[w->next++ % UNBOUND_WARNINGS] = hash_of(p, what);
    snprintf(text, sizeof text, format, a, b);
    if (op)
        program_print(p, op, code, sizeof code);
    if (op)
        log_message(&c->device->log, LOG_WARNING, "%s: %s: 0x%06x  %s", p->name, text, address,
                    code);
    else
        log_message(&c->device->log, LOG_WARNING, "%s: %s", p->name, text);
    return true;
}

/* Warns if an instruction reads this input, which is not bound. The format has a place for the
 * number of the input. True after a warning. */
static bool check_input(tp_context *c, const struct program *p, uint32_t what,
                        bool (*matches)(const struct op *op, uint32_t first, uint32_t last),
                        uint32_t first, uint32_t last, const char *format, uint32_t number) {
    struct unbound_warnings *w = &c->p->unbound;
    uint32_t address;
    if (is_known(c, p, what))
        return false;
    const struct op *op = find_op(p, matches, first, last, &address);
    if (!op)
        w->unread[w->next_unread++ % UNBOUND_WARNINGS] = hash_of(p, what);
    return op && warn(c, p, what, op, address, format, number, 0);
}

static bool check_constants(tp_context *c, const struct warp_env *env) {
    const struct program *p = env->program;
    for (uint32_t slot = 0; slot < 16; slot++)
        if (p->facts.const_slots >> slot & 1 && !env->c[slot].size &&
            check_input(c, p, slot, reads_constants, slot, 0,
                        "reads c%u[], and no buffer is bound there", slot))
            return true;
    return false;
}

static bool check_textures(tp_context *c, const struct program *p) {
    for (uint32_t i = 0; i < p->tex_slot_count; i++) {
        const uint32_t tic = p->tex_slot[i].tic;
        const bool bound = tic >= STATE_TEXTURES || c->state.tic[p->type][tic].valid;
        if (!bound && check_input(c, p, 0x100 + tic, samples, tic, 0,
                                  "samples texture %u, and none is bound there", tic))
            return true;
    }
    return false;
}

static bool check_attributes(tp_context *c, const struct program *p) {
    const struct program_header *h = &c->state.header[PROGRAM_VP];
    uint32_t at = 0;
    for (unsigned i = 0; i < STATE_ATTRIBUTES; i++) {
        const uint32_t mask = h->attr_enable[i / 8] >> 4 * (i % 8) & 15;
        const uint32_t first = at, last = at + 4 * (uint32_t)__builtin_popcount(mask) - 1;
        const struct vertex_attribute *a = &c->state.attribute[i];
        const struct vertex_array *array = &c->state.array[a->array & (STATE_ARRAYS - 1)];
        at = last + 1;
        const bool set = a->given && (a->constant || (array->enable && array->start));
        if (mask && !set &&
            check_input(c, p, 0x200 + i, reads_attribute, first, last,
                        "reads attribute %u, and it has neither array nor value", i))
            return true;
    }
    return false;
}

static bool check_results(tp_context *c, const struct program *p) {
    const struct program_header *h = &c->state.header[p->type];
    for (uint32_t slot = 0; slot < h->map_size && slot < RESULT_MAP_SLOTS; slot++) {
        const uint32_t word = h->result_map[slot];
        const bool written = word >= h->result_count || word >= 8 * sizeof p->facts.results ||
                             p->facts.results[word / 32] >> word % 32 & 1;
        if (!written && !is_known(c, p, 0x300 + word))
            return warn(c, p, 0x300 + word, NULL, 0, "never writes o[0x%x], which is result %u",
                        4 * word, slot);
    }
    return false;
}

void warn_unbound(tp_context *c, const struct stage_state *s, bool inlined) {
    if (c->device->log.level < LOG_WARNING)
        return;
    const struct program *last = NULL;
    for (int i = PROGRAM_VP; i < PROGRAM_TYPES; i = next_draw_type(i)) {
        const struct program *p = s->program[i].program;
        if (!p)
            continue;
        last = i != PROGRAM_FP ? p : last;
        if (check_constants(c, &s->program[i]) || check_textures(c, p) ||
            (i == PROGRAM_VP && !inlined && check_attributes(c, p)))
            return;
    }
    if (last && !last->rows) /* a Fermi's header names the results itself */
        check_results(c, last);
}
