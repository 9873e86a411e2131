/* PNG files in and out (tools/png.h), by libpng's simplified interface.
 */
#include "tools/png.h"

#include <limits.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void explain(char *message, size_t size, const char *path, const char *why) {
    if (message)
        snprintf(message, size, "%s: %s", path, why);
}

bool write_png(const char *path, uint32_t width, uint32_t height, const uint8_t *rgba,
               char *message, size_t message_size) {
    size_t pixels = (size_t)width * height;
    uint8_t *rgb = malloc(pixels * 3);
    if (!rgb) {
        explain(message, message_size, path, "out of memory");
        return false;
    }
    for (size_t i = 0; i < pixels; i++)
        for (int c = 0; c < 3; c++)
            rgb[3 * i + c] = rgba[4 * i + c];
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGB};
    /* Beside its place, then moved there: under its own name it is whole or not at all. What is no
     * file (/dev/stdout) is written in place. */
    struct stat st;
    char part[PATH_MAX];
    const bool in_place = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
    const bool fits = (size_t)snprintf(part, sizeof part, "%s%s", path, in_place ? "" : ".part") <
                      sizeof part;
    FILE *file = fits ? fopen(part, "wb") : NULL;
    bool ok = file && png_image_write_to_stdio(&image, file, 0, rgb, 0, NULL);
    bool opened = file;
    if (file && fclose(file) != 0)
        ok = false;
    if (ok && !in_place && rename(part, path) != 0)
        ok = false;
    if (!ok)
        explain(message, message_size, path,
                opened && image.message[0] ? image.message : "cannot be written");
    if (!ok && opened && !in_place)
        unlink(part);
    png_image_free(&image);
    free(rgb);
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
    explain(message, message_size, path, image.message[0] ? image.message : "out of memory");
    png_image_free(&image);
    free(pixels);
    return NULL;
}
