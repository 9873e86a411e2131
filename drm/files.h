/* The descriptors that stand for device nodes: empty memfds, and for nodes from which a program
 * reads events, one end of a pair of sockets that carries a name, so that select, poll, epoll and
 * read need no help. A process that is handed one by another recognises it.
 */
#ifndef DRM_FILES_H
#define DRM_FILES_H

#include <stdbool.h>

enum file_kind { FILE_OTHER, FILE_RENDER, FILE_CARD, FILE_DISPLAY };

/* An empty file; or with *events the other end of a socket. -1 with errno set. */
int file_open(enum file_kind kind, int flags, int *events);
/* What a descriptor is. FILE_DISPLAY: *events is its other end if this process has that, or -1. */
enum file_kind file_kind(int fd, int *events);

/* One end of a pair of sockets that stands for an input device (drm/evdev.h); *events is the other.
 */
int evdev_socket(int device, int flags, int *events);

#endif
