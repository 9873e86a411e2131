/* `teslapipe glsl`: GLSL compiled by the stock driver, taken out as program files. Shared by its
 * files. glsl_inside.c is the OpenGL program that links and draws; its facts reach glsl_interface.c
 * as lines of a file, and the machine code as a recording.
 */
#ifndef TOOLS_GLSL_H
#define TOOLS_GLSL_H

#include "tools/tool.h"

#include "pipeline/context.h"
#include "shader/program.h"

/* ---- OpenGL's facts of the linked program ---- */

/* Kinds of lines in the file of facts, in the form "KIND<TAB>field<TAB>field...". */
enum { GLSL_STAGES = PROGRAM_TYPES };

/* A word that is set to GLSL_MARK | number is recognised in a constant buffer. It is a float and an
 * integer of moderate size. */
#define GLSL_MARK UINT32_C(0x4b000000)
enum { GLSL_MARKS = 1 << 20 };

/* Runs this program's OpenGL part: argv has the file of facts, then one STAGE=FILE for each shader, and
 * --capture NAME... Returns an exit code. */
int glsl_inside(int argc, char **argv);
#define GLSL_INSIDE "--inside"

/* ---- a type of GLSL ---- */

struct glsl_type {
    uint32_t gl;      /* OpenGL's number */
    const char *name; /* "vec4" */
    uint8_t columns, rows;
    char base; /* f float, i int, u uint, b bool, s sampler */
};
/* NULL: not known here. */
const struct glsl_type *glsl_type_find(uint32_t gl);

/* ---- the program with its interface ---- */

enum { GLSL_NAME = 128 };

struct glsl_place { /* of a uniform in one stage; in bytes */
    int slot;       /* of c[]; -1: the stage does not have it */
    uint32_t offset, array_stride, column_stride;
};

struct glsl_uniform {
    char name[GLSL_NAME];
    const struct glsl_type *type;
    uint32_t count, first_mark;
    int block; /* number of its uniform block; -1: none */
    uint32_t offset, array_stride, column_stride;
    bool row_major;
    struct glsl_place place[GLSL_STAGES];
};

struct glsl_sampler {
    char name[GLSL_NAME];
    const struct glsl_type *type;
    uint32_t count, unit; /* the first of its texture units */
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
    int location;      /* -1: of the driver, as gl_VertexID */
    int attribute[16]; /* of the hardware, for each location it takes; -1: not read */
};

struct glsl_varying {
    char name[GLSL_NAME];
    uint32_t words, first_word; /* in the captured vertex */
    uint8_t slot[64]; /* result slot of each word; on a Fermi, the number of its a[] word */
};

struct glsl_output {
    char name[GLSL_NAME];
    const struct glsl_type *type;
    int location, index;
};

/* c<slot>[] of a stage as the driver fills it before any uniform is set. */
struct glsl_constants {
    uint32_t *word;
    uint32_t count;  /* words that the program can reach, or that hold a uniform */
    bool *of_driver; /* word i is no uniform, and was written by the driver */
};

struct glsl_program {
    struct program *program; /* NULL: no such stage */
    struct program_header header;
    struct glsl_constants constants[16];
    char *source; /* GLSL, malloc'd; NULL: not known */
    const char *file;
};

struct glsl {
    const char *name;    /* of the files, and of C identifiers */
    const char *command; /* the command that made it, for the first line */
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
    uint32_t capture_words; /* of a captured vertex */
};

/* Reads the file of facts. False with the reason in why[]. */
bool glsl_read_facts(struct glsl *g, const char *path, char *why, size_t size);
/* Reads programs, constants, textures from the recording of glsl_inside(). False after a message. */
bool glsl_read_recording(struct glsl *g, const struct command *command, const char *path);
/* Reads the programs of one draw of any recording. An exit code, after a message if it is not EXIT_FINE. */
int glsl_read_draw(struct glsl *g, const struct command *command, const char *path, uint64_t draw);
/* Mesa from 25 on does not tell the slots of gl_PointCoord. They are the two that no stage feeds. False: the
 * source names it, and they are not clear. */
bool glsl_find_point_coord(struct glsl *g);
void glsl_free(struct glsl *g);

/* ---- output ---- */

/* A stage's program file. */
void glsl_write_program(FILE *out, const struct glsl *g, enum program_type stage);
/* The table of inputs, uniforms, samplers, varyings and results. */
void glsl_write_table(FILE *out, const struct glsl *g);
/* The C header: programs, tables and constants (include/teslapipe_glsl.h). */
void glsl_write_header(FILE *out, const struct glsl *g);
/* GLSL and machine code side by side. */
void glsl_write_html(FILE *out, const struct glsl *g);

/* The name of a byte of c<slot>[], as "lights[1].color.y"; false: no uniform. */
bool glsl_name_constant(const struct glsl *g, enum program_type stage, unsigned slot,
                        uint32_t offset, char *text, size_t size);
/* The GLSL names of the operands that an instruction reads and writes, with ", " between them, or
 * "". */
void glsl_name_operands(const struct glsl *g, enum program_type stage, const struct op *op,
                        char *text, size_t size);
const char *glsl_extension(enum program_type stage); /* of GLSL files: "vert" ... */

#endif
