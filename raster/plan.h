/* The decisions of a draw that are the same in every tile: the place of the zeta test, the written
 * colour targets and their kernels. plan.c makes the plan once from a raster_state, when the draw
 * is captured. From then on the plan is immutable, and all threads read it. Data of a single tile
 * (texels, quads collected so far, the results of a uniform program) are in struct raster_tile.
 */
#pragma once

#include "raster/raster.h"

enum {
    BLOCK_W = 8,
    BLOCK_H = 4,
    MAX_SAMPLES = 8,
    MAX_WORDS = 4, /* 32-bit words per sample of the widest format */
    STIPPLE_SIZE = 32,
    STIPPLE_BLOCKS = (STIPPLE_SIZE / BLOCK_W) * (STIPPLE_SIZE / BLOCK_H),
};

/* Pixel position of each lane inside its block. */
#define LANES_X                                                                                    \
    {0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7, 0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7}
#define LANES_Y                                                                                    \
    {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3, 2, 2, 3, 3, 2, 2, 3, 3}

/* All facts about one colour target that its kernel needs to encode, decode and blend. */
struct crop_key {
    enum pixel_format format;
    uint8_t words;
    bool blend;
    bool logic_op;
    bool dual_source;
    struct blend_target eq;
    uint16_t op;                    /* logic operation */
    uint32_t write_bits[MAX_WORDS]; /* bits of each word that the write mask allows */
    bool write_all;                 /* the write mask allows all bits of the texel */
    bool reads_target;              /* the new texel depends on the stored one */
    float clamp_low, clamp_high;    /* the range of a normalized format */
    bool clamps;                    /* the format is normalized: blending begins with clamps */
    bool gathers_slowly; /* gathers are slow on this processor: tables are looked up in registers */
    float constant[4];   /* blend colour; if `clamps`, clamped to the range above */
    uint8_t bits[4], shift[4];  /* as in format_info */
    float scale[4], inverse[4]; /* normalized: the code of 1, and its reciprocal */
};

/* Writes colour src[0..3] (float or integer rows; src[4..7]: second source) to texel rows dst in
 * the lanes of m. */
typedef void crop_fn(const struct crop_key *k, const u32x32 *src, u32x32 *dst, lane_mask m);

struct zrop_key {
    struct zeta_state state;
    bool is_float, has_stencil;
    uint32_t bounds_word[2]; /* limits of the depth bounds test, as depth words */
};

/* Tests z (depth words) in the lanes of m against the block's rows, and updates the rows. Returns
 * the lanes that pass. */
typedef lane_mask zrop_fn(const struct zrop_key *k, const u32x32 *z, u32x32 *rows, lane_mask m,
                          bool front);

/* Depths that fail the test and change nothing. FAR: depths above the highest one stored in a
 * block. NEAR: depths below the lowest one. SAME, with FAR or NEAR: also depths equal to that
 * highest or lowest one. */
enum { HIDES_NEVER, HIDES_FAR = 1, HIDES_NEAR = 2, HIDES_SAME = 4 };

/* The instance of coverage. BARE: primitives without smoothing, tested at every sample, without
 * zeta. ZETA: the same with zeta, early or late. GENERAL: also smooth primitives, the polygon
 * stipple, window rectangles, several samples that share the coverage of the pixel's centre, and
 * edges too long for 32 bits (BARE and ZETA leave up to sixteen primitives to GENERAL if one of
 * them has such an edge). */
enum cover_kind { COVER_GENERAL, COVER_BARE, COVER_ZETA, COVER_KINDS };
/* The zeta test before the program. EARLY_DEPTH + func: a depth test with that function. With early
 * zeta the test may write depths; with late zeta it only drops fragments that must fail. ALL:
 * bounds, stencil and depth test. ZROP: a call of plan.zrop, for watched pixels (probe.c). NOTHING:
 * no test. */
enum early_kind {
    EARLY_DEPTH, /* + enum compare_func */
    EARLY_ALL = EARLY_DEPTH + 8,
    EARLY_ZROP,
    EARLY_NOTHING,
    EARLY_KINDS
};

/* The steps between the program's results and the targets. PLAIN: one sample, no smoothing, and the
 * program exports neither depth nor sample mask. STRAIGHT: the same, without a test, clamp or count
 * between the program and the colours. ANY: all other cases. */
enum output_kind { OUTPUT_ANY, OUTPUT_PLAIN, OUTPUT_STRAIGHT };

/* If samples are counted, and when. BEFORE: before the program, if the program asks for early tests
 * or does not run. */
enum count_kind { COUNT_NOTHING, COUNT_BEFORE, COUNT_AFTER };

struct draw_plan {
    const struct raster_state *state;
    uint8_t samples;      /* of the targets */
    bool multisample;     /* coverage and depth per sample; else at the pixel centre */
    uint8_t sample_shift; /* log2 of samples */
    bool has_program;
    bool infallible;  /* no input makes the program fail */
    bool shades;      /* the program runs: a target, depth, store or coverage depends on it */
    bool zeta_active; /* a test is on, and there is a zeta buffer */
    bool zeta_writes, depth_writes;
    bool depth_alone; /* zeta is a depth test without stencil and bounds test */
    uint8_t hides;    /* HIDES_ flags: depths that fail against the bounds of a block */
    uint8_t cover;    /* enum cover_kind */
    uint8_t before;   /* enum early_kind */
    bool early, late; /* zeta is tested before or after the program; both false: no test */
    bool keeps_depth; /* late zeta takes its depths from the depth planes, not from the program */
    bool two_sided;   /* the late stencil test depends on the face */
    bool ordered;     /* a step after the program reads stored values: order per sample matters */
    bool any_order;   /* only depths change, and the order of primitives does not matter */
    bool alpha_test, alpha_to_coverage, alpha_to_one, per_sample;
    uint8_t output;     /* enum output_kind */
    uint8_t counts;     /* enum count_kind */
    uint8_t clamp;      /* bit per output: clamped to 0..1 before the target clamps */
    bool smooth;        /* some primitives may be smooth: the covered part multiplies alpha */
    bool centroid;      /* the program or an observer reads positions at the centroid */
    bool tells_samples; /* the program or an observer asks for the samples of a pixel (Fermi) */
    /* Steps around the program give equal bits in its FP environment and in the host's. */
    bool denormals_alike;
    bool flat; /* the program reads no interpolated word: planes are not rebased */
    /* the program's results are the same for all fragments: it runs once a tile */
    bool uniform;
    bool whole_tile;  /* primitives that cover the tile need no coverage and no zeta */
    uint8_t replaces; /* RASTER_REPLACES, RASTER_REPLACEABLE */
    lane_mask stipple[STIPPLE_BLOCKS]; /* masks of the polygon stipple's blocks, four a row */
    uint32_t sample_mask;
    uint32_t sample_offset[MAX_SAMPLES]; /* as in warp.sample_position */
    uint32_t result_regs;                /* $r registers that are read after the program */
    uint8_t result[RASTER_TARGETS];      /* first result register of each target, divided by 4 */
    uint32_t allocated_regs;             /* $r registers that the program has; higher ones read 0 */
    /* The word of a depth z is z * z_scale + z_half, truncated to an integer. For float formats
     * z_scale is 1, z_half is 0, and the word is the bits of a float (zkey.is_float). */
    double z_scale, z_half;
    struct {
        double low, high;
    } z_range[16]; /* per viewport: the limits of depths, as z * z_scale + z_half */
    struct zrop_key zkey;
    zrop_fn *zrop;
    bool rejects; /* late zeta: the depth test of `before` drops lanes too, and writes nothing */
    uint32_t color_count; /* number of the highest target that is written, plus one */
    struct crop_key crop_key[RASTER_TARGETS];
    crop_fn *crop[RASTER_TARGETS]; /* NULL: nothing is written */
};

/* Makes the plan of a state. Both the state and its targets must live longer than the plan. */
void plan_init(struct draw_plan *p, const struct raster_state *s, enum simd_level simd);
/* Returns the surface's format; FORMAT_NONE if the surface cannot be drawn into, so that there is
 * no target. */
enum pixel_format renderable_format(const struct surface *s, bool zeta);
/* The number of samples: 1, 2, 4 or 8. */
uint8_t targets_samples(const struct raster_targets *t);
/* Makes the key of one colour target. */
void crop_key_init(struct crop_key *k, enum pixel_format f, const struct color_state *c,
                   uint32_t target);
/* Bits of each texel word that the components in `mask` (bit 0 R .. 3 A) occupy. */
void crop_write_bits(enum pixel_format f, uint32_t mask, uint32_t bits[MAX_WORDS]);
