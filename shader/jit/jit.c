/* The JIT as a service: who gets compiled when, by whom, and how long the code is kept. One thread
 * compiles, in the order of the requests; finished code is shared by all programs of the same
 * content and kept for a while when no program uses it any more. In: warps' environments. Out:
 * native functions. Must not know LLVM.
 *
 * Lives as long as its owner or the last program that has code of it. Two locks: jit.lock guards
 * the data; threads_lock, always taken first, the list of threads that the process must stop before
 * it exits.
 */
#define _GNU_SOURCE
#include "shader/jit/jit.h"

#include "shader/jit/compiler.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

/* HEAT: interpreted instructions, some milliseconds' worth, after which compiling pays; it takes a
 * hundred. KEPT: codes that no program uses. NICE: the sooner it is done, the less is interpreted.
 */
enum { HEAT = 1 << 18, KEPT = 512, BUCKETS = 1024, STACK_SIZE = 8 << 20, NICE = 3 };

/* Of a program's slot; only ever goes up, but for requests that are dropped. */
enum slot_state {
    SLOT_NEW,       /* not yet looked for */
    SLOT_COLD,      /* unknown content: interpreted, counting */
    SLOT_REQUESTED, /* waits for the compiler */
    SLOT_READY,     /* has code */
    SLOT_FAILED,    /* never will */
};

/* Code of one content. The copy of the program lives as long: code may refer to its operations. */
struct jit_code {
    struct jit *jit;
    struct jit_code *next; /* of the same bucket */
    struct program *program;
    uint32_t mode, hash;
    jit_fn *fn; /* NULL: does not compile */
    struct compiled_code *memory;
    uint32_t users; /* programs */
    uint64_t unused_since;
};

struct request {
    struct request *next;
    struct program *program; /* referenced */
    struct jit_slot *slot;
    uint32_t mode;
};

enum compiler_state { COMPILER_UNKNOWN, COMPILER_THERE, COMPILER_MISSING };

struct jit {
    enum simd_level simd;
    bool wait;
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct request *first, **last;
    struct jit_code *bucket[BUCKETS];
    uint32_t unused; /* codes without users */
    uint64_t now;    /* counts codes that fell out of use */
    uint32_t refs;   /* the owner, and one per user of a code */
    bool closed;     /* the owner is gone: what falls out of use is freed */
    struct jit_statistics statistics;
    /* Of the thread; when there is none any more, used under the lock. */
    struct compiler *compiler;
    enum compiler_state compiler_state; /* under the lock; and what follows is set before it */
    char why_missing[256];
    /* the thread */
    bool quit;
    bool started; /* atomic; written under threads_lock */
    pthread_t thread;
    struct jit *next_thread;
};

/* ---- content ---- */

/* What compiled code may depend on beside the words. */
struct content {
    uint32_t type, variant, base, entry, word_count, mode;
    uint32_t reg_count, local_size, shared_size, result_count, fp_control, fp_results;
};

static struct content content_of(const struct program *p, uint32_t mode) {
    const struct program_header *h = &p->header;
    return (struct content){
        p->type,      p->variant,    p->base,        p->entry,        p->word_count, mode,
        h->reg_count, h->local_size, h->shared_size, h->result_count, h->fp_control, h->fp_results};
}

static uint32_t hash_words(uint32_t hash, const void *words, size_t count) {
    const uint32_t *w = words;
    for (size_t i = 0; i < count; i++)
        hash = ((hash << 5 | hash >> 27) ^ w[i]) * 0x9e3779b1u;
    return hash ^ hash >> 15;
}

static uint32_t hash_of(const struct program *p, uint32_t mode) {
    const struct content c = content_of(p, mode);
    return hash_words(hash_words(0, &c, sizeof c / 4), p->words, p->word_count);
}

static bool same_content(const struct jit_code *code, const struct program *p, uint32_t mode) {
    const struct content a = content_of(code->program, code->mode), b = content_of(p, mode);
    return memcmp(&a, &b, sizeof a) == 0 &&
           memcmp(code->program->words, p->words, 4ull * p->word_count) == 0;
}

/* ---- the codes; all under the lock ---- */

static struct jit_code *find_code(const struct jit *jit, const struct program *p, uint32_t mode,
                                  uint32_t hash) {
    for (struct jit_code *c = jit->bucket[hash % BUCKETS]; c; c = c->next)
        if (c->hash == hash && same_content(c, p, mode))
            return c;
    return NULL;
}

static void insert_code(struct jit *jit, struct jit_code *code) {
    struct jit_code **bucket = &jit->bucket[code->hash % BUCKETS];
    code->next = *bucket;
    *bucket = code;
    code->unused_since = ++jit->now;
    jit->unused++;
}

static void remove_code(struct jit *jit, struct jit_code *code) {
    struct jit_code **at = &jit->bucket[code->hash % BUCKETS];
    while (*at != code)
        at = &(*at)->next;
    *at = code->next;
    jit->unused--;
}

static struct jit_code *oldest_unused(const struct jit *jit) {
    struct jit_code *oldest = NULL;
    for (int i = 0; i < BUCKETS; i++)
        for (struct jit_code *c = jit->bucket[i]; c; c = c->next)
            if (!c->users && (!oldest || c->unused_since < oldest->unused_since))
                oldest = c;
    return oldest;
}

/* Nobody can find the code any more. For the thread, or under the lock when there is none. */
static void free_code(struct jit *jit, struct jit_code *code) {
    if (code->memory)
        compiler_free_code(jit->compiler, code->memory);
    program_unref(code->program); /* never ran, so it has no code itself */
    free(code);
}

static void publish(struct jit_slot *slot, enum slot_state state) {
    __atomic_store_n(&slot->state, state, __ATOMIC_RELEASE);
}

/* code NULL: there is none, and never will be. */
static enum slot_state attach(struct jit *jit, struct jit_slot *slot, struct jit_code *code) {
    const bool works = code && code->fn;
    if (works) {
        slot->code = code;
        jit->unused -= code->users++ == 0;
        jit->refs++;
    }
    publish(slot, works ? SLOT_READY : SLOT_FAILED);
    return works ? SLOT_READY : SLOT_FAILED;
}

/* Gives back one reference and the lock. */
static void unref_and_unlock(struct jit *jit) {
    const bool last = --jit->refs == 0;
    pthread_mutex_unlock(&jit->lock);
    if (!last)
        return;
    compiler_destroy(jit->compiler);
    pthread_cond_destroy(&jit->work);
    pthread_cond_destroy(&jit->done);
    pthread_mutex_destroy(&jit->lock);
    free(jit);
}

static void detach(struct jit_code *code) {
    struct jit *jit = code->jit;
    pthread_mutex_lock(&jit->lock);
    if (--code->users == 0) {
        code->unused_since = ++jit->now;
        jit->unused++;
        if (jit->closed) {
            remove_code(jit, code);
            free_code(jit, code);
        } else if (jit->unused > KEPT) {
            pthread_cond_signal(&jit->work);
        }
    }
    unref_and_unlock(jit);
}

void jit_release(struct program *p) {
    for (int i = 0; i < JIT_SLOTS; i++)
        if (p->jit[i].state == SLOT_READY)
            detach(p->jit[i].code);
}

/* ---- the thread ---- */

static uint64_t processor_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct program *copy_program(const struct program *p) {
    return program_from_words(p->type, p->variant, &p->header, p->words, p->word_count, p->base,
                              p->entry, p->name, NULL);
}

/* Without the lock. NULL if out of memory. */
static struct jit_code *compile(struct jit *jit, const struct program *p, uint32_t mode,
                                uint32_t hash, char *error, size_t error_size) {
    struct jit_code *code = calloc(1, sizeof *code);
    struct program *copy = code ? copy_program(p) : NULL;
    if (!copy) {
        snprintf(error, error_size, "out of memory");
        free(code);
        return NULL;
    }
    code->jit = jit;
    code->program = copy;
    code->mode = mode;
    code->hash = hash;
    code->fn = compiler_compile(jit->compiler, copy, mode, &code->memory, error, error_size);
    return code;
}

/* Called and returns with the lock held, but not all the while. */
static struct jit_code *compile_unlocked(struct jit *jit, const struct program *p, uint32_t mode,
                                         uint32_t hash) {
    char error[sizeof jit->statistics.error] = "";
    pthread_mutex_unlock(&jit->lock);
    const uint64_t start = processor_time();
    struct jit_code *code = compile(jit, p, mode, hash, error, sizeof error);
    const uint64_t time = processor_time() - start;
    pthread_mutex_lock(&jit->lock);
    const bool works = code && code->fn;
    jit->statistics.nanoseconds += time;
    jit->statistics.compiled += works;
    jit->statistics.failed += !works;
    if (!works)
        memcpy(jit->statistics.error, error, sizeof error);
    if (code)
        insert_code(jit, code);
    return code;
}

/* Only the queue may still know the program. */
static bool is_abandoned(const struct request *r) {
    return __atomic_load_n(&r->program->refs, __ATOMIC_ACQUIRE) == 1;
}

static void serve(struct jit *jit) {
    struct request *r = jit->first;
    struct jit_code *code = NULL;
    jit->first = r->next;
    if (!jit->first)
        jit->last = &jit->first;
    if (jit->compiler && !is_abandoned(r)) {
        const uint32_t hash = hash_of(r->program, r->mode);
        code = find_code(jit, r->program, r->mode, hash);
        if (!code)
            code = compile_unlocked(jit, r->program, r->mode, hash);
    }
    attach(jit, r->slot, code);
    pthread_cond_broadcast(&jit->done);
    pthread_mutex_unlock(&jit->lock);
    program_unref(r->program);
    free(r);
    pthread_mutex_lock(&jit->lock);
}

static void free_oldest(struct jit *jit) {
    struct jit_code *old = oldest_unused(jit);
    remove_code(jit, old);
    pthread_mutex_unlock(&jit->lock);
    free_code(jit, old);
    pthread_mutex_lock(&jit->lock);
}

static void stop_at_exit(void);

/* LLVM's own destructors run when the process exits: the thread must have stopped before. Handlers
 * run in reverse order, so LLVM's, registered while it is opened, lie between these two. */
static void guard_exit(void) {
    atexit(stop_at_exit);
}

static bool open_library(char *error, size_t error_size) {
    static pthread_once_t before = PTHREAD_ONCE_INIT, after = PTHREAD_ONCE_INIT;
    pthread_once(&before, guard_exit);
    const bool there = compiler_open(error, error_size);
    pthread_once(&after, guard_exit);
    return there;
}

bool jit_open_library(void) {
    char error[256];
    return open_library(error, sizeof error);
}

static void open_compiler(struct jit *jit) {
    if (open_library(jit->why_missing, sizeof jit->why_missing))
        jit->compiler = compiler_create(jit->simd, jit->why_missing, sizeof jit->why_missing);
    pthread_mutex_lock(&jit->lock);
    jit->compiler_state = jit->compiler ? COMPILER_THERE : COMPILER_MISSING;
    pthread_cond_broadcast(&jit->done);
    pthread_mutex_unlock(&jit->lock);
}

static void *thread_main(void *arg) {
    struct jit *jit = arg;
    fesetenv(FE_DFL_ENV); /* not the warp's that asked first */
    if (!jit->wait)
        setpriority(PRIO_PROCESS, 0, NICE); /* of this thread, on Linux */
    open_compiler(jit);
    pthread_mutex_lock(&jit->lock);
    for (;;) {
        while (!jit->first && jit->unused <= KEPT && !jit->quit)
            pthread_cond_wait(&jit->work, &jit->lock);
        if (jit->quit)
            break;
        if (jit->unused > KEPT)
            free_oldest(jit);
        else
            serve(jit);
    }
    pthread_mutex_unlock(&jit->lock);
    return NULL;
}

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static struct jit *threads; /* the jits that have one */

static void before_fork(void) {
    pthread_mutex_lock(&threads_lock);
}

static void after_fork_parent(void) {
    pthread_mutex_unlock(&threads_lock);
}

static void after_fork_child(void) {
    threads = NULL; /* they stayed behind */
    pthread_mutex_unlock(&threads_lock);
}

static void handle_fork(void) {
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* No signal of the application is for this thread. */
static bool create_thread(struct jit *jit) {
    pthread_attr_t attr;
    sigset_t all, saved;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved);
    const bool ok = pthread_create(&jit->thread, &attr, thread_main, jit) == 0;
    pthread_sigmask(SIG_SETMASK, &saved, NULL);
    pthread_attr_destroy(&attr);
    return ok;
}

static bool has_thread(const struct jit *jit) {
    return __atomic_load_n(&jit->started, __ATOMIC_ACQUIRE);
}

/* Not under jit.lock. */
static void start_thread(struct jit *jit) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, handle_fork);
    pthread_mutex_lock(&threads_lock);
    if (!jit->started && !jit->quit && create_thread(jit)) {
        jit->next_thread = threads;
        threads = jit;
        __atomic_store_n(&jit->started, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&threads_lock);
}

/* Under threads_lock. */
static void stop_thread(struct jit *jit) {
    struct jit **at = &threads;
    while (*at && *at != jit)
        at = &(*at)->next_thread;
    pthread_mutex_lock(&jit->lock);
    jit->quit = true;
    pthread_cond_broadcast(&jit->work);
    pthread_cond_broadcast(&jit->done);
    pthread_mutex_unlock(&jit->lock);
    if (!*at)
        return;
    *at = jit->next_thread;
    pthread_join(jit->thread, NULL);
}

static void stop_at_exit(void) {
    pthread_mutex_lock(&threads_lock);
    while (threads)
        stop_thread(threads);
    pthread_mutex_unlock(&threads_lock);
}

/* ---- requests ---- */

/* Under the lock. */
static enum slot_state request(struct jit *jit, const struct program *p, struct jit_slot *slot,
                               uint32_t mode) {
    if (jit->compiler_state == COMPILER_MISSING || !has_thread(jit))
        return attach(jit, slot, NULL);
    struct request *r = jit->quit ? NULL : malloc(sizeof *r);
    if (!r)
        return SLOT_COLD;
    *r = (struct request){NULL, program_ref((struct program *)p), slot, mode};
    *jit->last = r;
    jit->last = &r->next;
    publish(slot, SLOT_REQUESTED);
    pthread_cond_signal(&jit->work);
    return SLOT_REQUESTED;
}

static enum slot_state state_of(const struct jit_slot *slot) {
    return (enum slot_state)__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);
}

/* The program's slot for env, or NULL: all taken by others. */
static struct jit_slot *slot_for(const struct warp_env *env) {
    const uint64_t key = (uint64_t)(env->simd + 1) << 32 | env->mode;
    struct jit_slot *slot = (struct jit_slot *)env->program->jit;
    for (int i = 0; i < JIT_SLOTS; i++, slot++) {
        uint64_t taken = __atomic_load_n(&slot->key, __ATOMIC_RELAXED);
        if (taken == key ||
            (!taken && __atomic_compare_exchange_n(&slot->key, &taken, key, false, __ATOMIC_RELAXED,
                                                   __ATOMIC_RELAXED)) ||
            taken == key)
            return slot;
    }
    return NULL;
}

/* The first run of a program: code of its content may be there. */
static enum slot_state meet(const struct warp_env *env, struct jit_slot *slot) {
    struct jit *jit = env->jit;
    const struct program *p = env->program;
    const uint32_t hash = hash_of(p, env->mode);
    if (jit->wait && !has_thread(jit))
        start_thread(jit);
    pthread_mutex_lock(&jit->lock);
    enum slot_state state = state_of(slot);
    if (state == SLOT_NEW) {
        struct jit_code *code = find_code(jit, p, env->mode, hash);
        if (code) {
            state = attach(jit, slot, code);
        } else {
            state = SLOT_COLD;
            publish(slot, state);
        }
    }
    if (jit->wait && state == SLOT_COLD)
        state = request(jit, p, slot, env->mode);
    while (jit->wait && state == SLOT_REQUESTED && !jit->quit) {
        pthread_cond_wait(&jit->done, &jit->lock);
        state = state_of(slot);
    }
    pthread_mutex_unlock(&jit->lock);
    return state;
}

jit_fn *jit_find(const struct warp_env *env) {
    struct jit_slot *slot = env->simd == env->jit->simd ? slot_for(env) : NULL;
    if (!slot)
        return NULL;
    enum slot_state state = state_of(slot);
    if (state == SLOT_NEW || (env->jit->wait && state < SLOT_READY))
        state = meet(env, slot);
    return state == SLOT_READY ? slot->code->fn : NULL;
}

void jit_heat(const struct warp_env *env, uint64_t instructions) {
    struct jit *jit = env->jit;
    struct jit_slot *slot = env->simd == jit->simd ? slot_for(env) : NULL;
    if (!slot || state_of(slot) != SLOT_COLD)
        return;
    const uint32_t more = instructions < HEAT ? (uint32_t)instructions : HEAT;
    if (__atomic_add_fetch(&slot->heat, more, __ATOMIC_RELAXED) < HEAT)
        return;
    __atomic_store_n(&slot->heat, 0, __ATOMIC_RELAXED);
    if (!has_thread(jit))
        start_thread(jit);
    pthread_mutex_lock(&jit->lock);
    if (state_of(slot) == SLOT_COLD)
        request(jit, env->program, slot, env->mode);
    pthread_mutex_unlock(&jit->lock);
}

/* ---- life ---- */

struct jit *jit_create(enum simd_level simd, bool wait) {
    struct jit *jit = calloc(1, sizeof *jit);
    if (!jit)
        return NULL;
    jit->simd = simd;
    jit->wait = wait;
    jit->refs = 1;
    jit->last = &jit->first;
    pthread_mutex_init(&jit->lock, NULL);
    pthread_cond_init(&jit->work, NULL);
    pthread_cond_init(&jit->done, NULL);
    return jit;
}

/* The requests that were not served, taken out of the queue. */
static struct request *drop_requests(struct jit *jit) {
    struct request *dropped = jit->first;
    jit->first = NULL;
    jit->last = &jit->first;
    for (struct request *r = dropped; r; r = r->next)
        publish(r->slot, SLOT_NEW);
    return dropped;
}

void jit_destroy(struct jit *jit) {
    if (!jit)
        return;
    pthread_mutex_lock(&threads_lock);
    stop_thread(jit);
    pthread_mutex_unlock(&threads_lock);
    pthread_mutex_lock(&jit->lock);
    jit->closed = true;
    for (struct jit_code *c; jit->unused && (c = oldest_unused(jit));) {
        remove_code(jit, c);
        free_code(jit, c);
    }
    struct request *r = drop_requests(jit);
    pthread_mutex_unlock(&jit->lock);
    while (r) { /* programs take the lock */
        struct request *next = r->next;
        program_unref(r->program);
        free(r);
        r = next;
    }
    pthread_mutex_lock(&jit->lock);
    unref_and_unlock(jit);
}

bool jit_usable(struct jit *jit, char *error, size_t error_size) {
    start_thread(jit);
    pthread_mutex_lock(&jit->lock);
    while (jit->compiler_state == COMPILER_UNKNOWN && has_thread(jit) && !jit->quit)
        pthread_cond_wait(&jit->done, &jit->lock);
    const bool usable = jit->compiler_state == COMPILER_THERE;
    if (error)
        snprintf(error, error_size, "%s",
                 jit->compiler_state == COMPILER_UNKNOWN ? "no thread for the compiler"
                                                         : jit->why_missing);
    pthread_mutex_unlock(&jit->lock);
    return usable;
}

void jit_get_statistics(struct jit *jit, struct jit_statistics *s) {
    pthread_mutex_lock(&jit->lock);
    *s = jit->statistics;
    pthread_mutex_unlock(&jit->lock);
}
