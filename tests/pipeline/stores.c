/* Stores of a Fermi's programs in the history of pixels: trials of a watched pixel write no memory,
 * and every store to a watched texel has an entry with its thread, instruction and value. */
#include "tests/pipeline/fixture.h"

#include "pipeline/context.h"
#include "pipeline/debug/history.h"

enum { SIZE = 16, WORDS = SIZE * SIZE };

static const char vertex[] = "ld b128 $r0:$r1:$r2:$r3 a[0x80] 0x0\n"
                             "ld b128 $r4:$r5:$r6:$r7 a[0x90] 0x0\n"
                             "st b128 a[0x70] $r0:$r1:$r2:$r3 0x0\n"
                             "st b128 a[0x80] $r4:$r5:$r6:$r7 0x0\nexit\n";

/* $r4, $r5: the pixel; $r6: the first component of its colour; $r8d: the buffer; $r12: 1; $r16q:
 * four times $r6. */
#define FRAGMENT                                                                                   \
    "interp pass f32 $r4 a[0x70] 0x0 0x0\ninterp pass f32 $r5 a[0x74] 0x0 0x0\n"                   \
    "interp pass f32 $r6 a[0x80] 0x0 0x0\n"                                                        \
    "add f32 $r4 $r4 -0.5\nadd f32 $r5 $r5 -0.5\n"                                                 \
    "add f32 $r4 $r4 0x4b000000\nadd f32 $r5 $r5 0x4b000000\n"                                     \
    "and b32 $r4 $r4 0x1fff\nand b32 $r5 $r5 0x1fff\n"                                             \
    "ld b64 $r8d c0[0x0]\nmov b32 $r12 0x1\n"                                                      \
    "mov b32 $r16 $r6\nmov b32 $r17 $r6\nmov b32 $r18 $r6\nmov b32 $r19 $r6\n"
#define RESULT "mov b32 $r0 0x0\nmov b32 $r1 $r0\nmov b32 $r2 $r0\nmov b32 $r3 $r0\nexit\n"
#define TYPED "sustp wb zero img[0x0] 2d $r4:$r5 $r16:$r17:$r18:$r19\n"

/* A device with a target, a program, and a buffer of WORDS words, which is image 0, too. */
struct stores {
    struct fixture f;
    tp_buffer *buffer;
    uint64_t address;
    struct surface image;
    struct raster_probe_pixel at; /* the watched pixel */
};

static void begin(struct stores *s, const char *body) {
    char text[2048];
    memset(s, 0, sizeof *s);
    s->at = (struct raster_probe_pixel){.x = 3, .y = 5};
    assert_true(fixture_open_chip(&s->f, TP_CHIP_GF100, 1, NULL, SIZE));
    s->buffer = fixture_buffer(&s->f, 4 * WORDS, NULL);
    s->address = tp_buffer_address(s->buffer);
    s->image = (struct surface){
        .format = FORMAT_RGBA8_UNORM, .width = SIZE, .height = SIZE, .depth = 1, .size = 4 * WORDS};
    OK(&s->f, tp_set_constants(s->f.context, TP_FRAGMENT, 0, &s->address, sizeof s->address));
    s->f.context->state.image[0] = (struct image_view){
        .address = s->address, .format = FORMAT_RGBA8_UNORM, .width = SIZE, .height = SIZE};
    state_touch(&s->f.context->state, GROUP_TEXTURE);
    fixture_bind(&s->f, TP_VERTEX, vertex);
    snprintf(text, sizeof text, FRAGMENT "%s" RESULT, body);
    s->f.fp = fixture_bind(&s->f, TP_FRAGMENT, text);
}

static void end(struct stores *s) {
    fixture_close(&s->f);
}

/* Draws n triangles over the whole target, in the colours `color`. */
static void draw_whole(struct stores *s, const float *color, uint32_t n) {
    static float v[6][8];
    for (uint32_t i = 0; i < 3 * n; i++) {
        const float corner[8] = {i % 3 == 1 ? 3 : -1, i % 3 == 2 ? -3 : 1, 0, 1, color[i / 3]};
        memcpy(v[i], corner, sizeof v[i]);
    }
    fixture_vertices(&s->f, v, 3 * n);
    OK(&s->f, tp_draw_arrays(s->f.context, TP_TRIANGLES, 0, 3 * n));
}

static const uint32_t *words_of(const struct stores *s) {
    return memory_at(s->f.device->memory, s->address, 4 * WORDS);
}

/* Starts a history of the watched pixel with stores to the buffer as an image. */
static struct history *watch(struct stores *s, const struct history_options *options) {
    struct history *h = history_create(s->f.device, &s->at, 1, options);
    assert_non_null(h);
    history_watch_target(h, s->address, &s->image, 0, 1);
    assert_true(history_watch(h, s->f.context));
    return h;
}

/* ---- trials ---- */

/* Every fragment counts once, watched or not: by an atomic operation without a result, with a
 * result, and after a load; then by a load from an image and a store to the image. */
TEST(test_trials_write_nothing) {
    static const char *const bodies[] = {
        "red add u32 g[$r8d] $r12\n",
        "ld add u32 $r13 g[$r8d] $r12\n",
        "ld b32 $r13 ca g[$r8d]\nred add u32 g[$r8d] $r12\n",
    };
    /* each pixel adds to its texel, in bytes, and counts */
    static const char texel[] =
        "shl b32 $r4 $r4 clamp 0x2\nsuldb b32 $r7 ca zero img[0x0] 2d $r4:$r5\n"
        "add b32 $r7 $r7 0x1\nsustb wb zero img[0x0] 2d $r4:$r5 b32 $r7\n";
    static const float colors[2] = {1, 0.5f};
    const struct history_options options[] = {{0}, {.all = true}, {.stores = true}};
    struct stores s;
    for (size_t i = 0; i < LENGTH(options); i++) {
        for (size_t k = 0; k < LENGTH(bodies); k++) {
            begin(&s, bodies[k]);
            struct history *h = watch(&s, &options[i]);
            draw_whole(&s, colors, 2);
            history_end(h);
            history_free(h);
            assert_int_equal(words_of(&s)[0], 2 * SIZE * SIZE);
            end(&s);
        }
        begin(&s, texel);
        struct history *h = watch(&s, &options[i]);
        draw_whole(&s, colors, 2);
        history_end(h);
        history_free(h);
        for (int k = 0; k < WORDS; k++)
            assert_int_equal(words_of(&s)[k], 2);
        end(&s);
    }
}

/* ---- entries ---- */

static const struct history_entry *const *select_image(struct stores *s, struct history *h,
                                                       size_t *count) {
    return history_select(h, 0, s->address, &s->image, 0, count);
}

static void check_store(const struct stores *s, const struct history_entry *e, uint64_t draw,
                        uint32_t hit, uint32_t before, uint32_t after, bool overwritten) {
    uint32_t word[2];
    assert_int_equal(e->kind, HISTORY_STORE);
    assert_int_equal(e->draw, draw);
    assert_non_null(e->store);
    assert_int_equal(e->store->place.stage, PROGRAM_FP);
    assert_int_equal(e->store->place.x, s->at.x);
    assert_int_equal(e->store->place.y, s->at.y);
    assert_int_equal(e->store->hit, hit);
    assert_int_equal(e->store->launch, 0);
    assert_non_null(strstr(e->store->text, "sustp"));
    memcpy(&word[0], e->store->before, 4);
    memcpy(&word[1], e->store->after, 4);
    assert_int_equal(word[0], before);
    assert_int_equal(word[1], after);
    assert_int_equal(e->overwritten, overwritten);
}

/* Fragments store their colour to their own texel: two of one draw, then one of the next. Only the
 * stores of the watched pixel have entries. */
static void check_entries(struct raster_probe_pixel at) {
    static const float colors[2] = {1, 0.2f}, next[1] = {0.4f};
    struct stores s;
    size_t count;
    begin(&s, TYPED);
    s.at = at;
    struct history *h = watch(&s, &(struct history_options){.stores = true});
    draw_whole(&s, colors, 2);
    draw_whole(&s, next, 1);
    history_end(h);
    const struct history_entry *const *e = select_image(&s, h, &count);
    assert_int_equal(count, 3);
    check_store(&s, e[0], 1, 1, 0, 0xffffffff, true);
    check_store(&s, e[1], 1, 2, 0xffffffff, 0x33333333, true);
    check_store(&s, e[2], 2, 1, 0x33333333, 0x66666666, false);
    assert_true(e[0]->store->at == e[2]->store->at && e[0]->store->warp != e[1]->store->warp);
    assert_int_equal(history_writers(h), 2);
    assert_false(history_incomplete(h));
    history_free(h);
    end(&s);
}

/* The watched pixel is the first that is drawn, then a later one. */
TEST(test_stores_are_entries) {
    check_entries((struct raster_probe_pixel){0});
    check_entries((struct raster_probe_pixel){.x = 3, .y = 5});
}

/* Without the option, stores have no entries, but writers are counted. The entry of a CPU's write
 * between two draws stands between the entries of their stores. */
TEST(test_order_of_stores_and_copies) {
    static const float color[1] = {1}, next[1] = {0.4f};
    struct stores s;
    size_t count;
    for (int stores = 0; stores < 2; stores++) {
        begin(&s, TYPED);
        struct history *h = watch(&s, &(struct history_options){.stores = stores});
        draw_whole(&s, color, 1);
        const uint32_t zero[WORDS] = {0};
        OK(&s.f, tp_buffer_write(s.f.context, s.buffer, 0, zero, sizeof zero));
        draw_whole(&s, next, 1);
        history_end(h);
        const struct history_entry *const *e = select_image(&s, h, &count);
        assert_int_equal(history_writers(h), 2);
        if (stores) {
            assert_int_equal(count, 3);
            check_store(&s, e[0], 1, 1, 0, 0xffffffff, true);
            assert_true(e[1]->kind == HISTORY_COPY && e[1]->overwritten);
            assert_true(e[1]->before[0] == float_bits(1) && e[1]->after[0] == 0);
            check_store(&s, e[2], 2, 1, 0, 0x66666666, false);
        } else {
            assert_true(count == 1 && e[0]->kind == HISTORY_COPY);
        }
        history_free(h);
        end(&s);
    }
}

/* ---- ranges and reads ---- */

static bool reads_word(const struct thread_reads *r, uint64_t address, uint32_t value) {
    for (size_t i = 0; i < r->count; i++)
        if (r->read[i].address == address && memcmp(r->read[i].bytes, &value, 4) == 0)
            return true;
    return false;
}

/* A thread copies the buffer's second word to its texel of the image. From the texel, the history
 * is followed to that word, and finds the store of an earlier draw. The history does not find
 * stores of the same draw, of a later one, or stores that a copy has overwritten. */
static void find_writer(bool copy, bool *stored, bool *copied, uint64_t *draw) {
    static const float one[1] = {1};
    struct stores s;
    struct stored last = {0};
    struct thread_reads reads = {0};
    struct history_range range = {0};
    for (int run = 0; run < 3; run++) {
        size_t count;
        begin(&s, "st b32 wb g[$r8d+0x4] $r6\n");
        struct history *h = watch(&s, &(struct history_options){.stores = true});
        reads.memory = s.f.device->memory;
        if (run == 1)
            history_follow(h, &last, &reads);
        if (run == 2)
            history_watch_ranges(h, &range, 1, &last);
        draw_whole(&s, one, 1);
        const uint32_t half = 0x3f800000;
        if (copy)
            OK(&s.f, tp_buffer_write(s.f.context, s.buffer, 4, &half, 4));
        fixture_bind(&s.f, TP_FRAGMENT,
                     FRAGMENT "ld b32 $r7 ca g[$r8d+0x4]\nshl b32 $r4 $r4 clamp 0x2\n"
                              "sustb wb zero img[0x0] 2d $r4:$r5 b32 $r7\n" RESULT);
        draw_whole(&s, one, 1);
        OK(&s.f, tp_bind_program(s.f.context, TP_FRAGMENT, s.f.fp));
        draw_whole(&s, one, 1);
        history_end(h);
        const struct history_entry *const *e = select_image(&s, h, &count);
        assert_int_equal(count, 1);
        last = *e[0]->store;
        assert_int_equal(last.draw, 2);
        if (run == 1) {
            assert_true(reads_word(&reads, s.address + 4, 0x3f800000));
            assert_int_equal(reads.count, 1);
            range = (struct history_range){.address = reads.read[0].address, .size = 4};
        }
        history_free(h);
        end(&s);
    }
    *stored = range.stored;
    *copied = range.copied;
    *draw = range.last.draw;
    thread_reads_free(&reads);
}

TEST(test_reads_lead_to_stores) {
    bool stored, copied;
    uint64_t draw;
    find_writer(false, &stored, &copied, &draw);
    assert_true(stored && !copied && draw == 1);
    find_writer(true, &stored, &copied, &draw);
    assert_true(stored && copied && draw == 1);
}
