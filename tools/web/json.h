/* Writes JSON into memory. A comma is written before a member where one is needed.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    char *text; /* text of the last json_end() */
    size_t size;
    char open[16]; /* '{' or '[' for each level that is open */
    unsigned depth;
};

/* Frees the previous answer and begins one. bracket: '{' or '['; 0: the answer is one value. */
void json_begin(struct json *j, char bracket);
/* Closes all open brackets. Returns the whole text, which is valid until the next json_begin();
 * "null" when out of memory. */
const char *json_end(struct json *j);

/* Of all functions below: key NULL: the value is an element of an array. */
void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j); /* the bracket that was opened last */
void json_string(struct json *j, const char *key, const char *text);
void json_number(struct json *j, const char *key, double value);
void json_bool(struct json *j, const char *key, int value);
void json_words(struct json *j, const char *key, const uint32_t *word, size_t count);
/* Writes the key; the caller then writes the value to the stream. */
FILE *json_value(struct json *j, const char *key);
