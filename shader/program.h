/* A program: machine code of one stage, decoded once, with its header: facts that the hardware gets
 * from the 3D class (Fermi: from words before the code). Made from words or from program text (.vp
 * .tcp .tep .gp .fp .cp). Immutable after creation; shared by every warp that runs it.
 */
#pragma once

#include "shader/op.h"

#include <stddef.h>

enum {
    RESULT_MAP_SLOTS = 160, /* a Fermi: 124 varyings, position, size, layer, clip distances ... */
    /* v[] words; of a Fermi: planes of varyings, point coordinates, primitive id ... */
    VARYING_WORDS = 160,
    RESULT_ZERO = 0xfe, /* sources of slots that are no o[] word: the constant 0, and 1.0 */
    RESULT_ONE = 0xff
};

struct attribute_rows; /* sph.h */
/* Names and packing follow the 3D class methods (tesla-3d.md §4.1). A zeroed header is legal:
 * reg_count is then derived from the code (Fermi, generic64: 64). */
struct program_header {
    uint16_t reg_count;  /* 32-bit registers allocated per thread, 1..128 (REG_ALLOC_TEMP) */
    uint32_t local_size; /* bytes of l[] per thread, 0..0x10000 */
    /* VP: inputs */
    uint32_t attr_enable[2]; /* 4 component bits per attribute, 8 attributes a word (VP_ATTR_EN) */
    /* VP_GP_BUILTIN_ATTR_EN: 1 vertex id, 0x10 instance id, 0x100 primitive id (GP), 0x1000 vertex
     * id counts from the draw's first vertex */
    uint32_t builtin_enable;
    /* VP and GP: outputs. result_map[slot] is the o[] word that feeds the slot, or RESULT_ZERO,
     * RESULT_ONE */
    uint16_t result_count; /* o[] words allocated */
    uint8_t map_size;      /* slots in result_map */
    uint8_t result_map[RESULT_MAP_SLOTS];
    /* Slots with a meaning beyond position (0..3) and plain varyings; 0xff = none */
    uint8_t slot_point_size, slot_layer, slot_viewport, slot_primitive_id;
    uint8_t slot_clip, clip_count; /* clip distances: first slot, count (0..8) */
    uint8_t slot_color[2][2];      /* [front/back][n], two-sided lighting; 0xff = none */
    /* GP */
    uint8_t gp_out_primitive; /* 1 points, 2 line strip, 3 triangle strip */
    uint16_t gp_max_vertices;
    uint8_t gp_invocations; /* Fermi: runs for a primitive */
    uint8_t gp_streams;     /* Fermi: a bit per vertex stream that is written */
    /* TCP */
    uint8_t patch_words;    /* words that are written for a patch, not for a vertex */
    uint8_t patch_vertices; /* output vertices of a patch */
    /* FP */
    /* FP_INTERPOLANT_CTRL: umask << 24 | nonflat count << 16 | first slot << 8 | count */
    uint32_t interpolant_ctrl;
    /* bit per slot (NOPERSPECTIVE_BITMAP); nibble per slot within points
     * (POINT_COORD_REPLACE_MAP) */
    uint32_t noperspective[RESULT_MAP_SLOTS / 32], point_coord[RESULT_MAP_SLOTS / 8];
    uint32_t fp_control; /* enum fp_control */
    uint8_t fp_results;  /* result registers (FP_RESULT_COUNT) */
    /* Fermi: 4 component bits per target. Each target with a bit has four result registers; then
     * come those of sample mask and depth. */
    uint32_t fp_targets;
    bool writes_memory; /* Fermi's 3D programs: stores to g[] or surfaces */
    /* CP */
    /* bytes of s[] per CTA, at most CTA_SHARED or FERMI_CTA_SHARED (cta.h) */
    uint32_t shared_size;
    uint8_t barrier_count;
};

enum fp_control {
    FP_MULTIPLE_RESULTS = 1, /* else result 0 goes to all targets */
    FP_EXPORTS_Z = 0x100,
    FP_EXPORTS_SAMPLE_MASK = 0x200, /* Fermi */
    FP_USES_KILL = 0x100000,
    FP_EARLY_TESTS = 0x40000000 /* Fermi: zeta is tested before the program, even if it discards */
};
enum { BUILTIN_VERTEX_ID = 1, BUILTIN_INSTANCE_ID = 0x10, BUILTIN_PRIMITIVE_ID = 0x100 };

/* $t and $s of texture instructions. */
struct tex_slot {
    uint8_t tic, tsc;
};

/* Facts that follow from the code alone, found once when the program is made (facts.c). In doubt
 * a fact promises less. */
struct program_facts {
    bool uniform;    /* every lane of every warp computes the same results */
    bool harmless;   /* ends without an error, keeps all lanes, writes nothing but results */
    bool infallible; /* ends without an error, writes nothing but results */
    uint32_t const_extent[16];   /* bytes of c<slot>[] that the program can read */
    uint32_t const_slots;        /* bit per slot that the program can read */
    uint32_t textures, samplers; /* bit per $t, $s below 32 */
    /* bit per v[] word, or per plane of a Fermi: interpolated; read flat */
    uint32_t varying[VARYING_WORDS / 32], varying_flat[VARYING_WORDS / 32];
    uint32_t results[4]; /* bit per o[] word that an instruction may write */
    bool centroid;       /* interpolates a word at the centroid */
    bool samples;        /* Fermi: asks for the samples of its pixel (PIXLD) */
    /* bit per allocated $r that must be 0 at the start: the program, or a reader of its results,
     * may read it before every lane has written it */
    uint64_t cleared[2];
    bool addresses; /* may read or write $a */
    bool memory;    /* Fermi's 3D programs: may access g[] or surfaces */
};

struct program {
    enum program_type type;
    enum isa_variant variant;
    struct program_header header;
    uint32_t base;  /* byte address of words[0] in C[] space, multiple of 8 */
    uint32_t entry; /* byte address of the first instruction */
    uint32_t word_count;
    /* Code elsewhere in C[] space that the program calls (Fermi): the last library_words words, at
     * this address. The word before them is in neither part, and illegal. */
    uint32_t library_base, library_words;
    uint32_t *words;
    struct op *ops;   /* ops[i]: the instruction that starts at word i (any word may be a target) */
    uint8_t *reached; /* by word: 1 if a warp can execute an instruction there; reach.c */
    char *name;       /* file name or other label, for messages */
    char *text;       /* source text, and the line of each word in it; NULL: made from words */
    uint32_t *lines;
    /* The pairs of texture and sampler that the code names, without duplicates. */
    struct tex_slot *tex_slot;
    uint32_t tex_slot_count;
    struct program_facts facts;
    struct attribute_rows *rows; /* Fermi's 3D programs, else NULL: sph.h */
    bool flushes; /* warps run with a floating-point mode that flushes denormals; link.c decides */
    /* The linked form that the interpreter runs, made by link.c. */
    struct linked_program *linked;
    int refs;
    struct native_code *native; /* atomic; native code (shader/native/) */
    /* atomic; the variant whose lanes have different constants (spread.h) */
    struct program_spread *spread;
    /* atomic; 1: a warp has run out of time, so later warps get only the budget
     * (warp_env.overtime) */
    uint32_t overtime;
};

/* Set in the number of a word that does not exist; existing words have numbers below this value. */
#define PROGRAM_NO_WORD UINT32_C(0x40000000)

/* The number of the word at a byte address; at least word_count if there is no such word. */
static inline uint32_t program_word(const struct program *p, uint32_t address) {
    const uint32_t first = p->word_count - p->library_words, word = (address - p->base) >> 2;
    if (word < first)
        return word;
    const uint32_t behind = (address - p->library_base) >> 2;
    return behind < p->library_words ? first + behind : word | PROGRAM_NO_WORD;
}

/* The byte address of a word or of the end of the words; the inverse of program_word(), also where
 * there is no word. */
static inline uint32_t program_address(const struct program *p, uint32_t word) {
    const uint32_t behind = word - (p->word_count - p->library_words);
    return p->library_words && behind <= p->library_words ? p->library_base + 4 * behind
                                                          : p->base + 4 * word;
}

/* The number of words at `base`. */
static inline uint32_t program_own_words(const struct program *p) {
    return p->word_count - p->library_words - (p->library_words != 0);
}

/* A message about input: "file:line:column: what is wrong and what would be right". */
struct program_error {
    char text[512];
};

/* Decodes words placed at byte address base. Illegal words are not an error here: they become
 * OP_ILLEGAL and trap when executed. header NULL: a zeroed one without slots. NULL with error->text
 * if memory is short, base or entry is misaligned, there are no words or more than 16 MiB of them,
 * or the instruction set has no programs of the type. A Fermi's 3D program needs rows
 * (program_from_code). */
struct program *program_from_words(enum program_type type, enum isa_variant variant,
                                   const struct program_header *header, const uint32_t *words,
                                   size_t word_count, uint32_t base, uint32_t entry,
                                   const char *name, struct program_error *error);
/* The parts that a program is made of. */
struct program_code {
    const uint32_t *words;
    size_t word_count;
    uint32_t base, entry;
    /* Called code elsewhere in C[] space (Fermi); no words: none. */
    const uint32_t *library;
    size_t library_words;
    uint32_t library_base;
    const struct attribute_rows *rows; /* of a Fermi 3D program; copied */
};
/* As program_from_words, for code in two parts, and with rows of attributes. */
struct program *program_from_code(enum program_type type, enum isa_variant variant,
                                  const struct program_header *header,
                                  const struct program_code *code, const char *name,
                                  struct program_error *error);
/* Assembles program text (directives and instructions; docs/programs.md). name is used in messages.
 * NULL with error->text on any mistake. */
struct program *program_from_text(enum program_type type, enum isa_variant variant,
                                  const char *text, size_t length, const char *name,
                                  struct program_error *error);
/* As program_from_text() for a .vp .tcp .tep .gp .fp .cp file; the extension is the type. */
struct program *program_from_file(const char *path, enum isa_variant variant,
                                  struct program_error *error);
/* Writes an instruction of the program as text, as snprintf() does. */
int program_print(const struct program *p, const struct op *op, char *text, size_t size);
struct program *program_ref(struct program *p);
void program_unref(struct program *p); /* NULL is fine */

/* link.c: the program computes in the fast arithmetic those operations of which alu/fast.h has a
 * fast form. Called before the program runs for the first time. Programs that keep denormals stay
 * exact. */
void program_set_fast(struct program *p);

/* reach.c: fills p->reached from the ops. program_from_code calls it. False when out of memory. */
bool program_find_reached(struct program *p);
/* facts.c: fills p->facts from the ops and their tex members. program_from_code calls it. */
void program_find_facts(struct program *p);
/* Sets program.facts.cleared. */
void program_find_cleared(struct program *p);
/* unseen.c: fills tex.alone and tex.unseen of the ops. program_from_code calls it before
 * program_find_facts(). */
void program_find_unseen(struct program *p);
