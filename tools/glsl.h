/* `teslapipe glsl`: GLSL compiled by the stock driver, taken out as program files. Shared by the
 * command's files. glsl_inside.c is the OpenGL program that links and draws. Its facts reach
 * glsl_interface.c as lines of a file, its machine code in a recording.
 */
#pragma once

#include "tools/tool.h"

#include "pipeline/context.h"

/* ---- OpenGL's facts of the linked program ---- */

/* The facts are lines of the form "KIND<TAB>field<TAB>field...". */
enum { GLSL_STAGES = PROGRAM_TYPES };

/* A marked word of a constant buffer has the value GLSL_MARK | number, by which the reader finds
 * the word. The value is positive as an integer, and as a float it is 2^23 + number: finite and
 * normal. */
#define GLSL_MARK UINT32_C(0x4b000000)
enum { GLSL_MARKS = 1 << 20 };

/* Returns the number of draws that are needed to find the places of n bools. The bools have numbers
 * from 1. Draw i sets those bools whose number has bit i. No bool is true in all of these draws, so
 * a word that is 1 in all of them is a number of the driver. */
static inline uint32_t glsl_bool_draws(uint32_t n) {
    uint32_t bits = 0;
    while (n && (n + 1) >> bits)
        bits++;
    return bits;
}

/* Runs the OpenGL part of `teslapipe glsl`: argv has the path of the file of facts, then one
 * STAGE=FILE for each shader and one capture=NAME for each captured varying. Returns an exit
 * code. */
int glsl_inside(int argc, char **argv);
#define GLSL_INSIDE "--inside"

/* ---- a type of GLSL ---- */

struct glsl_type {
    uint32_t gl;      /* OpenGL's number */
    const char *name; /* "vec4" */
    uint8_t columns, rows;
    char base; /* f float, i int, u uint, b bool, s sampler */
};
/* Returns NULL for an unknown type. */
const struct glsl_type *glsl_type_find(uint32_t gl);

/* ---- the program with its interface ---- */

enum { GLSL_NAME = 128 };

struct glsl_place { /* the place of a uniform in one stage, in bytes */
    int slot;       /* n of c<n>[]; -1: the stage does not use the uniform */
    uint32_t offset, array_stride, column_stride;
};

struct glsl_uniform {
    char name[GLSL_NAME];
    const struct glsl_type *type;
    uint32_t count, first_mark;
    int block; /* number of the uniform block; -1: none */
    uint32_t offset, array_stride, column_stride;
    bool row_major;
    struct glsl_place place[GLSL_STAGES];
};

struct glsl_sampler {
    char name[GLSL_NAME];
    const struct glsl_type *type;
    uint32_t count, unit; /* number of elements; the first texture unit */
    int slot[GLSL_STAGES];
};

struct glsl_block {
    char name[GLSL_NAME];
    uint32_t size;
    int slot[GLSL_STAGES];
};

struct glsl_input {
    char name[GLSL_NAME];
    const struct glsl_type *type;
    uint32_t count;
    int location; /* -1: an input of the driver, such as gl_VertexID */
    /* the hardware's attribute for each location that the input takes; -1: not read */
    int attribute[16];
};

struct glsl_varying {
    char name[GLSL_NAME];
    uint32_t words, first_word; /* number of words; the first word in a captured vertex */
    uint8_t slot[64]; /* the result slot of each word; on Fermi, the number of its a[] word */
};

struct glsl_output {
    char name[GLSL_NAME];
    const struct glsl_type *type;
    int location, index;
};

/* Words of c<slot>[] of a stage as the driver fills them before any uniform is set. */
struct glsl_constants {
    uint32_t *word;
    uint32_t count;  /* number of words that the program can read or that hold a uniform */
    bool *of_driver; /* whether the driver wrote word i and no uniform is there */
};

struct glsl_program {
    struct program *program; /* NULL: the stage is absent */
    struct program_header header;
    struct glsl_constants constants[16];
    char *source; /* the stage's GLSL, malloc'd; NULL: not known */
    const char *file;
};

struct glsl {
    const char *name;    /* name of the files and of C identifiers */
    const char *command; /* the command line, for the first line of each file */
    char driver[160];
    struct glsl_program stage[GLSL_STAGES];
    struct semantic_state semantic;
    bool per_sample, sample_mask;
    struct tess_mode tess_mode;
    uint8_t patch_vertices;
    struct glsl_uniform *uniform;
    size_t uniforms, uniform_capacity;
    struct glsl_sampler *sampler;
    size_t samplers, sampler_capacity;
    struct glsl_block *block;
    size_t blocks, block_capacity;
    struct glsl_input *input;
    size_t inputs, input_capacity;
    struct glsl_varying *varying;
    size_t varyings, varying_capacity;
    struct glsl_output *output;
    size_t outputs, output_capacity;
    bool varyings_known;
    uint32_t capture_words; /* size of a captured vertex */
};

/* Reads the file of facts. Returns false with the reason in why[]. */
bool glsl_read_facts(struct glsl *g, const char *path, char *why, size_t size);
/* Reads programs, constants and textures from the recording of glsl_inside(). Returns false after a
 * message. */
bool glsl_read_recording(struct glsl *g, const struct command *command, const char *path);
/* Reads the programs of one draw of any recording. Returns an exit code, after a message if it is
 * not EXIT_FINE. */
int glsl_read_draw(struct glsl *g, const struct command *command, const char *path, uint64_t draw);
/* Finds the slots of gl_PointCoord: the two slots that no stage feeds. From Mesa 25 on, the state
 * does not name them. Returns false if the source uses gl_PointCoord and the slots are not
 * found. */
bool glsl_find_point_coord(struct glsl *g);
void glsl_free(struct glsl *g);

/* ---- output ---- */

void glsl_write_program(FILE *out, const struct glsl *g, enum program_type stage);
/* Writes the table of inputs, uniforms, samplers, varyings and results. */
void glsl_write_table(FILE *out, const struct glsl *g);
/* Writes the C header: programs, tables and constants (include/teslapipe_glsl.h). */
void glsl_write_header(FILE *out, const struct glsl *g);
/* Writes a page with GLSL and machine code side by side. */
void glsl_write_html(FILE *out, const struct glsl *g);

const char *glsl_extension(enum program_type stage); /* file extension of GLSL: "vert" ... */
