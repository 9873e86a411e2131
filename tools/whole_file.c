/* Reads and writes whole files: see tool.h. */
#include "tools/tool.h"
#include "base/read_file.h"
#include "base/new_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 1 << 30, MAX_TEXT = 64 << 20 };

static const char *name_of(const char *path, const char *standard) {
    return strcmp(path, "-") == 0 ? standard : path;
}

static void *read_whole(const struct command *command, const char *path, size_t most, bool is_text,
                        size_t *size) {
    const char *why;
    char *data = read_file(strcmp(path, "-") == 0 ? NULL : path, most, is_text,
                           is_text ? "larger than 64 MiB" : "larger than 1 GiB", size, &why);
    if (!data)
        command_failed(command, "%s: %s", name_of(path, "standard input"), why);
    return data;
}

uint8_t *read_whole_file(const struct command *command, const char *path, size_t *size) {
    return read_whole(command, path, MAX_FILE, false, size);
}

char *read_whole_text(const struct command *command, const char *path, size_t *size) {
    return read_whole(command, path, MAX_TEXT, true, size);
}

FILE *open_whole_text(const struct command *command, const char *path, char **text) {
    size_t size;
    *text = read_whole_text(command, path, &size);
    /* fmemopen() of no bytes fails in some C libraries, so an empty file becomes an empty line */
    FILE *in = !*text ? NULL : size ? fmemopen(*text, size, "r") : fmemopen("\n", 1, "r");
    if (*text && !in) {
        command_failed(command, "%s: %s", name_of(path, "standard input"), strerror(errno));
        free(*text);
    }
    return in;
}

int write_text_file(const struct command *command, const char *path, write_text_fn *write,
                    void *self) {
    struct new_file made = {.file = stdout};
    const bool standard = !path || strcmp(path, "-") == 0;
    if (!standard && !new_file_open(&made, path))
        return command_failed(command, "%s: %s", path, strerror(errno));
    write(self, made.file);
    bool ok = !ferror(made.file);
    ok = standard ? fflush(stdout) == 0 && ok : new_file_close(&made, path, ok);
    return ok ? EXIT_FINE
              : command_failed(command, "%s: %s", standard ? "standard output" : path,
                               strerror(errno));
}

struct bytes {
    const void *data;
    size_t size;
};

static void write_bytes(void *self, FILE *out) {
    const struct bytes *b = self;
    fwrite(b->data, 1, b->size, out);
}

int write_whole_file(const struct command *command, const char *path, const void *data,
                     size_t size) {
    struct bytes bytes = {data, size};
    return write_text_file(command, path, write_bytes, &bytes);
}
