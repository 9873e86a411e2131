/* Runs one CTA of a compute grid: up to 512 threads (1024 on Fermi and generic64) as warps that
 * share s[] and 16 barriers. A struct cta is the memory of one CTA; one host thread reuses it for
 * consecutive CTAs. Knows no queue and no worker: the caller spreads CTAs over host threads. Facts:
 * tesla-isa.md §2.4, §6.10.
 */
#pragma once

#include "shader/warp.h"

enum {
    CTA_THREADS = 512,
    CTA_SHARED = 0x4000,
    FERMI_CTA_THREADS = 1024, /* Fermi, generic64 */
    FERMI_CTA_SHARED = 0xc000,
    CTA_WARPS = 32,
    CTA_PARAMS_AT = 0x10,
    CTA_PARAMS = 64
};

struct cta_launch {
    /* threads of a CTA, their product at most CTA_THREADS or FERMI_CTA_THREADS; z <= 64 */
    uint16_t threads[3];
    uint16_t grid[3];     /* CTAs in the grid; z: Fermi and generic64, 0 means 1 */
    uint16_t grid_id;     /* s[0x0] */
    uint32_t param_count; /* words, at most CTA_PARAMS */
    /* user parameters; Tesla: found at s[0x10]; other sets: in c0[], unless env has a c0 */
    const uint32_t *params;
    /* multiprocessors of a texture processor cluster (TPC), and clusters of the chip: $physid tells
     * on which of these a CTA runs; 0 means 1 */
    uint8_t mps, tpcs;
    /* atomic, polled whenever each warp has had a turn: a value other than 0 ends the CTA; NULL:
     * never */
    const int *cancelled;
};

struct cta_error {
    struct warp_error warp; /* code, address, lanes */
    uint32_t warp_id;
    uint16_t at[3];
    /* the CTA was stopped, because every remaining warp waits at a barrier, or because the grid was
     * cancelled; code is MP_TIMEOUT */
    bool stopped;
};

struct cta; /* opaque */

/* Allocates the memory for CTAs of this launch. env and launch must outlive the result. NULL: the
 * launch is impossible, or memory is short; *why says the reason. */
struct cta *cta_create(const struct warp_env *env, const struct cta_launch *launch,
                       const char **why);
void cta_destroy(struct cta *b); /* NULL is fine */
/* Notes that a warp of the CTA has ended: barriers that wait for all warps no longer wait for
 * it. */
void cta_warp_ended(struct cta_shared *s);
/* Executes CTA (x, y, z) of the grid to its end and adds to *stats. 0, or -1 with *error filled. */
int cta_run(struct cta *b, uint16_t x, uint16_t y, uint16_t z, struct warp_stats *stats,
            struct cta_error *error);
