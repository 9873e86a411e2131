/* A frame that can be drawn repeatedly, with hooks before and after each draw: a recording or a
 * demo scene. Shared by the debugging commands.
 */
#pragma once

#include "tools/recording.h"
#include "tools/sources.h"

struct playback {
    const struct command *command; /* failures are printed with its name */
    const char *file;              /* a recording; NULL: the scene is drawn */
    const struct demo_scene *scene;
    struct size size; /* size of the scene's picture */
    double time;      /* time of the scene in seconds */
    int threads;      /* 0: all */
    bool wireframe;
    struct demo_orbit orbit;
};

/* Every hook may be NULL. Draws are numbered from 1. */
struct playback_hooks {
    void *self;
    void (*device)(void *self, tp_device *device); /* called before the first draw */
    /* called with a new context; with a scene's context when the scene is open */
    void (*context)(void *self, tp_context *c);
    /* called with a scene's context before the scene makes its objects */
    void (*opened)(void *self, tp_context *c);
    void (*before)(void *self, tp_context *c, uint64_t draw);
    void (*after)(void *self, tp_context *c, uint64_t draw);
    void (*launch)(void *self, tp_context *c); /* called before a grid runs */
    /* called before the CPU writes or frees this memory; draw: number of the last draw so far */
    void (*memory)(void *self, uint64_t address, uint64_t size, uint64_t draw);
    struct sources *sources; /* receives the recording's GLSL; the caller frees it */
    /* called at the end of the recording or scene, while contexts exist; not after a failure */
    void (*done)(void *self);
};

/* The results of a run, until playback_end. */
struct played {
    tp_device *device;
    uint64_t draws;
    struct replay_result result;
    struct frame_target target;
    struct demo demo;
    bool is_scene, opened;
};

/* Gives a scene the default size, 640x360, if the size is 0, and the default time, 2.5 s, if the
 * time is NaN. Returns false after a message if a size or a time is given for a recording. */
bool playback_take_options(struct playback *p);
/* Draws up to draw `last` (0: all); a scene is always drawn to its end. Returns EXIT_FINE, or
 * another exit code after a message. Call playback_end in either case. */
int playback_run(const struct playback *p, uint64_t last, const struct playback_hooks *hooks,
                 struct played *out);
void playback_end(struct played *p);
/* Returns the name of the scene or of the file. */
const char *playback_name(const struct playback *p);
