/* The words that texts assemble to, in every notation: tests/shader/texts/NAME.txt, in the format
 * of text_rows.h. Results are:
 *     WORDS                   in hexadecimal
 *     OTHER TEXT              that has the same words
 *     taken                   any words
 *     !MESSAGE                the text is refused with this message; ! alone: with any message
 *     NAME=N...               members of the program's header and facts, and last map=N,N...
 *     alone=LETTERS           facts of texture instructions; or unseen=DIGITS
 *     in TYPE...              directives that programs of these types take, and no others
 *     on CHIP...: WORDS       on these chips, and no others
 *     up to N by N            the text is a format, for numbers up to a limit, in steps */
#include "tests/shader/text_rows.h"

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

/* alone=LETTERS, unseen=DIGITS: for each texture instruction, in the order of the text. LETTERS: y
 * if helper pixels may go without the result, else n. DIGITS, in hexadecimal: positions in the quad
 * that no instruction reads. */
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

static void check_refused(const struct text_row *r) {
    struct program_error error;
    char said[CASE_LINE];
    if (r->programs) {
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

/* on CHIP...: WORDS. The words have this text on the chips listed, and another text or none on
 * other chips. */
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

static void check_row(struct text_row *r) {
    const char *const result = r->result;
    if (*result != '!')
        unescape(r->result);
    if (*result == '!')
        check_refused(r);
    else if (!strncmp(result, "in ", 3))
        check_types(r);
    else if (!strncmp(result, "on ", 3))
        check_chips(r);
    else if (!strncmp(result, "up to ", 6))
        check_last(r);
    else if (r->programs)
        check_header(r);
    else
        check_words(r);
}

static void run_case(void **state) {
    run_rows(*state, check_row);
}

CASE_FILES("tests/shader/texts/*.txt", run_case);
