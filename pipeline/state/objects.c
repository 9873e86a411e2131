/* State objects: each group's bytes, kept once and numbered. A group that was touched is looked up
 * by its contents, so that a state which comes back has the number it had before; a draw is known by
 * the numbers of its groups (draws.c). Of textures, vertex arrays and viewports only those count that the programs
 * name: what textures.c, fetch.c and vertex.c say of them stands for the group. In: groups that were touched. Out: a
 * number each.
 * Must not know what is in a group.
 */
#include "pipeline/state/build.h"

#include <stdlib.h>
#include <string.h>

enum { OBJECT_LIMIT = 1024 }; /* of one group: more are forgotten, and numbered anew */

struct object {
    struct object *next;
    uint64_t hash, number;
    size_t size;
    unsigned char bytes[];
};

enum { SUMS = 4 }; /* at once, as one would wait for its multiplication */
static const uint64_t factor = UINT64_C(0x9fb21c651e98df25);

static void add_words(uint64_t h[SUMS], const unsigned char *p) {
    uint64_t word[SUMS];
    memcpy(word, p, sizeof word);
    for (int i = 0; i < SUMS; i++) {
        h[i] = (h[i] ^ word[i]) * factor;
        h[i] ^= h[i] >> 29;
    }
}

static uint64_t hash_bytes(const unsigned char *p, size_t size) {
    enum { STEP = SUMS * sizeof(uint64_t) };
    uint64_t h[SUMS] = {size, 1, 2, 3};
    unsigned char last[STEP] = {0};
    for (; size >= STEP; p += STEP, size -= STEP)
        add_words(h, p);
    memcpy(last, p, size);
    add_words(h, last);
    for (int i = 1; i < SUMS; i++)
        h[0] = (h[0] ^ h[i]) * factor;
    return h[0] ^ h[0] >> 32;
}

static void forget_objects(struct object_table *t) {
    for (uint32_t i = 0; i < OBJECT_SLOTS; i++) {
        while (t->slot[i]) {
            struct object *next = t->slot[i]->next;
            free(t->slot[i]);
            t->slot[i] = next;
        }
    }
    t->count = 0;
}

/* Without memory for it the object has a number that never comes back. */
static uint64_t find_number(struct captured *p, struct object_table *t, const void *bytes,
                            size_t size) {
    const uint64_t hash = hash_bytes(bytes, size);
    struct object **slot = &t->slot[hash % OBJECT_SLOTS];
    for (const struct object *o = *slot; o; o = o->next)
        if (o->hash == hash && o->size == size && !memcmp(o->bytes, bytes, size))
            return o->number;
    if (t->count == OBJECT_LIMIT)
        forget_objects(t);
    struct object *o = malloc(sizeof *o + size);
    const uint64_t number = ++p->objects;
    if (o) {
        *o = (struct object){*slot, hash, number, size};
        memcpy(o->bytes, bytes, size);
        *slot = o;
        t->count++;
    }
    return number;
}

void objects_update(tp_context *c) {
    struct captured *p = &c->p->captured;
    uint32_t touched = c->state.touched & ~(1u << GROUP_CONSTANT | 1u << GROUP_STREAM);
    c->state.touched = 0;
    if (touched & 1u << GROUP_PROGRAM) /* name others now */
        touched |= 1u << GROUP_TEXTURE | 1u << GROUP_FETCH | 1u << GROUP_VIEW;
    for (; touched; touched &= touched - 1) {
        const int g = __builtin_ctz(touched);
        const unsigned char *bytes = (const unsigned char *)&c->state + state_extent[g].offset;
        size_t size = state_extent[g].size;
        uint32_t words[TEXTURE_KEY_WORDS];
        _Static_assert((int)FETCH_KEY_WORDS <= (int)TEXTURE_KEY_WORDS, "room for each");
        _Static_assert((int)VIEW_KEY_BYTES <= (int)(TEXTURE_KEY_WORDS * sizeof *words),
                       "room for each");
        if (g == GROUP_TEXTURE || g == GROUP_FETCH || g == GROUP_VIEW) {
            size = g == GROUP_TEXTURE ? texture_key(&c->state, words) * sizeof *words
                   : g == GROUP_FETCH ? fetch_key(&c->state, words) * sizeof *words
                                      : view_key(&c->state, (unsigned char *)words);
            bytes = (const unsigned char *)words;
        }
        const uint64_t number = find_number(p, &p->object_table[g], bytes, size);
        if (number != p->object[g])
            p->stale |= parts_of(1u << g);
        p->object[g] = number;
    }
}

uint64_t objects_number(tp_context *c, struct object_table *t, const void *bytes, size_t size) {
    return find_number(&c->p->captured, t, bytes, size);
}

void objects_free(struct captured *p) {
    forget_objects(&p->vertex_table);
    forget_objects(&p->view_table);
    forget_objects(&p->targets_table);
    for (int g = 0; g < STATE_GROUPS; g++)
        forget_objects(&p->object_table[g]);
}
