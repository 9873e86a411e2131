/* The state of parsing one instruction, shared by parse.c (rows, words, numbers), parse_operand.c
 * (Tesla's operands), plain_parse.c and dotted_parse.c. Private to them.
 */
#pragma once

#include "shader/isa/source.h"

/* Sets of program types. */
enum {
    VP_GP_ONLY = 1 << PROGRAM_VP | 1 << PROGRAM_GP,
    GP_ONLY = 1 << PROGRAM_GP,
    CP_ONLY = 1 << PROGRAM_CP
};

struct complaint {
    const struct token *at;      /* the token that is wrong */
    const struct token *reached; /* how far the row had read */
    bool specific;               /* the message is more than "expected ..." */
    char text[320];
};

struct parser {
    struct isa_target target;
    const struct isa *isa;
    const struct encoding_row *row;
    const struct token *t; /* next token */
    const struct name_source *names;
    struct op *op;
    uint64_t w;        /* plain fields: the bits of the word so far */
    uint32_t pc;       /* address of the instruction: for relative targets */
    unsigned operands; /* dotted notations: operands read so far */
    /* PLAIN_SHARED: values of the shared bits that fit the words read so far */
    uint32_t candidates;
    struct complaint best; /* the complaint to report, of all rows so far */
    /* the current row's, reported if the rest of the row fits; pending.at is NULL: there is none */
    struct complaint pending;
};

typedef bool parse_fn(struct parser *p, const struct field *f);

/* Ends this row: the text is wrong at this token. Returns false. */
bool complain(struct parser *p, const struct token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* As complain, but the rest of the row is read first. So a form that fits except for a number's
 * range wins over forms that do not fit. Returns true. */
bool complain_later(struct parser *p, const struct token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Ends the current row, which cannot read the next token. Returns false. */
bool expected(struct parser *p, const char *what);

bool accept_mark(struct parser *p, char mark);
bool accept_word(struct parser *p, const char *word);
bool need_mark(struct parser *p, char mark, const char *what);
/* The name of a test of Fermi's $c. */
bool token_is_test(const struct token *t);
/* A lane mask like l013, or lnone. */
bool token_lanes(const struct token *t, unsigned *mask);
/* A token made of prefix and a decimal number: $c3, c15, $t7. */
bool token_indexed(const struct token *t, const char *prefix, unsigned *n);
bool parse_indexed(struct parser *p, const char *prefix, unsigned max, const char *what,
                   unsigned *n);
/* A number or #name, `bits` wide, signed or unsigned. */
bool parse_value(struct parser *p, unsigned bits, const char *what, uint64_t *value);
/* The current row's form for messages: "a short instruction" ... */
const char *form_name(const struct parser *p);

/* Puts v into bits of the word. Always true: the field is parsed. */
static inline bool parser_put(struct parser *p, unsigned pos, unsigned len, uint64_t v) {
    const uint64_t mask = len < 64 ? (UINT64_C(1) << len) - 1 : UINT64_MAX;
    p->w = (p->w & ~(mask << pos)) | (v & mask) << pos;
    return true;
}

static inline bool parser_put_field(struct parser *p, const struct field *f, uint64_t v) {
    parser_put(p, f->pos, f->len, v);
    if (f->len2)
        parser_put(p, f->pos2, f->len2, v >> f->len);
    return true;
}

/* Puts a word of c[] into the bits of an ALU instruction of Fermi. at: the token to complain of. */
bool parser_put_const(struct parser *p, const struct token *at, unsigned bank, uint64_t offset);
/* Before a third source in c[], which takes the bits of the second source: the second source moves
 * to the bits of the third. The second source must be a register; else complains with `what`. */
bool parser_move_second(struct parser *p, const char *what);

static inline uint8_t *op_member(struct parser *p, const struct field *f) {
    return (uint8_t *)p->op + f->member;
}

parse_fn parse_reg, parse_same_reg, parse_dst, parse_s1, parse_s2_s3, parse_imm, parse_addr_reg,
    parse_special, parse_memory, parse_global, parse_tex_dst, parse_tex_src, parse_tex_unit,
    parse_tex_offset;
#define PARSER(kind, parse, ...) parse_fn parse_##parse;
PLAIN_FIELDS(PARSER) DOT_FIELDS(PARSER)
