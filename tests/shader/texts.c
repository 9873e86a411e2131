/* What text assembles to, in every notation: tests/shader/texts/NAME.txt. A case has targets and
 * rows:
 *     for VARIANT TYPE        the target of the rows behind it; asfermi: GF100 in asfermi's notation
 *     programs                the rows behind it are whole programs, with headers
 *     let NAME = TEXT         {NAME A B} stands for this text, with A and B in place of %1 and %2
 *     TEXT => WORDS           in hexadecimal
 *     TEXT => OTHER TEXT      that has the same words
 *     TEXT => taken           has words
 *     TEXT => !MESSAGE        is refused with this message, or with any message of its place
 *     TEXT => NAME=N...       members of the program's header and facts, and last map=N,N...
 *     TEXT => alone=LETTERS   facts of texture instructions; or unseen=DIGITS
 *     TEXT => in TYPE...      directives that programs of these types take, and no others
 *     TEXT => on CHIP...: WORDS   on these chips, and no others
 *     TEXT => up to N by N    TEXT is a format, for numbers up to the last multiple of a step
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
    char text[2 * CASE_LINE];
    const char *result;
    struct {
        char name[16], text[512];
    } macro[8];
    size_t macros;
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
#define FACTS(X)                                                                                   \
    X(uniform)                                                                                     \
    X(harmless)                                                                                    \
    X(infallible)                                                                                  \
    X(cleared[0])                                                                                  \
    X(cleared[1])                                                                                  \
    X(const_slots)                                                                                 \
    X(textures)                                                                                    \
    X(samplers)

static uint32_t member_of(const struct text_row *r, const struct program *p, const char *name) {
    unsigned n;
#define X(member)                                                                                  \
    if (!strcmp(name, #member))                                                                    \
        return p->header.member;
    MEMBERS(X)
#undef X
#define X(member)                                                                                  \
    if (!strcmp(name, #member))                                                                    \
        return (uint32_t)p->facts.member;
    FACTS(X)
#undef X
    if (sscanf(name, "const_extent[%u]", &n) == 1 && n < 16)
        return p->facts.const_extent[n];
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

/* alone=LETTERS, unseen=DIGITS: of each texture instruction, in the order of the text. y or n: may
 * helper pixels go without its result? In hexadecimal: positions in the quad that nobody reads. */
static bool check_textures(const struct text_row *r, const struct program *p) {
    const bool alone = !strncmp(r->result, "alone=", 6), unseen = !strncmp(r->result, "unseen=", 7);
    char letters[16] = "", *next = letters;
    for (uint32_t w = 0; w < p->word_count; w += p->ops[w].words)
        if (p->ops[w].code >= OP_TEXAUTO && p->ops[w].code <= OP_TEXGATHER)
            *next++ = alone ? "ny"[p->ops[w].tex.alone] : "0123456789abcdef"[p->ops[w].tex.unseen];
    if ((alone || unseen) && strcmp(letters, strchr(r->result, '=') + 1) != 0)
        wrong(r, letters);
    return alone || unseen;
}

static void check_header(const struct text_row *r) {
    struct program_error error;
    struct program *p = program_of(r, r->target.type, r->text, &error);
    char name[32], said[64];
    int length;
    if (!p)
        wrong(r, error.text);
    assert_string_equal(p->text, r->text); /* kept for debuggers */
    const bool letters = check_textures(r, p);
    for (const char *at = r->result; *at && !letters; at += length) {
        uint32_t want;
        if (!strncmp(at, " map=", 5)) { /* comes last */
            check_map(r, &p->header, at + 5);
            break;
        }
        if (sscanf(at, " %31[^=]=%i%n", name, (int *)&want, &length) != 2)
            wrong(r, at);
        const uint32_t is = member_of(r, p, name);
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

/* on CHIP...: WORDS. On these chips the words have this text, and on others another or none. */
static void check_chips(const struct text_row *r) {
    const char *const words = strchr(r->result, ':') + 1;
    uint32_t w[2];
    if (sscanf(words, "%x %x", &w[0], &w[1]) != 2)
        wrong(r, words);
    for (enum isa_variant v = 0; v < ISA_TESLA_VARIANTS; v++) {
        const struct isa_target target = {v, r->target.type, SYNTAX_ENVYAS};
        char text[256], name[16], message[256];
        struct op op;
        snprintf(name, sizeof name, " %s", isa_variant_name(v));
        const bool has = strstr(r->result, name) != NULL;
        isa_decode(target, w, 2, 0, &op);
        isa_print(target, &op, text, sizeof text);
        if ((strcmp(text, r->text) == 0) != has || /* on others: illegal, or ignored bits */
            isa_assemble_line(target, r->text, strlen(r->text), 0, &op, message, sizeof message) !=
                has)
            wrong(r, name);
    }
}

/* Tries the number n in the format of the row's text. If it is taken, the op has the number as
 * written. */
static void try_number(const struct text_row *r, unsigned n, bool right) {
    const struct isa_target t = r->target;
    char text[128], again[128], number[16], message[512] = "";
    const char *const place = strchr(r->text, '%');
    struct op op, back;
    snprintf(text, sizeof text, r->text, n);
    if (isa_assemble_line(t, text, strlen(text), 0, &op, message, sizeof message) != right)
        wrong(r, right ? message : text);
    if (!right)
        return;
    isa_decode(t, op.w, op.words, 0, &op);
    isa_print(t, &op, again, sizeof again);
    if (!isa_assemble_line(t, again, strlen(again), 0, &back, message, sizeof message))
        wrong(r, again);
    snprintf(number, sizeof number, place[1] == 'x' ? "0x%x" : "%u", n);
    if (n && !strstr(again, number) && !strstr(r->text, " 0 0"))
        wrong(r, again);
}

/* up to LAST by STEP. The text is a format. */
static void check_last(const struct text_row *r) {
    unsigned last, step;
    if (sscanf(r->result, "up to %i by %u", (int *)&last, &step) != 2)
        wrong(r, "up to LAST by STEP");
    const unsigned tried[] = {0,
                              step,
                              last - step,
                              last,
                              last + step,
                              last + step / 2,
                              2 * last + 2 * step,
                              step / 2,
                              last - step / 2};
    for (size_t k = 0; k < LENGTH(tried); k++)
        try_number(r, tried[k], tried[k] <= last && tried[k] % step == 0);
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

static void run_row(struct text_row *r, bool programs) {
    const char *const arrow = strstr(r->line, " => ");
    char other[CASE_LINE];
    if (!arrow)
        wrong(r, "no =>");
    snprintf(other, sizeof other, "%.*s", (int)(arrow - r->line), r->line);
    expand(r, other, r->text, sizeof r->text);
    snprintf(other, sizeof other, "%s", arrow + 4);
    unescape(r->text);
    if (*other != '!')
        unescape(other);
    r->result = other;
    if (*other == '!')
        check_refused(r, programs);
    else if (!strncmp(other, "in ", 3))
        check_types(r);
    else if (!strncmp(other, "on ", 3))
        check_chips(r);
    else if (!strncmp(other, "up to ", 6))
        check_last(r);
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
        else if (sscanf(r.line, "let %15[A-Z] = ", r.macro[r.macros].name) == 1)
            snprintf(r.macro[r.macros++].text, sizeof r.macro[0].text, "%s", strchr(line, '=') + 2);
        else if (!strcmp(r.line, "programs"))
            programs = true;
        else
            run_row(&r, programs);
    }
}

CASE_FILES("tests/shader/texts/*.txt", run_case);
