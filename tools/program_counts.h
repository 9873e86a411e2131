/* The programs that ran, with the number of executions of each instruction by warps and by
 * lanes. */
#pragma once

#include "pipeline/context.h"

#include <stdio.h>

struct counted_program {
    enum program_type type;
    uint32_t word_count, registers;
    uint64_t hash; /* hash of the machine code */
    char name[64];
    char *listing;           /* program_listing() with words */
    uint64_t *warps, *lanes; /* [word_count], indexed by the first word of an instruction */
    uint64_t runs;           /* warps that ran */
};

struct program_counts {
    struct counted_program *program;
    size_t count, capacity;
    struct warp_observer observer;
    bool incomplete; /* out of memory */
};

/* Counts the warps of all draws of this context, from now on until another observer is set. The
 * device must have one thread. */
void program_counts_watch(struct program_counts *p, tp_context *c);
/* Returns the index of a program, or -1 if it has not run. */
int program_counts_find(const struct program_counts *p, const struct program *program);
/* Returns lines with the instructions of a program, malloc'd: "address  instruction", or, with
 * words, "word address\tinstruction". NULL: out of memory. */
char *program_listing(const struct program *p, bool words);
void program_counts_free(struct program_counts *p);
