/* Fermi's compute engine (class 90c0): grids of a program that may reach all of memory. In: the
 * engine's registers. Out: one dispatch per LAUNCH. The engine has constants, textures and images
 * of its own, apart from those of the 3D engine. Facts: fermi-3d.md §11.
 */
#include "fifo/compute.h"
#include "fifo/engine_3d.h"

#define METHODS(X)                                                                                 \
    X(NOP, 0x100, 0, 0, false, NULL)                                                               \
    X(NOTIFY_ADDRESS, 0x104, 2, 4, false, NULL)                                                    \
    X(SERIALIZE, 0x110, 0, 0, false, NULL)                                                         \
    X(LOCAL_ALLOC, 0x204, 3, 4, false, NULL)                                                       \
    X(SHARED_BASE, 0x214, 0, 0, false, NULL)                                                       \
    X(BIND_TSC, 0x228, 0, 0, false, bind_tsc)                                                      \
    X(BIND_TIC, 0x22c, 0, 0, false, bind_tic)                                                      \
    X(GRIDDIM, 0x238, 2, 4, false, NULL)                                                           \
    X(SHARED_SIZE, 0x24c, 0, 0, false, NULL)                                                       \
    X(THREADS_ALLOC, 0x250, 0, 0, false, NULL)                                                     \
    X(BARRIER_ALLOC, 0x254, 0, 0, false, NULL)                                                     \
    X(COMPUTE_BEGIN, 0x29c, 2, 4, false, NULL)                                                     \
    X(CP_GPR_ALLOC, 0x2c0, 0, 0, false, NULL)                                                      \
    X(GLOBAL_BASE, 0x2c4, 2, 4, true, NULL)                                                        \
    X(CACHE_SPLIT, 0x308, 0, 0, false, NULL)                                                       \
    X(UNK0360, 0x360, 0, 0, false, NULL)                                                           \
    X(LAUNCH, 0x368, 0, 0, false, launch)                                                          \
    X(UNK036C, 0x36c, 0, 0, false, NULL)                                                           \
    X(BLOCKDIM, 0x3ac, 2, 4, false, NULL)                                                          \
    X(CP_START_ID, 0x3b4, 0, 0, false, NULL)                                                       \
    X(MP_LIMIT, 0x758, 0, 0, false, NULL)                                                          \
    X(LOCAL_BASE, 0x77c, 0, 0, false, NULL)                                                        \
    X(GRIDID, 0x780, 0, 0, false, NULL)                                                            \
    X(TEMP, 0x790, 5, 4, false, NULL)                                                              \
    X(COMPUTE_END, 0xa04, 2, 4, false, NULL)                                                       \
    X(CALL_LIMIT_LOG, 0xd64, 0, 0, false, NULL)                                                    \
    X(COND, 0x1550, 3, 4, false, NULL)                                                             \
    X(TSC_TABLE, 0x155c, 3, 4, false, NULL)                                                        \
    X(TIC_TABLE, 0x1574, 3, 4, false, NULL)                                                        \
    X(CACHE_FLUSH, 0x1330, 3, 4, false, fermi_barrier)                                             \
    X(CODE_ADDRESS, 0x1608, 2, 4, false, NULL)                                                     \
    X(CB_BIND, 0x1694, 0, 0, false, cb_bind)                                                       \
    X(FLUSH, 0x1698, 0, 0, false, fermi_barrier)                                                   \
    X(CB_SIZE, 0x2380, 0, 0, false, NULL)                                                          \
    X(CB_ADDRESS, 0x2384, 2, 4, false, NULL)                                                       \
    X(CB_POS, 0x238c, 0, 0, false, NULL)                                                           \
    X(CB_DATA, 0x2390, 16, 4, true, cb_data)                                                       \
    X(IMAGE, 0x2700, 64, 4, false, NULL)                                                           \
    X(SCRATCH, 0x3400, 64, 4, false, NULL)
enum { METHODS(METHOD_ADDRESS) LAUNCH_GO = 0x1000 };
/* Elements of arrays. */
enum { GRIDDIM_Z = 0x23c, BLOCKDIM_Z = 0x3b0 };
enum { COND_MODE = 0x1558, TSC_LIMIT = 0x1564, TIC_LIMIT = 0x157c };

static bool update_program(struct engine *e, struct state *s) {
    struct program *p =
        code_find(&((struct compute *)e)->code, e->channel, PROGRAM_CP,
                  reg_address(e, CODE_ADDRESS), reg_at(e, CP_START_ID), reg_at(e, CP_GPR_ALLOC));
    s->program[PROGRAM_CP] = p;
    if (!p)
        return false;
    p->header.shared_size = reg_at(e, SHARED_SIZE);
    s->call_limit[PROGRAM_CP] = engine_call_limit(reg_at(e, CALL_LIMIT_LOG));
    return true;
}

static void launch(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    struct state *s = &engine_context(e)->state;
    const uint32_t yx = reg_at(e, GRIDDIM), block_yx = reg_at(e, BLOCKDIM);
    const uint32_t grid[3] = {yx & 0xffff, yx >> 16, reg_at(e, GRIDDIM_Z)};
    const uint32_t block[3] = {block_yx & 0xffff, block_yx >> 16, reg_at(e, BLOCKDIM_Z)};
    if (*data != LAUNCH_GO) {
        engine_complain(e, address, "launch %x", *data);
        return;
    }
    if (!channel_condition(e->channel, reg_at(e, COND_MODE), reg_address(e, COND)))
        return;
    if (!update_program(e, s))
        return;
    const struct own_state own = {
        .seamless_cube = true,
        .tall_blocks = true,
        .tic = {reg_address(e, TIC_TABLE), reg_at(e, TIC_LIMIT)},
        .tsc = {reg_address(e, TSC_TABLE), reg_at(e, TSC_LIMIT)},
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
    fermi_bind_constants(e, PROGRAM_CP, *data >> 8 & 0xf, *data & 1, reg_address(e, CB_ADDRESS),
                         reg_at(e, CB_SIZE));
}

static void cb_data(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count) {
    fermi_write_constants(e, address, reg_address(e, CB_ADDRESS), reg_at(e, CB_SIZE),
                          &e->reg[e->place[CB_POS / 4].home], data, count);
}

static const struct method methods[] = {METHODS(METHOD_ROW)};

static void start_compute(struct engine *e) {
    e->reg[COND_MODE / 4] = 1; /* always */
}

const struct engine_class engine_compute_fermi = {.name = "COMPUTE",
                                                  .size = sizeof(struct compute),
                                                  .method = methods,
                                                  .method_count = sizeof methods / sizeof *methods,
                                                  .start = start_compute,
                                                  .stop = compute_stop};
