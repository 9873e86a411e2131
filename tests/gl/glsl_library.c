/* Draws the scene of glsl_scene.h with the library and programs of `teslapipe glsl`, and compares
 * the pixels with those of glsl_driver.c, bit for bit: glsl_library CHIP PIXELS. Compiled with
 * -include NAME.h -DGLSL=NAME_glsl, and -DTESSELLATION=NAME_tessellation if the program
 * tessellates. */
#include "glsl_scene.h"

#include <teslapipe_glsl.h>

static tp_device *device;
static tp_context *context;

static void need(enum tp_result result) {
    if (result == TP_OK)
        return;
    printf("%s\n", tp_message(device));
    exit(1);
}

static enum tp_chip chip_named(const char *name) {
    static const char *const names[] = {"g80", "g84", "g200", "mcp77", "gt215", "gf108"};
    unsigned i = 0;
    while (i < 5 && strcmp(names[i], name) != 0)
        i++;
    return (enum tp_chip)i;
}

static void set_uniforms(struct tp_glsl_state *state) {
    for (const struct tp_glsl_uniform *u = state->glsl->uniform; u->name; u++) {
        static uint32_t value[1024];
        for (uint32_t i = 0; i < u->count * u->columns * u->rows; i++)
            value[i] = scene_uniform(u->name, u->base, i);
        need(tp_glsl_set(state, u->name, value, u->count));
    }
}

/* A sampler's name begins with its kind of texture. */
static void set_textures(struct tp_glsl_state *state) {
    static uint32_t texels[SCENE_TEXTURE * SCENE_TEXTURE * SCENE_TEXTURE];
    const uint32_t n = SCENE_TEXTURE;
    for (const struct tp_glsl_sampler *s = state->glsl->sampler; s->name; s++)
        for (unsigned k = 0; k < s->count; k++) {
            char name[160];
            tp_texture *texture;
            snprintf(name, sizeof name, s->count > 1 ? "%s[%u]" : "%s", s->name, k);
            const bool depth = strncmp(name, "shadow", 6) == 0;
            struct tp_texture_info info = {.kind = TP_TEXTURE_2D,
                                           .format = depth ? TP_FORMAT_Z32F : TP_FORMAT_RGBA8,
                                           .width = n,
                                           .height = n};
            uint32_t layers = 1;
            if (strncmp(name, "volume", 6) == 0) {
                info.kind = TP_TEXTURE_3D;
                info.depth = layers = n;
            } else if (strncmp(name, "cube", 4) == 0) {
                info.kind = TP_TEXTURE_CUBE;
                layers = 6;
            } else if (strncmp(name, "array", 5) == 0) {
                info.kind = TP_TEXTURE_2D_ARRAY;
                info.layers = layers = n;
            }
            scene_texels(name, depth, n * n * n, texels);
            need(tp_texture_create(device, &info, &texture));
            for (uint32_t layer = 0; layer < layers; layer++)
                need(tp_texture_write(context, texture, 0, layer, texels + layer * n * n, n * 4));
            need(tp_glsl_bind_texture(context, state, name, texture,
                                      &(struct tp_sampler_info){.mag = TP_FILTER_LINEAR,
                                                                .min = TP_FILTER_LINEAR,
                                                                .compare = depth,
                                                                .compare_func = TP_LEQUAL}));
            tp_texture_destroy(texture);
        }
}

static void set_inputs(const struct tp_glsl *glsl) {
    unsigned array = 0;
    for (const struct tp_glsl_input *n = glsl->input; n->name; n++, array++) {
        uint32_t data[4 * SCENE_VERTICES];
        tp_buffer *buffer;
        const bool integer = strncmp(n->name, "i_", 2) == 0;
        for (uint32_t i = 0; i < 4 * SCENE_VERTICES; i++)
            data[i] = scene_input(n->name, integer, i / 4, i % 4);
        need(tp_buffer_create(device, sizeof data, data, &buffer));
        need(tp_bind_vertices(context, array, buffer, 0, 16, 0));
        need(
            tp_set_attribute(context, n->attribute, array, 0, 4, integer ? TP_SINT32 : TP_FLOAT32));
        tp_buffer_destroy(buffer);
    }
}

static unsigned compare_target(tp_texture *target, FILE *in, unsigned number) {
    static uint32_t want[SCENE_SIZE * SCENE_SIZE * 4], got[SCENE_SIZE * SCENE_SIZE * 4];
    unsigned covered = 0;
    need(tp_texture_read(context, target, 0, 0, got, SCENE_SIZE * 16));
    if (fread(want, sizeof want, 1, in) != 1)
        exit(2);
    for (unsigned i = 0; i < SCENE_SIZE * SCENE_SIZE * 4; i++) {
        covered += got[i] != 0;
        if (got[i] == want[i])
            continue;
        printf("target %u, pixel %u,%u, component %u: 0x%08x, the driver's is 0x%08x\n", number,
               i / 4 % SCENE_SIZE, i / 4 / SCENE_SIZE, i % 4, got[i], want[i]);
        exit(1);
    }
    return covered;
}

int main(int argc, char **argv) {
    struct tp_device_info info = {.chip = chip_named(argc > 2 ? argv[1] : "")};
    FILE *in = argc > 2 ? fopen(argv[2], "rb") : NULL;
    struct scene_head head;
    struct tp_glsl_state state;
    struct tp_target target[SCENE_TARGETS] = {{0}};
    const float half = SCENE_SIZE / 2;
    unsigned covered = 0;
    if (!in || fread(&head, sizeof head, 1, in) != 1 || head.targets > SCENE_TARGETS)
        return 2;
    need(tp_device_create(&info, &device));
    need(tp_context_create(device, &context));
    need(tp_glsl_create(device, &GLSL, &state));
    for (unsigned i = 0; i < head.targets; i++)
        need(tp_texture_create(device,
                               &(struct tp_texture_info){.kind = TP_TEXTURE_2D,
                                                         .format = TP_FORMAT_RGBA32F,
                                                         .width = SCENE_SIZE,
                                                         .height = SCENE_SIZE},
                               &target[i].texture));
    need(tp_set_targets(context, head.targets, target, NULL));
    need(tp_clear(context, TP_CLEAR_COLOR, (const float[4]){0}, 1, 0));
    /* in OpenGL's window row 0 is the lowest */
    need(tp_set_viewport_transform(context, 0, (const float[3]){half, half, 0.5f},
                                   (const float[3]){half, half, 0.5f}));
    need(tp_set_raster(context, &(struct tp_raster_state){.clip_distances = 1,
                                                          .front_clockwise = true,
                                                          .point_size = SCENE_POINT,
                                                          .point_sprite = true,
                                                          .sprite_lower_left = true}));
    set_uniforms(&state);
    set_textures(&state);
    set_inputs(&GLSL);
    need(tp_glsl_bind(context, &state));
#ifdef TESSELLATION
    need(tp_set_tessellation(context, &TESSELLATION));
#endif
    need(tp_draw(context, &(struct tp_draw_info){.primitive = (enum tp_primitive)head.mode,
                                                 .first = SCENE_FIRST,
                                                 .count = SCENE_COUNT,
                                                 .instances = SCENE_INSTANCES}));
    need(tp_finish(context));
    for (unsigned i = 0; i < head.targets; i++)
        covered += compare_target(target[i].texture, in, i);
    if (covered < 300)
        printf("only %u words are not 0\n", covered);
    return covered < 300;
}
