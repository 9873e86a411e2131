#!/usr/bin/env bash
# OpenGL ES 3.1 compute shaders (tests/gl/compute.c) on GT215 and on a Fermi; the driver has them on GT215 to GT218 and
# on Fermis. Environment: BUILD, CHIPS.
. "$(dirname "$0")/both_drivers"
needs_headers EGL/egl.h GL/glcorearb.h
compile compute -lEGL -lGL
declare -A renderer=([gt215]=NVA3 [gt216]=NVA5 [gt218]=NVA8 [gf108]=NVC1 [gf119]=NVD9)
skipped=0
for chip in ${CHIPS:-gt215 gt218 gf108}; do
    [ -n "${renderer[$chip]:-}" ] || { skipped=$((skipped + 1)); continue; }
    timeout 60 "$BUILD/teslapipe" gl --chip "$chip" -- "$compiled" "${renderer[$chip]}" >"$work/out" 2>"$work/log"
    rc=$?
    sed '$d' "$work/out" | sed "s/^/$chip: /"
    if [[ $(tail -n 1 "$work/out") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
    fi
    # a crash, no OpenGL ES 3.1, or a complaint of the GPU
    if [ $rc -gt 1 ] || [ -s "$work/log" ]; then
        echo "$chip: exit $rc"
        head -n 5 "$work/log"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
