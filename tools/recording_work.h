/* Recordings as the work of a job: the pictures that the window system got.
 */
#ifndef TOOLS_RECORDING_WORK_H
#define TOOLS_RECORDING_WORK_H

#include "fifo/needs.h"
#include "tools/job.h"
#include "tools/recording.h"

struct recording_options {
    const struct command *command; /* messages are printed with its name */
    const char *path;
    struct frame_range frames; /* that may be asked for */
    bool all;                  /* all of them will be, in order */
    struct tp_device_info info;
    bool every_flush;   /* frames are submissions */
    bool floats;        /* rows are floats, as OpenEXR takes them */
    uint32_t band_rows; /* a multiple of 64; 0: as many as a picture has */
};

struct recording_work {
    struct work work; /* the part that a job sees */
    const struct recording_options *options;
    tp_device *device;
    struct replay *replay;
    uint64_t next;              /* the frame that the replay plays next */
    struct target_state target; /* of the frame before that */
    uint32_t share, shares;     /* bands b with b % shares == share are asked for */
    struct left_out {           /* the draws and clears of the file that the replay leaves out */
        tp_device *device;
        struct needs *needs; /* NULL: nothing was left out yet */
        struct needed needed;
        bool decided; /* for all frames, or that all is drawn */
        bool told;    /* a message said which work is drawn */
        int restarts; /* because a later frame needs more */
        struct work_observer work;
        struct replay_observer replay;
        uint8_t *done; /* [number] the extent of each that was drawn */
        uint64_t number;
        size_t capacity;
    } left;
};

void recording_work_open(struct recording_work *r, const struct recording_options *options);
void recording_work_close(struct recording_work *r);

#endif
