/* The cache of decoded blocks: sampling a compressed texture gives the results of an uncompressed
 * texture with the same texels. The lanes of a warp are spread over the image in the ways of a
 * table, because the spread decides how blocks are looked up. */
#define _GNU_SOURCE
#include "tests/tex/calls.h"
#include "tests/shapes.h"

#include <dlfcn.h>
#include <sys/mman.h>

static bool no_memory; /* mappings fail */

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t from) {
    static void *(*next)(void *, size_t, int, int, int, off_t);
    if (no_memory)
        return MAP_FAILED;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "mmap");
    return next(at, size, protection, flags, fd, from);
}

enum { WIDTH = 1024, HEIGHT = 512, LEVELS = 3 };

/* Component c of texel (x, y): one of the two bytes of its block. Nearby blocks have other
 * bytes. */
static uint8_t texel(uint32_t x, uint32_t y, int level, int c, uint32_t seed) {
    const uint32_t block =
        (y / 4 * 256 + x / 4) * 2654435761u + (uint32_t)level * 77u + (uint32_t)c + seed;
    const uint32_t code = (x & 3) * 5 + (y & 3) * 3 + block;
    return (uint8_t)(code & 1 ? block >> 24 : block >> 16);
}

static void put_block(struct texture *t, int level, uint32_t bx, uint32_t by, int components,
                      uint32_t seed) {
    uint8_t block[16] = {0};
    for (int c = 0; c < components; c++) {
        const uint32_t x = bx * 4, y = by * 4;
        const uint32_t key =
            (by * 256 + bx) * 2654435761u + (uint32_t)level * 77u + (uint32_t)c + seed;
        uint64_t codes = 0;
        /* code 0 selects the first end point, code 1 the second */
        for (uint32_t i = 0; i < 16; i++)
            codes |= (uint64_t)((i % 4 * 5 + i / 4 * 3 + key) & 1) << 3 * i;
        assert_int_equal(texel(x, y, level, c, seed), (uint8_t)(key & 1 ? key >> 24 : key >> 16));
        block[8 * c] = (uint8_t)(key >> 16);
        block[8 * c + 1] = (uint8_t)(key >> 24);
        memcpy(block + 8 * c + 2, &codes, 6);
    }
    put(t, level, bx, by, 0, block);
}

/* The same image compressed (blocks) and uncompressed (plain). */
struct pair {
    struct texture blocks, plain;
    int components;
};

static void fill(struct pair *p, uint32_t seed) {
    for (int level = 0; level < LEVELS; level++)
        for (uint32_t y = 0; y < (uint32_t)HEIGHT >> level; y++)
            for (uint32_t x = 0; x < (uint32_t)WIDTH >> level; x++) {
                uint8_t v[2];
                for (int c = 0; c < 2; c++)
                    v[c] = texel(x, y, level, c, seed);
                put(&p->plain, level, x, y, 0, v);
                if (!(x & 3) && !(y & 3))
                    put_block(&p->blocks, level, x / 4, y / 4, p->components, seed);
            }
    capture(&p->blocks);
    capture(&p->plain);
}

static void make_pair(struct pair *p, int components, uint32_t seed) {
    struct tex_image i =
        image(components == 1 ? FORMAT_RGTC1_UNORM : FORMAT_RGTC2_UNORM, TEX_2D, WIDTH, HEIGHT);
    i.levels = LEVELS;
    p->components = components;
    make(&p->blocks, i);
    i.format = components == 1 ? FORMAT_R8_UNORM : FORMAT_RG8_UNORM;
    make(&p->plain, i);
    fill(p, seed);
}

/* Positions of lanes, which lie in rows of eight. Lane l of a row lies l * across texels to the
 * right and l * lean texels down; odd lanes lie `apart` texels further. Neighbouring rows lie
 * `down` texels apart. */
struct spread {
    const char *what;
    float across, down, apart, lean;
};
static const struct spread spreads[] = {
    {"one block", 0.1f, 0.1f, 0, 0},
    {"a few blocks", 0.9f, 1.1f, 0, 0},
    {"four columns, two rows", 1.5f, 2, 0, 0},
    {"three columns, three rows", 1, 6, 0, 0.4f},
    {"four columns, four rows", 1.4f, 10, 0, 0},
    {"two columns, two rows", 0.5f, 0.5f, 0, 0.5f},
    {"one column, many rows", 0.1f, 0.5f, 0, 1.7f},
    {"more columns than are looked up at once", 4, 1, 0, 0},
    {"more rows than are looked up at once", 1, 7, 0, 0},
    {"all columns that the cache tells apart", 17, 3, 0, 0},
    {"all rows that the cache tells apart", 2, 20, 0, 0},
    {"more columns than the cache tells apart", 40, 1, 0, 0},
    {"more rows than the cache tells apart", 1, 90, 0, 0},
    {"lanes that want one slot, in columns", 0.5f, 0, 128, 0},
    {"lanes that want one slot, in columns of 16", 0.5f, 0, 64, 0},
    {"lanes that want one slot, in rows", 0.5f, 64, 0, 0},
    {"everywhere", 177, 91, 333, 0},
};

static void sample(const struct texture *t, enum simd_level level, const struct tex_sampler *s,
                   const struct spread *at, float u, float v, u32x32 reg[4]) {
    const struct tex_args args = {
        .op = TEX_OP_AUTO, .source_count = 2, .deriv = true, .result_mask = 15, .lanes = LANES_ALL};
    struct call c = {0};
    for (int lane = 0; lane < LANES; lane++) {
        const float x = (float)(lane % 8) * at->across + (lane & 1 ? at->apart : 0);
        const float y = (float)(lane / 8) * at->down + (float)(lane % 8) * at->lean;
        set(&c, 0, lane, (u + x) / WIDTH);
        set(&c, 1, lane, (v + y) / HEIGHT);
    }
    memcpy(reg, c.reg, sizeof c.reg);
    tex_run(level, &t->view, s, &args, reg);
}

/* Samples twice at each SIMD level. capture() decodes the view anew, which gives it a new number,
 * so the cache has nothing of the image the first time; the second time it has the blocks of the
 * first. */
static void compare(struct pair *p, const struct tex_sampler *s, const struct spread *at, float u,
                    float v) {
    u32x32 got[4], want[4];
    sample(&p->plain, SIMD_BASE, s, at, u, v, want);
    for (int turn = 0; turn < 2 * ((int)simd_best() + 1); turn++) {
        const enum simd_level level = (enum simd_level)(turn / 2);
        if (!(turn & 1))
            capture(&p->blocks);
        sample(&p->blocks, level, s, at, u, v, got);
        for (int c = 0; c < p->components; c++)
            for (int lane = 0; lane < LANES; lane++)
                if (got[c][lane] != want[c][lane])
                    fail_msg("%s, %s, %d components, filter %d/%d: lane %d is %08x, not %08x",
                             at->what, simd_name(level), p->components, s->min_linear, s->mip, lane,
                             got[c][lane], want[c][lane]);
    }
}

/* A thread that cannot allocate its cache samples right values. This test must be the first: a
 * thread that has a cache keeps it. */
TEST(test_no_cache) {
    struct pair p;
    make_pair(&p, 2, 5);
    no_memory = true;
    for (size_t i = 0; i < LENGTH(spreads); i++) {
        const struct tex_sampler s = {.mag_linear = i & 1, .min_linear = i & 1, .mip = 1};
        compare(&p, &s, &spreads[i], 33.3f, 71.7f);
    }
    no_memory = false;
    memory_destroy(p.blocks.memory);
    memory_destroy(p.plain.memory);
}

/* Results are right when images take turns, and when an image changes between draws. */
TEST(test_spreads) {
    static struct pair pairs[3];
    for (int i = 0; i < 3; i++)
        make_pair(&pairs[i], i % 2 + 1, (uint32_t)i * 1000003u);
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < LENGTH(spreads); i++)
            for (int f = 0; f < 4; f++)
                for (int place = 0; place < 12; place++) {
                    const struct tex_sampler s = SAMPLER(f & 1, f & 2 ? 3 : 1, .max_lod = 15);
                    compare(&pairs[place % 3], &s, &spreads[i], (float)place * 96.3f,
                            (float)place * 41.7f);
                }
        for (int i = 0; i < 3; i++)
            fill(&pairs[i], pass + (uint32_t)i * 7654321u);
    }
    for (int i = 0; i < 3; i++) {
        memory_destroy(pairs[i].blocks.memory);
        memory_destroy(pairs[i].plain.memory);
    }
}
