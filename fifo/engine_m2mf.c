/* The memory to memory copy engines (classes 5039 and 9039): rectangles of bytes between linear and
 * block-linear ranges; Fermi's also takes bytes from the pushbuffer. In: the engine's registers.
 * Out: bytes in GPU memory. Must not know pixel formats: a position is bytes and rows. Facts:
 * tesla-3d.md §5; fermi-3d.md §10.
 */
#include "fifo/engine.h"
#include "pipeline/transfer/transfer.h"

#include <stdlib.h>

/* Tesla's methods. */
#define METHODS(X)                                                                                 \
    X(NOP, 0x100, 0, 0, false, NULL)                                                               \
    X(SERIALIZE, 0x110, 0, 0, false, NULL)                                                         \
    X(DMA_NOTIFY, 0x180, 0, 0, false, NULL)                                                        \
    X(DMA_BUFFER_IN, 0x184, 0, 0, false, NULL)                                                     \
    X(DMA_BUFFER_OUT, 0x188, 0, 0, false, NULL)                                                    \
    X(LINEAR_IN, 0x200, 0, 0, false, NULL)                                                         \
    X(TILING_MODE_IN, 0x204, 0, 0, false, NULL)                                                    \
    X(TILING_PITCH_IN, 0x208, 0, 0, false, NULL)                                                   \
    X(TILING_HEIGHT_IN, 0x20c, 0, 0, false, NULL)                                                  \
    X(TILING_DEPTH_IN, 0x210, 0, 0, false, NULL)                                                   \
    X(TILING_POSITION_IN_Z, 0x214, 0, 0, false, NULL)                                              \
    X(TILING_POSITION_IN, 0x218, 0, 0, false, NULL)                                                \
    X(LINEAR_OUT, 0x21c, 0, 0, false, NULL)                                                        \
    X(TILING_MODE_OUT, 0x220, 0, 0, false, NULL)                                                   \
    X(TILING_PITCH_OUT, 0x224, 0, 0, false, NULL)                                                  \
    X(TILING_HEIGHT_OUT, 0x228, 0, 0, false, NULL)                                                 \
    X(TILING_DEPTH_OUT, 0x22c, 0, 0, false, NULL)                                                  \
    X(TILING_POSITION_OUT_Z, 0x230, 0, 0, false, NULL)                                             \
    X(TILING_POSITION_OUT, 0x234, 0, 0, false, NULL)                                               \
    X(OFFSET_IN_HIGH, 0x238, 0, 0, false, NULL)                                                    \
    X(OFFSET_OUT_HIGH, 0x23c, 0, 0, false, NULL)                                                   \
    X(OFFSET_IN, 0x30c, 0, 0, false, NULL)                                                         \
    X(OFFSET_OUT, 0x310, 0, 0, false, NULL)                                                        \
    X(PITCH_IN, 0x314, 0, 0, false, NULL)                                                          \
    X(PITCH_OUT, 0x318, 0, 0, false, NULL)                                                         \
    X(LINE_LENGTH_IN, 0x31c, 0, 0, false, NULL)                                                    \
    X(LINE_COUNT, 0x320, 0, 0, false, NULL)                                                        \
    X(FORMAT, 0x324, 0, 0, false, NULL)                                                            \
    X(BUF_NOTIFY, 0x328, 0, 0, false, copy_lines)
enum {
    METHODS(METHOD_ADDRESS)
    /* registers that Fermi has at other numbers, or only Fermi has */
    FERMI_OFFSET_OUT_HIGH = 0x238,
    FERMI_OFFSET_OUT = 0x23c,
    FERMI_OFFSET_IN_HIGH = 0x30c,
    FERMI_OFFSET_IN = 0x310,
    FERMI_POSITION_IN_X = 0x344,
    FERMI_POSITION_OUT_X = 0x34c,
    EXEC = 0x300,
    DATA = 0x304,
    /* offsets of registers from a side's TILING_MODE */
    TILING_PITCH = 0x04,
    TILING_HEIGHT = 0x08,
    TILING_DEPTH = 0x0c,
    POSITION_Z = 0x10,
    POSITION = 0x14,
};

enum { FORMAT_BYTES = 0x101 /* both increments 1 */ };
enum { EXEC_PUSH = 1, EXEC_LINEAR_IN = 0x10, EXEC_LINEAR_OUT = 0x100 };

struct engine_m2mf {
    struct engine base;
    uint64_t received; /* bytes of the current push so far */
};

struct m2mf_side {
    uint64_t address;
    struct surface surface; /* a texel is one byte */
    /* position of the rectangle, in bytes, rows, layers; linear: z is unused */
    uint32_t x, y, z;
};

/* Number of bytes from s->address on that the rectangle can touch. */
static uint64_t side_extent(const struct m2mf_side *s, uint32_t length, uint32_t lines) {
    return s->surface.linear ? (uint64_t)(lines - 1) * s->surface.pitch + length
                             : surface_layer_bytes(&s->surface);
}

/* Reads all of a side but its position. */
static struct m2mf_side read_side(const struct engine *e, bool is_linear, uint32_t tiling,
                                  uint32_t offset_high, uint32_t offset, uint32_t pitch) {
    const uint32_t mode = reg_at(e, tiling), depth = reg_at(e, tiling + TILING_DEPTH);
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
                .tile_h = engine_tile_height(e, mode),
                .tile_d = mode >> 8 & 0xf,
            },
        .z = reg_at(e, tiling + POSITION_Z),
    };
}

static struct m2mf_side read_tesla_side(const struct engine *e, uint32_t linear, uint32_t tiling,
                                        uint32_t offset_high, uint32_t offset, uint32_t pitch) {
    struct m2mf_side s = read_side(e, reg_at(e, linear) != 0, tiling, offset_high, offset, pitch);
    const uint32_t position = reg_at(e, tiling + POSITION);
    s.x = s.surface.linear ? 0 : position & 0xffff;
    s.y = s.surface.linear ? 0 : position >> 16;
    return s;
}

static struct m2mf_side read_fermi_side(const struct engine *e, bool out) {
    const bool linear = reg_at(e, EXEC) & (out ? EXEC_LINEAR_OUT : EXEC_LINEAR_IN);
    const uint32_t position = out ? FERMI_POSITION_OUT_X : FERMI_POSITION_IN_X;
    struct m2mf_side s =
        out ? read_side(e, linear, TILING_MODE_OUT, FERMI_OFFSET_OUT_HIGH, FERMI_OFFSET_OUT,
                        PITCH_OUT)
            : read_side(e, linear, TILING_MODE_IN, FERMI_OFFSET_IN_HIGH, FERMI_OFFSET_IN, PITCH_IN);
    s.x = linear ? 0 : reg_at(e, position);
    s.y = linear ? 0 : reg_at(e, position + 4);
    return s;
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

/* True if there is work, within the channel's work limit. The number of lines has a limit, too,
 * since all lines may lie at one address (pitch 0). */
static bool may_copy(struct engine *e, uint32_t length, uint32_t lines) {
    const uint64_t limit = channel_work_limit(e->channel);
    if (!length || !lines)
        return false;
    if (lines <= limit && (uint64_t)length * lines <= limit * BYTES_PER_WORK)
        return true;
    engine_complain(e, engine_is_fermi(e) ? EXEC : BUF_NOTIFY, "%u lines of %u bytes", lines,
                    length);
    return false;
}

/* Copies between two sides that side_is_sane has accepted. */
static void copy_sides(struct engine *e, struct m2mf_side *from, struct m2mf_side *to,
                       uint32_t length, uint32_t lines) {
    struct surface *source = &from->surface, *target = &to->surface;
    source->size = side_extent(from, length, lines);
    target->size = side_extent(to, length, lines);
    work_begin(channel_threads(e->channel), WORK_COPY);
    source->data = channel_read_at(e->channel, from->address, source->size);
    target->data = channel_write_at(e->channel, to->address, target->size);
    work_end(channel_threads(e->channel));
    if (source->data && target->data)
        transfer_copy(channel_threads(e->channel), &(struct copy_side){target, to->x, to->y, to->z},
                      &(struct copy_side){source, from->x, from->y, from->z}, length, lines);
}

static void copy_lines(struct engine *e, uint32_t, const uint32_t *, uint32_t) {
    struct m2mf_side from =
        read_tesla_side(e, LINEAR_IN, TILING_MODE_IN, OFFSET_IN_HIGH, OFFSET_IN, PITCH_IN);
    struct m2mf_side to =
        read_tesla_side(e, LINEAR_OUT, TILING_MODE_OUT, OFFSET_OUT_HIGH, OFFSET_OUT, PITCH_OUT);
    const uint32_t length = reg_at(e, LINE_LENGTH_IN), lines = reg_at(e, LINE_COUNT);
    if (!may_copy(e, length, lines) || !side_is_sane(e, &from, TILING_MODE_IN) ||
        !side_is_sane(e, &to, TILING_MODE_OUT))
        return;
    if (reg_at(e, FORMAT) != FORMAT_BYTES)
        engine_complain(e, FORMAT, "increments %x are taken for bytes", reg_at(e, FORMAT));
    copy_sides(e, &from, &to, length, lines);
    /* the next EXEC goes on behind the copied lines: a driver copies many lines in several parts */
    const uint32_t position_step = lines << 16;
    e->reg[(TILING_MODE_IN + POSITION) / 4] += position_step;
    e->reg[(TILING_MODE_OUT + POSITION) / 4] += position_step;
}

/* ---- Fermi ---- */

/* Without EXEC_PUSH, copies. With EXEC_PUSH, begins a push: the bytes follow in DATA. */
static void fermi_exec(struct engine *e, uint32_t, const uint32_t *data, uint32_t) {
    const uint32_t length = reg_at(e, LINE_LENGTH_IN), lines = reg_at(e, LINE_COUNT);
    ((struct engine_m2mf *)e)->received = 0;
    if (*data & EXEC_PUSH)
        return;
    struct m2mf_side from = read_fermi_side(e, false), to = read_fermi_side(e, true);
    if (may_copy(e, length, lines) && side_is_sane(e, &from, TILING_MODE_IN) &&
        side_is_sane(e, &to, TILING_MODE_OUT))
        copy_sides(e, &from, &to, length, lines);
}

/* Writes the next n bytes of a push. In bytes[], lines follow each other without gaps. */
static void push_bytes(struct engine *e, struct m2mf_side *to, const uint8_t *bytes, uint64_t n) {
    const uint32_t length = reg_at(e, LINE_LENGTH_IN);
    uint64_t *received = &((struct engine_m2mf *)e)->received;
    while (n) {
        const uint32_t column = (uint32_t)(*received % length);
        const uint32_t line = (uint32_t)(*received / length);
        const uint32_t run = n < length - column ? (uint32_t)n : length - column;
        const struct surface source = {.data = (uint8_t *)bytes, /* only read */
                                       .size = run,
                                       .format = FORMAT_R8_UNORM,
                                       .width = run,
                                       .height = 1,
                                       .depth = 1,
                                       .linear = true,
                                       .pitch = run};
        transfer_copy(channel_threads(e->channel),
                      &(struct copy_side){&to->surface, to->x + column, to->y + line, to->z},
                      &(struct copy_side){&source, 0, 0, 0}, run, 1);
        *received += run;
        bytes += run;
        n -= run;
    }
}

static void fermi_data(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count) {
    const uint32_t length = reg_at(e, LINE_LENGTH_IN), lines = reg_at(e, LINE_COUNT);
    const uint64_t done = ((struct engine_m2mf *)e)->received;
    struct m2mf_side to = read_fermi_side(e, true);
    if (!(reg_at(e, EXEC) & EXEC_PUSH)) {
        engine_complain(e, address, "without EXEC");
        return;
    }
    if (!may_copy(e, length, lines) || !side_is_sane(e, &to, TILING_MODE_OUT))
        return;
    const uint64_t left = (uint64_t)length * lines - done,
                   n = 4ull * count < left ? 4ull * count : left;
    to.surface.size = side_extent(&to, length, lines);
    to.surface.data = n ? channel_write_at(e->channel, to.address, to.surface.size) : NULL;
    if (to.surface.data)
        push_bytes(e, &to, (const uint8_t *)data, n);
}

static const struct method fermi_methods[] = {
    {0x100, 0, 0, 0, false, "NOP", NULL},
    {0x104, 2, 4, 0, false, "NOTIFY_ADDRESS", NULL},
    {0x110, 0, 0, 0, false, "SERIALIZE", NULL},
    {TILING_MODE_IN, 5, 4, 0, false, "BLOCKLINEAR_IN", NULL},
    {TILING_MODE_OUT, 5, 4, 0, false, "BLOCKLINEAR_OUT", NULL},
    {FERMI_OFFSET_OUT_HIGH, 2, 4, 0, false, "OFFSET_OUT", NULL},
    {EXEC, 0, 0, 0, false, "EXEC", fermi_exec},
    {DATA, 0, 0, 0, true, "DATA", fermi_data},
    {FERMI_OFFSET_IN_HIGH, 2, 4, 0, false, "OFFSET_IN", NULL},
    {PITCH_IN, 0, 0, 0, false, "PITCH_IN", NULL},
    {PITCH_OUT, 0, 0, 0, false, "PITCH_OUT", NULL},
    {LINE_LENGTH_IN, 0, 0, 0, false, "LINE_LENGTH_IN", NULL},
    {LINE_COUNT, 0, 0, 0, false, "LINE_COUNT", NULL},
    {0x32c, 3, 4, 0, false, "QUERY", NULL},
    {FERMI_POSITION_IN_X, 4, 4, 0, false, "POSITION_IN_OUT", NULL},
};

/* ---- Tesla ---- */

static const struct method methods[] = {METHODS(METHOD_ROW)};

const struct engine_class engine_m2mf = {.name = "M2MF",
                                         .size = sizeof(struct engine_m2mf),
                                         .method = methods,
                                         .method_count = sizeof methods / sizeof *methods};

const struct engine_class engine_m2mf_fermi = {.name = "M2MF",
                                               .size = sizeof(struct engine_m2mf),
                                               .method = fermi_methods,
                                               .method_count =
                                                   sizeof fermi_methods / sizeof *fermi_methods};
