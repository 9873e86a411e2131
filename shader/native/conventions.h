/* What stencils and the code that strings them together agree on: the registers that hold a warp's
 * state while native code runs, the places to be filled in (holes), the ways on. Read by stencils.c
 * (compiled by clang at build time), by the extraction tool and by emit.c.
 */
#ifndef SHADER_NATIVE_CONVENTIONS_H
#define SHADER_NATIVE_CONVENTIONS_H

/* Values filled in. X(name): symbol HOLE_name in stencils. 32 bits, but for the last four. */
#define HOLE_LIST(X)                                                                               \
    X(S0)                                                                                          \
    X(S1)                                                                                          \
    X(S2)        /* sources: bytes from the warp */                                                \
        X(D)     /* result: bytes from the warp */                                                 \
        X(FLAGS) /* a $c: bytes from the warp */                                                   \
        X(VIEW)  /* a const view: bytes from the environment */                                    \
        X(AT)    /* an offset or a number */                                                       \
        X(PC) X(WORD) X(LINKED) X(FN)                                                              \
            X(CODE) /* 64 bits: linked op, function, the program's code */
/* Ways on. NEXT is what follows in memory, and so is BACK, for the cold part. CONSTANT is none, but where a
 * word stands, behind the code. */
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

/* Vector registers of the arguments: two each for the sources and for the result. What is not an
 * argument is a temporary and keeps its number. */
enum { ARGUMENT_REGISTERS = 8, RESULT_REGISTER = 6 };

/* A strip of a row: lanes that fit one vector register where there are 16 of 256 bits (AVX2). Its stencils
 * have one register each for the sources and for the result. */
enum { STRIP_BYTES = 32 };

#endif
