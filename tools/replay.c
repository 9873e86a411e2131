/* teslapipe replay: runs a recorded command stream (teslapipe gl --record) without the driver, to
 * its end or up to a draw. In: a recording. Out: a line about it, and the colour and depth targets
 * as PNG files.
 */
#include "tools/tool.h"

#include "fifo/record.h"
#include "shader/isa/isa.h"
#include "tools/png.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
    const char *out;
    int draw, threads;
    const char *simd, *engine, *log;
};

static void write_log(void *self, int level, const char *line) {
    static const char *const names[] = {"error", "warning", "info", "debug"};
    (void)self;
    fprintf(stderr, "teslapipe: %s: %s\n", names[level & 3], line);
}

static uint8_t to_byte(float f) {
    return f >= 1 ? 255 : f > 0 ? (uint8_t)lrintf(f * 255) : 0;
}

static float word_float(uint32_t word) {
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

/* One texel as the picture shows it: integers modulo 256, depth in grey. */
static void show(enum pixel_format format, const uint8_t *texel, uint8_t rgba[4]) {
    const struct format_info *f = format_info(format);
    uint32_t word[4];
    format_unpack(format, texel, word);
    for (int i = 0; i < 4; i++) {
        const uint32_t w = f->zeta ? word[0] : word[i];
        const bool integer = f->type == COMPONENT_SINT || f->type == COMPONENT_UINT;
        rgba[i] = integer && !f->zeta
                      ? (uint8_t)w
                      : to_byte(f->srgb ? linear_to_srgb(word_float(w)) : word_float(w));
    }
}

/* Rows of RGBA8 of one target's first layer; NULL if there is none. */
static uint8_t *picture(tp_device *device, const struct target_state *t) {
    const uint64_t extent = memory_extent(device->memory, t->address);
    const struct surface s = {
        .data = memory_at(device->memory, t->address, 1),
        .size = extent,
        .format = t->format,
        .width = t->width,
        .height = t->height,
        .depth = 1,
        .linear = t->linear,
        .is_3d = true,
        .pitch = t->pitch,
        .tile_h = t->tile_h,
        .tile_d = t->tile_d,
    };
    if (!t->address || t->format == FORMAT_NONE || !s.data || t->width - 1 >= 32768 ||
        t->height - 1 >= 32768)
        return NULL;
    uint8_t *rows = calloc(t->width, 4ull * t->height);
    const uint32_t bytes = format_info(t->format)->bytes;
    for (uint32_t y = 0; rows && y < t->height; y++)
        for (uint32_t x = 0; x < t->width; x++) {
            const uint64_t at = surface_offset(&s, x * bytes, y, 0);
            if (at + bytes <= extent)
                show(t->format, s.data + at, rows + 4 * ((uint64_t)y * t->width + x));
        }
    return rows;
}

static int write_target(const struct command *command, tp_device *device,
                        const struct target_state *t, const char *directory, const char *name) {
    char path[PATH_MAX], message[256];
    uint8_t *rows = picture(device, t);
    if (!rows)
        return EXIT_FINE;
    snprintf(path, sizeof path, "%s/%s.png", directory, name);
    const bool ok = write_png(path, t->width, t->height, rows, message, sizeof message);
    free(rows);
    if (!ok)
        return command_failed(command, "%s", message);
    printf("%s: %ux%u %s\n", path, t->width, t->height, format_name(t->format));
    return EXIT_FINE;
}

static int write_targets(const struct command *command, tp_device *device, struct channel *channel,
                         const char *directory) {
    const struct state *s = &channel_context(channel)->state;
    int code = EXIT_FINE;
    for (uint32_t i = 0; i < s->color_count && code == EXIT_FINE; i++) {
        char name[16];
        snprintf(name, sizeof name, "color%u", i);
        code = write_target(command, device, &s->color[s->color_map[i]], directory, name);
    }
    if (s->zeta_enable && code == EXIT_FINE)
        code = write_target(command, device, &s->zeta, directory, "zeta");
    return code;
}

static int replay(const struct command *command, const char *path, const struct options *o) {
    static const enum tp_chip chips[] = {[ISA_G80] = TP_CHIP_G80,
                                         [ISA_G84] = TP_CHIP_G84,
                                         [ISA_G200] = TP_CHIP_G200,
                                         [ISA_MCP77] = TP_CHIP_MCP77,
                                         [ISA_GT215] = TP_CHIP_GT215};
    const uint32_t chipset = record_chipset(path);
    const struct tp_device_info info = {.chip = chips[isa_variant_from_chipset(chipset)],
                                        .threads = o->threads,
                                        .simd = o->simd,
                                        .engine = o->engine,
                                        .log = write_log};
    tp_device *device;
    struct replay_result result;
    char why[512];
    if (!chipset)
        return command_failed(command, "%s is not a recording", path);
    if (o->out && mkdir(o->out, 0777) != 0 && errno != EEXIST)
        return command_failed(command, "%s: %s", o->out, strerror(errno));
    if (device_create(&info, -1, &device) != TP_OK)
        return command_failed(command, "%s", tp_message(NULL));
    device->log.level = o->log && strcmp(o->log, "debug") == 0 ? LOG_DEBUG : LOG_WARNING;
    const double start = seconds_now();
    int code = EXIT_FINE;
    if (record_replay(path, device, (uint64_t)o->draw, NULL, &result, why, sizeof why) != 0)
        code = command_failed(command, "%s", why);
    else
        printf("%s: chipset %02x, %llu draws in %.3f s\n", path, chipset,
               (unsigned long long)result.draws, seconds_now() - start);
    if (code == EXIT_FINE && o->out && result.channel)
        code = write_targets(command, device, result.channel, o->out);
    replay_free(&result);
    tp_device_destroy(device);
    return code;
}

int cmd_replay(int argc, char **argv);
int cmd_replay(int argc, char **argv) {
    struct options o = {0};
    const struct option_spec options[] = {
        {"-o", "DIR", OPTION_TEXT, &o.out, "write the last targets there: color0.png ... zeta.png"},
        {"--draw", "N", OPTION_COUNT, &o.draw, "stop after draw number N"},
        {"--threads", "N", OPTION_COUNT, &o.threads, "worker threads (default: one per CPU)"},
        {"--simd", "LEVEL", OPTION_TEXT, &o.simd, "base, avx2 or avx512"},
        {"--engine", "NAME", OPTION_TEXT, &o.engine, "interp, jit or jit-wait"},
        {"--log", "LEVEL", OPTION_TEXT, &o.log, "debug: every method and program"},
        {0},
    };
    const struct command command = {
        "replay",
        "FILE [options]",
        "Replays a command stream recorded by `teslapipe gl --record FILE`.",
        options,
    };
    int code;
    const int count = command_parse(&command, argc, argv, &code);
    if (count < 0)
        return code;
    if (count != 1)
        return command_usage(&command, "one recording, please");
    return replay(&command, argv[1], &o);
}
