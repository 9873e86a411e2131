/* The fake tree has, in memory, the files by which a program finds a GPU: /dev/dri and the entries
 * of the device nodes in /sys and /run/udev. With a display, the tree also has the entries of input
 * devices. preload.c and directories.c take their answers from the tree. Knows paths and their
 * contents, no descriptors and no ioctls.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* SYSFS_ANCESTOR: a directory above those of the fake tree. If the real system has this directory,
 * too, the real entries are listed as well. */
enum sysfs_kind { SYSFS_NONE, SYSFS_DIRECTORY, SYSFS_NODE, SYSFS_FILE, SYSFS_LINK, SYSFS_ANCESTOR };
enum { NODE_MAJOR = 226, RENDER_MINOR = 128, CARD_MINOR = 0, NODE_INODE = 0x7e51a };

struct sysfs_entry {
    enum sysfs_kind kind;
    char path[96];  /* canonical */
    char text[256]; /* a file's contents, or a link's target */
    unsigned inode;
    uint16_t major, minor; /* of a node */
};

/* Makes the canonical, absolute form of a path. base: an absolute path from which a relative `path`
 * starts. Follows links of the fake tree, except at the end of the path. False if the result does
 * not fit or links are nested too deeply. */
bool sysfs_path(const char *base, const char *path, char *out, size_t size);
/* The entry at a path, which need not be canonical; kind SYSFS_NONE if the fake tree has none. Does
 * not follow a link at the end. */
struct sysfs_entry sysfs_find(const char *path);
/* As sysfs_find, but follows a link at the end. */
struct sysfs_entry sysfs_follow(const char *path);
/* Sets the name of entry number `index` of a directory. False after the last entry. */
bool sysfs_list(const struct sysfs_entry *directory, size_t index, char *name, size_t size);
