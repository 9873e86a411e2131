/* First pass over a billboard of blades: only its depth, and nothing between the blades.
 * v: 1/w, u v, shade, fog. */
.include "common.macros"
.interpolants position=w smooth=4
.kill

    clip_w $r4
    interp $r0 v[0x4] $r4
    interp $r1 v[0x8] $r4
    mov b32 $r5 0.5
    texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0
    set $c0 # l f32 $r3 $r5
    (lg $c0) discard
    exit nop
