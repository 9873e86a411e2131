/* A mesh with indices, a depth buffer and a mipmapped texture: a floor of 8 x 8 squares that runs
 * to the horizon.
 */
#include "example.h"

enum { SIZE = 256, CELLS = 8, ROW = CELLS + 1 };

static const char vertex_program[] =
    ".attr 0 xyzw\n.attr 1 xy\n.output position o[0x0]\n.output varying o[0x10] 2\n"
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
    "mov b32 o[0x10] a[0x10]\nexit mov b32 o[0x14] a[0x14]\n";
static const char fragment_program[] =
    ".interpolants position=w smooth=2\ninterp $r3 v[0x0]\nrcp f32 $r3 $r3\n"
    "interp $r0 v[0x4] $r3\ninterp $r1 v[0x8] $r3\n"
    "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n";

int main(int argc, char **argv) {
    struct {
        float position[4], texcoord[2];
    } vertex[ROW * ROW];
    uint16_t index[CELLS * CELLS * 6];
    uint32_t texel[64 * 64];
    for (int i = 0; i < ROW * ROW; i++) { /* clip space: w grows with the distance */
        const float across = 2.0f * (float)(i % ROW) / CELLS - 1, depth = 1 + (float)(i / ROW);
        const float position[4] = {4 * across, -1, depth - 0.9f, depth};
        for (int k = 0; k < 4; k++)
            vertex[i].position[k] = position[k];
        vertex[i].texcoord[0] = 4 * across;
        vertex[i].texcoord[1] = depth;
    }
    for (int i = 0; i < CELLS * CELLS; i++) {
        const int corner = i / CELLS * ROW + i % CELLS;
        const int of[6] = {0, 1, ROW, ROW, 1, ROW + 1};
        for (int k = 0; k < 6; k++)
            index[6 * i + k] = (uint16_t)(corner + of[k]);
    }
    for (int i = 0; i < 64 * 64; i++)
        texel[i] = (i / 32 + i / 64 / 32) % 2 ? 0xffe0e0e0 : 0xff803010;

    tp_context *context = open_context();
    tp_texture *color = make_texture(TP_FORMAT_RGBA8, SIZE, false);
    tp_texture *depth = make_texture(TP_FORMAT_Z24S8, SIZE, false);
    tp_texture *checker = make_texture(TP_FORMAT_RGBA8, 64, true);
    check(tp_texture_write(context, checker, 0, 0, texel, 64 * 4));
    check(tp_texture_generate_mipmaps(context, checker));
    tp_program *vp = use_program(context, TP_VERTEX, vertex_program);
    tp_program *fp = use_program(context, TP_FRAGMENT, fragment_program);
    tp_buffer *vertices = make_buffer(sizeof vertex, vertex);
    tp_buffer *indices = make_buffer(sizeof index, index);

    check(tp_set_target(context, color, depth));
    check(tp_clear(context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH, NULL, 1, 0));
    check(tp_set_depth(context,
                       &(struct tp_depth_state){.test = true, .write = true, .func = TP_LESS}));
    check(tp_bind_texture(context, TP_FRAGMENT, 0, checker,
                          &(struct tp_sampler_info){.mag = TP_FILTER_LINEAR,
                                                    .min = TP_FILTER_LINEAR,
                                                    .mip = TP_MIP_LINEAR,
                                                    .max_anisotropy = 8}));
    check(tp_bind_vertices(context, 0, vertices, 0, sizeof *vertex, 0));
    check(tp_set_attribute(context, 0, 0, 0, 4, TP_FLOAT32));
    check(tp_set_attribute(context, 1, 0, 16, 2, TP_FLOAT32));
    check(tp_draw(context, &(struct tp_draw_info){.primitive = TP_TRIANGLES,
                                                  .count = CELLS * CELLS * 6,
                                                  .index_buffer = indices,
                                                  .index_type = TP_INDEX_U16}));
    uint8_t *rgba = read_picture(context, color, argc > 1 ? argv[1] : NULL);
    expect(rgba[3] == 0, "sky above");
    expect(rgba[4 * (SIZE * SIZE - SIZE / 2) + 3] == 255, "floor below");

    free(rgba);
    tp_buffer_destroy(vertices), tp_buffer_destroy(indices);
    tp_program_destroy(vp), tp_program_destroy(fp);
    tp_texture_destroy(color), tp_texture_destroy(depth), tp_texture_destroy(checker);
    tp_context_destroy(context), tp_device_destroy(device);
}
