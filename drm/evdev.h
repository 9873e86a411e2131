/* Input devices of a display: a keyboard and a pointer with absolute positions, as event devices
 * (/dev/input/event0, event1) whose descriptors are named sockets. Input from the window goes to
 * every open descriptor.
 */
#pragma once

#include <stdint.h>

enum { EVDEV_KEYBOARD, EVDEV_POINTER, EVDEV_DEVICES };
enum { EVDEV_MAJOR = 13, EVDEV_MINOR = 64 /* of the first device */ };

/* The name of a descriptor's socket: the device, the process that opened it, the descriptor of the
 * other end in that process. */
#define EVDEV_SOCKET "teslapipe-input %d %d %d"

/* Opens a device, as open(2). */
int evdev_open(int device, int flags);
/* The device of a descriptor; -1 if the descriptor belongs to no device. */
int evdev_of(int fd);
/* Answers an ioctl, as ioctl(2). */
int evdev_ioctl(int fd, int device, unsigned long request, void *argument);
/* Sends an event (struct input_event) to all open descriptors of the device. */
void evdev_deliver(uint32_t device, uint32_t type, uint32_t code, int32_t value);
