/* xdg-shell, the protocol by which Wayland programs ask for windows and menus. In: requests. Out:
 * views (window.h). Programs are told to draw no decorations, since the user's window manager draws
 * them.
 */
#include "window/window.h"

#include <stdlib.h>
#include <string.h>

#include "xdg-decoration-unstable-v1.h"
#include "xdg-shell.h"

struct positioner {
    int width, height;
    struct rect anchor_rect;
    uint32_t anchor, gravity;
    int offset_x, offset_y;
};

/* An xdg_surface with a toplevel or popup. */
struct shell {
    struct view view;
    struct wl_resource *resource, *toplevel, *popup;
    struct shell *parent; /* the parent of a popup; NULL: none */
    struct wl_listener parent_gone;
    struct positioner position;
    /* size of the window without shadows; 0: that of the surface */
    int geometry_width, geometry_height;
    bool configured, grabs, active;
    int width, height;  /* the size that was asked for last; 0: the program chooses */
    uint32_t waits_for; /* serial of the request that the program has not answered; 0: none */
    struct wl_signal gone;
};

/* ---- positioners ---- */

static struct positioner *positioner_of(struct wl_resource *resource) {
    return wl_resource_get_user_data(resource);
}

static void position_size(struct wl_client *, struct wl_resource *r, int32_t w, int32_t h) {
    positioner_of(r)->width = w;
    positioner_of(r)->height = h;
}

static void position_rect(struct wl_client *, struct wl_resource *r, int32_t x, int32_t y,
                          int32_t w, int32_t h) {
    positioner_of(r)->anchor_rect = (struct rect){x, y, w, h};
}

static void position_anchor(struct wl_client *, struct wl_resource *r, uint32_t anchor) {
    positioner_of(r)->anchor = anchor;
}

static void position_gravity(struct wl_client *, struct wl_resource *r, uint32_t gravity) {
    positioner_of(r)->gravity = gravity;
}

static void position_offset(struct wl_client *, struct wl_resource *r, int32_t x, int32_t y) {
    positioner_of(r)->offset_x = x;
    positioner_of(r)->offset_y = y;
}

static const struct xdg_positioner_interface positioner_calls = {
    resource_destroy, position_size,   position_rect,  position_anchor, position_gravity,
    ignore_uint,      position_offset, ignore_request, ignore_pair,     ignore_uint,
};

/* The side of an anchor or gravity of xdg_positioner: -1 left or top, 0 middle, 1 right or
 * bottom. */
static int side_x(uint32_t edge) {
    return edge == 3 || edge == 5 || edge == 6 ? -1 : edge == 4 || edge == 7 || edge == 8 ? 1 : 0;
}

static int side_y(uint32_t edge) {
    return edge == 1 || edge == 5 || edge == 7 ? -1 : edge == 2 || edge == 6 || edge == 8 ? 1 : 0;
}

/* Position of a popup relative to its parent window, moved so that the popup lies in the
 * picture. */
static void popup_place(struct shell *p, int *x, int *y) {
    const struct positioner *o = &p->position;
    const struct rect *r = &o->anchor_rect;
    const struct view *parent = &p->parent->view;
    *x = r->x + r->width * (side_x(o->anchor) + 1) / 2 + o->width * (side_x(o->gravity) - 1) / 2 +
         o->offset_x;
    *y = r->y + r->height * (side_y(o->anchor) + 1) / 2 + o->height * (side_y(o->gravity) - 1) / 2 +
         o->offset_y;
    const int right = compositor.width - o->width - parent->x;
    const int low = compositor.height - o->height - parent->y;
    *x = *x > right ? right : *x;
    *y = *y > low ? low : *y;
    *x = *x < -parent->x ? -parent->x : *x;
    *y = *y < -parent->y ? -parent->y : *y;
}

/* ---- events to windows ---- */

static void send_configure(struct shell *s) {
    struct wl_array states;
    uint32_t *state;
    if (s->toplevel) {
        wl_array_init(&states);
        if (s->active && (state = wl_array_add(&states, sizeof *state)))
            *state = XDG_TOPLEVEL_STATE_ACTIVATED;
        if (s->width && (state = wl_array_add(&states, sizeof *state)))
            *state =
                s->view.fullscreen ? XDG_TOPLEVEL_STATE_FULLSCREEN : XDG_TOPLEVEL_STATE_MAXIMIZED;
        xdg_toplevel_send_configure(s->toplevel, s->width, s->height, &states);
        wl_array_release(&states);
    }
    s->waits_for = wl_display_next_serial(compositor.display);
    xdg_surface_send_configure(s->resource, s->waits_for);
    s->configured = true;
}

static void view_configure(struct view *v, int width, int height) {
    struct shell *s = v->data;
    s->width = width;
    s->height = height;
    send_configure(s);
}

static void view_close(struct view *v) {
    struct shell *s = v->data;
    if (s->toplevel)
        xdg_toplevel_send_close(s->toplevel);
}

static void view_activate(struct view *v, bool active) {
    struct shell *s = v->data;
    s->active = active;
    if (s->toplevel)
        send_configure(s);
}

static void view_dismiss(struct view *v) {
    struct shell *s = v->data;
    if (!s->popup || !s->grabs)
        return;
    xdg_popup_send_popup_done(s->popup);
    view_unmap(v);
}

static const struct view_calls calls = {view_configure, view_close, view_activate, NULL,
                                        view_dismiss};

static void popup_show(struct shell *s) {
    int x, y;
    if (!s->parent)
        return;
    popup_place(s, &x, &y);
    s->view.x = s->parent->view.x + x;
    s->view.y = s->parent->view.y + y;
    xdg_popup_send_configure(s->popup, x, y, s->position.width, s->position.height);
}

static void surface_committed(struct surface *surface, void *role) {
    struct shell *s = role;
    if (!s->toplevel && !s->popup)
        return;
    if (!s->configured) {
        if (s->popup)
            popup_show(s);
        else if (s->view.fullscreen) {
            s->width = compositor.width;
            s->height = compositor.height;
        }
        /* A fixed size is requested only when the window is mapped (view_map): some programs (mpv)
         * do not follow the size of the first request. */
        send_configure(s);
        return;
    }
    const int width = s->geometry_width ? s->geometry_width : surface->width;
    const int height = s->geometry_height ? s->geometry_height : surface->height;
    /* the program has unmapped the window; now its first commit is expected again */
    if (!surface->width && s->view.mapped) {
        view_unmap(&s->view);
        s->configured = false;
    } else if (!surface->width) {
        return;
    } else if (!s->view.mapped) {
        view_map(&s->view);
        if (s->view.inset_x || s->view.inset_y)
            view_sized(&s->view, width, height);
    } else if (s->toplevel && !s->waits_for && (width != s->width || height != s->height))
        view_sized(&s->view, width, height);
}

static void surface_unmapped(struct surface *surface, void *role) {
    struct shell *s = role;
    (void)surface;
    view_unmap(&s->view);
    s->view.surface = NULL;
}

/* ---- toplevels ---- */

static struct shell *shell_of(struct wl_resource *resource) {
    return wl_resource_get_user_data(resource);
}

/* Called when a toplevel or a popup is destroyed. */
static void role_gone(struct wl_resource *resource) {
    struct shell *s = shell_of(resource);
    if (!s)
        return;
    *(resource == s->toplevel ? &s->toplevel : &s->popup) = NULL;
    s->configured = false;
    view_unmap(&s->view);
}

static void toplevel_parent(struct wl_client *, struct wl_resource *r, struct wl_resource *parent) {
    if (shell_of(r))
        shell_of(r)->view.transient = parent != NULL;
}

static void toplevel_title(struct wl_client *, struct wl_resource *r, const char *title) {
    if (shell_of(r))
        view_titled(&shell_of(r)->view, title);
}

static void toplevel_app(struct wl_client *, struct wl_resource *, const char *) {
}

static void toplevel_menu(struct wl_client *, struct wl_resource *, struct wl_resource *, uint32_t,
                          int32_t, int32_t) {
}

static void toplevel_move(struct wl_client *, struct wl_resource *r, struct wl_resource *,
                          uint32_t) {
    if (shell_of(r) && shell_of(r)->view.mapped)
        seat_move(&shell_of(r)->view);
}

static void toplevel_resize(struct wl_client *, struct wl_resource *, struct wl_resource *,
                            uint32_t, uint32_t) {
}

static void set_fullscreen(struct wl_resource *r, bool on) {
    struct shell *s = shell_of(r);
    if (!s)
        return;
    s->view.fullscreen = on;
    s->width = on ? compositor.width : 0;
    s->height = on ? compositor.height : 0;
    if (s->configured)
        send_configure(s);
}

static void toplevel_state(struct wl_client *, struct wl_resource *r) {
    if (shell_of(r) && shell_of(r)->configured)
        send_configure(shell_of(r));
}

static void toplevel_fullscreen(struct wl_client *, struct wl_resource *r, struct wl_resource *) {
    set_fullscreen(r, true);
}

static void toplevel_windowed(struct wl_client *, struct wl_resource *r) {
    set_fullscreen(r, false);
}

static const struct xdg_toplevel_interface toplevel_calls = {
    .destroy = resource_destroy,
    .set_parent = toplevel_parent,
    .set_title = toplevel_title,
    .set_app_id = toplevel_app,
    .show_window_menu = toplevel_menu,
    .move = toplevel_move,
    .resize = toplevel_resize,
    .set_max_size = ignore_pair,
    .set_min_size = ignore_pair,
    .set_maximized = toplevel_state,
    .unset_maximized = toplevel_state,
    .set_fullscreen = toplevel_fullscreen,
    .unset_fullscreen = toplevel_windowed,
    .set_minimized = toplevel_state,
};

/* True, after an error to the client, if the surface is a window or a menu already. */
static bool is_taken(struct wl_resource *resource) {
    const struct shell *s = shell_of(resource);
    if (s->toplevel || s->popup)
        wl_resource_post_error(resource, XDG_SURFACE_ERROR_ALREADY_CONSTRUCTED,
                               "the surface has a role");
    return s->toplevel || s->popup;
}

static void get_toplevel(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct shell *s = shell_of(resource);
    if (is_taken(resource))
        return;
    s->toplevel =
        resource_create(client, &xdg_toplevel_interface, wl_resource_get_version(resource), id,
                        &toplevel_calls, s, role_gone);
    s->view.managed = s->toplevel != NULL;
}

/* ---- popups ---- */

static void popup_grab(struct wl_client *, struct wl_resource *r, struct wl_resource *, uint32_t) {
    if (shell_of(r))
        shell_of(r)->grabs = true;
}

static void popup_reposition(struct wl_client *, struct wl_resource *r,
                             struct wl_resource *positioner, uint32_t token) {
    struct shell *s = shell_of(r);
    if (!s)
        return;
    s->position = *positioner_of(positioner);
    xdg_popup_send_repositioned(r, token);
    popup_show(s);
    send_configure(s);
}

static const struct xdg_popup_interface popup_calls = {resource_destroy, popup_grab,
                                                       popup_reposition};

static void parent_gone(struct wl_listener *l, void *) {
    struct shell *s = wl_container_of(l, s, parent_gone);
    wl_list_remove(&l->link);
    s->parent = NULL;
}

static void get_popup(struct wl_client *client, struct wl_resource *resource, uint32_t id,
                      struct wl_resource *parent, struct wl_resource *positioner) {
    struct shell *s = shell_of(resource);
    if (is_taken(resource))
        return;
    s->popup =
        wl_resource_create(client, &xdg_popup_interface, wl_resource_get_version(resource), id);
    if (!s->popup || !parent || parent == resource || s->parent) {
        s->popup = NULL;
        wl_resource_post_error(resource, XDG_WM_BASE_ERROR_INVALID_POPUP_PARENT, "no parent");
        return;
    }
    s->position = *positioner_of(positioner);
    s->parent = shell_of(parent);
    s->parent_gone.notify = parent_gone;
    wl_signal_add(&s->parent->gone, &s->parent_gone);
    wl_resource_set_implementation(s->popup, &popup_calls, s, role_gone);
}

/* ---- xdg_surface, xdg_wm_base ---- */

static void shell_gone(struct wl_resource *resource) {
    struct shell *s = shell_of(resource);
    view_unmap(&s->view);
    wl_signal_emit(&s->gone, s);
    if (s->parent)
        wl_list_remove(&s->parent_gone.link);
    if (s->view.surface) {
        s->view.surface->committed = NULL;
        s->view.surface->unmapped = NULL;
        s->view.surface->view = NULL;
        s->view.surface->role = NULL;
    }
    if (s->toplevel)
        wl_resource_set_user_data(s->toplevel, NULL);
    if (s->popup)
        wl_resource_set_user_data(s->popup, NULL);
    free(s);
}

static void set_geometry(struct wl_client *, struct wl_resource *resource, int32_t x, int32_t y,
                         int32_t width, int32_t height) {
    struct shell *s = shell_of(resource);
    s->view.inset_x = x;
    s->view.inset_y = y;
    compositor.dirty = true;
    s->geometry_width = width;
    s->geometry_height = height;
}

static void ack_configure(struct wl_client *, struct wl_resource *r, uint32_t serial) {
    struct shell *s = shell_of(r);
    if (s->waits_for == serial)
        s->waits_for = 0;
}

static const struct xdg_surface_interface xdg_surface_calls = {
    resource_destroy, get_toplevel, get_popup, set_geometry, ack_configure,
};

static void get_xdg_surface(struct wl_client *client, struct wl_resource *resource, uint32_t id,
                            struct wl_resource *surface) {
    struct surface *on = surface_of(surface);
    struct shell *s = calloc(1, sizeof *s);
    struct wl_resource *made =
        wl_resource_create(client, &xdg_surface_interface, wl_resource_get_version(resource), id);
    if (!s || !made || on->role) {
        free(s);
        wl_resource_post_error(resource, XDG_WM_BASE_ERROR_ROLE, "the surface has a role");
        return;
    }
    s->resource = made;
    s->view.surface = on;
    s->view.calls = &calls;
    s->view.data = s;
    wl_signal_init(&s->gone);
    on->view = &s->view;
    on->committed = surface_committed;
    on->unmapped = surface_unmapped;
    on->role = s;
    wl_resource_set_implementation(made, &xdg_surface_calls, s, shell_gone);
}

static void create_positioner(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    resource_with_data(client, &xdg_positioner_interface, wl_resource_get_version(resource), id,
                       &positioner_calls, sizeof(struct positioner), resource_free);
}

static const struct xdg_wm_base_interface base_calls = {resource_destroy, create_positioner,
                                                        get_xdg_surface, ignore_uint};

static const struct global base = {&xdg_wm_base_interface, 3, &base_calls};

/* ---- decorations ---- */

static void decoration_mode(struct wl_client *, struct wl_resource *r, uint32_t) {
    zxdg_toplevel_decoration_v1_send_configure(r, ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE);
}

static void decoration_unset(struct wl_client *client, struct wl_resource *r) {
    decoration_mode(client, r, 0);
}

static const struct zxdg_toplevel_decoration_v1_interface decoration_calls = {
    resource_destroy, decoration_mode, decoration_unset};

static void get_decoration(struct wl_client *client, struct wl_resource *, uint32_t id,
                           struct wl_resource *) {
    struct wl_resource *r = resource_create(client, &zxdg_toplevel_decoration_v1_interface, 1, id,
                                            &decoration_calls, NULL, NULL);
    if (r)
        decoration_mode(client, r, 0);
}

static const struct zxdg_decoration_manager_v1_interface decorations_calls = {resource_destroy,
                                                                              get_decoration};

static const struct global decorations = {&zxdg_decoration_manager_v1_interface, 1,
                                          &decorations_calls};

void shell_create(struct wl_display *display) {
    global_create(display, &base);
    global_create(display, &decorations);
}
