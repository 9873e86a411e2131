#!/bin/sh
# Checks includes: a room includes the rooms below it, never one above (docs/architecture.md). Prints each include that
# is not allowed. Ends in "N passed, N failed".
. "$(dirname "$0")/../checks"
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT

# A room, and the patterns of the files that it may include in quotes, its own first. docs/architecture.md has the
# reasons for what tools/ includes beyond the public headers.
rules() {
    cat <<'END'
base      base/*
shader    shader/* base/*
tex       tex/* base/* shader/tex_port.h
raster    raster/* shader/* base/*
pipeline  pipeline/* raster/* tex/* shader/* base/* include/teslapipe.h
api       api/* pipeline/* raster/* tex/* shader/* base/* include/*
fifo      fifo/* pipeline/* raster/* tex/* shader/* base/*
drm       drm/* fifo/* base/* teslapipe.h
window    window/* drm/* base/* [a-z]*-v1.h wl-drm.h xdg-shell.h
demos     demos/* teslapipe.h
tools     tools/* demos/demo.h teslapipe.h teslapipe_debug.h base/arena.h base/bits.h base/format_text.h base/new_file.h base/read_file.h base/simd.h shader/isa/isa.h shader/program.h shader/sph.h shader/stepper.h shader/steps.h shader/trace.h shader/vectors.h tex/tex.h pipeline/context.h pipeline/debug/history.h pipeline/debug/memory_check.h pipeline/debug/warp_find.h pipeline/debug/watch.h raster/functions.h fifo/needs.h fifo/quirks.h fifo/record.h drm/chip.h window/session.h
mpi       mpi/* tools/cmd_render.h tools/cmd_replay.h tools/html_text.h tools/job.h tools/manifest.h tools/recording.h
bench     bench/* tools/* teslapipe.h pipeline/context.h tex/* shader/* base/*
examples  example.h glsl_[a-z]*.h teslapipe.h teslapipe_debug.h
include   teslapipe.h
END
}

# Prints "file includes header" for each include that the rules forbid.
violations() { # root of a tree
    rules | while read -r room allowed; do
        [ -d "$1/$room" ] || continue
        find "$1/$room" -name '*.[ch]' -o -name '*.inc' | xargs grep -HoE '^ *# *include "[^"]+"' /dev/null |
            sed -E "s|^$1/||"'; s/: *# *include "/ /; s/"$//' | while read -r file header; do
            set -f
            for pattern in $allowed; do
                # shellcheck disable=SC2254
                case $header in $pattern) continue 2 ;; esac
            done
            echo "$file includes $header"
        done
    done
}

rules >"$tree/rules"
while read -r room rest; do
    check_text "includes of $room/" "$(violations . | grep "^$room/")"
done <"$tree/rules"

# The headers that tools/ may include beyond the public ones: at least one tool includes each, and docs/architecture.md
# has the reason.
rules | sed -n 's/^tools //p' | tr ' ' '\n' | grep '/.*h$' | grep -v '^demos/demo.h$' | sort >"$tree/allowed"
grep -rhoE '# *include "[^"]+"' tools | cut -d '"' -f 2 | sort -u >"$tree/included"
sed -n '/^## What tools see/,/^mpi/s/^|//p' docs/architecture.md | grep -oE '`[a-z_/]+\.h`' | tr -d '`' | sort >"$tree/listed"
check_text "headers that no tool includes" "$(comm -23 "$tree/allowed" "$tree/included")"
check_text "headers without a reason in docs/architecture.md, or reasons without a header" \
    "$(comm -3 "$tree/allowed" "$tree/listed")"

# The rules notice a wrong include in each room.
while read -r room rest; do
    mkdir "$tree/$room"
    echo '#include "tests/fences.h"' >"$tree/$room/planted.c"
    check_text "a planted include of $room/" "$(violations "$tree" | grep -q "^$room/planted.c" || echo "passes")"
done <"$tree/rules"
checks_end
