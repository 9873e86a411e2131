#!/usr/bin/env bash
# Programs in a window (teslapipe gl --window), under Xvfb with xdotool: keys, mouse, sizes, pictures, closing, crashes
# of the program and of the window, orphans, and clients that break the protocol; X11 and Wayland programs. Environment:
# BUILD, CC.
. "$(dirname "$0")/both_drivers"
for tool in Xvfb Xwayland xdotool glxgears; do
    command -v $tool >/dev/null || skip_all "no $tool"
done
server= program=
trap 'kill $server $program 2>/dev/null; wait $program 2>/dev/null; rm -rf "$work"' EXIT
errors=$work/errors
. tests/display
# If the window does not appear, no later check can pass.
appears() { # what, title
    check "$1: a window appears" eventually find_window "$2"
    [ -n "$window" ] || { cat "$work/errors"; fail_all "$1: no window"; }
}
gone() { ! kill -0 "$program" 2>/dev/null; }
title_has() { xdotool getwindowname "$window" 2>/dev/null | grep -q -e "$1"; }
size_is() { [ "$(xdotool getwindowgeometry --shell "$window" | sed -n 's/^WIDTH=//p;s/^HEIGHT=//p' | tr '\n' x)" = "$1x" ]; }
more_pictures() { [ "$(pictures | wc -l)" -gt "$before" ]; }
last_is() { # size of the picture saved last
    saved=$(pictures | tail -n 1)
    [ -n "$saved" ] && file -b "$saved" | grep -q "image data, $1,"
}
asked_is() { # asks for a picture, then as last_is
    kill -USR1 "$program"
    last_is "$1"
}
shown_twice() { [ "$(grep -c '^shown' "$work/out")" -ge 2 ]; }
follows() { # asks again, because a window that is shown again may get its old size first
    xdotool windowsize "$window" 401 303
    said 'size 401 303'
}
press() { xdotool key --window "$window" "$@"; }
ended_with() { # exit code
    wait "$program"
    [ $? -eq "$1" ]
}

${CC:-clang-19} -std=gnu17 -O1 -o "$work/still" tests/gl/window.c $(pkg-config --cflags --libs sdl2 libpng) -lGL ||
    fail_all "window.c does not compile"
${CC:-clang-19} -std=gnu17 -O1 -o "$work/close_window" tests/gl/close_window.c -lX11 || fail_all "close_window.c does not compile"
${CC:-clang-19} -std=gnu17 -O1 -o "$work/latency" tests/gl/latency.c -lX11 || fail_all "latency.c does not compile"
${CC:-clang-19} -std=gnu17 -O1 -Wall -Wextra -o "$work/misuse_x" tests/gl/misuse_x.c -lX11 || fail_all "misuse_x.c does not compile"
protocols=$(pkg-config --variable=pkgdatadir wayland-protocols)
for protocol in stable/xdg-shell/xdg-shell unstable/linux-dmabuf/linux-dmabuf-unstable-v1; do
    name=$work/$(basename $protocol)
    wayland-scanner client-header "$protocols/$protocol.xml" "$name-client.h" &&
        wayland-scanner private-code "$protocols/$protocol.xml" "$name.c" || fail_all "$protocol: no sources"
done
${CC:-clang-19} -std=gnu17 -O1 -Wall -Wextra -I. -I"$work" -o "$work/misuse" tests/gl/misuse.c "$work/xdg-shell.c" \
    "$work/linux-dmabuf-unstable-v1.c" -lwayland-client || fail_all "misuse.c does not compile"
private_runtime # after the compilers, which may put files into the user's runtime folder
open_display 1000x700 || fail_all "Xvfb does not start"

# ---- glxgears
start --window -o "$work" -- glxgears
appears "gears" 'glxgears - teslapipe'
check "gears: of the program's size" eventually size_is 300x300
check "gears: the title tells the chip and counts" eventually title_has 'gt215, [1-9][0-9.]* frames/s, [1-9][0-9]* draws'
xdotool windowsize "$window" 420 260
sleep 1
press ctrl+alt+s
check "gears: a picture is saved" eventually said 'teslapipe-000.png'
check "gears: it has the window's size" eventually asked_is '420 x 260'
"$work/close_window" "$window"
check "gears: the close button ends it" eventually gone
nothing_left "gears"

# ---- an SDL2 program, on X11 and on Wayland
for driver in x11 wayland; do
    start --window -o "$work/" -- env SDL_VIDEODRIVER=$driver "$work/still" "$work/$driver"
    appears "$driver" 'still picture - teslapipe'
    check "$driver: drawn by teslapipe" eventually said "NVA3 on $driver"
    check "$driver: the window has the program's size" eventually size_is 320x200
    xdotool mousemove --window "$window" 50 60
    check "$driver: the pointer moves" eventually said 'motion 50 60'
    xdotool click 1
    check "$driver: a click reaches it" eventually said 'button 1 at 50 60'
    xdotool click --repeat 2 4 # SDL 3 counts from the first click on
    check "$driver: the wheel reaches it" eventually said 'wheel 1'
    press a
    check "$driver: a key reaches it" eventually said '^key A$'
    check "$driver: and the picture, within a frame" seen_within_a_frame
    press h
    check "$driver: hidden, it comes again" eventually shown_twice
    find_window 'still picture - teslapipe'
    check "$driver: it follows the window" eventually follows
    press p
    check "$driver: its own picture" eventually said "saved .*$driver-0.png"
    sleep 0.5
    before=$(pictures | wc -l)
    press ctrl+alt+s
    check "$driver: the window's picture" eventually more_pictures
    check "$driver: of the window's size" eventually last_is '401 x 303'
    check "$driver: they are the same" "$BUILD/teslapipe" compare "$work/$driver-0.png" "$saved"
    check "$driver: ctrl+alt+s is not the program's" [ "$(grep -c '^key S$' "$work/out")" = 0 ]
    "$work/close_window" "$window"
    check "$driver: the close button reaches it" eventually said closed
    check "$driver: its exit code is ours" ended_with 5
    nothing_left "$driver"
done

# ---- faults
start --window -- "$work/still" "$work/crash"
appears "crash" 'still picture - teslapipe'
press q
check "crash: the window goes, too" eventually gone
check "crash: it says so by its exit code" ended_with 134
xdotool keyup q # a window that died of the press gets no release, and the next window would find the key held
nothing_left "crash"
start --window -- env SDL_VIDEODRIVER=wayland "$work/still" "$work/told"
appears "told" 'still picture - teslapipe'
kill "$program"
check "told to end: the program takes leave" eventually said closed
check "told to end: so does the window" ended_with 143
start --headless -- sh -c 'kill -PIPE $$; exit 3'
check "signals are as a program expects them" ended_with 141
nothing_left "signals"

# ---- processes that hide
alive() { kill -0 "$(cat "$work/pid")" 2>/dev/null; }
start --headless -- sh -c "env -i setsid sh -c 'echo \$\$ >$work/pid; exec sleep 1000' & while ! [ -s $work/pid ]; do sleep 0.1; done"
check "orphan: the window ends" ended_with 0
check "orphan: a process without a parent and without its environment is ended, too" eval '! alive'
BIG=$(head -c 100000 /dev/zero | tr '\0' x) start --headless -- setsid -f sleep 1000
check "large environment: the window ends" ended_with 0
nothing_left "large environment"
sh -c "sleep 1000 & echo \$! >$work/pid; sleep 0.1; exec $BUILD/teslapipe gl --headless -- true" 2>"$work/errors"
check "what ran before it is left alone" alive
kill "$(cat "$work/pid")"
long=$XDG_RUNTIME_DIR/$(printf 'x%.0s' $(seq 60))
mkdir -m 700 "$long"
XDG_RUNTIME_DIR=$long start --headless -- sh -c 'echo "$TESLAPIPE_WINDOW"'
check "a folder with a long name: it goes to another" ended_with 0
check "a folder with a long name: to /tmp" said '^/tmp/teslapipe-'
rmdir "$long"

# ---- clients that break the protocol, a server that is lost
x_server() {
    local file
    for file in $(grep -ls '^Name:[[:space:]]*Xwayland$' /proc/[0-9]*/status); do
        grep -q "^PPid:[[:space:]]*$program\$" "$file" && echo "${file//[!0-9]/}"
    done
}
start --window -- "$work/misuse"
check "misuse: the window answers whatever programs did" ended_with 0
nothing_left "misuse"
start --headless -- "$work/misuse_x"
check "misuse_x: the window answers" ended_with 0
start --window -o "$work" -- env SDL_VIDEODRIVER=wayland "$work/still" "$work/alone"
appears "alone" 'still picture - teslapipe'
kill -KILL "$(x_server)"
check "without its X server the window says so" eventually grep -q 'Xwayland has ended' "$work/errors"
press a
check "and a Wayland program goes on" eventually said '^key A$'
kill "$program"
check "until it is told to end" ended_with 143
nothing_left "alone"
mkdir "$work/kept"
touch "$work/kept/file"
KEPT=$work/kept start --headless -- \
    sh -c 'mkdir -p "$TESLAPIPE_WINDOW/a/b"; touch "$TESLAPIPE_WINDOW/a/b/c"; ln -s "$KEPT" "$TESLAPIPE_WINDOW/a/link"'
check "folder: what a program put into it goes with it" ended_with 0
nothing_left "folder"
check "folder: what a link there names stays" [ -e "$work/kept/file" ]
start --window -- sh -c 'glxgears & sleep 1000'
appears "kill" 'glxgears - teslapipe'
kill -KILL "$program"
nothing_left "kill"
wait "$program" 2>/dev/null

# ---- two programs, one window or two
start --window --size 640x480 -- "$work/still" "$work/first"
first=$program
appears "share" 'still picture - teslapipe'
check "share: --size holds" eventually size_is 640x480
"$BUILD/teslapipe" gl --share -- "$work/still" "$work/second" >"$work/second.out" 2>&1 &
second=$!
check "share: the second draws in the first's window" eventually grep -q NVA3 "$work/second.out"
check "share: and opens none" [ "$(xdotool search --name teslapipe | wc -l)" = 1 ]
start --window -- glxgears
check "without it there are two windows" eventually find_window 'glxgears - teslapipe'
kill "$program" "$first"
check "share: the first's end is the second's" eventually eval '! kill -0 $second 2>/dev/null'
wait "$program" "$first" "$second" 2>/dev/null
nothing_left "share"

# ---- a desktop in the window
if command -v weston >/dev/null; then
    start --window --desktop --size 640x480 -o "$work"
    appears "desktop" 'teslapipe'
    check "desktop: a session draws its background" eventually background
    check "desktop: of the window's size" eventually asked_is '640 x 480'
    xdotool mousemove --window "$window" 20 15 click 1
    check "desktop: its button opens a terminal" eventually terminal
    "$work/close_window" "$window"
    check "desktop: the close button ends it" eventually gone
    nothing_left "desktop"
fi

# ---- two windows: the second one has no frame; Ctrl+Alt with the left button moves it
start --window --size 400x300 -- sh -c 'glxgears >/dev/null & sleep 2; glxgears -geometry 100x80 >/dev/null & p=$!
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.5
        for w in $(xdotool search --name glxgears); do xdotool getwindowgeometry $w; done; done'
appears "two windows" 'glxgears - teslapipe'
second_at() { grep -A 1 "Position: $1 " "$work/out" | grep -q 'Geometry: 100x80'; }
check "two windows: the second lies in the middle" eventually second_at 150,110
xdotool mousemove --window "$window" 200 150
xdotool keydown --window "$window" ctrl keydown --window "$window" alt
sleep 0.2
xdotool mousedown 1 mousemove --window "$window" 180 150 sleep 0.1 mousemove --window "$window" 120 100 sleep 0.1 mouseup 1
xdotool keyup --window "$window" alt keyup --window "$window" ctrl
check "two windows: it is where it was moved" eventually second_at 70,60
kill "$program"
nothing_left "two windows"

# ---- without a window
start --headless --size 333x222 --png "$work/end.png" -o "$work" -- "$work/still" "$work/none"
check "headless: it draws all the same" eventually said NVA3
check "headless: of the size asked for" eventually asked_is '333 x 222'
kill "$program"
check "headless: it ends when told" ended_with 143
check "headless: with a last picture" [ -s "$work/end.png" ]
# A Fermi's buffers have a tiling of their own.
for chip in gt215 gf108; do
    "$BUILD/teslapipe" gl --chip $chip --headless --size 333x222 --seconds 6 --png "$work/$chip.png" -- \
        env SDL_VIDEODRIVER=wayland "$work/still" "$work/none" >/dev/null 2>&1
done
check "headless: a Fermi's picture is a Tesla's" "$BUILD/teslapipe" compare "$work/gt215.png" "$work/gf108.png"
# The name of the display's socket is relative to XDG_RUNTIME_DIR, as sandboxes need it.
named() { "$@" "$BUILD/teslapipe" gl --headless -- sh -c 'echo "$WAYLAND_DISPLAY in $XDG_RUNTIME_DIR"; test -S "$XDG_RUNTIME_DIR/$WAYLAND_DISPLAY" && echo there' | tr '\n' ' '; }
check "headless: a relative name" grep -q "^teslapipe-[^/]*/wayland in $XDG_RUNTIME_DIR there $" <(named env)
check "headless: without XDG_RUNTIME_DIR" grep -q "^wayland in /tmp/teslapipe-[^/]* there $" <(named env -u XDG_RUNTIME_DIR)
check "headless: the pointer begins in the middle" grep -q '^x:150 y:100 ' <("$BUILD/teslapipe" gl --headless --size 300x200 -- sh -c \
    'glxgears >/dev/null & p=$!; for i in 1 2 3 4 5 6 7 8; do sleep 0.5; xdotool getmouselocation; done | grep -m 1 x:150; kill $p' 2>/dev/null)
# A window of a fixed size gets a request without a size first; a request with the size comes when the window is shown.
"$BUILD/teslapipe" gl --headless --size 310x210 --seconds 3 -- env SDL_VIDEODRIVER=wayland WAYLAND_DEBUG=1 "$work/still" "$work/asked" >/dev/null 2>"$work/requests"
check "headless: sizes that are asked for" [ "$(sed -n 's/.*xdg_toplevel[@#][0-9]*.configure(\([0-9]*\), \([0-9]*\).*/\1x\2/p' "$work/requests" |
    uniq | head -n 2 | tr '\n' ' ')" = '0x0 310x210 ' ]
# A recording contains each frame that the window got, from Wayland and X11 programs, even if a program draws all frames
# into one buffer.
for gears in es2gears_wayland glxgears; do
    command -v $gears >/dev/null || continue
    "$BUILD/teslapipe" gl --headless --size 100x80 --seconds 3 --record "$work/gears.tpr" -- $gears >"$work/out" 2>"$work/errors"
    shown=$(sed -n 's/^gt215: \([0-9]*\) frames in.*/\1/p' "$work/out" "$work/errors")
    "$BUILD/teslapipe" replay --frames 99999-99999 "$work/gears.tpr" -o "$work" 2>"$work/errors"
    last=$(sed -n 's/.*has frames 0 to //p' "$work/errors")
    check "$gears: $shown frames shown, the recording has 0 to $last" [ "$((${last:-0} + 3))" -ge "${shown:-99999}" ]
done
# The command waits for all processes that it started, so its caller gets no orphans.
cat >"$work/adopt.py" <<'END'
import ctypes, os, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # orphans become children of this process
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
try:
    print("left is process", os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("nothing is left")
END
check "headless: it waits for all processes" grep -q 'nothing is left' <(python3 "$work/adopt.py" "$BUILD/teslapipe" gl --headless --seconds 2 -- glxgears)
env -u DISPLAY "$BUILD/teslapipe" gl --window -- true 2>"$work/errors"
check "without a display it says so" grep -q 'no display' "$work/errors"
nothing_left "the end"
program=
checks_end 0
