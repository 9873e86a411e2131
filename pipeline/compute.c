/* Compute grids: the CTAs of the bound program, spread over the scene's threads. A grid is not
 * queued in the scene: queued draws are drawn before it. In: sizes of grid and CTA, parameters.
 * Out: memory written by the program, a trap if a CTA failed. Must not know draws.
 */
#include "pipeline/context_private.h"

#include "base/timeline.h"
#include "shader/cta.h"

#include <stdlib.h>

static const char no_memory[] = "out of memory"; /* cta_create() gives the same text */
enum { GRID_MAX = 65535, SHARES_PER_THREAD = 8 };

struct grid_worker {
    struct cta *cta;
    struct warp_stats stats;
    struct trap trap;
};

/* A grid that runs. A thread takes several CTAs at a time, so that taking them costs little. */
struct grid {
    const struct cta_launch *launch;
    struct grid_worker *worker;
    uint32_t total, per_share;
    const char *program;
    uint64_t failed; /* atomic: lowest CTA that failed; CTAs above it are not started */
};

/* Notes that CTA i failed. CTAs below a failed one still run: the lowest failure is reported, so
 * the report does not depend on the threads. */
static void lower_failed(struct grid *g, uint64_t i) {
    uint64_t old = __atomic_load_n(&g->failed, __ATOMIC_RELAXED);
    while (i < old && !__atomic_compare_exchange_n(&g->failed, &old, i, true, __ATOMIC_RELAXED,
                                                   __ATOMIC_RELAXED)) {
    }
}

static void run_share(void *self, uint32_t index, int number) {
    struct grid *g = self;
    struct grid_worker *w = &g->worker[number];
    const uint64_t first = (uint64_t)index * g->per_share;
    for (uint64_t i = first; i < first + g->per_share && i < g->total; i++) {
        struct cta_error error = {0};
        if (i > __atomic_load_n(&g->failed, __ATOMIC_RELAXED) ||
            __atomic_load_n(g->launch->cancelled, __ATOMIC_RELAXED))
            return;
        const uint64_t nx = g->launch->grid[0], ny = g->launch->grid[1];
        if (cta_run(w->cta, (uint16_t)(i % nx), (uint16_t)(i / nx % ny), (uint16_t)(i / nx / ny),
                    &w->stats, &error) == 0)
            continue;
        trap_record(&w->trap, i, PROGRAM_CP, g->program, &error.warp);
        lower_failed(g, i);
    }
}

static void run_shares(tp_context *c, struct grid *g, int threads) {
    const uint32_t shares = (uint32_t)(threads * SHARES_PER_THREAD);
    g->per_share = (g->total + shares - 1) / shares;
    const uint32_t count = (g->total + g->per_share - 1) / g->per_share;
    scene_share(c->p->scene, STAGE_COMPUTE, count, run_share, g);
}

static void collect_worker(tp_context *c, const struct grid_worker *w, struct trap *lowest) {
    struct counters *p = &c->p->counters;
    p->compute.instructions += w->stats.instructions;
    p->compute.lane_instructions += w->stats.lane_instructions;
    p->compute.bad_reads += w->stats.bad_reads;
    p->compute.bad_writes += w->stats.bad_writes;
    if (w->trap.set)
        trap_record(lowest, w->trap.order, PROGRAM_CP, w->trap.program, &w->trap.error);
}

/* Makes the locks of g[] if the program takes a lock; all warps of the grid share them. False when
 * out of memory. */
static bool make_locks(struct warp_env *env) {
    const struct program *p = env->program;
    bool wanted = false;
    for (uint32_t i = 0; i < p->word_count; i++)
        wanted |= p->ops[i].code == OP_LD_LOCK && p->ops[i].src[0].file == FILE_GLOBAL;
    env->locks = wanted ? calloc(WARP_LOCKS, sizeof *env->locks) : NULL;
    return !wanted || env->locks;
}

static enum tp_result run_grid(tp_context *c, const struct warp_env *env,
                               const struct cta_launch *launch) {
    const int threads = c->device->threads;
    const uint32_t lanes = (uint32_t)launch->threads[0] * launch->threads[1] * launch->threads[2];
    struct grid g = {.launch = launch,
                     .worker = calloc((size_t)threads, sizeof *g.worker),
                     .total = (uint32_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
                     .failed = UINT64_MAX,
                     .program = env->program->name};
    const char *why = no_memory;
    bool ok = g.worker;
    for (int i = 0; ok && i < threads; i++)
        ok = (g.worker[i].cta = cta_create(env, launch, &why));
    if (ok) {
        run_shares(c, &g, threads);
        c->p->counters.compute_warps += (uint64_t)g.total * ((lanes + LANES - 1) / LANES);
    }
    struct trap lowest = {0};
    for (int i = 0; g.worker && i < threads; i++) {
        collect_worker(c, &g.worker[i], &lowest);
        cta_destroy(g.worker[i].cta);
    }
    const bool cancelled = __atomic_load_n(&c->cancelled, __ATOMIC_RELAXED);
    if (!cancelled && !c->p->counters.compute_trap.set) /* an earlier grid's failure comes first */
        c->p->counters.compute_trap = lowest;
    free(g.worker);
    if (!ok)
        return context_fail(c, strcmp(why, no_memory) ? TP_ERROR_INVALID : TP_ERROR_MEMORY,
                            "dispatch: %s", why);
    return cancelled ? context_fail(c, TP_ERROR_CANCELLED, "dispatch: cancelled") : TP_OK;
}

static enum tp_result check_grid(tp_context *c, const uint32_t grid[3], const uint32_t block[3],
                                 uint32_t param_count) {
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    const bool tesla = isa_set_of(c->device->variant) == SET_TESLA;
    const uint32_t most = tesla ? CTA_THREADS : FERMI_CTA_THREADS;
    if (!c->state.program[PROGRAM_CP])
        return context_fail(c, TP_ERROR_INVALID, "dispatch: no compute program is bound");
    if (!grid[0] || !grid[1] || !grid[2] || grid[0] > GRID_MAX || grid[1] > GRID_MAX ||
        grid[2] > GRID_MAX)
        return context_fail(c, TP_ERROR_INVALID,
                            "dispatch: grid %ux%ux%u: each side must be 1 to %d", grid[0], grid[1],
                            grid[2], GRID_MAX);
    if (tesla && grid[2] > 1)
        return context_fail(c, TP_ERROR_INVALID, "dispatch: grids of this chip have no depth");
    if ((uint64_t)grid[0] * grid[1] > c->device->work_limit / grid[2])
        return context_fail(c, TP_ERROR_INVALID, "dispatch: grid %ux%ux%u: more than %llu blocks",
                            grid[0], grid[1], grid[2], (unsigned long long)c->device->work_limit);
    /* two sides have limits of their own, because the product of all three could overflow */
    if (!threads || block[1] > most || block[2] > 64 || threads > most)
        return context_fail(c, TP_ERROR_INVALID,
                            "dispatch: block %ux%ux%u: at most %u threads, %ux%ux64", block[0],
                            block[1], block[2], most, most, most);
    if (param_count > CTA_PARAMS)
        return context_fail(c, TP_ERROR_INVALID, "dispatch: %u parameter words, at most %d fit",
                            param_count, CTA_PARAMS);
    return TP_OK;
}

/* For each chip, the multiprocessors of a TPC and the TPCs of a common board; programs can read
 * these numbers. */
static const struct board {
    uint8_t mps, tpcs;
} boards[] = {
    [ISA_G80] = {2, 8},   [ISA_G84] = {2, 8},   [ISA_G200] = {3, 10}, [ISA_MCP77] = {2, 1},
    [ISA_GT215] = {3, 4}, [ISA_GF100] = {4, 4}, [ISA_GK104] = {2, 4}, [ISA_G64] = {1, 1},
};

static enum tp_result launch_grid(tp_context *c, const struct cta_launch *launch) {
    struct warp_env env;
    struct global_view g[STATE_GLOBALS];
    struct stage_textures textures;
    if (!capture_compute(c, &env, g, &textures))
        return TP_ERROR_MEMORY;
    if (c->hooks && c->hooks->launch)
        c->hooks->launch(c->hooks->self, c);
    if (!make_locks(&env))
        return context_fail(c, TP_ERROR_MEMORY, "dispatch: %s", no_memory);
    const uint64_t began = timeline_begin();
    const enum tp_result result = run_grid(c, &env, launch);
    timeline_end(TIMELINE_GRID, began,
                 (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2], 0, NULL);
    free(env.locks);
    context_memory_changed(c);
    return result;
}

void context_cancel(tp_context *c) {
    __atomic_store_n(&c->cancelled, 1, __ATOMIC_RELAXED);
}

enum tp_result context_dispatch(tp_context *c, const uint32_t grid[3], const uint32_t block[3],
                                const uint32_t *params, uint32_t param_count) {
    enum tp_result result = check_grid(c, grid, block, param_count);
    if (result != TP_OK)
        return result;
    timeline_because("a grid");
    context_flush(c);
    work_begin(c, WORK_COPY);
    work_touches_all(c, true);
    work_end(c);
    if (work_is_dry(c))
        return TP_OK;
    __atomic_store_n(&c->cancelled, 0, __ATOMIC_RELAXED);
    const struct board board = boards[c->device->variant];
    const struct cta_launch launch = {
        .threads = {(uint16_t)block[0], (uint16_t)block[1], (uint16_t)block[2]},
        .grid = {(uint16_t)grid[0], (uint16_t)grid[1], (uint16_t)grid[2]},
        .grid_id = c->state.grid_id,
        .param_count = param_count,
        .params = params,
        .mps = board.mps,
        .tpcs = board.tpcs,
        .cancelled = &c->cancelled,
    };
    result = launch_grid(c, &launch);
    context_flush(c); /* frees the captured state */
    return result;
}
