/* Explains the colour of a pixel: the history of the pixel, and its fragment program, which is
 * stepped forwards, back, and on with another value. */
#include "example.h"

#include <teslapipe_debug.h>
#include <string.h>

enum { SIZE = 64 };

static const char vertex_program[] =
    ".attr 0 xyz\n.output position o[0x0]\nmov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
    "mov b32 o[0x8] a[0x8]\nmov b32 $r0 1.0\nexit mov b32 o[0xc] $r0\n";
static const char fragment_program[] =
    ".interpolants position=w\nmov b32 $r0 0.25\nadd f32 $r0 $r0 $r0\nmov b32 $r1 0.0\n"
    "mov b32 $r2 0.0\nmov b32 $r3 1.0\nexit nop\n";
/* Two triangles that cover the target, the second one behind the first. */
static const float corner[6][3] = {{-1, -1, 0.0f}, {3, -1, 0.0f}, {-1, 3, 0.0f},
                                   {-1, -1, 0.5f}, {3, -1, 0.5f}, {-1, 3, 0.5f}};

static float as_float(uint32_t word) {
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

/* Steps over an instruction that doubles $r0, goes back, and continues with another value. */
static void look(void *self, tp_debug_warp *warp, uint32_t lane) {
    uint32_t value;
    char text[64];
    ++*(int *)self;
    tp_debug_step(warp);
    tp_debug_instruction(warp, text, sizeof text);
    printf("%06x  %s\n", tp_debug_address(warp), text);
    expect(strncmp(text, "add", 3) == 0 && tp_debug_active(warp) >> lane & 1,
           "the second instruction");
    expect(tp_debug_read(warp, 0, lane, &value) && as_float(value) == 0.25f, "$r0 before");
    tp_debug_step(warp);
    expect(tp_debug_read(warp, 0, lane, &value) && as_float(value) == 0.5f, "$r0 after");
    tp_debug_goto(warp, 1);
    expect(tp_debug_read(warp, 0, lane, &value) && as_float(value) == 0.25f,
           "$r0 after going back");
    expect(tp_debug_write(warp, 0, lane, 0x3f800000), "a change");
    while (tp_debug_step(warp)) {
    }
    expect(tp_debug_read(warp, 0, lane, &value) && as_float(value) == 2.0f, "$r0 after the change");
    expect(!tp_debug_read(warp, 127, lane, &value), "a register that is not there");
}

int main(void) {
    static const struct tp_debug_pixel pixel = {.x = 20, .y = 30};
    static const struct tp_debug_place place = {.stage = TP_FRAGMENT, .x = 20, .y = 30};
    static const float black[4] = {0, 0, 0, 1};
    tp_debug_history *history;
    struct tp_debug_entry entry;
    size_t count;
    int looked = 0;
    tp_context *context = open_context();
    tp_texture *picture = make_texture(TP_FORMAT_RGBA8, SIZE, false);
    tp_texture *zeta = make_texture(TP_FORMAT_Z24S8, SIZE, false);
    tp_program *vp = use_program(context, TP_VERTEX, vertex_program);
    tp_program *fp = use_program(context, TP_FRAGMENT, fragment_program);
    tp_buffer *corners = make_buffer(sizeof corner, corner);
    check(tp_set_target(context, picture, zeta));
    check(tp_bind_vertices(context, 0, corners, 0, sizeof *corner, 0));
    check(tp_set_attribute(context, 0, 0, 0, 3, TP_FLOAT32));
    check(tp_set_depth(context,
                       &(struct tp_depth_state){.test = true, .write = true, .func = TP_LESS}));

    check(tp_debug_history_begin(context, &pixel, 1, &history));
    check(tp_debug_break(context, &place, look, &looked));
    check(tp_clear(context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH, black, 1, 0));
    check(tp_draw(context, &(struct tp_draw_info){.primitive = TP_TRIANGLES, .count = 6}));
    check(tp_debug_history_end(context));
    check(tp_debug_break(context, NULL, NULL, NULL));
    expect(looked > 0, "the fragment was not seen");

    check(tp_debug_history_count(history, 0, picture, &count));
    for (size_t i = 0; i < count; i++) {
        check(tp_debug_history_get(history, 0, picture, i, &entry));
        printf("draw %llu, primitive %u: %s\n", (unsigned long long)entry.draw, entry.primitive,
               entry.kind == TP_DEBUG_CLEAR ? "clear" : tp_debug_verdict_name(entry.verdict));
    }
    expect(count == 3, "a clear and two triangles");
    check(tp_debug_history_get(history, 0, picture, 1, &entry));
    expect(entry.verdict == TP_WRITTEN && as_float(entry.source[0]) == 0.5f && !entry.overwritten,
           "the first triangle is what is seen");
    check(tp_debug_history_get(history, 0, picture, 2, &entry));
    expect(entry.verdict == TP_ZETA_FAILED && entry.depth > entry.stored_depth &&
               entry.vertex_count == 3 && entry.vertex[0].number == 3,
           "the second is behind it");
    expect(tp_debug_history_get(history, 0, picture, 3, &entry) == TP_ERROR_INVALID,
           "there is no more");

    tp_debug_history_destroy(history);
    tp_buffer_destroy(corners);
    tp_program_destroy(fp);
    tp_program_destroy(vp);
    tp_texture_destroy(zeta);
    tp_texture_destroy(picture);
    tp_context_destroy(context);
    tp_device_destroy(device);
    return 0;
}
