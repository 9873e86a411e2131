/* Bound textures as pictures. */
#pragma once

#include "pipeline/context.h"

/* Returns the first level of the first layer (face, slice) of $t<slot> as malloc'd rows of RGBA8;
 * NULL if no usable texture is bound there. `what` receives a description like "256x256 rgba8". */
uint8_t *texture_picture(const struct state *s, struct gpu_memory *memory, enum program_type stage,
                         unsigned slot, uint32_t *width, uint32_t *height, char what[64]);
