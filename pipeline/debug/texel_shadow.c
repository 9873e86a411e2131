/* Makes shadows of textures (texel_shadow.h), and keeps each until more memory has been written.
 * In: bindings, and the memory that has been written. Out: bindings. A shadow lies in GPU memory of
 * its own.
 */
#include "pipeline/debug/texel_shadow.h"

#include <stdlib.h>

/* An instruction may need shadows for all slots. With twice as many shadows, no shadow is replaced
 * while the instruction uses it. */
enum { SLOTS = 128, SHADOWS = 2 * SLOTS };
static const float UNWRITTEN = 1e30f;

/* The use that samples make of texels. The use decides the shadow's format. */
enum sampled { FILTERED, COMPARED, INTEGERS };

struct texel_shadow {
    uint64_t generation; /* generation of the texture's view; 0: the struct is unused */
    uint64_t changes;    /* written_memory.changes() when the shadow was made */
    uint64_t used;       /* the number of the last use */
    enum sampled sampled;
    bool none;
    struct gpu_memory *memory;
    struct tex_view view;
};

struct texel_shadows {
    struct written_memory written;
    struct texel_shadow shadow[SHADOWS];
    uint64_t uses;
    bool incomplete;
    struct bound_slot {
        struct tex_sampler sampler;
        struct tex_bound bound;
        struct tex_view view;
    } *slot[SLOTS];
};

uint64_t texel_place(const struct tex_view *v, const struct tex_level *l, uint32_t x, uint32_t y) {
    const uint32_t block = format_info(v->format)->compressed ? 4 : 1;
    const uint32_t column = x / block * v->bytes, row = y / block;
    const uint64_t tile = (uint64_t)l->tiles_x * (row >> l->row_shift) + column / SURFACE_LINE;
    return (tile << l->tile_shift) + (row & ((1u << l->row_shift) - 1)) * SURFACE_LINE +
           column % SURFACE_LINE;
}

struct texel_shadows *texel_shadows_create(const struct written_memory *written) {
    struct texel_shadows *s = calloc(1, sizeof *s);
    if (s)
        s->written = *written;
    return s;
}

static void drop(struct texel_shadow *t) {
    memory_destroy(t->memory);
    *t = (struct texel_shadow){0};
}

void texel_shadows_free(struct texel_shadows *s) {
    for (int i = 0; s && i < SHADOWS; i++)
        drop(&s->shadow[i]);
    for (int i = 0; s && i < SLOTS; i++)
        free(s->slot[i]);
    free(s);
}

bool texel_shadows_incomplete(const struct texel_shadows *s) {
    return s->incomplete;
}

/* Makes a view of the same size, on memory of its own. False when out of memory. */
static bool make_view(struct texel_shadow *t, const struct tex_view *v) {
    static const enum pixel_format formats[] = {
        [FILTERED] = FORMAT_R32_FLOAT, [COMPARED] = FORMAT_Z32_FLOAT, [INTEGERS] = FORMAT_R32_UINT};
    struct tex_image image = {.format = formats[t->sampled],
                              .dim = v->dim,
                              .width = v->width,
                              .height = v->height,
                              .depth = 1,
                              .layers = v->layers,
                              .levels = v->last_level + 1u,
                              .normalized = v->normalized};
    const uint64_t bytes = tex_image_layout(&image, NULL, NULL);
    uint32_t tic[8];
    t->memory = memory_create(bytes + (1 << 20), -1);
    image.address = t->memory ? memory_alloc(t->memory, bytes, 1 << 16) : 0;
    if (!image.address)
        return false;
    tex_image_tic(&image, v->first_level, v->last_level, tic);
    if (tex_view_decode(tic, t->memory, &t->view, NULL, 0) != 0)
        return false;
    t->view.max_anisotropy = v->max_anisotropy;
    t->view.even_spread = v->even_spread;
    return true;
}

/* Sets the swizzle: components that come from texels show the shadow's first component; constant
 * components are 0. */
static void show_texels(struct tex_view *to, const struct tex_view *v) {
    enum { FIRST = 2, LAST = 5 }; /* sources that are a texel's components */
    for (int i = 0; i < 4; i++)
        to->swizzle[i] = v->swizzle[i] >= FIRST && v->swizzle[i] <= LAST ? FIRST : 0;
}

static void fill_level(const struct texel_shadows *s, struct texel_shadow *t,
                       const struct tex_view *v, uint64_t address, uint32_t level) {
    const struct tex_level *from = &v->level[level], *to = &t->view.level[level];
    uint8_t *data = (uint8_t *)(uintptr_t)t->view.data;
    const float none = t->sampled == COMPARED ? -UNWRITTEN : 0;
    for (uint32_t layer = 0; layer < (v->layers ? v->layers : 1); layer++) {
        const uint64_t base = address + from->offset + layer * v->layer_stride;
        uint8_t *own = data + to->offset + layer * t->view.layer_stride;
        for (uint32_t y = 0; y < from->height; y++)
            for (uint32_t x = 0; x < from->width; x++) {
                const bool written =
                    s->written.any(s->written.self, base + texel_place(v, from, x, y), v->bytes);
                memcpy(own + texel_place(&t->view, to, x, y), written ? &none : &UNWRITTEN, 4);
            }
    }
}

/* Makes the shadow of a view. False when out of memory. */
static bool make_shadow(const struct texel_shadows *s, struct texel_shadow *t,
                        struct gpu_memory *memory, const struct tex_view *v, enum sampled sampled) {
    const uint64_t address = memory_address(memory, v->data);
    drop(t);
    *t = (struct texel_shadow){.generation = v->generation,
                               .changes = s->written.changes(s->written.self),
                               .sampled = sampled,
                               .none = s->written.all(s->written.self, address, v->size)};
    if (t->none)
        return true;
    if (!make_view(t, v)) {
        t->none = true;
        return false;
    }
    show_texels(&t->view, v);
    for (uint32_t level = v->first_level; level <= v->last_level; level++)
        fill_level(s, t, v, address, level);
    return true;
}

/* Returns the shadow of the view; if there is none, the shadow that was not used for the longest
 * time. */
static struct texel_shadow *find_place(struct texel_shadows *s, const struct tex_view *v,
                                       enum sampled sampled) {
    struct texel_shadow *oldest = s->shadow;
    for (int i = 0; i < SHADOWS; i++) {
        struct texel_shadow *t = &s->shadow[i];
        if (t->generation == v->generation && t->sampled == sampled)
            return t;
        oldest = t->used < oldest->used ? t : oldest;
    }
    return oldest;
}

static const struct texel_shadow *find_shadow(struct texel_shadows *s, struct gpu_memory *memory,
                                              const struct tex_view *v, enum sampled sampled) {
    struct texel_shadow *t = find_place(s, v, sampled);
    const bool fits = t->generation == v->generation && t->sampled == sampled;
    if (!fits || t->changes != s->written.changes(s->written.self))
        s->incomplete |= !make_shadow(s, t, memory, v, sampled);
    t->used = ++s->uses;
    return t;
}

/* Returns the sampler for a shadow: its border counts as written. A comparison is true for texels
 * that are not written. */
static struct tex_sampler shadow_sampler(const struct tex_sampler *from, bool compared) {
    enum { LESS = 1 };
    struct tex_sampler to = *from;
    for (int i = 0; i < 4; i++) {
        to.border[i] = compared ? -UNWRITTEN : 0;
        to.border_bits[i] = 0;
    }
    to.compare_func = LESS;
    return to;
}

const struct tex_binding *texel_shadow(struct texel_shadows *s, struct gpu_memory *memory,
                                       const struct tex_binding *binding, uint32_t slot) {
    const struct tex_bound *b = (const struct tex_bound *)binding;
    const struct tex_view *v = b ? b->view : NULL;
    if (slot >= SLOTS || !v || !v->valid || !v->size || v->linear || v->samples > 1 ||
        v->dim == TEX_3D || v->dim == TEX_BUFFER)
        return NULL;
    const bool compared = b->sampler->compare;
    const struct texel_shadow *t = find_shadow(s, memory, v,
                                               compared                            ? COMPARED
                                               : b->gather_key.sum == TEX_SUM_NONE ? INTEGERS
                                                                                   : FILTERED);
    if (t->none)
        return NULL;
    if (!s->slot[slot])
        s->slot[slot] = malloc(sizeof *s->slot[slot]);
    struct bound_slot *const own = s->slot[slot];
    if (!own) {
        s->incomplete = true;
        return NULL;
    }
    own->view = t->view;
    own->sampler = shadow_sampler(b->sampler, compared);
    tex_bind(&own->bound, &own->view, &own->sampler, b->flags, SIMD_BASE);
    return &own->bound.binding;
}
