/* Fixture: one block of threads of a Tesla compute program. */
#ifndef TESTS_SHADER_BLOCK_CASE_H
#define TESTS_SHADER_BLOCK_CASE_H

#include "shader/cta.h"
#include "tests/shader/warp_case.h"

struct block_case {
    struct program *program;
    struct warp_env env;
    struct cta_launch launch;
    struct cta *cta; /* after block_run() */
};

/* The caller may change env and launch before block_run(). */
static inline void block_open(struct block_case *b, const char *text, const uint32_t threads[3],
                              const struct warp_observer *observer) {
    b->program = case_program(PROGRAM_CP, ISA_G200, text);
    b->program->header.shared_size = 0x80;
    b->env = (struct warp_env){.program = b->program,
                               .simd = simd_best(),
                               .call_limit = UINT32_MAX,
                               .budget = 1000000,
                               .observer = observer};
    b->launch =
        (struct cta_launch){.threads = {threads[0], threads[1], threads[2]}, .grid = {1, 1, 0}};
    b->cta = NULL;
}

/* Returns as cta_run() does. */
static inline int block_run(struct block_case *b, struct cta_error *error) {
    struct warp_stats stats = {0};
    const char *why;
    b->cta = cta_create(&b->env, &b->launch, &why);
    assert_non_null(b->cta);
    return cta_run(b->cta, 0, 0, 0, &stats, error);
}

static inline void block_close(struct block_case *b) {
    cta_destroy(b->cta);
    program_unref(b->program);
}

#endif
