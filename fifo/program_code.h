/* Programs in a code segment: an entry point and the control flow from there give a program's
 * extent; a cache keeps programs by content.
 */
#ifndef FIFO_PROGRAM_CODE_H
#define FIFO_PROGRAM_CODE_H

#include "fifo/engine.h"
#include "shader/sph.h"

enum { CODE_CACHE = 1024 };

struct code_cache {
    struct code_entry {
        struct program *program; /* NULL: free */
        uint32_t sph[SPH_WORDS]; /* the header in front of a Fermi's 3D program */
        uint32_t *original;      /* its words in memory, if a quirk changed them (quirks.h) */
        uint64_t segment;
        uint32_t start;
        uint64_t used; /* time of the last use, for eviction */
    } entry[CODE_CACHE];
    uint64_t now;
};

/* The program at byte `start` of the segment at GPU address `segment`, with reg_count registers;
 * NULL (logged) if there is none. Valid until the next call. Its header has the size of l[]. A
 * Fermi's 3D program has its header at its start; the fields of that header are read, too. */
struct program *code_find(struct code_cache *cache, struct channel *c, enum program_type type,
                          uint64_t segment, uint32_t start, uint32_t reg_count);
void code_cache_free(struct code_cache *cache);

#endif
