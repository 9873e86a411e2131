/* Recorded command streams replay to the pictures of their recording (tests/golden/streams: a
 * .tpr for most scenes of tests/gl/scenes.c, and the checksums of the targets), on any number of
 * threads and at any SIMD level. Randomly damaged streams end in errors, not in crashes. */
#include "fifo/record.h"
#include "shader/isa/isa.h"
#include "tests/test.h"

#include <unistd.h>

static const char folder[] = "tests/golden/streams";

static void no_log(void *self, int level, const char *line) {
    (void)self, (void)level, (void)line;
}

static tp_device *device_for(uint32_t chipset, const char *simd, int threads) {
    static const enum tp_chip chips[] = {
        [ISA_G80] = TP_CHIP_G80,     [ISA_G84] = TP_CHIP_G84,     [ISA_G200] = TP_CHIP_G200,
        [ISA_MCP77] = TP_CHIP_MCP77, [ISA_GT215] = TP_CHIP_GT215, [ISA_GF100] = TP_CHIP_GF100};
    const enum isa_variant variant = isa_variant_from_chipset(chipset); /* may be damaged */
    const struct tp_device_info info = {.chip = variant < LENGTH(chips) ? chips[variant]
                                                                        : TP_CHIP_GT215,
                                        .threads = threads,
                                        .simd = simd,
                                        .memory = UINT64_C(1) << 30,
                                        .log = no_log};
    tp_device *device = NULL;
    return tp_device_create(&info, &device) == TP_OK ? device : NULL;
}

/* FNV-1a of the memory from each of the last targets to the end of its allocation. */
static uint64_t checksum(tp_device *device, const struct state *s) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i <= s->color_count; i++) {
        const struct target_state *t = i < s->color_count ? &s->color[s->color_map[i]] : &s->zeta;
        const uint64_t size = memory_extent(device->memory, t->address);
        const uint8_t *data = memory_at(device->memory, t->address, size);
        for (uint64_t k = 0; data && k < size; k++)
            hash = (hash ^ data[k]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static bool replay_checksum(const char *path, const char *simd, int threads, uint64_t *sum) {
    struct replay_result result;
    char why[512];
    tp_device *device = device_for(record_chipset(path), simd, threads);
    if (!device)
        return false;
    const bool ok =
        record_replay(path, device, 0, NULL, &result, why, sizeof why) == 0 && result.channel;
    if (ok)
        *sum = checksum(device, &channel_context(result.channel)->state);
    else
        print_message("%s\n", why);
    replay_free(&result);
    tp_device_destroy(device);
    return ok;
}

/* The file `checksums` has "name checksum" lines; TESLAPIPE_UPDATE=1 prints new ones. */
TEST(test_golden_streams) {
    char name[64], path[256];
    unsigned long long expected;
    snprintf(path, sizeof path, "%s/checksums", folder);
    FILE *list = fopen(path, "r");
    int count = 0, wrong = 0;
    assert_non_null(list);
    while (fscanf(list, "%63s %llx", name, &expected) == 2) {
        static const struct {
            const char *simd;
            int threads;
        } ways[] = {{NULL, 1}, {NULL, 3}, {"base", 2}};
        snprintf(path, sizeof path, "%s/%s.tpr", folder, name);
        for (size_t i = 0; i < LENGTH(ways); i++) {
            uint64_t sum = 0;
            assert_true(replay_checksum(path, ways[i].simd, ways[i].threads, &sum));
            if (getenv("TESLAPIPE_UPDATE") && i == 0)
                print_message("%s %016llx\n", name, (unsigned long long)sum);
            if (sum != expected)
                print_message("%s: %016llx, not %016llx (%d threads, %s)\n", name,
                              (unsigned long long)sum, expected, ways[i].threads,
                              ways[i].simd ? ways[i].simd : "best");
            wrong += sum != expected;
        }
        count++;
    }
    fclose(list);
    assert_true(count >= 10);
    assert_int_equal(wrong, 0);
}

TEST(test_up_to_a_draw) {
    char path[256], why[512];
    struct replay_result result;
    snprintf(path, sizeof path, "%s/blend.tpr", folder);
    tp_device *device = device_for(record_chipset(path), NULL, 1);
    assert_int_equal(record_replay(path, device, 2, NULL, &result, why, sizeof why), 0);
    assert_int_equal(result.draws, 2);
    replay_free(&result);
    tp_device_destroy(device);
}

static void note_refusal(void *self, int level, const char *line) {
    (void)level;
    *(bool *)self |= strstr(line, "a draw of ") != NULL;
}

/* A draw above the limit of work is refused. */
TEST(test_watchdog) {
    char path[256], why[512];
    struct replay_result result;
    bool refused = false;
    snprintf(path, sizeof path, "%s/instances.tpr", folder);
    for (uint64_t limit = 1; limit <= 1 << 20; limit <<= 20) {
        tp_device *device = device_for(record_chipset(path), NULL, 1);
        device->log_line = note_refusal;
        device->log_self = &refused;
        device->work_limit = limit;
        refused = false;
        assert_int_equal(record_replay(path, device, 0, NULL, &result, why, sizeof why), 0);
        assert_int_equal(refused, limit == 1);
        replay_free(&result);
        tp_device_destroy(device);
    }
}

static void replay_damaged(const uint8_t *data, size_t size) {
    char path[] = "/tmp/teslapipe-replay-XXXXXX", why[512];
    struct replay_result result;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, size), (ssize_t)size);
    close(fd);
    const uint32_t chipset = record_chipset(path);
    tp_device *device = device_for(chipset >= 0xc0 ? chipset : 0xa3, NULL, 1);
    assert_non_null(device);
    record_replay(path, device, 0, NULL, &result, why, sizeof why);
    replay_free(&result);
    tp_device_destroy(device);
    unlink(path);
}

/* Random words of a recording are changed: methods, data, programs, descriptors, chunk headers. */
TEST(test_damage) {
    static uint8_t data[1 << 20], copy[1 << 20];
    const char *const names[] = {"geometry", "depth_stencil", "texture", "feedback"};
    const char *rounds_text = getenv("TESLAPIPE_FUZZ_ROUNDS");
    const int rounds = rounds_text ? atoi(rounds_text) : 50;
    random_start(1);
    for (size_t n = 0; n < LENGTH(names); n++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s.tpr", folder, names[n]);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        const size_t size = fread(data, 1, sizeof data, f);
        fclose(f);
        assert_true(size > 1000 && size < sizeof data);
        for (int round = 0; round < rounds; round++) {
            memcpy(copy, data, size);
            for (uint32_t k = 1 + random_word() % 12; k > 0; k--) {
                const uint32_t word = random_word();
                memcpy(copy + 8 + random_word() % (size - 12) / 4 * 4, &word, 4);
            }
            replay_damaged(copy, size);
        }
    }
}

BEFORE_TESTS {
    return access(folder, R_OK) != 0 ? chdir("..") : 0;
}
