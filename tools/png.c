/* Reads PNG files by libpng's simplified interface, and writes them row by row (tools/png.h).
 */
#include "tools/png.h"

#include "base/new_file.h"
#include "tools/picture.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static void explain_failure(char *message, size_t size, const char *path, const char *why) {
    if (message)
        snprintf(message, size, "%s: %s", path, why);
}

struct png_coder {
    png_structp png;
    png_infop info;
    jmp_buf out;
    struct picture_writer *writer;
};

static void png_failed(png_structp png, const char *why) {
    struct png_coder *c = png_get_error_ptr(png);
    picture_fail(c->writer, "%s", errno ? strerror(errno) : why);
    longjmp(c->out, 1);
}

static void ignore_warning(png_structp, const char *) {
}

static bool png_begin(struct picture_writer *w) {
    struct png_coder *c = w->coder = calloc(1, sizeof *c);
    if (!c)
        return picture_fail(w, "out of memory");
    c->writer = w;
    c->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, c, png_failed, ignore_warning);
    c->info = c->png ? png_create_info_struct(c->png) : NULL;
    if (!c->info)
        return picture_fail(w, "out of memory");
    errno = 0;
    if (setjmp(c->out))
        return false;
    png_init_io(c->png, w->file);
    png_set_IHDR(c->png, c->info, w->info.width, w->info.height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(c->png, c->info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(c->png, c->info);
    png_set_filler(c->png, 0, PNG_FILLER_AFTER);
    return true;
}

static bool png_rows(struct picture_writer *w, const void *rows, uint32_t count) {
    struct png_coder *c = w->coder;
    errno = 0;
    if (setjmp(c->out))
        return false;
    for (uint32_t y = 0; y < count; y++)
        png_write_row(c->png, (png_const_bytep)rows + (size_t)y * w->info.width * 4);
    return true;
}

static bool png_end(struct picture_writer *w) {
    struct png_coder *c = w->coder;
    errno = 0;
    if (setjmp(c->out))
        return false;
    png_write_end(c->png, c->info);
    return true;
}

static void png_drop(struct picture_writer *w) {
    struct png_coder *c = w->coder;
    if (c && c->png)
        png_destroy_write_struct(&c->png, &c->info);
    free(c);
}

const struct picture_coder picture_png = {png_begin, png_rows, png_end, png_drop};

bool write_png(const char *path, uint32_t width, uint32_t height, const uint8_t *rgba,
               char *message, size_t message_size) {
    const struct picture_info info = {.width = width, .height = height};
    struct picture_writer w = {0};
    struct new_file made;
    errno = 0;
    bool ok = new_file_open(&made, path);
    if (ok) {
        ok = picture_begin(&w, made.file, &info) && picture_rows(&w, rgba, height);
        ok &= picture_end(&w);
    }
    const int error = errno;
    errno = 0;
    const bool placed = new_file_close(&made, path, ok);
    if (!placed)
        explain_failure(message, message_size, path,
                        w.why[0] ? w.why
                        : ok     ? strerror(errno)
                        : error  ? strerror(error)
                                 : "cannot be written");
    return placed;
}

uint8_t *read_png(const char *path, uint32_t *width, uint32_t *height, char *message,
                  size_t message_size) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    uint8_t *pixels = NULL;
    FILE *const file = fopen(path, "rbe");
    const int first = file ? fgetc(file) : EOF;
    if (!file || ferror(file)) {
        explain_failure(message, message_size, path, strerror(errno));
        if (file)
            fclose(file);
        return NULL;
    }
    ungetc(first, file);
    if (png_image_begin_read_from_stdio(&image, file)) {
        image.format = PNG_FORMAT_RGBA;
        *width = image.width;
        *height = image.height;
        pixels = malloc(PNG_IMAGE_SIZE(image));
        if (pixels && png_image_finish_read(&image, NULL, pixels, 0, NULL)) {
            fclose(file);
            return pixels;
        }
    }
    explain_failure(message, message_size, path,
                    first == EOF       ? "is empty"
                    : feof(file)       ? "is cut off, or no PNG file"
                    : image.message[0] ? image.message
                                       : "out of memory");
    fclose(file);
    png_image_free(&image);
    free(pixels);
    return NULL;
}
