/* `teslapipe run` for commands that inspect the program while it runs. */
#pragma once

#include "teslapipe.h"

/* `prepare` is called before the run, when everything but the program is bound. */
struct run_hooks {
    void *self;
    void (*prepare)(void *self, tp_device *device, tp_context *context);
};

/* Does what `teslapipe run` does with these arguments, on one thread and with the hooks. Messages
 * begin with the name of `teslapipe debug`. Returns the exit code. */
int run_watched(int argc, char **argv, const struct run_hooks *hooks);
