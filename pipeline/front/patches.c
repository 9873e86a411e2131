/* The tessellation stage, between the vertex stage and the geometry stage or output.c: control
 * programs, the tessellator, evaluation programs. A warp of a control program has the output
 * vertices of several patches side by side; a warp of an evaluation program has points of one or
 * several patches. In: a chunk's patches and the rows of their vertices. Out: points, lines or
 * triangles, in the order of the patches, about HAND_ON_POINTS points at a time. A point that
 * several primitives of a patch share is evaluated once. Must not know pixels. Facts: fermi-3d.md
 * §7.
 */
#include "pipeline/front/geometry.h"

#include <stdlib.h>

enum {
    HAND_ON_POINTS = 1024, /* points that are collected before they are handed on */
    LEVEL_INNER = 4,       /* the first inner level is this word of a patch */
    LEVEL_WORDS = LEVEL_INNER + 2,
    DEFAULT_WORDS = 8, /* words of a patch without a control program */
};

struct patches {
    const struct patch_run *run; /* the run under way */
    u32x32 attr[PATCH_ATTR_ROWS];
    u32x32 invocation;
    uint32_t prim_id[LANES];
    /* the input vertices of a warp: vertex n is lane n % 32 of vertex set n / 32, which has a row
     * for each slot */
    u32x32 *prim;
    size_t prim_capacity;
    /* control programs: patches of the chunk */
    struct vertex_rows control; /* a set for each warp */
    /* [warps * words]: words of patches, each in the lane of the patch's first vertex */
    u32x32 *word;
    size_t word_capacity;
    uint32_t *corner; /* [patches * vertices]: the number in `control` of each vertex of a patch */
    size_t corner_capacity;
    /* evaluation programs: prim and patch[] hold the data of patches [loaded_first, loaded_end) */
    uint32_t loaded_first, loaded_end;
    u32x32 *patch; /* [words] */
    size_t patch_capacity;
    /* the collected points and primitives */
    struct tess_output division;
    struct vertex_rows rows;
    float *u, *v;         /* of each point */
    uint32_t *point_name; /* the point's number in its own patch */
    uint32_t *point_patch;
    size_t u_capacity, v_capacity, name_capacity, patch_of_capacity;
    uint32_t points;
    uint32_t *number;
    uint32_t *id, *source; /* of each primitive */
    uint8_t *provoking;
    struct prim_info *info;
    size_t number_capacity, id_capacity, source_capacity, provoking_capacity, info_capacity;
    uint32_t primitives;
};

struct patch_run {
    struct front *f;
    struct patches *p;
    const struct draw_call *call;
    const struct tessellation_state *t;
    const struct vertex_rows *source; /* the rows of the evaluation program's input vertices */
    uint32_t per_warp;                /* patches in a warp of the control program */
    uint32_t words;                   /* words of a patch */
    uint32_t origin;                  /* number of the chunk's first patch in the draw */
};

void patches_free(struct patches *p) {
    if (!p)
        return;
    tess_output_free(&p->division);
    void *const owned[] = {
        p->prim,        p->control.data, p->word,     p->corner, p->patch, p->u,
        p->v,           p->point_name,   p->number,   p->id,     p->info,  p->source,
        p->point_patch, p->rows.data,    p->provoking};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    free(p);
}

/* Makes room for n rows, at least one. The rows are aligned, unlike those of array_grow(). Contents
 * are lost. */
static bool reserve_rows(u32x32 **rows, size_t *capacity, size_t n) {
    n += !n;
    if (n <= *capacity)
        return true;
    free(*rows);
    *rows = aligned_alloc(_Alignof(u32x32), n * sizeof **rows);
    *capacity = *rows ? n : 0;
    return *rows;
}

/* ---- warps ---- */

SIMD_CHOICE(gather_corners, gather_corners);

/* Gathers n vertices into vertex sets of p->prim. False when out of memory. */
static bool gather_vertices(struct patch_run *r, const struct vertex_rows *rows,
                            const uint32_t *number, uint32_t n, uint32_t slots) {
    const uint32_t blocks = (n + LANES - 1) / LANES;
    if (!reserve_rows(&r->p->prim, &r->p->prim_capacity, (size_t)blocks * slots))
        return false;
    for (uint32_t b = 0; b < blocks; b++) {
        const uint32_t left = n - b * LANES, lanes = left < LANES ? left : LANES;
        uint32_t at[LANES] = {0};
        for (uint32_t i = 0; i < lanes; i++) {
            const uint32_t k = number[b * LANES + i];
            at[i] = k / LANES * rows->layout.stride * LANES + k % LANES;
        }
        gather_corners[r->call->draw->simd](rows, at, slots, first_lanes(lanes),
                                            r->p->prim + (size_t)b * slots);
    }
    r->f->warp->prim = (const uint32_t *)r->p->prim;
    r->f->warp->prim_count = blocks * slots * LANES;
    return true;
}

/* Sets the handles of a patch's vertices in one lane: the vertices' places in p->prim, as the
 * instruction PFETCH returns them. patch: the number of the patch among those in p->prim. */
static void set_handles(struct patches *p, uint32_t lane, uint32_t patch, uint32_t vertices,
                        uint32_t slots) {
    for (uint32_t j = 0; j < vertices; j++) {
        const uint32_t n = patch * vertices + j;
        p->attr[j][lane] = n / LANES * slots * LANES + n % LANES;
    }
}

/* Runs a program on the first `lanes` lanes. False if the program failed, which ends the draw, or
 * when out of memory. */
static bool run_warp(struct patch_run *r, enum program_type type, uint32_t lanes, u32x32 *out) {
    struct front *f = r->f;
    struct warp *w = f->warp;
    const struct warp_env *env = r->call->env.program[type];
    const struct program_stage *stage = type == PROGRAM_TCP ? &r->t->control : &r->t->evaluation;
    w->attr = r->p->attr;
    w->attr_count = PATCH_ATTR_ROWS;
    w->out = out;
    w->out_count = stage->rows;
    w->patch_count = r->words;
    w->number = r->p->prim_id;
    if (!front_local(f, w, stage->local_size)) {
        f->oom = true;
        return false;
    }
    if (w->kept.env != env)
        warp_keep(w, env, false);
    if (warp_launch(w, env, first_lanes(lanes), 0) == WARP_DONE)
        return true;
    front_fail(f, r->call, type);
    return false;
}

/* Removes the patch from the warp: programs of other stages have no patch. */
static void leave_patches(struct warp *w) {
    w->patch = NULL;
    w->patch_count = w->patch_vertices = 0;
    w->instance = NULL;
}

/* ---- control programs ---- */

/* Sets the inputs of a warp that runs the n patches from `first` on. */
static bool fill_control(struct patch_run *r, uint32_t first, uint32_t n) {
    struct patches *p = r->p;
    const uint32_t vertices = r->t->vertices, slots = r->t->input_slots[0];
    if (!gather_vertices(r, &r->f->rows, r->f->prim_vertex + (size_t)first * vertices, n * vertices,
                         slots))
        return false;
    for (uint32_t lane = 0; lane < n * r->t->patch_vertices; lane++) {
        const uint32_t patch = lane / r->t->patch_vertices;
        p->invocation[lane] = lane % r->t->patch_vertices;
        p->prim_id[lane] = r->f->prim_id[first + patch];
        p->attr[PATCH_PRIMITIVE_ID_ROW][lane] = p->prim_id[lane];
        set_handles(p, lane, patch, vertices, slots);
    }
    return true;
}

/* Runs warp i of the control program. The warp's lanes make the output vertices of its patches;
 * p->corner receives the numbers of these vertices. */
static bool control_warp(struct patch_run *r, uint32_t i) {
    struct patches *p = r->p;
    const uint32_t first = i * r->per_warp, left = r->f->prim_count - first;
    const uint32_t n = left < r->per_warp ? left : r->per_warp;
    struct warp *w = r->f->warp;
    if (!fill_control(r, first, n)) {
        r->f->oom = true;
        return false;
    }
    for (uint32_t k = 0; k < n * r->t->patch_vertices; k++)
        p->corner[first * r->t->patch_vertices + k] = i * LANES + k;
    w->patch = p->word + (size_t)i * r->words;
    memset(w->patch, 0, r->words * sizeof *w->patch);
    w->patch_vertices = r->t->vertices;
    w->invocation = &p->invocation;
    w->instance = (const uint32_t *)&p->invocation;
    r->f->counters.patches += n;
    const bool done =
        run_warp(r, PROGRAM_TCP, n * r->t->patch_vertices, rows_begin(&p->control, i));
    w->invocation = NULL;
    return done;
}

static bool control_patches(struct patch_run *r) {
    struct patches *p = r->p;
    const uint32_t patches = r->f->prim_count, warps = (patches + r->per_warp - 1) / r->per_warp;
    memset(p->attr, 0, sizeof p->attr);
    memset(&p->invocation, 0, sizeof p->invocation);
    if (!rows_reserve(&p->control, &r->t->control.layout, warps * LANES) ||
        !reserve_rows(&p->word, &p->word_capacity, (size_t)warps * r->words) ||
        !ARRAY_ROOM(p->corner, p->corner_capacity, (size_t)patches * r->t->patch_vertices)) {
        r->f->oom = true;
        return false;
    }
    r->source = &p->control;
    bool done = true;
    for (uint32_t i = 0; i < warps && done; i++)
        done = control_warp(r, i);
    leave_patches(r->f->warp);
    return done;
}

/* Returns word k of a patch: the word that the control program wrote, or, without a control
 * program, a level of the state. */
static uint32_t patch_word(const struct patch_run *r, uint32_t patch, uint32_t k) {
    uint32_t word = 0;
    if (r->t->controlled)
        return k < r->words ? r->p->word[(size_t)(patch / r->per_warp) * r->words + k]
                                        [patch % r->per_warp * r->t->patch_vertices]
                            : 0;
    if (k < LEVEL_INNER)
        memcpy(&word, &r->t->levels.outer[k], sizeof word);
    else if (k < LEVEL_WORDS)
        memcpy(&word, &r->t->levels.inner[k - LEVEL_INNER], sizeof word);
    return word;
}

static struct tess_levels patch_levels(const struct patch_run *r, uint32_t patch) {
    uint32_t word[LEVEL_WORDS];
    struct tess_levels levels;
    for (uint32_t k = 0; k < LEVEL_WORDS; k++)
        word[k] = patch_word(r, patch, k);
    memcpy(levels.outer, word, sizeof levels.outer);
    memcpy(levels.inner, word + LEVEL_INNER, sizeof levels.inner);
    return levels;
}

void patches_trace(const struct front *f, const struct output *o, uint32_t i,
                   struct traced_primitive *out) {
    const struct patches *p = f->patches;
    const struct patch_run *r = p->run;
    out->patched = true;
    out->domain = r->t->mode.domain;
    out->levels = patch_levels(r, output_origin(o, i) - r->origin);
    for (uint32_t k = 0; k < out->vertices && o->maker == PROGRAM_TEP; k++) {
        const uint32_t n = o->number[(size_t)i * o->stride + o->first + k * o->step];
        out->vertex[k].domain[0] = p->u[n];
        out->vertex[k].domain[1] = p->v[n];
    }
}

/* ---- evaluation programs ---- */

/* Loads the vertices and words of patches [first, end), and sets each lane's handles. */
static bool load_patches(struct patch_run *r, uint32_t first, uint32_t end, const uint32_t *patch,
                         uint32_t lanes) {
    struct patches *p = r->p;
    const uint32_t vertices = r->t->patch_vertices, slots = r->t->input_slots[1];
    const uint32_t *corner = r->t->controlled ? p->corner : r->f->prim_vertex;
    if (!gather_vertices(r, r->source, corner + (size_t)first * vertices, (end - first) * vertices,
                         slots) ||
        !reserve_rows(&p->patch, &p->patch_capacity, r->words))
        return false;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t own = lane < lanes ? patch[lane] : first;
        p->prim_id[lane] = r->f->prim_id[own];
        p->attr[PATCH_PRIMITIVE_ID_ROW][lane] = p->prim_id[lane];
        set_handles(p, lane, own - first, vertices, slots);
        for (uint32_t k = 0; k < r->words; k++)
            p->patch[k][lane] = patch_word(r, own, k);
    }
    r->f->warp->patch = p->patch;
    return true;
}

/* Runs the evaluation program for up to 32 points, from point `at` on. */
static bool evaluate_warp(struct patch_run *r, uint32_t at, uint32_t lanes) {
    struct patches *p = r->p;
    const uint32_t *patch = p->point_patch + at;
    const uint32_t first = patch[0], end = patch[lanes - 1] + 1;
    const bool loaded = end == first + 1 && p->loaded_first == first && p->loaded_end == end;
    if (!loaded && !load_patches(r, first, end, patch, lanes)) {
        r->f->oom = true;
        return false;
    }
    p->loaded_first = first;
    p->loaded_end = end;
    memcpy(&p->attr[PATCH_COORD_ROWS], p->u + at, lanes * sizeof *p->u);
    memcpy(&p->attr[PATCH_COORD_ROWS + 1], p->v + at, lanes * sizeof *p->v);
    r->f->warp->patch_vertices = r->t->patch_vertices;
    r->f->warp->instance = p->point_name + at;
    return run_warp(r, PROGRAM_TEP, lanes, rows_begin(&p->rows, at / LANES));
}

static bool evaluate_points(struct patch_run *r) {
    struct patches *p = r->p;
    if (!rows_reserve(&p->rows, &r->t->evaluation.layout, p->points)) {
        r->f->oom = true;
        return false;
    }
    memset(p->attr, 0, sizeof p->attr);
    p->loaded_first = p->loaded_end = 0;
    r->f->counters.evaluations += p->points;
    bool done = true;
    for (uint32_t at = 0; at < p->points && done; at += LANES) {
        const uint32_t left = p->points - at;
        done = evaluate_warp(r, at, left < LANES ? left : LANES);
    }
    leave_patches(r->f->warp);
    return done;
}

/* ---- primitives ---- */

static uint32_t primitive_vertices(const struct tess_mode *m) {
    return m->primitives == TESS_POINTS ? 1 : m->primitives == TESS_LINES ? 2 : 3;
}

/* Evaluates the collected points and hands them to the next stage. False if a program failed or
 * memory ran out: the draw ends. */
static bool hand_on(struct patch_run *r) {
    struct patches *p = r->p;
    struct front *f = r->f;
    const struct draw *d = r->call->draw;
    const uint8_t vertices = (uint8_t)primitive_vertices(&r->t->mode);
    if (!p->points)
        return true;
    if (!evaluate_points(r))
        return false;
    const struct output o = {.rows = &p->rows,
                             .number = p->number,
                             .provoking = p->provoking,
                             .info = p->info,
                             .id = p->id,
                             .n = p->primitives,
                             .vertices = vertices,
                             .stride = vertices,
                             .step = 1,
                             .maker = PROGRAM_TEP,
                             .vertex_name = p->point_name,
                             .origin = r->origin,
                             .source = p->source};
    if (d->geometry) {
        front_geometry(f, r->call, &o);
    } else {
        profile_enter(f->profile, STAGE_SETUP);
        front_project(d, d->simd, &p->rows, p->points);
        front_output(f, d, d->simd, &o);
        profile_enter(f->profile, STAGE_GEOMETRY);
    }
    p->points = p->primitives = 0;
    return !f->oom && !front_failed(r->call, f->order);
}

static bool reserve_points(struct patches *p, uint32_t points, uint32_t primitives,
                           uint32_t indices) {
    return ARRAY_ROOM(p->u, p->u_capacity, points) && ARRAY_ROOM(p->v, p->v_capacity, points) &&
           ARRAY_ROOM(p->point_name, p->name_capacity, points) &&
           ARRAY_ROOM(p->point_patch, p->patch_of_capacity, points) &&
           ARRAY_ROOM(p->number, p->number_capacity, indices) &&
           ARRAY_ROOM(p->id, p->id_capacity, primitives) &&
           ARRAY_ROOM(p->source, p->source_capacity, primitives) &&
           ARRAY_ROOM(p->provoking, p->provoking_capacity, primitives) &&
           ARRAY_ROOM(p->info, p->info_capacity, primitives);
}

static void add_points(struct patches *p, uint32_t patch) {
    const struct tess_output *o = &p->division;
    for (uint32_t i = 0; i < o->points; i++) {
        const uint32_t n = p->points + i;
        p->u[n] = o->point[i].u;
        p->v[n] = o->point[i].v;
        p->point_name[n] = i;
        p->point_patch[n] = patch;
    }
}

/* Divides the patch, and adds its points and primitives to the collected ones. */
static bool add_patch(struct patch_run *r, uint32_t patch) {
    enum { ALL_EDGES = 7 };
    struct patches *p = r->p;
    const struct tess_levels levels = patch_levels(r, patch);
    const uint32_t vertices = primitive_vertices(&r->t->mode);
    if (!tessellate(r->t->mode, &levels, &p->division))
        return false;
    const struct tess_output *o = &p->division;
    const uint32_t n = o->indices / vertices, at = p->primitives;
    if (!reserve_points(p, p->points + o->points, at + n, (at + n) * vertices))
        return false;
    add_points(p, patch);
    for (uint32_t i = 0; i < n * vertices; i++)
        p->number[at * vertices + i] = p->points + o->index[i];
    const bool last = r->call->draw->vertex->provoking_last;
    for (uint32_t i = at; i < at + n; i++) {
        p->id[i] = r->f->prim_id[patch];
        p->source[i] = patch;
        p->provoking[i] = (uint8_t)(last ? vertices - 1 : 0);
        p->info[i] = (struct prim_info){ALL_EDGES, 0, true};
    }
    p->points += o->points;
    p->primitives += n;
    return true;
}

static struct patches *prepare(struct front *f) {
    if (!f->patches) {
        f->patches = aligned_alloc(_Alignof(struct patches), sizeof *f->patches);
        if (f->patches)
            memset(f->patches, 0, sizeof *f->patches);
        f->oom |= !f->patches;
    }
    return f->patches;
}

static void divide_patches(struct patch_run *r) {
    for (uint32_t i = 0; i < r->f->prim_count; i++) {
        if (!add_patch(r, i)) {
            r->f->oom = true;
            return;
        }
        if (r->p->points >= HAND_ON_POINTS && !hand_on(r))
            return;
    }
    hand_on(r);
}

void front_patches(struct front *f, const struct chunk *chunk) {
    const struct tessellation_state *t = chunk->call->draw->tessellation;
    struct patch_run r = {.f = f,
                          .p = prepare(f),
                          .call = chunk->call,
                          .t = t,
                          .source = &f->rows,
                          .per_warp = LANES / t->patch_vertices,
                          .words = t->controlled ? t->patch_words : DEFAULT_WORDS,
                          .origin = (uint32_t)chunk->piece->first};
    if (!r.p)
        return;
    r.p->run = &r;
    r.p->points = r.p->primitives = 0;
    warp_keep(f->warp, NULL, false);
    if (!t->controlled || control_patches(&r))
        divide_patches(&r);
    r.p->run = NULL;
}
