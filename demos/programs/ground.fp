/* Ground into fog.  v: 1/w, r g b, fog. */
.include "common.macros"
.interpolants position=w smooth=4
.const fog_r c0[0x60]
.const fog_g c0[0x64]
.const fog_b c0[0x68]

    clip_w $r3
    interp $r0 v[0x4] $r3
    interp $r1 v[0x8] $r3
    interp $r2 v[0xc] $r3
    interp $r4 v[0x10] $r3
    into_fog $r0 $r1 $r2 $r4 $r5 fog_r fog_g fog_b
    gamma
