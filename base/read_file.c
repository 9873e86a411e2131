/* Reads whole files into memory, in pieces that grow, because the size of a pipe is not known. In:
 * a path, or NULL for standard input. Out: malloc'd bytes, or the reason of a failure. */
#include "base/read_file.h"

#include "base/arena.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *read_file(const char *path, size_t most, bool is_text, const char *too_large, size_t *size,
                const char **why) {
    FILE *const in = path ? fopen(path, "rb") : stdin;
    char *data = NULL;
    size_t room = 0, n = 1;
    *why = in ? NULL : strerror(errno);
    for (*size = 0; !*why && n; *size += n) {
        if (!ARRAY_ROOM(data, room, *size + 4096)) {
            *why = "out of memory";
            break;
        }
        n = fread(data + *size, 1, room - *size - 1, in);
        if (n == 0 && ferror(in))
            *why = strerror(errno);
        else if (is_text && memchr(data + *size, 0, n))
            *why = "is not text";
        else if (*size + n > most)
            *why = too_large;
    }
    if (in && path)
        fclose(in);
    if (!*why) {
        data[*size] = 0;
        return data;
    }
    free(data);
    return NULL;
}
