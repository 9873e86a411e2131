/* Recorded command streams and their replay. A file has all input of the channels: allocations,
 * changes of memory by the CPU before each submission, class objects, pushbuffer entries. The GPU's
 * own writes are not in it, since a replay makes them again. Must not know the program that
 * submits.
 */
#ifndef FIFO_RECORD_H
#define FIFO_RECORD_H

#include "fifo/fifo.h"

struct record;

/* Creates a file; NULL with errno set. */
struct record *record_create(const char *path, uint32_t chipset);
/* Closes the file; -1 if a write failed. r may be NULL. */
int record_close(struct record *r);

void record_alloc(struct record *r, uint64_t address, uint64_t size);
void record_free(struct record *r, uint64_t address);
/* Writes the differences between two versions of a range, and copies now to before. */
void record_changes(struct record *r, uint64_t address, const uint8_t *now, uint8_t *before,
                    uint64_t size);
void record_channel(struct record *r, const struct channel *c);
void record_object(struct record *r, const struct channel *c, uint32_t handle, uint32_t class_id);
void record_push(struct record *r, const struct channel *c, uint64_t address, uint32_t length);
/* Notes that all submitted work is done. */
void record_finish(struct record *r, const struct channel *c);

/* The chipset of a recording; 0 if the file is none. errno is ENOTSUP for a recording of another
 * version. */
uint32_t record_chipset(const char *path);

struct replay_result {
    struct channel *channel; /* the last used channel, with its state; valid until replay_free */
    uint64_t draws;          /* executed */
    uint64_t cut_at; /* bytes up to the last whole chunk of a file without an end; 0: has one */
    struct channel *all[64];
    uint32_t channel_count;
};
/* Hooks for a replay. Draws are numbered from 1 over all channels. before: state and vertices
 * are complete; after: the draw is queued. */
struct replay_observer {
    void *self;
    void (*before)(void *self, struct channel *c, uint64_t draw);
    void (*after)(void *self, struct channel *c, uint64_t draw);
    void (*channel)(void *self, struct channel *c); /* a new channel; may be NULL */
    /* Before a write by the CPU to this memory, or before it is freed; may be NULL. */
    void (*memory)(void *self, uint64_t address, uint64_t size);
    /* If set, gets a hash of all memory, each allocation as it is when freed or at the end.
     * Clocks then stand still, so that the hash depends on the recording only. */
    uint64_t *hash;
};
/* Replays on a device without allocations, to the end or up to draw number `last` (from 1; 0 =
 * all). observer may be NULL, and so may its before and after. -1 with a message if the file is
 * damaged. */
int record_replay(const char *path, tp_device *device, uint64_t last,
                  const struct replay_observer *observer, struct replay_result *result, char *why,
                  size_t why_size);
void replay_free(struct replay_result *result);

#endif
