/* The memory checker on channels: one list of findings for all channels of a device. The tools put
 * it on top of channels. In: channels. Out: a report.
 */
#pragma once

#include "fifo/fifo.h"

#include <stdio.h>

struct channel_check;

/* not_finite: also reports where NaN and infinity first appear. suppressions: a file, or NULL.
 * Returns NULL with the reason in why[]. */
struct channel_check *channel_check_create(bool not_finite, const char *suppressions, char *why,
                                           size_t size);
/* Checks the channel from its next draw on. The device must have one thread. */
void channel_check_watch(struct channel_check *k, struct channel *c);
/* Writes the report, as text with this title or as JSON. Returns the number of findings. */
size_t channel_check_report(const struct channel_check *k, const char *title, bool json, FILE *out);
/* True if memory ran out, so that some accesses were not checked. */
bool channel_check_incomplete(const struct channel_check *k);
