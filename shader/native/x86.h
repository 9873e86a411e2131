/* Reads one x86-64 instruction of the kinds that clang makes for stencils: its length, the bits
 * that name its vector registers, and how it jumps. Changes register numbers. For the extraction
 * tool at build time and for emit.c; knows no stencil.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The fields of an EVEX or VEX instruction that name a vector register. X86_IS4: in its last
 * byte. */
enum x86_field { X86_REG, X86_VVVV, X86_RM, X86_INDEX, X86_IS4, X86_FIELDS };

enum x86_jump { X86_FALLS, X86_JUMP, X86_BRANCH, X86_ENDS };

struct x86_instruction {
    unsigned length;
    bool evex, vex;
    uint8_t map, opcode, pp;
    enum x86_jump jump; /* X86_JUMP, X86_BRANCH: a 32-bit distance is in the last 4 bytes */
    bool short_jump;    /* a distance of 8 bits, which stencils do not have */
    bool unknown;       /* VEX: not in the list of forms; any field may be a vector register */
    uint8_t fields;     /* bit per x86_field that names a vector register */
    uint8_t number[X86_FIELDS];
    enum x86_field written; /* the field that names the written register; X86_FIELDS: none */
};

/* Reads the instruction at `at`. False: it is unknown, or longer than size. */
bool x86_read(const uint8_t *at, size_t size, struct x86_instruction *i);
/* Changes a register number of an instruction at `at`, with an EVEX prefix or a VEX prefix of three
 * bytes. X86_IS4: `at` is the last byte of the instruction. */
void x86_set_register(uint8_t *at, enum x86_field field, unsigned number);
