/* Scenes, their programs and their pictures. A scene loads its programs with
 * tp_program_from_file(), which the linker replaces by __wrap_tp_program_from_file(); the latter
 * notes the names of the programs. A text of the user replaces the program's file. */
#include "tools/web/web.h"
#include "base/format_text.h"

#include <stdlib.h>

struct web web = {.threads = 1};

enum tp_result __real_tp_program_from_file(tp_device *device, const char *path,
                                           tp_program **program);
enum tp_result __wrap_tp_program_from_file(tp_device *device, const char *path,
                                           tp_program **program);

const char *web_fail(const char *format, ...) {
    FORMAT_TEXT(web.message, format);
    return web_failed();
}

const char *web_failed(void) {
    json_begin(&web.json, '{');
    json_string(&web.json, "error", web.message);
    return json_end(&web.json);
}

/* ---- programs ---- */

static struct web_program *find_program(const char *name) {
    for (unsigned i = 0; i < web.programs; i++)
        if (strcmp(web.program[i].name, name) == 0)
            return &web.program[i];
    return NULL;
}

static struct web_program *note_program(const char *name) {
    struct web_program *p = find_program(name);
    if (p || web.programs == WEB_PROGRAMS)
        return p;
    p = &web.program[web.programs];
    *p = (struct web_program){.name = strdup(name)};
    web.programs += p->name != NULL;
    return p->name ? p : NULL;
}

/* Returns the name behind "programs/": "…/programs/fermi/glass.fp" is "fermi/glass.fp". */
static const char *program_name(const char *path) {
    const char *found = strstr(path, "programs/");
    return found ? found + strlen("programs/") : path;
}

enum tp_result __wrap_tp_program_from_file(tp_device *device, const char *path,
                                           tp_program **program) {
    note_program(program_name(path));
    return __real_tp_program_from_file(device, path, program);
}

static bool program_path(const char *name, char *path, size_t size) {
    char file[256];
    snprintf(file, sizeof file, "programs/%s", name);
    return demo_find_data(file, path, size);
}

static char *read_program(const char *name) {
    char path[4096], *text = NULL;
    FILE *in = program_path(name, path, sizeof path) ? fopen(path, "re") : NULL;
    size_t size = 0;
    if (in && getdelim(&text, &size, '\0', in) < 0) {
        free(text);
        text = NULL;
    }
    if (in)
        fclose(in);
    return text;
}

/* Writes the user's text to the page's own copy of the file. A scene that is opened reads the
 * copy. */
static bool write_program(const char *name, const char *text) {
    char path[4096];
    FILE *out = program_path(name, path, sizeof path) ? fopen(path, "we") : NULL;
    return out && fputs(text, out) >= 0 && fclose(out) == 0;
}

static void forget_programs(void) {
    for (unsigned i = 0; i < web.programs; i++) {
        if (web.program[i].original)
            write_program(web.program[i].name, web.program[i].original);
        free(web.program[i].name);
        free(web.program[i].original);
    }
    web.programs = 0;
}

/* ---- scenes ---- */

static const char *chip_of(const struct demo_scene *scene) {
    return scene->chip == TP_CHIP_GF100 ? "gf100" : "gt215";
}

WEB_API const char *web_scenes(void) {
    json_begin(&web.json, '[');
    for (int i = 0; i < demo_scene_count; i++) {
        json_open(&web.json, NULL, '{');
        json_string(&web.json, "name", demo_scenes[i]->name);
        json_string(&web.json, "description", demo_scenes[i]->description);
        json_string(&web.json, "chip", chip_of(demo_scenes[i]));
        json_close(&web.json);
    }
    return json_end(&web.json);
}

static void close_targets(void) {
    tp_texture_destroy(web.color);
    tp_texture_destroy(web.zeta);
    free(web.pixels);
    web.color = web.zeta = NULL;
    web.pixels = NULL;
    web.width = web.height = 0;
}

void web_show_picture(uint8_t *rows, uint32_t width, uint32_t height) {
    close_targets();
    web.pixels = rows;
    web.width = width;
    web.height = height;
}

void web_close(void) {
    web_forget_pixel();
    web_close_recording();
    close_targets();
    if (web.demo.context)
        demo_close(&web.demo);
    tp_device_destroy(web.device);
    web.device = NULL;
    web.state = NULL;
    web.open = false;
}

/* Sets the number of threads of later devices. */
WEB_API void web_threads(int threads) {
    web.threads = threads > 0 ? threads : 1;
}

static bool open_scene(const struct demo_scene *scene) {
    const struct tp_device_info info = {.chip = scene->chip ? scene->chip : TP_CHIP_GT215,
                                        .threads = web.threads,
                                        .engine = "interp",
                                        .memory = WEB_MEMORY,
                                        .warp_budget = WEB_BUDGET};
    if (tp_device_create(&info, &web.device) != TP_OK) {
        snprintf(web.message, sizeof web.message, "%s", tp_message(NULL));
        return false;
    }
    web.open = demo_open(&web.demo, web.device, scene, NULL);
    if (!web.open)
        snprintf(web.message, sizeof web.message, "%s", web.demo.message);
    return web.open;
}

static const char *describe_scene(void) {
    json_begin(&web.json, '{');
    json_string(&web.json, "name", web.demo.scene->name);
    json_string(&web.json, "chip", chip_of(web.demo.scene));
    json_open(&web.json, "programs", '[');
    for (unsigned i = 0; i < web.programs; i++)
        json_string(&web.json, NULL, web.program[i].name);
    return json_end(&web.json);
}

WEB_API const char *web_open(const char *name) {
    const struct demo_scene *scene = demo_find(name);
    web_close();
    forget_programs();
    if (!scene)
        return web_fail("no scene is named %s", name);
    return open_scene(scene) ? describe_scene() : web_failed();
}

static bool create_targets(uint32_t width, uint32_t height) {
    struct tp_texture_info info = {
        .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = width, .height = height};
    struct demo *const demo = &web.demo;
    close_targets();
    TRY(demo, tp_texture_create(web.device, &info, &web.color));
    info.format = TP_FORMAT_Z24S8;
    TRY(demo, tp_texture_create(web.device, &info, &web.zeta));
    web.width = width;
    web.height = height;
    web.pixels = malloc((size_t)width * height * 4);
    return web.pixels || demo_fail(demo, "out of memory");
}

bool web_draw_frame(void) {
    struct demo *const demo = &web.demo;
    const struct demo_frame f = {.color = web.color,
                                 .zeta = web.zeta,
                                 .width = web.width,
                                 .height = web.height,
                                 .time = web.time,
                                 .orbit = web.orbit,
                                 .wireframe = web.wireframe};
    const bool drawn = demo_draw(demo, &f) && demo_check(demo, tp_finish(demo->context));
    if (!drawn)
        snprintf(web.message, sizeof web.message, "%s", demo->message);
    web.state = &demo->context->state;
    return drawn;
}

/* ---- a scene as a playback ---- */

struct scene_player {
    const struct playback_hooks *hooks;
    uint64_t draw;
};

static void before_draw(void *self, tp_context *c) {
    struct scene_player *p = self;
    p->draw++;
    if (p->hooks->before)
        p->hooks->before(p->hooks->self, c, p->draw);
}

static void after_draw(void *self, tp_context *c) {
    const struct scene_player *p = self;
    if (p->hooks->after)
        p->hooks->after(p->hooks->self, c, p->draw);
}

bool web_play(const struct playback_hooks *hooks) {
    if (web.replays)
        return web_replay(hooks);
    struct scene_player player = {.hooks = hooks};
    const struct draw_hooks of_context = {
        .self = &player, .before = before_draw, .after = after_draw};
    if (hooks->device)
        hooks->device(hooks->self, web.device);
    if (hooks->context)
        hooks->context(hooks->self, web.demo.context);
    web.demo.context->hooks = &of_context;
    const bool drawn = web_draw_frame();
    web.demo.context->hooks = NULL;
    return drawn;
}

WEB_API const char *web_draw(uint32_t width, uint32_t height, double time, double yaw, double pitch,
                             double zoom, int wireframe) {
    web_forget_pixel();
    if (!web.open || web.replays)
        return web_failed();
    if ((width != web.width || height != web.height) && !create_targets(width, height))
        return web_fail("%s", web.demo.message);
    web.time = time;
    web.orbit = (struct demo_orbit){(float)yaw, (float)pitch, (float)zoom};
    web.wireframe = wireframe;
    const bool drawn = web_draw_frame();
    if (tp_texture_read_rgba8(web.demo.context, web.color, web.pixels) != TP_OK || !drawn)
        return web_failed();
    return "{}";
}

WEB_API const uint8_t *web_pixels(void) {
    return web.pixels;
}

/* Answers a 64-bit hash of the picture: FNV-1a of its size and of all bytes. */
WEB_API const char *web_hash(void) {
    static char text[17];
    uint64_t hash = 0xcbf29ce484222325;
    const uint32_t size[2] = {web.width, web.height};
    for (size_t i = 0; i < sizeof size; i++)
        hash = (hash ^ ((const uint8_t *)size)[i]) * 0x100000001b3;
    for (size_t i = 0; web.pixels && i < (size_t)web.width * web.height * 4; i++)
        hash = (hash ^ web.pixels[i]) * 0x100000001b3;
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    return text;
}

/* ---- texts of the user ---- */

WEB_API const char *web_program_text(const char *name) {
    const struct web_program *p = find_program(name);
    char *text = read_program(name);
    json_begin(&web.json, '{');
    json_string(&web.json, "name", name);
    json_string(&web.json, "text", text);
    json_bool(&web.json, "changed", p && p->original && text && strcmp(text, p->original) != 0);
    json_close(&web.json);
    free(text);
    return json_end(&web.json);
}

/* Opens the scene again with the present texts and size. */
static bool reopen(void) {
    const struct demo_scene *const scene = web.demo.scene;
    const uint32_t width = web.width, height = web.height;
    web_close();
    if (!open_scene(scene))
        return false;
    return !width || create_targets(width, height);
}

/* Replaces the text; the first time, keeps the file's own text. */
static bool replace_program(struct web_program *p, const char *text) {
    char *before = read_program(p->name);
    if (!p->original && before)
        p->original = strdup(before);
    const bool replaced =
        p->original && write_program(p->name, *text ? text : p->original) && reopen();
    if (!replaced) {
        json_string(&web.json, "error", web.message);
        write_program(p->name, before ? before : "");
        reopen();
    }
    free(before);
    return replaced;
}

/* Replaces a program's text; "": the file's own. If the text has mistakes the scene stays as it
 * is. */
WEB_API const char *web_set_program(const char *name, const char *text) {
    struct web_program *p = find_program(name);
    char path[4096];
    bool right = p && program_path(name, path, sizeof path);
    json_begin(&web.json, '{');
    if (right && *text)
        right = web_check_text(chip_of(web.demo.scene), path, text, NULL);
    if (right)
        replace_program(p, text);
    return json_end(&web.json);
}
