/* Objects of a channel, and constant buffers. */
#include "base/surface.h"
#include "fifo/engine.h"
#include "pipeline/context_private.h"
#include "tests/fifo/fixture.h"

#include <time.h>

FIXTURE_TEST(test_objects) {
    static const uint32_t known[] = {0x5039, 0x502d, 0x5097, 0x8297, 0x8397,
                                     0x8597, 0x8697, 0x50c0, 0x85c0};
    uint32_t found = 0, n = 3; /* objects of the fixture */
    assert_int_equal(channel_object_create(f->channel, 0xbeef5097, 0x8597), -1);
    assert_int_equal(channel_object_destroy(f->channel, 0x100), -1);
    for (uint32_t class = 0x5000; class < 0x9000; class ++)
        if (channel_object_create(f->channel, 0x100, class) == 0) {
            found++;
            bool right = false;
            for (size_t i = 0; i < LENGTH(known); i++)
                right |= known[i] == class;
            assert_true(right);
            assert_int_equal(channel_object_destroy(f->channel, 0x100), 0);
        }
    assert_int_equal(found, LENGTH(known));
    while (channel_object_create(f->channel, 0x1000 + n, 0x5039) == 0)
        n++;
    assert_int_equal(n, 64);
    assert_int_equal(channel_object_destroy(f->channel, 0x1000 + 40), 0);
    assert_int_equal(channel_object_create(f->channel, 0x77, 0x502d), 0);
    assert_int_equal(channel_object_create(f->channel, 0x78, 0x502d), -1);
    for (uint32_t i = 0; i < 8; i++) { /* all subchannels; a destroyed object is bound nowhere */
        one(f, i, 0, 0x77);
        one(f, i, 0x290, i);
    }
    assert_string_equal(complaint(f), "");
    assert_int_equal(channel_object_destroy(f->channel, 0x77), 0);
    for (uint32_t i = 0; i < 8; i++) {
        char text[64];
        one(f, i, 0x290, 0);
        snprintf(text, sizeof text, "subchannel %u, which has no object", i);
        assert_non_null(strstr(complaint(f), text));
    }
}

/* Sets the place of a 3D object's vertex program and draws nothing with the program. Returns the
 * program. */
static const struct program *draw_nothing(struct fixture *f, uint32_t subchannel, uint32_t start) {
    one(f, subchannel, 0xf7c, (uint32_t)(f->data >> 32)); /* VP_ADDRESS */
    one(f, subchannel, 0xf80, (uint32_t)f->data);
    one(f, subchannel, 0x16b0, 4); /* VP_REG_ALLOC_TEMP */
    one(f, subchannel, 0x140c, start);
    one(f, subchannel, 0x15dc, 0); /* BEGIN, END */
    run_one(f, subchannel, 0x15e0, 0);
    return channel_context(f->channel)->state.program[PROGRAM_VP];
}

/* Two 3D objects draw in turn, and one is destroyed: the other draws with its own program again. */
FIXTURE_TEST(test_programs_of_a_destroyed_object) {
    enum { OTHER = 6, HANDLE = 0x99 };
    static const char text[] = "exit nop\n";
    struct program_error error;
    struct program *p =
        program_from_text(PROGRAM_VP, ISA_GT215, text, strlen(text), "test", &error);
    assert_non_null(p);
    for (int i = 1; i <= 2; i++)
        memcpy(f->bytes + 0x100 * i, p->words, 4 * p->word_count);
    program_unref(p);
    fixture_object(f, OTHER, HANDLE, 0x8597);
    const struct program *own = draw_nothing(f, THREE_D, 0x100);
    const struct program *other = draw_nothing(f, OTHER, 0x200);
    assert_non_null(own);
    assert_true(other && other != own);
    assert_int_equal(channel_object_destroy(f->channel, HANDLE), 0);
    one(f, THREE_D, 0x15dc, 0);
    run_one(f, THREE_D, 0x15e0, 0);
    assert_ptr_equal(channel_context(f->channel)->state.program[PROGRAM_VP], own);
}

/* CB_DEF: size 0 means 64 KiB. The place of CB_ADDR advances with every word. Words beyond the end
 * are dropped. */
FIXTURE_TEST(test_constant_buffers) {
    static const struct {
        uint32_t size, at, words;
        bool written;
    } rows[] = {{256, 0, 1, true},    {256, 63, 1, true},        {256, 64, 1, false},
                {256, 62, 2, true},   {256, 63, 2, false},       {0, 0x3fff, 1, true},
                {0, 0x3ffe, 2, true}, {0, 0x3fff, 2, false},     {4, 0, 1, true},
                {4, 1, 1, false},     {0xffff, 0x3ffe, 1, true}, {0xffff, 0x3fff, 1, false}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const uint32_t values[2] = {0x1000 + (uint32_t)i, 0x2000 + (uint32_t)i};
        memset(f->bytes, 0, 0x10010);
        METHOD(f, THREE_D, 0x1280, HIGH_LOW(f->data), 127 << 16 | rows[i].size);
        one(f, THREE_D, 0xf00, rows[i].at << 8 | 127);
        put(f, 0x40000000 | rows[i].words << 18 | THREE_D << 13 | 0xf04);
        for (uint32_t k = 0; k < rows[i].words; k++)
            put(f, values[k]);
        const char *said = complaint(f);
        if (i == 2) /* reported once */
            assert_non_null(strstr(said, "constant buffer 127"));
        channel_finish(f->channel);
        for (uint32_t k = 0; k < 2; k++)
            assert_int_equal(word_at(f, 4 * (rows[i].at + k)),
                             rows[i].written && k < rows[i].words ? values[k] : 0);
    }
}
