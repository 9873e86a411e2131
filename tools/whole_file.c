/* Whole files in and out: see tool.h. */
#include "tools/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 1 << 30, MAX_TEXT = 64 << 20 };

static const char *name_of(const char *path, const char *standard) {
    return strcmp(path, "-") == 0 ? standard : path;
}

/* Reads up to `most` bytes. The memory has one byte more than the file, which is 0. */
static uint8_t *read_up_to(FILE *in, size_t most, bool is_text, size_t *size, const char **why) {
    uint8_t *data = NULL;
    size_t room = 0, n = 1;
    *why = NULL;
    for (*size = 0; n && *size <= most; *size += n) {
        if (room - *size < 4096) {
            uint8_t *more = realloc(data, room = 2 * room + 16384);
            if (!more)
                break;
            data = more;
        }
        n = fread(data + *size, 1, room - *size - 1, in);
        if (is_text && memchr(data + *size, 0, n)) {
            *why = "is not text";
            break;
        }
    }
    if (!*why && n)
        *why = *size <= most      ? "out of memory"
               : most == MAX_TEXT ? "larger than 64 MiB"
                                  : "larger than 1 GiB";
    if (!*why && ferror(in))
        *why = strerror(errno);
    if (!*why) {
        data[*size] = 0;
        return data;
    }
    free(data);
    return NULL;
}

static uint8_t *read_whole(const struct command *command, const char *path, size_t most,
                           bool is_text, size_t *size) {
    const bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "rb");
    const char *why = in ? "" : strerror(errno);
    errno = 0;
    uint8_t *data = in ? read_up_to(in, most, is_text, size, &why) : NULL;
    if (!data)
        command_failed(command, "%s: %s", name_of(path, "standard input"), why);
    if (in && !standard)
        fclose(in);
    return data;
}

uint8_t *read_whole_file(const struct command *command, const char *path, size_t *size) {
    return read_whole(command, path, MAX_FILE, false, size);
}

char *read_whole_text(const struct command *command, const char *path, size_t *size) {
    return (char *)read_whole(command, path, MAX_TEXT, true, size);
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

int write_whole_file(const struct command *command, const char *path, const void *data,
                     size_t size) {
    const bool standard = !path || strcmp(path, "-") == 0;
    FILE *out = standard ? stdout : fopen(path, "wb");
    if (!out)
        return command_failed(command, "%s: %s", path, strerror(errno));
    bool ok = fwrite(data, 1, size, out) == size;
    ok = (standard ? fflush(out) : fclose(out)) == 0 && ok;
    return ok ? EXIT_FINE
              : command_failed(command, "%s: %s", standard ? "standard output" : path,
                               strerror(errno));
}
