/* A program whose constants are in rows, one value per lane (spread.c): Tesla's in rows of a[],
 * Fermi's in registers that its programs cannot name.
 */
#pragma once

#include "shader/program.h"

enum {
    SPREAD_FIRST = 80, /* row of a[] of the first word: behind all attributes */
    /* register of the first word of a Fermi program: behind all that its code can name */
    SPREAD_REGISTER = 64,
    SPREAD_WORDS = 64 /* words of c[] that a program may name */
};

struct program_spread {
    struct program *program;
    bool in_registers;  /* the words are in $r from SPREAD_REGISTER on, not in rows of a[] */
    uint32_t attr_rows; /* Tesla: rows of a[] that the original program reads */
    uint32_t count;
    /* the word that row SPREAD_FIRST + i, or $r SPREAD_REGISTER + i, must hold */
    struct spread_word {
        uint8_t slot;
        uint16_t offset; /* bytes */
    } word[SPREAD_WORDS];
    uint32_t slots;    /* bit per slot of c[]: the program names words of it */
    uint32_t need[16]; /* bytes of each slot that must exist */
};

/* Made at the first call, from any thread; lives as long as p. NULL: p cannot be spread, or
 * memory is short. */
const struct program_spread *program_spread(struct program *p);
void program_spread_free(struct program_spread *s);
