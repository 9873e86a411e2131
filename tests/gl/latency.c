/* The time from a key press to a changed picture: presses a key in a window whose program
 * (window.c) then draws another background, and reads a corner of the window until it changes.
 * usage: latency WINDOW. Prints the shortest, the middle and the longest of 15 times in
 * milliseconds. Exit code 1: a picture never changed. */
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/keysym.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TIMES = 15, PATIENCE_MS = 5000, LOOK_US = 250 };

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void wait_us(long us) {
    nanosleep(&(struct timespec){0, us * 1000}, NULL);
}

static unsigned long corner(Display *display, Window window) {
    XImage *image = XGetImage(display, window, 2, 2, 1, 1, AllPlanes, ZPixmap);
    const unsigned long pixel = image ? XGetPixel(image, 0, 0) : 0;
    if (image)
        XDestroyImage(image);
    return pixel;
}

static void send_key(Display *display, Window window, int type) {
    XKeyEvent e = {.type = type, .display = display, .window = window, .time = CurrentTime};
    e.root = DefaultRootWindow(display);
    e.same_screen = True;
    e.keycode = XKeysymToKeycode(display, XK_b);
    XSendEvent(display, window, True, type == KeyPress ? KeyPressMask : KeyReleaseMask,
               (XEvent *)&e);
    XFlush(display);
}

/* Milliseconds; negative if the picture does not change. */
static double measure(Display *display, Window window) {
    const unsigned long before = corner(display, window);
    const double begin = now_ms();
    send_key(display, window, KeyPress);
    double passed = 0;
    while (corner(display, window) == before && passed < PATIENCE_MS) {
        wait_us(LOOK_US);
        passed = now_ms() - begin;
    }
    passed = now_ms() - begin;
    send_key(display, window, KeyRelease);
    return passed < PATIENCE_MS ? passed : -1;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    Display *display = XOpenDisplay(NULL);
    double taken[TIMES];
    if (argc != 2 || !display)
        return 2;
    for (int i = 0; i < TIMES; i++) {
        taken[i] = measure(display, strtoul(argv[1], NULL, 0));
        if (taken[i] < 0)
            return 1;
        wait_us(137000); /* not a multiple of a frame */
    }
    qsort(taken, TIMES, sizeof *taken, by_value);
    printf("%.1f %.1f %.1f\n", taken[0], taken[TIMES / 2], taken[TIMES - 1]);
    return 0;
}
