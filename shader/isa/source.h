/* Program text on its way to words: tokens (lex.c), one parsed instruction (parse.c), header
 * directives (directives.c), all combined by assemble.c. Private to shader/isa/.
 */
#ifndef SHADER_ISA_SOURCE_H
#define SHADER_ISA_SOURCE_H

#include "shader/isa/table.h"

enum token_kind {
    TOKEN_END,  /* end of a statement: newline or ; */
    TOKEN_WORD, /* mnemonic, register, directive ... */
    TOKEN_NUMBER,
    TOKEN_NAME, /* #name; text begins behind the # */
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

/* Text in which macros and included files are in place (expand.c). text is NULL if there are none.
 * A line knows its origin. */
struct source_text {
    char *text;
    size_t length, lines;
    struct source_origin {
        const char *file;
        uint32_t line;
        const char *macro; /* NULL: not of a macro */
        uint32_t macro_length, used_line;
        uint32_t outer; /* line of the first text: its own, or that of a macro's or file's use */
    } *origin;
    void **kept; /* memory that is freed with the text */
    size_t kept_count, kept_room;
};
/* files: .include is allowed, relative to the folder of name. False with an error whose place is a
 * line of *out. */
bool source_expand(const char *text, size_t length, const char *name, bool files,
                   struct source_text *out, struct source_error *error, struct token *place);
/* Gives memory to *t; false if there is no memory, after freeing it. */
bool source_keep(struct source_text *t, void *memory);
void source_text_free(struct source_text *t);
/* Where a line of the expanded text comes from, as lines of the first text. */
struct asm_place source_place(const struct source_text *t, const char *name, uint32_t line);
/* "name:line:column", of the origin of a token of the expanded text. */
void source_print_place(const struct source_text *t, const char *name, const struct token *at,
                        char *buffer, size_t size);

/* Splits text. *tokens (malloc'd) ends with two TOKEN_END. The source must outlive the tokens. -1
 * with an error whose `at` is in *place; with a report, lines with mistakes are left out. */
int lex_source(const char *text, size_t length, bool dotted, struct token **tokens, size_t *count,
               struct source_error *error, struct token *place);

bool token_is(const struct token *t, const char *word);
bool token_mark(const struct token *t, char mark);
/* "`text`" for messages, shortened; "the end of the line". buf holds the result. */
const char *token_show(const struct token *t, char buf[64]);
/* True if a number token's value fits an unsigned or two's complement field of that many bits. */
bool number_fits(const struct token *t, unsigned bits);

/* Values of #names. */
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

/* A header directive: t[0] is its name. 1: done, 0: not a header directive, -1: error. */
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
/* Derives facts from the code that no directive has given. */
void header_finish(struct header_builder *b, const uint32_t *words, size_t count, uint32_t base);

#endif
