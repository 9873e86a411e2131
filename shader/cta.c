/* Runs a CTA of a compute launch: start state of its warps, the s[] header, and turns between the
 * warps. A turn ends when the warp ends, waits at a barrier or has executed TURN_MOST instructions.
 * In: environment and launch. Out: g[] contents, statistics or an error. Must not know threads of
 * the host. Facts: tesla-isa.md §2.4, §6.10.
 */
#include "shader/cta.h"
#include "base/clock.h"
#include "shader/local.h"
#include "shader/stack.h"

/* The most instructions of a turn. A warp may wait in a loop for another warp to write s[]; the
 * limit lets the other warp run. */
enum { TURN_MOST = 1 << 16 };

enum { C0_BYTES = 0x140 + 4 * CTA_PARAMS, C1_BYTES = 0x104 };

struct cta {
    const struct warp_env *env;
    struct warp_env own; /* Fermi, generic64: a copy of env, with c0 and c1 of the launch */
    uint8_t c0[C0_BYTES], c1[C1_BYTES];
    const struct cta_launch *launch;
    uint32_t threads, warps;
    struct warp *warp;   /* [warps] */
    uint8_t *shared;     /* s[] */
    uint32_t phys_id;    /* of the multiprocessor that runs the current CTA */
    int16_t *lock_owner; /* per word of s[] */
    u32x32 *local;       /* l[] rows of all warps, local_rows a warp */
    uint32_t local_rows;
    struct cta_shared state;
    bool ended[CTA_WARPS];
    /* the thread's CPU time, in seconds, at which time is up; 0: no warp has spent its budget */
    time_t overtime;
};

static uint32_t round_up(uint32_t v, uint32_t unit) {
    return (v + unit - 1) / unit * unit;
}

static bool is_tesla(const struct warp_env *env) {
    return isa_set_of(env->program->variant) == SET_TESLA;
}

static uint32_t shared_bytes(const struct warp_env *env, const struct cta_launch *l) {
    const uint32_t inputs = CTA_PARAMS_AT + 4 * l->param_count;
    const uint32_t asked = env->program->header.shared_size;
    if (!is_tesla(env))
        return round_up(asked ? asked : 1, 0x40);
    return round_up(asked > inputs ? asked : inputs, 0x40);
}

static const char *check_fermi_launch(const struct warp_env *env, const struct cta_launch *l,
                                      uint64_t threads) {
    if (threads == 0 || threads > FERMI_CTA_THREADS || l->threads[2] > 64)
        return "a CTA has 1 to 1024 threads, z at most 64";
    if (l->grid[0] == 0 || l->grid[1] == 0)
        return "a grid has at least one CTA in each direction";
    if (l->param_count > CTA_PARAMS)
        return "at most 64 parameter words";
    if (env->program->header.shared_size > FERMI_CTA_SHARED)
        return "s[] is at most 48 KiB";
    return NULL;
}

static const char *check_launch(const struct warp_env *env, const struct cta_launch *l) {
    const uint64_t threads = (uint64_t)l->threads[0] * l->threads[1] * l->threads[2];
    if (env->program->type != PROGRAM_CP)
        return "not a compute program";
    if (!is_tesla(env))
        return check_fermi_launch(env, l, threads);
    if (threads == 0 || threads > CTA_THREADS || l->threads[2] > 64)
        return "a CTA has 1 to 512 threads, z at most 64";
    if (l->grid[0] == 0 || l->grid[1] == 0)
        return "a grid has at least one CTA in x and y";
    if (l->param_count > CTA_PARAMS)
        return "at most 64 parameter words";
    if (env->program->header.shared_size > CTA_SHARED || shared_bytes(env, l) > CTA_SHARED)
        return "s[] is at most 16 KiB";
    if (env->program->header.local_size > 0x10000)
        return "l[] is at most 64 KiB";
    return NULL;
}

static void *zeroed_rows(size_t bytes) {
    const size_t size = (bytes + 127) / 128 * 128;
    void *p = aligned_alloc(128, size ? size : 128);
    if (p)
        memset(p, 0, size);
    return p;
}

/* Fills c0 and c1 for Fermi and generic64 as CUDA's programs expect them (fermi-isa.md §9): sizes,
 * parameters, the end of the stack. A space that the caller has bound is not replaced. */
static void fill_constants(struct cta *b, const struct warp_env *env) {
    const struct cta_launch *l = b->launch;
    const uint32_t sizes[6] = {l->threads[0], l->threads[1], l->threads[2],
                               l->grid[0],    l->grid[1],    l->grid[2] ? l->grid[2] : 1};
    const uint32_t size = 4 * l->param_count;
    memcpy(b->c0 + 0x8, sizes, 12);
    memcpy(b->c0 + 0x14, sizes + 3, 12);
    if (size)
        memcpy(b->c0 + 0x20, l->params, size);
    /* where GK104's programs expect the parameters */
    if (size && env->program->variant == ISA_GK104)
        memcpy(b->c0 + 0x140, l->params, size);
    memcpy(b->c1 + 0x100, &env->program->header.local_size, 4);
    b->own = *env;
    b->env = &b->own;
    if (!b->own.c[0].size)
        b->own.c[0] = (struct const_view){b->c0, C0_BYTES};
    if (!b->own.c[1].size)
        b->own.c[1] = (struct const_view){b->c1, C1_BYTES};
}

struct cta *cta_create(const struct warp_env *env, const struct cta_launch *launch,
                       const char **why) {
    *why = check_launch(env, launch);
    if (*why)
        return NULL;
    *why = "out of memory";
    struct cta *b = zeroed_rows(sizeof *b);
    if (!b)
        return NULL;
    b->env = env;
    b->launch = launch;
    if (!is_tesla(env))
        fill_constants(b, env);
    b->threads = (uint32_t)launch->threads[0] * launch->threads[1] * launch->threads[2];
    b->warps = (b->threads + LANES - 1) / LANES;
    b->local_rows = (env->program->header.local_size + 3) / 4;
    b->state.s_size = shared_bytes(env, launch);
    b->warp = zeroed_rows(b->warps * sizeof *b->warp);
    b->shared = zeroed_rows(b->state.s_size);
    b->lock_owner = zeroed_rows(b->state.s_size / 4 * sizeof *b->lock_owner);
    b->local = local_alloc((size_t)b->warps * b->local_rows);
    if (!b->warp || !b->shared || !b->lock_owner || !b->local) {
        cta_destroy(b);
        return NULL;
    }
    return b;
}

void cta_destroy(struct cta *b) {
    if (!b)
        return;
    for (uint32_t i = 0; b->warp && i < b->warps; i++)
        warp_free(&b->warp[i]);
    free(b->warp);
    free(b->shared);
    free(b->lock_owner);
    local_free(b->local, (size_t)b->warps * b->local_rows);
    free(b);
}

/* Clears s[]. On Tesla, also writes the 16-bit words at its start and the user's parameters. */
static void write_shared(struct cta *b, uint16_t x, uint16_t y) {
    const struct cta_launch *l = b->launch;
    const uint16_t header[8] = {
        l->grid_id, l->threads[0], l->threads[1], l->threads[2], l->grid[0], l->grid[1], x, y};
    memset(b->shared, 0, b->state.s_size);
    b->state.s_given = is_tesla(b->env) ? CTA_PARAMS_AT + 4 * l->param_count : 0;
    if (!is_tesla(b->env))
        return;
    memcpy(b->shared, header, sizeof header);
    if (l->param_count)
        memcpy(b->shared + CTA_PARAMS_AT, l->params, 4 * l->param_count);
}

/* $r0 = thread id: x in bits 0-15, y in bits 16-25, z in bits 26-31. */
static u32x32 thread_ids(const struct cta *b, uint32_t first) {
    const uint32_t nx = b->launch->threads[0], ny = b->launch->threads[1];
    u32x32 id = lanes_splat(0);
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t t = first + i;
        id[i] = t % nx | t / nx % ny << 16 | t / nx / ny << 26;
    }
    return id;
}

/* Consecutive CTAs go to consecutive multiprocessors, then to the next TPC. The hardware's order is
 * not specified. */
static uint32_t physical_place(const struct cta_launch *l, uint16_t x, uint16_t y) {
    const uint32_t index = (uint32_t)y * l->grid[0] + x;
    const uint32_t mps = l->mps ? l->mps : 1, tpcs = l->tpcs ? l->tpcs : 1;
    return index % mps << 16 | index / mps % tpcs << 20;
}

static void start_warp(struct cta *b, uint32_t i) {
    struct warp *w = &b->warp[i];
    const uint32_t left = b->threads - i * LANES;
    w->stats = (struct warp_stats){0};
    w->cta = &b->state;
    w->warp_id = i;
    w->phys_id = b->phys_id;
    w->local = b->local + (size_t)i * b->local_rows;
    w->local_size = b->env->program->header.local_size;
    local_clear(w, b->local_rows);
    warp_start(w, b->env, left >= LANES ? LANES_ALL : (1u << left) - 1, 0);
    if (is_tesla(b->env))
        w->r[0] = thread_ids(b, i * LANES);
}

static void start_cta(struct cta *b, uint16_t x, uint16_t y, uint16_t z) {
    struct cta_shared *s = &b->state;
    const uint16_t at[3] = {x, y, z};
    for (int i = 0; i < 3; i++) {
        s->at[i] = at[i];
        s->size[i] = b->launch->threads[i];
        s->grid[i] = b->launch->grid[i] ? b->launch->grid[i] : 1;
    }
    s->grid_id = b->launch->grid_id;
    write_shared(b, x, y);
    b->phys_id = physical_place(b->launch, x, y);
    memset(s->arrived, 0, sizeof s->arrived);
    memset(s->expected, 0, sizeof s->expected);
    memset(s->phase, 0, sizeof s->phase);
    memset(b->lock_owner, 0xff, s->s_size / 4 * sizeof *b->lock_owner);
    memset(b->ended, 0, sizeof b->ended);
    b->overtime = 0;
    s->s = b->shared;
    s->lock_owner = b->lock_owner;
    s->warp_count = b->warps;
    for (uint32_t i = 0; i < b->warps; i++)
        start_warp(b, i);
    if (b->env->observer && b->env->observer->cta)
        b->env->observer->cta(b->env->observer->self, b->warp, b->warps, b->env);
}

void cta_warp_ended(struct cta_shared *s) {
    s->warp_count--;
    for (int n = 0; n < WARP_BARRIERS; n++) {
        if (s->arrived[n] && !s->expected[n] && s->arrived[n] >= s->warp_count) {
            s->arrived[n] = 0;
            s->reduced[n][s->phase[n]++ & 1] = s->reducing[n];
        }
    }
}

/* True if the CTA's warps have spent WARP_SECONDS since the first of them spent its budget. */
static bool time_is_up(struct cta *b) {
    const time_t now = (time_t)(clock_ns(CLOCK_THREAD_CPUTIME_ID) / 1000000000);
    b->overtime = b->overtime ? b->overtime : now + WARP_SECONDS;
    return now > b->overtime;
}

/* Gives warp i one turn. WARP_RUNNING: the turn is over, and the warp has not ended. */
static enum warp_status run_turn(struct cta *b, uint32_t i) {
    struct warp *w = &b->warp[i];
    struct warp_env env = *b->env;
    const uint64_t budget = flow_budget(&env), turn = w->executed + TURN_MOST;
    const bool timed = env.overtime && turn > budget;
    env.budget = turn < budget || timed ? turn : budget;
    env.overtime = NULL;
    const enum warp_status status = warp_run(w, &env);
    if (status != WARP_ERROR || w->error.code != MP_TIMEOUT ||
        (timed ? time_is_up(b) : w->executed >= budget))
        return status;
    w->error = (struct warp_error){0};
    return WARP_RUNNING;
}

static int fail(const struct cta *b, uint32_t i, bool stopped, struct cta_error *error) {
    struct warp *w = &b->warp[i];
    if (stopped)
        w->error = (struct warp_error){MP_TIMEOUT, DECODE_OK, w->pc, w->active, i};
    error->warp = w->error;
    error->warp_id = i;
    error->stopped = stopped;
    return -1;
}

/* fail() for a warp that has no more time, or waits at a barrier for ever: the observer sees the
 * end of the warp, too. */
static int time_out(const struct cta *b, uint32_t i, bool stopped, struct cta_error *error) {
    const struct warp_observer *o = b->env->observer;
    const int result = fail(b, i, stopped, error);
    if (o && o->end)
        o->end(o->self, &b->warp[i], b->env);
    return result;
}

/* Gives each remaining warp one turn. 0, or -1 with *error filled. */
static int take_turns(struct cta *b, struct cta_error *error) {
    bool progress = false;
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < b->warps; i++) {
        if (b->ended[i])
            continue;
        const uint64_t before = b->warp[i].executed;
        const enum warp_status status = run_turn(b, i);
        if (status == WARP_ERROR)
            return b->warp[i].error.code == MP_TIMEOUT ? time_out(b, i, false, error)
                                                       : fail(b, i, false, error);
        if (status == WARP_DONE) {
            b->ended[i] = true;
            cta_warp_ended(&b->state);
        } else {
            waiting = i;
        }
        progress |= status != WARP_WAITING || b->warp[i].executed != before;
    }
    return progress ? 0 : time_out(b, waiting, true, error);
}

static bool cancelled(const struct cta *b) {
    return b->launch->cancelled && __atomic_load_n(b->launch->cancelled, __ATOMIC_RELAXED);
}

int cta_run(struct cta *b, uint16_t x, uint16_t y, uint16_t z, struct warp_stats *stats,
            struct cta_error *error) {
    int result = 0;
    start_cta(b, x, y, z);
    while (b->state.warp_count > 0 && result == 0)
        result = cancelled(b) ? fail(b, 0, true, error) : take_turns(b, error);
    for (uint32_t i = 0; i < b->warps; i++)
        warp_stats_add(stats, &b->warp[i].stats);
    if (result) {
        error->at[0] = x;
        error->at[1] = y;
        error->at[2] = z;
    }
    return result;
}
