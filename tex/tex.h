/* The texture unit: descriptors (TIC: image view, TSC: sampler) decoded once per draw, then sampled
 * 32 lanes at a time. Knows descriptors and memory, not programs. Facts: tesla-3d.md (TIC, TSC),
 * tesla-isa.md 6.9.
 */
#ifndef TEX_TEX_H
#define TEX_TEX_H

#include "base/lanes.h"
#include "base/memory.h"
#include "base/simd.h"
#include "base/surface.h"
#include "base/tex_call.h"

#include <stddef.h>

enum tex_dim { TEX_1D, TEX_2D, TEX_3D, TEX_CUBE, TEX_1D_ARRAY, TEX_2D_ARRAY, TEX_BUFFER, TEX_2D_NOMIP,
               TEX_CUBE_ARRAY }; /* TIC numbering */
enum { TEX_MAX_LEVELS = 14 };

struct tex_level {
    uint64_t offset;          /* bytes from the view's address, layer 0 */
    uint32_t width, height, depth;
    uint32_t pitch;           /* linear */
    uint8_t tile_h, tile_d;
};

/* A decoded TIC: what sampling needs, resolved. A broken descriptor gives valid == false: every
 * access then returns zero. */
struct tex_view {
    bool valid;
    const uint8_t *data;
    uint64_t size;            /* bytes that may be read from data */
    enum pixel_format format;
    enum tex_dim dim;
    uint8_t component_type[4]; /* enum component_type of R G B A */
    uint8_t swizzle[4];       /* source of x y z w: 0 zero, 2..5 RGBA, 6 integer 1, 7 float 1 */
    bool srgb, linear, normalized, border_from_tsc;
    uint32_t width, height, depth, layers;
    uint8_t first_level, last_level; /* range of levels the view shows */
    uint8_t level_count;
    uint8_t max_anisotropy;   /* in place of the sampler's; 0: the sampler's applies */
    bool even_spread;         /* probes lie in the middle of equal parts of the footprint */
    uint64_t layer_stride;
    uint8_t sample_shift_x, sample_shift_y; /* always 0: MSAA views are bigger single-sample views */
    struct tex_level level[TEX_MAX_LEVELS];
    /* How a texel lies in memory; components in memory order, lowest bits first ("R" first). */
    uint8_t storage;          /* enum tex_storage */
    uint8_t bytes;            /* of a texel, or of a 4x4 block */
    uint8_t bits[4], shift[4];
    uint8_t depth_component;  /* the one a comparison looks at */
    bool whole;               /* all of the image lies inside size: no access needs a check */
    bool simple;              /* up to four 8-bit UNORM components, whole: filtered as integers */
    /* Results 0..3 (bits) that show memory component i, and those that show none. */
    uint8_t shown_by[4], constant;
};

enum tex_storage { TEX_STORE_PLAIN, TEX_STORE_RGB9E5, TEX_STORE_DXT1, TEX_STORE_DXT3,
                   TEX_STORE_DXT5, TEX_STORE_RGTC1, TEX_STORE_RGTC2 };

struct tex_sampler {
    uint8_t wrap[3];          /* 0 wrap 1 mirror 2 edge 3 border 4 GL_CLAMP 5-7 mirror once of those */
    bool compare;
    uint8_t compare_func;     /* 0 never .. 7 always */
    bool mag_linear, min_linear;
    uint8_t mip;              /* 1 none 2 nearest 3 linear */
    float lod_bias, min_lod, max_lod;
    uint8_t max_anisotropy;   /* 1..16 */
    float border[4];
    uint32_t border_bits[4];  /* the same words, for integer formats */
    bool skip_srgb_decode;    /* sRGB textures give their codes as linear values */
};

/* Decodes 8 descriptor words. Returns 0, or -1 with view->valid false and a message in why (which
 * may be NULL). Class 5097 has no view levels in word 7: its caller puts word 5's last level there,
 * tic[7] = tic[5] >> 28 << 4. */
int tex_view_decode(const uint32_t tic[8], struct gpu_memory *memory, struct tex_view *view,
                    char *why, size_t why_size);
void tex_sampler_decode(const uint32_t tsc[8], struct tex_sampler *sampler);

/* Builders for callers that have no driver: the words a driver would write. */
struct tex_image {            /* a texture as laid out in memory */
    uint64_t address;
    enum pixel_format format;
    enum tex_dim dim;
    uint32_t width, height, depth, layers, levels; /* cube: layers = 6 * cubes */
    bool linear;
    uint32_t pitch;           /* linear only */
    bool normalized;          /* coordinates in 0..1 */
};
/* Bytes the image needs, and where each level of layer 0 starts; fills tile modes. levels == NULL ok. */
uint64_t tex_image_layout(const struct tex_image *image, struct tex_level levels[TEX_MAX_LEVELS],
                          uint64_t *layer_stride);
void tex_image_tic(const struct tex_image *image, uint32_t first_level, uint32_t last_level,
                   uint32_t tic[8]);
void tex_sampler_tsc(const struct tex_sampler *sampler, uint32_t tsc[8]);

/* A view and a sampler, paired: made once where they meet, then sampled by any number of threads. */
struct tex_bound {
    struct tex_binding binding; /* first: kernels get a pointer to it */
    const struct tex_view *view;
    const struct tex_sampler *sampler;
    uint32_t flags;             /* TEX_SEAMLESS ... */
};
enum {
    TEX_SEAMLESS = 1,      /* cube faces are filtered across edges; 3D state, not in the TSC */
    TEX_FAKE_INFINITE = 2, /* without derivatives the LOD is the greatest, not the least */
};
/* view, sampler: NULL or a broken view reads 0; NULL sampler: nearest. Both must outlive *bound. */
void tex_bind(struct tex_bound *bound, const struct tex_view *view,
              const struct tex_sampler *sampler, uint32_t flags, enum simd_level simd);

bool tex_bound_is(const struct tex_bound *bound, const struct tex_view *view,
                  const struct tex_sampler *sampler, uint32_t flags);

#endif
