/* Warnings about unbound inputs that a draw's programs read. A draw gives one warning at most, and
 * each warning comes once; it names the program, the address and the instruction. A draw whose
 * inputs are bound gives none. */
#include "tests/pipeline/fixture.h"

enum { SIZE = 16 };

static int warnings;
static char last[512];

static void note(void *self, int level, const char *line) {
    (void)self;
    if (level != 1)
        return;
    warnings++;
    snprintf(last, sizeof last, "%s", line);
}

static const char vp_text[] =
    ".attr 0 xyzw\n.attr 3 xy\n.attr 5 x\n.output position o[0x0]\n"
    ".output varying o[0x10] 2\n"
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
    "mov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
    "mov b32 $r1 a[0x14]\nmov b32 o[0x10] $r1\nmov b32 $r1 a[0x18]\nexit nop\n";
static const char fp_text[] = ".interpolants position=w smooth=2\n"
                              "mul rn f32 $r0 $r0 c2[0x10]\nmov b32 $r1 $r0\nmov b32 $r2 $r0\n"
                              "texauto all $r0:$r1:$r2:$r3 $t5 $s5 $r0:$r1 0x0 0x0 0x0\nexit nop\n";

static void draw(tp_context *c, const char *want) {
    warnings = 0;
    last[0] = 0;
    assert_int_equal(tp_draw_arrays(c, TP_TRIANGLES, 0, 3), TP_OK);
    assert_int_equal(tp_finish(c), TP_OK);
    if (warnings != (want ? 1 : 0) || (want && !strstr(last, want)))
        fail_msg("%d warnings: %s; expected %s", warnings, last, want ? want : "none");
}

TEST(test_warnings) {
    static const float corners[3][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
    static const float words[64] = {0};
    const struct tp_device_info info = {.chip = TP_CHIP_GT215, .threads = 1, .log = note};
    const struct tp_texture_info picture = {
        .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = SIZE, .height = SIZE};
    tp_device *d;
    tp_context *c;
    tp_texture *target, *texture;
    tp_program *vp = NULL, *fp = NULL;
    tp_buffer *buffer, *constants;
    assert_int_equal(tp_device_create(&info, &d), TP_OK);
    assert_int_equal(tp_context_create(d, &c), TP_OK);
    assert_int_equal(tp_texture_create(d, &picture, &target), TP_OK);
    assert_int_equal(tp_texture_create(d, &picture, &texture), TP_OK);
    assert_int_equal(tp_buffer_create(d, sizeof corners, corners, &buffer), TP_OK);
    assert_int_equal(tp_buffer_create(d, sizeof words, words, &constants), TP_OK);
    if (tp_program_from_text(d, TP_VERTEX, vp_text, "some.vp", &vp) != TP_OK ||
        tp_program_from_text(d, TP_FRAGMENT, fp_text, "some.fp", &fp) != TP_OK)
        fail_msg("%s", tp_message(d));
    assert_int_equal(tp_set_target(c, target, NULL), TP_OK);
    assert_int_equal(tp_bind_program(c, TP_VERTEX, vp), TP_OK);
    assert_int_equal(tp_bind_program(c, TP_FRAGMENT, fp), TP_OK);
    assert_int_equal(tp_bind_vertices(c, 0, buffer, 0, sizeof *corners, 0), TP_OK);
    assert_int_equal(tp_set_attribute(c, 0, 0, 0, 4, TP_FLOAT32), TP_OK);
    /* Each draw gives the next warning, in the order of the stages. */
    draw(c, "some.vp: reads attribute 3, and it has neither array nor value: 0x000020  mov b32 $r1 "
            "a[0x14]");
    draw(c, "some.vp: reads attribute 5, and it has neither array nor value: 0x000030  mov b32 $r1 "
            "a[0x18]");
    draw(
        c,
        "some.fp: reads c2[], and no buffer is bound there: 0x000000  mul rn f32 $r0 $r0 c2[0x10]");
    draw(c, "some.fp: samples texture 5, and none is bound there: 0x");
    draw(c, "some.vp: never writes o[0x14], which is result 5");
    draw(c, NULL);
    /* With one of two inputs bound, a second context, which has given no warning yet, warns
     * about the other input only. */
    tp_context *other;
    assert_int_equal(tp_context_create(d, &other), TP_OK);
    assert_int_equal(tp_set_target(other, target, NULL), TP_OK);
    assert_int_equal(tp_bind_program(other, TP_VERTEX, vp), TP_OK);
    assert_int_equal(tp_bind_program(other, TP_FRAGMENT, fp), TP_OK);
    assert_int_equal(tp_bind_vertices(other, 0, buffer, 0, sizeof *corners, 0), TP_OK);
    assert_int_equal(tp_set_attribute(other, 0, 0, 0, 4, TP_FLOAT32), TP_OK);
    assert_int_equal(tp_set_attribute_constant(other, 3, (const float[4]){1, 1, 1, 1}), TP_OK);
    assert_int_equal(tp_set_attribute_constant(other, 5, (const float[4]){1, 1, 1, 1}), TP_OK);
    assert_int_equal(tp_bind_constants(other, TP_FRAGMENT, 2, constants, 0, sizeof words), TP_OK);
    assert_int_equal(tp_bind_texture(other, TP_FRAGMENT, 5, texture, &(struct tp_sampler_info){0}),
                     TP_OK);
    draw(other, "some.vp: never writes o[0x14]");
    draw(other, NULL);
    tp_context_destroy(other);
    tp_context_destroy(c);
    tp_program_destroy(vp);
    tp_program_destroy(fp);
    tp_buffer_destroy(buffer);
    tp_buffer_destroy(constants);
    tp_texture_destroy(target);
    tp_texture_destroy(texture);
    tp_device_destroy(d);
}
