/* Sets of disjoint ranges of addresses: a treap ordered by address, in which each node knows the
 * size of the largest range of its subtree. Look-ups and changes cost the logarithm of the number
 * of ranges; ranges_fit() may cost more with a large alignment. Must not know the meaning of the
 * ranges.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
    uint64_t address, size; /* size 0: there is no such range */
};

/* A set that is all zero is empty. */
struct range_set {
    struct range_node *node; /* [0] stands for no node */
    uint32_t root, unused;   /* root of the tree; first free node, linked through child[0] */
    uint32_t count, capacity, seed;
};

/* Makes room for `more` further ranges; false when out of memory. */
bool ranges_reserve(struct range_set *s, uint32_t more);
void ranges_free(struct range_set *s);
void ranges_clear(struct range_set *s);

/* Inserts a range that overlaps no other. Call ranges_reserve() first. */
void ranges_insert(struct range_set *s, struct range r);
/* Removes the range that begins at this address. Such a range must exist. */
void ranges_remove(struct range_set *s, uint64_t address);
/* Inserts a range, merged with neighbours that touch it. Call ranges_reserve() first. */
void ranges_merge(struct range_set *s, struct range r);
/* Takes [address, address + size) out of the range that contains it. That range may become two, so
 * call ranges_reserve() first. */
void ranges_take(struct range_set *s, uint64_t address, uint64_t size);

/* The first range that ends after address. */
struct range ranges_after(const struct range_set *s, uint64_t address);
/* The last range that begins before address. */
struct range ranges_before(const struct range_set *s, uint64_t address);
/* The lowest address, a multiple of align, from which `size` bytes lie in one range; 0: there is
 * none. */
uint64_t ranges_fit(const struct range_set *s, uint64_t size, uint64_t align);
