/* All work happens in the order of the calls. Words of a buffer are written by the application,
 * copies, compute programs and transform feedback, and read by draws as vertices, indices,
 * constants of two stages and texels, at random, with nothing finished in between. A draw must
 * leave a pixel with the value that its word had at the time of the call. */
#include "tests/pipeline/fixture.h"

enum {
    SIZE = 32,
    ROUNDS = SIZE * SIZE,
    BLOCK = 256,
    BLOCKS = 3,
    PLACES = 3 * BLOCKS,
    VALUES = 256
};
enum reader { VERTICES, INDICES, VERTEX_CONSTANTS, FRAGMENT_CONSTANTS, TEXELS, READERS };
enum writer { APPLICATION, COPY, COMPUTE, FEEDBACK, WRITERS };

static const uint32_t offset_of[3] = {0, 8, BLOCK - 8}; /* bytes from the block to a place */

struct word {
    float grey;
    uint32_t index;
};

struct order {
    struct fixture f;
    uint64_t seed;
    tp_buffer *words, *at, *palette, *given;
    tp_program *plain_vp, *grey_fp, *constant_vp[3], *constant_fp[3], *texel_fp[3], *store,
        *feed_vp;
    uint32_t value[PLACES], expected[ROUNDS];
};

static uint32_t below(struct order *o, uint32_t n) {
    return (uint32_t)random_next(&o->seed) % n;
}

static uint32_t byte_of(uint32_t place) {
    return place / 3 * BLOCK + offset_of[place % 3];
}

static struct word word_of(uint32_t value) {
    return (struct word){(float)value / 255, value};
}

#define POSITION                                                                                   \
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
#define OUTPUTS ".output position o[0x0]\n.output varying o[0x10] 1\n"
#define AS_GREY "mov b32 $r1 $r0\nmov b32 $r2 $r0\nmov b32 $r3 1.0\nexit nop\n"

static tp_program *program(struct order *o, enum tp_stage stage, const char *form,
                           uint32_t number) {
    char text[1024];
    snprintf(text, sizeof text, form, number);
    return fixture_program(&o->f, stage, text);
}

static void make_programs(struct order *o) {
    o->plain_vp =
        program(o, TP_VERTEX,
                ".attr 0 xyzw\n.attr 1 x\n" OUTPUTS POSITION "exit mov b32 o[0x10] a[0x10]\n", 0);
    o->grey_fp = program(o, TP_FRAGMENT,
                         ".interpolants position=w smooth=1\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
                         "interp $r0 v[0x4] $r4\n" AS_GREY,
                         0);
    for (int i = 0; i < 3; i++) {
        o->constant_vp[i] = program(o, TP_VERTEX,
                                    ".attr 0 xyzw\n" OUTPUTS POSITION
                                    "mov b32 $r0 1.0\nmul rn f32 $r0 $r0 c0[0x%x]\n"
                                    "exit mov b32 o[0x10] $r0\n",
                                    offset_of[i]);
        o->constant_fp[i] = program(o, TP_FRAGMENT,
                                    ".interpolants position=w smooth=1\nmov b32 $r0 1.0\n"
                                    "mul rn f32 $r0 $r0 c0[0x%x]\n" AS_GREY,
                                    offset_of[i]);
        o->texel_fp[i] = program(o, TP_FRAGMENT,
                                 ".interpolants position=w smooth=1\nmov b32 $r0 0x%x\n"
                                 "texfetch live $r0:$r1:$r2:$r3 $t0 $s0 $r0 0x0 0x0 0x0\n" AS_GREY,
                                 offset_of[i] / 4);
    }
    o->store = program(
        o, TP_COMPUTE,
        "mov b32 $r1 b32 s[0x10]\nmov b32 $r2 b32 s[0x14]\nst b32 g0[$r1] $r2\nmov b32 $r2 0x4\n"
        "add b32 $r1 $r1 $r2\nmov b32 $r2 b32 s[0x18]\nst b32 g0[$r1] $r2\nexit nop\n",
        0);
    o->feed_vp = program(
        o, TP_VERTEX,
        ".attr 0 xy\n.output position o[0x0]\nmov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
        "mov b32 o[0x8] a[0x0]\nexit mov b32 o[0xc] a[0x4]\n",
        0);
}

/* Makes buffers with the point of each round, the value of each index, and the values that copies
 * and feedback take. */
static void make_buffers(struct order *o) {
    static float at[ROUNDS][4], palette[VALUES];
    static struct word given[VALUES];
    static const uint8_t nothing[BLOCK * BLOCKS];
    for (int i = 0; i < ROUNDS; i++) {
        const float one[4] = {(float)(2 * (i % SIZE) + 1) / SIZE - 1,
                              1 - (float)(2 * (i / SIZE) + 1) / SIZE, 0, 1};
        memcpy(at[i], one, sizeof one);
    }
    for (uint32_t i = 0; i < VALUES; i++) {
        given[i] = word_of(i);
        palette[i] = given[i].grey;
    }
    o->at = fixture_buffer(&o->f, sizeof at, at);
    o->palette = fixture_buffer(&o->f, sizeof palette, palette);
    o->given = fixture_buffer(&o->f, sizeof given, given);
    o->words = fixture_buffer(&o->f, sizeof nothing, nothing);
}

static void feed(struct order *o, uint32_t place, uint32_t value) {
    tp_context *const c = o->f.context;
    const struct tp_stream_info info = {
        .count = 1,
        .stream = {{.buffer = o->words, .offset = byte_of(place), .size = 8, .words = 2}},
        .map = {0x80, 0x81}};
    OK(&o->f, tp_bind_program(c, TP_VERTEX, o->feed_vp));
    OK(&o->f, tp_bind_program(c, TP_FRAGMENT, o->grey_fp));
    OK(&o->f, tp_bind_vertices(c, 0, o->given, 8 * value, 8, 0));
    OK(&o->f, tp_set_attribute(c, 0, 0, 0, 2, TP_FLOAT32));
    OK(&o->f, tp_set_raster(c, &(struct tp_raster_state){.discard = true}));
    OK(&o->f, tp_set_streams(c, &info));
    OK(&o->f, tp_draw_arrays(c, TP_POINTS, 0, 1));
    OK(&o->f, tp_set_streams(c, NULL));
    OK(&o->f, tp_set_raster(c, &(struct tp_raster_state){0}));
}

static void write_word(struct order *o, enum writer how, uint32_t place, uint32_t value) {
    const struct word w = word_of(value);
    tp_context *const c = o->f.context;
    if (how == APPLICATION) {
        OK(&o->f, tp_buffer_write(c, o->words, byte_of(place), &w, sizeof w));
    } else if (how == COPY) {
        OK(&o->f, tp_buffer_copy(c, o->words, byte_of(place), o->given, 8 * value, 8));
    } else if (how == COMPUTE) {
        uint32_t params[3] = {byte_of(place), 0, 0};
        memcpy(params + 1, &w, sizeof w);
        OK(&o->f, tp_bind_program(c, TP_COMPUTE, o->store));
        OK(&o->f, tp_bind_global(c, 0, o->words, 0, BLOCK * BLOCKS));
        OK(&o->f,
           tp_dispatch(c, (const uint32_t[2]){1, 1}, (const uint32_t[3]){1, 1, 1}, params, 3));
    } else {
        feed(o, place, value);
    }
    o->value[place] = value;
}

/* Binds programs and buffers for a draw that reads this place. */
static void bind_reader(struct order *o, enum reader how, uint32_t place) {
    tp_context *const c = o->f.context;
    const uint32_t block = place / 3 * BLOCK;
    OK(&o->f, tp_bind_program(c, TP_VERTEX,
                              how == VERTEX_CONSTANTS ? o->constant_vp[place % 3] : o->plain_vp));
    OK(&o->f, tp_bind_program(c, TP_FRAGMENT,
                              how == FRAGMENT_CONSTANTS ? o->constant_fp[place % 3]
                              : how == TEXELS           ? o->texel_fp[place % 3]
                                                        : o->grey_fp));
    if (how == VERTEX_CONSTANTS || how == FRAGMENT_CONSTANTS)
        OK(&o->f, tp_bind_constants(c, how == VERTEX_CONSTANTS ? TP_VERTEX : TP_FRAGMENT, 0,
                                    o->words, block, BLOCK));
    if (how == TEXELS)
        OK(&o->f,
           tp_bind_buffer_texture(c, TP_FRAGMENT, 0, o->words, block, TP_FORMAT_R32F, BLOCK / 4));
    OK(&o->f, tp_bind_vertices(c, 0, o->at, 0, 16, 0));
    OK(&o->f, tp_set_attribute(c, 0, 0, 0, 4, TP_FLOAT32));
    if (how == INDICES)
        OK(&o->f, tp_bind_vertices(c, 1, o->palette, 0, 4, 0));
    else
        OK(&o->f, tp_bind_vertices(c, 1, o->words, byte_of(place), 0, 0));
    OK(&o->f, tp_set_attribute(c, 1, 1, 0, 1, TP_FLOAT32));
}

/* Draws a point that reads a word. again: the bindings of the last call still apply. */
static void read_word(struct order *o, enum reader how, uint32_t place, uint32_t round,
                      bool again) {
    tp_context *const c = o->f.context;
    const bool indexed = how == INDICES;
    struct tp_draw_info info = {.primitive = TP_POINTS, .first = indexed ? 0 : round, .count = 1};
    if (!again)
        bind_reader(o, how, place);
    if (indexed) /* the index is the word's value; every vertex is this round's point */
        OK(&o->f, tp_bind_vertices(c, 0, o->at, 16 * round, 0, 0));
    info.index_buffer = indexed ? o->words : NULL;
    info.index_offset = indexed ? byte_of(place) + 4 : 0;
    info.index_type = TP_INDEX_U32;
    OK(&o->f, tp_draw(c, &info));
    o->expected[round] = o->value[place];
}

static void check_order(int threads, uint32_t writers, uint64_t seed) {
    struct order o = {.seed = seed};
    fixture_open(&o.f, threads, NULL, SIZE);
    make_programs(&o);
    make_buffers(&o);
    uint32_t reader = 0, place = 0;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const bool again = i && below(&o, 3);
        bool bound = again;
        for (uint32_t n = below(&o, 3); n; n--) {
            const uint32_t how = below(&o, WRITERS), at = below(&o, 2) ? place : below(&o, PLACES);
            const enum writer by = writers >> how & 1 ? (enum writer)how : APPLICATION;
            write_word(&o, by, at, below(&o, VALUES));
            bound = bound && by != FEEDBACK;
        }
        reader = again ? reader : below(&o, READERS);
        place = again ? place : below(&o, PLACES);
        read_word(&o, (enum reader)reader, place, i, bound);
    }
    fixture_read(&o.f);
    for (uint32_t i = 0; i < ROUNDS; i++)
        if ((fixture_pixel(&o.f, i % SIZE, i / SIZE) & 0xff) != o.expected[i])
            fail_msg("%d threads, writers %x: draw %u has %u, not %u", threads, writers, i,
                     fixture_pixel(&o.f, i % SIZE, i / SIZE) & 0xff, o.expected[i]);
    fixture_close(&o.f);
}

TEST(test_order) {
    for (uint32_t writers = 0; writers < 1 << WRITERS; writers++)
        for (int threads = 1; threads <= 3; threads += 2)
            check_order(threads, writers, writers + 1);
}
