/* The data that a context has captured of its state, for later draws: numbered state objects, parts
 * of draws, copies of constants, decoded descriptors. For the files of this folder. One clock, the
 * scene's epochs (scene/scene.h), tells if data is still valid. An event takes a new epoch
 * (scene_tick()). Captured data keeps the epoch at which it was made or checked; the data is valid
 * while no event that it depends on is newer.
 */
#pragma once

#include "pipeline/draw.h"

/* The kinds of events that may change the memory or the bindings of a draw. */
enum memory_event {
    EVENT_MAPPED,      /* memory was allocated or freed: addresses may have other host pointers */
    EVENT_DESCRIPTORS, /* descriptors may have been written */
    EVENT_CONSTANTS,   /* constants may have been written, or other buffers bound */
    /* The scene began to write targets. Textures must then be checked, because a draw may sample
     * its targets. */
    EVENT_TARGETS,
    EVENT_ARRAYS, /* vertex arrays or programs were set, or a report will be written */
    MEMORY_EVENTS
};

/* The kinds of state objects (objects.c). An object is the contents of the state groups that a draw
 * uses; equal contents are one object. Parts are made of objects. */
enum object_kind {
    OBJECT_VERTEX,       /* the vertex program, the slots with a meaning, modes of all programs */
    OBJECT_TESSELLATION, /* the tessellation programs, the tessellator */
    OBJECT_GEOMETRY,     /* the geometry program */
    OBJECT_FRAGMENT,     /* the fragment program; layer, source of point sizes, point coordinates */
    OBJECT_FETCH,        /* attributes that are read, vertex ids, the provoking vertex */
    OBJECT_TEXTURE,      /* the textures and samplers that programs name */
    OBJECT_TARGET,       /* the targets, resolved */
    OBJECT_VIEW,         /* transform from clip space to the window, clipping */
    OBJECT_SCISSOR,      /* scissors, window rectangles, depth ranges */
    OBJECT_RASTER,
    OBJECT_ZETA,
    OBJECT_COLOR,
    OBJECT_SAMPLE,
    OBJECTS
};
/* The table of the objects of one kind, found by their contents. */
enum { OBJECT_SLOTS = 256 };
struct state_table {
    struct state_object *slot[OBJECT_SLOTS];
    uint32_t count;
};

/* The parts of draws (capture.c), known by the numbers of the objects they are made of. */
enum draw_part {
    PART_STAGES,
    PART_VIEW,
    PART_VERTEX,
    PART_TESSELLATION,
    PART_GEOMETRY,
    PART_PRIMITIVES,
    PART_PLAN,
    PARTS
};
enum { PART_WORDS = OBJECTS + 3, PART_SETS = 128, PART_WAYS = 4 };
struct known_part {
    uint64_t used; /* epoch of the last draw with this part */
    uint64_t last; /* number of the last use among all uses of parts */
    uint64_t hash; /* of the key */
    uint64_t key[PART_WORDS];
    void *value;
    struct kept_part *kept; /* memory of the part; NULL: value lies in the scene's memory */
};

/* The copy of one constant buffer (inputs.c). */
struct const_copy {
    uint64_t address;
    uint64_t located; /* epoch at which host and extent were found */
    const uint8_t *host;
    uint64_t extent;     /* bytes that may be read at host */
    uint64_t epoch;      /* the scene's epoch whose memory holds the copy */
    const uint8_t *data; /* the copy, of size bytes */
    uint32_t size;
};

/* Descriptors in decoded form, and bindings of a view and a sampler (inputs.c). Both are found by
 * their contents. They lie in the scene's memory and are valid for one epoch. */
enum { TEXTURE_SETS = 128, TEXTURE_WAYS = 4 /* ways: places for one descriptor or binding */ };
struct descriptor_cache {
    struct descriptor_copy {
        uint64_t epoch, checked; /* checked: epoch at which the view's memory was last compared */
        uint32_t word[8];
        const void *decoded;
    } copy[TEXTURE_SETS][TEXTURE_WAYS];
    uint32_t forgotten; /* number of descriptors that lost their place to another one */
};
struct binding_cache {
    struct binding_copy {
        uint64_t epoch;
        const struct tex_bound *bound;
    } copy[TEXTURE_SETS][TEXTURE_WAYS];
    uint32_t forgotten;
};

/* prepare.c: notes that an event of this kind happens now. */
void note_event(tp_context *c, enum memory_event event);

struct captured {
    uint64_t event[MEMORY_EVENTS]; /* epoch of the last event of each kind */
    uint64_t generation;           /* generation of GPU memory at the last EVENT_MAPPED */
    /* objects */
    uint64_t object[OBJECTS],
        objects; /* the number of each object of the state; the count of numbers given so far */
    struct state_table state_table[OBJECTS];
    /* parts */
    struct known_part part[PART_SETS * PART_WAYS];
    struct kept_part *lost_parts; /* parts without a place; queued draws may still use them */
    uint64_t part_uses;           /* uses of parts so far */
    uint64_t epochs;              /* number of the scene's epochs in which draws were captured */
    uint64_t parts_swept;         /* `epochs` at the last sweep over all parts */
    /* the state that was captured last */
    struct draw draw;         /* the parts of the last draw */
    uint32_t stale;           /* bit per part: to be looked up again */
    uint64_t class;           /* class and number of vertices of the last draw's primitives */
    uint64_t epoch;           /* the scene's epoch at the last capture */
    const struct draw *whole; /* the copy of `draw` in the scene's memory; NULL: there is none */
    struct stage_state *stages;
    /* the vertex arrays of the state, located at array_epoch */
    struct fetch_source array[FETCH_ATTRIBUTES];
    uint32_t array_mask; /* bit per array that is read */
    uint64_t array_epoch;
    const struct fetch_source *source; /* copy of `array`; NULL: none in this epoch */
    size_t source_size;                /* bytes */
    uint64_t source_epoch;
    /* the targets */
    struct raster_targets resolved; /* the targets of the state, resolved at resolved_epoch */
    uint64_t resolved_epoch;
    uint64_t set_epoch;   /* epoch in which the scene got the targets; 0: not yet */
    uint64_t noted_epoch; /* epoch in which note_targets() was last called */
    /* memory */
    struct const_copy const_copy[STATE_CONST_BUFFERS];
    uint64_t copied[STATE_CONST_BUFFERS / 64]; /* bit per buffer that has a copy of copied_epoch */
    uint64_t copied_epoch;
    /* the tables of the last draw; writes into other tables are not noticed */
    struct descriptor_table table[2];
    struct descriptor_cache views, samplers;
    struct binding_cache bindings;
};

/* True if no event has happened since the textures of these programs were last checked. A draw that
 * samples its own targets begins an epoch and writes targets in it, so its textures are checked at
 * every draw. */
static inline bool textures_are_checked(const struct captured *p, const struct stage_state *s) {
    return s->checked >= p->event[EVENT_DESCRIPTORS] && s->checked >= p->event[EVENT_TARGETS];
}

/* Returns the bytes of array[] up to the last array that is read. */
static inline size_t arrays_size(const struct captured *p) {
    const int count = p->array_mask ? 32 - __builtin_clz(p->array_mask) : 1;
    return (size_t)count * sizeof *p->array;
}
