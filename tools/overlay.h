/* Text over a picture, drawn on the CPU.
 */
#ifndef TOOLS_OVERLAY_H
#define TOOLS_OVERLAY_H

#include <stdint.h>

/* Darkens a box at x, y and writes lines of text (separated by newlines) into it, pixels `scale`
 * wide. rgba: rows of width * 4 bytes. What lies outside the picture is left out. */
void overlay_text(uint8_t *rgba, int width, int height, int x, int y, int scale, const char *text,
                  const uint8_t color[3]);

#endif
