/* Recordings for the commands that read them: the device for a recording, and the contents of
 * targets. In: files and GPU memory. Out: a device, pictures, texels.
 */
#include "tools/recording.h"
#include "base/bits.h"

#include "pipeline/debug/history.h"
#include "shader/isa/isa.h"
#include "tools/playback.h"

#include <errno.h>
#include <stdlib.h>

enum { MAX_SIDE = 32768 }; /* samples */

tp_device *recording_device_for(const char *path, struct tp_device_info info, const char *chip,
                                char *why, size_t size) {
    static const enum tp_chip chips[] = {
        [ISA_G80] = TP_CHIP_G80,     [ISA_G84] = TP_CHIP_G84,     [ISA_G200] = TP_CHIP_G200,
        [ISA_MCP77] = TP_CHIP_MCP77, [ISA_GT215] = TP_CHIP_GT215, [ISA_GF100] = TP_CHIP_GF100};
    tp_device *device;
    errno = 0;
    const uint32_t chipset = record_chipset(path);
    if (!chipset) {
        snprintf(why, size, "%s: %s", path,
                 errno == ENOTSUP           ? "a recording of another version of teslapipe"
                 : errno && errno != EINVAL ? strerror(errno)
                                            : "not a recording");
        return NULL;
    }
    const int own = chip ? isa_variant_from_name(chip) : -1;
    info.chip = chips[own >= 0 ? own : (int)isa_variant_from_chipset(chipset)];
    if (device_create(&info, -1, &device) == TP_OK)
        return device;
    snprintf(why, size, "%s", tp_message(NULL));
    return NULL;
}

tp_device *recording_device(const struct command *command, const char *path,
                            struct tp_device_info info, int *exit_code) {
    char why[1024];
    tp_device *device = recording_device_for(path, info, NULL, why, sizeof why);
    *exit_code = device ? EXIT_FINE : command_failed(command, "%s", why);
    return device;
}

static const char lacked_memory[] = "out of memory in the replay: work was left out";

bool recording_hash(const char *path, struct tp_device_info info, const char *chip, uint64_t *hash,
                    char *why, size_t size) {
    const struct replay_observer observer = {.hash = hash};
    struct replay_result result;
    *hash = 0;
    info.memory = UINT64_C(4) << 30;
    tp_device *device = recording_device_for(path, info, chip, why, size);
    if (!device)
        return false;
    device->log.level = LOG_ERROR;
    bool ok = record_replay(path, device, 0, &observer, &result, why, size) == 0;
    if (ok && result.lacked_memory) {
        snprintf(why, size, "%s: %s", path, lacked_memory);
        ok = false;
    }
    replay_free(&result);
    tp_device_destroy(device);
    return ok;
}

/* ---- playing ---- */

struct player {
    const struct playback_hooks *hooks;
    struct replay_result *result;
    uint64_t done; /* draws */
    struct draw_hooks hooked;
};

static void ignore_draw(void *, tp_context *) {
}

static void launched(void *self, tp_context *c) {
    const struct player *p = self;
    p->hooks->launch(p->hooks->self, c);
}

static void new_channel(void *self, struct channel *c) {
    struct player *p = self;
    p->hooked = (struct draw_hooks){
        .self = p, .before = ignore_draw, .after = ignore_draw, .launch = launched};
    if (p->hooks->launch)
        channel_context(c)->hooks = &p->hooked;
    if (p->hooks->context)
        p->hooks->context(p->hooks->self, channel_context(c));
}

/* Numbers draws over all channels. A clear has the number of the last draw before the clear. */
static void number_draws(struct player *p, uint64_t done) {
    p->done = done;
    for (uint32_t i = 0; i < p->result->channel_count; i++)
        channel_context(p->result->all[i])->draw_number = done;
}

static void before_recorded(void *self, struct channel *c, uint64_t draw) {
    struct player *p = self;
    number_draws(p, draw - 1);
    if (p->hooks->before)
        p->hooks->before(p->hooks->self, channel_context(c), draw);
}

static void after_recorded(void *self, struct channel *c, uint64_t draw) {
    struct player *p = self;
    number_draws(p, draw);
    if (p->hooks->after)
        p->hooks->after(p->hooks->self, channel_context(c), draw);
}

static void memory_written(void *self, uint64_t address, uint64_t size) {
    const struct player *p = self;
    p->hooks->memory(p->hooks->self, address, size, p->done);
}

static void add_source(void *self, uint64_t program, enum program_type stage, const char *text,
                       size_t length) {
    const struct player *p = self;
    sources_add(p->hooks->sources, program, stage, text, length);
}

static void use_source(void *self, uint64_t program) {
    const struct player *p = self;
    sources_use(p->hooks->sources, program);
}

int recording_play(const char *path, tp_device *device, uint64_t last,
                   const struct playback_hooks *hooks, struct replay_result *result, char *why,
                   size_t size) {
    struct player p = {.hooks = hooks, .result = result};
    const struct replay_observer observer = {
        .self = &p,
        .before = before_recorded,
        .after = after_recorded,
        .channel = hooks->launch || hooks->context ? new_channel : NULL,
        .memory = hooks->memory ? memory_written : NULL,
        .source = hooks->sources ? add_source : NULL,
        .use = hooks->sources ? use_source : NULL};
    return record_replay(path, device, last, &observer, result, why, size);
}

int recording_check(const struct command *command, const char *path,
                    const struct replay_result *result) {
    static bool warned;
    if (result->cut_at && !warned)
        command_failed(
            command,
            "warning: %s: is cut off after byte %llu (its program crashed or was ended); "
            "it is read up to there",
            path, (unsigned long long)result->cut_at);
    warned |= result->cut_at != 0;
    if (!result->lacked_memory)
        return EXIT_FINE;
    return command_failed(command, "%s: %s", path, lacked_memory);
}

/* ---- targets ---- */

static uint8_t to_byte(float f) {
    return f >= 1 ? 255 : f > 0 ? (uint8_t)lrintf(f * 255) : 0;
}

/* Converts a texel to RGBA8. */
static void show_texel(enum pixel_format format, const uint8_t *texel, uint8_t rgba[4]) {
    const struct format_info *f = format_info(format);
    uint32_t word[4];
    format_decode(format, texel, word);
    for (int i = 0; i < 4; i++) {
        const uint32_t w = f->zeta ? word[0] : word[i];
        const bool integer = f->type == COMPONENT_SINT || f->type == COMPONENT_UINT;
        rgba[i] = integer && !f->zeta
                      ? (uint8_t)w
                      : to_byte(f->srgb ? linear_to_srgb(bits_float(w)) : bits_float(w));
    }
}

bool target_surface(const tp_device *device, const struct target_state *t, struct surface *s) {
    *s = target_layout(t);
    s->data = memory_at(device->memory, t->address, 1);
    s->size = memory_extent(device->memory, t->address);
    return t->address && t->format != FORMAT_NONE && s->data && t->width - 1 < MAX_SIDE &&
           t->height - 1 < MAX_SIDE;
}

/* Returns the address of a texel; NULL outside of the allocation. */
static const uint8_t *texel_at(const struct surface *s, uint32_t x, uint32_t y) {
    const uint32_t bytes = format_info(s->format)->bytes;
    const uint64_t at = surface_offset(s, x * bytes, y, 0);
    return at + bytes <= s->size ? s->data + at : NULL;
}

static void show_floats(enum pixel_format format, const uint8_t *texel, float rgba[4]) {
    const struct format_info *f = format_info(format);
    uint32_t word[4];
    format_decode(format, texel, word);
    for (int i = 0; i < 4; i++) {
        const uint32_t w = f->zeta ? word[0] : word[i];
        rgba[i] = f->type == COMPONENT_SINT && !f->zeta   ? (float)(int32_t)w
                  : f->type == COMPONENT_UINT && !f->zeta ? (float)w
                                                          : bits_float(w);
    }
}

bool target_rows(const tp_device *device, const struct target_state *t, uint32_t y, uint32_t count,
                 bool floats, void *rows) {
    struct surface s;
    if (!target_surface(device, t, &s) || y > s.height || count > s.height - y)
        return false;
    memset(rows, 0, (size_t)count * s.width * (floats ? 16 : 4));
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t x = 0; x < s.width; x++) {
            const uint8_t *texel = texel_at(&s, x, y + j);
            const size_t at = 4 * ((size_t)j * s.width + x);
            if (texel && floats)
                show_floats(s.format, texel, (float *)rows + at);
            else if (texel)
                show_texel(s.format, texel, (uint8_t *)rows + at);
        }
    return true;
}

uint8_t *target_picture(const tp_device *device, const struct target_state *t) {
    struct surface s;
    uint8_t *rows = target_surface(device, t, &s) ? malloc(4ull * s.width * s.height) : NULL;
    if (rows)
        target_rows(device, t, 0, s.height, false, rows);
    return rows;
}

uint32_t target_texel(const tp_device *device, const struct target_state *t, uint32_t x, uint32_t y,
                      uint8_t texel[16]) {
    struct surface s;
    if (!target_surface(device, t, &s) || x >= s.width || y >= s.height)
        return 0;
    const uint8_t *from = texel_at(&s, x, y);
    const uint32_t bytes = format_info(s.format)->bytes;
    if (from)
        memcpy(texel, from, bytes);
    return from ? bytes : 0;
}
