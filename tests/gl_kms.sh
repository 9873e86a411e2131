#!/usr/bin/env bash
# A display device without a window (teslapipe gl --kms --headless): tests/gl/kms.c; the
# system's files of it (tests/gl/files.c); what it says of itself (tests/gl/display.c). Environment: BUILD, CC, CHIPS.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=$(realpath "${BUILD:-build}")
. tests/gl/both_drivers.sh
ls /usr/lib/*/dri/nouveau_dri.so >/dev/null 2>&1 || skip_all "Mesa's nouveau driver is not installed"
[ -x "$BUILD/teslapipe" ] || fail_all "$BUILD/teslapipe is missing"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
errors=$work/log
. tests/checks
. tests/display
private_runtime
${CC:-cc} -std=gnu17 -O1 -Wall -Wextra -o "$work/kms" tests/gl/kms.c $(pkg-config --cflags --libs libdrm libpng) \
    -lEGL -lGL -lgbm || fail_all "kms.c does not compile"
${CC:-cc} -std=gnu17 -O1 -Wall -Wextra -o "$work/files" tests/gl/files.c || fail_all "files.c does not compile"
${CC:-cc} -std=gnu17 -O1 -Wall -Wextra -o "$work/display" tests/gl/display.c $(pkg-config --cflags --libs libdrm) ||
    fail_all "display.c does not compile"
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
    timeout 60 "$BUILD/teslapipe" gl --kms --headless --chip "$chip" -- "$work/files" "${renderer[$chip]}" display \
        >"$work/out" 2>"$work/log"
    rc=$?
    grep FAIL "$work/out" | sed "s/^/$chip: /"
    check "$chip: its files" [ $rc -eq 0 ]
done
for size in 200x120 1280x1024 1300x800; do
    timeout 60 "$BUILD/teslapipe" gl --kms --headless --size $size -- "$work/display" ${size%x*} ${size#*x} \
        >"$work/out" 2>"$work/log"
    rc=$?
    grep -A 1 FAIL "$work/out" | sed "s/^/$size: /"
    check "$size: what the display says" [ $rc -eq 0 ]
done
check "nothing is left" eventually tidy
checks_end 0
