/* The command processor: channels that execute pushbuffers, which drm/ or the player of a recording
 * hands over. In: ranges of GPU memory with method words, and handles of class objects. Out: calls
 * into pipeline/, plain writes to GPU memory. Must not know OpenGL or ioctls. Facts: tesla-3d.md
 * §2, tesla-3d-methods.txt.
 */
#pragma once

#include "pipeline/context.h"

struct channel;

/* Makes a channel on this device; chipset is NVIDIA's number (0x50, 0x84, 0xa0, 0xa3 ...). NULL
 * when out of memory. A channel belongs to one thread at a time. */
struct channel *channel_create(tp_device *device, uint32_t chipset);
void channel_destroy(struct channel *c);

/* Makes a class object (0x5039, 0x502d, 0x5097 ...) with a handle. -1 if the class is unknown, the
 * handle is in use, the channel has 64 objects already, or memory is short. */
int channel_object_create(struct channel *c, uint32_t handle, uint32_t class_id);
/* Deletes a class object; -1 if the handle is unknown. */
int channel_object_destroy(struct channel *c, uint32_t handle);

/* Executes one entry of an indirect buffer: length bytes (a multiple of 4) of method words at a GPU
 * address. Data of a method may continue in the next entry. Bit 23 of length is normally the
 * entry's flag "no prefetch" and no part of the length. The exception: if the current method still
 * needs at least `length` bytes, as with large index data of the driver, the bit counts as 8 MiB.
 * Work may stay queued in the pipeline, and fences unwritten, until channel_finish. */
enum { ENTRY_NO_PREFETCH = 1 << 23 };
void channel_execute(struct channel *c, uint64_t address, uint32_t length);
struct push {
    uint64_t address;
    uint32_t length; /* as for channel_execute */
};
/* Executes entries one after the other. The CPU must have done its writes for all entries: memory
 * that draws of one entry have read is not read again for the next entry. */
void channel_execute_all(struct channel *c, const struct push *entry, uint32_t count);
/* Runs all queued work and writes the fences that wait for it. */
void channel_finish(struct channel *c);
/* True if draws or other work were left out because the host had no memory for them. Final after
 * channel_finish. */
bool channel_lacked_memory(const struct channel *c);
/* channel_draws: the number of draws so far. channel_stop_after: the channel ignores all words
 * after that many draws; a replay up to a draw calls this function. */
uint64_t channel_draws(const struct channel *c);
void channel_stop_after(struct channel *c, uint64_t draws);
/* Hooks on draws. before: the draw's state and vertices are complete, but the draw has not ended;
 * after: the draw is queued. */
struct draw_observer {
    void *self;
    void (*before)(void *self, struct channel *c);
    void (*after)(void *self, struct channel *c);
};
void channel_observe_draws(struct channel *c, const struct draw_observer *observer); /* NULL: off */
/* Sets how long a semaphore acquire waits for another channel, in ns. If the wait is in vain, the
 * channel is dead, as on the hardware. */
void channel_set_patience(struct channel *c, uint64_t ns);
/* If set, known faults of drivers are mended (fifo/quirks.h). The default is off. */
void channel_set_quirks(struct channel *c, bool quirks);
/* Makes the channel's clock read 0 from now on, so that reports of time do not differ between
 * runs. */
void channel_stop_clock(struct channel *c);
/* The channel's context, with the state of the last draw. The call marks the channel as busy. */
struct tp_context *channel_context(struct channel *c);
/* True if work or fences wait for channel_finish. */
bool channel_busy(const struct channel *c);
