/* One triangle over the target, with a fragment program of long arithmetic. */
#include "bench/pixels/pixels.h"

static GLuint program;

#define WORKLOAD(name)                                                                             \
    static void build_##name(void) {                                                               \
        program = draw_program(#name);                                                             \
    }                                                                                              \
    const struct workload name = {#name, build_##name, draw}

static void draw(void) {
    glUseProgram(program);
    draw_whole();
}

WORKLOAD(sdf);
WORKLOAD(heavy_math);
WORKLOAD(plain_math);
WORKLOAD(raytrace);
