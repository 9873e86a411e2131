#!/bin/sh
# Golden images: draws every demo scene at 320x240 with 1, 2 and 5 threads and with every SIMD level
# of this CPU, and compares each picture with tests/golden/SCENE.png, exactly. On a mismatch the
# picture stays in BUILD/golden beside a difference picture, whose path is printed.
# usage: golden.sh [--update]. --update draws the golden images anew first: look at them.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
program=$build/teslapipe
out=$build/golden
rm -rf "$out"
mkdir -p "$out" || exit 1
errors=$out/errors
. tests/checks

draw() { # folder, options...
    folder=$1
    shift
    "$program" render all -o "$folder" --size 320x240 --time 2.5 "$@" \
        >"$out/list" 2>"$errors" || fail "render all $*:"
}
compare_all() { # name, render options...
    name=$1
    shift
    draw "$out/$name" "$@"
    while read -r path; do
        scene=$(basename "$path" .png)
        if "$program" compare "$path" "tests/golden/$scene.png" \
            -o "$out/$name/$scene-difference.png"; then
            pass
            rm -f "$path"
        else
            fail "$name: $scene"
        fi
    done <"$out/list"
}

if [ "${1:-}" = --update ]; then
    draw tests/golden
    cat "$out/list"
fi
for threads in 1 2 5; do
    compare_all "threads-$threads" --threads $threads
done
levels=base # and those of the processor and the build
for level in avx2 avx512; do
    "$BUILD/teslapipe" render triangle --simd $level --size 8x8 -o "$out" >/dev/null 2>&1 && levels="$levels $level"
done
for level in $levels; do
    compare_all "simd-$level" --simd $level
done
checks_end
