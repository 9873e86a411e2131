/* Groups of loads or stores of neighbouring words, as compilers make of vectors: one handler executes
 * all of them (exec_fermi_memory.c). In: the word of the first instruction. Out: a handler, and the
 * word behind the group. Must not know how memory is accessed.
 */
#include "shader/fermi.h"
#include "shader/native/lower.h"

static const struct operand *memory_of(const struct op *op) {
    return op->code == OP_LD ? &op->src[0] : &op->dst;
}

/* True if op continues a group with the next word: same base, lanes and kind. A load into the base
 * is the last of its group. */
static bool continues(const struct op *first, const struct op *op, uint32_t number) {
    const struct operand *a = memory_of(first), *b = memory_of(op);
    const struct operand *data = op->code == OP_LD ? &op->dst : &op->src[0];
    return op->code == first->code && b->file == a->file && b->mem == a->mem &&
           b->flags == a->flags && b->areg == a->areg && b->value == a->value + 4 * number &&
           op->guard == first->guard && !op->join && data->file == FILE_R;
}

static bool replaces_base(const struct op *op) {
    const struct operand *o = memory_of(op);
    return op->code == OP_LD &&
           (op->dst.value == o->areg || (o->flags & OPERAND_WIDE && op->dst.value == o->areg + 1u));
}

exec_fn *lower_group(const struct lowering *c, uint32_t word, uint32_t *end) {
    static exec_fermi_group_fn *const groups[SIMD_LEVELS] = SIMD_TABLE(exec_fermi_group);
    const struct linked_op *l = &c->p->linked->op[word];
    const struct op *first = l->op, *op = first;
    uint32_t n = 1;
    *end = word + first->words;
    if ((first->code != OP_LD && first->code != OP_ST) || first->join ||
        isa_set_of(c->p->variant) != SET_FERMI)
        return NULL;
    while (n < FERMI_GROUP && *end <= c->blocks.block[c->block].last && !replaces_base(op)) {
        l = &c->p->linked->op[*end];
        op = l->op;
        if (l->skipped || !continues(first, op, n))
            break;
        *end += op->words;
        n++;
    }
    return groups[c->simd](first, n);
}
