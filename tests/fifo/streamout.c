/* Addresses of stream output buffers; the counter of generated primitives. */
#include "pipeline/context_private.h"
#include "tests/fifo/fixture.h"

/* On classes below 8397, writing a stream output address resets the buffer's offset and the count
 * of primitives. Later classes set the offset with a method of its own. */
FIXTURE_TEST(test_stream_addresses) {
    static const struct {
        uint32_t class;
        bool anew;
    } row[] = {{0x5097, true}, {0x8297, true}, {0x8397, false}, {0x8597, false}, {0x8697, false}};
    for (uint32_t i = 0; i < LENGTH(row); i++) {
        assert_int_equal(channel_object_create(f->channel, 0x1000 + i, row[i].class), 0);
        run_one(f, 6, 0, 0x1000 + i);
        struct stream_state *s = &channel_context(f->channel)->state.stream;
        for (uint32_t k = 0; k < 4; k++)
            s->buffer[k].offset = 0x40 + k;
        s->primitives = 5;
        run_one(f, 6, 0x1a84 + 2 * 16, 0x100); /* STRMOUT_ADDRESS_LOW of buffer 2 */
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(s->buffer[k].offset, row[i].anew && k == 2 ? 0 : 0x40 + k);
        assert_int_equal(s->primitives, row[i].anew ? 0 : 5);
        assert_int_equal(channel_object_destroy(f->channel, 0x1000 + i), 0);
    }
}

/* Counter 6 of QUERY_GET: the primitives that stream out on classes below 8397, all primitives on
 * later classes. */
FIXTURE_TEST(test_generated_primitives) {
    static const struct {
        uint32_t class;
        enum counter counter;
    } row[] = {{0x5097, COUNTER_PRIMITIVES_NEEDED},
               {0x8297, COUNTER_PRIMITIVES_NEEDED},
               {0x8397, COUNTER_PRIMITIVES_GENERATED},
               {0x8597, COUNTER_PRIMITIVES_GENERATED},
               {0x8697, COUNTER_PRIMITIVES_GENERATED}};
    tp_context *const c = channel_context(f->channel);
    for (uint32_t i = 0; i < LENGTH(row); i++) {
        for (uint32_t k = 0; k < COUNTERS; k++)
            c->p->counters.base[k][0] = (uint64_t)0 - (k + 1);
        assert_int_equal(channel_object_create(f->channel, 0x1000 + i, row[i].class), 0);
        one(f, 6, 0, 0x1000 + i);
        METHOD(f, 6, 0x1b00, HIGH_LOW(f->data), 7, 0x06805002);
        run(f);
        assert_int_equal(word_at(f, 0), row[i].counter + 1);
        assert_int_equal(channel_object_destroy(f->channel, 0x1000 + i), 0);
    }
}
