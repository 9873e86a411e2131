#!/usr/bin/env bash
# teslapipe gl --record FILE --keep-source: each draw has the GLSL of its program, whichever way the program found
# OpenGL's functions (tests/gl/keep.c). `why --source`, `debug`, `replay --html` and `glsl --from-recording` show it.
# Environment: BUILD, CHIPS, CC.
. "$(dirname "$0")/both_drivers"
needs_headers EGL/egl.h GL/glcorearb.h
compile keep -lEGL -lGL
teslapipe=$BUILD/teslapipe
names=(first second third second) # the uniforms of the programs, by quarters of the target

record() { # file, chip, way, options...
    local file=$1 chip=$2 way=$3
    shift 3
    "$teslapipe" gl --chip "$chip" --record "$file" "$@" -- "$BUILD/tests/gl/keep" "$way" 2>"$errors"
}
for chip in ${CHIPS:-gt215 gf108}; do
    for way in linked egl dlsym; do
        check "$chip $way: runs" record "$work/$way.tpr" "$chip" $way --keep-source
        check "$chip $way: says nothing" [ ! -s "$errors" ]
        for quarter in 0 1 2 3; do
            check "$chip $way: the source of quarter $quarter" grep -q "color = ${names[quarter]}_source + 0.[0-9]*; }.* | 0x" \
                <("$teslapipe" why "$work/$way.tpr" $((16 * quarter + 8)) 32 --source | tr '\n' ' ')
        done
    done
done
file=$work/egl.tpr
check "why without --source shows none" bash -c "! '$teslapipe' why '$file' 8 32 | grep -q _source"
check "debug shows the source" grep -q '^     4  void main() { color = third_source + 0.25; }$' \
    <(printf 'glsl\nquit\n' | "$teslapipe" debug "$file" --pixel 40,32)
check "debug takes no line" grep -q 'does not say to which lines' <(printf 'glsl 4\nquit\n' | "$teslapipe" debug "$file" --pixel 40,32 2>&1)
"$teslapipe" replay "$file" --html "$work/page" >/dev/null 2>"$errors"
check "the page has a source for each program" \
    [ "$(grep -c 'pre class="glsl"' "$work/page/index.html")" = "$(grep -c '<section class="program"' "$work/page/index.html")" ]
for name in first second third; do
    check "the page has the source of $name" grep -q "color = ${name}_source" "$work/page/index.html"
done
"$teslapipe" glsl --from-recording "$file" --draw 3 --name third -o "$work/out" --html 2>"$errors"
check "glsl --from-recording writes the source" grep -q third_source "$work/out/third.frag"
check "and the page" grep -q third_source "$work/out/third.html"
# for a recording without GLSL, a message says how to get it; the pixels are the same
record "$work/plain.tpr" gt215 egl
record "$work/kept.tpr" gt215 egl --keep-source
check "without --keep-source: why says so" grep -q -e '--keep-source. keeps it' <("$teslapipe" why "$work/plain.tpr" 8 32 --source | tr '\n' ' ')
check "without --keep-source: debug says so" grep -q 'no GLSL is known' <(printf 'glsl\nquit\n' | "$teslapipe" debug "$work/plain.tpr" --pixel 8,32)
for kind in plain kept; do
    "$teslapipe" replay "$work/$kind.tpr" -o "$work/$kind" >/dev/null 2>"$errors"
done
check "the same picture" diff -r "$work/plain" "$work/kept"
refuses 2 '--keep-source goes with --record' "$teslapipe" gl --keep-source -- true
checks_end
