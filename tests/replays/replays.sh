#!/bin/sh
# Replays recordings of conformance tests (tests/replays/*.tar.xz, made by tests/gl/record-replays from tests that
# passed) and compares a hash of the GPU memory that each leaves: on all threads at the best SIMD level, and the smoke
# list on one thread at the base level, too. Also compares how often native code calls the interpreter's handlers: from
# AVX2 on, no operation that tests/replays/calls (fermi.calls for Fermi) does not list, and none more often than listed.
# usage: replays.sh [--update]: takes the present hashes; the tests themselves (make piglit) say whether they are right.
# Environment: BUILD.
. "$(dirname "$0")/../checks"
program=${BUILD:-build}/teslapipe

replay_all() { # name of the list, replay options...
    name=$1
    shift
    "$program" replay --hash "$@" "$folder/$name"/*.tpr >"$folder/hashes" 2>"$folder/errors" ||
        fail "$name $*: $(tail -n 1 "$folder/errors")"
    wrong=$(diff "tests/replays/$name.hashes" "$folder/hashes" | sed -n 's/^< [0-9a-f]* //p')
    for test in $wrong; do
        fail "$test of $name $*"
    done
    passed=$((passed + $(wc -l <"tests/replays/$name.hashes") - $(echo "$wrong" | grep -c .)))
}

for archive in tests/replays/*.tar.xz; do
    name=$(basename "$archive" .tar.xz)
    mkdir "$folder/$name"
    tar -C "$folder/$name" -xf "$archive" || exit 1
    if [ "${1:-}" = --update ]; then
        "$program" replay --hash "$folder/$name"/*.tpr >"tests/replays/$name.hashes"
        continue
    fi
    [ "$name" = fermi ] && calls=$folder/fermi.calls || calls=$folder/calls
    replay_all "$name" --calls "$calls"
    [ "$name" = smoke ] && replay_all smoke --threads 1 --simd base
    rm -rf "${folder:?}/$name"
done
# The list is for the AVX2 and AVX-512 levels: the base level leaves more to the handlers.
if [ "${1:-}" != --update ] &&
    "$program" render triangle --simd avx2 --size 8x8 -o "$folder" >/dev/null 2>&1; then
    # "name: P programs, N instructions, K calls OPERATION COUNT ..."
    for list in calls fermi.calls; do
        wrong=$(awk 'NR == FNR { limit[$1] = $2; next }
            { for (i = 8; i < NF; i += 2) if ((n[$i] += $(i + 1)) > limit[$i]) where[$i] = $1 }
            END { for (o in where) print n[o], "calls of the handler of", o ", last in", where[o] }' \
            "tests/replays/$list" "$folder/$list")
        [ -s "$folder/$list" ] || wrong="no calls were counted"
        check_text "$list" "$wrong"
        awk '{ p += $2; i += $4; k += $6 } END { print p, "programs,", i, "instructions,", k, "call handlers" }' \
            "$folder/$list"
    done
fi
checks_end
