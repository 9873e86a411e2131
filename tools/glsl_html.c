/* GLSL and machine code side by side. */
#include "tools/glsl.h"
void glsl_write_html(FILE *out, const struct glsl *g) {
    (void)out;
    (void)g;
}
