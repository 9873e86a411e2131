/* A geometry program: the draw has points, and the program makes a square of each point: a strip of
 * four vertices. */
#include "example.h"

enum { SIZE = 128, POINTS = 4 };

static const char vertex_program[] =
    ".attr 0 xy\n.output position o[0x0]\nmov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
    "mov b32 $r0 0.0\nmov b32 o[0x8] $r0\nmov b32 $r0 1.0\nexit mov b32 o[0xc] $r0\n";
/* $r4 and $r5: the point's x and y; $a1: the place of the point's words in p[] */
#define CORNER(x, y)                                                                               \
    "mov b32 $r0 " x "\nadd f32 $r0 $r0 $r4\nmov b32 o[0x0] $r0\n"                                 \
    "mov b32 $r0 " y "\nadd f32 $r0 $r0 $r5\nmov b32 o[0x4] $r0\n"                                 \
    "mov b32 $r0 0.0\nmov b32 o[0x8] $r0\nmov b32 $r0 1.0\nmov b32 o[0xc] $r0\nemit\n"
static const char geometry_program[] =
    ".primitive triangle_strip\n.vertices 4\n.output position o[0x0]\n"
    "shl $a1 a[0x0] 0\nmov b32 $r4 p[$a1]\nmov b32 $r5 p[$a1+0x4]\n" CORNER("-0.25", "-0.25")
        CORNER("0.25", "-0.25") CORNER("-0.25", "0.25") CORNER("0.25", "0.25") "exit nop\n";
static const char fragment_program[] =
    ".interpolants position=w\nmov b32 $r0 0.0\nmov b32 $r1 1.0\n"
    "mov b32 $r2 0.0\nmov b32 $r3 1.0\nexit nop\n";
static const float point[POINTS][2] = {{-0.5f, -0.5f}, {0.5f, -0.5f}, {-0.5f, 0.5f}, {0.5f, 0.5f}};

int main(int argc, char **argv) {
    tp_context *context = open_context();
    tp_texture *picture = make_texture(TP_FORMAT_RGBA8, SIZE, false);
    tp_program *vp = use_program(context, TP_VERTEX, vertex_program);
    tp_program *gp = use_program(context, TP_GEOMETRY, geometry_program);
    tp_program *fp = use_program(context, TP_FRAGMENT, fragment_program);
    tp_buffer *points = make_buffer(sizeof point, point);

    check(tp_set_target(context, picture, NULL));
    check(tp_clear(context, TP_CLEAR_COLOR, NULL, 1, 0));
    check(tp_bind_vertices(context, 0, points, 0, sizeof *point, 0));
    check(tp_set_attribute(context, 0, 0, 0, 2, TP_FLOAT32));
    check(tp_query_begin(context));
    check(tp_draw_arrays(context, TP_POINTS, 0, POINTS));
    uint64_t samples;
    check(tp_query_end(context, &samples));
    uint8_t *rgba = read_picture(context, picture, argc > 1 ? argv[1] : NULL);
    expect(samples == SIZE * SIZE / 4, "a quarter of the picture");
    expect(rgba[4 * (SIZE / 4 * SIZE + SIZE / 4) + 1] == 255, "green in the middle of a quarter");

    free(rgba);
    tp_buffer_destroy(points);
    tp_program_destroy(vp), tp_program_destroy(gp), tp_program_destroy(fp);
    tp_texture_destroy(picture);
    tp_context_destroy(context), tp_device_destroy(device);
}
