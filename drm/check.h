/* The memory checker in a program that uses the render node (TESLAPIPE_CHECK_MEMORY). */
#pragma once

#include <stdbool.h>

struct gpu;
struct channel;

/* True if the environment asks for a check. Then the device must be made with one thread. */
bool check_wanted(void);
void check_start(struct gpu *g);
/* Checks this channel of the GPU. Without a check, does nothing. */
void check_channel(const struct gpu *g, struct channel *c);
/* The status of a process that ends with findings. */
enum { CHECK_EXIT = 4 };
/* Called when the program exits. Waits for all submissions and writes the report. Returns true if
 * there are findings. */
bool check_end(struct gpu *g);
