/* Event devices: what a program reads from /dev/input/event*. In: the input of the window's user
 * (drm/screen.c). Out: struct input_event in the sockets that programs have open, and answers to
 * the ioctls that describe the devices, as in linux/input.h.
 */
#define _GNU_SOURCE
#include "drm/evdev.h"

#include "drm/files.h"
#include "drm/held.h"
#include "drm/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char *const names[EVDEV_DEVICES] = {"teslapipe keyboard", "teslapipe pointer"};

struct evdev_reader {
    struct evdev_reader *next;
    int device, events; /* events: the end of the socket that is written to */
    pid_t process;      /* the process that opened the device: this process or an ancestor */
    clockid_t clock;
};
static pthread_mutex_t readers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct evdev_reader *readers;
static uint8_t pressed[EVDEV_DEVICES][KEY_CNT / 8];

/* ---- descriptors ---- */

static bool parse_path(int fd, int *device, int *process, int *events) {
    struct sockaddr_un a = {0};
    socklen_t length = sizeof a;
    return screen_is_there() && getsockname(fd, (struct sockaddr *)&a, &length) == 0 &&
           a.sun_family == AF_UNIX && !a.sun_path[0] && length < sizeof a &&
           sscanf(a.sun_path + 1, EVDEV_SOCKET, device, process, events) == 3 && *device >= 0 &&
           *device < EVDEV_DEVICES;
}

int evdev_open(int device, int flags) {
    int events;
    struct evdev_reader *r = calloc(1, sizeof *r);
    const int fd = r && screen_open() ? evdev_socket(device, flags, &events) : -1;
    if (fd < 0) {
        free(r);
        errno = ENODEV;
        return -1;
    }
    *r = (struct evdev_reader){NULL, device, held_mark(events), getpid(), CLOCK_REALTIME};
    pthread_mutex_lock(&readers_lock);
    r->next = readers;
    readers = r;
    pthread_mutex_unlock(&readers_lock);
    return fd;
}

/* Another process opened this descriptor. Puts a socket of this process in its place. */
static void adopt_fd(int fd, int device) {
    const int own = evdev_open(device, O_CLOEXEC | (fcntl(fd, F_GETFL) & O_NONBLOCK));
    if (own < 0)
        return;
    syscall(SYS_dup3, own, fd, fcntl(fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0);
    close(own);
}

int evdev_of(int fd) {
    int device, process, events;
    if (!parse_path(fd, &device, &process, &events))
        return -1;
    if (process != getpid())
        adopt_fd(fd, device);
    return device;
}

/* ---- events ---- */

static void note_key(uint32_t device, uint32_t code, bool down) {
    uint8_t *byte = &pressed[device][code / 8];
    *byte = (uint8_t)(down ? *byte | 1u << code % 8 : *byte & ~(1u << code % 8));
}

/* Sends an event to a reader. False if the reader has closed its end. A reader that does not read
 * loses events, as in the kernel. */
static bool tell_reader(const struct evdev_reader *r, uint32_t type, uint32_t code, int32_t value) {
    struct timespec t;
    clock_gettime(r->clock, &t);
    const struct input_event e = {.input_event_sec = t.tv_sec,
                                  .input_event_usec = t.tv_nsec / 1000,
                                  .type = (uint16_t)type,
                                  .code = (uint16_t)code,
                                  .value = value};
    return send(r->events, &e, sizeof e, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 ||
           (errno != EPIPE && errno != ECONNRESET);
}

void evdev_deliver(uint32_t device, uint32_t type, uint32_t code, int32_t value) {
    if (device >= EVDEV_DEVICES || code >= KEY_CNT)
        return;
    const pid_t process = getpid();
    pthread_mutex_lock(&readers_lock);
    if (type == EV_KEY)
        note_key(device, code, value != 0);
    for (struct evdev_reader **p = &readers, *r; (r = *p);) {
        if (r->process == process &&
            (r->device != (int)device || tell_reader(r, type, code, value))) {
            p = &r->next;
            continue;
        }
        *p = r->next;
        held_close(r->events);
        free(r);
    }
    pthread_mutex_unlock(&readers_lock);
}

/* ---- descriptions of the devices ---- */

static void set_bit(uint8_t *bits, unsigned n) {
    bits[n / 8] = (uint8_t)(bits[n / 8] | 1u << n % 8);
}

/* Sets a bit for each code of an event type that the device can send; for type 0, for each event
 * type. */
static void capability_bits(int device, unsigned type, uint8_t bits[KEY_CNT / 8]) {
    static const struct {
        uint8_t device;
        uint16_t type, first, last;
    } table[] = {
        {EVDEV_KEYBOARD, EV_KEY, KEY_ESC, KEY_MICMUTE},
        {EVDEV_KEYBOARD, EV_REP, REP_DELAY, REP_MAX},
        {EVDEV_POINTER, EV_KEY, BTN_LEFT, BTN_EXTRA},
        {EVDEV_POINTER, EV_ABS, ABS_X, ABS_Y},
        {EVDEV_POINTER, EV_REL, REL_HWHEEL, REL_HWHEEL},
        {EVDEV_POINTER, EV_REL, REL_WHEEL, REL_WHEEL},
    };
    if (type == 0)
        set_bit(bits, EV_SYN);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].device != device)
            continue;
        if (type == 0)
            set_bit(bits, table[i].type);
        for (unsigned code = table[i].first; table[i].type == type && code <= table[i].last; code++)
            set_bit(bits, code);
    }
}

static int give_bytes(void *argument, size_t size, const void *from, size_t have) {
    const size_t n = size < have ? size : have;
    memcpy(argument, from, n);
    return (int)n;
}

static int give_struct(void *argument, size_t size, const void *from, size_t have) {
    give_bytes(argument, size, from, have);
    return 0;
}

static int set_clock(int fd, const int *clock) {
    int device, process, events, result = -EINVAL;
    if (!parse_path(fd, &device, &process, &events) || process != getpid())
        return -EINVAL;
    if (*clock != CLOCK_REALTIME && *clock != CLOCK_MONOTONIC && *clock != CLOCK_BOOTTIME)
        return -EINVAL;
    pthread_mutex_lock(&readers_lock);
    for (struct evdev_reader *r = readers; r; r = r->next)
        if (r->events == events) {
            r->clock = *clock;
            result = 0;
        }
    pthread_mutex_unlock(&readers_lock);
    return result;
}

static int answer_ioctl(int fd, int device, unsigned number, size_t size, void *argument) {
    static const int version = EV_VERSION;
    static const unsigned repeat[2] = {250, 33};
    const struct input_id id = {BUS_VIRTUAL, 0, (uint16_t)(device + 1), 1};
    struct input_absinfo range = {0};
    uint32_t width, height;
    uint8_t bits[KEY_CNT / 8] = {0};
    if (number >= 0x20 && number < 0x20 + EV_CNT) {
        capability_bits(device, number - 0x20, bits);
        return give_bytes(argument, size, bits, sizeof bits);
    }
    screen_range(&width, &height);
    range.maximum = (int32_t)(number == 0x40 + ABS_X ? width : height) - 1;
    range.value = (range.maximum + 1) / 2; /* the position is not kept: report the middle */
    if (number == 0x40 + ABS_X || number == 0x40 + ABS_Y)
        return device == EVDEV_POINTER ? give_struct(argument, size, &range, sizeof range)
                                       : -EINVAL;
    switch (number) {
    case 0x01:
        return give_struct(argument, size, &version, sizeof version);
    case 0x02:
        return give_struct(argument, size, &id, sizeof id);
    case 0x03:
        return device == EVDEV_KEYBOARD ? give_struct(argument, size, repeat, sizeof repeat)
                                        : -ENOSYS;
    case 0x06:
        return give_bytes(argument, size, names[device], strlen(names[device]) + 1);
    case 0x07: /* physical location, serial number: none */
    case 0x08:
        return -ENOENT;
    case 0x09: /* properties */
    case 0x19: /* lamps, sounds, switches */
    case 0x1a:
    case 0x1b:
        return give_bytes(argument, size, bits, sizeof bits);
    case 0x18:
        return give_bytes(argument, size, pressed[device], sizeof pressed[device]);
    case 0x90: /* grabbing changes nothing: there is no other reader */
    case 0x91:
        return 0;
    case 0xa0:
        return set_clock(fd, argument);
    }
    return -EINVAL;
}

int evdev_ioctl(int fd, int device, unsigned long request, void *argument) {
    const unsigned number = _IOC_NR(request);
    const int result = _IOC_TYPE(request) != 'E' ? -ENOTTY
                       : !argument && number != 0x90 && number != 0x91
                           ? -EFAULT
                           : answer_ioctl(fd, device, number, _IOC_SIZE(request), argument);
    if (result >= 0)
        return result;
    errno = -result;
    return -1;
}
