/* A frame that can be drawn again and again: a recording or a demo scene, told of draw by draw.
 * What debugging commands have in common.
 */
#ifndef TOOLS_PLAYBACK_H
#define TOOLS_PLAYBACK_H

#include "tools/recording.h"

struct playback {
    const struct command *command; /* failures are told in its name */
    const char *file;              /* a recording; NULL: */
    const struct demo_scene *scene;
    struct size size; /* of the scene's picture */
    double time;      /* of the scene, in seconds */
    int threads;      /* 0 = all */
    bool wireframe;
    struct demo_orbit orbit;
};

/* All may be NULL. Draws are numbered from 1. */
struct playback_hooks {
    void *self;
    void (*device)(void *self, tp_device *device); /* before anything is drawn */
    void (*context)(void *self, tp_context *c);    /* a new one */
    void (*before)(void *self, tp_context *c, uint64_t draw);
    void (*after)(void *self, tp_context *c, uint64_t draw);
    void (*memory)(void *self, uint64_t address, uint64_t size,
                   uint64_t draw); /* the CPU is about to
                                write or free it; draw: the last one before that */
    void (*done)(void *self); /* all is queued, contexts are still there; only if nothing failed */
};

/* What is left of a run until playback_end. */
struct played {
    tp_device *device;
    tp_context *context; /* the one that drew last; NULL: none */
    uint64_t draws;
    struct replay_result result;
    struct frame_target target;
    struct demo demo;
    bool is_scene, opened;
};

/* Draws up to draw `last` (0: all; a scene is drawn to its end all the same). EXIT_FINE, or an exit
 * code after telling why; playback_end must follow in either case. */
int playback_run(const struct playback *p, uint64_t last, const struct playback_hooks *hooks,
                 struct played *out);
void playback_end(struct played *p);
/* "teapot", or the file. */
const char *playback_name(const struct playback *p);

#endif
