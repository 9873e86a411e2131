/* Batches: the memory and references that draws need until they are drawn, and the GPU memory that
 * queued draws read and write. In: captures and address ranges, in order. Out: answers whether
 * queued draws touch a range. All memory of a batch is freed together when the batch's last draw is
 * done. Runs on the calling thread. Must not know the captured data.
 */
#include "pipeline/scene/queue.h"

#include <stdlib.h>

/* ---- ranges of addresses ----
 * The ranges of a set are in no order: sets are small, and new ranges mostly touch the newest. */

/* The number of bytes between the two ranges; 0 if they meet. */
static uint64_t gap_between(const struct hazard_range *r, uint64_t address, uint64_t end) {
    return address > r->end ? address - r->end : r->address > end ? r->address - end : 0;
}

/* Joins all ranges that are near r to r. The last range of the set takes the place of a joined
 * one. */
static void swallow_neighbours(struct hazard_set *set, struct hazard_range *r) {
    struct hazard_range *last = &set->range[set->count - 1];
    for (struct hazard_range *o = set->range; o <= last;) {
        if (o == r || gap_between(o, r->address, r->end) >= HAZARD_GAP) {
            o++;
            continue;
        }
        r->address = o->address < r->address ? o->address : r->address;
        r->end = o->end > r->end ? o->end : r->end;
        if (r == last) { /* r itself is the last range, so r moves to the place of o */
            *o = *r;
            r = o;
        } else {
            *o = *last;
        }
        last--;
        o = set->range; /* r is larger now, so all ranges are compared again */
    }
    set->count = (uint32_t)(last - set->range) + 1;
}

static void extend_range(struct hazard_set *set, struct hazard_range *r, uint64_t address,
                         uint64_t end) {
    if (address >= r->address && end <= r->end)
        return;
    r->address = address < r->address ? address : r->address;
    r->end = end > r->end ? end : r->end;
    swallow_neighbours(set, r);
}

void hazard_add(struct hazard_set *set, uint64_t address, uint64_t size) {
    const uint64_t end = address + size;
    struct hazard_range *nearest = NULL;
    uint64_t least = UINT64_MAX;
    set->low = set->count && set->low < address ? set->low : address;
    set->high = set->count && set->high > end ? set->high : end;
    for (uint32_t i = set->count; i-- > 0 && least >= HAZARD_GAP;) {
        const uint64_t gap = gap_between(&set->range[i], address, end);
        nearest = gap < least ? &set->range[i] : nearest;
        least = gap < least ? gap : least;
    }
    if (least < HAZARD_GAP || set->count == HAZARD_RANGES)
        extend_range(set, nearest, address, end);
    else
        set->range[set->count++] = (struct hazard_range){address, end};
}

bool hazard_meets_one(const struct hazard_set *set, uint64_t address, uint64_t size) {
    for (uint32_t i = 0; i < set->count; i++)
        if (set->range[i].address < address + size && address < set->range[i].end)
            return true;
    return false;
}

void hazard_clear(struct hazard_set *set) {
    set->count = 0;
}

/* ---- batches ---- */

bool batch_add(struct scene *s) {
    struct batch *b = s->spare ? s->spare : calloc(1, sizeof *b);
    if (!b)
        return false;
    s->spare = NULL;
    b->next = NULL;
    b->epoch = ++s->epochs;
    b->last = 0;
    *(s->batch ? &s->batch->next : &s->oldest) = b;
    s->batch = b;
    return true;
}

/* Forgets the ranges of a batch without queued draws. */
static void forget_ranges(struct batch *b) {
    hazard_clear(&b->reads);
    hazard_clear(&b->writes);
    hazard_clear(&b->fetches);
    b->last = 0;
}

static void release_captures(struct scene *s, struct batch *b) {
    for (size_t i = 0; i < b->kept_count; i++)
        program_unref(b->kept[i]);
    b->kept_count = 0;
    forget_ranges(b);
    s->bytes -= b->bytes;
    b->bytes = 0;
    arena_reset(&b->arena);
}

static void discard_batch(struct batch *b) {
    arena_free(&b->arena);
    free(b->kept);
    free(b);
}

static void drop_oldest(struct scene *s) {
    struct batch *b = s->oldest;
    s->oldest = b->next;
    release_captures(s, b);
    if (s->spare)
        discard_batch(b);
    else
        s->spare = b;
}

static bool may_be_dropped(const struct scene *s, const struct batch *b) {
    return b != s->batch;
}

void batches_retire(struct scene *s) {
    if (!may_be_dropped(s, s->oldest))
        return;
    const uint64_t drawn = __atomic_load_n(&s->drawn, __ATOMIC_ACQUIRE);
    while (may_be_dropped(s, s->oldest) && s->oldest->last <= drawn)
        drop_oldest(s);
}

void batches_drop(struct scene *s) {
    while (may_be_dropped(s, s->oldest))
        drop_oldest(s);
    release_captures(s, s->batch);
    batch_renew(s);
    s->sequence_bytes = 0;
    s->sequence_epoch = s->batch->epoch;
}

void batch_renew(struct scene *s) {
    s->batch->epoch = ++s->epochs;
}

void batches_free(struct scene *s) {
    while (s->oldest) {
        struct batch *next = s->oldest->next;
        release_captures(s, s->oldest);
        discard_batch(s->oldest);
        s->oldest = next;
    }
    if (s->spare)
        discard_batch(s->spare);
}

void *scene_alloc(struct scene *s, size_t size) {
    void *p = arena_alloc(&s->batch->arena, size);
    if (p)
        scene_charge(s, size + 64);
    return p;
}

void scene_charge(struct scene *s, size_t bytes) {
    s->batch->bytes += bytes;
    s->sequence_bytes += bytes;
    s->bytes += bytes;
}

bool scene_keep(struct scene *s, struct program *p) {
    struct batch *b = s->batch;
    for (size_t i = b->kept_count, n = 0; i-- > 0 && n < PROGRAM_TYPES; n++)
        if (b->kept[i] == p)
            return true;
    if (!ARRAY_ROOM(b->kept, b->kept_capacity, b->kept_count + 1))
        return false;
    b->kept[b->kept_count++] = program_ref(p);
    return true;
}

uint64_t scene_epoch(const struct scene *s) {
    return s->batch->epoch;
}

uint64_t scene_now(const struct scene *s) {
    return s->epochs;
}

uint64_t scene_tick(struct scene *s) {
    return ++s->epochs;
}

uint64_t scene_sequence_epoch(const struct scene *s) {
    return s->sequence_epoch;
}

uint64_t scene_oldest_epoch(const struct scene *s) {
    return s->oldest->epoch;
}

/* ---- memory that queued draws read and write ---- */

void scene_reads(struct scene *s, uint64_t address, uint64_t size) {
    hazard_add(&s->batch->reads, address, size);
}

void scene_fetches(struct scene *s, uint64_t address, uint64_t size) {
    hazard_add(&s->batch->fetches, address, size);
}

void scene_writes(struct scene *s, uint64_t address, uint64_t size) {
    hazard_add(&s->batch->writes, address, size);
}

uint32_t scene_uses(struct scene *s, uint64_t address, uint64_t size) {
    uint32_t uses = 0;
    batches_retire(s);
    for (const struct batch *b = s->oldest; b; b = b->next)
        uses |= (hazard_meets(&b->reads, address, size) ? SCENE_READS : 0) |
                (hazard_meets(&b->writes, address, size) ? SCENE_WRITES : 0) |
                (hazard_meets(&b->fetches, address, size) ? SCENE_FETCHES : 0);
    return uses;
}

bool scene_sequence_writes(struct scene *s, uint64_t address, uint64_t size) {
    batches_retire(s);
    for (const struct batch *b = s->oldest; b; b = b->next)
        if (b->sequence == s->batch->sequence && hazard_meets(&b->writes, address, size))
            return true;
    return false;
}
