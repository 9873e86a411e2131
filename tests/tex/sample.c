/* Random textures, samplers and coordinates: the texture unit against a scalar reference in double
 * precision, and every SIMD level against the first, bit for bit. The reference reads texels with
 * surface_offset and format_decode and follows OpenGL's equations. */

#include "tests/tex/fixture.h"
#include "tests/tex/texture.h"

static uint32_t below(uint32_t n) {
    return random_word() % n;
}
static float rnd_float(float low, float high) {
    return low + (high - low) * (float)(random_word() >> 8) * 0x1p-24f;
}

/* Fills the texture with random texels; floats are finite. */
static void fill(struct texture *t) {
    assert_true(t->view.whole);
    const struct format_info *f = format_info(t->image.format);
    for (uint32_t l = 0; l < t->image.levels; l++) {
        const struct tex_level *v = &t->level[l];
        const uint32_t slices = t->image.dim == TEX_3D ? v->depth : t->image.layers;
        for (uint32_t z = 0; z < slices; z++)
            for (uint32_t y = 0; y < v->height; y++)
                for (uint32_t x = 0; x < v->width; x++) {
                    uint8_t *p = texel_at(t, (int)l, x, y, z);
                    assert_non_null(p);
                    if (f->type == COMPONENT_FLOAT) {
                        uint32_t c[4];
                        for (int i = 0; i < 4; i++) {
                            const float r = rnd_float(0.0f, 1.0f);
                            memcpy(&c[i], &r, 4);
                        }
                        format_encode(t->image.format, c, p);
                    } else {
                        for (int i = 0; i < f->bytes; i++)
                            p[i] = (uint8_t)random_word();
                    }
                }
    }
}

/* ---- the reference ---- */

struct color {
    double c[4];
    uint32_t word[4];
};

static int wrap(int i, int n, int mode, bool linear, bool *border) {
    *border = false;
    if (mode >= 5 && i < 0)
        i = -1 - i;
    if (mode == 0)
        return ((i % n) + n) % n;
    if (mode == 1) {
        i = ((i % (2 * n)) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    }
    const bool bordered = mode == 3 || mode == 6 || (linear && (mode == 4 || mode == 7));
    *border = bordered && (i < 0 || i >= n);
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* OpenGL 4.6, 8.14.2: the offset is part of the position that is wrapped. */
static double position(double u, int n, bool normalized, int mode, int offset) {
    double x = (normalized ? u * n : u) + offset;
    if (mode >= 5)
        x = fabs(x);
    if (mode == 4 || mode == 7)
        x = x < 0 ? 0 : x > n ? n : x;
    return x;
}

/* Returns true if a nearest position lies so close to a texel's edge that single precision may
 * select the other texel. */
static bool near_edge(double x) {
    return fabs(x - rint(x)) < 0.002;
}

static struct color read_texel(const struct texture *t, const struct tex_sampler *s, int level,
                               int x, int y, int z, bool border, const float *ref) {
    struct color r;
    const struct format_info *f = format_info(t->image.format);
    const bool integer = f->type == COMPONENT_SINT || f->type == COMPONENT_UINT;
    format_decode(t->image.format, texel_at(t, level, (uint32_t)x, (uint32_t)y, (uint32_t)z),
                  r.word);
    if (border)
        memcpy(r.word, integer ? (const void *)s->border_bits : s->border, 16);
    for (int i = 0; i < 4; i++) {
        float v;
        memcpy(&v, &r.word[i], 4);
        r.c[i] = v;
    }
    if (!f->zeta)
        return r;
    if (ref) {
        const double d = r.c[0], q = f->type == COMPONENT_FLOAT ? *ref
                                     : *ref < 0                 ? 0
                                     : *ref > 1                 ? 1
                                                                : *ref;
        const bool pass[8] = {false, q < d, q == d, q <= d, q > d, q != d, q >= d, true};
        r.c[0] = pass[s->compare_func];
    } else if (border) {
        return r;
    }
    r.c[1] = r.c[2] = r.c[0];
    r.c[3] = 1;
    return r;
}

struct request {
    double coord[3];
    int axes, layer, level;
    int offset[3];
    const float *ref;
};

static struct color ref_level(const struct texture *t, const struct tex_sampler *s,
                              const struct request *q, int level, bool linear, bool *unsure) {
    const struct tex_level *l = &t->level[level];
    const int size[3] = {(int)l->width, (int)l->height, (int)l->depth};
    int i0[3] = {0}, taps = linear ? 1 << q->axes : 1;
    double w[3] = {0};
    for (int a = 0; a < q->axes; a++) {
        const double x =
            position(q->coord[a], size[a], t->image.normalized, s->wrap[a], q->offset[a]);
        *unsure |= !linear && near_edge(x);
        i0[a] = (int)floor(linear ? x - 0.5 : x);
        w[a] = x - 0.5 - i0[a];
    }
    struct color sum = {{0}, {0}};
    for (int tap = 0; tap < taps; tap++) {
        int at[3] = {0};
        double weight = 1;
        bool border = false;
        for (int a = 0; a < q->axes; a++) {
            bool b;
            const int k = tap >> a & 1;
            at[a] = wrap(i0[a] + k, size[a], s->wrap[a], linear, &b);
            border |= b;
            if (linear)
                weight *= k ? w[a] : 1 - w[a];
        }
        const int z = t->image.dim == TEX_3D ? at[2] : q->layer;
        const struct color c = read_texel(t, s, level, at[0], at[1], z, border, q->ref);
        for (int i = 0; i < 4; i++)
            sum.c[i] += weight * c.c[i];
        memcpy(sum.word, c.word, 16);
    }
    return sum;
}

static struct color ref_sample(const struct texture *t, const struct tex_sampler *s,
                               const struct request *q, double lod, bool *unsure) {
    const int last = (int)t->image.levels - 1;
    lod = lod < s->min_lod ? s->min_lod : lod > s->max_lod ? s->max_lod : lod;
    *unsure |= fabs(lod) < 0.01;
    const bool linear = lod > 0 ? s->min_linear : s->mag_linear;
    if (lod <= 0 || s->mip <= 1)
        return ref_level(t, s, q, 0, linear, unsure);
    if (s->mip == 2) {
        *unsure |= fabs(lod - floor(lod) - 0.5) < 0.01;
        const int l = (int)ceil(lod + 0.5) - 1;
        return ref_level(t, s, q, l > last ? last : l, linear, unsure);
    }
    int l = (int)floor(lod);
    double f = lod - l;
    if (l >= last)
        l = last, f = 0;
    const struct color a = ref_level(t, s, q, l, linear, unsure);
    const struct color b = ref_level(t, s, q, l < last ? l + 1 : l, linear, unsure);
    struct color r = a;
    for (int i = 0; i < 4; i++)
        r.c[i] = a.c[i] * (1 - f) + b.c[i] * f;
    return r;
}

/* The level of a quad, and the number and step of its probes. */
struct ref_quad {
    double lod, step[3];
    int probes;
};

static struct ref_quad ref_quad(const struct texture *t, const float c[LANES][3], int lane,
                                int axes, int most, bool *unsure) {
    const int q = lane & ~3;
    const double size[3] = {t->image.width, t->image.height, t->image.depth};
    double d[2][3], length[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        for (int a = 0; a < axes; a++) {
            d[i][a] = (double)c[q + 1 + i][a] - c[q][a];
            length[i] = hypot(length[i], d[i][a] * (t->image.normalized ? size[a] : 1));
        }
    }
    const int longer = length[1] > length[0];
    const double ratio = length[longer] / fmax(length[!longer], 1);
    struct ref_quad r = {.probes = (int)fmin(fmax(ceil(ratio), 1), most)};
    if (r.probes > 1 || most > 1)
        *unsure |= near_edge(ratio) || fabs(length[0] - length[1]) < 0.01;
    r.lod = log2(length[longer] / r.probes);
    memcpy(r.step, d[longer], sizeof r.step);
    return r;
}

/* EXT_texture_filter_anisotropic: the mean of probes at i / (n + 1) along the longer step. */
static struct color ref_anisotropic(const struct texture *t, const struct tex_sampler *s,
                                    const struct request *q, const struct ref_quad *quad,
                                    double level, bool *unsure) {
    struct color sum = {{0}, {0}};
    for (int i = 1; i <= quad->probes; i++) {
        struct request probe = *q;
        for (int a = 0; a < q->axes; a++)
            probe.coord[a] += quad->step[a] * (i / (quad->probes + 1.0) - 0.5);
        const struct color c = ref_sample(t, s, &probe, level, unsure);
        for (int k = 0; k < 4; k++)
            sum.c[k] += c.c[k] / quad->probes;
        memcpy(sum.word, c.word, sizeof sum.word);
    }
    return sum;
}

/* ---- random cases ---- */

static const enum pixel_format formats[] = {
    FORMAT_RGBA8_UNORM,     FORMAT_BGRA8_UNORM,  FORMAT_BGRX8_UNORM,  FORMAT_R8_UNORM,
    FORMAT_RGBA32_FLOAT,    FORMAT_RGBA8_SRGB,   FORMAT_RGBA16_FLOAT, FORMAT_RG16_SNORM,
    FORMAT_B5G6R5_UNORM,    FORMAT_BGR5A1_UNORM, FORMAT_BGRA4_UNORM,  FORMAT_RGB10A2_UNORM,
    FORMAT_R11G11B10_FLOAT, FORMAT_RGB9E5_FLOAT, FORMAT_A8_UNORM,     FORMAT_RG8_SNORM,
    FORMAT_RGBA32_UINT,     FORMAT_R16_SINT,     FORMAT_RGBA8_UINT,   FORMAT_RGB32_FLOAT,
    FORMAT_Z24S8,           FORMAT_S8Z24,        FORMAT_Z16_UNORM,    FORMAT_Z32_FLOAT,
    FORMAT_Z32_FLOAT_S8,    FORMAT_RG4_UNORM,    FORMAT_RG32_FLOAT,   FORMAT_RGBA16_UNORM,
};

static struct tex_image random_image(void) {
    static const enum tex_dim dims[] = {TEX_1D, TEX_2D,       TEX_2D,       TEX_2D,
                                        TEX_3D, TEX_1D_ARRAY, TEX_2D_ARRAY, TEX_2D_NOMIP};
    struct tex_image i = {.dim = dims[below(8)], .normalized = true, .depth = 1, .layers = 1};
    i.format = below(3) ? formats[below(2)] : formats[below(sizeof formats / sizeof formats[0])];
    i.width = 1 + below(70);
    i.height = i.dim == TEX_1D || i.dim == TEX_1D_ARRAY ? 1 : 1 + below(70);
    if (i.dim == TEX_3D)
        i.width = 1 + below(20), i.height = 1 + below(20), i.depth = 1 + below(20);
    if (i.dim == TEX_1D_ARRAY || i.dim == TEX_2D_ARRAY)
        i.layers = 1 + below(4);
    uint32_t largest = i.width > i.height ? i.width : i.height, full = 1;
    largest = largest > i.depth ? largest : i.depth;
    while (largest >> full)
        full++;
    i.levels = i.dim == TEX_2D_NOMIP ? 1 : 1 + below(full);
    if (i.dim == TEX_2D_NOMIP) {
        i.normalized = below(2);
        i.linear = below(2);
        i.pitch = (i.width * format_info(i.format)->bytes + 63) / 64 * 64;
    }
    return i;
}

static struct tex_sampler random_sampler(const struct tex_image *i) {
    struct tex_sampler s = {.compare = format_info(i->format)->zeta && below(2),
                            .compare_func = (uint8_t)below(8),
                            .mag_linear = below(2),
                            .min_linear = below(2),
                            .mip = (uint8_t)(1 + below(3)),
                            .max_lod = 15.0f,
                            .max_anisotropy = below(3) ? 1 : (uint8_t)(2 + below(15))};
    /* half of the textures are of the usual kinds, which have kernels of their own */
    const bool usual = below(2);
    for (int a = 0; a < 3; a++)
        s.wrap[a] = usual           ? i->normalized && s.compare_func < 5 ? 0 : 2
                    : i->normalized ? (uint8_t)below(8)
                                    : (uint8_t)(2 + below(6));
    if (usual) {
        s.mag_linear = s.min_linear = true;
        s.mip = s.mip == 2 ? 3 : s.mip;
        s.max_anisotropy = below(4) ? 1 : s.max_anisotropy;
    }
    if (!below(3))
        s.lod_bias = rnd_float(-2, 2), s.min_lod = rnd_float(0, 2), s.max_lod = rnd_float(2, 5);
    for (int c = 0; c < 4; c++)
        s.border[c] = rnd_float(0, 1);
    memcpy(s.border_bits, s.border, 16);
    return s;
}

struct call {
    u32x32 src[4], result[4];
    struct tex_args args;
};

/* Runs all SIMD levels and asserts that they agree; c has the results of the last. */
static void run(const struct texture *t, const struct tex_sampler *s, struct call *c) {
    static uint64_t few = 1;
    u32x32 first[4] = {{0}};
    c->args.result_mask = 15;
    for (int level = 0; level <= (int)simd_best(); level++) {
        memcpy(c->result, c->src, sizeof c->result);
        tex_run((enum simd_level)level, &t->view, s, &c->args, c->result);
        if (level == 0)
            memcpy(first, c->result, sizeof first);
        if (!tex_run_few((enum simd_level)level, &t->view, s, &c->args, c->src, c->result, &few))
            fail_msg("%s: a few lanes differ from all", simd_name(level));
        for (int i = 0; i < 4; i++)
            for (int lane = 0; lane < LANES; lane++)
                if ((c->args.lanes >> lane & 1) && first[i][lane] != c->result[i][lane])
                    fail_msg("%s differs from base: lane %d component %d: %08x, not %08x",
                             simd_name(level), lane, i, c->result[i][lane], first[i][lane]);
    }
}

static void check_color(const struct texture *t, const struct tex_sampler *s, const struct call *c,
                        int lane, const struct color *want, const char *what) {
    const struct format_info *f = format_info(t->image.format);
    const bool integer = f->type == COMPONENT_SINT || f->type == COMPONENT_UINT;
    for (int i = 0; i < 4; i++) {
        const uint32_t word = c->result[i][lane];
        float got;
        memcpy(&got, &word, 4);
        const bool same = integer ? word == want->word[i]
                                  : fabs(got - want->c[i]) <= 0.015; /* weights have 8 bits */
        if (!same)
            fail_msg("%s: %s dim %d %ux%ux%u levels %u wrap %u %u %u mag %d min %d mip %d lane %d "
                     "component %d: %g (%08x), want %g (%08x)",
                     what, f->name, t->image.dim, t->image.width, t->image.height, t->image.depth,
                     t->image.levels, s->wrap[0], s->wrap[1], s->wrap[2], s->mag_linear,
                     s->min_linear, s->mip, lane, i, (double)got, word, want->c[i], want->word[i]);
    }
}

static void set_word(u32x32 *v, int lane, const void *p) {
    uint32_t w;
    memcpy(&w, p, 4);
    (*v)[lane] = w;
}

static int axes_of(const struct texture *t) {
    return t->image.dim == TEX_3D ? 3
           : t->image.dim == TEX_1D || t->image.dim == TEX_1D_ARRAY || t->image.dim == TEX_BUFFER
               ? 1
               : 2;
}

/* Coordinates with a random step, so that every level occurs: quads anywhere, or the eight quads of
 * a block of 8x4 pixels, which are neighbours in the texture, too. */
static void random_coords(const struct texture *t, float c[LANES][3]) {
    const float size[3] = {(float)t->image.width, (float)t->image.height, (float)t->image.depth};
    const bool block = below(2);
    const float step = exp2f(block ? rnd_float(-3, 2) : rnd_float(-2, 7));
    for (int a = 0; a < 3; a++) {
        const float n = t->image.normalized ? 1.0f : size[a];
        float base = 0, dx = 0, dy = 0;
        for (int q = 0; q < LANES / 4; q++) {
            if (q == 0 || !block)
                base = rnd_float(-1.5f, 2.5f), dx = rnd_float(-1, 1), dy = rnd_float(-1, 1);
            for (int k = 0; k < 4; k++) {
                const float x = (float)((k & 1) + (block ? q % 4 * 2 : 0));
                const float y = (float)((k >> 1) + (block ? q / 4 * 2 : 0));
                c[4 * q + k][a] = n * (base + step / size[a] * (x * dx + y * dy));
            }
        }
    }
}

static void filtered_case(void) {
    TEXTURE(t, random_image());
    fill(&t);
    const struct tex_sampler plain = random_sampler(&t.image);
    struct tex_sampler s;
    uint32_t tsc[8];
    tex_sampler_tsc(&plain, tsc);
    tex_sampler_decode(tsc, &s);
    const int axes = axes_of(&t);
    const bool array = t.image.dim == TEX_1D_ARRAY || t.image.dim == TEX_2D_ARRAY;
    for (int round = 0; round < 4; round++) {
        struct call c = {.args = {.op = (uint8_t)(below(3) == 0 ? TEX_OP_BIAS
                                                  : below(2)    ? TEX_OP_LOD
                                                                : TEX_OP_AUTO),
                                  .deriv = true,
                                  .lanes = LANES_ALL}};
        float coord[LANES][3], ref[LANES], lod[LANES];
        uint32_t layer[LANES];
        random_coords(&t, coord);
        const bool offsets = axes_of(&t) && !below(4);
        /* in a third of the cases hardly any quad is minified */
        const float most = below(3) ? 6.0f : 0.1f - s.lod_bias;
        for (int a = 0; a < 3; a++)
            c.args.offset[a] = offsets ? (int8_t)((int)below(16) - 8) : 0;
        int n = axes + array;
        for (int lane = 0; lane < LANES; lane++) {
            layer[lane] = below(t.image.layers);
            ref[lane] = rnd_float(-0.1f, 1.1f);
            lod[lane] = lane & 3 ? lod[lane - 1] : rnd_float(-4, most);
            for (int a = 0; a < axes; a++)
                set_word(&c.src[a], lane, &coord[lane][a]);
            if (array)
                set_word(&c.src[axes], lane, &layer[lane]);
        }
        if (s.compare) {
            for (int lane = 0; lane < LANES; lane++)
                set_word(&c.src[n], lane, &ref[lane]);
            n++;
        }
        if (c.args.op != TEX_OP_AUTO && n == 4)
            c.args.op = TEX_OP_AUTO;
        if (c.args.op != TEX_OP_AUTO) {
            for (int lane = 0; lane < LANES; lane++)
                set_word(&c.src[n], lane, &lod[lane]);
            n++;
        }
        c.args.source_count = (uint8_t)n;
        run(&t, &s, &c);
        for (int lane = 0; lane < LANES; lane++) {
            struct request q = {
                .axes = axes, .layer = (int)layer[lane], .ref = s.compare ? &ref[lane] : NULL};
            for (int a = 0; a < 3; a++)
                q.coord[a] = coord[lane][a], q.offset[a] = c.args.offset[a];
            bool unsure = false;
            struct tex_sampler as = s;
            const struct format_info *f = format_info(t.image.format);
            if (f->type == COMPONENT_SINT || f->type == COMPONENT_UINT) {
                as.mag_linear = as.min_linear = false;
                as.mip = as.mip == 3 ? 2 : as.mip;
            }
            const bool anisotropic = c.args.op != TEX_OP_LOD && as.min_linear && axes > 1;
            const struct ref_quad quad =
                ref_quad(&t, coord, lane, axes, anisotropic ? s.max_anisotropy : 1, &unsure);
            double level = c.args.op == TEX_OP_LOD ? lod[lane] : quad.lod;
            level += s.lod_bias + (c.args.op == TEX_OP_BIAS ? lod[lane] : 0);
            const struct color want = c.args.op == TEX_OP_LOD
                                          ? ref_sample(&t, &as, &q, level, &unsure)
                                          : ref_anisotropic(&t, &as, &q, &quad, level, &unsure);
            if (!unsure)
                check_color(&t, &s, &c, lane, &want, "filtered");
        }
    }
}

TEST(test_filtered) {
    for (int i = 0; i < 1500; i++)
        filtered_case();
}

static struct tex_image buffer(enum pixel_format format, uint32_t width) {
    return (struct tex_image){.format = format,
                              .dim = TEX_BUFFER,
                              /* a view has at least 4 bytes */
                              .width = width * format_info(format)->bytes < 4 ? 4 : width,
                              .height = 1,
                              .depth = 1,
                              .layers = 1,
                              .levels = 1,
                              .linear = true};
}

static void fetch_case(struct tex_image image) {
    TEXTURE(t, image);
    fill(&t);
    const struct tex_sampler s = {.mip = 1};
    const int axes = axes_of(&t);
    const bool array = t.image.dim == TEX_1D_ARRAY || t.image.dim == TEX_2D_ARRAY;
    struct call c = {.args = {.op = TEX_OP_FETCH,
                              .lanes = LANES_ALL,
                              .source_count = (uint8_t)(axes + array + 1)}};
    int at[LANES][5];
    for (int lane = 0; lane < LANES; lane++) {
        const int level = (int)below(t.image.levels + 1);
        const struct tex_level *l = &t.level[level < (int)t.image.levels ? level : 0];
        const uint32_t size[3] = {l->width, l->height, l->depth};
        for (int a = 0; a < 3; a++)
            at[lane][a] = a < axes ? (int)below(size[a] + 2) - 1 : 0;
        at[lane][3] = (int)below(t.image.layers);
        at[lane][4] = level;
        for (int a = 0; a < axes; a++)
            set_word(&c.src[a], lane, &at[lane][a]);
        if (array)
            set_word(&c.src[axes], lane, &at[lane][3]);
        set_word(&c.src[axes + array], lane, &at[lane][4]);
    }
    run(&t, &s, &c);
    for (int lane = 0; lane < LANES; lane++) {
        const int *p = at[lane], level = p[4];
        const struct tex_level *l = &t.level[level < (int)t.image.levels ? level : 0];
        struct color want = {{0}, {0}};
        if (level < (int)t.image.levels && p[0] >= 0 && p[0] < (int)l->width && p[1] >= 0 &&
            p[1] < (int)l->height && p[2] >= 0 && p[2] < (int)l->depth)
            want = read_texel(&t, &s, level, p[0], p[1], t.image.dim == TEX_3D ? p[2] : p[3], false,
                              NULL);
        check_color(&t, &s, &c, lane, &want, "fetch");
    }
}

TEST(test_fetch) {
    for (int i = 0; i < 400; i++)
        fetch_case(i % 4 ? random_image() : buffer(random_image().format, 1 + below(5000)));
}

/* Short buffers: many lanes read the last texel. */
TEST(test_fetch_from_short_buffers) {
    for (uint32_t i = 0; i < 8 * LENGTH(formats); i++)
        fetch_case(buffer(formats[i / 8], 1 + i % 8));
}
