/* The texture unit: descriptors (TIC: image view, TSC: sampler) are decoded, then textures are
 * sampled 32 lanes at a time. Must not know programs. Facts: tesla-3d.md §4.2, §4.3, tesla-isa.md
 * §6.9.
 */
#pragma once

#include "base/lanes.h"
#include "base/memory.h"
#include "base/simd.h"
#include "base/surface.h"
#include "shader/tex_port.h"

#include <stddef.h>

enum tex_dim {
    TEX_1D,
    TEX_2D,
    TEX_3D,
    TEX_CUBE,
    TEX_1D_ARRAY,
    TEX_2D_ARRAY,
    TEX_BUFFER,
    TEX_2D_NOMIP,
    TEX_CUBE_ARRAY
}; /* TIC numbering */
enum { TEX_MAX_LEVELS = 15 }; /* enough for 16384 texels, Fermi's limit; Tesla's is 8192 */

struct tex_level {
    uint64_t offset; /* bytes from the view's address, layer 0 */
    uint32_t width, height, depth;
    uint32_t pitch; /* linear */
    uint8_t tile_h, tile_d;
    /* Filled with the view: a tile is 64 bytes by 1 << row_shift rows by 1 << tile_d slices. */
    uint8_t row_shift, tile_shift; /* log2 of rows and of bytes of a tile */
    uint32_t tiles_x, tiles_xy;    /* tiles per row of tiles, per slice of tiles */
    /* The tile's sizes as factors, masks and shifts for tex/address.h. */
    uint32_t column_shift, row_mask, row_step, slice_mask, slice_step, slice_shift;
    /* width, height, depth in texels, and in 256ths of a texel */
    float extent[3], fixed_extent[3];
};

enum tex_level_row {
    LEVEL_WIDTH,
    LEVEL_HEIGHT,
    LEVEL_OFFSET,
    LEVEL_COLUMN_SHIFT,
    LEVEL_ROW_MASK,
    LEVEL_ROW_STEP,
    TEX_LEVEL_ROWS
};

/* A decoded TIC: the data that sampling needs. A broken descriptor gives valid == false: every
 * access then returns zero. */
struct tex_view {
    bool valid;
    const uint8_t *data;
    uint64_t size; /* bytes that may be read from data */
    enum pixel_format format;
    enum tex_dim dim;
    uint8_t component_type[4]; /* enum component_type of R G B A */
    uint8_t swizzle[4];        /* source of x y z w: 0 zero, 2..5 RGBA, 6 integer 1, 7 float 1 */
    bool srgb, linear, normalized, border_from_tsc;
    uint32_t width, height, depth, layers;
    uint8_t first_level, last_level; /* range of levels that the view shows */
    uint8_t level_count;
    uint8_t samples; /* of a texel, 1 unless a Fermi's descriptor names more. Samples lie side by
                        side in memory: width and height count texels, level[] counts samples. */
    uint8_t max_anisotropy; /* in place of the sampler's; 0: the sampler's applies */
    bool even_spread;       /* probes lie in the middle of equal parts of the footprint */
    uint64_t layer_stride;
    uint64_t generation; /* a number of this view alone: blocks are cached under it */
    struct tex_level level[TEX_MAX_LEVELS];
    /* level[] by field: a row has one field for all levels, for lanes in different levels */
    uint32_t level_row[TEX_LEVEL_ROWS][16];
    /* The layout of a texel in memory; components in memory order, lowest bits first. */
    uint8_t storage; /* enum tex_storage */
    uint8_t bytes;   /* of a texel, or of a 4x4 block */
    uint8_t bits[4], shift[4];
    uint8_t depth_component; /* the component that a comparison uses */
    bool whole;              /* all of the image lies inside size, and it is small enough for
                               * products of 16 bits: addresses need no check */
    bool bytes4;             /* 32 bits of 8-bit UNORM components */
};

enum tex_storage {
    TEX_STORE_PLAIN,
    TEX_STORE_RGB9E5,
    TEX_STORE_DXT1,
    TEX_STORE_DXT3,
    TEX_STORE_DXT5,
    TEX_STORE_RGTC1,
    TEX_STORE_RGTC2,
    TEX_STORE_BC7, /* this and the following: Fermi */
    TEX_STORE_BC6H,
    TEX_STORE_BC6H_SIGNED
};

struct tex_sampler {
    uint8_t wrap[3]; /* 0 wrap 1 mirror 2 edge 3 border 4 GL_CLAMP; 5 to 7: 2 to 4, mirrored once */
    bool compare;
    uint8_t compare_func; /* 0 never .. 7 always */
    bool mag_linear, min_linear;
    uint8_t mip; /* 1 none 2 nearest 3 linear */
    float lod_bias, min_lod, max_lod;
    uint8_t max_anisotropy; /* 1..16 */
    float border[4];
    uint32_t border_bits[4]; /* the words of the border colour of integer formats */
    bool skip_srgb_decode;   /* sRGB textures give their codes as linear values */
};

/* Decodes 8 descriptor words. Returns 0, or -1 with view->valid false and a message in why (which
 * may be NULL). Class 5097 has no view levels in word 7: the caller puts word 5's last level into
 * it, tic[7] = tic[5] >> 28 << 4. The unit of Fermi's block heights is 8 rows, not 4: for a Fermi
 * the caller sets TIC_TALL_BLOCKS in word 7. */
enum { TIC_TALL_BLOCKS = (int)(1u << 31) };
int tex_view_decode(const uint32_t tic[8], struct gpu_memory *memory, struct tex_view *view,
                    char *why, size_t why_size);
/* True if the memory that these words describe has the same size as when the view was decoded. */
bool tex_view_holds(const uint32_t tic[8], struct gpu_memory *memory, const struct tex_view *view);
void tex_sampler_decode(const uint32_t tsc[8], struct tex_sampler *sampler);

/* For callers that have no driver: functions that make the words that a driver would write. */
struct tex_image { /* a texture as laid out in memory */
    uint64_t address;
    enum pixel_format format;
    enum tex_dim dim;
    uint32_t width, height, depth, layers, levels; /* cube: layers = 6 * cubes */
    bool linear;
    uint32_t pitch;  /* linear only */
    bool normalized; /* coordinates in 0..1 */
};
/* Returns the bytes that the image needs. Sets the place and tile mode of each level of layer 0.
 * levels and layer_stride may be NULL. */
uint64_t tex_image_layout(const struct tex_image *image, struct tex_level levels[TEX_MAX_LEVELS],
                          uint64_t *layer_stride);
void tex_image_tic(const struct tex_image *image, uint32_t first_level, uint32_t last_level,
                   uint32_t tic[8]);
void tex_sampler_tsc(const struct tex_sampler *sampler, uint32_t tsc[8]);

/* The decoding of a component. The components of one texel may differ. */
enum tex_decode {
    TEX_DECODE_ABSENT,  /* 0 */
    TEX_DECODE_BYTES,   /* of a key: UNORM of 8 bits each, the first component in the lowest byte */
    TEX_DECODE_UNORM,   /* up to 16 bits: one product with the reciprocal of the greatest value */
    TEX_DECODE_UNORM24, /* 24 bits: the quotient, rounded once */
    TEX_DECODE_UNORM32,
    TEX_DECODE_SNORM,
    TEX_DECODE_SNORM32,
    TEX_DECODE_UINT,
    TEX_DECODE_SINT,
    /* halves; and floats without a sign that become halves if shifted up by `up` bits */
    TEX_DECODE_HALF,
    TEX_DECODE_FLOAT,
    TEX_DECODE_RGB9E5,
    TEX_DECODE_SRGB,  /* of a key: bytes; the fourth component is linear */
    TEX_DECODE_MIXED, /* of a key: components differ */
};
struct tex_component {
    uint8_t decode;      /* enum tex_decode */
    uint8_t word, shift; /* where in the texel */
    uint8_t bits, up;
    float most, scale; /* the greatest value of an integer that is normalised; 1 / that */
};

/* The unit of a fetch: the bytes of a texel, or a texel block. */
enum tex_fetch {
    TEX_FETCH_1,
    TEX_FETCH_2,
    TEX_FETCH_4,
    TEX_FETCH_8,
    TEX_FETCH_12,
    TEX_FETCH_16,
    TEX_FETCH_BLOCK,
    TEX_FETCH_WIDE_BLOCK /* blocks of texels of 64 bits */
};

/* The terms of the sum over a linear footprint. */
enum tex_sum {
    TEX_SUM_FLOATS,
    TEX_SUM_BYTES,   /* four 8-bit UNORM components over two axes: integers, rounded once */
    TEX_SUM_COMPARE, /* results of comparisons */
    TEX_SUM_NONE,    /* integers are never filtered */
};

/* The facts that sampling a view with a sampler depends on, decided once. A kernel has some of
 * these fields as constants (tex/kernel_rows.h) and reads the others from this struct. Flags are 0
 * or 1. */
struct tex_key {
    uint8_t fetch;  /* enum tex_fetch */
    uint8_t sum;    /* enum tex_sum */
    uint8_t decode; /* enum tex_decode of all components that are shown, or of the depth compared */
    /* bits of each component, if all that are shown lie in their order and, where `sum` is
     * TEX_SUM_NONE, are integers of one kind; or 0 */
    uint8_t width;
    uint8_t axes; /* axes that are wrapped and filtered, 1 to 3 */
    uint8_t wrap[3];
    uint8_t mip; /* 1 one level 2 nearest 3 linear */
    uint8_t mag_linear, min_linear;
    uint8_t cube, layers; /* cube: coordinates are a direction; layers: there are layers or faces */
    uint8_t array;        /* layers are an operand */
    uint8_t seamless, normalized, border, linear, whole, aniso;
    /* texel offsets are added; a kernel with 0 passes calls with offsets to another kernel */
    uint8_t offsets;
    uint8_t lod; /* the LOD matters: for levels, for the filter, for probes */
    /* gathers are slow: 64 bits are loaded lane by lane, texels side by side at once */
    uint8_t singly;
};

/* The back of a kernel, which is chosen by key like the front: filters the texels of a footprint.
 * Input and output are as wide as the SIMD level (tex/filter.inc). */
struct footprint;
struct sums;
typedef void tex_texels(const struct footprint *f, struct sums *out);
struct tex_back {
    tex_texels *nearest, *linear;
    tex_texels *nearest_two; /* of two footprints, to two sums */
    tex_texels *across;      /* linear footprints that leave a cube's face */
    /* for lanes in different levels; only in kernels with a back of their own */
    tex_texels *linear_each, *across_each;
};

/* A view paired with a sampler: made once, then sampled by any number of threads. */
struct tex_bound {
    struct tex_binding binding; /* first: kernels get a pointer to it */
    const struct tex_view *view;
    const struct tex_sampler *sampler;
    uint32_t flags; /* TEX_SEAMLESS ... */
    struct tex_key key;
    struct tex_component component[4]; /* in memory order */
    struct tex_component depth;        /* the component that is compared */
    uint8_t swizzle[4];                /* as the view's; absent components are shown as zero */
    uint8_t components[16];            /* memory components (bits) that results 0..3 (bits) show */
    float border[4];    /* of results 0..3: the sampler's, clamped to the range of the format */
    float depth_border; /* the border word that is compared, clamped like depths */
    /* by mask of results: bytes to the row that shows component c; -1: no row shows it */
    int16_t place[16][4];
    uint16_t direct;  /* bit per mask of results: the mask shows each component at most once */
    uint16_t four;    /* bit per mask of results: the mask shows each component once */
    uint16_t single;  /* bit per mask of results: the mask shows one component, however often */
    uint8_t constant; /* bit per result that shows no component, but a word of `constants` */
    uint32_t constants[4];
    uint8_t max_anisotropy;
    bool whole_srgb; /* AVX-512: texels of sRGB codes are decoded whole, since gathers are slow */
    float lod_low, lod_high; /* the sampler's clamps, limited to the existing levels */
    /* the greatest square of a step, in texels, whose LOD is 0 or less; -1: min_lod is above 0 */
    float near;
    float square_scale; /* the sampler's bias as a factor for squares of steps */
    /* range of the lower of two levels that can be mixed; high < low: levels are never mixed */
    int level_low, level_high;
    struct tex_back back;
    tex_kernel *moved; /* samples calls with texel offsets if key.offsets is 0 in the kernel */
    struct tex_key fetch_key; /* for texfetch: no border, no comparison */
    struct tex_back fetch;
    struct tex_key gather_key; /* for texgather; integers have TEX_SUM_NONE */
    struct tex_back gather;
};
enum {
    TEX_SEAMLESS = 1,      /* cube faces are filtered across edges; 3D state, not in the TSC */
    TEX_FAKE_INFINITE = 2, /* without derivatives the LOD is the greatest, not the least */
};
/* Makes a binding. view NULL or broken: samples read 0. sampler NULL: nearest filter. Both must
 * outlive *bound. */
void tex_bind(struct tex_bound *bound, const struct tex_view *view,
              const struct tex_sampler *sampler, uint32_t flags, enum simd_level simd);

bool tex_bound_is(const struct tex_bound *bound, const struct tex_view *view,
                  const struct tex_sampler *sampler, uint32_t flags);
