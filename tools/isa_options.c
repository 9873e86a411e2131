/* Options for chip and program type, files with programs, vector files (tools/isa_options.h). */
#include "tools/isa_options.h"

#include "shader/trace.h"

#include <errno.h>
#include <stdlib.h>

/* Returns the program type that a name like x.vp or x.vp.bin means; -1: none. */
static int type_from_path(const char *path) {
    char name[8];
    const char *end = path + strlen(path);
    if (end - path > 4 && !strcmp(end - 4, ".bin"))
        end -= 4;
    const char *dot = end > path ? end - 1 : end;
    while (dot > path && *dot != '.' && *dot != '/')
        dot--;
    if (*dot != '.' || end - dot > 4)
        return -1;
    snprintf(name, sizeof name, "%.*s", (int)(end - dot - 1), dot + 1);
    return program_type_from_name(name);
}

bool resolve_isa_target(const struct command *command, struct isa_options *options,
                        const char *path) {
    const int variant = options->chip ? isa_variant_from_name(options->chip) : ISA_GT215;
    const int type = options->type ? program_type_from_name(options->type) : type_from_path(path);
    const bool asfermi = options->syntax && !strcmp(options->syntax, "asfermi");
    if (type < 0) {
        command_usage(command,
                      "%s does not tell the program type; give -t vp, tcp, tep, gp, fp or cp",
                      strcmp(path, "-") == 0 ? "standard input" : path);
        return false;
    }
    if (asfermi && isa_set_of((enum isa_variant)variant) != SET_FERMI) {
        command_usage(command, "-s asfermi needs -m gf100 or gk104");
        return false;
    }
    options->target = (struct isa_target){(enum isa_variant)variant, (enum program_type)type,
                                          asfermi ? SYNTAX_ASFERMI : SYNTAX_ENVYAS};
    return true;
}

struct program *load_program(const struct command *command, struct isa_target target,
                             const char *path, bool raw) {
    const struct program_header header = {
        .reg_count = WARP_REGS, .local_size = 0x10000, .result_count = 128};
    struct program_error error = {{0}};
    struct program *p = NULL;
    size_t size = 0;
    uint8_t *bytes = raw ? read_whole_file(command, path, &size) : NULL;
    if (raw && !bytes)
        return NULL;
    if (size % 4)
        snprintf(error.text, sizeof error.text, "%s: %zu bytes are not a whole number of words",
                 path, size);
    else
        p = raw ? program_from_words(target.type, target.variant, &header, (const void *)bytes,
                                     size / 4, 0, 0, path, &error)
                : program_from_file(path, target.variant, &error);
    free(bytes);
    if (!p)
        command_failed(command, "%s", error.text);
    return p;
}

static void print_fail(void *self, unsigned line, const char *vector, const char *expected,
                       const char *got) {
    printf("%s:%u: %s\n  expected %s\n  got      %s\n", (const char *)self, line, vector, expected,
           got);
}

int check_vectors(const struct command *command, const char *path, enum isa_direction direction) {
    char *text;
    FILE *in = open_whole_text(command, path, &text);
    if (!in)
        return EXIT_FAILED;
    struct isa_vector_report report = {.self = (void *)path, .fail = print_fail};
    errno = 0;
    int unreadable = isa_check_vectors(in, direction, &report);
    fclose(in);
    free(text);
    if (unreadable)
        return command_failed(command, "%s: %s", path, strerror(errno));
    if (!report.passed && !report.failed)
        return command_failed(command, "%s: no vectors", path);
    printf("%u passed, %u failed\n", report.passed, report.failed);
    return report.failed ? EXIT_FAILED : EXIT_FINE;
}
