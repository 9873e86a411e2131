#!/usr/bin/env bash
# Programs on a display device (teslapipe gl --kms): kmscube without a window; in a window, under Xvfb with xdotool, an
# SDL2 program on SDL's kmsdrm driver with keys and mouse, and weston's DRM backend. Environment: BUILD, CC.
. "$(dirname "$0")/both_drivers"
needs_driver
server= program=
trap 'kill $server $program 2>/dev/null; wait $program 2>/dev/null; rm -rf "$work"' EXIT
errors=$work/errors
. tests/display

${CC:-clang-19} -std=gnu17 -O1 -o "$work/still" tests/gl/window.c $(pkg-config --cflags --libs sdl2 libpng) -lGL ||
    fail_all "window.c does not compile"
${CC:-clang-19} -std=gnu17 -O1 -o "$work/latency" tests/gl/latency.c -lX11 || fail_all "latency.c does not compile"
private_runtime # after the compilers, which may put files into the user's runtime folder

if command -v kmscube >/dev/null; then
    mkfifo "$work/quiet" # the program ends when its input ends
    timeout 60 "$BUILD/teslapipe" gl --kms --headless --size 320x240 --seconds 3 --png "$work/cube.png" -- \
        kmscube <>"$work/quiet" >"$work/out" 2>"$work/errors"
    check "kmscube: many frames" said 'gt215: [0-9]\{2,\} frames'
    check "kmscube: a cube before grey" [ "$(stat -c %s "$work/cube.png")" -gt 5000 ]
    nothing_left "kmscube"
fi

for tool in Xvfb xdotool; do
    command -v $tool >/dev/null || { echo "no $tool"; checks_end 1; exit; }
done
open_display 1000x700 || fail_all "Xvfb does not start"
start --kms --size 320x200 -o "$work" -- "$work/still" "$work/sdl"
check "SDL: a window appears" eventually find_window 'display - teslapipe'
check "SDL: on its kmsdrm driver" eventually said 'NVA3 on KMSDRM'
xdotool mousemove --window "$window" 50 60
check "SDL: the pointer moves" eventually said 'motion 50 60'
xdotool click 1
check "SDL: a click reaches it" eventually said 'button 1 at 50 60'
xdotool click 4
check "SDL: the wheel reaches it" eventually said 'wheel 1'
xdotool key --window "$window" a
check "SDL: a key reaches it" eventually said '^key A$'
check "SDL: and the picture, within a frame" seen_within_a_frame
xdotool key --window "$window" p
check "SDL: its own picture" eventually said "saved .*sdl-0.png"
sleep 0.5
new_size >/dev/null
check "SDL: the window's is the same" "$BUILD/teslapipe" compare "$work/sdl-0.png" "$(pictures | tail -n 1)"
kill "$program"
wait "$program" 2>/dev/null
nothing_left "SDL"

if command -v weston >/dev/null; then
    start --kms --size 640x480 -o "$work" -- weston --backend=drm-backend.so --idle-time=0
    check "weston: a window appears" eventually find_window 'display - teslapipe'
    check "weston: it draws its background" eventually background
    xdotool mousemove --window "$window" 20 15
    sleep 0.5
    xdotool click 1
    check "weston: its button opens a terminal" eventually terminal
    kill "$program"
    wait "$program" 2>/dev/null
    nothing_left "weston"
fi
program=
checks_end 0
