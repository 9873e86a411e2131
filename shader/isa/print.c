/* The printer: struct op to text in the target's notation. In: an op with its encoding row. Out:
 * one line without address. Walks the row's field list; each kind of field writes itself.
 */
#include "base/c_locale.h"
#include "shader/isa/dotted.h"

#include <inttypes.h>
#include <stdarg.h>

void print_append(struct printer *p, const char *format, ...) {
    size_t at = p->length < p->size ? p->length : p->size;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(p->buf ? p->buf + at : NULL, p->buf ? p->size - at : 0, format, args);
    va_end(args);
    p->length += n > 0 ? (size_t)n : 0;
}

void print_begin_word(struct printer *p) {
    if (p->space)
        print_append(p, " ");
    p->space = true;
}

void print_token(struct printer *p, const char *word) {
    if (word[0] == ')')
        p->space = false;
    print_begin_word(p);
    print_append(p, "%s", word);
    if (word[0] == '(')
        p->space = false;
}

static uint8_t member(const struct printer *p, const struct field *f) {
    return *((const uint8_t *)p->op + f->member);
}

void print_nothing(struct printer *, const struct field *) {
}

void print_literal(struct printer *p, const struct field *f) {
    print_token(p, f->word);
}

static void print_flag(struct printer *p, const struct field *f) {
    if (member(p, f) & f->value)
        print_token(p, f->word);
}

static void print_choice(struct printer *p, const struct field *f) {
    for (unsigned i = 0; i < 1u << (f->len + f->len2); i++) {
        if (f->choice[i].name && f->choice[i].value == member(p, f)) {
            print_token(p, f->choice[i].name);
            return;
        }
    }
}

static void print_ending(struct printer *p, const struct field *) {
    if (p->op->exit)
        print_token(p, "exit");
    if (p->op->join)
        print_token(p, "join");
}

static void print_predicate(struct printer *p, const struct field *) {
    const char *name = isa_predicate_names[p->op->pred & 31];
    if (p->op->pred == PRED_ALWAYS)
        return;
    print_begin_word(p);
    if (p->op->pred == PRED_NEVER)
        print_append(p, "(%s)", name);
    else
        print_append(p, "(%s $c%u)", name ? name : "?", p->op->pred_reg);
}

static void print_lanes(struct printer *p, const struct field *) {
    unsigned mask = p->op->lane_mask4;
    if (mask == 0xf)
        return;
    print_begin_word(p);
    print_append(p, mask ? "(l" : "(lnone");
    for (unsigned i = 0; i < 4; i++)
        if (mask >> i & 1)
            print_append(p, "%u", i);
    print_append(p, ")");
}

static void print_carry(struct printer *p, const struct field *) {
    if (p->op->add_kind != ADD_ADDC)
        return;
    print_begin_word(p);
    print_append(p, "$c%u", p->op->pred_reg);
}

static void print_flags_dst(struct printer *p, const struct field *) {
    if (p->op->cdst == NO_FLAGS_DST)
        return;
    print_begin_word(p);
    print_append(p, "$c%u", p->op->cdst);
}

/* [$a1+0x10], [$a1++0x4], [0x10], [$a1]. wide_negative: a negative offset is printed with 64 bits,
 * otherwise with 16. */
static void append_address(struct printer *p, const struct operand *o, bool wide_negative) {
    int64_t offset = (int32_t)o->value;
    if (!wide_negative)
        offset &= 0xffff;
    print_append(p, "[");
    if (o->areg)
        print_append(p, "$a%u", o->areg);
    if (o->flags & OPERAND_POSTINC)
        print_append(p, "++");
    else if (o->areg && offset)
        print_append(p, "+");
    if (!o->areg || offset || o->flags & OPERAND_POSTINC)
        print_append(p, "0x%" PRIx64, (uint64_t)offset);
    print_append(p, "]");
}

const char *isa_memory_name(uint8_t file) {
    static const char *const names[] = {
        [FILE_CONST] = "c", [FILE_SHARED] = "s", [FILE_LOCAL] = "l", [FILE_GLOBAL] = "g",
        [FILE_ATTR] = "a",  [FILE_PRIM] = "p",   [FILE_OUT] = "o",   [FILE_VARYING] = "v",
    };
    return file < sizeof names / sizeof *names && names[file] ? names[file] : "?";
}

static void append_memory(struct printer *p, const struct operand *o, bool wide_negative) {
    print_append(p, "%s", isa_memory_name(o->file));
    if (o->file == FILE_CONST)
        print_append(p, "%u", o->index);
    append_address(p, o, wide_negative);
}

static void append_register(struct printer *p, const struct operand *o, unsigned width) {
    if (o->file == FILE_RH)
        print_append(p, "$r%u%c", o->value >> 1, o->value & 1 ? 'h' : 'l');
    else
        print_append(p, "$r%u%s", o->value, width == 128 ? "q" : width == 64 ? "d" : "");
}

/* Standard operands: registers, memory sources with their mode word, #. */
static void print_operand(struct printer *p, const struct field *f) {
    static const char *const modes[] = {
        [TYPE_U8] = "u8 ", [TYPE_U16] = "u16 ", [TYPE_S16] = "s16 ", [TYPE_B32] = "b32 "};
    const struct operand *o = op_slot_const(p->op, f->slot);
    print_begin_word(p);
    switch (o->file) {
    case FILE_R:
    case FILE_RH:
        append_register(p, o, encoding_width(p->row, f->slot));
        break;
    case FILE_NULL:
        print_append(p, "#");
        break;
    case FILE_SHARED:
        print_append(p, "%s", modes[o->mem]);
        append_memory(p, o, true);
        break;
    default:
        append_memory(p, o, true);
    }
}

static void print_memory(struct printer *p, const struct field *f) {
    print_begin_word(p);
    append_memory(p, op_slot_const(p->op, f->slot), false);
}

static void print_global(struct printer *p, const struct field *f) {
    const struct operand *o = op_slot_const(p->op, f->slot);
    print_begin_word(p);
    print_append(p, "g%u[$r%u]", o->index, o->value);
}

static void print_flags_src(struct printer *p, const struct field *f) {
    print_begin_word(p);
    print_append(p, "$c%u", op_slot_const(p->op, f->slot)->value);
}

static void print_imm(struct printer *p, const struct field *f) {
    print_begin_word(p);
    print_append(p, "0x%x", op_slot_const(p->op, f->slot)->value);
}

static void print_addr_reg(struct printer *p, const struct field *f) {
    uint32_t n = op_slot_const(p->op, f->slot)->value;
    print_begin_word(p);
    if (n)
        print_append(p, "$a%u", n);
    else
        print_append(p, "0x0");
}

static void print_special(struct printer *p, const struct field *f) {
    print_token(p, isa_special_names[op_slot_const(p->op, f->slot)->value & 15].name);
}

static void print_number(struct printer *p, const struct field *f) {
    const uint8_t *m = (const uint8_t *)p->op + f->member;
    print_begin_word(p);
    print_append(p, "0x%x", f->len > 8 ? *(const uint16_t *)(const void *)m : *m);
}

static void print_target(struct printer *p, const struct field *) {
    print_begin_word(p);
    print_append(p, "0x%x", p->op->target);
}

void print_masked(struct printer *p, unsigned n, unsigned mask) {
    print_begin_word(p);
    for (unsigned i = 0; i < 4; i++) {
        print_append(p, i ? ":" : "");
        if (mask >> i & 1)
            print_append(p, "$r%u", n++);
        else
            print_append(p, "#");
    }
}

static void print_tex_dst(struct printer *p, const struct field *) {
    print_masked(p, p->op->tex.base, p->op->tex.call.result_mask);
}

static void print_tex_src(struct printer *p, const struct field *) {
    print_begin_word(p);
    for (unsigned i = 0; i < p->op->tex.call.source_count; i++)
        print_append(p, "%s$r%u", i ? ":" : "", p->op->tex.base + i);
}

static void print_tex_unit(struct printer *p, const struct field *f) {
    print_begin_word(p);
    print_append(p, "%s%u", f->word, member(p, f));
}

static void print_tex_offset(struct printer *p, const struct field *f) {
    int v = (int8_t)member(p, f);
    print_begin_word(p);
    print_append(p, "%s0x%x", v < 0 ? "-" : "", v < 0 ? -v : v);
}

#define ROW(kind, parse, print, ...) [kind] = print_##print,
static print_fn *const print_field[FIELD_KINDS] = {TESLA_FIELDS(ROW) PLAIN_FIELDS(ROW)
                                                       DOT_FIELDS(ROW)};

static void print_fields(struct printer *p) {
    p->length = p->operands = 0;
    p->space = false;
    for (const uint16_t *f = p->row->fields; *f; f++)
        print_field[p->isa->fields[*f].kind](p, &p->isa->fields[*f]);
}

/* True if the text that this row prints assembles to the same words. Several rows of a notation may
 * fit, and each omits other modifiers. Rows with a target are not tested, because the text of a
 * target depends on the address. */
static bool reads_back(struct isa_target target, const struct printer *p) {
    char text[256], message[256];
    struct printer copy = *p;
    struct op op;
    for (const uint16_t *f = p->row->fields; *f; f++)
        if (p->isa->fields[*f].kind == DOT_TARGET)
            return true;
    copy.buf = text;
    copy.size = sizeof text;
    print_fields(&copy);
    return copy.length < sizeof text &&
           isa_assemble_line(target, text, copy.length, 0, &op, message, sizeof message) &&
           op.w[0] == p->op->w[0] && op.w[1] == p->op->w[1];
}

/* For a notation that is not the set's own and has its own table: finds the row that prints the
 * op's words. False if no row fits. */
static bool find_notation_row(struct isa_target target, struct printer *p) {
    const struct encoding_row *fits = NULL;
    for (unsigned i = 0; p->op->words == 2 && i < p->isa->row_count; i++) {
        const struct encoding_row *r = &p->isa->rows[i];
        if (((p->op->w[0] & r->mask[0]) ^ r->bits[0]) | ((p->op->w[1] & r->mask[1]) ^ r->bits[1]))
            continue;
        p->row = r;
        if (reads_back(target, p))
            return true;
        fits = fits ? fits : r;
    }
    p->row = fits; /* no row fits completely: this notation cannot write some of the bits */
    return fits;
}

static void print_raw(struct printer *p) {
    const struct op *op = p->op;
    print_append(p, p->isa == &isa_asfermi ? "!RawInstruction 0x%08x" : ".b32 0x%08x", op->w[0]);
    if (op->words == 2)
        print_append(p, " 0x%08x", op->w[1]);
    print_append(p, " // %s",
                 op->code == OP_ILLEGAL ? decode_error_name(op->error) : opcode_name(op->code));
}

int isa_print(struct isa_target target, const struct op *op, char *buf, size_t size) {
    C_LOCALE_BLOCK;
    const struct isa *isa = isa_notation(target), *own = isa_of(target.variant);
    struct printer p = {.buf = size ? buf : NULL,
                        .size = size,
                        .op = op,
                        .isa = isa,
                        .w = op->w[0] | (uint64_t)op->w[1] << 32};
    if (size)
        buf[0] = 0;
    bool known = op->code != OP_ILLEGAL;
    if (known && isa == own)
        p.row = &isa->rows[op->row];
    else if (known)
        known = find_notation_row(target, &p);
    if (known)
        print_fields(&p);
    else
        print_raw(&p);
    return (int)p.length;
}

/* Prints the text of one operand, 0 dst, 1 to 3 src[0..2], in the set's own notation. */
int isa_print_operand(struct isa_target target, const struct op *op, unsigned slot, char *buf,
                      size_t size) {
    const struct isa *const isa = isa_of(target.variant);
    struct printer p = {.buf = size ? buf : NULL,
                        .size = size,
                        .op = op,
                        .isa = isa,
                        .row = &isa->rows[op->row],
                        .w = op->w[0] | (uint64_t)op->w[1] << 32};
    if (size)
        buf[0] = 0;
    for (const uint16_t *f = p.row->fields; op->code != OP_ILLEGAL && *f; f++) {
        const struct field *const field = &isa->fields[*f];
        if (isa_field_operand(field) == (int)slot || isa_field_sign(field) == (int)slot)
            print_field[field->kind](&p, field);
    }
    return (int)p.length;
}
