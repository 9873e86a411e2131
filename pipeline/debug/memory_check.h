/* The memory checker on a context. Every draw is flushed before the next begins, so that the
 * context's state is that of the warps that run. In: a context that is about to draw, on a device
 * with one thread. Out: findings. Built on shader/check/. Must not know files.
 */
#pragma once

#include "pipeline/context.h"
#include "shader/check/findings.h"

struct memory_check;

/* not_finite: also reports where NaN and infinity first appear. NULL when out of memory. The
 * findings must outlive the check. */
struct memory_check *memory_check_create(struct findings *findings, bool not_finite);
void memory_check_free(struct memory_check *m); /* NULL is allowed */
/* Checks the context from its next draw or launch on. The check sets the context's hooks, observers
 * and watch; the caller must set none. */
void memory_check_watch(struct memory_check *m, tp_context *c);
/* Ends the check of this context; finishes queued work. */
void memory_check_leave(tp_context *c);
/* To be called after code outside of the contexts has written this memory. */
void memory_check_written(struct memory_check *m, uint64_t address, uint64_t size);
/* True if memory ran out, so that a part of the work was not checked. */
bool memory_check_incomplete(const struct memory_check *m);
