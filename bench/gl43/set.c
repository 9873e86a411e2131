/* The workloads of OpenGL 4.3. */
#include "bench/gl43/gl43.h"

const struct program_set program_set = {
    4, 3, {&terrain, &blur, &particles, &culling, &histogram, &clusters}};
