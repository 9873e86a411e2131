/* Fields as bits of the word: shared by decode.c, print.c and the plain kinds of fields
 * (plain_decode.c, plain_print.c; plain_parse.c shares parser.h). Holds the state of one
 * instruction while it is decoded or printed, and the places of a field's bits. Private to
 * shader/isa/.
 */
#pragma once

#include "shader/isa/table.h"

struct decoder {
    struct isa_target target;
    const struct encoding_row *row;
    uint64_t w;
    uint32_t pc;
    struct op *op;
    enum decode_error error; /* first error found */
};

typedef void decode_fn(struct decoder *d, const struct field *f);

static inline void decode_fail(struct decoder *d, enum decode_error error) {
    if (d->error == DECODE_OK)
        d->error = error;
}

struct printer {
    char *buf;
    size_t size, length; /* length counts characters that did not fit, too, as snprintf does */
    bool space;          /* a blank is needed before the next word */
    const struct op *op;
    const struct isa *isa;
    const struct encoding_row *row;
    uint64_t w;
    unsigned operands; /* dotted notations: operands written so far */
};

typedef void print_fn(struct printer *p, const struct field *f);

void print_append(struct printer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void print_begin_word(struct printer *p);
/* $r0:#:$r1:#, the registers from n on where mask has a bit. */
void print_masked(struct printer *p, unsigned n, unsigned mask);
void print_token(struct printer *p, const char *word);

/* ---- values of fields ---- */

/* bits of struct field.value. PLAIN_SINGLE: one register, whatever the type. PLAIN_PARENTHESES, in
 * fields of kind PLAIN_PSRC: a negated predicate is written as (not $pN). */
enum { PLAIN_SIGNED = 1, PLAIN_ABSOLUTE = 2, PLAIN_SINGLE = 4, PLAIN_PARENTHESES = 4 };
/* PLAIN_SOURCE: .scale has the allowed forms, .value the kind of an immediate */
enum { SOURCE_REG = 1, SOURCE_CONST = 2, SOURCE_THIRD = 4, SOURCE_IMM = 8 };
enum { IMM_INT, IMM_FLOAT, IMM_DOUBLE };
/* the register that reads 0, and the predicate that is true */
enum { FERMI_RZ = 63, FERMI_PT = 7 };

static inline int64_t sign_extended(uint64_t v, unsigned bits) {
    return bits >= 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

/* Width of the register of a PLAIN_REG: that of the type in field.member, or of its slot. */
static inline unsigned plain_width(const struct op *op, const struct field *f) {
    enum op_type t =
        f->member ? *((const uint8_t *)op + f->member) : op_slot_const(op, f->slot)->type;
    unsigned width = type_width(t ? t : op->type);
    return width == 64 || width == 128 ? width : 32;
}

/* Width of the register of a slot. */
static inline unsigned slot_width(const struct op *op, unsigned slot) {
    enum op_type t = op_slot_const(op, slot)->type;
    return type_width(t ? t : op->type) == 64 ? 64 : 32;
}

/* Bytes in a unit of a memory offset: the access size, or field.scale (0: 1). */
static inline unsigned plain_offset_unit(const struct op *op, const struct field *f) {
    if (!f->space->by_type)
        return f->scale ? f->scale : 1;
    unsigned width = type_width(op_slot_const(op, f->slot)->mem);
    return width < 8 ? 1 : width / 8;
}

static inline unsigned plain_bank(const struct space *s, uint64_t w) {
    return (field_bits(w, s->bank, s->bank_len) | field_bits(w, s->bank2, s->bank2_len)
                                                      << s->bank_len) +
           s->bank_add;
}

static inline bool plain_wide(const struct space *s, uint64_t w) {
    return s->wide == ALWAYS || (s->wide != NO_BITS && w >> s->wide & 1);
}

/* Number of registers of a vector: a constant plus the value of some bits, at most field.scale. */
static inline unsigned plain_vector_count(const struct field *f, uint64_t w) {
    unsigned n = f->value + field_bits(w, f->pos2, f->len2);
    return f->scale && n > f->scale ? f->scale : n;
}

/* Number of registers in the two vectors of sources of a texture instruction. first is 0 if the
 * combination of modifiers is undefined. */
struct tex_sources {
    unsigned first, second;
};
struct tex_sources plain_tex_sources(const struct op *op);

#define DECODER(kind, parse, print, decode)                                                        \
    print_fn print_##print;                                                                        \
    decode_fn decode_##decode;
PLAIN_FIELDS(DECODER)
DOT_FIELDS(DECODER)
