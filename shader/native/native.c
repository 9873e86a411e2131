/* Native code as a service: see native.h. Code belongs to its program, one code for each setting of
 * the mode bits. A lock is taken only where code is missing. Executable memory belongs to the
 * service. Both are freed when the owner has destroyed the service and the last code is freed.
 */
#define _GNU_SOURCE
#include "shader/native/native.h"

#include "base/timeline.h"
#include "shader/native/code_arena.h"
#include "shader/native/summary.h"
#include "shader/stack.h"

#include <errno.h>
#include <pthread.h>

/* A run of bold code does not count if one of these sticky flags of the host is set: invalid
 * operation, overflow, underflow. */
enum { FP_RARE = 0x19 };

struct native {
    enum simd_level simd;
    const struct stencil_set *set;
    bool bytes; /* the CPU can run the stencils of BYTES_LIST */
    bool bold;  /* bold code may be used */
    pthread_mutex_t lock;
    struct code_arena arena;
    struct lowering *memory; /* the compiler's memory */
    uint32_t refs;           /* the owner, and one for each code */
    struct native_statistics statistics;
};

enum warp_status native_enter(struct warp *w, const struct warp_env *env, const void *code,
                              lane_mask active);

static const struct stencil_set *const sets[SIMD_LEVELS] = SIMD_TABLE(&stencils);

/* TESLAPIPE_NATIVE_BYTES=0 switches the stencils of BYTES_LIST off, for tests. */
static bool has_bytes(void) {
    const char *wanted = getenv("TESLAPIPE_NATIVE_BYTES");
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni") &&
           !(wanted && wanted[0] == '0');
}

/* Bold code exists only at AVX2. TESLAPIPE_NATIVE_BOLD=0 switches bold code off, for tests. */
static bool has_bold(const struct stencil_set *set) {
    const char *wanted = getenv("TESLAPIPE_NATIVE_BOLD");
    return set->stencil[ST_fmad_bold].hot && !(wanted && wanted[0] == '0');
}

bool native_usable(void) {
    return true;
}

/* Makes code that is never run, so that the compiler and its memory are in the CPU's caches for the
 * first program. */
static void rehearse(struct native *n) {
    static const uint32_t words[] = {0xc0010000, 0x10008004, 0xb0000001,
                                     0x03f80003}; /* mul, mov, add */
    const struct program_header header = {.reg_count = 4};
    struct program_error error;
    struct program *p = program_from_words(PROGRAM_CP, ISA_G200, &header, words,
                                           sizeof words / sizeof *words, 0, 0, "rehearsal", &error);
    struct native_code code = {.owner = n, .program = p};
    struct native_build build = {0};
    if (p)
        native_compile(n->memory, &code, n->set, n->simd, n->bytes, &build);
    free(code.entry);
    program_unref(p);
}

struct native *native_create(enum simd_level simd) {
    struct native *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    n->simd = simd;
    n->set = sets[simd];
    n->bytes = simd == SIMD_AVX512 && has_bytes();
    n->bold = has_bold(n->set);
    n->refs = 1;
    n->memory = native_memory_new();
    if (!n->memory || !code_arena_open(&n->arena, n->set->pool, n->set->pool_size)) {
        const int error = errno;
        native_memory_delete(n->memory);
        free(n);
        errno = error;
        return NULL;
    }
    rehearse(n);
    pthread_mutex_init(&n->lock, NULL);
    return n;
}

/* Drops one reference and unlocks; frees the service if the reference was the last. */
static void unref_and_unlock(struct native *n) {
    const bool last = --n->refs == 0;
    pthread_mutex_unlock(&n->lock);
    if (!last)
        return;
    code_arena_close(&n->arena);
    native_memory_delete(n->memory);
    pthread_mutex_destroy(&n->lock);
    free(n);
}

void native_destroy(struct native *n) {
    if (!n)
        return;
    pthread_mutex_lock(&n->lock);
    unref_and_unlock(n);
}

void native_get_statistics(struct native *n, struct native_statistics *s) {
    pthread_mutex_lock(&n->lock);
    *s = n->statistics;
    pthread_mutex_unlock(&n->lock);
}

/* ---- making code ---- */

/* Copies the code to executable memory. */
static bool place(struct native *n, struct native_code *code, const struct native_build *build) {
    code->size = build->size;
    code->memory = code_arena_take(&n->arena, code->size);
    if (!code->memory)
        return false;
    uint8_t *const bytes =
        memcpy(code_arena_writable(&n->arena, code->memory), build->bytes, build->size);
    for (uint32_t i = 0; i < build->pools; i++) {
        const uint32_t at = build->pool[i].at;
        const uint32_t distance =
            (uint32_t)(n->arena.base - (code->memory + at) + build->pool[i].to);
        memcpy(bytes + at, &distance, sizeof distance);
    }
    return true;
}

static void free_code(struct native *n, struct native_code *code) {
    if (code->memory) {
        report_freed(code);
        code_arena_give(&n->arena, code->memory, code->size);
    }
    free(code->entry);
    free(code);
}

static void note_time(struct native_statistics *s, uint64_t nanoseconds, uint64_t instructions) {
    s->nanoseconds += nanoseconds;
    if (instructions && nanoseconds * (s->worst_instructions ? s->worst_instructions : 1) >
                            s->worst_nanoseconds * instructions) {
        s->worst_nanoseconds = nanoseconds;
        s->worst_instructions = instructions;
    }
}

/* Makes the code of a program. Called under the lock. NULL: out of memory, or in a forked
 * process. */
static struct native_code *make(struct native *n, const struct program *p, uint32_t mode) {
    if (!code_arena_is_ours(&n->arena))
        return NULL;
    const uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID), began = timeline_begin();
    struct native_build build = {0};
    struct native_code *code = calloc(1, sizeof *code);
    if (!code)
        return NULL;
    code->owner = n;
    code->program = p;
    code->mode = mode;
    const bool fine = native_compile(n->memory, code, n->set, n->simd, n->bytes, &build) &&
                      place(n, code, &build);
    if (!fine) {
        free_code(n, code);
        return NULL;
    }
    if (!(mode & MODE_BOLD)) { /* bold: the program has been counted already */
        n->statistics.programs++;
        n->statistics.instructions += build.instructions;
        n->statistics.called += build.called;
        for (int i = 0; i < OPCODES; i++)
            n->statistics.calls[i] += build.calls[i];
    }
    n->statistics.bytes += code->size;
    note_time(&n->statistics, clock_ns(CLOCK_THREAD_CPUTIME_ID) - start, build.instructions);
    timeline_end(TIMELINE_COMPILE, began, build.instructions, code->size, p->name);
    n->refs++;
    report_made(code, &build);
    return code;
}

static struct native_code *search(const struct native_code *first, const struct native *n,
                                  uint32_t mode) {
    const struct native_code *c = first;
    while (c && (c->mode != mode || c->owner != n))
        c = c->next;
    return (struct native_code *)c;
}

static const struct native_code *search_or_make(struct native *n, const struct program *program,
                                                uint32_t mode) {
    /* a program's code is a cache: adding to it does not change the program */
    struct program *p = (struct program *)program;
    pthread_mutex_lock(&n->lock);
    struct native_code *first = __atomic_load_n(&p->native, __ATOMIC_ACQUIRE);
    struct native_code *code = search(first, n, mode);
    if (!code && (code = make(n, p, mode))) {
        /* the service of another SIMD level may add code at the same time */
        code->next = first;
        while (!__atomic_compare_exchange_n(&p->native, &code->next, code, false, __ATOMIC_RELEASE,
                                            __ATOMIC_ACQUIRE)) {
        }
    }
    pthread_mutex_unlock(&n->lock);
    return code;
}

/* True if views, inputs and outputs are large enough for the program's fixed offsets. */
static bool holds(const struct native_need *need, const struct warp *w,
                  const struct warp_env *env) {
    for (uint32_t rest = need->spaces; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        if (env->c[i].size < need->constant[i])
            return false;
    }
    return (!need->attr || w->attr_count >= need->attr) &&
           (!need->out || w->out_count >= need->out) &&
           (!need->shared || (w->cta && w->cta->s_size >= need->shared));
}

const struct native_code *native_find(const struct warp *w, const struct warp_env *env) {
    const struct native_code *first = __atomic_load_n(&env->program->native, __ATOMIC_ACQUIRE);
    const struct native_code *code = search(first, env->native, env->mode);
    if (!code)
        code = search_or_make(env->native, env->program, env->mode);
    return code && holds(&code->need, w, env) ? code : NULL;
}

bool native_prepare(const struct native_code *code, struct warp *w, const struct warp_env *env) {
    SIMD_CHOICE(evaluate, exec_varyings);
    const struct native_need *need = &code->need;
    if (!need->varyings)
        return true;
    return evaluate[env->simd](w, need->varying, need->varyings);
}

/* Native code is not entered between quadon and quadpop, where the interpreter's rules apply. */
NATIVE_CALLER enum warp_status native_run(const struct native_code *code, struct warp *w,
                                          const struct warp_env *env) {
    const uint32_t word = program_word(code->program, w->pc);
    const int version = w->active == w->launched ? CODE_FULL : CODE_DIVERGENT;
    if (word >= code->words || w->pc % 4 || code->entry[word][version] == NOWHERE ||
        (w->stack_top && flow_top(w)->type == STACK_QUADON))
        return WARP_RUNNING;
    const uint64_t budget = flow_budget(env), left = budget - w->executed;
    w->native.left = budget < w->executed ? 0 : left > INT64_MAX ? INT64_MAX : (int64_t)left;
    const int64_t at_first = w->native.counted_at = w->native.left;
    const enum warp_status status =
        native_enter(w, env, code->memory + code->entry[word][version], w->active);
    flow_bring_up_to_date(w, w->active);
    w->executed += (uint64_t)(at_first - w->native.left);
    return status;
}

/* ---- bold code ---- */

/* A thread's record of a program's bold code. Another program with the same entry overwrites it.
 * Rare values come in clusters: a tiny highlight covers neighbouring warps. So a run that has to be
 * repeated is followed by a rest, and rests grow while such runs follow each other. */
struct bold_use {
    const struct native_code *code;
    uint32_t rest;    /* runs without bold code that are left */
    uint32_t at_next; /* rest after the next run that has to be repeated */
    uint32_t right;   /* runs since the last repeated run or change of at_next */
};
enum { BOLD_USES = 32, SHORTEST_REST = 4, LONGEST_REST = 256 };
/* The first warps run other code: for a program of few warps, bold code would not pay. */
enum { WARPS_BEFORE_BOLD = 8 };

static struct bold_use *use_of(const struct native_code *code) {
    static _Thread_local struct bold_use uses[BOLD_USES];
    struct bold_use *u = &uses[((uintptr_t)code >> 6) % BOLD_USES];
    if (u->code != code)
        *u = (struct bold_use){.code = code, .rest = WARPS_BEFORE_BOLD, .at_next = SHORTEST_REST};
    return u;
}

/* True if bold code may pay and a warp can run a second time: the second run has to overwrite all
 * effects of the first. A vertex program does so if each run writes the same rows of o[], so it
 * must have no branches. */
static bool may_be_bold(const struct native_code *code) {
    const struct program *p = code->program;
    const bool again = p->type == PROGRAM_FP || (p->type == PROGRAM_VP && code->straight);
    return code->tests && again && !p->header.local_size && isa_set_of(p->variant) == SET_TESLA &&
           !(code->mode & MODE_MUL_ZERO_WINS) && code->owner->bold;
}

const struct native_code *native_bold(const struct native_code *code) {
    if (!may_be_bold(code))
        return NULL;
    struct bold_use *u = use_of(code);
    if (u->rest) {
        u->rest--;
        return NULL;
    }
    const uint32_t mode = code->mode | MODE_BOLD;
    const struct native_code *first = __atomic_load_n(&code->program->native, __ATOMIC_ACQUIRE);
    const struct native_code *bold = search(first, code->owner, mode);
    if (!bold)
        bold = search_or_make(code->owner, code->program, mode);
    if (fp_mode() & FP_RARE)
        fp_set_mode(fp_mode() & ~(unsigned)FP_STICKY);
    return bold;
}

bool native_was_right(const struct native_code *code) {
    struct bold_use *u = use_of(code);
    if (fp_mode() & FP_RARE) {
        u->right = 0;
        u->rest = u->at_next;
        u->at_next = u->at_next < LONGEST_REST ? 2 * u->at_next : LONGEST_REST;
        return false;
    }
    if (++u->right >= u->at_next && u->at_next > SHORTEST_REST) {
        u->right = 0;
        u->at_next /= 2;
    }
    return true;
}

void native_release(struct program *p) {
    struct native_code *next;
    for (struct native_code *code = p->native; code; code = next) {
        struct native *n = code->owner;
        next = code->next;
        pthread_mutex_lock(&n->lock);
        free_code(n, code);
        unref_and_unlock(n);
    }
    p->native = NULL;
}
