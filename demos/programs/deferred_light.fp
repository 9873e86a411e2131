/* Lights what the four targets hold, once for a pixel whose four samples agree, else once for each
 * sample; the mean of the results is the pixel. At the bottom, shows the targets themselves.
 * v: x y of the pixel, 1/w (1), direction of the view, of length 1 along its axis.
 * c1[]: lights, 32 bytes: x y z, 1 / radius^2, r g b.  c2[]: materials, 16 bytes: dull part, gloss,
 * shininess, metal; the material of things that shine themselves has shininess 0. */
.include "common.macros"
.interpolants position=xyw smooth=3
.const eye_x c0[0x0]
.const eye_y c0[0x4]
.const eye_z c0[0x8]
.const moon_x c0[0x40]
.const moon_y c0[0x44]
.const moon_z c0[0x48]
.const corner_x c0[0x50]
.const corner_y c0[0x54]
.const strip_y c0[0x58]
.const strip_width c0[0x5c]
.const lights_end c0[0x60]

// (a, b, c, d) = the texel (x, y) of texture t; sources and results share the registers
.macro fetch t a b c d x y
    mov b32 \a \x
    mov b32 \b \y
    mov b32 \c 0x0
    texfetch all \a:\b:\c:\d \t $s0 \a:\b:\c 0 0 0
.endm

// id = the number at sample (x, y); key = a sum that tells normals apart
.macro look id key x y
    fetch $t3 $r4 $r5 $r6 $r7 \x \y
    mov b32 \id $r4
    fetch $t1 $r4 $r5 $r6 $r7 \x \y
    shl b32 $r5 $r5 0x1
    shl b32 $r6 $r6 0x2
    add b32 $r4 $r4 $r5
    add b32 \key $r4 $r6
.endm

// sum = larger of sum and |a - b|
.macro farther sum a b
    sub b32 $r4 \a \b
    cvt abs s32 $r4 s32 $r4
    max s32 \sum \sum $r4
.endm

    interp $r0 v[0x0]
    interp $r1 v[0x4]
    interp $r28 v[0xc]
    interp $r29 v[0x10]
    interp $r30 v[0x14]
    // $r31, $r32: the pixel's first sample in the targets
    add rn f32 $r2 $r0 neg corner_x
    add rn f32 $r3 $r1 neg corner_y
    cvt rzi u32 $r31 f32 $r2
    cvt rzi u32 $r32 f32 $r3
    shl b32 $r31 $r31 0x1
    shl b32 $r32 $r32 0x1
    set $c0 # ge f32 $r1 strip_y
    (lg $c0) bra #show
    // do the four samples agree?
    add b32 $r33 $r31 0x1
    add b32 $r34 $r32 0x1
    look $r16 $r20 $r31 $r32
    look $r17 $r21 $r33 $r32
    look $r18 $r22 $r31 $r34
    look $r19 $r23 $r33 $r34
    mov b32 $r24 0x0
    farther $r24 $r20 $r21
    farther $r24 $r20 $r22
    farther $r24 $r20 $r23
    xor b32 $r17 $r17 $r16
    xor b32 $r18 $r18 $r16
    xor b32 $r19 $r19 $r16
    or b32 $r17 $r17 $r18
    or b32 $r17 $r17 $r19
    shl b32 $r17 $r17 0xd               // a difference of numbers is larger than that of any normals
    and b32 $r17 $r17 0x7fffffff
    max s32 $r24 $r24 $r17
    mov b32 $r25 0x1770
    mov b32 $r34 0x1                    // samples to light
    set $c0 # g s32 $r24 $r25
    mov b32 $r25 0x4
    (lg $c0) mov b32 $r34 $r25
    mov b32 $r33 0x0                    // the sample
    mov b32 $r35 0x0                    // the sum of colours
    mov b32 $r36 0x0
    mov b32 $r37 0x0
    mov b32 $r38 1.0
    breakaddr #resolved
sample:
    and b32 $r8 $r33 0x1
    shr u32 $r9 $r33 0x1
    add b32 $r8 $r8 $r31
    add b32 $r9 $r9 $r32
    fetch $t3 $r0 $r1 $r2 $r3 $r8 $r9
    mov b32 $r39 $r0
    mov b32 $r1 0x0
    set $c0 # e u32 $r39 $r1
    joinat #lit
    (lg $c0) bra #sky
    and b32 $r39 $r39 0x7
    shl $a2 $r39 0x4
    // $r40..42: normal
    fetch $t1 $r0 $r1 $r2 $r3 $r8 $r9
    cvt rn f32 $r40 s32 $r0
    cvt rn f32 $r41 s32 $r1
    cvt rn f32 $r42 s32 $r2
    mov b32 $r3 3.05185e-5
    scale $r40 $r41 $r42 $r3
    // $r43..45: place
    fetch $t2 $r0 $r1 $r2 $r3 $r8 $r9
    mul f32 $r43 $r28 $r0
    mul f32 $r44 $r29 $r0
    mul f32 $r45 $r30 $r0
    mov b32 $r63 $r0
    add rn f32 $r43 $r43 eye_x
    add rn f32 $r44 $r44 eye_y
    add rn f32 $r45 $r45 eye_z
    // $r46..48: colour, stored as its square root
    fetch $t0 $r0 $r1 $r2 $r3 $r8 $r9
    mul f32 $r46 $r0 $r0
    mul f32 $r47 $r1 $r1
    mul f32 $r48 $r2 $r2
    // $r49..51: to the eye
    cvt neg f32 $r49 f32 $r28
    cvt neg f32 $r50 f32 $r29
    cvt neg f32 $r51 f32 $r30
    normalize $r49 $r50 $r51 $r0
    // $r60..62: colour of highlights: 1 + metal * (colour - 1), times gloss
    add f32 $r60 $r46 -1.0
    add f32 $r61 $r47 -1.0
    add f32 $r62 $r48 -1.0
    mul rn f32 $r60 $r60 c2[$a2+0xc]
    mul rn f32 $r61 $r61 c2[$a2+0xc]
    mul rn f32 $r62 $r62 c2[$a2+0xc]
    add f32 $r60 $r60 1.0
    add f32 $r61 $r61 1.0
    add f32 $r62 $r62 1.0
    mul rn f32 $r60 $r60 c2[$a2+0x4]
    mul rn f32 $r61 $r61 c2[$a2+0x4]
    mul rn f32 $r62 $r62 c2[$a2+0x4]
    // things that shine
    mov b32 $r0 0x0
    add rn f32 $r0 $r0 c2[$a2+0x8]
    set $c0 # e f32 $r0 $r127
    mul f32 $r52 $r46 4.0
    mul f32 $r53 $r47 4.0
    mul f32 $r54 $r48 4.0
    (lg $c0) bra #lit
    // the moon, and a little light of the sky
    cosine $r0 $r40 $r41 $r42 moon_x moon_y moon_z
    mul f32 $r0 $r0 0.10
    mul f32 $r1 $r41 0.025
    add f32 $r1 $r1 0.035
    add f32 $r0 $r0 $r1
    mul rn f32 $r46 $r46 c2[$a2]
    mul rn f32 $r47 $r47 c2[$a2]
    mul rn f32 $r48 $r48 c2[$a2]
    mul f32 $r1 $r0 0.55
    mul f32 $r2 $r0 0.75
    mul f32 $r52 $r46 $r1
    mul f32 $r53 $r47 $r2
    mul f32 $r54 $r48 $r0
    mov b32 $r56 0x0
    breakaddr #all_lights
light:
    shl $a1 $r56 0x0
    add rn f32 $r0 neg $r43 c1[$a1]
    add rn f32 $r1 neg $r44 c1[$a1+0x4]
    add rn f32 $r2 neg $r45 c1[$a1+0x8]
    dot $r3 $r0 $r1 $r2 $r0 $r1 $r2
    mul rn f32 $r4 $r3 c1[$a1+0xc]
    set $c0 # ge f32 $r4 $r38
    joinat #next
    (lg $c0) bra #next
    // $r4: (1 - (d / r)^2)^2; $r5: light on the surface
    add f32 $r4 neg $r4 1.0
    mul f32 $r4 $r4 $r4
    rsqrt f32 $r3 $r3
    scale $r0 $r1 $r2 $r3
    cosine $r5 $r40 $r41 $r42 $r0 $r1 $r2
    mul f32 $r5 $r5 $r4
    // $r6: highlight
    add f32 $r0 $r0 $r49
    add f32 $r1 $r1 $r50
    add f32 $r2 $r2 $r51
    normalize $r0 $r1 $r2 $r3
    cosine $r6 $r40 $r41 $r42 $r0 $r1 $r2
    lg2 f32 $r6 $r6
    mul rn f32 $r6 $r6 c2[$a2+0x8]
    preex2 f32 $r6 $r6
    ex2 f32 $r6 $r6
    mul f32 $r6 $r6 $r4
    mul f32 $r0 $r46 $r5
    mul f32 $r1 $r47 $r5
    mul f32 $r2 $r48 $r5
    add_scaled $r0 $r1 $r2 $r6 $r60 $r61 $r62
    add f32 $r52 (mul $r0 c1[$a1+0x10]) $r52
    add f32 $r53 (mul $r1 c1[$a1+0x14]) $r53
    add f32 $r54 (mul $r2 c1[$a1+0x18]) $r54
next:
    join nop
    add b32 $r56 $r56 0x20
    set $c0 # ge u32 $r56 lights_end
    (lg $c0) break
    bra #light
all_lights:
    // fades into the night: 1 / (1 + (d / 13)^4)
    mul f32 $r0 $r63 $r63
    mul f32 $r0 $r0 0.006
    mul f32 $r0 $r0 $r0
    add f32 $r0 $r0 1.0
    rcp f32 $r0 $r0
    scale $r52 $r53 $r54 $r0
    bra #lit
sky:
    // brighter at the horizon: (1 - height)^4
    mov b32 $r0 $r28
    mov b32 $r1 $r29
    mov b32 $r2 $r30
    normalize $r0 $r1 $r2 $r3
    cvt abs f32 $r0 f32 $r1
    add f32 $r0 neg $r0 1.0
    mul f32 $r0 $r0 $r0
    mul f32 $r0 $r0 $r0
    mov b32 $r52 0.003
    mov b32 $r53 0.004
    mov b32 $r54 0.010
    add_scaled $r52 $r53 $r54 $r0 0.040 0.022 0.075
    bra #lit
lit:
    join nop
    // c / (c + 1), stored as a square root before the mean is taken: so bright edges stay smooth
    add f32 $r0 $r52 1.0
    add f32 $r1 $r53 1.0
    add f32 $r2 $r54 1.0
    rcp f32 $r0 $r0
    rcp f32 $r1 $r1
    rcp f32 $r2 $r2
    mul f32 $r0 $r0 $r52
    mul f32 $r1 $r1 $r53
    mul f32 $r2 $r2 $r54
    roots
    add f32 $r35 $r35 $r0
    add f32 $r36 $r36 $r1
    add f32 $r37 $r37 $r2
    add b32 $r33 $r33 0x1
    set $c0 # ge u32 $r33 $r34
    (lg $c0) break
    bra #sample
resolved:
    cvt rn f32 $r3 u32 $r34
    rcp f32 $r3 $r3
    mul f32 $r0 $r35 $r3
    mul f32 $r1 $r36 $r3
    mul f32 $r2 $r37 $r3
    mov b32 $r3 1.0
    exit nop

show:
    // $r8: which target: slanting borders, a quarter of the width each
    add rn f32 $r9 $r1 neg strip_y
    mul f32 $r9 $r9 0.6
    add f32 $r9 $r9 $r0
    mul rn f32 $r8 $r9 strip_width
    // numbers: mixed bits as colour
    fetch $t3 $r4 $r5 $r6 $r7 $r31 $r32
    shr u32 $r5 $r4 0x5
    xor b32 $r4 $r4 $r5
    shl b32 $r5 $r4 0x4
    xor b32 $r4 $r4 $r5
    shr u32 $r5 $r4 0x8
    shr u32 $r6 $r4 0x4
    and b32 $r4 $r4 0xff
    and b32 $r5 $r5 0xff
    and b32 $r6 $r6 0xff
    cvt rn f32 $r0 u32 $r4
    cvt rn f32 $r1 u32 $r5
    cvt rn f32 $r2 u32 $r6
    scale $r0 $r1 $r2 0.0035
    // distance: brighter near
    mov b32 $r9 3.0
    set $c0 # l f32 $r8 $r9
    fetch $t2 $r4 $r5 $r6 $r7 $r31 $r32
    mul f32 $r4 $r4 -0.2
    add f32 $r4 $r4 1.9
    mov b32 $r5 0x0
    mov b32 $r6 1.0
    max f32 $r4 $r4 $r5
    min f32 $r4 $r4 $r6
    (lg $c0) mov b32 $r0 $r4
    (lg $c0) mov b32 $r1 $r4
    (lg $c0) mov b32 $r2 $r4
    // normal: -1 to 1 as 0 to 1
    mov b32 $r9 2.0
    set $c0 # l f32 $r8 $r9
    fetch $t1 $r4 $r5 $r6 $r7 $r31 $r32
    cvt rn f32 $r4 s32 $r4
    cvt rn f32 $r5 s32 $r5
    cvt rn f32 $r6 s32 $r6
    scale $r4 $r5 $r6 1.52588e-5
    add f32 $r4 $r4 0.5
    add f32 $r5 $r5 0.5
    add f32 $r6 $r6 0.5
    (lg $c0) mov b32 $r0 $r4
    (lg $c0) mov b32 $r1 $r5
    (lg $c0) mov b32 $r2 $r6
    // colour
    mov b32 $r9 1.0
    set $c0 # l f32 $r8 $r9
    fetch $t0 $r4 $r5 $r6 $r7 $r31 $r32
    (lg $c0) mov b32 $r0 $r4
    (lg $c0) mov b32 $r1 $r5
    (lg $c0) mov b32 $r2 $r6
    mov b32 $r3 1.0
    exit nop
