/* teslapipe replay --html: a frame as a page. */
#pragma once

#include "tools/playback.h"

/* Writes DIR/index.html and its pictures, up to draw `last` (0: all). Returns an exit code. */
int report_write(const struct playback *p, uint64_t last, const char *directory);
