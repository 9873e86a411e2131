/* The functions, operations and factors of the zeta and colour units, as the state holds them.
 * pipeline/state/from_gl.h translates OpenGL's values into these.
 */
#pragma once

/* A list has enumerators, each with its printed name. */
#define ENUMERATOR(e, name) e,

/* Bit 0 of a function: passes if the new value is less; bit 1: if equal; bit 2: if greater. */
#define COMPARE_FUNC_LIST(X)                                                                       \
    X(FUNC_NEVER, "never")                                                                         \
    X(FUNC_LESS, "less")                                                                           \
    X(FUNC_EQUAL, "equal")                                                                         \
    X(FUNC_LEQUAL, "less or equal")                                                                \
    X(FUNC_GREATER, "greater")                                                                     \
    X(FUNC_NOTEQUAL, "not equal")                                                                  \
    X(FUNC_GEQUAL, "greater or equal")                                                             \
    X(FUNC_ALWAYS, "always")
enum compare_func { COMPARE_FUNC_LIST(ENUMERATOR) COMPARE_FUNCS };

#define STENCIL_OP_LIST(X)                                                                         \
    X(STENCIL_KEEP, "keep")                                                                        \
    X(STENCIL_ZERO, "zero")                                                                        \
    X(STENCIL_REPLACE, "replace")                                                                  \
    X(STENCIL_INCR, "increment")                                                                   \
    X(STENCIL_DECR, "decrement")                                                                   \
    X(STENCIL_INVERT, "invert")                                                                    \
    X(STENCIL_INCR_WRAP, "increment, wrapping")                                                    \
    X(STENCIL_DECR_WRAP, "decrement, wrapping")
enum stencil_op { STENCIL_OP_LIST(ENUMERATOR) };

#define BLEND_FACTOR_LIST(X)                                                                       \
    X(BLEND_ZERO, "zero")                                                                          \
    X(BLEND_ONE, "one")                                                                            \
    X(BLEND_SRC_COLOR, "src colour")                                                               \
    X(BLEND_ONE_MINUS_SRC_COLOR, "1 - src colour")                                                 \
    X(BLEND_SRC_ALPHA, "src alpha")                                                                \
    X(BLEND_ONE_MINUS_SRC_ALPHA, "1 - src alpha")                                                  \
    X(BLEND_DST_ALPHA, "dst alpha")                                                                \
    X(BLEND_ONE_MINUS_DST_ALPHA, "1 - dst alpha")                                                  \
    X(BLEND_DST_COLOR, "dst colour")                                                               \
    X(BLEND_ONE_MINUS_DST_COLOR, "1 - dst colour")                                                 \
    X(BLEND_SRC_ALPHA_SATURATE, "min(src alpha, 1 - dst alpha)")                                   \
    X(BLEND_CONSTANT_COLOR, "constant colour")                                                     \
    X(BLEND_ONE_MINUS_CONSTANT_COLOR, "1 - constant colour")                                       \
    X(BLEND_CONSTANT_ALPHA, "constant alpha")                                                      \
    X(BLEND_ONE_MINUS_CONSTANT_ALPHA, "1 - constant alpha")                                        \
    /* the four SRC1 factors use the program's second colour */                                    \
    X(BLEND_SRC1_COLOR, "src1 colour")                                                             \
    X(BLEND_ONE_MINUS_SRC1_COLOR, "1 - src1 colour")                                               \
    X(BLEND_SRC1_ALPHA, "src1 alpha")                                                              \
    X(BLEND_ONE_MINUS_SRC1_ALPHA, "1 - src1 alpha")
enum blend_factor { BLEND_FACTOR_LIST(ENUMERATOR) BLEND_FACTORS };

#define BLEND_EQUATION_LIST(X)                                                                     \
    X(EQUATION_ADD, "add")                                                                         \
    X(EQUATION_SUBTRACT, "subtract")                                                               \
    X(EQUATION_REVERSE_SUBTRACT, "reverse subtract")                                               \
    X(EQUATION_MIN, "min")                                                                         \
    X(EQUATION_MAX, "max")
enum blend_equation { BLEND_EQUATION_LIST(ENUMERATOR) BLEND_EQUATIONS };

#define LOGIC_OP_LIST(X)                                                                           \
    X(LOGIC_OP_CLEAR, "clear")                                                                     \
    X(LOGIC_OP_AND, "and")                                                                         \
    X(LOGIC_OP_AND_REVERSE, "and reverse")                                                         \
    X(LOGIC_OP_COPY, "copy")                                                                       \
    X(LOGIC_OP_AND_INVERTED, "and inverted")                                                       \
    X(LOGIC_OP_NOOP, "noop")                                                                       \
    X(LOGIC_OP_XOR, "xor")                                                                         \
    X(LOGIC_OP_OR, "or")                                                                           \
    X(LOGIC_OP_NOR, "nor")                                                                         \
    X(LOGIC_OP_EQUIV, "equivalence")                                                               \
    X(LOGIC_OP_INVERT, "invert")                                                                   \
    X(LOGIC_OP_OR_REVERSE, "or reverse")                                                           \
    X(LOGIC_OP_COPY_INVERTED, "copy inverted")                                                     \
    X(LOGIC_OP_OR_INVERTED, "or inverted")                                                         \
    X(LOGIC_OP_NAND, "nand")                                                                       \
    X(LOGIC_OP_SET, "set")
enum logic_op { LOGIC_OP_LIST(ENUMERATOR) };
