/* The functions of libc by which a program opens, names, maps and commands the nodes of a GPU and
 * the input devices of a display. The library is preloaded into the program. In: the program's
 * calls. Out: the answers that libc would give on a machine with the board. Calls about other files
 * go straight to libc. Knows paths and descriptors; must not know ioctls or pixels. Directory
 * streams are in directories.c.
 */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* both the calls with and without 64 are defined here */
#include "drm/evdev.h"
#include "drm/files.h"
#include "drm/held.h"
#include "drm/node.h"
#include "drm/preload.h"
#include "drm/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <libdrm/drm.h>
#include <linux/magic.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

/* ---- descriptors of our nodes ---- */

enum { MAX_FD = 16384 };
static _Atomic(struct node *) node_of_fd[MAX_FD];

static bool can_be_node(int fd) {
    return (unsigned)fd < MAX_FD;
}

static struct node *node_at(int fd) {
    return can_be_node(fd) ? atomic_load_explicit(&node_of_fd[fd], memory_order_acquire) : NULL;
}

/* The process whose descriptors the table has. A child of vfork() has its parent's memory and other
 * descriptors, so the child leaves the table as it is. */
static pid_t owner;

static void note_owner(void) {
    owner = getpid();
}

__attribute__((constructor)) static void watch_forks(void) {
    note_owner();
    pthread_atfork(NULL, NULL, note_owner);
}

static void forget_fd(int fd) {
    if (!node_at(fd) || owner != getpid())
        return;
    struct node *n = atomic_exchange(&node_of_fd[fd], NULL);
    if (n)
        node_unref(n);
}

/* Makes fd a descriptor of node n and takes over a reference to n. */
static int remember_fd(int fd, struct node *n) {
    if (fd >= MAX_FD) {
        close(fd);
        fd = -1;
        errno = EMFILE;
    }
    if (fd < 0) {
        node_unref(n);
        return -1;
    }
    forget_fd(fd);
    atomic_store(&node_of_fd[fd], n);
    return fd;
}

static int open_node(bool card, int flags) {
    int events;
    const int fd = file_open(!card               ? FILE_RENDER
                             : screen_is_there() ? FILE_DISPLAY
                                                 : FILE_CARD,
                             flags, &events);
    struct node *n = fd >= 0 ? node_open(card, events) : NULL;
    if (n)
        return remember_fd(fd, n);
    const int error = errno;
    if (fd >= 0)
        close(fd);
    if (events >= 0)
        close(events);
    errno = error;
    return -1;
}

/* A card's socket whose other end is not in this process was opened by another process, or by this
 * process before exec. Replaces the socket by one of this process. */
static struct node *adopt_display(int fd) {
    const int flags = fcntl(fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0;
    const int own = open_node(true, O_CLOEXEC | (fcntl(fd, F_GETFL) & O_NONBLOCK));
    struct node *n = node_at(own);
    if (!n)
        return NULL;
    node_ref(n);
    const int result = (int)syscall(SYS_dup3, own, fd, flags);
    close(own);
    if (result < 0) {
        node_unref(n);
        return NULL;
    }
    atomic_store(&node_of_fd[fd], n);
    return n;
}

/* The node of this process whose end of the socket is `events`. */
static struct node *node_with(int events) {
    for (int fd = 0; fd < MAX_FD; fd++) {
        struct node *n = node_at(fd);
        if (n && node_events(n) == events)
            return n;
    }
    return NULL;
}

/* The node of a descriptor. Unlike node_at(), this function recognises descriptors that another
 * process opened (received in a message, as from DRI3, or inherited through exec). It makes them
 * descriptors of a node of this process. */
static struct node *node_of(int fd) {
    struct node *n = node_at(fd);
    int events;
    const enum file_kind kind = n || !can_be_node(fd) ? FILE_OTHER : file_kind(fd, &events);
    if (kind == FILE_OTHER)
        return n;
    if (kind == FILE_DISPLAY && (events < 0 || !(n = node_with(events))))
        return adopt_display(fd);
    if (kind == FILE_DISPLAY)
        node_ref(n);
    else if (!(n = node_open(kind == FILE_CARD, -1)))
        return NULL;
    atomic_store(&node_of_fd[fd], n);
    return n;
}

/* ---- paths ---- */

/* A program may walk the fake tree by descriptors of directories. Such a descriptor is a memfd
 * whose name is WALKED and the path. */
#define WALKED "teslapipe-sysfs:"
static atomic_bool is_walked; /* a descriptor named WALKED was made */

static bool may_be_walked(void) {
    return screen_is_there() || atomic_load_explicit(&is_walked, memory_order_relaxed);
}

bool path_of(int fd, char *out, size_t size) {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, out, size - 1);
    if (length <= 0)
        return false;
    out[length] = 0;
    static const char walked[] = "/memfd:" WALKED;
    if (strncmp(out, walked, sizeof walked - 1) == 0) {
        memmove(out, out + sizeof walked - 1, strlen(out + sizeof walked - 1) + 1);
        out[strcspn(out, " ")] = 0; /* cut off " (deleted)" */
    }
    return *out == '/';
}

/* The entry of the fake tree that fd stands for; kind SYSFS_NONE if it stands for none. */
static struct sysfs_entry walked_directory(int fd) {
    char path[PATH_MAX];
    struct statx st;
    if (!may_be_walked() ||
        syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_NLINK, &st) != 0 ||
        !S_ISREG(st.stx_mode) || st.stx_nlink || !path_of(fd, path, sizeof path))
        return sysfs_find(NULL);
    return sysfs_find(path);
}

/* Resolves a path relative to a directory's descriptor. Returns the path as it is, or the absolute
 * path in room[] if programs look for devices below the directory. */
static const char *absolute_path(int directory, const char *path, char *room, size_t size) {
    char base[PATH_MAX];
    if (!path || *path == '/' || !*path || directory == AT_FDCWD || !may_be_walked() ||
        !path_of(directory, base, sizeof base))
        return path;
    const bool near = !base[1] || strncmp(base, "/sys", 4) == 0 || strncmp(base, "/dev", 4) == 0;
    return near && sysfs_path(base, path, room, size) && *room ? room : path;
}

/* Makes a memfd with the text of a file of the fake tree. -1 with errno set. */
static int open_text(const char *name, const struct sysfs_entry *e) {
    const int fd = file_memory(name);
    if (fd < 0 || (write(fd, e->text, strlen(e->text)) >= 0 && lseek(fd, 0, SEEK_SET) >= 0))
        return fd;
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* systemd's library opens a walked file again by the descriptor's path in /proc and reads it there.
 * So the memfd of a file has its text. */
int open_walked(const struct sysfs_entry *e) {
    char name[sizeof WALKED + sizeof e->path];
    snprintf(name, sizeof name, WALKED "%s", e->path);
    atomic_store(&is_walked, true);
    return e->kind == SYSFS_FILE ? open_text(name, e) : file_memory(name);
}

static int fail_with(int error) {
    errno = error;
    return -1;
}

static int input_device(const struct sysfs_entry *e) {
    return e->major == EVDEV_MAJOR ? e->minor - EVDEV_MINOR : -1;
}

/* True if the path is in the fake tree. *fd is then the new descriptor, or -1 with errno set. */
static bool open_ours(const char *path, int flags, int *fd) {
    const struct sysfs_entry e = flags & O_NOFOLLOW ? sysfs_find(path) : sysfs_follow(path);
    if (e.kind == SYSFS_NONE || (e.kind == SYSFS_ANCESTOR && !(flags & O_PATH)))
        return false;
    if (flags & O_PATH || (e.kind == SYSFS_DIRECTORY && (flags & O_ACCMODE) == O_RDONLY))
        *fd = open_walked(&e);
    else if (input_device(&e) >= 0)
        *fd = evdev_open(input_device(&e), flags);
    else if (e.kind == SYSFS_NODE)
        *fd = open_node(e.minor == CARD_MINOR, flags);
    else
        *fd = e.kind == SYSFS_FILE ? open_text("sysfs", &e) : fail_with(EACCES);
    return true;
}

static mode_t mode_argument(int flags, va_list args) {
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
}

#define DEFINE_OPEN(name)                                                                          \
    EXPORT int name(const char *path, int flags, ...) {                                            \
        NEXT(name);                                                                                \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        const mode_t mode = mode_argument(flags, args);                                            \
        va_end(args);                                                                              \
        int fd;                                                                                    \
        return open_ours(path, flags, &fd) ? fd : next(path, flags, mode);                         \
    }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_OPENAT(name)                                                                        \
    EXPORT int name(int directory, const char *path, int flags, ...) {                             \
        NEXT(name);                                                                                \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        const mode_t mode = mode_argument(flags, args);                                            \
        va_end(args);                                                                              \
        int fd;                                                                                    \
        char room[PATH_MAX];                                                                       \
        path = absolute_path(directory, path, room, sizeof room);                                  \
        return open_ours(path, flags, &fd) ? fd : next(directory, path, flags, mode);              \
    }
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

/* Variants of open that programs call if they are built with _FORTIFY_SOURCE. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
#define DEFINE_OPEN_2(name)                                                                        \
    EXPORT int name(const char *path, int flags) {                                                 \
        NEXT(name);                                                                                \
        int fd;                                                                                    \
        return open_ours(path, flags, &fd) ? fd : next(path, flags);                               \
    }
DEFINE_OPEN_2(__open_2)
DEFINE_OPEN_2(__open64_2)

#define DEFINE_FOPEN(name)                                                                         \
    EXPORT FILE *name(const char *path, const char *mode) {                                        \
        NEXT(name);                                                                                \
        const struct sysfs_entry e = sysfs_follow(path);                                           \
        if (e.kind != SYSFS_FILE)                                                                  \
            return next(path, mode);                                                               \
        const int fd = open_text("sysfs", &e);                                                     \
        FILE *file = fd < 0 ? NULL : fdopen(fd, "r");                                              \
        if (fd >= 0 && !file)                                                                      \
            close(fd);                                                                             \
        return file;                                                                               \
    }
DEFINE_FOPEN(fopen)
DEFINE_FOPEN(fopen64)

/* True for a descriptor that the library keeps although the program closes it. */
static bool is_kept(int fd) {
    return is_held(fd) && owner == getpid();
}

EXPORT int close(int fd) {
    NEXT(close);
    if (is_kept(fd))
        return fail_with(EBADF);
    forget_fd(fd);
    return next(fd);
}

static void forget_range(unsigned first, unsigned last) {
    for (unsigned fd = first; fd <= last && can_be_node((int)fd); fd++)
        forget_fd((int)fd);
}

/* The first kept descriptor from `first` on; MAX_FD: none. */
static unsigned next_kept(unsigned first) {
    while (can_be_node((int)first) && !is_kept((int)first))
        first++;
    return can_be_node((int)first) ? first : MAX_FD;
}

EXPORT int close_range(unsigned first, unsigned last, int flags) {
    enum { ONLY_CLOEXEC = 4 };
    NEXT(close_range);
    if (flags & ONLY_CLOEXEC || first > last)
        return next(first, last, flags);
    forget_range(first, last);
    int result = 0;
    for (unsigned kept; result == 0 && (kept = next_kept(first)) <= last && kept < MAX_FD;
         first = kept + 1)
        result = kept > first ? next(first, kept - 1, flags) : 0;
    return result == 0 && first <= last ? next(first, last, flags) : result;
}

EXPORT void closefrom(int first) {
    NEXT(closefrom);
    unsigned from = first < 0 ? 0 : (unsigned)first;
    forget_range(from, UINT_MAX);
    for (unsigned kept; (kept = next_kept(from)) < MAX_FD; from = kept + 1)
        while (from < kept)
            close((int)from++);
    next((int)from);
}

static int note_duplicate(int from, int fd) {
    struct node *n = node_of(from);
    if (fd == from)
        return fd;
    forget_fd(fd);
    if (fd < 0 || !n || owner != getpid())
        return fd;
    node_ref(n);
    return remember_fd(fd, n);
}

EXPORT int dup(int fd) {
    NEXT(dup);
    return note_duplicate(fd, next(fd));
}

EXPORT int dup2(int from, int to) {
    NEXT(dup2);
    return note_duplicate(from, next(from, to));
}

EXPORT int dup3(int from, int to, int flags) {
    NEXT(dup3);
    return note_duplicate(from, next(from, to, flags));
}

#define DEFINE_FCNTL(name)                                                                         \
    EXPORT int name(int fd, int command, ...) {                                                    \
        NEXT(name);                                                                                \
        va_list args;                                                                              \
        va_start(args, command);                                                                   \
        void *argument = va_arg(args, void *);                                                     \
        va_end(args);                                                                              \
        const int result = next(fd, command, argument);                                            \
        return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? note_duplicate(fd, result)       \
                                                                : result;                          \
    }
DEFINE_FCNTL(fcntl)
DEFINE_FCNTL(fcntl64)

EXPORT int ioctl(int fd, unsigned long request, ...) {
    NEXT(ioctl);
    va_list args;
    va_start(args, request);
    void *argument = va_arg(args, void *);
    va_end(args);
    struct node *n = _IOC_TYPE(request) == DRM_IOCTL_BASE ? node_of(fd) : node_at(fd);
    const int device = _IOC_TYPE(request) == 'E' ? evdev_of(fd) : -1;
    if (device >= 0)
        return evdev_ioctl(fd, device, request, argument);
    return n ? node_ioctl(n, request, argument) : next(fd, request, argument);
}

/* nouveau polls fences and calls sched_yield between two looks. */
EXPORT int sched_yield(void) {
    NEXT(sched_yield);
    return node_yield() ? 0 : next();
}

#define DEFINE_MMAP(name, offset_type)                                                             \
    EXPORT void *name(void *address, size_t length, int prot, int flags, int fd,                   \
                      offset_type offset) {                                                        \
        NEXT(name);                                                                                \
        struct node *n = flags & MAP_ANONYMOUS ? NULL : node_at(fd);                               \
        return n ? node_mmap(n, address, length, prot, flags, (uint64_t)offset)                    \
                 : next(address, length, prot, flags, fd, offset);                                 \
    }
DEFINE_MMAP(mmap, off_t)
DEFINE_MMAP(mmap64, off64_t)

/* node_mmap gives out the GPU's own mapping, which must stay. */
EXPORT int munmap(void *address, size_t length) {
    NEXT(munmap);
    return gpu_maps(address, length) ? 0 : next(address, length);
}

/* ---- stat (struct stat and struct stat64 differ in 32-bit programs) ---- */

static mode_t mode_of(const struct sysfs_entry *e) {
    static const mode_t modes[] = {
        [SYSFS_DIRECTORY] = S_IFDIR | 0755, [SYSFS_NODE] = S_IFCHR | 0666,
        [SYSFS_FILE] = S_IFREG | 0444,      [SYSFS_LINK] = S_IFLNK | 0777,
        [SYSFS_ANCESTOR] = S_IFDIR | 0755,
    };
    return modes[e->kind];
}

#define DEFINE_DESCRIBE(type)                                                                      \
    static int describe_##type(const struct sysfs_entry *e, struct type *out) {                    \
        *out = (struct type){                                                                      \
            .st_mode = mode_of(e),                                                                 \
            .st_nlink = 1,                                                                         \
            .st_ino = e->inode,                                                                    \
            .st_dev = makedev(0, 5),                                                               \
            .st_rdev = makedev(e->major, e->minor),                                                \
            .st_blksize = 4096,                                                                    \
            .st_size = e->kind == SYSFS_FILE ? (off_t)strlen(e->text) : 0,                         \
        };                                                                                         \
        return 0;                                                                                  \
    }
DEFINE_DESCRIBE(stat)
DEFINE_DESCRIBE(stat64)

/* True for an entry that only the fake tree has. The real system may have an ancestor directory,
 * too. */
static bool is_known(const struct sysfs_entry *e) {
    return e->kind != SYSFS_NONE && e->kind != SYSFS_ANCESTOR;
}

#define DEFINE_STAT(name, type, find)                                                              \
    EXPORT int name(const char *path, struct type *out) {                                          \
        NEXT(name);                                                                                \
        const struct sysfs_entry e = find(path);                                                   \
        return is_known(&e) ? describe_##type(&e, out) : next(path, out);                          \
    }
DEFINE_STAT(stat, stat, sysfs_follow)
DEFINE_STAT(stat64, stat64, sysfs_follow)
DEFINE_STAT(lstat, stat, sysfs_find)
DEFINE_STAT(lstat64, stat64, sysfs_find)

#define DEFINE_FSTATAT(name, type)                                                                 \
    EXPORT int name(int directory, const char *path, struct type *out, int flags) {                \
        NEXT(name);                                                                                \
        char room[PATH_MAX];                                                                       \
        path = absolute_path(directory, path, room, sizeof room);                                  \
        const struct sysfs_entry e = path && !*path                ? walked_directory(directory)   \
                                     : flags & AT_SYMLINK_NOFOLLOW ? sysfs_find(path)              \
                                                                   : sysfs_follow(path);           \
        return e.kind == SYSFS_NONE || (path && *path && !is_known(&e))                            \
                   ? next(directory, path, out, flags)                                             \
                   : describe_##type(&e, out);                                                     \
    }
DEFINE_FSTATAT(fstatat, stat)
DEFINE_FSTATAT(fstatat64, stat64)

/* The entry of the fake tree that a descriptor stands for. Mesa takes descriptors of one inode for
 * one screen. So the node of a forked child gets another inode than the inherited node, which the
 * child cannot use. */
static struct sysfs_entry entry_of(int fd) {
    const struct node *n = node_of(fd);
    if (n) {
        struct sysfs_entry e = sysfs_find(node_path(n));
        e.inode += node_generation(n) << 16;
        return e;
    }
    const int device = evdev_of(fd);
    if (device < 0)
        return walked_directory(fd);
    char path[32];
    snprintf(path, sizeof path, "/dev/input/event%d", device);
    return sysfs_find(path);
}

#define DEFINE_FSTAT(name, type)                                                                   \
    EXPORT int name(int fd, struct type *out) {                                                    \
        NEXT(name);                                                                                \
        const struct sysfs_entry e = entry_of(fd);                                                 \
        return e.kind == SYSFS_NONE ? next(fd, out) : describe_##type(&e, out);                    \
    }
DEFINE_FSTAT(fstat, stat)
DEFINE_FSTAT(fstat64, stat64)

static void describe_statx(const struct sysfs_entry *e, struct statx *out) {
    out->stx_mask |= STATX_BASIC_STATS;
    out->stx_attributes &= ~(uint64_t)STATX_ATTR_MOUNT_ROOT;
    out->stx_mode = (uint16_t)mode_of(e);
    out->stx_nlink = 1;
    out->stx_uid = out->stx_gid = 0;
    out->stx_ino = e->inode;
    out->stx_dev_major = 0;
    out->stx_dev_minor = 5;
    out->stx_rdev_major = e->major;
    out->stx_rdev_minor = e->minor;
    out->stx_blksize = 4096;
    out->stx_blocks = 0;
    out->stx_size = e->kind == SYSFS_FILE ? strlen(e->text) : 0;
}

/* systemd's library walks paths with statx from version 262 on. The mount and other facts that the
 * mask asks for are those of /sys. */
EXPORT int statx(int directory, const char *restrict path, int flags, unsigned mask,
                 struct statx *restrict out) {
    NEXT(statx);
    char room[PATH_MAX];
    const char *const full = absolute_path(directory, path, room, sizeof room);
    const bool itself = full && !*full && flags & AT_EMPTY_PATH;
    const struct sysfs_entry e = itself                        ? entry_of(directory)
                                 : flags & AT_SYMLINK_NOFOLLOW ? sysfs_find(full)
                                                               : sysfs_follow(full);
    if (e.kind == SYSFS_NONE || (!itself && !is_known(&e)))
        return next(directory, full, flags, mask, out);
    if (next(AT_FDCWD, "/sys", 0, mask, out) != 0)
        memset(out, 0, sizeof *out);
    describe_statx(&e, out);
    return 0;
}

/* libudev accepts only files on sysfs, so walked files claim to be on sysfs. */
#define DEFINE_FSTATFS(name, type)                                                                 \
    EXPORT int name(int fd, struct type *out) {                                                    \
        NEXT(name);                                                                                \
        const int result = next(fd, out);                                                          \
        if (result == 0 && walked_directory(fd).kind != SYSFS_NONE)                                \
            out->f_type = SYSFS_MAGIC;                                                             \
        return result;                                                                             \
    }
DEFINE_FSTATFS(fstatfs, statfs)
DEFINE_FSTATFS(fstatfs64, statfs64)

EXPORT int access(const char *path, int mode) {
    NEXT(access);
    const struct sysfs_entry e = sysfs_follow(path);
    return is_known(&e) ? 0 : next(path, mode);
}

EXPORT int faccessat(int directory, const char *path, int mode, int flags) {
    NEXT(faccessat);
    char room[PATH_MAX];
    path = absolute_path(directory, path, room, sizeof room);
    const struct sysfs_entry e = sysfs_follow(path);
    return is_known(&e) ? 0 : next(directory, path, mode, flags);
}

static ssize_t give_link(const struct sysfs_entry *e, char *out, size_t size) {
    if (e->kind != SYSFS_LINK)
        return fail_with(EINVAL);
    const size_t length = strlen(e->text) < size ? strlen(e->text) : size;
    memcpy(out, e->text, length);
    return (ssize_t)length;
}

EXPORT ssize_t readlink(const char *restrict path, char *restrict out, size_t size) {
    NEXT(readlink);
    const struct sysfs_entry e = sysfs_find(path);
    return is_known(&e) ? give_link(&e, out, size) : next(path, out, size);
}

EXPORT ssize_t readlinkat(int directory, const char *restrict path, char *restrict out,
                          size_t size) {
    NEXT(readlinkat);
    char room[PATH_MAX];
    const char *full = absolute_path(directory, path, room, sizeof room);
    const struct sysfs_entry e = sysfs_find(full);
    return is_known(&e) ? give_link(&e, out, size) : next(directory, full, out, size);
}

static char *resolve_link(const struct sysfs_entry *e, char *out) {
    char *to = out ? out : malloc(PATH_MAX);
    if (!to)
        return NULL;
    const size_t length = strlen(e->path) + 1;
    return memcpy(to, e->path, length);
}

EXPORT char *realpath(const char *restrict path, char *restrict out) {
    NEXT(realpath);
    const struct sysfs_entry e = sysfs_follow(path);
    return is_known(&e) ? resolve_link(&e, out) : next(path, out);
}

char *__realpath_chk(const char *path, char *out, size_t size);
EXPORT char *__realpath_chk(const char *path, char *out, size_t size) {
    NEXT(__realpath_chk);
    const struct sysfs_entry e = sysfs_follow(path);
    return is_known(&e) && strlen(e.path) < size ? resolve_link(&e, out) : next(path, out, size);
}
