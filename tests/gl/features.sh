#!/usr/bin/env bash
# OpenGL's fixed functions one by one (points, lines, queries, formats, blits ...) under llvmpipe and under teslapipe as
# each chip. tests/gl/features.c has the tolerances. Environment: BUILD, CHIPS.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
. tests/gl/both_drivers
both_drivers features
