/* The window manager for Xwayland: X windows become views (window.h). In: X events on the socket
 * that Xwayland gives to its window manager. Out: X windows placed, sized, focused and closed for
 * the compositor. The message WL_SURFACE_ID tells which Wayland surface belongs to an X window.
 */
#include "window/window.h"

#include <stdlib.h>
#include <string.h>
#include <xcb/composite.h>
#include <xcb/xcb.h>

#define ATOMS(X)                                                                                   \
    X(WL_SURFACE_ID)                                                                               \
    X(WM_PROTOCOLS)                                                                                \
    X(WM_DELETE_WINDOW)                                                                            \
    X(WM_TAKE_FOCUS)                                                                               \
    X(WM_STATE)                                                                                    \
    X(WM_S0)                                                                                       \
    X(WM_TRANSIENT_FOR)                                                                            \
    X(WM_NAME)                                                                                     \
    X(UTF8_STRING)                                                                                 \
    X(_NET_WM_NAME)                                                                                \
    X(_NET_SUPPORTED)                                                                              \
    X(_NET_SUPPORTING_WM_CHECK)                                                                    \
    X(_NET_WM_STATE)                                                                               \
    X(_NET_WM_STATE_FULLSCREEN) X(_NET_ACTIVE_WINDOW) X(_NET_CLIENT_LIST) X(_NET_FRAME_EXTENTS)

struct xwindow {
    struct wl_list link;
    struct view view;
    xcb_window_t id;
    uint32_t surface_id; /* 0: not known yet, or the surface was found already */
    int width, height;
    bool shown, override, takes_focus, deletes;
};

static struct {
    xcb_connection_t *c;
    xcb_screen_t *screen;
    struct wl_client *client;
    struct wl_list windows;
    xcb_window_t own;
    struct wl_event_source *source;
    struct wl_listener client_gone;
#define X(name) xcb_atom_t name;
    ATOMS(X)
#undef X
} x;

static struct xwindow *find_window(xcb_window_t id) {
    struct xwindow *w;
    wl_list_for_each(w, &x.windows, link) if (w->id == id) return w;
    return NULL;
}

/* ---- calls of the compositor ---- */

static void put_window(struct xwindow *w) {
    const uint32_t values[] = {(uint32_t)w->view.x, (uint32_t)w->view.y, (uint32_t)w->width,
                               (uint32_t)w->height, 0};
    xcb_configure_window(x.c, w->id,
                         XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y | XCB_CONFIG_WINDOW_WIDTH |
                             XCB_CONFIG_WINDOW_HEIGHT | XCB_CONFIG_WINDOW_BORDER_WIDTH,
                         values);
    /* answer even without a change, for programs that wait for an answer */
    const xcb_configure_notify_event_t e = {
        .response_type = XCB_CONFIGURE_NOTIFY,
        .event = w->id,
        .window = w->id,
        .x = (int16_t)w->view.x,
        .y = (int16_t)w->view.y,
        .width = (uint16_t)w->width,
        .height = (uint16_t)w->height,
    };
    xcb_send_event(x.c, 0, w->id, XCB_EVENT_MASK_STRUCTURE_NOTIFY, (const char *)&e);
    xcb_flush(x.c);
}

static void x_configure(struct view *v, int width, int height) {
    struct xwindow *w = v->data;
    if (width > 0 && height > 0 && !v->rigid) {
        w->width = width;
        w->height = height;
    }
    put_window(w);
}

static void tell_window(const struct xwindow *w, xcb_atom_t what) {
    const xcb_client_message_event_t e = {
        .response_type = XCB_CLIENT_MESSAGE,
        .format = 32,
        .window = w->id,
        .type = x.WM_PROTOCOLS,
        .data.data32 = {what, XCB_CURRENT_TIME},
    };
    xcb_send_event(x.c, 0, w->id, 0, (const char *)&e);
}

static void x_close(struct view *v) {
    const struct xwindow *w = v->data;
    if (w->deletes)
        tell_window(w, x.WM_DELETE_WINDOW);
    else
        xcb_kill_client(x.c, w->id);
    xcb_flush(x.c);
}

static void x_activate(struct view *v, bool active) {
    const struct xwindow *w = v->data;
    const uint32_t above = XCB_STACK_MODE_ABOVE;
    if (!active)
        return;
    if (w->takes_focus)
        tell_window(w, x.WM_TAKE_FOCUS);
    xcb_set_input_focus(x.c, XCB_INPUT_FOCUS_POINTER_ROOT, w->id, XCB_CURRENT_TIME);
    xcb_configure_window(x.c, w->id, XCB_CONFIG_WINDOW_STACK_MODE, &above);
    xcb_change_property(x.c, XCB_PROP_MODE_REPLACE, x.screen->root, x._NET_ACTIVE_WINDOW,
                        XCB_ATOM_WINDOW, 32, 1, &w->id);
    xcb_flush(x.c);
}

static void x_moved(struct view *v) {
    put_window(v->data);
}

static const struct view_calls calls = {x_configure, x_close, x_activate, x_moved, NULL};

/* ---- surfaces ---- */

static void surface_committed(struct surface *s, void *role) {
    struct xwindow *w = role;
    if (!s->width || !w->shown)
        return;
    if (!w->view.mapped)
        view_map(&w->view);
}

static void surface_unmapped(struct surface *, void *role) {
    struct xwindow *w = role;
    view_unmap(&w->view);
    w->view.surface = NULL;
}

static void part_surface(struct xwindow *w) {
    view_unmap(&w->view);
    if (w->view.surface) {
        w->view.surface->committed = NULL;
        w->view.surface->unmapped = NULL;
        w->view.surface->role = NULL;
        w->view.surface->view = NULL;
    }
    w->view.surface = NULL;
}

/* Gives the surface to the window. A program may send a false WL_SURFACE_ID: if another window has
 * the surface, that window loses it. */
static void join_surface(struct xwindow *w, struct surface *s) {
    if (s->committed == surface_committed)
        part_surface(s->role);
    w->surface_id = 0;
    w->view.surface = s;
    s->view = &w->view;
    s->committed = surface_committed;
    s->unmapped = surface_unmapped;
    s->role = w;
    surface_committed(s, w);
}

bool xwm_owns(const struct surface *s) {
    return s->resource && wl_resource_get_client(s->resource) == x.client;
}

static void xwm_surface_created(struct surface *s) {
    struct xwindow *w;
    if (!xwm_owns(s))
        return;
    wl_list_for_each(w, &x.windows,
                     link) if (w->surface_id && w->surface_id == wl_resource_get_id(s->resource)) {
        join_surface(w, s);
        return;
    }
}

static void client_gone(struct wl_listener *, void *) {
    x.client = NULL;
}

void xwm_set_client(struct wl_client *client) {
    x.client = client;
    x.client_gone.notify = client_gone;
    if (client)
        wl_client_add_destroy_listener(client, &x.client_gone);
}

/* ---- properties ---- */

static xcb_get_property_reply_t *get_property(xcb_window_t id, xcb_atom_t name, xcb_atom_t type) {
    return xcb_get_property_reply(x.c, xcb_get_property(x.c, 0, id, name, type, 0, 256), NULL);
}

static void read_title(struct xwindow *w) {
    char title[128];
    xcb_get_property_reply_t *r = get_property(w->id, x._NET_WM_NAME, XCB_ATOM_ANY);
    if (r && !xcb_get_property_value_length(r)) {
        free(r);
        r = get_property(w->id, x.WM_NAME, XCB_ATOM_ANY);
    }
    const int n = r ? xcb_get_property_value_length(r) : 0;
    const size_t length = n < (int)sizeof title ? (size_t)n : sizeof title - 1;
    if (n)
        memcpy(title, xcb_get_property_value(r), length);
    title[length] = 0;
    view_titled(&w->view, title);
    free(r);
}

static bool lists_atom(xcb_window_t id, xcb_atom_t name, xcb_atom_t wanted) {
    xcb_get_property_reply_t *r = get_property(id, name, XCB_ATOM_ATOM);
    const xcb_atom_t *atom = r ? xcb_get_property_value(r) : NULL;
    bool found = false;
    for (int i = 0; r && i < xcb_get_property_value_length(r) / 4; i++)
        found = found || atom[i] == wanted;
    free(r);
    return found;
}

/* Reads the size hints. A window whose minimum and maximum size are equal has a fixed size. */
static void read_size_hints(struct xwindow *w) {
    enum { FLAGS = 0, LEAST = 5, MOST = 7, WORDS = 9, HAS_BOTH = 0x30 };
    xcb_get_property_reply_t *r = get_property(w->id, XCB_ATOM_WM_NORMAL_HINTS, XCB_ATOM_ANY);
    const uint32_t *hint = r ? xcb_get_property_value(r) : NULL;
    w->view.rigid = r && xcb_get_property_value_length(r) >= WORDS * 4 &&
                    (hint[FLAGS] & HAS_BOTH) == HAS_BOTH && hint[LEAST] == hint[MOST] &&
                    hint[LEAST + 1] == hint[MOST + 1];
    free(r);
}

static void read_properties(struct xwindow *w) {
    read_size_hints(w);
    xcb_get_property_reply_t *r = get_property(w->id, x.WM_TRANSIENT_FOR, XCB_ATOM_WINDOW);
    w->view.transient = r && xcb_get_property_value_length(r) == 4 &&
                        find_window(*(const xcb_window_t *)xcb_get_property_value(r));
    free(r);
    w->deletes = lists_atom(w->id, x.WM_PROTOCOLS, x.WM_DELETE_WINDOW);
    w->takes_focus = lists_atom(w->id, x.WM_PROTOCOLS, x.WM_TAKE_FOCUS);
    read_title(w);
}

static void set_state(struct xwindow *w, bool fullscreen) {
    const uint32_t state[] = {1 /* normal */, XCB_NONE};
    w->view.fullscreen = fullscreen;
    xcb_change_property(x.c, XCB_PROP_MODE_REPLACE, w->id, x.WM_STATE, x.WM_STATE, 32, 2, state);
    xcb_change_property(x.c, XCB_PROP_MODE_REPLACE, w->id, x._NET_WM_STATE, XCB_ATOM_ATOM, 32,
                        fullscreen ? 1 : 0, &x._NET_WM_STATE_FULLSCREEN);
}

/* ---- events ---- */

static void window_created(const xcb_create_notify_event_t *e) {
    struct xwindow *w = e->window == x.own ? NULL : calloc(1, sizeof *w);
    if (!w)
        return;
    w->id = e->window;
    w->width = e->width;
    w->height = e->height;
    w->override = e->override_redirect;
    w->view.x = e->x;
    w->view.y = e->y;
    w->view.managed = !w->override;
    w->view.calls = &calls;
    w->view.data = w;
    wl_list_insert(x.windows.prev, &w->link);
    const uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE;
    xcb_change_window_attributes(x.c, w->id, XCB_CW_EVENT_MASK, &mask);
}

static void map_request(struct xwindow *w) {
    read_properties(w);
    set_state(w,
              w->view.fullscreen || lists_atom(w->id, x._NET_WM_STATE, x._NET_WM_STATE_FULLSCREEN));
    if (w->view.fullscreen ||
        (compositor.fixed && !compositor.primary && !w->view.transient && !w->view.rigid)) {
        w->width = compositor.width;
        w->height = compositor.height;
        w->view.x = w->view.y = 0;
    } else if (!compositor.primary && !w->view.transient)
        w->view.x = w->view.y = 0;
    put_window(w);
    xcb_map_window(x.c, w->id);
}

static void configure_request(struct xwindow *w, const xcb_configure_request_event_t *e) {
    const bool follows = w->view.fullscreen ||
                         (compositor.fixed && &w->view == compositor.primary && !w->view.rigid);
    if (!follows && e->value_mask & XCB_CONFIG_WINDOW_WIDTH)
        w->width = e->width;
    if (!follows && e->value_mask & XCB_CONFIG_WINDOW_HEIGHT)
        w->height = e->height;
    if (!w->view.mapped && e->value_mask & XCB_CONFIG_WINDOW_X)
        w->view.x = e->x;
    if (!w->view.mapped && e->value_mask & XCB_CONFIG_WINDOW_Y)
        w->view.y = e->y;
    put_window(w);
}

static void window_configured(struct xwindow *w, const xcb_configure_notify_event_t *e) {
    if (w->override) {
        w->view.x = e->x;
        w->view.y = e->y;
        compositor.dirty = true;
    }
    w->width = e->width;
    w->height = e->height;
    if (w->view.mapped)
        view_sized(&w->view, e->width, e->height);
}

static void net_state(struct xwindow *w, const uint32_t *data) {
    enum { REMOVE, ADD, TOGGLE };
    if (data[1] != x._NET_WM_STATE_FULLSCREEN && data[2] != x._NET_WM_STATE_FULLSCREEN)
        return;
    set_state(w, data[0] == ADD || (data[0] == TOGGLE && !w->view.fullscreen));
    if (w->view.fullscreen) {
        w->view.x = w->view.y = 0;
        x_configure(&w->view, compositor.width, compositor.height);
    }
}

static void client_message(struct xwindow *w, const xcb_client_message_event_t *e) {
    if (e->type == x.WL_SURFACE_ID) {
        struct wl_resource *r = x.client ? wl_client_get_object(x.client, e->data.data32[0]) : NULL;
        part_surface(w);
        w->surface_id = e->data.data32[0];
        if (r && strcmp(wl_resource_get_class(r), "wl_surface") == 0)
            join_surface(w, surface_of(r));
    } else if (e->type == x._NET_WM_STATE) {
        net_state(w, e->data.data32);
    } else if (e->type == x._NET_ACTIVE_WINDOW && w->view.mapped) {
        view_focus(&w->view);
    }
}

static void forget_window(struct xwindow *w) {
    part_surface(w);
    wl_list_remove(&w->link);
    free(w);
}

static void handle_event(const xcb_generic_event_t *event) {
    const uint8_t type = event->response_type & 0x7f;
    /* the window of the event; the field differs between kinds of events */
    const xcb_window_t id =
        type == XCB_CREATE_NOTIFY       ? ((const xcb_create_notify_event_t *)event)->window
        : type == XCB_DESTROY_NOTIFY    ? ((const xcb_destroy_notify_event_t *)event)->window
        : type == XCB_MAP_REQUEST       ? ((const xcb_map_request_event_t *)event)->window
        : type == XCB_MAP_NOTIFY        ? ((const xcb_map_notify_event_t *)event)->window
        : type == XCB_UNMAP_NOTIFY      ? ((const xcb_unmap_notify_event_t *)event)->window
        : type == XCB_CONFIGURE_REQUEST ? ((const xcb_configure_request_event_t *)event)->window
        : type == XCB_CONFIGURE_NOTIFY  ? ((const xcb_configure_notify_event_t *)event)->window
        : type == XCB_PROPERTY_NOTIFY   ? ((const xcb_property_notify_event_t *)event)->window
        : type == XCB_CLIENT_MESSAGE    ? ((const xcb_client_message_event_t *)event)->window
                                        : XCB_NONE;
    struct xwindow *w = id ? find_window(id) : NULL;
    if (type == XCB_CREATE_NOTIFY && !w)
        window_created((const xcb_create_notify_event_t *)event);
    if (!w)
        return;
    switch (type) {
    case XCB_DESTROY_NOTIFY:
        forget_window(w);
        break;
    case XCB_MAP_REQUEST:
        map_request(w);
        break;
    case XCB_MAP_NOTIFY:
        w->shown = true;
        if (w->view.surface)
            surface_committed(w->view.surface, w);
        break;
    case XCB_UNMAP_NOTIFY:
        w->shown = false;
        part_surface(w);
        break;
    case XCB_CONFIGURE_REQUEST:
        configure_request(w, (const xcb_configure_request_event_t *)event);
        break;
    case XCB_CONFIGURE_NOTIFY:
        window_configured(w, (const xcb_configure_notify_event_t *)event);
        break;
    case XCB_PROPERTY_NOTIFY:
        read_properties(w);
        break;
    case XCB_CLIENT_MESSAGE:
        client_message(w, (const xcb_client_message_event_t *)event);
        break;
    }
}

static int x_readable(int, uint32_t, void *) {
    xcb_generic_event_t *e;
    while ((e = xcb_poll_for_event(x.c))) {
        handle_event(e);
        free(e);
    }
    xcb_flush(x.c);
    if (xcb_connection_has_error(x.c)) /* the X server is gone */
        wl_event_source_remove(x.source);
    return 0;
}

static void intern_atoms(void) {
    static const struct {
        const char *name;
        xcb_atom_t *atom;
    } atoms[] = {
#define X(name) {#name, &x.name},
        ATOMS(X)
#undef X
    };
    enum { COUNT = sizeof atoms / sizeof *atoms };
    xcb_intern_atom_cookie_t cookie[COUNT];
    for (int i = 0; i < COUNT; i++)
        cookie[i] = xcb_intern_atom(x.c, 0, (uint16_t)strlen(atoms[i].name), atoms[i].name);
    for (int i = 0; i < COUNT; i++) {
        xcb_intern_atom_reply_t *r = xcb_intern_atom_reply(x.c, cookie[i], NULL);
        *atoms[i].atom = r ? r->atom : XCB_ATOM_NONE;
        free(r);
    }
}

/* Sets the properties by which programs find out that there is a window manager, and its name. */
static void announce_manager(void) {
    static const char name[] = "teslapipe";
    const xcb_atom_t supported[] = {x._NET_WM_STATE, x._NET_WM_STATE_FULLSCREEN,
                                    x._NET_ACTIVE_WINDOW, x._NET_SUPPORTING_WM_CHECK};
    const xcb_window_t root = x.screen->root;
    x.own = xcb_generate_id(x.c);
    xcb_create_window(x.c, 0, x.own, root, 0, 0, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                      x.screen->root_visual, 0, NULL);
    xcb_change_property(x.c, XCB_PROP_MODE_REPLACE, x.own, x._NET_WM_NAME, x.UTF8_STRING, 8,
                        sizeof name - 1, name);
    xcb_change_property(x.c, XCB_PROP_MODE_REPLACE, x.own, x._NET_SUPPORTING_WM_CHECK,
                        XCB_ATOM_WINDOW, 32, 1, &x.own);
    xcb_change_property(x.c, XCB_PROP_MODE_REPLACE, root, x._NET_SUPPORTING_WM_CHECK,
                        XCB_ATOM_WINDOW, 32, 1, &x.own);
    xcb_change_property(x.c, XCB_PROP_MODE_REPLACE, root, x._NET_SUPPORTED, XCB_ATOM_ATOM, 32,
                        sizeof supported / sizeof *supported, supported);
    xcb_set_selection_owner(x.c, x.own, x.WM_S0, XCB_CURRENT_TIME);
}

bool xwm_create(int fd) {
    wl_list_init(&x.windows);
    x.c = xcb_connect_to_fd(fd, NULL);
    if (xcb_connection_has_error(x.c))
        return false;
    x.screen = xcb_setup_roots_iterator(xcb_get_setup(x.c)).data;
    intern_atoms();
    const uint32_t mask = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY |
                          XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT | XCB_EVENT_MASK_PROPERTY_CHANGE;
    xcb_change_window_attributes(x.c, x.screen->root, XCB_CW_EVENT_MASK, &mask);
    xcb_composite_redirect_subwindows(x.c, x.screen->root, XCB_COMPOSITE_REDIRECT_MANUAL);
    announce_manager();
    xcb_flush(x.c);
    compositor.surface_created = xwm_surface_created;
    x.source = wl_event_loop_add_fd(compositor.loop, xcb_get_file_descriptor(x.c),
                                    WL_EVENT_READABLE, x_readable, NULL);
    return x.source != NULL;
}
