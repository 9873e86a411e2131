/* Pictures as files, written row by row: PNG, PPM, OpenEXR, and frames of a YUV4MPEG2 stream. In:
 * rows of RGBA, bytes or floats. Out: a stream. Alpha is not written, because a target's alpha can
 * have any value, and viewers would blend with it. Must not know where rows come from. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The values of --format, which are also the extensions of the files. */
#define PICTURE_FORMATS "png ppm exr y4m"
enum picture_format { PICTURE_PNG, PICTURE_PPM, PICTURE_EXR, PICTURE_Y4M };

struct picture_info {
    uint32_t width, height;
    enum picture_format format;
    double rate;    /* pictures a second of a Y4M stream */
    bool continues; /* the Y4M stream has its header already */
};

struct picture_writer {
    struct picture_info info;
    FILE *file;
    char why[256]; /* the first failure; "": none */
    void *coder;   /* data of the format */
};

/* Returns the format with this name of PICTURE_FORMATS; PICTURE_PNG for NULL. */
enum picture_format picture_format(const char *name);
const char *picture_extension(enum picture_format format);
/* Returns the bytes of a pixel in the rows that the format takes: 4, or 16 for floats. */
uint32_t picture_pixel_bytes(enum picture_format format);

/* Begins a picture. Returns false after a failure, with w->why set. Call picture_end() in either
 * case. */
bool picture_begin(struct picture_writer *w, FILE *file, const struct picture_info *info);
/* Writes the next `count` rows, with no gaps between the rows. */
bool picture_rows(struct picture_writer *w, const void *rows, uint32_t count);
/* Ends the picture. Returns true if the picture is whole and written to the stream; else w->why has
 * the reason. */
bool picture_end(struct picture_writer *w);

/* ---- implementation of the formats ---- */

struct picture_coder {
    bool (*begin)(struct picture_writer *w);
    bool (*rows)(struct picture_writer *w, const void *rows, uint32_t count);
    bool (*end)(struct picture_writer *w); /* called after all rows */
    void (*drop)(struct picture_writer *w);
};
extern const struct picture_coder picture_png, picture_exr;
bool picture_fail(struct picture_writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
