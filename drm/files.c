/* Makes and recognises descriptors that stand for device nodes. A memfd is recognised by its name
 * in /proc; a socket by the abstract name that it is bound to, at which nothing listens.
 */
#define _GNU_SOURCE
#include "drm/files.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static const char *const names[] = {
    [FILE_RENDER] = "teslapipe-render", [FILE_CARD] = "teslapipe-card"};
enum { TRIES = 64 };

/* Binds a socket to a name made of `what`, this process and the descriptor of its other end. The
 * other end stays in this process. */
static bool name_socket(int fd, const char *what, int events) {
    for (int i = 0; i < TRIES; i++) {
        struct sockaddr_un a = {.sun_family = AF_UNIX};
        const int n = snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "%s %d %d %d", what,
                               (int)getpid(), events, i);
        const socklen_t length =
            (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
        if (bind(fd, (const struct sockaddr *)&a, length) == 0)
            return true;
        if (errno != EADDRINUSE)
            return false;
    }
    return false;
}

static int open_socket(const char *what, int flags, int *events) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return -1;
    if ((!(flags & O_CLOEXEC) && fcntl(pair[0], F_SETFD, 0) != 0) ||
        ((flags & O_NONBLOCK) && fcntl(pair[0], F_SETFL, O_NONBLOCK) != 0) ||
        !name_socket(pair[0], what, pair[1])) {
        close(pair[0]);
        close(pair[1]);
        return -1;
    }
    *events = pair[1];
    return pair[0];
}

int evdev_socket(int device, int flags, int *events) {
    char what[32];
    snprintf(what, sizeof what, "teslapipe-input %d", device);
    return open_socket(what, flags, events);
}

/* Logs once that the system refuses memfd_create (seccomp). The program then draws with another
 * driver. */
static void report_refusal(void) {
    static atomic_bool reported;
    const struct log log = {.level = LOG_ERROR};
    const int error = errno;
    if (!atomic_exchange(&reported, true))
        log_message(&log, LOG_ERROR, "no GPU: the system refuses memfd_create: %s",
                    strerror(error));
    errno = error;
}

int file_memory(const char *name) {
    const int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS))
        report_refusal();
    return fd;
}

int file_open(enum file_kind kind, int flags, int *events) {
    *events = -1;
    if (kind == FILE_DISPLAY)
        return open_socket(names[FILE_CARD], flags, events);
    const int fd = file_memory(names[kind]);
    if (fd >= 0 && !(flags & O_CLOEXEC))
        fcntl(fd, F_SETFD, 0);
    if (fd >= 0 && (flags & O_NONBLOCK))
        fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

static enum file_kind socket_kind(int fd, int *events) {
    struct sockaddr_un a = {0};
    socklen_t length = sizeof a;
    int process;
    if (getsockname(fd, (struct sockaddr *)&a, &length) != 0 || a.sun_family != AF_UNIX ||
        a.sun_path[0] || length <= offsetof(struct sockaddr_un, sun_path) || length >= sizeof a ||
        sscanf(a.sun_path + 1, "teslapipe-card %d %d", &process, events) != 2)
        return FILE_OTHER;
    if (process != getpid())
        *events = -1;
    return FILE_DISPLAY;
}

static enum file_kind memory_kind(int fd) {
    static const char prefix[] = "/memfd:";
    char path[32], target[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = 0;
    if (strncmp(target, prefix, sizeof prefix - 1) != 0)
        return FILE_OTHER;
    for (enum file_kind k = FILE_RENDER; k <= FILE_CARD; k++)
        if (strncmp(target + sizeof prefix - 1, names[k], strlen(names[k])) == 0)
            return k;
    return FILE_OTHER;
}

enum file_kind file_kind(int fd, int *events) {
    struct stat st;
    if (syscall(SYS_fstat, fd, &st) != 0)
        return FILE_OTHER;
    if (S_ISSOCK(st.st_mode))
        return socket_kind(fd, events);
    return S_ISREG(st.st_mode) && !st.st_nlink && !st.st_size ? memory_kind(fd) : FILE_OTHER;
}
