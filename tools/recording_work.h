/* Recordings as the work of a job: frames are the pictures that the window system got. */
#pragma once

#include "fifo/needs.h"
#include "tools/job.h"
#include "tools/recording.h"

struct recording_options {
    const struct command *command; /* messages are printed with its name */
    const char *path;
    struct frame_range frames; /* frames that may be requested */
    bool all;                  /* all frames will be requested, in order */
    struct tp_device_info info;
    bool every_flush;   /* frames are submissions */
    bool floats;        /* rows are floats, as OpenEXR takes them */
    uint32_t band_rows; /* a multiple of 64; 0: as many as a picture has */
};

struct recording_work {
    struct work work; /* the interface that a job uses */
    const struct recording_options *options;
    tp_device *device;
    struct replay *replay;
    uint64_t next;              /* the next frame of the replay */
    struct target_state target; /* the target of the latest frame */
    uint32_t share, shares;     /* bands b with b % shares == share are requested */
    struct left_out {           /* draws and clears of the file that the replay leaves out */
        tp_device *device;
        struct needs *needs; /* NULL: nothing was left out yet */
        struct needed needed;
        bool decided; /* the decision holds for all later frames */
        bool told;    /* a message has said which work is drawn */
        int restarts; /* number of replays that began again because a frame needed more */
        struct work_observer work;
        struct replay_observer replay;
        uint8_t *done; /* [number] how much of each draw or clear was drawn (enum work_extent) */
        uint64_t number;
        size_t capacity;
    } left;
};

void recording_work_open(struct recording_work *r, const struct recording_options *options);
void recording_work_close(struct recording_work *r);
