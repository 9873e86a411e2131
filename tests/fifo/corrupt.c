/* Damaged pushbuffers with every engine bound: the methods of a blit, a copy, a launch and a draw,
 * with words changed at random and methods of all classes in between. The process survives, each
 * stream ends, and another channel still works. TESLAPIPE_STREAMS sets the number of streams
 * (default 300), TESLAPIPE_SEED the first one. */
#include "fifo/engine.h"
#include "shader/isa/isa.h"
#include "tex/tex.h"
#include "tests/assembled.h"
#include "tests/fifo/words.h"
#include "tests/test.h"
#include "tests/shapes.h"

enum { THREE_D = 3, TWO_D = 4, M2MF = 5, COMPUTE = 6, ENGINES = 4 };
enum { PUSH_WORDS = 8192, DATA_BYTES = 1 << 20, WORK_LIMIT = 1 << 14, WARP_BUDGET = 2000 };
/* Offsets in the fixture's data. */
enum {
    CODE_AT = 0,
    CODE_STRIDE = 0x400,
    VERTICES_AT = 0x2000,
    TIC_AT = 0x3000,
    TSC_AT = 0x3800,
    CONST_AT = 0x4000,
    TARGET_AT = 0x10000,
    ZETA_AT = 0x20000,
    COPY_AT = 0x40000,
    PROOF_AT = 0xf0000,
};

struct fixture {
    tp_device *device;
    struct gpu_memory *memory;
    struct channel *channel;
    uint64_t push, data;
    uint32_t *word;
    uint8_t *bytes;
    uint32_t count;
    uint32_t damage; /* one in `damage` words is changed; 0: none */
    uint64_t random;
    char line[512]; /* the last logged line */
};

static const struct {
    const struct engine_class *class;
    uint32_t subchannel;
} engines[ENGINES] = {
    {&engine_3d, THREE_D}, {&engine_2d, TWO_D}, {&engine_m2mf, M2MF}, {&engine_compute, COMPUTE}};

static void keep_line(void *self, int level, const char *line) {
    struct fixture *f = self;
    (void)level;
    snprintf(f->line, sizeof f->line, "%s", line);
}

static uint32_t next_random(struct fixture *f) {
    return (uint32_t)random_next(&f->random);
}

static uint32_t damaged(struct fixture *f, uint32_t word) {
    static const uint32_t edges[] = {0,          1,          2,          0xffff,     0x10000,
                                     0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00000, 0x7f800000,
                                     0xff800000, 0x3f800000, 0x00000100, 8192};
    const uint32_t r = next_random(f);
    if (!f->damage || r % f->damage)
        return word;
    switch (next_random(f) % 6) {
    case 0:
        return word ^ 1u << next_random(f) % 32;
    case 1:
        return word + next_random(f) % 129 - 64;
    case 2:
        return edges[next_random(f) % (LENGTH(edges))];
    case 3:
        return next_random(f) << 8 ^ next_random(f);
    case 4: /* an address in the buffer */
        return (uint32_t)f->data + next_random(f) % DATA_BYTES;
    default: /* a small number */
        return next_random(f) % 64;
    }
}

static void put(struct fixture *f, uint32_t word) {
    if (f->count < PUSH_WORDS)
        f->word[f->count++] = word;
}

static void method(struct fixture *f, uint32_t subchannel, uint32_t address, uint32_t count,
                   const uint32_t *data) {
    put(f, damaged(f, count << 18 | subchannel << 13 | address));
    for (uint32_t i = 0; i < count; i++)
        put(f, damaged(f, data[i]));
}

static void one(struct fixture *f, uint32_t subchannel, uint32_t address, uint32_t data) {
    method(f, subchannel, address, 1, &data);
}

static void address_of(struct fixture *f, uint32_t subchannel, uint32_t high, uint32_t offset) {
    const uint64_t a = f->data + offset;
    METHOD(f, subchannel, high, HIGH_LOW(a));
}

static void run(struct fixture *f) {
    channel_execute(f->channel, f->push, f->count * 4);
    channel_finish(f->channel);
    f->count = 0;
}

static void bind(struct fixture *f) {
    for (int i = 0; i < ENGINES; i++)
        one(f, engines[i].subchannel, 0, 0xbeef0000u | (uint32_t)i);
}

static void upload(struct fixture *f, enum isa_variant variant, enum program_type type,
                   const char *text) {
    put_assembled(f->bytes + CODE_AT + (unsigned)type * CODE_STRIDE, variant, type, text);
}

static void upload_programs(struct fixture *f, enum isa_variant variant) {
    upload(f, variant, PROGRAM_VP,
           "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] "
           "a[0xc]\n"
           "ld $r1 b32 c1[0x4]\nmov b32 o[0x10] $r1\nexit nop\n");
    upload(f, variant, PROGRAM_GP,
           "shl $a1 a[0x0] 0x0\nmov b32 $r0 p[$a1+0x0]\nmov b32 o[0x0] $r0\nmov b32 o[0x4] $r0\n"
           "mov b32 o[0x8] $r0\nmov b32 o[0xc] $r0\nemit\nrestart\nexit nop\n");
    upload(f, variant, PROGRAM_FP,
           "interp $r4 v[0x0]\nrcp f32 $r4 $r4\ninterp $r0 v[0x4] $r4\nmov b32 $r1 $r0\n"
           "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n");
    upload(f, variant, PROGRAM_CP,
           "cvt u32 $r1 u16 $r0l\nshl b32 $r1 $r1 2\nmov b32 $r2 b32 s[0x10]\nadd b32 $r2 $r2 $r1\n"
           "st b32 g15[$r1] $r2\nshl $a1 $r1 0x0\nst b32 s[$a1+0x40] $r2\nexit nop\n");
}

/* ---- the normal work of each engine ---- */

static void blit(struct fixture *f) {
    for (uint32_t at = 0x200; at <= 0x230; at += 0x30) { /* DST, SRC */
        METHOD(f, TWO_D, at, 0xd5, 0, 0x10, 1, 0);
        METHOD(f, TWO_D, at + 0x18, 64, 64);
        address_of(f, TWO_D, at + 0x20, at == 0x200 ? TARGET_AT : COPY_AT);
    }
    one(f, TWO_D, 0x2ac, 3);
    METHOD(f, TWO_D, 0x8b0, 0, 0, 64, 64, 0, 1, 0, 1, 0, 0, 0, 0);
}

static void sifc(struct fixture *f) {
    static uint32_t texels[64];
    METHOD(f, TWO_D, 0x200, 0xf3, 1);
    METHOD(f, TWO_D, 0x214, 262144, 65536, 1);
    address_of(f, TWO_D, 0x220, 0);
    METHOD(f, TWO_D, 0x800, 0, 0xf3);
    METHOD(f, TWO_D, 0x838, 256, 1, 0, 1, 0, 1, 0, PROOF_AT, 0, 0);
    put(f, 64u << 18 | 0x40000000 | TWO_D << 13 | 0x860);
    for (int i = 0; i < 64; i++)
        put(f, texels[i] = damaged(f, (uint32_t)i));
}

static void copy(struct fixture *f) {
    const uint32_t low = (uint32_t)f->data, tiled[] = {0x10, 64, 64, 1, 0, 0};
    one(f, M2MF, 0x200, next_random(f) & 1);
    method(f, M2MF, 0x204, 6, tiled);
    one(f, M2MF, 0x21c, next_random(f) & 1);
    method(f, M2MF, 0x220, 6, tiled);
    one(f, M2MF, 0x238, (uint32_t)(f->data >> 32));
    one(f, M2MF, 0x23c, (uint32_t)(f->data >> 32));
    METHOD(f, M2MF, 0x30c, low + COPY_AT, low + TARGET_AT, 64, 64, 64, 16, 0x101, 0);
}

static void launch(struct fixture *f) {
    address_of(f, COMPUTE, 0x400 + 15 * 32, COPY_AT);
    METHOD(f, COMPUTE, 0x408 + 15 * 32, 0x10000, 0xfff, 1);
    address_of(f, COMPUTE, 0x210, CODE_AT);
    one(f, COMPUTE, 0x2c0, 16);
    one(f, COMPUTE, 0x3b4, PROGRAM_CP * CODE_STRIDE);
    one(f, COMPUTE, 0x3a8, 0x240);
    METHOD(f, COMPUTE, 0x3ac, 1 << 16 | 64, 1);
    one(f, COMPUTE, 0x2b4, 1 << 16 | 64);
    one(f, COMPUTE, 0x3a4, 2 << 16 | 2);
    one(f, COMPUTE, 0x374, 1 << 8);
    one(f, COMPUTE, 0x600, 7);
    one(f, COMPUTE, 0x368, 0);
}

static void target(struct fixture *f) {
    const uint32_t size[] = {64, 64}, viewport[] = {64 << 16, 64 << 16};
    address_of(f, THREE_D, 0x200, TARGET_AT);
    METHOD(f, THREE_D, 0x208, 0xd5, 0x10, 0);
    method(f, THREE_D, 0x1240, 2, size);
    one(f, THREE_D, 0x1224, 1);
    one(f, THREE_D, 0x121c, 1);
    address_of(f, THREE_D, 0xfe0, ZETA_AT);
    METHOD(f, THREE_D, 0xfe8, 0x14, 0x10, 0);
    method(f, THREE_D, 0x1228, 2, size);
    one(f, THREE_D, 0x1538, f->damage && next_random(f) & 1);
    method(f, THREE_D, 0xc00, 2, viewport);
    method(f, THREE_D, 0xff4, 2, viewport);
}

static const uint32_t fixed_functions[][2] = {
    {0x1924, 0},          {0x17b4, 1},          {0x1a00, 0x1111},     {0x0f90, 1},
    {0x135c, 1},          {0x12d4, 0x1d01},     {0x0dac, 0x1b02},     {0x0db0, 0x1b02},
    {0x1684, 1},          {0x1904, 0x404},      {0x192c, 1},          {0x0a00, 0x42000000},
    {0x0a04, 0x42000000}, {0x0a08, 0x3f000000}, {0x0a0c, 0x42000000}, {0x0a10, 0x42000000},
    {0x0a14, 0x3f000000}, {0x0c0c, 0x3f800000}, {0x13b0, 0x3f800000}, {0x1518, 0x40800000},
    {0x1358, 0x207},      {0x1360, 0},          {0x12cc, 0},
};

static void draw(struct fixture *f) {
    static const uint32_t stage[3][3] = {
        {0xf7c, 0x140c, 0x16b0}, {0xf70, 0x1410, 0x17a0}, {0xfa4, 0x1414, 0x198c}};
    target(f);
    for (size_t i = 0; i < LENGTH(fixed_functions); i++)
        one(f, THREE_D, fixed_functions[i][0], fixed_functions[i][1]);
    for (uint32_t i = 0; i < 3; i++) {
        address_of(f, THREE_D, stage[i][0], CODE_AT);
        one(f, THREE_D, stage[i][1], (PROGRAM_VP + i) * CODE_STRIDE);
        one(f, THREE_D, stage[i][2], 16);
    }
    one(f, THREE_D, 0x16ac, 8);
    METHOD(f, THREE_D, 0x16bc, 0x03020100, 0x04040404);
    one(f, THREE_D, 0x16b8, 5);
    one(f, THREE_D, 0x1798, f->damage && next_random(f) % 4 == 0);
    one(f, THREE_D, 0x17ac, 4);
    one(f, THREE_D, 0x17fc, 0x03020100);
    one(f, THREE_D, 0x17a8, 4);
    one(f, THREE_D, 0x17b0, 1 + next_random(f) % 3);
    one(f, THREE_D, 0x1420, 3);
    one(f, THREE_D, 0x1988, 0x08010401);
    one(f, THREE_D, 0x1298, 4);
    address_of(f, THREE_D, 0x1574, TIC_AT);
    one(f, THREE_D, 0x157c, 3);
    address_of(f, THREE_D, 0x155c, TSC_AT);
    one(f, THREE_D, 0x1564, 3);
    one(f, THREE_D, 0x1458, 1 << 9 | 1);
    one(f, THREE_D, 0x1454, 1 << 12 | 1);
    one(f, THREE_D, 0x1650, 0xf);
    one(f, THREE_D, 0x1ac0, 0x7e080000);
    address_of(f, THREE_D, 0x904, VERTICES_AT);
    address_of(f, THREE_D, 0x1080, VERTICES_AT + 12 * 16 - 1);
    one(f, THREE_D, 0x900, 1u << 29 | 16);
    one(f, THREE_D, 0x15dc, f->damage ? next_random(f) % 14 : 4);
    METHOD(f, THREE_D, 0xd74, 0, 12);
    one(f, THREE_D, 0x15e0, 0);
}

static void clear(struct fixture *f) {
    target(f);
    one(f, THREE_D, 0x19d0, 0x3f);
}

/* Sends a random method of any class with any number of words. */
static void anything(struct fixture *f) {
    const struct engine_class *class = engines[next_random(f) % ENGINES].class;
    for (int i = 0; i < 12; i++) {
        const struct method *m = &class->method[next_random(f) % class->method_count];
        const uint32_t entry = m->count ? next_random(f) % m->count * m->stride : 0;
        const uint32_t words = 1 + (next_random(f) % 8 == 0) * (next_random(f) % 40),
                       saved = f->damage;
        put(f, words << 18 | (next_random(f) & 1) << 30 | (3 + next_random(f) % 4) << 13 |
                   (m->address + entry));
        f->damage = 1;
        for (uint32_t k = 0; k < words; k++)
            put(f, damaged(f, 0));
        f->damage = saved;
    }
}

static void fill_memory(struct fixture *f) {
    for (uint32_t i = 0; i < 12; i++) {
        const float position[4] = {i % 3 ? 0.9f : -0.9f, i & 1 ? 0.8f : -0.7f, 0.5f, 1};
        memcpy(f->bytes + VERTICES_AT + i * 16, position, sizeof position);
    }
    const struct tex_image image = IMAGE(FORMAT_RGBA8_UNORM, TEX_2D, 64, 64, 1, 3,
                                         .address = f->data + COPY_AT, .normalized = true);
    const struct tex_sampler sampler = {.mag_linear = true, .mip = 3, .max_lod = 4};
    tex_image_tic(&image, 0, 2, (uint32_t *)(f->bytes + TIC_AT) + 8);
    tex_sampler_tsc(&sampler, (uint32_t *)(f->bytes + TSC_AT) + 8);
    for (uint32_t i = 0; i < 32; i++) { /* damages descriptors and code, too */
        uint32_t *w = (uint32_t *)(f->bytes + (i < 16 ? TIC_AT : CODE_AT)) +
                      next_random(f) % (i < 16 ? 16 : 1024);
        if (f->damage)
            *w = damaged(f, *w);
    }
}

static void one_stream(struct fixture *f, enum isa_variant variant) {
    static void (*const parts[])(struct fixture *) = {blit, sifc, copy,  launch,
                                                      draw, draw, clear, anything};
    upload_programs(f, variant);
    fill_memory(f);
    bind(f);
    for (uint32_t i = 2 + next_random(f) % 8; i > 0; i--)
        parts[next_random(f) % (LENGTH(parts))](f);
    run(f);
}

/* The channel may be dead, or may take the following words as data of a method. Another channel of
 * the device must work. */
static void prove_alive(struct fixture *f, uint32_t number) {
    const uint64_t at = f->data + PROOF_AT;
    struct channel *other = channel_create(f->device, 0xa3);
    assert_non_null(other);
    f->damage = 0;
    METHOD(f, 7, 0x10, HIGH_LOW(at), number, 2);
    channel_execute(other, f->push, f->count * 4);
    channel_destroy(other);
    assert_int_equal(*(const uint32_t *)(f->bytes + PROOF_AT), number);
}

/* ---- the tests ---- */

struct chip {
    enum tp_chip chip;
    uint32_t chipset;
    enum isa_variant variant;
    uint32_t class_3d, class_compute;
};
static const struct chip gt215 = {TP_CHIP_GT215, 0xa3, ISA_GT215, 0x8597, 0x85c0};
static const struct chip g80 = {TP_CHIP_G80, 0x50, ISA_G80, 0x5097, 0x50c0};

static void open_fixture(struct fixture *f, const struct chip *chip, int threads, uint32_t seed) {
    *f = (struct fixture){.random = seed * 2654435761u};
    const struct tp_device_info info = {.chip = chip->chip,
                                        .threads = threads,
                                        .memory = 32 << 20,
                                        .log = keep_line,
                                        .log_self = f};
    assert_int_equal(tp_device_create(&info, &f->device), TP_OK);
    f->device->log.level = LOG_WARNING;
    f->device->work_limit = WORK_LIMIT;
    f->device->warp_budget = WARP_BUDGET;
    f->memory = f->device->memory;
    f->push = memory_alloc(f->memory, PUSH_WORDS * 4, 4096);
    f->data = memory_alloc(f->memory, DATA_BYTES, 65536);
    f->word = memory_at(f->memory, f->push, PUSH_WORDS * 4);
    f->bytes = memory_at(f->memory, f->data, DATA_BYTES);
    f->channel = channel_create(f->device, chip->chipset);
    assert_non_null(f->channel);
    channel_set_patience(f->channel, 1000);
    const uint32_t classes[ENGINES] = {chip->class_3d, 0x502d, 0x5039, chip->class_compute};
    for (uint32_t i = 0; i < ENGINES; i++)
        assert_int_equal(channel_object_create(f->channel, 0xbeef0000u | i, classes[i]), 0);
}

static void close_fixture(struct fixture *f) {
    channel_destroy(f->channel);
    tp_device_destroy(f->device);
}

static void corrupt(const struct chip *chip) {
    const char *streams = getenv("TESLAPIPE_STREAMS"), *seed = getenv("TESLAPIPE_SEED");
    const uint32_t count = streams ? (uint32_t)atoi(streams) : 300,
                   first = seed ? (uint32_t)atoi(seed) : 1;
    for (uint32_t n = first; n < first + count; n++) {
        struct fixture f;
        open_fixture(&f, chip, 1 + (int)(n % 2), n);
        f.damage = 4u << n % 6;
        one_stream(&f, chip->variant);
        prove_alive(&f, n);
        close_fixture(&f);
    }
}

static uint32_t changed(const struct fixture *f, uint32_t at, uint32_t bytes) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < bytes; i++)
        n += f->bytes[at + i] != 0;
    return n;
}

/* Without damage, every part of the streams above has an effect. The only complaint is about c1[]:
 * the vertex program reads it, and no part binds a buffer to it. */
static void whole(const struct chip *chip) {
    static const struct {
        void (*part)(struct fixture *);
        const char *name;
        uint32_t at, bytes, least;
    } parts[] = {
        {blit, "blit", TARGET_AT, 0x4000, 0x4000}, {sifc, "sifc", PROOF_AT, 256, 63},
        {copy, "copy", TARGET_AT, 0x1000, 0x400},  {launch, "launch", COPY_AT, 256, 64},
        {draw, "draw", TARGET_AT, 0x4000, 1},      {clear, "clear", TARGET_AT, 0x4000, 0x1000}};
    for (size_t i = 0; i < LENGTH(parts); i++) {
        struct fixture f;
        open_fixture(&f, chip, 1, 1);
        upload_programs(&f, chip->variant);
        fill_memory(&f);
        if (parts[i].part != launch)
            memset(f.bytes + COPY_AT, 0x55, 0x10000);
        bind(&f);
        METHOD(&f, THREE_D, 0xd80, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000);
        parts[i].part(&f);
        run(&f);
        if (f.line[0] && !strstr(f.line, "no buffer is bound")) /* the program's c1[] */
            fail_msg("%s: %s", parts[i].name, f.line);
        if (changed(&f, parts[i].at, parts[i].bytes) < parts[i].least)
            fail_msg("%s: %u bytes changed", parts[i].name,
                     changed(&f, parts[i].at, parts[i].bytes));
        close_fixture(&f);
    }
}

TEST(test_whole) {
    whole(&gt215);
    whole(&g80);
}

TEST(test_gt215) {
    corrupt(&gt215);
}

TEST(test_g80) {
    corrupt(&g80);
}
