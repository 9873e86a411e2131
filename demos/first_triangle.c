/* The first program to read and to run: draws a Gouraud triangle with Tesla machine code into
 * triangle.png. Build: cc first_triangle.c $(pkg-config --cflags --libs teslapipe libpng) */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <teslapipe.h>

enum { WIDTH = 640, HEIGHT = 480 };

static const float vertices[3][6] = {
    /* x y z, r g b */
    {0.0f, 0.8f, 0, 1, 0, 0},
    {-0.8f, -0.8f, 0, 0, 1, 0},
    {0.8f, -0.8f, 0, 0, 0, 1},
};
static const char vertex_program[] = /* a[]: x y z r g b; o[]: position, color */
    ".attr 0 xyz\n .attr 1 xyz\n .output position o[0x0]\n .output varying o[0x10] 3\n"
    "mov b32 o[0x0] a[0x0]\n  mov b32 o[0x4] a[0x4]\n  mov b32 o[0x8] a[0x8]\n"
    "mov b32 $r0 1.0\n        mov b32 o[0xc] $r0\n"
    "mov b32 o[0x10] a[0xc]\n mov b32 o[0x14] a[0x10]\n exit mov b32 o[0x18] a[0x14]\n";
static const char fragment_program[] = /* v[]: 1/w, r g b; the color leaves in $r0..$r3 */
    ".interpolants position=w smooth=3\n"
    "interp $r3 v[0x0]\n     rcp f32 $r3 $r3\n      interp $r0 v[0x4] $r3\n"
    "interp $r1 v[0x8] $r3\n interp $r2 v[0xc] $r3\n mov b32 $r3 1.0\n exit nop\n";
static tp_device *device;

static void check(enum tp_result result) {
    if (result != TP_OK) {
        fprintf(stderr, "first_triangle: %s\n", tp_message(device));
        exit(1);
    }
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "triangle.png";
    tp_context *context;
    tp_texture *target;
    tp_buffer *buffer;
    tp_program *vp, *fp;

    check(tp_device_create(NULL, &device));
    check(tp_context_create(device, &context));
    check(tp_texture_create(
        device,
        &(struct tp_texture_info){
            .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = WIDTH, .height = HEIGHT},
        &target));
    check(tp_buffer_create(device, sizeof vertices, vertices, &buffer));
    check(tp_program_from_text(device, TP_VERTEX, vertex_program, "triangle.vp", &vp));
    check(tp_program_from_text(device, TP_FRAGMENT, fragment_program, "triangle.fp", &fp));

    check(tp_set_target(context, target, NULL));
    check(tp_bind_program(context, TP_VERTEX, vp));
    check(tp_bind_program(context, TP_FRAGMENT, fp));
    check(tp_bind_vertices(context, 0, buffer, 0, sizeof vertices[0], 0));
    check(tp_set_attribute(context, 0, 0, 0, 3, TP_FLOAT32));
    check(tp_set_attribute(context, 1, 0, 12, 3, TP_FLOAT32));
    check(tp_clear(context, TP_CLEAR_COLOR, (const float[4]){0.1f, 0.1f, 0.12f, 1}, 1, 0));
    check(tp_draw_arrays(context, TP_TRIANGLES, 0, 3));

    static uint8_t pixels[WIDTH * HEIGHT * 4];
    check(tp_texture_read_rgba8(context, target, pixels));
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_RGBA};
    if (!png_image_write_to_file(&image, path, 0, pixels, 0, NULL)) {
        fprintf(stderr, "first_triangle: %s: %s\n", path, image.message);
        return 1;
    }
    tp_program_destroy(vp);
    tp_program_destroy(fp);
    tp_buffer_destroy(buffer);
    tp_texture_destroy(target);
    tp_context_destroy(context);
    tp_device_destroy(device);
    return 0;
}
