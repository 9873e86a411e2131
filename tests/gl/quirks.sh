#!/usr/bin/env bash
# teslapipe gl --quirks: gl_FragCoord is right with every version of Mesa. Without the option a driver's fault stays, as
# on a board, and the log names the option (docs/mesa-versions.md). Environment: BUILD, CHIPS, CC.
. "$(dirname "$0")/both_drivers"
needs_driver
compile quirks -lEGL -lGL -lm
declare -A renderer=([g80]=NV50 [g84]=NV84 [g200]=NVA0 [gt215]=NVA3)
read_coordinate() { # options...; sets $version and $coordinate
    read -r version coordinate < <("$BUILD/teslapipe" gl --chip "$chip" "$@" -- "$compiled" "${renderer[$chip]}" 2>"$work/log")
}
for chip in ${CHIPS:-gt215 g80 g84 g200}; do
    for engine in native interp; do
        read_coordinate --quirks --engine $engine
        check "$chip: with --quirks gl_FragCoord is right" [ "$coordinate" = "5.5 7.5 0.625 0.5" ]
        [ "$version" -ge 25 ] && check "$chip: a warning names it" grep -q 'warning: .*--quirks (position)' "$work/log"
    done
    read_coordinate
    check "$chip: without --quirks nothing is said" [ ! -s "$work/log" ]
    if [ "$version" -lt 25 ]; then
        check "$chip: gl_FragCoord is right" [ "$coordinate" = "5.5 7.5 0.625 0.5" ]
    else
        check "$chip: the code does what it says" [ "$coordinate" = "11 15 1.25 1" ]
        read_coordinate --log info
        check "$chip: the level info names --quirks" grep -q 'info: .*--quirks (position)' "$work/log"
    fi
done
checks_end 0
