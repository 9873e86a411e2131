/* Descriptors that stand for device nodes. A render node is an empty memfd. A node that sends
 * events is one end of a named pair of sockets, so that select, poll, epoll and read work without
 * further code. A process also recognises a descriptor that it received from another process.
 */
#pragma once

#include <stdbool.h>

enum file_kind { FILE_OTHER, FILE_RENDER, FILE_CARD, FILE_DISPLAY };

/* Calls memfd_create, close-on-exec. If the system refuses (seccomp), the log says so once. */
int file_memory(const char *name);
/* Makes an empty memfd, or for FILE_DISPLAY a socket whose other end is *events (else -1). Returns
 * -1 with errno set on failure. */
int file_open(enum file_kind kind, int flags, int *events);
/* The kind of a descriptor. For FILE_DISPLAY, *events is the other end of the socket, or -1 if
 * another process has that end. */
enum file_kind file_kind(int fd, int *events);

/* Makes a pair of sockets for an input device (drm/evdev.h). Returns one end; *events is the other
 * end. */
int evdev_socket(int device, int flags, int *events);
