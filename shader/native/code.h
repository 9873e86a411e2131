/* A program's machine code, and who makes it. For native.c, control.c and the compiler. */
#ifndef SHADER_NATIVE_CODE_H
#define SHADER_NATIVE_CODE_H

#include "shader/exec.h"
#include "shader/native/native.h"
#include "shader/native/stencil.h"

/* Code exists twice: for warps in which all lanes that were started are active, whose results may be
 * written to all 32, and for divergent ones. A block that begins with a join has a second entry
 * behind it. */
enum { CODE_FULL, CODE_DIVERGENT, CODE_VERSIONS, CODE_ENTRIES = 2 * CODE_VERSIONS };
enum { NOWHERE = -1 };

/* What the views must hold for the fixed offsets of a program, and the v[] words that are evaluated
 * before it runs. */
struct native_need {
    uint32_t constant[16]; /* bytes of c[] */
    uint16_t spaces;       /* bit per c[] that is needed */
    uint32_t shared;       /* bytes of s[] */
    uint32_t attr, out;    /* rows */
    uint32_t varyings;
    struct varying_use varying[WARP_VARYINGS];
};

struct native_code {
    struct native_code *next; /* of the program */
    struct native *owner;
    const struct program *program;
    uint32_t mode;
    uint8_t *memory;
    size_t size;
    /* By word: where code can be entered, bytes from memory; for full and divergent warps, at the block
     * and behind its join. */
    int32_t (*entry)[CODE_ENTRIES];
    uint32_t words;
    int32_t leave[4]; /* by warp_status: returns it */
    struct native_need need;
    struct gdb_entry *gdb; /* what gdb knows of it, or NULL */
};

/* Machine code in the making: positions are bytes from its start. Its memory is the compiler's, until that makes
 * the next. */
struct native_build {
    uint8_t *bytes;
    size_t size;
    struct {
        uint32_t at;
        int32_t to; /* byte of the pool */
    } *pool;        /* 32-bit distances that depend on where the code will stand */
    uint32_t pools;
    uint32_t instructions, called;
    uint32_t calls[OPCODES]; /* called, by operation */
    struct emit_mark *mark;  /* tags: native_tag(); only for tools, if report_wanted() */
    uint32_t marks;
};

/* Code at pc for the warp as it is, or behind the join there, or back to the interpreter. */
static inline const void *native_arrive(const struct native_code *code, struct warp *w, uint32_t pc,
                                        bool joined) {
    const uint32_t word = program_word(code->program, pc);
    const int version =
        (w->active == w->launched ? CODE_FULL : CODE_DIVERGENT) + (joined ? CODE_VERSIONS : 0);
    if (word < code->words && pc % 4 == 0 && code->entry[word][version] != NOWHERE)
        return code->memory + code->entry[word][version];
    w->pc = pc;
    return code->memory + code->leave[WARP_RUNNING];
}

/* What a piece of code is made of: the instruction at a word, a routine by its stencil, or how code is
 * entered and left. */
enum { TAG_WAYS = 0xffffffff };
enum { TAG_ROUTINES = 0xfffff000 };
static inline uint32_t native_tag_of_routine(uint32_t stencil) {
    return TAG_ROUTINES + stencil;
}
static inline uint32_t native_tag(uint32_t word, int version) {
    return 2 * word + (version == CODE_DIVERGENT);
}

/* The compiler's memory, for one program after the other; NULL: there is none. */
struct lowering;
struct lowering *native_memory_new(void);
void native_memory_delete(struct lowering *c); /* NULL is fine */
/* Fills code (entry, leave, need) and build from code->program; bytes: stencils of BYTES_LIST may be taken.
 * False if out of memory. */
bool native_compile(struct lowering *c, struct native_code *code, const struct stencil_set *set,
                    enum simd_level simd, bool bytes, struct native_build *build);

/* The place of a stencil for an operation, or ST_NONE. */
enum stencil_id shape_find(const struct op *op, uint32_t mode, const struct program *p);

/* The stencil that does the work of two, the second on the first's result, or ST_NONE. */
enum stencil_id shape_find_pair(enum stencil_id first, enum stencil_id second);

/* control.c: what control instructions call; each returns where to go on. */
typedef const void *native_control_fn(struct warp *w, const struct warp_env *env,
                                      const struct linked_op *l, lane_mask m,
                                      const struct native_code *code);
/* NULL: no control instruction, or left to the interpreter. */
native_control_fn *native_control(enum isa_variant variant, enum opcode code);
native_control_fn native_fermi_join; /* behind a plain instruction of Fermi or generic64 */

#endif
