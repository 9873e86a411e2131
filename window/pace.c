/* When a picture is shown, and when programs are told that theirs was. In: the time, what was
 * shown, what the user did. Out: whether something may be shown now, how long nothing will happen.
 *
 * Programs are told once a refresh, one that is late when its picture is there, and the first
 * picture that comes after a refresh is shown as soon as it is complete. But many draw a picture
 * and wait with it until the one before was shown: what they show then is older than a refresh, in
 * X11's queue older than three. So a program that the user does something to is told at once, as
 * often as it has pictures waiting, and no more than once a refresh.
 */
#include "window/window.h"

enum {
    AHEAD_WAYLAND = 2, /* pictures until one that was begun after the input: EGL's is waiting */
    AHEAD_KMS = 3,     /* one that a flip waits for, and one that waits for that flip */
    AHEAD_X = 4,       /* DRI3's three buffers besides it */
};

static struct {
    uint64_t refresh_due;
    bool shown; /* a picture, since the last refresh */
    struct {    /* the window that the user did something to */
        struct surface *surface;
        uint64_t pictures; /* until it has drawn as many, */
        uint64_t until;    /* or this is over */
    } urgent;
} pace;

static uint64_t frame_period(void) {
    return 1000000000u / (uint64_t)host_refresh();
}

static bool is_urgent(uint64_t now) {
    const struct surface *s = pace.urgent.surface;
    return s && now < pace.urgent.until && s->pictures < pace.urgent.pictures;
}

static void tell_presented(uint64_t now, const struct surface *root) {
    compositor_frames_due(root);
    compositor_frames_shown((uint32_t)(now / 1000000u));
}

void pace_input(struct surface *s) {
    const uint64_t now = now_ns();
    if (!s || now < pace.urgent.until)
        return;
    s = surface_root(s);
    pace.urgent.surface = s;
    pace.urgent.pictures = s->pictures + (uint64_t)(xwm_owns(s)       ? AHEAD_X
                                                    : s->device_input ? AHEAD_KMS
                                                                      : AHEAD_WAYLAND);
    pace.urgent.until = now + frame_period();
    tell_presented(now, s);
}

void pace_surface_gone(const struct surface *s) {
    if (pace.urgent.surface == s)
        pace.urgent.surface = NULL;
}

bool pace_may_show(uint64_t now) {
    if (now >= pace.refresh_due) {
        if (compositor.untold)
            tell_presented(now, NULL);
        pace.refresh_due += frame_period();
        if (pace.refresh_due <= now) /* nothing went on for a while */
            pace.refresh_due = now + frame_period();
        pace.shown = false;
    }
    return !pace.shown || is_urgent(now);
}

void pace_shown(uint64_t now) {
    pace.shown = true;
    if (is_urgent(now))
        compositor_frames_due(pace.urgent.surface);
    compositor_frames_shown((uint32_t)(now / 1000000u));
}

int pace_wait(uint64_t now, int idle_ms) {
    if (!compositor.untold && !compositor.dirty)
        return idle_ms;
    return now < pace.refresh_due ? (int)((pace.refresh_due - now) / 1000000u) + 1 : 0;
}
