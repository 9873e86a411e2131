/* Sets of disjoint ranges of addresses as treaps; a set's nodes are one array. In: ranges. Out: the
 * range at an address, or the lowest range that is large enough. Must not know the use of ranges.
 */
#include "base/ranges.h"

#include <stdlib.h>

struct range_node {
    struct range r;
    uint64_t most;           /* the greatest size in this subtree */
    uint32_t child[2], rank; /* no child has a higher rank than its parent */
};

bool ranges_reserve(struct range_set *s, uint32_t more) {
    if (s->capacity > s->count + more) /* node 0 is not used for a range */
        return true;
    const uint32_t capacity = s->capacity ? 2 * s->capacity + more : 64 + more;
    struct range_node *node = realloc(s->node, capacity * sizeof *node);
    if (!node)
        return false;
    if (!s->capacity)
        node[0] = (struct range_node){{0, 0}, 0, {0, 0}, 0};
    for (uint32_t i = s->capacity ? s->capacity : 1; i < capacity; i++) {
        node[i].child[0] = s->unused;
        s->unused = i;
    }
    s->node = node;
    s->capacity = capacity;
    return true;
}

void ranges_free(struct range_set *s) {
    free(s->node);
    *s = (struct range_set){0};
}

void ranges_clear(struct range_set *s) {
    s->root = s->unused = s->count = 0;
    for (uint32_t i = s->capacity; i-- > 1;) {
        s->node[i].child[0] = s->unused;
        s->unused = i;
    }
}

static void update(struct range_node *node, uint32_t n) {
    const uint64_t a = node[node[n].child[0]].most, b = node[node[n].child[1]].most;
    const uint64_t below = a > b ? a : b;
    node[n].most = node[n].r.size > below ? node[n].r.size : below;
}

/* Makes the child `side` of n the root of n's subtree. Returns it. */
static uint32_t rotate(struct range_node *node, uint32_t n, int side) {
    const uint32_t top = node[n].child[side];
    node[n].child[side] = node[top].child[!side];
    node[top].child[!side] = n;
    update(node, n);
    update(node, top);
    return top;
}

/* A pseudo-random rank for a new node: random ranks keep the tree balanced. */
static uint32_t next_rank(struct range_set *s) {
    s->seed = s->seed * 1664525u + 1013904223u;
    return s->seed ^ s->seed >> 15;
}

static uint32_t insert(struct range_node *node, uint32_t at, uint32_t n) {
    if (!at)
        return n;
    const int side = node[n].r.address > node[at].r.address;
    node[at].child[side] = insert(node, node[at].child[side], n);
    if (node[node[at].child[side]].rank > node[at].rank)
        return rotate(node, at, side);
    update(node, at);
    return at;
}

void ranges_insert(struct range_set *s, struct range r) {
    const uint32_t n = s->unused;
    s->unused = s->node[n].child[0];
    s->node[n] = (struct range_node){r, r.size, {0, 0}, next_rank(s)};
    s->root = insert(s->node, s->root, n);
    s->count++;
}

/* Joins two subtrees. All ranges of a are below all ranges of b. */
static uint32_t join(struct range_node *node, uint32_t a, uint32_t b) {
    if (!a || !b)
        return a ? a : b;
    const bool first = node[a].rank > node[b].rank;
    const uint32_t top = first ? a : b;
    if (first)
        node[a].child[1] = join(node, node[a].child[1], b);
    else
        node[b].child[0] = join(node, a, node[b].child[0]);
    update(node, top);
    return top;
}

static uint32_t take_out(struct range_set *s, uint32_t at, uint64_t address) {
    struct range_node *node = s->node;
    if (!at)
        return 0;
    if (node[at].r.address == address) {
        const uint32_t rest = join(node, node[at].child[0], node[at].child[1]);
        node[at].child[0] = s->unused;
        s->unused = at;
        s->count--;
        return rest;
    }
    const int side = address > node[at].r.address;
    node[at].child[side] = take_out(s, node[at].child[side], address);
    update(node, at);
    return at;
}

void ranges_remove(struct range_set *s, uint64_t address) {
    s->root = take_out(s, s->root, address);
}

struct range ranges_after(const struct range_set *s, uint64_t address) {
    struct range found = {0, 0};
    for (uint32_t at = s->root; at;) {
        const struct range r = s->node[at].r;
        const bool after = r.address + r.size > address;
        if (after)
            found = r;
        at = s->node[at].child[!after];
    }
    return found;
}

struct range ranges_before(const struct range_set *s, uint64_t address) {
    struct range found = {0, 0};
    for (uint32_t at = s->root; at;) {
        const bool before = s->node[at].r.address < address;
        if (before)
            found = s->node[at].r;
        at = s->node[at].child[before];
    }
    return found;
}

void ranges_merge(struct range_set *s, struct range r) {
    const struct range after = ranges_after(s, r.address), before = ranges_before(s, r.address);
    if (after.size && after.address == r.address + r.size) {
        ranges_remove(s, after.address);
        r.size += after.size;
    }
    if (before.size && before.address + before.size == r.address) {
        ranges_remove(s, before.address);
        r = (struct range){before.address, before.size + r.size};
    }
    ranges_insert(s, r);
}

void ranges_take(struct range_set *s, uint64_t address, uint64_t size) {
    const struct range r = ranges_after(s, address);
    const struct range before = {r.address, address - r.address};
    const struct range after = {address + size, r.address + r.size - address - size};
    ranges_remove(s, r.address);
    if (before.size)
        ranges_insert(s, before);
    if (after.size)
        ranges_insert(s, after);
}

/* Finds the lowest address in a subtree for an allocation; 0: there is none. A range of enough
 * bytes may be too small after alignment, so both children may have to be searched. */
static uint64_t fit(const struct range_node *node, uint32_t at, uint64_t size, uint64_t align) {
    if (!at || node[at].most < size)
        return 0;
    const uint64_t left = fit(node, node[at].child[0], size, align);
    if (left)
        return left;
    const struct range r = node[at].r;
    const uint64_t address = (r.address + align - 1) & ~(align - 1), skip = address - r.address;
    if (address >= r.address && skip <= r.size && r.size - skip >= size)
        return address;
    return fit(node, node[at].child[1], size, align);
}

uint64_t ranges_fit(const struct range_set *s, uint64_t size, uint64_t align) {
    return fit(s->node, s->root, size, align);
}
