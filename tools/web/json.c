/* Writes JSON into memory by a stream that open_memstream() makes. In: names, values. Out: text. */
#include "tools/web/json.h"

#include <stdlib.h>
#include <string.h>

void json_begin(struct json *j, char bracket) {
    free(j->text);
    j->text = NULL;
    j->depth = 0;
    j->out = open_memstream(&j->text, &j->size);
    if (bracket)
        json_open(j, NULL, bracket);
}

const char *json_end(struct json *j) {
    while (j->depth)
        json_close(j);
    if (!j->out || fclose(j->out) != 0 || !j->text)
        return "null";
    j->out = NULL;
    return j->text;
}

static void quote(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c < 0x20)
            fprintf(out, "\\u%04x", *c);
        else if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else
            fputc(*c, out);
    fputc('"', out);
}

/* Writes the key of a member and returns the stream for the value. The flush brings j->text up to
 * date: its last character tells whether a comma is needed. */
FILE *json_value(struct json *j, const char *key) {
    static FILE *none;
    if (!j->out)
        return none ? none : (none = fopen("/dev/null", "w"));
    fflush(j->out);
    if (j->size && j->text && !strchr("[{:", j->text[j->size - 1]))
        fputc(',', j->out);
    if (key) {
        quote(j->out, key);
        fputc(':', j->out);
    }
    return j->out;
}

void json_open(struct json *j, const char *key, char bracket) {
    fputc(bracket, json_value(j, key));
    j->open[j->depth++] = bracket;
}

void json_close(struct json *j) {
    const char bracket = j->open[--j->depth];
    if (j->out)
        fputc(bracket == '{' ? '}' : ']', j->out);
}

void json_string(struct json *j, const char *key, const char *text) {
    quote(json_value(j, key), text ? text : "");
}

void json_number(struct json *j, const char *key, double value) {
    fprintf(json_value(j, key), "%.17g", value);
}

void json_bool(struct json *j, const char *key, int value) {
    fputs(value ? "true" : "false", json_value(j, key));
}

void json_words(struct json *j, const char *key, const uint32_t *word, size_t count) {
    json_open(j, key, '[');
    for (size_t i = 0; i < count; i++)
        fprintf(j->out ? j->out : json_value(j, NULL), i ? ",%u" : "%u", word[i]);
    json_close(j);
}
