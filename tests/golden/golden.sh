#!/bin/sh
# Golden images: draws every demo scene at two sizes and times with 1, 2 and 5 threads at the best SIMD level, and at
# every other level of this CPU, and compares each picture exactly: 320x240 with tests/golden/SCENE.png, 131x203 with
# tests/golden/SCENE-131x203.png. A frame that is drawn after another one has to be the same. Pictures by the fast
# arithmetic may differ a little. On a mismatch the picture stays in BUILD/golden, beside a difference picture whose
# path is printed. With SHORT (environment), each scene is drawn once at each size.
# usage: golden.sh [--update]. --update draws the golden images anew first: look at them.
. "$(dirname "$0")/../checks"
build=${BUILD:-build}
program=$build/teslapipe
out=$build/golden
rm -rf "$out"
mkdir -p "$out" || exit 1
errors=$out/errors

draw() { # folder, render options...
    folder=$1
    shift
    "$program" render all -o "$folder" "$@" >"$out/list" 2>"$errors" || fail "render all $*:"
}
# Compares the pictures in the list with the golden ones and removes those that are the same.
compare_list() { # name, end of the pictures' names, end of the golden pictures' names
    while read -r path; do
        scene=$(basename "$path" "$2")
        if "$program" compare "$path" "tests/golden/$scene$3" \
            -o "${path%.png}-difference.png"; then
            pass
            rm -f "$path"
        else
            fail "$1: $scene"
        fi
    done <"$out/list"
}
large='--size 320x240 --time 2.5'
small='--size 131x203 --time 1.5'
compare_all() { # name, render options...
    name=$1
    shift
    draw "$out/$name" $large "$@"
    compare_list "$name" .png .png
    draw "$out/$name-small" $small "$@"
    compare_list "$name, small" .png -131x203.png
}

if [ "${1:-}" = --update ]; then
    draw tests/golden $large
    cat "$out/list"
    draw "$out/update" $small
    while read -r path; do
        mv "$path" "tests/golden/$(basename "$path" .png)-131x203.png"
        echo "tests/golden/$(basename "$path" .png)-131x203.png"
    done <"$out/list"
fi
if [ -n "${SHORT:-}" ]; then
    compare_all threads-2 --threads 2
    checks_end
    exit
fi
for threads in 1 2 5; do
    compare_all "threads-$threads" --threads $threads
done
best=base levels=base # levels that the processor and the build have; the best one is drawn above
for level in avx2 avx512; do
    "$program" render triangle --simd $level --size 8x8 -o "$out" >/dev/null 2>&1 || continue
    compare_all "simd-$best" --simd $best
    best=$level levels="$levels $level"
done
draw "$out/interp" $small --engine interp
compare_list "interpreter, small" .png -131x203.png
# The fast arithmetic: nearly the same pictures, and the same bits at every level.
draw "$out/fast" $large --fast
while read -r path; do
    check "fast: $(basename "$path")" "$program" compare "$path" "tests/golden/$(basename "$path")" --tolerance 2 --allow 1
done <"$out/list"
for level in $levels; do
    draw "$out/fast-$level" $large --fast --simd $level
    while read -r path; do
        check "fast, $level: $(basename "$path")" cmp "$path" "$out/fast/$(basename "$path")"
    done <"$out/list"
done
# A frame is the same after other frames: frame 45 of 30 frames a second.
draw "$out/frames" --size 131x203 --time 0 --frames 43-45/2
ls "$out"/frames/*-0045.png >"$out/list"
compare_list "after another frame" -0045.png -131x203.png
checks_end
