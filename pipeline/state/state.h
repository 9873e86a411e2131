/* The mutable state of a context, in groups: the input of every draw. The C API and the command
 * processor write its fields; the files of this folder read them when a draw ends. The state has
 * enumerants of its own; its writers translate OpenGL's enumerants (from_gl.h) and the registers of
 * their class. All addresses are GPU addresses. Any value of an address or a size is safe, because
 * draws check them. Enumerants, and numbers with a range, must be valid: the writers check them.
 * Must not know scenes, threads, pixels or methods.
 */
#pragma once

#include "pipeline/tessellate/tessellate.h"
#include "raster/raster.h"

enum {
    STATE_ARRAYS = 16,
    STATE_ATTRIBUTES = 16,
    STATE_CONST_BUFFERS = 128,
    STATE_CONST_SLOTS = 16,
    STATE_TEXTURES = 16,
    STATE_VIEWPORTS = 16,
    STATE_STREAMS = 4,
    STATE_GLOBALS = 16,
    STATE_CLIP_PLANES = 8,
    STATE_IMAGES = WARP_IMAGES,
};

/* Stages are numbered as enum program_type. */

/* ---- vertex fetch ---- */

struct vertex_array {
    bool enable;
    bool per_instance;
    uint32_t stride;       /* bytes */
    uint64_t start, limit; /* GPU addresses; limit is the last byte (inclusive) */
    uint32_t divisor;      /* instances per step; 0 counts as 1 */
};

/* A vertex attribute. format and type are the hardware's codes (tesla-3d.md §4.1). */
struct vertex_attribute {
    bool constant; /* all vertices take the value in `current`; also true if format is 0 */
    bool bgra;
    /* The caller or driver has set the attribute. If false, debug/unbound.c warns of its use. */
    bool given;
    uint8_t array;
    uint8_t format;  /* 1 = 32x4, 2 = 32x3, 4 = 32x2 ... */
    uint8_t type;    /* 0x3f float, 0x12 unorm, 9 snorm, 0x24 uint, 0x1b sint, 0x2d uscaled, ... */
    uint16_t offset; /* bytes into a vertex */
};

/* ---- constants and textures ---- */

struct const_buffer { /* one of the 128 buffers of a context */
    uint64_t address;
    uint32_t size; /* bytes; 0 = not defined */
};

/* The descriptor of a texture or sampler: its words if `raw`, else an index into the descriptor
 * table. */
struct descriptor_binding {
    bool valid, raw;
    uint32_t index;
    uint32_t word[8];
};

struct descriptor_table {
    uint64_t address;
    uint32_t limit; /* the highest valid index */
};

/* ---- targets ---- */

struct target_state {
    uint64_t address; /* 0: no target */
    enum pixel_format format;
    bool linear;            /* the width of the surface is then pitch / bytes per texel */
    uint32_t pitch;         /* bytes, linear only */
    uint32_t width, height; /* in samples */
    uint8_t tile_h, tile_d; /* log2 of a tile's height in units of 4 rows; of its depth in slices */
    uint64_t layer_stride;  /* bytes */
    uint32_t layers;        /* the number for this target; 0: struct state.layers is the number */
};

/* ---- the meaning of result slots; 0xff: no slot has this meaning ---- */

struct semantic_state {
    uint8_t point_size, layer, viewport, primitive_id;
    uint8_t clip, clip_count;
    /* first slots of front and back colours (two-sided lighting) */
    uint8_t color_front, color_back;
    uint8_t color_count; /* slots of each side's colours */
    bool color_clamp;    /* vertex colours are clamped to 0..1 */
};

/* ---- transform feedback ---- */

enum { STREAM_WORDS = 128, STREAM_SKIP = 0xff };

struct stream_buffer {
    uint64_t address;
    uint32_t limit;             /* bytes that may be written */
    uint32_t offset;            /* bytes written so far; draws advance it, queries read it */
    uint32_t stride;            /* bytes of a vertex */
    uint8_t stream;             /* the vertex stream that this buffer takes */
    uint8_t words;              /* words of a vertex, in slot[] */
    uint8_t slot[STREAM_WORDS]; /* result slot of each word; STREAM_SKIP: the word is not written */
};
struct stream_state {
    bool enable;
    bool limit_by_primitives; /* primitive_limit applies in addition to the limits of the buffers */
    uint32_t primitive_limit;
    uint32_t primitives; /* primitives written since the buffers were set; draws advance it */
    uint8_t buffer_count;
    struct stream_buffer buffer[STATE_STREAMS];
};

struct viewport_state {
    float scale[3], translate[3];
    struct depth_range depth;
    struct raster_rect rect; /* pixels; limits clears, and draws, too, if viewports_cut */
    bool scissor_enable;     /* false: only the screen scissor and the targets limit */
    struct raster_rect scissor;
};

enum polygon_mode { POLYGON_POINT, POLYGON_LINE, POLYGON_FILL };

/* State groups: fields that change together. The writer of a field calls state_touch() for the
 * field's group, since a draw reads only groups that were touched. Fields outside of all groups are
 * read by every call. */
enum state_group {
    GROUP_FETCH,
    GROUP_PROGRAM,
    GROUP_CONSTANT,
    GROUP_TEXTURE,
    GROUP_TARGET,
    GROUP_VIEW,
    GROUP_RASTER,
    GROUP_ZETA,
    GROUP_COLOR,
    GROUP_SAMPLE,
    GROUP_STREAM,
    STATE_GROUPS
};

struct state {
    uint32_t touched; /* bit per group: touched since the last draw or clear */

    /* read by every call */
    int32_t element_base; /* added to indices */
    bool id_before_base;  /* vertex ids are the indices before element_base is added */
    /* added to the element number of per-instance arrays, not to the instance id */
    uint32_t instance_base;
    bool restart_enable;
    uint32_t restart_index;
    bool restart_with_arrays;
    bool edge_flag; /* edge flag of arrays, and of inline vertices before draw_edge_flag() */

    /* GROUP_FETCH */
    struct vertex_array array[STATE_ARRAYS];
    struct vertex_attribute attribute[STATE_ATTRIBUTES];
    uint32_t current[STATE_ATTRIBUTES][4]; /* constant and immediate attribute values, raw words */
    uint32_t vertex_id_base;               /* added to vertex ids */
    /* 1 + 4 * attribute + component: this word is the vertex id; 0: the vertex number is the id */
    uint8_t vertex_id_word;

    /* GROUP_PROGRAM: programs by stage. A program is borrowed: its owner keeps it alive while it is
     * bound, and draws take references of their own. header holds the settings that a driver sends
     * with the code. program->header is read only when the program is bound. */
    struct program *program[PROGRAM_TYPES];
    struct program_header header[PROGRAM_TYPES];
    struct semantic_state semantic;
    uint16_t layer;            /* layer of primitives whose vertices have no layer slot */
    bool point_size_from_slot; /* semantic.point_size is the source of point sizes */
    bool viewport_from_gp;     /* semantic.viewport chooses the viewport */
    uint32_t mode;             /* MODE_* of shader/warp.h */
    /* limited calls that a warp may nest; UINT32_MAX: no limit */
    uint32_t call_limit[PROGRAM_TYPES];
    /* nibble per slot: its value inside points: 0 that of the vertex, 1 s, 2 t, 3 zero, 4 one */
    uint32_t point_coord_map[RESULT_MAP_SLOTS / 8];
    uint8_t patch_vertices; /* vertices of the patches that are drawn, 1 to 32 */
    struct tess_mode tess_mode;
    struct tess_levels tess_levels; /* levels of patches without a control program */

    /* GROUP_CONSTANT */
    struct const_buffer const_buffer[STATE_CONST_BUFFERS];
    int16_t const_binding[PROGRAM_TYPES][STATE_CONST_SLOTS]; /* buffer id, -1 = none */

    /* GROUP_TEXTURE */
    struct descriptor_binding tic[PROGRAM_TYPES][STATE_TEXTURES],
        tsc[PROGRAM_TYPES][STATE_TEXTURES];
    struct descriptor_table tic_table, tsc_table;
    bool linked_tsc;    /* sampler n goes with texture n */
    bool all_levels;    /* entries of tic_table have no range of levels: all can be sampled */
    bool seamless_cube; /* cubes are filtered across the edges of their faces */
    bool tall_blocks;   /* entries of tic_table are Fermi's: block heights count 8 rows */

    /* GROUP_TARGET */
    uint8_t color_count;
    uint8_t color_map[RASTER_TARGETS]; /* output i goes to color[color_map[i]] */
    struct target_state color[RASTER_TARGETS], zeta;
    bool zeta_enable;
    /* Layers or slices that may be selected, at least 1. Layers beyond the end of a target's memory
     * are not drawn. */
    uint32_t layers;
    bool layers_3d;  /* the targets are 3D surfaces */
    uint8_t samples; /* per pixel: 1, 2, 4, 8 */
    /* The targets are a part of a picture of this size: the part from pixel (x, y) on. width 0: the
     * targets are the whole picture. */
    struct picture_window {
        uint32_t x, y, width, height;
    } window;

    /* GROUP_VIEW: viewports, scissors, clipping. state_viewports() returns how many viewports are
     * used. */
    bool viewport_transform; /* false: positions are window coordinates */
    struct viewport_state viewport[STATE_VIEWPORTS];
    bool viewports_cut; /* a draw writes no pixels outside of its viewport's rect */
    bool screen_scissor_enable;
    struct raster_rect screen_scissor;
    struct limit_state limits;
    bool depth_clip_off; /* primitives are not clipped against the near and far clip planes */
    bool clip_z_zero;    /* the near clip plane is z = 0 instead of z = -w */
    uint8_t clip_enable; /* bit per clip distance */
    uint32_t clip_mode;  /* nibble per clip distance: 0 clip, 1 cull */

    /* GROUP_RASTER */
    bool rasterize;           /* false: primitives end after stream out */
    bool early_tests;         /* as FP_EARLY_TESTS of the fragment program's header */
    uint16_t polygon_mode[2]; /* front, back: enum polygon_mode */
    bool flat_shade;          /* colour slots take the values of the provoking vertex */
    bool provoking_last;
    bool two_sided_color; /* back faces take semantic.color_back */
    float point_size;
    struct setup_state setup;
    bool line_stipple;
    uint16_t line_stipple_pattern; /* bit 0 first; each bit holds for line_stipple_factor steps */
    uint16_t line_stipple_factor;  /* 1 to 256 */

    /* GROUP_ZETA */
    struct zeta_state zeta_test;

    /* GROUP_COLOR */
    struct color_state color_op; /* blend[] and mask[] per target; alpha test; logic op */

    /* GROUP_SAMPLE: multisampling and sample counts */
    struct sample_state sample;
    bool fp_sample_mask; /* the fragment program exports a sample mask */

    /* GROUP_STREAM: transform feedback */
    struct stream_state stream;

    /* clear values */
    uint32_t clear_color[4]; /* float bits, or integers for integer targets */
    float clear_depth;
    uint8_t clear_stencil, clear_stencil_mask; /* value; bits of the stencil that a clear writes */

    /* conditional rendering */
    uint8_t condition_mode; /* 0 never, 1 always, 2 non-zero, 3 equal, 4 not equal */
    uint64_t condition_address;

    /* compute: g[] spaces */
    struct global_state {
        uint64_t address, limit; /* limit: bytes that may be accessed */
        uint32_t pitch;          /* tiled: bytes of a row of tiles */
        uint8_t block_height;
        bool tiled;
    } global[STATE_GLOBALS];
    uint16_t grid_id; /* number of a dispatch: its CTAs read it at s[0x0] */

    /* Fermi. whole_memory: g[] is the whole of memory, for all programs. image: images of fragment
     * programs (GROUP_TEXTURE). compute_image: images of compute programs. */
    bool whole_memory;
    struct image_view image[STATE_IMAGES], compute_image[STATE_IMAGES];
};

/* The bytes of each group in struct state. */
extern const struct state_extent {
    uint32_t offset, size;
} state_extent[STATE_GROUPS];

/* Notes that fields of this group were written, or will be written before the next draw. */
static inline void state_touch(struct state *s, enum state_group group) {
    s->touched |= 1u << group;
}

/* Returns the number of viewports and scissors that primitives can use: all, or one if no slot
 * chooses the viewport. */
static inline unsigned state_viewports(const struct state *s) {
    return s->viewport_from_gp && s->semantic.viewport < RASTER_SLOTS ? STATE_VIEWPORTS : 1;
}

static inline bool state_has_mode(const struct state *s, enum polygon_mode mode) {
    return s->polygon_mode[0] == mode || s->polygon_mode[1] == mode;
}

/* The address of the target of colour output i. */
static inline uint64_t color_address(const struct state *s, unsigned i) {
    return s->color[s->color_map[i] & (RASTER_TARGETS - 1)].address;
}

/* Sets the state of a new context. Off: tests, blending. On: rasterizer, zeta target, viewport
 * transform. The transform is the identity, polygons are filled, counter-clockwise is front, the
 * last vertex provokes, all colours are written; one layer, one sample, all bindings empty. */
void state_init(struct state *s);
/* Sets which slots go to stream buffers, from a map of Tesla's form. The map has an entry for each
 * result slot: 0x80 | word number, or 0 if the slot is not written. interleaved: one buffer, with
 * vertices of `stride` bytes. Otherwise `count` buffers, with vertices of words[i] words; the word
 * numbers of a buffer begin at the next multiple of 4 after those of the buffer before it. */
void state_map_streams(struct stream_state *s, const uint8_t map[STREAM_WORDS], bool interleaved,
                       uint32_t stride, uint32_t count, const uint32_t words[STATE_STREAMS]);
/* Binds a program and takes header[stage] from its header; NULL unbinds. If a bound program is a
 * Fermi's, links all bound programs. Otherwise the header of the last program before the rasterizer
 * also gives the meaning of result slots. */
void state_bind_program(struct state *s, enum program_type stage, struct program *program);
