/* Tesla's operands in program text: registers, memory, immediates, texture vectors. In: tokens.
 * Out: operands and texture fields of the op. Part of the parser (parser.h).
 */
#include "shader/isa/parser.h"

/* Splits $r5, $r5l, $r5h, $r4d, $r4q into number and suffix. */
static bool split_register(const struct token *t, unsigned *n, char *suffix) {
    if (t->kind != TOKEN_WORD || t->length < 3 || memcmp(t->text, "$r", 2))
        return false;
    struct token digits = *t;
    char last = t->text[t->length - 1];
    *suffix = last == 'l' || last == 'h' || last == 'd' || last == 'q' ? last : 0;
    digits.length -= *suffix != 0;
    return token_indexed(&digits, "$r", n);
}

static const char *register_kind(unsigned width) {
    return width == 16    ? "a 16-bit register ($r0l, $r0h ...)"
           : width == 64  ? "a 64-bit register ($r0d ...)"
           : width == 128 ? "a 128-bit register ($r0q ...)"
                          : "a 32-bit register ($r0 ...)";
}

static bool parse_register(struct parser *p, unsigned slot, unsigned bits) {
    struct operand *o = op_slot(p->op, slot);
    unsigned width = encoding_width(p->row, slot), n;
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
        complain_later(p, p->t, "$r%u is out of range in %s (max $r%u)", n, form_name(p),
                       half ? max / 2 : max);
    if ((width == 64 && n % 2) || (width == 128 && n % 4))
        return complain(p, p->t, "%s must start at a multiple of %u", token_show(p->t, shown),
                        width / 32);
    p->t++;
    return true;
}

/* Reads [$a1+0x10] [$a1++0x4] [0x10] [$a1], which follow the name of the space. */
static bool parse_address(struct parser *p, struct operand *o, unsigned bits) {
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

/* Complains at `at` if the offset cannot be encoded in len bits in units of scale. */
static bool check_offset(struct parser *p, const struct token *at, const struct operand *o,
                         unsigned len, unsigned scale) {
    bool is_signed = o->flags & OPERAND_POSTINC;
    int64_t v = (int32_t)o->value;
    int64_t low = is_signed ? -(INT64_C(1) << (len - 1)) * scale : 0;
    int64_t high = ((INT64_C(1) << (is_signed ? len - 1 : len)) - 1) * scale;
    if (v % scale)
        complain_later(p, at, "the offset must be a multiple of %u", scale);
    if (v < low || v > high)
        complain_later(p, at, "the offset is out of range in %s (%s0x%x to 0x%x)", form_name(p),
                       low < 0 ? "-" : "", (unsigned)-low, (unsigned)high);
    return true;
}

/* ---- Sources and destinations */

static bool is_memory(const struct token *t, const char *space) {
    return token_is(t, space) && token_mark(t + 1, '[');
}

static bool type_allows(struct parser *p, const struct token *at, unsigned types,
                        const char *what) {
    return types >> p->target.type & 1 || complain(p, at, "%s", what);
}

static bool parse_input_source(struct parser *p, unsigned slot, enum operand_file file) {
    const struct token *at = p->t;
    struct operand *o = op_slot(p->op, slot);
    bool is_long = p->row->form == FORM_LONG;
    p->t++;
    o->file = file;
    o->mem = TYPE_B32;
    if (encoding_width(p->row, slot) == 16)
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

static bool parse_shared_source(struct parser *p, unsigned slot, enum op_type mode) {
    const struct token *at = p->t;
    struct operand *o = op_slot(p->op, slot);
    o->file = FILE_SHARED;
    o->mem = mode;
    p->t += 2;
    return type_allows(p, at, CP_ONLY, "s[] exists in compute programs only") &&
           parse_address(p, o, 32) &&
           check_offset(p, at, o, p->row->form == FORM_LONG ? 5 : 4, type_width(mode) / 8);
}

bool parse_s1(struct parser *p, const struct field *f) {
    static const struct {
        const char *name;
        uint8_t type;
    } modes[] = {{"u8", TYPE_U8}, {"u16", TYPE_U16}, {"s16", TYPE_S16}, {"b32", TYPE_B32}};
    for (int i = 0; i < 4; i++)
        if (token_is(p->t, modes[i].name) && is_memory(p->t + 1, "s"))
            return parse_shared_source(p, f->slot, modes[i].type);
    if (is_memory(p->t, "s"))
        return complain(p, p->t,
                        "s[] as a source needs its access width in front: b32, u16, s16 or u8");
    if (is_memory(p->t, "a"))
        return type_allows(p, p->t, VP_GP_ONLY,
                           "a[] exists in vertex and geometry programs only") &&
               parse_input_source(p, f->slot, FILE_ATTR);
    if (is_memory(p->t, "p"))
        return type_allows(p, p->t, GP_ONLY, "p[] exists in geometry programs only") &&
               parse_input_source(p, f->slot, FILE_PRIM);
    unsigned n;
    if (token_indexed(p->t, "c", &n) && token_mark(p->t + 1, '['))
        return complain(p, p->t,
                        "c[] cannot be the first source; exchange the sources or use `ld`");
    return parse_register(p, f->slot, p->row->form == FORM_LONG ? 7 : 6);
}

static bool parse_const_source(struct parser *p, const struct field *f, unsigned space) {
    const struct token *at = p->t;
    struct operand *o = op_slot(p->op, f->slot);
    bool half = encoding_width(p->row, f->slot) == 16, is_short = p->row->form == FORM_SHORT;
    p->t++;
    o->file = FILE_CONST;
    o->mem = half ? TYPE_B16 : TYPE_B32;
    o->index = space;
    if (space > (is_short ? 1 : 15))
        complain_later(p, at, "%s",
                       is_short ? "a short instruction reaches c0[] and c1[] only"
                                : "there are c0[] to c15[]");
    return parse_address(p, o, 32) && check_offset(p, at, o, is_short ? 5 : 7, half ? 2 : 4);
}

bool parse_s2_s3(struct parser *p, const struct field *f) {
    unsigned n;
    if (token_indexed(p->t, "c", &n) && token_mark(p->t + 1, '['))
        return parse_const_source(p, f, n);
    for (const char *s = "aps"; *s; s++)
        if (is_memory(p->t, (char[]){*s, 0}))
            return complain(p, p->t, "%c[] can only be the first source", *s);
    return parse_register(p, f->slot, p->row->form == FORM_LONG ? 7 : 6);
}

bool parse_reg(struct parser *p, const struct field *f) {
    return parse_register(p, f->slot, f->len);
}

bool parse_same_reg(struct parser *p, const struct field *f) {
    const struct token *at = p->t;
    if (!parse_register(p, f->slot, f->len))
        return false;
    if (op_slot(p->op, f->slot)->value != p->op->dst.value)
        complain_later(p, at, "the last source must be the destination $r%u in %s",
                       p->op->dst.value, form_name(p));
    return true;
}

bool parse_dst(struct parser *p, const struct field *f) {
    const struct token *at = p->t;
    struct operand *o = op_slot(p->op, f->slot);
    if (accept_mark(p, '#')) {
        o->file = FILE_NULL;
        return true;
    }
    if (!is_memory(p->t, "o"))
        return parse_register(p, f->slot, f->len);
    unsigned scale = encoding_width(p->row, f->slot) == 16 ? 2 : 4;
    p->t++;
    o->file = FILE_OUT;
    o->mem = scale == 2 ? TYPE_B16 : TYPE_B32;
    if (!type_allows(p, at, VP_GP_ONLY, "o[] exists in vertex and geometry programs only") ||
        !parse_address(p, o, 32))
        return false;
    if (o->areg)
        return complain(p, at, "o[] with $a can only be written by `st b32`");
    return (o->value != 127 * scale || complain(p, at, "o[0x%x] cannot be reached", o->value)) &&
           check_offset(p, at, o, 7, scale);
}

bool parse_imm(struct parser *p, const struct field *f) {
    struct operand *o = op_slot(p->op, f->slot);
    unsigned bits = f->len + f->len2;
    uint64_t v;
    if (!parse_value(p, bits, "a number", &v))
        return false;
    o->file = FILE_IMM;
    o->value = (uint32_t)(bits < 32 ? v & ((1u << bits) - 1) : v);
    return true;
}

bool parse_addr_reg(struct parser *p, const struct field *f) {
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

bool parse_special(struct parser *p, const struct field *f) {
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

/* Offsets of loads and stores wrap at 16 bits. */
bool parse_memory(struct parser *p, const struct field *f) {
    static const char *const names[] = {[FILE_SHARED] = "s",
                                        [FILE_LOCAL] = "l",
                                        [FILE_ATTR] = "a",
                                        [FILE_OUT] = "o",
                                        [FILE_VARYING] = "v"};
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

bool parse_global(struct parser *p, const struct field *f) {
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

/* ---- Texture */

/* $rN of a texture vector. */
static bool parse_component(struct parser *p, unsigned *n) {
    char suffix, shown[64];
    if (!split_register(p->t, n, &suffix) || suffix)
        return expected(p, "a 32-bit register ($r0 ...)");
    if (*n > 127)
        return complain(p, p->t, "%s does not exist (max $r127)", token_show(p->t, shown));
    p->t++;
    return true;
}

bool parse_tex_dst(struct parser *p, const struct field *f) {
    const struct token *at = p->t;
    struct tex_fields *x = &p->op->tex;
    unsigned n, count = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (i &&
            !need_mark(p, ':', ": (a destination has four components, # for those not wanted)"))
            return false;
        if (accept_mark(p, '#'))
            continue;
        if (!parse_component(p, &n))
            return false;
        if (count == 0)
            x->base = n;
        if (n != x->base + count)
            return complain(p, p->t - 1, "the enabled components must be consecutive: $r%u",
                            x->base + count);
        count++;
        x->call.result_mask |= 1u << i;
    }
    if (p->row->form == FORM_SHORT && x->call.result_mask != 0xf)
        return complain(p, at, "a short texture instruction writes all four components");
    if (x->base >> f->len)
        return complain(p, at, "$r%u is out of range in %s", x->base, form_name(p));
    return true;
}

bool parse_tex_src(struct parser *p, const struct field *f) {
    const struct token *at = p->t;
    struct tex_fields *x = &p->op->tex;
    unsigned n, max = f->len ? 4 : 1;
    do {
        if (!parse_component(p, &n))
            return false;
        if (x->call.source_count == 0 && x->call.result_mask == 0)
            x->base = n;
        if (x->call.source_count == 0 && n != x->base)
            return complain(p, at, "sources must start at the register of the results, $r%u",
                            x->base);
        if (n != x->base + x->call.source_count)
            return complain(p, p->t - 1, "sources must be consecutive: $r%u",
                            x->base + x->call.source_count);
        x->call.source_count++;
    } while (x->call.source_count < max && accept_mark(p, ':'));
    return true;
}

bool parse_tex_unit(struct parser *p, const struct field *f) {
    char what[16];
    unsigned n, max = (1u << f->len) - 1;
    snprintf(what, sizeof what, "%s0..%s%u", f->word, f->word, max);
    if (!parse_indexed(p, f->word, max, what, &n))
        return false;
    *op_member(p, f) = (uint8_t)n;
    return true;
}

bool parse_tex_offset(struct parser *p, const struct field *f) {
    const struct token *at = p->t;
    uint64_t v;
    if (!parse_value(p, 64, "a texel offset (-8 to 7)", &v))
        return false;
    if ((int64_t)v < -8 || (int64_t)v > 7)
        return complain(p, at, "texel offsets range from -8 to 7");
    *op_member(p, f) = (uint8_t)v;
    return true;
}
