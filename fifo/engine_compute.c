/* The compute engine (classes 50c0, 85c0): grids of a program over g[] spaces. In: the engine's
 * registers. Out: one dispatch per LAUNCH. Shares the channel's constant buffers with the 3D
 * engine, as the hardware does. Method names as in rnndb.
 */
#include "fifo/compute.h"

#define METHODS(X)                                                                                 \
    X(NOP, 0x100, 0, 0, false, NULL)                                                               \
    X(SERIALIZE, 0x110, 0, 0, false, NULL)                                                         \
    X(DMA_NOTIFY, 0x180, 0, 0, false, NULL)                                                        \
    X(DMA, 0x1a0, 12, 4, false, NULL)                                                              \
    X(UNK0200, 0x200, 4, 4, false, NULL)                                                           \
    X(CP_ADDRESS, 0x210, 2, 4, false, cp_address)                                                  \
    X(STACK, 0x218, 3, 4, false, NULL)                                                             \
    X(CALL_LIMIT_LOG, 0x224, 0, 0, false, NULL)                                                    \
    X(UNK0228, 0x228, 0, 0, false, NULL)                                                           \
    X(TSC_ADDRESS, 0x22c, 2, 4, false, NULL)                                                       \
    X(TSC_LIMIT, 0x234, 0, 0, false, NULL)                                                         \
    X(CB_ADDR, 0x238, 0, 0, false, NULL)                                                           \
    X(CB_DATA, 0x23c, 16, 4, true, cb_data)                                                        \
    X(TSC_FLUSH, 0x27c, 0, 0, false, NULL)                                                         \
    X(TIC_FLUSH, 0x280, 0, 0, false, NULL)                                                         \
    X(DELAY1, 0x284, 0, 0, false, NULL)                                                            \
    X(WATCHDOG_TIMER, 0x288, 0, 0, false, NULL)                                                    \
    X(DELAY2, 0x28c, 0, 0, false, NULL)                                                            \
    X(UNK0290, 0x290, 0, 0, false, NULL)                                                           \
    X(LOCAL_ADDRESS, 0x294, 2, 4, false, NULL)                                                     \
    X(LOCAL_SIZE_LOG, 0x29c, 0, 0, false, NULL)                                                    \
    X(UNK02A0, 0x2a0, 0, 0, false, NULL)                                                           \
    X(CB_DEF_ADDRESS, 0x2a4, 2, 4, false, NULL)                                                    \
    X(CB_DEF_SET, 0x2ac, 0, 0, false, cb_def_set)                                                  \
    X(UNK02B0, 0x2b0, 0, 0, false, NULL)                                                           \
    X(BLOCK_ALLOC, 0x2b4, 0, 0, false, NULL)                                                       \
    X(LANES32_ENABLE, 0x2b8, 0, 0, false, NULL)                                                    \
    X(UNK02BC, 0x2bc, 0, 0, false, NULL)                                                           \
    X(CP_REG_ALLOC_TEMP, 0x2c0, 0, 0, false, NULL)                                                 \
    X(TIC_ADDRESS, 0x2c4, 2, 4, false, NULL)                                                       \
    X(TIC_LIMIT, 0x2cc, 0, 0, false, NULL)                                                         \
    X(MP_PM_SET, 0x2d0, 4, 4, false, NULL)                                                         \
    X(MP_PM_CONTROL, 0x2e0, 4, 4, false, NULL)                                                     \
    X(MP_PM_OVERFLOW_TRAP_ENABLE, 0x2f0, 0, 0, false, NULL)                                        \
    X(UNK02F4, 0x2f4, 0, 0, false, NULL)                                                           \
    X(BLOCKDIM_LATCH, 0x2f8, 0, 0, false, NULL)                                                    \
    X(LOCAL_WARPS_LOG_ALLOC, 0x2fc, 0, 0, false, NULL)                                             \
    X(LOCAL_WARPS_NO_CLAMP, 0x300, 0, 0, false, NULL)                                              \
    X(STACK_WARPS_LOG_ALLOC, 0x304, 0, 0, false, NULL)                                             \
    X(STACK_WARPS_NO_CLAMP, 0x308, 0, 0, false, NULL)                                              \
    X(UNK030C, 0x30c, 0, 0, false, NULL)                                                           \
    X(QUERY_ADDRESS, 0x310, 2, 4, false, NULL)                                                     \
    X(QUERY_SEQUENCE, 0x318, 0, 0, false, NULL)                                                    \
    X(QUERY_GET, 0x31c, 0, 0, false, query_get)                                                    \
    X(COND_ADDRESS, 0x320, 2, 4, false, NULL)                                                      \
    X(COND_MODE, 0x328, 0, 0, false, NULL)                                                         \
    X(UNK032C, 0x32c, 15, 4, false, NULL)                                                          \
    X(LAUNCH, 0x368, 0, 0, false, launch_grid)                                                     \
    X(UNK036C, 0x36c, 2, 4, false, NULL)                                                           \
    X(USER_PARAM_COUNT, 0x374, 0, 0, false, NULL)                                                  \
    X(LINKED_TSC, 0x378, 0, 0, false, NULL)                                                        \
    X(ISA_FLAGS, 0x37c, 0, 0, false, NULL)                                                         \
    X(CODE_CB_FLUSH, 0x380, 0, 0, false, NULL)                                                     \
    X(UNK0384, 0x384, 0, 0, false, NULL)                                                           \
    X(GRIDID, 0x388, 0, 0, false, NULL)                                                            \
    X(UNK038C, 0x38c, 3, 4, false, NULL)                                                           \
    X(WRCACHE_FLUSH, 0x398, 0, 0, false, NULL)                                                     \
    X(UNK039C, 0x39c, 2, 4, false, NULL)                                                           \
    X(GRIDDIM, 0x3a4, 0, 0, false, NULL)                                                           \
    X(SHARED_SIZE, 0x3a8, 0, 0, false, NULL)                                                       \
    X(BLOCKDIM_XY, 0x3ac, 0, 0, false, NULL)                                                       \
    X(BLOCKDIM_Z, 0x3b0, 0, 0, false, NULL)                                                        \
    X(CP_START_ID, 0x3b4, 0, 0, false, NULL)                                                       \
    X(REG_MODE, 0x3b8, 0, 0, false, NULL)                                                          \
    X(TEX_LIMITS, 0x3bc, 0, 0, false, NULL)                                                        \
    X(BIND_TSC, 0x3c0, 0, 0, false, bind_tsc)                                                      \
    X(BIND_TIC, 0x3c4, 0, 0, false, bind_tic)                                                      \
    X(SET_PROGRAM_CB, 0x3c8, 0, 0, false, set_program_cb)                                          \
    X(UNK03CC, 0x3cc, 0, 0, false, NULL)                                                           \
    X(TEX_CACHE_CTL, 0x3d0, 0, 0, false, NULL)                                                     \
    X(UNK03D4, 0x3d4, 5, 4, false, NULL)                                                           \
    X(TEX_MISC, 0x3e8, 0, 0, false, NULL)                                                          \
    X(GLOBAL_ADDRESS_HIGH, 0x400, 16, 32, false, NULL)                                             \
    X(GLOBAL_ADDRESS_LOW, 0x404, 16, 32, false, NULL)                                              \
    X(GLOBAL_PITCH, 0x408, 16, 32, false, NULL)                                                    \
    X(GLOBAL_LIMIT, 0x40c, 16, 32, false, NULL)                                                    \
    X(GLOBAL_MODE, 0x410, 16, 32, false, NULL)                                                     \
    X(USER_PARAM, 0x600, USER_PARAMS, 4, false, NULL)
enum { METHODS(METHOD_ADDRESS) USER_PARAMS = 64 };
enum { GLOBAL_STRIDE = 32, GLOBAL_LINEAR = 1, QUERY_SHORT = 1 << 15 };

/* ---- both generations ---- */

static struct own_state swap_state(struct state *s, struct own_state with) {
    const struct own_state was = {s->linked_tsc,  s->seamless_cube, s->all_levels,
                                  s->tall_blocks, s->tic_table,     s->tsc_table};
    s->linked_tsc = with.linked_tsc;
    s->seamless_cube = with.seamless_cube;
    s->all_levels = with.all_levels;
    s->tall_blocks = with.tall_blocks;
    s->tic_table = with.tic;
    s->tsc_table = with.tsc;
    return was;
}

void compute_launch(struct engine *e, uint32_t address, struct own_state own,
                    const uint32_t grid[3], const uint32_t block[3], const uint32_t *params,
                    uint32_t count) {
    tp_context *const c = engine_context(e);
    const struct own_state was = swap_state(&c->state, own);
    engine_check(e, address, context_dispatch(c, grid, block, params, count));
    swap_state(&c->state, was);
}

void compute_stop(struct engine *e) {
    code_cache_free(&((struct compute *)e)->code);
}

/* ---- Tesla ---- */

/* Size of a g[] space in bytes. In a linear space LIMIT is the number of the last byte. In a
 * block-linear one, the high half of LIMIT is the last row, PITCH the bytes of a row of tiles, and
 * MODE bits 8-11 the tile height: 0 to 5 (tesla-3d.md §6.1), so bit 11 does not count. */
static uint64_t global_bytes(uint32_t limit, uint32_t pitch, uint32_t mode) {
    const uint64_t rows = UINT64_C(4) << (mode >> 8 & 7), tiles = (limit >> 16) / rows + 1;
    return mode & GLOBAL_LINEAR ? (uint64_t)limit + 1 : tiles * pitch;
}

static void update_globals(struct engine *e, struct state *s) {
    for (uint32_t i = 0; i < STATE_GLOBALS; i++) {
        const uint32_t at = i * GLOBAL_STRIDE, mode = reg_at(e, GLOBAL_MODE + at),
                       pitch = reg_at(e, GLOBAL_PITCH + at);
        s->global[i] = (struct global_state){
            .address = reg_address(e, GLOBAL_ADDRESS_HIGH + at),
            .limit = global_bytes(reg_at(e, GLOBAL_LIMIT + at), pitch, mode),
            .pitch = pitch,
            .block_height = mode >> 8 & 0xf,
            .tiled = !(mode & GLOBAL_LINEAR),
        };
    }
}

static bool update_program(struct engine *e, struct state *s) {
    struct program *p = code_find(&((struct compute *)e)->code, e->channel, PROGRAM_CP,
                                  channel_fragment_code(e->channel), reg_at(e, CP_START_ID),
                                  reg_at(e, CP_REG_ALLOC_TEMP));
    s->program[PROGRAM_CP] = p;
    if (!p)
        return false;
    p->header.shared_size = reg_at(e, SHARED_SIZE);
    s->call_limit[PROGRAM_CP] = engine_call_limit(reg_at(e, CALL_LIMIT_LOG));
    s->mode = MODE_SAT_NAN | (reg_at(e, ISA_FLAGS) & MODE_NONFP_DERIV);
    s->mode |= reg_at(e, ISA_FLAGS) & 1 << 16 ? MODE_MUL_ZERO_WINS : 0;
    return true;
}

static void launch_grid(struct engine *e, uint32_t address, const uint32_t *, uint32_t) {
    struct state *s = &engine_context(e)->state;
    const uint32_t mode = s->mode, params = reg_at(e, USER_PARAM_COUNT) >> 8 & 0xff;
    const uint32_t grid[3] = {reg_at(e, GRIDDIM) & 0xffff, reg_at(e, GRIDDIM) >> 16, 1};
    const uint32_t block[3] = {reg_at(e, BLOCKDIM_XY) & 0xffff, reg_at(e, BLOCKDIM_XY) >> 16,
                               reg_at(e, BLOCKDIM_Z)};
    if (!channel_condition(e->channel, reg_at(e, COND_MODE), reg_address(e, COND_ADDRESS)))
        return;
    if ((reg_at(e, BLOCK_ALLOC) & 0xffff) != block[0] * block[1] * block[2])
        engine_complain(e, BLOCK_ALLOC, "%u threads in a block of %ux%ux%u",
                        reg_at(e, BLOCK_ALLOC) & 0xffff, block[0], block[1], block[2]);
    if (!update_program(e, s))
        return;
    s->grid_id = (uint16_t)reg_at(e, GRIDID);
    update_globals(e, s);
    const struct own_state own = {
        .linked_tsc = reg_at(e, LINKED_TSC) != 0,
        .seamless_cube = e->class_id >= 0x85c0 && (reg_at(e, TEX_MISC) & 4),
        .all_levels = engine_lacks_levels(e),
        .tic = {reg_address(e, TIC_ADDRESS), reg_at(e, TIC_LIMIT)},
        .tsc = {reg_address(e, TSC_ADDRESS), reg_at(e, TSC_LIMIT)},
    };
    compute_launch(e, address, own, grid, block, &e->reg[USER_PARAM / 4],
                   params < USER_PARAMS ? params : USER_PARAMS);
    s->mode = mode;
}

static void cp_address(struct engine *e, uint32_t, const uint32_t *, uint32_t) {
    channel_set_fragment_code(e->channel, reg_address(e, CP_ADDRESS));
}

static void cb_def_set(struct engine *e, uint32_t, const uint32_t *data, uint32_t) {
    engine_define_constants(e, reg_address(e, CB_DEF_ADDRESS), *data);
}

static void cb_data(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count) {
    engine_write_constants(e, address, &e->reg[CB_ADDR / 4], data, count);
}

static void set_program_cb(struct engine *e, uint32_t, const uint32_t *data, uint32_t) {
    engine_bind_constants(e, PROGRAM_VP, *data);
}

static void bind_tic(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    const uint32_t slot = *data >> 1 & 0xff;
    if (slot < STATE_TEXTURES)
        engine_context(e)->state.tic[PROGRAM_CP][slot] =
            (struct descriptor_binding){.valid = *data & 1, .index = *data >> 9 & 0x3fffff};
    else if (*data & 1)
        engine_complain(e, address, "slot %u", slot);
}

static void bind_tsc(struct engine *e, uint32_t, const uint32_t *data, uint32_t) {
    engine_context(e)->state.tsc[PROGRAM_CP][*data >> 4 & 0xf] =
        (struct descriptor_binding){.valid = *data & 1, .index = *data >> 12};
}

static void query_get(struct engine *e, uint32_t, const uint32_t *data, uint32_t) {
    channel_finish(e->channel);
    const bool is_short = *data & QUERY_SHORT;
    uint32_t *at = channel_write_at(e->channel, reg_address(e, QUERY_ADDRESS) & ~UINT64_C(3),
                                    is_short ? 4 : 16);
    const uint64_t now = channel_time(e->channel);
    if (at && !is_short) {
        at[1] = 0;
        at[2] = (uint32_t)now;
        at[3] = (uint32_t)(now >> 32);
    }
    if (at)
        __atomic_store_n(at, reg_at(e, QUERY_SEQUENCE), __ATOMIC_RELEASE);
}

static const struct method methods[] = {METHODS(METHOD_ROW)};

static void start_compute(struct engine *e) {
    e->reg[COND_MODE / 4] = 1; /* always */
}

const struct engine_class engine_compute = {.name = "COMPUTE",
                                            .size = sizeof(struct compute),
                                            .method = methods,
                                            .method_count = sizeof methods / sizeof *methods,
                                            .start = start_compute,
                                            .stop = compute_stop};
