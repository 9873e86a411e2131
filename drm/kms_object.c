/* Objects of the display: framebuffers, blobs, modes, and one table of the properties of planes,
 * CRTC and connector. Used by kms.c and kms_ioctl.c. In: names and values. Out: changes of a state,
 * and answers in the client's memory, which is not trusted.
 */
#define _GNU_SOURCE
#include "drm/kms_state.h"

#include <errno.h>
#include <libdrm/drm_fourcc.h>
#include <limits.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- the client's memory ---- */

typedef ssize_t copy_function(pid_t, const struct iovec *, unsigned long, const struct iovec *,
                              unsigned long, unsigned long);

/* Copies between own memory and the client's. Returns 0, -EFAULT, or 1 if the kernel refuses such
 * copies; the caller then trusts the address. */
static int copy_user(copy_function *copy, const void *own, uint64_t theirs, size_t n) {
    const struct iovec a = {(void *)(uintptr_t)own, n}, b = {(void *)(uintptr_t)theirs, n};
    if (!n)
        return 0;
    if (theirs > UINTPTR_MAX)
        return -EFAULT;
    const ssize_t done = copy(getpid(), &a, 1, &b, 1, 0);
    if (done < 0 && (errno == ENOSYS || errno == EPERM))
        return 1;
    return done == (ssize_t)n ? 0 : -EFAULT;
}

int user_read(void *to, uint64_t from, size_t n) {
    const int result = copy_user(process_vm_readv, to, from, n);
    if (result <= 0)
        return result;
    memcpy(to, (const void *)(uintptr_t)from, n);
    return 0;
}

int user_write(uint64_t to, const void *from, size_t n) {
    const int result = copy_user(process_vm_writev, from, to, n);
    if (result <= 0)
        return result;
    memcpy((void *)(uintptr_t)to, from, n);
    return 0;
}

int user_array(uint64_t to, uint32_t *count, const void *from, uint32_t have, size_t each) {
    const int result = *count >= have ? user_write(to, from, have * each) : 0;
    *count = have;
    return result;
}

/* ---- framebuffers ---- */

struct kms_fb *kms_fb(const struct kms *k, uint32_t id) {
    struct kms_fb *fb = k->fbs;
    while (fb && fb->id != id)
        fb = fb->next;
    return fb;
}

static int check_layout(const struct screen_buffer *b, const struct gem_bo *bo) {
    static const uint32_t formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888,
                                       DRM_FORMAT_XBGR8888, DRM_FORMAT_ABGR8888};
    bool known = false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        known |= formats[i] == b->format;
    if (!known || !b->width || !b->height || b->width > KMS_MAX_SIDE || b->height > KMS_MAX_SIDE ||
        b->pitch < b->width * 4 || b->pitch > 4 * 4 * KMS_MAX_SIDE || b->offset % 4)
        return -EINVAL;
    const uint64_t end = b->offset + (uint64_t)b->pitch * (b->height - 1) + b->width * 4;
    return end > bo->size ? -EINVAL : 0;
}

int kms_fb_create(struct kms_client *c, uint32_t handle, const struct screen_buffer *b,
                  uint32_t *id) {
    struct gpu *g = c->gpu;
    struct gem_bo *bo = gem_lookup(c->gem, handle);
    const int wrong = bo ? check_layout(b, bo) : -ENOENT;
    struct kms_fb *fb = wrong ? NULL : calloc(1, sizeof *fb);
    if (!fb)
        return wrong ? wrong : -ENOMEM;
    bo->refs++;
    const int fd = gem_export(g, bo, true);
    if (fd < 0) {
        gem_unref(g, bo);
        free(fb);
        return fd;
    }
    *fb = (struct kms_fb){c->kms->fbs, ++c->kms->last_id, c, bo, *b};
    c->kms->fbs = fb;
    *id = fb->id;
    const struct screen_request r = {.kind = SCREEN_BUFFER, .name = fb->id, .buffer = *b};
    screen_send(&r, fd);
    close(fd);
    return 0;
}

void kms_fb_destroy(struct kms_client *c, struct kms_fb *fb) {
    struct kms *k = c->kms;
    struct kms_state s = k->state;
    bool shown = false;
    for (int i = 0; i < SCREEN_PLANES; i++)
        if (s.plane[i].fb == fb->id) {
            s.plane[i] = (struct kms_plane){0};
            shown = true;
        }
    for (struct kms_fb **p = &k->fbs; *p; p = &(*p)->next)
        if (*p == fb) {
            *p = fb->next;
            break;
        }
    if (shown)
        kms_commit(c, &s, KMS_CURSOR, 0);
    const struct screen_request r = {.kind = SCREEN_DROP, .name = fb->id};
    screen_send(&r, -1);
    gem_unref(c->gpu, fb->bo);
    free(fb);
}

/* ---- blobs and modes ---- */

struct kms_blob *kms_blob(const struct kms *k, uint32_t id) {
    struct kms_blob *b = k->blobs;
    while (b && b->id != id)
        b = b->next;
    return b;
}

struct kms_blob *kms_blob_create(struct kms *k, struct kms_client *owner, const void *data,
                                 uint32_t length) {
    struct kms_blob *b = malloc(sizeof *b + length);
    if (!b)
        return NULL;
    *b = (struct kms_blob){k->blobs, ++k->last_id, length, owner};
    memcpy(b->data, data, length);
    return k->blobs = b;
}

void kms_blobs_sweep(struct kms *k) {
    for (struct kms_blob **p = &k->blobs, *b; (b = *p);) {
        if (b->owner || k->state.mode == b->id) {
            p = &b->next;
            continue;
        }
        *p = b->next;
        free(b);
    }
}

const struct drm_mode_modeinfo *kms_mode(const struct kms *k, uint32_t blob) {
    const struct kms_blob *b = blob ? kms_blob(k, blob) : NULL;
    return b && b->length == sizeof(struct drm_mode_modeinfo) ? (const void *)b->data : NULL;
}

/* A mode's timing. Blanking is about that of VESA's reduced timing; its exact length has no visible
 * effect. */
static struct drm_mode_modeinfo mode_timing(uint32_t width, uint32_t height, uint32_t refresh) {
    struct drm_mode_modeinfo m = {
        .hdisplay = (uint16_t)width,
        .hsync_start = (uint16_t)(width + 48),
        .hsync_end = (uint16_t)(width + 80),
        .htotal = (uint16_t)(width + 160),
        .vdisplay = (uint16_t)height,
        .vsync_start = (uint16_t)(height + 3),
        .vsync_end = (uint16_t)(height + 8),
        .vtotal = (uint16_t)(height + 30),
        .vrefresh = refresh,
        .flags = DRM_MODE_FLAG_PHSYNC | DRM_MODE_FLAG_NVSYNC,
        .type = DRM_MODE_TYPE_DRIVER,
    };
    m.clock = (uint32_t)((uint64_t)m.htotal * m.vtotal * refresh / 1000);
    snprintf(m.name, sizeof m.name, "%ux%u", width, height);
    return m;
}

uint32_t kms_modes(struct drm_mode_modeinfo *m) {
    static const uint16_t sizes[][2] = {{1920, 1080}, {1280, 1024}, {1280, 720},
                                        {1024, 768},  {800, 600},   {640, 480}};
    uint32_t width, height, refresh, n = 1;
    screen_size(&width, &height, &refresh);
    m[0] = mode_timing(width, height, refresh);
    m[0].type |= DRM_MODE_TYPE_PREFERRED;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i][0] <= width && sizes[i][1] <= height &&
            (sizes[i][0] != width || sizes[i][1] != height))
            m[n++] = mode_timing(sizes[i][0], sizes[i][1], refresh);
    return n;
}

/* ---- properties ---- */

enum { PLANE_IS_PRIMARY = 1, PLANE_IS_CURSOR }; /* values of "type" */
enum { ON_PLANE = 1, ON_CRTC = 2, ON_CONNECTOR = 4, ATOMIC = 8, FIXED = 16 };

/* A property's place in struct kms_state. For planes, its place in struct kms_plane. */
#define IN_PLANE(field) offsetof(struct kms_plane, field)
#define IN_STATE(field) offsetof(struct kms_state, field)

static const struct property {
    char name[DRM_PROP_NAME_LEN];
    uint32_t on, flags;
    size_t at; /* a field of 32 bits; bool for ACTIVE and DPMS; unused if FIXED */
    uint64_t least, most;
    const char *const *names; /* of an enumeration's values, from 0 */
} properties[] = {
#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
    {"DPMS", ON_CONNECTOR, DRM_MODE_PROP_ENUM, IN_STATE(active), 0, 3,
     NAMES("On", "Standby", "Suspend", "Off")},
    {"link-status", ON_CONNECTOR, DRM_MODE_PROP_ENUM, IN_STATE(link_status), 0, 1,
     NAMES("Good", "Bad")},
    {"non-desktop", ON_CONNECTOR | FIXED, DRM_MODE_PROP_RANGE, 0, 0, 1, NULL},
    {"CRTC_ID", ON_CONNECTOR | ATOMIC, DRM_MODE_PROP_OBJECT, IN_STATE(connected),
     DRM_MODE_OBJECT_CRTC, 0, NULL},
    {"ACTIVE", ON_CRTC | ATOMIC, DRM_MODE_PROP_RANGE, IN_STATE(active), 0, 1, NULL},
    {"MODE_ID", ON_CRTC | ATOMIC, DRM_MODE_PROP_BLOB, IN_STATE(mode), 0, 0, NULL},
    {"type", ON_PLANE | FIXED, DRM_MODE_PROP_ENUM, 0, 0, 2, NAMES("Overlay", "Primary", "Cursor")},
    {"FB_ID", ON_PLANE | ATOMIC, DRM_MODE_PROP_OBJECT, IN_PLANE(fb), DRM_MODE_OBJECT_FB, 0, NULL},
    {"CRTC_ID", ON_PLANE | ATOMIC, DRM_MODE_PROP_OBJECT, IN_PLANE(crtc), DRM_MODE_OBJECT_CRTC, 0,
     NULL},
    {"SRC_X", ON_PLANE | ATOMIC, DRM_MODE_PROP_RANGE, IN_PLANE(from[0]), 0, UINT32_MAX, NULL},
    {"SRC_Y", ON_PLANE | ATOMIC, DRM_MODE_PROP_RANGE, IN_PLANE(from[1]), 0, UINT32_MAX, NULL},
    {"SRC_W", ON_PLANE | ATOMIC, DRM_MODE_PROP_RANGE, IN_PLANE(from[2]), 0, UINT32_MAX, NULL},
    {"SRC_H", ON_PLANE | ATOMIC, DRM_MODE_PROP_RANGE, IN_PLANE(from[3]), 0, UINT32_MAX, NULL},
    {"CRTC_X", ON_PLANE | ATOMIC, DRM_MODE_PROP_SIGNED_RANGE, IN_PLANE(at[0]), (uint64_t)INT_MIN,
     INT_MAX, NULL},
    {"CRTC_Y", ON_PLANE | ATOMIC, DRM_MODE_PROP_SIGNED_RANGE, IN_PLANE(at[1]), (uint64_t)INT_MIN,
     INT_MAX, NULL},
    {"CRTC_W", ON_PLANE | ATOMIC, DRM_MODE_PROP_RANGE, IN_PLANE(size[0]), 0, INT_MAX, NULL},
    {"CRTC_H", ON_PLANE | ATOMIC, DRM_MODE_PROP_RANGE, IN_PLANE(size[1]), 0, INT_MAX, NULL},
};
enum { COUNT = sizeof properties / sizeof *properties };
_Static_assert((int)COUNT <= (int)KMS_PROPERTIES, "room for all");

static uint32_t kind_of(uint32_t object, uint32_t *type) {
    static const struct {
        uint32_t type, kind;
    } objects[] = {
        {DRM_MODE_OBJECT_PLANE, ON_PLANE},         {DRM_MODE_OBJECT_PLANE, ON_PLANE},
        {DRM_MODE_OBJECT_CRTC, ON_CRTC},           {DRM_MODE_OBJECT_ENCODER, 0},
        {DRM_MODE_OBJECT_CONNECTOR, ON_CONNECTOR},
    };
    if (object < KMS_PLANE || object > KMS_CONNECTOR)
        return 0;
    *type = objects[object - KMS_PLANE].type;
    return objects[object - KMS_PLANE].kind;
}

static const uint8_t *place_of(const struct kms_state *s, uint32_t object,
                               const struct property *p) {
    return (p->on & ON_PLANE ? (const uint8_t *)&s->plane[object - KMS_PLANE]
                             : (const uint8_t *)s) +
           p->at;
}

static bool is_bool(const struct property *p) {
    return !(p->on & ON_PLANE) && p->at == IN_STATE(active);
}

static uint64_t value_of(const struct kms_state *s, uint32_t object, const struct property *p) {
    if (p->on & FIXED) /* a plane's type; other fixed properties are 0 */
        return !(p->on & ON_PLANE)                   ? 0
               : object == KMS_PLANE + SCREEN_CURSOR ? PLANE_IS_CURSOR
                                                     : PLANE_IS_PRIMARY;
    uint32_t value;
    if (is_bool(p))
        return p->names ? (s->active ? DRM_MODE_DPMS_ON : DRM_MODE_DPMS_OFF) : s->active;
    memcpy(&value, place_of(s, object, p), sizeof value);
    return p->flags == DRM_MODE_PROP_SIGNED_RANGE ? (uint64_t)(int32_t)value : value;
}

static bool names_object(const struct kms *k, const struct property *p, uint64_t value) {
    if (value == 0)
        return true;
    if (p->flags == DRM_MODE_PROP_BLOB)
        return value <= UINT32_MAX && kms_mode(k, (uint32_t)value);
    return p->least == DRM_MODE_OBJECT_CRTC ? value == KMS_CRTC
                                            : value <= UINT32_MAX && kms_fb(k, (uint32_t)value);
}

static bool in_range(const struct kms *k, const struct property *p, uint64_t value) {
    if (p->flags == DRM_MODE_PROP_OBJECT || p->flags == DRM_MODE_PROP_BLOB)
        return names_object(k, p, value);
    if (p->flags == DRM_MODE_PROP_SIGNED_RANGE)
        return (int64_t)value >= (int64_t)p->least && (int64_t)value <= (int64_t)p->most;
    return value >= p->least && value <= p->most;
}

int kms_property_set(struct kms *k, struct kms_state *s, uint32_t object, uint32_t property,
                     uint64_t value) {
    uint32_t type;
    const struct property *p = property - 1 < COUNT ? &properties[property - 1] : NULL;
    if (!p || !(p->on & kind_of(object, &type)))
        return -ENOENT;
    if ((p->on & FIXED) || !in_range(k, p, value))
        return -EINVAL;
    uint8_t *at = (uint8_t *)(uintptr_t)place_of(s, object, p);
    const uint32_t word = (uint32_t)value;
    if (is_bool(p))
        s->active = p->names ? value == DRM_MODE_DPMS_ON : value;
    else
        memcpy(at, &word, sizeof word);
    return 0;
}

int kms_properties(const struct kms *k, uint32_t object, uint32_t type, bool atomic,
                   uint32_t name[KMS_PROPERTIES], uint64_t value[KMS_PROPERTIES]) {
    uint32_t own = 0;
    const uint32_t kind = kind_of(object, &own);
    int n = 0;
    if (!own || (type && type != own))
        return -1;
    for (uint32_t i = 0; i < COUNT; i++)
        if ((properties[i].on & kind) && (atomic || !(properties[i].on & ATOMIC))) {
            name[n] = i + 1;
            value[n++] = value_of(&k->state, object, &properties[i]);
        }
    return n;
}

static int describe_names(struct drm_mode_get_property *out, const struct property *p) {
    struct drm_mode_property_enum item[8] = {0};
    uint64_t values[8];
    uint32_t n = 0;
    for (; p->names[n]; n++) {
        item[n].value = values[n] = n;
        snprintf(item[n].name, sizeof item[n].name, "%s", p->names[n]);
    }
    const int result = user_array(out->values_ptr, &out->count_values, values, n, sizeof *values);
    return result ? result
                  : user_array(out->enum_blob_ptr, &out->count_enum_blobs, item, n, sizeof *item);
}

int kms_property_describe(struct drm_mode_get_property *out) {
    const struct property *p = out->prop_id - 1 < COUNT ? &properties[out->prop_id - 1] : NULL;
    if (!p)
        return -ENOENT;
    memcpy(out->name, p->name, sizeof out->name);
    out->flags = p->flags | (p->on & FIXED ? DRM_MODE_PROP_IMMUTABLE : 0) |
                 (p->on & ATOMIC ? DRM_MODE_PROP_ATOMIC : 0);
    if (p->names)
        return describe_names(out, p);
    const uint64_t values[] = {p->least, p->most};
    const uint32_t n = p->flags == DRM_MODE_PROP_BLOB     ? 0
                       : p->flags == DRM_MODE_PROP_OBJECT ? 1
                                                          : 2;
    out->count_enum_blobs = 0;
    return user_array(out->values_ptr, &out->count_values, values, n, sizeof *values);
}
