/* Finds a target, image or texture in the state. In: a context. Out: a layout. A shader's image
 * counts as one layer, because its descriptor does not say where other layers lie. */
#include "tools/asked_texel.h"

#include "tools/state_text.h"

#include "tex/tex.h"

const char *asked_name(const struct asked_texel *a) {
    static const char *const names[ASKED_KINDS] = {"target", "zeta buffer", "image", "texture"};
    return names[a->kind];
}

static void note(struct asked_texel *a, const tp_device *device, uint64_t address,
                 const struct surface *s, uint32_t samples) {
    uint32_t shift_x, shift_y;
    surface_sample_shift(samples ? samples : 1, &shift_x, &shift_y);
    a->address = address;
    a->surface = *s;
    a->surface.size = memory_extent(device->memory, address);
    a->samples = samples ? samples : 1;
    a->width = s->width >> shift_x;
    a->height = s->height >> shift_y;
}

static void note_target(struct asked_texel *a, const tp_context *c) {
    const struct state *s = &c->state;
    const bool zeta = a->kind == ASKED_ZETA;
    const bool there = zeta ? s->zeta_enable : a->slot < s->color_count;
    const struct target_state *t =
        zeta ? &s->zeta : &s->color[s->color_map[a->slot % RASTER_TARGETS] % RASTER_TARGETS];
    a->address = 0;
    if (!there || t->format == FORMAT_NONE)
        return;
    const struct surface surface = {.format = t->format,
                                    .width = t->width,
                                    .height = t->height,
                                    .depth = s->layers ? s->layers : 1,
                                    .linear = t->linear,
                                    .is_3d = !zeta && s->layers_3d,
                                    .pitch = t->pitch,
                                    .tile_h = t->tile_h,
                                    .tile_d = t->tile_d,
                                    .layer_stride = t->layer_stride};
    note(a, c->device, t->address, &surface, s->samples);
}

static void note_image(struct asked_texel *a, const tp_device *device, const struct image_view *i) {
    const uint32_t bytes = format_info(i->format)->bytes;
    struct surface s = {.format = i->format,
                        .width = i->linear && bytes ? i->width / bytes : i->width,
                        .height = i->height,
                        .depth = 1,
                        .linear = i->linear,
                        .pitch = i->width,
                        .tile_h = i->tile_h};
    if (i->address && bytes)
        note(a, device, i->address, &s, 1);
}

static void note_texture(struct asked_texel *a, const tp_context *c, enum program_type stage) {
    const struct state *s = &c->state;
    struct tex_view v;
    uint32_t word[8], shift_x, shift_y;
    if (a->slot >= sizeof s->tic[stage] / sizeof *s->tic[stage] ||
        !state_descriptor(&s->tic[stage][a->slot], &s->tic_table, c->device->memory, word) ||
        tex_view_decode(word, c->device->memory, &v, NULL, 0) != 0 || !v.valid ||
        v.dim == TEX_BUFFER || format_info(v.format)->compressed)
        return;
    const struct tex_level *l = &v.level[v.first_level];
    surface_sample_shift(v.samples, &shift_x, &shift_y);
    const struct surface surface = {.format = v.format,
                                    .width = l->width << shift_x,
                                    .height = (l->height ? l->height : 1) << shift_y,
                                    .depth = v.dim == TEX_3D ? l->depth : v.layers,
                                    .is_3d = v.dim == TEX_3D,
                                    .linear = v.linear,
                                    .pitch = l->pitch,
                                    .tile_h = l->tile_h,
                                    .tile_d = l->tile_d,
                                    .layer_stride = v.layer_stride};
    note(a, c->device, memory_address(c->device->memory, v.data) + l->offset, &surface, v.samples);
}

void asked_note(struct asked_texel *a, tp_context *c, bool launch) {
    switch (a->kind) {
    case ASKED_TARGET:
    case ASKED_ZETA:
        if (!launch)
            note_target(a, c);
        break;
    case ASKED_IMAGE:
        if (a->slot < STATE_IMAGES)
            note_image(a, c->device,
                       launch ? &c->state.compute_image[a->slot] : &c->state.image[a->slot]);
        break;
    default:
        note_texture(a, c, launch ? PROGRAM_CP : PROGRAM_FP);
    }
}
