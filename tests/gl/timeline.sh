#!/usr/bin/env bash
# teslapipe gl --timeline: in frames of many draws, the events account for 98 % of the threads' time.
# Runs alone, because other programs would take the threads' time. Environment: BUILD, CC.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=$(realpath "${BUILD:-build}")
. tests/gl/both_drivers
begin_checks
compile timeline -lEGL -lGL -lm
accounts() { # a busy machine may take the processor between two events, so there are eight attempts
    for attempt in {1..8}; do
        "$BUILD/teslapipe" gl --chip gt215 --threads 2 --timeline "$work/line.json" -- "$compiled" NVA3 20 &&
            python3 tests/timeline.py "$work/line.json" \
                'submissions,draws,flush,front end,chunk,merge,tile pass,tile,native code,results,no work,work' 98 &&
            return
    done 2>"$errors" >&2
    false
}
check "98 % of the time" accounts
checks_end 0
