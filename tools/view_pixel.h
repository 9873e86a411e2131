/* The viewer's panel: the history of a pixel, the program of one of its fragments, and that
 * fragment stepped forwards and backwards. Its step view shows the fragment's whole warp, or the
 * warps of the primitive's vertices. */
#pragma once

#include "tools/playback.h"
#include "tools/view_steps.h"

struct view_pixel;

/* Opens the history of a pixel in the surface that colour output 0 of draw `last` (0: of the last
 * draw) writes, up to this draw. Returns NULL after a message. */
struct view_pixel *view_pixel_ask(const struct playback *p, uint64_t last, int x, int y);
void view_pixel_free(struct view_pixel *v); /* NULL is allowed */
/* Selects another entry; steps in its trace. A large number goes to the start or the end. */
void view_pixel_select(struct view_pixel *v, int by);
void view_pixel_step(struct view_pixel *v, int by);
void view_pixel_draw(const struct view_pixel *v, SDL_Renderer *renderer, struct view_text *text,
                     const SDL_Rect *where);
/* Returns the step view of the selected entry; NULL: closed. */
struct view_steps *view_pixel_steps(const struct view_pixel *v);
/* Opens or closes the step view. Entries without a program have none. */
void view_pixel_toggle_steps(struct view_pixel *v);
/* Moves the step view from the fragment to the first vertex of its primitive, to the next vertex,
 * and back. */
void view_pixel_next_vertex(struct view_pixel *v);
/* Writes a title like "pixel 12,34: entry 2 of 3, step 5 of 14". */
void view_pixel_title(const struct view_pixel *v, char *title, size_t size);
