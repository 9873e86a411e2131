#!/bin/sh
# The debugger's prompt on recorded draws: each case is a script and lines its output must have, in
# order; then bad input; then `teslapipe diff` on a recording with a mistake planted in a program. usage: debug.sh. Ends in "N passed, N failed".
set -u
program=${BUILD:-build}/teslapipe
streams=tests/golden/streams
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0
failed=0

check() { # name, what went wrong ("" = nothing)
    if [ -z "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL debug: $1: $2"
        sed 's/^/    /' "$folder/output"
    fi
}

# session NAME COMMANDS EXPECTED DEBUG-ARGUMENTS...: COMMANDS and EXPECTED are lines
session() {
    name=$1
    expected=$3
    printf '%s\n' "$2" >"$folder/script"
    shift 3
    "$program" debug "$@" -x "$folder/script" --batch >"$folder/output" 2>&1
    printf '%s\n' "$expected" >"$folder/expected"
    missing=$(awk 'NR == FNR { want[++n] = $0; next } at < n && index($0, want[at + 1]) { at++ }
                   END { if (at < n) print "no line \"" want[at + 1] "\"" }' \
        "$folder/expected" "$folder/output")
    check "$name" "$missing"
}

bad() { # exit code, text of the one line on stderr, debug-arguments...
    code=$1
    text=$2
    shift 2
    "$program" debug "$@" >/dev/null 2>"$folder/output" </dev/null
    got=$?
    wrong=
    [ "$got" -eq "$code" ] || wrong="exit $got instead of $code"
    [ "$(wc -l <"$folder/output")" -eq 1 ] && grep -q -e "$text" "$folder/output" ||
        wrong="$wrong; stderr is not one line with '$text'"
    check "debug $*" "$wrong"
}

session 'the last draw at a pixel, step by step' 's
s
info lanes' 'draw 2, pixel 30,30, hit 1
0: 0x07ff80  interp $r0 v[0x0]
$r0 = 0x3f800000 (1)
1: 0x07ff84  rcp f32 $r0 $r0
lane 28 is pixel 30,30' $streams/blend.tpr --pixel 30,30

session 'to the end and what came out' 'c
info result' 'the warp has ended after 7 instructions
colour 0: 0.9 0.2382812 0.2 0.6' $streams/blend.tpr --pixel 30,30

session 'backwards finds the past again' 's 5
back 3
s 1
back' '5: 0x07ffa0
2: 0x07ff88
3: 0x07ff90
2: 0x07ff88' $streams/blend.tpr --pixel 30,30

session 'breakpoints by operation, forwards and backwards' 'b rcp
c
c
rc' 'breakpoint 1 on rcp
1: 0x07ff84  rcp
the warp has ended
1: 0x07ff84  rcp' $streams/blend.tpr --pixel 30,30

session 'a watched register stops when it changes' 'watch $r2
c' 'watchpoint 1: $r2 in lane 28
watchpoint 1: $r2 in lane 28 is now 0x3e4ccccd (0.2)
5: 0x07ffa0' $streams/blend.tpr --pixel 30,30

session 'another value, another colour; gone again after going back' 's 6
set $r3 = 0.25
c
info result
back 7
c
info result' '$r3 = 0x3e800000 (0.25)
colour 0: 0.9 0.2382812 0.2 0.25
0: 0x07ff80
colour 0: 0.9 0.2382812 0.2 0.6' $streams/blend.tpr --pixel 30,30

session 'a pixel of another tile' 'info lanes' 'pixel 30,100, hit
is pixel 30,100' $streams/blend.tpr --pixel 30,100

session 'a geometry program, by primitive' 'c
info result' 'draw 1, primitive 0, hit 1
emitted vertices: 9' $streams/geometry.tpr --draw 1 --primitive 0

session 'a vertex program, by vertex' 'info lanes' 'draw 1, vertex 1, hit 1
lane 1 is vertex 1' $streams/triangle.tpr --draw 1 --vertex 1

bad 1 'no fragment of any draw lies there' $streams/blend.tpr --pixel 3000,1
bad 2 'there is no draw 1000' $streams/blend.tpr --pixel 30,30 --draw 1000
bad 2 'must be X,Y' $streams/blend.tpr --pixel 30
bad 2 'one of --pixel, --vertex and --primitive' $streams/blend.tpr
bad 1 'not a recording' README.md --pixel 1,1
bad 1 'No such file' /no/file --pixel 1,1
bad 1 'No such file' $streams/blend.tpr --pixel 30,30 -x /no/script

printf 'frobnicate\n' >"$folder/script"
"$program" debug $streams/blend.tpr --pixel 30,30 -x "$folder/script" --batch >"$folder/output" 2>&1
check 'a wrong command makes a script fail' "$([ $? -eq 1 ] || echo 'exit code is not 1')"

# mov b32 $r2 0.2 in the second draw's fragment program becomes 0.8
perl -0777 -pe 's/\x09\x80\x0d\x10\xcf\xcc\xe4\x03/\x09\x80\x0d\x10\xcf\xcc\xf4\x03/' \
    $streams/blend.tpr >"$folder/planted.tpr"
differ() { # name, exit code, text, files
    name=$1
    code=$2
    text=$3
    shift 3
    "$program" diff "$@" >"$folder/output" 2>&1
    got=$?
    wrong=
    [ $got -eq "$code" ] || wrong="exit $got"
    grep -q -e "$text" "$folder/output" || wrong="$wrong no line with '$text'"
    check "$name" "$wrong"
}
differ 'diff of equals' 0 '5 draws, the same pictures' $streams/blend.tpr $streams/blend.tpr
differ 'diff finds the draw' 1 'draw 2 is the first to differ: colour 0, 2340 texels, the first at 8,20' \
    $streams/blend.tpr "$folder/planted.tpr"
differ 'diff finds the instruction' 1 '0x07ff98  mov b32 $r2 0x3f4ccccd' \
    $streams/blend.tpr "$folder/planted.tpr"
differ 'diff of no recording' 1 'not a recording' $streams/blend.tpr README.md

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
