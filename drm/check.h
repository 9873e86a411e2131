/* The memory checker in a program that uses the render node (TESLAPIPE_CHECK_MEMORY). */
#ifndef DRM_CHECK_H
#define DRM_CHECK_H

#include <stdbool.h>

struct gpu;
struct channel;

/* True if the environment asks for a check. The device must then have one thread. */
bool check_wanted(void);
/* Begins the check of this GPU. check_end() writes the report. */
void check_start(struct gpu *g);
/* Checks a new channel of the GPU, too. */
void check_channel(const struct gpu *g, struct channel *c);
/* Call when the program exits. Writes the report; if there are findings, the process ends with
 * CHECK_EXIT. */
enum { CHECK_EXIT = 4 };
void check_end(struct gpu *g);

#endif
