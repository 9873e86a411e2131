/* The clipboard between Wayland programs: the last copied selection is offered to the program that
 * has the keyboard. Drag and drop is not supported. The clipboards of X programs and of the user's
 * desktop are not connected to this one.
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

static void destroy(struct wl_client *client, struct wl_resource *resource) {
    (void)client;
    wl_resource_destroy(resource);
}

static void offer_accept(struct wl_client *client, struct wl_resource *r, uint32_t serial,
                         const char *type) {
    (void)client, (void)r, (void)serial, (void)type;
}

static void offer_receive(struct wl_client *client, struct wl_resource *r, const char *type,
                          int32_t fd) {
    (void)client;
    if (clipboard.source && clipboard.source == wl_resource_get_user_data(r))
        wl_data_source_send_send(clipboard.source->resource, type, fd);
    close(fd);
}

static void offer_finish(struct wl_client *client, struct wl_resource *r) {
    (void)client, (void)r;
}

static void offer_actions(struct wl_client *client, struct wl_resource *r, uint32_t actions,
                          uint32_t preferred) {
    (void)client, (void)r, (void)actions, (void)preferred;
}

static const struct wl_data_offer_interface offer_calls = {offer_accept, offer_receive, destroy,
                                                           offer_finish, offer_actions};

static void offer_to(struct wl_resource *device) {
    struct source *s = clipboard.source;
    if (!s) {
        wl_data_device_send_selection(device, NULL);
        return;
    }
    struct wl_resource *offer =
        wl_resource_create(wl_resource_get_client(device), &wl_data_offer_interface,
                           wl_resource_get_version(device), 0);
    if (!offer)
        return;
    wl_resource_set_implementation(offer, &offer_calls, s, NULL);
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

static void source_offer(struct wl_client *client, struct wl_resource *r, const char *type) {
    struct source *s = wl_resource_get_user_data(r);
    (void)client;
    if (s->count < MAX_TYPES && (s->type[s->count] = strdup(type)))
        s->count++;
}

static void source_actions(struct wl_client *client, struct wl_resource *r, uint32_t actions) {
    (void)client, (void)r, (void)actions;
}

static const struct wl_data_source_interface source_calls = {source_offer, destroy, source_actions};

static void create_source(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct source *s = calloc(1, sizeof *s);
    struct wl_resource *r = wl_resource_create(client, &wl_data_source_interface,
                                               wl_resource_get_version(resource), id);
    if (!s || !r) {
        free(s);
        wl_client_post_no_memory(client);
        return;
    }
    s->resource = r;
    wl_resource_set_implementation(r, &source_calls, s, source_gone);
}

/* Cancels a drag at once, since drag and drop is not supported. */
static void start_drag(struct wl_client *client, struct wl_resource *device,
                       struct wl_resource *source, struct wl_resource *origin,
                       struct wl_resource *icon, uint32_t serial) {
    (void)client, (void)device, (void)origin, (void)icon, (void)serial;
    if (source)
        wl_data_source_send_cancelled(source);
}

static void set_selection(struct wl_client *client, struct wl_resource *device,
                          struct wl_resource *source, uint32_t serial) {
    struct source *s = source ? wl_resource_get_user_data(source) : NULL;
    struct wl_resource *r;
    (void)client, (void)device, (void)serial;
    if (clipboard.source && clipboard.source != s)
        wl_data_source_send_cancelled(clipboard.source->resource);
    clipboard.source = s;
    wl_resource_for_each(r, &clipboard.devices) if (wl_resource_get_client(r) == clipboard.focus)
        offer_to(r);
}

static const struct wl_data_device_interface device_calls = {start_drag, set_selection, destroy};

static void device_gone(struct wl_resource *resource) {
    wl_list_remove(wl_resource_get_link(resource));
}

static void get_device(struct wl_client *client, struct wl_resource *resource, uint32_t id,
                       struct wl_resource *seat) {
    struct wl_resource *r = wl_resource_create(client, &wl_data_device_interface,
                                               wl_resource_get_version(resource), id);
    (void)seat;
    if (!r)
        return;
    wl_resource_set_implementation(r, &device_calls, NULL, device_gone);
    wl_list_insert(&clipboard.devices, wl_resource_get_link(r));
}

static const struct wl_data_device_manager_interface manager_calls = {
    .create_data_source = create_source, .get_data_device = get_device};

static void bind_manager(struct wl_client *client, void *data, uint32_t version, uint32_t id) {
    struct wl_resource *r =
        wl_resource_create(client, &wl_data_device_manager_interface, (int)version, id);
    (void)data;
    if (r)
        wl_resource_set_implementation(r, &manager_calls, NULL, NULL);
}

void clipboard_create(struct wl_display *display) {
    wl_list_init(&clipboard.devices);
    wl_global_create(display, &wl_data_device_manager_interface, 3, NULL, bind_manager);
}
