/* Makes the parts of a draw from the state; for the files of this folder. A draw consists of parts
 * (captured.h). The files named here make parts from state groups; capture.c keeps the parts for
 * later draws with the same state.
 */
#pragma once

#include "pipeline/context_private.h"

/* A draw that is being captured. update_parts() makes its parts, each after the parts that its
 * maker reads. captured.draw holds the parts that are already made. */
struct draw_maker {
    tp_context *c;
    uint32_t primitive;
    const struct fetch_inline *inlined; /* the plan of inline vertices, or NULL */
    enum draw_part part;                /* the part that is being made; PARTS: none */
    /* memory of the part, if it outlives the scene's epoch; NULL: not allocated yet */
    struct kept_part *kept;
    enum tp_result result; /* if a part could not be made: the reason, with the message set */
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

/* capture.c: returns the parts that are made of this object, a bit per enum draw_part. */
uint32_t parts_of(enum object_kind object);
/* capture.c: returns the captured stages of the bound programs and textures; NULL if this epoch has
 * captured none. */
const struct stage_state *known_stages(tp_context *c);
/* Returns zeroed memory that lives as long as the part that is being made; if none is being made,
 * as long as the epoch's draws. To be called at most once for each part. NULL with the reason in
 * m->result. */
void *part_alloc(struct draw_maker *m, size_t size);
void parts_free(struct context_private *p);

/* prepare.c: notes allocations of memory as events. To be called before data is captured. */
void notice_allocations(tp_context *c);
/* These functions prepare the memory that a draw reads and writes, before the draw is captured.
 * They flush if queued work still has to write memory that the draw reads, or to read or write
 * memory that the draw writes. */
void settle_streams(tp_context *c); /* streams.c: the stream buffers */
void settle_arrays(tp_context *c);  /* inputs.c: brings captured.array up to date */
void settle_constants(tp_context *c, enum program_type stage);   /* inputs.c */
void settle_descriptors(tp_context *c, enum program_type stage); /* inputs.c */
/* These functions report to the scene the memory that a captured draw reads. */
void note_arrays(tp_context *c);                                /* inputs.c */
void note_textures(tp_context *c, const struct stage_state *s); /* inputs.c */

/* inputs.c: copies the constants that a stage's program can reach. False when out of memory. */
bool capture_constants(tp_context *c, enum program_type stage, struct warp_env *env);
/* Captures the constants as they are bound now. If they differ from those of *env, sets *env to a
 * copy with the new constants; otherwise keeps *env. False when out of memory. */
bool renew_constants(tp_context *c, enum program_type stage, const struct warp_env **env);
/* To be called after a write of memory. The next draw captures the written constants or descriptors
 * again. */
void constants_written(tp_context *c, uint64_t address, uint64_t size);
void descriptors_written(tp_context *c, uint64_t address, uint64_t size);
/* inputs.c: decodes the views and samplers of a stage and makes bindings of them. False when out of
 * memory. */
bool capture_textures(tp_context *c, enum program_type stage, struct stage_textures *textures);
/* inputs.c: decodes the view of one texture slot alone. False when out of memory. */
bool capture_view(tp_context *c, enum program_type stage, unsigned slot,
                  struct stage_textures *textures);
bool same_textures(const struct program *p, const struct stage_textures *a,
                   const struct stage_textures *b);
/* stages.c: true if the descriptors that are in memory now give the same textures of these
 * stages. */
bool stages_hold(tp_context *c, struct stage_state *s);

/* stages.c. drawn_clip(): the clipping that takes effect. build_map(): the sources of result
 * slots. */
struct clip_state drawn_clip(const struct state *s);
void build_map(struct result_map *map, const struct program_header *h);
/* stages.c: returns the slots with a meaning, without meanings whose slot is beyond those of a
 * vertex. */
struct semantic_state drawn_semantic(const struct state *s);
/* stages.c: the class of primitives that the rasterizer gets when `primitive` is drawn. */
enum primitive_class drawn_class(const struct state *s, uint32_t primitive);

/* inputs.c: makes the plan of vertex fetch. inlined: the plan of inline vertices, or NULL. False
 * with the message set. */
bool build_fetch(tp_context *c, struct fetch_plan *plan, const struct fetch_inline *inlined);

/* objects.c: brings object[] up to date: objects_update() with the groups that were touched,
 * objects_update_targets() with the resolved targets. */
void objects_update(tp_context *c);
void objects_update_targets(struct captured *p);
void objects_free(struct captured *p);
/* inputs.c: these functions write the contents of a state object to at[], at most 8 KiB, and return
 * the end. put_fetch(): attributes that the vertex program reads, without the addresses of their
 * arrays. put_textures(): textures and samplers that the bound graphics programs name. */
enum {
    TEXTURE_WORDS =
        8 + PROGRAM_TYPES * 2 * STATE_TEXTURES * 9 + STATE_IMAGES * sizeof(struct image_view) / 4
};
unsigned char *put_fetch(const struct state *s, unsigned char *at);
unsigned char *put_textures(const struct state *s, unsigned char *at);
