/* Records of a driver's run, and the comparison of two runs. A file of records contains named
 * arrays of floats, bytes or 32-bit integers (the pixels of a target, captured vertices, a
 * counter), or the reason why an array is missing. In: two such files and tolerances. Out: a
 * verdict for each test. Knows no OpenGL. */
#ifndef TESTS_GL_CORPUS_RECORDS_H
#define TESTS_GL_CORPUS_RECORDS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum record_type { RECORD_FLOATS, RECORD_BYTES, RECORD_INTEGERS, RECORD_SKIP, RECORD_ERROR };

struct record {
    char test[48], part[48];
    uint32_t type;       /* enum record_type */
    uint32_t components; /* values per element: 4 for RGBA */
    uint32_t width;      /* elements per row */
    uint32_t bytes;      /* size of the data that follow; for SKIP and ERROR, of their text */
};

/* Two values agree if |a - b| <= absolute + relative * max(|a|, |b|). A part agrees if at most
 * `fraction` of its elements differ. Bytes are compared as [0, 1]. */
struct tolerance {
    const char *test, *part; /* beginnings of names; NULL: any name */
    double absolute, relative, fraction;
    const char *why;
};

static inline void write_record(FILE *file, const char *test, const char *part,
                                enum record_type type, uint32_t components, uint32_t width,
                                const void *data, size_t bytes) {
    struct record r = {
        .type = type, .components = components, .width = width, .bytes = (uint32_t)bytes};
    snprintf(r.test, sizeof r.test, "%s", test);
    snprintf(r.part, sizeof r.part, "%s", part);
    fwrite(&r, sizeof r, 1, file);
    fwrite(data, 1, bytes, file);
    fflush(file);
}

struct record_file {
    unsigned char *data;
    size_t size;
};

static inline struct record_file read_records(const char *path) {
    struct record_file f = {0};
    FILE *file = fopen(path, "rb");
    long size = 0;
    if (file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (f.data = malloc((size_t)size)) &&
        fread(f.data, 1, (size_t)size, file) == (size_t)size)
        f.size = (size_t)size;
    if (file)
        fclose(file);
    return f;
}

/* Reads the record at *at and moves *at behind it. Returns false at the end of the file, or if the
 * record is cut off. */
static inline bool next_record(const struct record_file *f, size_t *at, struct record *r,
                               const void **data) {
    if (f->size - *at < sizeof *r)
        return false;
    memcpy(r, f->data + *at, sizeof *r);
    if (f->size - *at - sizeof *r < r->bytes)
        return false;
    *data = f->data + *at + sizeof *r;
    *at += sizeof *r + r->bytes;
    return true;
}

static inline bool find_record(const struct record_file *f, const struct record *like,
                               struct record *r, const void **data) {
    for (size_t at = 0; next_record(f, &at, r, data);) {
        if (strcmp(r->test, like->test) == 0 && strcmp(r->part, like->part) == 0)
            return true;
    }
    return false;
}

static inline double record_value(const struct record *r, const void *data, size_t i) {
    float f;
    int32_t n;
    switch (r->type) {
    case RECORD_FLOATS:
        memcpy(&f, (const char *)data + 4 * i, 4);
        return f;
    case RECORD_INTEGERS:
        memcpy(&n, (const char *)data + 4 * i, 4);
        return n;
    default:
        return ((const unsigned char *)data)[i] / 255.0;
    }
}

static inline bool values_agree(double a, double b, const struct tolerance *t) {
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (isinf(a) || isinf(b))
        return a == b;
    return fabs(a - b) <= t->absolute + t->relative * fmax(fabs(a), fabs(b));
}

struct difference {
    size_t elements, bad, first;
};

static inline struct difference differ(const struct record *r, const void *a, const void *b,
                                       const struct tolerance *t, bool verbose) {
    const size_t size = r->type == RECORD_BYTES ? 1 : 4, n = r->components ? r->components : 1;
    struct difference d = {.elements = r->bytes / size / n};
    for (size_t e = 0; e < d.elements; e++) {
        size_t c = 0;
        while (c < n &&
               values_agree(record_value(r, a, e * n + c), record_value(r, b, e * n + c), t))
            c++;
        if (c == n)
            continue;
        if (d.bad++ == 0)
            d.first = e;
        if (!verbose || d.bad > 40)
            continue;
        printf("    %s %s (%zu, %zu):", r->test, r->part, e % r->width, e / r->width);
        for (c = 0; c < n; c++)
            printf(" %.7g|%.7g", record_value(r, a, e * n + c), record_value(r, b, e * n + c));
        printf("\n");
    }
    return d;
}

static inline bool begins_with(const char *text, const char *start) {
    return !start || strncmp(text, start, strlen(start)) == 0;
}

/* The first matching row of the table. */
static inline const struct tolerance *tolerance_of(const struct tolerance *table,
                                                   const struct record *r) {
    while (!begins_with(r->test, table->test) || !begins_with(r->part, table->part))
        table++;
    return table;
}

enum verdict { VERDICT_SKIPPED, VERDICT_PASSED, VERDICT_FAILED };

/* True if a run gives a reason for missing results of this test. */
static inline bool skipped(const struct record_file *f, const struct record *like, bool quiet) {
    struct record wanted = *like, r;
    const void *data;
    snprintf(wanted.part, sizeof wanted.part, "skipped");
    if (!find_record(f, &wanted, &r, &data))
        return false;
    if (!quiet)
        printf("skip %s: %.*s\n", r.test, (int)strcspn(data, "\n"), (const char *)data);
    return true;
}

static inline void tell_difference(const struct record *r, const void *a, const void *b,
                                   const struct difference *d) {
    printf("FAIL %s %s: %zu of %zu differ, the first at (%zu, %zu):", r->test, r->part, d->bad,
           d->elements, d->first % r->width, d->first / r->width);
    for (size_t c = 0; c < r->components; c++)
        printf(" %.7g|%.7g", record_value(r, a, d->first * r->components + c),
               record_value(r, b, d->first * r->components + c));
    printf("\n");
}

static inline enum verdict compare_record(const struct record *r, const void *data,
                                          const struct record_file *other,
                                          const struct tolerance *table, bool verbose) {
    struct record theirs;
    const void *their_data;
    if (r->type == RECORD_ERROR) {
        printf("FAIL %s %s: %.*s\n", r->test, r->part, (int)r->bytes, (const char *)data);
        return VERDICT_FAILED;
    }
    if (!find_record(other, r, &theirs, &their_data) || theirs.type != r->type ||
        theirs.bytes != r->bytes) {
        printf("FAIL %s %s: the other driver has no array of this name, type and size\n", r->test,
               r->part);
        return VERDICT_FAILED;
    }
    const struct tolerance *t = tolerance_of(table, r);
    const struct difference d = differ(r, data, their_data, t, verbose);
    if (verbose && d.bad)
        printf("     %s %s: %zu of %zu differ\n", r->test, r->part, d.bad, d.elements);
    if ((double)d.bad <= t->fraction * (double)d.elements)
        return VERDICT_PASSED;
    tell_difference(r, data, their_data, &d);
    return VERDICT_FAILED;
}

/* Prints a verdict for each test (that of its worst part), and the last line that tests/run reads.
 * Returns the program's exit code. */
static inline int compare_runs(const char *reference, const char *tried,
                               const struct tolerance *table, bool verbose) {
    const struct record_file a = read_records(reference), b = read_records(tried);
    int counts[3] = {0};
    char test[48] = "";
    enum verdict worst = VERDICT_SKIPPED;
    struct record r;
    const void *data;
    for (size_t at = 0; next_record(&a, &at, &r, &data);) {
        const bool first = strcmp(test, r.test) != 0;
        if (first && *test)
            counts[worst]++;
        worst = first ? VERDICT_SKIPPED : worst;
        memcpy(test, r.test, sizeof test);
        if (skipped(&a, &r, !first) || skipped(&b, &r, !first))
            continue;
        const enum verdict v = compare_record(&r, data, &b, table, verbose);
        worst = v > worst ? v : worst;
    }
    if (*test)
        counts[worst]++;
    for (size_t at = 0; next_record(&b, &at, &r, &data);) { /* errors that only the tried run has */
        if (r.type == RECORD_ERROR)
            counts[compare_record(&r, data, &a, table, verbose)]++;
    }
    printf("%d passed, %d failed, %d skipped\n", counts[VERDICT_PASSED], counts[VERDICT_FAILED],
           counts[VERDICT_SKIPPED]);
    free(a.data);
    free(b.data);
    return counts[VERDICT_FAILED] || !*test ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
