/* A set of ranges of GPU addresses that queued work reads or writes. In doubt a query says yes. */
#ifndef PIPELINE_RANGES_H
#define PIPELINE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

/* NEIGHBOUR: two ranges with fewer bytes between them become one. Drivers have no buffers that
 * small, so no other buffer lies in the gap. */
enum { MAX_RANGES = 256, NEIGHBOUR = 128 };

struct range_set {
    struct range {
        uint64_t address, end;
    } range[MAX_RANGES];
    uint32_t count;
    uint64_t low, high; /* all lie between these */
};

void range_add(struct range_set *set, uint64_t address, uint64_t size);
bool range_meets_one(const struct range_set *set, uint64_t address, uint64_t size);
static inline bool range_meets(const struct range_set *set, uint64_t address, uint64_t size) {
    return set->count && address < set->high && set->low < address + size &&
           range_meets_one(set, address, size);
}
void range_clear(struct range_set *set);

#endif
