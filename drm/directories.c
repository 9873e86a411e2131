/* Directory streams of the fake tree (drm/sysfs.h): opendir and the functions of libc that take its
 * result. In: the program's calls. Out: entries of the fake tree. A directory that the real system
 * has, too, lists the real entries first. Calls about other directories go straight to libc. Knows
 * no nodes and no ioctls.
 */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* both the calls with and without 64 are defined here */
#include "drm/preload.h"

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fake_directory {
    struct fake_directory *next;
    DIR *real; /* the real directory of this path, whose entries come first; NULL: none */
    struct sysfs_entry entry;
    int fd;          /* the descriptor of the stream */
    size_t position; /* number of the next entry: ".", "..", then the fake tree's */
    long taken;      /* entries read since the beginning, for telldir */
    struct dirent64 item;
    struct dirent small; /* readdir's result; struct dirent differs in 32-bit programs */
};
static struct fake_directory *directories;
static pthread_mutex_t directories_lock = PTHREAD_MUTEX_INITIALIZER;

static struct fake_directory *fake_of(const DIR *d) {
    pthread_mutex_lock(&directories_lock);
    struct fake_directory *f = directories;
    while (f && (const void *)f != (const void *)d)
        f = f->next;
    pthread_mutex_unlock(&directories_lock);
    return f;
}

/* Makes a stream of entry e. The stream takes over the descriptor and the real directory, which may
 * be NULL. Without memory, returns NULL and takes over nothing. */
static DIR *make_stream(const struct sysfs_entry *e, DIR *real, int fd) {
    struct fake_directory *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->real = real;
    f->entry = *e;
    f->fd = fd;
    f->position = real ? 2 : 0; /* the real directory lists "." and ".." */
    pthread_mutex_lock(&directories_lock);
    f->next = directories;
    directories = f;
    pthread_mutex_unlock(&directories_lock);
    return (DIR *)f;
}

EXPORT DIR *opendir(const char *path) {
    NEXT(opendir);
    const struct sysfs_entry e = sysfs_follow(path);
    if (e.kind != SYSFS_DIRECTORY && e.kind != SYSFS_ANCESTOR)
        return next(path);
    DIR *real = e.kind == SYSFS_ANCESTOR ? next(path) : NULL;
    const int fd = real ? dirfd(real) : open_walked(&e);
    DIR *d = fd < 0 ? NULL : make_stream(&e, real, fd);
    if (!d && real)
        closedir(real);
    else if (!d && fd >= 0)
        close(fd);
    return d;
}

/* The stream takes over the descriptor. If no stream can be made, the descriptor stays the
 * caller's. */
EXPORT DIR *fdopendir(int fd) {
    NEXT(fdopendir);
    char path[PATH_MAX];
    const struct sysfs_entry e = sysfs_find(path_of(fd, path, sizeof path) ? path : NULL);
    if (e.kind == SYSFS_DIRECTORY)
        return make_stream(&e, NULL, fd);
    DIR *real = next(fd);
    DIR *d = real && e.kind == SYSFS_ANCESTOR ? make_stream(&e, real, fd) : NULL;
    return d ? d : real;
}

EXPORT int dirfd(DIR *d) {
    NEXT(dirfd);
    const struct fake_directory *f = fake_of(d);
    return f ? f->fd : next(d);
}

EXPORT int closedir(DIR *d) {
    NEXT(closedir);
    struct fake_directory *f = fake_of(d);
    if (!f)
        return next(d);
    pthread_mutex_lock(&directories_lock);
    struct fake_directory **p = &directories;
    while (*p != f)
        p = &(*p)->next;
    *p = f->next;
    pthread_mutex_unlock(&directories_lock);
    const int result = f->real ? next(f->real) : close(f->fd);
    free(f);
    return result;
}

static bool lists_name(const struct sysfs_entry *directory, const char *name) {
    char own[64];
    for (size_t i = 0; sysfs_list(directory, i, own, sizeof own); i++)
        if (strcmp(own, name) == 0)
            return true;
    return false;
}

static struct dirent64 *read_fake(struct fake_directory *f) {
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
    f->item.d_type = e.kind == SYSFS_NODE   ? DT_CHR
                     : e.kind == SYSFS_FILE ? DT_REG
                     : e.kind == SYSFS_LINK ? DT_LNK
                                            : DT_DIR;
    f->item.d_reclen = sizeof f->item;
    snprintf(f->item.d_name, sizeof f->item.d_name, "%s", name);
    return &f->item;
}

/* Reads the next entry. Returns an entry of the real directory; else NULL, and *own is an entry of
 * the fake tree, or NULL at the end. */
#define DEFINE_READ(name, type)                                                                    \
    static struct type *name##_next(struct fake_directory *f, struct type *(*next)(DIR *),         \
                                    struct dirent64 **own) {                                       \
        struct type *real = f->real ? next(f->real) : NULL;                                        \
        while (real && lists_name(&f->entry, real->d_name))                                        \
            real = next(f->real);                                                                  \
        *own = real ? NULL : read_fake(f);                                                         \
        f->taken += real || *own;                                                                  \
        return real;                                                                               \
    }
DEFINE_READ(readdir, dirent)
DEFINE_READ(readdir64, dirent64)

EXPORT struct dirent *readdir(DIR *d) {
    NEXT(readdir);
    struct fake_directory *f = fake_of(d);
    if (!f)
        return next(d);
    struct dirent64 *own;
    struct dirent *real = readdir_next(f, next, &own);
    if (!own)
        return real;
    f->small = (struct dirent){
        .d_ino = (ino_t)own->d_ino, .d_type = own->d_type, .d_reclen = sizeof f->small};
    snprintf(f->small.d_name, sizeof f->small.d_name, "%s", own->d_name);
    return &f->small;
}

EXPORT struct dirent64 *readdir64(DIR *d) {
    NEXT(readdir64);
    struct fake_directory *f = fake_of(d);
    if (!f)
        return next(d);
    struct dirent64 *own, *real = readdir64_next(f, next, &own);
    return real ? real : own;
}

EXPORT void rewinddir(DIR *d) {
    NEXT(rewinddir);
    struct fake_directory *f = fake_of(d);
    if (f) {
        f->position = f->real ? 2 : 0;
        f->taken = 0;
    }
    if (!f || f->real)
        next(f ? f->real : d);
}

/* A position in a stream of the fake tree is the number of entries before it. */
EXPORT long telldir(DIR *d) {
    NEXT(telldir);
    const struct fake_directory *f = fake_of(d);
    return f ? f->taken : next(d);
}

EXPORT void seekdir(DIR *d, long place) {
    NEXT(seekdir);
    const struct fake_directory *f = fake_of(d);
    if (!f) {
        next(d, place);
        return;
    }
    rewinddir(d);
    while (f->taken < place && readdir64(d))
        ;
}
