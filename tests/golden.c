/* Golden images: draws every demo scene at 320x240 with 1, 2 and 5 threads and compares each picture
 * with tests/golden/SCENE.png, exactly. On a mismatch the picture and a difference picture (grey where
 * equal, brighter red the larger the difference) are written and their paths printed.
 * usage: golden [--write] [--golden DIR] [--out DIR] [SCENE...]
 */
#include "demos/demo.h"
#include "tools/png.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WIDTH = 320, HEIGHT = 240, PIXELS = WIDTH * HEIGHT };
static const double moment = 2.5; /* seconds of the scene's time */
static const int thread_counts[] = {1, 2, 5};

static const char *golden_folder = "tests/golden", *out_folder = "build/golden";
static bool writing;
static int passed, failed;

static bool fail(const char *scene, int threads, const char *why)
{
    printf("FAIL golden %s, %d threads: %s\n", scene, threads, why);
    failed++;
    return false;
}

/* Draws a scene into pixels; false after telling why. */
static bool draw(const struct demo_scene *scene, int threads, uint8_t *pixels)
{
    struct tp_device_info with = {.chip = TP_CHIP_GT215, .threads = threads};
    struct tp_texture_info info = {.kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = WIDTH,
                                   .height = HEIGHT};
    tp_device *device = NULL;
    tp_texture *color = NULL, *zeta = NULL;
    struct demo demo = {0};
    if (tp_device_create(&with, &device) != TP_OK)
        return fail(scene->name, threads, tp_message(NULL));
    bool ok = demo_open(&demo, device, scene, NULL) &&
              demo_check(&demo, tp_texture_create(device, &info, &color));
    info.format = TP_FORMAT_Z24S8;
    ok = ok && demo_check(&demo, tp_texture_create(device, &info, &zeta)) &&
         demo_draw(&demo, &(struct demo_frame){.color = color, .zeta = zeta, .width = WIDTH,
                                               .height = HEIGHT, .time = moment}) &&
         demo_check(&demo, tp_finish(demo.context)) &&
         demo_check(&demo, tp_texture_read_rgba8(demo.context, color, pixels));
    if (!ok)
        fail(scene->name, threads, demo.message);
    demo_close(&demo);
    tp_texture_destroy(color);
    tp_texture_destroy(zeta);
    tp_device_destroy(device);
    return ok;
}

/* Number of pixels whose red, green or blue differ; their picture goes to difference. */
static int compare(const uint8_t *got, const uint8_t *golden, uint8_t *difference)
{
    int count = 0;
    for (int i = 0; i < PIXELS; i++) {
        int worst = 0, sum = 0;
        for (int c = 0; c < 3; c++) {
            int d = abs(got[4 * i + c] - golden[4 * i + c]);
            worst = d > worst ? d : worst;
            sum += golden[4 * i + c];
        }
        uint8_t grey = (uint8_t)(sum / 8);
        uint8_t red = worst ? (uint8_t)(128 + worst / 2) : grey;
        memcpy(difference + 4 * i, worst ? (uint8_t[4]){red, 0, 0, 255}
                                         : (uint8_t[4]){grey, grey, grey, 255}, 4);
        count += worst > 0;
    }
    return count;
}

static void report_mismatch(const char *scene, int threads, const uint8_t *got,
                            const uint8_t *difference, int count)
{
    char path[2][1024], why[4096];
    mkdir(out_folder, 0777);
    snprintf(path[0], sizeof path[0], "%s/%s-%d-got.png", out_folder, scene, threads);
    snprintf(path[1], sizeof path[1], "%s/%s-%d-difference.png", out_folder, scene, threads);
    bool written = write_png(path[0], WIDTH, HEIGHT, got, why, sizeof why) &&
                   write_png(path[1], WIDTH, HEIGHT, difference, why, sizeof why);
    if (written)
        snprintf(why, sizeof why, "%d of %d pixels differ; see %s and %s", count, PIXELS, path[1],
                 path[0]);
    fail(scene, threads, why);
}

static void check_scene(const struct demo_scene *scene)
{
    static uint8_t got[PIXELS * 4], difference[PIXELS * 4];
    char path[1024], why[1200];
    uint32_t width, height;
    snprintf(path, sizeof path, "%s/%s.png", golden_folder, scene->name);
    if (writing) {
        if (!draw(scene, 1, got))
            return;
        if (!write_png(path, WIDTH, HEIGHT, got, why, sizeof why)) {
            fail(scene->name, 1, why);
            return;
        }
        printf("%s\n", path);
    }
    uint8_t *golden = read_png(path, &width, &height, why, sizeof why);
    if (!golden || width != WIDTH || height != HEIGHT) {
        fail(scene->name, 0, golden ? "the golden image is not 320x240" : why);
        free(golden);
        return;
    }
    for (size_t i = 0; i < sizeof thread_counts / sizeof *thread_counts; i++) {
        if (!draw(scene, thread_counts[i], got))
            continue;
        int count = compare(got, golden, difference);
        if (count)
            report_mismatch(scene->name, thread_counts[i], got, difference, count);
        else
            passed++;
    }
    free(golden);
}

int main(int argc, char **argv)
{
    const struct demo_scene *wanted[64];
    int count = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--write") == 0)
            writing = true;
        else if (strcmp(argv[i], "--golden") == 0 && i + 1 < argc)
            golden_folder = argv[++i];
        else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc)
            out_folder = argv[++i];
        else if (count == 64 || !(wanted[count++] = demo_find(argv[i]))) {
            fprintf(stderr, "golden: no scene or option named %s\n", argv[i]);
            return 2;
        }
    }
    for (int i = 0; i < (count ? count : demo_scene_count); i++)
        check_scene(count ? wanted[i] : demo_scenes[i]);
    printf("golden: %d passed, %d failed\n", passed, failed);
    return failed ? 1 : 0;
}
