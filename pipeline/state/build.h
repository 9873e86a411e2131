/* How a draw is made out of the state; for the files of this folder. A draw consists of parts
 * (captured.h). The file named here makes a part from some state groups; capture.c keeps the part
 * for later draws with the same state.
 */
#ifndef PIPELINE_BUILD_H
#define PIPELINE_BUILD_H

#include "pipeline/context_private.h"

/* A draw under way. Its parts are made in the order of enum draw_part; captured.draw holds the
 * parts that are made already. */
struct draw_maker {
    tp_context *c;
    uint32_t primitive;
    const struct fetch_inline *inlined; /* the plan of inline vertices, or NULL */
    enum draw_part part;                /* the part under way; PARTS: none */
    struct kept_part
        *kept; /* memory of a part that outlives the scene's epoch; NULL: not allocated yet */
    enum tp_result result; /* why a part could not be made, with the message set */
};

/* The makers of parts. Each returns its part, or NULL with the reason in m->result. */
void *make_stages(struct draw_maker *m);       /* stages.c: struct stage_state */
void *make_view(struct draw_maker *m);         /* stages.c: struct view_state */
void *make_vertex(struct draw_maker *m);       /* stages.c: struct vertex_state */
void *make_tessellation(struct draw_maker *m); /* stages.c: struct tessellation_state */
void *make_geometry(struct draw_maker *m);     /* stages.c: struct geometry_state */
void *make_primitives(struct draw_maker *m);   /* stages.c: struct primitive_state */
void *make_plan(struct draw_maker *m); /* stages.c: struct draw_plan, raster_state, targets */
const struct stream_binding *make_streams(struct draw_maker *m); /* streams.c: of this draw alone */

/* capture.c: all parts of captured.draw but the streams; false with m->result. */
bool update_parts(struct draw_maker *m);
/* The parts that are made of this object, a bit each. */
uint32_t parts_of(enum object_kind object);
/* The captured stages of the programs and textures that are bound; NULL if this epoch has captured
 * none. */
const struct stage_state *known_stages(tp_context *c);
/* Zeroed memory that lives as long as the part under way; if no part is under way, as long as the
 * epoch's draws. Call it at most once for each part. NULL with the reason in m->result. */
void *part_alloc(struct draw_maker *m, size_t size);
/* Call when an epoch of the scene begins. Gives back parts that have lost their place, and parts
 * that no draw has used for long. */
void parts_sweep(struct context_private *p);
void parts_free(struct context_private *p);

/* These functions prepare the memory that a draw reads and writes, before it is captured. They
 * flush if queued work still has to read or write this memory. */
void settle_streams(tp_context *c); /* streams.c: the streams' buffers */
void settle_arrays(tp_context *c);  /* inputs.c: brings captured.array up to date */
void settle_constants(tp_context *c, enum program_type stage);   /* inputs.c */
void settle_descriptors(tp_context *c, enum program_type stage); /* inputs.c */
/* These functions report to the scene the memory that a captured draw reads. */
void note_arrays(tp_context *c);                                /* inputs.c */
void note_textures(tp_context *c, const struct stage_state *s); /* inputs.c */

/* inputs.c: the constants a stage's program can reach, by value. False when out of memory. */
bool capture_constants(tp_context *c, enum program_type stage, struct warp_env *env);
/* Makes *env hold the places of the constants as they are bound now: a copy if one of them differs,
 * else the same environment. False when out of memory. */
bool renew_constants(tp_context *c, enum program_type stage, const struct warp_env **env);
/* Call when memory was written. The next draw captures the constants or descriptors in it again. */
void constants_written(tp_context *c, uint64_t address, uint64_t size);
void descriptors_written(tp_context *c, uint64_t address, uint64_t size);
/* inputs.c: views, samplers and bindings, decoded. False when out of memory. */
bool capture_textures(tp_context *c, enum program_type stage, struct tex_unit *unit);
/* One of the views alone. */
bool capture_view(tp_context *c, enum program_type stage, unsigned slot, struct tex_unit *unit);
bool same_textures(const struct program *p, const struct tex_unit *a, const struct tex_unit *b);
/* stages.c: true if the descriptors in memory still describe the textures of these stages. */
bool stages_hold(tp_context *c, struct stage_state *s);

/* stages.c: clipping; where result slots come from. */
struct clip_state drawn_clip(const struct state *s);
void build_map(struct result_map *map, const struct program_header *h);
/* The slots with a meaning. A meaning that names a slot which no vertex has is left out. */
struct semantic_state drawn_semantic(const struct state *s);
/* stages.c: the last program before the rasterizer. */
enum program_type last_stage(const struct state *s);
/* stages.c: the class of primitives that the rasterizer gets when these primitives are drawn. */
enum primitive_class drawn_class(const struct state *s, uint32_t primitive);

/* inputs.c */
/* inlined: the plan of inline vertices, or NULL. False with the message set. */
bool build_fetch(tp_context *c, struct fetch_plan *plan, const struct fetch_inline *inlined);

/* objects.c: brings object[] up to date with the groups that were touched, and with the targets
 * that were resolved. */
void objects_update(tp_context *c);
void objects_update_targets(struct captured *p);
void objects_free(struct captured *p);
/* Write the contents of a state object to at[], at most 8 KiB, and return the end (inputs.c).
 * put_fetch(): attributes that the vertex program reads, without the addresses of their arrays.
 * put_textures(): textures and samplers that the bound graphics programs name. */
enum {
    TEXTURE_WORDS =
        8 + PROGRAM_TYPES * 2 * STATE_TEXTURES * 9 + STATE_IMAGES * sizeof(struct image_view) / 4
};
unsigned char *put_fetch(const struct state *s, unsigned char *at);
unsigned char *put_textures(const struct state *s, unsigned char *at);

#endif
