/* Shared by the examples: an error ends the program with its message; `EXAMPLE picture.ppm` writes
 * the picture to a file.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <teslapipe.h>

static tp_device *device;

static inline void check(enum tp_result result) {
    if (result != TP_OK) {
        fprintf(stderr, "%s\n", tp_message(device));
        exit(1);
    }
}

/* Ends the program if a result is not the expected one. */
static inline void expect(bool right, const char *what) {
    if (!right) {
        fprintf(stderr, "unexpected: %s\n", what);
        exit(1);
    }
}

/* Makes the device, and a context of it. */
static inline tp_context *open_context(void) {
    tp_context *context;
    check(tp_device_create(NULL, &device));
    check(tp_context_create(device, &context));
    return context;
}

static inline tp_texture *make_texture(enum tp_format format, uint32_t size, bool mipmaps) {
    const struct tp_texture_info info = {
        .kind = TP_TEXTURE_2D, .format = format, .width = size, .height = size, .mipmaps = mipmaps};
    tp_texture *texture;
    check(tp_texture_create(device, &info, &texture));
    return texture;
}

static inline tp_program *make_program(enum tp_stage stage, const char *text) {
    tp_program *program;
    check(tp_program_from_text(device, stage, text, "example", &program));
    return program;
}

/* Makes a program and binds it. */
static inline tp_program *use_program(tp_context *context, enum tp_stage stage, const char *text) {
    tp_program *program = make_program(stage, text);
    check(tp_bind_program(context, stage, program));
    return program;
}

static inline tp_buffer *make_buffer(size_t size, const void *data) {
    tp_buffer *buffer;
    check(tp_buffer_create(device, size, data, &buffer));
    return buffer;
}

/* Returns the picture as RGBA8 rows, which the caller frees; also writes it to path unless path is
 * NULL. */
static inline uint8_t *read_picture(tp_context *context, tp_texture *target, const char *path) {
    const struct tp_texture_info *info = tp_texture_get_info(target);
    const size_t pixels = (size_t)info->width * info->height;
    uint8_t *rgba = malloc(pixels * 4);
    check(tp_texture_read_rgba8(context, target, rgba));
    FILE *file = path ? fopen(path, "wb") : NULL;
    if (file) {
        fprintf(file, "P6 %u %u 255\n", info->width, info->height);
        for (size_t i = 0; i < pixels; i++)
            fwrite(rgba + 4 * i, 1, 3, file);
        fclose(file);
    }
    return rgba;
}

#endif
