/* Parsing of the dotted notations, @P0 NAME.MODIFIER R0, R1: asfermi's and generic64's. In: tokens.
 * Out: the word. Part of the parser (parser.h). Facts: fermi-isa.md §10, generic64-isa.md §5. Text
 * that asfermi accepts by accident (similar names, text read as 0, dropped offsets) is refused.
 */
#include "shader/isa/dotted.h"
#include "base/bits.h"
#include "shader/isa/parser.h"

#include <errno.h>
#include <stdlib.h>

static bool is_g64(const struct parser *p) {
    return p->isa == &isa_g64;
}

/* ---- Guard and modifiers */

/* Reads P3; in asfermi's notation also p3, and the name of the predicate that is always true: PT or
 * PZ. always: that name's second letter. */
static bool predicate_name(struct parser *p, const char *always, unsigned *n) {
    unsigned max = is_g64(p) ? 15 : FERMI_PT;
    struct token t = *p->t;
    char upper[4] = "";
    if (t.kind != TOKEN_WORD || t.length > 3)
        return expected(p, "a predicate (P0 ...)");
    memcpy(upper, t.text, t.length);
    if (upper[0] == 'p' && !is_g64(p))
        upper[0] = 'P';
    if (upper[1] == always[0] + 32)
        upper[1] = always[0];
    if (!is_g64(p) && t.length == 2 && upper[0] == 'P' && upper[1] == always[0]) {
        *n = FERMI_PT;
    } else {
        t.text = upper;
        if (!token_indexed(&t, "P", n))
            return expected(p, "a predicate (P0 ...)");
        if (*n > max)
            return complain(p, p->t, "there are P0 to P%u", max);
    }
    p->t++;
    return true;
}

bool parse_dot_guard(struct parser *p, const struct field *f) {
    unsigned n = FERMI_PT;
    bool negated = false, given = accept_mark(p, '@');
    if (given) {
        negated = accept_mark(p, '!');
        if (!predicate_name(p, "Z", &n))
            return false;
    }
    if (is_g64(p)) {
        parser_put(p, 63, 1, given);
        parser_put(p, 56, 7, given ? n : 0);
        parser_put(p, 13, 1, negated);
    } else if (f->len) {
        parser_put(p, f->pos, 4, n | (negated ? 8 : 0));
    }
    return true;
}

static bool modifier(const struct parser *p, const char *name) {
    return token_mark(p->t, '.') && token_is(p->t + 1, name);
}

bool parse_dot_flag(struct parser *p, const struct field *f) {
    if (modifier(p, f->word)) {
        parser_put(p, f->pos, 1, 1);
        if (f->member)
            *op_member(p, f) = f->value;
        p->t += 2;
    }
    return true;
}

bool parse_dot_choice(struct parser *p, const struct field *f) {
    unsigned n = 1u << (f->len + f->len2);
    int found = -1, none = -1;
    for (unsigned i = 0; i < n && found < 0; i++) {
        const char *name = f->choice[i].name;
        if (name && !*name && none < 0)
            none = (int)i;
        if (name && *name && modifier(p, name))
            found = (int)i;
    }
    const bool said = found < 0 && none >= 0 && f->word && modifier(p, f->word);
    p->t += 2 * (found >= 0 || said);
    if (found < 0)
        found = none;
    if (found < 0) {
        char what[32];
        if (token_mark(p->t, '.'))
            return complain(p, p->t + 1, "no such modifier here");
        for (unsigned i = 0; i < n; i++) {
            snprintf(what, sizeof what, ".%s", f->choice[i].name ? f->choice[i].name : "");
            if (f->choice[i].name)
                expected(p, what);
        }
        return false;
    }
    parser_put_field(p, f, (unsigned)found);
    if (f->member)
        *op_member(p, f) = f->choice[found].value;
    return true;
}

/* ---- Operands */

/* Every operand but the first follows a comma. */
static bool begin_operand(struct parser *p) {
    if (token_mark(p->t, '.'))
        return complain(p, p->t + 1, "no such modifier here");
    if (p->operands++ == 0)
        return true;
    return need_mark(p, ',', ",");
}

static bool at_end(const struct parser *p) {
    return p->t->kind == TOKEN_END;
}

/* Reads the signs - | ~ before an operand. asfermi allows one of them, generic64 also - before
 * |. */
static bool begin_signs(struct parser *p, const struct field *f, bool *abs) {
    char shown[64];
    const struct token *at = p->t;
    *abs = false;
    if (accept_mark(p, '-')) {
        if (!f->neg)
            return complain(p, at, "this operand cannot be negated");
        parser_put(p, f->neg - 1u, 1, 1);
        at = p->t;
        if (!is_g64(p) && token_mark(at, '|'))
            return complain(p, at, "- and | cannot be combined in this notation");
    }
    if (accept_mark(p, '~')) {
        if (!f->invert)
            return complain(p, at, "this operand cannot be inverted");
        parser_put(p, f->invert - 1u, 1, 1);
    }
    if (accept_mark(p, '|')) {
        if (!f->abs)
            return complain(p, at, "no absolute value can be taken of %s", token_show(p->t, shown));
        parser_put(p, f->abs - 1u, 1, 1);
        *abs = true;
    }
    return true;
}

static bool register_name(struct parser *p, unsigned *n) {
    char shown[64];
    if (!is_g64(p) && token_is(p->t, "RZ")) {
        *n = FERMI_RZ;
    } else if (token_indexed(p->t, "R", n) || (is_g64(p) && token_indexed(p->t, "F", n))) {
        if (*n > (is_g64(p) ? 63u : 62u))
            return complain(p, p->t, "%s does not exist (max R%u)", token_show(p->t, shown),
                            is_g64(p) ? 63 : 62);
    } else {
        return expected(p, "a register (R0 ...)");
    }
    p->t++;
    return true;
}

/* asfermi only: a pair or a quad has to end before R63. */
static bool check_width(struct parser *p, unsigned n, unsigned width) {
    unsigned count = width / 32;
    if (is_g64(p) || n == FERMI_RZ || n + count - 1 < FERMI_RZ)
        return true;
    return complain(p, p->t - 1, "R%u is too large for %u bits (max R%u)", n, width,
                    FERMI_RZ - count);
}

static bool parse_signed_register(struct parser *p, const struct field *f, unsigned width,
                                  unsigned *n) {
    bool abs;
    return begin_signs(p, f, &abs) && register_name(p, n) && check_width(p, *n, width) &&
           (!abs || need_mark(p, '|', "|"));
}

bool parse_dot_reg(struct parser *p, const struct field *f) {
    unsigned n;
    if (f->optional && at_end(p))
        return parser_put_field(p, f, f->absent);
    if (!begin_operand(p) || !parse_signed_register(p, f, plain_width(p->op, f), &n))
        return false;
    return parser_put_field(p, f, n);
}

/* c[0x1][0x20] */
static bool parse_const(struct parser *p, unsigned max_bank, unsigned *bank, unsigned *offset) {
    uint64_t b, o;
    const struct token *at = p->t;
    p->t++;
    if (!need_mark(p, '[', "[") || !parse_value(p, 64, "a bank", &b) || !need_mark(p, ']', "]") ||
        !need_mark(p, '[', "["))
        return false;
    if (p->t->kind == TOKEN_WORD)
        return complain(p, p->t, "no register is possible here");
    if (!parse_value(p, 64, "an offset", &o) || !need_mark(p, ']', "]"))
        return false;
    if (b > max_bank)
        return complain(p, at + 2, "there are c[0x0] to c[0x%x] here", max_bank);
    if (o > 0xffff)
        return complain(p, p->t - 2, "constant offsets end at 0xffff");
    *bank = (unsigned)b;
    *offset = (unsigned)o;
    return true;
}

static bool parse_alu_const(struct parser *p, const struct field *f) {
    unsigned bank, offset;
    const struct token *at = p->t;
    return parse_const(p, f->absent ? f->absent : 31, &bank, &offset) &&
           parser_put_const(p, at, bank, offset);
}

static bool is_const(const struct token *t) {
    return token_is(t, "c") && token_mark(t + 1, '[');
}

/* F1.5, F-2.0e3, FH1.5, FL1.5: one word. */
static bool float_text(struct parser *p, double *value, char *half) {
    const char *s = p->t->text + 1, *const end = p->t->text + p->t->length;
    char number[64], *stop;
    *half = 0;
    if (p->t->kind != TOKEN_WORD || p->t->text[0] != 'F' || s == end)
        return false;
    if (*s == 'H' || *s == 'L')
        *half = *s++;
    const size_t n = (size_t)(end - s);
    if (n == 0 || n >= sizeof number || !strchr("0123456789+-", *s))
        return false;
    memcpy(number, s, n);
    number[n] = 0;
    *value = strtod(number, &stop);
    if (*stop || strspn(number, "0123456789.eE+-") != n)
        return false;
    p->t++;
    return true;
}

static bool is_hex(const struct token *t) {
    size_t sign = t->text[0] == '-';
    return t->length > sign + 1 && (t->text[sign + 1] == 'x' || t->text[sign + 1] == 'X');
}

/* A 20-bit immediate: hex digits unchanged, decimal integers, or the top bits of a float. A minus
 * sign belongs to the operand. */
static bool parse_imm20(struct parser *p, const struct field *f) {
    const struct token *at = p->t;
    double value;
    char half;
    uint64_t v;
    parser_put(p, 46, 2, 3);
    if (float_text(p, &value, &half)) {
        if (half)
            return complain(p, at, "half of a double does not fit 20 bits");
        v = float_bits((float)value) >> 12;
    } else {
        if (at->kind != TOKEN_NUMBER)
            return expected(p, "a register, c[][] or a number");
        p->t++;
        if (at->real || (!is_hex(at) && f->value != IMM_INT))
            return complain(p, at, "write 0x... for the bits or F1.5 for a number");
        v = at->negative ? 0 - at->value : at->value;
        if (at->negative) {
            if (!f->neg || (f->value == IMM_INT && f->optional))
                return complain(p, at, "this immediate cannot be negative");
            parser_put(p, f->neg - 1u, 1, 1);
        } else if (at->text[0] == '-' && f->neg) { /* -0x0: zero with the sign bit */
            parser_put(p, f->neg - 1u, 1, 1);
        }
    }
    if (v > 0xfffff)
        return complain(p, at, "the immediate does not fit 20 bits");
    return parser_put(p, 26, 20, v);
}

static unsigned source_width(const struct parser *p, const struct field *f) {
    enum op_type t =
        f->member ? *op_member((struct parser *)p, f) : op_slot_const(p->op, f->slot)->type;
    return type_width(t ? t : p->op->type) == 64 ? 64 : 32;
}

bool parse_dot_source(struct parser *p, const struct field *f) {
    unsigned n;
    bool abs;
    if (!begin_operand(p) || !begin_signs(p, f, &abs))
        return false;
    if (is_const(p->t)) {
        parser_put(p, 46, 2, 1);
        if (!parse_alu_const(p, f))
            return false;
    } else if (p->t->kind == TOKEN_NUMBER || (p->t->kind == TOKEN_WORD && p->t->text[0] == 'F')) {
        if (!parse_imm20(p, f))
            return false;
    } else {
        if (!register_name(p, &n))
            return expected(p, "c[][] or a number");
        if (!check_width(p, n, source_width(p, f)))
            return false;
        parser_put(p, 26, 6, n);
    }
    return !abs || need_mark(p, '|', "|");
}

bool parse_dot_third(struct parser *p, const struct field *f) {
    unsigned n;
    bool abs;
    if (!begin_operand(p))
        return false;
    if (is_const(p->t))
        return parser_move_second(p, "c[][]") && parse_alu_const(p, f);
    if (!begin_signs(p, f, &abs) || !register_name(p, &n) || !check_width(p, n, source_width(p, f)))
        return false;
    return parser_put(p, 49, 6, n);
}

/* ---- Numbers */

/* 32-bit immediates of asfermi: hex, decimal, float, half of a double or of a 64-bit integer. */
static bool parse_whole(struct parser *p, uint64_t *v) {
    const struct token *at = p->t;
    double value;
    char half, shown[64];
    if (float_text(p, &value, &half)) {
        uint64_t d;
        memcpy(&d, &value, sizeof d);
        *v = half == 'H' ? d >> 32 : half == 'L' ? d & 0xffffffff : float_bits((float)value);
        return true;
    }
    if (at->kind == TOKEN_WORD && (at->text[0] == 'H' || at->text[0] == 'L') && at->length > 1) {
        char number[32] = "", *end;
        if (at->length > sizeof number)
            return expected(p, "a number");
        memcpy(number, at->text + 1, at->length - 1);
        errno = 0;
        const uint64_t whole = strtoull(number, &end, 0);
        if (*end || errno)
            return expected(p, "a number");
        *v = at->text[0] == 'H' ? whole >> 32 : whole & 0xffffffff;
        p->t++;
        return true;
    }
    if (at->kind != TOKEN_NUMBER || at->real)
        return expected(p, "a number");
    p->t++;
    *v = at->value;
    return (int64_t)*v >= -INT64_C(0x100000000) && (int64_t)*v <= INT64_C(0xffffffff)
               ? true
               : complain(p, at, "%s does not fit 32 bits", token_show(at, shown));
}

/* generic64's floats are the top 22 bits of a single: 1.5, or its 32 bits in hex. */
static bool parse_float22(struct parser *p, uint64_t *v) {
    const struct token *at = p->t;
    char shown[64];
    if (at->kind != TOKEN_NUMBER)
        return expected(p, "a register or a number");
    p->t++;
    uint32_t word = at->real || is_hex(at) ? (uint32_t)at->value
                                           : float_bits((float)(double)(int64_t)at->value);
    if (word & 0x3ff || (is_hex(at) && at->value >> 32))
        return complain(p, at, "%s has more digits than 22 bits hold; load it with MOVI and MOVHI",
                        token_show(at, shown));
    *v = word >> 10;
    return true;
}

bool parse_dot_imm(struct parser *p, const struct field *f) {
    unsigned len = f->len + f->len2;
    uint64_t v;
    char shown[64];
    if (!begin_operand(p))
        return false;
    const struct token *at = p->t;
    if (f->value & DOT_IMM_WHOLE) {
        if (!parse_whole(p, &v))
            return false;
    } else if (f->value & DOT_IMM_FLOAT22) {
        if (!parse_float22(p, &v))
            return false;
    } else {
        if (at->kind != TOKEN_NUMBER && at->kind != TOKEN_NAME)
            return expected(p, "a number");
        if (at->real)
            return complain(p, at, "an integer is expected here");
        if (!parse_value(p, 64, "a number", &v))
            return false;
        if (f->neg && at->text[0] == '-') { /* a minus sign sets the operand's sign bit */
            parser_put(p, f->neg - 1u, 1, 1);
            v = 0 - v;
        }
        int64_t n = (int64_t)v, limit = INT64_C(1) << (f->value & DOT_IMM_SIGNED ? len - 1 : len);
        if (n >= limit || n < (f->value & DOT_IMM_SIGNED ? -limit : 0))
            return complain(p, at, "%s does not fit %u bits%s", token_show(at, shown), len,
                            f->value & DOT_IMM_SIGNED ? " with sign" : "");
    }
    return parser_put_field(p, f, v);
}

/* The modifiers of SCHI in binary: eight digits, the lowest bit first, perhaps behind a b. False:
 * the token has another form. */
static bool binary_digits(const struct token *t, uint64_t *v) {
    const char *s = t->text;
    uint32_t length = t->length;
    if (length && *s == 'b') {
        s++;
        length--;
    }
    if (length != 8 || (t->kind == TOKEN_NUMBER && is_hex(t)))
        return false;
    *v = 0;
    for (uint32_t i = 0; i < 8; i++) {
        if (s[i] != '0' && s[i] != '1')
            return false;
        *v |= (uint64_t)(s[i] - '0') << i;
    }
    return true;
}

bool parse_dot_number(struct parser *p, const struct field *f) {
    unsigned len = f->len + f->len2;
    uint64_t v;
    char shown[64];
    if (f->optional && at_end(p))
        return parser_put_field(p, f, f->absent);
    if (!begin_operand(p))
        return false;
    const struct token *at = p->t;
    if (f->value & DOT_BINARY && binary_digits(at, &v)) {
        p->t++;
    } else {
        if (at->kind != TOKEN_NUMBER || at->real)
            return expected(p, "a number");
        v = at->value;
        p->t++;
    }
    if (v >> len)
        return complain(p, at, "%s is too large (max 0x%x)", token_show(at, shown),
                        (1u << len) - 1);
    return parser_put_field(p, f, v);
}

/* An operand of BAR: a register, or a number; bit f->pos2 says that the operand is a number. */
bool parse_dot_either(struct parser *p, const struct field *f) {
    unsigned n;
    uint64_t v;
    bool predicate =
        token_mark(p->t, ',') && (token_mark(p->t + 1, '!') ||
                                  (p->t[1].kind == TOKEN_WORD && (p->t[1].text[0] | 32) == 'p'));
    if (f->optional && (at_end(p) || predicate))
        return parser_put(p, f->pos, 6, FERMI_RZ);
    if (!begin_operand(p))
        return false;
    const struct token *at = p->t;
    if (at->kind == TOKEN_NUMBER && !at->real) {
        v = at->value;
        if (v >> f->len)
            return complain(p, at, "too large (max 0x%x)", (1u << f->len) - 1);
        p->t++;
        parser_put(p, f->pos, f->len, v);
        return parser_put(p, f->pos2, 1, 1);
    }
    if (!register_name(p, &n))
        return expected(p, "a number");
    return parser_put(p, f->pos, 6, n);
}

bool parse_dot_pred(struct parser *p, const struct field *f) {
    unsigned n;
    if (f->optional && at_end(p))
        return parser_put_field(p, f, f->absent);
    if (!begin_operand(p))
        return false;
    const struct token *at = p->t;
    bool inverted = accept_mark(p, '!');
    if (inverted && !f->invert)
        return complain(p, at, "this predicate cannot be inverted");
    if (!predicate_name(p, "T", &n))
        return false;
    parser_put_field(p, f, n);
    if (f->invert)
        parser_put(p, f->invert - 1u, 1, inverted);
    return true;
}

/* ---- Memory, targets and the rest */

static bool offset_value_at(struct parser *p, int64_t *offset, bool negative) {
    const struct token *at = p->t;
    if (at->kind != TOKEN_NUMBER || at->real)
        return expected(p, "an offset");
    if (!is_g64(p) && !is_hex(at))
        return complain(p, at, "offsets are hexadecimal in this notation");
    p->t++;
    *offset = negative ? -(int64_t)at->value : (int64_t)at->value;
    return true;
}

/* R2, R2+0x10, R2 + -0x10, R2-0x10 or 0x10, up to the closing bracket. */
static bool parse_address(struct parser *p, unsigned *base, int64_t *offset) {
    *base = FERMI_RZ;
    *offset = 0;
    if (p->t->kind == TOKEN_WORD) {
        if (!register_name(p, base))
            return false;
        if (token_mark(p->t, ']'))
            return true;
        if (p->t->kind == TOKEN_NUMBER && p->t->text[0] == '-')
            return offset_value_at(p, offset, false);
        bool minus = accept_mark(p, '-');
        if (!minus && !need_mark(p, '+', "+, - or ]"))
            return false;
        return offset_value_at(p, offset, minus);
    }
    if (is_g64(p))
        return expected(p, "a register (R0 ...)");
    return offset_value_at(p, offset, false);
}

static bool put_offset(struct parser *p, const struct field *f, const struct token *at,
                       int64_t offset) {
    unsigned len = f->len + f->len2, unit = f->scale ? f->scale : 1;
    int64_t low = f->space->is_signed ? -(INT64_C(1) << (len - 1)) : 0;
    int64_t high = (INT64_C(1) << (f->space->is_signed ? len - 1 : len)) - 1;
    if (f->absent) /* asfermi's offsets have symmetric limits */
        low = -high;
    if (len == 32)
        high = UINT32_MAX;
    if (offset % unit)
        return complain(p, at, "the offset must be a multiple of %u", unit);
    offset /= (int64_t)unit;
    if (offset < low || offset > high)
        return complain(p, at, "the offset is out of range (%u bits%s)", len,
                        low ? " with sign" : "");
    return parser_put_field(p, f, (uint64_t)offset);
}

bool parse_dot_memory(struct parser *p, const struct field *f) {
    const struct space *s = f->space;
    unsigned base;
    int64_t offset;
    if (!begin_operand(p))
        return false;
    const struct token *at = p->t;
    if (s->file == FILE_CONST && s->bank_len) {
        uint64_t bank;
        if (!is_const(p->t))
            return expected(p, "c[0x0][..]");
        p->t++;
        if (!need_mark(p, '[', "[") || !parse_value(p, 64, "a bank", &bank) ||
            !need_mark(p, ']', "]"))
            return false;
        if (bank >> s->bank_len)
            return complain(p, at + 2, "there are c[0x0] to c[0x1f] here");
        parser_put(p, s->bank, s->bank_len, bank);
    }
    if (!need_mark(p, '[', "["))
        return false;
    at = p->t;
    if (!parse_address(p, &base, &offset) || !need_mark(p, ']', "]"))
        return false;
    if (plain_wide(s, p->w) && base == 62)
        return complain(p, at, "R62 is too large for a 64-bit address (max R61)");
    parser_put(p, s->base, 6, base);
    return put_offset(p, f, at, offset);
}

/* A target. asfermi: 0x40 absolute, or !label; generic64: 0x40, or a label's name. */
static bool target_value(struct parser *p, uint64_t *v) {
    struct token t = *p->t;
    char shown[64];
    bool label = !is_g64(p) && accept_mark(p, '!');
    if (label || (is_g64(p) && t.kind == TOKEN_WORD)) {
        t = *p->t;
        if (t.kind != TOKEN_WORD || !p->names || !p->names->find(p->names->self, &t, v))
            return complain(p, p->t, "%s is not defined", token_show(p->t, shown));
        p->t++;
        return true;
    }
    if (t.kind != TOKEN_NUMBER || t.real)
        return expected(p, is_g64(p) ? "a label or an address" : "an address, !label or c[][]");
    if (!is_g64(p) && (!is_hex(&t) || t.text[0] == '-'))
        return complain(p, p->t, "addresses are hexadecimal, without sign");
    p->t++;
    *v = t.value;
    return true;
}

bool parse_dot_target(struct parser *p, const struct field *f) {
    unsigned bank, offset, unit = is_g64(p) ? 8 : 1;
    uint64_t v;
    if (!begin_operand(p))
        return false;
    const struct token *at = p->t;
    if (!is_g64(p) && is_const(at)) {
        if (!parse_const(p, 31, &bank, &offset))
            return false;
        parser_put(p, 14, 1, 1);
        parser_put(p, 42, 5, bank);
        return parser_put(p, 26, 16, offset);
    }
    if (!target_value(p, &v))
        return false;
    if (v % unit)
        return complain(p, at, "instructions start at multiples of 8");
    if (!is_g64(p) && v >> 24)
        return complain(p, at, "the address does not fit 24 bits");
    if (v >> 32)
        return complain(p, at, "addresses have 32 bits");
    int64_t n = (int64_t)v;
    if (!(f->value & PLAIN_ABSOLUTE))
        n = (int32_t)((uint32_t)v - p->pc - 8); /* addresses wrap around at 32 bits */
    n /= (int64_t)unit;
    if (f->value & PLAIN_ABSOLUTE
            ? n >> f->len
            : sign_extended((uint64_t)n & ((UINT64_C(1) << f->len) - 1), f->len) != n)
        return complain(p, at, "the target is too far away (%u bits)", f->len);
    return parser_put_field(p, f, (uint64_t)n);
}

static bool find_word(const struct token *t, const char *prefix, const char *const *names,
                      unsigned count, unsigned *n) {
    size_t skip = strlen(prefix);
    if (t->kind != TOKEN_WORD || t->length <= skip || memcmp(t->text, prefix, skip))
        return false;
    for (*n = 0; *n < count; ++*n)
        if (names[*n] && strlen(names[*n]) == t->length - skip &&
            !memcmp(names[*n], t->text + skip, t->length - skip))
            return true;
    return false;
}

bool parse_dot_special(struct parser *p, const struct field *f) {
    unsigned n;
    if (!begin_operand(p))
        return false;
    bool found = is_g64(p) ? find_word(p->t, "", isa_g64_specials, 16, &n)
                           : find_word(p->t, "SR_", isa_asfermi_specials, 256, &n) ||
                                 (token_indexed(p->t, "SR", &n) && n < 256);
    if (!found)
        return expected(p, is_g64(p) ? "a special register (TIDX CTAX NTIDX LANE ...)"
                                     : "a special register (SR_Tid_X ... or SR0 to SR255)");
    p->t++;
    return parser_put_field(p, f, n);
}

/* NOP's test, CC.LT; an event number may follow. */
bool parse_dot_test(struct parser *p, const struct field *f) {
    parser_put_field(p, f, PRED_ALWAYS);
    if (at_end(p))
        return true;
    if (!begin_operand(p))
        return false;
    if (!token_is(p->t, "CC") || !token_mark(p->t + 1, '.'))
        return expected(p, "CC.T, CC.LT ...");
    for (unsigned i = 0; i < 32; i++) {
        if (!token_is(p->t + 2, isa_asfermi_tests[i]))
            continue;
        parser_put_field(p, f, i);
        p->t += 3;
        return true;
    }
    return complain(p, p->t + 2, "unknown test of CC");
}

bool parse_dot_texture(struct parser *p, const struct field *) {
    static const struct {
        uint8_t pos, len;
        const char *what;
    } parts[] = {{14, 6, "a texture"}, {20, 5, "a sampler"}, {25, 4, "a component mask"}};
    if (!begin_operand(p))
        return false;
    for (int i = 0; i < 3; i++) {
        uint64_t v;
        const struct token *at = p->t + (i > 0);
        if ((i && !need_mark(p, ':', ":")) || !parse_value(p, 64, parts[i].what, &v))
            return false;
        if (v >> parts[i].len)
            return complain(p, at, "%s is at most %u", parts[i].what, (1u << parts[i].len) - 1);
        parser_put(p, parts[i].pos, parts[i].len, v);
    }
    return true;
}
