/* Fuzz target: any mode and levels give a bounded number of points, which lie in the domain, and
 * triangles with the requested winding. In: bytes 0 to 3 mode, then six floats. */
#include "pipeline/tessellate/tessellate.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_triangles(const struct tess_output *out, bool clockwise) {
    /* a triangle whose points lie within one unit of each other may be turned over */
    const double rounding = 1.0 / 65536;
    double sum = 0;
    for (uint32_t i = 0; i < out->indices; i += 3) {
        const struct tess_point a = out->point[out->index[i]], b = out->point[out->index[i + 1]],
                                c = out->point[out->index[i + 2]];
        const double area =
            ((double)b.u - a.u) * ((double)c.v - a.v) - ((double)b.v - a.v) * ((double)c.u - a.u);
        if ((clockwise ? area : -area) > rounding)
            abort();
        sum += area;
    }
    const double whole = out->mode.domain == TESS_QUADS ? 2 : 1;
    if (sum != 0 && sum != (clockwise ? -whole : whole))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tess_levels levels;
    if (size < 4 + sizeof levels)
        return 0;
    memcpy(&levels, data + 4, sizeof levels);
    const struct tess_mode mode = {data[0] % 5, data[1] % 5, data[2] % 3, data[3] & 1};
    struct tess_output out = {0};
    if (!tessellate(mode, &levels, &out))
        return 0;
    if (out.points > TESS_MAX_POINTS || out.indices > TESS_MAX_INDICES)
        abort();
    for (uint32_t i = 0; i < out.points; i++) {
        const struct tess_point p = out.point[i];
        if (!(p.u >= 0 && p.u <= 1 && p.v >= 0 && p.v <= 1))
            abort();
        if (mode.domain == TESS_TRIANGLES && p.u + p.v > 1)
            abort();
    }
    for (uint32_t i = 0; i < out.indices; i++)
        if (out.index[i] >= out.points)
            abort();
    if (mode.primitives == TESS_TRIANGLE_LIST && mode.domain != TESS_ISOLINES)
        check_triangles(&out, mode.clockwise);
    tess_output_free(&out);
    return 0;
}
