/* Finds stores of programs to watched memory (store_watch.h): an observer of all stages examines
 * each instruction before and after its execution. The hooks of the context count draws and
 * launches. In: warps. Out: calls of stored(). The addresses that instructions access come from
 * shader/check/access.h.
 */
#include "pipeline/debug/store_watch.h"

#include "shader/check/access.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct watched_context {
    struct store_watch *w;
    tp_context *c;
    const struct draw_hooks *old;
    struct draw_hooks hooks;
    struct watched_context *next;
};

struct watched_range {
    uint64_t address;
    uint32_t size, number;
};

struct pending {
    struct watched_range range;
    unsigned lane;
    bool image, atomic;
    uint8_t before[STORED_BYTES];
};

struct tracked {
    const struct warp *w; /* NULL: this struct is free */
    uint64_t number;
    size_t places; /* length of the list of places after this warp's lanes were added */
    struct pending *pending;
    size_t count, capacity;
};

/* A lane that has started in this draw: its stage and its place. a, b: pixel, or number and
 * instance. */
struct started {
    enum program_type stage;
    uint32_t a, b;
};

struct launched {
    uint64_t number;
    uint32_t grid[3], size[3];
};

struct store_watch {
    tp_device *device;
    void *self;
    void (*stored)(void *self, uint32_t range, const struct stored *s);
    struct warp_observer observer;
    pthread_mutex_t lock;
    struct watched_context *contexts;
    struct watched_range *range; /* sorted by address */
    size_t ranges, range_capacity;
    struct written_pages pages;
    struct tracked *tracked;
    size_t tracked_count, tracked_capacity;
    struct started *place;
    size_t places, place_capacity;
    struct launched *launched;
    size_t launched_count, launched_capacity;
    uint64_t draw, launch, launches, warps, writers;
    struct stored followed;
    struct thread_reads *reads; /* reads of the followed thread; NULL: no thread is followed */
    bool incomplete;
};

bool stored_before(const struct stored *a, const struct stored *b) {
    if (a->draw != b->draw)
        return a->draw < b->draw;
    return a->launch < b->launch; /* launches come after the draw with the same number */
}

/* ---- places ---- */

static void note_places(struct store_watch *w, const struct warp *warp, enum program_type stage) {
    for (lane_mask m = warp->launched & ~warp->dead; m; m &= m - 1) {
        struct started s = {.stage = stage};
        const int i = __builtin_ctz(m);
        if (!ARRAY_ROOM(w->place, w->place_capacity, w->places + 1)) {
            w->incomplete = true;
            return;
        }
        if (stage == PROGRAM_FP) {
            s.a = (uint32_t)(warp->origin[0] + (int)floorf(warp->x[i]));
            s.b = (uint32_t)(warp->origin[1] + (int)floorf(warp->y[i]));
        } else {
            s.a = warp->number ? warp->number[i] : 0;
            s.b = warp->instance ? warp->instance[i] : 0;
        }
        w->place[w->places++] = s;
    }
}

/* Notes the grid of the CTA's launch, once for each launch. */
static void note_launch(struct store_watch *w, const struct cta_shared *b) {
    if (w->launched_count && w->launched[w->launched_count - 1].number == w->launch)
        return;
    if (!ARRAY_ROOM(w->launched, w->launched_capacity, w->launched_count + 1)) {
        w->incomplete = true;
        return;
    }
    struct launched *l = &w->launched[w->launched_count++];
    l->number = w->launch;
    memcpy(l->grid, b->grid, sizeof l->grid);
    memcpy(l->size, b->size, sizeof l->size);
}

/* Returns how many launches so far have a thread with this place. */
static uint32_t count_launches(const struct store_watch *w, const struct warp_place *p) {
    uint32_t n = 0;
    for (size_t i = 0; i < w->launched_count; i++) {
        const struct launched *l = &w->launched[i];
        bool has = true;
        for (int k = 0; k < 3; k++)
            has &= p->thread[k] < l->size[k] && (!l->grid[k] || p->block[k] < l->grid[k]);
        n += has;
    }
    return n;
}

static void place_thread(const struct warp *w, unsigned lane, struct warp_place *p) {
    const struct cta_shared *b = w->cta;
    const uint32_t n = w->warp_id * LANES + lane, x = b->size[0], y = b->size[1];
    memcpy(p->block, b->at, sizeof p->block);
    p->thread[0] = n % x;
    p->thread[1] = n / x % y;
    p->thread[2] = n / x / y;
}

/* Sets the place of a lane, and counts how often the place has started in this draw up to this
 * warp. */
static void find_place(const struct store_watch *w, const struct tracked *t,
                       enum program_type stage, unsigned lane, struct stored *s) {
    struct started at = {.stage = stage};
    s->place.stage = stage;
    if (stage == PROGRAM_CP) {
        place_thread(t->w, lane, &s->place);
        s->hit = count_launches(w, &s->place);
        return;
    }
    if (stage == PROGRAM_FP) {
        s->place.x = t->w->origin[0] + (int)floorf(t->w->x[lane]);
        s->place.y = t->w->origin[1] + (int)floorf(t->w->y[lane]);
        at.a = (uint32_t)s->place.x;
        at.b = (uint32_t)s->place.y;
    } else {
        at.a = s->place.number = t->w->number ? t->w->number[lane] : 0;
        at.b = s->place.instance = t->w->instance ? t->w->instance[lane] : 0;
    }
    s->hit = 0;
    for (size_t i = 0; i < t->places && i < w->places; i++)
        s->hit += w->place[i].stage == stage && w->place[i].a == at.a && w->place[i].b == at.b;
}

/* ---- warps ---- */

static struct tracked *find_tracked(const struct store_watch *w, const struct warp *warp) {
    for (size_t i = 0; i < w->tracked_count; i++)
        if (w->tracked[i].w == warp)
            return &w->tracked[i];
    return NULL;
}

static struct tracked *new_tracked(struct store_watch *w) {
    struct tracked *t = find_tracked(w, NULL);
    if (t)
        return t;
    if (!ARRAY_ROOM(w->tracked, w->tracked_capacity, w->tracked_count + 1))
        return NULL;
    t = &w->tracked[w->tracked_count++];
    *t = (struct tracked){0};
    return t;
}

static void warp_starts(void *self, const struct warp *warp, const struct warp_env *env) {
    struct store_watch *w = self;
    if (!env->program->header.writes_memory && !warp->cta)
        return;
    pthread_mutex_lock(&w->lock);
    struct tracked *t = find_tracked(w, warp);
    t = t ? t : new_tracked(w);
    if (t) {
        if (warp->cta)
            note_launch(w, warp->cta);
        else
            note_places(w, warp, env->program->type);
        t->w = warp;
        t->number = ++w->warps;
        t->places = w->places;
        t->count = 0;
    }
    w->incomplete |= !t;
    pthread_mutex_unlock(&w->lock);
}

static void warp_ends(void *self, const struct warp *warp, const struct warp_env *) {
    struct store_watch *w = self;
    pthread_mutex_lock(&w->lock);
    struct tracked *t = find_tracked(w, warp);
    if (t)
        t->w = NULL;
    pthread_mutex_unlock(&w->lock);
}

/* ---- stores ---- */

/* Returns the first range that may contain a byte at `address` or above. */
static size_t first_range(const struct store_watch *w, uint64_t address) {
    size_t low = 0, high = w->ranges;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (w->range[middle].address + STORED_BYTES <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Notes that a lane is about to store to a range. If several lanes of a warp do, the last lane is
 * kept. */
static void add_pending(struct store_watch *w, struct tracked *t, const struct watched_range *r,
                        const struct pending *p) {
    const void *const bytes = memory_at(w->device->memory, r->address, r->size);
    size_t k = 0;
    while (k < t->count && t->pending[k].range.number != r->number)
        k++;
    if (k == t->count) {
        if (!ARRAY_ROOM(t->pending, t->capacity, t->count + 1)) {
            w->incomplete = true;
            return;
        }
        t->count++;
    }
    t->pending[k] = *p;
    t->pending[k].range = *r;
    if (bytes)
        memcpy(t->pending[k].before, bytes, r->size);
}

static void note_store(struct store_watch *w, struct tracked *t, uint64_t address, uint32_t size,
                       const struct pending *p) {
    if (!address)
        return;
    written_pages_add(&w->pages, address, size);
    for (size_t i = first_range(w, address); i < w->ranges && w->range[i].address < address + size;
         i++)
        if (w->range[i].address + w->range[i].size > address)
            add_pending(w, t, &w->range[i], p);
}

static void note_stores(struct store_watch *w, struct tracked *t, const struct warp_env *env,
                        const struct op *op, lane_mask m) {
    struct access list[ACCESSES];
    struct image_access image;
    if (env->program->type == PROGRAM_FP)
        m &= ~t->w->dead;
    const uint32_t count = access_list(t->w, env, op, m, list);
    for (uint32_t i = 0; i < count; i++) {
        const struct access *a = &list[i];
        for (lane_mask rest = a->kind != ACCESS_READ ? a->lanes : 0; rest; rest &= rest - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(rest);
            const struct pending p = {.lane = lane, .atomic = a->kind == ACCESS_ATOMIC};
            note_store(w, t, access_address(env, w->device->memory, a, lane), a->size, &p);
        }
    }
    if (!access_image(t->w, env, op, m, &image) || image.kind == ACCESS_READ)
        return;
    for (lane_mask rest = image.lanes; rest; rest &= rest - 1) {
        const struct pending p = {.lane = (unsigned)__builtin_ctz(rest), .image = true};
        note_store(w, t, image.at[p.lane], image.size, &p);
    }
}

static bool may_store(const struct op *op) {
    return op->dst.file == FILE_GLOBAL || op->code == OP_SURFACE || op->code == OP_ATOM ||
           op->code == OP_RED;
}

static void before(void *self, const struct warp *warp, const struct warp_env *env,
                   const struct op *op, lane_mask m) {
    struct store_watch *w = self;
    if (!m || (!w->reads && !may_store(op)))
        return;
    pthread_mutex_lock(&w->lock);
    struct tracked *t = find_tracked(w, warp);
    const struct stored *f = &w->followed;
    if (t && w->reads && t->number == f->warp && m >> f->lane & 1 && warp->executed <= f->executed)
        thread_reads_note(w->reads, &w->pages, warp, env, f->lane);
    if (t && may_store(op))
        note_stores(w, t, env, op, m);
    pthread_mutex_unlock(&w->lock);
}

static struct stored describe_store(struct store_watch *w, const struct tracked *t,
                                    const struct pending *p, const struct warp_env *env,
                                    const struct op *op) {
    const struct watched_range *r = &p->range;
    const struct program *program = env->program;
    const void *const bytes = memory_at(w->device->memory, r->address, r->size);
    struct stored s = {.draw = w->draw,
                       .launch = w->launch,
                       .warp = t->number,
                       .executed = t->w->executed,
                       .lane = p->lane,
                       .image = p->image,
                       .atomic = p->atomic,
                       .address = r->address,
                       .size = r->size,
                       .at = t->w->pc};
    find_place(w, t, program->type, p->lane, &s);
    program_print(program, op, s.text, sizeof s.text);
    const char *slash = strrchr(program->name, '/');
    snprintf(s.program, sizeof s.program, "%s", slash ? slash + 1 : program->name);
    memcpy(s.before, p->before, sizeof s.before);
    if (bytes)
        memcpy(s.after, bytes, r->size);
    return s;
}

/* Describes store i of the warp's last instruction, and sets the number of its range. False if
 * there is no such store. */
static bool next_store(struct store_watch *w, const struct warp *warp, const struct warp_env *env,
                       const struct op *op, size_t i, uint32_t *range, struct stored *s) {
    pthread_mutex_lock(&w->lock);
    struct tracked *t = find_tracked(w, warp);
    const bool found = t && i < t->count;
    if (found) {
        *range = t->pending[i].range.number;
        *s = describe_store(w, t, &t->pending[i], env, op);
    } else if (t) {
        t->count = 0;
    }
    pthread_mutex_unlock(&w->lock);
    return found;
}

/* Reports the stores without the lock, because the receiver may hold a lock of its own while
 * store_watch_range() waits for this lock. */
static void after(void *self, const struct warp *warp, const struct warp_env *env,
                  const struct op *op, lane_mask) {
    struct store_watch *w = self;
    if (!may_store(op))
        return;
    uint32_t range;
    struct stored s;
    for (size_t i = 0; next_store(w, warp, env, op, i, &range, &s); i++)
        w->stored(w->self, range, &s);
}

/* ---- draws and launches ---- */

static bool writes_memory(const struct state *s) {
    for (int i = 0; i < PROGRAM_TYPES; i++)
        if (i != PROGRAM_CP && s->program[i] && s->program[i]->header.writes_memory)
            return true;
    return false;
}

static void before_draw(void *self, tp_context *c) {
    const struct watched_context *x = self;
    if (x->old && x->old->before)
        x->old->before(x->old->self, c);
    x->w->draw = c->draw_number + 1;
    x->w->launch = 0;
    x->w->places = 0;
    x->w->writers += writes_memory(&c->state);
}

static void after_draw(void *self, tp_context *c) {
    const struct watched_context *x = self;
    if (x->old && x->old->after)
        x->old->after(x->old->self, c);
}

static void before_clear(void *self, tp_context *c) {
    const struct watched_context *x = self;
    if (x->old && x->old->clear)
        x->old->clear(x->old->self, c);
}

static void before_launch(void *self, tp_context *c) {
    const struct watched_context *x = self;
    if (x->old && x->old->launch)
        x->old->launch(x->old->self, c);
    x->w->draw = c->draw_number;
    x->w->launch = ++x->w->launches;
    x->w->places = 0;
    x->w->writers++;
}

void store_watch_begin(struct store_watch *w, tp_context *c, bool observe) {
    struct watched_context *x = calloc(1, sizeof *x);
    if (!x) {
        w->incomplete = true;
        return;
    }
    *x =
        (struct watched_context){.w = w,
                                 .c = c,
                                 .old = c->hooks,
                                 .hooks = {x, before_draw, after_draw, before_clear, before_launch},
                                 .next = w->contexts};
    w->contexts = x;
    c->hooks = &x->hooks;
    for (int stage = 0; observe && stage < PROGRAM_TYPES; stage++)
        context_observe(c, (enum program_type)stage, &w->observer);
}

void store_watch_leave(struct store_watch *w, tp_context *c) {
    for (int stage = 0; stage < PROGRAM_TYPES; stage++)
        if (c->observer[stage] == &w->observer)
            context_observe(c, (enum program_type)stage, NULL);
    for (struct watched_context **at = &w->contexts; *at; at = &(*at)->next) {
        struct watched_context *const x = *at;
        if (x->c != c)
            continue;
        if (c->hooks == &x->hooks)
            c->hooks = x->old;
        *at = x->next;
        free(x);
        return;
    }
}

/* ---- the watch ---- */

struct store_watch *store_watch_create(tp_device *device, void *self,
                                       void (*stored)(void *self, uint32_t range,
                                                      const struct stored *s)) {
    struct store_watch *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->device = device;
    w->self = self;
    w->stored = stored;
    w->observer = (struct warp_observer){
        .self = w, .start = warp_starts, .end = warp_ends, .before = before, .after = after};
    pthread_mutex_init(&w->lock, NULL);
    return w;
}

void store_watch_free(struct store_watch *w) {
    if (!w)
        return;
    for (size_t i = 0; i < w->tracked_count; i++)
        free(w->tracked[i].pending);
    free(w->tracked);
    free(w->range);
    free(w->place);
    free(w->launched);
    written_pages_free(&w->pages);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void store_watch_range(struct store_watch *w, uint64_t address, uint64_t size, uint32_t number) {
    const uint32_t bytes = (uint32_t)(size < STORED_BYTES ? size : STORED_BYTES);
    pthread_mutex_lock(&w->lock);
    if (ARRAY_ROOM(w->range, w->range_capacity, w->ranges + 1)) {
        size_t i = w->ranges++;
        for (; i && w->range[i - 1].address > address; i--)
            w->range[i] = w->range[i - 1];
        w->range[i] = (struct watched_range){address, bytes, number};
    } else {
        w->incomplete = true;
    }
    pthread_mutex_unlock(&w->lock);
}

uint64_t store_watch_writers(const struct store_watch *w) {
    return w->writers;
}

uint64_t store_watch_launches(const struct store_watch *w) {
    return w->launches;
}

void store_watch_follow(struct store_watch *w, const struct stored *s, struct thread_reads *reads) {
    w->followed = *s;
    w->reads = reads;
}

const struct written_pages *store_watch_pages(const struct store_watch *w) {
    return &w->pages;
}

bool store_watch_incomplete(const struct store_watch *w) {
    return w->incomplete || w->pages.incomplete;
}
