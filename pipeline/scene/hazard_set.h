/* A set of ranges of GPU addresses that queued work reads or writes; batch.c has the functions.
 * When the set is full, ranges grow over gaps, so a query may return true for memory between
 * ranges. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* HAZARD_GAP: two ranges with fewer bytes between them become one range. Drivers make no buffers
 * smaller than this gap, so no other buffer lies in it. */
enum { HAZARD_RANGES = 256, HAZARD_GAP = 128 };

struct hazard_set {
    struct hazard_range {
        uint64_t address, end;
    } range[HAZARD_RANGES];
    uint32_t count;
    uint64_t low, high; /* all ranges lie between these */
};

void hazard_add(struct hazard_set *set, uint64_t address, uint64_t size);
bool hazard_meets_one(const struct hazard_set *set, uint64_t address, uint64_t size);
static inline bool hazard_meets(const struct hazard_set *set, uint64_t address, uint64_t size) {
    return set->count && address < set->high && set->low < address + size &&
           hazard_meets_one(set, address, size);
}
void hazard_clear(struct hazard_set *set);
