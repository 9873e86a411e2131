/* The machine for a page: functions that JavaScript calls (WEB_API), each with an answer in JSON, and
 * what they share. One scene or recording is open at a time. web.c: scenes, their programs and
 * pictures; recording.c: recordings; pixel.c: the history of a pixel, and the steps of a warp;
 * code.c: assembler, disassembler, sentences, programs that run on their own. docs/web.md has the
 * list.
 */
#ifndef TOOLS_WEB_WEB_H
#define TOOLS_WEB_WEB_H

#include "demos/demo.h"
#include "pipeline/debug/warp_find.h"
#include "tools/playback.h"
#include "tools/web/json.h"

#include <stdbool.h>

#if defined(__EMSCRIPTEN__)
#include <emscripten/emscripten.h>
#define WEB_API EMSCRIPTEN_KEEPALIVE
#else
#define WEB_API
#endif

enum { WEB_MEMORY = 256 << 20, WEB_PROGRAMS = 64, WEB_BUDGET = 4 << 20 };

/* A program file of the open scene. */
struct web_program {
    char *name;     /* "checker.fp", "fermi/glass.fp" */
    char *original; /* text; NULL: the user changed nothing */
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
    int threads; /* of a scene's or recording's device */
    /* an open recording */
    bool replays;         /* in place of a scene */
    uint64_t draws, draw; /* of the file; the draw that is shown */
    struct sources sources;
    struct replay_result result; /* of the last replay, until the next */
    const struct state *state;   /* after the last draw of the last picture */
};
extern struct web web;

/* Draws the frame of web.time, or replays up to web.draw. Draws are numbered from 1. Every hook may
 * be NULL; `done` is not called, and sources belong to the callee. False with web.message. */
bool web_play(const struct playback_hooks *hooks);
/* The same for an open recording: web_play() calls it. */
bool web_replay(const struct playback_hooks *hooks);
/* Ends the last replay and its device. */
void web_close_replay(void);
/* Gives pictures of the open recording up. */
void web_close_recording(void);
/* Closes the open scene or recording. */
void web_close(void);
/* The target that pictures show: colour output 0, or zeta. NULL: none. */
const struct target_state *web_target(const struct state *s);
/* Another picture of this size, whose rows are malloc'd. */
void web_show_picture(uint8_t *rows, uint32_t width, uint32_t height);
/* Draws the frame of web.time again. False with web.message. */
bool web_draw_frame(void);
/* Answers {"error": web.message}. */
const char *web_failed(void);
/* The steps that web_steps() and others show, until the next; NULL: none. */
void web_show_steps(struct warp_steps *steps, unsigned lane);
/* Describes them. */
WEB_API const char *web_steps(void);
/* Ends the history, whose steps are shown. */
void web_forget_pixel(void);
/* Assembles; writes the member "errors" with line, column and text of every mistake, and returns
 * whether there was none. name: "cp", or a path with that extension. out may be NULL. */
struct asm_result;
bool web_check_text(const char *chip, const char *name, const char *text, struct asm_result *out);

#endif
