/* Fuzz target: any recorded command stream replays to its end or to an error. In: a recording
 * (fifo/record.h). Mutation keeps the frame of chunks and changes what is in them - methods, data,
 * programs, descriptors, addresses - so that damage reaches the engines.
 */
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

/* Bytes of the chunk at p, at most left. */
static size_t chunk_size(const uint8_t *p, size_t left) {
    const uint64_t data = p[0] == CHUNK_DATA ? word64(p + 16) : 0;
    return left < CHUNK_HEAD || data > left - CHUNK_HEAD ? left : CHUNK_HEAD + data;
}

/* Replaying costs what is submitted: few submissions keep a run short. */
static bool short_enough(const uint8_t *data, size_t size) {
    int pushes = 0;
    for (size_t at = FILE_HEAD; size - at >= CHUNK_HEAD; at += chunk_size(data + at, size - at))
        pushes += data[at] == CHUNK_PUSH;
    return pushes <= MAX_PUSHES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < FILE_HEAD + CHUNK_HEAD || size > MAX_SIZE || !short_enough(data, size))
        return 0;
    const struct tp_device_info info = {
        .chip = TP_CHIP_GT215, .threads = 1, .memory = MEMORY, .log = no_log};
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
        abort(); /* a failure says why */
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
    default: /* a word from elsewhere */
        memcpy(&other, data + r % (size / 4) * 4, sizeof other);
        return other;
    }
}

/* The position of a word that may change: in the data of a chunk, now and then in its header. */
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

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    uint32_t state = seed;
    if (size < FILE_HEAD + CHUNK_HEAD || next_random(&state) % 64 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    for (uint32_t n = 1 + next_random(&state) % 8; n > 0; n--) {
        const size_t at = pick(data, size, &state);
        uint32_t word;
        memcpy(&word, data + at, sizeof word);
        word = mutated(word, data, size, &state);
        memcpy(data + at, &word, sizeof word);
    }
    return size;
}
