#!/usr/bin/env bash
# Single frames of recordings (tests/gl/frames.c): the pixels are those of a replay of all frames. Draws of earlier
# frames are left out if the frame reads nothing of them; a message says how many are needed. Environment: BUILD, CHIPS.
. "$(dirname "$0")/both_drivers"
needs_headers EGL/egl.h GL/glcorearb.h
compile frames -lEGL -lGL
ranks=
if [ -x "$BUILD/teslapipe-mpi" ] && command -v mpirun >/dev/null; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
    ranks="timeout 100 mpirun --oversubscribe -n 3 $BUILD/teslapipe-mpi"
fi
replay() { "$BUILD/teslapipe" replay "$@" --every-flush --format ppm >"$work/out" 2>"$errors"; }

# the kind, and the least and largest number of earlier frames whose draws may be needed; a frame is a submission, and
# each picture takes a few of them
while read -r kind least most; do
    for chip in ${CHIPS:-gt215 gf108}; do
        file=$work/$kind.tpr all=$work/all
        rm -rf "$all" "$work/one" "$work/steps" "$work/split"
        check "$kind, $chip: recorded" timeout 60 "$BUILD/teslapipe" gl --chip "$chip" --record "$file" -- "$compiled" $kind 2>"$errors"
        replay "$file" -o "$all"
        last=$(find "$all" -name '*.ppm' | sed 's/.*-0*\([0-9]\)/\1/; s/.ppm//' | sort -n | tail -n 1)
        for frame in $((last - 1)) "$last"; do
            replay "$file" --frames "$frame-$frame" -o "$work/one"
            picture=$kind-$(printf %04d "$frame").ppm
            check "$kind, $chip: frame $frame alone" cmp "$all/$picture" "$work/one/$picture"
        done
        needed=$(sed -n "s/.*frame $last needs draws of \([0-9]*\) of the frames before it: .*/\1/p" "$errors")
        check "$kind, $chip: frames before that are drawn, $needed" test "${needed:-0}" -ge "$least" -a "${needed:-0}" -le "$most"
        if [ -n "$ranks" ] && [ "$chip" = gt215 ]; then # of three ranks, each draws its own rows of tiles where that is possible
            $ranks replay "$file" --every-flush --format ppm --frames "$((last - 1))-$last" --split -o "$work/split" >"$work/out" 2>"$errors" </dev/null
            for picture in "$work/split"/*.ppm; do
                check "$kind: split" cmp "$picture" "$all/$(basename "$picture")"
            done
        fi
        replay "$file" --frames "1-$last/3" -o "$work/steps"
        for picture in "$work/steps"/*.ppm; do
            check "$kind, $chip: every third frame" cmp "$picture" "$all/$(basename "$picture")"
        done
    done
done <<'END'
clears 0 4
trail 7 99
depth 7 99
scissor 7 99
mask 7 99
texture 2 6
feedback 7 99
blit 0 4
condition 7 99
stream 7 99
END
checks_end
