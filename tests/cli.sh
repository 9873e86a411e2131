#!/bin/sh
# The command line's manners: help and exit codes 0/1/2, one clear line on stderr for bad input
# (unknown commands, scenes, options; impossible sizes; missing and broken data files).
# usage: cli.sh [TESLAPIPE]. Prints a line per failed check and "N passed, N failed".
set -u
program=${1:-${BUILD:-build}/teslapipe}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0
failed=0

expect() { # exit code, text in the one line on stderr ("" = nothing there), arguments...
    code=$1
    text=$2
    shift 2
    "$program" "$@" >"$folder/output" 2>"$folder/errors"
    got=$?
    if [ -z "$text" ]; then
        said=$([ -s "$folder/errors" ] || echo right)
    else
        said=$([ "$(wc -l <"$folder/errors")" -eq 1 ] && grep -q -e "$text" "$folder/errors" &&
            echo right)
    fi
    if [ "$got" -eq "$code" ] && [ "$said" = right ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL cli: teslapipe $*: exit $got (expected $code), stderr (expected '$text'):"
        sed 's/^/    /' "$folder/errors"
    fi
}

expect 0 '' --help
for command in view render bench compare; do
    expect 0 '' $command --help
done
expect 2 'no command named frobnicate' frobnicate
expect 2 'which scene' render
expect 2 'no scene named teapott; there are: triangle teapot' render teapott
expect 2 'no scene named x' view x
expect 2 'no scene named x' bench x
expect 2 'unknown option --colour' render triangle --colour
expect 2 '--size needs' render triangle --size
for size in 0x240 320x0 320 x 320x240x1 -5x7 99999x99999 8193x10 320X240; do
    expect 2 'must be WIDTHxHEIGHT' render triangle --size=$size -o "$folder"
done
expect 2 '--threads 0' render triangle --threads 0 -o "$folder"
expect 2 '--frames many' render triangle --frames many -o "$folder"
expect 2 'SIMD' render triangle --simd mmx -o "$folder"
expect 0 '' render triangle --size 1x1 -o "$folder"
expect 0 '' render triangle --size 64x48 --frames 3 -o "$folder"
for i in 0 1 2; do
    [ -s "$folder/triangle-000$i.png" ] || { failed=$((failed + 1)); echo "FAIL cli: frame $i"; }
done
expect 1 'proc' render triangle --size 8x8 -o /proc/nowhere
expect 1 'nowhere.obj' render model --model "$folder/nowhere.obj" -o "$folder"
echo 'not a model' >"$folder/broken.obj"
expect 1 'broken.obj' render model --model "$folder/broken.obj" -o "$folder"
cat >"$folder/quad.obj" <<'END'
mtllib quad.mtl
v 0 0 0
v 1 0 0
v 0 1 0
vt 0 0
usemtl paper
f 1/1 2/1 3/1
END
printf 'newmtl paper\nmap_Kd paper.png\n' >"$folder/quad.mtl"
expect 1 'paper.png' render model --model "$folder/quad.obj" -o "$folder"
echo 'not a picture' >"$folder/paper.png"
expect 1 'paper.png' render model --model "$folder/quad.obj" -o "$folder"

expect 2 'two pictures' compare "$folder/triangle.png"
expect 1 'paper.png' compare "$folder/triangle.png" "$folder/paper.png"
expect 1 ' is 1x1, ' compare "$folder/triangle.png" "$folder/triangle-0000.png"
expect 0 '' compare "$folder/triangle.png" "$folder/triangle.png"

export TESLAPIPE_DATA="$folder/data"
expect 1 'triangle.vp not found' render triangle -o "$folder"
mkdir -p "$folder/data/programs"
echo 'frobnicate $r0' >"$folder/data/programs/triangle.vp"
expect 1 'triangle.vp:1:1: ' render triangle -o "$folder"
cp "$(dirname "$0")/../demos/programs/triangle.vp" "$folder/data/programs/triangle.vp"
echo 'again: bra #again' >"$folder/data/programs/triangle.fp"
expect 1 'triangle.fp.*TIMEOUT' render triangle --size 64x48 -o "$folder"
unset TESLAPIPE_DATA

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
