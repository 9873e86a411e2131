/* Rows of text in files of cases (case_files.h): TEXT => RESULT. Lines between the rows:
 *     for VARIANT TYPE        the target of the rows below; asfermi: GF100 in asfermi's notation
 *     programs                the rows behind it are whole programs, with headers
 *     let NAME = TEXT         {NAME A B} stands for this text, with A and B in place of %1 and %2
 * In TEXT, \n stands for the end of a line. A row with \ at its end goes on in the next line. */
#ifndef TESTS_SHADER_TEXT_ROWS_H
#define TESTS_SHADER_TEXT_ROWS_H

#include "shader/isa/isa.h"
#include "shader/program.h"
#include "tests/shader/case_files.h"

/* A row's text and result, and the preceding lines that apply to the row. */
struct text_row {
    const struct text_case *of;
    const char *line;
    struct isa_target target;
    char text[2 * CASE_LINE];
    char result[CASE_LINE];
    bool programs;
    struct {
        char name[16], text[512];
    } macro[8];
    size_t macros;
};

static void wrong(const struct text_row *r, const char *said) {
    fail_msg("%s:%d: %s: %s", r->of->path, r->of->number, r->line, said);
}

static void read_target(struct text_row *r) {
    char variant[16], type[8];
    if (sscanf(r->line, "for %15s %7s", variant, type) != 2 || program_type_from_name(type) < 0)
        wrong(r, "for VARIANT TYPE");
    const bool asfermi = !strcmp(variant, "asfermi");
    const int known = isa_variant_from_name(asfermi ? "gf100" : variant);
    if (known < 0)
        wrong(r, variant);
    r->target = (struct isa_target){(enum isa_variant)known,
                                    (enum program_type)program_type_from_name(type),
                                    asfermi ? SYNTAX_ASFERMI : SYNTAX_ENVYAS};
}

/* Copies text with {NAME A B} replaced by the macro's text, where %1 and %2 are A and B. */
static size_t expand(const struct text_row *r, const char *text, char *to, size_t room) {
    size_t n = 0;
    for (; *text && n + 1 < room; text++) {
        char name[16] = "", arg[2][16] = {"", ""}, whole[CASE_LINE];
        if (*text != '{' || sscanf(text, "{%15[A-Z] %15[^ }] %15[^ }]", name, arg[0], arg[1]) < 1) {
            to[n++] = *text;
            continue;
        }
        size_t k = 0, length = 0;
        while (k < r->macros && strcmp(name, r->macro[k].name) != 0)
            k++;
        if (k == r->macros)
            wrong(r, name);
        for (const char *at = r->macro[k].text; *at; at++)
            if (*at == '%')
                length += (size_t)sprintf(whole + length, "%s", arg[*++at - '1']);
            else
                whole[length++] = *at;
        whole[length] = 0;
        n += expand(r, whole, to + n, room - n);
        text = strchr(text, '}');
    }
    to[n] = 0;
    return n;
}

static void unescape(char *text) {
    char *to = text;
    for (const char *at = text; *at; at++) {
        const bool newline = at[0] == '\\' && at[1] == 'n';
        *to++ = newline ? '\n' : *at;
        at += newline;
    }
    *to = 0;
}

/* Splits the row at ` => `, and calls check() with its text and result. */
static void run_row(struct text_row *r, void check(struct text_row *)) {
    const char *const arrow = strstr(r->line, " => ");
    char text[CASE_LINE];
    if (!arrow)
        wrong(r, "no =>");
    snprintf(text, sizeof text, "%.*s", (int)(arrow - r->line), r->line);
    expand(r, text, r->text, sizeof r->text);
    unescape(r->text);
    snprintf(r->result, sizeof r->result, "%s", arrow + 4);
    check(r);
}

static void run_rows(const struct text_case *of, void check(struct text_row *)) {
    struct text_row r = {.of = of};
    for (size_t k = 0; k < of->count; k++) {
        char line[CASE_LINE] = "";
        size_t n = 0;
        for (bool more = true; more && k < of->count; k += more) {
            n += (size_t)snprintf(line + n, sizeof line - n, "%s", of->line[k]);
            more = n && line[n - 1] == '\\';
            n -= more;
        }
        r.line = line;
        if (!strncmp(line, "for ", 4))
            read_target(&r);
        else if (sscanf(line, "let %15[A-Z] = ", r.macro[r.macros].name) == 1)
            snprintf(r.macro[r.macros++].text, sizeof r.macro[0].text, "%s", strchr(line, '=') + 2);
        else if (!strcmp(line, "programs"))
            r.programs = true;
        else
            run_row(&r, check);
    }
}

/* Copies column k of the result to `to`; ` | ` separates columns. False if the result has no column
 * k. */
static inline bool result_column(const struct text_row *r, int k, char to[256]) {
    const char *at = r->result;
    for (; k && at; k--)
        if ((at = strstr(at, " | ")))
            at += 3;
    if (!at)
        return false;
    const char *const end = strstr(at, " | ");
    snprintf(to, 256, "%.*s", end ? (int)(end - at) : (int)strlen(at), at);
    return true;
}

#endif
