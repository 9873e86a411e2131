/* The serial share of a scene or recording: the share of one thread's time that further threads
 * cannot take over. */
#pragma once

#include "tools/tool.h"

struct serial {
    double all, decode, prepare, merge; /* milliseconds; all: the sum of all stages */
    uint64_t frames;
};

void serial_add(struct serial *s, const struct tp_profile *p);
/* Returns false after a message. */
bool serial_of_scene(const struct command *command, const struct demo_scene *scene,
                     const struct size *size, int frames, struct serial *s);

double serial_share(const struct serial *s);
