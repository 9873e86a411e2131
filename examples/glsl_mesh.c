/* A textured, lit, shadowed mesh: a knot over a floor. Its four programs are GLSL (examples/glsl).
 * The headers glsl_mesh_programs.h and glsl_shadow_programs.h were made by
 *     teslapipe glsl glsl/mesh.vert glsl/mesh.frag --name glsl_mesh_programs -o .
 *     teslapipe glsl glsl/shadow.vert glsl/shadow.frag --name glsl_shadow_programs -o .
 * The first draw makes a shadow map: depths as the light sees them. The second draws the picture;
 * its fragments compare their depths with the shadow map.
 * Build: cc glsl_mesh.c $(pkg-config --cflags --libs teslapipe) -lm
 */
#include "example.h"

#include "glsl_mesh_programs.h"
#include "glsl_shadow_programs.h"

#include <math.h>

enum {
    SIZE = 512,
    SHADOW = 512,
    ALONG = 240, /* steps along the knot, and around its tube */
    AROUND = 20,
    KNOT = (ALONG + 1) * (AROUND + 1),
    INDICES = ALONG * AROUND * 6 + 6
};

struct vertex {
    float position[3], normal[3], texcoord[2];
};
static const float up[3] = {0, 1, 0};
static struct vertex vertex[KNOT + 4];
static uint16_t corner_index[INDICES];

static void subtract(float out[3], const float a[3], const float b[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

static void cross(float out[3], const float a[3], const float b[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void normalize(float v[3]) {
    const float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++)
        v[i] /= length;
}

/* Makes the matrix of a view from `eye` to `at`. tangent: the tangent of half the angle of view.
 * near and far limit the depths. */
static void look(float m[16], const float eye[3], const float at[3], float tangent, float near,
                 float far) {
    float axis[3][3];
    subtract(axis[2], eye, at);
    normalize(axis[2]);
    cross(axis[0], up, axis[2]);
    normalize(axis[0]);
    cross(axis[1], axis[2], axis[0]);
    for (int column = 0; column < 4; column++) {
        float view[3] = {0, 0, 0}; /* rows of the rotation, and the translation by the eye */
        for (int row = 0; row < 3; row++)
            for (int i = 0; i < 3; i++)
                view[row] += column < 3 ? axis[row][i] * (i == column) : -axis[row][i] * eye[i];
        m[4 * column] = view[0] / tangent;
        m[4 * column + 1] = view[1] / tangent;
        m[4 * column + 2] =
            -view[2] * (far + near) / (far - near) - (column == 3) * 2 * far * near / (far - near);
        m[4 * column + 3] = -view[2];
    }
}

static void knot_point(float out[3], float t) {
    const float r = 1.6f + 0.6f * cosf(3 * t);
    out[0] = r * cosf(2 * t);
    out[1] = 1.35f + 0.6f * sinf(3 * t);
    out[2] = r * sinf(2 * t);
}

static void make_knot(void) {
    for (int i = 0; i < KNOT; i++) {
        const float turn = 6.2831853f, t = turn * (float)(i / (AROUND + 1)) / ALONG;
        const float a = turn * (float)(i % (AROUND + 1)) / AROUND;
        float here[3], ahead[3], side[3], other[3];
        struct vertex *v = &vertex[i];
        knot_point(here, t);
        knot_point(ahead, t + 0.01f);
        subtract(ahead, ahead, here);
        normalize(ahead);
        cross(side, ahead, up);
        normalize(side);
        cross(other, side, ahead);
        for (int k = 0; k < 3; k++) {
            v->normal[k] = cosf(a) * side[k] + sinf(a) * other[k];
            v->position[k] = here[k] + 0.33f * v->normal[k];
        }
        v->texcoord[0] = 24 * t / turn;
        v->texcoord[1] = 2 * a / turn;
    }
    for (int i = 0; i < ALONG * AROUND; i++) {
        const int corner = i / AROUND * (AROUND + 1) + i % AROUND;
        const int of[6] = {0, 1, AROUND + 1, AROUND + 1, 1, AROUND + 2};
        for (int k = 0; k < 6; k++)
            corner_index[6 * i + k] = (uint16_t)(corner + of[k]);
    }
}

static void make_floor(void) {
    for (int i = 0; i < 4; i++) {
        const float x = i & 1 ? 6 : -6, z = i & 2 ? 6 : -6;
        vertex[KNOT + i] = (struct vertex){{x, 0, z}, {0, 1, 0}, {x / 2, z / 2}};
    }
    for (int i = 0; i < 6; i++)
        corner_index[INDICES - 6 + i] = (uint16_t)(KNOT + (int[]){0, 2, 1, 1, 2, 3}[i]);
}

static void draw(tp_context *context, tp_buffer *indices) {
    check(tp_draw(context, &(struct tp_draw_info){.primitive = TP_TRIANGLES,
                                                  .count = INDICES,
                                                  .index_buffer = indices,
                                                  .index_type = TP_INDEX_U16}));
}

int main(int argc, char **argv) {
    static const float eye[3] = {3.2f, 4.2f, 4.6f}, lamp[3] = {-3.5f, 7, 2.5f},
                       at[3] = {0, 0.9f, 0};
    static uint32_t texel[64 * 64];
    float camera[16], light[16];
    struct tp_glsl_state mesh, shadow;
    for (int i = 0; i < 64 * 64; i++)
        texel[i] = (i / 32 + i / 64 / 32) % 2 ? 0xffd8e8f0 : 0xff4a6fc0;
    make_knot();
    make_floor();
    look(camera, eye, at, 0.55f, 1, 20);
    look(light, lamp, at, 0.6f, 3, 16);

    tp_context *context = open_context();
    tp_texture *color = make_texture(TP_FORMAT_RGBA8, SIZE, false);
    tp_texture *depth = make_texture(TP_FORMAT_Z24S8, SIZE, false);
    tp_texture *shadow_map = make_texture(TP_FORMAT_Z32F, SHADOW, false);
    tp_texture *picture = make_texture(TP_FORMAT_RGBA8, 64, true);
    check(tp_texture_write(context, picture, 0, 0, texel, 64 * 4));
    check(tp_texture_generate_mipmaps(context, picture));
    tp_buffer *vertices = make_buffer(sizeof vertex, vertex);
    tp_buffer *indices = make_buffer(sizeof corner_index, corner_index);
    check(tp_bind_vertices(context, 0, vertices, 0, sizeof *vertex, 0));
    check(tp_set_depth(context, &(struct tp_depth_state){true, true, TP_LESS, false, 0, 0}));

    /* Draws the light's depths, with OpenGL's direction of rows, so that the texture coordinates of
     * the GLSL are right. The polygon offset keeps surfaces out of their own shadow. */
    check(tp_glsl_create(device, &glsl_shadow_programs_glsl, &shadow));
    check(tp_set_targets(context, 0, NULL, &(struct tp_target){.texture = shadow_map}));
    check(tp_set_viewport_transform(context, 0, (float[]){SHADOW / 2, SHADOW / 2, 0.5f},
                                    (float[]){SHADOW / 2, SHADOW / 2, 0.5f}));
    check(tp_set_raster(context, &(struct tp_raster_state){
                                     .offset_fill = true, .offset_factor = 2, .offset_units = 4}));
    check(tp_clear(context, TP_CLEAR_DEPTH, NULL, 1, 0));
    check(tp_glsl_set(&shadow, "light_matrix", light, 1));
    check(tp_glsl_bind(context, &shadow));
    check(tp_set_attribute(context, GLSL_SHADOW_PROGRAMS_IN_POSITION, 0, 0, 3, TP_FLOAT32));
    draw(context, indices);

    check(tp_glsl_create(device, &glsl_mesh_programs_glsl, &mesh));
    check(tp_set_target(context, color, depth));
    check(tp_set_raster(context, &(struct tp_raster_state){0}));
    check(tp_clear(context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH, (float[]){0.05f, 0.06f, 0.09f, 1}, 1,
                   0));
    check(tp_glsl_set(&mesh, "camera_matrix", camera, 1));
    check(tp_glsl_set(&mesh, "light_matrix", light, 1));
    check(tp_glsl_set(&mesh, "light.place", lamp, 1));
    check(tp_glsl_set(&mesh, "light.color", (float[]){1, 0.95f, 0.85f}, 1));
    check(tp_glsl_set(&mesh, "eye", eye, 1));
    check(tp_glsl_set(&mesh, "ambient", (float[]){0.18f, 0.2f, 0.26f}, 1));
    check(tp_glsl_bind_texture(context, &mesh, "picture", picture,
                               &(struct tp_sampler_info){.mag = TP_FILTER_LINEAR,
                                                         .min = TP_FILTER_LINEAR,
                                                         .mip = TP_MIP_LINEAR,
                                                         .max_anisotropy = 8}));
    check(tp_glsl_bind_texture(context, &mesh, "shadow_map", shadow_map,
                               &(struct tp_sampler_info){.mag = TP_FILTER_LINEAR,
                                                         .min = TP_FILTER_LINEAR,
                                                         .compare = true,
                                                         .compare_func = TP_LEQUAL}));
    check(tp_glsl_bind(context, &mesh));
    check(tp_set_attribute(context, GLSL_MESH_PROGRAMS_IN_POSITION, 0, 0, 3, TP_FLOAT32));
    check(tp_set_attribute(context, GLSL_MESH_PROGRAMS_IN_NORMAL, 0, 12, 3, TP_FLOAT32));
    check(tp_set_attribute(context, GLSL_MESH_PROGRAMS_IN_TEXCOORD, 0, 24, 2, TP_FLOAT32));
    draw(context, indices);
    uint8_t *rgba = read_picture(context, color, argc > 1 ? argv[1] : NULL);
    expect(rgba[4 * 5] < 30, "background in the corner");

    free(rgba);
    tp_glsl_destroy(&mesh), tp_glsl_destroy(&shadow);
    tp_buffer_destroy(vertices), tp_buffer_destroy(indices);
    tp_texture_destroy(color), tp_texture_destroy(depth);
    tp_texture_destroy(shadow_map), tp_texture_destroy(picture);
    tp_context_destroy(context), tp_device_destroy(device);
}
