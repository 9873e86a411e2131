#!/usr/bin/env bash
# The corpus's 97 GLSL programs with the same inputs under llvmpipe and under teslapipe as each chip. tests/gl/corpus.c
# has the tolerances. Environment: BUILD (build folder), CHIPS (default: gt215 g80 g84 g200 gf108).
. "$(dirname "$0")/both_drivers"
corpus=${TESLAPIPE_SHARED:-$PWD/../shared}/corpus
[ -d "$corpus" ] || skip_all "$corpus is missing"
CHIPS=${CHIPS:-gt215 g80 g84 g200 gf108}
both_drivers corpus "$corpus"
