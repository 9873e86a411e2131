/* Addresses of stream output buffers. */
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
        one(f, 6, 0, 0x1000 + i);
        run(f);
        struct stream_state *s = &channel_context(f->channel)->state.stream;
        for (uint32_t k = 0; k < 4; k++)
            s->buffer[k].offset = 0x40 + k;
        s->primitives = 5;
        one(f, 6, 0x1a84 + 2 * 16, 0x100); /* STRMOUT_ADDRESS_LOW of buffer 2 */
        run(f);
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(s->buffer[k].offset, row[i].anew && k == 2 ? 0 : 0x40 + k);
        assert_int_equal(s->primitives, row[i].anew ? 0 : 5);
        assert_int_equal(channel_object_destroy(f->channel, 0x1000 + i), 0);
    }
}
