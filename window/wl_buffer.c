/* Buffers that clients attach to surfaces: shared memory, and GPU buffers, which drm/gem.c exports
 * as memfds. The name of a memfd tells the buffer's layout. In: requests of wl_shm, linux-dmabuf,
 * wl_drm. Out: copies as rows of pixels.
 */
#define _GNU_SOURCE
#include "drm/screen.h"
#include "drm/turns.h"
#include "window/window.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "linux-dmabuf-unstable-v1.h"
#include "wl-drm.h"

#define FOURCC(a, b, c, d)                                                                         \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum { RENDER_MAJOR = 226, RENDER_MINOR = 128, TILE = 64, STORAGE_TYPE = 0x7f00, MAX_SIDE = 16384 };
static const uint64_t implicit_modifier = (UINT64_C(1) << 56) - 1; /* DRM_FORMAT_MOD_INVALID */

static const struct pixel_kind {
    uint32_t code;
    bool opaque, swapped; /* swapped: red is in the lowest byte */
} kinds[] = {
    {FOURCC('A', 'R', '2', '4'), false, false},
    {FOURCC('X', 'R', '2', '4'), true, false},
    {FOURCC('A', 'B', '2', '4'), false, true},
    {FOURCC('X', 'B', '2', '4'), true, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct buffer {
    int refs;
    struct wl_resource *resource; /* NULL: the client has destroyed it, or there never was one */
    struct wl_listener destroyed;
    struct wl_shm_buffer *shm;
    const struct pixel_kind *kind;
    int width, height, fd;
    uint32_t x, y; /* corner of the shown part in the memory */
    uint32_t stride, offset;
    bool tiled;
    uint8_t tile_h; /* log2 of the tile height in units of 4 rows */
    uint8_t *bytes; /* the mapped memory; NULL for wl_shm */
    size_t size;    /* bytes of contents, in GPU memory without the page of turns */
    struct turns *turns;
};

static void unref_buffer(struct buffer *b) {
    if (--b->refs)
        return;
    if (b->bytes)
        munmap(b->bytes, b->size + TURNS_BYTES);
    if (b->fd >= 0)
        close(b->fd);
    free(b);
}

static void resource_destroyed(struct wl_listener *l, void *) {
    struct buffer *b = wl_container_of(l, b, destroyed);
    b->resource = NULL;
    b->shm = NULL;
    unref_buffer(b);
}

/* Makes a wl_buffer resource the holder of the buffer's only reference. */
static void attach_to(struct buffer *b, struct wl_resource *resource) {
    b->refs = 1;
    b->resource = resource;
    b->destroyed.notify = resource_destroyed;
    wl_resource_add_destroy_listener(resource, &b->destroyed);
}

struct buffer *buffer_get(struct wl_resource *resource) {
    struct wl_listener *l = wl_resource_get_destroy_listener(resource, resource_destroyed);
    struct buffer *b = NULL;
    struct wl_shm_buffer *shm = wl_shm_buffer_get(resource);
    if (l)
        b = wl_container_of(l, b, destroyed);
    else if (shm && (b = calloc(1, sizeof *b))) {
        b->fd = -1;
        b->shm = shm;
        b->width = wl_shm_buffer_get_width(shm);
        b->height = wl_shm_buffer_get_height(shm);
        b->stride = (uint32_t)wl_shm_buffer_get_stride(shm);
        b->size = (size_t)b->stride * (size_t)b->height; /* rows may be longer than the stride */
        b->kind = &kinds[wl_shm_buffer_get_format(shm) == WL_SHM_FORMAT_ARGB8888 ? 0 : 1];
        attach_to(b, resource);
    }
    if (b)
        b->refs++;
    return b;
}

void buffer_release(struct buffer *b) {
    if (b->resource)
        wl_resource_post_event(b->resource, WL_BUFFER_RELEASE);
    unref_buffer(b);
}

void buffer_size(struct buffer *b, int *width, int *height) {
    *width = b->width;
    *height = b->height;
}

uint32_t buffer_ticket(struct buffer *b) {
    return b->turns ? turns_ticket(atomic_load(&b->turns->last)) : 0;
}

uint32_t buffer_shown(struct buffer *b) {
    if (b->turns)
        atomic_fetch_add(&b->turns->handed, 1);
    return buffer_ticket(b);
}

bool buffer_is_ready(struct buffer *b, uint32_t ticket) {
    return !b->turns || turns_is_done(b->turns, ticket);
}

uint32_t buffer_chipset(const struct buffer *b) {
    return b->turns ? b->turns->chipset : 0;
}

uint64_t buffer_draws(const struct buffer *b) {
    return b->turns ? b->turns->draws : 0;
}

static void copy_pixels(const struct pixel_kind *kind, uint32_t *to, const uint8_t *from,
                        size_t count) {
    if (!kind->swapped) {
        memcpy(to, from, count * 4);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t p;
        memcpy(&p, from + 4 * i, 4);
        to[i] = (p & 0xff00ff00) | (p & 0xff) << 16 | (p >> 16 & 0xff);
    }
}

static void copy_tiled_row(const struct buffer *b, uint32_t *to, uint32_t y) {
    const uint32_t h = 2u + b->tile_h, tiles_x = (b->stride + TILE - 1) / TILE;
    const size_t row = (((size_t)(y >> h) * tiles_x) << (6 + h)) + (y & ((1u << h) - 1)) * TILE;
    const uint32_t end = b->x + (uint32_t)b->width;
    for (uint32_t x = b->x, count; x < end; x += count) {
        const uint32_t in = x % (TILE / 4);
        count = TILE / 4 - in < end - x ? TILE / 4 - in : end - x;
        const size_t at = b->offset + row + ((size_t)(x / (TILE / 4)) << (6 + h)) + in * 4;
        if (at + count * 4 <= b->size)
            copy_pixels(b->kind, to + (x - b->x), b->bytes + at, count);
    }
}

bool buffer_copy(struct buffer *b, struct image *image) {
    const size_t count = (size_t)b->width * (size_t)b->height;
    if (image->width != b->width || image->height != b->height) {
        uint32_t *grown = realloc(image->pixels, (count ? count : 1) * sizeof *grown);
        if (!grown)
            return false;
        image->pixels = grown;
        image->width = b->width;
        image->height = b->height;
    }
    image->opaque = b->kind->opaque;
    const uint8_t *from = b->bytes;
    if (b->shm) {
        wl_shm_buffer_begin_access(b->shm);
        from = wl_shm_buffer_get_data(b->shm);
    }
    for (uint32_t y = 0; from && y < (uint32_t)b->height; y++) {
        uint32_t *to = image->pixels + (size_t)y * (size_t)b->width;
        const size_t at = b->offset + (size_t)(y + b->y) * b->stride + b->x * 4;
        if (b->tiled)
            copy_tiled_row(b, to, y + b->y);
        else if (at + (size_t)b->width * 4 <= b->size)
            copy_pixels(b->kind, to, from + at, (size_t)b->width);
    }
    if (b->shm)
        wl_shm_buffer_end_access(b->shm);
    return true;
}

/* ---- linux-dmabuf ---- */

static const struct wl_buffer_interface buffer_calls = {resource_destroy};

struct params {
    int fd;
    uint32_t offset, stride;
    bool used;
};

static void params_gone(struct wl_resource *resource) {
    struct params *p = wl_resource_get_user_data(resource);
    if (p->fd >= 0)
        close(p->fd);
    free(p);
}

static void params_add(struct wl_client *, struct wl_resource *resource, int32_t fd, uint32_t plane,
                       uint32_t offset, uint32_t stride, uint32_t, uint32_t) {
    struct params *p = wl_resource_get_user_data(resource);
    if (plane != 0 || p->fd >= 0) {
        close(fd);
        wl_resource_post_error(resource, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_PLANE_IDX,
                               "buffers have one plane here");
        return;
    }
    p->fd = fd;
    p->offset = offset;
    p->stride = stride;
}

/* Returns log2 of the tile height in units of 4 rows. Tesla's drivers pass TILE_MODE >> 4. Fermi's
 * drivers pass TILE_MODE, whose heights are in units of 8 rows. */
static uint8_t tile_height(uint32_t tile_mode, uint32_t chipset) {
    enum { FIRST_FERMI = 0xc0 };
    return chipset < FIRST_FERMI ? tile_mode & 0xf : (tile_mode >> 4 & 0xf) + 1;
}

/* Reads the layout from the memfd's name and maps its bytes. The seal keeps programs from shortening
 * the memfd, since access beyond its end is SIGBUS. False if the memory is not teslapipe's. */
static bool open_memory(struct buffer *b) {
    char path[32], target[128];
    struct stat st;
    uint32_t domain, tile_mode, tile_flags;
    snprintf(path, sizeof path, "/proc/self/fd/%d", b->fd);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = 0;
    const char *name = strstr(target, "teslapipe-bo ");
    if (!name || sscanf(name, SHARED_NAME, &domain, &tile_mode, &tile_flags) != 3 ||
        fcntl(b->fd, F_ADD_SEALS, F_SEAL_SHRINK) != 0 || fstat(b->fd, &st) != 0 ||
        st.st_size <= TURNS_BYTES || st.st_size % TURNS_BYTES)
        return false;
    b->tiled = (tile_flags & STORAGE_TYPE) != 0;
    b->size = (size_t)st.st_size - TURNS_BYTES;
    void *at = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, 0);
    if (at == MAP_FAILED)
        return false;
    b->bytes = at;
    b->turns = (struct turns *)(b->bytes + b->size);
    b->tile_h = tile_height(tile_mode, b->turns->chipset);
    return b->tile_h <= 5;
}

static struct buffer *import_buffer(struct params *p, int32_t width, int32_t height,
                                    uint32_t format) {
    struct buffer *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->refs = 1;
    b->fd = p->fd;
    p->fd = -1;
    b->width = width;
    b->height = height;
    b->offset = p->offset;
    b->stride = p->stride;
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].code == format)
            b->kind = &kinds[i];
    if (b->kind && width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE &&
        b->stride >= (uint32_t)width * 4 && open_memory(b))
        return b;
    unref_buffer(b);
    return NULL;
}

struct buffer *buffer_import(int fd, const struct screen_buffer *layout) {
    struct params p = {.fd = fd, .offset = layout->offset, .stride = layout->pitch};
    struct buffer *b =
        layout->width <= MAX_SIDE && layout->height <= MAX_SIDE
            ? import_buffer(&p, (int)layout->width, (int)layout->height, layout->format)
            : NULL;
    if (p.fd >= 0)
        close(p.fd);
    return b;
}

void buffer_ref(struct buffer *b) {
    b->refs++;
}

void buffer_crop(struct buffer *b, uint32_t x, uint32_t y, int width, int height) {
    b->x = x;
    b->y = y;
    b->width = width;
    b->height = height;
}

/* Makes the wl_buffer for imported memory. NULL if the memory is not teslapipe's or the layout is
 * wrong. */
static struct wl_resource *make_buffer(struct wl_client *client, struct params *p, uint32_t id,
                                       int32_t width, int32_t height, uint32_t format) {
    struct buffer *b = import_buffer(p, width, height, format);
    struct wl_resource *made =
        b ? resource_create(client, &wl_buffer_interface, 1, id, &buffer_calls, b, NULL) : NULL;
    if (made)
        attach_to(b, made);
    else if (b)
        unref_buffer(b);
    return made;
}

static void create_request(struct wl_client *client, struct wl_resource *resource, uint32_t id,
                           int32_t width, int32_t height, uint32_t format) {
    struct params *p = wl_resource_get_user_data(resource);
    if (p->used || p->fd < 0) {
        wl_resource_post_error(resource, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INCOMPLETE,
                               "no memory, or used before");
        return;
    }
    p->used = true;
    struct wl_resource *made = make_buffer(client, p, id, width, height, format);
    if (!made && id)
        wl_resource_post_error(resource, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INVALID_WL_BUFFER,
                               "this memory is no buffer of teslapipe's");
    else if (!made)
        zwp_linux_buffer_params_v1_send_failed(resource);
    else if (!id)
        zwp_linux_buffer_params_v1_send_created(resource, made);
}

static void params_create(struct wl_client *client, struct wl_resource *resource, int32_t width,
                          int32_t height, uint32_t format, uint32_t) {
    create_request(client, resource, 0, width, height, format);
}

static void params_create_immed(struct wl_client *client, struct wl_resource *resource, uint32_t id,
                                int32_t width, int32_t height, uint32_t format, uint32_t) {
    create_request(client, resource, id, width, height, format);
}

static const struct zwp_linux_buffer_params_v1_interface params_calls = {
    .destroy = resource_destroy,
    .add = params_add,
    .create = params_create,
    .create_immed = params_create_immed,
};

static void create_params(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct wl_resource *made = resource_with_data(
        client, &zwp_linux_buffer_params_v1_interface, wl_resource_get_version(resource), id,
        &params_calls, sizeof(struct params), params_gone);
    if (made)
        ((struct params *)wl_resource_get_user_data(made))->fd = -1;
}

static const struct zwp_linux_dmabuf_feedback_v1_interface feedback_calls = {resource_destroy};

static int format_table(void) {
    const int fd = memfd_create("teslapipe-formats", MFD_CLOEXEC);
    for (int i = 0; i < KINDS; i++) {
        const struct {
            uint32_t format, padding;
            uint64_t modifier;
        } row = {kinds[i].code, 0, implicit_modifier};
        if (fd < 0 || write(fd, &row, sizeof row) != sizeof row)
            return -1;
    }
    return fd;
}

/* Sends the feedback of linux-dmabuf: one tranche with the render node and its formats. */
static void feedback_request(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct wl_resource *made = wl_resource_create(client, &zwp_linux_dmabuf_feedback_v1_interface,
                                                  wl_resource_get_version(resource), id);
    dev_t node = makedev(RENDER_MAJOR, RENDER_MINOR);
    uint16_t indices[KINDS];
    const int fd = format_table();
    if (!made || fd < 0) {
        wl_client_post_no_memory(client);
        return;
    }
    for (int i = 0; i < KINDS; i++)
        indices[i] = (uint16_t)i;
    struct wl_array device = {sizeof node, sizeof node, &node};
    struct wl_array formats = {sizeof indices, sizeof indices, indices};
    wl_resource_set_implementation(made, &feedback_calls, NULL, NULL);
    zwp_linux_dmabuf_feedback_v1_send_format_table(made, fd, KINDS * 16);
    close(fd);
    zwp_linux_dmabuf_feedback_v1_send_main_device(made, &device);
    zwp_linux_dmabuf_feedback_v1_send_tranche_target_device(made, &device);
    zwp_linux_dmabuf_feedback_v1_send_tranche_flags(made, 0);
    zwp_linux_dmabuf_feedback_v1_send_tranche_formats(made, &formats);
    zwp_linux_dmabuf_feedback_v1_send_tranche_done(made);
    zwp_linux_dmabuf_feedback_v1_send_done(made);
}

static void surface_feedback(struct wl_client *client, struct wl_resource *resource, uint32_t id,
                             struct wl_resource *) {
    feedback_request(client, resource, id);
}

static const struct zwp_linux_dmabuf_v1_interface dmabuf_calls = {
    .destroy = resource_destroy,
    .create_params = create_params,
    .get_default_feedback = feedback_request,
    .get_surface_feedback = surface_feedback,
};

enum { DMABUF_VERSION = 4, MODIFIER_SINCE = 3 };

static void bind_dmabuf(struct wl_client *client, void *, uint32_t version, uint32_t id) {
    struct wl_resource *r = resource_create(client, &zwp_linux_dmabuf_v1_interface, (int)version,
                                            id, &dmabuf_calls, NULL, NULL);
    if (!r)
        return;
    for (int i = 0; i < KINDS && version < DMABUF_VERSION; i++)
        if (version >= MODIFIER_SINCE)
            zwp_linux_dmabuf_v1_send_modifier(r, kinds[i].code, (uint32_t)(implicit_modifier >> 32),
                                              (uint32_t)implicit_modifier);
        else
            zwp_linux_dmabuf_v1_send_format(r, kinds[i].code);
}

/* ---- wl_drm ---- */

static void drm_authenticate(struct wl_client *, struct wl_resource *r, uint32_t) {
    wl_drm_send_authenticated(r);
}

static void drm_refuse(struct wl_resource *r) {
    wl_resource_post_error(r, WL_DRM_ERROR_INVALID_NAME, "only one plane, by descriptor");
}

static void drm_by_name(struct wl_client *, struct wl_resource *r, uint32_t, uint32_t, int32_t,
                        int32_t, uint32_t, uint32_t) {
    drm_refuse(r);
}

static void drm_planar(struct wl_client *, struct wl_resource *r, uint32_t, uint32_t, int32_t,
                       int32_t, uint32_t, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t) {
    drm_refuse(r);
}

static void drm_prime(struct wl_client *client, struct wl_resource *r, uint32_t id, int32_t fd,
                      int32_t width, int32_t height, uint32_t format, int32_t offset0,
                      int32_t stride0, int32_t, int32_t, int32_t, int32_t) {
    struct params p = {.fd = fd, .offset = (uint32_t)offset0, .stride = (uint32_t)stride0};
    if (!make_buffer(client, &p, id, width, height, format))
        drm_refuse(r);
}

static const struct wl_drm_interface drm_calls = {drm_authenticate, drm_by_name, drm_planar,
                                                  drm_prime};

static void bind_drm(struct wl_client *client, void *, uint32_t version, uint32_t id) {
    struct wl_resource *r =
        resource_create(client, &wl_drm_interface, (int)version, id, &drm_calls, NULL, NULL);
    if (!r)
        return;
    wl_drm_send_device(r, "/dev/dri/renderD128");
    for (int i = 0; i < KINDS; i++)
        wl_drm_send_format(r, kinds[i].code);
    if (version >= WL_DRM_CAPABILITIES_SINCE_VERSION)
        wl_drm_send_capabilities(r, WL_DRM_CAPABILITY_PRIME);
}

void buffers_create(struct wl_display *display) {
    wl_display_init_shm(display);
    wl_global_create(display, &wl_drm_interface, 2, NULL, bind_drm);
    wl_global_create(display, &zwp_linux_dmabuf_v1_interface, DMABUF_VERSION, NULL, bind_dmabuf);
}
