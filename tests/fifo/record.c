/* Recordings as files: chunks of changed memory; the actions of a replay, their order and its
 * report; the hash of all memory; files that are cut, damaged, of another version, or no
 * recordings. */
#include "fifo/record.h"
#include "tests/test.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

enum { CHIPSET = 0xa3, AT = 0x100000, SIZE = 8192, PUSHES = AT + 4096 /* words of methods */ };
enum { ALLOC = 1, FREE, DATA, CHANNEL, OBJECT, PUSH, FINISH, END, SOURCE, USE, NONE };

struct chunk {
    uint16_t type, channel;
    uint32_t value;
    uint64_t address, size;
};

static char path[] = "/tmp/teslapipe-record-XXXXXX";

static tp_device *new_device(void) {
    const struct tp_device_info info = {.chip = TP_CHIP_GT215, .threads = 1, .memory = 1 << 28};
    tp_device *d;
    assert_int_equal(tp_device_create(&info, &d), TP_OK);
    return d;
}

/* ---- writing ---- */

static size_t read_file(uint8_t *data, size_t room) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t size = fread(data, 1, room, f);
    fclose(f);
    return size;
}

/* Memory is compared 256 bytes at a time; the last comparison may be shorter. Neighbouring changed
 * ranges are one chunk. */
TEST(test_changes) {
    static const struct {
        uint32_t size;
        int32_t changed[4]; /* changed bytes; -1: end of list */
        struct {
            uint32_t at, size;
        } pieces[3];
    } rows[] = {
        {1024, {-1}, {{0}}},
        {1024, {0, -1}, {{0, 256}}},
        {1024, {255, -1}, {{0, 256}}},
        {1024, {256, -1}, {{256, 256}}},
        {1024, {1023, -1}, {{768, 256}}},
        {1024, {0, 1023, -1}, {{0, 256}, {768, 256}}},
        {1024, {255, 256, -1}, {{0, 512}}},
        {1024, {0, 300, 700, -1}, {{0, 768}}},
        {1024, {0, 700, -1}, {{0, 256}, {512, 256}}},
        {1024, {300, 900, -1}, {{256, 256}, {768, 256}}},
        {1024, {0, 600, 1023, -1}, {{0, 256}, {512, 512}}},
        {600, {10, 599, -1}, {{0, 256}, {512, 88}}},
        {600, {300, -1}, {{256, 256}}},
        {1000, {0, -1}, {{0, 256}}},
        {257, {0, -1}, {{0, 256}}},
        {1000, {999, -1}, {{768, 232}}},
        {1000, {767, 999, -1}, {{512, 488}}},
        {257, {256, -1}, {{256, 1}}},
        {100, {99, -1}, {{0, 100}}},
        {1, {0, -1}, {{0, 1}}},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        static uint8_t now[2048], before[2048], file[4096];
        for (int k = 0; k < 2048; k++) { /* bytes behind the range differ, but are not recorded */
            before[k] = (uint8_t)(k * 7);
            now[k] = before[k] ^ (k >= (int)rows[i].size);
        }
        for (int k = 0; k < 4 && rows[i].changed[k] >= 0; k++)
            now[rows[i].changed[k]] ^= 0x80;
        struct record *r = record_create(path, CHIPSET);
        assert_non_null(r);
        record_changes(r, AT, now, before, rows[i].size);
        assert_memory_equal(now, before, rows[i].size);
        for (uint32_t k = rows[i].size; k < 2048; k++)
            assert_int_equal(before[k], (uint8_t)(k * 7));
        assert_int_equal(record_close(r), 0);
        const size_t size = read_file(file, sizeof file);
        size_t at = 8;
        for (int k = 0; k < 3 && rows[i].pieces[k].size; k++) {
            const struct chunk want = {
                .type = DATA, .address = AT + rows[i].pieces[k].at, .size = rows[i].pieces[k].size};
            struct chunk got;
            memcpy(&got, file + at, sizeof got);
            if (memcmp(&got, &want, sizeof got) != 0)
                fail_msg("row %zu, piece %d: %x, %u bytes", i, k, (unsigned)got.address,
                         (unsigned)got.size);
            at += sizeof got;
            assert_memory_equal(file + at, now + rows[i].pieces[k].at, want.size);
            at += want.size;
        }
        assert_int_equal(size, at + sizeof(struct chunk));
        assert_int_equal(file[at], END);
    }
}

/* Each call writes a chunk. Channels have numbers. If a channel is created at the address of an
 * earlier channel, later calls with this address mean the new one. */
TEST(test_chunks) {
    static uint8_t file[4096];
    const struct channel *const a = (const void *)&file[0], *const b = (const void *)&file[1];
    struct record *r = record_create(path, 0x50);
    record_alloc(r, 0x1000, 0x2000);
    record_channel(r, a);
    record_channel(r, b);
    record_object(r, b, 0xbeef, 0x5097);
    record_push(r, a, 0x1100, 40);
    record_finish(r, b);
    record_channel(r, a); /* a new channel at a's address */
    record_push(r, a, 0x1200, 44);
    record_finish(r, a);
    record_free(r, 0x1000);
    assert_int_equal(record_close(r), 0);
    static const struct chunk want[] = {
        {ALLOC, 0, 0, 0x1000, 0x2000},  {CHANNEL, 0, 0, 0, 0},    {CHANNEL, 1, 0, 0, 0},
        {OBJECT, 1, 0x5097, 0xbeef, 0}, {PUSH, 0, 40, 0x1100, 0}, {FINISH, 1, 0, 0, 0},
        {CHANNEL, 2, 0, 0, 0},          {PUSH, 2, 44, 0x1200, 0}, {FINISH, 2, 0, 0, 0},
        {FREE, 0, 0, 0x1000, 0},        {END, 0, 0, 0, 0}};
    assert_int_equal(read_file(file, sizeof file), 8 + sizeof want);
    assert_memory_equal(file + 8, want, sizeof want);
    assert_int_equal(record_chipset(path), 0x50);
    /* the largest number of open channels works; one more makes the file invalid */
    for (int more = 0; more < 2; more++) {
        r = record_create(path, CHIPSET);
        for (int i = 0; i < RECORD_CHANNELS + more; i++)
            record_channel(r, a);
        assert_int_equal(record_close(r), -more);
    }
    assert_int_equal(record_close(NULL), 0);
    assert_null(record_create("/nowhere/at/all", CHIPSET));
}

static struct chunk chunk_at(const uint8_t *file, size_t index) {
    struct chunk c;
    memcpy(&c, file + 8 + index * sizeof c, sizeof c);
    return c;
}

static const struct channel *named(uint32_t number) {
    static const uint8_t names[2048];
    return (const void *)&names[number];
}

/* A channel gets the number of a closed one when all numbers were used, not before. */
TEST(test_numbers_again) {
    static uint8_t file[8 + (RECORD_CHANNELS + 8) * sizeof(struct chunk)];
    struct record *r = record_create(path, CHIPSET);
    for (uint32_t i = 0; i < RECORD_CHANNELS; i++) {
        record_channel(r, named(i));
        if (i == 7)
            record_channel_closed(r, named(7));
        if (i == 100)
            record_channel_closed(r, named(3));
    }
    record_channel_closed(r, named(3)); /* was closed before: no effect */
    record_channel(r, named(2000));
    record_channel(r, named(2001));
    record_push(r, named(2001), 0, 4);
    record_push(r, named(4), 0, 4);
    record_frame(r, NULL, 0, 0);
    assert_int_equal(record_close(r), 0);
    assert_int_equal(read_file(file, sizeof file),
                     8 + (RECORD_CHANNELS + 6) * sizeof(struct chunk));
    for (uint32_t i = 0; i < RECORD_CHANNELS; i++)
        assert_int_equal(chunk_at(file, i).channel, i);
    static const struct chunk want[] = {{CHANNEL, 3, 0, 0, 0}, {CHANNEL, 7, 0, 0, 0},
                                        {PUSH, 7, 4, 0, 0},    {PUSH, 4, 4, 0, 0},
                                        {FINISH, 0, 1, 0, 0},  {END, 0, 0, 0, 0}};
    assert_memory_equal(file + 8 + RECORD_CHANNELS * sizeof(struct chunk), want, sizeof want);
}

/* Finished work is in the file, even if the process ends right after it. */
TEST(test_finished) {
    static uint8_t file[4096];
    const struct channel *const a = (const void *)file;
    struct record *r = record_create(path, CHIPSET);
    record_channel(r, a);
    record_push(r, a, 0x1000, 4);
    record_finish(r, a);
    assert_int_equal(read_file(file, sizeof file), 8 + 3 * sizeof(struct chunk));
    record_push(r, a, 0x1000, 4);
    record_push(r, a, 0x1000, 4);
    record_finish(r, a);
    assert_int_equal(read_file(file, sizeof file), 8 + 6 * sizeof(struct chunk));
    assert_int_equal(record_close(r), 0);
}

/* A failed write is reported when the recording is closed, for any amount of data, with and without
 * finished work. */
TEST(test_full) {
    static const uint32_t sizes[] = {0, 1, 1000, 4096, 100000, 1 << 20};
    static uint8_t now[1 << 20], before[1 << 20];
    if (access("/dev/full", W_OK) != 0)
        skip();
    memset(now, 1, sizeof now);
    for (size_t i = 0; i < LENGTH(sizes); i++)
        for (int finished = 0; finished < 2; finished++) {
            struct record *r = record_create("/dev/full", CHIPSET);
            assert_non_null(r);
            memset(before, 0, sizeof before);
            record_channel(r, NULL);
            record_changes(r, AT, now, before, sizes[i]);
            if (finished)
                record_finish(r, NULL);
            assert_int_equal(record_close(r), -1);
        }
}

/* ---- files ---- */

static struct {
    uint8_t data[1 << 16];
    size_t size;
} made; /* the recording */

static void put(const void *data, size_t size) {
    memcpy(made.data + made.size, data, size);
    made.size += size;
}
#define CHUNK(...) put(&(struct chunk){__VA_ARGS__}, sizeof(struct chunk))

/* Begins a recording: memory, channels, an object of a class in each channel; class 0: none. */
static void begin(uint16_t channels, uint32_t class) {
    made.size = 0;
    put((const uint32_t[]){0x32525054, CHIPSET}, 8);
    CHUNK(ALLOC, 0, 0, AT, SIZE);
    for (uint16_t i = 0; i < channels; i++) {
        CHUNK(CHANNEL, i, 0, 0, 0);
        if (class)
            CHUNK(OBJECT, i, class, 0xbeef, 0);
    }
}

static void put_words(uint64_t address, const uint32_t *words, uint32_t count) {
    CHUNK(DATA, 0, 0, address, 4ull * count);
    put(words, 4 * count);
}

/* Puts a release of a semaphore: the channel writes `value` and a time to address `to`. */
static void put_write(uint16_t channel, uint64_t to, uint32_t value, uint64_t words_at) {
    const uint32_t words[] = {4u << 18 | 0x10, (uint32_t)(to >> 32), (uint32_t)to, value, 2};
    put_words(words_at, words, 5);
    CHUNK(PUSH, channel, sizeof words, words_at, 0);
}

static void write_file(const void *data, size_t size) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, size, out), size);
    fclose(out);
}

static void write_made(void) {
    write_file(made.data, made.size);
}

static void end(void) {
    CHUNK(END, 0, 0, 0, 0);
    write_made();
}

struct told {
    uint32_t channels, memories;
    uint64_t address[16], size[16];
    uint64_t hash;
};

static void tell_channel(void *self, struct channel *c) {
    assert_non_null(c);
    ((struct told *)self)->channels++;
}

static void tell_memory(void *self, uint64_t address, uint64_t size) {
    struct told *t = self;
    if (t->memories < 16)
        t->address[t->memories] = address, t->size[t->memories] = size;
    t->memories++;
}

/* One replay on a device of its own. */
struct player {
    tp_device *device;
    struct replay_result result;
    struct told told;
    char why[256];
};

/* Replays the file up to a draw; 0: to its end. */
static int play_up_to(struct player *p, uint64_t last, const struct replay_observer *o) {
    *p = (struct player){.device = new_device()};
    return record_replay(path, p->device, last, o, &p->result, p->why, sizeof p->why);
}

/* Replays the file. An observer notes the channels, the memory and the hash. */
static int play(struct player *p) {
    const struct replay_observer o = {
        .self = &p->told, .channel = tell_channel, .memory = tell_memory, .hash = &p->told.hash};
    return play_up_to(p, 0, &o);
}

static void plays(struct player *p) {
    if (play(p) != 0)
        fail_msg("%s", p->why);
}

static void stop(struct player *p) {
    replay_free(&p->result);
    tp_device_destroy(p->device);
}

/* A recording with memory, two channels, their writes, a finish, and freed memory. */
static void make_whole(void) {
    begin(2, 0);
    CHUNK(OBJECT, 1, 0x5039, 0xbeef, 0);
    put_write(0, AT + 16, 0x1234, PUSHES);
    put_write(1, AT + 32, 0x5678, PUSHES + 256);
    CHUNK(USE, 0, 0, 1, 0); /* has no effect: no observer of GLSL */
    CHUNK(FINISH, 1, 0, 0, 0);
    CHUNK(ALLOC, 0, 0, AT + 0x10000, 4096);
    CHUNK(FREE, 0, 0, AT + 0x10000, 0);
    end();
}

TEST(test_replay) {
    struct player p;
    make_whole();
    assert_int_equal(record_chipset(path), CHIPSET);
    plays(&p);
    assert_int_equal(p.result.channel_count, 2);
    assert_ptr_equal(p.result.channel, p.result.all[1]);
    assert_int_equal(p.result.draws, 0);
    assert_int_equal(p.told.channels, 2);
    assert_int_equal(p.told.memories, 3);
    static const uint64_t told[3][2] = {{PUSHES, 20}, {PUSHES + 256, 20}, {AT + 0x10000, 4096}};
    for (int i = 0; i < 3; i++)
        assert_true(p.told.address[i] == told[i][0] && p.told.size[i] >= told[i][1]);
    const uint32_t *words = memory_at(p.device->memory, AT, SIZE);
    assert_non_null(words);
    assert_int_equal(words[4], 0x1234);
    assert_int_equal(words[8], 0x5678);
    assert_int_equal(words[6], 0); /* clocks stand still while hashing */
    assert_null(memory_at(p.device->memory, AT + 0x10000, 1));
    replay_free(&p.result);
    assert_int_equal(p.result.channel_count, 0);
    tp_device_destroy(p.device);
}

/* The hash of five allocations, some with a number in their first word, in order of allocation;
 * freed: the allocation that was freed before the end. tests/replays depends on this hash. */
static uint64_t hash_of_pages(int freed) {
    static const struct {
        uint32_t size, value;
    } pages[] = {{SIZE, 0}, {4096, 0}, {4096, 1}, {4096, 2}, {4096, 3}};
    uint64_t hash = 0;
    for (int turn = freed < 0; turn < 2; turn++)
        for (int i = 0; i < 5; i++)
            for (uint32_t k = 0; k < pages[i].size / 8 && (i == freed) == (turn == 0); k++) {
                hash = (hash ^ (k ? 0 : pages[i].value)) * UINT64_C(0x9e3779b97f4a7c15);
                hash ^= hash >> 29;
            }
    return hash;
}

/* The hash covers every byte of all allocations: freed allocations when they are freed, the other
 * allocations at the end. */
TEST(test_hashes) {
    enum { MORE = AT + 0x10000, PAGES = AT + 0x20000 };
    static const uint64_t places[] = {AT,   AT + 4,     AT + 8, AT + SIZE - 8, AT + SIZE - 4,
                                      MORE, MORE + 4092};
    static const uint64_t freed[] = {0, AT, PAGES, PAGES + 0x10000, PAGES + 0x20000};
    uint64_t seen[24];
    for (int way = 0; way < 24; way++) {
        const uint32_t one = way < 7 ? 1u << way : 0x80000000, number = (uint32_t)way;
        begin(0, 0);
        CHUNK(ALLOC, 0, 0, MORE, 4096);
        if (way < 14)
            put_words(places[way % 7], &one, 1);
        if (way == 15) /* written before it is freed */
            put_words(AT, &one, 1);
        if (way == 14 || way == 15) /* freed before the end */
            CHUNK(FREE, 0, 0, AT, 0);
        if (way == 16 || way == 17) { /* freed and allocated larger: all bytes count */
            CHUNK(FREE, 0, 0, MORE, 0);
            CHUNK(ALLOC, 0, 0, MORE, 2 * 4096);
            put_words(MORE + 4096, &number, 1);
            CHUNK(FREE, 0, 0, MORE, 0);
        }
        for (uint32_t i = 0; i < 3 && way >= 19; i++) { /* three more allocations */
            CHUNK(ALLOC, 0, 0, PAGES + (i << 16), 4096);
            put_words(PAGES + (i << 16), &(uint32_t){i + 1}, 1);
        }
        if (way > 19) /* an allocation is freed before the end */
            CHUNK(FREE, 0, 0, freed[way - 19], 0);
        end();
        for (int again = 0; again < 2; again++) {
            struct player p;
            plays(&p);
            stop(&p);
            if (!again)
                seen[way] = p.told.hash;
            assert_int_equal(seen[way], p.told.hash); /* replayed once more: equal hash */
        }
    }
    /* each place changes the hash in a different way */
    for (uint32_t i = 0; i < 14; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_true(seen[i] != seen[k]);
    assert_true(seen[15] != seen[14] && seen[15] != seen[18]);
    assert_true(seen[16] != seen[17]);
    for (int way = 19; way < 24; way++)
        assert_true(seen[way] == hash_of_pages(way == 19 ? -1 : way == 20 ? 0 : way - 19));
}

/* Pending fences are written before memory is hashed, when the memory is freed and at the end. */
TEST(test_waiting_fences) {
    const uint64_t to = AT + 0x20000;
    for (int freed = 0; freed < 2; freed++)
        for (uint16_t channel = 0; channel < 3; channel++) {
            uint64_t hash[2];
            for (uint32_t value = 0; value < 2; value++) {
                const uint32_t words[] = {
                    1u << 18,     0xbeef,    4u << 18 | 0x1b00, (uint32_t)(to >> 32),
                    (uint32_t)to, 7 + value, 1u << 28};
                struct player p;
                begin(3, 0x8597);
                CHUNK(ALLOC, 0, 0, to, 4096);
                put_words(PUSHES, words, 7);
                CHUNK(PUSH, channel, sizeof words, PUSHES, 0);
                put_words(PUSHES, (const uint32_t[7]){0}, 7);
                if (freed)
                    CHUNK(FREE, 0, 0, to, 0);
                end();
                plays(&p);
                const uint32_t *at = memory_at(p.device->memory, to, 4);
                assert_int_equal(at != NULL, !freed);
                assert_true(!at || *at == 7 + value);
                hash[value] = p.told.hash;
                stop(&p);
            }
            assert_true(hash[0] != hash[1]);
        }
}

/* A chunk that refers to an object that does not exist, or that makes an object again, damages the
 * recording. */
TEST(test_damaged) {
    static const struct chunk rows[] = {
        {0, 0, 0, 0, 0},
        {NONE, 0, 0, 0, 0},
        {SOURCE, 0, PROGRAM_TYPES, 1, 0},
        {ALLOC, 0, 0, AT, SIZE},          /* twice */
        {ALLOC, 0, 0, AT + 0x1000, SIZE}, /* overlaps another */
        {DATA, 0, 0, AT + SIZE - 3, 4},   /* beyond the end */
        {DATA, 0, 0, 16, 4},              /* in no allocation */
        {CHANNEL, 0, 0, 0, 0},            /* numbers must go up by one */
        {CHANNEL, 2, 0, 0, 0},
        {OBJECT, 1, 0x5039, 1, 0},      /* no such channel */
        {OBJECT, 0, 0x5038, 1, 0},      /* no such class */
        {OBJECT, 0, 0x5039, 0xbeef, 0}, /* twice */
        {PUSH, 1, 4, AT, 0},
        {FINISH, 1, 0, 0, 0},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct told t = {0};
        const struct replay_observer o = {
            .self = &t, .channel = tell_channel, .memory = tell_memory};
        char want[64];
        begin(1, 0x5039);
        snprintf(want, sizeof want, "chunk %u at byte %zu is damaged", rows[i].type, made.size);
        put(&rows[i], sizeof rows[i]);
        put("xxxx", 4);
        end();
        /* the whole recording, and up to a draw that never comes */
        for (uint64_t last = 0; last < 2; last++) {
            struct player p;
            const int code = play_up_to(&p, last, &o);
            if (code != -1 || !strstr(p.why, want))
                fail_msg("row %zu: %d, %s", i, code, p.why);
            assert_int_equal(p.result.channel_count, 1);
            stop(&p);
        }
    }
}

/* A cut file is played up to its last whole chunk, wherever it is cut, and the place is reported.
 * Only a file of the first version may lack an end. */
TEST(test_cut) {
    make_whole();
    size_t whole = 8; /* bytes up to the end of the last whole chunk */
    for (int old = 0; old < 2; old++, whole = 8)
        for (size_t size = 8; size <= made.size; size += 4) {
            struct player p;
            struct chunk k;
            for (size_t last; whole + sizeof k <= size; whole = last) {
                memcpy(&k, made.data + whole, sizeof k);
                last = whole + sizeof k + (k.type == DATA ? k.size : 0);
                if (last > size)
                    break;
            }
            if (old)
                memcpy(made.data, "TPR1", 4);
            write_file(made.data, size);
            plays(&p);
            const bool fine = size == made.size || (old && size == whole);
            assert_int_equal(p.result.cut_at, fine ? 0 : whole);
            stop(&p);
        }
}

/* ---- GLSL ---- */

struct kept {
    char told[512];
};

static void keep_source(void *self, uint64_t program, enum program_type stage, const char *text,
                        size_t length) {
    struct kept *k = self;
    const size_t used = strlen(k->told);
    assert_int_equal(length, strlen(text));
    snprintf(k->told + used, sizeof k->told - used, "%d.%d=%s;", (int)program, (int)stage, text);
}

static void keep_use(void *self, uint64_t program) {
    struct kept *k = self;
    const size_t used = strlen(k->told);
    snprintf(k->told + used, sizeof k->told - used, "use %d;", (int)program);
}

/* An observer that asks for GLSL texts gets them in the order of the calls. A file that is cut
 * within a text ends before this text. Texts do not change the number of frames. */
TEST(test_sources) {
    static uint8_t file[4096];
    static const char whole[] = "1.0=void;1.2=main\n;use 1;2.1=;use 0;", cut[] = "1.0=void;";
    const struct channel *const a = (const void *)file;
    struct record *r = record_create(path, CHIPSET);
    record_channel(r, a);
    record_source(r, 1, PROGRAM_VP, "void", 4);
    record_source(r, 1, PROGRAM_FP, "main\n", 5);
    record_use(r, 1);
    record_finish(r, a);
    record_source(r, 2, PROGRAM_GP, "", 0);
    record_use(r, 0);
    record_finish(r, a);
    assert_int_equal(record_close(r), 0);
    assert_int_equal(read_file(file, sizeof file), 8 + 9 * sizeof(struct chunk) + 9);
    for (int way = 0; way < 3; way++) {
        struct kept k = {""};
        struct player p;
        const struct replay_observer observer = {
            .self = &k, .source = keep_source, .use = keep_use};
        if (way == 2)
            write_file(file, 8 + 3 * sizeof(struct chunk) + 4 + 3);
        assert_int_equal(play_up_to(&p, 0, way ? &observer : NULL), 0);
        assert_string_equal(k.told, way == 0 ? "" : way == 1 ? whole : cut);
        assert_int_equal(p.result.cut_at, way == 2 ? 8 + 2 * sizeof(struct chunk) + 4 : 0);
        stop(&p);
    }
}

/* ---- draws, frames, channels ---- */

/* Puts methods that begin and end `draws` draws. */
static void put_draws(uint16_t channel, uint32_t draws, uint64_t words_at) {
    uint32_t words[64] = {1u << 18, 0xbeef};
    uint32_t n = 2;
    for (uint32_t i = 0; i < draws; i++) {
        const uint32_t draw[] = {1u << 18 | 0x15dc, 4, 1u << 18 | 0x15e0, 0};
        memcpy(words + n, draw, sizeof draw);
        n += 4;
    }
    put_words(words_at, words, n);
    CHUNK(PUSH, channel, 4 * n, words_at, 0);
}

struct seen {
    uint32_t before, after;
    uint64_t number[32];
    const struct channel *channel[32];
};

static void see_before(void *self, struct channel *c, uint64_t draw) {
    struct seen *s = self;
    assert_int_equal(s->before, s->after);
    assert_int_equal(draw, s->before + 1); /* counted over all channels */
    s->number[s->before] = channel_draws(c);
    s->channel[s->before++] = c;
}

static void see_after(void *self, struct channel *c, uint64_t draw) {
    struct seen *s = self;
    assert_int_equal(draw, ++s->after);
    assert_ptr_equal(c, s->channel[s->after - 1]);
}

static void see_up_to(struct player *p, struct seen *seen, uint64_t last) {
    const struct replay_observer o = {.self = seen, .before = see_before, .after = see_after};
    *seen = (struct seen){0};
    if (play_up_to(p, last, &o) != 0)
        fail_msg("%s", p->why);
}

/* A replay up to a draw ends with this draw, whichever channel draws it, and reports each draw
 * before and after. */
TEST(test_draws) {
    static const struct {
        uint16_t channel;
        uint32_t draws;
    } pushes[] = {{0, 2}, {1, 3}, {0, 0}, {0, 1}, {2, 1}, {1, 2}, {0, 4}};
    enum { PUSHED = LENGTH(pushes), ALL = 13 };
    struct player p;
    begin(3, 0x8597);
    for (int i = 0; i < PUSHED; i++)
        put_draws(pushes[i].channel, pushes[i].draws, PUSHES + 256 * (uint64_t)i);
    end();
    for (uint64_t last = 0; last <= ALL + 1; last++) {
        struct seen seen;
        see_up_to(&p, &seen, last);
        const uint64_t expected = last && last < ALL ? last : ALL;
        assert_int_equal(p.result.draws, expected);
        assert_int_equal(seen.before, expected);
        assert_int_equal(seen.after, expected);
        uint64_t of_channel[3] = {0};
        uint32_t n = 0;
        for (int i = 0; i < PUSHED; i++)
            for (uint32_t k = 0; k < pushes[i].draws && n < expected; k++, n++) {
                assert_ptr_equal(seen.channel[n], p.result.all[pushes[i].channel]);
                assert_int_equal(seen.number[n], of_channel[pushes[i].channel]++);
            }
        for (int i = 0; i < 3; i++)
            assert_int_equal(channel_draws(p.result.all[i]), of_channel[i]);
        /* memory for the next entry was written, memory for later entries was not */
        uint32_t pushed = 0;
        for (uint64_t done = 0; last && pushed < PUSHED && done < last; pushed++)
            done += pushes[pushed].draws;
        for (uint32_t i = 0; i < PUSHED; i++) {
            const uint32_t *const words =
                memory_at(p.device->memory, PUSHES + 256 * (uint64_t)i, 4);
            assert_int_equal(*words != 0, !last || i <= pushed);
        }
        for (int i = 0; i < 3 && last == ALL; i++) { /* after the replay nothing is reported */
            channel_stop_after(p.result.all[i], UINT64_MAX);
            channel_execute(p.result.all[i], PUSHES, 24);
            assert_int_equal(channel_draws(p.result.all[i]), of_channel[i] + 1);
            assert_int_equal(seen.before, expected);
        }
        stop(&p);
    }
    plays(&p); /* draws are not reported unless asked for */
    assert_int_equal(p.result.draws, ALL);
    stop(&p);
}

/* A frame ends where a buffer is presented or, if asked for, where work is finished. The end of the
 * file ends the last frame. A replay of the whole recording does not stop at frames. */
TEST(test_frames) {
    enum { FRAMES = 3 }; /* frame i has i + 1 draws; then comes 1 draw */
    for (uint32_t every_flush = 0; every_flush < 2; every_flush++) {
        char why[256] = "";
        begin(1, 0x8597);
        for (uint32_t i = 0; i <= FRAMES; i++) {
            put_draws(0, i < FRAMES ? i + 1 : 1, PUSHES + 256 * i);
            /* this kind of finish ends no frame */
            CHUNK(FINISH, 0, every_flush, AT + i, 100);
            if (i < FRAMES)
                CHUNK(FINISH, 0, !every_flush, AT + i, 16 + i);
        }
        end();
        assert_int_equal(record_count_frames(path, every_flush, why, sizeof why), FRAMES + 1);
        tp_device *d = new_device();
        struct replay *r = replay_open(path, d, every_flush, NULL, why, sizeof why);
        assert_non_null(r);
        struct replay_frame frame;
        for (uint32_t i = 0, draws = 0; i <= FRAMES; i++) {
            draws += i < FRAMES ? i + 1 : 1;
            assert_int_equal(replay_next(r, &frame, why, sizeof why), 0);
            assert_int_equal(frame.number, i);
            const uint32_t shown = i < FRAMES ? i : FRAMES - 1; /* the last picture stays */
            assert_int_equal(frame.size, every_flush ? 0 : 16 + shown);
            assert_int_equal(frame.address, every_flush ? 0 : AT + shown);
            assert_int_equal(replay_result(r)->draws, draws);
        }
        assert_int_equal(replay_next(r, &frame, why, sizeof why), 1);
        replay_close(r);
        tp_device_destroy(d);
        struct player p;
        assert_int_equal(play_up_to(&p, 0, NULL), 0);
        assert_int_equal(p.result.draws, 1 + 2 + 3 + 1);
        stop(&p);
        /* a damaged chunk behind the first frame */
        begin(1, 0);
        put_draws(0, 0, PUSHES);
        CHUNK(FINISH, 0, !every_flush, AT, 16);
        CHUNK(PUSH, 1, 4, AT, 0);
        write_made();
        d = new_device();
        r = replay_open(path, d, every_flush, NULL, why, sizeof why);
        assert_int_equal(replay_next(r, &frame, why, sizeof why), 0);
        assert_int_equal(replay_next(r, &frame, why, sizeof why), -1);
        assert_non_null(strstr(why, "is damaged"));
        replay_close(r);
        tp_device_destroy(d);
    }
}

/* Of 1024 channels one is closed, and a new channel gets its number. The draws of both count. */
TEST(test_replaced_channel) {
    enum { AGAIN = 5, FIRST = 2, SECOND = 3 };
    struct player p;
    begin(RECORD_CHANNELS, 0);
    for (int turn = 0; turn < 2; turn++) {
        if (turn)
            CHUNK(CHANNEL, AGAIN, 0, 0, 0);
        CHUNK(OBJECT, AGAIN, 0x8597, 0xbeef, 0);
        put_draws(AGAIN, turn ? SECOND : FIRST, PUSHES + 256 * (uint64_t)turn);
    }
    end();
    for (uint64_t last = 0; last <= FIRST + SECOND; last++) {
        const uint64_t draws = last ? last : FIRST + SECOND;
        struct seen seen;
        see_up_to(&p, &seen, last);
        assert_int_equal(p.result.draws, draws);
        assert_int_equal(seen.after, draws);
        assert_int_equal(p.result.channel_count, RECORD_CHANNELS);
        assert_int_equal(channel_draws(p.result.all[AGAIN]), draws > FIRST ? draws - FIRST : draws);
        assert_ptr_equal(p.result.channel, p.result.all[AGAIN]);
        stop(&p);
    }
    made.size -= 3 * sizeof(struct chunk) + 4 * (2 + 4 * SECOND); /* the new channel has no work */
    write_made();
    assert_int_equal(play_up_to(&p, 0, NULL), 0);
    assert_null(p.result.channel);
    stop(&p);
    assert_int_equal(play(&p),
                     -1); /* the observer of play() keeps channels, so no number is free */
    assert_int_equal(p.told.channels, RECORD_CHANNELS);
    stop(&p);
}

/* A recording has at most 1024 numbers of channels. */
TEST(test_channels) {
    for (uint16_t count = 1023; count <= 1025; count++) {
        struct player p, other;
        const uint16_t last = count < 1024 ? count - 1 : 1023;
        begin(count, 0);
        put_write(0, AT, 1000, PUSHES);
        put_write(last, AT + 16, 1001, PUSHES + 32);
        end();
        assert_int_equal(play(&p), count <= 1024 ? 0 : -1);
        /* types of chunks for the first missing channel */
        for (uint16_t type = PUSH; count == 1024 && type <= FINISH; type++) {
            made.size -= sizeof(struct chunk);
            CHUNK(type, 1024, 4, PUSHES, 0);
            write_made();
            assert_int_equal(play(&other), -1);
            assert_non_null(strstr(other.why, "is damaged"));
            stop(&other);
        }
        assert_int_equal(p.result.channel_count, last + 1);
        assert_int_equal(p.told.channels, last + 1);
        const uint32_t *words = memory_at(p.device->memory, AT, SIZE);
        for (uint32_t i = 0; i < 2 && count <= 1024; i++)
            assert_int_equal(words[4 * i], 1000 + i);
        stop(&p);
    }
}

/* Channels run one after the other. An acquire that does not succeed at once never will, so the
 * player does not wait. */
TEST(test_no_waiting) {
    const uint32_t acquire[] = {4u << 18 | 0x10, 0, (uint32_t)AT, 77, 1};
    struct timespec before, after;
    begin(2, 0);
    put_words(PUSHES, acquire, 5);
    CHUNK(PUSH, 0, sizeof acquire, PUSHES, 0);
    put_write(1, AT, 77, PUSHES + 64);
    put_write(0, AT + 32, 78, PUSHES + 128); /* of the dead channel */
    end();
    for (int hashed = 0; hashed < 2; hashed++) {
        struct player p;
        clock_gettime(CLOCK_MONOTONIC, &before);
        assert_int_equal(hashed ? play(&p) : play_up_to(&p, 0, NULL), 0);
        clock_gettime(CLOCK_MONOTONIC, &after);
        assert_true((after.tv_sec - before.tv_sec) * 1000 +
                        (after.tv_nsec - before.tv_nsec) / 1000000 <
                    1500);
        const uint32_t *words = memory_at(p.device->memory, AT, SIZE);
        assert_int_equal(words[0], 77);
        assert_int_equal(words[8], 0);
        assert_int_equal(words[2] == 0 && words[3] == 0, hashed); /* the time */
        stop(&p);
    }
}

TEST(test_no_recordings) {
    static const struct {
        const char *bytes;
        size_t size;
        const char *says;
        int number;
    } rows[] = {{"", 0, "not a recording", EINVAL},
                {"TPR2", 4, "not a recording", EINVAL},
                {"TPX2\xa3\0\0\0", 8, "not a recording", EINVAL},
                {"TPR3\xa3\0\0\0", 8, "another version", ENOTSUP},
                {"UPR2\xa3\0\0\0", 8, "not a recording", EINVAL},
                {"TQR2\xa3\0\0\0", 8, "not a recording", EINVAL},
                {"TPS2\xa3\0\0\0", 8, "not a recording", EINVAL},
                {"TPR0\xa3\0\0\0", 8, "another version", ENOTSUP},
                {"\x89PNG\r\n\x1a\n", 8, "not a recording", EINVAL}};
    struct player p;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        write_file(rows[i].bytes, rows[i].size);
        errno = 0;
        assert_int_equal(record_chipset(path), 0);
        assert_int_equal(errno, rows[i].number);
        assert_int_equal(play(&p), -1);
        if (!strstr(p.why, rows[i].says) || !strstr(p.why, path))
            fail_msg("row %zu: %s", i, p.why);
        assert_int_equal(p.result.channel_count, 0);
        stop(&p);
    }
    unlink(path);
    assert_int_equal(play(&p), -1);
    assert_non_null(strstr(p.why, "No such file"));
    assert_int_equal(record_chipset(path), 0);
    stop(&p);
}

BEFORE_TESTS {
    const int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

AFTER_TESTS {
    unlink(path);
    return 0;
}
