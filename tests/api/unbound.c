/* Warnings about unbound inputs that a draw's programs read. A draw gives at most one warning, and
 * each warning comes once. A warning names the program, the address and the instruction. A draw
 * whose inputs are all bound gives none. */
#include "tests/pipeline/fixture.h"

enum { SIZE = 16 };

static const char vp_text[] =
    ".attr 0 xyzw\n.attr 3 xy\n.attr 5 x\n.output position o[0x0]\n"
    ".output varying o[0x10] 2\n"
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
    "mov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
    "mov b32 $r1 a[0x14]\nmov b32 o[0x10] $r1\nmov b32 $r1 a[0x18]\nexit nop\n";
static const char fp_text[] = ".interpolants position=w smooth=2\n"
                              "mul rn f32 $r0 $r0 c2[0x10]\nmov b32 $r1 $r0\nmov b32 $r2 $r0\n"
                              "texauto all $r0:$r1:$r2:$r3 $t5 $s5 $r0:$r1 0x0 0x0 0x0\nexit nop\n";

static void draw(struct fixture *f, tp_context *c, const char *want) {
    f->warnings = 0;
    f->log[0] = 0;
    OK(f, tp_draw_arrays(c, TP_TRIANGLES, 0, 3));
    OK(f, tp_finish(c));
    if (f->warnings != (want ? 1 : 0) || (want && !strstr(f->log, want)))
        fail_msg("%d warnings: %s; expected %s", f->warnings, f->log, want ? want : "none");
}

static void bind(struct fixture *f, tp_context *c, tp_program *vp, tp_program *fp) {
    OK(f, tp_set_target(c, f->color, NULL));
    OK(f, tp_bind_program(c, TP_VERTEX, vp));
    OK(f, tp_bind_program(c, TP_FRAGMENT, fp));
    OK(f, tp_bind_vertices(c, 0, f->vertices, 0, 32, 0));
    OK(f, tp_set_attribute(c, 0, 0, 0, 4, TP_FLOAT32));
}

TEST(test_warnings) {
    static const float whole[3][8] = {WHOLE(0, 0, 0, 0, 0)}, words[64], ones[4] = {1, 1, 1, 1};
    FIXTURE_DEVICE(f, (struct tp_device_info){.chip = TP_CHIP_GT215, .threads = 1});
    tp_context *const c = f.context, *other;
    struct fixture_owned *own = fixture_own(&f);
    OK(&f, tp_program_from_text(f.device, TP_VERTEX, vp_text, "some.vp", &own->program));
    tp_program *const vp = own->program;
    own = fixture_own(&f);
    OK(&f, tp_program_from_text(f.device, TP_FRAGMENT, fp_text, "some.fp", &own->program));
    tp_program *const fp = own->program;
    f.color = fixture_picture(&f, TP_FORMAT_RGBA8, SIZE, SIZE);
    OK(&f, tp_buffer_create(f.device, sizeof whole, whole, &f.vertices));
    bind(&f, c, vp, fp);
    /* Each draw gives the next warning, in the order of the stages. */
    static const char *const wanted[] = {
        "some.vp: reads attribute 3, and it has neither array nor value: 0x000020  mov b32 $r1 a[0x14]",
        "some.vp: reads attribute 5, and it has neither array nor value: 0x000030  mov b32 $r1 a[0x18]",
        "some.fp: reads c2[], and no buffer is bound there: 0x000000  mul rn f32 $r0 $r0 c2[0x10]",
        "some.fp: samples texture 5, and none is bound there: 0x",
        "some.vp: never writes o[0x14], which is result 5",
        NULL};
    for (size_t i = 0; i < LENGTH(wanted); i++)
        draw(&f, c, wanted[i]);
    /* With one of two inputs bound, a second context, which has given no warning yet, warns
     * about the other input only. */
    OK(&f, tp_context_create(f.device, &other));
    bind(&f, other, vp, fp);
    OK(&f, tp_set_attribute_constant(other, 3, ones));
    OK(&f, tp_set_attribute_constant(other, 5, ones));
    tp_buffer *const constants = fixture_buffer(&f, sizeof words, words);
    OK(&f, tp_bind_constants(other, TP_FRAGMENT, 2, constants, 0, sizeof words));
    tp_texture *const texture = fixture_picture(&f, TP_FORMAT_RGBA8, SIZE, SIZE);
    OK(&f, tp_bind_texture(other, TP_FRAGMENT, 5, texture, &(struct tp_sampler_info){0}));
    draw(&f, other, "some.vp: never writes o[0x14]");
    draw(&f, other, NULL);
    tp_context_destroy(other);
}
