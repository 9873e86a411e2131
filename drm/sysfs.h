/* The files a program finds a GPU by: /dev/dri and the node's entries in /sys, held in memory.
 * Knows paths and their contents, no descriptors and no ioctls.
 */
#ifndef DRM_SYSFS_H
#define DRM_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ANCESTOR: a directory on the way to ours; where the system has one, too, that is listed. */
enum sysfs_kind { SYSFS_NONE, SYSFS_DIRECTORY, SYSFS_NODE, SYSFS_FILE, SYSFS_LINK, SYSFS_ANCESTOR };
enum { NODE_MAJOR = 226, RENDER_MINOR = 128, CARD_MINOR = 0, NODE_INODE = 0x7e51a };

struct sysfs_entry {
    enum sysfs_kind kind;
    char path[96];  /* canonical */
    char text[256]; /* a file's contents, a link's target */
    unsigned inode;
    uint16_t major, minor; /* of a node */
};

/* The canonical form of a path, relative to an absolute base, with links of ours followed except at
 * its end. False if it does not fit. */
bool sysfs_path(const char *base, const char *path, char *out, size_t size);
/* What stands at a path ("/./", "//" and trailing "/" are ignored); kind SYSFS_NONE if it is none
 * of ours. A link at the end is not followed. */
struct sysfs_entry sysfs_find(const char *path);
/* The same, with a link at the end followed, too. */
struct sysfs_entry sysfs_follow(const char *path);
/* Name of the index-th entry of a directory; false after the last. */
bool sysfs_list(const struct sysfs_entry *directory, size_t index, char *name, size_t size);

#endif
