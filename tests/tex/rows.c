/* Texels that lie side by side in memory are loaded as rows (base/vec_gather.h), with the results
 * of a load per lane. The texels of the lanes lie in a line, or quads of them lie side by side; or
 * one lane's texel lies elsewhere. */
#include "base/memory.h"
#include "tests/tex/fixture.h"
#include "tests/shapes.h"

enum { WIDTH = 16, HEIGHT = 8, PIECE = 64 };

enum { LINES, QUADS, ARRANGEMENTS };

/* The place of a lane in its row, and the number of its row. */
static void place(int arrangement, uint32_t lane, uint32_t *x, uint32_t *y) {
    if (arrangement == LINES) {
        *x = lane % WIDTH;
        *y = lane / WIDTH;
    } else {
        *x = lane / 4 * 2 % WIDTH + (lane & 1);
        *y = lane >> 1 & 1;
    }
}

static void make_view(struct gpu_memory *memory, struct tex_view *view) {
    struct tex_image image = IMAGE(FORMAT_R32_UINT, TEX_2D, WIDTH, HEIGHT, 1, 1, );
    uint32_t tic[8];
    image.address = memory_alloc(memory, tex_image_layout(&image, NULL, NULL), 256);
    uint8_t *const data = memory_at(memory, image.address, PIECE * HEIGHT);
    assert_non_null(data);
    for (uint32_t y = 0; y < HEIGHT; y++) /* one column of tiles */
        for (uint32_t x = 0; x < WIDTH; x++)
            memcpy(data + PIECE * y + 4 * x, &(uint32_t){y << 16 | x}, 4);
    tex_image_tic(&image, 0, 0, tic);
    assert_int_equal(tex_view_decode(tic, memory, view, NULL, 0), 0);
}

/* first: texel of the first lane. shifted: a lane that lies one texel off its place; LANES:
 * none. */
static void check(enum simd_level level, const struct tex_view *view, int arrangement,
                  uint32_t first, uint32_t shifted) {
    const struct tex_args args = {
        .op = TEX_OP_FETCH, .source_count = 3, .lanes = LANES_ALL, .result_mask = 1};
    u32x32 reg[4] = {{0}};
    uint32_t want[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t x, y;
        place(arrangement, lane, &x, &y);
        x = (x + first + (lane == shifted)) % WIDTH;
        y = (y + first) % HEIGHT;
        reg[0][lane] = x;
        reg[1][lane] = y;
        want[lane] = y << 16 | x;
    }
    tex_run(level, view, NULL, &args, reg);
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (reg[0][lane] != want[lane])
            fail_msg("level %d, arrangement %d, first %u, shifted %u: lane %u has %08x, not %08x",
                     (int)level, arrangement, first, shifted, lane, reg[0][lane], want[lane]);
}

TEST(test_rows) {
    struct gpu_memory *memory = memory_create(1 << 20, -1);
    struct tex_view view;
    assert_non_null(memory);
    make_view(memory, &view);
    for (enum simd_level level = 0; level <= simd_best(); level++)
        for (int arrangement = 0; arrangement < ARRANGEMENTS; arrangement++)
            for (uint32_t first = 0; first < WIDTH; first++)
                for (uint32_t shifted = 0; shifted <= LANES; shifted++)
                    check(level, &view, arrangement, first, shifted);
    memory_destroy(memory);
}
