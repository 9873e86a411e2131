/* teslapipe view: an SDL2 window with the demo scenes, or with a recording. The library draws the
 * frame into a target; the viewer reads the target back and copies the picture to the window. SDL
 * draws text and boxes. If a scene fails, the window shows the error and the viewer continues.
 * Without a display the viewer renders the scene to a file.
 */
#include "tools/png.h"
#include "tools/view_pixel.h"
#include "tools/view_recording.h"

#include <unistd.h>

int cmd_render(int argc, char **argv);

static struct size size = {1280, 720};
static struct device_options device_options;
static struct demo_options demo_options;
static int frame_limit;
static const char *folder = ".";

static const struct option_spec options[] = {
    {"--model", "FILE", OPTION_TEXT, &demo_options.model, "file for the scene model"},
    {"--size", "WxH", OPTION_SIZE, &size, "size of the window at the start (1280x720)"},
    THREADS_OPTION(&device_options.threads),
    SIMD_OPTION(&device_options.simd),
    ENGINE_OPTION(&device_options.engine),
    {"--frames", "N", OPTION_COUNT, &frame_limit, "close after this many frames"},
    {"-o", "DIR", OPTION_TEXT, &folder, "folder for pictures saved with s (.)"},
    {0},
};
static const struct command command = {
    "view",
    "[SCENE | RECORDING] [options]",
    "Opens a window. Drag with the left button to orbit, wheel to zoom, arrow keys or Page Up and\n"
    "Page Down for the next scene, space pauses, w wireframe, s saves a PNG, r resets the view,\n"
    "F1 shows help, Escape or q quits. p, then a click: the history of a pixel, its program and\n"
    "values; then w: the steps of its warp, 32 lanes by instructions, with masks and stack.\n"
    "F2 to F7 show overdraw, occupancy, divergence, mip levels, zeta tests and tiles' times,\n"
    "and patches with their levels.\n"
    "A recording (teslapipe gl --record) has a slider for its draws, and t shows its other targets,\n"
    "textures and programs.",
    options,
    "teslapipe view lights\n"
    "teslapipe view frame.tpr",
};
static const double frame_time = 1 / 75.0; /* minimum time between frames in seconds */
#define PICTURE_HELP                                                                               \
    "p, click: why has this pixel this colour? then w: its warp\n"                                 \
    "F2: overdraw         F3: lanes in use\n"                                                      \
    "F4: divergence       F5: mip level\n"                                                         \
    "F6: zeta tests, again: tiles' times\n"                                                        \
    "F7: patches of a Fermi, their levels\n"                                                       \
    "F1: this help\n"                                                                              \
    "Esc, q: quit"
static const char scene_help[] = "drag: orbit\n"
                                 "wheel: zoom\n"
                                 "arrows, PgUp, PgDn: other scene\n"
                                 "space: pause\n"
                                 "w: wireframe\n"
                                 "s: save a PNG\n"
                                 "r: reset the view\n" PICTURE_HELP;
static const char steps_help[] = "left, right, wheel, PgUp, PgDn, Home, End: steps back, forward\n"
                                 "up, down, click: other lane\n"
                                 "n, b: next step with this lane, the one before\n"
                                 "d, a: next step with other active lanes, the one before\n"
                                 "v: the vertices' warps, one after the other, and back\n"
                                 "w, Esc: back to the history of the pixel\n"
                                 "F1: this help";
static const char recording_help[] = "left, right, PgUp, PgDn, slider: draws\n"
                                     "t: other targets, textures, programs\n"
                                     "s: save a PNG\n" PICTURE_HELP;
enum { SLIDER = 36 /* pixels */, BIG_STEP = 10 /* draws */ };

struct viewer {
    tp_device *device;
    enum tp_chip chip; /* the scene's chip, as in struct demo_scene */
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture; /* has the size of the target */
    struct frame_target target;
    struct demo demo;
    bool demo_works;
    int scene; /* index into demo_scenes */
    struct demo_orbit orbit;
    double time, last_step; /* the scene's time; the clock when that time was last advanced */
    bool paused, wireframe, help, save, quit;
    int saved;
    double title_due, busy; /* when the next title is due; drawing time since the last title */
    int frames_since_title;
    struct view_text *text; /* NULL: there is no font */
    struct view_recording recording;
    bool is_recording;
    uint32_t texture_width, texture_height;
    /* debugging */
    enum heat_kind heat;
    char legend[160];
    bool picking;             /* the next click selects a pixel */
    struct view_pixel *pixel; /* the panel; NULL: closed */
    SDL_Rect picture;         /* the picture's rectangle in the window */
};

static bool tell_sdl(const char *what) {
    command_failed(&command, "%s: %s", what, SDL_GetError());
    return false;
}

/* ---- Scene and targets -------------------------------------------------------------------- */

/* Makes another device if the scene needs another chip. Without a device the scene does not
 * open. */
static void fit_device(struct viewer *v, const struct demo_scene *scene) {
    int code;
    if (v->chip == scene->chip)
        return;
    frame_target_destroy(&v->target);
    tp_device_destroy(v->device);
    v->device = command_scene_device(&command, &device_options, scene, &code);
    v->chip = scene->chip;
}

static void open_scene(struct viewer *v, int scene) {
    demo_close(&v->demo);
    v->scene = (scene + demo_scene_count) % demo_scene_count;
    fit_device(v, demo_scenes[v->scene]);
    v->time = 0;
    v->orbit = (struct demo_orbit){.zoom = 1};
    v->title_due = 0;
    v->demo_works = demo_open(&v->demo, v->device, demo_scenes[v->scene], &demo_options);
    if (!v->demo_works)
        command_failed(&command, "%s", v->demo.message);
}

/* Gives the target the size of the window, unless a recording or a pixel's panel is shown. Returns
 * false after a message. */
static bool follow_window(struct viewer *v) {
    int w, h;
    if (SDL_GetRendererOutputSize(v->renderer, &w, &h) != 0)
        return tell_sdl("window size");
    w = w < 1 ? 1 : w > MAX_SIZE ? MAX_SIZE : w;
    h = h < 1 ? 1 : h > MAX_SIZE ? MAX_SIZE : h;
    if (v->pixel || v->is_recording)
        return true; /* these pictures do not change their size */
    if (v->target.color && v->target.size.width == (uint32_t)w &&
        v->target.size.height == (uint32_t)h)
        return true;
    frame_target_destroy(&v->target);
    const char *why;
    if (!frame_target_create(&v->target, v->device, (struct size){(uint32_t)w, (uint32_t)h},
                             &why)) {
        command_failed(&command, "no memory for a %dx%d target: %s", w, h, why);
        return false;
    }
    return true;
}

/* Copies the picture to the window's texture. */
static bool take_picture(struct viewer *v, const uint8_t *rows, uint32_t width, uint32_t height) {
    if (v->texture && (v->texture_width != width || v->texture_height != height)) {
        SDL_DestroyTexture(v->texture);
        v->texture = NULL;
    }
    if (!v->texture)
        v->texture = SDL_CreateTexture(v->renderer, SDL_PIXELFORMAT_RGBA32,
                                       SDL_TEXTUREACCESS_STREAMING, (int)width, (int)height);
    if (!v->texture)
        return tell_sdl("window texture");
    v->texture_width = width;
    v->texture_height = height;
    SDL_SetTextureBlendMode(v->texture, SDL_BLENDMODE_NONE);
    return SDL_UpdateTexture(v->texture, NULL, rows, (int)width * 4) == 0 ||
           tell_sdl("showing the frame");
}

/* ---- Debugging ---------------------------------------------------------------------------- */

static void close_panel(struct viewer *v) {
    view_pixel_free(v->pixel);
    v->pixel = NULL;
    v->picking = false;
    v->title_due = 0;
}

static void ask_pixel(struct viewer *v, int mouse_x, int mouse_y) {
    const SDL_Rect *r = &v->picture;
    if (mouse_x < r->x || mouse_y < r->y || mouse_x >= r->x + r->w || mouse_y >= r->y + r->h ||
        (v->is_recording && !v->recording.is_target) || (!v->is_recording && !v->demo_works))
        return;
    const int x = (int)((int64_t)(mouse_x - r->x) * v->texture_width / r->w);
    const int y = (int)((int64_t)(mouse_y - r->y) * v->texture_height / r->h);
    const struct playback scene = {.command = &command,
                                   .scene = demo_scenes[v->scene],
                                   .size = v->target.size,
                                   .time = v->time,
                                   .wireframe = v->wireframe,
                                   .orbit = v->orbit};
    struct view_pixel *pixel = v->is_recording
                                   ? view_pixel_ask(&v->recording.playback, v->recording.draw, x, y)
                                   : view_pixel_ask(&scene, 0, x, y);
    if (!pixel)
        return;
    view_pixel_free(v->pixel);
    v->pixel = pixel;
    v->paused = true;
    v->title_due = 0;
}

/* Handles the keys of the step view, and the w that opens the view; false for another key. */
static bool steps_key(struct viewer *v, SDL_Keycode key) {
    struct view_steps *steps = view_pixel_steps(v->pixel);
    v->title_due = 0;
    if (!steps && key != SDLK_w)
        return false;
    if (key == SDLK_w || key == SDLK_ESCAPE)
        view_pixel_toggle_steps(v->pixel);
    else if (key == SDLK_v)
        view_pixel_next_vertex(v->pixel);
    else
        return view_steps_key(steps, key);
    return true;
}

/* Handles the panel's keys; false if the panel does not use the key. */
static bool panel_key(struct viewer *v, SDL_Keycode key) {
    static const struct {
        SDL_Keycode key;
        int select, step;
    } keys[] = {{SDLK_LEFT, 0, -1},
                {SDLK_RIGHT, 0, 1},
                {SDLK_PAGEUP, 0, -16},
                {SDLK_PAGEDOWN, 0, 16},
                {SDLK_HOME, 0, -1000000000},
                {SDLK_END, 0, 1000000000},
                {SDLK_UP, -1, 0},
                {SDLK_DOWN, 1, 0}};
    if (steps_key(v, key))
        return true;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].key == key) {
            if (keys[i].select)
                view_pixel_select(v->pixel, keys[i].select);
            else
                view_pixel_step(v->pixel, keys[i].step);
            return true;
        }
    if (key != SDLK_ESCAPE && key != SDLK_p)
        return false;
    close_panel(v);
    return true;
}

static void choose_heat(struct viewer *v, enum heat_kind kind) {
    if (kind == HEAT_ZETA && (v->heat == HEAT_ZETA || v->heat == HEAT_TILES))
        kind = HEAT_TILES; /* the key shows zeta tests, then tiles, then no map */
    v->heat = v->heat == kind ? HEAT_NONE : kind;
    v->legend[0] = '\0';
    v->title_due = 0;
    if (v->is_recording)
        view_recording_show(&v->recording, v->recording.draw, v->recording.item, v->heat);
}

/* ---- Input -------------------------------------------------------------------------------- */

static void show_draw(struct viewer *v, int64_t draw) {
    close_panel(v);
    draw = draw < 1 ? 1 : draw;
    if ((uint64_t)draw != v->recording.draw)
        view_recording_show(&v->recording, (uint64_t)draw, v->recording.item, v->heat);
}

/* Handles keys for recordings; false if recordings do not use the key. */
static bool recording_key(struct viewer *v, SDL_Keycode key) {
    struct view_recording *r = &v->recording;
    static const struct {
        SDL_Keycode key;
        int by;
    } keys[] = {{SDLK_LEFT, -1},           {SDLK_RIGHT, 1}, {SDLK_PAGEUP, -BIG_STEP},
                {SDLK_PAGEDOWN, BIG_STEP}, {SDLK_UP, -1},   {SDLK_DOWN, 1}};
    v->title_due = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].key == key) {
            show_draw(v, (int64_t)r->draw + keys[i].by);
            return true;
        }
    if (key == SDLK_HOME || key == SDLK_END)
        show_draw(v, key == SDLK_HOME ? 1 : (int64_t)r->draws);
    else if (key == SDLK_t)
        view_recording_show(r, r->draw, r->items ? (r->item + 1) % r->items : 0, v->heat);
    return key == SDLK_HOME || key == SDLK_END || key == SDLK_t || key == SDLK_w || key == SDLK_r ||
           key == SDLK_SPACE;
}

static void handle_key(struct viewer *v, SDL_Keycode key) {
    if ((v->pixel && panel_key(v, key)) || (v->is_recording && recording_key(v, key)))
        return;
    switch (key) {
    case SDLK_p:
        v->picking = !v->picking;
        v->paused |= v->picking;
        v->title_due = 0;
        if (v->is_recording && v->picking && !v->recording.is_target)
            view_recording_show(&v->recording, v->recording.draw, 0, v->heat);
        break;
    case SDLK_F2:
    case SDLK_F3:
    case SDLK_F4:
    case SDLK_F5:
    case SDLK_F6:
        choose_heat(v, (enum heat_kind)(HEAT_OVERDRAW + (key - SDLK_F2)));
        break;
    case SDLK_F7:
        choose_heat(v, HEAT_PATCHES);
        break;
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

static void drag_slider(struct viewer *v, int x, int y) {
    int w, h;
    SDL_GetRendererOutputSize(v->renderer, &w, &h);
    if (y < h - SLIDER || w < 32)
        return;
    const int64_t most = (int64_t)v->recording.draws - 1;
    const int64_t at = x < 16 ? 0 : x > w - 16 ? w - 32 : x - 16;
    show_draw(v, 1 + (at * most + (w - 32) / 2) / (w - 32));
    v->title_due = 0;
}

static void handle_event(struct viewer *v, const SDL_Event *e) {
    switch (e->type) {
    case SDL_QUIT:
        v->quit = true;
        break;
    case SDL_KEYDOWN:
        handle_key(v, e->key.keysym.sym);
        break;
    case SDL_MOUSEBUTTONDOWN:
        if (v->pixel && view_pixel_steps(v->pixel)) {
            view_steps_click(view_pixel_steps(v->pixel), e->button.x);
            v->title_due = 0;
            break;
        }
        if (v->is_recording)
            drag_slider(v, e->button.x, e->button.y);
        if (v->picking || v->pixel)
            ask_pixel(v, e->button.x, e->button.y);
        break;
    case SDL_MOUSEMOTION:
        if (v->is_recording && e->motion.state & SDL_BUTTON_LMASK)
            drag_slider(v, e->motion.x, e->motion.y);
        else if (e->motion.state & SDL_BUTTON_LMASK && !v->picking && !v->pixel) {
            v->orbit.yaw -= 0.008f * (float)e->motion.xrel;
            v->orbit.pitch += 0.008f * (float)e->motion.yrel;
        }
        break;
    case SDL_MOUSEWHEEL:
        if (v->pixel && view_pixel_steps(v->pixel)) {
            view_steps_move(view_pixel_steps(v->pixel), -e->wheel.y);
            v->title_due = 0;
            break;
        }
        v->orbit.zoom = demo_clamp(v->orbit.zoom * powf(0.9f, (float)e->wheel.y), 0.05f, 20);
        break;
    }
}

/* ---- Frames ------------------------------------------------------------------------------- */

static void save_picture(struct viewer *v, const uint8_t *rows, uint32_t width, uint32_t height) {
    char path[4096], message[4400];
    do /* does not overwrite an older picture */
        snprintf(path, sizeof path, "%s/%s-%03d.png", folder,
                 v->is_recording ? "recording" : demo_scenes[v->scene]->name, v->saved++);
    while (access(path, F_OK) == 0 && v->saved < 1000);
    if (write_png(path, width, height, rows, message, sizeof message)) {
        printf("%s\n", path);
        fflush(stdout);
    } else {
        command_failed(&command, "%s", message);
    }
    v->save = false;
}

static void scene_title(struct viewer *v, char *title, size_t room) {
    struct tp_statistics s = {0};
    const uint64_t n = v->frames_since_title ? (uint64_t)v->frames_since_title : 1;
    if (v->demo_works)
        tp_get_statistics(v->demo.context, &s);
    snprintf(title, room, "teslapipe %s - %ux%u - %.1f ms - %llu warps, %llu fragments%s%s%s",
             demo_scenes[v->scene]->name, v->target.size.width, v->target.size.height,
             1e3 * v->busy / (double)n,
             (unsigned long long)((s.vertex_warps + s.geometry_warps + s.fragment_warps) / n),
             (unsigned long long)(s.fragments / n), v->paused ? " - paused" : "",
             v->picking ? " - click a pixel" : "", v->legend);
    if (v->demo_works)
        tp_reset_statistics(v->demo.context);
}

static void renew_title(struct viewer *v, double now) {
    char title[512], pixel[128];
    if (now < v->title_due || v->frames_since_title == 0)
        return;
    if (v->pixel) {
        view_pixel_title(v->pixel, pixel, sizeof pixel);
        snprintf(title, sizeof title, "teslapipe %s", pixel);
    } else if (v->is_recording) {
        snprintf(title, sizeof title, "teslapipe %s - draw %llu of %llu - %s%s%s",
                 v->recording.playback.file, (unsigned long long)v->recording.draw,
                 (unsigned long long)v->recording.draws, v->recording.name,
                 v->picking ? " - click a pixel" : "", v->recording.legend);
    } else {
        scene_title(v, title, sizeof title);
    }
    SDL_SetWindowTitle(v->window, title);
    v->title_due = now + 0.25;
    v->busy = 0;
    v->frames_since_title = 0;
}

static const SDL_Color red = {255, 120, 100, 255}, white = {235, 240, 250, 255};

/* An overlay counts draws into the frame's own target; draws of the scene into other targets are
 * left out. */
struct overlay {
    struct heat heat;
    uint64_t target; /* the target's address */
    bool counts;     /* whether the current draw is counted */
};

static void count_draws(struct overlay *o, tp_context *c, bool counts) {
    if (counts != o->counts)
        (counts ? heat_attach : heat_detach)(&o->heat, c);
    o->counts = counts;
}

static void before_draw(void *self, tp_context *c) {
    struct overlay *o = self;
    count_draws(o, c, c->state.color_count && c->state.color[0].address == o->target);
}

static void after_draw(void *, tp_context *) {
}

static bool draw_demo(struct viewer *v) {
    struct overlay o = {.target = tp_texture_address(v->target.color)};
    const struct draw_hooks hooks = {.self = &o, .before = before_draw, .after = after_draw};
    const bool on = v->heat != HEAT_NONE &&
                    heat_begin(&o.heat, v->heat, v->target.size.width, v->target.size.height, 1);
    v->demo.context->hooks = on ? &hooks : NULL;
    const bool ok = frame_target_draw(&v->target, &v->demo, v->time, v->orbit, v->wireframe);
    v->demo.context->hooks = NULL;
    if (on) {
        count_draws(&o, v->demo.context, false);
        heat_paint(&o.heat, v->target.pixels);
        strcpy(v->legend, " - ");
        heat_legend(&o.heat, v->legend + 3, sizeof v->legend - 3);
    }
    heat_free(&o.heat);
    return ok;
}

static bool draw_scene(struct viewer *v) {
    const double begin = seconds_now();
    if (v->demo_works && !draw_demo(v)) {
        command_failed(&command, "%s", v->demo.message);
        v->demo_works = false;
    }
    v->busy += seconds_now() - begin;
    if (!v->demo_works)
        memset(v->target.pixels, 0, (size_t)v->target.size.width * v->target.size.height * 4);
    if (v->save)
        save_picture(v, v->target.pixels, v->target.size.width, v->target.size.height);
    return take_picture(v, v->target.pixels, v->target.size.width, v->target.size.height);
}

static bool draw_recording(struct viewer *v) {
    const struct view_recording *r = &v->recording;
    if (!r->rows)
        return true;
    if (v->save)
        save_picture(v, r->rows, r->width, r->height);
    return take_picture(v, r->rows, r->width, r->height);
}

/* ---- The window --------------------------------------------------------------------------- */

/* Returns the rectangle of the picture: in the middle and as large as possible. Small pictures are
 * enlarged by whole factors. */
static SDL_Rect fit_into(uint32_t width, uint32_t height, SDL_Rect into) {
    const double x = (double)into.w / width, y = (double)into.h / height;
    double scale = x < y ? x : y;
    if (scale >= 2)
        scale = (int)scale;
    const int w = (int)(width * scale), h = (int)(height * scale);
    return (SDL_Rect){into.x + (into.w - w) / 2, into.y + (into.h - h) / 2, w > 0 ? w : 1,
                      h > 0 ? h : 1};
}

static void draw_slider(struct viewer *v, int w, int h) {
    const struct view_recording *r = &v->recording;
    const SDL_Rect bar = {0, h - SLIDER, w, SLIDER}, line = {16, h - SLIDER / 2 + 8, w - 32, 2};
    const int64_t most = r->draws > 1 ? (int64_t)r->draws - 1 : 1;
    const SDL_Rect knob = {(int)(16 + (w - 32) * ((int64_t)r->draw - 1) / most) - 4,
                           h - SLIDER / 2 + 1, 8, 16};
    char text[512];
    SDL_SetRenderDrawColor(v->renderer, 36, 38, 46, 255);
    SDL_RenderFillRect(v->renderer, &bar);
    SDL_SetRenderDrawColor(v->renderer, 110, 115, 130, 255);
    SDL_RenderFillRect(v->renderer, &line);
    SDL_SetRenderDrawColor(v->renderer, 255, 220, 120, 255);
    SDL_RenderFillRect(v->renderer, &knob);
    snprintf(text, sizeof text, "draw %llu of %llu    %s (t: %u of %u)    %s",
             (unsigned long long)r->draw, (unsigned long long)r->draws, r->name, r->item + 1,
             r->items, r->legend);
    view_text_put(v->text, 16, h - SLIDER + 2, w - 32, text, white);
}

static void draw_texts(struct viewer *v) {
    const bool steps = v->pixel && view_pixel_steps(v->pixel);
    if (v->help)
        view_text_box(v->text, 16,
                      steps             ? steps_help
                      : v->is_recording ? recording_help
                                        : scene_help,
                      white);
    else if (!v->demo_works && !v->is_recording)
        view_text_box(v->text, 16, v->demo.message, red);
    else if (v->picking && !v->pixel)
        view_text_box(v->text, 16, "click a pixel", white);
    else if (v->legend[0] && !v->is_recording)
        view_text_box(v->text, 16, v->legend + 3, white);
}

/* Returns false if the window system fails. */
static bool show_window(struct viewer *v) {
    int w, h;
    if (SDL_GetRendererOutputSize(v->renderer, &w, &h) != 0)
        return tell_sdl("window size");
    /* the step view covers the whole window */
    const bool steps = v->pixel && view_pixel_steps(v->pixel);
    const int height = v->is_recording ? h - SLIDER : h;
    const int left = steps ? 0 : v->pixel ? w * 9 / 20 : w;
    const SDL_Rect area = {0, 0, left, height}, panel = {left, 0, w - left, height};
    SDL_SetRenderDrawColor(v->renderer, 16, 17, 20, 255);
    SDL_RenderClear(v->renderer);
    if (v->is_recording && v->recording.text && !steps)
        view_text_box(v->text, 12, v->recording.text, white);
    else if (v->texture && !steps) {
        v->picture = fit_into(v->texture_width, v->texture_height, area);
        if (SDL_RenderCopy(v->renderer, v->texture, NULL, &v->picture) != 0)
            return tell_sdl("showing the frame");
    }
    if (v->pixel)
        view_pixel_draw(v->pixel, v->renderer, v->text, &panel);
    if (v->is_recording)
        draw_slider(v, w, h);
    draw_texts(v);
    SDL_RenderPresent(v->renderer);
    return true;
}

static bool show_frame(struct viewer *v) {
    double now = seconds_now();
    if (!v->paused)
        v->time += now - v->last_step;
    v->last_step = now;
    if (!follow_window(v) || !(v->is_recording ? draw_recording(v) : draw_scene(v)))
        return false;
    v->frames_since_title++;
    if (!show_window(v))
        return false;
    renew_title(v, seconds_now());
    return true;
}

static bool run_viewer(struct viewer *v) {
    v->last_step = seconds_now();
    for (int shown = 0; !v->quit && (frame_limit == 0 || shown < frame_limit); shown++) {
        SDL_Event event;
        while (SDL_PollEvent(&event))
            handle_event(v, &event);
        double begin = seconds_now();
        if (!v->quit && !show_frame(v))
            return false;
        double rest = frame_time - (seconds_now() - begin); /* until frame_time is over */
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

/* Returns true if windows are visible. SDL falls back to invisible drivers; they are accepted only
 * if the user named them. */
static bool visible_driver(void) {
    const char *driver = SDL_GetCurrentVideoDriver();
    return getenv("SDL_VIDEODRIVER") ||
           (driver && strcmp(driver, "offscreen") != 0 && strcmp(driver, "dummy") != 0 &&
            strcmp(driver, "evdev") != 0);
}

/* Renders the scene to a PNG file. */
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

/* file: a recording; NULL: show the scene. */
static int view_scene(int scene, const char *file) {
    int code;
    const char *why;
    struct viewer v = {.is_recording = file};
    v.device = command_device(&command, &device_options, &code);
    if (!v.device)
        return code;
    bool ok = (!file || view_recording_open(&v.recording, &command, file)) && open_window(&v);
    if (ok) {
        v.text = view_text_open(v.renderer, 14, &why);
        if (!v.text)
            command_failed(&command, "%s", why);
        if (!file)
            open_scene(&v, scene);
        ok = run_viewer(&v);
    }
    view_text_close(v.text);
    view_pixel_free(v.pixel);
    if (file)
        view_recording_close(&v.recording);
    else if (v.demo.device)
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

/* Returns true if the name means a file: the name is no scene's, and has a / or a ., or exists. */
static bool names_file(const char *name) {
    const size_t length = strlen(name);
    return !demo_find(name) &&
           (strchr(name, '/') || strchr(name, '.') || access(name, F_OK) == 0) && length > 0;
}

static int view_anywhere(const char *name, const char *file) {
    int scene = 0;
    while (!file && demo_scenes[scene] != demo_find(name))
        scene++;
    const char *why = SDL_Init(SDL_INIT_VIDEO) == 0 ? NULL : SDL_GetError();
    if (!why && !visible_driver()) {
        SDL_Quit();
        why = "neither X11 nor Wayland answers";
    }
    if (why && file)
        return command_failed(&command, "no display (%s); try teslapipe replay %s --html DIR", why,
                              file);
    if (why)
        return render_instead(why, name);
    const int code = view_scene(scene, file);
    SDL_Quit();
    return code;
}

COMMAND(view) {
    COMMAND_PARSE(code, count);
    if (count > 1)
        return command_usage(&command, "one scene at a time, not %s as well", argv[2]);
    const char *name = count == 1 ? argv[1] : demo_scenes[0]->name;
    const char *file = names_file(name) ? name : NULL;
    if (file && !record_chipset(file)) { /* prints the failure before a window opens */
        tp_device *device = recording_device(&command, file, (struct tp_device_info){0}, &code);
        if (device)
            device_destroy(device);
        return code;
    }
    if (!file && !command_scene(&command, name))
        return EXIT_USAGE;
    if (file && !command_model_used(&command, demo_options.model, 0, NULL))
        return EXIT_USAGE;
    return view_anywhere(name, file);
}
