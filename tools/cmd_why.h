/* The self-test of teslapipe why. */
#pragma once

#include "tools/playback.h"

/* Makes the history of `pixels` random pixels. Compares the last written colour with the picture.
 * Repeats one draw with fewer tests, and compares the verdicts with the pixels that are then
 * written. Prints a line. Returns EXIT_FAILED if anything differs. */
int why_check(const struct playback *p, uint32_t pixels, unsigned seed);
