#!/usr/bin/env bash
# Features of OpenGL before 3.1 (stipples, smooth primitives) under llvmpipe and under teslapipe as each chip.
# tests/gl/compat.c has the tolerances. Environment: BUILD, CHIPS.
. "$(dirname "$0")/both_drivers"
both_drivers compat
