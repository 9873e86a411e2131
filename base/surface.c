/* Surface addressing: byte offsets and sizes of linear and block-linear surfaces. In: a surface and
 * a position. Out: byte offsets, always computed in 64 bits so that hostile sizes cannot wrap.
 * The caller checks bounds, against surface.size. Layout: tesla-3d.md §3.
 */
#include "base/surface.h"

static uint64_t divide_up(uint64_t n, uint32_t by) {
    return n / by + (n % by != 0);
}

static uint64_t row_bytes(const struct surface *s) {
    const struct format_info *f = format_info(s->format);
    return divide_up(s->width, f->block_w) * f->bytes;
}

static uint32_t row_count(const struct surface *s) {
    return (uint32_t)divide_up(s->height, format_info(s->format)->block_h);
}

struct surface_row surface_row(const struct surface *s, uint32_t y, uint32_t z) {
    if (s->linear)
        return (struct surface_row){z * s->layer_stride + (uint64_t)y * s->pitch, SURFACE_LINE};
    const uint32_t h = 2u + s->tile_h, d = s->is_3d ? s->tile_d : 0;
    const uint64_t tiles_x = divide_up(row_bytes(s), SURFACE_LINE);
    const uint64_t tiles_y = divide_up(row_count(s), 1u << h);
    const uint64_t layer = s->is_3d ? 0 : z * s->layer_stride;
    const uint32_t slice = s->is_3d ? z : 0;
    const uint64_t tile = ((slice >> d) * tiles_y + (y >> h)) * tiles_x;
    const uint32_t row = (slice & ((1u << d) - 1)) << h | (y & ((1u << h) - 1));
    return (struct surface_row){layer + (tile << (6 + h + d)) + row * SURFACE_LINE,
                                UINT64_C(1) << (6 + h + d)};
}

uint64_t surface_offset(const struct surface *s, uint32_t xb, uint32_t y, uint32_t z) {
    const struct surface_row row = surface_row(s, y, z);
    return surface_row_offset(&row, xb);
}

uint64_t surface_layer_bytes(const struct surface *s) {
    const uint64_t rows = row_count(s);
    if (s->linear)
        return rows * s->pitch * (s->is_3d ? s->depth : 1);
    const uint32_t h = 2u + s->tile_h, d = s->is_3d ? s->tile_d : 0;
    const uint64_t tiles_x = divide_up(row_bytes(s), SURFACE_LINE);
    const uint64_t tiles_y = divide_up(row_count(s), 1u << h);
    const uint64_t tiles_z = s->is_3d ? divide_up(s->depth, 1u << d) : 1;
    return tiles_x * tiles_y * tiles_z << (6 + h + d);
}

/* The tile mode of a level, by the driver's rule. The tile height is the least that holds the rows,
 * up to 64. 3D tiles are at most 16 rows high and as deep as the slices need. A 3D tile of 16 rows
 * has at most 16 slices, a lower one at most 32. These heights are Tesla's (least 0); a Fermi's
 * (least 1) are twice as large. */
void surface_level_tile_mode(uint8_t least, uint8_t level0_h, uint8_t level0_d, uint32_t rows,
                             uint32_t slices, uint8_t *tile_h, uint8_t *tile_d) {
    const uint8_t most = level0_h > least ? level0_h - least : 0;
    uint8_t h = 0, d = 0;
    while (h < 4 && rows > 4u << (least + h))
        h++;
    if (level0_d && h > 2)
        h = 2;
    h = h < most ? h : most;
    while (d < (h < 2 ? 5 : 4) && slices > 1u << d)
        d++;
    *tile_h = least + h;
    *tile_d = d < level0_d ? d : level0_d;
}

void surface_sample_shift(uint32_t samples, uint32_t *x, uint32_t *y) {
    *x = samples >= 8 ? 2 : samples >= 2 ? 1 : 0;
    *y = samples >= 4 ? 1 : 0;
}
