/* A memory check of channels together with its list of findings (pipeline/debug/memory_check.h);
 * used by tools/. In: channels. Out: a report. Must not know environment variables.
 */
#include "fifo/channel_check.h"

#include "pipeline/debug/memory_check.h"

#include <stdlib.h>

struct channel_check {
    struct findings *findings;
    struct memory_check *memory;
};

struct channel_check *channel_check_create(bool not_finite, const char *suppressions, char *why,
                                           size_t size) {
    struct channel_check *k = calloc(1, sizeof *k);
    snprintf(why, size, "out of memory");
    if (k && (k->findings = findings_create()) &&
        (!suppressions || findings_suppress(k->findings, suppressions, why, size)) &&
        (k->memory = memory_check_create(k->findings, not_finite)))
        return k;
    if (k)
        findings_free(k->findings);
    free(k);
    return NULL;
}

void channel_check_watch(struct channel_check *k, struct channel *c) {
    memory_check_watch(k->memory, channel_context(c));
}

size_t channel_check_report(const struct channel_check *k, const char *title, bool json,
                            FILE *out) {
    if (json)
        findings_print_json(k->findings, out);
    else
        findings_print(k->findings, title, out);
    return findings_count(k->findings);
}

bool channel_check_incomplete(const struct channel_check *k) {
    return memory_check_incomplete(k->memory);
}
