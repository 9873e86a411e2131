/* One small triangle, drawn a hundred times by one draw: place and colour change with each
 * instance. */
#include "example.h"

enum { SIZE = 200, SIDE = 10 };

static const char vertex_program[] = /* a[]: x y, then the instance's x y, r g b a */
    ".attr 0 xy\n.attr 1 xy\n.attr 2 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
    "mov b32 $r0 a[0x0]\nmov b32 $r1 a[0x8]\nadd f32 $r0 $r0 $r1\nmov b32 o[0x0] $r0\n"
    "mov b32 $r0 a[0x4]\nmov b32 $r1 a[0xc]\nadd f32 $r0 $r0 $r1\nmov b32 o[0x4] $r0\n"
    "mov b32 $r0 0.0\nmov b32 o[0x8] $r0\nmov b32 $r0 1.0\nmov b32 o[0xc] $r0\n"
    "mov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\nmov b32 o[0x18] a[0x18]\n"
    "exit mov b32 o[0x1c] a[0x1c]\n";
static const char fragment_program[] =
    ".interpolants position=w flat=4\ninterp $r0 flat v[0x4]\ninterp $r1 flat v[0x8]\n"
    "interp $r2 flat v[0xc]\ninterp $r3 flat v[0x10]\nexit nop\n";
static const float corner[3][2] = {{-0.08f, -0.08f}, {0.08f, -0.08f}, {0, 0.08f}};

int main(int argc, char **argv) {
    struct {
        float place[2];
        uint8_t color[4];
    } instance[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        instance[i].place[0] = ((float)(i % SIDE) + 0.5f) * 2 / SIDE - 1;
        instance[i].place[1] = ((float)(i / SIDE) + 0.5f) * 2 / SIDE - 1;
        const uint8_t color[4] = {(uint8_t)(25 * (i % SIDE)), (uint8_t)(25 * (i / SIDE)), 200, 255};
        for (int k = 0; k < 4; k++)
            instance[i].color[k] = color[k];
    }
    tp_context *context = open_context();
    tp_texture *picture = make_texture(TP_FORMAT_RGBA8, SIZE, false);
    tp_program *vp = use_program(context, TP_VERTEX, vertex_program);
    tp_program *fp = use_program(context, TP_FRAGMENT, fragment_program);
    tp_buffer *corners = make_buffer(sizeof corner, corner);
    tp_buffer *instances = make_buffer(sizeof instance, instance);

    check(tp_set_target(context, picture, NULL));
    check(tp_clear(context, TP_CLEAR_COLOR, NULL, 1, 0));
    check(tp_bind_vertices(context, 0, corners, 0, sizeof *corner, 0));
    /* a step for each instance */
    check(tp_bind_vertices(context, 1, instances, 0, sizeof *instance, 1));
    check(tp_set_attribute(context, 0, 0, 0, 2, TP_FLOAT32));
    check(tp_set_attribute(context, 1, 1, 0, 2, TP_FLOAT32));
    check(tp_set_attribute(context, 2, 1, 8, 4, TP_UNORM8));
    check(tp_draw(context, &(struct tp_draw_info){
                               .primitive = TP_TRIANGLES, .count = 3, .instances = SIDE * SIDE}));
    uint8_t *rgba = read_picture(context, picture, argc > 1 ? argv[1] : NULL);
    for (int i = 0; i < SIDE * SIDE; i++) { /* the middle of a triangle; row 0 is at the top */
        const int cell = SIZE / SIDE, x = i % SIDE * cell + cell / 2;
        const int y = SIZE - 1 - (i / SIDE * cell + cell / 2);
        const uint8_t *pixel = rgba + 4 * (y * SIZE + x);
        expect(pixel[0] == 25 * (i % SIDE) && pixel[1] == 25 * (i / SIDE), "each its colour");
    }
    free(rgba);
    tp_buffer_destroy(corners), tp_buffer_destroy(instances);
    tp_program_destroy(vp), tp_program_destroy(fp);
    tp_texture_destroy(picture);
    tp_context_destroy(context), tp_device_destroy(device);
}
