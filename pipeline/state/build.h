/* How a draw is made out of the state; for the files of this folder. A draw is its parts (draw.h): each is made
 * of some groups of the state, by the file named here, and kept for draws that have it too (parts.c).
 */
#ifndef PIPELINE_BUILD_H
#define PIPELINE_BUILD_H

#include "pipeline/context_private.h"

/* A draw under way, and what its parts are made of. */
struct draw_maker {
    tp_context *c;
    const struct draw_key *key;
    uint32_t primitive;
    const struct fetch_inline *inlined; /* the plan of inline vertices, or NULL */
    struct draw *draw; /* parts are made in the order of enum draw_part: those before are there */
    uint64_t view, targets; /* numbers of these, by their contents */
    enum draw_part part;    /* under way; PARTS: none */
    struct kept_part
        *kept;             /* its memory, if it outlives the scene's epoch; NULL: it has none yet */
    enum tp_result result; /* why a part could not be made, with the message set */
};

/* The makers of parts: what goes into the draw, or NULL and m->result. */
const void *make_stages(struct draw_maker *m);     /* stages.c: struct stage_state */
const void *make_view(struct draw_maker *m);       /* vertex.c: struct view_state */
const void *make_vertex(struct draw_maker *m);     /* vertex.c: struct vertex_state */
const void *make_geometry(struct draw_maker *m);   /* geometry.c: struct geometry_state */
const void *make_primitives(struct draw_maker *m); /* primitives.c: struct primitive_state */
const void *make_plan(
    struct draw_maker *m); /* raster.c: struct draw_plan, of its raster_state and targets */
/* streams.c: of this draw alone; and before it is made, that nothing queued needs what it will write over, its
 * own reads of these bytes not among it */
const struct stream_binding *make_streams(struct draw_maker *m);
void settle_streams(tp_context *c);

/* parts.c: all parts but the streams; false with m->result. */
bool make_parts(struct draw_maker *m);
/* Zeroed memory that lives as long as the part under way or, outside of one, as the epoch's draws; once for each
 * part. NULL with m->result. */
void *part_alloc(struct draw_maker *m, size_t size);
/* Gives back parts that have lost their place, or that nobody has used for long. Not while a draw is made. */
void parts_sweep(struct context_private *p);
void parts_free(struct context_private *p);

/* snapshot.c: a new draw from the state as it is, and what it finds in memory; NULL with *result and the message
 * set. */
const struct draw *build_draw(tp_context *c, const struct draw_key *key, uint32_t primitive,
                              const struct fetch_inline *inlined, const struct call_env **env,
                              enum tp_result *result);

/* constants.c: the constants a stage's program can reach, by value. False when out of memory. */
bool capture_constants(tp_context *c, enum program_type stage, struct warp_env *env);
/* *env with the constants that memory holds now: itself if they are the same. False when out of
 * memory. */
bool renew_constants(tp_context *c, enum program_type stage, const struct warp_env **env);
/* Memory that was captured may have been written. */
void constants_written(tp_context *c, uint64_t address, uint64_t size);
void descriptors_written(tp_context *c, uint64_t address, uint64_t size);
/* textures.c: views, samplers and bindings, decoded. False when out of memory. */
bool capture_textures(tp_context *c, enum program_type stage, struct tex_unit *unit);
/* What GROUP_TEXTURE says of the textures and samplers that the bound graphics programs name, in at most
 * TEXTURE_KEY_WORDS words; which these are, the programs say. Returns how many. */
enum { TEXTURE_KEY_WORDS = 8 + (PROGRAM_FP + 1) * 2 * STATE_TEXTURES * 9 };
uint32_t texture_key(const struct state *s, uint32_t *words);
bool same_textures(const struct program *p, const struct tex_unit *a, const struct tex_unit *b);
/* Textures that queued work draws into must be finished before they are sampled: before the next
 * pass is enough for fragment programs, the front pass cannot wait. False if it had to be seen to:
 * what was captured is gone. Notes what is read otherwise. */
bool note_textures(tp_context *c, const struct draw *d);

/* vertex.c: all of the view but its number; where result slots come from, and how many o[] rows there are. */
void build_view(const struct state *s, struct view_state *v);
/* vertex.c: what GROUP_VIEW says of the viewports that primitives can go through, and of all of them, in at most
 * VIEW_KEY_BYTES bytes. Returns how many. */
enum { VIEW_KEY_BYTES = 8 + sizeof(struct viewport_state) * STATE_VIEWPORTS + 512 };
uint32_t view_key(const struct state *s, unsigned char *bytes);
void build_map(struct result_map *map, const struct program_header *h, bool geometry);
uint8_t output_rows(const struct program_header *h);
/* The meanings of slots, but for those that name a slot no vertex has. */
struct semantic_state drawn_semantic(const struct state *s);
/* geometry.c: what is rasterized when these primitives are drawn. */
enum primitive_class drawn_class(const struct state *s, uint32_t primitive);

/* fetch.c: what GROUP_FETCH says of the attributes that the vertex program reads, but for the arrays they lie
 * in, in at most FETCH_KEY_WORDS words. Returns how many. */
enum { FETCH_KEY_WORDS = 2 + STATE_ATTRIBUTES * 6 };
uint32_t fetch_key(const struct state *s, uint32_t *words);
/* inlined: the plan of inline vertices, or NULL. False with the message set. */
bool build_fetch(tp_context *c, struct fetch_plan *plan, const struct fetch_inline *inlined);
/* The arrays that the plan reads, as the state has them; others are zero. */
void build_sources(tp_context *c, const struct fetch_plan *plan,
                   struct fetch_source source[FETCH_ATTRIBUTES]);

/* objects.c: brings object[] up to date with what was touched of these groups (bits). */
void objects_update(tp_context *c, uint32_t groups);
/* The number of these contents, which are zero where they say nothing. */
uint64_t objects_number(struct context_private *p, struct object_table *t, const void *bytes,
                        size_t size);
void objects_free(struct context_private *p);

static const char *const stage_name[] = {"vertex", "geometry", "fragment", "compute"};

#endif
