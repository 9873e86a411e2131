/* Finds programs in code segments: an entry point and the control flow from there give a program's
 * extent. A cache keeps programs by content. Used by the engines, at draws and launches.
 */
#pragma once

#include "fifo/engine.h"
#include "shader/sph.h"

enum { CODE_CACHE = 1024 };

struct code_cache {
    struct code_entry {
        struct program *program; /* NULL: free */
        uint32_t sph[SPH_WORDS]; /* the header in front of a Fermi's 3D program */
        /* the program's words in memory, if a quirk changed them (quirks.h) */
        uint32_t *original;
        uint64_t segment;
        uint32_t start;
        uint64_t used; /* value of the cache's clock at the last use, for eviction */
    } entry[CODE_CACHE];
    uint64_t now;
};

/* The program at byte `start` of the segment at GPU address `segment`, with reg_count registers.
 * NULL, with a line in the log, if there is none. The program is valid until the next call. The
 * program's header has the size of l[]. A 3D program of a Fermi begins with its hardware header at
 * `start`, from which the other fields of the program's header come. */
struct program *code_find(struct code_cache *cache, struct channel *c, enum program_type type,
                          uint64_t segment, uint32_t start, uint32_t reg_count);
void code_cache_free(struct code_cache *cache);
