/* The factors of blending, for an array. */
#pragma once

#define BLEND_FACTORS                                                                              \
    GL_ZERO, GL_ONE, GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR, GL_DST_COLOR, GL_ONE_MINUS_DST_COLOR,   \
        GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA,                \
        GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_COLOR, GL_CONSTANT_ALPHA,                         \
        GL_ONE_MINUS_CONSTANT_ALPHA, GL_SRC_ALPHA_SATURATE
