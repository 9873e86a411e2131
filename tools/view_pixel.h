/* The viewer's panel: the history of a pixel, the program of one of its fragments, and that
 * fragment stepped forwards and backwards. */
#ifndef TOOLS_VIEW_PIXEL_H
#define TOOLS_VIEW_PIXEL_H

#include "tools/playback.h"
#include "tools/view_text.h"

struct view_pixel;

/* Opens the history of a pixel of colour output 0 of the last draw (up to `last`, 0: all). NULL
 * after a message. */
struct view_pixel *view_pixel_ask(const struct playback *p, uint64_t last, int x, int y);
void view_pixel_free(struct view_pixel *v); /* NULL is fine */
/* Selects another entry; steps forwards or backwards; goes to the start or the end. */
void view_pixel_select(struct view_pixel *v, int by);
void view_pixel_step(struct view_pixel *v, int by);
void view_pixel_draw(const struct view_pixel *v, SDL_Renderer *renderer, struct view_text *text,
                     const SDL_Rect *where);
/* "pixel 12,34: entry 2 of 3, step 5 of 14" */
void view_pixel_title(const struct view_pixel *v, char *title, size_t size);

#endif
