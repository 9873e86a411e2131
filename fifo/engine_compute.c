/* The compute engine (classes 50c0, 85c0): grids of a program over g[] spaces. In: the engine's
 * registers. Out: one dispatch per LAUNCH. Shares the channel's constant buffers with the 3D
 * engine, as the hardware does. Method names as in rnndb.
 */
#include "fifo/compute.h"

enum {
    CP_ADDRESS_HIGH = 0x210,
    TSC_ADDRESS_HIGH = 0x22c,
    TSC_LIMIT = 0x234,
    CB_ADDR = 0x238,
    CB_DATA = 0x23c,
    LOCAL_SIZE_LOG = 0x29c,
    CB_DEF_ADDRESS_HIGH = 0x2a4,
    CB_DEF_SET = 0x2ac,
    BLOCK_ALLOC = 0x2b4,
    CP_REG_ALLOC_TEMP = 0x2c0,
    CALL_LIMIT_LOG = 0x224,
    TIC_ADDRESS_HIGH = 0x2c4,
    TIC_LIMIT = 0x2cc,
    QUERY_ADDRESS_HIGH = 0x310,
    QUERY_SEQUENCE = 0x318,
    QUERY_GET = 0x31c,
    COND_ADDRESS_HIGH = 0x320,
    COND_MODE = 0x328,
    LAUNCH = 0x368,
    USER_PARAM_COUNT = 0x374,
    LINKED_TSC = 0x378,
    ISA_FLAGS = 0x37c,
    GRIDID = 0x388,
    GRIDDIM = 0x3a4,
    SHARED_SIZE = 0x3a8,
    BLOCKDIM_XY = 0x3ac,
    BLOCKDIM_Z = 0x3b0,
    CP_START_ID = 0x3b4,
    BIND_TSC = 0x3c0,
    BIND_TIC = 0x3c4,
    SET_PROGRAM_CB = 0x3c8,
    TEX_MISC = 0x3e8,
    GLOBAL_ADDRESS_HIGH = 0x400,
    GLOBAL_PITCH = 0x408,
    GLOBAL_LIMIT = 0x40c,
    GLOBAL_MODE = 0x410,
    USER_PARAM = 0x600,
    USER_PARAMS = 64,
};
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
    if (!channel_condition(e->channel, reg_at(e, COND_MODE), reg_address(e, COND_ADDRESS_HIGH)))
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
        .tic = {reg_address(e, TIC_ADDRESS_HIGH), reg_at(e, TIC_LIMIT)},
        .tsc = {reg_address(e, TSC_ADDRESS_HIGH), reg_at(e, TSC_LIMIT)},
    };
    compute_launch(e, address, own, grid, block, &e->reg[USER_PARAM / 4],
                   params < USER_PARAMS ? params : USER_PARAMS);
    s->mode = mode;
}

static void cp_address(struct engine *e, uint32_t, const uint32_t *, uint32_t) {
    channel_set_fragment_code(e->channel, reg_address(e, CP_ADDRESS_HIGH));
}

static void cb_def_set(struct engine *e, uint32_t, const uint32_t *data, uint32_t) {
    engine_define_constants(e, reg_address(e, CB_DEF_ADDRESS_HIGH), *data);
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
    uint32_t *at = channel_write_at(e->channel, reg_address(e, QUERY_ADDRESS_HIGH) & ~UINT64_C(3),
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

#define VALUE(address, name) {address, 0, 0, 0, false, name, NULL}
#define ARRAY(address, count, stride, name) {address, count, stride, 0, false, name, NULL}

static const struct method methods[] = {
    VALUE(0x100, "NOP"),
    VALUE(0x110, "SERIALIZE"),
    VALUE(0x180, "DMA_NOTIFY"),
    ARRAY(0x1a0, 12, 4, "DMA"),
    ARRAY(0x200, 4, 4, "UNK0200"),
    {CP_ADDRESS_HIGH, 2, 4, 0, false, "CP_ADDRESS", cp_address},
    ARRAY(0x218, 3, 4, "STACK"),
    VALUE(CALL_LIMIT_LOG, "CALL_LIMIT_LOG"),
    VALUE(0x228, "UNK0228"),
    ARRAY(TSC_ADDRESS_HIGH, 2, 4, "TSC_ADDRESS"),
    VALUE(TSC_LIMIT, "TSC_LIMIT"),
    VALUE(CB_ADDR, "CB_ADDR"),
    {CB_DATA, 16, 4, 0, true, "CB_DATA", cb_data},
    VALUE(0x27c, "TSC_FLUSH"),
    VALUE(0x280, "TIC_FLUSH"),
    VALUE(0x284, "DELAY1"),
    VALUE(0x288, "WATCHDOG_TIMER"),
    VALUE(0x28c, "DELAY2"),
    VALUE(0x290, "UNK0290"),
    ARRAY(0x294, 2, 4, "LOCAL_ADDRESS"),
    VALUE(LOCAL_SIZE_LOG, "LOCAL_SIZE_LOG"),
    VALUE(0x2a0, "UNK02A0"),
    ARRAY(CB_DEF_ADDRESS_HIGH, 2, 4, "CB_DEF_ADDRESS"),
    {CB_DEF_SET, 0, 0, 0, false, "CB_DEF_SET", cb_def_set},
    VALUE(0x2b0, "UNK02B0"),
    VALUE(BLOCK_ALLOC, "BLOCK_ALLOC"),
    VALUE(0x2b8, "LANES32_ENABLE"),
    VALUE(0x2bc, "UNK02BC"),
    VALUE(CP_REG_ALLOC_TEMP, "CP_REG_ALLOC_TEMP"),
    ARRAY(TIC_ADDRESS_HIGH, 2, 4, "TIC_ADDRESS"),
    VALUE(TIC_LIMIT, "TIC_LIMIT"),
    ARRAY(0x2d0, 4, 4, "MP_PM_SET"),
    ARRAY(0x2e0, 4, 4, "MP_PM_CONTROL"),
    VALUE(0x2f0, "MP_PM_OVERFLOW_TRAP_ENABLE"),
    VALUE(0x2f4, "UNK02F4"),
    VALUE(0x2f8, "BLOCKDIM_LATCH"),
    VALUE(0x2fc, "LOCAL_WARPS_LOG_ALLOC"),
    VALUE(0x300, "LOCAL_WARPS_NO_CLAMP"),
    VALUE(0x304, "STACK_WARPS_LOG_ALLOC"),
    VALUE(0x308, "STACK_WARPS_NO_CLAMP"),
    VALUE(0x30c, "UNK030C"),
    ARRAY(QUERY_ADDRESS_HIGH, 2, 4, "QUERY_ADDRESS"),
    VALUE(QUERY_SEQUENCE, "QUERY_SEQUENCE"),
    {QUERY_GET, 0, 0, 0, false, "QUERY_GET", query_get},
    ARRAY(COND_ADDRESS_HIGH, 2, 4, "COND_ADDRESS"),
    VALUE(COND_MODE, "COND_MODE"),
    ARRAY(0x32c, 15, 4, "UNK032C"),
    {LAUNCH, 0, 0, 0, false, "LAUNCH", launch_grid},
    ARRAY(0x36c, 2, 4, "UNK036C"),
    VALUE(USER_PARAM_COUNT, "USER_PARAM_COUNT"),
    VALUE(LINKED_TSC, "LINKED_TSC"),
    VALUE(ISA_FLAGS, "ISA_FLAGS"),
    VALUE(0x380, "CODE_CB_FLUSH"),
    VALUE(0x384, "UNK0384"),
    VALUE(GRIDID, "GRIDID"),
    ARRAY(0x38c, 3, 4, "UNK038C"),
    VALUE(0x398, "WRCACHE_FLUSH"),
    ARRAY(0x39c, 2, 4, "UNK039C"),
    VALUE(GRIDDIM, "GRIDDIM"),
    VALUE(SHARED_SIZE, "SHARED_SIZE"),
    VALUE(BLOCKDIM_XY, "BLOCKDIM_XY"),
    VALUE(BLOCKDIM_Z, "BLOCKDIM_Z"),
    VALUE(CP_START_ID, "CP_START_ID"),
    VALUE(0x3b8, "REG_MODE"),
    VALUE(0x3bc, "TEX_LIMITS"),
    {BIND_TSC, 0, 0, 0, false, "BIND_TSC", bind_tsc},
    {BIND_TIC, 0, 0, 0, false, "BIND_TIC", bind_tic},
    {SET_PROGRAM_CB, 0, 0, 0, false, "SET_PROGRAM_CB", set_program_cb},
    VALUE(0x3cc, "UNK03CC"),
    VALUE(0x3d0, "TEX_CACHE_CTL"),
    ARRAY(0x3d4, 5, 4, "UNK03D4"),
    VALUE(TEX_MISC, "TEX_MISC"),
    ARRAY(GLOBAL_ADDRESS_HIGH, 16, 32, "GLOBAL_ADDRESS_HIGH"),
    ARRAY(GLOBAL_ADDRESS_HIGH + 4, 16, 32, "GLOBAL_ADDRESS_LOW"),
    ARRAY(GLOBAL_PITCH, 16, 32, "GLOBAL_PITCH"),
    ARRAY(GLOBAL_LIMIT, 16, 32, "GLOBAL_LIMIT"),
    ARRAY(GLOBAL_MODE, 16, 32, "GLOBAL_MODE"),
    ARRAY(USER_PARAM, USER_PARAMS, 4, "USER_PARAM"),
};

static void start_compute(struct engine *e) {
    e->reg[COND_MODE / 4] = 1; /* always */
}

const struct engine_class engine_compute = {.name = "COMPUTE",
                                            .size = sizeof(struct compute),
                                            .method = methods,
                                            .method_count = sizeof methods / sizeof *methods,
                                            .start = start_compute,
                                            .stop = compute_stop};
