/* The command processor: channels that execute pushbuffers. In: ranges of GPU memory with method
 * words, and the objects (class instances) that handles stand for. Out: calls into pipeline/, plain
 * writes to GPU memory. Knows nothing of OpenGL or of ioctls. Facts: tesla-3d.md §2,
 * tesla-3d-methods.txt.
 */
#ifndef FIFO_FIFO_H
#define FIFO_FIFO_H

#include "pipeline/context.h"

struct channel;

/* A channel on this device; chipset is NVIDIA's number (0x50, 0x84, 0xa0, 0xa3 ...). NULL when out
 * of memory. A channel belongs to one thread at a time. */
struct channel *channel_create(tp_device *device, uint32_t chipset);
void channel_destroy(struct channel *c);

/* Makes handle stand for an instance of a class (0x5039, 0x502d, 0x5097 ...). -1: no such class, or
 * the handle is taken. */
int channel_object_create(struct channel *c, uint32_t handle, uint32_t class_id);
/* -1: no such handle. */
int channel_object_destroy(struct channel *c, uint32_t handle);

/* Executes one entry of an indirect buffer: length bytes (a multiple of 4) of method words at a GPU
 * address. Data of a method may continue in the next entry. Bit 23 of length is the entry's "no
 * prefetch" flag - but the driver also submits index data of 8 MiB and more, where the bit is part
 * of the length: it is one if the method under way still wants that many bytes. Work may stay
 * queued in the pipeline, and fences unwritten, until channel_finish. */
enum { ENTRY_NO_PREFETCH = 1 << 23 };
void channel_execute(struct channel *c, uint64_t address, uint32_t length);
/* Runs all queued work and writes the fences that wait for it. */
void channel_finish(struct channel *c);
/* Draws ended so far, and a number after which the channel ignores everything (for replaying up to
 * a draw). */
uint64_t channel_draws(const struct channel *c);
void channel_stop_after(struct channel *c, uint64_t draws);
/* Told before a draw ends (its state and vertices are complete) and after it was queued. */
struct draw_observer {
    void *self;
    void (*before)(void *self, struct channel *c);
    void (*after)(void *self, struct channel *c);
};
void channel_observe_draws(struct channel *c, const struct draw_observer *observer); /* NULL: off */
/* How long a semaphore acquire waits for another channel; a channel that waited in vain is dead, as
 * the hardware's would be. */
void channel_set_patience(struct channel *c, uint64_t ns);
/* Time stands still at 0: what reports it is the same each time. */
void channel_stop_clock(struct channel *c);
/* The context it draws with: its state is that of the last draw. */
struct tp_context *channel_context(struct channel *c);
/* True while work or fences wait for channel_finish. */
bool channel_busy(const struct channel *c);

#endif
