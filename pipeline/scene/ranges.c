/* Ranges of addresses, in no order: sets are small, and the last ranges are asked for most. In:
 * ranges. Out: whether one meets them. Knows nothing of what lies there.
 */
#include "pipeline/scene/ranges.h"

void range_add(struct range_set *set, uint64_t address, uint64_t size) {
    const uint64_t end = address + size;
    set->low = set->count && set->low < address ? set->low : address;
    set->high = set->count && set->high > end ? set->high : end;
    for (uint32_t i = set->count; i-- > 0;)
        if (set->range[i].address <= address && set->range[i].end >= end)
            return;
    if (set->count == MAX_RANGES)
        set->all = true;
    else
        set->range[set->count++] = (struct range){address, end};
}

bool range_meets(const struct range_set *set, uint64_t address, uint64_t size) {
    if (set->all)
        return true;
    if (!set->count || address >= set->high || set->low >= address + size)
        return false;
    for (uint32_t i = 0; i < set->count; i++)
        if (set->range[i].address < address + size && address < set->range[i].end)
            return true;
    return false;
}

void range_clear(struct range_set *set) {
    set->count = 0;
    set->all = false;
}
