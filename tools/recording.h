/* What the commands that read recordings share: a device of the recording's chip, targets as
 * pictures and as bytes.
 */
#ifndef TOOLS_RECORDING_H
#define TOOLS_RECORDING_H

#include "fifo/record.h"
#include "tools/tool.h"

/* A device for this recording; info gives the rest (threads, SIMD level, engine, log; its chip is
 * set here). NULL with a message printed and *exit_code set. */
tp_device *recording_device(const struct command *command, const char *path,
                            struct tp_device_info info, int *exit_code);

/* Rows of RGBA8 of one target's first layer, malloc'd: integers modulo 256, depth in grey. NULL if
 * there is no such target, or no memory. */
uint8_t *target_picture(const tp_device *device, const struct target_state *t);
/* One of its texels as it lies in memory: its size in bytes, 0 if there is none. */
uint32_t target_texel(const tp_device *device, const struct target_state *t, uint32_t x, uint32_t y,
                      uint8_t texel[16]);
/* Its first layer as a surface; false if there is nothing to look at. */
bool target_surface(const tp_device *device, const struct target_state *t, struct surface *s);

#endif
