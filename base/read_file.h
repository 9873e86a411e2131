/* Whole files into memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Reads a file, or standard input if path is NULL. The memory comes from malloc; a 0 byte follows
 * the *size bytes of the file. NULL with the reason in *why on failure, also if the file is larger
 * than `most` bytes (the reason is then `too_large`), or if is_text and a byte is 0. */
char *read_file(const char *path, size_t most, bool is_text, const char *too_large, size_t *size,
                const char **why);
