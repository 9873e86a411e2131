/* What text assembles to, in every notation: tests/shader/texts/NAME.txt. A case has targets and
 * rows:
 *     for VARIANT TYPE        the target of the rows behind it; asfermi: GF100 in asfermi's notation
 *     programs                the rows behind it are whole programs, with headers
 *     TEXT => WORDS           in hexadecimal
 *     TEXT => OTHER TEXT      that has the same words
 *     TEXT => taken           has words
 *     TEXT => !MESSAGE        is refused with this message, or with any message of its place
 *     TEXT => NAME=N...       members of the program's header, and last map=N,N...
 *     TEXT => in TYPE...      directives that programs of these types take, and no others
 * In TEXT, \n stands for the end of a line. A row with \ at its end goes on in the next line. */
#include "shader/isa/isa.h"
#include "shader/program.h"
#include "tests/shader/case_files.h"

#include <ctype.h>

/* Where a row lies, and what it is about. */
struct text_row {
    const struct text_case *of;
    const char *line;
    struct isa_target target;
    char text[CASE_LINE];
    const char *result;
};

static void wrong(const struct text_row *r, const char *said) {
    fail_msg("%s:%d: %s: %s", r->of->path, r->of->number, r->line, said);
}

/* Assembles text. said gets the words in hexadecimal, or the message. ends: the text ends at the
 * end of an allocation, so that fences find reads behind it; then the columns of messages differ.
 * Returns false if the text is refused. */
static bool assemble_text(struct isa_target target, const char *text, bool ends,
                          char said[CASE_LINE]) {
    struct asm_result r;
    const size_t length = strlen(text), blanks = ends ? -length % 16 : 0;
    char *exact = malloc(blanks + length);
    memset(exact, ' ', blanks);
    memcpy(exact + blanks, text, length);
    *said = 0;
    const bool taken =
        !isa_assemble(target, exact, blanks + length, "t", NULL, &r, said, CASE_LINE);
    size_t at = 0;
    for (size_t i = 0; taken && i < r.count; i++)
        at += (size_t)snprintf(said + at, CASE_LINE - at, "%s%08x", i ? " " : "", r.words[i]);
    if (taken)
        asm_result_free(&r);
    free(exact);
    return taken;
}

static struct program *program_of(const struct text_row *r, enum program_type type,
                                  const char *text, struct program_error *error) {
    *error = (struct program_error){""};
    return program_from_text(type, r->target.variant, text, strlen(text), "t", error);
}

/* ---- results */

#define MEMBERS(X)                                                                                 \
    X(reg_count)                                                                                   \
    X(local_size)                                                                                  \
    X(shared_size)                                                                                 \
    X(barrier_count)                                                                               \
    X(attr_enable[0])                                                                              \
    X(attr_enable[1])                                                                              \
    X(builtin_enable)                                                                              \
    X(result_count)                                                                                \
    X(map_size)                                                                                    \
    X(slot_color[0][0])                                                                            \
    X(slot_color[0][1])                                                                            \
    X(slot_color[1][0])                                                                            \
    X(slot_color[1][1])                                                                            \
    X(slot_clip)                                                                                   \
    X(clip_count)                                                                                  \
    X(slot_point_size)                                                                             \
    X(slot_layer)                                                                                  \
    X(slot_viewport)                                                                               \
    X(slot_primitive_id)                                                                           \
    X(gp_out_primitive)                                                                            \
    X(gp_max_vertices)                                                                             \
    X(interpolant_ctrl)                                                                            \
    X(noperspective[0])                                                                            \
    X(noperspective[1])                                                                            \
    X(point_coord[0])                                                                              \
    X(point_coord[1])                                                                              \
    X(fp_results)                                                                                  \
    X(fp_control)

static uint32_t member_of(const struct text_row *r, const struct program_header *h,
                          const char *name) {
#define X(member)                                                                                  \
    if (!strcmp(name, #member))                                                                    \
        return h->member;
    MEMBERS(X)
#undef X
    wrong(r, name);
    return 0;
}

/* map=N,N...: the first slots of the result map. */
static void check_map(const struct text_row *r, const struct program_header *h, const char *at) {
    for (size_t i = 0; *at; i++) {
        char *end;
        if (h->result_map[i] != strtoul(at, &end, 0))
            wrong(r, at);
        at = end + (*end == ',');
    }
}

static void check_header(const struct text_row *r) {
    struct program_error error;
    struct program *p = program_of(r, r->target.type, r->text, &error);
    char name[32], said[64];
    int length;
    if (!p)
        wrong(r, error.text);
    assert_string_equal(p->text, r->text); /* kept for debuggers */
    for (const char *at = r->result; *at; at += length) {
        uint32_t want;
        if (!strncmp(at, " map=", 5)) { /* comes last */
            check_map(r, &p->header, at + 5);
            break;
        }
        if (sscanf(at, " %31[^=]=%i%n", name, (int *)&want, &length) != 2)
            wrong(r, at);
        const uint32_t is = member_of(r, &p->header, name);
        snprintf(said, sizeof said, "%s is 0x%x", name, is);
        if (is != want)
            wrong(r, said);
    }
    program_unref(p);
}

/* Tries the directives before the end that each type of program needs. */
static void check_types(const struct text_row *r) {
    for (enum program_type type = 0; type < PROGRAM_TYPES; type++) {
        char text[CASE_LINE + 16];
        struct program_error error;
        snprintf(text, sizeof text, "%s\n%sexit nop\n", r->text,
                 type == PROGRAM_GP ? "emit\n" : "");
        struct program *p = program_of(r, type, text, &error);
        char name[8];
        snprintf(name, sizeof name, " %s", program_type_name(type));
        if ((p != NULL) != (strstr(r->result, name) != NULL))
            wrong(r, program_type_name(type));
        program_unref(p);
    }
}

static void check_refused(const struct text_row *r, bool program) {
    struct program_error error;
    char said[CASE_LINE];
    if (program) {
        struct program *p = program_of(r, r->target.type, r->text, &error);
        snprintf(said, sizeof said, "%s", p ? "taken" : error.text);
        program_unref(p);
    } else if (assemble_text(r->target, r->text, !r->result[1], said)) {
        wrong(r, said);
    }
    if (r->result[1] ? strcmp(said, r->result + 1) : strncmp(said, "t:", 2))
        wrong(r, said);
}

static void check_words(const struct text_row *r) {
    char said[CASE_LINE], other[CASE_LINE];
    if (!assemble_text(r->target, r->text, true, said))
        wrong(r, said);
    if (!strcmp(r->result, "taken") || !strcmp(r->result, said))
        return;
    if (!assemble_text(r->target, r->result, true, other) || strcmp(said, other) != 0)
        wrong(r, said);
}

/* ---- rows */

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

static void unescape(char *text) {
    char *to = text;
    for (const char *at = text; *at; at++) {
        const bool newline = at[0] == '\\' && at[1] == 'n';
        *to++ = newline ? '\n' : *at;
        at += newline;
    }
    *to = 0;
}

static void run_row(struct text_row *r, bool programs) {
    const char *const arrow = strstr(r->line, " => ");
    char other[CASE_LINE];
    if (!arrow)
        wrong(r, "no =>");
    snprintf(r->text, sizeof r->text, "%.*s", (int)(arrow - r->line), r->line);
    snprintf(other, sizeof other, "%s", arrow + 4);
    unescape(r->text);
    if (*other != '!')
        unescape(other);
    r->result = other;
    if (*other == '!')
        check_refused(r, programs);
    else if (!strncmp(other, "in ", 3))
        check_types(r);
    else if (programs)
        check_header(r);
    else
        check_words(r);
}

static void run_case(void **state) {
    const struct text_case *of = *state;
    struct text_row r = {.of = of};
    bool programs = false;
    for (size_t k = 0; k < of->count; k++) {
        char line[CASE_LINE] = "";
        size_t n = 0;
        for (bool more = true; more && k < of->count; k += more) {
            n += (size_t)snprintf(line + n, sizeof line - n, "%s", of->line[k]);
            more = n && line[n - 1] == '\\';
            n -= more;
        }
        r.line = line;
        if (!strncmp(r.line, "for ", 4))
            read_target(&r);
        else if (!strcmp(r.line, "programs"))
            programs = true;
        else
            run_row(&r, programs);
    }
}

CASE_FILES("tests/shader/texts/*.txt", run_case);
