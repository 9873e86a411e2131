/* Warnings about inputs that programs read although nothing is bound to them (unbound.c), when a
 * draw is captured. */
#pragma once

#include "pipeline/draw.h"

/* Gives at most one warning: about an input of the draw's programs that is not bound, or about a
 * result that is not written. inlined: true if the vertices are in the command stream, so that no
 * array has to be bound. */
void warn_unbound(tp_context *c, const struct stage_state *s, bool inlined);
