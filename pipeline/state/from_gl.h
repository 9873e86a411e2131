/* OpenGL's enumerants as the state's functions, operations, factors and modes. Only from_gl.c
 * translates these enumerants. The writers of the state call these functions: api/ for the values
 * of its callers, fifo/ for the values in its registers.
 */
#pragma once

#include "pipeline/state/state.h"
#include "raster/functions.h"

uint8_t compare_func_from_gl(uint32_t value);   /* other values: FUNC_ALWAYS */
uint8_t stencil_op_from_gl(uint32_t value);     /* other values: STENCIL_KEEP */
uint8_t blend_factor_from_gl(uint32_t value);   /* other values: BLEND_ONE */
uint8_t blend_equation_from_gl(uint32_t value); /* other values: EQUATION_ADD */
uint8_t logic_op_from_gl(uint32_t value);       /* the last four bits of any value */
uint8_t polygon_mode_from_gl(uint32_t value);   /* other values: POLYGON_FILL */
