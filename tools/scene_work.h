/* Scenes as the work of a job: frames of a demo scene. A picture is drawn window by window, so it
 * may be larger than a target and than memory.
 */
#pragma once

#include "tools/job.h"

struct scene_options {
    struct size size;
    double start_time, rate;
    bool wireframe;
    bool floats; /* rows are floats, as OpenEXR takes them */
    uint32_t
        band_rows; /* rows of a window, a multiple of 64; scene_work.c chooses for 0 and posters */
    struct demo_options demo;
};

struct scene_work {
    struct work work; /* the interface that a job uses */
    const struct scene_options *options;
    tp_device *device;
    struct demo demo;
    tp_texture *color, *zeta;
    struct size window; /* size of the colour and zeta textures */
};

/* Returns false with the reason in why[]. Call scene_work_close() in either case. */
bool scene_work_open(struct scene_work *s, tp_device *device, const struct demo_scene *scene,
                     const struct scene_options *options, char *why, size_t size);
void scene_work_close(struct scene_work *s);
