/* The self-test of teslapipe why. */
#pragma once

#include "tools/playback.h"

/* Makes the history of `pixels` random pixels. Compares the last written colour with the picture,
 * and the verdicts of one draw with the results of the draw when tests are switched off. Prints a
 * line. Returns EXIT_FAILED if anything differs. */
int why_check(const struct playback *p, uint32_t pixels, unsigned seed);
