/* Textures as pictures. The texture unit fetches every texel as a program's texture fetch does, so
 * formats, swizzles and layouts need no second implementation. In: a binding of the state. Out:
 * rows of RGBA8. */
#include "tools/texture_picture.h"
#include "base/bits.h"

#include "tools/state_text.h"

#include "tex/tex.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint8_t to_byte(uint32_t word, uint8_t type) {
    const float f = bits_float(word);
    if (type == COMPONENT_UINT || type == COMPONENT_SINT)
        return (uint8_t)word;
    return f >= 1 ? 255 : f > 0 ? (uint8_t)lrintf(f * 255) : 0;
}

/* Fetches `count` texels of a row from x on, at most 32. */
static void fetch_row(const struct tex_bound *bound, const struct tex_view *view, uint32_t x,
                      uint32_t y, uint8_t *out, uint32_t count) {
    static const struct tex_call call = {.source_count = 3, .result_mask = 15, .op = TEX_OP_FETCH};
    u32x32 reg[4] = {lanes_iota() + x, lanes_splat(y), lanes_splat(0)};
    const struct tex_binding *b = (const struct tex_binding *)bound;
    b->kernel[TEX_OP_FETCH](b, &call, reg, count >= LANES ? LANES_ALL : (1u << count) - 1);
    for (uint32_t i = 0; i < count && i < LANES; i++)
        for (int k = 0; k < 4; k++)
            out[4 * i + (uint32_t)k] = to_byte(reg[k][i], view->component_type[k]);
}

uint8_t *texture_picture(const struct state *s, struct gpu_memory *memory, enum program_type stage,
                         unsigned slot, uint32_t *width, uint32_t *height, char what[64]) {
    struct tex_view view;
    struct tex_bound bound;
    uint32_t word[8];
    if (!state_descriptor(&s->tic[stage][slot], &s->tic_table, memory, word) ||
        tex_view_decode(word, memory, &view, NULL, 0) != 0 || !view.valid ||
        view.dim == TEX_BUFFER || view.width > 8192 || view.height > 8192)
        return NULL;
    snprintf(what, 64, "%ux%u %s%s", view.width, view.height, format_name(view.format),
             view.dim == TEX_2D || view.dim == TEX_2D_NOMIP ? "" : ", the first layer");
    view.dim = TEX_2D; /* layers, faces and slices follow one another in memory */
    *width = view.width;
    *height = view.height ? view.height : 1;
    tex_bind(&bound, &view, NULL, 0, simd_best());
    uint8_t *rows = malloc((size_t)*width * *height * 4);
    for (uint32_t y = 0; rows && y < *height; y++)
        for (uint32_t x = 0; x < *width; x += LANES)
            fetch_row(&bound, &view, x, y, rows + 4 * ((size_t)y * *width + x), *width - x);
    return rows;
}
