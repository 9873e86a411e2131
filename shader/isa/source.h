/* Program text on its way to words: tokens (lex.c), one parsed instruction (parse.c), header
 * directives (directives.c), all combined by assemble.c. Private to shader/isa/.
 */
#pragma once

#include "shader/isa/table.h"

enum token_kind {
    TOKEN_END,  /* end of a statement: newline or ; */
    TOKEN_WORD, /* mnemonic, register, directive ... */
    TOKEN_NUMBER,
    TOKEN_NAME, /* #name; text starts behind the # */
    /* one of ( ) [ ] : # = + and P for ++; in dotted notations also . @ ! | ~ , - < > */
    TOKEN_MARK,
};

struct token {
    uint8_t kind;
    char mark;
    bool negative; /* TOKEN_NUMBER: the top bit of value is a sign */
    bool real;     /* TOKEN_NUMBER: value is the bits of a float */
    uint32_t line, column;
    uint32_t length;
    const char *text; /* in the source, not terminated */
    uint64_t value;
};

/* The first mistake: place and message. With a report, the first of each statement. */
struct source_error {
    const struct token *at;
    char text[384];
    bool no_memory;
    void (*report)(void *self, const struct token *at, const char *text); /* NULL: stop at once */
    void *self;
    unsigned reported;
};
/* Reports the mistake, if there is a report, and forgets it. True if parsing goes on with the
 * next statement. */
bool source_report(struct source_error *error, const struct token *place);

/* The text with macros and included files in place (expand.c). text is NULL if the source has
 * neither. Each line has its origin. */
struct source_text {
    char *text;
    size_t length, lines;
    struct source_origin {
        const char *file;
        uint32_t line;
        const char *macro; /* NULL: the line is not in a macro */
        uint32_t macro_length, used_line;
        /* the line of the first text that leads here: itself, or the use of a macro or file */
        uint32_t outer;
    } *origin;
    void **kept; /* memory that is freed with the text */
    size_t kept_count, kept_room;
};
/* Fills *out. files: .include is allowed; a file's name is relative to the folder of the including
 * file. False: the error's place is a line of *out. */
bool source_expand(const char *text, size_t length, const char *name, bool files,
                   struct source_text *out, struct source_error *error, struct token *place);
void source_text_free(struct source_text *t);
/* The place of a line of the expanded text, in the first text. */
struct asm_place source_place(const struct source_text *t, const char *name, uint32_t line);
/* Writes "name:line:column" of the origin of a token of the expanded text. */
void source_print_place(const struct source_text *t, const char *name, const struct token *at,
                        char *buffer, size_t size);

/* Splits text. *tokens (malloc'd) ends with two TOKEN_END. The source must outlive the tokens.
 * Returns 0, or -1 with an error whose `at` is *place; with a report, lines with mistakes are left
 * out. */
int lex_source(const char *text, size_t length, bool dotted, struct token **tokens, size_t *count,
               struct source_error *error, struct token *place);

bool token_is(const struct token *t, const char *word);
bool token_mark(const struct token *t, char mark);
/* Shows a token in messages: "`text`", shortened, or "the end of the line". buf holds the
 * result. */
const char *token_show(const struct token *t, char buf[64]);
/* True if a number token's value fits an unsigned or two's complement field of that many bits. */
bool number_fits(const struct token *t, unsigned bits);

/* Finds the values of #names; false: the name is not known. */
struct name_source {
    void *self;
    bool (*find)(void *self, const struct token *name, uint64_t *value);
};

enum length_choice { LENGTH_SHORTEST, LENGTH_LONG };

/* Parses and encodes the instruction at t (up to its TOKEN_END) for address pc; op->row and op->w
 * are filled. */
bool parse_instruction(struct isa_target target, const struct token *t, uint32_t pc,
                       enum length_choice length, const struct name_source *names, struct op *op,
                       struct source_error *error);

/* Sets error if it is not set: a later error does not replace an earlier one. Returns false. */
bool source_fail(struct source_error *error, const struct token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Header directives: header_directive() returns 1 if t[0] was a directive, 0 if not, -1 after an
 * error. */
struct header_builder {
    struct program_header *header;
    struct isa_target target;
    bool has_output, has_interpolants, has_results, has_vertices, has_local, has_shared,
        has_barriers;
    unsigned targets;
    bool depth;
};
void header_begin(struct header_builder *b, struct program_header *header,
                  struct isa_target target);
int header_directive(struct header_builder *b, const struct token *t, struct source_error *error);
/* Derives the facts that no directive has given, from the code. */
void header_finish(struct header_builder *b, const uint32_t *words, size_t count, uint32_t base);
