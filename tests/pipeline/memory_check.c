/* The memory checker on draws: one planted fault of each kind that needs the pipeline, found at its
 * instruction, pixel or vertex; and draws without faults. */
#include "pipeline/debug/memory_check.h"
#include "tests/pipeline/fixture.h"
#include "tests/shader/text_rows.h"
#include "tests/shapes.h"

enum { SIZE = 16 };

#define AT(x, y) {x, y, 0, 1, 1, 1, 1, 1}
static const float whole[3][8] = {AT(-1, 1), AT(3, 1), AT(-1, -3)};

struct checked {
    struct fixture f;
    struct findings *findings;
    struct memory_check *check;
    uint64_t from; /* number of the last draw before the test */
};

/* Opens a fixture; the target is cleared under the checker. */
static void begin(struct checked *t) {
    fixture_open(&t->f, 1, NULL, SIZE);
    t->findings = findings_create();
    t->check = memory_check_create(t->findings, false);
    memory_check_watch(t->check, t->f.context);
    OK(&t->f, tp_clear(t->f.context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH, NULL, 1, 0));
}

static void end(struct checked *t) {
    assert_false(memory_check_incomplete(t->check));
    memory_check_leave(t->f.context);
    fixture_close(&t->f);
    memory_check_free(t->check);
    findings_free(t->findings);
}

/* A checked context, closed at the end of the C block. */
#define CHECKED(t, begin)                                                                          \
    struct checked t __attribute__((cleanup(end)));                                                \
    begin(&t)

static void use(struct checked *t, enum tp_stage stage, const char *text) {
    *(stage == TP_VERTEX ? &t->f.vp : &t->f.fp) = fixture_bind(&t->f, stage, text);
}

static void draw_whole(struct checked *t) {
    fixture_draw(&t->f, TP_TRIANGLES, whole, 3);
    OK(&t->f, tp_finish(t->f.context));
}

/* Expects exactly this finding, or none if kind is NULL. */
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
    CHECKED(t, begin);
    fixture_draw(&t.f, TP_TRIANGLES, whole, 3);
    fixture_read(&t.f);
    assert_int_equal(fixture_count(&t.f), SIZE * SIZE);
    expect(&t, NULL, "", "", "", 0);
}

/* Attribute 1 of vertex 3 lies behind the buffer's end. */
TEST(test_vertex_arrays) {
    CHECKED(t, begin);
    fixture_vertices(&t.f, whole, 3);
    OK(&t.f, tp_draw_arrays(t.f.context, TP_POINTS, 1, 3));
    OK(&t.f, tp_finish(t.f.context));
    assert_int_equal(findings_count(t.findings), 8); /* eight words, a finding for each word */
    const struct finding *f = findings_at(t.findings, 4);
    assert_string_equal(finding_name(f->kind), "vertex-array-out-of-range");
    assert_non_null(strstr(f->what, "attribute 1"));
    assert_non_null(strstr(f->text, "mov b32 o[0x10] a[0x10]"));
    assert_string_equal(f->where, "vertex 3, instance 0");
    assert_int_equal(f->lanes, 1 << 2);
}

TEST(test_index_buffers) {
    CHECKED(t, begin);
    fixture_vertices(&t.f, whole, 3);
    tp_buffer *index = fixture_buffer(&t.f, 4096, NULL);
    OK(&t.f, draw_begin(t.f.context, TP_POINTS, DRAW_INSTANCE_FIRST));
    OK(&t.f, draw_indices_memory(t.f.context, tp_buffer_address(index), 1024, 4));
    OK(&t.f, draw_end(t.f.context));
    expect(&t, NULL, "", "", "", 0);
    OK(&t.f, draw_begin(t.f.context, TP_POINTS, DRAW_INSTANCE_FIRST));
    OK(&t.f, draw_indices_memory(t.f.context, tp_buffer_address(index) + 4, 1 << 20, 4));
    OK(&t.f, draw_end(t.f.context));
    expect(&t, "index-buffer-out-of-range", "", "a draw of 1048576 indices; the index buffer has",
           "", 1);
}

TEST(test_feedback) {
    CHECKED(t, begin);
    tp_buffer *out = fixture_buffer(&t.f, 24, NULL);
    struct tp_stream_info info = {.interleaved = true, .stride = 4, .count = 1};
    info.stream[0].buffer = out;
    info.stream[0].size = 20;
    info.map[0] = 0x80;
    OK(&t.f, tp_set_streams(t.f.context, &info));
    fixture_draw(&t.f, TP_TRIANGLES, whole, 3);
    expect(&t, NULL, "", "", "", 0);
    OK(&t.f, tp_draw_arrays(t.f.context, TP_TRIANGLES, 0, 3));
    expect(&t, "feedback-full", "", "feedback of 1 primitives; the buffers take 0", "", 1);
}

/* The fragment program reads a word that the vertex program does not write. */
TEST(test_outputs) {
    CHECKED(t, begin);
    use(&t, TP_VERTEX,
        ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
        "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\n"
        "mov b32 o[0xc] a[0xc]\nmov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\n"
        "exit mov b32 o[0x1c] a[0x1c]\n");
    draw_whole(&t);
    expect(&t, "unwritten-output", "mov b32 o[0x1c]", "o[0x18] is read by later stages",
           "vertex 0, instance 0", 3);
}

/* An unwritten word that the fragment program does not read is no finding. */
TEST(test_unread_outputs) {
    CHECKED(t, begin);
    use(&t, TP_VERTEX,
        ".attr 0 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
        "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\n"
        "exit mov b32 o[0xc] a[0xc]\n");
    use(&t, TP_FRAGMENT,
        "mov b32 $r0 1.0\nmov b32 $r1 $r0\nmov b32 $r2 $r0\nmov b32 $r3 $r0\nexit nop\n");
    draw_whole(&t);
    expect(&t, NULL, "", "", "", 0);
}

/* A point size that the program does not write is a finding for points alone. */
TEST(test_point_sizes) {
    CHECKED(t, begin);
    use(&t, TP_VERTEX,
        ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
        ".output point_size o[0x20]\nmov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
        "mov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\nmov b32 o[0x10] a[0x10]\n"
        "mov b32 o[0x14] a[0x14]\nmov b32 o[0x18] a[0x18]\nexit mov b32 o[0x1c] a[0x1c]\n");
    draw_whole(&t);
    expect(&t, NULL, "", "", "", 0);
    fixture_draw(&t.f, TP_POINTS, whole, 3);
    OK(&t.f, tp_finish(t.f.context));
    expect(&t, "unwritten-output", "mov b32 o[0x1c]", "o[0x20] is read by later stages",
           "vertex 0, instance 0", 3);
}

TEST(test_results) {
    CHECKED(t, begin);
    use(&t, TP_FRAGMENT, ".regs 4\nmov b32 $r0 1.0\nmov b32 $r1 $r0\nmov b32 $r3 $r0\nexit nop\n");
    draw_whole(&t);
    expect(&t, "unwritten-output", "exit nop", "$r2 is a result of the program", "pixel (0, 0)",
           SIZE * SIZE);
}

static const char sample_fp[] =
    ".interpolants position=xyw\ninterp $r0 v[0x0]\ninterp $r1 v[0x4]\nmov b32 $r2 0.0625\n"
    "mul f32 $r0 $r0 $r2\nmul f32 $r1 $r1 $r2\n"
    "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n";

/* A texture is unwritten until it is drawn to, cleared or written. */
TEST(test_fresh_textures) {
    for (int way = 0; way < 4; way++) {
        static uint8_t texels[SIZE * SIZE * 4];
        CHECKED(t, begin);
        tp_texture *source = fixture_picture(&t.f, TP_FORMAT_RGBA8, SIZE, SIZE);
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
    }
}

/* Fetches read single texels: texels of a level or layer that was never written are reported. */
TEST(test_fresh_texels) {
    static const struct {
        enum tp_texture_kind kind;
        bool target_too; /* the fetched level or layer is cleared, too */
    } rows[] = {{TP_TEXTURE_2D, false},
                {TP_TEXTURE_2D, true},
                {TP_TEXTURE_2D_ARRAY, false},
                {TP_TEXTURE_2D_ARRAY, true}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const bool array = rows[i].kind == TP_TEXTURE_2D_ARRAY;
        const struct tp_texture_info info =
            TEXTURE_INFO(rows[i].kind, TP_FORMAT_RGBA8, 2 * SIZE, 2 * SIZE, .layers = array ? 3 : 0,
                         .levels = 2);
        CHECKED(t, begin);
        tp_context *const c = t.f.context;
        tp_texture *source = fixture_texture(&t.f, &info);
        for (uint32_t n = 0; n <= rows[i].target_too; n++) { /* level n, or layer n */
            const struct tp_target to = {
                .texture = source, .level = array ? 0 : n, .layer = array ? n : 0};
            OK(&t.f, tp_set_targets(c, 1, &to, NULL));
            OK(&t.f, tp_clear(c, TP_CLEAR_COLOR, NULL, 0, 0));
        }
        OK(&t.f, tp_set_target(c, t.f.color, NULL));
        OK(&t.f, tp_bind_texture(c, TP_FRAGMENT, 0, source, NULL));
        use(&t, TP_FRAGMENT,
            array
                ? ".interpolants position=xyw\ninterp $r0 v[0x0]\ninterp $r1 v[0x4]\n"
                  "cvt rzi s32 $r0 f32 $r0\ncvt rzi s32 $r1 f32 $r1\nmov b32 $r2 1\nmov b32 $r3 0\n"
                  "texfetch live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2:$r3 0x0 0x0 0x0\nexit nop\n"
                : ".interpolants position=xyw\ninterp $r0 v[0x0]\ninterp $r1 v[0x4]\n"
                  "cvt rzi s32 $r0 f32 $r0\ncvt rzi s32 $r1 f32 $r1\nmov b32 $r2 1\n"
                  "texfetch live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0\nexit nop\n");
        fixture_draw(&t.f, TP_TRIANGLES, whole, 3);
        OK(&t.f, tp_finish(c));
        expect(&t, rows[i].target_too ? NULL : "fresh-texture", "texfetch",
               array ? "fetches texel (0, 0, 1) of level 0 of texture 0"
                     : "fetches texel (0, 0, 0) of level 1 of texture 0",
               "pixel (0, 0)", SIZE * SIZE);
    }
}

static const char fermi_vp[] = "ld b128 $r0:$r1:$r2:$r3 a[0x80] 0x0\n"
                               "ld b128 $r4:$r5:$r6:$r7 a[0x90] 0x0\n"
                               "st b128 a[0x70] $r0:$r1:$r2:$r3 0x0\n"
                               "st b128 a[0x80] $r4:$r5:$r6:$r7 0x0\nexit\n";

/* Opens a Fermi device with its target. */
static void begin_fermi(struct checked *t) {
    memset(t, 0, sizeof *t);
    fixture_open_device(&t->f, (struct tp_device_info){.chip = TP_CHIP_GF100, .threads = 1});
    t->f.color = fixture_picture(&t->f, TP_FORMAT_RGBA8, SIZE, SIZE);
    OK(&t->f, tp_set_target(t->f.context, t->f.color, NULL));
    t->findings = findings_create();
    t->check = memory_check_create(t->findings, false);
    memory_check_watch(t->check, t->f.context);
    OK(&t->f, tp_clear(t->f.context, TP_CLEAR_COLOR, NULL, 1, 0));
}

/* Programs that sample a texture of two levels. Only the first level is cleared, of an array or
 * cube only its first layer. $r0 and $r1 are the coordinates; a pixel covers four texels. */
#define TEXLOD(lod)                                                                                \
    "mov b32 $r2 " lod "\ntexlod live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0\n"
#define TEXLOD4(second, lod)                                                                       \
    "mov b32 $r2 " second "\nmov b32 $r3 " lod                                                     \
    "\ntexlod live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2:$r3 0x0 0x0 0x0\n"
#define TEXGATHER                                                                                  \
    "mov b32 $r2 0x1\ntexgather live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0\n"
#define TEX(lod) "mov b32 $r2 " lod "\ntex p llod all dfp $r0:$r1:$r2:$r3 t2d $t0 $s0 $r0:$r1 $r2\n"
enum { CLEAN, PART, EVERYWHERE };
static const struct sampled {
    bool fermi;
    enum tp_texture_kind kind;
    enum tp_format format;
    struct tp_sampler_info sampler;
    const char *body;
    int found; /* CLEAN, in some lanes, or in all */
} samples[] = {
#define TESLA false, TP_TEXTURE_2D, TP_FORMAT_RGBA8
#define ARRAY(format) false, TP_TEXTURE_2D_ARRAY, TP_FORMAT_##format
#define DEPTH false, TP_TEXTURE_2D, TP_FORMAT_Z24S8
#define FERMI true, TP_TEXTURE_2D, TP_FORMAT_RGBA8
#define LINEAR .min = TP_FILTER_LINEAR, .mag = TP_FILTER_LINEAR
#define MIP .mip = TP_MIP_LINEAR
#define GREATER .compare = true, .compare_func = TP_GREATER
#define BORDER {TP_WRAP_CLAMP_TO_BORDER, TP_WRAP_CLAMP_TO_BORDER}
    {TESLA, {LINEAR}, TEXLOD("1.0"), CLEAN},
    {TESLA, {LINEAR, MIP}, TEXLOD("0.0"), CLEAN},
    {TESLA, {LINEAR, MIP}, TEXLOD("0.5"), EVERYWHERE},
    {TESLA, {LINEAR, .mip = TP_MIP_NEAREST}, TEXLOD("0.4"), CLEAN},
    {TESLA, {.mip = TP_MIP_NEAREST}, TEXLOD("0.6"), EVERYWHERE},
    {false, TP_TEXTURE_2D, TP_FORMAT_R32F, {LINEAR, MIP}, TEXLOD("0.01"), EVERYWHERE},
    {DEPTH, {LINEAR, GREATER}, TEXLOD4("0.5", "1.0"), CLEAN},
    {DEPTH, {LINEAR, MIP, GREATER}, TEXLOD4("0.5", "0.5"), EVERYWHERE},
    {DEPTH, {LINEAR, MIP, GREATER}, TEXLOD4("0.5", "0.0"), CLEAN},
    {ARRAY(RGBA8), {LINEAR}, TEXLOD4("0x0", "0.0"), CLEAN},
    {ARRAY(RGBA8), {LINEAR}, TEXLOD4("0x1", "0.0"), EVERYWHERE},
    /* the border is not a texel */
    {TESLA, {BORDER, LINEAR, .border = {1, 1, 1, 1}}, "add f32 $r0 $r0 0.5\n" TEXLOD("0.0"), CLEAN},
    {ARRAY(RGBA8), {LINEAR}, TEXGATHER, EVERYWHERE},
    {ARRAY(R32UI), {0}, TEXLOD4("0x0", "0.0"), CLEAN},
    {ARRAY(R32UI), {0}, TEXLOD4("0x1", "0.0"), EVERYWHERE},
    /* the layer is the rounded coordinate: layer 1 in the right half of the pixels */
    {ARRAY(RGBA8),
     {LINEAR},
     "cvt rni s32 $r2 f32 $r0\nmov b32 $r3 0x0\n"
     "texlod live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2:$r3 0x0 0x0 0x0\n",
     PART},
    {FERMI, {LINEAR, MIP}, TEX("0x0"), CLEAN},
    {FERMI, {LINEAR, MIP}, TEX("0x3f000000"), EVERYWHERE},
#undef LINEAR
};

static void clear_first_level(struct checked *t, tp_texture *source, bool depth) {
    const struct tp_target to = {.texture = source};
    OK(&t->f, depth ? tp_set_targets(t->f.context, 0, NULL, &to)
                    : tp_set_targets(t->f.context, 1, &to, NULL));
    OK(&t->f, tp_clear(t->f.context, depth ? TP_CLEAR_DEPTH : TP_CLEAR_COLOR, NULL, 0.5f, 0));
    OK(&t->f, tp_set_target(t->f.context, t->f.color, NULL));
}

static void sample_partly(const struct sampled *s) {
    const struct tp_texture_info info =
        TEXTURE_INFO(s->kind, s->format, 2 * SIZE, 2 * SIZE,
                     .layers = s->kind == TP_TEXTURE_2D ? 0 : 2, .levels = 2);
    static const float corners[3][8] = {
        {-1, 1, 0, 1, 0, 0}, {3, 1, 0, 1, 2, 0}, {-1, -3, 0, 1, 0, 2}};
    struct checked t;
    char text[1024];
    s->fermi ? begin_fermi(&t) : begin(&t);
    tp_texture *source = fixture_texture(&t.f, &info);
    clear_first_level(&t, source, s->format == TP_FORMAT_Z24S8);
    OK(&t.f, tp_bind_texture(t.f.context, TP_FRAGMENT, 0, source, &s->sampler));
    if (s->fermi)
        use(&t, TP_VERTEX, fermi_vp);
    snprintf(text, sizeof text, "%s%s%s",
             s->fermi ? "interp pass f32 $r0 a[0x80] 0x0 0x0\ninterp pass f32 $r1 a[0x84] 0x0 0x0\n"
                      : ".interpolants position=xyw\ninterp $r0 v[0x0]\ninterp $r1 v[0x4]\n"
                        "mov b32 $r2 0.0625\nmul f32 $r0 $r0 $r2\nmul f32 $r1 $r1 $r2\n",
             s->body, s->fermi ? "exit\n" : "exit nop\n");
    use(&t, TP_FRAGMENT, text);
    fixture_draw(&t.f, TP_TRIANGLES, s->fermi ? corners : whole, 3);
    OK(&t.f, tp_finish(t.f.context));
    expect(&t, s->found ? "fresh-texture" : NULL, "tex", "samples texture 0 at (",
           s->found == PART ? "pixel (8, 0)" : "pixel (0, 0)",
           s->found == PART ? SIZE * SIZE / 2 : SIZE * SIZE);
    end(&t);
}

/* The checker looks at each texel that a sample reads with a weight other than 0, and at no
 * other. */
TEST(test_sampled_texels) {
    for (size_t i = 0; i < LENGTH(samples); i++)
        sample_partly(&samples[i]);
}

/* Half of each quad samples with derivatives. A guard leaves out the other half. */
TEST(test_derivatives) {
    static uint8_t texels[SIZE * SIZE * 4];
    CHECKED(t, begin);
    tp_texture *source = fixture_picture(&t.f, TP_FORMAT_RGBA8, SIZE, SIZE);
    OK(&t.f, tp_texture_write(t.f.context, source, 0, 0, texels, 4 * SIZE));
    OK(&t.f, tp_bind_texture(t.f.context, TP_FRAGMENT, 0, source, NULL));
    use(&t, TP_FRAGMENT,
        ".interpolants position=xyw\n.regs 8\ninterp $r0 v[0x0]\ninterp $r1 v[0x4]\n"
        "mov b32 $r2 0\nmov b32 $r3 0\ncvt rzi s32 $r4 f32 $r0\nmov b32 $r5 1\n"
        "and b32 $c0 $r4 $r4 $r5\n"
        "(e $c0) texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n");
    draw_whole(&t);
    expect(&t, "divergent-derivative", "texauto",
           "differences within a quad whose lanes 0000000a have branched away", "pixel (0, 0)",
           SIZE * SIZE / 2);
}

/* A fetch from a buffer of 8 texels: texels behind the end are out of range. */
TEST(test_texels) {
    CHECKED(t, begin);
    static const float texels[8][4] = {{0}};
    tp_buffer *buffer = fixture_buffer(&t.f, sizeof texels, texels);
    OK(&t.f, tp_bind_buffer_texture(t.f.context, TP_FRAGMENT, 0, buffer, 0, TP_FORMAT_RGBA32F, 8));
    use(&t, TP_FRAGMENT,
        ".interpolants position=xw\ninterp $r0 v[0x0]\ncvt rzi s32 $r0 f32 $r0\n"
        "texfetch live $r0:$r1:$r2:$r3 $t0 $s0 $r0 0x0 0x0 0x0\nexit nop\n");
    draw_whole(&t);
    expect(&t, "texel-out-of-range", "texfetch",
           "fetches a texel at x = 8; level 0 of texture 0 has 8 there", "pixel (8, 0)",
           SIZE * SIZE / 2);
}

/* Makes a buffer for the draws. Its address is in c0[0x0] of the fragment program; image 0 lies in
 * the buffer. */
static void use_memory(struct checked *t) {
    enum { BYTES = 4096 };
    const uint64_t address = tp_buffer_address(fixture_buffer(&t->f, BYTES, NULL));
    OK(&t->f, tp_set_constants(t->f.context, TP_FRAGMENT, 0, &address, sizeof address));
    t->f.context->state.image[0] = (struct image_view){
        .address = address, .format = FORMAT_RGBA8_UNORM, .width = SIZE, .height = SIZE};
    state_touch(&t->f.context->state, GROUP_TEXTURE);
}

/* A row of findings/draws.txt: the draw has this finding alone. */
static void check_fault(struct text_row *r) {
    const bool is_fermi = r->target.variant == ISA_GF100;
    char kind[256], text[256], what[256], where[256];
    char *const second = strstr(r->text, " ;; ");
    struct checked t;
    is_fermi ? begin_fermi(&t) : begin(&t);
    if (is_fermi)
        use_memory(&t);
    if (second)
        *second = 0;
    use(&t, TP_VERTEX, second ? r->text : fermi_vp);
    use(&t, TP_FRAGMENT, second ? second + 4 : r->text);
    fixture_vertices(&t.f, whole, 3);
    tp_draw_arrays(t.f.context, TP_TRIANGLES, 0, 3);
    tp_finish(t.f.context);
    assert_true(result_column(r, 0, kind) && result_column(r, 1, text) &&
                result_column(r, 2, what) && result_column(r, 3, where));
    const struct finding *f = findings_count(t.findings) ? findings_at(t.findings, 0) : NULL;
    if (findings_count(t.findings) != 1 || strcmp(finding_name(f->kind), kind) ||
        !strstr(f->text, text) || !strstr(f->what, what) || strcmp(f->where, where)) {
        findings_print(t.findings, NULL, stderr);
        wrong(r, "other findings");
    }
    end(&t);
}

/* ---- races of a Fermi's draws ---- */

/* The programs and draws that findings/draws.txt names. */
#define FRAGMENT                                                                                   \
    "interp pass f32 $r4 a[0x70] 0x0 0x0\ninterp pass f32 $r5 a[0x74] 0x0 0x0\n"                   \
    "interp pass f32 $r6 a[0x80] 0x0 0x0\n"                                                        \
    "add f32 $r4 $r4 -0.5\nadd f32 $r5 $r5 -0.5\n"                                                 \
    "add f32 $r4 $r4 0x4b000000\nadd f32 $r5 $r5 0x4b000000\n"                                     \
    "and b32 $r4 $r4 0x1fff\nand b32 $r5 $r5 0x1fff\n"                                             \
    "ld b64 $r8d c0[0x0]\nshl b32 $r10 $r5 clamp 0x4\nadd b32 $r10 $r10 $r4\n"                     \
    "shl b32 $r10 $r10 clamp 0x2\nadd b32 $r10 $c $r10 $r8\nadd b32 $r11 $r9 0x0 $c\n"             \
    "mov b32 $r12 0x1\nmov b32 $r15 0x0\nmov b32 $r16 $r6\nmov b32 $r17 $r6\nmov b32 $r18 $r6\n"   \
    "mov b32 $r19 $r6\n"
#define RESULT "mov b32 $r0 0x0\nmov b32 $r1 $r0\nmov b32 $r2 $r0\nmov b32 $r3 $r0\nexit\n"

/* A row of findings/draws.txt: a fragment program that uses memory, for triangles over the whole
 * target. */
static void check_race(struct text_row *r) {
    char drawing[256], text[256], what[256], program[2048];
    assert_true(result_column(r, 0, drawing) && result_column(r, 1, text));
    const bool twice = !strncmp(drawing, "twice", 5), two_draws = !strcmp(drawing, "two draws"),
               races = result_column(r, 2, what);
    const float second = !strcmp(drawing, "twice equal") ? 1 : 0.5f;
    const float v[6][8] = {{-1, 1, 0, 1, 1},      {3, 1, 0, 1, 1},      {-1, -3, 0, 1, 1},
                           {-1, 1, 0, 1, second}, {3, 1, 0, 1, second}, {-1, -3, 0, 1, second}};
    CHECKED(t, begin_fermi);
    use_memory(&t);
    use(&t, TP_VERTEX, fermi_vp);
    snprintf(program, sizeof program, FRAGMENT "%s" RESULT, r->text);
    use(&t, TP_FRAGMENT, program);
    fixture_vertices(&t.f, v, 6);
    OK(&t.f, tp_draw_arrays(t.f.context, TP_TRIANGLES, 0, twice ? 6 : 3));
    if (two_draws)
        OK(&t.f, tp_draw_arrays(t.f.context, TP_TRIANGLES, 3, 3));
    OK(&t.f, tp_finish(t.f.context));
    const size_t n = findings_count(t.findings);
    const struct finding *f = n ? findings_at(t.findings, 0) : NULL;
    if (races ? n != 1 || f->kind != FINDING_RACE || !strstr(f->text, text) ||
                    !strstr(f->what, what) || strncmp(f->where, "pixel (", 7) != 0
              : n != 0) {
        findings_print(t.findings, NULL, stderr);
        wrong(r, "other findings");
    }
}

static void run_case(void **state) {
    const struct text_case *const of = *state;
    run_rows(of, !strcmp(of->name, "drawn_races") ? check_race : check_fault);
}

CASE_FILES("tests/shader/findings/draws.txt", run_case);

/* Vertices that write one word race. In a long draw a vertex may run several times; it does not
 * race with itself, even if it writes other values. */
TEST(test_races_of_vertices) {
    enum { INDICES = 3 * 4000 };
    static const float v[3][8] = {AT(-1, 1), AT(3, 1), AT(-1, -3)};
    static const char *const bodies[] = {
        "ld b32 $r10 a[0x2fc] 0x0\nst b32 wb g[$r8d+0x8] $r10\n",
        "mov b32 $r11 0x1\nld add u32 $r11 g[$r8d] $r11\nld b32 $r10 a[0x2fc] 0x0\n"
        "shl b32 $r10 $r10 clamp 0x2\nadd b32 $r8 $c $r8 $r10\nadd b32 $r9 $r9 0x0 $c\n"
        "st b32 wb g[$r8d+0x8] $r11\n"};
    static uint32_t indices[INDICES];
    for (uint32_t i = 0; i < INDICES; i++)
        indices[i] = i % 3;
    for (int own = 0; own < 2; own++) {
        tp_buffer *memory, *index;
        char text[1024];
        uint32_t runs = 0;
        CHECKED(t, begin_fermi);
        memory = fixture_buffer(&t.f, 256, NULL);
        index = fixture_buffer(&t.f, sizeof indices, indices);
        const uint64_t address = tp_buffer_address(memory);
        OK(&t.f, tp_set_constants(t.f.context, TP_VERTEX, 0, &address, sizeof address));
        snprintf(text, sizeof text, "ld b64 $r8d c0[0x0]\n%s%s", bodies[own], fermi_vp);
        use(&t, TP_VERTEX, text);
        use(&t, TP_FRAGMENT, RESULT);
        fixture_vertices(&t.f, v, 3);
        const struct tp_draw_info draw =
            DRAW_INFO(TP_TRIANGLES, INDICES, .index_buffer = index, .index_type = TP_INDEX_U32);
        OK(&t.f, tp_draw(t.f.context, &draw));
        OK(&t.f, tp_buffer_read(t.f.context, memory, 0, &runs, sizeof runs));
        assert_true(!own || runs > 3);
        assert_int_equal(findings_count(t.findings), !own);
        if (!own)
            assert_non_null(strstr(findings_at(t.findings, 0)->what, "which vertex 0 has written"));
    }
}

/* Threads of a grid race if they store to one texel, or if one stores to a texel that another one
 * loads. */
TEST(test_races_of_grids_with_images) {
    static const struct {
        const char *body, *text, *what;
    } rows[] = {
        {"sustb wb zero img[0x0] 2d $r4:$r5 b32 $r6\n", "sustb",
         "(0x1), which warp 0, lane 31 of block 0 has written (0x0)"},
        {"set $p0 0x1 eq u32 $r6 0x1\n(not $p0) suldb b32 $r7 ca zero img[0x0] 2d $r4:$r5\n"
         "$p0 sustb wb zero img[0x0] 2d $r4:$r5 b32 $r4\n",
         "sustb", "which warp 0, lane 31 of block 0 has read"},
        {"mov b32 $r5 $r6\nmov b32 $r4 $tidx\nshl b32 $r4 $r4 clamp 0x2\n"
         "sustb wb zero img[0x0] 2d $r4:$r5 b32 $r6\nsuldb b32 $r7 ca zero img[0x0] 2d $r4:$r5\n",
         NULL, ""}};
    static const uint32_t grid[3] = {2, 1, 1}, block[3] = {LANES, 1, 1};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[512];
        CHECKED(t, begin_fermi);
        tp_context *const c = t.f.context;
        tp_buffer *memory = fixture_buffer(&t.f, 8192, NULL);
        snprintf(text, sizeof text,
                 "mov b32 $r4 0x0\nmov b32 $r5 0x0\nmov b32 $r6 $ctaidx\n%sexit\n", rows[i].body);
        fixture_bind(&t.f, TP_COMPUTE, text);
        c->state.whole_memory = true;
        c->state.compute_image[0] = (struct image_view){.address = tp_buffer_address(memory),
                                                        .format = FORMAT_RGBA8_UNORM,
                                                        .width = LANES,
                                                        .height = 2};
        OK(&t.f, context_dispatch(c, grid, block, NULL, 0));
        assert_int_equal(findings_count(t.findings), rows[i].text != NULL);
        if (rows[i].text) {
            const struct finding *f = findings_at(t.findings, 0);
            assert_string_equal(finding_name(f->kind), "race");
            assert_non_null(strstr(f->text, rows[i].text));
            assert_non_null(strstr(f->what, rows[i].what));
            assert_true(f->launch);
        }
    }
}
