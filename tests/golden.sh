#!/bin/sh
# Golden images: draws every demo scene at 320x240 with 1, 2 and 5 threads and with every SIMD level
# of this CPU, and compares each picture with tests/golden/SCENE.png, exactly. On a mismatch the
# picture stays in BUILD/golden beside a difference picture, whose path is printed.
# usage: golden.sh [--update]. --update draws the golden images anew first: look at them.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
program=$build/teslapipe
out=$build/golden
rm -rf "$out"
mkdir -p "$out" || exit 1
passed=0
failed=0

draw() { # folder, options...
    folder=$1
    shift
    "$program" render all -o "$folder" --size 320x240 --time 2.5 "$@" \
        >"$out/list" 2>"$out/errors" || {
        echo "FAIL golden: render all $*:"
        cat "$out/errors"
        failed=$((failed + 1))
    }
}
check() { # name, render options...
    name=$1
    shift
    draw "$out/$name" "$@"
    while read -r path; do
        scene=$(basename "$path" .png)
        if "$program" compare "$path" "tests/golden/$scene.png" \
            -o "$out/$name/$scene-difference.png"; then
            passed=$((passed + 1))
            rm -f "$path"
        else
            failed=$((failed + 1))
        fi
    done <"$out/list"
}

if [ "${1:-}" = --update ]; then
    draw tests/golden
    cat "$out/list"
fi
for threads in 1 2 5; do
    check "threads-$threads" --threads $threads
done
levels=base
grep -q ' avx2 ' /proc/cpuinfo && levels="$levels avx2"
grep -q ' avx512vl ' /proc/cpuinfo && levels="$levels avx512"
for level in $levels; do
    check "simd-$level" --simd $level
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
