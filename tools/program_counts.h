/* The programs that ran, each instruction with how often it did: by warps, and by lanes. */
#ifndef TOOLS_PROGRAM_COUNTS_H
#define TOOLS_PROGRAM_COUNTS_H

#include "pipeline/context.h"

#include <stdio.h>

struct counted_program {
    enum program_type type;
    enum isa_variant variant;
    uint32_t base, word_count, registers;
    uint64_t hash; /* of its words */
    char name[64];
    char *listing;           /* lines "address\tinstruction" */
    uint64_t *warps, *lanes; /* [word_count], by the word an instruction starts at */
    uint64_t runs;           /* warps that ran */
};

struct program_counts {
    struct counted_program *program;
    size_t count, capacity;
    struct warp_observer observer;
    bool incomplete; /* out of memory */
};

/* Counts what this context runs from now on, on one thread, until the context is observed
 * otherwise. */
void program_counts_watch(struct program_counts *p, tp_context *c);
/* Its number, or -1 if it has not run. */
int program_counts_find(const struct program_counts *p, const struct program *program);
void program_counts_free(struct program_counts *p);

#endif
