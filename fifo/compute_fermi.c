/* Fermi's compute engine (class 90c0): grids of a program that may reach all of memory. In: the
 * engine's registers. Out: one dispatch per LAUNCH. The engine has constants, textures and images
 * of its own, apart from those of the 3D engine. Facts: fermi-3d.md §11.
 */
#include "fifo/compute.h"
#include "fifo/engine_3d.h"

enum {
    LOCAL_POS_ALLOC = 0x204,
    BIND_TSC = 0x228,
    BIND_TIC = 0x22c,
    GRIDDIM_YX = 0x238,
    GRIDDIM_Z = 0x23c,
    SHARED_SIZE = 0x24c,
    THREADS_ALLOC = 0x250,
    BARRIER_ALLOC = 0x254,
    CP_GPR_ALLOC = 0x2c0,
    LAUNCH = 0x368,
    LAUNCH_GO = 0x1000,
    BLOCKDIM_YX = 0x3ac,
    BLOCKDIM_Z = 0x3b0,
    CP_START_ID = 0x3b4,
    GRIDID = 0x780,
    CALL_LIMIT_LOG = 0xd64,
    COND_ADDRESS_HIGH = 0x1550,
    COND_MODE = 0x1558,
    TSC_ADDRESS_HIGH = 0x155c,
    TSC_LIMIT = 0x1564,
    TIC_ADDRESS_HIGH = 0x1574,
    TIC_LIMIT = 0x157c,
    CODE_ADDRESS_HIGH = 0x1608,
    CB_BIND = 0x1694,
    FLUSH = 0x1698,
    CB_SIZE = 0x2380,
    CB_ADDRESS_HIGH = 0x2384,
    CB_POS = 0x238c,
    CB_DATA = 0x2390,
    IMAGE = 0x2700,
};

static bool update_program(struct engine *e, struct state *s) {
    struct program *p = code_find(&((struct compute *)e)->code, e->channel, PROGRAM_CP,
                                  reg_address(e, CODE_ADDRESS_HIGH), reg_at(e, CP_START_ID),
                                  reg_at(e, CP_GPR_ALLOC));
    s->program[PROGRAM_CP] = p;
    if (!p)
        return false;
    p->header.shared_size = reg_at(e, SHARED_SIZE);
    s->call_limit[PROGRAM_CP] = engine_call_limit(reg_at(e, CALL_LIMIT_LOG));
    return true;
}

static void launch(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    struct state *s = &engine_context(e)->state;
    const uint32_t yx = reg_at(e, GRIDDIM_YX), block_yx = reg_at(e, BLOCKDIM_YX);
    const uint32_t grid[3] = {yx & 0xffff, yx >> 16, reg_at(e, GRIDDIM_Z)};
    const uint32_t block[3] = {block_yx & 0xffff, block_yx >> 16, reg_at(e, BLOCKDIM_Z)};
    if (*data != LAUNCH_GO) {
        engine_complain(e, address, "launch %x", *data);
        return;
    }
    if (!channel_condition(e->channel, reg_at(e, COND_MODE), reg_address(e, COND_ADDRESS_HIGH)))
        return;
    if (!update_program(e, s))
        return;
    const struct own_state own = {
        .seamless_cube = true,
        .tall_blocks = true,
        .tic = {reg_address(e, TIC_ADDRESS_HIGH), reg_at(e, TIC_LIMIT)},
        .tsc = {reg_address(e, TSC_ADDRESS_HIGH), reg_at(e, TSC_LIMIT)},
    };
    s->grid_id = (uint16_t)reg_at(e, GRIDID);
    for (uint32_t i = 0; i < STATE_IMAGES; i++)
        s->compute_image[i] = fermi_image(e, IMAGE + 32 * i);
    compute_launch(e, address, own, grid, block, NULL, 0);
}

static void bind_tic(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    engine_3d_bind_tic(e, address, PROGRAM_CP, *data);
}

static void bind_tsc(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    engine_3d_bind_tsc(e, address, PROGRAM_CP, *data);
}

static void cb_bind(struct engine *e, uint32_t, const uint32_t *data, uint32_t) {
    fermi_bind_constants(e, PROGRAM_CP, *data >> 8 & 0xf, *data & 1,
                         reg_address(e, CB_ADDRESS_HIGH), reg_at(e, CB_SIZE));
}

static void cb_data(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count) {
    fermi_write_constants(e, address, reg_address(e, CB_ADDRESS_HIGH), reg_at(e, CB_SIZE),
                          &e->reg[e->place[CB_POS / 4].home], data, count);
}

static const struct method methods[] = {
    {0x100, 0, 0, 0, false, "NOP", NULL},
    {0x104, 2, 4, 0, false, "NOTIFY_ADDRESS", NULL},
    {0x110, 0, 0, 0, false, "SERIALIZE", NULL},
    {LOCAL_POS_ALLOC, 3, 4, 0, false, "LOCAL_ALLOC", NULL},
    {0x214, 0, 0, 0, false, "SHARED_BASE", NULL},
    {BIND_TSC, 0, 0, 0, false, "BIND_TSC", bind_tsc},
    {BIND_TIC, 0, 0, 0, false, "BIND_TIC", bind_tic},
    {GRIDDIM_YX, 2, 4, 0, false, "GRIDDIM", NULL},
    {SHARED_SIZE, 0, 0, 0, false, "SHARED_SIZE", NULL},
    {THREADS_ALLOC, 0, 0, 0, false, "THREADS_ALLOC", NULL},
    {BARRIER_ALLOC, 0, 0, 0, false, "BARRIER_ALLOC", NULL},
    {0x29c, 2, 4, 0, false, "COMPUTE_BEGIN", NULL},
    {CP_GPR_ALLOC, 0, 0, 0, false, "CP_GPR_ALLOC", NULL},
    {0x2c4, 2, 4, 0, true, "GLOBAL_BASE", NULL},
    {0x308, 0, 0, 0, false, "CACHE_SPLIT", NULL},
    {0x360, 0, 0, 0, false, "UNK0360", NULL},
    {LAUNCH, 0, 0, 0, false, "LAUNCH", launch},
    {0x36c, 0, 0, 0, false, "UNK036C", NULL},
    {BLOCKDIM_YX, 2, 4, 0, false, "BLOCKDIM", NULL},
    {CP_START_ID, 0, 0, 0, false, "CP_START_ID", NULL},
    {0x758, 0, 0, 0, false, "MP_LIMIT", NULL},
    {0x77c, 0, 0, 0, false, "LOCAL_BASE", NULL},
    {GRIDID, 0, 0, 0, false, "GRIDID", NULL},
    {0x790, 5, 4, 0, false, "TEMP", NULL},
    {0xa04, 2, 4, 0, false, "COMPUTE_END", NULL},
    {CALL_LIMIT_LOG, 0, 0, 0, false, "CALL_LIMIT_LOG", NULL},
    {COND_ADDRESS_HIGH, 3, 4, 0, false, "COND", NULL},
    {TSC_ADDRESS_HIGH, 3, 4, 0, false, "TSC_TABLE", NULL},
    {TIC_ADDRESS_HIGH, 3, 4, 0, false, "TIC_TABLE", NULL},
    {0x1330, 3, 4, 0, false, "CACHE_FLUSH", fermi_barrier},
    {CODE_ADDRESS_HIGH, 2, 4, 0, false, "CODE_ADDRESS", NULL},
    {CB_BIND, 0, 0, 0, false, "CB_BIND", cb_bind},
    {FLUSH, 0, 0, 0, false, "FLUSH", fermi_barrier},
    {CB_SIZE, 0, 0, 0, false, "CB_SIZE", NULL},
    {CB_ADDRESS_HIGH, 2, 4, 0, false, "CB_ADDRESS", NULL},
    {CB_POS, 0, 0, 0, false, "CB_POS", NULL},
    {CB_DATA, 16, 4, 0, true, "CB_DATA", cb_data},
    {IMAGE, 64, 4, 0, false, "IMAGE", NULL},
    {0x3400, 64, 4, 0, false, "SCRATCH", NULL},
};

static void start_compute(struct engine *e) {
    e->reg[COND_MODE / 4] = 1; /* always */
}

const struct engine_class engine_compute_fermi = {.name = "COMPUTE",
                                                  .size = sizeof(struct compute),
                                                  .method = methods,
                                                  .method_count = sizeof methods / sizeof *methods,
                                                  .start = start_compute,
                                                  .stop = compute_stop};
