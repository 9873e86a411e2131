#!/usr/bin/env bash
# teslapipe gl --check, and the warning if a program draws with another driver. Environment: BUILD, CHIPS.
. "$(dirname "$0")/both_drivers"
needs_driver
server=
trap '[ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
. tests/display
for chip in ${CHIPS:-gt215 g80 g84 g200}; do
    "$BUILD/teslapipe" gl --chip "$chip" --check >"$work/log" 2>&1
    check "$chip: everything is there" [ $? -eq 0 ]
    check "$chip: the triangle is right" grep -q '^ok *triangle *[0-9]* of' "$work/log"
done
env -u DISPLAY -u WAYLAND_DISPLAY "$BUILD/teslapipe" gl --check >"$work/log" 2>&1
check "without a display it says that there is no window" grep -q '^partly *window *no display' "$work/log"
mkdir "$work/a place"
cp "$BUILD"/{teslapipe,teslapipe-interactive,libteslapipe-drm.so} "$work/a place"
"$work/a place/teslapipe" gl --check >"$work/log" 2>&1
check "in a folder with a space in its name it works, too" [ $? -eq 0 ]
__EGL_VENDOR_LIBRARY_FILENAMES=$work/none "$BUILD/teslapipe" gl --check >"$work/log" 2>&1
check "without Mesa it fails" [ $? -eq 1 ]
check "and says at what" grep -q '^MISSING' "$work/log"

if command -v glxgears >/dev/null && command -v Xvfb >/dev/null; then
    open_display 320x240 || fail_all "Xvfb does not start"
    timeout -s INT 4 "$BUILD/teslapipe" gl -- glxgears >"$work/log" 2>&1
    "$BUILD/teslapipe" gl --check >"$work/log2" 2>&1
    check "with one it says so" grep -qE '^(ok|partly) *window *a display' "$work/log2"
    check "without DRI3 a program is told of its renderer" grep -qE 'llvmpipe is loaded, in .*(dri|gallium)' "$work/log"
    check "and what to do" grep -q 'gl --window' "$work/log"
    timeout -s INT 4 "$BUILD/teslapipe" gl -- env LIBGL_ALWAYS_SOFTWARE=1 glxgears >"$work/log" 2>&1
    check "of a variable that asks for another driver, too" grep -q 'other driver: LIBGL_ALWAYS_SOFTWARE=1' "$work/log"
fi
"$BUILD/teslapipe" gl -- true >"$work/log" 2>&1
check "a program that draws nothing is told nothing" [ ! -s "$work/log" ]
checks_end 0
