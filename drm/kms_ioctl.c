/* The ioctls of displays, legacy and atomic, as the kernel's headers drm.h and drm_mode.h define
 * them. In: numbers and structs in the client's memory, not trusted. Out: commits and answers. A
 * legacy call changes a part of the display's state and commits the whole state.
 */
#define _GNU_SOURCE
#include "drm/kms_state.h"

#include <errno.h>
#include <libdrm/drm_fourcc.h>
#include <libdrm/nouveau_drm.h>

/* ---- master, capabilities ---- */

static int set_master(struct kms_client *c, void *) {
    if (c->kms->master && c->kms->master != c)
        return -EBUSY;
    c->kms->master = c;
    return 0;
}

static int drop_master(struct kms_client *c, void *) {
    if (c->kms->master != c)
        return -EINVAL;
    c->kms->master = NULL;
    return 0;
}

static int get_magic(struct kms_client *c, void *argument) {
    struct drm_auth *a = argument;
    if (!c->magic)
        c->magic = ++c->kms->last_magic;
    a->magic = c->magic;
    return 0;
}

/* Accepts any magic but 0: the magic may come from another process, whose clients are unknown
 * here. */
static int auth_magic(struct kms_client *, void *argument) {
    const struct drm_auth *a = argument;
    return a->magic ? 0 : -EINVAL;
}

static int set_version(struct kms_client *c, void *argument) {
    struct drm_set_version *v = argument;
    c->named = true;
    *v = (struct drm_set_version){1, 4, 1, 3};
    return 0;
}

static int set_client_cap(struct kms_client *c, void *argument) {
    const struct drm_set_client_cap *cap = argument;
    const uint64_t most = cap->capability == DRM_CLIENT_CAP_ATOMIC ? 2 : 1;
    if (cap->value > most)
        return -EINVAL;
    if (cap->capability == DRM_CLIENT_CAP_ATOMIC)
        c->atomic = c->universal = cap->value != 0;
    else if (cap->capability == DRM_CLIENT_CAP_UNIVERSAL_PLANES)
        c->universal = cap->value != 0;
    else if (cap->capability != DRM_CLIENT_CAP_STEREO_3D &&
             cap->capability != DRM_CLIENT_CAP_ASPECT_RATIO)
        return -EINVAL;
    return 0;
}

bool kms_capability(uint64_t capability, uint64_t *value) {
    static const struct {
        uint64_t capability, value;
    } known[] = {
        {DRM_CAP_DUMB_BUFFER, 1},
        {DRM_CAP_VBLANK_HIGH_CRTC, 1},
        {DRM_CAP_DUMB_PREFERRED_DEPTH, 24},
        {DRM_CAP_DUMB_PREFER_SHADOW, 0},
        {DRM_CAP_TIMESTAMP_MONOTONIC, 1},
        {DRM_CAP_CURSOR_WIDTH, KMS_CURSOR_SIDE},
        {DRM_CAP_CURSOR_HEIGHT, KMS_CURSOR_SIDE},
        {DRM_CAP_CRTC_IN_VBLANK_EVENT, 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].capability == capability) {
            *value = known[i].value;
            return true;
        }
    return false;
}

/* ---- resources ---- */

static int get_resources(struct kms_client *c, void *argument) {
    struct drm_mode_card_res *r = argument;
    const uint32_t crtc = KMS_CRTC, encoder = KMS_ENCODER, connector = KMS_CONNECTOR;
    uint32_t fbs = 0;
    int wrong = 0;
    for (const struct kms_fb *fb = c->kms->fbs; fb; fb = fb->next)
        if (fb->owner == c && fbs++ < r->count_fbs && !wrong)
            wrong = user_write(r->fb_id_ptr + (fbs - 1) * sizeof fb->id, &fb->id, sizeof fb->id);
    r->count_fbs = fbs;
    r->min_width = r->min_height = 1;
    r->max_width = r->max_height = KMS_MAX_SIDE;
    wrong = wrong ? wrong : user_array(r->crtc_id_ptr, &r->count_crtcs, &crtc, 1, sizeof crtc);
    wrong = wrong ? wrong : user_array(r->encoder_id_ptr, &r->count_encoders, &encoder, 1, 4);
    return wrong ? wrong : user_array(r->connector_id_ptr, &r->count_connectors, &connector, 1, 4);
}

static int get_crtc(struct kms_client *c, void *argument) {
    struct drm_mode_crtc *out = argument;
    const struct kms_state *s = &c->kms->state;
    const struct drm_mode_modeinfo *mode = kms_mode(c->kms, s->mode);
    if (out->crtc_id != KMS_CRTC)
        return -ENOENT;
    out->fb_id = s->plane[SCREEN_PRIMARY].fb;
    out->x = s->plane[SCREEN_PRIMARY].from[0] >> 16;
    out->y = s->plane[SCREEN_PRIMARY].from[1] >> 16;
    out->gamma_size = 0;
    out->mode_valid = mode != NULL;
    if (mode)
        out->mode = *mode;
    return 0;
}

static int get_encoder(struct kms_client *c, void *argument) {
    struct drm_mode_get_encoder *e = argument;
    if (e->encoder_id != KMS_ENCODER)
        return -ENOENT;
    *e = (struct drm_mode_get_encoder){KMS_ENCODER, DRM_MODE_ENCODER_VIRTUAL,
                                       c->kms->state.connected, 1, 0};
    return 0;
}

static int get_connector(struct kms_client *c, void *argument) {
    enum { MICROMETRES_PER_PIXEL = 265 };
    struct drm_mode_get_connector *o = argument;
    struct drm_mode_modeinfo modes[KMS_MODES];
    uint32_t name[KMS_PROPERTIES], properties;
    uint64_t value[KMS_PROPERTIES];
    const uint32_t encoder = KMS_ENCODER;
    if (o->connector_id != KMS_CONNECTOR)
        return -ENOENT;
    const int n = kms_properties(c->kms, KMS_CONNECTOR, 0, c->atomic, name, value);
    const uint32_t count = kms_modes(modes);
    o->encoder_id = c->kms->state.connected ? KMS_ENCODER : 0;
    o->connector_type = DRM_MODE_CONNECTOR_VIRTUAL;
    o->connector_type_id = 1;
    o->connection = 1;
    o->mm_width = modes[0].hdisplay * MICROMETRES_PER_PIXEL / 1000;
    o->mm_height = modes[0].vdisplay * MICROMETRES_PER_PIXEL / 1000;
    o->subpixel = 1; /* unknown */
    properties = o->count_props;
    int wrong = user_array(o->modes_ptr, &o->count_modes, modes, count, sizeof *modes);
    wrong = wrong ? wrong : user_array(o->props_ptr, &properties, name, (uint32_t)n, sizeof *name);
    wrong =
        wrong ? wrong
              : user_array(o->prop_values_ptr, &o->count_props, value, (uint32_t)n, sizeof *value);
    return wrong ? wrong : user_array(o->encoders_ptr, &o->count_encoders, &encoder, 1, 4);
}

static int get_plane_resources(struct kms_client *c, void *argument) {
    struct drm_mode_get_plane_res *r = argument;
    const uint32_t planes[] = {KMS_PLANE + SCREEN_PRIMARY, KMS_PLANE + SCREEN_CURSOR};
    return user_array(r->plane_id_ptr, &r->count_planes, planes, c->universal ? 2 : 0, 4);
}

static int plane_index(uint32_t id) {
    return id - KMS_PLANE < SCREEN_PLANES ? (int)(id - KMS_PLANE) : -1;
}

static int get_plane(struct kms_client *c, void *argument) {
    static const uint32_t formats[] = {DRM_FORMAT_ARGB8888, DRM_FORMAT_XRGB8888,
                                       DRM_FORMAT_ABGR8888, DRM_FORMAT_XBGR8888};
    struct drm_mode_get_plane *p = argument;
    const int i = plane_index(p->plane_id);
    if (i < 0)
        return -ENOENT;
    p->crtc_id = c->kms->state.plane[i].crtc;
    p->fb_id = c->kms->state.plane[i].fb;
    p->possible_crtcs = 1;
    p->gamma_size = 0;
    return user_array(p->format_type_ptr, &p->count_format_types, formats,
                      i == SCREEN_CURSOR ? 1 : 4, sizeof *formats);
}

static int get_property(struct kms_client *, void *argument) {
    return kms_property_describe(argument);
}

static int get_blob(struct kms_client *c, void *argument) {
    struct drm_mode_get_blob *g = argument;
    const struct kms_blob *b = kms_blob(c->kms, g->blob_id);
    if (!b)
        return -ENOENT;
    const int wrong = g->length == b->length ? user_write(g->data, b->data, b->length) : 0;
    g->length = b->length;
    return wrong;
}

static int get_properties(struct kms_client *c, void *argument) {
    struct drm_mode_obj_get_properties *o = argument;
    uint32_t name[KMS_PROPERTIES], count = o->count_props;
    uint64_t value[KMS_PROPERTIES];
    const int n = kms_properties(c->kms, o->obj_id, o->obj_type, c->atomic, name, value);
    if (n < 0 || o->obj_id == KMS_ENCODER)
        return n < 0 ? -ENOENT : -EINVAL;
    const int wrong = user_array(o->props_ptr, &count, name, (uint32_t)n, sizeof *name);
    return wrong
               ? wrong
               : user_array(o->prop_values_ptr, &o->count_props, value, (uint32_t)n, sizeof *value);
}

/* ---- buffers ---- */

static int create_dumb(struct kms_client *c, void *argument) {
    enum { PITCH_ALIGN = 256 };
    struct drm_mode_create_dumb *d = argument;
    if (!d->width || !d->height || !d->bpp || d->bpp > 32 || d->width > KMS_MAX_SIDE * 4 ||
        d->height > KMS_MAX_SIDE * 4)
        return -EINVAL;
    d->pitch = (d->width * ((d->bpp + 7) / 8) + PITCH_ALIGN - 1) & ~(uint32_t)(PITCH_ALIGN - 1);
    d->size = ((uint64_t)d->pitch * d->height + 4095) & ~UINT64_C(4095);
    struct gem_bo *bo = gem_new(c->gpu, d->size, 0, NOUVEAU_GEM_DOMAIN_GART);
    d->handle = bo ? gem_handle_add(c->gpu, c->gem, bo) : 0;
    return d->handle ? 0 : -ENOMEM;
}

static int map_dumb(struct kms_client *c, void *argument) {
    struct drm_mode_map_dumb *m = argument;
    m->offset = (uint64_t)m->handle << GEM_COOKIE_SHIFT;
    return gem_lookup(c->gem, m->handle) ? 0 : -ENOENT;
}

static int destroy_dumb(struct kms_client *c, void *argument) {
    const struct drm_mode_destroy_dumb *d = argument;
    return gem_handle_close(c->gpu, c->gem, d->handle) ? -EINVAL : 0;
}

static int add_fb(struct kms_client *c, void *argument) {
    struct drm_mode_fb_cmd *f = argument;
    const struct screen_buffer b = {f->width, f->height, 0, f->pitch,
                                    f->depth == 32 ? DRM_FORMAT_ARGB8888 : DRM_FORMAT_XRGB8888};
    if (f->bpp != 32 || (f->depth != 24 && f->depth != 32))
        return -EINVAL;
    return kms_fb_create(c, f->handle, &b, &f->fb_id);
}

static int add_fb2(struct kms_client *c, void *argument) {
    struct drm_mode_fb_cmd2 *f = argument;
    const struct screen_buffer b = {f->width, f->height, f->offsets[0], f->pitches[0],
                                    f->pixel_format};
    if (f->flags || !f->handles[0] || f->handles[1] || f->handles[2] || f->handles[3])
        return -EINVAL;
    return kms_fb_create(c, f->handles[0], &b, &f->fb_id);
}

static int remove_fb(struct kms_client *c, void *argument) {
    const uint32_t *id = argument;
    struct kms_fb *fb = kms_fb(c->kms, *id);
    if (!fb || fb->owner != c)
        return -ENOENT;
    kms_fb_destroy(c, fb);
    return 0;
}

/* Makes a handle for a framebuffer's memory. Clients other than the display's master get handle
 * 0. */
static int fb_handle(struct kms_client *c, const struct kms_fb *fb, uint32_t *handle) {
    *handle = 0;
    if (c->kms->master != c)
        return 0;
    fb->bo->refs++;
    *handle = gem_handle_add(c->gpu, c->gem, fb->bo);
    return *handle ? 0 : -ENOMEM;
}

static int get_fb(struct kms_client *c, void *argument) {
    struct drm_mode_fb_cmd *f = argument;
    const struct kms_fb *fb = kms_fb(c->kms, f->fb_id);
    if (!fb)
        return -ENOENT;
    const bool alpha =
        fb->layout.format == DRM_FORMAT_ARGB8888 || fb->layout.format == DRM_FORMAT_ABGR8888;
    f->width = fb->layout.width;
    f->height = fb->layout.height;
    f->pitch = fb->layout.pitch;
    f->bpp = 32;
    f->depth = alpha ? 32 : 24;
    return fb_handle(c, fb, &f->handle);
}

static int get_fb2(struct kms_client *c, void *argument) {
    struct drm_mode_fb_cmd2 *f = argument;
    const struct kms_fb *fb = kms_fb(c->kms, f->fb_id);
    if (!fb)
        return -ENOENT;
    *f = (struct drm_mode_fb_cmd2){.fb_id = fb->id,
                                   .width = fb->layout.width,
                                   .height = fb->layout.height,
                                   .pixel_format = fb->layout.format,
                                   .pitches[0] = fb->layout.pitch,
                                   .offsets[0] = fb->layout.offset};
    return fb_handle(c, fb, &f->handles[0]);
}

static int dirty_fb(struct kms_client *c, void *argument) {
    const struct drm_mode_fb_dirty_cmd *d = argument;
    if (!kms_fb(c->kms, d->fb_id))
        return -ENOENT;
    if (c->kms->state.plane[SCREEN_PRIMARY].fb == d->fb_id)
        kms_touch(c->kms);
    return 0;
}

static int create_blob(struct kms_client *c, void *argument) {
    enum { MOST = 65536 };
    struct drm_mode_create_blob *b = argument;
    if (!b->length || b->length > MOST)
        return -EINVAL;
    uint8_t *data = malloc(b->length);
    if (!data)
        return -ENOMEM;
    const int wrong = user_read(data, b->data, b->length);
    const struct kms_blob *made = wrong ? NULL : kms_blob_create(c->kms, c, data, b->length);
    free(data);
    if (!made)
        return wrong ? wrong : -ENOMEM;
    b->blob_id = made->id;
    return 0;
}

static int destroy_blob(struct kms_client *c, void *argument) {
    const struct drm_mode_destroy_blob *d = argument;
    struct kms_blob *b = kms_blob(c->kms, d->blob_id);
    if (!b || b->owner != c)
        return b ? -EPERM : -ENOENT;
    b->owner = NULL;
    kms_blobs_sweep(c->kms);
    return 0;
}

/* ---- legacy mode setting ---- */

static void put_primary(struct kms_state *s, uint32_t fb, uint32_t x, uint32_t y,
                        const struct drm_mode_modeinfo *mode) {
    s->plane[SCREEN_PRIMARY] = (struct kms_plane){
        .fb = fb,
        .crtc = KMS_CRTC,
        .from = {x << 16, y << 16, (uint32_t)mode->hdisplay << 16, (uint32_t)mode->vdisplay << 16},
        .size = {mode->hdisplay, mode->vdisplay}};
}

static int crtc_off(struct kms_client *c) {
    struct kms_state s = c->kms->state;
    s.active = false;
    s.mode = s.connected = 0;
    s.plane[SCREEN_PRIMARY] = (struct kms_plane){0};
    return kms_commit(c, &s, KMS_MODESET, 0);
}

static int set_crtc(struct kms_client *c, void *argument) {
    const struct drm_mode_crtc *r = argument;
    struct kms *k = c->kms;
    uint32_t connector;
    if (r->crtc_id != KMS_CRTC)
        return -ENOENT;
    kms_settle(k);
    if (!r->mode_valid)
        return r->count_connectors ? -EINVAL : crtc_off(c);
    if (r->count_connectors != 1)
        return -EINVAL;
    const int wrong = user_read(&connector, r->set_connectors_ptr, sizeof connector);
    const uint32_t id = r->fb_id == UINT32_MAX ? k->state.plane[SCREEN_PRIMARY].fb : r->fb_id;
    const struct kms_fb *fb = kms_fb(k, id);
    if (wrong || connector != KMS_CONNECTOR || !fb)
        return wrong ? wrong : -ENOENT;
    if (r->x > KMS_MAX_SIDE || r->y > KMS_MAX_SIDE)
        return -EINVAL;
    struct kms_state s = k->state;
    const struct drm_mode_modeinfo *old = kms_mode(k, s.mode);
    if (!old || memcmp(old, &r->mode, sizeof *old) != 0) {
        const struct kms_blob *mode = kms_blob_create(k, NULL, &r->mode, sizeof r->mode);
        if (!mode)
            return -ENOMEM;
        s.mode = mode->id;
    }
    s.connected = KMS_CRTC;
    s.active = true;
    put_primary(&s, id, r->x, r->y, &r->mode);
    const int result = kms_commit(c, &s, KMS_MODESET, 0);
    kms_blobs_sweep(k);
    return result;
}

static int page_flip(struct kms_client *c, void *argument) {
    const struct drm_mode_crtc_page_flip *f = argument;
    struct kms *k = c->kms;
    struct kms_state s = k->state;
    const struct kms_fb *now = kms_fb(k, s.plane[SCREEN_PRIMARY].fb), *fb = kms_fb(k, f->fb_id);
    if ((f->flags & ~(uint32_t)DRM_MODE_PAGE_FLIP_EVENT) || f->reserved)
        return -EINVAL;
    if (f->crtc_id != KMS_CRTC || !fb)
        return -ENOENT;
    if (!now || !s.active)
        return -EBUSY;
    if (now->layout.format != fb->layout.format)
        return -EINVAL;
    if (k->pending.name)
        return -EBUSY;
    s.plane[SCREEN_PRIMARY].fb = fb->id;
    return kms_commit(c, &s, KMS_ASIDE | (f->flags & DRM_MODE_PAGE_FLIP_EVENT ? KMS_EVENT : 0),
                      f->user_data);
}

/* Makes a framebuffer for a legacy cursor and puts it on the cursor plane; handle 0 switches the
 * cursor off. cursor2 frees the framebuffer when the next cursor is set. */
static int cursor_buffer(struct kms_client *c, const struct drm_mode_cursor2 *u,
                         struct kms_state *s) {
    const struct screen_buffer b = {u->width, u->height, 0, u->width * 4, DRM_FORMAT_ARGB8888};
    struct kms_plane *p = &s->plane[SCREEN_CURSOR];
    uint32_t id = 0;
    const int wrong = u->handle ? kms_fb_create(c, u->handle, &b, &id) : 0;
    if (wrong)
        return wrong;
    p->fb = id;
    p->crtc = id ? KMS_CRTC : 0;
    p->from[0] = p->from[1] = 0;
    p->from[2] = u->width << 16;
    p->from[3] = u->height << 16;
    p->size[0] = u->width;
    p->size[1] = u->height;
    return 0;
}

static int cursor2(struct kms_client *c, void *argument) {
    const struct drm_mode_cursor2 *u = argument;
    struct kms *k = c->kms;
    struct kms_state s = k->state;
    struct kms_fb *old = kms_fb(k, s.plane[SCREEN_CURSOR].fb);
    if (!u->flags || (u->flags & ~(uint32_t)DRM_MODE_CURSOR_FLAGS) || u->width > KMS_CURSOR_SIDE ||
        u->height > KMS_CURSOR_SIDE)
        return -EINVAL;
    if (u->crtc_id != KMS_CRTC)
        return -ENOENT;
    if (u->flags & DRM_MODE_CURSOR_BO) {
        const int wrong = cursor_buffer(c, u, &s);
        if (wrong)
            return wrong;
    }
    if (u->flags & DRM_MODE_CURSOR_MOVE) {
        s.plane[SCREEN_CURSOR].at[0] = u->x;
        s.plane[SCREEN_CURSOR].at[1] = u->y;
    }
    const int result = kms_commit(c, &s, KMS_CURSOR, 0); /* cannot fail: the state was checked */
    if (u->flags & DRM_MODE_CURSOR_BO) {
        if (old && old->owner == c && k->cursor == old->id)
            kms_fb_destroy(c, old);
        k->cursor = s.plane[SCREEN_CURSOR].fb;
    }
    return result;
}

static int cursor_ioctl(struct kms_client *c, void *argument) {
    const struct drm_mode_cursor *u = argument;
    struct drm_mode_cursor2 two = {.flags = u->flags,
                                   .crtc_id = u->crtc_id,
                                   .x = u->x,
                                   .y = u->y,
                                   .width = u->width,
                                   .height = u->height,
                                   .handle = u->handle};
    return cursor2(c, &two);
}

static int set_plane(struct kms_client *c, void *argument) {
    const struct drm_mode_set_plane *p = argument;
    const int i = plane_index(p->plane_id);
    if (i < 0 || (p->fb_id && (!kms_fb(c->kms, p->fb_id) || p->crtc_id != KMS_CRTC)))
        return -ENOENT;
    kms_settle(c->kms);
    struct kms_state s = c->kms->state;
    s.plane[i] = (struct kms_plane){0};
    if (p->fb_id)
        s.plane[i] = (struct kms_plane){.fb = p->fb_id,
                                        .crtc = KMS_CRTC,
                                        .from = {p->src_x, p->src_y, p->src_w, p->src_h},
                                        .size = {p->crtc_w, p->crtc_h},
                                        .at = {p->crtc_x, p->crtc_y}};
    return kms_commit(c, &s, i == SCREEN_CURSOR ? KMS_CURSOR : 0, 0);
}

static int set_object_property(struct kms_client *c, void *argument) {
    const struct drm_mode_obj_set_property *p = argument;
    kms_settle(c->kms);
    struct kms_state s = c->kms->state;
    const int wrong = kms_property_set(c->kms, &s, p->obj_id, p->prop_id, p->value);
    /* A connector without a mode may be told to sleep or wake; it stays inactive. */
    if (!wrong && !s.mode)
        s.active = false;
    return wrong ? wrong : kms_commit(c, &s, KMS_MODESET, 0);
}

static int set_property(struct kms_client *c, void *argument) {
    const struct drm_mode_connector_set_property *p = argument;
    struct drm_mode_obj_set_property o = {
        .value = p->value, .prop_id = p->prop_id, .obj_id = p->connector_id};
    return p->connector_id == KMS_CONNECTOR ? set_object_property(c, &o) : -ENOENT;
}

/* The display has no gamma table: only size 0 is accepted. */
static int gamma_table(struct kms_client *, void *argument) {
    const struct drm_mode_crtc_lut *l = argument;
    return l->crtc_id != KMS_CRTC ? -ENOENT : l->gamma_size ? -EINVAL : 0;
}

/* ---- atomic commits ---- */

/* Applies the property changes of object number `index` of an atomic commit. *at: index of its
 * first property in the arrays of all objects' properties; advanced. */
static int change_object(struct kms *k, struct kms_state *s, const struct drm_mode_atomic *a,
                         uint32_t index, uint64_t *at) {
    uint32_t object, count, property;
    uint64_t value;
    if (user_read(&object, a->objs_ptr + index * sizeof object, sizeof object) ||
        user_read(&count, a->count_props_ptr + index * sizeof count, sizeof count))
        return -EFAULT;
    uint32_t name[KMS_PROPERTIES];
    uint64_t values[KMS_PROPERTIES];
    if (kms_properties(k, object, 0, true, name, values) <= 0) /* an encoder has no properties */
        return -ENOENT;
    for (uint32_t i = 0; i < count; i++, ++*at) {
        if (user_read(&property, a->props_ptr + *at * sizeof property, sizeof property) ||
            user_read(&value, a->prop_values_ptr + *at * sizeof value, sizeof value))
            return -EFAULT;
        const int wrong = kms_property_set(k, s, object, property, value);
        if (wrong)
            return wrong;
    }
    return 0;
}

static int atomic_ioctl(struct kms_client *c, void *argument) {
    const struct drm_mode_atomic *a = argument;
    const uint32_t flags = a->flags;
    struct kms *k = c->kms;
    if (!c->atomic)
        return -EOPNOTSUPP;
    if ((flags & ~(uint32_t)(DRM_MODE_PAGE_FLIP_EVENT | DRM_MODE_ATOMIC_TEST_ONLY |
                             DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_ATOMIC_ALLOW_MODESET)) ||
        a->reserved || ((flags & DRM_MODE_ATOMIC_TEST_ONLY) && (flags & DRM_MODE_PAGE_FLIP_EVENT)))
        return -EINVAL;
    const unsigned how = (flags & DRM_MODE_PAGE_FLIP_EVENT ? KMS_EVENT : 0u) |
                         (flags & DRM_MODE_ATOMIC_NONBLOCK ? KMS_ASIDE : 0u) |
                         (flags & DRM_MODE_ATOMIC_ALLOW_MODESET ? KMS_MODESET : 0u);
    if (!(flags & DRM_MODE_ATOMIC_TEST_ONLY) && !(how & KMS_ASIDE))
        kms_settle(k);
    struct kms_state s = k->state;
    uint64_t at = 0;
    int wrong = 0;
    for (uint32_t i = 0; i < a->count_objs && !wrong; i++)
        wrong = change_object(k, &s, a, i, &at);
    wrong = wrong ? wrong : kms_check(k, &s, how);
    if (wrong || (flags & DRM_MODE_ATOMIC_TEST_ONLY))
        return wrong;
    return k->pending.name ? -EBUSY : kms_commit(c, &s, how, a->user_data);
}

/* ---- vertical blanks ---- */

static int wait_vblank(struct kms_client *c, void *argument) {
    union drm_wait_vblank *w = argument;
    struct kms *k = c->kms;
    const uint32_t type = w->request.type;
    const uint64_t now = clock_ns(CLOCK_MONOTONIC), sequence = kms_sequence(k, now);
    const uint32_t known =
        _DRM_VBLANK_TYPES_MASK | _DRM_VBLANK_FLAGS_MASK | _DRM_VBLANK_HIGH_CRTC_MASK;
    if ((type & ~known) ||
        (type & (_DRM_VBLANK_SIGNAL | _DRM_VBLANK_SECONDARY | _DRM_VBLANK_HIGH_CRTC_MASK)))
        return -EINVAL;
    uint64_t wanted =
        type & _DRM_VBLANK_RELATIVE
            ? sequence + w->request.sequence
            : sequence + (uint64_t)(int64_t)(int32_t)(w->request.sequence - (uint32_t)sequence);
    if ((int64_t)(wanted - sequence) < 0)
        wanted = sequence;
    if ((type & _DRM_VBLANK_NEXTONMISS) && wanted == sequence)
        wanted++;
    if (type & _DRM_VBLANK_EVENT)
        return kms_queue_blank(c, wanted, DRM_EVENT_VBLANK, w->request.signal);
    const int result = wanted > sequence ? kms_wait_blank(c, wanted) : 0;
    const uint64_t at = kms_blank_time(k, wanted);
    w->reply.sequence = (uint32_t)wanted;
    w->reply.tval_sec = (long)(at / 1000000000);
    w->reply.tval_usec = (long)(at / 1000 % 1000000);
    return result;
}

static int get_sequence(struct kms_client *c, void *argument) {
    struct drm_crtc_get_sequence *s = argument;
    if (s->crtc_id != KMS_CRTC)
        return -ENOENT;
    s->active = c->kms->state.active;
    s->sequence = kms_sequence(c->kms, clock_ns(CLOCK_MONOTONIC));
    s->sequence_ns = (int64_t)(kms_blank_time(c->kms, s->sequence));
    return 0;
}

static int queue_sequence(struct kms_client *c, void *argument) {
    struct drm_crtc_queue_sequence *q = argument;
    const uint64_t now = kms_sequence(c->kms, clock_ns(CLOCK_MONOTONIC));
    if (q->crtc_id != KMS_CRTC)
        return -ENOENT;
    if (q->flags & ~(uint32_t)(DRM_CRTC_SEQUENCE_RELATIVE | DRM_CRTC_SEQUENCE_NEXT_ON_MISS))
        return -EINVAL;
    if (q->flags & DRM_CRTC_SEQUENCE_RELATIVE)
        q->sequence += now;
    if ((q->flags & DRM_CRTC_SEQUENCE_NEXT_ON_MISS) && q->sequence <= now)
        q->sequence = now + 1;
    return kms_queue_blank(c, q->sequence, DRM_EVENT_CRTC_SEQUENCE, q->user_data);
}

/* ---- the table ---- */

enum { ANYONE, MASTER };
static const struct kms_entry {
    uint8_t number, who;
    uint16_t size;
    int (*call)(struct kms_client *c, void *argument);
} entries[] = {
    {0x02, ANYONE, sizeof(struct drm_auth), get_magic},
    {0x07, MASTER, sizeof(struct drm_set_version), set_version},
    {0x0d, ANYONE, sizeof(struct drm_set_client_cap), set_client_cap},
    {0x11, MASTER, sizeof(struct drm_auth), auth_magic},
    {0x1e, ANYONE, 0, set_master},
    {0x1f, ANYONE, 0, drop_master},
    {0x3a, ANYONE, sizeof(union drm_wait_vblank), wait_vblank},
    {0x3b, ANYONE, sizeof(struct drm_crtc_get_sequence), get_sequence},
    {0x3c, ANYONE, sizeof(struct drm_crtc_queue_sequence), queue_sequence},
    {0xa0, ANYONE, sizeof(struct drm_mode_card_res), get_resources},
    {0xa1, ANYONE, sizeof(struct drm_mode_crtc), get_crtc},
    {0xa2, MASTER, sizeof(struct drm_mode_crtc), set_crtc},
    {0xa3, MASTER, sizeof(struct drm_mode_cursor), cursor_ioctl},
    {0xa4, ANYONE, sizeof(struct drm_mode_crtc_lut), gamma_table},
    {0xa5, MASTER, sizeof(struct drm_mode_crtc_lut), gamma_table},
    {0xa6, ANYONE, sizeof(struct drm_mode_get_encoder), get_encoder},
    {0xa7, ANYONE, sizeof(struct drm_mode_get_connector), get_connector},
    {0xaa, ANYONE, sizeof(struct drm_mode_get_property), get_property},
    {0xab, MASTER, sizeof(struct drm_mode_connector_set_property), set_property},
    {0xac, ANYONE, sizeof(struct drm_mode_get_blob), get_blob},
    {0xad, ANYONE, sizeof(struct drm_mode_fb_cmd), get_fb},
    {0xae, ANYONE, sizeof(struct drm_mode_fb_cmd), add_fb},
    {0xaf, ANYONE, sizeof(uint32_t), remove_fb},
    {0xb0, MASTER, sizeof(struct drm_mode_crtc_page_flip), page_flip},
    {0xb1, MASTER, sizeof(struct drm_mode_fb_dirty_cmd), dirty_fb},
    {0xb2, ANYONE, sizeof(struct drm_mode_create_dumb), create_dumb},
    {0xb3, ANYONE, sizeof(struct drm_mode_map_dumb), map_dumb},
    {0xb4, ANYONE, sizeof(struct drm_mode_destroy_dumb), destroy_dumb},
    {0xb5, ANYONE, sizeof(struct drm_mode_get_plane_res), get_plane_resources},
    {0xb6, ANYONE, sizeof(struct drm_mode_get_plane), get_plane},
    {0xb7, MASTER, sizeof(struct drm_mode_set_plane), set_plane},
    {0xb8, ANYONE, sizeof(struct drm_mode_fb_cmd2), add_fb2},
    {0xb9, ANYONE, sizeof(struct drm_mode_obj_get_properties), get_properties},
    {0xba, MASTER, sizeof(struct drm_mode_obj_set_property), set_object_property},
    {0xbb, MASTER, sizeof(struct drm_mode_cursor2), cursor2},
    {0xbc, MASTER, sizeof(struct drm_mode_atomic), atomic_ioctl},
    {0xbd, ANYONE, sizeof(struct drm_mode_create_blob), create_blob},
    {0xbe, ANYONE, sizeof(struct drm_mode_destroy_blob), destroy_blob},
    {0xce, ANYONE, sizeof(struct drm_mode_fb_cmd2), get_fb2},
};

/* Calls the ioctl with this number. False if there is none. The client's struct may have another
 * size, as in the kernel: fields that the struct lacks are 0, extra bytes stay unchanged. */
bool kms_call(struct kms_client *c, uint32_t number, uint32_t size, void *argument, int *result) {
    _Alignas(8) uint8_t copy[256] = {0};
    const struct kms_entry *e = entries;
    while (e < entries + sizeof entries / sizeof *entries && e->number != number)
        e++;
    if (!c->kms || e == entries + sizeof entries / sizeof *entries)
        return false;
    size = size < e->size ? size : e->size;
    const uint64_t at = (uint64_t)(uintptr_t)argument;
    *result = e->who == MASTER && c->kms->master != c ? -EACCES : user_read(copy, at, size);
    if (*result)
        return true;
    *result = e->call(c, copy);
    const int wrong = *result ? 0 : user_write(at, copy, size);
    *result = *result ? *result : wrong;
    return true;
}
