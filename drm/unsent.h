/* Methods that a driver wrote behind its last submission and never submitted. */
#ifndef DRM_UNSENT_H
#define DRM_UNSENT_H

#include <stdint.h>

/* How many of the words are the set-up of an object: its binding to a subchannel and the methods
 * for that subchannel that follow. 0 if they do not begin with a binding of it. */
uint32_t unsent_setup(const uint32_t *word, uint32_t count, uint32_t handle);

#endif
