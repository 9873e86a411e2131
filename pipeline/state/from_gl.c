/* Translates OpenGL's enumerants into the state's values (from_gl.h). In: a value of a register or
 * of a caller. Out: the state's value. Must not know its callers.
 */
#include "pipeline/state/from_gl.h"

struct pair {
    uint16_t gl;
    uint8_t value;
};

static uint8_t look_up(const struct pair *pairs, size_t count, uint32_t gl, uint8_t otherwise) {
    for (size_t i = 0; i < count; i++)
        if (pairs[i].gl == gl)
            return pairs[i].value;
    return otherwise;
}

#define LOOK_UP(pairs, gl, otherwise) look_up(pairs, sizeof(pairs) / sizeof *(pairs), gl, otherwise)

uint8_t compare_func_from_gl(uint32_t value) {
    return value - 0x200 < COMPARE_FUNCS ? (uint8_t)(value - 0x200) : FUNC_ALWAYS;
}

uint8_t stencil_op_from_gl(uint32_t value) {
    static const struct pair ops[] = {
        {0x1e00, STENCIL_KEEP},      {0, STENCIL_ZERO},           {0x1e01, STENCIL_REPLACE},
        {0x1e02, STENCIL_INCR},      {0x1e03, STENCIL_DECR},      {0x150a, STENCIL_INVERT},
        {0x8507, STENCIL_INCR_WRAP}, {0x8508, STENCIL_DECR_WRAP},
    };
    return LOOK_UP(ops, value, STENCIL_KEEP);
}

uint8_t blend_factor_from_gl(uint32_t value) {
    static const struct pair factors[] = {
        {0, BLEND_ZERO},
        {1, BLEND_ONE},
        {0x300, BLEND_SRC_COLOR},
        {0x301, BLEND_ONE_MINUS_SRC_COLOR},
        {0x302, BLEND_SRC_ALPHA},
        {0x303, BLEND_ONE_MINUS_SRC_ALPHA},
        {0x304, BLEND_DST_ALPHA},
        {0x305, BLEND_ONE_MINUS_DST_ALPHA},
        {0x306, BLEND_DST_COLOR},
        {0x307, BLEND_ONE_MINUS_DST_COLOR},
        {0x308, BLEND_SRC_ALPHA_SATURATE},
        {0x8001, BLEND_CONSTANT_COLOR},
        {0x8002, BLEND_ONE_MINUS_CONSTANT_COLOR},
        {0x8003, BLEND_CONSTANT_ALPHA},
        {0x8004, BLEND_ONE_MINUS_CONSTANT_ALPHA},
        {0x88f9, BLEND_SRC1_COLOR},
        {0x88fa, BLEND_ONE_MINUS_SRC1_COLOR},
        {0x8589, BLEND_SRC1_ALPHA},
        {0x88fb, BLEND_ONE_MINUS_SRC1_ALPHA},
    };
    return LOOK_UP(factors, value, BLEND_ONE);
}

uint8_t blend_equation_from_gl(uint32_t value) {
    static const struct pair equations[] = {
        {0x8006, EQUATION_ADD},
        {0x8007, EQUATION_MIN},
        {0x8008, EQUATION_MAX},
        {0x800a, EQUATION_SUBTRACT},
        {0x800b, EQUATION_REVERSE_SUBTRACT},
    };
    return LOOK_UP(equations, value, EQUATION_ADD);
}

uint8_t logic_op_from_gl(uint32_t value) {
    return value & 15;
}

uint8_t polygon_mode_from_gl(uint32_t value) {
    static const struct pair modes[] = {
        {0x1b00, POLYGON_POINT}, {0x1b01, POLYGON_LINE}, {0x1b02, POLYGON_FILL}};
    return LOOK_UP(modes, value, POLYGON_FILL);
}
