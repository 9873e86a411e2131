/* One open of a node: a DRM client with its own handles and channels. Descriptors made by dup share
 * the client.
 */
#pragma once

#include "drm/gem.h"

struct node;

/* Opens the render node or the card node. events: a socket for the display's events, whose other
 * end the program reads; a node that opens owns the socket. -1: no display. Returns NULL with
 * errno set on failure. */
struct node *node_open(bool card, int events);
int node_events(const struct node *n);
/* The path of the node: /dev/dri/renderD128 or /dev/dri/card0. */
const char *node_path(const struct node *n);
void node_ref(struct node *n);
void node_unref(struct node *n);

/* gpu.generation of the node's GPU: differs between the GPUs of this process and its ancestors. */
unsigned node_generation(const struct node *n);
/* The use that this process has made of the nodes so far. */
enum node_use {
    NODE_UNTOUCHED,
    NODE_OPENED,
    NODE_DISPLAYED, /* a display's ioctl was called */
    NODE_USED       /* a channel was made */
};
enum node_use node_use(void);
/* Number of the last ioctl of this process that the nodes do not know; 0 if there was none. */
unsigned node_refused(void);
/* Handles sched_yield(2). A thread that has submitted work and yields is polling a fence, so the
 * call waits for the GPU, at most a millisecond. False if there was nothing to wait for. */
bool node_yield(void);
/* Make or delete an object of a channel. Called with the GPU's lock held. Return 0 or -errno. */
int node_object_create(struct node *n, int64_t channel, uint32_t handle, uint32_t class);
int node_object_destroy(struct node *n, int64_t channel, uint32_t handle);
/* As ioctl(2) and mmap(2) on the node. */
int node_ioctl(struct node *n, unsigned long request, void *argument);
void *node_mmap(struct node *n, void *address, size_t length, int prot, int flags, uint64_t offset);
