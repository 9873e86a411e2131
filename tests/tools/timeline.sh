#!/usr/bin/env bash
# bench and replay --timeline: the events, their nesting, the marks of frames.
# usage: timeline.sh [TESLAPIPE]. Prints a line per failed check and "N passed, N failed".
. "$(dirname "$0")/../checks"
program=${1:-${BUILD:-build}/teslapipe}

"$program" bench teapot --frames 5 --threads 2 --timeline "$folder/bench.json" >"$errors" 2>&1
check "bench" python3 tests/timeline.py "$folder/bench.json" \
    'frame,draws,flush,front end,chunk,merge,tile pass,tile,native code,no work,work' >"$errors" 2>&1
check "a mark for each frame" test "$(grep -c '"name":"frame"' "$folder/bench.json")" = 5
# The script that checks timelines notices each mistake.
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

# The model of N threads: one thread is never idle; the speed with more threads follows from their idle share.
"$program" bench teapot --frames 3 --threads-model 1 >"$folder/one" 2>&1
check "one thread does all" grep -q '^    1 threads: .*ms, 1\.00 times one.s speed, idle 0\.0 %' "$folder/one"
"$program" bench teapot --frames 3 --threads-model 8 --profile >"$folder/many" 2>&1
check "eight threads" awk '/^    8 threads:/ {
        idle = $10; speed = $5; found = 1
        good = (speed > 1.5 && speed <= 8 && speed / 8 + idle / 100 > 0.98 && speed / 8 + idle / 100 < 1.02) }
    END { exit !(found && good) }' "$folder/many"
check "the share of one thread alone" awk '/one thread alone:/ {
        gsub(/[(),]/, ""); found = $4 - $7 - $9 - $11 < 0.2 && $7 + $9 + $11 - $4 < 0.2 && $4 < 100 }
    END { exit !found }' "$folder/many"
refuses 2 'measures one thread' "$program" bench teapot --threads-model 4 --timeline "$folder/none.json"
refuses 2 'at most 256' "$program" bench teapot --threads-model 257
refuses 1 'No such file' "$program" replay "$recording" --timeline "$folder/none/replay.json"
checks_end
