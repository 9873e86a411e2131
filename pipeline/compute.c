/* Compute grids: blocks of the bound program spread over the scene's threads. In: grid and block sizes,
 * parameters. Out: memory written by the program, a trap if a block failed. Must not know draws.
 */
#include "pipeline/context_private.h"

#include "shader/block.h"

#include <stdlib.h>
#include <string.h>

enum { GRID_MAX = 65535, GROUPS_PER_THREAD = 8 };

struct grid_worker {
    struct block *block;
    struct warp_stats stats;
    struct trap trap;
    bool failed;
};

struct grid_run {
    const struct block_launch *launch;
    struct grid_worker *worker;
    uint32_t total, per_group;
    const char *program;
    int stop;               /* atomic: a block failed, the rest is not started */
};

static void run_group(void *self, uint32_t index, int number) {
    struct grid_run *g = self;
    struct grid_worker *w = &g->worker[number];
    const uint64_t first = (uint64_t)index * g->per_group;
    for (uint64_t i = first; i < first + g->per_group && i < g->total; i++) {
        struct block_error error = {0};
        if (__atomic_load_n(&g->stop, __ATOMIC_RELAXED))
            return;
        if (block_run(w->block, (uint16_t)(i % g->launch->grid[0]),
                      (uint16_t)(i / g->launch->grid[0]), &w->stats, &error) == 0)
            continue;
        trap_record(&w->trap, i, PROGRAM_CP, g->program, &error.warp);
        __atomic_store_n(&g->stop, 1, __ATOMIC_RELAXED);
    }
}

static void collect(tp_context *c, struct grid_run *g, int threads) {
    struct context_private *p = c->p;
    for (int i = 0; i < threads; i++) {
        const struct grid_worker *w = &g->worker[i];
        p->compute.instructions += w->stats.instructions;
        p->compute.lane_instructions += w->stats.lane_instructions;
        p->compute.bad_reads += w->stats.bad_reads;
        p->compute.bad_writes += w->stats.bad_writes;
        if (w->trap.set)
            trap_record(&p->compute_trap, w->trap.order, PROGRAM_CP, w->trap.program,
                        &w->trap.error);
    }
}

static enum tp_result run_grid(tp_context *c, const struct warp_env *env,
                               const struct block_launch *launch) {
    const int threads = c->device->threads;
    struct grid_worker *workers = calloc((size_t)threads, sizeof *workers);
    struct grid_run g = {.launch = launch,
                         .worker = workers,
                         .total = (uint32_t)launch->grid[0] * launch->grid[1],
                         .program = env->program->name};
    const char *why = "out of memory";
    bool ok = workers;
    for (int i = 0; ok && i < threads; i++)
        ok = (workers[i].block = block_create(env, launch, &why));
    if (ok) {
        const uint32_t groups = (uint32_t)(threads * GROUPS_PER_THREAD);
        g.per_group = (g.total + groups - 1) / groups;
        scene_parallel(c->p->scene, (g.total + g.per_group - 1) / g.per_group, run_group, &g);
        collect(c, &g, threads);
        const uint32_t lanes = launch->block[0] * launch->block[1] * launch->block[2];
        c->p->compute_warps += (uint64_t)g.total * ((lanes + LANES - 1) / LANES);
    }
    for (int i = 0; workers && i < threads; i++)
        block_destroy(workers[i].block);
    free(workers);
    return ok ? TP_OK : context_fail(c, TP_ERROR_INVALID, "dispatch: %s", why);
}

static enum tp_result check(tp_context *c, const uint32_t grid[2], const uint32_t block[3],
                            uint32_t param_count) {
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (!c->state.program[PROGRAM_CP])
        return context_fail(c, TP_ERROR_INVALID, "dispatch: no compute program is bound");
    if (!grid[0] || !grid[1] || grid[0] > GRID_MAX || grid[1] > GRID_MAX)
        return context_fail(c, TP_ERROR_INVALID, "dispatch: grid %ux%u: each side must be 1 to %d",
                            grid[0], grid[1], GRID_MAX);
    if (!threads || block[0] > BLOCK_THREADS || block[1] > BLOCK_THREADS || block[2] > 64 ||
        threads > BLOCK_THREADS)
        return context_fail(c, TP_ERROR_INVALID,
                            "dispatch: block %ux%ux%u: at most 512 threads, 512x512x64", block[0],
                            block[1], block[2]);
    if (param_count > BLOCK_PARAMS)
        return context_fail(c, TP_ERROR_INVALID, "dispatch: %u parameter words, at most %d fit",
                            param_count, BLOCK_PARAMS);
    return TP_OK;
}

enum tp_result context_dispatch(tp_context *c, const uint32_t grid[2], const uint32_t block[3],
                                const uint32_t *params, uint32_t param_count) {
    enum tp_result result = check(c, grid, block, param_count);
    if (result != TP_OK)
        return result;
    struct warp_env env;
    struct global_view g[STATE_GLOBALS];
    struct tex_unit unit;
    context_flush(c);
    const struct block_launch launch = {
        .block = {(uint16_t)block[0], (uint16_t)block[1], (uint16_t)block[2]},
        .grid = {(uint16_t)grid[0], (uint16_t)grid[1]},
        .param_count = param_count,
        .params = params,
    };
    if (!snapshot_compute(c, &env, g, &unit))
        return TP_ERROR_MEMORY;
    result = run_grid(c, &env, &launch);
    c->p->memory_epoch++;
    context_flush(c); /* drops what was captured */
    return result;
}

TP_API enum tp_result tp_dispatch(tp_context *c, const uint32_t grid[2], const uint32_t block[3],
                                  const uint32_t *params, unsigned param_count) {
    return context_dispatch(c, grid, block, params, param_count);
}
