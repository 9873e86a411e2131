/* The instruction sets. Turns words and program text into struct op and back: decodes, prints,
 * assembles, disassembles, explains. A table (tesla.c, fermi.c, g64.c) has an encoding row for each
 * way to write an instruction. decode.c, encode.c, print.c and parse.c all read the table, so they
 * cannot disagree.
 */
#pragma once

#include "shader/op.h"

#include <stddef.h>
#include <stdio.h>

/* The notation of a Fermi's code: envydis's or asfermi's. Other sets have one notation. */
enum isa_syntax { SYNTAX_ENVYAS, SYNTAX_ASFERMI };

struct isa_target {
    enum isa_variant variant;
    enum program_type type;
    enum isa_syntax syntax;
};

/* Decodes the instruction at byte address pc from up to `available` words. Never fails: an illegal
 * instruction becomes OP_ILLEGAL with a hardware error name. */
void isa_decode(struct isa_target target, const uint32_t *w, size_t available, uint32_t pc,
                struct op *op);
/* Writes the assembly text of op in the target's notation, without address. Returns as snprintf
 * does. */
int isa_print(struct isa_target target, const struct op *op, char *buf, size_t size);
/* "c" for FILE_CONST ...; "?": no memory. */
const char *isa_memory_name(uint8_t file);

/* A whole program as text, malloc'd; NULL when out of memory. ISA_SOURCE assembles back to the same
 * words: with `long` where the assembler would choose the short form, and .b32 where the words are
 * no instruction or have ignored bits set. ISA_EXPLAINED is the same with comments that say what
 * the instructions do. ISA_LISTING has address, words and text as envydis prints them. */
enum isa_text_form { ISA_SOURCE, ISA_EXPLAINED, ISA_LISTING };
char *isa_disassemble(struct isa_target target, const uint32_t *words, size_t count, uint32_t base,
                      enum isa_text_form form, size_t *length);

/* Checks a file of vectors: that words disassemble to their text, or that the text assembles to the
 * words. A line has columns with TAB between them, in one of these forms:
 *   "variant type word [word]", text, note                    Tesla; the note may say `long`
 *   variant, "word [word]", text, notes                       Fermi
 *   sm_xx, asfermi source, "word word", envyas text, notes    Fermi, both notations
 *   source, "word word"                                       generic64
 *   asfermi source, message                                   a text that must be refused
 * Returns 0, or -1 if the file cannot be read. Calls report->fail for every line that differs. */
enum isa_direction { ISA_DISASSEMBLE, ISA_ASSEMBLE };
struct isa_vector_report {
    unsigned passed, failed;
    void *self;
    void (*fail)(void *self, unsigned line, const char *vector, const char *expected,
                 const char *got);
};
int isa_check_vectors(FILE *in, enum isa_direction direction, struct isa_vector_report *report);

const char *isa_variant_name(enum isa_variant v);            /* "g80" ... */
int isa_variant_from_name(const char *name);                 /* or -1 */
enum isa_variant isa_variant_from_chipset(uint32_t chipset); /* 0x50, 0x84, 0xa0, 0xa3, 0xc0 ... */
const char *program_type_name(enum program_type t);          /* "vp" ... */
const char *program_stage_name(enum program_type t);         /* "vertex" ... */
int program_type_from_name(const char *name);                /* or -1 */

/* The result of isa_assemble(). */
struct asm_result {
    uint32_t *words; /* malloc'd */
    size_t count;    /* words */
    uint32_t base;   /* byte address of words[0] */
    uint32_t *lines; /* line of each word in `text`, or in the source if `text` is NULL; malloc'd */
    char *text;      /* the text with macros and files in place; NULL if there are none; malloc'd */
    /* The place of each word in the caller's own text, malloc'd. line: 0 if the word comes from
     * another file. outer: the line that uses the outermost macro or file; `line` if there is
     * none. */
    struct asm_place {
        uint32_t line, outer;
    } *places;
};
struct program_header;
/* header may be NULL: then program directives (.regs, .attr ...) are errors. Returns 0, or -1 with
 * a message "name:line:column: ..." in err. */
int isa_assemble(struct isa_target target, const char *text, size_t length, const char *name,
                 struct program_header *header, struct asm_result *out, char *err, size_t err_size);
/* A source text and further facts, for isa_assemble_source(). report, if given, gets the first
 * mistake of each statement, at most 100, a line each, and warnings; err has the first mistake of
 * all. is_file: name is a path, and .include reads files, relative to the folder of the including
 * file. */
struct isa_source {
    const char *text;
    size_t length;
    const char *name;
    bool is_file;
    void (*report)(void *self, const char *message);
    void *self;
};
int isa_assemble_source(struct isa_target target, const struct isa_source *from,
                        struct program_header *header, struct asm_result *out, char *err,
                        size_t err_size);
void asm_result_free(struct asm_result *r);
/* Parses one instruction for address pc, without labels. Out: its op with the words. False: the
 * message "line 1, column ...: ..." is in err. */
bool isa_assemble_line(struct isa_target target, const char *text, size_t length, uint32_t pc,
                       struct op *op, char *err, size_t err_size);

/* Explanations: a sentence about each instruction, for `teslapipe as --explain`, `dis --explain`
 * and docs/instructions.md. The sentences stand in explain.inc; the forms come from the encoding
 * tables. */

/* Writes the sentence about op with the names of its operands, or "" if there is none. */
void isa_explain_op(struct isa_target target, const struct op *op, char *text, size_t size);
/* Prints what the instructions named `name` do, and their forms. False: there is none. */
bool isa_explain_name(struct isa_target target, const char *name, FILE *to);
/* Prints a table of all instructions of a set, in Markdown. */
void isa_explain_set(struct isa_target target, FILE *to);
