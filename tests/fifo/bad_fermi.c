/* Bad input of a Fermi's channel: the driver's macros with parameters that no driver sends
 * (indirect draws and dispatches of 2^32 - 1), missing parameters, parameters in memory that does
 * not exist, and recordings of tessellation, images, storage buffers and launches with damaged
 * words - commands, program headers, levels, addresses. In each case the work is bounded and
 * reported once, and another channel still works. TESLAPIPE_STREAMS sets the number of damaged
 * streams (default 120), TESLAPIPE_SEED the first one. */
#include "fifo/macro.h"
#include "fifo/record.h"
#include "tests/fifo/driver_macros.h"
#include "tests/fifo/fermi.h"

#include <unistd.h>

/* The most lines that a channel can log: its distinct complaints, and one line for each method of
 * its engines. */
enum { LINES = 1024 + 6 * 4096 };

/* Opens a channel with the driver's macros. */
static void open_driver(struct fixture *f) {
    static const uint32_t classes[] = {0x9097, 0x90c0};
    open_fermi(f, 0xc1, classes, LENGTH(classes));
    read_driver_macros();
    head(f, INCREASE_ONCE, F3D, MACRO_UPLOAD_POSITION, 1 + LENGTH(driver_code));
    put(f, 0);
    for (uint32_t i = 0; i < LENGTH(driver_code); i++)
        put(f, driver_code[i]);
    for (uint32_t i = 0; i < LENGTH(driver_entry); i++) {
        head(f, INCREASE, F3D, MACRO_NUMBER, 2);
        put(f, i);
        put(f, driver_entry[i]);
    }
    run(f);
}

/* Checks that the channel still works: a word arrives in a constant buffer. */
static void prove_alive(struct fixture *f) {
    head(f, INCREASE, F3D, CB_SIZE, 3);
    put(f, 64);
    put(f, (uint32_t)(f->data >> 32));
    put(f, (uint32_t)f->data);
    send(f, F3D, CB_POS, 0);
    send(f, F3D, CB_DATA, 0x1234567);
    run(f);
    assert_int_equal(word_at(f, 0), 0x1234567);
}

/* Each macro of the driver with extreme parameters: the work is bounded, few lines are logged, no
 * data changes, and the channel still works. For each parameter, a macro runs at most MACRO_LIMIT
 * instructions and draws at most MACRO_WORK primitives. */
TEST(test_hostile_parameters) {
    static const uint32_t edges[] = {0xffffffff, 0x80000000};
    for (uint32_t n = 0; n < LENGTH(driver_entry); n++)
        for (size_t k = 0; k < LENGTH(edges); k++) {
            struct fixture f;
            open_driver(&f);
            memset(f.bytes, 0xa5, DATA_BYTES);
            head(&f, INCREASE_ONCE, n == 0xc ? FCOMPUTE : F3D, MACRO_START + 8 * n, 9);
            for (uint32_t i = 0; i < 9; i++)
                put(&f, i == k ? 1 : edges[k]);
            run(&f);
            channel_finish(f.channel);
            assert_true(f.lines <= LINES);
            uint32_t same = 0; /* unchanged leading bytes: no parameter is an address here */
            while (same < DATA_BYTES && f.bytes[same] == 0xa5)
                same++;
            assert_int_equal(same, DATA_BYTES);
            prove_alive(&f);
            fixture_close(&f);
        }
}

/* A macro that waits for a parameter when all submissions have ended blocks nothing; the next macro
 * replaces it. Parameters in memory that does not exist are left out, which is reported once. */
TEST(test_parameters_that_never_come) {
    struct fixture f;
    open_driver(&f);
    send(&f, F3D, MACRO_START + 8 * 7, 4);
    run(&f);
    channel_finish(f.channel);
    assert_int_equal(f.lines, 0);
    send(&f, F3D, MACRO_START + 8 * 6, 4);
    head(&f, STAY, F3D, MACRO_START + 8 * 7 + 4, 6); /* the words come from another entry */
    run(&f);
    for (int i = 0; i < 4; i++)
        channel_execute(f.channel, UINT64_C(0x7f00000000) + 4096ull * (uint64_t)i, 24);
    channel_execute(f.channel, f.data + DATA_BYTES - 4, 24); /* a part lies outside memory */
    channel_execute(f.channel, UINT64_MAX - 3, 24);
    channel_finish(f.channel);
    assert_true(f.lines >= 1 && f.lines <= 6);
    fixture_close(&f);
    open_driver(&f);
    send(&f, F3D, MACRO_START + 8 * 7, 4);
    run(&f);
    fixture_close(&f); /* closes while the macro waits */
}

/* ---- damaged recordings ---- */

enum { FILE_HEAD = 8, CHUNK_HEAD = 24, CHUNK_DATA = 3 };

struct file {
    uint8_t *bytes;
    size_t size;
};

static struct file read_file(const char *path) {
    struct file f = {0};
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    f.size = (size_t)ftell(in);
    rewind(in);
    f.bytes = malloc(f.size);
    assert_int_equal(fread(f.bytes, 1, f.size, in), f.size);
    fclose(in);
    return f;
}

/* Changes one in `one_in` words of the data, which contains commands, programs and their
 * parameters. */
static void damage(uint8_t *p, size_t size, uint32_t one_in, uint64_t *random) {
    static const uint32_t edges[] = {0,          1,          0xffff,     0x7fffffff, 0x80000000,
                                     0xffffffff, 0x7fc00000, 0x7f800000, 0xff800000, 0xbf800000};
    for (size_t i = 0; i + 4 <= size; i += 4) {
        const uint32_t r = (uint32_t)random_next(random);
        uint32_t word;
        if (r % one_in)
            continue;
        memcpy(&word, p + i, 4);
        const uint32_t how = (uint32_t)random_next(random);
        word = how % 3 == 0   ? edges[how / 3 % LENGTH(edges)]
               : how % 3 == 1 ? word ^ 1u << how / 3 % 32
                              : (uint32_t)random_next(random);
        memcpy(p + i, &word, 4);
    }
}

static void damage_chunks(struct file *f, uint32_t one_in, uint64_t *random) {
    for (size_t at = FILE_HEAD; at + CHUNK_HEAD <= f->size;) {
        uint64_t size = 0;
        if (f->bytes[at] == CHUNK_DATA)
            memcpy(&size, f->bytes + at + 16, sizeof size);
        if (size > f->size - at - CHUNK_HEAD)
            return;
        damage(f->bytes + at + CHUNK_HEAD, size, one_in, random);
        at += CHUNK_HEAD + size;
    }
}

/* What a replay logs. */
struct said {
    /* all lines; lines about missing objects; lines about missing macros */
    uint32_t lines, objects, macros;
};

static void count_kinds(void *self, int level, const char *line) {
    struct said *s = self;
    (void)level;
    s->lines++;
    s->objects += strstr(line, "no object") != NULL;
    s->macros += strstr(line, "no macro of this number") != NULL;
}

static void replay(const struct file *f, const char *path, int threads) {
    struct said said = {0};
    struct replay_result result = {0};
    char why[256];
    tp_device *device;
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(f->bytes, 1, f->size, out), f->size);
    fclose(out);
    const struct tp_device_info info = {.chip = TP_CHIP_GF100,
                                        .threads = threads,
                                        .memory = 64 << 20,
                                        .log = count_kinds,
                                        .log_self = &said};
    assert_int_equal(tp_device_create(&info, &device), TP_OK);
    device->log.level = LOG_WARNING;
    device->work_limit = 1 << 12;
    device->warp_budget = 2000;
    record_replay(path, device, 0, NULL, &result, why, sizeof why);
    const uint32_t channels = result.channel_count + 1;
    replay_free(&result);
    tp_device_destroy(device);
    assert_true(said.lines <= LINES * channels);
    /* a missing object is reported at most twice for a subchannel: when bound and when used */
    assert_true(said.objects <= 2 * 8 * channels);
    assert_true(said.macros <= (128 + 1 + 2) * channels);
}

static void damage_recording(const char *recording) {
    const char *streams = getenv("TESLAPIPE_STREAMS"), *seed = getenv("TESLAPIPE_SEED");
    const uint32_t count = streams ? (uint32_t)atoi(streams) : 120;
    const uint32_t first = seed ? (uint32_t)atoi(seed) : 1;
    const struct file whole = read_file(recording);
    char path[] = "/tmp/teslapipe-bad-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (uint32_t n = first; n < first + count; n++) {
        uint64_t random = n * UINT64_C(0x9e3779b97f4a7c15);
        struct file f = {malloc(whole.size), whole.size};
        memcpy(f.bytes, whole.bytes, whole.size);
        damage_chunks(&f, 8u << n % 7, &random);
        replay(&f, path, 1 + (int)(n % 2));
        free(f.bytes);
    }
    unlink(path);
    free(whole.bytes);
}

TEST(test_damaged_patches) {
    damage_recording("tests/tools/tessellation.tpr");
}

TEST(test_damaged_stores) {
    damage_recording("tests/tools/causes.tpr");
}
