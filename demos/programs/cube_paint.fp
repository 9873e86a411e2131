/* Painted things before the camera: as in the map, under a coat that mirrors the map.
 * v: 1/w, world x y z, normal, r g b gloss. */
.include "common.macros"
.include "cube.macros"
.interpolants position=w smooth=10

    painted
    mirrored $r8 $r9 $r10 $r4 $r5 $r6 $r17 $r18 $r19 $r7 $r11
    mov b32 $r11 1.5
    texbias cube all $r8:$r9:$r10:# $t0 $s0 $r8:$r9:$r10:$r11
    // the coat: 0.04 + 0.9 (1 - n.v)^4
    cvt abs f32 $r7 f32 $r7
    add f32 $r7 neg $r7 1.0
    mul f32 $r7 $r7 $r7
    mul f32 $r7 $r7 $r7
    mul f32 $r7 $r7 0.9
    add f32 $r7 $r7 0.04
    mul f32 $r8 $r8 $r8
    mul f32 $r9 $r9 $r9
    mul f32 $r10 $r10 $r10
    add_scaled $r0 $r1 $r2 $r7 $r8 $r9 $r10
    gamma
