/* The parts that the compute engines of both generations share (engine_compute.c). */
#pragma once

#include "fifo/program_code.h"

struct compute {
    struct engine base;
    struct code_cache code;
};

/* State that both the 3D and the compute engine set in registers of their own. */
struct own_state {
    bool linked_tsc, seamless_cube, all_levels, tall_blocks;
    struct descriptor_table tic, tsc;
};

/* Dispatches a grid with the compute engine's own state. The 3D engine's values are back
 * afterwards. address: the method that launches the grid. */
void compute_launch(struct engine *e, uint32_t address, struct own_state own,
                    const uint32_t grid[3], const uint32_t block[3], const uint32_t *params,
                    uint32_t count);
void compute_stop(struct engine *e);
