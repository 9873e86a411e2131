/* GLSL in recordings. In: the calls of a replay. Out: texts; text in two columns. */
#include "tools/sources.h"

#include "base/arena.h"

#include <stdlib.h>

enum { LEFT_COLUMNS = 72 };

void sources_add(void *self, uint64_t program, enum program_type stage, const char *text,
                 size_t length) {
    struct sources *s = self;
    if (!ARRAY_ROOM(s->list, s->capacity, s->count + 1))
        return;
    struct source_text *t = &s->list[s->count];
    *t = (struct source_text){program, stage, malloc(length + 1)};
    if (!t->text)
        return;
    memcpy(t->text, text, length + 1);
    s->count++;
}

void sources_use(void *self, uint64_t program) {
    ((struct sources *)self)->current = program;
}

const char *sources_find(const struct sources *s, uint64_t program, enum program_type stage) {
    for (size_t i = s->count; program && i-- > 0;)
        if (s->list[i].program == program && s->list[i].stage == stage)
            return s->list[i].text;
    return NULL;
}

void sources_free(struct sources *s) {
    for (size_t i = 0; i < s->count; i++)
        free(s->list[i].text);
    free(s->list);
    *s = (struct sources){0};
}

/* Prints the next line of *text, or the part of it that fits the left column, padded. */
static void print_left(FILE *out, const char **text) {
    int column = 0;
    while (**text && **text != '\n' && column < LEFT_COLUMNS) {
        const int width = **text == '\t' ? 4 - column % 4 : 1;
        for (int i = 0; i < width && column < LEFT_COLUMNS; i++, column++)
            putc(**text == '\t' ? ' ' : **text, out);
        ++*text;
    }
    *text += column < LEFT_COLUMNS && **text == '\n';
    fprintf(out, "%*s", LEFT_COLUMNS - column, "");
}

void sources_print_beside(FILE *out, const char *text, const struct program *p) {
    for (uint32_t i = 0; *text || i < p->word_count;) {
        print_left(out, &text);
        if (i < p->word_count) {
            char instruction[256];
            program_print(p, &p->ops[i], instruction, sizeof instruction);
            fprintf(out, " | 0x%06x  %s", program_address(p, i), instruction);
            i += p->ops[i].words;
        } else {
            fputs(" |", out);
        }
        putc('\n', out);
    }
}
