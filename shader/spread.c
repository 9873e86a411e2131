/* Makes programs whose lanes see different constants. If several draws of one program share a warp,
 * each word of c[] that the program names becomes a row of a[], one value per lane. In: a decoded
 * program. Out: a copy with these operands replaced, and a list of the word in each row. Only
 * straight lines with constant addresses are possible. Knows no draw.
 */
#include "shader/spread.h"

#include "shader/exec.h"

#include <stdlib.h>
#include <string.h>

static bool is_named(const struct op *op, const struct operand *o) {
    return operand_is_fixed_word(o) && o->value <= 0xfffc &&
           (op->code != OP_LD || op->dst.type == TYPE_B32);
}

/* The row of the word. A new word is added; -1: there is no room. */
static int row_of(struct program_spread *s, uint8_t slot, uint32_t offset) {
    for (uint32_t i = 0; i < s->count; i++)
        if (s->word[i].slot == slot && s->word[i].offset == offset)
            return (int)(SPREAD_FIRST + i);
    if (s->count == SPREAD_WORDS)
        return -1;
    s->word[s->count] = (struct spread_word){slot, (uint16_t)offset};
    s->need[slot] = s->need[slot] > offset + 4 ? s->need[slot] : offset + 4;
    s->slots |= 1u << slot;
    return (int)(SPREAD_FIRST + s->count++);
}

static bool replace(struct program_spread *s, struct op *op, struct operand *o) {
    if (o->file == FILE_ATTR) {
        const uint32_t rows = o->value / 4 + 1;
        s->attr_rows = s->attr_rows > rows ? s->attr_rows : rows;
        return operand_is_fixed(o);
    }
    if (o->file != FILE_CONST)
        return true;
    const int row = is_named(op, o) ? row_of(s, o->index & 15, o->value) : -1;
    o->file = FILE_ATTR;
    o->index = 0;
    o->value = 4 * (uint32_t)row;
    if (op->code == OP_LD)
        op->lane_mask4 = 0xf;
    return row >= 0;
}

static bool replace_all(struct program_spread *s, struct program *p) {
    for (uint32_t i = program_word(p, p->entry); i < p->word_count; i += p->ops[i].words) {
        for (int k = 0; k < 3; k++)
            if (!replace(s, &p->ops[i], &p->ops[i].src[k]))
                return false;
        if (p->ops[i].exit)
            return true;
    }
    return false;
}

static void *copy_of(const void *from, size_t size) {
    void *to = malloc(size ? size : 1);
    if (to && size)
        memcpy(to, from, size);
    return to;
}

/* A copy without the parts that are made from the ops. */
static struct program *copy_program(const struct program *from) {
    struct program *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->refs = 1;
    p->type = from->type;
    p->variant = from->variant;
    p->header = from->header;
    p->base = from->base;
    p->entry = from->entry;
    p->word_count = from->word_count;
    p->tex_slot_count = from->tex_slot_count;
    p->words = copy_of(from->words, p->word_count * sizeof *p->words);
    p->ops = copy_of(from->ops, p->word_count * sizeof *p->ops);
    p->reached = copy_of(from->reached, p->word_count);
    p->tex_slot = copy_of(from->tex_slot, p->tex_slot_count * sizeof *p->tex_slot);
    p->name = strdup(from->name);
    if (p->words && p->ops && p->name && p->reached && (p->tex_slot || !p->tex_slot_count))
        return p;
    program_unref(p);
    return NULL;
}

/* NULL: out of memory. A result without a program: it is impossible. */
static struct program_spread *make(const struct program *from) {
    struct program_spread *s = calloc(1, sizeof *s);
    const bool possible = from->facts.infallible && isa_set_of(from->variant) == SET_TESLA;
    struct program *p = s && possible ? copy_program(from) : NULL;
    if (!p)
        return s;
    if (!replace_all(s, p) || !s->count || exec_link(p)) {
        program_unref(p);
        return s;
    }
    program_find_facts(p);
    s->program = p;
    return s;
}

const struct program_spread *program_spread(struct program *p) {
    struct program_spread *s = __atomic_load_n(&p->spread, __ATOMIC_ACQUIRE);
    if (!s && (s = make(p))) {
        struct program_spread *other = NULL;
        if (!__atomic_compare_exchange_n(&p->spread, &other, s, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE)) {
            program_spread_free(s); /* another thread was first */
            s = other;
        }
    }
    return s && s->program ? s : NULL;
}

void program_spread_free(struct program_spread *s) {
    if (s)
        program_unref(s->program);
    free(s);
}
