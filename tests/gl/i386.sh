#!/usr/bin/env bash
# 32-bit programs: the scenes of tests/gl/scenes.c, built for i386 and for this machine, draw the same pictures. Needs
# `make i386` and a Mesa for i386: Debian's packages (libgl1-mesa-dri:i386, libegl1:i386, libgl1:i386), installed or
# unpacked in the folder I386. Environment: BUILD, CC, CHIPS, I386.
. "$(dirname "$0")/both_drivers"
root=${I386:-}
libraries=$root/usr/lib/i386-linux-gnu
[ -e "$BUILD/lib/i386-linux-gnu/libteslapipe-drm.so" ] || skip_all "no library for 32-bit programs (make i386)"
[ -e "$libraries/dri/nouveau_dri.so" ] || skip_all "no Mesa for i386"
${CC:-clang-19} -std=gnu17 -O1 -o "$work/long" tests/gl/scenes.c -lEGL -lGL -lm || fail_all "scenes.c does not compile"
${CC:-clang-19} -m32 -msse2 -mfpmath=sse -std=gnu17 -O1 -idirafter /usr/include/x86_64-linux-gnu -o "$work/short" \
    tests/gl/scenes.c -L"$libraries" -l:libEGL.so.1 -l:libGL.so.1 -lm -Wl,-rpath-link,"$libraries" 2>/dev/null ||
    skip_all "no compiler for i386 (libc6-dev-i386, lib32gcc-12-dev)"
short=("$work/short")
[ -n "$root" ] && short=(env "LD_LIBRARY_PATH=$libraries:$root/lib/i386-linux-gnu" "LIBGL_DRIVERS_PATH=$libraries/dri"
    "$work/short")
declare -A renderer=([gt215]=NVA3 [g80]=NV50 [g84]=NV84 [g200]=NVA0)
for chip in ${CHIPS:-gt215 g80}; do
    [ "$(EGL_PLATFORM=surfaceless "$BUILD/teslapipe" gl --chip "$chip" -- "${short[@]}" --renderer)" = "${renderer[$chip]}" ] ||
        fail_all "$chip: a 32-bit program does not draw on teslapipe"
    for scene in $("$work/long" --list); do
        for kind in long short; do
            program=("$work/long")
            [ $kind = short ] && program=("${short[@]}")
            rm -f "$work/$kind.raw"
            EGL_PLATFORM=surfaceless timeout 60 "$BUILD/teslapipe" gl --chip "$chip" -- "${program[@]}" "$scene" \
                "$work/$kind.raw" 2>"$work/log"
        done
        if cmp -s "$work/long.raw" "$work/short.raw"; then passed=$((passed + 1)); else
            echo "$chip $scene: the 32-bit program's picture differs"
            head -n 3 "$work/log"
            failed=$((failed + 1))
        fi
    done
done
# The same with a display (--kms), which also needs libpng16-16:i386 and libgbm1:i386.
skipped=0
paths=("-L$libraries" "-L$root/lib/i386-linux-gnu" "-Wl,-rpath-link,$libraries:$root/lib/i386-linux-gnu")
if ${CC:-clang-19} -m32 -msse2 -mfpmath=sse -D_FILE_OFFSET_BITS=64 -std=gnu17 -O1 -idirafter /usr/include/x86_64-linux-gnu \
    $(pkg-config --cflags libdrm libpng) -o "$work/short" tests/gl/kms.c "${paths[@]}" -l:libEGL.so.1 -l:libGL.so.1 \
    -l:libgbm.so.1 -l:libdrm.so.2 -l:libpng16.so.16 -lm 2>/dev/null; then
    timeout 200 "$BUILD/teslapipe" gl --kms --headless --size 200x120 -o "$work" -- "${short[@]}" NVA3 "$work" \
        >"$work/out" 2>"$work/log"
    grep FAIL "$work/out"
    if tail -n 1 "$work/out" | grep -q ', 0 failed'; then passed=$((passed + 1)); else
        echo "a display for 32-bit programs: $(tail -n 1 "$work/out" "$work/log")"
        failed=$((failed + 1))
    fi
else
    skipped=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
