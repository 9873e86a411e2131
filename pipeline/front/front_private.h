/* The front end from inside, for the files of this folder only: the memory of one worker, and the
 * stages in their order, a file or two each.
 */
#ifndef PIPELINE_FRONT_PRIVATE_H
#define PIPELINE_FRONT_PRIVATE_H

#include "pipeline/front/front.h"
#include "shader/spread.h"

enum {
    CHUNK_VERTICES = CHUNK_PRIMITIVES * 6, /* triangles with adjacency; patches are fewer */
    VERTEX_SLACK = 8, /* room behind the vertices for stores of whole vectors */
    CLIP_VERTICES = 64,
    WAITING = 64,
    CACHE_BITS = 14,
    CACHE_ENTRIES = 1 << CACHE_BITS
};

/* Vertices after a program, 32 at a time: the o[] rows of the program, then rows made of them.
 * Vertex n is lane n % 32 of rows n / 32. */
struct vertex_rows {
    u32x32 *data; /* [vertices / 32 * stride] */
    size_t capacity;
    struct row_layout layout;
};

/* Bits of the outcode of a vertex, WINDOW_CODE. */
enum {
    OUT_NEAR = 1,
    OUT_FAR = 2,
    OUT_GUARD = 4 /* left, right, top, bottom: 4..32 */,
    OUT_W = 64,
    OUT_PLANE = 128 /* eight of them */,
    OUT_CULL = 1 << 16 /* eight */,
    OUT_LOST = 1 << 24 /* the position cannot be drawn */,
    OUT_CLIP = 0xffff,
    OUT_OUTSIDE = OUT_LOST - 1
};

/* A vertex taken out of its rows, for stages that work on one primitive at a time. */
struct out_vertex {
    struct raster_vertex v; /* v.slot: all slots; 0-3 are the clip space position */
    uint32_t code;          /* without OUT_LOST */
};

/* vertex.c: notes that a warp of the call failed in the running chunk. */
void front_fail(struct front *f, const struct draw_call *call, enum program_type stage);
/* The vertices of a chunk up to number `end` whose programs see the same constants and arrays. */
struct vertex_span {
    uint32_t end;
    bool other_constants;         /* the constants differ from those of the span before */
    const struct draw_call *call; /* of the first vertex */
};

struct prim_list {
    struct raster_prim **prim;
    uint32_t count, capacity;
};

/* Primitives that wait for set-up together: points, lines or triangles. front.c */
struct waiting {
    const struct vertex_rows *rows; /* of their vertices */
    uint8_t vertices;               /* of each primitive: 1, 2 or 3 */
    uint32_t count;
    uint32_t vertex[3 * WAITING];
    uint32_t provoking[WAITING]; /* points, lines: the provoking vertex */
    uint8_t corner[WAITING];     /* triangles: the provoking corner */
    uint8_t front[WAITING];      /* points, lines: 0: made of a polygon that faces away */
    uint8_t begins[WAITING];     /* lines: the stipple begins anew */
    float size[WAITING];         /* points */
    uint32_t number[WAITING];    /* of the draw's primitive */
};

struct geometry;
struct patches;

struct front {
    struct arena *arena;     /* for data that outlives the chunk */
    struct profile *profile; /* NULL: not measured */
    uint32_t tiles_x, tiles_y;
    struct front_counters counters;
    struct trap trap;
    uint64_t order; /* of the running chunk */
    bool oom;
    uint32_t stream_offset[STATE_STREAMS]; /* bytes written, for draws with stream out only */
    uint32_t stream_primitives;            /* primitives written, likewise */
    struct warp *warp;
    u32x32 *local;
    size_t local_rows;
    u32x32 attr[SPREAD_FIRST +
                SPREAD_WORDS]; /* fetched rows, then constants that differ between lanes */
    struct warp_env spread;    /* the environment of a warp with constants in rows */
    bool spread_registers;     /* the constants in rows are registers (Fermi) */
    /* the chunk's primitives, as numbers of its vertices */
    uint32_t *prim_vertex; /* [count * vertices of a primitive] */
    uint32_t *prim_id;
    uint8_t *prim_provoking; /* as in struct assembled; prim_info, too */
    struct prim_info {
        uint8_t edges, start, begins;
    } *prim_info;
    uint32_t prim_count;
    /* the chunk's vertices, each once */
    uint32_t vertex_count;
    uint32_t *index, *instance;
    uint32_t *cache;     /* [CACHE_ENTRIES] hash table of elements.c */
    uint32_t cache_base; /* entries up to this number are of earlier chunks */
    struct vertex_span span[CHUNK_PIECES];
    uint32_t span_count;
    struct vertex_rows rows;
    u32x32 out[RESULT_ROWS]; /* o[] of a warp that has only a part of a vertex set */
    struct geometry *geometry;
    struct patches *patches;
    /* triangles that are left after culling */
    uint32_t kept[CHUNK_PRIMITIVES];
    /* the vertices of one primitive, and those that clipping makes */
    uint32_t corner_slot[3 * SLOTS];
    struct out_vertex corner[3];
    uint32_t clip_slot[CLIP_VERTICES * SLOTS];
    struct out_vertex clip_vertex[CLIP_VERTICES];
    uint32_t clip_used;
    struct waiting waiting;
    struct vertex_rows loose; /* vertices of waiting primitives that went through clip.c */
    uint32_t loose_count;
    uint32_t origin;                 /* number of the draw's primitive that clip.c is at work on */
    const struct draw_call *call;    /* the call under work */
    const struct pixel_watch *watch; /* or NULL */
    bool relaxed;        /* watch.c looks for the pixels of points outside the view volume */
    uint32_t stipple;    /* where in the pattern the next stippled line begins, in 1/256 steps */
    bool stipple_begins; /* the next waiting line begins the pattern again */
    struct prim_list prims;
    /* binning */
    uint32_t *tile_slot; /* [tiles of all layers]: 1 + slot; zero between bin sets */
    size_t tile_capacity;
    struct bin_slot {                  /* a tile that is touched */
        uint32_t tile, count, covered; /* as in struct chunk_bin */
        uint32_t next;                 /* the place of its next primitive */
    } *slot;
    struct bin_entry {
        uint32_t slot;
        const struct raster_prim *prim;
    } *entry;
    uint32_t entry_count, entry_capacity, slot_count, slot_capacity;
};

/* ---- the stages, in order ---- */

/* elements.c: assembly and index fetch; fills prim_* and index, instance, span */
void front_assemble(struct front *f, const struct chunk *chunk);
/* vertex.c: vertex programs; fills rows, not projected */
bool front_vertices(struct front *f, const struct chunk *chunk);
struct output;
/* patches.c: tessellation programs; the primitives go on to the geometry stage or to the output */
void front_patches(struct front *f, const struct chunk *chunk);
void patches_free(struct patches *p);
/* For debuggers: the patch that primitive i of the output was made of, with the (u, v) of points. */
struct traced_primitive;
void patches_trace(const struct front *f, const struct output *o, uint32_t i,
                   struct traced_primitive *out);
/* geometry.c: geometry programs; in: the primitives that they take */
void front_geometry(struct front *f, const struct draw_call *call, const struct output *in);
void geometry_free(struct geometry *g);
/* vertex.c: colour clamping, outcodes and window coordinates of the first n vertices */
void front_project(const struct draw *d, enum simd_level simd, struct vertex_rows *rows,
                   uint32_t n);
void viewport_window(const struct draw *d, struct out_vertex *v);
/* clip.c: clips one primitive of 1, 2 or 3 vertices and finds its face; then the primitive waits
 * for set-up. */
struct primitive {
    const struct out_vertex *v[3];
    uint8_t count, provoking, edges, start;
    bool begins;
    uint32_t id;
    uint32_t origin; /* number of the draw's primitive */
};
void front_primitive(struct front *f, const struct draw *d, const struct primitive *p);
/* output.c: makes room for n more primitives; false when out of memory. */
bool front_reserve(struct front *f, uint32_t n);
/* front.c: adds primitives for set-up, in order, as numbers of vertices in rows. */
struct waiting_line {
    uint32_t vertex[2], provoking;
    bool front;
    uint32_t number; /* of the draw's primitive */
};
struct waiting_point {
    uint32_t vertex, provoking;
    bool front;
    uint32_t number;
};
/* The size of the point at vertex n: the draw's, or the vertex' slot for it. */
float front_point_size(const struct draw *d, const struct vertex_rows *rows, uint32_t n);
void front_wait_point(struct front *f, const struct draw *d, const struct vertex_rows *rows,
                      const struct waiting_point *point);
void front_wait_line(struct front *f, const struct draw *d, const struct vertex_rows *rows,
                     const struct waiting_line *line);
void front_wait_triangle(struct front *f, const struct draw *d, const struct vertex_rows *rows,
                         const uint32_t vertex[3], uint8_t provoking, uint32_t number);
/* Add primitives for set-up whose vertices may lie outside of rows. They are made of the draw's
 * primitive f->origin. Flat words are those of the info's provoking vertex. */
struct face_info {
    bool front;
    uint8_t provoking; /* index of the vertex whose words flat inputs take */
    uint16_t layer, viewport;
};
void front_wait_loose_point(struct front *f, const struct draw *d, const struct out_vertex *v,
                            const struct face_info *info);
void front_wait_loose_line(struct front *f, const struct draw *d,
                           const struct out_vertex *const v[2], const struct face_info *info);
void front_wait_loose_fan(struct front *f, const struct draw *d, const struct out_vertex *const *v,
                          uint32_t count, const struct face_info *info);
/* Set-up of all waiting primitives, which are of this draw. */
void front_settle(struct front *f, const struct draw *d);
/* The rows in the form that set-up takes. */
struct raster_vertices front_vertex_rows(const struct draw *d, const struct vertex_rows *rows);
/* output.c: sorts prims by tile into a bin set; NULL if there are none, or no memory (oom is set
 * then). *bytes: the bytes of the set are added. */
struct bin_set *front_bin(struct front *f, size_t *bytes);
/* streamout.c: writes the vertices of one primitive to the stream buffers */
void front_stream_out(struct front *f, const struct draw *d, const struct primitive *p,
                      uint32_t stream);
/* output.c: the stages after the last program: stream out, clipping and set-up. There are n
 * primitives, each with `stride` vertex numbers. number[first + k * step] is vertex k of a
 * primitive. */
struct output {
    const struct vertex_rows *rows;
    const uint32_t *number;
    const uint8_t *provoking; /* index into the numbers of a primitive */
    const struct prim_info *info;
    const uint32_t *id; /* NULL: no ids */
    uint32_t n;
    uint8_t vertices, stride, first, step;
    enum program_type maker; /* of the vertices: VP, TEP, GP */
    const uint32_t
        *vertex_name; /* for debuggers: the number of each vertex; NULL: vertex number / 32 */
    /* The number of the draw's primitive that primitive i was made of: see output_origin().
     * lane_source: by the lane of its first vertex; source: by i; both NULL: origin + i. */
    uint32_t origin;
    const uint32_t *source, *lane_source;
    uint8_t stream; /* the vertex stream; only primitives of stream 0 are rasterized */
};
void front_output(struct front *f, const struct draw *d, enum simd_level simd,
                  const struct output *o);

/* The number of the draw's primitive that primitive i was made of. */
static inline uint32_t output_origin(const struct output *o, uint32_t i) {
    if (o->lane_source)
        return o->origin + o->lane_source[o->number[(size_t)i * o->stride] % LANES];
    return o->origin + (o->source ? o->source[i] : i);
}
/* Takes primitive i with its vertices, which lie in f until the next call. */
void output_take(struct front *f, const struct draw *d, const struct output *o, uint32_t i,
                 struct primitive *p);
/* watch.c: reports primitives near watched pixels. Set-up has made the raster primitives
 * f->prims[first..] of the output's primitives; both have the same numbers. */
void front_watch(struct front *f, const struct draw *d, const struct output *o, uint32_t first);

/* vertex.c, shared with geometry.c: the l[] rows of a warp; false when out of memory */
bool front_local(struct front *f, struct warp *w, uint32_t size);
/* Makes rows of this layout for n vertices. */
bool rows_reserve(struct vertex_rows *rows, const struct row_layout *layout, uint32_t n);
/* Sets the constant rows of a set of 32 vertices. */
void rows_constants(const struct vertex_rows *rows, uint32_t set);
/* The o[] rows of 32 vertices, cleared, with the constant rows set. */
u32x32 *rows_begin(const struct vertex_rows *rows, uint32_t set);

#endif
