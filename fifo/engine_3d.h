/* The 3D engine's object and the files of its methods: engine_3d.c (methods with an immediate
 * effect), state_3d.c (registers to pipeline state, at a draw), fermi_3d.c and state_fermi.c (both
 * for Fermi, where its methods or registers differ), program_code.c (programs of code segments),
 * query_3d.c (queries, fences).
 */
#pragma once

#include "fifo/program_code.h"
#include "fifo/methods.h"

/* Values of registers that the pipeline's state has in another form. */
enum {
    REG_CW = 0x900,
    REG_CCW,
    REG_FRONT = 0x404,
    REG_BACK,
    REG_FRONT_AND_BACK = 0x408,
    REG_FLAT = 0x1d00,
    REG_SMOOTH,
    REG_ALWAYS = 0x207,
    REG_COPY = 0x1503,
    REG_FILL = 0x1b02,
};

struct fence {
    uint64_t address;
    uint32_t sequence;
    bool is_short;
};

struct engine_3d {
    struct engine base;
    struct code_cache code;
    uint64_t fragment_code; /* channel_fragment_code at the last look-up of programs */
    bool drawing;           /* between BEGIN and END */
    uint32_t array_mode[2]; /* RT_ARRAY_MODE: [0] the current value, [1] the value before */
    uint32_t viewports;     /* so many viewports are up to date in the pipeline's state */
    /* the rest of the last SETUP of packed indices: indices to skip, indices to draw */
    uint32_t skip, left; /* left: UINT32_MAX = no limit */
    struct fence *fence; /* written when all earlier work is done */
    size_t fence_count, fence_capacity;
};

/* Brings the pipeline's state up to date with the registers. */
void state_3d_update(struct engine_3d *t);
/* Bring only targets, viewports, samples and the condition up to date. state_3d_update_clear() is
 * for a Tesla's clear of a layer (state_3d.c). */
void state_3d_update_clear(struct engine_3d *t, uint32_t layer);
void state_3d_update_targets(struct engine_3d *t);

method_fn query_3d_get, query_3d_counter_reset;

/* engine_3d.c: parts of methods that both generations have. `word` is the data word of BIND_TIC,
 * BIND_TSC or CLEAR_BUFFERS, equal in both generations. */
void engine_3d_begin(struct engine *e, uint32_t address, uint32_t primitive,
                     enum draw_instance instance);
bool engine_3d_in_draw(struct engine *e, uint32_t address);
void engine_3d_clear(struct engine *e, uint32_t address, uint32_t word,
                     const struct raster_rect *rect, bool stencil_masked);
void engine_3d_bind_tic(struct engine *e, uint32_t address, enum program_type stage, uint32_t word);
void engine_3d_bind_tsc(struct engine *e, uint32_t address, enum program_type stage, uint32_t word);

/* fermi_3d.c; fermi_query_get: query_3d.c */
method_fn macro_upload, fermi_begin, fermi_index_batch, fermi_attribute, fermi_clear, fermi_cb_bind,
    fermi_cb_data, fermi_bind_tic, fermi_bind_tsc, fermi_barrier, fermi_tfb_offset, fermi_query_get;
/* For the 3D and the compute class. The first function binds a range of memory to c[slot] of a
 * stage. The second writes words to a constant buffer at byte *position and advances *position. */
void fermi_bind_constants(struct engine *e, enum program_type stage, uint32_t slot, bool valid,
                          uint64_t address, uint32_t size);
void fermi_write_constants(struct engine *e, uint32_t method, uint64_t address, uint32_t size,
                           uint32_t *position, const uint32_t *data, uint32_t count);

/* state_fermi.c: state that Fermi's registers hold in another form than Tesla's. */
void fermi_read_fetch(struct engine *e, struct state *s);
void fermi_read_programs(struct engine_3d *t, struct state *s);
void fermi_read_targets(struct engine *e, struct state *s);
void fermi_read_raster(struct engine *e, struct state *s);
void fermi_read_streams(struct engine *e, struct state *s);
void fermi_read_images(struct engine *e, struct state *s);
/* An image, read from the registers whose homes begin at `home`. */
struct image_view fermi_image(const struct engine *e, uint32_t home);
/* state_3d.c, for both generations: read colour target i and zeta, without the fields whose
 * registers differ. */
void state_3d_read_color(struct engine *e, uint32_t i, struct target_state *t);
void state_3d_read_zeta(struct engine *e, struct target_state *t);
/* query_3d.c: writes a report of samples that context_report_samples() has put off. */
void query_3d_report(void *channel, uint64_t address, uint32_t sequence, uint64_t samples);
/* Writes the waiting fences. All earlier work must be done. */
void query_3d_finish(struct engine *e);
/* True if a waiting fence will be written into this range of memory. */
bool query_3d_awaits(const struct engine *e, uint64_t address, uint64_t size);
