/* Recorded command streams: a file with all that reached the channels - allocations, memory the CPU
 * had written before each submission, objects, pushbuffer entries - and its replay. The GPU's own
 * writes are not in it: replaying makes them again. Knows nothing of who submits.
 */
#ifndef FIFO_RECORD_H
#define FIFO_RECORD_H

#include "fifo/fifo.h"

struct record;

/* Creates the file; NULL with errno set. */
struct record *record_create(const char *path, uint32_t chipset);
/* Closes it; -1 if anything could not be written. NULL is fine. */
int record_close(struct record *r);

void record_alloc(struct record *r, uint64_t address, uint64_t size);
void record_free(struct record *r, uint64_t address);
/* Writes what differs between two versions of a range, and makes them equal. */
void record_changes(struct record *r, uint64_t address, const uint8_t *now, uint8_t *before,
                    uint64_t size);
void record_channel(struct record *r, const struct channel *c);
void record_object(struct record *r, const struct channel *c, uint32_t handle, uint32_t class_id);
void record_push(struct record *r, const struct channel *c, uint64_t address, uint32_t length);
/* Everything pushed is done. */
void record_finish(struct record *r, const struct channel *c);

/* Chipset of a recording, or 0 if path is none: errno ENOTSUP if it is one of another version. */
uint32_t record_chipset(const char *path);

struct replay_result {
    struct channel *channel; /* the last one used, with its state; valid until replay_free */
    uint64_t draws;          /* executed */
    struct channel *all[64];
    uint32_t channel_count;
};
/* What can be looked at on the way: draws are numbered from 1 over all channels; before: state and
 * vertices are complete; after: it is queued. */
struct replay_observer {
    void *self;
    void (*before)(void *self, struct channel *c, uint64_t draw);
    void (*after)(void *self, struct channel *c, uint64_t draw);
    void (*channel)(void *self, struct channel *c); /* a new one; may be NULL */
    /* The CPU is about to write this memory, or to free it; may be NULL. */
    void (*memory)(void *self, uint64_t address, uint64_t size);
    /* Set: gets a hash of all memory as it is when it is freed, or at the end. Clocks stand
     * still then, so that it depends on the recording only. */
    uint64_t *hash;
};
/* Replays on a device without allocations, to its end or up to draw number `last` (from 1; 0 =
 * all); observer: NULL or whom to tell of each draw (before and after may both be NULL). -1 with
 * a message if the file is damaged. */
int record_replay(const char *path, tp_device *device, uint64_t last,
                  const struct replay_observer *observer, struct replay_result *result, char *why,
                  size_t why_size);
void replay_free(struct replay_result *result);

#endif
