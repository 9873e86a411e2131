/* Surfaces and the picture made of them. In: buffers that clients commit. Out: one image of all
 * windows, and events to the clients when their pictures were shown. A committed buffer waits in
 * the queue of its surface until its picture is complete. The newest complete buffer is shown.
 */
#define _GNU_SOURCE
#include "window/window.h"
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

struct compositor compositor;

struct subsurface {
    struct wl_list link; /* surface.children of the parent */
    struct surface *surface, *parent;
    int x, y;
};

uint64_t now_ns(void) {
    return clock_ns(CLOCK_MONOTONIC);
}

uint32_t now_ms(void) {
    return (uint32_t)(now_ns() / 1000000u);
}

/* ---- regions ---- */

static void region_add(struct wl_client *, struct wl_resource *resource, int32_t x, int32_t y,
                       int32_t width, int32_t height) {
    struct region *r = wl_resource_get_user_data(resource);
    if (r->count == REGION_RECTS)
        r->all = true; /* too many rectangles: the region becomes everything */
    else
        r->rect[r->count++] = (struct rect){x, y, width, height};
}

static const struct wl_region_interface region_calls = {resource_destroy, region_add, ignore_rect};

static void create_region(struct wl_client *client, struct wl_resource *, uint32_t id) {
    resource_with_data(client, &wl_region_interface, 1, id, &region_calls, sizeof(struct region),
                       resource_free);
}

static bool rect_has(const struct rect *r, int x, int y) {
    return x >= r->x && y >= r->y && x < r->x + r->width && y < r->y + r->height;
}

static bool region_has(const struct region *r, int x, int y) {
    bool has = r->all;
    for (int i = 0; i < r->count && !has; i++)
        has = rect_has(&r->rect[i], x, y);
    return has;
}

/* ---- surfaces ---- */

struct surface *surface_of(struct wl_resource *resource) {
    return resource ? wl_resource_get_user_data(resource) : NULL;
}

static void drop_queue(struct surface *s, int count) {
    for (int i = 0; i < count; i++)
        buffer_release(s->queue[i].buffer);
    memmove(s->queue, s->queue + count, (size_t)(s->queued - count) * sizeof *s->queue);
    s->queued -= count;
}

void surface_destroy(struct surface *s) {
    struct wl_resource *callback, *next;
    struct subsurface *child, *after;
    if (s->unmapped)
        s->unmapped(s, s->role);
    seat_surface_gone(s);
    pace_surface_gone(s);
    drop_queue(s, s->queued);
    if (s->pending.buffer)
        buffer_release(s->pending.buffer);
    wl_resource_for_each_safe(callback, next, &s->callbacks) wl_resource_destroy(callback);
    wl_resource_for_each_safe(callback, next, &s->pending.callbacks) wl_resource_destroy(callback);
    wl_list_for_each_safe(child, after, &s->children, link) {
        child->parent = NULL;
        wl_list_remove(&child->link);
        wl_list_init(&child->link);
    }
    if (s->sub) {
        wl_list_remove(&s->sub->link);
        wl_list_init(&s->sub->link);
        s->sub->surface = NULL;
    }
    wl_list_remove(&s->link);
    free(s->image.pixels);
    free(s);
    compositor.dirty = true;
}

static void surface_gone(struct wl_resource *resource) {
    surface_destroy(wl_resource_get_user_data(resource));
}

static void surface_attach(struct wl_client *, struct wl_resource *resource,
                           struct wl_resource *buffer, int32_t, int32_t) {
    struct surface *s = surface_of(resource);
    if (s->pending.buffer)
        buffer_release(s->pending.buffer);
    s->pending.buffer = buffer ? buffer_get(buffer) : NULL;
    s->pending.attached = true;
}

static void surface_frame(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct surface *s = surface_of(resource);
    struct wl_resource *callback =
        resource_create(client, &wl_callback_interface, 1, id, NULL, NULL, resource_unlink);
    if (callback)
        wl_list_insert(s->pending.callbacks.prev, wl_resource_get_link(callback));
}

static void surface_input(struct wl_client *, struct wl_resource *resource,
                          struct wl_resource *region) {
    struct surface *s = surface_of(resource);
    s->pending.input_set = true;
    s->pending.input =
        region ? *(struct region *)wl_resource_get_user_data(region) : (struct region){.all = true};
}

void surface_put(struct surface *s, struct buffer *b) {
    if (s->queued == QUEUE)
        drop_queue(s, 1);
    for (int i = s->queued - 1; i > 0; i--)
        if (buffer_is_ready(s->queue[i].buffer, s->queue[i].ticket)) {
            drop_queue(s, i);
            break;
        }
    s->queue[s->queued].buffer = b;
    s->queue[s->queued].ticket = buffer_shown(b);
    s->queued++;
    buffer_size(b, &s->width, &s->height);
    compositor.dirty = compositor.untold = true;
}

void surface_clear(struct surface *s) {
    drop_queue(s, s->queued);
    s->width = s->height = s->image.width = s->image.height = 0;
    compositor.dirty = true;
}

bool surface_look(struct surface *s, struct buffer *b) {
    static struct image now;
    if (!buffer_is_ready(b, buffer_ticket(b)) || !buffer_copy(b, &now))
        return false;
    const size_t bytes = (size_t)now.width * (size_t)now.height * sizeof *now.pixels;
    if (now.width == s->image.width && now.height == s->image.height &&
        memcmp(now.pixels, s->image.pixels, bytes) == 0)
        return false;
    const struct image old = s->image;
    s->image = now;
    now = old;
    compositor.dirty = true;
    compositor.frames++;
    return true;
}

static void surface_commit(struct wl_client *, struct wl_resource *resource) {
    struct surface *s = surface_of(resource);
    compositor.untold |= !wl_list_empty(&s->pending.callbacks);
    if (s->pending.attached && s->pending.buffer)
        surface_put(s, s->pending.buffer);
    else if (s->pending.attached)
        surface_clear(s);
    s->pending.attached = false;
    s->pending.buffer = NULL;
    if (s->pending.input_set)
        s->input = s->pending.input;
    s->pending.input_set = false;
    wl_list_insert_list(s->callbacks.prev, &s->pending.callbacks);
    wl_list_init(&s->pending.callbacks);
    if (s->committed)
        s->committed(s, s->role);
}

static const struct wl_surface_interface surface_calls = {
    .destroy = resource_destroy,
    .attach = surface_attach,
    .damage = ignore_rect,
    .frame = surface_frame,
    .set_opaque_region = ignore_object,
    .set_input_region = surface_input,
    .commit = surface_commit,
    .set_buffer_transform = ignore_int,
    .set_buffer_scale = ignore_int,
    .damage_buffer = ignore_rect,
    .offset = ignore_pair,
};

struct surface *surface_create(void) {
    struct surface *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->input.all = true;
    wl_list_init(&s->callbacks);
    wl_list_init(&s->pending.callbacks);
    wl_list_init(&s->children);
    wl_list_insert(compositor.surfaces.prev, &s->link);
    return s;
}

static void create_surface(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct wl_resource *made =
        wl_resource_create(client, &wl_surface_interface, wl_resource_get_version(resource), id);
    struct surface *s = made ? surface_create() : NULL;
    if (!s) {
        wl_client_post_no_memory(client);
        return;
    }
    s->resource = made;
    wl_resource_set_implementation(made, &surface_calls, s, surface_gone);
    if (compositor.surface_created)
        compositor.surface_created(s);
}

static const struct wl_compositor_interface compositor_calls = {.create_surface = create_surface,
                                                                .create_region = create_region};

static const struct global compositor_global = {&wl_compositor_interface, 4, &compositor_calls};

/* ---- subsurfaces: shown above their parent in the order of creation ---- */

static void sub_gone(struct wl_resource *resource) {
    struct subsurface *sub = wl_resource_get_user_data(resource);
    wl_list_remove(&sub->link);
    if (sub->surface)
        sub->surface->sub = NULL;
    free(sub);
    compositor.dirty = true;
}

static void sub_position(struct wl_client *, struct wl_resource *resource, int32_t x, int32_t y) {
    struct subsurface *sub = wl_resource_get_user_data(resource);
    sub->x = x;
    sub->y = y;
    compositor.dirty = true;
}

static const struct wl_subsurface_interface sub_calls = {
    resource_destroy, sub_position, ignore_object, ignore_object, ignore_request, ignore_request,
};

/* The number of levels of children below a surface. */
static int levels_below(const struct surface *s) {
    const struct subsurface *child;
    int most = 0;
    wl_list_for_each(child, &s->children, link) {
        const int levels = 1 + levels_below(child->surface);
        most = levels > most ? levels : most;
    }
    return most;
}

/* True if a surface may become a child of `parent`. The surface must have no role, and must not be
 * the parent itself or one of its ancestors. The depth of the tree is limited, since painting
 * recurses. */
static bool may_be_child(const struct surface *child, const struct surface *parent) {
    enum { MAX_DEPTH = 64 };
    int depth = 0;
    const struct surface *s = parent;
    for (; s != child && s->sub && s->sub->parent && depth < MAX_DEPTH; depth++)
        s = s->sub->parent;
    return s != child && depth + levels_below(child) < MAX_DEPTH && !child->sub && !child->role;
}

static void get_subsurface(struct wl_client *client, struct wl_resource *resource, uint32_t id,
                           struct wl_resource *surface, struct wl_resource *parent) {
    struct subsurface *sub = calloc(1, sizeof *sub);
    struct wl_resource *made = wl_resource_create(client, &wl_subsurface_interface, 1, id);
    if (!sub || !made || !may_be_child(surface_of(surface), surface_of(parent))) {
        free(sub);
        wl_resource_post_error(resource, WL_SUBCOMPOSITOR_ERROR_BAD_SURFACE, "it has a role");
        return;
    }
    sub->surface = surface_of(surface);
    sub->parent = surface_of(parent);
    sub->surface->sub = sub;
    wl_list_insert(sub->parent->children.prev, &sub->link);
    wl_resource_set_implementation(made, &sub_calls, sub, sub_gone);
}

bool surface_child(struct surface *parent, struct surface *child, int x, int y) {
    struct subsurface *sub = child->sub ? child->sub : calloc(1, sizeof *sub);
    if (!sub)
        return false;
    if (!child->sub) {
        *sub = (struct subsurface){.surface = child, .parent = parent};
        child->sub = sub;
        wl_list_insert(parent->children.prev, &sub->link);
    }
    sub->x = x;
    sub->y = y;
    compositor.dirty = true;
    return true;
}

struct surface *surface_root(struct surface *s) {
    while (s->sub && s->sub->parent)
        s = s->sub->parent;
    return s;
}

static const struct wl_subcompositor_interface subcompositor_calls = {resource_destroy,
                                                                      get_subsurface};

static const struct global subcompositor = {&wl_subcompositor_interface, 1, &subcompositor_calls};

/* ---- the output ---- */

enum { OUTPUT_VERSION = 3, MILLIMETRES_PER_100_PIXELS = 26 };

static void send_output(struct wl_resource *r) {
    const int w = compositor.width, h = compositor.height;
    wl_output_send_geometry(r, 0, 0, w * MILLIMETRES_PER_100_PIXELS / 100,
                            h * MILLIMETRES_PER_100_PIXELS / 100, WL_OUTPUT_SUBPIXEL_UNKNOWN,
                            "teslapipe", "window", WL_OUTPUT_TRANSFORM_NORMAL);
    wl_output_send_mode(r, WL_OUTPUT_MODE_CURRENT | WL_OUTPUT_MODE_PREFERRED, w, h,
                        host_refresh() * 1000);
    if (wl_resource_get_version(r) >= WL_OUTPUT_DONE_SINCE_VERSION) {
        wl_output_send_scale(r, 1);
        wl_output_send_done(r);
    }
}

static const struct wl_output_interface output_calls = {resource_destroy};

static void bind_output(struct wl_client *client, void *, uint32_t version, uint32_t id) {
    struct wl_resource *r = resource_create(client, &wl_output_interface, (int)version, id,
                                            &output_calls, NULL, resource_unlink);
    if (!r)
        return;
    wl_list_insert(&compositor.outputs, wl_resource_get_link(r));
    send_output(r);
}

void compositor_resize(int width, int height) {
    struct wl_resource *r;
    struct view *v;
    if (width == compositor.width && height == compositor.height)
        return;
    compositor.width = width;
    compositor.height = height;
    compositor.dirty = true;
    wl_resource_for_each(r, &compositor.outputs) send_output(r);
    scanout_resized();
    wl_list_for_each(v, &compositor.views, link) if (v == compositor.primary || v->fullscreen)
        v->calls->configure(v, width, height);
}

/* ---- windows ---- */

static bool fills_output(const struct view *v) {
    return v->fullscreen || (compositor.fixed && v == compositor.primary && !v->transient);
}

static void place_view(struct view *v) {
    if (v->placed && !v->fullscreen && v != compositor.primary)
        return;
    const bool corner = v->fullscreen || (v == compositor.primary && !v->rigid);
    v->x = corner ? 0 : (compositor.width - v->surface->width) / 2;
    v->y = corner ? 0 : (compositor.height - v->surface->height) / 2;
    v->x = v->x < 0 ? 0 : v->x;
    v->y = v->y < 0 ? 0 : v->y;
    if (v->calls->moved)
        v->calls->moved(v);
}

void view_sized(struct view *v, int width, int height) {
    if (v == compositor.primary && !compositor.fixed && !v->fullscreen && width > 1 && height > 1) {
        compositor.width = width;
        compositor.height = height;
        host_size(width, height);
        struct wl_resource *r;
        wl_resource_for_each(r, &compositor.outputs) send_output(r);
    } else if (v->managed && v != compositor.primary)
        place_view(v);
}

void view_titled(struct view *v, const char *title) {
    size_t n = title ? strnlen(title, sizeof v->title - 1) : 0;
    memcpy(v->title, title ? title : "", n);
    v->title[n] = 0;
}

void view_raise(struct view *v) {
    wl_list_remove(&v->link);
    wl_list_insert(compositor.views.prev, &v->link);
    compositor.dirty = true;
}

void view_focus(struct view *v) {
    if (compositor.focus == v)
        return;
    if (compositor.focus && compositor.focus->calls->activate)
        compositor.focus->calls->activate(compositor.focus, false);
    compositor.focus = v;
    if (v && v->calls->activate)
        v->calls->activate(v, true);
    seat_keyboard_focus(v ? v->surface : NULL);
}

void view_map(struct view *v) {
    v->mapped = true;
    wl_list_insert(compositor.views.prev, &v->link);
    compositor.dirty = true;
    if (!v->managed)
        return;
    if (!compositor.primary) {
        compositor.primary = v;
        host_size(compositor.fixed ? compositor.width : v->surface->width,
                  compositor.fixed ? compositor.height : v->surface->height);
        view_sized(v, v->surface->width, v->surface->height);
    }
    if (fills_output(v))
        v->calls->configure(v, compositor.width, compositor.height);
    place_view(v);
    view_focus(v);
}

void view_unmap(struct view *v) {
    struct view *other;
    if (!v->mapped)
        return;
    v->mapped = false;
    seat_view_gone(v);
    wl_list_remove(&v->link);
    compositor.dirty = true;
    if (compositor.primary == v)
        compositor.primary = NULL;
    if (compositor.focus == v) {
        compositor.focus = NULL;
        seat_keyboard_focus(NULL);
    }
    wl_list_for_each_reverse(other, &compositor.views, link) {
        if (!other->managed)
            continue;
        if (!compositor.primary) {
            compositor.primary = other;
            view_sized(other, other->surface->width, other->surface->height);
            if (fills_output(other))
                other->calls->configure(other, compositor.width, compositor.height);
            place_view(other);
        }
        if (!compositor.focus)
            view_focus(other);
    }
    seat_repick();
}

void dismiss_menus(const struct view *but) {
    struct view *v, *next;
    wl_list_for_each_reverse_safe(v, next, &compositor.views,
                                  link) if (v != but && v->calls->dismiss) v->calls->dismiss(v);
}

static struct surface *surface_in(struct surface *s, int x, int y, int *sx, int *sy) {
    struct subsurface *child;
    wl_list_for_each_reverse(child, &s->children, link) {
        struct surface *found = surface_in(child->surface, x - child->x, y - child->y, sx, sy);
        if (found)
            return found;
    }
    *sx = x;
    *sy = y;
    return x >= 0 && y >= 0 && x < s->image.width && y < s->image.height &&
                   region_has(&s->input, x, y)
               ? s
               : NULL;
}

struct surface *surface_at(int x, int y, int *sx, int *sy, struct view **view) {
    struct view *v;
    wl_list_for_each_reverse(v, &compositor.views, link) {
        struct surface *s =
            surface_in(v->surface, x - v->x + v->inset_x, y - v->y + v->inset_y, sx, sy);
        *view = v;
        if (s)
            return s;
    }
    *view = NULL;
    return NULL;
}

/* ---- the picture ---- */

bool compositor_take(void) {
    struct surface *s;
    bool all = true;
    wl_list_for_each(s, &compositor.surfaces, link) {
        int newest = s->queued - 1;
        while (newest >= 0 && !buffer_is_ready(s->queue[newest].buffer, s->queue[newest].ticket))
            newest--;
        all = all && newest == s->queued - 1;
        if (newest < 0)
            continue;
        struct buffer *b = s->queue[newest].buffer;
        buffer_copy(b, &s->image);
        surface_root(s)->pictures++;
        compositor.dirty = compositor.untold = true;
        /* A program may draw into a child surface of its window. The child's contents count as a
         * frame of the window if a GPU drew them. */
        const struct surface *root = surface_root(s);
        const bool shown = root->view && root->view == compositor.primary;
        if (shown && (s == root || buffer_chipset(b))) {
            compositor.frames++;
            compositor.chipset = buffer_chipset(b) ? buffer_chipset(b) : compositor.chipset;
            compositor.draws = buffer_chipset(b) ? buffer_draws(b) : compositor.draws;
        }
        drop_queue(s, newest + 1);
        seat_cursor_committed(s);
    }
    return all;
}

static uint32_t blend_pixel(uint32_t over, uint32_t under) {
    const uint32_t a = 255 - (over >> 24);
    const uint32_t rb = (under & 0xff00ff) * a, g = (under >> 8 & 0xff) * a;
    return over + ((rb + 0x800080 + (rb >> 8 & 0xff00ff)) >> 8 & 0xff00ff) +
           ((g + 0x80 + (g >> 8)) >> 8 << 8);
}

static void paint_image(const struct image *from, int x, int y) {
    struct image *to = &compositor.frame;
    const int x0 = x < 0 ? 0 : x, y0 = y < 0 ? 0 : y;
    const int x1 = x + from->width < to->width ? x + from->width : to->width;
    const int y1 = y + from->height < to->height ? y + from->height : to->height;
    for (int row = y0; row < y1 && x0 < x1; row++) {
        const uint32_t *in = from->pixels + (size_t)(row - y) * (size_t)from->width + (x0 - x);
        uint32_t *out = to->pixels + (size_t)row * (size_t)to->width + x0;
        if (from->opaque)
            memcpy(out, in, (size_t)(x1 - x0) * sizeof *out);
        else
            for (int i = 0; i < x1 - x0; i++)
                out[i] = blend_pixel(in[i], out[i]);
    }
}

static void paint_tree(struct surface *s, int x, int y) {
    struct subsurface *child;
    if (s->image.width)
        paint_image(&s->image, x, y);
    wl_list_for_each(child, &s->children, link)
        paint_tree(child->surface, x + child->x, y + child->y);
}

void compositor_compose(void) {
    struct image *f = &compositor.frame;
    struct view *v;
    const size_t count = (size_t)compositor.width * (size_t)compositor.height;
    if (f->width != compositor.width || f->height != compositor.height) {
        uint32_t *grown = realloc(f->pixels, count * sizeof *grown);
        if (!grown)
            return;
        *f = (struct image){grown, compositor.width, compositor.height, true};
    }
    memset(f->pixels, 0, count * sizeof *f->pixels);
    wl_list_for_each(v, &compositor.views, link)
        paint_tree(v->surface, v->x - v->inset_x, v->y - v->inset_y);
    compositor.dirty = false;
}

void compositor_frames_due(const struct surface *root) {
    struct surface *s;
    wl_list_for_each(s, &compositor.surfaces, link) if (!root || surface_root(s) == root) s->due |=
        s->queued || s->shown || !wl_list_empty(&s->callbacks);
    compositor.untold &= root != NULL;
}

void compositor_frames_shown(uint32_t time_ms) {
    struct surface *s;
    wl_list_for_each(s, &compositor.surfaces, link) {
        struct wl_resource *callback, *next;
        compositor.untold |= s->due && s->queued;
        if (s->queued || !s->due)
            continue;
        s->due = false;
        if (s->shown)
            s->shown(s, s->role);
        wl_resource_for_each_safe(callback, next, &s->callbacks) {
            wl_callback_send_done(callback, time_ms);
            wl_resource_destroy(callback);
        }
    }
}

bool compositor_create(int width, int height, bool fixed) {
    struct compositor *c = &compositor;
    c->display = wl_display_create();
    if (!c->display)
        return false;
    c->loop = wl_display_get_event_loop(c->display);
    c->width = width;
    c->height = height;
    c->fixed = fixed;
    wl_list_init(&c->surfaces);
    wl_list_init(&c->views);
    wl_list_init(&c->outputs);
    global_create(c->display, &compositor_global);
    global_create(c->display, &subcompositor);
    wl_global_create(c->display, &wl_output_interface, OUTPUT_VERSION, NULL, bind_output);
    buffers_create(c->display);
    shell_create(c->display);
    clipboard_create(c->display);
    return seat_create(c->display);
}
