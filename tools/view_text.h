/* Text in the viewer's window, by SDL2_ttf. */
#pragma once

#include <SDL.h>

struct view_text;

static const SDL_Color plain = {225, 228, 235, 255}, faint = {140, 146, 160, 255},
                       marked = {255, 220, 120, 255};

/* Opens a fixed-width font of this height in pixels. Returns NULL with *why set if there is
 * none. */
struct view_text *view_text_open(SDL_Renderer *renderer, int height, const char **why);
void view_text_close(struct view_text *t);      /* NULL is allowed */
int view_text_line(const struct view_text *t);  /* pixels from one line to the next */
int view_text_width(const struct view_text *t); /* width of a character */
/* Writes a line, cut off at `width` pixels. Does nothing if t is NULL. */
void view_text_put(struct view_text *t, int x, int y, int width, const char *line, SDL_Color color);
/* Writes a word: like "0.25" if the bits look like a float, else like "7" or "0x1f". */
void view_word(char *text, size_t size, uint32_t word);
/* Writes lines over a dark box. */
void view_text_box(struct view_text *t, int y, const char *lines, SDL_Color color);
