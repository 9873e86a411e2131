/* Recorded command streams and their replay, beside the pusher: drm/ writes recordings, and the
 * tools replay them. A file has all input of the channels: allocations, changes of memory by the
 * CPU before each submission, class objects, pushbuffer entries. The GPU's own writes are not in
 * the file, since a replay makes them again. Must not know the program that submits.
 */
#pragma once

#include "fifo/fifo.h"

struct record;

/* How many channel numbers a recording has. Each new channel gets a number that no channel had,
 * until all numbers are used. Then new channels get the numbers of closed channels. */
enum { RECORD_CHANNELS = 1024 };

/* Creates a file. Returns NULL with errno set on failure. */
struct record *record_create(const char *path, uint32_t chipset);
/* The descriptor of the file. */
int record_file(const struct record *r);
/* Closes the file; -1 if a write failed. r may be NULL. */
int record_close(struct record *r);

void record_alloc(struct record *r, uint64_t address, uint64_t size);
void record_free(struct record *r, uint64_t address);
/* Writes the parts of a range that differ between `before` and `now`, in units of 256 bytes, and
 * copies these parts to `before`. */
void record_changes(struct record *r, uint64_t address, const uint8_t *now, uint8_t *before,
                    uint64_t size);
void record_channel(struct record *r, const struct channel *c);
void record_channel_closed(struct record *r, const struct channel *c);
void record_object(struct record *r, const struct channel *c, uint32_t handle, uint32_t class_id);
void record_push(struct record *r, const struct channel *c, uint64_t address, uint32_t length);
/* Notes that all submitted work is done. */
void record_finish(struct record *r, const struct channel *c);

/* Notes that a frame is complete in the buffer at this address. size 0: the buffer is not known.
 * c NULL: the frame counts as the first channel's. */
void record_frame(struct record *r, const struct channel *c, uint64_t address, uint64_t size);

/* GLSL beside the commands. record_source: the text of a stage of OpenGL's program number
 * `program`, from 1. record_use: the program that later submissions draw with; 0: not known. */
void record_source(struct record *r, uint64_t program, enum program_type stage, const char *text,
                   size_t length);
void record_use(struct record *r, uint64_t program);

/* The chipset of a recording; 0 with errno set if the file cannot be read. errno is ENOTSUP for a
 * recording of another version of the format, EINVAL for a file that is no recording. */
uint32_t record_chipset(const char *path);

struct replay_result {
    struct channel *channel; /* the channel used last, with its state; valid until replay_free */
    uint64_t draws;          /* executed */
    uint64_t replaced_draws; /* draws of channels whose numbers other channels have now */
    bool lacked_memory;      /* draws or other work were left out for lack of memory */
    uint64_t cut_at; /* of a file that is cut off: the bytes up to its last whole chunk; else 0 */
    struct channel *all[RECORD_CHANNELS]; /* by number */
    uint32_t channel_count;
};
/* Hooks for a replay. Draws are numbered from 1 over all channels. before: the draw's state and
 * vertices are complete; after: the draw is queued. */
struct replay_observer {
    void *self;
    void (*before)(void *self, struct channel *c, uint64_t draw);
    void (*after)(void *self, struct channel *c, uint64_t draw);
    /* Called for each new channel; may be NULL. The observer may keep the channel, so with this
     * hook a replay fails if the recording uses the number of a closed channel again. */
    void (*channel)(void *self, struct channel *c);
    /* Called before the CPU writes to this memory or frees it; may be NULL. */
    void (*memory)(void *self, uint64_t address, uint64_t size);
    /* Called for the GLSL of the recording (record_source, record_use); may be NULL. The text ends
     * with a 0. */
    void (*source)(void *self, uint64_t program, enum program_type stage, const char *text,
                   size_t length);
    void (*use)(void *self, uint64_t program);
    /* If set, receives a hash of all memory: each allocation as it is when it is freed, or at the
     * end. Clocks then stand still, so that the hash depends only on the recording. */
    uint64_t *hash;
};
/* Replays on a device without allocations, up to draw number `last` (from 1; 0: to the end).
 * observer may be NULL; its before and after may both be NULL. Returns -1 with a message in why[]
 * if the file cannot be read or is damaged, or if memory is short. */
int record_replay(const char *path, tp_device *device, uint64_t last,
                  const struct replay_observer *observer, struct replay_result *result, char *why,
                  size_t why_size);
void replay_free(struct replay_result *result);

/* ---- frame by frame ---- */

/* A frame ends where the window system got a picture (record_frame), and at the end of the file.
 * With every_flush, a frame ends at each record_finish instead. */
struct replay_frame {
    uint64_t number;        /* from 0 */
    uint64_t address, size; /* the buffer that was presented last; size 0: not known */
};
/* The number of frames; 0 with the reason in why[]. */
uint64_t record_count_frames(const char *path, bool every_flush, char *why, size_t why_size);
/* A replay that stops after each frame. */
struct replay;
struct replay *replay_open(const char *path, tp_device *device, bool every_flush,
                           const struct replay_observer *observer, char *why, size_t why_size);
/* Plays the next frame and finishes its work. Returns 0; 1 if there is no further frame; -1 with
 * the reason in why[]. */
int replay_next(struct replay *r, struct replay_frame *frame, char *why, size_t why_size);
const struct replay_result *replay_result(const struct replay *r);
void replay_close(struct replay *r);
