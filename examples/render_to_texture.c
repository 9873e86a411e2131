/* Two passes: a triangle into a small texture, then this texture tiled over the picture. No call is
 * needed between drawing into a texture and sampling it, because work is done in the order of the
 * calls. */
#include "example.h"

enum { SIZE = 256, SMALL = 64 };

static const char vertex_program[] =
    ".attr 0 xy\n.output position o[0x0]\n.output varying o[0x10] 2\n"
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
    "mov b32 $r0 0.0\nmov b32 o[0x8] $r0\nmov b32 $r0 1.0\nmov b32 o[0xc] $r0\n"
    "mov b32 o[0x10] a[0x0]\nexit mov b32 o[0x14] a[0x4]\n";
static const char orange_program[] = ".interpolants position=w\nmov b32 $r0 1.0\nmov b32 $r1 0.5\n"
                                     "mov b32 $r2 0.0\nmov b32 $r3 1.0\nexit nop\n";
static const char texture_program[] =
    ".interpolants position=w smooth=2\ninterp $r3 v[0x0]\nrcp f32 $r3 $r3\n"
    "interp $r0 v[0x4] $r3\ninterp $r1 v[0x8] $r3\nadd f32 $r0 $r0 $r0\nadd f32 $r1 $r1 $r1\n"
    "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n";
static const float vertex[][2] = {{0, 0.9f}, {-0.9f, -0.9f}, {0.9f, -0.9f}, /* a triangle */
                                  {-1, 1},   {3, 1},         {-1, -3}};     /* covers the target */

int main(int argc, char **argv) {
    tp_context *context = open_context();
    tp_texture *picture = make_texture(TP_FORMAT_RGBA8, SIZE, false);
    tp_texture *tile = make_texture(TP_FORMAT_RGBA8, SMALL, false);
    tp_program *vp = make_program(TP_VERTEX, vertex_program);
    tp_program *orange = make_program(TP_FRAGMENT, orange_program);
    tp_program *textured = make_program(TP_FRAGMENT, texture_program);
    tp_buffer *vertices = make_buffer(sizeof vertex, vertex);

    check(tp_bind_program(context, TP_VERTEX, vp));
    check(tp_bind_vertices(context, 0, vertices, 0, sizeof *vertex, 0));
    check(tp_set_attribute(context, 0, 0, 0, 2, TP_FLOAT32));

    check(tp_set_target(context, tile, NULL));
    check(tp_clear(context, TP_CLEAR_COLOR, (const float[4]){0, 0, 0.4f, 1}, 1, 0));
    check(tp_bind_program(context, TP_FRAGMENT, orange));
    check(tp_draw_arrays(context, TP_TRIANGLES, 0, 3));

    check(tp_set_target(context, picture, NULL));
    check(tp_bind_program(context, TP_FRAGMENT, textured));
    check(tp_bind_texture(context, TP_FRAGMENT, 0, tile, NULL)); /* nearest, repeated */
    check(tp_draw_arrays(context, TP_TRIANGLES, 3, 3));

    uint8_t *rgba = read_picture(context, picture, argc > 1 ? argv[1] : NULL);
    int blue = 0, yellow = 0;
    for (int i = 0; i < SIZE * SIZE; i++) {
        blue += rgba[4 * i + 2] == 102;
        yellow += rgba[4 * i] == 255;
    }
    expect(blue + yellow == SIZE * SIZE && blue > SIZE && yellow > SIZE, "two colours");

    free(rgba);
    tp_buffer_destroy(vertices);
    tp_program_destroy(vp), tp_program_destroy(orange), tp_program_destroy(textured);
    tp_texture_destroy(picture), tp_texture_destroy(tile);
    tp_context_destroy(context), tp_device_destroy(device);
}
