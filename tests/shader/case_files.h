/* Cases in text files, each a test of its own: a line `= NAME` begins a case, the lines behind it
 * belong to it. Lines that begin with # and empty lines are left out. */
#ifndef TESTS_SHADER_CASE_FILES_H
#define TESTS_SHADER_CASE_FILES_H

#include "tests/test.h"

#include <glob.h>

enum { CASE_LINE = 1024 };

struct text_case {
    const char *path, *name;
    int number;      /* of the first line */
    size_t count;    /* lines */
    char *line[192]; /* with the newline cut off */
};

static struct text_case text_cases[LENGTH(test_list.test)];
static size_t text_case_count;

static void read_case_file(const char *path, CMUnitTestFunction run) {
    FILE *in = fopen(path, "r");
    char line[CASE_LINE];
    struct text_case *at = NULL;
    for (int number = 1; in && fgets(line, sizeof line, in); number++) {
        line[strcspn(line, "\n")] = 0;
        if (*line == '#' || !*line)
            continue;
        if (!strncmp(line, "= ", 2)) {
            at = &text_cases[text_case_count++];
            *at = (struct text_case){.path = path, .name = strdup(line + 2), .number = number};
            test_list.test[test_list.count++] = (struct CMUnitTest){at->name, run, NULL, NULL, at};
        } else if (at && at->count < LENGTH(at->line)) {
            at->line[at->count++] = strdup(line);
        } else {
            abort();
        }
    }
    if (!in || fclose(in))
        abort();
}

static void read_case_files(const char *pattern, CMUnitTestFunction run) {
    static glob_t files;
    if (glob(pattern, 0, NULL, &files))
        abort();
    for (size_t i = 0; i < files.gl_pathc; i++)
        read_case_file(files.gl_pathv[i], run);
}

/* Enters the cases of the files that match the pattern; run() gets the case as its state. */
#define CASE_FILES(pattern, run)                                                                   \
    __attribute__((constructor)) static void enter_case_files(void) {                              \
        read_case_files(pattern, run);                                                             \
    }                                                                                              \
    _Static_assert(1, "")

#endif
