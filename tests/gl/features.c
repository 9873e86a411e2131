/* Features of OpenGL 3.3 other than shaders, one by one on one driver, and a comparison of two
 * drivers' results:
 *   features run OUT RENDERER [NAME]       runs every check (or one), writes pixels and counters
 *   features compare REFERENCE TRIED [-v]  prints a verdict for each check
 * Each check (features_*.h) has a context of its own and leaves records (corpus_records.h). */
#include "features_fragments.h"
#include "features_textures.h"
#include "features_vertices.h"

/* ---- the checks ---- */

static const struct check features[] = {
    {"points", points},
    {"point_coordinates", point_coordinates},
    {"lines", lines},
    {"polygon_modes", polygon_modes},
    {"polygon_offset", polygon_offset},
    {"queries", queries},
    {"timestamps", timestamps},
    {"conditional_render", conditional_render},
    {"feedback", feedback},
    {"provoking_vertex", provoking_vertex},
    {"instancing", instancing},
    {"indices", indices},
    {"vertex_formats", vertex_formats},
    {"uniform_blocks", uniform_blocks},
    {"derivatives", derivatives},
    {"clip_distances", clip_distances},
    {"fragment_depth", fragment_depth},
    {"depth_formats", depth_formats},
    {"draw_buffers", draw_buffers},
    {"blending", blending},
    {"logic_ops", logic_ops},
    {"stencil", stencil},
    {"scissor_and_masks", scissor_and_masks},
    {"multisample", multisample},
    {"srgb_targets", srgb_targets},
    {"target_formats", target_formats},
    {"integer_targets", integer_targets},
    {"layered", layered},
    {"blits", blits},
    {"depth_blits", depth_blits},
    {"copy_to_texture", copy_to_texture},
    {"mipmaps", mipmaps},
    {"read_formats", read_formats},
    {"compressed", compressed},
    {"texture_formats", texture_formats},
    {"wraps_and_filters", wraps_and_filters},
    {"sample_coverage", sample_coverage},
    {"multisample_fetch", multisample_fetch},
    {"sample_positions", sample_positions},
};

/* The reasons for all differences between llvmpipe and teslapipe beyond rounding. The first
 * matching row counts. */
static const struct tolerance tolerances[] = {
    {"lines", "lines 6", 15.0 / 255, 0, 0.01,
     "llvmpipe repeats values over the width, and tests the diamond of the line itself where the"
     " width is even (OpenGL 3.3, 3.5.2: that of the line moved by (width - 1) / 2)"},
    {"lines", "loop", 5.5 / 255, 0, 0.003, "as for lines 6 wide"},
    {"lines", NULL, 7.5 / 255, 0, 0,
     "the same pixels; llvmpipe takes values by columns, not at the foot of the pixel centre"},
    {"provoking_vertex", "mode 2", 2.5 / 255, 0, 0.001, "two pixels at a joint of a loop 3 wide"},
    {"polygon_modes", "point", 2.5 / 255, 0, 0.02,
     "where an edge leaves the clip volume llvmpipe draws one more point"},
    {"multisample", "resolved from 4", 2.5 / 255, 0, 0.01, "the same four positions"},
    {"multisample", NULL, 0.3, 0, 0.02, "llvmpipe always has four samples, so edges differ"},
    {"sample_coverage", "alpha", 0.27, 0, 0.01,
     "which samples an alpha covers is the implementation's choice"},
    {"target_formats", "format 8c3a", 1.0 / 64, 0, 0.01,
     "llvmpipe truncates to 11 and 10 bit floats"},
    {"target_formats", "format 8057", 1.1 / 31, 0, 0.01, "llvmpipe truncates to 5 bits"},
    {"target_formats", "format 8056", 1.1 / 15, 0, 0.01,
     "the driver stores components of 4 bits in 8 bits"},
    {"texture_formats", "format 8056", 1.1 / 15, 0, 0.01,
     "the driver stores components of 4 bits in 8 bits"},
    {"blits", "3", 1.1 / 31, 0, 0.02, "llvmpipe truncates to 5 bits"},
    {"blits", NULL, 2.5 / 255, 1e-3, 0.02,
     "a place in the middle between two texels may take either"},
    {"mipmaps", NULL, 5.5 / 255, 0, 0.01, "halving odd sizes is the implementation's choice"},
    {NULL, NULL, 2.5 / 255, 1e-3, 0.01, "8 bits rounded in other places; pixels on edges"},
};

int main(int argc, char **argv) {
    return checks_main(argc, argv, features, sizeof features / sizeof *features, tolerances);
}
