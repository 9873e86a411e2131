/* Writes OpenEXR files: red, green and blue as 32-bit floats, compressed with ZIP in blocks of
 * rows. The library (OpenEXRCore) is loaded with the first picture, so that commands that write no
 * such picture do not need the library. */
#include "tools/picture.h"

#include <dlfcn.h>
#include <errno.h>
#include <openexr.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXR_FUNCTIONS(X)                                                                           \
    X(start_write)                                                                                 \
    X(finish)                                                                                      \
    X(add_part)                                                                                    \
    X(initialize_required_attr_simple)                                                             \
    X(add_channel)                                                                                 \
    X(write_header)                                                                                \
    X(get_scanlines_per_chunk)                                                                     \
    X(write_scanline_chunk_info)                                                                   \
    X(encoding_initialize)                                                                         \
    X(encoding_choose_default_routines)                                                            \
    X(encoding_run)                                                                                \
    X(encoding_destroy)                                                                            \
    X(get_default_error_message)

struct exr_coder {
#define X(name) __typeof__(exr_##name) *name;
    EXR_FUNCTIONS(X)
#undef X
    exr_context_t context;
    int part;
    int32_t block_rows; /* rows that are compressed together */
    uint32_t row, held; /* first row in `block`; number of rows there */
    float *block;
};

enum { COMPONENTS = 4 }; /* of a pixel in the input rows */

static bool open_library(struct exr_coder *c, const char **why) {
    void *library = dlopen("libOpenEXRCore-3_1.so.30", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("libOpenEXRCore.so", RTLD_NOW | RTLD_LOCAL);
#define X(name) c->name = library ? (__typeof__(c->name))dlsym(library, "exr_" #name) : NULL;
    EXR_FUNCTIONS(X)
#undef X
#define X(name) &&c->name
    if (true EXR_FUNCTIONS(X))
        return true;
#undef X
    *why = dlerror();
    return false;
}

static int64_t write_at(exr_const_context_t, void *self, const void *data, uint64_t size,
                        uint64_t offset, exr_stream_error_func_ptr_t) {
    struct picture_writer *w = self;
    for (uint64_t done = 0; done < size;) {
        const ssize_t n =
            pwrite(fileno(w->file), (const char *)data + done, size - done, (off_t)(offset + done));
        if (n <= 0) {
            picture_fail(w, "%s", n < 0 ? strerror(errno) : "cannot be written");
            return -1;
        }
        done += (uint64_t)n;
    }
    return (int64_t)size;
}

static void ignore_error(exr_const_context_t, exr_result_t, const char *) {
}

static bool check(struct picture_writer *w, exr_result_t code) {
    const struct exr_coder *c = w->coder;
    return code == EXR_ERR_SUCCESS ||
           picture_fail(w, "OpenEXR: %s", c->get_default_error_message(code));
}

static bool begin_file(struct picture_writer *w) {
    /* files have the channels in this order */
    static const char *const channels[] = {"B", "G", "R"};
    struct exr_coder *c = w->coder;
    exr_context_initializer_t start = EXR_DEFAULT_CONTEXT_INITIALIZER;
    start.user_data = w;
    start.write_fn = write_at;
    start.error_handler_fn = ignore_error;
    bool ok =
        check(w, c->start_write(&c->context, "picture", EXR_WRITE_FILE_DIRECTLY, &start)) &&
        check(w, c->add_part(c->context, "", EXR_STORAGE_SCANLINE, &c->part)) &&
        check(w, c->initialize_required_attr_simple(c->context, c->part, (int32_t)w->info.width,
                                                    (int32_t)w->info.height, EXR_COMPRESSION_ZIP));
    for (int i = 0; ok && i < 3; i++)
        ok = check(w, c->add_channel(c->context, c->part, channels[i], EXR_PIXEL_FLOAT,
                                     EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1));
    return ok && check(w, c->write_header(c->context)) &&
           check(w, c->get_scanlines_per_chunk(c->context, c->part, &c->block_rows));
}

static bool exr_begin(struct picture_writer *w) {
    const char *why;
    struct exr_coder *c = w->coder = calloc(1, sizeof *c);
    if (!c)
        return picture_fail(w, "out of memory");
    if (!open_library(c, &why))
        return picture_fail(w, "OpenEXR is needed (Debian: libopenexr-3-1-30): %s", why);
    if (!begin_file(w))
        return false;
    c->block = malloc((size_t)w->info.width * (size_t)c->block_rows * COMPONENTS * sizeof(float));
    return c->block || picture_fail(w, "out of memory");
}

static int component_of(const char *channel) {
    return channel[0] == 'R' ? 0 : channel[0] == 'G' ? 1 : 2;
}

/* OpenEXR's initializer macro leaves members out. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
static const exr_encode_pipeline_t no_pipeline = EXR_ENCODE_PIPELINE_INITIALIZER;
#pragma GCC diagnostic pop

static bool write_block(struct picture_writer *w) {
    struct exr_coder *c = w->coder;
    exr_chunk_info_t chunk = {0};
    exr_encode_pipeline_t pipeline = no_pipeline;
    bool ok = check(w, c->write_scanline_chunk_info(c->context, c->part, (int)c->row, &chunk)) &&
              check(w, c->encoding_initialize(c->context, c->part, &chunk, &pipeline));
    for (int i = 0; ok && i < pipeline.channel_count; i++) {
        exr_coding_channel_info_t *channel = &pipeline.channels[i];
        channel->user_bytes_per_element = sizeof(float);
        channel->user_data_type = EXR_PIXEL_FLOAT;
        channel->user_pixel_stride = COMPONENTS * sizeof(float);
        channel->user_line_stride = (int32_t)(w->info.width * COMPONENTS * sizeof(float));
        channel->encode_from_ptr =
            (const uint8_t *)(c->block + component_of(channel->channel_name));
    }
    ok = ok && check(w, c->encoding_choose_default_routines(c->context, c->part, &pipeline)) &&
         check(w, c->encoding_run(c->context, c->part, &pipeline));
    c->encoding_destroy(c->context, &pipeline);
    c->row += c->held;
    c->held = 0;
    return ok;
}

static bool exr_rows(struct picture_writer *w, const void *rows, uint32_t count) {
    struct exr_coder *c = w->coder;
    const size_t row = (size_t)w->info.width * COMPONENTS;
    for (uint32_t y = 0; y < count; y++) {
        memcpy(c->block + row * c->held, (const float *)rows + row * y, row * sizeof(float));
        const bool whole = ++c->held == (uint32_t)c->block_rows;
        if ((whole || c->row + c->held == w->info.height) && !write_block(w))
            return false;
    }
    return true;
}

static bool exr_end(struct picture_writer *w) {
    struct exr_coder *c = w->coder;
    return check(w, c->finish(&c->context)) && !w->why[0];
}

static void exr_drop(struct picture_writer *w) {
    struct exr_coder *c = w->coder;
    if (c && c->context)
        c->finish(&c->context);
    if (c)
        free(c->block);
    free(c);
}

const struct picture_coder picture_exr = {exr_begin, exr_rows, exr_end, exr_drop};
