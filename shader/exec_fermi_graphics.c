/* Inputs and outputs of Fermi's 3D programs: attributes by the rows of the program's header
 * (sph.h), vertices by handles, interpolation, emitted vertices, facts of a pixel. In: a linked op
 * and the lanes it runs in. Out: registers, output rows, calls through the emit port. Facts:
 * fermi-isa.md §6.7 and §9.
 */
#include "shader/exec_fermi_graphics.h"

#include "shader/alu/f32.h"
#include "shader/fermi.h"
#include "shader/sph.h"

static unsigned words_of(const struct operand *o) {
    return o->mem == TYPE_B96 ? 3 : type_bytes(o->mem) / 4;
}

/* ---- the words of an access ---- */

uint8_t fermi_input_row(enum program_type type, const struct op *op, uint32_t word) {
    const bool patch = type == PROGRAM_TCP || type == PROGRAM_TEP;
    if (word == A_PRIMITIVE_ID && (patch || type == PROGRAM_GP))
        return patch ? PATCH_PRIMITIVE_ID_ROW : GP_PRIMITIVE_ID_ROW;
    if (type == PROGRAM_TEP && op->sub & ATTRIBUTE_OUT && word - A_TESS_COORD < 2)
        return (uint8_t)(PATCH_COORD_ROWS + word - A_TESS_COORD);
    return ROW_NONE;
}

/* The row of word k of an access: at its fixed address, or at `at`, the address in one lane. */
static uint8_t row_of(const struct call *c, const struct operand *o, uint32_t at, unsigned k) {
    return operand_is_fixed(o) ? c->l->attr[k]
                               : fermi_attribute_row(c->env->program, op_of(c), at / 4 + k);
}

uint8_t fermi_attribute_row(const struct program *p, const struct op *op, uint32_t word) {
    const bool interpolates = op->code == OP_INTERP;
    if (interpolates && word == A_FACING && op->interp_mode == FINTERP_FLAT)
        return A_FACING;
    if (!p->rows || (!interpolates && op->sub & ATTRIBUTE_PATCH))
        return word < PLANE_NONE ? (uint8_t)word : interpolates ? PLANE_NONE : ROW_NONE;
    if (word >= A_WORDS)
        return interpolates ? PLANE_NONE : ROW_NONE;
    if (interpolates)
        return p->rows->in[word] == ROW_NONE ? PLANE_NONE : p->rows->in[word];
    if (op->code == OP_ST)
        return p->rows->out[word];
    const uint8_t own = fermi_input_row(p->type, op, word);
    return own != ROW_NONE ? own : op->sub & ATTRIBUTE_OUT ? p->rows->out[word] : p->rows->in[word];
}

/* ---- loads ---- */

/* True if the program reads vertices in warp.prim. False: its inputs are rows of warp.attr. */
static bool has_vertices(const struct call *c) {
    return c->env->program->rows && c->env->program->type != PROGRAM_VP;
}

/* The place at which one lane reads word `word` of a[], in row r; NULL: the word does not exist,
 * and the lane reads 0. handle: of the vertex, from src[1]. */
static const uint32_t *place(const struct call *c, uint8_t r, uint32_t word, int lane,
                             uint32_t handle) {
    const struct warp *w = c->w;
    const struct op *op = op_of(c);
    const enum program_type type = c->env->program->type;
    if (r == ROW_NONE)
        return NULL;
    if (c->env->program->rows && op->sub & ATTRIBUTE_PATCH) {
        const uint32_t first = type == PROGRAM_TCP ? fermi_first_lane(w, lane) : (uint32_t)lane;
        return r < w->patch_count ? (const uint32_t *)&w->patch[r] + first : NULL;
    }
    if (!has_vertices(c) || fermi_input_row(type, op, word) != ROW_NONE)
        return r < w->attr_count ? (const uint32_t *)&w->attr[r] + lane : NULL;
    if (op->sub & ATTRIBUTE_OUT)
        return r < w->out_count ? (const uint32_t *)&w->out[r] + handle % LANES : NULL;
    const uint64_t at = handle + (uint64_t)r * LANES;
    return at < w->prim_count ? w->prim + at : NULL;
}

/* A load lane by lane: lanes may differ in the address and in the handle. */
static void ld_lanes(const struct call *c, u32x32 v[4]) {
    const struct op *op = op_of(c);
    const struct operand *o = &op->src[0];
    const u32x32 base = o->flags & OPERAND_BASED ? row(c, o->areg) : lanes_splat(0);
    const u32x32 handle = fermi_source(c, 1);
    for (lane_mask rest = c->m; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const uint32_t at = base[lane] + o->value;
        for (unsigned k = 0; k < words_of(o); k++) {
            const uint32_t *p = place(c, row_of(c, o, at, k), at / 4 + k, lane, handle[lane]);
            v[k][lane] = p ? *p : 0;
            c->w->stats.bad_reads += !p;
        }
    }
}

/* True if word k of the access is a row of warp.attr. */
static bool is_row(const struct call *c, const struct operand *o, unsigned k) {
    const enum program_type type = c->env->program->type;
    return operand_is_fixed(o) && !(op_of(c)->sub & ATTRIBUTE_PATCH) &&
           (!has_vertices(c) || fermi_input_row(type, op_of(c), o->value / 4 + k) != ROW_NONE);
}

FERMI_HANDLER(ld_attribute) {
    const struct operand *o = &op_of(c)->src[0], *d = &op_of(c)->dst;
    u32x32 v[4];
    memset(v, 0, sizeof v);
    if (is_row(c, o, 0) && words_of(o) == 1 && c->l->attr[0] < c->w->attr_count)
        v[0] = c->w->attr[c->l->attr[0]];
    else
        ld_lanes(c, v);
    for (unsigned k = 0; d->file == FILE_R && k < words_of(o); k++)
        lanes_store(&c->w->r[dest_row(c->env, d->value + k)], v[k], c->m);
}

/* The handle of vertex n of the input primitive, by which loads name the vertex. */
FERMI_HANDLER(pfetch) {
    const struct operand *o = &op_of(c)->src[0];
    const uint32_t vertices =
        c->env->program->type == PROGRAM_GP ? GP_PRIMITIVE_ID_ROW : PATCH_PRIMITIVE_ID_ROW;
    const u32x32 base = o->flags & OPERAND_BASED ? row(c, o->areg) : lanes_splat(0);
    u32x32 v = lanes_splat(0);
    for (lane_mask rest = c->m; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const uint32_t n = base[lane] + o->value;
        if (n < vertices && n < c->w->attr_count)
            v[lane] = c->w->attr[n][lane];
        else
            c->w->stats.bad_reads++;
    }
    put(c, v);
}

/* ---- stores ---- */

static void st_patch(const struct call *c, uint8_t r, int lane, uint32_t v) {
    struct warp *w = c->w;
    if (r < w->patch_count && r != ROW_NONE && c->env->program->type == PROGRAM_TCP)
        w->patch[r][fermi_first_lane(w, lane)] = v;
    else
        w->stats.bad_writes++;
}

static void st_row(const struct call *c, uint8_t r, u32x32 v, lane_mask m) {
    struct warp *w = c->w;
    if (r != ROW_NONE && r < w->out_count)
        lanes_store(&w->out[r], v, m);
    else
        w->stats.bad_writes += lanes_count(m);
}

FERMI_HANDLER(st_attribute) {
    const struct operand *o = &op_of(c)->dst, *d = &op_of(c)->src[0];
    const bool patch = op_of(c)->sub & ATTRIBUTE_PATCH;
    const u32x32 base = o->flags & OPERAND_BASED ? row(c, o->areg) : lanes_splat(0);
    for (unsigned k = 0; k < words_of(o); k++) {
        const u32x32 v = d->file == FILE_R ? row(c, d->value + k) : lanes_splat(0);
        if (operand_is_fixed(o) && !patch) {
            st_row(c, c->l->attr[k], v, c->m);
            continue;
        }
        for (lane_mask rest = c->m; rest; rest &= rest - 1) {
            const int lane = __builtin_ctz(rest);
            const uint8_t r = row_of(c, o, base[lane] + o->value, k);
            if (patch)
                st_patch(c, r, lane, v[lane]);
            else
                st_row(c, r, v, (lane_mask)1 << lane);
        }
    }
}

/* Emits a vertex, ends a strip, or both. The result is the handle for the next out: vertices are
 * emitted in order, so handles have no meaning here, and src[0] is copied. */
FERMI_HANDLER(out) {
    const u32x32 stream = fermi_source(c, 1) & 3;
    for (lane_mask rest = c->m; c->w->emit && rest;) {
        const uint32_t n = stream[__builtin_ctz(rest)];
        const lane_mask same = rest & lanes_to_mask((u32x32)(stream == lanes_splat(n)));
        if (op_of(c)->emit)
            c->w->emit->emit(c->w->emit->self, c->w->out, same, n);
        if (op_of(c)->restart)
            c->w->emit->restart(c->w->emit->self, same, n);
        rest &= ~same;
    }
    put(c, fermi_source(c, 0));
}

/* ---- interpolation ---- */

/* Evaluates in the FP environment of Tesla: denormals are 0. */
static void evaluate(const struct call *c, const struct interpolation *i, struct varying *v) {
    SIMD_CHOICE(interpolate, exec_interpolate);
    if (!c->env->program->flushes)
        fp_set_mode(FP_PLAIN | FP_FLUSH);
    interpolate[c->env->simd](c->w, i, v);
    if (!c->env->program->flushes)
        fp_set_mode(FP_PLAIN);
}

/* value * factor, rounded as fmul with FTZ does. */
static u32x32 product(u32x32 value, u32x32 factor, bool zero_wins) {
    const u32x32 a = f32_flush(value), b = f32_flush(factor);
    const u32x32 rounded = f32_result(f32_host_mul(a, b, ROUND_RN));
    const u32x32 v =
        f32_flush(f32_without_tiny(rounded, f32_host_mul(f32_times_power(a, 64), b, ROUND_RN)));
    return zero_wins ? v & ~(f32_is_zero(a) | f32_is_zero(b)) : v;
}

FERMI_HANDLER(interp) {
    const struct op *op = op_of(c);
    const struct operand *o = &op->src[0];
    const u32x32 factor = fermi_source(c, 1), offset = fermi_source(c, 2);
    const bool flat = op->interp_mode == FINTERP_FLAT;
    const bool multiplies = op->interp_mode == FINTERP_MUL || op->interp_mode == FINTERP_SC;
    struct interpolation i = {
        .mode = flat                          ? INTERP_FLAT
                : op->sub == FINTERP_CENTROID ? INTERP_CENTROID
                                              : INTERP_PLAIN,
        .offset = op->sub == FINTERP_OFFSET ? &offset : NULL,
    };
    u32x32 value = lanes_splat(0);
    const u32x32 at =
        lanes_splat(o->value) + (o->flags & OPERAND_BASED ? row(c, o->areg) : lanes_splat(0));
    for (lane_mask rest = c->m; rest;) {
        const uint32_t one = at[__builtin_ctz(rest)];
        const lane_mask same = rest & lanes_to_mask((u32x32)(at == lanes_splat(one)));
        struct varying v;
        i.word = row_of(c, o, one, 0);
        evaluate(c, &i, &v);
        value = lanes_select(same, v.value, value);
        c->w->stats.bad_reads += lanes_count(v.missing & same);
        rest &= ~same;
    }
    if (multiplies)
        value = product(value, factor, c->env->mode & MODE_MUL_ZERO_WINS);
    if (op->sat && !flat)
        value = f32_saturate(value, ~lanes_splat(0));
    put(c, value);
}

/* ---- pixels ---- */

/* Distances in pixels as two signed 4.12 numbers. */
static u32x32 packed_offsets(f32x32 x, f32x32 y) {
    const i32x32 a = __builtin_convertvector(x * 4096, i32x32),
                 b = __builtin_convertvector(y * 4096, i32x32);
    return ((u32x32)a & 0xffff) | (u32x32)b << 16;
}

static u32x32 pixel_fact(const struct call *c, u32x32 n) {
    const struct warp *w = c->w;
    const uint32_t samples = w->sample_count ? w->sample_count : 1;
    u32x32 v = lanes_splat(0);
    switch (op_of(c)->sub) {
    case PIXEL_SAMPLE_COUNT:
        return lanes_splat(samples);
    case PIXEL_COVERAGE_MASK:
        return w->coverage ? *w->coverage : lanes_splat(1);
    case PIXEL_COVERED:
        for (int lane = 0; lane < LANES; lane++)
            v[lane] = (w->coverage ? (*w->coverage)[lane] : 1) >> (n[lane] & 31) & 1;
        return v;
    case PIXEL_OFFSET:
        for (int lane = 0; lane < LANES; lane++)
            v[lane] = w->sample_position && n[lane] < samples ? w->sample_position[n[lane]] : 0;
        return v;
    case PIXEL_CENTROID_OFFSET:
        return packed_offsets(w->cx - w->x, w->cy - w->y);
    case PIXEL_SAMPLE_ID:
        return lanes_splat(w->sample_id);
    default:
        return v;
    }
}

FERMI_HANDLER(pixld) {
    const struct operand *o = &op_of(c)->src[0];
    const u32x32 n =
        lanes_splat(o->value) + (o->flags & OPERAND_BASED ? row(c, o->areg) : lanes_splat(0));
    const u32x32 v = pixel_fact(c, n);
    put(c, v);
    fermi_put_predicate(c, 0, lanes_to_mask((u32x32)(v != 0)));
}

exec_fn *exec_fermi_graphics_select(const struct op *op) {
    switch (op->code) {
    case OP_LD:
        return op->src[0].file == FILE_ATTR ? ld_attribute : NULL;
    case OP_ST:
        return op->dst.file == FILE_ATTR ? st_attribute : NULL;
    case OP_PFETCH:
        return pfetch;
    case OP_OUT:
        return out;
    case OP_INTERP:
        return op->src[0].file == FILE_ATTR ? interp : NULL;
    case OP_PIXLD:
        return pixld;
    default:
        return NULL;
    }
}
