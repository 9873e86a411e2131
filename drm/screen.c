/* The connection of a display device to the window that shows it (window/). In: requests, and the
 * path of a socket in TESLAPIPE_KMS. Out: messages of the window. A thread receives them and hands
 * them to the listener (drm/kms.c) and to the input devices (drm/evdev.c). A forked child makes a
 * new connection.
 */
#define _GNU_SOURCE
#include "drm/screen.h"
#include "base/clock.h"

#include "base/pass_fd.h"
#include "base/threads.h"
#include "drm/evdev.h"
#include "drm/held.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_MS = 5000 };

static pthread_mutex_t screen_lock = PTHREAD_MUTEX_INITIALIZER;
static struct screen {
    pid_t process; /* the process that made the connection */
    int socket, wake;
    bool gone;
    uint32_t width, height, refresh;
    uint32_t first_width, first_height;
    struct screen_listener listener;
} screen = {.socket = -1, .wake = -1};

bool screen_is_there(void) {
    const char *path = getenv("TESLAPIPE_KMS");
    return path && *path;
}

static void take_size(const struct screen_event *e) {
    pthread_mutex_lock(&screen_lock);
    screen.width = e->size.width;
    screen.height = e->size.height;
    screen.refresh = e->size.refresh ? e->size.refresh : 60;
    pthread_mutex_unlock(&screen_lock);
}

static void take_event(const struct screen_event *e, const struct screen_listener *l) {
    if (e->kind == SCREEN_SIZE)
        take_size(e);
    else if (e->kind == SCREEN_INPUT)
        evdev_deliver(e->input.device, e->input.type, e->input.code, e->input.value);
    else if (e->kind == SCREEN_SHOWN && l->shown)
        l->shown(l->self, e->name, (uint64_t)e->time_ns.high << 32 | e->time_ns.low);
}

/* Milliseconds from now until a time, at least 0; -1 for time 0, which never comes. */
static int timeout_until(uint64_t due) {
    const uint64_t now = clock_ns(CLOCK_MONOTONIC);
    return !due ? -1 : due <= now ? 0 : (int)((due - now + 999999) / 1000000);
}

static void *screen_thread(void *) {
    uint64_t due = 0, count;
    for (;;) {
        struct pollfd fds[] = {{screen.socket, POLLIN, 0}, {screen.wake, POLLIN, 0}};
        struct screen_event e;
        poll(fds, 2, timeout_until(due)); /* revents stay 0 if poll fails */
        pthread_mutex_lock(&screen_lock);
        const struct screen_listener l = screen.listener;
        pthread_mutex_unlock(&screen_lock);
        if (fds[1].revents && read(screen.wake, &count, sizeof count) < 0)
            continue;
        if (fds[0].revents) {
            const ssize_t n = recv(screen.socket, &e, sizeof e, 0);
            if (n == 0 || (n < 0 && errno != EINTR))
                break;
            if (n == sizeof e)
                take_event(&e, &l);
        }
        due = l.due ? l.due(l.self) : 0;
    }
    pthread_mutex_lock(&screen_lock);
    screen.gone = true;
    const struct screen_listener l = screen.listener;
    pthread_mutex_unlock(&screen_lock);
    if (l.shown)
        l.shown(l.self, 0, clock_ns(CLOCK_MONOTONIC));
    return NULL;
}

static int connect_to(const char *path) {
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0 || strlen(path) >= sizeof a.sun_path) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    memcpy(a.sun_path, path, strlen(path));
    if (connect(fd, (const struct sockaddr *)&a, sizeof a) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Receives the first message of the window, which is its size. */
static bool greet_window(int fd) {
    struct pollfd answer = {fd, POLLIN, 0};
    struct screen_event e;
    if (poll(&answer, 1, ANSWER_MS) != 1 || recv(fd, &e, sizeof e, 0) != sizeof e ||
        e.kind != SCREEN_SIZE)
        return false;
    screen.width = screen.first_width = e.size.width;
    screen.height = screen.first_height = e.size.height;
    screen.refresh = e.size.refresh ? e.size.refresh : 60;
    return true;
}

static void close_connection(void) {
    held_close(screen.socket);
    held_close(screen.wake);
    screen.socket = screen.wake = -1;
}

/* Connects and starts the receiving thread. Called with the lock held. */
static bool start_thread(void) {
    pthread_t thread;
    close_connection(); /* a forked child closes its copy of the parent's connection */
    screen = (struct screen){.process = getpid(), .gone = true};
    screen.socket = held_move(connect_to(getenv("TESLAPIPE_KMS")));
    screen.wake = held_move(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    screen.gone = screen.socket < 0 || screen.wake < 0 || !greet_window(screen.socket) ||
                  thread_start(&thread, screen_thread, NULL) != 0;
    if (screen.gone)
        close_connection();
    else
        pthread_detach(thread);
    return !screen.gone;
}

bool screen_open(void) {
    if (!screen_is_there())
        return false;
    pthread_mutex_lock(&screen_lock);
    const bool there = screen.process == getpid() ? !screen.gone : start_thread();
    pthread_mutex_unlock(&screen_lock);
    return there;
}

bool screen_send(const struct screen_request *r, int fd) {
    return !screen.gone && send_with_fd(screen.socket, r, sizeof *r, fd, 0) == sizeof *r;
}

void screen_size(uint32_t *width, uint32_t *height, uint32_t *refresh) {
    pthread_mutex_lock(&screen_lock);
    *width = screen.width;
    *height = screen.height;
    *refresh = screen.refresh;
    pthread_mutex_unlock(&screen_lock);
}

void screen_range(uint32_t *width, uint32_t *height) {
    *width = screen.first_width;
    *height = screen.first_height;
}

void screen_listen(const struct screen_listener *l) {
    pthread_mutex_lock(&screen_lock);
    screen.listener = *l;
    pthread_mutex_unlock(&screen_lock);
}

void screen_wake(void) {
    const uint64_t one = 1;
    if (write(screen.wake, &one, sizeof one) < 0)
        return; /* the counter is full: the thread will wake */
}
