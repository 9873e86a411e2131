/* The files a program finds a GPU by: /dev/dri and the node's entries in /sys, held in memory.
 * Knows paths and their contents, no descriptors and no ioctls.
 */
#ifndef DRM_SYSFS_H
#define DRM_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum sysfs_kind { SYSFS_NONE, SYSFS_DIRECTORY, SYSFS_NODE, SYSFS_FILE, SYSFS_LINK };
enum { NODE_MAJOR = 226, RENDER_MINOR = 128, CARD_MINOR = 0, NODE_INODE = 0x7e51a };

struct sysfs_entry {
    enum sysfs_kind kind;
    char path[96];  /* canonical */
    char text[256]; /* a file's contents, a link's target */
    unsigned inode;
};

/* Whether a node's path names the card and not the render node. */
bool sysfs_is_card(const struct sysfs_entry *e);

/* What stands at a path ("/./", "//" and trailing "/" are ignored); kind SYSFS_NONE if it is none
 * of ours. A link at the end is not followed. */
struct sysfs_entry sysfs_find(const char *path);
/* Name of the index-th entry of a directory; false after the last. */
bool sysfs_list(const struct sysfs_entry *directory, size_t index, char *name, size_t size);

#endif
