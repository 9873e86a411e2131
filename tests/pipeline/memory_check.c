/* The memory checker on draws: one planted fault of each kind that needs the pipeline, at its
 * instruction, pixel or vertex; and draws without faults.
 */
#include "pipeline/debug/memory_check.h"
#include "tests/pipeline/fixture.h"

enum { SIZE = 16 };

#define AT(x, y) {x, y, 0, 1, 1, 1, 1, 1}
static const float whole[3][8] = {AT(-1, 1), AT(3, 1), AT(-1, -3)};

struct checked {
    struct fixture f;
    struct findings *findings;
    struct memory_check *check;
    uint64_t from; /* number of the last draw before the test's */
};

/* The fixture's target is cleared under the check. */
static void begin(struct checked *t) {
    fixture_open(&t->f, 1, NULL, SIZE);
    t->findings = findings_create();
    t->check = memory_check_create(t->findings, false);
    memory_check_watch(t->check, t->f.context);
    OK(&t->f, tp_clear(t->f.context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH, NULL, 1, 0));
}

static void end(struct checked *t) {
    assert_false(memory_check_incomplete(t->check));
    memory_check_leave(t->check, t->f.context);
    fixture_close(&t->f);
    memory_check_free(t->check);
    findings_free(t->findings);
}

static void use(struct checked *t, enum tp_stage stage, const char *text) {
    tp_program **p = stage == TP_VERTEX ? &t->f.vp : &t->f.fp;
    tp_program *now = fixture_program(&t->f, stage, text);
    OK(&t->f, tp_bind_program(t->f.context, stage, now));
    tp_program_destroy(*p);
    *p = now;
}

/* There is this finding alone; kind NULL: there is none. */
static void expect(struct checked *t, const char *kind, const char *text, const char *what,
                   const char *where, uint64_t count) {
    const size_t n = findings_count(t->findings);
    const struct finding *f = n ? findings_at(t->findings, 0) : NULL;
    const bool right = kind ? n == 1 && !strcmp(finding_name(f->kind), kind) &&
                                  strstr(f->text, text) && strstr(f->what, what) &&
                                  !strcmp(f->where, where) && f->count == count && !f->launch
                            : !n;
    if (right)
        return;
    findings_print(t->findings, NULL, stderr);
    fail_msg("expected %s: %s, %s, at %s, %llu in all", kind ? kind : "nothing", what, text, where,
             (unsigned long long)count);
}

TEST(test_faultless) {
    struct checked t;
    begin(&t);
    fixture_draw(&t.f, TP_TRIANGLES, whole, 3);
    fixture_read(&t.f);
    assert_int_equal(fixture_count(&t.f), SIZE * SIZE);
    expect(&t, NULL, "", "", "", 0);
    end(&t);
}

/* Attribute 1 of vertex 3 lies behind the buffer. */
TEST(test_vertex_arrays) {
    struct checked t;
    begin(&t);
    fixture_vertices(&t.f, whole, 3);
    OK(&t.f, tp_draw_arrays(t.f.context, TP_POINTS, 1, 3));
    OK(&t.f, tp_finish(t.f.context));
    assert_int_equal(findings_count(t.findings), 8); /* a word of both attributes each */
    const struct finding *f = findings_at(t.findings, 4);
    assert_string_equal(finding_name(f->kind), "vertex-array-out-of-range");
    assert_non_null(strstr(f->what, "attribute 1"));
    assert_non_null(strstr(f->text, "mov b32 o[0x10] a[0x10]"));
    assert_string_equal(f->where, "vertex 3, instance 0");
    assert_int_equal(f->lanes, 1 << 2);
    end(&t);
}

TEST(test_index_buffers) {
    struct checked t;
    tp_buffer *index;
    begin(&t);
    fixture_vertices(&t.f, whole, 3);
    OK(&t.f, tp_buffer_create(t.f.device, 4096, NULL, &index));
    OK(&t.f, draw_begin(t.f.context, TP_POINTS, DRAW_INSTANCE_FIRST));
    OK(&t.f, draw_indices_memory(t.f.context, tp_buffer_address(index), 1024, 4));
    OK(&t.f, draw_end(t.f.context));
    expect(&t, NULL, "", "", "", 0);
    OK(&t.f, draw_begin(t.f.context, TP_POINTS, DRAW_INSTANCE_FIRST));
    OK(&t.f, draw_indices_memory(t.f.context, tp_buffer_address(index) + 4, 1 << 20, 4));
    OK(&t.f, draw_end(t.f.context));
    expect(&t, "index-buffer-out-of-range", "", "a draw of 1048576 indices; the index buffer has",
           "", 1);
    end(&t);
    tp_buffer_destroy(index);
}

TEST(test_feedback) {
    struct checked t;
    tp_buffer *out;
    begin(&t);
    OK(&t.f, tp_buffer_create(t.f.device, 24, NULL, &out));
    struct tp_stream_info info = {.interleaved = true, .stride = 4, .count = 1};
    info.stream[0].buffer = out;
    info.stream[0].size = 20;
    info.map[0] = 0x80;
    OK(&t.f, tp_set_streams(t.f.context, &info));
    fixture_draw(&t.f, TP_TRIANGLES, whole, 3);
    expect(&t, NULL, "", "", "", 0);
    OK(&t.f, tp_draw_arrays(t.f.context, TP_TRIANGLES, 0, 3));
    expect(&t, "feedback-full", "", "feedback of 1 primitives; the buffers take 0", "", 1);
    end(&t);
    tp_buffer_destroy(out);
}

/* The fragment program reads a word that the vertex program does not write. */
TEST(test_outputs) {
    struct checked t;
    begin(&t);
    use(&t, TP_VERTEX,
        ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
        "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\n"
        "mov b32 o[0xc] a[0xc]\nmov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\n"
        "exit mov b32 o[0x1c] a[0x1c]\n");
    fixture_draw(&t.f, TP_TRIANGLES, whole, 3);
    OK(&t.f, tp_finish(t.f.context));
    expect(&t, "unwritten-output", "mov b32 o[0x1c]", "o[0x18] is read by later stages",
           "vertex 0, instance 0", 3);
    end(&t);
}

/* A fragment program that does not read the word leaves nothing to report. */
TEST(test_unread_outputs) {
    struct checked t;
    begin(&t);
    use(&t, TP_VERTEX,
        ".attr 0 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
        "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\n"
        "exit mov b32 o[0xc] a[0xc]\n");
    use(&t, TP_FRAGMENT,
        "mov b32 $r0 1.0\nmov b32 $r1 $r0\nmov b32 $r2 $r0\nmov b32 $r3 $r0\nexit nop\n");
    fixture_draw(&t.f, TP_TRIANGLES, whole, 3);
    OK(&t.f, tp_finish(t.f.context));
    expect(&t, NULL, "", "", "", 0);
    end(&t);
}

TEST(test_results) {
    struct checked t;
    begin(&t);
    use(&t, TP_FRAGMENT, ".regs 4\nmov b32 $r0 1.0\nmov b32 $r1 $r0\nmov b32 $r3 $r0\nexit nop\n");
    fixture_draw(&t.f, TP_TRIANGLES, whole, 3);
    OK(&t.f, tp_finish(t.f.context));
    expect(&t, "unwritten-output", "exit nop", "$r2 is a result of the program", "pixel (0, 0)",
           SIZE * SIZE);
    end(&t);
}

static const char sample_fp[] =
    ".interpolants position=xyw\ninterp $r0 v[0x0]\ninterp $r1 v[0x4]\nmov b32 $r2 0.0625\n"
    "mul f32 $r0 $r0 $r2\nmul f32 $r1 $r1 $r2\n"
    "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n";

/* A texture is fresh until it is drawn, cleared or written. */
TEST(test_fresh_textures) {
    for (int way = 0; way < 4; way++) {
        static const struct tp_texture_info info = {
            .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = SIZE, .height = SIZE};
        static uint8_t texels[SIZE * SIZE * 4];
        struct checked t;
        tp_texture *source;
        begin(&t);
        OK(&t.f, tp_texture_create(t.f.device, &info, &source));
        OK(&t.f, tp_set_target(t.f.context, way == 1 || way == 2 ? source : t.f.color, NULL));
        if (way == 1)
            OK(&t.f, tp_clear(t.f.context, TP_CLEAR_COLOR, NULL, 0, 0));
        if (way == 2)
            fixture_draw(&t.f, TP_TRIANGLES, whole, 3);
        if (way == 3)
            OK(&t.f, tp_texture_write(t.f.context, source, 0, 0, texels, 4 * SIZE));
        OK(&t.f, tp_set_target(t.f.context, t.f.color, NULL));
        OK(&t.f, tp_bind_texture(t.f.context, TP_FRAGMENT, 0, source, NULL));
        use(&t, TP_FRAGMENT, sample_fp);
        fixture_draw(&t.f, TP_TRIANGLES, whole, 3);
        OK(&t.f, tp_finish(t.f.context));
        expect(&t, way ? NULL : "fresh-texture", "texauto", "samples texture 0", "pixel (0, 0)",
               SIZE * SIZE);
        end(&t);
        tp_texture_destroy(source);
    }
}

/* Half of each quad samples. */
TEST(test_derivatives) {
    static const struct tp_texture_info info = {
        .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = SIZE, .height = SIZE};
    static uint8_t texels[SIZE * SIZE * 4];
    struct checked t;
    tp_texture *source;
    begin(&t);
    OK(&t.f, tp_texture_create(t.f.device, &info, &source));
    OK(&t.f, tp_texture_write(t.f.context, source, 0, 0, texels, 4 * SIZE));
    OK(&t.f, tp_bind_texture(t.f.context, TP_FRAGMENT, 0, source, NULL));
    use(&t, TP_FRAGMENT,
        ".interpolants position=xyw\n.regs 8\ninterp $r0 v[0x0]\ninterp $r1 v[0x4]\n"
        "mov b32 $r2 0\nmov b32 $r3 0\ncvt rzi s32 $r4 f32 $r0\nmov b32 $r5 1\n"
        "and b32 $c0 $r4 $r4 $r5\n"
        "(e $c0) texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n");
    fixture_draw(&t.f, TP_TRIANGLES, whole, 3);
    OK(&t.f, tp_finish(t.f.context));
    expect(&t, "divergent-derivative", "texauto",
           "differences within a quad whose lanes 0000000a have branched away", "pixel (0, 0)",
           SIZE * SIZE / 2);
    end(&t);
    tp_texture_destroy(source);
}

/* A fetch from a buffer with 8 texels. */
TEST(test_texels) {
    struct checked t;
    tp_buffer *buffer;
    begin(&t);
    static const float texels[8][4] = {{0}};
    OK(&t.f, tp_buffer_create(t.f.device, sizeof texels, texels, &buffer));
    OK(&t.f, tp_bind_buffer_texture(t.f.context, TP_FRAGMENT, 0, buffer, 0, TP_FORMAT_RGBA32F, 8));
    use(&t, TP_FRAGMENT,
        ".interpolants position=xw\ninterp $r0 v[0x0]\ncvt rzi s32 $r0 f32 $r0\n"
        "texfetch live $r0:$r1:$r2:$r3 $t0 $s0 $r0 0x0 0x0 0x0\nexit nop\n");
    fixture_draw(&t.f, TP_TRIANGLES, whole, 3);
    OK(&t.f, tp_finish(t.f.context));
    expect(&t, "texel-out-of-range", "texfetch",
           "fetches a texel at x = 8; level 0 of texture 0 has 8 there", "pixel (8, 0)",
           SIZE * SIZE / 2);
    end(&t);
    tp_buffer_destroy(buffer);
}
