/* Writes a warp as signals of a VCD file. A table has each signal with its last value; after an
 * instruction the signals that have changed are written. In: a started warp. Out: text on a stream.
 * Must not influence execution: it only calls warp_step.
 */
#include "shader/trace.h"

#include "shader/isa/isa.h"

#include <stdlib.h>

enum { SIGNALS = 64 + LANES * (WARP_REGS + 8), CODE = 8 };

struct signal {
    uint32_t last;
    uint8_t bits;
};

struct wave {
    FILE *out;
    uint32_t at;    /* number of the signal that is written next */
    bool declaring; /* the first pass declares signals, and writes no values */
    bool all;       /* unchanged values are written, too */
    lane_mask show;
    uint32_t regs;
    struct signal signal[SIGNALS];
};

/* A short name for signal n, made of printing characters. */
static const char *code_of(uint32_t n, char code[CODE]) {
    int i = 0;
    do
        code[i++] = (char)('!' + n % 94);
    while ((n /= 94) && i < CODE - 1);
    code[i] = 0;
    return code;
}

/* Declares the next signal, or writes its value if it has changed. */
static void put(struct wave *v, const char *name, uint32_t index, uint8_t bits, uint32_t value) {
    char code[CODE], text[33];
    struct signal *s = &v->signal[v->at];
    code_of(v->at++, code);
    if (v->declaring) {
        s->bits = bits;
        fprintf(v->out, "$var wire %u %s ", bits, code);
        fprintf(v->out, index == UINT32_MAX ? "%s" : "%s%u", name, index);
        fprintf(v->out, bits > 1 ? " [%u:0] $end\n" : " $end\n", bits - 1u);
        return;
    }
    if (value == s->last && !v->all)
        return;
    s->last = value;
    for (int i = 0; i < bits; i++)
        text[i] = value >> (bits - 1 - i) & 1 ? '1' : '0';
    text[bits] = 0;
    fprintf(v->out, bits > 1 ? "b%s %s\n" : "%s%s\n", text, code);
}

static void open_scope(const struct wave *v, const char *name, uint32_t index) {
    if (!v->declaring)
        return;
    fprintf(v->out, "$scope module ");
    fprintf(v->out, index == UINT32_MAX ? "%s $end\n" : "%s%u $end\n", name, index);
}

static void close_scope(const struct wave *v) {
    if (v->declaring)
        fprintf(v->out, "$upscope $end\n");
}

/* The text of the instruction, as a signal of characters: an extension of the standard that viewers
 * know. */
static void put_instruction(struct wave *v, const struct warp *w, const struct warp_env *env) {
    const struct program *p = env->program;
    const uint32_t i = program_word(p, w->pc);
    char code[CODE], text[256] = "(end)";
    code_of(v->at++, code);
    if (v->declaring) {
        fprintf(v->out, "$var string 1 %s instruction $end\n", code);
        return;
    }
    if (i < p->word_count)
        program_print(p, &p->ops[i], text, sizeof text);
    for (char *c = text; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    fprintf(v->out, "s%s %s\n", text, code);
}

static void put_flags(struct wave *v, const struct warp *w) {
    static const char *const names[] = {"c0_", "c1_", "c2_", "c3_"};
    for (int n = 0; n < 4; n++) {
        char name[8];
        const lane_mask flag[4] = {w->c[n].z, w->c[n].s, w->c[n].c, w->c[n].o};
        for (int k = 0; k < 4; k++) {
            snprintf(name, sizeof name, "%s%c", names[n], "zsco"[k]);
            put(v, name, UINT32_MAX, LANES, flag[k]);
        }
    }
}

static void put_warp(struct wave *v, const struct warp *w, const struct warp_env *env) {
    const bool tesla = isa_set_of(env->program->variant) == SET_TESLA;
    open_scope(v, "warp", UINT32_MAX);
    put(v, "pc", UINT32_MAX, 32, w->pc);
    put_instruction(v, w, env);
    put(v, "active", UINT32_MAX, LANES, w->active);
    put(v, "invisible", UINT32_MAX, LANES, w->dead);
    put(v, "broke", UINT32_MAX, LANES, w->broke);
    put(v, "continued", UINT32_MAX, LANES, w->fermi.continued);
    put(v, "returned", UINT32_MAX, LANES, w->returned);
    put(v, "exited", UINT32_MAX, LANES, w->exited);
    put(v, "stack_depth", UINT32_MAX, 16, w->stack_top);
    put(v, "waits", UINT32_MAX, 1, w->wait_barrier < WARP_BARRIERS);
    if (tesla)
        put_flags(v, w);
    for (uint32_t n = 0; !tesla && n < PRED_TRUE; n++)
        put(v, "p", n, LANES, w->fermi.p[n]);
    for (lane_mask rest = v->show; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        open_scope(v, "lane", (uint32_t)lane);
        for (uint32_t n = 0; n < v->regs; n++)
            put(v, "r", n, 32, w->r[n][lane]);
        for (uint32_t n = 1; tesla && n < 5; n++)
            put(v, "a", n, 16, w->a[n][lane] & 0xffff);
        close_scope(v);
    }
    close_scope(v);
}

static void declare(struct wave *v, const struct warp *w, const struct warp_env *env) {
    fprintf(v->out,
            "$version teslapipe trace $end\n$comment one unit of time is one instruction of "
            "the warp $end\n$timescale 1 ns $end\n");
    v->declaring = true;
    put_warp(v, w, env);
    v->declaring = false;
    fprintf(v->out, "$enddefinitions $end\n#0\n$dumpvars\n");
    v->all = true;
    v->at = 0;
    put_warp(v, w, env);
    v->all = false;
    fprintf(v->out, "$end\n");
}

enum warp_status wave_warp(struct warp *w, const struct warp_env *env,
                           const struct trace_options *o) {
    struct wave *v = calloc(1, sizeof *v);
    enum warp_status status = WARP_RUNNING;
    if (!v)
        return WARP_ERROR;
    v->out = o->out;
    v->show = o->show;
    v->regs =
        env->program->header.reg_count < WARP_REGS ? env->program->header.reg_count : WARP_REGS;
    declare(v, w, env);
    for (uint64_t n = 1; status == WARP_RUNNING && !(o->max_steps && n > o->max_steps); n++) {
        status = warp_step(w, env);
        fprintf(v->out, "#%llu\n", (unsigned long long)n);
        v->at = 0;
        put_warp(v, w, env);
    }
    free(v);
    return status;
}
