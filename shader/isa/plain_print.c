/* Printing of the plain kinds of fields: the bits of a Fermi's field as envyas text. In: the word
 * and the decoded op. Out: text. Facts: fermi-isa.md §12.
 */
#include "shader/isa/plain.h"

#include <inttypes.h>

static uint32_t bits(const struct printer *p, unsigned pos, unsigned len) {
    return field_bits(p->w, pos, len);
}

static void append_hex(struct printer *p, int64_t v) {
    if (v < 0)
        print_append(p, "-0x%" PRIx64, -(uint64_t)v);
    else
        print_append(p, "0x%" PRIx64, v);
}

static void print_hex(struct printer *p, int64_t v) {
    print_begin_word(p);
    append_hex(p, v);
}

void print_plain_flag(struct printer *p, const struct field *f) {
    if (field_get(f, p->w))
        print_token(p, f->word);
}

void print_plain_choice(struct printer *p, const struct field *f) {
    const char *name = f->choice[field_get(f, p->w)].name;
    if (name && *name)
        print_token(p, name);
}

void print_plain_join(struct printer *p, const struct field *f) {
    if (field_get(f, p->w))
        print_token(p, "join");
}

void print_plain_guard(struct printer *p, const struct field *f) {
    unsigned n = bits(p, f->pos, 3);
    bool negated = bits(p, f->pos + 3, 1);
    if (n == FERMI_PT) {
        if (negated)
            print_token(p, "never");
        return;
    }
    print_begin_word(p);
    print_append(p, negated ? "(not $p%u)" : "$p%u", n);
}

void print_plain_cc(struct printer *p, const struct field *f) {
    const char *name = isa_fermi_tests[field_get(f, p->w)];
    if (!*name)
        return;
    print_token(p, name);
    print_token(p, "$c");
}

void print_plain_lanes(struct printer *p, const struct field *f) {
    unsigned mask = field_get(f, p->w);
    if (mask == 0xf)
        return;
    print_begin_word(p);
    print_append(p, mask ? "l" : "lnone");
    for (unsigned i = 0; i < 4; i++)
        if (mask >> i & 1)
            print_append(p, "%u", i);
}

void print_plain_flag_register(struct printer *p, const struct field *f) {
    if (field_get(f, p->w))
        print_token(p, "$c");
}

/* $r63 is printed as 0x0, but as a register if it is a pair or a quad. */
static void append_register(struct printer *p, unsigned n, unsigned width) {
    if (n == FERMI_RZ && width == 32)
        print_append(p, "0x0");
    else
        print_append(p, "$r%u%s", n, width == 64 ? "d" : width == 128 ? "q" : "");
}

static void print_register(struct printer *p, unsigned n, unsigned width) {
    print_begin_word(p);
    append_register(p, n, width);
}

void print_plain_reg(struct printer *p, const struct field *f) {
    print_register(p, field_get(f, p->w), f->value & PLAIN_SINGLE ? 32 : plain_width(p->op, f));
}

static void print_const(struct printer *p, unsigned bank, uint32_t offset) {
    print_begin_word(p);
    print_append(p, "c%u[0x%x]", bank, offset);
}

static void print_alu_const(struct printer *p) {
    print_const(p, bits(p, 42, 4) | bits(p, 26, 1) << 4, bits(p, 28, 14) * 4);
}

void print_plain_source(struct printer *p, const struct field *f) {
    uint64_t v = bits(p, 26, 20);
    switch (1 << bits(p, 46, 2)) {
    case SOURCE_REG:
        print_register(p, bits(p, 26, 6), slot_width(p->op, f->slot));
        break;
    case SOURCE_CONST:
        print_alu_const(p);
        break;
    case SOURCE_THIRD:
        print_register(p, bits(p, 49, 6), slot_width(p->op, f->slot));
        break;
    default:
        print_hex(p, f->value == IMM_FLOAT    ? (int64_t)(v << 12)
                     : f->value == IMM_DOUBLE ? (int64_t)(v << 44)
                                              : sign_extended(v, 20));
    }
}

void print_plain_third(struct printer *p, const struct field *f) {
    if (1 << bits(p, 46, 2) == SOURCE_THIRD)
        print_alu_const(p);
    else
        print_register(p, bits(p, 49, 6), slot_width(p->op, f->slot));
}

void print_plain_short_src(struct printer *p, const struct field *f) {
    static const uint8_t banks[] = {0, 0, 1, 16};
    unsigned form = bits(p, f->pos2, 2);
    if (form == 0)
        print_register(p, bits(p, f->pos, 6), 32);
    else
        print_const(p, banks[form], bits(p, f->pos, 6) * 4);
}

void print_plain_imm(struct printer *p, const struct field *f) {
    uint64_t v = field_get(f, p->w);
    print_hex(p, f->value & PLAIN_SIGNED ? sign_extended(v, f->len + f->len2)
                                         : (int64_t)(v << f->scale));
}

void print_plain_number(struct printer *p, const struct field *f) {
    uint64_t v = field_get(f, p->w);
    print_hex(p, f->value & PLAIN_SIGNED ? sign_extended(v, f->len + f->len2) : (int64_t)v);
}

void print_plain_special(struct printer *p, const struct field *f) {
    unsigned n = field_get(f, p->w);
    print_begin_word(p);
    if (isa_fermi_specials[n])
        print_append(p, "$%s", isa_fermi_specials[n]);
    else
        print_append(p, "$sr%u", n);
}

static void append_predicate(struct printer *p, unsigned n) {
    if (n == FERMI_PT)
        print_append(p, "0x1");
    else
        print_append(p, "$p%u", n);
}

void print_plain_pdst(struct printer *p, const struct field *f) {
    print_begin_word(p);
    append_predicate(p, field_get(f, p->w));
}

static void print_predicate(struct printer *p, unsigned n, bool negated) {
    if (negated)
        print_token(p, "not");
    print_begin_word(p);
    append_predicate(p, n);
}

void print_plain_psrc(struct printer *p, const struct field *f) {
    bool negated = bits(p, f->pos2, 1);
    if (negated && f->value & PLAIN_PARENTHESES) {
        print_begin_word(p);
        print_append(p, "(not ");
        append_predicate(p, bits(p, f->pos, 3));
        print_append(p, ")");
    } else {
        print_predicate(p, bits(p, f->pos, 3), negated);
    }
}

static const char *const logic_words[] = {"and", "or", "xor", "?"};

void print_plain_plogic(struct printer *p, const struct field *) {
    unsigned n = bits(p, 49, 3), logic = bits(p, 53, 2);
    bool negated = bits(p, 52, 1);
    if (n == FERMI_PT && !negated && logic == PLOGIC_AND)
        return;
    print_token(p, logic_words[logic]);
    print_predicate(p, n, negated);
}

void print_plain_ppair(struct printer *p, const struct field *f) {
    unsigned n = bits(p, f->pos, 3), logic = field_bits(p->w, f->pos2, 2);
    bool negated = bits(p, f->scale, 1);
    print_predicate(p, bits(p, 20, 3), bits(p, 23, 1));
    bool none =
        p->op->words == 2 ? bits(p, 26, 6) == 0 : n == FERMI_PT && !negated && logic == PLOGIC_AND;
    if (none)
        return;
    print_token(p, logic_words[logic]);
    print_predicate(p, n, negated);
}

static void print_offset(struct printer *p, int64_t offset, bool based) {
    if (!based)
        print_append(p, "0x%" PRIx64, (uint64_t)offset);
    else if (offset)
        print_append(p, "%s0x%" PRIx64, offset < 0 ? "-" : "+",
                     offset < 0 ? -(uint64_t)offset : (uint64_t)offset);
}

void print_plain_memory(struct printer *p, const struct field *f) {
    const struct space *s = f->space;
    unsigned base = s->base == NO_BITS ? FERMI_RZ : bits(p, s->base, 6);
    bool wide = plain_wide(s, p->w), based = base != FERMI_RZ || wide;
    int64_t offset = field_get(f, p->w);
    if (s->is_signed && f->len)
        offset = sign_extended((uint64_t)offset, f->len + f->len2);
    print_begin_word(p);
    print_append(p, "%s", s->name);
    if (s->file == FILE_CONST)
        print_append(p, "%u", plain_bank(s, p->w));
    print_append(p, "[");
    if (based)
        print_append(p, "$r%u%s", base, wide ? "d" : "");
    print_offset(p, offset * plain_offset_unit(p->op, f), based);
    print_append(p, "]");
}

void print_plain_target(struct printer *p, const struct field *f) {
    uint32_t target = p->op->target;
    bool absolute = f->value & PLAIN_ABSOLUTE;
    if (f->value & PLAIN_SIGNED) {
        print_hex(p, (int32_t)target);
        return;
    }
    print_begin_word(p);
    print_append(p, "0x%" PRIx64, absolute ? target : (uint64_t)(int64_t)(int32_t)target);
}

void print_plain_unit(struct printer *p, const struct field *f) {
    print_begin_word(p);
    print_append(p, "%s%u", f->word, field_get(f, p->w));
}

static void print_vector(struct printer *p, unsigned n, unsigned count) {
    print_begin_word(p);
    if (!count)
        print_append(p, "()");
    for (unsigned i = 0; i < count; i++)
        print_append(p, "%s$r%u", i ? ":" : "", n + i);
}

void print_plain_vector(struct printer *p, const struct field *f) {
    print_vector(p, bits(p, f->pos, 6), plain_vector_count(f, p->w));
}

void print_plain_masked(struct printer *p, const struct field *f) {
    print_masked(p, bits(p, f->pos, 6), bits(p, f->pos2, 4));
}

void print_plain_tex1(struct printer *p, const struct field *f) {
    print_vector(p, bits(p, f->pos, 6), plain_tex_sources(p->op).first);
}

void print_plain_tex2(struct printer *p, const struct field *f) {
    print_vector(p, bits(p, f->pos, 6), plain_tex_sources(p->op).second);
}
