/* The programs of a draw or a dispatch with their constants (captured by value) and textures
 * (decoded). In: GROUP_PROGRAM, GROUP_CONSTANT and GROUP_TEXTURE. Out: struct stage_state; the
 * environment of a dispatch. Must not know vertices, fragments or threads.
 */
#include "pipeline/debug/unbound.h"
#include "pipeline/state/build.h"

/* Instructions that a warp of a graphics program may take before its time counts: more than most
 * programs that end need. */
enum { WARP_BUDGET = 1 << 22 };

static uint32_t *overtime_of(tp_context *c, const struct program *program) {
    return &c->p->overtime[(uintptr_t)program / sizeof *program % OVERTIME_SLOTS];
}

static bool capture_stage(tp_context *c, enum program_type stage, struct warp_env *env,
                          struct tex_unit *unit) {
    struct program *program = c->state.program[stage];
    *env = (struct warp_env){
        .program = program,
        .simd = c->device->simd,
        .mode = c->state.mode,
        .call_limit = c->state.call_limit[stage],
        .budget = c->device->warp_budget ? c->device->warp_budget
                  : stage == PROGRAM_CP  ? 0 /* the shader core's own, larger limit */
                                         : WARP_BUDGET,
        .overtime = c->device->warp_budget ? NULL : overtime_of(c, program),
        .native = c->device->native,
        .observer = c->observer[stage],
    };
    if (!program)
        return true;
    if (!scene_keep(c->p->scene, program) || !capture_constants(c, stage, env) ||
        !capture_textures(c, stage, unit))
        return false;
    env->tex = unit->binding;
    return true;
}

static enum tp_result check_programs(tp_context *c) {
    const struct state *s = &c->state;
    if (!s->program[PROGRAM_VP])
        return context_fail(c, TP_ERROR_INVALID, "no vertex program is bound");
    const struct program_header *gp = &s->header[PROGRAM_GP];
    if (s->program[PROGRAM_GP] && (gp->gp_out_primitive < 1 || gp->gp_out_primitive > 3)) {
        return context_fail(
            c, TP_ERROR_INVALID,
            "geometry program %s: output primitive %u is none of 1 points, 2 line strip, "
            "3 triangle strip",
            s->program[PROGRAM_GP]->name, gp->gp_out_primitive);
    }
    const enum program_type last = s->program[PROGRAM_GP] ? PROGRAM_GP : PROGRAM_VP;
    if (s->header[last].map_size < 4) {
        return context_fail(
            c, TP_ERROR_INVALID,
            "%s program %s: the result map has %u slots, position takes slots 0 to 3",
            stage_name[last], s->program[last]->name, s->header[last].map_size);
    }
    return TP_OK;
}

bool stages_hold(tp_context *c, struct stage_state *s) {
    if (textures_are_checked(&c->p->captured, s))
        return true;
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++) {
        const struct program *program = s->program[i].program;
        struct tex_unit unit;
        if (program && program->tex_slot_count &&
            (!capture_textures(c, i, &unit) || !same_textures(program, &unit, &s->tex[i])))
            return false;
    }
    s->checked = scene_now(c->p->scene);
    return true;
}

void *make_stages(struct draw_maker *m) {
    tp_context *c = m->c;
    m->result = check_programs(c);
    struct stage_state *s = m->result == TP_OK ? part_alloc(m, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->infallible = true;
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++) {
        const struct program *program = c->state.program[i];
        if (!capture_stage(c, i, &s->program[i], &s->tex[i])) {
            m->result =
                context_fail(c, TP_ERROR_MEMORY, "out of memory capturing the state of a draw");
            return NULL;
        }
        s->now[i] = &s->program[i];
        s->name[i] = program ? program->name : "";
        s->infallible &= !program || (program->facts.infallible && !c->observer[i]);
    }
    note_textures(c, s);
    s->checked = s->renewed = scene_now(c->p->scene);
    warn_unbound(c, s, m->inlined);
    return s;
}

/* ---- compute ---- */

/* A linear g[] whose address lies in no buffer opens the whole of memory. */
static struct global_view global_view(tp_context *c, const struct global_state *s) {
    struct gpu_memory *m = c->device->memory;
    uint64_t extent = memory_extent(m, s->address);
    uint8_t *data = extent || s->tiled ? memory_at(m, s->address, extent)
                                       : memory_window(m, s->address, &extent);
    const uint64_t limit = s->limit < extent ? s->limit : extent;
    return (struct global_view){data, limit, s->tiled, s->pitch, s->block_height};
}

bool capture_compute(tp_context *c, struct warp_env *env, struct global_view g[16],
                     struct tex_unit *unit) {
    if (!capture_stage(c, PROGRAM_CP, env, unit)) {
        context_fail(c, TP_ERROR_MEMORY, "out of memory capturing the state of a dispatch");
        return false;
    }
    for (int i = 0; i < STATE_GLOBALS; i++)
        g[i] = global_view(c, &c->state.global[i]);
    env->g = g;
    return true;
}
