/* Fermi's texture instructions in compute programs: every kind of texture with layers, levels,
 * offsets, comparisons, gathers and derivatives, in random combinations. Each lane's result is
 * compared with plain C on the same texels, with both engines. */
#include "tests/pipeline/fixture.h"
#include "tests/shapes.h"

enum { THREADS = 32, SIZE = 4, LEVELS = 3, LAYERS = 3, MAX_LAYERS = 12 };

/* An instruction has two groups of operands, the second from number SECOND on. Each thread has four
 * results. */
enum { SECOND = 4, OPERANDS = 8, RESULTS = 4 };

struct shot {
    enum tp_texture_kind kind;
    bool depth, linear;
    char instruction[160];
    uint32_t in[THREADS][OPERANDS];
    float want[THREADS][RESULTS];
};

static const struct {
    const char *target;
    int axes; /* axes along which texels lie; for a cube those of a face */
    bool layered, cube;
} kinds[] = {[TP_TEXTURE_1D] = {"t1d", 1, false, false},
             [TP_TEXTURE_2D] = {"t2d", 2, false, false},
             [TP_TEXTURE_3D] = {"t3d", 3, false, false},
             [TP_TEXTURE_CUBE] = {"tcube", 2, false, true},
             [TP_TEXTURE_1D_ARRAY] = {"a1d", 1, true, false},
             [TP_TEXTURE_2D_ARRAY] = {"a2d", 2, true, false},
             [TP_TEXTURE_CUBE_ARRAY] = {"acube", 2, true, true}};

static int below(int n) {
    return (int)random_below((uint32_t)n);
}

static int least(int a, int b) {
    return a < b ? a : b;
}

/* The content of a texel. z is the layer, face or slice. */
static float texel(const struct shot *s, int level, const int at[3], int component) {
    if (s->depth)
        return (float)((at[0] * 7 + at[1] * 5 + at[2] * 3 + level) % 16) / 16;
    return (float)(at[2] * 1000 + level * 200 + at[1] * 30 + at[0] * 4 + component);
}

/* ---- the machine ---- */

static void fill(tp_context *c, tp_texture *t, const struct shot *s) {
    const struct tp_texture_info *info = tp_texture_get_info(t);
    const int components = s->depth ? 1 : 4, rows = kinds[s->kind].axes > 1 ? SIZE : 1;
    const int layers = (int)(info->depth > 1 ? info->depth : info->layers ? info->layers : 1);
    for (int level = 0; level < LEVELS; level++) {
        const int width = SIZE >> level, height = rows >> level ? rows >> level : 1;
        const int count = s->kind == TP_TEXTURE_3D ? SIZE >> level : layers;
        for (int z = 0; z < count; z++) {
            float data[SIZE * SIZE * 4];
            for (int i = 0; i < width * height * components; i++) {
                const int n = i / components, at[3] = {n % width, n / width, z};
                data[i] = texel(s, level, at, i % components);
            }
            assert_int_equal(tp_texture_write(c, t, (uint32_t)level, (uint32_t)z, data,
                                              (size_t)(width * components) * 4),
                             TP_OK);
        }
    }
}

static void run(const struct shot *s, const char *engine, float out[THREADS][RESULTS]) {
    static const char program[] =
        "mov b32 $r20 $laneid\nshl b32 $r20 $r20 clamp 0x5\n"
        "ld b64 $r0d ca g[$r20+0x8000000]\nld b64 $r2d ca g[$r20+0x8000008]\n"
        "ld b64 $r4d ca g[$r20+0x8000010]\nld b64 $r6d ca g[$r20+0x8000018]\n"
        "mov b32 $r8 0x0\nmov b32 $r9 0x0\nmov b32 $r10 0x0\nmov b32 $r11 0x0\n"
        "%s\nshr u32 $r20 $r20 clamp 0x1\n"
        "st b64 wb g[$r20+0x8000400] $r8d\nst b64 wb g[$r20+0x8000408] $r10d\nexit\n";
    const bool array = kinds[s->kind].layered, cube = kinds[s->kind].cube;
    const struct tp_device_info device_info = {.chip = TP_CHIP_GF100, .engine = engine};
    const struct tp_texture_info info = TEXTURE_INFO(
        s->kind, s->depth ? TP_FORMAT_Z32F : TP_FORMAT_RGBA32F, SIZE,
        kinds[s->kind].axes > 1 ? SIZE : 1, .depth = s->kind == TP_TEXTURE_3D ? SIZE : 1,
        .layers = cube    ? array ? MAX_LAYERS : 6
                  : array ? LAYERS
                          : 1,
        .levels = LEVELS);
    const enum tp_filter filter = s->linear ? TP_FILTER_LINEAR : TP_FILTER_NEAREST;
    const struct tp_sampler_info sampler = {
        .wrap = {TP_WRAP_CLAMP_TO_EDGE, TP_WRAP_CLAMP_TO_EDGE, TP_WRAP_CLAMP_TO_EDGE},
        .mag = filter,
        .min = filter,
        .mip = TP_MIP_NEAREST,
        .compare = s->depth,
        .compare_func = TP_LEQUAL};
    const uint32_t grid[2] = {1, 1}, block[3] = {THREADS, 1, 1};
    char text[1024];
    snprintf(text, sizeof text, program, s->instruction);
    FIXTURE_DEVICE(f, device_info);
    tp_context *const c = f.context;
    tp_texture *t = fixture_texture(&f, &info);
    fixture_bind(&f, TP_COMPUTE, text);
    fill(c, t, s);
    OK(&f, tp_bind_texture(c, TP_COMPUTE, 0, t, &sampler));
    tp_buffer *b = fixture_buffer(&f, 2048, NULL);
    OK(&f, tp_buffer_write(c, b, 0, s->in, sizeof s->in));
    OK(&f, tp_bind_global(c, 0, b, 0, 2048));
    OK(&f, tp_dispatch(c, grid, block, NULL, 0));
    if (tp_finish(c) != TP_OK)
        fail_msg("%s: %s", s->instruction, tp_message(f.device));
    OK(&f, tp_buffer_read(c, b, sizeof s->in, out, sizeof s->want));
}

static void check(const struct shot *s) {
    for (int engine = 0; engine < 2; engine++) {
        float out[THREADS][RESULTS];
        run(s, engine ? NULL : "interp", out);
        for (int lane = 0; lane < THREADS; lane++)
            for (int i = 0; i < RESULTS; i++)
                if (!(fabsf(out[lane][i] - s->want[lane][i]) < 1e-3f))
                    fail_msg("%s%s: thread %d, result %d is %g, expected %g", s->instruction,
                             s->linear ? " linear" : "", lane, i, out[lane][i], s->want[lane][i]);
    }
}

/* ---- instructions ---- */

/* Writes a register group, "$rN:$rN+1..". */
static const char *group(char text[32], int first, int count) {
    int at = 0;
    if (!count)
        return "()";
    for (int i = 0; i < count; i++)
        at += snprintf(text + at, 32 - (size_t)at, "%s$r%d", i ? ":" : "", first + i);
    return text;
}

/* Enabled results are in consecutive registers; the expected values are packed in the same way. */
static void write_instruction(struct shot *s, const char *name, unsigned mask, int first,
                              int second) {
    char results[32], a[32], b[32];
    int at = 0, next = 8;
    for (int i = 0; i < RESULTS; i++)
        if (mask >> i & 1)
            at += snprintf(results + at, 32 - (size_t)at, "%s$r%d", i ? ":" : "", next++);
        else
            at += snprintf(results + at, 32 - (size_t)at, "%s#", i ? ":" : "");
    snprintf(s->instruction, sizeof s->instruction, "%s %s %s $t0 $s0 %s %s", name, results,
             kinds[s->kind].target, group(a, 0, first), group(b, SECOND, second));
    for (int lane = 0; lane < THREADS; lane++) {
        float *const want = s->want[lane];
        int count = 0;
        for (int i = 0; i < RESULTS; i++)
            if (mask >> i & 1)
                want[count++] = want[i];
        while (count < RESULTS)
            want[count++] = 0;
    }
}

/* A place to sample: three quarters of the way across a texel. */
struct place {
    int texel[3], layer, level, offset[3];
};

/* The direction that hits the place (s, t) of a face: OpenGL's table of faces, reversed. */
static void direction(int face, float s, float t, float d[3]) {
    const float sc = 2 * s - 1, tc = 2 * t - 1;
    const float table[6][3] = {{1, -tc, -sc}, {-1, -tc, sc}, {sc, 1, tc},
                               {sc, -1, -tc}, {sc, -tc, 1},  {-sc, -tc, -1}};
    memcpy(d, table[face], sizeof table[face]);
}

/* Writes layer and coordinates to `in`; returns their number. The layer is in the low half of its
 * word. */
static int write_coordinates(const struct shot *s, const struct place *p, uint32_t *in) {
    float c[3];
    int count = 0, n = SIZE >> p->level;
    for (int i = 0; i < 3; i++)
        c[i] = ((float)p->texel[i] + 0.75f) / (float)n;
    if (kinds[s->kind].layered)
        in[count++] = (uint32_t)(kinds[s->kind].cube ? p->layer / 6 : p->layer) | 0x12340000;
    if (kinds[s->kind].cube)
        direction(p->layer % 6, c[0], c[1], c);
    for (int i = 0; i < kinds[s->kind].axes + kinds[s->kind].cube; i++)
        in[count++] = float_bits(c[i]);
    return count;
}

static struct place random_place(const struct shot *s, int level, int reach) {
    struct place p = {.level = level};
    for (int i = 0; i < kinds[s->kind].axes; i++) {
        p.texel[i] = below(SIZE >> level);
        p.offset[i] = reach ? below(2 * reach) - reach : 0;
    }
    p.layer = !kinds[s->kind].layered && !kinds[s->kind].cube ? 0
              : !kinds[s->kind].cube                          ? below(LAYERS)
              : kinds[s->kind].layered                        ? below(MAX_LAYERS)
                                                              : below(6);
    return p;
}

/* A texel of the footprint at p. The bits of tap select a side along each axis. */
static float tap_value(const struct shot *s, const struct place *p, int tap, int component) {
    int at[3] = {0, 0, p->layer};
    for (int i = 0; i < kinds[s->kind].axes; i++) {
        const int x = p->texel[i] + p->offset[i] + (tap >> i & 1), most = (SIZE >> p->level) - 1;
        at[i] = x < 0 ? 0 : least(x, most);
    }
    return texel(s, p->level, at, component);
}

static float shown(const struct shot *s, float v, float reference) {
    return !s->depth ? v : reference <= v ? 1 : 0;
}

static float sampled(const struct shot *s, const struct place *p, int component, float reference) {
    const int axes = kinds[s->kind].axes;
    float sum = 0;
    if (!s->linear)
        return shown(s, tap_value(s, p, 0, component), reference);
    for (int tap = 0; tap < 1 << axes; tap++) {
        float weight = 1;
        for (int i = 0; i < axes; i++)
            weight *= tap >> i & 1 ? 0.25f : 0.75f;
        sum += weight * shown(s, tap_value(s, p, tap, component), reference);
    }
    return sum;
}

static float random_reference(void) {
    return (float)(2 * below(16) + 1) / 32; /* between two values of texels */
}

static uint32_t nibbles(const int offset[3]) {
    return (uint32_t)((offset[0] & 15) | (offset[1] & 15) << 4 | (offset[2] & 15) << 8);
}

/* ---- tests ---- */

/* Threads of compute programs have no neighbours: a bias has no effect and level 0 is sampled,
 * unless the instruction gives a level. */
static void sample_once(enum tp_texture_kind kind, bool depth, bool linear) {
    enum { LOD = 2 };
    static const char *const lods[] = {"lauto", "lzero", "llod", "lbias"};
    struct shot s = {.kind = kind, .depth = depth, .linear = linear};
    const int lod = below(4), offsets = !kinds[kind].cube && below(2);
    char name[64];
    int first = 0, second = 0;
    for (int lane = 0; lane < THREADS; lane++) {
        const struct place p = random_place(&s, lod == LOD ? below(LEVELS) : 0, offsets ? 8 : 0);
        const float reference = random_reference();
        uint32_t *const in = s.in[lane];
        first = write_coordinates(&s, &p, in);
        second = SECOND;
        if (lod >= LOD)
            in[second++] = float_bits((float)(lod == LOD ? p.level : below(LEVELS)));
        if (offsets)
            in[second++] = nibbles(p.offset);
        if (depth)
            in[second++] = float_bits(reference);
        for (int i = 0; i < RESULTS; i++)
            s.want[lane][i] = depth && i == 3 ? 1 : sampled(&s, &p, i, reference);
    }
    snprintf(name, sizeof name, "tex p %s%s%s all dfp", lods[lod], depth ? " shadow" : "",
             offsets ? " off" : "");
    write_instruction(&s, name, 1 + (unsigned)below(15), first, second - SECOND);
    check(&s);
}

TEST(test_sample) {
    for (enum tp_texture_kind kind = TP_TEXTURE_1D; kind <= TP_TEXTURE_CUBE_ARRAY; kind++)
        for (int i = 0; i < 32; i++)
            sample_once(kind, i & 1 && kind != TP_TEXTURE_3D, i & 2);
}

static void gather_once(enum tp_texture_kind kind, bool depth, int offsets) {
    static const char *const words[] = {"", " off", " off8"};
    static const int order[4] = {2, 3, 1, 0};
    struct shot s = {.kind = kind, .depth = depth};
    const int component = depth ? 0 : below(4);
    char name[64];
    int first = 0;
    for (int lane = 0; lane < THREADS; lane++) {
        struct place p = random_place(&s, 0, 0);
        const float reference = random_reference();
        uint32_t *const in = s.in[lane];
        first = write_coordinates(&s, &p, in);
        for (int i = 0; i < RESULTS; i++) {
            for (int axis = 0; offsets && (offsets > 1 || i == 0) && axis < 2; axis++) {
                p.offset[axis] = below(4) ? below(9) - 4 : below(256) - 128;
                in[SECOND + i / 2] |= (uint32_t)(p.offset[axis] & 255) << (16 * (i & 1) + 8 * axis);
            }
            s.want[lane][i] =
                shown(&s, tap_value(&s, &p, offsets > 1 ? 0 : order[i], component), reference);
        }
        in[SECOND + offsets] = float_bits(reference);
    }
    snprintf(name, sizeof name, "texgather p%s%s all dfp %c", depth ? " shadow" : "",
             words[offsets], "rgba"[component]);
    write_instruction(&s, name, 1 + (unsigned)below(15), first + (offsets == 1), offsets + depth);
    check(&s);
}

TEST(test_gather) {
    static const enum tp_texture_kind gathered[] = {TP_TEXTURE_2D, TP_TEXTURE_2D_ARRAY,
                                                    TP_TEXTURE_CUBE, TP_TEXTURE_CUBE_ARRAY};
    for (int i = 0; i < 96; i++) {
        const enum tp_texture_kind kind = gathered[i & 3];
        gather_once(kind, i & 4, kinds[kind].cube ? 0 : i / 8 % 3);
    }
}

TEST(test_fetch) {
    for (int n = 0; n < 60; n++) {
        static const enum tp_texture_kind fetched[] = {TP_TEXTURE_1D, TP_TEXTURE_2D, TP_TEXTURE_3D,
                                                       TP_TEXTURE_1D_ARRAY, TP_TEXTURE_2D_ARRAY};
        struct shot s = {.kind = fetched[n % 5]};
        const int lod = below(2), offsets = below(2), axes = kinds[s.kind].axes;
        char name[64];
        int first = 0, second = 0;
        for (int lane = 0; lane < THREADS; lane++) {
            struct place p = random_place(&s, lod ? below(LEVELS) : 0, offsets ? 8 : 0);
            uint32_t *const in = s.in[lane];
            first = 0, second = SECOND;
            if (kinds[s.kind].layered)
                in[first++] = (uint32_t)p.layer | 0xabcd0000;
            for (int i = 0; i < axes; i++)
                in[first++] = (uint32_t)(p.texel[i] - p.offset[i]);
            if (lod)
                in[second++] = (uint32_t)p.level;
            if (offsets)
                in[second++] = nibbles(p.offset);
            memset(p.offset, 0, sizeof p.offset);
            for (int i = 0; i < RESULTS; i++)
                s.want[lane][i] = tap_value(&s, &p, 0, i);
        }
        snprintf(name, sizeof name, "texfetch p %s%s all", lod ? "llod" : "lzero",
                 offsets ? " off" : "");
        write_instruction(&s, name, 1 + (unsigned)below(15), first, second - SECOND);
        check(&s);
    }
}

/* Each lane has its own derivatives: a step of 1, 2 or 4 texels selects level 0, 1 or 2. A step
 * half as long along the other axis does not change the level. */
TEST(test_derivatives) {
    for (int n = 0; n < 40; n++) {
        static const enum tp_texture_kind derived[] = {TP_TEXTURE_1D, TP_TEXTURE_2D,
                                                       TP_TEXTURE_1D_ARRAY, TP_TEXTURE_2D_ARRAY};
        struct shot s = {.kind = derived[n % 4], .linear = n & 4};
        const int axes = kinds[s.kind].axes;
        const bool offsets = !(kinds[s.kind].layered && axes == 2) && below(2);
        char name[64];
        int first = 0;
        for (int lane = 0; lane < THREADS; lane++) {
            const struct place p = random_place(&s, below(LEVELS), offsets ? 8 : 0);
            uint32_t *const in = s.in[lane];
            const int steep = below(2 * axes);
            first = write_coordinates(&s, &p, in);
            if (offsets)
                in[first++] = nibbles(p.offset);
            for (int i = 0; i < 2 * axes; i++)
                in[SECOND + i] = float_bits(0);
            in[SECOND + steep] = float_bits((float)(1 << p.level) / SIZE);
            in[SECOND + (steep ^ 1)] = float_bits((float)(1 << p.level) / SIZE / 2);
            for (int i = 0; i < RESULTS; i++)
                s.want[lane][i] = sampled(&s, &p, i, 0);
        }
        snprintf(name, sizeof name, "texgrad p%s all", offsets ? " off" : "");
        write_instruction(&s, name, 15, first, 2 * axes);
        check(&s);
    }
}
