/* The last write and the last read of each word, in a hash table for g[] and an array for s[]. Of
 * several readers only the last is known, so a race with an earlier reader may stay unseen. In:
 * accesses. Out: conflicts. Must not know findings.
 */
#include "shader/check/races.h"

#include "base/arena.h"

#include <stdlib.h>

enum { SHARED_BYTES = 0xc000, SHARED_WORDS = SHARED_BYTES / 4, MOST_WORDS = 1 << 22 };

struct word {
    uint64_t key; /* the word's number plus 1; 0: free */
    struct race_access write, read;
    struct race_access again; /* a later write of the same value */
};

struct races {
    struct arena arena; /* of warp_time */
    struct word shared[SHARED_WORDS];
    uint8_t written[SHARED_BYTES / 8]; /* bit per byte */
    struct word *global;
    size_t count, capacity; /* a power of two */
    struct race_access found;
    bool incomplete;
};

struct races *races_create(void) {
    struct races *r = calloc(1, sizeof *r);
    if (r)
        arena_init(&r->arena);
    return r;
}

void races_free(struct races *r) {
    if (!r)
        return;
    arena_free(&r->arena);
    free(r->global);
    free(r);
}

void races_cta(struct races *r) {
    memset(r->shared, 0, sizeof r->shared);
    memset(r->written, 0, sizeof r->written);
}

void races_launch(struct races *r) {
    races_cta(r);
    if (r->count)
        memset(r->global, 0, r->capacity * sizeof *r->global);
    r->count = 0;
    arena_reset(&r->arena);
}

struct warp_time *races_warp(struct races *r, uint32_t cta, uint32_t warp) {
    struct warp_time *t = arena_alloc(&r->arena, sizeof *t);
    if (t)
        *t = (struct warp_time){.cta = cta, .warp = warp};
    r->incomplete |= !t;
    return t;
}

bool races_incomplete(const struct races *r) {
    return r->incomplete;
}

/* ---- words of g[] ---- */

static struct word *place_of(struct word *table, size_t capacity, uint64_t key) {
    size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (capacity - 1);
    while (table[i].key && table[i].key != key)
        i = (i + 1) & (capacity - 1);
    return &table[i];
}

static bool grow(struct races *r) {
    const size_t capacity = r->capacity ? 2 * r->capacity : 1 << 12;
    struct word *table = r->count < MOST_WORDS ? calloc(capacity, sizeof *table) : NULL;
    if (!table) {
        r->incomplete = true;
        return false;
    }
    for (size_t i = 0; i < r->capacity; i++)
        if (r->global[i].key)
            *place_of(table, capacity, r->global[i].key) = r->global[i];
    free(r->global);
    r->global = table;
    r->capacity = capacity;
    return true;
}

static struct word *global_word(struct races *r, uint64_t number) {
    if (4 * (r->count + 1) > 3 * r->capacity && !grow(r))
        return NULL;
    struct word *w = place_of(r->global, r->capacity, number + 1);
    r->count += !w->key;
    w->key = number + 1;
    return w;
}

/* ---- order ---- */

/* True if `first` happens before `then` in every run. Which invocations of a draw share a warp is
 * not specified, so being in one warp does not order their reads. Reads of another stage's writes
 * count as ordered: a vertex's program ends before the fragments of its primitives begin. */
static bool is_ordered(const struct race_access *first, const struct race_access *then) {
    const struct warp_time *a = first->by, *b = then->by;
    const bool reads = first->kind == ACCESS_READ || then->kind == ACCESS_READ;
    if (a->repeats && memcmp(first->place, then->place, sizeof then->place) == 0)
        return true;
    if (a->stage != b->stage && reads)
        return true;
    if (a == b && (first->lane == then->lane || !(a->drawn && reads)))
        return first->time != then->time || first->lane == then->lane;
    if (a->cta == b->cta && first->phase != then->phase)
        return true;
    return a->atomic > first->time && b->atomic > first->time;
}

static bool conflicts(const struct race_access *first, const struct race_access *then) {
    const bool writes = first->kind != ACCESS_READ || then->kind != ACCESS_READ;
    const bool atomic = first->kind == ACCESS_ATOMIC && then->kind == ACCESS_ATOMIC;
    const bool equal = first->kind == ACCESS_WRITE && then->kind == ACCESS_WRITE &&
                       first->bytes == then->bytes && first->value == then->value;
    const bool silent = (first->kind == ACCESS_READ && then->silent) ||
                        (then->kind == ACCESS_READ && first->silent);
    return first->by && writes && !atomic && !equal && !silent && first->bytes & then->bytes &&
           !is_ordered(first, then);
}

const struct race_access *races_note(struct races *r, bool shared, uint64_t number,
                                     const struct race_access *t) {
    if (shared && number >= SHARED_WORDS)
        return NULL;
    struct word *w = shared ? &r->shared[number] : global_word(r, number);
    const struct race_access *found = NULL;
    if (!w)
        return NULL;
    /* the reading warp itself has written the word's value, too */
    const bool read_back =
        t->kind == ACCESS_READ && w->again.by == t->by && w->again.value == w->write.value;
    if (!read_back && conflicts(&w->write, t))
        found = &w->write;
    else if (t->kind != ACCESS_READ && conflicts(&w->read, t))
        found = &w->read;
    if (found)
        r->found = *found;
    const bool same_time = w->write.by == t->by && w->write.time == t->time;
    if (t->kind == ACCESS_READ)
        w->read = *t;
    else if ((t->silent || (t->by->drawn && same_time)) && w->write.by &&
             w->write.value == t->value)
        w->again = *t; /* w->write stays: reads conflict with the write that made the value */
    else
        w->write = *t;
    return found ? &r->found : NULL;
}

/* ---- written bytes of s[] ---- */

/* The bits of one byte of `written` that stand for bytes of [at, end). */
static uint8_t bits_within(uint64_t at, uint64_t end) {
    const uint32_t first = at % 8, count = end - at < 8 - first ? (uint32_t)(end - at) : 8 - first;
    return (uint8_t)(((1u << count) - 1) << first);
}

static uint64_t shared_end(uint64_t at, uint32_t size) {
    return at + size < SHARED_BYTES ? at + size : SHARED_BYTES;
}

void races_written(struct races *r, uint64_t at, uint32_t size) {
    const uint64_t end = shared_end(at, size);
    for (uint64_t i = at; i < end; i = (i / 8 + 1) * 8)
        r->written[i / 8] |= bits_within(i, end);
}

bool races_is_written(const struct races *r, uint64_t at, uint32_t size) {
    const uint64_t end = shared_end(at, size);
    for (uint64_t i = at; i < end; i = (i / 8 + 1) * 8)
        if (~r->written[i / 8] & bits_within(i, end))
            return false;
    return true;
}
