/* Programs of the C API from files, text and words. In: a program with directives. Out: a decoded
 * program, or a message with the place of the mistake. Must not know draws.
 */
#include "api/api.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CODE_SPACE = 16 << 20 }; /* bytes */

/* Sets the message of a program that was refused. Only messages about memory end in "out of
 * memory". */
static enum tp_result program_refused(tp_device *device, const struct program_error *error) {
    static const char memory[] = "out of memory";
    const size_t n = strlen(error->text), m = sizeof memory - 1;
    return device_fail(device,
                       n >= m && strcmp(error->text + n - m, memory) == 0 ? TP_ERROR_MEMORY
                                                                          : TP_ERROR_PROGRAM,
                       "%s", error->text);
}

static enum tp_result wrap_program(tp_device *device, struct program *p,
                                   const struct program_error *error, tp_program **program) {
    *program = NULL;
    if (!p)
        return program_refused(device, error);
    if (device->fast)
        program_set_fast(p);
    struct tp_program *t = malloc(sizeof *t);
    if (!t) {
        program_unref(p);
        return device_fail(device, TP_ERROR_MEMORY, "out of memory for program %s", p->name);
    }
    *t = (struct tp_program){p, device};
    device_ref(device);
    *program = t;
    return TP_OK;
}

TP_API enum tp_result tp_program_from_file(tp_device *device, const char *path,
                                           tp_program **program) {
    API_MAKES(device, program);
    API_GIVEN(device, path);
    struct program_error error = {{0}};
    struct stat st;
    const bool found = access(path, R_OK) == 0 && stat(path, &st) == 0;
    if (!found || S_ISDIR(st.st_mode))
        return device_fail(device, TP_ERROR_IO, "%s: %s", path, strerror(found ? EISDIR : errno));
    return wrap_program(device, program_from_file(path, device->variant, &error), &error, program);
}

TP_API enum tp_result tp_program_from_text(tp_device *device, enum tp_stage type, const char *text,
                                           const char *name, tp_program **program) {
    API_MAKES(device, program);
    API_GIVEN(device, text);
    struct program_error error = {{0}};
    if ((unsigned)type >= PROGRAM_TYPES)
        return device_fail(device, TP_ERROR_INVALID, "unknown stage %d", (int)type);
    struct program *p = program_from_text((enum program_type)type, device->variant, text,
                                          strlen(text), name ? name : "program", &error);
    return wrap_program(device, p, &error, program);
}

/* Reads directives into a header: assembles a program of nothing but the directives, and takes its
 * header. */
static enum tp_result read_directives(tp_device *device, enum tp_stage type, const char *directives,
                                      const char *name, struct program_header *header) {
    struct program_error error = {.text = "out of memory"};
    static const char body[] = "\nexit nop\n";
    const size_t n = strlen(directives);
    char *text = malloc(n + sizeof body);
    struct program *p = NULL;
    if (text) {
        memcpy(text, directives, n);
        memcpy(text + n, body, sizeof body);
        p = program_from_text((enum program_type)type, device->variant, text, n + sizeof body - 1,
                              name, &error);
    }
    free(text);
    if (!p)
        return program_refused(device, &error);
    *header = p->header;
    program_unref(p);
    return TP_OK;
}

TP_API enum tp_result tp_program_from_words(tp_device *device, enum tp_stage type,
                                            const uint32_t *words, size_t count, uint32_t base,
                                            const char *directives, const char *name,
                                            tp_program **program) {
    API_MAKES(device, program);
    API_GIVEN(device, words);
    struct program_error error = {{0}};
    struct program_header header;
    name = name ? name : "program";
    if ((unsigned)type >= PROGRAM_TYPES)
        return device_fail(device, TP_ERROR_INVALID, "unknown stage %d", (int)type);
    if (base > CODE_SPACE || count > (CODE_SPACE - base) / sizeof *words)
        return device_fail(device, TP_ERROR_INVALID,
                           "%s: %zu words at 0x%x do not fit the 16 MiB of code space", name, count,
                           base);
    const enum tp_result facts =
        read_directives(device, type, directives ? directives : "", name, &header);
    if (facts != TP_OK)
        return facts;
    struct program *p = program_from_words((enum program_type)type, device->variant, &header, words,
                                           count, base, base, name, &error);
    return wrap_program(device, p, &error, program);
}

TP_API void tp_program_destroy(tp_program *program) {
    if (!program)
        return;
    tp_device *const device = program->device;
    program_unref(program->program);
    free(program);
    device_destroy(device);
}
