/* PNG files as RGBA8 rows, through libpng. Failures come back as a message, one line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes a file without alpha, because a target's alpha can have any value, and viewers would blend
 * with it. After a failure, message (may be NULL) has the reason, and a partial file is removed. */
bool write_png(const char *path, uint32_t width, uint32_t height, const uint8_t *rgba,
               char *message, size_t message_size);
/* Returns malloc'd rows of RGBA8; NULL on failure. A file without alpha gets alpha 255. */
uint8_t *read_png(const char *path, uint32_t *width, uint32_t *height, char *message,
                  size_t message_size);
