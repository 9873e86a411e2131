/* teslapipe: a software GPU of NVIDIA's Tesla generation (G80 to GT21x).
 *
 * This header is the manual; read it from top to bottom. A picture takes five steps:
 *   1. tp_device_create gives memory and worker threads, tp_context_create state and a queue.
 *   2. Make buffers, textures and programs.
 *   3. Bind them: targets, vertex buffers and attributes, programs, constants, textures, state.
 *   4. tp_clear and tp_draw queue work.
 *   5. tp_texture_read waits for the work and hands the pixels over.
 * A white triangle, without the checks of results:
 *
 *     #include <teslapipe.h>
 *     static uint8_t pixels[256 * 256 * 4];
 *     int main(void) {
 *         static const float corner[3][2] = {{0, 0.8f}, {-0.8f, -0.8f}, {0.8f, -0.8f}};
 *         tp_device *device;   tp_context *context;   tp_texture *picture;
 *         tp_buffer *corners;  tp_program *vertex, *fragment;
 *         tp_device_create(NULL, &device);
 *         tp_context_create(device, &context);
 *         tp_texture_create(device, &(struct tp_texture_info){.kind = TP_TEXTURE_2D,
 *             .format = TP_FORMAT_RGBA8, .width = 256, .height = 256}, &picture);
 *         tp_buffer_create(device, sizeof corner, corner, &corners);
 *         tp_program_from_text(device, TP_VERTEX, ".attr 0 xy\n.output position o[0x0]\n"
 *             "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 $r0 0.0\n"
 *             "mov b32 o[0x8] $r0\nmov b32 $r0 1.0\nexit mov b32 o[0xc] $r0\n", "v", &vertex);
 *         tp_program_from_text(device, TP_FRAGMENT, "mov b32 $r0 1.0\nmov b32 $r1 1.0\n"
 *             "mov b32 $r2 1.0\nmov b32 $r3 1.0\nexit nop\n", "f", &fragment);
 *         tp_set_target(context, picture, NULL);
 *         tp_bind_program(context, TP_VERTEX, vertex);
 *         tp_bind_program(context, TP_FRAGMENT, fragment);
 *         tp_bind_vertices(context, 0, corners, 0, sizeof corner[0], 0);
 *         tp_set_attribute(context, 0, 0, 0, 2, TP_FLOAT32);
 *         tp_clear(context, TP_CLEAR_COLOR, (const float[4]){0, 0, 0, 1}, 1, 0);
 *         tp_draw_arrays(context, TP_TRIANGLES, 0, 3);
 *         tp_texture_read_rgba8(context, picture, pixels);
 *         return pixels[(128 * 256 + 128) * 4] == 255 && pixels[0] == 0 ? 0 : 1;
 *     }
 *
 * Programs are Tesla machine code, or assembly text in envyas syntax with a few directives
 * (docs/programs.md). State has the granularity of the hardware's 3D class. A function marked
 * "helper" makes the common case short and is written with the other functions. The debugger has a
 * header of its own, teslapipe_debug.h.
 *
 * Results. A function that can fail returns enum tp_result; tp_message(device) then says in one
 * line the mistake and the remedy. A missing argument (NULL) or an object of another device is
 * TP_ERROR_INVALID.
 * Zero. A zeroed struct asks for the default; the default of a field is harmless and stands beside
 * it.
 * Ownership. The caller destroys what a create function gives, in any order. An object lives on as
 * long as bound state or queued work needs it. A device lives until the last of its contexts,
 * buffers, textures and programs is destroyed. Every destroy function takes NULL.
 * Processes. A child of fork may use the objects that it inherited, on one thread.
 * Threads. Several threads may use a device. A context, with the objects in use by it, belongs to
 * one thread at a time. Work runs deferred: tp_finish and every read wait for it.
 * Pixels. Row 0 is the first row in memory and the top of a picture; x grows to the right, y
 * downward. Pictures are the same bits for any number of threads and any SIMD level.
 */
#ifndef TESLAPIPE_H
#define TESLAPIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TP_API __attribute__((visibility("default")))

/* The version of this header; tp_version returns the version of the library. */
#define TP_VERSION "0.2.0"
TP_API const char *tp_version(void);

enum tp_result {
    TP_OK = 0,
    TP_ERROR_INVALID,   /* an argument or a combination of state is invalid */
    TP_ERROR_MEMORY,    /* out of host memory or of GPU address space */
    TP_ERROR_PROGRAM,   /* program text does not assemble */
    TP_ERROR_TRAP,      /* a program failed while running: see the message */
    TP_ERROR_IO,        /* a file cannot be read or written */
    TP_ERROR_CANCELLED, /* tp_cancel ended it */
};

typedef struct tp_device tp_device;
typedef struct tp_context tp_context;
typedef struct tp_buffer tp_buffer;
typedef struct tp_texture tp_texture;
typedef struct tp_program tp_program;

/* ---- Device ------------------------------------------------------------------------------- */

/* Tesla's chips draw and compute. TP_CHIP_GF100, a Fermi (sm_20), does both too, and has tessellation.
 * The last two run compute programs only: sm_30 and the generic 64-bit set. */
enum tp_chip {
    TP_CHIP_G80,
    TP_CHIP_G84,
    TP_CHIP_G200,
    TP_CHIP_MCP77,
    TP_CHIP_GT215,
    TP_CHIP_GF100,
    TP_CHIP_GK104,
    TP_CHIP_G64
};

/* How programs compute. Exact: the chip's bits. Fast: a multiply-add is rounded once, and special
 * functions are short polynomials, as accurate as OpenGL asks for; docs/fast.md. Both give the same
 * bits for any number of threads, SIMD level and engine. */
enum tp_arithmetic { TP_ARITHMETIC_EXACT, TP_ARITHMETIC_FAST };

struct tp_device_info {
    enum tp_chip chip; /* instruction set variant of the programs */
    int threads;       /* worker threads including the caller; 0 = one per CPU */
    const char *simd;  /* "base", "avx2", "avx512"; NULL = the best level of this CPU */
    /* "interp", the interpreter, or "native", which translates programs to machine code at their
     * first run. Both give the same bits. NULL = "native" if this build has it, else "interp". */
    const char *engine;
    /* Bytes of GPU address space, up to 2^40; untouched pages take no memory. 0 = 64 GiB, or
     * less if RLIMIT_AS allows less. */
    uint64_t memory;
    /* Instructions that a warp may execute before it traps with TIMEOUT. 0: a warp may compute for
     * five seconds. */
    uint64_t warp_budget;
    /* Receives log lines; level from 0 (errors) to 3 (debug). NULL = errors to stderr. */
    void (*log)(void *self, int level, const char *line);
    void *log_self;
    enum tp_arithmetic arithmetic;
};

/* info may be NULL (GT215, all CPUs). */
TP_API enum tp_result tp_device_create(const struct tp_device_info *info, tp_device **device);
TP_API void tp_device_destroy(tp_device *device);
/* The last failure of this thread on this device: one line without newline, or "". NULL asks for
 * the last failure of tp_device_create. Valid until the next call. */
TP_API const char *tp_message(const tp_device *device);
TP_API int tp_device_threads(const tp_device *device);
TP_API const char *tp_device_simd(const tp_device *device);
/* "interp" or "native". */
TP_API const char *tp_device_engine(const tp_device *device);

TP_API enum tp_result tp_context_create(tp_device *device, tp_context **context);
TP_API void tp_context_destroy(tp_context *context);

/* ---- Buffers ------------------------------------------------------------------------------ */

/* A linear range of GPU memory of at least 1 byte, filled from data, or with zeros if data is
 * NULL. */
TP_API enum tp_result tp_buffer_create(tp_device *device, uint64_t size, const void *data,
                                       tp_buffer **buffer);
TP_API void tp_buffer_destroy(tp_buffer *buffer);
TP_API uint64_t tp_buffer_size(const tp_buffer *buffer);
/* The bytes themselves, for reading and writing: valid until the buffer is destroyed. Waits for
 * the work that uses them; work queued later may use them again, so ask anew each time. NULL
 * with a message if the range is not inside. */
TP_API void *tp_buffer_map(tp_context *context, tp_buffer *buffer, uint64_t offset, uint64_t size);
/* Copies between buffers, after the work queued so far. */
TP_API enum tp_result tp_buffer_copy(tp_context *context, tp_buffer *to, uint64_t to_offset,
                                     tp_buffer *from, uint64_t from_offset, uint64_t size);
TP_API uint64_t tp_buffer_address(const tp_buffer *buffer); /* GPU address */
/* In order with the context's work. TP_ERROR_INVALID outside the buffer, nothing is written
 * then. */
TP_API enum tp_result tp_buffer_write(tp_context *context, tp_buffer *buffer, uint64_t offset,
                                      const void *data, uint64_t size);
TP_API enum tp_result tp_buffer_read(tp_context *context, tp_buffer *buffer, uint64_t offset,
                                     void *data, uint64_t size);

/* ---- Textures and targets ----------------------------------------------------------------- */

enum tp_format {
    TP_FORMAT_NONE,
    TP_FORMAT_RGBA8,
    TP_FORMAT_RGBA8_SRGB,
    TP_FORMAT_BGRA8,
    TP_FORMAT_BGRA8_SRGB,
    TP_FORMAT_R8,
    TP_FORMAT_RG8,
    TP_FORMAT_RGBA16F,
    TP_FORMAT_RGBA32F,
    TP_FORMAT_R32F,
    TP_FORMAT_RG32F,
    TP_FORMAT_RGBA32UI,
    TP_FORMAT_R32UI,
    TP_FORMAT_Z24S8, /* depth in the low 24 bits, stencil above */
    TP_FORMAT_Z32F,
    TP_FORMAT_Z16,
    /* the other formats of the hardware; OpenGL's names, components from the lowest bits up */
    TP_FORMAT_RGBA32I,
    TP_FORMAT_RGBA16,
    TP_FORMAT_RGBA16_SNORM,
    TP_FORMAT_RGBA16I,
    TP_FORMAT_RGBA16UI,
    TP_FORMAT_RG32I,
    TP_FORMAT_RG32UI,
    TP_FORMAT_RGBA8_SNORM,
    TP_FORMAT_RGBA8I,
    TP_FORMAT_RGBA8UI,
    TP_FORMAT_RGB10A2,
    TP_FORMAT_RGB10A2UI,
    TP_FORMAT_RG16,
    TP_FORMAT_RG16_SNORM,
    TP_FORMAT_RG16I,
    TP_FORMAT_RG16UI,
    TP_FORMAT_RG16F,
    TP_FORMAT_R11G11B10F,
    TP_FORMAT_RGB9E5 /* read only */,
    TP_FORMAT_R32I,
    TP_FORMAT_B5G6R5,
    TP_FORMAT_BGR5A1,
    TP_FORMAT_BGRA4 /* read only */,
    TP_FORMAT_RG8_SNORM,
    TP_FORMAT_RG8I,
    TP_FORMAT_RG8UI,
    TP_FORMAT_R16,
    TP_FORMAT_R16_SNORM,
    TP_FORMAT_R16I,
    TP_FORMAT_R16UI,
    TP_FORMAT_R16F,
    TP_FORMAT_R8_SNORM,
    TP_FORMAT_R8I,
    TP_FORMAT_R8UI,
    TP_FORMAT_A8,
    TP_FORMAT_Z32F_S8,
    /* 4x4 blocks, read only: rows of blocks in tp_texture_write */
    TP_FORMAT_DXT1,
    TP_FORMAT_DXT3,
    TP_FORMAT_DXT5,
    TP_FORMAT_RGTC1,
    TP_FORMAT_RGTC1_SNORM,
    TP_FORMAT_RGTC2,
    TP_FORMAT_RGTC2_SNORM,
};
enum tp_texture_kind {
    TP_TEXTURE_1D,
    TP_TEXTURE_2D,
    TP_TEXTURE_3D,
    TP_TEXTURE_CUBE,
    TP_TEXTURE_1D_ARRAY,
    TP_TEXTURE_2D_ARRAY,
    TP_TEXTURE_CUBE_ARRAY, /* layers: 6 a cube; GT215 programs only */
};

/* Depth, layers, levels and samples of 0 mean 1; levels of 0 with mipmaps set mean the full
 * chain. */
struct tp_texture_info {
    enum tp_texture_kind kind;
    enum tp_format format;
    uint32_t width, height; /* texels, 1..8192 */
    uint32_t depth;         /* 3D: slices, 1..2048 */
    uint32_t layers;        /* arrays, 1..512; cube: fixed 6 */
    uint32_t levels;        /* mip levels */
    uint32_t samples;       /* 1, 2, 4, 8: targets only */
    bool mipmaps;
    bool linear; /* pitch layout instead of block-linear; 2D without mipmaps only */
};

TP_API enum tp_result tp_texture_create(tp_device *device, const struct tp_texture_info *info,
                                        tp_texture **texture);
TP_API void tp_texture_destroy(tp_texture *texture);
/* The info of tp_texture_create with all defaults filled in. */
TP_API const struct tp_texture_info *tp_texture_get_info(const tp_texture *texture);
/* As a target, the texture is from now on a window into a picture of width x height pixels, up to
 * 32768 each: its texels are the picture's pixels from (x, y) on, multiples of 64. tp_set_targets
 * sets viewport and scissor to the picture; all targets need the same window. Each pixel gets the
 * bits that it has in the whole picture. So a picture larger than a texture, or than memory, can be
 * drawn window by window. width 0: the texture is the picture. */
TP_API enum tp_result tp_texture_set_window(tp_texture *texture, uint32_t x, uint32_t y,
                                            uint32_t width, uint32_t height);
/* Copies one level of one layer (cube: face; 3D: slice) from rows of texels `pitch` bytes apart. */
TP_API enum tp_result tp_texture_write(tp_context *context, tp_texture *texture, uint32_t level,
                                       uint32_t layer, const void *data, size_t pitch);
/* Copies a level of a layer to memory, in the texture's format; waits for the context's work. */
TP_API enum tp_result tp_texture_read(tp_context *context, tp_texture *texture, uint32_t level,
                                      uint32_t layer, void *data, size_t pitch);
/* As the two above for a rectangle; data has only the rows inside it. Not for compressed formats
 * and multisample textures. */
struct tp_rect {
    uint32_t x, y, width, height;
};
TP_API enum tp_result tp_texture_write_rect(tp_context *context, tp_texture *texture,
                                            uint32_t level, uint32_t layer,
                                            const struct tp_rect *rect, const void *data,
                                            size_t pitch);
TP_API enum tp_result tp_texture_read_rect(tp_context *context, tp_texture *texture, uint32_t level,
                                           uint32_t layer, const struct tp_rect *rect, void *data,
                                           size_t pitch);
/* Copies a rectangle to (x, y) of another level or texture of the same format. Within one level
 * and layer the rectangles must not overlap. */
struct tp_texture_place {
    tp_texture *texture;
    uint32_t level, layer;
};
TP_API enum tp_result tp_texture_copy(tp_context *context, struct tp_texture_place to, uint32_t x,
                                      uint32_t y, struct tp_texture_place from,
                                      const struct tp_rect *rect);
/* Copies with scaling (nearest texels, or bilinear) and conversion between colour formats.
 * Texels repeat at the edges of the level. Depth, stencil and integers are not filtered: depth
 * and stencil need the same format on both sides, integers can become other integers. Within one
 * level and layer the rectangles must not overlap. */
TP_API enum tp_result tp_texture_blit(tp_context *context, struct tp_texture_place to,
                                      const struct tp_rect *to_rect, struct tp_texture_place from,
                                      const struct tp_rect *from_rect, bool linear);
/* The GPU address of the texels, and the TIC words of the levels from first to last, for
 * tp_bind_descriptors. Change these words for views with other levels, swizzles or formats. */
TP_API uint64_t tp_texture_address(const tp_texture *texture);
TP_API enum tp_result tp_texture_describe(const tp_texture *texture, uint32_t first_level,
                                          uint32_t last_level, uint32_t tic[8]);
/* Helper: level 0 of layer 0 of any colour format as RGBA8 rows (width * 4 bytes each), clamped. */
TP_API enum tp_result tp_texture_read_rgba8(tp_context *context, tp_texture *texture, void *data);
/* Helper: fills levels 1.. from level 0 with a 2x2 box filter (colour formats). */
TP_API enum tp_result tp_texture_generate_mipmaps(tp_context *context, tp_texture *texture);

enum tp_wrap {
    TP_WRAP_REPEAT,
    TP_WRAP_MIRROR,
    TP_WRAP_CLAMP_TO_EDGE,
    TP_WRAP_CLAMP_TO_BORDER,
    TP_WRAP_CLAMP,
    TP_WRAP_MIRROR_ONCE_TO_EDGE,
    TP_WRAP_MIRROR_ONCE_TO_BORDER,
    TP_WRAP_MIRROR_ONCE
};
enum tp_filter { TP_FILTER_NEAREST, TP_FILTER_LINEAR };
enum tp_mip { TP_MIP_NONE, TP_MIP_NEAREST, TP_MIP_LINEAR };

struct tp_sampler_info {
    enum tp_wrap wrap[3];
    enum tp_filter mag, min;
    enum tp_mip mip;
    float lod_bias, min_lod, max_lod; /* max_lod 0 with mip set = 15 */
    bool compare;                     /* shadow sampling */
    uint32_t compare_func;            /* enum tp_func; 0 = TP_ALWAYS */
    float border[4];
    unsigned max_anisotropy; /* probes, up to 16; 0 = 1 */
};

enum tp_stage {
    TP_VERTEX,
    TP_GEOMETRY,
    TP_FRAGMENT,
    TP_COMPUTE,
    TP_TESS_CONTROL, /* on TP_CHIP_GF100 only, as is the next */
    TP_TESS_EVALUATION
};

/* Texture and sampler of $t<slot> and $s<slot> (0..15). NULL texture unbinds; NULL sampler:
 * nearest, repeat. */
TP_API enum tp_result tp_bind_texture(tp_context *context, enum tp_stage stage, unsigned slot,
                                      tp_texture *texture, const struct tp_sampler_info *sampler);
/* A buffer as a one-dimensional texture of `count` texels at `offset` (multiple of 256), read by
 * texel number; NULL unbinds. */
TP_API enum tp_result tp_bind_buffer_texture(tp_context *context, enum tp_stage stage,
                                             unsigned slot, tp_buffer *buffer, uint64_t offset,
                                             enum tp_format format, uint32_t count);
/* Filters cube textures across face edges. Off in a new context: wrap modes apply on each face. */
TP_API enum tp_result tp_set_seamless_cubes(tp_context *context, bool seamless);
/* Binds raw TIC and TSC descriptor words, as a driver writes them. */
TP_API enum tp_result tp_bind_descriptors(tp_context *context, enum tp_stage stage, unsigned slot,
                                          const uint32_t tic[8], const uint32_t tsc[8]);

struct tp_target {
    tp_texture *texture; /* NULL: none */
    uint32_t level, layer;
    bool layered; /* binds all layers (layer must be 0); a geometry program chooses */
};
/* Sets all targets and, as a helper, viewport 0 and scissor 0 to their whole size. If sizes
 * differ, the smallest one counts. A draw needs at least one target. */
TP_API enum tp_result tp_set_targets(tp_context *context, unsigned color_count,
                                     const struct tp_target *color, const struct tp_target *zeta);
/* Helper: one colour texture and one zeta texture (may be NULL). */
TP_API enum tp_result tp_set_target(tp_context *context, tp_texture *color, tp_texture *zeta);

/* ---- Programs and constants --------------------------------------------------------------- */

/* A .vp .tcp .tep .gp .fp .cp file; the extension says the type. */
TP_API enum tp_result tp_program_from_file(tp_device *device, const char *path,
                                           tp_program **program);
/* name appears in messages. */
TP_API enum tp_result tp_program_from_text(tp_device *device, enum tp_stage type, const char *text,
                                           const char *name, tp_program **program);
/* A program of machine code, placed at byte address `base` (multiple of 8) of code space.
 * Directives of program files (may be "") give facts that are not in the code. */
TP_API enum tp_result tp_program_from_words(tp_device *device, enum tp_stage type,
                                            const uint32_t *words, size_t count, uint32_t base,
                                            const char *directives, const char *name,
                                            tp_program **program);
TP_API void tp_program_destroy(tp_program *program);
/* Binds a program with its header (result map, interpolants, ...). The program's type chooses
 * the stage. NULL unbinds the stage. */
TP_API enum tp_result tp_bind_program(tp_context *context, enum tp_stage stage,
                                      tp_program *program);

/* Binds c<slot>[] of a stage: size bytes (up to 65536, rounded up to 256) of a buffer from
 * offset (multiple of 256). NULL unbinds. */
TP_API enum tp_result tp_bind_constants(tp_context *context, enum tp_stage stage, unsigned slot,
                                        tp_buffer *buffer, uint64_t offset, uint32_t size);
/* Helper: the context keeps a copy of these bytes as c<slot>[]; for small, often changing
 * values. */
TP_API enum tp_result tp_set_constants(tp_context *context, enum tp_stage stage, unsigned slot,
                                       const void *data, uint32_t size);

/* ---- Vertices ----------------------------------------------------------------------------- */

enum tp_attribute_type {
    TP_FLOAT32,
    TP_FLOAT16,
    TP_UNORM8,
    TP_SNORM8,
    TP_UNORM16,
    TP_SNORM16,
    TP_UINT8,
    TP_SINT8,
    TP_UINT16,
    TP_SINT16,
    TP_UINT32,
    TP_SINT32,
    TP_USCALED8,
    TP_SSCALED8,
    TP_USCALED16,
    TP_SSCALED16,
    TP_UNORM10_10_10_2,
    TP_SNORM10_10_10_2,
    TP_UINT10_10_10_2,
    TP_SINT10_10_10_2,
    TP_USCALED10_10_10_2,
    TP_SSCALED10_10_10_2,
    TP_FLOAT11_11_10, /* 3 components */
    TP_USCALED32,
    TP_SSCALED32,
    TP_UNORM32,
    TP_SNORM32,
    TP_BGRA = 0x100 /* or'ed to a type: exchanges the first and third component */
};

/* Vertex array i (0..15): from offset in buffer, stride bytes apart. divisor 0: one step a
 * vertex; n: one step every n instances. NULL unbinds; attributes of the array then read 0. */
TP_API enum tp_result tp_bind_vertices(tp_context *context, unsigned array, tp_buffer *buffer,
                                       uint64_t offset, uint32_t stride, uint32_t divisor);
/* Attribute i (0..15): `components` (1..4) values at `offset` bytes into a vertex of `array`.
 * Missing components read 0, 0, 0, 1. */
TP_API enum tp_result tp_set_attribute(tp_context *context, unsigned attribute, unsigned array,
                                       uint32_t offset, unsigned components,
                                       enum tp_attribute_type type);
/* Gives attribute i the same value for all vertices. */
TP_API enum tp_result tp_set_attribute_constant(tp_context *context, unsigned attribute,
                                                const float value[4]);

enum tp_primitive { /* the numbers of OpenGL and of the hardware */
                    TP_POINTS,
                    TP_LINES,
                    TP_LINE_LOOP,
                    TP_LINE_STRIP,
                    TP_TRIANGLES,
                    TP_TRIANGLE_STRIP,
                    TP_TRIANGLE_FAN,
                    TP_QUADS,
                    TP_QUAD_STRIP,
                    TP_POLYGON,
                    TP_LINES_ADJACENCY,
                    TP_LINE_STRIP_ADJACENCY,
                    TP_TRIANGLES_ADJACENCY,
                    TP_TRIANGLE_STRIP_ADJACENCY,
                    TP_PATCHES /* of tp_set_tessellation's vertices, for evaluation programs */
};
enum tp_index_type { TP_INDEX_U8, TP_INDEX_U16, TP_INDEX_U32 };

struct tp_draw_info {
    enum tp_primitive primitive;
    uint32_t first, count; /* vertices, or indices from the start of the index range */
    uint32_t instances;    /* 0 means 1 */
    uint32_t first_instance;
    /* indexed when index_buffer is set */
    tp_buffer *index_buffer;
    uint64_t index_offset; /* bytes */
    enum tp_index_type index_type;
    int32_t base_vertex; /* added to every index */
    bool restart;        /* restart_index begins a new primitive */
    uint32_t restart_index;
};
TP_API enum tp_result tp_draw(tp_context *context, const struct tp_draw_info *info);
/* Draws with count, instances, first, base vertex (indexed draws only) and first instance from
 * four or five words at offset in a buffer, after earlier work on it; the other fields are those
 * of info. */
TP_API enum tp_result tp_draw_indirect(tp_context *context, const struct tp_draw_info *info,
                                       tp_buffer *buffer, uint64_t offset);
/* Draws vertices without buffers. A vertex has `words` words of 32 bits: the attributes that are
 * not constant, in the order of their numbers and in the formats of tp_set_attribute, whose
 * arrays and offsets are ignored. edge_flags: NULL, or for each vertex whether the edge that
 * begins there is an edge of the polygon (for outlines of TP_TRIANGLES, TP_QUADS, TP_POLYGON),
 * in place of tp_set_edge_flag. */
TP_API enum tp_result tp_draw_inline(tp_context *context, enum tp_primitive primitive,
                                     const void *vertices, uint32_t words, uint32_t count,
                                     const bool *edge_flags);
/* Helper: count vertices from first. */
TP_API enum tp_result tp_draw_arrays(tp_context *context, enum tp_primitive primitive,
                                     uint32_t first, uint32_t count);

/* ---- State -------------------------------------------------------------------------------- */

/* A zeroed struct is the state of a new context. A zero field of a struct whose feature is on
 * has the least effect: functions are TP_ALWAYS, stencil operations TP_KEEP, factors of blending
 * one (source) and zero (destination), equations TP_ADD, logic operations TP_LOGIC_COPY, widths
 * and sizes 1, masks nothing. */

enum tp_func {
    TP_NEVER = 0x200,
    TP_LESS,
    TP_EQUAL,
    TP_LEQUAL,
    TP_GREATER,
    TP_NOTEQUAL,
    TP_GEQUAL,
    TP_ALWAYS
};
enum tp_stencil_op {
    TP_KEEP = 0,
    TP_ZERO = 1,
    TP_REPLACE = 0x1e01,
    TP_INCR = 0x1e02,
    TP_DECR = 0x1e03,
    TP_INVERT = 0x150a,
    TP_INCR_WRAP = 0x8507,
    TP_DECR_WRAP = 0x8508
};
enum tp_factor {
    TP_FACTOR_ONE = 1,
    TP_FACTOR_ZERO = 2,
    TP_SRC_COLOR = 0x300,
    TP_ONE_MINUS_SRC_COLOR,
    TP_SRC_ALPHA,
    TP_ONE_MINUS_SRC_ALPHA,
    TP_DST_ALPHA,
    TP_ONE_MINUS_DST_ALPHA,
    TP_DST_COLOR,
    TP_ONE_MINUS_DST_COLOR,
    TP_SRC_ALPHA_SATURATE,
    TP_CONSTANT_COLOR = 0x8001,
    TP_ONE_MINUS_CONSTANT_COLOR,
    TP_CONSTANT_ALPHA,
    TP_ONE_MINUS_CONSTANT_ALPHA,
    TP_SRC1_ALPHA = 0x8589,
    TP_SRC1_COLOR = 0x88f9,
    TP_ONE_MINUS_SRC1_COLOR,
    TP_ONE_MINUS_SRC1_ALPHA
};
enum tp_equation { TP_ADD = 0x8006, TP_MIN, TP_MAX, TP_SUBTRACT = 0x800a, TP_REVERSE_SUBTRACT };

/* Viewport transform: window = ndc * scale + translate, for x, y, z. index 0..15. */
TP_API enum tp_result tp_set_viewport_transform(tp_context *context, unsigned index,
                                                const float scale[3], const float translate[3]);
/* Takes positions as window coordinates: x, y in pixels, z in 0..1, w ignored. Then viewport
 * transforms and clipping by the view volume are off. */
TP_API enum tp_result tp_set_window_coordinates(tp_context *context, bool on);
/* Helper: rectangle in pixels; ndc +1 in y is its TOP; depth 0..1. */
TP_API enum tp_result tp_set_viewport(tp_context *context, unsigned index, float x, float y,
                                      float width, float height);
TP_API enum tp_result tp_set_depth_range(tp_context *context, unsigned index, float near_value,
                                         float far_value);
TP_API enum tp_result tp_set_scissor(tp_context *context, unsigned index, uint32_t x, uint32_t y,
                                     uint32_t width, uint32_t height);

struct tp_depth_state { /* a test or write without a zeta target makes the draw fail */
    bool test, write;
    enum tp_func func;
    bool bounds_test;
    float bounds_min, bounds_max;
};
struct tp_stencil_face {
    enum tp_func func;
    enum tp_stencil_op fail, depth_fail, pass;
    uint8_t ref, read_mask, write_mask;
};
struct tp_stencil_state {
    bool test, two_sided;
    struct tp_stencil_face front, back;
};
struct tp_blend_target {
    bool enable;
    enum tp_equation equation_rgb, equation_alpha;
    enum tp_factor src_rgb, dst_rgb, src_alpha, dst_alpha;
};
enum tp_polygon_mode { TP_POLYGON_FILL, TP_POLYGON_LINE, TP_POLYGON_POINT };
struct tp_raster_state {
    bool cull_front, cull_back;
    bool front_clockwise; /* default: counter-clockwise on the screen is front */
    enum tp_polygon_mode polygon_front, polygon_back;
    bool provoking_first;         /* flat inputs get the first vertex' value, else the last one's */
    float line_width, point_size; /* pixels */
    bool point_sprite;            /* point coordinates are 0..1 over the point */
    bool offset_fill, offset_line, offset_point;
    float offset_factor, offset_units, offset_clamp;
    bool depth_clamp;        /* instead of near and far clipping */
    bool discard;            /* no rasterization at all */
    bool multisample_off;    /* all samples at the pixel centre */
    uint32_t clip_distances; /* bit i: clip distance i is on, i = 0..7 */
    uint32_t cull_distances; /* bit i: clip distance i removes whole primitives */
    bool sprite_lower_left;  /* point coordinates grow upward */
    bool center_integer;     /* pixel centres at whole numbers (Direct3D 9) */
    bool near_at_zero;       /* clip space z from 0 (Direct3D) instead of -w */
    bool flat_colors;        /* colour slots get the provoking vertex' values */
    /* Depth and stencil are tested and written before the fragment program, whatever it does:
     * discarded fragments have written them, an exported depth is not used, and fragments that fail
     * write no memory. Otherwise a program that does one of these is tested after it. */
    bool early_tests;
};
TP_API enum tp_result tp_set_depth(tp_context *context, const struct tp_depth_state *state);
TP_API enum tp_result tp_set_stencil(tp_context *context, const struct tp_stencil_state *state);
TP_API enum tp_result tp_set_raster(tp_context *context, const struct tp_raster_state *state);
/* Blending of colour target i (0..7), or of all with i = TP_ALL_TARGETS. */
#define TP_ALL_TARGETS 0xffffffffu
TP_API enum tp_result tp_set_blend(tp_context *context, unsigned target,
                                   const struct tp_blend_target *state);
TP_API enum tp_result tp_set_blend_color(tp_context *context, const float color[4]);
/* Components that are written: bit 0 R .. bit 3 A. A new context writes all. */
TP_API enum tp_result tp_set_color_mask(tp_context *context, unsigned target, unsigned mask);

enum tp_domain { TP_ISOLINES, TP_DOMAIN_TRIANGLE, TP_DOMAIN_QUAD };
enum tp_spacing { TP_SPACING_EQUAL, TP_SPACING_ODD, TP_SPACING_EVEN };
/* Patches and their division between the control and the evaluation program. */
struct tp_tessellation_state {
    uint32_t vertices; /* of a patch, 1..32 */
    enum tp_domain domain;
    enum tp_spacing spacing;  /* equal, or fractional */
    bool points;              /* the primitives are points, not lines or triangles */
    bool clockwise;           /* triangles in the (u, v) plane */
    float outer[4], inner[2]; /* levels, 0..64, if there is no control program */
};
TP_API enum tp_result tp_set_tessellation(tp_context *context,
                                          const struct tp_tessellation_state *state);

enum tp_logic_op {
    TP_LOGIC_CLEAR = 0x1500,
    TP_LOGIC_AND,
    TP_LOGIC_AND_REVERSE,
    TP_LOGIC_COPY,
    TP_LOGIC_AND_INVERTED,
    TP_LOGIC_NOOP,
    TP_LOGIC_XOR,
    TP_LOGIC_OR,
    TP_LOGIC_NOR,
    TP_LOGIC_EQUIV,
    TP_LOGIC_INVERT,
    TP_LOGIC_OR_REVERSE,
    TP_LOGIC_COPY_INVERTED,
    TP_LOGIC_OR_INVERTED,
    TP_LOGIC_NAND,
    TP_LOGIC_SET
};
struct tp_output_state {
    bool logic_op; /* in place of blending; not for float targets */
    enum tp_logic_op op;
    bool alpha_test; /* compares target 0's alpha with alpha_ref */
    enum tp_func alpha_func;
    float alpha_ref;
    uint32_t clamp; /* bit i: output i is clamped to 0..1 before all tests */
};
TP_API enum tp_result tp_set_output(tp_context *context, const struct tp_output_state *state);

struct tp_sample_state { /* for multisample targets */
    bool alpha_to_coverage, alpha_to_one;
    bool per_sample; /* the fragment program runs once for each sample */
    /* The fragment program exports a sample mask, in the register before the depth (or the
     * last). */
    bool program_mask;
    uint32_t masked_out; /* bit i: sample i is not written */
};
TP_API enum tp_result tp_set_samples(tp_context *context, const struct tp_sample_state *state);

struct tp_pattern_state {
    bool smooth_points, smooth_lines,
        smooth_polygons; /* coverage into alpha; without multisampling */
    bool line_stipple;
    uint16_t line_pattern; /* from bit 0; 0 draws nothing */
    uint16_t line_factor;  /* steps for each bit, 1..256; 0 = 1 */
    bool polygon_stipple;
    uint32_t polygon_pattern[32]; /* row y & 31; byte x >> 3 & 3, its high bit first */
};
TP_API enum tp_result tp_set_patterns(tp_context *context, const struct tp_pattern_state *state);

/* Up to 8 rectangles of the window; draws only inside any of them, or outside all. */
enum tp_windows { TP_WINDOWS_OFF, TP_WINDOWS_INSIDE, TP_WINDOWS_OUTSIDE };
TP_API enum tp_result tp_set_window_rectangles(tp_context *context, enum tp_windows mode,
                                               unsigned count, const struct tp_rect *rects);
/* Edge flag of all vertices of later draws: false hides lines and points of polygons that are
 * drawn as outlines (separate triangles, quads, polygons). True in a new context. */
TP_API enum tp_result tp_set_edge_flag(tp_context *context, bool flag);

enum { TP_CLEAR_COLOR = 1, TP_CLEAR_DEPTH = 2, TP_CLEAR_STENCIL = 4 };
/* Clears whole targets (all colour targets, all layers), ignoring scissor and masks. */
TP_API enum tp_result tp_clear(tp_context *context, unsigned what, const float color[4],
                               float depth, uint8_t stencil);

/* Clears a part of a target. what: TP_CLEAR_* bits. A mask, number of layers or rect of 0 means
 * all. Integer targets take integers. */
struct tp_clear_info {
    unsigned what;
    unsigned target;     /* colour target */
    unsigned color_mask; /* components, bit 0 R .. 3 A */
    uint32_t first_layer, layers;
    const struct tp_rect *rect;
    union {
        float f[4];
        int32_t i[4];
        uint32_t u[4];
    } color;
    float depth;
    uint8_t stencil, stencil_mask; /* mask: bits that are written */
};
TP_API enum tp_result tp_clear_part(tp_context *context, const struct tp_clear_info *info);

/* ---- Transform feedback ------------------------------------------------------------------- */

struct tp_stream_info {
    bool interleaved; /* all into buffer 0, one vertex every `stride` bytes */
    uint32_t stride;
    unsigned count; /* separate: buffers; interleaved: 1 */
    struct {
        tp_buffer *buffer;
        uint64_t offset;
        uint32_t size;  /* limit of bytes; 0 = to the end of the buffer */
        uint32_t words; /* separate: words of a vertex */
    } stream[4];
    /* For each slot of the last program's result map: 0 = not written, or 0x80 | destination
     * word, of the vertex (interleaved), or 4 * stream + word (separate). */
    uint8_t map[72];
};
/* Writes the primitives of later draws to buffers, too, while there is room for whole ones. Each
 * call starts again at the beginning of the buffers. NULL ends it. */
TP_API enum tp_result tp_set_streams(tp_context *context, const struct tp_stream_info *info);
/* Switches writing off and on; it continues at the same place. */
TP_API enum tp_result tp_pause_streams(tp_context *context, bool paused);
/* Bytes written to a stream so far. */
TP_API enum tp_result tp_get_stream_bytes(tp_context *context, unsigned stream, uint32_t *bytes);
/* Draws as many vertices as a stream holds, of `stride` bytes each. */
TP_API enum tp_result tp_draw_stream(tp_context *context, enum tp_primitive primitive,
                                     unsigned stream, uint32_t stride);

/* ---- Compute ------------------------------------------------------------------------------ */

/* g<slot>[] (0..15): linear bytes of a buffer; NULL unbinds. */
TP_API enum tp_result tp_bind_global(tp_context *context, unsigned slot, tp_buffer *buffer,
                                     uint64_t offset, uint64_t size);
/* Runs the bound compute program over grid x, y blocks of block x, y, z threads (at most 512 in
 * all); params: words placed at s[0x10] of every block. */
TP_API enum tp_result tp_dispatch(tp_context *context, const uint32_t grid[2],
                                  const uint32_t block[3], const uint32_t *params,
                                  unsigned param_count);
/* As tp_dispatch, with a grid of three dimensions and blocks of up to 1,024 threads, on chips from
 * TP_CHIP_GF100 on; params: words placed at c0[0x20] (c0[0x140] on TP_CHIP_GK104). */
TP_API enum tp_result tp_dispatch_3d(tp_context *context, const uint32_t grid[3],
                                     const uint32_t block[3], const uint32_t *params,
                                     unsigned param_count);
/* Cancels the grid that another thread runs in this context. The grid ends after at most 65536
 * more instructions of each warp; its writes so far stay in memory, and its tp_dispatch returns
 * TP_ERROR_CANCELLED. Without a running grid the call has no effect. */
TP_API void tp_cancel(tp_context *context);

/* ---- Waiting, queries, statistics --------------------------------------------------------- */

/* Waits for all work. TP_ERROR_TRAP if a program failed since the last call; the message names the
 * program, the address and the hardware's name of the error. */
TP_API enum tp_result tp_finish(tp_context *context);

/* Samples that passed the zeta tests between begin and end; end waits. */
TP_API enum tp_result tp_query_begin(tp_context *context);
TP_API enum tp_result tp_query_end(tp_context *context, uint64_t *samples);

/* The hardware's counters. They count from the creation of the context; the difference of two
 * values is a query. Samples are counted between tp_query_begin and tp_query_end, or while
 * tp_count_samples is on. */
enum tp_counter {
    TP_COUNT_SAMPLES,
    TP_COUNT_PRIMITIVES_GENERATED,
    TP_COUNT_PRIMITIVES_STREAMED,
    TP_COUNT_VERTICES,
    TP_COUNT_PRIMITIVES,
    TP_COUNT_VERTEX_RUNS,
    TP_COUNT_GEOMETRY_RUNS,
    TP_COUNT_GEOMETRY_PRIMITIVES,
    TP_COUNT_CLIP_IN,
    TP_COUNT_CLIP_OUT,
    TP_COUNT_FRAGMENTS
};
TP_API enum tp_result tp_count_samples(tp_context *context, bool on);
TP_API enum tp_result tp_get_counter(tp_context *context, enum tp_counter counter, uint64_t *value);
/* Writes a counter to a buffer, 16 bytes at offset (multiple of 16) in the hardware's form: a
 * word of 0, the low word of the value, and the time in nanoseconds. */
TP_API enum tp_result tp_write_counter(tp_context *context, enum tp_counter counter,
                                       tp_buffer *buffer, uint64_t offset);
/* Conditional rendering: draws and clears have an effect only if the report at offset (multiple
 * of 16) in a buffer is not zero, or equals (differs from) the report after it. */
enum tp_condition { TP_IF_ALWAYS, TP_IF_NOT_ZERO, TP_IF_EQUAL, TP_IF_DIFFERENT, TP_IF_NEVER };
TP_API enum tp_result tp_set_condition(tp_context *context, enum tp_condition condition,
                                       tp_buffer *buffer, uint64_t offset);

struct tp_statistics {                    /* since tp_context_create or tp_reset_statistics */
    uint64_t draws, vertices, primitives; /* primitives: after clipping */
    uint64_t vertex_warps, geometry_warps, fragment_warps, compute_warps;
    uint64_t fragments; /* shaded, helper pixels not counted */
    uint64_t samples_passed;
    uint64_t instructions, lane_instructions;
    uint64_t bad_reads, bad_writes; /* out-of-range accesses by programs, per lane */
    /* of the whole device since its creation */
    uint64_t memory_now, memory_peak;                /* bytes of GPU memory allocated */
    uint64_t programs_compiled, compile_nanoseconds; /* as native code; processor time that took */
};
TP_API enum tp_result tp_get_statistics(tp_context *context, struct tp_statistics *statistics);
TP_API void tp_reset_statistics(tp_context *context);

/* Time by stages of the pipeline, summed over all threads of the context. */
enum { TP_PROFILE_STAGES = 32 };
struct tp_profile_stage {
    const char *name; /* "fetch", "vertex", "setup", "cover", "shade" ...; "idle": in none */
    uint64_t nanoseconds;
    uint64_t count; /* number of times that the stage began */
};
struct tp_profile {
    uint64_t nanoseconds; /* by the clock; the stages' sum is this times threads */
    uint32_t threads, stage_count;
    struct tp_profile_stage stage[TP_PROFILE_STAGES];
};
/* Finishes queued work and returns the times since the last call. The first call returns zeros
 * and starts the measurement, which makes drawing slightly slower. */
TP_API enum tp_result tp_get_profile(tp_context *context, struct tp_profile *profile);

#ifdef __cplusplus
}
#endif

#endif
