/* The conventions of stencils and of the code that copies them: holes (places to be filled in),
 * exits, vector registers of arguments. For stencils*.c (compiled by clang at build time), the
 * extraction tool and emit.c.
 */
#pragma once

/* Holes. X(name): symbol HOLE_name in stencils. 32 bits, except the last three. */
#define HOLE_LIST(X)                                                                               \
    X(S0)                                                                                          \
    X(S1)                                                                                          \
    X(S2) /* sources: bytes from the warp */                                                       \
    X(D)  /* result: bytes from the warp */                                                        \
    X(D1)                                                                                          \
    X(D2)                                                                                          \
    X(D3)                                 /* further results */                                    \
    X(FLAGS)                              /* a $c: bytes from the warp */                          \
    X(VIEW)                               /* a const view: bytes from the environment */           \
    X(AT)                                 /* an offset or a number */                              \
    X(PC) X(WORD) X(LINKED) X(FN) X(CODE) /* 64 bits: linked op, function, the program's code */
/* Exits. NEXT is the code that follows in memory; BACK is the same code, for jumps from the cold
 * part. CONSTANT is no exit, but the address of a word behind the code. */
#define EXIT_LIST(X) X(NEXT) X(BACK) X(SLOW) X(TARGET) X(LEAVE) X(CONSTANT)

enum hole {
#define X(name) HOLE_AT_##name,
    HOLE_LIST(X)
#undef X
        HOLES
};
enum stencil_exit {
#define X(name) EXIT_##name,
    EXIT_LIST(X)
#undef X
        EXITS
};

/* Vector registers of a stencil's arguments (AVX-512): each of three sources has two, and the
 * result has two from RESULT_REGISTER on. These registers are renamed when a stencil is copied; all
 * other vector registers are temporaries and keep their numbers. */
enum { ARGUMENT_REGISTERS = 8, RESULT_REGISTER = 6 };

/* A strip of a row: the lanes that fit a vector register of 256 bits (AVX2). A strip's stencil has
 * one register for each source and one for the result. */
enum { STRIP_BYTES = 32 };
/* Registers in which comparisons collect a bit per lane while their strips are made. */
enum { STRIP_TRUTHS = 4 };
