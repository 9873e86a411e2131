/* Declarations that the files with functions in place of libc's share. */
#ifndef DRM_PRELOAD_H
#define DRM_PRELOAD_H

#include "drm/sysfs.h"

#include <dlfcn.h>

#define EXPORT __attribute__((visibility("default")))

/* The next definition (libc's) of the function that is being defined here, with its type. */
#define NEXT(name)                                                                                 \
    static __typeof__(name) *next;                                                                 \
    if (!next)                                                                                     \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

/* The path of a descriptor, if it may lead to the fake tree; false otherwise. */
bool path_of(int fd, char *out, size_t size);
/* A descriptor that stands for a directory of the fake tree; -1 with errno if there is none. */
int open_walked(const struct sysfs_entry *e);

#endif
