/* Headers of Fermi's 3D programs, 20 words in front of the code: what a program reads and writes of
 * the map a[0..3ff] that all stages share, and its limits. In: the words. Out: the header's fields
 * in neutral form, and the place of each a[] word among the rows of a warp. Knows no warp and no
 * state. Facts: fermi-isa.md §9.
 */
#pragma once

#include "shader/program.h"

enum {
    SPH_WORDS = 20,
    SPH_PLANES = VARYING_WORDS, /* most planes of a fragment program */
    ROW_NONE = 0xff,            /* an a[] word that the program does not name */
    A_WORDS = 256,
    /* words of a[], by their numbers */
    A_PRIMITIVE_ID = 0x060 / 4,
    A_LAYER = 0x064 / 4,
    A_VIEWPORT = 0x068 / 4,
    A_POINT_SIZE = 0x06c / 4,
    A_POSITION = 0x070 / 4,
    A_GENERIC = 0x080 / 4,
    A_COLOR = 0x280 / 4,
    A_BACK_COLOR = 0x2a0 / 4,
    A_CLIP_DISTANCE = 0x2c0 / 4,
    A_POINT_COORD = 0x2e0 / 4,
    A_FOG = 0x2e8 / 4,
    A_TESS_COORD = 0x2f0 / 4,
    A_INSTANCE_ID = 0x2f8 / 4,
    A_VERTEX_ID = 0x2fc / 4,
    A_TEXTURE_COORD = 0x300 / 4,
    A_FACING = 0x3fc / 4,
};

/* The interpolation of a word that a fragment program's header states. */
enum sph_mode { SPH_OFF, SPH_FLAT, SPH_PERSPECTIVE, SPH_LINEAR };

struct sph_plane {
    uint8_t word; /* number of a word of a[] */
    uint8_t mode; /* enum sph_mode */
};

/* The rows of a program's inputs and outputs, ascending by word.
 * VP in: rows of warp.attr: the enabled components of the attributes; vertex id; instance id.
 * GP, TCP, TEP in: rows of a vertex in warp.prim: the words that the header names, without the
 * primitive id, which is a row of warp.attr.
 * VP, GP, TCP, TEP out: rows of warp.out: the words that the header names, without patch words.
 * FP in: planes: words of the position, then words that are not flat, then flat words. A colour has
 * planes for all its words or for none. */
struct attribute_rows {
    uint8_t in[A_WORDS], out[A_WORDS]; /* the row of each word, or ROW_NONE */
    uint8_t in_count, out_count;
    struct sph_plane plane[SPH_PLANES]; /* FP: the words of the planes [in_count] */
};

/* Reads a header. Writes *rows, and those fields of *h that the header tells. False: the header is
 * of another type of program; *rows and *h are set even then. */
bool sph_read(const uint32_t word[SPH_WORDS], enum program_type type, struct program_header *h,
              struct attribute_rows *rows);

/* sph_make.c: makes the header of assembled code from its instructions and from these fields of *h:
 * fp_targets and fp_control (FP); primitive, vertices, invocations, streams (GP); vertices of the
 * patch (TCP); bytes of l[], if they are more than the instructions name. */
struct isa_target;
void sph_make(struct isa_target target, const struct program_header *h, const uint32_t *words,
              size_t count, uint32_t base, uint32_t sph[SPH_WORDS]);
