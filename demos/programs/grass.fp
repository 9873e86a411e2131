/* Second pass over a billboard of blades, where it is the nearest: dark at the root, tinted by the
 * tuft's shade.
 * v: 1/w, u v, shade, fog. */
.include "common.macros"
.interpolants position=w smooth=4
.const fog_r c0[0x60]
.const fog_g c0[0x64]
.const fog_b c0[0x68]

    interp $r7 v[0x0]
    rcp f32 $r7 $r7
    interp $r0 v[0x4] $r7
    interp $r1 v[0x8] $r7
    mov b32 $r6 $r1
    texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0
    interp $r5 v[0xc] $r7
    interp $r4 v[0x10] $r7
    // $r6: light, less towards the root
    mul f32 $r6 $r6 -1.12
    add f32 $r6 $r6 1.3
    // texels are stored as square roots
    mul f32 $r0 $r0 $r0
    mul f32 $r1 $r1 $r1
    mul f32 $r2 $r2 $r2
    scale $r0 $r1 $r2 $r6
    // red falls and blue rises with shade
    mul f32 $r6 $r5 -0.75
    add f32 $r6 $r6 1.25
    mul f32 $r0 $r0 $r6
    mul f32 $r6 $r5 -0.25
    add f32 $r6 $r6 1.05
    mul f32 $r1 $r1 $r6
    into_fog $r0 $r1 $r2 $r4 $r5 fog_r fog_g fog_b
    gamma
