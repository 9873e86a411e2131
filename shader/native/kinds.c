/* Finds the kind of an instruction: see kinds.h. */
#include "shader/native/kinds.h"

#include "shader/native/machine_code.h"

static bool is_plain(const struct program *p, uint32_t word, enum simd_level simd) {
    return p->linked->op[word].fn[simd] && !op_needs_state(&p->ops[word]);
}

/* True if quadpop follows quadon in a straight line of plain instructions. Otherwise the
 * interpreter executes the instructions between them. */
static bool is_quad_region(const struct program *p, uint32_t word, enum simd_level simd) {
    const struct op *op = &p->ops[word];
    do {
        word += op->words;
        if (word >= p->word_count)
            return false;
        op = &p->ops[word];
        if (op->join || op->exit)
            return false;
    } while (is_plain(p, word, simd));
    return op->code == OP_QUADPOP;
}

/* True if op may write the predicate of its own guard: the join behind op needs the value from
 * before op. */
static bool may_write_guard(const struct op *op) {
    const unsigned guard = op->guard & 31;
    return op->pdst[0] == guard || op->pdst[1] == guard || op->code == OP_WRITE_FLAGS ||
           op->code == OP_R2P || op->code == OP_LD_LOCK;
}

enum op_kind op_kind(const struct program *p, uint32_t word, enum simd_level simd) {
    const struct op *op = &p->ops[word];
    if (joins_some(p, word) && may_write_guard(op))
        return KIND_STOP;
    if (!native_control(p->variant, op->code))
        return is_plain(p, word, simd) ? KIND_PLAIN : KIND_STOP;
    return op->code == OP_QUADON && !is_quad_region(p, word, simd) ? KIND_STOP : KIND_CONTROL;
}

bool joins_before(const struct program *p) {
    return isa_set_of(p->variant) == SET_TESLA;
}

bool ends_in_join(const struct program *p, uint32_t word) {
    return p->ops[word].join && !joins_before(p);
}

bool joins_some(const struct program *p, uint32_t word) {
    return ends_in_join(p, word) && p->ops[word].guard != PRED_TRUE;
}
