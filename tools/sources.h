/* GLSL that a recording contains (`teslapipe gl --keep-source`): texts by program and stage, and
 * the program of the current draw. A playback fills a struct sources. */
#pragma once

#include "shader/program.h"

#include <stdio.h>

struct source_text {
    uint64_t program; /* number of the program in the recording, from 1 */
    enum program_type stage;
    char *text;
};
struct sources {
    struct source_text *list;
    size_t count, capacity;
    uint64_t current; /* the program of the draws that follow; 0: not known */
};

/* Members of struct replay_observer; self is a struct sources. */
void sources_add(void *self, uint64_t program, enum program_type stage, const char *text,
                 size_t length);
void sources_use(void *self, uint64_t program);
/* Returns NULL if the recording lacks the text. */
const char *sources_find(const struct sources *s, uint64_t program, enum program_type stage);
void sources_free(struct sources *s);

/* Prints GLSL on the left and the program's instructions on the right. */
void sources_print_beside(FILE *out, const char *text, const struct program *p);
