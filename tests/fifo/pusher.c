/* The command processor: decoding of pushbuffers, object binding, the 2D and M2MF engines, fences,
 * constants, clears - all by method words in GPU memory, as a driver sends them. */
#include "base/profile.h"
#include "base/surface.h"
#include "fifo/engine.h"
#include "pipeline/context_private.h"
#include "tests/fifo/clear_zeta.h"

#include <pthread.h>
#include <time.h>

/* Makes the 2D engine write `bytes` bytes at data + x, as the driver does for every upload. */
static void sifc_begin(struct fixture *f, uint32_t x, uint32_t bytes) {
    METHOD(f, TWO_D, 0x200, 0xf3, 1);
    METHOD(f, TWO_D, 0x214, 262144, 65536, 1, HIGH_LOW(f->data));
    METHOD(f, TWO_D, 0x800, 0, 0xf3);
    METHOD(f, TWO_D, 0x838, bytes, 1, 0, 1, 0, 1, 0, x, 0, 0);
}

FIXTURE_TEST(test_sifc_and_headers) {
    const uint32_t words[4] = {0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c};
    sifc_begin(f, 16, 7);
    put(f, 0x40000000 | 2 << 18 | TWO_D << 13 | 0x860); /* constant method */
    put(f, words[0]);
    put(f, words[1]);
    sifc_begin(f, 64, 16);
    put(f, 0x00030000 | TWO_D << 13 | 0x860); /* long: the count follows */
    put(f, 4);
    for (int i = 0; i < 4; i++)
        put(f, words[i]);
    run(f);
    for (int i = 0; i < 7; i++)
        assert_int_equal(f->bytes[16 + i], i);
    assert_int_equal(f->bytes[23], 0); /* the eighth byte is not written */
    for (int i = 0; i < 16; i++)
        assert_int_equal(f->bytes[64 + i], i);
    assert_int_equal(f->lines, 0);
}

/* An upload keeps its initial size, even if the size registers change before its data. */
FIXTURE_TEST(test_sifc_keeps_its_size) {
    sifc_begin(f, 16, 2);
    one(f, TWO_D, 0x838, 3);
    run_one(f, TWO_D, 0x860, 0x03020105);
    assert_memory_equal(f->bytes + 16, "\x05\x01\0", 3);
}

/* Header, count and data may come in different entries. */
FIXTURE_TEST(test_split_method) {
    sifc_begin(f, 0, 12);
    put(f, 0x00030000 | TWO_D << 13 | 0x860);
    run(f);
    put(f, 3);
    run(f);
    put(f, 0x11111111);
    run(f);
    memcpy(f->bytes + 4096, "spliced!", 8);
    channel_execute(f->channel, f->data + 4096, ENTRY_NO_PREFETCH | 8);
    assert_memory_equal(f->bytes, "\x11\x11\x11\x11spliced!", 12);
    run_one(f, TWO_D, 0x290, 0); /* the next word is a header again */
    assert_int_equal(f->lines, 0);
}

static void write_word(struct fixture *f, uint32_t value) {
    METHOD(f, THREE_D, 0x10, HIGH_LOW(f->data), value, 2);
}

/* A word that is no header ends its entry, whichever bits make it invalid. The next entry begins
 * with a header. */
FIXTURE_TEST(test_after_a_bad_header) {
    static const uint32_t bad[] = {0x20000001, 0x20000000, 0x00030001, 0x00030002, 0x00030003,
                                   0x00020000, 0x00010000, 0x80000000, 0x60000000, 0x00000001,
                                   0x00000002, 0x40000001, 0x40000002, 0x00070000};
    for (uint32_t i = 0; i < LENGTH(bad); i++) {
        const int lines = f->lines;
        memset(f->bytes, 0, 4);
        put(f, bad[i]);
        write_word(f, 1); /* not decoded */
        run(f);
        if (f->lines != lines + 1 || !strstr(f->last, "INVALID_CMD"))
            fail_msg("%08x: %d lines, %s", bad[i], f->lines - lines, f->last);
        assert_int_equal(f->bytes[0], 0);
        write_word(f, 2);
        run(f);
        assert_int_equal(f->lines, lines + 1);
        assert_int_equal(f->bytes[0], 2);
    }
}

FIXTURE_TEST(test_bad_pushbuffers) {
    put(f, 0x20000001); /* a jump is not allowed in an indirect buffer */
    put(f, 0xffffffff);
    run(f);
    assert_int_equal(f->lines, 1);
    assert_non_null(strstr(f->last, "INVALID_CMD 20000001"));
    channel_execute(f->channel, 0x123456789000, 64);
    assert_non_null(strstr(f->last, "page fault"));
    channel_execute(f->channel, f->push + 2, 64);
    run_one(f, 7, 0x200, 0);
    assert_non_null(strstr(f->last, "no object"));
    one(f, THREE_D, 0x1ffc, 5);
    one(f, THREE_D, 0x1ffc, 5);
    const int before = f->lines;
    run(f);
    assert_int_equal(f->lines, before + 1); /* reported once, with its address */
    assert_non_null(strstr(f->last, "1ffc"));
    run_one(f, M2MF, 0, 0xdeadbeef);
    assert_non_null(strstr(f->last, "deadbeef"));
}

/* Each complaint is made once: unknown methods are reported once for each class, page faults once
 * for each page. */
FIXTURE_TEST(test_said_once) {
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 40; i++) { /* addresses without a method, more than 8 */
            const int before = f->lines;
            char address[16];
            one(f, M2MF, 0x1000 + 4 * i, 0xabc00000 + i);
            run_one(f, TWO_D, 0x1000 + 4 * i, 0xabc00000 + i);
            assert_int_equal(f->lines, before + (round ? 0 : 2));
            snprintf(address, sizeof address, "%04x, data abc", 0x1000 + 4 * i);
            assert_true(round || strstr(f->last, address));
        }
    static const struct {
        uint64_t address;
        int lines;
    } row[] = {{0x1234567000, 1}, {0x1234567000, 0}, {0x1234567ff0, 0}, {0x1234568000, 1},
               {0x1244567000, 1}, {0x1234568004, 0}, {0x9234567000, 1}, {0x1234569000, 1},
               {0x123456a000, 1}, {0x123456b000, 1}, {0x1234569ffc, 0}};
    for (size_t i = 0; i < LENGTH(row); i++) {
        const int before = f->lines;
        channel_execute(f->channel, row[i].address, 16);
        assert_int_equal(f->lines, before + row[i].lines);
    }
    /* the message has the address and the word */
    char place[64];
    for (uint32_t at = 0; at < 3; at++) {
        for (uint32_t i = 0; i < at; i++)
            one(f, TWO_D, 0x290, 0);
        put(f, 0x20000001 + 4 * at);
        snprintf(place, sizeof place, "%08x in the pushbuffer at %010llx", 0x20000001 + 4 * at,
                 (unsigned long long)(f->push + 8 * at));
        run(f);
        if (!strstr(f->last, place))
            fail_msg("\"%s\" does not say \"%s\"", f->last, place);
    }
}

/* Each address that is no method of the class is reported once, regardless of other reports.
 * Addresses behind the last method are not reported. */
FIXTURE_TEST(test_unknown_methods) {
    static const uint32_t known[][2] = {{0x100, 1},  {0x110, 1}, {0x180, 3},
                                        {0x200, 14}, {0x238, 2}, {0x30c, 8}};
    for (int round = 0; round < 2; round++)
        for (uint32_t address = 0x100; address < 0x2000; address += 4) {
            char text[64];
            bool is_known = address == 0x200 + 4 * 7; /* LINEAR_OUT */
            for (size_t i = 0; i < LENGTH(known); i++)
                is_known |= (address - known[i][0]) / 4 < known[i][1];
            f->lines = 0;
            run_one(f, M2MF, address, is_known ? 0 : 0x5a);
            if (f->lines != (!is_known && !round))
                fail_msg("%04x: %d lines, %s", address, f->lines, f->last);
            snprintf(text, sizeof text, "M2MF (5039): ILLEGAL_METHOD %04x, data 0000005a", address);
            if (f->lines && !strstr(f->last, text))
                fail_msg("'%s' instead of '%s'", f->last, text);
        }
    for (uint32_t words = 1; words < 2000; words += 111) {
        f->lines = 0;
        put(f, words << 18 | TWO_D << 13 | 0x1ffc);
        for (uint32_t i = 0; i < words; i++)
            put(f, 0x1234);
        run(f);
        assert_int_equal(f->lines, words == 1); /* only 1ffc is reported */
        one(f, TWO_D, 0x290, 0);                /* known methods still work */
        run_one(f, TWO_D, 0x100, 0);
        assert_int_equal(f->lines, words == 1);
    }
}

/* A channel makes at most 1024 different complaints. */
FIXTURE_TEST(test_much_to_say) {
    f->lines = 0;
    for (uint32_t i = 0; i < 1100; i++) {
        channel_execute(f->channel, (UINT64_C(0x1000) << 20) + 0x1000 * (uint64_t)i, 16);
        assert_int_equal(f->lines, i < 1024 ? i + 1 : 1024);
    }
    for (uint32_t i = 0; i < 1100; i++)
        channel_execute(f->channel, (UINT64_C(0x1000) << 20) + 0x1000 * (uint64_t)i, 16);
    assert_int_equal(f->lines, 1024);
}

/* Binding of objects to subchannels. */
FIXTURE_TEST(test_bindings) {
    run_one(f, 6, 0, 0xbeef0bad);
    assert_non_null(strstr(f->last, "SET_OBJECT: no object beef0bad"));
    for (uint32_t i = 0; i < 8;
         i++) { /* one object on every subchannel, then another in its place */
        one(f, i, 0, 0xbeef5097);
        run_one(f, i, 0x300 + 4 * 5, 100 + i);
        assert_int_equal(channel_context(f->channel)->state.current[5][0], 100 + i);
    }
    f->lines = 0;
    for (uint32_t i = 0; i < 8; i++) {
        one(f, i, 0, 0xbeef5039);
        one(f, i, 0x33c, 7); /* attribute 15 of the 3D class */
    }
    run(f);
    assert_int_equal(f->lines, 1);
    assert_non_null(strstr(f->last, "M2MF (5039): ILLEGAL_METHOD 033c"));
    assert_int_equal(channel_context(f->channel)->state.current[5][0], 107);
    one(f, 2, 0, 0xbeef0bad); /* the subchannel has no object now */
    run_one(f, 2, 0x314, 7);
    assert_non_null(strstr(f->last, "method 0314 on subchannel 2, which has no object"));
    /* words from the channel's own methods to the engine's; only the first is unknown */
    f->lines = 0;
    method(f, M2MF, 0xfc, 2, (const uint32_t[2]){0});
    run_one(f, M2MF, 0x100, 0);
    assert_int_equal(f->lines, 1);
    assert_non_null(strstr(f->last, "ILLEGAL_METHOD 00fc of the channel"));
}

/* An entry whose address is no multiple of 4 is not executed. */
FIXTURE_TEST(test_misaligned) {
    for (uint32_t by = 0; by < 4; by++) {
        uint32_t words[5] = {4 << 18 | 0x10, HIGH_LOW(f->data), 50 + by, 2};
        memcpy(f->bytes + 4096 + by, words, sizeof words);
        memset(f->bytes, 0, 4);
        channel_execute(f->channel, f->data + 4096 + by, sizeof words);
        assert_int_equal(word_at(f, 0), by ? 0 : 50);
    }
    assert_int_equal(f->lines, 0);
}

/* A finish writes the fences of all objects of a channel that has as many objects as possible. */
FIXTURE_TEST(test_all_objects_finish) {
    struct channel *c = channel_create(f->device, 0xa3);
    assert_non_null(c);
    for (uint32_t i = 0; i < 64; i++) {
        const uint64_t at = f->data + 16 * i;
        const uint32_t fence[] = {HIGH_LOW(at), 500 + i, 1 << 28};
        assert_int_equal(channel_object_create(c, 0x100 + i, 0x8597), 0);
        one(f, i % 8, 0, 0x100 + i);
        method(f, i % 8, 0x1b00, 4, fence);
        channel_execute(c, f->push, f->count * 4);
        f->count = 0;
    }
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(word_at(f, 16 * i), 0);
    channel_finish(c);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(word_at(f, 16 * i), 500 + i);
    channel_destroy(c);
}

static void put_fence(struct fixture *f, uint32_t at, uint32_t value) {
    const uint64_t to = f->data + at;
    METHOD(f, THREE_D, 0x1b00, HIGH_LOW(to), value, 1 << 28);
}

/* Pending results are written before a semaphore is released or acquired, and before an object or
 * channel is destroyed. */
FIXTURE_TEST(test_fences_come_first) {
    const uint64_t release = f->data + 256;
    put_fence(f, 0, 1);
    run(f);
    assert_int_equal(word_at(f, 0), 0);
    METHOD(f, THREE_D, 0x10, HIGH_LOW(release), 1, 2);
    run(f);
    assert_int_equal(word_at(f, 0), 1);
    put_fence(f, 0, 2);
    channel_set_patience(f->channel, 0);
    METHOD(f, THREE_D, 0x10, HIGH_LOW(f->data), 2, 1); /* the fence writes 2 */
    put_fence(f, 16, 3);
    run(f);
    assert_int_equal(word_at(f, 0), 2);
    assert_int_equal(f->lines, 0);
    assert_int_equal(word_at(f, 16), 0);
    assert_int_equal(channel_object_destroy(f->channel, 0xbeef5097), 0);
    assert_int_equal(word_at(f, 16), 3);
    assert_int_equal(channel_object_create(f->channel, 0xbeef5097, 0x8597), 0);
    one(f, THREE_D, 0, 0xbeef5097);
    put_fence(f, 32, 4);
    run(f);
    assert_int_equal(word_at(f, 32), 0);
    channel_destroy(f->channel);
    assert_int_equal(word_at(f, 32), 4);
    f->channel = NULL;
}

static void *release_late(void *p) {
    struct fixture *f = p;
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    __atomic_store_n((uint32_t *)(void *)f->bytes, 77, __ATOMIC_RELEASE);
    return NULL;
}

/* An acquire waits as long as the channel's patience, by default some seconds. */
FIXTURE_TEST(test_patience) {
    for (int how = 0; how < 3; how++) {
        struct timespec start, end;
        pthread_t other;
        memset(f->bytes, 0, 4);
        if (how == 1)
            channel_set_patience(f->channel, UINT64_C(20000000000));
        if (how == 2)
            channel_set_patience(f->channel, 20000000);
        if (how < 2)
            assert_int_equal(pthread_create(&other, NULL, release_late, f), 0);
        METHOD(f, THREE_D, 0x10, HIGH_LOW(f->data), 77, 1);
        one(f, THREE_D, 0x300 + 4 * 5, 200 + (uint32_t)how);
        clock_gettime(CLOCK_MONOTONIC, &start);
        run(f);
        clock_gettime(CLOCK_MONOTONIC, &end);
        if (how < 2)
            pthread_join(other, NULL);
        const long ms =
            (end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000;
        assert_in_range(ms, 15, 15000);
        assert_int_equal(channel_context(f->channel)->state.current[5][0],
                         how < 2 ? 200 + how : 201);
        assert_int_equal(f->lines, how == 2);
    }
    assert_non_null(strstr(f->last, "is 00000000 and never became 0000004d: the channel is dead"));
}

/* A channel is busy while work waits for a finish: draws, clears, fences and queries. Copies and
 * releases are done at once. */
FIXTURE_TEST(test_busy) {
    static const struct {
        uint32_t subchannel, address, count, words[4];
        bool busy;
    } rows[] = {
        {THREE_D, 0x100, 1, {0}, false}, {THREE_D, 0x13b0, 1, {0x3f800000}, false},
        {THREE_D, 0x15dc, 1, {4}, true}, {THREE_D, 0x15e0, 1, {0}, true},
        {THREE_D, 0x19d0, 1, {0}, true}, {THREE_D, 0x1b0c, 1, {1 << 28}, true},
        {THREE_D, 0x1b0c, 1, {0}, true}, {THREE_D, 0x1b0c, 1, {1 << 24}, true},
        {TWO_D, 0x290, 1, {0}, false},   {TWO_D, 0x8b0, 4, {0}, false},
        {M2MF, 0x328, 1, {0}, false},    {THREE_D, 0x50, 1, {0}, false},
    };
    const uint32_t address[] = {HIGH_LOW(f->data)};
    method(f, THREE_D, 0x1b00, 2, address);
    run(f);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        channel_finish(f->channel);
        assert_false(channel_busy(f->channel));
        method(f, rows[i].subchannel, rows[i].address, rows[i].count, rows[i].words);
        run(f);
        if (channel_busy(f->channel) != rows[i].busy)
            fail_msg("row %zu", i);
    }
    one(f, THREE_D, 0x15dc, 4);
    METHOD(f, THREE_D, 0x10, address[0], address[1], 1, 2);
    run(f);
    assert_false(channel_busy(f->channel));
}

/* Each submission makes the context read descriptors and constants again, because the CPU may have
 * written them; so does TEX_CACHE_CTL. At the end of an entry, decoding time ends. */
FIXTURE_TEST(test_entries_are_seen) {
    tp_context *c = channel_context(f->channel);
    const struct context_private *p = c->p;
    enum { OTHER = STAGE_COPY };
    struct tp_profile profile;
    context_take_profile(c, &profile); /* starts the profile */
    for (int i = 0; i < 3; i++) {
        const uint64_t before = scene_now(p->scene);
        context_leave(c, OTHER);
        if (i == 2) {
            one(f, THREE_D, 0x1338, 0); /* TEX_CACHE_CTL */
            one(f, THREE_D, 0x100, 0);
        }
        if (i > 0)
            run(f);
        assert_int_equal(context_enter(c, OTHER), OTHER);
        assert_int_equal(p->captured.event[EVENT_DESCRIPTORS] > before, i > 0);
        assert_int_equal(p->captured.event[EVENT_CONSTANTS] > before, i > 0);
        assert_int_equal(scene_now(p->scene) - before, 2 * i); /* one event each */
    }
}

/* If a device keeps a profile, it is logged when a channel finishes. */
FIXTURE_TEST(test_profile) {
    f->device->log.level = LOG_INFO;
    for (int on = 0; on < 2; on++) {
        f->device->profile = on;
        f->lines = 0;
        channel_finish(f->channel);
        assert_int_equal(f->lines, on);
    }
    assert_non_null(strstr(f->last, "profile: "));
    f->device->profile = false;
}

/* A new object of a class begins in the state in which the destroyed object of the class began. */
FIXTURE_TEST(test_begins_anew) {
    static struct state first, then;
    for (int round = 0; round < 2; round++) {
        assert_int_equal(channel_object_destroy(f->channel, 0xbeef5097), 0);
        assert_int_equal(channel_object_create(f->channel, 0xbeef5097, 0x8597), 0);
        one(f, THREE_D, 0, 0xbeef5097);
        one(f, THREE_D, 0x15dc, 4);
        run_one(f, THREE_D, 0x15e0, 0);
        *(round ? &then : &first) = channel_context(f->channel)->state;
        one(f, THREE_D, 0x1448, 5 << 9 | 1);
        one(f, THREE_D, 0x1444, 5 << 12 | 1);
        one(f, THREE_D, 0x1694, 5 << 12 | 1);
        one(f, THREE_D, 0x15e4, 0);
        one(f, THREE_D, 0x304, 5);
        run_one(f, THREE_D, 0x1780, 5);
        assert_true(channel_context(f->channel)->state.tic[PROGRAM_VP][0].valid);
    }
    assert_memory_equal(&first, &then, sizeof first);
}

/* One-to-one blits between four-byte formats, tiled on both sides, compared texel by texel. */
static void check_copy(struct fixture *f, uint32_t from_code, uint32_t to_code) {
    enum { W = 61, H = 37, X = 21, Y = 1, SX = 3, SY = 19, CW = 40, CH = 11, TO = 0x10000 };
    const enum pixel_format from_format = format_from_color_code(from_code);
    const enum pixel_format to_format = format_from_color_code(to_code);
    const uint64_t to = f->data + TO;
    const struct surface s = {
        .format = from_format, .width = W, .height = H, .depth = 1, .tile_h = 1, .is_3d = true};
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < TO; i++) {
        f->bytes[i] = (uint8_t)(i * 167 + i / 251);
        f->bytes[TO + i] = 0x5a;
    }
    METHOD(f, TWO_D, 0x200, to_code, 0, 0x10, 1, 0);
    METHOD(f, TWO_D, 0x218, W, H, HIGH_LOW(to));
    METHOD(f, TWO_D, 0x230, from_code, 0, 0x10, 1, 0);
    METHOD(f, TWO_D, 0x248, W, H, HIGH_LOW(f->data));
    one(f, TWO_D, 0x88c, 0);
    METHOD(f, TWO_D, 0x8b0, X, Y, CW, CH, 0, 1, 0, 1, 0, SX, 0, SY);
    run(f);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            uint8_t expected[4] = {0x5a, 0x5a, 0x5a, 0x5a};
            uint32_t rgba[4];
            if (x >= X && x < X + CW && y >= Y && y < Y + CH) {
                const uint8_t *texel =
                    f->bytes + surface_offset(&s, 4 * (x - X + SX), y - Y + SY, 0);
                format_decode(from_format, texel, rgba);
                format_encode(to_format, rgba, expected);
                if (from_format == to_format) /* bits of no component are copied, too */
                    memcpy(expected, texel, sizeof expected);
            }
            wrong += memcmp(expected, f->bytes + TO + surface_offset(&s, 4 * x, y, 0), 4) != 0;
        }
    assert_int_equal(wrong, 0);
}

/* Blits from any slice of a volume to any slice of another, with tiles of two slices; uploads to
 * any slice. */
FIXTURE_TEST(test_slices) {
    enum { N = 16, SLICES = 4, TO = 0x10000, TEXELS = N * N };
    static const struct surface s = {.format = FORMAT_RGBA8_UNORM,
                                     .width = N,
                                     .height = N,
                                     .depth = SLICES,
                                     .tile_h = 1,
                                     .tile_d = 1,
                                     .is_3d = true};
    const uint64_t to = f->data + TO;
    const uint32_t code = 0xd5, dst_size[] = {N, N, HIGH_LOW(to)};
    const uint32_t upload[] = {N, N, 0, 1, 0, 1, 0, 0, 0, 0};
    for (uint32_t i = 0; i < SLICES * (SLICES + 1); i++) {
        const uint32_t from = i / SLICES, into = i % SLICES; /* SLICES stands for an upload */
        uint32_t texel[TEXELS];
        memset(f->bytes + TO, 0x5a, TO);
        for (uint32_t k = 0; k < TO; k++)
            f->bytes[k] = (uint8_t)(k * 167 + k / 251);
        METHOD(f, TWO_D, 0x200, code, 0, 0x110, SLICES, into);
        method(f, TWO_D, 0x218, 4, dst_size);
        if (from < SLICES) {
            METHOD(f, TWO_D, 0x230, code, 0, 0x110, SLICES, from);
            METHOD(f, TWO_D, 0x248, N, N, HIGH_LOW(f->data));
            one(f, TWO_D, 0x88c, 0);
            METHOD(f, TWO_D, 0x8b0, 0, 0, N, N, 0, 1, 0, 1, 0, 0, 0, 0);
        } else {
            for (uint32_t k = 0; k < TEXELS; k++)
                texel[k] = 0x01020304 * (k % 61);
            METHOD(f, TWO_D, 0x800, 0, code);
            method(f, TWO_D, 0x838, 10, upload);
            method(f, TWO_D, 0x40000000 | 0x860, TEXELS, texel);
        }
        run(f);
        for (uint32_t z = 0; z < SLICES; z++)
            for (uint32_t k = 0; k < TEXELS; k++) {
                uint32_t want = 0x5a5a5a5a, got;
                memcpy(&got, f->bytes + TO + surface_offset(&s, 4 * (k % N), k / N, z), 4);
                if (z == into && from == SLICES)
                    want = texel[k];
                else if (z == into)
                    memcpy(&want, f->bytes + surface_offset(&s, 4 * (k % N), k / N, from), 4);
                if (got != want)
                    fail_msg("slice %u into %u: %08x in slice %u, texel %u, not %08x", from, into,
                             got, z, k, want);
            }
    }
    assert_int_equal(f->lines, 0);
}

FIXTURE_TEST(test_blit_copies) {
    static const uint32_t codes[] = {0xcf, 0xe6, 0xd5, 0xf9, 0xd6, 0xd7, 0xd1, 0xda};
    for (int i = 0; i < 64; i++)
        check_copy(f, codes[i / 8], codes[i % 8]);
    assert_int_equal(((struct fixture *)f)->lines, 0);
}

FIXTURE_TEST(test_fence_waits_for_finish) {
    METHOD(f, THREE_D, 0x1b00, (uint32_t)(f->data >> 32), (uint32_t)f->data + 32, 77, 0x1000f010);
    run(f);
    assert_true(channel_busy(f->channel));
    channel_finish(f->channel);
    assert_false(channel_busy(f->channel));
    assert_int_equal(word_at(f, 32), 77);
    assert_int_equal(word_at(f, 36), 0); /* the short form writes the sequence only */
}

FIXTURE_TEST(test_constants) {
    const uint32_t values[] = {1, 2, 3};
    METHOD(f, THREE_D, 0x1280, HIGH_LOW(f->data), 5 << 16 | 256);
    one(f, THREE_D, 0xf00, 4 << 8 | 5);
    put(f, 0x40000000 | 3 << 18 | THREE_D << 13 | 0xf04);
    for (int i = 0; i < 3; i++)
        put(f, values[i]);
    run_one(f, THREE_D, 0xf04, 4); /* continues at the next word */
    assert_int_equal(word_at(f, 16), 1);
    assert_int_equal(word_at(f, 28), 4);
    one(f, THREE_D, 0xf00, 63 << 8 | 5);
    one(f, THREE_D, 0xf04, 9);
    run_one(f, THREE_D, 0xf04, 9); /* beyond the buffer's 256 bytes */
    assert_int_equal(word_at(f, 252), 9);
    assert_int_equal(word_at(f, 256), 0);
    assert_int_equal(f->lines, 1);
}

static void target(struct fixture *f, uint32_t width, uint32_t height) {
    METHOD(f, THREE_D, 0x200, HIGH_LOW(f->data), 0xd5, 0x20, 0);
    METHOD(f, THREE_D, 0x1240, width, height);
    one(f, THREE_D, 0x121c, 1);
    one(f, THREE_D, 0x1224, 1);
}

/* The region is VIEWPORT(0) within SCREEN_SCISSOR; the scissor has no effect. */
FIXTURE_TEST(test_clear_rectangle) {
    target(f, 32, 32);
    METHOD(f, THREE_D, 0xff4, 32 << 16, 32 << 16);
    METHOD(f, THREE_D, 0xc00, 8 << 16 | 4, 30 << 16 | 30);
    METHOD(f, THREE_D, 0xe00, 1, 1 << 16, 1 << 16);
    METHOD(f, THREE_D, 0xd80, 0x3f800000, 0, 0, 0x3f800000);
    one(f, THREE_D, 0x143c, 0x10);
    one(f, THREE_D, 0x19d0, 0x3c);
    finish(f);
    int lit = 0;
    for (int i = 0; i < 32 * 32; i++)
        lit += word_at(f, (uint32_t)i * 4) == 0xff0000ff;
    assert_int_equal(lit, 8 * 2); /* x 4..11, y 30..31 */
    assert_int_equal(f->lines, 0);
    target(f, 8192, 8192); /* larger than memory */
    run_one(f, THREE_D, 0x19d0, 0x3c);
    assert_int_equal(f->lines, 1);
    assert_non_null(strstr(f->last, "DATA_ERROR at CLEAR_BUFFERS"));
}

/* CLEAR_FLAGS bit 0: the stencil write mask applies to the clear. */
FIXTURE_TEST(test_clear_stencil_mask) {
    static const uint32_t flags[3] = {0x10, 0x11, 0x10}, values[3] = {0xf0, 0x0c, 0x3a};
    static const uint32_t expected[3] = {0xf0, 0xfc, 0x3a};
    zeta_target(f);
    one(f, THREE_D, 0x1398, 0x0f); /* the mask */
    for (int i = 0; i < 3; i++) {
        one(f, THREE_D, 0x143c, flags[i]);
        one(f, THREE_D, 0xda0, values[i]);
        one(f, THREE_D, 0x19d0, 2);
        finish(f);
        assert_int_equal(word_at(f, 0) >> 24, expected[i]);
    }
    assert_int_equal(f->lines, 0);
}

/* Registers of stipples, smoothing and edge flags set the state. */
FIXTURE_TEST(test_raster_registers) {
    const struct state *s = &channel_context(f->channel)->state;
    for (uint32_t on = 0; on < 2; on++) {
        one(f, THREE_D, 0x166c, on);              /* LINE_STIPPLE_ENABLE */
        one(f, THREE_D, 0x1680, 0xabcd02 + on);   /* pattern << 8 | factor - 1 */
        one(f, THREE_D, 0x168c, on);              /* POLYGON_STIPPLE_ENABLE */
        one(f, THREE_D, 0x1700 + 4 * 31, 7 + on); /* the last row */
        one(f, THREE_D, 0x1570, on);              /* LINE_, */
        one(f, THREE_D, 0x1658, on);              /* POINT_, */
        one(f, THREE_D, 0xdb4, on);               /* POLYGON_SMOOTH_ENABLE */
        one(f, THREE_D, 0x15e4, on);              /* EDGEFLAG */
        one(f, THREE_D, 0x15dc, 4);
        run_one(f, THREE_D, 0x15e0, 0);
        assert_int_equal(s->line_stipple, on);
        assert_int_equal(s->line_stipple_pattern, 0xabcd);
        assert_int_equal(s->line_stipple_factor, 3 + on);
        assert_int_equal(s->setup.polygon_stipple, on);
        assert_int_equal(s->setup.stipple_pattern[31], 7 + on);
        assert_int_equal(s->setup.line_smooth + s->setup.point_smooth + s->setup.polygon_smooth,
                         3 * on);
        assert_int_equal(s->edge_flag, on);
    }
}

FIXTURE_TEST(test_draws_without_sense) {
    target(f, 32, 32);
    one(f, THREE_D, 0x15e0, 0);  /* END alone */
    one(f, THREE_D, 0xd78, 3);   /* vertices without a draw */
    one(f, THREE_D, 0x15dc, 99); /* unknown primitive */
    one(f, THREE_D, 0x15e0, 0);
    one(f, THREE_D, 0x15dc, 4);
    one(f, THREE_D, 0xd78, 0xffffffff); /* no such program */
    one(f, THREE_D, 0x15e0, 0);
    finish(f);
    assert_true(f->lines >= 3);
    assert_int_equal(channel_draws(f->channel), 2);
}

/* A channel does nothing more after its limit of draws. */
FIXTURE_TEST(test_last_draw) {
    for (uint64_t last = 1; last < 4; last++) {
        channel_stop_after(f->channel, last);
        for (int i = 0; i < 5; i++) {
            one(f, THREE_D, 0x15dc, 4);
            one(f, THREE_D, 0x15e0, 0);
        }
        run(f);
        assert_int_equal(channel_draws(f->channel), last);
        memset(f->bytes, 0, 4);
        METHOD(f, THREE_D, 0x10, HIGH_LOW(f->data), 42, 2);
        run(f);
        assert_int_equal(word_at(f, 0), 0);
        renew(f);
    }
    channel_destroy(NULL); /* has no effect */
}

/* Commands that would take hours are refused. */
FIXTURE_TEST(test_watchdog) {
    const uint32_t in[] = {
        (uint32_t)f->data, (uint32_t)f->data + 4096, 0, 0, 4, UINT32_MAX, 0x101, 0};
    one(f, M2MF, 0x200, 1);
    one(f, M2MF, 0x21c, 1);
    one(f, M2MF, 0x238, (uint32_t)(f->data >> 32));
    one(f, M2MF, 0x23c, (uint32_t)(f->data >> 32));
    method(f, M2MF, 0x30c, 8, in); /* 2^32 - 1 lines in the same place */
    run(f);
    assert_int_equal(f->lines, 1);
    assert_non_null(strstr(f->last, "4294967295 lines"));
    target(f, 32, 32);
    one(f, THREE_D, 0x15dc, 4);
    one(f, THREE_D, 0x15dc, 0xd000000); /* unknown primitive, within another draw */
    one(f, THREE_D, 0xd78, 3);
    run_one(f, THREE_D, 0x15e0, 0);
    assert_non_null(strstr(f->last, "primitive type"));
}
