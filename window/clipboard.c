/* The clipboard between Wayland programs: the last copied selection is offered to the program that
 * has the keyboard. Drag and drop is not supported. The clipboards of X programs and of the user's
 * desktop are not connected to the clipboard of Wayland programs.
 */
#include "window/window.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_TYPES = 32 };

struct source {
    struct wl_resource *resource;
    int count;
    char *type[MAX_TYPES];
};

static struct {
    struct wl_list devices;
    struct source *source;
    struct wl_client *focus;
} clipboard;

static void offer_accept(struct wl_client *, struct wl_resource *, uint32_t, const char *) {
}

static void offer_receive(struct wl_client *, struct wl_resource *r, const char *type, int32_t fd) {
    if (clipboard.source && clipboard.source == wl_resource_get_user_data(r))
        wl_data_source_send_send(clipboard.source->resource, type, fd);
    close(fd);
}

static void offer_actions(struct wl_client *, struct wl_resource *, uint32_t, uint32_t) {
}

static const struct wl_data_offer_interface offer_calls = {
    offer_accept, offer_receive, resource_destroy, ignore_request, offer_actions};

static void offer_to(struct wl_resource *device) {
    struct source *s = clipboard.source;
    if (!s) {
        wl_data_device_send_selection(device, NULL);
        return;
    }
    struct wl_resource *offer =
        resource_create(wl_resource_get_client(device), &wl_data_offer_interface,
                        wl_resource_get_version(device), 0, &offer_calls, s, NULL);
    if (!offer)
        return;
    wl_data_device_send_data_offer(device, offer);
    for (int i = 0; i < s->count; i++)
        wl_data_offer_send_offer(offer, s->type[i]);
    wl_data_device_send_selection(device, offer);
}

void clipboard_focus(struct wl_client *client) {
    struct wl_resource *device;
    if (clipboard.focus == client)
        return;
    clipboard.focus = client;
    wl_resource_for_each(device, &clipboard.devices) if (wl_resource_get_client(device) == client)
        offer_to(device);
}

static void source_gone(struct wl_resource *resource) {
    struct source *s = wl_resource_get_user_data(resource);
    if (clipboard.source == s)
        clipboard.source = NULL;
    for (int i = 0; i < s->count; i++)
        free(s->type[i]);
    free(s);
}

static void source_offer(struct wl_client *, struct wl_resource *r, const char *type) {
    struct source *s = wl_resource_get_user_data(r);
    if (s->count < MAX_TYPES && (s->type[s->count] = strdup(type)))
        s->count++;
}

static const struct wl_data_source_interface source_calls = {source_offer, resource_destroy,
                                                             ignore_uint};

static void create_source(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct wl_resource *r =
        resource_with_data(client, &wl_data_source_interface, wl_resource_get_version(resource), id,
                           &source_calls, sizeof(struct source), source_gone);
    if (r)
        ((struct source *)wl_resource_get_user_data(r))->resource = r;
}

/* Cancels a drag at once, since drag and drop is not supported. */
static void start_drag(struct wl_client *, struct wl_resource *, struct wl_resource *source,
                       struct wl_resource *, struct wl_resource *, uint32_t) {
    if (source)
        wl_data_source_send_cancelled(source);
}

static void set_selection(struct wl_client *, struct wl_resource *, struct wl_resource *source,
                          uint32_t) {
    struct source *s = source ? wl_resource_get_user_data(source) : NULL;
    struct wl_resource *r;
    if (clipboard.source && clipboard.source != s)
        wl_data_source_send_cancelled(clipboard.source->resource);
    clipboard.source = s;
    wl_resource_for_each(r, &clipboard.devices) if (wl_resource_get_client(r) == clipboard.focus)
        offer_to(r);
}

static const struct wl_data_device_interface device_calls = {start_drag, set_selection,
                                                             resource_destroy};

static void get_device(struct wl_client *client, struct wl_resource *resource, uint32_t id,
                       struct wl_resource *) {
    struct wl_resource *r =
        resource_create(client, &wl_data_device_interface, wl_resource_get_version(resource), id,
                        &device_calls, NULL, resource_unlink);
    if (r)
        wl_list_insert(&clipboard.devices, wl_resource_get_link(r));
}

static const struct wl_data_device_manager_interface manager_calls = {
    .create_data_source = create_source, .get_data_device = get_device};

static const struct global manager = {&wl_data_device_manager_interface, 3, &manager_calls};

void clipboard_create(struct wl_display *display) {
    wl_list_init(&clipboard.devices);
    global_create(display, &manager);
}
