/* The debugger's prompt: one warp of a draw or grid, stepped forwards and backwards. cmd_debug.c
 * finds the warp, debugger.c reads commands and runs the session, debugger_place.c reads and writes
 * places ($r5, l[0x10] ...), debugger_show.c prints. For these files only.
 */
#pragma once

#include "pipeline/context.h"
#include "shader/stepper.h"

#include <stdio.h>

/* ---- places ---- */

struct place {
    enum place_kind {
        PLACE_R,
        PLACE_A,
        PLACE_C,
        PLACE_P, /* PLACE_R to PLACE_P: row is the number of the register */
        PLACE_OUT,
        PLACE_LOCAL,
        PLACE_ATTR,  /* PLACE_OUT to PLACE_PLANE: row is the 4-byte word */
        PLACE_PLANE, /* v[] at the lane's pixel, not divided by 1/w */
        PLACE_CONST,
        PLACE_GLOBAL,
        PLACE_SHARED,
        PLACE_PRIM, /* PLACE_CONST to PLACE_PRIM: address in bytes; space: of c[] and g[] */
    } kind;
    uint32_t row, space;
    uint64_t address;
};

/* Parses a place: "$r5", "$a1", "$c0", "$p1", "v[0x4]", "o[0x10]", "l[8]", "a[0]", "c1[0x20]",
 * "g0[0x100]", "s[0x10]", "p[4]". *end is the text behind the place. Returns false if the text is
 * no place. */
bool place_parse(const char *text, struct place *p, const char **end);
/* Reads the word of a place in one lane. Returns false if the program has no such place. */
bool place_read(const struct stepper *s, const struct place *p, unsigned lane, uint32_t *word);
/* Writes the name of a place in the form that place_parse() reads. */
void place_name(const struct place *p, char *name, size_t size);
/* Writes a word to a place in the lanes of m. Returns false if the place cannot be changed. */
bool place_write(struct stepper *s, const struct place *p, lane_mask m, uint32_t word);
/* Parses 12, 0x1f, -3 or 1.5 (a point or an exponent makes a float). */
bool word_parse(const char *text, uint32_t *word);

/* ---- the session ---- */

enum { MAX_BREAKPOINTS = 64 };

struct breakpoint {
    int number; /* 0: free */
    enum breakpoint_kind { BREAK_ADDRESS, BREAK_OPCODE, BREAK_WATCH } kind;
    uint32_t address;
    uint8_t opcode;
    struct place place;
    unsigned lane;
    uint32_t value; /* last known value of a watched place */
};

/* The source of commands: a script first; then, except in batch mode, standard input. */
struct debugger_input {
    FILE *script;
    char *text; /* the text of a script that is a file; freed at the end */
    bool batch;
};

struct debugger {
    struct stepper *stepper;
    const struct program *program;
    struct gpu_memory *memory;
    const struct state *state;
    struct debugger_input *input;
    const char *glsl;     /* the program's GLSL; NULL: the recording has none */
    const char *subject;  /* "draw 12, pixel 100,80, hit 1" */
    uint64_t draw, draws; /* the current draw (0: none), and the number of draws so far */
    unsigned lane;        /* the selected lane */
    struct breakpoint breakpoint[MAX_BREAKPOINTS];
    int breakpoints; /* the number of the newest breakpoint */
    bool failed;     /* a command was wrong or failed */
};

enum debugger_end { DEBUGGER_QUIT, DEBUGGER_NEXT_HIT };
/* Reads and runs commands until the user leaves this warp. */
enum debugger_end debugger_run(struct debugger *d);
void debugger_input_close(struct debugger_input *input);

/* ---- output ---- */

void show_here(const struct debugger *d);
/* Prints the changes in the selected lane since `before`. */
void show_changes(const struct debugger *d, const struct warp *before);
void show_place(const struct debugger *d, const struct place *p, char format);
void show_code(const struct debugger *d, uint32_t address, int count);
void show_memory(const struct debugger *d, uint64_t address, int count, char format);
void show_registers(const struct debugger *d);
void show_lanes(const struct debugger *d);
void show_stack(const struct debugger *d);
void show_result(const struct debugger *d);
void show_program(const struct debugger *d);
void show_textures(const struct debugger *d);
void show_targets(const struct debugger *d);
void show_draws(const struct debugger *d);
/* Prints `around` lines of source on both sides of an address; 0: all lines. Returns false if the
 * program has no source. */
bool show_source(const struct debugger *d, uint32_t address, int around);
/* Prints the GLSL. Returns false if there is none. */
bool show_glsl(const struct debugger *d);
void show_state(const struct debugger *d);
/* Writes a word in the format x, d, u or f; 0: as "0x3f800000 (1)", with the likely value. */
void print_word(FILE *out, uint32_t word, char format);
