/* Disassembly vectors: lines of words and their text, checked in either direction. In: an open
 * file. Out: counts, and a call for every line that differs. The format is described in
 * shader/isa/isa.h.
 */
#include "shader/isa/isa.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 512 };

struct vector {
    struct isa_target target;
    uint32_t w[2];
    int words;
    const char *text, *note; /* note "" if none */
};

/* Takes line apart in place; false if it is not a vector. */
static bool parse_vector(char *line, struct vector *v) {
    char variant[16], type[8];
    char *tab = strchr(line, '\t');
    if (!tab)
        return false;
    *tab = 0;
    v->text = tab + 1;
    v->note = "";
    v->w[0] = v->w[1] = 0;
    v->words = sscanf(line, "%15s %7s %8x %8x", variant, type, &v->w[0], &v->w[1]) - 2;
    char *second = strchr(tab + 1, '\t');
    if (second) {
        *second = 0;
        v->note = second + 1;
    }
    if (v->words < 1)
        return false;
    int variant_number = isa_variant_from_name(variant), type_number = program_type_from_name(type);
    v->target.variant = (enum isa_variant)variant_number;
    v->target.type = (enum program_type)type_number;
    return variant_number >= 0 && type_number >= 0;
}

static bool check_disassembly(const struct vector *v, char expected[TEXT_SIZE],
                              char got[TEXT_SIZE]) {
    struct op op;
    isa_decode(v->target, v->w, (size_t)v->words, 0, &op);
    isa_print(v->target, &op, got, TEXT_SIZE);
    snprintf(expected, TEXT_SIZE, "%s", v->text);
    return !strcmp(expected, got) && op.words == v->words;
}

static void show_words(char *out, const uint32_t *w, size_t count) {
    int n = snprintf(out, TEXT_SIZE, "%08x", w[0]);
    if (count > 1)
        snprintf(out + n, TEXT_SIZE - (size_t)n, " %08x", w[1]);
}

static bool check_assembly(const struct vector *v, char expected[TEXT_SIZE], char got[TEXT_SIZE]) {
    char source[TEXT_SIZE + 8];
    struct asm_result r;
    int n =
        snprintf(source, sizeof source, "%s%s", strstr(v->note, "long") ? "long " : "", v->text);
    show_words(expected, v->w, (size_t)v->words);
    if (n >= (int)sizeof source) {
        snprintf(got, TEXT_SIZE, "a line too long");
        return false;
    }
    if (isa_assemble(v->target, source, (size_t)n, "text", NULL, &r, got, TEXT_SIZE))
        return false;
    bool same = r.count == (size_t)v->words && !memcmp(r.words, v->w, r.count * 4);
    if (r.count)
        show_words(got, r.words, r.count);
    asm_result_free(&r);
    return same;
}

static void check_line(char *line, enum isa_direction direction, struct isa_vector_report *report,
                       unsigned number) {
    struct vector v;
    char whole[TEXT_SIZE], expected[TEXT_SIZE], got[TEXT_SIZE] = "";
    snprintf(whole, sizeof whole, "%s", line);
    bool passed = parse_vector(line, &v);
    if (!passed)
        snprintf(expected, sizeof expected, "variant type word [word]<TAB>text[<TAB>note]");
    else if (direction == ISA_DISASSEMBLE)
        passed = check_disassembly(&v, expected, got);
    else
        passed = check_assembly(&v, expected, got);
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
    return ferror(in) ? -1 : 0;
}
