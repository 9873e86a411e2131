/* Disassembly vectors: lines of words and their text, checked in either direction. In: an open
 * file. Out: counts, and a call for every line that differs. isa_check_vectors() in
 * shader/isa/isa.h describes the format. For tests and the command line (tools/isa_options.c).
 */
#include "shader/isa/isa.h"

#include <stdlib.h>

enum { TEXT_SIZE = 512, MAX_COLUMNS = 5 };

enum vector_kind {
    VECTOR_TEXT,    /* words and their envyas text */
    VECTOR_ASFERMI, /* asfermi source, words and envyas text */
    VECTOR_SOURCE,  /* canonical generic64 source and words */
    VECTOR_REFUSED, /* asfermi source that is wrong */
};

struct vector {
    enum vector_kind kind;
    const char *source; /* except for VECTOR_TEXT */
    uint32_t address;
    struct isa_target target;
    uint32_t w[2];
    int words;
    const char *text, *note; /* note "" if none */
};

/* Splits line at tabs. Returns the number of columns. */
static unsigned split_columns(char *line, char *column[MAX_COLUMNS]) {
    unsigned n = 0;
    for (char *next = line; next && n < MAX_COLUMNS; n++) {
        column[n] = next;
        next = strchr(next, '\t');
        if (next)
            *next++ = 0;
    }
    return n;
}

static bool set_target(struct vector *v, const char *variant, const char *type) {
    int variant_number = isa_variant_from_name(variant), type_number = program_type_from_name(type);
    v->target.variant = (enum isa_variant)variant_number;
    v->target.type = (enum program_type)type_number;
    return variant_number >= 0 && type_number >= 0;
}

static bool parse_words(struct vector *v, const char *text) {
    v->words = sscanf(text, "%8x %8x", &v->w[0], &v->w[1]);
    return v->words > 0;
}

static bool parse_asfermi_vector(char **column, unsigned count, struct vector *v) {
    v->kind = VECTOR_ASFERMI;
    v->source = column[1];
    v->text = column[3];
    v->note = count > 4 ? column[4] : "";
    const char *address = strstr(v->note, "addr=");
    v->address = address ? (uint32_t)strtoul(address + 5, NULL, 0) : 0;
    return set_target(v, column[0], "cp") && parse_words(v, column[2]);
}

/* Exactly two words of eight digits. */
static bool parse_two_words(struct vector *v, const char *text) {
    int end = 0;
    return strlen(text) == 17 && text[8] == ' ' && parse_words(v, text) && v->words == 2 &&
           sscanf(text, "%*8x %*8x%n", &end) == 0 && end == 17;
}

/* Splits line in place. False if the line is no vector. The columns determine the kind of
 * vector. */
static bool parse_vector(char *line, struct vector *v) {
    char variant[16], type[8], *column[MAX_COLUMNS];
    unsigned count = split_columns(line, column);
    *v = (struct vector){.note = ""};
    if (count < 2)
        return false;
    if (!strncmp(column[0], "sm_", 3) && count >= 4)
        return parse_asfermi_vector(column, count, v);
    if (count == 2 && parse_two_words(v, column[1])) {
        v->kind = VECTOR_SOURCE;
        v->source = column[0];
        return set_target(v, "g64", "cp");
    }
    if (isa_variant_from_name(column[0]) >= 0 && count >= 3) {
        v->text = column[2];
        v->note = count > 3 ? column[3] : "";
        return set_target(v, column[0], "cp") && parse_words(v, column[1]);
    }
    v->text = column[1];
    v->note = count > 2 ? column[2] : "";
    v->words = sscanf(column[0], "%15s %7s %8x %8x", variant, type, &v->w[0], &v->w[1]) - 2;
    if (v->words > 0 && set_target(v, variant, type))
        return true;
    v->kind = VECTOR_REFUSED;
    v->source = column[0];
    v->target.syntax = SYNTAX_ASFERMI;
    return count == 2 && set_target(v, "sm_20", "cp");
}

static bool check_disassembly(const struct vector *v, char expected[TEXT_SIZE],
                              char got[TEXT_SIZE]) {
    struct op op;
    isa_decode(v->target, v->w, (size_t)v->words, v->address, &op);
    isa_print(v->target, &op, got, TEXT_SIZE);
    snprintf(expected, TEXT_SIZE, "%s", v->text);
    return !strcmp(expected, got) && op.words == v->words;
}

/* Assembles source for v's address. False: the message is in got. */
static bool assemble_at(const struct vector *v, const char *source, size_t length, struct op *op,
                        char got[TEXT_SIZE]) {
    got[0] = 0;
    return isa_assemble_line(v->target, source, length, v->address, op, got, TEXT_SIZE);
}

/* asfermi's notation: the printed text must assemble to the words it was printed from. */
static bool check_asfermi_print(const struct vector *v, char got[TEXT_SIZE]) {
    struct vector a = *v;
    struct op op, again;
    char text[TEXT_SIZE], message[TEXT_SIZE];
    a.target.syntax = SYNTAX_ASFERMI;
    isa_decode(a.target, v->w, 2, v->address, &op);
    isa_print(a.target, &op, text, sizeof text);
    snprintf(got, TEXT_SIZE, "%s", text);
    return op.code != OP_ILLEGAL && assemble_at(&a, text, strlen(text), &again, message) &&
           !memcmp(again.w, v->w, 8);
}

static bool disassembles(const struct vector *v, char expected[TEXT_SIZE], char got[TEXT_SIZE]) {
    struct vector g = *v;
    switch (v->kind) {
    case VECTOR_TEXT:
        return check_disassembly(v, expected, got);
    /* note unk=: words with bits that have no meaning; their envyas text is not compared */
    case VECTOR_ASFERMI:
        snprintf(expected, TEXT_SIZE, "%s", v->source);
        return check_asfermi_print(v, got) &&
               (strstr(v->note, "unk=") || check_disassembly(v, expected, got));
    case VECTOR_SOURCE:
        g.text = v->source;
        return check_disassembly(&g, expected, got);
    default:
        return true;
    }
}

static void show_words(char *out, const uint32_t *w, size_t count) {
    int n = snprintf(out, TEXT_SIZE, "%08x", w[0]);
    if (count > 1)
        snprintf(out + n, TEXT_SIZE - (size_t)n, " %08x", w[1]);
}

/* True if a vector's note (alias, nort) says that its text stands for several encodings, and the
 * assembled words have the same text or the same meaning. */
static bool same_meaning(const struct vector *v, const struct asm_result *r) {
    struct op a, b;
    char text[TEXT_SIZE];
    if (!strstr(v->note, "alias") && !strstr(v->note, "nort"))
        return false;
    isa_decode(v->target, v->w, (size_t)v->words, 0, &a);
    isa_decode(v->target, r->words, r->count, 0, &b);
    isa_print(v->target, &b, text, sizeof text);
    b.row = a.row;
    memcpy(b.w, a.w, sizeof b.w);
    return b.words == r->count && (!strcmp(text, v->text) || !memcmp(&a, &b, sizeof a));
}

static bool check_assembly(const struct vector *v, char expected[TEXT_SIZE], char got[TEXT_SIZE]) {
    char source[TEXT_SIZE + 8];
    struct asm_result r;
    bool fermi = isa_set_of(v->target.variant) == SET_FERMI;
    bool is_long = fermi ? v->words == 2 : strstr(v->note, "long") != NULL;
    int n = snprintf(source, sizeof source, "%s%s", is_long ? "long " : "", v->text);
    show_words(expected, v->w, (size_t)v->words);
    if (n >= (int)sizeof source) {
        snprintf(got, TEXT_SIZE, "a line too long");
        return false;
    }
    if (isa_assemble(v->target, source, (size_t)n, "text", NULL, &r, got, TEXT_SIZE))
        return false;
    bool same = r.count == (size_t)v->words && !memcmp(r.words, v->w, r.count * 4);
    same = same || same_meaning(v, &r);
    if (r.count)
        show_words(got, r.words, r.count);
    asm_result_free(&r);
    return same;
}

static bool assembles(const struct vector *v, char expected[TEXT_SIZE], char got[TEXT_SIZE]) {
    struct vector a = *v;
    struct op op;
    if (v->kind == VECTOR_TEXT)
        return check_assembly(v, expected, got);
    if (v->kind == VECTOR_ASFERMI)
        a.target.syntax = SYNTAX_ASFERMI;
    const bool refused = !assemble_at(&a, v->source, strlen(v->source), &op, got);
    if (v->kind == VECTOR_REFUSED)
        snprintf(expected, TEXT_SIZE, "an error");
    else
        show_words(expected, v->w, 2);
    if (!refused)
        show_words(got, op.w, op.words);
    if (v->kind == VECTOR_REFUSED)
        return refused;
    return !refused && !memcmp(op.w, v->w, 8);
}

static void check_line(char *line, enum isa_direction direction, struct isa_vector_report *report,
                       unsigned number) {
    struct vector v;
    char whole[TEXT_SIZE], expected[TEXT_SIZE], got[TEXT_SIZE] = "";
    snprintf(whole, sizeof whole, "%s", line);
    bool passed = parse_vector(line, &v);
    if (passed && v.kind == VECTOR_REFUSED && direction == ISA_DISASSEMBLE)
        return; /* there are no words to disassemble */
    if (!passed)
        snprintf(expected, sizeof expected, "variant type word [word]<TAB>text[<TAB>note]");
    else if (direction == ISA_DISASSEMBLE)
        passed = disassembles(&v, expected, got);
    else
        passed = assembles(&v, expected, got);
    if (passed) {
        report->passed++;
        return;
    }
    report->failed++;
    if (report->fail)
        report->fail(report->self, number, whole, expected, got);
}

int isa_check_vectors(FILE *in, enum isa_direction direction, struct isa_vector_report *report) {
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    while (getline(&line, &room, in) >= 0) {
        number++;
        line[strcspn(line, "\r\n")] = 0;
        if (line[0] && line[0] != '#')
            check_line(line, direction, report, number);
    }
    free(line);
    /* getline() also ends when memory is short; then the end of the file is not reached */
    return feof(in) ? 0 : -1;
}
