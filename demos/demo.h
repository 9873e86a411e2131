/* What a demo scene is and what it may use: a scene is one file in demos/scenes/ with a struct
 * demo_scene, listed in demos/demo.c (docs/add-a-demo.md). Scenes see only the public header, the
 * math helpers and this file; the tools open a scene, draw frames into targets they own, close it.
 * A frame depends on nothing but the scene, its options, the time, the camera and the size.
 */
#ifndef DEMOS_DEMO_H
#define DEMOS_DEMO_H

#include "demos/math.h"
#include "teslapipe.h"

/* What the user added to a scene's own view with the mouse. */
struct demo_orbit {
    float yaw, pitch; /* radians */
    float zoom;       /* factor on the distance, 1 = the scene's own; 0 counts as 1 */
};

struct demo_frame {
    tp_texture *color, *zeta;
    uint32_t width, height; /* pixels, of both */
    double time;            /* seconds since the scene began */
    struct demo_orbit orbit;
    bool wireframe;
};

struct demo_options {
    const char *model; /* file for the model scene; NULL = the one we ship */
};

struct demo_owned;

/* An open scene. */
struct demo {
    tp_device *device;
    tp_context *context; /* its own: scenes do not see each other's state */
    const struct demo_scene *scene;
    struct demo_options options;
    void *state;              /* scene->state_size bytes, zeroed before init */
    struct demo_owned *owned; /* everything made with the helpers below; freed by demo_close */
    char message[768];        /* why the last call failed, one line */
};

struct demo_scene {
    const char *name;
    const char *description; /* one line */
    size_t state_size;
    /* Both return false with demo->message set (demo_fail, TRY). */
    bool (*init)(struct demo *demo);
    bool (*frame)(struct demo *demo, const struct demo_frame *frame);
};

extern const struct demo_scene *const demo_scenes[];
extern const int demo_scene_count;

/* ---- For the tools ---- */

/* NULL when there is no scene of that name. */
const struct demo_scene *demo_find(const char *name);
/* demo_close must follow, whether it succeeds or fails. options may be NULL. */
bool demo_open(struct demo *demo, tp_device *device, const struct demo_scene *scene,
               const struct demo_options *options);
bool demo_draw(struct demo *demo, const struct demo_frame *frame);
void demo_close(struct demo *demo);

/* ---- For the scenes ---- */

/* Sets demo->message; returns false. */
bool demo_fail(struct demo *demo, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* True if result is TP_OK; else sets demo->message to the device's. */
bool demo_check(struct demo *demo, enum tp_result result);
#define TRY(demo, call)                                                                            \
    do {                                                                                           \
        if (!demo_check(demo, call))                                                               \
            return false;                                                                          \
    } while (0)

/* These return NULL, or false, with demo->message set. What they make lives until demo_close. */
tp_program *demo_program(struct demo *demo, const char *file); /* of demos/programs/ */
tp_buffer *demo_buffer(struct demo *demo, const void *data, size_t size);
tp_texture *demo_texture(struct demo *demo, enum tp_format format, uint32_t width, uint32_t height,
                         bool mipmaps, const void *texels);
void *demo_memory(struct demo *demo, size_t size); /* zeroed */
/* NAME.vp and NAME.fp bound together; gp (may be NULL) is bound between them. */
struct demo_pass {
    tp_program *vp, *gp, *fp;
};
bool demo_load_pass(struct demo *demo, struct demo_pass *pass, const char *vp, const char *gp,
                    const char *fp);
bool demo_use_pass(struct demo *demo, const struct demo_pass *pass);
/* The same bytes as c0[] of the stages of a pass. */
bool demo_constants(struct demo *demo, const struct demo_pass *pass, const void *data,
                    uint32_t size);
/* Path of a data file ("models/balloon.glb") in the first place that has it: $TESLAPIPE_DATA if
 * set; else demos/ of the source tree, or the installed share/teslapipe. False if nowhere. */
bool demo_find_data(const char *file, char *path, size_t path_size);

/* Interleaved float attributes of `components[i]` words each in array 0, back to back. */
bool demo_vertices(struct demo *demo, tp_buffer *buffer, const unsigned *components,
                   unsigned count);
/* Fills, or lines for the wireframe view. */
bool demo_raster(struct demo *demo, const struct demo_frame *frame, struct tp_raster_state state);
/* Clears colour (linear; stored as its square root, as our fragment programs do for a display's
 * gamma), depth to 1 and stencil to 0. */
bool demo_clear(struct demo *demo, struct vec3 color);
/* A depth test that writes; no blending, no stencil test. */
bool demo_opaque(struct demo *demo);

/* A camera that circles a point. */
struct demo_camera {
    struct vec3 eye;
    struct mat4 view, projection, view_projection;
};
struct demo_camera demo_orbit_camera(const struct demo_frame *frame, struct vec3 at, float distance,
                                     double yaw, double pitch, double fov, float near, float far);

/* c0[] of sky.vp, which covers the target with rays of the view, and of what follows the rays. */
struct demo_rays {
    struct vec4 eye;
    struct vec4 right, up, forward; /* 0x10, 0x20, 0x30: of the view, scaled to its edges */
    struct vec4 sun;                /* 0x40: direction */
    struct vec4 own[3];             /* 0x50: the scene's */
    struct vec4 horizon, zenith;    /* 0x80, 0x90: colours of the sky */
};
struct demo_rays demo_rays(const struct demo_camera *camera);
/* Draws rays->horizon to rays->zenith and a glowing sun with sky.vp and sky.fp behind what
 * follows, or just clears in the wireframe view. Leaves depth 1 everywhere; sets the passes'
 * state. */
struct demo_sky {
    struct demo_pass pass;
    tp_buffer *vertices;
};
bool demo_load_sky(struct demo *demo, struct demo_sky *sky, const char *fp);
bool demo_draw_sky(struct demo *demo, const struct demo_frame *frame, const struct demo_sky *sky,
                   const struct demo_rays *rays);
/* The same in two steps, around what hides some of the sky: its program runs only where it is
 * seen. */
bool demo_before_sky(struct demo *demo, const struct demo_frame *frame);
bool demo_draw_sky_behind(struct demo *demo, const struct demo_frame *frame,
                          const struct demo_sky *sky, const struct demo_rays *rays);

#endif
