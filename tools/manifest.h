/* The manifest of a job: a text file that lists the complete files with size and hash. Processes on
 * several machines may append to one manifest at the same time. A "job" line names the job of the
 * files below; only the files of the last job count. A line that was cut off is ignored. In: the
 * path of the manifest. Out: whether a file is whole. Must not know what the files contain.
 *
 *      job lights 1280x720 time 2.5 fps 30 png
 *      file 123456 0f0e0d0c0b0a09080706050403020100 lights-0007.png
 *
 * The hash is XXH3 with 128 bits (xxh128sum prints it, too). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct manifest {
    char *path, *folder;
    char *job; /* text of the last job line; NULL: none */
    struct manifest_entry {
        char *name;
        uint64_t size, hash[2];
    } *entry; /* sorted by name */
    size_t count, capacity;
};

/* Reads a manifest; a missing manifest is empty. Returns false with errno set. */
bool manifest_open(struct manifest *m, const char *path);
void manifest_close(struct manifest *m);
/* Appends a job line unless the last job line has the same text. Returns false with errno set. */
bool manifest_begin(struct manifest *m, const char *job);
/* Returns true if the file of that name has the size and hash of the manifest. */
bool manifest_is_whole(const struct manifest *m, const char *name);
/* Appends a line for the file, whose bytes are read from the stream. Returns false with errno
 * set. */
bool manifest_add(struct manifest *m, const char *name, FILE *file);
