/* Tells which draws and clears of a recording are needed for the pictures of certain frames; tools
 * and mpi/ skip the others. A dry replay tells the footprint of all work; a walk from the last
 * frame to the first finds the work whose results are read. In doubt, work is needed. In: a
 * recording, the frames, the memory of their pictures. Out: for each draw and clear, in the order
 * of a replay, whether it is left out, shared or whole.
 */
#pragma once

#include "fifo/record.h"

struct needs;

/* picture: sets the surface that a frame shows and its address, as they are at the frame's end.
 * False if the frame has no picture. */
struct needs_port {
    void *self;
    bool (*picture)(void *self, const struct replay_result *result,
                    const struct replay_frame *frame, struct surface *surface, uint64_t *address);
};
/* The device must have no allocations and have no other use. Returns NULL with the reason in
 * why[]. */
struct needs *needs_open(const char *path, tp_device *device, bool every_flush,
                         const struct needs_port *port, char *why, size_t why_size);
void needs_close(struct needs *n);

struct needs_range {
    uint64_t first, last, step; /* frames first, first + step ... last */
};
struct needed {
    /* [count] enum work_extent; good until the next call. NULL: all work is needed */
    const uint8_t *extent;
    uint64_t count;
    uint64_t frames_before; /* number of frames before `first` with work that must be drawn */
    char why[200];          /* why a frame of frames_before is needed; "" without any */
};
/* shared: each process needs only its share of a picture. Returns false with the reason in
 * why[]. */
bool needs_of(struct needs *n, const struct needs_range *range, bool shared, struct needed *needed,
              char *why, size_t why_size);
