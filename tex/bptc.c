/* Texels of BPTC blocks: see bptc.h. A block of 128 bits has a mode, end points of up to three
 * subsets of its texels, and for each texel an index: the weight of its subset's second end point.
 * Facts: the extension ARB_texture_compression_bptc.
 */
#include "tex/bptc.h"

/* ---- both formats ---- */

struct bits {
    const uint32_t *word;
    uint32_t at;
};

static uint32_t peek(const struct bits *b, uint32_t at, uint32_t count) {
    uint32_t v = 0;
    for (uint32_t i = 0; i < count && at + i < 128; i++)
        v |= (b->word[(at + i) / 32] >> (at + i) % 32 & 1) << i;
    return v;
}

static uint32_t take(struct bits *b, uint32_t count) {
    const uint32_t v = peek(b, b->at, count);
    b->at += count;
    return v;
}

/* The subset of each texel, two bits each, by partition. */
/* clang-format off */
static const uint32_t two_subsets[64] = {
    0x50505050, 0x40404040, 0x54545454, 0x54505040, 0x50404000, 0x55545450, 0x55545040, 0x54504000,
    0x50400000, 0x55555450, 0x55544000, 0x54400000, 0x55555440, 0x55550000, 0x55555500, 0x55000000,
    0x55150100, 0x00004054, 0x15010000, 0x00405054, 0x00004050, 0x15050100, 0x05010000, 0x40505054,
    0x00404050, 0x05010100, 0x14141414, 0x05141450, 0x01155440, 0x00555500, 0x15014054, 0x05414150,
    0x44444444, 0x55005500, 0x11441144, 0x05055050, 0x05500550, 0x11114444, 0x41144114, 0x44111144,
    0x15055054, 0x01055040, 0x05041050, 0x05455150, 0x14414114, 0x50050550, 0x41411414, 0x00141400,
    0x00041504, 0x00105410, 0x10541000, 0x04150400, 0x50410514, 0x41051450, 0x05415014, 0x14054150,
    0x41050514, 0x41505014, 0x40011554, 0x54150140, 0x50505500, 0x00555050, 0x15151010, 0x54540404
};
static const uint32_t three_subsets[64] = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254
};
/* clang-format on */
/* Anchors: texels whose index is stored without its highest bit, which is 0. By partition, as
 * hexadecimal digits. Texel 0 always is an anchor. */
static const char anchor_of_two[] =
    "fffffffffffffffff282288f28228822ff6828ff28222ff66268ff22fffff22f";
static const char anchors_of_three[2][65] = {
    "33ff83ff88666533338f336a588685ff8f356a8ff3f5ffff3f55585a5a8dfc33",
    "f883ff38fffffff8f8f3f8f83f6affa8f3faa89a6f8f3668f3ffffffffff3ff8"};

static uint32_t subset_of(uint32_t subsets, uint32_t partition, uint32_t texel) {
    const uint32_t of = subsets == 2   ? two_subsets[partition]
                        : subsets == 3 ? three_subsets[partition]
                                       : 0;
    return of >> 2 * texel & 3;
}

static uint32_t digit(char c) {
    return (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Returns the number of anchors below a texel. *is: true if the texel is an anchor itself. */
static uint32_t anchors_below(uint32_t subsets, uint32_t partition, uint32_t texel, bool *is) {
    uint32_t anchor[3] = {0}, below = 0;
    if (subsets == 2)
        anchor[1] = digit(anchor_of_two[partition]);
    for (uint32_t i = 0; i < 2 && subsets == 3; i++)
        anchor[i + 1] = digit(anchors_of_three[i][partition]);
    *is = false;
    for (uint32_t i = 0; i < subsets; i++) {
        below += anchor[i] < texel;
        *is |= anchor[i] == texel;
    }
    return below;
}

/* Returns the weight, in 64ths, for the index of a texel. The indices begin at bit b->at. */
static int32_t weight_of(const struct bits *b, uint32_t width, uint32_t subsets, uint32_t partition,
                         uint32_t texel) {
    static const uint8_t weights[5][16] = {
        [2] = {0, 21, 43, 64},
        [3] = {0, 9, 18, 27, 37, 46, 55, 64},
        [4] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}};
    bool anchor;
    const uint32_t before = anchors_below(subsets, partition, texel, &anchor);
    return weights[width][peek(b, b->at + texel * width - before, width - anchor)];
}

static int32_t mix(int32_t a, int32_t b, int32_t weight) {
    return (a * (64 - weight) + b * weight + 32) >> 6;
}

/* ---- four bytes ---- */

struct unorm_mode {
    /* the number of subsets; bits of the other fields in a block */
    uint8_t subsets, partition, rotation, selection;
    uint8_t color, alpha; /* bits of an end point's components */
    /* a lowest bit of each end point; one for both end points of a subset */
    uint8_t own_bit, shared_bit;
    uint8_t index, second_index; /* bits of an index */
};
static const struct unorm_mode unorm_modes[8] = {
    {3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0},
    {2, 6, 0, 0, 7, 0, 1, 0, 2, 0}, {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
    {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0}};

struct unorm_block {
    const struct unorm_mode *mode;
    uint32_t partition, rotation, selection;
    uint8_t end[6][4]; /* end points: first and second of each subset */
    struct bits index;
};

/* Extends a value to 8 bits: its highest bits are repeated in the low bits. */
static uint8_t widen(uint32_t v, uint32_t bits) {
    return (uint8_t)(v << (8 - bits) | v >> (2 * bits - 8));
}

static void read_ends(struct bits *b, struct unorm_block *u) {
    const struct unorm_mode *m = u->mode;
    const uint32_t ends = 2u * m->subsets, lowest = m->own_bit | m->shared_bit;
    uint32_t low[6] = {0};
    uint32_t value[6][4];
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t i = 0; i < ends; i++)
            value[i][c] = take(b, c < 3 ? m->color : m->alpha);
    for (uint32_t i = 0; i < ends && lowest; i++)
        low[i] = m->shared_bit && i % 2 ? low[i - 1] : take(b, 1);
    for (uint32_t i = 0; i < ends; i++)
        for (uint32_t c = 0; c < 4; c++) {
            const uint32_t bits = (c < 3 ? m->color : m->alpha) + lowest;
            u->end[i][c] = c == 3 && !m->alpha ? 255 : widen(value[i][c] << lowest | low[i], bits);
        }
}

/* Decodes the fields of a block. False if the mode is reserved. */
static bool read_unorm(const uint32_t word[4], struct unorm_block *u) {
    struct bits b = {word, 0};
    if (!(word[0] & 0xff))
        return false;
    u->mode = &unorm_modes[__builtin_ctz(word[0])];
    b.at = (uint32_t)__builtin_ctz(word[0]) + 1;
    u->partition = take(&b, u->mode->partition);
    u->rotation = take(&b, u->mode->rotation);
    u->selection = take(&b, u->mode->selection);
    read_ends(&b, u);
    u->index = b;
    return true;
}

static uint32_t unorm_texel(const struct unorm_block *u, uint32_t texel) {
    const struct unorm_mode *m = u->mode;
    const uint32_t subset = subset_of(m->subsets, u->partition, texel);
    const uint8_t *a = u->end[2 * subset], *b = u->end[2 * subset + 1];
    int32_t weight[2];
    weight[0] = weight[1] = weight_of(&u->index, m->index, m->subsets, u->partition, texel);
    if (m->second_index) { /* one index is for the colour, the other for alpha */
        const struct bits second = {u->index.word, u->index.at + 16u * m->index - 1};
        weight[!u->selection] = weight_of(&second, m->second_index, 1, 0, texel);
    }
    uint8_t rgba[4];
    for (int c = 0; c < 4; c++)
        rgba[c] = (uint8_t)mix(a[c], b[c], weight[c == 3]);
    if (u->rotation) {
        const uint8_t alpha = rgba[3];
        rgba[3] = rgba[u->rotation - 1];
        rgba[u->rotation - 1] = alpha;
    }
    return rgba[0] | (uint32_t)rgba[1] << 8 | (uint32_t)rgba[2] << 16 | (uint32_t)rgba[3] << 24;
}

void bptc_unorm(const uint32_t block[4], uint32_t first, uint32_t count, uint32_t *texel) {
    struct unorm_block u;
    const bool valid = read_unorm(block, &u);
    for (uint32_t i = 0; i < count; i++)
        texel[i] = valid ? unorm_texel(&u, first + i) : 0;
}

/* ---- three half floats ---- */

/* `fields` names the fields of the end points in the order of the bits, with four characters a
 * field: the component (a capital: the field's highest bit comes first), the number of the end
 * point, the lowest bit of the component that the field holds, and the number of bits. The last two
 * are hexadecimal. */
struct float_mode {
    uint8_t bits;     /* bits of an end point's component */
    uint8_t delta[3]; /* bits of the differences from the first end point; 0: none are stored */
    uint8_t subsets;  /* 0: the mode is reserved */
    const char *fields;
};
/* clang-format off */
static const struct float_mode float_modes[32] = {
    [0x00] = {10, {5, 5, 5}, 2,
     "g241 b241 b341 r00a g00a b00a r105 g341 g204 g105 b301 g304 b105 b311 b204 r205 "
     "b321 r305 b331"},
    [0x01] = {7, {6, 6, 6}, 2,
     "g251 g341 g351 r007 b301 b311 b241 g007 b251 b321 g241 b007 b331 b351 b341 r106 "
     "g204 g106 g304 b106 b204 r206 r306"},
    [0x02] = {11, {5, 4, 4}, 2,
     "r00a g00a b00a r105 r0a1 g204 g104 g0a1 b301 g304 b104 b0a1 b311 b204 r205 b321 "
     "r305 b331"},
    [0x03] = {10, {0, 0, 0}, 1,
     "r00a g00a b00a r10a g10a b10a"},
    [0x06] = {11, {4, 5, 4}, 2,
     "r00a g00a b00a r104 r0a1 g341 g204 g105 g0a1 g304 b104 b0a1 b311 b204 r204 b301 "
     "b321 r304 g241 b331"},
    [0x07] = {11, {9, 9, 9}, 1,
     "r00a g00a b00a r109 r0a1 g109 g0a1 b109 b0a1"},
    [0x0a] = {11, {4, 4, 5}, 2,
     "r00a g00a b00a r104 r0a1 b241 g204 g104 g0a1 b301 g304 b105 b0a1 b204 r204 b311 "
     "b321 r304 b341 b331"},
    [0x0b] = {12, {8, 8, 8}, 1,
     "r00a g00a b00a r108 R0a2 g108 G0a2 b108 B0a2"},
    [0x0e] = {9, {5, 5, 5}, 2,
     "r009 b241 g009 g241 b009 b341 r105 g341 g204 g105 b301 g304 b105 b311 b204 r205 "
     "b321 r305 b331"},
    [0x0f] = {16, {4, 4, 4}, 1,
     "r00a g00a b00a r104 R0a6 g104 G0a6 b104 B0a6"},
    [0x12] = {8, {6, 5, 5}, 2,
     "r008 g341 b241 g008 b321 g241 b008 b331 b341 r106 g204 g105 b301 g304 b105 b311 "
     "b204 r206 r306"},
    [0x16] = {8, {5, 6, 5}, 2,
     "r008 b301 b241 g008 g251 g241 b008 g351 b341 r105 g341 g204 g106 g304 b105 b311 "
     "b204 r205 b321 r305 b331"},
    [0x1a] = {8, {5, 5, 6}, 2,
     "r008 b311 b241 g008 b251 g241 b008 b351 b341 r105 g341 g204 g105 b301 g304 b106 "
     "b204 r205 b321 r305 b331"},
    [0x1e] = {6, {0, 0, 0}, 2,
     "r006 g341 b301 b311 b241 g006 g251 b251 b321 g241 b006 g351 b331 b351 b341 r106 "
     "g204 g106 g304 b106 b204 r206 r306"},
};
/* clang-format on */

struct float_block {
    uint32_t subsets, partition;
    bool is_signed;
    int32_t end[4][3]; /* components of 16 bits, or of 17 bits with a sign */
    struct bits index;
};

static int32_t extend(int32_t v, uint32_t bits) {
    return (int32_t)((uint32_t)v << (32 - bits)) >> (32 - bits);
}

static void read_fields(struct bits *b, const char *fields, int32_t end[4][3]) {
    for (const char *f = fields; *f; f += f[4] ? 5 : 4) {
        const bool reversed = *f < 'a';
        const char name = (char)(*f | 0x20);
        int32_t *to = &end[digit(f[1])][name == 'r' ? 0 : name == 'g' ? 1 : 2];
        const uint32_t low = digit(f[2]), count = digit(f[3]);
        for (uint32_t i = 0; i < count; i++)
            *to |= (int32_t)(take(b, 1) << (low + (reversed ? count - 1 - i : i)));
    }
}

/* Extends a component of an end point from `bits` bits to the full range. */
static int32_t unquantize(int32_t v, uint32_t bits, bool is_signed) {
    const int32_t sign = v < 0 ? -1 : 1, size = v * sign, greatest = (1 << (bits - is_signed)) - 1;
    if (is_signed ? bits >= 16 : bits >= 15)
        return v;
    if (!v)
        return 0;
    if (size >= greatest)
        return sign * (is_signed ? 0x7fff : 0xffff);
    return is_signed ? sign * (((size << 15) + 0x4000) >> (bits - 1))
                     : ((size << 15) + 0x4000) >> (bits - 1);
}

static void finish_ends(const struct float_mode *m, struct float_block *u) {
    const int32_t mask = (int32_t)((1u << m->bits) - 1);
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t i = 0; i < 2 * u->subsets; i++) {
            int32_t *v = &u->end[i][c];
            if (i && m->delta[c])
                *v = (u->end[0][c] + extend(*v, m->delta[c])) & mask;
            if (u->is_signed)
                *v = extend(*v, m->bits);
        }
    for (uint32_t i = 0; i < 2 * u->subsets; i++)
        for (uint32_t c = 0; c < 3; c++)
            u->end[i][c] = unquantize(u->end[i][c], m->bits, u->is_signed);
}

static bool read_float(const uint32_t word[4], bool is_signed, struct float_block *u) {
    struct bits b = {word, 0};
    const uint32_t mode = take(&b, (word[0] & 3) < 2 ? 2 : 5);
    const struct float_mode *m = &float_modes[mode];
    if (!m->subsets)
        return false;
    *u = (struct float_block){.subsets = m->subsets, .is_signed = is_signed};
    read_fields(&b, m->fields, u->end);
    u->partition = take(&b, m->subsets == 2 ? 5 : 0);
    u->index = b;
    finish_ends(m, u);
    return true;
}

/* Returns an interpolated component as the bits of a half float. */
static uint32_t half_of(int32_t v, bool is_signed) {
    if (!is_signed)
        return (uint32_t)(v * 31) >> 6;
    return v < 0 ? 0x8000 | (uint32_t)(-v * 31) >> 5 : (uint32_t)(v * 31) >> 5;
}

static uint64_t float_texel(const struct float_block *u, uint32_t texel) {
    const uint32_t subset = subset_of(u->subsets, u->partition, texel);
    const int32_t *a = u->end[2 * subset], *b = u->end[2 * subset + 1];
    const int32_t weight =
        weight_of(&u->index, u->subsets == 2 ? 3 : 4, u->subsets, u->partition, texel);
    uint64_t v = 0;
    for (uint32_t c = 0; c < 3; c++)
        v |= (uint64_t)half_of(mix(a[c], b[c], weight), u->is_signed) << 16 * c;
    return v;
}

void bptc_float(const uint32_t block[4], bool is_signed, uint32_t first, uint32_t count,
                uint64_t *texel) {
    struct float_block u;
    const bool valid = read_float(block, is_signed, &u);
    for (uint32_t i = 0; i < count; i++)
        texel[i] = valid ? float_texel(&u, first + i) : 0;
}
