/* libc, as far as a program meets a GPU in it: opening, naming, mapping and commanding the render
 * node. In: the program's calls. Out: what libc would answer if the machine had the board.
 * Everything that is not about our node goes straight to libc. Knows paths and descriptors, no
 * ioctl and no pixel.
 */
#define _GNU_SOURCE
#include "drm/node.h"
#include "drm/sysfs.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libdrm/drm.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* The next definition of the function being defined, with its type. */
#define NEXT(name)                                                                                 \
    static __typeof__(name) *next;                                                                 \
    if (!next)                                                                                     \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

/* ---- which descriptors are ours ---- */

enum { MAX_FD = 65536 };
static _Atomic(struct node *) node_of_fd[MAX_FD];

static struct node *node_at(int fd) {
    return fd >= 0 && fd < MAX_FD ? atomic_load_explicit(&node_of_fd[fd], memory_order_acquire)
                                  : NULL;
}

static void forget(int fd) {
    struct node *n = fd >= 0 && fd < MAX_FD ? atomic_exchange(&node_of_fd[fd], NULL) : NULL;
    if (n)
        node_unref(n);
}

/* fd becomes another descriptor of n; takes over a reference. */
static int remember(int fd, struct node *n) {
    if (fd >= MAX_FD) {
        close(fd);
        fd = -1;
        errno = EMFILE;
    }
    if (fd < 0) {
        node_unref(n);
        return -1;
    }
    forget(fd);
    atomic_store(&node_of_fd[fd], n);
    return fd;
}

/* The descriptor itself is an empty memfd: it can be passed around, polled and closed. */
static const char *const node_files[] = {"teslapipe-render", "teslapipe-card"};

static int open_node(bool card, int flags) {
    struct node *n = node_open(card);
    return n ? remember(memfd_create(node_files[card], flags & O_CLOEXEC ? MFD_CLOEXEC : 0), n)
             : -1;
}

/* Which of node_files a descriptor is; -1: neither. */
static int node_file(int fd) {
    static const char prefix[] = "/memfd:";
    struct stat st;
    char path[32], target[64];
    if (syscall(SYS_fstat, fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_nlink || st.st_size)
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const ssize_t length = syscall(SYS_readlink, path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = 0;
    if (strncmp(target, prefix, sizeof prefix - 1) != 0)
        return -1;
    const char *name = target + sizeof prefix - 1;
    for (int i = 0; i < 2; i++)
        if (strncmp(name, node_files[i], strlen(node_files[i])) == 0)
            return i;
    return -1;
}

/* As node_at; a descriptor that another process opened (received in a message, as DRI3 hands it
 * out, or inherited through exec) becomes one of a node of this process. */
static struct node *node_of(int fd) {
    struct node *n = node_at(fd);
    const int file = n || fd < 0 || fd >= MAX_FD ? -1 : node_file(fd);
    if (file < 0 || !(n = node_open(file == 1)))
        return n;
    atomic_store(&node_of_fd[fd], n);
    return n;
}

static int open_text(const struct sysfs_entry *e) {
    const int fd = memfd_create("sysfs", MFD_CLOEXEC);
    if (fd >= 0 && (write(fd, e->text, strlen(e->text)) < 0 || lseek(fd, 0, SEEK_SET) < 0))
        return -1;
    return fd;
}

/* True if the path is ours; *fd is then the result of opening it. */
static bool open_ours(const char *path, int flags, int *fd) {
    const struct sysfs_entry e = sysfs_find(path);
    if (e.kind == SYSFS_NONE)
        return false;
    if (e.kind == SYSFS_NODE)
        *fd = open_node(sysfs_is_card(&e), flags);
    else if (e.kind == SYSFS_FILE)
        *fd = open_text(&e);
    else {
        *fd = -1;
        errno = EACCES;
    }
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
        return open_ours(path, flags, &fd) ? fd : next(directory, path, flags, mode);              \
    }
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

/* What fortified programs call instead. */
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
        const struct sysfs_entry e = sysfs_find(path);                                             \
        if (e.kind != SYSFS_FILE)                                                                  \
            return next(path, mode);                                                               \
        const int fd = open_text(&e);                                                              \
        return fd < 0 ? NULL : fdopen(fd, "r");                                                    \
    }
DEFINE_FOPEN(fopen)
DEFINE_FOPEN(fopen64)

EXPORT int close(int fd) {
    NEXT(close);
    forget(fd);
    return next(fd);
}

static int duplicated(int from, int fd) {
    struct node *n = node_of(from);
    if (fd >= 0 && fd != from)
        forget(fd);
    if (fd < 0 || !n || fd == from)
        return fd;
    node_ref(n);
    return remember(fd, n);
}

EXPORT int dup(int fd) {
    NEXT(dup);
    return duplicated(fd, next(fd));
}

EXPORT int dup2(int from, int to) {
    NEXT(dup2);
    return duplicated(from, next(from, to));
}

EXPORT int dup3(int from, int to, int flags) {
    NEXT(dup3);
    return duplicated(from, next(from, to, flags));
}

#define DEFINE_FCNTL(name)                                                                         \
    EXPORT int name(int fd, int command, ...) {                                                    \
        NEXT(name);                                                                                \
        va_list args;                                                                              \
        va_start(args, command);                                                                   \
        void *argument = va_arg(args, void *);                                                     \
        va_end(args);                                                                              \
        const int result = next(fd, command, argument);                                            \
        return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? duplicated(fd, result) : result; \
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
    return n ? node_ioctl(n, request, argument) : next(fd, request, argument);
}

/* How nouveau polls a fence. */
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

/* What node_mmap gave out is the GPU's own mapping, which stays. */
EXPORT int munmap(void *address, size_t length) {
    NEXT(munmap);
    return gpu_maps(address, length) ? 0 : next(address, length);
}

/* ---- stat: struct stat and struct stat64 are the same on this machine ---- */

static int describe(const struct sysfs_entry *e, void *out) {
    static const mode_t modes[] = {
        [SYSFS_DIRECTORY] = S_IFDIR | 0755,
        [SYSFS_NODE] = S_IFCHR | 0666,
        [SYSFS_FILE] = S_IFREG | 0444,
        [SYSFS_LINK] = S_IFLNK | 0777,
    };
    struct stat st = {
        .st_mode = modes[e->kind],
        .st_nlink = 1,
        .st_ino = e->inode,
        .st_dev = makedev(0, 5),
        .st_rdev = e->kind != SYSFS_NODE ? 0
                   : sysfs_is_card(e)    ? makedev(NODE_MAJOR, CARD_MINOR)
                                         : makedev(NODE_MAJOR, RENDER_MINOR),
        .st_blksize = 4096,
        .st_size = e->kind == SYSFS_FILE ? (off_t)strlen(e->text) : 0,
    };
    _Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one layout for both");
    memcpy(out, &st, sizeof st);
    return 0;
}

static struct sysfs_entry find_followed(const char *path) {
    struct sysfs_entry e = sysfs_find(path);
    if (e.kind == SYSFS_LINK)
        e.kind = SYSFS_DIRECTORY;
    return e;
}

#define DEFINE_STAT(name, type, find)                                                              \
    EXPORT int name(const char *path, struct type *out) {                                          \
        NEXT(name);                                                                                \
        const struct sysfs_entry e = find(path);                                                   \
        return e.kind == SYSFS_NONE ? next(path, out) : describe(&e, out);                         \
    }
DEFINE_STAT(stat, stat, find_followed)
DEFINE_STAT(stat64, stat64, find_followed)
DEFINE_STAT(lstat, stat, sysfs_find)
DEFINE_STAT(lstat64, stat64, sysfs_find)

#define DEFINE_FSTATAT(name, type)                                                                 \
    EXPORT int name(int directory, const char *path, struct type *out, int flags) {                \
        NEXT(name);                                                                                \
        const struct sysfs_entry e =                                                               \
            flags & AT_SYMLINK_NOFOLLOW ? sysfs_find(path) : find_followed(path);                  \
        return e.kind == SYSFS_NONE ? next(directory, path, out, flags) : describe(&e, out);       \
    }
DEFINE_FSTATAT(fstatat, stat)
DEFINE_FSTATAT(fstatat64, stat64)

/* Mesa takes descriptors of one inode for one screen: a forked child's must differ from those of
 * the GPU it has inherited but cannot use. */
#define DEFINE_FSTAT(name, type)                                                                   \
    EXPORT int name(int fd, struct type *out) {                                                    \
        NEXT(name);                                                                                \
        const struct node *n = node_of(fd);                                                        \
        if (!n)                                                                                    \
            return next(fd, out);                                                                  \
        struct sysfs_entry e = sysfs_find(node_path(n));                                           \
        e.inode += node_generation(n) << 16;                                                       \
        return describe(&e, out);                                                                  \
    }
DEFINE_FSTAT(fstat, stat)
DEFINE_FSTAT(fstat64, stat64)

EXPORT int access(const char *path, int mode) {
    NEXT(access);
    return sysfs_find(path).kind == SYSFS_NONE ? next(path, mode) : 0;
}

EXPORT ssize_t readlink(const char *restrict path, char *restrict out, size_t size) {
    NEXT(readlink);
    const struct sysfs_entry e = sysfs_find(path);
    if (e.kind == SYSFS_NONE)
        return next(path, out, size);
    if (e.kind != SYSFS_LINK) {
        errno = EINVAL;
        return -1;
    }
    const size_t length = strlen(e.text) < size ? strlen(e.text) : size;
    memcpy(out, e.text, length);
    return (ssize_t)length;
}

static char *resolve(const struct sysfs_entry *e, char *out) {
    char *to = out ? out : malloc(PATH_MAX);
    if (!to)
        return NULL;
    const size_t length = strlen(e->path) + 1;
    return memcpy(to, e->path, length);
}

EXPORT char *realpath(const char *restrict path, char *restrict out) {
    NEXT(realpath);
    const struct sysfs_entry e = sysfs_find(path);
    return e.kind == SYSFS_NONE ? next(path, out) : resolve(&e, out);
}

char *__realpath_chk(const char *path, char *out, size_t size);
EXPORT char *__realpath_chk(const char *path, char *out, size_t size) {
    NEXT(__realpath_chk);
    const struct sysfs_entry e = sysfs_find(path);
    return e.kind == SYSFS_NONE || strlen(e.path) >= size ? next(path, out, size)
                                                          : resolve(&e, out);
}

/* ---- directories ---- */

struct fake_directory {
    struct fake_directory *next;
    struct sysfs_entry entry;
    size_t position;
    struct dirent64 item;
};
static struct fake_directory *directories;
static pthread_mutex_t directories_lock = PTHREAD_MUTEX_INITIALIZER;

static struct fake_directory *fake(const DIR *d) {
    pthread_mutex_lock(&directories_lock);
    struct fake_directory *f = directories;
    while (f && (const void *)f != (const void *)d)
        f = f->next;
    pthread_mutex_unlock(&directories_lock);
    return f;
}

EXPORT DIR *opendir(const char *path) {
    NEXT(opendir);
    const struct sysfs_entry e = find_followed(path);
    if (e.kind != SYSFS_DIRECTORY)
        return next(path);
    struct fake_directory *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->entry = e;
    pthread_mutex_lock(&directories_lock);
    f->next = directories;
    directories = f;
    pthread_mutex_unlock(&directories_lock);
    return (DIR *)f;
}

EXPORT int closedir(DIR *d) {
    NEXT(closedir);
    struct fake_directory *f = fake(d);
    if (!f)
        return next(d);
    pthread_mutex_lock(&directories_lock);
    struct fake_directory **p = &directories;
    while (*p != f)
        p = &(*p)->next;
    *p = f->next;
    pthread_mutex_unlock(&directories_lock);
    free(f);
    return 0;
}

static void *read_fake(struct fake_directory *f) {
    static const char *const dots[] = {".", ".."};
    char name[64];
    if (f->position < 2)
        strcpy(name, dots[f->position]);
    else if (!sysfs_list(&f->entry, f->position - 2, name, sizeof name))
        return NULL;
    char path[sizeof f->entry.path + sizeof f->item.d_name];
    snprintf(path, sizeof path, "%s/%s", f->entry.path, name);
    const struct sysfs_entry e = sysfs_find(path);
    f->position++;
    f->item.d_ino = e.inode ? e.inode : 1;
    f->item.d_type = e.kind == SYSFS_NODE ? DT_CHR : e.kind == SYSFS_FILE ? DT_REG : DT_DIR;
    f->item.d_reclen = sizeof f->item;
    snprintf(f->item.d_name, sizeof f->item.d_name, "%s", name);
    return &f->item;
}

EXPORT struct dirent *readdir(DIR *d) {
    NEXT(readdir);
    struct fake_directory *f = fake(d);
    return f ? read_fake(f) : next(d);
}

EXPORT struct dirent64 *readdir64(DIR *d) {
    NEXT(readdir64);
    struct fake_directory *f = fake(d);
    return f ? read_fake(f) : next(d);
}

EXPORT void rewinddir(DIR *d) {
    NEXT(rewinddir);
    struct fake_directory *f = fake(d);
    if (f)
        f->position = 0;
    else
        next(d);
}
