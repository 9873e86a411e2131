/* Fixture: a job, here the launch of a grid of compute blocks with g[] spaces and parameters. The
 * blocks run one after the other, up to the first that fails. */
#ifndef TESTS_SHADER_JOB_H
#define TESTS_SHADER_JOB_H

#include "shader/cta.h"
#include "tests/shader/warp_case.h"

struct job {
    struct program *program;
    struct warp_env env;
    struct global_view g[16];
    uint32_t params[CTA_PARAMS];
    struct cta_launch launch;
    struct warp_stats stats;
    struct cta_error error;
};

static inline void job_open(struct job *j, struct program *p, enum simd_level level,
                            const uint16_t grid[3], const uint16_t block[3]) {
    memset(j, 0, sizeof *j);
    j->program = p;
    j->env = (struct warp_env){.program = p,
                               .simd = level,
                               .g = j->g,
                               .call_limit = UINT32_MAX,
                               .budget = 10000000,
                               .native = test_native(level)};
    memcpy(j->launch.grid, grid, sizeof j->launch.grid);
    memcpy(j->launch.threads, block, sizeof j->launch.threads);
    j->launch.params = j->params;
}

static inline void job_free(struct job *j) {
    program_unref(j->program);
}

/* A job, closed at the end of the C block. */
#define JOB(j, ...)                                                                                \
    struct job j __attribute__((cleanup(job_free)));                                               \
    job_open(&j, __VA_ARGS__)

static inline int job_run(struct job *j) {
    const char *why;
    int failed = 0;
    struct cta *b = cta_create(&j->env, &j->launch, &why);
    if (!b)
        fail_msg("%s", why);
    for (uint16_t z = 0; z < j->launch.grid[2]; z++)
        for (uint16_t y = 0; y < j->launch.grid[1]; y++)
            for (uint16_t x = 0; x < j->launch.grid[0] && !failed; x++)
                failed = cta_run(b, x, y, z, &j->stats, &j->error);
    cta_destroy(b);
    return failed;
}

static inline void job_succeeds(struct job *j) {
    char text[128];
    if (!job_run(j))
        return;
    warp_error_print(&j->error.warp, text, sizeof text);
    fail_msg("block %u: %s", j->error.at[0], text);
}

static inline void bind(struct job *j, int n, void *data, size_t size) {
    j->g[n] = (struct global_view){.data = data, .limit = size};
}

#endif
