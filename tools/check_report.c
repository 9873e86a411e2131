/* Begins a check of programs and reports its findings. In: options. Out: text on stderr, or a JSON
 * file. Must not know the parts of the checker.
 */
#include "tools/check_report.h"

int check_options_hold(const struct command *command, const struct check_options *o) {
    const char *const alone = o->not_finite     ? "--not-finite"
                              : o->json         ? "--json"
                              : o->suppressions ? "--suppressions"
                                                : NULL;
    return alone && !o->check ? command_usage(command, "%s goes with --check", alone) : EXIT_FINE;
}

static void release(struct check_report *r) {
    memory_check_free(r->check);
    findings_free(r->findings);
    *r = (struct check_report){0};
}

int check_report_begin(struct check_report *r, const struct command *command,
                       const struct check_options *o) {
    char why[512] = "out of memory";
    *r = (struct check_report){.command = command, .options = o};
    r->findings = findings_create();
    const bool fine =
        r->findings &&
        (!o->suppressions || findings_suppress(r->findings, o->suppressions, why, sizeof why));
    if (fine)
        r->check = memory_check_create(r->findings, o->not_finite);
    if (r->check)
        return EXIT_FINE;
    release(r);
    return command_failed(command, "%s", why);
}

static void put_json(void *findings, FILE *out) {
    findings_print_json(findings, out);
}

int check_report_end(struct check_report *r, const char *title) {
    int code = findings_count(r->findings) ? EXIT_FINDINGS : EXIT_FINE;
    if (memory_check_incomplete(r->check))
        code = command_failed(r->command, "out of memory: not everything was checked");
    if (r->options->json) {
        const int written = write_text_file(r->command, r->options->json, put_json, r->findings);
        code = written ? written : code;
    } else {
        findings_print(r->findings, title, stderr);
    }
    release(r);
    return code;
}

/* ---- recordings and scenes ---- */

static void watch_context(void *self, tp_context *c) {
    memory_check_watch(((struct check_report *)self)->check, c);
}

static void note_memory(void *self, uint64_t address, uint64_t size, uint64_t) {
    memory_check_written(((struct check_report *)self)->check, address, size);
}

int check_playback(const struct playback *p, uint64_t last, const struct check_options *o,
                   const char *title) {
    struct check_report report;
    struct played played;
    struct playback alone = *p;
    alone.threads = 1;
    int code = check_report_begin(&report, p->command, o);
    if (code != EXIT_FINE)
        return code;
    const struct playback_hooks hooks = {.self = &report,
                                         .context = p->file ? watch_context : NULL,
                                         .opened = watch_context,
                                         .memory = note_memory};
    code = playback_run(&alone, last, &hooks, &played);
    if (code == EXIT_FINE && last > played.draws)
        code =
            command_usage(p->command, "%s has %llu draws, there is no draw %llu", playback_name(p),
                          (unsigned long long)played.draws, (unsigned long long)last);
    playback_end(&played);
    const int found = check_report_end(&report, title);
    return code != EXIT_FINE ? code : found;
}
