/* Counts instructions: a copy of every warp runs step by step, and each executed instruction is
 * counted. In: warps that are about to run. Out: counts per instruction of each program.
 */
#include "tools/program_counts.h"

#include "shader/stepper.h"

#include <stdlib.h>

enum { STEPS = 1 << 16 /* limit of a warp; its later instructions are not counted */ };

static uint64_t hash_words(const struct program *p) {
    uint64_t hash = p->type + 1;
    for (uint32_t i = 0; i < p->word_count; i++)
        hash = (hash ^ p->words[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
    return hash;
}

int program_counts_find(const struct program_counts *c, const struct program *p) {
    const uint64_t hash = p ? hash_words(p) : 0;
    for (size_t i = 0; p && i < c->count; i++)
        if (c->program[i].hash == hash && c->program[i].word_count == p->word_count &&
            c->program[i].type == p->type)
            return (int)i;
    return -1;
}

char *program_listing(const struct program *p, bool words) {
    char *text = NULL, line[256];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; out && i < p->word_count; i += p->ops[i].words ? p->ops[i].words : 1) {
        program_print(p, &p->ops[i], line, sizeof line);
        if (words)
            fprintf(out, "%u ", i);
        fprintf(out, words ? "0x%06x\t%s\n" : "0x%06x  %s\n", program_address(p, i), line);
    }
    if (out)
        fclose(out);
    return text;
}

static int add_program(struct program_counts *c, const struct program *p) {
    if (!ARRAY_ROOM(c->program, c->capacity, c->count + 1))
        return -1;
    struct counted_program *n = &c->program[c->count];
    *n = (struct counted_program){.type = p->type,
                                  .word_count = p->word_count,
                                  .registers = p->header.reg_count,
                                  .hash = hash_words(p),
                                  .listing = program_listing(p, true),
                                  .warps = calloc(p->word_count + 1, sizeof *n->warps),
                                  .lanes = calloc(p->word_count + 1, sizeof *n->lanes)};
    const char *slash = strrchr(p->name, '/');
    snprintf(n->name, sizeof n->name, "%s", slash ? slash + 1 : p->name);
    if (n->listing && n->warps && n->lanes)
        return (int)c->count++;
    free(n->listing);
    free(n->warps);
    free(n->lanes);
    return -1;
}

static void count_warp(void *self, const struct warp *w, const struct warp_env *env) {
    struct program_counts *c = self;
    int i = program_counts_find(c, env->program);
    i = i < 0 ? add_program(c, env->program) : i;
    struct stepper *s = i < 0 ? NULL : stepper_create(w, env);
    c->incomplete |= !s;
    if (!s)
        return;
    struct counted_program *p = &c->program[i];
    p->runs++;
    for (uint32_t n = 0; n < STEPS && stepper_status(s) == WARP_RUNNING; n++) {
        const struct warp *now = stepper_warp(s);
        const uint32_t at = program_word(env->program, now->pc);
        if (at < p->word_count) {
            p->warps[at]++;
            p->lanes[at] += (uint64_t)__builtin_popcount(now->active);
        }
        stepper_step(s);
    }
    stepper_destroy(s);
}

void program_counts_watch(struct program_counts *c, tp_context *context) {
    c->observer = (struct warp_observer){.self = c, .start = count_warp};
    for (int stage = 0; stage < PROGRAM_TYPES; stage = next_draw_type(stage))
        context_observe(context, (enum program_type)stage, &c->observer);
}

void program_counts_free(struct program_counts *c) {
    for (size_t i = 0; i < c->count; i++) {
        free(c->program[i].listing);
        free(c->program[i].warps);
        free(c->program[i].lanes);
    }
    free(c->program);
    *c = (struct program_counts){0};
}
