/* Programs with their inputs and expected results, as text: tests/shader/programs/NAME.txt. Each
 * case is a test of its own, and runs with both engines at every SIMD level. docs/testing.md has
 * the format. A value is 32 bits, without sign, and is computed for each lane or word, i. */
#include "base/surface.h"
#include "shader/cta.h"
#include "tests/shader/case_files.h"
#include "tests/shader/fermi_stage.h"
#include "tests/shader/warp_case.h"

#include <ctype.h>

enum { SPACES = 16, WORDS = 512, PRIM_WORDS = 128, MACROS = 8 };

/* One program that runs, with all that its lines can name. */
struct machine {
    const struct text_case *of;
    const char *line; /* the line carried out now */
    enum simd_level level;
    bool native, fermi;
    enum isa_variant variant;
    enum program_type type;
    lane_mask launched, helpers;
    char text[4096];
    uint32_t header[SPH_WORDS];
    bool has_header; /* a Fermi's program of a stage of draws */
    struct warp_case c;
    struct fermi_stage s;
    struct warp *w; /* of c or s; NULL: the program has not been opened */
    struct warp_env *env;
    u32x32 *in, *out, *local, invocation;
    struct gpu_memory *memory; /* of a stage of draws that has some */
    struct cta_launch launch;  /* of a grid, if it has threads */
    uint32_t params[CTA_PARAMS], overtime;
    _Alignas(16) uint32_t constants[SPACES][WORDS];
    _Alignas(16) uint32_t global[SPACES][WORDS];
    uint32_t prim[PRIM_WORDS];
    char macro[MACROS][2][CASE_LINE]; /* name, value */
    size_t macros;
};

static void wrong(const struct machine *m, const char *why) {
    fail_msg("%s:%d: %s: %s (level %d, %s)\n%s", m->of->path, m->of->number, m->line, why, m->level,
             m->native ? "native" : "interp", m->text);
}

/* ---- places */

/* The place that a name stands for: values of equal size, side by side. */
struct place {
    void *at;
    size_t size; /* of a value, in bytes */
    uint32_t count;
};

#define ROW(pointer) ((struct place){pointer, 4, LANES})
#define ONE(pointer) ((struct place){pointer, sizeof *(pointer), 1})

static bool find_scalar(struct machine *m, const char *name, struct place *to) {
    struct warp *w = m->w;
    struct stack_entry *top = &w->stack[w->stack_top ? w->stack_top - 1 : 0];
    const struct {
        const char *name;
        struct place place;
    } scalars[] = {
        {"pc", ONE(&w->pc)},
        {"active", ONE(&w->active)},
        {"dead", ONE(&w->dead)},
        {"returned", ONE(&w->returned)},
        {"exited", ONE(&w->exited)},
        {"depth", ONE(&w->stack_top)},
        {"top.type", ONE(&top->type)},
        {"top.pc", ONE(&top->pc)},
        {"top.mask", ONE(&top->mask)},
        {"limited_calls", ONE(&w->limited_calls)},
        {"call_limit", ONE(&m->env->call_limit)},
        {"stack_limit", ONE(&m->env->stack_limit)},
        {"budget", ONE(&m->env->budget)},
        {"shared_size", ONE(&(m->has_header ? m->s.program : m->c.program)->header.shared_size)},
        {"bad_reads", ONE(&w->stats.bad_reads)},
        {"bad_writes", ONE(&w->stats.bad_writes)},
        {"instructions", ONE(&w->stats.instructions)},
        {"lane_instructions", ONE(&w->stats.lane_instructions)},
        {"executed", ONE(&w->executed)},
        {"attr_count", ONE(&w->attr_count)},
        {"out_count", ONE(&w->out_count)},
        {"patch_count", ONE(&w->patch_count)},
        {"patch_vertices", ONE(&w->patch_vertices)},
        {"prim_count", ONE(&w->prim_count)},
    };
    for (size_t i = 0; i < LENGTH(scalars); i++)
        if (!strcmp(name, scalars[i].name)) {
            *to = scalars[i].place;
            return true;
        }
    return false;
}

static bool find_flags(struct machine *m, const char *name, struct place *to) {
    char which;
    unsigned n;
    if (sscanf(name, "cc%u.%c", &n, &which) != 2 || n > 3)
        return false;
    struct flags *f = &m->w->c[n];
    lane_mask *const part = which == 'z'   ? &f->z
                            : which == 's' ? &f->s
                            : which == 'c' ? &f->c
                                           : &f->o;
    *to = ONE(part);
    return true;
}

/* mADDRESS: words of the memory from an address on. */
static bool find_memory(struct machine *m, const char *name, struct place *to) {
    unsigned address;
    int length = 0;
    if (!m->memory || sscanf(name, "m%x%n", &address, &length) != 1 || name[length])
        return false;
    *to = (struct place){memory_at(m->memory, address, 0x100), 4, 0x1000};
    return true;
}

static struct place find(struct machine *m, const char *name) {
    struct warp *w = m->w;
    const unsigned n = (unsigned)strtoul(name + strcspn(name, "0123456789"), NULL, 10);
    const struct {
        const char *name;
        unsigned count;
        struct place place;
    } rows[] = {
        {"r", CASE_REGS, ROW(&w->r[n])},
        {"a", 8, ROW(&w->a[n])},
        {"in", w->attr_count, ROW(&m->in[n])},
        {"o", w->out_count, ROW(&m->out[n])},
        {"l", w->local_size / 4, ROW(&m->local[n])},
        {"patch", STAGE_ROWS, ROW(&w->patch[n])},
        {"p", PRED_TRUE, ONE(&w->fermi.p[n])},
        {"c", SPACES, {m->constants[n % SPACES], 4, WORDS}},
        {"g", SPACES, {m->global[n % SPACES], 4, WORDS}},
        {"s", 1, {m->c.shared, 4, sizeof m->c.shared / 4}},
        {"lock", 1, {m->c.lock_owner, 2, LENGTH(m->c.lock_owner)}},
        {"prim", 1, {m->prim, 4, PRIM_WORDS}},
        {"invocation", 1, ROW(&m->invocation)},
    };
    struct place to;
    if (find_scalar(m, name, &to) || find_flags(m, name, &to) || find_memory(m, name, &to))
        return to;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const size_t length = strlen(rows[i].name);
        if (!strncmp(name, rows[i].name, length) && n < rows[i].count &&
            strspn(name + length, "0123456789") == strlen(name + length))
            return rows[i].place;
    }
    wrong(m, name);
    return (struct place){0};
}

static uint32_t get(const struct place *p, uint32_t i) {
    uint32_t v = 0;
    memcpy(&v, (const char *)p->at + i * p->size, p->size < 4 ? p->size : 4);
    return v;
}

static void put(const struct place *p, uint32_t i, uint32_t v) {
    const uint64_t wide = v;
    memcpy((char *)p->at + i * p->size, &wide, p->size);
}

/* ---- values */

struct reader {
    struct machine *m;
    const char *at;
    uint32_t i;
};

static uint32_t read_value(struct reader *r, int least);

static uint32_t value_of(struct machine *m, const char *text, uint32_t i) {
    struct reader r = {m, text, i};
    const uint32_t v = read_value(&r, 0);
    if (*r.at)
        wrong(m, r.at);
    return v;
}

static bool accept(struct reader *r, const char *word) {
    r->at += strspn(r->at, " ");
    if (strncmp(r->at, word, strlen(word)) != 0)
        return false;
    r->at += strlen(word);
    return true;
}

static void expect(struct reader *r, const char *word) {
    if (!accept(r, word))
        wrong(r->m, r->at);
}

static size_t read_name(struct reader *r, char name[32]) {
    size_t n = 0;
    for (; isalnum((unsigned char)*r->at) || strchr("._", *r->at ? *r->at : ' '); r->at++)
        if (n < 31)
            name[n++] = *r->at;
    name[n] = 0;
    return n;
}

/* s8(v), s16(v): v with the sign of its low bits. mark(row, lane): the content that `fill`
 * gives. */
static uint32_t read_call(struct reader *r, const char *name) {
    const uint32_t a = read_value(r, 0), b = accept(r, ",") ? read_value(r, 0) : 0;
    expect(r, ")");
    return !strcmp(name, "s8")    ? (uint32_t)(int8_t)a
           : !strcmp(name, "s16") ? (uint32_t)(int16_t)a
                                  : 0x10000 * (a + 1) + b;
}

/* i, a macro, a call, or one value of a place: of this lane or word, or NAME[VALUE]. */
static uint32_t read_named(struct reader *r) {
    char name[32];
    if (!read_name(r, name))
        wrong(r->m, r->at);
    if (!strcmp(name, "i"))
        return r->i;
    for (size_t k = 0; k < r->m->macros; k++)
        if (!strcmp(name, r->m->macro[k][0]))
            return value_of(r->m, r->m->macro[k][1], r->i);
    if (accept(r, "("))
        return read_call(r, name);
    const struct place p = find(r->m, name);
    uint32_t at = p.count == 1 ? 0 : r->i;
    if (accept(r, "[")) {
        at = read_value(r, 0);
        expect(r, "]");
    }
    if (at >= p.count)
        wrong(r->m, name);
    return get(&p, at);
}

static uint32_t read_part(struct reader *r) {
    if (accept(r, "(")) {
        const uint32_t v = read_value(r, 0);
        expect(r, ")");
        return v;
    }
    if (accept(r, "~"))
        return ~read_part(r);
    if (accept(r, "!"))
        return !read_part(r);
    if (accept(r, "-"))
        return -read_part(r);
    if (!isdigit((unsigned char)*r->at))
        return read_named(r);
    char *end;
    const uint32_t v = (uint32_t)strtoul(r->at, &end, 0);
    r->at = end;
    return v;
}

/* Operators of C and their strengths. An operator stands before any that it begins with. */
static const struct {
    char text[3];
    int strength;
} operators[] = {{"||", 2}, {"&&", 3}, {"|", 4},  {"^", 5},  {"&", 6},  {"==", 7},
                 {"!=", 7}, {"<<", 9}, {">>", 9}, {"<=", 8}, {">=", 8}, {"<", 8},
                 {">", 8},  {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"%", 11}};

static size_t operator_at(struct reader *r) {
    size_t k = 0;
    r->at += strspn(r->at, " ");
    while (k < LENGTH(operators) &&
           strncmp(r->at, operators[k].text, strlen(operators[k].text)) != 0)
        k++;
    return k;
}

static uint32_t combined(const char *operator, uint32_t a, uint32_t b) {
    const bool twice = operator[0] == operator[1], equal = operator[1] == '=';
    switch (operator[0]) {
    case '|':
        return twice ? a || b : a | b;
    case '&':
        return twice ? a && b : a & b;
    case '<':
        return twice ? a << b : equal ? a <= b : a < b;
    case '>':
        return twice ? a >> b : equal ? a >= b : a > b;
    case '^':
        return a ^ b;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    default:
        return a % b;
    }
}

static uint32_t read_value(struct reader *r, int least) {
    uint32_t v = read_part(r);
    for (size_t k; (k = operator_at(r)) < LENGTH(operators) && operators[k].strength >= least;) {
        accept(r, operators[k].text);
        v = combined(operators[k].text, v, read_value(r, operators[k].strength + 1));
    }
    if (least <= 1 && accept(r, "?")) {
        const uint32_t yes = read_value(r, 0);
        expect(r, ":");
        const uint32_t no = read_value(r, 0);
        return v ? yes : no;
    }
    r->at += strspn(r->at, " ");
    return v;
}

/* ---- lines */

/* NAME, NAME[FIRST] or NAME[FIRST..END], then = VALUE, which sets, or == VALUE, which compares. */
static void do_value(struct machine *m, const char *line) {
    struct reader r = {m, line, 0};
    char name[32], text[96];
    read_name(&r, name);
    const struct place p = find(m, name);
    uint32_t first = 0, end = p.count;
    if (accept(&r, "[")) {
        first = read_value(&r, 0);
        end = accept(&r, "..") ? read_value(&r, 0) : first + 1;
        expect(&r, "]");
    }
    if (end > p.count)
        wrong(m, "too many");
    const bool compares = accept(&r, "==");
    if (!compares)
        expect(&r, "=");
    const char *const value = r.at;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t v = value_of(m, value, i);
        if (!compares)
            put(&p, i, v);
        snprintf(text, sizeof text, "%u: %08x, not %08x", i, get(&p, i), v);
        const uint32_t mask = p.size < 4 ? (1u << 8 * p.size) - 1 : ~0u;
        if (compares && get(&p, i) != (v & mask))
            wrong(m, text);
    }
}

static void open_machine(struct machine *m) {
    struct native *const native = m->native ? test_native_get(m->level) : NULL;
    if (m->has_header) {
        struct program *p = stage_program(&m->s, m->type, m->text, NULL, 0, 0);
        stage_start(&m->s, m->level, m->native, p, m->launched, m->helpers);
        m->w = m->s.w;
        m->env = &m->s.env;
        m->in = m->s.attr, m->out = m->s.out, m->local = m->s.local;
        m->w->invocation = &m->invocation;
        return;
    }
    case_open_at(&m->c, m->level, m->type, m->variant, m->launched, m->text);
    m->w = m->c.w;
    m->env = &m->c.env;
    m->env->native = native;
    m->in = m->c.attr, m->out = m->c.out, m->local = m->c.local;
    if (m->helpers) {
        warp_start(m->w, m->env, m->launched, m->helpers);
        m->w->r[0] = lanes_iota();
    }
}

/* Allocates memory for g[] and images: in blocks, in lines, and of four words a texel. */
static void open_memory(struct machine *m) {
    static const struct image_view images[WARP_IMAGES] = {
        {0x20000, FORMAT_RGBA8_UNORM, 24, 21, false, 2},
        {0x30000, FORMAT_R32_UINT, 0x80, 3, true, 0},
        {0x20000, FORMAT_RGBA32_UINT, 4, 8, false, 1},
    };
    m->memory = memory_create(1 << 20, -1);
    if (!m->memory || !memory_alloc_at(m->memory, 0x10000, 0x100) ||
        !memory_alloc_at(m->memory, 0x20000, 0x4000) ||
        !memory_alloc_at(m->memory, 0x30000, 0x1000))
        wrong(m, "no memory");
    m->env->memory = m->memory;
    m->env->image = images;
}

/* bind cN BYTES, bind gN BYTES, bind prim WORDS */
static void bind_space(struct machine *m, const char *line) {
    unsigned n = 0, size;
    char kind;
    if (sscanf(line, "bind prim %u", &size) == 1) {
        m->w->prim = m->prim;
        m->w->prim_count = size;
    } else if (sscanf(line, "bind %c%u %u", &kind, &n, &size) != 3 || n >= SPACES) {
        wrong(m, "bind cN BYTES");
    } else if (kind == 'c') {
        m->env->c[n] = (struct const_view){(const uint8_t *)m->constants[n], size};
    } else {
        m->c.g[n] = (struct global_view){.data = (uint8_t *)m->global[n], .limit = size};
    }
}

/* Runs the blocks of the grid one after the other, up to the first that fails. The message is the
 * block's number, then the message of the failing warp. */
static bool run_grid(struct machine *m, char said[160]) {
    struct cta_error error;
    char message[128];
    const char *why;
    bool failed = false;
    struct cta *b = cta_create(m->env, &m->launch, &why);
    const uint16_t *const grid = m->launch.grid;
    if (!b)
        wrong(m, why);
    for (unsigned n = 0; !failed && n < (unsigned)grid[0] * grid[1] * grid[2]; n++)
        if ((failed = cta_run(b, (uint16_t)(n % grid[0]), (uint16_t)(n / grid[0] % grid[1]),
                              (uint16_t)(n / grid[0] / grid[1]), &m->w->stats, &error))) {
            warp_error_print(&error.warp, message, sizeof message);
            snprintf(said, 160, "block %u, warp %u%s: %s", n, error.warp_id,
                     error.stopped ? ", stopped" : "", message);
        }
    cta_destroy(b);
    return !failed;
}

/* Runs the warp or the grid to its end. Returns false, with the message, if it fails. */
static bool run_machine(struct machine *m, char said[160]) {
    if (m->launch.threads[0])
        return run_grid(m, said);
    if (warp_run(m->w, m->env) == WARP_DONE)
        return true;
    warp_error_print(&m->w->error, said, 160);
    return false;
}

static void step(struct machine *m, int count) {
    for (; count; count--)
        if (warp_step(m->w, m->env) != WARP_RUNNING)
            wrong(m, "ended");
}

/* reads, writes: words of a[] in the program's header, as A or A..END, by their byte addresses. */
static void read_header(struct machine *m, const char *line) {
    const bool reads = *line == 'r';
    unsigned first, end;
    int length;
    if (!m->has_header)
        header_begin(m->s.header, m->type);
    m->has_header = true;
    for (line += strcspn(line, " "); *line; line += length) {
        length = 0;
        if (sscanf(line, " %x..%x%n", &first, &end, &length) < 2 || !length) {
            if (sscanf(line, " %x%n", &first, &length) != 1)
                wrong(m, line);
            end = first + 4;
        }
        for (unsigned a = first; a < end; a += 4)
            reads ? header_in(m->s.header, a) : header_out(m->s.header, a);
    }
}

/* fill in, out, patch or prim: row n has mark(n, lane). */
static void fill_rows(struct machine *m, const char *line) {
    const bool in = !strcmp(line, "fill in");
    u32x32 *const rows = in                            ? m->in
                         : !strcmp(line, "fill out")   ? m->out
                         : !strcmp(line, "fill patch") ? m->w->patch
                                                       : m->s.prim;
    for (uint32_t r = 0; r < (in ? m->w->attr_count : m->w->out_count); r++)
        rows[r] = 0x10000 * (r + 1) + lanes_iota();
}

/* Obeys a line that must come before the program is opened. Returns false for other lines. */
static bool do_early(struct machine *m, const char *line) {
    char variant[16], type[8];
    unsigned vertices, words;
    const size_t used = strlen(m->text);
    if (!strncmp(line, "    ", 4)) {
        snprintf(m->text + used, sizeof m->text - used, "%s\n", line + 4);
        for (char *at = m->text + used; (at = strchr(at, ';'));)
            *at = '\n';
    } else if (!strncmp(line, "reads", 5) || !strncmp(line, "writes ", 7)) {
        read_header(m, line);
    } else if (sscanf(line, "outputs %u %u", &vertices, &words) == 2) {
        header_begin(m->s.header, m->type);
        m->has_header = true;
        m->s.header[1] = words << 24;
        m->s.header[2] = vertices << 24;
    } else if (strstr(line, " := ")) {
        char(*const macro)[CASE_LINE] = m->macro[m->macros++];
        snprintf(macro[0], CASE_LINE, "%.*s", (int)(strstr(line, " := ") - line), line);
        snprintf(macro[1], CASE_LINE, "%s", strstr(line, " := ") + 4);
    } else if (sscanf(line, "%15s %7s", variant, type) == 2 &&
               isa_variant_from_name(variant) >= 0 && program_type_from_name(type) >= 0) {
        m->variant = (enum isa_variant)isa_variant_from_name(variant);
        m->type = (enum program_type)program_type_from_name(type);
        sscanf(line, "%*s %*s %x %x", &m->launched, &m->helpers);
    } else {
        return false;
    }
    return true;
}

/* grid X Y Z block X Y Z: the program runs as a grid of blocks. */
static void read_grid(struct machine *m, const char *line) {
    struct cta_launch *const l = &m->launch;
    if (sscanf(line, "grid %hu %hu %hu block %hu %hu %hu", &l->grid[0], &l->grid[1], &l->grid[2],
               &l->threads[0], &l->threads[1], &l->threads[2]) != 6)
        wrong(m, "grid X Y Z block X Y Z");
    l->grid_id = 0x77;
    l->params = m->params;
    m->env->budget = 10000000;
}

static void do_line(struct machine *m, const char *line) {
    char said[160] = "no error";
    m->line = line;
    if (do_early(m, line))
        return;
    if (!m->w)
        open_machine(m);
    if (!strcmp(line, "run")) {
        if (!run_machine(m, said))
            wrong(m, said);
    } else if (!strcmp(line, "memory")) {
        open_memory(m);
    } else if (!strcmp(line, "start")) {
        warp_start(m->w, m->env, m->launched, m->helpers);
    } else if (!strncmp(line, "check ", 6)) {
        if (!value_of(m, line + 6, 0))
            wrong(m, "does not hold");
    } else if (!strncmp(line, "fails ", 6)) {
        if (run_machine(m, said) || strcmp(said, line + 6) != 0)
            wrong(m, said);
    } else if (!strncmp(line, "step ", 5)) {
        step(m, atoi(line + 5));
    } else if (!strncmp(line, "bind ", 5)) {
        bind_space(m, line);
    } else if (sscanf(line, "overtime %u", &m->overtime) == 1) {
        m->env->overtime = &m->overtime;
    } else if (!strncmp(line, "grid ", 5)) {
        read_grid(m, line);
    } else if (sscanf(line, "param %i", (int *)&m->params[m->launch.param_count]) == 1) {
        m->launch.param_count++;
    } else if (!strncmp(line, "fill ", 5)) {
        fill_rows(m, line);
    } else {
        do_value(m, line);
    }
}

/* Copies the line with `each` in place of %0, and with the row's columns, which are separated by
 * ` | `, in place of %1, %2, ... */
static void with_columns(const char *line, const char *each, const char *row, char to[CASE_LINE]) {
    size_t n = 0;
    for (; *line && n < CASE_LINE - 1; line++) {
        if (*line != '%' || !isdigit((unsigned char)line[1])) {
            to[n++] = *line;
            continue;
        }
        const char *column = *++line == '0' ? each : row;
        for (int k = *line == '0' ? 0 : *line - '1'; k && (column = strstr(column, " | ")); k--)
            column += 3;
        const char *const end = column ? strstr(column, " | ") : NULL;
        const size_t length = !column ? 0 : end ? (size_t)(end - column) : strlen(column);
        n += (size_t)snprintf(to + n, CASE_LINE - n, "%.*s", (int)length, column ? column : "");
    }
    to[n < CASE_LINE ? n : CASE_LINE - 1] = 0;
}

static void run_once(const struct text_case *of, const char *each, const char *row,
                     enum simd_level level, bool native) {
    static struct machine m;
    memset(&m, 0, sizeof m);
    m.of = of;
    m.level = level;
    m.native = native;
    m.launched = LANES_ALL;
    for (size_t k = 0; k < of->count; k++) {
        char line[CASE_LINE];
        if (!strncmp(of->line[k], "row: ", 5) || !strncmp(of->line[k], "each: ", 6))
            continue;
        with_columns(of->line[k], each, row, line);
        do_line(&m, line);
    }
    if (!m.w)
        wrong(&m, "does not run");
    m.has_header ? stage_close(&m.s) : case_close(&m.c);
    if (m.memory)
        memory_destroy(m.memory);
}

/* The rest of the next line of this kind, from line *k on; then *k is behind the line. NULL: there
 * is no such line. */
static const char *next_line(const struct text_case *of, const char *kind, size_t *k) {
    for (; *k < of->count; (*k)++)
        if (!strncmp(of->line[*k], kind, strlen(kind)))
            return of->line[(*k)++] + strlen(kind);
    return NULL;
}

/* Runs a case for each of its rows, or once if it has none. */
static void run_rows(const struct text_case *of, const char *each, enum simd_level level,
                     bool native) {
    size_t k = 0;
    const char *row = next_line(of, "row: ", &k);
    run_once(of, each, row ? row : "", level, native);
    while (row && (row = next_line(of, "row: ", &k)))
        run_once(of, each, row, level, native);
}

static void run_case(void **state) {
    const struct text_case *of = *state;
    size_t k = 0;
    const char *const each = next_line(of, "each: ", &k), *const second =
                                                              each ? strstr(each, " | ") : NULL;
    char first[128];
    snprintf(first, sizeof first, "%.*s", second ? (int)(second - each) : 0, each ? each : "");
    FOR_EACH_ENGINE(level, native) {
        if (native && !test_native_get(level))
            continue;
        run_rows(of, first, level, native);
        if (second)
            run_rows(of, second + 3, level, native);
    }
}

CASE_FILES("tests/shader/programs/*.txt", run_case);
