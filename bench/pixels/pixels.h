/* Workloads whose time goes to fragments: long arithmetic, blending into several formats,
 * filters. */
#pragma once

#include "bench/gl43/gl43.h"

extern const struct workload sdf, heavy_math, plain_math, raytrace;  /* arithmetic.c */
extern const struct workload glass, srgb, r11g11b10f, half, filters; /* targets.c */
