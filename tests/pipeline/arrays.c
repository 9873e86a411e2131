/* Attributes and the vertex arrays that they read. */
#include "pipeline/context.h"
#include "tests/pipeline/greys.h"
#include "tests/pipeline/colours.h"
#include "tests/shapes.h"

/* An attribute comes from its array, whatever the other arrays contain. */
DRAW_TEST(test_each_array, 1, SIZE) {
    enum { ARRAYS = 16 };
    static const char vp_text[] = ".attr 0 xyzw\n.attr 1 x\n.output position o[0x0]\n.output "
                                  "varying o[0x10] 4\n" PASS_POSITION "mov b32 $r0 a[0x10]\n" GREY;
    tp_buffer *value[ARRAYS];
    fixture_bind(f, TP_VERTEX, vp_text);
    fixture_vertices(f, square, 4);
    for (unsigned i = 1; i < ARRAYS; i++) {
        const float grey = (float)(10 * i) / 255, data[4] = {grey, grey, grey, grey};
        value[i] = fixture_buffer(f, sizeof data, data);
        OK(f, tp_bind_vertices(f->context, i, value[i], 0, 4, 0));
    }
    for (unsigned i = 1; i < ARRAYS; i++) {
        OK(f, tp_set_attribute(f->context, 1, i, 0, 1, TP_FLOAT32));
        OK(f, tp_set_scissor(f->context, 0, (int)(4 * i), 0, 4, SIZE));
        OK(f, tp_draw_arrays(f->context, TP_QUADS, 0, 4));
    }
    fixture_read(f);
    for (unsigned i = 1; i < ARRAYS; i++)
        assert_int_equal(red_at(f, 4 * i + 1, 9), 10 * i);
}

/* Arrays 1 to 15 as per-instance arrays: reading starts at first_instance. base_vertex applies to
 * indices only. */
DRAW_TEST(test_array_numbers, 1, SIDE) {
    float v[6][8], colors[8][4];
    static const float none[3];
    for (int k = 0; k < 6; k++) /* the second triangle covers nothing */
        set_vertex(v[k], k == 1 ? 2 * SIDE : 0, k == 2 ? 2 * SIDE : 0, 0, none);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 4; k++)
            colors[i][k] = k == 3 ? 1 : (float)(i * 30 + k * 7) / 255;
    tp_buffer *per_instance = fixture_buffer(f, sizeof colors, colors);
    fixture_vertices(f, (const float(*)[8])v, 6);
    for (unsigned array = 1; array < 16; array++)
        for (uint32_t first = 0; first < 8; first++) {
            OK(f, tp_bind_vertices(f->context, array, per_instance, 0, 16, 1));
            OK(f, tp_set_attribute(f->context, 1, array, 0, 4, TP_FLOAT32));
            OK(f, tp_draw(f->context,
                          &DRAW_INFO(TP_TRIANGLES, 3, .base_vertex = 3, .first_instance = first)));
            fixture_read(f);
            assert_int_equal(fixture_pixel(f, 50, 50), 0xff000000 | (first * 30 + 14) << 16 |
                                                           (first * 30 + 7) << 8 | first * 30);
            OK(f, tp_bind_vertices(f->context, array, NULL, 0, 0, 0));
        }
}
