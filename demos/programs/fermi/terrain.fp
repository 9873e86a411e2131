// Rock, grass and snow by height and slope, in the sun and in the shadow of mountains, into haze.
// a[0x80]: x y z of the world, view depth.
// Textures: 0 height, slope x, slope z, light of the sun; 1 fine structure: height * 2, slopes / 4.
.variant gf100
.include "common.macros"
.const sun_x c0[0x50]
.const sun_y c0[0x54]
.const sun_z c0[0x58]

// b = (x * gain + bias) clamped to 0..1
.macro ramp b x gain bias
    mov b32 \b \bias
    mov b32 $r30 \gain
    fma sat rn f32 \b \x $r30 \b
.endm
// colour $r0..$r2 mixed with r g b by t; $r30 is lost
.macro paint r g b t
    mov b32 $r30 \r
    mix $r0 $r30 \t
    mov b32 $r30 \g
    mix $r1 $r30 \t
    mov b32 $r30 \b
    mix $r2 $r30 \t
.endm

    clip_w $r4
    interp mul f32 $r16 a[0x80] $r4 0x0
    interp mul f32 $r17 a[0x84] $r4 0x0
    interp mul f32 $r18 a[0x88] $r4 0x0
    interp mul f32 $r19 a[0x8c] $r4 0x0
    mov b32 $r3 0.5
    fma rn f32 $r0 $r16 c0[0xbc] $r3
    fma rn f32 $r1 $r18 c0[0xbc] $r3
    tex t lauto live dfp $r4:$r5:$r6:$r7 t2d $t0 $s0 $r0:$r1 ()
    mul f32 $r2 $r16 0.3
    mul f32 $r3 $r18 0.3
    tex t lauto live dfp $r8:$r9:$r10:# t2d $t1 $s1 $r2:$r3 ()
    mul f32 $r2 $r16 2.1
    mul f32 $r3 $r18 2.1
    tex p lauto live dfp $r12:$r13:$r14:# t2d $t1 $s1 $r2:$r3 ()
    // normal $r20..$r22 from the slopes of all three
    mov b32 $r0 0.96
    fma rn f32 $r20 $r9 $r0 $r5
    fma rn f32 $r22 $r10 $r0 $r6
    mov b32 $r0 0.64
    fma rn f32 $r20 $r13 $r0 $r20
    fma rn f32 $r22 $r14 $r0 $r22
    mul f32 $r20 $r20 -1.0
    mul f32 $r22 $r22 -1.0
    mov b32 $r21 1.0
    normalize $r20 $r21 $r22 $r23
    // $r24: height with an irregular line
    mov b32 $r0 0.45
    fma rn f32 $r24 $r8 $r0 $r17
    mov b32 $r0 0.25
    fma rn f32 $r24 $r12 $r0 $r24
    // rock in layers
    mul f32 $r0 $r24 5.0
    presin f32 $r0 $r0
    sin f32 $r0 $r0
    mov b32 $r1 0.22
    mov b32 $r2 0.95
    fma rn f32 $r25 $r0 $r1 $r2
    mul f32 $r0 $r25 0.150
    mul f32 $r1 $r25 0.118
    mul f32 $r2 $r25 0.092
    // grass where it is low and flat
    ramp $r26 $r21 5.5 -3.7
    ramp $r27 $r24 -0.9 2.6
    mul rn f32 $r26 $r26 $r27
    paint 0.050 0.078 0.016 $r26
    // sand at the lake
    ramp $r27 $r24 -5.0 1.25
    mul rn f32 $r27 $r27 $r27
    paint 0.21 0.165 0.10 $r27
    // snow where it is high and not steep
    ramp $r26 $r24 0.9 -2.9
    ramp $r27 $r21 5.0 -2.7
    mul rn f32 $r26 $r26 $r27
    paint 0.80 0.84 0.92 $r26
    // light: $r25 of the sun, $r26 of the sky
    dot $r25 $r20 $r21 $r22 sun_x sun_y sun_z
    max f32 $r25 $r25 0x0
    mul rn f32 $r25 $r25 $r7
    mov b32 $r3 0.5
    fma rn f32 $r26 $r21 $r3 $r3
    mul f32 $r27 $r26 0.30
    mov b32 $r3 2.10
    fma rn f32 $r27 $r25 $r3 $r27
    mul rn f32 $r0 $r0 $r27
    mul f32 $r27 $r26 0.38
    mov b32 $r3 1.75
    fma rn f32 $r27 $r25 $r3 $r27
    mul rn f32 $r1 $r1 $r27
    mul f32 $r27 $r26 0.56
    mov b32 $r3 1.30
    fma rn f32 $r27 $r25 $r3 $r27
    mul rn f32 $r2 $r2 $r27
    haze $r19
    gammas $r4
    mov b32 $r3 1.0
    exit
