#!/usr/bin/env bash
# The viewer in a window, under Xvfb: it starts, shows its scene in the title, switches scenes by synthetic keys,
# resizes, saves a PNG of the window's size, shows help, survives a broken scene, and exits cleanly. Without a display
# it renders a file.
# usage: viewer.sh [TESLAPIPE]. Prints a line per failed check and "N passed, N failed".
. "$(dirname "$0")/../checks"
teslapipe=${1:-${BUILD:-build}/teslapipe}
for tool in Xvfb xdotool; do
    command -v $tool >/dev/null || {
        echo "$tool is not installed"
        echo "0 passed, 0 failed, 1 skipped"
        exit 0
    }
done

work=$folder
server=
viewer=
. tests/display
finish() {
    [ -n "$viewer" ] && kill "$viewer" 2>/dev/null
    [ -n "$server" ] && kill "$server" 2>/dev/null
    rm -rf "$folder"
}
trap finish EXIT INT TERM

title_has() { xdotool getwindowname "$window" 2>/dev/null | grep -q -e "$1"; }
# SDL may replace its window until the viewer has drawn.
find_window() {
    window=$(xdotool search --all --pid "$viewer" --name '^teslapipe .' 2>/dev/null | head -n 1) && [ -n "$window" ]
}
press() { xdotool key --window "$window" "$1"; }
differ() { ! cmp -s "$1" "$2"; }
saved_name() { grep -q "$1" "$folder/output"; }
ended() { # the viewer's exit status; a viewer that did not close is stopped
    gone || kill "$viewer"
    wait "$viewer"
}
gone() { ! kill -0 "$viewer" 2>/dev/null; }
png_size() { # file WIDTHxHEIGHT, from the IHDR chunk
    [ "$(od -An -tu1 -j16 -N8 "$1" | awk '{print ($3 * 256 + $4) "x" ($7 * 256 + $8)}')" = "$2" ]
}

open_display 1024x768 "$folder" || { echo "FAIL viewer: Xvfb does not start"; exit 1; }
export SDL_VIDEODRIVER=x11
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # SDL's libraries (dbus) leak

start() { # arguments of view
    "$teslapipe" view "$@" --size 320x240 -o "$folder" >"$folder/output" 2>"$folder/errors" &
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
check "Up wraps round to the last scene" eventually title_has 'glass'
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
ended
check "it exits cleanly" [ $? -eq 0 ]
check "it has nothing to complain about" [ ! -s "$folder/errors" ]

start model --model "$folder/nowhere.obj"
check "a window appears for a missing model too" eventually find_window
check "the missing model is reported" eventually grep -q nowhere.obj "$folder/errors"
press Right
check "the viewer goes on to other scenes" eventually title_has 'mandelbrot'
press Escape
check "Escape closes the viewer" eventually gone
ended
check "it exits cleanly after a broken scene" [ $? -eq 0 ]

# Why a pixel has its colour, in the window. With an overlay, the title says what the overlay counts.
start teapot
check "a window appears for the debugger's part" eventually find_window
press space
check "the teapot stands still" eventually title_has 'paused'
press s
check "s saves the teapot" eventually saved_name 'teapot-000.png'
xdotool mousemove --window "$window" 160 120 click 6 click 7 click 7
press s
check "s saves it again" eventually saved_name 'teapot-001.png'
check "the wheel sideways changes nothing" cmp -s "$folder/teapot-000.png" "$folder/teapot-001.png"
xdotool mousemove --window "$window" 160 120 click 4
press s
check "s saves it once more" eventually saved_name 'teapot-002.png'
check "the wheel zooms" differ "$folder/teapot-001.png" "$folder/teapot-002.png"
xdotool mousemove --window "$window" 160 120 click 5 # zooms back
press p
check "p asks for a pixel" eventually title_has 'click a pixel'
xdotool mousemove --window "$window" 160 120 click 1
check "a click opens the history" eventually title_has 'pixel 160,120: entry [0-9]* of [0-9]*, step \([0-9]*\) of \1$'
press Home
check "Home goes to the program's start" eventually title_has 'step 0 of'
press Right
press Right
check "Right steps forwards" eventually title_has 'step 2 of'
press Left
check "Left steps backwards" eventually title_has 'step 1 of'
press Up
check "Up chooses another entry" eventually title_has 'entry 1 of'
press p
check "p closes the panel" eventually title_has 'teapot - 320x240'
for overlay in F2:overdraw F3:occupancy F4:divergence F5:'mip level' F6:'zeta complexity' F6:tiles; do
    press "${overlay%%:*}"
    check "${overlay%%:*} shows ${overlay#*:}" eventually title_has "- ${overlay#*:}: .* to red"
done
press F6
press F6
check "F6 switches off, then starts again" eventually title_has "zeta complexity"
press F6
press F2
press F2
check "the same key switches an overlay off" eventually title_has 'paused$'
press q
check "q closes the viewer after all that" eventually gone
ended
check "it exits cleanly after debugging" [ $? -eq 0 ]
check "it has nothing to complain about while debugging" [ ! -s "$folder/errors" ]

# In a small window the panel shows the list of events above, and the program with its values below.
shows() { # colour r,g,b, from and to row in percent: text of this colour in the panel
    eval "$(xdotool getwindowgeometry --shell "$window")"
    python3 - "$folder/Xvfb_screen0" "$X" "$Y" "$@" <<'END'
import struct, sys
data = open(sys.argv[1], "rb").read()
header = struct.unpack(">25I", data[:100])
start, pitch = header[0] + 12 * header[19], header[12]
x, y, colour = int(sys.argv[2]), int(sys.argv[3]), bytes(map(int, sys.argv[4].split(",")))[::-1]
first, last = (y + 500 * int(percent) // 100 for percent in sys.argv[5:])
found = sum(data[start + row * pitch + 4 * column:start + row * pitch + 4 * column + 3] == colour
            for row in range(first, last) for column in range(x + 360, x + 792))
sys.exit(found < 20)
END
}
absent() { ! shows "$1" 0 60; }
"$teslapipe" view teapot --size 800x500 -o "$folder" >"$folder/output" 2>"$folder/errors" &
viewer=$!
check "a window of 800x500 appears" eventually find_window
press space
check "the teapot stands still in it" eventually title_has 'paused'
press p
check "p asks for a pixel of it" eventually title_has 'click a pixel'
xdotool mousemove --window "$window" 400 250 click 1
check "a click opens the history of its pixel" eventually title_has 'pixel 400,250: entry 2 of 4, step 91 of 91$'
press Left
check "Left goes to the last instruction" eventually title_has 'step 90 of 91$'
check "the selected entry is in the upper part" eventually shows 255,220,120 0 60
check "the instruction is in the lower part" eventually shows 255,220,120 60 100
check "values are in the lower part" eventually shows 150,220,160 60 100
press w
check "w shows the steps of its warp" eventually title_has 'pixel 400,250: step 0 of [0-9]*, lane [0-9]* runs$'
press v
check "v shows the warp of a vertex" eventually title_has 'vertex [0-9]*: step 0 of'
press Escape
check "Escape goes back to the panel" eventually title_has 'step 90 of 91$'
press q
check "q closes the small window" eventually gone
ended

# A scene that draws six faces of a cube map first: overlays count the fragments of the picture only.
start cube
check "a window appears for the scene with a cube map" eventually find_window
press F2
check "fragments of the faces are not counted" eventually title_has 'overdraw: .* to red [1-6]$'
press q
check "q closes the scene" eventually gone
ended

# A scene with tessellated patches: F7 shows the levels, F6 still switches its two overlays. F5 shows a Fermi's levels.
"$teslapipe" view terrain --size 800x500 -o "$folder" >"$folder/output" 2>"$folder/errors" &
viewer=$!
check "a window appears for the scene with patches" eventually find_window
press space
press F5
check "F5 shows levels" eventually title_has 'mip level: .* to red [1-9][0-9.]*$'
press F7
check "F7 shows patches" eventually title_has 'patches: greatest level .* to red [1-9][0-9.]*$'
check "patches have white outlines" eventually shows 255,255,255 0 100
press F6
check "F6 after F7 shows zeta complexity" eventually title_has 'zeta complexity'
press F7
press F7
check "F7 switches off" eventually title_has 'paused$'
press q
check "q closes the scene with patches" eventually gone
ended

# The steps of a warp that diverges: lanes leave a loop one after another.
"$teslapipe" view tests/golden/streams/flow.tpr --size 800x500 -o "$folder" >"$folder/output" 2>"$folder/errors" &
viewer=$!
check "a window appears for the step view" eventually find_window
press p
xdotool mousemove --window "$window" 300 232 click 1
check "a click opens the history of its pixel" eventually title_has 'pixel 30,64: entry 2 of 2'
press w
check "w shows the warp at its start" eventually title_has 'pixel 30,64: step 0 of 356, lane 12 runs$'
press Right
press Right
check "Right goes forwards" eventually title_has 'step 2 of'
press Left
check "Left goes back" eventually title_has 'step 1 of'
check "lanes run" eventually shows 90,215,115 0 60
check "no lane has left a loop" absent 205,125,235
press d
check "d goes to other active lanes" eventually title_has 'step 100 of 356, lane 12 runs$'
check "lanes that have left the loop wait" eventually shows 205,125,235 0 60
press Home
check "Home goes to the start" eventually title_has 'step 0 of'
check "no lane waits any more" eventually absent 205,125,235
press Next
press n
check "Page Down and n go forwards" eventually title_has 'step 17 of'
press Down
check "Down selects the next lane" eventually title_has 'pixel 31,64: step 17 of 356, lane 13 runs$'
xdotool mousemove --window "$window" 356 100 click 1
check "a click selects a lane" eventually title_has 'pixel 24,64: step 17 of 356, lane 0 runs$'
xdotool click 5
check "the wheel goes forwards" eventually title_has 'step 18 of'
press End
check "End goes to the end" eventually title_has 'step 356 of 356, lane 0 has ended$'
press w
check "w goes back to the panel" eventually title_has 'entry 2 of 2'
press q
check "q closes the step view's window" eventually gone
ended
check "it has nothing to complain about in the step view" [ ! -s "$folder/errors" ]

# A recording.
start tests/golden/streams/render_to_texture.tpr
check "a window appears for a recording" eventually find_window
check "it begins at the end" eventually title_has 'draw 9 of 9 - colour 0: 128x128'
press Home
check "Home goes to the first draw" eventually title_has 'draw 1 of 9'
press Right
check "Right goes to the next" eventually title_has 'draw 2 of 9 - colour 0: 64x64'
xdotool mousemove --window "$window" 160 225 click 1
check "the slider's middle is draw 5" eventually title_has 'draw 5 of 9'
press t
check "t shows a texture" eventually title_has 'fragment \$t0'
press t
check "t shows a program" eventually title_has 'vertex program'
press p
check "p goes back to the target" eventually title_has 'colour 0'
xdotool mousemove --window "$window" 160 100 click 1
check "a click opens the history of a recording" eventually title_has 'pixel [0-9]*,[0-9]*: entry'
press Escape
press F2
check "overlays work on recordings" eventually title_has 'overdraw'
press s
check "s saves the recording's picture" eventually saved_name 'recording-000.png'
press q
check "q closes the recording" eventually gone
ended
check "it exits cleanly after a recording" [ $? -eq 0 ]
check "it has nothing to complain about with a recording" [ ! -s "$folder/errors" ]
"$teslapipe" view README.md >"$folder/output" 2>"$folder/errors"
check "what is no recording is told" [ $? -eq 1 ]
check "in one line" [ "$(wc -l <"$folder/errors")" = 1 ]

start triangle --frames 3
check "--frames ends by itself" eventually gone
ended
check "and cleanly" [ $? -eq 0 ]
viewer=

env -u DISPLAY SDL_VIDEODRIVER=x11 "$teslapipe" view triangle --size 64x48 -o "$folder" \
    >"$folder/output" 2>"$folder/errors"
check "without a display the exit code is 0" [ $? -eq 0 ]
check "without a display it says so" grep -q 'no display' "$folder/errors"
env -u DISPLAY -u SDL_VIDEODRIVER timeout 20 "$teslapipe" view triangle --size 64x48 -o "$folder" \
    >/dev/null 2>"$folder/errors"
check "without any video driver it says so and ends" grep -q 'no display' "$folder/errors"
check "without a display it renders" png_size "$folder/triangle.png" 64x48

"$teslapipe" view nosuchscene >"$folder/output" 2>"$folder/errors"
check "an unknown scene is a usage error" [ $? -eq 2 ]
check "with one line that lists the scenes" [ "$(grep -c 'teapot' "$folder/errors")" = 1 ]

checks_end
