/* Scenes as the work of a job (tools/scene_work.h). Every band of rows is drawn in windows that are
 * at most as wide as a target. The whole scene is drawn into each window; the rasterizer drops the
 * parts outside. */
#include "tools/scene_work.h"

#include <stdlib.h>
#include <string.h>

enum { TILE = 64, POSTER_ROWS = 256 };

static uint32_t pixel_bytes(const struct scene_work *s) {
    return s->options->floats ? 16 : 4;
}

static bool begin_frame(void *self, uint64_t, struct size *size, char *, size_t) {
    const struct scene_work *s = self;
    *size = s->options->size;
    return true;
}

/* Draws the window whose corner is (x, y). */
static bool draw_window(struct scene_work *s, uint64_t frame, uint32_t x, uint32_t y) {
    const struct scene_options *o = s->options;
    struct demo *demo = &s->demo;
    const struct demo_frame f = {.color = s->color,
                                 .zeta = s->zeta,
                                 .width = o->size.width,
                                 .height = o->size.height,
                                 .x = x,
                                 .y = y,
                                 .time = o->start_time + (double)frame / o->rate,
                                 .wireframe = o->wireframe};
    TRY(demo, tp_texture_set_window(s->color, x, y, o->size.width, o->size.height));
    TRY(demo, tp_texture_set_window(s->zeta, x, y, o->size.width, o->size.height));
    return demo_draw(demo, &f) && demo_check(demo, tp_finish(demo->context));
}

/* Copies the first rows of the window to rows of the picture, from column x on. */
static bool read_window(struct scene_work *s, uint32_t x, uint32_t count, uint8_t *rows) {
    const uint32_t width = s->options->size.width, bytes = pixel_bytes(s);
    const uint32_t columns = width - x < s->window.width ? width - x : s->window.width;
    const struct tp_rect rect = {0, 0, columns, count};
    return demo_check(&s->demo,
                      tp_texture_read_rect(s->demo.context, s->color, 0, 0, &rect,
                                           rows + (size_t)x * bytes, (size_t)width * bytes));
}

static bool draw_rows(void *self, uint64_t frame, uint32_t y, uint32_t count, void *rows, char *why,
                      size_t why_size) {
    struct scene_work *s = self;
    for (uint32_t x = 0; x < s->options->size.width; x += s->window.width)
        if (!draw_window(s, frame, x, y) || !read_window(s, x, count, rows)) {
            snprintf(why, why_size, "%s", s->demo.message);
            return false;
        }
    return true;
}

static bool create_targets(struct scene_work *s) {
    const struct scene_options *o = s->options;
    const bool poster = o->size.width > MAX_SIZE || o->size.height > MAX_SIZE;
    const uint32_t height = poster ? POSTER_ROWS : o->band_rows ? o->band_rows : MAX_SIZE;
    s->window.width = o->size.width < MAX_SIZE ? o->size.width : MAX_SIZE;
    s->window.height = o->size.height < height ? o->size.height : height;
    s->work.band_rows = (s->window.height + TILE - 1) / TILE * TILE;
    struct tp_texture_info info = {.kind = TP_TEXTURE_2D,
                                   .format = o->floats ? TP_FORMAT_RGBA32F : TP_FORMAT_RGBA8,
                                   .width = s->window.width,
                                   .height = s->window.height};
    struct demo *demo = &s->demo;
    TRY(demo, tp_texture_create(s->device, &info, &s->color));
    info.format = TP_FORMAT_Z24S8;
    TRY(demo, tp_texture_create(s->device, &info, &s->zeta));
    return true;
}

bool scene_work_open(struct scene_work *s, tp_device *device, const struct demo_scene *scene,
                     const struct scene_options *options, char *why, size_t size) {
    *s = (struct scene_work){
        .work = {.begin = begin_frame, .rows = draw_rows}, .options = options, .device = device};
    s->work.self = s;
    const bool open = demo_open(&s->demo, device, scene, &options->demo);
    const bool ok = open && create_targets(s);
    if (!open)
        snprintf(why, size, "%s", s->demo.message);
    else if (!ok)
        snprintf(why, size, "no memory for a %ux%u target: %s", s->window.width, s->window.height,
                 s->demo.message);
    return ok;
}

void scene_work_close(struct scene_work *s) {
    tp_texture_destroy(s->color);
    tp_texture_destroy(s->zeta);
    demo_close(&s->demo);
}
