/* Text in the viewer's window, by SDL2_ttf. */
#pragma once

#include <SDL.h>

struct view_text;

/* Opens a fixed-width font of this height in pixels. Returns NULL with *why set if there is
 * none. */
struct view_text *view_text_open(SDL_Renderer *renderer, int height, const char **why);
void view_text_close(struct view_text *t);      /* NULL is allowed */
int view_text_line(const struct view_text *t);  /* pixels from one line to the next */
int view_text_width(const struct view_text *t); /* width of a character */
/* Writes a line, cut off at `width` pixels. Does nothing if t is NULL. */
void view_text_put(struct view_text *t, int x, int y, int width, const char *line, SDL_Color color);
/* Writes lines over a dark box. */
void view_text_box(struct view_text *t, int x, int y, const char *lines, SDL_Color color);
