/* How a draw is made out of the state; for the files of this folder. A draw is its parts (draw.h):
 * each is made of some groups of the state, by the file named here, and kept for draws that have it
 * too (capture.c).
 */
#ifndef PIPELINE_BUILD_H
#define PIPELINE_BUILD_H

#include "pipeline/context_private.h"

/* A draw under way. Its parts are made in the order of enum draw_part: in captured.draw are those
 * before. */
struct draw_maker {
    tp_context *c;
    uint32_t primitive;
    const struct fetch_inline *inlined; /* the plan of inline vertices, or NULL */
    enum draw_part part;                /* under way; PARTS: none */
    struct kept_part
        *kept;             /* its memory, if it outlives the scene's epoch; NULL: it has none yet */
    enum tp_result result; /* why a part could not be made, with the message set */
};

/* The makers of parts: what goes into the draw, or NULL and m->result. */
void *make_stages(struct draw_maker *m);       /* stages.c: struct stage_state */
void *make_view(struct draw_maker *m);         /* stages.c: struct view_state */
void *make_vertex(struct draw_maker *m);       /* stages.c: struct vertex_state */
void *make_tessellation(struct draw_maker *m); /* stages.c: struct tessellation_state */
void *make_geometry(struct draw_maker *m);     /* stages.c: struct geometry_state */
void *make_primitives(struct draw_maker *m);   /* stages.c: struct primitive_state */
void *make_plan(
    struct draw_maker *m); /* stages.c: struct draw_plan, of its raster_state and targets */
const struct stream_binding *make_streams(struct draw_maker *m); /* streams.c: of this draw alone */

/* capture.c: all parts of captured.draw but the streams; false with m->result. */
bool update_parts(struct draw_maker *m);
/* The parts that are made of this object, a bit each. */
uint32_t parts_of(enum object_kind object);
/* The stages of the programs and textures that are bound, if they were captured in this epoch; else
 * NULL. */
const struct stage_state *known_stages(tp_context *c);
/* Zeroed memory that lives as long as the part under way or, outside of one, as the epoch's draws;
 * once for each part. NULL with m->result. */
void *part_alloc(struct draw_maker *m, size_t size);
/* Call when an epoch of the scene begins. Gives back parts that have lost their place, and parts
 * that no draw has used for long. */
void parts_sweep(struct context_private *p);
void parts_free(struct context_private *p);

/* These functions prepare the memory that a draw reads and writes, before it is captured. They
 * flush if queued work still has to read or write this memory. */
void settle_streams(tp_context *c); /* streams.c: what the streams write over */
void settle_arrays(tp_context *c);  /* inputs.c: captured.array as the state has it */
void settle_constants(tp_context *c, enum program_type stage);   /* inputs.c */
void settle_descriptors(tp_context *c, enum program_type stage); /* inputs.c */
/* Report the memory that a captured draw reads to the scene. */
void note_arrays(tp_context *c);                                /* inputs.c */
void note_textures(tp_context *c, const struct stage_state *s); /* inputs.c */

/* inputs.c: the constants a stage's program can reach, by value. False when out of memory. */
bool capture_constants(tp_context *c, enum program_type stage, struct warp_env *env);
/* *env with the constants that memory holds now: itself if they are the same. False when out of
 * memory. */
bool renew_constants(tp_context *c, enum program_type stage, const struct warp_env **env);
/* Memory that was captured may have been written. */
void constants_written(tp_context *c, uint64_t address, uint64_t size);
void descriptors_written(tp_context *c, uint64_t address, uint64_t size);
/* inputs.c: views, samplers and bindings, decoded. False when out of memory. */
bool capture_textures(tp_context *c, enum program_type stage, struct tex_unit *unit);
/* One of the views alone. */
bool capture_view(tp_context *c, enum program_type stage, unsigned slot, struct tex_unit *unit);
bool same_textures(const struct program *p, const struct tex_unit *a, const struct tex_unit *b);
/* stages.c: the textures of these stages are what descriptors in memory say now. */
bool stages_hold(tp_context *c, struct stage_state *s);

/* stages.c: clipping; where result slots come from, and how many o[] rows there are. */
struct clip_state drawn_clip(const struct state *s);
void build_map(struct result_map *map, const struct program_header *h);
uint8_t output_rows(const struct program_header *h);
/* The meanings of slots, but for those that name a slot no vertex has. */
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
/* What two objects say, in at most 8 KiB; the end. inputs.c: attributes that the vertex program
 * reads, but for the arrays they lie in; inputs.c: textures and samplers that the bound
 * graphics programs name. */
enum {
    TEXTURE_WORDS =
        8 + PROGRAM_TYPES * 2 * STATE_TEXTURES * 9 + STATE_IMAGES * sizeof(struct image_view) / 4
};
unsigned char *put_fetch(const struct state *s, unsigned char *at);
unsigned char *put_textures(const struct state *s, unsigned char *at);

#endif
