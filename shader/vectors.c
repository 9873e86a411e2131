/* Execution vectors: parses lines, puts lines of the same instruction into the lanes of one warp (a
 * line of quadop into a quad), runs the warp, compares registers, flags and memory. In: a text
 * file. Out: counts and failing lines. Knows no instruction: the words are decoded like any
 * program.
 */
#include "shader/vectors.h"

#include "shader/native/native.h"

#include <stdlib.h>

enum { TEXT_SIZE = 256, FIELDS = 15, FIELD_SIZE = 32 };

/* One line. in[]: IN1 to IN3; tag Q: A0 to A3 and B. */
struct vector {
    char text[TEXT_SIZE];
    unsigned line;
    char tag;
    enum isa_variant variant;
    uint32_t word[2];
    bool is_short;
    uint32_t mode;
    unsigned first; /* the flags in $c0; tag Q: the position in the quad */
    uint64_t in[5];
    unsigned in_digits; /* hexadecimal digits of IN1: 16 for 64-bit operands */
    uint64_t out;
    unsigned out_digits;
    uint64_t flags; /* tag A: the old value */
    /* the results */
    uint64_t got, got_flags;
};

struct vector_warp {
    struct vector *vector; /* [LANES] */
    unsigned count;
    struct warp *warp;
    uint64_t memory[LANES]; /* g0[]: one 64-bit word a lane */
};

/* ---- parsing ---- */

static bool parse_hex(const char *s, uint64_t *v) {
    char *end;
    *v = strtoull(s, &end, 16);
    return end != s && !*end;
}

static bool parse_variant(const char *s, enum isa_variant *v) {
    static const char *const names[] = {[ISA_G80] = "g80",
                                        [ISA_G84] = "g84",
                                        [ISA_G200] = "g200",
                                        [ISA_MCP77] = "mcp77",
                                        [ISA_GT215] = "gt215"};
    for (int i = 0; i < ISA_TESLA_VARIANTS; i++) {
        if (!strcmp(s, names[i])) {
            *v = (enum isa_variant)i;
            return true;
        }
    }
    return false;
}

/* Splits at blanks. Returns the number of fields, at most FIELDS. */
static int split(const char *text, char field[FIELDS][FIELD_SIZE]) {
    int count = 0, used = 0, n;
    while (count < FIELDS && sscanf(text + used, "%31s%n", field[count], &n) == 1) {
        used += n;
        count++;
    }
    return count;
}

static bool parse_vector(struct vector *v) {
    char f[FIELDS][FIELD_SIZE];
    uint64_t n[FIELDS];
    const int count = split(v->text, f);
    if (count < 1 || strlen(f[0]) != 1 || !strchr("IFSDQA", f[0][0]))
        return false;
    v->tag = f[0][0];
    const int inputs = v->tag == 'Q' ? 5 : 3, arrow = 6 + inputs;
    if (count != arrow + 3 || strcmp(f[arrow], "->") || !parse_variant(f[1], &v->variant))
        return false;
    v->is_short = !strcmp(f[3], "--------");
    for (int i = 2; i < count; i++)
        if (i != arrow && !(i == 3 && v->is_short) && !parse_hex(f[i], &n[i]))
            return false;
    v->word[0] = (uint32_t)n[2];
    v->word[1] = v->is_short ? 0 : (uint32_t)n[3];
    v->mode = (uint32_t)n[4];
    v->first = (unsigned)n[5] & (v->tag == 'Q' ? 3 : 15);
    for (int i = 0; i < inputs; i++)
        v->in[i] = n[6 + i];
    v->in_digits = (unsigned)strlen(f[6]);
    v->out = n[arrow + 1];
    v->out_digits = (unsigned)strlen(f[arrow + 1]);
    v->flags = n[arrow + 2];
    return true;
}

/* ---- one warp ---- */

static bool same_instruction(const struct vector *a, const struct vector *b) {
    return a->tag == b->tag && a->variant == b->variant && a->mode == b->mode &&
           a->is_short == b->is_short && a->word[0] == b->word[0] && a->word[1] == b->word[1] &&
           a->in_digits == b->in_digits;
}

/* The lane in which a vector is checked: its own lane, or its position in its own quad. */
static unsigned lane_of(const struct vector *v, unsigned index) {
    return v->tag == 'Q' ? 4 * index + v->first : index;
}

static void set_lane(struct warp *w, unsigned reg, unsigned lane, uint64_t v) {
    w->r[reg][lane] = (uint32_t)v;
}

static uint64_t lane_value(const struct warp *w, unsigned reg, unsigned lane, bool wide) {
    return w->r[reg][lane] | (wide ? (uint64_t)w->r[reg + 1][lane] << 32 : 0);
}

static void set_pair(struct warp *w, unsigned reg, unsigned lane, uint64_t v) {
    set_lane(w, reg, lane, v);
    set_lane(w, reg + 1, lane, v >> 32);
}

/* Sets registers and memory for one line, as the head of the vector files defines them. */
static void set_inputs(struct vector_warp *b, unsigned index) {
    const struct vector *v = &b->vector[index];
    struct warp *w = b->warp;
    const unsigned lane = lane_of(v, index);
    for (unsigned i = 0; i < 4; i++)
        flags_set_lane(&w->c[i], lane, i == 0 && v->tag != 'Q' ? v->first : 15);
    if (v->tag == 'Q') {
        for (unsigned i = 0; i < 4; i++)
            set_lane(w, 4, 4 * index + i, v->in[i]);
        set_lane(w, 6, lane, v->in[4]);
    } else if (v->tag == 'D') {
        for (unsigned i = 0; i < 3; i++)
            set_pair(w, 4 + 2 * i, lane, v->in[i]);
    } else if (v->tag == 'A') {
        const bool wide = v->in_digits > 8;
        b->memory[lane] = v->in[0];
        set_lane(w, 0, lane, lane * sizeof b->memory[0]);
        if (wide) {
            set_pair(w, 4, lane, v->in[1]);
            set_pair(w, 6, lane, v->in[2]);
        } else {
            set_lane(w, 5, lane, v->in[1]);
            set_lane(w, 6, lane, v->in[2]);
        }
    } else {
        for (unsigned i = 0; i < 3; i++)
            set_lane(w, 4 + i, lane, v->in[i]);
    }
}

static unsigned result_register(const struct vector *v) {
    switch (v->tag) {
    case 'D':
        return 10;
    case 'S':
        return 4;
    case 'A':
        return v->in_digits > 8 ? 8 : 7;
    default:
        return v->is_short || (v->word[1] & 3) == 3 ? 6 : 7; /* 3: immediate form */
    }
}

static bool check(struct vector_warp *b, unsigned index) {
    struct vector *v = &b->vector[index];
    const unsigned lane = lane_of(v, index);
    const bool wide = v->out_digits > 8;
    const uint64_t digits = wide ? UINT64_MAX : (1ull << 4 * v->out_digits) - 1;
    v->got = lane_value(b->warp, result_register(v), lane, wide);
    v->got_flags = flags_of_lane(&b->warp->c[v->tag == 'I' ? 1 : 0], lane);
    if (v->tag == 'A') {
        v->got_flags = v->got;
        v->got = b->memory[lane];
    }
    v->got &= digits;
    return v->got == v->out && v->got_flags == v->flags;
}

/* Makes a program of the instruction and an exit. A short instruction is followed by a move of a
 * register to itself, because long ones start at even words. */
static struct program *make_program(const struct vector *v) {
    const uint32_t filler = 0x10008000u | 60 << 2 | 60 << 9;
    const uint32_t words[] = {v->word[0], v->is_short ? filler : v->word[1], 0xf0000001,
                              0xe0000781};
    struct program_header header = {.reg_count = 64};
    struct program_error error;
    return program_from_words(PROGRAM_CP, v->variant, &header, words, 4, 0, 0, "vector", &error);
}

static void report_fail(struct vectors_report *report, const struct vector *v, const char *got) {
    report->failed++;
    if (report->fail)
        report->fail(report->self, v->line, v->text, got);
}

static void compare(struct vector_warp *b, enum warp_status status, struct vectors_report *report) {
    char got[64];
    for (unsigned i = 0; i < b->count; i++) {
        const struct vector *v = &b->vector[i];
        if (status != WARP_DONE) {
            report_fail(report, v, mp_error_name(b->warp->error.code));
        } else if (check(b, i)) {
            report->passed++;
        } else {
            snprintf(got, sizeof got, "%0*llx %llx", (int)v->out_digits, (unsigned long long)v->got,
                     (unsigned long long)v->got_flags);
            report_fail(report, v, got);
        }
    }
}

static int run_vectors(struct vector_warp *b, enum simd_level simd, struct native *native,
                       struct vectors_report *report) {
    if (!b->count)
        return 0;
    const struct vector *v = &b->vector[0];
    struct program *p = make_program(v);
    if (!p)
        return -1;
    const struct global_view g[16] = {{.data = (uint8_t *)b->memory, .limit = sizeof b->memory}};
    const struct warp_env env = {
        .program = p, .simd = simd, .mode = v->mode, .g = g, .native = native};
    lane_mask launched = 0;
    for (unsigned i = 0; i < b->count; i++)
        launched |= (v->tag == 'Q' ? 15u << 4 * i : 1u << i);
    warp_start(b->warp, &env, launched, 0);
    for (unsigned i = 0; i < b->count; i++)
        set_inputs(b, i);
    compare(b, warp_run(b->warp, &env), report);
    warp_free(b->warp);
    program_unref(p);
    b->count = 0;
    return 0;
}

/* ---- the file ---- */

static bool is_blank(const char *s) {
    return s[strspn(s, " \t")] == 0 || s[0] == '#';
}

static int run_file(FILE *in, enum simd_level simd, struct native *native,
                    struct vectors_report *report, struct vector_warp *b) {
    char text[TEXT_SIZE];
    for (unsigned line = 1; fgets(text, sizeof text, in); line++) {
        text[strcspn(text, "\r\n")] = 0;
        if (is_blank(text))
            continue;
        struct vector v = {.line = line};
        memcpy(v.text, text, sizeof text);
        if (!parse_vector(&v)) {
            report_fail(report, &v, "not a vector");
            continue;
        }
        const unsigned limit = v.tag == 'Q' ? LANES / 4 : LANES;
        if (b->count && (b->count >= limit || !same_instruction(&v, &b->vector[0])) &&
            run_vectors(b, simd, native, report))
            return -1;
        b->vector[b->count++] = v;
    }
    return run_vectors(b, simd, native, report) || ferror(in) ? -1 : 0;
}

int vectors_run(FILE *in, enum simd_level simd, struct native *native,
                struct vectors_report *report) {
    struct vector_warp b = {.vector = calloc(LANES, sizeof *b.vector),
                            .warp = aligned_alloc(256, (sizeof *b.warp + 255) & ~(size_t)255)};
    int r = -1;
    if (b.vector && b.warp) {
        memset(b.warp, 0, sizeof *b.warp);
        r = run_file(in, simd, native, report, &b);
    }
    free(b.vector);
    free(b.warp);
    return r;
}

int vectors_run_native(FILE *in, enum simd_level simd, struct vectors_report *report) {
    struct native *native = native_create(simd);
    const int r = native ? vectors_run(in, simd, native, report) : -1;
    native_destroy(native);
    return r;
}
