/* PNG files in, by libpng's simplified interface, and out, a row at a time (tools/png.h).
 */
#define _GNU_SOURCE
#include "tools/png.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* A file that gets its name when it is whole. Until then it has none, so that an interrupted
 * program leaves nothing; where the file system has no files without names, one of this process. */
struct part {
    char name[PATH_MAX]; /* "": the file has no name yet, or is written in place */
    bool in_place;       /* the path is no regular file (/dev/stdout) */
};

static bool name_part(struct part *p, const char *path) {
    const int n = snprintf(p->name, sizeof p->name, "%s.%ld.part", path, (long)getpid());
    if (n < (int)sizeof p->name)
        return true;
    p->name[0] = 0;
    errno = ENAMETOOLONG;
    return false;
}

static FILE *open_part(struct part *p, const char *path) {
    struct stat st;
    char folder[PATH_MAX];
    *p = (struct part){.in_place = stat(path, &st) == 0 && !S_ISREG(st.st_mode)};
    if (p->in_place)
        return fopen(path, "wb");
    snprintf(folder, sizeof folder, "%s", path);
    char *const slash = strrchr(folder, '/');
    if (slash)
        slash[1] = 0;
    const int fd = open(slash ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (fd >= 0)
        return fdopen(fd, "wb");
    return name_part(p, path) ? fopen(p->name, "wb") : NULL;
}

/* Gives a whole file its name, in place of an older file. */
static bool place_part(struct part *p, FILE *file, const char *path) {
    char own[32];
    if (p->in_place)
        return true;
    if (!p->name[0]) {
        snprintf(own, sizeof own, "/proc/self/fd/%d", fileno(file));
        if (linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
            return true;
        if (errno != EEXIST || !name_part(p, path))
            return false;
        unlink(p->name);
        if (linkat(AT_FDCWD, own, AT_FDCWD, p->name, AT_SYMLINK_FOLLOW) != 0)
            return false;
    }
    return rename(p->name, path) == 0;
}

bool write_png(const char *path, uint32_t width, uint32_t height, const uint8_t *rgba,
               char *message, size_t message_size) {
    char why[256] = "";
    struct part part;
    errno = 0;
    FILE *file = open_part(&part, path);
    bool ok = file && write_rows(file, width, height, rgba, why, sizeof why) && fflush(file) == 0;
    ok = ok && place_part(&part, file, path);
    const int error = errno;
    if (file && fclose(file) != 0)
        ok = false;
    if (!ok)
        explain_failure(message, message_size, path,
                        why[0]  ? why
                        : error ? strerror(error)
                                : "cannot be written");
    if (!ok && part.name[0])
        unlink(part.name);
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
