/* Uniforms and samplers by their names (teslapipe_glsl.h): whole arrays, elements of arrays, and
 * names that the programs lack. */
#include "include/teslapipe_glsl.h"
#include "tests/test.h"

static const uint32_t zeros[8];
static const struct tp_glsl_constants constants[] = {{TP_FRAGMENT, 0, 8, zeros},
                                                     {TP_VERTEX, 0, 0, NULL}};
/* float weights[3], with a stride of 8 bytes, and bool on */
static const struct tp_glsl_uniform uniforms[] = {
    {"weights", TP_FRAGMENT, 0, 0, 3, 1, 1, 8, 0, 'f', false},
    {"on", TP_FRAGMENT, 0, 24, 1, 1, 1, 0, 0, 'b', false},
    {NULL, TP_VERTEX, 0, 0, 0, 0, 0, 0, 0, 'f', false}};
static const struct tp_glsl_sampler samplers[] = {{"pictures", TP_FRAGMENT, 2, 2},
                                                  {NULL, TP_VERTEX, 0, 0}};
static const struct tp_glsl_input inputs[] = {{NULL, 0}};
static const struct tp_glsl_program programs[] = {{TP_FRAGMENT, "f", "exit nop\n"},
                                                  {TP_VERTEX, NULL, NULL}};
static const struct tp_glsl glsl = {programs, uniforms, samplers, inputs, constants};

TEST(test_names) {
    static const struct {
        const char *name;
        unsigned count;
        bool known;
        uint32_t words[8];
    } rows[] = {
        {"weights", 3, true, {1, 0, 2, 0, 3}},
        {"weights", 9, true, {1, 0, 2, 0, 3}},
        {"weights", 0xffffffff, true, {1, 0, 2, 0, 3}},
        {"weights[0]", 1, true, {1}},
        {"weights[2]", 3, true, {0, 0, 0, 0, 1}},
        {"on", 1, true, {[6] = 0xffffffff}},
        {"on[0]", 1, true, {[6] = 0xffffffff}},
        {"weights[3]", 1, false, {0}},
        {"weights[4294967295]", 2, false, {0}},
        {"weights[18446744073709551616]", 1, false, {0}},
        {"weights[-1]", 2, false, {0}},
        {"weights[]", 1, false, {0}},
        {"weights[1", 1, false, {0}},
        {"weights[1]x", 1, false, {0}},
        {"weight", 1, false, {0}},
        {"weightss", 1, false, {0}},
        {"on[1]", 1, false, {0}},
        {"", 1, false, {0}},
    };
    static const uint32_t values[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    tp_device *device;
    tp_context *context;
    assert_int_equal(tp_device_create(NULL, &device), TP_OK);
    assert_int_equal(tp_context_create(device, &context), TP_OK);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct tp_glsl_state made;
        assert_int_equal(tp_glsl_create(device, &glsl, &made), TP_OK);
        const enum tp_result result = tp_glsl_set(&made, rows[i].name, values, rows[i].count);
        if (result != (rows[i].known ? TP_OK : TP_ERROR_INVALID) ||
            memcmp(made.words[0], rows[i].words, sizeof zeros) != 0)
            fail_msg("%s: %d", rows[i].name, result);
        assert_int_equal(tp_glsl_bind_texture(context, &made, "pictures[1]", NULL, NULL), TP_OK);
        assert_int_equal(tp_glsl_bind_texture(context, &made, "pictures[2]", NULL, NULL),
                         TP_ERROR_INVALID);
        tp_glsl_destroy(&made);
    }
    tp_context_destroy(context);
    tp_device_destroy(device);
}
