/* Expands .macro and .include in program text. In: a text and its name. Out: the text with included
 * files and macro bodies in place, and for each line its origin. Knows lines and arguments only, no
 * instruction.
 */
#include "shader/isa/source.h"
#include "base/format_text.h"
#include "base/read_file.h"
#include "base/arena.h"

#include <stdlib.h>

enum { MAX_DEPTH = 32, MAX_ARGUMENTS = 32, MAX_MACROS = 4096, MAX_TEXT = 16 << 20 };
/* MAX_READ limits the text of all bodies and files at all depths, in bytes. A body or a file counts
 * for its price and its text, so that nested empty bodies and files reach the limit, too. */
enum { MAX_READ = 64 << 20, BODY_PRICE = 64, FILE_PRICE = 4096 };
enum { BUCKETS = 256 };

struct span {
    const char *at;
    size_t length;
};

struct macro {
    struct span name, argument[MAX_ARGUMENTS];
    unsigned arguments;
    const char *body, *end;
    const char *file;
    uint32_t line; /* of the body's first line */
    struct macro *next;
};

struct expander {
    struct source_text *out;
    size_t room, line_room;
    struct macro *macros[BUCKETS]; /* by the hash of the name, the newest first */
    unsigned macro_count;
    size_t read; /* bytes of bodies and files, up to MAX_READ */
    bool files;  /* .include is allowed */
    uint32_t uses;
    struct source_error *error;
    struct token *place;
    const char *file;   /* the file that has the current line */
    uint32_t line;      /* number of the current line in the file */
    struct span in;     /* the macro that the line is part of */
    uint32_t used_line; /* if `in` is set: the line outside of all macros */
    uint32_t outer;     /* the line of the first text that led here */
};

__attribute__((format(printf, 2, 3))) static bool fail(struct expander *e, const char *format,
                                                       ...) {
    char text[320];
    FORMAT_TEXT(text, format);
    /* the place of the mistake is the line that would come next */
    *e->place = (struct token){.line = (uint32_t)e->out->lines + 1, .column = 1};
    return source_fail(e->error, e->place, "%s", text);
}

static bool add_bytes(struct expander *e, const char *at, size_t length) {
    struct source_text *o = e->out;
    if (o->length + length > MAX_TEXT)
        return fail(e, "macros and included files make more than 16 MiB of text");
    if (!ARRAY_ROOM(o->text, e->room, o->length + length + 1))
        return fail(e, "out of memory");
    memcpy(o->text + o->length, at, length);
    o->length += length;
    o->text[o->length] = 0;
    return true;
}

/* Counts a body or a file against the limit: length is its price plus its text. */
static bool count_read(struct expander *e, size_t length) {
    e->read += length;
    return e->read <= MAX_READ ||
           fail(e, "macros and included files make more than %d MiB of text at all depths",
                MAX_READ >> 20);
}

/* Notes the origin of the line that begins. */
static bool note_line(struct expander *e) {
    struct source_text *o = e->out;
    if (!ARRAY_ROOM(o->origin, e->line_room, o->lines + 2))
        return fail(e, "out of memory");
    const struct source_origin from = {e->file,      e->line, e->in.at, (uint32_t)e->in.length,
                                       e->used_line, e->outer};
    /* [lines + 1], too: after end_line() a message names that line */
    o->origin[o->lines] = o->origin[o->lines + 1] = from;
    return true;
}

static bool end_line(struct expander *e) {
    if (!add_bytes(e, "\n", 1))
        return false;
    e->out->lines++;
    return true;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *skip_blanks(const char *p, const char *end) {
    while (p < end && is_blank(*p))
        p++;
    return p;
}

static bool spans_equal(struct span a, struct span b) {
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

static bool span_is(struct span a, const char *text) {
    return a.length == strlen(text) && memcmp(a.at, text, a.length) == 0;
}

/* The next argument of a line: up to a blank or comma outside of brackets, or a text in quotes.
 * False at the end or at a comment. */
static bool next_argument(const char **at, const char *end, struct span *s) {
    const char *p = *at;
    while (p < end && (is_blank(*p) || *p == ','))
        p++;
    if (p >= end || (p + 1 < end && p[0] == '/' && p[1] == '/'))
        return false;
    if (*p == '"') {
        const char *close = memchr(p + 1, '"', (size_t)(end - p - 1));
        *s = (struct span){p + 1, (size_t)((close ? close : end) - p - 1)};
        *at = close ? close + 1 : end;
        return true;
    }
    int depth = 0;
    s->at = p;
    for (; p < end && (depth > 0 || (!is_blank(*p) && *p != ',')); p++)
        depth += (*p == '[' || *p == '(') - (*p == ']' || *p == ')');
    s->length = (size_t)(p - s->at);
    *at = p;
    return true;
}

/* Gives malloc'd memory to *t, which frees it. False: out of memory; the memory is freed. */
static bool keep(struct source_text *t, void *memory) {
    if (!ARRAY_ROOM(t->kept, t->kept_room, t->kept_count + 1)) {
        free(memory);
        return false;
    }
    t->kept[t->kept_count++] = memory;
    return true;
}

static bool expand_text(struct expander *e, const char *text, const char *end, unsigned depth);

/* ---- macros ---- */

static unsigned bucket_of(struct span name) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name.length; i++)
        hash = (hash ^ (uint8_t)name.at[i]) * 16777619u;
    return (hash ^ hash >> 16) % BUCKETS;
}

static const struct macro *find_macro(const struct expander *e, struct span name) {
    const struct macro *m = e->macros[bucket_of(name)];
    while (m && !spans_equal(m->name, name))
        m = m->next;
    return m;
}

/* Adds a macro of this name, still without a body. NULL after a message. */
static struct macro *add_macro(struct expander *e, struct span name) {
    struct macro **const bucket = &e->macros[bucket_of(name)];
    if (e->macro_count == MAX_MACROS) {
        fail(e, "more than %d definitions of macros", MAX_MACROS);
        return NULL;
    }
    struct macro *const m = calloc(1, sizeof *m);
    if (!m) {
        fail(e, "out of memory");
        return NULL;
    }
    *m = (struct macro){.name = name, .file = e->file, .line = e->line + 1, .next = *bucket};
    *bucket = m;
    e->macro_count++;
    return m;
}

static bool name_arguments(struct expander *e, struct macro *m, const char *line,
                           const char *line_end) {
    struct span name;
    while (next_argument(&line, line_end, &name)) {
        if (m->arguments == MAX_ARGUMENTS)
            return fail(e, ".macro takes at most %d arguments", MAX_ARGUMENTS);
        for (unsigned i = 0; i < m->arguments; i++)
            if (spans_equal(m->argument[i], name))
                return fail(e, ".macro %.*s has two arguments %.*s", (int)m->name.length,
                            m->name.at, (int)name.length, name.at);
        m->argument[m->arguments++] = name;
    }
    return true;
}

/* Reads the definition at *next, behind its first line, and moves *next behind .endm. */
static bool define_macro(struct expander *e, const char *line, const char *line_end,
                         const char **next, const char *end) {
    struct span name, extra;
    if (!next_argument(&line, line_end, &name))
        return fail(e, ".macro takes a name and names of arguments");
    struct macro *const m = add_macro(e, name);
    if (!m || !name_arguments(e, m, line, line_end))
        return false;
    m->body = *next;
    while (*next < end) {
        const char *const at = skip_blanks(*next, end);
        m->end = *next;
        const char *const stop = memchr(at, '\n', (size_t)(end - at));
        *next = stop ? stop + 1 : end;
        e->line++;
        if ((size_t)(end - at) >= 5 && memcmp(at, ".endm", 5) == 0 &&
            (at + 5 == end || !is_name(at[5]))) {
            const char *rest = at + 5;
            return !next_argument(&rest, stop ? stop : end, &extra) ||
                   fail(e, ".endm stands alone in its line");
        }
    }
    e->line = m->line - 1;
    return fail(e, ".macro %.*s has no .endm", (int)m->name.length, m->name.at);
}

/* Finds the value of \name or \@ at *p, and moves *p behind it. False: the macro has no such
 * argument. */
static bool argument_at(const struct expander *e, const struct macro *m, const struct span *values,
                        const char **p, const char *end, char *number, struct span *s) {
    const char *const name = *p + 1;
    if (name < end && *name == '@') {
        *s = (struct span){number, (size_t)snprintf(number, 16, "%u", e->uses)};
        *p = name + 1;
        return true;
    }
    const char *q = name;
    while (q < end && is_name(*q))
        q++;
    for (unsigned i = 0; i < m->arguments; i++)
        if (spans_equal(m->argument[i], (struct span){name, (size_t)(q - name)})) {
            *s = values[i];
            *p = q;
            return true;
        }
    return false;
}

/* The body with its arguments replaced, malloc'd; NULL after a message. */
static char *replace_arguments(struct expander *e, const struct macro *m, const struct span *values,
                               size_t *length) {
    char *body = NULL, number[16];
    size_t room = 0;
    *length = 0;
    for (const char *p = m->body; p < m->end;) {
        struct span inserted = {p, 1};
        if (*p == '\\' && !argument_at(e, m, values, &p, m->end, number, &inserted)) {
            fail(e, "macro %.*s has no such argument: %.*s", (int)m->name.length, m->name.at,
                 (int)strcspn(p, " \t\r\n,"), p);
            free(body);
            return NULL;
        }
        if (inserted.at == p)
            p++;
        const bool fits = *length + inserted.length <= MAX_READ;
        if (!fits || !ARRAY_ROOM(body, room, *length + inserted.length + 1)) {
            if (fits)
                fail(e, "out of memory");
            else
                count_read(e, MAX_READ + 1);
            free(body);
            return NULL;
        }
        memcpy(body + *length, inserted.at, inserted.length);
        *length += inserted.length;
    }
    if (!body && !(body = calloc(1, 1)))
        fail(e, "out of memory");
    return body;
}

static bool use_macro(struct expander *e, const struct macro *m, const char *line,
                      const char *line_end, unsigned depth) {
    struct span values[MAX_ARGUMENTS + 1];
    unsigned count = 0;
    size_t length;
    while (count <= m->arguments && next_argument(&line, line_end, &values[count]))
        count++;
    if (count != m->arguments)
        return fail(e, "macro %.*s takes %u arguments", (int)m->name.length, m->name.at,
                    m->arguments);
    if (depth == MAX_DEPTH)
        return fail(e, "macro %.*s: macros and files are nested more than %d deep",
                    (int)m->name.length, m->name.at, MAX_DEPTH);
    e->uses++;
    char *const body = replace_arguments(e, m, values, &length);
    if (!body)
        return false;
    const char *const file = e->file;
    const uint32_t line_number = e->line, used_line = e->used_line;
    const struct span in = e->in;
    const unsigned macros = e->macro_count;
    e->used_line = e->in.at ? e->used_line : e->line;
    e->file = m->file;
    e->line = m->line;
    e->in = m->name;
    const bool ok =
        count_read(e, BODY_PRICE + length) && expand_text(e, body, body + length, depth + 1);
    e->file = file, e->line = line_number, e->in = in, e->used_line = used_line;
    if (e->macro_count == macros)
        free(body);
    else if (!keep(e->out, body)) /* macros that the body defines point into the body */
        return fail(e, "out of memory");
    return ok;
}

/* ---- files ---- */

static bool include_file(struct expander *e, const char *line, const char *line_end,
                         unsigned depth) {
    struct span name, extra;
    size_t length;
    const char *why;
    if (!next_argument(&line, line_end, &name))
        return fail(e, ".include takes the name of a file");
    if (name.at[-1] == '"' && name.at + name.length == line_end)
        return fail(e, ".include: the name has no quote at its end");
    if (next_argument(&line, line_end, &extra))
        return fail(e, ".include takes the name of one file");
    if (!e->files)
        return fail(e, ".include stands in program files only");
    if (depth == MAX_DEPTH)
        return fail(e, ".include: files are nested more than %d deep", MAX_DEPTH);
    const char *const slash = name.at[0] == '/' ? NULL : strrchr(e->file, '/');
    const size_t folder = slash ? (size_t)(slash - e->file) + 1 : 0;
    char *const path = malloc(folder + name.length + 1);
    if (!path || !keep(e->out, path))
        return fail(e, "out of memory");
    memcpy(path, e->file, folder);
    memcpy(path + folder, name.at, name.length);
    path[folder + name.length] = 0;
    char *const text = read_file(path, MAX_TEXT, true, "larger than 16 MiB", &length, &why);
    if (!text)
        return fail(e, ".include %s: %s", path, why);
    if (!keep(e->out, text))
        return fail(e, "out of memory");
    const char *const file = e->file;
    const uint32_t line_number = e->line;
    e->file = path;
    e->line = 1;
    const bool ok =
        count_read(e, FILE_PRICE + length) && expand_text(e, text, text + length, depth + 1);
    e->file = file, e->line = line_number;
    return ok;
}

/* ---- lines ---- */

static bool expand_line(struct expander *e, const char *line, const char *line_end,
                        const char **next, const char *end, unsigned depth) {
    struct span word;
    const char *rest = line;
    if (!depth)
        e->outer = e->line;
    if (!note_line(e))
        return false;
    if (next_argument(&rest, line_end, &word)) {
        const struct macro *const m = find_macro(e, word);
        if (span_is(word, ".macro"))
            return define_macro(e, rest, line_end, next, end);
        if (span_is(word, ".endm"))
            return fail(e, ".endm without .macro");
        if (span_is(word, ".include"))
            return include_file(e, rest, line_end, depth);
        if (m)
            return use_macro(e, m, rest, line_end, depth);
    }
    return add_bytes(e, line, (size_t)(line_end - line)) && end_line(e);
}

static bool expand_text(struct expander *e, const char *text, const char *end, unsigned depth) {
    while (text < end) {
        const char *const stop = memchr(text, '\n', (size_t)(end - text));
        const char *const line = text, *const line_end = stop ? stop : end;
        text = stop ? stop + 1 : end;
        if (!expand_line(e, line, line_end, &text, end, depth))
            return false;
        e->line++;
    }
    return true;
}

static bool has_directive(const char *text, size_t length) {
    for (const char *p = text; (p = memchr(p, '.', (size_t)(text + length - p))); p++) {
        const size_t left = (size_t)(text + length - p);
        if ((left >= 6 && memcmp(p, ".macro", 6) == 0) ||
            (left >= 8 && memcmp(p, ".include", 8) == 0))
            return true;
    }
    return false;
}

bool source_expand(const char *text, size_t length, const char *name, bool files,
                   struct source_text *out, struct source_error *error, struct token *place) {
    *out = (struct source_text){0};
    if (!has_directive(text, length))
        return true;
    struct expander e = {
        .out = out, .files = files, .error = error, .place = place, .file = name, .line = 1};
    const bool ok = expand_text(&e, text, text + length, 0) && add_bytes(&e, "", 0);
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct macro *m = e.macros[i], *next; m; m = next) {
            next = m->next;
            free(m);
        }
    return ok;
}

void source_text_free(struct source_text *t) {
    for (size_t i = 0; i < t->kept_count; i++)
        free(t->kept[i]);
    free(t->kept);
    free(t->text);
    free(t->origin);
    *t = (struct source_text){0};
}

struct asm_place source_place(const struct source_text *t, const char *name, uint32_t line) {
    if (!t->origin || !line || line > t->lines + 1)
        return (struct asm_place){line, line};
    const struct source_origin *o = &t->origin[line - 1];
    return (struct asm_place){o->file == name ? o->line : 0, o->outer};
}

void source_print_place(const struct source_text *t, const char *name, const struct token *at,
                        char *buffer, size_t size) {
    const size_t line = at->line ? at->line - 1 : 0;
    if (!t->origin || line > t->lines) {
        snprintf(buffer, size, "%s:%u:%u", name, at->line, at->column);
        return;
    }
    const struct source_origin *o = &t->origin[line];
    int n = snprintf(buffer, size, "%s:%u:%u", o->file, o->line, at->column);
    if (o->macro && n > 0 && (size_t)n < size)
        snprintf(buffer + n, size - (size_t)n, ": macro %.*s, used in line %u",
                 (int)o->macro_length, o->macro, o->used_line);
}
