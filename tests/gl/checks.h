/* Main program for sets of checks of OpenGL. `NAME run OUT RENDERER [CHECK]` gives every check (or
 * one) a context of its own and writes its records to OUT. `NAME compare REFERENCE TRIED [-v]`
 * compares the records of two drivers (corpus_records.h). In: a table of checks and one of
 * tolerances. Out: an exit code. */
#ifndef TESTS_GL_CHECKS_H
#define TESTS_GL_CHECKS_H

#include "corpus_context.h"
#include "corpus_records.h"

struct check {
    const char *name;
    void (*run)(void);
};

static FILE *records;
static const char *feature; /* the running check */

static int run_checks(const struct check *check, size_t count, const char *out,
                      const char *renderer, const char *only) {
    if (!(records = fopen(out, "wb")))
        give_up(EXIT_FAILURE, "cannot write %s", out);
    for (size_t i = 0; i < count; i++) {
        feature = check[i].name;
        if (only && strcmp(only, feature) != 0)
            continue;
        create_context(renderer);
        check[i].run();
        const GLenum error = glGetError();
        if (error != GL_NO_ERROR) {
            char why[40];
            snprintf(why, sizeof why, "GL error 0x%x", error);
            write_record(records, feature, "error", RECORD_ERROR, 0, 0, why, strlen(why));
        }
    }
    return fclose(records) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int checks_main(int argc, char **argv, const struct check *check, size_t count,
                       const struct tolerance *tolerances) {
    if (argc >= 4 && strcmp(argv[1], "run") == 0)
        return run_checks(check, count, argv[2], argv[3], argv[4]);
    if (argc >= 4 && strcmp(argv[1], "compare") == 0)
        return compare_runs(argv[2], argv[3], tolerances, argc > 4 && strcmp(argv[4], "-v") == 0);
    fprintf(stderr, "usage: %s run OUT RENDERER [NAME] | compare REFERENCE TRIED [-v]\n", argv[0]);
    return 2;
}

#endif
