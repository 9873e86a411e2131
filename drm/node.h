/* One open of the render node: a DRM client with its own handles and channels. Descriptors made by
 * dup share it.
 */
#ifndef DRM_NODE_H
#define DRM_NODE_H

#include "drm/gem.h"

struct node;

/* The render node, or the card node. events: a socket whose other end the program reads a display's
 * events from, taken over; -1: a node without a display. NULL with errno set. */
struct node *node_open(bool card, int events);
int node_events(const struct node *n);
/* What it was opened by: /dev/dri/renderD128 or card0. */
const char *node_path(const struct node *n);
void node_ref(struct node *n);
void node_unref(struct node *n);

/* Which of the GPUs this process and those it was forked from have had: 0, 1, ... */
unsigned node_generation(const struct node *n);
/* What became of the node in this process. */
enum node_use {
    NODE_UNTOUCHED,
    NODE_OPENED,
    NODE_DISPLAYED, /* a display was asked for something */
    NODE_USED       /* a channel was made */
};
enum node_use node_use(void);
/* Number of the ioctl this process was refused last; 0: none. */
unsigned node_refused(void);
/* sched_yield(2) of a thread that submitted work: it is polling a fence, and its CPU is better used
 * by the GPU it waits for. False if there is nothing this thread could be waiting for. */
bool node_yield(void);
/* Objects on a channel, with the GPU's lock held: 0 or -errno. */
int node_object_create(struct node *n, int64_t channel, uint32_t handle, uint32_t class);
int node_object_destroy(struct node *n, int64_t channel, uint32_t handle);
/* As ioctl(2) and mmap(2) on the render node. */
int node_ioctl(struct node *n, unsigned long request, void *argument);
void *node_mmap(struct node *n, void *address, size_t length, int prot, int flags, uint64_t offset);

#endif
