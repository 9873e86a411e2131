/* A file that gets its name when it is whole. Until then the file has no name, so that an
 * interrupted program leaves nothing. On a file system where each file needs a name, the name ends
 * in .part. In: a path. Out: a stream to write and to read again. Must not know pictures. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct new_file {
    FILE *file;
    char name[PATH_MAX]; /* "": the file has no name yet, or is written in place */
    bool in_place;       /* the path is no regular file (/dev/stdout) */
};

/* Opens the file in the folder of the path. Returns false with errno set. */
bool new_file_open(struct new_file *p, const char *path);
/* Closes the file. keep: gives the file its name and replaces an older file. Returns false with
 * errno set if that fails; the file is removed then. */
bool new_file_close(struct new_file *p, const char *path, bool keep);
