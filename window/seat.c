/* Keyboard and pointer of the clients. In: the user's input in the window (host.c). Out: events to
 * the surface under the pointer and to the focused surface; locked pointers for games.
 * XKB_DEFAULT_LAYOUT and similar variables choose the keyboard's layout. Keys have Linux's codes.
 */
#define _GNU_SOURCE
#include "drm/evdev.h"
#include "window/window.h"

#include <linux/input-event-codes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xkbcommon/xkbcommon.h>

#include "pointer-constraints-unstable-v1.h"
#include "relative-pointer-unstable-v1.h"

enum { SEAT_VERSION = 5, MAX_KEYS = 32, REPEAT_RATE = 25, REPEAT_DELAY = 600, XKB_OFFSET = 8 };

static struct {
    struct wl_list keyboards, pointers, relatives, locks; /* of all clients */
    struct surface *keyboard_focus, *pointer_focus;
    double x, y; /* position of the pointer in the picture */
    /* the user has moved the pointer; before that, the pointer is in the middle, as with X */
    bool moved;
    struct view *moving; /* the window that moves with the pointer, or NULL */
    int move_x, move_y;  /* offset from the pointer to the corner of that window */
    int buttons;         /* number of buttons held; while there are any, pointer_focus stays */
    uint32_t keys[MAX_KEYS];
    int key_count;
    struct xkb_context *context;
    struct xkb_keymap *keymap;
    struct xkb_state *state;
    int keymap_fd;
    uint32_t keymap_size;
    struct surface *cursor;
    int hot_x, hot_y;
} seat;

static bool same_client(struct wl_resource *a, const struct surface *s) {
    return s && s->resource && wl_resource_get_client(a) == wl_resource_get_client(s->resource);
}

static uint32_t next_serial(void) {
    return wl_display_next_serial(compositor.display);
}

/* Sends an event to a surface of a display device; EV_SYN ends a group of events. False if the
 * surface is not of a device. */
static bool to_device(struct surface *s, uint32_t device, uint32_t type, uint32_t code,
                      int32_t value) {
    if (!s || !s->device_input)
        return false;
    s->device_input(s, device, type, code, value);
    return true;
}

/* ---- the keyboard ---- */

static void send_modifiers(struct wl_resource *r) {
    wl_keyboard_send_modifiers(r, next_serial(),
                               xkb_state_serialize_mods(seat.state, XKB_STATE_MODS_DEPRESSED),
                               xkb_state_serialize_mods(seat.state, XKB_STATE_MODS_LATCHED),
                               xkb_state_serialize_mods(seat.state, XKB_STATE_MODS_LOCKED),
                               xkb_state_serialize_layout(seat.state, XKB_STATE_LAYOUT_EFFECTIVE));
}

static void send_enter(struct wl_resource *r) {
    struct wl_array keys = {(size_t)seat.key_count * sizeof *seat.keys, sizeof seat.keys,
                            seat.keys};
    wl_keyboard_send_enter(r, next_serial(), seat.keyboard_focus->resource, &keys);
    send_modifiers(r);
}

void seat_keyboard_focus(struct surface *s) {
    struct wl_resource *r;
    if (seat.keyboard_focus == s)
        return;
    wl_resource_for_each(r, &seat.keyboards) if (same_client(r, seat.keyboard_focus))
        wl_keyboard_send_leave(r, next_serial(), seat.keyboard_focus->resource);
    seat.keyboard_focus = s;
    clipboard_focus(s && s->resource ? wl_resource_get_client(s->resource) : NULL);
    wl_resource_for_each(r, &seat.keyboards) if (same_client(r, s)) send_enter(r);
}

/* Handles the commands of the window: Ctrl+Alt with S, R, F or G. False for other keys. */
static bool own_key(uint32_t code) {
    if (xkb_state_mod_name_is_active(seat.state, XKB_MOD_NAME_CTRL, XKB_STATE_MODS_EFFECTIVE) <=
            0 ||
        xkb_state_mod_name_is_active(seat.state, XKB_MOD_NAME_ALT, XKB_STATE_MODS_EFFECTIVE) <= 0)
        return false;
    if (code == KEY_S)
        window_save();
    else if (code == KEY_R)
        window_record();
    else if (code == KEY_F)
        host_toggle_fullscreen();
    else if (code == KEY_G)
        host_lock(false);
    else
        return false;
    return true;
}

void seat_key(uint32_t code, bool pressed) {
    struct wl_resource *r;
    int at = 0;
    while (at < seat.key_count && seat.keys[at] != code)
        at++;
    if (pressed == (at < seat.key_count) || (pressed && (at == MAX_KEYS || own_key(code))))
        return;
    if (pressed)
        seat.keys[seat.key_count++] = code;
    else
        seat.keys[at] = seat.keys[--seat.key_count];
    const enum xkb_state_component changed =
        xkb_state_update_key(seat.state, code + XKB_OFFSET, pressed ? XKB_KEY_DOWN : XKB_KEY_UP);
    pace_input(seat.keyboard_focus);
    if (to_device(seat.keyboard_focus, EVDEV_KEYBOARD, EV_KEY, code, pressed))
        to_device(seat.keyboard_focus, EVDEV_KEYBOARD, EV_SYN, SYN_REPORT, 0);
    wl_resource_for_each(r, &seat.keyboards) {
        if (!same_client(r, seat.keyboard_focus))
            continue;
        wl_keyboard_send_key(r, next_serial(), now_ms(), code, pressed);
        if (changed)
            send_modifiers(r);
    }
}

void seat_leave(void) {
    while (seat.key_count)
        seat_key(seat.keys[seat.key_count - 1], false);
}

static const struct wl_keyboard_interface keyboard_calls = {resource_destroy};

static void get_keyboard(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct wl_resource *r =
        resource_create(client, &wl_keyboard_interface, wl_resource_get_version(resource), id,
                        &keyboard_calls, NULL, resource_unlink);
    if (!r)
        return;
    wl_list_insert(&seat.keyboards, wl_resource_get_link(r));
    wl_keyboard_send_keymap(r, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, seat.keymap_fd, seat.keymap_size);
    if (wl_resource_get_version(r) >= WL_KEYBOARD_REPEAT_INFO_SINCE_VERSION)
        wl_keyboard_send_repeat_info(r, REPEAT_RATE, REPEAT_DELAY);
    if (same_client(r, seat.keyboard_focus))
        send_enter(r);
}

/* ---- the pointer ---- */

static void send_frame(struct wl_resource *r) {
    if (wl_resource_get_version(r) >= WL_POINTER_FRAME_SINCE_VERSION)
        wl_pointer_send_frame(r);
}

static struct wl_resource *active_lock(void) {
    struct wl_resource *r;
    wl_resource_for_each(r, &seat.locks) if (wl_resource_get_user_data(r) &&
                                             wl_resource_get_user_data(r) ==
                                                 seat.pointer_focus) return r;
    return NULL;
}

static bool seat_locked(void) {
    return active_lock() != NULL;
}

static void check_lock(void) {
    static struct wl_resource *told;
    struct wl_resource *lock = active_lock(), *r;
    if (lock == told)
        return;
    wl_resource_for_each(r, &seat.locks) if (r == told) zwp_locked_pointer_v1_send_unlocked(r);
    if (lock)
        zwp_locked_pointer_v1_send_locked(lock);
    told = lock;
    host_lock(lock != NULL);
}

/* The pointer's position in a surface, which need not be under the pointer. */
static void position_in(const struct surface *s, double *x, double *y) {
    struct view *v;
    int sx, sy;
    *x = seat.x;
    *y = seat.y;
    const struct surface *at = surface_at((int)seat.x, (int)seat.y, &sx, &sy, &v);
    if (at == s) {
        *x = sx + (seat.x - (int)seat.x);
        *y = sy + (seat.y - (int)seat.y);
    } else if (s->view) {
        *x -= s->view->x - s->view->inset_x;
        *y -= s->view->y - s->view->inset_y;
    }
}

static void pointer_focus(struct surface *s) {
    struct wl_resource *r;
    double x, y;
    if (seat.pointer_focus == s)
        return;
    wl_resource_for_each(r, &seat.pointers) if (same_client(r, seat.pointer_focus)) {
        wl_pointer_send_leave(r, next_serial(), seat.pointer_focus->resource);
        send_frame(r);
    }
    seat.pointer_focus = s;
    if (s)
        position_in(s, &x, &y);
    wl_resource_for_each(r, &seat.pointers) if (same_client(r, s)) {
        wl_pointer_send_enter(r, next_serial(), s->resource, wl_fixed_from_double(x),
                              wl_fixed_from_double(y));
        send_frame(r);
    }
    check_lock();
}

void seat_repick(void) {
    struct view *v;
    int sx, sy;
    if (!seat.moved) {
        seat.x = compositor.width / 2;
        seat.y = compositor.height / 2;
    }
    if (!seat.buttons)
        pointer_focus(surface_at((int)seat.x, (int)seat.y, &sx, &sy, &v));
}

static void motion_to_device(double x, double y) {
    struct surface *s = seat.pointer_focus;
    if (to_device(s, EVDEV_POINTER, EV_ABS, ABS_X, (int32_t)x) &&
        to_device(s, EVDEV_POINTER, EV_ABS, ABS_Y, (int32_t)y))
        to_device(s, EVDEV_POINTER, EV_SYN, SYN_REPORT, 0);
}

/* ---- moving windows ---- */

/* Begins to move a window. The user's desktop has a frame for the first window only. Other windows
 * are moved by Ctrl+Alt and the left button, or by a title bar that the program draws. */
void seat_move(struct view *v) {
    if (!v || !seat.buttons || !v->managed || v == compositor.primary || v->fullscreen)
        return;
    seat.moving = v;
    seat.move_x = v->x - (int)seat.x;
    seat.move_y = v->y - (int)seat.y;
}

void seat_view_gone(const struct view *v) {
    if (seat.moving == v)
        seat.moving = NULL;
}

static void move_window(void) {
    struct view *v = seat.moving;
    v->placed = true;
    v->x = (int)seat.x + seat.move_x;
    v->y = (int)seat.y + seat.move_y;
    if (v->calls->moved)
        v->calls->moved(v);
    compositor.dirty = true;
}

static bool moves_windows(uint32_t code) {
    return code == BTN_LEFT &&
           xkb_state_mod_name_is_active(seat.state, XKB_MOD_NAME_CTRL, XKB_STATE_MODS_EFFECTIVE) >
               0 &&
           xkb_state_mod_name_is_active(seat.state, XKB_MOD_NAME_ALT, XKB_STATE_MODS_EFFECTIVE) > 0;
}

/* True if the button belongs to a move of a window, so that the program does not get it. */
static bool button_moves(uint32_t code, bool pressed) {
    struct view *v;
    int sx, sy;
    if (seat.moving && !seat.buttons) {
        seat.moving = NULL;
        seat_repick();
        return true;
    }
    if (pressed && !seat_locked() && moves_windows(code) &&
        surface_at((int)seat.x, (int)seat.y, &sx, &sy, &v))
        seat_move(v);
    return seat.moving;
}

void seat_motion(double x, double y) {
    struct wl_resource *r;
    seat.x = x;
    seat.y = y;
    seat.moved = true;
    if (seat.moving) {
        move_window();
        return;
    }
    seat_repick();
    if (!seat.pointer_focus || seat_locked())
        return;
    pace_input(seat.pointer_focus);
    position_in(seat.pointer_focus, &x, &y);
    motion_to_device(x, y);
    wl_resource_for_each(r, &seat.pointers) if (same_client(r, seat.pointer_focus)) {
        wl_pointer_send_motion(r, now_ms(), wl_fixed_from_double(x), wl_fixed_from_double(y));
        send_frame(r);
    }
}

void seat_relative(double dx, double dy) {
    struct wl_resource *r;
    const uint64_t us = now_ns() / 1000;
    const wl_fixed_t x = wl_fixed_from_double(dx), y = wl_fixed_from_double(dy);
    if (seat_locked())
        pace_input(seat.pointer_focus);
    wl_resource_for_each(r, &seat.relatives) if (same_client(r, seat.pointer_focus))
        zwp_relative_pointer_v1_send_relative_motion(r, (uint32_t)(us >> 32), (uint32_t)us, x, y, x,
                                                     y);
    wl_resource_for_each(r, &seat.pointers) if (same_client(r, seat.pointer_focus)) send_frame(r);
}

/* Gives the keyboard to the clicked window and closes the menus of other windows. */
static void take_click(void) {
    struct view *v;
    int sx, sy;
    struct surface *s = surface_at((int)seat.x, (int)seat.y, &sx, &sy, &v);
    dismiss_menus(v);
    if (!s || !v->managed)
        return;
    if (v != compositor.primary)
        view_raise(v);
    view_focus(v);
}

void seat_button(uint32_t code, bool pressed) {
    struct wl_resource *r;
    seat.buttons += pressed ? 1 : seat.buttons > 0 ? -1 : 0;
    if (pressed && !seat_locked())
        take_click();
    if (button_moves(code, pressed))
        return;
    pace_input(seat.pointer_focus);
    if (to_device(seat.pointer_focus, EVDEV_POINTER, EV_KEY, code, pressed))
        to_device(seat.pointer_focus, EVDEV_POINTER, EV_SYN, SYN_REPORT, 0);
    wl_resource_for_each(r, &seat.pointers) if (same_client(r, seat.pointer_focus)) {
        wl_pointer_send_button(r, next_serial(), now_ms(), code, pressed);
        send_frame(r);
    }
    seat_repick();
}

void seat_axis(double dx, double dy) {
    enum { STEP = 10 }; /* distance for one notch of the wheel, in pixels */
    const double by[2] = {dy, dx};
    struct wl_resource *r;
    pace_input(seat.pointer_focus);
    if (dy != 0)
        to_device(seat.pointer_focus, EVDEV_POINTER, EV_REL, REL_WHEEL, (int32_t)-dy);
    if (dx != 0)
        to_device(seat.pointer_focus, EVDEV_POINTER, EV_REL, REL_HWHEEL, (int32_t)dx);
    to_device(seat.pointer_focus, EVDEV_POINTER, EV_SYN, SYN_REPORT, 0);
    wl_resource_for_each(r, &seat.pointers) {
        if (!same_client(r, seat.pointer_focus))
            continue;
        if (wl_resource_get_version(r) >= WL_POINTER_AXIS_SOURCE_SINCE_VERSION)
            wl_pointer_send_axis_source(r, WL_POINTER_AXIS_SOURCE_WHEEL);
        for (uint32_t axis = 0; axis < 2; axis++) {
            if (by[axis] == 0)
                continue;
            if (wl_resource_get_version(r) >= WL_POINTER_AXIS_DISCRETE_SINCE_VERSION)
                wl_pointer_send_axis_discrete(r, axis, (int32_t)by[axis]);
            wl_pointer_send_axis(r, now_ms(), axis, wl_fixed_from_double(by[axis] * STEP));
        }
        send_frame(r);
    }
}

void seat_cursor_committed(struct surface *s) {
    if (s == seat.cursor && s->image.width)
        host_cursor(&s->image, seat.hot_x, seat.hot_y);
}

static void set_cursor(struct wl_client *client, struct wl_resource *resource, uint32_t,
                       struct wl_resource *surface, int32_t x, int32_t y) {
    (void)resource;
    if (!seat.pointer_focus || !seat.pointer_focus->resource ||
        wl_resource_get_client(seat.pointer_focus->resource) != client)
        return;
    seat.cursor = surface_of(surface);
    seat.hot_x = x;
    seat.hot_y = y;
    if (!surface)
        host_cursor(NULL, 0, 0);
    else
        seat_cursor_committed(seat.cursor);
}

static const struct wl_pointer_interface pointer_calls = {set_cursor, resource_destroy};

static void get_pointer(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct wl_resource *r =
        resource_create(client, &wl_pointer_interface, wl_resource_get_version(resource), id,
                        &pointer_calls, NULL, resource_unlink);
    double x, y;
    if (!r)
        return;
    wl_list_insert(&seat.pointers, wl_resource_get_link(r));
    if (!same_client(r, seat.pointer_focus))
        return;
    position_in(seat.pointer_focus, &x, &y);
    wl_pointer_send_enter(r, next_serial(), seat.pointer_focus->resource, wl_fixed_from_double(x),
                          wl_fixed_from_double(y));
    send_frame(r);
}

static void get_touch(struct wl_client *, struct wl_resource *resource, uint32_t) {
    wl_resource_post_error(resource, WL_SEAT_ERROR_MISSING_CAPABILITY, "there is no touch screen");
}

static const struct wl_seat_interface seat_calls = {get_pointer, get_keyboard, get_touch,
                                                    resource_destroy};

static void bind_seat(struct wl_client *client, void *, uint32_t version, uint32_t id) {
    struct wl_resource *r =
        resource_create(client, &wl_seat_interface, (int)version, id, &seat_calls, NULL, NULL);
    if (!r)
        return;
    wl_seat_send_capabilities(r, WL_SEAT_CAPABILITY_POINTER | WL_SEAT_CAPABILITY_KEYBOARD);
    if (version >= WL_SEAT_NAME_SINCE_VERSION)
        wl_seat_send_name(r, "window");
}

void seat_surface_gone(struct surface *s) {
    struct wl_resource *r;
    if (seat.keyboard_focus == s) {
        seat.keyboard_focus = NULL;
        clipboard_focus(NULL);
    }
    wl_resource_for_each(r, &seat.locks) if (wl_resource_get_user_data(r) == s)
        wl_resource_set_user_data(r, NULL);
    if (seat.pointer_focus == s) {
        seat.pointer_focus = NULL;
        seat.buttons = 0;
        check_lock();
    }
    if (seat.cursor == s)
        seat.cursor = NULL;
}

/* ---- relative motion and locked pointers ---- */

static const struct zwp_relative_pointer_v1_interface relative_calls = {resource_destroy};

static void get_relative(struct wl_client *client, struct wl_resource *, uint32_t id,
                         struct wl_resource *) {
    struct wl_resource *r = resource_create(client, &zwp_relative_pointer_v1_interface, 1, id,
                                            &relative_calls, NULL, resource_unlink);
    if (!r)
        return;
    wl_list_insert(&seat.relatives, wl_resource_get_link(r));
}

static const struct zwp_relative_pointer_manager_v1_interface relative_manager_calls = {
    resource_destroy, get_relative};

static const struct global relative_manager = {&zwp_relative_pointer_manager_v1_interface, 1,
                                               &relative_manager_calls};

static void lock_gone(struct wl_resource *resource) {
    resource_unlink(resource);
    check_lock();
}

static const struct zwp_locked_pointer_v1_interface lock_calls = {resource_destroy, ignore_pair,
                                                                  ignore_object};
static const struct zwp_confined_pointer_v1_interface confine_calls = {resource_destroy,
                                                                       ignore_object};

static void lock_pointer(struct wl_client *client, struct wl_resource *, uint32_t id,
                         struct wl_resource *surface, struct wl_resource *, struct wl_resource *,
                         uint32_t) {
    struct wl_resource *r = resource_create(client, &zwp_locked_pointer_v1_interface, 1, id,
                                            &lock_calls, surface_of(surface), lock_gone);
    if (!r)
        return;
    wl_list_insert(&seat.locks, wl_resource_get_link(r));
    check_lock();
}

/* Accepts a request to confine the pointer. The request has no effect: the user's pointer may leave
 * the window at any time. */
static void confine_pointer(struct wl_client *client, struct wl_resource *, uint32_t id,
                            struct wl_resource *, struct wl_resource *, struct wl_resource *,
                            uint32_t) {
    struct wl_resource *r = resource_create(client, &zwp_confined_pointer_v1_interface, 1, id,
                                            &confine_calls, NULL, NULL);
    if (!r)
        return;
    zwp_confined_pointer_v1_send_confined(r);
}

static const struct zwp_pointer_constraints_v1_interface constraints_calls = {
    resource_destroy, lock_pointer, confine_pointer};

static const struct global constraints = {&zwp_pointer_constraints_v1_interface, 1,
                                          &constraints_calls};

static bool create_keymap(void) {
    seat.context = xkb_context_new(XKB_CONTEXT_NO_FLAGS);
    seat.keymap = seat.context
                      ? xkb_keymap_new_from_names(seat.context, NULL, XKB_KEYMAP_COMPILE_NO_FLAGS)
                      : NULL;
    seat.state = seat.keymap ? xkb_state_new(seat.keymap) : NULL;
    char *text =
        seat.state ? xkb_keymap_get_as_string(seat.keymap, XKB_KEYMAP_FORMAT_TEXT_V1) : NULL;
    if (!text)
        return false;
    seat.keymap_size = (uint32_t)strlen(text) + 1;
    seat.keymap_fd = memfd_create("teslapipe-keymap", MFD_CLOEXEC);
    const bool written = seat.keymap_fd >= 0 &&
                         write(seat.keymap_fd, text, seat.keymap_size) == (ssize_t)seat.keymap_size;
    free(text);
    return written;
}

bool seat_create(struct wl_display *display) {
    wl_list_init(&seat.keyboards);
    wl_list_init(&seat.pointers);
    wl_list_init(&seat.relatives);
    wl_list_init(&seat.locks);
    if (!create_keymap())
        return false;
    wl_global_create(display, &wl_seat_interface, SEAT_VERSION, NULL, bind_seat);
    global_create(display, &relative_manager);
    global_create(display, &constraints);
    return true;
}
