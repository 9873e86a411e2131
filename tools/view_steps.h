/* The viewer's step view: one warp, 32 lanes by instructions, with masks, divergence stack, and the
 * places where lanes wait. */
#pragma once

#include "shader/steps.h"
#include "tools/view_text.h"

struct view_steps;

/* Shows a record from the view of one lane. The caller keeps the record. Returns NULL when out of
 * memory. */
struct view_steps *view_steps_open(struct warp_steps *s, unsigned lane);
void view_steps_close(struct view_steps *v); /* NULL is allowed */
/* Handles the keys of the view. Returns false if the view does not use the key. */
bool view_steps_key(struct view_steps *v, SDL_Keycode key);
/* Goes `by` steps forwards; by < 0: backwards. */
void view_steps_move(struct view_steps *v, int by);
/* Selects the lane whose column is under the mouse. */
void view_steps_click(struct view_steps *v, int x);
void view_steps_draw(struct view_steps *v, SDL_Renderer *renderer, struct view_text *text,
                     const SDL_Rect *where);
/* Writes a title like "vertex 7: step 12 of 91, lane 5 runs". */
void view_steps_title(const struct view_steps *v, char *title, size_t size);
