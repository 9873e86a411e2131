/* An X program, for tests/gl/window.sh, whose windows claim the surface of its first window. The
 * first window is then destroyed. The window must still answer. Prints the verdict.
 * usage: misuse_x */
#include <X11/Xlib.h>
#include <stdio.h>
#include <unistd.h>

enum {
    SIDE = 400, /* the memory of a picture as large as this is unmapped when it is freed */
    FIRST_ID = 10,
    CLAIMS = 20,
    PICTURE_US = 200000,
    GONE_US = 2000000 /* the X server keeps a surface for about a second */
};

/* Shows a window and waits for the window manager's answer and for the picture. */
static Window shown(Display *d, unsigned side) {
    const Window w = XCreateSimpleWindow(d, DefaultRootWindow(d), 0, 0, side, side, 0, 0, 0xff0000);
    XWindowAttributes a = {0};
    XMapWindow(d, w);
    while (a.map_state != IsViewable)
        XGetWindowAttributes(d, w, &a);
    return w;
}

/* Says that a window has a surface, as only the X server does. */
static void claim(Display *d, Window w, long surface) {
    XEvent e = {.xclient = {.type = ClientMessage, .format = 32, .window = w}};
    e.xclient.message_type = XInternAtom(d, "WL_SURFACE_ID", False);
    e.xclient.data.l[0] = surface;
    XSendEvent(d, DefaultRootWindow(d), False, SubstructureRedirectMask, &e);
}

static void wait_for(Display *d, unsigned us) {
    XSync(d, False);
    usleep(us);
}

int main(void) {
    Display *d = XOpenDisplay(NULL);
    Window other[CLAIMS];
    if (!d)
        return 1;
    const Window first = shown(d, SIDE);
    wait_for(d, PICTURE_US);
    for (int i = 0; i < CLAIMS; i++)
        other[i] = shown(d, 10);
    wait_for(d, PICTURE_US);
    for (int i = 0; i < CLAIMS; i++)
        claim(d, other[i], FIRST_ID + i);
    wait_for(d, PICTURE_US);
    XDestroyWindow(d, first);
    wait_for(d, GONE_US);
    shown(d, SIDE);
    XCloseDisplay(d);
    printf("the window answers\n");
    return 0;
}
