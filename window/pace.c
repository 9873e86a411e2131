/* Decides when a picture is shown, and when programs are told that their pictures were shown. In:
 * the time, pictures shown, input by the user. Out: permission to show a picture now; the time
 * until the next event.
 *
 * Programs are told once a refresh. A program whose picture comes late is told when the picture
 * arrives. The first picture after a refresh is shown as soon as it is complete.
 *
 * With this rule alone the user would see the effect of input late: many programs draw a picture
 * and hold it back until the picture before was shown. So a picture is older than one refresh when
 * it is shown, and older than three refreshes in X11's queue. Therefore a program that receives
 * input is told at once, as often as it has pictures waiting. This happens at most once a refresh.
 */
#include "window/window.h"

enum {
    /* Number of pictures from an input up to the first picture that was begun after the input.
     * Wayland: EGL holds one picture back. */
    AHEAD_WAYLAND = 2,
    AHEAD_KMS = 3, /* one picture waits for a flip, one for the event of a flip */
    AHEAD_X = 4,   /* three pictures are in the buffers of DRI3 */
};

static struct {
    uint64_t refresh_due;
    bool shown; /* a picture was shown since the last refresh */
    struct {    /* the window that last received input */
        struct surface *surface;
        uint64_t pictures; /* the program is told at once while it has fewer pictures than this */
        uint64_t until;    /* the program is told at once before this time (ns) */
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
        if (pace.refresh_due <= now) /* refreshes were missed */
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
