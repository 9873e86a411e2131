/* The nouveau ioctls, as libdrm-nouveau and Mesa use them (tesla-3d.md §1); the entrance of the
 * driver into this project. In: ioctl numbers and their structs. Out: buffer objects, channels,
 * submissions. Must not know methods or pixels. The node reports version 1.3.1: from this version
 * on, clients may name devices and objects through NVIF (drm/nvif.c) or by the older ioctls.
 */
#define _GNU_SOURCE
#include "drm/node.h"

#include "drm/check.h"
#include "drm/held.h"
#include "drm/kms.h"
#include "drm/nvif.h"
#include "drm/screen.h"
#include "drm/unsent.h"
#include "fifo/record.h"

#include <errno.h>
#include <fcntl.h>
#include <libdrm/drm.h>
#include <libdrm/nouveau_drm.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NODE_CHANNELS = 64, REMEMBERED = 64, PCI_VENDOR_NVIDIA = 0x10de, BUS_PCI = 1 };

struct node {
    atomic_int refs;
    uint32_t calls; /* threads in an ioctl of the node; under the GPU's lock, as `closed` */
    bool closed;    /* the last descriptor was closed during an ioctl */
    bool card;
    struct gpu *gpu;
    struct gem_table gem;
    struct nvif_table nvif;
    int events; /* this process's end of a card's socket, or -1 */
    struct kms_client display;
    struct channel *channel[NODE_CHANNELS]; /* [number - 1] */
    struct tail {
        uint64_t end;     /* address behind the last submission's words */
        uint32_t compute; /* handle of a compute object made since then; 0: none */
    } tail[NODE_CHANNELS];
    struct {                       /* the last submission, which the next one may extend */
        uint64_t sequence, closed; /* its number; gem.closed at that time */
        uint32_t handles, handle[REMEMBERED];
    } last;
};

static atomic_int process_use = NODE_UNTOUCHED;
static _Thread_local struct gpu *submitted_to; /* the GPU that this thread last submitted to */

static atomic_uint process_refused;

unsigned node_refused(void) {
    return process_refused;
}

enum node_use node_use(void) {
    return (enum node_use)process_use;
}

struct node *node_open(bool card, int events) {
    struct node *n = calloc(1, sizeof *n);
    if (!n || !(n->gpu = gpu_get())) {
        errno = n ? ENODEV : ENOMEM;
        free(n);
        return NULL;
    }
    n->refs = 1;
    n->card = card;
    n->events = held_mark(events);
    if (events >= 0)
        kms_open(&n->display, n->gpu, &n->gem, events);
    if (process_use == NODE_UNTOUCHED)
        process_use = NODE_OPENED;
    return n;
}

void node_ref(struct node *n) {
    n->refs++;
}

static void channel_close(struct node *n, int index) {
    if (n->channel[index])
        queue_drain(n->gpu);
    if (!n->channel[index]) /* another thread may have closed the channel during the wait */
        return;
    if (n->gpu->record)
        record_channel_closed(n->gpu->record, n->channel[index]);
    channel_destroy(n->channel[index]);
    n->channel[index] = NULL;
    n->tail[index] = (struct tail){0};
    nvif_forget(&n->nvif, index + 1);
}

static void node_free(struct node *n) {
    struct gpu *g = n->gpu;
    if (!g->dead) {
        pthread_mutex_lock(&g->lock);
        for (int i = 0; i < NODE_CHANNELS; i++)
            channel_close(n, i);
        kms_close(&n->display);
        gem_table_free(g, &n->gem);
        pthread_mutex_unlock(&g->lock);
    }
    held_close(n->events);
    free(n);
}

/* If a thread is in an ioctl of the node, that thread frees the node. */
void node_unref(struct node *n) {
    struct gpu *g = n->gpu;
    if (--n->refs)
        return;
    if (!g->dead) {
        pthread_mutex_lock(&g->lock);
        n->closed = true;
        const bool busy = n->calls;
        pthread_mutex_unlock(&g->lock);
        if (busy)
            return;
    }
    node_free(n);
}

const char *node_path(const struct node *n) {
    return n->card ? "/dev/dri/card0" : "/dev/dri/renderD128";
}

int node_events(const struct node *n) {
    return n->events;
}

unsigned node_generation(const struct node *n) {
    return n->gpu->generation;
}

/* ---- the ioctls: 0 or -errno, called with the GPU's lock held ---- */

static void give_string(char *to, __kernel_size_t *length, const char *text) {
    const size_t n = strlen(text);
    if (to && *length)
        memcpy(to, text, n < *length ? n : *length);
    *length = n;
}

static int get_version(struct node *, void *argument) {
    struct drm_version *v = argument;
    v->version_major = 1;
    v->version_minor = 3;
    v->version_patchlevel = 1;
    give_string(v->name, &v->name_len, "nouveau");
    give_string(v->date, &v->date_len, "20120801");
    give_string(v->desc, &v->desc_len, "teslapipe");
    return 0;
}

static int get_unique(struct node *n, void *argument) {
    struct drm_unique *u = argument;
    /* libdrm opens a node without a bus address by its driver's name */
    const bool unnamed = n->display.kms && !n->display.named;
    give_string(u->unique, &u->unique_len, unnamed ? "" : "pci:0000:01:00.0");
    return 0;
}

static int get_cap(struct node *n, void *argument) {
    struct drm_get_cap *cap = argument;
    uint64_t value;
    cap->value = cap->capability == DRM_CAP_PRIME ? DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT : 0;
    if (n->display.kms && kms_capability(cap->capability, &value))
        cap->value = value;
    return 0;
}

/* Without a display no client is master. From this error wlroots and others conclude that they may
 * not set modes. */
static int not_master(struct node *, void *) {
    return -EACCES;
}

static int gem_close(struct node *n, void *argument) {
    const struct drm_gem_close *c = argument;
    return gem_handle_close(n->gpu, &n->gem, c->handle);
}

static int prime_export(struct node *n, void *argument) {
    struct drm_prime_handle *p = argument;
    struct gem_bo *bo = gem_lookup(&n->gem, p->handle);
    const int fd = bo ? gem_export(n->gpu, bo, (p->flags & DRM_CLOEXEC) != 0) : -ENOENT;
    p->fd = fd;
    return fd < 0 ? fd : 0;
}

static int prime_import(struct node *n, void *argument) {
    struct drm_prime_handle *p = argument;
    return gem_import(n->gpu, &n->gem, p->fd, &p->handle);
}

static int get_param(struct node *n, void *argument) {
    struct drm_nouveau_getparam *p = argument;
    const struct chip *chip = n->gpu->chip;
    const struct {
        uint64_t param, value;
    } known[] = {
        {NOUVEAU_GETPARAM_PCI_VENDOR, PCI_VENDOR_NVIDIA},
        {NOUVEAU_GETPARAM_PCI_DEVICE, chip->pci_device},
        {NOUVEAU_GETPARAM_BUS_TYPE, BUS_PCI},
        {NOUVEAU_GETPARAM_FB_SIZE, GPU_VRAM},
        {NOUVEAU_GETPARAM_AGP_SIZE, GPU_GART},
        {NOUVEAU_GETPARAM_CHIPSET_ID, chip->chipset},
        {NOUVEAU_GETPARAM_VM_VRAM_BASE, 0},
        {NOUVEAU_GETPARAM_GRAPH_UNITS, chip->units},
        {NOUVEAU_GETPARAM_PTIMER_TIME, clock_ns(CLOCK_MONOTONIC)},
        {NOUVEAU_GETPARAM_HAS_BO_USAGE, 1},
        {NOUVEAU_GETPARAM_HAS_PAGEFLIP, n->display.kms != NULL},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].param == p->param) {
            p->value = known[i].value;
            return 0;
        }
    log_message(&n->gpu->log, LOG_INFO, "GETPARAM %llu is unknown", (unsigned long long)p->param);
    return -EINVAL;
}

static int channel_alloc(struct node *n, void *argument) {
    struct drm_nouveau_channel_alloc *a = argument;
    for (int i = 0; i < NODE_CHANNELS; i++) {
        if (n->channel[i])
            continue;
        n->channel[i] = channel_create(n->gpu->device, n->gpu->chip->chipset);
        if (!n->channel[i])
            return -ENOMEM;
        channel_set_quirks(n->channel[i], n->gpu->quirks);
        check_channel(n->gpu, n->channel[i]);
        if (n->gpu->record)
            record_channel(n->gpu->record, n->channel[i]);
        process_use = NODE_USED;
        a->channel = i + 1;
        a->pushbuf_domains = NOUVEAU_GEM_DOMAIN_VRAM | NOUVEAU_GEM_DOMAIN_GART;
        a->notifier_handle = 0;
        a->nr_subchan = 0;
        return 0;
    }
    return -ENOSPC;
}

static struct channel *channel_lookup(const struct node *n, int64_t number) {
    return number >= 1 && number <= NODE_CHANNELS ? n->channel[number - 1] : NULL;
}

static int channel_free(struct node *n, void *argument) {
    const struct drm_nouveau_channel_free *f = argument;
    if (!channel_lookup(n, f->channel))
        return -ENODEV;
    channel_close(n, f->channel - 1);
    return 0;
}

enum { COMPUTE_TESLA = 0x50c0, COMPUTE_GT200 = 0x85c0 };

int node_object_create(struct node *n, int64_t channel, uint32_t handle, uint32_t class) {
    queue_drain(n->gpu);
    struct channel *c = channel_lookup(n, channel);
    if (!c)
        return -ENODEV;
    log_message(&n->gpu->log, LOG_DEBUG, "channel %d: object %08x of class %04x", (int)channel,
                handle, class);
    if (channel_object_create(c, handle, class))
        return -EINVAL;
    if (n->gpu->record)
        record_object(n->gpu->record, c, handle, class);
    if (class == COMPUTE_TESLA || class == COMPUTE_GT200)
        n->tail[channel - 1].compute = handle;
    return 0;
}

int node_object_destroy(struct node *n, int64_t channel, uint32_t handle) {
    queue_drain(n->gpu);
    struct channel *c = channel_lookup(n, channel);
    if (!c)
        return -ENODEV;
    channel_object_destroy(c, handle); /* does nothing if the handle is a notifier's */
    return 0;
}

static int grobj_alloc(struct node *n, void *argument) {
    const struct drm_nouveau_grobj_alloc *a = argument;
    return node_object_create(n, a->channel, a->handle, (uint32_t)a->class);
}

/* Notifiers are not stored: the driver makes one and never reads it. */
static int notifierobj_alloc(struct node *n, void *argument) {
    struct drm_nouveau_notifierobj_alloc *a = argument;
    a->offset = 0;
    return channel_lookup(n, a->channel) ? 0 : -ENODEV;
}

static int gpuobj_free(struct node *n, void *argument) {
    const struct drm_nouveau_gpuobj_free *f = argument;
    return node_object_destroy(n, f->channel, f->handle);
}

static void describe_bo(const struct gem_bo *bo, uint32_t handle,
                        struct drm_nouveau_gem_info *info) {
    *info = (struct drm_nouveau_gem_info){
        .handle = handle,
        .domain = bo->domain,
        .size = bo->size,
        .offset = bo->address,
        .map_handle = (uint64_t)handle << GEM_COOKIE_SHIFT,
        .tile_mode = bo->tile_mode,
        .tile_flags = bo->tile_flags,
    };
}

enum { GEM_STORAGE_TYPE = 0xff00, TILED_ALIGN = 65536 };

static int gem_create(struct node *n, void *argument) {
    struct drm_nouveau_gem_new *r = argument;
    const uint32_t domain = r->info.domain & NOUVEAU_GEM_DOMAIN_VRAM ? NOUVEAU_GEM_DOMAIN_VRAM
                                                                     : NOUVEAU_GEM_DOMAIN_GART;
    const bool tiled = (r->info.tile_flags & GEM_STORAGE_TYPE) != 0;
    const uint32_t align = tiled && r->align < TILED_ALIGN ? TILED_ALIGN : r->align;
    struct gem_bo *bo = gem_new(n->gpu, r->info.size, align, domain);
    if (!bo)
        return -ENOMEM;
    bo->tile_mode = r->info.tile_mode;
    bo->tile_flags = r->info.tile_flags;
    const uint32_t handle = gem_handle_add(n->gpu, &n->gem, bo);
    if (!handle)
        return -ENOMEM;
    describe_bo(bo, handle, &r->info);
    return 0;
}

static int gem_info(struct node *n, void *argument) {
    struct drm_nouveau_gem_info *info = argument;
    const struct gem_bo *bo = gem_lookup(&n->gem, info->handle);
    if (!bo)
        return -ENOENT;
    describe_bo(bo, info->handle, info);
    return 0;
}

/* True if the work of the last ticket for this shared buffer is not done; *ticket is that
 * ticket. */
static bool others_are_busy(const struct gem_bo *bo, uint32_t *ticket) {
    if (!bo->turns)
        return false;
    *ticket = turns_ticket(atomic_load(&bo->turns->last));
    return !turns_is_done(bo->turns, *ticket);
}

static int cpu_prep(struct node *n, void *argument) {
    const struct drm_nouveau_gem_cpu_prep *p = argument;
    struct gpu *g = n->gpu;
    struct gem_bo *bo = gem_lookup(&n->gem, p->handle);
    uint32_t ticket;
    if (!bo)
        return -ENOENT;
    if (p->flags & NOUVEAU_GEM_CPU_PREP_NOWAIT)
        return bo->last_use > g->completed || others_are_busy(bo, &ticket) ? -EBUSY : 0;
    bo->refs++;
    queue_wait(g, bo->last_use);
    if (others_are_busy(bo, &ticket)) {
        pthread_mutex_unlock(&g->lock);
        turns_wait(bo->turns, ticket);
        pthread_mutex_lock(&g->lock);
    }
    gem_unref(g, bo);
    return 0;
}

static int cpu_fini(struct node *n, void *argument) {
    const struct drm_nouveau_gem_cpu_fini *f = argument;
    return gem_lookup(&n->gem, f->handle) ? 0 : -ENOENT;
}

/* Writes a buffer's address into another buffer. Called only if the driver did not presume the
 * address: addresses never change, so a presumed address is right. */
static int apply_reloc(struct gpu *g, const struct drm_nouveau_gem_pushbuf_reloc *r,
                       const struct submission *s) {
    if (r->bo_index >= s->bo_count || r->reloc_bo_index >= s->bo_count)
        return -EINVAL;
    const struct gem_bo *bo = s->bo[r->bo_index], *at = s->bo[r->reloc_bo_index];
    uint32_t *word = memory_at(g->memory, at->address + r->reloc_bo_offset, sizeof *word);
    if (!word || r->reloc_bo_offset > at->size - sizeof *word)
        return -EINVAL;
    uint64_t value = r->data;
    if (r->flags & NOUVEAU_GEM_RELOC_LOW)
        value = bo->address + r->data;
    else if (r->flags & NOUVEAU_GEM_RELOC_HIGH)
        value = (bo->address + r->data) >> 32;
    if (r->flags & NOUVEAU_GEM_RELOC_OR)
        value |= bo->domain == NOUVEAU_GEM_DOMAIN_GART ? r->tor : r->vor;
    const uint32_t low = (uint32_t)value;
    memcpy(word, &low, sizeof low);
    return 0;
}

static int fill_submission(struct node *n, const struct drm_nouveau_gem_pushbuf *p,
                           struct submission *s) {
    const struct drm_nouveau_gem_pushbuf_bo *bo = (const void *)(uintptr_t)p->buffers;
    const struct drm_nouveau_gem_pushbuf_push *push = (const void *)(uintptr_t)p->push;
    const struct drm_nouveau_gem_pushbuf_reloc *reloc = (const void *)(uintptr_t)p->relocs;
    s->bo_count = 0;
    for (uint32_t i = 0; i < p->nr_buffers; i++) {
        s->bo[i] = gem_lookup(&n->gem, bo[i].handle);
        if (!s->bo[i])
            return -ENOENT;
        s->bo[i]->refs++;
        s->bo_count++;
    }
    for (uint32_t i = 0; i < p->nr_relocs; i++)
        if (!bo[reloc[i].bo_index < p->nr_buffers ? reloc[i].bo_index : 0].presumed.valid &&
            apply_reloc(n->gpu, &reloc[i], s))
            return -EINVAL;
    for (uint32_t i = 0; i < p->nr_push; i++) {
        const uint64_t least = push[i].length & (ENTRY_NO_PREFETCH - 1);
        if (push[i].bo_index >= s->bo_count || push[i].length > UINT32_MAX ||
            push[i].offset > s->bo[push[i].bo_index]->size ||
            least > s->bo[push[i].bo_index]->size - push[i].offset)
            return -EINVAL;
        s->push[i] = (struct push){s->bo[push[i].bo_index]->address + push[i].offset,
                                   (uint32_t)push[i].length};
    }
    return 0;
}

static struct gem_bo *bo_around(const struct node *n, uint64_t address) {
    for (uint32_t i = 0; i < n->gem.capacity; i++) {
        struct gem_bo *bo = n->gem.bo[i];
        if (bo && address >= bo->address && address - bo->address < bo->size)
            return bo;
    }
    return NULL;
}

/* Submits methods that set up a compute object, if the driver wrote them behind the last submission
 * and never submitted them (drm/unsent.h). */
static void submit_unsent(struct node *n, int index) {
    struct tail *t = &n->tail[index];
    struct gem_bo *bo = t->compute ? bo_around(n, t->end) : NULL;
    const uint64_t left = bo ? bo->address + bo->size - t->end : 0;
    const uint32_t *word = memory_at(n->gpu->memory, t->end, left);
    const uint32_t count = word ? unsent_setup(word, (uint32_t)(left / 4), t->compute) : 0;
    struct submission *s = count ? submission_new(n->gpu, n->channel[index], 1, 1) : NULL;
    t->compute = 0;
    if (!s)
        return;
    s->bo[0] = bo;
    bo->refs++;
    s->push[0] = (struct push){t->end, count * 4};
    queue_submit(n->gpu, s);
}

static void remember_submission(struct node *n, const struct drm_nouveau_gem_pushbuf *p,
                                uint64_t sequence) {
    const struct drm_nouveau_gem_pushbuf_bo *bo = (const void *)(uintptr_t)p->buffers;
    n->last.handles = p->nr_buffers <= REMEMBERED ? p->nr_buffers : 0;
    n->last.sequence = sequence;
    n->last.closed = n->gem.closed;
    for (uint32_t i = 0; i < n->last.handles; i++)
        n->last.handle[i] = bo[i].handle;
}

static bool is_like_last(const struct node *n, const struct drm_nouveau_gem_pushbuf *p) {
    const struct drm_nouveau_gem_pushbuf_bo *bo = (const void *)(uintptr_t)p->buffers;
    if (p->nr_push != 1 || p->nr_relocs || p->nr_buffers != n->last.handles ||
        n->last.closed != n->gem.closed)
        return false;
    for (uint32_t i = 0; i < p->nr_buffers; i++)
        if (bo[i].handle != n->last.handle[i])
            return false;
    return true;
}

/* Extends the last submission by the range directly behind it, if both use the same buffers. So a
 * driver that submits each draw on its own makes few submissions. False if the last submission
 * cannot be extended by this one. */
static bool submit_alike(struct node *n, int index, const struct drm_nouveau_gem_pushbuf *p) {
    const struct drm_nouveau_gem_pushbuf_push *push = (const void *)(uintptr_t)p->push;
    if (!is_like_last(n, p) || push->bo_index >= p->nr_buffers || push->length > UINT32_MAX)
        return false;
    const struct gem_bo *bo = gem_lookup(&n->gem, n->last.handle[push->bo_index]);
    const uint64_t least = push->length & (ENTRY_NO_PREFETCH - 1);
    if (push->offset > bo->size || least > bo->size - push->offset ||
        n->tail[index].end != bo->address + push->offset)
        return false;
    const struct push range = {bo->address + push->offset, (uint32_t)push->length};
    const uint64_t sequence = queue_extend(n->gpu, n->channel[index], n->last.sequence, range);
    if (!sequence)
        return false;
    n->last.sequence = sequence;
    n->tail[index].end = range.address + least;
    n->tail[index].compute = 0;
    queue_await_room(n->gpu);
    return true;
}

static int push_buffers(struct node *n, void *argument) {
    struct drm_nouveau_gem_pushbuf *p = argument;
    struct gpu *g = n->gpu;
    queue_await_turn(g);
    struct channel *c = channel_lookup(n, p->channel);
    p->vram_available = GPU_VRAM;
    p->gart_available = GPU_GART;
    p->suffix0 = p->suffix1 = 0;
    if (!c)
        return -ENODEV;
    if (p->nr_push > NOUVEAU_GEM_MAX_PUSH || p->nr_buffers > NOUVEAU_GEM_MAX_BUFFERS ||
        p->nr_relocs > NOUVEAU_GEM_MAX_RELOCS)
        return -EINVAL;
    if (!p->nr_push) /* an empty submission asks whether the channel is alive */
        return 0;
    if (!p->nr_buffers)
        return -EINVAL;
    const int index = (int)p->channel - 1;
    if (submit_alike(n, index, p)) {
        submitted_to = g;
        return 0;
    }
    struct submission *s = submission_new(g, c, p->nr_push, p->nr_buffers);
    if (!s)
        return -ENOMEM;
    const int result = fill_submission(n, p, s);
    if (result) {
        submission_free(g, s);
        return result;
    }
    const struct push *last = &s->push[s->push_count - 1];
    if (n->tail[index].end != s->push[0].address)
        submit_unsent(n, index);
    queue_await_turn(g);
    if (n->channel[index] != c) { /* another thread freed the channel during a wait */
        submission_free(g, s);
        return -ENODEV;
    }
    n->tail[index].end = last->address + (last->length & (ENTRY_NO_PREFETCH - 1));
    n->tail[index].compute = 0;
    remember_submission(n, p, g->submitted + 1);
    queue_submit(g, s);
    submitted_to = g;
    return 0;
}

bool node_yield(void) {
    struct gpu *g = submitted_to;
    if (!g || g->dead)
        return false;
    pthread_mutex_lock(&g->lock);
    const bool waited = queue_yield(g);
    pthread_mutex_unlock(&g->lock);
    return waited;
}

struct ioctl_entry {
    uint16_t size;
    int (*call)(struct node *n, void *argument);
};

/* Ranges of ioctl numbers: the driver's own, and those that set modes. */
enum { COMMAND = DRM_COMMAND_BASE, MODE_SETTING = 0xa0, MODE_SETTING_END = 0xcf };

/* Indexed by ioctl number. */
static const struct ioctl_entry ioctls[1 << _IOC_NRBITS] = {
    [0x00] = {sizeof(struct drm_version), get_version},
    [0x01] = {sizeof(struct drm_unique), get_unique},
    [0x09] = {sizeof(struct drm_gem_close), gem_close},
    [0x0c] = {sizeof(struct drm_get_cap), get_cap},
    [0x11] = {sizeof(struct drm_auth), not_master},
    [0x2d] = {sizeof(struct drm_prime_handle), prime_export},
    [0x2e] = {sizeof(struct drm_prime_handle), prime_import},
    [COMMAND + DRM_NOUVEAU_GETPARAM] = {sizeof(struct drm_nouveau_getparam), get_param},
    [COMMAND +
        DRM_NOUVEAU_CHANNEL_ALLOC] = {sizeof(struct drm_nouveau_channel_alloc), channel_alloc},
    [COMMAND + DRM_NOUVEAU_CHANNEL_FREE] = {sizeof(struct drm_nouveau_channel_free), channel_free},
    [COMMAND + DRM_NOUVEAU_GROBJ_ALLOC] = {sizeof(struct drm_nouveau_grobj_alloc), grobj_alloc},
    [COMMAND + DRM_NOUVEAU_NOTIFIEROBJ_ALLOC] = {sizeof(struct drm_nouveau_notifierobj_alloc),
                                                 notifierobj_alloc},
    [COMMAND + DRM_NOUVEAU_GPUOBJ_FREE] = {sizeof(struct drm_nouveau_gpuobj_free), gpuobj_free},
    [COMMAND + DRM_NOUVEAU_GEM_NEW] = {sizeof(struct drm_nouveau_gem_new), gem_create},
    [COMMAND + DRM_NOUVEAU_GEM_PUSHBUF] = {sizeof(struct drm_nouveau_gem_pushbuf), push_buffers},
    [COMMAND + DRM_NOUVEAU_GEM_CPU_PREP] = {sizeof(struct drm_nouveau_gem_cpu_prep), cpu_prep},
    [COMMAND + DRM_NOUVEAU_GEM_CPU_FINI] = {sizeof(struct drm_nouveau_gem_cpu_fini), cpu_fini},
    [COMMAND + DRM_NOUVEAU_GEM_INFO] = {sizeof(struct drm_nouveau_gem_info), gem_info},
};

static int node_call(struct node *n, unsigned long request, void *argument) {
    const uint32_t number = _IOC_NR(request);
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
        return -ENOTTY;
    int result;
    const bool displays = number < COMMAND || number >= MODE_SETTING;
    if (displays && kms_call(&n->display, number, _IOC_SIZE(request), argument, &result)) {
        if (process_use == NODE_OPENED)
            process_use = NODE_DISPLAYED;
        return result;
    }
    if (number == COMMAND + DRM_NOUVEAU_NVIF)
        return argument ? nvif_call(n, &n->nvif, n->gpu->chip, argument, _IOC_SIZE(request))
                        : -EINVAL;
    const struct ioctl_entry *e = &ioctls[number];
    if (e->call)
        return argument && _IOC_SIZE(request) >= e->size ? e->call(n, argument) : -EINVAL;
    log_message(&n->gpu->log, LOG_INFO, "ioctl %02x is unknown", number);
    process_refused = number;
    return number >= MODE_SETTING && number <= MODE_SETTING_END ? -EOPNOTSUPP : -EINVAL;
}

int node_ioctl(struct node *n, unsigned long request, void *argument) {
    struct gpu *g = n->gpu;
    int result = -ENODEV;
    if (!g->dead) {
        pthread_mutex_lock(&g->lock);
        n->calls++;
        result = node_call(n, request, argument);
        const bool last = !--n->calls && n->closed;
        pthread_mutex_unlock(&g->lock);
        if (last)
            node_free(n);
    }
    if (result >= 0)
        return result;
    errno = -result;
    return -1;
}

void *node_mmap(struct node *n, void *address, size_t length, int prot, int flags,
                uint64_t offset) {
    struct gpu *g = n->gpu;
    if (g->dead) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    pthread_mutex_lock(&g->lock);
    void *at = gem_map(g, &n->gem, address, length, prot, flags, offset);
    pthread_mutex_unlock(&g->lock);
    return at;
}
