/* Objects of Wayland clients. In: their calls and data. Out: the resource, or an error to the
 * client.
 */
#include "window/window.h"

#include <stdlib.h>

struct wl_resource *resource_create(struct wl_client *client, const struct wl_interface *interface,
                                    int version, uint32_t id, const void *calls, void *data,
                                    wl_resource_destroy_func_t gone) {
    struct wl_resource *made = wl_resource_create(client, interface, version, id);
    if (made)
        wl_resource_set_implementation(made, calls, data, gone);
    else
        wl_client_post_no_memory(client);
    return made;
}

struct wl_resource *resource_with_data(struct wl_client *client,
                                       const struct wl_interface *interface, int version,
                                       uint32_t id, const void *calls, size_t size,
                                       wl_resource_destroy_func_t gone) {
    void *data = calloc(1, size);
    struct wl_resource *made =
        data ? resource_create(client, interface, version, id, calls, data, gone) : NULL;
    if (!data)
        wl_client_post_no_memory(client);
    if (!made)
        free(data);
    return made;
}

void ignore_request(struct wl_client *, struct wl_resource *) {
}

void ignore_object(struct wl_client *, struct wl_resource *, struct wl_resource *) {
}

void ignore_uint(struct wl_client *, struct wl_resource *, uint32_t) {
}

void ignore_int(struct wl_client *, struct wl_resource *, int32_t) {
}

void ignore_pair(struct wl_client *, struct wl_resource *, int32_t, int32_t) {
}

void ignore_rect(struct wl_client *, struct wl_resource *, int32_t, int32_t, int32_t, int32_t) {
}

void resource_destroy(struct wl_client *, struct wl_resource *resource) {
    wl_resource_destroy(resource);
}

void resource_unlink(struct wl_resource *resource) {
    wl_list_remove(wl_resource_get_link(resource));
}

void resource_free(struct wl_resource *resource) {
    free(wl_resource_get_user_data(resource));
}

static void bind_calls(struct wl_client *client, void *data, uint32_t version, uint32_t id) {
    const struct global *g = data;
    resource_create(client, g->interface, (int)version, id, g->calls, NULL, NULL);
}

void global_create(struct wl_display *display, const struct global *g) {
    wl_global_create(display, g->interface, g->version, (void *)g, bind_calls);
}
