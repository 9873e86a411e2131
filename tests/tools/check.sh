#!/usr/bin/env bash
# The memory checker's commands: run, render and replay with --check; exit codes, JSON and suppressions. Demo scenes and
# kernels have no findings; recordings have only those that tests/replays/findings lists and explains.
# usage: check.sh [TESLAPIPE]. Prints a line per failed check and "N passed, N failed".
. "$(dirname "$0")/../checks"
program=${1:-${BUILD:-build}/teslapipe}

expect() { # exit code, last line on stderr, arguments...
    local code=$1 text=$2 got
    shift 2
    timeout 300 "$program" "$@" >"$folder/output" 2>"$errors"
    got=$?
    check "$* ends with $code (got $got): $text" \
        test "$got" = "$code" -a "$(tail -n 1 "$errors")" = "$text"
}

# One fault: the parameter is missing, so that s[0x10] is not set.
add="run demos/programs/compute/vector_add.cp --grid 4 --block 256 --buffer 0=zero:4096 --buffer 1=zero:4096
    --buffer 2=zero:4096"
expect 0 '0 findings' $add --param 1000 --check
expect 4 '1 finding' $add --check
check "the finding has its place" grep -q '0x000018: mov b32 $r3 b32 s\[0x10\]' "$errors"
check "the finding has its lane" grep -q 'first in lane 0, thread (0, 0, 0) of block (0, 0, 0); lanes ffffffff' "$errors"
echo 'unwritten-shared vector_add.cp 0x000018' >"$folder/suppressions"
expect 0 '0 findings, 1 suppressed' $add --check --suppressions "$folder/suppressions"
expect 1 "teslapipe run: $folder: Is a directory" $add --check --suppressions "$folder"
printf '# %600s\nunwritten-shared\n' long >"$folder/suppressions"
expect 0 '0 findings, 1 suppressed' $add --check --suppressions "$folder/suppressions"
echo 'unwritten-nothing' >"$folder/suppressions"
expect 1 "teslapipe run: $folder/suppressions:1: a line is KIND [PROGRAM [ADDRESS]], KIND one of out-of-range, misaligned ..." \
    $add --check --suppressions "$folder/suppressions"
expect 4 '' $add --check --json "$folder/report.json"
check "JSON" python3 - "$folder/report.json" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
[finding] = report["findings"]
assert report["complete"] and report["suppressed"] == 0
assert finding["kind"] == "unwritten-shared" and finding["launch"] == 1 and finding["address"] == 0x18
assert finding["lane"] == 0 and finding["lanes"] == 0xffffffff and finding["count"] == 1024
assert finding["program"] == "vector_add.cp" and "s[0x10]" in finding["instruction"]
END
expect 2 '0 findings' replay tests/golden/streams/triangle.tpr --check --draw 2
expect 2 'teslapipe render: --json is for one scene' render all --check --json "$folder/report.json"
expect 2 'teslapipe run: --json goes with --check' $add --json "$folder/report.json"

# Kernels.
head -c 4096 /dev/urandom >"$folder/data"
data="--buffer 0=$folder/data --buffer 1=zero:4096 --buffer 2=zero:4096 --check"
for set in g200: gf100:fermi/ gk104:fermi/ g64:g64/; do
    kernel="-m ${set%:*} $data"
    place=demos/programs/compute/${set#*:}
    expect 0 '0 findings' run ${place}vector_add.cp --grid 4 --block 256 --param 1000 $kernel
    expect 0 '0 findings' run ${place}prefix_sum.cp --grid 1 --block 128 --param 1000 $kernel
    expect 0 '0 findings' run ${place}histogram.cp --grid 8 --block 128 --param 4096 $kernel
    expect 0 '0 findings' run ${place}matrix_multiply.cp --grid 2,2 --block 16,16 --param 32 $kernel
done

# Scenes.
"$program" render --check all --size 240x180 >"$folder/output" 2>"$errors"
check "scenes have no findings (exit code $?)" test $? = 0
check "each scene is checked" test "$(grep -c ': 0 findings$' "$errors")" -ge 9
# A scene whose vertex program does not write a word: the checker knows the facts of a scene's draws, too.
cp -r demos/programs "$folder/programs"
sed -i '/o\[0x14\]/d' "$folder/programs/triangle.vp"
TESLAPIPE_DATA=$folder expect 4 'triangle: 1 finding' render triangle --check
check "a scene's unwritten output is reported" grep -q 'unwritten-output: o\[0x14\] is read by later stages' "$errors"
check "with its draw" grep -q 'draw 1, triangle.vp .* exit mov b32 o\[0x18\]' "$errors"

# Recordings.
for archive in others shaders smoke fermi; do
    mkdir "$folder/$archive"
    tar -C "$folder/$archive" -xf tests/replays/$archive.tar.xz || exit 1
    "$program" replay --check "$folder/$archive"/*.tpr 2>"$errors" >/dev/null
    # findings come before the line of their recording
    awk '/^[a-z-]+: /{kind[n++] = substr($1, 1, length($1) - 1); next}
         /\.tpr: [0-9]+ finding/{name = $1; sub(".*/", "", name); sub("\\.tpr:", "", name)
             for (i = 0; i < n; i++) print name, kind[i]; n = 0}' "$errors" | sort -u >>"$folder/found"
    recordings=$((${recordings:-0} + $(ls "$folder/$archive" | wc -l)))
done
check "at least 100 recordings ($recordings)" test "$recordings" -ge 100
grep -v '^#' tests/replays/findings | cut -d' ' -f1,2 >"$folder/known"
if ! diff "$folder/known" "$folder/found" >"$errors"; then
    fail "recordings have other findings than tests/replays/findings lists:"
else
    pass
fi
checks_end
