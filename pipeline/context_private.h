/* The private data of a context: its scene, the open draw, the captured state, warnings given, and
 * counters. For the files of this room only.
 */
#pragma once

#include "pipeline/counters.h"
#include "pipeline/open_draw.h"
#include "pipeline/scene/scene.h"
#include "pipeline/state/captured.h"

enum { UNBOUND_WARNINGS = 64 };

struct context_private {
    struct scene *scene;
    const struct pixel_watch *watch; /* the scene has the same pointer */
    struct open_draw draw;
    uint32_t instance;     /* id of the last instance of the last draw */
    uint32_t primitive_id; /* id of the primitive that would follow the last draw's primitives */
    struct captured captured;
    struct unbound_warnings {
        uint64_t seen[UNBOUND_WARNINGS];   /* hashes of inputs that a warning named */
        uint64_t unread[UNBOUND_WARNINGS]; /* hashes of inputs that no instruction reads */
        unsigned next, next_unread;
    } unbound;
    struct counters counters;
    uint64_t work; /* result of context_work() */
};

/* query.c: true if a report is still to be written to these bytes. */
bool context_awaits_report(const tp_context *c, uint64_t address, uint64_t size);
/* Writes the waiting reports. To be called when nothing is queued. */
void context_write_reports(tp_context *c);
