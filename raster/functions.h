/* The functions, operations and factors of the zeta and colour units, as the state holds them.
 * pipeline/state/from_gl.h translates OpenGL's values into these.
 */
#pragma once

/* Bit 0: passes if the new value is less; bit 1: if equal; bit 2: if greater. */
enum compare_func {
    FUNC_NEVER,
    FUNC_LESS,
    FUNC_EQUAL,
    FUNC_LEQUAL,
    FUNC_GREATER,
    FUNC_NOTEQUAL,
    FUNC_GEQUAL,
    FUNC_ALWAYS,
    COMPARE_FUNCS
};

enum stencil_op {
    STENCIL_KEEP,
    STENCIL_ZERO,
    STENCIL_REPLACE,
    STENCIL_INCR,
    STENCIL_DECR,
    STENCIL_INVERT,
    STENCIL_INCR_WRAP,
    STENCIL_DECR_WRAP,
};

enum blend_factor {
    BLEND_ZERO,
    BLEND_ONE,
    BLEND_SRC_COLOR,
    BLEND_ONE_MINUS_SRC_COLOR,
    BLEND_SRC_ALPHA,
    BLEND_ONE_MINUS_SRC_ALPHA,
    BLEND_DST_ALPHA,
    BLEND_ONE_MINUS_DST_ALPHA,
    BLEND_DST_COLOR,
    BLEND_ONE_MINUS_DST_COLOR,
    BLEND_SRC_ALPHA_SATURATE,
    BLEND_CONSTANT_COLOR,
    BLEND_ONE_MINUS_CONSTANT_COLOR,
    BLEND_CONSTANT_ALPHA,
    BLEND_ONE_MINUS_CONSTANT_ALPHA,
    BLEND_SRC1_COLOR, /* first factor of the program's second colour; those behind it are, too */
    BLEND_ONE_MINUS_SRC1_COLOR,
    BLEND_SRC1_ALPHA,
    BLEND_ONE_MINUS_SRC1_ALPHA,
    BLEND_FACTORS
};

enum blend_equation {
    EQUATION_ADD,
    EQUATION_SUBTRACT,
    EQUATION_REVERSE_SUBTRACT,
    EQUATION_MIN,
    EQUATION_MAX,
    BLEND_EQUATIONS
};

enum logic_op {
    LOGIC_OP_CLEAR,
    LOGIC_OP_AND,
    LOGIC_OP_AND_REVERSE,
    LOGIC_OP_COPY,
    LOGIC_OP_AND_INVERTED,
    LOGIC_OP_NOOP,
    LOGIC_OP_XOR,
    LOGIC_OP_OR,
    LOGIC_OP_NOR,
    LOGIC_OP_EQUIV,
    LOGIC_OP_INVERT,
    LOGIC_OP_OR_REVERSE,
    LOGIC_OP_COPY_INVERTED,
    LOGIC_OP_OR_INVERTED,
    LOGIC_OP_NAND,
    LOGIC_OP_SET,
};
