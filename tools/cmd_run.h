/* teslapipe run, for commands that look at what it runs. */
#ifndef TOOLS_CMD_RUN_H
#define TOOLS_CMD_RUN_H

#include "teslapipe.h"

/* prepare: everything but the program is bound, nothing has run. */
struct run_hooks {
    void *self;
    void (*prepare)(void *self, tp_device *device, tp_context *context);
};

/* What `teslapipe run` does with these arguments, on one thread, with the hooks. Returns its exit
 * code. */
int run_watched(int argc, char **argv, const struct run_hooks *hooks);

#endif
