/* Demo scenes and their helpers. A scene is one file in demos/scenes/ with a struct demo_scene,
 * listed in demos/demo.c (docs/add-a-demo.md). Scenes see only the public header, the math helpers
 * and this file. The tools open a scene, draw frames into targets of their own, and close it. A
 * frame depends only on the scene, its options, the time, the camera and the size.
 */
#pragma once

#include "demos/math.h"
#include "teslapipe.h"

/* The user's changes to a scene's view with the mouse. */
struct demo_orbit {
    float yaw, pitch; /* radians */
    float zoom;       /* factor on the scene's own distance; 0: 1 */
};

struct demo_frame {
    tp_texture *color, *zeta;
    uint32_t width, height; /* size of the picture in pixels */
    /* place of the targets' corner in the picture (tp_texture_set_window) */
    uint32_t x, y;
    double time; /* seconds since the scene began */
    struct demo_orbit orbit;
    bool wireframe;
};

struct demo_options {
    const char *model; /* file for the model scene; NULL: the file in demos/models */
    /* Called with the scene's context before the scene makes its objects; may be NULL. */
    void (*opened)(void *self, tp_context *context);
    void *self;
};

struct demo_owned;

struct demo {
    tp_device *device;
    tp_context *context; /* each scene has a context of its own */
    const struct demo_scene *scene;
    struct demo_options options;
    void *state;              /* scene->state_size bytes, zeroed before init */
    struct demo_owned *owned; /* objects made with the helpers below; demo_close frees them */
    char message[768];        /* one line: why the last call failed */
};

struct demo_scene {
    const char *name;
    const char *description; /* one line */
    size_t state_size;
    /* Both functions return false with demo->message set (demo_fail, TRY). */
    bool (*init)(struct demo *demo);
    bool (*frame)(struct demo *demo, const struct demo_frame *frame);
    enum tp_chip chip; /* the device's chip; 0: TP_CHIP_GT215 */
};

/* Defines demo_NAME: a scene with struct NAME as state, and init() and frame() of its file. */
#define DEMO_SCENE(name, chip, description)                                                        \
    extern const struct demo_scene demo_##name;                                                    \
    const struct demo_scene demo_##name = {#name, description, sizeof(struct name),                \
                                           init,  frame,       chip}

extern const struct demo_scene *const demo_scenes[];
extern const int demo_scene_count;

/* ---- For the tools ---- */

/* Returns a scene by name; NULL if there is none. */
const struct demo_scene *demo_find(const char *name);
/* Opens a scene. The device must have the scene's chip. Call demo_close() after success and after
 * failure. options may be NULL. */
bool demo_open(struct demo *demo, tp_device *device, const struct demo_scene *scene,
               const struct demo_options *options);
bool demo_draw(struct demo *demo, const struct demo_frame *frame);
void demo_close(struct demo *demo);

/* ---- For the scenes ---- */

/* Sets demo->message. Returns false. */
bool demo_fail(struct demo *demo, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns true if `result` is TP_OK; else sets demo->message to the device's message. */
bool demo_check(struct demo *demo, enum tp_result result);
#define TRY(demo, call)                                                                            \
    do {                                                                                           \
        if (!demo_check(demo, call))                                                               \
            return false;                                                                          \
    } while (0)

/* The following functions return NULL or false with demo->message set on failure. Their objects
 * live until demo_close(). */
/* Loads a file of demos/programs/, or of demos/programs/fermi/ for a scene on Fermi. */
tp_program *demo_program(struct demo *demo, const char *file);
tp_buffer *demo_buffer(struct demo *demo, const void *data, size_t size);
tp_texture *demo_texture(struct demo *demo, enum tp_format format, uint32_t width, uint32_t height,
                         bool mipmaps, const void *texels);
tp_texture *demo_texture_3d(struct demo *demo, enum tp_format format, uint32_t width,
                            uint32_t height, uint32_t depth, bool mipmaps, const void *texels);
tp_texture *demo_make_texture(struct demo *demo, const struct tp_texture_info *info);
/* Makes a texture of one level to draw into. */
tp_texture *demo_target(struct demo *demo, enum tp_format format, uint32_t width, uint32_t height);
void *demo_memory(struct demo *demo, size_t size); /* zeroed */
/* Keeps the texture if it has the kind, format, size and samples of info; else replaces the texture
 * by a new one. For targets as large as the picture's. */
bool demo_fit_texture(struct demo *demo, tp_texture **texture, const struct tp_texture_info *info);
/* The programs NAME.vp and NAME.fp, with gp (may be NULL) between them. */
struct demo_pass {
    tp_program *vp, *gp, *fp;
    tp_program *tcp, *tep; /* for Fermi; set by the scene; may be NULL */
};
bool demo_load_pass(struct demo *demo, struct demo_pass *pass, const char *vp, const char *gp,
                    const char *fp);
/* Binds the programs of a pass; sets c0[] of all the pass's stages to `constants`, if size is not
 * 0. */
bool demo_use_pass(struct demo *demo, const struct demo_pass *pass, const void *constants,
                   uint32_t size);
bool demo_constants(struct demo *demo, const struct demo_pass *pass, const void *data,
                    uint32_t size);
/* Finds a data file ("models/balloon.glb") in $TESLAPIPE_DATA if that is set; else in demos/ of the
 * source tree or in the installed share/teslapipe. Returns false if the file does not exist. */
bool demo_find_data(const char *file, char *path, size_t path_size);

/* Binds interleaved float attributes in array 0. Attribute i has components[i] words; there are no
 * gaps. */
bool demo_vertices(struct demo *demo, tp_buffer *buffer, const unsigned *components,
                   unsigned count);
/* As demo_vertices(); then draws `vertices` vertices. */
bool demo_draw_vertices(struct demo *demo, tp_buffer *buffer, const unsigned *components,
                        unsigned count, enum tp_primitive primitive, uint32_t vertices);
/* Binds two buffers whose items are 32 bytes: attributes 0, 1 and 2, 3 of four floats. */
bool demo_bind_pair(struct demo *demo, tp_buffer *first, tp_buffer *second);
/* Bilinear filters. linear: no mip levels; trilinear: mip levels; inside: no repetition; sharp: mip
 * levels, anisotropy 8. */
extern const struct tp_sampler_info demo_linear, demo_trilinear, demo_inside, demo_sharp;
/* demo_blend_add adds light, demo_blend_over covers with premultiplied colours. With both, a
 * target's alpha stays the coverage. */
extern const struct tp_blend_target demo_blend_add, demo_blend_over;
/* Sets raster state, with lines in place of filled polygons for the wireframe view. */
bool demo_raster(struct demo *demo, const struct demo_frame *frame, struct tp_raster_state state);
/* Clears colour, depth to 1 and stencil to 0. The colour is linear; its square root is stored,
 * as by the fragment programs of the demos, for a display's gamma. */
bool demo_clear(struct demo *demo, struct vec3 color);
/* Sets a depth test that writes, no blending and no stencil test. */
bool demo_opaque(struct demo *demo);

/* A camera that circles a point. */
struct demo_camera {
    struct vec3 eye;
    struct mat4 view, projection, view_projection;
};
struct demo_camera demo_orbit_camera(const struct demo_frame *frame, struct vec3 at, float distance,
                                     double yaw, double pitch, double fov, float near, float far);

/* c0[] of sky.vp, which covers the target with rays of the view, and of the fragment program that
 * follows the rays. */
struct demo_rays {
    struct vec4 eye;
    struct vec4 right, up, forward; /* 0x10, 0x20, 0x30: axes of the view, scaled to its edges */
    struct vec4 sun;                /* 0x40: direction */
    struct vec4 own[3];             /* 0x50: for the scene */
    struct vec4 horizon, zenith;    /* 0x80, 0x90: colours of the sky */
};
struct demo_rays demo_rays(const struct demo_camera *camera, struct vec4 sun, struct vec4 horizon,
                           struct vec4 zenith);
/* A pass over all pixels, by one triangle. */
struct demo_cover {
    struct demo_pass pass;
    tp_buffer *vertices;
};
bool demo_load_cover(struct demo *demo, struct demo_cover *cover, const char *vp, const char *fp);
bool demo_draw_cover(struct demo *demo, const struct demo_cover *cover, const void *constants,
                     uint32_t size);
/* Draws a sky from rays->horizon to rays->zenith with a glowing sun (sky.vp, sky.fp), behind all
 * later draws: leaves depth 1 everywhere. For the wireframe view only clears the targets; else also
 * turns off the depth test, the stencil test and blending. */
bool demo_draw_sky(struct demo *demo, const struct demo_frame *frame, const struct demo_cover *sky,
                   const struct demo_rays *rays);
/* The two halves of demo_draw_sky(), before and after the objects that hide parts of the sky. The
 * sky's program runs only where the sky is visible. */
bool demo_before_sky(struct demo *demo, const struct demo_frame *frame);
bool demo_draw_sky_behind(struct demo *demo, const struct demo_frame *frame,
                          const struct demo_cover *sky, const struct demo_rays *rays);
/* Draws points of light in all directions, behind everything drawn so far. Leaves a depth test that
 * does not write, and blending that adds. */
struct demo_stars {
    struct demo_pass pass;
    tp_buffer *vertices;
    uint32_t count;
};
bool demo_load_stars(struct demo *demo, struct demo_stars *stars, uint32_t count);
bool demo_draw_stars(struct demo *demo, const struct demo_stars *stars,
                     const struct demo_camera *camera);
