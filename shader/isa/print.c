/* The disassembler: struct op to envyas text. In: an op with its row. Out: one line without
 * address. Walks the row's field list; each kind of field knows how to write itself.
 */
#include "shader/isa/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct printer {
    char *buf;
    size_t size, length; /* length counts what did not fit, as snprintf does */
    bool space;          /* a blank is due before the next word */
    const struct op *op;
    const struct row *row;
};

typedef void print_fn(struct printer *p, const struct field *f);

__attribute__((format(printf, 2, 3))) static void append(struct printer *p, const char *format,
                                                         ...) {
    size_t at = p->length < p->size ? p->length : p->size;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(p->buf ? p->buf + at : NULL, p->buf ? p->size - at : 0, format, args);
    va_end(args);
    p->length += n > 0 ? (size_t)n : 0;
}

static void begin_word(struct printer *p) {
    if (p->space)
        append(p, " ");
    p->space = true;
}

static void print_word(struct printer *p, const char *word) {
    if (word[0] == ')')
        p->space = false;
    begin_word(p);
    append(p, "%s", word);
    if (word[0] == '(')
        p->space = false;
}

static uint8_t member(const struct printer *p, const struct field *f) {
    return *((const uint8_t *)p->op + f->member);
}

static void print_nothing(struct printer *p, const struct field *f) {
    (void)p, (void)f;
}

static void print_literal(struct printer *p, const struct field *f) {
    print_word(p, f->word);
}

static void print_flag(struct printer *p, const struct field *f) {
    if (member(p, f) & f->value)
        print_word(p, f->word);
}

static void print_choice(struct printer *p, const struct field *f) {
    for (unsigned i = 0; i < 1u << (f->len + f->len2); i++) {
        if (f->choice[i].name && f->choice[i].value == member(p, f)) {
            print_word(p, f->choice[i].name);
            return;
        }
    }
}

static void print_ending(struct printer *p, const struct field *f) {
    (void)f;
    if (p->op->exit)
        print_word(p, "exit");
    if (p->op->join)
        print_word(p, "join");
}

static void print_predicate(struct printer *p, const struct field *f) {
    (void)f;
    const char *name = isa_predicate_names[p->op->pred & 31];
    if (p->op->pred == PRED_ALWAYS)
        return;
    begin_word(p);
    if (p->op->pred == PRED_NEVER)
        append(p, "(%s)", name);
    else
        append(p, "(%s $c%u)", name ? name : "?", p->op->pred_reg);
}

static void print_lanes(struct printer *p, const struct field *f) {
    (void)f;
    unsigned mask = p->op->lane_mask4;
    if (mask == 0xf)
        return;
    begin_word(p);
    append(p, mask ? "(l" : "(lnone");
    for (unsigned i = 0; i < 4; i++)
        if (mask >> i & 1)
            append(p, "%u", i);
    append(p, ")");
}

static void print_carry(struct printer *p, const struct field *f) {
    (void)f;
    if (p->op->add_kind != ADD_ADDC)
        return;
    begin_word(p);
    append(p, "$c%u", p->op->pred_reg);
}

static void print_flags_dst(struct printer *p, const struct field *f) {
    (void)f;
    if (p->op->cdst == NO_FLAGS_DST)
        return;
    begin_word(p);
    append(p, "$c%u", p->op->cdst);
}

static void append_hex64(struct printer *p, int64_t v) {
    append(p, "0x%" PRIx64, (uint64_t)v);
}

/* [$a1+0x10], [$a1++0x4], [0x10], [$a1] */
static void append_address(struct printer *p, const struct operand *o, bool wide_negative) {
    int64_t offset = (int32_t)o->value;
    if (!wide_negative)
        offset &= 0xffff;
    append(p, "[");
    if (o->areg)
        append(p, "$a%u", o->areg);
    if (o->flags & OPERAND_POSTINC)
        append(p, "++");
    else if (o->areg && offset)
        append(p, "+");
    if (!o->areg || offset || o->flags & OPERAND_POSTINC)
        append_hex64(p, offset);
    append(p, "]");
}

static const char *memory_name(enum operand_file file) {
    static const char *const names[] = {
        [FILE_CONST] = "c", [FILE_SHARED] = "s", [FILE_LOCAL] = "l", [FILE_GLOBAL] = "g",
        [FILE_ATTR] = "a",  [FILE_PRIM] = "p",   [FILE_OUT] = "o",   [FILE_VARYING] = "v",
    };
    return names[file];
}

static void append_memory(struct printer *p, const struct operand *o, bool wide_negative) {
    append(p, "%s", memory_name(o->file));
    if (o->file == FILE_CONST)
        append(p, "%u", o->index);
    append_address(p, o, wide_negative);
}

static void append_register(struct printer *p, const struct operand *o, unsigned width) {
    if (o->file == FILE_RH)
        append(p, "$r%u%c", o->value >> 1, o->value & 1 ? 'h' : 'l');
    else
        append(p, "$r%u%s", o->value, width == 128 ? "q" : width == 64 ? "d" : "");
}

/* Standard operands: registers, memory sources with their mode word, #. */
static void print_operand(struct printer *p, const struct field *f) {
    static const char *const modes[] = {
        [TYPE_U8] = "u8 ", [TYPE_U16] = "u16 ", [TYPE_S16] = "s16 ", [TYPE_B32] = "b32 "};
    const struct operand *o = op_slot_const(p->op, f->slot);
    begin_word(p);
    switch (o->file) {
    case FILE_R:
    case FILE_RH:
        append_register(p, o, row_width(p->row, f->slot));
        break;
    case FILE_NULL:
        append(p, "#");
        break;
    case FILE_SHARED:
        append(p, "%s", modes[o->mem]);
        append_memory(p, o, true);
        break;
    default:
        append_memory(p, o, true);
    }
}

static void print_memory(struct printer *p, const struct field *f) {
    begin_word(p);
    append_memory(p, op_slot_const(p->op, f->slot), false);
}

static void print_global(struct printer *p, const struct field *f) {
    const struct operand *o = op_slot_const(p->op, f->slot);
    begin_word(p);
    append(p, "g%u[$r%u]", o->index, o->value);
}

static void print_flags_src(struct printer *p, const struct field *f) {
    begin_word(p);
    append(p, "$c%u", op_slot_const(p->op, f->slot)->value);
}

static void print_imm(struct printer *p, const struct field *f) {
    begin_word(p);
    append(p, "0x%x", op_slot_const(p->op, f->slot)->value);
}

static void print_addr_reg(struct printer *p, const struct field *f) {
    uint32_t n = op_slot_const(p->op, f->slot)->value;
    begin_word(p);
    if (n)
        append(p, "$a%u", n);
    else
        append(p, "0x0");
}

static void print_special(struct printer *p, const struct field *f) {
    print_word(p, isa_special_names[op_slot_const(p->op, f->slot)->value & 15].name);
}

static void print_number(struct printer *p, const struct field *f) {
    const uint8_t *m = (const uint8_t *)p->op + f->member;
    begin_word(p);
    append(p, "0x%x", f->len > 8 ? *(const uint16_t *)(const void *)m : *m);
}

static void print_target(struct printer *p, const struct field *f) {
    (void)f;
    begin_word(p);
    append(p, "0x%x", p->op->target);
}

static void print_tex_dst(struct printer *p, const struct field *f) {
    (void)f;
    unsigned n = p->op->tex.base;
    begin_word(p);
    for (unsigned i = 0; i < 4; i++) {
        append(p, i ? ":" : "");
        if (p->op->tex.result_mask >> i & 1)
            append(p, "$r%u", n++);
        else
            append(p, "#");
    }
}

static void print_tex_src(struct printer *p, const struct field *f) {
    (void)f;
    begin_word(p);
    for (unsigned i = 0; i < p->op->tex.source_count; i++)
        append(p, "%s$r%u", i ? ":" : "", p->op->tex.base + i);
}

static void print_tex_unit(struct printer *p, const struct field *f) {
    begin_word(p);
    append(p, "%s%u", f->word, member(p, f));
}

static void print_tex_offset(struct printer *p, const struct field *f) {
    int v = (int8_t)member(p, f);
    begin_word(p);
    append(p, "%s0x%x", v < 0 ? "-" : "", v < 0 ? -v : v);
}

static print_fn *const print_field[FIELD_KINDS] = {
    [KIND_END] = print_nothing,         [KIND_WORD] = print_literal,
    [KIND_FIXED] = print_literal,       [KIND_FLAG] = print_flag,
    [KIND_CHOICE] = print_choice,       [KIND_PRESET] = print_nothing,
    [KIND_ENDING] = print_ending,       [KIND_PREDICATE] = print_predicate,
    [KIND_LANES] = print_lanes,         [KIND_CARRY] = print_carry,
    [KIND_FLAGS_DST] = print_flags_dst, [KIND_FLAGS_OUT] = print_flags_dst,
    [KIND_FLAGS_SRC] = print_flags_src, [KIND_REG] = print_operand,
    [KIND_SAME_REG] = print_operand,    [KIND_DST] = print_operand,
    [KIND_S1] = print_operand,          [KIND_S2] = print_operand,
    [KIND_S3] = print_operand,          [KIND_IMM] = print_imm,
    [KIND_ADDR_REG] = print_addr_reg,   [KIND_SPECIAL] = print_special,
    [KIND_MEMORY] = print_memory,       [KIND_GLOBAL] = print_global,
    [KIND_NUMBER] = print_number,       [KIND_TARGET] = print_target,
    [KIND_TEX_DST] = print_tex_dst,     [KIND_TEX_SRC] = print_tex_src,
    [KIND_TEX_UNIT] = print_tex_unit,   [KIND_TEX_OFFSET] = print_tex_offset,
};

int isa_print(struct isa_target target, const struct op *op, char *buf, size_t size) {
    (void)target;
    struct printer p = {
        .buf = size ? buf : NULL, .size = size, .op = op, .row = &isa_rows[op->row]};
    if (size)
        buf[0] = 0;
    if (op->code == OP_ILLEGAL) {
        append(&p, ".b32 0x%08x", op->w[0]);
        if (op->words == 2)
            append(&p, " 0x%08x", op->w[1]);
        append(&p, " // %s", decode_error_name(op->error));
        return (int)p.length;
    }
    for (const uint8_t *f = p.row->fields; *f; f++)
        print_field[isa_fields[*f].kind](&p, &isa_fields[*f]);
    return (int)p.length;
}
