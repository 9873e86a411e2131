/* A frame that can be drawn repeatedly, with hooks before and after each draw: a recording or a
 * demo scene. Shared by the debugging commands.
 */
#ifndef TOOLS_PLAYBACK_H
#define TOOLS_PLAYBACK_H

#include "tools/recording.h"
#include "tools/sources.h"

struct playback {
    const struct command *command; /* failures are printed with its name */
    const char *file;              /* a recording; NULL: draw scene */
    const struct demo_scene *scene;
    struct size size; /* of the scene's picture */
    double time;      /* of the scene, in seconds */
    int threads;      /* 0 = all */
    bool wireframe;
    struct demo_orbit orbit;
};

/* Every hook may be NULL. Draws are numbered from 1. */
struct playback_hooks {
    void *self;
    void (*device)(void *self, tp_device *device); /* before the first draw */
    void (*context)(void *self, tp_context *c);    /* a new context; of a scene: when open */
    void (*opened)(void *self, tp_context *c);     /* of a scene: before it makes its objects */
    void (*before)(void *self, tp_context *c, uint64_t draw);
    void (*after)(void *self, tp_context *c, uint64_t draw);
    void (*launch)(void *self, tp_context *c); /* before a grid runs */
    void (*memory)(void *self, uint64_t address, uint64_t size,
                   uint64_t draw); /* the CPU is about to
                                write or free it; draw: the last one before that */
    struct sources *sources;       /* gets the recording's GLSL; the caller frees it */
    void (*done)(void *self);      /* at the end, with contexts still there; not after a failure */
};

/* The results of a run, until playback_end. */
struct played {
    tp_device *device;
    tp_context *context; /* the context that drew last, or NULL */
    uint64_t draws;
    struct replay_result result;
    struct frame_target target;
    struct demo demo;
    bool is_scene, opened;
};

/* Draws up to draw `last` (0: all); a scene is always drawn to its end. Returns EXIT_FINE, or
 * another exit code after a message. Call playback_end in either case. */
int playback_run(const struct playback *p, uint64_t last, const struct playback_hooks *hooks,
                 struct played *out);
void playback_end(struct played *p);
/* The name of the scene, or the file. */
const char *playback_name(const struct playback *p);

#endif
