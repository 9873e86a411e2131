/* Pictures as files (tools/picture.h): the formats' common part, PPM and Y4M.
 */
#include "tools/picture.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool picture_fail(struct picture_writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!w->why[0])
        vsnprintf(w->why, sizeof w->why, format, args);
    va_end(args);
    return false;
}

static bool write_all(struct picture_writer *w, const void *data, size_t size) {
    errno = 0;
    return fwrite(data, 1, size, w->file) == size ||
           picture_fail(w, "%s", errno ? strerror(errno) : "cannot be written");
}

static void drop_memory(struct picture_writer *w) {
    free(w->coder);
}

/* ---- PPM ---- */

static bool ppm_begin(struct picture_writer *w) {
    char head[64];
    snprintf(head, sizeof head, "P6\n%u %u\n255\n", w->info.width, w->info.height);
    w->coder = malloc((size_t)w->info.width * 3);
    return w->coder ? write_all(w, head, strlen(head)) : picture_fail(w, "out of memory");
}

static bool ppm_rows(struct picture_writer *w, const void *rows, uint32_t count) {
    const uint8_t *from = rows;
    uint8_t *to = w->coder;
    for (uint32_t y = 0; y < count; y++) {
        for (uint32_t x = 0; x < w->info.width; x++, from += 4)
            memcpy(to + (size_t)3 * x, from, 3);
        if (!write_all(w, to, (size_t)w->info.width * 3))
            return false;
    }
    return true;
}

static bool write_nothing(struct picture_writer *) {
    return true;
}

static const struct picture_coder picture_ppm = {ppm_begin, ppm_rows, write_nothing, drop_memory};

/* ---- Y4M: planes of 8 bits, not subsampled, BT.709 with the range of studio video ---- */

struct y4m {
    uint32_t rows; /* rows written so far */
    uint8_t plane[];
};

static bool y4m_begin(struct picture_writer *w) {
    char head[128];
    const size_t pixels = (size_t)w->info.width * w->info.height;
    struct y4m *y = w->coder = malloc(sizeof *y + 3 * pixels);
    if (!y)
        return picture_fail(w, "out of memory");
    y->rows = 0;
    snprintf(head, sizeof head, "YUV4MPEG2 W%u H%u F%.0f:1000 Ip A1:1 C444 XCOLORRANGE=LIMITED\n",
             w->info.width, w->info.height, w->info.rate * 1000);
    return w->info.continues || write_all(w, head, strlen(head));
}

/* Returns base + (r * red + g * green + b * blue) / 65536, rounded. */
static uint8_t weigh(const uint8_t *rgb, int r, int g, int b, int base) {
    return (uint8_t)(base + ((r * rgb[0] + g * rgb[1] + b * rgb[2] + 32768) >> 16));
}

static bool y4m_rows(struct picture_writer *w, const void *rows, uint32_t count) {
    struct y4m *y = w->coder;
    const size_t pixels = (size_t)w->info.width * w->info.height;
    const uint8_t *from = rows;
    uint8_t *to = y->plane + (size_t)y->rows * w->info.width;
    y->rows += count;
    for (size_t i = 0; i < (size_t)count * w->info.width; i++, from += 4) {
        to[i] = weigh(from, 11966, 40254, 4064, 16);
        to[i + pixels] = weigh(from, -6596, -22189, 28784, 128);
        to[i + 2 * pixels] = weigh(from, 28784, -26145, -2639, 128);
    }
    return true;
}

static bool y4m_end(struct picture_writer *w) {
    const struct y4m *y = w->coder;
    return write_all(w, "FRAME\n", 6) &&
           write_all(w, y->plane, (size_t)w->info.width * w->info.height * 3);
}

static const struct picture_coder picture_y4m = {y4m_begin, y4m_rows, y4m_end, drop_memory};

/* ---- all ---- */

static const struct {
    const char *name;
    const struct picture_coder *coder;
    uint32_t pixel_bytes;
} formats[] = {
    [PICTURE_PNG] = {"png", &picture_png, 4},
    [PICTURE_PPM] = {"ppm", &picture_ppm, 4},
    [PICTURE_EXR] = {"exr", &picture_exr, 16},
    [PICTURE_Y4M] = {"y4m", &picture_y4m, 4},
};

enum picture_format picture_format(const char *name) {
    for (int i = 0; name && i < (int)(sizeof formats / sizeof *formats); i++)
        if (strcmp(formats[i].name, name) == 0)
            return (enum picture_format)i;
    return PICTURE_PNG;
}

const char *picture_extension(enum picture_format format) {
    return formats[format].name;
}

uint32_t picture_pixel_bytes(enum picture_format format) {
    return formats[format].pixel_bytes;
}

bool picture_begin(struct picture_writer *w, FILE *file, const struct picture_info *info) {
    *w = (struct picture_writer){.info = *info, .file = file};
    return formats[info->format].coder->begin(w);
}

bool picture_rows(struct picture_writer *w, const void *rows, uint32_t count) {
    return !w->why[0] && formats[w->info.format].coder->rows(w, rows, count);
}

bool picture_end(struct picture_writer *w) {
    const struct picture_coder *coder = formats[w->info.format].coder;
    bool ok = !w->why[0] && coder->end(w);
    coder->drop(w);
    w->coder = NULL;
    errno = 0;
    if (ok && fflush(w->file) != 0)
        ok = picture_fail(w, "%s", errno ? strerror(errno) : "cannot be written");
    return ok;
}
