/* The folder of reference material that is not in the tree: $TESLAPIPE_SHARED, or a folder beside
 * the tree. */
#ifndef TESTS_SHARED_PATH_H
#define TESTS_SHARED_PATH_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static inline const char *shared_path(char *path, size_t size, const char *name) {
    const char *root = getenv("TESLAPIPE_SHARED");
    snprintf(path, size, "%s/%s", root ? root : "../shared", name);
    return path;
}

#endif
