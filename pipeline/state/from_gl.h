/* OpenGL's enumerants as the state's functions, operations, factors and modes. The only place that
 * knows their values; for those who fill the state: api/, whose callers give OpenGL's values, and
 * fifo/, whose registers hold them. A value that OpenGL does not have counts as the one that is
 * told.
 */
#ifndef PIPELINE_FROM_GL_H
#define PIPELINE_FROM_GL_H

#include "pipeline/state/state.h"
#include "raster/functions.h"

uint8_t compare_func_from_gl(uint32_t value);   /* else FUNC_ALWAYS */
uint8_t stencil_op_from_gl(uint32_t value);     /* else STENCIL_KEEP */
uint8_t blend_factor_from_gl(uint32_t value);   /* else BLEND_ONE */
uint8_t blend_equation_from_gl(uint32_t value); /* else EQUATION_ADD */
uint8_t logic_op_from_gl(uint32_t value);       /* else by its last four bits */
uint8_t polygon_mode_from_gl(uint32_t value);   /* else POLYGON_FILL */

#endif
