/* How a draw is made out of the state, step by step; for the files of this folder. Each step fills
 * its own fields of a zeroed struct draw, in the order below.
 */
#ifndef PIPELINE_BUILD_H
#define PIPELINE_BUILD_H

#include "pipeline/context_private.h"

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
 * TEXTURE_KEY_WORDS words. Returns how many. */
enum { TEXTURE_KEY_WORDS = 8 + (PROGRAM_FP + 1) * (1 + 2 * STATE_TEXTURES * 9) };
uint32_t texture_key(const struct state *s, uint32_t *words);
bool same_textures(const struct program *p, const struct tex_unit *a, const struct tex_unit *b);
/* Textures that queued work draws into must be finished before they are sampled: before the next
 * pass is enough for fragment programs, the front pass cannot wait. False if it had to be seen to:
 * what was captured is gone. Notes what is read otherwise. */
bool note_textures(tp_context *c, const struct draw *d);

/* geometry.c */
void build_maps(const struct state *s, struct draw *d);
void build_geometry_stage(const struct state *s, struct draw *d, uint32_t primitive);
/* words.c */
void build_words(const struct state *s, struct draw *d);
/* geometry.c; this one and build_views() are all that look at GROUP_VIEW */
void build_clip(const struct state *s, struct draw *d);
void build_semantic(const struct state *s, struct draw *d);
/* raster.c */
void build_raster(const struct state *s, struct draw *d);
void build_views(const struct state *s, struct draw *d);
/* fetch.c: what GROUP_FETCH says of the attributes that the vertex program reads, but for where arrays lie,
 * in at most FETCH_KEY_WORDS words. Returns how many. */
enum { FETCH_KEY_WORDS = 2 + STATE_ATTRIBUTES * 6 };
uint32_t fetch_key(const struct state *s, uint32_t *words);
/* inlined: the plan of inline vertices, or NULL. False with the message set. */
bool build_fetch(tp_context *c, struct fetch_plan *plan, const struct fetch_inline *inlined);
/* The arrays that the plan reads, as the state has them; others are zero. */
void build_sources(tp_context *c, const struct fetch_plan *plan,
                   struct fetch_source source[FETCH_ATTRIBUTES]);

/* snapshot.c: a new draw from the state as it is; NULL with *result and the message set. */
struct draw *build_draw(tp_context *c, uint32_t primitive, const struct fetch_inline *inlined,
                        enum tp_result *result);

/* The same draw through the state's viewports, scissors and clip planes (GROUP_VIEW), which is all that is
 * another; NULL when out of memory. */
struct draw *build_view(tp_context *c, const struct draw *like);

/* objects.c: brings object[] up to date with what was touched of these groups (bits). */
void objects_update(tp_context *c, uint32_t groups);
/* The number of these contents, which are zero where they say nothing. */
uint64_t objects_vertex_number(struct context_private *p, const struct vertex_state *v);
void objects_free(struct context_private *p);

static const char *const stage_name[] = {"vertex", "geometry", "fragment", "compute"};

#endif
