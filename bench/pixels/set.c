/* The workloads whose time goes into fragments. */
#include "bench/pixels/pixels.h"

const struct program_set program_set = {
    3, 3, {&sdf, &heavy_math, &plain_math, &raytrace, &glass, &srgb, &r11g11b10f, &half, &filters}};
