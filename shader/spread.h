/* A program that finds its constants in rows of a[], a value a lane (spread.c). */
#ifndef SHADER_SPREAD_H
#define SHADER_SPREAD_H

#include "shader/program.h"

enum {
    SPREAD_FIRST = 80, /* row of the first word: behind all attributes */
    SPREAD_WORDS = 64  /* words of c[] that a program may name */
};

struct program_spread {
    struct program *program;
    uint32_t attr_rows; /* rows of a[] that the original names */
    uint32_t count;
    struct spread_word { /* what row SPREAD_FIRST + i is to hold */
        uint8_t slot;
        uint16_t offset; /* bytes */
    } word[SPREAD_WORDS];
    uint32_t slots;    /* bit per slot of c[] it names words of, */
    uint32_t need[16]; /* so many bytes of it: they must be there */
};

/* Made when first asked for, from any thread; lives as long as p. NULL: there is none. */
const struct program_spread *program_spread(struct program *p);
void program_spread_free(struct program_spread *s);

#endif
