/* Primitives that wait until sixteen of a kind can be set up together, in order: triangles, or lines. Their
 * vertices lie in rows: those of the vertex stage, or, where clipping or flat shading made new ones, the
 * front's own loose rows, which have a row for each slot. In: primitives as vertex numbers. Out: raster
 * primitives in the front's list. Must not know why a primitive did not go straight on.
 */
#include "pipeline/front/front.h"

#include <string.h>

enum { LOOSE_VERTICES = 128 };

struct raster_vertices front_vertex_rows(const struct draw *d, const struct vertex_rows *rows) {
    const struct semantic_state *m = &d->vertex->semantic;
    struct raster_vertices v = {.word = (const uint32_t *)rows->data,
                                .stride = rows->layout.stride,
                                .window = rows->layout.window,
                                .layer_row = RASTER_NO_ROW,
                                .viewport_row = RASTER_NO_ROW,
                                .layer = d->primitives->layer};
    memcpy(v.row, rows->layout.row, sizeof v.row);
    if (m->layer != 0xff)
        v.layer_row = rows->layout.row[m->layer];
    if (d->vertex->viewport_from_slot)
        v.viewport_row = rows->layout.row[m->viewport];
    return v;
}

/* ---- loose vertices ---- */

/* Rows of loose vertices: the slots, where they are on the screen, and where their primitive goes, as it
 * may not be the provoking vertex that is left of it. */
enum { LOOSE_LAYER = PROJECTED_ROWS, LOOSE_VIEWPORT, LOOSE_ROWS };

static bool reserve_loose(struct front *f, const struct draw *d) {
    const uint8_t slots = d->primitives->slots;
    struct row_layout layout = {.stride = (uint32_t)slots + LOOSE_ROWS, .window = slots};
    for (uint32_t i = 0; i < SLOTS; i++)
        layout.row[i] = (uint8_t)(i < slots ? i : 0);
    return rows_reserve(&f->loose, &layout, LOOSE_VERTICES);
}

/* Its number. */
static uint32_t add_loose(struct front *f, const struct draw *d, const struct out_vertex *v,
                          const struct raster_face_info *info) {
    const uint32_t n = f->loose_count++;
    uint32_t *at =
        (uint32_t *)(f->loose.data + (size_t)(n / LANES) * f->loose.layout.stride) + n % LANES;
    uint32_t *window = at + (size_t)f->loose.layout.window * LANES;
    int32_t snapped[2] = {0, 0};
    const bool drawn = raster_snap(d->raster, &v->v, snapped);
    for (uint32_t i = 0; i < d->primitives->slots; i++)
        at[i * LANES] = v->v.slot[i];
    window[WINDOW_X * LANES] = (uint32_t)snapped[0];
    window[WINDOW_Y * LANES] = (uint32_t)snapped[1];
    memcpy(&window[WINDOW_Z * LANES], &v->v.z, sizeof v->v.z);
    memcpy(&window[WINDOW_RHW * LANES], &v->v.rhw, sizeof v->v.rhw);
    window[WINDOW_CODE * LANES] = drawn ? 0 : OUT_LOST;
    window[LOOSE_LAYER * LANES] = info->layer;
    window[LOOSE_VIEWPORT * LANES] = info->viewport;
    return n;
}

/* ---- setup ---- */

static void number_prims(struct front *f, const struct draw *d, struct raster_prim *const *prim,
                         const uint32_t *kept, uint32_t n) {
    for (uint32_t i = 0; i < n && d->raster->numbered; i++)
        raster_prim_set_number(d->raster, prim[i], f->waiting.number[kept[i]]);
    f->prims.count += n;
}

/* Setup of those that can be seen, sixteen at a time. */
static void set_up_waiting(struct front *f, const struct draw *d, const struct raster_vertices *v) {
    const struct waiting *w = &f->waiting;
    const bool lines = w->vertices == 2;
    const struct raster_lines l = {w->vertex, w->provoking, w->front, w->count, OUT_LOST};
    const struct raster_triangles t = {
        .corner = w->vertex, .provoking = w->corner, .count = w->count, .lost = OUT_LOST};
    uint32_t kept[WAITING];
    const uint32_t count =
        lines ? raster_cull_lines(d->simd, d->raster, v, &l, kept)
              : raster_cull(d->simd, d->raster, v, &t, kept, &f->counters.primitives);
    f->counters.primitives += lines ? w->count : 0;
    for (uint32_t i = 0, n; i < count && front_reserve(f, RASTER_BATCH); i += n) {
        struct raster_prim **prim = f->prims.prim + f->prims.count;
        n = count - i < RASTER_BATCH ? count - i : RASTER_BATCH;
        if (lines ? raster_setup_lines(d->simd, d->raster, f->arena, v, &l, kept + i, n, prim)
                  : raster_setup_batch(d->simd, d->raster, f->arena, v, &t, kept + i, n, prim))
            number_prims(f, d, prim, kept + i, n);
        else
            f->oom = true;
    }
}

void front_settle(struct front *f, const struct draw *d) {
    struct waiting *w = &f->waiting;
    if (w->count) {
        struct raster_vertices v = front_vertex_rows(d, w->rows);
        const bool loose = w->rows == &f->loose;
        if (loose && v.layer_row != RASTER_NO_ROW)
            v.layer_row = (uint8_t)(v.window + LOOSE_LAYER);
        if (loose && v.viewport_row != RASTER_NO_ROW)
            v.viewport_row = (uint8_t)(v.window + LOOSE_VIEWPORT);
        set_up_waiting(f, d, &v);
    }
    w->count = f->loose_count = 0;
}

/* ---- waiting ---- */

/* Room for n more primitives of so many vertices in these rows; the first one's place. */
static uint32_t begin_waiting(struct front *f, const struct draw *d, const struct vertex_rows *rows,
                              uint8_t vertices, uint32_t n) {
    struct waiting *w = &f->waiting;
    if (w->count && (w->rows != rows || w->vertices != vertices || w->count + n > WAITING))
        front_settle(f, d);
    w->rows = rows;
    w->vertices = vertices;
    return w->count;
}

void front_wait_line(struct front *f, const struct draw *d, const struct vertex_rows *rows,
                     const struct waiting_line *line) {
    struct waiting *w = &f->waiting;
    const uint32_t i = begin_waiting(f, d, rows, 2, 1);
    w->vertex[2 * i] = line->vertex[0];
    w->vertex[2 * i + 1] = line->vertex[1];
    w->provoking[i] = line->provoking;
    w->front[i] = line->front;
    w->number[i] = line->number;
    w->count++;
}

void front_wait_triangle(struct front *f, const struct draw *d, const struct vertex_rows *rows,
                         const uint32_t vertex[3], uint8_t provoking, uint32_t number) {
    struct waiting *w = &f->waiting;
    const uint32_t i = begin_waiting(f, d, rows, 3, 1);
    memcpy(&w->vertex[3 * i], vertex, 3 * sizeof *vertex);
    w->corner[i] = provoking;
    w->number[i] = number;
    w->count++;
}

/* Room for n loose vertices; false when out of memory. */
static bool begin_loose(struct front *f, const struct draw *d, uint8_t vertices, uint32_t n) {
    begin_waiting(f, d, &f->loose, vertices, n);
    if (f->loose_count + n > LOOSE_VERTICES)
        front_settle(f, d);
    if (f->loose_count || reserve_loose(f, d))
        return true;
    f->oom = true;
    return false;
}

void front_wait_loose_line(struct front *f, const struct draw *d,
                           const struct out_vertex *const v[2],
                           const struct raster_face_info *info) {
    if (!begin_loose(f, d, 2, 2))
        return;
    struct waiting_line line = {.front = info->front, .number = f->origin};
    for (unsigned k = 0; k < 2; k++)
        line.vertex[k] = add_loose(f, d, v[k], info);
    line.provoking = line.vertex[info->provoking];
    front_wait_line(f, d, &f->loose, &line);
}

void front_wait_loose_fan(struct front *f, const struct draw *d, const struct out_vertex *const *v,
                          uint32_t count, const struct raster_face_info *info) {
    if (!begin_loose(f, d, 3, count))
        return;
    const uint32_t first = f->loose_count;
    for (uint32_t i = 0; i < count; i++)
        add_loose(f, d, v[i], info);
    for (uint32_t i = 2; i < count; i++) {
        const uint32_t vertex[3] = {first, first + i - 1, first + i};
        front_wait_triangle(f, d, &f->loose, vertex, info->provoking, f->origin);
    }
}
