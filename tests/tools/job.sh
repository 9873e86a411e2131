#!/usr/bin/env bash
# Jobs of render and replay: files of frames are whole or absent; the manifest; --resume; streams; movies; exit codes 0
# (complete), 3 (incomplete, can be resumed), 1 (error), 2 (usage); signals; full disks.
# usage: job.sh. Prints a line per failed check and "N passed, N failed".
. "$(dirname "$0")/../checks"
program=${BUILD:-build}/teslapipe
cube=tests/mpi/cube.tpr # nine frames of kmscube, which clears its target in each
render() { "$program" render "$@" --size 96x64 2>"$errors" >"$folder/output"; }
names() { (cd "$1" && ls) | tr '\n' ' '; }

# Numbers of frames.
check "a range" render triangle --frames 3-9/3 -o "$folder/range"
check_text "names of a range" "$(names "$folder/range" | sed 's/^triangle-0003.png triangle-0006.png triangle-0009.png triangle.manifest $//')"
check "a number" render triangle --frames 2 -o "$folder/number"
check_text "names of a number" "$(names "$folder/number" | sed 's/^triangle-0000.png triangle-0001.png triangle.manifest $//')"
check "one picture" render triangle -o "$folder/one"
check_text "its name" "$(names "$folder/one" | sed 's/^triangle.png $//')"
for frames in 5-3 0 ''; do
    refuses 2 "${frames:+empty range}" "$program" render triangle --frames "$frames" -o "$folder/none"
done
for frames in 1-2-3 1-2/0 1/2 -3 2- 1-2/3/4 x 1e3; do
    refuses 2 'number of frames, FIRST-LAST or FIRST-LAST/STEP' "$program" render triangle --frames=$frames -o "$folder/none"
done
refuses 2 'up to 999999999' "$program" render triangle --frames 0-9999999999 -o "$folder/none"
check "a refused job leaves nothing" test ! -e "$folder/none"
# A frame is the same, drawn alone or after others.
check "frames of two jobs" render grass --frames 4-6 -o "$folder/three"
check "frames of two jobs" render grass --frames 5-5 -o "$folder/alone"
check "a frame depends on no other" cmp "$folder/three/grass-0005.png" "$folder/alone/grass-0005.png"

# --resume keeps whole files and draws the others.
manifest=$folder/three/grass.manifest
check "the manifest has each file" test "$(grep -c '^file ' "$manifest")" -eq 3
cp -r "$folder/three" "$folder/whole"
rm "$folder/three/grass-0004.png"
printf x >>"$folder/three/grass-0005.png" # a file that is too long
touch -d '2001-01-01' "$folder/three/grass-0006.png"
check "resume" render grass --frames 4-6 --resume -o "$folder/three"
check "resume says how many it kept" grep -q ', 1 of them kept' "$folder/output"
check "resumed frames" diff -r -x '*.manifest' "$folder/three" "$folder/whole"
check "a kept file is not written" test "$(date -r "$folder/three/grass-0006.png" +%Y)" -eq 2001
printf 'y' | dd of="$folder/three/grass-0006.png" bs=1 seek=100 conv=notrunc 2>/dev/null # a file with a wrong byte and the right length
check "resume" render grass --frames 4-6 --resume -o "$folder/three"
check "a changed byte is noticed" cmp "$folder/three/grass-0006.png" "$folder/whole/grass-0006.png"
printf 'file 12 0123' >>"$manifest" # half a line, as a process leaves it that is killed while it writes
check "a cut manifest" render grass --frames 4-7 --resume -o "$folder/three"
check "lines behind a cut one count" render grass --frames 4-7 --resume -o "$folder/three"
check "lines behind a cut one count" grep -q ', 4 of them kept' "$folder/output"
refuses 2 'is of another job' "$program" render grass --size 96x65 --frames 4-6 --resume -o "$folder/three"
check "without --resume it is drawn" render grass --frames 4-6 --time 1 -o "$folder/three"
refuses 2 'is of another job' "$program" render grass --size 96x64 --frames 4-6 --resume -o "$folder/three"
refuses 2 '--resume goes with --frames' "$program" render grass --resume -o "$folder/three"

# OpenCue's file (cuecmd reads one command per line) has all frames, each once.
TESLAPIPE=$(realpath "$program") "examples/farm/opencue.sh" "render grass --size 96x64" 4 10 "$folder/cue" 3 >"$folder/output"
check "cuecmd: a line for each chunk" test "$(wc -l <"$folder/cue.cuecmd")" -eq 3
check "cuecmd: the line to submit" grep -qx "submit:  cuecmd $folder/cue.cuecmd --cores 1 --memory 1" "$folder/output"
while read -r line; do
    check "cuecmd: $line" sh -c "$line >/dev/null"
done <"$folder/cue.cuecmd"
check_text "cuecmd: frames" "$(names "$folder/cue" | sed 's/^grass-0004.png grass-0005.png grass-0006.png grass-0007.png grass-0008.png grass-0009.png grass-0010.png grass.manifest $//')"
for i in 4 5 6; do
    check "cuecmd: frame $i" cmp "$folder/cue/grass-000$i.png" "$folder/whole/grass-000$i.png"
done

# Formats.
for format in ppm exr y4m png; do
    check "$format" render triangle --format $format -o "$folder/formats"
    check "$format" test -s "$folder/formats/triangle.$format"
done
check "PPM" test "$(head -n 3 "$folder/formats/triangle.ppm" | tr '\n' ' ')" = "P6 96 64 255 " -a "$(wc -c <"$folder/formats/triangle.ppm")" -eq $((13 + 96 * 64 * 3))
refuses 2 'must be one of: png ppm exr y4m' "$program" render triangle --format gif -o "$folder/formats"
check "the magic number of OpenEXR" test "$(od -An -tx1 -N4 "$folder/formats/triangle.exr" | tr -d ' ')" = 762f3101
render triangle --frames 3 --format y4m -o "$folder/formats"
"$program" render triangle --size 96x64 --frames 3 --stdout y4m >"$folder/stream.y4m" 2>"$errors"
check "a stream has one head" test "$(grep -ac YUV4MPEG2 "$folder/stream.y4m")" -eq 1
check "a stream has all frames" test "$(wc -c <"$folder/stream.y4m")" -eq $(($(head -n 1 "$folder/stream.y4m" | wc -c) + 3 * (6 + 96 * 64 * 3)))
check "a stream's last frame" cmp <(tail -c 18432 "$folder/stream.y4m") <(tail -c 18432 "$folder/formats/triangle-0002.y4m")
refuses 2 '--stdout goes without' "$program" render triangle --stdout y4m --resume
refuses 2 'one scene or recording' "$program" render all --stdout y4m
check "a broken pipe ends the stream" bash -c '"$0" render triangle --size 96x64 --frames 1000 --stdout y4m 2>/dev/null | head -c 9 >/dev/null; [ "${PIPESTATUS[0]}" -ne 0 ]' "$program"
skipped=0
if command -v ffmpeg >/dev/null; then
    # Floats, rounded, are the bytes of an 8-bit target.
    ffmpeg -loglevel error -y -i "$folder/formats/triangle.exr" -f rawvideo -pix_fmt gbrpf32le "$folder/floats"
    check "floats" python3 - "$folder" <<'END'
import array, sys
rgb = open(sys.argv[1] + "/formats/triangle.ppm", "rb").read()[-96 * 64 * 3:]
f = array.array("f"); f.frombytes(open(sys.argv[1] + "/floats", "rb").read())
plane = {0: 2, 1: 0, 2: 1}
sys.exit(any(int(min(max(f[plane[c] * 6144 + i], 0), 1) * 255 + 0.5) != rgb[3 * i + c] for i in range(6144) for c in range(3)))
END
    check "a movie" render teapot --frames 5 --movie "$folder/m.mp4" -o "$folder/movie"
    check_text "frames of the movie" "$(ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 "$folder/m.mp4" | sed 's/^5$//')"
    check "a resumed movie" render teapot --frames 6 --resume --movie "$folder/m.mp4" -o "$folder/movie"
    check_text "frames of the movie" "$(ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 "$folder/m.mp4" | sed 's/^6$//')"
    refuses 2 'formats png, exr and ppm' "$program" render teapot --frames 5 --format y4m --movie "$folder/m.mp4"
    render teapot --frames 5 --movie "$folder/nowhere/m.mp4" -o "$folder/movie"
    check "a movie that cannot be written" test $? -eq 1
    "$program" render triangle --size 256x256 --frames 60 --format ppm --movie "$folder/m.none" -o "$folder/movie" >/dev/null 2>"$errors"
    check "a movie without a known format" grep -q 'm.none: ffmpeg failed' "$errors"
else
    skipped=7
fi
# RUN: an emulator starts and only then finds that the program is missing.
[ -z "${RUN:-}" ] || skipped=$((${skipped:-0} + 1))
[ -n "${RUN:-}" ] || refuses 1 'ffmpeg: No such file' env PATH=/nowhere "$(realpath "$program")" render triangle --size 8x8 --frames 2 --movie "$folder/m.mp4" -o "$folder/movie"

# After a signal the frame in work is finished, the exit code is 3, and --resume continues.
"$program" render mandelbrot --size 640x480 --frames 2000 -o "$folder/signal" >"$folder/output" 2>"$errors" &
job=$!
until [ -e "$folder/signal/mandelbrot-0003.png" ]; do sleep 0.05; done
kill -TERM $job
wait $job
check "SIGTERM: exit code 3" test $? -eq 3
check "SIGTERM: one clear line" test "$(grep -vc ' frames, .* left$' "$errors")" -eq 1
check "SIGTERM: it says what is there" grep -q 'incomplete: [0-9]* of 2000 frames, 0 failed; --resume goes on' "$folder/output"
files=$(find "$folder/signal" -name '*.png' | wc -l)
check "SIGTERM: the manifest has each file" test "$(grep -c '^file ' "$folder/signal/mandelbrot.manifest")" -eq "$files"
check "SIGTERM: nothing else is left" test "$(find "$folder/signal" -type f ! -name '*.png' ! -name '*.manifest' | wc -l)" -eq 0
"$program" render mandelbrot --size 640x480 --frames 0-"$files" --resume -o "$folder/signal" >"$folder/output" 2>"$errors"
check "SIGTERM: all are kept" grep -q ", $files of them kept" "$folder/output"
# After SIGKILL no partial file has a final name, and --resume repairs everything.
"$program" render mandelbrot --size 640x480 --frames 2000 -o "$folder/killed" >/dev/null 2>&1 &
job=$!
until [ -e "$folder/killed/mandelbrot-0002.png" ]; do sleep 0.02; done
kill -KILL $job
wait $job 2>/dev/null
check "SIGKILL: resume" "$program" render mandelbrot --size 640x480 --frames 0-6 --resume -o "$folder/killed" >/dev/null
for i in 0 1 2 3 4 5 6; do
    [ $i -gt "$files" ] || cmp "$folder/killed/mandelbrot-000$i.png" "$folder/signal/mandelbrot-000$i.png" || fail "frame $i after SIGKILL"
done

# On a full disk complete frames are kept, no partial file is left, and --resume continues later in another folder.
full='mkdir "$1/small" && mount -t tmpfs -o size=40k none "$1/small" && { "$0" render grass --size 96x64 --frames 9 -o "$1/small" 2>"$1/errors" >"$1/output"
    code=$?
    cp -r "$1/small" "$1/kept"; exit $code; }'
if unshare -rm true 2>/dev/null; then
    unshare -rm sh -c "$full" "$program" "$folder"
    check "a full disk: exit code 3" test $? -eq 3
    check "a full disk: one clear line" test "$(grep -c 'No space left on device' "$errors")" -eq 1 -a "$(wc -l <"$errors")" -eq 1
    check "a full disk: resume" "$program" render grass --size 96x64 --frames 9 --resume -o "$folder/kept" >"$folder/output"
    check "a full disk: complete frames are kept" grep -qE ', [1-9] of them kept' "$folder/output"
else
    skipped=$((skipped + 4))
fi
(ulimit -f 8 && trap '' XFSZ && render grass --frames 3 -o "$folder/limited")
check "a file that cannot be written: exit code 3" test $? -eq 3
check "a file that cannot be written: one clear line" test "$(grep -c 'grass-0000.png: File too large' "$errors")" -eq 1 -a "$(wc -l <"$errors")" -eq 1
check "a file that cannot be written is not there" test "$(find "$folder/limited" -name '*.png' | wc -l)" -eq 0
refuses 1 '/proc/nowhere: ' "$program" render triangle --frames 2 -o /proc/nowhere

# Recordings: frames as the window system shows them.
replay() { "$program" replay "$@" 2>"$errors" >"$folder/output"; }
check "all frames" replay "$cube" --frames 0-8 -o "$folder/cube"
check "nine pictures, all different" test "$(cd "$folder/cube" && md5sum cube-000[0-8].png | cut -d ' ' -f 1 | sort -u | wc -l)" -eq 9
check "one frame" replay "$cube" --frames 5-5 -o "$folder/fifth"
check "a frame alone" cmp "$folder/fifth/cube-0005.png" "$folder/cube/cube-0005.png"
check "a frame alone needs no other" test ! -s "$errors"
check "each submission" replay "$cube" --every-flush -o "$folder/flushes"
check "each submission" test "$(find "$folder/flushes" -name '*.png' | wc -l)" -ge 9
check "a recording without presented frames is one frame" replay "tests/golden/streams/triangle.tpr" --frames 0-0 -o "$folder/cube"
refuses 2 'has frames 0 to 8' "$program" replay "$cube" --frames 3-9 -o "$folder/cube"
refuses 2 'goes with -o DIR' "$program" replay "$cube" --frames 3-4
refuses 2 '--resume goes with --frames' "$program" replay "$cube" --resume
refuses 1 'nowhere.tpr: No such file' "$program" replay "$folder/nowhere.tpr" --frames 0-1 -o "$folder/cube"
check "a stream of a recording" bash -c '"$0" replay "$1" --frames 2-4 --stdout y4m 2>/dev/null | head -n 1 | grep -q "^YUV4MPEG2 W[0-9]* H[0-9]* F30000:1000"' "$program" "$cube"
checks_end "$skipped"
