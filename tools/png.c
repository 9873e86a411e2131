/* PNG files in, by libpng's simplified interface, and out, a row at a time (tools/png.h).
 */
#include "tools/png.h"

#include <limits.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void explain_failure(char *message, size_t size, const char *path, const char *why) {
    if (message)
        snprintf(message, size, "%s: %s", path, why);
}

struct failure {
    jmp_buf out;
    char *why;
    size_t size;
};

static void png_failed(png_structp png, const char *why) {
    struct failure *f = png_get_error_ptr(png);
    snprintf(f->why, f->size, "%s", why);
    longjmp(f->out, 1);
}

static void ignore_warning(png_structp png, const char *warning) {
    (void)png, (void)warning;
}

/* Writes row by row, without alpha. */
static bool write_rows(FILE *file, uint32_t width, uint32_t height, const uint8_t *rgba, char *why,
                       size_t why_size) {
    struct failure failure = {.why = why, .size = why_size};
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &failure, png_failed, ignore_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(failure.out)) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    png_set_filler(png, 0, PNG_FILLER_AFTER);
    for (uint32_t y = 0; y < height; y++)
        png_write_row(png, rgba + (size_t)y * width * 4);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

bool write_png(const char *path, uint32_t width, uint32_t height, const uint8_t *rgba,
               char *message, size_t message_size) {
    char why[256] = "";
    /* Writes a temporary file and renames it, so that the file is whole or absent. A path that
     * is no regular file (/dev/stdout) is written directly. */
    struct stat st;
    char part[PATH_MAX];
    const bool in_place = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
    const bool fits =
        (size_t)snprintf(part, sizeof part, "%s%s", path, in_place ? "" : ".part") < sizeof part;
    FILE *file = fits ? fopen(part, "wb") : NULL;
    bool ok = file && write_rows(file, width, height, rgba, why, sizeof why);
    bool opened = file;
    if (file && fclose(file) != 0)
        ok = false;
    if (ok && !in_place && rename(part, path) != 0)
        ok = false;
    if (!ok)
        explain_failure(message, message_size, path, opened && why[0] ? why : "cannot be written");
    if (!ok && opened && !in_place)
        unlink(part);
    return ok;
}

uint8_t *read_png(const char *path, uint32_t *width, uint32_t *height, char *message,
                  size_t message_size) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    uint8_t *pixels = NULL;
    if (png_image_begin_read_from_file(&image, path)) {
        image.format = PNG_FORMAT_RGBA;
        *width = image.width;
        *height = image.height;
        pixels = malloc(PNG_IMAGE_SIZE(image));
        if (pixels && png_image_finish_read(&image, NULL, pixels, 0, NULL))
            return pixels;
    }
    explain_failure(message, message_size, path,
                    image.message[0] ? image.message : "out of memory");
    png_image_free(&image);
    free(pixels);
    return NULL;
}
