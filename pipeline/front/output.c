/* Primitives after the last program: stream out, clipping and set-up, bins. Triangles, lines and
 * points that need no clipping go to set-up sixteen at a time (front.c); others go through clip.c
 * first, one after the other. Then the primitives of a bin set are sorted by tile: a counting sort
 * over the touched tiles that keeps their order. A primitive has an entry for each tile that it
 * touches; the entries of a large primitive are found a row of tiles at a time. In: vertices in
 * rows, primitives as vertex numbers. Out: the bins. Must not know the stages before it, or pixels.
 */
#include "pipeline/front/clip.h"
#include "base/bits.h"

/* ---- stream out, clipping, set-up ---- */

/* Copies vertex n out of its rows, as corner k of the primitive at work. */
static const struct out_vertex *take_vertex(struct front *f, const struct draw *d,
                                            const struct vertex_rows *rows, uint32_t n,
                                            unsigned k) {
    const uint32_t *at =
        (const uint32_t *)(rows->data + (size_t)(n / LANES) * rows->layout.stride) + n % LANES;
    const uint32_t *window = at + rows->layout.window * LANES;
    struct out_vertex *v = &f->corner[k];
    uint32_t *slot = &f->corner_slot[k * SLOTS];
    for (uint32_t i = 0; i < d->primitives->slots; i++)
        slot[i] = at[rows->layout.row[i] * LANES];
    v->v.slot = slot;
    memcpy(&v->v.x, &window[ROW_WINDOW_X * LANES], sizeof v->v.x);
    memcpy(&v->v.y, &window[ROW_WINDOW_Y * LANES], sizeof v->v.y);
    memcpy(&v->v.z, &window[WINDOW_Z * LANES], sizeof v->v.z);
    memcpy(&v->v.rhw, &window[WINDOW_RHW * LANES], sizeof v->v.rhw);
    v->code = window[WINDOW_CODE * LANES] & ~(uint32_t)OUT_LOST;
    return v;
}

void output_take(struct front *f, const struct draw *d, const struct output *o, uint32_t i,
                 struct primitive *p) {
    const uint32_t *number = o->number + (size_t)i * o->stride;
    p->count = o->vertices;
    p->provoking = (uint8_t)((o->provoking[i] - o->first) / o->step);
    p->edges = o->info[i].edges;
    p->start = o->info[i].start;
    p->begins = o->info[i].begins;
    p->id = o->id ? o->id[i] : 0;
    p->origin = output_origin(o, i);
    for (unsigned k = 0; k < p->count; k++)
        p->v[k] = take_vertex(f, d, o->rows, number[o->first + k * o->step], k);
}

bool front_reserve(struct front *f, uint32_t n) {
    f->oom |= !ARRAY_ROOM(f->prims.prim, f->prims.capacity, (size_t)f->prims.count + n);
    return !f->oom;
}

static void setup_kept(struct front *f, const struct draw *d, enum simd_level simd,
                       const struct output *o, const struct raster_vertices *v,
                       const struct raster_triangles *t, const uint32_t *kept, uint32_t n) {
    if (!front_reserve(f, n))
        return;
    struct raster_prim **prim = f->prims.prim + f->prims.count;
    if (!raster_setup_triangles(simd, d->raster, f->arena, v, t, kept, n, prim)) {
        f->oom = true;
        return;
    }
    for (uint32_t i = 0; i < n && d->raster->numbered; i++)
        raster_prim_set_number(d->raster, prim[i], output_origin(o, kept[i]));
    f->prims.count += n;
}

static void clip_one(struct front *f, const struct draw *d, const struct output *o, uint32_t i) {
    struct primitive p;
    output_take(f, d, o, i, &p);
    front_primitive(f, d, &p);
}

/* ---- triangles ---- */

/* Outputs the triangles of kept[], in order. Consecutive triangles that need no clipping are set up
 * sixteen at a time. */
static void output_filled(struct front *f, const struct draw *d, enum simd_level simd,
                          const struct output *o, const struct raster_vertices *v,
                          const struct raster_triangles *t) {
    const uint32_t count = raster_cull[simd](d->raster, v, t, f->kept, &f->counters.primitives);
    for (uint32_t i = 0, end; i < count; i = end) {
        end = i + 1;
        if (f->kept[i] & RASTER_CLIP) {
            clip_one(f, d, o, f->kept[i] & ~RASTER_CLIP);
            continue;
        }
        while (end < count && end - i < RASTER_SETUP_MOST && !(f->kept[end] & RASTER_CLIP))
            end++;
        front_settle(f, d);
        setup_kept(f, d, simd, o, v, t, f->kept + i, end - i);
    }
}

static uint32_t code_of(const struct raster_vertices *v, uint32_t n) {
    return v->word[((size_t)(n / LANES) * v->stride + v->window + WINDOW_CODE) * LANES +
                   n % LANES] &
           ~(uint32_t)OUT_LOST;
}

/* Outputs as lines the edges of a triangle that are edges of the source primitive. */
static void output_edges(struct front *f, const struct draw *d, const struct output *o, uint32_t i,
                         const struct raster_vertices *v, bool front) {
    const uint32_t *number = o->number + (size_t)i * o->stride;
    const struct prim_info *info = &o->info[i];
    for (unsigned k = 0; k < 3; k++) {
        const unsigned from = (info->start + k) % 3, to = (from + 1) % 3;
        const struct waiting_line line = {
            {number[from], number[to]}, number[o->provoking[i]], front, output_origin(o, i)};
        if (info->edges >> from & 1 && !(code_of(v, number[from]) & code_of(v, number[to])))
            front_wait_line(f, d, o->rows, &line);
    }
}

/* The same test as is_drawn() in clip.c, for a vertex in rows. */
static bool point_inside(const struct front *f, const struct draw *d, const struct output *o,
                         const struct raster_vertices *v, uint32_t n) {
    const uint32_t *at = v->word + (size_t)(n / LANES) * v->stride * LANES + n % LANES;
    const float x = bits_float(at[v->row[0] * LANES]), y = bits_float(at[v->row[1] * LANES]),
                w = bits_float(at[v->row[3] * LANES]);
    const uint32_t view =
        d->vertex->viewport_from_slot ? at[v->row[d->vertex->semantic.viewport] * LANES] : 0;
    return !d->view->transform || f->relaxed ||
           point_reaches_view(d, view, front_point_size(d, o->rows, n), x, y, w);
}

/* Outputs as points the corners of a triangle at which an edge of the source primitive begins. */
static void output_corners(struct front *f, const struct draw *d, const struct output *o,
                           uint32_t i, const struct raster_vertices *v, bool front) {
    const uint32_t *number = o->number + (size_t)i * o->stride;
    const struct prim_info *info = &o->info[i];
    for (unsigned k = 0; k < 3; k++) {
        const unsigned corner = (info->start + k) % 3;
        const struct waiting_point point = {number[corner], number[o->provoking[i]], front,
                                            output_origin(o, i)};
        if (info->edges >> corner & 1 && !(code_of(v, point.vertex) & OUT_CLIP) &&
            point_inside(f, d, o, v, point.vertex))
            front_wait_point(f, d, o->rows, &point);
    }
}

/* Outputs triangles if a polygon mode is point or line. */
static void output_unfilled(struct front *f, const struct draw *d, enum simd_level simd,
                            const struct output *o, const struct raster_vertices *v,
                            const struct raster_triangles *t) {
    const uint32_t count = raster_faces[simd](d->raster, v, t, f->kept);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t i = f->kept[k] & ~(RASTER_CLIP | RASTER_FRONT);
        const bool front = f->kept[k] & RASTER_FRONT;
        const uint16_t mode = d->primitives->polygon_mode[!front];
        if (f->kept[k] & RASTER_CLIP)
            clip_one(f, d, o, i);
        else if (mode == POLYGON_POINT)
            output_corners(f, d, o, i, v, front);
        else if (mode == POLYGON_LINE)
            output_edges(f, d, o, i, v, front);
        else
            front_wait_triangle(f, d, o->rows, o->number + (size_t)i * 3, o->provoking[i],
                                output_origin(o, i));
    }
}

static void output_triangles(struct front *f, const struct draw *d, enum simd_level simd,
                             const struct output *o) {
    const struct raster_vertices v = front_vertex_rows(d, o->rows);
    for (uint32_t at = 0; at < o->n; at += CHUNK_PRIMITIVES) {
        const uint32_t left = o->n - at;
        struct output some = *o;
        some.number += (size_t)at * 3;
        some.origin += some.source || some.lane_source ? 0 : at;
        some.source = some.source ? some.source + at : NULL;
        some.provoking += at;
        some.info += at;
        some.id = some.id ? some.id + at : NULL;
        some.n = left < CHUNK_PRIMITIVES ? left : CHUNK_PRIMITIVES;
        const struct raster_triangles t = {some.number, some.provoking, some.n,
                                           OUT_OUTSIDE, OUT_LOST,       OUT_CLIP};
        if (d->primitives->unfilled)
            output_unfilled(f, d, simd, &some, &v, &t);
        else
            output_filled(f, d, simd, &some, &v, &t);
    }
}

/* ---- lines ---- */

static void output_lines(struct front *f, const struct draw *d, const struct output *o) {
    const struct raster_vertices v = front_vertex_rows(d, o->rows);
    for (uint32_t i = 0; i < o->n; i++) {
        const uint32_t *number = o->number + (size_t)i * o->stride;
        const uint32_t a = number[o->first], b = number[o->first + o->step];
        const uint32_t code_a = code_of(&v, a), code_b = code_of(&v, b);
        if (code_a & code_b)
            continue; /* all vertices are outside of one plane or cut by one cull distance */
        if ((code_a | code_b) & OUT_CLIP) {
            clip_one(f, d, o, i);
            continue;
        }
        const struct waiting_line line = {
            {a, b}, number[o->provoking[i]], true, output_origin(o, i)};
        front_wait_line(f, d, o->rows, &line);
    }
}

/* ---- points ---- */

static void output_points(struct front *f, const struct draw *d, const struct output *o) {
    const struct raster_vertices v = front_vertex_rows(d, o->rows);
    for (uint32_t i = 0; i < o->n; i++) {
        const uint32_t n = o->number[i];
        const struct waiting_point point = {n, n, true, output_origin(o, i)};
        if (!code_of(&v, n) && point_inside(f, d, o, &v, n))
            front_wait_point(f, d, o->rows, &point);
    }
}

static void output_drawn(struct front *f, const struct draw *d, enum simd_level simd,
                         const struct output *o) {
    f->counters.clip_in += o->n;
    if (d->primitives->plain && d->primitives->class == CLASS_TRIANGLE && o->stride == 3)
        output_triangles(f, d, simd, o);
    else if (d->primitives->plain && d->primitives->class == CLASS_LINE)
        output_lines(f, d, o);
    else if (d->primitives->plain_points)
        output_points(f, d, o);
    else
        for (uint32_t i = 0; i < o->n; i++)
            clip_one(f, d, o, i);
    front_settle(f, d);
}

static void output_all(struct front *f, const struct draw *d, enum simd_level simd,
                       const struct output *o) {
    f->counters.generated[o->stream] += o->n;
    if (d->stream)
        front_stream_out(f, d, o);
    if (d->primitives->rasterize && !o->stream)
        output_drawn(f, d, simd, o);
}

void front_output(struct front *f, const struct draw *d, enum simd_level simd,
                  const struct output *o) {
    const uint32_t first = f->prims.count;
    struct output numbered = *o; /* raster primitives get the number i, for front_watch() */
    if (!f->watch || (!f->watch->probe.pixels && !f->watch->every)) {
        output_all(f, d, simd, o);
        return;
    }
    numbered.origin = 0;
    numbered.source = numbered.lane_source = NULL;
    output_all(f, d, simd, &numbered);
    if (d->primitives->rasterize && !o->stream)
        front_watch(f, d, o, first);
}

/* ---- bins ---- */

/* Makes room for n more entries and as many touched tiles. */
static bool reserve_entries(struct front *f, uint32_t n) {
    return ARRAY_ROOM(f->entry, f->entry_capacity, (size_t)f->entry_count + n) &&
           ARRAY_ROOM(f->slot, f->slot_capacity, (size_t)f->slot_count + n);
}

static inline struct bin_slot *add_entry(struct front *f, uint32_t tile,
                                         const struct raster_prim *p) {
    if (!f->tile_slot[tile]) {
        f->slot[f->slot_count++] = (struct bin_slot){.tile = tile};
        f->tile_slot[tile] = f->slot_count;
    }
    struct bin_slot *slot = &f->slot[f->tile_slot[tile] - 1];
    f->entry[f->entry_count++] = (struct bin_entry){f->tile_slot[tile] - 1, p};
    slot->count++;
    return slot;
}

/* Adds an entry for each tile that a primitive of several tiles touches. False when out of
 * memory. */
static bool add_large(struct front *f, const struct raster_prim *p, uint32_t layer) {
    const struct raster_targets *t = f->call->draw->raster->targets;
    const struct raster_box *b = &p->bounds;
    const int32_t tx0 = b->x0 / TILE_SIZE, tx1 = (b->x1 - 1) / TILE_SIZE;
    const int32_t ty0 = b->y0 / TILE_SIZE, ty1 = (b->y1 - 1) / TILE_SIZE;
    /* With few tiles, testing each tile costs more than an entry too many. */
    const bool small = tx1 - tx0 <= 1 && ty1 - ty0 <= 1;
    if (!reserve_entries(f, (uint32_t)(tx1 - tx0 + 1) * (uint32_t)(ty1 - ty0 + 1)))
        return false;
    for (int32_t ty = ty0; ty <= ty1; ty++) {
        const uint32_t row = layer + (uint32_t)ty * f->tiles_x;
        struct raster_tile_span s = {tx0, tx1 + 1, 0, 0};
        if (!small)
            s = raster_prim_row(t, p, ty);
        for (int32_t tx = s.from; tx < s.to; tx++) {
            struct bin_slot *slot = add_entry(f, row + (uint32_t)tx, p);
            if (tx >= s.whole_from && tx < s.whole_to)
                slot->covered = slot->count;
        }
    }
    return true;
}

static bool add_prims(struct front *f) {
    if (!reserve_entries(f, f->prims.count))
        return false;
    for (uint32_t i = 0; i < f->prims.count; i++) {
        const struct raster_prim *p = f->prims.prim[i];
        const struct raster_box *b = &p->bounds;
        const uint32_t layer = p->layer * f->tiles_x * f->tiles_y;
        const uint32_t tx = b->x0 / TILE_SIZE, ty = b->y0 / TILE_SIZE;
        if ((b->x1 - 1u) / TILE_SIZE == tx && (b->y1 - 1u) / TILE_SIZE == ty) {
            if (f->entry_count == f->entry_capacity && !reserve_entries(f, f->prims.count - i))
                return false;
            add_entry(f, layer + ty * f->tiles_x + tx, p);
        } else if (!add_large(f, p, layer)) {
            return false;
        }
    }
    return true;
}

/* Makes the bin set of the slots and entries; NULL when out of memory. */
static struct bin_set *make_bin_set(struct front *f) {
    const struct raster_prim **prims =
        arena_alloc(f->arena, f->entry_count * sizeof(struct raster_prim *));
    struct bin_set *set = arena_alloc(f->arena, sizeof *set + f->slot_count * sizeof *set->bins);
    if (!prims || !set)
        return NULL;
    *set = (struct bin_set){
        .call = f->call, .bins = (struct chunk_bin *)(set + 1), .bin_count = f->slot_count};
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->slot_count; i++) {
        struct bin_slot *slot = &f->slot[i];
        set->bins[i] = (struct chunk_bin){slot->tile, slot->count, prims + at, slot->covered};
        slot->next = at;
        at += slot->count;
    }
    for (uint32_t i = 0; i < f->entry_count; i++)
        prims[f->slot[f->entry[i].slot].next++] = f->entry[i].prim;
    return set;
}

struct bin_set *front_bin(struct front *f, size_t *bytes) {
    struct bin_set *set = NULL;
    f->entry_count = f->slot_count = 0;
    f->oom |= !add_prims(f);
    if (f->entry_count && !f->oom) {
        set = make_bin_set(f);
        f->oom |= !set;
    }
    for (uint32_t i = 0; i < f->slot_count; i++)
        f->tile_slot[f->slot[i].tile] = 0;
    *bytes += f->entry_count * sizeof(void *) + f->slot_count * sizeof *set->bins;
    return set;
}
