/* Fixture of the command processor's tests: a channel with three graphics engines bound, a
 * pushbuffer, a megabyte of data, and the logged lines. */
#ifndef TESTS_FIFO_FIXTURE_H
#define TESTS_FIFO_FIXTURE_H

#include "fifo/fifo.h"
#include "tests/fifo/words.h"
#include "tests/test.h"

enum { M2MF = 5, TWO_D = 4, THREE_D = 3, PUSH_WORDS = 4096 };

struct fixture {
    tp_device *device;
    struct gpu_memory *memory;
    struct channel *channel;
    uint64_t push, data; /* GPU addresses */
    uint32_t *word;      /* of the pushbuffer */
    uint32_t count;
    uint8_t *bytes; /* at data */
    int lines;      /* logged lines */
    char last[512];
    char said[4096]; /* all lines since a test cleared it */
};

enum { DATA_BYTES = 1 << 20 };

static inline void count_lines(void *self, int level, const char *line) {
    struct fixture *f = self;
    (void)level;
    f->lines++;
    snprintf(f->last, sizeof f->last, "%s", line);
    const size_t have = strlen(f->said);
    snprintf(f->said + have, sizeof f->said - have, "%s\n", line);
}

static inline void put(struct fixture *f, uint32_t word) {
    assert_true(f->count < PUSH_WORDS);
    f->word[f->count++] = word;
}

static inline void method(struct fixture *f, uint32_t subchannel, uint32_t address, uint32_t count,
                          const uint32_t *data) {
    put(f, count << 18 | subchannel << 13 | address);
    for (uint32_t i = 0; i < count; i++)
        put(f, data[i]);
}

static inline void one(struct fixture *f, uint32_t subchannel, uint32_t address, uint32_t data) {
    method(f, subchannel, address, 1, &data);
}

static inline void run(struct fixture *f) {
    channel_execute(f->channel, f->push, f->count * 4);
    f->count = 0;
}

static inline void run_one(struct fixture *f, uint32_t subchannel, uint32_t address,
                           uint32_t data) {
    one(f, subchannel, address, data);
    run(f);
}

/* Runs the words and finishes the work. */
static inline void finish(struct fixture *f) {
    run(f);
    channel_finish(f->channel);
}

/* Opens a device of a chip with a channel, a pushbuffer and data. memory: address space in bytes,
 * 0: default. */
static inline void fixture_open(struct fixture *f, enum tp_chip chip, uint32_t chipset, int threads,
                                uint64_t memory) {
    const struct tp_device_info info = {
        .chip = chip, .threads = threads, .memory = memory, .log = count_lines, .log_self = f};
    memset(f, 0, sizeof *f);
    assert_int_equal(tp_device_create(&info, &f->device), TP_OK);
    f->memory = f->device->memory;
    f->device->log.level = LOG_WARNING;
    f->push = memory_alloc(f->memory, PUSH_WORDS * 4, 4096);
    f->data = memory_alloc(f->memory, DATA_BYTES, 65536);
    f->word = memory_at(f->memory, f->push, PUSH_WORDS * 4);
    f->bytes = memory_at(f->memory, f->data, DATA_BYTES);
    f->channel = channel_create(f->device, chipset);
    assert_non_null(f->channel);
}

/* Creates an object of a class and puts the words that bind it; run() executes them. */
static inline void fixture_object(struct fixture *f, uint32_t subchannel, uint32_t handle,
                                  uint32_t class_id) {
    assert_int_equal(channel_object_create(f->channel, handle, class_id), 0);
    one(f, subchannel, 0, handle);
}

static inline void fixture_close(struct fixture *f) {
    channel_destroy(f->channel);
    memory_free(f->memory, f->push);
    memory_free(f->memory, f->data);
    tp_device_destroy(f->device);
}

static inline int setup_memory(void **state, uint64_t memory) {
    static struct fixture f;
    fixture_open(&f, TP_CHIP_GT215, 0xa3, 1, memory);
    fixture_object(&f, M2MF, 0xbeef5039, 0x5039);
    fixture_object(&f, TWO_D, 0xbeef502d, 0x502d);
    fixture_object(&f, THREE_D, 0xbeef5097, 0x8597);
    run(&f);
    *state = &f;
    return 0;
}

static inline int setup(void **state) {
    return setup_memory(state, 64 << 20);
}

static inline int setup_far(void **state) {
    return setup_memory(state, 0);
}

static inline int teardown(void **state) {
    fixture_close(*state);
    return 0;
}

/* Replaces the device and channel by a fresh device and channel. */
static inline void renew(struct fixture *f) {
    void *state = f;
    teardown(&state);
    setup(&state);
}

static inline uint32_t word_at(const struct fixture *f, uint32_t offset) {
    uint32_t word;
    memcpy(&word, f->bytes + offset, 4);
    return word;
}

/* Clears side x side pixels at an address with the 3D engine. color: each component's float
 * bits. */
static inline void clear_pixels(struct fixture *f, uint64_t at, uint32_t tile_mode, uint32_t side,
                                uint32_t color) {
    const uint32_t whole[] = {side << 16, side << 16};
    METHOD(f, THREE_D, 0x200, HIGH_LOW(at), 0xd5, tile_mode, 0);
    METHOD(f, THREE_D, 0x1240, side, side);
    one(f, THREE_D, 0x121c, 1);
    one(f, THREE_D, 0x1224, 1);
    method(f, THREE_D, 0xff4, 2, whole);
    method(f, THREE_D, 0xc00, 2, whole);
    METHOD(f, THREE_D, 0xd80, color, color, color, color);
    one(f, THREE_D, 0x19d0, 0x3c);
}

/* Runs the words that were put. Returns the line that was logged, or "". */
static inline const char *complaint(struct fixture *f) {
    const int before = f->lines;
    run(f);
    return f->lines > before ? f->last : "";
}

#endif
