/* The assembler: source text to words. In: text, target, optionally a program header to fill. Out:
 * words with their base address and source lines. Statements become items: instructions, data,
 * filling. The first pass finds their lengths, layout gives addresses to labels, the second pass
 * encodes.
 */
#include "shader/isa/source.h"
#include "base/arena.h"
#include "base/c_locale.h"

#include <stdlib.h>

enum { CODE_LIMIT = 1 << 24 }; /* bytes of C[] space */

enum item_kind { ITEM_INSTRUCTION, ITEM_DATA, ITEM_ALIGN, ITEM_FILL_TO, ITEM_SECTION, ITEM_NOP };

struct item {
    uint8_t kind;
    uint8_t unit;     /* ITEM_DATA: bytes per value */
    char sign;        /* ITEM_DATA: 'u' unsigned, 's' signed, 'b' either */
    bool has_address; /* ITEM_SECTION */
    uint32_t size;    /* bytes */
    uint32_t address;
    /* ITEM_ALIGN: the power of two; ITEM_FILL_TO: bytes from the start of the section;
     * ITEM_SECTION: the address; ITEM_NOP: the address modulo 16 */
    uint32_t amount;
    uint32_t scope; /* for local labels */
    size_t token;   /* first token of the item's statement, in assembler.tokens */
};

enum symbol_kind { SYMBOL_LABEL, SYMBOL_NUMBER, SYMBOL_TEXT };

struct symbol {
    const char *name; /* in the source text */
    uint32_t length;
    uint32_t scope; /* of local labels; otherwise 0 */
    uint8_t kind;
    uint64_t value;      /* SYMBOL_LABEL: item index; after resolve_labels() the address */
    size_t token, count; /* SYMBOL_TEXT: tokens in assembler.tokens */
    uint32_t line;
    struct symbol *next; /* next in the bucket */
};

enum { BUCKETS = 4096 };

struct assembler {
    struct isa_target target;
    struct source_error error;
    const char *name; /* of the first text */
    struct source_text expanded;
    struct token *source; /* as lexed, of the whole text */
    struct token *tokens; /* statements of items, with named operands replaced */
    size_t token_count, token_room;
    struct item *items;
    size_t item_count, item_room;
    struct symbol *buckets[BUCKETS];
    uint32_t scope; /* of local labels: the number of the last ordinary label or section */
    bool has_text;  /* .const was used */
    bool resolved;  /* label values are addresses */
    struct header_builder header;
    bool has_header;
    uint32_t base;
};

static bool fail_memory(struct assembler *a, const struct token *at) {
    a->error.no_memory = true;
    return source_fail(&a->error, at, "out of memory");
}

/* ---- Symbols */

/* The scope that a name belongs to: for a local label (_name) that of the last ordinary label, for
 * other names 0. */
static uint32_t scope_of(const struct assembler *a, const struct token *name) {
    const bool local = name->length > 1 && name->text[0] == '_' && name->text[1] != '_';
    return local ? a->scope : 0;
}

static uint32_t hash(uint32_t scope, const struct token *name) {
    uint32_t h = 2166136261u ^ scope;
    for (uint32_t i = 0; i < name->length; i++)
        h = (h ^ (uint8_t)name->text[i]) * 16777619u;
    return h % BUCKETS;
}

static struct symbol *find_symbol(const struct assembler *a, const struct token *name) {
    const uint32_t scope = scope_of(a, name);
    struct symbol *s = a->buckets[hash(scope, name)];
    while (s && (s->scope != scope || s->length != name->length ||
                 memcmp(s->name, name->text, name->length)))
        s = s->next;
    return s;
}

static struct symbol *define(struct assembler *a, const struct token *name, enum symbol_kind kind,
                             uint64_t value) {
    const struct symbol *old = find_symbol(a, name);
    struct symbol *s = old ? NULL : malloc(sizeof *s);
    if (old)
        source_fail(&a->error, name, "`%.*s` is already defined on line %u",
                    name->length > 40 ? 40 : (int)name->length, name->text, old->line);
    else if (!s)
        fail_memory(a, name);
    if (!s)
        return NULL;
    const uint32_t scope = scope_of(a, name);
    struct symbol **bucket = &a->buckets[hash(scope, name)];
    *s = (struct symbol){.name = name->text,
                         .length = name->length,
                         .scope = scope,
                         .kind = kind,
                         .value = value,
                         .line = name->line,
                         .next = *bucket};
    return *bucket = s;
}

/* The `find` of a struct name_source. Before layout the value of a label is 0. */
static bool find_value(void *self, const struct token *name, uint64_t *value) {
    const struct assembler *a = self;
    const struct symbol *s = find_symbol(a, name);
    if (!s || s->kind == SYMBOL_TEXT)
        return false;
    *value = s->kind == SYMBOL_LABEL && !a->resolved ? 0 : s->value;
    return true;
}

static bool number_at(struct assembler *a, const struct token *t, const char *what, uint64_t max,
                      uint64_t *value) {
    char shown[64];
    if (t->kind == TOKEN_NAME) {
        if (!find_value(a, t, value))
            return source_fail(&a->error, t, "%s is not defined", token_show(t, shown));
    } else if (t->kind == TOKEN_NUMBER) {
        *value = t->value;
    } else {
        return source_fail(&a->error, t, "expected %s, not %s", what, token_show(t, shown));
    }
    return *value <= max || source_fail(&a->error, t, "%s is too large (max 0x%llx)",
                                        token_show(t, shown), (unsigned long long)max);
}

/* ---- Statements to items */

static bool add_token(struct assembler *a, struct token t) {
    if (!ARRAY_ROOM(a->tokens, a->token_room, a->token_count + 1))
        return fail_memory(a, a->source);
    a->tokens[a->token_count++] = t;
    return true;
}

/* Copies a statement with its named operands replaced. Messages give the place of use. */
static bool copy_statement(struct assembler *a, const struct token *t) {
    for (; t->kind != TOKEN_END; t++) {
        const struct symbol *s = a->has_text && t->kind == TOKEN_WORD ? find_symbol(a, t) : NULL;
        if (!s || s->kind != SYMBOL_TEXT) {
            if (!add_token(a, *t))
                return false;
            continue;
        }
        for (size_t i = 0; i < s->count; i++) {
            struct token part = a->tokens[s->token + i];
            part.line = t->line;
            part.column = t->column;
            if (!add_token(a, part))
                return false;
        }
    }
    return add_token(a, *t);
}

static struct item *add_item(struct assembler *a, enum item_kind kind, const struct token *at) {
    if (!ARRAY_ROOM(a->items, a->item_room, a->item_count + 1)) {
        fail_memory(a, at);
        return NULL;
    }
    struct item *item = &a->items[a->item_count];
    *item = (struct item){.kind = kind, .scope = a->scope, .token = a->token_count};
    a->item_count += copy_statement(a, at);
    return a->item_count > (size_t)(item - a->items) ? item : NULL;
}

static bool end_of_line(struct assembler *a, const struct token *t) {
    char shown[64];
    return t->kind == TOKEN_END ||
           source_fail(&a->error, t, "unexpected %s, expected the end of the line",
                       token_show(t, shown));
}

static bool directive_section(struct assembler *a, const struct token *t) {
    uint64_t address = 0;
    if (t[1].kind != TOKEN_NAME)
        return source_fail(&a->error, &t[1], "expected .section #name [address]");
    bool has_address = t[2].kind != TOKEN_END;
    if (has_address &&
        (!number_at(a, &t[2], "an address", CODE_LIMIT - 8, &address) || !end_of_line(a, &t[3])))
        return false;
    if (address % 8)
        return source_fail(&a->error, &t[2], "sections start at multiples of 8");
    struct item *item = add_item(a, ITEM_SECTION, t);
    if (!item)
        return false;
    item->has_address = has_address;
    item->amount = (uint32_t)address;
    a->scope++;
    return define(a, &t[1], SYMBOL_LABEL, a->item_count - 1) != NULL;
}

static bool directive_amount(struct assembler *a, const struct token *t, enum item_kind kind,
                             uint64_t max) {
    uint64_t n = 0;
    if (!number_at(a, &t[1], "a number of bytes", max, &n) || !end_of_line(a, &t[2]))
        return false;
    if (kind == ITEM_ALIGN && (n == 0 || n & (n - 1)))
        return source_fail(&a->error, &t[1], ".align takes a power of two");
    struct item *item = add_item(a, kind, t);
    if (!item)
        return false;
    item->amount = (uint32_t)n;
    return true;
}

static bool directive_align(struct assembler *a, const struct token *t) {
    return directive_amount(a, t, ITEM_ALIGN, 1 << 20);
}

static bool directive_size(struct assembler *a, const struct token *t) {
    return directive_amount(a, t, ITEM_FILL_TO, CODE_LIMIT);
}

static bool directive_skip(struct assembler *a, const struct token *t) {
    if (!directive_amount(a, t, ITEM_DATA, CODE_LIMIT))
        return false;
    struct item *item = &a->items[a->item_count - 1];
    item->size = item->amount;
    return true;
}

static bool directive_equ(struct assembler *a, const struct token *t) {
    uint64_t value;
    if (t[1].kind != TOKEN_NAME)
        return source_fail(&a->error, &t[1], "expected .equ #name value");
    return number_at(a, &t[2], "a value", UINT64_MAX, &value) && end_of_line(a, &t[3]) &&
           define(a, &t[1], SYMBOL_NUMBER, value);
}

static bool directive_const(struct assembler *a, const struct token *t) {
    if (t[1].kind != TOKEN_WORD || t[1].text[0] == '$' || t[1].text[0] == '.' ||
        t[2].kind == TOKEN_END)
        return source_fail(&a->error, &t[1],
                           "expected .const name operand, like .const color c0[0x10]");
    if (t[1].text[0] == '_')
        return source_fail(&a->error, &t[1], "names of operands do not start with _");
    size_t start = a->token_count;
    if (!copy_statement(a, t + 2))
        return false;
    struct symbol *s = define(a, &t[1], SYMBOL_TEXT, 0);
    if (!s)
        return false;
    a->has_text = true;
    s->token = start;
    s->count = a->token_count - start - 1;
    return true;
}

/* .b8 .u16 .s32 ...: values, little-endian. */
static bool directive_data(struct assembler *a, const struct token *t) {
    char bits[3] = {t->text[2], t->length > 3 ? t->text[3] : 0, 0};
    struct item *item = add_item(a, ITEM_DATA, t);
    if (!item)
        return false;
    size_t count = a->token_count - item->token - 2;
    item->sign = t->text[1];
    item->unit = (uint8_t)(atoi(bits) / 8);
    if (count == 0)
        return source_fail(&a->error, t, "expected values after %.*s", (int)t->length, t->text);
    if (count > CODE_LIMIT / item->unit)
        return source_fail(&a->error, t, "the program is larger than the 16 MiB of code space");
    item->size = (uint32_t)count * item->unit;
    return true;
}

static const struct {
    const char *name;
    bool (*run)(struct assembler *a, const struct token *t);
} directives[] = {
    {".section", directive_section}, {".align", directive_align}, {".size", directive_size},
    {".skip", directive_skip},       {".equ", directive_equ},     {".const", directive_const},
    {".b8", directive_data},         {".b16", directive_data},    {".b32", directive_data},
    {".b64", directive_data},        {".u8", directive_data},     {".u16", directive_data},
    {".u32", directive_data},        {".u64", directive_data},    {".s8", directive_data},
    {".s16", directive_data},        {".s32", directive_data},    {".s64", directive_data},
};

static bool run_directive(struct assembler *a, const struct token *t) {
    char shown[64];
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (token_is(t, directives[i].name))
            return directives[i].run(a, t);
    int done = a->has_header ? header_directive(&a->header, t, &a->error) : 0;
    if (done == 0)
        return source_fail(&a->error, t,
                           a->has_header
                               ? "unknown directive %s"
                               : "%s is no directive of the assembler (program headers are not "
                                 "part of a .bin file)",
                           token_show(t, shown));
    return done > 0;
}

/* ---- asfermi's directives: ! and a name (fermi-isa.md §11). Directives that only describe a
 * cubin are read and have no effect on the words. */

static bool asfermi_label(struct assembler *a, const struct token *t) {
    if (t[1].kind != TOKEN_WORD)
        return source_fail(&a->error, &t[1], "expected !Label name");
    return end_of_line(a, &t[2]) && define(a, &t[1], SYMBOL_LABEL, a->item_count);
}

static bool asfermi_raw(struct assembler *a, const struct token *t) {
    struct item *item = add_item(a, ITEM_DATA, t);
    if (!item)
        return false;
    size_t count = a->token_count - item->token - 2;
    item->sign = 'b';
    item->unit = 4;
    if (count == 0 || count > 2)
        return source_fail(&a->error, t, "expected !RawInstruction 0xW0 [0xW1]");
    item->size = (uint32_t)count * 4;
    return true;
}

/* Adds a NOP if the address modulo 16 is not the required one. */
static bool asfermi_align(struct assembler *a, const struct token *t) {
    uint64_t n = 0;
    if (!number_at(a, &t[1], "0 or 8", 8, &n) || !end_of_line(a, &t[2]))
        return false;
    if (n % 8)
        return source_fail(&a->error, &t[1], "!Align takes 0 or 8");
    struct item *item = add_item(a, ITEM_NOP, t);
    if (item)
        item->amount = (uint32_t)n;
    return item;
}

static bool asfermi_ignored(struct assembler *, const struct token *) {
    return true;
}

static const struct {
    const char *name;
    bool (*run)(struct assembler *a, const struct token *t);
} asfermi_directives[] = {
    {"Label", asfermi_label},      {"RawInstruction", asfermi_raw}, {"Align", asfermi_align},
    {"Kernel", asfermi_ignored},   {"EndKernel", asfermi_ignored},  {"Param", asfermi_ignored},
    {"Shared", asfermi_ignored},   {"Local", asfermi_ignored},      {"MinStack", asfermi_ignored},
    {"MinFrame", asfermi_ignored}, {"RegCount", asfermi_ignored},   {"BarCount", asfermi_ignored},
    {"Arch", asfermi_ignored},     {"Machine", asfermi_ignored},    {"SelfDebug", asfermi_ignored},
};

static bool run_asfermi_directive(struct assembler *a, const struct token *t) {
    char shown[64];
    for (size_t i = 0; i < sizeof asfermi_directives / sizeof *asfermi_directives; i++)
        if (token_is(t, asfermi_directives[i].name))
            return asfermi_directives[i].run(a, t);
    return source_fail(&a->error, t, "unknown directive %s", token_show(t, shown));
}

static bool add_statement(struct assembler *a, const struct token *t) {
    while (t->kind == TOKEN_WORD && token_mark(t + 1, ':')) {
        bool local = t->text[0] == '_' && (t->length == 1 || t->text[1] != '_');
        if (!local)
            a->scope++;
        if (!define(a, t, SYMBOL_LABEL, a->item_count))
            return false;
        t += 2;
    }
    if (t->kind == TOKEN_END)
        return true;
    if (token_mark(t, '!'))
        return run_asfermi_directive(a, t + 1);
    return t->kind == TOKEN_WORD && t->text[0] == '.' ? run_directive(a, t)
                                                      : add_item(a, ITEM_INSTRUCTION, t) != NULL;
}

static bool collect(struct assembler *a, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!add_statement(a, &a->source[i]) && !source_report(&a->error, a->source))
            return false;
        while (a->source[i].kind != TOKEN_END)
            i++;
    }
    return true;
}

/* ---- Lengths and addresses */

/* Parses the instruction of an item. Local labels are looked up in the scope of its statement. */
static bool parse_item(struct assembler *a, const struct item *item, struct op *op) {
    const struct token *t = &a->tokens[item->token];
    struct name_source names = {a, find_value};
    bool forced = token_is(t, "long");
    a->scope = item->scope;
    return parse_instruction(a->target, t + forced, item->address,
                             forced ? LENGTH_LONG : LENGTH_SHORTEST, &names, op, &a->error);
}

/* Finds the length of each instruction. Addresses are estimates in this pass; a relative target
 * that is a number cannot be parsed without an address. */
static bool measure(struct assembler *a) {
    uint32_t address = 0;
    for (size_t i = 0; i < a->item_count; address += a->items[i++].size) {
        struct item *item = &a->items[i];
        struct op op;
        item->address = address;
        if (item->kind != ITEM_INSTRUCTION)
            continue;
        if (parse_item(a, item, &op))
            item->size = 4u * op.words;
        else if (!source_report(&a->error, a->source))
            return false;
    }
    return true;
}

/* If a long instruction would start at an odd word, the short instruction before it becomes
 * long. */
static void extend_previous(struct assembler *a, size_t i) {
    struct item *previous = i ? &a->items[i - 1] : NULL;
    if (previous && previous->kind == ITEM_INSTRUCTION && previous->size == 4 &&
        previous->address % 8 == 0)
        previous->size = 8;
}

static uint32_t round_up(uint32_t n, uint32_t to) {
    return (n + to - 1) / to * to;
}

static bool place(struct assembler *a, size_t i, uint32_t *address, uint32_t *section) {
    struct item *item = &a->items[i];
    const struct token *t = &a->tokens[item->token];
    switch (item->kind) {
    case ITEM_INSTRUCTION:
        *address = round_up(*address, 4);
        if (item->size == 8 && *address % 8 && !isa_of(a->target.variant)->plain)
            *address += 4; /* the instruction before has become longer, or a word is filled */
        break;
    case ITEM_ALIGN:
        item->size = round_up(*address, item->amount) - *address;
        break;
    case ITEM_FILL_TO:
        if (*address - *section > item->amount)
            return source_fail(&a->error, t, "the section is already 0x%x bytes long",
                               *address - *section);
        item->size = *section + item->amount - *address;
        break;
    case ITEM_NOP:
        item->size = *address % 16 == item->amount ? 0 : 8;
        break;
    case ITEM_SECTION:
        if (i == 0 && item->has_address)
            *address = item->amount;
        else if (item->has_address && item->amount < *address)
            return source_fail(&a->error, t,
                               "section address 0x%x lies inside what precedes it (up to 0x%x)",
                               item->amount, *address);
        *section = item->has_address ? item->amount : round_up(*address, 8);
        *address = *section;
    }
    item->address = *address;
    *address += item->size;
    return *address <= CODE_LIMIT ||
           source_fail(&a->error, t, "the program is larger than the 16 MiB of code space");
}

static bool layout(struct assembler *a, uint32_t *end) {
    uint32_t address = 0, section = 0;
    for (size_t i = 0; i < a->item_count; i++) {
        if (a->items[i].kind == ITEM_INSTRUCTION && a->items[i].size == 8 && address % 8 == 4 &&
            !isa_of(a->target.variant)->plain)
            extend_previous(a, i);
        if (!place(a, i, &address, &section))
            return false;
        if (i == 0)
            a->base = section = a->items[0].address;
    }
    *end = address;
    return true;
}

static void resolve_labels(struct assembler *a, uint32_t end) {
    for (unsigned b = 0; b < BUCKETS; b++)
        for (struct symbol *s = a->buckets[b]; s; s = s->next)
            if (s->kind == SYMBOL_LABEL)
                s->value = s->value < a->item_count ? a->items[s->value].address : end;
    a->resolved = true;
}

/* ---- Words */

/* Replaces the words of a short Tesla instruction by those of its long form. */
static void encode_long_instead(struct assembler *a, struct op *op) {
    uint32_t w[2];
    for (unsigned i = 0; i < isa_tesla.row_count; i++) {
        const struct encoding_row *row = &isa_tesla.rows[i];
        if (row->code != op->code || (row->form != FORM_LONG && row->form != FORM_CONTROL))
            continue;
        if (isa_encode_row(a->target, row, op, w)) {
            memcpy(op->w, w, sizeof w);
            op->words = 2;
            return;
        }
    }
}

/* Encodes an instruction again as a long one. The instruction's item has eight bytes, but with
 * known labels the short form fits, too. */
static void lengthen(struct assembler *a, const struct item *item, struct op *op) {
    struct name_source names = {a, find_value};
    struct source_error ignored = {0};
    if (!isa_of(a->target.variant)->plain)
        encode_long_instead(a, op);
    else
        parse_instruction(a->target, &a->tokens[item->token], item->address, LENGTH_LONG, &names,
                          op, &ignored);
}

/* Warns of numbers in asfermi's notation that the chip reads as negative: a field of 20 bits
 * accepts 0x80000 to 0xfffff, but its top bit is a sign. */
static void warn_of_sign(const struct assembler *a, const struct item *item,
                         const uint32_t *words) {
    struct op op;
    char text[128], shown[64];
    if (!a->error.report || a->target.syntax != SYNTAX_ASFERMI)
        return;
    isa_decode(a->target, words, 2, item->address, &op);
    for (const struct token *t = &a->tokens[item->token]; t->kind != TOKEN_END; t++)
        for (unsigned i = 0; t->kind == TOKEN_NUMBER && !t->real && i < 3; i++)
            if (op.src[i].file == FILE_IMM && t->value >= 0x80000 && t->value <= 0xfffff &&
                op.src[i].value == (uint32_t)(t->value | 0xfff00000)) {
                snprintf(text, sizeof text,
                         "warning: the chip reads %s as -0x%x: the field has 20 bits and a sign",
                         token_show(t, shown), 0x100000 - (uint32_t)t->value);
                a->error.report(a->error.self, t, text);
            }
}

static bool emit_instruction(struct assembler *a, const struct item *item, uint8_t *to) {
    struct op op;
    if (!parse_item(a, item, &op))
        return false;
    if (op.words == 1 && item->size == 8)
        lengthen(a, item, &op);
    if (4u * op.words != item->size)
        return source_fail(&a->error, &a->tokens[item->token],
                           "this needs eight bytes once labels are known; "
                           "write `long` in front");
    memcpy(to, op.w, item->size);
    if (item->size == 8)
        warn_of_sign(a, item, op.w);
    return true;
}

static bool emit_data(struct assembler *a, const struct item *item, uint8_t *to) {
    char shown[64];
    if (!item->unit)
        return true; /* .skip: zeros */
    const struct token *t = &a->tokens[item->token + 1];
    unsigned bits = item->unit * 8u;
    for (; t->kind != TOKEN_END; t++, to += item->unit) {
        uint64_t v;
        if (!number_at(a, t, "a value", UINT64_MAX, &v))
            return false;
        struct token value = *t;
        value.value = v;
        value.negative = v >> 63;
        bool fits = number_fits(&value, bits);
        if (item->sign == 'u')
            fits = bits == 64 || v >> bits == 0;
        else if (item->sign == 's')
            fits = bits == 64 || ((int64_t)v < INT64_C(1) << (bits - 1) &&
                                  (int64_t)v >= -(INT64_C(1) << (bits - 1)));
        if (!fits)
            return source_fail(&a->error, t, "%s does not fit .%c%u", token_show(t, shown),
                               item->sign, bits);
        memcpy(to, &v, item->unit);
    }
    return true;
}

static bool emit(struct assembler *a, uint32_t end, struct asm_result *out) {
    out->base = a->base;
    out->count = (end - a->base + 3) / 4;
    out->words = calloc(out->count + 1, sizeof *out->words);
    out->lines = calloc(out->count + 1, sizeof *out->lines);
    out->places = calloc(out->count + 1, sizeof *out->places);
    if (!out->words || !out->lines || !out->places)
        return fail_memory(a, a->source);
    for (size_t i = 0; i < a->item_count; i++) {
        const struct item *item = &a->items[i];
        uint8_t *to = (uint8_t *)out->words + (item->address - a->base);
        a->scope = item->scope;
        if (item->kind == ITEM_NOP && item->size)
            memcpy(to, (uint32_t[]){0x00001de4, 0x40000000}, 8);
        if ((item->kind == ITEM_INSTRUCTION ? !emit_instruction(a, item, to)
                                            : item->kind == ITEM_DATA && !emit_data(a, item, to)) &&
            !source_report(&a->error, a->source))
            return false;
        const uint32_t line = a->tokens[item->token].line;
        const struct asm_place place = source_place(&a->expanded, a->name, line);
        for (uint32_t b = 0; b < item->size; b += 4) {
            out->lines[(item->address - a->base + b) / 4] = line;
            out->places[(item->address - a->base + b) / 4] = place;
        }
    }
    return true;
}

/* ---- The whole program */

static bool assemble(struct assembler *a, size_t count, struct asm_result *out) {
    uint32_t end;
    if (!collect(a, count))
        return false;
    if (!measure(a) || a->error.reported || !layout(a, &end))
        return false;
    resolve_labels(a, end);
    return emit(a, end, out) && !a->error.reported;
}

static void release(struct assembler *a) {
    for (unsigned b = 0; b < BUCKETS; b++) {
        for (struct symbol *s = a->buckets[b], *next; s; s = next) {
            next = s->next;
            free(s);
        }
    }
    source_text_free(&a->expanded);
    free(a->source);
    free(a->tokens);
    free(a->items);
    free(a);
}

/* What report_mistake() needs: the texts, to name the place of a mistake, and the caller's err. */
struct reporter {
    const struct isa_source *from;
    const struct assembler *a;
    char *err;
    size_t err_size;
};

static void report_mistake(void *self, const struct token *at, const char *text) {
    const struct reporter *r = self;
    char place[512], message[1024];
    source_print_place(&r->a->expanded, r->from->name, at, place, sizeof place);
    snprintf(message, sizeof message, "%s: %s", place, text);
    if (!r->a->error.reported) /* a warning's text is replaced by that of a mistake */
        snprintf(r->err, r->err_size, "%s", message);
    if (r->from->report)
        r->from->report(r->from->self, message);
}

/* Expands, lexes and assembles. The tokens point into a->expanded, or into the caller's text. */
static bool assemble_text(struct assembler *a, const struct isa_source *from, struct token *place,
                          struct asm_result *out) {
    size_t count;
    if (!source_expand(from->text, from->length, from->name, from->is_file, &a->expanded, &a->error,
                       place))
        return false;
    const char *const text = a->expanded.text ? a->expanded.text : from->text;
    const size_t length = a->expanded.text ? a->expanded.length : from->length;
    return lex_source(text, length, isa_notation(a->target)->dotted, &a->source, &count, &a->error,
                      place) == 0 &&
           assemble(a, count, out);
}

int isa_assemble_source(struct isa_target target, const struct isa_source *from,
                        struct program_header *header, struct asm_result *out, char *err,
                        size_t err_size) {
    C_LOCALE_BLOCK;
    struct token place = {.line = 1, .column = 1};
    struct assembler *a = calloc(1, sizeof *a);
    memset(out, 0, sizeof *out);
    if (!a) {
        snprintf(err, err_size, "%s: out of memory", from->name);
        return -1;
    }
    struct reporter reporter = {from, a, err, err_size};
    a->target = target;
    a->name = from->name;
    a->error.report = from->report ? report_mistake : NULL;
    a->error.self = &reporter;
    a->has_header = header != NULL;
    if (header)
        header_begin(&a->header, header, target);
    const bool ok = assemble_text(a, from, &place, out);
    if (ok && header)
        header_finish(&a->header, out->words, out->count, out->base);
    if (ok) {
        out->text = a->expanded.text;
        a->expanded.text = NULL;
    } else {
        if (a->error.at || !a->error.reported)
            report_mistake(&reporter, a->error.at ? a->error.at : &place, a->error.text);
        asm_result_free(out);
    }
    release(a);
    return ok ? 0 : -1;
}

int isa_assemble(struct isa_target target, const char *text, size_t length, const char *name,
                 struct program_header *header, struct asm_result *out, char *err,
                 size_t err_size) {
    const struct isa_source from = {.text = text, .length = length, .name = name};
    return isa_assemble_source(target, &from, header, out, err, err_size);
}

bool isa_assemble_line(struct isa_target target, const char *text, size_t length, uint32_t pc,
                       struct op *op, char *err, size_t err_size) {
    C_LOCALE_BLOCK;
    struct token *tokens, place = {.line = 1, .column = 1};
    struct source_error error = {0};
    size_t count;
    if (lex_source(text, length, isa_notation(target)->dotted, &tokens, &count, &error, &place))
        tokens = NULL;
    bool ok = tokens && parse_instruction(target, tokens, pc, LENGTH_SHORTEST, NULL, op, &error);
    if (!ok)
        snprintf(err, err_size, "line 1, column %u: %s", error.at ? error.at->column : 1,
                 error.text);
    free(tokens);
    return ok;
}

void asm_result_free(struct asm_result *r) {
    free(r->words);
    free(r->lines);
    free(r->places);
    free(r->text);
    memset(r, 0, sizeof *r);
}
