/* The log: formats a line and gives it to the function of the log's owner, or to stderr. Knows
 * nothing of the messages' subjects. */
#include "base/log.h"
#include "base/format_text.h"

#include <stdio.h>

void log_message(const struct log *log, enum log_level level, const char *format, ...) {
    static const char *const names[] = {"error", "warning", "info", "debug"};
    if (!log || level > log->level)
        return;
    char line[1024];
    FORMAT_TEXT(line, format);
    if (log->write)
        log->write(log->self, level, line);
    else
        fprintf(stderr, "teslapipe: %s: %s\n", names[level], line);
}
