// The lake: ripples of two drifting textures, the sky's reflection by Fresnel's law, the sun on it;
// clear where it is shallow. a[0x80]: x, view depth, z. Textures as in terrain.fp.
.variant gf100
.include "common.macros"

    clip_w $r4
    interp mul f32 $r16 a[0x80] $r4 0x0
    interp mul f32 $r19 a[0x84] $r4 0x0
    interp mul f32 $r18 a[0x88] $r4 0x0
    mov b32 $r3 0.5
    fma rn f32 $r0 $r16 c0[0xbc] $r3
    fma rn f32 $r1 $r18 c0[0xbc] $r3
    tex t lauto live dfp $r4:#:#:$r5 t2d $t0 $s0 $r0:$r1 ()
    mov b32 $r6 0.43
    fma rn f32 $r2 $r16 $r6 c0[0xd0]
    fma rn f32 $r3 $r18 $r6 c0[0xd4]
    tex t lauto live dfp #:$r8:$r9:# t2d $t1 $s1 $r2:$r3 ()
    mov b32 $r6 0.71
    fma rn f32 $r2 $r16 $r6 c0[0xd8]
    fma rn f32 $r3 $r18 $r6 c0[0xdc]
    tex p lauto live dfp #:$r12:$r13:# t2d $t1 $s1 $r2:$r3 ()
    add rn f32 $r20 $r8 $r12
    add rn f32 $r22 $r9 $r13
    mul f32 $r20 $r20 -0.14
    mul f32 $r22 $r22 -0.14
    mov b32 $r21 1.0
    normalize $r20 $r21 $r22 $r23
    // $r24..$r26: to the eye
    mov b32 $r24 c0[0x40]
    mov b32 $r25 c0[0x44]
    mov b32 $r26 c0[0x48]
    add rn f32 $r24 $r24 neg $r16
    add rn f32 $r26 $r26 neg $r18
    normalize $r24 $r25 $r26 $r23
    dot $r7 $r20 $r21 $r22 $r24 $r25 $r26
    max f32 $r7 $r7 0x0
    // $r28..$r30: mirrored
    add rn f32 $r6 $r7 $r7
    fma rn f32 $r28 $r20 $r6 neg $r24
    fma rn f32 $r29 $r21 $r6 neg $r25
    fma rn f32 $r30 $r22 $r6 neg $r26
    // $r7: share of the reflection
    mov b32 $r6 1.0
    add rn f32 $r7 $r6 neg $r7
    mul rn f32 $r6 $r7 $r7
    mul rn f32 $r6 $r6 $r6
    mul rn f32 $r7 $r7 $r6
    mov b32 $r6 0.03
    mov b32 $r3 0.90
    fma rn f32 $r7 $r7 $r3 $r6
    // $r6: share of the zenith in the sky there
    max f32 $r6 $r29 0x0
    mov b32 $r3 1.0
    add rn f32 $r6 $r3 neg $r6
    mul rn f32 $r31 $r6 $r6
    mul rn f32 $r31 $r31 $r6
    add rn f32 $r31 $r3 neg $r31
    mov b32 $r12 c0[0x60]
    mov b32 $r13 c0[0x64]
    mov b32 $r14 c0[0x68]
    mov b32 $r6 c0[0xb0]
    mix $r12 $r6 $r31
    mov b32 $r6 c0[0xb4]
    mix $r13 $r6 $r31
    mov b32 $r6 c0[0xb8]
    mix $r14 $r6 $r31
    // the water's own colour by its depth: $r4 = depth
    mul f32 $r4 $r4 -1.0
    mov b32 $r6 1.3
    mul sat rn f32 $r31 $r4 $r6
    mov b32 $r0 0.050
    mov b32 $r6 0.006
    mix $r0 $r6 $r31
    mov b32 $r1 0.135
    mov b32 $r6 0.040
    mix $r1 $r6 $r31
    mov b32 $r2 0.125
    mov b32 $r6 0.058
    mix $r2 $r6 $r31
    mix $r0 $r12 $r7
    mix $r1 $r13 $r7
    mix $r2 $r14 $r7
    // the sun: cosine to the power of 128
    dot $r6 $r28 $r29 $r30 c0[0x50] c0[0x54] c0[0x58]
    max f32 $r6 $r6 0x0
    mul rn f32 $r6 $r6 $r6
    mul rn f32 $r6 $r6 $r6
    mul rn f32 $r6 $r6 $r6
    mul rn f32 $r6 $r6 $r6
    mul rn f32 $r6 $r6 $r6
    mul rn f32 $r6 $r6 $r6
    mul rn f32 $r6 $r6 $r6
    mul rn f32 $r6 $r6 $r5
    mov b32 $r3 2.0
    fma rn f32 $r0 $r6 $r3 $r0
    mov b32 $r3 1.7
    fma rn f32 $r1 $r6 $r3 $r1
    mov b32 $r3 1.2
    fma rn f32 $r2 $r6 $r3 $r2
    haze $r19
    gammas $r6
    // alpha: 1 from a depth of 0.3 on
    mov b32 $r3 3.3
    mul sat rn f32 $r3 $r4 $r3
    exit
