/* Warnings about inputs that programs read and that are not bound (unbound.c), given when a draw is
 * captured. */
#pragma once

#include "pipeline/draw.h"

/* Warns at most once: of an input of the draw's programs that is not bound, or of a result that is
 * not written. inlined: the vertices are in the command stream, so no array has to be bound. */
void warn_unbound(tp_context *c, const struct stage_state *s, bool inlined);
