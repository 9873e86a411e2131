/* teslapipe view: an SDL2 window with the demo scenes. The frame is drawn by the library into a
 * target, read back, and copied to the window; SDL draws nothing itself. A scene that fails shows
 * its message in the window and the viewer goes on. Without a display it renders a picture
 * instead.
 */
#include "tools/overlay.h"
#include "tools/png.h"
#include "tools/tool.h"

#include <SDL.h>
#include <string.h>
#include <unistd.h>

static struct size size = {1280, 720};
static struct device_options device_options;
static struct demo_options demo_options;
static int frame_limit;
static const char *folder = ".";

static const struct option_spec options[] = {
    {"--model", "FILE", OPTION_TEXT, &demo_options.model, "for the model scene"},
    {"--size", "WxH", OPTION_SIZE, &size, "of the window at first (1280x720)"},
    {"--threads", "N", OPTION_COUNT, &device_options.threads, "worker threads (one per CPU)"},
    {"--simd", "LEVEL", OPTION_TEXT, &device_options.simd, "base, avx2 or avx512 (the best)"},
    {"--engine", "NAME", OPTION_TEXT, &device_options.engine, "interp or native (the best)"},
    {"--frames", "N", OPTION_COUNT, &frame_limit, "close after this many frames"},
    {"-o", "DIR", OPTION_TEXT, &folder, "folder for pictures saved with s (.)"},
    {0},
};
static const struct command command = {
    "view",
    "[SCENE] [options]",
    "Opens a window. Drag with the left button to orbit, wheel to zoom, arrow keys or Page Up and\n"
    "Page Down for the next scene, space pauses, w wireframe, s saves a PNG, r resets the view,\n"
    "F1 shows help, Escape or q quits.",
    options,
};
static const double frame_time = 1 / 75.0; /* seconds, at least */
static const char help_text[] = "drag: orbit\n"
                                "wheel: zoom\n"
                                "arrows, PgUp, PgDn: other scene\n"
                                "space: pause\n"
                                "w: wireframe\n"
                                "s: save a PNG\n"
                                "r: reset the view\n"
                                "F1: this help\n"
                                "Esc, q: quit";

struct viewer {
    tp_device *device;
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture; /* as large as the target */
    struct frame_target target;
    struct demo demo;
    bool demo_works;
    int scene; /* index into demo_scenes */
    struct demo_orbit orbit;
    double time, last_step; /* of the scene; when it was advanced */
    bool paused, wireframe, help, save, quit;
    int saved;
    double title_due, busy; /* when the title is renewed; drawing time since then */
    int frames_since_title;
};

static bool tell_sdl(const char *what) {
    command_failed(&command, "%s: %s", what, SDL_GetError());
    return false;
}

/* ---- Scene and targets -------------------------------------------------------------------- */

static void open_scene(struct viewer *v, int scene) {
    demo_close(&v->demo);
    v->scene = (scene + demo_scene_count) % demo_scene_count;
    v->time = 0;
    v->orbit = (struct demo_orbit){.zoom = 1};
    v->title_due = 0;
    v->demo_works = demo_open(&v->demo, v->device, demo_scenes[v->scene], &demo_options);
    if (!v->demo_works)
        command_failed(&command, "%s", v->demo.message);
}

/* Makes target and texture as large as the window. */
static bool follow_window(struct viewer *v) {
    int w, h;
    if (SDL_GetRendererOutputSize(v->renderer, &w, &h) != 0)
        return tell_sdl("window size");
    w = w < 1 ? 1 : w > MAX_SIZE ? MAX_SIZE : w;
    h = h < 1 ? 1 : h > MAX_SIZE ? MAX_SIZE : h;
    if (v->texture && v->target.size.width == (uint32_t)w && v->target.size.height == (uint32_t)h)
        return true;
    if (v->texture)
        SDL_DestroyTexture(v->texture);
    frame_target_destroy(&v->target);
    if (!frame_target_create(&v->target, v->device, (struct size){(uint32_t)w, (uint32_t)h})) {
        command_failed(&command, "no memory for a %dx%d target: %s", w, h, tp_message(v->device));
        return false;
    }
    v->texture =
        SDL_CreateTexture(v->renderer, SDL_PIXELFORMAT_RGBA32, SDL_TEXTUREACCESS_STREAMING, w, h);
    if (v->texture)
        SDL_SetTextureBlendMode(v->texture, SDL_BLENDMODE_NONE);
    return v->texture || tell_sdl("window texture");
}

/* ---- Input -------------------------------------------------------------------------------- */

static void handle_key(struct viewer *v, SDL_Keycode key) {
    switch (key) {
    case SDLK_ESCAPE:
    case SDLK_q:
        v->quit = true;
        break;
    case SDLK_RIGHT:
    case SDLK_DOWN:
    case SDLK_PAGEDOWN:
        open_scene(v, v->scene + 1);
        break;
    case SDLK_LEFT:
    case SDLK_UP:
    case SDLK_PAGEUP:
        open_scene(v, v->scene - 1);
        break;
    case SDLK_SPACE:
        v->paused = !v->paused;
        break;
    case SDLK_w:
        v->wireframe = !v->wireframe;
        break;
    case SDLK_r:
        v->orbit = (struct demo_orbit){.zoom = 1};
        break;
    case SDLK_s:
        v->save = true;
        break;
    case SDLK_F1:
        v->help = !v->help;
        break;
    }
}

static void handle_event(struct viewer *v, const SDL_Event *e) {
    switch (e->type) {
    case SDL_QUIT:
        v->quit = true;
        break;
    case SDL_KEYDOWN:
        handle_key(v, e->key.keysym.sym);
        break;
    case SDL_MOUSEMOTION:
        if (e->motion.state & SDL_BUTTON_LMASK) {
            v->orbit.yaw -= 0.008f * (float)e->motion.xrel;
            v->orbit.pitch += 0.008f * (float)e->motion.yrel;
        }
        break;
    case SDL_MOUSEWHEEL:
        v->orbit.zoom = demo_clamp(v->orbit.zoom * (e->wheel.y > 0 ? 0.9f : 1 / 0.9f), 0.05f, 20);
        break;
    }
}

/* ---- Frames ------------------------------------------------------------------------------- */

static void save_picture(struct viewer *v) {
    char path[4096], message[4400];
    do /* never over an older one */
        snprintf(path, sizeof path, "%s/%s-%03d.png", folder, demo_scenes[v->scene]->name,
                 v->saved++);
    while (access(path, F_OK) == 0 && v->saved < 1000);
    if (write_png(path, v->target.size.width, v->target.size.height, v->target.pixels, message,
                  sizeof message)) {
        printf("%s\n", path);
        fflush(stdout);
    } else {
        command_failed(&command, "%s", message);
    }
    v->save = false;
}

static void renew_title(struct viewer *v, double now) {
    char title[256];
    struct tp_statistics s = {0};
    if (now < v->title_due || v->frames_since_title == 0)
        return;
    if (v->demo_works)
        tp_get_statistics(v->demo.context, &s);
    uint64_t n = (uint64_t)v->frames_since_title;
    snprintf(title, sizeof title, "teslapipe %s - %ux%u - %.1f ms - %llu warps, %llu fragments%s",
             demo_scenes[v->scene]->name, v->target.size.width, v->target.size.height,
             1e3 * v->busy / v->frames_since_title,
             (unsigned long long)((s.vertex_warps + s.geometry_warps + s.fragment_warps) / n),
             (unsigned long long)(s.fragments / n), v->paused ? " - paused" : "");
    SDL_SetWindowTitle(v->window, title);
    if (v->demo_works)
        tp_reset_statistics(v->demo.context);
    v->title_due = now + 0.25;
    v->busy = 0;
    v->frames_since_title = 0;
}

static void draw_scene(struct viewer *v) {
    static const uint8_t red[3] = {255, 120, 100}, white[3] = {235, 240, 250};
    int w = (int)v->target.size.width, h = (int)v->target.size.height;
    double begin = seconds_now();
    if (v->demo_works &&
        !frame_target_draw(&v->target, &v->demo, v->time, v->orbit, v->wireframe)) {
        command_failed(&command, "%s", v->demo.message);
        v->demo_works = false;
    }
    v->busy += seconds_now() - begin;
    v->frames_since_title++;
    if (!v->demo_works) {
        memset(v->target.pixels, 0, (size_t)w * (size_t)h * 4);
        overlay_text(v->target.pixels, w, h, 16, 16, 2, v->demo.message, red);
    }
    if (v->save)
        save_picture(v);
    if (v->help)
        overlay_text(v->target.pixels, w, h, 16, 16, w > 900 ? 3 : 2, help_text, white);
}

/* False when the window system fails. */
static bool show_frame(struct viewer *v) {
    double now = seconds_now();
    if (!v->paused)
        v->time += now - v->last_step;
    v->last_step = now;
    if (!follow_window(v))
        return false;
    draw_scene(v);
    if (SDL_UpdateTexture(v->texture, NULL, v->target.pixels, (int)v->target.size.width * 4) != 0 ||
        SDL_RenderCopy(v->renderer, v->texture, NULL, NULL) != 0)
        return tell_sdl("showing the frame");
    SDL_RenderPresent(v->renderer);
    renew_title(v, seconds_now());
    return true;
}

static bool run(struct viewer *v) {
    v->last_step = seconds_now();
    for (int shown = 0; !v->quit && (frame_limit == 0 || shown < frame_limit); shown++) {
        SDL_Event event;
        while (SDL_PollEvent(&event))
            handle_event(v, &event);
        double begin = seconds_now();
        if (!v->quit && !show_frame(v))
            return false;
        double rest = frame_time - (seconds_now() - begin); /* no faster than a display shows */
        if (rest > 0 && frame_limit == 0)
            SDL_Delay((uint32_t)(1e3 * rest));
    }
    return true;
}

/* ---- Start -------------------------------------------------------------------------------- */

static bool open_window(struct viewer *v) {
    v->window = SDL_CreateWindow("teslapipe", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED,
                                 (int)size.width, (int)size.height, SDL_WINDOW_RESIZABLE);
    if (!v->window)
        return tell_sdl("no window");
    v->renderer = SDL_CreateRenderer(v->window, -1, SDL_RENDERER_SOFTWARE);
    return v->renderer || tell_sdl("no renderer");
}

/* SDL falls back to drivers that nobody sees; those count only if they were asked for. */
static bool visible_driver(void) {
    const char *driver = SDL_GetCurrentVideoDriver();
    return getenv("SDL_VIDEODRIVER") ||
           (driver && strcmp(driver, "offscreen") != 0 && strcmp(driver, "dummy") != 0 &&
            strcmp(driver, "evdev") != 0);
}

/* The same scene and options as a PNG file. */
static int render_instead(const char *why, const char *scene) {
    char size_text[32], threads_text[16];
    fprintf(stderr, "teslapipe view: no display (%s): rendering %s/%s.png instead\n", why, folder,
            scene);
    snprintf(size_text, sizeof size_text, "%ux%u", size.width, size.height);
    char *arguments[16] = {"render", (char *)scene, "--size", size_text, "-o", (char *)folder};
    int n = 6;
    if (demo_options.model) {
        arguments[n++] = "--model";
        arguments[n++] = (char *)demo_options.model;
    }
    if (device_options.threads) {
        snprintf(threads_text, sizeof threads_text, "%d", device_options.threads);
        arguments[n++] = "--threads";
        arguments[n++] = threads_text;
    }
    if (device_options.simd) {
        arguments[n++] = "--simd";
        arguments[n++] = (char *)device_options.simd;
    }
    if (device_options.engine) {
        arguments[n++] = "--engine";
        arguments[n++] = (char *)device_options.engine;
    }
    return cmd_render(n, arguments);
}

static int view(int scene) {
    int code;
    struct viewer v = {0};
    v.device = command_device(&command, &device_options, &code);
    if (!v.device)
        return code;
    bool ok = open_window(&v);
    if (ok) {
        open_scene(&v, scene);
        ok = run(&v);
    }
    demo_close(&v.demo);
    if (v.texture)
        SDL_DestroyTexture(v.texture);
    frame_target_destroy(&v.target);
    if (v.renderer)
        SDL_DestroyRenderer(v.renderer);
    if (v.window)
        SDL_DestroyWindow(v.window);
    tp_device_destroy(v.device);
    return ok ? EXIT_FINE : EXIT_FAILED;
}

int cmd_view(int argc, char **argv) {
    int code, count = command_parse(&command, argc, argv, &code);
    if (count < 0)
        return code;
    if (count > 1)
        return command_usage(&command, "one scene at a time, not %s as well", argv[2]);
    const char *name = count == 1 ? argv[1] : demo_scenes[0]->name;
    if (!command_scene(&command, name))
        return EXIT_USAGE;
    int scene = 0;
    while (demo_scenes[scene] != demo_find(name))
        scene++;
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return render_instead(SDL_GetError(), name);
    if (!visible_driver()) {
        SDL_Quit();
        return render_instead("neither X11 nor Wayland answers", name);
    }
    code = view(scene);
    SDL_Quit();
    return code;
}
