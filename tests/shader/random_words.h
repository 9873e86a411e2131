/* Random instructions from encoding rows. For tests only. */
#ifndef TESTS_SHADER_RANDOM_WORDS_H
#define TESTS_SHADER_RANDOM_WORDS_H

#include "shader/isa/dotted.h"
#include "shader/isa/table.h"
#include "tests/random.h"

/* The bits of the encoding row that belong to fields. */
static inline uint64_t free_bits(const struct isa *isa, const struct encoding_row *row) {
    const uint64_t fixed = (uint64_t)row->mask[1] << 32 | row->mask[0];
    uint64_t bits = isa->dotted ? 0 : ~fixed;
    for (const uint16_t *f = row->fields; isa->dotted && *f; f++)
        bits |= dot_field_mask(&isa->fields[*f]);
    return bits & ~fixed;
}

/* Makes an instance of the encoding row: its free bits are random, a few of them set, or hardly
 * any. */
static inline void instance(const struct isa *isa, const struct encoding_row *row, uint32_t w[2]) {
    uint64_t random = (uint64_t)random_word() << 32 | random_word();
    for (uint32_t fewer = random_below(5); fewer; fewer--)
        random &= (uint64_t)random_word() << 32 | random_word();
    const uint64_t v =
        ((uint64_t)row->bits[1] << 32 | row->bits[0]) | (random & free_bits(isa, row));
    w[0] = (uint32_t)v;
    w[1] = (uint32_t)(v >> 32);
}

static inline bool is_control(const struct op *op) {
    return (op->code >= OP_DISCARD && op->code <= OP_PRERET) || op->code >= OP_EXIT || op->join ||
           op->exit;
}

static inline uint64_t with_bits(uint64_t w, unsigned at, unsigned count, uint64_t value) {
    const uint64_t mask = ((UINT64_C(1) << count) - 1) << at;
    return (w & ~mask) | (value << at & mask);
}

/* Makes an instance of 8 bytes that does not branch and mostly runs in all lanes. Returns false if
 * none is found. */
static inline bool straight_pair(struct isa_target target, const struct encoding_row *row,
                                 uint32_t pair[2]) {
    const struct isa *isa = isa_of(target.variant);
    const enum isa_set set = isa_set_of(target.variant);
    for (int tries = 0; tries < 60; tries++) {
        struct op op;
        instance(isa, row, pair);
        uint64_t w = (uint64_t)pair[1] << 32 | pair[0], all = w;
        if (set == SET_TESLA)
            all = with_bits(w, 39, 5, 15);
        else if (set == SET_FERMI)
            all = with_bits(w, 10, 4, 7);
        else
            all = with_bits(with_bits(w, 56, 8, 0), 13, 1, 0);
        const uint64_t fixed = (uint64_t)row->mask[1] << 32 | row->mask[0];
        if (random_below(4) && !((all ^ w) & fixed))
            w = all;
        pair[0] = (uint32_t)w;
        pair[1] = (uint32_t)(w >> 32);
        isa_decode(target, pair, 2, 0, &op);
        if (op.code == OP_ILLEGAL || is_control(&op))
            continue;
        if (op.words == 1)
            pair[1] = set == SET_TESLA ? pair[0] : 0x1c08; /* Fermi's short nop */
        return true;
    }
    return false;
}

#endif
