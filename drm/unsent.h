/* Finds methods that a driver wrote behind its last submission and never submitted; node.c submits
 * them. */
#pragma once

#include <stdint.h>

/* The number of words that set up an object: its binding to a subchannel and the methods of that
 * subchannel that follow. 0 if the words do not begin with this binding. */
uint32_t unsent_setup(const uint32_t *word, uint32_t count, uint32_t handle);
