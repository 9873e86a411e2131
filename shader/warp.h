/* A warp: 32 lanes that share one PC, and the environment that the warp runs in. pipeline/ and
 * raster/ fill both, call warp_launch(), and read registers, outputs and masks back. shader/ knows
 * no primitive, no texture format, no render target. Facts: tesla-isa.md §2 and §10.
 */
#pragma once

#include "base/format.h"
#include "base/memory.h"
#include "shader/program.h"

struct warp;
struct warp_env;
struct profile;

enum {
    WARP_REGS = 128,
    WARP_STACK = 64,
    WARP_STACK_MAX = 4096,
    WARP_BARRIERS = 16,
    WARP_SCRATCH = 16,
    WARP_VARYINGS = 32,
    WARP_FORKS = 8,
    WARP_LOCKS = 1 << 12
};

/* Rows of warp.attr in Fermi's stages with input vertices: the handle of vertex n is in row n. TCP
 * and TEP have up to 32 vertices; only TEP has the coordinates. */
enum {
    GP_PRIMITIVE_ID_ROW = 6,
    PATCH_PRIMITIVE_ID_ROW = 32,
    PATCH_COORD_ROWS, /* a[2f0], a[2f4] */
    PATCH_ATTR_ROWS = PATCH_COORD_ROWS + 2
};
enum { MODE_NONFP_DERIV = 1, MODE_MUL_ZERO_WINS = 2, MODE_SAT_NAN = 1 << 19 };

/* MP ERROR_CODE names. */
#define MP_ERROR_LIST(X)                                                                           \
    X(NONE)                                                                                        \
    X(STACK_UNDERFLOW)                                                                             \
    X(STACK_MISMATCH)                                                                              \
    X(QUADON_ACTIVE) X(TIMEOUT) X(DECODE_ERROR) X(PM_OVERFLOW) X(BREAKPOINT) X(STACK_OVERFLOW)
enum mp_error {
#define X(e) MP_##e,
    MP_ERROR_LIST(X)
#undef X
};
const char *mp_error_name(enum mp_error e);

struct warp_error {
    uint8_t code;     /* enum mp_error */
    uint8_t decode;   /* enum decode_error when code is MP_DECODE_ERROR */
    uint32_t address; /* byte address of the instruction */
    lane_mask lanes;  /* active lanes */
    uint32_t warp;    /* the warp's number in the CTA (warp_id) */
};

/* "DECODE_ERROR ILLEGAL_OPCODE at 0x000010, warp 0, lanes ffffffff"; returns as snprintf does. */
int warp_error_print(const struct warp_error *e, char *buf, size_t size);

/* l[] has up to 64 KiB a lane; its rows are cleared in groups of LOCAL_DIRTY_ROWS
 * (shader/local.h). */
enum { LOCAL_DIRTY_ROWS = 16, LOCAL_DIRTY_WORDS = 0x10000 / 4 / LOCAL_DIRTY_ROWS / 64 };

enum { WARP_SECONDS = 5 };

/* Bounded views of memory. data may be NULL if size is 0. Reads out of range give 0, writes are
 * dropped, and both are counted. */
struct const_view {
    const uint8_t *data;
    uint32_t size; /* bytes */
};
struct global_view {
    uint8_t *data;
    uint64_t limit; /* bytes that may be accessed from data */
    bool tiled;     /* 2D: in an address, the low 16 bits are x in bytes, the high 16 bits y */
    uint32_t pitch; /* 2D: bytes of a row of tiles */
    uint8_t block_height; /* 2D: a tile has 4 << block_height rows; 0..5 */
};

/* An image of Fermi's surface instructions: block-linear, with tiles that are 64 bytes wide, or
 * linear. */
struct image_view {
    uint64_t address; /* in the GPU's memory; 0: all accesses are outside */
    enum pixel_format format;
    uint32_t width;  /* texels; linear: bytes of a row */
    uint32_t height; /* rows */
    bool linear;
    uint8_t tile_h; /* a tile has 4 << tile_h rows */
};
enum { WARP_IMAGES = 8 };

/* The attribute plane of a v[] word. Its value at (x, y), in pixels from the origin that the planes
 * of a warp share, is (base + dx * x) + dy * y, each operation rounded to single. */
struct attribute_plane {
    float base, dx, dy;
    uint32_t flat; /* the word of the provoking vertex, bit for bit */
};
struct attribute_planes {
    uint32_t facing;                     /* v[0x3fc]: 0xffffffff front, 0 back */
    uint32_t count;                      /* planes; v[] words beyond the last plane read 0 */
    const struct attribute_plane *plane; /* [count] in v[] word order */
};

/* A debugger that observes warps. Each function may be NULL. start: a warp is about to run from its
 * first instruction; registers and inputs are set. Copies of the warp may be run; the warp itself
 * may not be changed. end: the warp has ended, with or without an error. cta: a CTA is about to
 * run, and all its warps are set up. before, after: called around the execution of each instruction
 * in lanes m. m may be 0: then `after` is not called. If `before` is not NULL, warps are
 * interpreted. Control instructions have no `after`. `after` needs `before`. */
struct warp_observer {
    void *self;
    void (*start)(void *self, const struct warp *w, const struct warp_env *env);
    void (*end)(void *self, const struct warp *w, const struct warp_env *env);
    void (*cta)(void *self, const struct warp *warps, uint32_t count, const struct warp_env *env);
    void (*before)(void *self, const struct warp *w, const struct warp_env *env,
                   const struct op *op, lane_mask m);
    void (*after)(void *self, const struct warp *w, const struct warp_env *env, const struct op *op,
                  lane_mask m);
};

/* The environment that all warps of a draw share: immutable while warps run. */
struct warp_env {
    const struct program *program;
    enum simd_level simd;
    uint32_t mode; /* MODE_* bits */
    struct const_view c[16];
    const struct global_view *g; /* [16], CP only, else NULL */
    /* Fermi: g[] is this whole address space, and g is not used; or NULL */
    struct gpu_memory *memory;
    const struct image_view *image; /* [WARP_IMAGES] in memory; or NULL */
    /* The textures, by the program's texture slots; NULL: texture instructions read 0. */
    const struct tex_binding *const *tex;
    uint32_t call_limit;  /* CALL_LIM entries allowed; UINT32_MAX = unlimited */
    uint32_t stack_limit; /* entries, at most WARP_STACK_MAX; 0 = default */
    uint64_t budget;      /* instructions a warp may execute before TIMEOUT; 0 = default */
    /* NULL: a warp that has spent the budget fails. Else it goes on for WARP_SECONDS of its
     * thread's time. *overtime becomes 1 when a warp has spent these seconds, too; from then on the
     * budget is the limit. The warps of a CTA share the seconds and leave *overtime alone
     * (cta.c). */
    uint32_t *overtime;
    /* locks of g[]: [WARP_LOCKS], all 0 before the first warp (Fermi); or NULL */
    uint32_t *locks;
    struct native *native;                /* makes native code; NULL: programs are interpreted */
    const struct warp_observer *observer; /* NULL: no observer */
};

struct stack_entry {
    uint8_t type; /* enum stack_type */
    uint32_t pc;
    lane_mask mask;
};
enum stack_type {
    STACK_BRANCH = 1,
    STACK_CALL,
    STACK_CALL_LIM,
    STACK_PREBREAK,
    STACK_QUADON,
    STACK_JOINAT,
    STACK_PRECONT, /* Fermi, generic64 */
    STACK_LONGJMP  /* Fermi */
};

struct flags { /* a $c register: a bit per lane */
    lane_mask z, s, c, o;
};

/* The flags of a lane: Z in bit 0, then S, C, O. */
static inline unsigned flags_of_lane(const struct flags *f, unsigned lane) {
    return (f->z >> lane & 1) | (f->s >> lane & 1) << 1 | (f->c >> lane & 1) << 2 |
           (f->o >> lane & 1) << 3;
}

static inline void flags_set_lane(struct flags *f, unsigned lane, unsigned v) {
    const lane_mask bit = 1u << lane;
    f->z = v & 1 ? f->z | bit : f->z & ~bit;
    f->s = v & 2 ? f->s | bit : f->s & ~bit;
    f->c = v & 4 ? f->c | bit : f->c & ~bit;
    f->o = v & 8 ? f->o | bit : f->o & ~bit;
}

/* The two counts of instructions are kept apart on purpose. If they were neighbours, the compiler
 * would add to both with one vector store in some places and to each alone in others, and every
 * addition would wait for the stores before it. */
struct warp_stats {
    uint64_t instructions;          /* warp instructions executed */
    uint64_t bad_reads, bad_writes; /* accesses out of range, counted per lane */
    uint64_t lane_instructions;     /* sum of active lanes over the instructions */
};

static inline void warp_stats_add(struct warp_stats *to, const struct warp_stats *from) {
    to->instructions += from->instructions;
    to->lane_instructions += from->lane_instructions;
    to->bad_reads += from->bad_reads;
    to->bad_writes += from->bad_writes;
}

/* Called by emit and restart for the lanes in m (GP). out: the o[] rows. stream: of Fermi's vertex
 * streams, 0 to 3. */
struct emit_port {
    void *self;
    void (*emit)(void *self, const u32x32 *out, lane_mask m, uint32_t stream);
    void (*restart)(void *self, lane_mask m, uint32_t stream);
};

/* The reduction of a Fermi barrier over its threads' predicates. */
struct barrier_reduction {
    uint32_t count;
    bool all, any;
};

/* State shared by the warps of one CTA. */
struct cta_shared {
    uint8_t *s; /* s[] bytes, 64-byte aligned */
    uint32_t s_size;
    uint32_t s_given;    /* bytes at the start that are set when the CTA begins */
    uint32_t warp_count; /* warps of the CTA that have not exited */
    uint16_t arrived[WARP_BARRIERS];
    /* warps the barrier waits for; 0 = all that have not exited */
    uint16_t expected[WARP_BARRIERS];
    uint32_t phase[WARP_BARRIERS]; /* incremented at each reset of the barrier */
    int16_t *lock_owner;           /* per word of s[]: the warp that holds its lock, or -1 */
    /* Fermi, generic64 */
    uint32_t size[3], grid[3], at[3], grid_id;
    struct barrier_reduction reducing[WARP_BARRIERS];
    /* results of the last two phases, at phase & 1 */
    struct barrier_reduction reduced[WARP_BARRIERS][2];
};

struct native_code;

enum { FEW_RESULTS = 4 };

/* Uniform operands of special functions, with their results: kept.h. */
enum { KEPT_RESULTS = 4 };
struct kept_result {
    uint32_t operand, result;
};
struct kept_results {
    struct kept_result rcp[KEPT_RESULTS], rsqrt[KEPT_RESULTS], rsqrt_rcp[KEPT_RESULTS],
        lg2[KEPT_RESULTS], preex2_ex2[KEPT_RESULTS], presin_sin[KEPT_RESULTS],
        presin_cos[KEPT_RESULTS];
};

/* The number of the hint that an instruction's accesses use. Neighbouring instructions, which may
 * access different buffers, have different hints. next: the address of the next instruction. */
enum { WARP_HINTS = 16 };
#define WARP_HINT(next) ((next) / 8 % WARP_HINTS)

/* State that only Fermi and generic64 have. */
struct warp_fermi {
    /* predicate registers; PRED_TRUE, and a place for dropped results */
    lane_mask p[PRED_TRUE + 2];
    /* thread state: lanes that have left the body of a loop until the next round */
    lane_mask continued;
    lane_mask wait_lanes; /* lanes that get the result of the barrier */
    /* The allocations of warp_env.memory that were accessed last, by WARP_HINT(). Native code does
     * not compare generations: warp_start() empties the hints if the memory has another
     * generation. */
    struct memory_hint hint[WARP_HINTS];
    uint64_t generation;
    uint8_t *host; /* the host address of GPU address 0 */
};

/* State that native code keeps in a warp while it runs. */
struct warp_native {
    int64_t left;                 /* instructions that the budget still allows */
    int64_t counted_at;           /* the value of left when stats were last brought up to date */
    lane_mask forked[WARP_FORKS]; /* active lanes before each fork that the warp is in */
    /* code that keeps rows in memory: values; code that keeps rows in registers: vector registers
     * saved around calls */
    u32x32 scratch[WARP_SCRATCH];
    u32x32 varying[WARP_VARYINGS]; /* the v[] words that the program names */
};

/* The environment that warp_keep() was given, and its native code. */
struct warp_kept {
    const struct warp_env *env;
    const struct native_code *code;
    bool in_fp; /* the runs are between warp_enter_fp() and warp_leave_fp() */
};

struct warp {
    /* Registers. Row WARP_REGS always reads 0, row WARP_REGS + 1 takes dropped writes. The rows
     * behind them are three operands and a result for handlers and routines that native code
     * calls. */
    u32x32 r[WARP_REGS + 2 + 4];
    u32x32 a[8]; /* $a: low 16 bits are used; a[0] stays 0 */
    struct flags c[4];
    /* Control state. */
    uint32_t pc;
    lane_mask active;
    lane_mask launched; /* active at the start */
    lane_mask dead;     /* lanes whose results are dropped: unused, helper pixels, discarded */
    /* thread states 1, 2 and 3; a lane in no mask has state 0, running */
    lane_mask broke, returned, exited;
    uint32_t stack_top;        /* entries in use */
    uint32_t limited_calls;    /* CALL_LIM entries on the stack */
    struct stack_entry *stack; /* own_stack, or memory of the heap if it has grown */
    uint32_t stack_capacity;
    struct stack_entry own_stack[WARP_STACK];
    /* The meaning of the launched lanes, for observers: numbers of vertices and instances (VP), of
     * primitives (GP), of patches and their vertices (TCP) or points (TEP). */
    const uint32_t *number, *instance;
    /* Inputs and outputs; the program type decides which are used. */
    const u32x32 *attr; /* a[] rows (not FP, CP) */
    uint32_t attr_count;
    u32x32 *out; /* o[] rows (not FP, CP) */
    uint32_t out_count;
    /* p[] words (GP): component k of pointer p is prim[p + 0x20 * k]. Fermi's vertices (GP, TCP,
     * TEP): prim[handle + 0x20 * row] */
    const uint32_t *prim;
    uint32_t prim_count;
    const struct emit_port *emit;
    /* Fermi: the run's number in its primitive (GP), the output vertex (TCP) in each lane;
     * NULL: 0 */
    const u32x32 *invocation;
    uint32_t patch_vertices; /* Fermi: of the stage's input patch (TCP, TEP) */
    /* Fermi: words of a patch, row k is a[4k]. TCP: written in the lane of the patch's first
     * vertex. TEP: of each lane's patch. */
    u32x32 *patch;
    uint32_t patch_count;
    /* FP: the 8 quads; lane & 3: 0 upper left, 1 upper right, 2 lower left, 3 lower right. */
    f32x32 x, y;       /* pixel centres, relative to the planes' origin */
    int32_t origin[2]; /* the planes' origin in the window: for observers */
    /* centroids, relative to the planes' origin; equal to x, y without multisampling */
    f32x32 cx, cy;
    const struct attribute_planes *planes[8];
    bool uniform_planes; /* all eight are planes[0] */
    uint32_t sample_id;  /* $sampleid */
    /* Fermi: samples of a pixel (0: 1); their positions as two signed 4.12 numbers relative to the
     * centre, x in the low half; the covered samples of each lane's pixel (NULL: sample 0) */
    uint32_t sample_count;
    const uint32_t *sample_position;
    const u32x32 *coverage;
    /* only the first FEW_RESULTS $r are read after the program; no observer reads registers */
    bool few_results;
    /* l[], interleaved by words: row i has bytes 4i..4i+3 of all lanes; (local_size + 3) / 4
     * rows. */
    u32x32 *local;
    uint32_t local_size;
    uint64_t local_dirty[LOCAL_DIRTY_WORDS]; /* a bit for each 16 rows; 0: all 16 rows are 0 */
    /* CP */
    struct cta_shared *cta;
    uint32_t warp_id; /* number in the CTA; also bits 8-15 of $physid */
    uint32_t phys_id; /* bits 16-23 of $physid, in their place */
    /* the barrier that the warp waits at, and its phase; WARP_BARRIERS: it does not wait */
    uint32_t wait_barrier;
    uint32_t wait_phase;
    struct warp_error error;
    struct warp_stats stats;
    uint64_t executed; /* instructions, counted against the budget; also $clock */
    struct warp_kept kept;
    struct profile *profile; /* gets the time of texture instructions; NULL: time is not measured */
    struct kept_results results;
    struct warp_fermi fermi;
    struct warp_native native;
};

enum warp_status { WARP_DONE, WARP_WAITING, WARP_ERROR, WARP_RUNNING /* warp_step only */ };

/* Promises that the warp's next runs are of env, until the next warp_keep(); env may be NULL.
 * The parts of env, and the counts of the warp's inputs and outputs, must not change. Facts that
 * are the same for all these runs are then found once, not for every run. in_fp: the runs are
 * between warp_enter_fp() and warp_leave_fp(). */
void warp_keep(struct warp *w, const struct warp_env *env, bool in_fp);
/* Enters the FP environment of env's programs for this thread. Returns the value for
 * warp_leave_fp(). */
unsigned warp_enter_fp(const struct warp_env *env);
void warp_leave_fp(unsigned saved);
/* Resets control state for a run of env->program with the lanes `launched`. $a, $c and the
 * allocated registers read 0; without an observer, registers that the program writes before it
 * reads them may hold anything. helpers: lanes that run only for derivatives; they are launched,
 * but dead. Does not change inputs, outputs and statistics. Before its first start a warp must be
 * all zero. */
void warp_start(struct warp *w, const struct warp_env *env, lane_mask launched, lane_mask helpers);
/* Runs until the warp ends, waits at a barrier, or fails. Called again, it resumes a waiting warp.
 * Sets and restores the floating-point mode. Afterwards registers, $a, $c and o[] rows are
 * undefined in lanes that were not launched: native code writes there. */
enum warp_status warp_run(struct warp *w, const struct warp_env *env);
/* Empties the hints if they were made for another memory than m, or for another generation of m. m:
 * the memory of the next runs, or NULL. warp_start() calls this. */
void warp_use_memory(struct warp *w, struct gpu_memory *m);
/* warp_start() and warp_run() in one call, with less overhead. */
enum warp_status warp_launch(struct warp *w, const struct warp_env *env, lane_mask launched,
                             lane_mask helpers);
/* Frees the memory that the warp allocated (a grown stack). */
void warp_free(struct warp *w);

/* Executes exactly one instruction, for trace.c, wave.c, stepper.c and tests. */
enum warp_status warp_step(struct warp *w, const struct warp_env *env);
