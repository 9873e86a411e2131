/* Copies stencils one behind the other: see emit.h. */
#include "shader/native/emit.h"
#include "base/arena.h"

#include "shader/native/x86.h"

#include <stdlib.h>

void emit_open(struct emitter *e, const struct stencil_set *set) {
    e->set = set;
    e->stencil = set->stencil;
    e->size = 0;
    e->labels = e->jumps = e->pools = e->words = e->colds = e->marks = e->tag = 0;
    e->marking = e->failed = false;
}

void emit_close(struct emitter *e) {
    free(e->bytes);
    free(e->label);
    free(e->jump);
    free(e->pool);
    free(e->cold);
    free(e->word);
    free(e->mark);
    *e = (struct emitter){0};
}

/* Makes room for `more` further elements of an array. False: out of memory; e->failed is set. */
#define RESERVE(e, array, room, count, more)                                                       \
    (ARRAY_ROOM((e)->array, (e)->room, (size_t)(e)->count + (more)) || !((e)->failed = true))

static uint8_t *append(struct emitter *e, size_t size) {
    e->failed |= e->size + size > INT32_MAX;
    if (e->failed || !RESERVE(e, bytes, room, size, size))
        return NULL;
    e->size += size;
    return e->bytes + e->size - size;
}

uint32_t emit_labels(struct emitter *e, uint32_t count) {
    const uint32_t first = e->labels;
    if (!RESERVE(e, label, label_room, labels, count))
        return 0;
    for (uint32_t i = 0; i < count; i++)
        e->label[first + i] = UNBOUND;
    e->labels += count;
    return first;
}

void emit_bind(struct emitter *e, uint32_t label) {
    if (!e->failed)
        e->label[label] = (int32_t)e->size;
}

void emit_bytes(struct emitter *e, const void *bytes, size_t size) {
    uint8_t *at = append(e, size);
    if (at)
        memcpy(at, bytes, size);
}

static void add_jump(struct emitter *e, uint32_t at, uint32_t label, int32_t addend) {
    if (!RESERVE(e, jump, jump_room, jumps, 1))
        return;
    e->jump[e->jumps].at = at;
    e->jump[e->jumps].label = label;
    e->jump[e->jumps++].addend = addend;
}

static void add_pool(struct emitter *e, uint32_t at, int32_t to) {
    if (!RESERVE(e, pool, pool_room, pools, 1))
        return;
    e->pool[e->pools].at = at;
    e->pool[e->pools++].to = to;
}

void emit_tag(struct emitter *e, uint32_t tag) {
    e->tag = tag;
    if (!e->marking || !RESERVE(e, mark, mark_room, marks, 1))
        return;
    e->mark[e->marks++] = (struct emit_mark){(uint32_t)e->size, tag};
}

/* ---- stencils ---- */

/* The copy of a stencil's hot or cold part, which starts at byte `start`. */
struct copied_stencil {
    const struct stencil *stencil;
    const struct filling *filling;
    uint32_t start, hot; /* hot: byte at which the hot part starts */
    uint32_t cold_label; /* of a hot part: the label of the cold part */
};

static void put32(struct emitter *e, uint32_t at, int64_t value) {
    const uint32_t bits = (uint32_t)value;
    memcpy(e->bytes + at, &bits, sizeof bits);
}

/* If the cold part is only a jump out of the stencil, the hot part can jump there itself: returns
 * the jump's patch. NULL: the cold part does more. */
static const struct stencil_patch *only_jump(const struct emitter *e, const struct stencil *s) {
    enum { JUMP = 0xe9, JUMP_SIZE = 5 };
    if (s->cold != JUMP_SIZE || e->set->code[s->code + s->hot] != JUMP)
        return NULL;
    const struct stencil_patch *p = e->set->patch + s->patch, *const end = p + s->patches;
    while (p < end && !p->cold)
        p++;
    return p < end && p->kind == PATCH_EXIT && p->which != EXIT_NEXT && p->which != EXIT_BACK
               ? p
               : NULL;
}

static void apply(struct emitter *e, const struct copied_stencil *part,
                  const struct stencil_patch *p) {
    const struct filling *f = part->filling;
    const uint32_t at = part->start + p->at;
    switch ((enum patch_kind)p->kind) {
    case PATCH_REGISTER:
        x86_set_register(e->bytes + at, (enum x86_field)p->addend, f->reg[p->which]);
        break;
    case PATCH_HOLE32:
        put32(e, at, f->hole[p->which] + p->addend);
        break;
    case PATCH_HOLE64: {
        const int64_t value = f->hole[p->which] + p->addend;
        memcpy(e->bytes + at, &value, sizeof value);
        break;
    }
    case PATCH_POOL:
        add_pool(e, at, p->addend);
        break;
    case PATCH_EXIT:
        if (p->which == EXIT_NEXT || p->which == EXIT_BACK)
            put32(e, at, (int64_t)part->hot + part->stencil->hot + p->addend - at);
        else
            add_jump(e, at, f->exit[p->which], p->addend);
        break;
    case PATCH_HOT:
        put32(e, at, (int64_t)part->hot + p->addend - (at + 4));
        break;
    case PATCH_COLD:
        add_jump(e, at, part->cold_label, p->addend - 4);
        break;
    }
}

static void apply_all(struct emitter *e, const struct copied_stencil *part, bool cold) {
    const struct stencil_patch *p = e->set->patch + part->stencil->patch;
    for (const struct stencil_patch *end = p + part->stencil->patches; p < end; p++)
        if (p->cold == cold)
            apply(e, part, p);
}

static uint32_t put_off(struct emitter *e, const struct stencil *s, const struct filling *f,
                        uint32_t hot) {
    const uint32_t label = emit_labels(e, 1);
    if (RESERVE(e, cold, cold_room, colds, 1))
        e->cold[e->colds++] = (struct cold_part){s, label, hot, e->tag, *f};
    return label;
}

void emit_stencil(struct emitter *e, enum stencil_id id, const struct filling *f) {
    const struct stencil *s = &e->stencil[id];
    struct copied_stencil part = {.stencil = s, .filling = f, .start = (uint32_t)e->size};
    part.hot = part.start;
    emit_bytes(e, e->set->code + s->code, s->hot);
    const struct stencil_patch *const jump = only_jump(e, s);
    if (jump)
        part.cold_label = f->exit[jump->which];
    else if (s->cold && !e->failed)
        part.cold_label = put_off(e, s, f, part.hot);
    if (!e->failed)
        apply_all(e, &part, false);
}

void emit_cold(struct emitter *e) {
    for (uint32_t i = 0; i < e->colds && !e->failed; i++) {
        const struct cold_part *c = &e->cold[i];
        const struct stencil *s = c->stencil;
        const struct copied_stencil part = {
            .stencil = s, .filling = &c->filling, .start = (uint32_t)e->size, .hot = c->hot};
        emit_tag(e, c->tag);
        emit_bind(e, c->label);
        emit_bytes(e, e->set->code + s->code + s->hot, s->cold);
        if (!e->failed)
            apply_all(e, &part, true);
    }
}

/* An equal word among the last 16 is used again. */
uint32_t emit_word(struct emitter *e, uint32_t word) {
    enum { FEW = 16 };
    for (uint32_t i = e->words; i > 0 && i + FEW > e->words; i--)
        if (e->word[i - 1].word == word)
            return e->word[i - 1].label;
    const uint32_t label = emit_labels(e, 1);
    if (RESERVE(e, word, word_room, words, 1)) {
        e->word[e->words].word = word;
        e->word[e->words++].label = label;
    }
    return label;
}

void emit_words(struct emitter *e) {
    static const uint8_t padding[sizeof(uint32_t)] = {0xcc, 0xcc, 0xcc, 0xcc};
    emit_bytes(e, padding, -e->size % sizeof padding);
    for (uint32_t i = 0; i < e->words; i++) {
        emit_bind(e, e->word[i].label);
        emit_bytes(e, &e->word[i].word, sizeof e->word[i].word);
    }
}

/* Calls a label and keeps the alignment of the stack that enter.c made. */
void emit_call(struct emitter *e, uint32_t label) {
    static const uint8_t call[] = {0x48, 0x83, 0xec, 0x78, 0xe8, 0, 0, 0, 0}; /* sub rsp, 120 */
    static const uint8_t behind[] = {0x48, 0x83, 0xc4, 0x78};                 /* add rsp, 120 */
    emit_bytes(e, call, sizeof call);
    if (!e->failed)
        add_jump(e, (uint32_t)e->size - 4, label, -4);
    emit_bytes(e, behind, sizeof behind);
}

void emit_short_call(struct emitter *e, uint32_t label) {
    emit_bytes(e, (const uint8_t[]){0xe8, 0, 0, 0, 0}, 5);
    if (!e->failed)
        add_jump(e, (uint32_t)e->size - 4, label, -4);
}

void emit_drop_call(struct emitter *e) {
    emit_bytes(e, (const uint8_t[]){0x48, 0x83, 0xc4, 0x08}, 4); /* add rsp, 8 */
}

void emit_return(struct emitter *e) {
    emit_bytes(e, (const uint8_t[]){0xc3}, 1);
}

void emit_jump(struct emitter *e, uint32_t label) {
    static const uint8_t jump[] = {0xe9, 0, 0, 0, 0};
    emit_bytes(e, jump, sizeof jump);
    if (!e->failed)
        add_jump(e, (uint32_t)e->size - 4, label, -4);
}

void emit_move(struct emitter *e, unsigned to, unsigned from) {
    uint8_t wide[] = {0x62, 0xf1, 0xfd, 0x48, 0x6f, 0xc0}; /* vmovdqa64 zmm, zmm */
    uint8_t strip[] = {0xc4, 0xe1, 0x7d, 0x6f, 0xc0};      /* vmovdqa ymm, ymm */
    const bool strips = e->stencil == e->set->strips;
    uint8_t *move = strips ? strip : wide;
    x86_set_register(move, X86_REG, to);
    x86_set_register(move, X86_RM, from);
    emit_bytes(e, move, strips ? sizeof strip : sizeof wide);
}

void emit_settle(struct emitter *e) {
    for (uint32_t i = 0; i < e->jumps && !e->failed; i++)
        put32(e, e->jump[i].at,
              (int64_t)e->label[e->jump[i].label] + e->jump[i].addend - e->jump[i].at);
}
