/* Recordings as the work of a job: the pictures that the window system got.
 */
#ifndef TOOLS_RECORDING_WORK_H
#define TOOLS_RECORDING_WORK_H

#include "tools/job.h"
#include "tools/recording.h"

struct recording_options {
    const char *path;
    struct tp_device_info info;
    bool every_flush;   /* frames are submissions */
    bool floats;        /* rows are floats, as OpenEXR takes them */
    uint32_t band_rows; /* a multiple of 64; 0: as many as a picture has */
};

struct recording_work {
    struct work work; /* what a job sees */
    const struct recording_options *options;
    tp_device *device;
    struct replay *replay;
    uint64_t next;              /* the frame that the replay plays next */
    struct target_state target; /* of the frame before that */
};

void recording_work_open(struct recording_work *r, const struct recording_options *options);
void recording_work_close(struct recording_work *r);

#endif
