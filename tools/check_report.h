/* The options of the memory checker, and its report; for run, render and replay. In: options. Out:
 * a check that watches contexts; then a report as text on stderr or as JSON, and an exit code.
 */
#pragma once

#include "pipeline/debug/memory_check.h"
#include "tools/playback.h"

enum { EXIT_FINDINGS = 4 };

struct check_options {
    bool check, not_finite;
    const char *json, *suppressions;
};

#define CHECK_OPTIONS(o)                                                                           \
    {"--check", NULL, OPTION_FLAG, &(o).check,                                                     \
     "reports memory errors and races of programs; exit code 4 if there are any"},                 \
        {"--not-finite", NULL, OPTION_FLAG, &(o).not_finite,                                       \
         "with --check: also report where NaN and infinity first appear"},                         \
        {"--suppressions", "FILE", OPTION_TEXT, &(o).suppressions,                                 \
         "with --check: lines KIND [PROGRAM [ADDRESS]] name findings to ignore"},                  \
        {"--json", "FILE", OPTION_TEXT, &(o).json, "with --check: write the report as JSON"}

struct check_report {
    const struct command *command;
    const struct check_options *options;
    struct findings *findings;
    struct memory_check *check;
};

/* Returns 0; or, if an option that needs --check is given without --check, an exit code after a
 * message. */
int check_options_hold(const struct command *command, const struct check_options *o);
/* Returns 0, or an exit code after a message. */
int check_report_begin(struct check_report *r, const struct command *command,
                       const struct check_options *o);
/* Writes the report. Returns EXIT_FINDINGS if there are findings, another code after a failure, or
 * 0. Destroy the watched contexts first. title: begins the last line of the text, or NULL. */
int check_report_end(struct check_report *r, const char *title);

/* Draws a scene, or a recording up to draw `last` (0: all), on one thread, with all programs
 * checked. Returns the exit code. */
int check_playback(const struct playback *p, uint64_t last, const struct check_options *o,
                   const char *title);
