/* Chip and program type options, files and vector checks for as and dis (tools/isa_options.h). */
#include "tools/isa_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 64 << 20 };

/* The type of x.vp or x.vp.bin; -1 if the name does not tell. */
static int type_from_path(const char *path) {
    char name[8];
    const char *end = path + strlen(path);
    if (end - path > 4 && !strcmp(end - 4, ".bin"))
        end -= 4;
    if (end - path < 3 || end[-3] != '.')
        return -1;
    snprintf(name, sizeof name, "%.2s", end - 2);
    return program_type_from_name(name);
}

bool resolve_isa_target(const struct command *command, struct isa_options *options,
                        const char *path) {
    int variant = options->chip ? isa_variant_from_name(options->chip) : ISA_GT215;
    int type = options->type ? program_type_from_name(options->type) : type_from_path(path);
    if (variant < 0) {
        command_usage(command, "-m %s: must be g80, g84, g200, mcp77, gt215, gf100, gk104 or g64",
                      options->chip);
        return false;
    }
    if (type < 0) {
        command_usage(command,
                      options->type ? "-t %s: must be vp, gp, fp or cp"
                                    : "%s does not tell the program type; give -t vp, gp, fp or cp",
                      options->type ? options->type : path);
        return false;
    }
    bool asfermi = options->syntax && !strcmp(options->syntax, "asfermi");
    if (options->syntax && !asfermi && strcmp(options->syntax, "envyas")) {
        command_usage(command, "-s %s: must be envyas or asfermi", options->syntax);
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

uint8_t *read_whole_file(const struct command *command, const char *path, size_t *size) {
    FILE *in = fopen(path, "rb");
    if (!in) {
        command_failed(command, "%s: %s", path, strerror(errno));
        return NULL;
    }
    uint8_t *data = NULL;
    size_t room = 0, n = 1;
    errno = 0;
    for (*size = 0; n && *size <= MAX_FILE; *size += n) {
        if (room - *size < 4096) {
            room = 2 * room + 16384;
            uint8_t *more = realloc(data, room);
            if (!more)
                break;
            data = more;
        }
        n = fread(data + *size, 1, room - *size, in);
    }
    bool complete = n == 0 && !ferror(in);
    fclose(in);
    if (complete)
        return data;
    command_failed(command, "%s: %s", path, errno ? strerror(errno) : "larger than 64 MiB");
    free(data);
    return NULL;
}

int write_whole_file(const struct command *command, const char *path, const void *data,
                     size_t size) {
    FILE *out = path ? fopen(path, "wb") : stdout;
    if (!out)
        return command_failed(command, "%s: %s", path, strerror(errno));
    bool ok = fwrite(data, 1, size, out) == size;
    ok = (path ? fclose(out) : fflush(out)) == 0 && ok;
    return ok ? EXIT_FINE
              : command_failed(command, "%s: %s", path ? path : "standard output", strerror(errno));
}

static void print_fail(void *self, unsigned line, const char *vector, const char *expected,
                       const char *got) {
    printf("%s:%u: %s\n  expected %s\n  got      %s\n", (const char *)self, line, vector, expected,
           got);
}

int check_vectors(const struct command *command, const char *path, enum isa_direction direction) {
    FILE *in = fopen(path, "r");
    if (!in)
        return command_failed(command, "%s: %s", path, strerror(errno));
    struct isa_vector_report report = {.self = (void *)path, .fail = print_fail};
    errno = 0;
    int unreadable = isa_check_vectors(in, direction, &report);
    fclose(in);
    if (unreadable)
        return command_failed(command, "%s: %s", path, strerror(errno));
    printf("%u passed, %u failed\n", report.passed, report.failed);
    return report.failed ? EXIT_FAILED : EXIT_FINE;
}
