#!/usr/bin/env bash
# Features of OpenGL before 3.1 (stipples, smooth primitives) under llvmpipe and under teslapipe as each chip.
# tests/gl/compat.c has the tolerances. Environment: BUILD, CHIPS.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
. tests/gl/both_drivers
both_drivers compat
