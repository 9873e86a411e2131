#!/usr/bin/env bash
# OpenGL's fixed functions feature by feature (points, lines, queries, formats, blits ...) under llvmpipe and under
# teslapipe as each chip (tests/gl/features.c says with which tolerances). Environment: BUILD, CHIPS.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
. tests/gl/both_drivers
both_drivers features
