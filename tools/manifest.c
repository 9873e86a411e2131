/* The manifest of a job (tools/manifest.h).
 */
#define _GNU_SOURCE
#include "tools/manifest.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MAX_LINE = 8192, PIECE = 1 << 16 };

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct manifest_entry *)a)->name,
                  ((const struct manifest_entry *)b)->name);
}

static void forget_entries(struct manifest *m) {
    for (size_t i = 0; i < m->count; i++)
        free(m->entry[i].name);
    m->count = 0;
}

static bool add_entry(struct manifest *m, const char *name, uint64_t size, const uint64_t hash[2]) {
    char *own = strdup(name);
    if (!own || !ARRAY_ROOM(m->entry, m->capacity, m->count + 1)) {
        free(own);
        errno = ENOMEM;
        return false;
    }
    m->entry[m->count++] = (struct manifest_entry){own, size, {hash[0], hash[1]}};
    return true;
}

/* Reads a line without its end. Lines of other forms are ignored. */
static bool take_line(struct manifest *m, const char *line) {
    uint64_t size, hash[2];
    int name = 0;
    if (strncmp(line, "job ", 4) == 0) {
        if (m->job && strcmp(m->job, line + 4) == 0)
            return true;
        forget_entries(m);
        free(m->job);
        return (m->job = strdup(line + 4)) != NULL;
    }
    if (sscanf(line, "file %" SCNu64 " %16" SCNx64 "%16" SCNx64 " %n", &size, &hash[0], &hash[1],
               &name) != 3 ||
        !name || !line[name])
        return true;
    return add_entry(m, line + name, size, hash);
}

static bool read_lines(struct manifest *m, FILE *file) {
    char line[MAX_LINE];
    while (fgets(line, sizeof line, file)) {
        const size_t length = strlen(line);
        if (!length || line[length - 1] != '\n')
            continue; /* a line that was cut off, or has a zero byte */
        line[length - 1] = 0;
        if (!take_line(m, line))
            return false;
    }
    return !ferror(file);
}

bool manifest_open(struct manifest *m, const char *path) {
    *m = (struct manifest){.path = strdup(path), .folder = strdup(path)};
    FILE *file = m->path && m->folder ? fopen(path, "rbe") : NULL;
    if (m->folder) {
        char *const slash = strrchr(m->folder, '/');
        slash ? slash[1] = 0 : (m->folder[0] = 0);
    }
    if (!file)
        return m->folder && errno == ENOENT;
    const bool ok = read_lines(m, file);
    fclose(file);
    if (m->count)
        qsort(m->entry, m->count, sizeof *m->entry, by_name);
    return ok;
}

void manifest_close(struct manifest *m) {
    forget_entries(m);
    free(m->entry);
    free(m->job);
    free(m->path);
    free(m->folder);
    *m = (struct manifest){0};
}

/* Appends a line as a whole, while no other process appends. The lock works across machines if the
 * file system has locks. If another process left an unfinished line, a newline is written first. */
static bool append_line(const struct manifest *m, const char *line) {
    char text[MAX_LINE + 1] = "\n", last = '\n';
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int fd = open(m->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    fcntl(fd, F_OFD_SETLKW, &lock);
    const off_t end = lseek(fd, 0, SEEK_END);
    if (end > 0 && pread(fd, &last, 1, end - 1) != 1)
        last = '\n';
    const int n = snprintf(text + 1, MAX_LINE, "%s\n", line);
    const char *from = last == '\n' ? text + 1 : text;
    const ssize_t size = n + 1 - (from - text);
    errno = ENAMETOOLONG;
    bool ok = n < MAX_LINE;
    const ssize_t written = ok ? write(fd, from, (size_t)size) : 0;
    if (ok && written >= 0 && written < size)
        errno = ENOSPC;
    ok = ok && written == size;
    const int error = errno;
    ok = close(fd) == 0 && ok;
    errno = error;
    return ok;
}

bool manifest_begin(struct manifest *m, const char *job) {
    char line[MAX_LINE];
    if (m->job && strcmp(m->job, job) == 0)
        return true;
    snprintf(line, sizeof line, "job %s", job);
    return append_line(m, line);
}

static bool hash_file(FILE *file, uint64_t *size, uint64_t hash[2]) {
    static _Thread_local uint8_t piece[PIECE];
    XXH3_state_t state;
    size_t n;
    *size = 0;
    XXH3_128bits_reset(&state);
    rewind(file);
    while ((n = fread(piece, 1, sizeof piece, file)) > 0) {
        XXH3_128bits_update(&state, piece, n);
        *size += n;
    }
    const XXH128_hash_t h = XXH3_128bits_digest(&state);
    hash[0] = h.high64;
    hash[1] = h.low64;
    return !ferror(file);
}

bool manifest_is_whole(const struct manifest *m, const char *name) {
    char path[MAX_LINE];
    uint64_t size, hash[2];
    struct manifest_entry wanted = {.name = (char *)(uintptr_t)name};
    const struct manifest_entry *e =
        m->count ? bsearch(&wanted, m->entry, m->count, sizeof *m->entry, by_name) : NULL;
    if (!e)
        return false;
    snprintf(path, sizeof path, "%s%s", m->folder, name);
    FILE *file = fopen(path, "rbe");
    const bool read = file && hash_file(file, &size, hash);
    if (file)
        fclose(file);
    while (e > m->entry && strcmp(e[-1].name, name) == 0)
        e--;
    for (; read && e < m->entry + m->count && strcmp(e->name, name) == 0; e++)
        if (e->size == size && e->hash[0] == hash[0] && e->hash[1] == hash[1])
            return true;
    return false;
}

bool manifest_add(struct manifest *m, const char *name, FILE *file) {
    char line[MAX_LINE];
    uint64_t size, hash[2];
    if (!hash_file(file, &size, hash))
        return false;
    snprintf(line, sizeof line, "file %" PRIu64 " %016" PRIx64 "%016" PRIx64 " %s", size, hash[0],
             hash[1], name);
    return append_line(m, line);
}
