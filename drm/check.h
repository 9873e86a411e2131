/* The memory checker in a program that uses the render node (TESLAPIPE_CHECK_MEMORY). */
#ifndef DRM_CHECK_H
#define DRM_CHECK_H

#include <stdbool.h>

struct gpu;
struct channel;

/* True if the environment asks for a check, which needs a device of one thread. */
bool check_wanted(void);
/* Begins the check of this GPU; its report comes when the program exits. */
void check_start(struct gpu *g);
void check_channel(const struct gpu *g, struct channel *c);
/* The program exits: writes the report. With findings it ends the process with CHECK_EXIT. */
enum { CHECK_EXIT = 4 };
void check_end(struct gpu *g);

#endif
