/* The display of the card node: its master, commits, the time at which a commit is shown, and
 * events to clients. In: states. Out: pictures for the window (drm/screen.h), which reports when a
 * picture has been shown. Vertical blanks are counted by the clock, at the refresh rate of the
 * window's display.
 */
#define _GNU_SOURCE
#include "drm/kms_state.h"

#include <errno.h>
#include <sys/socket.h>

enum { PATIENCE_S = 3 };

struct kms_wait {
    struct kms_wait *next;
    struct kms_client *client;
    uint64_t sequence, user_data;
    uint32_t type; /* of the event that is sent */
};

/* The time from one vertical blank to the next, in ns. */
static uint64_t period(void) {
    uint32_t width, height, refresh;
    screen_size(&width, &height, &refresh);
    return 1000000000u / refresh;
}

uint64_t kms_sequence(const struct kms *k, uint64_t time) {
    return (time - k->origin) / period();
}

uint64_t kms_blank_time(const struct kms *k, uint64_t sequence) {
    return k->origin + sequence * period();
}

/* ---- events ---- */

/* Sends an event to a client. A client that does not read loses events, as with a full queue in the
 * kernel. */
static void send_event(const struct kms *k, const struct kms_client *c, uint32_t type,
                       uint64_t user_data, uint64_t time) {
    const uint64_t sequence = kms_sequence(k, time);
    const struct drm_event_vblank blank = {
        .base = {type, sizeof blank},
        .user_data = user_data,
        .tv_sec = (uint32_t)(time / 1000000000),
        .tv_usec = (uint32_t)(time / 1000 % 1000000),
        .sequence = (uint32_t)sequence,
        .crtc_id = KMS_CRTC,
    };
    const struct drm_event_crtc_sequence counted = {
        .base = {type, sizeof counted},
        .user_data = user_data,
        .time_ns = (int64_t)time,
        .sequence = sequence,
    };
    _Static_assert(sizeof blank == sizeof counted, "one size for both");
    send(c->events, type == DRM_EVENT_CRTC_SEQUENCE ? (const void *)&counted : &blank, sizeof blank,
         MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Ends the pending flip and sends its event. The event has the time of the last vertical blank, so
 * that a client that later asks for the last blank gets no earlier time. */
static void complete_flip(struct kms *k, uint64_t time) {
    const struct kms_client *c = k->pending.client;
    const uint64_t user_data = k->pending.user_data;
    k->pending.name = 0;
    k->pending.client = NULL;
    if (c)
        send_event(k, c, DRM_EVENT_FLIP_COMPLETE, user_data,
                   kms_blank_time(k, kms_sequence(k, time)));
    pthread_cond_broadcast(&k->flipped);
}

/* ---- called by the connection's thread ---- */

static void framebuffer_shown(void *self, uint32_t name, uint64_t time) {
    struct kms *k = self;
    pthread_mutex_lock(&k->gpu->lock);
    if (k->pending.name && (name == k->pending.name || !name))
        complete_flip(k, time);
    pthread_mutex_unlock(&k->gpu->lock);
}

static uint64_t next_vblank_due(void *self) {
    struct kms *k = self;
    const uint64_t now = clock_ns(CLOCK_MONOTONIC);
    uint64_t next = 0;
    pthread_mutex_lock(&k->gpu->lock);
    for (struct kms_wait **p = &k->waits, *w; (w = *p);) {
        const uint64_t at = kms_blank_time(k, w->sequence);
        if (at <= now) {
            *p = w->next;
            send_event(k, w->client, w->type, w->user_data, at);
            free(w);
            continue;
        }
        next = !next || at < next ? at : next;
        p = &w->next;
    }
    pthread_mutex_unlock(&k->gpu->lock);
    return next;
}

/* ---- commits ---- */

static bool same_size(uint32_t fixed, uint32_t pixels) {
    return fixed >> 16 == pixels && !(fixed & 0xffff);
}

static int check_plane(const struct kms *k, const struct kms_state *s, int i) {
    const struct kms_plane *p = &s->plane[i];
    const struct kms_fb *fb = kms_fb(k, p->fb);
    const struct drm_mode_modeinfo *mode = kms_mode(k, s->mode);
    if (!p->fb != !p->crtc)
        return -EINVAL;
    if (!fb)
        return 0;
    if (((uint64_t)p->from[0] + p->from[2]) >> 16 > fb->layout.width ||
        ((uint64_t)p->from[1] + p->from[3]) >> 16 > fb->layout.height)
        return -ENOSPC;
    if (!same_size(p->from[2], p->size[0]) || !same_size(p->from[3], p->size[1]))
        return -ERANGE; /* no scaling */
    if (i == SCREEN_CURSOR)
        return p->size[0] > KMS_CURSOR_SIDE || p->size[1] > KMS_CURSOR_SIDE ? -EINVAL : 0;
    return mode && (p->at[0] || p->at[1] || p->size[0] != mode->hdisplay ||
                    p->size[1] != mode->vdisplay)
               ? -EINVAL
               : 0;
}

int kms_check(const struct kms *k, const struct kms_state *s, unsigned how) {
    const struct drm_mode_modeinfo *mode = kms_mode(k, s->mode);
    const bool change = s->mode != k->state.mode || s->active != k->state.active;
    if ((change && !(how & KMS_MODESET)) || !mode != !s->connected || (s->active && !mode) ||
        (mode && (!mode->hdisplay || !mode->vdisplay || mode->hdisplay > KMS_MAX_SIDE ||
                  mode->vdisplay > KMS_MAX_SIDE)) ||
        ((how & KMS_EVENT) && !s->active))
        return -EINVAL;
    int wrong = 0;
    for (int i = 0; i < SCREEN_PLANES && !wrong; i++)
        wrong = check_plane(k, s, i);
    return wrong;
}

static bool show_framebuffer(struct kms *k, uint32_t name, bool flips) {
    const struct drm_mode_modeinfo *mode = k->state.active ? kms_mode(k, k->state.mode) : NULL;
    struct screen_request r = {.kind = SCREEN_SHOW, .name = name};
    r.show.width = mode ? mode->hdisplay : 0;
    r.show.height = mode ? mode->vdisplay : 0;
    r.show.flips = flips;
    for (int i = 0; i < SCREEN_PLANES && mode; i++) {
        const struct kms_plane *p = &k->state.plane[i];
        r.show.plane[i] = (struct screen_plane){
            p->fb, p->at[0], p->at[1], p->from[0] >> 16, p->from[1] >> 16, p->size[0], p->size[1]};
    }
    return screen_send(&r, -1);
}

void kms_settle(struct kms *k) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    while (k->pending.name)
        if (pthread_cond_timedwait(&k->flipped, &k->gpu->lock, &until) != 0)
            complete_flip(k, clock_ns(CLOCK_MONOTONIC)); /* the window has shown nothing in time */
}

int kms_commit(struct kms_client *c, const struct kms_state *s, unsigned how, uint64_t user_data) {
    struct kms *k = c->kms;
    const int wrong = kms_check(k, s, how | (how & KMS_CURSOR ? KMS_MODESET : 0));
    if (wrong)
        return wrong;
    const uint32_t shown = k->state.plane[SCREEN_PRIMARY].fb;
    k->state = *s;
    kms_blobs_sweep(k);
    const struct kms_fb *fb = kms_fb(k, s->plane[SCREEN_PRIMARY].fb);
    if (fb && fb->id != shown && !(how & KMS_CURSOR))
        queue_record_frame(k->gpu, fb->bo->address, fb->bo->size);
    if (how & KMS_CURSOR) {
        show_framebuffer(k, 0, false);
        return 0;
    }
    if (!++k->last_name)
        k->last_name = 1;
    k->pending.name = k->last_name;
    k->pending.client = how & KMS_EVENT ? c : NULL;
    k->pending.user_data = user_data;
    if (!show_framebuffer(k, k->last_name, true))
        complete_flip(k, clock_ns(CLOCK_MONOTONIC));
    if (!(how & KMS_ASIDE))
        kms_settle(k);
    return 0;
}

void kms_touch(struct kms *k) {
    show_framebuffer(k, 0, true);
}

/* ---- vertical blanks ---- */

int kms_wait_blank(struct kms_client *c, uint64_t sequence) {
    const uint64_t at = kms_blank_time(c->kms, sequence);
    const struct timespec until = {(time_t)(at / 1000000000), (long)(at % 1000000000)};
    if (at > clock_ns(CLOCK_MONOTONIC) + (uint64_t)PATIENCE_S * 1000000000)
        return -EBUSY; /* as when the kernel's wait times out */
    pthread_mutex_unlock(&c->gpu->lock);
    const int result = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    pthread_mutex_lock(&c->gpu->lock);
    return -result;
}

int kms_queue_blank(struct kms_client *c, uint64_t sequence, uint32_t type, uint64_t user_data) {
    struct kms_wait *w = malloc(sizeof *w);
    if (!w)
        return -ENOMEM;
    *w = (struct kms_wait){c->kms->waits, c, sequence, user_data, type};
    c->kms->waits = w;
    screen_wake();
    return 0;
}

/* ---- clients ---- */

/* Switches the display on in its preferred mode, as a console leaves it: some programs take the
 * mode that they find on the display. */
static void light(struct kms *k) {
    struct drm_mode_modeinfo modes[KMS_MODES];
    kms_modes(modes);
    const struct kms_blob *mode = kms_blob_create(k, NULL, &modes[0], sizeof modes[0]);
    if (mode)
        k->state = (struct kms_state){.mode = mode->id, .connected = KMS_CRTC, .active = true};
}

/* Makes the display of the GPU when the first client opens the card; NULL if no window shows it. */
static struct kms *new_display(struct gpu *g) {
    if (g->kms || !screen_open())
        return g->kms;
    struct kms *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->gpu = g;
    k->last_id = KMS_FIRST_FREE;
    k->origin = clock_ns(CLOCK_MONOTONIC) - period();
    pthread_cond_init(&k->flipped, NULL);
    const struct screen_listener l = {framebuffer_shown, next_vblank_due, k};
    screen_listen(&l);
    light(k);
    return g->kms = k;
}

void kms_open(struct kms_client *c, struct gpu *g, struct gem_table *gem, int events) {
    *c = (struct kms_client){.gpu = g, .gem = gem, .events = events};
    pthread_mutex_lock(&g->lock);
    struct kms *k = c->kms = new_display(g);
    if (k) {
        c->next = k->clients;
        k->clients = c;
        if (!k->master)
            k->master = c;
    }
    pthread_mutex_unlock(&g->lock);
}

static void forget_waits(struct kms *k, const struct kms_client *c) {
    for (struct kms_wait **p = &k->waits, *w; (w = *p);) {
        if (w->client != c) {
            p = &w->next;
            continue;
        }
        *p = w->next;
        free(w);
    }
}

void kms_close(struct kms_client *c) {
    struct kms *k = c->kms;
    if (k) {
        if (k->pending.client == c)
            k->pending.client = NULL;
        forget_waits(k, c);
        for (struct kms_fb *fb = k->fbs, *next; fb; fb = next) {
            next = fb->next;
            if (fb->owner == c)
                kms_fb_destroy(c, fb);
        }
        for (struct kms_blob *b = k->blobs; b; b = b->next)
            b->owner = b->owner == c ? NULL : b->owner;
        kms_blobs_sweep(k);
        for (struct kms_client **p = &k->clients; *p; p = &(*p)->next)
            if (*p == c) {
                *p = c->next;
                break;
            }
        if (k->master == c)
            k->master = NULL;
    }
    c->kms = NULL;
}
