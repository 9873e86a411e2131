/* Runs one block of a compute grid: up to 512 threads (Fermi: 1,024) as warps that share s[] and 16
 * barriers. A struct block is the memory of one block, reused for one block after the other by one
 * thread. Knows no queue and no worker: spreading blocks over threads is the caller's business.
 * Facts: tesla-isa.md §2.4, §6.10.
 */
#ifndef SHADER_BLOCK_H
#define SHADER_BLOCK_H

#include "shader/warp.h"

enum {
    BLOCK_THREADS = 512,
    BLOCK_SHARED = 0x4000,
    FERMI_BLOCK_THREADS = 1024, /* Fermi, generic64 */
    FERMI_BLOCK_SHARED = 0xc000,
    BLOCK_WARPS = 32,
    BLOCK_PARAMS_AT = 0x10,
    BLOCK_PARAMS = 64
};

struct block_launch {
    uint16_t block[3];      /* block size in threads: x <= 512, y <= 512, z <= 64; product <= 512 */
    uint16_t grid[3];       /* grid size in blocks; z: Fermi and generic64, 0 means 1 */
    uint16_t grid_id;       /* s[0x0] */
    uint32_t param_count;   /* words, at most BLOCK_PARAMS */
    const uint32_t *params; /* user parameters, found at s[0x10] */
    uint8_t mps, tpcs;      /* MPs in a TPC, TPCs: what $physid spreads the blocks over; 0: one */
    const int *cancelled;   /* atomic, looked at now and then: not 0 ends the block; or NULL */
};

struct block_error {
    struct warp_error warp; /* code, address, lanes */
    uint32_t warp_id;
    uint16_t block[3];
    bool deadlock; /* every warp left waits at a barrier; code is MP_TIMEOUT */
};

struct block; /* opaque */

/* Memory for blocks of this launch; env and launch must outlive it. NULL if the launch is
 * impossible (sizes, s[] beyond 16 KiB) or memory is short: *why says which. */
struct block *block_create(const struct warp_env *env, const struct block_launch *launch,
                           const char **why);
void block_destroy(struct block *b); /* NULL is fine */
/* A warp of the block has ended: barriers that wait for all warps do not wait for it. */
void block_warp_ended(struct block_shared *s);
/* Executes block (x, y, z) of the grid to its end; adds to *stats. 0, or -1 with *error filled. */
int block_run(struct block *b, uint16_t x, uint16_t y, uint16_t z, struct warp_stats *stats,
              struct block_error *error);

#endif
