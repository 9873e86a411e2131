#!/usr/bin/env bash
# The scenes of tests/gl/scenes.c under llvmpipe and under teslapipe, picture by picture. A pixel differs if a channel
# differs by more than 2 of 255. Edges may move (llvmpipe snaps and filters in its own way), so a scene may have some
# different pixels. GL_RENDERER must name the chip. Environment: BUILD (build folder), CHIPS (default: gt215 g80 g84
# g200 gf108).
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
work=$BUILD/gl
mkdir -p "$work"
if ! ls /usr/lib/*/dri/nouveau_dri.so >/dev/null 2>&1 || [ ! -x "$BUILD/teslapipe" ]; then
    echo "nouveau_dri.so or $BUILD/teslapipe is missing"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
cc=${CC:-clang-19}
if ! $cc -O1 -o "$work/scenes" tests/gl/scenes.c -lEGL -lGL -lm ||
   ! $cc -O1 -o "$work/compare" tests/gl/compare.c; then
    echo "0 passed, 1 failed"
    exit 1
fi
export MESA_SHADER_CACHE_DISABLE=true
passed=0 failed=0
# how many of 16384 pixels may differ in a scene, if not 60
declare -A allowed=([multisample]=400 [points_lines]=250 [texture]=1600 [lod_and_fetch]=100 [flow]=300 [cube_map]=120 [render_to_texture]=200)
declare -A name=([gt215]=NVA3 [g80]=NV50 [g84]=NV84 [g200]=NVA0 [gf108]=NVC1)
for chip in ${CHIPS:-gt215 g80 g84 g200 gf108}; do
    renderer=$("$BUILD/teslapipe" gl --chip "$chip" -- "$work/scenes" --renderer 2>&1)
    if [ "$renderer" != "${name[$chip]}" ]; then
        echo "$chip: GL_RENDERER is '$renderer', not ${name[$chip]}"
        failed=$((failed + 1))
        continue
    fi
    passed=$((passed + 1))
    for scene in $("$work/scenes" --list); do
        # Class 5097 has no view levels: the driver makes every mip level from level 0 there, so the scene is skipped.
        [ "$chip $scene" = "g80 render_to_texture" ] && continue
        # LIBGL_ALWAYS_SOFTWARE keeps a machine with a GPU from using it for the reference.
        [ -s "$work/$scene.ref" ] || LIBGL_ALWAYS_SOFTWARE=true "$work/scenes" "$scene" "$work/$scene.ref"
        rm -f "$work/$scene.raw"
        timeout 60 "$BUILD/teslapipe" gl --chip "$chip" -- "$work/scenes" "$scene" "$work/$scene.raw" 2>"$work/log"
        rc=$?
        if [ $rc -eq 0 ] && result=$("$work/compare" "$work/$scene.ref" "$work/$scene.raw" "${allowed[$scene]:-60}" 2) &&
           ! [ -s "$work/log" ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "$chip $scene: exit $rc, ${result:-}"
            head -n 5 "$work/log"
        fi
    done
done
# New recordings show the same pictures as the recordings in tests/golden/streams.
for stream in tests/golden/streams/*.tpr; do
    scene=$(basename "$stream" .tpr)
    rm -rf "$work/live" "$work/kept"
    if timeout 60 "$BUILD/teslapipe" gl --chip gt215 --record "$work/live.tpr" -- "$work/scenes" "$scene" "$work/live.raw" 2>"$work/log" &&
       "$BUILD/teslapipe" replay "$work/live.tpr" -o "$work/live" >/dev/null 2>>"$work/log" &&
       "$BUILD/teslapipe" replay "$stream" -o "$work/kept" >/dev/null 2>>"$work/log" &&
       "$BUILD/teslapipe" compare "$work/live/color0.png" "$work/kept/color0.png" >>"$work/log"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$scene: recorded and replayed it looks different"
        head -n 5 "$work/log"
    fi
done
rm -f "$work"/*.ref
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
