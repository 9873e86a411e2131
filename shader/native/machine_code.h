/* The machine code of a program, and the functions that make it. For native.c, control.c, the
 * stencils and the compiler (compile.c and below).
 */
#pragma once

#include "shader/exec.h"
#include "shader/native/native.h"
#include "shader/native/stencil.h"

/* Code exists in two versions: for full warps, in which all launched lanes are active and results
 * may be written to all 32 lanes, and for divergent warps, unless warps of the program cannot
 * diverge. A block that begins with a join has a second entry behind the join in each version. */
enum { CODE_FULL, CODE_DIVERGENT, CODE_VERSIONS, CODE_ENTRIES = 2 * CODE_VERSIONS };
enum { NOWHERE = -1 };

/* A bit of native_code.mode beside those of warp_env.mode: bold code (native.h), in which fmad does
 * not test for rare values. Results count only if the host's flags say that there were none. */
enum { MODE_BOLD = 1 << 30 };

/* True if the operation's stencil tests for rare values and may need the handler. */
static inline bool needs_tests(const struct op *op, uint32_t mode) {
    return op->code == OP_FMAD && !op->fast && !(mode & MODE_BOLD && op->cdst == NO_FLAGS_DST);
}

/* The needs of a program: sizes of the views, from its fixed offsets, and the v[] words that are
 * evaluated before it runs. */
struct native_need {
    uint32_t constant[16]; /* bytes of c[] */
    uint16_t spaces;       /* bit per c[] that is read */
    uint32_t shared;       /* bytes of s[] */
    uint32_t attr, out;    /* rows of a[] and o[] */
    uint32_t varyings;
    struct varying_use varying[WARP_VARYINGS];
};

struct native_code {
    struct native_code *next; /* the program's next code, for another mode or service */
    struct native *owner;
    const struct program *program;
    uint32_t mode;
    uint8_t *memory;
    size_t size;
    /* By word: offsets of the code's entries from `memory`, for full and divergent warps: two at
     * the block, two behind its join. NOWHERE: there is none. */
    int32_t (*entry)[CODE_ENTRIES];
    uint32_t words;
    int32_t leave[4]; /* by warp_status: offset of code that returns that status */
    struct native_need need;
    bool straight;         /* one block: no control instruction before its end */
    bool tests;            /* an operation tests for rare values */
    struct gdb_entry *gdb; /* NULL: not registered with gdb */
};

/* Machine code that is being made; positions are bytes from its start. The memory is the
 * compiler's, and valid until it makes the next program. */
struct native_build {
    uint8_t *bytes;
    size_t size;
    struct {
        uint32_t at;
        int32_t to; /* byte of the pool */
    } *pool;        /* 32-bit distances to the pool, filled in when the code's address is known */
    uint32_t pools;
    uint32_t instructions, called;
    uint32_t calls[OPCODES]; /* handler calls by operation */
    struct emit_mark *mark;  /* tagged with native_tag(); filled only if report_wanted() */
    uint32_t marks;
};

/* The code at pc for the warp's active lanes; joined: the code behind the join there. If there is
 * none, sets w->pc and returns the way back to the interpreter. */
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

/* Tags of emit_mark, which name code for tools: an instruction by its word and version, a
 * routine by its stencil, or the ways in and out. */
enum { TAG_WAYS = 0xffffffff };
enum { TAG_ROUTINES = 0xfffff000 };
static inline uint32_t native_tag_of_routine(uint32_t stencil) {
    return TAG_ROUTINES + stencil;
}
static inline uint32_t native_tag(uint32_t word, int version) {
    return 2 * word + (version == CODE_DIVERGENT);
}

/* The compiler's memory, used for one program after the other. native_memory_new(): NULL when out
 * of memory. */
struct lowering;
struct lowering *native_memory_new(void);
void native_memory_delete(struct lowering *c); /* NULL is fine */
/* Fills code (entry, leave, need) and *build from code->program. bytes: stencils of BYTES_LIST may
 * be used. False when out of memory. */
bool native_compile(struct lowering *c, struct native_code *code, const struct stencil_set *set,
                    enum simd_level simd, bool bytes, struct native_build *build);

/* The stencil of an operation by its shape, or ST_NONE. */
enum stencil_id shape_find(const struct op *op, uint32_t mode, const struct program *p);

/* The stencil that does two operations, the second on the result of the first, or ST_NONE. */
enum stencil_id shape_find_pair(enum stencil_id first, enum stencil_id second);

/* control.c: the functions that native code calls for control instructions. Each returns the code
 * address at which to go on. */
typedef const void *native_control_fn(struct warp *w, const struct warp_env *env,
                                      const struct linked_op *l, lane_mask m,
                                      const struct native_code *code);
/* The function for a control instruction. NULL: the operation is no control, or is left to the
 * interpreter. */
native_control_fn *native_control(enum isa_variant variant, enum opcode code);
/* The function for the join flag of a plain instruction of Fermi or generic64. */
native_control_fn native_fermi_join;
