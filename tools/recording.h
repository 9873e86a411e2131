/* Code for the commands that read recordings: a device of the recording's chip; targets as pictures
 * and as bytes. */
#pragma once

#include "fifo/record.h"
#include "tools/tool.h"

/* Makes a device with the chip of the recording, and with the threads, SIMD level, engine and log
 * of *info. Returns NULL after a message, with *exit_code set. */
tp_device *recording_device(const struct command *command, const char *path,
                            struct tp_device_info info, int *exit_code);

/* Like recording_device(), but writes the message to why[]. chip: replaces the recording's chip, or
 * NULL. */
tp_device *recording_device_for(const char *path, struct tp_device_info info, const char *chip,
                                char *why, size_t size);

/* Replays a recording and gives the hash of all memory. Returns false with the reason in why[]. */
bool recording_hash(const char *path, struct tp_device_info info, const char *chip, uint64_t *hash,
                    char *why, size_t size);

/* Plays a recording up to draw `last` (0: all). Calls the hooks, except `device`, `opened` and
 * `done`. Returns 0, or -1 with the reason in why[]. */
struct playback_hooks;
int recording_play(const char *path, tp_device *device, uint64_t last,
                   const struct playback_hooks *hooks, struct replay_result *result, char *why,
                   size_t size);

/* Warns, once in this process, of a recording that was cut off. Returns EXIT_FAILED, after a
 * message, if memory ran out in the replay, so that its results are wrong. */
int recording_check(const struct command *command, const char *path,
                    const struct replay_result *result);

/* Returns the first layer of a target as malloc'd rows of RGBA8: integers modulo 256, depth in
 * grey. Returns NULL without the target or without memory. */
uint8_t *target_picture(const tp_device *device, const struct target_state *t);
/* Copies rows y to y + count - 1 of the target's picture. floats: texels as floats, without
 * conversion to RGBA8. Returns false without the target. */
bool target_rows(const tp_device *device, const struct target_state *t, uint32_t y, uint32_t count,
                 bool floats, void *rows);
/* Copies the bytes of a texel. Returns the number of bytes, or 0 if the target lacks the texel. */
uint32_t target_texel(const tp_device *device, const struct target_state *t, uint32_t x, uint32_t y,
                      uint8_t texel[16]);
/* Writes the first layer of a target as a surface. Returns false if the target has no memory or
 * format. */
bool target_surface(const tp_device *device, const struct target_state *t, struct surface *s);
