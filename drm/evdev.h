/* Input devices of a display: a keyboard and an absolute pointer, as event devices
 * (/dev/input/event0, event1), whose descriptors are named sockets. What the window says is given
 * to every open one.
 */
#ifndef DRM_EVDEV_H
#define DRM_EVDEV_H

#include <stdint.h>

enum { EVDEV_KEYBOARD, EVDEV_POINTER, EVDEV_DEVICES };
enum { EVDEV_MAJOR = 13, EVDEV_MINOR = 64 /* of the first */ };

/* What the socket of a descriptor is named: device, process, the other end in that process. */
#define EVDEV_SOCKET "teslapipe-input %d %d %d"
extern const char *const evdev_names[EVDEV_DEVICES];

/* As open(2) of a device. */
int evdev_open(int device, int flags);
/* Which device a descriptor is; -1: none. */
int evdev_of(int fd);
/* As ioctl(2). */
int evdev_ioctl(int fd, int device, unsigned long request, void *argument);
/* An event as in struct input_event, for all who have the device open. */
void evdev_deliver(uint32_t device, uint32_t type, uint32_t code, int32_t value);

#endif
