#!/usr/bin/env bash
# teslapipe-mpi with two and three ranks on this machine: the files are those of one process; one exit code; failures of
# one rank; movies; --split; posters; check. usage: ranks.sh. Prints a line per failed check and "N passed, N failed".
. "$(dirname "$0")/../checks"
program=$(realpath "${BUILD:-build}/teslapipe")
farm=${BUILD:-build}/teslapipe-mpi
if [ ! -e "$farm" ] || ! command -v mpirun >/dev/null; then
    echo "teslapipe-mpi is not built: libopenmpi-dev or openmpi-bin is missing"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
farm=$(realpath "$farm")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
unset DISPLAY
export OMPI_MCA_orte_execute_quiet=1 OMPI_MCA_btl=self,vader
# A build with make SAN=1: leaks of MPI's libraries are suppressed, and checks with other programs are skipped, because
# they do not run with the sanitizers.
sanitized=
if grep -qa __asan_init "$farm"; then
    sanitized=1
    export ASAN_OPTIONS=fast_unwind_on_malloc=0 # MPI unloads its libraries: only a full unwind finds their names
    export LSAN_OPTIONS=suppressions=$(realpath tests/mpi/leaks),print_suppressions=0
fi
ranks() { # number, arguments of teslapipe-mpi...
    local n=$1
    shift
    timeout 300 mpirun --oversubscribe -n "$n" "$farm" "$@" >"$folder/output" 2>"$errors" </dev/null
}
# Gives each of two ranks a command of its own by one program: mpirun of Debian 13 crashes with "a : b". A rank finds
# its number in OMPI_COMM_WORLD_RANK.
cat >"$folder/each" <<'EOF'
#!/bin/bash
eval "$([ "$OMPI_COMM_WORLD_RANK" = 0 ] && echo "$1" || echo "$2")"
EOF
chmod +x "$folder/each"
two() { # command of rank 0, of rank 1
    timeout 300 mpirun --oversubscribe -n 2 "$folder/each" "$1" "$2" >/dev/null 2>"$errors" </dev/null
}
said() { # text that exactly one line on stderr has
    [ "$(grep -c -e "$1" "$errors")" -eq 1 ] || { fail "no line, or more than one, with '$1'"; return 0; }
    pass
}
same() { # description, folder, folder
    check "$1" diff -rq -x '*.manifest' "$2" "$3"
}

programs() {
    # The ranks share the cores of the machine.
    threads=$(($(nproc --all) / 2 > 1 ? $(nproc --all) / 2 : 1))
    mpirun --oversubscribe -n 2 "$program" gl -- sh -c 'echo "threads $TESLAPIPE_THREADS"' >"$folder/output" 2>"$errors"
    check "gl: threads of two ranks" test "$(grep -c "^threads $threads\$" "$folder/output")" -eq 2
    said "teslapipe gl: 2 ranks on this machine, each of $threads thread"
    mpirun --oversubscribe -n 2 "$program" gl --threads 3 -- sh -c 'echo "threads $TESLAPIPE_THREADS"' >"$folder/output" 2>"$errors"
    check "gl: threads that the user gives" test "$(grep -c '^threads 3$' "$folder/output")" -eq 2

    # A parallel program: VTK's picture by two and three ranks is that by one.
    if /usr/bin/python3 -c 'import mpi4py, vtkmodules.vtkRenderingOpenGL2' 2>/dev/null; then
        for n in 1 2 3; do
            timeout 200 mpirun --oversubscribe -n $n "$program" gl --headless -- /usr/bin/python3 \
                examples/farm/isosurface_mpi.py "$folder/vtk$n.ppm" >/dev/null 2>"$errors" </dev/null
            check "VTK on $n ranks" test $? -eq 0
            check "VTK on $n ranks: the picture of one" cmp "$folder/vtk1.ppm" "$folder/vtk$n.ppm"
        done
        check "VTK: more than background" test "$(od -An -v -tx1 -w3 -j15 "$folder/vtk1.ppm" | sort -u | head -n 100 | wc -l)" -eq 100
    else
        skipped=7
    fi
    # ParaView draws the border of pieces in another order, so a few pixels there may differ.
    if command -v pvbatch >/dev/null; then
        for n in 1 2; do
            timeout 280 mpirun --oversubscribe -n $n "$program" gl --headless -- pvbatch examples/farm/isosurface_pvbatch.py \
                "$folder/paraview$n.bmp" >"$folder/output" 2>"$errors" </dev/null
            check "ParaView on $n ranks" test $? -eq 0
            check "ParaView on $n ranks: the driver" grep -q 'renderer string:  NVA3' "$folder/output"
        done
        check "ParaView: more than background" test "$(od -An -v -tx1 -w3 -j54 "$folder/paraview1.bmp" | sort -u | head -n 100 | wc -l)" -eq 100
        check "ParaView: pixels that differ" test "$(cmp -l "$folder/paraview1.bmp" "$folder/paraview2.bmp" | wc -l)" -lt 3000
    else
        skipped=$((skipped + 6))
    fi
}

"$program" render lights --frames 0-19 --size 320x180 -o "$folder/one" >/dev/null
for n in 2 3; do
    ranks $n render lights --frames 0-19 --size 320x180 -o "$folder/ranks$n"
    check "$n ranks: exit code 0" test $? -eq 0
    same "$n ranks: the same files" "$folder/one" "$folder/ranks$n"
    check "$n ranks: a manifest of all" test "$(grep -c '^file ' "$folder/ranks$n/lights.manifest")" -eq 20
    check "$n ranks: one summary" test "$(grep -c '^lights: 20 frames' "$folder/output")" -eq 1
    said "teslapipe-mpi: $n ranks on 1 machine"
done
rm "$folder/ranks2/lights-0007.png"
ranks 3 render lights --frames 0-19 --size 320x180 --resume -o "$folder/ranks2"
check "resume keeps 19" grep -q ', 19 of them kept' "$folder/output"
same "resumed files" "$folder/one" "$folder/ranks2"
check "one process resumes what ranks left" bash -c '"$0" render lights --frames 0-19 --size 320x180 --resume -o "$1" | grep -q ", 20 of them kept"' "$program" "$folder/ranks3"

# Recordings: ranks with other engines and SIMD levels draw the same bits.
"$program" replay tests/mpi/cube.tpr --frames 0-8 -o "$folder/cube1" >/dev/null
ranks 2 replay tests/mpi/cube.tpr --frames 0-8 -o "$folder/cube2"
same "a recording on two ranks" "$folder/cube1" "$folder/cube2"
"$program" render grass --frames 0-5 --size 320x180 -o "$folder/grass1" >/dev/null
grass="exec $farm render grass --frames 0-5 --size 320x180 -o $folder/grass2"
two "$grass --simd base" "$grass --engine interp"
check "unequal SIMD levels: exit code 0" test $? -eq 0
same "unequal SIMD levels and engines" "$folder/grass1" "$folder/grass2"

# One picture on many ranks.
for scene in teapot grass explode shadow deferred; do
    "$program" render $scene --size 333x200 -o "$folder/whole" >/dev/null
    ranks 3 render $scene --size 333x200 --split -o "$folder/split"
done
same "split pictures" "$folder/whole" "$folder/split"
ranks 2 render lights --frames 0-5 --size 320x180 --split -o "$folder/split6"
check "split frames: exit code 0" test $? -eq 0
for i in 0 1 2 3 4 5; do
    cmp "$folder/one/lights-000$i.png" "$folder/split6/lights-000$i.png" && pass || fail "split frame $i"
done
ranks 2 replay tests/mpi/cube.tpr --frames 2-4 --split -o "$folder/cube3"
for i in 2 3 4; do
    cmp "$folder/cube1/cube-000$i.png" "$folder/cube3/cube-000$i.png" && pass || fail "split frame $i of a recording"
done

# Movies.
if command -v ffmpeg >/dev/null; then
    ranks 2 render lights --frames 0-19 --size 320x180 --movie "$folder/m.mp4" -o "$folder/movie"
    check "a movie: exit code 0" test $? -eq 0
    check_text "frames of the movie" "$(ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 "$folder/m.mp4" | sed 's/^20$//')"
fi

# Wrong usage: only rank 0 prints the message.
ranks 2 render lights --frames 9-3 -o "$folder/none"
check "usage: exit code 2" test $? -eq 2
said 'empty range'
ranks 2 render nothing
check "usage: exit code 2" test $? -eq 2
said '^teslapipe-mpi render: no scene named nothing'
ranks 2 replay tests/mpi/cube.tpr --frames 3-12 -o "$folder/none"
check "frames out of range: exit code 2" test $? -eq 2
said 'has frames 0 to 8'
check "usage leaves nothing" test ! -e "$folder/none"

# A node that lacks the file: this rank prints a message with its host; the others do the work.
mkdir "$folder/here"
cp tests/mpi/cube.tpr "$folder/here"
cube="exec $farm replay cube.tpr --frames 0-8 -o $folder/cube4"
two "cd $folder/here; $cube" "cd $folder; $cube"
check "a node without the file: exit code 0" test $? -eq 0
check "a node without the file: named" grep -q 'cube.tpr: No such file' "$errors"
check "a node without the file: with its host" grep -q "$(uname -n) takes no part: " "$errors"
same "a node without the file: all frames" "$folder/cube1" "$folder/cube4"

# Ranks of different versions.
sed "s/$("$program" --version | cut -d ' ' -f 2)/9.9.9/g" "$farm" >"$folder/other"
chmod +x "$folder/other"
two "exec $farm render lights -o $folder/none" "exec $folder/other render lights -o $folder/none"
check "two versions: exit code 1" test $? -eq 1
said 'rank 0 on .* is teslapipe 0.* rank 1 on .* is teslapipe 9.9.9'
check "two versions: nothing is drawn" test ! -e "$folder/none"

# A frame that cannot be written because the disk is full.
full='mkdir "$1/small" && mount -t tmpfs -o size=200k none "$1/small" && { mpirun --oversubscribe -n 2 "$0" render lights --frames 0-19 --size 320x180 -o "$1/small" 2>"$1/errors" >"$1/output"
    code=$?
    cp -r "$1/small" "$1/kept"; exit $code; }'
if unshare -rm true 2>/dev/null; then
    unshare -rm bash -c "$full" "$farm" "$folder"
    check "a full disk: exit code 3" test $? -eq 3
    check "a full disk: host and frame are named" grep -q "$(uname -n): $folder/small/lights-00[0-9]*.png: No space left" "$errors"
    ranks 2 render lights --frames 0-19 --size 320x180 --resume -o "$folder/kept"
    same "a full disk: resumed" "$folder/one" "$folder/kept"
fi

# A killed rank ends the run: complete frames are kept, no partial file is left, and --resume goes on.
mpirun --oversubscribe -n 3 "$farm" render mandelbrot --frames 0-400 --size 640x480 -o "$folder/killed" >/dev/null 2>"$errors" &
run=$!
until [ -e "$folder/killed/mandelbrot-0005.png" ]; do sleep 0.05; done
for process in /proc/[0-9]*; do # the last rank of this run that is found
    [ "$(readlink "$process/exe")" = "$(realpath "$farm")" ] && grep -qaF "$folder/killed" "$process/cmdline" &&
        rank=${process#/proc/}
done
kill -KILL "$rank"
wait $run
check "a killed rank: the run fails" test $? -ne 0
check "a killed rank: nothing but frames" test "$(find "$folder/killed" -type f ! -name '*.png' ! -name '*.manifest' | wc -l)" -eq 0
there=$(find "$folder/killed" -name '*.png' | wc -l)
"$program" render mandelbrot --frames 0-12 --size 640x480 -o "$folder/unkilled" >/dev/null
ranks 3 render mandelbrot --frames 0-12 --size 640x480 --resume -o "$folder/killed"
check "a killed rank: resume" test $? -eq 0
check "a killed rank: complete frames are kept ($there)" grep -qE ', ([5-9]|1[0-3]) of them kept' "$folder/output"
for picture in "$folder/unkilled"/*.png; do
    cmp "$picture" "$folder/killed/$(basename "$picture")" && pass || fail "$picture after a kill"
done

# Programs that use MPI themselves.
skipped=0
if [ -n "$sanitized" ]; then
    skipped=16
else
    programs
fi

# check: verdicts, table, JUnit.
mkdir "$folder/list"
tar -C "$folder/list" -xf tests/replays/smoke.tar.xz
head -n 12 tests/replays/smoke.hashes >"$folder/list/right"
ranks 3 check "$folder/list/right" --junit "$folder/junit.xml"
check "check: exit code 0" test $? -eq 0
check "check: the table" grep -qE '^own best best +12 +0 +0 +0 +0 ' "$folder/output"
check "check: JUnit" python3 -c 'import sys, xml.etree.ElementTree as t
s = t.parse(sys.argv[1]).getroot()
sys.exit((s.get("tests"), s.get("failures"), len(s)) != ("12", "0", 12))' "$folder/junit.xml"
ranks 2 check "$folder/list/right" --engines interp,native --simd base,avx2
check "check: engines and levels" test "$(grep -cE '^own (interp|native) (base|avx2) +12 +0 ' "$folder/output")" -eq 4
{ sed 's/^./0/' "$folder/list/right" | head -n 1; echo "0 nowhere & \"else\""; sed -n '3,5p' "$folder/list/right"; } >"$folder/list/wrong"
ranks 2 check "$folder/list/wrong" --junit "$folder/junit.xml"
check "check: wrong ones: exit code 1" test $? -eq 1
check "check: wrong ones: the table" grep -qE '^own best best +3 +1 +1 +0 +0 ' "$folder/output"
check "check: wrong ones: the hashes" grep -qE ': hash [0-9a-f]{16}, recorded 0[0-9a-f]{15}$' "$errors"
check "check: wrong ones: JUnit" python3 -c 'import sys, xml.etree.ElementTree as t
s = t.parse(sys.argv[1]).getroot()
sys.exit(s.get("failures") != "2")' "$folder/junit.xml"
ranks 2 check "$folder/list/right" --chips gt215,g80
check "check: a hash holds on one chip" grep -qE '^g80 best best +0 +0 +0 +12 ' "$folder/output"
echo "abc" >"$folder/list/broken"
ranks 2 check "$folder/list/broken"
check "check: a broken list: exit code 1" test $? -eq 1
said 'broken:1: must be HASH FILE'
ranks 2 check "$folder/list"
check "check: a folder: exit code 1" test $? -eq 1
said '^teslapipe-mpi check: .*/list: Is a directory$'
ranks 2 check "$folder/list/right" --simd sse
check "check: an unknown level: exit code 2" test $? -eq 2
said 'base avx2 avx512'
checks_end "$skipped"
