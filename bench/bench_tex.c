/* `teslapipe bench tex`: samples per second of the texture unit on one core, for a table of format,
 * dimension, wrap and filter, with neighbouring and with scattered coordinates, for all lanes of a
 * warp or for a few. In: command line. Out: a line for each kind of texture, a column for each SIMD
 * level; or CSV. */
#include "base/fp_mode.h"
#include "tex/tex.h"
#include "tools/tool.h"

#include <stdlib.h>

int cmd_bench_tex(int argc, char **argv);

enum { WARPS = 64, SOURCES = 4, SIDE = 256 };
enum filter { NEAREST, BILINEAR, TRILINEAR, ANISO, COMPARE, FILTERS };
static const char *const filter_name[FILTERS] = {"nearest", "bilinear", "trilinear", "aniso 8",
                                                 "compare"};

/* The textures. The largest (rgba32f) has 1.4 MB, most have 0.35 MB or less. */
struct subject {
    const char *name;
    enum pixel_format format;
    enum tex_dim dim;
    uint8_t wrap;
    bool linear, normalized, fetch;
};

static const struct subject subjects[] = {
#define FORMAT(name, f) {name " 2D repeat", FORMAT_##f, TEX_2D, 0, false, true, false}
    FORMAT("rgba8", RGBA8_UNORM),
    FORMAT("srgb8", RGBA8_SRGB),
    FORMAT("rg8", RG8_UNORM),
    FORMAT("r8", R8_UNORM),
    FORMAT("rgba8 snorm", RGBA8_SNORM),
    FORMAT("b5g6r5", B5G6R5_UNORM),
    FORMAT("bgr5a1", BGR5A1_UNORM),
    FORMAT("bgra4", BGRA4_UNORM),
    FORMAT("rgb10a2", RGB10A2_UNORM),
    FORMAT("r16", R16_UNORM),
    FORMAT("rg16", RG16_UNORM),
    FORMAT("rgba16", RGBA16_UNORM),
    FORMAT("r16f", R16_FLOAT),
    FORMAT("rg16f", RG16_FLOAT),
    FORMAT("rgba16f", RGBA16_FLOAT),
    FORMAT("r32f", R32_FLOAT),
    FORMAT("rg32f", RG32_FLOAT),
    FORMAT("rgba32f", RGBA32_FLOAT),
    FORMAT("r11g11b10f", R11G11B10_FLOAT),
    FORMAT("rgb9e5", RGB9E5_FLOAT),
    FORMAT("rgba8 uint", RGBA8_UINT),
    FORMAT("rgba32 sint", RGBA32_SINT),
    FORMAT("z16", Z16_UNORM),
    FORMAT("z24s8", Z24S8),
    FORMAT("z32f", Z32_FLOAT),
    FORMAT("dxt1", DXT1),
    FORMAT("dxt3", DXT3),
    FORMAT("dxt5", DXT5),
    FORMAT("rgtc1", RGTC1_UNORM),
    FORMAT("rgtc2", RGTC2_UNORM),
#undef FORMAT
#define DIM(name, d, w, l, n) {"rgba8 " name, FORMAT_RGBA8_UNORM, d, w, l, n, false}
    DIM("1D repeat", TEX_1D, 0, false, true),
    DIM("3D repeat", TEX_3D, 0, false, true),
    DIM("cube", TEX_CUBE, 0, false, true),
    DIM("cube array", TEX_CUBE_ARRAY, 0, false, true),
    DIM("1D array", TEX_1D_ARRAY, 0, false, true),
    DIM("2D array", TEX_2D_ARRAY, 0, false, true),
    DIM("rectangle", TEX_2D_NOMIP, 2, false, false),
    DIM("linear", TEX_2D_NOMIP, 2, true, true),
    DIM("2D mirror", TEX_2D, 1, false, true),
    DIM("2D edge", TEX_2D, 2, false, true),
    DIM("2D border", TEX_2D, 3, false, true),
    DIM("2D clamp", TEX_2D, 4, false, true),
    DIM("2D mirror edge", TEX_2D, 5, false, true),
    DIM("2D mirror border", TEX_2D, 6, false, true),
#undef DIM
#define OTHER(name, f, d) {name, FORMAT_##f, d, 2, false, true, false}
    OTHER("z24s8 2D array", Z24S8, TEX_2D_ARRAY),
    OTHER("z24s8 cube", Z24S8, TEX_CUBE),
    OTHER("z32f cube", Z32_FLOAT, TEX_CUBE),
    OTHER("srgb8 2D edge", RGBA8_SRGB, TEX_2D),
    OTHER("srgb8 cube", RGBA8_SRGB, TEX_CUBE),
    OTHER("rgba16f 2D edge", RGBA16_FLOAT, TEX_2D),
    OTHER("rgba16f cube", RGBA16_FLOAT, TEX_CUBE),
    OTHER("rgba16f 3D edge", RGBA16_FLOAT, TEX_3D),
    OTHER("r8 3D edge", R8_UNORM, TEX_3D),
    OTHER("dxt5 cube", DXT5, TEX_CUBE),
#undef OTHER
    {"rgba8 fetch 2D", FORMAT_RGBA8_UNORM, TEX_2D, 0, false, true, true},
    {"rgba32f fetch buffer", FORMAT_RGBA32_FLOAT, TEX_BUFFER, 0, true, false, true},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static int axes_of(const struct subject *s) {
    return s->dim == TEX_3D                                                     ? 3
           : s->dim == TEX_1D || s->dim == TEX_1D_ARRAY || s->dim == TEX_BUFFER ? 1
                                                                                : 2;
}
static bool is_cube(const struct subject *s) {
    return s->dim == TEX_CUBE || s->dim == TEX_CUBE_ARRAY;
}
static bool is_array(const struct subject *s) {
    return s->dim == TEX_1D_ARRAY || s->dim == TEX_2D_ARRAY || s->dim == TEX_CUBE_ARRAY;
}

static bool filter_applies(const struct subject *s, enum filter f) {
    const struct format_info *info = format_info(s->format);
    const bool integer = info->type == COMPONENT_SINT || info->type == COMPONENT_UINT;
    const bool mips = s->dim != TEX_2D_NOMIP && !s->linear;
    if (s->fetch || integer)
        return f == NEAREST;
    return (f != TRILINEAR || mips) && (f != ANISO || (mips && axes_of(s) > 1)) &&
           (f != COMPARE || info->zeta);
}

struct bench {
    const struct command *command;
    int first, last; /* SIMD levels */
    double duration; /* seconds for each figure */
    bool csv;
    const char *only;         /* part of a subject's name, or NULL */
    lane_mask lanes;          /* live lanes */
    u32x32 (*coord)[SOURCES]; /* [WARPS] */
    uint64_t seed;
};

static uint32_t next_random(struct bench *b) {
    b->seed = b->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(b->seed >> 32);
}
static float rnd_float(struct bench *b) {
    return (float)(next_random(b) >> 8) * 0x1p-24f;
}
static void put_lane(u32x32 *v, int lane, float f) {
    uint32_t word;
    memcpy(&word, &f, 4);
    (*v)[lane] = word;
}

/* Sets coordinates as fractions of the texture. coherent: a warp is a block of 8x4 pixels of a
 * slightly turned picture, with steps of `along` and `across` texels a pixel. Otherwise each lane
 * has a random place. */
static void place_lanes(struct bench *b, int warp, float along, float across, bool coherent,
                        float size, float c[LANES][3]) {
    for (int lane = 0; lane < LANES; lane++) {
        const int q = lane / 4;
        const float x = (float)(warp % 8 * 8 + q % 4 * 2 + (lane & 1));
        const float y = (float)(warp / 8 * 4 + q / 4 * 2 + (lane >> 1 & 1));
        c[lane][0] = 0.1f + (x * along * 0.98f - y * across * 0.2f) / size;
        c[lane][1] = 0.1f + (x * along * 0.2f + y * across * 0.98f) / size;
        c[lane][2] = 0.3f + (x * along * 0.1f + y * across * 0.2f) / size;
        for (int i = 0; i < 3 && !coherent; i++)
            c[lane][i] = rnd_float(b);
    }
}

static void fill_coords(struct bench *b, const struct subject *s, enum filter f, float size,
                        bool coherent, const struct tex_image *image) {
    static const float along[FILTERS] = {0.9f, 0.9f, 1.4f, 6.0f, 0.9f};
    for (int warp = 0; warp < WARPS; warp++) {
        float c[LANES][3];
        place_lanes(b, warp, along[f], f == ANISO ? 0.8f : along[f], coherent, size, c);
        for (int lane = 0; lane < LANES; lane++) {
            u32x32 *to = b->coord[warp];
            int n = axes_of(s);
            const float scale[3] = {s->normalized ? 1.0f : (float)image->width,
                                    s->normalized ? 1.0f : (float)image->height, 1.0f};
            for (int i = 0; i < n; i++) {
                put_lane(&to[i], lane, c[lane][i] * scale[i]);
                if (s->fetch)
                    to[i][lane] = (uint32_t)((c[lane][i] - floorf(c[lane][i])) *
                                             (float)(i ? image->height : image->width));
            }
            if (is_cube(s)) { /* coherent: the +x face; otherwise one of +x, -x, +y, -y */
                const bool turned = !coherent && (next_random(b) & 1);
                put_lane(&to[turned], lane, coherent || (next_random(b) & 1) ? 0.5f : -0.5f);
                put_lane(&to[!turned], lane, c[lane][0] - 0.5f);
                put_lane(&to[2], lane, c[lane][1] - 0.5f);
                n = 3;
            }
            if (is_array(s))
                to[n++][lane] = coherent ? 1 : next_random(b) % 2;
            if (f == COMPARE && n < SOURCES)
                put_lane(&to[n++], lane, rnd_float(b));
            if (s->fetch)
                to[n][lane] = 0;
        }
    }
}

static int source_count(const struct subject *s, enum filter f) {
    return axes_of(s) + is_cube(s) + is_array(s) + (f == COMPARE) + s->fetch;
}

static struct tex_sampler sampler_of(const struct subject *s, enum filter f) {
    const bool linear = f != NEAREST;
    return (struct tex_sampler){.wrap = {s->wrap, s->wrap, s->wrap},
                                .compare = f == COMPARE,
                                .compare_func = 3,
                                .mag_linear = linear,
                                .min_linear = linear,
                                .mip = f == TRILINEAR || f == ANISO ? 3 : 1,
                                .max_lod = 15,
                                .max_anisotropy = f == ANISO ? 8 : 1,
                                .border = {1, 0.5f, 0.25f, 1}};
}

/* Returns the best of several passes, in M samples a second. */
static double measure_call(struct bench *b, const struct tex_bound *bound,
                           const struct tex_call *call) {
    u32x32 reg[SOURCES] = {{0}};
    double best = 0;
    const int live = __builtin_popcount(b->lanes);
    const double end = seconds_now() + b->duration;
    const unsigned mode = fp_flush_begin(); /* the mode in which warps run: denormals are zero */
    do {
        enum { TIMES = 8 };
        const double start = seconds_now();
        for (int i = 0; i < TIMES * WARPS; i++) {
            memcpy(reg, b->coord[i % WARPS], sizeof reg);
            bound->binding.kernel[call->op](&bound->binding, call, reg, b->lanes);
        }
        const double rate = TIMES * WARPS * live / (seconds_now() - start) * 1e-6;
        best = rate > best ? rate : best;
    } while (seconds_now() < end);
    fp_set_mode(mode);
    return best;
}

static void print_row(const struct bench *b, const struct subject *s, enum filter f, bool coherent,
                      const double *rate) {
    const char *what = s->fetch ? "fetch" : filter_name[f];
    printf(b->csv ? "%s,%s,%s" : "%-22s %-10s %-10s", s->name, what,
           coherent ? "coherent" : "scattered");
    for (int simd = b->first; simd <= b->last; simd++)
        printf(b->csv ? ",%.1f" : "%9.1f", rate[simd]);
    putchar('\n');
    fflush(stdout);
}

static void run_filter(struct bench *b, const struct subject *s, enum filter f,
                       const struct tex_image *image, const struct tex_view *view) {
    const struct tex_sampler sampler = sampler_of(s, f);
    const struct tex_call call = {.source_count = (uint8_t)source_count(s, f),
                                  .result_mask = f == COMPARE ? 1 : 15,
                                  .cube = is_cube(s),
                                  .op = s->fetch ? TEX_OP_FETCH : TEX_OP_AUTO,
                                  .quads = true};
    for (int coherent = 1; coherent >= 0; coherent--) {
        double rate[SIMD_LEVELS];
        if (!coherent && (f == TRILINEAR || f == ANISO))
            continue; /* left out: scattered quads sample the last level only */
        fill_coords(b, s, f, (float)image->width, coherent, image);
        for (int simd = b->first; simd <= b->last; simd++) {
            struct tex_bound bound;
            tex_bind(&bound, view, &sampler, 0, (enum simd_level)simd);
            rate[simd] = measure_call(b, &bound, &call);
        }
        print_row(b, s, f, coherent, rate);
    }
}

static struct tex_image image_of(const struct subject *s) {
    struct tex_image i = {.format = s->format,
                          .dim = s->dim,
                          .width = s->dim == TEX_3D       ? 32
                                   : s->dim == TEX_BUFFER ? 4096
                                   : is_cube(s)           ? 128
                                                          : SIDE,
                          .height = axes_of(s) == 1    ? 1
                                    : s->dim == TEX_3D ? 32
                                    : is_cube(s)       ? 128
                                                       : SIDE,
                          .depth = s->dim == TEX_3D ? 32 : 1,
                          .layers = is_cube(s)    ? is_array(s) ? 12 : 6
                                    : is_array(s) ? 2
                                                  : 1,
                          .levels = s->dim == TEX_2D_NOMIP || s->linear ? 1 : 5,
                          .linear = s->linear,
                          .normalized = s->normalized};
    i.pitch = s->linear ? i.width * format_info(s->format)->bytes : 0;
    return i;
}

/* Writes random bits, in such a form that floats of 16 and 32 bits are small numbers. */
static void fill_texels(struct bench *b, uint8_t *data, uint64_t size) {
    for (uint64_t i = 0; i + 4 <= size; i += 4) {
        const uint32_t v = (next_random(b) & 0x03ff03ffu) | 0x3c003800u;
        memcpy(data + i, &v, 4);
    }
}

static int run_subject(struct bench *b, const struct subject *s) {
    struct tex_image image = image_of(s);
    struct tex_view view;
    uint32_t tic[8];
    char why[200] = "out of memory";
    const uint64_t size = tex_image_layout(&image, NULL, NULL);
    struct gpu_memory *memory = memory_create(size + (1 << 20), -1);
    image.address = memory ? memory_alloc(memory, size, 65536) : 0;
    if (!image.address)
        return command_failed(b->command, "%s: %s", s->name, why);
    fill_texels(b, memory_at(memory, image.address, size), size);
    tex_image_tic(&image, 0, image.levels - 1, tic);
    const int code = tex_view_decode(tic, memory, &view, why, sizeof why)
                         ? command_failed(b->command, "%s: %s", s->name, why)
                         : EXIT_FINE;
    for (int f = 0; f < FILTERS && code == EXIT_FINE; f++)
        if (filter_applies(s, (enum filter)f))
            run_filter(b, s, (enum filter)f, &image, &view);
    memory_destroy(memory);
    return code;
}

static int run_all(struct bench *b) {
    int code = EXIT_FINE;
    simd_load_constants();
    b->coord = aligned_alloc(_Alignof(u32x32), WARPS * sizeof *b->coord);
    if (!b->coord)
        return command_failed(b->command, "out of memory");
    memset(b->coord, 0, WARPS * sizeof *b->coord);
    printf(b->csv ? "texture,filter,coordinates"
                  : "M samples a second, one core\n%-22s %-10s %-10s",
           "", "", "");
    for (int simd = b->first; simd <= b->last; simd++)
        printf(b->csv ? ",%s" : "%9s", simd_name((enum simd_level)simd));
    putchar('\n');
    for (int i = 0; i < SUBJECTS && code == EXIT_FINE; i++)
        if (!b->only || strstr(subjects[i].name, b->only))
            code = run_subject(b, &subjects[i]);
    free(b->coord);
    return code;
}

int cmd_bench_tex(int argc, char **argv) {
    const char *simd = NULL;
    int lanes = LANES;
    struct bench b = {.last = (int)simd_best(), .duration = 0.02, .seed = 1};
    const struct option_spec options[] = {
        {"--simd", "LEVEL", OPTION_SIMD, &simd, "base, avx2 or avx512 only (default: each)"},
        {"--only", "TEXT", OPTION_TEXT, &b.only, "textures whose name contains this"},
        SECONDS_OPTION(&b.duration, "time for each figure (default 0.02)"),
        {"--lanes", "N", OPTION_LANES, &lanes, "live lanes of 32, evenly spread (default 32)"},
        {"--csv", NULL, OPTION_FLAG, &b.csv, "comma-separated values"},
        {0},
    };
    const struct command command = {
        "bench tex",
        "[options]",
        "Measures the texture unit on one core, in samples a second: formats, dimensions and wrap\n"
        "modes by filter, for the lanes of a block of pixels and for scattered lanes.",
        options,
        NULL,
    };
    COMMAND_PARSE(exit_code, arguments);
    if (arguments)
        return command_usage(&command, "takes no arguments, only options");
    if (simd) {
        b.first = b.last = command_simd(&command, simd);
        if (b.first < 0)
            return EXIT_USAGE;
    }
    if (lanes > LANES)
        return command_usage(&command, "--lanes %d: a warp has %d", lanes, LANES);
    for (int i = 0; i < lanes; i++)
        b.lanes |= 1u << i * LANES / lanes;
    b.command = &command;
    return run_all(&b);
}
