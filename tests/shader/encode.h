/* Encodes a decoded instruction. */
#ifndef TESTS_SHADER_ENCODE_H
#define TESTS_SHADER_ENCODE_H

#include "shader/isa/table.h"

#include <string.h>

/* Encodes op into w, by op's encoding row or the first that fits. Returns the number of words, 0 if
 * op has no encoding. */
static inline int isa_encode(struct isa_target target, const struct op *op, uint32_t w[2]) {
    const struct isa *isa = isa_of(target.variant);
    if (op->code == OP_ILLEGAL)
        return 0;
    if (isa->plain) { /* text and word correspond one to one, so the op keeps the word */
        memcpy(w, op->w, sizeof op->w);
        return op->words;
    }
    if (op->row < isa->row_count && isa->rows[op->row].code == op->code &&
        isa_encode_row(target, &isa->rows[op->row], op, w))
        return w[0] & 1 ? 2 : 1;
    for (unsigned i = 0; i < isa->row_count; i++)
        if (isa->rows[i].code == op->code && isa_encode_row(target, &isa->rows[i], op, w))
            return w[0] & 1 ? 2 : 1;
    return 0;
}

#endif
