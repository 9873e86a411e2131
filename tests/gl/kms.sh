#!/usr/bin/env bash
# A display device without a window (teslapipe gl --kms --headless): programs on it (tests/gl/kms.c), its files in the
# system (tests/gl/files.c), its ioctls one by one (tests/gl/kms_objects.c, kms_commits.c), and its descriptions of
# itself (tests/gl/display.c). Environment: BUILD, CC, CHIPS, PROGRAMS.
. "$(dirname "$0")/both_drivers"
needs_driver
. tests/display
private_runtime
# Prints a program's failures and checks its end. $rc is the exit status.
verdicts() { # what
    grep -A 1 '^FAIL' "$work/out" | sed "s/^/$1: /"
    if [[ $(tail -n 1 "$work/out") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
    else
        fail "$1: exit $rc without a verdict"
    fi
}
on_display() { # options and program...
    timeout 120 "$BUILD/teslapipe" gl --kms --headless "$@" >"$work/out" 2>"$work/log"
    rc=$?
}
declare -A renderer=([gt215]=NVA3 [g80]=NV50 [g84]=NV84 [g200]=NVA0)
for name in ${PROGRAMS:=kms files kms_objects kms_commits display}; do
    case $name in
    kms) compile kms $(pkg-config --cflags --libs libdrm libpng) -lEGL -lGL -lgbm ;;
    display) compile display $(pkg-config --cflags --libs libdrm) ;;
    *) compile "$name" ;;
    esac
    for chip in ${CHIPS:-gt215 g80}; do
        case $name in
        kms)
            mkdir "$work/$chip"
            on_display --chip "$chip" --size 200x120 -o "$work/$chip" -- "$compiled" "${renderer[$chip]}" "$work/$chip"
            verdicts "$chip"
            check "$chip: the GPU has nothing to complain about" [ ! -s "$work/log" ]
            ;;
        files)
            on_display --chip "$chip" -- "$compiled" "${renderer[$chip]}" display
            verdicts "$chip: its files"
            ;;
        esac
    done
    case $name in
    kms_*)
        on_display --size 200x120 -- "$compiled"
        verdicts "$name"
        ;;
    display)
        for size in 200x120 1280x1024 1300x800 700x1100 2000x1080; do
            on_display --size $size -- "$compiled" ${size%x*} ${size#*x}
            verdicts "$size: what the display says"
        done
        ;;
    esac
done
nothing_left "all"
checks_end 0
