/* teslapipe: a software GPU of NVIDIA's Tesla generation (G80 to GT21x) and of the next one, Fermi.
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
 * Programs are the chip's machine code, or assembly text in envyas syntax with a few directives
 * (docs/programs.md). State has the granularity of the hardware's 3D class. A function marked
 * "Helper" makes a common case short; it does nothing that other functions cannot do. The debugger
 * has a header of its own, teslapipe_debug.h.
 *
 * Results. A function that can fail returns enum tp_result; tp_message(device) then tells in one
 * line what was wrong and what would be right. A missing argument (NULL) or an object of another
 * device is TP_ERROR_INVALID.
 * Zero. A zeroed field asks for the default, which is harmless and stands beside the field. Fields
 * without a default, such as the size of a texture, have their range beside them.
 * Ownership. The caller destroys the objects that it created, in any order. An object lives on as
 * long as bound state or queued work needs it. A device lives until the last of its contexts,
 * buffers, textures and programs is destroyed. Every destroy function takes NULL.
 * Processes. After fork the child may use the objects that it inherited, on one thread.
 * Threads. Several threads may use a device. A context belongs to one thread at a time, and so do
 * the objects that it uses. Work runs deferred: tp_finish and every read wait for it.
 * Floats. Functions compute in the plain mode (to nearest, with denormals, without traps) and leave
 * the caller's mode as it was. Functions that the library calls, on any thread, run in the plain
 * mode: log of struct tp_device_info, tp_debug_fn. The locale has no effect.
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
    TP_ERROR_CANCELLED, /* tp_cancel ended the work */
};

typedef struct tp_device tp_device;
typedef struct tp_context tp_context;
typedef struct tp_buffer tp_buffer;
typedef struct tp_texture tp_texture;
typedef struct tp_program tp_program;

/* ---- Device ------------------------------------------------------------------------------- */

/* The chips up to TP_CHIP_GT215 are Tesla's: they draw and compute. TP_CHIP_GF100 is a Fermi
 * (sm_20): it draws and computes, too, and has tessellation. TP_CHIP_GK104 (sm_30) and TP_CHIP_G64
 * (the generic 64-bit set) run compute programs only. */
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

/* The arithmetic of programs. EXACT: the chip's bits. FAST: a multiply-add is rounded once, and
 * special functions are short polynomials, as accurate as OpenGL demands (docs/fast.md). In both,
 * the bits are the same for any number of threads, SIMD level and engine. */
enum tp_arithmetic { TP_ARITHMETIC_EXACT, TP_ARITHMETIC_FAST };

struct tp_device_info {
    enum tp_chip chip; /* the chip that programs are for; 0 = TP_CHIP_G80 */
    int threads;       /* threads including the caller, up to 256; 0 = one per CPU */
    const char *simd;  /* "base", "avx2", "avx512"; NULL = the best level of this CPU */
    /* "interp", the interpreter, or "native", which translates programs to machine code at their
     * first run. Both give the same bits. NULL = "native" if this build has it and the system
     * grants executable memory, else "interp". */
    const char *engine;
    /* Bytes of GPU address space, up to 2^40; untouched pages take no memory. 0 = 64 GiB (in 32-bit
     * programs 1 GiB), or less if RLIMIT_AS allows less. */
    uint64_t memory;
    /* Instructions that a warp may execute before it traps with TIMEOUT. 0 = 2^22 in a draw, 2^28
     * in a grid, and then five seconds of processor time; after such a trap in a draw, later warps
     * of the program have no more than 2^22. */
    uint64_t warp_budget;
    /* Receives log lines; level from 0 (errors) to 3 (debug). NULL = errors to stderr. */
    void (*log)(void *self, int level, const char *line);
    void *log_self;
    enum tp_arithmetic arithmetic;
};

/* info NULL: TP_CHIP_GT215, and 0 in all other fields. */
TP_API enum tp_result tp_device_create(const struct tp_device_info *info, tp_device **device);
TP_API void tp_device_destroy(tp_device *device);
/* The message of this thread's last failure, one line without newline; "" if the failure was on
 * another device. device NULL: for failures without a device, such as that of tp_device_create.
 * Valid until the next call. */
TP_API const char *tp_message(const tp_device *device);
TP_API int tp_device_threads(const tp_device *device);
TP_API const char *tp_device_simd(const tp_device *device);
/* "interp" or "native". */
TP_API const char *tp_device_engine(const tp_device *device);

TP_API enum tp_result tp_context_create(tp_device *device, tp_context **context);
TP_API void tp_context_destroy(tp_context *context);

/* ---- Buffers ------------------------------------------------------------------------------ */

/* Makes a linear range of GPU memory of at least 1 byte. data: its bytes; NULL: zeros. */
TP_API enum tp_result tp_buffer_create(tp_device *device, uint64_t size, const void *data,
                                       tp_buffer **buffer);
TP_API void tp_buffer_destroy(tp_buffer *buffer);
TP_API uint64_t tp_buffer_size(const tp_buffer *buffer);
/* The buffer's bytes themselves, for reading and writing; valid until the buffer is destroyed.
 * Waits for queued work. Work that is queued later may use the bytes again: before the next access,
 * call the function again. NULL with a message if the range is not inside the buffer. */
TP_API void *tp_buffer_map(tp_context *context, tp_buffer *buffer, uint64_t offset, uint64_t size);
/* Copies between buffers, after the work queued so far. */
TP_API enum tp_result tp_buffer_copy(tp_context *context, tp_buffer *to, uint64_t to_offset,
                                     tp_buffer *from, uint64_t from_offset, uint64_t size);
TP_API uint64_t tp_buffer_address(const tp_buffer *buffer); /* GPU address */
/* tp_buffer_write and tp_buffer_read copy bytes to and from a buffer, in order with the context's
 * work. TP_ERROR_INVALID if the range is not inside the buffer; nothing is copied then. */
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
    /* The other formats of the hardware, by OpenGL's names. Components from the lowest bits up. */
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
    TP_FORMAT_RGB9E5 /* no target */,
    TP_FORMAT_R32I,
    TP_FORMAT_B5G6R5,
    TP_FORMAT_BGR5A1,
    TP_FORMAT_BGRA4 /* no target */,
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
    /* Blocks of 4x4 texels: only 2D, cubes and arrays of both, not linear. No targets.
     * tp_texture_write takes rows of blocks. */
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
    TP_TEXTURE_CUBE_ARRAY, /* layers: 6 a cube; of Tesla's chips, GT215 alone samples them */
};

/* depth, layers, levels and samples: 0 = 1, but with `mipmaps` levels 0 = the full chain. height of
 * 1D textures: 0 = 1. */
struct tp_texture_info {
    enum tp_texture_kind kind;
    enum tp_format format;
    uint32_t width, height; /* texels, 1..8192; cubes: equal */
    uint32_t depth;         /* 3D: slices, 1..2048 */
    uint32_t layers;        /* arrays, 1..512; cube: fixed 6 */
    uint32_t levels;        /* mip levels */
    uint32_t samples;       /* 1, 2, 4, 8; more than 1: 2D targets only, not for tp_bind_texture */
    bool mipmaps;           /* see levels */
    bool linear;            /* pitch layout, not block-linear; 2D without mipmaps only */
};

TP_API enum tp_result tp_texture_create(tp_device *device, const struct tp_texture_info *info,
                                        tp_texture **texture);
TP_API void tp_texture_destroy(tp_texture *texture);
/* The info given to tp_texture_create, with all defaults filled in. */
TP_API const struct tp_texture_info *tp_texture_get_info(const tp_texture *texture);
/* Makes the texture, as a target, a window into a picture of width x height pixels, up to 32768
 * each. Its texels are then the picture's pixels from (x, y) on; x and y are multiples of 64. Each
 * pixel gets the bits that it has in the whole picture. So a picture larger than a texture, or than
 * memory, can be drawn window by window. tp_set_targets sets viewport and scissor to the picture;
 * all targets need the same window. width 0: the texture is the picture. */
TP_API enum tp_result tp_texture_set_window(tp_texture *texture, uint32_t x, uint32_t y,
                                            uint32_t width, uint32_t height);
/* Copies one level of one layer (cube: face; 3D: slice) from memory. pitch: bytes from row to
 * row. Not for multisample textures. */
TP_API enum tp_result tp_texture_write(tp_context *context, tp_texture *texture, uint32_t level,
                                       uint32_t layer, const void *data, size_t pitch);
/* Copies one level of one layer to memory, in the texture's format. Of a multisample texture each
 * pixel is the mean of its samples; for integers and depth, the first sample. Waits for the
 * context's work. */
TP_API enum tp_result tp_texture_read(tp_context *context, tp_texture *texture, uint32_t level,
                                      uint32_t layer, void *data, size_t pitch);
/* As tp_texture_write and tp_texture_read, for a rectangle of a level; data has only the rows and
 * columns inside the rectangle. Not for compressed formats and multisample textures. */
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
 * and layer the rectangles must not overlap. Compressed formats and multisample textures give
 * TP_ERROR_INVALID, here and in tp_texture_blit. */
struct tp_texture_place {
    tp_texture *texture;
    uint32_t level, layer;
};
TP_API enum tp_result tp_texture_copy(tp_context *context, struct tp_texture_place to, uint32_t x,
                                      uint32_t y, struct tp_texture_place from,
                                      const struct tp_rect *rect);
/* Copies with scaling (nearest texels, or bilinear if `linear`) and conversion between colour
 * formats. Beyond an edge, the edge's texels count. Depth, stencil and integers cannot be filtered.
 * Depth and stencil need the same format on both sides; integers can become other integers only.
 * Within one level and layer the rectangles must not overlap. */
TP_API enum tp_result tp_texture_blit(tp_context *context, struct tp_texture_place to,
                                      const struct tp_rect *to_rect, struct tp_texture_place from,
                                      const struct tp_rect *from_rect, bool linear);
/* The GPU address of the texels, and the descriptor (TIC words) of levels first_level to
 * last_level, for tp_bind_descriptors. Change the words for views with other levels, swizzles or
 * formats. */
TP_API uint64_t tp_texture_address(const tp_texture *texture);
TP_API enum tp_result tp_texture_describe(const tp_texture *texture, uint32_t first_level,
                                          uint32_t last_level, uint32_t tic[8]);
/* Helper: reads level 0 of layer 0 as rows of RGBA8, width * 4 bytes each; components are clamped
 * to 0..1. For colour formats that are not compressed. */
TP_API enum tp_result tp_texture_read_rgba8(tp_context *context, tp_texture *texture, void *data);
/* Helper: fills levels 1.. of all layers from level 0 with a box filter of 2x2 texels, 3D: 2x2x2.
 * For colour formats that are not compressed; integers are not averaged, the first texel stays. */
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
    unsigned max_anisotropy; /* samples along the longer side of a footprint, up to 16; 0 = 1 */
};

enum tp_stage {
    TP_VERTEX,
    TP_GEOMETRY,
    TP_FRAGMENT,
    TP_COMPUTE,
    TP_TESS_CONTROL,   /* on TP_CHIP_GF100 only */
    TP_TESS_EVALUATION /* on TP_CHIP_GF100 only */
};

/* Binds a texture and a sampler to $t<slot> and $s<slot> (0..15). texture NULL: unbinds. sampler
 * NULL: nearest, repeat. */
TP_API enum tp_result tp_bind_texture(tp_context *context, enum tp_stage stage, unsigned slot,
                                      tp_texture *texture, const struct tp_sampler_info *sampler);
/* Binds a buffer as a one-dimensional texture of `count` texels (at most 2^30 - 1, in less than
 * 2 GiB) from `offset` on (a multiple of 256). Programs name texels by numbers. NULL unbinds. */
TP_API enum tp_result tp_bind_buffer_texture(tp_context *context, enum tp_stage stage,
                                             unsigned slot, tp_buffer *buffer, uint64_t offset,
                                             enum tp_format format, uint32_t count);
/* Sets whether cube textures are filtered across the edges of faces. Off in a new context: then
 * wrap modes apply on each face. */
TP_API enum tp_result tp_set_seamless_cubes(tp_context *context, bool seamless);
/* Binds raw TIC and TSC descriptor words, as a driver writes them. NULL unbinds. The binding keeps
 * no texture or buffer alive: the caller does, until the work that uses the words is done. */
TP_API enum tp_result tp_bind_descriptors(tp_context *context, enum tp_stage stage, unsigned slot,
                                          const uint32_t tic[8], const uint32_t tsc[8]);

struct tp_target {
    tp_texture *texture; /* NULL: none */
    uint32_t level, layer;
    bool layered; /* binds all layers (layer must be 0); programs choose the layer */
};
/* Sets all targets, up to 8 colours; viewport 0 (with depth range 0..1) and scissor 0 get their
 * whole size. If sizes or numbers of layers differ, the smallest one counts; numbers of samples
 * must be equal. Layered colour targets are all 3D textures, or none is; a 3D texture is no zeta
 * target. A draw that is rasterized needs at least one target. */
TP_API enum tp_result tp_set_targets(tp_context *context, unsigned color_count,
                                     const struct tp_target *color, const struct tp_target *zeta);
/* Helper: sets level 0 and layer 0 of a colour texture and of a zeta texture; either may be
 * NULL. */
TP_API enum tp_result tp_set_target(tp_context *context, tp_texture *color, tp_texture *zeta);

/* ---- Programs and constants --------------------------------------------------------------- */

/* Makes a program of a file. The extension names the stage: .vp .tcp .tep .gp .fp .cp. */
TP_API enum tp_result tp_program_from_file(tp_device *device, const char *path,
                                           tp_program **program);
/* Makes a program of assembly text. name: for messages; NULL: "program". */
TP_API enum tp_result tp_program_from_text(tp_device *device, enum tp_stage type, const char *text,
                                           const char *name, tp_program **program);
/* Makes a program of `count` words of machine code at byte address `base` (a multiple of 8) of the
 * 16 MiB of code space. directives: those of program files, for facts that are not in the code; may
 * be "". */
TP_API enum tp_result tp_program_from_words(tp_device *device, enum tp_stage type,
                                            const uint32_t *words, size_t count, uint32_t base,
                                            const char *directives, const char *name,
                                            tp_program **program);
TP_API void tp_program_destroy(tp_program *program);
/* Binds a program with its header (result map, interpolants, ...) to the stage that it was made
 * for. NULL unbinds `stage`. */
TP_API enum tp_result tp_bind_program(tp_context *context, enum tp_stage stage,
                                      tp_program *program);

/* Binds c<slot>[] (0..15) of a stage: `size` bytes (up to 65536; rounded up to a multiple of 256)
 * of a buffer from `offset` on (a multiple of 256). NULL unbinds. */
TP_API enum tp_result tp_bind_constants(tp_context *context, enum tp_stage stage, unsigned slot,
                                        tp_buffer *buffer, uint64_t offset, uint32_t size);
/* Helper: sets c<slot>[] to a copy of `size` bytes, 1 to 65536. For constants that are small or
 * change often. */
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
    TP_BGRA = 0x100 /* or'ed to a type: exchanges the first and the third component */
};

/* Binds vertex array 0..15 to a buffer. From `offset` on, an element begins every `stride` bytes.
 * divisor: 0 = an element for each vertex; n = an element for every n instances. NULL unbinds;
 * attributes of the array then read 0. */
TP_API enum tp_result tp_bind_vertices(tp_context *context, unsigned array, tp_buffer *buffer,
                                       uint64_t offset, uint32_t stride, uint32_t divisor);
/* Makes attribute 0..15 read `components` (1..4) values at `offset` (0..65535) bytes into an
 * element of `array`. Types with packed components need 4 components (TP_FLOAT11_11_10: 3). Missing
 * components read 0, 0, 0, 1. */
TP_API enum tp_result tp_set_attribute(tp_context *context, unsigned attribute, unsigned array,
                                       uint32_t offset, unsigned components,
                                       enum tp_attribute_type type);
/* Gives an attribute the same value for all vertices, in place of an array. */
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
                    TP_PATCHES /* tp_set_tessellation sets the number of their vertices */
};
enum tp_index_type { TP_INDEX_U8, TP_INDEX_U16, TP_INDEX_U32 };

struct tp_draw_info {
    enum tp_primitive primitive;
    uint32_t first, count; /* vertices; of indexed draws, indices from index_offset on */
    uint32_t instances;    /* 0 = 1 */
    uint32_t first_instance;
    tp_buffer *index_buffer; /* NULL: the draw is not indexed */
    uint64_t index_offset;   /* bytes */
    enum tp_index_type index_type;
    int32_t base_vertex; /* added to every index */
    bool restart;        /* restart_index begins a new primitive */
    uint32_t restart_index;
};
TP_API enum tp_result tp_draw(tp_context *context, const struct tp_draw_info *info);
/* Draws with fields from a buffer, after earlier work on the buffer. At `offset` are words: count,
 * instances, first, base vertex (indexed draws only) and first instance. count or instances 0 draws
 * nothing. The other fields are those of info. */
TP_API enum tp_result tp_draw_indirect(tp_context *context, const struct tp_draw_info *info,
                                       tp_buffer *buffer, uint64_t offset);
/* Draws vertices without buffers. A vertex has `words` words of 32 bits: the attributes that are
 * not constant, in the order of their numbers and in the formats of tp_set_attribute, each padded
 * to whole words. The arrays and offsets of tp_set_attribute are ignored. edge_flags: for each
 * vertex whether the edge that begins there is an edge of the polygon (for outlines of
 * TP_TRIANGLES, TP_QUADS, TP_POLYGON); NULL: the flag of tp_set_edge_flag. */
TP_API enum tp_result tp_draw_inline(tp_context *context, enum tp_primitive primitive,
                                     const void *vertices, uint32_t words, uint32_t count,
                                     const bool *edge_flags);
/* Helper: draws `count` vertices from `first` on. */
TP_API enum tp_result tp_draw_arrays(tp_context *context, enum tp_primitive primitive,
                                     uint32_t first, uint32_t count);

/* ---- State -------------------------------------------------------------------------------- */

/* A zeroed struct sets the state of a new context, except for struct tp_tessellation_state. If a
 * feature is on, its zero fields have the least effect: functions are TP_ALWAYS, stencil operations
 * TP_KEEP, factors of blending one (source) and zero (destination), equations TP_ADD, logic
 * operations TP_LOGIC_COPY, widths and sizes 1; masks of stencils are empty. */

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

/* Sets a viewport's transform: window = ndc * scale + translate, for x, y, z. index: 0..15. */
TP_API enum tp_result tp_set_viewport_transform(tp_context *context, unsigned index,
                                                const float scale[3], const float translate[3]);
/* on: positions are window coordinates: x, y in pixels, z in 0..1, w ignored. Viewport transforms
 * and clipping by the view volume are then off. */
TP_API enum tp_result tp_set_window_coordinates(tp_context *context, bool on);
/* Helper: sets transform and depth range (0..1) of a viewport to a rectangle in pixels. y = +1 in
 * ndc is the TOP of the rectangle. */
TP_API enum tp_result tp_set_viewport(tp_context *context, unsigned index, float x, float y,
                                      float width, float height);
TP_API enum tp_result tp_set_depth_range(tp_context *context, unsigned index, float near_value,
                                         float far_value);
TP_API enum tp_result tp_set_scissor(tp_context *context, unsigned index, uint32_t x, uint32_t y,
                                     uint32_t width, uint32_t height);

struct tp_depth_state { /* a draw with a test or write, but without a zeta target, fails */
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
    bool provoking_first;         /* flat inputs get the first vertex' value; else the last's */
    float line_width, point_size; /* pixels */
    bool point_sprite;            /* point coordinates are 0..1 over the point */
    bool offset_fill, offset_line, offset_point;
    float offset_factor, offset_units, offset_clamp;
    bool depth_clamp;        /* limits z to the depth range instead of near and far clipping */
    bool discard;            /* no rasterization: primitives end after transform feedback */
    bool multisample_off;    /* all samples are covered as the pixel centre is */
    uint32_t clip_distances; /* bit i: clip distance i is on, i = 0..7 */
    uint32_t cull_distances; /* bit i: clip distance i, if on, removes whole primitives */
    bool sprite_lower_left;  /* point coordinates grow upward */
    bool center_integer;     /* pixel centres at whole numbers (Direct3D 9) */
    bool near_at_zero;       /* clip space z from 0 (Direct3D) instead of -w */
    bool flat_colors;        /* colour slots get the provoking vertex' values */
    /* Depth and stencil are tested and written before the fragment program, whatever the program
     * does: a discarded fragment has written them, an exported depth is not used, and a fragment
     * that fails writes no memory. Otherwise zeta is tested after a program that exports a depth,
     * writes memory, or discards while depth or stencil are written. */
    bool early_tests;
};
TP_API enum tp_result tp_set_depth(tp_context *context, const struct tp_depth_state *state);
TP_API enum tp_result tp_set_stencil(tp_context *context, const struct tp_stencil_state *state);
TP_API enum tp_result tp_set_raster(tp_context *context, const struct tp_raster_state *state);
/* Sets the blending of colour target 0..7, or of all targets with TP_ALL_TARGETS. */
#define TP_ALL_TARGETS 0xffffffffu
TP_API enum tp_result tp_set_blend(tp_context *context, unsigned target,
                                   const struct tp_blend_target *state);
TP_API enum tp_result tp_set_blend_color(tp_context *context, const float color[4]);
/* Sets the components of a target that are written: bit 0 R .. bit 3 A. A new context writes
 * all. */
TP_API enum tp_result tp_set_color_mask(tp_context *context, unsigned target, unsigned mask);

enum tp_domain { TP_ISOLINES, TP_DOMAIN_TRIANGLE, TP_DOMAIN_QUAD };
enum tp_spacing { TP_SPACING_EQUAL, TP_SPACING_ODD, TP_SPACING_EVEN };
/* Patches, and how the tessellator divides them. */
struct tp_tessellation_state {
    uint32_t vertices; /* of a patch, 1..32; no default */
    enum tp_domain domain;
    enum tp_spacing spacing;  /* equal, or fractional (odd, even) */
    bool points;              /* the primitives are points, not lines or triangles */
    bool clockwise;           /* the triangles' order in the (u, v) plane */
    float outer[4], inner[2]; /* levels, 0..64; used if there is no control program */
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
    bool alpha_test; /* compares the alpha of output 0 with alpha_ref */
    enum tp_func alpha_func;
    float alpha_ref;
    uint32_t clamp; /* bit i: output i is clamped to 0..1 before all tests */
};
TP_API enum tp_result tp_set_output(tp_context *context, const struct tp_output_state *state);

struct tp_sample_state { /* for multisample targets */
    bool alpha_to_coverage, alpha_to_one;
    bool per_sample; /* the fragment program runs once for each sample */
    /* The fragment program exports a sample mask, in the register before that of the depth, or in
     * its last register. */
    bool program_mask;
    uint32_t masked_out; /* bit i: sample i is not written */
};
TP_API enum tp_result tp_set_samples(tp_context *context, const struct tp_sample_state *state);

struct tp_pattern_state {
    bool smooth_points, smooth_lines,
        smooth_polygons; /* alpha is multiplied by coverage; without multisampling only */
    bool line_stipple;
    uint16_t line_pattern; /* from bit 0; 0 draws nothing */
    uint16_t line_factor;  /* steps for each bit, 1..256; 0 = 1 */
    bool polygon_stipple;
    uint32_t polygon_pattern[32]; /* row y & 31; byte x >> 3 & 3, its high bit first */
};
TP_API enum tp_result tp_set_patterns(tp_context *context, const struct tp_pattern_state *state);

/* Sets up to 8 rectangles of the window. Draws then reach only pixels inside one of them, or only
 * pixels outside of all. */
enum tp_windows { TP_WINDOWS_OFF, TP_WINDOWS_INSIDE, TP_WINDOWS_OUTSIDE };
TP_API enum tp_result tp_set_window_rectangles(tp_context *context, enum tp_windows mode,
                                               unsigned count, const struct tp_rect *rects);
/* Sets the edge flag of all vertices of later draws. False hides the lines and points of separate
 * triangles, quads and polygons that are drawn as outlines. True in a new context. */
TP_API enum tp_result tp_set_edge_flag(tp_context *context, bool flag);

enum { TP_CLEAR_COLOR = 1, TP_CLEAR_DEPTH = 2, TP_CLEAR_STENCIL = 4 };
/* Clears whole targets: all colour targets with TP_CLEAR_COLOR, all layers that are bound. Ignores
 * scissors and masks. color NULL: all 0. Integer targets get the colour's integer parts. */
TP_API enum tp_result tp_clear(tp_context *context, unsigned what, const float color[4],
                               float depth, uint8_t stencil);

/* Clears a part of a target. what: TP_CLEAR_* bits. color_mask, layers, stencil_mask and rect: 0 =
 * all. Integer targets take the integers of color. */
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
    uint8_t stencil, stencil_mask; /* stencil_mask: bits that are written */
};
TP_API enum tp_result tp_clear_part(tp_context *context, const struct tp_clear_info *info);

/* ---- Transform feedback ------------------------------------------------------------------- */

struct tp_stream_info {
    bool interleaved; /* all words go to buffer 0 */
    uint32_t stride;  /* interleaved: bytes of a vertex, 4 to 4092, a multiple of 4 */
    unsigned count;   /* separate: buffers; interleaved: 1 */
    struct {
        tp_buffer *buffer;
        uint64_t offset; /* a multiple of 4 */
        uint32_t size;   /* limit of bytes; 0 = to the end of the buffer, at most 4 GiB */
        uint32_t words;  /* separate: words of a vertex, at least 1 */
    } stream[4];
    /* For each slot of the last program's result map: 0 = not written; else 0x80 | word.
     * Interleaved: a word of the vertex. Separate: words of buffer i begin at the next multiple of
     * 4 behind those of buffer i - 1. */
    uint8_t map[72];
};
/* Writes the primitives of later draws to buffers, too, while there is room for whole primitives.
 * Each call begins again at the start of the buffers. NULL switches the writing off; the buffers
 * stay set for tp_pause_streams() and tp_get_stream_bytes(). */
TP_API enum tp_result tp_set_streams(tp_context *context, const struct tp_stream_info *info);
/* Switches writing off and on. Writing goes on where it stopped. */
TP_API enum tp_result tp_pause_streams(tp_context *context, bool paused);
/* Gives the number of bytes written to a stream's buffer so far. */
TP_API enum tp_result tp_get_stream_bytes(tp_context *context, unsigned stream, uint32_t *bytes);
/* Draws as many vertices as a stream's buffer has got, if a vertex has `stride` bytes. The vertices
 * come from the bound arrays. */
TP_API enum tp_result tp_draw_stream(tp_context *context, enum tp_primitive primitive,
                                     unsigned stream, uint32_t stride);

/* ---- Compute ------------------------------------------------------------------------------ */

/* Binds g<slot>[] (0..15) to `size` bytes of a buffer from `offset` on. NULL unbinds. */
TP_API enum tp_result tp_bind_global(tp_context *context, unsigned slot, tp_buffer *buffer,
                                     uint64_t offset, uint64_t size);
/* Runs the bound compute program over a grid of x, y blocks (1 to 65535 each), each of x, y, z
 * threads: at most 512 in all, x and y up to 512, z up to 64. params: up to 64 words that every
 * block finds at s[0x10]. For chips from TP_CHIP_GF100 on see tp_dispatch_3d. */
TP_API enum tp_result tp_dispatch(tp_context *context, const uint32_t grid[2],
                                  const uint32_t block[3], const uint32_t *params,
                                  unsigned param_count);
/* As tp_dispatch, with a grid of three dimensions, for chips from TP_CHIP_GF100 on: blocks have up
 * to 1024 threads, and programs find params at c0[0x20] (TP_CHIP_GK104: c0[0x140]), unless c0 is
 * bound. At 64-bit addresses, g<slot>[] begins at (slot + 1) << 40 (docs/instruction-sets.md). */
TP_API enum tp_result tp_dispatch_3d(tp_context *context, const uint32_t grid[3],
                                     const uint32_t block[3], const uint32_t *params,
                                     unsigned param_count);
/* Cancels the grid that another thread runs in this context. The grid ends after at most 65536
 * more instructions of each warp; its writes so far stay in memory, and its tp_dispatch returns
 * TP_ERROR_CANCELLED. Without a running grid the call has no effect. */
TP_API void tp_cancel(tp_context *context);

/* ---- Waiting, queries, statistics --------------------------------------------------------- */

/* Waits for all work. TP_ERROR_TRAP if a program failed since the last call. The message then has
 * the program, the address and the hardware's name of the error. */
TP_API enum tp_result tp_finish(tp_context *context);

/* A query counts the samples that pass the zeta tests between begin and end. tp_query_end waits.
 * tp_query_begin gives TP_ERROR_INVALID while another query or tp_count_samples is on. */
TP_API enum tp_result tp_query_begin(tp_context *context);
TP_API enum tp_result tp_query_end(tp_context *context, uint64_t *samples);

/* The hardware's counters. They count from the creation of the context, TP_COUNT_SAMPLES from the
 * last tp_query_begin; the difference of two values is a query. Samples are counted only between
 * tp_query_begin and tp_query_end, or while tp_count_samples is on. */
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
/* Writes a counter to a buffer, as a report of 16 bytes at offset (a multiple of 16) in the
 * hardware's form: a word of 0, the low word of the value, and the time in nanoseconds as two
 * words. */
TP_API enum tp_result tp_write_counter(tp_context *context, enum tp_counter counter,
                                       tp_buffer *buffer, uint64_t offset);
/* Conditional rendering: later draws and clears have an effect only if a condition holds. NOT_ZERO:
 * the value of the report at offset (a multiple of 16) in the buffer is not 0. EQUAL, DIFFERENT:
 * this value is equal to that of the next report, or is not. For these three conditions, both
 * reports (32 bytes) must lie in the buffer. */
enum tp_condition { TP_IF_ALWAYS, TP_IF_NOT_ZERO, TP_IF_EQUAL, TP_IF_DIFFERENT, TP_IF_NEVER };
TP_API enum tp_result tp_set_condition(tp_context *context, enum tp_condition condition,
                                       tp_buffer *buffer, uint64_t offset);

struct tp_statistics {                    /* since tp_context_create or tp_reset_statistics */
    uint64_t draws, vertices, primitives; /* primitives: after clipping */
    uint64_t vertex_warps, geometry_warps, fragment_warps, compute_warps;
    uint64_t fragments; /* that were shaded, without helper lanes */
    uint64_t samples_passed;
    uint64_t instructions, lane_instructions;
    uint64_t bad_reads, bad_writes; /* of each lane: accesses outside of a program's memory */
    /* of the whole device since its creation */
    uint64_t memory_now, memory_peak;                /* bytes of GPU memory allocated */
    uint64_t programs_compiled, compile_nanoseconds; /* to native code; the processor time */
};
TP_API enum tp_result tp_get_statistics(tp_context *context, struct tp_statistics *statistics);
TP_API void tp_reset_statistics(tp_context *context);

/* Time by stages of the pipeline, summed over all threads of the context. */
enum { TP_PROFILE_STAGES = 32 };
struct tp_profile_stage {
    const char *name; /* "fetch", "vertex", "setup", "cover", "shade" ...; "idle": no stage */
    uint64_t nanoseconds;
    uint64_t count; /* number of times that the stage began */
};
struct tp_profile {
    uint64_t nanoseconds; /* by the clock; the sum of all stages is this times `threads` */
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
