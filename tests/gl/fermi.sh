#!/usr/bin/env bash
# OpenGL 4.3 on a Fermi (tests/gl/fermi.c, tessellation.c), with both engines. The order of fragments' atomics, and the
# order and bits of tessellated primitives, are the same for any number of threads. Also stores of programs as causes of
# pixels, in a new recording of causes.c. Environment: BUILD, CHIPS.
. "$(dirname "$0")/both_drivers"
needs_headers EGL/egl.h GL/glcorearb.h
for program in fermi tessellation causes; do
    compile $program -lEGL -lGL -lm
done
declare -A renderer=([gf100]=NVC0 [gf108]=NVC1 [gf119]=NVD9)
run_program() { # program
    local chip run engine threads rc
    for chip in ${CHIPS:-gf108 gf119}; do
        [ -n "${renderer[$chip]:-}" ] || continue
        for run in "interp 1" "interp 4" "native 1" "native 5"; do
            read -r engine threads <<<"$run"
            timeout 60 "$BUILD/teslapipe" gl --chip "$chip" --engine "$engine" --threads "$threads" -- \
                "$BUILD/tests/gl/$1" "${renderer[$chip]}" >"$work/out" 2>"$work/log"
            rc=$?
            sed '$d' "$work/out" | grep -v '^order' | sed "s/^/$chip $run: /"
            if [[ $(tail -n 1 "$work/out") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
                passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
            fi
            # a crash, no OpenGL 4.3, or a complaint of the GPU
            if [ $rc -gt 1 ] || [ -s "$work/log" ]; then
                echo "$chip $run: exit $rc"
                head -n 5 "$work/log"
                failed=$((failed + 1))
            fi
            grep '^order' "$work/out" >>"$work/orders.$1"
        done
    done
}
for program in fermi tessellation; do
    run_program $program
    if [ "$(sort -u "$work/orders.$program" | wc -l)" = 1 ]; then
        passed=$((passed + 1))
    else
        echo "FAIL $program: the order depends on threads or engine"
        failed=$((failed + 1))
    fi
done
# The picture of causes.c, and the cause of one pixel.
"$BUILD/teslapipe" gl --chip gf108 --record "$work/causes.tpr" -- "$BUILD/tests/gl/causes" >"$work/out" 2>"$work/log"
"$BUILD/teslapipe" why "$work/causes.tpr" 22 6 >>"$work/out" 2>>"$work/log"
for line in '^5,9: 68 36 64 255$' '^18,12: 128 128 128 128$' '^18,20: 191 191 191 191$' '^22,6: 255 0 255 255$' \
    '^cause: an image store of launch 3 after draw 3 (cp, cp@[0-9a-f]*, thread 2,2,0 of block 0,0,0) at 0x'; do
    if grep -q "$line" "$work/out"; then
        passed=$((passed + 1))
    else
        echo "FAIL causes: no line $line"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
