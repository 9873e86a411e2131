#!/bin/sh
# Replays recordings of conformance tests (tests/replays/*.tar.xz, made by tests/gl/record-replays from
# tests that passed) and compares a hash of everything each left in GPU memory: on all threads at the
# best SIMD level, and the smoke list on one thread at the base level too.
# usage: replays.sh [--update]: takes the hashes as they are now; the tests themselves (make piglit)
# say whether they are right. Environment: BUILD.
set -u
cd "$(dirname "$0")/.." || exit 1
program=${BUILD:-build}/teslapipe
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0
failed=0

check() { # name of the list, replay options...
    name=$1
    shift
    "$program" replay --hash "$@" "$folder/$name"/*.tpr >"$folder/hashes" 2>"$folder/errors" || {
        failed=$((failed + 1))
        echo "FAIL replays: $name $*: $(tail -n 1 "$folder/errors")"
    }
    wrong=$(diff "tests/replays/$name.hashes" "$folder/hashes" | sed -n 's/^< [0-9a-f]* //p')
    for test in $wrong; do
        echo "FAIL replays: $test of $name $*"
        failed=$((failed + 1))
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
    check "$name"
    [ "$name" = smoke ] && check smoke --threads 1 --simd base
    rm -rf "${folder:?}/$name"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
