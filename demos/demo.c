/* The list of scenes, and their helpers (demos/demo.h): opening and closing, finding data files,
 * making objects that live as long as the scene, common state, a camera, sky and stars. Uses the
 * public API only.
 */
#include "demos/demo.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct demo_scene demo_triangle, demo_teapot, demo_model, demo_mandelbrot,
    demo_checker, demo_grass, demo_explode, demo_wave, demo_lights, demo_terrain, demo_particles,
    demo_glass, demo_shadow, demo_mirror, demo_deferred, demo_cube, demo_volume, demo_smoke,
    demo_nbody;

/* The scenes in the order of the viewer. */
const struct demo_scene *const demo_scenes[] = {
    &demo_triangle, &demo_teapot,   &demo_model,     &demo_mandelbrot, &demo_checker,
    &demo_grass,    &demo_explode,  &demo_wave,      &demo_lights,     &demo_shadow,
    &demo_mirror,   &demo_deferred, &demo_cube,      &demo_volume,     &demo_smoke,
    &demo_nbody,    &demo_terrain,  &demo_particles, &demo_glass,
};
const int demo_scene_count = sizeof demo_scenes / sizeof *demo_scenes;

struct demo_owned {
    struct demo_owned *next;
    void (*destroy)(void *object);
    void *object;
};

const struct demo_scene *demo_find(const char *name) {
    for (int i = 0; i < demo_scene_count; i++)
        if (strcmp(demo_scenes[i]->name, name) == 0)
            return demo_scenes[i];
    return NULL;
}

bool demo_fail(struct demo *demo, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(demo->message, sizeof demo->message, format, args);
    va_end(args);
    return false;
}

bool demo_check(struct demo *demo, enum tp_result result) {
    return result == TP_OK || demo_fail(demo, "%s", tp_message(demo->device));
}

bool demo_open(struct demo *demo, tp_device *device, const struct demo_scene *scene,
               const struct demo_options *options) {
    *demo = (struct demo){.device = device, .scene = scene};
    if (options)
        demo->options = *options;
    TRY(demo, tp_context_create(device, &demo->context));
    if (demo->options.opened)
        demo->options.opened(demo->options.self, demo->context);
    demo->state = demo_memory(demo, scene->state_size);
    return demo->state && scene->init(demo);
}

bool demo_draw(struct demo *demo, const struct demo_frame *frame) {
    TRY(demo, tp_set_target(demo->context, frame->color, frame->zeta));
    return demo->scene->frame(demo, frame);
}

void demo_close(struct demo *demo) {
    tp_context_destroy(demo->context);
    while (demo->owned) {
        struct demo_owned *next = demo->owned->next;
        demo->owned->destroy(demo->owned->object);
        free(demo->owned);
        demo->owned = next;
    }
    demo->context = NULL;
    demo->state = NULL;
}

/* ---- Objects ------------------------------------------------------------------------------ */

static void destroy_program(void *object) {
    tp_program_destroy(object);
}

static void destroy_buffer(void *object) {
    tp_buffer_destroy(object);
}

static void destroy_texture(void *object) {
    tp_texture_destroy(object);
}

/* Returns the object, which the scene then owns. NULL: out of memory; the object is destroyed. */
static void *own(struct demo *demo, void (*destroy)(void *), void *object) {
    struct demo_owned *o = object ? malloc(sizeof *o) : NULL;
    if (!o) {
        if (object)
            destroy(object);
        demo_fail(demo, "%s: out of memory", demo->scene->name);
        return NULL;
    }
    *o = (struct demo_owned){demo->owned, destroy, object};
    demo->owned = o;
    return object;
}

void *demo_memory(struct demo *demo, size_t size) {
    return own(demo, free, calloc(1, size ? size : 1));
}

static bool on_fermi(const struct demo *demo) {
    return demo->scene->chip == TP_CHIP_GF100;
}

tp_program *demo_program(struct demo *demo, const char *file) {
    char name[256], path[4096];
    snprintf(name, sizeof name, "programs/%s%s", on_fermi(demo) ? "fermi/" : "", file);
    tp_program *program = NULL;
    if (!demo_find_data(name, path, sizeof path)) {
        demo_fail(demo,
                  "%s: program file %s not found (set TESLAPIPE_DATA to the folder that has "
                  "programs/ and models/)",
                  demo->scene->name, name);
        return NULL;
    }
    if (!demo_check(demo, tp_program_from_file(demo->device, path, &program)))
        return NULL;
    return own(demo, destroy_program, program);
}

tp_buffer *demo_buffer(struct demo *demo, const void *data, size_t size) {
    tp_buffer *buffer = NULL;
    if (!demo_check(demo, tp_buffer_create(demo->device, size, data, &buffer)))
        return NULL;
    return own(demo, destroy_buffer, buffer);
}

static size_t texel_size(enum tp_format format) {
    return format == TP_FORMAT_RGBA32F ? 16 : format == TP_FORMAT_R8 ? 1 : 4;
}

tp_texture *demo_make_texture(struct demo *demo, const struct tp_texture_info *info) {
    tp_texture *texture = NULL;
    if (!demo_check(demo, tp_texture_create(demo->device, info, &texture)))
        return NULL;
    return own(demo, destroy_texture, texture);
}

static void destroy_now(struct demo *demo, void *object) {
    for (struct demo_owned **o = &demo->owned; *o; o = &(*o)->next)
        if ((*o)->object == object) {
            struct demo_owned *gone = *o;
            *o = gone->next;
            gone->destroy(gone->object);
            free(gone);
            return;
        }
}

bool demo_fit_texture(struct demo *demo, tp_texture **texture, const struct tp_texture_info *info) {
    if (*texture) {
        const struct tp_texture_info *old = tp_texture_get_info(*texture);
        if (old->kind == info->kind && old->format == info->format && old->width == info->width &&
            old->height == info->height && old->samples == info->samples)
            return true;
        destroy_now(demo, *texture);
    }
    return (*texture = demo_make_texture(demo, info));
}

tp_texture *demo_target(struct demo *demo, enum tp_format format, uint32_t width, uint32_t height) {
    return demo_make_texture(
        demo, &(struct tp_texture_info){
                  .kind = TP_TEXTURE_2D, .format = format, .width = width, .height = height});
}

static tp_texture *filled(struct demo *demo, const struct tp_texture_info *info,
                          const uint8_t *texels) {
    const size_t pitch = info->width * texel_size(info->format);
    tp_texture *texture = demo_make_texture(demo, info);
    for (uint32_t z = 0; texture && (z < info->depth || z == 0); z++)
        if (!demo_check(demo, tp_texture_write(demo->context, texture, 0, z,
                                               texels + z * info->height * pitch, pitch)))
            return NULL;
    if (texture && info->mipmaps &&
        !demo_check(demo, tp_texture_generate_mipmaps(demo->context, texture)))
        return NULL;
    return texture;
}

tp_texture *demo_texture(struct demo *demo, enum tp_format format, uint32_t width, uint32_t height,
                         bool mipmaps, const void *texels) {
    const struct tp_texture_info info = {TP_TEXTURE_2D, format, width, height, .mipmaps = mipmaps};
    return filled(demo, &info, texels);
}

tp_texture *demo_texture_3d(struct demo *demo, enum tp_format format, uint32_t width,
                            uint32_t height, uint32_t depth, bool mipmaps, const void *texels) {
    const struct tp_texture_info info = {TP_TEXTURE_3D, format, width,
                                         height,        depth,  .mipmaps = mipmaps};
    return filled(demo, &info, texels);
}

bool demo_load_pass(struct demo *demo, struct demo_pass *pass, const char *vp, const char *gp,
                    const char *fp) {
    return (pass->vp = demo_program(demo, vp)) && (!gp || (pass->gp = demo_program(demo, gp))) &&
           (pass->fp = demo_program(demo, fp));
}

bool demo_use_pass(struct demo *demo, const struct demo_pass *pass, const void *constants,
                   uint32_t size) {
    TRY(demo, tp_bind_program(demo->context, TP_VERTEX, pass->vp));
    TRY(demo, tp_bind_program(demo->context, TP_GEOMETRY, pass->gp));
    TRY(demo, tp_bind_program(demo->context, TP_FRAGMENT, pass->fp));
    if (on_fermi(demo)) {
        TRY(demo, tp_bind_program(demo->context, TP_TESS_CONTROL, pass->tcp));
        TRY(demo, tp_bind_program(demo->context, TP_TESS_EVALUATION, pass->tep));
    }
    return !size || demo_constants(demo, pass, constants, size);
}

bool demo_constants(struct demo *demo, const struct demo_pass *pass, const void *data,
                    uint32_t size) {
    TRY(demo, tp_set_constants(demo->context, TP_VERTEX, 0, data, size));
    if (pass->gp)
        TRY(demo, tp_set_constants(demo->context, TP_GEOMETRY, 0, data, size));
    if (pass->tcp)
        TRY(demo, tp_set_constants(demo->context, TP_TESS_CONTROL, 0, data, size));
    if (pass->tep)
        TRY(demo, tp_set_constants(demo->context, TP_TESS_EVALUATION, 0, data, size));
    TRY(demo, tp_set_constants(demo->context, TP_FRAGMENT, 0, data, size));
    return true;
}

/* ---- Data files --------------------------------------------------------------------------- */

/* Writes the folder of the running program, without a slash at the end; "." if unknown. */
static void program_folder(char *folder, size_t size) {
    ssize_t n = readlink("/proc/self/exe", folder, size - 1);
    if (n > 0) {
        folder[n] = '\0';
        char *slash = strrchr(folder, '/');
        if (slash && slash != folder) {
            *slash = '\0';
            return;
        }
    }
    snprintf(folder, size, ".");
}

bool demo_find_data(const char *file, char *path, size_t path_size) {
    const char *chosen = getenv("TESLAPIPE_DATA");
    if (chosen && *chosen)
        return (size_t)snprintf(path, path_size, "%s/%s", chosen, file) < path_size &&
               access(path, R_OK) == 0;
    static const char *const near_binary[] = {"../demos", "../../demos", "../share/teslapipe"};
    char folder[2048];
    program_folder(folder, sizeof folder);
    for (size_t i = 0; i < sizeof near_binary / sizeof *near_binary; i++)
        if ((size_t)snprintf(path, path_size, "%s/%s/%s", folder, near_binary[i], file) <
                path_size &&
            access(path, R_OK) == 0)
            return true;
#ifdef TP_DATA_DIR
    if ((size_t)snprintf(path, path_size, "%s/%s", TP_DATA_DIR, file) < path_size &&
        access(path, R_OK) == 0)
        return true;
#endif
    return (size_t)snprintf(path, path_size, "demos/%s", file) < path_size &&
           access(path, R_OK) == 0;
}

/* ---- State -------------------------------------------------------------------------------- */

bool demo_vertices(struct demo *demo, tp_buffer *buffer, const unsigned *components,
                   unsigned count) {
    uint32_t offset = 0;
    for (unsigned i = 0; i < count; i++) {
        TRY(demo, tp_set_attribute(demo->context, i, 0, offset, components[i], TP_FLOAT32));
        offset += 4 * components[i];
    }
    TRY(demo, tp_bind_vertices(demo->context, 0, buffer, 0, offset, 0));
    return true;
}

bool demo_draw_vertices(struct demo *demo, tp_buffer *buffer, const unsigned *components,
                        unsigned count, enum tp_primitive primitive, uint32_t vertices) {
    if (!demo_vertices(demo, buffer, components, count))
        return false;
    TRY(demo, tp_draw_arrays(demo->context, primitive, 0, vertices));
    return true;
}

bool demo_bind_pair(struct demo *demo, tp_buffer *first, tp_buffer *second) {
    TRY(demo, tp_bind_vertices(demo->context, 0, first, 0, 32, 0));
    TRY(demo, tp_bind_vertices(demo->context, 1, second, 0, 32, 0));
    for (unsigned i = 0; i < 4; i++)
        TRY(demo, tp_set_attribute(demo->context, i, i / 2, 16 * (i & 1), 4, TP_FLOAT32));
    return true;
}

#define LINEAR .mag = TP_FILTER_LINEAR, .min = TP_FILTER_LINEAR
const struct tp_sampler_info demo_linear = {LINEAR};
const struct tp_sampler_info demo_trilinear = {LINEAR, .mip = TP_MIP_LINEAR};
const struct tp_sampler_info demo_sharp = {LINEAR, .mip = TP_MIP_LINEAR, .max_anisotropy = 8};
const struct tp_sampler_info demo_inside = {
    .wrap = {TP_WRAP_CLAMP_TO_EDGE, TP_WRAP_CLAMP_TO_EDGE, TP_WRAP_CLAMP_TO_EDGE}, LINEAR};
const struct tp_blend_target demo_blend_add = {.enable = true,
                                               .src_rgb = TP_FACTOR_ONE,
                                               .dst_rgb = TP_FACTOR_ONE,
                                               .src_alpha = TP_FACTOR_ZERO,
                                               .dst_alpha = TP_FACTOR_ONE};
const struct tp_blend_target demo_blend_over = {.enable = true,
                                                .src_rgb = TP_FACTOR_ONE,
                                                .dst_rgb = TP_ONE_MINUS_SRC_ALPHA,
                                                .src_alpha = TP_FACTOR_ONE,
                                                .dst_alpha = TP_ONE_MINUS_SRC_ALPHA};

bool demo_raster(struct demo *demo, const struct demo_frame *frame, struct tp_raster_state state) {
    if (frame->wireframe) {
        state.polygon_front = TP_POLYGON_LINE;
        state.polygon_back = TP_POLYGON_LINE;
    }
    TRY(demo, tp_set_raster(demo->context, &state));
    return true;
}

bool demo_clear(struct demo *demo, struct vec3 color) {
    const float encoded[4] = {sqrtf(color.x), sqrtf(color.y), sqrtf(color.z), 1};
    const unsigned all = TP_CLEAR_COLOR | TP_CLEAR_DEPTH | TP_CLEAR_STENCIL;
    TRY(demo, tp_clear(demo->context, all, encoded, 1, 0));
    return true;
}

bool demo_opaque(struct demo *demo) {
    TRY(demo, tp_set_depth(demo->context,
                           &(struct tp_depth_state){.test = true, .write = true, .func = TP_LESS}));
    TRY(demo, tp_set_stencil(demo->context, &(struct tp_stencil_state){0}));
    TRY(demo, tp_set_blend(demo->context, TP_ALL_TARGETS, &(struct tp_blend_target){0}));
    return true;
}

struct demo_camera demo_orbit_camera(const struct demo_frame *frame, struct vec3 at, float distance,
                                     double yaw, double pitch, double fov, float near, float far) {
    double y = yaw + (double)frame->orbit.yaw, p = pitch + (double)frame->orbit.pitch;
    p = p > 1.5 ? 1.5 : p < -1.5 ? -1.5 : p;
    float d = distance * (frame->orbit.zoom > 0 ? frame->orbit.zoom : 1);
    struct vec3 from = v3((float)(demo_sin(y) * demo_cos(p)), (float)demo_sin(p),
                          (float)(demo_cos(y) * demo_cos(p)));
    struct demo_camera c = {.eye = v3_add(at, v3_scale(from, d))};
    c.view = mat4_look_at(c.eye, at, v3(0, 1, 0));
    c.projection = mat4_perspective(fov, (float)frame->width / (float)frame->height, near, far);
    c.view_projection = mat4_mul(c.projection, c.view);
    return c;
}

/* ---- Sky ---------------------------------------------------------------------------------- */

static struct vec4 row(const float *view, int i, float scale) {
    return (struct vec4){view[i] * scale, view[4 + i] * scale, view[8 + i] * scale, 0};
}

struct demo_rays demo_rays(const struct demo_camera *camera, struct vec4 sun, struct vec4 horizon,
                           struct vec4 zenith) {
    const float *p = camera->projection.m;
    return (struct demo_rays){
        .eye = {camera->eye.x, camera->eye.y, camera->eye.z, 1},
        .right = row(camera->view.m, 0, 1 / p[0]),
        .up = row(camera->view.m, 1, 1 / p[5]),
        .forward = row(camera->view.m, 2, -1),
        .sun = sun,
        .horizon = horizon,
        .zenith = zenith,
    };
}

bool demo_load_cover(struct demo *demo, struct demo_cover *cover, const char *vp, const char *fp) {
    static const float corners[3][2] = {{-1, -1}, {3, -1}, {-1, 3}};
    cover->vertices = demo_buffer(demo, corners, sizeof corners);
    return cover->vertices && demo_load_pass(demo, &cover->pass, vp, NULL, fp);
}

bool demo_draw_cover(struct demo *demo, const struct demo_cover *cover, const void *constants,
                     uint32_t size) {
    return demo_use_pass(demo, &cover->pass, constants, size) &&
           demo_draw_vertices(demo, cover->vertices, (const unsigned[]){2}, 1, TP_TRIANGLES, 3);
}

static bool draw_sky(struct demo *demo, const struct demo_cover *sky, const struct demo_rays *rays,
                     const struct tp_depth_state *depth) {
    TRY(demo, tp_set_depth(demo->context, depth));
    TRY(demo, tp_set_stencil(demo->context, &(struct tp_stencil_state){0}));
    TRY(demo, tp_set_blend(demo->context, TP_ALL_TARGETS, &(struct tp_blend_target){0}));
    TRY(demo, tp_set_raster(demo->context, &(struct tp_raster_state){0}));
    return demo_draw_cover(demo, sky, rays, sizeof *rays);
}

bool demo_before_sky(struct demo *demo, const struct demo_frame *frame) {
    if (frame->wireframe)
        return demo_clear(demo, v3(0, 0, 0));
    TRY(demo, tp_clear(demo->context, TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, NULL, 1, 0));
    return true;
}

bool demo_draw_sky_behind(struct demo *demo, const struct demo_frame *frame,
                          const struct demo_cover *sky, const struct demo_rays *rays) {
    static const struct tp_depth_state behind = {.test = true, .func = TP_LEQUAL};
    return frame->wireframe || draw_sky(demo, sky, rays, &behind);
}

bool demo_draw_sky(struct demo *demo, const struct demo_frame *frame, const struct demo_cover *sky,
                   const struct demo_rays *rays) {
    return demo_before_sky(demo, frame) &&
           (frame->wireframe || draw_sky(demo, sky, rays, &(struct tp_depth_state){0}));
}

/* ---- Stars -------------------------------------------------------------------------------- */

bool demo_load_stars(struct demo *demo, struct demo_stars *stars, uint32_t count) {
    struct vec4 *list = demo_memory(demo, count * sizeof *list);
    if (!list)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const float y = 2 * demo_random(3 * i) - 1, flat = sqrtf(1 - y * y);
        const double angle = 2 * DEMO_PI * (double)demo_random(3 * i + 1);
        const float bright = demo_random(3 * i + 2);
        list[i] = (struct vec4){flat * (float)demo_sin(angle), y, flat * (float)demo_cos(angle),
                                0.12f + 0.75f * bright * bright * bright};
    }
    stars->count = count;
    return (stars->vertices = demo_buffer(demo, list, count * sizeof *list)) &&
           demo_load_pass(demo, &stars->pass, "star.vp", NULL, "star.fp");
}

bool demo_draw_stars(struct demo *demo, const struct demo_stars *stars,
                     const struct demo_camera *camera) {
    static const struct tp_depth_state behind = {.test = true, .func = TP_LEQUAL};
    TRY(demo, tp_set_depth(demo->context, &behind));
    TRY(demo, tp_set_blend(demo->context, TP_ALL_TARGETS, &demo_blend_add));
    TRY(demo, tp_set_raster(demo->context, &(struct tp_raster_state){.point_size = 1.5f}));
    return demo_use_pass(demo, &stars->pass, &camera->view_projection, sizeof(struct mat4)) &&
           demo_draw_vertices(demo, stars->vertices, (const unsigned[]){4}, 1, TP_POINTS,
                              stars->count);
}
