/* Disassembles a whole program. In: words and their base address. Out: source that assembles back
 * to the same words, or a listing. Decides two things that one instruction alone cannot tell:
 * whether an instruction's text needs `long`, and whether the text gives the instruction's words at
 * all.
 */
#include "shader/isa/source.h"
#include "base/bits.h"
#include "base/c_locale.h"

#include <stdarg.h>
#include <stdlib.h>

enum { TEXT_SIZE = 256 };

struct text {
    char *data;
    size_t length, room;
    bool failed;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...) {
    if (t->failed)
        return;
    if (t->room - t->length < 2 * TEXT_SIZE) {
        size_t room = 2 * t->room + 4 * TEXT_SIZE;
        char *more = realloc(t->data, room);
        if (!more) {
            t->failed = true;
            return;
        }
        t->data = more;
        t->room = room;
    }
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->data + t->length, t->room - t->length, format, args);
    va_end(args);
    t->length += (size_t)n < t->room - t->length ? (size_t)n : t->room - t->length - 1;
}

enum line_kind {
    LINE_PLAIN, /* the text alone gives the words */
    /* the assembler would choose a one-word form; text with `long` gives the words */
    LINE_SHORTENED,
    LINE_DATA,    /* the text does not give the words */
    LINE_UNKNOWN, /* out of memory */
};

static bool assembles_to(struct isa_target target, const struct token *tokens, uint32_t pc,
                         enum length_choice choice, const struct op *want) {
    struct source_error error = {0};
    struct op op;
    return parse_instruction(target, tokens, pc, choice, NULL, &op, &error) &&
           op.words == want->words && op.w[0] == want->w[0] && op.w[1] == want->w[1];
}

static enum line_kind classify(struct isa_target target, const struct op *op, uint32_t pc) {
    char source[TEXT_SIZE];
    if (op->code == OP_ILLEGAL)
        return LINE_DATA;
    int n = isa_print(target, op, source, sizeof source);
    if (n >= TEXT_SIZE)
        return LINE_DATA;
    struct token *tokens, place;
    struct source_error error = {0};
    size_t count;
    if (lex_source(source, (size_t)n, isa_notation(target)->dotted, &tokens, &count, &error,
                   &place))
        return error.no_memory ? LINE_UNKNOWN : LINE_DATA;
    enum line_kind kind = LINE_DATA;
    if (assembles_to(target, tokens, pc, LENGTH_SHORTEST, op))
        kind = LINE_PLAIN;
    else if (op->words == 2 && assembles_to(target, tokens, pc, LENGTH_LONG, op))
        kind = LINE_SHORTENED;
    free(tokens);
    return kind;
}

/* True if `bits` are more likely a float than an integer or a mask. */
static bool looks_like_float(uint32_t bits) {
    const uint32_t exponent = bits >> 23 & 0xff;
    return exponent >= 127 - 24 && exponent <= 127 + 30;
}

/* "  // 1.5" for an immediate that the text gives in hexadecimal, or "". */
static const char *float_note(const struct op *op, const char *source, char note[40]) {
    const unsigned class = op_infos[op->code].class;
    note[0] = 0;
    for (unsigned i = 0; i < sizeof op->src / sizeof *op->src; i++) {
        const struct operand *s = &op->src[i];
        char hex[16];
        if (s->file != FILE_IMM)
            continue;
        const bool is_float = s->type == TYPE_F32 || class == CLASS_FLOAT;
        if (!is_float && (class != CLASS_MOVE || !looks_like_float(s->value)))
            continue;
        snprintf(hex, sizeof hex, "0x%x", s->value);
        const char *const at = strstr(source, hex);
        if (at && strspn(at + strlen(hex), "0123456789abcdef") == 0 && s->value)
            snprintf(note, 40, "  // %.9g", (double)bits_float(s->value));
    }
    return note;
}

static void print_data(struct text *out, struct isa_target target, const struct op *op,
                       const char *source) {
    bool asfermi = isa_notation(target) == &isa_asfermi;
    add(out, "%s 0x%08x", asfermi ? "!RawInstruction" : ".b32", op->w[0]);
    if (op->words == 2)
        add(out, " 0x%08x", op->w[1]);
    const char *name = op->code == OP_ILLEGAL ? decode_error_name(op->error)
                       : source[0] == '!'     ? opcode_name(op->code)
                                              : source;
    add(out, " // %s\n", name);
}

static void print_listing(struct text *out, uint32_t address, const struct op *op,
                          const char *source) {
    char second[16] = "        ";
    if (op->words == 2)
        snprintf(second, sizeof second, "%08x", op->w[1]);
    add(out, "%08x: %08x %s     %s\n", address, op->w[0], second, source);
}

struct line {
    struct op op;
    uint32_t address;
    uint8_t kind;
    bool says_long;
};

/* Tesla's assembler lengthens a one-word form if the next long instruction would otherwise be
 * misaligned. Only then `long` can be omitted. Goes backwards, because the following instruction
 * decides. */
static void choose_long(struct isa_target target, struct line *lines, size_t count) {
    bool next_is_long = false; /* the next instruction is long without being lengthened */
    bool lengthens = !isa_of(target.variant)->plain;
    for (size_t i = count; i-- > 0;) {
        struct line *l = &lines[i];
        l->says_long = l->kind == LINE_SHORTENED && !(lengthens && next_is_long);
        next_is_long =
            l->kind != LINE_DATA && l->op.words == 2 && (l->kind == LINE_PLAIN || l->says_long);
    }
}

static void print_line(struct text *out, struct isa_target target, const struct line *l,
                       enum isa_text_form form) {
    char source[TEXT_SIZE], note[40];
    isa_print(target, &l->op, source, sizeof source);
    const char *const longer = l->says_long ? "long " : "";
    char sentence[TEXT_SIZE] = "";
    if (form == ISA_EXPLAINED && l->kind != LINE_DATA)
        isa_explain_op(target, &l->op, sentence, sizeof sentence);
    if (form == ISA_LISTING)
        print_listing(out, l->address, &l->op, source);
    else if (l->kind == LINE_DATA)
        print_data(out, target, &l->op, source);
    else if (*sentence)
        add(out, "%s%-*s  // %s\n", longer, 38 - (int)strlen(longer), source, sentence);
    else
        add(out, "%s%s%s\n", longer, source, float_note(&l->op, source, note));
}

char *isa_disassemble(struct isa_target target, const uint32_t *words, size_t count, uint32_t base,
                      enum isa_text_form form, size_t *length) {
    C_LOCALE_BLOCK;
    struct text out = {0};
    struct line *lines = calloc(count + 1, sizeof *lines);
    size_t n = 0;
    if (!lines)
        return NULL;
    for (size_t i = 0; i < count; i += lines[n++].op.words) {
        struct line *l = &lines[n];
        l->address = base + 4 * (uint32_t)i;
        isa_decode(target, words + i, count - i, l->address, &l->op);
        l->kind = form != ISA_LISTING ? classify(target, &l->op, l->address) : LINE_PLAIN;
        out.failed |= l->kind == LINE_UNKNOWN;
    }
    choose_long(target, lines, n);
    add(&out, "%s", "");
    for (size_t i = 0; i < n; i++)
        print_line(&out, target, &lines[i], form);
    free(lines);
    if (out.failed) {
        free(out.data);
        return NULL;
    }
    *length = out.length;
    return out.data;
}
