/* The log: one line per event, to a function the owner sets (default stderr), filtered by level. */
#pragma once

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

struct log {
    enum log_level level; /* messages of greater levels are dropped */
    void (*write)(void *self, enum log_level level, const char *line); /* NULL = stderr */
    void *self;
};

void log_message(const struct log *log, enum log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
