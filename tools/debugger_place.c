/* The places that a user of the debugger can name: registers, flags and memory of the stepped warp.
 * In: text. Out: words of one lane, or changes. Must not know commands.
 */
#include "tools/debugger.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static bool parse_register(const char *text, struct place *p, const char **end) {
    static const char files[] = "racp";
    const char *file = *text ? strchr(files, *text) : NULL;
    char *stop;
    if (!file || !isdigit((unsigned char)text[1]))
        return false;
    static const enum place_kind kinds[] = {PLACE_R, PLACE_A, PLACE_C, PLACE_P};
    static const unsigned long limits[] = {WARP_REGS, 8, 4, 7};
    const unsigned long row = strtoul(text + 1, &stop, 10);
    *p = (struct place){.kind = kinds[file - files], .row = (uint32_t)row};
    *end = stop;
    return row < limits[file - files];
}

bool place_parse(const char *text, struct place *p, const char **end) {
    static const char files[] = "olavcgsp";
    static const enum place_kind kinds[] = {PLACE_OUT,   PLACE_LOCAL,  PLACE_ATTR,   PLACE_PLANE,
                                            PLACE_CONST, PLACE_GLOBAL, PLACE_SHARED, PLACE_PRIM};
    char *stop;
    if (*text == '$')
        return parse_register(text + 1, p, end);
    const char *file = *text ? strchr(files, *text) : NULL;
    if (!file)
        return false;
    *p = (struct place){.kind = kinds[file - files]};
    stop = (char *)text + 1;
    if (p->kind == PLACE_CONST || p->kind == PLACE_GLOBAL)
        p->space = isdigit((unsigned char)*stop) ? (uint32_t)strtoul(stop, &stop, 10) : 0;
    if (*stop != '[' || p->space > 15)
        return false;
    const char *number = stop + 1;
    p->address = strtoull(number, &stop, 0);
    p->row = (uint32_t)(p->address / 4);
    *end = stop + 1;
    return stop != number && *stop == ']';
}

void place_name(const struct place *p, char *name, size_t size) {
    static const char *const format[] = {
        [PLACE_R] = "$r%llu",        [PLACE_A] = "$a%llu",        [PLACE_C] = "$c%llu",
        [PLACE_P] = "$p%llu",        [PLACE_PLANE] = "v[0x%llx]", [PLACE_OUT] = "o[0x%llx]",
        [PLACE_LOCAL] = "l[0x%llx]", [PLACE_ATTR] = "a[0x%llx]",  [PLACE_SHARED] = "s[0x%llx]",
        [PLACE_PRIM] = "p[0x%llx]",
    };
    if (p->kind == PLACE_CONST || p->kind == PLACE_GLOBAL)
        snprintf(name, size, "%c%u[0x%llx]", p->kind == PLACE_CONST ? 'c' : 'g', p->space,
                 (unsigned long long)p->address);
    else
        snprintf(name, size, format[p->kind],
                 p->kind <= PLACE_P ? (unsigned long long)p->row : (unsigned long long)p->address);
}

static bool read_row(const u32x32 *rows, uint32_t count, uint32_t row, unsigned lane,
                     uint32_t *word) {
    if (!rows || row >= count)
        return false;
    *word = rows[row][lane];
    return true;
}

static bool read_bytes(const void *data, uint64_t size, uint64_t address, uint32_t *word) {
    if (!data || address > size || size - address < 4)
        return false;
    memcpy(word, (const char *)data + address, 4);
    return true;
}

static bool read_plane(const struct warp *w, uint32_t row, unsigned lane, uint32_t *word) {
    const struct attribute_planes *set = w->planes[lane / 4];
    if (!set || row >= set->count)
        return false;
    const struct attribute_plane *p = &set->plane[row];
    const float v = (p->base + p->dx * w->x[lane]) + p->dy * w->y[lane];
    memcpy(word, &v, sizeof v);
    return true;
}

bool place_read(const struct stepper *s, const struct place *p, unsigned lane, uint32_t *word) {
    const struct warp *w = stepper_warp(s);
    const struct warp_env *env = stepper_env(s);
    switch (p->kind) {
    case PLACE_R:
        return read_row(w->r, env->program->header.reg_count, p->row, lane, word);
    case PLACE_A:
        return read_row(w->a, 8, p->row, lane, word);
    case PLACE_C:
        *word = flags_of_lane(&w->c[p->row & 3], lane);
        return true;
    case PLACE_P:
        *word = p->row < PRED_TRUE && w->fermi.p[p->row] >> lane & 1;
        return isa_set_of(env->program->variant) != SET_TESLA;
    case PLACE_PLANE:
        return read_plane(w, p->row, lane, word);
    case PLACE_OUT:
        return read_row(w->out, w->out_count, p->row, lane, word);
    case PLACE_LOCAL:
        return read_row(w->local, (w->local_size + 3) / 4, p->row, lane, word);
    case PLACE_ATTR:
        return read_row(w->attr, w->attr_count, p->row, lane, word);
    case PLACE_CONST:
        return read_bytes(env->c[p->space].data, env->c[p->space].size, p->address, word);
    case PLACE_GLOBAL:
        return env->g && stepper_global(s, p->space, p->address, word);
    case PLACE_SHARED:
        return w->cta && read_bytes(w->cta->s, w->cta->s_size, p->address, word);
    case PLACE_PRIM:
        return read_bytes(w->prim, (uint64_t)w->prim_count * 4, p->address, word);
    }
    return false;
}

bool place_write(struct stepper *s, const struct place *p, lane_mask m, uint32_t word) {
    static const int spaces[] = {
        [PLACE_R] = STEPPER_R,     [PLACE_A] = STEPPER_A,         [PLACE_C] = STEPPER_C,
        [PLACE_OUT] = STEPPER_OUT, [PLACE_LOCAL] = STEPPER_LOCAL,
    };
    if (p->kind > PLACE_LOCAL || p->kind == PLACE_P)
        return false;
    const struct stepper_edit edit = {(enum stepper_space)spaces[p->kind], p->row, m, word};
    return stepper_set(s, &edit);
}

bool word_parse(const char *text, uint32_t *word) {
    char *end;
    const bool hex = strncmp(text, "0x", 2) == 0 || strncmp(text, "-0x", 3) == 0;
    if (!*text)
        return false;
    if (!hex && strpbrk(text, ".eE")) {
        const float f = strtof(text, &end);
        memcpy(word, &f, 4);
        return end != text && *end == '\0' && isfinite(f);
    }
    const long long v = strtoll(text, &end, 0);
    *word = (uint32_t)v;
    return end != text && *end == '\0' && v >= -(1ll << 31) && v < 1ll << 32;
}
