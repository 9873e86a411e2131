/* A frame of a demo scene depends on its time and size, not on the frames drawn before it: each
 * rank of a job draws other frames, and a scene may keep results between frames. The test draws
 * frames of each scene in several orders, times and sizes, and compares each picture with that of a
 * scene that has drawn nothing else. */
#include "demos/demo.h"
#include "tests/test.h"

enum { WIDTH = 96, HEIGHT = 54, PIXELS = WIDTH * HEIGHT };

struct shot {
    double time;
    uint32_t part; /* 1: the whole size, 2: half the size */
};

static tp_texture *target(tp_device *device, enum tp_format format, uint32_t part) {
    tp_texture *texture = NULL;
    assert_int_equal(tp_texture_create(device,
                                       &(struct tp_texture_info){.kind = TP_TEXTURE_2D,
                                                                 .format = format,
                                                                 .width = WIDTH / part,
                                                                 .height = HEIGHT / part},
                                       &texture),
                     TP_OK);
    return texture;
}

static void draw(struct demo *demo, struct shot shot, uint8_t (*pixels)[4]) {
    tp_texture *color = target(demo->device, TP_FORMAT_RGBA8, shot.part),
               *zeta = target(demo->device, TP_FORMAT_Z24S8, shot.part);
    const struct demo_frame frame = {.color = color,
                                     .zeta = zeta,
                                     .width = WIDTH / shot.part,
                                     .height = HEIGHT / shot.part,
                                     .time = shot.time};
    memset(pixels, 0, PIXELS * sizeof *pixels);
    if (!demo_draw(demo, &frame))
        fail_msg("%s: %s", demo->scene->name, demo->message);
    assert_int_equal(tp_texture_read_rgba8(demo->context, color, pixels), TP_OK);
    tp_texture_destroy(color);
    tp_texture_destroy(zeta);
}

static void open_scene(struct demo *demo, tp_device *device, const struct demo_scene *scene) {
    if (!demo_open(demo, device, scene, NULL))
        fail_msg("%s: %s", scene->name, demo->message);
}

static void check_scene(const struct demo_scene *scene) {
    /* Forwards and backwards, by less and by more than the life of smoke (3.3 s); nbody begins anew
     * after 13 s. */
    static const struct shot shots[] = {{0.5, 1}, {0.2, 2}, {2.4, 1}, {13.1, 2}, {0.3, 1}, {-1, 2}};
    static uint8_t seen[PIXELS][4], alone[PIXELS][4];
    struct demo running, fresh;
    tp_device *device = NULL;
    assert_int_equal(
        tp_device_create(&(struct tp_device_info){.chip = scene->chip, .threads = 2}, &device),
        TP_OK);
    open_scene(&running, device, scene);
    for (size_t i = 0; i < LENGTH(shots); i++) {
        draw(&running, shots[i], seen);
        open_scene(&fresh, device, scene);
        draw(&fresh, shots[i], alone);
        demo_close(&fresh);
        if (memcmp(seen, alone, sizeof seen) != 0)
            fail_msg("%s: the frame at %g s differs after other frames", scene->name,
                     shots[i].time);
    }
    demo_close(&running);
    tp_device_destroy(device);
}

TEST(test_frames_in_any_order) {
    for (int i = 0; i < demo_scene_count; i++)
        check_scene(demo_scenes[i]);
}
