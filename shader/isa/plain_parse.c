/* Parsing of the plain kinds of fields: envyas text to the bits of a Fermi's field. In: tokens.
 * Out: the word, and those members of the op that later fields of the row depend on. Part of the
 * parser (parser.h). Facts: fermi-isa.md §12.
 */
#include "shader/isa/parser.h"
#include "shader/isa/plain.h"

static void set_member(struct parser *p, const struct field *f, uint8_t v) {
    if (f->member)
        *op_member(p, f) = v;
}

bool parse_plain_flag(struct parser *p, const struct field *f) {
    if (accept_word(p, f->word)) {
        parser_put(p, f->pos, 1, 1);
        set_member(p, f, f->value);
    }
    return true;
}

bool parse_plain_choice(struct parser *p, const struct field *f) {
    unsigned n = 1u << (f->len + f->len2);
    int none = -1;
    for (unsigned i = 0; i < n; i++) {
        const char *name = f->choice[i].name;
        if (name && !*name && none < 0)
            none = (int)i;
        if (!name || !*name || !token_is(p->t, name))
            continue;
        parser_put_field(p, f, i);
        set_member(p, f, f->choice[i].value);
        p->t++;
        return true;
    }
    if (none >= 0) {
        parser_put_field(p, f, (unsigned)none);
        set_member(p, f, f->choice[none].value);
        return true;
    }
    for (unsigned i = 0; i < n; i++)
        if (f->choice[i].name)
            expected(p, f->choice[i].name);
    return false;
}

/* Parses one of two fields that share their bits. p->candidates: the values of the bits that fit
 * the words read so far. */
bool parse_plain_shared(struct parser *p, const struct field *f) {
    uint32_t fits = 0, silent = 0;
    for (unsigned i = 0; i < 1u << f->len; i++) {
        const char *name = f->choice[i].name;
        if (name && !*name)
            silent |= 1u << i;
        else if (name && token_is(p->t, name))
            fits |= 1u << i;
    }
    bool named = fits != 0;
    fits = (named ? fits : silent) & p->candidates;
    if (!fits) {
        for (unsigned i = 0; i < 1u << f->len; i++)
            if (f->choice[i].name && *f->choice[i].name && p->candidates >> i & 1)
                expected(p, f->choice[i].name);
        return false;
    }
    unsigned value = (unsigned)__builtin_ctz(fits);
    p->candidates = fits;
    p->t += named;
    parser_put_field(p, f, value);
    set_member(p, f, f->choice[value].value);
    return true;
}

bool parse_plain_join(struct parser *p, const struct field *f) {
    if (accept_word(p, "join"))
        parser_put_field(p, f, 1);
    return true;
}

bool token_is_test(const struct token *t) {
    for (unsigned i = 0; i < 32; i++)
        if (token_is(t, isa_fermi_tests[i]))
            return true;
    return false;
}

static bool is_test(const struct token *t) {
    return token_is(t + 1, "$c") && token_is_test(t);
}

bool parse_plain_guard(struct parser *p, const struct field *f) {
    bool negated = token_mark(p->t, '(') && token_is(p->t + 1, "not");
    const struct token *t = p->t + 2 * negated;
    unsigned n;
    parser_put(p, f->pos, 4, FERMI_PT);
    if (token_is(p->t, "never") && !is_test(p->t)) {
        parser_put(p, f->pos, 4, 8 | FERMI_PT);
        p->t++;
    } else if (token_indexed(t, "$p", &n)) {
        if (n > FERMI_PT)
            return complain(p, t, "there are $p0 to $p7");
        parser_put(p, f->pos, 4, n | (negated ? 8 : 0));
        p->t = t + 1;
        return !negated || need_mark(p, ')', ")");
    }
    return true;
}

bool parse_plain_cc(struct parser *p, const struct field *f) {
    parser_put_field(p, f, PRED_ALWAYS);
    if (!is_test(p->t))
        return true;
    for (unsigned i = 0; i < 32; i++)
        if (token_is(p->t, isa_fermi_tests[i]))
            parser_put_field(p, f, i);
    p->t += 2;
    return true;
}

bool token_lanes(const struct token *t, unsigned *mask) {
    *mask = 0;
    if (token_is(t, "lnone"))
        return true;
    if (t->kind != TOKEN_WORD || t->text[0] != 'l')
        return false;
    for (uint32_t i = 1; i < t->length; i++) {
        if (t->text[i] < '0' || t->text[i] > '3')
            return false;
        *mask |= 1u << (t->text[i] - '0');
    }
    return true;
}

bool parse_plain_lanes(struct parser *p, const struct field *f) {
    unsigned mask = 0xf;
    if (token_lanes(p->t, &mask))
        p->t++;
    else
        mask = 0xf;
    return parser_put_field(p, f, mask);
}

bool parse_plain_flag_register(struct parser *p, const struct field *f) {
    if (accept_word(p, "$c"))
        parser_put_field(p, f, 1);
    return true;
}

/* ---- Registers and immediates */

static const char *register_name(unsigned width) {
    return width == 64    ? "a 64-bit register ($r0d ...)"
           : width == 128 ? "a 128-bit register ($r0q ...)"
                          : "a register ($r0 ... or 0x0)";
}

static bool is_register(const struct token *t) {
    return t->kind == TOKEN_WORD && t->length > 2 && !memcmp(t->text, "$r", 2);
}

/* Reads $r5 $r4d $r4q, or 0x0 for a 32-bit zero. */
static bool parse_register(struct parser *p, unsigned width, unsigned *n) {
    struct token digits = *p->t;
    char shown[64], suffix = width == 64 ? 'd' : width == 128 ? 'q' : 0;
    if (width == 32 && digits.kind == TOKEN_NUMBER && digits.value == 0) {
        *n = FERMI_RZ;
        p->t++;
        return true;
    }
    if (!is_register(&digits))
        return expected(p, register_name(width));
    char last = digits.text[digits.length - 1];
    if ((last == 'd' || last == 'q' ? last : 0) != suffix)
        return expected(p, register_name(width));
    digits.length -= suffix != 0;
    if (!token_indexed(&digits, "$r", n))
        return complain(p, p->t, "unknown register %s", token_show(p->t, shown));
    if (*n > FERMI_RZ)
        return complain(p, p->t, "%s does not exist (max $r63, which is 0)",
                        token_show(p->t, shown));
    if (*n != FERMI_RZ && *n % (width / 32))
        return complain(p, p->t, "%s must start at a multiple of %u", token_show(p->t, shown),
                        width / 32);
    p->t++;
    return true;
}

bool parse_plain_reg(struct parser *p, const struct field *f) {
    unsigned n;
    if (!parse_register(p, f->value & PLAIN_SINGLE ? 32 : plain_width(p->op, f), &n))
        return false;
    return parser_put_field(p, f, n);
}

static bool is_const(const struct token *t) {
    unsigned n;
    return token_indexed(t, "c", &n) && token_mark(t + 1, '[');
}

static bool parse_bank(struct parser *p, unsigned *bank, uint64_t *offset) {
    return parse_indexed(p, "c", 31, "c0[..] to c31[..]", bank) && need_mark(p, '[', "[") &&
           parse_value(p, 16, "an offset", offset) && need_mark(p, ']', "]");
}

bool parser_put_const(struct parser *p, const struct token *at, unsigned bank, uint64_t offset) {
    if (offset % 4)
        return complain(p, at, "the offset must be a multiple of 4");
    parser_put(p, 42, 4, bank);
    parser_put(p, 26, 1, bank >> 4);
    return parser_put(p, 28, 14, offset / 4);
}

bool parser_move_second(struct parser *p, const char *what) {
    if (field_bits(p->w, 46, 2))
        return complain(p, p->t, "only one source can be %s or a number", what);
    parser_put(p, 49, 6, field_bits(p->w, 26, 6));
    parser_put(p, 26, 20, 0);
    return parser_put(p, 46, 2, 2);
}

static bool parse_alu_const(struct parser *p) {
    const struct token *at = p->t;
    unsigned bank;
    uint64_t offset;
    return parse_bank(p, &bank, &offset) && parser_put_const(p, at + 2, bank, offset);
}

/* Finds the contents of a field of len bits for v, whose low `shift` bits must be 0. Signed numbers
 * are not shifted. */
static bool shifted(struct parser *p, const struct token *at, uint64_t v, unsigned len,
                    unsigned shift, unsigned width, bool is_signed, uint64_t *field) {
    char shown[64];
    int64_t value = is_signed || width == 64 ? (int64_t)v : (int64_t)(v & 0xffffffff);
    bool high = !is_signed && width < 64 && v >> 32 && v >> 32 != 0xffffffff;
    uint64_t mask = (UINT64_C(1) << len) - 1;
    *field = ((uint64_t)value >> shift) & mask;
    int64_t back = is_signed ? sign_extended(*field, len) : (int64_t)(*field << shift);
    if (back != value || high)
        return complain(p, at, "%s has no encoding here (%u bits%s, a multiple of 0x%llx)",
                        token_show(at, shown), len, is_signed ? ", signed" : "", 1ull << shift);
    return true;
}

static bool parse_source_immediate(struct parser *p, const struct field *f) {
    static const uint8_t shifts[] = {[IMM_INT] = 0, [IMM_FLOAT] = 12, [IMM_DOUBLE] = 44};
    const struct token *at = p->t;
    uint64_t v, field;
    if (!parse_value(p, 64, "a number", &v) ||
        !shifted(p, at, v, 20, shifts[f->value], f->value == IMM_DOUBLE ? 64 : 32,
                 f->value == IMM_INT, &field))
        return false;
    parser_put(p, 26, 20, field);
    return parser_put(p, 46, 2, 3);
}

bool parse_plain_source(struct parser *p, const struct field *f) {
    unsigned width = slot_width(p->op, f->slot), n;
    bool zero = p->t->kind == TOKEN_NUMBER && p->t->value == 0 && width == 32;
    if (is_const(p->t) && f->scale & SOURCE_CONST) {
        parser_put(p, 46, 2, 1);
        return parse_alu_const(p);
    }
    if ((p->t->kind == TOKEN_NUMBER || p->t->kind == TOKEN_NAME) && !zero && f->scale & SOURCE_IMM)
        return parse_source_immediate(p, f);
    if (!parse_register(p, width, &n))
        return f->scale & SOURCE_CONST ? expected(p, "c[]") : false;
    return parser_put(p, 26, 6, n);
}

bool parse_plain_third(struct parser *p, const struct field *f) {
    unsigned n;
    if (is_const(p->t))
        return parser_move_second(p, "c[]") && parse_alu_const(p);
    return parse_register(p, slot_width(p->op, f->slot), &n) && parser_put(p, 49, 6, n);
}

bool parse_plain_short_src(struct parser *p, const struct field *f) {
    unsigned bank, n;
    uint64_t offset;
    const struct token *at = p->t;
    if (!is_const(p->t)) {
        if (f->value)
            return expected(p, "c0[], c1[] or c16[]");
        return parse_register(p, 32, &n) && parser_put(p, f->pos, 6, n);
    }
    if (!parse_bank(p, &bank, &offset))
        return false;
    if ((bank > 1 && bank != 16) || offset % 4 || offset >= 256)
        return complain(p, at,
                        "a short instruction reaches words of c0[], c1[] and c16[] "
                        "below 0x100");
    parser_put(p, f->pos, 6, offset / 4);
    return parser_put(p, f->pos2, 2, bank == 16 ? 3 : bank + 1);
}

bool parse_plain_imm(struct parser *p, const struct field *f) {
    const struct token *at = p->t;
    uint64_t v, field;
    unsigned len = f->len + f->len2;
    char shown[64];
    if (!parse_value(p, 64, "a number", &v))
        return false;
    if (len == 32) {
        if ((int64_t)v < INT32_MIN || (int64_t)v > (int64_t)UINT32_MAX)
            return complain(p, at, "%s does not fit 32 bits", token_show(at, shown));
        field = v;
    } else if (!shifted(p, at, v, len, f->scale, 32, f->value & PLAIN_SIGNED, &field)) {
        return false;
    }
    return parser_put_field(p, f, field);
}

bool parse_plain_number(struct parser *p, const struct field *f) {
    const struct token *at = p->t;
    uint64_t v, field;
    unsigned len = f->len + f->len2;
    if (!parse_value(p, 64, "a number", &v) ||
        !shifted(p, at, v, len, 0, 64, f->value & PLAIN_SIGNED, &field))
        return false;
    return parser_put_field(p, f, field);
}

bool parse_plain_special(struct parser *p, const struct field *f) {
    unsigned n;
    if (token_indexed(p->t, "$sr", &n) && n < 256) {
        parser_put_field(p, f, n);
        p->t++;
        return true;
    }
    for (n = 0; n < 256; n++) {
        const char *name = isa_fermi_specials[n];
        if (!name || p->t->kind != TOKEN_WORD || p->t->length != strlen(name) + 1 ||
            p->t->text[0] != '$' || memcmp(p->t->text + 1, name, p->t->length - 1))
            continue;
        parser_put_field(p, f, n);
        p->t++;
        return true;
    }
    return expected(p, "a special register ($tidx, $ctaidx, $laneid ... or $sr<n>)");
}

/* ---- Predicates */

static bool parse_predicate(struct parser *p, unsigned *n) {
    if (p->t->kind == TOKEN_NUMBER && p->t->value == 1) {
        *n = FERMI_PT;
        p->t++;
        return true;
    }
    return parse_indexed(p, "$p", FERMI_PT, "a predicate ($p0 ... or 0x1)", n);
}

bool parse_plain_pdst(struct parser *p, const struct field *f) {
    unsigned n;
    return parse_predicate(p, &n) && parser_put_field(p, f, n);
}

/* Reads "$p1" or "not $p1" into the bits from `pos` and the bit `negation`. */
static bool parse_negatable(struct parser *p, unsigned pos, unsigned negation) {
    const bool negated = accept_word(p, "not");
    unsigned n;
    return parse_predicate(p, &n) && parser_put(p, pos, 3, n) &&
           parser_put(p, negation, 1, negated);
}

bool parse_plain_psrc(struct parser *p, const struct field *f) {
    const bool brackets = f->value & PLAIN_PARENTHESES && accept_mark(p, '(');
    return parse_negatable(p, f->pos, f->pos2) && (!brackets || need_mark(p, ')', ")"));
}

static int logic_word(const struct token *t) {
    return token_is(t, "and")   ? PLOGIC_AND
           : token_is(t, "or")  ? PLOGIC_OR
           : token_is(t, "xor") ? PLOGIC_XOR
                                : -1;
}

bool parse_plain_plogic(struct parser *p, const struct field *) {
    const int logic = logic_word(p->t);
    if (logic < 0)
        return parser_put(p, 49, 4, FERMI_PT);
    p->t++;
    parser_put(p, 53, 2, (unsigned)logic);
    return parse_negatable(p, 49, 52);
}

/* True at "and 0x1" at the end of a statement. */
static bool ends_in_and_true(const struct token *t) {
    return token_is(t, "and") && t[1].kind == TOKEN_NUMBER && t[1].value == 1 &&
           t[2].kind == TOKEN_END;
}

/* True if the text at p->t begins with a pair of predicates. If the row has a further combination,
 * the text "$p0 and $p1" is one predicate and the further combination. Two texts begin with a pair:
 * "$p0 and $p1 or $p2", and "$p0 and 0x1", because a further combination with true is never
 * printed. */
static bool pair_ahead(const struct parser *p) {
    unsigned words = 0;
    for (const struct token *t = p->t; t->kind != TOKEN_END; t++)
        words += logic_word(t) >= 0;
    return words > (p->row->form == FORM_8) || ends_in_and_true(p->t);
}

bool parse_plain_ppair(struct parser *p, const struct field *f) {
    if (!parse_negatable(p, 20, 23))
        return false;
    const int logic = pair_ahead(p) ? logic_word(p->t) : -1;
    if (logic < 0) {
        parser_put(p, f->pos, 3, p->row->form == FORM_8 ? 0 : FERMI_PT);
        return parser_put(p, f->scale, 1, 0);
    }
    p->t++;
    parser_put(p, f->pos2, 2, (unsigned)logic);
    return parse_negatable(p, f->pos, f->scale);
}

/* ---- Memory */

static bool parse_base(struct parser *p, const struct space *s, bool *based) {
    unsigned n = FERMI_RZ;
    bool pair = false;
    *based = is_register(p->t);
    if (s->base == NO_BITS)
        return !*based || complain(p, p->t, "no register is possible here");
    if (*based) {
        pair = p->t->text[p->t->length - 1] == 'd';
        if (!parse_register(p, pair ? 64 : 32, &n))
            return false;
        if (pair && s->wide == NO_BITS)
            return complain(p, p->t - 1, "%s[] has 32-bit addresses", s->name);
        if (!pair && s->wide == ALWAYS)
            return complain(p, p->t - 1, "the address is a 64-bit register ($r0d ...)");
    } else if (s->wide == ALWAYS) {
        return expected(p, "a 64-bit register ($r0d ...)");
    }
    parser_put(p, s->base, 6, n);
    if (s->wide < ALWAYS)
        parser_put(p, s->wide, 1, pair);
    return true;
}

static bool parse_offset(struct parser *p, const struct field *f, bool based) {
    const struct token *at;
    const struct space *s = f->space;
    unsigned unit = plain_offset_unit(p->op, f), len = f->len + f->len2;
    uint64_t v = 0;
    if (token_mark(p->t, ']') && based)
        return true;
    if (based && !accept_mark(p, '+') && !(p->t->kind == TOKEN_NUMBER && p->t->text[0] == '-'))
        return expected(p, "+, - or ]");
    at = p->t;
    if (!len)
        return expected(p, "]");
    if (!parse_value(p, 64, "an offset", &v))
        return false;
    int64_t value = (int64_t)v;
    if (!(value >> 32) && value >> 31 && s->is_signed && len == 32)
        value = (int32_t)value;
    int64_t units = value / (int64_t)unit;
    uint64_t mask = (UINT64_C(1) << len) - 1;
    int64_t back = s->is_signed ? sign_extended((uint64_t)units & mask, len)
                                : (int64_t)((uint64_t)units & mask);
    if (units * (int64_t)unit != value)
        return complain(p, at, "the offset must be a multiple of %u", unit);
    if (back != units)
        return complain(p, at, "the offset is out of range (%u bits%s)", len,
                        s->is_signed ? ", signed" : "");
    return parser_put_field(p, f, (uint64_t)units);
}

bool parse_plain_memory(struct parser *p, const struct field *f) {
    const struct space *s = f->space;
    char what[16];
    unsigned bank;
    bool based;
    snprintf(what, sizeof what, "%s[]", s->name);
    if (s->file == FILE_CONST) {
        if (!is_const(p->t))
            return expected(p, what);
        unsigned max = s->bank_add + (1u << (s->bank_len + s->bank2_len)) - 1;
        if (!parse_indexed(p, "c", max, what, &bank))
            return false;
        parser_put(p, s->bank, s->bank_len, bank);
        if (s->bank2_len)
            parser_put(p, s->bank2, s->bank2_len, bank >> s->bank_len);
    } else {
        if (!token_is(p->t, s->name) || !token_mark(p->t + 1, '['))
            return expected(p, what);
        p->t++;
    }
    return need_mark(p, '[', "[") && parse_base(p, s, &based) && parse_offset(p, f, based) &&
           need_mark(p, ']', "]");
}

/* A short form accepts numbers only: the length of an instruction is chosen before the addresses of
 * labels are known. */
bool parse_plain_target(struct parser *p, const struct field *f) {
    const struct token *at = p->t;
    unsigned len = f->len + f->len2;
    uint64_t v;
    if (p->row->form == FORM_4 && at->kind == TOKEN_NAME)
        return complain(p, at, "a label needs the long form");
    if (!parse_value(p, 64, "a target: #label or an address", &v))
        return false;
    if (f->value & PLAIN_ABSOLUTE) {
        if (v >> len)
            return complain(p, at, "the address does not fit %u bits", len);
        return parser_put_field(p, f, v);
    }
    int64_t offset = (int64_t)(v - p->pc - (p->row->form == FORM_4 ? 4 : 8));
    int64_t units = offset >> f->scale;
    if (units * (1 << f->scale) != offset)
        return complain(p, at, "code addresses are multiples of %u", 1u << f->scale);
    if (sign_extended((uint64_t)units & ((UINT64_C(1) << len) - 1), len) != units)
        return complain(p, at, "the target is too far away (%u bits, signed)", len + f->scale);
    return parser_put_field(p, f, (uint64_t)units);
}

/* ---- Textures */

bool parse_plain_unit(struct parser *p, const struct field *f) {
    char what[16];
    unsigned n, max = (1u << f->len) - 1;
    snprintf(what, sizeof what, "%s0..%s%u", f->word, f->word, max);
    return parse_indexed(p, f->word, max, what, &n) && parser_put_field(p, f, n);
}

/* Reads one register of a vector. If *next is not negative, the register must have this number. A
 * vector that starts at $r63 has names up to $r66. */
static bool parse_component(struct parser *p, int *next) {
    unsigned n;
    if (!token_indexed(p->t, "$r", &n) || n > FERMI_RZ + 3)
        return expected(p, "a register ($r0 ...)");
    if (*next >= 0 && (int)n != *next)
        return complain(p, p->t, "registers must be consecutive: $r%d", *next);
    *next = (int)n + 1;
    p->t++;
    return true;
}

static bool parse_registers(struct parser *p, unsigned pos, unsigned count) {
    int next = -1;
    if (count == 0)
        return need_mark(p, '(', "() (no further sources)") && need_mark(p, ')', ")");
    for (unsigned i = 0; i < count; i++)
        if ((i && !need_mark(p, ':', ":")) || !parse_component(p, &next))
            return false;
    unsigned first = (unsigned)next - count;
    if (first > FERMI_RZ)
        return complain(p, p->t - 1, "a vector starts at $r0 to $r63");
    return parser_put(p, pos, 6, first);
}

/* Vectors whose size follows from bits of the word: attributes, coordinates of surfaces. */
bool parse_plain_vector(struct parser *p, const struct field *f) {
    return parse_registers(p, f->pos, plain_vector_count(f, p->w));
}

bool parse_plain_masked(struct parser *p, const struct field *f) {
    unsigned mask = 0;
    int next = -1, first = -1;
    for (unsigned i = 0; i < 4; i++) {
        if (i && !need_mark(p, ':', ": (four components, # for those not wanted)"))
            return false;
        if (accept_mark(p, '#'))
            continue;
        if (!parse_component(p, &next))
            return false;
        if (first < 0)
            first = next - 1;
        mask |= 1u << i;
    }
    if (first > FERMI_RZ)
        return complain(p, p->t - 1, "a vector starts at $r0 to $r63");
    parser_put(p, f->pos, 6, first < 0 ? 0 : (unsigned)first);
    return parser_put(p, f->pos2, 4, mask);
}

bool parse_plain_tex1(struct parser *p, const struct field *f) {
    struct tex_sources g = plain_tex_sources(p->op);
    return g.first ? parse_registers(p, f->pos, g.first)
                   : complain(p, p->t, "no such combination of target and modifiers");
}

bool parse_plain_tex2(struct parser *p, const struct field *f) {
    return parse_registers(p, f->pos, plain_tex_sources(p->op).second);
}
