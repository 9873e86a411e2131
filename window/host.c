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

enum { DEFAULT_REFRESH = 60, MAX_SIDE = 8192 };

static struct {
    bool headless, fullscreen, locked, watched;
    SDL_Window *window;
    SDL_Cursor *cursor;
    struct wl_event_source *source; /* for input from the user's display */
} host;

/* Linux's key codes, indexed by SDL's scancodes (the USB numbers of keys). */
static const uint8_t keys[SDL_NUM_SCANCODES] = {
    [4] = KEY_A,
    [5] = KEY_B,
    [6] = KEY_C,
    [7] = KEY_D,
    [8] = KEY_E,
    [9] = KEY_F,
    [10] = KEY_G,
    [11] = KEY_H,
    [12] = KEY_I,
    [13] = KEY_J,
    [14] = KEY_K,
    [15] = KEY_L,
    [16] = KEY_M,
    [17] = KEY_N,
    [18] = KEY_O,
    [19] = KEY_P,
    [20] = KEY_Q,
    [21] = KEY_R,
    [22] = KEY_S,
    [23] = KEY_T,
    [24] = KEY_U,
    [25] = KEY_V,
    [26] = KEY_W,
    [27] = KEY_X,
    [28] = KEY_Y,
    [29] = KEY_Z,
    [30] = KEY_1,
    [31] = KEY_2,
    [32] = KEY_3,
    [33] = KEY_4,
    [34] = KEY_5,
    [35] = KEY_6,
    [36] = KEY_7,
    [37] = KEY_8,
    [38] = KEY_9,
    [39] = KEY_0,
    [SDL_SCANCODE_RETURN] = KEY_ENTER,
    [SDL_SCANCODE_ESCAPE] = KEY_ESC,
    [SDL_SCANCODE_BACKSPACE] = KEY_BACKSPACE,
    [SDL_SCANCODE_TAB] = KEY_TAB,
    [SDL_SCANCODE_SPACE] = KEY_SPACE,
    [SDL_SCANCODE_MINUS] = KEY_MINUS,
    [SDL_SCANCODE_EQUALS] = KEY_EQUAL,
    [SDL_SCANCODE_LEFTBRACKET] = KEY_LEFTBRACE,
    [SDL_SCANCODE_RIGHTBRACKET] = KEY_RIGHTBRACE,
    [SDL_SCANCODE_BACKSLASH] = KEY_BACKSLASH,
    [SDL_SCANCODE_NONUSHASH] = KEY_BACKSLASH,
    [SDL_SCANCODE_SEMICOLON] = KEY_SEMICOLON,
    [SDL_SCANCODE_APOSTROPHE] = KEY_APOSTROPHE,
    [SDL_SCANCODE_GRAVE] = KEY_GRAVE,
    [SDL_SCANCODE_COMMA] = KEY_COMMA,
    [SDL_SCANCODE_PERIOD] = KEY_DOT,
    [SDL_SCANCODE_SLASH] = KEY_SLASH,
    [SDL_SCANCODE_CAPSLOCK] = KEY_CAPSLOCK,
    [SDL_SCANCODE_F1] = KEY_F1,
    [SDL_SCANCODE_F2] = KEY_F2,
    [SDL_SCANCODE_F3] = KEY_F3,
    [SDL_SCANCODE_F4] = KEY_F4,
    [SDL_SCANCODE_F5] = KEY_F5,
    [SDL_SCANCODE_F6] = KEY_F6,
    [SDL_SCANCODE_F7] = KEY_F7,
    [SDL_SCANCODE_F8] = KEY_F8,
    [SDL_SCANCODE_F9] = KEY_F9,
    [SDL_SCANCODE_F10] = KEY_F10,
    [SDL_SCANCODE_F11] = KEY_F11,
    [SDL_SCANCODE_F12] = KEY_F12,
    [SDL_SCANCODE_PRINTSCREEN] = KEY_SYSRQ,
    [SDL_SCANCODE_SCROLLLOCK] = KEY_SCROLLLOCK,
    [SDL_SCANCODE_PAUSE] = KEY_PAUSE,
    [SDL_SCANCODE_INSERT] = KEY_INSERT,
    [SDL_SCANCODE_HOME] = KEY_HOME,
    [SDL_SCANCODE_PAGEUP] = KEY_PAGEUP,
    [SDL_SCANCODE_DELETE] = KEY_DELETE,
    [SDL_SCANCODE_END] = KEY_END,
    [SDL_SCANCODE_PAGEDOWN] = KEY_PAGEDOWN,
    [SDL_SCANCODE_RIGHT] = KEY_RIGHT,
    [SDL_SCANCODE_LEFT] = KEY_LEFT,
    [SDL_SCANCODE_DOWN] = KEY_DOWN,
    [SDL_SCANCODE_UP] = KEY_UP,
    [SDL_SCANCODE_NUMLOCKCLEAR] = KEY_NUMLOCK,
    [SDL_SCANCODE_KP_DIVIDE] = KEY_KPSLASH,
    [SDL_SCANCODE_KP_MULTIPLY] = KEY_KPASTERISK,
    [SDL_SCANCODE_KP_MINUS] = KEY_KPMINUS,
    [SDL_SCANCODE_KP_PLUS] = KEY_KPPLUS,
    [SDL_SCANCODE_KP_ENTER] = KEY_KPENTER,
    [SDL_SCANCODE_KP_1] = KEY_KP1,
    [SDL_SCANCODE_KP_2] = KEY_KP2,
    [SDL_SCANCODE_KP_3] = KEY_KP3,
    [SDL_SCANCODE_KP_4] = KEY_KP4,
    [SDL_SCANCODE_KP_5] = KEY_KP5,
    [SDL_SCANCODE_KP_6] = KEY_KP6,
    [SDL_SCANCODE_KP_7] = KEY_KP7,
    [SDL_SCANCODE_KP_8] = KEY_KP8,
    [SDL_SCANCODE_KP_9] = KEY_KP9,
    [SDL_SCANCODE_KP_0] = KEY_KP0,
    [SDL_SCANCODE_KP_PERIOD] = KEY_KPDOT,
    [SDL_SCANCODE_NONUSBACKSLASH] = KEY_102ND,
    [SDL_SCANCODE_APPLICATION] = KEY_COMPOSE,
    [SDL_SCANCODE_LCTRL] = KEY_LEFTCTRL,
    [SDL_SCANCODE_LSHIFT] = KEY_LEFTSHIFT,
    [SDL_SCANCODE_LALT] = KEY_LEFTALT,
    [SDL_SCANCODE_LGUI] = KEY_LEFTMETA,
    [SDL_SCANCODE_RCTRL] = KEY_RIGHTCTRL,
    [SDL_SCANCODE_RSHIFT] = KEY_RIGHTSHIFT,
    [SDL_SCANCODE_RALT] = KEY_RIGHTALT,
    [SDL_SCANCODE_RGUI] = KEY_RIGHTMETA,
};

bool host_open(bool headless, bool fullscreen) {
    host.headless = headless;
    host.fullscreen = fullscreen;
    if (headless)
        return true;
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY") && !getenv("XDG_RUNTIME_DIR"))
        return false; /* avoids libwayland's message about a missing display */
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

void host_size(int width, int height) {
    if (host.headless)
        return;
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
    if (image) {
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
        const int w = e->data1 < 1 ? 1 : e->data1 > MAX_SIDE ? MAX_SIDE : e->data1;
        const int h = e->data2 < 1 ? 1 : e->data2 > MAX_SIDE ? MAX_SIDE : e->data2;
        compositor_resize(w, h);
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

static int host_readable(int fd, uint32_t mask, void *data) {
    (void)fd, (void)mask, (void)data;
    host_events();
    return 0;
}

/* Lets input from the user's X server wake the loop. With a Wayland display the loop polls
 * instead. */
void host_watch(struct wl_event_loop *loop) {
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
