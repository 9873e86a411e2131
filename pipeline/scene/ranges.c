/* Sets of ranges of addresses, in no order: sets are small, and most questions are about the newest
 * ranges. In: ranges. Out: whether a range meets the set. Must not know the memory there.
 */
#include "pipeline/scene/ranges.h"

#include <stddef.h>

/* Bytes between the two ranges; 0 if they meet. */
static uint64_t gap_between(const struct range *r, uint64_t address, uint64_t end) {
    return address > r->end ? address - r->end : r->address > end ? r->address - end : 0;
}

/* Ranges near r become part of it. */
static void swallow_neighbours(struct range_set *set, struct range *r) {
    struct range *last = &set->range[set->count - 1];
    for (struct range *o = set->range; o <= last;) {
        if (o == r || gap_between(o, r->address, r->end) >= NEIGHBOUR) {
            o++;
            continue;
        }
        r->address = o->address < r->address ? o->address : r->address;
        r->end = o->end > r->end ? o->end : r->end;
        if (r == last) { /* it moves to the place that becomes free */
            *o = *r;
            r = o;
        } else {
            *o = *last;
        }
        last--;
        o = set->range; /* it is larger now */
    }
    set->count = (uint32_t)(last - set->range) + 1;
}

static void extend_range(struct range_set *set, struct range *r, uint64_t address, uint64_t end) {
    if (address >= r->address && end <= r->end)
        return;
    r->address = address < r->address ? address : r->address;
    r->end = end > r->end ? end : r->end;
    swallow_neighbours(set, r);
}

void range_add(struct range_set *set, uint64_t address, uint64_t size) {
    const uint64_t end = address + size;
    struct range *nearest = NULL;
    uint64_t least = UINT64_MAX;
    set->low = set->count && set->low < address ? set->low : address;
    set->high = set->count && set->high > end ? set->high : end;
    for (uint32_t i = set->count; i-- > 0 && least >= NEIGHBOUR;) {
        const uint64_t gap = gap_between(&set->range[i], address, end);
        nearest = gap < least ? &set->range[i] : nearest;
        least = gap < least ? gap : least;
    }
    if (least < NEIGHBOUR || set->count == MAX_RANGES)
        extend_range(set, nearest, address, end);
    else
        set->range[set->count++] = (struct range){address, end};
}

bool range_meets_one(const struct range_set *set, uint64_t address, uint64_t size) {
    for (uint32_t i = 0; i < set->count; i++)
        if (set->range[i].address < address + size && address < set->range[i].end)
            return true;
    return false;
}

void range_clear(struct range_set *set) {
    set->count = 0;
}
