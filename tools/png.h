/* PNG files as RGBA8 rows, through libpng. Failures come back as a message, one line.
 */
#ifndef TOOLS_PNG_H
#define TOOLS_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Alpha is left out: what a target holds there is the program's business, and a viewer would blend
 * it. message (may be NULL) gets why it failed. A partial file is removed. */
bool write_png(const char *path, uint32_t width, uint32_t height, const uint8_t *rgba,
               char *message, size_t message_size);
/* Returns malloc'd rows of RGBA8, alpha 255 if the file has none; NULL on failure. */
uint8_t *read_png(const char *path, uint32_t *width, uint32_t *height, char *message,
                  size_t message_size);

#endif
