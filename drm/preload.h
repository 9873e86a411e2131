/* Declarations shared by the files that define functions in place of libc's. */
#pragma once

#include "drm/sysfs.h"

#include <dlfcn.h>

#define EXPORT __attribute__((visibility("default")))

/* Inside a function that replaces a function of libc: declares `next`, libc's function of the same
 * name. */
#define NEXT(name)                                                                                 \
    static __typeof__(name) *next;                                                                 \
    if (!next)                                                                                     \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

/* Writes the path of the file that is open at fd; for a descriptor of the fake tree (drm/sysfs.h),
 * the path of its entry. False if the file has no absolute path. */
bool path_of(int fd, char *out, size_t size);
/* A descriptor that stands for an entry of the fake tree; -1 with errno set. */
int open_walked(const struct sysfs_entry *e);
