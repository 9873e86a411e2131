/* A pixel's history as text and as JSON: verdicts with the deciding values, colours, the blend
 * equation in numbers, vertices and inputs. In: entries. Out: text.
 */
#include "tools/history_text.h"
#include "base/bits.h"

#include "raster/functions.h"
#include "shader/isa/isa.h"
#include "tools/state_text.h"

#include <math.h>

/* ---- values ---- */

/* Prints a number; JSON has no infinities and NaNs. */
static void print_number(FILE *out, double v, bool json) {
    if (json && !isfinite(v))
        fprintf(out, "\"%s\"", isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
    else
        fprintf(out, "%.7g", v);
}

static void print_component(FILE *out, uint32_t word, enum pixel_format format, bool json) {
    const uint8_t type = format_info(format)->type;
    if (type == COMPONENT_SINT)
        fprintf(out, "%d", (int32_t)word);
    else if (type == COMPONENT_UINT)
        fprintf(out, "%u", word);
    else
        print_number(out, (double)bits_float(word), json);
}

void print_color(FILE *out, const uint32_t word[4], enum pixel_format format) {
    for (int i = 0; i < 4; i++) {
        fputs(i ? ", " : "(", out);
        print_component(out, word[i], format, false);
    }
    putc(')', out);
}

/* Returns a stored depth as a number from 0 to 1. */
static double depth_value(uint32_t word, enum pixel_format format) {
    const struct format_info *f = format_info(format);
    return f->type == COMPONENT_FLOAT ? (double)bits_float(word)
                                      : word / (double)((UINT64_C(1) << f->bits[0]) - 1);
}

/* Returns the program's name without its folder. */
static const char *program_of(const struct history_entry *e) {
    const char *slash = strrchr(e->program, '/');
    return slash ? slash + 1 : e->program[0] ? e->program : "no fragment program";
}

/* ---- tests ---- */

static void print_zeta(FILE *out, const struct history_entry *e) {
    const struct zeta_state *z = &e->zeta;
    const struct stencil_face *f = &z->face[z->two_sided && !e->front];
    if (!e->zeta_tested)
        return;
    fprintf(out, "      zeta %s, %s the program:", e->zeta_passed ? "passed" : "failed",
            e->zeta_late ? "after" : "before");
    if (z->bounds_test)
        fprintf(out, " stored depth %.9g in %.9g to %.9g;",
                depth_value(e->zeta_before[0], e->zeta_format), (double)z->bounds[0],
                (double)z->bounds[1]);
    if (z->stencil_test)
        fprintf(out, " stencil 0x%02x & 0x%02x %s 0x%02x & 0x%02x, then 0x%02x;", f->ref,
                f->func_mask, func_name(f->func), e->zeta_before[1], f->func_mask,
                e->zeta_after[1]);
    if (z->depth_test)
        fprintf(out, " depth %.9g %s %.9g%s", depth_value(e->depth, e->zeta_format),
                func_name(z->depth_func), depth_value(e->zeta_before[0], e->zeta_format),
                z->depth_write && e->zeta_passed ? ", written" : "");
    putc('\n', out);
}

/* ---- blending ---- */

/* Returns a factor's value for one component (3: alpha). NAN for the factors of second sources,
 * whose colours a history lacks. */
static double blend_factor(uint16_t f, const struct history_entry *e, int i) {
    const double src = (double)bits_float(e->source[i]), dst = (double)bits_float(e->before[i]);
    const double sa = (double)bits_float(e->source[3]), da = (double)bits_float(e->before[3]);
    const double c = (double)e->blend_color[i], ca = (double)e->blend_color[3];
    switch (f) {
    case BLEND_ZERO:
        return 0;
    case BLEND_ONE:
        return 1;
    case BLEND_SRC_COLOR:
        return src;
    case BLEND_ONE_MINUS_SRC_COLOR:
        return 1 - src;
    case BLEND_SRC_ALPHA:
        return sa;
    case BLEND_ONE_MINUS_SRC_ALPHA:
        return 1 - sa;
    case BLEND_DST_ALPHA:
        return da;
    case BLEND_ONE_MINUS_DST_ALPHA:
        return 1 - da;
    case BLEND_DST_COLOR:
        return dst;
    case BLEND_ONE_MINUS_DST_COLOR:
        return 1 - dst;
    case BLEND_SRC_ALPHA_SATURATE:
        return i == 3 ? 1 : fmin(sa, 1 - da);
    case BLEND_CONSTANT_COLOR:
        return c;
    case BLEND_ONE_MINUS_CONSTANT_COLOR:
        return 1 - c;
    case BLEND_CONSTANT_ALPHA:
        return ca;
    case BLEND_ONE_MINUS_CONSTANT_ALPHA:
        return 1 - ca;
    default:
        return NAN;
    }
}

static void print_equation(FILE *out, const struct history_entry *e, int i) {
    const struct blend_target *b = &e->blend;
    const uint16_t equation = i == 3 ? b->equation_a : b->equation_rgb;
    const double s = (double)bits_float(e->source[i]), d = (double)bits_float(e->before[i]);
    const double fs = blend_factor(i == 3 ? b->src_a : b->src_rgb, e, i);
    const double fd = blend_factor(i == 3 ? b->dst_a : b->dst_rgb, e, i);
    static const char letters[] = "rgba";
    fprintf(out, "        %c: ", letters[i]);
    if (equation == EQUATION_MIN || equation == EQUATION_MAX)
        fprintf(out, "%s(%.6g, %.6g)", equation_name(equation), s, d);
    else if (equation == EQUATION_REVERSE_SUBTRACT)
        fprintf(out, "%.6g * %.6g - %.6g * %.6g", d, fd, s, fs);
    else
        fprintf(out, "%.6g * %.6g %c %.6g * %.6g", s, fs, equation == EQUATION_SUBTRACT ? '-' : '+',
                d, fd);
    fprintf(out, " = %.6g\n", (double)bits_float(e->after[i]));
}

static void print_blend(FILE *out, const struct history_entry *e) {
    const struct blend_target *b = &e->blend;
    if (e->logic_op_enable)
        fprintf(out, "      logic op %s\n", logic_op_name(e->logic_op));
    else if (b->enable)
        fprintf(out, "      blended: rgb = %s(%s * source, %s * stored); alpha = %s(%s, %s)\n",
                equation_name(b->equation_rgb), factor_name(b->src_rgb), factor_name(b->dst_rgb),
                equation_name(b->equation_a), factor_name(b->src_a), factor_name(b->dst_a));
    for (int i = 0; i < 4 && b->enable && !e->logic_op_enable; i++)
        if (e->color_mask >> i & 1)
            print_equation(out, e, i);
    if (e->color_mask != 15)
        fprintf(out, "      written components: %s%s%s%s\n", e->color_mask & 1 ? "R" : "",
                e->color_mask & 2 ? "G" : "", e->color_mask & 4 ? "B" : "",
                e->color_mask & 8 ? "A" : "");
}

static void print_written(FILE *out, const struct history_entry *e) {
    if (e->color_target < 0)
        return;
    fprintf(out, "      program gave ");
    print_color(out, e->source, e->format);
    fprintf(out, "; there was ");
    print_color(out, e->before, e->format);
    fprintf(out, ", now ");
    print_color(out, e->after, e->format);
    putc('\n', out);
    if (e->depends)
        fputs(
            "      the fragment reads what other fragments of its primitive wrote: \"program gave\" is what it "
            "gives alone\n",
            out);
    print_blend(out, e);
}

/* ---- clears and copies ---- */

static void print_when(FILE *out, const char *what, uint64_t draw) {
    if (draw)
        fprintf(out, "%s after draw %llu:", what, (unsigned long long)draw);
    else
        fprintf(out, "%s before the first draw:", what);
}

static void print_clear(FILE *out, const struct history_entry *e) {
    print_when(out, "clear", e->draw);
    if (e->color_target >= 0) {
        putc(' ', out);
        print_color(out, e->clear.color, e->format);
        return;
    }
    if (e->clear.depth)
        fprintf(out, " depth %.9g", (double)e->clear.depth_value);
    if (e->clear.stencil)
        fprintf(out, " stencil 0x%02x", e->clear.stencil_value);
}

static void print_copy(FILE *out, const struct history_entry *e) {
    print_when(out, "copy, 2D drawing or upload", e->draw);
    fprintf(out, " there was ");
    print_color(out, e->before, e->format);
    fprintf(out, ", now ");
    print_color(out, e->after, e->format);
}

/* ---- inputs ---- */

static const struct history_input *find_input(const struct history_entry *e, uint8_t kind,
                                              uint8_t slot) {
    for (uint32_t i = 0; i < e->inputs; i++)
        if (e->input[i].kind == kind && e->input[i].slot == slot)
            return &e->input[i];
    return NULL;
}

/* Returns an input's value. A perspective word is divided by 1/w if the program reads 1/w. */
static double input_value(const struct history_entry *e, const struct history_input *v) {
    const struct history_input *rhw = find_input(e, WORD_POSITION, 3);
    if (v->kind == WORD_FLAT)
        return (double)bits_float(v->flat);
    return v->kind == WORD_PERSPECTIVE && rhw && rhw->read ? (double)v->value / (double)rhw->value
                                                           : (double)v->value;
}

static const char *input_kind(const struct history_input *v) {
    static const char *const names[] = {
        [WORD_POSITION] = "position",     [WORD_PERSPECTIVE] = "perspective",
        [WORD_LINEAR] = "linear",         [WORD_FLAT] = "flat",
        [WORD_POINT_COORD_S] = "point s", [WORD_POINT_COORD_T] = "point t",
        [WORD_CONST0] = "constant",       [WORD_CONST1] = "constant"};
    return v->kind < sizeof names / sizeof *names ? names[v->kind] : "?";
}

/* The name of each domain, and the numbers of levels that its patches use. */
static const struct {
    const char *name;
    int outer, inner;
} domains[] = {[TESS_ISOLINES] = {"isolines", 2, 0},
               [TESS_TRIANGLES] = {"triangle", 3, 1},
               [TESS_QUADS] = {"quad", 4, 2}};

static void print_levels(FILE *out, const char *name, const float *level, int n) {
    for (int i = 0; i < n; i++)
        fprintf(out, "%s %.6g", i ? "," : name, (double)level[i]);
}

static void print_domain(FILE *out, enum tess_domain domain, const float at[2]) {
    fprintf(out, "u %.6g, v %.6g", (double)at[0], (double)at[1]);
    if (domain == TESS_TRIANGLES)
        fprintf(out, ", w %.6g", 1 - (double)at[0] - (double)at[1]);
}

static void print_patch(FILE *out, const struct history *h, const struct history_entry *e) {
    const struct traced_primitive *p = history_primitive(h, e);
    float at[2];
    if (!p || !p->patched)
        return;
    fprintf(out, "      patch %u: %s,", p->primitive, domains[p->domain].name);
    print_levels(out, " outer levels", p->levels.outer, domains[p->domain].outer);
    if (domains[p->domain].inner)
        print_levels(out, ", inner", p->levels.inner, domains[p->domain].inner);
    if (history_domain(h, e, at)) {
        fputs("; the pixel is at ", out);
        print_domain(out, p->domain, at);
    }
    putc('\n', out);
}

static void print_vertices(FILE *out, const struct traced_primitive *p) {
    static const char *const name[PROGRAM_TYPES] = {
        [PROGRAM_GP] = "emitted vertex", [PROGRAM_TEP] = "evaluated point"};
    for (unsigned i = 0; p && i < p->vertices; i++) {
        const struct traced_vertex *v = &p->vertex[i];
        fprintf(out, "      %s %u", name[p->maker] ? name[p->maker] : "vertex", v->number);
        if (p->maker == PROGRAM_TEP) {
            fputs(" (", out);
            print_domain(out, p->domain, v->domain);
            putc(')', out);
        }
        fprintf(out, ": clip space (%.6g, %.6g, %.6g, %.6g), window (%.6g, %.6g, %.6g)\n",
                (double)v->clip[0], (double)v->clip[1], (double)v->clip[2], (double)v->clip[3],
                (double)v->window[0], (double)v->window[1], (double)v->window[2]);
    }
}

static void print_inputs(FILE *out, const struct history_entry *e) {
    for (uint32_t i = 0; i < e->inputs; i++)
        if (e->input[i].read)
            fprintf(out, "      v[0x%x] = %.7g (%s, slot %u)\n", 4 * i,
                    input_value(e, &e->input[i]), input_kind(&e->input[i]), e->input[i].slot);
        else
            fprintf(out, "      v[0x%x] is not read (%s, slot %u)\n", 4 * i,
                    input_kind(&e->input[i]), e->input[i].slot);
}

/* ---- entries ---- */

/* Returns true if a vertex lies outside of the view volume: then the primitive may be clipped. */
static bool is_outside(const struct traced_primitive *p) {
    for (unsigned i = 0; i < p->vertices; i++)
        for (int axis = 0; axis < 3; axis++)
            if (fabsf(p->vertex[i].clip[axis]) > p->vertex[i].clip[3])
                return true;
    return false;
}

static void print_primitive(FILE *out, const struct history *h, const struct history_entry *e) {
    const struct traced_primitive *p = history_primitive(h, e);
    fprintf(out, "draw %llu, primitive %u", (unsigned long long)e->draw, p ? p->primitive : 0);
    if (p && p->instance)
        fprintf(out, " of instance %u", p->instance);
    if (e->pieces > 1)
        fprintf(out, ", piece %u of %u%s", e->piece, e->pieces,
                p && is_outside(p) ? ", after clipping" : "");
    fprintf(out, " (%s, %s): %s", e->front ? "front" : "back", program_of(e),
            history_verdict_name(e->verdict));
    if (e->discarded_by != HISTORY_NO_ADDRESS)
        fprintf(out, " at 0x%06x", e->discarded_by);
    if (e->verdict == RASTER_TRAPPED)
        fprintf(out, ": %s at 0x%06x", mp_error_name(e->trap.code), e->trap.address);
    if (e->verdict == RASTER_ALPHA_FAILED)
        fprintf(out, ": alpha %s %g", func_name(e->alpha_func), (double)e->alpha_ref);
    fputs(e->overwritten ? ", overwritten later" : "", out);
}

/* Prints "pixel 10,12", "thread 3,2,0 of block 0,1,0" ... */
static void print_thread(FILE *out, const struct stored *s) {
    const struct warp_place *p = &s->place;
    switch (p->stage) {
    case PROGRAM_FP:
        fprintf(out, "pixel %d,%d", p->x, p->y);
        if (s->hit > 1)
            fprintf(out, ", its fragment %u", s->hit);
        break;
    case PROGRAM_CP:
        fprintf(out, "thread %u,%u,%u of block %u,%u,%u", p->thread[0], p->thread[1], p->thread[2],
                p->block[0], p->block[1], p->block[2]);
        break;
    case PROGRAM_VP:
        fprintf(out, "vertex %u", p->number);
        if (p->instance)
            fprintf(out, " of instance %u", p->instance);
        break;
    case PROGRAM_TCP:
        fprintf(out, "vertex %u of patch %u", p->instance, p->number);
        break;
    case PROGRAM_TEP:
        fprintf(out, "point %u of patch %u", p->instance, p->number);
        break;
    default:
        fprintf(out, "primitive %u", p->number);
    }
}

static const char *store_kind(const struct stored *s) {
    return s->image ? "an image store" : s->atomic ? "an atomic operation" : "a store to g[]";
}

void stored_print(FILE *out, const struct stored *s) {
    fprintf(out, "%s of ", store_kind(s));
    if (s->launch)
        fprintf(out, "launch %llu after draw %llu", (unsigned long long)s->launch,
                (unsigned long long)s->draw);
    else
        fprintf(out, "draw %llu", (unsigned long long)s->draw);
    fprintf(out, " (%s, %s, ", program_type_name(s->place.stage), s->program);
    print_thread(out, s);
    fprintf(out, ") at 0x%06x", s->at);
}

void stored_debug_print(FILE *out, const struct stored *s) {
    const struct warp_place *p = &s->place;
    switch (p->stage) {
    case PROGRAM_FP:
        fprintf(out, "--pixel %d,%d", p->x, p->y);
        break;
    case PROGRAM_CP:
        fprintf(out, "--thread %u,%u,%u --at %u,%u,%u --hit %u", p->thread[0], p->thread[1],
                p->thread[2], p->block[0], p->block[1], p->block[2], s->hit);
        return;
    case PROGRAM_TCP:
    case PROGRAM_TEP:
        fprintf(out, "--%s %u,%u", p->stage == PROGRAM_TCP ? "patch" : "point", p->number,
                p->instance);
        break;
    default:
        fprintf(out, "--%s %u", p->stage == PROGRAM_VP ? "vertex" : "primitive", p->number);
    }
    fprintf(out, " --draw %llu", (unsigned long long)s->draw);
    if (s->hit > 1)
        fprintf(out, " --hit %u", s->hit);
}

void stored_bytes_print(FILE *out, const uint8_t *bytes, uint32_t size) {
    for (uint32_t i = 0; i < size; i += 4) {
        uint32_t word = 0;
        memcpy(&word, bytes + i, size - i < 4 ? size - i : 4);
        fprintf(out, "%s0x%0*x", i ? " " : "", 2 * (int)(size - i < 4 ? size - i : 4), word);
    }
}

static void print_store(FILE *out, const struct history_entry *e) {
    if (!e->store)
        return;
    stored_print(out, e->store);
    fprintf(out, ": written%s\n      %s: there was ", e->overwritten ? ", overwritten later" : "",
            e->store->text);
    print_color(out, e->before, e->format);
    fputs(", now ", out);
    print_color(out, e->after, e->format);
}

void history_print(FILE *out, const struct history *h, const struct history_entry *e, bool inputs) {
    if (e->kind == HISTORY_CLEAR)
        print_clear(out, e);
    else if (e->kind == HISTORY_COPY)
        print_copy(out, e);
    else if (e->kind == HISTORY_STORE)
        print_store(out, e);
    else
        print_primitive(out, h, e);
    putc('\n', out);
    if (e->kind != HISTORY_PRIMITIVE)
        return;
    print_patch(out, h, e);
    if (inputs) {
        print_vertices(out, history_primitive(h, e));
        print_inputs(out, e);
    }
    print_zeta(out, e);
    if (e->verdict == RASTER_WRITTEN)
        print_written(out, e);
}

/* ---- the cause ---- */

static bool is_write(const struct history_entry *e) {
    return e->kind != HISTORY_PRIMITIVE || e->verdict == RASTER_WRITTEN;
}

static size_t last_write(const struct history_entry *const *e, size_t n) {
    while (n && !is_write(e[n - 1]))
        n--;
    return n;
}

static bool came_near(const struct history_entry *e) {
    return e->verdict == RASTER_NOT_COVERED || e->verdict == RASTER_DEGENERATE;
}

/* Prints, by verdict, how many primitives that reached the pixel came after the entry that decided
 * the colour. */
static void print_others(FILE *out, const struct history_entry *const *e, size_t from, size_t n,
                         const char *later) {
    unsigned count[RASTER_WRITTEN + 1] = {0};
    for (; from < n; from++)
        if (e[from]->kind == HISTORY_PRIMITIVE && !came_near(e[from]))
            count[e[from]->verdict]++;
    for (int i = 0; i < RASTER_WRITTEN; i++)
        if (count[i])
            fprintf(out, "; %u %s%s: %s", count[i], later, count[i] == 1 ? "one" : "ones",
                    history_verdict_name((enum raster_verdict)i));
}

static bool any_touched(const struct history_entry *const *e, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!came_near(e[i]))
            return true;
    return false;
}

const struct history_entry *history_decided(const struct history_entry *const *e, size_t n) {
    const size_t end = last_write(e, n);
    return end ? e[end - 1] : NULL;
}

void history_cause(FILE *out, const struct history *h, const struct history_entry *const *e,
                   size_t n) {
    const struct traced_primitive *p;
    const size_t end = last_write(e, n);
    const struct history_entry *last = end ? e[end - 1] : NULL;
    if (!last)
        fputs(any_touched(e, n) ? "nothing that was drawn here was written"
                                : "no draw covers this pixel, and nothing cleared it",
              out);
    else if (last->kind == HISTORY_COPY)
        fprintf(out, "a copy, 2D drawing or upload after draw %llu",
                (unsigned long long)last->draw);
    else if (last->kind == HISTORY_STORE && last->store)
        stored_print(out, last->store);
    else if (last->kind == HISTORY_CLEAR && last->draw)
        fprintf(out, "the target was cleared after draw %llu and %s since",
                (unsigned long long)last->draw,
                any_touched(e + end, n - end) ? "nothing was written"
                                              : "no draw covers this pixel");
    else if (last->kind == HISTORY_CLEAR)
        fprintf(out, "the target was cleared and %s since",
                any_touched(e + end, n - end) ? "nothing was written"
                                              : "no draw covers this pixel");
    else if ((p = history_primitive(h, last)))
        fprintf(out, "draw %llu, primitive %u%s, program %s%s", (unsigned long long)last->draw,
                p->primitive, p->instance ? " of a later instance" : "", program_of(last),
                last->blend.enable ? ", blended over what was there" : "");
    print_others(out, e, end, n, last ? "later " : "");
}

/* ---- JSON ---- */

static void json_words(FILE *out, const char *name, const uint32_t word[4],
                       enum pixel_format format) {
    fprintf(out, ",\"%s\":[", name);
    for (int i = 0; i < 4; i++) {
        fputs(i ? "," : "", out);
        print_component(out, word[i], format, true);
    }
    putc(']', out);
}

static void json_string(FILE *out, const char *text) {
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', out);
        if ((unsigned char)*text >= 0x20)
            putc(*text, out);
    }
    putc('"', out);
}

static void json_floats(FILE *out, const char *name, const float *v, int n) {
    fprintf(out, "\"%s\":[", name);
    for (int i = 0; i < n; i++) {
        fputs(i ? "," : "", out);
        print_number(out, (double)v[i], true);
    }
    putc(']', out);
}

static void json_pieces(FILE *out, const struct history_entry *e) {
    if (e->pieces > 1)
        fprintf(out, ",\"piece\":%u,\"pieces\":%u", e->piece, e->pieces);
}

static void json_vertices(FILE *out, const struct traced_primitive *p) {
    fprintf(out, ",\"primitive\":%u,\"instance\":%u,\"vertices\":[", p->primitive, p->instance);
    for (unsigned i = 0; i < p->vertices; i++) {
        fprintf(out, "%s{\"number\":%u,", i ? "," : "", p->vertex[i].number);
        json_floats(out, "clip", p->vertex[i].clip, 4);
        putc(',', out);
        json_floats(out, "window", p->vertex[i].window, 4);
        if (p->maker == PROGRAM_TEP) {
            putc(',', out);
            json_floats(out, "domain", p->vertex[i].domain, 2);
        }
        putc('}', out);
    }
    putc(']', out);
}

static void json_patch(FILE *out, const struct history *h, const struct history_entry *e) {
    const struct traced_primitive *p = history_primitive(h, e);
    float at[2];
    if (!p || !p->patched)
        return;
    fprintf(out, ",\"patch\":{\"number\":%u,\"domain\":\"%s\",", p->primitive,
            domains[p->domain].name);
    json_floats(out, "outer", p->levels.outer, domains[p->domain].outer);
    putc(',', out);
    json_floats(out, "inner", p->levels.inner, domains[p->domain].inner);
    if (history_domain(h, e, at)) {
        putc(',', out);
        json_floats(out, "at", at, 2);
    }
    putc('}', out);
}

static void json_inputs(FILE *out, const struct history_entry *e) {
    fputs(",\"inputs\":[", out);
    for (uint32_t i = 0; i < e->inputs; i++) {
        fprintf(out, "%s{\"word\":%u,\"slot\":%u,\"kind\":\"%s\",\"value\":", i ? "," : "", i,
                e->input[i].slot, input_kind(&e->input[i]));
        if (e->input[i].read)
            print_number(out, input_value(e, &e->input[i]), true);
        else
            fputs("null", out);
        putc('}', out);
    }
    putc(']', out);
}

static void json_zeta(FILE *out, const struct history_entry *e) {
    fprintf(out,
            ",\"zeta\":{\"passed\":%s,\"late\":%s,\"depth\":%.9g,\"stored\":%.9g,"
            "\"stencil\":[%u,%u]}",
            e->zeta_passed ? "true" : "false", e->zeta_late ? "true" : "false",
            depth_value(e->depth, e->zeta_format), depth_value(e->zeta_before[0], e->zeta_format),
            e->zeta_before[1], e->zeta_after[1]);
}

static void json_primitive(FILE *out, const struct history *h, const struct history_entry *e) {
    const struct traced_primitive *p = history_primitive(h, e);
    if (p)
        json_vertices(out, p);
    json_patch(out, h, e);
    json_pieces(out, e);
    fprintf(out, ",\"front\":%s,\"verdict\":\"%s\",\"overwritten\":%s,\"program\":",
            e->front ? "true" : "false", history_verdict_name(e->verdict),
            e->overwritten ? "true" : "false");
    json_string(out, e->program);
    if (e->discarded_by != HISTORY_NO_ADDRESS)
        fprintf(out, ",\"discarded_by\":%u", e->discarded_by);
    if (e->inputs)
        json_inputs(out, e);
    if (e->zeta_tested)
        json_zeta(out, e);
    if (e->verdict == RASTER_WRITTEN && e->color_target >= 0) {
        json_words(out, "source", e->source, e->format);
        json_words(out, "before", e->before, e->format);
        json_words(out, "after", e->after, e->format);
        if (e->depends)
            fputs(", \"depends_on_others\": true", out);
    }
}

static void json_bytes(FILE *out, const char *name, const uint8_t *bytes, uint32_t size) {
    fprintf(out, ",\"%s\":\"", name);
    stored_bytes_print(out, bytes, size);
    putc('"', out);
}

void stored_json(FILE *out, const struct stored *s) {
    static const char *const kinds[] = {"store", "atomic", "image"};
    fprintf(out, "\"by\":\"%s\",\"stage\":\"%s\",\"launch\":%llu,\"thread\":\"",
            kinds[s->image ? 2 : s->atomic], program_type_name(s->place.stage),
            (unsigned long long)s->launch);
    print_thread(out, s);
    fprintf(out, "\",\"hit\":%u,\"program\":", s->hit);
    json_string(out, s->program);
    fprintf(out, ",\"at\":%u,\"instruction\":", s->at);
    json_string(out, s->text);
    json_bytes(out, "bytes_before", s->before, s->size);
    json_bytes(out, "bytes_after", s->after, s->size);
}

static void json_store(FILE *out, const struct history_entry *e) {
    if (!e->store)
        return;
    putc(',', out);
    stored_json(out, e->store);
    fprintf(out, ",\"overwritten\":%s", e->overwritten ? "true" : "false");
    json_words(out, "before", e->before, e->format);
    json_words(out, "after", e->after, e->format);
}

void history_json(FILE *out, const struct history *h, const struct history_entry *e) {
    static const char *const kinds[] = {"primitive", "clear", "copy", "store"};
    fprintf(out, "{\"kind\":\"%s\",\"draw\":%llu", kinds[e->kind], (unsigned long long)e->draw);
    if (e->kind == HISTORY_PRIMITIVE) {
        json_primitive(out, h, e);
    } else if (e->kind == HISTORY_STORE) {
        json_store(out, e);
    } else if (e->color_target >= 0) {
        if (e->kind == HISTORY_COPY)
            json_words(out, "before", e->before, e->format);
        json_words(out, e->kind == HISTORY_COPY ? "after" : "color", e->after, e->format);
    }
    putc('}', out);
}
