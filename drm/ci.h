/* Notes of each process for `teslapipe ci`: files in the folder that TESLAPIPE_CI names. PID.begin is
 * written when the process makes its GPU or draws with another driver: the command line. PID.end is
 * written when it exits: "STATUS". PID.other has the warning of another driver. A process that is
 * killed leaves no PID.end.
 */
#ifndef DRM_CI_H
#define DRM_CI_H

#include <stdbool.h>
#include <stddef.h>

/* Copies the setting with the number of this process for each %p. False if it is too long. */
bool ci_expand(const char *setting, char *path, size_t size);
/* This process made its GPU. */
void ci_begin(void);
/* This process draws with another driver, for this reason. */
void ci_other_driver(const char *reason);

#endif
