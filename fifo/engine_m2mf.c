/* The memory to memory copy engine (class 5039): rectangles of bytes between linear and
 * block-linear ranges. In: its registers. Out: bytes in GPU memory. Must not know pixel formats: a
 * position is bytes and rows. Facts: tesla-3d.md §5.
 */
#include "fifo/engine.h"
#include "pipeline/transfer/transfer.h"

#include <stdlib.h>

enum {
    LINEAR_IN = 0x200,
    TILING_MODE_IN = 0x204,
    LINEAR_OUT = 0x21c,
    TILING_MODE_OUT = 0x220,
    OFFSET_IN_HIGH = 0x238,
    OFFSET_OUT_HIGH = 0x23c,
    OFFSET_IN = 0x30c,
    OFFSET_OUT = 0x310,
    PITCH_IN = 0x314,
    PITCH_OUT = 0x318,
    LINE_LENGTH_IN = 0x31c,
    LINE_COUNT = 0x320,
    FORMAT = 0x324,
    BUF_NOTIFY = 0x328,
    /* offsets of registers from a side's TILING_MODE */
    TILING_PITCH = 0x04,
    TILING_HEIGHT = 0x08,
    TILING_DEPTH = 0x0c,
    POSITION_Z = 0x10,
    POSITION = 0x14,
};

enum { FORMAT_BYTES = 0x101 /* both increments 1 */ };

struct m2mf_side {
    uint64_t address;
    struct surface surface; /* one byte a texel */
    uint32_t x, y, z;       /* block-linear: position of the rectangle; linear: z is unused */
};

/* Number of bytes from side->address that the rectangle can touch. */
static uint64_t side_extent(const struct m2mf_side *s, uint32_t length, uint32_t lines) {
    return s->surface.linear ? (uint64_t)(lines - 1) * s->surface.pitch + length
                             : surface_layer_bytes(&s->surface);
}

static struct m2mf_side read_side(const struct engine *e, uint32_t linear, uint32_t tiling,
                                  uint32_t offset_high, uint32_t offset, uint32_t pitch) {
    const uint32_t mode = reg_at(e, tiling), position = reg_at(e, tiling + POSITION);
    const bool is_linear = reg_at(e, linear) != 0;
    const uint32_t depth = reg_at(e, tiling + TILING_DEPTH);
    return (struct m2mf_side){
        .address = (uint64_t)(reg_at(e, offset_high) & 0xff) << 32 | reg_at(e, offset),
        .surface =
            {
                .format = FORMAT_R8_UNORM,
                .linear = is_linear,
                .pitch = reg_at(e, pitch),
                .width = reg_at(e, tiling + TILING_PITCH),
                .height = reg_at(e, tiling + TILING_HEIGHT),
                .depth = depth ? depth : 1,
                .is_3d = true,
                .tile_h = mode >> 4 & 0xf,
                .tile_d = mode >> 8 & 0xf,
            },
        .x = is_linear ? 0 : position & 0xffff,
        .y = is_linear ? 0 : position >> 16,
        .z = reg_at(e, tiling + POSITION_Z),
    };
}

static bool side_is_sane(struct engine *e, const struct m2mf_side *s, uint32_t method) {
    if (s->surface.linear ||
        (s->surface.tile_h <= 5 && s->surface.tile_d <= 5 && s->z < s->surface.depth))
        return true;
    engine_complain(e, method, "tile mode %x, slice %u of %u", reg_at(e, method), s->z,
                    s->surface.depth);
    return false;
}

enum { BYTES_PER_WORK = 64 };

/* The watchdog's limits for lines (all may overlap) and for bytes. */
static bool may_copy(struct engine *e, uint32_t length, uint32_t lines) {
    const uint64_t limit = channel_work_limit(e->channel);
    if (!length || !lines)
        return false;
    if (lines <= limit && (uint64_t)length * lines <= limit * BYTES_PER_WORK)
        return true;
    engine_complain(e, BUF_NOTIFY, "%u lines of %u bytes", lines, length);
    return false;
}

static void copy_lines(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count) {
    (void)address, (void)data, (void)count;
    struct m2mf_side from =
        read_side(e, LINEAR_IN, TILING_MODE_IN, OFFSET_IN_HIGH, OFFSET_IN, PITCH_IN);
    struct m2mf_side to =
        read_side(e, LINEAR_OUT, TILING_MODE_OUT, OFFSET_OUT_HIGH, OFFSET_OUT, PITCH_OUT);
    const uint32_t length = reg_at(e, LINE_LENGTH_IN), lines = reg_at(e, LINE_COUNT);
    if (!may_copy(e, length, lines) || !side_is_sane(e, &from, TILING_MODE_IN) ||
        !side_is_sane(e, &to, TILING_MODE_OUT))
        return;
    if (reg_at(e, FORMAT) != FORMAT_BYTES)
        engine_complain(e, FORMAT, "increments %x are taken for bytes", reg_at(e, FORMAT));
    struct surface *source = &from.surface, *target = &to.surface;
    source->size = side_extent(&from, length, lines);
    target->size = side_extent(&to, length, lines);
    source->data = channel_read_at(e->channel, from.address, source->size);
    target->data = channel_write_at(e->channel, to.address, target->size);
    if (!source->data || !target->data)
        return;
    transfer_copy(channel_threads(e->channel), &(struct copy_side){target, to.x, to.y, to.z},
                  &(struct copy_side){source, from.x, from.y, from.z}, length, lines);
    const uint32_t position_step = lines
                                   << 16; /* advances the position for copies in several parts */
    e->reg[(TILING_MODE_IN + POSITION) / 4] += position_step;
    e->reg[(TILING_MODE_OUT + POSITION) / 4] += position_step;
}

static const struct method methods[] = {
    {0x100, 0, 0, 0, false, "NOP", NULL},
    {0x110, 0, 0, 0, false, "SERIALIZE", NULL},
    {0x180, 0, 0, 0, false, "DMA_NOTIFY", NULL},
    {0x184, 0, 0, 0, false, "DMA_BUFFER_IN", NULL},
    {0x188, 0, 0, 0, false, "DMA_BUFFER_OUT", NULL},
    {LINEAR_IN, 0, 0, 0, false, "LINEAR_IN", NULL},
    {TILING_MODE_IN, 0, 0, 0, false, "TILING_MODE_IN", NULL},
    {TILING_MODE_IN + TILING_PITCH, 0, 0, 0, false, "TILING_PITCH_IN", NULL},
    {TILING_MODE_IN + TILING_HEIGHT, 0, 0, 0, false, "TILING_HEIGHT_IN", NULL},
    {TILING_MODE_IN + TILING_DEPTH, 0, 0, 0, false, "TILING_DEPTH_IN", NULL},
    {TILING_MODE_IN + POSITION_Z, 0, 0, 0, false, "TILING_POSITION_IN_Z", NULL},
    {TILING_MODE_IN + POSITION, 0, 0, 0, false, "TILING_POSITION_IN", NULL},
    {LINEAR_OUT, 0, 0, 0, false, "LINEAR_OUT", NULL},
    {TILING_MODE_OUT, 0, 0, 0, false, "TILING_MODE_OUT", NULL},
    {TILING_MODE_OUT + TILING_PITCH, 0, 0, 0, false, "TILING_PITCH_OUT", NULL},
    {TILING_MODE_OUT + TILING_HEIGHT, 0, 0, 0, false, "TILING_HEIGHT_OUT", NULL},
    {TILING_MODE_OUT + TILING_DEPTH, 0, 0, 0, false, "TILING_DEPTH_OUT", NULL},
    {TILING_MODE_OUT + POSITION_Z, 0, 0, 0, false, "TILING_POSITION_OUT_Z", NULL},
    {TILING_MODE_OUT + POSITION, 0, 0, 0, false, "TILING_POSITION_OUT", NULL},
    {OFFSET_IN_HIGH, 0, 0, 0, false, "OFFSET_IN_HIGH", NULL},
    {OFFSET_OUT_HIGH, 0, 0, 0, false, "OFFSET_OUT_HIGH", NULL},
    {OFFSET_IN, 0, 0, 0, false, "OFFSET_IN", NULL},
    {OFFSET_OUT, 0, 0, 0, false, "OFFSET_OUT", NULL},
    {PITCH_IN, 0, 0, 0, false, "PITCH_IN", NULL},
    {PITCH_OUT, 0, 0, 0, false, "PITCH_OUT", NULL},
    {LINE_LENGTH_IN, 0, 0, 0, false, "LINE_LENGTH_IN", NULL},
    {LINE_COUNT, 0, 0, 0, false, "LINE_COUNT", NULL},
    {FORMAT, 0, 0, 0, false, "FORMAT", NULL},
    {BUF_NOTIFY, 0, 0, 0, false, "BUF_NOTIFY", copy_lines},
};

static struct engine *create_m2mf(struct channel *c, uint32_t class_id) {
    (void)c, (void)class_id;
    return calloc(1, sizeof(struct engine));
}

static void destroy_m2mf(struct engine *e) {
    free(e);
}

const struct engine_class engine_m2mf = {
    "M2MF", methods, sizeof methods / sizeof *methods, create_m2mf, destroy_m2mf, NULL,
};
