#!/usr/bin/env bash
# A display device (teslapipe gl --kms): tests/gl/kms.c without a window; kmscube; under Xvfb with xdotool an SDL2
# program on SDL's kmsdrm driver, with its keys and mouse, and weston's DRM backend. Environment: BUILD, CC, CHIPS.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=$(realpath "${BUILD:-build}")
. tests/gl/both_drivers.sh
ls /usr/lib/*/dri/nouveau_dri.so >/dev/null 2>&1 || skip_all "Mesa's nouveau driver is not installed"
[ -x "$BUILD/teslapipe" ] || fail_all "$BUILD/teslapipe is missing"
work=$(mktemp -d) || exit 1
export XDG_RUNTIME_DIR=$work/run
mkdir -m 700 "$XDG_RUNTIME_DIR"
server= program=
trap 'kill $server $program 2>/dev/null; wait $program 2>/dev/null; rm -rf "$work"' EXIT
passed=0 failed=0
check() { # what, command...
    local what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else
        echo "FAIL: $what"
        failed=$((failed + 1))
    fi
}
eventually() { # command...: true within 20 seconds
    for _ in $(seq 200); do
        "$@" && return 0
        sleep 0.1
    done
    return 1
}
tidy() { [ -z "$(ls "$XDG_RUNTIME_DIR")" ] && ! grep -sqz "TESLAPIPE_WINDOW=$XDG_RUNTIME_DIR" /proc/[0-9]*/environ; }
said() { grep -q -e "$1" "$work/out"; }
find_window() { window=$(xdotool search --name "$1" 2>/dev/null | tail -n 1) && [ -n "$window" ]; }
start() { # options and program...
    : >"$work/out"
    "$BUILD/teslapipe" gl --kms "$@" >"$work/out" 2>"$work/errors" &
    program=$!
}
size_of() { stat -c %s "$(ls "$work"/teslapipe-*.png 2>/dev/null | tail -n 1)"; }
new_size() { # bytes of a picture asked for now
    kill -USR1 "$program"
    sleep 0.3
    size_of
}

${CC:-cc} -std=gnu17 -O1 -Wall -Wextra -o "$work/kms" tests/gl/kms.c $(pkg-config --cflags --libs libdrm libpng) \
    -lEGL -lGL -lgbm || fail_all "kms.c does not compile"
declare -A renderer=([gt215]=NVA3 [g80]=NV50 [g84]=NV84 [g200]=NVA0)
for chip in ${CHIPS:-gt215 g80}; do
    mkdir "$work/$chip"
    timeout 120 "$BUILD/teslapipe" gl --kms --headless --chip "$chip" --size 200x120 -o "$work/$chip" -- \
        "$work/kms" "${renderer[$chip]}" "$work/$chip" >"$work/out" 2>"$work/log"
    rc=$?
    grep FAIL "$work/out" | sed "s/^/$chip: /"
    if [[ $(tail -n 1 "$work/out") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
    fi
    check "$chip: kms ends as it should" [ $rc -le 1 ]
    check "$chip: the GPU has nothing to complain about" [ ! -s "$work/log" ]
done
check "nothing is left" eventually tidy

if command -v kmscube >/dev/null; then
    sleep 30 | timeout 60 "$BUILD/teslapipe" gl --kms --headless --size 320x240 --seconds 3 --png "$work/cube.png" -- \
        kmscube >"$work/out" 2>"$work/log"
    check "kmscube: many frames" said 'gt215: [0-9]\{2,\} frames'
    check "kmscube: a cube before grey" [ "$(stat -c %s "$work/cube.png")" -gt 5000 ]
    check "kmscube: nothing is left" eventually tidy
fi

# ---- in a window, with input
for tool in Xvfb xdotool; do
    command -v $tool >/dev/null || { echo "no $tool"; echo "$passed passed, $failed failed, 1 skipped"; exit $((failed != 0)); }
done
${CC:-cc} -std=gnu17 -O1 -o "$work/still" tests/gl/window.c $(pkg-config --cflags --libs sdl2 libpng) -lGL ||
    fail_all "window.c does not compile"
exec 8<>"$work/display"
Xvfb -noreset -displayfd 8 -screen 0 1000x700x24 >/dev/null 2>&1 &
server=$!
eventually [ -s "$work/display" ] || fail_all "Xvfb does not start"
DISPLAY=:$(head -n 1 "$work/display")
export DISPLAY
unset WAYLAND_DISPLAY
start --size 320x200 -o "$work" -- "$work/still" "$work/sdl"
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
xdotool key --window "$window" p
check "SDL: its own picture" eventually said "saved .*sdl-0.png"
sleep 0.5
new_size >/dev/null
check "SDL: the window's is the same" "$BUILD/teslapipe" compare "$work/sdl-0.png" "$(ls "$work"/teslapipe-*.png | tail -n 1)"
kill "$program"
wait "$program" 2>/dev/null
check "SDL: nothing is left" eventually tidy

if command -v weston >/dev/null; then
    background() { [ "$(new_size)" -gt 20000 ]; }
    terminal() { [ $((plain - $(new_size))) -gt 4000 ]; }
    start --size 640x480 -o "$work" -- weston --backend=drm-backend.so --idle-time=0
    check "weston: a window appears" eventually find_window 'display - teslapipe'
    check "weston: it draws its background" eventually background
    plain=$(new_size)
    xdotool mousemove --window "$window" 20 15
    sleep 0.5
    xdotool click 1
    check "weston: its button opens a terminal" eventually terminal
    kill "$program"
    wait "$program" 2>/dev/null
    check "weston: nothing is left" eventually tidy
fi
program=
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
