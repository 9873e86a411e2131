/* Shows the picture in an SDL window on X11 or Wayland, or shows nothing (headless). In: pictures.
 * Out: the user's input, as calls of the seat and the compositor.
 */
#include "window/window.h"

#include <SDL.h>
#include <SDL_syswm.h>
#include <linux/input-event-codes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_REFRESH = 60, MAX_SIDE = 8192, MAX_CURSOR_SIDE = 512 };

static struct {
    bool headless, fullscreen, locked, watched;
    SDL_Window *window;
    SDL_Cursor *cursor;
    struct wl_event_source *source; /* for input from the user's display */
} host;

/* Linux's key codes, indexed by SDL's scancodes (the USB numbers of keys). */
/* clang-format off */
static const uint8_t keys[SDL_NUM_SCANCODES] = {
    [SDL_SCANCODE_A] = KEY_A, KEY_B, KEY_C, KEY_D, KEY_E, KEY_F, KEY_G, KEY_H, KEY_I, KEY_J,
        KEY_K, KEY_L, KEY_M, KEY_N, KEY_O, KEY_P, KEY_Q, KEY_R, KEY_S, KEY_T, KEY_U, KEY_V,
        KEY_W, KEY_X, KEY_Y, KEY_Z,
    [SDL_SCANCODE_1] = KEY_1, KEY_2, KEY_3, KEY_4, KEY_5, KEY_6, KEY_7, KEY_8, KEY_9, KEY_0,
    [SDL_SCANCODE_RETURN] = KEY_ENTER, KEY_ESC, KEY_BACKSPACE, KEY_TAB, KEY_SPACE, KEY_MINUS,
        KEY_EQUAL, KEY_LEFTBRACE, KEY_RIGHTBRACE, KEY_BACKSLASH, KEY_BACKSLASH, KEY_SEMICOLON,
        KEY_APOSTROPHE, KEY_GRAVE, KEY_COMMA, KEY_DOT, KEY_SLASH, KEY_CAPSLOCK,
    [SDL_SCANCODE_F1] = KEY_F1, KEY_F2, KEY_F3, KEY_F4, KEY_F5, KEY_F6, KEY_F7, KEY_F8, KEY_F9,
        KEY_F10, KEY_F11, KEY_F12, KEY_SYSRQ, KEY_SCROLLLOCK, KEY_PAUSE, KEY_INSERT, KEY_HOME,
        KEY_PAGEUP, KEY_DELETE, KEY_END, KEY_PAGEDOWN, KEY_RIGHT, KEY_LEFT, KEY_DOWN, KEY_UP,
    [SDL_SCANCODE_NUMLOCKCLEAR] = KEY_NUMLOCK, KEY_KPSLASH, KEY_KPASTERISK, KEY_KPMINUS,
        KEY_KPPLUS, KEY_KPENTER, KEY_KP1, KEY_KP2, KEY_KP3, KEY_KP4, KEY_KP5, KEY_KP6, KEY_KP7,
        KEY_KP8, KEY_KP9, KEY_KP0, KEY_KPDOT, KEY_102ND, KEY_COMPOSE,
    [SDL_SCANCODE_LCTRL] = KEY_LEFTCTRL, KEY_LEFTSHIFT, KEY_LEFTALT, KEY_LEFTMETA,
        KEY_RIGHTCTRL, KEY_RIGHTSHIFT, KEY_RIGHTALT, KEY_RIGHTMETA,
};
/* clang-format on */

bool host_open(bool headless, bool fullscreen) {
    host.headless = headless;
    host.fullscreen = fullscreen;
    if (headless)
        return true;
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY") && !getenv("XDG_RUNTIME_DIR"))
        return false; /* libwayland would print a message about a missing display */
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0"); /* no GPU scales or filters the picture */
    SDL_SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1");
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    if (SDL_Init(SDL_INIT_VIDEO) == 0) {
        const char *driver = SDL_GetCurrentVideoDriver();
        if (strcmp(driver, "x11") == 0 || strcmp(driver, "wayland") == 0)
            return true;
        SDL_Quit();
        SDL_SetError("SDL found only the driver %s", driver);
    }
    return false;
}

int host_refresh(void) {
    SDL_DisplayMode mode;
    if (!host.window || SDL_GetWindowDisplayMode(host.window, &mode) != 0 || mode.refresh_rate < 1)
        return DEFAULT_REFRESH;
    return mode.refresh_rate;
}

static int host_readable(int, uint32_t, void *) {
    host_events();
    return 0;
}

/* Lets input from the user's X server wake the loop. The loop polls a Wayland display. */
static void host_watch(struct wl_event_loop *loop) {
    SDL_SysWMinfo info;
    int fd = -1;
    SDL_VERSION(&info.version);
    if (!host.window || !SDL_GetWindowWMInfo(host.window, &info))
        return;
#ifdef SDL_VIDEO_DRIVER_X11
    if (info.subsystem == SDL_SYSWM_X11)
        fd = ConnectionNumber(info.info.x11.display);
#endif
    host.source =
        fd >= 0 ? wl_event_loop_add_fd(loop, fd, WL_EVENT_READABLE, host_readable, NULL) : NULL;
    host.watched = host.source != NULL;
}

static int side(int pixels) {
    return pixels < 1 ? 1 : pixels > MAX_SIDE ? MAX_SIDE : pixels;
}

void host_size(int width, int height) {
    if (host.headless)
        return;
    width = side(width); /* X has 16 bits for a side */
    height = side(height);
    if (host.window) {
        int w, h;
        SDL_GetWindowSize(host.window, &w, &h);
        if (!host.fullscreen && (w != width || h != height))
            SDL_SetWindowSize(host.window, width, height);
        return;
    }
    SDL_DisplayMode screen;
    if (host.fullscreen && SDL_GetDesktopDisplayMode(0, &screen) == 0) {
        width = screen.w;
        height = screen.h;
    }
    host.window = SDL_CreateWindow(
        "teslapipe", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, width, height,
        SDL_WINDOW_RESIZABLE | (host.fullscreen ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0));
    if (!host.window) {
        fprintf(stderr, "teslapipe gl: no window: %s\n", SDL_GetError());
        host.headless = true;
        return;
    }
    if (host.fullscreen) {
        int w, h;
        SDL_GetWindowSize(host.window, &w, &h);
        compositor.fixed = true;
        compositor_resize(w, h);
    }
    host_watch(compositor.loop);
}

void host_show(const struct image *frame) {
    SDL_Surface *s = host.window ? SDL_GetWindowSurface(host.window) : NULL;
    if (!s || !frame->pixels)
        return;
    const int w = s->w < frame->width ? s->w : frame->width;
    const int h = s->h < frame->height ? s->h : frame->height;
    if (s->w > frame->width || s->h > frame->height)
        SDL_FillRect(s, NULL, 0);
    SDL_ConvertPixels(w, h, SDL_PIXELFORMAT_RGB888, frame->pixels, frame->width * 4,
                      s->format->format, s->pixels, s->pitch);
    SDL_UpdateWindowSurface(host.window);
}

void host_title(const char *title) {
    if (host.window)
        SDL_SetWindowTitle(host.window, title);
}

void host_cursor(const struct image *image, int hot_x, int hot_y) {
    if (!host.window)
        return;
    SDL_Cursor *old = host.cursor;
    host.cursor = NULL;
    if (image && image->width <= MAX_CURSOR_SIDE && image->height <= MAX_CURSOR_SIDE) {
        SDL_Surface *s =
            SDL_CreateRGBSurfaceWithFormatFrom(image->pixels, image->width, image->height, 32,
                                               image->width * 4, SDL_PIXELFORMAT_ARGB8888);
        host.cursor = s ? SDL_CreateColorCursor(s, hot_x, hot_y) : NULL;
        SDL_FreeSurface(s);
    }
    SDL_SetCursor(host.cursor ? host.cursor : SDL_GetDefaultCursor());
    SDL_ShowCursor(image != NULL);
    if (old)
        SDL_FreeCursor(old);
}

void host_lock(bool locked) {
    host.locked = locked;
    if (host.window)
        SDL_SetRelativeMouseMode(locked);
}

void host_toggle_fullscreen(void) {
    if (!host.window)
        return;
    host.fullscreen = !host.fullscreen;
    SDL_SetWindowFullscreen(host.window, host.fullscreen ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
}

static void mouse_button(const SDL_MouseButtonEvent *e) {
    static const uint32_t codes[] = {0, BTN_LEFT, BTN_MIDDLE, BTN_RIGHT, BTN_SIDE, BTN_EXTRA};
    if (e->button < sizeof codes / sizeof *codes && codes[e->button])
        seat_button(codes[e->button], e->state == SDL_PRESSED);
}

static void window_event(const SDL_WindowEvent *e) {
    if (e->event == SDL_WINDOWEVENT_SIZE_CHANGED || e->event == SDL_WINDOWEVENT_RESIZED) {
        compositor_resize(side(e->data1), side(e->data2));
    } else if (e->event == SDL_WINDOWEVENT_EXPOSED) {
        compositor.dirty = true;
    } else if (e->event == SDL_WINDOWEVENT_FOCUS_LOST) {
        seat_leave();
    } else if (e->event == SDL_WINDOWEVENT_CLOSE) {
        window_close();
    }
}

void host_events(void) {
    SDL_Event e;
    while (!host.headless && SDL_PollEvent(&e)) {
        switch (e.type) {
        case SDL_WINDOWEVENT:
            window_event(&e.window);
            break;
        case SDL_KEYDOWN:
        case SDL_KEYUP:
            if (!e.key.repeat && keys[e.key.keysym.scancode])
                seat_key(keys[e.key.keysym.scancode], e.type == SDL_KEYDOWN);
            break;
        case SDL_MOUSEMOTION:
            if (!host.locked)
                seat_motion(e.motion.x, e.motion.y);
            seat_relative(e.motion.xrel, e.motion.yrel);
            break;
        case SDL_MOUSEBUTTONDOWN:
        case SDL_MOUSEBUTTONUP:
            if (!host.locked)
                seat_motion(e.button.x, e.button.y);
            mouse_button(&e.button);
            break;
        case SDL_MOUSEWHEEL:
            seat_axis(e.wheel.x, -e.wheel.y);
            break;
        }
    }
}

bool host_is_watched(void) {
    return host.headless || !host.window || host.watched;
}

void host_close(void) {
    if (host.source)
        wl_event_source_remove(host.source);
    host.source = NULL;
    host.window = NULL;
    if (!host.headless)
        SDL_Quit();
    host.headless = true;
}
