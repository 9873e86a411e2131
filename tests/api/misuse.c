/* Misuse of the C API: objects that are destroyed in the wrong order or given to another device,
 * NULL for any argument, a forked child that goes on, endless programs, exhausted address space.
 * Also: zeroed structs ask for the state of a new context, as the header says. */
#include "tests/pipeline/fixture.h"

#include "include/teslapipe_debug.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 64 };

static const float whole[3][8] = {
    {-1, 1, 0, 1, 1, 1, 1, 1}, {3, 1, 0, 1, 1, 1, 1, 1}, {-1, -3, 0, 1, 1, 1, 1, 1}};

static tp_device *device_on(enum tp_chip chip) {
    tp_device *device;
    const struct tp_device_info info = {.chip = chip, .threads = 2, .engine = "interp"};
    assert_int_equal(tp_device_create(&info, &device), TP_OK);
    return device;
}

/* A device may be destroyed before its objects: it lives until the last of them is destroyed. */
TEST(test_order_of_destruction) {
    static const char *const engines[] = {"interp", NULL};
    for (size_t i = 0; i < LENGTH(engines); i++) {
        FIXTURE_ENGINE(f, 2, NULL, engines[i], SIZE);
        tp_device_destroy(f.device);
        fixture_draw(&f, TP_TRIANGLES, whole, 3);
        fixture_read(&f);
        assert_int_equal(fixture_count(&f), SIZE * SIZE);
        tp_context_destroy(f.context);
        const struct tp_texture_info *info = tp_texture_get_info(f.color);
        assert_int_equal(info->width, SIZE);
        f.device = NULL, f.context = NULL;
    }
}

/* Objects of one device are refused by the contexts of another device, with a message. */
DRAW_TEST(test_other_devices, 1, SIZE) {
    tp_device *const other = device_on(TP_CHIP_G80);
    const struct tp_texture_info t = {
        .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = 4, .height = 4};
    uint32_t word = 7;
    tp_buffer *buffer;
    tp_texture *texture;
    tp_program *fp;
    OK(f, tp_buffer_create(other, 256, NULL, &buffer));
    OK(f, tp_texture_create(other, &t, &texture));
    OK(f, tp_program_from_text(other, TP_FRAGMENT, smooth_fp, "other", &fp));
    const struct tp_draw_info draw = {
        .primitive = TP_TRIANGLES, .count = 3, .index_buffer = buffer};
#define REFUSED(call)                                                                              \
    do {                                                                                           \
        assert_int_equal(call, TP_ERROR_INVALID);                                                  \
        assert_non_null(strstr(tp_message(f->device), "another device"));                          \
    } while (0)
    REFUSED(tp_buffer_write(f->context, buffer, 0, &word, 4));
    REFUSED(tp_buffer_read(f->context, buffer, 0, &word, 4));
    REFUSED(tp_bind_vertices(f->context, 0, buffer, 0, 4, 0));
    REFUSED(tp_bind_constants(f->context, TP_VERTEX, 0, buffer, 0, 256));
    REFUSED(tp_bind_global(f->context, 0, buffer, 0, 256));
    REFUSED(tp_bind_texture(f->context, TP_FRAGMENT, 0, texture, NULL));
    REFUSED(tp_set_target(f->context, texture, NULL));
    REFUSED(tp_texture_write(f->context, texture, 0, 0, &word, 16));
    REFUSED(tp_texture_read(f->context, texture, 0, 0, &word, 16));
    REFUSED(tp_texture_generate_mipmaps(f->context, texture));
    REFUSED(tp_bind_program(f->context, TP_FRAGMENT, fp));
    REFUSED(tp_draw(f->context, &draw));
    fixture_draw(f, TP_TRIANGLES, whole, 3); /* the refused calls changed nothing */
    fixture_read(f);
    assert_int_equal(fixture_count(f), SIZE * SIZE);
    tp_buffer_destroy(buffer);
    tp_texture_destroy(texture);
    tp_program_destroy(fp);
    tp_device_destroy(other);
}

/* A message names the function that was called, and the argument as the header does. */
DRAW_TEST(test_names_in_messages, 1, SIZE) {
    tp_device *const other = device_on(TP_CHIP_G80);
    tp_context *const c = f->context;
    const struct tp_texture_info info = {
        .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = 4, .height = 4};
    const struct tp_rect rect = {0, 0, 4, 4};
    const uint32_t one[3] = {1, 1, 1};
    const struct tp_stream_info streams = {.count = 1};
    tp_texture *foreign, *texture;
    tp_context *context;
    tp_program *program;
    OK(f, tp_texture_create(other, &info, &foreign));
    OK(f, tp_texture_create(f->device, &info, &texture));
    const struct tp_texture_place at = {.texture = texture}, none = {0},
                                  theirs = {.texture = foreign};
    char folder[] = "/tmp/teslapipe-misuse-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/program.vp", folder);
    assert_int_equal(mkdir(path, 0700), 0);
#define SAYS(call, code, text)                                                                     \
    do {                                                                                           \
        assert_int_equal(call, code);                                                              \
        if (strcmp(tp_message(f->device), text) != 0)                                              \
            fail_msg("%s: not '%s'", tp_message(f->device), text);                                 \
    } while (0)
#define LACKS(call, text) SAYS(call, TP_ERROR_INVALID, text " is NULL")
    LACKS(tp_context_create(f->device, NULL), "tp_context_create: context");
    LACKS(tp_set_depth(c, NULL), "tp_set_depth: state");
    LACKS(tp_set_stencil(c, NULL), "tp_set_stencil: state");
    LACKS(tp_set_raster(c, NULL), "tp_set_raster: state");
    LACKS(tp_set_blend(c, 0, NULL), "tp_set_blend: state");
    LACKS(tp_set_output(c, NULL), "tp_set_output: state");
    LACKS(tp_set_samples(c, NULL), "tp_set_samples: state");
    LACKS(tp_set_patterns(c, NULL), "tp_set_patterns: state");
    LACKS(tp_set_tessellation(c, NULL), "tp_set_tessellation: state");
    LACKS(tp_texture_generate_mipmaps(c, NULL), "tp_texture_generate_mipmaps: texture");
    LACKS(tp_texture_read_rgba8(c, NULL, path), "tp_texture_read_rgba8: texture");
    LACKS(tp_texture_blit(c, at, NULL, at, &rect, false), "tp_texture_blit: to_rect");
    LACKS(tp_texture_blit(c, at, &rect, none, &rect, false), "tp_texture_blit: from.texture");
    LACKS(tp_dispatch(c, one, NULL, NULL, 0), "tp_dispatch: block");
    LACKS(tp_dispatch(c, one, one, NULL, 1), "tp_dispatch: params");
    LACKS(tp_set_streams(c, &streams), "stream 0: the buffer");
    SAYS(tp_texture_blit(c, theirs, &rect, at, &rect, false), TP_ERROR_INVALID,
         "tp_texture_blit: the texture is another device's");
    SAYS(tp_set_target(c, foreign, NULL), TP_ERROR_INVALID,
         "colour target 0: the texture is another device's");
    SAYS(tp_set_attribute(c, 0, 0, 0, 3, TP_UNORM10_10_10_2), TP_ERROR_INVALID,
         "attribute 0: 3 components: this type needs 4");
    SAYS(tp_set_attribute(c, 0, 0, 0, 5, TP_FLOAT32), TP_ERROR_INVALID,
         "attribute 0: 5 components: must be 1 to 4");
    SAYS(tp_program_from_file(f->device, "", &program), TP_ERROR_IO, ": No such file or directory");
    assert_int_equal(tp_program_from_file(f->device, path, &program), TP_ERROR_IO);
    assert_non_null(strstr(tp_message(f->device), "/program.vp: Is a directory"));
    assert_int_equal(tp_context_create(NULL, &context), TP_ERROR_INVALID);
    assert_int_equal(strcmp(tp_message(NULL), "tp_context_create: device is NULL"), 0);
    rmdir(path);
    rmdir(folder);
    tp_texture_destroy(texture);
    tp_texture_destroy(foreign);
    tp_device_destroy(other);
}

/* A program is for one chip: text and machine code with instructions that the chip does not have
 * are refused. A context of another device refuses the program. */
TEST(test_other_chips) {
    enum { TESLA = 0x1f, SINCE_G84 = 0x1e, SINCE_G200 = 0x1c, CHIPS = TP_CHIP_G64 + 1 };
    static const struct {
        enum tp_stage stage;
        const char *text; /* NULL: machine code in `words` */
        uint32_t words[2], chips;
    } rows[] = {
        {TP_VERTEX, "exit nop\n", {0}, TESLA},
        {TP_FRAGMENT, "exit nop\n", {0}, TESLA},
        {TP_GEOMETRY, ".primitive points\n.vertices 1\nexit nop\n", {0}, TESLA},
        {TP_COMPUTE, "exit nop\n", {0}, TESLA},
        {TP_COMPUTE, "exit\n", {0}, 0x60}, /* a program of Fermi */
        {TP_COMPUTE, "red add u32 g0[$r0] $r0\nexit nop\n", {0}, SINCE_G84},
        {TP_VERTEX, "vote any $c0\nexit nop\n", {0}, SINCE_G200},
        {TP_FRAGMENT, "add rn f64 $r0d $r0d $r0d\nexit nop\n", {0}, 1 << TP_CHIP_G200},
        {TP_FRAGMENT,
         "texquerylod all $r0:$r1:#:# $t0 $s0 $r0\nexit nop\n",
         {0},
         1 << TP_CHIP_GT215},
        {TP_VERTEX, NULL, {0xf0000001, 0xe0000781}, TESLA}, /* nop, exit */
        {TP_COMPUTE, NULL, {0xf0000001, 0xe0000781}, TESLA},
    };
    for (int chip = 0; chip < CHIPS; chip++) {
        tp_device *const device = device_on((enum tp_chip)chip), *const other =
                                                                     device_on((enum tp_chip)(
                                                                         (chip + 1) % CHIPS));
        tp_context *context;
        assert_int_equal(tp_context_create(other, &context), TP_OK);
        for (size_t i = 0; i < LENGTH(rows); i++) {
            const bool has = rows[i].chips >> chip & 1;
            tp_program *p = NULL;
            const enum tp_result result =
                rows[i].text
                    ? tp_program_from_text(device, rows[i].stage, rows[i].text, "theirs", &p)
                    : tp_program_from_words(device, rows[i].stage, rows[i].words, 2, 0, NULL,
                                            "theirs", &p);
            if (result != (has ? TP_OK : TP_ERROR_PROGRAM) || !p == has)
                fail_msg("chip %d, row %zu: %d, %s", chip, i, result, tp_message(device));
            if (has) {
                assert_int_equal(tp_bind_program(context, rows[i].stage, p), TP_ERROR_INVALID);
                assert_non_null(strstr(tp_message(other), "another device"));
            } else {
                assert_non_null(strstr(tp_message(device), "theirs"));
            }
            tp_program_destroy(p);
        }
        tp_context_destroy(context);
        tp_device_destroy(device);
        tp_device_destroy(other);
    }
}

/* NULL for an argument that must be given is an error, not a crash. The text and the result of a
 * call: */
struct call {
    const char *text;
    enum tp_result result;
};
#define CALL(c) {#c, c}
#define ALL_INVALID(calls) all_invalid(calls, sizeof(calls) / sizeof *(calls))
static void all_invalid(const struct call *call, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (call[i].result != TP_ERROR_INVALID)
            fail_msg("%s: %d", call[i].text, (int)call[i].result);
}

DRAW_TEST(test_null_objects, 1, SIZE) {
    tp_context *const c = f->context;
    tp_device *device;
    tp_buffer *buffer;
    tp_texture *texture;
    tp_program *program;
    const uint32_t three[3] = {1, 1, 1};
    const struct tp_texture_place whole_place = {.texture = f->color}, no_place = {0};
    uint32_t words[8];
    const struct call calls[] = {
        CALL(tp_device_create(NULL, NULL)),
        CALL(tp_buffer_create(NULL, 4, NULL, &buffer)),
        CALL(tp_buffer_create(f->device, 4, NULL, NULL)),
        CALL(tp_buffer_write(NULL, NULL, 0, three, 4)),
        CALL(tp_buffer_write(c, NULL, 0, three, 4)),
        CALL(tp_buffer_write(c, f->vertices, 0, NULL, 4)),
        CALL(tp_buffer_read(c, NULL, 0, &device, 4)),
        CALL(tp_texture_create(f->device, NULL, &texture)),
        CALL(tp_texture_create(NULL, NULL, &texture)),
        CALL(tp_texture_create(f->device, NULL, NULL)),
        CALL(tp_texture_write(c, NULL, 0, 0, three, 4)),
        CALL(tp_texture_write(c, f->color, 0, 0, NULL, SIZE * 4)),
        CALL(tp_texture_write(NULL, f->color, 0, 0, three, SIZE * 4)),
        CALL(tp_texture_read(c, NULL, 0, 0, &device, 4)),
        CALL(tp_texture_read(c, f->color, 0, 0, NULL, SIZE * 4)),
        CALL(tp_texture_read_rgba8(c, NULL, &device)),
        CALL(tp_texture_read_rgba8(c, f->color, NULL)),
        CALL(tp_texture_generate_mipmaps(NULL, f->color)),
        CALL(tp_program_from_file(f->device, NULL, &program)),
        CALL(tp_program_from_file(NULL, "x.vp", &program)),
        CALL(tp_program_from_text(f->device, TP_VERTEX, NULL, "x", &program)),
        CALL(tp_program_from_text(f->device, TP_VERTEX, "exit nop", "x", NULL)),
        CALL(tp_program_from_words(f->device, TP_VERTEX, NULL, 2, 0, "", "x", &program)),
        CALL(tp_buffer_copy(NULL, f->vertices, 0, f->vertices, 64, 16)),
        CALL(tp_buffer_copy(c, NULL, 0, f->vertices, 64, 16)),
        CALL(tp_buffer_copy(c, f->vertices, 0, NULL, 64, 16)),
        CALL(tp_texture_copy(NULL, whole_place, 0, 0, whole_place, NULL)),
        CALL(tp_texture_copy(c, no_place, 0, 0, whole_place, NULL)),
        CALL(tp_texture_copy(c, whole_place, 0, 0, no_place, NULL)),
        CALL(tp_texture_describe(NULL, 0, 0, words)),
        CALL(tp_texture_describe(f->color, 0, 0, NULL)),
        CALL(tp_texture_read_rect(NULL, f->color, 0, 0, NULL, words, 4)),
        CALL(tp_texture_read_rect(c, NULL, 0, 0, NULL, words, 4)),
        CALL(tp_texture_read_rect(c, f->color, 0, 0, NULL, NULL, SIZE * 4)),
        CALL(tp_texture_write_rect(NULL, f->color, 0, 0, NULL, words, 4)),
        CALL(tp_texture_write_rect(c, NULL, 0, 0, NULL, words, 4)),
        CALL(tp_texture_write_rect(c, f->color, 0, 0, NULL, NULL, SIZE * 4)),
    };
    ALL_INVALID(calls);
}

DRAW_TEST(test_null_state, 1, SIZE) {
    tp_context *const c = f->context;
    const struct call calls[] = {
        CALL(tp_bind_program(NULL, TP_VERTEX, NULL)),
        CALL(tp_bind_constants(NULL, TP_VERTEX, 0, NULL, 0, 0)),
        CALL(tp_set_constants(c, TP_VERTEX, 0, NULL, 4)),
        CALL(tp_bind_vertices(NULL, 0, NULL, 0, 0, 0)),
        CALL(tp_set_attribute(NULL, 0, 0, 0, 4, TP_FLOAT32)),
        CALL(tp_set_attribute_constant(c, 0, NULL)),
        CALL(tp_bind_texture(NULL, TP_VERTEX, 0, NULL, NULL)),
        CALL(tp_bind_descriptors(NULL, TP_VERTEX, 0, NULL, NULL)),
        CALL(tp_set_targets(c, 1, NULL, NULL)),
        CALL(tp_set_target(NULL, NULL, NULL)),
        CALL(tp_set_viewport_transform(c, 0, NULL, NULL)),
        CALL(tp_set_viewport(NULL, 0, 0, 0, 1, 1)),
        CALL(tp_set_depth_range(NULL, 0, 0, 1)),
        CALL(tp_set_scissor(NULL, 0, 0, 0, 1, 1)),
        CALL(tp_set_blend_color(c, NULL)),
        CALL(tp_set_color_mask(NULL, 0, 15)),
        CALL(tp_bind_global(NULL, 0, NULL, 0, 0)),
        CALL(tp_bind_buffer_texture(NULL, TP_VERTEX, 0, f->vertices, 0, TP_FORMAT_NONE, 1)),
        CALL(tp_set_condition(NULL, TP_IF_NOT_ZERO, NULL, 0)),
        CALL(tp_set_edge_flag(NULL, true)),
        CALL(tp_set_output(NULL, NULL)),
        CALL(tp_set_patterns(NULL, NULL)),
        CALL(tp_set_samples(NULL, NULL)),
        CALL(tp_set_seamless_cubes(NULL, true)),
        CALL(tp_set_streams(NULL, NULL)),
        CALL(tp_set_window_rectangles(NULL, 0, 0, NULL)),
        CALL(tp_set_window_rectangles(c, TP_WINDOWS_INSIDE, 1, NULL)),
    };
    ALL_INVALID(calls);
}

DRAW_TEST(test_null_work, 1, SIZE) {
    tp_context *const c = f->context;
    const uint32_t three[3] = {1, 1, 1};
    const struct tp_draw_info draw = {.primitive = TP_TRIANGLES, .count = 3};
    uint64_t number;
    uint32_t words[8];
    const struct call calls[] = {
        CALL(tp_draw(c, NULL)),
        CALL(tp_draw(NULL, &draw)),
        CALL(tp_draw_arrays(NULL, TP_TRIANGLES, 0, 3)),
        CALL(tp_clear(NULL, 1, NULL, 0, 0)),
        CALL(tp_dispatch(c, NULL, three, NULL, 0)),
        CALL(tp_finish(NULL)),
        CALL(tp_query_begin(NULL)),
        CALL(tp_query_end(c, NULL)),
        CALL(tp_get_statistics(c, NULL)),
        CALL(tp_get_statistics(NULL, NULL)),
        CALL(tp_clear_part(NULL, NULL)),
        CALL(tp_clear_part(c, NULL)),
        CALL(tp_count_samples(NULL, true)),
        CALL(tp_dispatch_3d(NULL, three, three, NULL, 0)),
        CALL(tp_dispatch_3d(c, NULL, three, NULL, 0)),
        CALL(tp_dispatch_3d(c, three, NULL, NULL, 0)),
        CALL(tp_draw_indirect(NULL, &draw, f->vertices, 0)),
        CALL(tp_draw_indirect(c, NULL, f->vertices, 0)),
        CALL(tp_draw_indirect(c, &draw, NULL, 0)),
        CALL(tp_draw_stream(NULL, TP_TRIANGLES, 0, 16)),
        CALL(tp_get_counter(NULL, TP_COUNT_SAMPLES, &number)),
        CALL(tp_get_counter(c, TP_COUNT_SAMPLES, NULL)),
        CALL(tp_get_profile(NULL, NULL)),
        CALL(tp_get_profile(c, NULL)),
        CALL(tp_get_stream_bytes(NULL, 0, &words[0])),
        CALL(tp_get_stream_bytes(c, 0, NULL)),
        CALL(tp_pause_streams(NULL, true)),
        CALL(tp_write_counter(NULL, TP_COUNT_SAMPLES, f->vertices, 0)),
        CALL(tp_write_counter(c, TP_COUNT_SAMPLES, NULL, 0)),
        CALL(tp_debug_break(NULL, NULL, NULL, NULL)),
        CALL(tp_debug_history_begin(NULL, NULL, 1, NULL)),
        CALL(tp_debug_history_begin(c, NULL, 1, NULL)),
        CALL(tp_debug_history_count(NULL, 0, f->color, NULL)),
        CALL(tp_debug_history_end(NULL)),
        CALL(tp_debug_history_get(NULL, 0, f->color, 0, NULL)),
        CALL(tp_debug_timeline_end(NULL)),
        CALL(tp_debug_timeline_end("there is no record")),
    };
    ALL_INVALID(calls);
    tp_reset_statistics(NULL);
    tp_cancel(NULL);
    tp_debug_history_destroy(NULL);
    fixture_draw(f, TP_TRIANGLES, whole, 3); /* the refused calls changed nothing */
}

DRAW_TEST(test_null_answers, 1, SIZE) {
    tp_buffer_destroy(NULL), tp_texture_destroy(NULL), tp_program_destroy(NULL);
    tp_context_destroy(NULL), tp_device_destroy(NULL);
    assert_null(tp_buffer_map(f->context, NULL, 0, 4));
    assert_null(tp_buffer_map(NULL, f->vertices, 0, 4));
    assert_int_equal(tp_texture_address(NULL), 0);
    assert_int_equal(tp_device_threads(NULL), 0);
    assert_string_equal(tp_device_simd(NULL), "");
    assert_string_equal(tp_device_engine(NULL), "");
    assert_int_equal(tp_buffer_size(NULL) + tp_buffer_address(NULL), 0);
    assert_null(tp_texture_get_info(NULL));
}

/* Zeroed structs set the state of a fresh context: multisampling, for example, into a target of 4
 * samples. */
TEST(test_fresh_context) {
    static const float slanted[3][8] = {
        {-1, 1, 0, 1, 1, 1, 1, 1}, {1, 0.9f, 0, 1, 1, 1, 1, 1}, {-1, -0.83f, 0, 1, 1, 1, 1, 1}};
    uint32_t grey[3] = {0};
    for (int set = 0; set < 3; set++) {
        FIXTURE(f, 1, NULL, SIZE);
        fixture_samples(&f, SIZE, SIZE, 4);
        OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 0, 0));
        if (set == 1)
            OK(&f, tp_set_raster(f.context, &(struct tp_raster_state){0}));
        if (set == 2)
            OK(&f, tp_set_raster(f.context, &(struct tp_raster_state){.multisample_off = true}));
        fixture_draw(&f, TP_TRIANGLES, slanted, 3);
        OK(&f, tp_texture_read_rgba8(f.context, f.color, f.pixels));
        for (uint32_t i = 0; i < SIZE * SIZE; i++)
            grey[set] += f.pixels[4 * i] != 0 && f.pixels[4 * i] != 255;
    }
    assert_true(grey[0] > SIZE / 2);
    assert_int_equal(grey[1], grey[0]);
    assert_int_equal(grey[2], 0);
}

/* With sanitizers, freed memory stays resident, and the address space fits into no limit. */
#if defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static long resident_kib(void) {
    long pages[2] = {0};
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld %ld", &pages[0], &pages[1]), 2);
    fclose(f);
    return pages[1] * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Programs that are made, run once and destroyed do not increase the memory in use. */
TEST(test_programs_go) {
    /* native code where it is available */
    const struct tp_device_info info = {.chip = TP_CHIP_GT215, .threads = 1};
    tp_device *device;
    tp_context *c;
    long before = 0;
    assert_int_equal(tp_device_create(&info, &device), TP_OK);
    assert_int_equal(tp_context_create(device, &c), TP_OK);
    for (int i = 0; i < 3000; i++) {
        static const uint32_t one[3] = {1, 1, 1};
        char text[64];
        tp_program *p;
        snprintf(text, sizeof text, "mov b32 $r0 %d\nexit nop\n", i);
        assert_int_equal(tp_program_from_text(device, TP_COMPUTE, text, "x", &p), TP_OK);
        assert_int_equal(tp_bind_program(c, TP_COMPUTE, p), TP_OK);
        assert_int_equal(tp_dispatch(c, one, one, NULL, 0), TP_OK);
        assert_int_equal(tp_bind_program(c, TP_COMPUTE, NULL), TP_OK);
        tp_program_destroy(p);
        if (i == 1000)
            before = resident_kib();
    }
    const long more = resident_kib() - before;
#ifdef SANITIZED /* sanitizers keep freed memory */
    (void)more;
#else
    assert_true(more <= 1024);
#endif
    tp_context_destroy(c);
    tp_device_destroy(device);
}

TEST(test_limits) {
    tp_device *device;
    struct tp_device_info info = {.memory = (UINT64_C(1) << 40) + 1, .chip = TP_CHIP_GT215};
    assert_int_equal(tp_device_create(&info, &device), TP_ERROR_INVALID);
    assert_non_null(strstr(tp_message(NULL), "40 bits"));
    device = device_on(TP_CHIP_GT215);
    tp_context *c;
    assert_int_equal(tp_context_create(device, &c), TP_OK);
    assert_int_equal(tp_set_raster(c, &(struct tp_raster_state){.clip_distances = 0x100}),
                     TP_ERROR_INVALID);
    assert_int_equal(tp_set_raster(c, &(struct tp_raster_state){.cull_distances = 0x100}),
                     TP_ERROR_INVALID);
    assert_int_equal(tp_set_raster(c, &(struct tp_raster_state){.clip_distances = 0xff}), TP_OK);
    tp_context_destroy(c);
    tp_device_destroy(device);
}

/* Runs fn in a forked child and returns the exit code. */
static int in_child(int (*fn)(struct fixture *f), struct fixture *f) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        alarm(60);
        _exit(fn(f));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int draw_and_destroy(struct fixture *f) {
    fixture_draw(f, TP_TRIANGLES, whole, 3);
    fixture_read(f);
    const int code = fixture_count(f) == SIZE * SIZE ? 0 : 1;
    fixture_close(f);
    return code;
}

/* A forked child has no worker threads, so it draws on its only thread. The parent draws on,
 * too. */
TEST(test_fork) {
    enum { MANY = 3000 };
    static float v[MANY][8];
    FIXTURE_ENGINE(f, 4, NULL, "interp", SIZE);
    for (int i = 0; i < MANY; i++)
        memcpy(v[i], whole[i % 3], sizeof v[i]);
    fixture_draw(&f, TP_TRIANGLES, v, MANY); /* several chunks, so that worker threads start */
    fixture_read(&f);
    assert_int_equal(in_child(draw_and_destroy, &f), 0);
    fixture_draw(&f, TP_TRIANGLES, v, MANY);
    fixture_read(&f);
    assert_int_equal(fixture_count(&f), SIZE * SIZE);
}

static int device_within_limit(struct fixture *f) {
    const struct rlimit limit = {UINT64_C(6) << 30, UINT64_C(6) << 30};
    (void)f;
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 2;
    struct fixture own;
    fixture_open_engine(&own, 2, NULL, "interp", SIZE);
    return draw_and_destroy(&own);
}

TEST(test_address_space) {
#ifdef SANITIZED
    skip();
#endif
    assert_int_equal(in_child(device_within_limit, NULL), 0);
}

/* ---- programs without end ---- */

static const char endless_cp[] = "again: bra #again\nexit nop\n";

TEST(test_budget) {
    tp_device *device;
    tp_context *c;
    tp_program *p;
    const uint32_t one[3] = {1, 1, 1};
    const struct tp_device_info info = {
        .chip = TP_CHIP_GT215, .threads = 1, .engine = "interp", .warp_budget = 1000};
    assert_int_equal(tp_device_create(&info, &device), TP_OK);
    assert_int_equal(tp_context_create(device, &c), TP_OK);
    assert_int_equal(tp_program_from_text(device, TP_COMPUTE, endless_cp, "endless", &p), TP_OK);
    assert_int_equal(tp_bind_program(c, TP_COMPUTE, p), TP_OK);
    assert_int_equal(tp_dispatch(c, one, one, NULL, 0), TP_OK);
    assert_int_equal(tp_finish(c), TP_ERROR_TRAP);
    assert_non_null(strstr(tp_message(device), "TIMEOUT"));
    struct tp_statistics s;
    assert_int_equal(tp_get_statistics(c, &s), TP_OK);
    assert_in_range(s.instructions, 900, 1100);
    tp_program_destroy(p);
    tp_context_destroy(c);
    tp_device_destroy(device);
}

static void *cancel_later(void *context) {
    const struct timespec a_moment = {0, 20000000};
    nanosleep(&a_moment, NULL);
    tp_cancel(context);
    return NULL;
}

/* tp_cancel() from another thread ends a grid of endless programs. The next grid runs as usual. */
TEST(test_cancel) {
    tp_device *device = device_on(TP_CHIP_GT215);
    tp_context *c;
    tp_program *p, *brief;
    pthread_t thread;
    const uint32_t grid[2] = {1000, 100}, block[3] = {64, 1, 1};
    assert_int_equal(tp_context_create(device, &c), TP_OK);
    assert_int_equal(tp_program_from_text(device, TP_COMPUTE, endless_cp, "endless", &p), TP_OK);
    assert_int_equal(tp_program_from_text(device, TP_COMPUTE, "exit nop\n", "brief", &brief),
                     TP_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tp_bind_program(c, TP_COMPUTE, p), TP_OK);
        assert_int_equal(pthread_create(&thread, NULL, cancel_later, c), 0);
        assert_int_equal(tp_dispatch(c, grid, block, NULL, 0), TP_ERROR_CANCELLED);
        pthread_join(thread, NULL);
        assert_non_null(strstr(tp_message(device), "cancelled"));
        assert_int_equal(tp_finish(c), TP_OK); /* the context has no failure left */
        tp_cancel(c);                          /* nothing runs, so nothing happens */
        assert_int_equal(tp_bind_program(c, TP_COMPUTE, brief), TP_OK);
        assert_int_equal(tp_dispatch(c, grid, block, NULL, 0), TP_OK);
        assert_int_equal(tp_finish(c), TP_OK);
    }
    tp_program_destroy(p);
    tp_program_destroy(brief);
    tp_context_destroy(c);
    tp_device_destroy(device);
}

/* ---- calls from the function of tp_debug_break ---- */

struct shown {
    struct fixture *f;
    tp_buffer *buffer;
    int calls, refused;
};

static void call_context(void *self, tp_debug_warp *warp, uint32_t lane) {
    struct shown *s = self;
    tp_context *const c = s->f->context;
    uint32_t word;
    (void)warp, (void)lane;
    s->calls++;
    const enum tp_result results[] = {
        tp_finish(c),
        tp_texture_read_rgba8(c, s->f->color, (uint8_t *)s->f->pixels),
        tp_buffer_read(c, s->buffer, 0, &word, 4),
        tp_debug_break(c, NULL, NULL, NULL),
        tp_debug_history_end(c),
        tp_draw_arrays(c, TP_TRIANGLES, 0, 3),
        tp_buffer_map(c, s->buffer, 0, 4) ? TP_OK : TP_ERROR_INVALID,
    };
    for (size_t i = 0; i < LENGTH(results); i++)
        s->refused += results[i] == TP_ERROR_INVALID &&
                      strstr(tp_message(s->f->device), "tp_debug_break") != NULL;
    tp_reset_statistics(c);
    tp_context_destroy(c);
}

/* Calls from the break function to its own context are errors, because the context waits for the
 * function. Calls to another context work. */
TEST(test_calls_while_shown) {
    for (int threads = 1; threads <= 2; threads++) {
        FIXTURE(f, threads, NULL, SIZE);
        uint32_t word = 7;
        struct shown s = {.f = &f};
        const struct tp_debug_place place = {.stage = TP_FRAGMENT, .x = 5, .y = 6};
        s.buffer = fixture_buffer(&f, 256, NULL);
        OK(&f, tp_debug_break(f.context, &place, call_context, &s));
        fixture_draw(&f, TP_TRIANGLES, whole, 3);
        fixture_read(&f);
        assert_int_equal(s.calls, 1);
        assert_int_equal(s.refused, 7);
        assert_int_equal(fixture_count(&f), SIZE * SIZE);
        OK(&f, tp_debug_break(f.context, NULL, NULL, NULL));
        OK(&f, tp_buffer_read(f.context, s.buffer, 0, &word, 4));
        assert_int_equal(word, 0);
    }
}

/* Refused: machine code beyond the end of code space, copies whose rectangles overlap, rows farther
 * apart than the memory is long. */
DRAW_TEST(test_out_of_range, 1, SIZE) {
    static const uint32_t nops[4] = {0xf0000001, 0xe0000781, 0xf0000001, 0xe0000781};
    static const struct {
        uint32_t base;
        enum tp_result want;
    } bases[] = {{0, TP_OK},
                 {0xfffff0, TP_OK},
                 {0xfffff8, TP_ERROR_INVALID},
                 {0x1000000, TP_ERROR_INVALID},
                 {0xfffffff8, TP_ERROR_INVALID}};
    for (size_t i = 0; i < LENGTH(bases); i++) {
        tp_program *p = NULL;
        assert_int_equal(
            tp_program_from_words(f->device, TP_FRAGMENT, nops, 4, bases[i].base, "", "nops", &p),
            bases[i].want);
        tp_program_destroy(p);
    }
    const struct tp_texture_place place = {f->color, 0, 0};
    static const struct {
        uint32_t x, y;
        enum tp_result want;
    } copies[] = {{8, 8, TP_ERROR_INVALID},
                  {11, 11, TP_ERROR_INVALID},
                  {5, 5, TP_ERROR_INVALID},
                  {12, 8, TP_OK},
                  {8, 12, TP_OK},
                  {4, 8, TP_OK},
                  {8, 4, TP_OK},
                  {5, 12, TP_OK},
                  {5, 11, TP_ERROR_INVALID}};
    for (size_t i = 0; i < LENGTH(copies); i++)
        assert_int_equal(tp_texture_copy(f->context, place, copies[i].x, copies[i].y, place,
                                         &(struct tp_rect){8, 8, 4, 4}),
                         copies[i].want);
    static uint8_t rows[SIZE * SIZE * 4];
    static const size_t pitches[] = {SIZE * 4 - 1, SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / SIZE};
    for (size_t i = 0; i < LENGTH(pitches); i++) {
        assert_int_equal(tp_texture_write(f->context, f->color, 0, 0, rows, pitches[i]),
                         TP_ERROR_INVALID);
        assert_int_equal(tp_texture_read(f->context, f->color, 0, 0, rows, pitches[i]),
                         TP_ERROR_INVALID);
    }
}
