/* Scaled and converting blits between textures, as the 2D engine makes them. In: a place
 * and a rectangle on both sides. Out: pixels in memory. Must not know draws.
 */
#include "api/api.h"
#include "pipeline/transfer/transfer.h"

static bool is_integer(enum pixel_format f) {
    const uint8_t type = format_info(f)->type;
    return type == COMPONENT_UINT || type == COMPONENT_SINT;
}

enum { ANY_ROW = 8192 * 16 }; /* an upper limit of the bytes of a texture's row */

static enum tp_result check_side(tp_context *c, const struct tp_texture_place *at,
                                 const struct tp_rect *rect) {
    if (!rect->width || !rect->height)
        return context_fail(c, TP_ERROR_INVALID, "blit: a rectangle of %ux%u", rect->width,
                            rect->height);
    return api_check_rect(at->texture, at->level, at->layer, rect, ANY_ROW);
}

/* Checks that depth and stencil need no conversion, and that integers become integers. */
static enum tp_result check_formats(tp_context *c, enum pixel_format to, enum pixel_format from,
                                    bool linear) {
    const bool zeta = format_info(to)->zeta || format_info(from)->zeta;
    if (to != from && (zeta || is_integer(to) != is_integer(from)))
        return context_fail(c, TP_ERROR_INVALID, "blit: from %s to %s", format_name(from),
                            format_name(to));
    if (linear && (zeta || is_integer(from)))
        return context_fail(c, TP_ERROR_INVALID, "blit: %s cannot be filtered", format_name(from));
    return TP_OK;
}

static void scale_axis(struct axis *axis, uint32_t count, uint32_t first, uint32_t texels,
                       uint32_t size, bool linear) {
    const struct transfer_scale s = {first, 0.5, (double)texels / count, size};
    transfer_axis(axis, count, &s, linear);
}

TP_API enum tp_result tp_texture_blit(tp_context *c, struct tp_texture_place to,
                                      const struct tp_rect *to_rect, struct tp_texture_place from,
                                      const struct tp_rect *from_rect, bool linear) {
    API_CONTEXT(c);
    API_OBJECT(c, to.texture, "texture");
    API_OBJECT(c, from.texture, "texture");
    API_GIVEN(c->device, to_rect);
    API_GIVEN(c->device, from_rect);
    API_TRY(check_side(c, &to, to_rect));
    API_TRY(check_side(c, &from, from_rect));
    API_TRY(check_formats(c, to.texture->image.format, from.texture->image.format, linear));
    struct transfer t = {
        .src_layer = from.layer,
        .dst_layer = to.layer,
        .rect = {(int32_t)to_rect->x, (int32_t)to_rect->y, (int32_t)(to_rect->x + to_rect->width),
                 (int32_t)(to_rect->y + to_rect->height)},
        .rop = {.code = ROP_SOURCE},
        .bilinear = linear,
    };
    if (!transfer_open(&t))
        return context_fail(c, TP_ERROR_MEMORY, "out of memory for a blit");
    context_flush(c);
    context_before_write(c, to.texture->resource.address, to.texture->resource.size);
    api_level_surface(from.texture, from.level, &t.src);
    api_level_surface(to.texture, to.level, &t.dst);
    scale_axis(&t.x, to_rect->width, from_rect->x, from_rect->width, t.src.width, linear);
    scale_axis(&t.y, to_rect->height, from_rect->y, from_rect->height, t.src.height, linear);
    const bool done = transfer_run(c, &t);
    transfer_close(&t);
    return done ? TP_OK : context_fail(c, TP_ERROR_MEMORY, "out of memory for a blit");
}
