/* Prefetch of texels: the offsets that tex/ahead.inc computes are those of the surface layout. No
 * result of sampling depends on these offsets, so this test compares them directly. */
#include "base/surface.h"
#include "tests/tex/calls.h"
#include "tests/shapes.h"
#include "tex/ahead.inc"

TEST(test_offsets) {
    static const struct {
        enum pixel_format format;
        uint32_t width, height;
    } row[] = {{FORMAT_RGBA8_UNORM, 300, 200},
               {FORMAT_RGBA8_UNORM, 64, 3},
               {FORMAT_R8_UNORM, 1000, 77},
               {FORMAT_RGBA32_FLOAT, 37, 1025}};
    for (size_t n = 0; n < LENGTH(row); n++) {
        TEXTURE(t, image(row[n].format, TEX_2D, row[n].width, row[n].height));
        const struct tex_level *l = &t.view.level[0];
        const struct surface s =
            SURFACE(row[n].format, row[n].width, row[n].height, 1, .tile_h = l->tile_h);
        const uint32_t bytes = format_info(row[n].format)->bytes;
        for (int i = 0; i < 200; i++) {
            f32x8 at[2];
            uint32_t x[8], y[8];
            for (int lane = 0; lane < 8; lane++) {
                x[lane] = random_below(s.width);
                y[lane] = random_below(s.height);
                at[0][lane] = ((float)x[lane] + 0.5f) / (float)s.width + (float)(lane - 4);
                at[1][lane] = ((float)y[lane] + 0.5f) / (float)s.height + (float)(lane & 1);
            }
            const u32x8 offset = offsets_at(l, bytes, at[0], at[1]);
            for (int lane = 0; lane < 8; lane++)
                assert_int_equal(offset[lane], surface_offset(&s, x[lane] * bytes, y[lane], 0));
        }
    }
}
