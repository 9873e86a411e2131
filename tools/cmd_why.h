/* teslapipe why, and its self-test. */
#ifndef TOOLS_CMD_WHY_H
#define TOOLS_CMD_WHY_H

#include "tools/playback.h"

/* Asks for `pixels` random pixels at once, and compares: the last written colour with the picture,
 * and the verdicts of one draw with what that draw does when tests are switched off. Prints a line;
 * EXIT_FAILED if anything differs. */
int why_check(const struct playback *p, uint32_t pixels, unsigned seed);

#endif
