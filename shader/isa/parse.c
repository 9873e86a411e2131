/* The parser of one instruction: tokens to struct op. In: the tokens of a statement. Out: the op of
 * the first encoding row whose fields read all tokens and can encode the result; otherwise the
 * complaint of the row that read furthest. Knows kinds of fields, not instructions.
 */
#include "shader/isa/parser.h"
#include "base/format_text.h"

/* ---- Complaints. The complaint of the row that read furthest is kept. Of several such rows, a
 * specific complaint is kept before an expectation, and the last row's before earlier ones, because
 * the last row has the widest form. Expectations at the same token are joined by "or". */

static void keep_best(struct parser *p, const struct complaint *c) {
    struct complaint *best = &p->best;
    if (best->at && (c->reached < best->reached ||
                     (c->reached == best->reached && best->specific && !c->specific)))
        return;
    *best = *c;
}

bool complain(struct parser *p, const struct token *at, const char *format, ...) {
    struct complaint c = {.at = at, .reached = p->t > at ? p->t : at, .specific = true};
    FORMAT_TEXT(c.text, format);
    keep_best(p, &c);
    return false;
}

bool complain_later(struct parser *p, const struct token *at, const char *format, ...) {
    if (!p->pending.at) {
        p->pending = (struct complaint){.at = at, .specific = true};
        FORMAT_TEXT(p->pending.text, format);
    }
    return true;
}

/* True if a list like "add or sub or b32" contains this entry. */
static bool lists(const char *list, const char *what) {
    const size_t length = strlen(what);
    for (const char *at = strstr(list, what); at && *at; at = strstr(at + 1, what))
        if ((at == list || (at - list > 4 && !memcmp(at - 4, " or ", 4))) &&
            (!at[length] || !strncmp(at + length, " or ", 4)))
            return true;
    return false;
}

bool expected(struct parser *p, const char *what) {
    struct complaint *best = &p->best;
    struct complaint c = {.at = p->t, .reached = p->t};
    size_t used = strlen(best->text);
    if (!best->at || best->reached != p->t || best->specific) {
        snprintf(c.text, sizeof c.text, "%s", what);
        keep_best(p, &c);
    } else if (!lists(best->text, what) && used + strlen(what) + 5 < sizeof best->text) {
        snprintf(best->text + used, sizeof best->text - used, " or %s", what);
    }
    return false;
}

/* ---- Marks and indexed words */

bool accept_mark(struct parser *p, char mark) {
    if (!token_mark(p->t, mark))
        return false;
    p->t++;
    return true;
}

bool accept_word(struct parser *p, const char *word) {
    if (!token_is(p->t, word))
        return false;
    p->t++;
    return true;
}

bool need_mark(struct parser *p, char mark, const char *what) {
    return accept_mark(p, mark) || expected(p, what);
}

bool token_indexed(const struct token *t, const char *prefix, unsigned *n) {
    size_t skip = strlen(prefix);
    if (t->kind != TOKEN_WORD || t->length <= skip || t->length > skip + 3 ||
        memcmp(t->text, prefix, skip))
        return false;
    *n = 0;
    for (uint32_t i = (uint32_t)skip; i < t->length; i++) {
        if (t->text[i] < '0' || t->text[i] > '9')
            return false;
        *n = *n * 10 + (unsigned)(t->text[i] - '0');
    }
    return true;
}

bool parse_indexed(struct parser *p, const char *prefix, unsigned max, const char *what,
                   unsigned *n) {
    char shown[64];
    if (!token_indexed(p->t, prefix, n))
        return expected(p, what);
    if (*n > max)
        return complain(p, p->t, "%s does not exist (max %s%u)", token_show(p->t, shown), prefix,
                        max);
    p->t++;
    return true;
}

bool parse_value(struct parser *p, unsigned bits, const char *what, uint64_t *value) {
    char shown[64];
    struct token t = *p->t;
    if (t.kind == TOKEN_NAME) {
        if (!p->names || !p->names->find(p->names->self, p->t, &t.value))
            return complain(p, p->t, "%s is not defined", token_show(p->t, shown));
        t.negative = t.value >> 63;
    } else if (t.kind != TOKEN_NUMBER) {
        return expected(p, what);
    }
    if (!number_fits(&t, bits))
        complain_later(p, p->t, "%s does not fit here (%u bits)", token_show(p->t, shown), bits);
    *value = t.value;
    p->t++;
    return true;
}

const char *form_name(const struct parser *p) {
    return p->row->form == FORM_SHORT       ? "a short instruction"
           : p->row->form == FORM_IMMEDIATE ? "an instruction with an immediate"
                                            : "this instruction";
}

/* ---- Words, flags, numbers */

bool parse_nothing(struct parser *, const struct field *) {
    return true;
}

bool parse_word(struct parser *p, const struct field *f) {
    if (f->word[0] == '(' || f->word[0] == ')')
        return need_mark(p, f->word[0], f->word);
    return accept_word(p, f->word) || expected(p, f->word);
}

static bool parse_fixed(struct parser *p, const struct field *f) {
    *op_member(p, f) |= f->value;
    return parse_word(p, f);
}

bool parse_preset(struct parser *p, const struct field *f) {
    *op_member(p, f) |= f->value;
    return true;
}

static bool parse_flag(struct parser *p, const struct field *f) {
    if (accept_word(p, f->word))
        *op_member(p, f) |= f->value;
    return true;
}

static bool parse_choice(struct parser *p, const struct field *f) {
    unsigned n = 1u << (f->len + f->len2);
    for (unsigned i = 0; i < n; i++) {
        if (f->choice[i].name && token_is(p->t, f->choice[i].name)) {
            *op_member(p, f) = f->choice[i].value;
            p->t++;
            return true;
        }
    }
    for (unsigned i = 0; i < n; i++)
        if (f->choice[i].name)
            expected(p, f->choice[i].name);
    return false;
}

static bool parse_ending(struct parser *p, const struct field *) {
    p->op->exit = token_is(p->t, "exit");
    p->op->join = token_is(p->t, "join");
    p->t += p->op->exit || p->op->join;
    return true;
}

static bool parse_flags_register(struct parser *p, unsigned *n) {
    return parse_indexed(p, "$c", 3, "$c0..$c3", n);
}

static bool parse_predicate(struct parser *p, const struct field *) {
    unsigned n = 0;
    if (!token_mark(p->t, '('))
        return true;
    for (unsigned i = 0; i < 32; i++) {
        const char *name = isa_predicate_names[i];
        if (!name || !*name || !token_is(p->t + 1, name))
            continue;
        p->t += 2;
        p->op->pred = i;
        if (i != PRED_NEVER && !parse_flags_register(p, &n))
            return false;
        p->op->pred_reg = n;
        return need_mark(p, ')', ")");
    }
    return true; /* a lane mask follows, or the next field complains */
}

static bool parse_lanes(struct parser *p, const struct field *) {
    unsigned mask;
    if (!token_mark(p->t, '(') || p->t[1].length < 2 || !token_lanes(p->t + 1, &mask))
        return true;
    p->op->lane_mask4 = mask;
    p->t += 2;
    return need_mark(p, ')', ")");
}

static bool parse_carry(struct parser *p, const struct field *f) {
    const struct token *at = p->t;
    unsigned n;
    if (p->op->add_kind != ADD_ADDC)
        return true;
    if (!parse_flags_register(p, &n))
        return false;
    if (f->len == 0 && n != 0)
        return complain(p, at, "addc reads $c0 in %s", form_name(p));
    if (p->op->pred != PRED_ALWAYS && p->op->pred != PRED_NEVER && n != p->op->pred_reg)
        return complain(p, at, "the predicate and addc share one $c field: both must be $c%u",
                        p->op->pred_reg);
    p->op->pred_reg = n;
    return true;
}

static bool parse_flags_dst(struct parser *p, const struct field *) {
    unsigned n;
    if (!token_indexed(p->t, "$c", &n))
        return true;
    if (!parse_flags_register(p, &n))
        return false;
    p->op->cdst = n;
    return true;
}

static bool parse_flags_out(struct parser *p, const struct field *) {
    unsigned n;
    if (!parse_flags_register(p, &n))
        return false;
    p->op->cdst = n;
    return true;
}

static bool parse_flags_src(struct parser *p, const struct field *f) {
    const struct token *at = p->t;
    struct operand *o = op_slot(p->op, f->slot);
    unsigned n;
    if (!parse_flags_register(p, &n))
        return false;
    if (p->op->pred != PRED_ALWAYS && p->op->pred != PRED_NEVER && n != p->op->pred_reg)
        return complain(p, at,
                        "the predicate and this source share one $c field: both must be $c%u",
                        p->op->pred_reg);
    o->file = FILE_C;
    o->value = p->op->pred_reg = n;
    return true;
}

static bool parse_number(struct parser *p, const struct field *f) {
    uint64_t v;
    if (!parse_value(p, f->len, "a number", &v))
        return false;
    uint16_t half = (uint16_t)v;
    if (f->len > 8)
        memcpy(op_member(p, f), &half, sizeof half);
    else
        *op_member(p, f) = (uint8_t)v;
    return true;
}

static bool parse_target(struct parser *p, const struct field *) {
    const struct token *at = p->t;
    uint64_t v;
    if (!parse_value(p, 64, "a target: #label or an address", &v))
        return false;
    if (v > 0xfffffc)
        return complain(p, at, "code addresses end at 0xfffffc");
    if (v % 4)
        return complain(p, at, "code addresses are multiples of 4");
    p->op->target = (uint32_t)v;
    return true;
}

#define ROW(kind, parse, ...) [kind] = parse_##parse,
static parse_fn *const parse_field[FIELD_KINDS] = {TESLA_FIELDS(ROW) PLAIN_FIELDS(ROW)
                                                       DOT_FIELDS(ROW)};

/* ---- Rows */

/* Finds the mnemonic behind exit, join and prefixes in parentheses. */
static const struct token *find_mnemonic(const struct token *t) {
    while (token_is(t, "exit") || token_is(t, "join") || token_mark(t, '(')) {
        if (token_mark(t, '('))
            while (t->kind != TOKEN_END && !token_mark(t, ')'))
                t++;
        if (t->kind == TOKEN_END)
            break;
        t++;
    }
    return t;
}

/* Finds the mnemonic of a Fermi's instruction behind its prefixes: join, $p0, (not $p0), never,
 * l013, a test of $c. */
static const struct token *find_plain_mnemonic(const struct token *t) {
    unsigned n;
    for (;;) {
        bool lanes = t->kind == TOKEN_WORD && t->length > 1 && t->text[0] == 'l' &&
                     t->text[1] >= '0' && t->text[1] <= '3';
        if (token_mark(t, '(') && token_is(t + 1, "not") && t[2].kind != TOKEN_END &&
            token_mark(t + 3, ')'))
            t += 4;
        else if (t->kind != TOKEN_END && token_is(t + 1, "$c") && token_is_test(t))
            t += 2;
        else if (token_is(t, "join") || token_is(t, "never") || token_is(t, "lnone") ||
                 token_indexed(t, "$p", &n) || lanes)
            t++;
        else
            return t;
    }
}

static const struct token *find_dotted_mnemonic(const struct token *t) {
    if (!token_mark(t, '@'))
        return t;
    t += 1 + token_mark(t + 1, '!');
    return t->kind == TOKEN_END ? t : t + 1;
}

static bool is_prefix(enum field_kind kind) {
    return kind == FIELD_ENDING || kind == FIELD_PREDICATE || kind == FIELD_LANES ||
           kind == PLAIN_JOIN || kind == PLAIN_GUARD || kind == PLAIN_CC || kind == PLAIN_LANES ||
           kind == DOT_GUARD;
}

static unsigned form_words(enum encoding_form form) {
    return form == FORM_SHORT || form == FORM_SHORT_CONTROL || form == FORM_4 ? 1 : 2;
}

static bool names_mnemonic(const struct isa *isa, const struct encoding_row *row,
                           const struct token *mnemonic) {
    const uint16_t *i = row->fields;
    while (is_prefix(isa->fields[*i].kind))
        i++;
    const struct field *f = &isa->fields[*i];
    if (f->kind != FIELD_CHOICE && f->kind != PLAIN_CHOICE)
        return token_is(mnemonic, f->word);
    for (unsigned k = 0; k < 1u << (f->len + f->len2); k++)
        if (f->choice[k].name && token_is(mnemonic, f->choice[k].name))
            return true;
    return false;
}

static bool parse_fields(struct parser *p, const struct token *mnemonic) {
    for (const uint16_t *i = p->row->fields; *i; i++) {
        const struct field *f = &p->isa->fields[*i];
        if (!is_prefix(f->kind) && p->t < mnemonic) {
            char shown[64];
            bool control = p->row->form == FORM_CONTROL || p->row->form == FORM_SHORT_CONTROL;
            complain_later(p, p->t, "this prefix cannot be used with %s",
                           control ? token_show(mnemonic, shown) : form_name(p));
            p->t = mnemonic;
        }
        if (!parse_field[f->kind](p, f))
            return false;
    }
    return p->t->kind == TOKEN_END || expected(p, "the end of the line");
}

static const char *first_variant(unsigned variants) {
    return isa_variant_name((enum isa_variant)__builtin_ctz(variants));
}

static const char *type_list(unsigned types) {
    switch (types) {
    case VP_GP_ONLY:
        return "vertex and geometry programs";
    case GP_ONLY:
        return "geometry programs";
    case CP_ONLY:
        return "compute programs";
    default:
        return "fragment programs";
    }
}

static bool check_available(struct parser *p, const struct token *mnemonic) {
    char shown[64];
    if (!(p->row->variants >> p->target.variant & 1))
        return complain(p, mnemonic, "this form of %s needs %s (assembling for %s)",
                        token_show(mnemonic, shown), first_variant(p->row->variants),
                        isa_variant_name(p->target.variant));
    if (!(p->row->types >> p->target.type & 1))
        return complain(p, mnemonic, "%s exists in %s only", token_show(mnemonic, shown),
                        type_list(p->row->types));
    return true;
}

/* Decodes the complete word into the op. In the set's own notation the word must decode by the row
 * that parsed the text. */
static bool decode_parsed(struct parser *p, const struct token *mnemonic) {
    uint16_t row = p->op->row;
    uint32_t w[2] = {(uint32_t)p->w, (uint32_t)(p->w >> 32)};
    char shown[64];
    isa_decode(p->target, w, 2, p->pc, p->op);
    if (p->op->code == OP_ILLEGAL)
        return complain(p, mnemonic, "the hardware refuses these operands of %s: %s",
                        token_show(mnemonic, shown), decode_error_name(p->op->error));
    return p->op->row == row || p->isa != isa_of(p->target.variant) ||
           complain(p, mnemonic, "these operands cannot be combined in one %s",
                    token_show(mnemonic, shown));
}

static bool encode_parsed(struct parser *p, const struct token *mnemonic) {
    struct op back;
    if (p->isa->plain)
        return decode_parsed(p, mnemonic);
    p->op->words = (uint8_t)form_words(p->row->form);
    if (isa_encode_row(p->target, p->row, p->op, p->op->w)) {
        if (p->op->words == 1)
            p->op->w[1] = 0;
        return true;
    }
    isa_decode(p->target, p->op->w, 2, 0, &back);
    if (back.code == OP_ILLEGAL && back.error != DECODE_ILLEGAL_OPCODE)
        return complain(p, mnemonic, "the hardware refuses these operands: %s",
                        decode_error_name(back.error));
    return complain(
        p, mnemonic,
        "these operands cannot be combined: an instruction has at most one c[], and one "
        "$a for its first memory operand");
}

static bool try_row(struct parser *p, const struct token *start, const struct token *mnemonic) {
    p->t = start;
    p->pending.at = NULL;
    p->w = p->row->bits[0] | (uint64_t)p->row->bits[1] << 32;
    p->w |= p->row->canon[0] | (uint64_t)p->row->canon[1] << 32;
    p->candidates = UINT32_MAX;
    p->operands = 0;
    isa_blank_op(p->op);
    isa_start_op(p->isa, p->row, p->op);
    if (!parse_fields(p, mnemonic))
        return false;
    if (p->pending.at) {
        p->pending.reached = p->t;
        keep_best(p, &p->pending);
        return false;
    }
    isa_finish_op(p->op);
    return check_available(p, mnemonic) && encode_parsed(p, mnemonic);
}

static bool is_lane_mask(const struct token *t) {
    bool digits = t->kind == TOKEN_WORD && t->length > 1 && t->text[0] == 'l';
    for (uint32_t i = 1; digits && i < t->length; i++)
        digits = t->text[i] >= '0' && t->text[i] <= '3';
    return digits || token_is(t, "lnone");
}

static bool is_predicate(const struct token *t) {
    for (unsigned i = 0; i < 32; i++)
        if (isa_predicate_names[i] && token_is(t, isa_predicate_names[i]))
            return true;
    return false;
}

static bool check_prefixes(const struct token *t, const struct token *mnemonic,
                           struct source_error *error) {
    char shown[64];
    for (; t < mnemonic; t++)
        if (token_mark(t, '(') && !is_predicate(t + 1) && !is_lane_mask(t + 1))
            return source_fail(
                error, t + 1,
                "%s is neither a predicate (never l e le g lg ge lge u lu eu leu gu lgu geu "
                "o c a s ns na nc no) nor a lane mask (l0 .. l123)",
                token_show(t + 1, shown));
    return true;
}

static bool report(const struct complaint *c, const struct token *mnemonic,
                   struct source_error *error) {
    char shown[64];
    if (!c->at && mnemonic->kind == TOKEN_END)
        return source_fail(error, mnemonic, "expected an instruction");
    if (!c->at)
        return source_fail(error, mnemonic, "unknown mnemonic %s", token_show(mnemonic, shown));
    if (c->specific)
        return source_fail(error, c->at, "%s", c->text);
    if (c->at->kind == TOKEN_END)
        return source_fail(error, c->at, "the line ends here, expected %s", c->text);
    return source_fail(error, c->at, "unexpected %s, expected %s", token_show(c->at, shown),
                       c->text);
}

static bool try_rows(struct parser *p, const struct token *t, const struct token *mnemonic,
                     enum length_choice length) {
    for (unsigned i = 0; i < p->isa->row_count; i++) {
        p->row = &p->isa->rows[i];
        bool is_short = form_words(p->row->form) == 1;
        if (names_mnemonic(p->isa, p->row, mnemonic) && !(is_short && length == LENGTH_LONG) &&
            try_row(p, t, mnemonic))
            return true;
    }
    return false;
}

/* True, with a message, if the instruction would be right with a rounding mode behind its
 * mnemonic. */
static bool lacks_rounding(const struct parser *p, const struct token *t,
                           const struct token *mnemonic, struct source_error *error) {
    static const char *const modes[][2] = {{"rn", "rn, rm, rp or rz"},
                                           {"rni", "rni, rmi, rpi or rzi"}};
    enum { MOST = 32 };
    struct token with[MOST];
    const size_t before = (size_t)(mnemonic - t) + 1;
    size_t count = 0;
    char shown[2][64];
    while (t[count++].kind != TOKEN_END)
        if (count == MOST - 1)
            return false;
    if (count <= before)
        return false;
    for (int i = 0; i < 2; i++) {
        struct op op;
        struct parser again = {
            .target = p->target, .isa = p->isa, .names = p->names, .op = &op, .pc = p->pc};
        memcpy(with, t, before * sizeof *t);
        memcpy(with + before + 1, t + before, (count - before) * sizeof *t);
        with[before] = (struct token){
            .kind = TOKEN_WORD, .length = (uint32_t)strlen(modes[i][0]), .text = modes[i][0]};
        if (try_rows(&again, with, with + before - 1, LENGTH_SHORTEST)) {
            source_fail(error, t + before, "%s needs a rounding mode before %s: %s",
                        token_show(mnemonic, shown[0]), token_show(t + before, shown[1]),
                        modes[i][1]);
            return true;
        }
    }
    return false;
}

bool parse_instruction(struct isa_target target, const struct token *t, uint32_t pc,
                       enum length_choice length, const struct name_source *names, struct op *op,
                       struct source_error *error) {
    const struct isa *isa = isa_notation(target);
    struct parser p = {.target = target, .isa = isa, .names = names, .op = op, .pc = pc};
    const struct token *mnemonic = isa->dotted  ? find_dotted_mnemonic(t)
                                   : isa->plain ? find_plain_mnemonic(t)
                                                : find_mnemonic(t);
    if (!isa->plain && !check_prefixes(t, mnemonic, error))
        return false;
    if (try_rows(&p, t, mnemonic, length))
        return true;
    if (!isa->plain && lacks_rounding(&p, t, mnemonic, error))
        return false;
    return report(&p.best, mnemonic, error);
}
