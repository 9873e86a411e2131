/* The machine for a page: functions that JavaScript calls (WEB_API), most with an answer in JSON,
 * and the data that their files share. One scene or recording is open at a time. web.c: scenes,
 * their programs and pictures; recording.c: recordings; pixel.c: the history of a pixel, and the
 * steps of a warp; code.c: assembler, disassembler, sentences, programs without a scene.
 * docs/web.md lists the functions. */
#pragma once

#include "pipeline/debug/warp_find.h"
#include "tools/playback.h"
#include "tools/web/json.h"

#if defined(__EMSCRIPTEN__)
#include <emscripten/emscripten.h>
#define WEB_API EMSCRIPTEN_KEEPALIVE
#else
#define WEB_API
#endif

enum { WEB_MEMORY = 256 << 20, WEB_PROGRAMS = 64, WEB_BUDGET = 4 << 20 };

struct web_program {
    char *name;     /* "checker.fp", "fermi/glass.fp" */
    char *original; /* the file's own text; NULL: the user changed nothing */
};

struct web {
    struct json json;
    tp_device *device;
    struct demo demo;
    bool open;
    uint32_t width, height;
    tp_texture *color, *zeta;
    uint8_t *pixels; /* RGBA of the last picture */
    double time;
    struct demo_orbit orbit;
    bool wireframe;
    struct web_program program[WEB_PROGRAMS];
    unsigned programs;
    char message[1024];
    int threads; /* threads of the device */
    /* an open recording */
    bool replays;         /* a recording is open, not a scene */
    uint64_t draws, draw; /* draws of the file; the selected draw */
    struct sources sources;
    struct replay_result result; /* of the last replay, until the next one */
    const struct state *state;   /* state after the last draw of the last picture */
};
extern struct web web;

/* Draws the frame of web.time, or replays to web.draw. Draws are numbered from 1. Every hook may be
 * NULL. A scene calls device, context, before and after; a recording calls launch and memory, too.
 * web.sources receives the GLSL. Returns false with web.message set. */
bool web_play(const struct playback_hooks *hooks);
/* The part of web_play() for an open recording. */
bool web_replay(const struct playback_hooks *hooks);
/* Ends the last replay and its device. */
void web_close_replay(void);
/* Closes an open recording and removes its file. */
void web_close_recording(void);
/* Closes the open scene or recording. */
void web_close(void);
/* Returns the target that pictures show: colour output 0, or zeta. NULL: none. */
const struct target_state *web_target(const struct state *s);
/* Shows a picture of this size in place of the last one, and takes its malloc'd rows. */
void web_show_picture(uint8_t *rows, uint32_t width, uint32_t height);
/* Draws the frame of web.time again. Returns false with web.message set. */
bool web_draw_frame(void);
/* Answers {"error": web.message}; web_fail() sets the message. */
const char *web_failed(void);
const char *web_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Sets the steps that web_steps() and others show; NULL: none. */
void web_show_steps(struct warp_steps *steps, unsigned lane);
/* Answers the description of the steps. */
WEB_API const char *web_steps(void);
/* Frees the history of the pixel, and the steps that are shown. */
void web_forget_pixel(void);
/* Assembles; writes the member "errors" with line, column and text of every mistake, and returns
 * whether there was none. name: "cp", or a path with that extension. out may be NULL. */
struct asm_result;
bool web_check_text(const char *chip, const char *name, const char *text, struct asm_result *out);
