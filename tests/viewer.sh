#!/bin/sh
# The viewer in a window, under Xvfb: it starts, shows its scene in the title, switches scenes by
# synthetic keys, resizes, saves a PNG of the window's size, shows help, survives a broken scene,
# and exits cleanly; without a display it renders a file instead.
# usage: viewer.sh [TESLAPIPE]. Prints a line per failed check and "N passed, N failed".
set -u
program=${1:-${BUILD:-build}/teslapipe}
for tool in Xvfb xdotool; do
    command -v $tool >/dev/null || {
        echo "$tool is not installed"
        echo "0 passed, 0 failed, 1 skipped"
        exit 0
    }
done

folder=$(mktemp -d)
server=
viewer=
passed=0
failed=0
finish() {
    [ -n "$viewer" ] && kill "$viewer" 2>/dev/null
    [ -n "$server" ] && kill "$server" 2>/dev/null
    rm -rf "$folder"
}
trap finish EXIT INT TERM

check() { # description, command...
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL viewer: $what"
        sed 's/^/    /' "$folder/errors" 2>/dev/null
    fi
}
eventually() { # command..., up to 20 s
    for _ in $(seq 200); do
        "$@" && return 0
        sleep 0.1
    done
    return 1
}
title_has() { xdotool getwindowname "$window" 2>/dev/null | grep -q "$1"; }
find_window() {
    window=$(xdotool search --name '^teslapipe' 2>/dev/null | head -n 1) && [ -n "$window" ]
}
press() { xdotool key --window "$window" "$1"; }
saved_name() { grep -q "$1" "$folder/output"; }
gone() { ! kill -0 "$viewer" 2>/dev/null; }
png_size() { # file WIDTHxHEIGHT, from the IHDR chunk
    [ "$(od -An -tu1 -j16 -N8 "$1" | awk '{print ($3 * 256 + $4) "x" ($7 * 256 + $8)}')" = "$2" ]
}

Xvfb -displayfd 3 -screen 0 1024x768x24 3>"$folder/display" 2>/dev/null &
server=$!
eventually [ -s "$folder/display" ] || { echo "FAIL viewer: Xvfb does not start"; exit 1; }
export DISPLAY=:$(cat "$folder/display") SDL_VIDEODRIVER=x11
unset WAYLAND_DISPLAY
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # SDL's libraries (dbus) leak

start() { # arguments of view
    "$program" view "$@" --size 320x240 -o "$folder" >"$folder/output" 2>"$folder/errors" &
    viewer=$!
}

start triangle
check "a window appears" eventually find_window
check "the title shows scene, resolution and time" \
    eventually title_has 'triangle - 320x240 - .* ms - .* warps, .* fragments'
press Next
check "Page Down shows the next scene" eventually title_has 'teapot'
press Left
check "Left goes back" eventually title_has 'triangle'
press Up
check "Up wraps round to the last scene" eventually title_has 'lights'
press Right
check "Right wraps round to the first" eventually title_has 'triangle'
press space
check "space pauses" eventually title_has 'paused'
xdotool windowsize "$window" 400 200
check "the target follows the window" eventually title_has '400x200'
press F1
press w
press s
check "s saves a picture and prints its path" eventually saved_name 'triangle-000.png'
check "the picture has the window's size" png_size "$folder/triangle-000.png" 400x200
press q
check "q closes the viewer" eventually gone
wait "$viewer"
check "it exits cleanly" [ $? -eq 0 ]
check "it has nothing to complain about" [ ! -s "$folder/errors" ]

start model --model "$folder/nowhere.obj"
check "a window appears for a missing model too" eventually find_window
check "the missing model is reported" eventually grep -q nowhere.obj "$folder/errors"
press Right
check "the viewer goes on to other scenes" eventually title_has 'mandelbrot'
press Escape
check "Escape closes the viewer" eventually gone
wait "$viewer"
check "it exits cleanly after a broken scene" [ $? -eq 0 ]

start triangle --frames 3
check "--frames ends by itself" eventually gone
wait "$viewer"
check "and cleanly" [ $? -eq 0 ]
viewer=

env -u DISPLAY SDL_VIDEODRIVER=x11 "$program" view triangle --size 64x48 -o "$folder" \
    >"$folder/output" 2>"$folder/errors"
check "without a display the exit code is 0" [ $? -eq 0 ]
check "without a display it says so" grep -q 'no display' "$folder/errors"
env -u DISPLAY -u SDL_VIDEODRIVER timeout 20 "$program" view triangle --size 64x48 -o "$folder" \
    >/dev/null 2>"$folder/errors"
check "without any video driver it says so and ends" grep -q 'no display' "$folder/errors"
check "without a display it renders" png_size "$folder/triangle.png" 64x48

"$program" view nosuchscene >"$folder/output" 2>"$folder/errors"
check "an unknown scene is a usage error" [ $? -eq 2 ]
check "with one line that lists the scenes" [ "$(grep -c 'teapot' "$folder/errors")" = 1 ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
