/* Prints the effect of each instruction of a warp: keeps a copy of the warp from before the step
 * and compares. Lanes with the same new value share one entry. In: a started warp. Out: text on a
 * stream. Must not influence execution: it only calls warp_step.
 */
#include "shader/trace.h"
#include "base/bits.h"

#include <stdlib.h>

static const char *stack_name(unsigned type) {
    static const char *const names[] = {
        [STACK_BRANCH] = "BRANCH",     [STACK_CALL] = "CALL",       [STACK_CALL_LIM] = "CALL_LIM",
        [STACK_PREBREAK] = "PREBREAK", [STACK_QUADON] = "QUADON",   [STACK_JOINAT] = "JOINAT",
        [STACK_PRECONT] = "PRECONT",   [STACK_LONGJMP] = "LONGJMP",
    };
    return names[type];
}

static void print_stack(FILE *out, const struct warp *w) {
    if (!w->stack_top)
        return;
    fprintf(out, "          stack");
    for (uint32_t i = 0; i < w->stack_top; i++) {
        const struct stack_entry *e = &w->stack[i];
        fprintf(out, "  %s", stack_name(e->type));
        if (e->type != STACK_QUADON)
            fprintf(out, " 0x%06x", e->pc);
        fprintf(out, " %08x", e->mask);
    }
    fputc('\n', out);
}

static void print_instruction(FILE *out, const struct warp *w, const struct warp_env *env) {
    const struct program *p = env->program;
    const uint32_t i = program_word(p, w->pc);
    char text[256] = "(outside the program)";
    if (i < p->word_count)
        program_print(p, &p->ops[i], text, sizeof text);
    print_stack(out, w);
    fprintf(out, "0x%06x  %-56s  active %08x\n", w->pc, text, w->active);
}

/* Prints the numbers of the lanes of m as in "0-3,7". */
static void print_lanes(FILE *out, lane_mask m) {
    const char *comma = "";
    while (m) {
        const int first = __builtin_ctz(m);
        const lane_mask rest = ~(m >> first);
        const int length = rest ? __builtin_ctz(rest) : LANES - first;
        if (length == 1)
            fprintf(out, "%s%d", comma, first);
        else
            fprintf(out, "%s%d-%d", comma, first, first + length - 1);
        comma = ",";
        m &= first + length < LANES ? ~0u << (first + length) : 0;
    }
}

/* ROW_WORD: values as hexadecimal words, and as floats where they look like floats. ROW_FLAGS:
 * values as letters of flags. */
enum row_style { ROW_WORD, ROW_FLAGS };

static void print_value(FILE *out, uint32_t v, enum row_style style) {
    if (style == ROW_FLAGS) {
        for (int i = 3; i >= 0; i--)
            fputc(v >> i & 1 ? "ZSCO"[i] : '-', out);
        return;
    }
    fprintf(out, "0x%08x", v);
    if (bits_look_float(v))
        fprintf(out, " (%.7g)", (double)bits_float(v));
}

/* Prints a line for a row: each different value, with the lanes that now hold it. */
static void print_row(FILE *out, const char *file, unsigned n, const uint32_t *old,
                      const uint32_t *now, lane_mask show, enum row_style style) {
    lane_mask changed = 0;
    for (int i = 0; i < LANES; i++)
        changed |= (lane_mask)(old[i] != now[i]) << i;
    changed &= show;
    if (!changed)
        return;
    char name[32];
    snprintf(name, sizeof name, file, n);
    fprintf(out, "          %-8s", name);
    while (changed) {
        const uint32_t v = now[__builtin_ctz(changed)];
        lane_mask same = 0;
        for (int i = 0; i < LANES; i++)
            same |= (lane_mask)(now[i] == v) << i;
        same &= changed;
        fputs("  ", out);
        print_value(out, v, style);
        fputs(" [", out);
        print_lanes(out, same);
        fputc(']', out);
        changed &= ~same;
    }
    fputc('\n', out);
}

static void print_rows(FILE *out, const char *file, unsigned scale, const u32x32 *old,
                       const u32x32 *now, unsigned count, lane_mask show) {
    for (unsigned n = 0; n < count; n++)
        print_row(out, file, n * scale, (const uint32_t *)&old[n], (const uint32_t *)&now[n], show,
                  ROW_WORD);
}

static void flag_row(const struct flags *f, uint32_t row[LANES]) {
    for (unsigned i = 0; i < LANES; i++)
        row[i] = flags_of_lane(f, i);
}

static void print_mask(FILE *out, const char *name, lane_mask old, lane_mask now, lane_mask show) {
    const lane_mask gone = now & ~old & show;
    if (!gone)
        return;
    fprintf(out, "          %s [", name);
    print_lanes(out, gone);
    fprintf(out, "]\n");
}

/* Prints a predicate register of Fermi or generic64 that has changed: the lanes in which it is
 * true. */
static void print_predicate(FILE *out, unsigned n, lane_mask old, lane_mask now, lane_mask show) {
    char name[16];
    if (!((old ^ now) & show))
        return;
    snprintf(name, sizeof name, "$p%u", n);
    fprintf(out, "          %-8s  true [", name);
    print_lanes(out, now & show);
    fprintf(out, "]\n");
}

/* The state before a step. */
struct before {
    struct warp w;
    u32x32 *out;
};

static void print_changes(FILE *out, const struct before *b, const struct warp *w, unsigned regs,
                          lane_mask show) {
    print_rows(out, "$r%u", 1, b->w.r, w->r, regs, show);
    print_rows(out, "$a%u", 1, b->w.a, w->a, 8, show);
    for (unsigned n = 0; n < 4; n++) {
        uint32_t old[LANES], now[LANES];
        flag_row(&b->w.c[n], old);
        flag_row(&w->c[n], now);
        print_row(out, "$c%u", n, old, now, show, ROW_FLAGS);
    }
    if (w->out)
        print_rows(out, "o[0x%x]", 4, b->out, w->out, w->out_count, show);
    for (unsigned n = 0; n < PRED_TRUE; n++)
        print_predicate(out, n, b->w.fermi.p[n], w->fermi.p[n], show);
    print_mask(out, "discarded", b->w.dead, w->dead, show);
    print_mask(out, "broke", b->w.broke, w->broke, show);
    print_mask(out, "continued", b->w.fermi.continued, w->fermi.continued, show);
    print_mask(out, "returned", b->w.returned, w->returned, show);
    print_mask(out, "exited", b->w.exited, w->exited, show);
}

static void print_end(FILE *out, const struct warp *w, enum warp_status status) {
    char text[128];
    switch (status) {
    case WARP_DONE:
        fprintf(out, "ended after %llu instructions\n", (unsigned long long)w->executed);
        break;
    case WARP_ERROR:
        warp_error_print(&w->error, text, sizeof text);
        fprintf(out, "error: %s\n", text);
        break;
    case WARP_WAITING:
        fprintf(out, "waits at barrier %u\n", w->wait_barrier);
        break;
    case WARP_RUNNING:
        fprintf(out, "stopped after %llu instructions\n", (unsigned long long)w->executed);
        break;
    }
}

enum warp_status trace_warp(struct warp *w, const struct warp_env *env,
                            const struct trace_options *o) {
    const size_t out_bytes = w->out ? w->out_count * sizeof *w->out : 0;
    struct before *b = aligned_alloc(128, sizeof *b);
    u32x32 *old_out = aligned_alloc(128, out_bytes + 128);
    enum warp_status status = WARP_RUNNING;
    for (uint64_t n = 0; b && old_out && status == WARP_RUNNING; n++) {
        if (o->max_steps && n == o->max_steps)
            break;
        b->w = *w;
        b->out = old_out;
        if (out_bytes)
            memcpy(old_out, w->out, out_bytes);
        if (w->active)
            print_instruction(o->out, w, env);
        status = warp_step(w, env);
        const unsigned regs = env->program->header.reg_count;
        print_changes(o->out, b, w, regs < WARP_REGS ? regs : WARP_REGS, o->show);
    }
    print_end(o->out, w, status);
    free(old_out);
    free(b);
    return status;
}
