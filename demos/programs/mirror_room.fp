/* The room behind everything.  v: 1/w (1), direction. */
.include "common.macros"
.include "mirror.macros"
.interpolants position=w smooth=3

    interp $r4 v[0x4]
    interp $r5 v[0x8]
    interp $r6 v[0xc]
    normalize $r4 $r5 $r6 $r7
    room $r0 $r1 $r2 $r4 $r5 $r6 $r7 $r8
    gamma
