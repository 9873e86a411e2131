#!/usr/bin/env bash
# teslapipe diff finds each deviation of tests/gl/diff.c, on a Tesla and on a Fermi. Environment: BUILD, CHIPS, CC.
. "$(dirname "$0")/both_drivers"
needs_headers EGL/egl.h GL/glcorearb.h
compile diff -lEGL -lGL

record() { # chip, deviation
    "$BUILD/teslapipe" gl --chip "$1" --record "$work/$2.tpr" -- "$compiled" "$2" 2>"$errors"
}
differ() { # exit code, deviations a and b, lines that the report has
    local code=$1 a=$2 b=$3 line
    shift 3
    "$BUILD/teslapipe" diff "$work/$a.tpr" "$work/$b.tpr" >"$errors" 2>&1
    check "$chip $a $b: exit code $code" [ $? -eq "$code" ]
    for line; do
        check "$chip $a $b: no line '$line'" grep -q -e "$line" "$errors"
    done
}
for chip in ${CHIPS:-gt215 gf108}; do
    for deviation in array0 array1 volume0 volume1 none size zeta format between end more discard texture moved; do
        check "$chip $deviation: recorded" record "$chip" $deviation
    done
    differ 0 none none '^2 draws, the same pictures after each$'
    differ 1 array0 array1 '^draw 1 is the first to differ: colour 0, 256 texels, the first at 0,0 of layer 4$' \
        'array0.tpr: 0.400000036 ' 'array1.tpr: 0.800000072 ' '^(layered: no fragment is looked at)$'
    differ 1 volume0 volume1 '^draw 1 is the first to differ: colour 0, 256 texels, the first at 0,0 of layer 4$'
    differ 1 none size '^draw 1 is the first to differ: colour 0, not of the same size$' 'none.tpr: 16x16$' 'size.tpr: 16x20$'
    differ 1 none zeta '^draw 1 is the first to differ: zeta, not of the same size$' 'none.tpr: not bound$' 'zeta.tpr: 16x16$'
    differ 1 none between '^draw 2 is the first to differ: colour 0, 4 texels, the first at 3,12$' \
        '^(colour 0 differs before the draw, too' 'none.tpr: no fragment at that pixel'
    differ 1 none end '^2 draws, the same pictures after each, but not at the end: colour 0, 2 texels, the first at 5,15$'
    differ 1 none more '^the first 2 draws leave the same pictures; then .*more.tpr goes on$'
    differ 1 none discard '^draw 2 is the first to differ: colour 0, 128 texels, the first at 8,0$' \
        '^instruction [0-9]* of the fragment is the first to differ:$' 'none.tpr: 0x.*set.*' 'discard.tpr: 0x.*set'
    differ 1 none texture 'draw 1 is the first to differ' 'instruction [0-9]* of the fragment is the first to differ:$' \
        'none.tpr: 0x.* tex.*-> $r1 = ' 'texture.tpr: 0x.* tex.*-> $r1 = '
    differ 1 none moved '^draw 2 is the first to differ' '^instruction [0-9]* of the fragment is the first to differ:$' \
        'none.tpr: 0x.* set .* s32 ' 'moved.tpr: 0x.* set .* s32 '
    differ 1 none format 'draw 1 is the first to differ' 'none.tpr: 0.250980407 ' 'format.tpr: 0.25[01]'
done
checks_end
