/* A set of ranges of GPU addresses: what queued work reads or writes. In doubt it says yes. */
#ifndef PIPELINE_RANGES_H
#define PIPELINE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_RANGES = 256 };

struct range_set {
    struct range {
        uint64_t address, end;
    } range[MAX_RANGES];
    uint32_t count;
    bool all; /* too many: everything counts as in it */
    uint64_t low, high; /* all lie between these */
};

void range_add(struct range_set *set, uint64_t address, uint64_t size);
bool range_meets(const struct range_set *set, uint64_t address, uint64_t size);
void range_clear(struct range_set *set);

#endif
