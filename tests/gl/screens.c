/* A display whose window is this program: the device's messages to its window (drm/screen.h), field
 * by field, and its reaction to all messages of a window, valid or not: sizes, shown frames, keys,
 * silence, the end. Because the window is under the test's control, times and numbers of events are
 * exact.
 * usage: screens GL_RENDERER */
#define _GNU_SOURCE
#include "../../base/pass_fd.h"
#include "../../drm/screen.h"
#include "kms_client.h"

#include "faults.h"

#include <linux/input.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

enum { SIZE = sizeof(struct screen_event), SLOW = 20 }; /* SLOW: blanks a second */

/* ---- the window ---- */

static struct window {
    char path[108];
    int listener, client;
    bool waits;    /* shown frames are not reported automatically */
    uint64_t time; /* time to report; 0: the current time */
    int count;     /* requests so far */
    struct screen_request last, all[64];
    int fd;    /* descriptor that came with the last request */
    int wrong; /* number of missing or unexpected descriptors */
} window;
static pthread_mutex_t window_lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void say(const struct screen_event *e, size_t bytes) {
    verdict("the device takes a message of the window",
            send(window.client, e, bytes, MSG_NOSIGNAL) == (ssize_t)bytes);
}

static void say_shown(uint32_t name, uint64_t time) {
    say(&(struct screen_event){.kind = SCREEN_SHOWN,
                               .name = name,
                               .time_ns = {(uint32_t)time, (uint32_t)(time >> 32)}},
        SIZE);
}

static void say_size(uint32_t w, uint32_t h, uint32_t refresh) {
    say(&(struct screen_event){.kind = SCREEN_SIZE, .size = {w, h, refresh}}, SIZE);
}

static void *serve(void *unused) {
    struct screen_request r;
    int fd;
    (void)unused;
    while (receive_with_fd(window.client, &r, sizeof r, &fd, 0) == sizeof r) {
        pthread_mutex_lock(&window_lock);
        window.all[window.count++ % 64] = window.last = r;
        if (fd >= 0 && window.fd >= 0)
            close(window.fd);
        window.fd = fd >= 0 ? fd : window.fd;
        window.wrong += (fd >= 0) != (r.kind == SCREEN_BUFFER);
        const bool tell = r.kind == SCREEN_SHOW && r.name && !window.waits;
        pthread_mutex_unlock(&window_lock);
        if (tell)
            say_shown(r.name, window.time ? window.time : now_ns());
    }
    return NULL;
}

static void listen_at(const char *path) {
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    memcpy(a.sun_path, path, strlen(path));
    window.listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    verdict("the window's socket listens",
            bind(window.listener, (const struct sockaddr *)&a, sizeof a) == 0 &&
                !listen(window.listener, 4));
    setenv("TESLAPIPE_KMS", path, 1);
}

static struct screen_event greeting;
static size_t greeting_bytes = SIZE;

static void *greet(void *unused) {
    (void)unused;
    window.client = accept4(window.listener, NULL, NULL, SOCK_CLOEXEC);
    if (greeting_bytes)
        say(&greeting, greeting_bytes);
    else
        shutdown(window.client, SHUT_RDWR);
    return serve(NULL);
}

/* Waits until the device has sent `count` requests. */
static struct screen_request said(int count) {
    struct screen_request r = {0};
    for (int i = 0; i < 5000; i++) {
        pthread_mutex_lock(&window_lock);
        const bool done = window.count >= count;
        r = window.last;
        pthread_mutex_unlock(&window_lock);
        if (done)
            return r;
        usleep(1000);
    }
    verdict("the device sends the request that is waited for", false);
    return r;
}

/* ---- windows that do not answer correctly ---- */

static bool has_display(void) {
    struct drm_mode_card_res r = {0};
    const int fd = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    struct drm_get_cap cap = {.capability = DRM_CAP_DUMB_BUFFER};
    const int error = ask_of(fd, DRM_IOCTL_MODE_GETRESOURCES, &r);
    verdict("a card opens, with dumb buffers if it has a display",
            fd >= 0 && ask_of(fd, DRM_IOCTL_GET_CAP, &cap) == 0 && cap.value == !error &&
                (!error || error == EOPNOTSUPP));
    close(fd);
    return !error;
}

#define AT_RATE(hz)                                                                                \
    {                                                                                              \
        .kind = SCREEN_SIZE, .size = { 640, 400, hz }                                              \
    }
static const struct greeting {
    const char *what;
    int path; /* length of the socket's path; 0: no listener */
    size_t bytes;
    struct screen_event first;
    bool right;
    uint32_t refresh;
} greetings[] = {
    {"a window of 640x400 is a display", 40, SIZE, AT_RATE(75), true, 75},
    {"a window with the longest name is a display", 107, SIZE, AT_RATE(75), true, 75},
    {"a window without a rate is a display of 60 Hz", 40, SIZE, AT_RATE(0), true, 60},
    {"a window with too long a name is no display", 108, SIZE, AT_RATE(75), false, 0},
    {"without a window there is no display", 0, SIZE, {0}, false, 0},
    {"a window with another greeting is no display", 40, SIZE, {.kind = SCREEN_SHOWN}, false, 0},
    {"a window with half a greeting is no display", 40, SIZE - 4, AT_RATE(75), false, 0},
    {"a window that ends at once is no display", 40, 0, {0}, false, 0},
};

static int descriptors(void) {
    int n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* Runs in a process of its own, because a display is looked for once. */
static int try_greeting(const struct greeting *g, const char *folder) {
    char path[160];
    pthread_t thread;
    const int length = snprintf(path, sizeof path, "%s/", folder);
    memset(path + length, 'a', sizeof path - (size_t)length);
    path[g->path ? g->path : 40] = 0;
    greeting = g->first;
    greeting_bytes = g->bytes;
    passed = failed = 0;
    const int before = descriptors();
    if (g->path > 107 || !g->path) {
        path[107] = g->path > 107 ? 0 : path[107];
        listen_at(path); /* a wrong place */
        path[107] = 'a';
        setenv("TESLAPIPE_KMS", path, 1);
        if (!g->path)
            close(window.listener);
        else
            pthread_create(&thread, NULL, greet, NULL);
    } else {
        listen_at(path);
        pthread_create(&thread, NULL, greet, NULL);
    }
    usleep(20000); /* the accepting thread has a descriptor by then */
    close(0);      /* the connection may get any descriptor */
    const int early = open("/dev/input/event0", O_RDONLY | O_CLOEXEC);
    verdict("the keyboard opens before the card if there is a display", (early >= 0) == g->right);
    close(early);
    verdict(g->what, has_display() == g->right);
    verdict("the card has or lacks the display again", has_display() == g->right);
    const int key = open("/dev/input/event0", O_RDONLY | O_CLOEXEC);
    verdict("the keyboard opens after the card if there is a display",
            g->right ? key >= 0 : key < 0 && errno == ENODEV);
    close(key);
    if (g->right) {
        find();
        verdict("the display has the window's size and rate",
                width == 640 && height == 400 && mode.vrefresh == g->refresh);
        const uint64_t now = sequence_now().sequence;
        verdict("the display's blanks are counted from its start", now >= 1 && now < 200);
    } else if (g->path == 0 || g->path > 107) {
        /* more: the listening socket if it is not closed, the GPU's memory; fewer: standard
         * input */
        const int now = descriptors();
        equal("a search without a display leaves no descriptor open", (uint64_t)(now - before),
              (uint64_t)(g->path > 107));
        verdict("open a standard input again", open("/dev/null", O_RDONLY) == 0);
        const pid_t pid = fork();
        if (pid == 0)
            _exit(open("/dev/input/event0", O_RDONLY) != -1 || fcntl(0, F_GETFD) < 0);
        child_ends("a child keeps standard input", pid);
    }
    unlink(path);
    return failed;
}

/* ---- requests ---- */

static void expect_show(const char *what, const struct screen_request *r, uint32_t w, uint32_t h,
                        bool flips, const struct screen_plane plane_of[2]) {
    static const struct screen_plane none[2];
    equal(what, r->kind, SCREEN_SHOW);
    verdict("a picture has the size of the window or none",
            r->show.width == w && r->show.height == h);
    equal("a picture tells whether its contents are new", r->show.flips, flips);
    verdict("a picture has its planes",
            memcmp(r->show.plane, plane_of ? plane_of : none, sizeof none) == 0);
}

static struct frame frames[2];
static uint32_t cursor_handle;

static void requests(void) {
    int error, n = window.count;
    const struct drm_mode_create_dumb d = dumb(width + 20, height + 10, 32, &error);
    struct drm_mode_map_dumb m = {.handle = d.handle};
    ask(DRM_IOCTL_MODE_MAP_DUMB, &m);
    uint32_t *bytes = mmap(NULL, d.size, PROT_READ | PROT_WRITE, MAP_SHARED, card, (off_t)m.offset);
    bytes[0] = 0xabcdef;
    struct drm_mode_fb_cmd2 f = {.width = width + 16,
                                 .height = height + 8,
                                 .pixel_format = DRM_FORMAT_XBGR8888,
                                 .handles = {d.handle},
                                 .pitches = {d.pitch},
                                 .offsets = {8}};
    gives("make a framebuffer", ask(DRM_IOCTL_MODE_ADDFB2, &f), 0);
    struct screen_request r = said(++n);
    verdict("the window is told of the framebuffer", r.kind == SCREEN_BUFFER && r.name == f.fb_id);
    verdict("the window is told the framebuffer's layout",
            r.buffer.width == width + 16 && r.buffer.height == height + 8 && r.buffer.offset == 8 &&
                r.buffer.pitch == d.pitch && r.buffer.format == DRM_FORMAT_XBGR8888);
    const uint32_t *theirs = mmap(NULL, d.size, PROT_READ, MAP_SHARED, window.fd, 0);
    bytes[1] = 0x123456;
    verdict("the window's descriptor has the framebuffer's bytes",
            theirs != MAP_FAILED && theirs[0] == 0xabcdef && theirs[1] == 0x123456);
    munmap((void *)theirs, d.size);
    gives("set a mode with a part of the framebuffer", set_crtc(f.fb_id, 3, 5, &mode), 0);
    r = said(++n);
    struct screen_plane at[2] = {{f.fb_id, 0, 0, 3, 5, width, height}};
    expect_show("a mode's picture is shown", &r, width, height, true, at);
    verdict("a mode's picture has a name", r.name != 0);
    uint32_t name = r.name;
    gives("report changes of the framebuffer",
          ask(DRM_IOCTL_MODE_DIRTYFB, &(struct drm_mode_fb_dirty_cmd){.fb_id = f.fb_id}), 0);
    r = said(++n);
    expect_show("the picture is shown again after reported changes", &r, width, height, true, at);
    equal("a picture for reported changes has no name", r.name, 0);
    cursor_handle = dumb(64, 64, 32, &error).handle;
    gives("set a cursor",
          set_cursor(DRM_MODE_CURSOR_BO | DRM_MODE_CURSOR_MOVE, -7, 9, 64, 64, cursor_handle), 0);
    r = said(n + 1);
    const uint32_t cursor = window.all[n % 64].name;
    verdict("the window is told of the cursor's buffer",
            window.all[n % 64].kind == SCREEN_BUFFER && window.all[n % 64].buffer.pitch == 256 &&
                window.all[n % 64].buffer.format == DRM_FORMAT_ARGB8888 &&
                !window.all[n % 64].buffer.offset);
    r = said(n += 2);
    at[1] = (struct screen_plane){cursor, -7, 9, 0, 0, 64, 64};
    expect_show("the picture is shown with the cursor", &r, width, height, false, at);
    equal("a picture for the cursor has no name", r.name, 0);
    gives("move the cursor", set_cursor(DRM_MODE_CURSOR_MOVE, 11, 12, 0, 0, 0), 0);
    r = said(++n);
    at[1].x = 11;
    at[1].y = 12;
    expect_show("the picture is shown with the moved cursor", &r, width, height, false, at);
    gives("set the same framebuffer at its corner", set_crtc(UINT32_MAX, 0, 0, &mode), 0);
    r = said(++n);
    at[0].from_x = at[0].from_y = 0;
    expect_show("the framebuffer's corner is shown", &r, width, height, true, at);
    equal("the corner's picture has the next name", r.name, ++name);
    gives("remove the cursor", set_cursor(DRM_MODE_CURSOR_BO, 0, 0, 0, 0, 0), 0);
    r = said(n += 2);
    at[1] = (struct screen_plane){0, 11, 12, 0, 0, 0, 0};
    verdict("the window drops the cursor's buffer", r.kind == SCREEN_DROP && r.name == cursor);
    expect_show("the picture is shown without the cursor", &window.all[(n - 2) % 64], width, height,
                false, at);
    struct drm_mode_set_plane p = {.plane_id = plane[0],
                                   .crtc_id = crtc,
                                   .fb_id = f.fb_id,
                                   .crtc_w = width,
                                   .crtc_h = height,
                                   .src_x = 1 << 16,
                                   .src_y = 2 << 16,
                                   .src_w = width << 16,
                                   .src_h = height << 16};
    gives("set the plane to another part of the framebuffer", ask(DRM_IOCTL_MODE_SETPLANE, &p), 0);
    r = said(++n);
    at[0].from_x = 1;
    at[0].from_y = 2;
    expect_show("the plane's part of the framebuffer is shown", &r, width, height, true, at);
    equal("the plane's picture has the next name", r.name, ++name);
    gives("switch the CRTC off", set_crtc(0, 0, 0, NULL), 0);
    r = said(++n);
    expect_show("a dark picture is shown", &r, 0, 0, true, NULL);
    gives("report changes while the CRTC is off",
          ask(DRM_IOCTL_MODE_DIRTYFB, &(struct drm_mode_fb_dirty_cmd){.fb_id = f.fb_id}), 0);
    gives("remove the framebuffer", ask(DRM_IOCTL_MODE_RMFB, &f.fb_id), 0);
    r = said(++n);
    verdict("the window drops the framebuffer, and was not told of the changes",
            r.kind == SCREEN_DROP && r.name == f.fb_id);
    munmap(bytes, d.size);
}

/* ---- flips and blanks ---- */

/* The time of a blank in ns. */
static uint64_t blank_time(uint64_t sequence) {
    const struct drm_crtc_get_sequence s = sequence_now();
    return (uint64_t)s.sequence_ns + (sequence - s.sequence) * (1000000000 / SLOW);
}

static void expect_flip(const char *what, uint64_t data, uint64_t time) {
    struct drm_event_vblank e;
    verdict(what, next_event(&e, 3000) && e.base.type == DRM_EVENT_FLIP_COMPLETE &&
                      e.base.length == sizeof e && e.user_data == data && e.crtc_id == crtc);
    const struct drm_crtc_get_sequence s = sequence_now();
    const uint64_t sequence =
        s.sequence + (uint64_t)((int64_t)(time - (uint64_t)s.sequence_ns) / (1000000000 / SLOW)) -
        (time < (uint64_t)s.sequence_ns &&
         (uint64_t)(s.sequence_ns - (int64_t)time) % (1000000000 / SLOW));
    const uint64_t at = blank_time(sequence);
    equal("the event of a flip has the number of its blank", e.sequence, (uint32_t)sequence);
    equal("the event of a flip has the seconds of its blank", e.tv_sec,
          (uint32_t)(at / 1000000000));
    equal("the event of a flip has the microseconds of its blank", e.tv_usec,
          (uint32_t)(at / 1000 % 1000000));
}

static void flips(void) {
    struct drm_event_vblank e;
    for (int i = 0; i < 2; i++)
        frames[i] = make_frame(width, height, 24);
    int n = window.count; /* both requests have arrived or will */
    gives("set a mode before flips", set_crtc(frames[0].fb, 0, 0, &mode), 0);
    static const uint64_t hours = UINT64_C(3600000000000);
    const uint64_t times[] = {0, 3 * hours + 123456789, 1000000 * hours + 999999999,
                              1150000 * hours + 1, 20 * hours + 50000000};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        window.waits = true;
        n = window.count;
        gives("ask for a flip that the window does not report",
              flip(frames[i % 2 ^ 1].fb, DRM_MODE_PAGE_FLIP_EVENT, 1000 + i), 0);
        const uint32_t name = said(n + 1).name;
        verdict("a flip that is not reported is under way",
                name && flip(frames[0].fb, 0, 0) == EBUSY && !next_event(&e, 0));
        say_shown(name + 1, now_ns());
        say_shown(name - 1, now_ns());
        say(&(struct screen_event){.kind = SCREEN_SHOWN, .name = name}, SIZE - 4);
        say(&(struct screen_event){.kind = 9, .name = name}, SIZE);
        verdict("a report with another name or length does not complete the flip",
                !next_event(&e, 30) && flip(frames[0].fb, 0, 0) == EBUSY);
        const uint64_t time = now_ns() + times[i];
        say_shown(i == 4 ? 0 : name, time); /* 0: any picture */
        expect_flip("the event of a flip comes when the window reports the frame", 1000 + i, time);
        verdict("a flip has one event", !next_event(&e, 5));
        window.waits = false;
    }
    gives("a flip without an event", flip(frames[0].fb, 0, 0), 0);
    gives("set a mode after a flip without an event", set_crtc(frames[1].fb, 0, 0, &mode), 0);
    verdict("no event comes of a flip without one", !next_event(&e, 5));
}

static void *wait_long(void *sequence) {
    union drm_wait_vblank w = {.request = {_DRM_VBLANK_RELATIVE, 6, 0}};
    verdict("wait for six blanks", ask(DRM_IOCTL_WAIT_VBLANK, &w) == 0);
    *(uint64_t *)sequence = w.reply.sequence;
    const uint64_t at = blank_time(w.reply.sequence);
    verdict("a wait for blanks gives the blank's time in microseconds",
            (uint64_t)w.reply.tval_sec == at / 1000000000 &&
                (uint64_t)w.reply.tval_usec == at / 1000 % 1000000);
    return NULL;
}

static atomic_bool waits_soon;

static void *wait_on_closed(void *fd) {
    union drm_wait_vblank w = {.request = {_DRM_VBLANK_RELATIVE, 4, 0}};
    waits_soon = true;
    gives("a wait goes on after its descriptor was closed",
          ask_of(*(int *)fd, DRM_IOCTL_WAIT_VBLANK, &w), 0);
    return NULL;
}

/* A card is closed while another thread waits in an ioctl. */
static void closed_in_a_wait(void) {
    pthread_t thread;
    int fd = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    const int plain = dup(fd);
    close(plain);
    pthread_create(&thread, NULL, wait_on_closed, &fd);
    while (!waits_soon)
        usleep(1000);
    usleep(60000);
    close(fd);
    pthread_join(thread, NULL);
    const int again = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    equal("a card that was closed in a wait leaves no descriptor", (uint64_t)again, (uint64_t)fd);
    close(again);
}

/* Runs the requests within one blank, so that their results are exact. Repeats the requests until
 * one blank was enough. */
#define WITHIN_A_BLANK(...)                                                                        \
    for (int tries = 0; tries < 50; tries++) {                                                     \
        const struct drm_crtc_get_sequence now = sequence_now();                                   \
        __VA_ARGS__                                                                                \
        if (sequence_now().sequence == now.sequence)                                               \
            break;                                                                                 \
    }

enum { PERIOD = 1000000000 / SLOW }; /* ns between blanks */

static void blank_waits(void) {
    const struct drm_crtc_get_sequence first = sequence_now();
    const uint64_t since = now_ns() - (uint64_t)first.sequence_ns;
    verdict("the last blank was less than one and a half periods ago", since < PERIOD + PERIOD / 2);
    uint64_t sequence = 0, start = now_ns();
    pthread_t thread;
    pthread_create(&thread, NULL, wait_long, &sequence);
    usleep(20000);
    sequence_now();
    verdict("another thread's request is answered while one waits", now_ns() - start < 200000000);
    pthread_join(thread, NULL);
    const uint64_t took = now_ns() - start;
    verdict("a wait for six blanks takes about six periods",
            took > 5 * (uint64_t)PERIOD - 5000000 && took < 12 * (uint64_t)PERIOD);
    verdict("a wait for six blanks gives the sixth blank's number",
            sequence >= first.sequence + 6 && sequence <= first.sequence + 7);
}

/* Sequences requested with each flag, and their events. */
static void blank_sequences(void) {
    enum { REL = DRM_CRTC_SEQUENCE_RELATIVE, NEXT = DRM_CRTC_SEQUENCE_NEXT_ON_MISS };
    static const struct {
        uint32_t flags;
        int64_t ahead, when;
    } rows[] = {{REL, 0, 0},   {REL, 2, 2},  {0, 1, 1},    {0, -1, -1},        {NEXT, 0, 1},
                {NEXT, -3, 1}, {NEXT, 1, 1}, {NEXT, 3, 3}, {REL | NEXT, 0, 1}, {REL | NEXT, 2, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct drm_crtc_queue_sequence q = {0};
        struct drm_event_crtc_sequence e;
        uint64_t base = 0;
        int queued = 0;
        WITHIN_A_BLANK({
            q = (struct drm_crtc_queue_sequence){
                .crtc_id = crtc,
                .flags = rows[i].flags,
                .user_data = 5,
                .sequence = (rows[i].flags & REL ? 0 : now.sequence) + (uint64_t)rows[i].ahead};
            base = now.sequence;
            queued += ask(DRM_IOCTL_CRTC_QUEUE_SEQUENCE, &q) == 0;
        })
        equal("a queued request tells the number of its blank", q.sequence,
              base + (uint64_t)rows[i].when);
        for (; queued; queued--)
            verdict("the event of a queued request comes",
                    next_event(&e, 1000) && e.base.type == DRM_EVENT_CRTC_SEQUENCE &&
                        e.base.length == sizeof e);
        equal("the event has the number of the blank", e.sequence, q.sequence);
        equal("the event has the time of the blank", (uint64_t)e.time_ns, blank_time(q.sequence));
        const uint64_t late = now_ns() - blank_time(q.sequence);
        verdict("the event comes in time", (int64_t)late > -2000000 && late < 250000000);
    }
}

/* DRM_IOCTL_WAIT_VBLANK, the older call, with each flag, with and without an event. */
static void blank_vblanks(void) {
    static const struct {
        uint32_t type;
        int32_t ahead, when;
    } old[] = {{_DRM_VBLANK_RELATIVE, 0, 0},
               {_DRM_VBLANK_RELATIVE, 1, 1},
               {_DRM_VBLANK_ABSOLUTE, 0, 0},
               {_DRM_VBLANK_ABSOLUTE, 2, 2},
               {_DRM_VBLANK_ABSOLUTE, -2, 0},
               {_DRM_VBLANK_ABSOLUTE | _DRM_VBLANK_NEXTONMISS, 0, 1},
               {_DRM_VBLANK_ABSOLUTE | _DRM_VBLANK_NEXTONMISS, -4, 1},
               {_DRM_VBLANK_ABSOLUTE | _DRM_VBLANK_NEXTONMISS, 1, 1}};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        for (int event = 0; event < 2; event++) {
            struct drm_event_vblank e;
            uint64_t base = 0;
            uint32_t got = 0;
            for (int tries = 0; tries < 20; tries++) { /* requested early within a blank */
                struct drm_crtc_get_sequence now = sequence_now();
                usleep((useconds_t)(blank_time(now.sequence + 1) - now_ns()) / 1000 + 1000);
                now = sequence_now();
                base = now.sequence;
                union drm_wait_vblank w = {
                    .request = {
                        (enum drm_vblank_seq_type)(old[i].type | (event ? _DRM_VBLANK_EVENT : 0)),
                        (old[i].type & _DRM_VBLANK_RELATIVE ? 0 : (uint32_t)base) +
                            (uint32_t)old[i].ahead,
                        77}};
                const uint64_t asked = now_ns();
                verdict("ask for a blank", ask(DRM_IOCTL_WAIT_VBLANK, &w) == 0);
                got = w.reply.sequence;
                const uint64_t at = blank_time(got);
                if (event) {
                    verdict("the event of a blank comes", next_event(&e, 1000) &&
                                                              e.base.type == DRM_EVENT_VBLANK &&
                                                              e.user_data == 77);
                    got = e.sequence;
                    const uint64_t then = blank_time(got);
                    verdict("the event has the time of the blank",
                            e.tv_sec == (uint32_t)(then / 1000000000) &&
                                e.tv_usec == then / 1000 % 1000000);
                } else
                    verdict("the answer has the time of the blank",
                            (uint64_t)w.reply.tval_sec == at / 1000000000 &&
                                (uint64_t)w.reply.tval_usec == at / 1000 % 1000000);
                if (asked < blank_time(base + 1) - 2000000)
                    break;
            }
            equal("the blank is the one that was asked for", got,
                  (uint32_t)base + (uint32_t)old[i].when);
            verdict("the blank is not in the future",
                    now_ns() + 1000000 > blank_time(base + (uint64_t)(int64_t)old[i].when));
        }
}

/* Each of several events comes at its time, whatever the order of the requests. */
static void blank_order(void) {
    static const uint64_t order[] = {5, 2, 8, 3};
    const uint64_t base = sequence_now().sequence;
    for (int i = 0; i < 4; i++)
        queue_sequence(card, base + order[i], 0, order[i]);
    static const uint64_t sorted[] = {2, 3, 5, 8};
    for (int i = 0; i < 4; i++) {
        struct drm_event_crtc_sequence e = {0};
        verdict("of several requests, the earliest blank's event comes first",
                next_event(&e, 2000) && e.user_data == sorted[i] && e.sequence == base + sorted[i]);
        verdict("each of several events comes in its time",
                now_ns() < blank_time(base + sorted[i]) + 45000000);
    }
}

static void blanks(void) {
    blank_waits();
    blank_sequences();
    blank_vblanks();
    blank_order();
}

/* No thread works while time passes, whether an event is pending or not. */
static void idles(void) {
    for (int i = 0; i < 2; i++) {
        struct timespec before, after;
        struct drm_event_vblank e;
        if (i)
            queue_sequence(card, 5, DRM_CRTC_SEQUENCE_RELATIVE, 0);
        struct rusage used, then;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
        getrusage(RUSAGE_SELF, &used);
        usleep(200000);
        getrusage(RUSAGE_SELF, &then);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
        verdict("no thread wakes while time passes", then.ru_nvcsw - used.ru_nvcsw < 60);
        verdict("no thread works while time passes",
                (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 <
                    70);
        verdict("the event comes if one was asked for", next_event(&e, i ? 1000 : 0) == (i == 1));
    }
}

/* ---- keys and pointers ---- */

static void say_input(uint32_t device, uint32_t type, uint32_t code, int32_t value) {
    say(&(struct screen_event){.kind = SCREEN_INPUT, .input = {device, type, code, value}}, SIZE);
}

static bool next_input(int fd, struct input_event *e, int ms) {
    struct pollfd ready = {fd, POLLIN, 0};
    return poll(&ready, 1, ms) == 1 && read(fd, e, sizeof *e) == sizeof *e;
}

static bool is_pressed(int fd, unsigned code) {
    uint8_t bits[KEY_CNT / 8] = {0};
    return ioctl(fd, EVIOCGKEY(sizeof bits), bits) == sizeof bits &&
           (bits[code / 8] >> code % 8 & 1);
}

static int count_pressed(int fd) {
    uint8_t bits[KEY_CNT / 8] = {0};
    int n = 0;
    ioctl(fd, EVIOCGKEY(sizeof bits), bits);
    for (size_t i = 0; i < sizeof bits * 8; i++)
        n += bits[i / 8] >> i % 8 & 1;
    return n;
}

static int all_keys;

static void inputs(int keys) {
    all_keys = keys;
    static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME};
    struct input_event e;
    uint64_t wrong = 0;
    const int pointer = open("/dev/input/event1", O_RDONLY | O_CLOEXEC | O_NONBLOCK),
              second = open("/dev/input/event0", O_RDONLY);
    verdict("three descriptors of input devices open", keys >= 0 && pointer >= 0 && second >= 0);
    verdict("a descriptor with O_NONBLOCK does not wait",
            read(pointer, &e, sizeof e) < 0 && errno == EAGAIN);
    verdict("descriptors have the flags that they were opened with",
            !(fcntl(keys, F_GETFL) & O_NONBLOCK) && (fcntl(pointer, F_GETFD) & FD_CLOEXEC) &&
                !(fcntl(second, F_GETFD) & FD_CLOEXEC));
    for (unsigned code = 0; code < KEY_CNT; code++)
        for (int value = 1; value >= 0; value--) {
            say_input(0, EV_KEY, code, value);
            wrong += !next_input(keys, &e, 2000) || e.type != EV_KEY || e.code != code ||
                     e.value != value;
            wrong += !next_input(second, &e, 2000) || e.code != code || e.value != value;
            if (code % 7 == 0 || code < 20 || code > KEY_CNT - 9)
                wrong += is_pressed(keys, code) != value || count_pressed(keys) != value ||
                         count_pressed(pointer);
        }
    equal("each key's events and state are right", wrong, 0);
    for (unsigned code = 0; code < KEY_CNT; code += 5)
        say_input(1, EV_KEY, code, 2);
    for (unsigned code = 0; code < KEY_CNT; code += 5)
        verdict("events of many buttons come", next_input(pointer, &e, 2000) && e.value == 2);
    equal("many buttons are held at once", (uint64_t)count_pressed(pointer), (KEY_CNT + 4) / 5);
    gives("buttons of the pointer are not held on the keyboard", count_pressed(keys), 0);
    say_input(1, EV_KEY, 5, 0);
    verdict("a released button is not held, the others are",
            next_input(pointer, &e, 2000) && !is_pressed(pointer, 5) &&
                count_pressed(pointer) == (KEY_CNT + 4) / 5 - 1 && is_pressed(pointer, 0) &&
                is_pressed(pointer, 10));
    static const struct {
        uint32_t device, type, code;
        int32_t value;
        int who; /* 0: keys, 1: pointer, -1: neither device */
    } rows[] = {{1, EV_ABS, ABS_X, 639, 1},
                {1, EV_REL, REL_WHEEL, -1, 1},
                {1, EV_SYN, 0, 0, 1},
                {0, EV_ABS, 30, 1, 0},
                {0, EV_SYN, SYN_REPORT, 0, 0},
                {2, EV_KEY, 30, 1, -1},
                {UINT32_MAX, EV_KEY, 30, 1, -1},
                {0, EV_KEY, KEY_CNT, 1, -1},
                {1, EV_KEY, UINT32_MAX, 1, -1},
                {0, EV_KEY, KEY_CNT - 1, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        say_input(rows[i].device, rows[i].type, rows[i].code, rows[i].value);
        if (rows[i].who >= 0)
            verdict("an event reaches the device's reader",
                    next_input(rows[i].who ? pointer : keys, &e, 2000) && e.type == rows[i].type &&
                        e.code == rows[i].code && e.value == rows[i].value);
        verdict("an event does not reach the other device's reader",
                !next_input(rows[i].who == 1 ? keys : pointer, &e, rows[i].who < 0 ? 20 : 0));
        if (rows[i].who == 0)
            verdict("an event reaches the second reader of the device",
                    next_input(second, &e, 2000));
    }
    gives("events of other types press no key", count_pressed(keys), 0);
    for (size_t i = 0; i < 3; i++) {
        struct timespec before, after;
        int clock = clocks[i];
        if (i)
            gives("set another clock", ioctl(keys, EVIOCSCLOCKID, &clock), 0);
        clock_gettime(clocks[i], &before);
        say_input(0, EV_KEY, KEY_A, (int)i & 1);
        verdict("an event comes after the clock is set", next_input(keys, &e, 2000));
        clock_gettime(clocks[i], &after);
        const int64_t us = (int64_t)e.input_event_sec * 1000000 + e.input_event_usec;
        verdict("an event has a time of the reader's clock",
                us >= (int64_t)before.tv_sec * 1000000 + before.tv_nsec / 1000 &&
                    us <= (int64_t)after.tv_sec * 1000000 + after.tv_nsec / 1000 &&
                    e.input_event_usec < 1000000);
        clock_gettime(CLOCK_REALTIME, &before);
        verdict("another reader's clock stays",
                next_input(second, &e, 2000) && before.tv_sec - (int64_t)e.input_event_sec < 5);
    }
    for (int clock = -1; clock < 12; clock++)
        verdict(
            "only three clocks are known",
            (ioctl(keys, EVIOCSCLOCKID, &clock) == 0) ==
                (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME));
    /* a client that does not read loses events; a closed client is forgotten */
    const int before = descriptors();
    for (int i = 0; i < 3000; i++) {
        say_input(0, EV_KEY, KEY_B, i & 1);
        wrong += !next_input(keys, &e, 2000) || e.value != (i & 1);
    }
    equal("a client that reads gets all events, although another does not read", wrong, 0);
    close(second);
    say_input(0, EV_KEY, KEY_C, 1);
    verdict("a client gets events after another was closed",
            next_input(keys, &e, 2000) && e.code == KEY_C);
    for (int i = 0; i < 500 && descriptors() > before - 2; i++) /* the other end is closed, too */
        usleep(2000);
    gives("a closed client has neither end open", descriptors(), before - 2);
    say_input(0, EV_KEY, KEY_C, 0);
    verdict("a client stays when another was closed", next_input(keys, &e, 2000));
    close(pointer);
}

/* ---- calls that fail (faults.h) ---- */

static int open_card(void) {
    const int fd = open("/dev/dri/card0", O_RDWR | O_NONBLOCK);
    const int error = error_of(fd);
    if (fd >= 0)
        close(fd);
    return error;
}

static int open_keys(void) {
    const int fd = open("/dev/input/event0", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const int error = error_of(fd);
    const char *const left = fault.name;
    fault.name = NULL;
    if (fd >= 0)
        close(fd);
    say_input(0, EV_KEY, KEY_Z, 0); /* the device closes its end of the socket */
    struct input_event e;
    verdict("another reader gets events after a failure", next_input(all_keys, &e, 2000));
    fault.name = left;
    return error;
}

static int framebuffer(void) {
    struct drm_mode_create_dumb d = {.width = 64, .height = 64, .bpp = 32};
    const int n = window.count;
    int error = ask(DRM_IOCTL_MODE_CREATE_DUMB, &d);
    if (error)
        return error;
    struct drm_mode_fb_cmd f = {
        .width = 64, .height = 64, .pitch = d.pitch, .bpp = 32, .depth = 24, .handle = d.handle};
    error = ask(DRM_IOCTL_MODE_ADDFB, &f);
    const char *const left = fault.name;
    fault.name = NULL;
    if (!error) {
        gives("remove the framebuffer", ask(DRM_IOCTL_MODE_RMFB, &f.fb_id), 0);
        said(n + 2);
    }
    gives("destroy the framebuffer's buffer",
          ask(DRM_IOCTL_MODE_DESTROY_DUMB, &(struct drm_mode_destroy_dumb){d.handle}), 0);
    pthread_mutex_lock(&window_lock); /* descriptors that came with the message */
    if (window.fd >= 0)
        close(window.fd);
    window.fd = -1;
    pthread_mutex_unlock(&window_lock);
    fault.name = left;
    return error;
}

static int set_blob(void) {
    int error;
    const uint32_t id = blob(&mode, sizeof mode, &error);
    return error ? error : ask(DRM_IOCTL_MODE_DESTROYPROPBLOB, &(struct drm_mode_destroy_blob){id});
}

static int set_new_mode(void) {
    static uint16_t skew; /* makes a mode that did not exist before */
    mode.hskew = ++skew;
    return set_crtc(frames[0].fb, 0, 0, &mode);
}

static int await_blank(void) {
    struct drm_event_vblank e;
    if (fault.name && strcmp(fault.name, "write") == 0)
        return 0; /* a real write to an eventfd does not fail */
    const int error = queue_sequence(card, 1, 0, 3);
    verdict("an event comes if the request succeeded", next_event(&e, error ? 0 : 2000) == !error);
    return error;
}

/* Connections to the window in processes of their own, which have closed their parent's
 * connection. */
static void connections(const char *folder) {
    static const char *const names[] = {"socket", "connect", "eventfd"};
    char path[64];
    const char *const before = strdup(getenv("TESLAPIPE_KMS"));
    const int listener = window.listener;
    snprintf(path, sizeof path, "%s/deaf", folder);
    listen_at(path);
    for (int i = 0; i < 3; i++) {
        const pid_t pid = fork();
        if (pid == 0) {
            const int count = descriptors();
            fault.name = names[i];
            fault.after = 0;
            const bool refused = open("/dev/input/event0", O_RDONLY) < 0 && errno == ENODEV;
            _exit(!refused || fault.name || descriptors() != count - 2);
        }
        child_ends(names[i], pid);
    }
    close(window.listener);
    unlink(path);
    window.listener = listener;
    setenv("TESLAPIPE_KMS", before, 1);
}

static void fail_once(void) {
    try_faults("open a card", open_card,
               "calloc ENOMEM, fcntl EMFILE, socketpair EMFILE, bind EACCES");
    try_faults("open a keyboard", open_keys,
               "calloc ENODEV, fcntl ENODEV, socketpair ENODEV, bind ENODEV");
    try_faults(
        "make a framebuffer", framebuffer,
        "malloc EIO, malloc works, calloc ENOMEM, memfd_create EMFILE, ftruncate ENOSPC, pwrite EIO, mmap ENOMEM, fstat EIO, "
        "fopen EIO, fcntl works, fcntl EMFILE");
    try_faults("make a blob", set_blob, "malloc ENOMEM");
    try_faults("set a new mode", set_new_mode, "malloc ENOMEM");
    try_faults("wait for a blank", await_blank, "malloc ENOMEM");
}

static void failures(const char *folder) {
    struct drm_mode_modeinfo first = mode;
    fail_once();
    without_input(fail_once);
    mode = first;
    connections(folder);
}

/* ---- a window's size, a child, its end ---- */

static void sizes(int pointer) {
    static const struct {
        uint32_t width, height, refresh;
    } rows[] = {{800, 600, 50}, {320, 200, 0}, {1281, 1025, 143}, {640, 400, SLOW}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct drm_mode_modeinfo all[8];
        struct drm_mode_get_connector c = {0};
        say_size(rows[i].width, rows[i].height, rows[i].refresh);
        for (int k = 0; k < 1000; k++) {
            c = (struct drm_mode_get_connector){
                .connector_id = connector, .count_modes = 8, .modes_ptr = (uintptr_t)all};
            ask(DRM_IOCTL_MODE_GETCONNECTOR, &c);
            if (all[0].hdisplay == rows[i].width)
                break;
            usleep(1000);
        }
        verdict("the first mode has the window's new size",
                all[0].hdisplay == rows[i].width && all[0].vdisplay == rows[i].height);
        const uint32_t rate = rows[i].refresh ? rows[i].refresh : 60;
        equal("the first mode has the window's new rate", all[0].vrefresh, rate);
        const struct drm_crtc_get_sequence first = sequence_now();
        usleep(60000);
        const struct drm_crtc_get_sequence last = sequence_now();
        verdict("blanks are counted at the new rate", last.sequence > first.sequence);
        equal("the time between blanks fits the new rate to the nanosecond",
              (uint64_t)(last.sequence_ns - first.sequence_ns),
              (last.sequence - first.sequence) * (1000000000 / rate));
        struct input_absinfo x, y;
        verdict("the pointer's range stays", ioctl(pointer, EVIOCGABS(ABS_X), &x) == 0 &&
                                                 ioctl(pointer, EVIOCGABS(ABS_Y), &y) == 0 &&
                                                 !x.minimum && x.maximum == 639 && !y.minimum &&
                                                 y.maximum == 399);
    }
}

/* A child has a connection of its own; its parent's events do not reach it. */
static void child(int keys) {
    struct input_event e;
    const int theirs = window.client;
    const int flags = fcntl(keys, F_GETFL);
    const pid_t pid = fork();
    if (pid == 0) {
        failed = 0;
        fcntl(keys, F_SETFL, flags);
        const int before = descriptors();
        verdict("a child uses its keyboard", ioctl(keys, EVIOCGID, &(struct input_id){0}) == 0);
        equal("a child's use of its keyboard adds one descriptor, the other end",
              (uint64_t)(descriptors() - before), 1);
        write(1, "", 0);
        struct pollfd ready = {keys, POLLIN, 0};
        verdict("a child gets its own window's event", poll(&ready, 1, 5000) == 1 &&
                                                           read(keys, &e, sizeof e) == sizeof e &&
                                                           e.code == KEY_X);
        verdict("a child has a display of its own", has_display());
        _exit(failed);
    }
    window.client = accept4(window.listener, NULL, NULL, SOCK_CLOEXEC);
    say_size(640, 400, SLOW);
    usleep(50000);
    say_input(0, EV_KEY, KEY_X, 1);
    const int of_child = window.client;
    window.client = theirs;
    child_ends("a child with a connection of its own succeeds", pid);
    close(of_child);
    say_input(0, EV_KEY, KEY_Y, 1);
    verdict("the parent gets its window's event after the child",
            next_input(keys, &e, 2000) && e.code == KEY_Y);
}

/* When the window is gone, pending flips complete, and later flips complete at once. */
static void end(void) {
    window.waits = true;
    const int n = window.count;
    gives("ask for a flip that the window does not report before it ends",
          flip(frames[0].fb, DRM_MODE_PAGE_FLIP_EVENT, 4242), 0);
    said(n + 1);
    const uint64_t start = now_ns();
    shutdown(window.client, SHUT_RDWR);
    struct drm_event_vblank e;
    verdict("a pending flip completes when the window ends",
            next_event(&e, 2500) && e.user_data == 4242 && now_ns() - start < 2000000000);
    gives("ask for a flip after the window ended",
          flip(frames[1].fb, DRM_MODE_PAGE_FLIP_EVENT, 4243), 0);
    verdict("a flip after the window ended completes at once",
            next_event(&e, 100) && e.user_data == 4243);
    gives("switch the CRTC off after the window ended", set_crtc(0, 0, 0, NULL), 0);
    verdict("no request waits long after the window ended", now_ns() - start < 2500000000);
    verdict("the keyboard does not open after the window ended",
            open("/dev/input/event0", O_RDONLY) < 0 && errno == ENODEV);
}

int main(void) {
    char folder[] = "/tmp/teslapipe-screens.XXXXXX", path[64];
    pthread_t thread;
    if (!mkdtemp(folder))
        return 2;
    for (size_t i = 0; i < sizeof greetings / sizeof *greetings; i++) {
        fflush(stdout);
        const pid_t pid = fork();
        if (pid == 0) {
            const int status = try_greeting(&greetings[i], folder);
            fflush(stdout);
            _exit(status);
        }
        child_ends(greetings[i].what, pid);
    }
    snprintf(path, sizeof path, "%s/window", folder);
    window.fd = -1;
    listen_at(path);
    greeting = (struct screen_event){.kind = SCREEN_SIZE, .size = {640, 400, SLOW}};
    greeting_bytes = SIZE;
    pthread_create(&thread, NULL, greet, NULL);
    const int keys = open("/dev/input/event0", O_RDONLY | O_CLOEXEC),
              pointer = open("/dev/input/event1", O_RDONLY | O_CLOEXEC);
    struct input_event e;
    say_shown(1, now_ns()); /* before the first request */
    say_input(0, EV_KEY, KEY_A, 1);
    verdict("an event comes before the card was opened",
            next_input(keys, &e, 2000) && e.code == KEY_A);
    say_input(0, EV_KEY, KEY_A, 0);
    verdict("the key's release comes, too", next_input(keys, &e, 2000));
    find();
    client_cap(DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1);
    ask(DRM_IOCTL_MODE_GETPLANERESOURCES,
        &(struct drm_mode_get_plane_res){.count_planes = 2, .plane_id_ptr = (uintptr_t)plane});
    requests();
    flips();
    blanks();
    closed_in_a_wait();
    idles();
    inputs(keys);
    failures(folder);
    sizes(pointer);
    child(keys);
    end();
    equal("requests have a descriptor if they tell of a buffer, and only then",
          (uint64_t)window.wrong, 0);
    unlink(path);
    rmdir(folder);
    return summary();
}
