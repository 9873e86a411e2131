/* Shadows: textures whose texels say whether the texels of another texture have been written. A
 * texel of a shadow is 0 if the other texture's texel has been written, else a large number, so
 * that a filtered sample with such a texel is not 0. (In shadows of depths for comparisons the
 * texels are a negative and a positive number.) So the texture unit itself finds the texels that a
 * sample reads. In: a binding of a program. Out: a binding of the same shape, with the same
 * filters.
 */
#pragma once

#include "tex/tex.h"

/* Returns the offset of a texel, or of its block, in a layer of its level, in bytes. */
uint64_t texel_place(const struct tex_view *v, const struct tex_level *l, uint32_t x, uint32_t y);

/* Functions that say which GPU memory has been written. */
struct written_memory {
    void *self;
    /* any: true if a byte of the range is written; all: if every byte is */
    bool (*any)(void *self, uint64_t address, uint64_t size);
    bool (*all)(void *self, uint64_t address, uint64_t size);
    uint64_t (*changes)(void *self); /* grows when more memory is written */
};

struct texel_shadows;

struct texel_shadows *texel_shadows_create(const struct written_memory *written);
void texel_shadows_free(struct texel_shadows *s); /* NULL is allowed */
/* Returns the shadow of a texture that lies in `memory`. The binding is valid until this function
 * is called again for the same slot. NULL: all texels have been written, or nothing is known of
 * them (3D textures; several samples; linear textures and buffers, which the CPU may write), or
 * memory ran out. */
const struct tex_binding *texel_shadow(struct texel_shadows *s, struct gpu_memory *memory,
                                       const struct tex_binding *binding, uint32_t slot);
bool texel_shadows_incomplete(const struct texel_shadows *s); /* true if memory ran out */
