/* The inputs of geometry and tessellation programs: words of 32 vertices, one a lane, gathered from
 * their rows. In: the place of each lane's vertex, rows. Out: p[] rows. Must not know primitives.
 */
#include "pipeline/front/geometry.h"

void SIMD_FN(gather_corners)(const struct vertex_rows *rows, const uint32_t *at, uint32_t slots,
                             lane_mask lanes, u32x32 *out) {
    const u32x32 live = lanes_from_mask(lanes);
    u32x16 index[2];
    memcpy(index, at, sizeof index);
    for (uint32_t k = 0; k < slots; k++) {
        const uint32_t *row = (const uint32_t *)(rows->data + rows->layout.row[k]);
        union {
            u32x16 half[2];
            u32x32 all;
        } words = {.half = {gather16(row, index[0]), gather16(row, index[1])}};
        out[k] = words.all & live;
    }
}
