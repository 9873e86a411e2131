/* Fuzz target: any recorded command stream replays to its end or to an error, on the chip of its
 * generation. In: a recording (fifo/record.h). The mutator keeps the headers of chunks and changes
 * their content (methods, data, programs, descriptors, addresses), so that the damage reaches the
 * engines. It also replaces packets of Fermi by others: methods of tessellation, images, feedback
 * and macros, with values at the limits of their ranges. */
#define _GNU_SOURCE
#include "fifo/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MEMORY = 24 << 20,
    WORK_LIMIT = 1 << 12,
    WARP_BUDGET = 500,
    MAX_SIZE = 64 << 10,
    FILE_HEAD = 8,
    CHUNK_HEAD = 24,
    CHUNK_DATA = 3,
    CHUNK_PUSH = 6,
    MAX_PUSHES = 24,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static void no_log(void *self, int level, const char *line) {
    (void)self, (void)level, (void)line;
}

static uint64_t word64(const uint8_t *p) {
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

/* The size in bytes of the chunk at p; at most `left`. */
static size_t chunk_size(const uint8_t *p, size_t left) {
    const uint64_t data = p[0] == CHUNK_DATA ? word64(p + 16) : 0;
    return left < CHUNK_HEAD || data > left - CHUNK_HEAD ? left : CHUNK_HEAD + data;
}

/* Returns true if the recording has few submissions, because each takes time to replay. */
static bool short_enough(const uint8_t *data, size_t size) {
    int pushes = 0;
    for (size_t at = FILE_HEAD; size - at >= CHUNK_HEAD; at += chunk_size(data + at, size - at))
        pushes += data[at] == CHUNK_PUSH;
    return pushes <= MAX_PUSHES;
}

static uint32_t word32(const uint8_t *p) {
    uint32_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

/* Returns true for a chip of Fermi; the second word is the chipset. */
static bool is_fermi(const uint8_t *data) {
    return word32(data + 4) >= 0xc0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < FILE_HEAD + CHUNK_HEAD || size > MAX_SIZE || !short_enough(data, size))
        return 0;
    const struct tp_device_info info = {.chip = is_fermi(data) ? TP_CHIP_GF100 : TP_CHIP_GT215,
                                        .threads = 1,
                                        .memory = MEMORY,
                                        .log = no_log};
    struct replay_result result;
    char path[64], why[512] = "";
    tp_device *device = NULL;
    const int fd = memfd_create("stream", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size ||
        tp_device_create(&info, &device) != TP_OK)
        abort();
    device->work_limit = WORK_LIMIT;
    device->warp_budget = WARP_BUDGET;
    if (record_replay(path, device, 0, NULL, &result, why, sizeof why) != 0 && why[0] == '\0')
        abort(); /* a failure must have a message */
    replay_free(&result);
    tp_device_destroy(device);
    close(fd);
    return 0;
}

/* ---- mutation ---- */

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static uint32_t mutated(uint32_t word, const uint8_t *data, size_t size, uint32_t *seed) {
    static const uint32_t edges[] = {0,          1,          0xffff,     0x10000,    0x7fffffff,
                                     0x80000000, 0xffffffff, 0x7fc00000, 0x7f800000, 0xff800000};
    const uint32_t r = next_random(seed);
    uint32_t other;
    switch (next_random(seed) % 6) {
    case 0:
        return word ^ 1u << r % 32;
    case 1:
        return word + (r & 64 ? r % 64 : 0u - r % 64);
    case 2:
        return edges[r % (sizeof edges / sizeof *edges)];
    case 3:
        return r << 8 ^ next_random(seed);
    case 4: /* one byte */
        return (word & ~(0xffu << r % 4 * 8)) | (r >> 8 & 0xff) << r % 4 * 8;
    default: /* a word from another place */
        memcpy(&other, data + r % (size / 4) * 4, sizeof other);
        return other;
    }
}

/* Returns the position of a word to change: in the data of a chunk, seldom in its header. */
static size_t pick(const uint8_t *data, size_t size, uint32_t *seed) {
    const size_t want = next_random(seed) % size;
    size_t at = FILE_HEAD;
    while (size - at >= CHUNK_HEAD) {
        const size_t bytes = chunk_size(data + at, size - at);
        if (want < at + bytes && bytes >= CHUNK_HEAD + 4 && next_random(seed) % 16)
            return at + CHUNK_HEAD + next_random(seed) % ((bytes - CHUNK_HEAD) / 4) * 4;
        if (want < at + bytes)
            return at + next_random(seed) % (CHUNK_HEAD / 4) * 4;
        at += bytes;
    }
    return at <= size - 4 ? at : 0;
}

/* Runs of methods of Fermi: first method, distance between methods, number of methods. */
static const struct {
    uint16_t method, step, count;
} runs[] = {{0x0320, 4, 7},    /* tessellation: mode, levels */
            {0x0dcc, 4, 1},    /* vertices of a patch */
            {0x2000, 0x40, 6}, /* programs: kind */
            {0x2004, 0x40, 6}, /* start */
            {0x1608, 4, 2},    /* address of the code */
            {0x0210, 4, 3},    /* forced early tests, barriers */
            {0x2700, 4, 64},   /* images */
            {0x0380, 4, 32},   /* feedback */
            {0x0700, 4, 16},   /* streams */
            {0x2380, 4, 20},   /* constants */
            {0x2400, 4, 40},   /* bindings */
            {0x17c8, 4, 7},    /* indices, and their draw */
            {0x1618, 4, 1},    /* begin */
            {0x1434, 4, 2},    /* origin of vertex ids, of instances */
            {0x0114, 4, 4},    /* the macro store */
            {0x3800, 4, 64},   /* macros and their parameters */
            {0x1b00, 4, 4},    /* queries */
            {0x0800, 4, 16},   /* targets */
            {0x0228, 4, 80}};  /* compute: images, grids, launch, when on its subchannel */

static uint32_t edge_value(uint32_t r) {
    static const uint32_t edges[] = {0,          1,          2,          31,         32,
                                     33,         64,         65,         0xff,       0x100,
                                     0xffff,     0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00000,
                                     0x7f800000, 0xff800000, 0x42800000, 0x3f800000, 0x00000111};
    return edges[r % (sizeof edges / sizeof *edges)];
}

/* Replaces a packet of a single word behind `at` by another packet, or changes its word. */
static void change_packet(uint8_t *data, size_t size, size_t at, uint32_t *seed) {
    for (int i = 0; i < 64 && at + 8 <= size; i++, at += 4) {
        uint32_t word = word32(data + at);
        if (word >> 16 != 0x2001)
            continue;
        const uint32_t k = next_random(seed) % (sizeof runs / sizeof *runs);
        const uint32_t method = runs[k].method + runs[k].step * (next_random(seed) % runs[k].count);
        const uint32_t kinds[] = {0x20010000, 0x20020000, 0x60010000, 0xa0010000};
        if (next_random(seed) % 4) {
            word = kinds[next_random(seed) % 16 ? 0 : next_random(seed) % 4] | (word & 0xe000) |
                   method >> 2;
            memcpy(data + at, &word, sizeof word);
        }
        word = edge_value(next_random(seed));
        memcpy(data + at + 4, &word, sizeof word);
        return;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    uint32_t state = seed;
    if (size < FILE_HEAD + CHUNK_HEAD || next_random(&state) % 64 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    for (uint32_t n = 1 + next_random(&state) % 8; n > 0; n--) {
        const size_t at = pick(data, size, &state);
        if (is_fermi(data) && next_random(&state) % 2) {
            change_packet(data, size, at, &state);
            continue;
        }
        uint32_t word = word32(data + at);
        word = mutated(word, data, size, &state);
        memcpy(data + at, &word, sizeof word);
    }
    return size;
}
