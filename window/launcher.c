/* Opens devices for weston up to version 11, whose own launchers need root and a virtual terminal.
 * This is the server's side of weston-launch's protocol, over a socket whose descriptor is in
 * WESTON_LAUNCHER_SOCK. In: paths. Out: descriptors that the program's preload library recognises
 * as its display and input devices (drm/files.h, drm/evdev.h). Other paths are refused.
 */
#define _GNU_SOURCE
#include "base/pass_fd.h"
#include "drm/evdev.h"
#include "drm/files.h"
#include "window/window.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { OPEN = 0, OPEN_REPLY = 3 };

struct open_request {
    int opcode, flags;
    char path[256];
};

static int open_device(const char *path, int flags) {
    int device, other = -1, fd = -1;
    char end;
    if (strcmp(path, "/dev/dri/card0") == 0)
        fd = file_open(FILE_DISPLAY, flags | O_CLOEXEC, &other);
    else if (sscanf(path, "/dev/input/event%d%c", &device, &end) == 1 && device >= 0 &&
             device < EVDEV_DEVICES)
        fd = evdev_socket(device, flags | O_CLOEXEC, &other);
    if (other >= 0)
        close(other); /* the program's preload library makes a socket of its own */
    return fd;
}

static int launch_asked(int from, uint32_t mask, void *data) {
    struct wl_event_source **source = data;
    struct open_request r;
    const ssize_t n = recv(from, &r, sizeof r - 1, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && !(mask & WL_EVENT_READABLE))) {
        wl_event_source_remove(*source);
        close(from);
        return 0;
    }
    if (n <= (ssize_t)offsetof(struct open_request, path) || r.opcode != OPEN)
        return 0;
    ((char *)&r)[n] = 0;
    const int fd = open_device(r.path, r.flags);
    const int answer[2] = {OPEN_REPLY, fd < 0 ? -1 : 0};
    send_with_fd(from, answer, sizeof answer, fd, MSG_DONTWAIT);
    if (fd >= 0)
        close(fd);
    return 0;
}

int launcher_create(char *variable, size_t size) {
    static struct wl_event_source *source;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return -1;
    source =
        wl_event_loop_add_fd(compositor.loop, pair[0], WL_EVENT_READABLE, launch_asked, &source);
    snprintf(variable, size, "WESTON_LAUNCHER_SOCK=%d", pair[1]);
    fcntl(pair[1], F_SETFD, 0);
    return pair[1];
}
