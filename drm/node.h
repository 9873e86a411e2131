/* One open of the render node: a DRM client with its own handles and channels. Descriptors made by
 * dup share it.
 */
#ifndef DRM_NODE_H
#define DRM_NODE_H

#include "drm/gem.h"

struct node;

/* Opens the render node or the card node. events: a socket whose other end the program reads the
 * display's events from, taken over; -1 for a node without a display. NULL with errno set. */
struct node *node_open(bool card, int events);
int node_events(const struct node *n);
/* The path that it was opened by: /dev/dri/renderD128 or card0. */
const char *node_path(const struct node *n);
void node_ref(struct node *n);
void node_unref(struct node *n);

/* The number of its GPU, counted from 0 through this process and its ancestors. */
unsigned node_generation(const struct node *n);
/* The use of the node by this process so far. */
enum node_use {
    NODE_UNTOUCHED,
    NODE_OPENED,
    NODE_DISPLAYED, /* a display's ioctl was called */
    NODE_USED       /* a channel was made */
};
enum node_use node_use(void);
/* Number of the ioctl that failed last in this process; 0 if none failed. */
unsigned node_refused(void);
/* Handles sched_yield(2): a thread that submitted work and yields is polling a fence, so the
 * call waits for the GPU. False if this thread has no outstanding work. */
bool node_yield(void);
/* Make and delete objects on a channel, with the GPU's lock held: 0 or -errno. */
int node_object_create(struct node *n, int64_t channel, uint32_t handle, uint32_t class);
int node_object_destroy(struct node *n, int64_t channel, uint32_t handle);
/* As ioctl(2) and mmap(2) on the render node. */
int node_ioctl(struct node *n, unsigned long request, void *argument);
void *node_mmap(struct node *n, void *address, size_t length, int prot, int flags, uint64_t offset);

#endif
