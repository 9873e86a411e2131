/* The parser of one instruction: tokens to struct op. In: the tokens of a statement. Out: the op of the
 * first row whose field list reads them all and can encode the result; or the most helpful complaint:
 * that of the row which got furthest. Knows kinds of fields, not instructions.
 */
#include "shader/isa/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct parser {
    struct isa_target target;
    const struct row *row;
    const struct token *t; /* next token */
    const struct name_source *names;
    struct op *op;
    struct source_error *error; /* best so far; `at` the furthest token */
    bool hard;                  /* the error is more than "expected ..." */
};

typedef bool parse_fn(struct parser *p, const struct field *f);

/* ---- Complaints: the furthest wins; at the same place a specific one wins; else they add up. */

static bool complain(struct parser *p, const struct token *at, const char *format, ...)
{
    struct source_error *e = p->error;
    if (e->at && (at < e->at || (at == e->at && p->hard)))
        return false;
    e->at = at;
    p->hard = true;
    va_list args;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    return false;
}

static bool expected(struct parser *p, const char *what)
{
    struct source_error *e = p->error;
    if (e->at && (p->t < e->at || (p->t == e->at && p->hard)))
        return false;
    size_t used = strlen(e->text);
    if (e->at != p->t) {
        snprintf(e->text, sizeof e->text, "%s", what);
    } else if (!strstr(e->text, what) && used + strlen(what) + 8 < sizeof e->text / 2) {
        snprintf(e->text + used, sizeof e->text - used, " or %s", what);
    }
    e->at = p->t;
    p->hard = false;
    return false;
}

/* ---- Pieces */

static uint8_t *member(struct parser *p, const struct field *f)
{
    return (uint8_t *)p->op + f->member;
}

static bool accept_mark(struct parser *p, char mark)
{
    if (!token_mark(p->t, mark))
        return false;
    p->t++;
    return true;
}

static bool need_mark(struct parser *p, char mark, const char *what)
{
    return accept_mark(p, mark) || expected(p, what);
}

/* A token made of prefix and a decimal number up to max: $c3, c15, $t7. */
static bool indexed(const struct token *t, const char *prefix, unsigned *n)
{
    size_t skip = strlen(prefix);
    if (t->kind != TOKEN_WORD || t->length <= skip || t->length > skip + 3 || memcmp(t->text, prefix, skip))
        return false;
    *n = 0;
    for (uint32_t i = (uint32_t)skip; i < t->length; i++) {
        if (t->text[i] < '0' || t->text[i] > '9')
            return false;
        *n = *n * 10 + (unsigned)(t->text[i] - '0');
    }
    return true;
}

static bool parse_indexed(struct parser *p, const char *prefix, unsigned max, const char *what, unsigned *n)
{
    char shown[64];
    if (!indexed(p->t, prefix, n))
        return expected(p, what);
    if (*n > max)
        return complain(p, p->t, "%s does not exist (max %s%u)", token_show(p->t, shown), prefix, max);
    p->t++;
    return true;
}

/* A number or #name; `bits` wide, signed or unsigned. */
static bool parse_value(struct parser *p, unsigned bits, const char *what, uint64_t *value)
{
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
        return complain(p, p->t, "%s does not fit here (%u bits)", token_show(p->t, shown), bits);
    *value = t.value;
    p->t++;
    return true;
}

static const char *form_name(const struct parser *p)
{
    return p->row->form == FORM_SHORT ? "a short instruction" : p->row->form == FORM_IMMEDIATE
               ? "an instruction with an immediate" : "this instruction";
}

/* $r5, $r5l, $r5h, $r4d, $r4q into number and suffix. */
static bool split_register(const struct token *t, unsigned *n, char *suffix)
{
    if (t->kind != TOKEN_WORD || t->length < 3 || memcmp(t->text, "$r", 2))
        return false;
    struct token digits = *t;
    char last = t->text[t->length - 1];
    *suffix = last == 'l' || last == 'h' || last == 'd' || last == 'q' ? last : 0;
    digits.length -= *suffix != 0;
    return indexed(&digits, "$r", n);
}

static const char *register_kind(unsigned width)
{
    return width == 16 ? "a 16-bit register ($r0l, $r0h ...)" : width == 64 ? "a 64-bit register ($r0d ...)"
           : width == 128 ? "a 128-bit register ($r0q ...)" : "a 32-bit register ($r0 ...)";
}

static bool parse_register(struct parser *p, unsigned slot, unsigned bits)
{
    struct operand *o = op_slot(p->op, slot);
    unsigned width = row_width(p->row, slot), n;
    char suffix, shown[64];
    if (!split_register(p->t, &n, &suffix)) {
        if (p->t->kind == TOKEN_WORD && p->t->length > 2 && !memcmp(p->t->text, "$r", 2))
            return complain(p, p->t, "unknown register %s", token_show(p->t, shown));
        return expected(p, register_kind(width));
    }
    bool half = suffix == 'l' || suffix == 'h';
    unsigned expected_width = half ? 16 : suffix == 'd' ? 64 : suffix == 'q' ? 128 : 32;
    if (expected_width != width)
        return expected(p, register_kind(width));
    o->file = half ? FILE_RH : FILE_R;
    o->value = half ? 2 * n + (suffix == 'h') : n;
    unsigned max = (1u << bits) - 1;
    if (o->value > max)
        return complain(p, p->t, "$r%u is out of range in %s (max $r%u)", n, form_name(p), half ? max / 2 : max);
    if ((width == 64 && n % 2) || (width == 128 && n % 4))
        return complain(p, p->t, "%s must start at a multiple of %u", token_show(p->t, shown), width / 32);
    p->t++;
    return true;
}

/* [$a1+0x10] [$a1++0x4] [0x10] [$a1] after the name of the space. */
static bool parse_address(struct parser *p, struct operand *o, unsigned bits)
{
    unsigned areg;
    uint64_t v = 0;
    if (!need_mark(p, '[', "["))
        return false;
    if (p->t->kind == TOKEN_WORD) {
        if (!parse_indexed(p, "$a", 4, "an offset or $a1..$a4", &areg))
            return false;
        o->areg = areg;
        if (accept_mark(p, 'P'))
            o->flags |= OPERAND_POSTINC;
        else if (!accept_mark(p, '+'))
            return need_mark(p, ']', "+, ++ or ]");
    }
    if (!parse_value(p, bits, o->areg ? "an offset" : "an offset or $a1..$a4", &v))
        return false;
    o->value = (uint32_t)v;
    return need_mark(p, ']', "]");
}

/* Complains at `at` if the offset has no encoding of len bits in units of scale. */
static bool check_offset(struct parser *p, const struct token *at, const struct operand *o, unsigned len, unsigned scale)
{
    bool is_signed = o->flags & OPERAND_POSTINC;
    int64_t v = (int32_t)o->value;
    int64_t low = is_signed ? -(INT64_C(1) << (len - 1)) * scale : 0;
    int64_t high = ((INT64_C(1) << (is_signed ? len - 1 : len)) - 1) * scale;
    if (v % scale)
        return complain(p, at, "the offset must be a multiple of %u", scale);
    if (v < low || v > high)
        return complain(p, at, "the offset is out of range in %s (%s0x%x to 0x%x)", form_name(p),
                        low < 0 ? "-" : "", (unsigned)-low, (unsigned)high);
    return true;
}

/* ---- Sources and destinations */

static bool is_memory(const struct token *t, const char *space)
{
    return token_is(t, space) && token_mark(t + 1, '[');
}

static bool type_allows(struct parser *p, const struct token *at, unsigned types, const char *what)
{
    return types >> p->target.type & 1 || complain(p, at, "%s", what);
}

enum { VP_GP = 1 << PROGRAM_VP | 1 << PROGRAM_GP, GP_ONLY = 1 << PROGRAM_GP, CP_ONLY = 1 << PROGRAM_CP };

static bool parse_input_source(struct parser *p, unsigned slot, enum operand_file file)
{
    const struct token *at = p->t;
    struct operand *o = op_slot(p->op, slot);
    bool is_long = p->row->form == FORM_LONG;
    p->t++;
    o->file = file;
    o->mem = TYPE_B32;
    if (row_width(p->row, slot) == 16)
        return complain(p, at, "a[] and p[] hold 32-bit words; this source is 16 bits wide");
    if (p->row->form == FORM_IMMEDIATE && file == FILE_ATTR)
        return complain(p, at, "a[] cannot be combined with an immediate");
    if (!parse_address(p, o, 32))
        return false;
    if (file == FILE_ATTR && o->areg)
        return complain(p, at, "a[] with $a can only be read by `ld b32`");
    if (o->flags & OPERAND_POSTINC)
        return complain(p, at, "p[] has no post-increment");
    return check_offset(p, at, o, is_long ? 7 : 6, 4);
}

static bool parse_shared_source(struct parser *p, unsigned slot, enum op_type mode)
{
    const struct token *at = p->t;
    struct operand *o = op_slot(p->op, slot);
    o->file = FILE_SHARED;
    o->mem = mode;
    p->t += 2;
    return type_allows(p, at, CP_ONLY, "s[] exists in compute programs only") && parse_address(p, o, 32) &&
           check_offset(p, at, o, p->row->form == FORM_LONG ? 5 : 4, type_width(mode) / 8);
}

static bool parse_s1(struct parser *p, const struct field *f)
{
    static const struct { const char *name; uint8_t type; } modes[] = {
        {"u8", TYPE_U8}, {"u16", TYPE_U16}, {"s16", TYPE_S16}, {"b32", TYPE_B32}};
    for (int i = 0; i < 4; i++)
        if (token_is(p->t, modes[i].name) && is_memory(p->t + 1, "s"))
            return parse_shared_source(p, f->slot, modes[i].type);
    if (is_memory(p->t, "s"))
        return complain(p, p->t, "s[] as a source needs its access width in front: b32, u16, s16 or u8");
    if (is_memory(p->t, "a"))
        return type_allows(p, p->t, VP_GP, "a[] exists in vertex and geometry programs only") &&
               parse_input_source(p, f->slot, FILE_ATTR);
    if (is_memory(p->t, "p"))
        return type_allows(p, p->t, GP_ONLY, "p[] exists in geometry programs only") &&
               parse_input_source(p, f->slot, FILE_PRIM);
    unsigned n;
    if (indexed(p->t, "c", &n) && token_mark(p->t + 1, '['))
        return complain(p, p->t, "c[] cannot be the first source; exchange the sources or use `ld`");
    return parse_register(p, f->slot, p->row->form == FORM_LONG ? 7 : 6);
}

static bool parse_const_source(struct parser *p, const struct field *f, unsigned space)
{
    const struct token *at = p->t;
    struct operand *o = op_slot(p->op, f->slot);
    bool half = row_width(p->row, f->slot) == 16, is_short = p->row->form == FORM_SHORT;
    p->t++;
    o->file = FILE_CONST;
    o->mem = half ? TYPE_B16 : TYPE_B32;
    o->index = space;
    if (space > (is_short ? 1 : 15))
        return complain(p, at, is_short ? "a short instruction reaches c0[] and c1[] only" : "there are c0[] to c15[]");
    return parse_address(p, o, 32) && check_offset(p, at, o, is_short ? 5 : 7, half ? 2 : 4);
}

static bool parse_s2_s3(struct parser *p, const struct field *f)
{
    unsigned n;
    if (indexed(p->t, "c", &n) && token_mark(p->t + 1, '['))
        return parse_const_source(p, f, n);
    for (const char *s = "aps"; *s; s++)
        if (is_memory(p->t, (char[]){*s, 0}))
            return complain(p, p->t, "%c[] can only be the first source", *s);
    return parse_register(p, f->slot, p->row->form == FORM_LONG ? 7 : 6);
}

static bool parse_reg(struct parser *p, const struct field *f)
{
    return parse_register(p, f->slot, f->len);
}

static bool parse_same_reg(struct parser *p, const struct field *f)
{
    const struct token *at = p->t;
    if (!parse_register(p, f->slot, f->len))
        return false;
    if (op_slot(p->op, f->slot)->value != p->op->dst.value)
        return complain(p, at, "the last source must be the destination $r%u in %s", p->op->dst.value, form_name(p));
    return true;
}

static bool parse_dst(struct parser *p, const struct field *f)
{
    const struct token *at = p->t;
    struct operand *o = op_slot(p->op, f->slot);
    if (accept_mark(p, '#')) {
        o->file = FILE_NULL;
        return true;
    }
    if (!is_memory(p->t, "o"))
        return parse_register(p, f->slot, f->len);
    unsigned scale = row_width(p->row, f->slot) == 16 ? 2 : 4;
    p->t++;
    o->file = FILE_OUT;
    o->mem = scale == 2 ? TYPE_B16 : TYPE_B32;
    if (!type_allows(p, at, VP_GP, "o[] exists in vertex and geometry programs only") || !parse_address(p, o, 32))
        return false;
    if (o->areg)
        return complain(p, at, "o[] with $a can only be written by `st b32`");
    return (o->value != 127 * scale || complain(p, at, "o[0x%x] cannot be reached", o->value)) &&
           check_offset(p, at, o, 7, scale);
}

static bool parse_imm(struct parser *p, const struct field *f)
{
    struct operand *o = op_slot(p->op, f->slot);
    unsigned bits = f->len + f->len2;
    uint64_t v;
    if (!parse_value(p, bits, "a number", &v))
        return false;
    o->file = FILE_IMM;
    o->value = (uint32_t)(bits < 32 ? v & ((1u << bits) - 1) : v);
    return true;
}

static bool parse_addr_reg(struct parser *p, const struct field *f)
{
    struct operand *o = op_slot(p->op, f->slot);
    unsigned n = 0;
    o->file = FILE_A;
    if (f->slot && p->t->kind == TOKEN_NUMBER && p->t->value == 0)
        p->t++;
    else if (!parse_indexed(p, "$a", 4, f->slot ? "$a1..$a4 or 0x0" : "$a1..$a4", &n))
        return false;
    o->value = n;
    return n || f->slot || complain(p, p->t - 1, "$a0 cannot be written; use $a1..$a4");
}

static bool parse_special(struct parser *p, const struct field *f)
{
    struct operand *o = op_slot(p->op, f->slot);
    for (unsigned i = 0; i < 16; i++) {
        if (token_is(p->t, isa_special_names[i].name)) {
            o->file = FILE_SPECIAL;
            o->value = i;
            p->t++;
            return true;
        }
    }
    return expected(p, "a special register ($physid, $clock, $vstride, $pm0..$pm3, $sampleid)");
}

/* Offsets of dedicated loads and stores wrap at 16 bits. */
static bool parse_memory(struct parser *p, const struct field *f)
{
    static const char *const names[] = {
        [FILE_SHARED] = "s", [FILE_LOCAL] = "l", [FILE_ATTR] = "a", [FILE_OUT] = "o", [FILE_VARYING] = "v"};
    struct operand *o = op_slot(p->op, f->slot);
    const struct token *at = p->t;
    unsigned index = 0;
    char what[4] = "";
    if (f->file == FILE_CONST) {
        if (!parse_indexed(p, "c", 15, "c0[..] to c15[..]", &index))
            return false;
    } else {
        snprintf(what, sizeof what, "%s[]", names[f->file]);
        if (!is_memory(p->t, names[f->file]))
            return expected(p, what);
        p->t++;
    }
    if (!o->mem)
        o->mem = TYPE_B32;
    o->file = f->file;
    o->index = index;
    unsigned scale = memory_scale(f, o->mem), len = memory_bits(f, scale);
    if (!parse_address(p, o, f->len < 14 ? 32 : 16))
        return false;
    if (f->len < 14)
        return check_offset(p, at, o, len, scale);
    if (o->flags & OPERAND_POSTINC && !f->postinc)
        return complain(p, at, "this operand has no post-increment");
    o->value = o->flags & OPERAND_POSTINC ? (uint32_t)(int16_t)o->value : o->value & 0xffff;
    return o->value % scale == 0 || complain(p, at, "the offset must be a multiple of %u", scale);
}

static bool parse_global(struct parser *p, const struct field *f)
{
    struct operand *o = op_slot(p->op, f->slot);
    unsigned n, r;
    char suffix;
    if (!parse_indexed(p, "g", 15, "g0[$r..] to g15[$r..]", &n) || !need_mark(p, '[', "["))
        return false;
    if (!split_register(p->t, &r, &suffix) || suffix || r > 127)
        return expected(p, "an address register ($r0..$r127)");
    p->t++;
    o->file = FILE_GLOBAL;
    o->index = n;
    o->value = r;
    return need_mark(p, ']', "]");
}

/* ---- Words, flags, numbers */

static bool parse_nothing(struct parser *p, const struct field *f)
{
    (void)p, (void)f;
    return true;
}

static bool parse_word(struct parser *p, const struct field *f)
{
    if (f->word[0] == '(' || f->word[0] == ')')
        return need_mark(p, f->word[0], f->word);
    if (!token_is(p->t, f->word))
        return expected(p, f->word);
    p->t++;
    return true;
}

static bool parse_fixed(struct parser *p, const struct field *f)
{
    *member(p, f) |= f->value;
    return parse_word(p, f);
}

static bool parse_preset(struct parser *p, const struct field *f)
{
    *member(p, f) |= f->value;
    return true;
}

static bool parse_flag(struct parser *p, const struct field *f)
{
    if (token_is(p->t, f->word)) {
        *member(p, f) |= f->value;
        p->t++;
    }
    return true;
}

static bool parse_choice(struct parser *p, const struct field *f)
{
    unsigned n = 1u << (f->len + f->len2);
    for (unsigned i = 0; i < n; i++) {
        if (f->choice[i].name && token_is(p->t, f->choice[i].name)) {
            *member(p, f) = f->choice[i].value;
            p->t++;
            return true;
        }
    }
    for (unsigned i = 0; i < n; i++)
        if (f->choice[i].name)
            expected(p, f->choice[i].name);
    return false;
}

static bool parse_ending(struct parser *p, const struct field *f)
{
    (void)f;
    p->op->exit = token_is(p->t, "exit");
    p->op->join = token_is(p->t, "join");
    p->t += p->op->exit || p->op->join;
    return true;
}

static bool parse_flags_register(struct parser *p, unsigned *n)
{
    return parse_indexed(p, "$c", 3, "$c0..$c3", n);
}

static bool parse_predicate(struct parser *p, const struct field *f)
{
    (void)f;
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
    return true; /* a lane mask, or an error of the field that comes next */
}

static bool parse_lanes(struct parser *p, const struct field *f)
{
    (void)f;
    const struct token *t = p->t + 1;
    if (!token_mark(p->t, '(') || t->kind != TOKEN_WORD || t->text[0] != 'l' || t->length < 2)
        return true;
    unsigned mask = 0;
    if (!token_is(t, "lnone")) {
        for (uint32_t i = 1; i < t->length; i++) {
            if (t->text[i] < '0' || t->text[i] > '3')
                return true;
            mask |= 1u << (t->text[i] - '0');
        }
    }
    p->op->lane_mask4 = mask;
    p->t += 2;
    return need_mark(p, ')', ")");
}

static bool parse_carry(struct parser *p, const struct field *f)
{
    const struct token *at = p->t;
    unsigned n;
    if (p->op->add_kind != ADD_ADDC)
        return true;
    if (!parse_flags_register(p, &n))
        return false;
    if (f->len == 0 && n != 0)
        return complain(p, at, "addc reads $c0 in %s", form_name(p));
    if (p->op->pred != PRED_ALWAYS && p->op->pred != PRED_NEVER && n != p->op->pred_reg)
        return complain(p, at, "the predicate and addc share one $c field: both must be $c%u", p->op->pred_reg);
    p->op->pred_reg = n;
    return true;
}

static bool parse_flags_dst(struct parser *p, const struct field *f)
{
    (void)f;
    unsigned n;
    if (!indexed(p->t, "$c", &n))
        return true;
    if (!parse_flags_register(p, &n))
        return false;
    p->op->cdst = n;
    return true;
}

static bool parse_flags_out(struct parser *p, const struct field *f)
{
    (void)f;
    unsigned n;
    if (!parse_flags_register(p, &n))
        return false;
    p->op->cdst = n;
    return true;
}

static bool parse_flags_src(struct parser *p, const struct field *f)
{
    const struct token *at = p->t;
    struct operand *o = op_slot(p->op, f->slot);
    unsigned n;
    if (!parse_flags_register(p, &n))
        return false;
    if (p->op->pred != PRED_ALWAYS && p->op->pred != PRED_NEVER && n != p->op->pred_reg)
        return complain(p, at, "the predicate and this source share one $c field: both must be $c%u", p->op->pred_reg);
    o->file = FILE_C;
    o->value = p->op->pred_reg = n;
    return true;
}

static bool parse_number(struct parser *p, const struct field *f)
{
    uint64_t v;
    if (!parse_value(p, f->len, "a number", &v))
        return false;
    uint16_t half = (uint16_t)v;
    if (f->len > 8)
        memcpy(member(p, f), &half, sizeof half);
    else
        *member(p, f) = (uint8_t)v;
    return true;
}

static bool parse_target(struct parser *p, const struct field *f)
{
    (void)f;
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

/* ---- Texture */

/* $rN of a texture vector. */
static bool parse_component(struct parser *p, unsigned *n)
{
    char suffix, shown[64];
    if (!split_register(p->t, n, &suffix) || suffix)
        return expected(p, "a 32-bit register ($r0 ...)");
    if (*n > 127)
        return complain(p, p->t, "%s does not exist (max $r127)", token_show(p->t, shown));
    p->t++;
    return true;
}

static bool parse_tex_dst(struct parser *p, const struct field *f)
{
    const struct token *at = p->t;
    struct tex_fields *x = &p->op->tex;
    unsigned n, count = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (i && !need_mark(p, ':', ": (a destination has four components, # for those not wanted)"))
            return false;
        if (accept_mark(p, '#'))
            continue;
        if (!parse_component(p, &n))
            return false;
        if (count == 0)
            x->base = n;
        if (n != x->base + count)
            return complain(p, p->t - 1, "the enabled components must be consecutive: $r%u", x->base + count);
        count++;
        x->result_mask |= 1u << i;
    }
    if (p->row->form == FORM_SHORT && x->result_mask != 0xf)
        return complain(p, at, "a short texture instruction writes all four components");
    if (x->base >> f->len)
        return complain(p, at, "$r%u is out of range in %s", x->base, form_name(p));
    return true;
}

static bool parse_tex_src(struct parser *p, const struct field *f)
{
    const struct token *at = p->t;
    struct tex_fields *x = &p->op->tex;
    unsigned n, max = f->len ? 4 : 1;
    do {
        if (!parse_component(p, &n))
            return false;
        if (x->source_count == 0 && x->result_mask == 0)
            x->base = n;
        if (x->source_count == 0 && n != x->base)
            return complain(p, at, "sources must start at the register of the results, $r%u", x->base);
        if (n != x->base + x->source_count)
            return complain(p, p->t - 1, "sources must be consecutive: $r%u", x->base + x->source_count);
        x->source_count++;
    } while (x->source_count < max && accept_mark(p, ':'));
    return true;
}

static bool parse_tex_unit(struct parser *p, const struct field *f)
{
    char what[16];
    unsigned n, max = (1u << f->len) - 1;
    snprintf(what, sizeof what, "%s0..%s%u", f->word, f->word, max);
    if (!parse_indexed(p, f->word, max, what, &n))
        return false;
    *member(p, f) = (uint8_t)n;
    return true;
}

static bool parse_tex_offset(struct parser *p, const struct field *f)
{
    const struct token *at = p->t;
    uint64_t v;
    if (!parse_value(p, 64, "a texel offset (-8 to 7)", &v))
        return false;
    if ((int64_t)v < -8 || (int64_t)v > 7)
        return complain(p, at, "texel offsets range from -8 to 7");
    *member(p, f) = (uint8_t)v;
    return true;
}

static parse_fn *const parse_field[FIELD_KINDS] = {
    [KIND_END] = parse_nothing, [KIND_WORD] = parse_word, [KIND_FIXED] = parse_fixed,
    [KIND_FLAG] = parse_flag, [KIND_CHOICE] = parse_choice, [KIND_PRESET] = parse_preset,
    [KIND_ENDING] = parse_ending, [KIND_PREDICATE] = parse_predicate, [KIND_LANES] = parse_lanes,
    [KIND_CARRY] = parse_carry, [KIND_FLAGS_DST] = parse_flags_dst,
    [KIND_FLAGS_OUT] = parse_flags_out, [KIND_FLAGS_SRC] = parse_flags_src, [KIND_REG] = parse_reg,
    [KIND_SAME_REG] = parse_same_reg, [KIND_DST] = parse_dst, [KIND_S1] = parse_s1,
    [KIND_S2] = parse_s2_s3, [KIND_S3] = parse_s2_s3, [KIND_IMM] = parse_imm,
    [KIND_ADDR_REG] = parse_addr_reg, [KIND_SPECIAL] = parse_special, [KIND_MEMORY] = parse_memory,
    [KIND_GLOBAL] = parse_global, [KIND_NUMBER] = parse_number, [KIND_TARGET] = parse_target,
    [KIND_TEX_DST] = parse_tex_dst, [KIND_TEX_SRC] = parse_tex_src,
    [KIND_TEX_UNIT] = parse_tex_unit, [KIND_TEX_OFFSET] = parse_tex_offset,
};

/* ---- Rows */

/* The mnemonic: what follows exit, join and parenthesised prefixes. */
static const struct token *find_mnemonic(const struct token *t)
{
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

static bool is_prefix(enum field_kind kind)
{
    return kind == KIND_ENDING || kind == KIND_PREDICATE || kind == KIND_LANES;
}

static bool names_mnemonic(const struct row *row, const struct token *mnemonic)
{
    const uint8_t *i = row->fields;
    while (is_prefix(isa_fields[*i].kind))
        i++;
    const struct field *f = &isa_fields[*i];
    if (f->kind != KIND_CHOICE)
        return token_is(mnemonic, f->word);
    for (unsigned k = 0; k < 1u << (f->len + f->len2); k++)
        if (f->choice[k].name && token_is(mnemonic, f->choice[k].name))
            return true;
    return false;
}

static bool parse_fields(struct parser *p, const struct token *mnemonic)
{
    char shown[64];
    for (const uint8_t *i = p->row->fields; *i; i++) {
        const struct field *f = &isa_fields[*i];
        if (!is_prefix(f->kind) && p->t < mnemonic)
            return complain(p, p->t, "this prefix cannot be used with %s", token_show(mnemonic, shown));
        if (!parse_field[f->kind](p, f))
            return false;
    }
    return p->t->kind == TOKEN_END || expected(p, "the end of the line");
}

static const char *first_variant(unsigned variants)
{
    return isa_variant_name((enum isa_variant)__builtin_ctz(variants));
}

static const char *type_list(unsigned types)
{
    switch (types) {
    case VP_GP: return "vertex and geometry programs";
    case GP_ONLY: return "geometry programs";
    case CP_ONLY: return "compute programs";
    default: return "fragment programs";
    }
}

static bool check_available(struct parser *p, const struct token *mnemonic)
{
    char shown[64];
    if (!(p->row->variants >> p->target.variant & 1))
        return complain(p, p->t, "this form of %s needs %s (assembling for %s)", token_show(mnemonic, shown),
                        first_variant(p->row->variants), isa_variant_name(p->target.variant));
    if (!(p->row->types >> p->target.type & 1))
        return complain(p, p->t, "%s exists in %s only", token_show(mnemonic, shown), type_list(p->row->types));
    return true;
}

static bool encode_parsed(struct parser *p)
{
    struct op back;
    p->op->words = p->row->form == FORM_SHORT || p->row->form == FORM_SHORT_CONTROL ? 1 : 2;
    if (isa_encode_row(p->target, p->row, p->op, p->op->w)) {
        if (p->op->words == 1)
            p->op->w[1] = 0;
        return true;
    }
    isa_decode(p->target, p->op->w, 2, 0, &back);
    if (back.code == OP_ILLEGAL && back.error != DECODE_ILLEGAL_OPCODE)
        return complain(p, p->t, "the hardware refuses these operands: %s", decode_error_name(back.error));
    return complain(p, p->t, "these operands cannot be combined: an instruction has at most one c[], and one "
                             "$a for its first memory operand");
}

static bool try_row(struct parser *p, const struct token *start, const struct token *mnemonic)
{
    p->t = start;
    isa_blank_op(p->op);
    isa_start_op(p->row, p->op);
    if (!parse_fields(p, mnemonic))
        return false;
    isa_finish_op(p->op);
    return check_available(p, mnemonic) && encode_parsed(p);
}

bool parse_instruction(struct isa_target target, const struct token *t, enum length_choice length,
                       const struct name_source *names, struct op *op, struct source_error *error)
{
    struct source_error best = {0};
    struct parser p = {.target = target, .names = names, .op = op, .error = &best};
    const struct token *mnemonic = find_mnemonic(t);
    bool known = false;
    char shown[64];
    for (unsigned i = 0; i < isa_row_count; i++) {
        p.row = &isa_rows[i];
        bool is_short = p.row->form == FORM_SHORT || p.row->form == FORM_SHORT_CONTROL;
        if (!names_mnemonic(p.row, mnemonic))
            continue;
        known = true;
        if (length == LENGTH_LONG && is_short)
            continue;
        if (try_row(&p, t, mnemonic))
            return true;
    }
    if (!known && mnemonic->kind == TOKEN_END)
        return source_fail(error, mnemonic, "expected an instruction");
    if (!known)
        return source_fail(error, mnemonic, "unknown mnemonic %s", token_show(mnemonic, shown));
    if (p.hard)
        return source_fail(error, best.at, "%s", best.text);
    return source_fail(error, best.at, "unexpected %s, expected %s", token_show(best.at, shown), best.text);
}
