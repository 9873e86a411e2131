/* The counts of each overlay. An observer of fragment programs counts fragments and their warps. A
 * copy of the warp asks the texture unit for the mip level at each texture instruction with a LOD
 * (has_lod()). A pixel watch counts zeta tests, measures tiles and names the primitives of patches.
 * In: a context that draws. Out: a map, and its picture. One thread draws a tile, so two threads
 * never write the same pixel. */
#include "tools/heat.h"

#include "shader/stepper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name, *unit;
    float most; /* the end of the scale; 0: the greatest value of the map */
} kinds[HEAT_KINDS] = {
    [HEAT_NONE] = {"", "", 0},
    [HEAT_OVERDRAW] = {"overdraw", "fragments shaded at a pixel", 0},
    [HEAT_OCCUPANCY] = {"occupancy", "lanes in use of the last warp, of 32", 32},
    [HEAT_DIVERGENCE] = {"divergence", "% of lanes idle while the last warp ran", 100},
    [HEAT_MIP] = {"mip level", "level of the last texture read", 0},
    [HEAT_ZETA] = {"zeta complexity", "fragments tested against zeta at a pixel", 0},
    [HEAT_TILES] = {"tiles", "microseconds a tile took", 0},
    [HEAT_PATCHES] = {"patches", "greatest level of the pixel's patch, in white outlines", 0},
};

/* pixel_at() returns the index of a pixel's first sample, or NO_PIXEL outside of the map. */
#define NO_PIXEL SIZE_MAX
static size_t pixel_at(const struct heat *h, int x, int y) {
    return x < 0 || y < 0 || x >= (int)(h->width >> h->shift_x) ||
                   y >= (int)(h->height >> h->shift_y)
               ? NO_PIXEL
               : ((size_t)y << h->shift_y) * h->width + ((size_t)x << h->shift_x);
}

static size_t pixel_of(const struct heat *h, const struct warp *w, unsigned lane) {
    return pixel_at(h, w->origin[0] + (int)floorf(w->x[lane]),
                    w->origin[1] + (int)floorf(w->y[lane]));
}

/* Returns the offset of a sample from the first sample of its pixel, as in a target's memory. */
static size_t sample_at(const struct heat *h, uint32_t sample) {
    return (sample & 1) + (sample >> 1 & 2) + (size_t)(sample >> 1 & 1) * h->width;
}

/* Sets the samples of a pixel, or adds to them. */
static void put_pixel(const struct heat *h, size_t pixel, float v, bool add) {
    for (uint32_t k = 0; k < h->samples && pixel != NO_PIXEL; k++) {
        float *const at = &h->value[pixel + sample_at(h, k)];
        *at = add ? (*at < 0 ? 0 : *at) + v : v;
    }
}

/* Sets the pixels of the lanes m, or adds to them. */
static void put_value(const struct heat *h, const struct warp *w, lane_mask m, float v, bool add) {
    for (; m; m &= m - 1)
        put_pixel(h, pixel_of(h, w, (unsigned)__builtin_ctz(m)), v, add);
}

/* True for instructions whose LOD comes from coordinates, with or without a bias, or from an
 * operand. Not for derivatives in operands, and not for textures that a handle names. */
static bool has_lod(const struct op *op) {
    if (op->code == OP_TEX)
        return op->sub == FTEX_SAMPLE && !op->ftex.indirect;
    return op->code == OP_TEXAUTO || op->code == OP_TEXBIAS || op->code == OP_TEXLOD;
}

/* Copies the operands of a texture instruction in the order of tex_port.h. */
static void copy_operands(const struct warp *w, const struct op *op, u32x32 reg[FTEX_OPERANDS]) {
    const struct ftex_fields *t = &op->ftex;
    for (uint32_t i = 0; i < FTEX_OPERANDS; i++) {
        const uint32_t at = op->code != OP_TEX ? op->tex.base + i
                            : i < t->operands  ? t->operand[i]
                                               : WARP_REGS;
        reg[i] = w->r[at < WARP_REGS ? at : WARP_REGS];
    }
    if (op->code == OP_TEX && t->layer < FTEX_OPERANDS)
        reg[t->layer] &= 0xffff;
}

static void note_lod(const struct heat *h, const struct warp *w, const struct warp_env *env,
                     const struct op *op, lane_mask visible) {
    const struct tex_binding *b = env->tex ? env->tex[op->tex.slot] : NULL;
    struct tex_call call = op->tex.call;
    u32x32 reg[FTEX_OPERANDS];
    if (!b || !w->active)
        return;
    if (call.op == TEX_OP_AUTO)
        call.op = TEX_OP_QUERYLOD;
    call.result_mask = 1;
    if (op->code == OP_TEX)
        call.source_count = op->ftex.operands;
    copy_operands(w, op, reg);
    b->kernel[TEX_OP_QUERYLOD](b, &call, reg, w->active);
    for (lane_mask m = w->active & visible; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        put_value(h, w, 1u << lane, (float)(int32_t)reg[0][lane] / 256, false);
    }
}

static void find_lods(const struct heat *h, const struct warp *w, const struct warp_env *env) {
    struct stepper *s = env->program->facts.textures ? stepper_create(w, env) : NULL;
    const lane_mask visible = w->launched & ~w->dead;
    while (s && stepper_status(s) == WARP_RUNNING) {
        const struct warp *now = stepper_warp(s);
        const uint32_t at = program_word(env->program, now->pc);
        const struct op *op = at < env->program->word_count ? &env->program->ops[at] : NULL;
        if (op && has_lod(op))
            note_lod(h, now, stepper_env(s), op, visible);
        stepper_step(s);
    }
    stepper_destroy(s);
}

/* ---- patches ---- */

/* Returns the greatest of the levels that the patch uses; NaN does not count. */
static float greatest_level(const struct traced_primitive *p) {
    static const uint8_t outer[] = {[TESS_ISOLINES] = 2, [TESS_TRIANGLES] = 3, [TESS_QUADS] = 4},
                         inner[] = {[TESS_ISOLINES] = 0, [TESS_TRIANGLES] = 1, [TESS_QUADS] = 2};
    float most = 0;
    for (int i = 0; i < outer[p->domain]; i++)
        most = fmaxf(most, p->levels.outer[i]);
    for (int i = 0; i < inner[p->domain]; i++)
        most = fmaxf(most, p->levels.inner[i]);
    return fminf(most, TESS_MAX_LEVEL);
}

static uint32_t name_patch(void *self, const struct traced_primitive *p) {
    struct heat *h = self;
    uint32_t name = 0;
    pthread_mutex_lock(&h->lock);
    if (p->patched && ARRAY_ROOM(h->patch, h->patch_capacity, h->patches + 1)) {
        h->patch[h->patches] = (struct heat_patch){p->draw, p->number, greatest_level(p)};
        name = (uint32_t)++h->patches;
    }
    pthread_mutex_unlock(&h->lock);
    return name;
}

/* Returns a mask of the samples of a lane's pixel that the lane's primitive covers. */
static uint32_t covered_by(const struct warp *w, unsigned lane) {
    return w->coverage && w->sample_count > 1 ? (*w->coverage)[lane] : UINT32_MAX;
}

static void note_names(const struct heat *h, const struct warp *w, lane_mask m) {
    for (; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        const size_t i = pixel_of(h, w, lane);
        const uint32_t covered = covered_by(w, lane);
        for (uint32_t k = 0; k < h->samples && i != NO_PIXEL; k++)
            if (covered >> k & 1)
                h->name[i + sample_at(h, k)] = raster_warp_prim_number(w, lane / 4);
    }
}

static const struct heat_patch *patch_at(const struct heat *h, size_t i) {
    return h->name[i] ? &h->patch[h->name[i] - 1] : NULL;
}

static bool same_patch(const struct heat_patch *a, const struct heat_patch *b) {
    return a == b || (a && b && a->draw == b->draw && a->patch == b->patch);
}

/* The outline at a sample: its right or lower neighbour belongs to another primitive of the same
 * patch, or to another patch. */
enum outline { OUTLINE_NONE, OUTLINE_PRIMITIVE, OUTLINE_PATCH };
static enum outline outline_at(const struct heat *h, size_t i) {
    const size_t next[2] = {i % h->width + 1 < h->width ? i + 1 : i,
                            i / h->width + 1 < h->height ? i + h->width : i};
    enum outline found = OUTLINE_NONE;
    for (int k = 0; k < 2; k++) {
        const struct heat_patch *a = patch_at(h, i), *b = patch_at(h, next[k]);
        const enum outline o = !same_patch(a, b) ? OUTLINE_PATCH
                               : a != b          ? OUTLINE_PRIMITIVE
                                                 : OUTLINE_NONE;
        found = o > found ? o : found;
    }
    return found;
}

static void take_levels(struct heat *h) {
    for (size_t i = 0; i < (size_t)h->width * h->height; i++)
        h->value[i] = h->name[i] ? h->patch[h->name[i] - 1].level : -1;
}

static void paint_outlines(const struct heat *h, uint8_t *rgba) {
    for (size_t i = 0; i < (size_t)h->width * h->height; i++) {
        const enum outline o = outline_at(h, i);
        if (o != OUTLINE_NONE)
            memset(rgba + 4 * i, o == OUTLINE_PATCH ? 255 : 48, 3);
    }
}

/* ---- warps ---- */

static _Thread_local struct warp_stats at_start; /* counts of this thread's warp */

static void warp_starts(void *self, const struct warp *w, const struct warp_env *env) {
    const struct heat *h = self;
    const lane_mask visible = w->launched & ~w->dead;
    at_start = w->stats;
    if (h->kind == HEAT_OVERDRAW)
        put_value(h, w, visible, 1, true);
    else if (h->kind == HEAT_OCCUPANCY)
        put_value(h, w, visible, (float)__builtin_popcount(visible), false);
    else if (h->kind == HEAT_MIP)
        find_lods(h, w, env);
    else if (h->kind == HEAT_PATCHES)
        note_names(h, w, visible);
    if (h->next && h->next->start)
        h->next->start(h->next->self, w, env);
}

/* Notes the share of lane instructions in which a launched lane did not take part. */
static void warp_ends(void *self, const struct warp *w, const struct warp_env *env) {
    const struct heat *h = self;
    const uint64_t all =
        (w->stats.instructions - at_start.instructions) * (uint64_t)__builtin_popcount(w->launched);
    const uint64_t did = w->stats.lane_instructions - at_start.lane_instructions;
    if (h->kind == HEAT_DIVERGENCE && all)
        put_value(h, w, w->launched, 100 * (1 - (float)did / (float)all), false);
    if (h->next && h->next->end)
        h->next->end(h->next->self, w, env);
}

static void note_tested(void *self, int32_t x, int32_t y, lane_mask m) {
    const struct heat *h = self;
    for (; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        put_pixel(h,
                  pixel_at(h, x + (int)((lane & 1) + (lane >> 2 & 3) * 2),
                           y + (int)((lane >> 1 & 1) + (lane >> 4) * 2)),
                  1, true);
    }
}

static void note_time(void *self, int32_t x, int32_t y, uint32_t, uint64_t nanoseconds) {
    const struct heat *h = self;
    for (int32_t py = y; py < y + 64; py++)
        for (int32_t px = x; px < x + 64; px++)
            put_pixel(h, pixel_at(h, px, py), (float)nanoseconds / 1000, true);
}

bool heat_begin(struct heat *h, enum heat_kind kind, uint32_t width, uint32_t height,
                uint32_t samples) {
    const size_t count = (size_t)width * height;
    *h = (struct heat){
        .kind = kind, .width = width, .height = height, .samples = samples ? samples : 1};
    surface_sample_shift(h->samples, &h->shift_x, &h->shift_y);
    h->observer = (struct warp_observer){.self = h, .start = warp_starts, .end = warp_ends};
    h->watch = (struct pixel_watch){.self = h, .probe = {.self = h}};
    if (kind == HEAT_ZETA)
        h->watch.probe.tested = note_tested;
    if (kind == HEAT_TILES)
        h->watch.tile = note_time;
    if (kind == HEAT_PATCHES) {
        h->watch.every = true;
        h->watch.primitive = name_patch;
        h->name = calloc(count, sizeof *h->name);
    }
    pthread_mutex_init(&h->lock, NULL);
    h->value = malloc(count * sizeof *h->value);
    for (size_t i = 0; h->value && i < count; i++)
        h->value[i] = -1;
    if (h->value && (h->name || kind != HEAT_PATCHES))
        return true;
    heat_free(h);
    return false;
}

static bool watches(const struct heat *h) {
    return h->kind == HEAT_ZETA || h->kind == HEAT_TILES || h->kind == HEAT_PATCHES;
}

static bool observes(const struct heat *h) {
    return h->kind != HEAT_NONE && h->kind != HEAT_ZETA && h->kind != HEAT_TILES;
}

void heat_attach(struct heat *h, tp_context *c) {
    if (watches(h))
        context_watch(c, &h->watch);
    if (observes(h)) {
        h->next = c->observer[PROGRAM_FP];
        context_observe(c, PROGRAM_FP, &h->observer);
    }
}

void heat_detach(struct heat *h, tp_context *c) {
    if (watches(h))
        context_watch(c, NULL);
    if (observes(h))
        context_observe(c, PROGRAM_FP, h->next);
    h->next = NULL;
}

static void find_most(struct heat *h) {
    h->most = kinds[h->kind].most;
    for (size_t i = 0; !kinds[h->kind].most && i < (size_t)h->width * h->height; i++)
        h->most = h->value[i] > h->most ? h->value[i] : h->most;
}

/* Writes the colour of v: 0 is blue, the middle is green, 1 is red. */
static void scale_color(float v, float rgb[3]) {
    rgb[0] = v < 0.5f ? 0 : 2 * v - 1;
    rgb[1] = v < 0.5f ? 2 * v : 2 - 2 * v;
    rgb[2] = v < 0.5f ? 1 - 2 * v : 0;
}

void heat_paint(struct heat *h, uint8_t *rgba) {
    if (h->name)
        take_levels(h);
    find_most(h);
    for (size_t i = 0; i < (size_t)h->width * h->height; i++) {
        uint8_t *p = rgba + 4 * i;
        const float grey = (float)(p[0] + p[1] + p[2]) / 3;
        float rgb[3] = {0.5f, 0.5f, 0.5f};
        if (h->value[i] >= 0)
            scale_color(h->most > 0 ? fminf(h->value[i] / h->most, 1) : 0, rgb);
        for (int k = 0; k < 3; k++)
            p[k] = (uint8_t)(0.25f * grey + 0.75f * (h->value[i] >= 0 ? 255 * rgb[k] : grey / 2));
    }
    if (h->name)
        paint_outlines(h, rgba);
}

void heat_legend(const struct heat *h, char *text, size_t size) {
    snprintf(text, size, "%s: %s, blue 0 to red %.4g", kinds[h->kind].name, kinds[h->kind].unit,
             (double)h->most);
}

void heat_free(struct heat *h) {
    free(h->value);
    free(h->name);
    free(h->patch);
    if (h->width)
        pthread_mutex_destroy(&h->lock);
    *h = (struct heat){0};
}
