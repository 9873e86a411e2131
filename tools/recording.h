/* Shared by the commands that read recordings: a device of the recording's chip, targets as
 * pictures and as bytes.
 */
#ifndef TOOLS_RECORDING_H
#define TOOLS_RECORDING_H

#include "fifo/record.h"
#include "tools/tool.h"

/* Makes a device for this recording: its chip, with threads, SIMD level, engine and log of info.
 * NULL after a message with *exit_code set. */
tp_device *recording_device(const struct command *command, const char *path,
                            struct tp_device_info info, int *exit_code);

/* Warns, once in this process, of a recording that has no end. */
void recording_warn(const struct command *command, const char *path,
                    const struct replay_result *result);

/* The first layer of a target as malloc'd rows of RGBA8: integers modulo 256, depth in grey.
 * NULL without such a target or memory. */
uint8_t *target_picture(const tp_device *device, const struct target_state *t);
/* Copies the bytes of one texel; returns their number, or 0 if there is no such texel. */
uint32_t target_texel(const tp_device *device, const struct target_state *t, uint32_t x, uint32_t y,
                      uint8_t texel[16]);
/* The first layer of a target as a surface; false if it has no memory or format. */
bool target_surface(const tp_device *device, const struct target_state *t, struct surface *s);

#endif
