#!/usr/bin/env bash
# teslapipe gl --timeline: in frames of many draws, the events account for 98 % of the threads' time.
# Runs alone, because other programs would take the threads' time. Environment: BUILD, CC.
. "$(dirname "$0")/both_drivers"
needs_driver
compile timeline -lEGL -lGL -lm
accounts() { # a busy machine may take the processor between two events, so there are eight attempts
    for attempt in {1..8}; do
        "$BUILD/teslapipe" gl --chip gt215 --threads 2 --timeline "$work/line.json" -- "$compiled" NVA3 20 2>"$work/said" &&
            python3 tests/timeline.py "$work/line.json" \
                'submissions,draws,flush,front end,chunk,merge,tile pass,tile,native code,results,no work,work' 98 &&
            return
    done 2>"$errors" >&2
    false
}
check "98 % of the time" accounts
check "nothing is said" [ ! -s "$work/said" ]
"$BUILD/teslapipe" gl --timeline "$work/line.json" -- env TESLAPIPE_TIMELINE="$work/no/line.json" "$compiled" NVA3 1 2>"$errors"
check "a time line that cannot be written" grep -q 'no time line: .*No such file' "$errors"
checks_end 0
