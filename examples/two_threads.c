/* Two contexts of one device in two threads, each with its own picture: contexts share only the
 * device, so no locks are needed. */
#include "example.h"

#include <pthread.h>

enum { SIZE = 64, FRAMES = 50 };

static const char vertex_program[] =
    ".attr 0 xyzw\n.output position o[0x0]\nmov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
    "mov b32 o[0x8] a[0x8]\nexit mov b32 o[0xc] a[0xc]\n";
static const char fragment_program[] = /* the colour is c0[] */
    ".interpolants position=w\nld $r0 b32 c0[0x0]\nld $r1 b32 c0[0x4]\nld $r2 b32 c0[0x8]\n"
    "ld $r3 b32 c0[0xc]\nexit nop\n";
static const float vertex[3][4] = {{-1, 1, 0, 1}, {3, 1, 0, 1}, {-1, -3, 0, 1}};

static void *draw(void *arg) {
    const int number = *(const int *)arg;
    tp_context *context;
    check(tp_context_create(device, &context));
    tp_texture *picture = make_texture(TP_FORMAT_RGBA8, SIZE, false);
    tp_program *vp = use_program(context, TP_VERTEX, vertex_program);
    tp_program *fp = use_program(context, TP_FRAGMENT, fragment_program);
    tp_buffer *vertices = make_buffer(sizeof vertex, vertex);
    check(tp_set_target(context, picture, NULL));
    check(tp_bind_vertices(context, 0, vertices, 0, sizeof *vertex, 0));
    check(tp_set_attribute(context, 0, 0, 0, 4, TP_FLOAT32));
    for (int i = 0; i < FRAMES; i++) {
        const float color[4] = {(float)i / 255, (float)number / 255, 0, 1};
        check(tp_set_constants(context, TP_FRAGMENT, 0, color, sizeof color));
        check(tp_draw_arrays(context, TP_TRIANGLES, 0, 3));
        uint8_t *rgba = read_picture(context, picture, NULL);
        expect(rgba[0] == i && rgba[1] == number, "this thread's colour");
        free(rgba);
    }
    tp_buffer_destroy(vertices);
    tp_program_destroy(vp), tp_program_destroy(fp);
    tp_texture_destroy(picture);
    tp_context_destroy(context);
    return NULL;
}

int main(void) {
    pthread_t thread[2];
    int number[2] = {100, 200};
    check(tp_device_create(NULL, &device));
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, draw, &number[i]) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    tp_device_destroy(device);
}
