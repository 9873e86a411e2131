#!/usr/bin/env bash
# teslapipe gl --check-memory: each fault that tests/gl/memory.c plants is the only finding, in the report and in JSON,
# with exit code 4. A program without faults has none. Environment: BUILD, CHIPS, CC.
. "$(dirname "$0")/both_drivers"
needs_driver
compile memory -lEGL -lGL -lm
declare -A renderer=([g80]=NV50 [gt215]=NVA3 [gf108]=NVC1)

run_fault() { # fault, options of gl...
    local fault=$1
    shift
    "$BUILD/teslapipe" gl --chip "$chip" --check-memory "$@" -- "$compiled" "${renderer[$chip]}" "$fault" 2>"$errors"
    code=$?
}

finds() { # fault, kind, a part of the instruction's line, a part of the lane's line
    run_fault "$1"
    check "$chip, $1: exit code 4, not $code" [ $code = 4 ]
    check "$chip, $1: one finding" grep -q ': 1 finding$' "$errors"
    check "$chip, $1: $2" grep -q "^$2: " "$errors"
    check "$chip, $1: $3" grep -q -e "$3" "$errors"
    check "$chip, $1: $4" grep -q -e "$4" "$errors"
}

for chip in ${CHIPS:-gt215 g80 gf108}; do
    sample=texauto attribute='a\[0x0\]'
    [ $chip != gf108 ] || { sample='lauto' attribute='a\[0x80\]'; }
    run_fault none
    check "$chip: no fault, exit code 0, not $code" [ $code = 0 ]
    check "$chip: no finding" grep -q ': 0 findings$' "$errors"
    finds texture fresh-texture $sample 'pixel (0, 0)'
    finds fetch texel-out-of-range 'fetches a texel at x = 16' 'first in lane .*, pixel (12, 0)'
    finds derivative divergent-derivative $sample 'pixel (0, 0)'
    finds array vertex-array-out-of-range $attribute 'first in lane 2, vertex 2, instance 0; lanes 00000004'
    finds feedback feedback-full 'feedback of 1 primitives; the buffers take 0' 'draw 1'
    run_fault array --json "$work/report.json"
    check "$chip: JSON" grep -q '"kind": "vertex-array-out-of-range", "draw": 1' "$work/report.json"
    TESLAPIPE_TIMELINE=$work/timeline.json run_fault array
    check "$chip: with a time line, exit code 4, not $code" [ $code = 4 ]
    check "$chip: a time line beside findings" test -s "$work/timeline.json"
    echo 'vertex-array-*' >"$work/suppressions"
    run_fault array --suppressions "$work/suppressions"
    check "$chip: suppressed, exit code 0, not $code" [ $code = 0 ]
done
# a forked child, which has no GPU, ends without a report
compile recordings
"$BUILD/teslapipe" gl --chip gt215 --check-memory -- "$compiled" NVA3 >"$work/out" 2>"$errors"
check "a program with a child: $(tail -n 1 "$work/out")" grep -q ' passed, 0 failed' "$work/out"
check "one report" [ "$(grep -c findings "$errors")" = 1 ]
checks_end 0
