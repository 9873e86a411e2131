/* The files a program finds a GPU by: /dev/dri and the node's entries in /sys, held in memory.
 * Knows paths and their contents, no descriptors and no ioctls.
 */
#ifndef DRM_SYSFS_H
#define DRM_SYSFS_H

#include <stddef.h>
#include <sys/types.h>

enum sysfs_kind { SYSFS_NONE, SYSFS_DIRECTORY, SYSFS_NODE, SYSFS_FILE, SYSFS_LINK };
enum { NODE_MAJOR = 226, NODE_MINOR = 128, NODE_INODE = 0x7e51a };

struct sysfs_entry {
    enum sysfs_kind kind;
    char path[96];  /* canonical */
    char text[256]; /* a file's contents, a link's target */
    unsigned inode;
};

/* What stands at a path ("/./", "//" and trailing "/" are ignored); kind SYSFS_NONE if it is none
 * of ours. A link at the end is not followed. */
struct sysfs_entry sysfs_find(const char *path);
/* Name of the index-th entry of a directory, or NULL after the last. */
const char *sysfs_list(const struct sysfs_entry *directory, size_t index);

#endif
