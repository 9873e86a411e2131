/* The shape of the encoding tables, one table per instruction set: encoding rows made of fields,
 * private to shader/isa/. A row is one way to write an instruction; its field list is its syntax,
 * in the order of the text. Every field knows where its bits are and which member of struct op they
 * fill. Each user (decode.c, encode.c, print.c, parse.c) has one function per kind of field and
 * nothing per instruction. Tesla's fields go through struct op both ways. The fields of the other
 * sets, whose encodings are regular, go from text to word and from word to text (plain_*.c,
 * dotted_*.c); decoding alone fills the op.
 */
#pragma once

#include "shader/isa/isa.h"

enum encoding_form {
    FORM_SHORT,
    FORM_SHORT_CONTROL,
    FORM_IMMEDIATE,
    FORM_LONG,
    FORM_CONTROL, /* the last form of Tesla */
    FORM_4,       /* Fermi: 4 bytes */
    FORM_8,       /* Fermi and generic64: 8 bytes */
    FORMS
};

enum {
    ROW_FIELDS = 24,
    ALL_TYPES = (1 << PROGRAM_TYPES) - 1,
    ALL_VARIANTS = (1 << ISA_TESLA_VARIANTS) - 1,
};

/* Bit positions: 0..31 in the first word, W1(n) in the second. */
#define W1(n) (32 + (n))

/* The kinds of fields. Each line has a kind, and the ends of the names of four functions: the
 * functions that parse, print, decode and encode fields of the kind. parse_nothing() and its like
 * have no effect. */
#define TESLA_FIELDS(X)                                                                            \
    X(FIELD_END, nothing, nothing, nothing, nothing)                                               \
    X(FIELD_WORD, word, literal, nothing, nothing) /* a literal word, no bits */                   \
    /* a literal word that implies a value of the op, no bits */                                   \
    X(FIELD_FIXED, fixed, literal, fixed, nothing)                                                 \
    X(FIELD_FLAG, flag, flag, flag, flag) /* one bit; the word is written when it is set */        \
    X(FIELD_CHOICE, choice, choice, choice, choice) /* one of a list of words */                   \
    /* no word, no bits: sets a member of the op */                                                \
    X(FIELD_PRESET, preset, nothing, fixed, nothing)                                               \
    X(FIELD_ENDING, ending, ending, ending, ending) /* exit, join */                               \
    X(FIELD_PREDICATE, predicate, predicate, predicate, predicate)                                 \
    X(FIELD_LANES, lanes, lanes, lanes, lanes) /* (l013) */                                        \
    /* the $c that addc reads; in the text only for addc */                                        \
    X(FIELD_CARRY, carry, carry, carry, carry)                                                     \
    /* optional $c destination with its enable bit */                                              \
    X(FIELD_FLAGS_DST, flags_dst, flags_dst, flags_dst, flags_dst)                                 \
    /* $c destination without enable bit */                                                        \
    X(FIELD_FLAGS_OUT, flags_out, flags_dst, flags_out, flags_out)                                 \
    X(FIELD_FLAGS_SRC, flags_src, flags_src, flags_src, value) /* the $c of mov $r $c */           \
    X(FIELD_REG, reg, operand, reg, reg)                       /* plain $r at the field's bits */  \
    /* src that must be the destination register (short three-source forms) */                     \
    X(FIELD_SAME_REG, same_reg, operand, reg, nothing)                                             \
    X(FIELD_DST, dst, operand, dst, dst) /* long destination: $r, # or o[] */                      \
    /* source slots with their memory forms, tesla-isa.md §4.2, §4.3 */                            \
    X(FIELD_S1, s1, operand, s1, s1)                                                               \
    X(FIELD_S2, s2_s3, operand, s2, s2)                                                            \
    X(FIELD_S3, s2_s3, operand, s3, s3)                                                            \
    X(FIELD_IMM, imm, imm, imm, value)                       /* immediate source */                \
    X(FIELD_ADDR_REG, addr_reg, addr_reg, addr_reg, value)   /* $a */                              \
    X(FIELD_SPECIAL, special, special, plain_special, value) /* $physid ... */                     \
    X(FIELD_MEMORY, memory, memory, memory, memory) /* operand of a load or store instruction */   \
    X(FIELD_GLOBAL, global, global, global, global) /* g<n>[$r] */                                 \
    /* plain number stored in a member of the op */                                                \
    X(FIELD_NUMBER, number, number, number, number)                                                \
    X(FIELD_TARGET, target, target, target, target) /* code address */                             \
    X(FIELD_TEX_DST, tex_dst, tex_dst, tex_dst, tex_dst)                                           \
    X(FIELD_TEX_SRC, tex_src, tex_src, tex_src, tex_src)                                           \
    X(FIELD_TEX_UNIT, tex_unit, tex_unit, tex_unit, member) /* $t, $s */                           \
    X(FIELD_TEX_OFFSET, tex_offset, tex_offset, tex_offset, tex_offset)

/* Plain kinds, without a function that encodes: text and bits correspond one to one. */
#define PLAIN_FIELDS(X)                                                                            \
    X(PLAIN_WORD, word, literal, nothing)          /* a literal word, no bits */                   \
    X(PLAIN_PRESET, preset, nothing, plain_preset) /* no word, no bits: a member of the op */      \
    /* one bit; the word is written when it is set */                                              \
    X(PLAIN_FLAG, plain_flag, plain_flag, plain_flag)                                              \
    /* one of a list of words; "" writes none */                                                   \
    X(PLAIN_CHOICE, plain_choice, plain_choice, plain_choice)                                      \
    /* bits without text that fill a member, by the field's list if it has one */                  \
    X(PLAIN_SILENT, nothing, nothing, plain_silent)                                                \
    /* a choice that shares its bits with another field of the row */                              \
    X(PLAIN_SHARED, plain_shared, plain_choice, plain_choice)                                      \
    X(PLAIN_JOIN, plain_join, plain_join, plain_join)     /* join */                               \
    X(PLAIN_GUARD, plain_guard, plain_guard, plain_guard) /* $p0, (not $p0), never */              \
    X(PLAIN_CC, plain_cc, plain_cc, plain_cc)             /* a test of $c: le $c */                \
    X(PLAIN_LANES, plain_lanes, plain_lanes, plain_lanes) /* l013 */                               \
    /* $c written */                                                                               \
    X(PLAIN_FLAGS_OUT, plain_flag_register, plain_flag_register, plain_flags_out)                  \
    X(PLAIN_CARRY, plain_flag_register, plain_flag_register, plain_carry) /* $c read */            \
    X(PLAIN_REG, plain_reg, plain_reg, plain_reg) /* a register as wide as its operand's type */   \
    /* second source: register, c[] or immediate (fermi-isa.md §4.2) */                            \
    X(PLAIN_SOURCE, plain_source, plain_source, plain_source)                                      \
    /* third source: register or c[], depending on the second */                                   \
    X(PLAIN_THIRD, plain_third, plain_third, plain_third)                                          \
    /* source of 4-byte forms: register or c0[], c1[], c16[] */                                    \
    X(PLAIN_SHORT_SRC, plain_short_src, plain_short_src, plain_short_src)                          \
    X(PLAIN_IMM, plain_imm, plain_imm, plain_imm) /* an immediate source */                        \
    /* a number stored in a member, or nowhere */                                                  \
    X(PLAIN_NUMBER, plain_number, plain_number, plain_number)                                      \
    X(PLAIN_SPECIAL, plain_special, plain_special, plain_special) /* a special register */         \
    X(PLAIN_PDST, plain_pdst, plain_pdst, plain_pdst)             /* a predicate written */        \
    X(PLAIN_PSRC, plain_psrc, plain_psrc, plain_psrc) /* a predicate read, perhaps negated */      \
    /* a predicate combined with a comparison: `and not $p0`; `and true` is not printed */         \
    X(PLAIN_PLOGIC, plain_plogic, plain_plogic, plain_plogic)                                      \
    X(PLAIN_PPAIR, plain_ppair, plain_ppair, plain_ppair) /* $p0 and not $p1 */                    \
    /* a memory operand, see struct space */                                                       \
    X(PLAIN_MEMORY, plain_memory, plain_memory, plain_memory)                                      \
    X(PLAIN_TARGET, plain_target, plain_target, plain_target) /* code address */                   \
    X(PLAIN_UNIT, plain_unit, plain_unit, plain_number)       /* $t5 */                            \
    X(PLAIN_VECTOR, plain_vector, plain_vector, plain_vector) /* $r0:$r1, count from bits */       \
    X(PLAIN_MASKED, plain_masked, plain_masked, plain_masked) /* $r0:#:$r1:#, mask from bits */    \
    /* texture sources: counts from the modifiers */                                               \
    X(PLAIN_TEX1, plain_tex1, plain_tex1, plain_tex1)                                              \
    X(PLAIN_TEX2, plain_tex2, plain_tex2, plain_tex2)

/* Plain kinds of the dotted notations: @P0 NAME.MODIFIER R0, R1 */
#define DOT_FIELDS(X)                                                                              \
    X(DOT_GUARD, dot_guard, dot_guard, dot_guard)       /* @P0 @!P0 */                             \
    X(DOT_FLAG, dot_flag, dot_flag, plain_flag)         /* .SAT */                                 \
    X(DOT_CHOICE, dot_choice, dot_choice, plain_choice) /* .U32; "" is written as nothing */       \
    X(DOT_REG, dot_reg, dot_reg, dot_reg)               /* R0, -R1, |R2|, ~R3 */                   \
    X(DOT_SOURCE, dot_source, dot_source, nothing)      /* R0, c[0x1][0x2], an immediate */        \
    X(DOT_THIRD, dot_third, dot_third, nothing)         /* R0 or c[][] */                          \
    X(DOT_IMM, dot_imm, dot_imm, dot_imm)               /* an immediate */                         \
    /* a number stored in a member, or nowhere */                                                  \
    X(DOT_NUMBER, dot_number, dot_number, plain_number)                                            \
    X(DOT_EITHER, dot_either, dot_either, nothing)          /* a register or a number, by a bit */ \
    X(DOT_PRED, dot_pred, dot_pred, dot_pred)               /* P0, !P0 */                          \
    X(DOT_MEMORY, dot_memory, dot_memory, dot_memory)       /* [R0+0x10], c[0x1][R0+0x10] */       \
    X(DOT_TARGET, dot_target, dot_target, dot_target)       /* code address, label or c[][] */     \
    X(DOT_SPECIAL, dot_special, dot_special, plain_special) /* SR_Tid_X, TIDX */                   \
    X(DOT_TEST, dot_test, dot_test, nothing)                /* CC.LT */                            \
    X(DOT_TEXTURE, dot_texture, dot_texture, dot_texture)   /* texture:sampler:mask */

#define FIELD_KIND(kind, ...) kind,
enum field_kind {
    TESLA_FIELDS(FIELD_KIND) PLAIN_FIELDS(FIELD_KIND) DOT_FIELDS(FIELD_KIND) FIELD_KINDS
};
enum { PLAIN_KINDS = PLAIN_WORD };

struct choice {
    const char *name; /* NULL: reserved value, illegal */
    uint8_t value;
};

/* A memory space in an address: g[$r2d-0x8]. */
struct space {
    const char *name;
    uint8_t file; /* enum operand_file */
    uint8_t base; /* bits of the address register, or NO_BITS */
    /* position of the bit that makes the register a pair; or NO_BITS: never, ALWAYS: always */
    uint8_t wide;
    /* c[]: the bits of the bank's number, and a number added */
    uint8_t bank, bank_len, bank2, bank2_len, bank_add;
    bool is_signed; /* the offset is signed */
    bool by_type;   /* the offset counts units of the access size */
};
enum { NO_BITS = 0xff, ALWAYS = 0xfe };

struct field {
    uint8_t kind;       /* enum field_kind */
    uint8_t pos, len;   /* the field's low bits in the word(s) */
    uint8_t pos2, len2; /* further bits above the low bits; len2 0: none */
    uint8_t slot;       /* operands: 0 dst, 1..3 src[0..2] */
    uint8_t file;       /* FIELD_MEMORY: enum operand_file */
    uint8_t scale;      /* FIELD_MEMORY: bytes per unit of the offset */
    /* offset in struct op of the member that holds the value, one byte wide unless stated */
    uint8_t member;
    /* FIELD_FLAG, FIELD_FIXED, FIELD_PRESET: value or-ed in; other kinds: plain.h, dotted.h */
    uint8_t value;
    bool postinc; /* FIELD_MEMORY: post-increment allowed */
    /* FIELD_WORD, FIELD_FIXED, FIELD_FLAG: the word; FIELD_TEX_UNIT: its prefix; DOT_CHOICE: a name
     * for the choice that is otherwise not written */
    const char *word;
    const struct choice *choice; /* [1 << (len + len2)] */
    const struct space *space;   /* PLAIN_MEMORY, PLAIN_TARGET through c[] */
    uint8_t neg, abs, invert;    /* DOT_*: 1 + the bit for - | ~ in front of the operand, or 0 */
    bool optional; /* DOT_*: the operand may be omitted at the end; then its value is `absent` */
    uint8_t absent;
};

/* A set's fields: their numbers and table lines. WORDS(X) lists the literal words; WORD_NUMBER and
 * WORD_FIELD make a number and a line of each. FIELDS(X) lists the other fields as X(name,
 * members). */
#define FIELD_NUMBER(name, ...) name,
#define FIELD_ROW(name, ...) [name] = {__VA_ARGS__},
#define DEFINE_FIELDS                                                                              \
    enum { F_END, WORDS(WORD_NUMBER) FIELDS(FIELD_NUMBER) FIELD_COUNT };                           \
    static const struct field fields[FIELD_COUNT] = {WORDS(WORD_FIELD) FIELDS(FIELD_ROW)}

struct encoding_row {
    uint8_t code;       /* enum opcode */
    uint8_t sub;        /* op.sub */
    uint8_t form;       /* enum encoding_form */
    uint8_t variants;   /* bit per enum isa_variant */
    uint8_t types;      /* bit per enum program_type */
    uint8_t type_error; /* enum decode_error in program types that lack the row */
    uint8_t type;       /* op.type and, unless overridden, type of each operand */
    uint8_t dst_type, src_type[3];
    uint32_t bits[2], mask[2]; /* the row applies if (w & mask) == bits; form bits included */
    uint32_t canon[2]; /* bits that are ignored, and that the assembler sets as compilers do */
    uint16_t fields[ROW_FIELDS]; /* indices into isa.fields, ends with 0 */
};

/* An instruction set. */
struct isa {
    const struct encoding_row *rows;
    unsigned row_count;
    const struct field *fields;
    bool plain;  /* the fields are of plain or dotted kinds */
    bool dotted; /* the notation is NAME.MODIFIER R0, R1 */
};
extern const struct isa isa_tesla, isa_fermi, isa_g64;
/* Fermi in asfermi's notation: for printing and parsing only */
extern const struct isa isa_asfermi;
const struct isa *isa_of(enum isa_variant v);
/* The table by which the target's text is written and read. */
const struct isa *isa_notation(struct isa_target target);

extern const char *const isa_predicate_names[32]; /* NULL: undefined; [15] "" */
extern const struct choice isa_special_names[16];
extern const char *const isa_fermi_tests[32];     /* tests of $c; [15] "" */
extern const char *const isa_fermi_specials[256]; /* NULL: none */

/* The operand that the field stands for: 0 dst, 1 to 3 src[0..2]; -1: the field is no operand. */
int isa_field_operand(const struct field *f);
/* The operand that a flag for sign, absolute value or complement belongs to, as above. */
int isa_field_sign(const struct field *f);
int isa_print_operand(struct isa_target target, const struct op *op, unsigned slot, char *buf,
                      size_t size);

static inline uint32_t field_bits(uint64_t w, unsigned pos, unsigned len) {
    return (uint32_t)(w >> pos & ((UINT64_C(1) << len) - 1));
}

static inline uint32_t field_get(const struct field *f, uint64_t w) {
    const uint32_t low = field_bits(w, f->pos, f->len);
    return f->len2 ? low | field_bits(w, f->pos2, f->len2) << f->len : low;
}

static inline struct operand *op_slot(struct op *op, unsigned slot) {
    return slot ? &op->src[slot - 1] : &op->dst;
}

static inline const struct operand *op_slot_const(const struct op *op, unsigned slot) {
    return slot ? &op->src[slot - 1] : &op->dst;
}

/* Bits of a value of this type in a register. U24 and S24 take 32; values of 8 bits are a part of a
 * register. */
static inline unsigned type_width(enum op_type t) {
    static const uint8_t width[] = {
        [TYPE_U8] = 8,   [TYPE_S8] = 8,   [TYPE_U16] = 16, [TYPE_S16] = 16,   [TYPE_U24] = 32,
        [TYPE_S24] = 32, [TYPE_U32] = 32, [TYPE_S32] = 32, [TYPE_U64] = 64,   [TYPE_S64] = 64,
        [TYPE_B16] = 16, [TYPE_B32] = 32, [TYPE_B64] = 64, [TYPE_B128] = 128, [TYPE_F16] = 16,
        [TYPE_F32] = 32, [TYPE_F64] = 64, [TYPE_B96] = 96,
    };
    return width[t];
}

/* Register width of an operand slot of this row: 16, 32, 64 or 128. */
static inline unsigned encoding_width(const struct encoding_row *row, unsigned slot) {
    enum op_type t = slot ? row->src_type[slot - 1] : row->dst_type;
    return type_width(t ? t : row->type);
}

/* The byte offset of an offset field that counts units of `scale` bytes. */
static inline uint32_t offset_value(uint32_t bits, unsigned len, unsigned scale, bool is_signed) {
    if (is_signed && bits >> (len - 1) & 1)
        return (uint32_t)(((int64_t)bits - (INT64_C(1) << len)) * (int64_t)scale);
    return bits * scale;
}

/* Unit and length of the offset of a load or store: an offset of 16 bits, in bytes, without the low
 * bits that the access size makes 0 (tesla-isa.md §4.4). */
static inline unsigned memory_scale(const struct field *f, enum op_type mem) {
    return f->scale ? f->scale : type_width(mem) / 8;
}

static inline unsigned memory_bits(const struct field *f, unsigned scale) {
    return f->scale || scale == 1 ? f->len : f->len - (scale == 2 ? 1 : 2);
}

bool encoding_has_kind(const struct encoding_row *row, enum field_kind kind); /* of Tesla's table */

/* First and last step of making an op of this row: they fill the types that the row implies. */
void isa_start_op(const struct isa *isa, const struct encoding_row *row, struct op *op);
void isa_finish_op(struct op *op);
/* An op without operands, always executed. */
void isa_blank_op(struct op *op);
/* Encodes op by one row; false if the row cannot express it. */
bool isa_encode_row(struct isa_target target, const struct encoding_row *row, const struct op *op,
                    uint32_t w[2]);
