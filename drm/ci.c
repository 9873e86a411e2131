/* Notes of each process for `teslapipe ci` (drm/ci.h). In: TESLAPIPE_CI. Out: files. */
#define _GNU_SOURCE
#include "drm/ci.h"

#include "drm/preload.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMAND_LINE = 4096 };

bool ci_expand(const char *setting, char *path, size_t size) {
    size_t length = 0;
    for (const char *c = setting; *c && length < size; c++) {
        const bool number = c[0] == '%' && c[1] == 'p';
        const int n = number ? snprintf(path + length, size - length, "%d", (int)getpid())
                             : snprintf(path + length, size - length, "%c", *c);
        length += n > 0 ? (size_t)n : size;
        c += number;
    }
    return length < size;
}

/* Writes FOLDER/PID.KIND. Does nothing without TESLAPIPE_CI or if the file exists. */
static void note(const char *kind, const char *text, size_t length) {
    const char *const folder = getenv("TESLAPIPE_CI");
    char path[PATH_MAX];
    if (!folder || !*folder ||
        (size_t)snprintf(path, sizeof path, "%s/%d.%s", folder, (int)getpid(), kind) >= sizeof path)
        return;
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    const ssize_t written = write(fd, text, length);
    close(fd);
    if (written < 0 || (size_t)written < length)
        unlink(path); /* the disk is full */
}

/* The process that has written its note "begin"; 0: none. A forked child still sees its parent's
 * number. */
static int noted_process;

void ci_begin(void) {
    char line[COMMAND_LINE];
    const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd >= 0 ? read(fd, line, sizeof line) : -1;
    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; i < length; i++)
        if (line[i] == 0 || line[i] == '\n')
            line[i] = ' ';
    noted_process = getpid();
    note("begin", line, length > 0 ? (size_t)length : 0);
}

void ci_other_driver(const char *reason) {
    ci_begin();
    note("other", reason, strlen(reason));
}

static void end(int status) {
    char text[16];
    if (noted_process == getpid())
        note("end", text, (size_t)snprintf(text, sizeof text, "%d", status & 0xff));
}

static void end_on_exit(int status, void *) {
    end(status);
}

/* on_exit runs its functions in reverse order. This function is registered first, so the note is
 * written last and sees the effects of the others. */
__attribute__((constructor)) static void watch_exit(void) {
    if (getenv("TESLAPIPE_CI"))
        on_exit(end_on_exit, NULL);
}

/* A forked child often ends by _exit or _Exit, which skip the functions of on_exit. */
EXPORT void _exit(int status) {
    static __attribute__((noreturn)) __typeof__(_exit) *next;
    end(status);
    *(void **)&next = dlsym(RTLD_NEXT, "_exit");
    next(status);
    __builtin_unreachable();
}

EXPORT void _Exit(int status) {
    _exit(status);
}
