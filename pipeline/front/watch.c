/* Primitives near the pixels of a pixel watch (debug/watch.h): names for primitives whose bounds
 * contain a watched pixel, a verdict for primitives that cover none. In: the output of the last
 * program before the rasterizer, and the raster primitives that set-up made. Out: calls of the
 * watch's functions. A primitive that does not cover a pixel is set up again by the same code,
 * first without scissor, then also without culling, then also without clipping. If the primitive
 * then covers the pixel, the step left out last is the one that removed it.
 */
#include "pipeline/front/front_private.h"
#include "base/bits.h"

#include <math.h>
#include <stdlib.h>

enum { RELAXED = 3 };
static const enum raster_verdict verdict_of[RELAXED] = {RASTER_SCISSORED, RASTER_CULLED,
                                                        RASTER_CLIPPED};

/* The primitive under test. relaxed: [0] the draw without scissor, [1] the draw without scissor and
 * culling. */
struct tracer {
    struct front *f;
    const struct draw *d;
    const struct output *o;
    struct relaxed_draw {
        struct draw draw;
        struct raster_state raster;
    } *relaxed;           /* [2] */
    uint32_t named, name; /* the primitive that was named last, and its name */
    /* pixels around the corners; all pixels if a corner lies behind the eye or beyond the guard
     * band */
    struct raster_rect near;
};

static void relax_draw(struct relaxed_draw *out, const struct draw *d, bool cull) {
    const struct raster_targets *t = d->raster->targets;
    out->draw = *d;
    out->raster = *d->raster;
    out->draw.raster = &out->raster;
    for (int i = 0; i < 16; i++)
        out->raster.view[i].scissor =
            (struct raster_rect){0, 0, (int32_t)t->width, (int32_t)t->height};
    if (cull)
        out->raster.setup.cull = 0;
}

/* ---- which primitive ---- */

static const uint32_t *rows_of(const struct output *o, uint32_t i, unsigned corner) {
    const uint32_t n = o->number[(size_t)i * o->stride + o->first + corner * o->step];
    return (const uint32_t *)(o->rows->data + (size_t)(n / LANES) * o->rows->layout.stride) +
           n % LANES;
}

static void describe_vertex(const struct output *o, uint32_t i, unsigned corner,
                            struct traced_vertex *v) {
    const uint32_t *at = rows_of(o, i, corner), *window = at + o->rows->layout.window * LANES;
    static const uint8_t row[4] = {ROW_WINDOW_X, ROW_WINDOW_Y, WINDOW_Z, WINDOW_RHW};
    for (int k = 0; k < 4; k++) {
        v->clip[k] = bits_float(at[o->rows->layout.row[k] * LANES]);
        v->window[k] = bits_float(window[row[k] * LANES]);
    }
}

static uint32_t name_primitive(struct tracer *w, uint32_t i) {
    const struct draw_call *c = w->f->call;
    const struct output *o = w->o;
    const uint32_t number = output_origin(o, i);
    if (w->named == i)
        return w->name;
    struct traced_primitive p = {.draw = c->number,
                                 .number = number,
                                 .primitive = c->primitives ? number % c->primitives : number,
                                 .instance = c->instance,
                                 .maker = o->maker,
                                 .vertices = o->vertices};
    p.instance += c->primitives ? number / c->primitives : 0;
    for (unsigned k = 0; k < p.vertices; k++) {
        const uint32_t n = o->number[(size_t)i * o->stride + o->first + k * o->step];
        p.vertex[k].number = o->vertex_name ? o->vertex_name[n] : n / LANES;
        describe_vertex(o, i, k, &p.vertex[k]);
    }
    if (w->d->tessellation)
        patches_trace(w->f, o, i, &p);
    w->named = i;
    w->name = w->f->watch->primitive(w->f->watch->self, &p);
    return w->name;
}

/* ---- which pixels ---- */

/* Calls f for each watched pixel in the rectangle until f returns true. */
typedef bool pixel_fn(struct tracer *w, uint32_t pixel, void *argument);
static bool each_pixel(struct tracer *w, const struct raster_rect *r, pixel_fn *f, void *argument) {
    const struct raster_probe *probe = &w->f->watch->probe;
    for (uint32_t i = raster_probe_row(probe, r->y0); i < probe->pixels; i++) {
        const struct raster_probe_pixel *p = &probe->pixel[i];
        if (p->y >= r->y1)
            break;
        if (p->x >= r->x0 && p->x < r->x1 && f(w, i, argument))
            return true;
    }
    return false;
}

static bool any_pixel(struct tracer *, uint32_t, void *) {
    return true;
}

/* Returns the pixels that primitive i can cover if no step removes any part of it. */
static struct raster_rect near_rect(const struct tracer *w, uint32_t i) {
    const struct draw *d = w->d;
    const struct raster_rect all = {0, 0, INT32_MAX, INT32_MAX};
    struct raster_rect r = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
    float reach = d->primitives->class == CLASS_LINE || d->primitives->unfilled
                      ? fmaxf(d->raster->setup.line_width, 1)
                      : 0;
    for (unsigned k = 0; k < w->o->vertices; k++) {
        const uint32_t *at = rows_of(w->o, i, k), *window = at + w->o->rows->layout.window * LANES;
        const uint32_t code = window[WINDOW_CODE * LANES];
        if (code & (OUT_LOST | OUT_W | OUT_GUARD * 15))
            return all;
        const int32_t x = (int32_t)window[WINDOW_X * LANES] >> 8;
        const int32_t y = (int32_t)window[WINDOW_Y * LANES] >> 8;
        r.x0 = x < r.x0 ? x : r.x0;
        r.y0 = y < r.y0 ? y : r.y0;
        r.x1 = x > r.x1 ? x : r.x1;
        r.y1 = y > r.y1 ? y : r.y1;
        if (d->primitives->class == CLASS_POINT || d->primitives->unfilled) {
            const float size =
                d->primitives->point_size_from_slot
                    ? bits_float(at[w->o->rows->layout.row[d->vertex->semantic.point_size] * LANES])
                    : d->primitives->point_size;
            reach = size > reach ? size : reach;
        }
    }
    const int32_t more = reach < 4096 ? (int32_t)(reach / 2) + 2 : 4096;
    return (struct raster_rect){r.x0 - more, r.y0 - more, r.x1 + more + 1, r.y1 + more + 1};
}

/* ---- the verdict ---- */

/* The raster primitives made from the primitive under test, by the draw itself or by a trial. */
struct made {
    uint32_t first, end; /* of front.prims */
};

static const struct raster_prim *covering_prim(const struct tracer *w, const struct made *m,
                                               uint32_t pixel) {
    const struct raster_probe_pixel *at = &w->f->watch->probe.pixel[pixel];
    for (uint32_t i = m->first; i < m->end; i++)
        if (raster_prim_covers(w->f->prims.prim[i], at, w->d->raster->targets->samples))
            return w->f->prims.prim[i];
    return NULL;
}

static bool is_missed(struct tracer *w, uint32_t pixel, void *made) {
    return !covering_prim(w, made, pixel);
}

/* Sets the primitive up without the steps 0 to `level`: 0 scissor, 1 culling, 2 clipping. */
static void set_up_relaxed(struct tracer *w, const struct primitive *p, unsigned level) {
    struct front *f = w->f;
    struct out_vertex copy[3];
    struct primitive relaxed = *p;
    for (unsigned k = 0; level == 2 && k < p->count; k++) {
        copy[k] = *p->v[k];
        copy[k].code &= OUT_W | OUT_GUARD * 15;
        relaxed.v[k] = &copy[k];
    }
    f->relaxed = level == 2;
    front_primitive(f, &w->relaxed[level > 0].draw, &relaxed);
    front_settle(f, &w->relaxed[level > 0].draw);
    f->relaxed = false;
}

/* A trial: the raster primitives of this level and of the levels before. */
struct trial {
    struct made made, before[RELAXED];
    unsigned level;
    uint32_t i;
};

static bool report_lost(struct tracer *w, uint32_t pixel, void *argument) {
    const struct trial *t = argument;
    const struct raster_prim *prim = covering_prim(w, &t->made, pixel);
    for (unsigned k = 0; prim && k <= t->level; k++)
        if (covering_prim(w, &t->before[k], pixel))
            prim = NULL;
    if (prim) {
        const struct pixel_watch *watch = w->f->watch;
        const bool front = raster_prim_front(prim);
        watch->lost(watch->self, pixel, name_primitive(w, t->i), verdict_of[t->level], front,
                    w->d->raster, w->d->stages->name[PROGRAM_FP]);
    }
    return false;
}

static bool report_degenerate(struct tracer *w, uint32_t pixel, void *argument) {
    const struct pixel_watch *watch = w->f->watch;
    watch->lost(watch->self, pixel, name_primitive(w, *(const uint32_t *)argument),
                RASTER_DEGENERATE, true, w->d->raster, w->d->stages->name[PROGRAM_FP]);
    return false;
}

static bool is_degenerate(const struct tracer *w, const struct primitive *p) {
    int64_t area;
    if (p->count != 3 || (p->v[0]->code | p->v[1]->code | p->v[2]->code) & OUT_CLIP)
        return false;
    const struct raster_vertex *const v[3] = {&p->v[0]->v, &p->v[1]->v, &p->v[2]->v};
    raster_facing(w->d->raster, v, &area);
    return area == 0;
}

/* Tries each level in turn, and drops the primitives that the trials made. */
static void try_relaxed(struct tracer *w, uint32_t i, const struct made *real) {
    struct front *f = w->f;
    const struct front_counters counters = f->counters;
    const uint32_t count = f->prims.count, stipple = f->stipple;
    const bool begins = f->stipple_begins;
    struct primitive p;
    struct trial t = {.before = {*real}, .i = i};
    output_take(f, w->d, w->o, i, &p);
    const struct raster_rect exact = {w->near.x0 + 2, w->near.y0 + 2, w->near.x1 - 2,
                                      w->near.y1 - 2};
    if (is_degenerate(w, &p))
        each_pixel(w, &exact, report_degenerate, &i);
    for (t.level = 0; t.level < RELAXED; t.level++) {
        t.made.first = f->prims.count;
        set_up_relaxed(w, &p, t.level);
        t.made.end = f->prims.count;
        if (t.made.end > t.made.first)
            each_pixel(w, &w->near, report_lost, &t);
        if (t.level + 1 < RELAXED)
            t.before[t.level + 1] = t.made;
    }
    f->prims.count = count;
    f->stipple = stipple;
    f->stipple_begins = begins;
    f->counters = counters;
}

/* Names the raster primitives of primitive i whose bounds contain a watched pixel, or all of them
 * if the watch wants every primitive. */
static void name_made(struct tracer *w, uint32_t i, const struct made *m) {
    for (uint32_t k = m->first; k < m->end; k++) {
        struct raster_prim *p = w->f->prims.prim[k];
        const struct raster_rect r = raster_prim_rect(p);
        if (w->f->watch->every || each_pixel(w, &r, any_pixel, NULL))
            raster_prim_set_number(w->d->raster, p, name_primitive(w, i));
    }
}

void front_watch(struct front *f, const struct draw *d, const struct output *o, uint32_t first) {
    struct tracer w = {.f = f, .d = d, .o = o, .named = UINT32_MAX};
    struct made m = {.end = first};
    const uint32_t end = f->prims.count;
    w.relaxed = malloc(2 * sizeof *w.relaxed);
    if (!w.relaxed) {
        f->oom = true;
        return;
    }
    relax_draw(&w.relaxed[0], d, false);
    relax_draw(&w.relaxed[1], d, true);
    for (uint32_t i = 0; i < o->n; i++) {
        for (m.first = m.end;
             m.end < end && raster_prim_number(d->raster, f->prims.prim[m.end]) == i; m.end++) {
        }
        name_made(&w, i, &m);
        w.near = near_rect(&w, i);
        if (each_pixel(&w, &w.near, is_missed, &m))
            try_relaxed(&w, i, &m);
    }
    free(w.relaxed);
}
