/* Notes of each process for `teslapipe ci`: files in the folder that TESLAPIPE_CI names. PID.begin
 * has the command line; it is written when the process makes its GPU or draws with another driver.
 * PID.end has the exit status. PID.other has the warning about another driver. A process that is
 * killed leaves no PID.end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Copies a setting and replaces each %p by the number of this process. False if the result is too
 * long. */
bool ci_expand(const char *setting, char *path, size_t size);
/* Called when this process has made its GPU. */
void ci_begin(void);
/* Called when this process draws with another driver, for this reason. */
void ci_other_driver(const char *reason);
