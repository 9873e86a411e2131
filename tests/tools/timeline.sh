#!/usr/bin/env bash
# bench and replay --timeline: the events, their nesting, the marks of frames.
# usage: timeline.sh [TESLAPIPE]. Prints a line per failed check and "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
program=${1:-${BUILD:-build}/teslapipe}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
errors=$folder/errors
. tests/checks

"$program" bench teapot --frames 5 --threads 2 --timeline "$folder/bench.json" >"$errors" 2>&1
check "bench" python3 tests/timeline.py "$folder/bench.json" \
    'frame,draws,flush,front end,chunk,merge,tile pass,tile,native code,no work,work' >"$errors" 2>&1
check "a mark for each frame" test "$(grep -c '"name":"frame"' "$folder/bench.json")" = 5
# The script that checks time lines notices what is wrong.
for mistake in 's/"dur":/"duration":/' 's/"ph":"i"/"ph":"?"/' 's/"tid":\([0-9]*\)/"tid":"\1"/' 's/"s":"g"/"s":"x"/' \
    's/"ts":[0-9]/"ts":-1/' 's/"ph":"b"/"ph":"e"/' 's/"traceEvents"/"events"/'; do
    sed "$mistake" "$folder/bench.json" >"$folder/wrong.json"
    check "the mistake $mistake is found" eval "! python3 tests/timeline.py '$folder/wrong.json' frame >'$errors' 2>&1"
done
tar -C "$folder" -xf tests/replays/smoke.tar.xz || exit 1
recording=$(ls "$folder"/*.tpr | head -1)
"$program" replay "$recording" --timeline "$folder/replay.json" >"$errors" 2>&1
check "replay" python3 tests/timeline.py "$folder/replay.json" \
    'submissions,draws,flush,tile pass,tile,recorded memory,results' >"$errors" 2>&1
refuses 2 'is for one scene' "$program" bench --timeline "$folder/bench.json"
refuses 1 'No such file' "$program" replay "$recording" --timeline "$folder/none/replay.json"
checks_end
