/* The private declarations of the front end, for the files of this folder only: the memory of one
 * worker, and the functions of the stages in their order.
 */
#pragma once

#include "pipeline/front/front.h"
#include "shader/spread.h"

enum {
    /* six for a triangle with adjacency; chunks of patches have fewer vertices */
    CHUNK_VERTICES = CHUNK_PRIMITIVES * 6,
    VERTEX_SLACK = 8, /* room after the vertices, because whole vectors are stored */
    CLIP_VERTICES = 64,
    WAITING = 64,
    CACHE_BITS = 14,
    CACHE_ENTRIES = 1 << CACHE_BITS
};

/* Vertices after a program, in sets of 32: the o[] rows of the program, then rows computed from the
 * o[] rows. Vertex n is lane n % 32 of vertex set n / 32. */
struct vertex_rows {
    u32x32 *data; /* [vertices / 32 * stride] */
    size_t capacity;
    struct row_layout layout;
};

/* Bits of a vertex' outcode, in row WINDOW_CODE: the vertex lies outside of the plane that the bit
 * is named after. */
enum {
    OUT_NEAR = 1,
    OUT_FAR = 2,
    OUT_GUARD = 4 /* four planes, bits 4 to 32: least x, greatest x, least y, greatest y */,
    OUT_W = 64,
    OUT_PLANE = 128 /* eight clip planes */,
    OUT_CULL = 1 << 16 /* eight cull distances */,
    OUT_LOST = 1 << 24 /* set-up cannot draw the position */,
    OUT_CLIP = 0xffff,
    OUT_OUTSIDE = OUT_LOST - 1
};

/* A vertex taken out of its rows, for stages that work on one primitive at a time. */
struct out_vertex {
    struct raster_vertex v; /* v.slot: all slots; 0-3 are the clip space position */
    uint32_t code;          /* outcode without OUT_LOST */
};

/* vertex.c: notes that a warp of the call failed in the running chunk. */
void front_fail(struct front *f, const struct draw_call *call, enum program_type stage);
/* Vertices of a chunk whose programs see the same constants and arrays: those from the end of the
 * previous span to number `end`. */
struct vertex_span {
    uint32_t end;
    bool other_constants;         /* the constants differ from those of the previous span */
    const struct draw_call *call; /* the call of the first vertex */
};

struct prim_list {
    struct raster_prim **prim;
    uint32_t count;
    size_t capacity;
};

/* Primitives that wait for set-up together: points, lines or triangles (front.c). */
struct waiting {
    const struct vertex_rows *rows; /* the rows with the primitives' vertices */
    uint8_t vertices;               /* of each primitive: 1, 2 or 3 */
    uint32_t count;
    uint32_t vertex[3 * WAITING];
    uint32_t provoking[WAITING]; /* points, lines: the provoking vertex */
    uint8_t corner[WAITING];     /* triangles: the provoking corner */
    uint8_t front[WAITING];      /* points, lines: 0 if they come from a polygon that faces away */
    uint8_t begins[WAITING];     /* lines: the stipple begins anew with this line */
    float size[WAITING];         /* points */
    uint32_t number[WAITING];    /* number of the draw's primitive */
};

struct geometry;
struct patches;

struct front {
    struct arena *arena;     /* for data that outlives the chunk */
    struct profile *profile; /* NULL: not measured */
    uint32_t tiles_x, tiles_y;
    struct front_counters counters;
    struct trap trap;
    uint64_t order; /* trap_order() of the running chunk */
    bool oom;
    uint32_t stream_offset[STATE_STREAMS]; /* draws with stream out: bytes written */
    uint32_t stream_primitives;            /* draws with stream out: primitives written */
    struct warp *warp;
    u32x32 *local;
    size_t local_rows;
    /* The rows of attributes, then rows of constants that differ between lanes. */
    u32x32 attr[SPREAD_FIRST + SPREAD_WORDS];
    struct warp_env spread; /* the environment of a warp with constants in rows */
    bool spread_registers;  /* constants in rows are registers (Fermi), not rows of attr[] */
    /* the chunk's primitives, as numbers of its vertices */
    uint32_t *prim_vertex; /* [count * vertices of a primitive] */
    uint32_t *prim_id;
    uint8_t *prim_provoking; /* prim_provoking and prim_info: as in struct assembled */
    struct prim_info {
        uint8_t edges, start, begins;
    } *prim_info;
    uint32_t prim_count;
    /* the chunk's vertices, each once */
    uint32_t vertex_count;
    uint32_t *index, *instance;
    uint32_t *cache;     /* [CACHE_ENTRIES] hash table of elements.c */
    uint32_t cache_base; /* entries up to this number count as empty */
    struct vertex_span span[CHUNK_PIECES];
    uint32_t span_count;
    struct vertex_rows rows;
    u32x32 out[RESULT_ROWS]; /* o[] of a warp that runs for only some vertices of a set */
    struct geometry *geometry;
    struct patches *patches;
    /* triangles that are left after culling */
    uint32_t kept[CHUNK_PRIMITIVES];
    /* the vertices of one primitive, then vertices that clipping makes */
    uint32_t corner_slot[3 * SLOTS];
    struct out_vertex corner[3];
    uint32_t clip_slot[CLIP_VERTICES * SLOTS];
    struct out_vertex clip_vertex[CLIP_VERTICES];
    uint32_t clip_used;
    struct waiting waiting;
    struct vertex_rows loose; /* vertices of the waiting primitives that come from clip.c */
    uint32_t loose_count;
    uint32_t origin;                 /* number of the draw's primitive that clip.c works on */
    const struct draw_call *call;    /* the call whose primitives are output */
    const struct pixel_watch *watch; /* or NULL */
    bool relaxed;                    /* set by watch.c: points outside of the view are drawn, too */
    uint32_t stipple;    /* place in the pattern at which the next line begins, in 1/256 step */
    bool stipple_begins; /* the next waiting line of a stippled draw begins the pattern anew */
    struct prim_list prims;
    /* binning */
    uint32_t *tile_slot; /* [tiles of all layers]: 1 + index in slot[]; 0: untouched */
    size_t tile_capacity;
    struct bin_slot {                  /* a tile that is touched */
        uint32_t tile, count, covered; /* as in struct chunk_bin */
        uint32_t next;                 /* place of the tile's next primitive in the sorted list */
    } *slot;
    struct bin_entry {
        uint32_t slot;
        const struct raster_prim *prim;
    } *entry;
    uint32_t entry_count, slot_count;
    size_t entry_capacity, slot_capacity;
};

/* ---- the stages, in order ---- */

/* elements.c: assembles primitives and fetches indices; fills prim_*, index, instance and span. */
void front_assemble(struct front *f, const struct chunk *chunk);
/* vertex.c: runs vertex programs; fills rows, except for the window rows. False if a program failed
 * or memory ran out. */
bool front_vertices(struct front *f, const struct chunk *chunk);
struct output;
/* patches.c: runs tessellation programs; hands the primitives to the geometry stage or to
 * front_output(). */
void front_patches(struct front *f, const struct chunk *chunk);
void patches_free(struct patches *p);
/* For debuggers: fills in the patch that primitive i of the output was made of, with the (u, v) of
 * points. */
struct traced_primitive;
void patches_trace(const struct front *f, const struct output *o, uint32_t i,
                   struct traced_primitive *out);
/* geometry.c: runs geometry programs. in: the primitives that the programs take. */
void front_geometry(struct front *f, const struct draw_call *call, const struct output *in);
void geometry_free(struct geometry *g);
/* vertex.c: clamps colours and makes outcodes and window coordinates of the first n vertices. */
void front_project(const struct draw *d, enum simd_level simd, struct vertex_rows *rows,
                   uint32_t n);
void viewport_window(const struct draw *d, struct out_vertex *v);
/* clip.c: clips one primitive of 1, 2 or 3 vertices and finds its face; what is left of the
 * primitive then waits for set-up. */
struct primitive {
    const struct out_vertex *v[3];
    uint8_t count, provoking, edges, start;
    bool begins;
    uint32_t id;
    uint32_t origin; /* number of the draw's primitive */
};
void front_primitive(struct front *f, const struct draw *d, const struct primitive *p);
/* output.c: makes room for n more primitives. False when out of memory. */
bool front_reserve(struct front *f, uint32_t n);
/* front.c: the front_wait functions add primitives for set-up, in order. Vertices are numbers in
 * `rows`. */
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
/* The size of the point at vertex n, in pixels: that of the draw, or the one in the vertex'
 * slot. */
float front_point_size(const struct draw *d, const struct vertex_rows *rows, uint32_t n);
void front_wait_point(struct front *f, const struct draw *d, const struct vertex_rows *rows,
                      const struct waiting_point *point);
void front_wait_line(struct front *f, const struct draw *d, const struct vertex_rows *rows,
                     const struct waiting_line *line);
void front_wait_triangle(struct front *f, const struct draw *d, const struct vertex_rows *rows,
                         const uint32_t vertex[3], uint8_t provoking, uint32_t number);
/* front.c: the front_wait_loose functions add primitives whose vertices come from clip.c, not from
 * rows. These primitives count as parts of the draw's primitive f->origin. */
struct face_info {
    bool front;
    uint8_t provoking; /* index of the vertex whose words flat inputs read */
    uint16_t layer, viewport;
};
void front_wait_loose_point(struct front *f, const struct draw *d, const struct out_vertex *v,
                            const struct face_info *info);
void front_wait_loose_line(struct front *f, const struct draw *d,
                           const struct out_vertex *const v[2], const struct face_info *info);
void front_wait_loose_fan(struct front *f, const struct draw *d, const struct out_vertex *const *v,
                          uint32_t count, const struct face_info *info);
/* Sets up all waiting primitives. All belong to draw d. */
void front_settle(struct front *f, const struct draw *d);
/* Returns the rows in the form that set-up takes. */
struct raster_vertices front_vertex_rows(const struct draw *d, const struct vertex_rows *rows);
/* output.c: sorts prims by tile into a bin set and adds the bytes of the set to *bytes. NULL if
 * there are no primitives, or when out of memory; `oom` is set only in the second case. */
struct bin_set *front_bin(struct front *f, size_t *bytes);
/* output.c: the stages after the last program: stream out, clipping and set-up. There are n
 * primitives, each with `stride` vertex numbers. number[i * stride + first + k * step] is vertex k
 * of primitive i. */
struct output {
    const struct vertex_rows *rows;
    const uint32_t *number;
    const uint8_t *provoking; /* index of the provoking vertex among a primitive's numbers */
    const struct prim_info *info;
    const uint32_t *id; /* primitive ids; NULL: all are 0 */
    uint32_t n;
    uint8_t vertices, stride, first, step;
    enum program_type maker; /* the program that made the vertices: PROGRAM_VP, _TEP or _GP */
    /* For debuggers: the number of each vertex of `rows`. NULL: a vertex has the number of its
     * vertex set (vertices that geometry programs emit). */
    const uint32_t *vertex_name;
    /* The number of the draw's primitive that primitive i comes from is origin + lane_source[lane
     * of the first vertex of i], or origin + source[i], or, if both pointers are NULL, origin + i:
     * see output_origin(). */
    uint32_t origin;
    const uint32_t *source, *lane_source;
    uint8_t stream; /* the vertex stream; only primitives of stream 0 are rasterized */
};
void front_output(struct front *f, const struct draw *d, enum simd_level simd,
                  const struct output *o);
/* streamout.c: writes the vertices of the primitives to the buffers of their vertex stream. */
void front_stream_out(struct front *f, const struct draw *d, const struct output *o);

/* Returns the number of the draw's primitive that primitive i comes from. */
static inline uint32_t output_origin(const struct output *o, uint32_t i) {
    if (o->lane_source)
        return o->origin + o->lane_source[o->number[(size_t)i * o->stride] % LANES];
    return o->origin + (o->source ? o->source[i] : i);
}
/* output.c: copies primitive i and its vertices out of the rows. The copies lie in f until the next
 * call. */
void output_take(struct front *f, const struct draw *d, const struct output *o, uint32_t i,
                 struct primitive *p);
/* watch.c: reports primitives near watched pixels. The raster primitives of the output are
 * f->prims[first..]; each has the number of its primitive in the output. */
void front_watch(struct front *f, const struct draw *d, const struct output *o, uint32_t first);

/* vertex.c: clears the l[] rows of a warp and gives them to the warp. False when out of memory. */
bool front_local(struct front *f, struct warp *w, uint32_t size);
/* Makes rows of this layout for n vertices. False when out of memory. */
bool rows_reserve(struct vertex_rows *rows, const struct row_layout *layout, uint32_t n);
/* Sets the rows of 0 and of 1.0 in a vertex set. */
void rows_constants(const struct vertex_rows *rows, uint32_t set);
/* Clears the o[] rows of a vertex set, sets the rows of 0 and of 1.0, and returns the o[] rows. */
u32x32 *rows_begin(const struct vertex_rows *rows, uint32_t set);
