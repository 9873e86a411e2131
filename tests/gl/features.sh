#!/usr/bin/env bash
# OpenGL's fixed functions one by one (points, lines, queries, formats, blits ...) under llvmpipe and under teslapipe as
# each chip. tests/gl/features.c has the tolerances. Environment: BUILD, CHIPS.
. "$(dirname "$0")/both_drivers"
both_drivers features
