/* Asks an X window to close, as its close button does. usage: close_window ID */
#include <X11/Xlib.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    Display *d = XOpenDisplay(NULL);
    if (!d || argc < 2)
        return 1;
    XEvent e = {.xclient = {.type = ClientMessage, .format = 32}};
    e.xclient.window = strtoul(argv[1], NULL, 0);
    e.xclient.message_type = XInternAtom(d, "WM_PROTOCOLS", False);
    e.xclient.data.l[0] = (long)XInternAtom(d, "WM_DELETE_WINDOW", False);
    XSendEvent(d, e.xclient.window, False, 0, &e);
    XCloseDisplay(d);
    return 0;
}
