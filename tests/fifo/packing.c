/* The packing of words in a command stream has no effect: single methods, several words to one
 * method or to consecutive methods, long and short headers, and entries that end anywhere leave the
 * same state and memory. */
#include "fifo/methods.h"
#include "tests/fifo/fixture.h"

enum { ROUNDS = 3000, LONGEST = 12, SPACE = 0x2000 };

static const struct {
    uint32_t address, count, stride;
    const char *handler;
} methods[] = {
#define X(address, fermi, count, stride, fermi_stride, unit, name, handler, bulk)                  \
    {address, count, stride, #handler},
#define F(fermi, count, stride, unit, name, handler, bulk)
    METHODS_3D(X, F)
#undef X
#undef F
};

static bool taken[SPACE / 4]; /* methods that only set state for draws */

static void choose_methods(void) {
    static const char *const handlers[] = {
        "KEEP",           "attribute_1f",    "attribute_2f", "attribute_3f",  "attribute_4f",
        "edge_flag",      "bind_tic",        "bind_tsc",     "rt_array_mode", "set_program_cb",
        "strmout_offset", "strmout_address", "cb_data",      "cb_def_set"};
    for (size_t i = 0; i < LENGTH(methods); i++)
        for (size_t h = 0; h < LENGTH(handlers); h++)
            for (uint32_t k = 0; k < (methods[i].count ? methods[i].count : 1) &&
                                 !strcmp(methods[i].handler, handlers[h]);
                 k++)
                taken[(methods[i].address + k * methods[i].stride) / 4] = true;
}

/* Sends all words that were put, in entries of random length. */
static void run_in_pieces(struct fixture *f) {
    for (uint32_t at = 0; at < f->count;) {
        const uint32_t left = f->count - at, words = 1 + random_below(left < 20 ? left : 20);
        channel_execute(f->channel, f->push + 4 * at, 4 * words);
        at += words;
    }
    f->count = 0;
}

/* Puts random words into both fixtures: as single methods into one_by_one, as a packet into
 * packed. */
static void send(struct fixture *one_by_one, struct fixture *packed) {
    uint32_t address, words[LONGEST], count = 1 + random_below(LONGEST);
    do
        address = random_below(SPACE / 4) * 4;
    while (!taken[address / 4]);
    bool increment = random_below(2);
    for (uint32_t i = 0; increment && i < count; i++)
        if (address + 4 * i >= SPACE || !taken[address / 4 + i])
            count = i;
    for (uint32_t i = 0; i < count; i++) {
        words[i] = random_below(2)   ? random_below(3)
                   : random_below(4) ? random_below(1 << 30) << 2 | random_below(4)
                                     : 0x3f800000;
        one(one_by_one, THREE_D, address + (increment ? 4 * i : 0), words[i]);
    }
    if (!increment && random_below(2)) {
        put(packed, 0x00030000 | THREE_D << 13 | address);
        put(packed, count);
    } else {
        put(packed, (increment ? 0 : 0x40000000) | count << 18 | THREE_D << 13 | address);
    }
    for (uint32_t i = 0; i < count; i++)
        put(packed, words[i]);
}

TEST(test_packing) {
    static struct fixture f[2];
    choose_methods();
    for (int k = 0; k < 2; k++) {
        void *one;
        setup(&one);
        f[k] = *(struct fixture *)one;
    }
    assert_true(f[0].data == f[1].data);
    for (int i = 0; i < ROUNDS; i++) {
        send(&f[0], &f[1]);
        if (random_below(4) && f[0].count < PUSH_WORDS / 2)
            continue;
        for (int k = 0; k < 2; k++) {
            one(&f[k], THREE_D, 0x15dc, 4); /* a draw, which reads all state */
            one(&f[k], THREE_D, 0x15e0, 0);
        }
        run(&f[0]);
        run_in_pieces(&f[1]);
        const void *a = &channel_context(f[0].channel)->state,
                   *b = &channel_context(f[1].channel)->state;
        for (size_t n = 0; n < sizeof(struct state); n++)
            if (((const uint8_t *)a)[n] != ((const uint8_t *)b)[n])
                fail_msg("round %d: byte %zu of the state", i, n);
        assert_memory_equal(f[0].bytes, f[1].bytes, DATA_BYTES);
    }
    for (int k = 0; k < 2; k++)
        teardown((void *[]){&f[k]});
}
