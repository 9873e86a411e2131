/* The walk over a recording's work (needs.h). A dry replay keeps work as a list of nodes with
 * touches. A copy or a write by the CPU is listed only if it reads or replaces memory that left-out
 * work may have written. The walk then goes backwards over the list with the set of live memory:
 * memory whose contents are read later. Work that writes live memory is needed, and the memory that
 * it reads becomes live; work that replaces memory ends the memory's life. Copies are done in any
 * case, but the memory that a copy reads becomes live only if the copy's result is live.
 */
#include "fifo/needs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A node of the list: consecutive draws or clears with the same touches, or a copy, or a write by
 * the CPU. */
struct work_node {
    uint64_t frame;
    uint64_t first, count; /* numbers of the draws or clears; count 0: other work */
    size_t touch;
    uint32_t touches;
    enum work_kind kind;
};

struct range {
    uint64_t address, end;
    uint64_t shape; /* in needs.shapes: the shape of the surfaces written there; 0: several */
};
struct ranges {
    struct range *range;
    size_t count, capacity;
};

struct live {
    uint64_t address, end;
    uint32_t planes;
    enum work_extent extent; /* WORK_SHARED: each process needs its own rows of tiles only */
    uint64_t shape;          /* of the surface that is read (footprint_shape) */
    uint64_t frame;          /* frame of the work that reads */
    enum touch_use use;
};

struct needs {
    tp_device *device;
    struct needs_port port;
    struct replay *replay;
    struct replay_observer replay_observer;
    struct work_observer work;
    bool failed; /* out of memory */
    /* the list */
    struct work_node *node;
    size_t nodes, node_capacity;
    struct touch *touch;
    size_t touches, touch_capacity;
    struct work_node open; /* the node being noted; its touches are the last of touch[] */
    uint64_t numbers;      /* draws and clears so far */
    uint64_t forced;       /* number, from 1, of the last node that has TOUCH_DRAW; 0: none */
    struct picture {
        uint64_t address, size, shape; /* size 0: the frame has no picture */
    } *picture;
    size_t frames, frame_capacity;
    struct ranges drawn;  /* memory written by work that may be left out */
    struct ranges shapes; /* the surfaces that were written, with their shapes */
    /* once set, all work is done, because the walk cannot tell what is needed */
    bool unclear;
    uint64_t unclear_frame;
    /* the walk */
    uint8_t *extent;
    size_t extent_capacity;
    struct live *live;
    size_t live_count, live_capacity;
};

#define GROW(n, array, capacity, count)                                                            \
    ((n)->failed |= !ARRAY_ROOM(array, capacity, count), !(n)->failed)

/* ---- sets of ranges ---- */

static bool meets(const struct ranges *set, uint64_t address, uint64_t end) {
    for (size_t i = 0; i < set->count; i++)
        if (set->range[i].address < end && address < set->range[i].end)
            return true;
    return false;
}

/* Adds a range. Ranges that overlap become one range, with shape 0 unless the shapes are equal. */
static void add_range(struct needs *n, struct ranges *set, uint64_t address, uint64_t end,
                      uint64_t shape) {
    for (size_t i = 0; i < set->count;) {
        const struct range *r = &set->range[i];
        if (r->address >= end || address >= r->end) {
            i++;
            continue;
        }
        if (r->address <= address && end <= r->end && r->shape == shape)
            return;
        shape = r->shape == shape && r->address == address && r->end == end ? shape : 0;
        address = r->address < address ? r->address : address;
        end = r->end > end ? r->end : end;
        set->range[i] = set->range[--set->count];
        i = 0;
    }
    if (GROW(n, set->range, set->capacity, set->count + 1))
        set->range[set->count++] = (struct range){address, end, shape};
}

/* Removes the ranges of the set that lie inside the given range. */
static void drop_ranges(struct ranges *set, uint64_t address, uint64_t end) {
    for (size_t i = 0; i < set->count;)
        if (address <= set->range[i].address && set->range[i].end <= end)
            set->range[i] = set->range[--set->count];
        else
            i++;
}

/* ---- the list of work ---- */

static void be_unclear(struct needs *n) {
    if (!n->unclear)
        n->unclear_frame = n->frames;
    n->unclear = true;
}

static bool writes(const struct touch *t) {
    return t->kind == TOUCH_WRITE || t->kind == TOUCH_REPLACE;
}

/* True if surfaces of other shapes were written in the touched memory. Their texels and rows of
 * tiles may lie elsewhere than those of this surface. */
static bool is_aliased(const struct needs *n, const struct touch *t) {
    for (size_t i = 0; t->shape && i < n->shapes.count; i++) {
        const struct range *r = &n->shapes.range[i];
        if (r->address < t->address + t->size && t->address < r->end && r->shape != t->shape)
            return true;
    }
    return false;
}

/* Notes the memory that the open node writes. False if the node need not be kept. */
static bool note_writes(struct needs *n, const struct work_node *u) {
    bool reads = u->count > 0, replaces = false;
    for (uint32_t i = 0; i < u->touches; i++)
        reads |= n->touch[u->touch + i].kind == TOUCH_READ;
    for (uint32_t i = 0; i < u->touches; i++) {
        struct touch *t = &n->touch[u->touch + i];
        const uint64_t end = t->address + t->size, shape = t->shape;
        if (is_aliased(n, t)) {
            t->shape = 0;
            t->kind = t->kind == TOUCH_REPLACE ? TOUCH_WRITE : t->kind;
        }
        replaces |= t->kind == TOUCH_REPLACE && meets(&n->drawn, t->address, end);
        if (writes(t) && shape)
            add_range(n, &n->shapes, t->address, end, shape);
        if (reads && writes(t))
            add_range(n, &n->drawn, t->address, end, 0);
    }
    return reads || replaces;
}

static bool same_touches(const struct needs *n, const struct work_node *a,
                         const struct work_node *b) {
    for (uint32_t i = 0; i < a->touches && i < b->touches; i++) {
        const struct touch *x = &n->touch[a->touch + i], *y = &n->touch[b->touch + i];
        if (x->kind != y->kind || x->planes != y->planes || x->address != y->address ||
            x->size != y->size || x->shape != y->shape)
            return false;
    }
    return a->touches == b->touches;
}

static void close_node(struct needs *n) {
    struct work_node *u = &n->open, *last = n->nodes ? &n->node[n->nodes - 1] : NULL;
    const bool keeps = note_writes(n, u);
    if (keeps && last && u->count && last->count && last->kind == u->kind &&
        last->frame == u->frame && last->first + last->count == u->first &&
        same_touches(n, last, u))
        last->count++;
    else if (keeps && GROW(n, n->node, n->node_capacity, n->nodes + 1))
        n->node[n->nodes++] = *u;
    const bool listed = n->nodes && n->node[n->nodes - 1].touch == u->touch && keeps;
    n->touches = listed ? u->touch + u->touches : u->touch;
    *u = (struct work_node){.kind = WORK_OTHER, .touch = n->touches};
}

static enum work_extent begin_work(void *self, enum work_kind kind) {
    struct needs *n = self;
    if (n->open.touches || n->open.count)
        close_node(n);
    const bool numbered = kind == WORK_DRAW || kind == WORK_CLEAR;
    n->open.frame = n->frames;
    n->open.kind = kind;
    n->open.first = n->numbers;
    n->open.count = numbered;
    n->numbers += numbered;
    return WORK_LEFT_OUT;
}

static void add_touch(struct needs *n, const struct touch *t) {
    if (!GROW(n, n->touch, n->touch_capacity, n->touches + 1))
        return;
    n->touch[n->touches++] = *t;
    n->open.touches++;
}

static void touch_memory(void *self, const struct touch *t) {
    struct needs *n = self;
    const bool reads = t->kind == TOUCH_READ || t->kind == TOUCH_DECIDE;
    const bool decides = t->kind == TOUCH_DECIDE || n->open.kind == WORK_OTHER;
    if (reads && !meets(&n->drawn, t->address, t->address + t->size))
        return;
    if (reads && decides)
        be_unclear(n);
    else if (reads || t->kind == TOUCH_REPLACE || n->open.kind != WORK_OTHER)
        add_touch(n, t);
    if (t->kind == TOUCH_DRAW)
        n->forced = n->nodes + 1;
}

/* Notes that the CPU writes or frees memory. */
static void memory_changes(void *self, uint64_t address, uint64_t size) {
    struct needs *n = self;
    if (!meets(&n->drawn, address, address + size))
        return;
    begin_work(n, WORK_OTHER);
    touch_memory(n, &(struct touch){TOUCH_REPLACE, USE_MEMORY, PLANES, address, size, 0});
    begin_work(n, WORK_OTHER);
    drop_ranges(&n->drawn, address, address + size);
    drop_ranges(&n->shapes, address, address + size);
}

static void observe_channel(void *self, struct channel *c) {
    struct needs *n = self;
    channel_context(c)->work = &n->work;
}

/* Replays frames up to number `last` without drawing, and lists their work. */
static bool scan(struct needs *n, uint64_t last, char *why, size_t why_size) {
    struct replay_frame f = {0};
    struct surface surface;
    while (n->frames <= last && !n->unclear) {
        const int result = replay_next(n->replay, &f, why, why_size);
        if (result < 0)
            return false;
        if (result > 0)
            break; /* the caller's own replay reports the missing frame */
        begin_work(n, WORK_OTHER);
        if (!GROW(n, n->picture, n->frame_capacity, n->frames + 1))
            break;
        struct picture *p = &n->picture[n->frames++];
        n->open.frame = n->frames;
        *p = (struct picture){0};
        if (n->port.picture(n->port.self, replay_result(n->replay), &f, &surface, &p->address)) {
            p->size = surface_layer_bytes(&surface);
            p->shape = footprint_shape(&surface, 1);
        }
    }
    if (n->failed)
        snprintf(why, why_size, "out of memory for the list of draws");
    return !n->failed;
}

/* ---- live memory ---- */

/* Adds live memory. An empty range is ignored. */
static void revive(struct needs *n, const struct live *l) {
    for (size_t i = 0; i < n->live_count; i++) {
        struct live *o = &n->live[i];
        if (o->address != l->address || o->end != l->end || o->planes != l->planes ||
            o->shape != l->shape)
            continue;
        if (o->extent < l->extent)
            *o = *l;
        return;
    }
    if (l->address < l->end && GROW(n, n->live, n->live_capacity, n->live_count + 1))
        n->live[n->live_count++] = *l;
}

static void kill_range(struct needs *n, uint64_t address, uint64_t end, uint32_t planes) {
    for (size_t i = n->live_count; i-- > 0;) {
        const struct live l = n->live[i];
        if (l.address >= end || address >= l.end || !(l.planes & planes))
            continue;
        n->live[i] = n->live[--n->live_count];
        struct live part = l;
        part.planes = l.planes & ~planes;
        if (part.planes)
            revive(n, &part);
        part = l;
        part.end = address;
        revive(n, &part);
        part = l;
        part.address = end;
        revive(n, &part);
    }
}

static bool meets_live(const struct live *l, const struct touch *t) {
    return l->address < t->address + t->size && t->address < l->end && (l->planes & t->planes);
}

/* The extent in which a node's work must be done. Sets *reader to the live memory that needs the
 * work. */
static enum work_extent extent_of(const struct needs *n, const struct work_node *u,
                                  struct live *reader) {
    enum work_extent extent = WORK_LEFT_OUT;
    for (uint32_t i = 0; i < u->touches; i++) {
        const struct touch *t = &n->touch[u->touch + i];
        if (t->kind == TOUCH_DRAW) {
            *reader = (struct live){.frame = u->frame, .use = t->use};
            return WORK_WHOLE;
        }
        for (size_t k = 0; writes(t) && k < n->live_count; k++) {
            const struct live *l = &n->live[k];
            if (!meets_live(l, t))
                continue;
            const bool whole = !t->shape || t->shape != l->shape || l->extent == WORK_WHOLE;
            const enum work_extent of = whole ? WORK_WHOLE : WORK_SHARED;
            if (of > extent) {
                extent = of;
                *reader = *l;
            }
        }
    }
    return extent;
}

static void walk_node(struct needs *n, const struct work_node *u, enum work_extent extent) {
    for (uint32_t i = 0; i < u->touches; i++) {
        const struct touch *t = &n->touch[u->touch + i];
        for (size_t k = 0; extent == WORK_WHOLE && writes(t) && k < n->live_count; k++)
            /* work that is drawn whole needs all pixels under it */
            if (meets_live(&n->live[k], t))
                n->live[k].extent = WORK_WHOLE;
        if (t->kind == TOUCH_REPLACE)
            kill_range(n, t->address, t->address + t->size, t->planes);
    }
    for (uint32_t i = 0; extent && i < u->touches; i++) {
        const struct touch *t = &n->touch[u->touch + i];
        if (t->kind == TOUCH_READ)
            revive(n, &(struct live){t->address, t->address + t->size, t->planes,
                                     t->shape ? extent : WORK_WHOLE, t->shape, u->frame, t->use});
    }
}

/* ---- the walk ---- */

static void explain(char *why, size_t size, const struct work_node *u, const struct live *reader) {
    static const char *const does[] = {
        [USE_MEMORY] = "reads memory that is drawn in",
        [USE_TARGET] = "draws over pixels of",
        [USE_TEXTURE] = "samples pixels of",
        [USE_COUNTER] = "counts on from draws of",
        [USE_PROGRAM] = "has programs that may read memory of",
    };
    if (reader->frame == u->frame)
        snprintf(why, size, "a program or stream of frame %" PRIu64 " writes memory", u->frame);
    else
        snprintf(why, size, "frame %" PRIu64 " %s frame %" PRIu64, reader->frame, does[reader->use],
                 u->frame);
}

static bool is_wanted(const struct needs_range *r, uint64_t frame) {
    return frame >= r->first && frame <= r->last && (frame - r->first) % r->step == 0;
}

static void revive_picture(struct needs *n, uint64_t frame, bool shared) {
    const struct picture *p = &n->picture[frame];
    revive(n, &(struct live){p->address, p->address + p->size, PLANES,
                             shared ? WORK_SHARED : WORK_WHOLE, p->shape, frame, USE_TARGET});
}

static void walk(struct needs *n, const struct needs_range *range, bool shared,
                 struct needed *needed) {
    uint64_t frame = n->frames, counted = UINT64_MAX;
    n->live_count = 0;
    memset(n->extent, WORK_LEFT_OUT, n->numbers);
    for (size_t i = n->nodes; i-- > 0;) {
        const struct work_node *u = &n->node[i];
        struct live reader;
        while (frame > u->frame)
            if (is_wanted(range, --frame))
                revive_picture(n, frame, shared);
        if (!n->live_count && i >= n->forced && frame <= range->first)
            break;
        const enum work_extent extent = extent_of(n, u, &reader);
        walk_node(n, u, extent);
        memset(n->extent + u->first, (int)extent, u->count);
        if (!extent || !u->count || u->frame >= range->first)
            continue;
        if (!needed->why[0])
            explain(needed->why, sizeof needed->why, u, &reader);
        needed->frames_before += counted != u->frame;
        counted = u->frame;
    }
}

static void need_all(struct needs *n, const struct needs_range *range, struct needed *needed) {
    needed->frames_before = range->first;
    snprintf(needed->why, sizeof needed->why,
             "commands or descriptors of frame %" PRIu64
             " may lie in memory that draws or programs write",
             n->unclear_frame);
}

bool needs_of(struct needs *n, const struct needs_range *range, bool shared, struct needed *needed,
              char *why, size_t why_size) {
    *needed = (struct needed){0};
    if (!scan(n, range->last, why, why_size))
        return false;
    if (n->unclear) {
        need_all(n, range, needed);
        return true;
    }
    if (GROW(n, n->extent, n->extent_capacity, n->numbers + 1))
        walk(n, range, shared, needed);
    if (n->failed) {
        snprintf(why, why_size, "out of memory for the list of draws");
        return false;
    }
    needed->extent = n->extent;
    needed->count = n->numbers;
    return true;
}

/* ---- life ---- */

struct needs *needs_open(const char *path, tp_device *device, bool every_flush,
                         const struct needs_port *port, char *why, size_t why_size) {
    struct needs *n = calloc(1, sizeof *n);
    if (!n) {
        snprintf(why, why_size, "out of memory");
        return NULL;
    }
    n->device = device;
    n->port = *port;
    n->open.kind = WORK_OTHER;
    n->work = (struct work_observer){
        .self = n, .dry = true, .shares = 1, .begin = begin_work, .touch = touch_memory};
    n->replay_observer =
        (struct replay_observer){.self = n, .channel = observe_channel, .memory = memory_changes};
    n->replay = replay_open(path, device, every_flush, &n->replay_observer, why, why_size);
    if (n->replay)
        return n;
    free(n);
    return NULL;
}

void needs_close(struct needs *n) {
    if (!n)
        return;
    replay_close(n->replay);
    free(n->node);
    free(n->touch);
    free(n->picture);
    free(n->drawn.range);
    free(n->shapes.range);
    free(n->extent);
    free(n->live);
    free(n);
}
