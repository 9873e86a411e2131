/* The command processor without memory: every allocation fails in turn, once or from then on, while
 * channels and objects are made, each engine works, and streams are recorded and replayed. Work
 * that is not done is logged, fences are always written, nothing crashes, and nothing stays
 * allocated. With memory again, the same channel works. */
#include "fifo/record.h"
#include "shader/isa/isa.h"
#include "tests/failing_allocator.h"
#include "tests/assembled.h"
#include "tests/fifo/fixture.h"

#include <unistd.h>

enum { COMPUTE = 6, ENOUGH = 100000, FENCES = 150, SIDE = 4 };
/* Offsets in the fixture's data. */
enum {
    CODE_AT = 0,
    TARGET_AT = 0x1000,
    UPLOADED_AT = TARGET_AT + 2 * 64 + 2 * 4, /* the last pixel of an upload */
    FROM_AT = 0x2000,
    TO_AT = 0x3000,
    NUMBERS_AT = 0x4000,
    FENCES_AT = 0x5000,
    CLEARED_AT = 0x8000,
};

/* The subjects of the complaints since said_of was cleared. */
enum {
    SAID_NOTHING = 0,
    SAID_UPLOAD = 1,
    SAID_BLIT = 2,
    SAID_ROW = 4,
    SAID_PROGRAM = 8,
    SAID_OTHER = 16
};
static uint32_t said_of;

static void note_line(void *self, int level, const char *line) {
    (void)self, (void)level;
    said_of |= strstr(line, "SIFC_WIDTH (0838): no memory for 2 x 1 pixels")         ? SAID_UPLOAD
               : strstr(line, "BLIT_DST_X_Y_W_H (08b0): no memory for 3 x 2 pixels") ? SAID_BLIT
               : strstr(line, "BLIT_DST_X_Y_W_H (08b0): no memory for a row of 3 pixels") ? SAID_ROW
               : strstr(line, "SIFC_WIDTH (0838): no memory for 4 x 4 pixels")            ? 0
               : strstr(line, "inline vertices, but no attribute")                        ? 0
               : strstr(line, "no program at") || strstr(line, "out of memory") ? SAID_PROGRAM
                                                                                : SAID_OTHER;
}

static const uint32_t classes[] = {0x5039, 0x502d, 0x8597, 0x85c0};
enum { CLASSES = LENGTH(classes) };

static void allow(void) {
    atomic_store(&left, -1);
}

/* True if the failing allocation was reached. */
static bool has_failed(void) {
    return atomic_load(&left) < 0 || (for_good && atomic_load(&left) == 0);
}

static struct channel *open_channel(struct fixture *f, int *made) {
    struct channel *c = channel_create(f->device, 0xa3);
    *made = 0;
    while (c && *made < CLASSES && channel_object_create(c, (uint32_t)*made, classes[*made]) == 0)
        ++*made;
    return c;
}

/* Without memory, no channel is made, or a channel without some objects. Each missing object is
 * logged. */
FIXTURE_TEST(test_channels) {
    if (!OWN_ALLOCATOR)
        skip();
    for (int way = 0; way < 2; way++) {
        bool reached = true;
        long n = 0;
        for (for_good = way; reached && n < ENOUGH; n++) {
            const long before = atomic_load(&held);
            const int lines = f->lines;
            int made;
            atomic_store(&left, n);
            struct channel *c = open_channel(f, &made);
            reached = has_failed();
            allow();
            assert_true(made == CLASSES || reached); /* a channel works without some allocations */
            assert_int_equal(f->lines, lines + (c && made < CLASSES));
            if (c && made < CLASSES) {
                char text[64];
                snprintf(text, sizeof text, "no engine of class %04x", classes[made]);
                assert_non_null(strstr(f->last, text));
                assert_int_equal(channel_object_create(c, (uint32_t)made, classes[made]), 0);
                long with_it[3];
                for (int i = 0; i < 3; i++) { /* repeated creation holds no more memory */
                    assert_int_equal(channel_object_destroy(c, (uint32_t)made), 0);
                    assert_int_equal(channel_object_create(c, (uint32_t)made, classes[made]), 0);
                    with_it[i] = atomic_load(&held);
                }
                assert_int_equal(with_it[1], with_it[2]);
            }
            channel_destroy(c);
            if (atomic_load(&held) != before)
                fail_msg("allocation %ld: %ld more are held", n, atomic_load(&held) - before);
        }
        assert_in_range(n, CLASSES, ENOUGH - 1);
    }
}

/* ---- work of the engines ---- */

static uint32_t high(uint64_t a) {
    return (uint32_t)(a >> 32);
}

static void write_code(struct fixture *f, uint32_t at, enum program_type type, const char *text) {
    put_assembled(f->bytes + CODE_AT + at, ISA_GT215, type, text);
}

/* Uploads two pixels from the pushbuffer. A larger upload before them is never completed. */
static void upload(struct fixture *f, uint32_t pixel) {
    const uint64_t at = f->data + TARGET_AT;
    METHOD(f, TWO_D, 0x200, 0xd5, 1);
    METHOD(f, TWO_D, 0x214, 64, SIDE, SIDE, high(at), (uint32_t)at);
    METHOD(f, TWO_D, 0x800, 0, 0xd5);
    METHOD(f, TWO_D, 0x838, SIDE, SIDE, 0, 1, 0, 1, 0, 0, 0, 0);
    one(f, TWO_D, 0x860, 1);
    METHOD(f, TWO_D, 0x838, 2, 1, 0, 1, 0, 1, 0, 1, 0, 2);
    one(f, TWO_D, 0x860, ~pixel);
    one(f, TWO_D, 0x860, pixel);
}

/* A blit to another format, mirrored and filtered. */
static void blit(struct fixture *f) {
    const uint64_t from = f->data + FROM_AT, to = f->data + TO_AT;
    METHOD(f, TWO_D, 0x200, 0xc0, 1);
    METHOD(f, TWO_D, 0x214, 64, SIDE, SIDE, high(to), (uint32_t)to);
    METHOD(f, TWO_D, 0x230, 0xd5, 1);
    METHOD(f, TWO_D, 0x244, 64, SIDE, SIDE, high(from), (uint32_t)from);
    one(f, TWO_D, 0x88c, 0x10);
    METHOD(f, TWO_D, 0x8b0, 1, 1, SIDE - 1, SIDE - 2, 0, UINT32_MAX, 0, 1, 0, SIDE - 1, 0, 0);
}

static void fences(struct fixture *f, uint32_t number) {
    for (uint32_t i = 0; i < FENCES; i++) {
        const uint64_t at = f->data + FENCES_AT + 16 * i;
        METHOD(f, THREE_D, 0x1b00, high(at), (uint32_t)at, number + i,
               i % 3 == 0   ? 1u << 28
               : i % 3 == 1 ? 0
                            : 1u << 24); /* short, long, and samples */
    }
}

/* A launch whose thread stores its parameter; a draw with inline vertices. */
static void launch_and_draw(struct fixture *f, uint32_t number) {
    const uint64_t code = f->data + CODE_AT, to = f->data + NUMBERS_AT;
    const uint32_t vp[] = {high(code), (uint32_t)code};
    method(f, COMPUTE, 0x210, 2, vp);
    METHOD(f, COMPUTE, 0x400, high(to), (uint32_t)to, 0, 0xff, 1);
    one(f, COMPUTE, 0x2c0, 8);
    one(f, COMPUTE, 0x3b4, 0x100);
    one(f, COMPUTE, 0x3a8, 0x40);
    one(f, COMPUTE, 0x3ac, 1 << 16 | 1);
    one(f, COMPUTE, 0x3b0, 1);
    one(f, COMPUTE, 0x2b4, 1 << 16 | 1);
    one(f, COMPUTE, 0x3a4, 1 << 16 | 1);
    one(f, COMPUTE, 0x374, 1 << 8);
    one(f, COMPUTE, 0x600, number);
    one(f, COMPUTE, 0x368, 0);
    method(f, THREE_D, 0xf7c, 2, vp);
    one(f, THREE_D, 0x140c, 0x200);
    one(f, THREE_D, 0x16b0, 4);
    one(f, THREE_D, 0x15dc, 4);
    METHOD(f, THREE_D, 0x40000000 | 0x1640, 1, 2, 3);
    one(f, THREE_D, 0x15e0, 0);
}

static void clear(struct fixture *f) {
    one(f, THREE_D, 0x143c, 0x10);
    clear_pixels(f, f->data + CLEARED_AT, 0, 1, 0x3f800000);
}

static void all_engines(struct fixture *f, struct channel *c, uint32_t number) {
    upload(f, number);
    blit(f);
    launch_and_draw(f, number);
    clear(f);
    fences(f, number);
    channel_execute(c, f->push, f->count * 4);
    f->count = 0;
    /* if nothing was refused, a written fence means that the work before it is done */
    if (said_of == SAID_NOTHING) {
        bool any = false;
        for (uint32_t i = 0; i < FENCES; i++)
            any |= i % 3 < 2 && word_at(f, FENCES_AT + 16 * i) == number + i;
        assert_true(!any || word_at(f, CLEARED_AT) == UINT32_MAX);
    }
    channel_finish(c);
}

static void bind_all(struct fixture *f, struct channel *c) {
    static const uint32_t subchannel[] = {M2MF, TWO_D, THREE_D, COMPUTE};
    for (uint32_t i = 0; i < 8; i++) /* all subchannels have an object */
        one(f, i, 0, i % CLASSES);
    for (uint32_t i = 0; i < CLASSES; i++)
        one(f, subchannel[i], 0, i);
    channel_execute(c, f->push, f->count * 4);
    f->count = 0;
}

static void assert_fences(const struct fixture *f, uint32_t number, long n) {
    for (uint32_t i = 0; i < FENCES; i++)
        if (word_at(f, FENCES_AT + 16 * i) != number + i)
            fail_msg("allocation %ld: fence %u is %u", n, i, word_at(f, FENCES_AT + 16 * i));
}

static bool blit_is_whole(const struct fixture *f) {
    for (uint32_t y = 1; y < SIDE - 1; y++)
        for (uint32_t x = 1; x < SIDE; x++)
            if (word_at(f, TO_AT + 64 * y + 16 * x) != 0x3f800000)
                return false;
    return true;
}

FIXTURE_TEST(test_engines) {
    if (!OWN_ALLOCATOR)
        skip();
    f->device->log_line = note_line;
    uint32_t all_said = 0;
    write_code(f, 0x100, PROGRAM_CP,
               "mov b32 $r1 b32 s[0x10]\nmov b32 $r2 0x0\nst b32 g0[$r2] $r1\nexit nop\n");
    write_code(f, 0x200, PROGRAM_VP,
               "bra #x\nx: exit nop\n"); /* the branch's target does not matter */
    for (int way = 0; way < 2; way++) {
        bool reached = true;
        long n = 0;
        for (for_good = way; reached && n < ENOUGH; n++) {
            const long before = atomic_load(&held);
            const uint32_t number = 1000 * (uint32_t)(n + 1);
            int made;
            struct channel *c = open_channel(f, &made);
            assert_int_equal(made, CLASSES);
            bind_all(f, c);
            memset(f->bytes + TARGET_AT, 0, DATA_BYTES - TARGET_AT);
            memset(f->bytes + FROM_AT, 0xff, 64 * SIDE);
            said_of = SAID_NOTHING;
            atomic_store(&left, n);
            all_engines(f, c, number);
            reached = has_failed();
            allow();
            channel_finish(c);
            all_said |= said_of;
            assert_true(channel_lacked_memory(c) ||
                        !(said_of & (SAID_UPLOAD | SAID_BLIT | SAID_ROW | SAID_PROGRAM)));
            if (word_at(f, UPLOADED_AT) != number)
                assert_true(said_of & SAID_UPLOAD);
            if (!blit_is_whole(f))
                assert_true(said_of & (SAID_BLIT | SAID_ROW));
            assert_fences(f, number, n);
            if (!reached) {
                assert_false(channel_lacked_memory(c));
                assert_int_equal(word_at(f, UPLOADED_AT), number);
                assert_int_equal(word_at(f, NUMBERS_AT), number);
                assert_true(blit_is_whole(f));
            }
            said_of = SAID_NOTHING;
            all_engines(f, c, number + 1);
            assert_fences(f, number + 1, n);
            if (word_at(f, UPLOADED_AT) != number + 1 || word_at(f, NUMBERS_AT) != number + 1 ||
                !blit_is_whole(f))
                fail_msg("after allocation %ld: %u, %u", n, word_at(f, UPLOADED_AT),
                         word_at(f, NUMBERS_AT));
            upload(f, 0); /* the upload's last word is missing */
            channel_execute(c, f->push, (f->count - 1) * 4);
            f->count = 0;
            channel_destroy(c);
            if (atomic_load(&held) != before && n)
                fail_msg("allocation %ld: %ld more are held", n, atomic_load(&held) - before);
        }
        print_message("%ld allocations\n", n);
        assert_int_equal(all_said, SAID_UPLOAD | SAID_BLIT | SAID_ROW | SAID_PROGRAM);
        assert_in_range(n, 10, ENOUGH - 1);
    }
}

/* ---- recordings ---- */

static char path[] = "/tmp/teslapipe-fifo-memory-XXXXXX";

/* The lowest free file descriptor. Stays the same unless a file was left open. */
static int next_file(void) {
    const int fd = dup(0);
    close(fd);
    return fd;
}

static bool record(uint64_t at, uint64_t words_at) {
    struct record *r = record_create(path, 0xa3);
    const uint32_t words[] = {4u << 18 | 0x10, high(at), (uint32_t)at, 0x1234, 2};
    uint8_t before[sizeof words] = {0};
    const struct channel *const c = (const void *)path;
    if (!r)
        return false;
    record_alloc(r, at, 4096);
    record_alloc(r, words_at, 4096);
    record_alloc(r, at + 0x200000, 4096);
    record_channel(r, c);
    record_object(r, c, 1, 0x8597);
    record_changes(r, words_at, (const uint8_t *)words, before, sizeof words);
    record_push(r, c, words_at, sizeof words);
    record_finish(r, c);
    record_free(r, at + 0x200000);
    return record_close(r) == 0;
}

FIXTURE_TEST(test_recordings) {
    const uint64_t at = 0x100000, words_at = 0x200000;
    if (!OWN_ALLOCATOR)
        skip();
    for (int way = 0; way < 2; way++) {
        bool reached = true;
        long n = 0;
        const int file = next_file();
        for (for_good = way; reached && n < ENOUGH; n++) {
            const long before = atomic_load(&held);
            atomic_store(&left, n);
            const bool recorded = record(at, words_at);
            reached = has_failed();
            allow();
            assert_true(recorded || reached);
            assert_int_equal(atomic_load(&held), before);
            assert_int_equal(next_file(), file);
        }
        assert_in_range(n, 2, ENOUGH - 1);
        const long held_before = atomic_load(&held);
        assert_null(record_create("/nowhere/at/all", 0xa3));
        assert_int_equal(atomic_load(&held), held_before);
        assert_true(record(at, words_at));
        for (reached = true, n = 0; reached && n < ENOUGH; n++) {
            const struct tp_device_info info = {
                .chip = TP_CHIP_GT215, .threads = 1, .memory = 64 << 20};
            struct replay_result result;
            tp_device *d;
            char why[256] = "";
            uint64_t hash = 0;
            const struct replay_observer observer = {.hash = &hash};
            const long before = atomic_load(&held);
            assert_int_equal(tp_device_create(&info, &d), TP_OK);
            atomic_store(&left, n);
            const int code = record_replay(path, d, 0, &observer, &result, why, sizeof why);
            reached = has_failed();
            allow();
            if (code && (!reached || !*why))
                fail_msg("allocation %ld: '%s'", n, why);
            const uint32_t *word = memory_at(d->memory, at, 4);
            if (code == 0)
                assert_int_equal(*word, 0x1234);
            replay_free(&result);
            tp_device_destroy(d);
            assert_int_equal(next_file(), file);
            if (atomic_load(&held) != before)
                fail_msg("allocation %ld of a replay: %ld more are held", n,
                         atomic_load(&held) - before);
        }
        print_message("%ld allocations\n", n);
        assert_in_range(n, 5, ENOUGH - 1);
    }
    assert_int_equal(f->lines, 0);
}

/* The hash of all memory after a replay, or 0 after a failure, which must have a reason. */
static uint64_t replayed_hash(const char *name, long allocations, bool *reached, bool *lacked) {
    const struct tp_device_info info = {
        .chip = TP_CHIP_GT215, .threads = 1, .memory = 64 << 20, .log = note_line};
    uint64_t hash = 0;
    const struct replay_observer observer = {.hash = &hash};
    struct replay_result result;
    tp_device *d;
    char why[256] = "";
    assert_int_equal(tp_device_create(&info, &d), TP_OK);
    atomic_store(&left, allocations);
    const int code = record_replay(name, d, 0, &observer, &result, why, sizeof why);
    *reached = has_failed();
    *lacked = result.lacked_memory;
    allow();
    replay_free(&result);
    tp_device_destroy(d);
    assert_true(code == 0 || *why);
    return code ? 0 : hash;
}

/* A replay that leaves work out for want of memory says so. Any other replay has all results. */
TEST(test_replayed_draws) {
    static const char name[] = "tests/golden/streams/render_to_texture.tpr";
    long lacking = 0;
    bool reached, lacked;
    if (!OWN_ALLOCATOR)
        skip();
    const uint64_t right = replayed_hash(name, -1, &reached, &lacked);
    assert_true(right && !lacked);
    for (int way = 0; way < 2; way++) {
        long n = 0;
        for (reached = true, for_good = way; reached && n < ENOUGH; n++) {
            const uint64_t hash = replayed_hash(name, n, &reached, &lacked);
            if (hash && !lacked && hash != right)
                fail_msg("allocation %ld: another result, and memory is not blamed", n);
            assert_true(reached || !lacked);
            lacking += lacked;
        }
        assert_in_range(n, 10, ENOUGH - 1);
    }
    print_message("%ld replays lacked memory\n", lacking);
    assert_true(lacking > 10);
}

/* After a file that is no recording, no file stays open and no memory is held. */
FIXTURE_TEST(test_files) {
    static const char *const starts[] = {
        "", "TPR2", "TPR3\xa3\0\0\0", "TPR2\xa3\0\0\0", "TPR1\xa3\0\0\0", "other one"};
    const int file = next_file();
    for (size_t i = 0; i < LENGTH(starts); i++) {
        struct replay_result result;
        char why[256];
        const long before = atomic_load(&held);
        FILE *out = fopen(path, "wb");
        assert_non_null(out);
        fwrite(starts[i], 1, i == 0 ? 0 : i == 1 ? 4 : 8, out);
        fclose(out);
        record_chipset(path);
        record_replay(path, f->device, 0, NULL, &result, why, sizeof why);
        replay_free(&result);
        assert_int_equal(next_file(), file);
        assert_int_equal(atomic_load(&held), before);
    }
}

BEFORE_TESTS {
    const int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

AFTER_TESTS {
    return unlink(path);
}
