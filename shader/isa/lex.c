/* The lexer: program text to tokens. In: the text, any bytes. Out: words, numbers, #names and marks
 * with their line and column; TOKEN_END separates statements. Knows comments and forms of numbers
 * only.
 */
#include "shader/isa/source.h"
#include "base/format_text.h"
#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

struct lexer {
    const char *text, *end, *line_start;
    const char *at;
    uint32_t line;
    /* the notation is MNEMONIC.MODIFIER R0, R1: more marks, and a dot ends a word */
    bool dotted;
    struct token *tokens;
    size_t count, room;
    struct source_error *error;
    struct token *place; /* the place for error messages */
};

bool source_fail(struct source_error *error, const struct token *at, const char *format, ...) {
    if (!error->at) {
        FORMAT_TEXT(error->text, format);
        error->at = at;
    }
    return false;
}

bool source_report(struct source_error *error, const struct token *place) {
    enum { MOST = 100 };
    if (!error->report || error->no_memory)
        return false;
    error->report(error->self, error->at ? error->at : place, error->text);
    error->at = NULL;
    return ++error->reported < MOST;
}

bool token_is(const struct token *t, const char *word) {
    return t->kind == TOKEN_WORD && t->length == strlen(word) && !memcmp(t->text, word, t->length);
}

bool token_mark(const struct token *t, char mark) {
    return t->kind == TOKEN_MARK && t->mark == mark;
}

const char *token_show(const struct token *t, char buf[64]) {
    if (t->kind == TOKEN_END)
        return "the end of the line";
    int hash = t->kind == TOKEN_NAME;
    snprintf(buf, 64, "`%s%.*s%s`", hash ? "#" : "", t->length > 40 ? 40 : (int)t->length, t->text,
             t->length > 40 ? "..." : "");
    return buf;
}

bool number_fits(const struct token *t, unsigned bits) {
    if (bits >= 64)
        return true;
    if (t->negative)
        return (int64_t)t->value >= -(INT64_C(1) << (bits - 1));
    return t->value >> bits == 0;
}

static struct token token_at(const struct lexer *l, const char *text, size_t length) {
    return (struct token){.line = l->line,
                          .column = (uint32_t)(text - l->line_start) + 1,
                          .text = text,
                          .length = (uint32_t)length};
}

static bool lex_fail(struct lexer *l, const char *at, size_t length, const char *message) {
    *l->place = token_at(l, at, length);
    l->place->kind = TOKEN_WORD;
    char shown[64];
    return source_fail(l->error, l->place, message, token_show(l->place, shown));
}

static bool push(struct lexer *l, struct token t) {
    if (!ARRAY_ROOM(l->tokens, l->room, l->count + 3)) {
        l->error->no_memory = true;
        return lex_fail(l, l->at, 0, "out of memory%.0s");
    }
    l->tokens[l->count++] = t;
    return true;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '.';
}

static size_t word_length(const struct lexer *l, const char *at) {
    const char *p = at;
    while (p < l->end && (is_letter(*p) || is_digit(*p)) && !(l->dotted && *p == '.' && p > at))
        p++;
    return (size_t)(p - at);
}

/* The length of a number, which may contain dots. */
static size_t number_length(const struct lexer *l, const char *at) {
    const char *p = at;
    while (p < l->end && (is_letter(*p) || is_digit(*p)))
        p++;
    return (size_t)(p - at);
}

static void newline(struct lexer *l, const char *at) {
    l->line++;
    l->line_start = at + 1;
}

/* Skips the comment that starts at l->at. False: there is none, or it does not end. */
static bool skip_comment(struct lexer *l) {
    const char *p = l->at;
    char kind = p + 1 < l->end ? p[1] : 0;
    if (kind == '/') {
        while (p < l->end && *p != '\n')
            p++;
        l->at = p;
        return true;
    }
    if (kind != '*' && kind != '+')
        return lex_fail(l, p, 1, "unexpected %s; comments are // ..., /* ... */ or /+ ... +/");
    struct token start = token_at(l, p, 2);
    unsigned depth = 1;
    for (p += 2; p + 1 < l->end; p++) {
        if (*p == '\n') {
            newline(l, p);
        } else if (kind == '+' && p[0] == '/' && p[1] == '+') {
            depth++;
            p++;
        } else if (p[0] == kind && p[1] == '/') {
            p++;
            if (--depth == 0) {
                l->at = p + 1;
                return true;
            }
        }
    }
    *l->place = start;
    return source_fail(l->error, l->place, "this comment has no end");
}

/* Lexes 1.0, 2.5e-3: a token with the bits of a float. */
static bool lex_float(struct lexer *l, const char *start, const char *digits, size_t length,
                      bool negative) {
    char buf[64], *end;
    const char *p = digits + length;
    if (p[-1] == 'e' || p[-1] == 'E') /* the sign of the exponent ended the word */
        while (p < l->end && ((p[0] == '-' && p[-1] != '-') || is_digit(*p) ||
                              (l->dotted && p[0] == '+' && p == digits + length)))
            p++;
    length = (size_t)(p - digits);
    if (length >= sizeof buf)
        return lex_fail(l, start, length, "%s is too long for a number");
    memcpy(buf, digits, length);
    buf[length] = 0;
    float f = strtof(buf, &end);
    if (*end)
        return lex_fail(l, start, (size_t)(p - start), "%s is not a number");
    if (isinf(f))
        return lex_fail(l, start, (size_t)(p - start), "%s is too large for a 32-bit float");
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    struct token t = token_at(l, start, (size_t)(p - start));
    t.kind = TOKEN_NUMBER;
    t.value = bits ^ (negative ? 0x80000000u : 0);
    t.real = true;
    l->at = p;
    return push(l, t);
}

static int digit_value(char c) {
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 99;
}

static bool lex_number(struct lexer *l) {
    const char *start = l->at, *digits = start;
    bool negative = *start == '-';
    digits += negative;
    size_t length = number_length(l, digits), total = length + negative;
    int base = 10;
    if (length > 1 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
        base = 16;
        digits += 2;
        length -= 2;
    } else if (memchr(digits, '.', length)) {
        return lex_float(l, start, digits, length, negative);
    } else if (length > 1 && digits[0] == '0' && !l->dotted) {
        base = 8;
    }
    uint64_t value = 0;
    if (length == 0)
        return lex_fail(l, start, total, "%s is not a number");
    for (size_t i = 0; i < length; i++) {
        int d = digit_value(digits[i]);
        if (d >= base)
            return lex_fail(l, start, total, "%s is not a number");
        if (value > (UINT64_MAX - (unsigned)d) / (unsigned)base)
            return lex_fail(l, start, total, "%s does not fit 64 bits");
        value = value * (unsigned)base + (unsigned)d;
    }
    if (negative && value > UINT64_C(1) << 63)
        return lex_fail(l, start, total, "%s does not fit 64 bits");
    struct token t = token_at(l, start, total);
    t.kind = TOKEN_NUMBER;
    t.value = negative ? 0 - value : value;
    t.negative = t.value >> 63;
    l->at = start + total;
    return push(l, t);
}

static bool lex_mark(struct lexer *l) {
    char c = *l->at;
    struct token t = token_at(l, l->at, 1);
    t.kind = TOKEN_MARK;
    t.mark = c;
    if (c == '+' && l->at + 1 < l->end && l->at[1] == '+') {
        t.mark = 'P'; /* ++ after a register */
        t.length = 2;
    } else if (c == '#' && word_length(l, l->at + 1)) {
        t.kind = TOKEN_NAME;
        t.text = l->at + 1;
        t.length = word_length(l, t.text);
        l->at = t.text + t.length;
        return push(l, t);
    } else if (l->dotted && c && strchr("@!|~,-<>", c)) {
        l->at++;
        return push(l, t);
    } else if (c == ',') {
        return lex_fail(l, l->at, 1, "unexpected %s; operands are separated by blanks");
    } else if (!strchr("()[]:#=+", c) || !c) {
        return lex_fail(l, l->at, 1, "unexpected character %s");
    }
    l->at += t.length;
    return push(l, t);
}

static bool end_statement(struct lexer *l) {
    return push(l, token_at(l, l->at, 0));
}

/* The length of asfermi's floats, which are one word: F1.5, F-1e10, FH-1.5e300. 0: there is
 * none. */
static size_t real_length(const struct lexer *l) {
    const char *p = l->at + 1;
    if (*l->at != 'F' || !l->dotted)
        return 0;
    p += p < l->end && (*p == 'H' || *p == 'L');
    p += p < l->end && (*p == '-' || *p == '+');
    if (p >= l->end || !is_digit(*p))
        return 0;
    while (p < l->end && (is_digit(*p) || *p == '.'))
        p++;
    if (p < l->end && (*p == 'e' || *p == 'E')) {
        p++;
        p += p < l->end && (*p == '-' || *p == '+');
        while (p < l->end && is_digit(*p))
            p++;
    }
    return p < l->end && is_letter(*p) ? 0 : (size_t)(p - l->at);
}

static bool lex_word(struct lexer *l) {
    const size_t real = real_length(l);
    struct token t = token_at(l, l->at, real ? real : word_length(l, l->at));
    t.kind = TOKEN_WORD;
    l->at += t.length;
    return push(l, t);
}

/* True where a word can start: there a dot begins a directive, not a modifier. */
static bool starts_word(const struct lexer *l) {
    return l->at == l->line_start || strchr(" \t\r;", l->at[-1]);
}

/* .U .64: lexes the dot as a mark, and the word behind it, which may start with a digit. */
static bool lex_modifier(struct lexer *l) {
    struct token t = token_at(l, l->at++, 1);
    t.kind = TOKEN_MARK;
    t.mark = '.';
    return push(l, t) && (!word_length(l, l->at) || lex_word(l));
}

/* 1d 2d 3d: words of surface instructions. */
static bool is_dimension(const struct lexer *l) {
    return *l->at >= '1' && *l->at <= '3' && word_length(l, l->at) == 2 && l->at[1] == 'd';
}

static bool lex_one(struct lexer *l) {
    char c = *l->at;
    if (c == '\n' || c == ';') {
        if (!end_statement(l))
            return false;
        if (c == '\n')
            newline(l, l->at);
        l->at++;
        return true;
    }
    if (c == ' ' || c == '\t' || c == '\r') {
        l->at++;
        return true;
    }
    if (c == '/')
        return skip_comment(l);
    if (l->dotted && c == '.' && !starts_word(l))
        return lex_modifier(l);
    if (!l->dotted && is_dimension(l))
        return lex_word(l);
    if (is_digit(c) || (c == '-' && l->at + 1 < l->end && is_digit(l->at[1])))
        return lex_number(l);
    return is_letter(c) ? lex_word(l) : lex_mark(l);
}

/* Continues behind a line with a mistake. */
static bool skip_line(struct lexer *l) {
    while (l->count && l->tokens[l->count - 1].kind != TOKEN_END)
        l->count--;
    while (l->at < l->end && *l->at != '\n')
        l->at++;
    return true;
}

int lex_source(const char *text, size_t length, bool dotted, struct token **tokens, size_t *count,
               struct source_error *error, struct token *place) {
    struct lexer l = {.text = text,
                      .dotted = dotted,
                      .end = text + length,
                      .line_start = text,
                      .at = text,
                      .line = 1,
                      .error = error,
                      .place = place};
    *tokens = NULL;
    *count = 0;
    bool ok = true;
    while (ok && l.at < l.end) {
        ok = lex_one(&l);
        if (!ok && source_report(error, place))
            ok = skip_line(&l);
    }
    if (!ok || !end_statement(&l) || !end_statement(&l)) {
        free(l.tokens);
        return -1;
    }
    *tokens = l.tokens;
    *count = l.count;
    return 0;
}
