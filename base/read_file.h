/* Whole files into memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Reads a file, or standard input if path is NULL. The memory, from malloc, has one byte more than
 * the file, which is 0. NULL with the reason in *why: among others, if the file is larger than
 * `most` bytes (then too_large), or if is_text and a byte is 0. */
char *read_file(const char *path, size_t most, bool is_text, const char *too_large, size_t *size,
                const char **why);
