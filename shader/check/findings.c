/* The list of findings: found by their keys in a hash table, left out if a suppression matches,
 * printed as text or JSON. In: findings. Out: text. Must not know warps.
 */
#include "shader/check/findings.h"

#include "base/arena.h"
#include "base/read_file.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>

enum { MOST = 10000, BUCKETS = 1 << 12, PATTERN = 96 };

struct suppression {
    char kind[PATTERN], program[PATTERN], address[PATTERN];
};

/* Suppressed findings are in the list, too, so that they are compared with the suppressions only
 * once. */
struct entry {
    struct finding finding;
    uint32_t next; /* the bucket's next entry, plus 1; 0: none */
    bool suppressed;
};

struct findings {
    struct entry **entry;
    size_t count, capacity;
    uint32_t bucket[BUCKETS];
    struct suppression *suppression;
    size_t suppressions, suppression_capacity;
    size_t *shown; /* numbers of the entries that are not suppressed */
    size_t shown_count, shown_capacity;
    uint64_t left_out;
    bool incomplete;
};

const char *finding_name(enum finding_kind k) {
    static const char *const names[] = {
#define X(e, name) [FINDING_##e] = name,
        FINDING_LIST(X)
#undef X
    };
    return names[k];
}

struct findings *findings_create(void) {
    return calloc(1, sizeof(struct findings));
}

void findings_free(struct findings *f) {
    for (size_t i = 0; f && i < f->count; i++)
        free(f->entry[i]);
    if (f) {
        free(f->entry);
        free(f->suppression);
        free(f->shown);
    }
    free(f);
}

static uint32_t bucket_of(enum finding_kind kind, uint64_t program, uint32_t address,
                          uint32_t detail) {
    uint64_t h = program ^ ((uint64_t)address << 32 | detail) ^ kind;
    h *= UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 40) % BUCKETS;
}

struct finding *findings_find(const struct findings *f, enum finding_kind kind, uint64_t program,
                              uint32_t address, uint32_t detail) {
    for (uint32_t i = f->bucket[bucket_of(kind, program, address, detail)]; i;
         i = f->entry[i - 1]->next) {
        struct finding *n = &f->entry[i - 1]->finding;
        if (n->kind == kind && n->program == program && n->address == address &&
            n->detail == detail)
            return n;
    }
    return NULL;
}

static bool matches(const struct suppression *s, const struct finding *n) {
    char hash[24], address[16];
    snprintf(hash, sizeof hash, "%016" PRIx64, n->program);
    snprintf(address, sizeof address, "0x%06x", n->address);
    return fnmatch(s->kind, finding_name(n->kind), 0) == 0 &&
           (fnmatch(s->program, n->name, 0) == 0 || fnmatch(s->program, hash, 0) == 0) &&
           fnmatch(s->address, address, 0) == 0;
}

static bool is_suppressed(const struct findings *f, const struct finding *n) {
    for (size_t i = 0; i < f->suppressions; i++)
        if (matches(&f->suppression[i], n))
            return true;
    return false;
}

void findings_add(struct findings *f, const struct finding *first) {
    struct entry *e = f->count < MOST ? malloc(sizeof *e) : NULL;
    if (!e || !ARRAY_ROOM(f->entry, f->capacity, f->count + 1) ||
        !ARRAY_ROOM(f->shown, f->shown_capacity, f->shown_count + 1)) {
        free(e);
        f->incomplete = true;
        return;
    }
    uint32_t *bucket =
        &f->bucket[bucket_of(first->kind, first->program, first->address, first->detail)];
    *e = (struct entry){*first, *bucket, is_suppressed(f, first)};
    f->entry[f->count] = e;
    *bucket = (uint32_t)++f->count;
    if (e->suppressed)
        f->left_out++;
    else
        f->shown[f->shown_count++] = f->count - 1;
}

size_t findings_count(const struct findings *f) {
    return f->shown_count;
}

const struct finding *findings_at(const struct findings *f, size_t i) {
    return &f->entry[f->shown[i]]->finding;
}

/* ---- suppressions ---- */

enum { MOST_TEXT = 16 << 20 };

static bool is_kind(const char *pattern) {
    for (int k = 0; k < FINDING_KINDS; k++)
        if (fnmatch(pattern, finding_name((enum finding_kind)k), 0) == 0)
            return true;
    return false;
}

/* Reads a line. An empty line, or one that is a comment, is no error. Sets *reason if there is no
 * memory. */
static bool read_line(struct findings *f, char *line, const char **reason) {
    struct suppression s = {"", "*", "*"};
    line[strcspn(line, "#")] = 0;
    const int fields = sscanf(line, "%95s %95s %95s", s.kind, s.program, s.address);
    if (fields <= 0)
        return true;
    if (!is_kind(s.kind))
        return false;
    if (!ARRAY_ROOM(f->suppression, f->suppression_capacity, f->suppressions + 1)) {
        *reason = "out of memory";
        return false;
    }
    f->suppression[f->suppressions++] = s;
    return true;
}

bool findings_suppress(struct findings *f, const char *path, char *why, size_t size) {
    const char *reason = NULL;
    size_t length;
    char *text = read_file(path, MOST_TEXT, true, "larger than 16 MiB", &length, &reason);
    unsigned number = 0;
    bool ok = text;
    for (char *rest = text, *line; ok && (line = strsep(&rest, "\n")); number++)
        ok = read_line(f, line, &reason);
    free(text);
    if (!ok && reason)
        snprintf(why, size, "%s: %s", path, reason);
    else if (!ok)
        snprintf(why, size, "%s:%u: a line is KIND [PROGRAM [ADDRESS]], KIND one of %s, %s ...",
                 path, number, finding_name(FINDING_OUTSIDE), finding_name(FINDING_MISALIGNED));
    return ok;
}

/* ---- text ---- */

static void print_one(const struct finding *n, FILE *out) {
    fprintf(out, "%s: %s\n", finding_name(n->kind), n->what);
    fprintf(out, "    %s %" PRIu64, n->launch ? "launch" : "draw", n->number);
    if (n->program)
        fprintf(out, ", %s (%016" PRIx64 "), 0x%06x: %s", n->name, n->program, n->address, n->text);
    fputc('\n', out);
    if (n->lanes)
        fprintf(out, "    first in lane %d, %s; lanes %08x; %" PRIu64 " in all\n",
                __builtin_ctz(n->lanes), n->where, n->lanes, n->count);
}

void findings_print(const struct findings *f, const char *title, FILE *out) {
    for (size_t i = 0; i < f->shown_count; i++)
        print_one(findings_at(f, i), out);
    fprintf(out, "%s%s%zu %s", title ? title : "", title ? ": " : "", f->shown_count,
            f->shown_count == 1 ? "finding" : "findings");
    if (f->left_out)
        fprintf(out, ", %" PRIu64 " suppressed", f->left_out);
    fprintf(out, "%s\n", f->incomplete ? "; the list is not complete" : "");
}

static void print_string(const char *name, const char *text, FILE *out) {
    fprintf(out, ", \"%s\": \"", name);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void print_json(const struct finding *n, FILE *out) {
    fprintf(out, "{\"kind\": \"%s\", \"%s\": %" PRIu64, finding_name(n->kind),
            n->launch ? "launch" : "draw", n->number);
    print_string("what", n->what, out);
    if (n->program) {
        print_string("program", n->name, out);
        fprintf(out, ", \"hash\": \"%016" PRIx64 "\", \"address\": %u", n->program, n->address);
        print_string("instruction", n->text, out);
    }
    if (n->lanes) {
        fprintf(out, ", \"lane\": %d, \"lanes\": %u", __builtin_ctz(n->lanes), n->lanes);
        print_string("where", n->where, out);
    }
    fprintf(out, ", \"count\": %" PRIu64 "}", n->count);
}

void findings_print_json(const struct findings *f, FILE *out) {
    fprintf(out, "{\"findings\": [");
    for (size_t i = 0; i < f->shown_count; i++) {
        fprintf(out, "%s\n  ", i ? "," : "");
        print_json(findings_at(f, i), out);
    }
    fprintf(out, "%s], \"suppressed\": %" PRIu64 ", \"complete\": %s}\n",
            f->shown_count ? "\n" : "", f->left_out, f->incomplete ? "false" : "true");
}
