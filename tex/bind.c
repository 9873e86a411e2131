/* Pairs a view with a sampler: computes once all data that sampling depends on, and chooses the
 * kernels. In: the views and samplers of descriptor.c. Out: bindings that programs call. Must not
 * know warps.
 */
#include "tex/kernels.h"
#include "tex/request.h"
#include "tex/wrap.h"

#include <math.h>

enum { LOD_MOST = 64 }; /* greater LODs are not distinguished */
enum { SOURCE_ZERO = 0, SOURCE_R = 2, SOURCE_A = 5, SOURCE_ONE_INT = 6, SOURCE_ONE_FLOAT = 7 };

static const struct tex_view no_view;
static const struct tex_sampler no_sampler = {.mip = 1, .max_lod = 15, .max_anisotropy = 1};

static bool shows_memory(uint8_t source) {
    return source >= SOURCE_R && source <= SOURCE_A;
}

/* ---- components ---- */

/* True for colours of sRGB formats. Alpha is linear: it is the fourth component, or the second of
 * two components if that one feeds only w (L8A8). */
static bool is_srgb(const struct tex_view *v, const struct tex_sampler *s, int c) {
    bool colour = v->bits[2];
    for (int i = 0; i < 3; i++)
        colour |= v->swizzle[i] == SOURCE_R + c;
    return v->srgb && !s->skip_srgb_decode && colour && c < 3;
}

static uint8_t decode_of(const struct tex_view *v, int c, bool srgb) {
    const bool wide = v->bits[c] > 16;
    if (v->storage == TEX_STORE_RGB9E5)
        return TEX_DECODE_RGB9E5;
    switch (v->component_type[c]) {
    case COMPONENT_UNORM:
        return srgb && v->bits[c] == 8 ? TEX_DECODE_SRGB
               : v->bits[c] == 32      ? TEX_DECODE_UNORM32
               : wide                  ? TEX_DECODE_UNORM24
                                       : TEX_DECODE_UNORM;
    case COMPONENT_SNORM:
        return wide ? TEX_DECODE_SNORM32 : TEX_DECODE_SNORM;
    case COMPONENT_SINT:
        return TEX_DECODE_SINT;
    case COMPONENT_FLOAT:
        return v->bits[c] == 32 ? TEX_DECODE_FLOAT : TEX_DECODE_HALF;
    default:
        return TEX_DECODE_UINT;
    }
}

static struct tex_component component_of(const struct tex_view *v, int c, bool srgb) {
    const bool block = v->storage >= TEX_STORE_DXT1 && v->storage < TEX_STORE_BC6H;
    const unsigned at = block ? 8u * (unsigned)c : v->shift[c];
    if (!v->bits[c])
        return (struct tex_component){.decode = TEX_DECODE_ABSENT, .bits = 32};
    struct tex_component d = {.decode = decode_of(v, c, srgb),
                              .word = (uint8_t)(at / 32),
                              .shift = at % 32,
                              .bits = v->bits[c]};
    const uint32_t greatest = 0xffffffffu >> (32 - d.bits);
    d.most = (float)(v->component_type[c] == COMPONENT_SNORM ? greatest >> 1 : greatest);
    d.scale = 1.0f / d.most;
    if (d.decode == TEX_DECODE_HALF) {
        d.up = d.bits < 16 ? 15 - d.bits : 0;
        d.bits = d.bits < 16 ? d.bits : 16;
    }
    return d;
}

/* ---- keys ---- */

/* True if the first result that shows a component shows an integer. Other results may differ: a
 * depth view of Z24S8 has an integer beside the depth. */
static bool is_integer(const struct tex_view *v) {
    uint8_t type = v->component_type[0];
    for (int i = 3; i >= 0; i--)
        if (shows_memory(v->swizzle[i]))
            type = v->component_type[v->swizzle[i] - SOURCE_R];
    return type == COMPONENT_SINT || type == COMPONENT_UINT;
}

static uint8_t fetch_of(const struct tex_view *v) {
    if (v->storage >= TEX_STORE_DXT1)
        return v->storage < TEX_STORE_BC6H ? TEX_FETCH_BLOCK : TEX_FETCH_WIDE_BLOCK;
    switch (v->bytes) {
    case 1:
        return TEX_FETCH_1;
    case 2:
        return TEX_FETCH_2;
    case 4:
        return TEX_FETCH_4;
    case 8:
        return TEX_FETCH_8;
    case 12:
        return TEX_FETCH_12;
    default:
        return TEX_FETCH_16;
    }
}

static bool has_srgb(const struct tex_bound *b) {
    bool srgb = false;
    for (int c = 0; c < 4; c++)
        srgb |= b->component[c].decode == TEX_DECODE_SRGB;
    return srgb;
}

/* Returns the decoding that all shown components have; TEX_DECODE_MIXED if they differ. fetch: how
 * texels are fetched. */
static uint8_t decode_of_shown(const struct tex_bound *b, uint8_t fetch) {
    uint8_t decode = TEX_DECODE_ABSENT;
    bool bytes = true;
    for (int c = 0; c < 4; c++) {
        const struct tex_component *d = &b->component[c];
        if (!(b->components[15] >> c & 1) || d->decode == TEX_DECODE_ABSENT)
            continue;
        bytes &= d->bits == 8 && !d->word && d->shift == 8 * c;
        if (c == 3 && decode == TEX_DECODE_SRGB && d->decode == TEX_DECODE_UNORM && bytes)
            break; /* alpha next to sRGB colours */
        decode = decode == TEX_DECODE_ABSENT || decode == d->decode ? d->decode : TEX_DECODE_MIXED;
    }
    if (decode == TEX_DECODE_SRGB && !bytes)
        return TEX_DECODE_MIXED;
    bytes &= fetch == TEX_FETCH_4 || fetch == TEX_FETCH_BLOCK;
    return decode == TEX_DECODE_UNORM && bytes ? TEX_DECODE_BYTES : decode;
}

/* Returns the width in bits of the shown components, if each shown component c lies at bit c *
 * width; else 0. */
static uint8_t width_of_shown(const struct tex_bound *b) {
    const struct tex_view *v = b->view;
    uint8_t width = 0;
    for (int c = 0; c < 4; c++)
        if (b->components[15] >> c & 1 && v->bits[c]) {
            if (v->shift[c] != c * v->bits[c])
                return 0;
            width = v->bits[c];
        }
    return width;
}

/* Makes the key. cube: true if coordinates are directions, which choose faces; otherwise faces are
 * layers. */
static struct tex_key key_of(const struct tex_bound *b, bool cube, bool compare) {
    static const uint8_t axes[] = {[TEX_1D] = 1,     [TEX_2D] = 2,       [TEX_3D] = 3,
                                   [TEX_CUBE] = 2,   [TEX_1D_ARRAY] = 1, [TEX_2D_ARRAY] = 2,
                                   [TEX_BUFFER] = 1, [TEX_2D_NOMIP] = 2, [TEX_CUBE_ARRAY] = 2};
    const struct tex_view *v = b->view;
    const struct tex_sampler *s = b->sampler;
    const bool integer = is_integer(v), one_level = v->first_level == v->last_level;
    struct tex_key k = {.fetch = fetch_of(v),
                        .decode = compare ? b->depth.decode : decode_of_shown(b, fetch_of(v)),
                        .width = compare ? 0 : width_of_shown(b),
                        .axes = axes[v->dim],
                        .mag_linear = s->mag_linear && !integer,
                        .min_linear = s->min_linear && !integer,
                        .cube = cube,
                        .layers = view_is_cube(v) || view_has_layers(v),
                        .array = view_has_layers(v) || (view_is_cube(v) && !cube),
                        .seamless = cube && (b->flags & TEX_SEAMLESS),
                        .normalized = v->normalized || cube,
                        .linear = v->linear,
                        .whole = v->whole,
                        .offsets = !cube,
                        .singly = simd_gathers_slowly()};
    k.mip = s->mip <= 1 || one_level ? 1 : s->mip == 3 && !integer ? 3 : 2;
    for (int i = 0; i < 3; i++) {
        k.wrap[i] = k.seamless || (cube && i == 2) ? WRAP_EDGE : s->wrap[i] & 7;
        k.border |= i < k.axes && wrap_has_border(k.wrap[i], s->mag_linear || s->min_linear);
    }
    if (integer && k.decode != TEX_DECODE_UINT && k.decode != TEX_DECODE_SINT)
        k.width = 0;
    k.aniso = b->max_anisotropy > 1 && k.min_linear && k.axes > 1;
    k.lod = k.mip > 1 || k.mag_linear != k.min_linear || k.aniso;
    k.sum = compare                                    ? TEX_SUM_COMPARE
            : integer                                  ? TEX_SUM_NONE
            : v->bytes4 && k.axes == 2 && !has_srgb(b) ? TEX_SUM_BYTES
                                                       : TEX_SUM_FLOATS;
    return k;
}

struct tex_key tex_key_of_call(const struct tex_bound *b, const struct tex_call *call) {
    const bool cube = view_is_cube(b->view) && call->cube;
    const bool compare =
        b->sampler->compare &&
        request_has_reference(b->key.axes, cube, view_has_layers(b->view) || cube != b->key.cube,
                              call);
    return key_of(b, cube, compare);
}

struct tex_key tex_key_plain(const struct tex_bound *b, bool cube) {
    struct tex_key k = key_of(b, cube, false);
    k.border = k.aniso = false;
    if (k.sum != TEX_SUM_NONE)
        k.sum = TEX_SUM_FLOATS;
    return k;
}

struct tex_key tex_key_gather(struct tex_key k) {
    for (int i = 0; i < k.axes; i++)
        k.border |= wrap_has_border(k.wrap[i], true);
    if (k.sum == TEX_SUM_BYTES)
        k.sum = TEX_SUM_FLOATS;
    k.aniso = false;
    return k;
}

/* Integers of 32 bits are stored in results unchanged, like floats, so the kernels of floats sample
 * them, too. A border of integers has words of its own, so a key with a border stays as it is. */
static struct tex_key words_as_floats(struct tex_key k) {
    if (k.sum == TEX_SUM_NONE && k.width == 32 && !k.border) {
        k.sum = TEX_SUM_FLOATS;
        k.decode = TEX_DECODE_FLOAT;
    }
    return k;
}

/* ---- bindings ---- */

bool tex_bound_is(const struct tex_bound *bound, const struct tex_view *view,
                  const struct tex_sampler *sampler, uint32_t flags) {
    return bound->view == (view ? view : &no_view) &&
           bound->sampler == (sampler ? sampler : &no_sampler) && bound->flags == flags;
}

static void bind_components(struct tex_bound *b) {
    const struct tex_view *v = b->view;
    for (int c = 0; c < 4; c++)
        b->component[c] = component_of(v, c, is_srgb(v, b->sampler, c));
    b->depth = component_of(v, v->depth_component, false);
    for (int i = 0; i < 4; i++) {
        const int c = v->swizzle[i] - SOURCE_R;
        uint8_t shown = 0;
        b->swizzle[i] = v->swizzle[i];
        if (shows_memory(v->swizzle[i]) && !v->bits[c] && !b->sampler->compare)
            b->swizzle[i] = SOURCE_ZERO;
        if (shows_memory(b->swizzle[i]))
            shown = (uint8_t)(1 << c);
        else
            b->constant |= (uint8_t)(1 << i);
        b->constants[i] = b->swizzle[i] == SOURCE_ONE_INT     ? 1
                          : b->swizzle[i] == SOURCE_ONE_FLOAT ? 0x3f800000u
                                                              : 0;
        for (int below = 0; below < 1 << i; below++)
            b->components[1 << i | below] = b->components[below] | shown;
    }
}

/* Returns the border colour, clamped to the range of the format (tesla-3d.md §4.3); a NaN becomes
 * the lowest number. */
static float border_of(const struct tex_view *v, int component, float border) {
    const uint8_t type = v->component_type[component];
    if (type != COMPONENT_UNORM && type != COMPONENT_SNORM)
        return border;
    const float low = type == COMPONENT_SNORM ? -1.0f : 0.0f;
    return !(border > low) ? low : border < 1.0f ? border : 1.0f;
}

/* Border words replace results, so each is clamped to the range of the component that its result
 * shows. */
static void bind_border(struct tex_bound *b) {
    const struct tex_view *v = b->view;
    for (int i = 0; i < 4; i++) {
        const int c = shows_memory(v->swizzle[i]) ? v->swizzle[i] - SOURCE_R : 0;
        b->border[i] = border_of(v, c, b->sampler->border[i]);
    }
    b->depth_border = border_of(v, v->depth_component, b->sampler->border[0]);
}

/* Finds the masks of results whose rows can be stored directly, without the swizzle: each component
 * is shown at most once, or a single component is shown, or all results are constants. */
static void bind_rows(struct tex_bound *b) {
    for (int mask = 0; mask < 16; mask++) {
        int row = 0, shown = 0;
        bool once = true;
        for (int c = 0; c < 4; c++)
            b->place[mask][c] = -1;
        for (int i = 0; i < 4; i++) {
            const int c = (b->swizzle[i] - SOURCE_R) & 3;
            if (!(mask >> i & 1))
                continue;
            row++;
            if (b->constant >> i & 1)
                continue;
            once &= !(shown >> c & 1);
            shown |= 1 << c;
            b->place[mask][c] = (int16_t)((row - 1) * (int)sizeof(u32x32));
        }
        b->direct |= (uint16_t)(once << mask);
        b->four |= (uint16_t)((shown == 15) << mask);
        if (shown && !(shown & (shown - 1)))
            b->single |= (uint16_t)(1 << mask);
    }
}

static float clamp(float v, float low, float high) {
    return v < low ? low : v < high ? v : high;
}

/* Limits the sampler's clamps to the existing levels, if there are several levels. LODs are rounded
 * to 1/256, so a step that is slightly longer than a texel still gives LOD 0 (near). */
static void bind_lod(struct tex_bound *b) {
    const struct tex_sampler *s = b->sampler;
    const float least = b->key.mip > 1 ? 0.0f : -LOD_MOST;
    const float most =
        b->key.mip > 1 ? (float)(b->view->last_level - b->view->first_level) : LOD_MOST;
    b->lod_low = clamp(s->min_lod, least, most);
    b->lod_high = clamp(s->max_lod, least, most);
    b->near = s->min_lod <= 0 ? 1.002f * exp2f(-2.0f * s->lod_bias) : -1.0f;
    b->square_scale = exp2f(2.0f * s->lod_bias);
    b->level_low = (int)b->lod_low;
    b->level_high = (b->lod_high < most ? (int)b->lod_high : (int)most - 1);
}

void tex_bind(struct tex_bound *b, const struct tex_view *view, const struct tex_sampler *sampler,
              uint32_t flags, enum simd_level simd) {
#define X(name) SIMD_CHOICE(name, name);
    TEX_OTHER_KERNELS(X)
#undef X
    SIMD_CHOICE(find, kernel_find);
    SIMD_CHOICE(find_fetch, fetch_find);
    SIMD_CHOICE(find_gather, gather_find);
    SIMD_CHOICE(back, back_find);
    *b = (struct tex_bound){
        .view = view ? view : &no_view, .sampler = sampler ? sampler : &no_sampler, .flags = flags};
    tex_kernel **k = b->binding.kernel;
    for (int op = 0; op < TEX_OPS; op++)
        k[op] = kernel_nothing[simd];
    if (!b->view->valid)
        return;
    b->max_anisotropy =
        b->view->max_anisotropy ? b->view->max_anisotropy : b->sampler->max_anisotropy;
    b->whole_srgb = simd_gathers_slowly() && simd_permutes_bytes();
    bind_components(b);
    bind_rows(b);
    bind_border(b);
    const struct tex_key key = key_of(b, view_is_cube(b->view), b->sampler->compare);
    b->key = words_as_floats(key);
    bind_lod(b);
    back[simd](&b->key, &b->back);
    b->fetch_key = words_as_floats(tex_key_plain(b, false));
    back[simd](&b->fetch_key, &b->fetch);
    b->gather_key = tex_key_gather(key);
    back[simd](&b->gather_key, &b->gather);
    k[TEX_OP_AUTO] = k[TEX_OP_BIAS] = k[TEX_OP_LOD] = find[simd](&b->key, false);
    b->moved = find[simd](&b->key, true);
    k[TEX_OP_CSAA] = k[TEX_OP_AUTO]; /* not known; treated as texauto (tesla-isa.md §14) */
    k[TEX_OP_FETCH] = find_fetch[simd](b);
    k[TEX_OP_FETCH_SAMPLE] = kernel_fetch_sample[simd];
    k[TEX_OP_SIZE] = kernel_size[simd];
    k[TEX_OP_TYPE] = kernel_type[simd];
    k[TEX_OP_PREP] = kernel_prep[simd];
    k[TEX_OP_QUERYLOD] = kernel_querylod[simd];
    k[TEX_OP_GATHER] = find_gather[simd](b);
}
