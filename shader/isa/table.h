/* The shape of the encoding table: rows of fields, private to shader/isa/. A row is one encoding
 * form; its field list is its syntax, in the order of the text. Every field knows where its bits
 * are and which member of struct op they fill; the four users (decode.c encode.c print.c parse.c)
 * each have one function per kind of field and nothing per instruction.
 */
#ifndef SHADER_ISA_TABLE_H
#define SHADER_ISA_TABLE_H

#include "shader/isa/isa.h"

enum row_form { FORM_SHORT, FORM_SHORT_CONTROL, FORM_IMMEDIATE, FORM_LONG, FORM_CONTROL, FORMS };

enum {
    ROW_FIELDS = 18,
    ALL_TYPES = (1 << PROGRAM_TYPES) - 1,
    ALL_VARIANTS = (1 << ISA_VARIANTS) - 1,
};

/* Bit positions: 0..31 in the first word, W1(n) in the second. */
#define W1(n) (32 + (n))

enum field_kind {
    KIND_END,
    KIND_WORD,   /* a literal word, no bits */
    KIND_FIXED,  /* a literal word that implies a value of the op, no bits */
    KIND_FLAG,   /* one bit; the word is written when it is set */
    KIND_CHOICE, /* one of a list of words */
    KIND_PRESET, /* no word, no bits: sets a member of the op */
    KIND_ENDING, /* exit, join */
    KIND_PREDICATE,
    KIND_LANES,     /* (l013) */
    KIND_CARRY,     /* the $c read by addc; written only when the operation is addc */
    KIND_FLAGS_DST, /* optional $c destination with its enable bit */
    KIND_FLAGS_OUT, /* $c destination without enable bit */
    KIND_FLAGS_SRC, /* the $c of mov $r $c */
    KIND_REG,       /* plain $r at the field's bits */
    KIND_SAME_REG,  /* src that must be the destination register (short three-source forms) */
    KIND_DST,       /* long destination: $r, # or o[] */
    KIND_S1,        /* source slots with their memory forms, tesla-isa.md 4.2, 4.3 */
    KIND_S2,
    KIND_S3,
    KIND_IMM,      /* immediate source */
    KIND_ADDR_REG, /* $a */
    KIND_SPECIAL,  /* $physid ... */
    KIND_MEMORY,   /* operand of a dedicated load or store */
    KIND_GLOBAL,   /* g<n>[$r] */
    KIND_NUMBER,   /* plain number stored in a member of the op */
    KIND_TARGET,   /* code address */
    KIND_TEX_DST,
    KIND_TEX_SRC,
    KIND_TEX_UNIT, /* $t, $s */
    KIND_TEX_OFFSET,
    FIELD_KINDS
};

struct choice {
    const char *name; /* NULL: reserved value, illegal */
    uint8_t value;
};

struct field {
    uint8_t kind;       /* enum field_kind */
    uint8_t pos, len;   /* low bits */
    uint8_t pos2, len2; /* bits above them, if they lie elsewhere */
    uint8_t slot;       /* operands: 0 dst, 1..3 src[0..2] */
    uint8_t file;       /* KIND_MEMORY: enum operand_file */
    uint8_t scale;      /* KIND_MEMORY: bytes per unit of the offset */
    uint8_t member;     /* byte offset in struct op of the value (one byte wide unless stated) */
    uint8_t value;      /* KIND_FLAG, KIND_FIXED, KIND_PRESET: value or-ed in */
    bool postinc;       /* KIND_MEMORY: post-increment allowed */
    const char *word;   /* KIND_WORD, KIND_FIXED, KIND_FLAG; KIND_TEX_UNIT: prefix */
    const struct choice *choice; /* [1 << (len + len2)] */
};

struct row {
    uint8_t code;       /* enum opcode */
    uint8_t form;       /* enum row_form */
    uint8_t variants;   /* bit per enum isa_variant */
    uint8_t types;      /* bit per enum program_type */
    uint8_t type_error; /* enum decode_error in the other program types */
    uint8_t type;       /* op.type and, unless overridden, type of each operand */
    uint8_t dst_type, src_type[3];
    uint32_t bits[2], mask[2];  /* the row applies if (w & mask) == bits; form bits included */
    uint32_t canon[2];          /* ignored bits that compilers set */
    uint8_t fields[ROW_FIELDS]; /* indices into isa_fields, ends with 0 */
};

extern const struct row isa_rows[];
extern const unsigned isa_row_count;
extern const struct field isa_fields[];
extern const char *const isa_predicate_names[32]; /* NULL: undefined; [15] "" */
extern const struct choice isa_special_names[16];

static inline uint32_t field_bits(uint64_t w, unsigned pos, unsigned len) {
    return (uint32_t)(w >> pos & ((UINT64_C(1) << len) - 1));
}

static inline uint32_t field_get(const struct field *f, uint64_t w) {
    return field_bits(w, f->pos, f->len) | field_bits(w, f->pos2, f->len2) << f->len;
}

static inline struct operand *op_slot(struct op *op, unsigned slot) {
    return slot ? &op->src[slot - 1] : &op->dst;
}

static inline const struct operand *op_slot_const(const struct op *op, unsigned slot) {
    return slot ? &op->src[slot - 1] : &op->dst;
}

/* Bits of a value of this type; U24/S24 live in 32-bit registers, 8-bit values in their register.
 */
static inline unsigned type_width(enum op_type t) {
    static const uint8_t width[] = {
        [TYPE_U8] = 8,   [TYPE_S8] = 8,   [TYPE_U16] = 16, [TYPE_S16] = 16,   [TYPE_U24] = 32,
        [TYPE_S24] = 32, [TYPE_U32] = 32, [TYPE_S32] = 32, [TYPE_U64] = 64,   [TYPE_S64] = 64,
        [TYPE_B16] = 16, [TYPE_B32] = 32, [TYPE_B64] = 64, [TYPE_B128] = 128, [TYPE_F16] = 16,
        [TYPE_F32] = 32, [TYPE_F64] = 64,
    };
    return width[t];
}

/* Register width of an operand slot of this row: 16, 32, 64 or 128. */
static inline unsigned row_width(const struct row *row, unsigned slot) {
    enum op_type t = slot ? row->src_type[slot - 1] : row->dst_type;
    return type_width(t ? t : row->type);
}

/* Bytes from the bits of an offset field counted in units of scale. */
static inline uint32_t offset_value(uint32_t bits, unsigned len, unsigned scale, bool is_signed) {
    if (is_signed && bits >> (len - 1) & 1)
        return (uint32_t)(((int64_t)bits - (INT64_C(1) << len)) * (int64_t)scale);
    return bits * scale;
}

/* Unit and length of the offset of a dedicated load or store: 16 bits of bytes, or less the bits
 * that the access size makes 0 (tesla-isa.md 4.4). */
static inline unsigned memory_scale(const struct field *f, enum op_type mem) {
    return f->scale ? f->scale : type_width(mem) / 8;
}

static inline unsigned memory_bits(const struct field *f, unsigned scale) {
    return f->scale || scale == 1 ? f->len : f->len - (scale == 2 ? 1 : 2);
}

bool row_has_kind(const struct row *row, enum field_kind kind);

/* First and last step of making an op of this row: types the row implies. */
void isa_start_op(const struct row *row, struct op *op);
void isa_finish_op(struct op *op);
/* An op without operands, always executed. */
void isa_blank_op(struct op *op);
/* Encodes op by one row; false if the row cannot express it. */
bool isa_encode_row(struct isa_target target, const struct row *row, const struct op *op,
                    uint32_t w[2]);

#endif
